"""The plainest nodes: one row, rows of expressions, filters, targets, limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..bound import Bound, BoundValues, Const, Output, OutputVar
from ..errors import error
from ..execute.column import Batch, Column
from ..execute.context import Context
from ..execute.expressions import Evaluator, Expressions, stored_constant
from ..types import SqlType
from .node import Node

if TYPE_CHECKING:
    from .planner import Planner

Free = frozenset[tuple[int, int]]


def outputs_layout(types: Sequence[SqlType]) -> dict[Bound, int]:
    """Return the layout of a query's output."""
    return {OutputVar(t, i): i for i, t in enumerate(types)}


class SingleRow(Node):
    """One row without columns: what a select without ``from`` reads."""

    def __init__(self) -> None:
        super().__init__({}, [])

    def title(self) -> str:
        """Return what ``explain`` calls it."""
        return "Result"

    def run(self, context: Context) -> Iterator[Batch]:
        """Yield the row."""
        yield Batch([], 1)


class ValueRows(Node):
    """``values``."""

    def __init__(self, planner: Planner, body: BoundValues, outputs: Sequence[Output]) -> None:
        expressions = Expressions({}, planner)
        types = [o.type for o in outputs]
        count = len(body.rows)
        self.count = count
        self.columns: list[Column | list[Evaluator]] = []
        for sql_type, values in zip(types, zip(*body.rows, strict=True), strict=True):
            fixed = [stored_constant(v) for v in values if isinstance(v, Const)]
            whole = len(fixed) == count
            self.columns.append(Column.of(sql_type, fixed) if whole else expressions.compile_all(values))
        super().__init__(outputs_layout(types), types, (), frozenset(expressions.free), count, count)

    def title(self) -> str:
        """Return what ``explain`` calls it."""
        return "Values Scan"

    def run(self, context: Context) -> Iterator[Batch]:
        """Yield the rows."""
        one = Batch([], 1)
        columns = [
            column
            if isinstance(column, Column)
            else Column.of(t, [v(context, one).tolist()[0] for v in column])
            for t, column in zip(self.types, self.columns, strict=True)
        ]
        yield Batch(columns, self.count)


class Filter(Node):
    """The rows for which a condition is true."""

    def __init__(
        self, below: Node, condition: Evaluator, free: Free, share: float = 0.33, text: str = ""
    ) -> None:
        self.condition = condition
        self.text = text
        super().__init__(below.layout, below.types, (below,), free, below.rows * share, below.rows * 0.2)

    def details(self) -> list[str]:
        """Return the condition."""
        return [f"Filter: {self.text}"] if self.text else []

    def run(self, context: Context) -> Iterator[Batch]:
        """Yield the rows."""
        for batch in self.below[0].batches(context):
            kept = kept_rows(self.condition, context, batch)
            if kept.count:
                yield kept


def kept_rows(condition: Evaluator, context: Context, batch: Batch) -> Batch:
    """Return the rows of a batch for which a condition is true."""
    true = condition(context, batch).is_true(batch.count)
    count = int(np.count_nonzero(true))
    if count == batch.count:
        return batch
    return batch.take(np.flatnonzero(true))


class Extend(Node):
    """Rows with more columns: values that are needed more than once."""

    def __init__(
        self, below: Node, values: Sequence[Bound], evaluators: Sequence[Evaluator], free: Free
    ) -> None:
        self.evaluators = list(evaluators)
        first = len(below.types)
        layout = {**below.layout, **{value: first + i for i, value in enumerate(values)}}
        types = [*below.types, *(v.type for v in values)]
        super().__init__(layout, types, (below,), free, below.rows, below.rows * 0.1)

    def title(self) -> str:
        """Return what ``explain`` calls it."""
        return "Compute"

    def run(self, context: Context) -> Iterator[Batch]:
        """Yield the rows."""
        for batch in self.below[0].batches(context):
            more = [value(context, batch) for value in self.evaluators]
            yield Batch([*batch.columns, *more], batch.count)


