"""Aggregates that put values together: ``array_agg``, ``string_agg``, ``jsonb_agg``, ``jsonb_object_agg``."""

from __future__ import annotations

from collections.abc import Sequence
from json.encoder import encode_basestring
from typing import Any

from ...errors import error
from ...functions.registry import call as call_function
from ...functions.registry import implementation
from ...signatures import Signature
from ...types import JSONB
from ..column import Column, Mask
from .parts import Parts
from .reduction import Call, aggregate, finished


@aggregate("array_agg", keeps_nulls=0, ordered=True)
def _array(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    values = columns[0].tolist()
    if columns[0].type.category == "A":
        _check_shapes(parts, values)
    return finished(call.result, [tuple(found) for found in parts.lists(values)], parts.empty)


def _check_shapes(parts: Parts, values: list[Any]) -> None:
    """Refuse arrays that do not make an array together."""
    shapes = [_shape(value) for value in values]
    if None in shapes:
        raise error("22004", "cannot accumulate null arrays")
    if () in shapes:
        raise error("2202E", "cannot accumulate empty arrays")
    if len(set(shapes)) > 1 and any(len(set(found)) > 1 for found in parts.lists(shapes)):
        raise error("2202E", "cannot accumulate arrays of different dimensionality")


def _shape(value: Any) -> tuple[int, ...] | None:
    if value is None:
        return None
    found = []
    while type(value) is tuple and value:
        found.append(len(value))
        value = value[0]
    return tuple(found)


@aggregate("string_agg", keeps_nulls=1, ordered=True)
def _joined(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    texts, separators = columns
    empty: Any = b"" if call.result.name == "bytea" else ""
    values = texts.tolist()
    if separators.is_constant:
        separator = separators.tolist()[0]
        separator = empty if separator is None else separator
        return finished(call.result, [separator.join(found) for found in parts.lists(values)], parts.empty)
    before = [empty if s is None else s for s in separators.tolist()]
    pairs = list(zip(before, values, strict=True))
    return finished(call.result, [_chained(found, empty) for found in parts.lists(pairs)], parts.empty)


def _chained(pairs: list[tuple[Any, Any]], empty: Any) -> Any:
    """Return texts, each but the first behind its own separator."""
    pieces = [piece for pair in pairs for piece in pair]
    return empty.join(pieces[1:])


# JSON, in the text in which it is stored.

_NULL = "null"


def _json_texts(call: Call, column: Column) -> list[str]:
    """Return values as texts of JSON."""
    if column.type.name in ("int2", "int4", "int8"):
        return [_NULL if v is None else str(v) for v in column.tolist()]
    made = implementation(Signature("to_jsonb", (column.type,), JSONB, "function"))
    found = call_function(made, call.context, JSONB, [column], len(column))
    return [_NULL if v is None else v for v in found.tolist()]


@aggregate("json_agg jsonb_agg", keeps_nulls=0, ordered=True)
@aggregate("json_agg_strict jsonb_agg_strict", keeps_nulls=0, ordered=True)
def _json_array(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    empty, parts, (values,) = _without_nulls(parts, columns, call)
    texts = _json_texts(call, values)
    return finished(call.result, [f"[{','.join(found)}]" for found in parts.lists(texts)], empty)


def _without_nulls(
    parts: Parts, columns: Sequence[Column], call: Call
) -> tuple[Mask | None, Parts, Sequence[Column]]:
    """Return which parts are empty, and the rows that a strict aggregate takes: an array of nothing but nulls is empty, not null."""
    nulls = columns[-1].nulls
    if nulls is None or not call.signature.name.endswith("strict"):
        return parts.empty, parts, columns
    return parts.empty, parts.where(~nulls), [c.take(~nulls) for c in columns]


@aggregate("json_object_agg jsonb_object_agg", keeps_nulls=0, ordered=True)
@aggregate("json_object_agg_strict jsonb_object_agg_strict", keeps_nulls=0, ordered=True)
def _json_object(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    from ...functions.jsonmaking import key_text

    if columns[0].is_null(1).any():
        raise error("22023", "field name must not be null")
    empty, parts, (keys, values) = _without_nulls(parts, columns, call)
    text = key_text(keys.type)
    pairs = list(zip([text(key) for key in keys.tolist()], _json_texts(call, values), strict=True))
    return finished(call.result, [_object(found) for found in parts.lists(pairs)], empty)


def _object(pairs: list[tuple[str, str]]) -> str:
    """Return an object; of fields with one name the last stays."""
    return "{" + ",".join([f"{encode_basestring(name)}:{value}" for name, value in dict(pairs).items()]) + "}"
