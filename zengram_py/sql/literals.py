"""Literals: the text of a value, and the value that a type reads in it.

Values come in the engine's stored form (times are microseconds and days since 1970, JSON is its text, arrays are tuples), but for
vectors, which are tuples of numbers here so that trees with them can be compared. Text that a type cannot read is 22P02, numbers that it
cannot hold 22003, as in PostgreSQL.
"""

from __future__ import annotations

import math
import re
import uuid
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation, localcontext
from typing import Any

import numpy as np

from ..engine import Interval, Range, array
from ..engine.composite import MAX_NUMERIC_DIGITS
from ..errors import SqlError, TypeMismatchError
from .civil import HOUR, MINUTE
from .errors import error
from .functions.jsonvalues import dump, read_json
from .intervals import read_interval
from .moments import read_date, read_time, read_timestamp
from .types import INTERVAL_FIELDS, SqlType

_TRUE = ("true", "yes", "on", "1")
_FALSE = ("false", "no", "off", "0")
_INTEGER = re.compile(
    r"\s*([+-]?)\s*(0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|\d(?:_?\d)*)\s*"
)
_FLOAT = re.compile(
    r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?inf(?:inity)?|nan)\s*", re.IGNORECASE
)
_BITS = {"int2": 16, "int4": 32, "int8": 64}
MAX_ARRAY_DIMENSIONS = 6
_YEAR_2000 = 946_684_800_000_000
_INFINITE = (1 << 63) - 1
MAX_FLOAT4 = float(np.finfo(np.float32).max)


def read(text: str, target: SqlType, at: int | None = None) -> Any:
    """Return the value that a type reads in a text.

    Raises
    ------
    SqlError
        22P02, 22003, 22007, 22008 or 22001, with the place.
    KeyError
        If texts of this type are read when the statement runs; :func:`reads` tells.
    """
    if target.category == "A":
        return _read_array(text, target, at)
    if target.category == "R":
        return _read_range(text, target, at)
    if target.category == "E":
        if text not in target.labels:
            raise error("22P02", f'invalid input value for enum {target.title}: "{text}"', at)
        assert target.column is not None
        return target.column.check(text)
    return _READERS[target.name](text, target, at)


def reads(target: SqlType) -> bool:
    """Return whether :func:`read` reads texts of a type."""
    if target.element is not None:
        return reads(target.element)
    return target.category == "E" or target.name in _READERS


def _invalid(text: str, target: SqlType, at: int | None) -> SqlError:
    return error("22P02", f'invalid input syntax for type {target.title}: "{text}"', at)


def _out_of_range(text: str, target: SqlType, at: int | None) -> SqlError:
    return error("22003", f'value "{text}" is out of range for type {target.title}', at)


def _read_bool(text: str, target: SqlType, at: int | None) -> bool:
    word = text.strip().lower()
    if word:
        for words, value in ((_TRUE, True), (_FALSE, False)):
            # a beginning will do, but "o" could be either
            if any(w.startswith(word) for w in words) and (len(word) > 1 or word != "o"):
                return value
    raise _invalid(text, target, at)


def _read_integer(text: str, target: SqlType, at: int | None) -> int:
    found = _INTEGER.fullmatch(text)
    if found is None:
        raise _invalid(text, target, at)
    digits = found[2].replace("_", "")
    if len(digits) > 80:
        raise _out_of_range(text, target, at)
    value = int(digits, 0) if digits[:2].lower() in ("0x", "0o", "0b") else int(digits)
    if found[1] == "-":
        value = -value
    limit = 1 << (_BITS[target.name] - 1)
    if not -limit <= value < limit:
        raise _out_of_range(text, target, at)
    return value


def _read_float(text: str, target: SqlType, at: int | None) -> float:
    found = _FLOAT.fullmatch(text)
    if found is None:
        raise _invalid(text, target, at)
    value = float(found[1])
    exact = "n" in found[1].lower()
    if target.name == "float4" and not exact:
        with np.errstate(over="ignore", under="ignore"):
            value = float(np.float32(value))
    lost = value == 0 and re.search(r"[1-9]", found[1].lower().partition("e")[0]) is not None
    if not exact and (math.isinf(value) or lost):
        raise error("22003", f'"{text.strip()}" is out of range for type {target.title}', at)
    return value


