"""Values as callers see them: results in Python, and as JSON for JavaScript.

Stored form is what the engine holds. Of it callers get, in Python and in JavaScript:

    numeric              Decimal                         text
    date, time           days, microseconds              numbers
    timestamp            microseconds since 1970         text of that number
    interval             Interval                        "1 months 2 days 10800000000 us"
    int8                 int                             number; beyond 2**53 - 1 the text of it
    float                float                           number; "NaN", "Infinity", "-Infinity" as text
    bytea                bytes                           list of byte values
    uuid, text, enum     str                             text
    jsonb                the JSON value                  the JSON value
    array                list                            list
    vector               float32 array                   list of numbers
    range, tsvector, …   Range, tuple                    text, as PostgreSQL writes it
    row                  tuple                           text
    null                 None                            null

Values are converted by columns: most need nothing to be done, and then nothing is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from json.encoder import encode_basestring_ascii as _quote
from typing import Any

import numpy as np

from .bound import Output
from .types import SqlType

_EXACT = (1 << 53) - 1
"""Up to this a JavaScript number is exactly one whole number."""
Convert = Callable[[Any], Any]
Write = Callable[[Any], str]


# Python.


def to_python(outputs: Sequence[Output], rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return rows in stored form as rows of Python values."""
    converters = [_python(o.type) for o in outputs]
    if not any(converters) or not rows:
        return rows
    columns = [
        column if convert is None else [None if v is None else convert(v) for v in column]
        for convert, column in zip(converters, zip(*rows, strict=True), strict=True)
    ]
    return list(zip(*columns, strict=True))


def _python(sql_type: SqlType) -> Convert | None:
    """Return what makes a Python value of a stored one; None if nothing does."""
    if sql_type.category == "A":
        assert sql_type.element is not None
        return _listed(_python(sql_type.element))
    if sql_type.category == "E":
        labels = _labels(sql_type)
        return labels.__getitem__
    if sql_type.name == "jsonb":
        return json.loads
    if sql_type.name == "vector":
        return _array_of_floats
    if sql_type.name == "record":
        return _record
    return None


def _labels(sql_type: SqlType) -> dict[int, str]:
    return dict(sql_type.column.labels)  # type: ignore[union-attr]


def _listed(element: Convert | None) -> Convert:
    def convert(value: tuple[Any, ...]) -> list[Any]:
        return [
            convert(v) if type(v) is tuple else v if element is None or v is None else element(v)
            for v in value
        ]

    return convert


def _array_of_floats(value: Any) -> Any:
    return np.asarray(value, np.float32)


def _record(value: Any) -> tuple[Any, ...]:
    return to_python([Output("", t) for t in value.types], [tuple(value.values)])[0]


# JSON.


def to_json(outputs: Sequence[Output], rows: Sequence[tuple[Any, ...]]) -> str:
    """Return rows in stored form as the JSON text of a list of objects; of columns with one name the last counts."""
    if not rows:
        return "[]"
    template, places = _template(outputs)
    columns = list(zip(*rows, strict=True)) if outputs else []
    texts = []
    for place in places:
        write = _json(outputs[place].type)
        texts.append(["null" if v is None else write(v) for v in columns[place]])
    if not texts:
        return "[" + ",".join(["{}"] * len(rows)) + "]"
    return "[" + ",".join([template % row for row in zip(*texts, strict=True)]) + "]"


def _template(outputs: Sequence[Output]) -> tuple[str, list[int]]:
    """Return a row's text with places for its values, and which columns these are."""
    last = {output.name: place for place, output in enumerate(outputs)}
    parts = [_quote(name).replace("%", "%%") + ":%s" for name in last]
    return "{" + ",".join(parts) + "}", list(last.values())


def names_of(outputs: Sequence[Output]) -> list[str]:
    """Return the names of a result's columns."""
    return [o.name for o in outputs]


def _json(sql_type: SqlType) -> Write:
    """Return what writes a stored value that is not null as JSON."""
    if sql_type.category == "A":
        assert sql_type.element is not None
        return _json_list(_json(sql_type.element))
    if sql_type.category == "E":
        labels = {code: _quote(label) for code, label in _labels(sql_type).items()}
        return labels.__getitem__
    written = _WRITERS.get(sql_type.name)
    return _as_text(sql_type) if written is None else written


def _as_text(sql_type: SqlType) -> Write:
    from .functions.output import text_of

    text = text_of(sql_type)
    return lambda value: _quote(text(value))


def _json_list(element: Write) -> Write:
    def write(value: tuple[Any, ...]) -> str:
        return "[" + ",".join([_json_item(v, element, write) for v in value]) + "]"

    return write


def _json_item(value: Any, element: Write, nested: Write) -> str:
    if value is None:
        return "null"
    return nested(value) if type(value) is tuple else element(value)


def _int8(value: int) -> str:
    return str(value) if -_EXACT <= value <= _EXACT else f'"{value}"'


def _float8(value: float) -> str:
    if value - value == 0:
        return repr(value)
    return '"NaN"' if value != value else '"Infinity"' if value > 0 else '"-Infinity"'


def _float4(value: float) -> str:
    return str(np.float32(value)) if value - value == 0 else _float8(value)


def _interval(value: Any) -> str:
    months, days, microseconds = value
    return f'"{months} months {days} days {microseconds} us"'


def _vector(value: Any) -> str:
    items = value.tolist() if isinstance(value, np.ndarray) else value
    return "[" + ",".join(map(repr, items)) + "]"


@cache
def _bool(value: bool) -> str:
    return "true" if value else "false"


_WRITERS: dict[str, Write] = {
    "bool": _bool,
    "int2": str,
    "int4": str,
    "int8": _int8,
    "float4": _float4,
    "float8": _float8,
    "date": str,
    "time": str,
    "timestamp": lambda value: f'"{value}"',
    "interval": _interval,
    "text": _quote,
    "varchar": _quote,
    "bpchar": _quote,
    "unknown": _quote,
    "uuid": lambda value: f'"{value}"',
    "bytea": lambda value: str(list(value)).replace(" ", ""),
    "jsonb": str,
    "vector": _vector,
    "void": lambda value: "null",
}
"""How values of types that are not made of others are written; every other type is written as its text."""
