"""JSON as values: what ``jsonb`` texts say, as Python values and back, and any SQL value as JSON.

A JSON value is None, a bool, an int, a :class:`Decimal` (a number with a fraction, which keeps its digits: ``1.10``), a str, a list or a
dict. What :func:`parse` returns is shared, and never changed. A dict's keys may be in any order; where the order shows, :func:`fields` gives
jsonb's: by length, then by bytes.

    text ──parse──▶ value ──dump──▶ compact text, as it is stored          show: as PostgreSQL prints it, keys in order
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from functools import cache
from json.encoder import encode_basestring
from typing import Any, NoReturn

import numpy as np

from ...errors import SqlError
from ..errors import error
from ..text_cache import text_cache
from ..types import SqlType

MAX_DEPTH = 500
_MAX_POWER, _MIN_POWER = 131_071, -16_383
_SHORT = 4000
"""Digits that Python turns into text and back without a limit of its own."""


def fields(value: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return an object's keys and values in jsonb's order: by the length of keys in bytes, then by their bytes."""
    found = list(value.items())
    if len(found) > 1:
        found.sort(key=_place)
    return found


def _place(field: tuple[str, Any]) -> tuple[int, str]:
    key = field[0]  # characters are in the order of their bytes
    return len(key) if key.isascii() else len(key.encode("utf-8", "surrogatepass")), key


def parts(value: Any) -> list[Any]:
    """Return what is in an array or, in the order of its keys, in an object."""
    return [item for _, item in fields(value)] if isinstance(value, dict) else list(value)


def ordered(value: Any) -> Any:
    """Return a value with the keys of its objects in order, also of those that are in others."""
    if value.__class__ is dict:
        made = {}
        for key, item in fields(
            value
        ):  # loops, for comprehensions are calls of their own before Python 3.12, and values nest deeply
            made[key] = ordered(item)
        return made
    if value.__class__ is not list:
        return value
    items = []
    for item in value:
        items.append(ordered(item))  # noqa: PERF401
    return items


# Reading.


def _fraction(text: str) -> int | Decimal:
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise error("22003", "value overflows numeric format") from None
    return number(value)


def number(value: Decimal) -> int | Decimal:
    """Return a number as JSON has it: whole ones without a scale below zero, zero without a sign.

    Raises
    ------
    SqlError
        22003 if it has more digits than a ``numeric``.
    """
    exponent = value.as_tuple().exponent
    assert isinstance(exponent, int)
    if exponent < _MIN_POWER or (value and value.adjusted() > _MAX_POWER):
        raise error("22003", "value overflows numeric format")
    if not value:
        return value.copy_abs() if exponent < 0 else 0
    if exponent < 0:
        return value
    whole = int(value)
    return whole if value.adjusted() < _SHORT else Decimal(whole)


def read_number(text: str) -> int | Decimal:
    """Return the number that digits say, with a fraction and an exponent if there are some; 22003 if it is too long."""
    return int(text) if text.isdigit() and len(text) < _SHORT else _fraction(text)


def negative(value: int | Decimal) -> int | Decimal:
    """Return a number with the other sign."""
    return number(value.copy_negate()) if isinstance(value, Decimal) else -value


def _integer(text: str) -> int | Decimal:
    return int(text) if len(text) < _SHORT else _fraction(text)


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(word)


_QUICK = json.JSONDecoder(parse_float=_fraction, parse_constant=_refuse_constant)
_LONG = json.JSONDecoder(parse_float=_fraction, parse_int=_integer, parse_constant=_refuse_constant)


def _decode(text: str) -> Any:
    try:
        return _QUICK.decode(text)
    except json.JSONDecodeError:
        raise
    except ValueError:  # a number of thousands of digits, or a constant that is none
        return _LONG.decode(text)


@text_cache(4096)
def parse(text: str) -> Any:
    """Return the value of a stored text; it is shared and never to be changed."""
    return _decode(text)


def read_json(text: str, at: int | None = None) -> Any:
    """Return the value of a text that somebody wrote.

    Raises
    ------
    SqlError
        22P02 if it is no JSON, 22P05 for an escaped zero character, 22003 for a number that is too long, 54001 if it nests too deeply.
    """
    _check_depth(text, at)
    try:
        value = _decode(text)
        if "\\u" in text:
            dump(value).encode()
    except SqlError:
        raise
    except json.JSONDecodeError as failure:
        detail = f"{failure.msg} at character {failure.pos + 1}."
        raise _invalid(text, at, detail) from None
    except (ValueError, RecursionError):
        raise _invalid(text, at) from None
    if "\\u0000" in text and "\\u0000" in dump(value).replace("\\\\", ""):
        detail = "\\u0000 cannot be converted to text."
        raise error("22P05", "unsupported Unicode escape sequence", at, detail=detail)
    return value


