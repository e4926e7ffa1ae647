"""Tables: rows as versions in slots.

A table is a set of parallel columns. Writing a row appends a *version* in the next slot; nothing is overwritten but
the mark that ends the version before it::

    slot   begin   end      branch  row  prev    subject   content
    0      10      30       main    0    -       "drinks"  "coffee"
    1      20      forever  main    1    -       "pets"    "a dog"
    2      30      forever  main    0    0       "drinks"  "green tea"

    seen at 25:  slots 0 1        seen at 30:  slots 1 2

``begin`` and ``end`` are commit timestamps: a version is visible at t when begin <= t < end (visibility.py has the rest,
for branches). ``row`` is a hidden id that all versions of a row share, on every branch; ``prev`` chains them backwards,
in slot order, from ``newest[row]``.

A reader that wants many rows takes a mask; one that wants a row asks an index for entries and walks from ``newest`` of
the entry's row to the first version that it sees. The store knows columns by number: names are the catalogue's, and may
differ from branch to branch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ClosedError
from .column import Column, FixedColumn, HeapColumn, make_column
from .composite import join_types
from .definitions import VECTOR_KINDS, IndexDef, TableDef, operator_classes
from .expr import Evaluator, compile_expr, names_read
from .growable import Growable
from .heap import ValueHeap
from .index.base import Entries, Index
from .index.flat import FlatIndex
from .index.fulltext import FullTextIndex, Source
from .index.hash import HashIndex
from .index.hnsw import OPTIONS, HnswIndex
from .index.ordered import OrderedIndex
from .keys import NULL, Key, key_form
from .sort_codes import have_codes, sort_codes
from .view import View
from .visibility import FOREVER, Overlay, Visibility

if TYPE_CHECKING:
    from .sweeps import Sweep

NO_SLOT = -1
SlotArray = NDArray[np.int32]
Values = dict[int, Any]
"""Checked values by column id."""

SYSTEM_COLUMNS: dict[str, Any] = {
    "begin": np.int64,
    "end": np.int64,
    "branch": np.int32,
    "row": np.int32,
    "prev": np.int32,
}


@dataclass
class RowWrite:
    """One row as a transaction leaves it.

    Attributes
    ----------
    base : int
        The slot that the write ends, ``NO_SLOT`` for a new row.
    template : int
        The slot from which values that are not in ``values`` are copied, by reference; ``NO_SLOT`` for none.
    values : dict
        Checked values by column id.
    dead : bool
        Whether the row is deleted.
    """

    base: int = NO_SLOT
    template: int = NO_SLOT
    values: Values = field(default_factory=dict)
    dead: bool = False


class IndexState:
    """An index of a table: its definition, its structure, and the entry of each slot."""

    def __init__(self, definition: IndexDef, table: TableDef, structure: Index) -> None:
        self.definition = definition
        self.structure = structure
        self.entry: Growable[np.int32] = Growable(np.int32)
        known = table.by_name
        used = {name for tree in definition.expressions for name in names_read(tree, known)}
        self._ids = {name: known[name].id for name in used}
        self.columns = frozenset(self._ids.values())
        # A vector index holds all vectors of its column.
        self._holds_all = definition.where is None or definition.kind in VECTOR_KINDS
        self._outside: Key | None = (None,) * len(definition.keys) if definition.kind == "fulltext" else None
        self._nulls_distinct = definition.nulls_distinct
        self.plain_columns: tuple[int, ...] | None = None
        """Ids of the columns that are the key, if it is made of columns alone."""
        named = [tree[1] for tree in definition.keys if isinstance(tree, list) and tree[0] == "col"]
        if len(named) == len(definition.keys) and self._holds_all:
            self.plain_columns = tuple([known[name].id for name in named])
        self.plain_column: int | None = None
        """Id of the column that is the whole key, if one is."""
        if self.plain_columns is not None and len(self.plain_columns) == 1 and self._nulls_distinct:
            self.plain_column = self.plain_columns[0]
        self.compile(table)

    def compile(self, table: TableDef) -> None:
        """Make functions of its expressions, if it has others than columns, for the types in a table's definition."""
        if self.plain_columns is not None:
            return
        types = {column.id: column.type for column in table.columns}
        named = {name: types[number] for name, number in self._ids.items()}
        self._parts = [compile_expr(tree, named) for tree in self.definition.keys]
        self._where: Evaluator | None = None
        if self.definition.where is not None and not self._holds_all:
            self._where = compile_expr(self.definition.where, named)

    def key(self, values: Callable[[int], Any]) -> Key | None:
        """Return the key of a row, given as a function from column id to stored value; None for one that the index does not hold."""
        if self.plain_column is not None:
            return (key_form(values(self.plain_column)),)
        if self.plain_columns is not None:
            return self._with_nulls(tuple([key_form(values(number)) for number in self.plain_columns]))
        row = {name: values(number) for name, number in self._ids.items()}
        if self._where is not None and self._where(row) is not True:
            return self._outside
        return self._with_nulls(tuple(key_form(part(row)) for part in self._parts))

    def plain_keys(self, columns: Sequence[Sequence[Any]]) -> list[Key]:
        """Return the keys of many rows, given by the stored values of the columns that are the key."""
        parts = [[key_form(value) for value in column] for column in columns]
        return list(map(self._with_nulls, zip(*parts, strict=True)))

    def _with_nulls(self, parts: Key) -> Key:
        return parts if self._nulls_distinct else tuple(NULL if part is None else part for part in parts)


