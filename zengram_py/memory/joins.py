"""Joins by arrays: which fact each row of another table belongs to.

Vectors and links to entities name their fact by id. What a row belongs to never changes, so it is looked up once and
kept as an int32 array beside the table's slots; each question then joins by indexing arrays. Only slots that are new since
the last question are looked up, and a vacuum, which renumbers slots and rows, empties the array.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..engine.growable import Growable
from ..engine.seen import SeenTable

NO_FACT = -1


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
            pairs = zip(names, belongs.tolist(), strict=True)
            self._rows.extend([_row_of(facts, name) if is_one else NO_FACT for name, is_one in pairs])
        return self._rows.view


def _row_of(facts: SeenTable, fact_id: str) -> int:
    state = facts.index("knowledge_pkey")
    for slot in state.structure.search((fact_id,)).tolist():
        if facts.store.key_at(state.definition.id, slot) == (fact_id,):
            return int(facts.store.system["row"].item(slot))
    return NO_FACT
