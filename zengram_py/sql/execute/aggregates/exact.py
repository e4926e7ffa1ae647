"""Exact numbers: how many digits PostgreSQL's ``numeric`` has behind the point, and its quotients and roots.

A number here is ``units`` of 10**-``scale``, both Python's whole numbers. PostgreSQL counts in digits of base 10,000: a quotient has
at least sixteen decimal digits that mean something, so that how many stand behind the point depends on both numbers' first digits.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal
from math import isqrt

from ....engine.composite import MAX_NUMERIC_DIGITS
from ...errors import error

EXACT = Context(prec=400_000, rounding=ROUND_HALF_UP, Emin=-999_999, Emax=999_999, traps=[])
"""A context in which nothing is rounded or refused."""

NAN = Decimal("NaN")
_BASE = 10_000
_LEAST_DIGITS = 16
_MOST_SCALE = 1000


def number(units: int, scale: int) -> Decimal:
    """Return a number with its scale."""
    return EXACT.scaleb(Decimal(units), -scale)


def parts_of(value: Decimal) -> tuple[int, int]:
    """Return the units and the scale of a finite number."""
    scale = scale_of(value)
    return int(EXACT.scaleb(value, scale)), scale


def scale_of(value: Decimal) -> int:
    """Return how many digits a finite number has behind the point."""
    return max(-int(value.as_tuple().exponent), 0)


def checked(value: Decimal) -> Decimal:
    """Return a number that fits, with no scale below zero.

    Raises
    ------
    SqlError
        22003 if it has too many digits.
    """
    if value.is_finite() and value.adjusted() >= MAX_NUMERIC_DIGITS:
        raise error("22003", "value overflows numeric format")
    return value


def quotient(units: int, scale: int, divisor: int) -> Decimal:
    """Return a number divided by a positive whole one."""
    size = quotient_scale(units, scale, divisor)
    return number(rounded(units * 10 ** (size - scale), divisor), size)


def rounded(dividend: int, divisor: int) -> int:
    """Return a quotient rounded half away from zero."""
    whole, rest = divmod(abs(dividend), divisor)
    whole += 2 * rest >= divisor
    return whole if dividend >= 0 else -whole


def quotient_scale(units: int, scale: int, divisor: int) -> int:
    """Return how many digits a quotient has behind the point."""
    fill = -scale % 4
    weight, first = _leading(abs(units) * 10**fill)
    other_weight, other_first = _leading(divisor)
    size = weight - (scale + fill) // 4 - other_weight if units else -other_weight
    if first <= other_first:
        size -= 1
    return min(max(_LEAST_DIGITS - 4 * size, scale, 0), _MOST_SCALE)


def _leading(value: int) -> tuple[int, int]:
    """Return how many digits of base 10,000 follow the first one, and that digit."""
    weight = 0
    if value.bit_length() > 256:
        exponent = Decimal(value).adjusted() // 4
        return exponent, value // _BASE**exponent
    while value >= _BASE:
        value //= _BASE
        weight += 1
    return weight, value


def variance(count: int, total: int, squares: int, scale: int, *, sample: bool, root: bool) -> Decimal | None:
    """Return the variance of numbers, or its root.

    Parameters
    ----------
    count : int
        How many numbers.
    total : int
        Their sum, in units of 10**-scale.
    squares : int
        The sum of their squares, in units of 10**-(2 scale).
    scale : int
        The most digits behind the point that any of them has.
    sample : bool
        Whether they are a sample of more: then one alone has no variance.
    root : bool
        Whether the root is wanted.
    """
    if count < (2 if sample else 1):
        return None
    spread = count * squares - total * total
    if spread <= 0:
        return Decimal(0)
    divisor = count * (count - 1 if sample else count)
    size = quotient_scale(spread, 2 * scale, divisor)
    units = rounded(spread * 10**size, divisor * 10 ** (2 * scale))
    if not root:
        return number(units, size)
    return number((isqrt(units * 10 ** (size + 2)) + 5) // 10, size)
