"""Update and delete: rows of a table that a plan finds, by their hidden ids.

The plan joins the table with whatever stands beside it. A row that is found several times is changed once, by the first of its finds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bound import BoundDelete, BoundUpdate, TableSource
from ..execute.column import Batch, Column
from ..execute.context import Context
from ..plan.joining import Joiner
from ..plan.planner import Planner
from ..plan.scan import row_id
from .base import Assigned, Change, Returning, Table, first_of_each, row_ids
from .firing import Firing, firing
from .storing import Given, as_columns, as_rows, from_store


class _Found(Change):
    """A change of rows that are in the table."""

    def __init__(self, bound: BoundUpdate | BoundDelete, planner: Planner) -> None:
        super().__init__(bound.table, planner, bound.ctes)
        states = bound.states
        planner.also_read(bound.relation, (states.old, states.new))
        source = TableSource(bound.relation, bound.table)
        self.bound: Any = bound
        self.relation = bound.relation
        self.node, _ = Joiner(planner, bound.relation).plan((source, *bound.sources), bound.where)
        self.layout = self.node.layout
        self.row_place = self.layout[row_id(bound.relation)]
        self.is_joined = bool(bound.sources)
        if bound.returning:
            relations = (bound.relation, states.old, states.new)
            self.returning = Returning(bound.returning, self, relations, self.layout, len(self.node.types))

    def found(self, context: Context) -> tuple[Batch, NDArray[np.int64]]:
        """Return what the plan finds, each row of the table once, and the rows' ids."""
        assert self.node is not None
        batch = self.node.whole(context)
        rows = row_ids(batch.columns[self.row_place], batch.count)
        if self.is_joined:
            places = first_of_each(rows)
            if places is not None:
                batch, rows = batch.take(places), rows[places]
        return batch, rows

    def old_rows(self, context: Context, rows: NDArray[np.int64]) -> list[list[object]]:
        """Return rows as they are."""
        numbers = [c.id for c in self.table.columns]
        return [[v[n] for n in numbers] for v in context.transaction.values_of_rows(self.table, rows)]

    def as_read(self, batch: Batch) -> Table:
        """Return the table's columns as the plan gives them."""
        return lambda place: batch.columns[self.layout[self.variable(self.relation, place)]]


class Update(_Found):
    """One update."""

    def __init__(self, bound: BoundUpdate, planner: Planner) -> None:
        super().__init__(bound, planner)
        self.title = f"Update on {bound.table.title}"
        self.assigned = Assigned(self, bound.assignments, self.layout)

    def apply(self, context: Context) -> tuple[int, Batch | None]:
        """Do it."""
        fired = firing(context, self.table, "update", self.assigned.names)
        if fired is not None:
            fired.statement("before")
        batch, rows = self.found(context)
        changes = self.assigned.compute(context, batch) if batch.count else {}
        if fired is not None:
            return self._fired(context, fired, batch, rows, changes)
        if batch.count:
            with self.writing(context):
                context.transaction.update_stored(
                    self.table, rows, {self.number(p): v for p, v in changes.items()}
                )
        if self.returning is None:
            return batch.count, None
        read = self.as_read(batch)
        after = self._after(context, rows, changes, read)
        tables = {self.relation: after, self.bound.states.old: read}
        return batch.count, self.returning.rows(context, tables, batch, batch.count)

    def _after(
        self, context: Context, rows: NDArray[np.int64], changes: dict[int, Given], read: Table
    ) -> Table:
        """Return the columns of rows that were updated; what was generated is read again."""

        def column(place: int) -> Column:
            if place in changes:
                return from_store(self.types[place], changes[place])
            definition = self.table.columns[place]
            if definition.generated is None:
                return read(place)
            values = context.transaction.values_of_rows(self.table, rows)
            return Column.of(self.types[place], [v[definition.id] for v in values])

        return column

    def _fired(
        self,
        context: Context,
        fired: Firing,
        batch: Batch,
        rows: NDArray[np.int64],
        changes: dict[int, Given],
    ) -> tuple[int, Batch | None]:
        """Update a table that has triggers."""
        old = self.old_rows(context, rows)
        new = as_columns(old, len(self.types))
        for place, values in changes.items():
            new[place] = values
        given = fired.before(old, as_rows(new, len(old)))
        kept = np.flatnonzero([row is not None for row in given])
        new = as_columns([row for row in given if row is not None], len(self.types))
        count = len(kept)
        if count:
            with self.writing(context):
                columns = {self.number(place): values for place, values in enumerate(new)}
                context.transaction.update_stored(self.table, rows[kept], columns)
        if self.table.generated:
            new = as_columns(self.old_rows(context, rows[kept]), len(self.types))
        fired.after([old[i] for i in kept.tolist()], as_rows(new, count))
        fired.statement("after")
        if self.returning is None:
            return count, None
        after = self._after(context, rows[kept], dict(enumerate(new)), self.stored(new))
        before = self.stored([[old[i][place] for i in kept.tolist()] for place in range(len(new))])
        tables = {self.relation: after, self.bound.states.old: before}
        return count, self.returning.rows(context, tables, batch.take(kept), count)


class Delete(_Found):
    """One delete."""

    def __init__(self, bound: BoundDelete, planner: Planner) -> None:
        super().__init__(bound, planner)
        self.title = f"Delete on {bound.table.title}"

    def apply(self, context: Context) -> tuple[int, Batch | None]:
        """Do it."""
        fired = firing(context, self.table, "delete")
        if fired is not None:
            fired.statement("before")
        batch, rows = self.found(context)
        old = None
        if fired is not None:
            old = self.old_rows(context, rows)
            kept = np.flatnonzero([row is not None for row in fired.before(old, None)])
            batch, rows, old = batch.take(kept), rows[kept], [old[i] for i in kept.tolist()]
        if batch.count:
            context.transaction.delete_stored(self.table, rows)
        if fired is not None:
            fired.after(old, None)
            fired.statement("after")
        if self.returning is None:
            return batch.count, None
        tables = {self.relation: self.as_read(batch), self.bound.states.new: self.nothing(batch.count)}
        return batch.count, self.returning.rows(context, tables, batch, batch.count)
