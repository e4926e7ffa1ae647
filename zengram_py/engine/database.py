"""The database: its tables, its branches, its time, and the commit. The only face of this folder.

Everything that happens has a place in one order: commit timestamps grow strictly (the later of the clock and the last
commit plus one), and each commit has a dense log sequence number (lsn). Reading at a timestamp therefore reads one
consistent state, however many transactions are open, on whichever branches.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import ref

from ..clock import Clock, SystemClock
from ..errors import BranchError, ClosedError, InvalidArgumentError, StoreError, TransactionError
from . import commit as commits
from . import snapshot
from .branch import BranchTree
from .catalog import Catalog
from .container import write_chunks
from .definitions import ColumnDef, IndexDef, Name, TableDef
from .diff import RowChange, difference, row_key, show_row
from .growable import Growable
from .log import BRANCH, COMMIT, Record, crc_of, encode
from .maintenance import Maintenance
from .merge import Merge, MergeReport
from .reader import Stores
from .replay import ReplayReport, commit_payload, replay
from .sequence import Sequences
from .table import NO_SLOT
from .transaction import SERIALIZABLE, SNAPSHOT, Transaction
from .vacuum import Retention
from .view import View

if TYPE_CHECKING:
    from .file_store import FileStore, Recovery


@dataclass(frozen=True)
class BranchInfo:
    """A branch as :meth:`Database.branches` lists it.

    Attributes
    ----------
    name : str
        Its name.
    parent : str or None
        The branch that it was forked from.
    forked_at : int
        Timestamp of the parent's last commit that it sees.
    ahead : int
        Commits on it that its parent has not taken in.
    behind : int
        Commits on its parent that it has not taken in.
    """

    name: str
    parent: str | None
    forked_at: int
    ahead: int
    behind: int


class Database(Maintenance):
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
            Length of the log at which the next commit makes a checkpoint (when the log is also longer than half the
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
        timestamp = self._time(as_of)
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
        return self._apply(transaction, head)

    def _apply(
        self, transaction: Transaction, head: View, meeting: tuple[int, int, int] | None = None
    ) -> int:
        timestamp = max(self.timestamp + 1, self.clock.now())
        if self.on_commit is not None:
            drawn = {number: self.sequences.last[number] for number in self.sequences.drawn}
            payload, buffers = commit_payload(transaction, drawn, meeting)
            crc = self.write_record(COMMIT, head.branch, timestamp, payload, buffers)
        else:
            crc = 0
        self._committing = transaction
        try:
            commits.publish(self.stores, head, timestamp, transaction.reader.writes)
            if transaction.changes:
                self.catalog.apply(head, transaction.changes, timestamp)
        except BaseException:  # interrupted, or out of memory: what is published in part cannot be used
            self.close()
            raise
        finally:
            self._committing = None
        self.advance(crc)
        self.sequences.drawn.clear()
        self.note_commit(head.branch, timestamp)
        if meeting is not None:
            self.tree.meet(*meeting, timestamp)
        return timestamp

    def note_commit(self, branch: int, timestamp: int) -> None:
        """Note when a branch was committed to; the newest such time is the database's."""
        self.timestamp = timestamp
        times = self.commits.get(branch)
        if times is None:
            times = self.commits[branch] = Growable("i8")
        times.append(timestamp)

    def write_record(
        self, kind: int, branch: int, timestamp: int, payload: dict[str, Any], buffers: list[Any]
    ) -> int:
        """Hand a record to ``on_commit``, if there is one; return its CRC."""
        if self.on_commit is None:
            return 0
        record = encode(
            Record(kind, self.id, self.lsn + 1, timestamp, branch, self.last_crc, payload, buffers)
        )
        self.on_commit(record)
        return crc_of(record)

    def advance(self, crc: int) -> None:
        """Count a record that was written."""
        self.lsn, self.last_crc = self.lsn + 1, crc

    def _branch_operation(self, branch: int, **payload: Any) -> None:
        self.advance(self.write_record(BRANCH, branch, self.timestamp, payload, []))

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

    def _time(self, as_of: int | None) -> int:
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

    # -- branches ----------------------------------------------------------------------------------------------------

    def fork(self, name: str, *, parent: str = "main", as_of: int | None = None) -> BranchInfo:
        """Make a branch of the whole database; costs a timestamp, whatever the size.

        Parameters
        ----------
        name : str
            Its name.
        parent : str
            The branch that it leaves.
        as_of : int, optional
            The parent's state that it begins with; its newest when left out.
        """
        self._check_open()
        timestamp = self._time(as_of)
        origin = self.tree.find(parent)
        self.tree.check_name(name)
        self._branch_operation(origin.id, operation="fork", name=name, parent=origin.id, fork=timestamp)
        self.tree.add(name, origin, timestamp)
        return self._info(self.tree.find(name).id)

    def branches(self) -> list[BranchInfo]:
        """Return the live branches, oldest first."""
        self._check_open()
        return [self._info(branch.id) for branch in self.tree.live()]

    def discard(self, name: str) -> None:
        """Give up a branch; branches that were forked from it go on. Open transactions on it cannot commit."""
        self._check_open()
        branch = self.tree.find(name)
        self.tree.check_discard(branch)
        self._branch_operation(branch.id, operation="discard", discarded=branch.id)
        self.tree.discard(branch)

    def diff(self, branch: str, *, against: str | None = None) -> list[RowChange]:
        """Return what changed on a branch since its fork point, or since it last met another branch.

        Parameters
        ----------
        branch : str
            The branch.
        against : str, optional
            Another branch: the comparison is with what both had in common when they last merged, or parted.
        """
        self._check_open()
        here = self.tree.find(branch)
        if against is not None:
            before = self.tree.base(here.id, self.tree.find(against).id)
        elif here.parent is None:
            raise BranchError("main was not forked; name a branch to compare it with")
        else:
            before = self.tree.view(here.parent, here.fork)
        after = self._head(branch)
        return list(self._changes(before, after))

    def merge(
        self,
        source: str,
        into: str = "main",
        *,
        strategy: str | None = None,
        choices: Mapping[tuple[str, Any], str] | None = None,
        dry_run: bool = False,
    ) -> MergeReport:
        """Bring what a branch changed into another (merge.py); all of it, or, when something conflicts, nothing.

        Parameters
        ----------
        source, into : str
            From which branch into which. The source stays as it is.
        strategy : str, optional
            What decides conflicts: ``"ours"`` (the target), ``"theirs"`` (the source) or ``"newest"``. Constraint
            violations of the result are not decided by it.
        choices : mapping, optional
            Decisions for single rows: ``{("table", key): "theirs"}``, keys as the report gives them.
        dry_run : bool
            Report, and change nothing.
        """
        self._check_open()
        source_id, target_id = self.tree.find(source).id, self.tree.find(into).id
        if source_id == target_id:
            raise BranchError(f"branch {source!r} cannot merge with itself")
        transaction = self.begin(branch=into)
        try:
            report = Merge(self, transaction, source_id, strategy, choices).plan()
            if report.conflicts or dry_run:
                return report
            taken = self.timestamp
            changed = bool(any(transaction.reader.writes.values()) or transaction.changes)
            if changed:
                report.timestamp = self._apply(transaction, transaction.view, (source_id, target_id, taken))
                transaction.committed()
            else:
                self._branch_operation(
                    target_id, operation="meet", source=source_id, target=target_id, timestamp=taken
                )
                self.tree.meet(source_id, target_id, taken, None)
            report.applied = True
            return report
        finally:
            if transaction.state == "open":
                transaction.rollback()

    def rebase(
        self, branch: str, *, strategy: str | None = None, choices: Any = None, dry_run: bool = False
    ) -> MergeReport:
        """Bring what the parent of a branch changed since they last met into the branch; its fork point stays.

        Parameters are those of :meth:`merge`; ``"ours"`` is the branch.
        """
        self._check_open()
        here = self.tree.find(branch)
        if here.parent is None:
            raise BranchError("main has no parent to rebase on")
        parent = self.tree.branches[here.parent]
        if parent.discarded:
            raise BranchError(f"the parent of branch {branch!r} was discarded")
        return self.merge(parent.name, branch, strategy=strategy, choices=choices, dry_run=dry_run)

    def _head(self, branch: str) -> View:
        return self.tree.view(self.tree.find(branch).id, self.timestamp)

    def _info(self, number: int) -> BranchInfo:
        branch = self.tree.branches[number]
        if branch.parent is None:
            return BranchInfo(branch.name, None, 0, 0, 0)
        parent = self.tree.branches[branch.parent]
        return BranchInfo(
            branch.name,
            parent.name,
            branch.fork,
            self._unmet(number, parent.id, branch.fork),
            self._unmet(parent.id, number, branch.fork),
        )

    def _unmet(self, source: int, target: int, fork: int) -> int:
        """Return how many commits of one branch another has not taken in, without those that took the other in."""
        met = self.tree.meetings.get((source, target))
        since = fork if met is None else max(fork, met.timestamp)
        times = self.commits.get(source)
        if times is None:
            return 0
        joins = sum(1 for at in self.tree.joins.get((target, source), ()) if at > since)
        return int((times.view > since).sum()) - joins

    def _changes(self, before: View, after: View) -> Any:
        old, new = self.catalog.at(before), self.catalog.at(after)
        for number, store in self.stores.items():
            table = new.by_id.get(number) or old.by_id.get(number)
            if not isinstance(table, TableDef) or table.temporary:
                continue
            for _, one, other in difference(store, table, before, after):
                kind = "added" if one == NO_SLOT else "removed" if other == NO_SLOT else "changed"
                key = row_key(table, store, one if other == NO_SLOT else other)
                yield RowChange(
                    table.title, key, kind, show_row(table, store, one), show_row(table, store, other)
                )

    def _check_open(self) -> None:
        if not self._is_open:
            raise ClosedError("the database is closed")
