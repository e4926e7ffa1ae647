"""Arithmetic of whole numbers, floats and numerics."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import error
from .registry import vector


@vector("+: int4 int4")
def _add_int4(a: Any, b: Any, live: Any) -> Any:
    found = a.astype(np.int64) + b
    outside = (found < -(2**31)) | (found >= 2**31)
    if outside.any() and (outside if live is None else outside & live).any():
        raise error("22003", "integer out of range")
    return found.astype(np.int32)
