"""Sums and means of intervals and of vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....engine import Interval
from ...errors import error
from ...functions.spans import divide, infinite, out_of_range, span
from ...functions.spans import parts as parts_of_spans
from ..column import Array, Column, objects
from .parts import Parts
from .reduction import Call, aggregate, finished
from .sums import whole_totals


@aggregate("sum", "interval")
def _sum(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    return finished(call.result, objects(_totals(parts, columns[0])), parts.empty)


@aggregate("avg", "interval")
def _average(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    totals = _totals(parts, columns[0])
    found = [
        divide(total, size) if size else None
        for total, size in zip(totals, parts.sizes.tolist(), strict=True)
    ]
    return finished(call.result, objects(found), parts.empty)


def _totals(parts: Parts, column: Column) -> list[Interval]:
    months, days, time, endless = parts_of_spans(column.values)
    finite = endless == 0
    fields = [whole_totals(parts, np.where(finite, field, 0)) for field in (months, days, time)]
    found = [span(*each) for each in zip(*fields, strict=True)]
    if not finite.all():
        above, below = (parts.total((endless == sign).astype(np.int64)) > 0 for sign in (1, -1))
        if (above & below).any():
            raise out_of_range()
        for i in np.flatnonzero(above | below).tolist():
            found[i] = infinite(1 if above[i] else -1)
    return found


@aggregate("sum avg", "vector", ordered=True)
def _vectors(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    """Sum in single precision and average in double, as pgvector does."""
    is_mean = call.signature.name == "avg"
    matrix = columns[0].matrix()
    if matrix is None:
        lists = parts.lists(columns[0].tolist())
        return finished(call.result, [_of_some(found, call) for found in lists], parts.empty)
    with np.errstate(all="ignore"):
        sums = _row_sums(parts, matrix.astype(np.float64) if is_mean else matrix)
        if is_mean:
            sums = (sums / np.maximum(parts.sizes, 1)[:, None]).astype(np.float32)
    _check_finite(sums)
    return finished(call.result, list(sums), parts.empty)


def _of_some(vectors: list[Array], call: Call) -> Array | None:
    """Return the sum or mean of a part's vectors, where other parts' have other lengths."""
    lengths = list(dict.fromkeys(map(len, vectors)))
    is_mean = call.signature.name == "avg"
    if len(lengths) > 1:
        different = f"different vector dimensions {lengths[0]} and {lengths[1]}"
        raise error("22000", f"expected {lengths[0]} dimensions, not {lengths[1]}" if is_mean else different)
    if not vectors:
        return None
    matrix = np.stack(vectors).astype(np.float64 if is_mean else np.float32)
    with np.errstate(all="ignore"):
        found: Array = matrix.sum(axis=0)
        found = (found / len(vectors)).astype(np.float32) if is_mean else found
    _check_finite(found)
    return found


def _check_finite(sums: Array) -> None:
    if not np.isfinite(sums).all():
        raise error("22003", "value out of range: overflow")


def _row_sums(parts: Parts, matrix: Array) -> Array:
    """Return the sums of the rows of parts, dimension by dimension."""
    found = [parts.total_floats(np.ascontiguousarray(column)) for column in matrix.T]
    return np.stack(found, axis=1) if found else np.zeros((parts.count, 0), matrix.dtype)
