"""Foreign keys: what a delete or an update of a row makes of those that refer to it, at once, at the commit and in a merge."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.state import seen, whole
from zengram_py.clock import ManualClock
from zengram_py.engine import INT64, TEXT, CheckDef, ColumnDef, Database, ForeignKey
from zengram_py.errors import CatalogError, CheckError, ConflictError, ForeignKeyError, NotNullError

BRANCHES = pytest.mark.parametrize("branch", ["main", "side"])


def make(**options: Any) -> Database:
    """Return a database with parents 1 and 2 and two children of 1."""
    db = Database.open(clock=ManualClock())
    db.create_table("parent", [ColumnDef("id", INT64), ColumnDef("name", TEXT)], primary_key=["id"])
    db.create_table(
        "child",
        [ColumnDef("id", INT64), ColumnDef("parent", INT64)],
        primary_key=["id"],
        foreign_keys=[ForeignKey(["parent"], "parent", name="child_parent", **options)],
    )
    with db.begin() as t:
        for i in (1, 2):
            t.insert("parent", {"id": i})
        t.insert_many("child", {"id": [10, 11, 12], "parent": [1, 1, None]})
    db.fork("side")
    return db


def pairs(db: Database, branch: str = "main", table: str = "child") -> list[tuple[Any, ...]]:
    with db.begin(branch=branch) as t:
        return sorted(tuple(row.values()) for row in t.scan(table))


CHILDREN = [(10, 1), (11, 1), (12, None)]
DELETE = {"restrict": None, "cascade": [(12, None)], "set_null": [(10, None), (11, None), (12, None)]}
UPDATE = {
    "restrict": None,
    "cascade": [(10, 5), (11, 5), (12, None)],
    "set_null": [(10, None), (11, None), (12, None)],
}


@BRANCHES
@pytest.mark.parametrize("many", [False, True], ids=["one", "where"])
@pytest.mark.parametrize(("action", "expected"), DELETE.items())
def test_deleting_a_parent(action: str, expected: Any, many: bool, branch: str) -> None:
    db = make(on_delete=action)
    before = whole(db)
    t = db.begin(branch=branch)
    inside = seen(t)

    def remove() -> Any:
        return t.delete_where("parent", ["=", ["col", "id"], ["lit", 1]]) if many else t.delete("parent", 1)

    if expected is None:
        with pytest.raises(ForeignKeyError, match=r"'parent'.*\(1\).*'child'.*'child_parent'") as caught:
            remove()
        assert (caught.value.table, caught.value.constraint, caught.value.value) == (
            "child",
            "child_parent",
            (1,),
        )
        assert seen(t) == inside
        t.rollback()
        assert whole(db) == before
    else:
        assert remove() == 1
        t.commit()
        assert pairs(db, branch) == expected
        assert pairs(db, "main" if branch == "side" else "side") == CHILDREN


@BRANCHES
@pytest.mark.parametrize("many", [False, True], ids=["one", "where"])
@pytest.mark.parametrize(("action", "expected"), UPDATE.items())
def test_changing_the_key_of_a_parent(action: str, expected: Any, many: bool, branch: str) -> None:
    db = make(on_update=action)
    t = db.begin(branch=branch)
    t.update("parent", 1, {"name": "the key stays"})
    inside = seen(t)

    def change() -> Any:
        where = ["=", ["col", "id"], ["lit", 1]]
        return t.update_where("parent", where, {"id": 5}) if many else t.update("parent", 1, {"id": 5})

    if expected is None:
        with pytest.raises(ForeignKeyError, match="child_parent"):
            change()
        assert seen(t) == inside
    else:
        assert change() == 1
        t.commit()
        assert pairs(db, branch) == expected
        assert pairs(db, branch, "parent") == [(2, None), (5, "the key stays")]


RACES: dict[str, tuple[Any, Any]] = {
    "insert of a child, delete of its parent": (
        lambda t: t.insert("child", {"id": 20, "parent": 2}),
        lambda t: t.delete("parent", 2),
    ),
    "many children, change of the parent's key": (
        lambda t: t.insert_many("child", {"id": [20, 21], "parent": [2, 2]}),
        lambda t: t.update("parent", 2, {"id": 3}),
    ),
    "a child that moves, delete of its new parent": (
        lambda t: t.update("child", 12, {"parent": 2}),
        lambda t: t.delete_where("parent", ["=", ["col", "id"], ["lit", 2]]),
    ),
}


@BRANCHES
@pytest.mark.parametrize("deferred", [False, True], ids=["at once", "deferred"])
@pytest.mark.parametrize("turned", [False, True], ids=["child first", "parent first"])
@pytest.mark.parametrize("race", RACES)
def test_of_two_transactions_that_break_it_together_the_second_fails(
    race: str, turned: bool, deferred: bool, branch: str
) -> None:
    db = make(deferred=deferred)
    one, two = RACES[race]
    first, second = db.begin(branch=branch), db.begin(branch=branch)
    one(second if turned else first)
    two(first if turned else second)
    first.commit()
    before = whole(db)
    with pytest.raises(ForeignKeyError, match="child_parent"):
        second.commit()
    assert whole(db) == before


@pytest.mark.parametrize("race", RACES)
@pytest.mark.parametrize("turned", [False, True], ids=["child on main", "parent on main"])
def test_of_two_branches_that_break_it_together_the_merge_reports_it(race: str, turned: bool) -> None:
    db = make()
    one, two = RACES[race]
    with db.begin(branch="side" if turned else "main") as t:
        one(t)
    with db.begin(branch="main" if turned else "side") as t:
        two(t)
    before = whole(db)
    report = db.merge("side")
    assert not report.applied
    assert all("child_parent" in c.reason for c in report.conflicts)
    assert report.conflicts
    assert whole(db) == before


@pytest.mark.parametrize("turned", [False, True], ids=["key on the branch", "table dropped on the branch"])
def test_a_key_and_the_drop_of_its_table_on_two_branches_conflict(turned: bool) -> None:
    db = make()
    db.create_table("late", [ColumnDef("parent", INT64)])
    with db.begin() as t:
        t.drop_constraint("child", "child_parent")
    db.fork("other")
    with db.begin(branch="main" if turned else "other") as t:
        t.add_foreign_key("late", ForeignKey(["parent"], "parent"))
    with db.begin(branch="other" if turned else "main") as t:
        t.drop_table("parent")
    before = whole(db)
    report = db.merge("other")
    assert [c.table for c in report.conflicts] == ["late"]
    assert "parent" in report.conflicts[0].reason
    assert whole(db) == before


@pytest.mark.parametrize("turned", [False, True], ids=["key first", "drop first"])
def test_a_key_and_the_drop_of_its_table_in_two_transactions_conflict(turned: bool) -> None:
    db = make()
    db.create_table("late", [ColumnDef("parent", INT64)])
    with db.begin() as t:
        t.drop_constraint("child", "child_parent")
    key, drop = db.begin(), db.begin()
    key.add_foreign_key("late", ForeignKey(["parent"], "parent"))
    drop.drop_table("parent")
    first, second = (drop, key) if turned else (key, drop)
    first.commit()
    before = whole(db)["branches"]
    with pytest.raises(ConflictError):
        second.commit()
    assert whole(db)["branches"] == before


def test_a_deferred_key_may_be_broken_until_the_commit() -> None:
    db = make(deferred=True)
    with db.begin() as t:
        t.insert("child", {"id": 20, "parent": 9})
        t.insert_many("child", {"id": [21, 22], "parent": [9, 8]})
        t.delete("parent", 1)
        t.insert("parent", {"id": 9})
        t.insert_many("parent", {"id": [8, 1]})
    assert pairs(db) == [(10, 1), (11, 1), (12, None), (20, 9), (21, 9), (22, 8)]
    before = whole(db)
    for change in (
        lambda t: t.insert("child", {"id": 30, "parent": 7}),
        lambda t: t.insert_many("child", {"id": [30], "parent": [7]}),
        lambda t: t.update("child", 10, {"parent": 7}),
        lambda t: t.delete("parent", 1),
        lambda t: t.update("parent", 1, {"id": 7}),
    ):
        t = db.begin()
        change(t)
        with pytest.raises(ForeignKeyError, match="child_parent"):
            t.commit()
        assert whole(db) == before


def make_tree(**options: Any) -> Database:
    db = Database.open(clock=ManualClock())
    db.create_table(
        "node",
        [ColumnDef("id", INT64), ColumnDef("up", INT64)],
        primary_key=["id"],
        foreign_keys=[ForeignKey(["up"], "node", **options)],
    )
    return db


@pytest.mark.parametrize("committed", [True, False], ids=["committed", "own"])
def test_a_table_may_refer_to_itself(committed: bool) -> None:
    db = make_tree(on_delete="cascade", on_update="cascade")
    t = db.begin()
    t.insert("node", {"id": 1, "up": 1})
    t.insert_many("node", {"id": [2, 3, 4], "up": [1, 2, 2]})
    if committed:
        t.commit()
        t = db.begin()
    with pytest.raises(ForeignKeyError):
        t.insert("node", {"id": 9, "up": 8})
    t.update("node", 1, {"id": 100})
    assert sorted(tuple(r.values()) for r in t.scan("node")) == [(2, 100), (3, 2), (4, 2), (100, 100)]
    assert t.update_where("node", None, {"id": {"expr": ["+", ["col", "id"], ["lit", 1000]]}}) == 4
    t.commit()
    assert pairs(db, table="node") == [(1002, 1100), (1003, 1002), (1004, 1002), (1100, 1100)]
    with db.begin() as t:
        t.delete("node", 1002)
    assert pairs(db, table="node") == [(1100, 1100)]
    with db.begin() as t:
        t.delete("node", 1100)
    assert pairs(db, table="node") == []


def test_a_chain_of_any_length_is_deleted() -> None:
    db = make_tree(on_delete="cascade")
    with db.begin() as t:
        t.insert_many("node", {"id": list(range(3000)), "up": [None, *range(2999)]})
    with db.begin() as t:
        assert t.delete("node", 0)
        assert t.count("node") == 0


def test_a_chain_that_is_stopped_at_its_end_leaves_everything() -> None:
    db = make_tree(on_delete="cascade")
    db.create_table("leaf", [ColumnDef("of", INT64)], foreign_keys=[ForeignKey(["of"], "node")])
    with db.begin() as t:
        t.insert_many("node", {"id": [0, 1, 2], "up": [None, 0, 1]})
        t.insert("leaf", {"of": 2})
    with db.begin() as t:
        t.insert_many("node", {"id": [3, 4], "up": [0, 3]})
        before = seen(t)
        for attempt in (lambda: t.delete("node", 0), lambda: t.delete_where("node", None)):
            with pytest.raises(ForeignKeyError, match="leaf"):
                attempt()
            assert seen(t) == before
    with db.begin() as t:
        assert seen(t) == before


def test_a_cascade_may_go_in_a_circle() -> None:
    db = Database.open(clock=ManualClock())
    with db.begin() as t:
        t.create_table("a", [ColumnDef("id", INT64), ColumnDef("b", INT64)], primary_key=["id"])
        t.create_table(
            "b",
            [ColumnDef("id", INT64), ColumnDef("a", INT64)],
            primary_key=["id"],
            foreign_keys=[ForeignKey(["a"], "a", on_delete="cascade", on_update="cascade")],
        )
        t.add_foreign_key("a", ForeignKey(["b"], "b", on_delete="cascade", on_update="cascade"))
        t.insert("a", {"id": 1})
        t.insert("b", {"id": 1, "a": 1})
        t.update("a", 1, {"b": 1})
    with db.begin() as t:
        t.update("a", 1, {"id": 2})
        t.update("b", 1, {"id": 3})
        assert (t.get("a", 2), t.get("b", 3)) == ({"id": 2, "b": 3}, {"id": 3, "a": 2})
    with db.begin() as t:
        t.delete("b", 3)
    assert pairs(db, table="a") == pairs(db, table="b") == []
    with db.begin() as t, pytest.raises(CatalogError, match="referred to"):
        t.drop_table("a")


TWICE = {
    ("cascade", "cascade"): ([], [(1, 7, 7)]),
    ("set_null", "set_null"): ([(1, None, None)], [(1, None, None)]),
    ("set_null", "cascade"): ([], [(1, None, 7)]),
    ("cascade", "set_null"): ([], [(1, 7, None)]),
}


@pytest.mark.parametrize("committed", [True, False], ids=["committed", "own"])
@pytest.mark.parametrize(("actions", "after"), TWICE.items())
def test_a_row_may_refer_twice_to_the_row_that_goes(actions: Any, after: Any, committed: bool) -> None:
    db = Database.open(clock=ManualClock())
    db.create_table("user", [ColumnDef("id", INT64)], primary_key=["id"])
    db.create_table(
        "mail",
        [ColumnDef("id", INT64), ColumnDef("by", INT64), ColumnDef("to", INT64)],
        primary_key=["id"],
        foreign_keys=[
            ForeignKey([c], "user", on_delete=a, on_update=a)
            for c, a in zip(("by", "to"), actions, strict=True)
        ],
    )
    t = db.begin()
    t.insert("user", {"id": 5})
    t.insert("mail", {"id": 1, "by": 5, "to": 5})
    if committed:
        t.commit()
        t = db.begin()
    t.savepoint("before")
    t.delete("user", 5)
    assert [tuple(r.values()) for r in t.scan("mail")] == after[0]
    t.rollback_to_savepoint("before")
    t.update("user", 5, {"id": 7})
    t.commit()
    assert pairs(db, table="mail") == after[1]


def test_a_key_of_several_columns_is_followed_as_one() -> None:
    db = Database.open(clock=ManualClock())
    db.create_table(
        "seat",
        [ColumnDef("row", INT64), ColumnDef("nr", TEXT), ColumnDef("old", TEXT)],
        primary_key=["row", "nr"],
    )
    key = ForeignKey(["r", "n"], "seat", on_update="cascade", on_delete="set_null")
    db.create_table(
        "ticket", [ColumnDef("r", INT64), ColumnDef("n", TEXT), ColumnDef("who", TEXT)], foreign_keys=[key]
    )
    with db.begin() as t:
        t.insert("seat", {"row": 1, "nr": "a"})
        t.insert("ticket", {"r": 1, "n": "a", "who": "Ada"})
        t.insert("ticket", {"r": 7, "n": None, "who": "half a key refers to nothing"})
        with pytest.raises(ForeignKeyError, match=r"\(1, 'b'\)"):
            t.insert("ticket", {"r": 1, "n": "b"})
        t.update("seat", (1, "a"), {"nr": "c"})
    assert pairs(db, table="ticket")[0] == (1, "c", "Ada")
    with db.begin() as t:
        t.delete("seat", (1, "c"))
    with db.begin() as t:
        assert [(r["r"], r["n"]) for r in t.scan("ticket")] == [(7, None), (None, None)]


@pytest.mark.parametrize(
    ("column", "error"),
    [
        (ColumnDef("parent", INT64, nullable=False), NotNullError),
        (ColumnDef("parent", INT64), CheckError),
    ],
    ids=["not null", "check"],
)
def test_a_cascade_that_breaks_another_constraint_is_refused_as_a_whole(
    column: ColumnDef, error: Any
) -> None:
    db = Database.open(clock=ManualClock())
    db.create_table("parent", [ColumnDef("id", INT64)], primary_key=["id"])
    db.create_table(
        "child",
        [ColumnDef("id", INT64), column],
        primary_key=["id"],
        checks=[CheckDef("has_parent", ["not", ["is_null", ["col", "parent"]]])],
        foreign_keys=[ForeignKey(["parent"], "parent", on_delete="set_null", on_update="set_null")],
    )
    with db.begin() as t:
        t.insert("parent", {"id": 1})
        t.insert("child", {"id": 1, "parent": 1})
    with db.begin() as t:
        before = seen(t)
        for attempt in (lambda: t.delete("parent", 1), lambda: t.update("parent", 1, {"id": 2})):
            with pytest.raises(error):
                attempt()
            assert seen(t) == before


WRONG: dict[str, tuple[ForeignKey, str]] = {
    "no such table": (ForeignKey(["parent"], "nothing"), "'nothing'"),
    "no such column": (ForeignKey(["nope"], "parent"), "'nope'"),
    "no unique key": (ForeignKey(["name"], "parent", ["name"]), "no unique key on name"),
    "types differ": (ForeignKey(["name"], "parent"), "differ in type"),
    "too many columns": (ForeignKey(["parent", "id"], "parent"), "as many columns"),
    "no such action": (ForeignKey(["parent"], "parent", on_delete="explode"), "action is one of"),
    "the name is taken": (ForeignKey(["id"], "parent", name="child_parent"), "one name"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_key_that_cannot_be_is_refused_and_leaves_nothing(wrong: str) -> None:
    db = make()
    with db.begin() as t:
        t.add_column("child", ColumnDef("name", TEXT))
    before = whole(db)
    key, message = WRONG[wrong]
    with db.begin() as t:
        with pytest.raises(CatalogError, match=message):
            t.add_foreign_key("child", key)
        assert t.reader.catalog.by_id == t.base_catalog.by_id
    assert whole(db) == before


def test_a_key_is_added_only_when_the_rows_satisfy_it() -> None:
    db = make()
    with db.begin() as t:
        t.drop_constraint("child", "child_parent")
        t.insert("child", {"id": 30, "parent": 77})
    before = whole(db)
    with db.begin() as t, pytest.raises(ForeignKeyError, match="77"):
        t.add_foreign_key("child", ForeignKey(["parent"], "parent"))
    assert whole(db) == before
    with db.begin() as t:
        t.delete("child", 30)
        t.add_foreign_key("child", ForeignKey(["parent"], "parent"))
    with db.begin() as t, pytest.raises(ForeignKeyError, match="child_parent_fkey"):
        t.delete("parent", 1)
