"""Serializable transactions: what was read must still be so at the commit.

Snapshot isolation lets two transactions read the same rows and each change another of them (write skew: Berenson et al.
1995, Fekete et al. 2005). A serializable transaction therefore notes what it reads, the keys that it looked up with the
slots found, and the conditions that it scanned by, and its commit checks that no other commit changed an answer
(backward validation: Kung and Robinson 1981). Then it could as well have run at the moment of its commit, all at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import SerializationError
from .definitions import TableDef
from .expr import Expr
from .keys import Key
from .table import TableStore
from .vector_expr import filter_slots

if TYPE_CHECKING:
    from .reader import Stores
    from .view import View


class ReadSet:
    """What one transaction read."""

    def __init__(self) -> None:
        self._keys: dict[tuple[int, int, Key], frozenset[int]] = {}
        self._scans: list[tuple[TableDef, Expr | None]] = []

    def note_key(self, table: int, index: int, key: Key, slots: list[int]) -> None:
        """Note the slots that a look-up found."""
        self._keys.setdefault((table, index, key), frozenset(slots))

    def note_scan(self, table: TableDef, where: Expr | None) -> None:
        """Note a scan and its condition."""
        if (table, where) not in self._scans:
            self._scans.append((table, where))

    def tables(self) -> set[int]:
        """Return the ids of the tables that were read."""
        return {table for table, _, _ in self._keys} | {table.id for table, _ in self._scans}

    def validate(self, stores: Stores, seen: View, head: View) -> None:
        """Raise :class:`~zengram_py.errors.SerializationError` if an answer changed between two views of a branch."""
        for (table, index, key), slots in self._keys.items():
            store = stores.get(table)
            if store is None or index not in store.indexes:
                continue
            if frozenset(store.slots_of_key(head, index, key)) != slots:
                raise SerializationError(
                    "another transaction changed what this one read; run it again", table=str(table), key=key
                )
        for definition, where in self._scans:
            if self._changed(stores[definition.id], definition, where, seen, head):
                raise SerializationError(
                    f"another transaction changed what this one read of table {definition.title!r}; run it again",
                    table=definition.title,
                )

    @staticmethod
    def _changed(store: TableStore, table: TableDef, where: Expr | None, seen: View, head: View) -> bool:
        """Return whether a row that satisfies a condition came or went between two views."""
        if store.visibility.state(seen) == store.visibility.state(head):
            return False
        before, after = store.slots(seen), store.slots(head)
        changed = np.setxor1d(before, after, assume_unique=True).astype(np.int32)
        if where is not None:
            columns = {c.name: store.columns[c.id] for c in table.columns}
            changed = filter_slots(where, columns, changed)
        return len(changed) > 0