def read_number(text: str, modifier: tuple[int, ...] = (), at: int | None = None) -> Decimal | None:
    """Return an exact number of a text, None if it is none; of a precision and scale if these are given."""
    try:
        value = Decimal(text.strip().replace("_", "") if text.strip()[:1] != "_" else "x")
    except InvalidOperation:
        return None
    if value.is_finite() and value.adjusted() > MAX_NUMERIC_DIGITS:
        raise error("22003", "value overflows numeric format", at)
    exponent = value.as_tuple().exponent
    if isinstance(exponent, int) and exponent > 0:
        value = Decimal(int(value))  # no scale below zero: 1e5 is 100000
    return fit_number(value, modifier, at)


def fit_number(value: Decimal, modifier: tuple[int, ...], at: int | None = None) -> Decimal:
    """Return an exact number with a precision and scale, rounded half away from zero."""
    if not modifier or value.is_nan():
        return value
    precision, scale = modifier[0], modifier[1] if len(modifier) > 1 else 0
    if value.is_infinite():
        detail = f"A field with precision {precision}, scale {scale} cannot hold an infinite value."
        raise error("22003", "numeric field overflow", at, detail=detail)
    with localcontext(prec=200_000):
        value = value.quantize(Decimal(1).scaleb(-scale), rounding=ROUND_HALF_UP)
    if value and value.adjusted() >= precision - scale:
        detail = (
            f"A field with precision {precision}, scale {scale} must round to an absolute value "
            f"less than 10^{precision - scale}."
        )
        raise error("22003", "numeric field overflow", at, detail=detail)
    return value


def _read_number(text: str, target: SqlType, at: int | None) -> Decimal:
    value = read_number(text, target.modifier, at)
    if value is None or value.is_snan():
        raise _invalid(text, target, at)
    return value


def fit_text(text: str, target: SqlType, at: int | None = None, *, cut: bool = False) -> str:
    """Return a text as a ``varchar(n)`` or ``char(n)`` holds it; spaces behind the end go, as does all with ``cut``."""
    if not target.modifier:
        return text
    size = target.modifier[0]
    if len(text) > size:
        if not cut and text[size:].strip(" "):
            raise error("22001", f"value too long for type {target.declaration}", at)
        text = text[:size]
    return text.ljust(size) if target.name == "bpchar" else text


