"""Frames: stretches of sorted rows that overlap, reduced without looking at every row of every frame.

    totals      the difference of two running totals                              n additions
    extremes    the extreme of two stretches of 2^k rows that cover the frame     n log n
    floats      running sums where frames only grow; otherwise row by row as PostgreSQL does, or, if that would take too long,
                the sum of stretches of 2^k rows

``exclude`` cuts a frame into up to three *pieces*, so a frame here is a list of stretches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np

from ....text.postings import repeat
from ...functions.numerics import EXACT, NAN, scale_of
from ..aggregates.parts import Parts, Places, Runs, accumulate
from ..column import Array, Mask, objects
from ..units import most_scale, units_of

Piece = tuple[Places, Places]
_AT_ONCE = 1 << 19
"""Rows of frames that are written out at once."""
_MOST = 1 << 23
"""Rows of frames that are written out at all."""
_ZERO = Decimal(0)
_UNDO: dict[np.ufunc, np.ufunc] = {np.add: np.subtract, np.bitwise_xor: np.bitwise_xor}


class Frames(Parts):
    """Frames of rows.

    Parameters
    ----------
    pieces : sequence of (int array, int array)
        For every frame, where its first, second, … stretch begins and ends (before the second number); ascending, and empty where a
        frame has fewer.
    rows : int
        How many rows there are.
    """

    def __init__(self, pieces: Sequence[Piece], rows: int) -> None:
        self.pieces = list(pieces)
        self.count = len(pieces[0][0])
        self.rows = rows

    @cached_property
    def sizes(self) -> Places:
        """How many rows each frame has."""
        found = np.zeros(self.count, np.int64)
        for start, end in self.pieces:
            found += end - start
        return found

    def where(self, kept: Mask) -> Frames:
        """Return the frames without some rows."""
        places = _before(kept)
        return Frames([(places[s], places[e]) for s, e in self.pieces], int(places[-1]))

    def different(self) -> tuple[Frames, Places | None]:
        """Return the frames without repeats of the one before, and for each the number that stands for it; None if that is its own."""
        new = np.zeros(self.count, bool)
        new[:1] = True
        for bounds in self.pieces:
            for bound in bounds:
                new[1:] |= bound[1:] != bound[:-1]
        if new.all():
            return self, None
        kept = np.flatnonzero(new)
        return self.at(kept), np.cumsum(new) - 1

    def at(self, frames: Places) -> Frames:
        """Return some of the frames."""
        return Frames([(s[frames], e[frames]) for s, e in self.pieces], self.rows)

    def total(self, values: Array, add: np.ufunc = np.add) -> Array:
        """Return the sum of each frame, from running sums."""
        undo = _UNDO[add]
        running = np.zeros(self.rows + 1, values.dtype)
        if self.rows:
            add.accumulate(values, out=running[1:])
        found = np.zeros(self.count, values.dtype)
        for start, end in self.pieces:
            found = add(found, undo(running[end], running[start]))
        return found

    def total_numerics(self, values: list[Any]) -> list[Any]:
        """Return the sum of Decimals of each frame, from running sums of whole numbers."""
        finite = [v.is_finite() for v in values]
        known = values if all(finite) else [v if f else _ZERO for v, f in zip(values, finite, strict=True)]
        most = most_scale(known) or 0
        scales = np.array([scale_of(v) for v in known] if most else [], np.int64)
        shown = self.extreme(np.maximum, scales).tolist() if most else [0] * self.count
        found = [
            Decimal(total // 10 ** (most - scale)).scaleb(-scale, EXACT)
            for total, scale in zip(self.total(objects(units_of(known, most))).tolist(), shown, strict=True)
        ]
        if not all(finite):
            self._put_specials(values, found)
        return found

    def _put_specials(self, values: list[Any], found: list[Any]) -> None:
        """Write the sums of frames with NaN and infinities."""
        kinds = [
            self.total(np.array([test(v) for v in values], np.int64)).tolist()
            for test in (Decimal.is_nan, lambda v: v == Decimal("inf"), lambda v: v == Decimal("-inf"))
        ]
        for i, (nan, above, below) in enumerate(zip(*kinds, strict=True)):
            if nan or (above and below):
                found[i] = NAN
            elif above or below:
                found[i] = Decimal("inf") if above else Decimal("-inf")

    def total_floats(self, values: Array) -> Array:
        """Return the sum of each frame."""
        found = np.full(self.count, -0.0, values.dtype)
        if self.is_long:
            (sums,) = self.combined((values,), lambda a, b: (a[0] + b[0],))
            return np.where(self.sizes > 0, sums, found)
        for run in self.runs():
            running = accumulate(np.add, run.arranged(values), run.starts)
            found[run.parts] = running[run.ends]
        return found

    def extreme(self, choose: np.ufunc, values: Array) -> Array:
        """Return the extreme of each frame."""
        found = np.zeros(self.count, values.dtype)
        if not self.rows:
            return found
        known = np.zeros(self.count, bool)
        levels = [_logarithms(e - s) for s, e in self.pieces]
        table, width = values, 1
        for level in range(max(int(each.max(initial=-1)) for each in levels) + 1):
            if level:
                table = choose(table[:-width], table[width:])
                width *= 2
            for (start, end), each in zip(self.pieces, levels, strict=True):
                here = np.flatnonzero(each == level)
                if len(here):
                    piece = choose(table[start[here]], table[end[here] - width])
                    found[here] = np.where(known[here], choose(found[here], piece), piece)
                    known[here] = True
        return found

    def first(self) -> Places:
        """Return each frame's first row."""
        return self.nth(np.zeros(self.count, np.int64))

    def last(self) -> Places:
        """Return each frame's last row."""
        return self.nth(self.sizes - 1)

    def nth(self, numbers: Places) -> Places:
        """Return the place of a row of each frame by its number there, from 0 on; -1 if there is none."""
        found = np.full(self.count, -1, np.int64)
        rest = numbers.copy()
        for start, end in self.pieces:
            length = end - start
            here = (rest >= 0) & (rest < length)
            found[here] = start[here] + rest[here]
            rest = np.where(here, -1, rest - length)
        return found

    def lists(self, values: list[Any]) -> Iterator[list[Any]]:
        """Yield each frame's values."""
        bounds = [(s.tolist(), e.tolist()) for s, e in self.pieces]
        (first, last), *more = bounds
        for i in range(self.count):
            found = values[first[i] : last[i]]
            for start, end in more:
                found += values[start[i] : end[i]]
            yield found

    @cached_property
    def is_long(self) -> bool:
        """Whether going through all rows of all frames would take too long."""
        return self._growing is None and int(self.sizes.sum()) > _MOST

    @cached_property
    def _growing(self) -> Runs | None:
        """The frames as growing stretches, if no stretch reaches into the next one."""
        if len(self.pieces) > 1 or not self.rows:
            return None
        full = np.flatnonzero(self.sizes)
        start, end = (bound[full] for bound in self.pieces[0])
        begins = np.unique(start)
        if not len(begins):
            return None
        following = np.append(begins[1:], self.rows)
        if (end > following[np.searchsorted(begins, start)]).any():
            return None
        if begins[0]:
            begins = np.insert(begins, 0, 0)
        return Runs(full, None, begins, end - 1)

    def runs(self) -> Iterator[Runs]:
        """Yield growing frames at once, others written out row by row, some at a time."""
        if self._growing is not None:
            yield self._growing
            return
        full = np.flatnonzero(self.sizes)
        upto = np.cumsum(self.sizes[full])
        at = 0
        while at < len(full):
            before = int(upto[at - 1]) if at else 0
            stop = max(at + 1, int(np.searchsorted(upto, before + _AT_ONCE, "right")))
            chosen = full[at:stop]
            ends = upto[at:stop] - before
            yield Runs(chosen, self._written_out(chosen), np.append(0, ends[:-1]), ends - 1)
            at = stop

    def _written_out(self, frames: Places) -> Places:
        """Return the places of all rows of some frames, frame after frame."""
        starts = np.stack([start[frames] for start, _ in self.pieces], axis=1).ravel()
        ends = np.stack([end[frames] for _, end in self.pieces], axis=1).ravel()
        lengths = (ends - starts).astype(np.intp)
        first = np.cumsum(lengths) - lengths
        found: Places = np.arange(int(lengths.sum())) + repeat(starts - first, lengths)
        return found

    def combined(
        self,
        leaves: tuple[Array, ...],
        combine: Callable[[tuple[Array, ...], tuple[Array, ...]], tuple[Array, ...]],
    ) -> tuple[Array, ...]:
        """Return states of frames, put together from those of stretches of 2^k rows.

        Parameters
        ----------
        leaves : tuple of array
            The states of single rows, each part of a state an array.
        combine : callable
            The states of two stretches, the second behind the first, as that of both.
        """
        found = tuple(np.zeros(self.count, leaf.dtype) for leaf in leaves)
        known = np.zeros(self.count, bool)
        places = [start.copy() for start, _ in self.pieces]
        lengths = [end - start for start, end in self.pieces]
        longest = max(int(length.max(initial=0)) for length in lengths)
        table, width = leaves, 1
        while width <= longest:
            for place, length in zip(places, lengths, strict=True):
                here = np.flatnonzero(length & width)
                if not len(here):
                    continue
                piece = tuple(part[place[here]] for part in table)
                joined = combine(tuple(part[here] for part in found), piece)
                for part, both, alone in zip(found, joined, piece, strict=True):
                    part[here] = np.where(known[here], both, alone)
                known[here] = True
                place[here] += width
            table = combine(tuple(part[:-width] for part in table), tuple(part[width:] for part in table))
            width *= 2
        return found


def _before(kept: Mask) -> Places:
    """Return for each place how many rows are kept before it, and at the end how many in all."""
    found = np.zeros(len(kept) + 1, np.int64)
    np.cumsum(kept, out=found[1:])
    return found


def _logarithms(lengths: Places) -> Places:
    """Return the greatest k with 2**k <= length; -1 for 0."""
    _, exponents = np.frexp(lengths.astype(np.float64))
    return exponents.astype(np.int64) - 1
