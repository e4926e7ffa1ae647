"""Ordering: how values of a type compare, and rows by them.

Values of fixed width compare as numbers (NaN is equal to itself and above all others). Every other type has a *key*: a Python value that
compares, and is equal, as PostgreSQL wants the values themselves to: ``1.0`` and ``1.00``, a month and thirty days, spaces at the end of a
``char(n)``. All of comparing, grouping, joining, sorting and ``distinct`` goes by these keys::

    factorise    columns ──▶ one int64 for each row: equal rows, equal numbers (null equals null)
    sort_rows    columns ──▶ the places of the rows in order

Texts are in the order of their code points.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..functions.jsonvalues import fields, parse
from ..text_cache import text_cache
from ..types import SqlType
from .column import Column
from .digits import order_of
from .units import quick_units

Key = Callable[[Any], Any]
_DAY = 86_400_000_000
_OBJECT = np.dtype(object)


class Record(NamedTuple):
    """A row as a value.

    Attributes
    ----------
    values : tuple
        In stored form, None for null.
    types : tuple of SqlType
        Of the values.
    names : tuple of str
        Of the columns, if it has some.
    """

    values: tuple[Any, ...]
    types: tuple[SqlType, ...]
    names: tuple[str, ...] = ()


@lru_cache(1024)
def key_of(sql_type: SqlType) -> Key | None:
    """Return the function that gives the key of a stored value that is not null; None if the value is its own."""
    name, category = sql_type.name, sql_type.category
    if category == "A":
        assert sql_type.element is not None
        return _array_key(key_of(sql_type.element))
    if category == "R":
        assert sql_type.element is not None
        return _range_key(key_of(sql_type.element))
    return _KEYS.get(name)


def _numeric_key(value: Decimal) -> tuple[bool, Decimal]:
    return (True, Decimal(0)) if value.is_nan() else (False, value)


def _float_key(value: float) -> tuple[bool, float]:
    return (True, 0.0) if value != value else (False, value)


def interval_microseconds(value: tuple[int, int, int]) -> int:
    """Return a span with months of 30 days and days of 24 hours."""
    return (value[0] * 30 + value[1]) * _DAY + value[2]


def _vector_key(value: Any) -> tuple[float, ...]:
    return tuple(value.tolist()) if isinstance(value, np.ndarray) else tuple(value)


def _array_key(element: Key | None) -> Key:
    def key(value: tuple[Any, ...]) -> tuple[Any, ...]:
        flat: list[Any] = []
        shape = _flatten(value, flat)
        keys = tuple((True, 0) if v is None else (False, v if element is None else element(v)) for v in flat)
        return (keys, shape)

    return key


def _flatten(value: tuple[Any, ...], out: list[Any]) -> tuple[int, ...]:
    """Write the items of an array of any dimensions into a list; return its shape."""
    nested = bool(value) and type(value[0]) is tuple
    if not nested:
        out.extend(value)
        return (len(value),) if value else ()
    for part in value:
        shape = _flatten(part, out)
    return (len(value), *shape)


def _range_key(element: Key | None) -> Key:
    def bound(value: Any, infinite: int) -> tuple[Any, ...]:
        return (infinite, 0) if value is None else (0, value if element is None else element(value))

    def key(value: Any) -> tuple[Any, ...]:
        if value.empty:
            return (False,)
        lower, upper, lower_in, upper_in, _ = value
        return (True, bound(lower, -1), not lower_in, bound(upper, 1), upper_in)

    return key


def _record_key(value: Record) -> tuple[Any, ...]:
    keys = []
    for item, sql_type in zip(value.values, value.types, strict=True):
        key = key_of(sql_type)
        keys.append((True, 0) if item is None else (False, item if key is None else key(item)))
    return tuple(keys)


@text_cache(4096)
def jsonb_key(text: str) -> tuple[Any, ...]:
    """Return the key of a JSON text: object > array > boolean > number > string > null, as jsonb orders them."""
    return _json_key(parse(text))


def _json_key(value: Any) -> tuple[Any, ...]:
    if value is None:
        return (1,)
    if isinstance(value, bool):
        return (4, value)
    if isinstance(value, (int, float, Decimal)):
        return (3, Decimal(value))
    if isinstance(value, str):
        return (2, value)
    if isinstance(value, list):
        keys: list[Any] = [5, len(value)]
        for item in value:
            keys.append(_json_key(item))  # noqa: PERF401 - a comprehension is one more call for each level
        return tuple(keys) if value else (0,)
    keys = [6, len(value)]
    for name, item in fields(value):
        keys += ((2, name), _json_key(item))
    return tuple(keys)


_KEYS: dict[str, Key] = {
    "bpchar": lambda value: value.rstrip(" "),
    "numeric": _numeric_key,
    "float4": _float_key,
    "float8": _float_key,
    "interval": interval_microseconds,
    "jsonb": jsonb_key,
    "record": _record_key,
    "vector": _vector_key,
}


def keys_of(column: Column) -> list[Any]:
    """Return the keys of a column's values, None for null."""
    key = key_of(column.type)
    values = column.tolist()
    if key is None:
        return values
    return [None if v is None else key(v) for v in values]


