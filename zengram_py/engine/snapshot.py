"""Snapshots: the whole database to bytes and back (the file itself: container.py).

Each array of a table becomes a section, named by table, column or index, and part; the manifest holds the catalogue with
its versions, the branches, the sequences and the counters. Restoring hands the arrays to columns and indexes as they
lie: no row is touched, no index is built. Temporary tables are left out.

::

    t3/end                 a system column of table 3; t3/newest
    t3/b2/slots, /ends     what branch 2 ended of what it inherited
    t3/c0/values           a fixed column          (c0/nulls when it has nulls)
    t3/c1/refs             a heap column           (c1/offsets and c1/bytes, or c1/matrix: its heap)
    t3/i0/entry            the entries of an index (i0/structure/…: what the kind of index keeps)
    commits/2              timestamps of the commits on branch 2
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import EngineError, SnapshotError
from .branch import Branch, Meeting
from .catalog import CatalogEntry, shapes
from .column import Column, FixedColumn, HeapColumn
from .container import Container, read, write_chunks
from .definitions import IndexDef, TableDef, definition_from_json, definition_to_json
from .growable import Growable
from .heap import NULL_REF, MatrixHeap, ValueHeap
from .index.base import Sections
from .table import NO_SLOT, SYSTEM_COLUMNS, TableStore
from .types import ColumnType, VectorType
from .visibility import Overlay

if TYPE_CHECKING:
    from .database import Database


def save(database: Database, *, compress: bool = False) -> bytes:
    """Return the bytes of a snapshot of everything in a database."""
    return b"".join(write_chunks(pin(database), compress=compress))


def pin(database: Database) -> Container:
    """Return what a snapshot of this moment holds; later commits and vacuums do not change it.

    Almost nothing is copied. Slots, heap values and index runs are only ever appended to, or replaced by new arrays, so
    a view of the first n of them stays as it is. What is changed in place is copied: where versions end, and which
    version of a row is the newest.
    """
    sections: Sections = {}
    kept = database.catalog.lasting()
    places = {id(entry): position for position, entry in enumerate(kept)}
    named = shapes(kept)
    tables = []
    for number, (columns, indexes) in named.items():
        store = database.stores[number]
        is_empty = not len(store) and not len(store.newest) and not store.visibility.overlays
        if not is_empty:
            for name, array in _save_table(store, columns, indexes).items():
                sections[f"t{number}/{name}"] = array
        tables.append(
            {
                "id": number,
                "empty": is_empty,
                "changes": [[branch, list(times)] for branch, times in store.visibility.changes.items()],
                "fills": [[c, t.to_json(store.fills[c])] for c, t in columns.items()],
                "overlays": sorted(store.visibility.overlays),
            }
        )
    for branch, times in database.commits.items():
        sections[f"commits/{branch}"] = times.view
    manifest = {
        "timestamp": database.timestamp,
        "horizon": database.horizon,
        "catalog": [[definition_to_json(e.definition), e.branch, e.begin, e.end] for e in kept],
        "catalog_overlays": [
            [
                branch,
                [
                    [places[id(e)], ends[i]]
                    for i, e in enumerate(database.catalog.entries)
                    if i in ends and id(e) in places
                ],
            ]
            for branch, ends in database.catalog.overlays.items()
        ],
        "next_id": database.catalog.next_id,
        "branches": [[b.name, b.parent, b.fork, b.discarded] for b in database.tree.branches],
        "meetings": [[m.source, m.target, m.timestamp, m.order] for m in database.tree.meetings.values()],
        "joins": [[*pair, list(times)] for pair, times in database.tree.joins.items()],
        "sequences": [[number, value] for number, value in database.sequences.last.items()],
        "commits": sorted(database.commits),
        "tables": tables,
    }
    return Container(database.id, database.lsn, database.last_crc, manifest, sections)


def load(data: bytes | bytearray | memoryview, make: Callable[[bytes], Database]) -> Database:
    """Return the database that a snapshot holds; ``make`` gives the empty one with a database id."""
    container = read(data)
    if "catalog" not in container.manifest:
        raise SnapshotError(
            "the snapshot was written before this format was settled; it cannot be read", section="manifest"
        )
    database = make(container.database_id)
    database.lsn, database.last_crc = container.lsn, container.record_crc
    part = "manifest"
    try:
        manifest = container.manifest
        database.timestamp = int(manifest["timestamp"])
        database.horizon = int(manifest["horizon"])
        _load_catalog(database, manifest)
        _load_branches(database, manifest)
        database.sequences.last = {int(number): int(value) for number, value in manifest["sequences"]}
        whole = _Part(container.sections, "")
        for branch in manifest["commits"]:
            times = whole.get(f"commits/{int(branch)}", np.int64, (None,))
            database.commits[int(branch)] = Growable(np.int64, (), times)
        named = shapes(database.catalog.entries)
        of_tables: dict[str, Sections] = {}
        for name, array in container.sections.items():
            of_tables.setdefault(name.partition("/")[0], {})[name] = array
        for table in manifest["tables"]:
            number = int(table["id"])
            part = f"t{number}"
            columns, indexes = named[number]
            here = _Part(of_tables.get(part, {}), f"{part}/")
            database.stores[number] = _load_table(database, table, columns, indexes, here)
            part = "manifest"
        missing = set(named) - set(database.stores)
        if missing:
            raise SnapshotError(f"table {min(missing)} is missing", section="manifest")
    except SnapshotError:
        raise
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, EngineError) as error:
        raise SnapshotError(f"{part}: {error}", section=part) from error
    return database


class _Part:
    """The sections below a prefix; a missing one or one of the wrong kind is an error that names it."""

    def __init__(self, sections: Sections, prefix: str) -> None:
        self._sections, self._prefix = sections, prefix

    def below(self, name: str) -> _Part:
        return _Part(self._sections, self._prefix + name)

    def has(self, name: str) -> bool:
        return self._prefix + name in self._sections

    def get(self, name: str, dtype: Any, shape: tuple[int | None, ...]) -> NDArray[Any]:
        section = self._prefix + name
        array = self._sections.get(section)
        if array is None:
            raise SnapshotError(f"section {section!r} is missing", section=section)
        fits = len(array.shape) == len(shape) and all(
            want in (None, have) for want, have in zip(shape, array.shape, strict=True)
        )
        if array.dtype != np.dtype(dtype) or not fits:
            raise SnapshotError(f"section {section!r} is {array.dtype}{array.shape}", section=section)
        return array

    def references(self, name: str, count: int | None, none: int, limit: int) -> NDArray[Any]:
        """Return int32 references, each ``none`` or in 0..limit-1."""
        array = self.get(name, np.int32, (count,))
        if len(array) and not (none <= int(array.min()) and int(array.max()) < limit):
            section = self._prefix + name
            raise SnapshotError(f"section {section!r} points outside", section=section)
        return array

    def all(self) -> Sections:
        return {
            name[len(self._prefix) :]: array
            for name, array in self._sections.items()
            if name.startswith(self._prefix)
        }


def _load_catalog(database: Database, manifest: dict[str, Any]) -> None:
    catalog = database.catalog
    for definition, branch, begin, end in manifest["catalog"]:
        entry = CatalogEntry(definition_from_json(definition), int(branch), int(begin), int(end))
        catalog.entries.append(entry)
    for branch, ends in manifest["catalog_overlays"]:
        catalog.overlays[int(branch)] = {int(position): int(end) for position, end in ends}
    catalog.next_id = int(manifest["next_id"])
    catalog.restored()


def _load_branches(database: Database, manifest: dict[str, Any]) -> None:
    tree = database.tree
    branches: list[Branch] = []
    for number, (name, parent, fork, discarded) in enumerate(manifest["branches"]):
        if (parent is None) != (number == 0) or (parent is not None and not 0 <= parent < number):
            raise SnapshotError(f"branch {name!r} has no parent before it", section="manifest")
        branches.append(Branch(number, str(name), parent, int(fork), bool(discarded)))
    tree.restore(branches)
    for source, target, timestamp, order in manifest["meetings"]:
        tree.meetings[source, target] = Meeting(int(source), int(target), int(timestamp), int(order))
    tree.joins = {(int(s), int(t)): [int(at) for at in times] for s, t, times in manifest["joins"]}


def _save_table(
    store: TableStore, columns: dict[int, ColumnType], indexes: dict[int, tuple[IndexDef, TableDef]]
) -> Sections:
    out: Sections = {name: column.view for name, column in store.system.items()}
    out["end"] = store.system["end"].view.copy()
    out["newest"] = store.newest.view.copy()
    for branch, overlay in store.visibility.overlays.items():
        out[f"b{branch}/slots"], out[f"b{branch}/ends"] = overlay.arrays()
    for number in columns:
        for name, array in _save_column(store.columns[number]).items():
            out[f"c{number}/{name}"] = array
    for number in indexes:
        state = store.indexes[number]
        out[f"i{number}/entry"] = state.entry.view
        for name, array in state.structure.save().items():
            out[f"i{number}/structure/{name}"] = array
    return out


def _save_column(column: Column) -> Sections:
    if isinstance(column, FixedColumn):
        out: Sections = {"values": column.values}
        if column.nulls is not None:
            out["nulls"] = column.nulls
        return out
    if isinstance(column.heap, MatrixHeap):
        return {"refs": column.refs, "matrix": column.heap.matrix}
    offsets, buffer = column.heap.freeze()
    return {"refs": column.refs, "offsets": offsets, "bytes": buffer}


def _load_table(
    database: Database,
    saved: dict[str, Any],
    columns: dict[int, ColumnType],
    indexes: dict[int, tuple[IndexDef, TableDef]],
    part: _Part,
) -> TableStore:
    store = TableStore(int(saved["id"]), database.is_read)
    _load_changes(database, store, saved)
    if saved.get("empty", False) is True:  # it has no sections
        for number, column_type in columns.items():
            store.add_column(number, column_type)
        for index, table in indexes.values():
            store.add_index(index, table)
    else:
        _load_rows(database, store, saved, columns, indexes, part)
    fills = dict(saved["fills"])
    for number, column_type in columns.items():
        store.fills[number] = _checked_fill(column_type, fills[number])
    return store


def _load_changes(database: Database, store: TableStore, saved: dict[str, Any]) -> None:
    for branch, times in saved["changes"]:
        if not 0 <= branch < len(database.tree.branches) or times != sorted(times):
            raise SnapshotError(f"branch {branch!r} cannot have changed table {store.id}", section="manifest")
        store.visibility.changes[branch] = [int(t) for t in times]


def _load_rows(
    database: Database,
    store: TableStore,
    saved: dict[str, Any],
    columns: dict[int, ColumnType],
    indexes: dict[int, tuple[IndexDef, TableDef]],
    part: _Part,
) -> None:
    slots = len(part.get("begin", np.int64, (None,)))
    rows = len(part.get("newest", np.int32, (None,)))
    for name, dtype in SYSTEM_COLUMNS.items():
        store.system[name].replace(part.get(name, dtype, (slots,)))
    part.references("row", slots, 0, rows)
    part.references("branch", slots, 0, len(database.tree.branches))
    prev = part.references("prev", slots, NO_SLOT, slots)
    if (prev >= np.arange(slots)).any():
        raise SnapshotError("a version comes before its predecessor", section="prev")
    store.newest = Growable(np.int32, (), part.references("newest", rows, 0, slots))
    for branch in saved["overlays"]:
        below = part.below(f"b{int(branch)}/")
        ended = below.references("slots", None, 0, slots)
        ends = below.get("ends", np.int64, (len(ended),))
        store.visibility.overlays[int(branch)] = Overlay(ended, ends)
    store.count_ended()
    for number, column_type in columns.items():
        store.columns[number] = _load_column(column_type, slots, part.below(f"c{number}/"))
    for number, (index, table) in indexes.items():
        here = part.below(f"i{number}/")
        state = store.attach_index(index, table, here.references("entry", slots, 0, slots))
        structure = here.below("structure/")
        for name in structure.all():
            if name.startswith("entries"):
                structure.references(name, None, 0, slots)
        state.structure.load(structure.all())


def _checked_fill(column_type: ColumnType, data: Any) -> Any:
    fill = column_type.from_json(data)
    return None if fill is None else column_type.check(column_type.present(fill))


def _load_column(column_type: ColumnType, slots: int, part: _Part) -> Column:
    if column_type.storage == "fixed":
        nulls = part.get("nulls", np.bool_, (slots,)) if part.has("nulls") else None
        return FixedColumn(column_type, part.get("values", column_type.dtype, (slots,)), nulls)
    heap: ValueHeap | MatrixHeap
    if isinstance(column_type, VectorType):
        matrix = part.get("matrix", np.float32, (None, column_type.dimensions))
        heap = MatrixHeap(column_type.dimensions, matrix)
    else:
        offsets, buffer = part.get("offsets", np.int64, (None,)), part.get("bytes", np.uint8, (None,))
        heap = ValueHeap.thaw(column_type, offsets, buffer)
    return HeapColumn(column_type, heap, part.references("refs", slots, NULL_REF, len(heap)))
