"""Sorting by digits: numpy sorts numbers of 16 bits by counting them, several times faster than greater ones by comparing.

So greater numbers are sorted by their last 16 bits, then by those before them, and so on; each sort leaves equal numbers as they are. Of several
keys the last one's digits come first. In a tab this is two to fifteen times as fast as ``lexsort``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_FEW = 512
"""So many rows are sorted by comparing."""


def order_of(keys: Sequence[NDArray[Any]], count: int) -> NDArray[np.int64]:
    """Return the places of rows in ascending order; equal rows stay as they come.

    Parameters
    ----------
    keys : sequence of array
        Booleans, integers or floats without NaN, shape (count,); the first counts most.
    count : int
        How many rows.
    """
    if not keys:
        return np.arange(count)
    if count < _FEW:
        return np.argsort(keys[0], kind="stable") if len(keys) == 1 else np.lexsort(keys[::-1])
    order = None
    for key in reversed(keys):
        for digit in _digits(key):
            if order is None:
                order = np.argsort(digit, kind="stable")
            else:
                order = order[np.argsort(digit[order], kind="stable")]
    return np.arange(count) if order is None else order


def _digits(key: NDArray[Any]) -> Iterator[NDArray[np.uint16]]:
    """Yield the digits of base 2**16 of numbers in the order of a key, the last first; those that are alike everywhere are left out."""
    numbers = _unsigned(key)
    numbers = numbers - numbers.min()
    for shift in range(0, int(numbers.max()).bit_length(), 16):
        digit = (numbers >> numbers.dtype.type(shift)).astype(np.uint16)
        if (digit != digit[0]).any():
            yield digit


def _unsigned(key: NDArray[Any]) -> NDArray[Any]:
    """Return numbers without a sign in the order of a key."""
    if key.dtype.kind == "b":
        return key.astype(np.uint16)
    size = max(key.dtype.itemsize, 4)
    signed, unsigned = np.dtype(f"i{size}"), np.dtype(f"u{size}")
    top = unsigned.type(1 << (8 * size - 1))
    if key.dtype.kind != "f":
        whole: NDArray[Any] = key.astype(signed, copy=False).view(unsigned) ^ top
        return whole
    bits = (key + key.dtype.type(0)).view(signed)  # -0.0 becomes 0.0
    # The bits of a positive float are in its order; those of a negative one in the opposite.
    found: NDArray[Any] = np.where(bits < 0, ~bits.view(unsigned), bits.view(unsigned) | top)
    return found
