"""Constraints of rows and keys: refused in every way of writing, named by the error, and nothing stays behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.engine.state import seen, whole
from zengram_py.clock import ManualClock
from zengram_py.engine import INT32, INT64, TEXT, CheckDef, ColumnDef, Database, ForeignKey, IndexDef
from zengram_py.errors import (
    CheckError,
    ConstraintError,
    ForeignKeyError,
    NotNullError,
    PrimaryKeyError,
    TypeMismatchError,
    UniqueError,
    ZengramError,
)

Row = dict[str, Any]


def make() -> Database:
    db = Database.open(clock=ManualClock())
    db.create_table("owner", [ColumnDef("id", INT64)], primary_key=["id"])
    db.create_table(
        "item",
        [
            ColumnDef("id", INT64),
            ColumnDef("owner", INT64),
            ColumnDef("label", TEXT, nullable=False),
            ColumnDef("size", INT32, default=["lit", 1]),
            ColumnDef("code", TEXT),
            ColumnDef("email", TEXT),
            ColumnDef("a", INT64),
            ColumnDef("b", TEXT),
        ],
        primary_key=["id"],
        indexes=[
            IndexDef("item_code", "ordered", (["col", "code"],), unique=True),
            IndexDef("item_email", "hash", (["fold", ["col", "email"]],), unique=True),
            IndexDef("item_a_b", "hash", (["col", "a"], ["col", "b"]), unique=True),
        ],
        checks=[CheckDef("size_is_positive", [">", ["col", "size"], ["lit", 0]])],
        foreign_keys=[ForeignKey(["owner"], "owner", name="item_owner")],
    )
    db.create_table(
        "seat",
        [ColumnDef("row", INT64), ColumnDef("nr", TEXT), ColumnDef("note", TEXT)],
        primary_key=["row", "nr"],
    )
    with db.begin() as t:
        t.insert("owner", {"id": 1})
        t.insert("owner", {"id": 2})
        t.insert("item", good(1))
        t.insert("item", good(2))
        t.insert("seat", {"row": 1, "nr": "a"})
        t.insert("seat", {"row": 1, "nr": "b"})
    db.fork("side")
    return db


def good(number: int) -> Row:
    return {
        "id": number,
        "owner": 1,
        "label": f"label {number}",
        "size": number,
        "code": f"c{number}",
        "email": f"M{number}@x",
        "a": number,
        "b": "b",
    }


@pytest.fixture
def db() -> Database:
    return make()


VIOLATIONS: list[tuple[str, Row, type[ZengramError], str, Any]] = [
    # constraint, what of a good row is changed, error, name of the constraint, value
    ("type", {"size": "big"}, TypeMismatchError, "size", None),
    ("range of a type", {"size": 1 << 31}, TypeMismatchError, "size", None),
    ("not null", {"label": None}, NotNullError, "label", None),
    ("check", {"size": 0}, CheckError, "size_is_positive", None),
    ("primary key", {"id": 1}, PrimaryKeyError, "item_pkey", (1,)),
    ("primary key null", {"id": None}, NotNullError, "id", None),
    ("unique", {"code": "c1"}, UniqueError, "item_code", ("c1",)),
    ("unique expression", {"email": "  m1@X "}, UniqueError, "item_email", ("m1@x",)),
    ("unique of two", {"a": 1}, UniqueError, "item_a_b", (1, "b")),
    ("foreign key", {"owner": 7}, ForeignKeyError, "item_owner", (7,)),
]

WAYS: dict[str, Callable[[Any, Row], Any]] = {
    "insert": lambda t, bad: t.insert("item", {**good(3), **bad}),
    "insert_many": lambda t, bad: t.insert_many(
        "item", {name: [good(4)[name], {**good(3), **bad}[name]] for name in good(3)}
    ),
    "update": lambda t, bad: t.update("item", 2, bad),
    "update_where": lambda t, bad: t.update_where("item", ["=", ["col", "id"], ["lit", 2]], bad),
    "update of an own row": lambda t, bad: t.update("item", 10, bad),
    "update_where of an own row": lambda t, bad: t.update_where(
        "item", ["=", ["col", "id"], ["lit", 11]], bad
    ),
}


@pytest.mark.parametrize("branch", ["main", "side"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("name", "bad", "kind", "constraint", "value"), VIOLATIONS, ids=[v[0] for v in VIOLATIONS]
)
def test_a_violation_is_refused_at_once_and_leaves_nothing(
    db: Database,
    name: str,
    bad: Row,
    kind: type[ZengramError],
    constraint: str,
    value: Any,
    way: str,
    branch: str,
) -> None:
    before = whole(db)
    t = db.begin(branch=branch)
    t.insert("item", good(10))
    t.insert_many("item", {name: [value] for name, value in good(11).items()})
    inside = seen(t)
    with pytest.raises(kind) as caught:
        WAYS[way](t, bad)
    assert type(caught.value) is kind
    assert "'item'" in str(caught.value)
    assert f"'{constraint}'" in str(caught.value) or kind is PrimaryKeyError
    if isinstance(caught.value, ConstraintError):
        assert caught.value.table == "item"
        assert caught.value.constraint == constraint
        if isinstance(caught.value, CheckError):
            assert caught.value.value["size"] == 0
        else:
            assert caught.value.value == value
    assert seen(t) == inside
    t.rollback()
    assert whole(db) == before
    with db.begin(branch=branch) as t:  # the good part may still come
        t.insert("item", good(3))


def test_an_update_of_many_rows_that_fails_at_the_last_takes_back_the_first(db: Database) -> None:
    with db.begin() as t:
        t.insert_many("item", {n: [good(i)[n] for i in range(3, 8)] for n in good(3)})
        t.insert("item", {**good(8), "size": 1})
        before = seen(t)
        changes = {"size": {"expr": ["-", ["lit", 5], ["col", "id"]]}}
        with pytest.raises(CheckError):
            t.update_where("item", None, changes)
        assert seen(t) == before
    with db.begin() as t:
        assert seen(t) == before


UNIQUE_RACES: dict[str, tuple[Row, Row, type[ZengramError], str]] = {
    "primary key": ({"id": 3}, {"id": 3}, PrimaryKeyError, "item_pkey"),
    "unique": ({"code": "same"}, {"code": "same"}, UniqueError, "item_code"),
    "unique expression": ({"email": "Same"}, {"email": "SAME "}, UniqueError, "item_email"),
    "unique of two": ({"a": 5, "b": "q"}, {"a": 5, "b": "q"}, UniqueError, "item_a_b"),
}


@pytest.mark.parametrize("branch", ["main", "side"])
@pytest.mark.parametrize("bulk", [False, True], ids=["insert", "insert_many"])
@pytest.mark.parametrize("race", UNIQUE_RACES)
def test_of_two_transactions_that_make_one_key_the_second_fails_at_its_commit(
    db: Database, race: str, bulk: bool, branch: str
) -> None:
    one, other, kind, constraint = UNIQUE_RACES[race]
    first, second = db.begin(branch=branch), db.begin(branch=branch)
    first.insert("item", {**good(20), **one})
    row = {**good(21), **other}
    if bulk:
        second.insert_many("item", {n: [good(22)[n], row[n]] for n in row})
    else:
        second.insert("item", row)
    first.commit()
    before = whole(db)
    with pytest.raises(kind) as caught:
        second.commit()
    assert (caught.value.table, caught.value.constraint) == ("item", constraint)  # type: ignore[attr-defined]
    assert whole(db) == before


@pytest.mark.parametrize("race", UNIQUE_RACES)
def test_of_two_branches_that_make_one_key_the_merge_reports_it_and_applies_nothing(
    db: Database, race: str
) -> None:
    one, other, _, constraint = UNIQUE_RACES[race]
    with db.begin() as t:
        t.insert("item", {**good(20), **one})
    with db.begin(branch="side") as t:
        t.insert("item", {**good(21), **other})
        t.insert("item", good(22))
    before = whole(db)
    report = db.merge("side")
    assert not report.applied
    assert [c.table for c in report.conflicts] == ["item"]
    assert constraint in report.conflicts[0].reason or "this key" in report.conflicts[0].reason
    assert whole(db) == before


def test_an_update_may_give_its_own_key_again_and_take_one_that_was_freed(db: Database) -> None:
    with db.begin() as t:
        t.update("item", 1, {"id": 1, "code": "c1", "email": "M1@X"})
        t.update("item", 1, {"code": "free"})
        t.update("item", 2, {"code": "c1"})
        t.delete("item", 1)
        t.insert("item", {**good(1), "code": "free"})
    with db.begin() as t:
        assert [r["id"] for r in t.lookup("item", "item_code", "c1")] == [2]
        assert [r["id"] for r in t.lookup("item", "item_code", "free")] == [1]


def test_nulls_are_distinct_in_unique_keys_and_checks_let_them_pass(db: Database) -> None:
    nothing = {"code": None, "email": None, "a": None, "size": None, "owner": None}
    with db.begin() as t:
        t.insert("item", {**good(3), **nothing})
        t.insert("item", {**good(4), **nothing})
        t.insert_many("item", {n: [{**good(i), **nothing}[n] for i in (5, 6)] for n in good(5)})
        t.update("item", 2, nothing)
        assert t.lookup("item", "item_code", None) == []
        assert t.lookup("item", "item_a_b", None, "b") == []
    assert db.begin().count("item", ["is_null", ["col", "code"]]) == 5


def test_a_composite_primary_key_is_one_key(db: Database) -> None:
    before = whole(db)
    t = db.begin()
    for bad in ({"row": 1, "nr": "a"}, {"row": 1, "nr": "b", "note": "x"}):
        with pytest.raises(PrimaryKeyError, match=r"'seat'.*\(1, '[ab]'\)") as caught:
            t.insert("seat", bad)
        assert caught.value.value == (1, bad["nr"])
    with pytest.raises(PrimaryKeyError):
        t.insert_many("seat", {"row": [3, 3], "nr": ["a", "a"]})
    with pytest.raises(PrimaryKeyError):
        t.update("seat", (1, "a"), {"nr": "b"})
    with pytest.raises(PrimaryKeyError):
        t.update_where("seat", None, {"nr": "b"})
    with pytest.raises(NotNullError, match="'nr'"):
        t.insert("seat", {"row": 1})
    t.rollback()
    assert whole(db) == before
    with db.begin() as t:
        t.insert("seat", {"row": 2, "nr": "a"})
        assert t.update("seat", (1, "a"), {"row": 5})
        assert t.delete("seat", (2, "a"))
        assert not t.delete("seat", (9, "a"))


def test_insert_many_finds_repeats_within_itself_and_beside_what_is_there(db: Database) -> None:
    columns = {n: [good(i)[n] for i in (30, 31, 32)] for n in good(30)}
    t = db.begin()
    t.insert("item", good(33))
    before = seen(t)
    for name, value in (
        ("id", 30),
        ("id", 33),
        ("id", 1),
        ("code", "c1"),
        ("code", "c33"),
        ("email", "m31@x"),
    ):
        with pytest.raises(UniqueError):
            t.insert_many("item", {**columns, name: [*columns[name][:2], value]})
        assert seen(t) == before
    t.insert_many("item", columns)
    with pytest.raises(UniqueError):
        t.insert_many("item", columns)


@pytest.mark.parametrize("freed", ["delete", "update", "delete and insert again"])
def test_a_row_of_a_batch_that_was_moved_or_taken_back_holds_no_key(db: Database, freed: str) -> None:
    t = db.begin()
    t.insert_many("item", {n: [good(i)[n] for i in (30, 31, 32)] for n in good(30)})
    if freed == "update":
        t.update("item", 31, {**good(41), "id": 41})
    else:
        t.delete("item", 31)
    with db.begin() as other:
        other.insert("item", good(31) if freed != "delete and insert again" else good(50))
    if freed == "delete and insert again":
        t.insert("item", good(31))
    t.commit()
    assert {r["id"] for r in db.begin().scan("item")} >= {30, 31, 32}


def test_a_batch_made_before_a_column_was_added_is_checked_with_it(db: Database) -> None:
    t = db.begin()
    t.insert_many("item", {n: [good(i)[n] for i in (30, 31)] for n in good(30)})
    t.add_column("item", ColumnDef("extra", INT64, default=["lit", None]))
    t.create_index("item", IndexDef("item_extra", "hash", (["col", "extra"],), unique=True))
    with db.begin() as other:
        other.insert("owner", {"id": 9})
    t.commit()
    with db.begin() as t:
        assert t.get("item", 30)["extra"] is None


def test_a_check_that_a_branch_adds_is_a_conflict_with_rows_that_only_main_has(db: Database) -> None:
    with db.begin(branch="side") as t:
        t.add_check("item", CheckDef("small", ["<", ["col", "size"], ["lit", 10]]))
        t.alter_column("item", "owner", nullable=False)
        t.create_index("item", IndexDef("item_label", "hash", (["col", "label"],), unique=True))
    with db.begin() as t:
        t.insert("item", {**good(11), "owner": None})
        t.insert("item", {**good(5), "label": "label 1"})
    before = whole(db)
    report = db.merge("side")
    assert not report.applied
    assert {c.table for c in report.conflicts} == {"item"}
    reasons = " ".join(c.reason for c in report.conflicts)
    assert "'owner'" in reasons
    assert "'item_label'" in reasons
    assert whole(db) == before
    with db.begin() as t:
        t.update("item", 11, {"owner": 1, "size": 9})
        t.update("item", 5, {"label": "five"})
    assert db.merge("side").applied
    with pytest.raises(CheckError, match="small"):
        db.begin().insert("item", good(12))


def test_rows_that_a_merge_brings_must_satisfy_what_main_added(db: Database) -> None:
    with db.begin() as t:
        t.add_check("item", CheckDef("small", ["<", ["col", "size"], ["lit", 10]]))
    with db.begin(branch="side") as t:
        t.insert("item", good(12))
    before = whole(db)
    report = db.merge("side")
    assert [("small" in c.reason, c.table) for c in report.conflicts] == [(True, "item")]
    assert whole(db) == before
