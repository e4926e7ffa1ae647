"""Reading tables: all rows, the rows of a key, the rows of a range, the nearest vectors.

Whatever the way, a scan gives the columns that the statement needs, and only rows for which the conditions on this table hold: an index only
says where to look, every condition is tested on what was found.

    Seq Scan        the slots that the reader sees, in batches: columns are slices of the table's own arrays
    Index Lookup    a key of a hash or ordered index, or several
    Index Scan      a range of an ordered index, in its order
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine import IndexDef
from ...engine.column import FixedColumn
from ...engine.index.ordered import KeyRange
from ...engine.keys import key_form
from ...engine.reader import Reader
from ...engine.table import SlotArray, TableStore, Values
from ..bind.columns import type_of_column
from ..bound import Bound, ColumnVar, TableSource
from ..execute.column import Batch, Column, concatenate_batches
from ..execute.context import Context
from ..execute.expressions import Evaluator, Expressions
from ..nodes import node
from ..types import INT8, SqlType
from .basic import kept_rows
from .node import Node

if TYPE_CHECKING:
    from .planner import Planner

ROW_ID = -1
"""The number of the hidden column that holds the engine's row ids."""


@node(frozen=True, slots=True, eq=False)
class RowId(Bound):
    """The engine's id of a row of a relation, for statements that change rows; of type int8."""

    relation: int


def row_id(relation: int) -> RowId:
    """Return the hidden column of a relation."""
    return RowId(INT8, relation)


def _pieces(slots: SlotArray, size: int) -> Iterator[SlotArray]:
    """Yield slots, so many at a time."""
    for start in range(0, len(slots), size):
        yield slots[start : start + size]


class Scan(Node):
    """What all ways to read a table share.

    Parameters
    ----------
    planner : Planner
        Knows which columns the statement reads.
    source : TableSource
        The table, and the time if it is read in the past.
    conditions : sequence of Bound
        What has to be true of its rows.
    with_rows : bool
        Whether the rows' ids are wanted too.
    """

    def __init__(
        self,
        planner: Planner,
        source: TableSource,
        conditions: Sequence[Bound] = (),
        *,
        with_rows: bool = False,
        rows: float = 1.0,
        cost: float = 0.0,
    ) -> None:
        self.source, self.table = source, source.table
        self.conditions = tuple(conditions)
        self.places = planner.columns_of(source)
        layout: dict[Bound, int] = {}
        types: list[SqlType] = []
        for place in self.places:
            column = self.table.columns[place]
            sql_type = type_of_column(column.type)
            layout[ColumnVar(sql_type, source.relation, place, column.name)] = len(types)
            types.append(sql_type)
        if with_rows:
            layout[row_id(source.relation)] = len(types)
            self.places = [*self.places, ROW_ID]
            types.append(INT8)
        self.expressions = Expressions(layout, planner)
        self.filter: Evaluator | None = None
        if self.conditions:
            self.filter = self.expressions.compile(planner.all_of(self.conditions))
        self.as_of = None if source.as_of is None else Expressions({}, planner).compile(source.as_of)
        super().__init__(layout, types, (), frozenset(), rows, cost)
        self.free = frozenset(self.expressions.free)
        self.shown = planner.shown(self.conditions)

    def details(self) -> list[str]:
        """Return the conditions."""
        return [f"Filter: {self.shown}"] if self.shown else []

    def reader(self, context: Context) -> Reader:
        """Return what reads: the transaction's reader, or one of an earlier state."""
        if self.as_of is None:
            return context.reader
        timestamp = self.as_of(context, Batch([], 1)).tolist()[0]
        return context.reader_at(timestamp)

    def kept(self, context: Context, batches: Iterable[Batch]) -> Iterator[Batch]:
        """Yield the rows that meet the conditions."""
        for batch in batches:
            context.check(batch.count)
            kept = batch if self.filter is None else kept_rows(self.filter, context, batch)
            if kept.count:
                yield kept

    def of_slots(self, store: TableStore, slots: Any) -> Batch:
        """Return the columns of committed slots, an int32 array or a slice."""
        columns = []
        for place, sql_type in zip(self.places, self.types, strict=True):
            if place == ROW_ID:
                columns.append(Column(INT8, store.system["row"].view[slots].astype(np.int64)))
                continue
            column = store.columns[self.table.columns[place].id]
            if isinstance(column, FixedColumn):
                nulls = None if column.nulls is None else column.nulls[slots]
                if nulls is not None and not nulls.any():
                    nulls = None
                columns.append(Column(sql_type, column.values[slots], nulls))
            else:
                columns.append(Column.coded(sql_type, column.refs[slots], column.heap))
        count = slots.stop - slots.start if isinstance(slots, slice) else len(slots)
        return Batch(columns, count)

    def of_rows(self, rows: Sequence[tuple[int, Values]]) -> Batch:
        """Return the columns of rows that were read one by one: (row id, values)."""
        columns = []
        for place, sql_type in zip(self.places, self.types, strict=True):
            if place == ROW_ID:
                columns.append(Column.of(INT8, [row for row, _ in rows]))
            else:
                number = self.table.columns[place].id
                columns.append(Column.of(sql_type, [values[number] for _, values in rows]))
        return Batch(columns, len(rows))

    def own(self, reader: Reader) -> Iterator[Batch]:
        """Yield the rows that the transaction itself wrote, if there are some."""
        rows = list(reader.own_rows(self.table))
        if rows:
            yield self.of_rows(rows)


