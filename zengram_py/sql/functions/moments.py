"""Dates, times, timestamps and intervals added and subtracted, whole columns at once.

A date or timestamp is infinite if it is the greatest or least number of its type; what is infinite stays so. A number of months later
is the same day of that month, or its last one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import Interval
from ..civil import (
    DATE_INFINITY,
    DATE_MINUS_INFINITY,
    DAY,
    END_DATE,
    INFINITY,
    LEAST_DATE,
    LEAST_TIMESTAMP,
    MINUS_INFINITY,
    SPAN_INFINITY,
    SPAN_MINUS_INFINITY,
    civil_of,
    days_of,
    month_days,
    with_months,
)
from ..errors import error
from ..execute.column import objects
from .guards import refuse
from .registry import vector
from .spans import parts

TIMESTAMP_RANGE = "22008", "timestamp out of range"
DATE_RANGE = "22008", "date out of range"
_LAST_DAY = INFINITY // DAY


def infinite_sign(values: Any) -> Any:
    """Return 1 or -1 where timestamps (int64) or dates (int32) are infinite, else 0; None if none is."""
    limits = np.iinfo(values.dtype)
    if not values.size or (values.max() < limits.max and values.min() > limits.min):
        return None
    return (values == limits.max).astype(np.int64) - (values == limits.min)


def _summed(a: Any, b: Any) -> tuple[Any, Any]:
    """Return sums of int64, and where these overflow."""
    found = a + b
    return found, ((a ^ found) & (b ^ found)) < 0


def to_timestamps(days: Any, live: Any) -> Any:
    """Return the beginnings of days as timestamps; infinite ones stay."""
    days = days.astype(np.int32, copy=False)
    sign = infinite_sign(days)
    wide = days.astype(np.int64)
    outside = (wide < LEAST_DATE) | (wide > _LAST_DAY - 1)
    if sign is None and not outside.any():
        return wide * DAY
    sign = np.zeros(wide.shape, np.int64) if sign is None else sign
    refuse(outside & (sign == 0), live, "22008", "date out of range for timestamp")
    return with_infinities(np.where(outside, 0, wide) * DAY, sign)


def with_infinities(values: Any, sign: Any) -> Any:
    """Return timestamps with infinities where a sign is 1 or -1."""
    return np.where(sign > 0, INFINITY, np.where(sign < 0, MINUS_INFINITY, values))


def later(moments: Any, spans: Any, live: Any, direction: int = 1) -> Any:
    """Return timestamps that are intervals later (or earlier, with a direction of -1).

    Raises
    ------
    SqlError
        22008 where a result is none.
    """
    months, days, time, endless = parts(spans)
    bad: Any = False
    found = moments
    if months.any() or days.any():
        day = moments // DAY
        rest = moments - day * DAY
        if months.any():
            day = with_months(day, months * direction)
            bad = day < LEAST_DATE
        day = day + days * direction
        bad = bad | (day < LEAST_DATE) | (day > _LAST_DAY)
        found, over = _summed(np.where(bad, 0, day) * DAY, rest)
        bad = bad | over
    if time.any():
        if direction > 0:
            found, over = _summed(found, time)
        else:
            base = found
            found = base - time
            over = ((base ^ time) & (base ^ found)) < 0
        bad = bad | over
    bad = bad | (found < LEAST_TIMESTAMP) | (found == INFINITY)
    sign = infinite_sign(moments)
    if sign is not None or endless.any():
        other = endless * direction
        sign = np.zeros(1, np.int64) if sign is None else sign
        bad = np.where((sign != 0) | (other != 0), sign * other < 0, bad)
        found = with_infinities(found, np.where(sign != 0, sign, other))
    refuse(bad, live, *TIMESTAMP_RANGE)
    return found


def later_one(moment: int, step: Interval) -> int:
    """Return one finite timestamp that is a finite interval later; much faster than arrays of one."""
    day, rest = divmod(moment, DAY)
    if step.months:
        year, month, number = civil_of(day)
        year, month = divmod(year * 12 + month - 1 + step.months, 12)
        day = days_of(year, month + 1, min(number, month_days(year, month + 1)))
    found: int = (day + step.days) * DAY + rest + step.microseconds
    if not LEAST_TIMESTAMP <= found < INFINITY:
        raise error(*TIMESTAMP_RANGE)
    return found


@vector("+: timestamp interval")
def _timestamp_later(a: Any, b: Any, live: Any) -> Any:
    return later(a, b, live)


@vector("+: interval timestamp")
def _later_timestamp(a: Any, b: Any, live: Any) -> Any:
    return later(b, a, live)


@vector("-: timestamp interval")
def _timestamp_earlier(a: Any, b: Any, live: Any) -> Any:
    return later(a, b, live, -1)


@vector("+: date interval")
def _date_later(a: Any, b: Any, live: Any) -> Any:
    return later(to_timestamps(a, live), b, live)


@vector("+: interval date")
def _later_date(a: Any, b: Any, live: Any) -> Any:
    return later(to_timestamps(b, live), a, live)


@vector("-: date interval")
def _date_earlier(a: Any, b: Any, live: Any) -> Any:
    return later(to_timestamps(a, live), b, live, -1)


def _time_later(a: Any, spans: Any, live: Any, direction: int) -> Any:
    _, _, time, endless = parts(spans)
    what = (
        "cannot add infinite interval to time"
        if direction > 0
        else "cannot subtract infinite interval from time"
    )
    refuse(endless != 0, live, "22008", what)
    return (a + direction * (time % DAY)) % DAY


@vector("+: time interval")
def _time_and_span(a: Any, b: Any, live: Any) -> Any:
    return _time_later(a, b, live, 1)


@vector("+: interval time")
def _span_and_time(a: Any, b: Any, live: Any) -> Any:
    return _time_later(b, a, live, 1)


@vector("-: time interval")
def _time_less_span(a: Any, b: Any, live: Any) -> Any:
    return _time_later(a, b, live, -1)


@vector("+: date time")
def _date_and_time(a: Any, b: Any, live: Any) -> Any:
    day = to_timestamps(a, live)
    sign = infinite_sign(day)
    found, over = _summed(day, b)
    if sign is not None:
        over = over & (sign == 0)
        found = with_infinities(found, sign)
    refuse(over, live, *TIMESTAMP_RANGE)
    return found


@vector("+: time date")
def _time_and_date(a: Any, b: Any, live: Any) -> Any:
    return _date_and_time(b, a, live)


# Whole days.


def _days_later(a: Any, count: Any, live: Any) -> Any:
    wide = a.astype(np.int64)
    found = wide + count
    sign = infinite_sign(a)
    bad = (found < LEAST_DATE) | (found >= END_DATE)
    if sign is not None:
        bad = bad & (sign == 0)
        found = np.where(sign > 0, DATE_INFINITY, np.where(sign < 0, DATE_MINUS_INFINITY, found))
    refuse(bad, live, *DATE_RANGE)
    return found.astype(np.int32)


@vector("+: date int4")
def _date_and_days(a: Any, b: Any, live: Any) -> Any:
    return _days_later(a, b.astype(np.int64), live)


@vector("+: int4 date")
def _days_and_date(a: Any, b: Any, live: Any) -> Any:
    return _days_later(b, a.astype(np.int64), live)


@vector("-: date int4")
def _date_less_days(a: Any, b: Any, live: Any) -> Any:
    return _days_later(a, -b.astype(np.int64), live)


@vector("-: date date")
def _days_between(a: Any, b: Any, live: Any) -> Any:
    for values in (a, b):
        sign = infinite_sign(values)
        if sign is not None:
            refuse(sign != 0, live, "22008", "cannot subtract infinite dates")
    return (a.astype(np.int64) - b).astype(np.int32)


# Spans between.


def spans_of(days: Any, time: Any, live: Any) -> Any:
    """Return an array of intervals of days and microseconds, None in rows that do not count."""
    made = [Interval(0, d, t) for d, t in zip(days.tolist(), time.tolist(), strict=True)]
    if live is not None:
        counts = np.broadcast_to(live, (len(made),)).tolist()
        return objects([m if c else None for m, c in zip(made, counts, strict=True)])
    return objects(made)


@vector("-: timestamp timestamp")
def between(a: Any, b: Any, live: Any) -> Any:
    """Return the days and time from one timestamp to another."""
    found = a - b
    over = ((a ^ b) & (a ^ found)) < 0
    one, other = infinite_sign(a), infinite_sign(b)
    sign = None
    if one is not None or other is not None:
        one = np.zeros(1, np.int64) if one is None else one
        other = np.zeros(1, np.int64) if other is None else other
        refuse(one * other > 0, live, "22008", "interval out of range")
        sign = np.broadcast_to(np.where(one != 0, one, -other), found.shape)
        over = over & (sign == 0)
    refuse(over, live, "22008", "interval out of range")
    size = np.abs(found)
    days = size // DAY * np.sign(found)
    made = spans_of(days, found - days * DAY, live)
    if sign is not None:
        for row in np.flatnonzero(sign):
            if made[row] is not None:
                made[row] = SPAN_INFINITY if sign[row] > 0 else SPAN_MINUS_INFINITY
    return made


@vector("-: time time")
def _time_between(a: Any, b: Any, live: Any) -> Any:
    found = a - b
    return spans_of(np.zeros(found.shape, np.int64), found, live)
