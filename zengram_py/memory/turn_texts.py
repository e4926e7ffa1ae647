"""What a turn says, as a prompt has it: its role, the texts of its parts, and the tools that it called.

::

    user: We deploy on Fridays.

    assistant: I read the file.
    [read_file {"path": "dark.css"} -> error: no such file]

A part of type ``text`` gives its text, ``reasoning`` gives nothing (a model's thoughts are not told again), any other one its type and its
JSON. A tool call gives its tool, what went in and what came out, the latter cut to :data:`LONGEST_OUTPUT` characters.

Turns are asked for by the dozen, newest first. Which parts and calls belong to which turn is looked up once for every row and kept
(:class:`RowsByTurn`); only the rows that are shown are then read, all at once.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engine import Transaction
from ..engine.seen import SeenTable
from ..text.snippets import cut
from .texts import text_of_part

LONGEST_OUTPUT = 2000
"""Characters of what a tool gave that are told again."""
SILENT = "reasoning"
_PART = ("id", "turn_id", "type", "data", "position")
_CALL = ("id", "turn_id", "tool_id", "state", "input", "output", "error", "time_created")


@dataclass(frozen=True)
class TurnText:
    """A turn as a prompt has it.

    Attributes
    ----------
    text : str
        What it says, behind its role.
    """

    text: str


class RowsByTurn:
    """For each turn, the slots of the rows of a table that ever named it; found out once for each slot.

    Parameters
    ----------
    table : str
        A table with a column ``turn_id``.
    """

    def __init__(self, table: str) -> None:
        self.table = table
        self._slots: dict[str, list[int]] = {}
        self._known, self._epoch = 0, -1

    def rows(
        self, transaction: Transaction, turns: Sequence[str], names: Sequence[str]
    ) -> list[dict[str, Any]]:
        """Return the rows of some turns, in no order.

        Parameters
        ----------
        transaction : Transaction
            Who reads; what it wrote itself is found too.
        turns : sequence of str
            Ids.
        names : sequence of str
            Columns.
        """
        seen = transaction.seen(self.table)
        writes = transaction.reader.writes.get(seen.definition.id)
        if writes:  # in a batch: few turns, and rows that have no slot
            wanted = set(turns)
            where = ["in", ["col", "turn_id"], *(["lit", one] for one in turns)]
            return [row for row in transaction.scan(self.table, names, where) if row["turn_id"] in wanted]
        self._update(seen)
        slots = np.array([slot for turn in turns for slot in self._slots.get(turn, ())], np.int32)
        if len(slots):
            mask = seen.store.visibility.mask(seen.view)
            slots = slots[slots < len(mask)]  # a memory branch does not see what others wrote later
            slots = slots[mask[slots]]
        columns = []
        for name in names:
            column = seen.definition.column(name)
            present = column.type.present
            columns.append([present(value) for value in seen.column(name).take(slots)])
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]

    def _update(self, seen: SeenTable) -> None:
        if seen.store.epoch != self._epoch:
            self._slots, self._known, self._epoch = {}, 0, seen.store.epoch
        total = len(seen.store)
        if self._known < total:
            new = np.arange(self._known, total, dtype=np.int32)
            for slot, turn in zip(new.tolist(), seen.column("turn_id").take(new), strict=True):
                self._slots.setdefault(turn, []).append(slot)
            self._known = total


class TurnTexts:
    """Tells what turns say; keeps what joins them with their parts and calls."""

    def __init__(self) -> None:
        self._parts, self._calls = RowsByTurn("part"), RowsByTurn("tool_call")

    def of(self, transaction: Transaction, turns: Sequence[dict[str, Any]]) -> list[TurnText]:
        """Return what some turns say.

        Parameters
        ----------
        transaction : Transaction
            Who reads.
        turns : sequence of rows
            Of the table of turns, with their id and role.
        """
        ids = [turn["id"] for turn in turns]
        parts = _grouped(self._parts.rows(transaction, ids, _PART))
        calls = _grouped(self._calls.rows(transaction, ids, _CALL))
        return [_text_of(turn, parts.get(turn["id"], []), calls.get(turn["id"], [])) for turn in turns]


def _grouped(rows: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["turn_id"], []).append(row)
    return found


def _text_of(turn: dict[str, Any], parts: list[dict[str, Any]], calls: list[dict[str, Any]]) -> TurnText:
    parts.sort(key=lambda row: (row["position"], row["id"]))
    calls.sort(key=lambda row: (row["time_created"], row["id"]))
    said = [text for text in map(part_text, parts) if text]
    said += [call_text(call) for call in calls]
    return TurnText(f"{turn['role']}: " + "\n".join(said))


def part_text(part: dict[str, Any]) -> str:
    """Return what a part says; nothing for a model's reasoning."""
    kind, data = part["type"], part["data"]
    if kind == SILENT:
        return ""
    text = text_of_part(data)
    if kind == "text" and text is not None:
        return text
    return f"[{kind} {_json(data)}]"


def call_text(call: dict[str, Any]) -> str:
    """Return what a tool call says: the tool, what went in, and what came of it."""
    given = "" if call["input"] is None else f" {_json(call['input'])}"
    if call["state"] == "error":
        came = f"error: {call['error']}"
    elif call["state"] == "completed":
        came = "" if call["output"] is None else call["output"]
    else:
        came = call["state"]
    if len(came) > LONGEST_OUTPUT:
        came = cut(came, LONGEST_OUTPUT) + " …"
    return f"[{call['tool_id']}{given} -> {came}]"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
