"""Statistics: how many rows a table has, and how its columns' values spread; what estimates are made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...engine import TableDef
from ...engine.reader import Reader


@dataclass(frozen=True)
class ColumnStatistics:
    """How the values of one column spread.

    Attributes
    ----------
    distinct : float
        How many different ones there are.
    null_fraction : float
        The share of nulls.
    low, high : object
        The least and the greatest in stored form, None if that is not known.
    bounds : list
        Values that cut the sorted column into parts of one size, from the least to the greatest.
    """

    distinct: float
    null_fraction: float = 0.0
    low: Any = None
    high: Any = None
    bounds: list[Any] = field(default_factory=list)


@dataclass(frozen=True)
class TableStatistics:
    """What is known of a table; columns by their number in it."""

    rows: float
    columns: dict[int, ColumnStatistics] = field(default_factory=dict)


def table_statistics(reader: Reader | None, table: TableDef) -> TableStatistics:
    """Return what is known of a table: how many versions of rows it holds, if nobody analysed it."""
    if reader is None:
        return TableStatistics(0.0)
    store = reader.stores.get(table.id)
    own = reader.writes.get(table.id)
    rows = 0 if store is None else len(store)
    return TableStatistics(float(rows + (len(own.rows) if own else 0)))
