"""Moments and intervals cut to a unit: ``date_trunc``, ``date_bin``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...engine import Interval
from ..civil import DAY, HOUR, LEAST_TIMESTAMP, MINUTE, SECOND, civil_of, days_of
from ..execute.column import Column
from ..execute.context import Context
from ..types import SPAN, TIMESTAMP_
from .fields import by_word, field_of, unknown_field, unsupported_field
from .guards import refuse
from .moments import TIMESTAMP_RANGE, infinite_sign, with_infinities
from .registry import columns, scalar, vector
from .spans import infinity, parts, span
from .zones import checked, shifted, zone

_OF_CALENDAR = frozenset(["dow", "doy", "epoch", "isodow", "isoyear", "julian"])  # no units of time
_STEPS = {"microsecond": 1, "millisecond": 1000, "second": SECOND, "minute": MINUTE, "hour": HOUR, "day": DAY}


def _century_begin(year: Any, size: int) -> Any:
    """Return the first year of centuries or millennia, which begin with years like 2001."""
    return np.where(year > 0, (year - 1) // size * size + 1, -((size - year) // size) * size + 1)


def _year_begin(year: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda days: days_of(year(civil_of(days)[0]), 1, 1)


def _month_begin(days: Any) -> Any:
    year, month, _ = civil_of(days)
    return days_of(year, month, 1)


def _quarter_begin(days: Any) -> Any:
    year, month, _ = civil_of(days)
    return days_of(year, (month - 1) // 3 * 3 + 1, 1)


_BEGINNINGS: dict[str, Callable[[Any], Any]] = {
    "week": lambda days: days - (days + 3) % 7,
    "month": _month_begin,
    "quarter": _quarter_begin,
    "year": _year_begin(lambda year: year),
    "decade": _year_begin(lambda year: year // 10 * 10),
    "century": _year_begin(lambda year: _century_begin(year, 100)),
    "millennium": _year_begin(lambda year: _century_begin(year, 1000)),
}


def truncated(word: str, moments: Any, live: Any) -> Any:
    """Return timestamps cut to a unit; infinite ones stay."""
    name = field_of(word, TIMESTAMP_)
    if name in _OF_CALENDAR:
        raise unknown_field(word, TIMESTAMP_)
    if name in _STEPS:
        found = moments // _STEPS[name] * _STEPS[name]
    elif name in _BEGINNINGS:
        found = _BEGINNINGS[name](moments // DAY) * DAY
    else:
        raise unsupported_field(word, TIMESTAMP_)
    sign = infinite_sign(moments)
    bad = found < LEAST_TIMESTAMP
    if sign is not None:
        bad, found = bad & (sign == 0), with_infinities(found, sign)
    refuse(bad, live, *TIMESTAMP_RANGE)
    return found


@columns("date_trunc: text timestamp")
def _date_trunc(context: Context, arguments: Sequence[Column], count: int) -> Column:
    def compute(word: str, values: Any, nulls: Any) -> Column:
        if nulls is not None and nulls.all():
            return Column(TIMESTAMP_, values, nulls)
        return Column(TIMESTAMP_, truncated(word, values, None if nulls is None else ~nulls), nulls)

    return by_word(arguments, count, compute, TIMESTAMP_)


@scalar("date_trunc: text timestamp text")
def _date_trunc_in(word: str, moment: int, name: str) -> int:
    distance = zone(name)
    local = shifted(np.array([moment], np.int64), distance)
    cut = truncated(word, local, None)
    if (
        _STEPS.get(field_of(word, TIMESTAMP_), DAY) < DAY
    ):  # below a day the distance stays, also in an hour that comes twice
        found = cut - (local - moment)
    else:
        found = shifted(cut, distance, to_utc=True)
    return int(checked(found, None)[0])


_SPAN_STEPS = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200, "millennium": 12_000}


@scalar("date_trunc: text interval")
def _span_trunc(word: str, value: Interval) -> Interval:
    name = field_of(word, SPAN)
    if name in _OF_CALENDAR:
        raise unknown_field(word, SPAN)
    if name not in _STEPS and name not in _SPAN_STEPS:
        raise unsupported_field(word, SPAN)
    if infinity(value):
        return value
    months, days, time = value
    if name in _SPAN_STEPS:
        return span(_cut(months, _SPAN_STEPS[name]), 0, 0)
    return span(months, days, 0 if name == "day" else _cut(time, _STEPS[name]))


def _cut(value: int, size: int) -> int:
    whole = abs(value) // size * size
    return whole if value >= 0 else -whole


@vector("date_bin: interval timestamp timestamp")
def _date_bin(strides: Any, moments: Any, origins: Any, live: Any) -> Any:
    infinite = infinite_sign(moments)
    if infinite is not None:  # these stay, whatever the rest of their row is
        live = infinite == 0 if live is None else live & (infinite == 0)
    sign = infinite_sign(origins)
    if sign is not None:
        refuse(sign != 0, live, "22008", "origin out of range")
    months, days, time, endless = parts(strides)
    refuse(endless != 0, live, "22008", "timestamps cannot be binned into infinite intervals")
    refuse(
        months != 0, live, "0A000", "timestamps cannot be binned into intervals containing months or years"
    )
    size = days * DAY + time
    refuse(
        (np.abs(days) > 106_751_990) | (size < 0) & (days > 0) & (time > 0),
        live,
        "22008",
        "interval out of range",
    )
    refuse(size <= 0, live, "22008", "stride must be greater than zero")
    distance = moments - origins
    over = ((moments ^ origins) & (moments ^ distance)) < 0
    found = origins + distance // np.where(size > 0, size, 1) * size
    over = over | (found < LEAST_TIMESTAMP) | (found > moments)
    refuse(over, live, *TIMESTAMP_RANGE)
    return found if infinite is None else with_infinities(found, infinite)
