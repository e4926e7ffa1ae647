"""Subagents: agents that a session started, and what came of them.

::

    session ses_1 ── start_subagent ──▶ running ── finish_subagent ──▶ completed, or error when an error came out
                                           │
                                           └─ child_session ses_2, if it talks in one of its own ── start_subagent ──▶ …

    spawn_depth      ses_1's subagents 1       ses_2's subagents 2

A run is told of once: what came out first is what happened. In the property graph runs with a session of their own are the edges ``SPAWNED``.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from ..engine import Transaction
from ..errors import InvalidArgumentError
from .base import Following
from .branches import Conversation
from .choices import optional_choice
from .quantities import check_count
from .sessions import check_goes_on
from .texts import check_text

RUNNING, COMPLETED, ERROR = STATUSES = ("running", "completed", "error")
NEXT: Following = {RUNNING: (COMPLETED, ERROR)}
TABLE = "subagent_run"


@dataclass(frozen=True)
class SubagentRun:
    """A run of a subagent.

    Attributes
    ----------
    id, parent_session : str
        What it is, and the session that started it.
    child_session : str or None
        The session in which it talks.
    agent_type : str
        What kind of agent it is.
    status : str
        ``"running"``, ``"completed"`` or ``"error"``.
    spawn_depth : int
        How many runs lead to it, itself included.
    result, error : str or None
        What came out.
    runtime_ms : int
        How long it took, milliseconds; 0 while it is running.
    time_created : int
        Microseconds since the epoch, UTC.
    time_completed : int or None
        Likewise.
    """

    id: str
    parent_session: str
    child_session: str | None
    agent_type: str
    status: str
    spawn_depth: int
    result: str | None
    error: str | None
    runtime_ms: int
    time_created: int
    time_completed: int | None


_RUN = (TABLE, "status", "subagent run")
_COLUMNS = [field.name for field in fields(SubagentRun)]


class Subagents(Conversation):
    """Notes runs of subagents."""

    def start_subagent(
        self,
        parent_session: str,
        agent_type: str,
        *,
        child_session: str | None = None,
        spawn_depth: int | None = None,
    ) -> str:
        """Note that a session starts a subagent; return the run's id.

        Parameters
        ----------
        parent_session : str
            The session.
        agent_type : str
            What kind of agent it is, such as ``"explore"``.
        child_session : str, optional
            The session in which it talks.
        spawn_depth : int, optional
            How many runs lead to it, itself included; one more than lead to the session when left out.

        Raises
        ------
        NotFoundError
            If one of the sessions is not there.
        StateError
            If the session has ended.
        """
        row: dict[str, Any] = {"agent_type": check_text(agent_type, "agent_type")}
        if spawn_depth is not None:
            row["spawn_depth"] = check_count("spawn_depth", spawn_depth)
        run_id = self._ids.new("sub_")
        with self._writing() as transaction:
            parent = self._row(transaction, "session", parent_session, "session")
            check_goes_on(parent, "given a subagent")
            if child_session is not None:
                child = self._row(transaction, "session", child_session, "session")
                if child["id"] == parent["id"]:
                    raise InvalidArgumentError(f"session {child['id']!r} cannot be its own subagent's")
                row["child_session"] = child["id"]
            row.setdefault("spawn_depth", _depth_of(transaction, parent["id"]) + 1)
            now = max(self._clock.now(), parent["time_created"])
            transaction.insert(
                TABLE, {"id": run_id, "parent_session": parent["id"], **row, "time_created": now}
            )
        return run_id

    def finish_subagent(self, run_id: str, *, result: str | None = None, error: str | None = None) -> None:
        """Note what came of a run: it is completed, or in error if there is one; its time is that since it was started.

        Parameters
        ----------
        run_id : str
            The run.
        result : str, optional
            What the subagent gave.
        error : str, optional
            What went wrong.

        Raises
        ------
        NotFoundError
            If there is no such run.
        StateError
            If something came of it already.
        """
        result = None if result is None else check_text(result, "result", blank=True)
        error = None if error is None else check_text(error, "error", blank=True)
        status = COMPLETED if error is None else ERROR
        with self._writing() as transaction:
            row = self._that_can_become(transaction, _RUN, run_id, status, NEXT)
            now = max(self._clock.now(), row["time_created"])
            changes = {
                "status": status,
                "result": result,
                "error": error,
                "time_completed": now,
                "runtime_ms": (now - row["time_created"]) // 1000,
            }
            transaction.update(TABLE, row["id"], changes)

    def subagent(self, run_id: str) -> SubagentRun | None:
        """Return a subagent run, None if there is none of this id."""
        with self._reading() as transaction:
            row = transaction.get(TABLE, check_text(run_id, "subagent run id"))
        return None if row is None else SubagentRun(*(row[name] for name in _COLUMNS))

    def subagents(self, parent_session: str, *, status: str | None = None) -> list[SubagentRun]:
        """Return the runs that a session started, the oldest first.

        Parameters
        ----------
        parent_session : str
            The session.
        status : str, optional
            Only those that are ``"running"``, ``"completed"`` or ``"error"``.

        Raises
        ------
        NotFoundError
            If there is no such session.
        """
        status = optional_choice("status", status, STATUSES)
        with self._reading() as transaction:
            parent = self._row(transaction, "session", parent_session, "session")
            rows = transaction.lookup(TABLE, "subagent_run_parent", parent["id"])
        rows.sort(key=lambda row: (row["time_created"], row["id"]))
        return [
            SubagentRun(*(row[name] for name in _COLUMNS)) for row in rows if status in (None, row["status"])
        ]


def _depth_of(transaction: Transaction, session_id: str) -> int:
    """Return how many runs lead to a session: those of the run that is newest, if it is a subagent's."""
    about = ["=", ["col", "child_session"], ["lit", session_id]]
    found = transaction.read(TABLE, ["time_created", "id", "spawn_depth"], about)
    return int(max(zip(*found.values(), strict=True), default=(0, "", 0))[2])
