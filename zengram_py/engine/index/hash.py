"""Hash index: from a key to the entries that have it.

Sorted numpy runs and a small tail, as in a log-structured merge tree (O'Neil et al. 1996): new entries go into a
dictionary; when that is full it becomes a run, two parallel arrays sorted by hash; runs of similar size are
merged, so that there are few of them and each entry is moved O(log n) times::

    tail {hash: [entry, ...]}   run 1 [hash ...][entry ...]   run 0 [hash ......][entry ......]

A look-up asks the tail and bisects each run. It may answer with an entry whose key differs and only hashes alike:
the table compares the values. Hashes do not depend on the process (Python's own do), because runs are kept in
snapshots.
"""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .base import Entries, Index, Sections

TAIL_LIMIT = 1024
_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


def hash_value(value: Any) -> int:
    """Return a 64-bit hash of one stored value that is the same in every process; equal numbers hash alike."""
    if isinstance(value, str):
        value = value.encode()
    if isinstance(value, bytes):
        return (zlib.crc32(value) << 32 | zlib.crc32(value, 0x5EED)) ^ len(value)
    if isinstance(value, float) and not value.is_integer():
        value = int.from_bytes(struct.pack("<d", value), "little")
    return int(value) * _GOLDEN & _MASK


def hash_key(key: tuple[Any, ...]) -> int:
    """Return a 64-bit hash of a key of one or more values."""
    result = 0
    for value in key:
        result = (result ^ hash_value(value)) * _GOLDEN & _MASK
        result ^= result >> 29
    return result


class HashIndex(Index):
    """Equality look-ups. A key with a null in it is not kept: null equals nothing."""

    def __init__(self) -> None:
        self._tail: dict[int, list[int]] = {}
        self._tail_size = 0
        self._runs: list[tuple[NDArray[np.uint64], Entries]] = []

    def add(self, entries: Entries, keys: list[tuple[Any, ...]]) -> None:
        """Add a batch of entries with their keys."""
        for entry, key in zip(entries.tolist(), keys, strict=True):
            if None not in key:
                self._tail.setdefault(hash_key(key), []).append(entry)
                self._tail_size += 1
        if self._tail_size >= TAIL_LIMIT:
            self._fold_tail()

    def candidates(self, key: tuple[Any, ...]) -> list[int]:
        """Return the entries whose key has this key's hash, oldest run first; check the values."""
        if None in key:
            return []
        wanted = hash_key(key)
        found: list[int] = []
        for hashes, entries in self._runs:
            low = np.searchsorted(hashes, np.uint64(wanted), "left")
            high = np.searchsorted(hashes, np.uint64(wanted), "right")
            if low < high:
                found += entries[low:high].tolist()
        return found + self._tail.get(wanted, [])

    def save(self) -> Sections:
        """Return one merged run."""
        self._fold_tail()
        while len(self._runs) > 1:
            self._merge_last_two()
        hashes, entries = self._runs[0] if self._runs else (np.empty(0, np.uint64), np.empty(0, np.int32))
        return {"hashes": hashes, "entries": entries}

    def load(self, sections: Sections) -> None:
        """Take a merged run."""
        hashes, entries = sections["hashes"], sections["entries"]
        if hashes.dtype != np.uint64 or entries.dtype != np.int32 or hashes.shape != entries.shape:
            raise ValueError("hashes and entries do not fit together")
        if (hashes[1:] < hashes[:-1]).any():
            raise ValueError("hashes are not in order")
        self._runs = [(hashes, entries)] if len(hashes) else []

    @property
    def nbytes(self) -> int:
        """Bytes of the runs, and 12 for each entry in the tail."""
        return sum(h.nbytes + e.nbytes for h, e in self._runs) + 12 * self._tail_size

    def _fold_tail(self) -> None:
        if not self._tail_size:
            return
        hashes = np.fromiter(
            (h for h, found in self._tail.items() for _ in found), np.uint64, self._tail_size
        )
        entries = np.fromiter((e for found in self._tail.values() for e in found), np.int32, self._tail_size)
        order = np.argsort(hashes, kind="stable")
        self._runs.append((hashes[order], entries[order]))
        self._tail, self._tail_size = {}, 0
        while len(self._runs) > 1 and len(self._runs[-2][0]) < 2 * len(self._runs[-1][0]):
            self._merge_last_two()

    def _merge_last_two(self) -> None:
        (old_hashes, old_entries), (new_hashes, new_entries) = self._runs[-2:]
        hashes = np.concatenate([old_hashes, new_hashes])
        entries = np.concatenate([old_entries, new_entries])
        order = np.argsort(hashes, kind="stable")
        self._runs[-2:] = [(hashes[order], entries[order])]
