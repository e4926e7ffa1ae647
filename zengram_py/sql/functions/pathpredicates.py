"""Predicates of SQL/JSON paths over pairs of values: comparisons, beginnings and patterns. None is unknown."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from .pathmoments import Moment, compare
from .pathrun import Run
from .pathtree import Item

_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
_KINDS = {bool: 1, int: 2, Decimal: 2, str: 3, Moment: 4}


def _comparison(run: Run, item: Item, one: Any, other: Any) -> bool | None:
    if one is None or other is None:
        # null is only equal to itself, and neither above nor below anything
        if one is None and other is None:
            return item.kind in ("==", "<=", ">=")
        return item.kind == "!="
    kind = _KINDS.get(one.__class__)
    if kind is None or kind != _KINDS.get(other.__class__):
        return None
    if kind == 4:
        order = compare(one, other, run.zoned)
        return None if order is None else _OPERATORS[item.kind](order, 0)
    return _OPERATORS[item.kind](one, other)


def _starts_with(run: Run, item: Item, one: Any, other: Any) -> bool | None:
    if one.__class__ is not str or other.__class__ is not str:
        return None
    return bool(one.startswith(other))


def _like_regex(run: Run, item: Item, one: Any, other: Any) -> bool | None:
    if one.__class__ is not str:
        return None
    return compiled(*item.value).search(one) is not None


def compiled(pattern: str, flags: str) -> re.Pattern[str]:
    """Return a pattern of ``like_regex`` that searches; 2201B if it is none."""
    raise NotImplementedError


PREDICATES: dict[str, Callable[[Run, Item, Any, Any], bool | None]] = {
    **dict.fromkeys(_OPERATORS, _comparison),
    "starts with": _starts_with,
    "like_regex": _like_regex,
}
