"""Other names for tables, indexes, constraints, sequences, types; primary keys that come and go."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from zengram_py.clock import ManualClock
from zengram_py.engine import (
    INT64,
    TEXT,
    CheckDef,
    ColumnDef,
    Database,
    ForeignKey,
    IndexDef,
    Transaction,
    array,
)
from zengram_py.errors import CatalogError, CheckError, ForeignKeyError, NotNullError, UniqueError


@pytest.fixture
def db() -> Database:
    db = Database.open(clock=ManualClock(1000))
    with db.begin() as t:
        t.create_object("schema", ("zengram", "-", "w"))
        mood = t.create_enum("mood", ["sad", "ok"])
        t.create_table(
            "p", [ColumnDef("id", INT64, identity="default"), ColumnDef("m", mood)], primary_key=["id"]
        )
        t.create_table(
            "c",
            [ColumnDef("p", INT64, default=["lit", 1]), ColumnDef("ms", array(mood)), ColumnDef("x", TEXT)],
            indexes=[IndexDef("by_x", "ordered", (["col", "x"],), unique=True)],
            checks=[CheckDef("short", ["<", ["length", ["col", "x"]], ["lit", 5]])],
            foreign_keys=[
                ForeignKey(["p"], "p", name="c_p_fkey", on_delete="set_default", on_update="set_default")
            ],
        )
        t.create_object("view", "v", {"query": "select 1"})
        t.insert_many("p", {"m": ["sad", "ok", "ok"]})
        t.insert("c", {"p": 2, "ms": ["ok", None], "x": "a"})
    return db


def test_names_change_and_what_refers_follows(db: Database) -> None:
    records: list[bytes] = []
    start = db.export()
    db.on_commit = records.append
    with db.begin() as t:
        t.rename_object("enum", "mood", "feeling")
        t.rename_object("sequence", "p_id_seq", "numbers")
        t.rename_object("view", "v", "u")
        t.rename_index("c", "by_x", "by_name")
        t.rename_constraint("c", "short", "brief")
        t.rename_constraint("c", "c_p_fkey", "refers")
        t.rename_constraint("p", "p_pkey", "the_key")
        t.rename_table("p", "q")
    with db.begin() as t:
        t.add_enum_label("feeling", "new")
        t.insert("q", {"m": "new"})
        t.set_schema("table", "q", "w")
        t.set_schema("enum", "feeling", "w")
        t.set_schema("view", "u", "w")
    replayed = Database.restore(start)
    replayed.replay(records)
    for other in (db, replayed, Database.restore(db.export())):
        with other.begin() as t:
            assert [(r["id"], r["m"]) for r in t.scan("w.q")] == [
                (1, "sad"),
                (2, "ok"),
                (3, "ok"),
                (4, "new"),
            ]
            assert t.insert("w.q", {})["id"] == 5
            assert t.nextval("w.numbers") == 6
            assert [i.name for i in t.reader.catalog.table("c").indexes] == ["by_name", "c_p_fkey_idx"]
            with pytest.raises(UniqueError, match="by_name"):
                t.insert("c", {"x": "a"})
            with pytest.raises(CheckError, match="brief"):
                t.insert("c", {"x": "longer"})
            with pytest.raises(ForeignKeyError, match="refers"):
                t.insert("c", {"p": 99})
            with pytest.raises(UniqueError, match="primary key"):
                t.insert("w.q", {"id": 1})
            assert t.create_enum("mood", ["x"]).labels
            assert t.reader.catalog.find("view", "w.u") is not None
            assert next(t.scan("c"))["ms"] == ["ok", None]
            t.rollback()


def test_a_label_gets_another_text(db: Database) -> None:
    records: list[bytes] = []
    start = db.export()
    db.on_commit = records.append
    with db.begin() as t:
        t.rename_enum_label("mood", "ok", "fine")
        t.add_enum_label("mood", "ok", after="fine")
        t.insert("p", {"m": "ok"})
        t.insert("c", {"ms": ["fine", "ok"]})
        for old, new in (("nope", "x"), ("fine", "sad")):
            with pytest.raises(CatalogError):
                t.rename_enum_label("mood", old, new)
    replayed = Database.restore(start)
    replayed.replay(records)
    for other in (db, replayed, Database.restore(db.export())):
        assert [r["m"] for r in other.begin().scan("p")] == ["sad", "fine", "fine", "ok"]
        assert [r["ms"] for r in other.begin().scan("c")] == [["fine", None], ["fine", "ok"]]


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.rename_table("p", "c"),
        lambda t: t.rename_table("p", "v"),
        lambda t: t.rename_table("p", "p_id_seq"),
        lambda t: t.rename_object("sequence", "nope", "x"),
        lambda t: t.rename_object("view", "p", "x"),
        lambda t: t.rename_index("c", "nope", "x"),
        lambda t: t.rename_index("c", "by_x", "c_p_fkey_idx"),
        lambda t: t.rename_constraint("c", "short", "c_p_fkey"),
        lambda t: t.rename_constraint("c", "nope", "x"),
        lambda t: (t.create_table("w.p", [ColumnDef("a", INT64)]), t.set_schema("table", "p", "w")),
        lambda t: t.add_primary_key("p", ["m"]),
        lambda t: t.add_primary_key("c", ["nope"]),
        lambda t: t.drop_primary_key("c"),
        lambda t: t.drop_primary_key("p"),
    ],
)
def test_refusals(db: Database, change: Callable[[Transaction], object]) -> None:
    with pytest.raises(CatalogError), db.begin() as t:
        change(t)


def test_a_primary_key_for_a_table_that_is_there(db: Database) -> None:
    with db.begin() as t:
        t.insert("c", {"p": 1})
        with pytest.raises(NotNullError):
            t.add_primary_key("c", ["x"])
        t.delete_where("c", ["is_null", ["col", "x"]])
        t.insert("c", {"p": 2, "x": "b"})
        with pytest.raises(UniqueError):
            t.add_primary_key("c", ["p"])
        t.add_primary_key("c", ["p", "x"], "the_key")
    assert db.begin().get("c", (2, "b"))["p"] == 2  # type: ignore[index]
    with db.begin() as t:
        with pytest.raises(UniqueError, match="primary key"):
            t.insert("c", {"p": 2, "x": "b"})
        with pytest.raises(NotNullError):
            t.insert("c", {"p": None, "x": "q"})
    other = Database.restore(db.export())
    assert other.begin().get("c", (2, "a"))["ms"] == ["ok", None]  # type: ignore[index]
    with other.begin() as t:
        t.drop_primary_key("c")
        t.insert("c", {"p": 2, "x": "q"})
        with pytest.raises(NotNullError):
            t.insert("c", {"p": None, "x": "r"})
        t.drop_constraint("c", "c_p_fkey")
        t.drop_primary_key("p")
        t.add_primary_key("p", ["id"])


def test_what_is_let_go_takes_its_default(db: Database) -> None:
    with db.begin() as t:
        t.delete("p", 2)
        assert next(t.scan("c"))["p"] == 1
        with pytest.raises(ForeignKeyError):
            t.delete("p", 1)
        t.update_where("c", None, {"p": 3})
        t.update("p", 3, {"id": 30})
        assert next(t.scan("c"))["p"] == 1
