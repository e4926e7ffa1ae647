"""Insert: rows of a query, or of expressions, into a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...engine import TableDef
from ..bound import BoundInsert
from ..execute.column import Batch, Column
from ..execute.context import Context
from ..plan.planner import Planner
from .base import Change, Returning
from .defaults import default_of
from .storing import Given, from_store, to_store


class Insert(Change):
    """One insert."""

    def __init__(self, bound: BoundInsert, planner: Planner) -> None:
        self.bound = bound
        table = bound.table
        self.source = None
        if bound.source is not None:
            self.source = planner.query(replace(bound.source, ctes=(*bound.ctes, *bound.source.ctes)))
        returning = Returning(bound.returning, bound.relation, table, planner) if bound.returning else None
        super().__init__(table, returning)
        self.given = [(i, c) for i, c in enumerate(bound.columns) if not self._is_generated(c)]
        self.defaults = [default_of(c) for c in table.columns]
        self.holes = _holes(bound)

    def _is_generated(self, column: int) -> bool:
        """Return whether what is given for a column is not to be taken."""
        return self.bound.overriding == "user" and self.table_of.columns[column].identity is not None

    @property
    def table_of(self) -> TableDef:
        """The table."""
        return self.bound.table

    def apply(self, context: Context) -> tuple[int, Batch | None]:
        """Do it."""
        batch = Batch([], 1) if self.source is None else self.source.whole(context)
        count = batch.count
        if not count:
            return 0, self._returned(context, [], 0)
        values = self._values(context, batch)
        context.transaction.insert_stored(
            self.table, count, {c.id: v for c, v in zip(self.table.columns, values, strict=True)}
        )
        return count, self._returned(context, values, count)

    def _values(self, context: Context, batch: Batch) -> list[Given]:
        """Return the values of all columns of the table for the rows of the source."""
        columns = self.table.columns
        found: list[Given | None] = [None] * len(columns)
        for i, place in self.given:
            found[place] = self._filled(context, batch.columns[i], i, place, batch.count)
        return [
            self.defaults[place](context, batch.count) if values is None else values
            for place, values in enumerate(found)
        ]

    def _filled(self, context: Context, column: Column, at: int, place: int, count: int) -> Given:
        """Return the values that are given for a column, with its default where that was asked for."""
        kind = self.table.columns[place].type
        holes = self.holes.get(at)
        if holes is None:
            return to_store(column, count, kind)
        defaults = self.defaults[place](context, len(holes))
        if len(holes) == count:
            return defaults
        values: list[Any] = column.expanded(count).tolist()
        for row, value in zip(
            holes, defaults.tolist() if isinstance(defaults, np.ndarray) else defaults, strict=True
        ):
            values[row] = value
        return to_store(Column.of(self.types[place], values), count, kind)

    def _returned(self, context: Context, values: Sequence[Given], count: int) -> Batch | None:
        if self.returning is None:
            return None
        columns = [
            from_store(t, v) for t, v in zip(self.types, values or [[]] * len(self.types), strict=True)
        ]
        return self.returning.rows(context, columns, count)


def _holes(bound: BoundInsert) -> dict[int, list[int]]:
    """Return the rows in which ``default`` stood, by the place of the column in the source."""
    found: dict[int, list[int]] = {}
    for row, column in sorted(bound.defaults):
        found.setdefault(column, []).append(row)
    return found
