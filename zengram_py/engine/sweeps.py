"""Sweeps: many committed rows that one statement changed, or deleted, kept as arrays.

A row that is changed alone is a :class:`~zengram_py.engine.table.RowWrite`. Of a hundred thousand, all with new values in the same columns,
there are as many ids, slots and values; they stay together until the commit publishes them, or until somebody asks for a single row of
them: then they become single rows (writes.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .column import FixedColumn
from .table import RowWrite, SlotArray
from .view import View
from .visibility import Overlay

if TYPE_CHECKING:
    from .table import IndexState, TableStore


@dataclass(frozen=True)
class Sweep:
    """Rows that were changed together.

    Attributes
    ----------
    rows : int64 array
        Their ids, each once, none of them the transaction's own.
    slots : int32 array
        The versions that end.
    columns : mapping or None
        The new values by column id: an array without nulls, or a list in which None is null. None if the rows are deleted.
    """

    rows: NDArray[np.int64]
    slots: SlotArray
    columns: Mapping[int, Sequence[Any] | NDArray[Any]] | None = None

    def singles(self) -> Iterator[tuple[int, RowWrite]]:
        """Yield the rows one by one, with what became of them."""
        if self.columns is None:
            for row, slot in zip(self.rows.tolist(), self.slots.tolist(), strict=True):
                yield row, RowWrite(slot, dead=True)
            return
        for row, slot, values in zip(self.rows.tolist(), self.slots.tolist(), self.changes(), strict=True):
            yield row, RowWrite(slot, slot, values)

    def changes(self) -> list[dict[int, Any]]:
        """Return the new values of each row."""
        assert self.columns is not None
        if not self.columns:
            return [{}] * len(self.rows)
        lists = [
            c.tolist() if isinstance(c, np.ndarray) and c.ndim == 1 else c for c in self.columns.values()
        ]
        return [dict(zip(self.columns, row, strict=True)) for row in zip(*lists, strict=True)]


def publish_sweeps(store: TableStore, view: View, timestamp: int, sweeps: Sequence[Sweep]) -> None:
    """Append the new versions of sweeps on a view's branch, and mark those that they end."""
    for sweep in sweeps:
        _append(store, view, timestamp, sweep)
        _end(store, view, timestamp, sweep.slots)


def _append(store: TableStore, view: View, timestamp: int, sweep: Sweep) -> None:
    columns = sweep.columns
    if columns is None:
        return
    first, slots = len(store), sweep.slots
    for number, column in store.columns.items():
        if number in columns:
            column.extend(columns[number])
        else:
            column.copy_from(slots)
    new = np.arange(first, first + len(slots), dtype=np.int32)
    prev = store.newest.view[sweep.rows]
    store.newest.writable()[sweep.rows] = new
    store.append_system(timestamp, view.branch, sweep.rows, prev)
    for state in store.indexes.values():
        if state.columns.isdisjoint(columns):
            state.entry.copy_items(slots)
        else:
            _publish_entries(store, state, slots, new)


def _publish_entries(store: TableStore, state: IndexState, slots: SlotArray, new: SlotArray) -> None:
    """Add the entries of new versions: those whose key changed introduce it."""
    column = None if state.plain_column is None else store.columns[state.plain_column]
    if isinstance(column, FixedColumn):
        changed = column.values[slots] != column.values[new]
        if column.nulls is not None:
            one, other = column.nulls[slots], column.nulls[new]
            changed = (changed & ~(one & other)) | (one != other)
    elif column is not None and column.type.storage == "heap":
        pairs = zip(column.take(slots), column.take(new), strict=True)
        changed = np.fromiter((one != other for one, other in pairs), bool, len(slots))
    else:
        pairs = zip(slots.tolist(), new.tolist(), strict=True)
        keys = (store.key_of_slot(state, one) != store.key_of_slot(state, other) for one, other in pairs)
        changed = np.fromiter(keys, bool, len(slots))
    entry = state.entry.view[slots]
    entry[changed] = new[changed]
    state.entry.extend(entry)
    store.feed(state, new[changed])


def _end(store: TableStore, view: View, timestamp: int, slots: SlotArray) -> None:
    own = store.system["branch"].view[slots] == view.branch
    store.system["end"].writable()[slots[own]] = timestamp
    if not own.all():
        overlay = store.visibility.overlays.setdefault(view.branch, Overlay())
        for slot in slots[~own].tolist():
            overlay.add(slot, timestamp)
