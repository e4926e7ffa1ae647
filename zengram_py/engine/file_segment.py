"""Segments of the log in a folder, their syncing, and the calls of the operating system behind them.

Everything that can fail when a disk is full or broken goes through :func:`write_all`, :func:`truncate`,
:func:`sync_file` and :func:`sync_folder`; tests put failing ones in their place.
"""

from __future__ import annotations

import errno
import os
import sys
import threading
import weakref

from ..errors import StoreError

BINARY = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


class Segment:
    """The segment that records are appended to."""

    def __init__(self, path: str) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | BINARY, 0o644)
        self.size = os.fstat(self._descriptor).st_size
        self._close = weakref.finalize(self, os.close, self._descriptor)
        self._lock = threading.Lock()  # the syncer's thread must not meet a descriptor that was closed

    def write(self, record: bytes) -> None:
        """Append a record; :attr:`size` stays what counts until the caller says otherwise."""
        write_all(self._descriptor, record)

    def sync(self) -> None:
        """Return when what was written is on the disk."""
        with self._lock:
            if self._close.alive:
                sync_file(self._descriptor)

    def cut(self) -> None:
        """Shorten the file to what counts."""
        truncate(self._descriptor, self.size)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._close()


class Syncer:
    """Syncs a segment some time after it was written to, in a thread of its own.

    Parameters
    ----------
    interval : float
        Seconds from the first write that is not synced to the sync.
    """

    def __init__(self, interval: float) -> None:
        self.failure: str | None = None
        self._interval = interval
        self._wanted: Segment | None = None
        self._is_stopping = False
        self._condition = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="zengram sync", daemon=True)
        self._thread.start()

    def want(self, segment: Segment) -> None:
        """Ask for a sync of what was written; a segment before this one was synced when it ended."""
        if self._wanted is not segment:
            with self._condition:
                self._wanted = segment
                self._condition.notify()

    def stop(self, *, wait: bool = True) -> None:
        """End the thread, without another sync."""
        with self._condition:
            self._is_stopping = True
            self._condition.notify()
        if wait:
            self._thread.join()

    def _run(self) -> None:
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._is_stopping or self._wanted is not None)
                self._condition.wait_for(lambda: self._is_stopping, self._interval)
                if self._is_stopping:
                    return
                segment, self._wanted = self._wanted, None
            assert segment is not None
            try:
                segment.sync()
            except OSError as error:
                self.failure = f"the log could not be synced: {error.strerror}"


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of it."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def truncate(descriptor: int, length: int) -> None:
    """Shorten a file."""
    os.ftruncate(descriptor, length)


def sync_file(descriptor: int) -> None:
    """Return when a file's content is on the disk (macOS: also out of the drive's cache)."""
    if sys.platform == "darwin":
        import fcntl

        try:
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
        except OSError as error:
            if error.errno not in (errno.ENOTSUP, errno.EINVAL, errno.ENOTTY):
                raise
        else:
            return
    getattr(os, "fdatasync", os.fsync)(descriptor)


def sync_folder(folder: str) -> None:
    """Return when the names in a folder are on the disk; Windows has no such call."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_folder(folder: str) -> None:
    """Make a folder unless it is there."""
    try:
        if not os.path.isdir(folder):
            os.makedirs(folder)
            sync_folder(os.path.dirname(os.path.abspath(folder)))
    except FileExistsError:
        raise StoreError(f"{folder!r} is a file; a database is a folder") from None
    except OSError as error:
        raise StoreError(f"the database folder {folder!r} cannot be made: {error.strerror}") from error
