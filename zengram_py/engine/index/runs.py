"""Sorted runs: what the hash and the ordered index have in common, as in a log-structured merge tree (O'Neil et al. 1996).

New entries wait in a tail; when that is full it becomes a run. Runs lie in order of size, and two of similar size are
merged, so that there are few of them and each entry is moved O(log n) times::

    run 0 [................]   run 1 [......]   run 2 [...]   tail
                                     '--- similar: merged ---'

Small merges are done at once; large ones wait for :meth:`RunIndex.maintain`.
"""

from __future__ import annotations

from abc import abstractmethod
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

    @property
    def is_untidy(self) -> bool:
        """Whether two runs are of similar size and wait to be merged."""
        runs = self._runs
        return len(runs) > 1 and self._length(runs[-2]) < 2 * self._length(runs[-1])

    def maintain(self, budget_ms: float) -> bool:
        """Merge the two smallest runs, one merge a call at least; return whether runs wait to be merged."""
        until = perf_counter() + budget_ms / 1000
        while self.is_untidy:
            self._merge_last_two()
            if perf_counter() >= until:
                break
        return self.is_untidy

    @staticmethod
    @abstractmethod
    def _length(run: Run) -> int:
        """Return how many entries a run has."""

    @abstractmethod
    def _merged(self, one: Run, other: Run) -> Run:
        """Return a run of the entries of two."""

    def _add_run(self, run: Run) -> None:
        if self._length(run):
            self._runs = self._with_run(run)
            self._merge_small()

    def _with_run(self, run: Run) -> list[Run]:
        return sorted([*self._runs, run], key=lambda one: -self._length(one))

    def _merge_small(self) -> None:
        while self.is_untidy and sum(map(self._length, self._runs[-2:])) <= self.merge_at_once:
            self._merge_last_two()

    def _merge_last_two(self) -> None:
        self._runs[-2:] = [self._merged(*self._runs[-2:])]


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
