"""What a record must be before a replay applies it: everything in it fits the database as it is.

A checksum says that a record is as it was written, not that it was written by this engine for this database. So nothing
is applied before all of it was read and checked here: a record that does not fit changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .branch import Branch
from .composite import ArrayType, EnumType, array
from .sweeps import Sweep
from .table import NO_SLOT, RowWrite, TableStore
from .types import INT64, JSON, ColumnType, VectorType
from .view import View

if TYPE_CHECKING:
    from .database import Database
    from .log import Record

Buffers = list[NDArray[Any]]


def whole(value: Any, least: int, most: int, what: str) -> int:
    """Return a whole number within bounds (both included), or raise ValueError."""
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"{what} {value!r} is not a number from {least} to {most}")
    return value


def live_branch(database: Database, number: Any) -> Branch:
    """Return a branch by number, or raise ValueError."""
    branches = database.tree.branches
    branch = branches[whole(number, 0, len(branches) - 1, "branch")]
    if branch.discarded:
        raise ValueError(f"branch {branch.name!r} was discarded")
    return branch


def commit_time(database: Database, record: Record) -> View:
    """Return the head that a commit's record continues; its timestamp must be later."""
    if record.timestamp <= database.timestamp:
        raise ValueError(f"its time {record.timestamp} is not after {database.timestamp}")
    return database.tree.view(live_branch(database, record.branch).id, database.timestamp)


def pairs_of_numbers(data: Any) -> dict[int, int]:
    """Return the values of sequences by id."""
    far = 1 << 63
    return {whole(n, 1, far, "sequence"): whole(v, -far, far - 1, "value") for n, v in data}


def meeting(database: Database, data: Any) -> tuple[int, int, int] | None:
    """Return (source, target, time) of a merge."""
    if data is None:
        return None
    source, target, time = data
    last = len(database.tree.branches) - 1
    return (
        whole(source, 0, last, "branch"),
        whole(target, 0, last, "branch"),
        whole(time, 0, database.timestamp, "time"),
    )


def rows_of(
    store: TableStore, head: View, rows: Any, batches: Any, buffers: Buffers
) -> tuple[list[tuple[int, RowWrite]], list[tuple[int, dict[int, Any]]]]:
    """Return what is written to a table."""
    # A column that came and went within the transaction is in no definition, and so has no place.
    types = {number: column.type for number, column in store.columns.items()}
    slots, known = len(store), len(store.newest)
    writes: dict[int, RowWrite] = {}
    for row, base, template, dead, values in rows:
        whole(row, -(1 << 31), known - 1, "row")
        whole(base, NO_SLOT, slots - 1, "slot")
        whole(template, NO_SLOT, slots - 1, "slot")
        if base != NO_SLOT and not (
            store.system["row"].item(base) == row and store.visibility.sees(head, base)
        ):
            raise ValueError(f"slot {base} is not in force for row {row}")
        if row in writes or type(dead) is not bool or (dead and base == NO_SLOT):
            raise ValueError(f"row {row} cannot be written like this")
        checked = {c: value_of(types[c], v, buffers) for c, v in values if c in types}
        writes[row] = RowWrite(base, template, checked, dead)
    out = []
    for count, columns in batches:
        whole(count, 1, 1 << 31, "count")
        if not columns:
            raise ValueError("rows without columns")
        data = {c: values_of(types[c], d, buffers) for c, d in columns if c in types}
        if any(len(column) != count for column in data.values()):
            raise ValueError("the columns differ in length")
        if not data and count != len(values_length(columns, buffers)):
            raise ValueError("the columns differ in length")
        out.append((count, data))
    _check_keys(store, writes.values(), out)
    return list(writes.items()), out


def sweeps_of(store: TableStore, head: View, sweeps: Any, written: set[int], buffers: Buffers) -> list[Sweep]:
    """Return rows of a table that were changed, or deleted, together; ``written`` are those that were changed otherwise."""
    types = {number: column.type for number, column in store.columns.items()}
    seen = set(written)
    found = []
    for rows, slots, columns in sweeps:
        places, ended = _numbers(rows, len(store.newest), buffers), _numbers(slots, len(store), buffers)
        if len(places) != len(ended) or not len(places):
            raise ValueError("a sweep has as many slots as rows")
        if (store.system["row"].view[ended] != places).any():
            raise ValueError("a sweep ends slots of other rows")
        mask = store.visibility.mask(head)
        if int(ended.max()) >= len(mask) or not mask[ended].all():
            raise ValueError("a sweep ends slots that are not in force")
        if len(np.unique(places)) < len(places) or not seen.isdisjoint(places.tolist()):
            raise ValueError("a row is swept twice")
        seen.update(places.tolist())
        given = None
        if columns is not None:
            given = {c: values_of(types[c], d, buffers) for c, d in columns if c in types}
            if any(len(column) != len(places) for column in given.values()):
                raise ValueError("the columns differ in length")
        found.append(Sweep(places.astype(np.int64), ended, given))
    if any(s.plain_column is None and s.structure.reads_keys for s in store.indexes.values()):
        _check_keys(store, [write for sweep in found for _, write in sweep.singles()], [])
    return found


