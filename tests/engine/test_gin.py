"""GIN indexes: for every reader, all rows that satisfy an operator are among the candidates, each once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zengram_py.clock import ManualClock
from zengram_py.engine import (
    DATE,
    INT8RANGE,
    INT64,
    JSON,
    NUMERIC,
    TEXT,
    TSVECTOR,
    ColumnDef,
    Database,
    IndexDef,
    Range,
    Transaction,
    array,
)
from zengram_py.engine.index import gin, runs
from zengram_py.engine.index.gin import GinIndex
from zengram_py.engine.index.items import OPERATORS, items_of
from zengram_py.engine.keys import key_form
from zengram_py.engine.table import NO_SLOT
from zengram_py.errors import CatalogError, ConflictError, InvalidArgumentError, SnapshotError


@pytest.fixture(autouse=True, scope="module")
def _all_lists() -> Iterator[None]:
    """Let a condition be answered from all of its lists, however few candidates are left."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gin, "FEW", 0)
        yield


# -- the operators, as PostgreSQL defines them -------------------------------------------------------------------------


def contains(one: Any, other: Any, *, top: bool = True) -> bool:
    """Return ``one @> other`` of JSON values."""
    if isinstance(one, dict) and isinstance(other, dict):
        return all(k in one and contains(one[k], v, top=False) for k, v in other.items())
    if isinstance(one, list) and isinstance(other, list):
        return all(any(contains(a, b, top=False) for a in one) for b in other)
    if top and isinstance(one, list) and not isinstance(other, dict):
        return any(contains(a, other, top=False) for a in one)
    return not isinstance(one, (dict, list)) and (one, type(one) is bool) == (other, type(other) is bool)


def has_key(value: Any, key: str) -> bool:
    """Return ``value ? key``."""
    return key in value if isinstance(value, (dict, list)) else value == key


def flat(items: Any) -> list[Any]:
    return [part for item in items for part in (flat(item) if isinstance(item, list) else [item])]


def is_true(operator: str, value: Any, operand: Any) -> bool:
    """Return what an operator gives for a JSON value or an array."""
    match operator:
        case "json @>":
            return contains(value, json.loads(operand))
        case "?":
            return has_key(value, operand)
        case "?|":
            return any(has_key(value, key) for key in operand if key is not None)
        case "?&":
            return all(has_key(value, key) for key in operand if key is not None)
        case "=":
            return bool(value == list(operand))
    one, other = set(flat(value)), set(flat(operand))
    shared = (one & other) - {None}
    if operator == "&&":
        return bool(shared)
    return other <= shared if operator == "@>" else one <= shared


QUESTIONS: dict[str, list[tuple[str, Any]]] = {
    "doc": [
        *(
            ("@>", text)
            for text in (
                '{"a":1}',
                '{"a":1.0}',
                '{"a":{"b":[1]}}',
                '{"b":["x"]}',
                '"x"',
                "[1]",
                "1",
                "{}",
                "[]",
                '{"a":null}',
                '{"a":true,"b":"x"}',
                '{"a":{}}',
                '[["x"]]',
            )
        ),
        ("?", "a"),
        ("?", "x"),
        ("?|", ("a", None, "x")),
        ("?|", ()),
        ("?&", ("a", "b", None)),
        ("?&", ()),
    ],
    "tags": [
        (operator, operand)
        for operator in ("@>", "<@", "&&", "=")
        for operand in (("a",), ("a", "b"), ("a", None), (None,), (), ("b", "c", "a"))
    ],
}
QUESTIONS["path"] = [q for q in QUESTIONS["doc"] if q[0] == "@>"]

INDEXES = (
    IndexDef("by_doc", "gin", (["col", "doc"],)),
    IndexDef("by_path", "gin", (["col", "doc"],), options={"ops": ["jsonb_path_ops"]}),
    IndexDef("by_tags", "gin", (["col", "tags"],)),
    IndexDef("by_both", "gin", (["col", "tags"], ["col", "doc"])),
)
PLACES = {"by_doc": (("doc", "doc"),), "by_path": (("doc", "path"),), "by_tags": (("tags", "tags"),)}
PLACES["by_both"] = (("tags", "tags"), ("doc", "doc"))


