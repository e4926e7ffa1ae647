"""Reservations of files: who works on a file, so that two agents do not write to it at once.

::

    reserve_file("a.py", "ann")                        exclusive: no other agent gets it
    reserve_file("b.py", "ann", mode="shared")         shared: others may share it, and none gets it for itself
    reserve_file("c.py", "ann", seconds=600)           lapses by itself after ten minutes

                   asked for    exclusive   shared
    held by others
    exclusive                   refused     refused
    shared                      refused     granted

A file is a path in a project, or in none. An agent has one reservation of a file: asking again renews that one, and may change its mode.
A reservation that lapsed is as good as gone; its row goes when the next one is made.

They bind whoever asks. Nothing here keeps an agent from writing without asking.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from ..clock import MICROSECONDS_PER_SECOND
from ..errors import StateError
from .base import MemoryBase
from .choices import check_choice
from .projects import ensure_project, optional_project_id
from .quantities import check_number
from .sessions import optional_text
from .texts import check_text

MODES = EXCLUSIVE, SHARED = "exclusive", "shared"
MOST_SECONDS = 2.0**53 / MICROSECONDS_PER_SECOND


@dataclass(frozen=True)
class FileReservation:
    """A file that an agent works on.

    Attributes
    ----------
    id : str
        Its id.
    project_id, session_id : str or None
        The project in which the path is, and the session in which the agent works.
    agent_id, file_path : str
        Who, and on which file.
    mode : str
        ``"exclusive"`` or ``"shared"``.
    reason : str or None
        What for.
    time_created : int
        Microseconds since the epoch, UTC.
    time_expires : int or None
        When it lapses, likewise; None if it is held until it is released.
    """

    id: str
    project_id: str | None
    session_id: str | None
    agent_id: str
    file_path: str
    mode: str
    reason: str | None
    time_created: int
    time_expires: int | None


_COLUMNS = [field.name for field in fields(FileReservation)]


class FileReservations(MemoryBase):
    """Reserves files for agents."""

    def reserve_file(
        self,
        file_path: str,
        agent_id: str,
        *,
        project_id: str | None = None,
        session_id: str | None = None,
        mode: str = EXCLUSIVE,
        seconds: float | None = None,
        reason: str | None = None,
    ) -> str:
        """Reserve a file for an agent, or renew its reservation; return the reservation's id.

        Parameters
        ----------
        file_path, agent_id : str
            Which file, for whom.
        project_id : str, optional
            The project in which the path is, made unless it is there; the session's when left out.
        session_id : str, optional
            The session in which the agent works.
        mode : str
            ``"exclusive"``, or ``"shared"`` with others that share it.
        seconds : float, optional
            After how many seconds it lapses; it is held until it is released when left out.
        reason : str, optional
            What for.

        Raises
        ------
        StateError
            If another agent holds it, and one of the two wants it exclusively; the message names who holds it.
        NotFoundError
            If there is no such session.
        """
        path, agent = check_text(file_path, "file path"), check_text(agent_id, "agent id")
        project = optional_project_id(project_id)
        now = self._clock.now()
        row: dict[str, Any] = {
            "mode": check_choice("mode", mode, MODES),
            "reason": optional_text(reason, "reason"),
            "time_expires": None,
        }
        if seconds is not None:
            lasting = check_number("seconds", seconds, most=MOST_SECONDS, above=True)
            row["time_expires"] = now + max(1, round(lasting * MICROSECONDS_PER_SECOND))
        reservation_id = self._ids.new("frs_")
        with self._writing() as transaction:
            if session_id is not None:
                session = self._row(transaction, "session", session_id, "session")
                row["session_id"] = session["id"]
                project = project or session["project_id"]
            if project_id is not None and project is not None:
                ensure_project(transaction, project, now)
            transaction.delete_where("file_reservation", ["<=", ["col", "time_expires"], ["lit", now]])
            own = None
            for held in transaction.lookup("file_reservation", "file_reservation_path", path):
                if held["project_id"] != project:
                    continue
                if held["agent_id"] == agent:
                    own = held
                elif EXCLUSIVE in (row["mode"], held["mode"]):
                    raise StateError(_held(held, now))
            if own is not None:
                transaction.update("file_reservation", own["id"], row)
                return str(own["id"])
            place = {"id": reservation_id, "project_id": project, "agent_id": agent, "file_path": path}
            transaction.insert("file_reservation", {**place, **row, "time_created": now})
        return reservation_id

    def release_file(self, reservation_id: str) -> None:
        """Give a reserved file free.

        Raises
        ------
        NotFoundError
            If there is no such reservation: one that lapsed is gone once another one was made.
        """
        with self._writing() as transaction:
            row = self._row(transaction, "file_reservation", reservation_id, "reservation")
            transaction.delete("file_reservation", row["id"])

    def file_reservations(
        self, *, file_path: str | None = None, agent_id: str | None = None, project_id: str | None = None
    ) -> list[FileReservation]:
        """Return the reservations that hold now, the oldest first.

        Parameters
        ----------
        file_path, agent_id, project_id : str, optional
            Only those of this file, by this agent, in this project.
        """
        path, agent = optional_text(file_path, "file path"), optional_text(agent_id, "agent id")
        wanted = {"agent_id": agent, "project_id": optional_project_id(project_id)}
        now = self._clock.now()
        with self._reading() as transaction:
            if path is not None:
                rows = transaction.lookup("file_reservation", "file_reservation_path", path)
            else:
                rows = list(transaction.scan("file_reservation"))  # as many as are held, and some that lapsed
        rows = [
            row
            for row in rows
            if not _has_lapsed(row, now)
            and all(value is None or row[name] == value for name, value in wanted.items())
        ]
        rows.sort(key=lambda row: (row["time_created"], row["id"]))
        return [FileReservation(*(row[name] for name in _COLUMNS)) for row in rows]


def _has_lapsed(row: Mapping[str, Any], now: int) -> bool:
    return row["time_expires"] is not None and bool(row["time_expires"] <= now)


def _held(row: Mapping[str, Any], now: int) -> str:
    until = "until it is released"
    if row["time_expires"] is not None:
        until = f"for another {-(-(row['time_expires'] - now) // MICROSECONDS_PER_SECOND)} s"
    reason = f" ({row['reason']})" if row["reason"] else ""
    return f"file {row['file_path']!r} is held by agent {row['agent_id']!r}, {row['mode']}, {until}{reason}"
