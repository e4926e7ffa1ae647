"""Implication: whether a partial index holds all rows that some conditions let through.

    index … where a > 0 and active         query … where a = 5 and active and b < 3        a = 5 implies a > 0, active is active

Conditions are compared as the catalogue keeps them (stored.py). What is not seen here is no harm: then the index is not used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...engine.expr import Expr
from ..bound import Bound, Logic
from .stored import tree_of

_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "!=": "!="}
_HOLDS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda one, other: bool(one == other),
    "!=": lambda one, other: bool(one != other),
    "<": lambda one, other: bool(one < other),
    "<=": lambda one, other: bool(one <= other),
    ">": lambda one, other: bool(one > other),
    ">=": lambda one, other: bool(one >= other),
}


def implies(conditions: Sequence[Bound], where: Expr, read: Callable[[str], Bound]) -> bool:
    """Return whether a stored condition is true for every row for which all conditions are.

    Parameters
    ----------
    conditions : sequence of Bound
        What is known of a row.
    where : expression
        The stored condition.
    read : callable
        Binds SQL text to the columns that the conditions read.
    """
    known = [part for condition in conditions for part in _parts(condition)]
    if isinstance(where, dict):
        return all(part in known for part in _parts(read(where["sql"])))
    facts = [_normal(found) for part in known if (found := tree_of(part)) is not None]
    return _follows(_normal(where), facts)


def _parts(condition: Bound) -> Iterator[Bound]:
    if isinstance(condition, Logic) and condition.name == "and":
        for operand in condition.operands:
            yield from _parts(operand)
    else:
        yield condition


def _normal(tree: list[Any]) -> list[Any]:
    """Return a tree with constants on the right, and ``x = true`` as ``x``."""
    head, *arguments = tree
    if head in ("col", "lit"):
        return tree
    parts = [_normal(argument) for argument in arguments]
    if head in _TURNED and parts[0][0] == "lit" and parts[1][0] != "lit":
        head, parts = _TURNED[head], parts[::-1]
    if head in ("=", "!=") and parts[1][0] == "lit" and isinstance(parts[1][1], bool):
        return parts[0] if (head == "=") == parts[1][1] else ["not", parts[0]]
    return [head, *parts]


def _follows(wanted: list[Any], facts: list[list[Any]]) -> bool:
    """Return whether a condition follows from facts."""
    if any(_same(wanted, fact) for fact in facts):
        return True
    head, *arguments = wanted
    if head == "and":
        return all(_follows(argument, facts) for argument in arguments)
    if head == "or":
        return any(_follows(argument, facts) for argument in arguments)
    if head == "not" and arguments[0][0] == "is_null":
        return any(_needs_value(fact, arguments[0][1]) for fact in facts)
    if head == "in":
        return any(_is_among(fact, arguments[0], arguments[1:]) for fact in facts)
    if head in _HOLDS and arguments[1][0] == "lit":
        return any(_compared(fact, head, arguments[0], arguments[1][1]) for fact in facts)
    return False


def _same(one: Any, other: Any) -> bool:
    """Return whether trees are the same; ``1`` is not ``true``."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and bool(one == other)


def _needs_value(fact: list[Any], operand: list[Any]) -> bool:
    """Return whether a fact can only be true if an operand is not null."""
    head, *arguments = fact
    if head in _HOLDS:
        return any(_same(argument, operand) for argument in arguments)
    if head == "in":
        return _same(arguments[0], operand)
    return _same(fact, operand) or (head == "not" and _same(arguments[0], operand))


def _is_among(fact: list[Any], operand: list[Any], items: list[Any]) -> bool:
    head, *arguments = fact
    if head not in ("=", "in") or not _same(arguments[0], operand):
        return False
    return all(any(_same(argument, item) for item in items) for argument in arguments[1:])


def _compared(fact: list[Any], operator: str, operand: list[Any], value: Any) -> bool:
    """Return whether ``operand operator value`` follows from a comparison of the operand with another constant."""
    head, *arguments = fact
    if head == "in" and _same(arguments[0], operand):
        return all(_is_constant(a, value) and _HOLDS[operator](a[1], value) for a in arguments[1:])
    if head not in _HOLDS or not _same(arguments[0], operand) or not _is_constant(arguments[1], value):
        return False
    given = arguments[1][1]
    if head == "=":
        return _HOLDS[operator](given, value)
    if operator == "!=":  # a > 5 implies a <> 3
        return head != "!=" and not _HOLDS[head](value, given)
    if head[0] != operator[0] or head == "!=":
        return False
    is_strict = operator in ("<", ">") and head in ("<=", ">=")
    inside = given <= value if operator[0] == "<" else given >= value
    return bool(inside and not (is_strict and given == value))


def _is_constant(tree: Any, like: Any) -> bool:
    """Return whether a tree is a constant that can be compared with another."""
    if not isinstance(tree, list) or tree[0] != "lit" or tree[1] is None or like is None:
        return False
    numbers = (int, float)
    one, other = type(tree[1]), type(like)
    return one is other or (one in numbers and other in numbers)
