"""Columns of a batch as the engine stores them, and back.

A column of fixed width without nulls is the array itself; vectors are one matrix; everything else is a list in which None is null.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine import ColumnType
from ..errors import error
from ..execute.column import Column, objects
from ..types import SqlType

Given = list[Any] | NDArray[Any]


def to_store(column: Column, count: int, kind: ColumnType) -> Given:
    """Return a column's values as the engine takes them.

    Raises
    ------
    SqlError
        22000 for a vector of another length than the column's.
    """
    if kind.storage == "matrix":
        return _vectors(column.expanded(count), kind)
    if kind.storage == "fixed" and column.nulls is None:
        values = column.expanded(count).values
        wanted = np.dtype(kind.dtype)
        return values if values.dtype == wanted else values.astype(wanted)
    return column.expanded(count).tolist()


def _vectors(column: Column, kind: ColumnType) -> Given:
    dimensions: int = kind.dimensions  # type: ignore[attr-defined]
    if column.nulls is None and len(column):
        matrix = column.matrix()
        if matrix is not None and matrix.shape[1] == dimensions:
            matrix.setflags(write=False)
            return matrix
    found = column.tolist()
    for value in found:
        if value is not None and len(value) != dimensions:
            raise error("22000", f"expected {dimensions} dimensions, not {len(value)}")
    return [None if v is None else np.asarray(v, np.float32) for v in found]


def from_store(sql_type: SqlType, values: Given) -> Column:
    """Return stored values as a column."""
    if isinstance(values, np.ndarray):
        return Column(sql_type, objects(list(values)) if values.ndim == 2 else values)
    return Column.of(sql_type, values)


def as_list(values: Given) -> list[Any]:
    """Return stored values one by one, None for null."""
    if isinstance(values, np.ndarray):
        return list(values) if values.ndim == 2 else values.tolist()
    return values


def taken(values: Given, places: NDArray[np.int64]) -> Given:
    """Return the values at some places."""
    if isinstance(values, np.ndarray):
        return values[places]
    return [values[i] for i in places.tolist()]


def as_rows(columns: Sequence[Given], count: int) -> list[list[Any]]:
    """Return columns as rows."""
    return [list(row) for row in zip(*map(as_list, columns), strict=True)] if columns else [[]] * count


def as_columns(rows: Sequence[Sequence[Any]], width: int) -> list[Given]:
    """Return rows as columns."""
    return [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in range(width)]
