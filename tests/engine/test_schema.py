"""Schema changes: in a transaction, taken back, on a branch, beside writers, and merged."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from tests.engine.state import seen, whole
from zengram_py.clock import ManualClock
from zengram_py.engine import (
    FLOAT64,
    INT32,
    INT64,
    NUMERIC,
    TEXT,
    CheckDef,
    ColumnDef,
    Database,
    ForeignKey,
    IndexDef,
    Transaction,
    vector,
)
from zengram_py.engine.catalog import CatalogView
from zengram_py.engine.definitions import Definition, ObjectDef, namespace
from zengram_py.errors import (
    CatalogError,
    CheckError,
    ConflictError,
    ForeignKeyError,
    NotNullError,
    TypeMismatchError,
    UniqueError,
)


@pytest.fixture
def db() -> Database:
    database = Database.open(clock=ManualClock())
    database.create_table("team", [ColumnDef("id", INT64), ColumnDef("name", TEXT)], primary_key=["id"])
    database.create_table(
        "item",
        [
            ColumnDef("id", INT64),
            ColumnDef("team", INT64),
            ColumnDef("n", INT64, default=["lit", 7]),
            ColumnDef("word", TEXT),
            ColumnDef("spare", TEXT),
        ],
        primary_key=["id"],
        indexes=[
            IndexDef("by_n", "ordered", (["col", "n"],)),
            IndexDef("by_word", "hash", (["fold", ["col", "word"]],), unique=True),
        ],
        checks=[CheckDef("n_is_small", ["<", ["col", "n"], ["lit", 1000]])],
        foreign_keys=[ForeignKey(["team"], "team", name="item_team")],
    )
    with database.begin() as t:
        t.insert("team", {"id": 1})
        for i in range(4):
            t.insert("item", {"id": i, "team": 1, "n": i * 10, "word": f"w{i}"})
    database.fork("side")
    return database


CHANGES: dict[str, Callable[[Transaction], Any]] = {
    "create_table": lambda t: t.create_table(
        "new", [ColumnDef("id", INT64, identity="always")], primary_key=["id"]
    ),
    "drop_table": lambda t: t.drop_table("item"),
    "drop_table cascade": lambda t: t.drop_table("team", cascade=True),
    "rename_table": lambda t: t.rename_table("item", "thing"),
    "add_column": lambda t: t.add_column("item", ColumnDef("extra", INT64, default=["lit", 3])),
    "add_column computed": lambda t: t.add_column(
        "item", ColumnDef("at", INT64, default=["now"], nullable=False)
    ),
    "add_column vector": lambda t: t.add_column(
        "item", ColumnDef("v", vector(3), default=["lit", [1, 2, 3]])
    ),
    "drop_column": lambda t: t.drop_column("item", "n"),
    "rename_column": lambda t: t.rename_column("item", "word", "name"),
    "alter_column": lambda t: t.alter_column("item", "n", default=["lit", 8], nullable=False, merge="sum"),
    "alter_type": lambda t: t.alter_type("item", "n", FLOAT64),
    "alter_type using": lambda t: t.alter_type("item", "spare", INT64, using=["length", ["col", "word"]]),
    "alter_type of the key": lambda t: t.alter_type("item", "id", INT32),
    "create_index": lambda t: t.create_index("item", IndexDef("u", "ordered", (["col", "n"],), unique=True)),
    "drop_index": lambda t: t.drop_index("item", "by_n"),
    "add_check": lambda t: t.add_check("item", CheckDef("c", [">=", ["col", "n"], ["lit", 0]])),
    "add_foreign_key": lambda t: (
        t.add_foreign_key("item", ForeignKey(["n"], "item", ["id"], deferred=True))
        if t.update_where("item", None, {"n": None})
        else None
    ),
    "drop_constraint": lambda t: t.drop_constraint("item", "item_team"),
}
ALL = pytest.mark.parametrize("name", CHANGES)


@ALL
def test_a_change_that_is_rolled_back_leaves_no_trace(db: Database, name: str) -> None:
    before = whole(db)
    t = db.begin()
    CHANGES[name](t)
    changed = seen(t)
    assert changed != before["branches"]["main"]
    with db.begin() as other:
        assert seen(other) == before["branches"]["main"]
    t.rollback()
    assert whole(db) == before


@ALL
def test_a_change_behind_a_savepoint_is_taken_back_to_it(db: Database, name: str) -> None:
    before = whole(db)
    t = db.begin()
    t.insert("item", {"id": 9, "word": "own"})
    t.add_column("team", ColumnDef("kept", TEXT, default=["lit", "k"]))
    inside = seen(t)
    t.savepoint("here")
    for _ in range(2):
        CHANGES[name](t)
        assert seen(t) != inside
        t.rollback_to_savepoint("here")
        assert seen(t) == inside
    t.rollback()
    assert whole(db) == before


@ALL
@pytest.mark.parametrize("branch", ["main", "side"])
def test_a_change_stays_on_its_branch_until_it_is_merged_and_survives_an_export(
    db: Database, name: str, branch: str
) -> None:
    before = whole(db)["branches"]
    other = "side" if branch == "main" else "main"
    with db.begin(branch=branch) as t:
        CHANGES[name](t)
        after = seen(t)
        then = t.view.timestamp
    now = whole(db)["branches"]
    assert now[branch] == after
    assert now[other] == before[other]
    assert seen(db.begin(branch=branch, as_of=then)) == before[branch]
    copy = Database.restore(db.export(), clock=db.clock)
    assert whole(copy)["branches"] == now
    assert copy.tables(branch) == db.tables(branch)
    for database in (db, copy):
        report = database.merge(branch, other)
        assert report.applied, report.conflicts
        assert whole(database)["branches"] == {"main": after, "side": after}
        if name != "drop_table":
            with database.begin(branch=other) as t:
                t.insert("thing" if name == "rename_table" else "item", {"id": 7, "team": None})


@ALL
def test_a_writer_of_a_table_whose_definition_changed_is_refused(db: Database, name: str) -> None:
    writer = db.begin()
    if "create_table" in name:
        writer.create_table("new", [ColumnDef("id", INT64)])
    else:
        writer.insert("item", {"id": 50, "word": "late"})
    with db.begin() as t:
        CHANGES[name](t)
    before = whole(db)["branches"]
    with pytest.raises(ConflictError, match=r"item|new"):
        writer.commit()
    assert whole(db)["branches"] == before


def test_a_change_that_holds_for_the_rows_it_saw_is_refused_when_others_came(db: Database) -> None:
    for name in ("add_column computed", "alter_type", "create_index", "add_check", "add_foreign_key"):
        t = db.begin()
        CHANGES[name](t)
        with db.begin() as writer:
            writer.insert("item", {"id": db.lsn + 100, "n": 500 + db.lsn})
        before = whole(db)["branches"]
        with pytest.raises(ConflictError):
            t.commit()
        assert whole(db)["branches"] == before
    t = db.begin()
    CHANGES["add_column"](t)
    with db.begin() as writer:
        writer.insert("item", {"id": 90})
    t.commit()
    assert {row["extra"] for row in db.begin().scan("item")} == {3}


REFUSED: dict[str, tuple[Callable[[Transaction], Any], type[Exception], str]] = {
    "a taken name": (lambda t: t.create_table("team", [ColumnDef("id", INT64)]), CatalogError, "already"),
    "a taken name, identity": (
        lambda t: t.create_table("team", [ColumnDef("id", INT64, identity="always")]),
        CatalogError,
        "already",
    ),
    "a broken definition with identity": (
        lambda t: t.create_table("x", [ColumnDef("id", INT64, identity="always")], primary_key=["nope"]),
        CatalogError,
        "nope",
    ),
    "no columns": (lambda t: t.create_table("x", []), CatalogError, "no column"),
    "two columns of one name": (
        lambda t: t.create_table("x", [ColumnDef("a", TEXT)] * 2),
        CatalogError,
        "one name",
    ),
    "identity of text": (
        lambda t: t.create_table("x", [ColumnDef("a", TEXT, identity="always")]),
        CatalogError,
        "whole",
    ),
    "a wrong merge rule": (lambda t: t.alter_column("item", "n", merge="min"), CatalogError, "merge rule"),
    "a referenced table": (lambda t: t.drop_table("team"), CatalogError, "item_team"),
    "a referenced column": (lambda t: t.alter_type("team", "id", TEXT), CatalogError, "item_team"),
    "a referring column": (lambda t: t.alter_type("item", "team", TEXT), CatalogError, "item_team"),
    "rename to a taken name": (lambda t: t.rename_table("item", "team"), CatalogError, "already"),
    "rename a column to a taken name": (
        lambda t: t.rename_column("item", "n", "word"),
        CatalogError,
        "one name",
    ),
    "no such column": (lambda t: t.rename_column("item", "nope", "x"), CatalogError, "nope"),
    "the key's column": (lambda t: t.drop_column("item", "id"), CatalogError, "primary key"),
    "the key's null": (lambda t: t.alter_column("item", "id", nullable=True), CatalogError, "primary key"),
    "the key's index": (lambda t: t.drop_index("item", "item_pkey"), CatalogError, "primary key"),
    "no such index": (lambda t: t.drop_index("item", "nope"), CatalogError, "nope"),
    "no such constraint": (lambda t: t.drop_constraint("item", "nope"), CatalogError, "nope"),
    "a wrong default": (
        lambda t: t.add_column("item", ColumnDef("x", INT64, default=["lit", "a"])),
        TypeMismatchError,
        "int64",
    ),
    "not null without a default": (
        lambda t: t.add_column("item", ColumnDef("x", INT64, nullable=False)),
        NotNullError,
        "'x'",
    ),
    "not null over nulls": (
        lambda t: t.alter_column("item", "spare", nullable=False),
        NotNullError,
        "'spare'",
    ),
    "a value that does not convert": (
        lambda t: t.alter_type("item", "word", INT64),
        TypeMismatchError,
        "'w0'",
    ),
    "a check that cannot read the type": (
        lambda t: t.alter_type("item", "n", TEXT),
        TypeMismatchError,
        "'<'",
    ),
    "an index that cannot read the type": (
        lambda t: t.alter_type("item", "word", INT64, using=["length", ["col", "word"]]),
        TypeMismatchError,
        "'fold'",
    ),
    "using that fails": (
        lambda t: t.alter_type("item", "n", INT64, using=["/", ["lit", 1], ["col", "n"]]),
        TypeMismatchError,
        "zero",
    ),
    "using of a wrong type": (
        lambda t: t.alter_type("item", "n", INT64, using=["col", "word"]),
        TypeMismatchError,
        "'w0'",
    ),
    "a check that rows break": (
        lambda t: t.add_check("item", CheckDef("c", [">", ["col", "n"], ["lit", 5]])),
        CheckError,
        "'c'",
    ),
    "a check of no column": (lambda t: t.add_check("item", CheckDef("c", ["col", "x"])), CatalogError, "'x'"),
    "a check of no operator": (lambda t: t.add_check("item", CheckDef("c", ["wat"])), CatalogError, "'wat'"),
    "a key that rows share": (
        lambda t: t.create_index("item", IndexDef("u", "hash", (["col", "team"],), unique=True)),
        UniqueError,
        "'u'",
    ),
    "a reference to no row": (
        lambda t: t.add_foreign_key("item", ForeignKey(["n"], "team")),
        ForeignKeyError,
        "item_n_fkey",
    ),
    "an index of a wrong kind": (
        lambda t: t.create_index("item", IndexDef("u", "btree", (["col", "n"],))),
        CatalogError,
        "one of",
    ),
    "a flat index on text": (
        lambda t: t.create_index("item", IndexDef("u", "flat", (["col", "word"],))),
        CatalogError,
        "vector",
    ),
    "an index of a taken name": (
        lambda t: t.create_index("item", IndexDef("by_n", "hash", (["col", "n"],))),
        CatalogError,
        "one name",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_change_that_is_refused_leaves_the_transaction_as_it_was(db: Database, name: str) -> None:
    change, kind, message = REFUSED[name]
    with db.begin() as t:
        t.insert("item", {"id": 20, "team": 1, "n": 1})
    before = whole(db)
    t = db.begin()
    t.update("item", 20, {"n": 2})
    t.insert_many("item", {"id": [21], "n": [30]})
    inside = seen(t)
    with pytest.raises(kind, match=message):
        change(t)
    assert seen(t) == inside
    assert not t.changes
    t.rollback()
    assert whole(db) == before


def test_the_last_column_stays() -> None:
    db = Database.open()
    db.create_table("one", [ColumnDef("a", TEXT)])
    with db.begin() as t, pytest.raises(CatalogError, match="no column"):
        t.drop_column("one", "a")
    Database.restore(db.export())


def test_a_renamed_column_keeps_its_indexes_checks_and_foreign_keys(db: Database) -> None:
    with db.begin() as t:
        t.rename_column("item", "n", "number")
        t.rename_column("item", "team", "group")
        t.rename_column("team", "id", "code")
        t.rename_column("item", "word", "name")
        t.rename_table("team", "group")
        with pytest.raises(CheckError, match="number=5000"):
            t.insert("item", {"id": 8, "number": 5000})
        with pytest.raises(ForeignKeyError, match="item_team"):
            t.insert("item", {"id": 8, "group": 9})
        with pytest.raises(ForeignKeyError):
            t.update("group", 1, {"code": 2})
        with pytest.raises(UniqueError, match="by_word"):
            t.insert("item", {"id": 8, "name": "W1"})
        assert [r["number"] for r in t.range("item", "by_n", 10, 20)] == [10, 20]
        assert t.insert("item", {"id": 8})["number"] == 7
    for database in (db, Database.restore(db.export())):
        with database.begin() as t:
            assert [r["id"] for r in t.lookup("item", "by_word", "w2")] == [2]
            with pytest.raises(ForeignKeyError):
                t.delete("group", 1)


def test_a_dropped_column_takes_what_reads_it_along_and_its_name_is_free(db: Database) -> None:
    with db.begin() as t:
        t.drop_column("item", "n")
        t.drop_column("item", "team")
        table = t.reader.catalog.table("item")
        assert [i.name for i in table.indexes] == ["item_pkey", "by_word"]
        assert (table.checks, table.foreign_keys) == ((), ())
        t.add_column("item", ColumnDef("n", TEXT, default=["lit", "new"]))
        assert {row["n"] for row in t.scan("item")} == {"new"}
        t.delete("team", 1)


CONVERSIONS: list[tuple[Any, list[Any], Any, list[Any]]] = [
    (INT64, [1, None, -5], TEXT, ["1", None, "-5"]),
    (TEXT, ["1", None, " 42 "], INT64, [1, None, 42]),
    (FLOAT64, [0.5, 1.5, None], INT64, [0, 2, None]),
    (INT64, [1, 2, None], FLOAT64, [1.0, 2.0, None]),
    (TEXT, ["1.50", "2"], NUMERIC, ["1.50", "2"]),
    (INT64, [1, 0], TEXT, ["1", "0"]),
]


@pytest.mark.parametrize(("old", "values", "new", "expected"), CONVERSIONS)
def test_a_new_type_converts_the_values_of_committed_and_own_rows(
    old: Any, values: list[Any], new: Any, expected: list[Any]
) -> None:
    db = Database.open()
    db.create_table(
        "x", [ColumnDef("id", INT64), ColumnDef("v", old, default=["lit", values[0]])], primary_key=["id"]
    )
    count = len(values)
    with db.begin() as t:
        t.insert_many("x", {"id": list(range(count)), "v": values})
    with db.begin() as t:
        t.insert_many("x", {"id": list(range(count, 2 * count)), "v": values})
        for i, value in enumerate(values):
            t.insert("x", {"id": 2 * count + i, "v": value})
        t.alter_type("x", "v", new)
        t.insert("x", {"id": 99})
    found = [str(r["v"]) for r in sorted(db.begin().scan("x"), key=lambda r: r["id"])]
    assert found == [str(v) for v in [*expected * 3, expected[0]]]


@pytest.mark.parametrize("seed", range(5))
def test_a_changed_catalogue_is_one_that_is_made_anew(seed: int) -> None:
    """Definitions come, go, and take each other's names."""
    random_ = random.Random(seed)
    view = CatalogView({})
    for _ in range(60):
        changes: dict[int, Definition | None] = {}
        names = random_.sample("abcdefgh", 8)
        for number in random_.sample(range(8), random_.choice([1, 1, 3, 8])):
            kind = random_.choice(["schema", "view", "graph"])
            name = ("zengram", "public", names.pop())
            changes[number] = None if random_.random() < 0.3 else ObjectDef(number, name, kind, number)
        kept = {(namespace(d.kind), d.name) for i, d in view.by_id.items() if i not in changes}
        if any(d is not None and (namespace(d.kind), d.name) in kept for d in changes.values()):
            continue  # a transaction refuses it
        before = dict(view.by_id)
        after = view.with_changes(changes)
        expected = {n: d for n, d in {**before, **changes}.items() if d is not None}
        assert view.by_id == before
        assert after.by_id == expected
        for kind, letter in product(("schema", "view", "graph", "table"), "abcdefgh"):
            name = ("zengram", "public", letter)
            assert after.find(kind, name) == CatalogView(expected).find(kind, name)
            assert after.taken(kind, name) == CatalogView(expected).taken(kind, name)
        view = after
