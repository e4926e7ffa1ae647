"""The plan of a whole query: made again when its tables have grown out of it.

Changes in ``with`` run after the query has taken all of its rows, and read what was there when the statement began.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...engine.reader import Reader
from ..bound import BoundQuery
from ..execute.column import Batch
from ..execute.context import Context
from ..point import PointRead
from .node import Node
from .planner import Planner

_GROWN, _SMALL = 4, 1000
Rows = list[tuple[Any, ...]]


class QueryPlan:
    """A bound query, planned.

    Attributes
    ----------
    node : Node
        Its plan.
    planner : Planner
        What made it.
    point : PointRead or None
        The short way of a query that reads the row of one key (point.py).
    """

    def __init__(self, bound: BoundQuery, reader: Reader) -> None:
        self.bound = bound
        self._plan(reader)

    def _plan(self, reader: Reader) -> None:
        self.planner = Planner(reader, self.bound)
        self.node: Node = self.planner.query(self.bound)
        self._changes = self.planner.changes
        self.point = None if self._changes else PointRead.of(self.node)

    def ready_for(self, reader: Reader) -> None:
        """Plan again if a table has many more, or many fewer, rows than when the plan was made."""
        if grown(self.planner.sizes, reader):
            self._plan(reader)

    def rows(self, context: Context) -> Rows:
        """Return all rows in stored form."""
        if self.point is not None:
            return self.point.rows(context)
        found: Rows = []
        for batch in self.batches(context):
            found += rows_of(batch)
        return found

    def batches(self, context: Context) -> Iterator[Batch]:
        """Yield the rows."""
        self.ready_for(context.transaction.reader)
        if not self._changes:
            return self.node.batches(context)
        return self._with_changes(context)

    def _with_changes(self, context: Context) -> Iterator[Batch]:
        context.freeze()
        whole = self.node.whole(context)
        run_changes(self._changes, context)
        yield whole


def grown(sizes: Mapping[int, float], reader: Reader) -> bool:
    """Return whether a table has many more, or many fewer, rows than when a plan was made."""
    for table, rows in sizes.items():
        now = len(reader.stores[table])
        if now > _GROWN * rows + _SMALL or rows > _GROWN * now + _SMALL:
            return True
    return False


def run_changes(changes: list[Node], context: Context) -> None:
    """Run the changes of a ``with`` that nobody has read from."""
    for change in changes:
        if change not in context.results:
            context.results[change] = change.whole(context)


def rows_of(batch: Batch) -> Rows:
    """Return a batch's rows in stored form."""
    lists = [c.expanded(batch.count).tolist() for c in batch.columns]
    return list(zip(*lists, strict=True)) if lists else [()] * batch.count