class TableScan(Scan):
    """All rows that the reader sees."""

    def title(self) -> str:
        """Return what ``explain`` calls it."""
        return f"Seq Scan on {self.table.title}"

    def run(self, context: Context) -> Iterator[Batch]:
        """Yield the rows."""
        reader = self.reader(context)
        yield from self.kept(context, chain(self._committed(context, reader), self.own(reader)))

    def _committed(self, context: Context, reader: Reader) -> Iterator[Batch]:
        store = reader.stores[self.table.id]
        for part in _pieces(reader.committed_slots(self.table), context.batch_rows):
            first, last = int(part[0]), int(part[-1])
            whole = last - first + 1 == len(part)
            yield self.of_slots(store, slice(first, last + 1) if whole else part)


class IndexLookup(Scan):
    """The rows of some keys of a hash or ordered index.

    Parameters
    ----------
    keys : sequence of sequence of Bound
        For each key a value for each of the index's parts.
    """

    def __init__(
        self,
        planner: Planner,
        source: TableSource,
        conditions: Sequence[Bound],
        index: IndexDef,
        keys: Sequence[Sequence[Bound]],
        **options: Any,
    ) -> None:
        super().__init__(planner, source, conditions, **options)
        self.index = index
        outside = Expressions({}, planner)
        self.key_values = [tuple(key) for key in keys]
        self.keys = [outside.compile_all(key) for key in keys]
        self.free = self.free | frozenset(outside.free)
        self.key_text = planner.shown([value for key in keys for value in key])

    def title(self) -> str:
        """Return what ``explain`` calls it."""
        return f"Index Lookup using {self.index.name} on {self.table.title}"

    def details(self) -> list[str]:
        """Return the keys and the conditions."""
        return [f"Key: {self.key_text}", *super().details()]

    def run(self, context: Context) -> Iterator[Batch]:
        """Yield the rows."""
        found = self.found(context)
        if found:
            yield from self.kept(context, [self.of_rows(found)])

    def found(self, context: Context) -> list[tuple[int, Values]]:
        """Return the rows of the keys, the other conditions not tested: (row id, values)."""
        reader = self.reader(context)
        one = Batch([], 1)
        done: set[Any] = set()
        found: list[tuple[int, Values]] = []
        for parts in self.keys:
            key = tuple([key_form(part(context, one).tolist()[0]) for part in parts])
            if None in key or key in done:
                continue
            done.add(key)
            found.extend(reader.rows_of_key(self.table, self.index, key))
        return found


