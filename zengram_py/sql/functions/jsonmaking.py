"""jsonb that is made of SQL values: objects, arrays, rows and anything else; and its text for people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..errors import error
from ..execute.column import Column, objects
from ..execute.context import Context
from ..types import JSONB, SqlType
from .jsonb import flat
from .jsonvalues import dump, fields, number_text, parse, shown, to_json_value
from .registry import columns, scalar

Convert = Callable[[Any], Any]

# These ask the columns for their types, not the signature, since two enums of one name may have different labels.


@columns("to_json to_jsonb: any")
@columns("array_to_json: anyarray|anyarray bool")
@columns("row_to_json: record|record bool")
def _to_json(context: Context, arguments: Sequence[Column], count: int) -> Column:
    column = arguments[0]
    if column.type.name == "jsonb":
        return column
    convert = to_json_value(column.type)
    return column.map(lambda value: dump(convert(value)), JSONB)


def _rows(arguments: Sequence[Column], count: int, make: Callable[[Sequence[Any]], str]) -> Column:
    """Return a function of each row of columns, nulls too, as jsonb."""
    constant = all(a.is_constant for a in arguments)
    size = 1 if constant else count
    lists = [a.expanded(size).tolist() for a in arguments]
    made = [make(row) for row in zip(*lists, strict=True)] if lists else [make(())]
    return Column(JSONB, objects(made), is_constant=constant)


def _spread(array: Column) -> tuple[Callable[[Any], list[Any]], SqlType]:
    """Return what gives the items of a variadic array, and their type."""
    assert array.type.element is not None
    return flat, array.type.element


def key_text(sql_type: SqlType) -> Convert:
    """Return the function that makes a value (not null) the key of an object.

    Raises
    ------
    SqlError
        22023 if values of the type are no keys.
    """
    if sql_type.category == "A" or sql_type.name in ("record", "jsonb"):
        raise error("22023", "key value must be scalar, not array, composite, or json")
    if sql_type.category == "S":
        return lambda value: value
    if sql_type.name in ("float4", "float8"):
        from .output import text_of

        return text_of(sql_type)
    convert = to_json_value(sql_type)

    def text(value: Any) -> str:
        found = convert(value)
        if isinstance(found, bool):
            return "true" if found else "false"
        return found if isinstance(found, str) else number_text(found)

    return text


def _pairs(row: Sequence[Any], convert: Sequence[Convert]) -> str:
    found: dict[str, Any] = {}
    for i in range(0, len(row), 2):
        if row[i] is None:
            raise error("22023", f"argument {i + 1}: key must not be null")
        value = row[i + 1]
        found[convert[i](row[i])] = None if value is None else convert[i + 1](value)
    return dump(found)


def _even(count: int) -> None:
    if count % 2:
        hint = "The arguments of jsonb_build_object() must consist of alternating keys and values."
        raise error("22023", "argument list must have even number of elements", hint=hint)


@columns("json_build_object jsonb_build_object: any*|")
def _build_object(context: Context, arguments: Sequence[Column], count: int) -> Column:
    _even(len(arguments))
    convert = [to_json_value(a.type) if i % 2 else key_text(a.type) for i, a in enumerate(arguments)]
    return _rows(arguments, count, lambda row: _pairs(row, convert))


@columns("variadic json_build_object jsonb_build_object: any")
def _build_object_of_array(context: Context, arguments: Sequence[Column], count: int) -> Column:
    items, item_type = _spread(arguments[0])
    convert = [key_text(item_type), to_json_value(item_type)]

    def make(array: Any) -> str:
        row = items(array)
        _even(len(row))
        return _pairs(row, convert * (len(row) // 2))

    return arguments[0].map(make, JSONB)


@columns("json_build_array jsonb_build_array: any*|")
def _build_array(context: Context, arguments: Sequence[Column], count: int) -> Column:
    convert = [to_json_value(a.type) for a in arguments]

    def make(row: Sequence[Any]) -> str:
        return dump([None if v is None else c(v) for v, c in zip(row, convert, strict=True)])

    return _rows(arguments, count, make)


@columns("variadic json_build_array jsonb_build_array: any")
def _build_array_of_array(context: Context, arguments: Sequence[Column], count: int) -> Column:
    items, item_type = _spread(arguments[0])
    convert = to_json_value(item_type)
    return arguments[0].map(lambda a: dump([None if v is None else convert(v) for v in items(a)]), JSONB)


# Objects of arrays of texts.


@scalar("json_object jsonb_object: text[]")
def _object_of_pairs(pairs: tuple[Any, ...]) -> str:
    items = flat(pairs)
    if pairs and type(pairs[0]) is tuple:
        if pairs[0] and type(pairs[0][0]) is tuple:
            raise error("2202E", "wrong number of array subscripts")
        if len(pairs[0]) != 2:
            raise error("2202E", "array must have two columns")
    elif len(items) % 2:
        raise error("2202E", "array must have even number of elements")
    return _object_of(items[::2], items[1::2])


@scalar("json_object jsonb_object: text[] text[]")
def _object_of_two(keys: tuple[Any, ...], values: tuple[Any, ...]) -> str:
    if any(a and type(a[0]) is tuple for a in (keys, values)):
        raise error("2202E", "wrong number of array subscripts")
    if len(keys) != len(values):
        raise error("2202E", "mismatched array dimensions")
    return _object_of(keys, values)


def _object_of(keys: Sequence[Any], values: Sequence[Any]) -> str:
    if None in keys:
        raise error("22004", "null value not allowed for object key")
    return dump(dict(zip(keys, values, strict=True)))


# For people.


@scalar("jsonb_pretty: jsonb")
def _pretty(json: str) -> str:
    out: list[str] = []
    _write_lines(out, parse(json), "\n")
    return "".join(out)


def _write_lines(out: list[str], value: Any, line: str) -> None:
    inner = line + "    "
    if value.__class__ is dict:
        out.append("{")
        for i, (key, item) in enumerate(fields(value)):
            out.append(("," if i else "") + inner + shown(key) + ": ")
            _write_lines(out, item, inner)
        out.append(line + "}")
    elif value.__class__ is list:
        out.append("[")
        for i, item in enumerate(value):
            out.append(("," if i else "") + inner)
            _write_lines(out, item, inner)
        out.append(line + "]")
    else:
        out.append(shown(value))
