"""The caller's embedder, as ``embed(text)`` calls it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.types import MAX_DIMENSIONS
from ..errors import DimensionError, EmbedderError, VectorLengthError, VectorTypeError, ZengramError


class Embedder:
    """A function from a text to numbers, with how many these are.

    Parameters
    ----------
    function : callable
        The caller's; it must answer at once.
    dimensions : int
        How many numbers it gives.
    """

    def __init__(self, function: Callable[[str], Any], dimensions: Any) -> None:
        if not callable(function):
            raise EmbedderError("an embedder is a function from a text to numbers")
        is_number = isinstance(dimensions, (int, float)) and not isinstance(dimensions, bool)
        if not is_number or not 1 <= dimensions <= MAX_DIMENSIONS or dimensions != int(dimensions):
            raise DimensionError(
                f"dims must be a whole number from 1 to {MAX_DIMENSIONS}, not {dimensions!r}"
            )
        self.function = function
        self.dimensions = int(dimensions)

    def __call__(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a text.

        Raises
        ------
        EmbedderError
            If the function fails or answers later.
        VectorTypeError, VectorLengthError
            If it gives something else than so many finite numbers.
        """
        try:
            result = self.function(text)
        except ZengramError:
            raise
        except Exception as failure:
            raise EmbedderError(f"the embedder failed: {failure}") from failure
        if inspect.isawaitable(result) or hasattr(result, "then"):
            if inspect.iscoroutine(result):
                result.close()
            message = "the embedder is asynchronous; await the vector yourself and pass it as a parameter"
            raise EmbedderError(message, code="EMBEDDER_ASYNC")
        try:
            vector = np.array(result, np.float32)
        except (TypeError, ValueError):
            raise VectorTypeError("the embedder gave something else than a list of numbers") from None
        if vector.shape != (self.dimensions,):
            shape = " by ".join(map(str, vector.shape))
            raise VectorLengthError(
                f"the embedder gave {shape or 'one'} numbers in place of {self.dimensions}"
            )
        if not np.isfinite(vector).all():
            raise VectorTypeError("the embedder gave a vector that holds NaN or infinity")
        return vector


def missing() -> EmbedderError:
    """Return the error of ``embed`` without an embedder."""
    message = "there is no embedder: set one with set_embed_fn (setEmbedFn in JavaScript)"
    return EmbedderError(message, code="EMBEDDER_MISSING")
