"""Parameters: values of Python or JavaScript as what ``$1`` is wanted to be.

    number      integers (whole ones only), floats, numeric; microseconds and days for timestamps and dates
    boolean     boolean alone
    text        whatever the type reads, as a quoted literal
    list, array of numbers   vectors and arrays; anything else for jsonb
    mapping     jsonb
    datetime    timestamps, dates, times; a timedelta is an interval
    bytes       bytea

A value never becomes a part of the text, so nothing in it can be taken for SQL.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np

from ..engine import Interval, Range
from ..errors import InvalidArgumentError, SqlError, TypeMismatchError
from .bind.columns import column_of_type
from .civil import SECOND
from .errors import error
from .fitting import fit_vector
from .literals import read, reads
from .moments import timestamp_of
from .prepare import Prepared, check_count
from .types import SqlType

_LIMITS = {"int2": 1 << 15, "int4": 1 << 31, "int8": 1 << 63}


def check_parameters(given: Any) -> None:
    """Refuse what is no list of values: of a mapping the keys would be taken, of a text the characters."""
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, (Sequence, np.ndarray)):
        raise InvalidArgumentError(
            f"parameters are a list of values for $1, $2, …, not a {type(given).__name__}"
        )


def bind_parameters(prepared: Prepared, given: Sequence[Any]) -> tuple[Any, ...]:
    """Return the values of a statement's parameters in the engine's stored form (vectors as tuples).

    Raises
    ------
    SqlError
        08P01 for another number of values, 22P02 or 22003 for one that does not fit, with the parameter's name.
    """
    check_count(prepared, given)
    return tuple(
        [
            _value(value, wanted, f"${i}")
            for i, (value, wanted) in enumerate(zip(given, prepared.parameters, strict=True), 1)
        ]
    )


def _value(value: Any, wanted: SqlType, name: str) -> Any:
    if value is None:
        return None
    kind = type(value)
    if kind is int:  # the usual cases first: they are as they should be
        limit = _LIMITS.get(wanted.name, 0)
        if -limit <= value < limit:
            return value
    elif kind is str:
        _check_text(value, name)
        if wanted.name == "text":
            return value
    elif kind is float and wanted.name == "float8":
        return value
    try:
        return _converted(value, wanted, name)
    except (TypeMismatchError, OverflowError, RecursionError) as failure:
        code = "22003" if "out of range" in str(failure) else "22P02"
        raise error(code, f"parameter {name} of type {wanted.title}: {failure}") from None
    except SqlError as failure:
        hint = failure.hint
        if wanted.name == "jsonb":
            hint = f"A text given for jsonb is read as JSON; to_jsonb({name}::text) makes a JSON string of any text."
        raise error(failure.sqlstate, f"parameter {name}: {failure}", hint=hint) from None


def _check_text(text: str, name: str) -> None:
    """Refuse what is no text in UTF-8 (22021): JavaScript and Python have texts with halves of characters."""
    if "\0" in text:
        raise error("22021", f'parameter {name}: invalid byte sequence for encoding "UTF8": 0x00')
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise error("22021", f'parameter {name}: invalid byte sequence for encoding "UTF8"') from None


def _refuse(value: Any, wanted: SqlType, name: str) -> SqlError:
    kind = type(value).__name__
    return error("22P02", f"parameter {name} of type {wanted.title} cannot be a value of type {kind}")


def _converted(value: Any, wanted: SqlType, name: str) -> Any:
    if wanted.name == "jsonb" and not isinstance(value, str):
        return column_of_type(wanted).check(_plain(value))
    if isinstance(value, str):
        return read(value, wanted) if reads(wanted) else value
    if wanted.name == "vector":
        return _vector(value, wanted, name)
    if wanted.category == "A":
        return _array(value, wanted, name)
    if isinstance(value, (bool, np.bool_)):
        return _boolean(bool(value), wanted, name)
    if isinstance(value, (int, float, Decimal, np.integer, np.floating)):
        return _number(value, wanted, name)
    if isinstance(value, (datetime, date, time, timedelta)):
        return _moment(value, wanted, name)
    if wanted.category in "TR" and isinstance(value, (Interval, Range)):
        return column_of_type(wanted).check(value)
    if wanted.name == "bytea" and isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    if wanted.category == "S" and isinstance(value, (Mapping, list, tuple)):
        return json.dumps(_plain(value), ensure_ascii=False)
    if wanted.name == "uuid":
        return column_of_type(wanted).check(value)
    raise _refuse(value, wanted, name)


def _plain(value: Any) -> Any:
    """Return a value as what JSON can say."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, datetime):
        return value.isoformat()
    return value


def _vector(value: Any, wanted: SqlType, name: str) -> tuple[float, ...]:
    if isinstance(value, (list, tuple, np.ndarray, memoryview)):
        items = value.tolist() if isinstance(value, (np.ndarray, memoryview)) else list(value)
        numbers = all(isinstance(i, (int, float)) and not isinstance(i, bool) for i in items)
        if numbers:
            return fit_vector([float(i) for i in items], wanted)
    raise _refuse(value, wanted, name)


def _array(value: Any, wanted: SqlType, name: str) -> tuple[Any, ...]:
    if not isinstance(value, (list, tuple, np.ndarray)) or wanted.element is None:
        raise _refuse(value, wanted, name)
    items = value.tolist() if isinstance(value, np.ndarray) else value
    found: list[Any] = []
    for item in items:
        if item is None:
            found.append(None)
        elif isinstance(item, (list, tuple)):
            found.append(_array(item, wanted, name))
        else:
            found.append(_converted(item, wanted.element, name))
    return tuple(found)


def _boolean(value: bool, wanted: SqlType, name: str) -> Any:
    if wanted.name == "bool":
        return value
    if wanted.category == "S":
        return "true" if value else "false"
    raise _refuse(value, wanted, name)


def _number(value: Any, wanted: SqlType, name: str) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if wanted.category == "N":
        if wanted.name.startswith("int") and not isinstance(value, int):
            if value != value or abs(value) == float("inf") or value != int(value):
                raise error("22P02", f'invalid input syntax for type {wanted.title}: "{value}"')
            value = int(value)
        if wanted.name.startswith("float") and isinstance(value, Decimal):
            value = float(value)
        return column_of_type(wanted).check(value)
    if wanted.name in ("timestamp", "date", "time") and isinstance(value, int):
        return column_of_type(wanted).check(value)
    if wanted.category == "S":
        return repr(value) if isinstance(value, float) and value != int(value) else str(value)
    raise _refuse(value, wanted, name)


def _moment(value: Any, wanted: SqlType, name: str) -> Any:
    if isinstance(value, timedelta):
        if wanted.name == "interval":
            return Interval(0, value.days, value.seconds * SECOND + value.microseconds)
    elif isinstance(value, datetime):
        stamp = timestamp_of(value)
        if wanted.name == "timestamp":
            return stamp
        if wanted.name == "date":
            return stamp // (86_400 * SECOND)
        if wanted.name == "time":
            return stamp % (86_400 * SECOND)
    elif isinstance(value, date):
        days = (value - date(1970, 1, 1)).days
        if wanted.name in ("date", "timestamp"):
            return days if wanted.name == "date" else days * 86_400 * SECOND
    elif wanted.name == "time":
        seconds = value.hour * 3600 + value.minute * 60 + value.second
        return seconds * SECOND + value.microsecond
    if wanted.category == "S":
        return str(value) if isinstance(value, timedelta) else value.isoformat()
    raise _refuse(value, wanted, name)
