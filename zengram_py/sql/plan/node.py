"""Nodes of a plan: each takes batches from those below and gives batches.

    Project
      Sort                     a node knows what its columns are (layout), how many rows it expects, and how to run
        Filter
          Scan

A node holds nothing of a run: what a run knows is in its :class:`Context`, so that one plan serves many runs, also several at once.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from ..bound import Bound
from ..execute.column import Batch, concatenate_batches
from ..execute.context import Context
from ..nodes import node
from ..stack import MAX_DEPTH, too_deep
from ..types import SqlType


@node(slots=True)
class Measured:
    """What ``explain analyze`` found of one node."""

    rows: int = 0
    seconds: float = 0.0
    loops: int = 0


class Node:
    """A part of a plan.

    Attributes
    ----------
    layout : dict of Bound to int
        Which values stand where in its batches.
    types : list of SqlType
        Of its columns.
    below : tuple of Node
        What it takes rows from.
    free : frozenset of (int, int)
        Columns of queries around that it reads: (relation, column).
    rows : float
        How many rows it is expected to give.
    cost : float
        What a run is expected to take, those below included; 1 is what looking at a row costs.
    """

    def __init__(
        self,
        layout: dict[Bound, int],
        types: Sequence[SqlType],
        below: tuple[Node, ...] = (),
        free: frozenset[tuple[int, int]] = frozenset(),
        rows: float = 1.0,
        cost: float = 0.0,
    ) -> None:
        self.layout = layout
        self.types = list(types)
        self.below = below
        self.free: frozenset[tuple[int, int]] = free.union(*(node.free for node in below))
        self.rows: float = rows
        self.cost: float = cost + sum(node.cost for node in below)
        self.depth: int = 1 + max([node.depth for node in below], default=0)
        if self.depth > MAX_DEPTH:
            raise too_deep()

    def title(self) -> str:
        """Return what ``explain`` calls it."""
        return type(self).__name__

    def details(self) -> list[str]:
        """Return more lines for ``explain``."""
        return []

    def run(self, context: Context) -> Iterator[Batch]:
        """Yield the rows."""
        raise NotImplementedError

    def batches(self, context: Context) -> Iterator[Batch]:
        """Yield the rows, measured if somebody wants to know."""
        if context.profile is None:
            return self.run(context)
        return self._measured(context)

    def _measured(self, context: Context) -> Iterator[Batch]:
        assert context.profile is not None
        found = context.profile.setdefault(self, Measured())
        found.loops += 1
        batches = self.run(context)
        while True:
            start = time.perf_counter()
            batch = next(batches, None)
            found.seconds += time.perf_counter() - start
            if batch is None:
                return
            found.rows += batch.count
            yield batch

    def whole(self, context: Context) -> Batch:
        """Return all rows as one batch."""
        return concatenate_batches(list(self.batches(context)), self.types)
