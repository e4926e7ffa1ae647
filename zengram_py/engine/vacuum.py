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

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .catalog import shapes
from .column import Column, HeapColumn
from .index.vectors import VectorIndex
from .table import NO_SLOT, SYSTEM_COLUMNS, TableStore
from .view import View
from .visibility import FOREVER, Overlay

if TYPE_CHECKING:
    from .database import Database

Mask = NDArray[np.bool_]


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


def horizon(database: Database) -> int:
    """Return the earliest time whose state retention promises to keep."""
    retention, found = database.retention, database.timestamp
    if retention.age is not None:
        found = min(found, database.clock.now() - round(retention.age * 1e6))
    if retention.commits is not None:
        times = np.sort(
            np.concatenate([t.view for t in database.commits.values()] or [np.empty(0, np.int64)])
        )
        if len(times):
            found = min(found, int(times[max(0, len(times) - 1 - retention.commits)]))
    return max(found, database.horizon)


def states_in_use(database: Database) -> list[View]:
    """Return the states that are read at one time: fork points, merge bases, open transactions."""
    tree = database.tree
    live = tree.live()
    views = [tree.view(b.parent, b.fork) for b in live if b.parent is not None]
    views += [tree.base(one.id, other.id) for i, one in enumerate(live) for other in live[:i]]
    return views + [t.view for t in database.open_transactions()]


def kept_versions(store: TableStore, database: Database, since: int) -> Mask:
    """Return which slots somebody could still see, shape (slots,)."""
    visibility = store.visibility
    begin, end, own = (store.system[name].view for name in ("begin", "end", "branch"))
    keep = np.zeros(len(store), bool)
    for branch in database.tree.live():
        lineage = database.tree.view(branch.id, FOREVER - 1).lineage
        for level, (number, limit) in enumerate(lineage):
            mine = (own == number) & (begin <= limit)
            # Seen on this branch until it ends within the branch's limits; ending later than a fork is not seen there.
            until = np.where(end <= limit, end, FOREVER)
            for below, its_limit in lineage[:level]:
                overlay = visibility.overlays.get(below)
                if overlay is not None:
                    slots, ends = overlay.arrays()
                    seen = ends <= its_limit
                    until[slots[seen]] = np.minimum(until[slots[seen]], ends[seen])
            keep |= mine & (until > since)
    for view in states_in_use(database):
        mask = visibility.mask(view)
        keep[: len(mask)] |= mask
    return keep


class TableVacuum:
    """The vacuum of one table, in steps.

    Parameters
    ----------
    store : TableStore
        The table.
    keep : bool array
        Which of the slots that there are now stay.
    """

    def __init__(self, store: TableStore, keep: Mask) -> None:
        self.store = store
        self._keep = keep
        self._kept = np.flatnonzero(keep).astype(np.int32)
        self._shape = store.shape
        self._compacted: dict[int, Column] = {}
        self._work = self._copy()

    @property
    def dropped(self) -> NDArray[np.int32]:
        """The slots that go."""
        return np.flatnonzero(~self._keep).astype(np.int32)

    @property
    def is_stale(self) -> bool:
        """Whether columns or indexes came or went since it began; then it must begin again."""
        return self.store.shape != self._shape

    def prepare(self, until: float) -> bool:
        """Copy what is kept, a part at least; return whether all is copied."""
        return all(perf_counter() < until for _ in self._work)

    def _copy(self) -> Iterator[None]:
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
        store.ended = 0
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


def vacuum_table(store: TableStore, dropped: NDArray[np.int32]) -> None:
    """Take slots out of a table at once; a replay does this."""
    keep = np.ones(len(store), bool)
    keep[dropped] = False
    work = TableVacuum(store, keep)
    work.prepare(float("inf"))
    work.finish()


def forgettable(database: Database, since: int) -> list[int]:
    """Return which catalogue entries nobody can see any more, counted without those of temporary tables."""
    catalog, tree = database.catalog, database.tree
    times = {since, database.timestamp}
    for entry in catalog.entries:
        times.update(t for t in (entry.begin, entry.end) if since <= t <= database.timestamp)
    for ends in catalog.overlays.values():
        times.update(t for t in ends.values() if t >= since)
    views = [tree.view(b.id, t) for b in tree.live() for t in times] + states_in_use(database)
    needed = {id(entry) for view in views for entry in catalog.visible(view)}
    return [i for i, entry in enumerate(catalog.lasting()) if id(entry) not in needed]


def forget_definitions(database: Database, numbers: list[int]) -> None:
    """Take catalogue entries away, and the stores, columns and indexes that no other entry names."""
    lasting = database.catalog.lasting()
    database.catalog.remove({id(lasting[number]) for number in numbers})
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


class Vacuum:
    """One vacuum of the whole database, in steps.

    Parameters
    ----------
    database : Database
        Where.
    log : callable
        ``(payload, buffers)``: writes the record of a step before it is applied.
    """

    def __init__(self, database: Database, log: Callable[[dict[str, Any], list[Any]], None]) -> None:
        self._database = database
        self._log = log
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
        forgotten = [] if database.has_open_changes() else forgettable(database, since)
        self._log({"horizon": since, "definitions": forgotten, "table": None}, [])
        database.horizon = since
        if forgotten:
            with database.publishing():
                forget_definitions(database, forgotten)
        yield
        for number in list(database.stores):
            is_done = False
            while not is_done and number in database.stores:
                is_done = yield from self._vacuum(database.stores[number], since)

    def _vacuum(self, store: TableStore, since: int) -> Generator[None, None, bool]:
        """Vacuum one table; return whether it is done, or must begin again because its shape changed."""
        database = self._database
        if database.is_busy(store.id):
            self.skipped.append(store.id)
            return True
        keep = kept_versions(store, database, since)
        if keep.all():
            store.ended = 0
            return True
        work = TableVacuum(store, keep)
        while not work.is_stale and not work.prepare(self._until):
            yield
        yield  # finishing is one piece: it begins with a budget of its own if this one is spent
        if work.is_stale:
            return False
        if database.is_busy(store.id):
            self.skipped.append(store.id)
            return True
        dropped = work.dropped
        if not database.catalog.is_temporary(store.id):
            self._log({"horizon": since, "definitions": [], "table": store.id}, [dropped])
        with database.publishing():
            work.finish()
        self.dropped += len(dropped)
        yield
        return True
