"""Means and variances of exact numbers, with the digits that PostgreSQL's ``numeric`` has for them (functions/numerics.py)."""

from __future__ import annotations

from decimal import Decimal
from math import isqrt

from ...functions.numerics import EXACT, LEAST_DIGITS, division_scale, quotient, scale_of

_BASE = 10_000


def mean_of_whole(total: int, count: int) -> Decimal:
    """Return a whole number divided by a positive one, as ``numerics.divide`` does, but quickly."""
    weight, first = _leading(abs(total))
    other_weight, other_first = _leading(count)
    scale = max(LEAST_DIGITS - 4 * (weight - other_weight - (first <= other_first)), 0)
    whole, rest = divmod(abs(total) * 10**scale, count)
    whole += 2 * rest >= count
    return EXACT.scaleb(Decimal(whole if total >= 0 else -whole), -scale)


def _leading(value: int) -> tuple[int, int]:
    """Return how many digits of base 10,000 follow the first one, and that digit."""
    weight = 0
    while value >= _BASE:
        value //= _BASE
        weight += 1
    return weight, value


def variance(count: int, total: Decimal, squares: Decimal, *, sample: bool, root: bool) -> Decimal | None:
    """Return the variance of numbers, or its root.

    Parameters
    ----------
    count : int
        How many numbers.
    total, squares : Decimal
        Their sum, and the sum of their squares.
    sample : bool
        Whether they are a sample of more: then one alone has no variance.
    root : bool
        Whether the root is wanted.
    """
    if count < (2 if sample else 1):
        return None
    spread = EXACT.subtract(EXACT.multiply(Decimal(count), squares), EXACT.multiply(total, total))
    if spread <= 0:
        return Decimal(0)
    divisor = Decimal(count * (count - 1 if sample else count))
    scale = division_scale(spread, divisor)
    found = quotient(spread, divisor, scale)
    return root_of(found) if root else found


def root_of(value: Decimal) -> Decimal:
    """Return the square root of a number with as many digits behind the point as it has."""
    scale = scale_of(value)
    units = isqrt(
        int(EXACT.scaleb(value, 2 * (scale + 1)))
    )  # with one digit more, which decides about rounding
    return EXACT.scaleb(Decimal((units + 5) // 10), -scale)
