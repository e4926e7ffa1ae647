"""Schedules: when a job is to run, as a text that a table keeps.

==================  =============================  ==============================================================
text                runs                           the next time
==================  =============================  ==============================================================
``every 60s``       again and again                the first of its times that is still to come, on the same grid
``cron 0 9 * * 1``  at minutes of the calendar     the first minute to come that fits (cron.py)
``at 1700000000``   once                           none
==================  =============================  ==============================================================

What came due several times while nobody looked runs once::

    every 60s    ├────┼────┼────┼────┼────┤
                 due  ·    ·    · done    next      three times were missed; the grid stays
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..clock import MICROSECONDS_PER_DAY, MICROSECONDS_PER_SECOND
from ..errors import InvalidArgumentError
from .cron import Cron
from .quantities import check_number, check_time
from .texts import check_text

LONGEST_DAYS = 36_525.0
"""A century: no interval is longer."""
_LAST = 2**63
_LEAST = 1 / MICROSECONDS_PER_SECOND


@dataclass(frozen=True)
class Schedule:
    """When something is to run.

    Attributes
    ----------
    text : str
        As a table keeps it.
    every : int or None
        Microseconds from one time to the next.
    cron : Cron or None
        The minutes.
    at : int or None
        The only time, microseconds since the epoch, UTC.
    """

    text: str
    every: int | None = None
    cron: Cron | None = None
    at: int | None = None

    def first(self, now: int) -> int | None:
        """Return when a job that is made now is to run first, None for never."""
        return self.at if self.at is not None else self.following(now, now)

    def following(self, planned: int, now: int) -> int | None:
        """Return when a job that was to run at a time, and ran or is passed over now, is to run next; None for never."""
        if self.every is not None:
            return next_on_grid(planned, self.every, now)
        return None if self.cron is None else self.cron.next_after(max(planned, now))


def next_on_grid(planned: int, every: int, now: int) -> int | None:
    """Return the first time after now that is some whole steps, at least one, after a planned one; None beyond all times."""
    found = planned + every * max(1, (now - planned) // every + 1)
    return found if found < _LAST else None


def check_schedule(every_seconds: Any, cron: Any, at: Any) -> Schedule:
    """Return the schedule that a caller gave in one of three ways."""
    if [every_seconds, cron, at].count(None) != 2:
        raise InvalidArgumentError("a job has one schedule: every_seconds, cron or at")
    if every_seconds is not None:
        most = LONGEST_DAYS * 86_400
        every = round(
            check_number("every_seconds", every_seconds, least=_LEAST, most=most) * MICROSECONDS_PER_SECOND
        )
        seconds, rest = divmod(every, MICROSECONDS_PER_SECOND)
        return Schedule(f"every {seconds}{f'.{rest:06}'.rstrip('0') if rest else ''}s", every=every)
    if cron is not None:
        parsed = Cron.parse(check_text(cron, "cron"))
        return Schedule(f"cron {parsed.text}", cron=parsed)
    time = check_time("at", at)
    return Schedule(f"at {time}", at=time)


def read_schedule(text: str) -> Schedule:
    """Return the schedule that a table keeps; SQL may have written what is none."""
    kind, _, rest = text.partition(" ")
    try:
        if kind == "every" and rest.endswith("s"):
            return check_schedule(float(rest[:-1]), None, None)
        if kind == "cron":
            return check_schedule(None, rest, None)
        if kind == "at":
            time = int(rest)
            if -_LAST < time < _LAST:
                return Schedule(text, at=time)
    except ValueError:
        pass
    raise InvalidArgumentError(f"{text[:60]!r} is no schedule")


def check_days(name: str, value: Any) -> int:
    """Return a number of days, above 0, as whole microseconds."""
    return max(1, round(check_number(name, value, most=LONGEST_DAYS, above=True) * MICROSECONDS_PER_DAY))
