"""Generated columns: values that are computed from the others of a row, whenever these change, and kept.

    full_name  generated from  first, last        insert, or a change of first or last ──▶ full_name

A generated column reads columns that are given, never another generated one. Nobody sets it: what a merge joins are the columns that
it reads, and it follows.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from .constraints import evaluator
from .definitions import ColumnDef, TableDef
from .expr import Expr, columns_of, evaluate_many, reads_anything
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
    for column in table.generated:
        assert column.generated is not None
        reads = columns_read(table, column.generated)
        if changed is None or not reads.keys().isdisjoint(changed):
            row = {name: values[number] for number, name in reads.items()}
            found[column.id] = stored_value(column.type, column.generated, evaluator(column.generated)(row))
    return found


def generated_columns(table: TableDef, columns: Mapping[int, Any], count: int) -> dict[int, list[Any]]:
    """Return the generated columns of many rows, given by columns."""
    found: dict[int, list[Any]] = {}
    for column in table.generated:
        tree = column.generated
        assert tree is not None
        given = {name: columns[number] for number, name in columns_read(table, tree).items()}
        made = evaluate_many(evaluator(tree), given, count)
        found[column.id] = [stored_value(column.type, tree, value) for value in made]
    return found


def columns_read(table: TableDef, tree: Expr) -> dict[int, str]:
    """Return the columns that an expression may read: names by id, generated ones aside."""
    if reads_anything(tree):
        return {c.id: c.name for c in table.columns if c.generated is None}
    return {table.column(name).id: name for name in columns_of(tree)}


def stored_value(column_type: ColumnType, tree: Expr | None, value: Any) -> Any:
    """Return what an expression gave in stored form: SQL text gives it so, a tree gives what a caller would."""
    return value if value is None or isinstance(tree, dict) else column_type.check(value)


def is_set_by_all(column: ColumnDef) -> bool:
    """Return whether everybody may say what a column holds."""
    return column.generated is None and column.identity != "always"
