"""What may come in as a vector."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.types import MAX_DIMENSIONS
from ..errors import (
    DimensionError,
    VectorLengthError,
    VectorNotFiniteError,
    VectorTypeError,
    VectorZeroError,
)
from .texts import text_of


def check_dimensions(value: Any) -> int:
    """Return a number of dimensions as an int, or raise :class:`~zengram_py.errors.DimensionError`.

    A float that is a whole number will do: JavaScript has no other numbers.
    """
    is_number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not is_number or not 1 <= value <= MAX_DIMENSIONS or value != int(value):
        raise DimensionError(f"dim must be a whole number from 1 to {MAX_DIMENSIONS}, not {value!r}")
    return int(value)


def check_vector(value: Any, dimensions: int) -> NDArray[np.float32]:
    """Return a vector as a float32 array of shape (dimensions,), or say what is wrong with it.

    Parameters
    ----------
    value : sequence of numbers, or anything that numpy takes
        The vector. It need not have length 1.
    dimensions : int
        The memory's dimension.

    Raises
    ------
    VectorTypeError, VectorLengthError, VectorNotFiniteError, VectorZeroError
    """
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):
        raise VectorTypeError("a vector is a sequence of numbers") from None
    except Exception as error:  # converting runs code of the caller's: __array__, __getitem__
        raise VectorTypeError(f"the vector cannot be read: {text_of(error)}") from error
    if array.ndim == 1 and array.size == 0:
        raise VectorLengthError(f"the vector is empty; this memory takes {dimensions} numbers")
    if array.ndim != 1 or array.dtype.kind not in "fiu":
        raise VectorTypeError(f"a vector is a flat sequence of numbers, not {_describe(value, array)}")
    if len(array) != dimensions:
        raise VectorLengthError(f"the vector has {len(array)} numbers; this memory takes {dimensions}")
    with np.errstate(over="ignore"):
        vector = array.astype(np.float32)
    if not np.isfinite(vector).all():
        raise VectorNotFiniteError("the vector holds NaN or infinity (or a number beyond float32)")
    if not vector.any():
        raise VectorZeroError("the vector is all zeros: it points nowhere, so nothing is near it")
    return vector


def _describe(value: Any, array: NDArray[Any]) -> str:
    if array.ndim == 0:
        return f"a {type(value).__name__}"
    return f"an array of {array.ndim} dimensions" if array.ndim > 1 else f"a sequence of {array.dtype}"
