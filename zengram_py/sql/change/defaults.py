"""Defaults: what a column holds when nothing is said of it.

Each row has one of its own: a number of a sequence, a random value. What is constant is computed once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...engine import ColumnDef, SequenceDef
from ..bind.columns import type_of_column
from ..errors import error
from ..execute.context import Context
from .storing import Given

Default = Callable[[Context, int], Given]
"""A function of how many rows there are."""


def default_of(column: ColumnDef) -> Default:
    """Return what computes a column's default for so many rows."""
    tree = column.default
    if tree is None:
        return _constant(column, None)
    if isinstance(tree, dict):
        return _in_sql(column, tree["sql"])
    if tree[0] == "lit":
        return _constant(column, None if tree[1] is None else column.type.check(tree[1]))
    if tree[0] == "nextval":
        return _numbers(column, tree[1])
    return lambda context, count: context.transaction.default_values(column, count)


def _constant(column: ColumnDef, value: Any) -> Default:
    if value is None or column.type.storage != "fixed":
        return lambda context, count: [value] * count
    return lambda context, count: np.full(count, value, column.type.dtype)


def _numbers(column: ColumnDef, sequence: int) -> Default:
    def draw(context: Context, count: int) -> Given:
        found = context.transaction.reader.catalog.by_id.get(sequence)
        if not isinstance(found, SequenceDef):
            raise error("42P01", f'the sequence of column "{column.name}" does not exist')
        numbers = np.array(context.session.drawn.draw(context.transaction, found, count), np.int64)
        least, most = column.type.bounds  # type: ignore[attr-defined]
        if count and not (least <= int(numbers.min()) and int(numbers.max()) <= most):
            raise error("22003", f"{type_of_column(column.type).title} out of range")
        return numbers.astype(column.type.dtype)

    return draw


def _in_sql(column: ColumnDef, text: str) -> Default:
    from ..stored import default_expression, using

    def compute(context: Context, count: int) -> Given:
        with using(context):
            return default_expression(text, column.type, context).for_rows(context, count)

    return compute