def _invalid(text: str, at: int | None, detail: str = "") -> SqlError:
    shown = json.dumps(text[:80], ensure_ascii=False)
    return error("22P02", f"invalid input syntax for type json: {shown}", at, detail=detail)


@cache
def _brackets() -> re.Pattern[str]:
    return re.compile(r'"(?:[^"\\]|\\.)*"|([\[\]{}])', re.DOTALL)


def _check_depth(text: str, at: int | None = None) -> None:
    """Refuse JSON that nests so deeply that reading it would overflow the stack, which a tab does not survive."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return
    depth = 0
    for found in _brackets().finditer(text):
        if found[1]:
            depth += 1 if found[1] in "[{" else -1
            if depth > MAX_DEPTH:
                hint = f"nest JSON at most {MAX_DEPTH} deep"
                raise error("54001", "stack depth limit exceeded", at, hint=hint)


# Writing.


def _marked(value: Decimal) -> str:
    """Return a number's digits as a text that no JSON value can have; the encoder writes it, and the marks go afterwards."""
    return "\0" + format(value, "f")


def _encoder(comma: str, colon: str) -> json.JSONEncoder:
    return json.JSONEncoder(
        ensure_ascii=False, check_circular=False, separators=(comma, colon), default=_marked
    )


_COMPACT, _SHOWN = _encoder(",", ":"), _encoder(", ", ": ")


@cache
def _marks() -> re.Pattern[str]:
    return re.compile(r'"\\u0000([-0-9.]+)"')


def dump(value: Any) -> str:
    """Return the compact text in which a value is stored; 54001 if it nests too deeply."""
    text = dump_part(value)
    _check_depth(text)
    return text


def dump_part(value: Any) -> str:
    """Return what :func:`dump` does, of a value that is no deeper than one that was read."""
    kind = value.__class__
    if kind is str:
        return encode_basestring(value)
    return _write(value, _COMPACT) if kind is dict or kind is list else _scalar_text(value)


def shown(value: Any) -> str:
    """Return the text of a value as PostgreSQL prints it, keys in order."""
    return _write(ordered(value), _SHOWN)


def show(text: str) -> str:
    """Return a stored text as PostgreSQL prints it: keys in order, a space after colons and commas."""
    return shown(parse(text))


def number_text(value: int | Decimal) -> str:
    """Return a number's digits."""
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def _scalar_text(value: Any) -> str:
    if value is None:
        return "null"
    if value.__class__ is bool:
        return "true" if value else "false"
    return number_text(value)


def _write(value: Any, encoder: json.JSONEncoder) -> str:
    text = encoder.encode(value)
    return _marks().sub(r"\1", text) if "\\u0000" in text else text


# SQL values as JSON.


def to_json_value(sql_type: SqlType) -> Callable[[Any], Any]:
    """Return the function that gives a stored value (not null) of a type as a JSON value, as ``to_jsonb`` does."""
    if sql_type.category == "A":
        assert sql_type.element is not None
        return _array_value(to_json_value(sql_type.element))
    if sql_type.category == "E":
        assert sql_type.column is not None
        labels: dict[int, str] = dict(sql_type.column.labels)  # type: ignore[attr-defined]
        return lambda code: labels[code]
    found = _VALUES.get(sql_type.name)
    if found is not None:
        return found
    from .output import text_of

    text = text_of(sql_type)
    if sql_type.name == "timestamp":
        return lambda value: text(value).replace(" ", "T", 1)
    return text


def _array_value(element: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def convert(value: Any) -> Any:
        return [None if v is None else convert(v) if type(v) is tuple else element(v) for v in value]

    return convert


def _same(value: Any) -> Any:
    return value


def _float_value(value: float) -> Any:
    if value != value or value in (float("inf"), float("-inf")):
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    if value.is_integer() and abs(value) < 1e15:
        return int(value)
    return _fraction(repr(float(value)))


def _float4_value(value: float) -> Any:
    return _float_value(float(str(np.float32(value))))


def _number_value(value: Decimal) -> Any:
    if not value.is_finite():
        return "NaN" if value.is_nan() else "Infinity" if value > 0 else "-Infinity"
    return number(value)


def record_value(record: Any) -> dict[str, Any]:
    """Return a row as an object, by the names of its columns or by f1, f2 and so on."""
    names = record.names or [f"f{i + 1}" for i in range(len(record.values))]
    pairs = zip(names, record.values, record.types, strict=True)
    return {n: None if v is None else to_json_value(t)(v) for n, v, t in pairs}


_VALUES: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("bool", "int2", "int4", "int8", "text", "varchar", "bpchar", "uuid"), _same),
    "float4": _float4_value,
    "float8": _float_value,
    "numeric": _number_value,
    "jsonb": parse,
    "record": record_value,
}
