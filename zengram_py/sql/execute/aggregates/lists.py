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
from ..column import Column
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
    made = implementation(Signature("to_jsonb", (column.type,), JSONB, "function"))
    found = call_function(made, call.context, JSONB, [column], len(column))
    return [_NULL if v is None else v for v in found.tolist()]


@aggregate("jsonb_agg json_agg", keeps_nulls=0, ordered=True)
def _json_array(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    texts = _json_texts(call, columns[0])
    return finished(call.result, [f"[{','.join(found)}]" for found in parts.lists(texts)], parts.empty)


@aggregate("jsonb_object_agg json_object_agg", keeps_nulls=0, ordered=True)
def _json_object(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    from ...functions.jsonmaking import key_text

    keys, values = columns
    if keys.nulls is not None:
        raise error("22023", "field name must not be null")
    text = key_text(keys.type)
    pairs = list(zip([text(key) for key in keys.tolist()], _json_texts(call, values), strict=True))
    return finished(call.result, [_object(found) for found in parts.lists(pairs)], parts.empty)


def _object(pairs: list[tuple[str, str]]) -> str:
    """Return an object; of fields with one name the last stays."""
    from ...functions.jsonvalues import ordered

    fields = ordered(dict(pairs))
    return "{" + ",".join(f"{encode_basestring(name)}:{fields[name]}" for name in fields) + "}"
