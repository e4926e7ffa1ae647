"""Types: every value through check, a column, an index and a snapshot; how values compare and sort; what is refused."""

from __future__ import annotations

import contextlib
import math
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engine.values import MOOD, UNORDERED, VALUES, sort_key
from zengram_py.engine import (
    BOOLEAN,
    BYTES,
    DATE,
    DATERANGE,
    FLOAT32,
    FLOAT64,
    INT4RANGE,
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
    ColumnDef,
    ColumnType,
    Database,
    IndexDef,
    Interval,
    Range,
    array,
    vector,
)
from zengram_py.engine.keys import hash_key, key_form, sort_form
from zengram_py.engine.types import parse_type
from zengram_py.errors import CatalogError, TypeMismatchError

ALL = pytest.mark.parametrize("column_type", VALUES, ids=lambda t: t.name.split("[[")[0][:20])
FEW = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))


def alike(one: Any, other: Any) -> bool:
    """Return whether two presented values are the same to the letter: NaN is NaN, 1.0 is not 1.00, -0.0 is not 0.0."""
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)
    return type(one) is type(other) and repr(one) == repr(other)


@ALL
@given(data=st.data())
@FEW
def test_a_value_comes_back_as_it_was_checked(column_type: ColumnType, data: st.DataObject) -> None:
    values = data.draw(st.lists(VALUES[column_type], min_size=1, max_size=8))
    stored = [column_type.check(value) for value in values]
    seen = [column_type.present(value) for value in stored]
    for value, back in zip(stored, seen, strict=True):
        assert alike(column_type.present(column_type.check(back)), back)
        if column_type.storage == "heap":
            assert alike(column_type.decode(column_type.encode(value)), value)
    assert parse_type(column_type.name) == column_type

    db = Database.open()
    db.create_table("t", [ColumnDef("i", INT64), ColumnDef("v", column_type)], primary_key=["i"])
    log: list[bytes] = []
    replayed, db.on_commit = Database.restore(db.export()), log.append
    count = len(values)
    with db.begin() as t:
        for i, value in enumerate(values):
            assert alike(t.insert("t", {"i": i, "v": value})["v"], seen[i])
        t.insert_many("t", {"i": range(count, 2 * count), "v": values})
        t.insert("t", {"i": 2 * count, "v": None})
        assert alike(t.get("t", count)["v"], seen[0])  # type: ignore[index]
    replayed.replay(log)
    for database in (db, Database.restore(db.export()), replayed):
        found = {row["i"]: row["v"] for row in database.begin().scan("t")}
        assert all(alike(found[i], seen[i % count]) for i in range(2 * count))
        assert found[2 * count] is None


@pytest.mark.parametrize(
    "column_type", [t for t in VALUES if t.name not in UNORDERED], ids=lambda t: t.name.split("[[")[0][:20]
)
@given(data=st.data())
@FEW
def test_an_ordered_index_sorts_as_callers_sort_and_finds_each_value(
    column_type: ColumnType, data: st.DataObject
) -> None:
    values = data.draw(st.lists(st.none() | VALUES[column_type], min_size=1, max_size=25))
    db = Database.open()
    db.create_table(
        "t",
        [ColumnDef("i", INT64), ColumnDef("v", column_type)],
        primary_key=["i"],
        indexes=[IndexDef("o", "ordered", (["col", "v"],)), IndexDef("h", "hash", (["col", "v"],))],
    )
    half = len(values) // 2
    with db.begin() as t:
        t.insert_many("t", {"i": range(half), "v": values[:half]})
    with db.begin() as t:
        for i in range(half, len(values)):
            t.insert("t", {"i": i, "v": values[i]})
    stored = [None if v is None else column_type.check(v) for v in values]
    # An enum sorts by its codes; what is seen of any other type sorts by itself.
    shown = (
        stored
        if column_type == MOOD or "enum" in column_type.name
        else [column_type.present(v) for v in stored]
    )
    order = sorted(range(len(values)), key=lambda i: (sort_key(shown[i]), i))
    for database in (db, Database.restore(db.export())):
        t = database.begin()
        found = [row["i"] for row in t.range("t", "o")]
        assert [sort_key(shown[i]) for i in found] == [sort_key(shown[i]) for i in order]
        assert sorted(found) == sorted(order)
        down = [row["i"] for row in t.range("t", "o", descending=True)]
        assert [sort_key(shown[i]) for i in down] == [sort_key(shown[i]) for i in reversed(order)]
        for i, value in enumerate(values):
            if value is not None:
                same = [j for j in order if sort_key(shown[j]) == sort_key(shown[i])]
                assert sorted(row["i"] for row in t.lookup("t", "h", value)) == sorted(same)
                assert sorted(row["i"] for row in t.lookup("t", "o", value)) == sorted(same)
                above = [row["i"] for row in t.range("t", "o", (value,), low_inclusive=False)]
                assert sorted(above) == sorted(j for j in order if sort_key(shown[j]) > sort_key(shown[i]))