def fit_moments(values: Any, target: SqlType) -> Any:
    """Return timestamps or times, an int64 array or a number, rounded to the digits that a declaration keeps."""
    scale = 10 ** (6 - target.modifier[0])
    zero = _YEAR_2000 if target.name == "timestamp" else 0  # halves are rounded away from here
    given = np.asarray(values, np.int64)
    finite = np.abs(given, where=given > -_INFINITE, out=np.full(given.shape, _INFINITE)) < _INFINITE
    past = np.where(finite, given, zero) - zero
    away = (np.abs(past) + scale // 2) // scale * scale
    return np.where(finite, zero + np.sign(past) * away, given)


def fit_interval(value: Interval, modifier: tuple[int, ...]) -> Interval:
    """Return a span with the fields, or the digits of its seconds, that a declaration keeps."""
    months, days, microseconds = value
    if abs(microseconds) >= _INFINITE:
        return value
    if modifier[0] < 0:
        smallest = -1 - modifier[0]  # of year, month, day, hour, minute, second
        if smallest < 2:
            return Interval(_cut(months, 12 if smallest == 0 else 1), 0, 0)
        unit = {2: 0, 3: HOUR, 4: MINUTE, 5: 1}[smallest]
        return Interval(months, days, _cut(microseconds, unit) if unit else 0)
    scale: int = 10 ** (6 - modifier[0])
    away = (abs(microseconds) + scale // 2) // scale * scale
    return Interval(months, days, away if microseconds >= 0 else -away)


def fit_items(value: tuple[Any, ...], element: SqlType) -> tuple[Any, ...]:
    """Return an array of texts with each cut to the length of ``varchar(n)`` or ``char(n)``."""
    return tuple(
        [
            fit_items(item, element)
            if type(item) is tuple
            else None
            if item is None
            else fit_text(item, element, cut=True)
            for item in value
        ]
    )


def _cut(value: int, unit: int) -> int:
    whole = abs(value) // unit * unit
    return whole if value >= 0 else -whole


def _read_time(text: str, target: SqlType, at: int | None) -> int:
    value = read_time(text, at)
    return int(fit_moments(value, target)) if target.modifier else value


def _read_timestamp(text: str, target: SqlType, at: int | None) -> int:
    value = read_timestamp(text, at)
    return int(fit_moments(value, target)) if target.modifier else value


def _read_interval(text: str, target: SqlType, at: int | None) -> Interval:
    modifier = target.modifier
    if not modifier:
        return read_interval(text, at)
    unit = INTERVAL_FIELDS[-1 - modifier[0]] if modifier[0] < 0 else "second"
    return fit_interval(read_interval(text, at, unit), modifier)


def _read_text(text: str, target: SqlType, at: int | None) -> str:
    return fit_text(text, target, at)


def read_hex(text: str, at: int | None = None) -> bytes:
    """Return the bytes of hexadecimal digits, with spaces between bytes at most; 22023 for others."""
    try:
        return bytes.fromhex(text)
    except ValueError:
        found = re.match(r"(?:[ \t\n\r]*[0-9a-fA-F]{2})*[ \t\n\r]*[0-9a-fA-F]?(.?)", text, re.DOTALL)
        wrong = found[1] if found else ""
    message = (
        f'invalid hexadecimal digit: "{wrong}"' if wrong else "invalid hexadecimal data: odd number of digits"
    )
    raise error("22023", message, at)


def read_escaped_bytes(text: str, at: int | None = None) -> bytes:
    """Return the bytes of a text with octal escapes; 22P02 for other escapes."""
    out, done = bytearray(), 0
    for found in re.finditer(r"\\(?:([0-3][0-7]{2})|(\\)|)", text):
        out += text[done : found.start()].encode()
        done = found.end()
        if not found[1] and not found[2]:
            raise error("22P02", "invalid input syntax for type bytea", at)
        out += bytes([int(found[1], 8)]) if found[1] else b"\\"
    return bytes(out + text[done:].encode())


def _read_bytea(text: str, target: SqlType, at: int | None) -> bytes:
    return read_hex(text[2:], at) if text.startswith("\\x") else read_escaped_bytes(text, at)


def _read_uuid(text: str, target: SqlType, at: int | None) -> str:
    bare = text.strip()
    if re.fullmatch(r"\{?[0-9a-fA-F]{4}(?:-?[0-9a-fA-F]{4}){7}\}?", bare) and (bare[0] == "{") == (
        bare[-1] == "}"
    ):
        return str(uuid.UUID(bare.strip("{}")))
    raise _invalid(text, target, at)


def _read_vector(text: str, target: SqlType, at: int | None) -> tuple[float, ...]:
    bare = text.strip()
    if not (bare.startswith("[") and bare.endswith("]")):
        raise error("22P02", f'invalid input syntax for type vector: "{text[:80]}"', at)
    try:
        items = [float(part) for part in bare[1:-1].split(",")] if bare[1:-1].strip() else []
    except ValueError:
        raise error("22P02", f'invalid input syntax for type vector: "{text[:80]}"', at) from None
    return fit_vector(items, target, at)


def fit_vector(
    items: list[float] | tuple[float, ...], target: SqlType, at: int | None = None
) -> tuple[float, ...]:
    """Return numbers as a vector holds them, of the dimensions that are wanted."""
    if not items:
        raise error("22000", "vector must have at least 1 dimension", at)
    if not all(math.isfinite(item) for item in items):
        raise error("22000", "NaN and infinity are not allowed in vector", at)
    if any(abs(item) > MAX_FLOAT4 for item in items):
        raise error("22003", "a number is out of range for type vector", at)
    if target.modifier and len(items) != target.modifier[0]:
        raise error("22000", f"expected {target.modifier[0]} dimensions, not {len(items)}", at)
    return tuple(np.asarray(items, np.float32).tolist())


def _read_document(text: str, target: SqlType, at: int | None) -> Any:
    from .words.documents import read_document  # loaded by those who search

    return read_document(text, at)


def _read_question(text: str, target: SqlType, at: int | None) -> str:
    from .words.questions import normal

    return normal(text, at)


_READERS: dict[str, Callable[[str, SqlType, int | None], Any]] = {
    "bool": _read_bool,
    "int2": _read_integer,
    "int4": _read_integer,
    "int8": _read_integer,
    "float4": _read_float,
    "float8": _read_float,
    "numeric": _read_number,
    "text": _read_text,
    "varchar": _read_text,
    "bpchar": _read_text,
    "bytea": _read_bytea,
    "uuid": _read_uuid,
    "jsonb": lambda text, target, at: dump(read_json(text, at)),
    "vector": _read_vector,
    "tsvector": _read_document,
    "tsquery": _read_question,
    "date": lambda text, target, at: read_date(text, at),
    "time": _read_time,
    "timestamp": _read_timestamp,
    "interval": _read_interval,
}

# Arrays and ranges.

_ITEM = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|((?:[^{}",\\]|\\.)*))\s*', re.DOTALL)
_RANGE = re.compile(
    r'\s*([\[(])\s*("(?:[^"\\]|\\.|"")*"|[^,"\[\]()]*),("(?:[^"\\]|\\.|"")*"|[^,"\[\]()]*)([\])])\s*',
    re.DOTALL,
)


def _malformed(what: str, text: str, at: int | None) -> SqlError:
    return error("22P02", f'malformed {what} literal: "{text}"', at)


def _read_array(text: str, target: SqlType, at: int | None) -> tuple[Any, ...]:
    assert target.element is not None
    element = target.element
    open_: list[list[Any]] = []
    whole: list[Any] | None = None
    place, size = 0, len(text.rstrip())
    expects_item = True
    while place < size:
        character = text[place]
        if character.isspace():
            place += 1
        elif character == "{" and expects_item and whole is None:
            if len(open_) == MAX_ARRAY_DIMENSIONS:
                message = f"number of array dimensions exceeds the maximum allowed ({MAX_ARRAY_DIMENSIONS})"
                raise error("54000", message, at)
            open_.append([])
            place += 1
        elif character == "}" and open_ and (not expects_item or not open_[-1]):
            done = open_.pop()
            if open_:
                open_[-1].append(tuple(done))
            else:
                whole = done
            expects_item = False
            place += 1
        elif character == "," and open_ and not expects_item:
            expects_item = True
            place += 1
        elif open_ and expects_item:
            found = _ITEM.match(text, place)
            assert found is not None
            if found.end() == place or (found[1] is None and not found[2].strip()):
                raise _malformed("array", text, at)
            open_[-1].append(_item(found, element, at))
            expects_item = False
            place = found.end()
        else:
            raise _malformed("array", text, at)
    if whole is None:
        raise _malformed("array", text, at)
    try:
        if element.column is not None and element.category != "E":
            array(element.column).check([_shape(item) for item in whole])
    except TypeMismatchError:
        raise _malformed("array", text, at) from None
    return tuple(whole)


def _shape(item: Any) -> Any:
    return [_shape(part) for part in item] if type(item) is tuple else None


def _item(found: re.Match[str], element: SqlType, at: int | None) -> Any:
    if found[1] is not None:
        return read(re.sub(r"\\(.)", r"\1", found[1], flags=re.DOTALL), element, at)
    bare = found[2].strip()
    if bare.lower() == "null":
        return None
    return read(re.sub(r"\\(.)", r"\1", bare, flags=re.DOTALL), element, at)


def _read_range(text: str, target: SqlType, at: int | None) -> Any:
    assert target.element is not None
    assert target.column is not None
    if text.strip().lower() == "empty":
        return Range(None, None, False, False, True)
    found = _RANGE.fullmatch(text)
    if found is None:
        raise _malformed("range", text, at)

    def bound(raw: str) -> Any:
        if raw == "":
            return None
        if raw.startswith('"'):
            raw = re.sub(r'\\(.)|""', lambda m: m[1] or '"', raw[1:-1], flags=re.DOTALL)
        return read(raw, target.element, at) if target.element else None

    try:
        return target.column.check(Range(bound(found[2]), bound(found[3]), found[1] == "[", found[4] == "]"))
    except TypeMismatchError as failure:
        if "above its upper bound" not in str(
            failure
        ):  # [1,2147483647] would have to end before a number that there is not
            raise error("22003", f"{target.element.title} out of range", at) from None
        message = "range lower bound must be less than or equal to range upper bound"
        raise error("22000", message, at) from None
