"""Comparisons of all types, by their keys (execute/ordering.py)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..civil import DATE_INFINITY, DATE_MINUS_INFINITY, INFINITY, MINUS_INFINITY
from ..execute.column import Column, dtype_of, joined_nulls
from ..execute.context import Context
from ..execute.ordering import key_of
from ..signatures import Signature
from ..types import BOOL
from .registry import Implementation, by_type

_PYTHON: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_NUMPY: dict[str, Callable[[Any, Any], Any]] = {
    "=": np.equal,
    "<>": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
_DAY = 86_400_000_000


@by_type("= <> < <= > >=: any any")
def _comparison(signature: Signature) -> Implementation:
    left, right = signature.arguments
    name = signature.name
    if {left.name, right.name} == {"date", "timestamp"}:
        return Implementation("vector", _days_with_moments(name, left.name == "date"))
    if dtype_of(left) is not np.dtype(object) and dtype_of(right) is not np.dtype(object):
        if "float" in left.name or "float" in right.name:
            return Implementation("vector", _floats(name))
        compare = _NUMPY[name]
        return Implementation("vector", lambda a, b, live: compare(a, b))
    return Implementation("columns", _by_key(name, left, right))


def _days_with_moments(name: str, left_is_date: bool) -> Callable[..., Any]:
    """Compare dates with timestamps: a date is its midnight, and an infinite one the infinite moment."""
    compare = _NUMPY[name]

    def run(a: Any, b: Any, live: Any) -> Any:
        return compare(_midnight(a), b) if left_is_date else compare(a, _midnight(b))

    return run


def _midnight(days: Any) -> Any:
    found = days.astype(np.int64) * _DAY
    edges = ((DATE_INFINITY, INFINITY), (DATE_MINUS_INFINITY, MINUS_INFINITY))
    for day, moment in edges:
        infinite = days == day
        if infinite.any():
            found = np.where(infinite, np.int64(moment), found)
    return found


def _floats(name: str) -> Callable[..., Any]:
    """Compare floats; NaN equals itself and is above all others."""
    compare = _NUMPY[name]

    def run(a: Any, b: Any, live: Any) -> Any:
        a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
        a_nan, b_nan = np.isnan(a), np.isnan(b)
        if not a_nan.any() and not b_nan.any():
            return compare(a, b)
        return np.where(a_nan | b_nan, compare(a_nan, b_nan), compare(a, b))

    return run


def _by_key(name: str, left: Any, right: Any) -> Callable[..., Column]:
    compare, left_key, right_key = _PYTHON[name], key_of(left), key_of(right)
    is_equality = name in ("=", "<>")

    def run(context: Context, arguments: Any, count: int) -> Column:
        one, other = arguments
        constant = one.is_constant and other.is_constant
        nulls = joined_nulls(arguments)
        if is_equality and left_key is None:
            quick = _by_code(one, other) if other.is_constant else _by_code(other, one)
            if quick is not None:
                return Column(BOOL, quick if name == "=" else ~quick, nulls)
        if other.is_constant and not one.is_constant:
            return _with_constant(one, other, compare, left_key, right_key)
        size = 1 if constant else count
        values = [
            a is not None
            and b is not None
            and compare(a if left_key is None else left_key(a), b if right_key is None else right_key(b))
            for a, b in zip(_list(one, size), _list(other, size), strict=True)
        ]
        return Column(BOOL, np.array(values, bool), nulls, is_constant=constant)

    return run


def _list(column: Column, size: int) -> list[Any]:
    return column.tolist() * size if column.is_constant and size != 1 else column.tolist()


def _by_code(coded: Column, constant: Column) -> Any:
    """Return where coded values are equal to a constant, by their codes; None if these do not tell."""
    if not coded.is_dictionary or not constant.is_constant or constant.nulls is not None:
        return None
    found = coded.heap.find(constant.values[0])  # type: ignore[union-attr]
    assert coded.codes is not None
    return np.zeros(len(coded.codes), bool) if found is None else coded.codes == found


def _with_constant(one: Column, other: Column, compare: Any, left_key: Any, right_key: Any) -> Column:
    value = other.values[0]
    if value is None:
        return Column(BOOL, np.zeros(len(one), bool), np.ones(len(one), bool))
    if right_key is not None:
        value = right_key(value)
    if left_key is None:
        return one.map(lambda v: compare(v, value), BOOL)
    return one.map(lambda v: compare(left_key(v), value), BOOL)
