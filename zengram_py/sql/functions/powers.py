"""Roots, exponentials, logarithms and powers of exact numbers.

How many digits a result has is estimated first, from the leading digits of the argument, so that 16 of them are significant and none of
those that the argument came with behind the point are lost. Then it is computed with more digits than that and rounded.
"""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Context, Decimal

from ..errors import error
from .numerics import (
    EXACT,
    INFINITE,
    LEAST_DIGITS,
    MOST_RESULT_SCALE,
    NAN,
    ONE,
    ZERO,
    quotient,
    rounded,
    scale_of,
    too_great,
)
from .registry import scalar

_LOG10_E = 0.434294481903252
_LN_10 = 2.302585092994046
_MOST_WEIGHT = 2000  # powers of ten beyond this are not looked at closer
_GUARD = 12  # digits that are computed beyond those that are wanted
_NINE, _ELEVEN = Decimal("0.9"), Decimal("1.1")


def _context(digits: int) -> Context:
    return Context(
        prec=max(digits, 1) + _GUARD, rounding=ROUND_HALF_UP, Emin=-400_000, Emax=400_000, traps=[]
    )


def _in_limits(scale: int, *least: int) -> int:
    return min(max(scale, 0, *least), MOST_RESULT_SCALE)


def _head(value: Decimal, groups: int) -> tuple[int, int]:
    """Return the first digits of a number in base 10,000, as one whole number, and the power of ten of its last digit."""
    _, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    weight, more = divmod(len(digits) - 1 + exponent, 4)
    end = len(digits)
    while end and not digits[end - 1]:  # groups of zeros at the end do not count as digits
        end -= 1
    all_groups = -(-(end - more - 1) // 4) + 1
    groups = min(groups, max(all_groups, 1))
    wanted = more + 1 + 4 * (groups - 1)
    first = 0
    for digit in digits[:wanted]:
        first = first * 10 + digit
    return first * 10 ** max(0, wanted - len(digits)), (weight - groups + 1) * 4


def _logarithm_weight(value: Decimal) -> int:
    """Return about how many digits the natural logarithm of a positive number has before its point, less one."""
    if _NINE <= value <= _ELEVEN:
        distance = value - ONE  # about the logarithm
        if not distance:
            return 0
        first, power = _head(distance.copy_abs(), 1)
        return power + int(math.log10(first))
    first, power = _head(value, 2)
    return int(math.log10(abs(math.log(first) + power * _LN_10)))


@scalar("sqrt: numeric")
def square_root(a: Decimal) -> Decimal:
    """Return a square root; 2201F for a negative number."""
    if a.is_nan() or a == INFINITE:
        return a
    if a < 0:
        raise error("2201F", "cannot take square root of a negative number")
    weight = a.adjusted() // 4 if a else 0
    before = weight * 2 + 1 if weight >= 0 else 1 - (-weight * 4) // 2
    scale = _in_limits(LEAST_DIGITS - before, scale_of(a))
    return rounded(_context(max(before, 1) + scale).sqrt(a), scale)


@scalar("exp: numeric")
def exponential(a: Decimal) -> Decimal:
    """Return a power of e."""
    if not a.is_finite():
        return a if a.is_nan() or a > 0 else ZERO
    weight = max(-_MOST_WEIGHT, min(_MOST_WEIGHT, float(a) * _LOG10_E))
    return _exponential(a, _in_limits(LEAST_DIGITS - int(weight), scale_of(a)))


def _exponential(a: Decimal, scale: int) -> Decimal:
    if a.adjusted() > 5 or abs(a) >= _MOST_WEIGHT * 3:
        if a > 0:
            raise too_great()
        return rounded(ZERO, scale)
    return rounded(_context(int(float(a) * _LOG10_E) + scale + 2).exp(a), scale)


def _check_positive(a: Decimal) -> None:
    if a <= 0:
        raise error("2201E", f"cannot take logarithm of {'a negative number' if a else 'zero'}")


@scalar("ln: numeric")
def logarithm(a: Decimal) -> Decimal:
    """Return a natural logarithm; 2201E for what is not positive."""
    if a.is_nan():
        return a
    _check_positive(a)
    if a == INFINITE:
        return a
    scale = _in_limits(LEAST_DIGITS - _logarithm_weight(a), scale_of(a))
    return rounded(_natural(a, scale), scale)


def _natural(a: Decimal, scale: int) -> Decimal:
    return _context(max(_logarithm_weight(a), 0) + scale + 2).ln(a)


@scalar("log log10: numeric")
def _decimal_logarithm(a: Decimal) -> Decimal:
    return _logarithm_to(Decimal(10), a)


@scalar("log: numeric numeric")
def _logarithm_to(base: Decimal, a: Decimal) -> Decimal:
    if base.is_nan() or a.is_nan():
        return NAN
    _check_positive(base)
    _check_positive(a)
    if not base.is_finite() or not a.is_finite():
        if base.is_finite():
            return INFINITE
        return ZERO if a.is_finite() else NAN
    weight, base_weight = _logarithm_weight(a), _logarithm_weight(base)
    scale = _in_limits(LEAST_DIGITS - weight + base_weight, scale_of(base), scale_of(a))
    if base == ONE:
        raise error("22012", "division by zero")
    extra = scale + 2 * abs(base_weight) + abs(weight) + _GUARD
    return quotient(_natural(a, extra), _natural(base, extra), scale)


@scalar("^ power: numeric numeric")
def power(a: Decimal, b: Decimal) -> Decimal:
    """Return a power; 2201F for what has none among real numbers."""
    if not (a.is_finite() and b.is_finite()):
        return _special_power(a, b)
    if not a and b < 0:
        raise error("2201F", "zero raised to a negative power is undefined")
    whole = b == b.to_integral_value()
    if a < 0 and not whole:
        raise error("2201F", "a negative number raised to a non-integer power yields a complex result")
    if whole and -(1 << 31) <= b < 1 << 31:
        return _whole_power(a, int(b), scale_of(b))
    if not a:
        return rounded(ZERO, LEAST_DIGITS)
    size = a.copy_abs()
    found = _real_power(size, b, max(scale_of(a), scale_of(b)))
    is_odd = a < 0 and int(b) % 2 == 1
    return found.copy_negate() if is_odd and found else found


def _whole_power(a: Decimal, b: int, scale: int) -> Decimal:
    """Return a power with a whole exponent."""
    if a:
        first, ten = _head(a.copy_abs(), 4)
        weight = b * (math.log10(first) + ten)
    else:
        weight = 0.0
    if weight > 32_768 * 4 + 4:
        raise too_great()
    if weight < -MOST_RESULT_SCALE - LEAST_DIGITS and not -2 < b < 3:
        return rounded(ZERO, MOST_RESULT_SCALE)
    scale = _in_limits(LEAST_DIGITS - int(weight), scale_of(a), scale)
    if b == 0:
        return rounded(ONE, scale)
    context = _context(int(max(weight, 0.0)) + scale + 8 + abs(b).bit_length())
    return rounded(context.power(a, b), scale)


def _real_power(a: Decimal, b: Decimal, least: int) -> Decimal:
    """Return a power of a positive number."""
    # PostgreSQL's own guess, to the digit: where a power of ten is the result it decides about the scale
    rough = max(8 - _logarithm_weight(a), 0)
    exponent = float(rounded(EXACT.multiply(rounded(_natural(a, rough), rough), b), rough))
    if abs(exponent) > _MOST_WEIGHT * 3.01:
        if exponent > 0:
            raise too_great()
        return rounded(ZERO, MOST_RESULT_SCALE)
    weight = exponent * _LOG10_E
    scale = _in_limits(LEAST_DIGITS - int(weight), least)
    digits = max(int(weight) + scale, 1) + 8
    precise = _context(digits + max(b.adjusted(), 0) + 8)
    return _exponential(precise.multiply(precise.ln(a), b), scale)


def _special_power(a: Decimal, b: Decimal) -> Decimal:
    """Return a power that an infinity or NaN is part of."""
    if a.is_nan() or b.is_nan():
        return ONE if a == ONE or (not b.is_nan() and not b) else NAN
    if a == ONE or not b:
        return ONE
    if not a and b < 0:
        raise error("2201F", "zero raised to a negative power is undefined")
    if not b.is_finite():
        if a.copy_abs() == ONE:
            return ONE
        grows = (a.copy_abs() > ONE) == (b > 0)
        return INFINITE if grows else ZERO
    if a < 0 and b != b.to_integral_value():
        raise error("2201F", "a negative number raised to a non-integer power yields a complex result")
    if b < 0:
        return ZERO
    if a > 0:
        return INFINITE
    return -INFINITE if int(b) % 2 else INFINITE
