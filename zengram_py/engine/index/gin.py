"""GIN index ("generalized inverted": Bartunov and Sigaev, PostgreSQL 8.2): from what is inside a value to the entries that have it.

Values are taken apart into items (items.py), and each item has a list of entries. Lists lie in sorted runs (runs.py) and a small
tail, as in the hash index; a run holds each item once::

    items     3       8         20          hashes, ascending
    starts    0       2         3        6
    entries   10 12   11        10 11 12    those that have item 3, then those that have item 8, …

    tail {item: [entry, ...]}

A condition is answered from the shortest list on: what all parts of an ``AllOf`` have is cut down list by list, until so few are left
that comparing their values is quicker. What is answered are candidates: the table's values decide.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...text.postings import repeat
from ..keys import Key
from .base import Entries, EntryMask, Sections, masked
from .items import AllOf, AnyOf, Condition, condition_of, items_of
from .runs import MOVED_AT_ONCE, RunIndex, merged

TAIL_LIMIT = 1 << 12  # postings
FEW = 32  # candidates that are not worth another list

Items = NDArray[np.uint32]


class Run(NamedTuple):
    """Lists of entries by item (see the page above)."""

    items: Items
    starts: NDArray[np.int64]
    entries: Entries

    def find(self, item: int) -> tuple[int, int]:
        """Return where the entries of an item begin and end."""
        at = int(self.items.searchsorted(np.uint32(item)))
        if at == len(self.items) or self.items.item(at) != item:
            return 0, 0
        return self.starts.item(at), self.starts.item(at + 1)

    def kept(self, keep: NDArray[np.bool_], entries: Entries) -> Run:
        """Return the run without some of its places; ``entries`` has new entries for all of them."""
        before = np.zeros(len(keep) + 1, np.int64)
        np.cumsum(keep, out=before[1:])
        starts = before[self.starts]
        alive = np.flatnonzero(starts[1:] > starts[:-1])
        return Run(self.items[alive], np.append(starts[alive], starts[-1]), entries[keep])

    def spread(self, first: int, last: int) -> tuple[Items, Entries]:
        """Return item and entry of each place of the items numbered ``first`` to ``last - 1``."""
        counts = np.diff(self.starts[first : last + 1]).astype(np.intp)
        return repeat(self.items[first:last], counts), self.entries[self.starts[first] : self.starts[last]]


class GinIndex(RunIndex[Run]):
    """Candidates for operators that look into a value. A value that is null has no items.

    Parameters
    ----------
    operator_classes : sequence of str
        Of each key of the index (items.py).
    """

    merge_at_once = 1 << 15

    def __init__(self, operator_classes: Sequence[str]) -> None:
        self.operator_classes = tuple(operator_classes)
        self.clear()

    def clear(self) -> None:
        """Forget all entries."""
        self._tail: dict[int, list[int]] = {}
        self._tail_size = 0
        self._replace_runs([])

    # -- changing ------------------------------------------------------------------------------------------------------

    def add(self, entries: Entries, keys: list[Key]) -> None:
        """Add a batch of entries with their keys."""
        found = [self._items(key) for key in keys]
        count = sum(map(len, found))
        if count < TAIL_LIMIT:
            for entry, items in zip(entries.tolist(), found, strict=True):
                self._note(entry, items)
            return
        flat = np.fromiter(chain.from_iterable(found), np.uint32, count)
        sizes = np.fromiter(map(len, found), np.intp, len(found))
        self._add_run(_sorted_run(flat, repeat(entries, sizes)))

    def add_one(self, entry: int, key: Key) -> None:
        """Add one entry."""
        self._note(entry, self._items(key))

    def add_array(self, entries: Entries, values: NDArray[Any]) -> None:
        """Refuse keys that are numbers: there is nothing in them."""
        raise TypeError("a GIN index has no keys that are numbers")

    def remove(self, entries: Entries) -> None:
        """Take entries out."""
        self._fold_tail()
        kept = [run.kept(~np.isin(run.entries, entries), run.entries) for run in self._runs]
        self._replace_runs([run for run in kept if len(run.entries)])

    def remap(self, places: NDArray[np.int32]) -> None:
        """Give entries other numbers; those that get -1 go."""
        self._fold_tail()
        moved = [(run, places[run.entries]) for run in self._runs]
        kept = [run.kept(entries >= 0, entries) for run, entries in moved]
        self._replace_runs([run for run in kept if len(run.entries)])

    def _items(self, key: Key) -> set[int]:
        parts = enumerate(zip(self.operator_classes, key, strict=True))
        found = [items_of(kind, part, seed) for seed, (kind, part) in parts if part is not None]
        return found[0] if len(found) == 1 else set().union(*found)

    def _note(self, entry: int, items: Iterable[int]) -> None:
        tail = self._tail
        for item in items:
            tail.setdefault(item, []).append(entry)
            self._tail_size += 1
        if self._tail_size >= TAIL_LIMIT:
            self._fold_tail()

    # -- searching -----------------------------------------------------------------------------------------------------

    def condition(self, operator: str, operand: Any, key: int = 0) -> Condition:
        """Return what ``key operator operand`` asks for (items.py)."""
        return condition_of(self.operator_classes[key], operator, operand, key)

    def count(self, condition: Condition) -> int | None:
        """Return how many entries meet a condition, at most; None if it may be all."""
        if isinstance(condition, int):
            found = [run.find(condition) for run in self._runs]
            return sum(end - start for start, end in found) + len(self._tail.get(condition, ()))
        counts = [self.count(part) for part in condition.parts]
        known = [count for count in counts if count is not None]
        if isinstance(condition, AllOf):
            return min(known, default=None)
        return sum(known) if len(known) == len(counts) else None

    def candidates(self, condition: Condition) -> Entries | None:
        """Return entries, each once and in no order, among which are all that meet a condition; None if it may be all."""
        if isinstance(condition, int):
            return self._entries(condition)
        if isinstance(condition, AnyOf):
            return self._any(condition)
        return self._all(condition)

    def search(self, query: Any, mask: EntryMask | None = None) -> Entries:
        """Return the candidates for ``(operator, operand)``, in order; of one that asks for nothing, those that have any item."""
        operator, operand = query
        found = self.candidates(self.condition(operator, operand))
        if found is None:
            parts = [run.entries for run in self._runs]
            found = np.concatenate([*parts, np.fromiter(chain(*self._tail.values()), np.int32)])
        return masked(np.unique(found), mask)

    def _entries(self, item: int) -> Entries:
        parts = [run.entries[slice(*run.find(item))] for run in self._runs]
        parts.append(np.array(self._tail.get(item, ()), np.int32))
        parts = [part for part in parts if len(part)]
        return np.concatenate(parts) if parts else np.empty(0, np.int32)

    def _any(self, condition: AnyOf) -> Entries | None:
        found = []
        for part in condition.parts:
            entries = self.candidates(part)
            if entries is None:
                return None
            found.append(entries)
        if len(found) == 1:
            return found[0]
        return np.unique(np.concatenate(found)) if found else np.empty(0, np.int32)

    def _all(self, condition: AllOf) -> Entries | None:
        counts = [(self.count(part), part) for part in condition.parts]
        known = [(count, at, part) for at, (count, part) in enumerate(counts) if count is not None]
        left: Entries | None = None
        for _, _, part in sorted(known, key=lambda one: one[:2]):
            if left is None:
                left = self.candidates(part)
            elif len(left) > FEW:
                other = self.candidates(part)
                assert other is not None
                left = _in_both(left, other)
        return left

    # -- keeping -------------------------------------------------------------------------------------------------------

    def save(self) -> Sections:
        """Return the runs, the tail folded into one."""
        self._fold_tail()
        out: Sections = {}
        for number, run in enumerate(self._runs):
            out[f"items{number}"], out[f"starts{number}"], out[f"entries{number}"] = run
        return out

    def load(self, sections: Sections) -> None:
        """Take runs."""
        self.clear()
        for number in range(-(-len(sections) // 3)):
            run = Run(*(sections[f"{part}{number}"] for part in Run._fields))
            kinds = [(part.dtype.name, part.ndim) for part in run]
            if kinds != [("uint32", 1), ("int64", 1), ("int32", 1)] or not len(run.entries):
                raise ValueError("an array of items is of the wrong kind")
            if (
                len(run.starts) != len(run.items) + 1
                or run.starts[0] != 0
                or run.starts[-1] != len(run.entries)
            ):
                raise ValueError("the entries do not follow one another")
            if (run.items[1:] <= run.items[:-1]).any() or (run.starts[1:] <= run.starts[:-1]).any():
                raise ValueError("items are not in order")
            self._runs.append(run)

    @property
    def nbytes(self) -> int:
        """Bytes of the runs, and 8 for each place in the tail."""
        return sum(part.nbytes for run in self._runs for part in run) + 8 * self._tail_size

    # -- runs ----------------------------------------------------------------------------------------------------------

    def _fold_tail(self) -> None:
        if self._tail_size:
            tail = self._tail
            size = sum(map(len, tail.values()))
            items = np.fromiter((item for item, found in tail.items() for _ in found), np.uint32, size)
            entries = np.fromiter(chain.from_iterable(tail.values()), np.int32, size)
            # Assigned at once: an interruption leaves all entries in the tail, or all in the run.
            runs = self._with_run(_sorted_run(items, entries), self._runs)
            self._runs, self._tail, self._tail_size = runs, {}, 0
            self._merge_small()

    @staticmethod
    def _length(run: Run) -> int:
        return len(run.entries)

    def _merge(self, one: Run, other: Run) -> Generator[int, None, Run]:
        """Merge two runs, a range of items at a time: so many that one of them has about ``MOVED_AT_ONCE`` entries there."""
        items = np.empty(len(one.items) + len(other.items), np.uint32)
        starts = np.zeros(len(items) + 1, np.int64)
        entries = np.empty(len(one.entries) + len(other.entries), np.int32)
        cuts = np.unique(np.concatenate([_cuts(one), _cuts(other)]))
        bounds, other_bounds = (
            [0, *np.searchsorted(r.items, cuts).tolist(), len(r.items)] for r in (one, other)
        )
        at = at_item = 0
        for mine, theirs in zip(pairwise(bounds), pairwise(other_bounds), strict=True):
            spread, part = merged(*one.spread(*mine), *other.spread(*theirs))
            first = _firsts(spread)
            until, until_item = at + len(part), at_item + len(first)
            entries[at:until], items[at_item:until_item] = part, spread[first]
            starts[at_item:until_item] = first + at
            at, at_item = until, until_item
            yield len(part)
        starts[at_item] = at
        return Run(items[:at_item].copy(), starts[: at_item + 1].copy(), entries)


def _cuts(run: Run) -> Items:
    """Return the items at which a run is cut into parts of about ``MOVED_AT_ONCE`` entries."""
    places = np.arange(MOVED_AT_ONCE, len(run.entries), MOVED_AT_ONCE)
    return run.items[np.searchsorted(run.starts, places, "right") - 1]


def _firsts(items: Items) -> NDArray[np.intp]:
    """Return where each item begins in a sorted array in which it may be many times."""
    is_first = np.ones(len(items), bool)
    is_first[1:] = items[1:] != items[:-1]
    return np.flatnonzero(is_first)


def _sorted_run(items: Items, entries: Entries) -> Run:
    order = np.argsort(items, kind="stable")
    items, entries = items[order], entries[order]
    first = _firsts(items)
    return Run(items[first], np.append(first, len(items)).astype(np.int64), entries)


def _in_both(one: Entries, other: Entries) -> Entries:
    """Return the entries of the second that are in the first."""
    if not len(one) or not len(other):
        return one[:0]
    known = np.zeros(1 + max(int(one.max()), int(other.max())), bool)
    known[one] = True
    return other[known[other]]
