"""Collations: texts sort by their characters' numbers, which PostgreSQL calls ``"C"``; a few names mean that."""

from __future__ import annotations

from ..errors import error
from ..types import SqlType

_KNOWN = frozenset(["C", "POSIX", "default", "ucs_basic", "C.UTF-8", "C.utf8", "pg_c_utf8"])


def check_collation(name: tuple[str, ...], sql_type: SqlType, at: int) -> None:
    """Refuse a collation that sorts otherwise (42704), or one of a type that has none (42804)."""
    if name[-1] not in _KNOWN:
        raise error("42704", f'collation "{name[-1]}" for encoding "UTF8" does not exist', at)
    element = sql_type.element if sql_type.category == "A" else sql_type
    if element is None or element.category not in "SX":
        raise error("42804", f"collations are not supported by type {sql_type.title}", at)
