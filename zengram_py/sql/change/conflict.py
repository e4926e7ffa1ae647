"""On conflict: what becomes of rows whose keys are there already.

key in the table, or in a row before it?   no ──▶ insert
    │ yes
    ├─ do nothing ──▶ leave it out
    └─ do update ───▶ the row that is there, beside the one that was to be inserted (``excluded``)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...engine import IndexDef
from ...engine.expr import names_read
from ...errors import SqlError
from ..bound import Bound, OnConflict
from ..errors import error
from ..execute.column import Batch, Column
from ..execute.context import Context
from ..execute.expressions import Expressions
from ..nodes import node
from ..plan.basic import kept_rows
from ..types import INT8
from .base import Assigned
from .firing import Firing, firing
from .storing import Given, as_columns, as_rows, from_store, taken

if TYPE_CHECKING:
    from .base import Change

Rows = NDArray[np.int64]


@node(frozen=True, slots=True)
class Updated:
    """Rows that were there and were updated: which rows of the insert did it, and what they were and are, by columns."""

    places: Rows
    old: list[Given]
    new: list[Given]


class Conflicts:
    """``on conflict`` of an insert.

    Parameters
    ----------
    change : Change
        The insert.
    relation : int
        The number of its table in the statement.
    bound : OnConflict
        What is to be done.
    """

    def __init__(self, change: Change, relation: int, bound: OnConflict) -> None:
        self._change = change
        self._bound = bound
        table = change.table
        self._indexes: list[IndexDef] = [
            i for i in table.indexes if i.unique and bound.index in (None, i.name)
        ]
        self._updates = bound.assignments is not None
        assigned = {table.columns[a.column].name for a in bound.assignments or ()}
        trees = [tree for i in table.indexes if i.unique for tree in i.expressions]
        self._moves_keys = any(names_read(tree, table.by_name) & assigned for tree in trees)
        width = len(change.types)
        layout: dict[Bound, int] = {}
        for place in range(width):
            layout[change.variable(relation, place)] = place
            layout[change.variable(bound.excluded, place)] = width + place
        self._where = None
        if bound.where is not None:
            self._where = Expressions(layout, change.planner).compile(bound.where)
        self._assigned = None if bound.assignments is None else Assigned(change, bound.assignments, layout)

    def firing(self, context: Context) -> Firing | None:
        """Return the triggers of updates that it may fire."""
        if self._assigned is None:
            return None
        return firing(context, self._change.table, "update", self._assigned.names)

    def sorted_out(
        self, context: Context, columns: Mapping[int, Given], count: int
    ) -> tuple[NDArray[np.bool_], Rows] | None:
        """Return which rows are new, and for each of the others the row of the table that has its key (0 for new ones).

        None if what becomes of a row depends on what became of those before it: then they have to go one by one.
        """
        if count > 1 and self._moves_keys:
            return None
        new = np.ones(count, bool)
        rows = np.zeros(count, np.int64)
        table, transaction = self._change.table, context.transaction
        keys = [transaction.keys_of(table, index, columns, count) for index in self._indexes]
        there = [transaction.rows_by_key(table, i, k) for i, k in zip(self._indexes, keys, strict=True)]
        seen: list[set[Any]] = [set() for _ in keys]
        for i, row_keys in enumerate(zip(*keys, strict=True)):
            for key, known, before in zip(row_keys, there, seen, strict=True):
                if key is None or None in key:
                    continue
                if key in before and self._updates:
                    return None
                if key in known:
                    rows[i] = known[key]
                if key in known or key in before:
                    new[i] = False
            if new[i] or self._updates:
                for key, before in zip(row_keys, seen, strict=True):
                    before.add(key)
        return new, rows

    def rows_of(self, context: Context, columns: Mapping[int, Given]) -> set[int]:
        """Return the rows of the table that have the keys of some rows."""
        table, transaction, found = self._change.table, context.transaction, set()
        for index in self._indexes:
            count = len(next(iter(columns.values())))
            keys = transaction.keys_of(table, index, columns, count)
            found |= set(transaction.rows_by_key(table, index, keys).values())
        return found

    def update(
        self, context: Context, columns: list[Given], new: NDArray[np.bool_], rows: Rows
    ) -> Updated | None:
        """Update the rows that are there; None if nothing is updated."""
        places = np.flatnonzero(~new)
        if self._assigned is None or not len(places):
            return None
        change = self._change
        transaction = context.transaction
        found = rows[places]
        before = as_columns(
            [
                [values[c.id] for c in change.table.columns]
                for values in transaction.values_of_rows(change.table, found)
            ],
            len(change.types),
        )
        batch = Batch(
            [
                *(from_store(t, v) for t, v in zip(change.types, before, strict=True)),
                *(from_store(t, taken(v, places)) for t, v in zip(change.types, columns, strict=True)),
                Column(INT8, found),
                Column(INT8, places),
            ],
            len(places),
        )
        if self._where is not None:
            batch = kept_rows(self._where, context, batch)
            if not batch.count:
                return Updated(places[:0], [[] for _ in change.types], [[] for _ in change.types])
        width = len(change.types)
        old: list[Given] = [batch.columns[i].tolist() for i in range(width)]
        found, places = batch.columns[-2].values, batch.columns[-1].values
        changes = self._assigned.compute(context, batch)
        after = [changes.get(place, old[place]) for place in range(width)]
        fired = self.firing(context)
        if fired is not None:
            given = fired.before(as_rows(old, batch.count), as_rows(after, batch.count))
            kept = np.flatnonzero([row is not None for row in given])
            found, places, old = found[kept], places[kept], [taken(v, kept) for v in old]
            after = as_columns([row for row in given if row is not None], width)
            changes = dict(enumerate(after))
        with change.writing(context):
            transaction.update_stored(change.table, found, {change.number(p): v for p, v in changes.items()})
        if change.table.generated:
            numbers = [c.id for c in change.table.columns]
            again = [[v[n] for n in numbers] for v in transaction.values_of_rows(change.table, found)]
            after = as_columns(again, width)
        if fired is not None:
            fired.after(as_rows(old, len(found)), as_rows(after, len(found)))
        return Updated(places, old, after)


def twice() -> SqlError:
    """Return the error for a row that is changed again."""
    message = "ON CONFLICT DO UPDATE command cannot affect row a second time"
    hint = "Ensure that no rows proposed for insertion within the same command have duplicate constrained values."
    return error("21000", message, hint=hint)
