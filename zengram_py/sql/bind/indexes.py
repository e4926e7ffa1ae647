"""Indexes: what ``create index`` means for the engine.

btree brin          ordered                  hnsw ivfflat flat auto    vectors
hash                hash                     gin                       fulltext for to_tsvector(language, column), else gin
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...engine import IndexDef, TableDef
from ...engine.index.items import OPERATORS
from ...errors import SqlError
from .. import tree
from ..bound import Bound, ColumnVar, Const, Invocation
from ..errors import error, unsupported
from ..types import SqlType
from .collations import check_collation
from .constraints import check_alone
from .stored import as_condition, stored_text
from .volatility import refuse_volatile

Bind = Callable[[tree.Expression], Bound]

_METRICS = {"vector_l2_ops": "l2", "vector_cosine_ops": "cosine", "vector_ip_ops": "ip"}
_GRAPH_OPTIONS = ("m", "ef_construction", "ef_search", "seed")
_VECTORS = ("hnsw", "ivfflat", "flat", "auto")
_KINDS = {"btree": "ordered", "brin": "ordered", "hash": "hash"}
_OPTIONS = {
    "btree": ("fillfactor", "deduplicate_items"),
    "brin": ("pages_per_range", "autosummarize"),
    "hash": ("fillfactor",),
    "gin": ("fastupdate", "gin_pending_list_limit"),
}
_TEXTS = ("text", "varchar")
_CLASSES: dict[str, tuple[str, ...]] = {
    "text_ops": _TEXTS,
    "varchar_ops": _TEXTS,
    "text_pattern_ops": _TEXTS,
    "varchar_pattern_ops": _TEXTS,
    "name_ops": _TEXTS,
    "bpchar_pattern_ops": ("bpchar",),
    "timestamptz_ops": ("timestamp",),
    "timetz_ops": ("time",),
    **{
        f"{name}_ops": (name,)
        for name in [
            "bool",
            "bpchar",
            "bytea",
            "date",
            "float4",
            "float8",
            "int2",
            "int4",
            "int8",
            "interval",
            "jsonb",
            "numeric",
            "oid",
            "time",
            "timestamp",
            "tsquery",
            "tsvector",
            "uuid",
        ]
    },
}
"""Operator classes of ordered and hash indexes, and the types that they take."""
_OF_CATEGORY = {"array_ops": "A", "enum_ops": "E", "range_ops": "R"}


def index_of(
    node: tree.CreateIndex, name: str, table: TableDef, bind: Bind, condition: Callable[[], Bound | None]
) -> tuple[IndexDef, str | None]:
    """Return the index that a statement defines, and how it is to be built if it says so.

    Parameters
    ----------
    node : CreateIndex
        The statement.
    name : str
        The index's name.
    table : TableDef
        Its table.
    bind : callable
        Binds an expression of a key.
    condition : callable
        Binds the condition of a partial index.
    """
    options = dict(node.options)
    build = options.pop("build", None)
    if build not in (None, "now", "deferred"):
        raise error("22023", f"build is 'now' or 'deferred', not '{build}'", node.at)
    if node.method in ("gist", "spgist"):
        raise unsupported(f"access method {node.method}", node.at)
    if node.method not in (*_VECTORS, *_OPTIONS):
        raise error("42704", f'access method "{node.method}" does not exist', node.at)
    for column in node.include:
        if column not in table.by_name:
            raise error("42703", f'column "{column}" does not exist', node.at)
    _refuse_what_the_method_has_not(node)
    if node.method in _VECTORS:
        keys, kind, found = _vectors(node, options, bind)
    else:
        strange = options.keys() - set(_OPTIONS[node.method])
        if strange:
            raise error("22023", f'unrecognized parameter "{min(strange)}"', node.at)
        bound = [_bound_key(key, bind) for key in node.keys]
        if node.method == "gin":
            keys, kind, found = _inverted(node, bound)
        else:
            keys = tuple(
                _ordered_key(key, value, node.method) for key, value in zip(node.keys, bound, strict=True)
            )
            kind, found = _KINDS[node.method], {}
    where = condition()
    kept = None
    if where is not None:
        check_alone(where, "index predicate")
        refuse_volatile(where, "functions in index predicate must be marked IMMUTABLE")
        kept = as_condition(where, node.where_text)
    index = IndexDef(
        name, kind, keys, unique=node.unique, options=found, where=kept, nulls_distinct=node.nulls_distinct
    )
    return index, build


def _refuse_what_the_method_has_not(node: tree.CreateIndex) -> None:
    if node.method in ("btree", "flat", "auto", "hnsw", "ivfflat") and not (
        node.unique and node.method in _VECTORS
    ):
        return
    refused = {
        "unique indexes": node.unique,
        "multicolumn indexes": len(node.keys) > 1 and node.method == "hash",
        "included columns": bool(node.include),
        "ASC/DESC options": any(key.descending for key in node.keys),
        "NULLS FIRST/LAST options": any(key.nulls_first is not None for key in node.keys),
    }
    for what, is_there in refused.items():
        if is_there:
            raise error("0A000", f'access method "{node.method}" does not support {what}', node.at)


def _bound_key(key: tree.IndexKey, bind: Bind) -> Bound:
    bound = bind(key.expression)
    check_alone(bound, "index expression")
    if key.collation is not None:
        check_collation(key.collation, bound.type, key.at)
    return bound


def _expression_key(key: tree.IndexKey, value: Bound) -> Any:
    if isinstance(value, ColumnVar):
        return ["col", value.name]
    refuse_volatile(value, "functions in index expression must be marked IMMUTABLE")
    return stored_text(key.text)


def _ordered_key(key: tree.IndexKey, value: Bound, method: str) -> Any:
    found, given = value.type, key.operator_class
    if found.name in ("vector", "jsonpath", "record"):
        raise _no_class(found, method, key.at)
    if given is not None:
        if given not in _CLASSES and given not in _OF_CATEGORY:
            raise _unknown_class(given, method, key.at)
        if found.name not in _CLASSES.get(given, ()) and _OF_CATEGORY.get(given) != found.category:
            raise _wrong_class(given, found, key.at)
    return _expression_key(key, value)


# -- inverted ----------------------------------------------------------------------------------------------------------


def _inverted(node: tree.CreateIndex, bound: list[Bound]) -> tuple[tuple[Any, ...], str, dict[str, Any]]:
    """Return keys, kind and options of ``using gin``."""
    words = [_words(value) for value in bound]
    languages = {found[0] for found in words if found is not None}
    if len(languages) == 1 and None not in words:
        keys = tuple(["col", found[1]] for found in words if found is not None)
        return keys, "fulltext", {"language": languages.pop()}
    classes = [_operator_class(key, value.type) for key, value in zip(node.keys, bound, strict=True)]
    keys = tuple(_expression_key(key, value) for key, value in zip(node.keys, bound, strict=True))
    return keys, "gin", {"ops": classes}


def _words(value: Bound) -> tuple[str, str] | None:
    """Return language and column of ``to_tsvector([language,] column)``, or None for anything else."""
    if not isinstance(value, Invocation) or value.signature.name != "to_tsvector":
        return None
    *before, column = value.arguments
    if not isinstance(column, ColumnVar) or column.type.category != "S":
        return None
    if not before:
        return "english", column.name
    return (str(before[0].value), column.name) if isinstance(before[0], Const) else None


def _operator_class(key: tree.IndexKey, found: SqlType) -> str:
    usual = {"jsonb": "jsonb_ops", "tsvector": "tsvector_ops"}.get(found.name)
    if found.category == "A":
        usual = "array_ops"
    given = key.operator_class
    if given is None:
        if usual is None:
            raise _no_class(found, "gin", key.at)
        return usual
    if given not in OPERATORS:
        raise _unknown_class(given, "gin", key.at)
    if given != usual and (given, usual) != ("jsonb_path_ops", "jsonb_ops"):
        raise _wrong_class(given, found, key.at)
    return given


# -- vectors -----------------------------------------------------------------------------------------------------------


def _vectors(
    node: tree.CreateIndex, options: dict[str, str], bind: Bind
) -> tuple[tuple[Any, ...], str, dict[str, Any]]:
    """Return key, kind and options of an index of vectors."""
    key = node.keys[0]
    bound = bind(key.expression)
    if len(node.keys) != 1 or not isinstance(bound, ColumnVar) or bound.type.name != "vector":
        raise error("42704", f'access method "{node.method}" takes one vector column', node.at)
    if key.operator_class is not None and key.operator_class not in _METRICS:
        raise _unknown_class(key.operator_class, node.method, key.at)
    found: dict[str, Any] = {"metric": _METRICS[key.operator_class or "vector_l2_ops"]}
    for option, value in options.items():
        if option not in _GRAPH_OPTIONS or node.method == "flat":
            raise error("22023", f'unrecognized parameter "{option}"', node.at)
        if not value.isdigit():
            raise error("22023", f'invalid value for integer option "{option}": {value}', node.at)
        found[option] = int(value)
    kind = "hnsw" if node.method == "ivfflat" else node.method
    return (["col", bound.name],), kind, found


def _no_class(found: SqlType, method: str, at: int) -> SqlError:
    message = f'data type {found.title} has no default operator class for access method "{method}"'
    hint = "You must specify an operator class for the index or define a default operator class for the data type."
    return error("42704", message, at, hint=hint)


def _unknown_class(name: str, method: str, at: int) -> SqlError:
    return error("42704", f'operator class "{name}" does not exist for access method "{method}"', at)


def _wrong_class(name: str, found: SqlType, at: int) -> SqlError:
    return error("42804", f'operator class "{name}" does not accept data type {found.title}', at)
