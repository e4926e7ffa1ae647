"""Column types with a limit: ``varchar(n)``, ``char(n)``, ``numeric(p,s)``, ``timestamp(p)`` and its kin, and texts in a notation of their own.

They keep what a declaration in SQL says of a column, beside the plain types of types.py and composite.py: a text that is too long is
refused, a shorter one of a ``char(n)`` is filled with spaces, a number is rounded to its scale, a time to the digits of its seconds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Any

from ..errors import CatalogError
from .composite import MAX_NUMERIC_DIGITS, Interval, IntervalType, NumericType
from .types import TIME, TIMESTAMP, ColumnType, IntegerType, TextType, register_parser, register_type

MAX_TEXT_LENGTH = 10_485_760
MAX_PRECISION = 1000
_NAME = re.compile(
    r"(varchar|char)\((\d{1,8})\)|numeric\((\d{1,4}),(-?\d{1,4})\)|(timestamp|time|interval)\((-?\d)\)"
)
_YEAR_2000 = 946_684_800_000_000  # halves of a timestamp are rounded away from here, as PostgreSQL does
_FARTHEST = 1 << 62  # beyond lie the infinities, which are not rounded


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


@dataclass(frozen=True)
class LimitedMomentType(IntegerType):
    """A timestamp or a time of day of which the seconds have at most so many digits behind the point."""

    precision: int = 0
    zero: int = 0
    """From where halves are rounded away."""

    def check(self, value: Any) -> Any:
        """Take microseconds, rounded."""
        return _rounded(super().check(value), self.precision, self.zero)


@dataclass(frozen=True)
class LimitedIntervalType(IntervalType):
    """A span of time of which the seconds have at most so many digits; below zero, a number for which of its units are kept.

    Rounding to units is the business of whoever declares such a column: here spans are kept as they are given then.
    """

    precision: int = 0

    def check(self, value: Any) -> Any:
        """Take what an interval takes, rounded."""
        span: Interval = super().check(value)
        if self.precision < 0:
            return span
        return span._replace(microseconds=_rounded(span.microseconds, self.precision, 0))


def _rounded(value: int, precision: int, zero: int) -> int:
    scale = int(10 ** (6 - precision))
    past = value - zero
    away = (abs(past) + scale // 2) // scale * scale
    return value if abs(value) >= _FARTHEST else zero + (away if past >= 0 else -away)


def moment(name: str, precision: int) -> ColumnType:
    """Return the type ``timestamp``, ``time`` or ``interval`` with so many digits of seconds (0 to 5).

    Of an interval a number from -6 to -1 may tell which units it has.
    """
    if not (-6 if name == "interval" else 0) <= precision <= 5:
        raise CatalogError(f"there is no {name}({precision})")
    title = f"{name}({precision})"
    if name == "interval":
        return LimitedIntervalType(title, "heap", precision=precision)
    plain = TIMESTAMP if name == "timestamp" else TIME
    zero = _YEAR_2000 if name == "timestamp" else 0
    return LimitedMomentType(
        title, bits=64, least=plain.least, most=plain.most, precision=precision, zero=zero
    )


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
    if found[5]:
        return moment(found[5], int(found[6]))
    return numeric(int(found[3]), int(found[4]))


register_parser(_parse)
