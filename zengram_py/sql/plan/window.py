"""Window functions: rows are sorted once for all calls with the same partition and order.

Each of these sorts the rows as they are then, so that they come out in the order of the last one. The sorts follow each other as PostgreSQL's
do: the one whose keys were named first comes last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..bound import Bound, SortBy, WindowCall, WindowFrame
from ..execute.aggregates.reduction import Call, Reduction, reduce_parts, reduction
from ..execute.column import Batch, Column
from ..execute.context import Context
from ..execute.expressions import Evaluator, Expressions
from ..execute.ordering import sort_rows
from ..execute.windows.bounds import check_offset, default_frames, frames_of
from ..execute.windows.frames import Frames
from ..execute.windows.layout import SortedRows
from ..execute.windows.offsets import RangeOffsets
from ..execute.windows.ranking import ranked
from ..execute.windows.values import OF_FRAME, of_frame, shifted
from .node import Node
from .show import show, show_key
from .sort import in_parts

if TYPE_CHECKING:
    from .planner import Planner

_Order = tuple[tuple[Bound, ...], tuple[SortBy, ...]]


class Window(Node):
    """The rows below with a column for each call.

    Parameters
    ----------
    planner : Planner
        Plans subqueries.
    below : Node
        The rows.
    calls : sequence of WindowCall
        The calls.
    """

    def __init__(self, planner: Planner, below: Node, calls: Sequence[WindowCall]) -> None:
        expressions = Expressions(below.layout, planner)
        width = len(below.types)
        by_order: dict[_Order, list[WindowCall]] = {}
        for call in calls:
            by_order.setdefault((call.window.partition_by, call.window.order_by), []).append(call)
        self.sorts = [_Sorting(order, by_order[order], expressions) for order in _in_turn(list(by_order))]
        made = [call for sorting in self.sorts for call in sorting.nodes]
        self.places = [made.index(call) + width for call in calls]
        layout = dict(below.layout)
        layout.update({call: width + i for i, call in enumerate(calls)})
        types = [*below.types, *(call.type for call in calls)]
        cost = below.rows * (2 * len(self.sorts) + len(calls))
        super().__init__(layout, types, (below,), frozenset(expressions.free), below.rows, cost)

    def title(self) -> str:
        """Return what ``explain`` calls it."""
        return "WindowAgg"

    def details(self) -> list[str]:
        """Return the windows."""
        return [f"Window: {sorting.text}" for sorting in self.sorts]

    def run(self, context: Context) -> Iterator[Batch]:
        """Yield the rows, in the order of the last sort."""
        batch = self.below[0].whole(context)
        width = len(batch.columns)
        for sorting in self.sorts:
            context.check()
            batch = sorting.run(context, batch)
        if batch.count:
            columns = [*batch.columns[:width], *(batch.columns[place] for place in self.places)]
            yield from in_parts(Batch(columns, batch.count), context)


def _in_turn(orders: list[_Order]) -> list[_Order]:
    """Return different orders as they follow each other."""
    numbers: dict[Bound, int] = {}
    for partition, order_by in orders:
        for value in (*(key.value for key in order_by), *partition):
            numbers.setdefault(value, len(numbers))

    def turn(order: _Order) -> tuple[float, ...]:
        keys = [(value, False, False) for value in order[0]]
        keys += [(key.value, key.descending, key.nulls_first) for key in order[1]]
        found: list[float] = []
        for value, descending, nulls_first in keys:
            found += [-numbers[value], -descending, -nulls_first]
        return (*found, float("inf"))  # of two that begin alike the longer one is first

    return sorted(orders, key=turn)


class _Sorting:
    """The calls of one partition and order."""

    def __init__(self, order: _Order, calls: Sequence[WindowCall], expressions: Expressions) -> None:
        partition, self.order_by = order
        self.nodes = list(calls)
        self.partition = expressions.compile_all(partition)
        self.keys = expressions.compile_all([key.value for key in self.order_by])
        self.frames: dict[WindowFrame | None, _Framing] = {}
        for call in calls:
            frame = call.window.frame
            if frame not in self.frames:
                self.frames[frame] = _Framing(frame, self.order_by, expressions)
        self.calls = [_Called(call, expressions) for call in calls]
        parts = []
        if partition:
            parts.append("PARTITION BY " + ", ".join(map(show, partition)))
        if self.order_by:
            parts.append("ORDER BY " + ", ".join(map(show_key, self.order_by)))
        self.text = f"({' '.join(parts)})"

    def run(self, context: Context, batch: Batch) -> Batch:
        """Return a batch sorted, with the calls' columns at its end."""
        count = batch.count
        partition = [value(context, batch) for value in self.partition]
        keys = [key(context, batch) for key in self.keys]
        descending = [False] * len(partition) + [key.descending for key in self.order_by]
        nulls_first = [False] * len(partition) + [key.nulls_first for key in self.order_by]
        order = sort_rows([*partition, *keys], descending, nulls_first, count)
        if (order[1:] < order[:-1]).any():
            batch = batch.take(order)
            partition, keys = [c.take(order) for c in partition], [k.take(order) for k in keys]
        rows = SortedRows(partition, keys, count)
        frames = {frame: framing.run(context, rows, keys) for frame, framing in self.frames.items()}
        found = [
            call.run(context, batch, rows, frames[node.window.frame])
            for call, node in zip(self.calls, self.nodes, strict=True)
        ]
        return Batch([*batch.columns, *found], count)


