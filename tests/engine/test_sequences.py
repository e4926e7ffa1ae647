"""Sequences that begin anew, belong to columns, and change; identity columns."""

from __future__ import annotations

from typing import Any

import pytest

from zengram_py.clock import ManualClock
from zengram_py.engine import INT16, INT64, TEXT, ColumnDef, Database
from zengram_py.errors import CatalogError, SequenceError


@pytest.fixture
def db() -> Database:
    db = Database.open(clock=ManualClock(1000))
    columns = [ColumnDef("id", INT64, identity="default"), ColumnDef("x", TEXT)]
    db.create_table("t", columns, primary_key=["id"])
    return db


def ids(db: Database, branch: str = "main") -> list[int]:
    return [r["id"] for r in db.begin(branch=branch).scan("t")]


def names(db: Database) -> list[str]:
    catalog = db.begin().reader.catalog
    return sorted(d.name[2] for d in catalog.by_id.values() if d.kind == "sequence")


def test_a_restart_is_undone_with_its_transaction(db: Database) -> None:
    with db.begin() as t:
        t.insert_many("t", {"x": ["a", "b"]})
    t = db.begin()
    t.delete_where("t", None)
    t.restart_identities("t")
    assert t.insert("t", {"x": "c"})["id"] == 1
    t.rollback()
    with db.begin() as t:
        assert t.insert("t", {"x": "d"})["id"] == 3
        t.savepoint("s")
        t.alter_sequence("t_id_seq", restart=50)
        assert t.insert("t", {"x": "e"})["id"] == 50
        t.rollback_to_savepoint("s")
        assert t.insert("t", {"x": "f"})["id"] == 4
    assert ids(db) == [1, 2, 3, 4]


def test_a_restart_is_kept(db: Database) -> None:
    records: list[bytes] = []
    start = db.export()
    db.on_commit = records.append
    with db.begin() as t:
        t.insert("t", {"x": "a"})
        t.alter_sequence("t_id_seq", restart=10)
    with db.begin() as t:
        t.insert("t", {"x": "b"})
        t.alter_sequence("t_id_seq", restart=20, increment=5)
    replayed = Database.restore(start)
    replayed.replay(records)
    for other in (db, replayed, Database.restore(db.export())):
        with other.begin() as t:
            assert t.insert("t", {"x": "c"})["id"] == 20
            assert t.insert("t", {"x": "d"})["id"] == 25
    assert ids(db) == ids(replayed) == [1, 10, 20, 25]


def test_a_branch_restarts_for_itself(db: Database) -> None:
    with db.begin() as t:
        t.insert("t", {"x": "a"})
    db.fork("side")
    with db.begin(branch="side") as t:
        t.alter_sequence("t_id_seq", restart=100)
        t.insert("t", {"x": "b"})
    with db.begin() as t:
        t.insert("t", {"x": "c"})
    assert (ids(db), ids(db, "side")) == ([1, 2], [1, 100])
    assert db.merge("side").applied
    with db.begin() as t:
        assert t.insert("t", {"x": "d"})["id"] == 101


def test_settings(db: Database) -> None:
    with db.begin() as t:
        t.create_sequence("s", start=5, increment=-2, least=1, most=5)
        assert [t.nextval("s") for _ in range(3)] == [5, 3, 1]
        with pytest.raises(SequenceError):
            t.nextval("s")
        t.alter_sequence("s", cycle=True, most=9, start=9)
        assert t.nextval("s") == 9
        t.alter_sequence("s", restart=None)
        assert t.nextval("s") == 9
        for settings in ({"increment": 0}, {"least": 20}, {"start": 10}, {"restart": 10}, {"most": 1 << 63}):
            with pytest.raises(CatalogError):
                t.alter_sequence("s", **settings)  # type: ignore[arg-type]
        assert t.nextval("s") == 7


def test_a_sequence_goes_with_its_column(db: Database) -> None:
    with db.begin() as t:
        t.add_column("t", ColumnDef("n", INT64))
        t.create_sequence("own", owner=("t", "n"))
        t.create_sequence("other", owner=("t", "x"))
        t.create_sequence("free", owner=("t", "x"))
        t.alter_sequence("free", owner=None)
    assert names(Database.restore(db.export())) == ["free", "other", "own", "t_id_seq"]
    with db.begin() as t:
        t.drop_column("t", "n")
    assert names(db) == ["free", "other", "t_id_seq"]
    with db.begin() as t:
        t.drop_table("t")
    assert names(db) == ["free"]


def test_all_that_belongs_to_a_table_begins_anew(db: Database) -> None:
    with db.begin() as t:
        t.create_sequence("own", start=7, owner=("t", "x"))
        t.create_sequence("free")
        t.insert("t", {"x": "a"})
        assert [t.nextval("own"), t.nextval("free")] == [7, 1]
        t.restart_identities("t")
        assert [t.nextval("own"), t.nextval("free")] == [7, 2]
        t.delete_where("t", None)
        assert t.insert("t", {"x": "a"})["id"] == 1


def test_identity_columns() -> None:
    db = Database.open()
    columns = [ColumnDef("id", INT16, identity="always"), ColumnDef("n", INT64), ColumnDef("m", INT16)]
    settings: dict[str, Any] = {"id": {"start": 10, "increment": -5, "most": 100}}
    db.create_table("t", columns, sequences=settings)
    with db.begin() as t:
        assert [t.insert("t", {})["id"] for _ in range(2)] == [10, 5]
        t.alter_identity("t", "id", "default", restart=20, increment=7)
        assert [t.insert("t", {})["id"] for _ in range(2)] == [20, 27]
        assert t.insert("t", {"id": 3})["id"] == 3
        with pytest.raises(CatalogError, match="may be null"):
            t.alter_identity("t", "n", "always", start=4)
        t.update_where("t", None, {"n": 0})
        t.alter_column("t", "n", nullable=False)
        t.alter_identity("t", "n", "always", start=4)
        t.add_column("t", ColumnDef("o", INT64, identity="default"), sequence={"start": 8})
        assert t.insert("t", {}) == {"id": 34, "n": 4, "m": None, "o": 13}
        with pytest.raises(CatalogError, match="no identity"):
            t.alter_identity("t", "m", increment=2)
        t.alter_identity("t", "n", None)
        assert t.insert("t", {"n": 9})["n"] == 9
    assert names(db) == ["t_id_seq", "t_o_seq"]


def test_a_name_that_is_taken_gets_a_number() -> None:
    db = Database.open()
    with db.begin() as t:
        t.create_sequence("t_id_seq")
        t.create_table("t", [ColumnDef("id", INT64, identity="default")])
    assert names(db) == ["t_id_seq", "t_id_seq1"]
