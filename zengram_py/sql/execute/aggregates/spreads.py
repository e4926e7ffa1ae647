"""Variances and standard deviations of whole numbers and of ``numeric``: from the exact sums of the numbers and of their squares."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from ..column import Column, objects
from .exact import EXACT, NAN, parts_of, scale_of, variance
from .parts import Parts
from .reduction import Call, aggregate, finished
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
    totals = whole_totals(parts, values)
    if len(values) and max(int(values.max()), -int(values.min())) > _SMALL:
        squares = parts.total(objects([v * v for v in values.tolist()])).tolist()
    else:
        squares = whole_totals(parts, values * values)
    scales = [0] * parts.count
    return _finished(parts, totals, squares, scales, call)


@aggregate(" ".join(KINDS), "numeric")
def _of_numeric(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    values = columns[0].tolist()
    totals = parts.total_numerics(values)
    squares = parts.total_numerics([EXACT.multiply(v, v) for v in values])
    scales = [scale_of(t) if t.is_finite() else -1 for t in totals]
    sums: list[Any] = []
    roots: list[Any] = []
    for total, square, scale in zip(totals, squares, scales, strict=True):
        sums.append(parts_of(total)[0] if scale >= 0 else 0)
        roots.append(int(EXACT.scaleb(square, 2 * scale)) if scale >= 0 else 0)
    return _finished(parts, sums, roots, scales, call)


def _finished(parts: Parts, totals: list[int], squares: list[int], scales: list[int], call: Call) -> Column:
    """Return variances; a scale of -1 stands for a sum that is no number."""
    sample, root = KINDS[call.signature.name]
    found: list[Decimal | None] = []
    for size, total, square, scale in zip(parts.sizes.tolist(), totals, squares, scales, strict=True):
        if scale < 0 and size > sample:
            found.append(NAN)
        else:
            found.append(variance(size, total, square, max(scale, 0), sample=sample, root=root))
    nulls = np.array([v is None for v in found], bool)
    return finished(call.result, found, nulls if nulls.any() else None)


