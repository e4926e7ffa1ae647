"""Texts from several values of any types: ``||``, ``concat``, ``concat_ws``, ``format``.

'a' || true                     atrue         as a cast to text makes it
concat('a', true, null)         at            as results show it; null is nothing
format('%s of %I: %L', …)       a value, a name, a literal
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from ..errors import error
from ..signatures import Signature
from ..types import SqlType
from .output import Text, cast_text_of, text_of
from .quoting import quote_ident, quote_literal
from .registry import Implementation, by_type
from .strings import check_size


@by_type("||: text anynonarray | anynonarray text")
def _append(signature: Signature) -> Implementation:
    left, right = map(cast_text_of, signature.arguments)
    return Implementation("scalar", lambda one, other: left(one) + right(other))


@by_type("concat: any*")
def _concat(signature: Signature) -> Implementation:
    texts = [text_of(t) for t in signature.arguments]

    def run(*values: Any) -> str:
        return "".join([text(v) for text, v in zip(texts, values, strict=True) if v is not None])

    return Implementation("nullable", run)


@by_type("concat_ws: any*")
def _concat_with_separator(signature: Signature) -> Implementation:
    texts = [text_of(t) for t in signature.arguments[1:]]

    def run(separator: str | None, *values: Any) -> str | None:
        if separator is None:
            return None
        return separator.join([text(v) for text, v in zip(texts, values, strict=True) if v is not None])

    return Implementation("nullable", run)


@by_type("format: any* | text")
def _format(signature: Signature) -> Implementation:
    types = signature.arguments[1:]
    texts = [text_of(t) for t in types]

    def run(pattern: str | None, *values: Any) -> str | None:
        return None if pattern is None else formatted(pattern, values, texts, types)

    return Implementation("nullable", run)


# The same with an array for all the rest.


def _items(array: SqlType) -> Callable[[tuple[Any, ...]], list[Any]]:
    def flat(value: tuple[Any, ...]) -> list[Any]:
        return [item for part in value for item in (flat(part) if type(part) is tuple else (part,))]

    return flat


def _element(signature: Signature) -> SqlType:
    element = signature.arguments[-1].element
    if element is None:
        raise error("42804", "VARIADIC argument must be an array")
    return element


@by_type("variadic concat: anyarray | any")
def _concat_array(signature: Signature) -> Implementation:
    text, items = text_of(_element(signature)), _items(signature.arguments[-1])
    return Implementation("scalar", lambda value: "".join([text(v) for v in items(value) if v is not None]))


@by_type("variadic concat_ws: text anyarray | text any")
def _concat_array_with_separator(signature: Signature) -> Implementation:
    text, items = text_of(_element(signature)), _items(signature.arguments[-1])
    return Implementation(
        "scalar",
        lambda separator, value: separator.join([text(v) for v in items(value) if v is not None]),
    )


@by_type("variadic format: text anyarray | text any")
def _format_array(signature: Signature) -> Implementation:
    element = _element(signature)
    text, items = text_of(element), _items(signature.arguments[-1])

    def run(pattern: str | None, value: tuple[Any, ...] | None) -> str | None:
        if pattern is None:
            return None
        values = [] if value is None else items(value)
        return formatted(pattern, values, [text] * len(values), [element] * len(values))

    return Implementation("nullable", run)


# Patterns of format.


@cache
def _specifier() -> re.Pattern[str]:
    number = r"(\d+)"
    return re.compile(
        rf"%(?:(%)|(?:{number}\$)?(-*)(?:{number}|(\*)(?:{number}\$)?)?(.)?)", re.DOTALL | re.ASCII
    )


def formatted(pattern: str, values: Sequence[Any], texts: Sequence[Text], types: Sequence[SqlType]) -> str:
    """Return a pattern with values in the places of ``%s``, ``%I`` and ``%L``.

    Raises
    ------
    SqlError
        22023 for a pattern that is wrong, 22004 for null where a name is wanted.
    """
    next_place = 0  # of the value that was used last; values count from 1

    def value_at(place: int) -> tuple[Any, int]:
        nonlocal next_place
        next_place = place
        if place > len(values):
            raise error("22023", "too few arguments for format()")
        return values[place - 1], place - 1

    def place_of(digits: str | None) -> int:
        if digits is None:
            return next_place + 1
        place = _number(digits)
        if place == 0:
            raise error("22023", "format specifies argument 0, but arguments are numbered from 1")
        return place

    def width_of(found: re.Match[str]) -> int:
        if found[4] is not None:
            return _number(found[4])
        if found[5] is None:
            return 0
        value, at = value_at(place_of(found[6]))
        return 0 if value is None else _width(value, types[at], texts[at])

    def replace(found: re.Match[str]) -> str:
        if found[1]:
            return "%"
        if found[7] is None:
            raise error("22023", "unterminated format() type specifier", hint='For a single "%" use "%%".')
        place = None if found[2] is None else place_of(found[2])
        kind = found[7]
        if kind not in "sIL":
            message = f'unrecognized format() type specifier "{kind}"'
            raise error("22023", message, hint='For a single "%" use "%%".')
        width = width_of(found)
        value, at = value_at(place or next_place + 1)
        text = _shown(value, texts[at], kind)
        check_size(abs(width))
        return text.ljust(abs(width)) if found[3] or width < 0 else text.rjust(width)

    return _specifier().sub(replace, pattern)


def _number(digits: str) -> int:
    if len(digits) > 10 or int(digits) > (1 << 31) - 1:
        raise error("22003", "number is out of range")
    return int(digits)


def _width(value: Any, sql_type: SqlType, text: Text) -> int:
    if sql_type.name in ("int2", "int4"):
        return int(value)
    from ..literals import read
    from ..types import INT4

    found: int = read(text(value), INT4)
    return found


def _shown(value: Any, text: Text, kind: str) -> str:
    if value is None:
        if kind == "I":
            raise error("22004", "null values cannot be formatted as an SQL identifier")
        return "NULL" if kind == "L" else ""
    shown = text(value)
    if kind == "s":
        return shown
    return quote_ident(shown) if kind == "I" else quote_literal(shown)
