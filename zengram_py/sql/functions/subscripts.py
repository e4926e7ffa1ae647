"""Elements and slices of arrays, and what ``jsonb[…]`` finds."""

from __future__ import annotations

from ..bound import Element
from ..errors import unsupported
from .registry import Implementation


def subscript(node: Element) -> Implementation:
    """Return the code of a subscript."""
    raise unsupported("a subscript", node.at)
