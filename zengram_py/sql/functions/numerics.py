"""Arithmetic of exact numbers, with PostgreSQL's scales of results.

A numeric is a Decimal whose exponent is its scale, never above zero, and zero has no sign. Sums and products are exact. Quotients have
at least 16 significant digits and no fewer behind the point than either operand. All rounding is half away from zero.

One context does it all: wide enough for any number that there may be, so that sums and products never round, and with traps for nothing,
so that infinities and NaN go on as they should. Where digits have to be cut, its precision is set, truncating, and one digit more than
wanted decides about rounding, which is exact for this kind of rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal
from typing import Any

from ...engine.composite import MAX_NUMERIC_DIGITS
from ..errors import error
from .registry import scalar

MOST_SCALE = 16_383  # that a number may have
MOST_RESULT_SCALE = 1000  # that a division, root, logarithm or power is computed to
LEAST_DIGITS = 16  # significant ones that these have
_LONG = 4000  # bytes of a number that has some thousands of digits
_WIDTH = 2 * (MAX_NUMERIC_DIGITS + MOST_SCALE)

EXACT = Context(prec=_WIDTH, rounding=ROUND_HALF_UP, Emin=-400_000, Emax=400_000, traps=[])
"""Computes without rounding."""
_CUTTING = Context(prec=28, rounding=ROUND_DOWN, Emin=-400_000, Emax=400_000, traps=[])
NAN, ZERO, ONE, INFINITE = Decimal("NaN"), Decimal(0), Decimal(1), Decimal("Infinity")
_UNITS = [Decimal((0, (1,), -scale)) for scale in range(64)]


def unit(scale: int) -> Decimal:
    """Return ``10 ** -scale``."""
    return _UNITS[scale] if 0 <= scale < 64 else Decimal((0, (1,), -scale))


def scale_of(value: Decimal) -> int:
    """Return how many digits a finite number has behind the point."""
    return -value.as_tuple().exponent  # type: ignore[operator]


def rounded(value: Decimal, scale: int) -> Decimal:
    """Return a finite number with so many digits behind the point, rounded half away from zero; 22003 if it is too great."""
    if value and value.adjusted() >= MAX_NUMERIC_DIGITS:
        raise too_great()
    found = EXACT.quantize(value, unit(scale))
    return found or EXACT.abs(found)


def too_great() -> Exception:
    """Return the error of a number with more digits than a numeric may have."""
    return error("22003", "value overflows numeric format")


def checked(value: Decimal) -> Decimal:
    """Return an exact result as a numeric: zero without a sign, no more digits than there may be."""
    if not value:
        return EXACT.abs(value) if value.is_signed() else value
    if value.is_finite() and value.adjusted() >= MAX_NUMERIC_DIGITS:
        raise too_great()
    return value


def _leading(value: Decimal) -> tuple[int, int, int]:
    """Return a number's place among powers of 10,000, the first of its digits in that base, and its scale; of zero zeros."""
    _, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    if not value:
        return 0, 0, -exponent
    count = len(digits)
    weight, more = divmod(count - 1 + exponent, 4)
    first = digits[0]
    for i in range(1, more + 1):
        first = first * 10 + (digits[i] if i < count else 0)
    return weight, first, -exponent


def division_scale(a: Decimal, b: Decimal) -> int:
    """Return the scale of a quotient of finite numbers: PostgreSQL counts digits in base 10,000."""
    weight, first, scale = _leading(a)
    other_weight, other_first, other_scale = _leading(b)
    estimate = weight - other_weight - (first <= other_first)
    return min(max(LEAST_DIGITS - 4 * estimate, scale, other_scale), MOST_RESULT_SCALE)


def quotient(a: Decimal, b: Decimal, scale: int, *, cut: bool = False) -> Decimal:
    """Return a quotient of finite numbers with so many digits behind the point, rounded or, with ``cut``, cut there."""
    digits = max(1, a.adjusted() - b.adjusted() + 2 + scale + 1) if a else 1
    _CUTTING.prec = digits
    found = _CUTTING.divide(a, b)
    if cut:
        found = found.quantize(unit(scale), ROUND_DOWN, EXACT)
        return checked(found)
    return rounded(found, scale)


@scalar("+: numeric numeric")
def add(a: Decimal, b: Decimal) -> Decimal:
    """Return a sum."""
    return checked(EXACT.add(a, b))


@scalar("-: numeric numeric")
def subtract(a: Decimal, b: Decimal) -> Decimal:
    """Return a difference."""
    return checked(EXACT.subtract(a, b))


@scalar("*: numeric numeric")
def multiply(a: Decimal, b: Decimal) -> Decimal:
    """Return a product."""
    found = checked(EXACT.multiply(a, b))
    # only such may have too great a scale
    is_suspect = found.__sizeof__() > _LONG or found.adjusted() < -MOST_SCALE // 2
    if is_suspect and found.is_finite() and scale_of(found) > MOST_SCALE:
        return rounded(found, MOST_SCALE)
    return found


