"""Branches: what each reads and writes, lineages, names and counts, diffs, discarding; and what a fork costs."""

from __future__ import annotations

import gc
import time
import tracemalloc
from typing import Any

import numpy as np
import pytest

from tests.engine.state import seen, whole
from zengram_py.clock import ManualClock
from zengram_py.engine import INT64, TEXT, ColumnDef, Database, IndexDef, vector
from zengram_py.engine.index.flat import FlatIndex
from zengram_py.engine.table import TableStore
from zengram_py.engine.visibility import Visibility
from zengram_py.errors import BranchError


@pytest.fixture
def db() -> Database:
    database = Database.open(clock=ManualClock())
    database.create_table(
        "t",
        [ColumnDef("k", TEXT), ColumnDef("n", INT64), ColumnDef("v", vector(2))],
        primary_key=["k"],
        indexes=[
            IndexDef("by_n", "ordered", (["col", "n"],)),
            IndexDef("of_n", "hash", (["col", "n"],)),
            IndexDef("near", "flat", (["col", "v"],), options={"metric": "l2"}),
        ],
    )
    put(database, "main", a=1, b=2)
    return database


def put(db: Database, branch: str, **rows: int | None) -> None:
    """Write rows (None deletes) in one commit."""
    with db.begin(branch=branch) as t:
        for k, n in rows.items():
            if n is None:
                assert t.delete("t", k)
            elif not t.update("t", k, {"n": n, "v": [n, 0]}):
                t.insert("t", {"k": k, "n": n, "v": [n, 0]})


def rows(db: Database, branch: str = "main", **at: Any) -> dict[str, int]:
    """Return the rows of a branch; every index must agree with the scan."""
    with db.begin(branch=branch, **at) as t:
        found = {row["k"]: row["n"] for row in t.scan("t")}
        assert {k: t.get("t", k)["n"] for k in found} == found  # type: ignore[index]
        ordered = [(row["n"], row["k"]) for row in t.range("t", "by_n")]
        assert sorted(ordered) == sorted((n, k) for k, n in found.items())
        assert [n for n, _ in ordered] == sorted(n for n, _ in ordered)
        for n in range(12):
            assert sorted(r["k"] for r in t.lookup("t", "of_n", n)) == sorted(
                k for k, m in found.items() if m == n
            )
        assert nearest(t, 0) == sorted(found.values())
    return found


def nearest(t: Any, to: float) -> list[int]:
    """Return n of all rows by the flat index, nearest first."""
    table = t.seen("t")
    state = table.index("near")
    assert isinstance(state.structure, FlatIndex)
    slots = {int(state.entry.view[slot]): slot for slot in table.slots}
    entries = np.array(sorted(slots), np.int32)
    found, _ = state.structure.nearest(np.array([to, 0], np.float32), len(entries), entries)
    return [table.column("n").get(slots[entry]) for entry in found.tolist()]


# -- lineages ------------------------------------------------------------------------------------------------------------


def test_a_branch_reads_its_parent_as_it_was_and_its_own_writes(db: Database) -> None:
    db.fork("one")
    put(db, "main", a=5, c=3)
    put(db, "one", b=7, d=4)
    put(db, "one", a=None)
    assert rows(db) == {"a": 5, "b": 2, "c": 3}
    assert rows(db, "one") == {"b": 7, "d": 4}


def test_forks_nest_to_any_depth_and_siblings_do_not_see_each_other(db: Database) -> None:
    expected = {"main": {"a": 1, "b": 2}}
    name = "main"
    for depth in range(8):
        for sibling in ("x", "y"):
            child = f"{sibling}{depth}"
            db.fork(child, parent=name)
            put(db, child, **{child: depth % 10})
            expected[child] = {**expected[name], child: depth % 10}
            if depth % 3 == 2:  # a goes, and three levels further down it comes back
                a = None if "a" in expected[child] else 9
                put(db, child, a=a)
                expected[child] = {k: n for k, n in {**expected[child], "a": a}.items() if n is not None}
        name = f"x{depth}"
    put(db, "main", z=11)
    expected["main"]["z"] = 11
    for database in (db, Database.restore(db.export())):
        assert {info.name: rows(database, info.name) for info in database.branches()} == expected


