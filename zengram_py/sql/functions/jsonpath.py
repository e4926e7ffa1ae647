"""SQL/JSON paths: the functions and operators that look along one.

    text ──pathwords, pathparser──▶ pathtree ──pathrun, pathpredicates, pathmethods──▶ JSON values

A path is stored as its normal text. ``silent``, as the operators are, makes nothing of values that do not fit, in place of an error; what was
found before counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..errors import error
from .jsonvalues import dump_part, parse
from .pathmoments import Moment
from .pathparser import parse_path, too_deep
from .pathrun import Run, Trouble
from .pathtree import path_text
from .registry import rows, scalar


def read_jsonpath(text: str) -> str:
    """Return the normal text of a path, in which paths are stored."""
    return path_text(parse_path(text))


def _run(json: str, path: str, variables: str, zoned: bool) -> Run:
    given = parse(variables)
    if given.__class__ is not dict:
        detail = 'Jsonpath parameters should be encoded as key-value pairs of "vars" object.'
        raise error("22023", '"vars" argument is not an object', detail=detail)
    return Run(parse_path(path), parse(json), given, zoned)


def found_in(
    json: str, path: str, variables: str = "{}", silent: bool = False, zoned: bool = False
) -> list[Any]:
    """Return what a path finds, as JSON values."""
    found: list[Any] = []
    _look(_run(json, path, variables, zoned), parse_path(path).chain, found, silent)
    return [item.text if item.__class__ is Moment else item for item in found]


def _look(run: Run, chain: Any, found: list[Any] | None, silent: bool) -> bool | None:
    """Go along a path; return whether there is anything, None if there was trouble that nobody wants to hear of."""
    try:
        return run.start(chain, found)
    except Trouble as trouble:
        if silent:
            return None
        raise trouble.error from None
    except RecursionError:
        raise too_deep() from None


def _exists(
    json: str, path: str, variables: str = "{}", silent: bool = False, zoned: bool = False
) -> bool | None:
    run = _run(json, path, variables, zoned)
    # in strict mode all has to be looked at, since anything may be wrong
    return _look(run, parse_path(path).chain, None if run.lax else [], silent)


def _match(
    json: str, path: str, variables: str = "{}", silent: bool = False, zoned: bool = False
) -> bool | None:
    found = found_in(json, path, variables, silent, zoned)
    if len(found) == 1 and (found[0] is None or found[0].__class__ is bool):
        return None if found[0] is None else bool(found[0])
    if silent:
        return None
    raise error("22038", "single boolean result is expected")


def _array(json: str, path: str, variables: str = "{}", silent: bool = False, zoned: bool = False) -> str:
    return dump_part(found_in(json, path, variables, silent, zoned))


def _first(
    json: str, path: str, variables: str = "{}", silent: bool = False, zoned: bool = False
) -> str | None:
    found = found_in(json, path, variables, silent, zoned)
    return dump_part(found[0]) if found else None


def _query(
    json: str | None,
    path: str | None,
    variables: str | None = "{}",
    silent: bool | None = False,
    zoned: bool = False,
) -> Iterator[str]:
    if json is None or path is None or variables is None or silent is None:
        return
    for value in found_in(json, path, variables, silent, zoned):
        yield dump_part(value)


def _zoned(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *arguments: function(*arguments, *("{}", False)[len(arguments) - 2 :], True)


for _name, _function, _register in (
    ("jsonb_path_exists", _exists, scalar),
    ("jsonb_path_match", _match, scalar),
    ("jsonb_path_query_array", _array, scalar),
    ("jsonb_path_query_first", _first, scalar),
    ("jsonb_path_query", _query, rows),
):
    _types = "jsonb jsonpath|jsonb jsonpath jsonb|jsonb jsonpath jsonb bool"
    _register(f"{_name}: {_types}")(_function)
    _register(f"{_name}_tz: {_types}")(_zoned(_function))


@scalar("@?: jsonb jsonpath")
def _exists_silently(json: str, path: str) -> bool | None:
    return _exists(json, path, "{}", True)


@scalar("@@: jsonb jsonpath")
def _match_silently(json: str, path: str) -> bool | None:
    return _match(json, path, "{}", True)
