"""Columns and heaps: values come back as they went in, versions share them, a snapshot's memory is not written to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zengram_py.engine.column import FixedColumn, HeapColumn, make_column
from zengram_py.engine.growable import Growable
from zengram_py.engine.heap import DICTIONARY_LIMIT, MatrixHeap, ValueHeap
from zengram_py.engine.types import (
    BOOLEAN,
    BYTES,
    FLOAT32,
    FLOAT64,
    INT16,
    INT64,
    JSON,
    TEXT,
    ColumnType,
    parse_type,
    vector,
)
from zengram_py.errors import CatalogError, TypeMismatchError

VALUES: list[tuple[ColumnType, st.SearchStrategy[Any]]] = [
    (BOOLEAN, st.booleans()),
    (INT16, st.integers(-(2**15), 2**15 - 1)),
    (INT64, st.integers(-(2**63), 2**63 - 1)),
    (FLOAT64, st.floats(allow_nan=False)),
    (TEXT, st.text(st.characters(exclude_categories=["Cs"]))),
    (BYTES, st.binary()),
]


@pytest.mark.parametrize(("column_type", "values"), VALUES, ids=lambda v: getattr(v, "name", ""))
@given(data=st.data())
def test_values_and_nulls_come_back(
    column_type: ColumnType, values: st.SearchStrategy[Any], data: st.DataObject
) -> None:
    wanted = data.draw(st.lists(st.none() | values, max_size=30))
    split = data.draw(st.integers(0, len(wanted)))
    column = make_column(column_type)
    for value in wanted[:split]:
        column.append(value)
    column.extend(wanted[split:])
    slots = np.arange(len(wanted))
    assert column.take(slots) == wanted
    assert [column.get(i) for i in slots] == wanted
    for value in wanted[:3]:
        found = column.equal(slots, value)
        assert found.tolist() == [other is not None and other == value for other in wanted]


def test_a_version_shares_the_value_of_the_one_before() -> None:
    for column_type, value in ((TEXT, "a long text" * 100), (vector(3), np.ones(3, np.float32))):
        column = make_column(column_type)
        assert isinstance(column, HeapColumn)
        column.append(value)
        for _ in range(10):
            column.copy_from([len(column) - 1])
        assert len(column.heap) == 1
        assert column.refs.tolist() == [0] * 11


def test_a_heap_is_a_dictionary_until_it_holds_too_many_distinct_values() -> None:
    heap = ValueHeap(TEXT)
    assert heap.extend(["a", "b", "a", None, "a"]) == [0, 1, 0, -1, 0]
    assert heap.find("b") == 1
    heap.extend(str(i) for i in range(DICTIONARY_LIMIT + 10))
    assert not heap.is_dictionary
    refs = heap.extend(["a", "a"])
    assert heap.take(np.array(refs)) == ["a", "a"]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))), st.lists(st.text("ab")))
def test_a_heap_thaws_to_the_same_values_and_grows_on(first: list[str], then: list[str]) -> None:
    heap = ValueHeap(TEXT)
    refs = heap.extend(first)
    offsets, buffer = heap.freeze()
    thawed = ValueHeap.thaw(TEXT, offsets, buffer)
    assert thawed.take(np.array(refs, np.int32)) == first
    more = thawed.extend(then)
    assert thawed.take(np.array(more, np.int32)) == then
    again = ValueHeap.thaw(TEXT, *thawed.freeze())
    assert again.take(np.array(refs + more, np.int32)) == first + then


@pytest.mark.parametrize(
    ("offsets", "content"),
    [
        ([0, 5], b"abc"),
        ([1, 3], b"abc"),
        ([0, 2, 1, 3], b"abc"),
        ([0, 1], b"\xff"),
        ([0, 1, 2], "é".encode()),
    ],
)
def test_a_heap_that_does_not_hold_together_does_not_thaw(offsets: list[int], content: bytes) -> None:
    with pytest.raises(ValueError, match=r"offsets|begins|decode"):
        ValueHeap.thaw(TEXT, np.array(offsets, np.int64), np.frombuffer(content, np.uint8))


def test_read_only_memory_is_copied_on_the_first_write() -> None:
    source = np.arange(5)
    source.flags.writeable = False
    grown: Growable[np.int64] = Growable(np.int64, (), source)
    assert grown.view.base is source or grown.view is source
    grown.append(9)
    grown.writable()[0] = 7
    assert source.tolist() == [0, 1, 2, 3, 4]
    assert grown.view.tolist() == [7, 1, 2, 3, 4, 9]


def test_growing_is_by_doubling() -> None:
    heap = MatrixHeap(4)
    moves = 0
    base = heap.matrix.base
    for _ in range(10_000):
        heap.append(np.ones(4, np.float32))
        if heap.matrix.base is not base:
            moves, base = moves + 1, heap.matrix.base
    assert moves <= 12


def test_bulk_reads_of_fixed_columns_are_arrays() -> None:
    column = FixedColumn(FLOAT64)
    column.extend(np.linspace(0, 1, 1000))
    assert isinstance(column.take_array(np.arange(0, 1000, 2)), np.ndarray)
    assert column.nulls is None


@pytest.mark.parametrize(
    ("column_type", "bad"),
    [
        (BOOLEAN, 1),
        (INT16, 2**15),
        (INT16, True),
        (INT64, 1.0),
        (INT64, 2**63),
        (FLOAT64, "1"),
        (FLOAT32, 1e39),
        (FLOAT64, 10**400),
        (TEXT, b"x"),
        (TEXT, "\ud83e"),
        (BYTES, "x"),
        (JSON, {1, 2}),
        (JSON, float("nan")),
        (vector(3), [1, 2]),
        (vector(3), [1, 2, float("inf")]),
        (vector(3), "abc"),
    ],
)
def test_a_value_of_the_wrong_type_is_refused(column_type: ColumnType, bad: Any) -> None:
    with pytest.raises(TypeMismatchError, match=column_type.name.split("(")[0]):
        column_type.check(bad)


def test_types_are_found_by_their_names() -> None:
    for column_type in (BOOLEAN, INT16, INT64, FLOAT32, FLOAT64, TEXT, BYTES, JSON, vector(384)):
        assert parse_type(column_type.name) == column_type
    for name in ("vector(0)", "vector(99999)", "varchar", ""):
        with pytest.raises(CatalogError):
            parse_type(name)


@pytest.mark.parametrize("is_thawed", [False, True])
@pytest.mark.parametrize(
    "refs",
    [
        [],
        [0],
        [3, 4, 5, 6],
        [0, 1, 2, 3, 4, 5, 6, 7],
        [3, 5, 4, 6],
        [2, 2, 3, 4],
        [-1],
        [-1, 0, 1],
        [0, -1, 2],
        [5, 6, 8],
        [0, 1, 2, 4, 3, 5, 6, 7],
        [-1, 0, 1, 2, 3, 4, 5, 6],
    ],
)
def test_values_of_arrays_of_references(refs: list[int], is_thawed: bool) -> None:
    heap = ValueHeap(TEXT)
    heap.extend([f"value {i}" for i in range(7)])
    if is_thawed:
        heap = ValueHeap.thaw(TEXT, *heap.freeze())
        assert heap.get(4) == "value 4"
    heap.extend(["after 7", "after 8"])
    expected = [None if r < 0 else f"{'value' if r < 7 else 'after'} {r}" for r in refs]
    assert heap.take(np.array(refs, np.int32)) == expected
