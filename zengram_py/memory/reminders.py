"""Reminders: what somebody wants to be told of at a time.

::

    add_reminder ──▶ pending ──▶ complete_reminder ──▶ done
                      │  ▲              │
                      │  └──────────────┴── one that repeats: it is due again at the next of its times
                      └──▶ cancel_reminder ──▶ cancelled

Nothing rings here: whoever wants to know asks :meth:`Reminders.due_reminders`, when a session begins or by the clock. A reminder that came
due several times meanwhile is due once, and the next of its times is after now.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from ..clock import MICROSECONDS_PER_DAY
from .base import Following
from .branches import Conversation
from .choices import optional_choice
from .quantities import check_count, check_time
from .rows_in_order import all_rows, soonest
from .schedules import check_days, next_on_grid
from .texts import check_text

PENDING, DONE, CANCELLED = STATUSES = ("pending", "done", "cancelled")
NEXT: Following = {PENDING: (DONE, CANCELLED)}


@dataclass(frozen=True)
class Reminder:
    """A reminder.

    Attributes
    ----------
    id : str
        What it is.
    project_id, session_id, knowledge_id, task_id : str or None
        Where it belongs, and the fact and the task that it is about.
    content : str
        What it says.
    status : str
        ``"pending"``, ``"done"`` or ``"cancelled"``.
    time_due : int
        When it is due, or due next: microseconds since the epoch, UTC.
    repeat_days : float or None
        After how many days it is due again.
    time_created : int
        Microseconds since the epoch, UTC.
    time_done : int or None
        Likewise: when it was done, or done last.
    """

    id: str
    project_id: str | None
    session_id: str | None
    knowledge_id: str | None
    task_id: str | None
    content: str
    status: str
    time_due: int
    repeat_days: float | None
    time_created: int
    time_done: int | None


_REMINDER = ("reminder", "status", "reminder")
_COLUMNS = ["repeat_us" if field.name == "repeat_days" else field.name for field in fields(Reminder)]


class Reminders(Conversation):
    """Keeps reminders."""

    def add_reminder(
        self,
        content: str,
        due: Any,
        *,
        project_id: str | None = None,
        session_id: str | None = None,
        knowledge_id: str | None = None,
        task_id: str | None = None,
        repeat_days: float | None = None,
    ) -> str:
        """Add a reminder; return its id.

        Parameters
        ----------
        content : str
            What it says.
        due : time
            When it is due.
        project_id, session_id : str, optional
            Where it belongs; a session brings its project.
        knowledge_id, task_id : str, optional
            The fact and the task that it is about.
        repeat_days : float, optional
            After how many days it is due again: above 0, 36,525 at most.

        Raises
        ------
        NotFoundError
            If something that it names is not there.
        """
        row: dict[str, Any] = {
            "content": check_text(content, "content"),
            "time_due": check_time("due", due),
            "repeat_us": None if repeat_days is None else check_days("repeat_days", repeat_days),
        }
        reminder_id = self._ids.new("rem_")
        with self._writing() as transaction:
            row |= self._place(transaction, project_id, session_id)
            if knowledge_id is not None:
                row["knowledge_id"] = self._row(transaction, "knowledge", knowledge_id, "fact")["id"]
            if task_id is not None:
                row["task_id"] = self._row(transaction, "task", task_id, "task")["id"]
            transaction.insert("reminder", {"id": reminder_id, **row, "time_created": self._clock.now()})
        return reminder_id

    def complete_reminder(self, reminder_id: str) -> None:
        """Note that a reminder was seen to: it is done, or due at the next of its times after now.

        One that repeats and was not due yet leaves out the time that it was due at.

        Raises
        ------
        NotFoundError
            If there is no such reminder.
        StateError
            If it is done or cancelled.
        """
        with self._writing() as transaction:
            row = self._that_can_become(transaction, _REMINDER, reminder_id, DONE, NEXT)
            now = max(self._clock.now(), row["time_created"])
            following = None
            if row["repeat_us"] is not None:
                following = next_on_grid(row["time_due"], row["repeat_us"], now)
            changes = {"status": DONE} if following is None else {"time_due": following}
            transaction.update("reminder", row["id"], {**changes, "time_done": now})

    def cancel_reminder(self, reminder_id: str) -> None:
        """Give a reminder up; raises like :meth:`complete_reminder`."""
        with self._writing() as transaction:
            row = self._that_can_become(transaction, _REMINDER, reminder_id, CANCELLED, NEXT)
            transaction.update("reminder", row["id"], {"status": CANCELLED})

    def reminder(self, reminder_id: str) -> Reminder | None:
        """Return a reminder, None if there is none of this id."""
        with self._reading() as transaction:
            row = transaction.get("reminder", check_text(reminder_id, "reminder id"))
        return None if row is None else _reminder_of(row)

    def due_reminders(
        self,
        at: Any = None,
        *,
        project_id: str | None = None,
        session_id: str | None = None,
        limit: int = 100,
    ) -> list[Reminder]:
        """Return the reminders that are due, the earliest first.

        Parameters
        ----------
        at : time, optional
            At what time they are due; now when left out.
        project_id, session_id : str, optional
            Only those of this project (its sessions' too), or of this session.
        limit : int
            How many at most.

        Raises
        ------
        NotFoundError
            If there is no such project or session.
        """
        time = self._clock.now() if at is None else check_time("at", at)
        limit = check_count("limit", limit)
        with self._reading() as transaction:
            wanted = _wanted(self._place(transaction, project_id, session_id))
            due = transaction.range("reminder", "reminder_due", (PENDING,), (PENDING, time))
            rows = soonest((row for row in due if wanted.items() <= row.items()), "time_due", limit)
        return [_reminder_of(row) for row in rows]

    def reminders(
        self,
        *,
        status: str | None = None,
        project_id: str | None = None,
        session_id: str | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> list[Reminder]:
        """Return reminders by the time at which they are due.

        Parameters
        ----------
        status : str, optional
            Only those that are ``"pending"``, ``"done"`` or ``"cancelled"``.
        project_id, session_id : str, optional
            Only those of this project (its sessions' too), or of this session.
        limit, offset : int
            How many at most, after leaving out how many.

        Raises
        ------
        NotFoundError
            If there is no such project or session.
        """
        status = optional_choice("status", status, STATUSES)
        limit, offset = check_count("limit", limit), check_count("offset", offset)
        with self._reading() as transaction:
            wanted = _wanted(self._place(transaction, project_id, session_id))
            rows = all_rows(transaction, "reminder")
            for name, value in {**wanted, "status": status}.items():
                rows = rows if value is None else rows.where(name, value)
            in_order = rows.sorted_by(rows.values("time_due"), rows.values("id"))
            found = in_order.at(slice(offset, offset + limit)).tuples(_COLUMNS)
        return [_reminder_of(dict(zip(_COLUMNS, values, strict=True))) for values in found]


def _wanted(place: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns that reminders of a place have."""
    name = "project_id" if place["session_id"] is None else "session_id"
    return {name: place[name]} if place[name] is not None else {}


def _reminder_of(row: Mapping[str, Any]) -> Reminder:
    values = {name: row[name] for name in _COLUMNS if name != "repeat_us"}
    repeat = row["repeat_us"]
    return Reminder(**values, repeat_days=None if repeat is None else repeat / MICROSECONDS_PER_DAY)
