"""Expressions that the catalogue keeps as SQL text: defaults, checks, keys of indexes, values of new column types.

A text is bound to the columns that it may read when it is first used, and again after these changed.
"""

from __future__ import annotations

from typing import Any

from ..engine import ColumnType
from .bind.changes import Binder
from .bind.coercion import State
from .bind.columns import type_of_column
from .bind.operators import Place
from .bound import Bound
from .change.storing import Given, to_store
from .execute.column import Batch
from .execute.context import Context
from .execute.expressions import Expressions
from .parse import parse_expression
from .plan.planner import Planner
from .scope import Catalogue, Scope


class DefaultExpression:
    """A default that is computed anew for every row."""

    def __init__(self, bound: Bound, kind: ColumnType) -> None:
        self._evaluate = Expressions({}, Planner(None, bound)).compile(bound)
        self._kind = kind

    def for_rows(self, context: Context, count: int) -> Given:
        """Return its values for so many rows."""
        found = self._evaluate(context, Batch([], count))
        return to_store(found, count, self._kind)


_DEFAULTS: dict[tuple[str, ColumnType], tuple[Any, DefaultExpression]] = {}
_KEPT = 500


def default_expression(text: str, kind: ColumnType, context: Context) -> DefaultExpression:
    """Return a default, bound to the definitions of now."""
    catalogue = context.session.catalogue(context.transaction)
    found = _DEFAULTS.get((text, kind))
    if found is not None and found[0] is catalogue.view:
        return found[1]
    if len(_DEFAULTS) > _KEPT:
        _DEFAULTS.clear()
    made = DefaultExpression(_bound_default(text, kind, catalogue), kind)
    _DEFAULTS[text, kind] = catalogue.view, made
    return made


def _bound_default(text: str, kind: ColumnType, catalogue: Catalogue) -> Bound:
    binder = Binder(State(catalogue))
    value = binder.bind(parse_expression(text), Scope(), Place("DEFAULT expressions"))
    return binder.coerce(value, type_of_column(kind), 1)
