"""A database in a folder: snapshots, and the log since.

::

    snapshot-00000000000000000042    everything up to record 42 (container.py)
    log-00000000000000000043         the records from 43 on, one after the other (log.py)
    log-00000000000000001207         a *segment* is as long as ``segment_bytes``, then the next begins
    lock                             locked while a process has the folder open

A commit's record is appended to the newest segment before the commit is published. A checkpoint begins a new segment,
writes a snapshot aside, syncs it, gives it its name, reads it back, and only then removes what it covers: at every moment
the folder holds a readable snapshot and the whole log since. Opening takes the newest snapshot that can be read and
replays the log; what a dying process left of its last record is cut off.

Names are given by renaming, and the folder is synced after each. Segments are synced before the next begins, whatever
the policy, so only the newest can end in the middle of a record. docs/durability.md says what is promised.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import struct
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from ..errors import InvalidArgumentError, LogError, SnapshotError, StoreError
from . import file_segment as files
from .file_lock import lock
from .file_segment import BINARY, Segment, Syncer
from .file_snapshot import CHUNK, write_snapshot
from .log import crc_of, read_records

if TYPE_CHECKING:
    from .database import Database

COMMIT, INTERVAL, NEVER = "commit", "interval", "never"
SEGMENT_BYTES = 4 << 20
CHECKPOINT_BYTES = 16 << 20

_NAME = re.compile(r"(snapshot|log)-(\d{20})")
_LSN = struct.Struct("<24xQqiI")  # lsn, timestamp, branch and CRC of the record before, in a record's header

Make = Callable[[bytes | None], "Database"]
"""Gives the database that a snapshot holds, or an empty one with a new id."""


@dataclass(frozen=True)
class Recovery:
    """What opening a folder found.

    Attributes
    ----------
    snapshot_lsn : int
        Last record that the snapshot covers from which the database was restored.
    replayed : int
        Records of the log that were applied to it.
    cut : int
        Bytes that were cut off at the end of the log: a record that was not written to its end.
    set_aside : tuple of str
        Damaged snapshots, by the names that they were given.
    """

    snapshot_lsn: int
    replayed: int
    cut: int
    set_aside: tuple[str, ...]


class FileStore:
    """The files of one open database folder; :meth:`open` gives the database with its store.

    Parameters
    ----------
    folder : str
        Where; made when missing.
    fsync : str
        ``"commit"``, ``"interval"`` or ``"never"``.
    fsync_interval : float
        Seconds from a commit to the sync that covers it, for ``"interval"``.
    segment_bytes : int
        Length at which a segment ends.
    checkpoint_bytes : int or None
        Length of the log at which maintenance makes a checkpoint; None for never.
    """

    def __init__(
        self,
        folder: str,
        *,
        fsync: str = COMMIT,
        fsync_interval: float = 1.0,
        segment_bytes: int = SEGMENT_BYTES,
        checkpoint_bytes: int | None = CHECKPOINT_BYTES,
    ) -> None:
        if fsync not in (COMMIT, INTERVAL, NEVER):
            raise InvalidArgumentError(f"fsync is 'commit', 'interval' or 'never', not {fsync!r}")
        if (
            not fsync_interval > 0
            or segment_bytes < 1
            or (checkpoint_bytes is not None and checkpoint_bytes < 1)
        ):
            raise InvalidArgumentError(
                "fsync_interval, segment_bytes and checkpoint_bytes are greater than 0"
            )
        self.folder = folder
        self._fsync, self._interval = fsync, fsync_interval
        self._segment_bytes, self._checkpoint_bytes = segment_bytes, checkpoint_bytes
        files.make_folder(folder)
        self._lock = lock(folder)
        self._segment: Segment | None = None
        self._close = weakref.finalize(self, os.close, self._lock)
        self._pid = os.getpid()
        self._lsn = self._crc = 0
        self._log_bytes = self._snapshot_bytes = 0
        self._checkpoint_at = checkpoint_bytes
        self._failure: str | None = None
        self._syncer: Syncer | None = None
        self._is_writing = False  # stays so when an append was interrupted
        self._checkpointed = -1
        self._checkpoint: Iterator[None] | None = None
        self.checkpoint_error: StoreError | None = None
        """Why the last checkpoint that maintenance made failed; None when it did not."""

    # -- opening -----------------------------------------------------------------------------------------------------

    @classmethod
    def open(cls, folder: str, make: Make, **options: object) -> Database:
        """Open a folder, or make a new database there, and return the database; its ``recovery`` says what was found.

        Parameters
        ----------
        folder : str
            Where.
        make : callable
            Gives the database that the bytes of a snapshot hold, or for None an empty one.
        **options
            Those of the class.
        """
        store = cls(folder, **options)  # type: ignore[arg-type]
        try:
            database = store._recover(make)
            if store._fsync == INTERVAL:
                store._syncer = Syncer(store._interval)
                weakref.finalize(store, store._syncer.stop, wait=False)
        except OSError as error:
            store.close()
            raise StoreError(f"the database folder {folder!r} cannot be opened: {error}") from error
        except BaseException:
            store.close()
            raise
        database.attach(store)
        return database

    def _recover(self, make: Make) -> Database:
        snapshots, segments = self._files("snapshot"), self._files("log")
        if not snapshots and not segments:
            return self._create(make)
        database, damaged = self._restore(make, snapshots, segments)
        start = database.lsn
        try:
            replayed, cut, end = self._replay(database, segments)
        except LogError as error:
            if not damaged:
                raise
            raise StoreError(
                f"the database folder {self.folder!r} cannot be read: {damaged[0]} is damaged, and the log since the "
                f"snapshot before it is not whole: {error}"
            ) from error
        if damaged:
            damaged = [self._set_aside(name) for name in damaged]
        else:
            self._remove_covered(start)
            self._checkpointed = start
        self._lsn, self._crc = database.lsn, database.last_crc
        kept = self._files("log")
        self._log_bytes = sum(self._size(name) for name in kept.values())
        if kept and end == database.lsn + 1:
            self._segment = Segment(self._path(kept[max(kept)]))
        else:
            self._begin_segment()
        database.recovery = Recovery(start, replayed, cut, tuple(damaged))
        return database

    def _create(self, make: Make) -> Database:
        database = make(None)
        for _ in write_snapshot(self.folder, f"snapshot-{0:020}", database.export_chunks(CHUNK)):
            pass
        self._begin_segment()
        database.recovery = Recovery(0, 0, 0, ())
        return database

    def _restore(
        self, make: Make, snapshots: dict[int, str], segments: dict[int, str]
    ) -> tuple[Database, list[str]]:
        """Return the database of the newest snapshot that can be read, and the names of those that cannot."""
        damaged, faults = [], []
        for lsn in sorted(snapshots, reverse=True):
            name = snapshots[lsn]
            try:
                database = self._load(name, lsn, make)
            except SnapshotError as error:
                if error.code == "SNAPSHOT_VERSION":
                    raise
                damaged.append(name)
                faults.append(f"{name}: {error}")
            else:
                return database, damaged
        if 1 in segments:  # the whole log is there: begin with nothing
            records, _ = read_records(self._read(segments[1]))
            if records:
                database = make(None)
                database.id = records[0].database_id
                return database, damaged
        raise StoreError(
            f"the database folder {self.folder!r} has no snapshot that can be read: {'; '.join(faults)}"
        )

    def _load(self, name: str, lsn: int, make: Make) -> Database:
        try:
            data = self._read(name)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            raise SnapshotError(f"it cannot be read: {error.strerror}") from error
        database = make(data)
        if database.lsn != lsn:
            raise SnapshotError(f"it covers record {database.lsn}", section="footer")
        self._snapshot_bytes = len(data)
        return database

    def _replay(self, database: Database, segments: dict[int, str]) -> tuple[int, int, int]:
        """Replay what a snapshot does not cover; return how many records, bytes cut, and the record after the last."""
        order = sorted(segments)
        replayed = cut = end = 0
        for position, first in enumerate(order):
            following = order[position + 1 :]
            if following and following[0] <= database.lsn + 1:
                continue  # covered by the snapshot
            name = segments[first]
            if first > database.lsn + 1:
                raise LogError(
                    f"log record {database.lsn + 1} is missing; {name} begins with {first}",
                    lsn=database.lsn + 1,
                    code="LOG_GAP",
                )
            try:
                report = database.replay(self._read(name))
            except LogError as error:
                raise LogError(f"{name}: {error}", lsn=error.lsn, code=error.code) from error
            if report.tail is not None:
                if any(self._size(segments[later]) for later in following):
                    raise LogError(f"{name} ends within a record, and others follow", lsn=database.lsn + 1)
                self._cut(name, report.tail.offset)
                cut += report.tail.length
            replayed += report.applied
            end = first + report.applied + report.skipped
        return replayed, cut, end

    # -- writing -----------------------------------------------------------------------------------------------------

    def append(self, record: bytes) -> None:
        """Append a record to the log, and sync it if that is the policy; what ``on_commit`` is given.

        Raises
        ------
        StoreError
            If it could not be written, or not be synced. The log is then as it was before. After a failed sync, or if
            the log could not be put back, everything later is refused until the folder is opened anew.
        """
        self._check_usable()
        if self._is_writing and self._segment is not None:
            self._take_back(self._segment)
        lsn, _, _, previous = _LSN.unpack_from(record)
        if (lsn, previous) != (self._lsn + 1, self._crc):
            self._fail(f"record {lsn} does not continue record {self._lsn} of the log")
            self._check_usable()
        segment = self._segment
        assert segment is not None
        if segment.size and segment.size + len(record) > self._segment_bytes:
            segment = self._next_segment()
        self._is_writing = True
        try:
            segment.write(record)
        except BaseException as error:
            self._take_back(segment)
            if isinstance(error, OSError):
                raise StoreError(f"the log in {self.folder!r} cannot be written: {error.strerror}") from error
            raise
        try:
            if self._fsync == COMMIT:
                segment.sync()
        except BaseException as error:
            self._fail(f"the log could not be synced: {error}")
            self._take_back(segment)
            if isinstance(error, OSError):
                raise StoreError(f"the log in {self.folder!r} cannot be synced: {error.strerror}") from error
            raise
        crc = crc_of(record)
        self._log_bytes += len(record)
        segment.size += len(record)
        self._lsn, self._crc, self._is_writing = lsn, crc, False
        if self._syncer is not None:
            self._syncer.want(segment)

    @property
    def is_checkpoint_due(self) -> bool:
        """Whether the log is long enough for a checkpoint, or one has begun."""
        return self._checkpoint is not None or (
            self._checkpoint_at is not None and self._log_bytes >= self._checkpoint_at
        )

    def checkpoint(self, database: Database) -> None:
        """Write a snapshot and remove the log that it covers, now.

        Raises
        ------
        StoreError
            If it cannot be written or, once written, not be read; what was there before is kept.
        """
        self._checkpoint = None  # one that was under way covers less
        for _ in self._steps(database):
            pass

    def step_checkpoint(self, database: Database) -> bool:
        """Do one step of the checkpoint that is due; return whether it is done.

        If it fails, the log goes on growing, :attr:`checkpoint_error` says why, and it is tried again later.
        """
        if self._checkpoint is None:
            self._checkpoint = self._steps(database)
        try:
            next(self._checkpoint)
            return False
        except StopIteration:
            self.checkpoint_error = None
        except StoreError as error:
            self._check_usable()
            self.checkpoint_error = error
            self._checkpoint_at = self._log_bytes + (self._checkpoint_bytes or 0)
        self._checkpoint = None
        return True

    def _steps(self, database: Database) -> Iterator[None]:
        """Make a checkpoint of this moment; yields between its parts, and commits may come in between."""
        self._check_usable()
        lsn = database.lsn
        if lsn == self._checkpointed:
            return
        if lsn != self._lsn:
            raise StoreError(
                f"the log in {self.folder!r} ends with record {self._lsn}, the database is at {lsn}"
            )
        segment = self._segment
        assert segment is not None
        if self._is_writing:
            self._take_back(segment)
        if segment.size:
            self._next_segment()
        covered = self._log_bytes
        name = f"snapshot-{lsn:020}"
        try:
            self._snapshot_bytes = yield from write_snapshot(self.folder, name, database.export_chunks(CHUNK))
            self._checkpointed, self._log_bytes = lsn, self._log_bytes - covered
            if self._checkpoint_bytes is not None:
                self._checkpoint_at = max(self._checkpoint_bytes, self._snapshot_bytes // 2)
            self._remove_covered(lsn)
        except SnapshotError as error:
            aside = self._set_aside(name)
            raise StoreError(
                f"the snapshot that was written to {self.folder!r} cannot be read ({error}); it is now {aside}, and the "
                "snapshot and log before it are kept"
            ) from error
        except OSError as error:
            raise StoreError(f"the checkpoint of {self.folder!r} could not be finished: {error}") from error

    def close(self) -> None:
        """Sync the log and give the folder back; a second time does nothing.

        Raises
        ------
        StoreError
            If the log could not be synced; the folder is given back all the same.
        """
        if not self._close.alive:
            return
        segment, self._segment = self._segment, None
        self._checkpoint = None
        try:
            if self._syncer is not None:
                self._syncer.stop()
            if segment is not None and self._pid == os.getpid():
                if self._is_writing:
                    segment.cut()
                if self._failure is None:
                    segment.sync()
        except OSError as error:
            raise StoreError(f"the log in {self.folder!r} cannot be synced: {error.strerror}") from error
        finally:
            if segment is not None:
                segment.close()
            self._close()

    # -- parts -------------------------------------------------------------------------------------------------------

    def _check_usable(self) -> None:
        if not self._close.alive:
            raise StoreError(f"the database folder {self.folder!r} was closed")
        if self._pid != os.getpid():
            raise StoreError(
                f"the database folder {self.folder!r} was opened before a fork; the parent writes to it"
            )
        if self._syncer is not None and self._syncer.failure is not None:
            self._fail(self._syncer.failure)
        if self._failure is not None:
            raise StoreError(
                f"the database folder {self.folder!r} takes no more writes: {self._failure}; open it anew",
                code="STORE_READ_ONLY",
            )

    def _fail(self, why: str) -> None:
        self._failure = self._failure or why

    def _take_back(self, segment: Segment) -> None:
        """Remove what was written of a record that is not to be."""
        try:
            segment.cut()
            self._is_writing = False
        except OSError as error:
            self._fail(f"a record that was written in part could not be removed: {error.strerror}")

    def _next_segment(self) -> Segment:
        old = self._segment
        assert old is not None
        try:
            old.sync()
        except OSError as error:
            self._fail(f"the log could not be synced: {error.strerror}")
            raise StoreError(f"the log in {self.folder!r} cannot be synced: {error.strerror}") from error
        try:
            new = self._begin_segment()
        except OSError as error:
            raise StoreError(f"the log in {self.folder!r} cannot be written: {error.strerror}") from error
        old.close()
        return new

    def _begin_segment(self) -> Segment:
        first = self._lsn + 1
        self._segment = segment = Segment(self._path(f"log-{first:020}"))
        files.sync_folder(self.folder)
        return segment

    def _remove_covered(self, lsn: int) -> None:
        """Remove snapshots before this one, the segments that it covers and what an interrupted checkpoint left."""
        snapshots, segments = self._files("snapshot"), self._files("log")
        names = [name for at, name in snapshots.items() if at < lsn]
        order = sorted(segments)
        names += [segments[first] for first, following in pairwise(order) if following <= lsn + 1]
        for name in [*names, "snapshot.tmp"]:
            with contextlib.suppress(OSError):  # if it stays, the next checkpoint or opening removes it
                os.remove(self._path(name))
        if names:
            files.sync_folder(self.folder)

    def _files(self, kind: str) -> dict[int, str]:
        found = (_NAME.fullmatch(name) for name in os.listdir(self.folder))
        return {int(match[2]): match[0] for match in found if match is not None and match[1] == kind}

    def _set_aside(self, name: str) -> str:
        number, aside = 1, f"{name}.damaged"
        while os.path.exists(self._path(aside)):
            number, aside = number + 1, f"{name}.damaged-{number + 1}"
        os.replace(self._path(name), self._path(aside))
        files.sync_folder(self.folder)
        return aside

    def _cut(self, name: str, length: int) -> None:
        descriptor = os.open(self._path(name), os.O_RDWR | BINARY)
        try:
            os.ftruncate(descriptor, length)
            files.sync_file(descriptor)
        finally:
            os.close(descriptor)

    def _path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def _size(self, name: str) -> int:
        return os.stat(self._path(name)).st_size

    def _read(self, name: str) -> bytes:
        with open(self._path(name), "rb") as file:
            return file.read()
