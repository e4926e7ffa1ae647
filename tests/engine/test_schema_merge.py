"""Merging of schema changes: with rows of the other side, in both directions, and what does not join."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.engine.state import whole
from zengram_py.clock import ManualClock
from zengram_py.engine import INT64, TEXT, ColumnDef, Database, IndexDef, Transaction

Change = Callable[[Transaction], Any]
LENGTH = ["length", ["col", "word"]]


@pytest.fixture
def db() -> Database:
    database = Database.open(clock=ManualClock())
    database.create_table(
        "item",
        [ColumnDef("id", INT64), ColumnDef("n", INT64), ColumnDef("word", TEXT)],
        primary_key=["id"],
        indexes=[IndexDef("by_n", "ordered", (["col", "n"],))],
    )
    with database.begin() as t:
        t.insert_many("item", {"id": [1, 2, 3], "n": [10, 20, 30], "word": ["a", "bb", "ccc"]})
    database.fork("side")
    return database


def rows(db: Database, branch: str = "main") -> list[tuple[Any, ...]]:
    with db.begin(branch=branch) as t:
        return sorted(tuple(row.values()) for row in t.scan("item"))


def change_rows(t: Transaction) -> None:
    """What the side without the schema change does: a new row, a changed one, one gone."""
    t.insert("item", {"id": 4, "n": 40, "word": "dddd"})
    t.update("item", 2, {"n": 21, "word": "bbb"})
    t.delete("item", 3)


WITH_ROWS: dict[str, tuple[list[Change], list[tuple[Any, ...]]]] = {
    "a column with a default": (
        [lambda t: t.add_column("item", ColumnDef("x", INT64, default=["lit", 5], nullable=False))],
        [(1, 10, "a", 5), (2, 21, "bbb", 5), (4, 40, "dddd", 5)],
    ),
    "a column with a computed default": (
        [
            lambda t: t.add_column(
                "item", ColumnDef("x", INT64, default=["*", ["lit", 6], ["lit", 7]], nullable=False)
            )
        ],
        [(1, 10, "a", 42), (2, 21, "bbb", 42), (4, 40, "dddd", 42)],
    ),
    "another type": (
        [lambda t: t.alter_type("item", "n", TEXT)],
        [(1, "10", "a"), (2, "21", "bbb"), (4, "40", "dddd")],
    ),
    "another type, computed": (
        [lambda t: t.alter_type("item", "n", INT64, using=["+", LENGTH, ["col", "n"]])],
        [(1, 11, "a"), (2, 24, "bbb"), (4, 44, "dddd")],
    ),
    "another type, computed from a renamed column": (
        [
            lambda t: t.rename_column("item", "word", "text"),
            lambda t: t.alter_type("item", "n", INT64, using=["length", ["col", "text"]]),
        ],
        [(1, 1, "a"), (2, 3, "bbb"), (4, 4, "dddd")],
    ),
    "another type of a new column": (
        [
            lambda t: t.add_column("item", ColumnDef("x", INT64, default=["lit", 5])),
            lambda t: t.alter_type("item", "x", TEXT),
        ],
        [(1, 10, "a", "5"), (2, 21, "bbb", "5"), (4, 40, "dddd", "5")],
    ),
    "another type, twice": (
        [lambda t: t.alter_type("item", "n", TEXT), lambda t: t.alter_type("item", "n", INT64)],
        [(1, 10, "a"), (2, 21, "bbb"), (4, 40, "dddd")],
    ),
    "another type of a computed column": (
        [
            lambda t: t.add_column("item", ColumnDef("x", INT64, default=["+", ["lit", 2], ["lit", 3]])),
            lambda t: t.alter_type("item", "x", TEXT),
            lambda t: t.alter_type("item", "x", INT64, using=["length", ["col", "x"]]),
        ],
        [(1, 10, "a", 1), (2, 21, "bbb", 1), (4, 40, "dddd", 1)],
    ),
    "a dropped column": ([lambda t: t.drop_column("item", "word")], [(1, 10), (2, 21), (4, 40)]),
    "another table name": (
        [lambda t: t.rename_table("item", "x"), lambda t: t.rename_table("x", "item")],
        [(1, 10, "a"), (2, 21, "bbb"), (4, 40, "dddd")],
    ),
}


@pytest.mark.parametrize("changed", ["side", "main"])
@pytest.mark.parametrize("restored", [False, True], ids=["", "restored"])
@pytest.mark.parametrize("together", [False, True], ids=["one by one", "together"])
@pytest.mark.parametrize("name", WITH_ROWS)
def test_the_rows_of_one_side_take_the_schema_of_the_other(
    db: Database, name: str, together: bool, restored: bool, changed: str
) -> None:
    changes, expected = WITH_ROWS[name]
    other = "main" if changed == "side" else "side"
    early = db.timestamp
    with db.begin(branch=other) as t:
        change_rows(t)
    if together:
        with db.begin(branch=changed) as t:
            for change in changes:
                change(t)
    else:
        for change in changes:
            with db.begin(branch=changed) as t:
                change(t)
    if restored:
        db = Database.restore(db.export(), clock=db.clock)
    log: list[bytes] = []
    copy, db.on_commit = Database.restore(db.export()), log.append
    before = rows(db, "side")
    report = db.merge("side", dry_run=True)
    assert not report.conflicts
    assert rows(db, "side") == before
    assert db.merge("side").applied
    assert rows(db) == expected
    assert rows(db, "side") == before
    with db.begin() as t:
        assert sorted(r["id"] for r in t.range("item", "by_n")) == [1, 2, 4]
    assert db.merge("main", "side").applied
    assert rows(db, "side") == expected
    assert db.merge("side").timestamp is None
    assert next(tuple(r.values()) for r in db.begin(as_of=early).scan("item")) == (1, 10, "a")
    copy.replay(log)
    for other_db in (copy, Database.restore(db.export())):
        assert rows(other_db) == rows(other_db, "side") == expected


@pytest.mark.parametrize("changed", ["side", "main"])
@pytest.mark.parametrize("using", [None, ["/", ["lit", 60], ["-", ["length", ["col", "word"]], ["lit", 4]]]])
def test_a_row_that_does_not_convert_is_a_conflict_and_nothing_is_applied(
    db: Database, changed: str, using: Any
) -> None:
    with db.begin() as t:
        t.update("item", 1, {"word": "1"})
        t.update("item", 2, {"word": "2"})
        t.update("item", 3, {"word": "3"})
    db.fork("other")
    with db.begin(branch="other" if changed == "side" else "main") as t:
        t.insert("item", {"id": 4, "word": "what"})
    with db.begin(branch="main" if changed == "side" else "other") as t:
        t.alter_type("item", "word", INT64, using=using)
    before = whole(db)["branches"]
    report = db.merge("other")
    assert not report.applied
    assert [(c.table, c.key) for c in report.conflicts] == [("item", (4,))]
    shown = report.conflicts[0].ours or report.conflicts[0].theirs
    assert shown is not None
    assert shown["word"] == "what"
    assert whole(db)["branches"] == before


def test_a_drawn_default_is_drawn_once_for_each_row(db: Database) -> None:
    with db.begin() as t:
        t.create_sequence("s")
    db.fork("b")
    with db.begin() as t:
        t.add_column(
            "item", ColumnDef("x", INT64, default=["nextval", t.reader.catalog.find("sequence", "s").id])
        )
    with db.begin(branch="b") as t:
        t.insert("item", {"id": 4})
        t.insert("item", {"id": 5})
    log: list[bytes] = []
    copy, db.on_commit = Database.restore(db.export()), log.append
    assert not db.merge("b", dry_run=True).conflicts
    for _ in range(3):
        assert db.merge("b").applied
        with db.begin(branch="b") as t:
            t.update("item", 4, {"n": db.lsn})
    drawn = [row[3] for row in rows(db)]
    assert len(set(drawn)) == 5
    assert drawn[:3] == [1, 2, 3]
    copy.replay(log)
    assert rows(copy) == rows(db)


Pair = tuple[Change, Change, str]
CONFLICTS: dict[str, Pair] = {
    "one column changed twice": (
        lambda t: t.alter_column("item", "n", default=["lit", 1]),
        lambda t: t.alter_column("item", "n", default=["lit", 2]),
        "both sides changed this definition",
    ),
    "a table dropped and altered": (
        lambda t: t.drop_table("item"),
        lambda t: t.add_column("item", ColumnDef("x", INT64)),
        "both sides changed this definition",
    ),
    "a table dropped and its rows changed": (
        lambda t: t.drop_table("item"),
        lambda t: t.update("item", 1, {"n": 5}),
        "dropped the table",
    ),
    "two tables of one name": (
        lambda t: t.create_table("new", [ColumnDef("a", TEXT)]),
        lambda t: t.create_table("new", [ColumnDef("a", TEXT)]),
        "both sides have a table of this name",
    ),
    "a table and a sequence of one name": (
        lambda t: t.create_table("new", [ColumnDef("a", TEXT)]),
        lambda t: t.create_sequence("new"),
        "of this name",
    ),
    "a renamed table and a new one": (
        lambda t: t.rename_table("item", "new"),
        lambda t: t.create_table("new", [ColumnDef("a", TEXT)]),
        "of this name",
    ),
    "two enums of one name": (
        lambda t: t.create_enum("mood", ["a"]),
        lambda t: t.create_enum("mood", ["a"]),
        "both sides have a enum of this name",
    ),
}


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("name", CONFLICTS)
def test_definitions_that_do_not_join_are_a_conflict(db: Database, name: str, turned: bool) -> None:
    one, other, reason = CONFLICTS[name]
    with db.begin(branch="side" if turned else "main") as t:
        one(t)
    with db.begin(branch="main" if turned else "side") as t:
        other(t)
        t.create_table("innocent", [ColumnDef("a", TEXT)])
    before = whole(db)
    report = db.merge("side")
    assert (report.applied, report.timestamp) == (False, None)
    assert [c.key for c in report.conflicts] == [None]
    assert reason in report.conflicts[0].reason
    assert whole(db) == before


@pytest.mark.parametrize("strategy", ["ours", "theirs"])
@pytest.mark.parametrize("dropped", ["main", "side"])
def test_a_strategy_decides_between_a_dropped_table_and_changed_rows(
    db: Database, strategy: str, dropped: str
) -> None:
    with db.begin(branch=dropped) as t:
        t.drop_table("item")
    with db.begin(branch="side" if dropped == "main" else "main") as t:
        t.update("item", 1, {"n": 5})
    assert db.merge("side", strategy=strategy).applied
    kept = (strategy == "ours") == (dropped == "side")
    assert [t.title for t in db.tables()] == (["item"] if kept else [])
    if kept:
        assert rows(db) == [(1, 5, "a"), (2, 20, "bb"), (3, 30, "ccc")]


def test_equal_changes_of_a_definition_join(db: Database) -> None:
    for branch in ("main", "side"):
        with db.begin(branch=branch) as t:
            t.alter_column("item", "n", default=["lit", 1])
    assert db.merge("side").applied


def test_a_new_table_comes_with_its_rows_and_its_indexes(db: Database) -> None:
    with db.begin(branch="side") as t:
        t.create_table(
            "new",
            [ColumnDef("id", INT64, identity="always"), ColumnDef("w", TEXT)],
            primary_key=["id"],
            indexes=[IndexDef("by_w", "ordered", (["col", "w"],))],
        )
        t.insert_many("new", {"w": ["b", "a"]})
    report = db.merge("side")
    assert (report.added, report.definitions) == (2, 2)
    with db.begin() as t:
        assert [r["w"] for r in t.range("new", "by_w")] == ["a", "b"]
        assert t.insert("new", {"w": "c"})["id"] == 3
    with db.begin(branch="side") as t:
        assert t.insert("new", {"w": "d"})["id"] == 4
    assert db.merge("side").added == 1


def test_rebase_brings_the_schema_of_the_parent(db: Database) -> None:
    with db.begin() as t:
        t.alter_type("item", "n", TEXT)
    with db.begin(branch="side") as t:
        change_rows(t)
    before = rows(db, "side")
    assert db.rebase("side", dry_run=True).definitions == 1
    assert rows(db, "side") == before
    then = db.timestamp
    assert db.rebase("side").applied
    assert rows(db, "side") == [(1, "10", "a"), (2, "21", "bbb"), (4, "40", "dddd")]
    with db.begin(branch="side", as_of=then) as t:
        assert sorted(tuple(r.values()) for r in t.scan("item")) == before
