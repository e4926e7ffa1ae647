"""What all changes have: a table, the plan of the rows that they are about, and ``returning``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext

import numpy as np
from numpy.typing import NDArray

from ...engine import TableDef
from ..bind.columns import type_of_column
from ..bound import Assign, Bound, ColumnVar, Cte
from ..bound.walking import everything
from ..execute.column import Batch, Column, nulls_of
from ..execute.context import Context
from ..execute.expressions import Evaluator, Expressions, Layout
from ..plan.conditions import has_subquery
from ..plan.node import Node
from ..plan.planner import Planner
from .defaults import Default, default_of
from .storing import Given, from_store, to_store

Table = Callable[[int], Column]
"""Gives the column of a table by its place, as it is after the change."""


class Change:
    """A change of the rows of a table.

    Attributes
    ----------
    title : str
        What ``explain`` calls it.
    table : TableDef
        The table.
    types : list of SqlType
        Of its columns.
    node : Node or None
        The plan of the rows; None for an insert of one row of defaults.
    planner : Planner
        Of the statement.
    returning : Returning or None
        What it gives of the rows that it changed.
    """

    title = "Change"

    def __init__(self, table: TableDef, planner: Planner, ctes: Sequence[Cte] = ()) -> None:
        self.table = table
        self.planner = planner
        self.types = [type_of_column(c.type) for c in table.columns]
        self.node: Node | None = None
        self.returning: Returning | None = None
        trees = [c.expr for c in table.checks] + [key for index in table.indexes for key in index.keys]
        self._has_text = any(isinstance(tree, dict) for tree in trees)
        self._defaults: dict[int, Default] = {}
        for cte in ctes:
            planner.define(cte)

    def apply(self, context: Context) -> tuple[int, Batch | None]:
        """Do it; return how many rows it changed, and what ``returning`` gives."""
        raise NotImplementedError

    @property
    def freezes(self) -> bool:
        """Whether something of the statement reads tables after it was begun to change them."""
        return bool(self.planner.changes) or (self.returning is not None and self.returning.reads)

    def writing(self, context: Context) -> AbstractContextManager[None]:
        """Let the table's own expressions see what the statement sees, while rows are written."""
        if not self._has_text:
            return nullcontext()
        from ..stored import using

        return using(context)

    def default(self, place: int) -> Default:
        """Return what computes the default of a column."""
        found = self._defaults.get(place)
        if found is None:
            found = self._defaults[place] = default_of(self.table.columns[place])
        return found

    def nothing(self, count: int) -> Table:
        """Return the table's columns where there is no row: nulls."""
        return lambda place: nulls_of(self.types[place], count)

    def stored(self, columns: Sequence[Given] | Mapping[int, Given]) -> Table:
        """Return the table's columns that are given in stored form."""
        return lambda place: from_store(self.types[place], columns[place])

    def number(self, place: int) -> int:
        """Return the engine's number of a column."""
        return self.table.columns[place].id

    def variable(self, relation: int, place: int) -> ColumnVar:
        """Return a column of the table as expressions name it."""
        return ColumnVar(self.types[place], relation, place, self.table.columns[place].name)


class Assigned:
    """``set``: what columns of a table become, computed over a layout."""

    def __init__(self, change: Change, assignments: Sequence[Assign], layout: Layout) -> None:
        self._change = change
        expressions = Expressions(layout, change.planner)
        self._values: list[tuple[int, Evaluator | None]] = [
            (a.column, None if a.value is None else expressions.compile(a.value))
            for a in assignments
            if change.table.columns[a.column].generated is None  # it follows the others, whatever is said
        ]
        self.names = frozenset(change.table.columns[a.column].name for a in assignments)

    def compute(self, context: Context, batch: Batch) -> dict[int, Given]:
        """Return the new values by the place of the column."""
        change = self._change
        found: dict[int, Given] = {}
        for place, value in self._values:
            if value is None:
                found[place] = change.default(place)(context, batch.count)
            else:
                found[place] = to_store(value(context, batch), batch.count, change.table.columns[place].type)
        return found


class Returning:
    """``returning``: expressions over the rows as they were left, as they were before, and what they were joined with.

    Parameters
    ----------
    targets : sequence of Bound
        Its expressions.
    change : Change
        Whose.
    relations : sequence of int
        The numbers by which the statement knows the table: as it was left, and others for its rows before and after the change.
    layout : mapping
        Of the batch beside the table's columns.
    width : int
        How many columns that batch has.
    """

    def __init__(
        self,
        targets: Sequence[Bound],
        change: Change,
        relations: Sequence[int],
        layout: Mapping[Bound, int],
        width: int,
    ) -> None:
        whole = dict(layout)
        self._columns: list[tuple[int, int]] = []
        for variable in everything(tuple(targets)):
            if isinstance(variable, ColumnVar) and variable.relation in relations:
                place = (variable.relation, variable.column)
                if place not in self._columns:
                    whole[variable] = width + len(self._columns)
                    self._columns.append(place)
        self._targets = Expressions(whole, change.planner).compile_all(targets)
        self.reads = any(has_subquery(target) for target in targets)

    def rows(self, context: Context, tables: Mapping[int, Table], beside: Batch | None, count: int) -> Batch:
        """Return the output; ``tables`` are the table's columns by the number of the relation."""
        own = [tables[relation](place) for relation, place in self._columns]
        batch = Batch([*(beside.columns if beside is not None else []), *own], count)
        return Batch([target(context, batch) for target in self._targets], count)


def row_ids(column: Column, count: int) -> NDArray[np.int64]:
    """Return the ids of rows that a plan gives."""
    found: NDArray[np.int64] = column.expanded(count).values
    return found


def first_of_each(rows: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Return the places of the first occurrence of each row, in order; None if none comes twice."""
    _, first = np.unique(rows, return_index=True)
    return None if len(first) == len(rows) else np.sort(first)
