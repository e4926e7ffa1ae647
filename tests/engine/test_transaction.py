"""Transactions: what each sees, who wins, and that a loser leaves nothing."""

from __future__ import annotations

import pytest

from zengram_py.clock import ManualClock
from zengram_py.engine import BOOLEAN, INT64, JSON, TEXT, ColumnDef, Database, IndexDef
from zengram_py.errors import (
    CatalogError,
    ClosedError,
    ConflictError,
    InvalidArgumentError,
    NotNullError,
    PrimaryKeyError,
    TransactionError,
    TypeMismatchError,
    UniqueError,
)


@pytest.fixture
def db() -> Database:
    database = Database.open(clock=ManualClock())
    database.create_table(
        "account",
        [
            ColumnDef("id", INT64),
            ColumnDef("owner", TEXT, nullable=False),
            ColumnDef("balance", INT64, nullable=False, default=["lit", 0]),
            ColumnDef("notes", JSON),
            ColumnDef("open", BOOLEAN, default=["lit", True]),
        ],
        primary_key=["id"],
        indexes=[IndexDef("account_owner", "hash", (["fold", ["col", "owner"]],), unique=True)],
    )
    with database.begin() as t:
        t.insert("account", {"id": 1, "owner": "Ada", "balance": 10})
        t.insert("account", {"id": 2, "owner": "Grace", "balance": 20, "notes": {"vip": [1]}})
    return database


def rows(database: Database) -> list[tuple[int, str, int]]:
    with database.begin(read_only=True) as t:
        return [(r["id"], r["owner"], r["balance"]) for r in t.scan("account")]


def test_rows_come_back_with_defaults_and_fresh_json(db: Database) -> None:
    with db.begin() as t:
        row = t.get("account", 2)
        assert row == {"id": 2, "owner": "Grace", "balance": 20, "notes": {"vip": [1]}, "open": True}
        row["notes"]["vip"].append(2)
        assert t.get("account", 2)["notes"] == {"vip": [1]}
        assert t.get("account", 3) is None


def test_a_transaction_sees_its_own_writes_and_others_do_not(db: Database) -> None:
    t = db.begin()
    t.insert("account", {"id": 3, "owner": "Edsger"})
    t.update("account", 1, {"balance": 99})
    assert t.delete("account", 2)
    assert sorted((r["id"], r["balance"]) for r in t.scan("account")) == [(1, 99), (3, 0)]
    assert t.lookup("account", "account_owner", "edsger")[0]["id"] == 3
    assert t.lookup("account", "account_owner", "grace") == []
    assert t.get("account", 2) is None
    assert rows(db) == [(1, "Ada", 10), (2, "Grace", 20)]
    t.commit()
    assert sorted(rows(db)) == [(1, "Ada", 99), (3, "Edsger", 0)]


def test_a_reader_keeps_its_snapshot_while_others_commit(db: Database) -> None:
    reader = db.begin()
    before = list(reader.scan("account"))
    with db.begin() as t:
        t.update("account", 1, {"balance": 0})
        t.delete("account", 2)
        t.insert("account", {"id": 7, "owner": "new"})
    assert list(reader.scan("account")) == before
    assert reader.get("account", 7) is None
    assert reader.get("account", 2)["owner"] == "Grace"


def test_time_travel_reads_an_earlier_commit(db: Database) -> None:
    then = db.timestamp
    for balance in (1, 2, 3):
        with db.begin() as t:
            t.update("account", 1, {"balance": balance})
    past = db.begin(as_of=then)
    assert past.get("account", 1)["balance"] == 10
    with pytest.raises(TransactionError, match="read-only"):
        past.insert("account", {"id": 9, "owner": "x"})


def test_the_first_committer_wins_and_the_second_leaves_no_trace(db: Database) -> None:
    first, second = db.begin(), db.begin()
    first.update("account", 1, {"balance": 11})
    second.insert("account", {"id": 5, "owner": "late"})
    second.update("account", 1, {"balance": 12})
    first.commit()
    sizes, timestamp, lsn = db.size(), db.timestamp, db.lsn
    with pytest.raises(ConflictError) as caught:
        second.commit()
    assert (caught.value.table, caught.value.key) == ("account", (1,))
    assert db.size() == sizes
    assert (db.timestamp, db.lsn) == (timestamp, lsn)
    assert rows(db) == [(2, "Grace", 20), (1, "Ada", 11)]
    with db.begin() as t:
        assert t.lookup("account", "account_owner", "late") == []
    with pytest.raises(TransactionError):
        second.rollback()


def test_a_delete_and_an_update_of_one_row_conflict(db: Database) -> None:
    for change, other in (("delete", "update"), ("update", "delete")):
        one, two = db.begin(), db.begin()
        for t, kind in ((one, change), (two, other)):
            t.delete("account", 2) if kind == "delete" else t.update("account", 2, {"balance": 5})
        one.commit()
        with pytest.raises(ConflictError):
            two.commit()
        if change == "delete":
            with db.begin() as t:
                t.insert("account", {"id": 2, "owner": "Grace"})


