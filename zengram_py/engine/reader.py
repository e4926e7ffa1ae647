"""Reading: a view of the committed rows with a write set laid over it.

The same reader serves a transaction (its snapshot and its writes) and the checks of a commit (the head of the branch and
the writes that are about to be published): what holds for the one is asked of the other by the same code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import CatalogError
from .catalog import CatalogView
from .column import FixedColumn
from .definitions import IndexDef, TableDef
from .expr import Expr, compile_expr
from .index.ordered import KeyRange, OrderedIndex
from .keys import Key, sort_form
from .table import NO_SLOT, SlotArray, TableStore, Values
from .vector_expr import filter_mask
from .view import View
from .writes import TableWrites

if TYPE_CHECKING:
    from .serializable import ReadSet

_FIRST_PART, _LARGEST_PART = 32, 1024

Stores = dict[int, TableStore]
Writes = dict[int, TableWrites]


class Reader:
    """What one reader sees.

    Attributes
    ----------
    stores : dict
        Tables by id.
    view : View
        Branch and time.
    catalog : CatalogView
        Definitions.
    writes : dict
        Write sets by table id.
    read_set : ReadSet or None
        Where reads are noted, for a serializable transaction.
    """

    def __init__(self, stores: Stores, view: View, catalog: CatalogView, writes: Writes) -> None:
        self.stores = stores
        self.view = view
        self.catalog = catalog
        self.writes = writes
        self.read_set: ReadSet | None = None
        self.streaming: dict[int, int] = {}
        """Tables that a generator of this reader is in the middle of, with how many."""

    def rows_of_key(self, table: TableDef, index: IndexDef, key: Key) -> Iterator[tuple[int, Values]]:
        """Yield (row id, values) of the rows with a key in a hash or ordered index; null equals nothing."""
        store = self.stores[table.id]
        slots = list(store.slots_of_key(self.view, index.id, key))
        if self.read_set is not None:
            self.read_set.note_key(table.id, index.id, key, slots)
        rows = store.system["row"].view
        writes = self.writes.get(table.id)
        for slot in slots:
            row = int(rows[slot])
            if writes is None or not writes.hides(row):
                yield row, store.values(slot)
        if writes and None not in key:
            for row in writes.rows_of_key(store.indexes[index.id], key):
                values = writes.values(row)
                if values is not None:
                    yield row, values

    def rows_in_range(
        self, table: TableDef, index: IndexDef, wanted: KeyRange
    ) -> Iterator[tuple[int, Values]]:
        """Yield (row id, values) of the rows in a range of an ordered index, in its order."""
        store = self.stores[table.id]
        state = store.indexes[index.id]
        structure = state.structure
        if not isinstance(structure, OrderedIndex):
            raise CatalogError(f"index {index.name!r} of table {table.title!r} is not ordered")
        if self.read_set is not None:
            self.read_set.note_scan(table, None)
        writes = self.writes.get(table.id)
        if not writes:
            self.streaming[table.id] = self.streaming.get(table.id, 0) + 1
            try:
                for slots in self._slots_in_range(store, index, structure, wanted):
                    yield from self.read_slots(store, slots)
            finally:
                self.streaming[table.id] -= 1
            return
        found = [
            (row, values)
            for slots in self._slots_in_range(store, index, structure, wanted)
            for row, values in self.read_slots(store, slots)
            if not writes.hides(row)
        ]
        own = OrderedIndex(lambda number: own_keys[number])
        written = [(item, state.key(item[1].__getitem__)) for item in writes.living()]
        held = [(item, key) for item, key in written if key is not None]
        own_keys = [key for _, key in held]
        own.add(np.arange(len(held), dtype=np.int32), own_keys)
        found += [held[number][0] for number in own.scan(wanted)]
        yield from sorted(
            found, key=lambda item: sort_form(state.key(item[1].__getitem__) or ()), reverse=wanted.descending
        )

    def slots_in_range(self, table: TableDef, index: IndexDef, wanted: KeyRange) -> Iterator[SlotArray]:
        """Yield the committed slots in a range of an ordered index in its order, in parts; own writes only hide some."""
        store = self.stores[table.id]
        structure = store.indexes[index.id].structure
        if not isinstance(structure, OrderedIndex):
            raise CatalogError(f"index {index.name!r} of table {table.title!r} is not ordered")
        if self.read_set is not None:
            self.read_set.note_scan(table, None)
        writes = self.writes.get(table.id)
        rows = store.system["row"].view
        self.streaming[table.id] = self.streaming.get(table.id, 0) + 1
        try:
            for slots in self._slots_in_range(store, index, structure, wanted):
                if writes:
                    hidden = [writes.hides(row) for row in rows[slots].tolist()]
                    slots = slots[~np.array(hidden, bool)]
                yield slots
        finally:
            self.streaming[table.id] -= 1

    def _slots_in_range(
        self, store: TableStore, index: IndexDef, structure: OrderedIndex, wanted: KeyRange
    ) -> Iterator[SlotArray]:
        """Yield the visible slots of a range in parts, small ones first: who wants a few rows reads a few."""
        entries, size = structure.scan(wanted), _FIRST_PART
        while part := list(islice(entries, size)):
            yield store.slots_of_entries(self.view, index.id, np.array(part, np.int32))
            size = min(2 * size, _LARGEST_PART)

    @staticmethod
    def read_slots(store: TableStore, slots: SlotArray) -> Iterator[tuple[int, Values]]:
        """Yield (row id, values) of slots."""
        if not len(slots):
            return
        rows = store.system["row"].view[slots].tolist()
        numbers = list(store.columns)
        columns = [store.columns[number].take(slots) for number in numbers]
        for row, *values in zip(rows, *columns, strict=True):
            yield row, dict(zip(numbers, values, strict=True))

    def rows(self, table: TableDef, where: Expr | None = None) -> Iterator[tuple[int, Values]]:
        """Yield (row id, values) of the rows that satisfy a condition: committed ones in slot order, then own ones."""
        store = self.stores[table.id]
        yield from self.read_slots(store, self.committed_slots(table, where))
        yield from self.own_rows(table, where)

    def committed_slots(self, table: TableDef, where: Expr | None = None) -> SlotArray:
        """Return the slots that the view sees and the write set does not hide, and that satisfy a condition."""
        store = self.stores[table.id]
        if self.read_set is not None:
            self.read_set.note_scan(table, where)
        mask = store.visibility.mask(self.view)
        writes = self.writes.get(table.id)
        if writes:
            mask = mask.copy()
            mask[writes.ended_slots()] = False
        if where is None:
            return np.flatnonzero(mask).astype(np.int32)
        return filter_mask(where, {c.name: store.columns[c.id] for c in table.columns}, mask)

    def own_rows(self, table: TableDef, where: Expr | None = None) -> Iterator[tuple[int, Values]]:
        """Yield (row id, values) of the rows in the write set that satisfy a condition."""
        writes = self.writes.get(table.id)
        if not writes:
            return
        test = None if where is None else compile_expr(where, table.types)
        for row, values in writes.living():
            if test is None or test({c.name: values[c.id] for c in table.columns}) is True:
                yield row, values

    def columns(
        self, table: TableDef, names: Sequence[str], where: Expr | None = None
    ) -> dict[str, NDArray[Any] | list[Any]]:
        """Return columns of the rows that satisfy a condition.

        A column of fixed width comes as a numpy array, without a Python loop, a masked one if it holds nulls; any other
        as a list of what callers see.
        """
        store = self.stores[table.id]
        slots = self.committed_slots(table, where)
        own = [values for _, values in self.own_rows(table, where)]
        out: dict[str, NDArray[Any] | list[Any]] = {}
        for name in names:
            definition = table.column(name)
            column = store.columns[definition.id]
            extra = [values[definition.id] for values in own]
            if not isinstance(column, FixedColumn) or definition.type.name.startswith("enum"):
                out[name] = [definition.type.present(v) for v in [*column.take(slots), *extra]]
                continue
            values = column.take_array(slots)
            nulls = np.zeros(len(slots), bool) if column.nulls is None else column.nulls[slots]
            if extra:
                values = np.concatenate([values, np.array([v or 0 for v in extra], values.dtype)])
                nulls = np.concatenate([nulls, np.array([v is None for v in extra])])
            out[name] = np.ma.MaskedArray(values, nulls) if nulls.any() else values
        return out

    def values_of(self, table: TableDef, row: int) -> Values:
        """Return the values of a row that the reader sees."""
        writes = self.writes.get(table.id)
        own = writes.values(row) if writes is not None else None
        if own is not None:
            return own
        store = self.stores[table.id]
        return store.values(store.slot_of_row(self.view, row))

    def slot_of(self, table: TableDef, row: int) -> int:
        """Return the committed slot of a row that the reader sees, ``NO_SLOT`` for one of its own."""
        return NO_SLOT if row < 0 else self.stores[table.id].slot_of_row(self.view, row)

    def slots_of(self, table: TableDef, rows: NDArray[np.int64]) -> SlotArray:
        """Return the committed slots of rows that the reader sees, ``NO_SLOT`` for those of its own."""
        store = self.stores[table.id]
        if len(rows) == 1:
            return np.array([self.slot_of(table, int(rows[0]))], np.int32)
        slots = np.full(len(rows), NO_SLOT, np.int32)
        committed = np.flatnonzero(rows >= 0)
        newest = store.newest.view[rows[committed]]
        slots[committed] = newest
        mask = store.visibility.mask(self.view)
        seen = np.zeros(len(newest), bool)
        inside = newest < len(mask)
        seen[inside] = mask[newest[inside]]
        for at in committed[~seen].tolist():  # the newest version is not the one that is seen
            slots[at] = store.slot_of_row(self.view, int(rows[at]))
        return slots

    def rows_with(self, table: TableDef, columns: Sequence[str], key: Key) -> Iterator[tuple[int, Values]]:
        """Yield (row id, values) of the rows whose columns have these values; by an index where there is one."""
        index = index_on(table, columns)
        if index is not None:
            yield from self.rows_of_key(table, index, key)
        elif None not in key:
            wanted: Expr = [
                "and",
                *(["=", ["col", c], ["lit", v]] for c, v in zip(columns, key, strict=True)),
            ]
            yield from self.rows(table, wanted)


def index_on(table: TableDef, columns: Sequence[str], *, unique: bool = False) -> IndexDef | None:
    """Return a hash or ordered index of all rows of a table whose key is just these columns, or None."""
    wanted = tuple(["col", name] for name in columns)
    for index in table.indexes:
        has_all = index.kind in ("hash", "ordered") and index.where is None
        if has_all and index.keys == wanted and (index.unique or not unique):
            return index
    return None
