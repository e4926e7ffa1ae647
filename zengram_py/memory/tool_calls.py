"""Tool calls: what an agent did in a turn, from the wish to the result.

::

    record_tool_call ──▶ pending ──▶ start_tool_call ──▶ running
                            │                               │
                            └────── complete_tool_call ─────┴──▶ completed, or error when an error came out

A call that is completed or failed stays so: what came out once is what happened. A call belongs to a turn, and may belong to a part of it
(where the model asked for it).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from hashlib import sha256
from typing import Any

from ..errors import InvalidArgumentError, NotFoundError
from .base import Following
from .branches import Conversation
from .json_values import check_json, json_text
from .options import check_labels
from .quantities import check_count, check_number
from .rows_in_order import walk
from .sessions import optional_text
from .texts import check_text

PENDING, RUNNING, COMPLETED, ERROR = STATES = ("pending", "running", "completed", "error")
NEXT: Following = {PENDING: (RUNNING, COMPLETED, ERROR), RUNNING: (COMPLETED, ERROR)}
MOST_MILLISECONDS = 2.0**53


@dataclass(frozen=True)
class ToolCall:
    """A tool call.

    Attributes
    ----------
    id, turn_id, session_id : str
        What it is, and where it was made.
    part_id : str or None
        The part of the turn in which the model asked for it.
    tool_id, tool_source : str
        Which tool, and where that comes from: ``"builtin"``, or what the caller said.
    state : str
        ``"pending"``, ``"running"``, ``"completed"`` or ``"error"``.
    input : JSON value
        What the tool was given; None if nothing.
    output, error : str or None
        What came out.
    duration_ms : int or None
        How long it took, milliseconds.
    tokens_consumed : int
        Tokens that the tool itself took.
    category : str or None
        A label to filter by.
    target_paths : tuple of str
        What it worked on.
    time_created : int
        Microseconds since the epoch, UTC.
    time_completed : int or None
        Likewise.
    """

    id: str
    turn_id: str
    part_id: str | None
    session_id: str
    tool_id: str
    tool_source: str
    state: str
    input: Any
    output: str | None
    error: str | None
    duration_ms: int | None
    tokens_consumed: int
    category: str | None
    target_paths: tuple[str, ...]
    time_created: int
    time_completed: int | None


_COLUMNS = [field.name for field in fields(ToolCall)]
_CALL = ("tool_call", "state", "tool call")
_PATHS = _COLUMNS.index("target_paths")


class ToolCalls(Conversation):
    """Records tool calls, and what came of them."""

    def record_tool_call(
        self,
        *,
        turn_id: str,
        session_id: str,
        tool_id: str | None = None,
        part_id: str | None = None,
        input: Any = None,
        category: str | None = None,
        target_paths: Any = None,
        tool_source: str = "builtin",
    ) -> str:
        """Note that a tool is to be called; return the call's id. It is pending.

        Parameters
        ----------
        turn_id, session_id : str
            The turn that asks for it, and the session that the turn is of.
        tool_id : str
            Which tool.
        part_id : str, optional
            The part of the turn in which it is asked for.
        input : JSON value, optional
            What the tool is given.
        category : str, optional
            A label to filter by, such as ``"read"``.
        target_paths : str or iterable of str, optional
            What it is to work on.
        tool_source : str
            Where the tool comes from.

        Raises
        ------
        InvalidArgumentError
            If there is no tool id, or the input is not JSON; the message says where.
        NotFoundError
            If the turn is not of the session, or the part not of the turn.
        """
        row: dict[str, Any] = {
            "tool_id": check_text(tool_id, "tool id"),
            "tool_source": check_text(tool_source, "tool_source"),
            "input": check_json(input, "input"),
            "category": optional_text(category, "category"),
            "target_paths": None if target_paths is None else check_labels("target_paths", target_paths),
        }
        call_id = self._ids.new("tcl_")
        with self._writing() as transaction:
            turn = self._turn(transaction, session_id, turn_id)
            if part_id is not None:
                part = self._row(transaction, "part", part_id, "part")
                if part["turn_id"] != turn["id"]:
                    raise NotFoundError(f"there is no part {part_id!r} in turn {turn_id!r}")
                row["part_id"] = part["id"]
            place = {"id": call_id, "turn_id": turn["id"], "session_id": turn["session_id"]}
            now = max(self._clock.now(), turn["time_created"])
            transaction.insert("tool_call", {**place, **row, "state": PENDING, "time_created": now})
        return call_id

    def start_tool_call(self, call_id: str) -> None:
        """Note that a pending call is running.

        Raises
        ------
        NotFoundError
            If there is no such call.
        StateError
            If it is not pending.
        """
        with self._writing() as transaction:
            row = self._that_can_become(transaction, _CALL, call_id, RUNNING, NEXT)
            transaction.update("tool_call", row["id"], {"state": RUNNING})

    def complete_tool_call(
        self,
        call_id: str,
        *,
        output: Any = None,
        error: str | None = None,
        duration_ms: float | None = None,
        tokens_consumed: int = 0,
    ) -> None:
        """Note what came of a pending or running call: it is completed, or in error if there is one.

        Parameters
        ----------
        call_id : str
            The call.
        output : str or JSON value, optional
            What the tool gave; other JSON than a text is kept as its text.
        error : str, optional
            What went wrong; it may be empty.
        duration_ms : float, optional
            How long it took, milliseconds, kept as a whole number; the time since it was recorded when left out.
        tokens_consumed : int
            Tokens that the tool itself took.

        Raises
        ------
        NotFoundError
            If there is no such call.
        StateError
            If something came of it already.
        """
        changes: dict[str, Any] = {"tokens_consumed": check_count("tokens_consumed", tokens_consumed)}
        if output is not None:
            is_text = isinstance(output, str)
            changes["output"] = (
                check_text(output, "output", blank=True)
                if is_text
                else json_text(check_json(output, "output"))
            )
            changes["output_hash"] = sha256(changes["output"].encode()).hexdigest()
        if duration_ms is not None:
            changes["duration_ms"] = round(check_number("duration_ms", duration_ms, most=MOST_MILLISECONDS))
        changes["error"] = None if error is None else check_text(error, "error", blank=True)
        state = COMPLETED if error is None else ERROR
        with self._writing() as transaction:
            row = self._that_can_become(transaction, _CALL, call_id, state, NEXT)
            now = max(self._clock.now(), row["time_created"])
            passed = {"duration_ms": (now - row["time_created"]) // 1000}
            new = {"state": state, "time_completed": now, **passed, **changes}
            transaction.update("tool_call", row["id"], new)

    def tool_call(self, call_id: str) -> ToolCall | None:
        """Return a tool call, None if there is none of this id."""
        with self._reading() as transaction:
            row = transaction.get("tool_call", check_text(call_id, "tool call id"))
        return None if row is None else _call_of([row[name] for name in _COLUMNS])

    def query_tool_calls(
        self,
        session_id: str,
        *,
        tool_id: str | None = None,
        category: str | None = None,
        state: str | None = None,
        limit: int = 100,
    ) -> list[ToolCall]:
        """Return the tool calls of a session, the newest first.

        Parameters
        ----------
        session_id : str
            The session.
        tool_id, category : str, optional
            Only calls of this tool, or with this label.
        state : str, optional
            Only those that are ``"pending"``, ``"running"``, ``"completed"`` or ``"error"``.
        limit : int
            How many at most.

        Raises
        ------
        InvalidArgumentError
            If there is no such state.
        NotFoundError
            If there is no such session.
        """
        wanted = {
            "tool_id": optional_text(tool_id, "tool_id"),
            "category": optional_text(category, "category"),
            "state": optional_text(state, "state"),
        }
        if state is not None and wanted["state"] not in STATES:
            raise InvalidArgumentError(f"state must be one of {', '.join(STATES)}, not {state!r}")
        limit = check_count("limit", limit)
        found: list[tuple[Any, ...]] = []
        with self._reading() as transaction:
            key = (self._row(transaction, "session", session_id, "session")["id"],)
            for rows in walk(transaction, "tool_call", "tool_call_session", key, descending=True):
                for name, value in wanted.items():
                    rows = rows if value is None else rows.where(name, value)
                found += rows.at(slice(0, limit - len(found))).tuples(_COLUMNS)
                if len(found) >= limit:
                    break
        return [_call_of(values) for values in found]


def _call_of(values: Any) -> ToolCall:
    values = list(values)
    paths = values[_PATHS]  # SQL writes anything into a JSON column
    values[_PATHS] = tuple(one for one in paths if isinstance(one, str)) if isinstance(paths, list) else ()
    return ToolCall(*values)