NAN, INF = float("nan"), float("inf")
REFUSED: list[tuple[ColumnType, list[Any]]] = [
    (BOOLEAN, [0, 1, "true"]),
    (INT16, [1 << 15, -(1 << 15) - 1, 1.0, True, "1", NAN]),
    (INT32, [1 << 31, -(1 << 31) - 1, np.int64(1 << 31)]),
    (INT64, [1 << 63, -(1 << 63) - 1, Decimal(1), np.uint64(1 << 63)]),
    (FLOAT32, [1e39, -1e39, True, "1", 1j]),
    (FLOAT64, [10**400, True, "1", Decimal(1)]),
    (TIMESTAMP, [1 << 63, 0.5]),
    (DATE, [1 << 31, "2024-01-01"]),
    (TIME, [-1, 86_400_000_001]),
    (TEXT, [1, b"a", "\ud800"]),
    (BYTES, ["a", [1]]),
    (UUID, ["nope", 5, "12345678-1234-1234-1234-12345678901"]),
    (JSON, [NAN, {1, 2}, b"a", object(), {"a": INF}, "\ud800"]),
    (NUMERIC, [True, "one", Decimal("sNaN"), "1e200000", b"1", 1j]),
    (INTERVAL, [5, (1, 2), (1, 2, 3, 4), (0.5, 1, 1), (1 << 31, 0, 0), "1 day"]),
    (TSVECTOR, ["text", [("a", (0,))], [("a", (-1,))], {"a": 5}, {1: [1]}, {"\ud800": [1]}, [("a",)]]),
    (array(INT64), [5, "ab", [1, [2]], [[1], [2, 3]], [[1], None], ["a"], [[[1]], [[1], [2]]], {"a": 1}]),
    (array(TEXT), ["ab", [1], [b"a"]]),
    (INT4RANGE, [5, (5, 4), (1,), (0, 1 << 31), ("a", "b"), (0, (1 << 31) - 1, True, True), "[1,2)"]),
    (NUMRANGE, [(2, 1), ("a", 1), (Decimal("NaN"), 1), ("Infinity", 1)]),
    (MOOD, ["angry", 65536, ""]),
    (
        vector(3),
        [
            [1, 2],
            [1, 2, 3, 4],
            [1, NAN, 2],
            [1, INF, 2],
            [1e39, 0, 0],
            [[1, 2, 3]],
            "abc",
            5,
            ["a", "b", "c"],
        ],
    ),
]


@pytest.mark.parametrize(
    ("column_type", "value"), [(t, v) for t, values in REFUSED for v in values if v is not None]
)
def test_a_value_that_does_not_fit_is_refused(column_type: ColumnType, value: Any) -> None:
    with pytest.raises(TypeMismatchError, match="is not a valid"):
        column_type.check(value)
    db = Database.open()
    db.create_table("t", [ColumnDef("v", column_type)])
    t = db.begin()
    with pytest.raises(TypeMismatchError, match="column 'v' of table 't'"):
        t.insert("t", {"v": value})
    with pytest.raises(TypeMismatchError, match="column 'v' of table 't'"):
        t.insert_many("t", {"v": [value]})
    if (
        column_type.storage != "heap"
        and isinstance(value, (int, float, list))
        and not isinstance(value, bool)
    ):
        try:
            values = np.array([value])
        except (ValueError, OverflowError):
            return
        with pytest.raises(TypeMismatchError):
            t.insert_many("t", {"v": values})
    assert t.count("t") == 0


