"""The civil calendar: days since 1970 as years, months and days, of single values and of whole columns.

It is the Gregorian calendar for all times. The year before 1 is 0 here, 1 BC for people. Years are counted from March inside, so that
the day of a leap year is the last of its year and months begin at even distances (Howard Hinnant, "chrono-compatible low-level date
algorithms").

The greatest and the least number of each type are infinities, as in PostgreSQL.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine import Interval

SECOND = 1_000_000
MINUTE, HOUR, DAY = 60 * SECOND, 3600 * SECOND, 86_400 * SECOND

JULIAN_1970 = 2_440_588
LEAST_DATE = -JULIAN_1970
"""The first date: 4714-11-24 BC, of which Julian days are counted."""
END_DATE = 2_147_483_494 - JULIAN_1970
"""The day after the last date, 5874897-12-31."""
LEAST_TIMESTAMP = LEAST_DATE * DAY
"""The first moment; the last one is the greatest number below infinity, in January of 294247."""

DATE_INFINITY, DATE_MINUS_INFINITY = (1 << 31) - 1, -(1 << 31)
INFINITY, MINUS_INFINITY = (1 << 63) - 1, -(1 << 63)
SPAN_INFINITY = Interval(DATE_INFINITY, DATE_INFINITY, INFINITY)
SPAN_MINUS_INFINITY = Interval(DATE_MINUS_INFINITY, DATE_MINUS_INFINITY, MINUS_INFINITY)

_MONTH_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def is_leap(year: int) -> bool:
    """Return whether a year has a 29th of February."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def month_days(year: int, month: int) -> int:
    """Return how many days a month has."""
    return 29 if month == 2 and is_leap(year) else _MONTH_DAYS[month - 1]


def civil_of(days: Any) -> tuple[Any, Any, Any]:
    """Return year, month and day of days since 1970; of a number or of an int64 array."""
    shifted = days + 719_468
    era = shifted // 146_097
    rest = shifted - era * 146_097
    year = (rest - rest // 1460 + rest // 36_524 - rest // 146_096) // 365
    day_of_year = rest - (365 * year + year // 4 - year // 100)
    month = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * month + 2) // 5 + 1
    early = month >= 10  # January and February end the year before
    return year + era * 400 + early, month + 3 - 12 * early, day


def days_of(year: Any, month: Any, day: Any) -> Any:
    """Return days since 1970 of a year, month (1 to 12) and day; of numbers or of int64 arrays. A day may be any number."""
    late = month <= 2
    year = year - late
    era = year // 400
    rest = year - era * 400
    day_of_year = (153 * (month - 3 + 12 * late) + 2) // 5 + day - 1
    return era * 146_097 + rest * 365 + rest // 4 - rest // 100 + day_of_year - 719_468


def month_ends(year: Any, month: Any) -> Any:
    """Return how many days months have, of int64 arrays."""
    leap = (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))
    return np.array(_MONTH_DAYS, np.int64)[month - 1] + ((month == 2) & leap)


def with_months(days: Any, months: Any) -> Any:
    """Return days that are some months later, of int64 arrays: the same day of the month, or the last if there is no such."""
    year, month, day = civil_of(days)
    total = year * 12 + (month - 1) + months
    year = total // 12
    month = total - year * 12 + 1
    return days_of(year, month, np.minimum(day, month_ends(year, month)))


def iso_week(days: Any) -> tuple[Any, Any]:
    """Return the year of the weeks (from Monday, the first has the year's first Thursday), and the week."""
    thursday = days - (days + 3) % 7 + 3
    year, _, _ = civil_of(thursday)
    return year, (thursday - days_of(year, 1, 1)) // 7 + 1


def shown_year(year: Any) -> Any:
    """Return a year as people count: there is none with the number 0, 1 BC is -1."""
    return year - (year <= 0)
