"""Column types with a limit: ``varchar(n)``, ``char(n)``, ``numeric(p,s)``, and texts in a notation of their own.

They keep what a declaration in SQL says of a column, beside the plain types of types.py and composite.py: a text that is too long is
refused, a shorter one of a ``char(n)`` is filled with spaces, a number is rounded to its scale.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Any

from ..errors import CatalogError
from .composite import MAX_NUMERIC_DIGITS, NumericType
from .types import ColumnType, TextType, register_parser, register_type

MAX_TEXT_LENGTH = 10_485_760
MAX_PRECISION = 1000
_NAME = re.compile(r"(varchar|char)\((\d{1,8})\)|numeric\((\d{1,4}),(-?\d{1,4})\)")


@dataclass(frozen=True)
class LimitedTextType(TextType):
    """Unicode text of at most, or with ``fills`` exactly, so many characters.

    Attributes
    ----------
    length : int
        How many; 0 is any number.
    fills : bool
        Whether spaces fill a shorter one.
    """

    length: int = 0
    fills: bool = False

    def check(self, value: Any) -> Any:
        """Take a str; spaces beyond the length are cut off, anything else there is refused."""
        text: str = super().check(value)
        if self.length and len(text) > self.length:
            if text[self.length :].strip(" "):
                raise self.refuse(value, f"it has {len(text)} characters")
            text = text[: self.length]
        return text.ljust(self.length) if self.fills else text


@dataclass(frozen=True)
class ScaledNumericType(NumericType):
    """An exact number with at most ``precision`` digits, ``scale`` of them behind the point."""

    precision: int = 0
    scale: int = 0

    def check(self, value: Any) -> Any:
        """Take what a numeric takes, rounded half away from zero; NaN too, infinities not."""
        number: Decimal = super().check(value)
        if number.is_nan():
            return number
        if number.is_infinite():
            raise self.refuse(value, "out of range")
        with localcontext(prec=2 * MAX_NUMERIC_DIGITS):
            number = number.quantize(Decimal(1).scaleb(-self.scale), rounding=ROUND_HALF_UP)
        if number and number.adjusted() >= self.precision - self.scale:
            raise self.refuse(value, "out of range")
        return number


def varchar(length: int = 0) -> LimitedTextType:
    """Return the type of texts of at most ``length`` characters (of any with 0)."""
    return _text("varchar", length, fills=False)


def char(length: int) -> LimitedTextType:
    """Return the type of texts of ``length`` characters, filled with spaces."""
    return _text("char", length, fills=True)


def _text(name: str, length: int, *, fills: bool) -> LimitedTextType:
    if not 0 <= length <= MAX_TEXT_LENGTH or (fills and not length):
        raise CatalogError(f"the length of a {name} is 1 to {MAX_TEXT_LENGTH}, not {length}")
    return LimitedTextType(f"{name}({length})", "heap", length=length, fills=fills)


def numeric(precision: int, scale: int = 0) -> ScaledNumericType:
    """Return the type of exact numbers with a precision and a scale."""
    if not 1 <= precision <= MAX_PRECISION or not -MAX_PRECISION <= scale <= MAX_PRECISION:
        raise CatalogError(f"there is no numeric({precision},{scale})")
    return ScaledNumericType(f"numeric({precision},{scale})", "heap", precision=precision, scale=scale)


TSQUERY = LimitedTextType("tsquery", "heap")
"""A query of words, kept as its text."""

register_type(TSQUERY)


def _parse(name: str) -> ColumnType | None:
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    if found[1]:
        return _text(found[1], int(found[2]), fills=found[1] == "char")
    return numeric(int(found[3]), int(found[4]))


register_parser(_parse)
