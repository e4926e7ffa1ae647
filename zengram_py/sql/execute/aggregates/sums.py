"""``sum`` and ``avg`` of whole numbers and of ``numeric``, which are exact.

int64 additions wrap, so what is sure to fit is added as it is, also as the difference of two running sums that do not fit. Where a
sum itself may be greater, the upper and the lower half of each number are added apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import numpy as np

from ...functions.numerics import checked, divide
from ..column import Array, Column
from .exact import means_of_whole
from .parts import Parts
from .reduction import Call, aggregate, finished


def whole_totals(parts: Parts, values: Array) -> list[int]:
    """Return the sums of whole numbers of each part."""
    wide = values.astype(np.int64, copy=False)
    if _fits(parts, wide):
        found: list[int] = parts.total(wide).tolist()
        return found
    upper, lower = parts.total(wide >> 32).tolist(), parts.total(wide & 0xFFFFFFFF).tolist()
    return [(high << 32) + low for high, low in zip(upper, lower, strict=True)]


def _fits(parts: Parts, values: Array) -> bool:
    """Return whether the sum of each part is sure to be an int64."""
    most = max(int(values.max()), -int(values.min())) if len(values) else 0
    return most * int(parts.sizes.max(initial=0)) < 1 << 63


@aggregate("sum", "int2 int4")
def _sum_small(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    return Column(call.result, parts.total(columns[0].values.astype(np.int64)), parts.empty)


@aggregate("sum", "int8")
def _sum_large(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    totals = whole_totals(parts, columns[0].values)
    return finished(call.result, [Decimal(total) for total in totals], parts.empty)


@aggregate("avg", "int2 int4 int8")
def _average(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    values, sizes = columns[0].values.astype(np.int64), np.maximum(parts.sizes, 1)
    if _fits(parts, values):
        found = means_of_whole(parts.total(values), sizes)
    else:
        totals = whole_totals(parts, values)
        found = [divide(Decimal(t), Decimal(n)) for t, n in zip(totals, sizes.tolist(), strict=True)]
    return finished(call.result, found, parts.empty)


@aggregate("sum", "numeric")
def _sum_exact(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    totals = parts.total_numerics(columns[0].tolist())
    return finished(call.result, [checked(total) for total in totals], parts.empty)


@aggregate("avg", "numeric")
def _average_exact(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    totals = parts.total_numerics(columns[0].tolist())
    found = [
        divide(checked(total), Decimal(size)) if size else None
        for total, size in zip(totals, parts.sizes.tolist(), strict=True)
    ]
    return finished(call.result, found, parts.empty)
