"""Joins and codes as arrays: what rows belong to, and which of them hold the same.

Vectors and links to entities name their fact by id; facts name their session, or a list of tags. What a stored value is never
changes, so it is looked up once and kept as an array; each question then joins and compares by indexing. Only what is new since
the last question is looked up, and a vacuum, which renumbers slots, rows and values, empties the arrays::

    slot       0    1    2    3                    slot   0      1      2      3
    link    -> knw_7 knw_2 knw_7 -                 tags   [a,b]  -      [b,a]  [c]
    FactRows   6     1     6    -1                 codes  0      -1     0      1      keys: {a,b} {c}
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.column import HeapColumn
from ..engine.growable import Growable
from ..engine.seen import SeenTable
from ..engine.table import SlotArray
from ..text.postings import ranges, repeat

NO_FACT = -1
NO_CODE = -1
ALL_AT_ONCE = 256
"""Look-ups from which on it is quicker to read all ids."""


class FactRows:
    """For each slot of a table, the hidden row id of the fact that it names.

    Parameters
    ----------
    column : str
        The column with the fact's id.
    kind : (str, str), optional
        A column and the value that it has in rows that belong to a fact.
    """

    def __init__(self, column: str, kind: tuple[str, str] | None = None) -> None:
        self._column, self._kind = column, kind
        self._rows: Growable[np.int32] = Growable(np.int32)
        self._epochs = (0, 0)

    def of(self, table: SeenTable, facts: SeenTable) -> NDArray[np.int32]:
        """Return the row ids, shape (slots of the table,), ``NO_FACT`` where there is none."""
        epochs = (table.store.epoch, facts.store.epoch)
        if epochs != self._epochs:
            self._rows, self._epochs = Growable(np.int32), epochs
        known, total = len(self._rows), len(table.store)
        if known < total:
            slots = np.arange(known, total, dtype=np.int32)
            names = table.column(self._column).take(slots)
            belongs = np.ones(len(slots), bool)
            if self._kind is not None:
                belongs = table.column(self._kind[0]).equal(slots, self._kind[1])
            find = rows_by_id(facts) if len(slots) > ALL_AT_ONCE else partial(row_of, facts)
            pairs = zip(names, belongs.tolist(), strict=True)
            self._rows.extend([find(name) if is_one else NO_FACT for name, is_one in pairs])
        return self._rows.view


class ValueCodes:
    """Small numbers for the values of a column of texts or JSON: equal keys, equal numbers.

    Parameters
    ----------
    column : str
        The column.
    key : callable
        What makes two values the same; None for a value that counts as none.
    """

    def __init__(self, column: str, key: Callable[[Any], Hashable | None]) -> None:
        self._column, self._key = column, key
        self._epoch = -1
        self._forget(-1)

    def of(self, facts: SeenTable, slots: SlotArray) -> NDArray[np.int32]:
        """Return the codes of slots, shape (n,), ``NO_CODE`` for null."""
        refs = self._update(facts).refs[slots]
        if not len(self._codes):
            return np.full(len(refs), NO_CODE, np.int32)
        return np.where(refs >= 0, self._codes.view[refs], np.int32(NO_CODE))

    def keys(self, facts: SeenTable) -> list[Any]:
        """Return the keys that the column has, or had, in the order of their codes."""
        self._update(facts)
        return list(self._known)

    def is_empty(self, facts: SeenTable) -> bool:
        """Return whether the column never had a value that counts."""
        self._update(facts)
        return not self._known

    def where(self, facts: SeenTable, slots: SlotArray, keys: Collection[Any]) -> NDArray[np.bool_]:
        """Return which slots hold one of some keys, shape (n,); null is none of them."""
        codes = self.of(facts, slots)
        wanted = [self._known[key] for key in keys if key in self._known]
        if len(wanted) == 1:
            is_one: NDArray[np.bool_] = codes == wanted[0]
            return is_one
        is_wanted = np.zeros(len(self._known) + 1, bool)  # the last is what NO_CODE picks
        is_wanted[wanted] = True
        return is_wanted[codes]

    def _update(self, facts: SeenTable) -> HeapColumn:
        column = facts.column(self._column)
        assert isinstance(column, HeapColumn)
        if facts.store.epoch != self._epoch:
            self._forget(facts.store.epoch)
        known, total = len(self._codes), len(column.heap)
        if known < total:
            self._codes.extend([self._code(value) for value in column.heap.take(np.arange(known, total))])
        return column

    def _code(self, value: Any) -> int:
        key = self._key(value)
        return NO_CODE if key is None else self._known.setdefault(key, len(self._known))

    def _forget(self, epoch: int) -> None:
        self._epoch = epoch
        self._codes: Growable[np.int32] = Growable(np.int32)
        self._known: dict[Any, int] = {}


class ListedRows:
    """For each fact, the hidden row ids of the facts that a column of it lists by id.

    Parameters
    ----------
    column : str
        A column of JSON.
    """

    def __init__(self, column: str) -> None:
        self._column = column
        self._epoch = -1

    def pairs(self, facts: SeenTable, slots: SlotArray) -> tuple[SlotArray, NDArray[np.int32]]:
        """Return pairs of a slot and a row that it lists; an id that is no fact's is left out."""
        column = facts.column(self._column)
        assert isinstance(column, HeapColumn)
        if facts.store.epoch != self._epoch:
            self._epoch = facts.store.epoch
            self._rows: Growable[np.int32] = Growable(np.int32)
            self._starts: Growable[np.int64] = Growable(np.int64)
            self._starts.append(0)
        known, total = len(self._starts) - 1, len(column.heap)
        if known < total:
            for text in column.heap.take(np.arange(known, total)):
                ids = column.type.present(text)
                found = [row_of(facts, one) for one in ids] if isinstance(ids, list) else []
                self._rows.extend([row for row in found if row != NO_FACT])
                self._starts.append(len(self._rows))
        refs = column.refs[slots]
        listing = refs >= 0
        slots, refs = slots[listing], refs[listing]
        starts = self._starts.view
        counts = starts[refs + 1] - starts[refs]
        return repeat(slots, counts), self._rows.view[ranges(starts[refs], counts)]


def rows_by_id(facts: SeenTable) -> Callable[[Any], int]:
    """Return :func:`row_of` for many look-ups: it reads all ids first."""
    ids = facts.column("id").take(np.arange(len(facts.store), dtype=np.int32))
    known = dict(zip(ids, facts.store.system["row"].view.tolist(), strict=True))
    return lambda fact_id: known.get(fact_id, NO_FACT)


def row_of(facts: SeenTable, fact_id: Any) -> int:
    """Return the hidden row id of a fact, ``NO_FACT`` if there was never such a fact."""
    if not isinstance(fact_id, str):
        return NO_FACT
    state = facts.index("knowledge_pkey")
    found = NO_FACT
    for slot in state.structure.search((fact_id,)).tolist():
        if facts.store.key_at(state.definition.id, slot) == (fact_id,):  # the last, if an id was used again
            found = max(found, int(facts.store.system["row"].item(slot)))
    return found