def test_a_grandchild_reads_its_parent_at_its_own_fork_and_as_of_earlier_times(db: Database) -> None:
    start = db.timestamp
    db.fork("child")
    put(db, "child", a=2)
    middle = db.timestamp
    db.fork("grandchild", parent="child")
    db.fork("past", parent="child", as_of=start)
    put(db, "child", a=3, b=None)
    put(db, "grandchild", a=4)
    assert rows(db, "grandchild") == {"a": 4, "b": 2}
    assert rows(db, "grandchild", as_of=middle) == {"a": 2, "b": 2}
    assert rows(db, "grandchild", as_of=start) == rows(db, "past") == {"a": 1, "b": 2}
    assert rows(db, "child") == {"a": 3}
    put(db, "past", a=8)
    assert rows(db, "past") == {"a": 8, "b": 2}


def test_a_key_goes_and_comes_back_on_a_branch(db: Database) -> None:
    db.fork("one")
    for n in (3, None, 4, None, 5):
        put(db, "one", a=n)
    assert rows(db, "one") == {"a": 5, "b": 2}
    assert rows(db) == {"a": 1, "b": 2}


def test_open_transactions_of_branches_keep_what_they_read(db: Database) -> None:
    db.fork("one")
    readers = {name: db.begin(branch=name) for name in ("main", "one")}
    before = {name: seen(t) for name, t in readers.items()}
    for n in range(3, 8):
        put(db, "main", a=n)
        put(db, "one", a=n, b=n)
        db.merge("one", strategy="theirs")
        assert {name: seen(t) for name, t in readers.items()} == before


# -- names and counts ----------------------------------------------------------------------------------------------------


def test_branches_are_listed_with_how_far_they_are_apart(db: Database) -> None:
    forked = db.timestamp
    db.fork("one")
    put(db, "one", c=1)
    put(db, "one", c=2)
    put(db, "main", d=1)

    def counts(name: str = "one") -> tuple[int, int]:
        info = next(i for i in db.branches() if i.name == name)
        assert (info.parent, info.forked_at) == ("main", forked)
        return info.ahead, info.behind

    assert (db.branches()[0].name, db.branches()[0].parent) == ("main", None)
    assert counts() == (2, 1)
    db.merge("one")
    assert counts() == (0, 1)
    db.rebase("one")
    assert counts() == (0, 0)
    put(db, "one", c=3)
    put(db, "main", d=3)
    put(db, "main", d=4)
    assert counts() == (1, 2)
    db.rebase("one")
    assert counts() == (1, 0)


def test_names_are_unique_among_the_living(db: Database) -> None:
    db.fork("one")
    for name in ("one", "main"):
        with pytest.raises(BranchError, match="already"):
            db.fork(name)
    for name in ("", "  ", None, 5):
        with pytest.raises(BranchError, match="has a name"):
            db.fork(name)  # type: ignore[arg-type]
    for call in (
        lambda: db.fork("x", parent="nope"),
        lambda: db.begin(branch="nope"),
        lambda: db.merge("nope"),
        lambda: db.merge("one", "nope"),
        lambda: db.rebase("nope"),
        lambda: db.discard("nope"),
        lambda: db.diff("nope"),
        lambda: db.diff("one", against="nope"),
        lambda: db.tables("nope"),
    ):
        with pytest.raises(BranchError, match="no branch 'nope'"):
            call()
    for call in (
        lambda: db.merge("one", "one"),
        lambda: db.rebase("main"),
        lambda: db.discard("main"),
        lambda: db.diff("main"),
    ):
        with pytest.raises(BranchError, match=r"itself|main"):
            call()
    put(db, "one", a=9)
    db.discard("one")
    db.fork("one")
    assert rows(db, "one") == {"a": 1, "b": 2}
    with pytest.raises(BranchError, match="strategy"):
        db.merge("one", strategy="mine")


def test_a_discarded_branch_takes_no_commit_and_its_children_go_on(db: Database) -> None:
    db.fork("one")
    put(db, "one", a=5, c=6)
    db.fork("two", parent="one")
    put(db, "two", d=7)
    open_writer, open_reader = db.begin(branch="one"), db.begin(branch="one")
    open_writer.insert("t", {"k": "late"})
    db.discard("one")
    before = whole(db)
    with pytest.raises(BranchError, match="'one' was discarded"):
        open_writer.commit()
    assert open_reader.get("t", "c")["n"] == 6  # type: ignore[index]
    open_reader.commit()
    assert whole(db) == before
    with pytest.raises(BranchError, match="parent of branch 'two'"):
        db.rebase("two")
    for database in (db, Database.restore(db.export(), clock=db.clock)):
        assert rows(database, "two") == {"a": 5, "b": 2, "c": 6, "d": 7}
        put(database, "two", e=8)
        assert {c.key[0] for c in database.diff("two", against="main")} == {"a", "c", "d", "e"}
        assert database.merge("two").applied
        assert rows(database) == {"a": 5, "b": 2, "c": 6, "d": 7, "e": 8}
        assert [i.name for i in database.branches()] == ["main", "two"]


