"""The database: its tables, its time, and the commit. The only face of this folder.

Everything that happens has a place in one order: commit timestamps grow strictly (the later of the clock and the last
commit plus one), and each commit has a dense log sequence number (lsn). Reading at a timestamp therefore reads one
consistent state, however many transactions are open.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from sortedcontainers import SortedList

from ..clock import Clock, SystemClock
from ..errors import CatalogError, ClosedError, ConflictError
from . import snapshot
from .catalog import CatalogEntry, ColumnDef, IndexDef, TableDef, define_table
from .table import TableStore
from .transaction import TableWrites, Transaction, _ValuesRow, unique_violation
from .view import MAIN, View


class Database:
    """An in-memory database of versioned tables; make one with :meth:`open` or :meth:`restore`."""

    def __init__(self, *, clock: Clock | None = None, database_id: bytes | None = None) -> None:
        self.clock = clock if clock is not None else SystemClock()
        self.id = database_id if database_id is not None else os.urandom(16)
        self.timestamp = 0
        """Timestamp of the last commit, in microseconds since the epoch, UTC."""
        self.lsn = 0
        """Number of commits so far."""
        self._catalog: list[CatalogEntry] = []
        self._stores: dict[int, TableStore] = {}
        self._names: dict[str, CatalogEntry] = {}
        self._next_table_id = 1
        self._open_snapshots: SortedList[int] = SortedList()
        self._is_open = True

    @classmethod
    def open(cls, *, clock: Clock | None = None) -> Database:
        """Return a new, empty database."""
        return cls(clock=clock)

    @classmethod
    def restore(cls, data: bytes | bytearray | memoryview, *, clock: Clock | None = None) -> Database:
        """Return the database that a snapshot holds.

        The arrays of the snapshot are used where they lie and are copied when they are first written to: keep the
        bytes unchanged.

        Raises
        ------
        SnapshotError
            If the bytes are not an intact snapshot of a format that this version reads; it names the section.
        """
        return snapshot.load(data, lambda database_id: cls(clock=clock, database_id=database_id))

    def export(self) -> bytes:
        """Return the whole database as a snapshot (:mod:`zengram_py.engine.snapshot`)."""
        self._check_open()
        return snapshot.save(self)

    def close(self) -> None:
        """Give up the database; every later call raises :class:`~zengram_py.errors.ClosedError`."""
        self._is_open = False
        self._stores = {}

    # -- catalogue ---------------------------------------------------------------------------------------------------

    def create_table(
        self,
        name: str,
        columns: Sequence[ColumnDef],
        *,
        primary_key: Sequence[str] = (),
        indexes: Sequence[IndexDef] = (),
    ) -> TableDef:
        """Create a table, as a commit of its own.

        Raises
        ------
        CatalogError
            If there is a table of that name, or the definition does not hold together.
        """
        self._check_open()
        if name in self._names:
            raise CatalogError(f"there is a table {name!r} already")
        definition = define_table(self._next_table_id, name, columns, primary_key, indexes)
        self._advance()
        self._adopt(CatalogEntry(definition, MAIN, self.timestamp), TableStore(definition))
        return definition

    @property
    def tables(self) -> list[TableDef]:
        """Definitions of all tables, in the order of their names."""
        return [self._names[name].definition for name in sorted(self._names)]

    def _adopt(self, entry: CatalogEntry, store: TableStore) -> None:
        self._catalog.append(entry)
        self._names[entry.definition.name] = entry
        self._stores[entry.definition.id] = store
        self._next_table_id = max(self._next_table_id, entry.definition.id + 1)

    def _table(self, name: str, view: View) -> TableStore:
        entry = self._names.get(name)
        if entry is None or entry.begin > view.timestamp:
            raise CatalogError(f"there is no table {name!r}")
        return self._stores[entry.definition.id]

    # -- transactions ------------------------------------------------------------------------------------------------

    def begin(self, *, as_of: int | None = None, read_only: bool = False) -> Transaction:
        """Begin a transaction on the state of now, or a read-only one on an earlier state.

        Parameters
        ----------
        as_of : int, optional
            Commit timestamp (microseconds) whose state is read.
        read_only : bool
            Refuse writes.
        """
        self._check_open()
        timestamp = self.timestamp if as_of is None else min(as_of, self.timestamp)
        transaction = Transaction(self, View(((MAIN, timestamp),)), read_only=read_only or as_of is not None)
        self._open_snapshots.add(timestamp)
        return transaction

    @property
    def oldest_snapshot(self) -> int:
        """The earliest timestamp that an open transaction reads (the last commit's when none is open)."""
        return self._open_snapshots[0] if self._open_snapshots else self.timestamp

    def size(self) -> dict[str, dict[str, int]]:
        """Return bytes held, by table and part."""
        self._check_open()
        return {store.definition.name: store.sizes() for store in self._stores.values()}

    def _closed(self, transaction: Transaction) -> None:
        self._open_snapshots.discard(transaction.view.timestamp)

    def _commit(self, transaction: Transaction) -> int:
        self._check_open()
        written = [writes for writes in transaction.writes.values() if writes]
        if not written:
            return transaction.view.timestamp
        head = View(((transaction.view.branch, self.timestamp),))
        for writes in written:
            self._check_conflicts(writes, head)
            self._check_unique(writes, head)
        timestamp = self._advance()
        for writes in written:
            self._publish(writes, head.branch, timestamp)
        return timestamp

    def _advance(self) -> int:
        self.timestamp = max(self.timestamp + 1, self.clock.now())
        self.lsn += 1
        return self.timestamp

    @staticmethod
    def _check_conflicts(writes: TableWrites, head: View) -> None:
        """First committer wins: each version that is to be ended must still be in force."""
        store = writes.store
        for row, slot in [(r, s) for r, (s, _) in writes.changed.items()] + list(writes.deleted.items()):
            if not store.sees(head, slot):
                table = store.definition
                key = store.key_at(0, slot) if table.primary_key else row
                raise ConflictError(
                    f"another transaction changed the row {key!r} of table {table.name!r} first; begin again",
                    table=table.name,
                    key=key,
                )

    @staticmethod
    def _check_unique(writes: TableWrites, head: View) -> None:
        """No new key may be in force at the head (the transaction compared its keys with its own view only)."""
        store = writes.store
        rows = store.system["row"].view
        for number, state in enumerate(store.indexes):
            if not state.definition.unique:
                continue
            for row in [*writes.inserted, *writes.changed]:
                values = writes.values_of(row)
                assert values is not None
                key = state.key(_ValuesRow(store.positions, values))
                for slot in store.slots_of_key(head, number, key):
                    other = int(rows[slot])
                    if other != row and not writes.hides(other):
                        raise unique_violation(store, number, key)

    @staticmethod
    def _publish(writes: TableWrites, branch: int, timestamp: int) -> None:
        store = writes.store
        for slot, changes in writes.changed.values():
            store.append_version(slot, changes, branch, timestamp)
        for slot in writes.deleted.values():
            store.end_version(slot, branch, timestamp)
        if writes.inserted:
            store.append_rows(list(writes.inserted.values()), branch, timestamp)
        store.changed_at[branch] = timestamp

    def _check_open(self) -> None:
        if not self._is_open:
            raise ClosedError("the database is closed")
