"""Trees of SQL/JSON paths, and their normal text.

A path is a chain of items: what it begins with, and steps from there::

    $.a[1] ? (@ > 2)        (root) (key a) (places 1) (filter (> (current), (2)))

An operator is the first item of a chain of its own. The normal text is PostgreSQL's: keys in quotes, parentheses where they are needed.
"""

from __future__ import annotations

from decimal import Decimal
from json.encoder import encode_basestring
from typing import Any

from ..nodes import node
from .jsonvalues import number_text

EVERY = 1 << 32
"""The level that ``last`` means in ``.**{1 to last}``."""


@node(frozen=True, slots=True)
class Item:
    """One item of a chain.

    Attributes
    ----------
    kind : str
        ``literal root current variable last`` begin a chain, as do operators, by their symbols or words (``plus`` and ``minus`` have one
        operand; ``not``, ``unknown``, ``exists``); ``key places levels filter method`` and ``[*]`` and ``.*`` are steps.
    value : object
        A literal's value, the name of a variable, a key or a method, a pair of levels, a pattern with its flags.
    chains : tuple of chains
        Operands, a filter's condition, arguments; of places pairs, with None for a single place.
    """

    kind: str
    value: Any = None
    chains: tuple[Any, ...] = ()


Chain = tuple[Item, ...]


@node(frozen=True, slots=True)
class Path:
    """A whole path; ``lax`` unless it says ``strict``."""

    chain: Chain
    lax: bool = True


PRIORITIES = {
    "||": 0,
    "&&": 1,
    **dict.fromkeys(("==", "!=", "<", ">", "<=", ">=", "starts with", "like_regex"), 2),
    "+": 3,
    "-": 3,
    "*": 4,
    "/": 4,
    "%": 4,
    "plus": 5,
    "minus": 5,
}
"""How tightly operators bind; everything else binds as tightly as can be."""

PREDICATES = frozenset(["||", "&&", "==", "!=", "<", ">", "<=", ">=", "starts with", "like_regex", "not", "unknown", "exists"])  # fmt: skip


def path_text(path: Path) -> str:
    """Return the normal text of a path."""
    return ("" if path.lax else "strict ") + _chain(path.chain, True)


def _chain(chain: Chain, brackets: bool) -> str:
    """Return a chain's text, with brackets around an operator if they are wanted or it has steps."""
    first, *steps = chain
    text = _first(first, bool(steps), brackets or bool(steps))
    return text + "".join([_step(step) for step in steps])


def _first(item: Item, has_steps: bool, brackets: bool) -> str:
    kind = item.kind
    if kind == "literal":
        return _literal(item.value, has_steps)
    if kind == "variable":
        return "$" + encode_basestring(item.value)
    if kind in ("root", "current", "last"):
        return {"root": "$", "current": "@", "last": "last"}[kind]
    if kind in ("not", "unknown", "exists"):
        inner = _chain(item.chains[0], False)
        text = {"not": f"!({inner})", "unknown": f"({inner}) is unknown", "exists": f"exists ({inner})"}[kind]
        return f"({text})" if has_steps else text
    operands = [_chain(c, PRIORITIES.get(c[0].kind, 6) <= PRIORITIES[kind]) for c in item.chains]
    if kind in ("plus", "minus"):
        text = ("+" if kind == "plus" else "-") + operands[0]
    elif kind == "like_regex":
        pattern, flags = item.value
        text = f"{operands[0]} like_regex {encode_basestring(pattern)}" + (
            f' flag "{flags}"' if flags else ""
        )
    else:
        text = f"{operands[0]} {kind} {operands[1]}"
    return f"({text})" if brackets else text


def _literal(value: Any, has_steps: bool) -> str:
    if isinstance(value, str):
        return encode_basestring(value)
    if isinstance(value, (int, Decimal)) and not isinstance(value, bool):
        return f"({number_text(value)})" if has_steps else number_text(value)
    return "null" if value is None else "true" if value else "false"


def _step(item: Item) -> str:
    kind = item.kind
    if kind == "key":
        return "." + encode_basestring(item.value)
    if kind == "levels":
        return ".**" + _levels(*item.value)
    if kind == "filter":
        return f"?({_chain(item.chains[0], False)})"
    if kind == "method":
        return f".{item.value}({','.join([_chain(c, False) for c in item.chains])})"
    if kind == "places":
        places = [
            _chain(low, False) + (f" to {_chain(high, False)}" if high else "") for low, high in item.chains
        ]
        return f"[{','.join(places)}]"
    return kind


def _levels(first: int, last: int) -> str:
    if (first, last) == (0, EVERY):
        return ""
    low = "last" if first == EVERY else str(first)
    high = "last" if last == EVERY else str(last)
    return f"{{{low}}}" if first == last else f"{{{low} to {high}}}"
