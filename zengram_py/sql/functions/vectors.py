"""Vectors: distances, arithmetic and parts, as pgvector has them.

A column of vectors is a matrix, and a function of two columns is one of two matrices, of which either may have one row for all::

    v <-> $1      [n, d] - [1, d]  ──squares, summed──▶  [n]

The rows go through in blocks that stay in the processor's cache, so that the differences are never written out as a whole.
Distances are of float32 numbers, as in pgvector; what they give is a double. Inner products are one matrix product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import SqlError
from ..errors import error
from ..execute.column import Column, Mask, joined_nulls, nulls_of, objects
from ..execute.context import Context
from ..types import FLOAT8, VECTOR
from .registry import columns, scalar

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Measure = Callable[[Floats, Floats], Doubles]
Change = Callable[[Floats, Floats], Floats]
_BLOCK_VALUES = 1 << 18


# Distances: of matrices (n or 1, d) and (n or 1, d), giving (n or 1).


def _squares(a: Floats, b: Floats) -> Doubles:
    found: Doubles = np.sqrt(_sums_of_squares(a - b))
    return found


def _sums_of_squares(a: Floats) -> Doubles:
    found: Doubles = np.einsum("ij,ij->i", a, a).astype(np.float64)
    return found


def _products(a: Floats, b: Floats) -> Doubles:
    if len(b) == 1:
        found: Floats = a @ b[0]
    elif len(a) == 1:
        found = b @ a[0]
    else:
        found = np.einsum("ij,ij->i", a, b)
    return found.astype(np.float64)


def _negated_products(a: Floats, b: Floats) -> Doubles:
    return -_products(a, b)


def _angles(a: Floats, b: Floats) -> Doubles:
    """Return one minus the cosine; NaN where a vector is all zeros."""
    lengths = np.sqrt(_sums_of_squares(a) * _sums_of_squares(b))
    found: Doubles = 1 - np.clip(_products(a, b) / lengths, -1, 1)
    return found


def _taxi(a: Floats, b: Floats) -> Doubles:
    found: Doubles = np.abs(a - b).sum(axis=1).astype(np.float64)
    return found


_MEASURES: dict[str, Measure] = {
    "<-> l2_distance": _squares,
    "<#>": _negated_products,
    "inner_product": _products,
    "<=> cosine_distance": _angles,
    "<+> l1_distance": _taxi,
}


def _blocks(count: int, dimensions: int) -> Iterator[slice]:
    rows = max(1, _BLOCK_VALUES // max(1, dimensions))
    for start in range(0, count, rows):
        yield slice(start, start + rows)


def _dimensions(column: Column) -> int | None:
    """Return the length of a column's vectors; 0 if all are null, None if they differ."""
    lengths = {len(v) for v in column.values if v is not None} if column.heap is None else None
    if lengths is None:
        return column.type.modifier[0] if column.type.modifier else _matrix(column).shape[1]
    return None if len(lengths) > 1 else lengths.pop() if lengths else 0


def _matrix(column: Column) -> Floats:
    found = column.matrix()
    assert found is not None
    return found


def _mismatch(a: int, b: int) -> SqlError:
    return error("22000", f"different vector dimensions {a} and {b}")


def _row_by_row(arguments: Sequence[Column], size: int) -> Iterator[tuple[int, Floats, Floats]]:
    """Yield the rows of two columns, of which one has vectors of different lengths, that hold no null, as small matrices."""
    left, right = (a.expanded(size).tolist() for a in arguments)
    for i, (a, b) in enumerate(zip(left, right, strict=True)):
        if a is not None and b is not None:
            yield i, np.asarray(a, np.float32)[None], np.asarray(b, np.float32)[None]


def _is_one_matrix(arguments: Sequence[Column], nulls: Mask | None) -> bool:
    """Return whether two columns are two matrices of one width; refuse widths that differ in a row without null."""
    left, right = (_dimensions(a) for a in arguments)
    if left is None or right is None:
        return False
    if left != right and left and right and (nulls is None or not nulls.all()):
        raise _mismatch(left, right)
    return left == right


