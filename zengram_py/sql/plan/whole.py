"""The plan of a whole query: made again when its tables have grown out of it, with a short way for the rows of one key.

    select … from t where id = $1        key ──▶ index ──▶ row: no batch is made

Changes in ``with`` run after the query has taken all of its rows, and read what was there when the statement began.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...engine.keys import key_form
from ...engine.reader import Reader
from ..bound import BoundQuery, ColumnVar, Const, Param
from ..execute.column import Batch
from ..execute.context import Context
from .basic import Project
from .node import Node
from .planner import Planner
from .scan import IndexLookup

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
    """

    def __init__(self, bound: BoundQuery, reader: Reader) -> None:
        self.bound = bound
        self._plan(reader)

    def _plan(self, reader: Reader) -> None:
        self.planner = Planner(reader, self.bound)
        self.node: Node = self.planner.query(self.bound)
        self._changes = self.planner.changes
        self._point = None if self._changes else _point(self.node)

    def ready_for(self, reader: Reader) -> None:
        """Plan again if a table has many more, or many fewer, rows than when the plan was made."""
        if grown(self.planner.sizes, reader):
            self._plan(reader)

    def rows(self, context: Context) -> Rows:
        """Return all rows in stored form."""
        if self._point is not None:
            return self._point(context)
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


def _point(node: Node) -> Callable[[Context], Rows] | None:
    """Return the short way of a plan that reads columns of the row of one key of a unique index; None if it is no such plan."""
    if not isinstance(node, Project) or not isinstance(node.below[0], IndexLookup):
        return None
    scan = node.below[0]
    if scan.as_of is not None or len(scan.key_values) != 1 or not scan.index.unique:
        return None
    values = scan.key_values[0]
    if len(scan.conditions) != len(values) or not all(isinstance(v, (Param, Const)) for v in values):
        return None
    if not all(isinstance(t, ColumnVar) and t in scan.layout for t in node.targets):
        return None
    table, index = scan.table, scan.index
    numbers = [table.columns[t.column].id for t in node.targets if isinstance(t, ColumnVar)]
    fixed = [
        None if isinstance(v, Param) else key_form(v.value) for v in values if isinstance(v, (Param, Const))
    ]
    places = [(i, v.number - 1) for i, v in enumerate(values) if isinstance(v, Param)]

    def rows(context: Context) -> Rows:
        key = fixed.copy()
        parameters = context.parameters
        for i, place in places:
            key[i] = key_form(parameters[place])
        if None in key:
            return []
        found = context.reader.rows_of_key(table, index, tuple(key))
        return [tuple([row[n] for n in numbers]) for _, row in found]

    return rows
