"""Order and distinctness: sort, top-k, distinct, distinct on, and what set operations keep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ..execute.column import Batch, concatenate_batches
from ..execute.context import Context
from ..execute.expressions import Evaluator
from ..execute.ordering import factorise, keys_of, rank, sort_rows
from ..types import SqlType
from .basic import Free, count_of, outputs_layout
from .node import Node


class Sort(Node):
    """Rows in an order, of which only the first are wanted if there is a limit (top-k).

    Parameters
    ----------
    keys : sequence of (place, descending, nulls first)
        The first counts most.
    limit, offset : Evaluator or None
        How many of the first rows are wanted; the offset's rows are among them.
    """

    def __init__(
        self,
        below: Node,
        keys: Sequence[tuple[int, bool, bool]],
        limit: Evaluator | None = None,
        offset: Evaluator | None = None,
        free: Free = frozenset(),
        text: str = "",
    ) -> None:
        self.keys = list(keys)
        self.limit, self.offset, self.text = limit, offset, text
        cost = below.rows * (1 if limit is not None else 2)
        super().__init__(below.layout, below.types, (below,), free, below.rows, cost)

    def title(self) -> str:
        """Return what ``explain`` calls it."""
        return "Sort" if self.limit is None else "Top-N Sort"

    def details(self) -> list[str]:
        """Return the keys."""
        return [f"Sort Key: {self.text}"] if self.text else []

    def run(self, context: Context) -> Iterator[Batch]:
        """Yield the rows."""
        wanted = count_of(self.limit, context, "LIMIT")
        if wanted is not None:
            wanted += count_of(self.offset, context, "OFFSET") or 0
        if wanted is None:
            whole = self.below[0].whole(context)
            yield from in_parts(self._sorted(whole), context)
            return
        kept = Batch([], 0)
        for batch in self.below[0].batches(context):
            both = concatenate_batches([kept, batch], self.types) if kept.count else batch
            kept = self._sorted(self._best(both, wanted)).part(0, wanted) if wanted else kept
        if kept.count:
            yield kept

    def _sorted(self, batch: Batch) -> Batch:
        if batch.count < 2:
            return batch
        columns = [batch.columns[place] for place, _, _ in self.keys]
        order = sort_rows(columns, [d for _, d, _ in self.keys], [n for _, _, n in self.keys], batch.count)
        return batch.take(order)

    def _best(self, batch: Batch, wanted: int) -> Batch:
        """Return the rows that can be among the first, by the first key alone; more than those may come."""
        place, descending, nulls_first = self.keys[0]
        column = batch.columns[place]
        if batch.count <= 2 * wanted + 64 or column.is_constant:
            return batch
        ranks = rank(column)
        if ranks.dtype.kind == "f":
            if np.isnan(ranks).any():
                return batch
            ranks = -ranks if descending else ranks
        elif descending:
            ranks = ~ranks
        if column.nulls is not None:
            known = np.flatnonzero(~column.nulls)
            missing = np.flatnonzero(column.nulls)
            if nulls_first or len(known) <= wanted:
                return batch
            bound = np.partition(ranks[known], wanted - 1)[wanted - 1]
            _ = missing  # nulls come last, and there are enough rows before them
            return batch.take(known[ranks[known] <= bound])
        bound = np.partition(ranks, wanted - 1)[wanted - 1]
        return batch.take(np.flatnonzero(ranks <= bound))


def in_parts(batch: Batch, context: Context) -> Iterator[Batch]:
    """Yield a batch in parts of the size that the context wants."""
    for start in range(0, batch.count, context.batch_rows):
        yield batch.part(start, start + context.batch_rows)


class Distinct(Node):
    """Each different row once, the first of its kind; ``places`` are the columns that count, all if None."""

    def __init__(self, below: Node, places: Sequence[int] | None = None) -> None:
        self.places = list(range(len(below.types))) if places is None else list(places)
        super().__init__(
            below.layout, below.types, (below,), frozenset(), max(1, below.rows * 0.5), below.rows
        )

    def title(self) -> str:
        """Return what ``explain`` calls it."""
        return "Unique"

    def run(self, context: Context) -> Iterator[Batch]:
        """Yield the rows."""
        seen = SeenRows()
        for batch in self.below[0].batches(context):
            fresh = batch.take(seen.add(batch, self.places))
            if fresh.count:
                yield fresh


class SeenRows:
    """Rows that were seen, by their keys."""

    def __init__(self) -> None:
        self._seen: set[object] = set()

    def add(self, batch: Batch, places: Sequence[int]) -> NDArray[np.int64]:
        """Note rows; return the places of those that are new, each different one once."""
        codes, _ = factorise([batch.columns[i] for i in places], batch.count)
        _, first = np.unique(codes, return_index=True)
        first.sort()
        part = batch.take(first)
        lists = [keys_of(part.columns[i].expanded(part.count)) for i in places]
        keys = list(zip(*lists, strict=True)) if lists else [()] * part.count
        seen = self._seen
        if not seen:
            seen.update(keys)
            return first
        fresh = [i for i, key in enumerate(keys) if key not in seen]
        seen.update(keys[i] for i in fresh)
        return first[np.array(fresh, np.int64)]


class SetOperation(Node):
    """``intersect`` and ``except``, with duplicates or without."""

    def __init__(
        self, kind: str, keeps_duplicates: bool, left: Node, right: Node, types: Sequence[SqlType]
    ) -> None:
        self.kind, self.keeps_duplicates = kind, keeps_duplicates
        cost = left.rows + right.rows
        super().__init__(outputs_layout(types), types, (left, right), frozenset(), left.rows * 0.5, cost)

    def title(self) -> str:
        """Return what ``explain`` calls it."""
        return f"SetOp {self.kind.capitalize()}{' All' if self.keeps_duplicates else ''}"

    def run(self, context: Context) -> Iterator[Batch]:
        """Yield the rows of the left query that the right one leaves."""
        left, right = self.below[0].whole(context), self.below[1].whole(context)
        both = concatenate_batches([left, right], self.types)
        if not left.count:
            return
        columns = [c.expanded(both.count) for c in both.columns]
        codes, _ = factorise(columns, both.count)
        _, codes = np.unique(codes, return_inverse=True)
        size = int(codes.max()) + 1
        mine, theirs = codes[: left.count], codes[left.count :]
        others = np.bincount(theirs, minlength=size)
        if self.keeps_duplicates:
            order = np.argsort(mine, kind="stable")
            starts = np.searchsorted(mine[order], mine[order])
            number = np.empty(left.count, np.int64)
            number[order] = np.arange(left.count) - starts  # the n-th of its kind
            inside = number < others[mine]
            rows = np.flatnonzero(inside if self.kind == "intersect" else ~inside)
        else:
            _, first = np.unique(mine, return_index=True)
            first.sort()
            has = others[mine[first]] > 0
            rows = first[has if self.kind == "intersect" else ~has]
        if len(rows):
            yield from in_parts(both.take(rows), context)
