"""Elements and slices of arrays, and what ``jsonb[…]`` finds.

Arrays count from 1. An element is null unless there is one subscript for each dimension and all of them are inside; a slice is what there is
between its bounds, nothing if there is nothing between them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import repeat
from typing import Any

from ..bound import Bound, Element
from .jsonb import as_json, follow
from .jsonvalues import parse
from .registry import Implementation

Pair = tuple[Bound | None, Bound | None]
Bounds = list[tuple[int, int | None]]


def subscript(node: Element) -> Implementation:
    """Return the code of a subscript: of the array or JSON, and then of all bounds that are there."""
    if node.operand.type.name == "jsonb":
        return Implementation("scalar", _part)
    if node.is_slice:
        return Implementation("scalar", _slicing(node.subscripts))
    return Implementation("scalar", _element)


def _part(json: str, *keys: str | int) -> str | None:
    return as_json(follow(parse(json), map(str, keys)))


def _element(array: Any, *places: int) -> Any:
    for place in places:
        if type(array) is not tuple or not 1 <= place <= len(array):
            return None
        array = array[place - 1]
    return None if type(array) is tuple else array


def _slicing(subscripts: Sequence[Pair]) -> Callable[..., Any]:
    shape = [(lower is not None, upper is not None) for lower, upper in subscripts]

    def run(array: tuple[Any, ...], *given: int) -> tuple[Any, ...]:
        values = iter(given)
        bounds = [(next(values) if low else 1, next(values) if up else None) for low, up in shape]
        found = _slice(array, bounds, 0)
        return () if found is None else found

    return run


def _slice(array: Any, bounds: Bounds, level: int) -> tuple[Any, ...] | None:
    """Return a slice, None if it is empty or has more bounds than there are dimensions; dimensions without bounds stay whole."""
    lower, upper = bounds[level]
    if type(array) is not tuple:
        return None
    part: tuple[Any, ...] = array[max(lower, 1) - 1 : len(array) if upper is None else max(upper, 0)]
    if level + 1 == len(bounds) or not part:
        return part or None
    parts = tuple(map(_slice, part, repeat(bounds), repeat(level + 1)))
    return None if parts[0] is None else parts
