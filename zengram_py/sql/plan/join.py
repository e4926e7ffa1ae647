"""Joins.

    Hash Join        both sides have keys that must be equal: matching.py; named Merge Join where the keys are numbers that are searched
    Nested Loop      any condition: every row meets every row, some at a time
    Lateral Join     the right side is run for each row of the left one, once for equal ones
                     (with an Index Lookup on the right it is how few rows are joined with a large table)

All take the kinds inner, left, right and full as far as they make sense. The right side is held, the left one streams.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ...text.postings import repeat
from ..bound import Bound, ColumnVar
from ..execute.column import Batch, Column, concatenate_batches
from ..execute.context import Context
from ..execute.expressions import Evaluator
from ..execute.ordering import factorise
from .basic import Free
from .matching import KeyMatcher, Numbers
from .node import Node

PAIRS_AT_ONCE = 262_144
Matcher = Callable[[Batch], Iterator[tuple[Numbers, Numbers]]]
"""Gives for a batch of the left side the pairs of rows that may belong together, (left places, right places), the left ones ascending."""


def joined_layout(left: Node, right: Node) -> dict[Bound, int]:
    """Return the layout of left columns followed by right ones."""
    first = len(left.types)
    return {**left.layout, **{value: first + place for value, place in right.layout.items()}}


class Join(Node):
    """What all joins share.

    Parameters
    ----------
    kind : str
        ``"inner"``, ``"left"``, ``"right"`` or ``"full"``.
    condition : Evaluator or None
        What has to be true of a pair, beside what the kind of join itself looks at; over the joined layout.
    """

    method = "Join"

    def __init__(
        self,
        kind: str,
        left: Node,
        right: Node,
        condition: Evaluator | None,
        free: Free,
        rows: float,
        cost: float,
        text: str = "",
    ) -> None:
        self.kind, self.condition, self.text = kind, condition, text
        super().__init__(
            joined_layout(left, right), [*left.types, *right.types], (left, right), free, rows, cost
        )

    def title(self) -> str:
        """Return what ``explain`` calls it."""
        return self.method if self.kind == "inner" else f"{self.method} ({self.kind})"

    def details(self) -> list[str]:
        """Return the condition."""
        return [f"Join Cond: {self.text}"] if self.text else []

    def run(self, context: Context) -> Iterator[Batch]:
        """Yield the joined rows."""
        right = self.below[1].whole(context)
        if not right.count and self.kind in ("inner", "right"):
            return
        run = self.matcher(context, right)
        matched_right = np.zeros(right.count, bool) if self.kind in ("right", "full") else None
        for left in self.below[0].batches(context):
            matched = np.zeros(left.count, bool) if self.kind in ("left", "full") else None
            for left_rows, right_rows in run(left):
                batch = self._joined(left, left_rows, right, right_rows)
                context.check(batch.count)
                if self.condition is not None:
                    true = np.flatnonzero(self.condition(context, batch).is_true(batch.count))
                    if len(true) != batch.count:
                        batch = batch.take(true)
                        left_rows, right_rows = left_rows[true], right_rows[true]
                if matched is not None:
                    matched[left_rows] = True
                if matched_right is not None:
                    matched_right[right_rows] = True
                if batch.count:
                    yield batch
            if matched is not None and not matched.all():
                alone = np.flatnonzero(~matched)
                yield self._joined(left, alone, right, np.full(len(alone), -1))
        if matched_right is not None and not matched_right.all():
            alone = np.flatnonzero(~matched_right)
            nothing = Batch([Column.of(t, []) for t in self.below[0].types], 0)
            yield self._joined(nothing, np.full(len(alone), -1), right, alone)

    def matcher(self, context: Context, right: Batch) -> Matcher:
        """Return what finds the pairs for a batch of the left side."""
        raise NotImplementedError

    @staticmethod
    def _joined(left: Batch, left_rows: Numbers, right: Batch, right_rows: Numbers) -> Batch:
        one = [_picked(c, left_rows) for c in left.columns]
        other = [_picked(c, right_rows) for c in right.columns]
        return Batch([*one, *other], len(left_rows))


def _picked(column: Column, rows: Numbers) -> Column:
    if len(rows) and rows[0] < 0:
        return column.take_or_null(rows)
    return column.take(rows)


class HashJoin(Join):
    """Rows with equal keys."""

    method = "Hash Join"

    def __init__(
        self,
        kind: str,
        left: Node,
        right: Node,
        left_keys: Sequence[Evaluator],
        right_keys: Sequence[Evaluator],
        condition: Evaluator | None,
        free: Free,
        rows: float,
        text: str = "",
        *,
        is_merge: bool = False,
    ) -> None:
        self.left_keys, self.right_keys = list(left_keys), list(right_keys)
        if is_merge:
            self.method = "Merge Join"
        cost = left.rows + 1.5 * right.rows + 0.2 * rows
        super().__init__(kind, left, right, condition, free, rows, cost, text)

    def matcher(self, context: Context, right: Batch) -> Matcher:
        """Return what finds the pairs for a batch of the left side."""
        keys = KeyMatcher([key(context, right) for key in self.right_keys], right.count)

        def run(left: Batch) -> Iterator[tuple[Numbers, Numbers]]:
            numbers = keys.numbers([key(context, left) for key in self.left_keys], left.count)
            if keys.is_unique:
                rows = np.flatnonzero(numbers >= 0)
                if len(rows):
                    yield rows, keys.first(numbers[rows])
                return
            ends = np.cumsum(keys.counts(numbers))
            start = 0
            while start < left.count:
                before = int(ends[start - 1]) if start else 0
                stop = max(start + 1, int(np.searchsorted(ends, before + PAIRS_AT_ONCE, side="right")))
                left_rows, right_rows = keys.pairs(numbers[start:stop])
                if len(left_rows):
                    yield left_rows + start, right_rows
                start = stop

        return run


class NestedLoop(Join):
    """Every row with every row, as far as the condition is true."""

    method = "Nested Loop"

    def __init__(
        self,
        kind: str,
        left: Node,
        right: Node,
        condition: Evaluator | None,
        free: Free,
        rows: float,
        text: str = "",
    ) -> None:
        super().__init__(kind, left, right, condition, free, rows, left.rows * right.rows * 0.2, text)

    def matcher(self, context: Context, right: Batch) -> Matcher:
        """Return what finds the pairs for a batch of the left side."""

        def run(left: Batch) -> Iterator[tuple[Numbers, Numbers]]:
            if not right.count:
                return
            step = max(1, PAIRS_AT_ONCE // right.count)
            for start in range(0, left.count, step):
                rows = np.arange(start, min(start + step, left.count))
                yield np.repeat(rows, right.count), np.tile(np.arange(right.count), len(rows))

        return run


class LateralJoin(Node):
    """The right side run for each row of the left one; once for rows that are equal in what it reads of them."""

    def __init__(
        self, kind: str, left: Node, right: Node, condition: Evaluator | None, free: Free, text: str = ""
    ) -> None:
        self.kind, self.condition, self.text = kind, condition, text
        rows = left.rows * max(right.rows, 1)
        super().__init__(joined_layout(left, right), [*left.types, *right.types], (left, right), free, rows)
        supplied = {
            (value.relation, value.column): place
            for value, place in left.layout.items()
            if isinstance(value, ColumnVar)
        }
        self.supply = [(key, supplied[key]) for key in sorted(right.free) if key in supplied]
        self.free = (left.free | free | right.free) - {key for key, _ in self.supply}
        self.cost = left.cost + left.rows * (right.cost + 1)

    def title(self) -> str:
        """Return what ``explain`` calls it."""
        return "Lateral Join" if self.kind == "inner" else f"Lateral Join ({self.kind})"

    def run(self, context: Context) -> Iterator[Batch]:
        """Yield the joined rows."""
        left_node, right_node = self.below
        for left in left_node.batches(context):
            places = [place for _, place in self.supply]
            codes, _ = factorise([left.columns[p] for p in places], left.count)
            _, first, back = np.unique(codes, return_index=True, return_inverse=True)
            results = []
            for row in first.tolist():
                with context.inside({key: left.columns[p].take(np.array([row])) for key, p in self.supply}):
                    results.append(right_node.whole(context))
            yield from self._joined(context, left, back, results)

    def _joined(self, context: Context, left: Batch, which: Numbers, results: list[Batch]) -> Iterator[Batch]:
        sizes = np.array([r.count for r in results], np.int64)
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        right = concatenate_batches(results, self.below[1].types)
        counts = sizes[which]
        left_rows = repeat(np.arange(left.count), counts)
        ends = np.cumsum(counts)
        within = np.arange(len(left_rows)) - repeat(ends - counts, counts)
        right_rows = repeat(starts[which], counts) + within
        context.check(len(left_rows))
        batch = Join._joined(left, left_rows, right, right_rows)
        if self.condition is not None and batch.count:
            true = np.flatnonzero(self.condition(context, batch).is_true(batch.count))
            batch, left_rows = batch.take(true), left_rows[true]
        if self.kind == "left":
            alone = np.setdiff1d(np.arange(left.count), left_rows)
            if len(alone):
                missing = Join._joined(left, alone, right, np.full(len(alone), -1))
                batch = concatenate_batches([batch, missing], self.types)
        if batch.count:
            yield batch
