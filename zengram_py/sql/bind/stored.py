"""What the catalogue keeps of expressions: small trees of the engine where these say the same, else the text in SQL.

A tree is understood without SQL, so that a database whose checks are trees can be opened and written to by a page that never loads this
folder; the engine also sees which columns it reads. Text is compiled when it is first used.
"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from ..bound import (
    Bound,
    CastTo,
    ColumnVar,
    Const,
    Invocation,
    Logic,
    Membership,
    Negation,
    Test,
)
from ..scope import Catalogue
from ..types import SqlType
from .columns import column_of_type

_COMPARISONS = {"=": "=", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_PLAIN = ("bool", "int2", "int4", "int8", "float8", "text", "varchar")
_NOW = ("now", "current_timestamp", "transaction_timestamp", "localtimestamp")


def stored_text(text: str) -> dict[str, str]:
    """Return an expression as its text in SQL."""
    return {"sql": text}


def as_default(value: Bound, text: str, catalogue: Catalogue) -> Any:
    """Return a default: a constant, the time, the next number of a sequence, or text."""
    if isinstance(value, Const):
        plain = _presented(value)
        if plain is not None or value.value is None:
            return ["lit", plain]
    if isinstance(value, CastTo) and value.type.name.startswith("int"):
        value = value.operand
    if isinstance(value, Invocation) and not value.signature.gives_rows:
        name = value.signature.name
        if name in _NOW and not value.arguments and value.type.name == "timestamp":
            return ["now"]
        if name == "nextval" and isinstance(value.arguments[0], Const):
            parts = tuple(str(value.arguments[0].value).split("."))
            return ["nextval", catalogue.sequence(parts, value.at).id]
    return stored_text(text)


def _presented(value: Const) -> Any:
    """Return a constant as JSON values that its column takes; None if there are none."""
    if value.value is None:
        return None
    column = column_of_type(value.type, value.at)
    shown = list(value.value) if value.type.name == "vector" else column.present(value.value)
    if isinstance(shown, Decimal):
        shown = str(shown)
    try:
        return json.loads(json.dumps(shown, allow_nan=False))
    except (TypeError, ValueError):
        return None


def as_condition(value: Bound, text: str) -> Any:
    """Return a condition as a tree, or as text."""
    found = tree_of(value)
    return stored_text(text) if found is None else found


def tree_of(value: Bound) -> list[Any] | None:
    """Return a tree that says the same of stored values, or None."""
    match value:
        case ColumnVar():
            return ["col", value.name] if value.type.name in _PLAIN or value.type.category != "S" else None
        case Const():
            return ["lit", value.value] if value.type.name in _PLAIN else None
        case Logic(_, name, operands):
            return _all(name, operands)
        case Negation(_, operand):
            return _all("not", (operand,))
        case Test(_, operand, "null", negated):
            found = _all("is_null", (operand,))
            return found if found is None or not negated else ["not", found]
        case Membership(_, operand, items, equality, negated):
            if not _is_plain(equality.arguments[0]):
                return None
            found = _all("in", (operand, *items))
            return found if found is None or not negated else ["not", found]
        case Invocation(_, signature, arguments):
            if signature.name in _COMPARISONS and all(_is_plain(a) for a in signature.arguments):
                return _all(_COMPARISONS[signature.name], arguments)
    return None


def _is_plain(sql_type: SqlType) -> bool:
    return sql_type.name in _PLAIN


def _all(head: str, parts: tuple[Bound, ...]) -> list[Any] | None:
    found = [tree_of(part) for part in parts]
    return None if any(f is None for f in found) else [head, *found]
