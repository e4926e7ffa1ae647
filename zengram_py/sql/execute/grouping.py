"""Groups: rows with equal keys, as a number for each row.

    keys      b a b c        numbers   0 1 0 2        first   0 1 3

Numbers are given in the order in which groups appear. Reductions go by these numbers without sorting; only what needs a group's rows
side by side (lists, running values) sorts them, once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal, localcontext
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..functions.numerics import EXACT
from .aggregates.parts import Parts, Places, Runs
from .column import Array, Column, Mask, Rows
from .digits import order_of
from .ordering import factorise


class Groups(Parts):
    """Rows by groups; each is in one.

    Parameters
    ----------
    codes : intp array
        The number of each row's group; of the type that numpy indexes by, which is much quicker where that has 32 bits.
    count : int
        How many groups; some may have no rows.
    """

    def __init__(self, codes: NDArray[Any], count: int) -> None:
        self.codes = codes
        self.count = count
        self.rows = len(codes)

    @cached_property
    def sizes(self) -> Places:
        """How many rows each group has."""
        return np.bincount(self.codes, minlength=self.count).astype(np.int64)

    @cached_property
    def order(self) -> Places:
        """The places of the rows, group after group; within a group as they come."""
        return order_of([self.codes], self.rows)

    @property
    def starts(self) -> Places:
        """Where each group begins in :attr:`order`."""
        return np.cumsum(self.sizes) - self.sizes

    def where(self, kept: Mask) -> Groups:
        """Return the groups without some rows."""
        return self.at(kept)

    def at(self, rows: Rows) -> Groups:
        """Return the groups with some rows, in the order of their places."""
        return Groups(self.codes[rows], self.count)

    def total(self, values: Array, add: np.ufunc = np.add) -> Array:
        """Return the sum of each group."""
        found = np.zeros(self.count, values.dtype)
        add.at(found, self.codes, values)
        return found

    def total_numerics(self, values: list[Any]) -> list[Any]:
        """Return the sum of Decimals of each group."""
        found: list[Any] = [Decimal(0)] * self.count
        with localcontext(EXACT):
            for code, value in zip(self.codes.tolist(), values, strict=True):
                found[code] += value
        return found

    def total_floats(self, values: Array) -> Array:
        """Return the sum of each group."""
        found = np.full(self.count, -0.0, values.dtype)
        np.add.at(found, self.codes, values)
        return found

    def extreme(self, choose: np.ufunc, values: Array) -> Array:
        """Return the extreme of each group."""
        found = np.zeros(self.count, values.dtype)
        found[self.codes] = values  # any row's value is a beginning
        choose.at(found, self.codes, values)
        return found

    def first(self) -> Places:
        """Return the place of each group's first row."""
        found = np.full(self.count, -1, np.int64)
        found[self.codes[::-1]] = np.arange(self.rows - 1, -1, -1)
        return found

    def lists(self, values: list[Any]) -> Iterator[list[Any]]:
        """Yield each group's values."""
        ordered = [values[place] for place in self.order.tolist()]
        start = 0
        for size in self.sizes.tolist():
            yield ordered[start : start + size]
            start += size

    def runs(self) -> Iterator[Runs]:
        """Yield the groups that have rows."""
        full = np.flatnonzero(self.sizes)
        if len(full):
            starts = self.starts[full]
            yield Runs(full, self.order, starts, starts + self.sizes[full] - 1)


def group_rows(keys: Sequence[Column], count: int) -> tuple[Groups, Places]:
    """Return the groups of rows with equal keys, and each group's first row.

    Nulls are equal to each other here.
    """
    if not keys:
        return Groups(np.zeros(count, np.intp), 1), np.zeros(1, np.int64)
    codes, size = factorise(keys, count)
    first = np.full(size, count, np.int64)
    first[codes[::-1]] = np.arange(count - 1, -1, -1)
    used = np.flatnonzero(first < count)
    used = used[np.argsort(first[used], kind="stable")]
    numbers = np.empty(size, np.intp)
    numbers[used] = np.arange(len(used))
    return Groups(numbers[codes], len(used)), first[used]


def distinct_rows(groups: Groups, columns: Sequence[Column]) -> Places:
    """Return the places of the first rows with each different combination of values in each group, ascending."""
    codes, size = factorise(columns, groups.rows)
    if size * groups.count < 4 * groups.rows + 1024:
        codes = codes * groups.count + groups.codes
        first = np.full(size * groups.count, -1, np.int64)
        first[codes[::-1]] = np.arange(groups.rows - 1, -1, -1)
        return np.sort(first[first >= 0])
    _, first = np.unique(codes * groups.count + groups.codes, return_index=True)
    return np.sort(first).astype(np.int64)
