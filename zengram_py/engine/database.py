"""The database: its tables, its branches, its time, and the commit. The only face of this folder.

Everything that happens has a place in one order: commit timestamps grow strictly (the later of the clock and the last
commit plus one), and each commit has a dense log sequence number (lsn). Reading at a timestamp therefore reads one
consistent state, however many transactions are open, on whichever branches.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from weakref import ref

from ..clock import Clock, SystemClock
from ..errors import BranchError, ClosedError, InvalidArgumentError, StoreError, TransactionError
from . import commit as commits
from . import snapshot
from .branch import BranchTree
from .branching import Branching
from .catalog import Catalog
from .container import write_chunks
from .definitions import ColumnDef, IndexDef, Name, TableDef
from .growable import Growable
from .log import COMMIT, Record, crc_of, encode
from .maintenance import Maintenance
from .reader import Stores
from .replay import ReplayReport, commit_payload, replay
from .sequence import Sequences
from .transaction import SERIALIZABLE, SNAPSHOT, Transaction
from .vacuum import Retention
from .view import View

if TYPE_CHECKING:
    from .file_store import FileStore, Recovery


class Database(Branching, Maintenance):
    """An in-memory database of versioned tables; make one with :meth:`open` or :meth:`restore`.

    Attributes
    ----------
    id : bytes
        16 bytes that name the database.
    timestamp : int
        Timestamp of the last commit, in microseconds since the epoch, UTC.
    lsn : int
        Number of the last record: commits, branch operations and vacuums are counted.
    last_crc : int
        CRC of the last record, 0 when nobody took it.
    horizon : int
        Earlier states than that of this time may have been vacuumed; reading them is an error.
    retention : Retention
        How much of the past a vacuum keeps; nothing by default.
    on_commit : callable or None
        Takes each record (bytes, log.py) before what it says is published; if it raises, nothing happens. A log that
        is kept by it goes on from a snapshot that was exported when it was set, or later. A database in a folder has
        its own.
    recovery : Recovery or None
        What :meth:`open_path` found in the folder.
    """

    def __init__(self, *, clock: Clock | None = None, database_id: bytes | None = None) -> None:
        self.clock = clock if clock is not None else SystemClock()
        self.id = database_id if database_id is not None else os.urandom(16)
        self.timestamp = 0
        self.lsn = 0
        self.last_crc = 0
        self.horizon = 0
        self.retention = Retention()
        self.on_commit: Callable[[bytes], None] | None = None
        self.recovery: Recovery | None = None
        self._store: FileStore | None = None
        self.catalog = Catalog()
        self.stores: Stores = {}
        self.tree = BranchTree()
        self.sequences = Sequences()
        self.commits: dict[int, Growable[Any]] = {}
        """Timestamps of the commits on each branch, ascending."""
        self._transactions: dict[int, ref[Transaction]] = {}  # by id(); one that is dropped leaves by itself
        self._committing: Transaction | None = None
        self._is_recording = False
        super().__init__()
        self._is_open = True

    @classmethod
    def open(cls, *, clock: Clock | None = None) -> Database:
        """Return a new, empty database."""
        return cls(clock=clock)

    @classmethod
    def open_path(
        cls,
        folder: str | os.PathLike[str],
        *,
        clock: Clock | None = None,
        fsync: str = "commit",
        fsync_interval: float = 1.0,
        segment_bytes: int = 4 << 20,
        checkpoint_bytes: int | None = 16 << 20,
    ) -> Database:
        """Return the database in a folder, which is made when it is missing; this process alone has it open.

        Every commit is in the folder's log before it is published, and :attr:`recovery` says what was found there
        (file_store.py; docs/durability.md has what is promised).

        Parameters
        ----------
        folder : str or path
            Where.
        clock : Clock, optional
            The machine's when left out.
        fsync : str
            When the log is synced to the disk: ``"commit"``: before each commit returns; ``"interval"``: at most
            ``fsync_interval`` later; ``"never"``: when the system wants to. A process that dies loses no commit in
            any case; a machine that does may lose those that were not synced.
        fsync_interval : float
            Seconds.
        segment_bytes : int
            Length at which another file of the log is begun.
        checkpoint_bytes : int or None
            Length of the log at which :meth:`maintain` makes a checkpoint (when the log is also longer than half the
            last snapshot); None for only when :meth:`checkpoint` is called.

        Raises
        ------
        StoreLockedError
            If a process has the folder open.
        StoreError
            If the folder cannot be read or written, or no snapshot in it can be read.
        LogError
            If the log is damaged before its end. Nothing was changed.
        """
        from .file_store import FileStore

        def make(data: bytes | None) -> Database:
            return cls(clock=clock) if data is None else cls.restore(data, clock=clock)

        return FileStore.open(
            os.fspath(folder),
            make,
            fsync=fsync,
            fsync_interval=fsync_interval,
            segment_bytes=segment_bytes,
            checkpoint_bytes=checkpoint_bytes,
        )

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

    def export(self, *, compress: bool = False) -> bytes:
        """Return the whole database as a snapshot (:mod:`zengram_py.engine.snapshot`), without temporary tables.

        Parameters
        ----------
        compress : bool
            Deflate what gets smaller by it: text, references and bookkeeping, not vectors. docs/performance.md says
            what it buys and costs.
        """
        self._check_open()
        return snapshot.save(self, compress=compress)

    def export_chunks(
        self, chunk_bytes: int = 1 << 20, *, compress: bool = False
    ) -> Iterator[bytes | memoryview]:
        """Yield a snapshot of this moment in parts, while work goes on.

        Parameters
        ----------
        chunk_bytes : int
            Bytes in a part at most.
        compress : bool
            As in :meth:`export`; a section is then deflated as a whole before its first part comes.

        Yields
        ------
        bytes or memoryview
            Parts of the file, in order. Write each before asking for the next.
        """
        self._check_open()
        return write_chunks(snapshot.pin(self), chunk_bytes, compress=compress)

    def replay(self, records: Iterable[bytes] | bytes | bytearray | memoryview) -> ReplayReport:
        """Apply the records of a log that this database does not have yet (replay.py).

        Parameters
        ----------
        records : bytes or iterable of bytes
            What ``on_commit`` took, in order; those that a snapshot covers are skipped.

        Raises
        ------
        LogError
            If a record is missing, is another database's, or is damaged and not the last.
        """
        self._check_open()
        return replay(self, records)

    def close(self) -> None:
        """Give up the database; every later call, also of its transactions, raises :class:`~zengram_py.errors.ClosedError`.

        Raises
        ------
        StoreError
            If it has a folder and the log there could not be synced. It is closed all the same.
        """
        self._is_open = False
        for transaction in self.open_transactions():
            transaction.expire("closed")
        for store in self.stores.values():
            store.close()
        self.stores = {}
        if self._store is not None:
            self._store.close()

    def checkpoint(self) -> None:
        """Write a snapshot into the database's folder and remove the log before it.

        Raises
        ------
        StoreError
            If the database has no folder, or the snapshot could not be written; what was there before is kept.
        """
        self._check_open()
        if self._store is None:
            raise StoreError("this database has no folder; open it with open_path(), or export() it")
        self._store.checkpoint(self)

    def attach(self, store: FileStore) -> None:
        """Write every record to a store; called when it is opened."""
        self._store, self.on_commit = store, store.append

    # -- transactions ------------------------------------------------------------------------------------------------

    def begin(
        self,
        *,
        branch: str = "main",
        isolation: str = SNAPSHOT,
        as_of: int | None = None,
        read_only: bool = False,
        timeout: float | None = None,
    ) -> Transaction:
        """Begin a transaction on the state of now, or a read-only one on an earlier state.

        Parameters
        ----------
        branch : str
            The branch to read and write.
        isolation : str
            ``"snapshot"`` or ``"serializable"``.
        as_of : int, optional
            Timestamp (microseconds) whose state is read; later ones than the last commit read the last commit.
        read_only : bool
            Refuse writes.
        timeout : float, optional
            Seconds after which the transaction, if it is still open, is rolled back.
        """
        self._check_open()
        if isolation not in (SNAPSHOT, SERIALIZABLE):
            raise InvalidArgumentError(f"isolation is 'snapshot' or 'serializable', not {isolation!r}")
        self._expire_transactions()
        timestamp = self.readable_time(as_of)
        deadline = None if timeout is None else self.clock.now() + round(timeout * 1e6)
        transaction = Transaction(
            self,
            self.tree.view(self.tree.find(branch).id, timestamp),
            isolation=isolation,
            read_only=read_only or as_of is not None,
            deadline=deadline,
        )
        number, transactions = id(transaction), self._transactions
        transactions[number] = ref(transaction, lambda _: transactions.pop(number, None))
        return transaction

    def commit(self, transaction: Transaction) -> int:
        """Commit a transaction; called by :meth:`Transaction.commit`."""
        self._check_open()
        writes = {number: w for number, w in transaction.reader.writes.items() if w}
        if not writes and not transaction.changes:
            return transaction.view.timestamp
        branch = transaction.view.branch
        if self.tree.branches[branch].discarded:
            raise BranchError(f"branch {self.tree.branches[branch].name!r} was discarded")
        head = self.tree.view(branch, self.timestamp)
        others = self._last_commit(branch) > transaction.view.timestamp
        commits.check(transaction, self.stores, head, self.catalog, others_committed=others)
        return self.apply(transaction, head)

    def apply(self, transaction: Transaction, head: View, meeting: tuple[int, int, int] | None = None) -> int:
        """Log and publish what a transaction wrote, on the branch of the head that it was checked against."""
        timestamp = max(self.timestamp + 1, self.clock.now())
        payload: dict[str, Any] | None = None
        buffers: Sequence[Any] = ()
        if self.on_commit is not None:
            drawn = {number: self.sequences.last[number] for number in self.sequences.drawn}
            payload, buffers = commit_payload(transaction, drawn, meeting)
        self._committing = transaction
        try:
            with self.recorded(COMMIT, head.branch, timestamp, payload, buffers):
                commits.publish(self.stores, head, timestamp, transaction.reader.writes)
                if transaction.changes:
                    self.catalog.apply(head, transaction.changes, timestamp)
                self.sequences.drawn.clear()
                self.note_commit(head.branch, timestamp)
                if meeting is not None:
                    self.tree.meet(*meeting, timestamp)
                transaction.published()
        finally:
            self._committing = None
        return timestamp

    @contextmanager
    def recorded(
        self,
        kind: int,
        branch: int,
        timestamp: int,
        payload: dict[str, Any] | None,
        buffers: Sequence[Any] = (),
    ) -> Iterator[None]:
        """Hand a record to ``on_commit``, if there is one; the block then does what it says.

        If the record cannot be written, nothing happens. If the block is interrupted, the database closes: what a record
        says must not be half done in memory.
        """
        if self._is_recording:
            raise TransactionError("a record is being written; on_commit cannot change the database")
        record, crc = b"", 0
        if self.on_commit is not None:
            fields = (kind, self.id, self.lsn + 1, timestamp, branch, self.last_crc)
            record = encode(Record(*fields, payload or {}, list(buffers)))
            crc = crc_of(record)
        is_written = False
        try:
            self._is_recording = True
            if self.on_commit is not None:
                self.on_commit(record)
            is_written, self._is_recording = True, False
            self.lsn, self.last_crc = self.lsn + 1, crc
            yield
        except BaseException as error:
            self._is_recording = False
            # Interrupted, a folder's log knows whether it has the record; of other logs nobody does.
            if is_written or (self._store is None and not isinstance(error, Exception)):
                self.close()
            raise

    @contextmanager
    def publishing(self) -> Iterator[None]:
        """Close the database if the block is interrupted; for what has no record."""
        try:
            yield
        except BaseException:
            self.close()
            raise

    def note_commit(self, branch: int, timestamp: int) -> None:
        """Note when a branch was committed to; the newest such time is the database's."""
        self.timestamp = timestamp
        times = self.commits.get(branch)
        if times is None:
            times = self.commits[branch] = Growable("i8")
        times.append(timestamp)

    def finished(self, transaction: Transaction) -> None:
        """Forget a transaction that is over."""
        self._transactions.pop(id(transaction), None)

    def forget_store(self, number: int) -> None:
        """Take away the store of a table whose creation was rolled back."""
        self.stores.pop(number, None)

    def is_read(self, branch: int, since: int, until: int) -> bool:
        """Return whether a fork or an open transaction reads a state that a branch had in [since, until)."""
        if len(self.tree.branches) > 1 and self.tree.is_read(branch, since, until):
            return True
        if len(self._transactions) == 1 and self._committing is not None:
            return False
        return any(
            b == branch and since <= limit < until
            for transaction in self.open_transactions()
            if transaction is not self._committing
            for b, limit in transaction.view.lineage
        )

    @property
    def oldest_snapshot(self) -> int:
        """The earliest timestamp that an open transaction reads (the last commit's when none is open)."""
        return min((t.view.timestamp for t in self.open_transactions()), default=self.timestamp)

    def readable_time(self, as_of: int | None) -> int:
        """Return the time that a reader asks for, at most now; raise if it may have been vacuumed."""
        timestamp = self.timestamp if as_of is None else min(as_of, self.timestamp)
        if timestamp < self.horizon:
            raise TransactionError(
                f"the state of {timestamp} may have been vacuumed; history begins at {self.horizon}",
                code="HISTORY_VACUUMED",
            )
        return timestamp

    def _last_commit(self, branch: int) -> int:
        times = self.commits.get(branch)
        return int(times.item(len(times) - 1)) if times is not None and len(times) else -1

    def open_transactions(self) -> list[Transaction]:
        """Return the transactions that are neither committed nor rolled back."""
        found = (reference() for reference in list(self._transactions.values()))
        return [transaction for transaction in found if transaction is not None]

    def _expire_transactions(self) -> None:
        if self._transactions:
            now = self.clock.now()
            for transaction in self.open_transactions():
                if transaction.deadline is not None and now > transaction.deadline:
                    transaction.expire()

    # -- tables ------------------------------------------------------------------------------------------------------

    def create_table(
        self,
        name: str | Name,
        columns: Sequence[ColumnDef],
        *,
        primary_key: Sequence[str] = (),
        indexes: Sequence[IndexDef] = (),
        branch: str = "main",
        **constraints: Any,
    ) -> TableDef:
        """Create a table in a transaction of its own; see :meth:`SchemaChanges.create_table`."""
        with self.begin(branch=branch) as transaction:
            return transaction.create_table(
                name, columns, primary_key=primary_key, indexes=indexes, **constraints
            )

    def tables(self, branch: str = "main") -> list[TableDef]:
        """Return the definitions of a branch's tables, by name."""
        self._check_open()
        return list(self.catalog.at(self._head(branch)).tables())

    def _check_open(self) -> None:
        if not self._is_open:
            raise ClosedError("the database is closed")
