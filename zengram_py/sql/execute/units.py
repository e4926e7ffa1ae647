"""Exact numbers as whole numbers of one unit: 1.50 and 2 are 150 and 200 hundredths. These compare, and are added, much more quickly."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..functions.numerics import EXACT, scale_of

_ZERO = Decimal(0)


def most_scale(values: Sequence[Decimal]) -> int | None:
    """Return the most digits that any number has behind the point; None if there are infinities or NaN."""
    if not all(map(Decimal.is_finite, values)):
        return None
    with localcontext(EXACT):
        return scale_of(sum(values, _ZERO))  # an exact sum has them all


def units_of(values: Sequence[Decimal], scale: int) -> list[int]:
    """Return finite numbers in units of 10**-scale, which is no fewer digits than any of them has."""
    if not scale:
        return list(map(int, values))
    factor = Decimal(1).scaleb(scale)
    with localcontext(EXACT):
        return [int(value * factor) for value in values]


def quick_units(values: Sequence[Any]) -> NDArray[np.int64] | None:
    """Return numbers of which some may be None (0 stands for these) as int64 of one unit; None if they are not finite or too great."""
    known = [_ZERO if value is None else value for value in values]
    scale = most_scale(known)
    if scale is None or scale > 18:
        return None
    try:
        return np.array(units_of(known, scale), np.int64)
    except OverflowError:
        return None
