"""Hash index: from a key to the entries that have it.

Sorted runs (runs.py) and a small tail: new entries go into a dictionary; when that is full it becomes a run, two
parallel arrays sorted by hash::

    tail {hash: [entry, ...]}   run 1 [hash ...][entry ...]   run 0 [hash ......][entry ......]

A look-up asks the tail and bisects each run. It may answer with an entry whose key differs and only hashes alike:
the table compares the values. Hashes do not depend on the process (Python's own do), because runs are kept in
snapshots.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..keys import Key, hash_integers, hash_key, key_form
from .base import Entries, EntryMask, Sections, masked
from .runs import RunIndex, merge_sorted

TAIL_LIMIT = 1024

Run = tuple[NDArray[np.uint64], Entries]


class HashIndex(RunIndex[Run]):
    """Equality look-ups. A key with a null in it is not kept: null equals nothing."""

    merge_at_once = 1 << 15

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget all entries."""
        self._tail: dict[int, list[int]] = {}
        self._tail_size = 0
        self._replace_runs([])

    def add(self, entries: Entries, keys: list[Key]) -> None:
        """Add a batch of entries with their keys."""
        if len(keys) >= TAIL_LIMIT:
            kept = [
                (hash_key(key), entry)
                for entry, key in zip(entries.tolist(), keys, strict=True)
                if None not in key
            ]
            hashes = np.fromiter((h for h, _ in kept), np.uint64, len(kept))
            self._add_run(_sorted_run(hashes, np.fromiter((e for _, e in kept), np.int32, len(kept))))
            return
        for entry, key in zip(entries.tolist(), keys, strict=True):
            if None not in key:
                self._tail.setdefault(hash_key(key), []).append(entry)
                self._tail_size += 1
        if self._tail_size >= TAIL_LIMIT:
            self._fold_tail()

    def add_one(self, entry: int, key: Key) -> None:
        """Add one entry."""
        if None not in key:
            self._tail.setdefault(hash_key(key), []).append(entry)
            self._tail_size += 1
            if self._tail_size >= TAIL_LIMIT:
                self._fold_tail()

    def add_array(self, entries: Entries, values: NDArray[Any]) -> None:
        """Add a batch whose keys are one number each."""
        if values.dtype.kind == "i" and len(entries) >= TAIL_LIMIT:
            self._add_run(_sorted_run(hash_integers(values), entries))
        else:
            self.add(entries, [(key_form(value),) for value in values.tolist()])

    def remove(self, entries: Entries) -> None:
        """Take entries out."""
        self._fold_tail()
        self._replace_runs(
            [
                (hashes[keep], found[keep])
                for hashes, found in self._runs
                for keep in [~np.isin(found, entries)]
                if keep.any()
            ]
        )

    def remap(self, places: NDArray[np.int32]) -> None:
        """Give entries other numbers; those that get -1 go."""
        self._fold_tail()
        runs = []
        for hashes, entries in self._runs:
            new = places[entries]
            keep = new >= 0
            if keep.any():
                runs.append((hashes[keep], new[keep]))
        self._replace_runs(runs)

    def candidates(self, key: Key) -> list[int]:
        """Return the entries whose key has this key's hash, oldest run first; check the values."""
        if None in key:
            return []
        wanted = hash_key(key)
        found: list[int] = []
        if self._runs:
            as_number = np.uint64(wanted)
            for hashes, entries in self._runs:
                at = int(hashes.searchsorted(as_number))
                while at < len(hashes) and hashes.item(at) == wanted:
                    found.append(entries.item(at))
                    at += 1
        return found + self._tail.get(wanted, [])

    def any_known(self, hashes: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return which of many hashes some entry has."""
        known = np.zeros(len(hashes), bool)
        for run, _ in self._runs:
            at = np.searchsorted(run, hashes)
            at[at == len(run)] = 0
            known |= run[at] == hashes
        if self._tail:
            known |= np.isin(hashes, np.fromiter(self._tail, np.uint64, len(self._tail)))
        return known

    def search(self, query: Any, mask: EntryMask | None = None) -> Entries:
        """Return the candidates for a key, given as a tuple."""
        return masked(np.array(self.candidates(query), np.int32), mask)

    def save(self) -> Sections:
        """Return the runs, the tail folded into one."""
        self._fold_tail()
        out: Sections = {}
        for number, (hashes, entries) in enumerate(self._runs):
            out[f"hashes{number}"], out[f"entries{number}"] = hashes, entries
        return out

    def load(self, sections: Sections) -> None:
        """Take runs."""
        self.clear()
        for number in range(-(-len(sections) // 2)):
            hashes, entries = sections[f"hashes{number}"], sections[f"entries{number}"]
            if hashes.dtype != np.uint64 or entries.dtype != np.int32 or hashes.shape != entries.shape:
                raise ValueError("hashes and entries do not fit together")
            if hashes.ndim != 1 or (hashes[1:] < hashes[:-1]).any():
                raise ValueError("hashes are not in order")
            self._runs.append((hashes, entries))

    @property
    def nbytes(self) -> int:
        """Bytes of the runs, and 12 for each entry in the tail."""
        return sum(h.nbytes + e.nbytes for h, e in self._runs) + 12 * self._tail_size

    def _fold_tail(self) -> None:
        if self._tail_size:
            tail, size = self._tail, self._tail_size
            hashes = np.fromiter((h for h, found in tail.items() for _ in found), np.uint64, size)
            entries = np.fromiter((e for found in tail.values() for e in found), np.int32, size)
            # Assigned at once: an interruption leaves all entries in the tail, or all in the run.
            runs = self._with_run(_sorted_run(hashes, entries), self._runs)
            self._runs, self._tail, self._tail_size = runs, {}, 0
            self._merge_small()

    @staticmethod
    def _length(run: Run) -> int:
        return len(run[0])

    def _merge(self, one: Run, other: Run) -> Generator[int, None, Run]:
        return merge_sorted(*one, *other)


def _sorted_run(hashes: NDArray[np.uint64], entries: Entries) -> Run:
    order = np.argsort(hashes, kind="stable")
    return hashes[order], entries[order]
