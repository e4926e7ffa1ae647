"""Common table expressions: computed once in a run and read by name, or, recursive ones, round by round."""

from __future__ import annotations

from collections.abc import Iterator

from ..bound import Bound, ColumnVar, Cte, CteSource
from ..execute.column import Batch, concatenate_batches
from ..execute.context import Context
from .basic import outputs_layout
from .node import Node
from .sort import SeenRows, in_parts


def work_table(number: int) -> tuple[int, int]:
    """Return what stands among the free columns of a plan for the rows of a recursive query's last round."""
    return -2 - number, 0


class CteScan(Node):
    """The rows of a common table expression."""

    def __init__(self, source: CteSource, name: str, below: Node, *, once: bool = False) -> None:
        layout: dict[Bound, int] = {
            ColumnVar(o.type, source.relation, i, o.name): i for i, o in enumerate(source.outputs)
        }
        self.name = name
        self.streams = once and isinstance(below, Recursive)  # who wants few rows runs few rounds
        super().__init__(layout, [o.type for o in source.outputs], (below,), frozenset(), below.rows)

    def title(self) -> str:
        """Return what ``explain`` calls it."""
        return f"CTE Scan on {self.name}"

    def run(self, context: Context) -> Iterator[Batch]:
        """Yield the rows."""
        below = self.below[0]
        if below.free or self.streams:  # it depends on a row around it, which is another one each time
            yield from below.batches(context)
            return
        found = context.results.get(below)
        if found is None:
            found = context.results[below] = below.whole(context)
        yield from in_parts(found, context)


class WorkTable(Node):
    """The rows of the last round, inside a recursive query."""

    def __init__(self, source: CteSource) -> None:
        self.number = source.cte
        layout: dict[Bound, int] = {
            ColumnVar(o.type, source.relation, i, o.name): i for i, o in enumerate(source.outputs)
        }
        super().__init__(
            layout, [o.type for o in source.outputs], (), frozenset([work_table(source.cte)]), 10.0
        )

    def title(self) -> str:
        """Return what ``explain`` calls it."""
        return "WorkTable Scan"

    def run(self, context: Context) -> Iterator[Batch]:
        """Yield the rows."""
        batch: Batch = context.results[work_table(self.number)]
        if batch.count:
            yield batch


class Recursive(Node):
    """``with recursive``: the start, then what the step makes of the rows of the last round, until it gives nothing new."""

    def __init__(self, cte: Cte, start: Node, step: Node) -> None:
        self.cte = cte
        types = [o.type for o in cte.outputs]
        super().__init__(outputs_layout(types), types, (start, step), frozenset(), start.rows * 10)
        self.free = self.free - {work_table(cte.number)}

    def title(self) -> str:
        """Return what ``explain`` calls it."""
        return f"Recursive Union on {self.cte.name}"

    def run(self, context: Context) -> Iterator[Batch]:
        """Yield the rows, round by round."""
        start, step = self.below
        seen = None if self.cte.keeps_duplicates else SeenRows()
        places = range(len(self.types))
        key = work_table(self.cte.number)
        before = context.results.get(key)
        rows = start.whole(context)
        try:
            while True:
                if seen is not None and rows.count:
                    rows = rows.take(seen.add(rows, places))
                if not rows.count:
                    return
                context.check(rows.count)
                yield rows
                context.results[key] = rows
                rows = concatenate_batches(list(step.batches(context)), self.types)
        finally:
            context.results[key] = before
