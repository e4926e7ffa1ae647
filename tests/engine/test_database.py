"""The database as a whole: transactions that are abandoned, reads of the past, closing, exports, and many open at once."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engine.state import seen, whole
from zengram_py.clock import ManualClock
from zengram_py.engine import INT64, TEXT, ColumnDef, Database, IndexDef, Transaction
from zengram_py.errors import (
    CatalogError,
    ClosedError,
    InvalidArgumentError,
    TransactionError,
    TransactionTimeoutError,
    ZengramError,
)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def db(clock: ManualClock) -> Database:
    database = Database.open(clock=clock)
    database.create_table(
        "t",
        [ColumnDef("k", INT64), ColumnDef("n", INT64)],
        primary_key=["k"],
        indexes=[IndexDef("by_n", "ordered", (["col", "n"],))],
    )
    with database.begin() as t:
        t.insert_many("t", {"k": [1, 2, 3], "n": [10, 20, 30]})
    return database


def change(db: Database, k: int, n: int, branch: str = "main") -> None:
    with db.begin(branch=branch) as t:
        if not t.update("t", k, {"n": n}):
            t.insert("t", {"k": k, "n": n})


CALLS: dict[str, Callable[[Transaction], Any]] = {
    "get": lambda t: t.get("t", 1),
    "scan": lambda t: list(t.scan("t")),
    "range": lambda t: list(t.range("t", "by_n")),
    "lookup": lambda t: t.lookup("t", "by_n", 10),
    "count": lambda t: t.count("t"),
    "read": lambda t: t.read("t", ["n"]),
    "seen": lambda t: t.seen("t"),
    "nextval": lambda t: t.nextval("s"),
    "currval": lambda t: t.currval("s"),
    "insert": lambda t: t.insert("t", {"k": 9}),
    "insert_many": lambda t: t.insert_many("t", {"k": [9]}),
    "update": lambda t: t.update("t", 1, {"n": 1}),
    "update_where": lambda t: t.update_where("t", None, {"n": 1}),
    "delete": lambda t: t.delete("t", 1),
    "delete_where": lambda t: t.delete_where("t", None),
    "create_table": lambda t: t.create_table("new", [ColumnDef("x", TEXT)]),
    "add_column": lambda t: t.add_column("t", ColumnDef("x", TEXT)),
    "create_object": lambda t: t.create_object("view", "v"),
    "savepoint": lambda t: t.savepoint("a"),
    "commit": lambda t: t.commit(),
    "rollback": lambda t: t.rollback(),
}
WRITES = ["insert", "insert_many", "update", "update_where", "delete", "delete_where", "create_table", "add_column", "create_object"]  # fmt: skip


# -- transactions that end otherwise -------------------------------------------------------------------------------------


@pytest.mark.parametrize("call", CALLS)
def test_a_transaction_that_was_open_for_too_long_takes_no_call(
    db: Database, clock: ManualClock, call: str
) -> None:
    before = whole(db)
    t = db.begin(timeout=5)
    t.insert("t", {"k": 4})
    t.create_table("made", [ColumnDef("x", TEXT)])
    clock.advance(seconds=5)
    assert t.get("t", 4) is not None
    clock.advance(microseconds=1)
    for _ in range(2):
        with pytest.raises(TransactionTimeoutError, match="open for too long"):
            CALLS[call](t)
    assert whole(db) == before


def test_an_abandoned_transaction_holds_its_snapshot_only_until_its_time_is_over(
    db: Database, clock: ManualClock
) -> None:
    old = db.begin(timeout=1)
    forever = db.begin()
    change(db, 1, 11)
    assert db.oldest_snapshot == old.view.timestamp
    forever.rollback()
    clock.advance(seconds=2)
    db.begin().rollback()
    assert db.oldest_snapshot == db.timestamp
    assert old.state == "timed out"


@pytest.mark.parametrize("noticed", ["by the transaction", "by the database"])
def test_a_block_whose_transaction_timed_out_says_so(db: Database, clock: ManualClock, noticed: str) -> None:
    def write() -> None:
        with db.begin(timeout=1) as t:
            t.insert("t", {"k": 4})
            clock.advance(seconds=2)
            if noticed == "by the database":
                db.begin().rollback()

    with pytest.raises(TransactionTimeoutError):
        write()
    assert db.begin().get("t", 4) is None


def test_a_dropped_transaction_leaves_nothing_and_holds_nothing(db: Database) -> None:
    before = whole(db)
    t = db.begin()
    t.insert("t", {"k": 4})
    t.add_column("t", ColumnDef("x", INT64, default=["now"]))
    t.create_table("made", [ColumnDef("x", TEXT)])
    t.create_index("t", IndexDef("u", "hash", (["col", "n"],)))
    del t
    gc.collect()
    assert whole(db) == before
    change(db, 1, 11)
    assert db.oldest_snapshot == db.timestamp


@pytest.mark.parametrize("end", ["commit", "rollback"])
@pytest.mark.parametrize("call", CALLS)
def test_a_transaction_that_is_over_takes_no_call(db: Database, call: str, end: str) -> None:
    t = db.begin()
    CALLS[end](t)
    with pytest.raises(TransactionError, match="committed" if end == "commit" else "rolled back"):
        CALLS[call](t)


def test_a_block_may_end_its_transaction_itself(db: Database) -> None:
    with db.begin() as t:
        t.insert("t", {"k": 4})
        t.rollback()
    with db.begin() as t:
        t.insert("t", {"k": 5})
        t.commit()
    assert sorted(row["k"] for row in db.begin().scan("t")) == [1, 2, 3, 5]


@pytest.mark.parametrize("call", WRITES)
@pytest.mark.parametrize("options", [{"read_only": True}, {"as_of": 1 << 62}], ids=["read_only", "as_of"])
def test_a_read_only_transaction_refuses_writes(db: Database, call: str, options: dict[str, Any]) -> None:
    t = db.begin(**options)
    with pytest.raises(TransactionError, match="read-only"):
        CALLS[call](t)
    assert t.count("t") == 3
    lsn = db.lsn
    assert t.commit() == db.timestamp
    assert db.lsn == lsn


def test_an_unknown_isolation_is_refused(db: Database) -> None:
    with pytest.raises(InvalidArgumentError, match="chaos"):
        db.begin(isolation="chaos")


# -- the past ------------------------------------------------------------------------------------------------------------


def test_each_moment_reads_the_last_commit_before_it(db: Database, clock: ManualClock) -> None:
    times = [db.timestamp]
    for n in range(5):
        clock.advance(microseconds=10)
        change(db, 1, n)
        times.append(db.timestamp)
    values = [10, *range(5)]
    for at, value in zip(times, values, strict=True):
        for later in range(9):
            assert db.begin(as_of=at + later).get("t", 1)["n"] == value  # type: ignore[index]
    for past in (1 << 62, times[-1] + 1):
        assert db.begin(as_of=past).view.timestamp == db.timestamp
    for before in (-1, -(1 << 62)):
        with pytest.raises(TransactionError, match="history begins at 0"):
            db.begin(as_of=before)
    for before in (times[0] - 2, 1, 0):
        with pytest.raises(CatalogError, match="no table 't'"):
            db.begin(as_of=before).get("t", 1)
    db.fork("past", as_of=times[2])
    db.fork("void", as_of=0)
    assert db.begin(branch="past").get("t", 1)["n"] == 1  # type: ignore[index]
    assert db.tables("void") == []
    assert db.begin(branch="past", as_of=times[0]).get("t", 1)["n"] == 10  # type: ignore[index]


# -- closing and exporting -----------------------------------------------------------------------------------------------


def test_a_closed_database_takes_no_call(db: Database) -> None:
    t = db.begin()
    t.insert("t", {"k": 4})
    db.fork("side")
    db.close()
    db.close()
    for call in (
        db.begin, db.export, db.branches, db.tables, db.size,
        lambda: db.create_table("x", [ColumnDef("x", TEXT)]),
        lambda: db.fork("b"), lambda: db.merge("side"), lambda: db.rebase("side"),
        lambda: db.discard("side"), lambda: db.diff("side"), lambda: db.replay([]),
        t.commit,
    ):  # fmt: skip
        with pytest.raises(ClosedError, match="closed"):
            call()


@pytest.mark.parametrize("call", CALLS)
def test_an_open_transaction_of_a_closed_database_takes_no_call(db: Database, call: str) -> None:
    t = db.begin()
    t.insert("t", {"k": 4})
    db.close()
    with pytest.raises(ClosedError, match="closed"):
        CALLS[call](t)


def test_an_export_holds_what_was_committed_and_disturbs_nobody(db: Database) -> None:
    def write(t: Transaction) -> None:
        t.update("t", 1, {"n": 99})
        t.insert_many("t", {"k": [4, 5], "n": [1, 2]})
        t.create_table("made", [ColumnDef("x", INT64, identity="always")])
        t.insert("made", {})
        t.add_column("t", ColumnDef("extra", TEXT, default=["lit", "x"]))
        t.create_index("t", IndexDef("u", "ordered", (["col", "extra"],)))
        t.drop_index("t", "by_n")

    before = {name: whole(db)[name] for name in ("branches", "lsn", "timestamp")}
    quiet = Database.restore(db.export())
    writer, reader = db.begin(), db.begin()
    write(writer)
    inside, outside = seen(writer), seen(reader)
    copy = Database.restore(db.export())
    assert {name: whole(copy)[name] for name in before} == before
    assert whole(copy) == whole(quiet)
    assert (seen(writer), seen(reader)) == (inside, outside)
    writer.commit()
    assert seen(db.begin()) == inside
    assert seen(reader) == outside
    assert {name: whole(copy)[name] for name in before} == before
    with copy.begin() as t:
        write(t)
    for database in (copy, Database.restore(copy.export())):
        found = seen(database.begin())
        assert found.keys() == inside.keys()
        assert all(found[name] == inside[name] for name in found if "." in name)  # what the indexes find
        assert found["t"][1] == inside["t"][1]


# -- many at once --------------------------------------------------------------------------------------------------------

steps = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 5), st.integers(0, 3)), min_size=5, max_size=60)


@given(steps)
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_masks_that_are_kept_are_those_that_would_be_computed(schedule: list[tuple[int, int, int]]) -> None:
    db = Database.open(clock=ManualClock())
    db.create_table("t", [ColumnDef("k", INT64), ColumnDef("n", INT64)], primary_key=["k"])
    store = next(iter(db.stores.values()))
    open_now: list[Transaction] = []
    held: dict[int, list[dict[str, Any]]] = {}

    def check(t: Transaction) -> None:
        kept = store.visibility.mask(t.view)
        fresh = store.visibility._compute(t.view)
        assert not fresh[len(kept) :].any()
        assert (kept == fresh[: len(kept)]).all()
        assert [store.visibility.sees(t.view, slot) for slot in range(len(store))] == fresh.tolist()

    for action, x, y in schedule:
        names = [info.name for info in db.branches()]
        branch = names[x % len(names)]
        if action <= 4:
            try:
                with db.begin(branch=branch) as t:
                    t.delete("t", x) if action == 4 else CALLS["scan"](t) if action == 3 else None
                    if action < 3 and not t.update("t", x, {"n": y}):
                        t.insert("t", {"k": x, "n": y})
            except ZengramError:
                pytest.fail("nobody else writes")
        elif action == 5 and len(names) < 5:
            db.fork(f"b{db.lsn}", parent=branch)
        elif action == 6:
            t = db.begin(branch=branch, as_of=db.timestamp - y if y else None)
            if t.reader.catalog.find("table", "t"):
                open_now.append(t)
                held[id(t)] = list(t.scan("t"))
        elif action == 7 and open_now:
            open_now.pop(x % len(open_now)).rollback()
        elif action == 8 and len(names) > 1:
            db.merge(names[y % (len(names) - 1) + 1], strategy="theirs")
        elif action == 9 and branch != "main":
            db.discard(branch)
        for t in open_now:
            check(t)
            assert list(t.scan("t")) == held[id(t)]
        for info in db.branches():
            check(db.begin(branch=info.name))


def test_many_open_transactions_each_keep_their_state_and_all_may_commit(db: Database) -> None:
    readers = []
    for n in range(40):
        change(db, n % 5, n)
        readers.append((db.begin(), seen(db.begin())))
    for reader, expected in readers:
        assert seen(reader) == expected
    writers = [db.begin() for _ in range(20)]
    for number, writer in enumerate(writers):
        writer.insert("t", {"k": 100 + number, "n": number})
    for writer in writers:
        writer.commit()
    assert np.array_equal(np.sort(db.begin().read("t", ["k"])["k"])[-20:], np.arange(100, 120))
