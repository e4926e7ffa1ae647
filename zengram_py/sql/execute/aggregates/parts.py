"""Parts: what aggregates reduce: many parts of one sequence of rows, each to one value.

    groups   a b a a b          every row is in one part                 (execute/grouping.py)
    frames   [a b] [b a] [a a]  parts are stretches that may overlap     (execute/windows/frames.py)

An aggregate is written once over the few reductions that both have: totals (of what can be taken away again), extremes, totals of floats (in the
order of the rows, so that they have PostgreSQL's digits), lists. The rows that do not count are taken out before, by :meth:`Parts.where`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....text.postings import repeat
from ..column import Array, Mask

Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Runs:
    """Stretches of rows that do not overlap, and where in them answers stand that are computed from the stretch's begin on.

    Attributes
    ----------
    parts : slice or int array
        Which parts these are answers for, all of which have rows.
    rows : int array or None
        Places of the rows, stretch after stretch; None is all rows as they come.
    starts : int array
        Where stretches begin, ascending from 0 on.
    ends : int array
        For each of the parts the place of its last row, among ``rows``.
    """

    parts: Any
    rows: Places | None
    starts: Places
    ends: Places

    def arranged(self, values: Array) -> Array:
        """Return values of rows, stretch after stretch."""
        return values if self.rows is None else values[self.rows]

    def numbers(self, count: int) -> Places:
        """Return how far a row is from its stretch's begin, counted from 1."""
        found = np.arange(1, count + 1)
        starts: Places = repeat(self.starts, self.lengths(count))
        return found - starts

    def lengths(self, count: int) -> NDArray[np.intp]:
        """Return the stretches' lengths."""
        return np.diff(self.starts, append=count).astype(np.intp)


class Parts:
    """Parts of a sequence of rows.

    Attributes
    ----------
    count : int
        How many parts.
    rows : int
        How many rows the sequence has.
    """

    count: int
    rows: int

    @property
    def sizes(self) -> Places:
        """How many rows each part has."""
        raise NotImplementedError

    @property
    def empty(self) -> Mask | None:
        """Which parts have no rows; None if all have some."""
        found = self.sizes == 0
        return found if found.any() else None

    def where(self, kept: Mask) -> Parts:
        """Return the parts without some rows of the sequence, which are taken out of columns as well."""
        raise NotImplementedError

    def total(self, values: Array, add: np.ufunc = np.add) -> Array:
        """Return the sum of each part by an addition that can be undone: of int64 (modulo 2**64), Python's numbers, or bits by xor."""
        raise NotImplementedError

    def total_numerics(self, values: list[Any]) -> list[Any]:
        """Return the sum of Decimals of each part, with as many digits behind the point as the most among them."""
        raise NotImplementedError

    def total_floats(self, values: Array) -> Array:
        """Return the sum of each part, added in the values' type one after the other; -0.0 for nothing."""
        raise NotImplementedError

    def extreme(self, choose: np.ufunc, values: Array) -> Array:
        """Return what ``minimum``, ``maximum``, ``bitwise_and`` or ``bitwise_or`` gives for each part; anything for an empty one."""
        raise NotImplementedError

    def first(self) -> Places:
        """Return the place of each part's first row, -1 for an empty one."""
        raise NotImplementedError

    def lists(self, values: list[Any]) -> Iterator[list[Any]]:
        """Yield each part's values."""
        raise NotImplementedError

    def runs(self) -> Iterator[Runs]:
        """Yield the parts as stretches, several times if they overlap."""
        raise NotImplementedError


def accumulate(add: np.ufunc, values: Array, starts: Places) -> Array:
    """Return running values within each stretch, computed one row after the other as if it were alone.

    Stretches of about one length become the rows of a matrix together, so that neither many short ones nor few long ones
    cost a call each.

    Parameters
    ----------
    add : ufunc
        What joins two values.
    values : array
        Shape (n,).
    starts : int array
        Where stretches begin, ascending, the first at 0.
    """
    count = len(values)
    if len(starts) == 1:
        return np.asarray(add.accumulate(values))
    lengths = np.diff(starts, append=count)
    found = np.empty_like(values)
    classes = np.ceil(np.log2(np.maximum(lengths, 1))).astype(np.int64)
    for size in np.unique(classes).tolist():
        chosen = classes == size
        begin, length = starts[chosen], lengths[chosen]
        width = int(length.max())
        if width == 1:
            found[begin] = values[begin]
            continue
        steps = np.arange(width)
        inside = steps < length[:, None]
        places = begin[:, None] + np.where(inside, steps, 0)
        running = add.accumulate(values[places], axis=1)
        found[places[inside]] = running[inside]
    return found
