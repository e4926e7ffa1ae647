"""SQL/JSON paths: the functions and operators that look along one; a path is stored as its normal text.

What they do is in pathlook.py, which is imported with all that belongs to it when a statement first needs it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..signatures import Signature
from .registry import Implementation, by_type

_NAMES = {
    "jsonb_path_exists": "exists",
    "jsonb_path_match": "match",
    "jsonb_path_query": "query",
    "jsonb_path_query_array": "query_array",
    "jsonb_path_query_first": "query_first",
}
_OPERATORS = {"@?": "exists", "@@": "match"}


def read_jsonpath(text: str) -> str:
    """Return the normal text of a path."""
    from .pathparser import parse_path, too_deep
    from .pathtree import path_text

    try:
        return path_text(parse_path(text))
    except RecursionError:
        raise too_deep() from None


@by_type(
    " ".join([*_NAMES, *(f"{name}_tz" for name in _NAMES)])
    + ": jsonb jsonpath|jsonb jsonpath jsonb|jsonb jsonpath jsonb bool"
)
def _function(signature: Signature) -> Implementation:
    from . import pathlook

    name = signature.name.removesuffix("_tz")
    look: Callable[..., Any] = getattr(pathlook, _NAMES[name])
    zoned = signature.name != name

    def function(json: Any, path: Any, variables: Any = "{}", silent: Any = False) -> Any:
        return look(json, path, variables, silent, zoned)

    return Implementation("rows" if signature.gives_rows else "scalar", function)


@by_type("@? @@: jsonb jsonpath")
def _operator(signature: Signature) -> Implementation:
    from . import pathlook

    look: Callable[..., Any] = getattr(pathlook, _OPERATORS[signature.name])
    return Implementation("scalar", lambda json, path: look(json, path, "{}", True, False))
