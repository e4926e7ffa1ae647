"""Ranges: what makes them, what is in them, how they lie to each other.

A bound has a key: its value, and whether it lies a little before (an upper bound that is left out), on, or a little behind it (a lower bound
that is left out)::

    [1,5)    lower (0, 1, 0)    upper (0, 5, -1)           (,5]    lower (-1,)    upper (0, 5, 0)

By these keys bounds of either side compare with each other and with elements. The empty range lies nowhere.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NamedTuple

from ...engine import Range
from ...errors import TypeMismatchError
from ..errors import error
from ..execute.ordering import key_of
from ..signatures import Signature
from ..types import SqlType
from .registry import Implementation, by_type, scalar

Key = tuple[Any, ...]
_EMPTY = Range(None, None, False, False, True)
_FLAGS = ("[)", "[]", "()", "(]")


class Bound(NamedTuple):
    """One end of a range; a value of None is infinite."""

    value: Any
    inclusive: bool


class Bounds:
    """What compares the bounds of one type of ranges, and makes ranges of them."""

    def __init__(self, sql_type: SqlType) -> None:
        assert sql_type.element is not None
        assert sql_type.column is not None
        self.element = sql_type.element
        self.check = sql_type.column.check
        self.key = key_of(sql_type.element) or (lambda value: value)

    def lower(self, value: Range) -> Key:
        """Return the key of the lower bound."""
        if value.lower is None:
            return (-1,)
        return 0, self.key(value.lower), 0 if value.lower_inclusive else 1

    def upper(self, value: Range) -> Key:
        """Return the key of the upper bound."""
        if value.upper is None:
            return (1,)
        return 0, self.key(value.upper), 0 if value.upper_inclusive else -1

    def make(self, lower: Bound, upper: Bound) -> Range:
        """Return a range in its normal form; 22000 if its bounds are the wrong way round, 22003 or 22008 past the last value."""
        low, high = lower.value, upper.value
        if low is not None and high is not None and self.key(low) > self.key(high):
            raise error("22000", "range lower bound must be less than or equal to range upper bound")
        try:
            found: Range = self.check(Range(low, high, lower.inclusive, upper.inclusive))
        except TypeMismatchError:
            if self.element.name == "date":
                raise error("22008", "date out of range") from None
            raise error("22003", f"{self.element.title} out of range") from None
        return found

    def low_end(self, one: Range, other: Range, choose: Callable[..., Any]) -> Bound:
        """Return the least or greatest (``min``, ``max``) of two lower bounds."""
        found = choose(one, other, key=self.lower)
        return Bound(found.lower, found.lower_inclusive)

    def high_end(self, one: Range, other: Range, choose: Callable[..., Any]) -> Bound:
        """Return the least or greatest of two upper bounds."""
        found = choose(one, other, key=self.upper)
        return Bound(found.upper, found.upper_inclusive)

    def overlap(self, one: Range, other: Range) -> bool:
        """Return whether two ranges have an element in common."""
        if one.empty or other.empty:
            return False
        return self.lower(one) <= self.upper(other) and self.lower(other) <= self.upper(one)

    def adjacent(self, one: Range, other: Range) -> bool:
        """Return whether two ranges touch without an element in common."""
        if one.empty or other.empty:
            return False
        return self._meet(one, other) or self._meet(other, one)

    def _meet(self, left: Range, right: Range) -> bool:
        if left.upper is None or right.lower is None or left.upper_inclusive == right.lower_inclusive:
            return False
        return bool(self.key(left.upper) == self.key(right.lower))


# Constructors.


def _constructor(signature: Signature) -> Implementation:
    bounds = Bounds(signature.result)

    def run(lower: Any, upper: Any, flags: str | None = "[)") -> Range:
        if flags is None:
            raise error("22000", "range constructor flags argument must not be null")
        if flags not in _FLAGS:
            hint = 'Valid values are "[]", "[)", "(]", and "()".'
            raise error("42601", "invalid range bound flags", hint=hint)
        return bounds.make(Bound(lower, flags[0] == "["), Bound(upper, flags[1] == "]"))

    return Implementation("nullable", run)


for _name, _element in (
    ("int4range", "int4"),
    ("int8range", "int8"),
    ("numrange", "numeric"),
    ("daterange", "date"),
    ("tsrange", "timestamp"),
):
    by_type(f"{_name}: {_element} {_element}|{_element} {_element} text")(_constructor)


# What a range is.

scalar("lower: anyrange")(operator.attrgetter("lower"))
scalar("upper: anyrange")(operator.attrgetter("upper"))
scalar("isempty: anyrange")(operator.attrgetter("empty"))
scalar("lower_inc: anyrange")(operator.attrgetter("lower_inclusive"))
scalar("upper_inc: anyrange")(operator.attrgetter("upper_inclusive"))


@scalar("lower_inf: anyrange")
def _lower_inf(value: Range) -> bool:
    return value.lower is None and not value.empty


@scalar("upper_inf: anyrange")
def _upper_inf(value: Range) -> bool:
    return value.upper is None and not value.empty


# How ranges lie.


def _relation(symbol: str, make: Callable[[Bounds], Callable[[Range, Range], bool]]) -> None:
    """Register an operator of two ranges."""

    @by_type(f"{symbol}: anyrange anyrange")
    def _(signature: Signature) -> Implementation:
        return Implementation("scalar", make(Bounds(signature.arguments[0])))


def _contains(b: Bounds) -> Callable[[Range, Range], bool]:
    def run(one: Range, other: Range) -> bool:
        if one.empty or other.empty:
            return other.empty
        return b.lower(one) <= b.lower(other) and b.upper(other) <= b.upper(one)

    return run


def _contained(b: Bounds) -> Callable[[Range, Range], bool]:
    contains = _contains(b)
    return lambda one, other: contains(other, one)


def _where(
    test: Callable[[Bounds, Range, Range], bool],
) -> Callable[[Bounds], Callable[[Range, Range], bool]]:
    """Return the maker of a relation that no empty range has."""
    return lambda b: lambda one, other: not one.empty and not other.empty and test(b, one, other)


_relation("@>", _contains)
_relation("<@", _contained)
_relation("&&", lambda b: b.overlap)
_relation("-|-", lambda b: b.adjacent)
_relation("<<", _where(lambda b, one, other: b.upper(one) < b.lower(other)))
_relation(">>", _where(lambda b, one, other: b.upper(other) < b.lower(one)))
_relation("&<", _where(lambda b, one, other: b.upper(one) <= b.upper(other)))
_relation("&>", _where(lambda b, one, other: b.lower(other) <= b.lower(one)))


def _has(sql_type: SqlType) -> Callable[[Range, Any], bool]:
    b = Bounds(sql_type)

    def run(value: Range, item: Any) -> bool:
        at = (0, b.key(item), 0)
        return not value.empty and b.lower(value) <= at <= b.upper(value)

    return run


@by_type("@>: anyrange anyelement")
def _has_element(signature: Signature) -> Implementation:
    return Implementation("scalar", _has(signature.arguments[0]))


@by_type("<@: anyelement anyrange")
def _is_element(signature: Signature) -> Implementation:
    has = _has(signature.arguments[1])
    return Implementation("scalar", lambda item, value: has(value, item))


# Ranges of ranges.


@by_type("+: anyrange anyrange")
def _union(signature: Signature) -> Implementation:
    b = Bounds(signature.arguments[0])
    merge = _merged(b)

    def run(one: Range, other: Range) -> Range:
        apart = not (one.empty or other.empty or b.overlap(one, other) or b.adjacent(one, other))
        if apart:
            raise error("22000", "result of range union would not be contiguous")
        return merge(one, other)

    return Implementation("scalar", run)


@by_type("range_merge: anyrange anyrange")
def _range_merge(signature: Signature) -> Implementation:
    return Implementation("scalar", _merged(Bounds(signature.arguments[0])))


def _merged(b: Bounds) -> Callable[[Range, Range], Range]:
    def run(one: Range, other: Range) -> Range:
        if one.empty or other.empty:
            return other if one.empty else one
        return b.make(b.low_end(one, other, min), b.high_end(one, other, max))

    return run


@by_type("*: anyrange anyrange")
def _intersection(signature: Signature) -> Implementation:
    b = Bounds(signature.arguments[0])

    def run(one: Range, other: Range) -> Range:
        if not b.overlap(one, other):
            return _EMPTY
        return b.make(b.low_end(one, other, max), b.high_end(one, other, min))

    return Implementation("scalar", run)


@by_type("-: anyrange anyrange")
def _difference(signature: Signature) -> Implementation:
    b = Bounds(signature.arguments[0])

    def run(one: Range, other: Range) -> Range:
        if not b.overlap(one, other):
            return one
        before, behind = b.lower(one) < b.lower(other), b.upper(other) < b.upper(one)
        if before and behind:
            raise error("22000", "result of range difference would not be contiguous")
        if before:
            low = Bound(one.lower, one.lower_inclusive)
            return b.make(low, Bound(other.lower, not other.lower_inclusive))
        if behind:
            high = Bound(one.upper, one.upper_inclusive)
            return b.make(Bound(other.upper, not other.upper_inclusive), high)
        return _EMPTY

    return Implementation("scalar", run)
