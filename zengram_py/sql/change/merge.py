"""Merge: for each row of a source, and each row of a table that none of them matches, the first ``when`` that applies.

    source left join table     a match: update, delete or nothing; no match: insert or nothing
    the rest of the table      ``not matched by source``: update, delete or nothing

A row of the table may be changed once (21000). What is to be done is found out first, for all rows; then it is done, deletes first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bound import BoundMerge, JoinSource, MergeBranchOf, TableSource
from ..errors import error
from ..execute.column import Batch, Column, concatenate_batches, nulls_of
from ..execute.context import Context
from ..execute.expressions import Evaluator, Expressions
from ..plan.joining import Joiner
from ..plan.node import Node
from ..plan.planner import Planner
from ..plan.scan import row_id
from ..types import STRING
from .base import Assigned, Change, Returning, Table
from .firing import Firing, firing
from .storing import Given, as_columns, as_list, as_rows

Places = NDArray[np.int64]


class _When:
    """One ``when``, made ready."""

    def __init__(self, merge: Merge, bound: MergeBranchOf, layout: Any) -> None:
        self.match, self.action = bound.match, bound.action
        self.condition: Evaluator | None = None
        if bound.condition is not None:
            self.condition = Expressions(layout, merge.planner).compile(bound.condition)
        self.assigned = Assigned(merge, bound.assignments, layout)

    def applies(self, context: Context, batch: Batch, places: Places) -> NDArray[np.bool_]:
        """Return to which of some rows it applies."""
        if self.condition is None:
            return np.ones(len(places), bool)
        return self.condition(context, batch.take(places)).is_true(len(places))


class Merge(Change):
    """One merge."""

    def __init__(self, bound: BoundMerge, planner: Planner) -> None:
        super().__init__(bound.table, planner, bound.ctes)
        self.title = f"Merge on {bound.table.title}"
        self.relation, self.states = bound.relation, bound.states
        planner.also_read(bound.relation, (bound.relation, bound.states.old, bound.states.new))
        target = TableSource(bound.relation, bound.table)
        inserts = any(w.match == "target" for w in bound.whens)
        join = JoinSource(-1, "left" if inserts else "inner", bound.source, target, bound.on)
        node, _ = Joiner(planner, bound.relation).plan((join,), None)
        self.node: Node = node
        self.row_place = node.layout[row_id(bound.relation)]
        self.rest: Node | None = None
        if any(w.match == "source" for w in bound.whens):
            self.rest, _ = Joiner(planner, bound.relation).plan((target,), None)
        self.whens = [_When(self, when, node.layout) for when in bound.whens]
        if bound.returning:
            states = bound.states
            relations = (bound.relation, states.old, states.new, states.action)
            self.returning = Returning(bound.returning, self, relations, node.layout, len(node.types))

    def apply(self, context: Context) -> tuple[int, Batch | None]:
        """Do it."""
        actions = {w.action for w in self.whens}
        events = [event for event in ("insert", "update", "delete") if event in actions]
        fired = {event: self._firing(context, event) for event in events}
        for one in fired.values():
            if one is not None:
                one.statement("before")
        batch, rows, match = self._rows(context)
        chosen = self._chosen(context, batch, match)
        self._check_once(rows, [places for when, places in chosen if when.match != "target"])
        final = _Final(self, batch)
        for action in ("delete", "update", "insert"):
            for when, places in chosen:
                if when.action == action and len(places):
                    self._act(context, when, batch, rows, places, fired[action], final)
        for one in reversed(fired.values()):
            if one is not None:
                one.statement("after")
        changed = final.places()
        if self.returning is None:
            return len(changed), None
        tables: dict[int, Table] = {
            self.relation: final.column,
            self.states.old: lambda place: final.column(place, without="INSERT", before=True),
            self.states.new: lambda place: final.column(place, without="DELETE"),
            self.states.action: lambda place: Column.of(STRING, final.actions()),
        }
        return len(changed), self.returning.rows(context, tables, batch.take(changed), len(changed))

    def _firing(self, context: Context, event: str) -> Firing | None:
        names = [w.assigned.names for w in self.whens if w.action == "update"]
        return firing(
            context, self.table, event, frozenset().union(*names) if event == "update" else frozenset()
        )

    def _rows(self, context: Context) -> tuple[Batch, Places, NDArray[Any]]:
        """Return the rows of the source beside those of the table, then those of the table that none matches; their ids and matches."""
        batch = self.node.whole(context)
        ids = batch.columns[self.row_place].expanded(batch.count)
        known = ~ids.is_null(batch.count)
        match = np.where(known, "matched", "target")
        if self.rest is not None:
            rest = self.rest.whole(context)
            place = self.rest.layout[row_id(self.relation)]
            alone = rest.take(
                np.flatnonzero(~np.isin(rest.columns[place].expanded(rest.count).values, ids.values[known]))
            )
            if alone.count:
                batch = concatenate_batches([batch, self._widened(alone)], self.node.types)
                match = np.concatenate([match, np.full(alone.count, "source")])
        return batch, batch.columns[self.row_place].expanded(batch.count).values, match

    def _widened(self, rest: Batch) -> Batch:
        """Return rows of the table alone with nulls in place of the source's columns."""
        assert self.rest is not None
        columns: list[Column | None] = [None] * len(self.node.types)
        for value, place in self.node.layout.items():
            there = self.rest.layout.get(value)
            if there is not None:
                columns[place] = rest.columns[there]
        return Batch(
            [
                nulls_of(t, rest.count) if column is None else column
                for t, column in zip(self.node.types, columns, strict=True)
            ],
            rest.count,
        )

    def _chosen(self, context: Context, batch: Batch, match: NDArray[Any]) -> list[tuple[_When, Places]]:
        """Return for each ``when`` the rows for which it is the first that applies."""
        is_open = np.ones(batch.count, bool)
        chosen = []
        for when in self.whens:
            places = np.flatnonzero(is_open & (match == when.match))
            if len(places):
                places = places[when.applies(context, batch, places)]
                is_open[places] = False
            chosen.append((when, places))
        return chosen

    @staticmethod
    def _check_once(rows: Places, chosen: Sequence[Places]) -> None:
        changed = rows[np.concatenate(chosen)] if chosen else rows[:0]
        if len(np.unique(changed)) != len(changed):
            hint = "Ensure that not more than one source row matches any one target row."
            raise error("21000", "MERGE command cannot affect row a second time", hint=hint)

    def _act(
        self,
        context: Context,
        when: _When,
        batch: Batch,
        rows: Places,
        places: Places,
        fired: Firing | None,
        final: _Final,
    ) -> None:
        part = batch.take(places)
        if when.action == "insert":
            self._insert(context, when, part, places, fired, final)
            return
        old = None
        if fired is not None:
            numbers = [c.id for c in self.table.columns]
            values = context.transaction.values_of_rows(self.table, rows[places])
            old = [[v[n] for n in numbers] for v in values]
        if when.action == "delete":
            if fired is not None:
                kept = np.flatnonzero([row is not None for row in fired.before(old, None)])
                places, old = places[kept], [old[i] for i in kept.tolist()] if old is not None else None
            context.transaction.delete_stored(self.table, rows[places])
            final.put(places, {}, "DELETE")
            if fired is not None:
                fired.after(old, None)
            return
        changes = when.assigned.compute(context, part)
        if fired is not None and old is not None:
            new = as_columns(old, len(self.types))
            for place, given in changes.items():
                new[place] = given
            after = fired.before(old, as_rows(new, len(old)))
            kept = np.flatnonzero([row is not None for row in after])
            places, old = places[kept], [old[i] for i in kept.tolist()]
            changes = dict(enumerate(as_columns([row for row in after if row is not None], len(self.types))))
        with self.writing(context):
            by_id = {self.number(place): given for place, given in changes.items()}
            context.transaction.update_stored(self.table, rows[places], by_id)
        if self.table.generated:
            kept_now = list(context.transaction.values_of_rows(self.table, rows[places]))
            for place, column in enumerate(self.table.columns):
                if column.generated is not None:
                    changes[place] = [values[column.id] for values in kept_now]
        final.put(places, changes, "UPDATE")
        if fired is not None:
            fired.after(old, as_rows([changes[i] for i in range(len(self.types))], len(places)))

    def _insert(
        self,
        context: Context,
        when: _When,
        part: Batch,
        places: Places,
        fired: Firing | None,
        final: _Final,
    ) -> None:
        given = when.assigned.compute(context, part)
        columns = [
            given[place] if place in given else self.default(place)(context, part.count)
            for place in range(len(self.types))
        ]
        if fired is not None:
            after = fired.before(None, as_rows(columns, part.count))
            places = places[np.flatnonzero([row is not None for row in after])]
            columns = as_columns([row for row in after if row is not None], len(self.types))
        with self.writing(context):
            by_id = {c.id: v for c, v in zip(self.table.columns, columns, strict=True)}
            kept = context.transaction.insert_stored(self.table, len(places), by_id)
        columns = [kept[c.id] for c in self.table.columns]
        final.put(places, dict(enumerate(columns)), "INSERT")
        if fired is not None:
            fired.after(None, as_rows(columns, len(places)))


