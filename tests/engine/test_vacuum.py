"""Vacuum, purge and maintenance: what is kept, what goes, and that it goes in small steps."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from zengram_py.clock import ManualClock
from zengram_py.engine import INT64, JSON, TEXT, ColumnDef, Database, ForeignKey, IndexDef, Retention, vector
from zengram_py.errors import CatalogError, ForeignKeyError, InvalidArgumentError, TransactionError

SECRET = "the password is swordfish"


def make(rows: int = 0) -> Database:
    db = Database.open(clock=ManualClock())
    db.create_table(
        "note",
        [
            ColumnDef("id", INT64),
            ColumnDef("text", TEXT),
            ColumnDef("data", JSON),
            ColumnDef("n", INT64, default=["lit", 0]),
            ColumnDef("place", vector(4)),
        ],
        primary_key=["id"],
        indexes=[
            IndexDef("by_text", "hash", (["col", "text"],)),
            IndexDef("by_n", "ordered", (["col", "n"], ["col", "text"])),
            IndexDef("near", "flat", (["col", "place"],)),
        ],
    )
    if rows:
        with db.begin() as t:
            t.insert_many(
                "note",
                {
                    "id": np.arange(rows),
                    "text": [f"text {i}" for i in range(rows)],
                    "data": [{"i": i} for i in range(rows)],
                    "place": np.eye(4)[np.arange(rows) % 4] + np.arange(rows)[:, None] / 1000,
                },
            )
    return db


def content(db: Database, **view: Any) -> list[Any]:
    with db.begin(read_only=True, **view) as t:
        rows = sorted(
            (r["id"], r["text"], str(r["data"]), r["n"], None if r["place"] is None else r["place"].tolist())
            for r in t.scan("note")
        )
        found = [[r["id"] for r in t.lookup("note", "by_text", row[1])] for row in rows[:20]]
        return [rows, found, [r["id"] for r in t.range("note", "by_n", low=0, high=50)]]


def slots(db: Database) -> int:
    return len(db.begin().seen("note").store)


def test_ended_versions_go_and_the_rest_reads_the_same() -> None:
    db = make(50)
    for n in range(5):
        with db.begin() as t:
            t.update_where("note", ["<", ["col", "id"], ["lit", 30]], {"n": n})
    with db.begin() as t:
        t.delete_where("note", [">=", ["col", "id"], ["lit", 45]])
    before, was = content(db), slots(db)
    report = db.vacuum()
    assert was == 200
    assert slots(db) == 45
    assert report.dropped == 155
    assert content(db) == before
    with db.begin() as t:  # and goes on
        t.update("note", 3, {"text": "changed"})
        t.insert("note", {"id": 900, "text": "text 3"})
    assert [r["id"] for r in db.begin().lookup("note", "by_text", "text 3")] == [900]
    assert db.vacuum().dropped == 1
    assert content(Database.restore(db.export())) == content(db)


def test_heaps_shrink_to_what_is_referred_to() -> None:
    db = make(3000)
    with db.begin() as t:
        t.delete_where("note", [">=", ["col", "id"], ["lit", 20]])
    before = db.size()["note#1"]
    db.vacuum()
    after = db.size()["note#1"]
    for part in ("heap text", "heap data", "heap place", "index by_text", "index by_n"):
        assert after[part] * 50 < before[part], part


def test_what_somebody_still_reads_is_kept() -> None:
    db = make(5)
    reader = db.begin()
    db.fork("b")
    with db.begin() as t:
        t.update("note", 1, {"text": "main"})
        t.delete("note", 2)
    with db.begin(branch="b") as t:
        t.update("note", 1, {"text": "branch"})
        t.delete("note", 3)
    expected = [content(db), content(db, branch="b"), sorted(r["id"] for r in reader.scan("note"))]
    diff = [(c.key, c.kind) for c in db.diff("b")]
    db.vacuum()
    assert [content(db), content(db, branch="b"), sorted(r["id"] for r in reader.scan("note"))] == expected
    assert reader.get("note", 1)["text"] == "text 1"  # type: ignore[index]
    assert [(c.key, c.kind) for c in db.diff("b")] == diff
    reader.rollback()
    db.discard("b")
    db.vacuum()
    assert slots(db) == 4


def test_retention_keeps_history_by_age_and_by_count() -> None:
    db = make(1)
    clock = db.clock
    assert isinstance(clock, ManualClock)
    times = []
    for n in range(10):
        clock.advance(seconds=60)
        with db.begin() as t:
            t.update("note", 0, {"n": n})
        times.append(db.timestamp)
    db.vacuum(retention=Retention(commits=4))
    assert [db.begin(as_of=at).get("note", 0)["n"] for at in times[-5:]] == [5, 6, 7, 8, 9]  # type: ignore[index]
    with pytest.raises(TransactionError, match="history begins at") as caught:
        db.begin(as_of=times[0])
    assert caught.value.code == "HISTORY_VACUUMED"
    with pytest.raises(TransactionError):
        db.fork("old", as_of=times[0])
    db.vacuum(retention=Retention(age=150))
    assert [db.begin(as_of=at).get("note", 0)["n"] for at in times[-3:]] == [7, 8, 9]  # type: ignore[index]
    db.vacuum()
    assert slots(db) == 1
    restored = Database.restore(db.export())
    with pytest.raises(TransactionError):
        restored.begin(as_of=times[-2])


def test_tables_that_a_transaction_works_on_are_left_for_later() -> None:
    db = make(10)
    with db.begin() as t:
        t.delete("note", 9)
    writer = db.begin()
    writer.update("note", 1, {"n": 7})
    report = db.vacuum()
    assert (report.dropped, report.skipped) == (0, ["note"])
    writer.commit()
    assert db.vacuum().dropped == 2
    streaming = db.begin().range("note", "by_n")
    first = next(streaming)["id"]
    with db.begin() as t:
        t.delete("note", 5)
    assert db.vacuum().skipped == ["note"]
    assert sorted([first, *(r["id"] for r in streaming)]) == list(range(9))


def test_dropped_tables_and_columns_are_given_back() -> None:
    db = make(2000)
    with db.begin() as t:
        t.drop_column("note", "data")
        t.drop_index("note", "by_text")
    db.vacuum()
    assert "heap data" not in db.size()["note#1"]
    assert len(db.begin().seen("note").store.indexes) == 3
    with db.begin() as t:
        t.drop_table("note")
    db.vacuum()
    assert db.size() == {}
    assert Database.restore(db.export()).tables() == []


def test_purged_bytes_are_nowhere() -> None:
    db = make(30)
    log: list[bytes] = []
    with db.begin() as t:
        t.insert("note", {"id": 100, "text": SECRET, "data": {"why": SECRET}, "place": [7.5, 7.5, 7.5, 7.5]})
        t.update("note", 100, {"n": 5})
    db.fork("b")
    with db.begin(branch="b") as t:
        t.update("note", 100, {"text": SECRET + "!"})
    with db.begin() as t:
        t.delete("note", 100)
    db.on_commit = log.append
    assert SECRET.encode() in db.export()
    assert db.purge("note", 100) == 1
    assert db.begin(branch="b").get("note", 100) is None
    assert db.begin(as_of=db.timestamp - 2).get("note", 100) is None
    db.vacuum()
    data = db.export()
    needle = np.full(4, 7.5, np.float32).tobytes()
    for found in (SECRET.encode(), needle):
        assert found not in data
        assert all(found not in record for record in log)
    store = db.begin().seen("note").store
    assert all(
        SECRET not in str(column.heap.__dict__)
        for column in store.columns.values()
        if hasattr(column, "heap")
    )
    assert db.purge("note", 100) == 0


def test_a_purge_is_replayed() -> None:
    db = make(5)
    log: list[bytes] = []
    copy = Database.restore(db.export())
    db.on_commit = log.append
    db.purge("note", 3)
    db.vacuum()
    copy.replay(log)
    assert content(copy) == content(db)
    assert (copy.lsn, copy.last_crc) == (db.lsn, db.last_crc)
    assert slots(copy) == slots(db) == 4


def test_a_purge_beats_a_transaction_that_was_changing_the_row() -> None:
    from zengram_py.errors import ConflictError

    db = make(5)
    t = db.begin()
    t.update("note", 3, {"text": "late"})
    db.purge("note", 3)
    with pytest.raises(ConflictError):
        t.commit()
    assert db.begin().get("note", 3) is None


def test_a_purge_does_not_leave_references_hanging() -> None:
    db = make(5)
    db.create_table(
        "link",
        [ColumnDef("id", INT64), ColumnDef("note", INT64)],
        primary_key=["id"],
        foreign_keys=[ForeignKey(["note"], "note")],
    )
    db.fork("b")
    with db.begin(branch="b") as t:
        t.insert("link", {"id": 1, "note": 3})
    with pytest.raises(ForeignKeyError, match="link"):
        db.purge("note", 3)
    assert db.begin().get("note", 3) is not None
    with pytest.raises(InvalidArgumentError):
        db.purge("note", (1, 2))
    with pytest.raises(CatalogError):
        db.purge("nothing", 1)


def test_maintenance_works_in_steps_and_says_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    db = make(4000)
    assert db.pending() == []
    with db.begin() as t:
        t.update_where("note", ["<", ["col", "id"], ["lit", 3000]], {"n": 1})
    assert "vacuum" in db.pending()
    expected, steps = content(db), 0
    copied: list[int] = []
    original = np.take

    def counting(source: Any, places: Any, **options: Any) -> Any:
        copied.append(len(places))
        return original(source, places, **options)

    monkeypatch.setattr(np, "take", counting)
    while db.maintain(0.001):
        steps += 1
        assert content(db) == expected
        assert steps < 200
    assert steps >= 5
    assert len(copied) >= 4
    assert max(copied) <= 1024  # vectors that one step copies
    assert slots(db) == 4000
    assert db.pending() == []
    assert not db.maintain()


def test_commits_between_the_steps_are_kept() -> None:
    db = make(3000)
    with db.begin() as t:
        t.delete_where("note", ["<", ["col", "id"], ["lit", 2000]])
    rng = random.Random(3)
    for step in range(100):
        more = db.maintain(0.001)
        with db.begin() as t:
            t.insert("note", {"id": 10_000 + step, "text": f"text {rng.randrange(50)}", "n": step})
            t.update("note", rng.randrange(2000, 3000), {"n": -step})
        if not more:
            break
    before = content(db)
    db.vacuum()
    assert content(db) == before
    assert content(Database.restore(db.export())) == before


def test_a_chunked_export_is_the_moment_it_began() -> None:
    db = make(500)
    expected = db.export()
    parts = db.export_chunks(1000)
    out = [bytes(next(parts))]
    with db.begin() as t:
        t.update_where("note", ["<", ["col", "id"], ["lit", 250]], {"n": 9, "text": "later"})
        t.delete_where("note", [">", ["col", "id"], ["lit", 400]])
    db.purge("note", 7)
    db.vacuum()
    for part in parts:
        assert len(part) <= 1000
        out.append(bytes(part))
        if len(out) % 20 == 0:
            with db.begin() as t:
                t.insert("note", {"id": 5000 + len(out)})
            db.vacuum()
    assert b"".join(out) == expected
