"""Vacuum: taking away versions that nobody can see any more, and what only they held.

A version is kept if somebody could still see it: a reader of a live branch, at its head or at any time that retention
promises (from the *horizon* on); the comparison of two branches, at a fork point or the base of their next merge; an open
transaction. All others go, and with them their values in the heaps, their entries in the indexes and, when a row has no
version left, its hidden id::

    slot     0  1  2  3  4  5         keep   x  .  .  x  x  x
    becomes  0        1  2  3         entry  0  .  .  2->1 (its first surviving carrier)  …

Everything is renumbered in one step: chains, overlays, entries and index structures. What is slow, copying columns and
heaps, is done before that, part by part, in steps that a budget interrupts; commits in between only add slots at the
end and mark ends, and are taken along in the last step. The numbers of the slots that went are a record of the log, so a
replay comes to the same slots.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidArgumentError
from .catalog import CatalogEntry, shapes
from .column import Column, HeapColumn
from .index.vectors import VectorIndex
from .table import NO_SLOT, SYSTEM_COLUMNS, TableStore
from .view import View
from .visibility import FOREVER, Overlay

if TYPE_CHECKING:
    from .database import Database

Mask = NDArray[np.bool_]
Recorded = Callable[[dict[str, Any], list[Any]], AbstractContextManager[None]]


@dataclass(frozen=True)
class Retention:
    """How much of the past stays readable.

    Attributes
    ----------
    age : float or None
        Seconds before now.
    commits : int or None
        Commits before the last one. Of both, the longer holds; without either, only the present is kept.
    """

    age: float | None = None
    commits: int | None = None

    def __post_init__(self) -> None:
        if not ((self.age is None or self.age >= 0) and (self.commits is None or self.commits >= 0)):
            raise InvalidArgumentError(f"retention is for 0 or more seconds and commits, not {self}")


def horizon(database: Database) -> int:
    """Return the earliest time whose state retention promises to keep."""
    retention, found = database.retention, database.timestamp
    if retention.age is not None:
        now = database.clock.now()
        found = min(found, now - round(min(retention.age * 1e6, now)))
    if retention.commits is not None:
        times = np.concatenate([t.view for t in database.commits.values()] or [np.empty(0, np.int64)])
        if retention.commits < len(times):
            found = min(found, int(np.sort(times)[-1 - retention.commits]))
        else:
            found = 0
    return max(found, database.horizon)


def states_in_use(database: Database) -> list[View]:
    """Return the states that are read at one time: fork points, merge bases, open transactions.

    Of each live branch, the points above it at which it, or a discarded one, left its parent: any two branches, also
    ones that do not exist yet, parted at one of them.
    """
    tree = database.tree
    live = {branch.id for branch in tree.live()}
    views = []
    for branch in live:
        lineage = tree.view(branch, FOREVER - 1).lineage
        below = [number for number, _ in lineage]
        views += [
            View(lineage[level:])
            for level in range(1, len(lineage))
            if level == 1 or below[level - 1] not in live
        ]
    views += [tree.base(*pair) for pair in tree.meetings if live.issuperset(pair)]
    views += [t.view for t in database.open_transactions()]
    return list(dict.fromkeys(views))


def kept_versions(store: TableStore, database: Database, since: int) -> Generator[None, None, Mask]:
    """Return which of the slots that there are now somebody could still see, shape (slots,); yields between parts.

    What happens in between, a fork, a merge, a new reader, concerns states from ``since`` on, which are kept anyway.
    """
    visibility = store.visibility
    keep = np.zeros(len(store), bool)
    slots = slice(len(keep))
    seen = set()
    for view in states_in_use(database):
        state = visibility.state(view)
        if state not in seen:
            seen.add(state)
            mask = visibility.mask(view)[slots]
            keep[: len(mask)] |= mask
            yield
    for branch in database.tree.live():
        above = None if branch.parent is None else database.tree.branches[branch.parent]
        if not visibility.changes.get(branch.id) and (above is None or not above.discarded):
            continue  # it sees what its parent saw, up to the state in which it left it
        lineage = database.tree.view(branch.id, FOREVER - 1).lineage
        begin, end, own = (store.system[name].view[slots] for name in ("begin", "end", "branch"))
        by_branch = np.full(1 + int(own.max(initial=0)), -1, np.int64)
        for number, limit in lineage:
            by_branch[number : number + 1] = limit  # nothing, for one that wrote no version
        limits = by_branch[own]
        # Seen on this branch until it ends within the branch's limits; ending later than a fork is not seen there.
        until = np.where(end <= limits, end, FOREVER)
        for number, limit in lineage:
            overlay = visibility.overlays.get(number)
            if overlay is not None:
                ended, ends = overlay.arrays()
                counts = (ends <= limit) & (ended < len(keep))
                until[ended[counts]] = np.minimum(until[ended[counts]], ends[counts])
        keep |= (begin <= limits) & (until > since)
        yield
    return keep


class TableVacuum:
    """The vacuum of one table, in steps.

    Parameters
    ----------
    store : TableStore
        The table.
    keep : generator
        Finds, in steps, which of the slots that there are now stay.
    """

    def __init__(self, store: TableStore, keep: Generator[None, None, Mask]) -> None:
        self.store = store
        self._began_at = self._state()
        self.ended = store.ended
        """Versions that had ended when it began."""
        self._compacted: dict[int, Column] = {}
        self._work = self._copy(keep)

    @property
    def dropped(self) -> NDArray[np.int32]:
        """The slots that go."""
        return np.flatnonzero(~self._keep).astype(np.int32)

    @property
    def is_stale(self) -> bool:
        """Whether what it copied or numbered is not so any more; then it must begin again.

        Columns or indexes came or went, a merge put values into slots, or another vacuum renumbered them.
        """
        return self._state() != self._began_at

    def _state(self) -> tuple[Any, ...]:
        store = self.store  # the columns and indexes themselves: their numbers may be those of others
        return tuple(store.columns.values()), tuple(store.indexes.values()), store.patches, store.epoch

    def prepare(self, until: float) -> bool:
        """Copy what is kept, a part at least; return whether all is copied."""
        return all(perf_counter() < until for _ in self._work)

    def _copy(self, keep: Generator[None, None, Mask]) -> Iterator[None]:
        self._keep = yield from keep
        self._kept = np.flatnonzero(self._keep).astype(np.int32)
        if len(self._kept) == len(self._keep):
            return  # there is nothing to take out
        yield
        for number, column in list(self.store.columns.items()):
            self._compacted[number] = yield from column.compact(self._kept)
            yield

    def finish(self) -> None:
        """Put the copies in place and renumber everything; :meth:`prepare` must be done."""
        store, before = self.store, len(self._keep)
        added = np.arange(before, len(store), dtype=np.int32)
        keep = np.concatenate([self._keep, np.ones(len(added), bool)])
        kept = np.concatenate([self._kept, added])
        place = np.where(keep, np.cumsum(keep) - 1, NO_SLOT).astype(np.int32)
        for number, column in self._compacted.items():
            if len(added):
                column.append_from(store.columns[number], added)  # type: ignore[arg-type]
        store.columns = dict(self._compacted)
        self._renumber_rows(keep, kept, place)
        for state in store.indexes.values():
            self._renumber_entries(state, kept, place)
            if isinstance(state.structure, VectorIndex):
                vectors = store.columns[state.plain_column or 0]
                assert isinstance(vectors, HeapColumn)
                state.structure.attach(vectors)
        for name in SYSTEM_COLUMNS:
            if name not in ("row", "prev"):
                store.system[name].replace(store.system[name].view[kept])
        overlays = {}
        for branch, overlay in store.visibility.overlays.items():
            slots, ends = overlay.arrays()
            stays = keep[slots]
            if stays.any():
                overlays[branch] = Overlay(place[slots[stays]], ends[stays])
        store.visibility.overlays = overlays
        store.visibility.forget_masks()
        store.visibility.forget_changes()
        store.ended -= self.ended  # what ended, or was purged, in the meantime is there still
        store.has_purged = bool((store.system["begin"].view == FOREVER).any())
        store.epoch += 1

    def _renumber_rows(self, keep: Mask, kept: NDArray[np.int32], place: NDArray[np.int32]) -> None:
        """Give rows that still have a version new ids, and mend the chains."""
        store = self.store
        prev = store.system["prev"].view.copy()
        newest = store.newest.view.copy()
        for links in (newest, prev):
            while True:  # step over what goes; each round shortens the longest gap by one
                gone = np.flatnonzero(links != NO_SLOT)
                gone = gone[~keep[links[gone]]]
                if not len(gone):
                    break
                links[gone] = store.system["prev"].view[links[gone]]
        alive = newest != NO_SLOT
        new_row = np.where(alive, np.cumsum(alive) - 1, -1).astype(np.int32)
        store.newest.replace(place[newest[alive]])
        links = prev[kept]
        store.system["prev"].replace(np.where(links == NO_SLOT, NO_SLOT, place[links]).astype(np.int32))
        store.system["row"].replace(new_row[store.system["row"].view[kept]])

    @staticmethod
    def _renumber_entries(state: Any, kept: NDArray[np.int32], place: NDArray[np.int32]) -> None:
        """Give each entry the place of its first surviving carrier."""
        carried = state.entry.view[kept]
        new = np.full(len(place), NO_SLOT, np.int32)
        new[carried[::-1]] = place[kept[::-1]]  # the first carrier is written last
        state.entry.replace(new[carried])
        state.structure.remap(new)


def _known(keep: Mask) -> Generator[None, None, Mask]:
    yield
    return keep


def vacuum_table(store: TableStore, dropped: NDArray[np.int32]) -> None:
    """Take slots out of a table at once; a replay does this."""
    keep = np.ones(len(store), bool)
    keep[dropped] = False
    work = TableVacuum(store, _known(keep))
    work.prepare(float("inf"))
    work.finish()


def unneeded_definitions(database: Database, since: int) -> list[CatalogEntry]:
    """Return the catalogue entries that nobody can see any more."""
    tree = database.tree
    latest: dict[int, int] = {}  # of each branch, up to when a live one reads it
    for live in tree.live():
        for branch, limit in tree.view(live.id, FOREVER - 1).lineage:
            latest[branch] = max(limit, latest.get(branch, -1))
    limits: dict[int, list[int]] = {}  # of each branch, when it is read by states in use
    for view in states_in_use(database):
        for branch, limit in view.lineage:
            limits.setdefault(branch, []).append(limit)
    for times in limits.values():
        times.sort()

    def is_read(entry: CatalogEntry) -> bool:
        if entry.begin <= latest.get(entry.branch, -1) and entry.end > since:
            return True
        times = limits.get(entry.branch, [])
        at = bisect_left(times, entry.begin)
        return at < len(times) and times[at] < entry.end

    return [entry for entry in database.catalog.entries if not is_read(entry)]


def forget_definitions(database: Database, entries: list[CatalogEntry]) -> None:
    """Take catalogue entries away, and the stores, columns and indexes that no other entry names."""
    database.catalog.remove({id(entry) for entry in entries})
    named = shapes(database.catalog.entries)
    for number in list(database.stores):
        store = database.stores[number]
        if number not in named:
            del database.stores[number]
            continue
        columns, indexes = named[number]
        for column in [c for c in store.columns if c not in columns]:
            store.drop_column(column)
        for index in [i for i in store.indexes if i not in indexes]:
            store.drop_index(index)


def unread_branches(database: Database) -> list[int]:
    """Return the discarded branches that nobody reads and of which something is still known."""
    tree = database.tree
    read = tree.read() | {b for t in database.open_transactions() for b, _ in t.view.lineage}
    known = {*tree.discarded, *database.commits, *database.catalog.overlays}
    for store in database.stores.values():
        known.update(store.visibility.overlays, store.visibility.changes)
    return sorted(known - read)


def forget_branches(database: Database, numbers: list[int]) -> None:
    """Take away what is known of branches that nobody reads, and when others were committed to, where nobody counts it."""
    gone = set(numbers)
    for store in database.stores.values():
        store.visibility.forget_branches(gone)
    for branch in gone:
        database.commits.pop(branch, None)
        database.catalog.overlays.pop(branch, None)
    database.tree.forget(gone)
    counted = database.tree.counted_since()
    for branch, times in database.commits.items():
        since = min(database.horizon, counted.get(branch, FOREVER))
        first = min(int(np.searchsorted(times.view, since, "right")), len(times) - 1)
        if first > 0:
            times.replace(times.view[first:].copy())


class Vacuum:
    """One vacuum of the whole database, in steps.

    Parameters
    ----------
    database : Database
        Where.
    recorded : callable
        ``(payload, buffers)``: a context that writes the record of a step before the step is taken in its block.
    """

    def __init__(self, database: Database, recorded: Recorded) -> None:
        self._database = database
        self._recorded = recorded
        self._steps = self._run()
        self.is_done = False
        self.dropped = 0
        """Versions that were taken away so far."""
        self.skipped: list[int] = []
        """Tables that open transactions work on."""
        self._until = 0.0

    def step(self, budget_ms: float) -> bool:
        """Work for about so many milliseconds, at least one step; return whether it is done."""
        self._until = perf_counter() + budget_ms / 1000
        for _ in self._steps:
            if perf_counter() >= self._until:
                return False
        self.is_done = True
        return True

    def _run(self) -> Iterator[None]:
        database = self._database
        since = horizon(database)
        forgotten = [] if database.has_open_changes() else unneeded_definitions(database, since)
        gone = {id(entry) for entry in forgotten}
        numbers = [i for i, entry in enumerate(database.catalog.lasting()) if id(entry) in gone]
        branches = unread_branches(database)
        record = {"horizon": since, "definitions": numbers, "branches": branches, "table": None}
        with self._recorded(record, []):
            database.horizon = since
            if forgotten:
                forget_definitions(database, forgotten)
            forget_branches(database, branches)
        yield
        for number in list(database.stores):
            is_done = False
            while not is_done and number in database.stores:
                is_done = yield from self._vacuum(database.stores[number], since)

    def _vacuum(self, store: TableStore, since: int) -> Generator[None, None, bool]:
        """Vacuum one table; return whether it is done, or must begin again because something came across it."""
        database = self._database
        if database.is_busy(store.id):
            self.skipped.append(store.id)
            return True
        work = TableVacuum(store, kept_versions(store, database, since))
        while not work.is_stale and not work.prepare(self._until):
            yield
        if work.is_stale:
            return False
        if not len(work.dropped):
            store.ended -= work.ended
            return True
        yield  # finishing is one piece: it begins with a budget of its own if this one is spent
        if work.is_stale:
            return False
        if database.is_busy(store.id):
            self.skipped.append(store.id)
            return True
        dropped = work.dropped
        record = {"horizon": database.horizon, "definitions": [], "table": store.id}
        is_temporary = database.catalog.is_temporary(store.id)
        with database.publishing() if is_temporary else self._recorded(record, [dropped]):
            work.finish()
        self.dropped += len(dropped)
        yield
        return True