class Project(Node):
    """The targets of a select."""

    def __init__(
        self,
        below: Node,
        targets: Sequence[Bound],
        evaluators: Sequence[Evaluator],
        free: Free,
    ) -> None:
        self.targets = tuple(targets)
        self.evaluators = list(evaluators)
        types = [t.type for t in targets]
        layout = outputs_layout(types)
        for i, target in enumerate(targets):
            layout.setdefault(target, i)
        super().__init__(layout, types, (below,), free, below.rows, below.rows * 0.1)

    def run(self, context: Context) -> Iterator[Batch]:
        """Yield the rows."""
        for batch in self.below[0].batches(context):
            yield Batch([target(context, batch) for target in self.evaluators], batch.count)


class Relabel(Node):
    """The rows of a query under the names that stand for its columns around it."""

    def __init__(self, below: Node, layout: dict[Bound, int]) -> None:
        super().__init__(layout, below.types, (below,), frozenset(), below.rows)

    def run(self, context: Context) -> Iterator[Batch]:
        """Yield the rows."""
        return self.below[0].run(context)


class Limit(Node):
    """The first rows, after some that are left out; with ties also those that are equal to the last in the order."""

    def __init__(
        self,
        below: Node,
        limit: Evaluator | None,
        offset: Evaluator | None,
        free: Free,
        rows: float,
        ties: Sequence[int] = (),
    ) -> None:
        self.limit, self.offset, self.ties = limit, offset, tuple(ties)
        super().__init__(below.layout, below.types, (below,), free, min(rows, below.rows))

    def run(self, context: Context) -> Iterator[Batch]:
        """Yield the rows."""
        skip = count_of(self.offset, context, "OFFSET") or 0
        left = count_of(self.limit, context, "LIMIT")
        if left == 0:
            return
        last: Batch | None = None
        for batch in self.below[0].batches(context):
            if skip >= batch.count:
                skip -= batch.count
                continue
            stop = batch.count if left is None else min(batch.count, skip + left)
            part = batch.part(skip, stop)
            skip = 0
            if left is not None:
                left -= part.count
            if part.count:
                yield part
            if left == 0:
                if not self.ties:
                    return
                last = part if last is None else last
                rest = batch.part(stop, batch.count)
                equal = self._ties(last, rest)
                if equal:
                    yield rest.part(0, equal)
                if equal < rest.count:
                    return

    def _ties(self, last: Batch, rest: Batch) -> int:
        """Return how many rows at the start of a batch are equal to the last one that was given."""
        from ..execute.ordering import keys_of

        if not rest.count:
            return 0
        wanted = [keys_of(last.columns[i].expanded(last.count))[-1] for i in self.ties]
        columns = [keys_of(rest.columns[i].expanded(rest.count)) for i in self.ties]
        for row in range(rest.count):
            if [column[row] for column in columns] != wanted:
                return row
        return rest.count


def count_of(value: Evaluator | None, context: Context, what: str) -> int | None:
    """Return the number of rows of a limit or an offset; None if there is none."""
    if value is None:
        return None
    found = value(context, Batch([], 1)).tolist()[0]
    if found is None:
        return None
    if found < 0:
        raise error("2201W" if what == "LIMIT" else "2201X", f"{what} must not be negative")
    return int(found)


class Append(Node):
    """The rows of several queries one after the other."""

    def __init__(self, parts: Sequence[Node], types: Sequence[SqlType]) -> None:
        rows = sum(p.rows for p in parts)
        super().__init__(outputs_layout(types), types, tuple(parts), frozenset(), rows)

    def run(self, context: Context) -> Iterator[Batch]:
        """Yield the rows."""
        for part in self.below:
            yield from part.batches(context)


class Nothing(Node):
    """No rows: what a condition that is false leaves."""

    def __init__(self, layout: dict[Bound, int], types: Sequence[SqlType]) -> None:
        super().__init__(layout, types, (), frozenset(), 0)

    def title(self) -> str:
        """Return what ``explain`` calls it."""
        return "Result (no rows)"

    def run(self, context: Context) -> Iterator[Any]:
        """Yield nothing."""
        return iter(())