def _register_measure(names: str, measure: Measure) -> None:
    @columns(f"{names}: vector vector")
    def run(context: Context, arguments: Sequence[Column], count: int) -> Column:
        constant = all(a.is_constant for a in arguments)
        size = 1 if constant else count
        nulls = joined_nulls(arguments)
        if nulls is not None and nulls.all():
            return nulls_of(FLOAT8, size) if not constant else Column.constant(FLOAT8, None)
        found = np.zeros(size, np.float64)
        with np.errstate(all="ignore"):
            if _is_one_matrix(arguments, nulls):
                one, other = arguments
                for block in _blocks(size, _dimensions(other) or 0):
                    found[block] = measure(_part(one, block), _part(other, block))
            else:
                for i, a, b in _row_by_row(arguments, size):
                    if a.shape != b.shape:
                        raise _mismatch(a.shape[1], b.shape[1])
                    found[i] = measure(a, b)[0]
        return Column(FLOAT8, found, nulls, is_constant=constant)


def _part(column: Column, block: slice) -> Floats:
    return _matrix(column if column.is_constant else column.take(block))  # type: ignore[arg-type]


for _names, _measure in _MEASURES.items():
    _register_measure(_names, _measure)


# Arithmetic: vectors of vectors.


def _checked(made: Floats, *, vanished: Mask | None = None) -> Floats:
    if not np.isfinite(made).all():
        raise error("22003", "value out of range: overflow")
    if vanished is not None and vanished.any():
        raise error("22003", "value out of range: underflow")
    return made


def _sum(a: Floats, b: Floats) -> Floats:
    return _checked(a + b)


def _difference(a: Floats, b: Floats) -> Floats:
    return _checked(a - b)


def _product(a: Floats, b: Floats) -> Floats:
    made = a * b
    return _checked(made, vanished=(made == 0) & (a != 0) & (b != 0))


def _register_change(name: str, change: Change) -> None:
    @columns(f"{name}: vector vector")
    def run(context: Context, arguments: Sequence[Column], count: int) -> Column:
        constant = all(a.is_constant for a in arguments)
        size = 1 if constant else count
        nulls = joined_nulls(arguments)
        out: list[Any] = [None] * size
        with np.errstate(all="ignore"):
            if nulls is None and _is_one_matrix(arguments, nulls):
                one, other = (_matrix(a) for a in arguments)
                out = list(change(one, other))
            else:
                for i, a, b in _row_by_row(arguments, size):
                    if a.shape != b.shape:
                        raise _mismatch(a.shape[1], b.shape[1])
                    out[i] = change(a, b)[0]
        if nulls is not None and len(nulls) != size:
            nulls = np.broadcast_to(nulls, (size,))
        return Column(VECTOR, objects(out), nulls, is_constant=constant)


for _name, _change in (("+", _sum), ("-", _difference), ("*", _product)):
    _register_change(_name, _change)


# One vector.


@scalar("vector_dims: vector")
def _vector_dims(value: Floats) -> int:
    return len(value)


@scalar("vector_norm: vector")
def _vector_norm(value: Floats) -> float:
    return _norm(value)


def _norm(value: Floats) -> float:
    wide = np.asarray(value, np.float64)
    return float(np.sqrt(wide @ wide))


@scalar("l2_normalize: vector")
def _l2_normalize(value: Floats) -> Floats:
    norm = _norm(value)
    if norm == 0:
        return np.zeros(len(value), np.float32)
    return (np.asarray(value, np.float64) / norm).astype(np.float32)


@scalar("subvector: vector int4 int4")
def _subvector(value: Floats, start: int, count: int) -> Floats:
    first, last = max(start, 1), min(start + count, len(value) + 1)
    if count < 1 or last <= first:
        raise error("22000", "vector must have at least 1 dimension")
    return np.asarray(value, np.float32)[first - 1 : last - 1]


@scalar("||: vector vector")
def _joined(left: Floats, right: Floats) -> Floats:
    return np.concatenate([left, right]).astype(np.float32)