@node(frozen=True, slots=True)
class Bounds:
    """A range of an ordered index: values for its first parts, then bounds for the part after them; each with whether it belongs."""

    equal: tuple[Bound, ...] = ()
    low: tuple[Bound, bool] | None = None
    high: tuple[Bound, bool] | None = None


class IndexScan(Scan):
    """A range of an ordered index, in its order."""

    def __init__(
        self,
        planner: Planner,
        source: TableSource,
        conditions: Sequence[Bound],
        index: IndexDef,
        bounds: Bounds,
        *,
        descending: bool = False,
        in_order: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(planner, source, conditions, **options)
        self.index, self.descending, self.in_order = index, descending, in_order
        outside = Expressions({}, planner)
        self.equal = outside.compile_all(bounds.equal)
        self.low = None if bounds.low is None else (outside.compile(bounds.low[0]), bounds.low[1])
        self.high = None if bounds.high is None else (outside.compile(bounds.high[0]), bounds.high[1])
        self.free = self.free | frozenset(outside.free)
        shown = [*bounds.equal, *(b[0] for b in (bounds.low, bounds.high) if b is not None)]
        self.key_text = planner.shown(shown)

    def title(self) -> str:
        """Return what ``explain`` calls it."""
        way = " Backward" if self.descending else ""
        return f"Index Scan{way} using {self.index.name} on {self.table.title}"

    def details(self) -> list[str]:
        """Return the range and the conditions."""
        return [*([f"Key: {self.key_text}"] if self.key_text else []), *super().details()]

    def _range(self, context: Context) -> KeyRange | None:
        """Return the range of keys; None if a bound is null, which nothing can meet."""
        one = Batch([], 1)

        def value(part: Evaluator) -> Any:
            return key_form(part(context, one).tolist()[0])

        equal = tuple([value(part) for part in self.equal])
        low = None if self.low is None else value(self.low[0])
        high = None if self.high is None else value(self.high[0])
        if None in equal or (self.low and low is None) or (self.high and high is None):
            return None
        return KeyRange(
            (*equal, low) if self.low else (equal or None),
            (*equal, high) if self.high else (equal or None),
            self.low is None or self.low[1],
            self.high is None or self.high[1],
            None,
            self.descending,
        )

    def run(self, context: Context) -> Iterator[Batch]:
        """Yield the rows."""
        wanted = self._range(context)
        if wanted is None:
            return
        reader = self.reader(context)
        writes = reader.writes.get(self.table.id)
        if self.in_order and writes:  # the transaction's own rows have places between the others
            rows = list(reader.rows_in_range(self.table, self.index, wanted))
            if rows:
                yield from self.kept(context, [self.of_rows(rows)])
            return
        store = reader.stores[self.table.id]
        committed = (self.of_slots(store, slots) for slots in self._slots(reader, wanted, context))
        yield from self.kept(context, chain(committed, self.own(reader)))

    def _slots(self, reader: Reader, wanted: KeyRange, context: Context) -> Iterator[SlotArray]:
        if self.in_order:
            yield from reader.slots_in_range(self.table, self.index, wanted)
            return
        parts = list(reader.slots_in_range(self.table, self.index, wanted))
        slots = np.sort(np.concatenate(parts)) if parts else np.empty(0, np.int32)
        yield from _pieces(slots, context.batch_rows)


class GinScan(Scan):
    """The rows that a GIN index holds to be possible answers, tested.

    Parameters
    ----------
    question : (int, str, Bound)
        Which key of the index is asked, the operator, and its right side.
    """

    def __init__(
        self,
        planner: Planner,
        source: TableSource,
        conditions: Sequence[Bound],
        index: IndexDef,
        question: tuple[int, str, Bound],
        **options: Any,
    ) -> None:
        super().__init__(planner, source, conditions, **options)
        self.index = index
        self.key, self.operator, operand = question
        outside = Expressions({}, planner)
        self.operand = outside.compile(operand)
        self.free = self.free | frozenset(outside.free)
        self.key_text = planner.shown([operand])

    def title(self) -> str:
        """Return what ``explain`` calls it."""
        return f"GIN Index Scan using {self.index.name} on {self.table.title}"

    def details(self) -> list[str]:
        """Return the question and the conditions."""
        return [f"Key: {self.operator} {self.key_text}", *super().details()]

    def run(self, context: Context) -> Iterator[Batch]:
        """Yield the rows."""
        from ...engine.gin_search import GinSearch

        operand = self.operand(context, Batch([], 1)).tolist()[0]
        if operand is None:
            return
        reader = self.reader(context)
        search = GinSearch(reader, self.table, self.index)
        slots, own = search.candidates(self.operator, operand, self.key)
        store = reader.stores[self.table.id]
        committed = (self.of_slots(store, part) for part in _pieces(slots, context.batch_rows))
        yield from self.kept(context, chain(committed, [self.of_rows(own)] if own else []))


class VectorScan(Scan):
    """The nearest rows to a vector by a vector index, nearest first.

    Parameters
    ----------
    query : Bound
        Where to look.
    limit, offset : Bound
        How many rows are wanted.
    """

    def __init__(
        self,
        planner: Planner,
        source: TableSource,
        conditions: Sequence[Bound],
        index: IndexDef,
        query: Bound,
        limit: Evaluator,
        offset: Evaluator | None,
        **options: Any,
    ) -> None:
        super().__init__(planner, source, conditions, **options)
        self.index, self.limit, self.offset = index, limit, offset
        outside = Expressions({}, planner)
        self.query = outside.compile(query)
        self.free = self.free | frozenset(outside.free)
        self.all_rows = TableScan(planner, source, conditions, **options)

    def title(self) -> str:
        """Return what ``explain`` calls it."""
        return f"Vector Index Scan using {self.index.name} on {self.table.title}"

    def run(self, context: Context) -> Iterator[Batch]:
        """Yield at least as many rows as are wanted, if there are so many; what orders them comes after."""
        from ...engine.vector_search import VectorSearch
        from .basic import count_of

        wanted = (count_of(self.limit, context, "LIMIT") or 0) + (
            count_of(self.offset, context, "OFFSET") or 0
        )
        query = self.query(context, Batch([], 1)).tolist()[0]
        reader = self.reader(context)
        definition = self.table.column(str(self.index.keys[0][1]))  # type: ignore[index]
        if query is None or not wanted or len(query) != definition.type.dimensions:  # type: ignore[attr-defined]
            yield from self.all_rows.run(context)
            return
        search = VectorSearch(reader, self.table, self.index)
        slots, own = None, None
        if self.filter is not None:
            slots, own = self._allowed(context, reader)
        hits = search.nearest(query, wanted, slots=slots, own=own)
        if len(hits.rows) < wanted:  # rows without a vector come last: only a scan finds them
            yield from self.all_rows.run(context)
            return
        store = reader.stores[self.table.id]
        committed = np.asarray(hits.slots)
        parts = []
        if (committed >= 0).any():
            parts.append(self.of_slots(store, committed[committed >= 0]))
        mine = set(np.asarray(hits.rows)[committed < 0].tolist())
        if mine:
            parts.append(self.of_rows([(r, v) for r, v in reader.own_rows(self.table) if r in mine]))
        context.check(wanted)
        yield concatenate_batches(parts, self.types)

    def _allowed(self, context: Context, reader: Reader) -> tuple[SlotArray, set[int]]:
        """Return which committed slots and which own rows meet the conditions."""
        store = reader.stores[self.table.id]
        slots = reader.committed_slots(self.table)
        assert self.filter is not None
        true = self.filter(context, self.of_slots(store, slots)).is_true(len(slots))
        rows = list(reader.own_rows(self.table))
        own: set[int] = set()
        if rows:
            mine = self.filter(context, self.of_rows(rows)).is_true(len(rows))
            own = {rows[i][0] for i in np.flatnonzero(mine).tolist()}
        return slots[true], own
