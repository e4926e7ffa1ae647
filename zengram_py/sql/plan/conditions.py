"""Conditions: what a planner wants to know of expressions: their conjuncts, which relations they read, how many rows they keep."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..bound import (
    Aggregate,
    Bound,
    ColumnVar,
    Const,
    DistinctTest,
    Invocation,
    Logic,
    Membership,
    Negation,
    Param,
    QuantifiedArray,
    QuantifiedQuery,
    Subquery,
    Test,
    WindowCall,
    walk,
)
from ..bound.walking import everything
from ..signatures import Signature
from .statistics import ColumnStatistics

VOLATILE = frozenset(
    [
        "random",
        "setseed",
        "random_normal",
        "nextval",
        "setval",
        "clock_timestamp",
        "timeofday",
        "gen_random_uuid",
        "uuidv4",
        "uuidv7",
        "set_config",
    ]
)
"""Functions that give something else each time, or do something."""


def conjuncts(condition: Bound | None) -> list[Bound]:
    """Return the parts of a condition that all have to be true."""
    if condition is None:
        return []
    if isinstance(condition, Logic) and condition.name == "and":
        return [part for operand in condition.operands for part in conjuncts(operand)]
    if isinstance(condition, Const) and condition.value is True:
        return []
    return [condition]


def columns_in(node: Any) -> set[tuple[int, int]]:
    """Return the columns that are read anywhere in a node: (relation, column)."""
    return {(n.relation, n.column) for n in everything(node) if isinstance(n, ColumnVar)}


def relations_in(node: Any) -> set[int]:
    """Return the relations whose columns are read anywhere in a node."""
    return {n.relation for n in everything(node) if isinstance(n, ColumnVar)}


def is_volatile(node: Any) -> bool:
    """Return whether computing a node twice may give two results."""
    return any(isinstance(n, Invocation) and _is_volatile(n.signature) for n in everything(node))


def _is_volatile(signature: Signature) -> bool:
    return signature.name in VOLATILE or signature.kind.startswith("routine")


def has_subquery(node: Bound) -> bool:
    """Return whether there is a subquery in a value."""
    return any(isinstance(n, (Subquery, QuantifiedQuery)) for n in walk(node))


def gives_rows(node: Bound) -> bool:
    """Return whether a function in a value gives any number of rows."""
    return any(isinstance(n, Invocation) and n.signature.gives_rows for n in walk(node))


def is_plain(node: Bound) -> bool:
    """Return whether a value is computed from a row alone."""
    return not gives_rows(node) and not any(isinstance(n, (Aggregate, WindowCall)) for n in walk(node))


def equality(node: Bound) -> tuple[Bound, Bound] | None:
    """Return both sides of an ``=``, else None."""
    if isinstance(node, Invocation) and node.signature.name == "=" and len(node.arguments) == 2:
        return node.arguments[0], node.arguments[1]
    return None


def rejects_null(condition: Bound, relations: Iterable[int]) -> bool:
    """Return whether a condition is never true for a row in which all columns of some relations are null."""
    wanted = set(relations)
    if isinstance(condition, Logic):
        answers = [rejects_null(o, wanted) for o in condition.operands]
        return any(answers) if condition.name == "and" else all(answers)
    if isinstance(condition, Test):
        if condition.test == "null":
            return condition.negated and _is_strict(condition.operand, wanted)
        return (
            condition.test in ("true", "false")
            and not condition.negated
            and _is_strict(condition.operand, wanted)
        )
    if isinstance(condition, Negation):
        return _is_strict(condition.operand, wanted)
    return _is_strict(condition, wanted)


def _is_strict(node: Bound, relations: set[int]) -> bool:
    """Return whether a value is null when all columns of some relations are."""
    if isinstance(node, ColumnVar):
        return node.relation in relations
    if isinstance(node, Invocation):
        name = node.signature.name
        if node.signature.kind == "operator" or name in ("abs", "lower", "upper", "length"):
            return any(_is_strict(a, relations) for a in node.arguments)
        return False
    if isinstance(node, Membership):
        return _is_strict(node.operand, relations)
    return False


# -- estimates -------------------------------------------------------------------------------------------------------

EQUAL, RANGE, LIKE, CONTAINS, OTHER = 0.005, 0.33, 0.1, 0.01, 0.33
"""Shares of rows that conditions keep when nothing is known."""


def selectivity(condition: Bound, columns: dict[tuple[int, int], ColumnStatistics]) -> float:
    """Return the share of rows that a condition is expected to keep."""
    if isinstance(condition, Logic):
        shares = [selectivity(o, columns) for o in condition.operands]
        found = 1.0
        if condition.name == "and":
            for share in shares:
                found *= share
            return found
        for share in shares:
            found *= 1 - share
        return 1 - found
    if isinstance(condition, Negation):
        return 1 - selectivity(condition.operand, columns)
    if isinstance(condition, Const):
        return 1.0 if condition.value else 0.0
    if isinstance(condition, Test) and condition.test == "null":
        known = _of(condition.operand, columns)
        share = known.null_fraction if known is not None else EQUAL
        return 1 - share if condition.negated else share
    if isinstance(condition, Membership):
        share = min(1.0, len(condition.items) * _equal(condition.operand, columns))
        return 1 - share if condition.negated else share
    if isinstance(condition, QuantifiedArray):
        return min(1.0, 10 * EQUAL)
    if isinstance(condition, DistinctTest):
        share = _equal(condition.left, columns)
        return share if condition.negated else 1 - share
    if isinstance(condition, Invocation) and len(condition.arguments) == 2:
        return _comparison(condition, columns)
    return OTHER


def _comparison(node: Invocation, columns: dict[tuple[int, int], ColumnStatistics]) -> float:
    name = node.signature.name
    left, right = node.arguments
    if name == "=":
        return min(_equal(left, columns), _equal(right, columns))
    if name == "<>":
        return 1 - min(_equal(left, columns), _equal(right, columns))
    if name in ("<", "<=", ">", ">="):
        if isinstance(right, ColumnVar) and not isinstance(left, ColumnVar):
            left, right = right, left
            name = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}[name]
        known = _of(left, columns)
        if known is not None and isinstance(right, Const) and right.value is not None and known.bounds:
            below = _share_below(known.bounds, right.value)
            return max(EQUAL / 10, below if name in ("<", "<=") else 1 - below)
        return RANGE
    if name in ("@>", "<@", "?", "?|", "?&", "&&", "@@"):
        return CONTAINS
    return LIKE if "~" in name else OTHER


def _share_below(bounds: list[Any], value: Any) -> float:
    try:
        return float(sum(bound < value for bound in bounds)) / len(bounds)
    except TypeError:  # a constant of another kind than the column
        return RANGE


def _of(node: Bound, columns: dict[tuple[int, int], ColumnStatistics]) -> ColumnStatistics | None:
    return columns.get((node.relation, node.column)) if isinstance(node, ColumnVar) else None


def _equal(node: Bound, columns: dict[tuple[int, int], ColumnStatistics]) -> float:
    known = _of(node, columns)
    if known is None:
        return 1.0 if isinstance(node, (Const, Param)) else EQUAL
    return (1 - known.null_fraction) / max(known.distinct, 1.0)
