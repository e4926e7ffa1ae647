"""What a GIN index tells one reader: its view's committed rows that may satisfy an operator, and the reader's own rows.

An index knows hashes of what is in a value (index/items.py), so what it gives are candidates: whoever asks evaluates the operator on
them. None that satisfies it is left out, of any branch, at any time, and in the middle of a transaction. Own rows are given as they
are, all of them: to take a value apart is as much work as to look into it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import CatalogError, InvalidArgumentError
from .definitions import IndexDef, TableDef
from .index.gin import GinIndex
from .index.items import Condition
from .reader import Reader
from .table import SlotArray, Values

OwnRows = list[tuple[int, Values]]


class GinSearch:
    """A GIN index as one reader sees it, for one or more questions. Not to be kept across a write.

    Parameters
    ----------
    reader : Reader
        Who asks.
    table : TableDef
        The table, as the reader's catalogue has it.
    index : IndexDef
        The index.
    """

    def __init__(self, reader: Reader, table: TableDef, index: IndexDef) -> None:
        self._store = reader.stores[table.id]
        structure = self._store.indexes[index.id].structure
        if not isinstance(structure, GinIndex):
            raise CatalogError(f"index {index.name!r} of table {table.title!r} is not a GIN index")
        self._structure = structure
        self._reader, self._table, self._index = reader, table, index

    def estimate(self, operator: str, operand: Any, key: int = 0) -> int | None:
        """Return how many committed candidates there are at most, on all branches together; None if it may be all rows.

        Parameters
        ----------
        operator, operand, key
            As for :meth:`candidates`.
        """
        return self._structure.count(self._condition(operator, operand, key))

    def candidates(self, operator: str, operand: Any, key: int = 0) -> tuple[SlotArray, OwnRows]:
        """Return the rows among which are all for which ``key operator operand`` is true.

        Parameters
        ----------
        operator : str
            One that the index answers: ``OPERATORS[operator class]`` of index/items.py.
        operand : object
            The right side in stored form, not null; see :func:`~zengram_py.engine.index.items.condition_of`.
        key : int
            Which key of the index is the left side.

        Returns
        -------
        slots : int32 array of shape (n,)
            Committed versions that the reader sees and has not changed, ascending.
        own : list of (row id, values)
            The rows that the reader's transaction wrote.

        Raises
        ------
        InvalidArgumentError
            If the index does not answer the operator.
        """
        reader, table = self._reader, self._table
        own = list(reader.own_rows(table))
        entries = self._structure.candidates(self._condition(operator, operand, key))
        if entries is None:
            return reader.committed_slots(table), own
        if reader.read_set is not None:
            reader.read_set.note_scan(table, None)
        slots = np.unique(self._store.slots_of_entries(reader.view, self._index.id, entries))
        writes = reader.writes.get(table.id)
        if writes and len(slots):
            slots = slots[~np.isin(slots, writes.ended_slots())]
        return slots.astype(np.int32), own

    def _condition(self, operator: str, operand: Any, key: int) -> Condition:
        try:
            return self._structure.condition(operator, operand, key)
        except (ValueError, IndexError) as error:
            raise InvalidArgumentError(f"index {self._index.name!r}: {error}") from None
