"""The log of events: what happened to an agent, in the order in which it was told.

::

    lsn   event_type    session   parent_lsn
     1    deploy        ses_1
     2    test_failed   ses_1        1          an event may name the one that it came of
     3    rollback      ses_1        2

Events are numbered as they come, and are never changed. Whoever follows the log keeps the last number that it saw and asks for those after
it. Numbers grow and may have gaps: one that was drawn in a batch that failed is not drawn again.

The data of an event is any JSON value. It is kept as bytes of UTF-8, which no statement in SQL takes apart: it is for whoever wrote it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engine import Transaction
from ..engine.expr import Expr
from ..errors import NotFoundError
from .branches import Conversation
from .choices import check_choice, optional_choice
from .json_values import check_json, json_text
from .quantities import check_count
from .sessions import optional_text
from .texts import check_text

SEVERITIES = ("debug", "info", "warning", "error", "critical")
BEFORE_ALL = -(2**63)
"""A number that no event has; SQL may give an event any other."""


@dataclass(frozen=True)
class Event:
    """Something that happened.

    Attributes
    ----------
    lsn : int
        Its number; later events have greater ones.
    event_type : str
        What it was.
    data : JSON value
        What is known of it; None if nothing.
    session_id, branch_id : str or None
        In which session, and on which branch of it.
    parent_lsn : int or None
        The event that it came of.
    agent_id : str or None
        Who did it.
    severity : str
        ``"debug"``, ``"info"``, ``"warning"``, ``"error"`` or ``"critical"``.
    time_created : int
        Microseconds since the epoch, UTC.
    """

    lsn: int
    event_type: str
    data: Any
    session_id: str | None
    branch_id: str | None
    parent_lsn: int | None
    agent_id: str | None
    severity: str
    time_created: int


class Events(Conversation):
    """Logs events and tells of them."""

    def log_event(
        self,
        event_type: str,
        data: Any = None,
        *,
        session_id: str | None = None,
        branch_id: str | None = None,
        parent_lsn: int | None = None,
        agent_id: str | None = None,
        severity: str = "info",
    ) -> int:
        """Add an event at the end of the log; return its number.

        Parameters
        ----------
        event_type : str
            What happened.
        data : JSON value, optional
            What is known of it (json_values.py).
        session_id : str, optional
            The session in which it happened; that of the branch when left out.
        branch_id : str, optional
            The branch of the session.
        parent_lsn : int, optional
            The event that it came of.
        agent_id : str, optional
            Who did it.
        severity : str
            ``"debug"``, ``"info"``, ``"warning"``, ``"error"`` or ``"critical"``.

        Raises
        ------
        NotFoundError
            If there is no such session, branch of it, or event.
        InvalidArgumentError
            If the data is not JSON (the message says where), or there is no such severity.
        """
        data = check_json(data, "data")
        row: dict[str, Any] = {
            "event_type": check_text(event_type, "event type"),
            "event_data": None if data is None else json_text(data).encode(),
            "agent_id": optional_text(agent_id, "agent_id"),
            "severity": check_choice("severity", severity, SEVERITIES),
        }
        parent = None if parent_lsn is None else check_count("parent_lsn", parent_lsn)
        with self._writing() as transaction:
            if branch_id is not None:
                branch = self._row(transaction, "branch", branch_id, "branch")
                if session_id is not None:
                    branch = self._of_session(transaction, branch, session_id, "branch")
                row |= {"branch_id": branch["id"], "session_id": branch["session_id"]}
            elif session_id is not None:
                row["session_id"] = self._row(transaction, "session", session_id, "session")["id"]
            if parent is not None and transaction.get("event_log", parent) is None:
                raise NotFoundError(f"there is no event {parent}")
            row |= {"parent_lsn": parent, "time_created": self._clock.now()}
            kept = transaction.insert("event_log", row)  # draws its number, once all is checked
        return int(kept["lsn"])

    def events(
        self,
        *,
        session_id: str | None = None,
        event_type: str | None = None,
        after_lsn: int | None = None,
        severity: str | None = None,
        limit: int = 100,
    ) -> list[Event]:
        """Return events, the oldest first.

        Parameters
        ----------
        session_id : str, optional
            Only those of this session.
        event_type : str, optional
            Only those of this type.
        after_lsn : int, optional
            Only those with a greater number.
        severity : str, optional
            Only those with just this severity.
        limit : int
            How many at most.

        Raises
        ------
        NotFoundError
            If there is no such session.
        """
        event_type = optional_text(event_type, "event type")
        severity = optional_choice("severity", severity, SEVERITIES)
        after = BEFORE_ALL if after_lsn is None else check_count("after_lsn", after_lsn)
        limit = check_count("limit", limit)
        found: list[Event] = []
        with self._reading() as transaction:
            if session_id is not None:
                session_id = self._row(transaction, "session", session_id, "session")["id"]
            for row in _after(transaction, session_id, event_type, severity, after):
                if len(found) >= limit:
                    break
                if (severity is None or row["severity"] == severity) and (
                    event_type is None or row["event_type"] == event_type
                ):
                    found.append(_event_of(row))
        return found


def _after(
    transaction: Transaction,
    session_id: str | None,
    event_type: str | None,
    severity: str | None,
    after: int,
) -> Iterator[dict[str, Any]]:
    """Yield events behind a number in order: those of a session, else those of a type, else all (of a severity)."""
    for index, key in (("event_log_session", session_id), ("event_log_type", event_type)):
        if key is not None:
            low, high = (key, after), (key,)
            yield from transaction.range("event_log", index, low, high, low_inclusive=False)
            return
    wanted: list[Expr] = [[">", ["col", "lsn"], ["lit", after]]]
    if severity is not None:
        wanted.append(["=", ["col", "severity"], ["lit", severity]])
    numbers = transaction.read("event_log", ["lsn"], ["and", *wanted])["lsn"]
    for lsn in np.sort(np.asarray(numbers)).tolist():
        row = transaction.get("event_log", lsn)
        if row is not None:
            yield row


def _event_of(row: dict[str, Any]) -> Event:
    return Event(
        row["lsn"],
        row["event_type"],
        _data_of(row["event_data"]),
        row["session_id"],
        row["branch_id"],
        row["parent_lsn"],
        row["agent_id"],
        row["severity"],
        row["time_created"],
    )


def _data_of(data: bytes | None) -> Any:
    """Return what bytes of JSON hold; SQL may have written others, of which nothing can be said."""
    try:
        return None if data is None else json.loads(data)
    except (ValueError, RecursionError):
        return None