def _special(function: Callable[[Decimal, Decimal], Decimal]) -> Callable[[Decimal, Decimal], Decimal]:
    """Return a division that knows NaN and zero divisors; infinities are left to ``function``."""

    def run(a: Decimal, b: Decimal) -> Decimal:
        if a.is_nan() or b.is_nan():
            return NAN
        if not b:
            raise error("22012", "division by zero")
        return function(a, b)

    return run


@scalar("/: numeric numeric")
@_special
def divide(a: Decimal, b: Decimal) -> Decimal:
    """Return a quotient."""
    if a.is_finite() and b.is_finite():
        return quotient(a, b, division_scale(a, b))
    return ZERO if a.is_finite() else EXACT.divide(a, b)


@scalar("% mod: numeric numeric")
@_special
def remainder(a: Decimal, b: Decimal) -> Decimal:
    """Return what a division leaves; its sign is that of the dividend."""
    if not a.is_finite():
        return NAN
    if not b.is_finite():
        return a
    return checked(EXACT.remainder(a, b))


@scalar("div: numeric numeric")
@_special
def whole_quotient(a: Decimal, b: Decimal) -> Decimal:
    """Return a quotient without its fraction."""
    if a.is_finite() and b.is_finite():
        return quotient(a, b, 0, cut=True)
    return ZERO if a.is_finite() else EXACT.divide(a, b)


@scalar("-: numeric")
def _negative(a: Decimal) -> Decimal:
    return checked(EXACT.minus(a)) if a else a


@scalar("+: numeric")
def _positive(a: Decimal) -> Decimal:
    return a


@scalar("@ abs: numeric")
def absolute(a: Decimal) -> Decimal:
    """Return a number without its sign."""
    return EXACT.abs(a)


# Digits.


@scalar("sign: numeric")
def _sign(a: Decimal) -> Decimal:
    if a.is_nan():
        return NAN
    return Decimal((a > 0) - (a < 0))


@scalar("ceil ceiling: numeric")
def _ceiling(a: Decimal) -> Decimal:
    return checked(a.to_integral_value("ROUND_CEILING", EXACT)) if a.is_finite() else a


@scalar("floor: numeric")
def _floor(a: Decimal) -> Decimal:
    return checked(a.to_integral_value("ROUND_FLOOR", EXACT)) if a.is_finite() else a


def _to_scale(a: Decimal, scale: int, rounding: str) -> Decimal:
    if not a.is_finite():
        return a
    scale = min(max(scale, -MAX_NUMERIC_DIGITS - 5), MOST_SCALE)
    if scale < 0 and (not a or a.adjusted() < -scale - 1):
        return ZERO
    found = checked(a.quantize(unit(scale), rounding, EXACT))
    return checked(EXACT.quantize(found, ONE)) if scale < 0 else found


@scalar("round: numeric")
def _round(a: Decimal) -> Decimal:
    return _to_scale(a, 0, ROUND_HALF_UP)


@scalar("round: numeric int4")
def _round_to(a: Decimal, scale: int) -> Decimal:
    return _to_scale(a, scale, ROUND_HALF_UP)


@scalar("trunc: numeric")
def _truncate(a: Decimal) -> Decimal:
    return _to_scale(a, 0, ROUND_DOWN)


@scalar("trunc: numeric int4")
def _truncate_to(a: Decimal, scale: int) -> Decimal:
    return _to_scale(a, scale, ROUND_DOWN)


@scalar("scale: numeric")
def _scale(a: Decimal) -> int | None:
    return scale_of(a) if a.is_finite() else None


def _least_scale(a: Decimal) -> int:
    digits = a.as_tuple()
    scale = scale_of(a)
    for digit in reversed(digits.digits):
        if digit or not scale:
            break
        scale -= 1
    return scale if a else 0


@scalar("min_scale: numeric")
def _min_scale(a: Decimal) -> int | None:
    return _least_scale(a) if a.is_finite() else None


@scalar("trim_scale: numeric")
def _trim_scale(a: Decimal) -> Decimal:
    return a.quantize(unit(_least_scale(a)), context=EXACT) if a.is_finite() else a


# Divisors and multiples.


def _together(function: Callable[[int, int], int]) -> Callable[[Any, Any], Decimal]:
    def run(a: Decimal, b: Decimal) -> Decimal:
        if not (a.is_finite() and b.is_finite()):
            return NAN
        scale = max(scale_of(a), scale_of(b))
        found = function(int(a.scaleb(scale, EXACT)), int(b.scaleb(scale, EXACT)))
        return checked(Decimal(found).scaleb(-scale, EXACT))

    return run


def _gcd(a: int, b: int) -> int:
    from math import gcd

    return gcd(a, b)


def _lcm(a: int, b: int) -> int:
    from math import lcm

    return lcm(a, b)


scalar("gcd: numeric numeric")(_together(_gcd))
scalar("lcm: numeric numeric")(_together(_lcm))


@scalar("factorial: int8")
def _factorial(a: int) -> Decimal:
    from math import factorial

    if a < 0:
        raise error("22003", "factorial of a negative number is undefined")
    if a > 32_177:
        raise too_great()
    return Decimal(factorial(a))