class _Closed(dict[int, Any]):
    """The columns or indexes of a table whose database is closed; whoever is in the middle of a call learns why there are none."""

    def __missing__(self, number: int) -> Any:
        raise ClosedError("the database is closed")


class TableStore:
    """The versions of one table's rows, and its indexes."""

    def __init__(self, table_id: int, is_read: Callable[[int, int, int], bool]) -> None:
        self.id = table_id
        self.columns: dict[int, Column] = {}
        self.fills: dict[int, Any] = {}
        """The checked value of each column for rows that are written without it."""
        self.system: dict[str, Growable[Any]] = {name: Growable(t) for name, t in SYSTEM_COLUMNS.items()}
        self._begin = self.system["begin"]
        self.ended = 0
        """Versions that were ended since the last vacuum."""
        self.has_purged = False
        """Whether some of them were purged: a vacuum is due, however few they are."""
        self.epoch = 0
        """How often slots and rows were renumbered."""
        self.patches = 0
        """How often a value was put into a slot that was there."""
        self.newest: Growable[np.int32] = Growable(np.int32)
        self.indexes: dict[int, IndexState] = {}
        self.visibility = Visibility(self.system, is_read)

    def __len__(self) -> int:
        """Return the number of slots, of dead versions too."""
        return len(self._begin)

    # -- shape -------------------------------------------------------------------------------------------------------

    def add_column(self, number: int, column_type: Any, fill: Any = None) -> None:
        """Add a column in which every slot holds the checked value ``fill``."""
        self.columns[number] = make_column(column_type, len(self), fill)
        self.fills[number] = fill

    def retype(self, table: TableDef) -> None:
        """Let columns and the expressions of indexes know what labels enums have now."""
        for column in table.columns:
            known = self.columns[column.id]
            known.retype(join_types(known.type, column.type))
        for index in table.indexes:
            self.indexes[index.id].compile(table)

    def put(self, number: int, slot: int, value: Any) -> None:
        """Put a checked value into a slot of a column in which no reader sees it yet."""
        self.columns[number].put(slot, value)
        self.patches += 1

    def drop_column(self, number: int) -> None:
        """Take a column away; only for one that no definition uses."""
        del self.columns[number], self.fills[number]

    def add_index(self, definition: IndexDef, table: TableDef, *, finish: bool = False) -> None:
        """Add an index over all versions that there are; with ``finish``, leave nothing of it to maintenance."""
        state = IndexState(definition, table, self._structure(definition, table))
        self.indexes[definition.id] = state
        if not len(self):
            return
        try:
            state.entry.extend(self._find_entries(state))
            entries = self._entries(state)
            if finish or not state.structure.can_wait:
                self.feed(state, entries)
            else:
                self._try_keys(state, entries)
                state.structure.add_later(entries)
            if finish:
                state.structure.finish()
        except BaseException:  # its expression does not take a value
            del self.indexes[definition.id]
            raise

    def drop_index(self, number: int) -> None:
        """Take an index away; only for one that no definition uses."""
        del self.indexes[number]

    def attach_index(self, definition: IndexDef, table: TableDef, entry: NDArray[np.int32]) -> IndexState:
        """Add an index with entries from a snapshot; its structure is still empty."""
        state = IndexState(definition, table, self._structure(definition, table))
        state.entry = Growable(np.int32, (), entry)
        self.indexes[definition.id] = state
        return state

    def _entries(self, state: IndexState) -> Entries:
        """Return all entries of an index: the slots that introduced the values that they hold."""
        entry = state.entry.view
        return np.flatnonzero(entry == np.arange(len(entry))).astype(np.int32)

    def _try_keys(self, state: IndexState, entries: Entries) -> None:
        """Compute the keys that an expression may refuse to give: who creates the index wants to know now."""
        if any(not isinstance(tree, list) or tree[0] != "col" for tree in state.definition.expressions):
            for entry in entries.tolist():
                self.key_of_slot(state, entry)

    def _structure(self, index: IndexDef, table: TableDef) -> Index:
        if index.kind in VECTOR_KINDS:
            key = index.keys[0]
            assert isinstance(key, list)
            column = self.columns[table.column(key[1]).id]
            assert isinstance(column, HeapColumn)
            if index.kind == "flat":
                return FlatIndex(column, index.options.get("metric", "cosine"))
            settings = {name: index.options[name] for name in OPTIONS if name in index.options}
            return HnswIndex(column, kind=index.kind, **settings)
        if index.kind == "fulltext":
            source = Source(
                lambda: self._entries(self.indexes[index.id]), lambda entry: self.key_at(index.id, entry)
            )
            return FullTextIndex(len(index.keys), index.options, source)
        if index.kind == "gin":
            from .index.gin import GinIndex  # only who has such an index needs it

            return GinIndex(operator_classes(f"index {index.name!r}", index, table.by_name))
        if index.kind == "ordered":
            return OrderedIndex(
                lambda entry: self.key_at(index.id, entry),
                lambda entries: self._codes_at(self.indexes[index.id], entries),
            )
        return HashIndex()

    def _find_entries(self, state: IndexState) -> NDArray[np.int32]:
        """Return for each slot the first one, back along its row's versions, from which the key did not change."""
        entry = np.arange(len(self), dtype=np.int32)
        prev = self.system["prev"].view
        keys: dict[int, Key | None] = {}
        for slot in np.flatnonzero(prev != NO_SLOT).tolist():
            before = int(prev[slot])
            one = keys[before] if before in keys else self.key_of_slot(state, before)
            keys[slot] = self.key_of_slot(state, slot)
            if keys[slot] == one:
                entry[slot] = entry[before]
        return entry

    # -- what a reader sees ------------------------------------------------------------------------------------------

    def slots(self, view: View) -> SlotArray:
        """Return the slots that a view sees, ascending."""
        return np.flatnonzero(self.visibility.mask(view)).astype(np.int32)

    def slot_of_row(self, view: View, row: int) -> int:
        """Return the slot of the version of a row that a view sees, or ``NO_SLOT``."""
        prev, sees = self.system["prev"], self.visibility.sees
        slot: int = self.newest.item(row)
        while slot != NO_SLOT and not sees(view, slot):
            slot = prev.item(slot)
        return slot

    def slots_of_key(self, view: View, index: int, key: Key) -> Iterator[int]:
        """Yield the visible slots whose key in a hash or ordered index is this one, in order of their entries."""
        state = self.indexes[index]
        structure = state.structure
        assert isinstance(structure, (HashIndex, OrderedIndex))
        rows, entries = self.system["row"], state.entry
        for entry in structure.candidates(key):
            slot = self.slot_of_row(view, rows.item(entry))
            if slot != NO_SLOT and entries.item(slot) == entry and self.key_of_slot(state, slot) == key:
                yield slot

    def slots_of_entries(self, view: View, index: int, entries: Entries) -> SlotArray:
        """Return the visible slots that carry these entries of an index, in the order given."""
        rows, carried = self.system["row"].view[entries], self.indexes[index].entry.view
        mask = self.visibility.mask(view)
        slots = self.newest.view[rows]
        seen = np.zeros(len(slots), bool)
        inside = slots < len(mask)
        seen[inside] = mask[slots[inside]]
        for at in np.flatnonzero(~seen).tolist():  # the newest version is not the one that is seen
            slots[at] = self.slot_of_row(view, int(rows[at]))
        found: SlotArray = slots[(slots != NO_SLOT) & (carried[slots] == entries)]
        return found

    def key_at(self, index: int, slot: int) -> Key:
        """Return the key of a slot that an index holds."""
        key = self.key_of_slot(self.indexes[index], slot)
        assert key is not None
        return key

    def key_of_slot(self, state: IndexState, slot: int) -> Key | None:
        """Return the key that a slot has in an index; None if the index does not hold it."""
        if state.plain_column is not None:
            return (key_form(self.columns[state.plain_column].get(slot)),)
        return state.key(lambda number: self.columns[number].get(slot))

    def values(self, slot: int) -> Values:
        """Return all values of a slot."""
        return {number: column.get(slot) for number, column in self.columns.items()}

    # -- publishing a commit -----------------------------------------------------------------------------------------

    def publish(
        self,
        view: View,
        timestamp: int,
        writes: Sequence[tuple[int, RowWrite]],
        batches: Any = (),
        sweeps: Sequence[Sweep] = (),
    ) -> None:
        """Append what a commit wrote, on the branch of a view of the state before it.

        Parameters
        ----------
        view : View
            The head of the branch as it was.
        timestamp : int
            The commit's.
        writes : sequence of (row, RowWrite)
            Row id (negative: a new row) and what became of it.
        batches : sequence of (count, values)
            New rows by columns: how many, and their values by column id.
        sweeps : sequence of Sweep
            Rows that were changed together.
        """
        first = len(self)
        ended = [write.base for _, write in writes if write.base != NO_SLOT]
        living = [(row, write) for row, write in writes if not write.dead]
        updates = [(row, write) for row, write in living if write.template != NO_SLOT]
        inserts = [write.values for _, write in living if write.template == NO_SLOT]
        if len(updates) == 1:
            self._append_update(view.branch, timestamp, *updates[0])
        elif updates:
            self._append_updates(view.branch, timestamp, updates)
        if len(inserts) == 1:
            self._append_row(view.branch, timestamp, inserts[0])
        elif inserts:
            columns = {n: [v.get(n, self.fills[n]) for v in inserts] for n in self.columns}
            self._append_rows(view.branch, timestamp, len(inserts), columns)
        for count, columns in batches:
            self._append_rows(view.branch, timestamp, count, columns)
        for slot in ended:
            self._end(view, slot, timestamp)
        if sweeps:
            from .sweeps import publish_sweeps

            publish_sweeps(self, view, timestamp, sweeps)
        gone = np.concatenate([np.array(ended, np.int32), *(s.slots for s in sweeps)]) if sweeps else ended
        self.ended += len(gone)
        self.visibility.commit(view, timestamp, gone, first, len(self))

    def count_ended(self) -> None:
        """Count the versions that ended, as a vacuum would find them; for a table that comes from a snapshot."""
        begin, end = self.system["begin"].view, self.system["end"].view
        overlays = sum(map(len, self.visibility.overlays.values()))
        purged = begin == FOREVER
        self.ended = int(((end != FOREVER) | purged).sum()) + overlays
        self.has_purged = bool(purged.any())

    def _end(self, view: View, slot: int, timestamp: int) -> None:
        if self.system["branch"].view[slot] == view.branch:
            self.system["end"].writable()[slot] = timestamp
        else:
            self.visibility.overlays.setdefault(view.branch, Overlay()).add(slot, timestamp)

    def _append_row(self, branch: int, timestamp: int, values: Values) -> None:
        """Append the first version of one new row."""
        slot = len(self)
        for number, column in self.columns.items():
            column.append(values.get(number, self.fills[number]))
        row = self.newest.append(slot)
        self._append_one_system(timestamp, branch, row, NO_SLOT)
        for state in self.indexes.values():
            state.entry.append(slot)
            self._feed_one(state, slot)

    def _append_rows(self, branch: int, timestamp: int, count: int, values: dict[int, Any]) -> None:
        slots = np.arange(len(self), len(self) + count, dtype=np.int32)
        for number, column in self.columns.items():
            if number in values and count == 1:
                column.append(values[number][0])
            elif number in values:
                column.extend(values[number])
            else:
                column.fill(count, self.fills[number])
        row_ids = np.arange(len(self.newest), len(self.newest) + count, dtype=np.int32)
        self.newest.extend(slots)
        self.append_system(timestamp, branch, row_ids, np.full(count, NO_SLOT, np.int32))
        for state in self.indexes.values():
            state.entry.extend(slots)
            self.feed(state, slots)

    def _append_update(self, branch: int, timestamp: int, row: int, write: RowWrite) -> None:
        """Append one version that is a copy of another but for some values."""
        slot, template, values = len(self), write.template, write.values
        for number, column in self.columns.items():
            if number in values:
                column.append(values[number])
            else:
                column.copy_one(template)
        moved = row < 0 or self.system["row"].item(template) != row
        if row < 0:
            row, prev = self.newest.append(slot), NO_SLOT
        else:
            prev = self.newest.item(row)
            self.newest.writable()[row] = slot
        self._append_one_system(timestamp, branch, row, prev)
        for state in self.indexes.values():
            touched = moved or not state.columns.isdisjoint(values)
            if moved or (touched and self.key_of_slot(state, template) != self.key_of_slot(state, slot)):
                state.entry.append(slot)
                self._feed_one(state, slot)
            else:
                state.entry.copy_item(template)

    def _append_updates(self, branch: int, timestamp: int, updates: list[tuple[int, RowWrite]]) -> None:
        """Append versions that are copies of others but for some values; a negative row id makes a new row."""
        first = len(self)
        templates = np.array([write.template for _, write in updates], np.int32)
        sets = {frozenset(write.values) for _, write in updates}
        everywhere, anywhere = frozenset.intersection(*sets), frozenset.union(*sets)
        for number, column in self.columns.items():
            if number not in anywhere:
                column.copy_from(templates)
            elif number in everywhere:
                column.extend([write.values[number] for _, write in updates])
            else:
                self._append_mixed(column, number, updates)
        given = np.array([row for row, _ in updates], np.int32)
        rows, is_new = given.copy(), given < 0
        rows[is_new] = np.arange(len(self.newest), len(self.newest) + int(is_new.sum()))
        prev = np.full(len(rows), NO_SLOT, np.int32)
        prev[~is_new] = self.newest.view[rows[~is_new]]
        slots = np.arange(first, first + len(rows), dtype=np.int32)
        self.newest.extend(slots[is_new])
        self.newest.writable()[rows[~is_new]] = slots[~is_new]
        same_row = bool((self.system["row"].view[templates] == given).all())
        self.append_system(timestamp, branch, rows, prev)
        for state in self.indexes.values():
            if same_row and state.columns.isdisjoint(anywhere):
                state.entry.copy_items(templates)
            else:
                self._append_entries(state, first, templates, updates)

    @staticmethod
    def _append_mixed(column: Column, number: int, updates: list[tuple[int, RowWrite]]) -> None:
        for _, write in updates:
            if number in write.values:
                column.append(write.values[number])
            else:
                column.copy_from([write.template])

    def _append_entries(
        self, state: IndexState, first: int, templates: SlotArray, updates: list[tuple[int, RowWrite]]
    ) -> None:
        rows = self.system["row"].view
        entry = state.entry.view[templates]
        new = []
        for offset, (row, write) in enumerate(updates):
            slot, template = first + offset, int(templates[offset])
            moved = row < 0 or rows[template] != row
            touched = not state.columns.isdisjoint(write.values)
            if moved or (touched and self.key_of_slot(state, template) != self.key_of_slot(state, slot)):
                entry[offset] = slot
                new.append(slot)
        state.entry.extend(entry)
        if new:
            self.feed(state, np.array(new, np.int32))

    def _append_one_system(self, timestamp: int, branch: int, row: int, prev: int) -> None:
        for name, value in zip(SYSTEM_COLUMNS, (timestamp, FOREVER, branch, row, prev), strict=True):
            self.system[name].append(value)

    def append_system(self, timestamp: int, branch: int, rows: Any, prev: Any) -> None:
        """Append what the system knows of new versions."""
        count = len(rows)
        self.system["begin"].extend_filled(count, timestamp)
        self.system["end"].extend_filled(count, FOREVER)
        self.system["branch"].extend_filled(count, branch)
        self.system["row"].extend(rows)
        self.system["prev"].extend(prev)

    def _feed_one(self, state: IndexState, entry: int) -> None:
        if state.structure.reads_keys:
            key = self.key_of_slot(state, entry)
            if key is not None:
                state.structure.add_one(entry, key)

    def feed(self, state: IndexState, entries: Entries) -> None:
        """Give new entries to an index, as an array of keys where the key is one column of numbers."""
        if not len(entries) or not state.structure.reads_keys:
            return
        structure = state.structure
        column = None if state.plain_column is None else self.columns[state.plain_column]
        if isinstance(column, FixedColumn) and len(entries) > 8:
            nulls = column.nulls
            if nulls is None or not nulls[entries].any():
                structure.add_array(entries, column.take_array(entries))
                return
        if isinstance(structure, OrderedIndex) and structure.add_run(entries):
            return
        if state.plain_columns is not None:
            taken = [self.columns[number].take(entries) for number in state.plain_columns]
            structure.add(entries, state.plain_keys(taken))
            return
        found = [(slot, self.key_of_slot(state, slot)) for slot in entries.tolist()]
        held = [(slot, key) for slot, key in found if key is not None]
        structure.add(np.array([slot for slot, _ in held], np.int32), [key for _, key in held])

    def _codes_at(self, state: IndexState, entries: Entries) -> list[NDArray[Any]] | None:
        """Return sort codes of an index's keys, or None if they have none."""
        columns = [self.columns[number] for number in state.plain_columns or ()]
        return sort_codes(columns, entries) if columns and have_codes(columns) else None

    # -- sizes -------------------------------------------------------------------------------------------------------

    def sizes(self) -> dict[str, int]:
        """Return the bytes of each part, columns and indexes by number."""
        overlays = sum(overlay.nbytes for overlay in self.visibility.overlays.values())
        parts: dict[str, int] = {
            "system": sum(c.view.nbytes for c in self.system.values()) + self.newest.view.nbytes + overlays
        }
        for number, column in self.columns.items():
            parts[f"column {number}"] = column.nbytes
            if isinstance(column, HeapColumn):
                parts[f"heap {number}"] = column.heap.nbytes
        for number, state in self.indexes.items():
            parts[f"index {number}"] = state.structure.nbytes
            parts[f"entries {number}"] = state.entry.view.nbytes
        parts["masks"] = self.visibility.mask_bytes
        return parts

    def close(self) -> None:
        """Let go of columns and indexes: the table and plans may be held by what only garbage collection finds unused."""
        self.columns, self.indexes = _Closed(), _Closed()

    @property
    def decoded_bytes(self) -> int:
        """Bytes of the values of its heaps that are there a second time, decoded."""
        columns = self.columns.values()
        heaps = [column.heap for column in columns if isinstance(column, HeapColumn)]
        return sum(heap.decoded_bytes for heap in heaps if isinstance(heap, ValueHeap))
