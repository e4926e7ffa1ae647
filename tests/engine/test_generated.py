"""Generated columns: they follow what they are computed from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from zengram_py.clock import ManualClock
from zengram_py.engine import INT64, TEXT, CheckDef, ColumnDef, Database, ForeignKey, IndexDef
from zengram_py.errors import (
    CatalogError,
    CheckError,
    InvalidArgumentError,
    NotNullError,
    TypeMismatchError,
    UniqueError,
)

SUM = ["+", ["col", "a"], ["col", "b"]]


def make_database(**more: Any) -> Database:
    db = Database.open(clock=ManualClock(1000))
    columns = [
        ColumnDef("k", INT64),
        ColumnDef("a", INT64, default=["lit", 1]),
        ColumnDef("b", INT64, merge="sum"),
        ColumnDef("s", INT64, generated=SUM),
        ColumnDef("low", TEXT, generated=["lower", ["col", "name"]]),
        ColumnDef("name", TEXT),
    ]
    db.create_table("t", columns, primary_key=["k"], **more)
    return db


def sums(db: Database, branch: str = "main") -> list[tuple[int, int | None, str | None]]:
    return sorted((r["k"], r["s"], r["low"]) for r in db.begin(branch=branch).scan("t"))


def test_they_are_computed_when_rows_are_written() -> None:
    db = make_database()
    with db.begin() as t:
        assert t.insert("t", {"k": 1, "b": 2, "name": "Ab"})["s"] == 3
        assert t.insert("t", {"k": 2, "a": 5}) == {
            "k": 2,
            "a": 5,
            "b": None,
            "s": None,
            "low": None,
            "name": None,
        }
        t.insert_many("t", {"k": [3, 4], "a": np.array([1, 2]), "b": [10, None], "name": ["X", None]})
    assert sums(db) == [(1, 3, "ab"), (2, None, None), (3, 11, "x"), (4, None, None)]
    with db.begin() as t:
        t.update("t", 1, {"b": 7})
        t.update("t", 2, {"name": "Q"})
        t.update_where("t", [">", ["col", "k"], ["lit", 2]], {"b": {"expr": ["*", ["col", "k"], ["lit", 2]]}})
        assert t.get("t", 1) == {"k": 1, "a": 1, "b": 7, "s": 8, "low": "ab", "name": "Ab"}
        t.update("t", 1, {"a": 0})
    assert sums(db) == [(1, 7, "ab"), (2, None, "q"), (3, 7, "x"), (4, 10, None)]
    assert sums(Database.restore(db.export())) == sums(db)


def test_nobody_sets_them() -> None:
    db = make_database()
    t = db.begin()
    for write in (
        lambda: t.insert("t", {"k": 1, "s": 5}),
        lambda: t.insert_many("t", {"k": [1], "s": [5]}),
        lambda: t.update_where("t", None, {"s": 5}),
    ):
        with pytest.raises(InvalidArgumentError, match="generated always"):
            write()


def test_constraints_look_at_them() -> None:
    index = IndexDef("by_s", "hash", (["col", "s"],), unique=True)
    db = make_database(checks=[CheckDef("small", ["<", ["col", "s"], ["lit", 100]])], indexes=[index])
    with db.begin() as t:
        t.insert("t", {"k": 1, "b": 5})
        t.insert("t", {"k": 2, "b": 6})
        with pytest.raises(UniqueError):
            t.insert("t", {"k": 3, "b": 5})
        with pytest.raises(UniqueError):
            t.update("t", 2, {"b": 5})
        with pytest.raises(UniqueError):
            t.update_where("t", None, {"b": 7})
        with pytest.raises(CheckError):
            t.insert_many("t", {"k": [8], "b": [1000]})
        with pytest.raises(CheckError):
            t.update("t", 1, {"a": 99})
        t.alter_column("t", "s", nullable=False)
        with pytest.raises(NotNullError):
            t.insert("t", {"k": 9})
        assert [r["k"] for r in t.lookup("t", "by_s", 7)] == [2]


def test_foreign_keys_that_set_null_change_them_too() -> None:
    db = Database.open()
    db.create_table("p", [ColumnDef("id", INT64)], primary_key=["id"])
    columns = [
        ColumnDef("p", INT64),
        ColumnDef("has", INT64, generated=["coalesce", ["col", "p"], ["lit", -1]]),
    ]
    db.create_table(
        "c", columns, foreign_keys=[ForeignKey(["p"], "p", on_delete="set_null", on_update="cascade")]
    )
    with db.begin() as t:
        t.insert_many("p", {"id": [1, 2]})
        t.insert_many("c", {"p": [1, 2]})
    with db.begin() as t:
        t.delete("p", 1)
        t.update("p", 2, {"id": 5})
    assert [(r["p"], r["has"]) for r in db.begin().scan("c")] == [(None, -1), (5, 5)]


def test_a_new_one_is_computed_for_the_rows_that_are_there() -> None:
    db = make_database()
    records: list[bytes] = []
    start = db.export()
    db.on_commit = records.append
    with db.begin() as t:
        t.insert_many("t", {"k": [1, 2], "b": [1, 2]})
    db.fork("side")
    with db.begin() as t:
        t.insert("t", {"k": 3, "b": 3})
        t.add_column("t", ColumnDef("twice", INT64, generated=["*", ["col", "b"], ["lit", 2]]))
        t.insert("t", {"k": 4, "b": 4})
    with db.begin(branch="side") as t:
        t.insert("t", {"k": 5, "b": 5})
        t.update("t", 2, {"b": 10})
    assert db.merge("side").applied
    expected = [(1, 2), (2, 20), (3, 6), (4, 8), (5, 10)]
    assert sorted((r["k"], r["twice"]) for r in db.begin().scan("t")) == expected
    other = Database.restore(start)
    other.replay(records)
    assert sorted((r["k"], r["twice"]) for r in other.begin().scan("t")) == expected


def test_a_merge_computes_them_anew() -> None:
    db = make_database()
    with db.begin() as t:
        t.insert("t", {"k": 1, "b": 10, "name": "x"})
    db.fork("side")
    with db.begin() as t:
        t.update("t", 1, {"b": 15})
    with db.begin(branch="side") as t:
        t.update("t", 1, {"b": 12, "a": 2})
    assert db.merge("side").applied
    assert db.begin().get("t", 1) == {"k": 1, "a": 2, "b": 17, "s": 19, "low": "x", "name": "x"}


def test_what_they_read_keeps_its_place() -> None:
    db = make_database()
    with db.begin() as t:
        t.insert("t", {"k": 1, "b": 2})
        t.rename_column("t", "b", "c")
        t.update("t", 1, {"c": 5})
        assert t.get("t", 1)["s"] == 6
        for change in (lambda: t.drop_column("t", "c"), lambda: t.alter_type("t", "c", TEXT)):
            with pytest.raises(CatalogError, match="generated column 's' reads column 'c'"):
                change()
        t.alter_type("t", "s", TEXT, using=["lit", "?"])
        t.drop_column("t", "s")
        t.drop_column("t", "c")


@pytest.mark.parametrize(
    "column",
    [
        ColumnDef("g", INT64, generated=["+", ["col", "s"], ["lit", 1]]),
        ColumnDef("g", INT64, generated=["col", "nope"]),
        ColumnDef("g", INT64, generated=["col", "a"], default=["lit", 1]),
        ColumnDef("g", INT64, generated=["col", "a"], identity="always"),
        ColumnDef("g", INT64, generated=["col", "a"], merge="sum"),
        ColumnDef("g", INT64, generated=["nope", ["col", "a"]]),
        ColumnDef("g", INT64, generated={"text": "a + 1"}),
    ],
)
def test_refused_definitions(column: ColumnDef) -> None:
    db = make_database()
    with pytest.raises(CatalogError), db.begin() as t:
        t.add_column("t", column)


def test_a_value_that_the_column_does_not_take() -> None:
    db = make_database()
    with db.begin() as t:
        t.add_column("t", ColumnDef("g", INT64, generated=["col", "name"]))
        t.insert("t", {"k": 1})
        with pytest.raises(TypeMismatchError):
            t.insert("t", {"k": 2, "name": "x"})
