"""Partial indexes, which hold some rows, and unique ones for which null is a value like any other."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zengram_py.clock import ManualClock
from zengram_py.engine import BOOLEAN, INT64, TEXT, ColumnDef, Database, IndexDef, Transaction, vector
from zengram_py.engine.index.ordered import KeyRange
from zengram_py.errors import CatalogError, ConflictError, UniqueError

ACTIVE = ["=", ["col", "active"], ["lit", True]]
BY_NAME = IndexDef("by_name", "hash", (["col", "name"],), unique=True, where=ACTIVE)
BY_N = IndexDef("by_n", "ordered", (["col", "n"],), where=[">", ["col", "n"], ["lit", 2]])
WORDS = IndexDef("words", "fulltext", (["col", "name"],), options={"language": "simple"}, where=ACTIVE)
PAIR = IndexDef("pair", "hash", (["col", "name"], ["col", "n"]), unique=True, nulls_distinct=False)


def make_database(*indexes: IndexDef) -> Database:
    db = Database.open(clock=ManualClock(1000))
    columns = [
        ColumnDef("k", INT64),
        ColumnDef("name", TEXT),
        ColumnDef("active", BOOLEAN),
        ColumnDef("n", INT64),
        ColumnDef("other", INT64),
    ]
    db.create_table("t", columns, primary_key=["k"], indexes=indexes)
    return db


def row(k: int, name: str | None = None, active: bool | None = True, n: int | None = None) -> dict[str, Any]:
    return {"k": k, "name": name, "active": active, "n": n}


def test_a_unique_index_concerns_the_rows_that_it_holds() -> None:
    db = make_database(BY_NAME)
    with db.begin() as t:
        for one in (
            row(1, "a"),
            row(2, "a", False),
            row(3, "a", None),
            row(4, "b"),
            row(5, None),
            row(6, None),
        ):
            t.insert("t", one)
        for bad in (row(7, "a"), row(7, "b")):
            with pytest.raises(UniqueError, match="by_name"):
                t.insert("t", bad)
        with pytest.raises(UniqueError):
            t.update("t", 2, {"active": True})
        assert t.update("t", 1, {"active": False})
        assert t.update("t", 2, {"active": True})
        with pytest.raises(UniqueError):
            t.update_where("t", ["=", ["col", "name"], ["lit", "a"]], {"active": True})
    t = db.begin()
    assert [r["k"] for r in t.lookup("t", "by_name", "a")] == [2]
    assert t.update("t", 2, {"other": 5})
    assert [r["k"] for r in t.lookup("t", "by_name", "a")] == [2]
    assert t.update("t", 2, {"active": False})
    assert t.lookup("t", "by_name", "a") == []


def test_many_rows_at_once() -> None:
    db = make_database(BY_NAME, IndexDef("by_n", "hash", (["col", "n"],), unique=True, where=ACTIVE))
    columns: dict[str, list[Any]] = {
        "k": [1, 2, 3],
        "name": ["a", "a", None],
        "active": [True, False, True],
        "n": [1, 1, 2],
    }
    with db.begin() as t:
        assert t.insert_many("t", columns) == 3
        with pytest.raises(UniqueError):
            t.insert_many(
                "t", {**columns, "k": [4, 5, 6], "name": ["x", "y", "z"], "active": [False, False, True]}
            )
        with pytest.raises(UniqueError):
            t.insert_many("t", {"k": [4, 5], "name": ["q", "q"], "active": [True, True], "n": [7, 8]})
        assert (
            t.insert_many("t", {"k": [4, 5], "name": ["a", "a"], "active": [False, None], "n": [1, 1]}) == 2
        )


def test_two_transactions_meet_in_a_partial_index() -> None:
    db = make_database(BY_NAME)
    one, two, three = db.begin(), db.begin(), db.begin()
    one.insert("t", row(1, "a"))
    two.insert("t", row(2, "a"))
    three.insert("t", row(3, "a", False))
    one.commit()
    three.commit()
    with pytest.raises(UniqueError):
        two.commit()


def test_creating_one_looks_at_the_rows_that_it_holds() -> None:
    db = make_database()
    with db.begin() as t:
        t.insert("t", row(1, "a", False))
        t.insert("t", row(2, "a", False))
        t.insert("t", row(3, "a"))
    with db.begin() as t:
        t.create_index("t", BY_NAME)
    with db.begin() as t:
        t.drop_index("t", "by_name")
        t.update("t", 1, {"active": True})
        with pytest.raises(UniqueError):
            t.create_index("t", BY_NAME)


def test_a_range_of_a_partial_index() -> None:
    db = make_database(BY_N)
    with db.begin() as t:
        for k, n in enumerate([1, 5, None, 3, 2, 9]):
            t.insert("t", row(k, n=n))
    t = db.begin()
    assert [r["n"] for r in t.range("t", "by_n")] == [3, 5, 9]
    t.insert("t", row(10, n=4))
    t.insert("t", row(11, n=0))
    t.update("t", 1, {"n": 2})
    assert [r["n"] for r in t.range("t", "by_n")] == [3, 4, 9]
    assert [r["n"] for r in t.range("t", "by_n", low=4, descending=True)] == [9, 4]


def test_words_of_the_rows_that_an_index_holds() -> None:
    db = make_database(WORDS)
    with db.begin() as t:
        for one in (row(1, "tea cup"), row(2, "tea", False), row(3, "cup")):
            t.insert("t", one)

    def found(t: Transaction, question: str) -> list[int]:
        table = t.reader.catalog.table(("zengram", "public", "t"))
        return [
            t.reader.values_of(table, n)[0] for n in t.text_search("t", "words").rank(question).rows.tolist()
        ]

    t = db.begin()
    assert found(t, "tea") == [1]
    t.update("t", 2, {"active": True})
    t.update("t", 1, {"active": False})
    assert found(t, "tea") == [2]
    t.commit()
    assert found(Database.restore(db.export()).begin(), "tea") == [2]
    with db.begin() as t:
        t.drop_index("t", "words")
        t.create_index("t", WORDS, build="deferred")
    assert sorted(found(db.begin(), "tea cup")) == [2, 3]


def test_vectors_of_all_rows_are_found() -> None:
    db = Database.open()
    near = IndexDef("near", "hnsw", (["col", "v"],), where=["is_null", ["col", "k"]])
    db.create_table("t", [ColumnDef("k", INT64), ColumnDef("v", vector(2))], indexes=[near])
    with db.begin() as t:
        t.insert_many("t", {"k": [1, None], "v": [[1, 0], [0, 1]]})
    assert len(db.begin().vector_search("t", "near").nearest([1, 0], 5).rows) == 2


def test_nulls_that_are_not_distinct() -> None:
    db = make_database(PAIR)
    with db.begin() as t:
        t.insert("t", row(1, "a", n=None))
        t.insert("t", row(2, "a", n=1))
        t.insert("t", row(3, None, n=None))
        for bad in (row(4, "a", n=None), row(4, None, n=None), row(4, "a", n=1)):
            with pytest.raises(UniqueError, match=r"null|1\)"):
                t.insert("t", bad)
        with pytest.raises(UniqueError):
            t.insert_many("t", {"k": [8, 9], "name": [None, None], "n": [5, 5]})
        t.insert_many("t", {"k": [8, 9], "name": [None, None], "n": [5, 6]})
    with db.begin() as t:
        with pytest.raises(UniqueError):
            t.update("t", 2, {"n": None})
        t.delete("t", 1)
        assert t.update("t", 2, {"n": None})
        assert [r["k"] for r in t.lookup("t", "pair", "a", None)] == []  # nothing equals null
    plain = make_database()
    with plain.begin() as t:
        t.insert("t", row(1))
        t.insert("t", row(2))
        with pytest.raises(UniqueError):
            t.create_index("t", IndexDef("u", "ordered", (["col", "n"],), unique=True, nulls_distinct=False))


def test_what_a_condition_reads_is_kept_with_it() -> None:
    db = make_database(BY_NAME)
    with db.begin() as t:
        t.rename_column("t", "active", "is_active")
        t.insert("t", {"k": 1, "name": "a", "is_active": True})
        with pytest.raises(UniqueError):
            t.insert("t", {"k": 2, "name": "a", "is_active": True})
    index = next(t for t in db.tables()).indexes[1]
    assert index.where == ["=", ["col", "is_active"], ["lit", True]]
    with db.begin() as t:
        t.alter_type("t", "is_active", TEXT, using=["coalesce", ["lit", "yes"]])
    with db.begin() as t:
        t.drop_column("t", "is_active")
        assert [i.name for i in t.reader.catalog.table("t").indexes] == ["t_pkey"]
    with pytest.raises(CatalogError), db.begin() as t:
        t.create_index("t", IndexDef("x", "hash", (["col", "n"],), where=["col", "nope"]))


def test_foreign_keys_need_an_index_of_all_rows() -> None:
    from zengram_py.engine import ForeignKey

    db = make_database(BY_NAME)
    with pytest.raises(CatalogError, match="no unique key"):
        db.create_table("c", [ColumnDef("name", TEXT)], foreign_keys=[ForeignKey(["name"], "t", ["name"])])


# -- random schedules --------------------------------------------------------------------------------------------------

rows_ = st.tuples(
    st.integers(0, 5),
    st.sampled_from(["a", "b", None]),
    st.sampled_from([True, False, None]),
    st.integers(0, 4),
)
steps = st.one_of(
    st.tuples(st.just("put"), rows_),
    st.tuples(st.just("put"), rows_),
    st.tuples(st.just("delete"), st.integers(0, 5)),
    st.tuples(st.just("many"), rows_),
    st.tuples(st.sampled_from(["commit", "rollback", "fork", "branch", "vacuum", "restore", "replay"])),
)


def check(t: Transaction) -> None:
    rows = list(t.scan("t"))
    for name in ("a", "b"):
        expected = sorted(r["k"] for r in rows if r["name"] == name and r["active"])
        assert sorted(r["k"] for r in t.lookup("t", "by_name", name)) == expected
    ranged = sorted((r["n"], r["k"]) for r in rows if r["n"] is not None and r["n"] > 2)
    assert sorted((r["n"], r["k"]) for r in t.range("t", "by_n")) == ranged
    table = t.reader.catalog.table(("zengram", "public", "t"))
    found = t.reader.rows_in_range(table, table.index("by_n"), KeyRange(descending=True))
    assert [values[3] for _, values in found] == [n for n, _ in reversed(ranged)]
    kept = [(r["name"], r["n"]) for r in rows]
    assert len(set(kept)) == len(kept)


@given(st.lists(steps, max_size=30))
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_partial_index_holds_just_its_rows(schedule: list[tuple[Any, ...]]) -> None:
    db = make_database(BY_NAME, BY_N, PAIR)
    start, records = db.export(), []
    db.on_commit = records.append
    t, branch, number = db.begin(), "main", 100
    for step, *given_ in schedule:
        if step == "put":
            k, name, active, n = given_[0]
            values = {"name": name, "active": active, "n": n if n else None}
            taken = [
                r
                for r in t.scan("t")
                if r["k"] != k
                and (
                    (r["name"], r["n"]) == (name, values["n"])
                    or (active and r["active"] and name is not None and r["name"] == name)
                )
            ]
            try:
                if not t.update("t", k, values):
                    t.insert("t", {"k": k, **values})
                assert not taken
            except UniqueError:
                assert taken
        elif step == "many":
            _, name, active, n = given_[0]
            with suppress(UniqueError):
                t.insert_many(
                    "t",
                    {"k": [number, number + 1], "name": [name, "c"], "active": [active, False], "n": [n, n]},
                )
            number += 2
        elif step == "delete":
            t.delete("t", given_[0])
        else:
            check(t)
            if step == "rollback":
                t.rollback()
            else:
                with suppress(ConflictError):
                    t.commit()
            if step == "fork":
                branch = f"b{number}"
                number += 1
                db.fork(branch)
            elif step == "branch":
                branch = db.branches()[0].name
            elif step == "vacuum":
                db.vacuum()
            elif step == "replay":
                other = Database.restore(start)
                other.replay(records)
                for info in db.branches():
                    check(other.begin(branch=info.name))
                    assert list(other.begin(branch=info.name).scan("t")) == list(
                        db.begin(branch=info.name).scan("t")
                    )
            elif step == "restore":
                db = Database.restore(db.export(), clock=ManualClock(db.timestamp + 1))
                start, records = db.export(), []
                db.on_commit = records.append
            t = db.begin(branch=branch)
    check(t)
