"""What the catalogue keeps of expressions: small trees of the engine where these say the same, else the text in SQL.

A tree is understood without SQL, so that a database whose checks are trees can be opened and written to by a page that never loads this
folder; the engine also sees which columns it reads. Text is compiled when it is first used.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from ...engine import IndexDef, TableDef
from .. import tree
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
from ..errors import error, unsupported
from ..scope import Catalogue
from ..types import SqlType
from .columns import column_of_type

_COMPARISONS = {"=": "=", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_PLAIN = ("bool", "int2", "int4", "int8", "float8", "text", "varchar")
_NOW = ("now", "current_timestamp", "transaction_timestamp", "localtimestamp")
_METRICS = {"vector_l2_ops": "l2", "vector_cosine_ops": "cosine", "vector_ip_ops": "ip"}
_GRAPH_OPTIONS = ("m", "ef_construction", "ef_search", "seed")


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


def as_check(value: Bound, text: str) -> Any:
    """Return a condition as a tree, or as text."""
    found = _tree(value)
    return stored_text(text) if found is None else found


def _tree(value: Bound) -> list[Any] | None:
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
    found = [_tree(part) for part in parts]
    return None if any(f is None for f in found) else [head, *found]


# Indexes.


def index_of(
    node: tree.CreateIndex, table: TableDef, bind: Callable[[tree.Expression], Bound]
) -> tuple[IndexDef, str | None]:
    """Return the index that a statement defines, and how it is to be built if it says so."""
    if node.where is not None:
        raise unsupported("a partial index", node.where.at)
    if not node.nulls_distinct:
        raise unsupported("NULLS NOT DISTINCT", node.at)
    names = [_name_of(key) for key in node.keys]
    name = node.name or "_".join([table.name[2], *names, "idx"])
    options = dict(node.options)
    build = options.pop("build", None)
    if build not in (None, "now", "deferred"):
        raise error("22023", f"build is 'now' or 'deferred', not '{build}'", node.at)
    if node.method in ("hnsw", "ivfflat", "flat", "auto"):
        return _vector_index(node, name, options, bind), build
    if node.method == "gin":
        return _text_index(node, name, options, bind), build
    if node.method not in ("btree", "hash"):
        raise error("42704", f'access method "{node.method}" does not exist', node.at)
    if options.keys() - {"fillfactor"}:
        raise error("22023", f'unrecognized parameter "{next(iter(options))}"', node.at)
    keys = tuple(_key(key, bind) for key in node.keys)
    return IndexDef(name, "ordered" if node.method == "btree" else "hash", keys, unique=node.unique), build


def _name_of(key: tree.IndexKey) -> str:
    if isinstance(key.expression, (tree.ColumnRef, tree.Call)):
        return key.expression.parts[-1]
    return "expr"


def _key(key: tree.IndexKey, bind: Callable[[tree.Expression], Bound]) -> Any:
    bound = bind(key.expression)
    if isinstance(bound, ColumnVar):
        if bound.type.name in ("jsonb", "vector", "tsvector", "tsquery"):
            message = f"data type {bound.type.title} has no default operator class for access method btree"
            raise error("42704", message, key.at)
        return ["col", bound.name]
    return stored_text(key.text)


def _vector_index(
    node: tree.CreateIndex, name: str, options: dict[str, str], bind: Callable[[tree.Expression], Bound]
) -> IndexDef:
    key = node.keys[0]
    bound = bind(key.expression)
    if len(node.keys) != 1 or not isinstance(bound, ColumnVar) or bound.type.name != "vector":
        raise error("42704", f'access method "{node.method}" takes one vector column', node.at)
    if key.operator_class is not None and key.operator_class not in _METRICS:
        message = f'operator class "{key.operator_class}" does not exist for access method "{node.method}"'
        raise error("42704", message, key.at)
    found: dict[str, Any] = {"metric": _METRICS.get(key.operator_class or "vector_l2_ops")}
    for option, value in options.items():
        if option not in _GRAPH_OPTIONS or node.method == "flat":
            raise error("22023", f'unrecognized parameter "{option}"', node.at)
        if not value.isdigit():
            raise error("22023", f'invalid value for integer option "{option}": {value}', node.at)
        found[option] = int(value)
    kind = "hnsw" if node.method == "ivfflat" else node.method
    return IndexDef(name, kind, (["col", bound.name],), options=found)


def _text_index(
    node: tree.CreateIndex, name: str, options: dict[str, str], bind: Callable[[tree.Expression], Bound]
) -> IndexDef:
    """Return the full-text index of ``to_tsvector([language,] column)``."""
    language, keys = "english", []
    for key in node.keys:
        bound = bind(key.expression)
        if not isinstance(bound, Invocation) or bound.signature.name != "to_tsvector":
            raise unsupported("a GIN index on anything but to_tsvector(…)", key.at)
        *before, column = bound.arguments
        if before:
            if not isinstance(before[0], Const):
                raise error("42P17", "functions in index expression must be marked IMMUTABLE", key.at)
            language = str(before[0].value)
        if not isinstance(column, ColumnVar) or column.type.category != "S":
            raise unsupported("a full-text index on anything but columns of text", key.at)
        keys.append(["col", column.name])
    if options.keys() - {"fastupdate"}:
        raise error("22023", f'unrecognized parameter "{next(iter(options))}"', node.at)
    return IndexDef(name, "fulltext", tuple(keys), options={"language": language})
