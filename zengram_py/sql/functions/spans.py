"""Intervals: their arithmetic, and intervals of columns as three arrays.

The three fields do not convert into each other, but where a product or quotient of one has a fraction, that goes down: a month's to days
of which it has thirty, a day's to microseconds.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...engine import Interval
from ..civil import DAY, SECOND, SPAN_INFINITY, SPAN_MINUS_INFINITY
from ..errors import error
from .registry import scalar


def parts(spans: Any) -> tuple[Any, Any, Any, Any]:
    """Return months, days and microseconds of an array of intervals, each int64, and 1 or -1 where one is infinite, else 0.

    Where there is none (null), all are zero.
    """
    rows = [value or (0, 0, 0) for value in spans]
    found = np.array(rows, np.int64).reshape(len(rows), 3)
    infinite = np.zeros(len(rows), np.int64)
    for sign, span in ((1, SPAN_INFINITY), (-1, SPAN_MINUS_INFINITY)):
        infinite[(found == span).all(axis=1)] = sign
    return found[:, 0], found[:, 1], found[:, 2], infinite


def span(months: int, days: int, microseconds: int) -> Interval:
    """Return a finite interval; 22008 if a field does not fit."""
    found = Interval(months, days, microseconds)
    for field, limit in zip(found, (1 << 31, 1 << 31, 1 << 63), strict=True):
        if not -limit <= field < limit:
            raise out_of_range()
    if found in (SPAN_INFINITY, SPAN_MINUS_INFINITY):
        raise out_of_range()
    return found


def out_of_range() -> Exception:
    """Return the error of an interval that does not fit."""
    return error("22008", "interval out of range")


def infinity(value: Interval) -> int:
    """Return 1 or -1 for an infinite interval, else 0."""
    return (value == SPAN_INFINITY) - (value == SPAN_MINUS_INFINITY)


def infinite(sign: float) -> Interval:
    """Return the infinite interval of a sign."""
    return SPAN_INFINITY if sign > 0 else SPAN_MINUS_INFINITY


@scalar("-: interval")
def negative(a: Interval) -> Interval:
    """Return an interval in the other direction."""
    if infinity(a):
        return infinite(-infinity(a))
    return span(-a[0], -a[1], -a[2])


@scalar("+: interval interval")
def add(a: Interval, b: Interval) -> Interval:
    """Return a sum; infinities of both signs have none."""
    one, other = infinity(a), infinity(b)
    if one or other:
        if one * other < 0:
            raise out_of_range()
        return infinite(one or other)
    return span(a[0] + b[0], a[1] + b[1], a[2] + b[2])


@scalar("-: interval interval")
def subtract(a: Interval, b: Interval) -> Interval:
    """Return a difference; infinities of one sign have none."""
    one, other = infinity(a), infinity(b)
    if one or other:
        if one * other > 0:
            raise out_of_range()
        return infinite(one or -other)
    return span(a[0] - b[0], a[1] - b[1], a[2] - b[2])


@scalar("*: interval float8")
def multiply(a: Interval, factor: float) -> Interval:
    """Return a product."""
    sign = infinity(a)
    if math.isnan(factor):
        raise out_of_range()
    if sign or math.isinf(factor):
        direction = (sign or _sign(a)) * (factor > 0) - (sign or _sign(a)) * (factor < 0)
        if not direction:
            raise out_of_range()
        return infinite(direction)
    exact = [part * factor for part in a]
    if factor.is_integer() and abs(exact[2]) < 2.0**53:  # no field has a fraction
        return span(int(exact[0]), int(exact[1]), int(exact[2]))
    return _scaled(a, exact)


@scalar("*: float8 interval")
def _multiply_by(factor: float, a: Interval) -> Interval:
    return multiply(a, factor)


@scalar("/: interval float8")
def divide(a: Interval, divisor: float) -> Interval:
    """Return a quotient."""
    if divisor == 0:
        raise error("22012", "division by zero")
    sign = infinity(a)
    if math.isnan(divisor) or (sign and math.isinf(divisor)):
        raise out_of_range()
    if sign:
        return infinite(sign * divisor)
    return _scaled(a, [part / divisor for part in a])


def _sign(a: Interval) -> int:
    """Return whether an interval goes forward, with months of 30 days."""
    total = (a[0] * 30 + a[1]) * DAY + a[2]
    return (total > 0) - (total < 0)


def _scaled(a: Interval, exact: list[float]) -> Interval:
    """Return an interval of fields with fractions, which go down."""
    limits = (2.0**31, 2.0**31, 2.0**63)
    if not all(-limit <= field < limit for field, limit in zip(exact, limits, strict=True)):
        raise out_of_range()
    months, days = int(exact[0]), int(exact[1])
    month_days = _to_microsecond((exact[0] - months) * 30)
    seconds = _to_microsecond((exact[1] - days + month_days - int(month_days)) * 86_400)
    if abs(seconds) >= 86_400:
        days += int(seconds / 86_400)
        seconds -= int(seconds / 86_400) * 86_400
    return span(months, days + int(month_days), round(exact[2] + seconds * SECOND))


def _to_microsecond(value: float) -> float:
    return round(value * 1_000_000) / 1_000_000


# Moving between fields.


def _cut_division(value: int, size: int) -> tuple[int, int]:
    """Return how many of a size a number has, and the rest, which has the number's sign."""
    whole = abs(value) // size * (1 if value >= 0 else -1)
    return whole, value - whole * size


@scalar("justify_hours: interval")
def justify_hours(a: Interval) -> Interval:
    """Return an interval with each 24 hours as a day."""
    if infinity(a):
        return a
    more, rest = _cut_division(a[2], DAY)
    days = a[1] + more
    if days > 0 and rest < 0:
        days, rest = days - 1, rest + DAY
    elif days < 0 and rest > 0:
        days, rest = days + 1, rest - DAY
    return span(a[0], days, rest)


@scalar("justify_days: interval")
def justify_days(a: Interval) -> Interval:
    """Return an interval with each 30 days as a month."""
    if infinity(a):
        return a
    more, rest = _cut_division(a[1], 30)
    months = a[0] + more
    if months > 0 and rest < 0:
        months, rest = months - 1, rest + 30
    elif months < 0 and rest > 0:
        months, rest = months + 1, rest - 30
    return span(months, rest, a[2])


@scalar("justify_interval: interval")
def justify_interval(a: Interval) -> Interval:
    """Return an interval with as much as possible in its greater fields, and all of one sign."""
    if infinity(a):
        return a
    months, days, time = a
    more, time = _cut_division(time, DAY)
    days += more
    more, days = _cut_division(days, 30)
    months += more
    if months > 0 and (days < 0 or (days == 0 and time < 0)):
        months, days = months - 1, days + 30
    elif months < 0 and (days > 0 or (days == 0 and time > 0)):
        months, days = months + 1, days - 30
    if days > 0 and time < 0:
        days, time = days - 1, time + DAY
    elif days < 0 and time > 0:
        days, time = days + 1, time - DAY
    return span(months, days, time)
