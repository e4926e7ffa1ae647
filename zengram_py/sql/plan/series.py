"""Functions that give rows: in ``from``, and among the targets of a select."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..bound import Bound, ColumnVar, FunctionSource, Invocation
from ..execute.column import Batch, Column, dtype_of
from ..execute.context import Context
from ..execute.expressions import Evaluator, Expressions
from ..execute.ordering import Record
from ..functions.registry import Implementation, implementation
from ..types import INT8, SqlType
from .node import Node

if TYPE_CHECKING:
    from .planner import Planner

Rows = Sequence[Any]


class RowFunction:
    """One call of a function that gives rows."""

    def __init__(self, expressions: Expressions, node: Invocation) -> None:
        self.made: Implementation = implementation(node.signature)
        self.arguments = expressions.compile_all(node.arguments)

    def rows(self, context: Context, batch: Batch) -> list[Rows]:
        """Return for each row of a batch what the function gives, as sequences."""
        lists = [a(context, batch).expanded(batch.count).tolist() for a in self.arguments]
        first = (context,) if self.made.contextual else ()
        given = zip(*lists, strict=True) if lists else [()] * batch.count
        out: list[Rows] = []
        for values in given:
            found = self.made.function(*first, *values)
            out.append(found if isinstance(found, Sequence) else list(found))
        return out


def column_of_rows(sql_type: SqlType, rows: Rows) -> Column:
    """Return a column of what a function gave."""
    if isinstance(rows, range):
        # the stop of a part may be beyond what the type holds
        values = np.arange(len(rows)) * rows.step + rows.start
        return Column(sql_type, values.astype(dtype_of(sql_type)))
    return Column.of(sql_type, rows)


class FunctionScan(Node):
    """Functions in ``from``, side by side; the shorter ones are filled with nulls."""

    def __init__(self, planner: Planner, source: FunctionSource) -> None:
        expressions = Expressions({}, planner)
        self.parts: list[tuple[RowFunction | Evaluator, int, bool]] = []
        for call in source.calls:
            if isinstance(call, Invocation) and call.signature.gives_rows:
                width = len(call.signature.columns) or 1
                self.parts.append((RowFunction(expressions, call), width, bool(call.signature.columns)))
            else:
                is_row = isinstance(call, Invocation) and bool(call.signature.columns)
                width = len(call.signature.columns) if is_row else 1  # type: ignore[attr-defined]
                self.parts.append((expressions.compile(call), width, is_row))
        if len(self.parts) == 1:  # a column definition list says how many columns a record has
            part, _, is_row = self.parts[0]
            width = len(source.outputs) - source.ordinality
            self.parts = [(part, width, is_row or width > 1)]
        self.ordinality = source.ordinality
        types = [o.type for o in source.outputs]
        layout: dict[Bound, int] = {
            ColumnVar(o.type, source.relation, i, o.name): i for i, o in enumerate(source.outputs)
        }
        self.names = [getattr(getattr(c, "signature", None), "name", "function") for c in source.calls]
        super().__init__(layout, types, (), frozenset(expressions.free), 100.0, 100.0)

    def title(self) -> str:
        """Return what ``explain`` calls it."""
        return f"Function Scan on {', '.join(self.names)}"

    def run(self, context: Context) -> Iterator[Batch]:
        """Yield the rows."""
        one = Batch([], 1)
        found: list[tuple[Rows, int, bool]] = []
        for part, width, is_row in self.parts:
            rows = (
                part.rows(context, one)[0] if isinstance(part, RowFunction) else part(context, one).tolist()
            )
            found.append((rows, width, is_row))
        count = max(len(rows) for rows, _, _ in found)
        for start in range(0, count, context.batch_rows):
            stop = min(start + context.batch_rows, count)
            context.check(stop - start)
            columns: list[Column] = []
            for rows, width, is_row in found:
                part_rows = rows[start:stop]
                missing = stop - start - len(part_rows)
                types = self.types[len(columns) : len(columns) + width]
                if not is_row and not missing:
                    columns.append(column_of_rows(types[0], part_rows))
                    continue
                values = [_parts(v, width) if is_row else (v,) for v in part_rows]
                values += [(None,) * width] * missing
                columns += [Column.of(t, [v[i] for v in values]) for i, t in enumerate(types)]
            if self.ordinality:
                columns.append(Column(INT8, np.arange(start + 1, stop + 1)))
            yield Batch(columns, stop - start)


def _parts(value: Any, width: int) -> tuple[Any, ...]:
    if value is None:
        return (None,) * width
    return value.values if isinstance(value, Record) else tuple(value)


class ProjectSet(Node):
    """Rows repeated for what functions among the targets give; the shorter ones are filled with nulls."""

    def __init__(self, planner: Planner, below: Node, calls: Sequence[Invocation]) -> None:
        expressions = Expressions(below.layout, planner)
        self.functions = [RowFunction(expressions, call) for call in calls]
        self.records = [call.signature.columns for call in calls]
        first = len(below.types)
        layout: dict[Bound, int] = dict(below.layout)
        layout.update({call: first + i for i, call in enumerate(calls)})
        types = [*below.types, *(call.type for call in calls)]
        super().__init__(
            layout, types, (below,), frozenset(expressions.free), below.rows * 10, below.rows * 10
        )

    def run(self, context: Context) -> Iterator[Batch]:
        """Yield the rows."""
        for batch in self.below[0].batches(context):
            lists = [f.rows(context, batch) for f in self.functions]
            counts = np.array([max(len(rows) for rows in row) for row in zip(*lists, strict=True)], np.int64)
            ends = np.cumsum(counts)
            total = int(ends[-1]) if len(ends) else 0
            for start in range(0, total, context.batch_rows):
                places = np.arange(start, min(start + context.batch_rows, total))
                context.check(len(places))
                yield self._part(batch, lists, places, ends, ends - counts)

    def _part(self, batch: Batch, lists: list[list[Rows]], places: Any, ends: Any, begins: Any) -> Batch:
        """Return the rows at some places of all that a batch becomes."""
        rows = np.searchsorted(ends, places, "right")
        repeated = batch.take(rows)
        columns = list(repeated.columns)
        used, firsts = np.unique(rows, return_index=True)
        windows = [
            (row, int(places[first] - begins[row]), int(last - first))
            for row, first, last in zip(
                used.tolist(), firsts.tolist(), [*firsts[1:].tolist(), len(rows)], strict=True
            )
        ]
        for found, columns_of_row, sql_type in zip(
            lists, self.records, self.types[len(columns) :], strict=True
        ):
            if len(windows) == 1 and not columns_of_row:
                row, begin, size = windows[0]
                whole = found[row][begin : begin + size]
                if len(whole) == size:
                    columns.append(column_of_rows(sql_type, whole))
                    continue
            values: list[Any] = []
            for row, begin, size in windows:
                part = found[row][begin : begin + size]
                values += [_record(v, columns_of_row) for v in part] if columns_of_row else part
                values += [None] * (size - len(part))
            columns.append(Column.of(sql_type, values))
        return Batch(columns, repeated.count)


def _record(value: Any, columns: Sequence[tuple[str, SqlType]]) -> Any:
    if value is None or isinstance(value, Record):
        return value
    return Record(tuple(value), tuple(t for _, t in columns), tuple(n for n, _ in columns))
