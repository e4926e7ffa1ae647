"""Sorted runs: what the hash and the ordered index have in common, as in a log-structured merge tree (O'Neil et al. 1996).

New entries wait in a tail; when that is full it becomes a run. Runs lie in order of size, and two of similar size are
merged, so that there are few of them and each entry is moved O(log n) times::

    run 0 [................]   run 1 [......]   run 2 [...]   tail
                                     '--- similar: merged ---'

Small merges are done at once; large ones wait for :meth:`RunIndex.maintain`, which does them in steps. Meanwhile the two runs go on
answering, and new ones come behind them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator
from itertools import pairwise
from time import perf_counter
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from .base import Entries, Index

Run = TypeVar("Run")


class RunIndex(Index, Generic[Run]):
    """An index of runs; a subclass says what a run is and how two are merged."""

    merge_at_once: ClassVar[int]
    """Entries; a larger merge waits for :meth:`maintain`."""

    _runs: list[Run]
    _merging: tuple[Run, Run] | None = None
    """The runs that are being merged in steps."""
    _steps: Generator[int, None, Run]

    @property
    def is_untidy(self) -> bool:
        """Whether two runs are of similar size and wait to be merged, or are being merged."""
        runs = self._runs
        if self._merging is not None:
            return True
        return len(runs) > 1 and self._length(runs[-2]) < 2 * self._length(runs[-1])

    def maintain(self, budget_ms: float) -> bool:
        """Merge the two smallest runs, one step a call at least; return whether runs wait to be merged."""
        until = perf_counter() + budget_ms / 1000
        while self.is_untidy:
            if self._merging is None:
                one, other = self._runs[-2:]
                self._merging, self._steps = (one, other), self._merge(one, other)
            try:
                self.work += next(self._steps)
            except StopIteration as end:
                pair = self._merging
                rest = [run for run in self._runs if run is not pair[0] and run is not pair[1]]
                # Assigned at once: an interruption leaves the two, or the one.
                self._runs, self._merging = self._with_run(end.value, rest), None
            if perf_counter() >= until:
                break
        return self.is_untidy

    @staticmethod
    @abstractmethod
    def _length(run: Run) -> int:
        """Return how many entries a run has."""

    @abstractmethod
    def _merge(self, one: Run, other: Run) -> Generator[int, None, Run]:
        """Merge two runs; yields after each step how many entries it moved, and returns the run of all."""

    def _at_once(self, one: Run, other: Run) -> bool:
        """Return whether two runs are so small that whoever adds to them may merge them."""
        return self._length(one) + self._length(other) <= self.merge_at_once

    def _replace_runs(self, runs: list[Run]) -> None:
        """Put other runs in the place of all; a merge under way is given up."""
        self._runs, self._merging = runs, None

    def _add_run(self, run: Run) -> None:
        if self._length(run):
            self._runs = self._with_run(run, self._runs)
            self._merge_small()

    def _with_run(self, run: Run, runs: list[Run]) -> list[Run]:
        return sorted([*runs, run], key=lambda one: -self._length(one))

    def _merge_small(self) -> None:
        while len(self._runs) > 1:
            one, other = self._runs[-2:]
            if self._merging is not None and any(run is one or run is other for run in self._merging):
                break
            if self._length(one) >= 2 * self._length(other) or not self._at_once(one, other):
                break
            self._runs[-2:] = [self._whole(self._merge(one, other))]

    def _whole(self, steps: Generator[int, None, Run]) -> Run:
        while True:
            try:
                self.work += next(steps)
            except StopIteration as end:
                found: Run = end.value
                return found


MOVED_AT_ONCE = 1 << 15
"""Entries of each of two runs that one step of a merge moves, about; those of one key go together."""


def merge_sorted(
    keys: NDArray[Any], entries: Entries, other_keys: NDArray[Any], other_entries: Entries
) -> Generator[int, None, tuple[NDArray[Any], Entries]]:
    """Merge two runs of sorted keys in steps, as :func:`merged` does it; yields after each how many entries it moved."""
    out_keys = np.empty(len(keys) + len(other_keys), np.result_type(keys, other_keys))
    out_entries = np.empty(len(out_keys), np.int32)
    # What lies at a cut, in either run, goes to the right of it: the order of equal keys stays.
    cuts = np.unique(np.concatenate([run[MOVED_AT_ONCE::MOVED_AT_ONCE] for run in (keys, other_keys)]))
    bounds, other_bounds = ([0, *np.searchsorted(run, cuts).tolist(), len(run)] for run in (keys, other_keys))
    at = 0
    for (low, high), (other_low, other_high) in zip(pairwise(bounds), pairwise(other_bounds), strict=True):
        one, other = slice(low, high), slice(other_low, other_high)
        part = merged(keys[one], entries[one], other_keys[other], other_entries[other])
        until = at + len(part[0])
        out_keys[at:until], out_entries[at:until] = part
        yield until - at
        at = until
    return out_keys, out_entries


def merged(
    keys: NDArray[Any], entries: Entries, other_keys: NDArray[Any], other_entries: Entries
) -> tuple[NDArray[Any], Entries]:
    """Return two runs of sorted keys with their entries as one; of equal keys those of the first come first."""
    places = np.searchsorted(keys, other_keys, "right") + np.arange(len(other_keys))
    out_keys = np.empty(len(keys) + len(other_keys), keys.dtype)
    out_entries = np.empty(len(out_keys), np.int32)
    rest = np.ones(len(out_keys), bool)
    rest[places] = False
    out_keys[places], out_entries[places] = other_keys, other_entries
    out_keys[rest], out_entries[rest] = keys, entries
    return out_keys, out_entries
