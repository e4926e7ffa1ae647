"""What tools of PostgreSQL ask about objects and the server."""

from __future__ import annotations

import os
from decimal import Decimal
from typing import Any

from ...engine import SequenceDef
from ..errors import error
from ..execute.column import Column
from ..execute.context import Context
from ..names import parts_of
from ..scope import Catalogue
from ..types import BOOL, INT4
from .registry import columns, nullable, scalar

_UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")


def _catalogue(context: Context) -> Catalogue:
    return context.session.catalogue(context.transaction)


@scalar("pg_get_serial_sequence: text text", context=True)
def _serial_sequence(context: Context, name: str, column: str) -> str | None:
    table = _catalogue(context).table(parts_of(name))
    if column not in table.by_name:
        raise error("42703", f'column "{column}" of relation "{table.name[2]}" does not exist')
    default = table.column(column).default
    if not isinstance(default, list) or default[0] != "nextval":
        return None
    found = context.transaction.reader.catalog.by_id.get(default[1])
    return f"{found.name[1]}.{found.name[2]}" if isinstance(found, SequenceDef) else None


@scalar("to_regclass: text", context=True)
def _to_regclass(context: Context, name: str) -> str | None:
    catalogue = _catalogue(context)
    parts = parts_of(name)
    known = any(catalogue.find(kind, parts) is not None for kind in ("table", "view", "sequence"))
    return name if known else None


@nullable("has_table_privilege: text text | text text text", context=True)
def _has_privilege(context: Context, *names: str | None) -> bool | None:
    if None in names:
        return None
    table = names[-2]
    assert table is not None
    return isinstance(_catalogue(context).relation(parts_of(table)), object)


@scalar("current_schemas: bool", context=True)
def _current_schemas(context: Context, with_implied: bool) -> tuple[str, ...]:
    catalogue = _catalogue(context)
    found = tuple(s for s in catalogue.path.schemas if catalogue.has_schema(s))
    return ("pg_catalog", *found) if with_implied else found


@columns("pg_backend_pid:")
def _process(context: Context, arguments: Any, count: int) -> Column:
    return Column.constant(INT4, os.getpid() or 1)


@columns("pg_is_in_recovery:")
def _in_recovery(context: Context, arguments: Any, count: int) -> Column:
    return Column.constant(BOOL, False)


@scalar("pg_size_pretty: int8 | numeric")
def _size(size: int | Decimal) -> str:
    """Return a size in the largest unit that leaves no more than 10240 of it, rounded half away from zero at each step."""
    number = Decimal(size)
    if abs(number) < 10_240:
        return f"{size} bytes"
    number = number // 512 if number >= 0 else -(-number // 512)  # one bit more than the unit, to round by
    for unit in _UNITS[1:]:
        half = (abs(number) + 1) // 2
        if half < 10_240 or unit == _UNITS[-1]:
            return f"{'-' if number < 0 else ''}{half} {unit}"
        number = number // 1024 if number >= 0 else -(-number // 1024)
    raise AssertionError(number)
