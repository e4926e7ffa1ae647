"""Changes of one row, the short way.

    insert into t values ($1, $2)              values ──▶ engine
    update t set a = a + $2 where id = $1      key ──▶ index ──▶ row ──▶ values ──▶ engine
    delete from t where id = $1                key ──▶ index ──▶ row ──▶ engine

No batch is made. Whether a statement is one of these is seen when it is planned; whether its table has triggers, when it runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...engine.keys import key_form
from ..bound import Assign, Bound, BoundInsert, BoundValues, ColumnVar, Const, Param
from ..bound.walking import everything
from ..errors import error
from ..execute.context import Context
from ..plan.conditions import has_subquery
from ..plan.scan import IndexLookup
from .base import Change
from .firing import firing
from .insert import Insert
from .rowwise import RowFunction, row_function
from .storing import as_list
from .update import Delete, Update

Rows = list[tuple[Any, ...]]
Single = Callable[[Context], tuple[int, Rows] | None]
"""Makes a change and gives how many rows it changed and what ``returning`` gives; None if it has to go the long way."""

Row = dict[int, Any]


def single(change: Change) -> Single | None:
    """Return the short way of a change; None if it has none."""
    if change.planner.changes or change.planner.subplans:
        return None
    if isinstance(change, Insert):
        return _insert(change)
    if isinstance(change, Update):
        return _update(change)
    return _delete(change) if isinstance(change, Delete) else None


def _returning(
    change: Change, targets: tuple[Bound, ...], relation: int
) -> Callable[[Context, Row], Rows] | None:
    """Return what gives the output for a row; None if it cannot be computed from the row alone."""
    if not targets:
        return lambda context, row: []
    if change.table.generated or any(has_subquery(t) for t in targets):
        return None
    read = [n for n in everything(targets) if isinstance(n, ColumnVar)]
    if any(n.relation != relation for n in read):
        return None
    numbers = _numbers(change, relation)
    functions = [row_function(t, numbers, change.planner) for t in targets]
    return lambda context, row: [tuple([f(context, row) for f in functions])]


def _numbers(change: Change, relation: int) -> dict[Bound, int]:
    return {change.variable(relation, place): c.id for place, c in enumerate(change.table.columns)}


def _storing(change: Change, place: int, value: RowFunction) -> tuple[int, RowFunction]:
    """Return a column's number with what computes a value for it, a vector of the column's own length."""
    column = change.table.columns[place]
    if column.type.storage != "matrix":
        return column.id, value
    dimensions: int = column.type.dimensions  # type: ignore[attr-defined]

    def checked(context: Context, row: Any) -> Any:
        found = value(context, row)
        if found is not None:
            if len(found) != dimensions:
                raise error("22000", f"expected {dimensions} dimensions, not {len(found)}")
            found = np.asarray(found, np.float32)
        return found

    return column.id, checked


def _default(change: Change, place: int) -> RowFunction:
    column = change.table.columns[place]
    tree = column.default
    if tree is None:
        return lambda context, row: None
    if isinstance(tree, list) and tree[0] == "lit":
        value = None if tree[1] is None else column.type.check(tree[1])
        return lambda context, row: value
    default = change.default(place)
    return lambda context, row: as_list(default(context, 1))[0]


# Insert.


def _insert(change: Insert) -> Single | None:
    bound = change.bound
    if change.table.generated or (bound.conflict is not None and bound.conflict.where is not None):
        return None
    values = _inserted(change, bound)
    returned = _returning(change, bound.returning, bound.relation)
    if values is None or returned is None:
        return None
    conflict = None if bound.conflict is None else _Conflict(change, bound)
    table = change.table
    updates = bound.conflict is not None and bound.conflict.assignments is not None

    def run(context: Context) -> tuple[int, Rows] | None:
        if firing(context, table, "insert") is not None:
            return None
        if updates and firing(context, table, "update") is not None:
            return None
        nothing: Row = {}
        row = {number: value(context, nothing) for number, value in values}
        with change.writing(context):
            if conflict is not None:
                after = conflict.met(context, row)
                if after is not None:
                    return (1, returned(context, after)) if after else (0, [])
            context.transaction.insert_stored_row(table, row)
        return 1, returned(context, row)

    return run


def _inserted(change: Insert, bound: BoundInsert) -> list[tuple[int, RowFunction]] | None:
    """Return the values of all columns, for an insert of one row that is written out."""
    given: dict[int, RowFunction] = {}
    if bound.source is not None:
        body = bound.source.body
        if not isinstance(body, BoundValues) or len(body.rows) != 1 or bound.source.ctes or bound.ctes:
            return None
        if bound.source.limit is not None or bound.source.offset is not None:
            return None
        if any(has_subquery(v) for v in body.rows[0]):
            return None
        for i, place in change.given:
            if (0, i) not in bound.defaults:
                given[place] = row_function(body.rows[0][i], {}, change.planner)
    return [
        _storing(change, place, given[place] if place in given else _default(change, place))
        for place in range(len(change.types))
    ]


class _Conflict:
    """``on conflict`` of an insert of one row."""

    def __init__(self, change: Insert, bound: BoundInsert) -> None:
        conflict = bound.conflict
        assert conflict is not None
        self._change = change
        self._indexes = [i for i in change.table.indexes if i.unique and conflict.index in (None, i.name)]
        self._assigned: list[tuple[int, RowFunction]] | None = None
        if conflict.assignments is not None:
            numbers = _numbers(change, bound.relation)
            # beside the row that is there stands the one that was to be inserted, under numbers below zero
            excluded: dict[Bound, int] = {
                change.variable(conflict.excluded, p): -1 - c.id for p, c in enumerate(change.table.columns)
            }
            self._assigned = _assigned(change, conflict.assignments, {**numbers, **excluded})

    def met(self, context: Context, row: Row) -> Row | None:
        """Return the row as it was updated, {} if nothing is done, None if there is no conflict."""
        table, transaction = self._change.table, context.transaction
        store = transaction.reader.stores[table.id]
        for index in self._indexes:
            key = store.indexes[index.id].key(row.__getitem__)
            if key is None:  # a partial index does not hold it
                continue
            for number, before in transaction.reader.rows_of_key(table, index, key):
                transaction.check_stored(table, 1, {n: [v] for n, v in row.items()})
                if self._assigned is None:
                    return {}
                both = {**before, **{-1 - n: v for n, v in row.items()}}
                changes = {n: value(context, both) for n, value in self._assigned}
                transaction.update_stored_row(table, number, before, changes)
                return {**before, **changes}
        return None


# Update and delete.


def _assigned(
    change: Change, assignments: tuple[Assign, ...], numbers: dict[Bound, int]
) -> list[tuple[int, RowFunction]]:
    return [
        _storing(
            change,
            a.column,
            _default(change, a.column) if a.value is None else row_function(a.value, numbers, change.planner),
        )
        for a in assignments
        if change.table.columns[a.column].generated is None
    ]


def _key(change: Update | Delete) -> Callable[[Context], list[tuple[int, Row]]] | None:
    """Return what finds the one row that a change is about, by a unique key; None if it finds its rows otherwise."""
    scan = change.node
    if not isinstance(scan, IndexLookup) or scan.as_of is not None or change.is_joined:
        return None
    if (
        len(scan.key_values) != 1
        or not scan.index.unique
        or (scan.filter is not None and not _is_key_only(scan))
    ):
        return None
    values = scan.key_values[0]
    if not all(isinstance(v, (Const, Param)) for v in values):
        return None
    functions = [row_function(v, {}, change.planner) for v in values]
    table, index = scan.table, scan.index
    nothing: Row = {}

    def find(context: Context) -> list[tuple[int, Row]]:
        key = tuple([key_form(f(context, nothing)) for f in functions])
        if None in key:
            return []
        return list(context.transaction.reader.rows_of_key(table, index, key))

    return find


def _is_key_only(scan: IndexLookup) -> bool:
    """Return whether a look-up's conditions say nothing but its key."""
    return len(scan.conditions) == len(scan.key_values[0])


