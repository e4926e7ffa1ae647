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
from decimal import Decimal
from typing import Any

import numpy as np

from ..engine import Interval, Range, array
from ..engine.composite import MAX_NUMERIC_DIGITS
from ..errors import SqlError, TypeMismatchError
from .errors import error, unsupported
from .fitting import fit_interval, fit_moments, fit_number, fit_text, fit_vector
from .functions.jsonvalues import dump, read_json
from .intervals import read_interval
from .moments import read_date, read_time, read_timestamp
from .number_texts import SPACES, float_in, integer_in, is_zero, number_in
from .patterns import pattern
from .types import INTERVAL_FIELDS, SqlType

_TRUE = ("true", "yes", "on", "1")
_FALSE = ("false", "no", "off", "0")
_BITS = {"int2": 16, "int4": 32, "int8": 64}
MAX_ARRAY_DIMENSIONS = 6


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
    word = text.strip(SPACES).lower()
    if word:
        for words, value in ((_TRUE, True), (_FALSE, False)):
            # a beginning will do, but "o" could be either
            if any(w.startswith(word) for w in words) and (len(word) > 1 or word != "o"):
                return value
    raise _invalid(text, target, at)


def _read_integer(text: str, target: SqlType, at: int | None) -> int:
    value = integer_in(text)
    if value is None:
        raise _invalid(text, target, at)
    limit = 1 << (_BITS[target.name] - 1)
    if not -limit <= value < limit:
        raise _out_of_range(text, target, at)
    return value


def _read_float(text: str, target: SqlType, at: int | None) -> float:
    found = float_in(text)
    if found is None:
        raise _invalid(text, target, at)
    value, is_itself = found
    if is_itself:
        return value
    if target.name == "float4":
        with np.errstate(over="ignore", under="ignore"):
            value = float(np.float32(value))
    if math.isinf(value) or (value == 0 and not is_zero(text)):
        raise error("22003", f'"{text.strip(SPACES)}" is out of range for type {target.title}', at)
    return value


def read_number(text: str, modifier: tuple[int, ...] = (), at: int | None = None) -> Decimal | None:
    """Return an exact number of a text, None if it is none; of a precision and scale if these are given."""
    value = number_in(text)
    if value is None:
        return None
    if value.is_finite() and value.adjusted() > MAX_NUMERIC_DIGITS:
        raise error("22003", "value overflows numeric format", at)
    exponent = value.as_tuple().exponent
    if isinstance(exponent, int) and exponent > 0:
        value = Decimal(int(value))  # no scale below zero: 1e5 is 100000
    return fit_number(value, modifier, at)


def _read_number(text: str, target: SqlType, at: int | None) -> Decimal:
    value = read_number(text, target.modifier, at)
    if value is None or value.is_snan():
        raise _invalid(text, target, at)
    return value


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
    bare = text.strip(SPACES)
    if re.fullmatch(r"\{?[0-9a-fA-F]{4}(?:-?[0-9a-fA-F]{4}){7}\}?", bare) and (bare[0] == "{") == (
        bare[-1] == "}"
    ):
        return str(uuid.UUID(bare.strip("{}")))
    raise _invalid(text, target, at)


def _read_vector(text: str, target: SqlType, at: int | None) -> tuple[float, ...]:
    bare = text.strip(SPACES)
    if not (bare.startswith("[") and bare.endswith("]")):
        raise error("22P02", f'invalid input syntax for type vector: "{text[:80]}"', at)
    try:
        items = [float(part) for part in bare[1:-1].split(",")] if bare[1:-1].strip(SPACES) else []
    except ValueError:
        raise error("22P02", f'invalid input syntax for type vector: "{text[:80]}"', at) from None
    return fit_vector(items, target, at)


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

_ITEM = pattern(r'[ \t-\r]*(?:"((?:[^"\\]|\\.)*)"|((?:[^{}",\\]|\\.)*))[ \t-\r]*', re.DOTALL)
_DIMENSIONS = pattern(r"[ \t-\r]*((?:\[(?:[+-]?[0-9]+:)?[+-]?[0-9]+\])+)[ \t-\r]*=")
_RANGE = pattern(
    r'\s*([\[(])\s*("(?:[^"\\]|\\.|"")*"|[^,"\[\]()]*),("(?:[^"\\]|\\.|"")*"|[^,"\[\]()]*)([\])])\s*',
    re.DOTALL | re.ASCII,
)


def _malformed(what: str, text: str, at: int | None) -> SqlError:
    return error("22P02", f'malformed {what} literal: "{text}"', at)


def _read_array(text: str, target: SqlType, at: int | None) -> tuple[Any, ...]:
    assert target.element is not None
    element = target.element
    open_: list[list[Any]] = []
    whole: list[Any] | None = None
    lengths = _DIMENSIONS.match(text)
    place, size = 0 if lengths is None else lengths.end(), len(text.rstrip(SPACES))
    expects_item = True
    while place < size:
        character = text[place]
        if character in SPACES:
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
            if found.end() == place or (found[1] is None and not found[2].strip(SPACES)):
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
    value = tuple(whole) if _has_items(whole) else ()
    if lengths is not None:
        _check_dimensions(lengths[1], value, text, at)
    return value


def _has_items(value: Any) -> bool:
    """Return whether there is anything in an array, however many brackets it has."""
    return any(type(item) is not tuple or _has_items(item) for item in value)


def _check_dimensions(given: str, value: tuple[Any, ...], text: str, at: int | None) -> None:
    """Refuse ``[1:2]={…}`` where that is not what follows; arrays begin with 1 here."""
    part: Any = value
    for low, high in re.findall(r"\[(?:([+-]?[0-9]+):)?([+-]?[0-9]+)\]", given):
        if int(low or 1) > int(high):
            raise error("2202E", "upper bound cannot be less than lower bound", at)
        if type(part) is not tuple or len(part) != int(high) - int(low or 1) + 1:
            raise _malformed("array", text, at)
        if int(low or 1) != 1:
            raise unsupported("an array that does not begin with 1", at)
        part = part[0]
    if type(part) is tuple:
        raise _malformed("array", text, at)


def _shape(item: Any) -> Any:
    return [_shape(part) for part in item] if type(item) is tuple else None


def _item(found: re.Match[str], element: SqlType, at: int | None) -> Any:
    if found[1] is not None:
        return read(re.sub(r"\\(.)", r"\1", found[1], flags=re.DOTALL), element, at)
    bare = found[2].strip(SPACES)
    if bare.lower() == "null":
        return None
    return read(re.sub(r"\\(.)", r"\1", bare, flags=re.DOTALL), element, at)


def _read_range(text: str, target: SqlType, at: int | None) -> Any:
    assert target.element is not None
    assert target.column is not None
    if text.strip(SPACES).lower() == "empty":
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