def factorise(columns: Sequence[Column], count: int) -> tuple[NDArray[np.int64], int]:
    """Return a number for each row, equal for equal rows, and how many there may be (numbers are 0 … n - 1, some unused).

    Nulls are equal to each other here.
    """
    codes = np.zeros(count, np.int64)
    size = 1
    for column in columns:
        more, many = _codes(column, count)
        if size * many >= 1 << 40:
            codes = np.unique(codes, return_inverse=True)[1].astype(np.int64, copy=False)
            size = int(codes.max()) + 1 if count else 1
        codes = codes * many + more
        size *= many
        if size > 4 * count + 1024:
            found, codes = np.unique(codes, return_inverse=True)
            codes = codes.astype(
                np.int64, copy=False
            )  # 32 bits in a tab, which the next column's numbers may overflow
            size = max(len(found), 1)
    return codes, size


def _codes(column: Column, count: int) -> tuple[NDArray[np.int64], int]:
    """Return numbers for one column."""
    if column.is_constant:
        return np.zeros(count, np.int64), 1
    nulls = column.nulls
    if column.is_dictionary and key_of(column.type) is None:
        assert column.codes is not None
        assert column.heap is not None
        return column.codes.astype(np.int64) + 1, len(column.heap) + 1
    values = column.values
    units = quick_units(column.tolist()) if column.type.name == "numeric" else None
    if units is not None:
        values = units
    if values.dtype == _OBJECT:
        numbers: dict[Any, int] = {}
        put = numbers.setdefault
        codes = np.fromiter((put(k, len(numbers)) for k in keys_of(column)), np.int64, count)
        return codes, len(numbers) or 1
    if values.dtype.kind == "b":
        codes = values.astype(np.int64)
        return (codes, 2) if nulls is None else (np.where(nulls, 2, codes), 3)
    if values.dtype.kind == "i" and count:
        low, high = int(values.min()), int(values.max())
        if high - low <= 4 * count + 1024:
            codes = values.astype(np.int64) - low
            many = high - low + 1
            return (codes, many) if nulls is None else (np.where(nulls, many, codes), many + 1)
    found, codes = np.unique(values, return_inverse=True)
    codes = codes.astype(np.int64, copy=False)
    return (codes, len(found) or 1) if nulls is None else (np.where(nulls, len(found), codes), len(found) + 1)


def sort_rows(
    columns: Sequence[Column], descending: Sequence[bool], nulls_first: Sequence[bool], count: int
) -> NDArray[np.int64]:
    """Return the places of rows in an order of several keys, the first counting most; ties stay as they come."""
    keys: list[Any] = []  # the first counts most
    for column, down, first in zip(columns, descending, nulls_first, strict=True):
        if column.is_constant:
            continue
        if column.nulls is not None:
            keys.append(~column.nulls if first else column.nulls)
        ranks = rank(column)
        if ranks.dtype.kind == "f":
            is_nan = np.isnan(ranks)
            if is_nan.any():
                keys.append(~is_nan if down else is_nan)
                ranks = np.where(is_nan, ranks.dtype.type(0), ranks)
            ranks = -ranks if down else ranks
        elif down:
            ranks = ~ranks
        if column.nulls is not None:
            ranks = np.where(column.nulls, ranks.dtype.type(0), ranks)
        keys.append(ranks)
    return order_of(keys, count)


def rank(column: Column) -> NDArray[Any]:
    """Return numbers that are in the order of a column's values; those of nulls say nothing."""
    values = column.values if column.codes is None or not column.is_dictionary else None
    if values is not None and values.dtype != _OBJECT:
        return values.astype(np.int8) if values.dtype.kind == "b" else values
    if column.is_dictionary:
        assert column.codes is not None
        _, first, back = np.unique(column.codes, return_index=True, return_inverse=True)
        return _ranks(keys_of(column.take(first)))[back]
    if column.type.name == "numeric":
        units = quick_units(column.tolist())
        if units is not None:
            return units
    return _ranks(keys_of(column))


def _ranks(keys: list[Any]) -> NDArray[np.int64]:
    numbers = {key: i for i, key in enumerate(sorted({k for k in keys if k is not None}))}
    return np.fromiter((0 if k is None else numbers[k] for k in keys), np.int64, len(keys))
