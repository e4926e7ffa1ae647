"""Going through trees: all nodes of one, and a tree in which every node is what a function makes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

from .expressions import Node


def nodes_of(node: Any) -> Iterator[Node]:
    """Yield all nodes of a tree, or of a tuple of trees; each comes before those below it."""
    stack = [node]
    while stack:
        found = stack.pop()
        if isinstance(found, tuple):
            stack.extend(found)
        elif isinstance(found, Node):
            yield found
            stack.extend(getattr(found, field.name) for field in fields(found))


def mapped(node: Any, change: Callable[[Any], Any]) -> Any:
    """Return a tree, or a tuple of trees, in which every node is changed, those below first.

    Parameters
    ----------
    node : Node or tuple
        The tree; what is neither stays as it is.
    change : callable
        Gives the node that stands for one.
    """
    if isinstance(node, tuple):
        parts = tuple([mapped(part, change) for part in node])
        return node if all(a is b for a, b in zip(parts, node, strict=True)) else parts
    if not isinstance(node, Node):
        return node
    changed = {}
    for field in fields(node):
        before = getattr(node, field.name)
        after = mapped(before, change)
        if after is not before:
            changed[field.name] = after
    return change(replace(node, **changed) if changed else node)