class _Framing:
    """The frames that one clause says."""

    def __init__(
        self, frame: WindowFrame | None, order_by: Sequence[SortBy], expressions: Expressions
    ) -> None:
        self.frame, self.order_by = frame, order_by
        self.offsets: list[Evaluator | None] = [None, None]
        if frame is not None:
            self.offsets = [
                None if offset is None else expressions.compile(offset)
                for _, offset in (frame.start, frame.end)
            ]

    def run(self, context: Context, rows: SortedRows, keys: Sequence[Column]) -> Frames:
        """Return the frames of sorted rows."""
        frame = self.frame
        if frame is None:
            return default_frames(rows)
        values: list[Any] = [None, None]
        for i, offset in enumerate(self.offsets):
            if offset is not None:
                values[i] = offset(context, Batch([], 1)).tolist()[0]
                check_offset(frame.unit, values[i], is_end=bool(i))
        made: list[RangeOffsets] = []

        def range_bound(offset: Any, preceding: bool, is_end: bool) -> Any:
            if not made:
                made.append(RangeOffsets(rows, keys[0], self.order_by[0]))
            return made[0].bound(offset, preceding, is_end)

        return frames_of(frame, rows, values[0], values[1], range_bound)


class _Called:
    """One call: its arguments, and how it is computed."""

    def __init__(self, call: WindowCall, expressions: Expressions) -> None:
        self.signature = call.signature
        self.arguments = expressions.compile_all(call.arguments)
        self.filter = None if call.filter is None else expressions.compile(call.filter)
        self.made: Reduction | None = None
        if call.signature.kind != "window":
            self.made = reduction(call.signature)

    def run(self, context: Context, batch: Batch, rows: SortedRows, frames: Frames) -> Column:
        """Return its value for each row."""
        name, result = self.signature.name, self.signature.result
        if not batch.count:
            return Column.of(result, [])
        if self.made is not None:
            return self._aggregated(context, self.made, batch, frames)
        arguments = [argument(context, batch) for argument in self.arguments]
        found = ranked(name, result, rows, arguments)
        if found is not None:
            return found
        if name in OF_FRAME:
            return of_frame(name, result, frames, arguments)
        return shifted(name, result, rows, arguments)

    def _aggregated(self, context: Context, made: Reduction, batch: Batch, frames: Frames) -> Column:
        if self.filter is not None:
            kept = self.filter(context, batch).is_true(batch.count)
            if not kept.all():
                frames, batch = frames.where(kept), batch.take(np.flatnonzero(kept))
        columns = [argument(context, batch) for argument in self.arguments]
        columns = [
            c if i and made.keeps_nulls == i else c.expanded(batch.count) for i, c in enumerate(columns)
        ]
        return reduce_parts(made, frames, columns, Call(context, self.signature))
