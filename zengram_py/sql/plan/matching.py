"""Matching rows by keys: which rows of one side have a partner on the other.

The right side is numbered once: equal keys get equal numbers, and rows lie sorted by them. A row of the left side looks its number
up, and finds its partners as one run of sorted rows::

    right keys   b a b c        numbers  a 0  b 1  c 2        sorted rows  1 | 0 2 | 3
    left keys    c b x          numbers  2 1 -                runs         3 | 0 2 | -

Numbers of whole numbers of a small range, and of coded texts, are found without a search (a table); of others in sorted values by binary
search (a merge); of values without a fixed width in a dict (a hash). Null has no partner.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...text.postings import repeat
from ..execute.column import Column
from ..execute.ordering import keys_of

Numbers = NDArray[np.int64]
_OBJECT = np.dtype(object)


class _Part:
    """One column of the keys, numbered."""

    def __init__(self, column: Column, count: int) -> None:
        column = column.expanded(count)
        values = None if column.is_dictionary else column.values
        self.numbers: Numbers
        self._table: NDArray[np.int64] | None = None
        self._sorted: NDArray[Any] | None = None
        self._dict: dict[Any, int] | None = None
        self._low = 0
        if values is not None and values.dtype != _OBJECT:
            self._number_fixed(values, column.nulls)
            return
        numbers: dict[Any, int] = {}
        put = numbers.setdefault
        self._dict = numbers
        if column.is_dictionary:
            assert column.codes is not None
            _, first, back = np.unique(column.codes, return_index=True, return_inverse=True)
            of_used = [-1 if k is None else put(k, len(numbers)) for k in keys_of(column.take(first))]
            self.numbers = np.array(of_used, np.int64)[back] if len(back) else np.empty(0, np.int64)
        else:
            found = [-1 if k is None else put(k, len(numbers)) for k in keys_of(column)]
            self.numbers = np.array(found, np.int64)
        self.size = max(len(numbers), 1)

    def _number_fixed(self, values: NDArray[Any], nulls: Any) -> None:
        known = values if nulls is None else values[~nulls]
        if known.dtype.kind in "bi" and len(known):
            known = known.astype(np.int64)
            low, high = int(known.min()), int(known.max())
            if high - low <= 4 * len(known) + 1024:
                self._low, self.size = low, high - low + 1
                self._table = np.full(self.size, -1, np.int64)
                self._table[known - low] = known - low
                numbers = values.astype(np.int64) - low
                self.numbers = numbers if nulls is None else np.where(nulls, -1, numbers)
                return
        if known.dtype.kind == "f":
            known = known.astype(np.float64)
        self._sorted = np.unique(known)
        self.size = max(len(self._sorted), 1)
        numbers = np.searchsorted(self._sorted, values.astype(self._sorted.dtype))
        self.numbers = numbers if nulls is None else np.where(nulls, -1, numbers)

    def find(self, column: Column, count: int) -> Numbers:
        """Return the numbers of a column of the other side, -1 where there is no such key."""
        if self._dict is not None:
            return self._find_objects(column, count)
        values = column.values
        if self._table is not None:
            at = values.astype(np.int64) - self._low
            inside = (at >= 0) & (at < self.size)
            found = np.where(inside, self._table[np.where(inside, at, 0)], -1)
        else:
            assert self._sorted is not None
            if not len(self._sorted):
                return np.full(count, -1, np.int64)
            values = values.astype(self._sorted.dtype, copy=False)
            at = np.minimum(np.searchsorted(self._sorted, values), len(self._sorted) - 1)
            near = self._sorted[at]
            same = near == values
            if near.dtype.kind == "f":
                same |= np.isnan(near) & np.isnan(values)
            found = np.where(same, at, -1)
        if column.nulls is not None:
            found = np.where(column.nulls, -1, found)
        return np.broadcast_to(found, (count,)) if column.is_constant else found

    def _find_objects(self, column: Column, count: int) -> Numbers:
        assert self._dict is not None
        get = self._dict.get
        if column.is_dictionary:
            assert column.codes is not None
            _, first, back = np.unique(column.codes, return_index=True, return_inverse=True)
            numbers = [-1 if k is None else get(k, -1) for k in keys_of(column.take(first))]
            return np.array(numbers, np.int64)[back] if len(back) else np.empty(0, np.int64)
        found = np.array([-1 if k is None else get(k, -1) for k in keys_of(column)], np.int64)
        return np.broadcast_to(found, (count,)) if column.is_constant else found


class KeyMatcher:
    """The keys of one side, ready to be looked up.

    Parameters
    ----------
    columns : sequence of Column
        The parts of the keys.
    count : int
        Rows.
    """

    def __init__(self, columns: Sequence[Column], count: int) -> None:
        self.parts = [_Part(column, count) for column in columns]
        self._codes: NDArray[np.int64] | None = None
        numbers, self._size = self._combined([p.numbers for p in self.parts], count)
        if self._size > 4 * count + 1024:
            self._codes = np.unique(numbers[numbers >= 0])
            numbers = np.where(numbers < 0, -1, np.searchsorted(self._codes, numbers))
            self._size = len(self._codes)
        self.has_null = bool((numbers < 0).any())
        self.is_empty = count == 0
        known = np.flatnonzero(numbers >= 0)
        order = np.argsort(numbers[known], kind="stable")
        self.rows = known[order]
        counts = np.bincount(numbers[known], minlength=max(self._size, 1))
        self._starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
        self.is_unique = bool(counts.max(initial=0) <= 1)

    def _combined(self, parts: list[Numbers], count: int) -> tuple[Numbers, int]:
        found = np.zeros(count, np.int64)
        missing = np.zeros(count, bool)
        size = 1
        for part, numbers in zip(self.parts, parts, strict=True):
            if size * part.size >= 1 << 62:
                raise OverflowError("the keys have too many different values")
            found = found * part.size + numbers
            missing |= numbers < 0
            size *= part.size
        return np.where(missing, -1, found), size

    def numbers(self, columns: Sequence[Column], count: int) -> Numbers:
        """Return the numbers of the keys of the other side's rows, -1 for one without a partner."""
        found, _ = self._combined([p.find(c, count) for p, c in zip(self.parts, columns, strict=True)], count)
        if self._codes is not None:
            if not len(self._codes):
                return np.full(count, -1, np.int64)
            at = np.minimum(np.searchsorted(self._codes, found), len(self._codes) - 1)
            found = np.where((found >= 0) & (self._codes[at] == found), at, -1)
        has = np.where(found < 0, 0, self._starts[found + 1] - self._starts[found])
        return np.where(has > 0, found, -1)

    def counts(self, numbers: Numbers) -> Numbers:
        """Return how many partners rows have."""
        at = np.maximum(numbers, 0)
        return np.where(numbers < 0, 0, self._starts[at + 1] - self._starts[at])

    def first(self, numbers: Numbers) -> Numbers:
        """Return for each row its first partner, -1 for none."""
        if not len(self.rows):
            return np.full(len(numbers), -1, np.int64)
        at = np.where(numbers < 0, 0, self._starts[np.maximum(numbers, 0)])
        return np.where(numbers < 0, -1, self.rows[np.minimum(at, len(self.rows) - 1)])

    def pairs(self, numbers: Numbers) -> tuple[Numbers, Numbers]:
        """Return all pairs of partners: places on the other side, ascending, and places on this side."""
        counts = self.counts(numbers)
        left = repeat(np.arange(len(numbers)), counts)
        ends = np.cumsum(counts)
        total = int(ends[-1]) if len(ends) else 0
        starts = np.where(numbers < 0, 0, self._starts[np.maximum(numbers, 0)])
        offset = np.arange(total) - repeat(ends - counts, counts)
        return left, self.rows[repeat(starts, counts) + offset]
