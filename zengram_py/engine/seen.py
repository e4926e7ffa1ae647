"""A table as arrays, for code that works on columns: masks and slots in place of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .column import Column, FixedColumn
from .definitions import TableDef
from .table import IndexState, SlotArray, TableStore
from .view import View


class SeenTable:
    """A table as arrays, for code that works on columns.

    Attributes
    ----------
    store : TableStore
        The rows with all their versions.
    slots : int32 array
        Where the versions are that the view sees, ascending.
    """

    def __init__(self, definition: TableDef, store: TableStore, view: View) -> None:
        self.definition = definition
        self.store = store
        self.view = view
        self.slots: SlotArray = store.slots(view)

    def column(self, name: str) -> Column:
        """Return a column by name."""
        return self.store.columns[self.definition.column(name).id]

    def array(self, name: str, slots: SlotArray, missing: int | float = 0) -> NDArray[Any]:
        """Return a column of fixed width as an array, with a number in place of null."""
        column = self.column(name)
        if not isinstance(column, FixedColumn):
            raise TypeError(f"column {name!r} is not of a fixed width")
        values = column.take_array(slots)
        if column.nulls is not None:
            values = np.where(column.nulls[slots], values.dtype.type(missing), values)
        return values

    def index(self, name: str) -> IndexState:
        """Return an index by name."""
        return self.store.indexes[self.definition.index(name).id]

    def where(self, name: str, value: Any) -> SlotArray:
        """Return the slots whose column holds a stored value."""
        return self.slots[self.column(name).equal(self.slots, value)]

    def rows(self, slots: SlotArray) -> NDArray[np.int32]:
        """Return the hidden row ids of slots."""
        rows: NDArray[np.int32] = self.store.system["row"].view[slots]
        return rows

    def slots_of_rows(self, slots: SlotArray, rows: NDArray[np.int32]) -> SlotArray:
        """Return which of some slots holds each of some hidden row ids, -1 for none of them (and for a negative id)."""
        found = np.full(len(self.store.newest) + 1, -1, np.int32)  # the last is what -1 picks
        found[self.rows(slots)] = slots
        return found[rows]

    @property
    def state(self) -> object:
        """What the view sees: equal states, equal rows in equal slots of the same columns and indexes."""
        return self.store.epoch, self.store.visibility.state(self.view), self.definition
