"""Elements of arrays: where they are, whether they are there, arrays without them.

Equal is what ``=`` says; null is equal to null where one is looked for, but not in ``@>`` and ``&&``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import error, unsupported
from ..execute.ordering import key_of
from ..signatures import Signature
from .jsonb import flat
from .registry import Implementation, by_type

Items = tuple[Any, ...]


def _same(signature: Signature) -> Callable[[Any], Any]:
    """Return the function that gives elements' keys, None for null."""
    element = signature.arguments[0].element
    assert element is not None
    key = key_of(element)
    return (lambda item: item) if key is None else (lambda item: None if item is None else key(item))


def _refuse_dimensions(array: Items, what: str) -> None:
    if array and type(array[0]) is tuple:
        raise unsupported(f"{what} multidimensional arrays")


@by_type("array_position: anycompatiblearray anycompatible|anycompatiblearray anycompatible int4")
def _position(signature: Signature) -> Implementation:
    key = _same(signature)

    def run(array: Items | None, wanted: Any, start: int | None = 1) -> int | None:
        if array is None:
            return None
        _refuse_dimensions(array, "searching for elements in")
        if start is None:
            raise error("22004", "initial position must not be null")
        looked_for = key(wanted)
        for i in range(max(start, 1) - 1, len(array)):
            if key(array[i]) == looked_for:
                return i + 1
        return None

    return Implementation("nullable", run)


@by_type("array_positions: anycompatiblearray anycompatible")
def _positions(signature: Signature) -> Implementation:
    key = _same(signature)

    def run(array: Items | None, wanted: Any) -> Items | None:
        if array is None:
            return None
        _refuse_dimensions(array, "searching for elements in")
        looked_for = key(wanted)
        return tuple(i + 1 for i, item in enumerate(array) if key(item) == looked_for)

    return Implementation("nullable", run)


@by_type("array_remove: anycompatiblearray anycompatible")
def _remove(signature: Signature) -> Implementation:
    key = _same(signature)

    def run(array: Items | None, gone: Any) -> Items | None:
        if array is None:
            return None
        _refuse_dimensions(array, "removing elements from")
        gone_key = key(gone)
        return tuple(item for item in array if key(item) != gone_key)

    return Implementation("nullable", run)


@by_type("array_replace: anycompatiblearray anycompatible anycompatible")
def _replace(signature: Signature) -> Implementation:
    key = _same(signature)

    def run(array: Items | None, old: Any, new: Any) -> Items | None:
        if array is None:
            return None
        if array and type(array[0]) is tuple:
            return tuple(run(part, old, new) for part in array)
        old_key = key(old)
        return tuple(new if key(item) == old_key else item for item in array)

    return Implementation("nullable", run)


# Sets.


def _keys(signature: Signature) -> Callable[[Items], set[Any]]:
    key = _same(signature)
    return lambda array: {key(item) for item in flat(array)}


@by_type("@>: anyarray anyarray")
def _contains(signature: Signature) -> Implementation:
    keys = _keys(signature)

    def run(array: Items, wanted: Items) -> bool:
        needed = keys(wanted)
        return None not in needed and needed <= keys(array)

    return Implementation("scalar", run)


@by_type("<@: anyarray anyarray")
def _contained(signature: Signature) -> Implementation:
    contains = _contains(signature).function
    return Implementation("scalar", lambda wanted, array: contains(array, wanted))


@by_type("&&: anyarray anyarray")
def _overlap(signature: Signature) -> Implementation:
    keys = _keys(signature)
    return Implementation("scalar", lambda one, other: bool((keys(one) & keys(other)) - {None}))
