"""Aggregates of floats: sums, means, variances, covariances and lines through points.

All digits are PostgreSQL's: sums are taken in the order of the rows, and squares of distances from the mean are summed as rows come
(Youngs and Cramer)::

    N, Sx           count and sum so far
    Sxx            += (N x - Sx)² / (N (N - 1))

A sum over a frame that is too long to go through row by row is put together from halves; its last digits may differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....errors import SqlError
from ...errors import error
from ..column import Array, Column, Mask
from ..windows.frames import Frames
from .parts import Parts, Runs, accumulate
from .reduction import Call, aggregate, finished
from .spreads import KINDS

Floats = NDArray[np.float64]
_SQUARES_FIT = 1e150


def _overflow() -> SqlError:
    return error("22003", "value out of range: overflow")


# Sums.


@aggregate("sum", "float4 float8", ordered=True)
def _sum(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    with np.errstate(all="ignore"):
        return finished(call.result, _checked_sum(parts, columns[0].values), parts.empty)


@aggregate("avg", "float4 float8", ordered=True)
def _average(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    values = columns[0].values.astype(np.float64)
    with np.errstate(all="ignore"):
        if len(values) and float(np.nanmax(np.abs(values), initial=0.0)) > _SQUARES_FIT:
            sums = Spread.of(parts, values).sums[
                0
            ]  # PostgreSQL sums the squares also here, and they may overflow
        else:
            sums = _checked_sum(parts, values)
        return finished(call.result, (sums + 0.0) / parts.sizes, parts.empty)


def _checked_sum(parts: Parts, values: Array) -> Array:
    found = parts.total_floats(values)
    infinite = np.isinf(found)
    if infinite.any() and (infinite & (parts.total(np.isinf(values).astype(np.int64)) == 0)).any():
        raise _overflow()
    return found


# Sums of squares.


@dataclass(frozen=True, slots=True)
class Spread:
    """How the values of parts spread around their means.

    Attributes
    ----------
    counts : float array
        How many rows.
    sums : list of float array
        For each argument its sum.
    squares : list of float array
        For each argument the sum of its squared distances from the mean.
    product : float array or None
        Of two arguments the sum of the products of their distances.
    """

    counts: Floats
    sums: list[Floats]
    squares: list[Floats]
    product: Floats | None

    @classmethod
    def of(cls, parts: Parts, *arguments: Floats) -> Spread:
        """Return it for one or two arguments.

        Raises
        ------
        SqlError
            22003 if a sum of finite numbers is none.
        """
        if isinstance(parts, Frames) and parts.is_long:
            return _from_halves(parts, arguments)
        wanted = 2 * len(arguments) + (len(arguments) == 2)
        found = [np.zeros(parts.count) for _ in range(wanted)]
        with np.errstate(all="ignore"):
            for run in parts.runs():
                for whole, running in zip(found, _running(run, arguments), strict=True):
                    whole[run.parts] = running[run.ends]
        counts = parts.sizes.astype(np.float64)
        size = len(arguments)
        sums = [total + 0.0 for total in found[:size]]  # PostgreSQL begins with 0, so that there is no -0
        return cls(counts, sums, found[size : 2 * size], found[2 * size] if size == 2 else None)


def _running(run: Runs, arguments: Sequence[Floats]) -> list[Floats]:
    """Return the sums, the squares and the product for all beginnings of the stretches."""
    values = [run.arranged(argument) for argument in arguments]
    numbers = run.numbers(len(values[0])).astype(np.float64)
    is_first = numbers == 1
    sums = [accumulate(np.add, value, run.starts) for value in values]
    distances = [value * numbers - total for value, total in zip(values, sums, strict=True)]
    weights = np.where(is_first, 1.0, numbers * (numbers - 1))
    if len(values) == 1:
        terms = [distances[0] * distances[0] / weights]
    else:
        scale = 1.0 / weights
        one, other = distances
        terms = [one * one * scale, other * other * scale, one * other * scale]
    odd = [~np.isfinite(value) for value in values]
    if len(values) == 2:
        odd.append(odd[0] | odd[1])
    terms = [np.where(is_first, np.where(o, np.nan, 0.0), term) for term, o in zip(terms, odd, strict=True)]
    squares = [accumulate(np.add, term, run.starts) for term in terms]
    calm = [~np.isinf(value) & ~np.isinf(total - value) for value, total in zip(values, sums, strict=True)]
    for total, square, fine in zip(sums, squares, calm, strict=False):
        _refuse(~is_first & (np.isinf(total) | np.isinf(square)) & fine)
    if len(values) == 2:
        _refuse(~is_first & np.isinf(squares[2]) & calm[0] & calm[1])
    return [*sums, *(np.where(np.isinf(square), np.nan, square) for square in squares)]


def _refuse(overflown: Mask) -> None:
    if overflown.any():
        raise _overflow()


def _from_halves(frames: Frames, arguments: Sequence[Floats]) -> Spread:
    """Return the spreads of long frames."""
    size = len(arguments)

    def combine(left: tuple[Array, ...], right: tuple[Array, ...]) -> tuple[Array, ...]:
        count = left[0] + right[0]
        apart = [left[i] / left[0] - right[i] / right[0] for i in range(1, size + 1)]
        pairs = [(0, 0), (1, 1), (0, 1)][: 3 if size == 2 else 1]
        sums = [left[i] + right[i] for i in range(1, size + 1)]
        weight = left[0] * right[0] / count
        squares = [
            a + b + weight * apart[i] * apart[j]
            for a, b, (i, j) in zip(left[size + 1 :], right[size + 1 :], pairs, strict=True)
        ]
        return (count, *sums, *squares)

    odd = [np.where(np.isfinite(argument), 0.0, np.nan) for argument in arguments]
    if size == 2:
        odd.append(odd[0] + odd[1])
    leaves = (np.ones(frames.rows), *arguments, *odd)
    with np.errstate(all="ignore"):
        counts, *found = frames.combined(leaves, combine)
    finite = all(np.isfinite(argument).all() for argument in arguments)
    if finite and any(np.isinf(each).any() for each in found):
        raise _overflow()
    squares = [np.where(np.isinf(each), np.nan, each) for each in found[size:]]
    return Spread(counts, found[:size], squares[:size], squares[2] if size == 2 else None)


@aggregate(" ".join(KINDS), "float4 float8", ordered=True)
def _variance(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    sample, root = KINDS[call.signature.name]
    with np.errstate(all="ignore"):
        spread = Spread.of(parts, columns[0].values.astype(np.float64))
        found = spread.squares[0] / (spread.counts - sample)
        if root:
            found = np.sqrt(found)
    nulls = spread.counts <= sample
    return finished(call.result, np.where(nulls, 0.0, found), nulls if nulls.any() else None)


# Two arguments: y, and x.

_Line = Callable[[Any, Any, Any, Any, Any, Any], Any]
_LINES: dict[str, _Line] = {
    "corr": lambda n, sy, sx, syy, sxx, sxy: sxy / np.sqrt(sxx * syy),
    "covar_pop": lambda n, sy, sx, syy, sxx, sxy: sxy / n,
    "covar_samp": lambda n, sy, sx, syy, sxx, sxy: sxy / (n - 1),
    "regr_avgx": lambda n, sy, sx, syy, sxx, sxy: sx / n,
    "regr_avgy": lambda n, sy, sx, syy, sxx, sxy: sy / n,
    "regr_intercept": lambda n, sy, sx, syy, sxx, sxy: (sy - sx * sxy / sxx) / n,
    "regr_r2": lambda n, sy, sx, syy, sxx, sxy: np.where(syy == 0, 1.0, sxy * sxy / (sxx * syy)),
    "regr_slope": lambda n, sy, sx, syy, sxx, sxy: sxy / sxx,
    "regr_sxx": lambda n, sy, sx, syy, sxx, sxy: sxx,
    "regr_sxy": lambda n, sy, sx, syy, sxx, sxy: sxy,
    "regr_syy": lambda n, sy, sx, syy, sxx, sxy: syy,
}


@aggregate(" ".join(_LINES), ordered=True)
def _line(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    name = call.signature.name
    with np.errstate(all="ignore"):
        spread = Spread.of(parts, columns[0].values, columns[1].values)
        (sy, sx), (syy, sxx), n = spread.sums, spread.squares, spread.counts
        found = _LINES[name](n, sy, sx, syy, sxx, spread.product)
    nulls = n < (2 if name == "covar_samp" else 1)
    if name in ("corr", "regr_intercept", "regr_r2", "regr_slope"):
        nulls |= sxx == 0
    if name == "corr":
        nulls |= syy == 0
    return finished(call.result, np.where(nulls, 0.0, found), nulls if nulls.any() else None)
