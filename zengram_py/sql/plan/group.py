"""Groups and their aggregates.

Rows come batch by batch, and of each batch only what is needed is kept: keys, arguments, what orders them. An argument is computed only for
rows that pass its ``filter``, so each filter has a *feed* of its own, which knows which rows it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..bound import Aggregate, Bound, BoundSelect
from ..execute.aggregates.reduction import Call, Reduction, reduce_parts, reduction
from ..execute.column import Batch, Column, Mask, concatenate, nulls_of
from ..execute.context import Context
from ..execute.expressions import Evaluator, Expressions
from ..execute.grouping import Groups, distinct_rows, group_rows
from ..execute.ordering import sort_rows
from ..types import SqlType
from .node import Node
from .show import show

if TYPE_CHECKING:
    from .planner import Planner

_GROUPS_OF_KEY = 200.0
"""How many different values a key is expected to have if nothing is known of it."""


class Group(Node):
    """The groups of a grouped select, each with its keys and its aggregates.

    Parameters
    ----------
    planner : Planner
        Plans subqueries.
    below : Node
        The rows.
    select : BoundSelect
        Keys, sets of keys, and aggregates.
    """

    def __init__(self, planner: Planner, below: Node, select: BoundSelect) -> None:
        expressions = Expressions(below.layout, planner)
        keys, aggregates = select.groups, select.aggregates
        rows = _Feed(None, expressions)
        feeds: dict[Bound | None, _Feed] = {None: rows}
        self.keys = [rows.place(key) for key in keys]
        layout: dict[Bound, int] = {key: i for i, key in enumerate(keys)}
        outside = Expressions(layout, planner)
        self.aggregates: list[_Grouping | _Aggregated] = []
        for aggregate in aggregates:
            if aggregate.grouping:
                self.aggregates.append(_Grouping([keys.index(a) for a in aggregate.arguments], aggregate))
                continue
            feed = feeds.get(aggregate.filter)
            if feed is None:
                feed = feeds[aggregate.filter] = _Feed(aggregate.filter, expressions)
            self.aggregates.append(_Aggregated(aggregate, list(feeds).index(aggregate.filter), feed, outside))
        self.feeds = list(feeds.values())
        every = tuple(range(len(keys)))
        sets = [every] if select.grouping_sets is None else list(select.grouping_sets)
        if select.group_distinct:
            sets = list({frozenset(each): each for each in reversed(sets)}.values())[::-1]
        self.sets = sets
        self.shown = [show(key) for key in keys]
        layout = {**layout, **{aggregate: len(keys) + i for i, aggregate in enumerate(aggregates)}}
        layout.update((name, layout[aggregate]) for name, aggregate in select.outside)
        types = [value.type for value in (*keys, *aggregates)]
        groups = 0.0
        for each in sets:
            expected = 1.0
            for i in each:
                expected *= planner.distinct(keys[i]) or _GROUPS_OF_KEY
            groups += max(min(expected, below.rows), 1.0)
        cost = below.rows * (len(sets) + 0.2 * len(aggregates))
        free = frozenset(expressions.free | outside.free)
        super().__init__(layout, types, (below,), free, groups, cost)

    def title(self) -> str:
        """Return what ``explain`` calls it."""
        return "HashAggregate" if self.keys else "Aggregate"

    def details(self) -> list[str]:
        """Return the keys."""
        if len(self.sets) > 1:
            return [
                f"Group Key: {', '.join(self.shown[i] for i in each)}" if each else "Group Key: ()"
                for each in self.sets
            ]
        return [f"Group Key: {', '.join(self.shown)}"] if self.shown else []

    def run(self, context: Context) -> Iterator[Batch]:
        """Yield the groups."""
        count = 0
        collected = [_Collected(feed) for feed in self.feeds]
        for batch in self.below[0].batches(context):
            context.check()
            for each in collected:
                each.add(context, batch)
            count += batch.count
        for each in collected:
            each.finish(count)
        keys = [collected[0].columns[place] for place in self.keys]
        for chosen in self.sets:
            groups, first = group_rows([keys[i] for i in chosen], count)
            if not groups.count:
                continue
            columns = [
                key.expanded(count).take(first) if i in chosen else nulls_of(key.type, groups.count)
                for i, key in enumerate(keys)
            ]
            heads = Batch(columns, groups.count)
            for aggregate in self.aggregates:
                context.check()
                columns = [*columns, aggregate.column(context, chosen, groups, heads, collected)]
            yield Batch(columns, groups.count)


class _Feed:
    """Values of the rows that pass a filter, each computed once."""

    def __init__(self, condition: Bound | None, expressions: Expressions) -> None:
        self.expressions = expressions
        self.condition = None if condition is None else expressions.compile(condition)
        self.places: dict[Bound, int] = {}
        self.values: list[Evaluator] = []

    def place(self, value: Bound) -> int:
        """Return the place of a value among the columns."""
        found = self.places.get(value)
        if found is None:
            found = self.places[value] = len(self.values)
            self.values.append(self.expressions.compile(value))
        return found


class _Collected:
    """What a feed gave in one run."""

    def __init__(self, feed: _Feed) -> None:
        self.feed = feed
        self.columns: list[Column] = []
        self.rows: Mask | None = None
        self.count = 0
        self._masks: list[Mask] = []
        self._parts: list[tuple[list[Column], int]] = []

    def add(self, context: Context, batch: Batch) -> None:
        """Take the rows of a batch."""
        if self.feed.condition is not None:
            kept = self.feed.condition(context, batch).is_true(batch.count)
            self._masks.append(kept)
            if not kept.all():
                batch = batch.take(kept)
        if batch.count:
            self._parts.append(([value(context, batch) for value in self.feed.values], batch.count))
            self.count += batch.count

    def finish(self, count: int) -> None:
        """Put all together; ``count`` is how many rows there were without a filter."""
        if self.feed.condition is not None and self.count < count:
            self.rows = np.concatenate(self._masks)
        types = [value.type for value in self.feed.places]
        for i, sql_type in enumerate(types):
            self.columns.append(_together([(columns[i], size) for columns, size in self._parts], sql_type))


def _together(parts: list[tuple[Column, int]], sql_type: SqlType) -> Column:
    """Return parts of a column as one, a constant if they are the same constant."""
    if not parts:
        return Column.of(sql_type, [])
    first = parts[0][0]
    if first.is_constant and all(column is first for column, _ in parts):
        return first
    return concatenate([column.expanded(size) for column, size in parts])


class _Grouping:
    """``grouping(a, b)``: a bit for each key that is not in the set, the last one's the lowest."""

    def __init__(self, keys: Sequence[int], aggregate: Aggregate) -> None:
        self.keys = list(keys)
        self.type = aggregate.type

    def column(
        self,
        context: Context,
        chosen: Sequence[int],
        groups: Groups,
        heads: Batch,
        collected: Sequence[_Collected],
    ) -> Column:
        """Return its value for each group of a set of keys."""
        bits = 0
        for key in self.keys:
            bits = bits * 2 + (key not in chosen)
        return Column.constant(self.type, bits).expanded(groups.count)


