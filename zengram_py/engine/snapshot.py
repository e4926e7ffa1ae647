"""Snapshots: the whole database to bytes and back (the file itself: container.py).

Each array of a table becomes a section, named by table, column and part; the manifest holds the catalogue and the
counters. Restoring hands the arrays to columns and indexes as they lie: no row is touched, no index is built.

::

    t3/end                 a system column of table 3
    t3/c0/values           a fixed column          (c0/nulls when it has nulls)
    t3/c1/refs             a heap column           (c1/offsets and c1/bytes, or c1/matrix: its heap)
    t3/i0/entry            the entries of an index (i0/hashes, i0/entries, i0/norms: its structure)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import CatalogError, SnapshotError
from .catalog import CatalogEntry, TableDef
from .column import Column, FixedColumn, HeapColumn
from .container import Container, read, write
from .growable import Growable
from .heap import NULL_REF, MatrixHeap, ValueHeap
from .index.base import Sections
from .table import NO_SLOT, SYSTEM_COLUMNS, TableStore
from .types import ColumnType, VectorType

if TYPE_CHECKING:
    from .database import Database


def save(database: Database) -> bytes:
    """Return the bytes of a snapshot of everything in a database."""
    sections: Sections = {}
    tables = []
    for entry in database._catalog:
        store = database._stores[entry.definition.id]
        prefix = f"t{entry.definition.id}/"
        for name, array in _save_table(store).items():
            sections[prefix + name] = array
        tables.append(
            {
                "definition": entry.definition.to_json(),
                "branch": entry.branch,
                "begin": entry.begin,
                "end": entry.end,
                "changed_at": [[branch, at] for branch, at in store.changed_at.items()],
            }
        )
    manifest = {
        "timestamp": database.timestamp,
        "next_table_id": database._next_table_id,
        "tables": tables,
    }
    return write(Container(database.id, database.lsn, 0, manifest, sections))


def load(data: bytes | bytearray | memoryview, make: Callable[[bytes], Database]) -> Database:
    """Return the database that a snapshot holds; ``make`` gives the empty one with a database id."""
    container = read(data)
    database = make(container.database_id)
    database.lsn = container.lsn
    part = "manifest"
    try:
        manifest = container.manifest
        database.timestamp = int(manifest["timestamp"])
        for table in manifest["tables"]:
            definition = TableDef.from_json(table["definition"])
            part = f"t{definition.id}"
            store = _load_table(definition, _Part(container.sections, f"{part}/"))
            store.changed_at = {int(branch): int(at) for branch, at in table["changed_at"]}
            entry = CatalogEntry(definition, int(table["branch"]), int(table["begin"]), int(table["end"]))
            database._adopt(entry, store)
            part = "manifest"
        database._next_table_id = max(database._next_table_id, int(manifest["next_table_id"]))
    except SnapshotError:
        raise
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, CatalogError) as error:
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

    def references(self, name: str, count: int, none: int, limit: int) -> NDArray[Any]:
        """Return int32 references, each ``none`` or in 0..limit-1."""
        array = self.get(name, np.int32, (count,))
        if count and not (none <= int(array.min()) and int(array.max()) < limit):
            section = self._prefix + name
            raise SnapshotError(f"section {section!r} points outside", section=section)
        return array

    def all(self) -> Sections:
        return {
            name[len(self._prefix) :]: array
            for name, array in self._sections.items()
            if name.startswith(self._prefix)
        }


def _save_table(store: TableStore) -> Sections:
    out: Sections = {name: column.view for name, column in store.system.items()}
    out["newest"] = store.newest.view
    for number, column in enumerate(store.columns):
        for name, array in _save_column(column).items():
            out[f"c{number}/{name}"] = array
    for number, state in enumerate(store.indexes):
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


def _load_table(definition: TableDef, part: _Part) -> TableStore:
    store = TableStore(definition)
    slots = len(part.get("begin", np.int64, (None,)))
    rows = len(part.get("newest", np.int32, (None,)))
    for name, dtype in SYSTEM_COLUMNS.items():
        store.system[name] = Growable(dtype, (), part.get(name, dtype, (slots,)))
    part.references("row", slots, 0, rows)
    prev = part.references("prev", slots, NO_SLOT, slots)
    if (prev >= np.arange(slots)).any():
        raise SnapshotError("a version comes before its predecessor", section="prev")
    store.newest = Growable(np.int32, (), part.references("newest", rows, 0, slots))
    store.columns = [
        _load_column(column.type, slots, part.below(f"c{number}/"))
        for number, column in enumerate(definition.columns)
    ]
    for number, state in enumerate(store.indexes):
        here = part.below(f"i{number}/")
        state.entry = Growable(np.int32, (), here.references("entry", slots, 0, slots))
        state.structure = store.make_structure(state.definition)
        saved = here.below("structure/").all()
        if "entries" in saved:
            entries = saved["entries"]
            here.below("structure/").references("entries", len(entries), 0, slots)
        state.structure.load(saved)
    return store


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
        heap = ValueHeap.thaw(column_type.name, offsets, buffer)
    return HeapColumn(column_type, heap, part.references("refs", slots, NULL_REF, len(heap)))
