"""Catalogues: the tables in which SQL looks at its own definitions, ``information_schema`` and a small ``pg_catalog``.

They hold nothing: their rows are made of the definitions that the statement sees, so they show each branch its own schema, and are right inside a
transaction that changes it.

    describe.py             definitions as PostgreSQL tells of them: types, defaults, numbers of objects
    information_schema.py   tables, columns, constraints, …
    pg_catalog.py           pg_class, pg_attribute, pg_type, …
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

from ..nodes import node
from ..types import SqlType, named
from .describe import Definitions

Rows = Iterable[tuple[Any, ...]]


@node(frozen=True, slots=True)
class VirtualTable:
    """A table whose rows are made when they are read.

    Attributes
    ----------
    name : str
        With its schema.
    columns : tuple of (str, SqlType)
        Names and types.
    rows : callable
        Of the definitions that a statement sees, the rows in stored form.
    """

    name: str
    columns: tuple[tuple[str, SqlType], ...]
    rows: Callable[[Definitions], Rows]


def columns_of(text: str) -> tuple[tuple[str, SqlType], ...]:
    """Return columns of their names; ``name:type`` for those that are no text."""
    pairs = [word.partition(":") for word in text.split()]
    return tuple((name, named(kind or "text")) for name, _, kind in pairs)


@cache
def _tables() -> dict[tuple[str, str], VirtualTable]:
    from . import information_schema, pg_catalog

    found = {}
    for schema, tables in (
        ("information_schema", information_schema.TABLES),
        ("pg_catalog", pg_catalog.TABLES),
    ):
        for name, (columns, rows) in tables.items():
            found[schema, name] = VirtualTable(f"{schema}.{name}", columns_of(columns), rows)
    return found


def find(parts: Sequence[str], database: str) -> VirtualTable | None:
    """Return the catalogue's table of a name; without a schema it is one of ``pg_catalog``."""
    if len(parts) == 3 and parts[0] == database:
        parts = parts[1:]
    if len(parts) == 1:
        return _tables().get(("pg_catalog", parts[0])) if parts[0].startswith("pg_") else None
    if len(parts) != 2 or parts[0] not in ("information_schema", "pg_catalog"):
        return None
    return _tables().get((parts[0], parts[1]))
