"""Statistics: how many rows a table has, and how its columns' values spread; what estimates are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import field
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ...engine import TableDef
from ...engine.reader import Reader
from ...engine.table import TableStore
from ..bind.columns import type_of_column
from ..execute.ordering import key_of
from ..nodes import node
from ..types import SqlType


@node(frozen=True, slots=True)
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


@node(frozen=True, slots=True)
class TableStatistics:
    """What is known of a table; columns by their number in it."""

    rows: float
    columns: dict[int, ColumnStatistics] = field(default_factory=dict)


_analysed: WeakKeyDictionary[TableStore, tuple[int, float, dict[int, ColumnStatistics]]] = WeakKeyDictionary()
"""What ``analyze`` found, by the table's store: its versions then, its rows then, and columns by their id."""
SAMPLE = 30_000
PARTS = 50


def table_statistics(reader: Reader | None, table: TableDef) -> TableStatistics:
    """Return what is known of a table: how many versions of rows it holds, if nobody analysed it."""
    if reader is None:
        return TableStatistics(0.0)
    store = reader.stores.get(table.id)
    own = reader.writes.get(table.id)
    versions = 0 if store is None else len(store)
    more = len(own.rows) if own else 0
    known = None if store is None else _analysed.get(store)
    if known is None:
        return TableStatistics(float(versions + more))
    rows = max(known[1] + versions - known[0] + more, 0.0)
    places = {column.id: place for place, column in enumerate(table.columns)}
    columns = {places[i]: c for i, c in known[2].items() if i in places}
    return TableStatistics(rows, columns)


def analyse(reader: Reader, table: TableDef) -> TableStatistics:
    """Look at the rows of a table that a reader sees, or a part of them, and remember how their values spread."""
    store = reader.stores[table.id]
    slots = reader.committed_slots(table)
    count = len(slots)
    if count > SAMPLE:
        slots = slots[np.linspace(0, count - 1, SAMPLE).astype(np.intp)]
    columns = {}
    for column in table.columns:
        sql_type = type_of_column(column.type)
        values = store.columns[column.id].take(slots)
        columns[column.id] = _spread(sql_type, values, count)
    _analysed[store] = len(store), float(count), columns
    return table_statistics(reader, table)


def _spread(sql_type: SqlType, values: Sequence[Any], count: int) -> ColumnStatistics:
    """Return how a sample of a column's values spreads; ``count`` is how many there are in all."""
    known = [v for v in values if v is not None]
    null_fraction = 1 - len(known) / len(values) if len(values) else 0.0
    if not known:
        return ColumnStatistics(0.0, null_fraction)
    if sql_type.name == "vector":  # all are different, and none is less than another
        return ColumnStatistics(max(count * (1 - null_fraction), 1.0), null_fraction)
    key = key_of(sql_type)
    counts = Counter(known if key is None else map(key, known))
    distinct = _distinct(counts, len(known), count * (1 - null_fraction))
    if sql_type.name in _WITHOUT_ORDER:
        return ColumnStatistics(distinct, null_fraction)
    ordered = sorted(known) if key is None else sorted(known, key=key)
    at = np.linspace(0, len(ordered) - 1, min(PARTS + 1, len(ordered))).astype(np.intp)
    return ColumnStatistics(
        distinct, null_fraction, ordered[0], ordered[-1], [ordered[i] for i in at.tolist()]
    )


_WITHOUT_ORDER = frozenset(["jsonb", "tsvector", "tsquery", "vector"])


def _distinct(counts: Counter[Any], sampled: int, rows: float) -> float:
    """Return how many different values there are, by the estimator of Haas and Stokes (1998), as PostgreSQL does."""
    once = sum(1 for n in counts.values() if n == 1)
    if sampled >= rows or not once:
        return float(len(counts))
    if once == sampled:
        return rows
    return min(rows, sampled * len(counts) / (sampled - once + once * sampled / rows))
