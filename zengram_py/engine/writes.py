"""Write sets: what a transaction wrote, kept to itself until it commits.

A row is known by its hidden row id; one that the transaction inserted has a negative id until then. Rows inserted in
bulk stay in columns, as they came; one of them that is changed later moves to the single rows. So do all rows that were changed
together (sweeps.py), when somebody asks for one of them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .keys import Key
from .sweeps import Sweep
from .table import NO_SLOT, IndexState, RowWrite, TableStore, Values


@dataclass
class Batch:
    """Rows that were inserted together.

    Attributes
    ----------
    first : int
        Number of the first among the transaction's own rows; row id = -1 - number.
    count : int
        How many.
    columns : dict
        Checked values by column id: a list (None is null) or an array without nulls.
    moved : set of int
        Offsets of rows that are single rows now, or gone.
    """

    first: int
    count: int
    columns: dict[int, Any]
    moved: set[int] = field(default_factory=set)

    def values(self, offset: int) -> Values:
        """Return the values of one row."""
        out = {}
        for number, column in self.columns.items():
            value = column[offset]
            out[number] = value.item() if getattr(value, "ndim", 1) == 0 else value
        return out


class TableWrites:
    """What a transaction wrote to one table."""

    def __init__(self, store: TableStore) -> None:
        self.store = store
        self._singles: dict[int, RowWrite] = {}
        self.sweeps: list[Sweep] = []
        self.batches: list[Batch] = []
        self._own = 0
        self._keys: dict[
            int, dict[Key | None, set[int]]
        ] = {}  # index -> key -> rows, for indexes that were asked

    def __bool__(self) -> bool:
        return bool(self._singles or self.sweeps or self.batches)

    @property
    def rows(self) -> dict[int, RowWrite]:
        """The single rows, those of sweeps too, which come apart by this."""
        if self.sweeps:
            for sweep in self.sweeps:
                self._singles.update(sweep.singles())
            self.sweeps.clear()
        return self._singles

    @property
    def singles(self) -> dict[int, RowWrite]:
        """The single rows without those of sweeps."""
        return self._singles

    def ended_slots(self) -> NDArray[np.int32]:
        """Return the committed slots that are no longer what the transaction sees."""
        bases = [w.base for w in self._singles.values() if w.base != NO_SLOT]
        return np.concatenate([np.array(bases, np.int32), *(s.slots for s in self.sweeps)])

    def put_sweeps(self, sweeps: list[Sweep]) -> None:
        """Keep these sweeps in place of those that there are."""
        self.sweeps = sweeps
        self._keys.clear()

    # -- writing -----------------------------------------------------------------------------------------------------

    def insert(self, values: Values, template: int = NO_SLOT) -> int:
        """Keep a new row and return its id."""
        row = -1 - self._own
        self._own += 1
        self.put(row, RowWrite(NO_SLOT, template, values))
        return row

    def insert_batch(self, count: int, columns: dict[int, Any]) -> Batch:
        """Keep new rows, given by columns."""
        batch = Batch(self._own, count, columns)
        self._own += count
        self.batches.append(batch)
        for index, keys in self._keys.items():
            state = self.store.indexes[index]
            for offset in range(count):
                key = state.key(self._of_batch(batch, offset).__getitem__)
                keys.setdefault(key, set()).add(-1 - batch.first - offset)
        return batch

    def put(self, row: int, write: RowWrite) -> None:
        """Keep what became of a row; a row of the transaction's own that is dead is forgotten."""
        for index, keys in self._keys.items():
            state = self.store.indexes[index]
            before = self.values(row)
            if before is not None:
                keys[state.key(before.__getitem__)].discard(row)
            if not write.dead:
                keys.setdefault(state.key(self._of(write).__getitem__), set()).add(row)
        batch = self._batch_of(row)
        if batch is not None:
            batch.moved.add(-1 - row - batch.first)
        singles = self._singles if row < 0 else self.rows
        if row < 0 and write.dead:
            singles.pop(row, None)
        else:
            singles[row] = write

    def take_back(self, row: int, before: RowWrite | None) -> None:
        """Undo the last :meth:`put` of a row, before which it was this."""
        self._keys.clear()
        if before is not None:
            self.rows[row] = before
            return
        self.rows.pop(row, None)
        for batch in self.batches:
            batch.moved.discard(-1 - row - batch.first)

    def copy(self) -> TableWrites:
        """Return a copy that later writes do not change."""
        other = TableWrites(self.store)
        other._singles = dict(self._singles)  # a RowWrite is replaced, never changed
        other.sweeps = list(self.sweeps)
        other.batches = [Batch(b.first, b.count, b.columns, set(b.moved)) for b in self.batches]
        other._own = self._own
        return other

    # -- reading -----------------------------------------------------------------------------------------------------

    def hides(self, row: int) -> bool:
        """Return whether the committed version of a row is not what the transaction sees."""
        return row in self._singles or any(row in sweep.places for sweep in self.sweeps)

    def values(self, row: int) -> Values | None:
        """Return the values of a row that the transaction wrote; None when it did not, or deleted it."""
        write = self._singles.get(row)
        if write is not None:
            return None if write.dead else self._of(write)
        if row >= 0:
            for sweep in self.sweeps:
                place = sweep.places.get(row)
                if place is not None:
                    return sweep.values(self.store, place)
        batch = self._batch_of(row)
        return None if batch is None else self._of_batch(batch, -1 - row - batch.first)

    def living(self) -> Iterator[tuple[int, Values]]:
        """Yield (row id, values) of the rows that the transaction inserted or changed."""
        sweeps = list(self.sweeps)
        for row, write in list(self._singles.items()):
            if not write.dead:
                yield row, self._of(write)
        for sweep in sweeps:
            yield from sweep.living(self.store)
        for batch in self.batches:
            for offset in range(batch.count):
                if offset not in batch.moved:
                    yield -1 - batch.first - offset, self._of_batch(batch, offset)

    def rows_of_key(self, state: IndexState, key: Key) -> list[int]:
        """Return the rows that the transaction inserted or changed and that now have a key in an index."""
        keys = self._keys.get(state.definition.id)
        if keys is None:
            keys = {}
            for row, values in self.living():
                keys.setdefault(state.key(values.__getitem__), set()).add(row)
            self._keys[state.definition.id] = keys
        return sorted(keys.get(key, ()), reverse=True)

    def publishable(self) -> list[tuple[int, dict[int, Any]]]:
        """Return the batches as (count, columns), without the rows that moved."""
        out = []
        for batch in self.batches:
            if not batch.moved:
                out.append((batch.count, batch.columns))
            elif len(batch.moved) < batch.count:
                kept = [i for i in range(batch.count) if i not in batch.moved]
                columns = {n: [column[i] for i in kept] for n, column in batch.columns.items()}
                out.append((len(kept), columns))
        return out

    def forget_shape(self) -> None:
        """Drop what is derived from the table's indexes, after they changed."""
        self._keys.clear()

    def _of_batch(self, batch: Batch, offset: int) -> Values:
        return {**self.store.fills, **batch.values(offset)}

    def _of(self, write: RowWrite) -> Values:
        if write.template == NO_SLOT:
            return {**self.store.fills, **write.values}
        return {**self.store.values(write.template), **write.values}

    def _batch_of(self, row: int) -> Batch | None:
        if row >= 0 or row in self._singles:
            return None
        number = -1 - row
        at = bisect_right(self.batches, number, key=lambda batch: batch.first) - 1
        if at < 0 or number >= self.batches[at].first + self.batches[at].count:
            return None
        batch = self.batches[at]
        return None if number - batch.first in batch.moved else batch
