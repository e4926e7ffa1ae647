"""Ordered index: entries in the order of their keys, for ranges, prefixes and sorted scans.

It is sorted runs (runs.py) and a small tail. A run of one numeric column keeps its keys
beside the entries and is bisected by numpy; any other run keeps only the sorted entries, and a bisection reads the
dozen or two keys that it compares from the table. Large batches of such keys are sorted, and merged, by codes that the table
makes of them (sort_codes.py)::

    run 0   keys [0.1 0.4 0.4 0.9]   entries [7 2 5 1]       numeric
    run 1   entries [12 10 11]                               text: keys are read where the bisection lands
    tail    SortedList of (key, entry)

Nulls sort last, as in PostgreSQL, and NaN above all numbers. A scan merges the runs and the tail as it goes, so its
first entries cost the same whether the index holds a hundred or a million.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from heapq import merge
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sortedcontainers import SortedList

from ..keys import Key, key_form, sort_form
from .base import Entries, EntryMask, Sections, masked
from .runs import RunIndex, merge_sorted

TAIL_LIMIT = 1024

SortKey = tuple[tuple[int, Any], ...]


@dataclass(frozen=True)
class KeyRange:
    """What to look for.

    Attributes
    ----------
    low, high : tuple or None
        Bounds; each may be a prefix of the key's parts; None is unbounded.
    low_inclusive, high_inclusive : bool
        Whether the bounds belong.
    prefix : str or None
        Instead of bounds: the first part begins with this text.
    descending : bool
        Last ones first.
    """

    low: Key | None = None
    high: Key | None = None
    low_inclusive: bool = True
    high_inclusive: bool = True
    prefix: str | None = None
    descending: bool = False


class _Run:
    """Sorted entries; ``keys`` holds their numbers where the key is one column of numbers without nulls."""

    def __init__(self, entries: Entries, keys: NDArray[Any] | None) -> None:
        self.entries, self.keys = entries, keys


class OrderedIndex(RunIndex[_Run]):
    """Point, range and prefix look-ups and scans in order.

    Parameters
    ----------
    key_of : callable
        From an entry to its key.
    codes_of : callable
        From entries to arrays that sort, the first one first, as their keys do (sort_codes.py); None for keys that have no codes.
    """

    merge_at_once = 1 << 13

    def __init__(
        self,
        key_of: Callable[[int], Key],
        codes_of: Callable[[Entries], list[NDArray[Any]] | None] = lambda entries: None,
    ) -> None:
        self._key_of = key_of
        self._codes_of = codes_of
        self.clear()

    def clear(self) -> None:
        """Forget all entries."""
        self._replace_runs([])
        self._tail: SortedList[tuple[SortKey, int]] = SortedList()

    def add(self, entries: Entries, keys: list[Key]) -> None:
        """Add a batch of entries with their keys."""
        pairs = [(sort_form(key), entry) for entry, key in zip(entries.tolist(), keys, strict=True)]
        if len(pairs) < TAIL_LIMIT:
            self._tail.update(pairs)
            if len(self._tail) >= TAIL_LIMIT:
                self._fold_tail()
        else:
            pairs.sort()
            self._add_run(_Run(np.array([entry for _, entry in pairs], np.int32), None))

    def add_run(self, entries: Entries) -> bool:
        """Add a batch whose keys were not read, if it is large and they have codes; return whether it was added."""
        codes = None if len(entries) < TAIL_LIMIT else self._codes_of(entries)
        if codes is not None:
            self._add_run(_Run(_by_codes(entries, codes), None))
        return codes is not None

    def add_one(self, entry: int, key: Key) -> None:
        """Add one entry."""
        self._tail.add((sort_form(key), entry))
        if len(self._tail) >= TAIL_LIMIT:
            self._fold_tail()

    def add_array(self, entries: Entries, values: NDArray[Any]) -> None:
        """Add a batch whose keys are one number each: one vectorised sort."""
        has_nan = values.dtype.kind == "f" and bool(np.isnan(values).any())
        if len(entries) >= TAIL_LIMIT and not has_nan:
            order = np.lexsort((entries, values))
            self._add_run(_Run(entries[order], values[order]))
        elif not self.add_run(entries):
            self.add(entries, [(key_form(value),) for value in values.tolist()])

    def remove(self, entries: Entries) -> None:
        """Take entries out."""
        self._fold_tail()
        kept = []
        for run in self._runs:
            keep = ~np.isin(run.entries, entries)
            if keep.any():
                kept.append(_Run(run.entries[keep], None if run.keys is None else run.keys[keep]))
        self._replace_runs(kept)

    def remap(self, places: NDArray[np.int32]) -> None:
        """Give entries other numbers; those that get -1 go. Reads no key: the columns are renumbered already."""
        tail = [(key, int(places[entry])) for key, entry in self._tail if places[entry] >= 0]
        self._tail = SortedList(tail)
        runs = []
        for run in self._runs:
            new = places[run.entries]
            keep = new >= 0
            if keep.any():
                runs.append(_Run(new[keep], None if run.keys is None else run.keys[keep]))
        self._replace_runs(runs)

    def candidates(self, key: Key) -> list[int]:
        """Return the entries with this key; none for a key with a null in it."""
        return [] if None in key else list(self.scan(KeyRange(key, key)))

    def search(self, query: Any, mask: EntryMask | None = None) -> Entries:
        """Return the entries in a :class:`KeyRange`, in order."""
        return masked(np.fromiter(self.scan(query), np.int32), mask)

    def scan(self, wanted: KeyRange) -> Iterator[int]:
        """Yield the entries in a range, in the order of their keys, ties by entry."""
        runs = [run for run in self._runs if len(run.entries)]
        parts = [self._cut_run(run, wanted) for run in runs]
        parts = [part for part in parts if len(part[1])]
        tail = self._cut_tail(wanted)
        if not tail and len(parts) == 1:
            entries = parts[0][1]
            yield from (entries[::-1] if wanted.descending else entries).tolist()
            return
        streams: list[Iterator[tuple[SortKey, int]]] = [self._keyed(run, e, wanted) for run, e in parts]
        streams.append(iter(tail[::-1] if wanted.descending else tail))
        yield from (entry for _, entry in merge(*streams, reverse=wanted.descending))

    def save(self) -> Sections:
        """Return the runs, the tail folded into one."""
        self._fold_tail()
        out: Sections = {}
        for number, run in enumerate(self._runs):
            out[f"entries{number}"] = run.entries
            if run.keys is not None:
                out[f"keys{number}"] = run.keys
        return out

    def load(self, sections: Sections) -> None:
        """Take runs."""
        self.clear()
        for number in range(sum(name.startswith("entries") for name in sections)):
            entries, keys = sections[f"entries{number}"], sections.get(f"keys{number}")
            if entries.dtype != np.int32 or entries.ndim != 1:
                raise ValueError("entries are not a flat array of int32")
            if keys is not None and (keys.shape != entries.shape or (keys[1:] < keys[:-1]).any()):
                raise ValueError("keys are not in order")
            self._runs.append(_Run(entries, keys))

    @property
    def nbytes(self) -> int:
        """Bytes of the runs, and 16 for each entry in the tail."""
        runs = sum(r.entries.nbytes + (0 if r.keys is None else r.keys.nbytes) for r in self._runs)
        return runs + 16 * len(self._tail)

    # -- cutting a range out -----------------------------------------------------------------------------------------

    def _cut_tail(self, wanted: KeyRange) -> list[tuple[SortKey, int]]:
        low, high = _bounds(wanted)
        start, stop = 0, len(self._tail)
        if low is not None:
            start = self._tail.bisect_left((low, _BEFORE_ENTRIES))
        if high is not None:
            stop = self._tail.bisect_left((high, _BEFORE_ENTRIES))
        found: list[tuple[SortKey, int]] = list(self._tail[start:stop]) if start < stop else []
        return found

    def _cut_run(self, run: _Run, wanted: KeyRange) -> tuple[_Run, Entries]:
        if run.keys is not None and wanted.prefix is None:
            start = _cut_numbers(run.keys, wanted.low, "left" if wanted.low_inclusive else "right", 0)
            stop = _cut_numbers(
                run.keys, wanted.high, "right" if wanted.high_inclusive else "left", len(run.keys)
            )
        else:
            low, high = _bounds(wanted)

            def key_of(entry: Any) -> SortKey:
                return sort_form(self._key_of(int(entry)))

            start = 0 if low is None else bisect_left(run.entries, low, key=key_of)
            stop = len(run.entries) if high is None else bisect_left(run.entries, high, key=key_of)
        return run, run.entries[start:stop]

    def _keyed(self, run: _Run, entries: Entries, wanted: KeyRange) -> Iterator[tuple[SortKey, int]]:
        for entry in (entries[::-1] if wanted.descending else entries).tolist():
            yield self._pair(entry)

    def _pair(self, entry: Any) -> tuple[SortKey, int]:
        """Return what an entry is sorted by."""
        return sort_form(self._key_of(int(entry))), int(entry)

    # -- runs --------------------------------------------------------------------------------------------------------

    def _fold_tail(self) -> None:
        if self._tail:
            entries = np.array([entry for _, entry in self._tail], np.int32)
            values = [key[0][1] for key, _ in self._tail if len(key) == 1 and key[0][0] == 0]
            numbers = None
            if len(values) == len(entries) and all(type(v) in (int, float) for v in values):
                kind = np.int64 if all(type(v) is int and abs(v) < 2**63 for v in values) else np.float64
                if kind is np.int64 or all(type(v) is float for v in values):
                    numbers = np.array(values, kind)
            # Assigned at once: an interruption leaves all entries in the tail, or all in the run.
            self._runs, self._tail = self._with_run(_Run(entries, numbers), self._runs), SortedList()
            self._merge_small()

    @staticmethod
    def _length(run: _Run) -> int:
        return len(run.entries)

    def _at_once(self, one: _Run, other: _Run) -> bool:
        if _have_like_keys(one, other) or self._have_codes:
            return super()._at_once(one, other)
        return len(one.entries) + len(other.entries) <= _READ_AT_ONCE

    def _merge(self, one: _Run, other: _Run) -> Generator[int, None, _Run]:
        if one.keys is not None and other.keys is not None and _have_like_keys(one, other):
            keys, entries = yield from merge_sorted(one.keys, one.entries, other.keys, other.entries)
            return _Run(entries, keys)
        merged = yield from self._merge_entries(one.entries, other.entries)
        return _Run(merged, None)

    def _merge_entries(self, one: Entries, other: Entries) -> Generator[int, None, Entries]:
        """Merge two runs of entries in steps: what lies before the nearer end of the next parts of both is sorted as a whole."""
        step = _CODES_A_STEP if self._have_codes else _KEYS_A_STEP
        runs, starts = (one, other), [0, 0]
        out = np.empty(len(one) + len(other), np.int32)
        while sum(starts) < len(out):
            ends = [min(start + step, len(run)) for run, start in zip(runs, starts, strict=True)]
            behind = [(self._pair(runs[i][ends[i]]), i) for i in (0, 1) if ends[i] < len(runs[i])]
            if behind:
                cut, nearer = min(behind)
                farther = 1 - nearer
                ends[farther] = bisect_left(
                    runs[farther], cut, starts[farther], ends[farther], key=self._pair
                )
            parts = [run[start:end] for run, start, end in zip(runs, starts, ends, strict=True)]
            part = np.concatenate(parts)
            out[sum(starts) : sum(ends)] = self._in_order(part) if all(map(len, parts)) else part
            starts = ends
            yield len(part)
        return out

    def _in_order(self, entries: Entries) -> Entries:
        codes = self._codes_of(entries)
        if codes is None:
            return np.array(sorted(entries.tolist(), key=self._pair), np.int32)
        return _by_codes(entries, codes)

    @property
    def _have_codes(self) -> bool:
        return self._codes_of(np.empty(0, np.int32)) is not None


def _by_codes(entries: Entries, codes: list[NDArray[Any]]) -> Entries:
    """Return entries in the order of their codes, ties by entry."""
    return entries[np.lexsort((entries, *reversed(codes)))]


def _have_like_keys(one: _Run, other: _Run) -> bool:
    """Return whether two runs have numbers of one type (those of an expression may be whole in one and not in the other)."""
    return one.keys is not None and other.keys is not None and one.keys.dtype == other.keys.dtype


_READ_AT_ONCE = 1 << 12  # keys that whoever adds may read from the table for a merge
_KEYS_A_STEP = 1 << 10  # of each of two runs that one step of maintenance reads, about
_CODES_A_STEP = 1 << 12
_BEFORE_ENTRIES = -1
_ABOVE = (2, 0)  # sorts above every part of a key, nulls too


def _bounds(wanted: KeyRange) -> tuple[SortKey | None, SortKey | None]:
    """Return a range as the first sort key that belongs to it and the first behind it that does not."""
    if wanted.prefix is not None:
        behind = _behind_prefix(wanted.prefix)
        return ((0, wanted.prefix),), ((1, 0),) if behind is None else ((0, behind),)
    low = high = None
    if wanted.low is not None:
        low = sort_form(wanted.low)
        low = low if wanted.low_inclusive else (*low, _ABOVE)
    if wanted.high is not None:
        high = sort_form(wanted.high)
        high = (*high, _ABOVE) if wanted.high_inclusive else high
    return low, high


def _behind_prefix(prefix: str) -> str | None:
    """Return the least text above all that begin with a prefix, or None when there is none."""
    for at in range(len(prefix) - 1, -1, -1):
        code = ord(prefix[at])
        if code < 0x10FFFF:
            return prefix[:at] + chr(code + 1)
    return None


def _cut_numbers(keys: NDArray[Any], bound: Key | None, side: Any, otherwise: int) -> int:
    if bound is None or not bound:
        return otherwise
    value = bound[0]
    if value is None or not isinstance(value, (int, float)):
        return len(keys)  # null and NaN lie behind all numbers
    if keys.dtype.kind == "i":
        if isinstance(value, float):
            if value == float("inf"):
                return len(keys)
            if value == float("-inf"):
                return 0
        cut = bisect_left if side == "left" else bisect_right
        return (
            int(cut(keys, value))
            if not -(2**63) <= value < 2**63 or isinstance(value, float)
            else int(np.searchsorted(keys, np.int64(value), side))
        )
    return int(np.searchsorted(keys, value, side))
