"""Ordered indexes over columns: batches that are sorted, compared and merged as arrays lie as keys that are read one by one."""

from __future__ import annotations

import random
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zengram_py.engine import (
    BOOLEAN,
    BYTES,
    FLOAT32,
    FLOAT64,
    INT64,
    INTERVAL,
    NUMERIC,
    TEXT,
    ColumnDef,
    Database,
    ForeignKey,
    IndexDef,
    Transaction,
    array,
    vector,
)
from zengram_py.engine.column import make_column
from zengram_py.engine.index import ordered
from zengram_py.engine.index.ordered import KeyRange, OrderedIndex
from zengram_py.engine.keys import key_form, sort_form
from zengram_py.engine.sort_codes import have_codes, sort_codes

NAN = float("nan")
VALUES: dict[Any, list[Any]] = {
    TEXT: ["", "/a", "/b", "/b/c", "é", "\U0001f600", "\uffff"],
    FLOAT64: [NAN, -NAN, 0.0, -0.0, 1.5, -1e300, float("inf"), float("-inf")],
    FLOAT32: [NAN, 0.0, -0.0, 0.5],
    INT64: [-(2**63), -1, 0, 2**53, 2**53 + 1],
    BOOLEAN: [False, True],
    BYTES: [b"", b"\x00", b"\xff"],
    NUMERIC: [Decimal("1.0"), Decimal("1.00"), Decimal("NaN"), Decimal("-Infinity"), Decimal(2)],
    INTERVAL: [INTERVAL.check(parts) for parts in ((1, 0, 0), (0, 30, 0), (0, 0, 5))],
    array(INT64): [(), (1,), (1, None), (None,), (1, 2)],
}
batches = st.lists(st.sampled_from(list(VALUES)), min_size=1, max_size=3).flatmap(
    lambda types: st.tuples(
        st.just(types),
        st.lists(st.tuples(*(st.sampled_from([None, *VALUES[t]]) for t in types)), max_size=40),
    )
)


@given(batches, st.randoms())
def test_codes_lie_as_keys_do(batch: tuple[list[Any], list[Any]], random_: random.Random) -> None:
    types, rows = batch
    columns = [make_column(one) for one in types]
    for column, values in zip(columns, zip(*rows, strict=True) if rows else [()] * len(types), strict=True):
        column.extend(values)
    slots = list(range(len(rows)))
    random_.shuffle(slots)
    keys = [tuple(key_form(value) for value in row) for row in rows]
    index = OrderedIndex(keys.__getitem__, lambda entries: sort_codes(columns, entries))
    assert have_codes(columns)
    found = index._in_order(np.array(slots, np.int32))
    assert found.tolist() == sorted(slots, key=lambda slot: (sort_form(keys[slot]), slot))


@given(batches)
def test_columns_change_where_keys_do(batch: tuple[list[Any], list[Any]]) -> None:
    types, rows = batch
    for one, values in zip(types, zip(*rows, strict=True), strict=False):
        column = make_column(one)
        column.extend(values)
        places = np.arange(len(values))
        for shift in range(min(4, len(values))):
            others = np.roll(places, shift)
            expected = [
                key_form(values[a]) != key_form(values[b]) for a, b in zip(places, others, strict=True)
            ]
            assert column.changed(places, others).tolist() == expected


def test_vectors_have_no_codes_and_change_by_their_numbers() -> None:
    column = make_column(vector(2))
    column.extend([np.array(v, np.float32) for v in ([0, 1], [0, 1], [0, 2])])
    assert not have_codes([column])
    assert column.changed([0, 1, 0], [1, 2, 0]).tolist() == [False, True, False]


# -- in a database ---------------------------------------------------------------------------------------------------------

INDEXES = {
    "of_all": ("scope", "status", "weight"),
    "of_scope": ("scope",),
    "of_weight": ("weight",),
    "of_time": ("time", "id"),
    "of_exact": ("exact", "scope"),
}


