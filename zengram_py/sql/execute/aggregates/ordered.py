"""Aggregates of rows in an order: ``percentile_cont``, ``percentile_disc`` and ``mode``.

The rows come in the order of ``within group``, without nulls.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ....engine import Interval
from ...errors import error
from ...functions.spans import add, multiply, subtract
from ..column import Column
from ..grouping import Groups
from ..ordering import factorise
from .parts import Parts, Places
from .reduction import Call, aggregate, finished


def _groups(parts: Parts) -> Groups:
    assert isinstance(parts, Groups)  # there are no windows over these
    return parts


def _check(fraction: float) -> None:
    if not 0 <= fraction <= 1:
        shown = "NaN" if math.isnan(fraction) else f"{fraction:g}"
        raise error("22003", f"percentile value {shown} is not between 0 and 1")


def _fractions(call: Call) -> list[Any]:
    """Return the fraction, or the array of them, of each group."""
    return call.direct[0].tolist()


def _single(groups: Groups, call: Call) -> tuple[Any, Any]:
    """Return each group's fraction, and where it has a value for it."""
    fractions = call.direct[0]
    nulls = fractions.is_null(groups.count)
    for value in np.unique(fractions.values[~nulls]).tolist():
        _check(value)
    return np.where(nulls, 0.0, fractions.values), ~nulls & (groups.sizes > 0)


def _is_array(call: Call) -> bool:
    return call.direct[0].type.category == "A"


# Values that are there.


@aggregate("percentile_disc")
def _discrete(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    groups, column = _groups(parts), columns[0]
    if _is_array(call):
        return _of_arrays(groups, column, call, _picked)
    fraction, has_value = _single(groups, call)
    number = np.maximum(np.ceil(fraction * groups.sizes).astype(np.int64), 1) - 1
    return column.take_or_null(_places(groups, number, has_value)).as_type(call.result)


def _places(groups: Groups, numbers: Places, wanted: Any) -> Places:
    """Return the place of a row of each group by its number there, -1 where none is wanted."""
    found = np.full(groups.count, -1, np.int64)
    found[wanted] = groups.order[(groups.starts + numbers)[wanted]]
    return found


def _picked(values: list[Any], fraction: float) -> Any:
    return values[max(math.ceil(fraction * len(values)), 1) - 1]


def _of_arrays(groups: Groups, column: Column, call: Call, pick: Callable[[list[Any], float], Any]) -> Column:
    """Return for each group an array of what is found for each of the fractions."""
    found = [
        _each(fractions, partial(pick, values)) if values else None
        for fractions, values in zip(_fractions(call), groups.lists(column.tolist()), strict=True)
    ]
    return Column.of(call.result, found)


def _each(fractions: Any, function: Callable[[float], Any]) -> Any:
    """Return a function of each fraction of an array of any dimensions."""
    if fractions is None:
        return None
    if type(fractions) is tuple:
        return tuple(_each(fraction, function) for fraction in fractions)
    _check(fractions)
    return function(fractions)


# Values between.


@aggregate("percentile_cont", "float8")
def _continuous(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    groups, column = _groups(parts), columns[0]
    if _is_array(call):
        return _of_arrays(groups, column, call, partial(_between, _between_numbers))
    fraction, has_value = _single(groups, call)
    place = np.where(has_value, fraction * (groups.sizes - 1), 0.0)
    below, above = np.floor(place), np.ceil(place)
    low = column.take_or_null(_places(groups, below.astype(np.int64), has_value)).values
    high = column.take_or_null(_places(groups, above.astype(np.int64), has_value)).values
    with np.errstate(all="ignore"):
        found = np.where(below == above, low, low + (place - below) * (high - low))
    return finished(call.result, found, None if has_value.all() else ~has_value)


@aggregate("percentile_cont", "interval")
def _continuous_spans(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    groups, column = _groups(parts), columns[0]
    if _is_array(call):
        return _of_arrays(groups, column, call, partial(_between, _between_spans))
    _single(groups, call)
    found = [
        None if fraction is None or not values else _between(_between_spans, values, fraction)
        for fraction, values in zip(_fractions(call), groups.lists(column.tolist()), strict=True)
    ]
    return Column.of(call.result, found)


def _between(mix: Callable[[Any, Any, float], Any], values: list[Any], fraction: float) -> Any:
    place = fraction * (len(values) - 1)
    below, above = math.floor(place), math.ceil(place)
    return values[below] if below == above else mix(values[below], values[above], place - below)


def _between_numbers(low: float, high: float, share: float) -> float:
    return low + share * (high - low)


def _between_spans(low: Interval, high: Interval, share: float) -> Interval:
    return add(low, multiply(subtract(high, low), share))


# The most frequent value.


@aggregate("mode")
def _mode(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    groups, column = _groups(parts), columns[0]
    codes, _ = factorise(columns, groups.rows)
    numbers, codes = groups.codes[groups.order], codes[groups.order]
    new = np.ones(groups.rows, bool)
    new[1:] = (numbers[1:] != numbers[:-1]) | (codes[1:] != codes[:-1])
    starts = np.flatnonzero(new)
    lengths = np.diff(starts, append=groups.rows)
    found = np.full(groups.count, -1, np.int64)
    best = np.lexsort((-lengths, numbers[starts]))[
        ::-1
    ]  # the longest and first of each group is written last
    found[numbers[starts][best]] = groups.order[starts[best]]
    return column.take_or_null(found).as_type(call.result)
