"""Constraints: what every row must satisfy, alone and together with others.

Types, not-null and checks concern one row and are tested when it is written. Unique keys and foreign keys concern other
rows too: they are tested against a reader (reader.py), once when a row is written, with the transaction's own view, and
once more at the commit, with the head of the branch, where others may have committed in between. A merge asks the same
questions of its result and collects the answers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import (
    CatalogError,
    CheckError,
    ConstraintError,
    ForeignKeyError,
    NotNullError,
    PrimaryKeyError,
    UniqueError,
)
from .catalog import CatalogView
from .definitions import ColumnDef, ForeignKeyDef, IndexDef, TableDef
from .expr import evaluate_many, names_read
from .index.hash import HashIndex
from .keys import Key, hash_integers, hash_key, key_form
from .limited import TSQUERY, LimitedTextType
from .reader import Reader, index_on
from .table import NO_SLOT, Values
from .types import INT16, INT32, INT64, TEXT, ColumnType
from .writes import Batch


def show_key(key: Key) -> str:
    """Return a key as messages show it."""
    shown = ", ".join(repr(part) for part in key)
    return f"({shown if len(shown) <= 80 else shown[:77] + '...'})"


def check_row(table: TableDef, values: Values) -> None:
    """Test not-null and the checks of one row.

    Raises
    ------
    NotNullError, CheckError
    """
    for number in table.required:
        if values[number] is None:
            raise not_null_error(table, next(c for c in table.columns if c.id == number))
    if table.checks:
        row = {column.name: values[column.id] for column in table.columns}
        for check, test in table.tests:
            if test(row) is False:
                raise CheckError(
                    f"a row of table {table.title!r} breaks check {check.name!r}: {_show_row(row)}",
                    table=table.title,
                    constraint=check.name,
                    value=row,
                )


def check_columns(
    table: TableDef, columns: Mapping[int, Any], count: int, changed: Collection[str] | None = None
) -> None:
    """Test not-null and the checks of many rows, given by columns; only those that concern changed columns, if these are given.

    Raises
    ------
    NotNullError, CheckError
    """
    for column in table.columns:
        if column.nullable or (changed is not None and column.name not in changed):
            continue
        values = columns[column.id]
        if not isinstance(values, np.ndarray) and any(v is None for v in values):
            raise not_null_error(table, column)
    if not table.checks or not count:
        return
    by_name = table.by_name
    for check, test in table.tests:
        reads = names_read(check.expr, by_name)
        if changed is not None and reads.isdisjoint(changed):
            continue
        found = evaluate_many(test, {name: columns[by_name[name].id] for name in reads}, count)
        if any(value is False for value in found):
            at = found.index(False)
            check_row(table, {c.id: as_list(columns[c.id])[at] for c in table.columns})


def as_list(values: Any) -> Any:
    """Return the values of a column one by one."""
    return values.tolist() if isinstance(values, np.ndarray) and values.ndim == 1 else values


def not_null_error(table: TableDef, column: ColumnDef) -> NotNullError:
    """Return the error for a null where there must be a value."""
    message = f"column {column.name!r} of table {table.title!r} must have a value"
    return NotNullError(message, table=table.title, constraint=column.name)


def key_of(table: TableDef, columns: tuple[str, ...], values: Values) -> Key:
    """Return the values of some columns as a key."""
    by_name = table.by_name
    return tuple(key_form(values[by_name[name].id]) for name in columns)


def unique_violations(
    reader: Reader, table: TableDef, row: int | None, values: Values, changed: Values | None = None
) -> Iterator[UniqueError]:
    """Yield an error for each unique index in which another row has a row's key.

    Parameters
    ----------
    reader, table : Reader, TableDef
        Where.
    row : int or None
        The row's id; None for one that is not there yet.
    values : dict
        Its values.
    changed : dict, optional
        Those of them that are new; indexes of other columns are not asked.
    """
    store = reader.stores[table.id]
    for index in table.indexes:
        state = store.indexes[index.id]
        if index.unique and (changed is None or not state.columns.isdisjoint(changed)):
            key = state.key(values.__getitem__)
            for other, _ in () if key is None else reader.rows_of_key(table, index, key):
                if other != row:
                    assert key is not None
                    yield unique_error(table, index, key)
                    break


def batch_violations(reader: Reader, table: TableDef, batch: Batch) -> Iterator[UniqueError]:
    """Yield an error for each unique key that a batch repeats, or that is there already.

    Keys of one column of whole numbers are compared as arrays; only those whose hash is known are looked up.
    """
    store = reader.stores[table.id]
    writes = reader.writes.get(table.id)
    if writes is not None and (batch.moved or batch.columns.keys() != store.columns.keys()):
        for offset in range(batch.count):  # some of its rows are gone or changed, or it lacks a new column
            row = -1 - batch.first - offset
            values = None if offset in batch.moved else writes.values(row)
            if values is not None:
                yield from unique_violations(reader, table, row, values)
        return
    others = writes is not None and (len(writes.batches) > 1 or any(not w.dead for w in writes.rows.values()))
    for index in table.indexes:
        if not index.unique:
            continue
        state = store.indexes[index.id]
        column = None if state.plain_column is None else batch.columns[state.plain_column]
        keys: list[Key] | None = None
        if isinstance(column, np.ndarray) and column.dtype.kind == "i":
            hashes = hash_integers(column)
            if not others and _all_differ(column):
                structure = state.structure
                if isinstance(structure, HashIndex):
                    suspects = np.flatnonzero(structure.any_known(hashes)).tolist()
                    keys = [(int(column[i]),) for i in suspects]
                    yield from _known(reader, table, index, keys, set())
                    continue
        if column is not None:
            keys = [(key_form(v),) for v in (column.tolist() if isinstance(column, np.ndarray) else column)]
        else:
            held = (state.key(batch.values(i).__getitem__) for i in range(batch.count))
            keys = [key for key in held if key is not None]
        seen: set[Key] = set()
        for key in keys:
            if None not in key and key in seen:
                yield unique_error(table, index, key)
            seen.add(key)
        if not others and isinstance(state.structure, HashIndex):
            whole = [key for key in keys if None not in key]
            known = state.structure.any_known(np.fromiter(map(hash_key, whole), np.uint64, len(whole)))
            keys = [whole[i] for i in np.flatnonzero(known).tolist()]
        numbers = {-1 - batch.first - i for i in range(batch.count)}
        yield from _known(reader, table, index, keys, numbers)


def _all_differ(values: NDArray[Any]) -> bool:
    if (values[1:] > values[:-1]).all():  # the usual case, and quick to see
        return True
    ordered = np.sort(values)
    return bool((ordered[1:] != ordered[:-1]).all())


def _known(
    reader: Reader, table: TableDef, index: IndexDef, keys: list[Key], own: set[int]
) -> Iterator[UniqueError]:
    for key in keys:
        if any(row not in own for row, _ in reader.rows_of_key(table, index, key)):
            yield unique_error(table, index, key)


def parent_violations(
    reader: Reader, table: TableDef, values: Values, *, deferred: bool | None = None
) -> Iterator[ForeignKeyError]:
    """Yield an error for each foreign key of a row that refers to nothing (only deferred ones, or only others)."""
    for foreign in table.foreign_keys:
        if deferred is None or foreign.deferred == deferred:
            yield from _without_parent(reader, table, foreign, key_of(table, foreign.columns, values))


def parents_of_columns(
    reader: Reader, table: TableDef, columns: Mapping[int, Any], changed: Collection[str] | None = None
) -> Iterator[ForeignKeyError]:
    """Yield an error for each value, in rows given by columns, of a foreign key that refers to nothing.

    Only of those keys that have a changed column, if these are given.
    """
    by_name = table.by_name
    for foreign in table.foreign_keys:
        if not foreign.deferred and (changed is None or not set(changed).isdisjoint(foreign.columns)):
            parts = [map(key_form, as_list(columns[by_name[name].id])) for name in foreign.columns]
            for key in dict.fromkeys(zip(*parts, strict=True)):
                yield from _without_parent(reader, table, foreign, key)


def _without_parent(
    reader: Reader, table: TableDef, foreign: ForeignKeyDef, key: Key
) -> Iterator[ForeignKeyError]:
    """Yield an error if a key refers to nothing."""
    if None in key:
        return
    parent = reader.catalog.by_id.get(foreign.table)
    if not isinstance(parent, TableDef) or not any(reader.rows_with(parent, foreign.ref_columns, key)):
        name = parent.title if isinstance(parent, TableDef) else "?"
        yield ForeignKeyError(
            f"table {table.title!r}, foreign key {foreign.name!r}: "
            f"table {name!r} has no row with {show_key(key)}",
            table=table.title,
            constraint=foreign.name,
            value=key,
        )


def children(
    reader: Reader, parent: TableDef, values: Values
) -> Iterator[tuple[TableDef, ForeignKeyDef, list[tuple[int, Values]]]]:
    """Yield the rows that refer to a row of a table, by foreign key."""
    for table, foreign in reader.catalog.referencing(parent.id):
        key = key_of(parent, foreign.ref_columns, values)
        if None not in key:
            found = list(reader.rows_with(table, foreign.columns, key))
            if found:
                yield table, foreign, found


def child_violations(
    reader: Reader, parent: TableDef, before: Values, *, deferred: bool | None = None
) -> Iterator[ForeignKeyError]:
    """Yield an error for each foreign key by which some row still refers to what a row was before (only deferred ones, or only others)."""
    for table, foreign, _ in children(reader, parent, before):
        if deferred is not None and foreign.deferred != deferred:
            continue
        key = key_of(parent, foreign.ref_columns, before)
        if not any(reader.rows_with(parent, foreign.ref_columns, key)):
            yield still_referred(parent, table, foreign, key)


def still_referred(
    parent: TableDef, table: TableDef, foreign: ForeignKeyDef, key: Key, *, restricted: bool = False
) -> ForeignKeyError:
    """Return the error for removing a row that is referred to."""
    found = ForeignKeyError(
        f"table {parent.title!r}: the row with {show_key(key)} is referred to by "
        f"table {table.title!r} (foreign key {foreign.name!r})",
        table=table.title,
        constraint=foreign.name,
        value=key,
    )
    found.referenced, found.restricted = True, restricted
    return found


def commit_violations(reader: Reader, *, others_committed: bool) -> Iterator[ConstraintError]:
    """Yield what the write sets break together with the head of the branch, which ``reader`` reads.

    Parameters
    ----------
    reader : Reader
        The head, with the write sets laid over it.
    others_committed : bool
        Whether there were commits since the transaction's snapshot; without, only deferred foreign keys are open.
    """
    for table_id, writes in reader.writes.items():
        table = reader.catalog.by_id.get(table_id)
        if not isinstance(table, TableDef):
            continue
        if others_committed:
            for batch in writes.batches:
                yield from batch_violations(reader, table, batch)
        deferred = None if others_committed else True
        has_parents = any(deferred is None or key.deferred for key in table.foreign_keys)
        if others_committed or has_parents:
            singles = writes.living() if has_parents else _single_rows(reader, table)
            for row, values in singles:
                if others_committed and row in writes.rows:
                    yield from unique_violations(reader, table, row, values)
                yield from parent_violations(reader, table, values, deferred=deferred)
        referencing = reader.catalog.referencing(table_id)
        if any(others_committed or key.deferred for _, key in referencing):
            for write in writes.rows.values():
                if write.base != NO_SLOT:
                    yield from child_violations(reader, table, writes.store.values(write.base))


def _single_rows(reader: Reader, table: TableDef) -> Iterator[tuple[int, Values]]:
    writes = reader.writes[table.id]
    for row in list(writes.rows):
        values = writes.values(row)
        if values is not None:
            yield row, values


def unique_error(table: TableDef, index: IndexDef, key: Key) -> UniqueError:
    """Return the error for a key that is there already."""
    is_primary = bool(table.primary_key) and index == table.indexes[0]
    what = "primary key" if is_primary else f"key of unique index {index.name!r}"
    kind = PrimaryKeyError if is_primary else UniqueError
    message = f"table {table.title!r} already has a row with {what} {show_key(key)}"
    return kind(message, table=table.title, constraint=index.name, value=key)


def check_reference(catalog: CatalogView, table: TableDef, foreign: ForeignKeyDef) -> str | None:
    """Return what is wrong with a foreign key's definition, or None."""
    parent = table if foreign.table == table.id else catalog.by_id.get(foreign.table)
    if not isinstance(parent, TableDef):
        return "its table does not exist"
    if parent.temporary and not table.temporary:
        return f"table {parent.title!r} is temporary"
    if len(foreign.columns) != len(foreign.ref_columns):
        return "it has as many columns as it refers to"
    for column, other in zip(foreign.columns, foreign.ref_columns, strict=True):
        if not are_alike(table.column(column).type, parent.column(other).type):
            return f"columns {column!r} and {other!r} differ in type"
    if index_on(parent, foreign.ref_columns, unique=True) is None:
        return f"table {parent.title!r} has no unique key on {', '.join(foreign.ref_columns)}"
    return None


