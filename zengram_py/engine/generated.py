"""Generated columns: values that are computed from the others of a row, whenever these change, and kept.

    full_name  generated from  first, last        insert, or a change of first or last ──▶ full_name

A generated column reads columns that are given, never another generated one. Nobody sets it: what a merge joins are the columns that
it reads, and it follows.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from .definitions import ColumnDef, TableDef
from .expr import Expr, evaluate_many, names_read
from .types import ColumnType

Values = dict[int, Any]


def generated_values(
    table: TableDef, values: Mapping[int, Any], changed: Collection[int] | None = None
) -> Values:
    """Return the values of a row's generated columns.

    Parameters
    ----------
    table : TableDef
        The table.
    values : mapping
        The row's stored values by column id.
    changed : collection of int, optional
        Ids of the columns that have new values; generated ones that read none of these are left out.
    """
    found: Values = {}
    for column, compute in table.generated:
        reads = columns_read(table, column)
        if changed is None or not reads.keys().isdisjoint(changed):
            row = {name: values[number] for number, name in reads.items()}
            found[column.id] = stored_value(column.type, column.generated, compute(row))
    return found


def generated_columns(table: TableDef, columns: Mapping[int, Any], count: int) -> dict[int, list[Any]]:
    """Return the generated columns of many rows, given by columns."""
    found: dict[int, list[Any]] = {}
    for column, compute in table.generated:
        given = {name: columns[number] for number, name in columns_read(table, column).items()}
        made = evaluate_many(compute, given, count)
        found[column.id] = [stored_value(column.type, column.generated, value) for value in made]
    return found


def columns_read(table: TableDef, column: ColumnDef) -> dict[int, str]:
    """Return the columns that a generated one may read: names by id."""
    assert column.generated is not None
    given = {c.name: c.id for c in table.columns if c.generated is None}
    return {given[name]: name for name in names_read(column.generated, given)}


def stored_value(column_type: ColumnType, tree: Expr | None, value: Any) -> Any:
    """Return what an expression gave in stored form: SQL text gives it so, a tree gives what a caller would."""
    return value if value is None or isinstance(tree, dict) else column_type.check(value)


def is_set_by_all(column: ColumnDef) -> bool:
    """Return whether everybody may say what a column holds."""
    return column.generated is None and column.identity != "always"