TAKEN: list[tuple[ColumnType, Any, Any]] = [
    (INT64, np.int16(5), 5),
    (FLOAT32, 0.1, float(np.float32(0.1))),
    (FLOAT64, 3, 3.0),
    (UUID, "{12345678-1234-5678-1234-567812345678}", "12345678-1234-5678-1234-567812345678"),
    (NUMERIC, 0.1, Decimal("0.1")),
    (NUMERIC, "1.500", Decimal("1.500")),
    (INTERVAL, [1, 2, 3], Interval(1, 2, 3)),
    (BYTES, memoryview(b"ab"), b"ab"),
    (JSON, {"a": (1, 2)}, {"a": [1, 2]}),
    (TSVECTOR, [("b", [2, 1, 2]), ("a", []), ("b", [99_999])], (("a", ()), ("b", (1, 2, 16_383)))),
    (array(INT64), np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
    (array(INT64), [None], [None]),
    (INT4RANGE, (1, 5, False, True), Range(2, 6, True, False)),
    (INT4RANGE, (1, 2, False, False), Range(None, None, False, False, True)),
    (INT4RANGE, (None, 5, True, True), Range(None, 6, False, False)),
    (INT4RANGE, (3, 3, True, True), Range(3, 4, True, False)),
    (INT4RANGE, (3, 3), Range(None, None, False, False, True)),
    (DATERANGE, (None, None), Range(None, None, False, False)),
    (TSRANGE, (1, 5, False, True), Range(1, 5, False, True)),
    (NUMRANGE, (1, 1, True, True), Range(Decimal(1), Decimal(1), True, True)),
    (NUMRANGE, (1, "NaN", True, True), Range(Decimal(1), Decimal("NaN"), True, True)),
]


@pytest.mark.parametrize(("column_type", "value", "expected"), TAKEN)
def test_a_value_is_brought_to_one_form(column_type: ColumnType, value: Any, expected: Any) -> None:
    assert repr(column_type.present(column_type.check(value))) == repr(expected)


@pytest.mark.parametrize(
    "name", ["int", "vector(0)", "vector(16001)", "vector(x)", "text[][]", "enum x", "enum [1]", ""]
)
def test_a_name_that_is_no_type_is_refused(name: str) -> None:
    with pytest.raises(CatalogError):
        parse_type(name)


@pytest.mark.parametrize("element", [vector(3), array(INT64), TSVECTOR])
def test_there_are_no_arrays_of_what_is_an_array_itself(element: ColumnType) -> None:
    with pytest.raises(CatalogError, match="no arrays"):
        array(element)


def test_equal_values_have_one_key_and_one_hash() -> None:
    pairs = [
        (0.0, -0.0),
        (NAN, math.nan),
        (1, 1.0),
        (Decimal("1.0"), Decimal("1.00")),
        (Decimal("NaN"), Decimal("NaN")),
        (Decimal("0.10"), Decimal("0.1")),
        (Decimal("-0"), Decimal("0")),
        (Interval(1, 0, 0), Interval(0, 30, 0)),
        (Interval(0, 1, 0), Interval(0, 0, 86_400_000_000)),
        ((1, None), (1, None)),
        ((1.0, NAN), (1, NAN)),
        (np.array([0.5, 1], np.float32), np.array([0.5, 1], np.float32)),
    ]
    for one, other in pairs:
        assert key_form(one) == key_form(other)
        assert hash_key((key_form(one),)) == hash_key((key_form(other),))


def test_nan_is_the_greatest_number_and_null_comes_last() -> None:
    values = [NAN, 1.0, None, INF, -INF, -0.0, 5]
    keys = sorted(sort_form((key_form(v),)) for v in values)
    assert keys == [sort_form((key_form(v),)) for v in (-INF, 0.0, 1.0, 5, INF, NAN, None)]
    decimals = [Decimal(x) for x in ("-Infinity", "-1", "0", "1", "Infinity", "NaN")]
    assert [str(d) for d in sorted([*decimals[3:], *decimals[:3]], key=key_form)] == [
        str(d) for d in decimals
    ]


def test_what_a_caller_gave_or_got_is_not_shared_with_what_is_stored() -> None:
    db = Database.open()
    db.create_table(
        "t",
        [ColumnDef("i", INT64), ColumnDef("v", vector(2)), ColumnDef("a", array(INT64))],
        primary_key=["i"],
    )
    given, numbers, matrix = np.array([1, 2], np.float32), [1, 2], np.ones((2, 2), np.float32)
    t = db.begin()
    got = t.insert("t", {"i": 1, "v": given, "a": numbers})
    t.insert_many("t", {"i": [2, 3], "v": matrix})
    given[:], matrix[:] = 9, 9
    numbers.append(3)

    def spoil(row: Any) -> None:
        with contextlib.suppress(ValueError):  # read-only is as good
            row["v"][0] = 7
        row["a"] and row["a"].append(8)

    for row in (got, t.get("t", 1), t.get("t", 2), next(iter(t.scan("t")))):
        spoil(row)
    assert [list(row["v"]) for row in t.scan("t")] == [[1, 2], [1, 1], [1, 1]]
    t.commit()
    t = db.begin()
    spoil(t.get("t", 1))
    spoil(next(iter(t.scan("t"))))
    assert [list(row["v"]) for row in t.scan("t")] == [[1, 2], [1, 1], [1, 1]]
    assert t.get("t", 1)["a"] == [1, 2]  # type: ignore[index]
