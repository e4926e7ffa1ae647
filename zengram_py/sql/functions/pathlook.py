"""Looking along a SQL/JSON path: what the functions of jsonpath.py do, with all that paths need.

    text ──pathwords, pathparser──▶ pathtree ──pathrun, pathsteps, pathpredicates──▶ JSON values

``silent``, as the operators are, makes nothing of values that do not fit, in place of an error; what was found before counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..errors import error
from . import pathpredicates as _predicates
from . import pathsteps as _steps
from .jsonvalues import dump_part, parse
from .pathmoments import Moment
from .pathparser import parse_path, too_deep
from .pathrun import Found, Run, Trouble

_FILLED = _steps, _predicates
"""The modules that fill the tables of pathrun.py."""


def _run(json: str, path: str, variables: str, silent: bool, zoned: bool) -> Run:
    given = parse(variables)
    if given.__class__ is not dict:
        detail = 'Jsonpath parameters should be encoded as key-value pairs of "vars" object.'
        raise error("22023", '"vars" argument is not an object', detail=detail)
    run = Run(parse_path(path), parse(json), given, zoned)
    run.throws = not silent
    return run


def _look(run: Run, found: Found) -> bool | None:
    """Go along a path; return whether there is anything, None if there was trouble that nobody wants to hear of."""
    try:
        return run.start(run.chain, found)
    except Trouble as trouble:
        if run.throws:
            raise trouble.error from None
        return None
    except RecursionError:
        raise too_deep() from None


def _found_in(json: str, path: str, variables: str, silent: bool, zoned: bool) -> list[Any]:
    found: list[Any] = []
    _look(_run(json, path, variables, silent, zoned), found)
    return [item.text if item.__class__ is Moment else item for item in found]


def exists(json: str, path: str, variables: str, silent: bool, zoned: bool) -> bool | None:
    """Return whether a path finds anything."""
    run = _run(json, path, variables, silent, zoned)
    # in strict mode all has to be looked at, since anything may be wrong
    return _look(run, None if run.lax else [])


def match(json: str, path: str, variables: str, silent: bool, zoned: bool) -> bool | None:
    """Return the one boolean that a path finds; 22038 if it finds something else."""
    found = _found_in(json, path, variables, silent, zoned)
    if len(found) == 1 and (found[0] is None or found[0].__class__ is bool):
        return None if found[0] is None else bool(found[0])
    if silent:
        return None
    raise error("22038", "single boolean result is expected")


def query_array(json: str, path: str, variables: str, silent: bool, zoned: bool) -> str:
    """Return all that a path finds as an array."""
    return dump_part(_found_in(json, path, variables, silent, zoned))


def query_first(json: str, path: str, variables: str, silent: bool, zoned: bool) -> str | None:
    """Return what a path finds first, None if it finds nothing."""
    found = _found_in(json, path, variables, silent, zoned)
    return dump_part(found[0]) if found else None


def query(
    json: str | None, path: str | None, variables: str | None, silent: bool | None, zoned: bool
) -> Iterator[str]:
    """Yield all that a path finds; nothing if any argument is null."""
    if json is None or path is None or variables is None or silent is None:
        return
    for value in _found_in(json, path, variables, silent, zoned):
        yield dump_part(value)
