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
from ...errors import error
from ...functions.casting import cast_column
from ...functions.numerics import EXACT
from ...types import DATE_, TIMESTAMP_, SqlType
from ..aggregates.parts import Places
from ..aggregates.spans import INFINITE
from ..column import Array, Column, Mask, objects
from ..context import Context
from ..ordering import interval_microseconds
from ..units import most_scale, units_of
from .layout import SortedRows

_DAY = 86_400_000_000
_INT64 = 1 << 63
_EDGES = (_INT64 - 1, -_INT64)
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
    context : Context
        The run.
    rows : SortedRows
        The rows.
    column : Column
        The key, sorted.
    key : SortBy
        How it is sorted.
    """

    def __init__(self, context: Context, rows: SortedRows, column: Column, key: SortBy) -> None:
        self.rows = rows
        self.descending = key.descending
        self.keys = _keys(context, column.expanded(rows.count), rows.count)
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


def _keys(context: Context, column: Column, count: int) -> _Keys:
    name = column.type.name
    odd = column.is_null(count).copy()
    if name == "date":
        return _Keys(cast_column(context, column, DATE_, TIMESTAMP_, False).values, odd, column.type)
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
        return _moved_moments(numbers, offset, back=back)
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


def _moved_moments(moments: Array, span: Any, *, back: bool) -> _Moved:
    """Return moments less or plus a span; infinite ones stay."""
    if span == INFINITE[0]:
        edge = _EDGES[back]
        return moments, np.full_like(moments, edge), moments == _EDGES[not back]
    infinite = np.isin(moments, _EDGES)
    usual = np.where(infinite, 0, moments)
    return moments, np.where(infinite, moments, _moments(usual, span, back=back)), None


def _moments(moments: Array, span: Any, *, back: bool) -> Array:
    """Return moments less or plus a span: months first, then days and time."""
    months, days, microseconds = (-part if back else part for part in span)
    if months:
        date = np.floor_divide(moments, _DAY)
        month = date.astype("M8[D]").astype("M8[M]")
        day = date - month.astype("M8[D]").astype(np.int64)
        wanted = month + months
        begin = wanted.astype("M8[D]").astype(np.int64)
        length = (wanted + 1).astype("M8[D]").astype(np.int64) - begin
        moments = moments + (begin + np.minimum(day, length - 1) - date) * _DAY
    found: Array = moments + (days * _DAY + microseconds)
    return found
