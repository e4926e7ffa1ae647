"""Texts of JSON: read, checked, and kept compactly.

    '{"a": 1.50, "b": [1e3]}'    {"a":1.50,"b":[1000]}

Keys stay in the order in which they were written, the last of equal ones counts, and numbers keep their digits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal
from json.encoder import encode_basestring
from typing import Any

from ..engine import JSON
from ..engine.composite import MAX_NUMERIC_DIGITS
from ..errors import TypeMismatchError
from .errors import error

MAX_JSON_DEPTH = 500
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"|([\[\]{}])', re.DOTALL)
_ZERO = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")


def read_json(text: str, at: int | None = None) -> str:
    """Return JSON in the form in which it is stored.

    Raises
    ------
    SqlError
        22P02 for what is no JSON, 22P05 for the character zero, 22003 for a number that is too great, 54001 for too many brackets.
    """
    has_fractions = False

    def fraction(digits: str) -> Decimal:
        nonlocal has_fractions
        has_fractions = True
        return _exact(digits, at)

    _check_depth(text, at)
    try:
        value = json.loads(text, parse_constant=_refuse, parse_float=fraction)
        if has_fractions:
            found = compact_json(value)
            found.encode()
        else:
            found = str(JSON.check(value))
    except (ValueError, RecursionError, TypeMismatchError):
        raise error("22P02", f"invalid input syntax for type json: {json.dumps(text[:80])}", at) from None
    if "\\u0000" in text and _ZERO.search(text):
        detail = "\\u0000 cannot be converted to text."
        raise error("22P05", "unsupported Unicode escape sequence", at, detail=detail)
    return found


def _refuse(word: str) -> Any:
    raise ValueError(word)


def _exact(digits: str, at: int | None) -> Decimal:
    value = Decimal(digits)
    if value.adjusted() > MAX_NUMERIC_DIGITS:
        raise error("22003", "value overflows numeric format", at)
    exponent = value.as_tuple().exponent
    return Decimal(int(value)) if isinstance(exponent, int) and exponent > 0 else value


def _check_depth(text: str, at: int | None) -> None:
    """Refuse JSON that nests so deeply that reading it would overflow the stack, which a tab does not survive."""
    if text.count("[") + text.count("{") <= MAX_JSON_DEPTH:
        return
    depth = 0
    for found in _BRACKET.finditer(text):
        if found[1]:
            depth += 1 if found[1] in "[{" else -1
            if depth > MAX_JSON_DEPTH:
                hint = f"nest JSON at most {MAX_JSON_DEPTH} deep"
                raise error("54001", "stack depth limit exceeded", at, hint=hint)


def compact_json(value: Any) -> str:
    """Return a JSON value as it is stored: without spaces, with all digits of its Decimals."""
    out: list[str] = []
    _write(value, out.append)
    return "".join(out)


def _write(value: Any, write: Callable[[str], None]) -> None:
    if isinstance(value, dict):
        between = "{"
        for key, item in value.items():
            write(between + encode_basestring(key) + ":")
            _write(item, write)
            between = ","
        write("}" if value else "{}")
    elif isinstance(value, list):
        between = "["
        for item in value:
            write(between)
            _write(item, write)
            between = ","
        write("]" if value else "[]")
    elif isinstance(value, Decimal):
        write(format(value if value else abs(value), "f"))  # there is no zero below zero
    else:
        write(json.dumps(value, ensure_ascii=False))
