"""The lock on a database folder: one process writes, and it lets go when it dies.

The operating system keeps the lock (``flock`` on POSIX, a locked byte on Windows), so it cannot be left behind. The file
also holds the process id of whoever locked it last, for the message that the next one gets; the file stays when the
lock is given back, for removing it would let two processes lock two files of one name.
"""

from __future__ import annotations

import errno
import importlib
import os
import sys

from ..errors import StoreError, StoreLockedError

NAME = "lock"
_FAR = 1 << 30  # the byte that Windows locks: nobody reads it, so the process id before it stays readable
_TAKEN = {errno.EAGAIN, errno.EACCES, errno.EDEADLK}


def lock(folder: str) -> int:
    """Lock a folder and return the descriptor that keeps it locked until it is closed.

    Raises
    ------
    StoreLockedError
        If a process has it locked, this one included.
    StoreError
        If this system or file system has no locks, or the folder cannot be written to.
    """
    if sys.platform == "emscripten":
        raise StoreError(
            f"{folder!r}: this system cannot lock a folder; keep the bytes of export() and replay() instead"
        )
    path = os.path.join(folder, NAME)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o644)
    except OSError as error:
        raise StoreError(f"the database folder {folder!r} cannot be written to: {error.strerror}") from error
    try:
        _take(descriptor)
    except OSError as error:
        holder = _holder(path)
        os.close(descriptor)
        if error.errno in _TAKEN:
            raise StoreLockedError(f"the database folder {folder!r} is open in {holder}") from error
        raise StoreError(f"the database folder {folder!r} cannot be locked: {error.strerror}") from error
    try:
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()}\n".encode())
    except OSError:
        pass  # a full disk; the id is only for a message
    return descriptor


def _take(descriptor: int) -> None:
    name = "msvcrt" if sys.platform == "win32" else "fcntl"
    try:
        system = importlib.import_module(name)
    except ImportError:
        raise OSError(errno.ENOLCK, "this system has no file locks") from None
    if name == "fcntl":
        system.flock(descriptor, system.LOCK_EX | system.LOCK_NB)
    else:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        system.locking(descriptor, system.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)


def _holder(path: str) -> str:
    try:
        with open(path, encoding="ascii") as file:
            number = int(file.read(20))
    except (OSError, ValueError):
        return "another process"
    return "this process already" if number == os.getpid() else f"process {number}"
