"""Vacuum beside everything else: readers, writers, other vacuums, merges, purges, errors and interruptions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from zengram_py.clock import ManualClock
from zengram_py.engine import INT64, TEXT, ColumnDef, Database, IndexDef
from zengram_py.errors import TransactionError


def make(rows: int = 0) -> Database:
    db = Database.open(clock=ManualClock())
    columns = [ColumnDef("id", INT64), ColumnDef("a", TEXT), ColumnDef("n", INT64)]
    for name in ("t", "u"):
        indexes = [IndexDef("by_n", "ordered", (["col", "n"],)), IndexDef("by_a", "hash", (["col", "a"],))]
        db.create_table(name, columns, primary_key=["id"], indexes=indexes)
    if rows:
        with db.begin() as t:
            numbers = np.arange(rows)
            t.insert_many("t", {"id": numbers, "a": [f"text {i}" for i in range(rows)], "n": numbers})
            t.insert_many("u", {"id": numbers})
    return db


def rows(db: Database, table: str = "t", **view: Any) -> list[tuple[Any, ...]]:
    with db.begin(read_only=True, **view) as t:
        found = sorted(tuple(row.values()) for row in t.scan(table))
        for row in found[:: max(1, len(found) // 50)]:
            assert tuple(t.get(table, row[0]).values()) == row  # type: ignore[union-attr]
        assert len(list(t.range(table, "by_n"))) == len(found)
    return found


def slots(db: Database, table: str = "t") -> int:
    return len(db.begin().seen(table).store)


def delete(db: Database, below: int, *tables: str) -> None:
    with db.begin() as t:
        for table in tables or ("t",):
            t.delete_where(table, ["<", ["col", "id"], ["lit", below]])


def finish(db: Database, budget_ms: float = 0.001) -> None:
    for _ in range(10_000):
        if not db.maintain(budget_ms):
            return
    raise AssertionError("maintenance does not come to an end")


# -- what holds on to slots ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", range(6))
def test_a_vacuum_under_way_gives_way_to_another_that_fails_half_way(steps: int) -> None:
    db = make(4000)
    delete(db, 3000, "t", "u")
    for _ in range(steps):
        db.maintain(0.0)
    expected = rows(db), rows(db, "u")
    log: list[bytes] = []

    def full(record: bytes) -> None:
        log.append(record)
        if len(log) == 3:  # the second table's
            raise OSError("the disk is full")

    db.on_commit = full
    with pytest.raises(OSError, match="full"):
        db.vacuum()
    db.on_commit = None
    finish(db)
    assert (rows(db), rows(db, "u")) == expected
    assert (slots(db), slots(db, "u")) == (1000, 1000)


def test_a_replay_does_not_come_across_a_vacuum_under_way() -> None:
    db = make(4000)
    delete(db, 3000)
    log: list[bytes] = []
    copy = Database.restore(db.export())
    db.on_commit = log.append
    db.vacuum()
    for _ in range(8):
        copy.maintain(0.0)
    copy.replay(log[copy.lsn - db.lsn :])
    finish(copy)
    assert rows(copy) == rows(db)


def test_what_only_a_savepoint_holds_is_not_renumbered() -> None:
    db = make(10)
    delete(db, 1)
    t = db.begin()
    t.update("t", 5, {"n": 99})
    t.savepoint("s")
    t.drop_table("t")
    assert db.vacuum().skipped == ["t"]
    t.rollback_to_savepoint("s")
    t.commit()
    assert [r[2] for r in rows(db)] == [1, 2, 3, 4, 99, 6, 7, 8, 9]


def test_a_range_ends_with_its_transaction() -> None:
    db = make(3000)
    t = db.begin()
    found = t.range("t", "by_n")
    assert next(found)["n"] == 0
    t.rollback()
    delete(db, 2000)
    db.vacuum()
    with pytest.raises(TransactionError, match="rolled back"):
        next(found)


@pytest.mark.parametrize("steps", range(14))
def test_values_that_a_merge_computes_during_a_vacuum_are_kept(steps: int) -> None:
    db = make(3000)
    delete(db, 2000)
    db.fork("b")
    with db.begin(branch="b") as t:
        t.alter_type("t", "n", TEXT)
    with db.begin() as t:
        t.insert("t", {"id": 9000, "a": "new", "n": 77})
    log: list[bytes] = []
    copy = Database.restore(db.export())
    db.on_commit = log.append
    for _ in range(steps):
        db.maintain(0.0)
    assert db.merge("b").applied
    finish(db)
    assert slots(db) < 2100
    assert rows(db)[-1] == (9000, "new", "77")
    copy.replay(log)
    assert rows(copy) == rows(db)


# -- what a vacuum counts --------------------------------------------------------------------------------------------


def test_what_ends_during_a_vacuum_is_counted() -> None:
    db = make(4000)
    delete(db, 2000)
    for _ in range(8):
        db.maintain(0.0)
    for key in range(2000, 3500):
        db.purge("t", key)
    finish(db)
    assert slots(db) == 500


def test_versions_that_ended_before_the_last_checkpoint_are_counted() -> None:
    db = make(3000)
    db.fork("b")
    with db.begin(branch="b") as t:
        t.delete_where("t", ["<", ["col", "id"], ["lit", 800]])
    delete(db, 700)
    db.purge("t", 2000)
    db.discard("b")
    db = Database.restore(db.export())
    assert db.pending() == ["vacuum"]
    finish(db)
    assert slots(db) == 2299