def _numbers(data: Any, count: int, buffers: Buffers) -> NDArray[np.int32]:
    """Return a buffer of numbers from 0 up to a count."""
    numbers = buffers[whole(data["buffer"], 0, len(buffers) - 1, "buffer")]
    if numbers.dtype != np.int32 or numbers.ndim != 1:
        raise ValueError("rows and slots are whole numbers")
    if len(numbers):
        whole(int(numbers.min()), 0, count - 1, "number")
        whole(int(numbers.max()), 0, count - 1, "number")
    return numbers


def values_length(columns: Any, buffers: Buffers) -> Any:
    """Return the values of the first of some columns."""
    data = columns[0][1]
    return buffers[whole(data["buffer"], 0, len(buffers) - 1, "buffer")] if isinstance(data, dict) else data


def _check_keys(
    store: TableStore, writes: Iterable[RowWrite], batches: list[tuple[int, dict[int, Any]]]
) -> None:
    """Compute what an index on an expression would; raises what the expression raises."""
    for state in store.indexes.values():
        if state.plain_column is not None or not state.structure.reads_keys:
            continue
        for write in writes:
            if not write.dead:
                before = store.fills if write.template == NO_SLOT else store.values(write.template)
                state.key({**before, **write.values}.__getitem__)
        for count, columns in batches:
            for i in range(count):
                row = {c: column[i] for c, column in columns.items()}
                plain = {c: v.item() if getattr(v, "ndim", 1) == 0 else v for c, v in row.items()}
                state.key({**store.fills, **plain}.__getitem__)


def value_of(column_type: ColumnType, data: Any, buffers: Buffers) -> Any:
    """Return the stored form of one value; a vector lies in the buffers."""
    if isinstance(column_type, VectorType):
        if isinstance(data, dict):
            array = buffers[whole(data["buffer"], 0, len(buffers) - 1, "buffer")]
            if array.dtype != np.float32:
                raise ValueError(f"a vector of {array.dtype}")
            return column_type.check(array)
        return column_type.from_json(data)
    return stored_form(column_type, column_type.from_json(data))


def stored_form(column_type: ColumnType, value: Any) -> Any:
    """Return a stored form if it is one that the type gives."""
    if value is None:
        return None
    if isinstance(column_type, EnumType):
        if type(value) is not int or value not in dict(column_type.labels):
            raise ValueError(f"{value!r} is not the code of a label")
        return value
    if isinstance(column_type, ArrayType) and isinstance(column_type.element, EnumType):
        codes = array(INT64).check(value)
        for code in _leaves(codes):
            stored_form(column_type.element, code)
        return codes
    if column_type is JSON:
        if not isinstance(value, str):
            raise ValueError("a JSON value is kept as its text")
        json.loads(value)
        value.encode()
        return value
    return column_type.check(column_type.present(value))


def _leaves(items: tuple[Any, ...]) -> Iterator[Any]:
    for item in items:
        if isinstance(item, tuple):
            yield from _leaves(item)
        else:
            yield item


def values_of(column_type: ColumnType, data: Any, buffers: Buffers) -> Any:
    """Return the stored forms of a column's values, as a list or an array without nulls."""
    if not isinstance(data, dict):
        return [value_of(column_type, item, buffers) for item in data]
    array = buffers[whole(data["buffer"], 0, len(buffers) - 1, "buffer")]
    if isinstance(column_type, VectorType):
        if array.dtype != np.float32 or array.shape[1:] != (column_type.dimensions,):
            raise ValueError(f"vectors of {array.dtype}{array.shape}")
        if not np.isfinite(array).all():
            raise ValueError("a vector holds NaN or infinity")
        return array
    if column_type.storage != "fixed" or array.dtype != np.dtype(column_type.dtype) or array.ndim != 1:
        raise ValueError(f"values of {array.dtype}{array.shape} in a column of {column_type.name}")
    if array.dtype == np.bool_ and (array.view(np.uint8) > 1).any():
        raise ValueError("a boolean that is neither 0 nor 1")
    bounds = getattr(column_type, "bounds", None)
    if (
        bounds is not None
        and len(array)
        and not bounds[0] <= int(array.min()) <= int(array.max()) <= bounds[1]
    ):
        raise ValueError(f"a {column_type.name} is out of range")
    return array
