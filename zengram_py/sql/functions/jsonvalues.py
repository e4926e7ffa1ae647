"""JSON as values: what ``jsonb`` texts say, as Python values and back, and any SQL value as JSON.

A JSON value is None, a bool, an int, a :class:`Decimal` (a number with a fraction, which keeps its digits: ``1.10``), a str, a list or a
dict. Two rules make everything else simple:

- An object's keys are in jsonb's order, by length and then by bytes (:func:`ordered`). Reading sees to it, and so does who makes a dict.
- What :func:`parse` returns is shared: it is never changed.

    text ──parse──▶ value ──dump──▶ compact text, as it is stored          show: as PostgreSQL prints it
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from functools import cache, lru_cache
from json.encoder import encode_basestring
from typing import Any, NoReturn

import numpy as np

from ...errors import SqlError
from ..errors import error
from ..types import SqlType

MAX_DEPTH = 500
_CACHED_LENGTH = 1 << 16
_MAX_POWER, _MIN_POWER = 131_071, -16_383
_SHORT = 4000
"""Digits that Python turns into text and back without a limit of its own."""


def ordered(value: dict[str, Any]) -> dict[str, Any]:
    """Return an object with its keys in jsonb's order: by their length in bytes, then by their bytes."""
    if len(value) < 2:
        return value
    keys = sorted(value, key=_place)
    return value if keys == list(value) else {key: value[key] for key in keys}


def _place(key: str) -> tuple[int, bytes]:
    raw = key.encode("utf-8", "surrogatepass")
    return len(raw), raw


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


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return ordered(dict(pairs))


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_fraction, parse_int=_integer, parse_constant=_refuse_constant
)


def parse(text: str) -> Any:
    """Return the value of a stored text; it is shared and never to be changed."""
    return _parse(text) if len(text) <= _CACHED_LENGTH else _DECODER.decode(text)


@lru_cache(4096)
def _parse(text: str) -> Any:
    return _DECODER.decode(text)


def read_json(text: str, at: int | None = None) -> Any:
    """Return the value of a text that somebody wrote.

    Raises
    ------
    SqlError
        22P02 if it is no JSON, 22P05 for an escaped zero character, 22003 for a number that is too long, 54001 if it nests too deeply.
    """
    _check_depth(text, at)
    try:
        value = _DECODER.decode(text)
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


class _Fractions(Exception):  # noqa: N818
    """There is a number that the quick way cannot write."""


def _no_default(value: Any) -> NoReturn:
    raise _Fractions


_COMPACT = json.JSONEncoder(
    ensure_ascii=False, check_circular=False, separators=(",", ":"), default=_no_default
)
_SHOWN = json.JSONEncoder(
    ensure_ascii=False, check_circular=False, separators=(", ", ": "), default=_no_default
)


def dump(value: Any) -> str:
    """Return the compact text in which a value is stored; 54001 if it nests too deeply."""
    text = dump_part(value)
    _check_depth(text)
    return text


def dump_part(value: Any) -> str:
    """Return what :func:`dump` does, of a value that is no deeper than one that was read."""
    if value.__class__ is str:
        return encode_basestring(value)
    return _write(value, _COMPACT, ",", ":")


def shown(value: Any) -> str:
    """Return the text of a value as PostgreSQL prints it."""
    return _write(value, _SHOWN, ", ", ": ")


def show(text: str) -> str:
    """Return a stored text as PostgreSQL prints it: keys in order, a space after colons and commas."""
    return shown(parse(text))


def number_text(value: int | Decimal) -> str:
    """Return a number's digits."""
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def _write(value: Any, encoder: json.JSONEncoder, comma: str, colon: str) -> str:
    try:
        return encoder.encode(value)
    except _Fractions:
        out: list[str] = []
        _write_into(out.append, value, comma, colon)
        return "".join(out)


def _write_into(put: Callable[[str], None], value: Any, comma: str, colon: str) -> None:
    if isinstance(value, Decimal):
        put(format(value, "f"))
    elif isinstance(value, str):
        put(encode_basestring(value))
    elif isinstance(value, dict):
        before = "{"
        for key, item in value.items():
            put(before + encode_basestring(key) + colon)
            _write_into(put, item, comma, colon)
            before = comma
        put("}" if value else "{}")
    elif isinstance(value, list):
        before = "["
        for item in value:
            put(before)
            _write_into(put, item, comma, colon)
            before = comma
        put("]" if value else "[]")
    else:
        put(
            "null"
            if value is None
            else "true"
            if value is True
            else "false"
            if value is False
            else str(value)
        )


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
    return ordered({n: None if v is None else to_json_value(t)(v) for n, v, t in pairs})


_VALUES: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("bool", "int2", "int4", "int8", "text", "varchar", "bpchar", "uuid"), _same),
    "float4": _float4_value,
    "float8": _float_value,
    "numeric": _number_value,
    "jsonb": parse,
    "record": record_value,
}
