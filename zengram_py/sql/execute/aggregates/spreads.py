"""Variances and standard deviations of whole numbers and of ``numeric``: from the exact sums of the numbers and of their squares."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import numpy as np

from ...functions.numerics import EXACT, NAN
from ..column import Column, objects
from .exact import variance
from .parts import Parts
from .reduction import Call, aggregate
from .sums import whole_totals

KINDS = {
    "stddev": (True, True),
    "stddev_samp": (True, True),
    "stddev_pop": (False, True),
    "variance": (True, False),
    "var_samp": (True, False),
    "var_pop": (False, False),
}
"""Whether the values are a sample, and whether the root is wanted."""
_SMALL = 1 << 31


@aggregate(" ".join(KINDS), "int2 int4 int8")
def _of_whole(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    values = columns[0].values.astype(np.int64)
    if len(values) and max(int(values.max()), -int(values.min())) > _SMALL:
        squares = parts.total(objects([v * v for v in values.tolist()])).tolist()
    else:
        squares = whole_totals(parts, values * values)
    totals = whole_totals(parts, values)
    return _variances(parts, list(map(Decimal, totals)), list(map(Decimal, squares)), call)


@aggregate(" ".join(KINDS), "numeric")
def _of_numeric(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    values = columns[0].tolist()
    squares = parts.total_numerics([EXACT.multiply(v, v) for v in values])
    return _variances(parts, parts.total_numerics(values), squares, call)


def _variances(parts: Parts, totals: list[Decimal], squares: list[Decimal], call: Call) -> Column:
    sample, root = KINDS[call.signature.name]
    found = [
        variance(size, total, square, sample=sample, root=root)
        if total.is_finite() or size <= sample
        else NAN
        for size, total, square in zip(parts.sizes.tolist(), totals, squares, strict=True)
    ]
    return Column.of(call.result, found)
