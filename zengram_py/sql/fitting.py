"""Values as a declaration keeps them: cut, filled or rounded to its length, precision, fields or dimensions.

varchar(3)      a longer text is refused, or cut where a cast was asked for
numeric(5,2)    rounded to two digits, refused with more than three before the point
timestamp(0)    rounded to seconds
interval day    without what is smaller than a day
"""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Any

import numpy as np

from ..engine import Interval
from .civil import HOUR, MINUTE
from .errors import error
from .types import SqlType

MAX_FLOAT4 = float(np.finfo(np.float32).max)
_YEAR_2000 = 946_684_800_000_000
_INFINITE = (1 << 63) - 1


def fit_number(value: Decimal, modifier: tuple[int, ...], at: int | None = None) -> Decimal:
    """Return an exact number with a precision and scale, rounded half away from zero."""
    if not modifier or value.is_nan():
        return value
    precision, scale = modifier[0], modifier[1] if len(modifier) > 1 else 0
    if value.is_infinite():
        detail = f"A field with precision {precision}, scale {scale} cannot hold an infinite value."
        raise error("22003", "numeric field overflow", at, detail=detail)
    with localcontext(prec=200_000):
        value = value.quantize(Decimal(1).scaleb(-scale), rounding=ROUND_HALF_UP)
    if value and value.adjusted() >= precision - scale:
        detail = (
            f"A field with precision {precision}, scale {scale} must round to an absolute value "
            f"less than 10^{precision - scale}."
        )
        raise error("22003", "numeric field overflow", at, detail=detail)
    return value


def fit_text(text: str, target: SqlType, at: int | None = None, *, cut: bool = False) -> str:
    """Return a text as a ``varchar(n)`` or ``char(n)`` holds it; spaces behind the end go, as does all with ``cut``."""
    if not target.modifier:
        return text
    size = target.modifier[0]
    if len(text) > size:
        if not cut and text[size:].strip(" "):
            raise error("22001", f"value too long for type {target.declaration}", at)
        text = text[:size]
    return text.ljust(size) if target.name == "bpchar" else text


def fit_moments(values: Any, target: SqlType) -> Any:
    """Return timestamps or times, an int64 array or a number, rounded to the digits that a declaration keeps."""
    scale = 10 ** (6 - target.modifier[0])
    zero = _YEAR_2000 if target.name == "timestamp" else 0  # halves are rounded away from here
    given = np.asarray(values, np.int64)
    finite = np.abs(given, where=given > -_INFINITE, out=np.full(given.shape, _INFINITE)) < _INFINITE
    past = np.where(finite, given, zero) - zero
    away = (np.abs(past) + scale // 2) // scale * scale
    return np.where(finite, zero + np.sign(past) * away, given)


def fit_interval(value: Interval, modifier: tuple[int, ...]) -> Interval:
    """Return a span with the fields, or the digits of its seconds, that a declaration keeps."""
    months, days, microseconds = value
    if abs(microseconds) >= _INFINITE:
        return value
    if modifier[0] < 0:
        smallest = -1 - modifier[0]  # of year, month, day, hour, minute, second
        if smallest < 2:
            return Interval(_cut(months, 12 if smallest == 0 else 1), 0, 0)
        unit = {2: 0, 3: HOUR, 4: MINUTE, 5: 1}[smallest]
        return Interval(months, days, _cut(microseconds, unit) if unit else 0)
    scale: int = 10 ** (6 - modifier[0])
    away = (abs(microseconds) + scale // 2) // scale * scale
    return Interval(months, days, away if microseconds >= 0 else -away)


def fit_items(value: tuple[Any, ...], element: SqlType) -> tuple[Any, ...]:
    """Return an array of texts with each cut to the length of ``varchar(n)`` or ``char(n)``."""
    return tuple(
        [
            fit_items(item, element)
            if type(item) is tuple
            else None
            if item is None
            else fit_text(item, element, cut=True)
            for item in value
        ]
    )


def _cut(value: int, unit: int) -> int:
    whole = abs(value) // unit * unit
    return whole if value >= 0 else -whole


def fit_vector(
    items: list[float] | tuple[float, ...], target: SqlType, at: int | None = None
) -> tuple[float, ...]:
    """Return numbers as a vector holds them, of the dimensions that are wanted."""
    if not items:
        raise error("22000", "vector must have at least 1 dimension", at)
    if not all(math.isfinite(item) for item in items):
        raise error("22000", "NaN and infinity are not allowed in vector", at)
    if any(abs(item) > MAX_FLOAT4 for item in items):
        raise error("22003", "a number is out of range for type vector", at)
    if target.modifier and len(items) != target.modifier[0]:
        raise error("22000", f"expected {target.modifier[0]} dimensions, not {len(items)}", at)
    return tuple(np.asarray(items, np.float32).tolist())
