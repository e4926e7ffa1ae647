"""Insert: rows of a query, or of expressions, into a table.

source ──▶ columns, defaults ──▶ triggers ──▶ on conflict: which rows are new? ──▶ engine ──▶ triggers ──▶ returning
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...engine.generated import generated_columns
from ..bound import BoundInsert
from ..execute.column import Batch, Column
from ..execute.context import Context
from ..plan.planner import Planner
from .base import Change, Returning, Table
from .conflict import Conflicts, twice
from .firing import Firing, firing
from .storing import Given, as_columns, as_list, as_rows, taken, to_store


@dataclass(frozen=True)
class Done:
    """What an insert did.

    Attributes
    ----------
    columns : list of Given
        The rows that were inserted or updated, in the order of the source.
    before : Table
        What they were before.
    count : int
        How many.
    inserted : list of Given
        Those of them that were inserted.
    new : int
        How many.
    """

    columns: list[Given]
    before: Table
    count: int
    inserted: list[Given]
    new: int


class Insert(Change):
    """One insert."""

    def __init__(self, bound: BoundInsert, planner: Planner) -> None:
        super().__init__(bound.table, planner, bound.ctes)
        self.bound = bound
        self.title = f"Insert on {bound.table.title}"
        if bound.source is not None:
            self.node = planner.query(bound.source)
        self.given = [(i, place) for i, place in enumerate(bound.columns) if not self._is_generated(place)]
        self._holes = _holes(bound)
        self.conflicts = None if bound.conflict is None else Conflicts(self, bound.relation, bound.conflict)
        if bound.returning:
            relations = (bound.relation, bound.states.old)
            self.returning = Returning(bound.returning, self, relations, {}, 0)

    def _is_generated(self, place: int) -> bool:
        """Return whether what is given for a column is not to be taken."""
        return self.bound.overriding == "user" and self.table.columns[place].identity is not None

    def apply(self, context: Context) -> tuple[int, Batch | None]:
        """Do it."""
        fired = firing(context, self.table, "insert")
        updating = None if self.conflicts is None else self.conflicts.firing(context)
        for one in (fired, updating):
            if one is not None:
                one.statement("before")
        batch = Batch([], 1) if self.node is None else self.node.whole(context)
        columns = self._columns(context, batch)
        count = batch.count
        if fired is not None:
            columns, count = self._before(fired, columns, count)
        if self.conflicts is not None and count:
            done = self._beside(context, columns, count)
        else:
            if count:
                columns = self._write(context, columns, count)
            done = Done(columns, self.nothing(count), count, columns, count)
        if fired is not None:
            fired.after(None, as_rows(done.inserted, done.new))
        for one in (updating, fired):
            if one is not None:
                one.statement("after")
        if self.returning is None:
            return done.count, None
        tables = {self.bound.relation: self.stored(done.columns), self.bound.states.old: done.before}
        return done.count, self.returning.rows(context, tables, None, done.count)

    def _write(self, context: Context, columns: list[Given], count: int) -> list[Given]:
        """Insert rows; return them as they were kept."""
        with self.writing(context):
            given = {c.id: v for c, v in zip(self.table.columns, columns, strict=True)}
            kept = context.transaction.insert_stored(self.table, count, given)
        return [kept[c.id] for c in self.table.columns]

    def _before(self, fired: Firing, columns: list[Given], count: int) -> tuple[list[Given], int]:
        """Fire the triggers before each row; return what is to be inserted."""
        kept = [row for row in fired.before(None, as_rows(columns, count)) if row is not None]
        return as_columns(kept, len(columns)), len(kept)

    def _beside(self, context: Context, columns: list[Given], count: int) -> Done:
        """Insert rows of which some may have keys that are there."""
        assert self.conflicts is not None
        by_id = {c.id: v for c, v in zip(self.table.columns, columns, strict=True)}
        by_id.update(generated_columns(self.table, by_id, count))
        columns = [by_id[c.id] for c in self.table.columns]
        with self.writing(context):
            context.transaction.check_stored(self.table, count, by_id)
            sorted_out = self.conflicts.sorted_out(context, by_id, count)
        if sorted_out is None:
            return self._one_by_one(context, columns, count)
        new, rows = sorted_out
        fresh = np.flatnonzero(new)
        inserted = [taken(v, fresh) for v in columns]
        if len(fresh):
            inserted = self._write(context, inserted, len(fresh))
        changed = self.conflicts.update(context, columns, new, rows)
        if changed is None:
            return Done(inserted, self.nothing(len(fresh)), len(fresh), inserted, len(fresh))
        order = np.argsort(np.concatenate([fresh, changed.places]), kind="stable")
        nothing: list[Given] = [[None] * len(fresh)] * len(columns)
        before = self.stored(_together(nothing, changed.old, order))
        whole = _together(inserted, changed.new, order)
        return Done(whole, before, len(order), inserted, len(fresh))

    def _one_by_one(self, context: Context, columns: list[Given], count: int) -> Done:
        """Insert rows one after the other: what becomes of one depends on what became of those before it."""
        assert self.conflicts is not None
        affected: set[int] = set()
        new: list[list[Any]] = []
        old_rows: list[list[Any]] = []
        rows: list[list[Any]] = []
        for place in range(count):
            part = [taken(v, np.array([place])) for v in columns]
            by_id = {c.id: v for c, v in zip(self.table.columns, part, strict=True)}
            with self.writing(context):
                sorted_out = self.conflicts.sorted_out(context, by_id, 1)
            assert sorted_out is not None
            is_new, there = sorted_out
            if is_new[0]:
                kept = as_rows(self._write(context, part, 1), 1)[0]
                with self.writing(context):
                    affected |= self.conflicts.rows_of(context, by_id)
                new.append(kept)
                rows.append(kept)
                old_rows.append([None] * len(columns))
                continue
            if int(there[0]) in affected:
                raise twice()
            changed = self.conflicts.update(context, part, is_new, there)
            if changed is not None and len(changed.places):
                affected.add(int(there[0]))
                rows.append(as_rows(changed.new, 1)[0])
                old_rows.append(as_rows(changed.old, 1)[0])
        width = len(columns)
        before = self.stored(as_columns(old_rows, width))
        return Done(as_columns(rows, width), before, len(rows), as_columns(new, width), len(new))

    # What is inserted.

    def _columns(self, context: Context, batch: Batch) -> list[Given]:
        """Return the values of all columns of the table for the rows of the source."""
        found: dict[int, Given] = {}
        if batch.count:
            for i, place in self.given:
                found[place] = self._filled(context, batch.columns[i], i, place, batch.count)
        return [
            found[place] if place in found else self.default(place)(context, batch.count)
            for place in range(len(self.types))
        ]

    def _filled(self, context: Context, column: Column, at: int, place: int, count: int) -> Given:
        """Return the values that are given for a column, with its default where that was asked for."""
        kind = self.table.columns[place].type
        holes = self._holes.get(at)
        if holes is None:
            return to_store(column, count, kind)
        defaults = self.default(place)(context, len(holes))
        if len(holes) == count:
            return defaults
        values = column.expanded(count).tolist()
        for row, value in zip(holes, as_list(defaults), strict=True):
            values[row] = value
        return to_store(Column.of(self.types[place], values), count, kind)


def _together(inserted: list[Given], updated: list[Given], order: Any) -> list[Given]:
    """Return inserted and updated rows in an order."""
    found: list[Given] = []
    for one, other in zip(inserted, updated, strict=True):
        both = as_list(one) + as_list(other)
        found.append([both[i] for i in order.tolist()])
    return found


def _holes(bound: BoundInsert) -> dict[int, list[int]]:
    """Return the rows in which ``default`` stood, by the place of the column in the source."""
    found: dict[int, list[int]] = {}
    for row, column in sorted(bound.defaults):
        found.setdefault(column, []).append(row)
    return found
