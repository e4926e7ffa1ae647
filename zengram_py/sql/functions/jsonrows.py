"""jsonb as rows: the fields of an object, the elements of an array, and records of defined columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..errors import error
from ..literals import read
from ..signatures import Signature
from ..types import SqlType
from .jsonb import as_text, flat
from .jsonvalues import dump_part, fields, parse, shown
from .registry import Implementation, by_type


def _object_of(json: str, name: str, words: str) -> dict[str, Any]:
    value = parse(json)
    if isinstance(value, dict):
        return value
    kind = "an array" if value.__class__ is list else "a scalar"
    raise error("22023", words.format(name=name, kind=kind))


def _array_of(json: str) -> list[Any]:
    value = parse(json)
    if isinstance(value, list):
        return value
    kind = "an object" if value.__class__ is dict else "a scalar"
    raise error("22023", f"cannot extract elements from {kind}")


@by_type("json_each json_each_text jsonb_each jsonb_each_text: jsonb")
def _each(signature: Signature) -> Implementation:
    name = signature.name
    convert = as_text if name.endswith("_text") else dump_part

    def rows(json: str | None) -> Iterator[tuple[Any, ...]]:
        if json is not None:
            for key, value in fields(_object_of(json, name, "cannot call {name} on a non-object")):
                yield key, convert(value)

    return Implementation("rows", rows)


@by_type("json_object_keys jsonb_object_keys: jsonb")
def _object_keys(signature: Signature) -> Implementation:
    def rows(json: str | None) -> Iterator[str]:
        if json is not None:
            for key, _ in fields(_object_of(json, signature.name, "cannot call {name} on {kind}")):
                yield key

    return Implementation("rows", rows)


@by_type("json_array_elements json_array_elements_text jsonb_array_elements jsonb_array_elements_text: jsonb")
def _array_elements(signature: Signature) -> Implementation:
    convert = as_text if signature.name.endswith("_text") else dump_part

    def rows(json: str | None) -> Iterator[Any]:
        if json is not None:
            for value in _array_of(json):
                yield convert(value)

    return Implementation("rows", rows)


# Records.


@by_type("json_to_record jsonb_to_record json_to_recordset jsonb_to_recordset: jsonb")
def _to_records(signature: Signature) -> Implementation:
    name, columns = signature.name, signature.columns
    readers = [(title, json_reader(sql_type)) for title, sql_type in columns]

    def record(given: Any) -> tuple[Any, ...]:
        return tuple(None if given.get(title) is None else read(given[title]) for title, read in readers)

    def one(json: str | None) -> Iterator[tuple[Any, ...]]:
        yield record(
            {} if json is None else _object_of(json, name, "cannot call populate_composite on {kind}")
        )

    def many(json: str | None) -> Iterator[tuple[Any, ...]]:
        if json is None:
            return
        value = parse(json)
        if value.__class__ is not list:
            kind = "an object" if value.__class__ is dict else "a scalar"
            raise error("22023", f"cannot call {name} on {kind}")
        for item in value:
            if item.__class__ is not dict:
                raise error("22023", f"argument of {name} must be an array of objects")
            yield record(item)

    return Implementation("rows", many if name.endswith("set") else one)


def json_reader(sql_type: SqlType) -> Callable[[Any], Any]:
    """Return the function that gives a JSON value (not null) as a stored value of a type, as ``jsonb_to_record`` does."""
    if sql_type.name == "jsonb":
        return dump_part
    if sql_type.category == "A" and sql_type.element is not None:
        return _array_reader(sql_type, json_reader(sql_type.element))
    return lambda value: read(value if value.__class__ is str else shown(value), sql_type)


def _array_reader(sql_type: SqlType, element: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def convert(value: Any) -> Any:
        if value.__class__ is str:
            return read(value, sql_type)
        if value.__class__ is not list:
            raise error("22P02", "expected JSON array")
        depth = 0
        part: Any = value  # the first element of each array says how deep they nest
        while part.__class__ is list:
            depth += 1
            part = part[0] if part else None
        found = _items(value, depth, element)
        return found if flat(found) else ()

    return convert


def _items(value: Any, depth: int, element: Callable[[Any], Any]) -> tuple[Any, ...]:
    if value.__class__ is not list or (
        depth > 1 and len({len(v) for v in value if v.__class__ is list}) != 1
    ):
        raise error(
            "22P02",
            "malformed JSON array",
            detail="Multidimensional arrays must have sub-arrays with matching dimensions.",
        )
    if depth > 1:
        return tuple(_items(item, depth - 1, element) for item in value)
    return tuple(None if item is None else element(item) for item in value)