class _Final:
    """The rows of the table as a merge leaves them, by the places of the plan's rows."""

    def __init__(self, merge: Merge, batch: Batch) -> None:
        self._merge = merge
        self._batch = batch
        self._done: list[tuple[Places, dict[int, Given]]] = []
        self._actions: dict[int, str] = {}

    def put(self, places: Places, changes: dict[int, Given], action: str) -> None:
        """Note what was done with rows, and their new values by the place of the column."""
        self._done.append((places, changes))
        self._actions.update(dict.fromkeys(places.tolist(), action))

    def places(self) -> Places:
        """Return which rows of the plan changed something, in order."""
        return np.array(sorted(self._actions), np.int64)

    def actions(self) -> list[str]:
        """Return what was done with each of them."""
        return [action for _, action in sorted(self._actions.items())]

    def column(self, place: int, *, without: str = "", before: bool = False) -> Column:
        """Return a column of the table for the rows that changed something.

        Parameters
        ----------
        place : int
            The column.
        without : str
            Rows with which this was done are null.
        before : bool
            Whether it is wanted as it was.
        """
        merge = self._merge
        read = merge.node.layout[merge.variable(merge.relation, place)]
        values = self._batch.columns[read].expanded(self._batch.count).tolist()
        for places, changes in () if before else self._done:
            if place in changes:
                for at, value in zip(places.tolist(), as_list(changes[place]), strict=True):
                    values[at] = value
        rows = sorted(self._actions.items())
        return Column.of(
            merge.types[place], [None if action == without else values[at] for at, action in rows]
        )