# -- diff ----------------------------------------------------------------------------------------------------------------


def test_a_diff_tells_what_was_added_changed_and_removed(db: Database) -> None:
    db.fork("one")
    assert db.diff("one") == []
    put(db, "one", a=5, b=None, c=3)
    put(db, "main", b=9)
    found = {c.key[0]: c for c in db.diff("one")}
    assert {k: c.kind for k, c in found.items()} == {"a": "changed", "b": "removed", "c": "added"}
    assert found["a"].before["n"] == 1  # type: ignore[index]
    assert found["a"].after["n"] == 5  # type: ignore[index]
    assert (found["b"].after, found["c"].before) == (None, None)
    assert {c.table for c in found.values()} == {"t"}
    put(db, "one", a=1, b=2, c=None)
    assert db.diff("one") == []  # all as it was
    put(db, "one", a=6)
    db.merge("one", strategy="theirs")
    put(db, "one", c=1)
    assert [c.key for c in db.diff("one", against="main")] == [("c",)]
    assert sorted(c.key for c in db.diff("one")) == [("a",), ("c",)]


# -- cost ----------------------------------------------------------------------------------------------------------------


def test_a_fork_of_a_million_rows_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    db = Database.open()
    columns = [ColumnDef("id", INT64), ColumnDef("n", INT64)]
    db.create_table("big", columns, primary_key=["id"])
    with db.begin() as t:
        t.insert_many("big", {"id": np.arange(1_000_000), "n": np.zeros(1_000_000, np.int64)})
    touched: list[str] = []
    original = TableStore.__getattribute__

    def watch(store: TableStore, name: str) -> Any:
        touched.append(name)
        return original(store, name)

    for name in ("state", "sees", "mask", "commit"):
        monkeypatch.setattr(Visibility, name, lambda *_, name=name: touched.append(name))
    monkeypatch.setattr(TableStore, "__getattribute__", watch)
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    started = time.perf_counter()
    for i in range(10):
        db.fork(f"f{i}", parent="main" if not i else f"f{i - 1}")
    spent = time.perf_counter() - started
    now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    monkeypatch.undo()
    assert touched == []
    assert peak - before < 10 * 64 * 1024
    assert now - before < 64 * 1024
    with db.begin(branch="f9") as t:
        assert t.get("big", 999_999) == {"id": 999_999, "n": 0}
        t.update("big", 5, {"n": 1})
    assert db.begin().get("big", 5)["n"] == 0  # type: ignore[index]
    print(f"\na fork of 1,000,000 rows: {spent / 10 * 1e6:.0f} us, {(peak - before) / 10:.0f} bytes")


@pytest.mark.parametrize("branch", ["main", "side"])
def test_a_counter_on_many_rows_copies_no_text_no_vector_and_no_index_entry(branch: str) -> None:
    count = 20_000
    db = Database.open()
    db.create_table(
        "fact",
        [
            ColumnDef("id", INT64),
            ColumnDef("text", TEXT),
            ColumnDef("v", vector(384)),
            ColumnDef("uses", INT64),
        ],
        primary_key=["id"],
        indexes=[
            IndexDef("by_text", "ordered", (["col", "text"],)),
            IndexDef("near", "flat", (["col", "v"],)),
        ],
    )
    rng = np.random.default_rng(1)
    with db.begin() as t:
        t.insert_many(
            "fact",
            {
                "id": np.arange(count),
                "text": [f"fact number {i}" for i in range(count)],
                "v": rng.standard_normal((count, 384), np.float32),
                "uses": np.zeros(count, np.int64),
            },
        )
    db.fork("side")
    (before,) = db.size().values()
    started = time.perf_counter()
    with db.begin(branch=branch) as t:
        t.update_where("fact", None, {"uses": {"expr": ["+", ["col", "uses"], ["lit", 1]]}})
    spent = time.perf_counter() - started
    (after,) = db.size().values()
    grown = {part: after[part] - before.get(part, 0) for part in after if after[part] != before.get(part)}
    assert {part.split()[0] for part in grown} <= {"system", "column", "entries", "masks"}
    per_row = sum(grown.values()) / count
    assert per_row < 100, grown
    with db.begin(branch=branch) as t:
        assert t.read("fact", ["uses"])["uses"].sum() == count  # type: ignore[union-attr]
    print(f"\na counter on {count:,} rows of {branch}: {spent * 1e3:.0f} ms, {per_row:.0f} bytes a row")
