"""Cron: minutes that come again, said in five fields; all in UTC.

::

    ┌──────── minute         0-59
    │ ┌────── hour           0-23
    │ │ ┌──── day of month   1-31
    │ │ │ ┌── month          1-12, or jan-dec
    │ │ │ │ ┌ day of week    0-7, or sun-sat; 0 and 7 are Sunday
    * * * * *

A field is ``*``, a number, a range ``9-17``, or a list of these with commas; ``/n`` behind ``*`` or a range takes every n-th. Of the two
days the rule of Vixie's cron holds: if both fields begin with something else than ``*``, a day has to fit **one** of them, else both::

    0 9 13 * fri     every Friday, and every 13th
    0 9 13 * *       every 13th
    0 9 */2 * fri    Fridays of odd date: the field begins with *
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from ..clock import MICROSECONDS_PER_DAY, MICROSECONDS_PER_SECOND
from ..errors import InvalidArgumentError

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_FIELDS: tuple[tuple[str, int, int, dict[str, int]], ...] = (
    ("minute", 0, 59, {}),
    ("hour", 0, 23, {}),
    ("day of month", 1, 31, {}),
    ("month", 1, 12, {name: number for number, name in enumerate(_MONTHS, 1)}),
    ("day of week", 0, 7, {name: number for number, name in enumerate(_WEEKDAYS)}),
)
_MINUTE = 60 * MICROSECONDS_PER_SECOND
_EPOCH = date(1970, 1, 1).toordinal()
_YEARS = 400
"""After as many years the calendar begins anew: what did not come by then never comes."""


@dataclass(frozen=True)
class Cron:
    """Minutes that come again.

    Attributes
    ----------
    text : str
        The five fields.
    minutes, hours, days, months, weekdays : frozenset of int
        What fits; Sunday is 0.
    either : bool
        Whether a day has to fit only one of ``days`` and ``weekdays``.
    """

    text: str
    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    either: bool

    @classmethod
    def parse(cls, text: str) -> Cron:
        """Return what five fields say.

        Raises
        ------
        InvalidArgumentError
            If they say nothing; the message names the field.
        """
        parts = text.lower().split()
        if len(parts) != len(_FIELDS):
            raise InvalidArgumentError(f"cron has 5 fields, not {len(parts)}: {text[:60]!r}")
        found = [_field(part, *field) for part, field in zip(parts, _FIELDS, strict=True)]
        minutes, hours, days, months, weekdays = found
        either = parts[2][0] != "*" and parts[4][0] != "*"
        return cls(
            " ".join(parts), minutes, hours, days, months, frozenset(day % 7 for day in weekdays), either
        )

    def next_after(self, time: int) -> int | None:
        """Return the first minute after a time that fits, None if none comes.

        Parameters
        ----------
        time : int
            Microseconds since the epoch, UTC; so is what comes back.
        """
        day, rest = divmod((time // _MINUTE + 1) * _MINUTE, MICROSECONDS_PER_DAY)
        hour, minute = divmod(rest // _MINUTE, 60)
        try:
            first = date.fromordinal(day + _EPOCH)
        except (ValueError, OverflowError):  # before the year 1, or after 9999
            return None
        on = self._next_day(first)
        if on == first:
            for fits in sorted(self.hours):
                least = minute if fits == hour else 0
                found = min((one for one in self.minutes if one >= least), default=None)
                if fits >= hour and found is not None:
                    return _instant(on, fits, found)
            on = self._next_day(date.fromordinal(first.toordinal() + 1)) if first < date.max else None
        return None if on is None else _instant(on, min(self.hours), min(self.minutes))

    def _next_day(self, first: date) -> date | None:
        """Return the first day from this one on that fits."""
        for month in range(
            12 * first.year + first.month - 1, min(12 * (first.year + _YEARS) + 12, 12 * 10_000)
        ):
            year, number = month // 12, month % 12 + 1
            if number in self.months:
                begins = date(year, number, 1)
                day = first if first > begins else begins
                while (day.year, day.month) == (year, number):
                    if self._fits(day):
                        return day
                    if day == date.max:
                        return None
                    day = date.fromordinal(day.toordinal() + 1)
        return None

    def _fits(self, day: date) -> bool:
        by_date, by_week = day.day in self.days, day.isoweekday() % 7 in self.weekdays
        return by_date or by_week if self.either else by_date and by_week


def _instant(day: date, hour: int, minute: int) -> int:
    return (day.toordinal() - _EPOCH) * MICROSECONDS_PER_DAY + (60 * hour + minute) * _MINUTE


def _field(text: str, name: str, low: int, high: int, names: dict[str, int]) -> frozenset[int]:
    found: set[int] = set()
    for part in text.split(","):
        span, slash, every = part.partition("/")
        first, dash, last = span.partition("-")
        if span == "*":
            begins, ends = low, high - (name == "day of week")
        else:
            begins = _number(first, names)
            ends = _number(last, names) if dash else begins
        step = _number(every, {}) if slash else 1
        if not low <= begins <= ends <= high or step < 1 or (slash and not dash and span != "*"):
            raise InvalidArgumentError(f"cron's {name} cannot be {part[:60]!r} (it is {low} to {high})")
        found.update(range(begins, ends + 1, step))
    return frozenset(found)


def _number(text: str, names: dict[str, int]) -> int:
    """Return a number or the number of a name, -1 if it is neither."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 5 else names.get(text, -1)
