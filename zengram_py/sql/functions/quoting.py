"""Names and literals as SQL writes them, and back: ``quote_ident``, ``quote_literal``, ``parse_ident``, ``unistr``."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from ..errors import error
from ..signatures import Signature
from .output import cast_text_of
from .registry import Implementation, by_type, nullable, scalar


@scalar("quote_ident: text")
def quote_ident(text: str) -> str:
    """Return a name, in quotes if it needs some: if it is a keyword or has other than small letters, digits and ``_``."""
    if _plain_name().fullmatch(text) and text not in _keywords():
        return text
    return '"' + text.replace('"', '""') + '"'


@cache
def _plain_name() -> re.Pattern[str]:
    return re.compile(r"[a-z_][a-z0-9_]*")


@cache
def _keywords() -> frozenset[str]:
    from ..grammar.keywords import OF_COLUMNS, OF_FUNCTIONS, RESERVED

    return RESERVED | OF_FUNCTIONS | OF_COLUMNS


@scalar("quote_literal: text")
def quote_literal(text: str) -> str:
    """Return a text as a literal."""
    quoted = text.replace("'", "''")
    return "E'" + quoted.replace("\\", "\\\\") + "'" if "\\" in quoted else f"'{quoted}'"


@by_type("quote_literal: anyelement")
def _quote_any(signature: Signature) -> Implementation:
    text = cast_text_of(signature.arguments[0])
    return Implementation("scalar", lambda value: quote_literal(text(value)))


@nullable("quote_nullable: text")
def _quote_nullable(text: str | None) -> str:
    return "NULL" if text is None else quote_literal(text)


@by_type("quote_nullable: anyelement")
def _quote_any_nullable(signature: Signature) -> Implementation:
    text = cast_text_of(signature.arguments[0])
    return Implementation("nullable", lambda value: "NULL" if value is None else quote_literal(text(value)))


# Back.


@cache
def _part_of_name() -> re.Pattern[str]:
    return re.compile(r'\s*(?:"((?:[^"]|"")+)"|([^\W\d][\w$]*))\s*(\.)?')


@scalar("parse_ident: text | text bool")
def _parse_ident(text: str, strict: bool = True) -> tuple[str, ...]:
    parts: list[str] = []
    place, goes_on = 0, True
    while goes_on:
        found = _part_of_name().match(text, place)
        if found is None:
            raise _no_name(text)
        quoted, bare = found[1], found[2]
        parts.append(bare.lower() if quoted is None else quoted.replace('""', '"'))
        place, goes_on = found.end(), found[3] is not None
    if strict and place < len(text):
        raise _no_name(text)
    return tuple(parts)


def _no_name(text: str) -> Any:
    return error("22023", f'string is not a valid identifier: "{text}"')


@cache
def _escape() -> re.Pattern[str]:
    hexadecimal = "[0-9a-fA-F]"
    return re.compile(
        rf"\\(?:(\\)|({hexadecimal}{{4}})|u({hexadecimal}{{4}})|\+({hexadecimal}{{6}})|U({hexadecimal}{{8}})|)"
    )


@scalar("unistr: text")
def _unistr(text: str) -> str:
    out: list[str] = []
    place, high = 0, 0  # high: the first half of a pair that waits for its second
    for found in _escape().finditer(text):
        between = text[place : found.start()]
        digits = found[2] or found[3] or found[4] or found[5]
        if found[1] is None and digits is None:
            hint = "Unicode escapes must be \\XXXX, \\+XXXXXX, \\uXXXX, or \\UXXXXXXXX."
            raise error("42601", "invalid Unicode escape", hint=hint)
        code = int(digits, 16) if digits else 0
        is_second = 0xDC00 <= code <= 0xDFFF
        if is_second != bool(high) or (high and between):
            raise error("42601", "invalid Unicode surrogate pair")
        if digits and not 0 < code <= 0x10FFFF:
            raise error("22023", f"invalid Unicode code point: {code:04X}")
        out.append(between)
        place = found.end()
        if 0xD800 <= code <= 0xDBFF:
            high = code
            continue
        if is_second:
            code, high = 0x10000 + ((high - 0xD800) << 10) + code - 0xDC00, 0
        out.append(chr(code) if digits else "\\")
    if high:
        raise error("42601", "invalid Unicode surrogate pair")
    return "".join(out) + text[place:]
