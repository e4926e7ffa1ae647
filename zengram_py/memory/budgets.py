"""Storage budgets: old conversations make room, facts stay.

::

    configure_budget("/project/site", max_bytes=…, high_water_bytes=…)        enforce_budget("/project/site")
                                                                       over max?  ──▶ the oldest sessions go, until high water is reached
    sessions of the project   [s1 oldest][s2][s3] … [the retain_min newest stay]

A session takes the bytes of its rows as they are stored: texts and JSON in UTF-8, numbers at their width. What is counted is what pruning can
free: turns, parts, tool calls and what else belongs to sessions. Facts are no part of it: they are what is left of a conversation that went, without
the link to it. Nothing prunes by itself; whoever keeps the memory calls :meth:`Budgets.enforce_budget` when it suits.

A scope ``/project/<id>`` stands for that project's sessions, ``/`` for all, any other scope for those of its own project.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ..engine import Transaction
from ..engine.column import FixedColumn
from ..engine.expr import Expr
from ..errors import InvalidArgumentError
from .base import MemoryBase
from .projects import project_id_of
from .quantities import check_count
from .texts import check_text

TABLE = "storage_budget"
RETAIN = 10
OF_SESSION = (
    ("event_log", "session_id"),
    ("file_operation", "session_id"),
    ("workspace_file", "session_id"),
    ("file_reservation", "session_id"),
    ("snapshot", "session_id"),
    ("session_share", "session_id"),
    ("environment", "session_id"),
    ("reminder", "session_id"),
    ("permission_rule", "session_id"),
    ("subagent_run", "parent_session"),
    ("tool_call", "session_id"),
    ("part", "session_id"),
    ("turn", "session_id"),
    ("branch", "session_id"),
)
"""Tables whose rows belong to a session, and the column that says to which; in the order in which they go."""

NAMING_SESSIONS = (
    ("task", "session_id"),
    ("agent_mailbox", "session_id"),
    ("agent_registry", "session_id"),
    ("provenance", "session_id"),
    ("subagent_run", "child_session"),
)
"""Columns of rows that stay without a session that they name."""


@dataclass(frozen=True)
class StorageBudget:
    """How much the sessions of a scope may take.

    Attributes
    ----------
    scope : str
        The scope.
    max_bytes : int or None
        Above so many bytes sessions are pruned; None for no limit.
    high_water_bytes : int or None
        Down to so many they are; down to ``max_bytes`` if None.
    current_bytes : int
        What they took when it was last looked at.
    last_pruned : int or None
        When sessions were pruned last, microseconds.
    prune_strategy : str
        ``"oldest"``.
    retain_min : int
        How many sessions stay in any case.
    """

    scope: str
    max_bytes: int | None
    high_water_bytes: int | None
    current_bytes: int
    last_pruned: int | None
    prune_strategy: str
    retain_min: int


@dataclass(frozen=True)
class BudgetReport:
    """What was pruned."""

    sessions_pruned: int
    bytes_freed: int


_COLUMNS = [field.name for field in fields(StorageBudget)]


class Budgets(MemoryBase):
    """Keeps conversations within bounds."""

    def storage_budget(self, scope: str) -> StorageBudget | None:
        """Return the budget of a scope, None if it has none."""
        with self._reading() as transaction:
            row = transaction.get(TABLE, check_text(scope, "scope"))
        return None if row is None else StorageBudget(*(row[name] for name in _COLUMNS))

    def configure_budget(
        self,
        scope: str,
        *,
        max_bytes: int | None = None,
        high_water_bytes: int | None = None,
        retain_min: int = RETAIN,
    ) -> StorageBudget:
        """Set how much the sessions of a scope may take, in place of what was set.

        Parameters
        ----------
        scope : str
            The scope.
        max_bytes : int, optional
            Above so many bytes sessions are pruned; no limit when left out.
        high_water_bytes : int, optional
            Down to so many they are; to ``max_bytes`` when left out, and not more than that.
        retain_min : int
            How many of the newest sessions stay in any case.
        """
        scope = check_text(scope, "scope")
        limits = {
            "max_bytes": None if max_bytes is None else check_count("max_bytes", max_bytes),
            "high_water_bytes": None
            if high_water_bytes is None
            else check_count("high_water_bytes", high_water_bytes),
            "retain_min": check_count("retain_min", retain_min),
        }
        if None not in (limits["max_bytes"], limits["high_water_bytes"]) and (
            limits["high_water_bytes"] > limits["max_bytes"]  # type: ignore[operator]
        ):
            raise InvalidArgumentError("high_water_bytes must not be more than max_bytes")
        with self._writing() as transaction:
            row = {**limits, "time_updated": self._clock.now()}
            if not transaction.update(TABLE, scope, row):
                transaction.insert(TABLE, {"scope": scope, **row})
            found = transaction.get(TABLE, scope)
        assert found is not None
        return StorageBudget(*(found[name] for name in _COLUMNS))

    def enforce_budget(self, scope: str) -> BudgetReport | None:
        """Prune the oldest sessions of a scope until it is within its budget; None if it has none, or is within it.

        Returns
        -------
        BudgetReport or None
            Sessions that went, and the bytes that their rows took. The space is free after the next vacuum (:meth:`maintain`).
        """
        scope = check_text(scope, "scope")
        with self._writing() as transaction:
            budget = transaction.get(TABLE, scope)
            if budget is None or budget["max_bytes"] is None:
                return None
            sizes = _sizes(transaction, scope)
            total = sum(size for _, size in sizes)
            now = self._clock.now()
            changes = {"current_bytes": total, "time_updated": now}
            if total <= budget["max_bytes"]:
                if total != budget["current_bytes"]:
                    transaction.update(TABLE, scope, changes)
                return None
            goal = budget["max_bytes"] if budget["high_water_bytes"] is None else budget["high_water_bytes"]
            gone = []
            for session, size in sizes[: max(0, len(sizes) - budget["retain_min"])]:
                if total <= goal:
                    break
                gone.append(session)
                total -= size
            freed = changes["current_bytes"] - total
            delete_sessions(transaction, gone)
            if gone:
                changes["last_pruned"] = now
            transaction.update(TABLE, scope, {**changes, "current_bytes": total})
        return BudgetReport(len(gone), freed)

    def delete_session(self, session_id: str) -> None:
        """Delete a session with its branches, turns, parts, tool calls and what else belongs to it alone.

        Facts that were found in it stay, without the link to it; so do the sessions that it started. The past of the engine
        still has it until a vacuum.

        Raises
        ------
        NotFoundError
            If there is no such session.
        """
        with self._writing() as transaction:
            session = self._row(transaction, "session", session_id, "session")
            delete_sessions(transaction, [session["id"]])


def _sizes(transaction: Transaction, scope: str) -> list[tuple[str, int]]:
    """Return the sessions of a scope with the bytes that they take, the one that was used longest ago first."""
    where: Expr | None = None
    if scope != "/":
        where = ["=", ["col", "project_id"], ["lit", project_id_of(scope)]]
    rows = list(transaction.scan("session", ["id", "time_updated"], where))
    rows.sort(key=lambda row: (row["time_updated"], row["id"]))
    sizes = {row["id"]: 0 for row in rows}
    for table, column in (*OF_SESSION, ("session", "id")):
        for session, size in _row_sizes(transaction, table, column):
            if session in sizes:
                sizes[session] += size
    return list(sizes.items())


def _row_sizes(transaction: Transaction, table: str, column: str) -> list[tuple[Any, int]]:
    """Return of each row of a table the session that it belongs to and the bytes that it takes."""
    seen = transaction.seen(table)
    slots = seen.slots
    total = [0] * len(slots)
    for name in seen.definition.by_name:
        stored = seen.column(name)
        if isinstance(stored, FixedColumn):
            width = np.dtype(stored.type.dtype).itemsize
            total = [size + width for size in total]
        else:
            total = [
                size + (0 if value is None else len(value.encode() if isinstance(value, str) else value))
                for size, value in zip(total, stored.take(slots), strict=True)
            ]
    return list(zip(seen.column(column).take(slots), total, strict=True))


def delete_sessions(transaction: Transaction, sessions: Sequence[str]) -> None:
    """Delete sessions with all that belongs to them alone.

    Each table is read once, whatever the number of sessions: a condition that lists them all would be asked of every row.
    """
    if not sessions:
        return
    gone = set(sessions)
    turns = {key for (key,) in _keys_of(transaction, "turn", "session_id", gone)}
    calls = {key for (key,) in _keys_of(transaction, "tool_call", "session_id", gone)}
    _remove(transaction, "token_estimate", "entity_id", turns)
    _remove(transaction, "provenance", "source_id", gone | turns | calls)
    for table, column in NAMING_SESSIONS:
        _empty(transaction, table, column, gone)
    for column in ("source_turn_id", "completion_turn"):
        _empty(transaction, "task", column, turns)
    _remove(transaction, "_zengram_instructions", "owner_id", gone)
    for table, column in (*OF_SESSION, ("session", "id")):
        _remove(transaction, table, column, gone)


def _keys_of(transaction: Transaction, table: str, column: str, wanted: Set[str]) -> list[tuple[Any, ...]]:
    """Return the keys of the rows whose column holds one of some texts."""
    key = transaction.reader.catalog.table(table).primary_key
    rows = transaction.scan(table, list(dict.fromkeys([*key, column]))) if wanted else ()
    return [tuple(row[name] for name in key) for row in rows if row[column] in wanted]


def _remove(transaction: Transaction, table: str, column: str, wanted: Set[str]) -> None:
    for key in _keys_of(transaction, table, column, wanted):
        transaction.delete(table, key)


def _empty(transaction: Transaction, table: str, column: str, wanted: Set[str]) -> None:
    for key in _keys_of(transaction, table, column, wanted):
        transaction.update(table, key, {column: None})
