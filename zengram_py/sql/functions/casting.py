"""Casts of columns: which code turns one type into another."""

from __future__ import annotations

from ..errors import unsupported
from ..execute.column import Column
from ..execute.context import Context
from ..types import SqlType
from .registry import call, known_cast


def cast_column(context: Context, column: Column, source: SqlType, target: SqlType, explicit: bool) -> Column:
    """Return a column as another type; ``explicit`` cuts texts to their length in place of refusing them."""
    made = known_cast(source.name, target.name)
    if made is None:
        raise unsupported(f"a cast from {source.title} to {target.title}")
    return call(made, context, target, [column], len(column))
