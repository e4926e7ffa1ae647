"""Scheduled jobs: what is to run by the clock.

::

    add_job ──▶ active ──▶ due ──▶ job_done ──▶ active          it is due again at its next time
                 │  ▲                  │
       pause_job │  │ resume_job       └──────▶ completed       there is none: it was to run once
                 ▼  │
                paused

Nothing runs by itself here. Whoever runs jobs asks :meth:`Jobs.due_jobs`, runs them, and says :meth:`Jobs.job_done`; until then a job
stays due, so that one that nobody finished comes again. What a schedule is and which times are passed over is in schedules.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from ..errors import InvalidArgumentError
from .base import Following
from .branches import Conversation
from .choices import optional_choice
from .json_values import check_json
from .quantities import check_count, check_time
from .rows_in_order import all_rows, soonest
from .schedules import check_schedule, read_schedule
from .texts import check_text
from .updates import update_row

ACTIVE, PAUSED, COMPLETED = STATUSES = ("active", "paused", "completed")
NEXT: Following = {ACTIVE: (PAUSED, COMPLETED), PAUSED: (ACTIVE, COMPLETED)}
TABLE = "scheduled_job"


@dataclass(frozen=True)
class Job:
    """A scheduled job.

    Attributes
    ----------
    id : str
        What it is.
    project_id : str or None
        Where it belongs.
    name, schedule : str
        What it is called, and when it runs (schedules.py).
    payload : JSON value
        What whoever runs it has to know; None if nothing.
    status : str
        ``"active"``, ``"paused"`` or ``"completed"``.
    time_next, time_last : int or None
        When it is to run next, and when it ran last: microseconds since the epoch, UTC.
    runs, failures : int
        How often it ran, and how often that failed.
    last_error : str or None
        What went wrong when it ran last.
    time_created, time_updated : int
        Microseconds since the epoch, UTC.
    """

    id: str
    project_id: str | None
    name: str
    schedule: str
    payload: Any
    status: str
    time_next: int | None
    time_last: int | None
    runs: int
    failures: int
    last_error: str | None
    time_created: int
    time_updated: int


_JOB = (TABLE, "status", "job")
_COLUMNS = [field.name for field in fields(Job)]


class Jobs(Conversation):
    """Keeps jobs, and says which are due."""

    def add_job(
        self,
        name: str,
        *,
        every_seconds: float | None = None,
        cron: str | None = None,
        at: Any = None,
        payload: Any = None,
        project_id: str | None = None,
    ) -> str:
        """Add a job with one schedule; return its id. It is active.

        Parameters
        ----------
        name : str
            What it is called; several may share a name.
        every_seconds : float, optional
            Seconds from one time to the next, a microsecond to a century; the first is that long from now.
        cron : str, optional
            Minutes of the calendar, in UTC (cron.py): ``"0 9 * * mon-fri"``.
        at : time, optional
            The only time.
        payload : JSON value, optional
            What whoever runs it has to know.
        project_id : str, optional
            Where it belongs.

        Raises
        ------
        InvalidArgumentError
            If there is no schedule, more than one, or one that never comes.
        NotFoundError
            If there is no such project.
        """
        schedule = check_schedule(every_seconds, cron, at)
        now = self._clock.now()
        first = schedule.first(now)
        if first is None:
            raise InvalidArgumentError(f"{schedule.text!r} never comes")
        row = {
            "id": self._ids.new("job_"),
            "name": check_text(name, "name"),
            "schedule": schedule.text,
            "payload": check_json(payload, "payload"),
            "time_next": first,
            "time_created": now,
            "time_updated": now,
        }
        with self._writing() as transaction:
            place = self._place(transaction, project_id, None)
            transaction.insert(TABLE, {**row, "project_id": place["project_id"]})
        return str(row["id"])

    def job_done(self, job_id: str, *, error: str | None = None) -> None:
        """Note that a job ran: it is due again at its next time, or completed if there is none.

        A paused one may have been running when it was paused: that is counted, and it stays paused.

        Parameters
        ----------
        job_id : str
            The job.
        error : str, optional
            What went wrong.

        Raises
        ------
        NotFoundError
            If there is no such job.
        StateError
            If it is completed.
        """
        error = None if error is None else check_text(error, "error", blank=True)
        with self._writing() as transaction:
            row = self._that_can_become(transaction, _JOB, job_id, COMPLETED, NEXT)
            now = max(self._clock.now(), row["time_created"])
            planned = now if row["time_next"] is None else row["time_next"]
            following = read_schedule(row["schedule"]).following(planned, now)
            changes = {
                "status": COMPLETED if following is None else row["status"],
                "time_next": following,
                "time_last": now,
                "runs": row["runs"] + 1,
                "failures": row["failures"] + (error is not None),
                "last_error": error,
            }
            self._update_job(transaction, row, now, changes)

    def pause_job(self, job_id: str) -> None:
        """Let an active job not be due until it is resumed.

        Raises
        ------
        NotFoundError
            If there is no such job.
        StateError
            If it is not active.
        """
        with self._writing() as transaction:
            row = self._that_can_become(transaction, _JOB, job_id, PAUSED, NEXT)
            self._update_job(transaction, row, self._clock.now(), {"status": PAUSED})

    def resume_job(self, job_id: str) -> None:
        """Let a paused job be due again; times that passed meanwhile are left out, but for one that is to run once.

        Raises
        ------
        NotFoundError
            If there is no such job.
        StateError
            If it is not paused.
        """
        with self._writing() as transaction:
            row = self._that_can_become(transaction, _JOB, job_id, ACTIVE, NEXT)
            now, planned = self._clock.now(), row["time_next"]
            if planned is not None and planned <= now:
                planned = read_schedule(row["schedule"]).following(planned, now) or planned
            self._update_job(transaction, row, now, {"status": ACTIVE, "time_next": planned})

    def remove_job(self, job_id: str) -> None:
        """Take a job away.

        Raises
        ------
        NotFoundError
            If there is no such job.
        """
        with self._writing() as transaction:
            transaction.delete(TABLE, self._row(transaction, TABLE, job_id, "job")["id"])

    def job(self, job_id: str) -> Job | None:
        """Return a job, None if there is none of this id."""
        with self._reading() as transaction:
            row = transaction.get(TABLE, check_text(job_id, "job id"))
        return None if row is None else Job(*(row[name] for name in _COLUMNS))

    def due_jobs(self, at: Any = None, limit: int = 100) -> list[Job]:
        """Return the active jobs that are to run, the earliest first.

        Parameters
        ----------
        at : time, optional
            At what time they are to run; now when left out.
        limit : int
            How many at most.
        """
        time = self._clock.now() if at is None else check_time("at", at)
        limit = check_count("limit", limit)
        with self._reading() as transaction:
            due = transaction.range(TABLE, "scheduled_job_due", (ACTIVE,), (ACTIVE, time))
            rows = soonest(due, "time_next", limit)
        return [Job(*(row[name] for name in _COLUMNS)) for row in rows]

    def jobs(
        self,
        *,
        status: str | None = None,
        project_id: str | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> list[Job]:
        """Return jobs, the oldest first.

        Parameters
        ----------
        status : str, optional
            Only those that are ``"active"``, ``"paused"`` or ``"completed"``.
        project_id : str, optional
            Only those of this project.
        limit, offset : int
            How many at most, after leaving out how many.

        Raises
        ------
        NotFoundError
            If there is no such project.
        """
        status = optional_choice("status", status, STATUSES)
        limit, offset = check_count("limit", limit), check_count("offset", offset)
        with self._reading() as transaction:
            project = self._place(transaction, project_id, None)["project_id"]
            rows = all_rows(transaction, TABLE)
            for name, value in {"status": status, "project_id": project}.items():
                rows = rows if value is None else rows.where(name, value)
            found = rows.in_order().at(slice(offset, offset + limit)).tuples(_COLUMNS)
        return [Job(*values) for values in found]

    def _update_job(
        self, transaction: Any, row: Mapping[str, Any], now: int, changes: Mapping[str, Any]
    ) -> None:
        update_row(transaction, TABLE, row, now, changes)
