"""Dates and timestamps of the fields that a template read: ``to_date``, ``to_timestamp``.

Years of two digits get their century, days of years and weeks become dates, hours of half days those of whole ones. What is not said is
the beginning: January, the first, midnight; without a year it is 1 BC.
"""

from __future__ import annotations

from ..civil import (
    DAY,
    END_DATE,
    HOUR,
    INFINITY,
    JULIAN_1970,
    LEAST_DATE,
    LEAST_TIMESTAMP,
    MINUTE,
    SECOND,
    civil_of,
    days_of,
    month_days,
)
from ..errors import error
from ..fitting import fit_moments
from ..types import TIMESTAMP_
from .moment_input import Reader


class _Moment:
    """The fields of a moment as they come together; a year of 0 is none, or 1 BC."""

    def __init__(self, reader: Reader) -> None:
        self.text = reader.text
        self.values, self.is_iso = reader.values, bool(reader.is_iso)
        self.year, self.month, self.day = 0, 1, 1
        self.known: set[str] = set()
        hour, minute, second = self._clock(reader)
        self._year(reader)
        self._date()
        fraction = self._get("millisecond") * 1000 + self._get("microsecond")
        clock_fits = 0 <= hour < 24 and 0 <= minute < 60 and 0 <= second < 60 and 0 <= fraction < SECOND
        if not (self._date_fits() and clock_fits):
            raise error("22008", f'date/time field value out of range: "{self.text}"')
        self.time = hour * HOUR + minute * MINUTE + second * SECOND + fraction
        self.ahead = self._zone()
        self.digits = reader.digits

    def _get(self, name: str) -> int:
        return self.values.get(name, 0)

    def _clock(self, reader: Reader) -> tuple[int, int, int]:
        """Return hour, minute and second."""
        hour, rest = divmod(self._get("seconds"), 3600)
        minute, second = divmod(rest, 60)
        hour = self._get("hour") or hour
        minute = self._get("minute") or minute
        second = self._get("second") or second
        if reader.half_day:
            if not 1 <= hour <= 12:
                hint = "Use the 24-hour clock, or give an hour between 1 and 12."
                raise error("22007", f'hour "{hour}" is invalid for the 12-hour clock', hint=hint)
            hour = hour % 12 + 12 * self._get("after noon")
        return hour, minute, second

    def _zone(self) -> int:
        """Return how far ahead of UTC the moment's zone is."""
        hours, minutes = self._get("zone hour"), self._get("zone minute")
        if not (0 <= hours <= 15 and 0 <= minutes < 60):
            raise error("22009", f'time zone displacement out of range: "{self.text}"')
        return self._get("zone") + self._get("zone sign") * (hours * HOUR + minutes * MINUTE)

    def _year(self, reader: Reader) -> None:
        year, century, before_1 = self._get("year"), self._get("century"), self._get("before 1")
        if not year and not century:
            return
        self.known.add("year")
        century = -century if before_1 else century
        if year and not (century and reader.year_width <= 2):
            year = -year if before_1 else year
            self.year = year + 1 if year < 0 else year
        elif not year:
            self.year = (century - 1) * 100 + 1 if century >= 0 else century * 100 + 1
        elif year % 100:
            rest = year % 100
            self.year = rest + (century - 1) * 100 if century >= 0 else (century + 1) * 100 - rest + 1
        else:
            self.year = century * 100 + (century < 0)

    def _take(self, days: int) -> None:
        """Take a date as it is."""
        self.year, self.month, self.day = civil_of(days)
        self.known.update(("year", "month", "day"))

    def _date(self) -> None:
        day_of_year = self._get("day of year")
        day = self._get("day")
        if self._get("julian"):
            self._take(self._get("julian") - JULIAN_1970)
        week = self._get("week")
        if week and self.is_iso:
            weekday = self._get("weekday")  # from Sunday, which is the last of its week
            monday = self._first_monday() + (week - 1) * 7
            self._take(monday + (0 if not weekday else 6 if weekday == 1 else weekday - 2))
        elif week:
            day_of_year = (week - 1) * 7 + 1
        if self._get("week of month"):
            day = (self._get("week of month") - 1) * 7 + 1
        if day:
            self.day = day
            self.known.add("day")
        if self._get("month"):
            self.month = self._get("month")
            self.known.add("month")
        if day_of_year and (self.month <= 1 or self.day <= 1):
            self._take_day_of_year(day_of_year)

    def _first_monday(self) -> int:
        """Return the first day of the year's first week of ISO."""
        january_4 = days_of(self.year, 1, 4)
        return january_4 - (january_4 + 3) % 7  # type: ignore[no-any-return]

    def _take_day_of_year(self, number: int) -> None:
        if not self.year and not self._get("before 1"):
            raise error("22007", "cannot calculate day of year without year information")
        if self.is_iso:
            self._take(self._first_monday() + number - 1)
            return
        month, passed = 1, 0
        while month <= 12 and number > passed + month_days(self.year, month):
            passed += month_days(self.year, month)
            month += 1
        if self.month <= 1:
            self.month = month
        if self.day <= 1:
            self.day = number - passed
        self.known.update(("month", "day"))

    def _date_fits(self) -> bool:
        """Return whether there is such a date, as far as it is known."""
        if "month" in self.known and not 1 <= self.month <= 12:
            return False
        if "day" in self.known and not 1 <= self.day <= 31:
            return False
        return not self.known >= {"year", "month", "day"} or self.day <= month_days(self.year, self.month)

    @property
    def days(self) -> int:
        """Days since 1970."""
        days: int = days_of(self.year, self.month, self.day)
        return days


def to_date(text: str, template: str) -> int:
    """Return the date that a template reads.

    Raises
    ------
    SqlError
        22007 for what cannot be read, 22008 for what there is not.
    """
    days = _Moment(Reader(text, template).read()).days
    if not LEAST_DATE <= days < END_DATE:
        raise error("22008", f'date out of range: "{text}"')
    return days


def to_timestamp(text: str, template: str) -> int:
    """Return the timestamp that a template reads, moved to UTC if there is a zone."""
    moment = _Moment(Reader(text, template).read())
    found = moment.days * DAY + moment.time - moment.ahead
    if not LEAST_TIMESTAMP <= found < INFINITY:
        raise error("22008", "timestamp out of range")
    return found if moment.digits == 6 else int(fit_moments(found, TIMESTAMP_.with_modifier(moment.digits)))
