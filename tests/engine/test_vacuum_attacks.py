"""Vacuum beside everything else: readers, writers, other vacuums, merges, purges, errors and interruptions."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from zengram_py.clock import ManualClock
from zengram_py.engine import INT64, TEXT, ColumnDef, Database, IndexDef, Retention
from zengram_py.errors import InvalidArgumentError, TransactionError

INTERRUPTIONS = int(os.environ.get("ZENGRAM_INTERRUPTIONS", "30"))  # of each kind of work


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


def test_columns_that_come_and_go_during_a_vacuum_are_not_taken_for_one_another() -> None:
    for steps in range(16):
        db = make(3000)
        delete(db, 2000)
        t = db.begin()
        t.add_column("t", ColumnDef("c", TEXT, default=["lit", "rolled back"]))
        for _ in range(steps):
            db.maintain(0.0)
        t.rollback()
        if steps % 2:
            db.maintain(0.0)
        with db.begin() as t:
            t.add_column("t", ColumnDef("c", INT64, default=["lit", 7]))
        finish(db)
        assert slots(db) == 1000
        assert {row[3] for row in rows(db)} == {7}


# -- what a vacuum counts --------------------------------------------------------------------------------------------


def test_what_ends_during_a_vacuum_is_counted() -> None:
    db = make(4000)
    delete(db, 2000)
    for _ in range(4):
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


# -- what a vacuum leaves of branches, definitions and commits -------------------------------------------------------


def test_nothing_is_left_of_branches_that_were_discarded() -> None:
    db = make(100)
    log: list[bytes] = []
    copy = Database.restore(db.export())
    db.on_commit = log.append
    for n in range(30):
        db.fork("b")
        with db.begin(branch="b") as t:
            t.update_where("t", [">=", ["col", "id"], ["lit", 0]], {"n": n})
            t.delete_where("u", [">=", ["col", "id"], ["lit", 50]])
            t.add_column("t", ColumnDef(f"c{n}", INT64))
        with db.begin() as t:
            t.update("t", 1, {"a": str(n)})
        if n % 2:
            assert db.merge("b", strategy="ours").applied
            assert db.rebase("b").applied
        db.discard("b")
        db.vacuum()
    expected = rows(db)
    db.vacuum()
    for store in db.stores.values():
        assert set(store.visibility.changes) == {0}
        assert not store.visibility.overlays
    assert set(db.commits) == {0}
    assert len(db.commits[0]) == 1
    assert not db.tree.meetings
    assert not db.tree.joins
    assert not db.catalog.overlays
    copy.replay(log)
    assert copy.export() == db.export()
    assert rows(copy) == expected


def test_a_reader_of_a_discarded_branch_is_left_alone() -> None:
    db = make(20)
    db.fork("b")
    with db.begin(branch="b") as t:
        t.delete("t", 3)
        t.update("t", 4, {"n": 44})
    reader = db.begin(branch="b")
    expected = [tuple(r.values()) for r in reader.scan("t")]
    log: list[bytes] = []
    copy = Database.restore(db.export())
    db.on_commit = log.append
    db.discard("b")
    with db.begin() as t:
        t.delete("t", 10)
    db.vacuum()
    assert [tuple(r.values()) for r in reader.scan("t")] == expected
    reader.rollback()
    db.vacuum()
    db.vacuum()
    copy.replay(log)
    assert copy.export() == db.export()
    assert len(rows(copy)) == 19


def test_what_a_branch_is_ahead_and_behind_survives_a_vacuum() -> None:
    db = make(50)

    def commit(branch: str, key: int) -> None:
        with db.begin(branch=branch) as t:
            t.update("t", key, {"a": f"{branch} {db.lsn}"})

    db.fork("b")
    db.fork("d")
    for n in range(6):
        commit("main", n)
        commit("b", 10 + n)
        if n < 3:
            commit("d", 30 + n)
        if n == 2:
            db.merge("b")
            db.rebase("b")
            db.fork("c", parent="b")
            db.fork("e", parent="d")
            db.discard("d")
        if n > 2:
            commit("c", 20 + n)
            commit("e", 40 + n)
    before = db.branches()
    db.vacuum()
    assert db.branches() == before
    assert Database.restore(db.export()).branches() == before
    assert len(db.commits[0]) == 3


def test_two_branches_that_do_not_exist_together_yet_keep_the_point_where_they_will_have_parted() -> None:
    def merged(*, vacuum: bool) -> list[Any]:
        db = make(5)
        db.fork("b")
        with db.begin(branch="b") as t:
            t.delete("t", 1)
        db.fork("c", parent="b")
        db.discard("b")
        assert db.merge("c").applied
        with db.begin() as t:
            t.insert("t", {"id": 1, "a": "again"})
        if vacuum:
            db.vacuum()
        db.fork("new")
        report = db.merge("c", "new")
        return [report.conflicts, report.applied, rows(db, branch="new")]

    assert merged(vacuum=True) == merged(vacuum=False)


def test_the_past_of_a_branch_below_a_discarded_one_is_kept() -> None:
    db = make(5)
    db.fork("b")
    times = []
    for n in range(6):
        with db.begin(branch="b") as t:
            t.update("t", 1, {"n": 100 + n})
            t.alter_column("t", "a", default=["lit", str(n)])
        times.append(db.timestamp)
    db.fork("c", parent="b")
    with db.begin(branch="b") as t:
        t.delete("t", 1)
    db.discard("b")
    db.vacuum(retention=Retention(commits=4))
    assert db.horizon == times[2]
    for n, at in list(enumerate(times))[2:]:
        t = db.begin(branch="c", as_of=at)
        assert t.get("t", 1)["n"] == 100 + n  # type: ignore[index]
        assert t.reader.catalog.table("t").column("a").default == ["lit", str(n)]
    db.vacuum()
    assert len(db.catalog.entries) == 3


def test_temporary_tables_that_were_dropped_are_given_back() -> None:
    db = make()
    log: list[bytes] = []
    db.on_commit = log.append
    for n in range(20):
        with db.begin() as t:
            name = t.create_table(f"x{n}", [ColumnDef("id", INT64)], primary_key=["id"], temporary=True).name
            t.insert(name, {"id": 1})
        if n:
            with db.begin() as t:
                t.drop_table(name)
        db.vacuum()
    assert len(db.stores) == 3
    assert len(db.catalog.entries) == 3


@pytest.mark.parametrize(
    "retention",
    [
        {"age": -1},
        {"commits": -1},
        {"age": float("nan")},
    ],
)
def test_retention_that_means_nothing_is_refused(retention: Any) -> None:
    with pytest.raises(InvalidArgumentError):
        Retention(**retention)


def test_retention_may_be_for_ever() -> None:
    db = make(5)
    before = db.timestamp
    delete(db, 3)
    for retention in (Retention(age=float("inf")), Retention(age=1e300), Retention(commits=10**30)):
        db.vacuum(retention=retention)
        assert len(rows(db, as_of=before)) == 5
        assert db.horizon == 0


def test_the_longer_of_age_and_commits_holds_and_the_horizon_never_goes_back() -> None:
    db = make(1)
    clock = db.clock
    assert isinstance(clock, ManualClock)
    times = []
    for n in range(10):
        clock.advance(seconds=10)
        with db.begin() as t:
            t.update("t", 0, {"n": n})
        times.append(db.timestamp)
    for retention, oldest in (
        (Retention(age=35, commits=7), 2),
        (Retention(age=35, commits=1), 6),
        (Retention(age=15, commits=1), 8),
    ):
        horizon = db.vacuum(retention=retention).horizon
        assert times[oldest - 1] < horizon <= times[oldest]
        assert [rows(db, as_of=at)[0][2] for at in (horizon, *times[oldest:])][1:] == list(range(oldest, 10))
        with pytest.raises(TransactionError):
            db.begin(as_of=horizon - 1)
        with pytest.raises(TransactionError):
            db.fork("early", as_of=horizon - 1)
    clock.advance(seconds=-1000)  # the clock is set back
    horizon = db.horizon
    assert db.vacuum(retention=Retention(age=15)).horizon == horizon
    with db.begin() as t:
        t.update("t", 0, {"n": 10})
    assert db.vacuum(retention=Retention(age=15)).horizon == horizon
    db.fork("at", as_of=horizon)
    expected = rows(db, branch="at")
    db.vacuum()
    assert rows(db, branch="at") == expected
    assert rows(db)[0][2] == 10


def test_ten_thousand_changes_of_definitions() -> None:
    db = make(10)
    for n in range(1000):
        with db.begin() as t:
            t.alter_column("t", "a", default=["lit", str(n)])
    looked = 0
    original = db.catalog._sees

    def counting(*args: Any) -> bool:
        nonlocal looked
        looked += 1
        return original(*args)

    db.catalog._sees = counting  # type: ignore[method-assign]
    with db.begin() as t:
        t.alter_column("t", "a", default=["lit", "last"])
    db.begin()
    assert looked < 10
    db.vacuum(retention=Retention(commits=10**6))
    assert looked < 10
    db.begin(as_of=db.timestamp - 500)
    db.vacuum()
    assert len(db.catalog.entries) == 2
    with db.begin() as t:
        t.insert("t", {"id": 100})
        assert t.get("t", 100)["a"] == "last"  # type: ignore[index]


# -- interruptions ---------------------------------------------------------------------------------------------------


def test_nothing_is_changed_from_within_on_commit() -> None:
    db = make(3000)
    delete(db, 2000)
    asked: list[str] = []

    def meddling(record: bytes) -> None:
        for name, call in {
            "fork": lambda: db.fork("x"),
            "purge": lambda: db.purge("t", 2500),
            "vacuum": db.vacuum,
            "commit": lambda: delete(db, 2100),
        }.items():
            with pytest.raises(TransactionError, match="being written"):
                call()
            asked.append(name)

    db.on_commit = meddling
    db.fork("b")
    db.vacuum()
    with db.begin() as t:
        t.insert("t", {"id": 1})
    assert len(asked) == 4 * 4
    assert [b.name for b in db.branches()] == ["main", "b"]
    assert len(rows(db)) == 1001


@pytest.mark.parametrize("fails", range(8))
def test_a_record_that_cannot_be_written_leaves_the_step_undone(fails: int) -> None:
    db = make(4000)
    delete(db, 3000, "t", "u")
    db.fork("gone")
    with db.begin(branch="gone") as t:
        t.delete("t", 3500)
    db.discard("gone")
    log: list[bytes] = []
    copy = Database.restore(db.export())
    tried = 0

    def failing(record: bytes) -> None:
        nonlocal tried
        tried += 1
        if tried == fails + 1:
            raise OSError("the disk is full")
        log.append(record)

    db.on_commit = failing
    expected = rows(db), rows(db, "u")
    raised = 0
    for work in [lambda: db.maintain(0.001)] * 40 + [lambda: db.purge("t", 3999)] * 2 + [db.vacuum] * 2:
        before = db.lsn
        try:
            work()
        except OSError:
            raised += 1
            assert db.lsn == before or work == db.vacuum
            assert (rows(db)[:999], rows(db, "u")) == (expected[0][:999], expected[1])
    assert raised == (fails < tried)
    db.vacuum()
    assert (slots(db), slots(db, "u")) == (999, 1000)
    copy.replay(log)
    assert (rows(copy), rows(copy, "u")) == (rows(db), rows(db, "u"))
    assert copy.lsn == db.lsn


def test_a_purge_finds_rows_whose_keys_moved_and_frees_their_other_keys() -> None:
    db = make()
    with db.begin() as t:
        t.create_index("t", IndexDef("one", "hash", (["col", "a"],), unique=True))
        t.create_index("t", IndexDef("two", "ordered", (["col", "n"],), unique=True))
        for n in range(5):
            t.insert("t", {"id": n, "a": f"a{n}", "n": n})
    with db.begin() as t:
        t.update("t", 1, {"id": 10})
        t.update("t", 2, {"a": "moved"})
    db.fork("b")
    with db.begin(branch="b") as t:
        t.update("t", 10, {"id": 11, "a": "b"})
        t.insert("t", {"id": 1, "a": "a1", "n": 50})
    assert db.purge("t", 1) == 2
    for branch in ("main", "b"):
        assert [r[0] for r in rows(db, branch=branch)] == [0, 2, 3, 4]
        with db.begin(branch=branch) as t:
            t.insert("t", {"id": 1, "a": "a1", "n": 1})
            t.insert("t", {"id": 10, "a": "b", "n": 50})
    assert db.merge("b").applied
    db.vacuum()
    restored = Database.restore(db.export())
    assert rows(restored) == rows(restored, branch="b") == rows(db)
    assert [r["id"] for r in restored.begin().lookup("t", "one", "b")] == [10]


def test_an_interruption_behind_a_commit_takes_nothing_back(monkeypatch: pytest.MonkeyPatch) -> None:
    db = make(10)
    original = db.apply

    def interrupted(*args: Any) -> int:
        original(*args)
        raise KeyboardInterrupt

    t = db.begin()
    t.add_column("u", ColumnDef("more", INT64, default=["lit", 5]))
    with monkeypatch.context() as patch:
        patch.setattr(db, "apply", interrupted)
        with pytest.raises(KeyboardInterrupt):
            t.commit()
    assert rows(db, "u")[0] == (0, None, None, 5)


class Interrupter:
    """Raises KeyboardInterrupt at the n-th line of the package that runs; counts the lines."""

    def __init__(self, at: int) -> None:
        self.at, self.lines = at, 0

    def __call__(self, frame: Any, event: str, _: Any) -> Any:
        if "zengram_py" not in frame.f_code.co_filename or frame.f_code.co_name in ("close", "__del__"):
            return None  # Python swallows what is raised in the latter
        if event == "line":
            self.lines += 1
            if self.lines == self.at:
                sys.settrace(None)
                raise KeyboardInterrupt
        return self

    def run(self, call: Callable[[], Any]) -> bool:
        """Call; return whether it was interrupted."""
        before = sys.gettrace()
        sys.settrace(self)
        try:
            call()
        except KeyboardInterrupt:
            return True
        finally:
            sys.settrace(before)
        return False


def updating(db: Database) -> None:
    with db.begin() as t:
        t.update("t", 45, {"n": 7})
        t.insert("t", {"id": 100, "a": "new", "n": 8})
        t.add_column("u", ColumnDef("more", INT64))


WORK: dict[str, Callable[[Database], Any]] = {
    "commit": updating,
    "fork": lambda db: db.fork("x"),
    "discard": lambda db: db.discard("b"),
    "merge": lambda db: db.merge("b"),
    "empty merge": lambda db: db.merge("main", "empty"),
    "purge": lambda db: db.purge("t", 47),
    "vacuum": lambda db: db.vacuum(),
    "export": lambda db: db.export(),
}


def everything(db: Database) -> list[Any]:
    heads = [[rows(db, table, branch=b.name) for table in "tu"] for b in db.branches()]
    return [db.branches(), heads, [d.columns for d in db.tables()]]


@pytest.mark.parametrize("name", WORK)
def test_an_interruption_at_any_line_leaves_all_or_nothing(name: str) -> None:
    work = WORK[name]
    base = make(50)
    base.fork("b")
    base.fork("empty")
    with base.begin(branch="b") as t:
        t.update("t", 48, {"a": "branch"})
    delete(base, 30)
    start = base.export()

    def prepared() -> tuple[Database, list[bytes]]:
        db, log = Database.restore(start, clock=ManualClock()), []
        for key in range(40, 44):  # in the tails of the indexes and the heaps
            with db.begin() as t:
                t.update("t", key, {"a": f"tail {key}", "n": 1000 + key})
        db.on_commit = log.append
        return db, log

    db, _ = prepared()
    copied = db.export()
    before = everything(db)
    counter = Interrupter(-1)
    counter.run(lambda: work(db))
    after = everything(db)
    for at in np.unique(np.linspace(1, counter.lines, INTERRUPTIONS).astype(int)).tolist():
        db, log = prepared()
        if not Interrupter(at).run(lambda one=db: work(one)):  # type: ignore[misc]
            continue
        copy = Database.restore(copied, clock=ManualClock())
        if not db._is_open:
            copy.replay(log)
            assert everything(copy) in (before, after), at
            continue
        assert everything(db) in (before, after), at
        with db.begin() as t:
            t.update("t", 44, {"a": "and on"})
        db.vacuum()
        copy.replay(log)
        assert everything(copy) == everything(db), at
        assert everything(Database.restore(db.export())) == everything(db), at
