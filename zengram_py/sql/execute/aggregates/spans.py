"""Sums and means of intervals and of vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ....engine import Interval
from ....errors import SqlError
from ...errors import error
from ..column import Array, Column, objects
from .parts import Parts
from .reduction import Call, aggregate, finished
from .sums import whole_totals

_LIMITS = (1 << 31, 1 << 31, 1 << 63)
_ZERO = Interval()
INFINITE = (Interval(*(limit - 1 for limit in _LIMITS)), Interval(*(-limit for limit in _LIMITS)))
"""The spans that stand for the infinities."""
_DAYS_OF_MONTH = 30
_DAY_SECONDS = 86_400
_SECOND = 1_000_000


@aggregate("sum", "interval")
def _sum(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    return finished(call.result, objects(_totals(parts, columns[0])), parts.empty)


@aggregate("avg", "interval")
def _average(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    totals = _totals(parts, columns[0])
    found = [
        total if total in INFINITE else divided(total, size) if size else None
        for total, size in zip(totals, parts.sizes.tolist(), strict=True)
    ]
    return finished(call.result, objects(found), parts.empty)


def _totals(parts: Parts, column: Column) -> list[Interval]:
    values = column.tolist()
    infinite = [parts.total(np.array([v == edge for v in values], np.int64)) for edge in INFINITE]
    fields = np.array([_ZERO if v in INFINITE else v for v in values], np.int64).reshape(-1, 3)
    sums = [whole_totals(parts, fields[:, i]) for i in range(3)]
    for total, limit in zip(sums, _LIMITS, strict=True):
        if any(not -limit <= each < limit for each in total):
            raise _out_of_range()
    found = [Interval(*each) for each in zip(*sums, strict=True)]
    if (infinite[0] * infinite[1]).any():
        raise _out_of_range()
    for counts, edge in zip(infinite, INFINITE, strict=True):
        for i in np.flatnonzero(counts).tolist():
            found[i] = edge
    return found


def _out_of_range() -> SqlError:
    return error("22008", "interval out of range")


def divided(span: Interval, divisor: int) -> Interval:
    """Return a part of a span."""
    return portion(span, lambda amount: amount / divisor)


def portion(span: Interval, share: Callable[[int], float]) -> Interval:
    """Return a share of a span; what is left of months goes to days, of days to the time."""
    months, days = int(share(span.months)), int(share(span.days))
    rest = _rounded((share(span.months) - months) * _DAYS_OF_MONTH)
    seconds = _rounded((share(span.days) - days + rest - int(rest)) * _DAY_SECONDS)
    if abs(seconds) >= _DAY_SECONDS:
        days += int(seconds / _DAY_SECONDS)
        seconds -= int(seconds / _DAY_SECONDS) * _DAY_SECONDS
    return Interval(months, days + int(rest), round(share(span.microseconds) + seconds * _SECOND))


def _rounded(value: float) -> float:
    return round(value * 1e6) / 1e6


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
