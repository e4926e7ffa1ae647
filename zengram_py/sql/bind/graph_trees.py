"""Pieces of the trees that patterns in a graph become."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from .. import tree
from ..tree.mapping import mapped
from .graphs import Element, End


def ends_of(edge: Element) -> tuple[End, End]:
    """Return where an edge begins and ends."""
    assert edge.source is not None
    assert edge.destination is not None
    return edge.source, edge.destination


def source_of(element: Element, alias: str) -> tree.TableRef:
    """Return an element's table under a name."""
    return tree.TableRef(element.table, tree.Alias(alias))


def joined(one: str, columns: Sequence[str], other: str, references: Sequence[str]) -> list[tree.Expression]:
    """Return conditions that columns of two tables are equal."""
    return [
        tree.Operator("=", tree.ColumnRef((one, a)), tree.ColumnRef((other, b)))
        for a, b in zip(columns, references, strict=True)
    ]


def all_of(conditions: Sequence[tree.Expression]) -> tree.Expression:
    """Return conditions as one."""
    return conditions[0] if len(conditions) == 1 else tree.Logical("and", tuple(conditions))


def renamed(node: tree.Expression, old: str, new: str) -> tree.Expression:
    """Return an expression in which a variable has another name."""

    def change(part: Any) -> Any:
        if isinstance(part, tree.ColumnRef) and len(part.parts) == 2 and part.parts[0] == old:
            return replace(part, parts=(new, part.parts[1]))
        return part

    found: tree.Expression = mapped(node, change)
    return found


def variables_in(node: tree.Expression) -> set[str]:
    """Return the variables that an expression names; ``""`` for a name alone, or a query."""
    found: set[str] = set()

    def look(part: Any) -> Any:
        if isinstance(part, tree.ColumnRef):
            found.add(part.parts[0] if len(part.parts) == 2 else "")
        elif isinstance(part, tree.Query):
            found.add("")
        return part

    mapped(node, look)
    return found
