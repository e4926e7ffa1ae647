"""jsonb: what is in a value. Fields, elements and paths, containment, and which keys are there.

A path is an array of texts: keys of objects, and places in arrays, from the end if they are negative. Where it leads nowhere the result is
null. The root of a JSON text that is a scalar counts as an array of it for ``->`` and ``?``, as in PostgreSQL.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from functools import cache
from typing import Any

from ..errors import error
from .jsonvalues import dump_part, parse, shown
from .registry import nullable, scalar

MISSING = object()
"""What is not there, other than a JSON null."""


# Parts.


@cache
def _place() -> re.Pattern[str]:
    return re.compile(r"\s*[+-]?\d{1,18}")


def place_of(text: str) -> int | None:
    """Return the place in an array that an element of a path says, None if it is no whole number."""
    if _place().fullmatch(text) is None:
        return None
    found = int(text)
    return found if -(1 << 31) <= found < 1 << 31 else None


def field(value: Any, key: str) -> Any:
    """Return a field of an object, :data:`MISSING` if there is none."""
    return value.get(key, MISSING) if value.__class__ is dict else MISSING


def element(value: Any, place: int) -> Any:
    """Return an element of an array by its place, from the end if it is negative."""
    if value.__class__ is list and -len(value) <= place < len(value):
        return value[place]
    return MISSING


def follow(value: Any, path: Iterable[str | None]) -> Any:
    """Return what is at the end of a path, :data:`MISSING` if it leads nowhere."""
    for key in path:
        if key is None:
            return MISSING
        if value.__class__ is dict:
            value = value.get(key, MISSING)
        elif value.__class__ is list:
            place = place_of(key)
            value = MISSING if place is None else element(value, place)
        else:
            return MISSING
        if value is MISSING:
            return MISSING
    return value


def flat(items: tuple[Any, ...]) -> list[Any]:
    """Return the items of an array of any dimensions, one after the other."""
    if items and type(items[0]) is tuple:
        return [item for part in items for item in flat(part)]
    return list(items)


def as_json(value: Any) -> str | None:
    """Return a part of a value as jsonb; SQL's null if it is missing."""
    return None if value is MISSING else dump_part(value)


def as_text(value: Any) -> str | None:
    """Return a part of a value as text: a string without its quotes; SQL's null if it is missing or null."""
    if value.__class__ is str:
        return str(value)
    return None if value is MISSING or value is None else shown(value)


def _rooted(value: Any) -> Any:
    """Return the root of a value as an object or an array."""
    return value if value.__class__ is dict or value.__class__ is list else [value]


@scalar("->: jsonb text")
def _field(json: str, key: str) -> str | None:
    return as_json(field(parse(json), key))


@scalar("->>: jsonb text")
def _field_text(json: str, key: str) -> str | None:
    return as_text(field(parse(json), key))


@scalar("->: jsonb int4")
def _element(json: str, place: int) -> str | None:
    return as_json(element(_rooted(parse(json)), place))


@scalar("->>: jsonb int4")
def _element_text(json: str, place: int) -> str | None:
    return as_text(element(_rooted(parse(json)), place))


@scalar("#>: jsonb text[]")
def _path(json: str, path: tuple[Any, ...]) -> str | None:
    return as_json(follow(parse(json), flat(path)))


@scalar("#>>: jsonb text[]")
def _path_text(json: str, path: tuple[Any, ...]) -> str | None:
    return as_text(follow(parse(json), flat(path)))


@nullable("json_extract_path jsonb_extract_path: any*")
def _extract_path(json: str | None, *path: str | None) -> str | None:
    return None if json is None or None in path else as_json(follow(parse(json), path))


@nullable("json_extract_path_text jsonb_extract_path_text: any*")
def _extract_path_text(json: str | None, *path: str | None) -> str | None:
    return None if json is None or None in path else as_text(follow(parse(json), path))


scalar("variadic json_extract_path jsonb_extract_path: jsonb text[]")(_path)
scalar("variadic json_extract_path_text jsonb_extract_path_text: jsonb text[]")(_path_text)


# What a value is.

_KINDS = {dict: "object", list: "array", str: "string", bool: "boolean", int: "number", Decimal: "number"}


def kind_of(value: Any) -> str:
    """Return what ``jsonb_typeof`` calls a value."""
    return _KINDS.get(value.__class__, "null")


@scalar("json_typeof jsonb_typeof: jsonb")
def _typeof(json: str) -> str:
    return kind_of(parse(json))


@scalar("json_array_length jsonb_array_length: jsonb")
def _array_length(json: str) -> int:
    value = parse(json)
    if value.__class__ is list:
        return len(value)
    what = "a non-array" if value.__class__ is dict else "a scalar"
    raise error("22023", f"cannot get array length of {what}")


# Keys and containment.


def _keys(json: str) -> Any:
    """Return what ``?`` looks into: the keys of an object, the strings of an array."""
    value = _rooted(parse(json))
    if value.__class__ is dict or len(value) < 8:
        return value
    return {item for item in value if item.__class__ is str}


@scalar("?: jsonb text")
@scalar("jsonb_exists: jsonb text")
def _exists(json: str, key: str) -> bool:
    return key in _keys(json)


@scalar("?|: jsonb text[]")
@scalar("jsonb_exists_any: jsonb text[]")
def _exists_any(json: str, wanted: tuple[Any, ...]) -> bool:
    keys = _keys(json)
    return any(key in keys for key in flat(wanted) if key is not None)


@scalar("?&: jsonb text[]")
@scalar("jsonb_exists_all: jsonb text[]")
def _exists_all(json: str, wanted: tuple[Any, ...]) -> bool:
    keys = _keys(json)
    return all(key in keys for key in flat(wanted) if key is not None)


def same(one: Any, other: Any) -> bool:
    """Return whether two scalars are equal; ``true`` is not 1."""
    return bool(one == other) and (one.__class__ is bool) == (other.__class__ is bool)


def contains(value: Any, wanted: Any) -> bool:
    """Return whether a value has all that another one has, in the places where that has it."""
    if wanted.__class__ is dict:
        if value.__class__ is not dict or len(value) < len(wanted):
            return False
        for key, item in wanted.items():
            there = value.get(key, MISSING)
            if there is MISSING or not contains(there, item):
                return False
        return True
    if wanted.__class__ is not list:
        return value.__class__ not in (dict, list) and same(value, wanted)
    if value.__class__ is not list:
        return False
    for item in wanted:  # in one function with its loop, since values may nest deeply
        for there in value:
            if contains(there, item):
                break
        else:
            return False
    return True


@scalar("@>: jsonb jsonb")
@scalar("jsonb_contains: jsonb jsonb")
def _contains(json: str, wanted: str) -> bool:
    whole, part = parse(json), parse(wanted)
    if whole.__class__ is list and part.__class__ not in (dict, list):
        part = [part]  # an array has a scalar, at the root alone
    return contains(whole, part)


@scalar("<@: jsonb jsonb")
@scalar("jsonb_contained: jsonb jsonb")
def _contained(wanted: str, json: str) -> bool:
    return _contains(json, wanted)
