"""Volatility: whether an expression gives the same for the same row for ever, as keys and conditions of indexes and generated columns must.

PostgreSQL's catalogue says of each function whether it is immutable; here are those that are not. Times are UTC, so what depends on the
time zone there depends on nothing here.
"""

from __future__ import annotations

from ..bound import Bound, CastTo, Chain, Invocation, walk
from ..errors import error
from ..signatures import Signature
from ..types import STRING, SqlType

_NAMES = frozenset(
    [
        "array_sample",
        "array_shuffle",
        "array_to_json",
        "array_to_string",
        "clock_timestamp",
        "concat",
        "concat_ws",
        "convert",
        "convert_from",
        "convert_to",
        "current_catalog",
        "current_database",
        "current_date",
        "current_role",
        "current_schema",
        "current_setting",
        "current_time",
        "current_timestamp",
        "current_user",
        "currval",
        "embed",
        "enum_first",
        "enum_last",
        "enum_range",
        "format",
        "gen_random_uuid",
        "json_build_array",
        "json_build_object",
        "json_to_record",
        "json_to_recordset",
        "jsonb_build_array",
        "jsonb_build_object",
        "jsonb_path_exists_tz",
        "jsonb_path_match_tz",
        "jsonb_path_query_array_tz",
        "jsonb_path_query_first_tz",
        "jsonb_path_query_tz",
        "jsonb_to_record",
        "jsonb_to_recordset",
        "lastval",
        "localtime",
        "localtimestamp",
        "nextval",
        "now",
        "pg_sleep",
        "pg_typeof",
        "random",
        "random_normal",
        "row_to_json",
        "session_user",
        "set_config",
        "setseed",
        "setval",
        "statement_timestamp",
        "system_user",
        "timeofday",
        "to_char",
        "to_date",
        "to_json",
        "to_jsonb",
        "to_number",
        "transaction_timestamp",
        "txid_current",
        "uuidv4",
        "uuidv7",
        "version",
    ]
)
_WITHOUT_LANGUAGE = (
    "to_tsvector",
    "to_tsquery",
    "plainto_tsquery",
    "phraseto_tsquery",
    "websearch_to_tsquery",
)
_MOMENTS = ("date", "timestamp", "time", "interval")


def refuse_volatile(value: Bound, message: str, at: int | None = None) -> None:
    """Refuse an expression that is not immutable (42P17)."""
    if not is_immutable(value):
        raise error("42P17", message, value.at if at is None else at)


def is_immutable(value: Bound) -> bool:
    """Return whether an expression depends on nothing but the columns that it reads."""
    for node in walk(value):
        if isinstance(node, Invocation) and not _is_fixed(node.signature):
            return False
        if isinstance(node, Chain) and not all(_is_fixed(signature) for signature, _ in node.steps):
            return False
        if isinstance(node, CastTo) and not _is_fixed_cast(node.operand.type, node.type):
            return False
    return True


def _is_fixed(signature: Signature) -> bool:
    name, given = signature.name, signature.arguments
    if name == "||" and any(t.category == "S" for t in given):
        return all(_is_fixed_cast(t, STRING) for t in given)
    if signature.kind == "operator":
        return True
    if name in _WITHOUT_LANGUAGE:
        return len(given) > 1
    if name == "jsonb_to_tsvector":
        return len(given) > 2
    if name == "ts_headline":
        return given[1].name != "tsquery"
    if name == "age":
        return len(given) == 2
    if name in ("quote_literal", "quote_nullable"):
        return given[0].category == "S"
    if name == "to_timestamp":
        return len(given) == 1
    return name not in _NAMES


def _is_fixed_cast(source: SqlType, target: SqlType) -> bool:
    """Return whether a cast between text and another type goes by nothing that is set."""
    if source.category in "SX":
        return target.name not in _MOMENTS
    return target.category != "S" or source.name not in ("date", "timestamp", "interval")