def make_database(indexes: tuple[IndexDef, ...] = INDEXES) -> Database:
    db = Database.open(clock=ManualClock(1000))
    columns = [
        ColumnDef("k", INT64),
        ColumnDef("doc", JSON),
        ColumnDef("tags", array(TEXT)),
        ColumnDef("n", INT64),
    ]
    db.create_table("t", columns, primary_key=["k"], indexes=indexes)
    return db


def answers(t: Transaction, index: str, column: str, operator: str, operand: Any, key: int = 0) -> set[int]:
    """Return the keys of the candidates for which an operator is true, after a look at the candidates."""
    search = t.gin_search("t", index)
    slots, own = search.candidates(operator, operand, key)
    table = t.reader.catalog.table(("zengram", "public", "t"))
    store = t.reader.stores[table.id]
    assert (np.diff(slots) > 0).all()
    assert set(slots.tolist()) <= set(t.reader.committed_slots(table).tolist())
    estimate = search.estimate(operator, operand, key)
    assert estimate is None or estimate >= len(slots)
    rows = [values for _, values in t.reader.read_slots(store, slots)] + [values for _, values in own]
    name = f"json {operator}" if (column, operator) == ("doc", "@>") else operator
    place = {"doc": 1, "tags": 2}[column]
    found = [
        row[0]
        for row in rows
        if row[place] is not None and is_true(name, table.columns[place].type.present(row[place]), operand)
    ]
    assert len(found) == len(set(found))
    return set(found)


def check(t: Transaction) -> None:
    """Compare every question with a scan."""
    rows = list(t.scan("t"))
    names = {index.name for index in t.reader.catalog.table(("zengram", "public", "t")).indexes}
    for index, keys in PLACES.items():
        if index not in names:
            continue
        for key, (column, questions) in enumerate(keys):
            for operator, operand in QUESTIONS[questions]:
                name = f"json {operator}" if (column, operator) == ("doc", "@>") else operator
                expected = {
                    row["k"]
                    for row in rows
                    if row[column] is not None and is_true(name, row[column], operand)
                }
                assert answers(t, index, column, operator, operand, key) == expected


# -- random schedules --------------------------------------------------------------------------------------------------

scalars = st.sampled_from([None, True, False, 1, 1.0, 2, 1.5, "x", "a", "b", 10**20])
documents = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abx"), inner, max_size=3)
    ),
    max_leaves=6,
)
tags = st.one_of(st.none(), st.lists(st.sampled_from(["a", "b", "c", None]), max_size=4))
keys = st.integers(0, 6)
steps = st.one_of(
    st.tuples(st.just("put"), keys, documents, tags),
    st.tuples(st.just("put"), keys, documents, tags),
    st.tuples(st.just("retag"), keys, tags),
    st.tuples(st.just("count"), keys),
    st.tuples(st.just("delete"), keys),
    st.tuples(st.just("bulk"), documents, tags),
    st.tuples(
        st.sampled_from(
            ["commit", "rollback", "savepoint", "back", "fork", "branch", "vacuum", "restore", "past"]
        )
    ),
)