def _update(change: Update) -> Single | None:
    find = _key(change)
    returned = _returning(change, change.bound.returning, change.relation)
    if (
        find is None
        or returned is None
        or change.table.generated
        or any(a.value is not None and has_subquery(a.value) for a in change.bound.assignments)
    ):
        return None
    assigned = _assigned(change, change.bound.assignments, _numbers(change, change.relation))
    table, names = change.table, change.assigned.names

    def run(context: Context) -> tuple[int, Rows] | None:
        if firing(context, table, "update", names) is not None:
            return None
        rows: Rows = []
        count = 0
        for number, before in find(context):
            changes = {n: value(context, before) for n, value in assigned}
            with change.writing(context):
                context.transaction.update_stored_row(table, number, before, changes)
            count += 1
            rows += returned(context, {**before, **changes})
        return count, rows

    return run


def _delete(change: Delete) -> Single | None:
    find = _key(change)
    returned = _returning(change, change.bound.returning, change.relation)
    if find is None or returned is None:
        return None
    table = change.table

    def run(context: Context) -> tuple[int, Rows] | None:
        if firing(context, table, "delete") is not None:
            return None
        rows: Rows = []
        count = 0
        for number, before in find(context):
            context.transaction.delete_stored_row(table, number, before)
            count += 1
            rows += returned(context, before)
        return count, rows

    return run
