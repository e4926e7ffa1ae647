"""Tables: rows as versions in slots.

A table is a set of parallel columns. Writing a row appends a *version* in the next slot; nothing is overwritten but
the mark that ends the version before it::

    slot   begin   end      branch  row  prev    subject   content
    0      10      30       main    0    -       "drinks"  "coffee"
    1      20      forever  main    1    -       "pets"    "a dog"
    2      30      forever  main    0    0       "drinks"  "green tea"

    seen at 25:  slots 0 1        seen at 30:  slots 1 2

``begin`` and ``end`` are commit timestamps: a version is visible at t when begin <= t < end. ``row`` is a hidden id
that all versions of a row share; ``prev`` chains them backwards from ``newest[row]``. ``end`` belongs to the version's
own branch; a branch that ends a version which it inherited notes (slot, end) in its own overlay instead, so that the
parent and the siblings keep seeing it.

A reader that wants many rows takes a *mask* (:meth:`TableStore.visible`): one boolean a slot. The mask of a branch's
newest state is kept and patched at each commit; an older one is computed, vectorised. A reader that wants one row asks
an index for entries and tests the slots of that row (:meth:`TableStore.slots_of_key`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .catalog import FOREVER, IndexDef, TableDef
from .column import Column, HeapColumn, make_column
from .expr import columns_of, compile_expr
from .growable import Growable
from .index.base import Entries, Index, Key
from .index.flat import FlatIndex
from .index.hash import HashIndex
from .view import View

NO_SLOT = -1
Mask = NDArray[np.bool_]
SlotArray = NDArray[np.int32]

SYSTEM_COLUMNS: dict[str, Any] = {
    "begin": np.int64,
    "end": np.int64,
    "branch": np.int32,
    "row": np.int32,
    "prev": np.int32,
}


class IndexState:
    """An index of a table: its definition, its structure, and the entry of each slot."""

    def __init__(self, definition: IndexDef, structure: Index) -> None:
        self.definition = definition
        self.structure = structure
        self.entry: Growable[np.int32] = Growable(np.int32)
        self.columns = frozenset(name for tree in definition.keys for name in columns_of(tree))
        self._parts = [compile_expr(tree) for tree in definition.keys]

    def key(self, row: Any) -> Key:
        """Return the key of a row, given as a mapping from column name to stored value."""
        return tuple(part(row) for part in self._parts)


class _SlotRow:
    """A committed version as a mapping from column name to value, read on demand."""

    __slots__ = ("_slot", "_store")

    def __init__(self, store: TableStore, slot: int) -> None:
        self._store, self._slot = store, slot

    def __getitem__(self, name: str) -> Any:
        return self._store.columns[self._store.positions[name]].get(self._slot)


class TableStore:
    """The versions of one table's rows, and its indexes."""

    def __init__(self, definition: TableDef) -> None:
        self.definition = definition
        self.positions = definition.positions
        self.columns: list[Column] = [make_column(column.type) for column in definition.columns]
        self.system: dict[str, Growable[Any]] = {name: Growable(t) for name, t in SYSTEM_COLUMNS.items()}
        self.newest: Growable[np.int32] = Growable(np.int32)
        self.indexes = [IndexState(index, self.make_structure(index)) for index in definition.indexes]
        self.changed_at: dict[int, int] = {}
        """Timestamp of the last commit to this table, by branch."""
        self._heads: dict[int, Growable[np.bool_]] = {}
        self._past: tuple[View, int, Mask] | None = None

    def __len__(self) -> int:
        """Return the number of slots, of dead versions too."""
        return len(self.system["begin"])

    def make_structure(self, index: IndexDef) -> Index:
        """Return an empty structure for an index, over the columns as they are now."""
        if index.kind == "flat":
            column = self.columns[self.positions[index.keys[0][1]]]
            assert isinstance(column, HeapColumn)
            return FlatIndex(column, index.options.get("metric", "cosine"))
        return HashIndex()

    # -- what a reader sees ------------------------------------------------------------------------------------------

    def visible(self, view: View) -> Mask:
        """Return which slots a view sees, shape (slots,). Do not write to it, do not keep it across a commit."""
        branch = view.branch
        if view.timestamp >= self.changed_at.get(branch, -1):
            head = self._heads.get(branch)
            if head is None:
                head = self._heads[branch] = Growable(np.bool_, (), self._compute_mask(view))
            return head.view
        past = self._past
        if past is None or past[0] != view or past[1] != len(self):
            past = self._past = (view, len(self), self._compute_mask(view))
        return past[2]

    def _compute_mask(self, view: View) -> Mask:
        begin, end, branch = (self.system[name].view for name in ("begin", "end", "branch"))
        mask = np.zeros(len(self), bool)
        for lineage_branch, limit in view.lineage:
            mask |= (branch == lineage_branch) & (begin <= limit) & (limit < end)
        return mask

    def sees(self, view: View, slot: int) -> bool:
        """Return whether a view sees one slot; builds no mask."""
        begin, end, branch = (self.system[name].view for name in ("begin", "end", "branch"))
        own = int(branch[slot])
        return any(own == b and begin[slot] <= limit < end[slot] for b, limit in view.lineage)

    def slot_of_row(self, view: View, row: int) -> int:
        """Return the slot of the version of a row that a view sees, or ``NO_SLOT``."""
        prev = self.system["prev"].view
        slot = int(self.newest.view[row])
        while slot != NO_SLOT and not self.sees(view, slot):
            slot = int(prev[slot])
        return slot

    def slots_of_key(self, view: View, index: int, key: Key) -> Iterator[int]:
        """Yield the visible slots whose key in a hash index is this one, in order of their entries."""
        state = self.indexes[index]
        structure = state.structure
        assert isinstance(structure, HashIndex)
        rows, entries = self.system["row"].view, state.entry.view
        for entry in structure.candidates(key):
            slot = self.slot_of_row(view, int(rows[entry]))
            if slot != NO_SLOT and entries[slot] == entry and self.key_at(index, slot) == key:
                yield slot

    def key_at(self, index: int, slot: int) -> Key:
        """Return the key of a slot in an index."""
        return self.indexes[index].key(_SlotRow(self, slot))

    def row_values(self, slot: int) -> list[Any]:
        """Return the values of a slot, in column order."""
        return [column.get(slot) for column in self.columns]

    # -- publishing a commit -----------------------------------------------------------------------------------------

    def append_rows(self, rows: Sequence[Sequence[Any]], branch: int, timestamp: int) -> SlotArray:
        """Append the first version of new rows (checked values in column order) and return their slots."""
        start, count = len(self), len(rows)
        slots = np.arange(start, start + count, dtype=np.int32)
        for column, values in zip(self.columns, zip(*rows, strict=True), strict=True):
            column.extend(values)
        first_row = len(self.newest)
        self.newest.extend(slots)
        row_ids = np.arange(first_row, first_row + count, dtype=np.int32)
        self._append_system(timestamp, branch, row_ids, np.full(count, NO_SLOT, np.int32))
        for number, state in enumerate(self.indexes):
            state.entry.extend(slots)
            self._index(number, slots)
        self._reveal(branch, slots)
        return slots

    def append_version(self, old: int, changes: dict[int, Any], branch: int, timestamp: int) -> int:
        """End the version in slot ``old`` and append its successor with the changed columns (by position)."""
        slot = len(self)
        for position, column in enumerate(self.columns):
            if position in changes:
                column.append(changes[position])
            else:
                column.copy_from([old])
        row = int(self.system["row"].view[old])
        self._append_system(timestamp, branch, [row], [int(self.newest.view[row])])
        self.newest.writable()[row] = slot
        changed = {self.definition.columns[position].name for position in changes}
        for number, state in enumerate(self.indexes):
            if state.columns & changed and self.key_at(number, old) != self.key_at(number, slot):
                state.entry.append(slot)
                self._index(number, np.array([slot], np.int32))
            else:
                state.entry.append(state.entry.view[old])
        self.end_version(old, branch, timestamp)
        self._reveal(branch, np.array([slot], np.int32))
        return slot

    def end_version(self, slot: int, branch: int, timestamp: int) -> None:
        """Make a version invisible from a timestamp on."""
        self.system["end"].writable()[slot] = timestamp
        head = self._heads.get(branch)
        if head is not None:
            head.writable()[slot] = False

    def _append_system(self, timestamp: int, branch: int, rows: Any, prev: Any) -> None:
        count = len(rows)
        self.system["begin"].extend_filled(count, timestamp)
        self.system["end"].extend_filled(count, FOREVER)
        self.system["branch"].extend_filled(count, branch)
        self.system["row"].extend(rows)
        self.system["prev"].extend(prev)

    def _index(self, number: int, entries: Entries) -> None:
        structure = self.indexes[number].structure
        keys = [self.key_at(number, int(e)) for e in entries] if structure.reads_keys else []
        structure.add(entries, keys)

    def _reveal(self, branch: int, slots: SlotArray) -> None:
        for other, head in self._heads.items():
            head.extend_filled(len(self) - len(head), False)
            if other == branch:
                head.writable()[slots] = True

    # -- sizes -------------------------------------------------------------------------------------------------------

    def sizes(self) -> dict[str, int]:
        """Return the bytes of each part."""
        parts: dict[str, int] = {
            "system": sum(c.view.nbytes for c in self.system.values()) + self.newest.view.nbytes
        }
        for column_def, column in zip(self.definition.columns, self.columns, strict=True):
            heap = column.heap.nbytes if isinstance(column, HeapColumn) else 0
            parts[f"column {column_def.name}"] = column.nbytes + heap
        for state in self.indexes:
            parts[f"index {state.definition.name}"] = state.entry.view.nbytes + state.structure.nbytes
        parts["masks"] = sum(head.view.nbytes for head in self._heads.values())
        return parts