@pytest.fixture(autouse=True)
def small_batches() -> Iterator[None]:
    """Let twelve entries be a large batch, and a step of a merge move a few."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ordered, "TAIL_LIMIT", 12)
        patch.setattr(ordered, "_CODES_A_STEP", 5)
        patch.setattr(ordered, "_KEYS_A_STEP", 3)
        patch.setattr(ordered, "_READ_AT_ONCE", 30)
        patch.setattr(OrderedIndex, "merge_at_once", 40)
        yield


def make() -> Database:
    database = Database.open()
    database.create_table(
        "t",
        [
            ColumnDef("id", INT64),
            ColumnDef("scope", TEXT),
            ColumnDef("status", TEXT),
            ColumnDef("weight", FLOAT64),
            ColumnDef("time", INT64),
            ColumnDef("exact", NUMERIC),
        ],
        primary_key=["id"],
        indexes=[
            *(IndexDef(n, "ordered", tuple(["col", c] for c in columns)) for n, columns in INDEXES.items()),
            IndexDef("of_lower", "ordered", (["lower", ["col", "scope"]], ["col", "weight"])),
            IndexDef("of_some", "ordered", (["col", "scope"],), where=[">", ["col", "weight"], ["lit", 0.0]]),
            IndexDef(
                "of_nulls",
                "ordered",
                (["col", "scope"], ["col", "status"], ["col", "id"]),
                unique=True,
                nulls_distinct=False,
            ),
        ],
    )
    return database


def some(random_: random.Random, name: str) -> Any:
    numbers = [None, NAN, 0.0, -0.0, *(i / 4 for i in range(12))]
    return random_.choice(
        {
            "scope": [None, "/a", "/A", "/b", "/b/c"],
            "status": [None, "active", "old"],
            "weight": numbers,
            "time": [None, *range(6)],
            "exact": [None, Decimal("1.0"), Decimal("1.00"), Decimal("NaN"), Decimal(3)],
        }[name]
    )


def insert(random_: random.Random, t: Transaction, first: int, count: int) -> None:
    by_name = t.reader.catalog.table("t").by_name
    names = [name for name in by_name if name != "id"]
    columns: dict[int, Any] = {by_name[n].id: [some(random_, n) for _ in range(count)] for n in names}
    columns[by_name["id"].id] = np.arange(first, first + count)
    t.insert_stored(t.reader.catalog.table("t"), count, columns)


def change(random_: random.Random, t: Transaction) -> None:
    """Give rows new values in one or two columns; some stay as they are."""
    table = t.reader.catalog.table("t")
    rows = sorted(row for row, _ in t.reader.rows(table) if random_.random() < 0.8)
    columns: dict[int, Any] = {}
    for name in random_.sample(["scope", "status", "weight", "time", "exact"], random_.choice([1, 1, 2])):
        column = table.by_name[name]
        kept = [t.reader.values_of(table, row)[column.id] for row in rows]
        values = [old if random_.random() < 0.2 else some(random_, name) for old in kept]
        is_whole = column.type.storage == "fixed" and None not in values
        columns[column.id] = np.array(values) if is_whole and random_.random() < 0.5 else values
    t.update_stored(table, np.array(rows, np.int64), columns)


def check(database: Database, branch: str) -> None:
    """Every ordered index has the rows in the order of their keys, and its runs lie in order."""
    with database.begin(branch=branch) as t:
        table = t.reader.catalog.table("t")
        store = t.reader.stores[table.id]
        rows = [values for _, values in t.reader.rows(table)]
        for index in table.indexes:
            state = store.indexes[index.id]
            structure = state.structure
            if not isinstance(structure, OrderedIndex):
                continue
            for run in structure._runs:
                run_keys = [key for key, _ in map(structure._pair, run.entries)]
                assert run_keys == sorted(run_keys), index.name
            keys = [state.key(values.__getitem__) for values in rows]
            expected = sorted(sort_form(key) for key in keys if key is not None)
            found = [v for _, v in t.reader.rows_in_range(table, index, KeyRange())]
            assert [sort_form(state.key(v.__getitem__) or ()) for v in found] == expected, index.name
            for key in {key for key in keys if key is not None and None not in key}:
                by_key = [v for _, v in t.reader.rows_of_key(table, index, key)]
                assert len(by_key) == keys.count(key), (index.name, key)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32))
def test_a_table_changed_in_batches_has_its_rows_in_order(seed: int) -> None:
    random_ = random.Random(seed)
    database = make()
    with database.begin() as t:
        insert(random_, t, 0, 20)
    database.fork("b")
    for step in range(1, 7):
        branch = random_.choice(["main", "b"])
        with database.begin(branch=branch) as t:
            kind = random_.choice(["change", "change", "insert", "few"])
            if kind == "change":
                change(random_, t)
            else:
                insert(random_, t, 100 * step, 15 if kind == "insert" else 2)
        if random_.random() < 0.3:
            database.maintain(0)
        if random_.random() < 0.2:
            database = Database.restore(database.export())
        if random_.random() < 0.2:
            database.vacuum()
        check(database, branch)
    for state in next(iter(database.stores.values())).indexes.values():
        state.structure.finish()
    check(database, "main")
    check(database, "b")


def test_an_update_of_one_column_writes_that_and_one_run() -> None:
    """What a table of facts with texts and vectors grows by when all its rows fade: numbers, references and one run."""
    database, count = Database.open(), 30
    with database.begin() as t:
        t.create_table("session", [ColumnDef("id", INT64)], primary_key=["id"])
        t.insert("session", {"id": 0})
        t.create_table(
            "fact",
            [
                ColumnDef("id", INT64),
                ColumnDef("scope", TEXT),
                ColumnDef("status", TEXT),
                ColumnDef("content", TEXT),
                ColumnDef("weight", FLOAT64),
                ColumnDef("faded", INT64),
                ColumnDef("place", vector(4)),
                ColumnDef("session", INT64),
            ],
            primary_key=["id"],
            indexes=[
                IndexDef("of_weight", "ordered", (["col", "scope"], ["col", "status"], ["col", "weight"])),
                IndexDef("of_scope", "hash", (["col", "scope"], ["col", "content"])),
                IndexDef("words", "fulltext", (["col", "scope"], ["col", "content"])),
                IndexDef("near", "flat", (["col", "place"],)),
            ],
            foreign_keys=[ForeignKey(["session"], "session")],
        )
        table = t.reader.catalog.table("fact")
        by_name = table.by_name
        given: dict[str, Any] = {
            "id": np.arange(count),
            "scope": [f"/{i % 3}" for i in range(count)],
            "status": ["active"] * count,
            "content": [f"text {i}" for i in range(count)],
            "weight": np.linspace(0, 1, count),
            "place": np.ones((count, 4), np.float32),
            "session": np.zeros(count, np.int64),
        }
        t.insert_stored(table, count, {by_name[name].id: values for name, values in given.items()})
    before = database.size()[f"fact#{table.id}"]
    store = database.stores[table.id]
    weights = store.indexes[table.index("of_weight").id].structure
    assert isinstance(weights, OrderedIndex)
    runs = list(weights._runs)
    assert len(runs) == 1
    with database.begin() as t:
        rows = np.arange(count)
        t.update_stored(
            table,
            rows,
            {by_name["weight"].id: np.linspace(0, 0.9, count), by_name["faded"].id: np.ones(count)},
        )
    after = database.size()[f"fact#{table.id}"]
    grown = {part for part in after if after[part] != before[part]}
    assert {part for part in grown if part.startswith("index ")} == {"index of_weight"}
    assert not any(part.startswith("heap ") for part in grown)
    added = [run for run in weights._runs if run not in runs]
    assert len(weights._runs) == 2
    # The row at 0.0 keeps its key.
    assert [len(run.entries) for run in added] == [count - 1]
    with database.begin() as t:
        found = [row["weight"] for row in t.range("fact", "of_weight", ("/1", "active"), ("/1", "active"))]
    assert found == np.linspace(0, 0.9, count)[1::3].tolist()
