"""Means and variances of exact numbers, with the digits that PostgreSQL's ``numeric`` has for them (functions/numerics.py)."""

from __future__ import annotations

from decimal import Decimal
from math import isqrt

import numpy as np

from ...functions.numerics import EXACT, LEAST_DIGITS, division_scale, quotient, scale_of
from .parts import Places

_BASE = 10_000
_POWERS = np.array([_BASE**i for i in range(1, 5)], np.int64)
_STEP = 10**8


def means_of_whole(totals: Places, counts: Places) -> list[Decimal]:
    """Return whole numbers divided by positive ones below 2**31, as ``numerics.divide`` does one by one."""
    weights, first = _leading(np.abs(totals))
    other_weights, other_first = _leading(counts)
    scales = np.maximum(LEAST_DIGITS - 4 * (weights - other_weights - (first <= other_first)), 0)
    found = [_ZERO] * len(totals)
    for scale in np.unique(scales).tolist():
        rows = np.flatnonzero(scales == scale)
        units = _quotients(totals[rows], counts[rows], scale)
        for row, unit in zip(rows.tolist(), units, strict=True):
            found[row] = Decimal(unit).scaleb(-scale, EXACT)
    return found


_ZERO = Decimal(0)


def _leading(values: Places) -> tuple[Places, Places]:
    """Return how many digits of base 10,000 follow the first one, and that digit."""
    weights = np.searchsorted(_POWERS, values, "right").astype(np.int64)
    return weights, values // _BASE**weights


def _quotients(totals: Places, counts: Places, scale: int) -> list[int]:
    """Return quotients in units of 10**-scale, rounded half away from zero: by long division, eight digits at a time."""
    whole, rest = np.divmod(np.abs(totals), counts)
    upper, lower = (
        np.zeros_like(whole),
        np.zeros_like(whole),
    )  # the first 16 digits behind the point, and those after
    for done in range(0, scale, 8):
        step = min(_STEP, 10 ** (scale - done))
        digits, rest = np.divmod(rest * step, counts)
        if done < 16:
            upper = upper * step + digits
        else:
            lower = lower * step + digits
    lower += 2 * rest >= counts
    sign = np.sign(totals)
    last, more = 10 ** max(scale - 16, 0), 10 ** min(scale, 16)
    parts = zip((sign * whole).tolist(), (sign * upper).tolist(), (sign * lower).tolist(), strict=True)
    if last == 1:
        return [w * more + u + v for w, u, v in parts]
    return [(w * more + u) * last + v for w, u, v in parts]


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
