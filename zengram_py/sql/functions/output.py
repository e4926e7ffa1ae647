"""Output: the text of a value, as PostgreSQL writes it.

:func:`text_of` gives for a type the function from a stored value to its text. Results, casts to text, ``concat``, ``format``, arrays and
rows as text all go through it, so that one value has one text::

    1e20::float8           1e+20                       fewest digits that read back as the same number
    interval '-1 mon 2h'   -1 mons +02:00:00           each part with its own sign
    array['a b', null]     {"a b",NULL}                quotes only where reading needs them
    row(1, 'a,b')          (1,"a,b")
    '{"b":1,"a":[1]}'      {"a": [1], "b": 1}          keys by length, then by bytes
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache
from importlib import import_module
from typing import Any

import numpy as np

from ..types import SqlType
from .jsonvalues import show

Text = Callable[[Any], str]

_DAY = 86_400_000_000
_INT4_MAX, _INT8_MAX = (1 << 31) - 1, (1 << 63) - 1
_QUOTED_ITEM = re.compile(r'[{}",\\ \t\n\r\v\f]')
_QUOTED_BOUND = re.compile(r'["\\()\[\], \t\n\r\v\f]')
_QUOTED_FIELD = re.compile(r'["\\(), \t\n\r\v\f]')


def text_of(sql_type: SqlType) -> Text:
    """Return the function that gives the text of a stored value that is not null."""
    if sql_type.category == "A":
        assert sql_type.element is not None
        return _array_text(text_of(sql_type.element))
    if sql_type.category == "R":
        assert sql_type.element is not None
        return _range_text(text_of(sql_type.element))
    if sql_type.category == "E":
        return _enum_text(sql_type)
    return _TEXTS[sql_type.name]


def cast_text_of(sql_type: SqlType) -> Text:
    """Return the function that gives the text which a cast to ``text`` makes: it differs for booleans and ``char(n)``."""
    return _CAST_TEXTS.get(sql_type.name) or text_of(sql_type)


# Numbers.


def bool_text(value: bool) -> str:
    """Return ``t`` or ``f``."""
    return "t" if value else "f"


def float8_text(value: float) -> str:
    """Return the fewest digits that read back as the same double, with an exponent from 1e15 on and below 1e-4."""
    text = repr(value)
    if -1e15 < value < 1e15:
        return text[:-2] if text.endswith(".0") else text
    if not -_FLOAT8_MAX <= value <= _FLOAT8_MAX:
        return _NOT_FINITE[text]
    if -1e40 < value < 1e40:
        text = _inside(value, text, math.ulp(value), 17)
    return _laid_out(text, 15)


def float4_text(value: float) -> str:
    """Return the fewest digits that read back as the same float of 32 bits, with an exponent from 1e6 on and below 1e-4."""
    if -1e6 < value < 1e6 and value == (whole := int(value)) and whole:
        return str(whole)
    exact = np.float32(value)
    text = str(exact)
    if text in _NOT_FINITE:
        return _NOT_FINITE[text]
    if abs(value) > 1e7:
        text = _inside(value, text, float(np.spacing(np.abs(exact))), 9)
    return _laid_out(text, 6)


_FLOAT8_MAX = 1.7976931348623157e308
_NOT_FINITE = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def _inside(value: float, text: str, spacing: float, most: int) -> str:
    """Return the digits of a great number, more of them if they stand half way to the next one.

    Those read back as this number too, as it is the even one, but PostgreSQL does not rely on that.
    """
    number = abs(int(value))
    for digits in range(most - 2, most + 1):
        distance = abs(int(Decimal(text))) - number
        below = distance < 0 and math.frexp(value)[0] in (
            0.5,
            -0.5,
        )  # the numbers below a power of two are closer
        if 2 * abs(distance) < int(spacing) / (2 if below else 1):
            return text
        text = format(value, f".{digits}g")
    return format(value, f".{most}g")


def _laid_out(text: str, least: int) -> str:
    """Return a number's digits with an exponent, if it is at least ``least`` or below -4."""
    sign = "-" if text.startswith("-") else ""
    mantissa, _, given = text.lstrip("-").partition("e")
    whole, _, fraction = mantissa.partition(".")
    bare = (whole + fraction).lstrip("0")
    if not bare:
        return sign + "0"
    exponent = int(given or 0) + len(whole) - 1 - (len(whole + fraction) - len(bare))
    digits = bare.rstrip("0")
    if exponent < -4 or exponent >= least:
        return f"{sign}{digits[0]}{'.' if len(digits) > 1 else ''}{digits[1:]}e{exponent:+03}"
    if exponent < 0:
        return f"{sign}0.{'0' * (-1 - exponent)}{digits}"
    whole, fraction = digits[: exponent + 1].ljust(exponent + 1, "0"), digits[exponent + 1 :]
    return f"{sign}{whole}{'.' if fraction else ''}{fraction}"


