"""Arrays: their shape, and arrays that are made of others. All begin at 1 in every dimension.

An array is a tuple, of tuples of one length if it has more dimensions; without any element it is ``()`` and has no dimension. What looks for
elements is in arraysearch.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..errors import error, unsupported
from ..execute.ordering import key_of
from ..literals import MAX_ARRAY_DIMENSIONS
from ..signatures import Signature
from .jsonb import flat
from .registry import Implementation, by_type, nullable, rows, scalar

Items = tuple[Any, ...]
MAX_ITEMS = 134_217_727


def shape(array: Any) -> tuple[int, ...]:
    """Return an array's lengths, one for each dimension."""
    found = []
    while type(array) is tuple and array:
        found.append(len(array))
        array = array[0]
    return tuple(found)


# Shape.


@scalar("array_ndims: anyarray")
def _ndims(array: Items) -> int | None:
    return len(shape(array)) or None


@scalar("array_dims: anyarray")
def _dims(array: Items) -> str | None:
    return "".join(f"[1:{length}]" for length in shape(array)) or None


@scalar("array_length array_upper: anyarray int4")
def _length(array: Items, dimension: int) -> int | None:
    lengths = shape(array)
    return lengths[dimension - 1] if 0 < dimension <= len(lengths) else None


@scalar("array_lower: anyarray int4")
def _lower(array: Items, dimension: int) -> int | None:
    return 1 if 0 < dimension <= len(shape(array)) else None


@scalar("cardinality: anyarray")
def _cardinality(array: Items) -> int:
    return len(flat(array))


@rows("generate_subscripts: anyarray int4|anyarray int4 bool")
def _subscripts(array: Items | None, dimension: int | None, reverse: bool | None = False) -> Iterator[int]:
    if array is None or dimension is None or reverse is None:
        return
    count = _length(array, dimension) or 0
    yield from range(count, 0, -1) if reverse else range(1, count + 1)


@rows("unnest: anyarray")
def _unnest(array: Items | None) -> Iterator[Any]:
    if array is not None:
        yield from flat(array)


# Joining.


@nullable("array_cat: anycompatiblearray anycompatiblearray")
@nullable("||: anycompatiblearray anycompatiblearray")
def _cat(one: Items | None, other: Items | None) -> Items | None:
    if not one or not other:
        return one if other is None else other if one is None else one or other
    left, right = shape(one), shape(other)
    if len(left) == len(right) and left[1:] == right[1:]:
        return one + other
    if left == right[1:]:
        return (one, *other)
    if left[1:] == right:
        return (*one, other)
    if abs(len(left) - len(right)) > 1:
        detail = f"Arrays of {len(left)} and {len(right)} dimensions are not compatible for concatenation."
    elif len(left) == len(right):
        detail = "Arrays with differing element dimensions are not compatible for concatenation."
    else:
        detail = "Arrays with differing dimensions are not compatible for concatenation."
    raise error("2202E", "cannot concatenate incompatible arrays", detail=detail)


@nullable("array_append: anycompatiblearray anycompatible")
@nullable("||: anycompatiblearray anycompatible")
def _append(array: Items | None, item: Any) -> Items:
    return (*_flat_one(array), item)


@nullable("array_prepend: anycompatible anycompatiblearray")
@nullable("||: anycompatible anycompatiblearray")
def _prepend(item: Any, array: Items | None) -> Items:
    return (item, *_flat_one(array))


def _flat_one(array: Items | None) -> Items:
    if array and type(array[0]) is tuple:
        raise error("22000", "argument must be empty or one-dimensional array")
    return array or ()


@nullable("array_fill: anyelement int4[]|anyelement int4[] int4[]")
def _fill(value: Any, lengths: Items | None, lowers: Items | None = (1,)) -> Items:
    if lengths is None or lowers is None:
        raise error("22004", "dimension array or low bound array cannot be null")
    if any(array and type(array[0]) is tuple for array in (lengths, lowers)):
        detail = "Dimension array must be one dimensional."
        raise error("2202E", "wrong number of array subscripts", detail=detail)
    if None in lengths or None in lowers:
        raise error("22004", "dimension values cannot be null")
    if len(lengths) > MAX_ARRAY_DIMENSIONS:
        limit = f"exceeds the maximum allowed ({MAX_ARRAY_DIMENSIONS})"
        raise error("54000", f"number of array dimensions ({len(lengths)}) {limit}")
    if lowers != (1,) and len(lowers) != len(lengths):
        detail = "Low bound array has different size than dimensions array."
        raise error("2202E", "wrong number of array subscripts", detail=detail)
    if any(lower != 1 for lower in lowers):
        raise unsupported("an array that does not begin at 1")
    found, count = value, 1 if lengths else 0
    for length in reversed(lengths):
        count *= length
        if length < 0 or count > MAX_ITEMS:
            raise error("54000", f"array size exceeds the maximum allowed ({MAX_ITEMS})")
        found = (found,) * length
    return found if count else ()


# Cutting and turning.


@scalar("trim_array: anyarray int4")
def _trim(array: Items, count: int) -> Items:
    if not 0 <= count <= len(array):
        raise error("2202E", f"number of elements to trim must be between 0 and {len(array)}")
    return array[: len(array) - count]


@scalar("array_reverse: anyarray")
def _reverse(array: Items) -> Items:
    return array[::-1]


@scalar("array_shuffle: anyarray", volatile=True)
def _shuffle(array: Items) -> Items:
    return _sample(array, len(array))


@scalar("array_sample: anyarray int4", volatile=True)
def _sample(array: Items, count: int) -> Items:
    if not 0 <= count <= len(array):
        raise error("22023", f"sample size must be between 0 and {len(array)}")
    from random import sample

    return tuple(sample(array, count))


@by_type("array_sort: anyarray|anyarray bool|anyarray bool bool")
def _sort(signature: Signature) -> Implementation:
    whole = signature.arguments[0]
    assert whole.element is not None
    item_key, part_key = key_of(whole.element), key_of(whole)
    assert part_key is not None

    def run(array: Items, descending: bool = False, nulls_first: bool | None = None) -> Items:
        nested = bool(array) and type(array[0]) is tuple
        key: Callable[[Any], Any] | None = part_key if nested else item_key
        known = [item for item in array if item is not None]
        known.sort(key=key, reverse=descending)
        nulls = [None] * (len(array) - len(known))
        first = descending if nulls_first is None else nulls_first
        return (*nulls, *known) if first else (*known, *nulls)

    return Implementation("scalar", run)


# Text.


@by_type("array_to_string: anyarray text|anyarray text text")
def _to_string(signature: Signature) -> Implementation:
    from .output import text_of

    element = signature.arguments[0].element
    assert element is not None
    text = text_of(element)

    def run(array: Items | None, between: str | None, null: str | None = None) -> str | None:
        if array is None or between is None:
            return None
        parts = [null if item is None else text(item) for item in flat(array)]
        return between.join([part for part in parts if part is not None])

    return Implementation("nullable", run)
