"""Triggers, fired.

    before each statement ─▶ before each row: may change it, or leave it out ─▶ the engine writes ─▶ after each row ─▶ after each statement

Those of one kind fire in the order of their names. A trigger's function is a program of its own for each table, in which ``new`` and ``old`` are
rows of that table. Its condition is computed for all rows at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..engine import ObjectDef, TableDef
from .bind.changes import Binder
from .bind.coercion import State
from .bind.columns import type_of_column
from .bind.functions import KIND as FUNCTION
from .bind.operators import Place
from .bind.triggers import NEW, OLD, condition_scope, triggers_of
from .bound import Bound, ColumnVar
from .errors import error
from .execute.column import Batch, Column
from .execute.context import Context
from .execute.expressions import Evaluator, Expressions
from .parse import parse_expression
from .per_view import PerView
from .plan.planner import Planner
from .plpgsql.names import Row as Fields
from .plpgsql.names import Structure, Variable
from .plpgsql.program import Kind, Program
from .plpgsql.run import Frame, nested
from .scope import Catalogue, SearchPath
from .types import SqlType

Row = list[Any]

_known: PerView[list[Trigger]] = PerView()


class Trigger:
    """A trigger of a table, ready to fire."""

    def __init__(self, catalogue: Catalogue, table: TableDef, definition: ObjectDef) -> None:
        given = definition.definition
        self.name: str = given["name"]
        self.timing: str = given["timing"]
        self.events = frozenset(given["events"])
        self.columns = frozenset(given["columns"])
        self.for_each_row: bool = given["row"]
        self.arguments = tuple(given["arguments"])
        self.when: str = given["when"]
        self.table = table
        self.function = tuple(given["function"])
        self.path = SearchPath(table.name[0], tuple(given["path"]))
        self._view = catalogue.view
        self._program: Program | None = None
        self._condition: Evaluator | None = None

    def fires(self, event: str, columns: frozenset[str], timing: str, *, for_each_row: bool) -> bool:
        """Return whether it is one of a kind."""
        return (
            event in self.events
            and timing == self.timing
            and for_each_row == self.for_each_row
            and (event != "update" or not self.columns or bool(self.columns & columns))
        )

    @property
    def program(self) -> Program:
        """Its function, for its table."""
        if self._program is None:
            function = self._view.find(FUNCTION, self.function)
            if not isinstance(function, ObjectDef):
                raise error("42883", f"function {self.function[-1]} does not exist")
            path = SearchPath(function.name[0], tuple(function.definition["path"]))
            structure = Structure(
                tuple(c.name for c in self.table.columns),
                tuple(type_of_column(c.type) for c in self.table.columns),
            )
            kind = Kind(function.definition["name"], trigger=structure)
            self._program = Program(function.definition["body"], kind, Catalogue(self._view, path))
            self.path = path
        return self._program

    def condition(self, old: Sequence[Row] | None, new: Sequence[Row] | None, context: Context) -> Any:
        """Return for which rows its condition is true; None for all."""
        if not self.when:
            return None
        count = len(new if new is not None else old or ())
        types = [type_of_column(c.type) for c in self.table.columns]
        columns = [*_columns(new, types, count), *_columns(old, types, count)]
        if self._condition is None:
            self._condition = self._compiled(types)
        return self._condition(context, Batch(columns, count)).is_true(count)

    def _compiled(self, types: Sequence[SqlType]) -> Evaluator:
        layout: dict[Bound, int] = {}
        for relation in (NEW, OLD):
            for i, (column, sql_type) in enumerate(zip(self.table.columns, types, strict=True)):
                layout[ColumnVar(sql_type, relation, i, column.name)] = relation * len(types) + i
        binder = Binder(State(Catalogue(self._view, self.path)))
        value = binder.bind(parse_expression(self.when), condition_scope(self.table), Place("WHEN"))
        value = binder.boolean(value, "WHEN")
        return Expressions(layout, Planner(None, value)).compile(value)


def _columns(rows: Sequence[Row] | None, types: Sequence[SqlType], count: int) -> list[Column]:
    if rows is None:
        return [Column.of(t, [None] * count) for t in types]
    return [Column.of(t, list(values)) for t, values in zip(types, zip(*rows, strict=True), strict=True)]


def _triggers(context: Context, table: TableDef) -> list[Trigger]:
    catalogue = context.session.catalogue(context.transaction)
    known = _known.of(catalogue.view)
    found = known.get(table.id)
    if found is None:
        found = known[table.id] = [
            Trigger(catalogue, table, d)
            for d in triggers_of(catalogue, table)
            if d.definition.get("enabled", True)
        ]
    return found


def has_triggers(context: Context, table: TableDef, event: str) -> bool:
    """Return whether a table has triggers for an event."""
    return any(event in t.events for t in _triggers(context, table))


def fire_statement(
    context: Context, table: TableDef, event: str, columns: frozenset[str], timing: str
) -> None:
    """Fire the triggers of a statement as a whole; what they return means nothing."""
    for trigger in _triggers(context, table):
        if trigger.fires(event, columns, timing, for_each_row=False):
            if trigger.when and not trigger.condition([[None] * len(table.columns)], None, context).all():
                continue
            _Firing(context, trigger, event).run(None, None)


def fire_rows(
    context: Context,
    table: TableDef,
    event: str,
    columns: frozenset[str],
    timing: str,
    old: Sequence[Row] | None,
    new: Sequence[Row] | None,
) -> list[Row | None]:
    """Fire the triggers of each row.

    Parameters
    ----------
    context, table, event
        The statement, and what it does to which table.
    columns : frozenset of str
        Of an update, the columns that it sets.
    timing : str
        ``"before"`` or ``"after"``.
    old, new : sequence of list, or None
        The rows before and after, as values in the order of the table's columns.

    Returns
    -------
    list of list or None
        Of triggers before: the rows to write, None for one that is left out; of a delete the old ones.
    """
    given = new if new is not None else old or ()
    rows: list[Row | None] = [list(row) for row in given]
    for trigger in _triggers(context, table):
        if not trigger.fires(event, columns, timing, for_each_row=True):
            continue
        firing = _Firing(context, trigger, event)
        places = [i for i, row in enumerate(rows) if row is not None]
        before = None if old is None else [old[i] for i in places]
        after = None if new is None else [rows[i] or [] for i in places]
        if trigger.when and places:
            chosen: Sequence[int] = np.flatnonzero(trigger.condition(before, after, context)).tolist()
        else:
            chosen = range(len(places))
        for at in chosen:
            one = None if before is None else before[at]
            other = None if after is None else after[at]
            found = firing.run(one, other)
            if timing == "before":
                rows[places[at]] = found if new is not None or found is None else list(one or ())
    return rows


class _Firing:
    """A trigger during one statement."""

    def __init__(self, context: Context, trigger: Trigger, event: str) -> None:
        self.trigger = trigger
        program = trigger.program
        self.frame = Frame(program, context.session, context.transaction, trigger.path)
        names = program.names
        self.new, self.old = names["new"], names["old"]
        for name, value in (
            ("tg_op", event.upper()),
            ("tg_name", trigger.name),
            ("tg_table_name", trigger.table.name[2]),
            ("tg_relname", trigger.table.name[2]),
            ("tg_table_schema", trigger.table.name[1]),
            ("tg_when", trigger.timing.upper()),
            ("tg_level", "ROW" if trigger.for_each_row else "STATEMENT"),
            ("tg_nargs", len(trigger.arguments)),
            ("tg_argv", trigger.arguments),
        ):
            variable = names[name]
            assert isinstance(variable, Variable)
            self.frame.values[variable.place] = value

    def run(self, old: Row | None, new: Row | None) -> Row | None:
        """Fire for one row; return what it returns."""
        frame = self.frame
        for fields, row in ((self.new, new), (self.old, old)):
            assert isinstance(fields, Fields)
            for i, place in enumerate(fields.places):
                frame.values[place] = None if row is None else row[i]
        frame.returned, frame.result = False, None
        with nested(frame.session):
            self.trigger.program.body(frame)
        if not frame.returned:
            raise error("2F005", "control reached end of trigger procedure without RETURN")
        found: Row | None = frame.result
        if found is None:
            return None
        if len(found) != len(self.trigger.table.columns):
            message = "returned row structure does not match the structure of the triggering table"
            raise error("42804", message)
        return found
