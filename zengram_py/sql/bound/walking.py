"""All that is in a bound statement, subqueries too (:func:`~zengram_py.sql.bound.walk` leaves them closed)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from ...engine import TableDef
from ..catalogs import VirtualTable
from ..signatures import Signature
from ..types import SqlType
from .expressions import Const
from .queries import Output

_CLOSED = (SqlType, Signature, TableDef, Output, VirtualTable)


def everything(node: Any, inside: Callable[[Any], bool] | None = None) -> Iterator[Any]:
    """Yield a bound value, query or source and all in it, but not what is in nodes for which ``inside`` is false."""
    stack = [node]
    while stack:
        found = stack.pop()
        kind = found.__class__
        if kind is Const:
            yield found
        elif kind is tuple or kind is list:
            stack.extend(found)
        else:
            names = _names(kind)
            if names is not None:
                yield found
                if inside is None or inside(found):
                    stack.extend([getattr(found, name) for name in names])


@cache
def _names(kind: type[Any]) -> tuple[str, ...] | None:
    """Return the fields of a kind of node; None if it is none, or is closed."""
    if issubclass(kind, _CLOSED) or not is_dataclass(kind):
        return None
    return tuple(f.name for f in fields(kind))
