"""Operators that compare texts with patterns: ``LIKE``, ``ILIKE``, regular expressions; and ``SIMILAR TO``, which is one of these.

A pattern that is the same for all rows is read once; of texts that are kept once for equal values each is looked at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..execute.column import Column, Mask, joined_nulls
from ..execute.context import Context
from ..types import BOOL
from .likes import Like, like, with_escape
from .registry import columns, scalar
from .regular import compiled
from .strings import lower

Test = Callable[[Any], bool]


def _compare(
    arguments: Sequence[Column],
    count: int,
    many: Callable[[Any, list[Any]], Mask],
    one: Callable[[Any, Any], bool],
    negated: bool,
) -> Column:
    """Return where texts fit patterns: with one pattern through ``many``, else pair by pair through ``one``."""
    texts, patterns = arguments
    nulls = joined_nulls(arguments)
    constant = texts.is_constant and patterns.is_constant
    if patterns.is_constant and patterns.nulls is None:
        found = _each_once(texts, lambda values: many(patterns.values[0], values))
    elif patterns.is_constant or (texts.is_constant and texts.nulls is not None):
        size = 1 if constant else count
        return Column(BOOL, np.zeros(size, bool), np.ones(size, bool), is_constant=constant)
    else:
        pairs = zip(texts.expanded(count).tolist(), patterns.tolist(), strict=True)
        found = np.fromiter((t is not None and p is not None and one(p, t) for t, p in pairs), bool, count)
    if nulls is not None and len(nulls) != len(found):
        nulls = np.broadcast_to(nulls, found.shape)
    return Column(BOOL, ~found if negated else found, nulls, is_constant=constant)


def _each_once(texts: Column, many: Callable[[list[Any]], Mask]) -> Mask:
    """Return a test of all values; of coded ones that repeat each is tested once."""
    if texts.is_dictionary and texts.codes is not None and texts.heap is not None:
        used, back = np.unique(texts.codes, return_inverse=True)
        if 2 * len(used) < len(back):
            return many(texts.heap.take(used))[back]
    return many(texts.tolist())


def _register_like(name: str, types: str, negated: bool, prepare: Callable[[Any], Any] | None) -> None:
    def many(pattern: Any, values: list[Any]) -> Mask:
        if prepare is None:
            return like(pattern).mask(values, len(values))
        found: Like[str] = like(prepare(pattern))
        return found.mask([None if v is None else prepare(v) for v in values], len(values))

    def one(pattern: Any, value: Any) -> bool:
        if prepare is not None:
            pattern, value = prepare(pattern), prepare(value)
        return like(pattern).fits(value)

    def run(context: Context, arguments: Sequence[Column], count: int) -> Column:
        return _compare(arguments, count, many, one, negated)

    columns(f"{name}: {types}")(run)


def _register_regular(name: str, negated: bool, flags: str) -> None:
    def many(pattern: Any, values: list[Any]) -> Mask:
        search = compiled(pattern, flags).search
        return np.fromiter((v is not None and search(v) is not None for v in values), bool, len(values))

    def one(pattern: Any, value: Any) -> bool:
        return compiled(pattern, flags).search(value) is not None

    def run(context: Context, arguments: Sequence[Column], count: int) -> Column:
        return _compare(arguments, count, many, one, negated)

    columns(f"{name}: text text | bpchar text")(run)


for _name, _negated in (("~~", False), ("!~~", True)):
    _register_like(_name, "text text | bpchar text | bytea bytea", _negated, None)
for _name, _negated in (("~~*", False), ("!~~*", True)):
    _register_like(_name, "text text | bpchar text", _negated, lower)
for _name, _negated, _flags in (("~", False, ""), ("!~", True, ""), ("~*", False, "i"), ("!~*", True, "i")):
    _register_regular(_name, _negated, _flags)

scalar("like_escape: text text | bytea bytea")(with_escape)
