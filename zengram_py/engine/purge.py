"""Purge: making a row gone, on every branch and in history.

A delete ends a row's newest version on one branch; the past and the other branches keep it. A purge makes all versions of
the row invisible at once, everywhere: their ``begin`` becomes later than any time. The next vacuum then takes them away with
their values, since nobody can see them; until then the bytes are still in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .constraints import children, key_of, still_referred
from .definitions import TableDef
from .index.hash import HashIndex
from .keys import Key
from .reader import Reader
from .table import NO_SLOT, TableStore
from .visibility import FOREVER

if TYPE_CHECKING:
    from .database import Database


def rows_ever_with(store: TableStore, index: int, key: Key) -> list[int]:
    """Return the hidden ids of the rows that had a key at any time, on any branch."""
    structure = store.indexes[index].structure
    assert isinstance(structure, HashIndex)
    rows = store.system["row"]
    return sorted({rows.item(e) for e in structure.candidates(key) if store.key_at(index, e) == key})


def check_references(database: Database, table_id: int, rows: list[int]) -> None:
    """Raise :class:`~zengram_py.errors.ForeignKeyError` if on some branch a row that stays refers to one that goes."""
    store = database.stores[table_id]
    for branch in database.tree.live():
        view = database.tree.view(branch.id, database.timestamp)
        reader = Reader(database.stores, view, database.catalog.at(view), {})
        table = reader.catalog.by_id.get(table_id)
        if not isinstance(table, TableDef):
            continue
        for row in rows:
            slot = store.slot_of_row(view, row)
            if slot == NO_SLOT:
                continue
            values = store.values(slot)
            for other, foreign, found in children(reader, table, values):
                if other.id != table_id or any(child not in rows for child, _ in found):
                    raise still_referred(table, other, foreign, key_of(table, foreign.ref_columns, values))


def purge_rows(database: Database, table_id: int, rows: list[int], timestamp: int) -> None:
    """Make all versions of some rows invisible; a commit on every live branch, as far as others are concerned."""
    store = database.stores[table_id]
    begin = store.system["begin"].view.copy()  # an export that is under way goes on reading the old array
    gone = np.isin(store.system["row"].view, np.array(rows, np.int32))
    begin[gone] = FOREVER
    store.system["begin"].replace(begin)
    store.ended += int(gone.sum())
    store.has_purged = True
    store.visibility.forget_masks()
    for branch in database.tree.live():
        store.visibility.changes.setdefault(branch.id, []).append(timestamp)
        database.note_commit(branch.id, timestamp)
