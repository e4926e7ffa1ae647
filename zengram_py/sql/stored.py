"""Expressions that the catalogue keeps as SQL text: defaults, checks, keys of indexes, values of columns of a new type.

A text is bound when it is first used: to the columns that it may read, and to the definitions that the statement sees which uses it. The
engine calls it with a row, or with many rows by columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, cast

from ..clock import SystemClock
from ..engine import ColumnType, EnumDef
from ..engine.catalog import CatalogView
from ..engine.composite import ArrayType, EnumType
from ..engine.definitions import DEFAULT_DATABASE, DEFAULT_SCHEMA, Definition
from . import tree
from .bind.changes import Binder
from .bind.coercion import State
from .bind.columns import type_of_column
from .bind.operators import Place
from .bound import Bound, ColumnVar, walk
from .change.storing import Given, from_store, to_store
from .execute.column import Batch, Column
from .execute.context import Context
from .execute.expressions import Expressions
from .parse import parse_expression
from .plan.planner import Planner
from .scope import Catalogue, Namespace, Scope
from .settings import Settings
from .tree.mapping import mapped

_running: list[Context] = []


@contextmanager
def using(context: Context) -> Iterator[None]:
    """Let expressions that the engine evaluates in the block see what a statement sees."""
    _running.append(context)
    try:
        yield
    finally:
        _running.pop()


class StoredExpression:
    """An expression over the columns of a table.

    Parameters
    ----------
    text : str
        The expression.
    types : mapping of str to ColumnType
        The columns.
    result : ColumnType or None
        What it is to give; whatever it gives if left out.
    """

    def __init__(self, text: str, types: Mapping[str, ColumnType], result: ColumnType | None = None) -> None:
        self.text = text
        self.result = result
        self._types = dict(types)
        self._expression: _Ready | None = None

    def _ready(self) -> _Ready:
        if self._expression is None:
            self._expression = _Ready(self.text, self._types, self.result)
        return self._expression

    def __call__(self, row: Mapping[str, Any]) -> Any:
        """Return its value for one row of stored values."""
        ready = self._ready()
        columns = [Column.of(t, [row[name]]) for name, t in ready.reads]
        return ready.evaluate(_context(), Batch(columns, 1)).tolist()[0]

    def many(self, columns: Mapping[str, Given], count: int) -> list[Any]:
        """Return its values for rows given by columns."""
        ready = self._ready()
        given = [from_store(t, columns[name]) for name, t in ready.reads]
        return ready.evaluate(_context(), Batch(given, count)).expanded(count).tolist()

    def for_rows(self, context: Context, count: int) -> Given:
        """Return its values for so many rows of which it reads nothing, as the engine stores them."""
        assert self.result is not None
        found = self._ready().evaluate(context, Batch([], count))
        return to_store(found, count, self.result)


class _Ready:
    """What a text means: the columns that it reads, in order, and what computes it."""

    def __init__(self, text: str, types: Mapping[str, ColumnType], result: ColumnType | None) -> None:
        known = {name: type_of_column(kind) for name, kind in types.items()}
        columns = tuple((name, ColumnVar(t, 0, i, name)) for i, (name, t) in enumerate(known.items()))
        binder = Binder(State(_catalogue(types)))
        node = _unqualified(parse_expression(text), frozenset(known))
        value = binder.bind(node, Scope(None, Namespace((), columns)), Place("stored expressions"))
        value = binder.settled(value) if result is None else binder.coerce(value, type_of_column(result), 1)
        read = list(dict.fromkeys(v for v in walk(value) if isinstance(v, ColumnVar)))
        self.reads = [(v.name, v.type) for v in read]
        layout: dict[Bound, int] = {v: i for i, v in enumerate(read)}
        self.evaluate = Expressions(layout, Planner(None, value)).compile(value)


def _unqualified(node: tree.Expression, names: frozenset[str]) -> Any:
    """Return a tree in which columns have no table's name before them: there is but one."""

    def change(found: Any) -> Any:
        if isinstance(found, tree.ColumnRef) and found.parts[-1] in names:
            return replace(found, parts=found.parts[-1:])
        return found

    return mapped(node, change)


def _catalogue(types: Mapping[str, ColumnType]) -> Catalogue:
    """Return the definitions of the statement that is running; without one, the enum types of the columns."""
    if _running:
        context = _running[-1]
        return context.session.catalogue(context.transaction)
    found: dict[int, Definition] = {}
    for kind in types.values():
        kind = kind.element if isinstance(kind, ArrayType) else kind
        if isinstance(kind, EnumType):
            name = str(type_of_column(kind).name).split(".")
            full = (*(DEFAULT_DATABASE, DEFAULT_SCHEMA)[: 3 - len(name)], *name)
            found[len(found)] = EnumDef(len(found), cast(Any, full), kind)
    return Catalogue(CatalogView(found))


def _context() -> Context:
    return _running[-1] if _running else _alone()


class _Alone:
    """What an expression knows that is evaluated outside of any statement: the defaults of settings, and the time."""

    def __init__(self) -> None:
        self.settings = Settings()
        self.max_rows = 0
        self.embedder = None
        self.reader = None
        self.started = SystemClock().now()


def _alone() -> Context:
    nobody: Any = _Alone()
    return Context(nobody, nobody)


_DEFAULTS: dict[tuple[str, ColumnType], tuple[CatalogView, StoredExpression]] = {}
_KEPT = 500


def default_expression(text: str, kind: ColumnType, context: Context) -> StoredExpression:
    """Return a default, bound to the definitions of now."""
    view = context.transaction.reader.catalog
    found = _DEFAULTS.get((text, kind))
    if found is not None and found[0] is view:
        return found[1]
    if len(_DEFAULTS) > _KEPT:
        _DEFAULTS.clear()
    made = StoredExpression(text, {}, kind)
    _DEFAULTS[text, kind] = view, made
    return made