def test_two_concurrent_inserts_of_one_key_are_a_violation(db: Database) -> None:
    one, two = db.begin(), db.begin()
    one.insert("account", {"id": 3, "owner": "x"})
    two.insert("account", {"id": 3, "owner": "y"})
    one.commit()
    with pytest.raises(PrimaryKeyError, match=r"'account'.*\(3\)") as caught:
        two.commit()
    assert caught.value.constraint == "account_pkey"


def test_constraints_hold_at_once_and_nothing_is_written(db: Database) -> None:
    t = db.begin()
    with pytest.raises(PrimaryKeyError):
        t.insert("account", {"id": 1, "owner": "x"})
    with pytest.raises(UniqueError, match="account_owner"):
        t.insert("account", {"id": 4, "owner": " ADA "})
    with pytest.raises(UniqueError):
        t.update("account", 2, {"owner": "ada"})
    with pytest.raises(NotNullError, match="owner"):
        t.insert("account", {"id": 4})
    with pytest.raises(TypeMismatchError):
        t.update("account", 2, {"balance": "much"})
    with pytest.raises(CatalogError, match="nope"):
        t.insert("account", {"nope": 1})
    assert not any(t.reader.writes.values())
    t.update("account", 1, {"owner": "Ada Lovelace"})
    t.insert("account", {"id": 4, "owner": "ada"})  # the name is free now
    t.commit()
    assert len(rows(db)) == 3


def test_a_key_may_move_within_one_transaction(db: Database) -> None:
    with db.begin() as t:
        t.delete("account", 1)
        t.insert("account", {"id": 1, "owner": "Ada"})
        t.update("account", 1, {"id": 10})
    with db.begin() as t:
        assert t.get("account", 1) is None
        assert t.get("account", 10)["owner"] == "Ada"
        t.update("account", 10, {"id": 11})
        assert t.get("account", 10) is None
        assert t.get("account", 11)["id"] == 11
        t.insert("account", {"id": 10, "owner": "another"})
    assert sorted(r[0] for r in rows(db)) == [2, 10, 11]


def test_savepoints_take_back_what_came_after(db: Database) -> None:
    t = db.begin()
    t.insert("account", {"id": 3, "owner": "c"})
    t.savepoint("a")
    t.update("account", 3, {"balance": 5})
    t.delete("account", 1)
    t.savepoint("b")
    t.rollback_to_savepoint("a")
    assert t.get("account", 3)["balance"] == 0
    assert t.get("account", 1) is not None
    with pytest.raises(TransactionError, match="'b'"):
        t.rollback_to_savepoint("b")
    t.delete("account", 2)
    t.rollback_to_savepoint("a")
    t.release_savepoint("a")
    t.commit()
    assert [r[0] for r in rows(db)] == [1, 2, 3]


def test_leaving_a_block_by_an_error_rolls_back(db: Database) -> None:
    def fail() -> None:
        with db.begin() as t:
            t.insert("account", {"id": 3, "owner": "c"})
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert len(rows(db)) == 2


def test_unchanged_index_columns_leave_the_index_alone(db: Database) -> None:
    for balance in range(50):
        with db.begin() as t:
            t.update("account", 1, {"balance": balance})
            t.update("account", 2, {"owner": "Grace", "notes": None})
    store = db.begin().seen("account").store
    keys = [("account_pkey", (1,)), ("account_owner", ("ada",))]
    assert [len(db.begin().seen("account").index(n).structure.search(k)) for n, k in keys] == [1, 1]
    assert len(store) == 102
    assert len(store.columns[1].heap) == 2  # type: ignore[union-attr]


def test_commit_timestamps_grow_when_the_clock_steps_back(db: Database) -> None:
    clock = db.clock
    assert isinstance(clock, ManualClock)
    seen = [db.timestamp]
    for step in (-1000, 0, 5):
        clock.advance(seconds=step)
        with db.begin() as t:
            t.update("account", 1, {"balance": step})
        seen.append(db.timestamp)
    assert seen == sorted(set(seen))


def test_open_snapshots_are_known(db: Database) -> None:
    old = db.begin()
    with db.begin() as t:
        t.update("account", 1, {"balance": 1})
    assert db.oldest_snapshot == old.view.timestamp < db.timestamp
    old.rollback()
    assert db.oldest_snapshot == db.timestamp


def test_wrong_names_and_keys_are_named(db: Database) -> None:
    with pytest.raises(CatalogError, match="already"):
        db.create_table("account", [ColumnDef("id", INT64)])
    t = db.begin()
    with pytest.raises(CatalogError, match="'nothing'"):
        t.get("nothing", 1)
    with pytest.raises(CatalogError, match="no index"):
        t.lookup("account", "nope", 1)
    with pytest.raises(InvalidArgumentError, match="1 columns"):
        t.get("account", (1, 2))
    db.close()
    with pytest.raises(ClosedError):
        db.begin()
