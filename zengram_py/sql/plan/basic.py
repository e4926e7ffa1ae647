"""The plainest nodes: one row, rows of expressions, targets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..bound import BoundValues, Output, OutputVar
from ..execute.column import Batch, Column
from ..execute.context import Context
from ..execute.expressions import Evaluator, Expressions
from ..types import SqlType
from .node import Node

if TYPE_CHECKING:
    from .planner import Planner


class SingleRow(Node):
    """One row without columns: what a select without ``from`` reads."""

    def __init__(self) -> None:
        super().__init__({}, [])

    def run(self, context: Context) -> Iterator[Batch]:
        """Yield the row."""
        yield Batch([], 1)


class ValueRows(Node):
    """``values``."""

    def __init__(self, planner: Planner, body: BoundValues, outputs: Sequence[Output]) -> None:
        expressions = Expressions({}, planner)
        self.values = [expressions.compile_all(row) for row in body.rows]
        types = [o.type for o in outputs]
        layout = {OutputVar(t, i): i for i, t in enumerate(types)}
        super().__init__(layout, types, (), frozenset(expressions.free), len(body.rows), len(body.rows))

    def run(self, context: Context) -> Iterator[Batch]:
        """Yield the rows."""
        one = Batch([], 1)
        rows = [[value(context, one).tolist()[0] for value in row] for row in self.values]
        columns = [Column.of(t, [row[i] for row in rows]) for i, t in enumerate(self.types)]
        yield Batch(columns, len(rows))


class Project(Node):
    """The targets of a select."""

    def __init__(
        self,
        below: Node,
        targets: Sequence[Evaluator],
        types: Sequence[SqlType],
        free: set[tuple[int, int]],
    ) -> None:
        self.targets = list(targets)
        layout = {OutputVar(t, i): i for i, t in enumerate(types)}
        super().__init__(layout, types, (below,), frozenset(free), below.rows, below.rows * 0.1)

    def run(self, context: Context) -> Iterator[Batch]:
        """Yield the rows."""
        for batch in self.below[0].batches(context):
            yield Batch([target(context, batch) for target in self.targets], batch.count)
