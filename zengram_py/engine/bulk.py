"""Checking many values at once: an array that fits its column is taken as it is, without a Python loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .composite import EnumType
from .limited import LimitedMomentType
from .types import ColumnType, TextType


def check_many(column_type: ColumnType, values: Sequence[Any] | NDArray[Any]) -> Any:
    """Return checked values: an array as it is when it fits, else a list in which None is null."""
    if isinstance(values, np.ndarray) and not isinstance(values, np.ma.MaskedArray):
        if column_type.storage == "matrix":
            shape = (len(values), column_type.dimensions)  # type: ignore[attr-defined]
            if values.shape == shape and values.dtype.kind in "fiu":
                with np.errstate(over="ignore"):
                    matrix = values.astype(np.float32)
                if np.isfinite(matrix).all():
                    matrix.setflags(write=False)
                    return matrix
        elif values.ndim == 1 and _keeps_numbers(column_type):
            fitted = _fit(column_type, values)
            if fitted is not None:
                return fitted
    elif isinstance(values, (list, tuple)):
        plain = _plain(column_type, values)
        if plain is not None:
            return plain
    items = values.tolist() if isinstance(values, np.ndarray) and column_type.storage != "matrix" else values
    check = column_type.check
    return [None if item is None else check(item) for item in items]


def _plain(column_type: ColumnType, values: Sequence[Any]) -> Any:
    """Return checked values of a list in which all are of one plain type, without looking at each; None if not so."""
    kinds = set(map(type, values))
    if kinds == {str} and type(column_type) is TextType:
        return values if "".join(values).isascii() else None
    if not _keeps_numbers(column_type):
        return None
    if kinds in ({int}, {float}, {bool}):
        try:
            return _fit(column_type, np.array(values))
        except OverflowError:
            return None
    return None


def _keeps_numbers(column_type: ColumnType) -> bool:
    """Return whether a type takes numbers as they are, if they are in range: an enum does not, nor one that rounds."""
    is_fixed = column_type.storage == "fixed"
    return is_fixed and not isinstance(column_type, (EnumType, LimitedMomentType))


def _fit(column_type: ColumnType, values: NDArray[Any]) -> NDArray[Any] | None:
    """Return an array in a fixed column's type when each value fits, else None."""
    wanted = np.dtype(column_type.dtype)
    if wanted.kind == "i" and values.dtype.kind in "iu":
        least, most = column_type.bounds  # type: ignore[attr-defined]
        if len(values) and (int(values.min()) < least or int(values.max()) > most):
            return None
        return values.astype(wanted)
    if wanted.kind == "b" and values.dtype.kind == "b":
        return values.copy()
    if wanted.kind == "f" and values.dtype.kind in "fiu":
        with np.errstate(over="ignore"):
            out = values.astype(wanted)
        return (
            out
            if np.isinf(out).sum() == (np.isinf(values).sum() if values.dtype.kind == "f" else 0)
            else None
        )
    return None
