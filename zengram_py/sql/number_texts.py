"""Texts of numbers, as PostgreSQL reads them: in ASCII, with spaces around, whole ones also by another base, with ``_`` between digits.

-1_000   0xff   0b101        1.5   .5   1e-3   inf   NaN
"""

from __future__ import annotations

import re
from decimal import Decimal

from .patterns import pattern

SPACES = " \t\n\v\f\r"
_S = rf"[{SPACES}]*"
_DIGITS = r"[0-9](?:_?[0-9])*"
_OTHER_BASE = r"0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+"
_INTEGER = pattern(rf"{_S}([+-]?)({_OTHER_BASE}|{_DIGITS}){_S}")
_FLOAT = pattern(
    rf"{_S}(?:([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    rf"|([+-]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][+-]?[0-9]+)?)"
    rf"|([+-]?(?:[iI][nN][fF](?:[iI][nN][iI][tT][yY])?|[nN][aA][nN]))){_S}"
)
_NUMERIC = pattern(
    rf"{_S}(?:([+-]?)({_OTHER_BASE})|([+-]?(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?)"
    rf"|([+-]?[iI][nN][fF](?:[iI][nN][iI][tT][yY])?|[nN][aA][nN])){_S}"
)
_MANY = 4000
"""Digits that Python reads without a limit of its own."""


def integer_in(text: str) -> int | None:
    """Return the whole number in a text, None if there is none; far ones are only as great as no type holds."""
    found = _INTEGER.fullmatch(text)
    return None if found is None else _whole(found[1], found[2])


def _whole(sign: str, digits: str) -> int:
    bare = digits.replace("_", "")
    value: int = 10**_MANY
    if len(bare) <= _MANY:
        value = int(bare, 0) if bare[1:2].isalpha() else int(bare)
    return -value if sign == "-" else value


def float_in(text: str) -> tuple[float, bool] | None:
    """Return the float next to the number in a text, and whether that is infinite or none, and so has to be itself."""
    found = _FLOAT.fullmatch(text)
    if found is None:
        return None
    if found[2]:
        try:
            return float.fromhex(found[2]), False
        except OverflowError:
            return float("inf"), False
    return float(found[1] or found[3]), found[3] is not None


def is_zero(text: str) -> bool:
    """Return whether a float's text has no digit but zeros before its exponent."""
    mantissa = re.split("[pP]" if "x" in text.lower() else "[eE]", text.lower().replace("0x", ""))[0]
    return re.search(r"[1-9a-f]", mantissa) is None


def number_in(text: str) -> Decimal | None:
    """Return the exact number in a text, None if there is none."""
    found = _NUMERIC.fullmatch(text)
    if found is None:
        return None
    if found[2]:
        return Decimal(_whole(found[1], found[2]))
    return Decimal((found[3] or found[4]).replace("_", ""))
