"""Conditions of SQL/JSON paths: predicates over pairs of values, and what joins them. None is unknown."""

from __future__ import annotations

import operator
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from .pathmoments import Moment, compare
from .pathparser import regular_options
from .pathrun import TESTS, Run
from .pathtree import Item
from .regular import compiled

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
    pattern, flags = item.value
    return compiled(pattern, regular_options(flags)).search(one) is not None


_PREDICATES: dict[str, Callable[[Run, Item, Any, Any], bool | None]] = {
    **dict.fromkeys(_OPERATORS, _comparison),
    "starts with": _starts_with,
    "like_regex": _like_regex,
}


# Conditions of them.


def _both(run: Run, item: Item) -> bool | None:
    left = run.test(item.chains[0])
    if left is False:
        return False
    right = run.test(item.chains[1])
    return left if right is True else right


def _either(run: Run, item: Item) -> bool | None:
    left = run.test(item.chains[0])
    if left is True:
        return True
    right = run.test(item.chains[1])
    return left if right is False else right


def _not(run: Run, item: Item) -> bool | None:
    found = run.test(item.chains[0])
    return None if found is None else not found


def _unknown(run: Run, item: Item) -> bool | None:
    return run.test(item.chains[0]) is None


def _exists(run: Run, item: Item) -> bool | None:
    return run.quietly(lambda: run.start(item.chains[0], None if run.lax else []))


def _operands(run: Run, item: Item) -> tuple[list[Any], list[Any]]:
    left = run.sequence(item.chains[0])
    if len(item.chains) == 1:
        return left, [None]
    return left, run.sequence(item.chains[1], item.kind != "starts with")


def _predicate(run: Run, item: Item) -> bool | None:
    """Return whether any pair of what its operands find fulfils a predicate."""
    operands = run.quietly(lambda: _operands(run, item))
    if operands is None:
        return None
    left, right = operands
    fulfils = _PREDICATES[item.kind]
    is_true = is_unknown = False
    for one in left:
        for other in right:
            answer = fulfils(run, item, one, other)
            if answer is None:
                if not run.lax:
                    return None
                is_unknown = True
            elif answer:
                if run.lax:
                    return True
                is_true = True
    return True if is_true else None if is_unknown else False


TESTS |= {
    "&&": _both,
    "||": _either,
    "not": _not,
    "unknown": _unknown,
    "exists": _exists,
    **dict.fromkeys(_PREDICATES, _predicate),
}