@dataclass(frozen=True, slots=True)
class _Key:
    place: int
    descending: bool
    nulls_first: bool


class _Aggregated:
    """One aggregate: where its arguments are, how its rows are ordered, and how it is computed."""

    def __init__(self, aggregate: Aggregate, number: int, feed: _Feed, outside: Expressions) -> None:
        self.feed = number
        self.made: Reduction = reduction(aggregate.signature)
        self.signature = aggregate.signature
        self.arguments = [feed.place(argument) for argument in aggregate.arguments]
        self.direct = outside.compile_all(aggregate.direct)
        self.distinct = aggregate.distinct
        self.keys: list[_Key] = []
        is_within = aggregate.signature.kind in ("within", "hypothetical")
        if is_within or (self.made.ordered and (aggregate.order_by or aggregate.distinct)):
            self.keys = [_Key(feed.place(k.value), k.descending, k.nulls_first) for k in aggregate.order_by]
            if aggregate.distinct:
                known = {key.place for key in self.keys}
                self.keys += [_Key(place, False, False) for place in self.arguments if place not in known]

    def column(
        self,
        context: Context,
        chosen: Sequence[int],
        groups: Groups,
        heads: Batch,
        collected: Sequence[_Collected],
    ) -> Column:
        """Return its value for each group."""
        given = collected[self.feed]
        parts = groups if given.rows is None else groups.at(given.rows)
        columns = [given.columns[place] for place in self.arguments]
        count = given.count
        # Only a separator stays a constant: what stands for every row alike is there for every row elsewhere.
        columns = [
            c if i and self.made.keeps_nulls == i else c.expanded(count) for i, c in enumerate(columns)
        ]
        keys = [given.columns[key.place] for key in self.keys]
        if self.distinct:
            rows = distinct_rows(parts, columns)
            parts, columns, keys = (
                parts.at(rows),
                [c.take(rows) for c in columns],
                [k.take(rows) for k in keys],
            )
        if keys:
            descending = [key.descending for key in self.keys]
            order = sort_rows(keys, descending, [key.nulls_first for key in self.keys], parts.rows)
            parts, columns = parts.at(order), [c.take(order) for c in columns]
        call = Call(
            context,
            self.signature,
            tuple(direct(context, heads).expanded(groups.count) for direct in self.direct),
            tuple(key.descending for key in self.keys),
            tuple(key.nulls_first for key in self.keys),
        )
        return reduce_parts(self.made, parts, columns, call)
