"""Failures: the engine's errors as a statement ends with them, in PostgreSQL's words.

The engine says what broke: a table, a constraint, a key. PostgreSQL's clients look at the SQLSTATE and, when they show a message, expect
the name of the constraint in it. Where values tell more, they are in the detail.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import zip_longest
from typing import Any

from ..engine import ColumnType, TableDef
from ..engine.catalog import CatalogView
from ..errors import (
    BranchError,
    CheckError,
    ClosedError,
    ConflictError,
    ConstraintError,
    EngineError,
    ForeignKeyError,
    NotNullError,
    SqlError,
    TransactionError,
    UniqueError,
    ZengramError,
)
from .bind.columns import type_of_column
from .errors import error, sqlstate_of

_KEPT = (ClosedError,)


def translated(failure: ZengramError, catalog: CatalogView) -> ZengramError:
    """Return an error as a statement ends with it; what is no fault of the statement stays as it is."""
    if isinstance(failure, (SqlError, *_KEPT)) or not isinstance(failure, EngineError):
        return failure
    if isinstance(failure, ConstraintError):
        table = _table(catalog, failure.table)
        if table is not None:
            return _of_constraint(failure, table, catalog)
    if isinstance(failure, ConflictError):
        return error("40001", "could not serialize access due to concurrent update", detail=str(failure))
    if isinstance(failure, TransactionError) and "read-only" in str(failure):
        return error("25006", "cannot execute a change in a read-only transaction")
    if isinstance(failure, BranchError):
        return error("42704", str(failure))
    return error(sqlstate_of(failure), str(failure))


def _table(catalog: CatalogView, title: str) -> TableDef | None:
    return next((table for table in catalog.tables() if table.title == title), None)


def _of_constraint(failure: ConstraintError, table: TableDef, catalog: CatalogView) -> SqlError:
    name = table.name[2]
    if isinstance(failure, UniqueError):
        index = next((i for i in table.indexes if i.name == failure.constraint), None)
        if index is None:  # it was to be made
            detail = f"The key ({_key_text(failure.value, table, ())}) is duplicated."
            return error("23505", f'could not create unique index "{failure.constraint}"', detail=detail)
        columns = ", ".join(_key_name(tree) for tree in index.keys)
        detail = f"Key ({columns})=({_key_text(failure.value, table, index.keys)}) already exists."
        message = f'duplicate key value violates unique constraint "{failure.constraint}"'
        return error("23505", message, detail=detail)
    if isinstance(failure, NotNullError):
        message = (
            f'null value in column "{failure.constraint}" of relation "{name}" violates not-null constraint'
        )
        return error("23502", message)
    if isinstance(failure, CheckError):
        message = f'new row for relation "{name}" violates check constraint "{failure.constraint}"'
        row: dict[str, Any] = failure.value if isinstance(failure.value, dict) else {}
        shown = ", ".join(_text(row.get(c.name), c.type) for c in table.columns)
        return error("23514", message, detail=f"Failing row contains ({shown}).")
    if isinstance(failure, ForeignKeyError):
        return _of_reference(failure, table, catalog)
    return error(sqlstate_of(failure), str(failure))


def _of_reference(failure: ForeignKeyError, table: TableDef, catalog: CatalogView) -> SqlError:
    key = next((k for k in table.foreign_keys if k.name == failure.constraint), None)
    parent = None if key is None else catalog.by_id.get(key.table)
    if key is None or not isinstance(parent, TableDef):
        return error("23503", str(failure))
    values = ", ".join(
        _text(value, table.column(name).type)
        for name, value in zip(key.columns, _sequence(failure.value), strict=True)
    )
    if failure.referenced:
        rule = (
            "RESTRICT setting of foreign key constraint" if failure.restricted else "foreign key constraint"
        )
        message = (
            f'update or delete on table "{parent.name[2]}" violates {rule} '
            f'"{key.name}" on table "{table.name[2]}"'
        )
        columns, still = ", ".join(key.ref_columns), "" if failure.restricted else "still "
        detail = f'Key ({columns})=({values}) is {still}referenced from table "{table.name[2]}".'
        return error("23001" if failure.restricted else "23503", message, detail=detail)
    message = f'insert or update on table "{table.name[2]}" violates foreign key constraint "{key.name}"'
    columns = ", ".join(key.columns)
    detail = f'Key ({columns})=({values}) is not present in table "{parent.name[2]}".'
    return error("23503", message, detail=detail)


def _key_name(tree: Any) -> str:
    return str(tree[1]) if isinstance(tree, list) and tree[0] == "col" else str(tree.get("sql", ""))


def _key_text(key: Any, table: TableDef, trees: Sequence[Any]) -> str:
    parts = []
    for value, tree in zip_longest(_sequence(key), trees):
        is_column = isinstance(tree, list) and tree[0] == "col"
        parts.append(_text(value, table.column(tree[1]).type if is_column else None))
    return ", ".join(parts)


def _sequence(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def _text(value: Any, kind: ColumnType | None = None) -> str:
    """Return a stored value as a message shows it; of keys, some types have another form."""
    if value is None:
        return "null"
    number = kind is not None and kind.storage == "fixed" and isinstance(value, (int, float))
    if kind is not None and (number or isinstance(value, (str, Decimal, bytes))):
        from .functions.output import text_of

        return text_of(type_of_column(kind))(value)
    return str(value)
