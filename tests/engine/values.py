"""Hypothesis strategies: for each type its values, and for those that have an order, how callers see it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from zengram_py.engine import (
    BOOLEAN,
    BYTES,
    DATE,
    DATERANGE,
    FLOAT32,
    FLOAT64,
    INT4RANGE,
    INT8RANGE,
    INT16,
    INT32,
    INT64,
    INTERVAL,
    JSON,
    NUMERIC,
    NUMRANGE,
    TEXT,
    TIME,
    TIMESTAMP,
    TSRANGE,
    TSVECTOR,
    UUID,
    ColumnType,
    Interval,
    Range,
    array,
    vector,
)
from zengram_py.engine.composite import enum

MOOD = enum("mood", ["sad", "ok", "happy", "ünïcode ☃"])


def whole(bits: int) -> st.SearchStrategy[int]:
    most = (1 << bits - 1) - 1
    return st.integers(-3, 3) | st.integers(-most - 1, most) | st.sampled_from([-most - 1, most])


def ranges(bound: st.SearchStrategy[Any]) -> st.SearchStrategy[Range]:
    """Ranges of all kinds, infinite and empty ones too."""

    def make(one: Any, other: Any, low: bool, high: bool, empty: bool) -> Range:
        if one is not None and other is not None and one > other:
            one, other = other, one
        return Range(one, other, low, high, empty)

    ends = st.none() | bound
    return st.builds(
        make, ends, ends, st.booleans(), st.booleans(), st.sampled_from([False, False, False, True])
    )


def arrays(element: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Arrays of one, two and three dimensions with nulls, and the empty one."""

    def nested(shape: list[int]) -> st.SearchStrategy[Any]:
        if not shape:
            return st.none() | element
        return st.lists(nested(shape[1:]), min_size=shape[0], max_size=shape[0])

    shapes = st.lists(st.integers(1, 3), min_size=1, max_size=3)
    return st.just([]) | shapes.flatmap(nested)


text = st.text(st.characters(codec="utf-8"), max_size=8)
floats = st.floats(width=64)
numerics = st.decimals(allow_nan=False, places=3, min_value=-(10**9), max_value=10**9) | st.sampled_from(
    [
        Decimal(x)
        for x in (
            "NaN",
            "Infinity",
            "-Infinity",
            "-0",
            "1.0",
            "1.00",
            "1e30",
            "1e-30",
            "0.1",
            "1234567890123456789012345678901234567890.5",
        )
    ]
)
finite = st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-1000, max_value=1000)
intervals = st.builds(Interval, whole(32), whole(32), whole(64)) | st.builds(
    Interval, st.integers(-1, 1), st.integers(-31, 31), st.integers(-1, 1)
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | text | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)
tsvectors = st.dictionaries(text, st.lists(st.integers(1, 16_383), max_size=4), max_size=4)

VALUES: dict[ColumnType, st.SearchStrategy[Any]] = {
    BOOLEAN: st.booleans(),
    INT16: whole(16),
    INT32: whole(32),
    INT64: whole(64),
    FLOAT32: st.floats(width=32),
    FLOAT64: floats,
    TIMESTAMP: whole(64),
    DATE: whole(32),
    TIME: st.integers(0, 86_400_000_000) | st.sampled_from([0, 86_400_000_000]),
    MOOD: st.sampled_from([label for _, label in MOOD.labels]),
    TEXT: text,
    BYTES: st.binary(max_size=8),
    UUID: st.uuids().map(str),
    JSON: json_values.filter(lambda v: v is not None),
    NUMERIC: numerics,
    INTERVAL: intervals,
    TSVECTOR: tsvectors,
    INT4RANGE: ranges(st.integers(-50, 50)),
    INT8RANGE: ranges(st.integers(-(10**15), 10**15)),
    NUMRANGE: ranges(finite),
    DATERANGE: ranges(st.integers(-9, 9)),
    TSRANGE: ranges(st.integers(-9, 9)),
    array(INT64): arrays(whole(64)),
    array(FLOAT64): arrays(floats),
    array(BOOLEAN): arrays(st.booleans()),
    array(TEXT): arrays(text),
    array(BYTES): arrays(st.binary(max_size=4)),
    array(NUMERIC): arrays(numerics),
    array(UUID): arrays(st.uuids().map(str)),
    array(MOOD): arrays(st.sampled_from([label for _, label in MOOD.labels])),
    array(INTERVAL): arrays(intervals),
    array(INT4RANGE): arrays(ranges(st.integers(-50, 50))),
    vector(3): st.lists(st.floats(-1e6, 1e6, width=32), min_size=3, max_size=3),
}

UNORDERED = {"json", "vector(3)"}


def sort_key(value: Any) -> Any:
    """Return a key that sorts presented values as an ordered index must: NaN above numbers, nulls last.

    Written apart from keys.py, so that the two check each other.
    """
    if value is None:
        return (2, 0)
    if isinstance(value, (float, Decimal)):
        is_nan = value != value
        return (1, (1, Decimal(0))) if is_nan else (1, (0, Decimal(value)))
    if isinstance(value, Interval):
        return (1, (value.months * 30 + value.days) * 86_400_000_000 + value.microseconds)
    if isinstance(value, Range):
        if value.empty:
            return (1, (0,))
        low = (0, 0, 0) if value.lower is None else (1, value.lower, not value.lower_inclusive)
        high = (2, 0, 0) if value.upper is None else (1, value.upper, value.upper_inclusive)
        return (1, (1, low, high))
    if isinstance(value, (list, tuple)):
        deeper = any(type(item) in (list, tuple) for item in value)  # sorts behind all flat ones
        return (1, [*([(3, 0)] if deeper else []), *map(sort_key, value)])
    return (1, value)
