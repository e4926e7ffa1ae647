"""Parts of values that are changed: ``update … set a[1] = …``, ``set a[2:3] = …``, ``set j['a'][0] = …``.

An array grows to its end, with nulls between; what would begin elsewhere than at 1 is refused. On its way to the end of a path ``jsonb`` gets
the objects and arrays that are not there yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..bound import Replaced
from ..errors import error, unsupported
from .arrays import Items, shape
from .jsonb import flat, place_of
from .jsonvalues import dump, parse
from .registry import Implementation

_Bounds = list[tuple[int | None, int | None]]


def replacement(node: Replaced) -> Implementation:
    """Return the code of a change: of the whole value, then of all bounds that are there, then of the new part."""
    if node.operand.type.name == "jsonb":
        return Implementation("nullable", _with_part)
    if node.is_slice:
        return Implementation("nullable", _slice_setter(node.subscripts))
    return Implementation("nullable", _with_element)


def _bad_count() -> Exception:
    return error("2202E", "wrong number of array subscripts")


def _begins_elsewhere() -> Exception:
    return unsupported("an array that does not begin at 1")


# Elements.


def _with_element(array: Items | None, *rest: Any) -> Items:
    places, value = rest[:-1], rest[-1]
    if None in places:
        raise error("22004", "array subscript in assignment must not be null")
    if not array:
        if any(place != 1 for place in places):
            raise _begins_elsewhere()
        for _ in places:
            value = (value,)
        made: Items = value
        return made
    lengths = shape(array)
    if len(lengths) != len(places):
        raise _bad_count()
    if len(places) == 1:
        place = places[0]
        if place < 1:
            raise _begins_elsewhere()
        return (*array[: place - 1], *[None] * (place - 1 - len(array)), value, *array[place:])
    if not all(1 <= place <= length for place, length in zip(places, lengths, strict=True)):
        raise error("2202E", "array subscript out of range")
    return _put(array, places, value)


def _put(array: Items, places: Sequence[int], value: Any) -> Items:
    at = places[0] - 1
    inner = value if len(places) == 1 else _put(array[at], places[1:], value)
    return (*array[:at], inner, *array[at + 1 :])


# Slices.


def _slice_setter(subscripts: Sequence[tuple[Any, Any]]) -> Callable[..., Items | None]:
    there = [(lower is not None, upper is not None) for lower, upper in subscripts]

    def run(array: Items | None, *rest: Any) -> Items | None:
        if rest[-1] is None:
            return array or ()
        if None in rest[:-1]:
            raise error("22004", "array subscript in assignment must not be null")
        values = iter(rest)
        bounds = [(next(values) if low else None, next(values) if up else None) for low, up in there]
        return _with_slice(array or (), bounds, flat(rest[-1]))

    return run


def _with_slice(array: Items, bounds: _Bounds, items: list[Any]) -> Items:
    lengths = shape(array)
    if not lengths:
        return _new_slice(bounds, items)
    if len(lengths) < len(bounds):
        raise _bad_count()
    ranges = []
    for (lower, upper), length in zip(bounds, lengths, strict=False):
        low, high = 1 if lower is None else lower, length if upper is None else upper
        if low > high:
            raise error("2202E", "upper bound cannot be less than lower bound")
        if len(lengths) > 1 and not 1 <= low <= high <= length:
            raise error("2202E", "array subscript out of range")
        if low < 1:
            raise _begins_elsewhere()
        ranges.append(range(low - 1, high))
    ranges += [range(length) for length in lengths[len(bounds) :]]
    if len(items) < _product([len(r) for r in ranges]):
        raise _too_small()
    if len(lengths) == 1:
        places = ranges[0]
        grown = (*array[: places.start], *[None] * (places.start - len(array)))
        return (*grown, *items[: len(places)], *array[places.stop :])
    return tuple(_filled(array, ranges, iter(items)))


def _new_slice(bounds: _Bounds, items: list[Any]) -> Items:
    """Return an array that is a slice alone."""
    lengths = []
    for lower, upper in bounds:
        if lower is None or upper is None:
            detail = (
                "When assigning to a slice of an empty array value, slice boundaries must be fully specified."
            )
            raise error("2202E", "array slice subscript must provide both boundaries", detail=detail)
        lengths.append(upper - lower + 1)
    if min(lengths) < 0:
        raise error("54000", "array size exceeds the maximum allowed")
    if len(items) < _product(lengths):
        raise _too_small()
    if 0 in lengths:
        return ()
    if any(lower != 1 for lower, _ in bounds):
        raise _begins_elsewhere()
    return _shaped(lengths, iter(items))


def _too_small() -> Exception:
    return error("2202E", "source array too small")


def _product(numbers: Sequence[int]) -> int:
    found = 1
    for number in numbers:
        found *= number
    return found


def _shaped(lengths: Sequence[int], items: Iterator[Any]) -> Items:
    if len(lengths) == 1:
        return tuple([next(items) for _ in range(lengths[0])])
    return tuple([_shaped(lengths[1:], items) for _ in range(lengths[0])])


def _filled(array: Any, ranges: Sequence[range], items: Iterator[Any]) -> Any:
    """Return an array of several dimensions with items in a part of it, row by row."""
    if not ranges:
        return next(items)
    parts = list(array)
    for place in ranges[0]:
        parts[place] = _filled(parts[place], ranges[1:], items)
    return tuple(parts)


# Paths.


def _with_part(json: str | None, *rest: Any) -> str:
    keys, new = rest[:-1], rest[-1]
    if None in keys:
        raise error("22004", "jsonb subscript in assignment must not be null")
    value = None if new is None else parse(new)
    path = [str(key) for key in keys]
    whole: Any = ([] if isinstance(keys[0], int) else {}) if json is None else parse(json)
    return dump(_set(whole, path, 0, value))


def _set(whole: Any, path: list[str], level: int, value: Any) -> Any:
    """Return a container with a value at the end of a path, made as far as it is not there."""
    step, is_last = path[level], level == len(path) - 1
    if whole.__class__ is dict:
        if step not in whole:
            return {**whole, step: _made(path, level + 1, value)}
        return {**whole, step: value if is_last else _set(whole[step], path, level + 1, value)}
    if whole.__class__ is not list:
        detail = "The path assumes key is a composite object, but it is a scalar value."
        raise error("22023", "cannot replace existing key", detail=detail)
    place = place_of(step)
    if place is None:
        raise error("22P02", f'path element at position {level + 1} is not an integer: "{step}"')
    if place < -len(whole):
        raise error("22023", f"path element at position {level + 1} is out of range: {place}")
    place += len(whole) if place < 0 else 0
    if place >= len(whole):
        return [*whole, *[None] * (place - len(whole)), _made(path, level + 1, value)]
    return [
        *whole[:place],
        value if is_last else _set(whole[place], path, level + 1, value),
        *whole[place + 1 :],
    ]


def _made(path: list[str], level: int, value: Any) -> Any:
    """Return a value with what a path needs around it from a level on: arrays for places, objects for keys."""
    for step in reversed(path[level:]):
        place = place_of(step)
        value = {step: value} if place is None else [*[None] * max(place, 0), value]
    return value