@given(st.lists(steps, max_size=25))
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_reader_finds_what_a_scan_finds(schedule: list[tuple[Any, ...]]) -> None:
    db = make_database()
    t, branch, times, number = db.begin(), "main", [db.timestamp], 100
    for step, *given_ in schedule:
        if step == "put":
            key, document, labels = given_
            if not t.update("t", key, {"doc": document, "tags": labels}):
                t.insert("t", {"k": key, "doc": document, "tags": labels, "n": 0})
        elif step == "bulk":
            document, labels = given_
            t.insert_many(
                "t",
                {
                    "k": [number, number + 1],
                    "doc": [document, {"a": 1}],
                    "tags": [labels, ["a"]],
                    "n": [0, 0],
                },
            )
            number += 2
        elif step == "retag":
            t.update("t", given_[0], {"tags": given_[1]})
        elif step == "count":
            t.update_where("t", ["=", ["col", "k"], ["lit", given_[0]]], {"n": 1})
        elif step == "delete":
            t.delete("t", given_[0])
        elif step == "savepoint":
            t.savepoint("s")
        elif step == "back":
            with suppress(Exception):
                t.rollback_to_savepoint("s")
        elif step == "past":
            check(db.begin(branch=branch, as_of=times[len(times) // 2]))
        else:
            check(t)
            if step == "rollback":
                t.rollback()
            else:
                with suppress(ConflictError):
                    t.commit()
            if step == "fork":
                branch = f"b{len(times)}"
                with suppress(Exception):
                    db.fork(branch)
            elif step == "branch":
                branch = db.branches()[-1].name
            elif step == "vacuum":
                db.vacuum()
                times = []
            elif step == "restore":
                records = db.export()
                db = Database.restore(records, clock=ManualClock(db.timestamp + 1))
                assert db.export() == records
            times.append(db.timestamp)
            t = db.begin(branch=branch)
    check(t)
    for name in [info.name for info in db.branches()]:
        check(db.begin(branch=name))


def test_a_replay_gives_the_same_answers() -> None:
    records: list[bytes] = []
    db = make_database(())
    start = db.export()
    db.on_commit = records.append
    with db.begin() as t:
        t.insert_many("t", {"k": [1, 2], "doc": [{"a": 1}, ["x"]], "tags": [["a"], None], "n": [0, 0]})
    with db.begin() as t:
        for index in INDEXES:
            t.create_index("t", index)
    with db.begin() as t:
        t.update("t", 1, {"doc": {"b": ["x"]}})
        t.delete("t", 2)
        t.insert("t", {"k": 3, "doc": {"a": {"b": [1]}}, "tags": []})
    db.vacuum()
    other = Database.restore(start)
    other.replay(records)
    check(other.begin())
    assert other.tables() == db.tables()
    assert other.export() == db.export()


# -- what is in a value ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1", "1.0"),
        ("1", "1.000"),
        ("0", "-0.0"),
        ("100", "1e2"),
        ("1e30", "1" + "0" * 30),
        ("1.50", "1.5"),
        ("1" + "0" * 5000, "1e5000"),
        ("0.10e-400", "1e-401"),
    ],
)
def test_equal_numbers_are_one_item(one: str, other: str) -> None:
    for kind in ("jsonb_ops", "jsonb_path_ops"):
        assert items_of(kind, one) == items_of(kind, other)


def test_different_things_are_different_items() -> None:
    texts = [
        "1",
        '"1"',
        "true",
        '"true"',
        "null",
        '"null"',
        '{"a":1}',
        '{"b":1}',
        '{"a":"b"}',
        '{"b":"a"}',
        "1.5",
        "10",
    ]
    for kind in ("jsonb_ops", "jsonb_path_ops"):
        found = [frozenset(items_of(kind, text)) for text in texts]
        assert len(set(found)) == len(texts)
    assert items_of("jsonb_ops", '{"a":{"b":1}}') == items_of("jsonb_ops", '{"b":{"a":1}}')
    assert items_of("jsonb_path_ops", '{"a":{"b":1}}') != items_of("jsonb_path_ops", '{"b":{"a":1}}')


def test_a_deep_document_is_taken_apart() -> None:
    deep = "[" * 450 + "1" + "]" * 450
    for kind in ("jsonb_ops", "jsonb_path_ops"):
        assert items_of(kind, deep) == items_of(kind, "[1]")


ITEMS = [
    [650323408, 1684840679, 2567854493, 3950597356, 4251316573],
    [191470771, 785795098, 3736788274],
    [2231513898, 3266171982, 3783067052, 3904355907],
    [2559934787, 2656977832],
]


def test_items_do_not_depend_on_the_process() -> None:
    # Kept in snapshots: these may never change within a format version.
    assert sorted(items_of("jsonb_ops", '{"a":[1,"x"],"b":1.5}')) == ITEMS[0]
    assert sorted(items_of("jsonb_path_ops", '{"a":[1,"x"],"b":true}')) == ITEMS[1]
    assert sorted(items_of("array_ops", key_form((1, "a", None, Decimal("1.5"))))) == ITEMS[2]
    assert sorted(items_of("tsvector_ops", key_form((("cat", (3,)), ("fat", ()))))) == ITEMS[3]


@pytest.mark.parametrize(
    ("element", "values"),
    [
        (INT64, [1, 2, -(1 << 40), None]),
        (NUMERIC, ["1.5", "1.50", "NaN", None]),
        (DATE, [0, 20_000, -5, None]),
        (INT8RANGE, [Range(1, 5), Range(None, 3), None, Range(2, 2)]),
    ],
)
def test_arrays_of_other_types(element: Any, values: list[Any]) -> None:
    db = Database.open()
    kind = array(element)
    index = IndexDef("i", "gin", (["col", "a"],))
    db.create_table("t", [ColumnDef("k", INT64), ColumnDef("a", kind)], primary_key=["k"], indexes=[index])
    rows = [[values[i], values[j]] for i in range(4) for j in range(4)] + [[], [[values[0], values[1]]]]
    with db.begin() as t:
        for k, row in enumerate(rows):
            t.insert("t", {"k": k, "a": row})
    stored = [kind.check(row) for row in rows]
    t = db.begin()
    for operand in stored:
        for operator in OPERATORS["array_ops"]:
            slots, _ = t.gin_search("t", "i").candidates(operator, operand)
            want = [key_form((v,)) for v in _leaves(operand)]
            for k, value in enumerate(stored):
                have = [key_form((v,)) for v in _leaves(value)]
                shared = [v for v in have if v in want and v != key_form((None,))]
                true = {
                    "@>": all(v in shared for v in want),
                    "<@": all(v in shared for v in have),
                    "&&": bool(shared),
                    "=": key_form(value) == key_form(operand),
                }[operator]
                assert not true or k in slots.tolist()


def _leaves(value: Any) -> list[Any]:
    plain = [v for v in value if type(v) is not tuple]
    return plain + [leaf for v in value if type(v) is tuple for leaf in _leaves(v)]


def test_documents_of_lexemes() -> None:
    db = Database.open()
    index = IndexDef("i", "gin", (["col", "d"],))
    db.create_table(
        "t", [ColumnDef("k", INT64), ColumnDef("d", TSVECTOR)], primary_key=["k"], indexes=[index]
    )
    with db.begin() as t:
        for k, words in enumerate(["cat fat", "cat", "rat", "", "fat rat"]):
            t.insert("t", {"k": k, "d": [(word, [i + 1]) for i, word in enumerate(words.split())]})
    search = db.begin().gin_search("t", "i")

    def found(tree: Any) -> list[int]:
        return search.candidates("@@", tree)[0].tolist()

    assert found("cat") == [0, 1]
    assert found(("&", ("cat", "fat"))) == [0]
    assert found(("|", ("cat", ("&", ("fat", "rat"))))) == [0, 1, 4]
    assert found(("&", ("fat", None))) == [0, 4]
    assert found(("|", ("fat", None))) == found(None) == [0, 1, 2, 3, 4]
    assert found("dog") == []
    assert search.estimate("@@", ("|", ("cat", "rat"))) == 4


# -- the structure -----------------------------------------------------------------------------------------------------


def test_runs_are_merged_in_steps_and_answer_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (runs, gin):
        monkeypatch.setattr(module, "MOVED_AT_ONCE", 100)
    monkeypatch.setattr(gin, "TAIL_LIMIT", 150)
    monkeypatch.setattr(GinIndex, "merge_at_once", 300)
    rng = np.random.default_rng(0)
    index = GinIndex(["array_ops"])
    values: dict[int, tuple[int, ...]] = {}

    def add(count: int, *, bulk: bool) -> None:
        new = [tuple(rng.integers(0, 40, int(rng.integers(0, 4))).tolist()) for _ in range(count)]
        entries = np.arange(len(values), len(values) + count, dtype=np.int32)
        values.update(zip(entries.tolist(), new, strict=True))
        if bulk:
            index.add(entries, [(value,) for value in new])
        else:
            for entry, value in zip(entries.tolist(), new, strict=True):
                index.add_one(entry, (value,))

    def look() -> None:
        for item in range(0, 40, 3):
            assert index.search(("@>", (item,))).tolist() == [e for e, v in values.items() if item in v]
        assert index.search(("=", ())).tolist() == [e for e, v in values.items() if not v]
        restored = GinIndex(["array_ops"])
        restored.load(index.save())
        assert restored.search(("&&", (1, 2))).tolist() == index.search(("&&", (1, 2))).tolist()

    add(300, bulk=True)
    add(300, bulk=True)
    add(40, bulk=False)
    assert index.is_untidy
    count = 0
    while index.is_untidy:
        before = index.work
        index.maintain(0)
        assert index.work - before <= 500
        count += 1
        look()
        if count == 2:
            add(260, bulk=True)  # in the middle of a merge
    assert count > 4
    add(300, bulk=True)
    index.maintain(0)
    # A vacuum gives what is merged up: a third goes, the rest moves together.
    keep = np.arange(len(values)) % 3 > 0
    places = np.where(keep, np.cumsum(keep) - 1, -1).astype(np.int32)
    kept = [value for entry, value in values.items() if keep[entry]]
    values = dict(enumerate(kept))
    index.remap(places)
    look()
    index.finish()
    look()
    index.remove(np.array([e for e, v in values.items() if 3 in v], np.int32))
    assert index.search(("@>", (3,))).tolist() == []


def test_selective_questions_read_short_lists_first() -> None:
    index = GinIndex(["array_ops"])
    index.add(np.arange(9000, dtype=np.int32), [((1, n % 3000, -7),) for n in range(9000)])
    assert index.search(("@>", (1, 42, -7))).tolist() == [42, 3042, 6042]
    assert index.count(index.condition("@>", (1, 42))) == 3
    assert index.count(index.condition("&&", (1, 42))) == 9003


# -- refusals ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "index",
    [
        IndexDef("i", "gin", (["col", "n"],)),
        IndexDef("i", "gin", (["col", "doc"],), unique=True),
        IndexDef("i", "gin", (["col", "doc"],), options={"ops": ["array_ops"]}),
        IndexDef("i", "gin", (["col", "doc"],), options={"ops": ["nope"]}),
        IndexDef("i", "gin", (["col", "doc"],), options={"ops": []}),
        IndexDef("i", "gin", (["col", "doc"],), options={"m": 3}),
        IndexDef("i", "gin", (["col", "tags"],), options={"ops": ["jsonb_path_ops"]}),
        IndexDef("i", "gin", (["lower", ["col", "k"]],)),
    ],
)
def test_refused_definitions(index: IndexDef) -> None:
    with pytest.raises(CatalogError):
        make_database((index,))


