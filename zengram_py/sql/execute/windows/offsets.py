"""``range`` with an offset: which rows have a key that is so much less or greater than a row's own.

Keys become numbers that can be added to and compared: dates and timestamps are microseconds, spans as well (a month has thirty days
there). Then a binary search runs for all rows at once. Rows whose key is null or NaN have their peers as their frame.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from ...bound import SortBy
from ...civil import INFINITY, MINUS_INFINITY
from ...errors import error
from ...functions.moments import later, to_timestamps
from ...functions.numerics import EXACT
from ...functions.spans import infinity
from ...types import SqlType
from ..aggregates.parts import Places
from ..column import Array, Column, Mask, objects
from ..ordering import interval_microseconds
from ..units import most_scale, units_of
from .layout import SortedRows

_INT64 = 1 << 63
_ZERO = Decimal(0)
_Moved = tuple[Array, Array, Mask | None]


@dataclass(frozen=True, slots=True)
class _Keys:
    """The keys as numbers, and which are none."""

    numbers: Array
    odd: Mask
    type: SqlType


class RangeOffsets:
    """Finds bounds of ``range`` frames.

    Parameters
    ----------
    rows : SortedRows
        The rows.
    column : Column
        The key, sorted.
    key : SortBy
        How it is sorted.
    """

    def __init__(self, rows: SortedRows, column: Column, key: SortBy) -> None:
        self.rows = rows
        self.descending = key.descending
        self.keys = _keys(column.expanded(rows.count), rows.count)
        usual = np.zeros(rows.count + 1, np.int64)
        np.cumsum(~self.keys.odd, out=usual[1:])
        # In each partition the rows with usual keys stand together.
        places = np.append(np.flatnonzero(~self.keys.odd), rows.count)
        self.first = np.minimum(places[usual[rows.starts]], rows.ends)
        self.last = self.first + usual[rows.ends] - usual[rows.starts]

    def bound(self, offset: Any, preceding: bool, is_end: bool) -> Places:
        """Return for each row the bound that lies an offset away."""
        rows, keys = self.rows, self.keys
        if not rows.count:
            return rows.starts
        peers = rows.peer_ends if is_end else rows.peer_starts
        numbers, wanted, no_sum = _moved(keys, offset, back=preceding is not self.descending)
        if self.descending:
            before: Callable[[Any, Any], Any] = np.greater_equal if is_end else np.greater
        else:
            before = np.less_equal if is_end else np.less
        found = _searched(numbers, wanted, self.first, self.last, before)
        if no_sum is not None:  # infinity less infinity: everything is in such a frame
            found = np.where(no_sum, self.last if is_end else self.first, found)
        return np.where(keys.odd, peers, found)


def _searched(
    keys: Array, wanted: Array, first: Places, last: Places, before: Callable[[Any, Any], Any]
) -> Places:
    """Return for each row the first place in a stretch whose key is not before what is wanted."""
    low, high = first.copy(), last.copy()
    most = len(keys) - 1
    for _ in range(int((last - first).max(initial=0)).bit_length()):
        middle = (low + high) // 2
        is_before = before(keys[np.minimum(middle, most)], wanted).astype(bool) & (low < high)
        low = np.where(is_before, middle + 1, low)
        high = np.where(is_before, high, np.minimum(middle, high))
    return low


def _keys(column: Column, count: int) -> _Keys:
    name = column.type.name
    odd = column.is_null(count).copy()
    if name == "date":
        return _Keys(to_timestamps(column.values, ~odd), odd, column.type)
    if name in ("numeric", "interval"):
        numbers = column.tolist()
        if name == "interval":
            spans = [0 if v is None else interval_microseconds(v) for v in numbers]
            return _Keys(_whole_numbers(spans), odd, column.type)
        odd |= np.array([v is not None and v.is_nan() for v in numbers], bool)
        return _Keys(objects([_ZERO if v is None or v.is_nan() else v for v in numbers]), odd, column.type)
    values = column.values
    if values.dtype.kind == "f":
        values = values.astype(np.float64)
        odd |= np.isnan(values)
        return _Keys(np.where(odd, 0.0, values), odd, column.type)
    return _Keys(values.astype(np.int64), odd, column.type)


def _moved(keys: _Keys, offset: Any, *, back: bool) -> _Moved:
    """Return the keys, the keys less or plus an offset, and where that is no number.

    Raises
    ------
    SqlError
        22013 if the offset is negative or NaN.
    """
    numbers, name = keys.numbers, keys.type.name
    if name in ("date", "timestamp"):
        _check(interval_microseconds(offset) >= 0)
        return _moved_moments(keys, offset, back=back)
    if name == "time":
        offset = offset.microseconds
    elif name == "interval":
        offset = interval_microseconds(offset)
    _check(offset == offset and offset >= 0)
    if numbers.dtype.kind == "f":
        with np.errstate(all="ignore"):
            found = numbers - offset if back else numbers + offset
        return numbers, found, np.isnan(found)
    if name == "numeric":
        return _moved_exactly(numbers, offset, back=back)
    return _moved_whole(numbers, offset, back=back)


def _check(is_right: bool) -> None:
    if not is_right:
        raise error("22013", "invalid preceding or following size in window function")


def _moved_exactly(keys: Array, offset: Any, *, back: bool) -> _Moved:
    numbers = keys.tolist()
    scale = most_scale([*numbers, offset])
    if scale is not None:
        *units, step = units_of([*numbers, offset], scale)
        return _moved_whole(_whole_numbers(units), step, back=back)
    move = EXACT.subtract if back else EXACT.add
    found = [move(number, offset) for number in numbers]
    no_sum = np.array([number.is_nan() for number in found], bool)
    return keys, objects([_ZERO if number.is_nan() else number for number in found]), no_sum


def _whole_numbers(numbers: list[int]) -> Array:
    """Return whole numbers as int64 if they fit."""
    fits = min(numbers, default=0) >= -_INT64 and max(numbers, default=0) < _INT64
    return np.array(numbers, np.int64) if fits else objects(numbers)


def _moved_whole(numbers: Array, offset: int, *, back: bool) -> _Moved:
    if numbers.dtype.kind == "i" and offset + max(-int(numbers.min()), int(numbers.max())) >= _INT64:
        numbers = numbers.astype(object)
    return numbers, numbers - offset if back else numbers + offset, None


def _moved_moments(keys: _Keys, span: Any, *, back: bool) -> _Moved:
    moments = keys.numbers
    if infinity(span):
        edge, other = (MINUS_INFINITY, INFINITY) if back else (INFINITY, MINUS_INFINITY)
        return moments, np.full_like(moments, edge), moments == other
    return moments, later(moments, objects([span]), ~keys.odd, -1 if back else 1), None
