"""Dates, times and intervals made of numbers, and questions about them: ``make_date``, ``to_timestamp``, ``age``, ``overlaps``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...engine import Interval
from ..civil import (
    DATE_INFINITY,
    DATE_MINUS_INFINITY,
    DAY,
    END_DATE,
    HOUR,
    INFINITY,
    LEAST_DATE,
    LEAST_TIMESTAMP,
    MINUS_INFINITY,
    MINUTE,
    SECOND,
    civil_of,
    days_of,
    month_days,
)
from ..errors import error
from ..execute.context import Context
from ..signatures import Signature
from .guards import refuse
from .moments import later
from .registry import Implementation, by_type, scalar, vector
from .spans import infinite, infinity, out_of_range, span

_YEAR_2000 = 946_684_800


@scalar("make_date: int4 int4 int4")
def make_date(year: int, month: int, day: int) -> int:
    """Return a date; a year below zero is one BC."""
    internal = year + 1 if year < 0 else year
    if year == 0 or not 1 <= month <= 12 or not 1 <= day <= month_days(internal, month):
        raise error("22008", f"date field value out of range: {year}-{month:02}-{day:02}")
    days: int = days_of(internal, month, day)
    if not LEAST_DATE <= days < END_DATE:
        raise error("22008", f"date out of range: {year}-{month:02}-{day:02}")
    return days


def _shown(second: float) -> str:
    if math.isfinite(second):
        return f"{second:02g}"
    return "NaN" if second != second else "Infinity" if second > 0 else "-Infinity"


@scalar("make_time: int4 int4 float8")
def make_time(hour: int, minute: int, second: float) -> int:
    """Return a time of day."""
    finite = math.isfinite(second)
    fraction = round(second * SECOND) if finite else 0
    total = hour * HOUR + minute * MINUTE + fraction
    if not (
        finite and 0 <= hour <= 24 and 0 <= minute <= 59 and 0 <= fraction <= 60 * SECOND and total <= DAY
    ):
        raise error("22008", f"time field value out of range: {hour}:{minute:02}:{_shown(second)}")
    return total


@scalar("make_timestamp: int4 int4 int4 int4 int4 float8")
def make_timestamp(year: int, month: int, day: int, hour: int, minute: int, second: float) -> int:
    """Return a timestamp."""
    days = make_date(year, month, day)
    found = days * DAY + make_time(hour, minute, second)
    if not LEAST_TIMESTAMP <= found < INFINITY:
        message = f"timestamp out of range: {year}-{month:02}-{day:02} {hour}:{minute:02}:{_shown(second)}"
        raise error("22008", message)
    return found


_WHOLE = [" ".join(["int4"] * count) for count in range(7)]


@scalar(f"make_interval: {' | '.join(_WHOLE)} | {_WHOLE[6]} float8")
def make_interval(*numbers: float) -> Interval:
    """Return an interval of years, months, weeks, days, hours, minutes and seconds."""
    given: list[float] = [*numbers, *[0] * (7 - len(numbers))]
    years, months, weeks, days, hours, minutes, seconds = given
    if not math.isfinite(seconds):
        raise out_of_range()
    time = int(hours) * HOUR + int(minutes) * MINUTE + round(seconds * SECOND)
    return span(int(years * 12 + months), int(weeks * 7 + days), time)


@vector("to_timestamp: float8")
def _to_timestamp(seconds: Any, live: Any) -> Any:
    refuse(np.isnan(seconds), live, "22008", "timestamp cannot be NaN")
    infinite_ones = np.isinf(seconds)
    bad = ~infinite_ones & ((seconds < LEAST_TIMESTAMP / SECOND) | (seconds >= INFINITY / SECOND))
    message = "timestamp out of range"
    if bad.any():
        message = f'timestamp out of range: "{seconds[np.flatnonzero(bad)[0]]:g}"'
    refuse(bad, live, "22008", message)
    usable = np.where(infinite_ones | bad | np.isnan(seconds), 0.0, seconds)
    # counted from 2000, as there: so the same bits are lost
    found = np.rint((usable - _YEAR_2000) * SECOND).astype(np.int64) + _YEAR_2000 * SECOND
    return np.where(infinite_ones, np.where(seconds > 0, INFINITY, MINUS_INFINITY), found)


@vector("isfinite: date")
def _is_finite_date(values: Any, live: Any) -> Any:
    return (values != DATE_INFINITY) & (values != DATE_MINUS_INFINITY)


@vector("isfinite: timestamp")
def _is_finite_timestamp(values: Any, live: Any) -> Any:
    return (values != INFINITY) & (values != MINUS_INFINITY)


@scalar("isfinite: interval")
def _is_finite_interval(value: Interval) -> bool:
    return not infinity(value)


# Ages.


def _age(one: int, other: int) -> Interval:
    """Return the years, months, days and time from one timestamp to another, counted in the calendar of the earlier months."""
    ends = [(m > 0) - (m < 0) if m in (INFINITY, MINUS_INFINITY) else 0 for m in (one, other)]
    if ends[0] or ends[1]:
        if ends[0] * ends[1] > 0:
            raise out_of_range()
        return infinite(ends[0] or -ends[1])
    sign = 1 if one >= other else -1
    late, early = max(one, other), min(one, other)
    late_days, late_time = divmod(late, DAY)
    early_days, early_time = divmod(early, DAY)
    late_year, late_month, late_day = civil_of(late_days)
    year, month, day = civil_of(early_days)
    months, days, time = (late_year - year) * 12 + late_month - month, late_day - day, late_time - early_time
    if time < 0:
        days, time = days - 1, time + DAY
    while days < 0:  # a month that is borrowed is as long as that of the earlier end
        months, days = months - 1, days + month_days(year, month)
    return Interval(sign * months, sign * days, sign * time)


@scalar("age: timestamp timestamp")
def age(one: int, other: int) -> Interval:
    """Return the age of something that was made at ``other`` when it is ``one``."""
    return _age(one, other)


@scalar("age: timestamp", context=True)
def _age_today(context: Context, other: int) -> Interval:
    return _age(context.now // DAY * DAY, other)


# Overlaps.


def _overlap(first: tuple[Any, Any], second: tuple[Any, Any]) -> bool | None:
    """Return whether two spans with ends of which some may be unknown have an instant in common; an end itself is not in it."""
    spans = []
    for start, end in (first, second):
        if start is None:
            start, end = end, None
        elif end is not None and start > end:
            start, end = end, start
        if start is None:
            return None
        spans.append((start, end))
    (start, end), (other, other_end) = sorted(spans, key=lambda pair: pair[0])
    if start == other:
        return None if end is None or other_end is None else True
    # the earlier one has to reach the later one's start
    if end is None:
        return None
    if other < end:
        return True
    return None if other_end is None else False


@by_type(
    "overlaps: time interval time interval | time interval time time | time time time interval | time time time time"
    " | timestamp interval timestamp interval | timestamp interval timestamp timestamp"
    " | timestamp timestamp timestamp interval | timestamp timestamp timestamp timestamp"
)
def _overlaps(signature: Signature) -> Implementation:
    kind = signature.arguments[0].name
    lengths = [signature.arguments[i].name == "interval" for i in (1, 3)]

    def end(start: Any, given: Any, is_length: bool) -> Any:
        if not is_length or start is None or given is None:
            return None if is_length else given
        if kind == "time":
            return (start + given[2]) % DAY
        return later(np.array([start], np.int64), [given], None)[0]

    def run(a: Any, b: Any, c: Any, d: Any) -> bool | None:
        return _overlap((a, end(a, b, lengths[0])), (c, end(c, d, lengths[1])))

    return Implementation("nullable", run)
