"""Rows of a session or a branch, found by an index and read by columns.

A session has thousands of turns, of which a call shows a few. So rows are found first, as slots of the table, put in order by two of their
columns, and only those that are shown are read::

    index (session, branch, time) ──▶ slots ──▶ order by (time, id) ──▶ the page ──▶ its columns

The time alone is no order: a browser's clock stands still for a millisecond. Ids grow with every row that one memory makes, so they
decide where times are equal. What a batch wrote lies beside the table, as values; here both are one list of rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import Transaction
from ..engine.column import FixedColumn
from ..engine.definitions import TableDef
from ..engine.expr import Expr
from ..engine.index.ordered import KeyRange
from ..engine.table import TableStore, Values

Place = tuple[int, str]
"""Where a row stands in the order: its time and its id."""
LAST_ID = "\U0010ffff"
"""Behind every id."""

_NONE = np.zeros(0, np.int32)


class Rows:
    """Some rows of a table as one transaction sees them.

    Parameters
    ----------
    definition, store
        The table.
    slots : int32 array
        Where the rows are; -1 - n is the n-th of ``own``.
    own : sequence of values
        Rows that the transaction wrote and has not committed.
    """

    def __init__(
        self, definition: TableDef, store: TableStore, slots: NDArray[np.int32], own: Sequence[Values] = ()
    ) -> None:
        self._definition, self._store, self._slots, self._own = definition, store, slots, own

    def __len__(self) -> int:
        return len(self._slots)

    def values(self, name: str) -> list[Any]:
        """Return a column as callers see it."""
        column = self._definition.column(name)
        present = column.type.present
        slots = self._slots
        stored = self._store.columns[column.id].take(slots[slots >= 0])
        if len(stored) < len(slots):
            committed = iter(stored)
            stored = [
                next(committed) if slot >= 0 else self._own[-1 - slot][column.id] for slot in slots.tolist()
            ]
        return [present(value) for value in stored]

    def array(self, name: str) -> NDArray[Any]:
        """Return a column of numbers as an array, with 0 for null."""
        column = self._store.columns[self._definition.column(name).id]
        if isinstance(column, FixedColumn) and not (self._slots < 0).any():
            return column.take_array(self._slots)
        return np.array([value or 0 for value in self.values(name)])

    def tuples(self, names: Sequence[str]) -> list[tuple[Any, ...]]:
        """Return some columns of each row."""
        return list(zip(*(self.values(name) for name in names), strict=True))

    def at(self, places: Any) -> Rows:
        """Return some of the rows: by a slice, a mask or their numbers."""
        return Rows(self._definition, self._store, self._slots[places], self._own)

    def where(self, name: str, value: str) -> Rows:
        """Return those that hold a text in a column."""
        if not (self._slots < 0).any():
            column = self._store.columns[self._definition.column(name).id]
            return self.at(column.equal(self._slots, value))
        return self.at(np.array([one == value for one in self.values(name)], bool))

    def in_order(self, *, descending: bool = False) -> Rows:
        """Return them sorted by time and id."""
        times = self.array("time_created")
        steps = np.diff(times)
        if (steps > 0).all():
            return self.at(slice(None, None, -1)) if descending else self
        if (steps < 0).all():
            return self if descending else self.at(slice(None, None, -1))
        places = list(zip(times.tolist(), self.values("id"), range(len(self)), strict=True))
        return self.at(np.array([at for *_, at in sorted(places, reverse=descending)], np.int64))

    def sorted_by(self, *keys: Sequence[Any]) -> Rows:
        """Return them sorted by what some lists hold of each."""
        places = sorted(range(len(self)), key=list(zip(*keys, strict=True)).__getitem__)
        return self.at(np.array(places, np.int64))

    def between(self, after: Place | None, last: Place | None) -> Rows:
        """Return those behind one place and not behind another."""
        rows = self
        for place, wanted in ((after, np.greater), (last, np.less)):
            if place is not None and len(rows):
                times = rows.array("time_created")
                keep = wanted(times, place[0])
                for at in np.flatnonzero(times == place[0]).tolist():
                    (found,) = rows.at([at]).values("id")
                    keep[at] = found > place[1] if wanted is np.greater else found <= place[1]
                rows = rows if keep.all() else rows.at(keep)
        return rows


def rows_of(transaction: Transaction, table: str, index: str, key: tuple[str, ...]) -> Rows:
    """Return the rows with a key in an index, or with the first parts of one in an ordered index, in no order."""
    definition = transaction.reader.catalog.table(table)
    found = definition.index(index)
    reader, store = transaction.reader, transaction.reader.stores[definition.id]
    writes = reader.writes.get(definition.id)
    if found.kind == "ordered":
        parts = list(reader.slots_in_range(definition, found, KeyRange(key, key)))
        slots = np.concatenate([_NONE, *parts])
    else:
        slots = np.array(list(store.slots_of_key(reader.view, found.id, key)), np.int32)
        if writes and len(slots):
            hidden = [writes.hides(row) for row in store.system["row"].view[slots].tolist()]
            slots = slots[~np.array(hidden, bool)]
    if not writes:
        return Rows(definition, store, slots)
    state = store.indexes[found.id]
    own = [v for _, v in writes.living() if (state.key(v.__getitem__) or ())[: len(key)] == key]
    return Rows(definition, store, np.concatenate([slots, -1 - np.arange(len(own), dtype=np.int32)]), own)


def all_rows(transaction: Transaction, table: str) -> Rows:
    """Return every row of a table, in no order."""
    definition = transaction.reader.catalog.table(table)
    slots = transaction.reader.committed_slots(definition)
    own = [values for _, values in transaction.reader.own_rows(definition)]
    own_slots = -1 - np.arange(len(own), dtype=np.int32)
    return Rows(definition, transaction.reader.stores[definition.id], np.concatenate([slots, own_slots]), own)


def soonest(rows: Iterable[dict[str, Any]], column: str, limit: int, offset: int = 0) -> list[dict[str, Any]]:
    """Return the first of rows that come by a time: those of one time by their ids."""
    found: list[dict[str, Any]] = []
    for row in rows if limit else ():
        if len(found) >= offset + limit and row[column] != found[-1][column]:
            break
        found.append(row)
    return sorted(found, key=lambda row: (row[column], row["id"]))[offset : offset + limit]


def rows_where(transaction: Transaction, table: str, wanted: Mapping[str, str | None]) -> Rows:
    """Return the rows of a table that hold some texts, in no order; for columns that have no index. None wants nothing of a column."""
    definition = transaction.reader.catalog.table(table)
    reader, store = transaction.reader, transaction.reader.stores[definition.id]
    parts: list[Expr] = [["=", ["col", name], ["lit", v]] for name, v in wanted.items() if v is not None]
    where: Expr | None = ["and", *parts] if parts else None
    own = [values for _, values in reader.own_rows(definition, where)]
    slots = reader.committed_slots(definition, where)
    return Rows(definition, store, np.concatenate([slots, -1 - np.arange(len(own), dtype=np.int32)]), own)


def newest_where(
    transaction: Transaction,
    table: str,
    wanted: Mapping[str, str | None],
    names: Sequence[str],
    limit: int,
) -> list[tuple[Any, ...]]:
    """Return some columns of the newest of the rows that :func:`rows_where` finds, the newest first."""
    return rows_where(transaction, table, wanted).in_order(descending=True).at(slice(0, limit)).tuples(names)


def walk(
    transaction: Transaction,
    table: str,
    index: str,
    key: tuple[str, ...],
    *,
    after: Place | None = None,
    last: Place | None = None,
    descending: bool = False,
) -> Iterator[Rows]:
    """Yield the rows with the first parts of a key in the order of time and id, in parts: who wants a few reads a few.

    Parameters
    ----------
    transaction : Transaction
        Who reads.
    table, index : str
        An ordered index of a table, in which ``time_created`` follows the parts of the key.
    key : tuple of str
        Those parts.
    after, last : place, optional
        Only rows behind the one, and not behind the other.
    descending : bool
        The newest first.
    """
    definition = transaction.reader.catalog.table(table)
    reader, store = transaction.reader, transaction.reader.stores[definition.id]
    if reader.writes.get(definition.id):
        rows = rows_of(transaction, table, index, key).between(after, last)
        if len(rows):
            yield rows.in_order(descending=descending)
        return
    low = key if after is None else (*key, after[0])
    high = key if last is None else (*key, last[0])
    if after is not None and last is not None and after >= last:
        return
    wanted = KeyRange(low, high, descending=descending)
    left = _NONE
    for slots in reader.slots_in_range(definition, definition.index(index), wanted):
        rows = Rows(definition, store, np.concatenate([left, slots]))
        if not len(rows):
            continue
        times = rows.array("time_created")
        whole = len(times) - int(
            np.count_nonzero(times == times[-1])
        )  # the last instant may go on in the next part
        left = np.concatenate([left, slots])[whole:]
        rows = rows.at(slice(0, whole)).between(after, last)
        if len(rows):
            yield rows.in_order(descending=descending)
    rows = Rows(definition, store, left).between(after, last)
    if len(rows):
        yield rows.in_order(descending=descending)


def page(parts: Iterator[Rows], names: Sequence[str], limit: int, offset: int = 0) -> list[tuple[Any, ...]]:
    """Return some columns of the rows in parts, from the ``offset``-th on, ``limit`` at most."""
    found: list[tuple[Any, ...]] = []
    for rows in parts if limit else ():
        if offset < len(rows):
            found += rows.at(slice(offset, offset + limit - len(found))).tuples(names)
        offset = max(0, offset - len(rows))
        if len(found) == limit:
            break
    return found
