"""jsonb that is changed: joined, with parts set, put in, taken away. Values are never changed in place: a path is copied on the way down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import error
from .jsonb import place_of
from .jsonvalues import dump, dump_part, parse
from .registry import nullable, scalar

Edit = Callable[[Any, Any, bool], Any]
"""Changes a container at the last step of a path: (container, key or place, whether something is there)."""


def _is_scalar(value: Any) -> bool:
    return value.__class__ is not dict and value.__class__ is not list


# Joining and taking away.


@scalar("||: jsonb jsonb")
@scalar("jsonb_concat: jsonb jsonb")
def _concat(left: str, right: str) -> str:
    one, other = parse(left), parse(right)
    if one.__class__ is dict and other.__class__ is dict:
        return dump_part({**one, **other})
    one = one if one.__class__ is list else [one]
    other = other if other.__class__ is list else [other]
    return dump(one + other)


@scalar("-: jsonb text")
@scalar("jsonb_delete: jsonb text")
def _without_key(json: str, key: str) -> str:
    return _without(json, [key])


@scalar("-: jsonb text[]")
@scalar("jsonb_delete: jsonb text[]")
def _without_keys(json: str, keys: tuple[Any, ...]) -> str:
    if keys and type(keys[0]) is tuple:
        raise error("2202E", "wrong number of array subscripts")
    return _without(json, keys)


def _without(json: str, keys: Any) -> str:
    value = parse(json)
    if _is_scalar(value):
        raise error("22023", "cannot delete from scalar")
    gone = {key for key in keys if key is not None}
    if value.__class__ is dict:
        return dump_part({k: v for k, v in value.items() if k not in gone})
    return dump_part([item for item in value if item.__class__ is not str or item not in gone])


@scalar("-: jsonb int4")
@scalar("jsonb_delete: jsonb int4")
def _without_place(json: str, place: int) -> str:
    value = parse(json)
    if _is_scalar(value):
        raise error("22023", "cannot delete from scalar")
    if value.__class__ is dict:
        raise error("22023", "cannot delete from object using integer index")
    if not -len(value) <= place < len(value):
        return json
    place %= len(value)
    return dump_part(value[:place] + value[place + 1 :])


@scalar("#-: jsonb text[]")
@scalar("jsonb_delete_path: jsonb text[]")
def _without_path(json: str, path: tuple[Any, ...]) -> str:
    value = _changeable(json, path, "delete path in")
    return json if not path or not value else dump_part(_edited(value, path, 0, _delete, False))


def _changeable(json: str, path: tuple[Any, ...], what: str) -> Any:
    if path and type(path[0]) is tuple:
        raise error("2202E", "wrong number of array subscripts")
    value = parse(json)
    if _is_scalar(value):
        raise error("22023", f"cannot {what} scalar")
    return value


# Setting.


def _edited(value: Any, path: tuple[Any, ...], level: int, edit: Edit, creates: bool) -> Any:
    """Return a value with what is at the end of a path edited; as it is if the path leads nowhere."""
    step = path[level]
    if step is None:
        raise error("22004", f"path element at position {level + 1} is null")
    if _is_scalar(value):
        return value
    last = level == len(path) - 1
    if value.__class__ is dict:
        there = step in value
        if last:
            return edit(value, step, there) if there or creates else value
        if not there:
            return value
        return {**value, step: _edited(value[step], path, level + 1, edit, creates)}
    place = place_of(step)
    if place is None:
        message = f'path element at position {level + 1} is not an integer: "{step}"'
        raise error("22P02", message)
    size = len(value)
    there = -size <= place < size
    if last:
        if there:
            return edit(value, place % size, True)
        return edit(value, 0 if place < 0 else size, False) if creates else value
    if not there:
        return value
    copied = list(value)
    copied[place] = _edited(value[place], path, level + 1, edit, creates)
    return copied


def _delete(container: Any, key: Any, there: bool) -> Any:
    if container.__class__ is dict:
        return {k: v for k, v in container.items() if k != key}
    return container[:key] + container[key + 1 :]


def _setting(new: Any) -> Edit:
    def edit(container: Any, key: Any, there: bool) -> Any:
        if container.__class__ is dict:
            return {**container, key: new}
        return [*container[:key], new, *container[key + 1 if there else key :]]

    return edit


def _inserting(new: Any, after: bool) -> Edit:
    def edit(container: Any, key: Any, there: bool) -> Any:
        if container.__class__ is dict:
            if there:
                hint = "Try using the function jsonb_set to replace key value."
                raise error("22023", "cannot replace existing key", hint=hint)
            return {**container, key: new}
        at = key + 1 if there and after else key
        return [*container[:at], new, *container[at:]]

    return edit


@scalar("jsonb_set: jsonb text[] jsonb|jsonb text[] jsonb bool")
def _set(json: str, path: tuple[Any, ...], new: str, create: bool = True) -> str:
    value = _changeable(json, path, "set path in")
    if not path or (not value and not create):
        return json
    return dump(_edited(value, path, 0, _setting(parse(new)), create))


@scalar("jsonb_insert: jsonb text[] jsonb|jsonb text[] jsonb bool")
def _insert(json: str, path: tuple[Any, ...], new: str, after: bool = False) -> str:
    value = _changeable(json, path, "set path in")
    return dump(_edited(value, path, 0, _inserting(parse(new), after), True)) if path else json


@nullable("jsonb_set_lax: jsonb text[] jsonb|jsonb text[] jsonb bool|jsonb text[] jsonb bool text")
def _set_lax(
    json: str | None,
    path: tuple[Any, ...] | None,
    new: str | None,
    create: bool | None = True,
    treatment: str | None = "use_json_null",
) -> str | None:
    if json is None or path is None or create is None:
        return None
    if treatment not in ("raise_exception", "use_json_null", "delete_key", "return_target"):
        words = '"delete_key", "return_target", "use_json_null", or "raise_exception"'
        raise error("22023", f"null_value_treatment must be {words}")
    if new is not None:
        return _set(json, path, new, create)
    if treatment == "raise_exception":
        detail = 'Exception was raised because null_value_treatment is "raise_exception".'
        hint = "To avoid, either change the null_value_treatment argument or ensure that an SQL NULL is not passed."
        raise error("22004", "JSON value must not be null", detail=detail, hint=hint)
    if treatment == "use_json_null":
        return _set(json, path, "null", create)
    return json if treatment == "return_target" else _without_path(json, path)


@scalar("json_strip_nulls jsonb_strip_nulls: jsonb|jsonb bool")
def _strip_nulls(json: str, in_arrays: bool = False) -> str:
    return dump_part(_stripped(parse(json), in_arrays))


def _stripped(value: Any, in_arrays: bool) -> Any:
    if value.__class__ is dict:
        made = {}
        for key, item in value.items():
            if item is not None:
                made[key] = _stripped(item, in_arrays)
        return made
    if value.__class__ is not list:
        return value
    items = []
    for item in value:
        if item is not None or not in_arrays:
            items.append(_stripped(item, in_arrays))  # noqa: PERF401 - as in ordered()
    return items