def test_refused_questions() -> None:
    t = make_database().begin()
    for index, operator in (("by_doc", "&&"), ("by_path", "?"), ("by_tags", "?"), ("by_tags", "nope")):
        with pytest.raises(InvalidArgumentError):
            t.gin_search("t", index).candidates(operator, ())
    with pytest.raises(InvalidArgumentError):
        t.gin_search("t", "by_doc").candidates("?", "a", 1)
    with pytest.raises(CatalogError):
        t.gin_search("t", "t_pkey")


def test_another_type_builds_the_index_anew() -> None:
    db = make_database((INDEXES[2],))
    with db.begin() as t:
        t.insert("t", {"k": 1, "tags": ["a", "b"]})
    with db.begin() as t:
        t.alter_type("t", "tags", array(TEXT), using=["coalesce", ["col", "tags"], ["lit", []]])
    assert answers(db.begin(), "by_tags", "tags", "@>", ("a",)) == {1}
    with pytest.raises(CatalogError), db.begin() as t:
        t.alter_type("t", "tags", TEXT)


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("items0", lambda a: a[::-1]),
        ("items0", lambda a: a.astype(np.uint64)),
        ("starts0", lambda a: a[:-1]),
        ("starts0", lambda a: a * 2),
        ("entries0", lambda a: a + 1000),
        ("entries0", lambda a: a[:0]),
        ("entries0", None),
    ],
)
def test_a_forged_snapshot_is_an_error_of_its_section(part: str, change: Any) -> None:
    from zengram_py.engine import container

    db = make_database((INDEXES[0],))
    with db.begin() as t:
        t.insert("t", {"k": 1, "doc": {"a": [1, "x"]}})
    found = container.read(db.export())
    place = next(name for name in found.sections if name.endswith("items0")).removesuffix("items0")
    table = place + part
    if change is None:
        del found.sections[table]
    else:
        found.sections[table] = change(found.sections[table])
    with pytest.raises(SnapshotError):
        Database.restore(container.write(found))


def test_slots_that_a_transaction_changed_are_its_own_rows() -> None:
    db = make_database()
    with db.begin() as t:
        t.insert("t", {"k": 1, "doc": {"a": 1}})
        t.insert("t", {"k": 2, "doc": {"a": 1}})
    t = db.begin()
    t.update("t", 1, {"doc": {"b": 1}})
    slots, own = t.gin_search("t", "by_doc").candidates("@>", '{"a":1}')
    assert slots.tolist() == [1]
    assert [values[0] for _, values in own] == [1]
    assert NO_SLOT not in slots
