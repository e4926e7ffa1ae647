"""Nearest neighbours as one reader sees a table: its view's committed rows, with its own writes laid over them.

The index, whatever its kind, answers for the committed rows that the view sees and the reader did not change or delete; what
the reader wrote itself is scored one and all, by the same formula. So own rows have the scores that they will have after the
commit, and nobody else's uncommitted rows have any.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import CatalogError, InvalidArgumentError
from .definitions import IndexDef, TableDef
from .index.vectors import VectorIndex
from .reader import Reader
from .table import NO_SLOT, SlotArray


@dataclass(frozen=True)
class VectorHits:
    """Rows near a vector, nearest first; ties by age, own rows last.

    Attributes
    ----------
    rows : int32 array of shape (n,)
        Hidden row ids; negative for rows that the transaction inserted.
    slots : int32 array of shape (n,)
        The committed version of each, ``NO_SLOT`` for what the transaction wrote.
    scores : float64 array of shape (n,)
        By the index's metric: the cosine, the inner product, or minus the Euclidean distance.
    """

    rows: NDArray[np.int32]
    slots: SlotArray
    scores: NDArray[np.float64]


class VectorSearch:
    """A vector index as one reader sees it, for one or more queries. Not to be kept across a write.

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
        store = reader.stores[table.id]
        state = store.indexes[index.id]
        if not isinstance(state.structure, VectorIndex):
            raise CatalogError(f"index {index.name!r} of table {table.title!r} is not a vector index")
        assert state.plain_column is not None
        self._store, self._view, self._state = store, reader.view, state
        self._structure = state.structure
        self._column = store.columns[state.plain_column]
        self._slots = reader.committed_slots(table)
        self._own: list[int] = []
        vectors = []
        writes = reader.writes.get(table.id)
        for row, values in writes.living() if writes else ():
            if values[state.plain_column] is not None:
                self._own.append(row)
                vectors.append(values[state.plain_column])
        shape = (len(vectors), self._structure.heap.dimensions)
        self._vectors = np.array(vectors, np.float32).reshape(shape)

    def nearest(
        self, query: Any, k: int, *, slots: SlotArray | None = None, own: Collection[int] | None = None
    ) -> VectorHits:
        """Return the k nearest rows; those without a vector are near nothing.

        Parameters
        ----------
        query : vector
            Where to look.
        k : int
            How many at most.
        slots : int32 array, optional
            Slots of the committed rows that may be answers; all without it.
        own : collection of int, optional
            Row ids of the transaction's own rows that may be answers; all without it.

        Raises
        ------
        InvalidArgumentError
            If the query is zero and the metric the cosine, which it then has with nothing.
        """
        vector = self._column.type.check(query)
        if self._structure.metric == "cosine" and not np.any(vector):
            raise InvalidArgumentError("a zero vector has no direction: there is nothing nearest to it")
        among = self._slots if slots is None else slots[np.isin(slots, self._slots)]
        entries = self._state.entry.view[among]
        entries = entries[self._structure.refs_of(entries) >= 0]
        found, scores = self._structure.nearest(vector, k, entries)
        rows = self._store.system["row"].view[found]
        hits = self._store.slots_of_entries(self._view, self._state.definition.id, found)
        mine = [i for i, row in enumerate(self._own) if own is None or row in own]
        if mine:
            own_scores = self._structure.score(self._structure.target(vector), self._vectors[mine])
            scores = np.concatenate([scores, own_scores])
            order = np.argsort(-scores, kind="stable")[: max(0, k)]
            rows = np.concatenate([rows, np.array(self._own, np.int32)[mine]])[order]
            hits = np.concatenate([hits, np.full(len(mine), NO_SLOT, np.int32)])[order]
            scores = scores[order]
        return VectorHits(rows, hits, scores)
