"""Bound values as text, for ``explain``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..bound import (
    Aggregate,
    ArrayOf,
    Bound,
    CastTo,
    Chain,
    Choice,
    ColumnVar,
    Const,
    DistinctTest,
    FirstOf,
    Invocation,
    Logic,
    Membership,
    Negation,
    NullIf,
    OutputVar,
    Param,
    QuantifiedArray,
    QuantifiedQuery,
    SortBy,
    Subquery,
    Test,
    WindowCall,
)

MAX_LENGTH = 200


def show(node: Bound) -> str:
    """Return a value as text that a person can read, shortened if it is long."""
    text = _show(node)
    return text if len(text) <= MAX_LENGTH else text[: MAX_LENGTH - 1] + "…"


def show_key(key: SortBy) -> str:
    """Return a key of an order as text."""
    text = show(key.value) + (" DESC" if key.descending else "")
    if key.nulls_first != key.descending:
        text += " NULLS FIRST" if key.nulls_first else " NULLS LAST"
    return text


def _show(node: Any) -> str:
    found = _SHOWN.get(type(node))
    return f"<{type(node).__name__.lower()}>" if found is None else found(node)


def _list(nodes: Any) -> str:
    shown = ", ".join(_show(n) for n in nodes[:8])
    return shown + (", …" if len(nodes) > 8 else "")


def _const(node: Const) -> str:
    if node.value is None:
        return "NULL"
    if isinstance(node.value, (bool, int, float)) and node.type.category in "BN":
        return str(node.value).lower()
    return "'" + str(node.value).replace("'", "''") + f"'::{node.type.title}"


def _invocation(node: Invocation | Aggregate) -> str:
    name = node.signature.name
    if node.signature.kind == "operator":
        if len(node.arguments) == 1:
            return f"{name}{_show(node.arguments[0])}"
        return f"({_show(node.arguments[0])} {name} {_show(node.arguments[1])})"
    return f"{name}({_list(node.arguments)})"


def _chain(node: Chain) -> str:
    text = _show(node.first)
    for signature, operand in node.steps[:8]:
        text += f" {signature.name} {_show(operand)}"
    return f"({text}{' …' if len(node.steps) > 8 else ''})"


def _choice(node: Choice) -> str:
    whens = " ".join(f"WHEN {_show(c)} THEN {_show(v)}" for c, v in node.branches[:4])
    return f"CASE {whens}{'' if node.otherwise is None else ' ELSE ' + _show(node.otherwise)} END"


_SHOWN: dict[type[Any], Callable[[Any], str]] = {
    Const: _const,
    Param: lambda n: f"${n.number}",
    ColumnVar: lambda n: n.name,
    OutputVar: lambda n: f"column {n.column + 1}",
    Invocation: _invocation,
    Aggregate: _invocation,
    WindowCall: lambda n: f"{n.signature.name}({_list(n.arguments)}) OVER (…)",
    Chain: _chain,
    CastTo: lambda n: f"{_show(n.operand)}::{n.type.title}",
    Logic: lambda n: "(" + f" {n.name.upper()} ".join(_show(o) for o in n.operands[:8]) + ")",
    Negation: lambda n: f"NOT {_show(n.operand)}",
    Test: lambda n: f"({_show(n.operand)} IS {'NOT ' if n.negated else ''}{n.test.upper()})",
    DistinctTest: lambda n: (
        f"({_show(n.left)} IS {'NOT ' if n.negated else ''}DISTINCT FROM {_show(n.right)})"
    ),
    Membership: lambda n: f"({_show(n.operand)} {'NOT ' if n.negated else ''}IN ({_list(n.items)}))",
    Choice: _choice,
    FirstOf: lambda n: f"{n.name.upper()}({_list(n.arguments)})",
    NullIf: lambda n: f"NULLIF({_show(n.left)}, {_show(n.right)})",
    ArrayOf: lambda n: f"ARRAY[{_list(n.items)}]",
    Subquery: lambda n: "EXISTS(SubPlan)" if n.kind == "exists" else "(SubPlan)",
    QuantifiedQuery: lambda n: (
        f"({_list(n.left)} {n.comparisons[0].name} {'ALL' if n.every else 'ANY'} (SubPlan))"
    ),
    QuantifiedArray: lambda n: (
        f"({_show(n.left)} {n.comparison.name} {'ALL' if n.every else 'ANY'} ({_show(n.right)}))"
    ),
}
