"""Writing a snapshot to a folder so that its name never stands for anything but the whole of it.

It is written aside, synced, given its name, and read back; all in parts, so that whoever drives it can stop in between.
What is read back is compared by length and checksum with what was written: a disk that loses or changes bytes on the way
is noticed before the log that the snapshot covers is removed.
"""

from __future__ import annotations

import contextlib
import os
import zlib
from collections.abc import Generator, Iterator

from ..errors import SnapshotError
from . import file_segment as files
from .container import gathered
from .file_segment import BINARY

CHUNK = 1 << 20
_SYNC_EVERY = 16 * CHUNK


def write_snapshot(
    folder: str, name: str, chunks: Iterator[bytes | memoryview]
) -> Generator[None, None, int]:
    """Write the chunks of a snapshot to a file; return its length.

    Raises
    ------
    OSError
        If it cannot be written; nothing is left of it.
    SnapshotError
        If what is read back is not what was written; it has its name by then.
    """
    aside, final = os.path.join(folder, "snapshot.tmp"), os.path.join(folder, name)
    try:
        length, crc = yield from _write(aside, chunks)
        os.replace(aside, final)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(aside)
        raise
    files.sync_folder(folder)
    yield
    if (yield from _read(final)) != (length, crc):
        raise SnapshotError("it is not what was written")
    return length


def _write(path: str, chunks: Iterator[bytes | memoryview]) -> Generator[None, None, tuple[int, int]]:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | BINARY, 0o644)
    try:
        length = crc = unsynced = 0
        for part in gathered(chunks, CHUNK):
            crc = zlib.crc32(part, crc)
            files.write_all(descriptor, part)
            length, unsynced = length + len(part), unsynced + len(part)
            if unsynced >= _SYNC_EVERY:  # a little now and then, in place of one long wait at the end
                files.sync_file(descriptor)
                unsynced = 0
            yield
        files.sync_file(descriptor)
        return length, crc
    finally:
        os.close(descriptor)


def _read(path: str) -> Generator[None, None, tuple[int, int]]:
    length = crc = 0
    with open(path, "rb") as file:
        while part := file.read(CHUNK):
            length, crc = length + len(part), zlib.crc32(part, crc)
            yield
    return length, crc
