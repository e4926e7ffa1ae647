"""Names of arguments, of the functions that are called with them, and what those that are left out are: ``silent => true``.

A default is a text that the argument's type reads.
"""

from __future__ import annotations

from functools import cache

_NAMES = """
json_strip_nulls jsonb_strip_nulls: target strip_in_arrays=false
jsonb_insert: jsonb_in path replacement insert_after=false
jsonb_path_exists jsonb_path_exists_tz jsonb_path_match jsonb_path_match_tz jsonb_path_query jsonb_path_query_array
    jsonb_path_query_array_tz jsonb_path_query_first jsonb_path_query_first_tz jsonb_path_query_tz:
    target path vars={} silent=false
jsonb_set: jsonb_in path replacement create_if_missing=true
jsonb_set_lax: jsonb_in path replacement create_if_missing=true null_value_treatment=use_json_null
make_interval: years=0 months=0 weeks=0 days=0 hours=0 mins=0 secs=0
"""


@cache
def _all() -> dict[str, tuple[tuple[str, str | None], ...]]:
    found: dict[str, tuple[tuple[str, str | None], ...]] = {}
    for entry in _NAMES.strip().replace("\n    ", " ").split("\n"):
        functions, _, arguments = entry.partition(":")
        pairs = [argument.partition("=") for argument in arguments.split()]
        for function in functions.split():
            found[function] = tuple((name, default if mark else None) for name, mark, default in pairs)
    return found


def argument_names(function: str) -> tuple[tuple[str, str | None], ...]:
    """Return the names of a function's arguments with their defaults, None where there is none; empty if names are not known."""
    return _all().get(function, ())
