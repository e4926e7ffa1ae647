"""Sweeps: many committed rows that one statement changed, or deleted, kept as arrays.

A row that is changed alone is a :class:`~zengram_py.engine.table.RowWrite`. Of a hundred thousand, all with new values in the same columns,
there are as many ids, slots and values; they stay together until the commit publishes them, or until somebody asks for a single row of
them: then they become single rows (writes.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .table import RowWrite, SlotArray, Values
from .view import View
from .visibility import Overlay

if TYPE_CHECKING:
    from .table import IndexState, TableStore


Given = Sequence[Any] | NDArray[Any]


@dataclass(frozen=True, eq=False)
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
    columns: Mapping[int, Given] | None = None

    @cached_property
    def places(self) -> dict[int, int]:
        """Where each row is, by its id."""
        return {row: place for place, row in enumerate(self.rows.tolist())}

    def singles(self) -> Iterator[tuple[int, RowWrite]]:
        """Yield the rows one by one, with what became of them."""
        if self.columns is None:
            for row, slot in zip(self.rows.tolist(), self.slots.tolist(), strict=True):
                yield row, RowWrite(slot, dead=True)
            return
        for row, slot, values in zip(self.rows.tolist(), self.slots.tolist(), self.changes(), strict=True):
            yield row, RowWrite(slot, slot, values)

    def values(self, store: TableStore, place: int) -> Values | None:
        """Return the values of a row as they are now; None if it was deleted."""
        if self.columns is None:
            return None
        found = store.values(int(self.slots[place]))
        for number, column in self.columns.items():
            value = column[place]
            found[number] = value.item() if getattr(value, "ndim", 1) == 0 else value
        return found

    def living(self, store: TableStore) -> Iterator[tuple[int, Values]]:
        """Yield (row id, values) of the rows that are not deleted."""
        if self.columns is None:
            return
        numbers = list(store.columns)
        lists = [
            as_list(self.columns[n]) if n in self.columns else store.columns[n].take(self.slots)
            for n in numbers
        ]
        for row, *values in zip(self.rows.tolist(), *lists, strict=True):
            yield row, dict(zip(numbers, values, strict=True))

    def part(self, wanted: NDArray[Any]) -> Sweep:
        """Return some of its rows, by a mask or by places."""
        return Sweep(self.rows[wanted], self.slots[wanted], taken(self.columns, wanted))

    def changes(self) -> list[dict[int, Any]]:
        """Return the new values of each row."""
        assert self.columns is not None
        if not self.columns:
            return [{}] * len(self.rows)
        lists = map(as_list, self.columns.values())
        return [dict(zip(self.columns, row, strict=True)) for row in zip(*lists, strict=True)]


def as_list(column: Given) -> Sequence[Any]:
    """Return the values of a column one by one."""
    if isinstance(column, np.ndarray):
        values: list[Any] = column.tolist() if column.ndim == 1 else list(column)
        return values
    return column


def taken(columns: Mapping[int, Given] | None, wanted: NDArray[Any]) -> dict[int, Given] | None:
    """Return some rows of columns, by a mask or by places."""
    if columns is None:
        return None
    places = np.flatnonzero(wanted) if wanted.dtype == np.bool_ else wanted
    return {
        number: column[places] if isinstance(column, np.ndarray) else [column[i] for i in places.tolist()]
        for number, column in columns.items()
    }


def spread(
    sweeps: Sequence[Sweep], rows: NDArray[np.int64], slots: SlotArray, columns: Mapping[int, Given] | None
) -> tuple[list[Sweep], list[Sweep]]:
    """Return what is left of sweeps after a further change of rows, and this change, with what the rows had become before.

    Parameters
    ----------
    sweeps : sequence of Sweep
        What there is.
    rows, slots : array
        The rows that change, and their committed versions.
    columns : mapping or None
        Their new values; None if they are deleted.
    """
    left, made = [], []
    order = np.argsort(rows)
    is_new = np.ones(len(rows), bool)
    for sweep in sweeps:
        inside = np.isin(sweep.rows, rows)
        if not inside.any():
            left.append(sweep)
            continue
        if not inside.all():
            left.append(sweep.part(~inside))
        before = sweep.part(inside)
        places = order[np.searchsorted(rows, before.rows, sorter=order)]
        is_new[places] = False
        more = taken(columns, places)
        after = None if more is None else {**(before.columns or {}), **more}
        made.append(Sweep(before.rows, before.slots, after))
    if is_new.any():
        made.append(
            Sweep(rows, slots, columns).part(is_new) if not is_new.all() else Sweep(rows, slots, columns)
        )
    return left, made


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
            _publish_entries(store, state, slots, new, columns)


def _publish_entries(
    store: TableStore, state: IndexState, slots: SlotArray, new: SlotArray, written: Mapping[int, Given]
) -> None:
    """Add the entries of new versions: those whose key changed introduce it. Only columns that were ``written`` can have changed."""
    if state.plain_columns is None:
        pairs = zip(slots.tolist(), new.tolist(), strict=True)
        keys = (store.key_of_slot(state, one) != store.key_of_slot(state, other) for one, other in pairs)
        changed = np.fromiter(keys, bool, len(slots))
    else:
        changed = np.zeros(len(slots), bool)
        for number in written.keys() & set(state.plain_columns):
            changed |= store.columns[number].changed(slots, new)
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
