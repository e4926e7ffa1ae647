"""Merges of rows: reports, strategies and choices, merge rules, repetition, tables without a key, and rebase."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.state import seen, whole
from zengram_py.clock import ManualClock
from zengram_py.engine import INT64, NUMERIC, TEXT, ColumnDef, Database, IndexDef
from zengram_py.errors import BranchError


@pytest.fixture
def db() -> Database:
    database = Database.open(clock=ManualClock())
    database.create_table(
        "t",
        [
            ColumnDef("k", TEXT),
            ColumnDef("n", INT64),
            ColumnDef("w", TEXT),
            ColumnDef("sum", INT64, merge="sum"),
            ColumnDef("max", NUMERIC, merge="max"),
            ColumnDef("new", TEXT, merge="newest"),
        ],
        primary_key=["k"],
        indexes=[IndexDef("by_n", "ordered", (["col", "n"],))],
    )
    put(database, "main", a=1, b=2, c=3)
    database.fork("side")
    return database


def put(db: Database, branch: str, **rows: Any) -> None:
    """Write n, or several columns, of rows in one commit; None deletes."""
    with db.begin(branch=branch) as t:
        for k, values in rows.items():
            values = {"n": values} if isinstance(values, int) else values
            if values is None:
                assert t.delete("t", k)
            elif not t.update("t", k, values):
                t.insert("t", {"k": k, **values})


def rows(db: Database, branch: str = "main", column: str = "n") -> dict[str, Any]:
    with db.begin(branch=branch) as t:
        seen(t)
        return {row["k"]: row[column] for row in t.scan("t")}


def test_a_report_counts_what_was_added_changed_and_removed(db: Database) -> None:
    put(db, "side", a=10, b=None, d=4, e=5)
    put(db, "main", f=6)
    before = whole(db)
    dry = db.merge("side", dry_run=True)
    assert whole(db) == before
    assert (dry.applied, dry.timestamp) == (False, None)
    report = db.merge("side")
    for r in (dry, report):
        assert (r.source, r.target) == ("side", "main")
        assert (r.added, r.changed, r.removed, r.definitions, r.conflicts) == (2, 1, 1, 0, [])
    assert (report.applied, report.timestamp) == (True, db.timestamp)
    assert rows(db) == {"a": 10, "c": 3, "d": 4, "e": 5, "f": 6}
    assert rows(db, "side") == {"a": 10, "c": 3, "d": 4, "e": 5}
    again = db.merge("side")
    assert (again.applied, again.timestamp, again.added, again.changed) == (True, None, 0, 0)


# our change of row a (n=1), theirs, the reason of the conflict, and the row by strategy
CONFLICTS: dict[str, tuple[Any, Any, str, Any, Any]] = {
    "changed on both sides": (10, 20, "both sides changed the row", 10, 20),
    "deleted here": (None, 20, "one side deleted the row", "gone", 20),
    "deleted there": (10, None, "one side deleted the row", 10, "gone"),
}


@pytest.mark.parametrize("newer", ["ours", "theirs"])
@pytest.mark.parametrize("case", CONFLICTS)
def test_a_conflict_is_reported_and_decided_by_strategy_or_choice(
    db: Database, case: str, newer: str
) -> None:
    our, their, reason, if_ours, if_theirs = CONFLICTS[case]
    for side in ("theirs", "ours") if newer == "ours" else ("ours", "theirs"):
        put(db, "main" if side == "ours" else "side", a=our if side == "ours" else their)
    put(db, "side", b=22)
    before = whole(db)
    report = db.merge("side")
    (conflict,) = report.conflicts
    assert not report.applied
    assert (conflict.table, conflict.key) == ("t", ("a",))
    assert reason in conflict.reason
    shown = [row and row["n"] for row in (conflict.base, conflict.ours, conflict.theirs)]
    assert shown == [1, our, their]
    assert whole(db) == before
    data = db.export()
    for strategy in ("ours", "theirs", "newest"):
        for options in ({"strategy": strategy}, {"choices": {("t", ("a",)): strategy}}):
            copy = Database.restore(data, clock=db.clock)
            assert copy.merge("side", **options).applied  # type: ignore[arg-type]
            takes_ours = strategy == "ours" or (strategy == "newest" and newer == "ours")
            assert rows(copy).get("a", "gone") == (if_ours if takes_ours else if_theirs)
            assert rows(copy)["b"] == 22
            assert copy.merge("side").timestamp is None


def test_choices_come_before_the_strategy_and_each_row_has_its_own(db: Database) -> None:
    put(db, "main", a=10, b=20, c=30)
    put(db, "side", a=11, b=21, c=31)
    report = db.merge("side", choices={("t", ("a",)): "theirs"})
    assert [c.key for c in report.conflicts] == [("b",), ("c",)]
    choices = {("t", ("a",)): "theirs", ("t", ("b",)): "ours"}
    assert db.merge("side", strategy="newest", choices=choices).applied
    assert rows(db) == {"a": 11, "b": 20, "c": 31}
    with pytest.raises(BranchError, match="strategy"):
        db.merge("side", choices={("t", ("a",)): "mine"})


def test_two_inserts_of_one_key_conflict_unless_they_are_equal(db: Database) -> None:
    put(db, "main", same=7, other=7)
    put(db, "side", same=7, other=8)
    (conflict,) = db.merge("side").conflicts
    assert (conflict.key, conflict.base, conflict.reason) == (
        ("other",),
        None,
        "both sides added a row with this key",
    )


def test_equal_changes_and_changes_of_what_the_other_left_alone_join(db: Database) -> None:
    put(db, "main", a=9, b=None, c={"w": "main"})
    put(db, "side", a=9, b=None)
    assert db.merge("side").timestamp is None
    put(db, "side", c={"w": "side"})
    assert [c.key for c in db.merge("side").conflicts] == [("c",)]
    put(db, "side", c={"w": "main"})
    assert db.merge("side").applied


# rule's column, base, ours, theirs, expected
RULES: list[tuple[str, Any, Any, Any, Any]] = [
    ("sum", 10, 13, 15, 18),
    ("sum", 10, 13, 10, 13),
    ("sum", 10, 10, 15, 15),
    ("sum", 10, 5, 4, -1),
    ("sum", None, 3, 4, 7),
    ("sum", None, None, 4, 4),
    ("sum", 10, None, 15, 5),
    ("sum", 10, None, None, None),
    ("max", 10, 13, 15, 15),
    ("max", 10, 15, 13, 15),
    ("max", 10, 5, 10, 5),
    ("max", 10, 10, 5, 5),
    ("max", 10, 3, 5, 5),
    ("max", None, 3, None, 3),
    ("max", 10, "NaN", 99, "NaN"),
    ("new", "x", "ours", "theirs", "theirs"),
    ("new", "x", "ours", "x", "ours"),
    ("new", "x", None, "theirs", "theirs"),
    ("new", None, "ours", None, "ours"),
]


@pytest.mark.parametrize(("column", "base", "ours", "theirs", "expected"), RULES)
def test_a_merge_rule_joins_changes_of_both_sides(
    db: Database, column: str, base: Any, ours: Any, theirs: Any, expected: Any
) -> None:
    put(db, "main", r={column: base})
    db.fork("b")
    if ours != base:
        put(db, "main", r={column: ours, "n": 5})
    if theirs != base:
        put(db, "b", r={column: theirs})
    report = db.merge("b")
    assert report.conflicts == []
    got = rows(db, column=column)["r"]
    assert (None if got is None else str(got)) == (None if expected is None else str(expected))
    assert rows(db)["r"] == (5 if ours != base else None)
    assert db.merge("b").timestamp is None


def test_rules_join_rows_that_both_sides_added_as_if_they_began_with_nothing(db: Database) -> None:
    put(db, "main", r={"n": 1, "sum": 3, "max": 4, "new": "ours"})
    put(db, "side", r={"n": 1, "sum": 4, "max": 3, "new": "theirs"})
    assert db.merge("side").applied
    assert [rows(db, column=c)["r"] for c in ("sum", "max", "new")] == [7, 4, "theirs"]


def test_a_sum_is_exact_and_one_that_is_out_of_range_is_a_conflict(db: Database) -> None:
    db.create_table(
        "x",
        [ColumnDef("k", INT64), ColumnDef("i", INT64, merge="sum"), ColumnDef("d", NUMERIC, merge="sum")],
        primary_key=["k"],
    )
    with db.begin() as t:
        t.insert("x", {"k": 1, "i": 0, "d": "0"})
    db.fork("b")
    many = "1234567890123456789012345678901234567890"
    with db.begin() as t:
        t.update("x", 1, {"d": many, "i": 1 << 62})
    with db.begin(branch="b") as t:
        t.update("x", 1, {"d": "0.5", "i": 1})
    assert db.merge("b").applied
    row = db.begin().get("x", 1)
    assert row is not None
    assert (row["i"], str(row["d"])) == ((1 << 62) + 1, f"{many}.5")
    with db.begin(branch="b") as t:
        t.update("x", 1, {"i": 1 << 62})
    before = whole(db)
    assert [c.key for c in db.merge("b").conflicts] == [(1,)]
    assert whole(db) == before


def test_a_delete_wins_over_changes_of_columns_with_a_rule_alone(db: Database) -> None:
    put(db, "main", a=None, b={"sum": 5})
    put(db, "side", a={"sum": 5}, b=None)
    assert db.merge("side").conflicts == []
    assert rows(db) == {"c": 3}


def test_newest_decides_by_the_time_of_the_change_not_of_the_merge(db: Database) -> None:
    put(db, "side", a={"new": "side"}, b={"new": "side"})
    put(db, "main", a={"new": "main"})
    put(db, "side", b={"new": "later"})
    db.merge("side")
    assert rows(db, column="new") == {"a": "main", "b": "later", "c": None}


def test_counters_are_added_once_however_often_branches_meet(db: Database) -> None:
    total = 0
    db.fork("third")
    for round_number in range(12):
        for branch in ("main", "side", "third"):
            amount = round_number + len(branch)
            with db.begin(branch=branch) as t:
                row = t.get("t", "a")
                assert row is not None
                t.update("t", "a", {"sum": (row["sum"] or 0) + amount})
            total += amount
        source, target = [("side", "main"), ("main", "side"), ("third", "main"), ("main", "third")][
            round_number % 4
        ]
        assert db.merge(source, target).applied
    for source, target in (("side", "main"), ("third", "main"), ("main", "side"), ("main", "third")):
        assert db.merge(source, target).applied
    assert {rows(db, branch, "sum")["a"] for branch in ("main", "side", "third")} == {total}


def test_branches_that_merge_in_both_directions_are_compared_with_where_they_last_met(db: Database) -> None:
    put(db, "side", a=10)
    db.merge("side")
    put(db, "main", a=11, b=20)
    db.merge("main", "side")
    put(db, "side", a=12)
    put(db, "main", b=21)
    assert db.merge("side").conflicts == []
    assert db.merge("main", "side").conflicts == []
    assert rows(db) == rows(db, "side") == {"a": 12, "b": 21, "c": 3}


def test_a_change_that_was_taken_back_on_the_target_is_not_brought_again(db: Database) -> None:
    put(db, "side", a=10)
    db.merge("side")
    put(db, "main", a=1)
    put(db, "side", b=20)
    assert db.merge("side").changed == 1
    assert rows(db) == {"a": 1, "b": 20, "c": 3}


def test_a_key_that_changed_on_one_side(db: Database) -> None:
    with db.begin(branch="side") as t:
        t.update("t", "a", {"k": "z"})
    put(db, "main", b=22)
    report = db.merge("side")
    assert (report.added, report.removed, report.changed) == (1, 1, 0)
    assert rows(db) == {"z": 1, "b": 22, "c": 3}
    with db.begin() as t:
        t.update("t", "c", {"k": "y"})
    put(db, "side", c=33)
    (conflict,) = db.merge("side").conflicts
    assert (conflict.key, conflict.ours) == (("c",), None)


def test_keys_that_change_places(db: Database) -> None:
    with db.begin(branch="side") as t:
        t.update("t", "a", {"k": "tmp"})
        t.update("t", "b", {"k": "a"})
        t.update("t", "tmp", {"k": "b"})
    assert db.merge("side").applied
    assert rows(db) == {"a": 2, "b": 1, "c": 3}
    assert db.merge("main", "side").timestamp is None


def test_rows_without_a_key_are_known_by_what_they_were(db: Database) -> None:
    db.create_table("log", [ColumnDef("x", INT64), ColumnDef("y", INT64)])
    with db.begin() as t:
        t.insert_many("log", {"x": [1, 2, 2, 3]})
    db.fork("b")

    def log(branch: str) -> list[tuple[Any, ...]]:
        return sorted(tuple(row.values()) for row in db.begin(branch=branch).scan("log"))

    with db.begin(branch="b") as t:
        t.insert("log", {"x": 9})
        t.update_where("log", ["=", ["col", "x"], ["lit", 1]], {"x": 10})
    with db.begin() as t:
        t.insert("log", {"x": 9})
        t.delete_where("log", ["=", ["col", "x"], ["lit", 3]])
    for _ in range(2):
        assert db.merge("b").conflicts == []
        assert db.merge("main", "b").conflicts == []
        assert log("main") == log("b") == [(2, None), (2, None), (9, None), (9, None), (10, None)]
    with db.begin(branch="b") as t:
        t.update_where("log", ["=", ["col", "x"], ["lit", 10]], {"y": 1})
    with db.begin() as t:
        t.update_where("log", ["=", ["col", "x"], ["lit", 10]], {"y": 2})
    (conflict,) = db.merge("b").conflicts
    assert (conflict.table, conflict.ours, conflict.theirs) == ("log", {"x": 10, "y": 2}, {"x": 10, "y": 1})
    assert db.merge("b", choices={("log", conflict.key): "theirs"}).applied
    assert (10, 1) in log("main")


def test_siblings_and_cousins_merge_by_what_they_have_in_common(db: Database) -> None:
    db.fork("sibling")
    db.fork("cousin", parent="side")
    put(db, "sibling", a=10)
    put(db, "cousin", b=20)
    put(db, "side", c=30)
    assert db.merge("cousin", "sibling").applied
    assert rows(db, "sibling") == {"a": 10, "b": 20, "c": 3}
    assert db.merge("side", "sibling").applied
    assert rows(db, "sibling") == {"a": 10, "b": 20, "c": 30}
    assert db.merge("sibling").applied
    assert rows(db) == {"a": 10, "b": 20, "c": 30}
    assert db.merge("side").timestamp is None


def test_a_rebase_brings_the_parent_in_and_leaves_the_past_as_it_was(db: Database) -> None:
    put(db, "side", a=10)
    then = db.timestamp
    db.fork("grandchild", parent="side")
    put(db, "grandchild", c=33)
    put(db, "main", b=20, c=None, d=4)
    before = {branch: rows(db, branch) for branch in ("main", "side", "grandchild")}
    past = seen(db.begin(branch="side", as_of=then))
    info = next(i for i in db.branches() if i.name == "side")
    dry = db.rebase("side", dry_run=True)
    assert (dry.added, dry.changed, dry.removed, dry.applied) == (1, 1, 1, False)
    assert {branch: rows(db, branch) for branch in before} == before
    assert db.rebase("side").applied
    assert rows(db, "side") == {"a": 10, "b": 20, "d": 4}
    assert (rows(db), rows(db, "grandchild")) == (before["main"], before["grandchild"])
    assert seen(db.begin(branch="side", as_of=then)) == past
    assert next(i for i in db.branches() if i.name == "side").forked_at == info.forked_at
    assert db.rebase("side").timestamp is None
    report = db.rebase("grandchild")
    assert [(c.key, c.ours["n"], c.theirs) for c in report.conflicts if c.ours] == [(("c",), 33, None)]
    assert db.rebase("grandchild", strategy="ours").applied
    assert rows(db, "grandchild") == {"a": 10, "b": 20, "c": 33, "d": 4}
    assert {c.key for c in db.diff("grandchild", against="side")} == {("c",)}
    assert db.merge("side").changed == 1
