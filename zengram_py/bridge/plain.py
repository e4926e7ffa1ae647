"""What crosses, converted: names to JavaScript's, results to plain objects, typed arrays to arrays of numpy."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

_ONLY_WHEN_ASKED = frozenset(["explanation"])
"""Fields that are left out where they are None."""
_SIMPLE = frozenset([str, int, float, bool, type(None)])


@cache
def camel(name: str) -> str:
    """Return a Python name as JavaScript has it: ``min_score`` as ``minScore``."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def plain(result: Any) -> Any:
    """Return a result as JavaScript has it: objects with its names for dataclasses, in sequences and in each other too.

    Values of JSON that a field holds stay what they are: their keys are the caller's.
    """
    if isinstance(result, (list, tuple)):
        return [plain(one) for one in result]
    names = _fields(result.__class__)
    if names is None:
        return result
    found: dict[str, Any] = {}
    for name, attribute in names:
        value = getattr(result, attribute)
        if value is None and name in _ONLY_WHEN_ASKED:
            continue
        nested = value.__class__ not in _SIMPLE and (
            isinstance(value, tuple) or _fields(value.__class__) is not None
        )
        found[name] = plain(value) if nested else value
    return found


@cache
def _fields(kind: Any) -> tuple[tuple[str, str], ...] | None:
    return tuple((camel(field.name), field.name) for field in fields(kind)) if is_dataclass(kind) else None


def stored(value: Any) -> Any:
    """Return what a row holds and JSON has not: a vector as its numbers, bytes as SQL writes them."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, bytes):
        return f"\\x{value.hex()}"
    raise TypeError(f"a {type(value).__name__} does not cross")


def view_of(buffer: Any) -> Any:
    """Return a JavaScript typed array as a memoryview of a copy (one copy, its type kept)."""
    convert = getattr(buffer, "to_memoryview", None)
    return buffer if convert is None else convert()


def vector_of(buffer: Any) -> Any:
    """Return a typed array of numbers as an array."""
    return buffer if buffer is None else np.asarray(view_of(buffer))


def vectors_of(buffer: Any, lengths: list[int]) -> list[NDArray[Any]]:
    """Return the vectors that lie one after the other in one typed array."""
    return np.split(vector_of(buffer), np.cumsum(lengths)[:-1]) if lengths else []