def numeric_text(value: Decimal) -> str:
    """Return all digits of a number, with as many behind the point as its scale says."""
    if not value.is_finite():
        return "NaN" if value.is_nan() else str(value)
    text = format(value, "f")
    return text[1:] if text.startswith("-") and not value else text


# Dates and times.


def date_text(days: int) -> str:
    """Return the text of days since 1970: ``2024-02-29``, ``0044-03-15 BC``."""
    if days >= _INT4_MAX:
        return "infinity"
    if days <= -_INT4_MAX - 1:
        return "-infinity"
    day, era = _day_text(days)
    return day + era


@lru_cache(4096)
def _day_text(days: int) -> tuple[str, str]:
    """Return a date without its era, and the era if it has to be said."""
    year, month, day = civil(days)
    if year > 0:
        return f"{year:04}-{month:02}-{day:02}", ""
    return f"{1 - year:04}-{month:02}-{day:02}", " BC"


def civil(days: int) -> tuple[int, int, int]:
    """Return year, month and day of days since 1970, in the Gregorian calendar of all times; the year before 1 is 0."""
    # years begin in March here, so that the day of a leap year is the last one
    era, rest = divmod(days + 719_468, 146_097)
    year = (rest - rest // 1460 + rest // 36_524 - rest // 146_096) // 365
    day_of_year = rest - (365 * year + year // 4 - year // 100)
    month = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * month + 2) // 5 + 1
    month += 3 if month < 10 else -9
    return year + era * 400 + (month <= 2), month, day


def time_text(microseconds: int) -> str:
    """Return the text of microseconds of a day: ``04:05:06.5``."""
    seconds, fraction = divmod(microseconds, 1_000_000)
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{text}.{fraction:06}".rstrip("0") if fraction else text


def timestamp_text(microseconds: int) -> str:
    """Return the text of microseconds since 1970: ``2024-02-29 04:05:06.5``."""
    if microseconds >= _INT8_MAX:
        return "infinity"
    if microseconds <= -_INT8_MAX - 1:
        return "-infinity"
    days, rest = divmod(microseconds, _DAY)
    day, era = _day_text(days)
    return f"{day} {time_text(rest)}{era}"


def interval_text(value: tuple[int, int, int]) -> str:
    """Return the text of a span: ``1 year 2 mons -3 days +04:05:06``."""
    months, days, microseconds = value
    if months == days == _INT4_MAX and microseconds == _INT8_MAX:
        return "infinity"
    if months == days == -_INT4_MAX - 1 and microseconds == -_INT8_MAX - 1:
        return "-infinity"
    years = abs(months) // 12 * (1 if months > 0 else -1)
    parts = []
    negative = False  # whether the part before is: then a positive one says so
    for count, unit in ((years, "year"), (months - years * 12, "mon"), (days, "day")):
        if count:
            plus = "+" if negative and count > 0 else ""
            parts.append(f"{plus}{count} {unit}{'' if count == 1 else 's'}")
            negative = count < 0
    if microseconds or not parts:
        sign = "-" if microseconds < 0 else "+" if negative else ""
        parts.append(sign + time_text(abs(microseconds)))
    return " ".join(parts)


# Bytes, enums, documents, vectors.


def bytea_text(value: bytes) -> str:
    r"""Return ``\x`` and the hexadecimal digits."""
    return "\\x" + value.hex()


def tsvector_text(value: tuple[tuple[str, tuple[int, ...]], ...]) -> str:
    """Return the text of a document: ``'cat':3A 'fat':2,11``."""
    from ..words.documents import document_text

    return document_text(value)


def vector_text(value: Any) -> str:
    """Return the text of a vector: ``[1,2.5,3]``."""
    items = value.tolist() if isinstance(value, np.ndarray) else value
    return "[" + ",".join(map(float4_text, items)) + "]"


def _enum_text(sql_type: SqlType) -> Text:
    assert sql_type.column is not None
    return dict(sql_type.column.labels).__getitem__  # type: ignore[attr-defined]


# Values made of others.


def _array_text(item_text: Text) -> Text:
    def item(value: Any) -> str:
        if value is None:
            return "NULL"
        if type(value) is tuple and not is_plain:
            return write(value)
        text = item_text(value)
        if not text or _QUOTED_ITEM.search(text) or text.lower() == "null":
            return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
        return text

    def write(value: tuple[Any, ...]) -> str:
        return "{" + ",".join([item(v) for v in value]) + "}"

    is_plain = (
        item_text is tsvector_text or item_text is vector_text
    )  # their values are tuples, and no dimension
    return write


def _range_text(bound_text: Text) -> Text:
    def bound(value: Any) -> str:
        if value is None:
            return ""
        text = bound_text(value)
        if not text or _QUOTED_BOUND.search(text):
            return '"' + text.replace("\\", "\\\\").replace('"', '""') + '"'
        return text

    def write(value: Any) -> str:
        if value.empty:
            return "empty"
        left, right = "[" if value.lower_inclusive else "(", "]" if value.upper_inclusive else ")"
        return f"{left}{bound(value.lower)},{bound(value.upper)}{right}"

    return write


def record_text(value: Any) -> str:
    """Return the text of a row: ``(1,"a,b",)``, nothing for null."""
    parts = []
    for item, sql_type in zip(value.values, value.types, strict=True):
        text = None if item is None else text_of(sql_type)(item)
        if text is None:
            parts.append("")
        elif not text or _QUOTED_FIELD.search(text):
            parts.append('"' + text.replace("\\", "\\\\").replace('"', '""') + '"')
        else:
            parts.append(text)
    return "(" + ",".join(parts) + ")"


def _foreign(module: str, function: str) -> Text:
    """Return the text of what another module knows, which is only loaded by those who use it; texts are their own."""

    def text(value: Any) -> str:
        if isinstance(value, str):
            return value
        found: str = getattr(import_module(module, __package__), function)(value)
        return found

    return text


_TEXTS: dict[str, Text] = {
    "bool": bool_text,
    "int2": str,
    "int4": str,
    "int8": str,
    "float4": float4_text,
    "float8": float8_text,
    "numeric": numeric_text,
    "text": str,
    "varchar": str,
    "bpchar": str,
    "unknown": str,
    "uuid": str,
    "bytea": bytea_text,
    "date": date_text,
    "time": time_text,
    "timestamp": timestamp_text,
    "interval": interval_text,
    "jsonb": show,
    "tsvector": tsvector_text,
    "tsquery": _foreign(".fulltext", "tsquery_text"),
    "jsonpath": _foreign(".jsonpath", "jsonpath_text"),
    "vector": vector_text,
    "record": record_text,
    "void": lambda value: "",
}

_CAST_TEXTS: dict[str, Text] = {
    "bool": lambda value: "true" if value else "false",
    "bpchar": lambda value: value.rstrip(" "),
}