def are_alike(one: ColumnType, other: ColumnType) -> bool:
    """Return whether values of two types are compared as they are: whole numbers of any width, texts of any length."""
    if one == other:
        return True
    numbers = (INT16, INT32, INT64)
    return (one in numbers and other in numbers) or (_is_free_text(one) and _is_free_text(other))


def _is_free_text(column_type: ColumnType) -> bool:
    is_limited = isinstance(column_type, LimitedTextType) and column_type != TSQUERY and not column_type.fills
    return column_type == TEXT or is_limited


def reference_faults(
    catalog: CatalogView, changed: Collection[int]
) -> Iterator[tuple[TableDef, ForeignKeyDef, str]]:
    """Yield the foreign keys of and to changed tables that do not fit together (any more), with what is wrong."""
    for table in catalog.tables():
        for foreign in table.foreign_keys:
            if table.id in changed or foreign.table in changed:
                try:
                    fault = check_reference(catalog, table, foreign)
                except CatalogError as error:
                    fault = str(error)
                if fault is not None:
                    yield table, foreign, f"foreign key {foreign.name!r} of table {table.title!r}: {fault}"


def _show_row(row: dict[str, Any]) -> str:
    shown = ", ".join(f"{name}={value!r}" for name, value in row.items())
    return shown if len(shown) <= 160 else shown[:157] + "..."
