"""Definitions beside tables: databases and schemas, temporary tables, sequences, identity columns, enums, and the rest."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.state import seen
from zengram_py.clock import ManualClock
from zengram_py.engine import INT16, INT64, TEXT, ColumnDef, Database, ForeignKey, IndexDef, array
from zengram_py.errors import (
    CatalogError,
    ConflictError,
    ForeignKeyError,
    InvalidArgumentError,
    SequenceError,
    TypeMismatchError,
)


@pytest.fixture
def db() -> Database:
    return Database.open(clock=ManualClock())


# -- databases and schemas -----------------------------------------------------------------------------------------------


def test_names_have_three_parts_and_the_first_two_have_defaults(db: Database) -> None:
    with db.begin() as t:
        t.create_database("other")
        for name in ("t", "s.t", "other.public.t", "other.s.t"):
            t.create_table(name, [ColumnDef("x", TEXT)], primary_key=["x"])
            t.insert(name, {"x": name})
    for database in (db, Database.restore(db.export())):
        with database.begin() as t:
            for name in ("t", "s.t", "other.public.t", "other.s.t"):
                assert t.get(name, name) == {"x": name}
                assert t.get(tuple(name.split(".")), name) == {"x": name}
            assert t.get("public.t", "t") == t.get("zengram.public.t", "t") == {"x": "t"}
        assert [table.title for table in database.tables()] == ["other.public.t", "other.s.t", "t", "s.t"]


@pytest.mark.parametrize("name", ["", ".", "a.", "a.b.c.d", ("a", ""), ("a", 1)])
def test_what_is_no_name_is_refused(db: Database, name: Any) -> None:
    with pytest.raises(CatalogError, match="not a name"):
        db.create_table(name, [ColumnDef("x", TEXT)])


def test_a_dropped_database_takes_everything_along(db: Database) -> None:
    with db.begin() as t:
        with pytest.raises(CatalogError, match="no database 'other'"):
            t.create_table("other.s.t", [ColumnDef("x", TEXT)])
        t.create_database("other")
        with pytest.raises(CatalogError, match="already"):
            t.create_database("other")
        t.create_table("other.s.t", [ColumnDef("x", INT64, identity="always")], primary_key=["x"])
        t.create_enum("other.s.e", ["a"])
        t.create_table("t", [ColumnDef("x", INT64)], foreign_keys=[ForeignKey(["x"], "other.s.t")])
    with db.begin() as t:
        before = seen(t)
        with pytest.raises(CatalogError, match="t_x_fkey"):
            t.drop_database("other")
        assert seen(t) == before
        with pytest.raises(CatalogError, match="cannot be dropped"):
            t.drop_database("zengram")
        t.drop_table("t")
        t.insert("other.s.t", {})
        t.drop_database("other")
        assert [d.name for d in t.reader.catalog.by_id.values()] == []
        with pytest.raises(CatalogError):
            t.drop_database("other")
    assert db.tables() == []


# -- temporary tables ----------------------------------------------------------------------------------------------------


def test_a_temporary_table_is_in_no_snapshot_and_in_no_merge(db: Database) -> None:
    db.create_table("kept", [ColumnDef("x", INT64)], primary_key=["x"])
    log: list[bytes] = []
    replayed, db.on_commit = Database.restore(db.export()), log.append
    db.fork("side")
    columns = [ColumnDef("id", INT64, identity="default"), ColumnDef("x", INT64)]
    made = db.create_table(
        "work",
        columns,
        branch="side",
        temporary=True,
        primary_key=["id"],
        foreign_keys=[ForeignKey(["x"], "kept")],
    )
    with db.begin(branch="side") as t:
        t.insert("kept", {"x": 1})
        t.insert("pg_temp.work", {"x": 1})
        assert made.title == "pg_temp.work"
        with pytest.raises(ForeignKeyError):
            t.insert("pg_temp.work", {"x": 2})
        t.add_column("pg_temp.work", ColumnDef("at", INT64, default=["now"]))
    copy = Database.restore(db.export())
    replayed.replay(log)
    for database in (copy, replayed):
        assert [t.title for t in database.tables("side")] == ["kept"]
    assert db.merge("side").definitions == 0
    assert [t.title for t in db.tables()] == ["kept"]
    for database in (db, copy, replayed):
        database.create_table("work", columns, temporary=True, primary_key=["id"])
        with database.begin() as t:
            assert t.insert("pg_temp.work", {"x": 9})["x"] == 9


def test_a_permanent_table_does_not_refer_to_a_temporary_one(db: Database) -> None:
    db.create_table("work", [ColumnDef("x", INT64)], primary_key=["x"], temporary=True)
    with pytest.raises(CatalogError, match="temporary"):
        db.create_table("t", [ColumnDef("x", INT64)], foreign_keys=[ForeignKey(["x"], "pg_temp.work")])


# -- sequences -----------------------------------------------------------------------------------------------------------

DRAWS: list[tuple[dict[str, Any], list[int | None]]] = [
    ({}, [1, 2, 3]),
    ({"start": 10, "increment": 5}, [10, 15, 20]),
    ({"increment": -1}, [-1, -2, -3]),
    ({"most": 2}, [1, 2, None, None]),
    ({"least": -1, "most": 1, "start": 0}, [0, 1, None]),
    ({"most": 2, "cycle": True}, [1, 2, 1, 2]),
    ({"least": 3, "most": 5, "start": 5, "cycle": True}, [5, 3, 4, 5, 3]),
    ({"increment": -2, "least": -3, "most": -1, "cycle": True}, [-1, -3, -1]),
    ({"increment": 4, "most": 6}, [1, 5, None]),
]


@pytest.mark.parametrize(("settings", "drawn"), DRAWS)
def test_a_sequence_gives_these_numbers(
    db: Database, settings: dict[str, Any], drawn: list[int | None]
) -> None:
    with db.begin() as t:
        t.create_sequence("s", **settings)
        with pytest.raises(SequenceError, match="not drawn"):
            t.currval("s")
        for number in drawn:
            if number is None:
                with pytest.raises(SequenceError, match="'s' is at its end"):
                    t.nextval("s")
            else:
                assert t.nextval("s") == number
                assert t.currval("s") == number


@pytest.mark.parametrize(
    "settings", [{"increment": 0}, {"start": 0}, {"most": 5, "start": 6}, {"least": 5, "most": 4}]
)
def test_settings_that_do_not_fit_are_refused(db: Database, settings: dict[str, Any]) -> None:
    with db.begin() as t, pytest.raises(CatalogError, match="do not fit"):
        t.create_sequence("s", **settings)


def test_a_number_that_was_drawn_stays_drawn_and_is_drawn_on_one_branch_only(db: Database) -> None:
    with db.begin() as t:
        t.create_sequence("s")
    db.fork("side")
    t = db.begin()
    assert t.nextval("s") == 1
    t.savepoint("p")
    assert t.nextval("s") == 2
    t.rollback_to_savepoint("p")
    assert t.nextval("s") == 3
    t.rollback()
    assert db.begin(branch="side").nextval("s") == 4
    assert db.begin().nextval("s") == 5
    assert Database.restore(db.export()).begin().nextval("s") == 6


def test_rows_of_two_branches_do_not_collide(db: Database) -> None:
    db.create_table(
        "t", [ColumnDef("id", INT64, identity="default"), ColumnDef("x", TEXT)], primary_key=["id"]
    )
    db.fork("side")
    for branch in ("main", "side", "main", "side"):
        with db.begin(branch=branch) as t:
            t.insert("t", {"x": branch})
            t.insert_many("t", {"x": [branch] * 3})
    assert db.merge("side").applied
    assert sorted(r["id"] for r in db.begin().scan("t")) == list(range(1, 17))


def test_insert_many_draws_as_many_or_none(db: Database) -> None:
    db.create_table("t", [ColumnDef("id", INT16, identity="default"), ColumnDef("x", INT64)])
    with db.begin() as t:
        t.insert_many("t", {"x": list(range(32_760))})
        with pytest.raises(SequenceError, match="not 8 numbers left"):
            t.insert_many("t", {"x": list(range(8))})
        t.insert_many("t", {"x": list(range(7))})
        with pytest.raises(SequenceError):
            t.insert("t", {"x": 1})
        assert t.count("t") == 32_767


def test_an_identity_column_is_drawn_always_or_by_default(db: Database) -> None:
    with db.begin() as t:
        t.create_table(
            "a", [ColumnDef("id", INT64, identity="always"), ColumnDef("x", TEXT)], primary_key=["id"]
        )
        t.create_table(
            "d", [ColumnDef("id", INT64, identity="default"), ColumnDef("x", TEXT)], primary_key=["id"]
        )
        for attempt in (
            lambda: t.insert("a", {"id": 1}),
            lambda: t.insert_many("a", {"id": [1]}),
            lambda: t.update_where("a", None, {"id": 1}),
        ):
            with pytest.raises(InvalidArgumentError, match="generated always"):
                attempt()
        assert t.insert("d", {"id": 5})["id"] == 5
        assert [t.insert(name, {})["id"] for name in ("a", "a", "d", "d")] == [1, 2, 1, 2]
        with pytest.raises(CatalogError, match="draws from it"):
            t.drop_object("sequence", "a_id_seq")
        t.drop_table("a")
        t.add_column("d", ColumnDef("other", INT64, identity="always"))
        assert sorted(r["other"] for r in t.scan("d")) == [1, 2, 3]
        t.alter_column("d", "id", default=["lit", 8])
        t.drop_column("d", "other")
        for name in ("a_id_seq", "d_other_seq"):
            with pytest.raises(CatalogError, match="no sequence"):
                t.nextval(name)
        t.drop_object("sequence", "d_id_seq")
        t.drop_table("d")
    assert not db.begin().reader.catalog.by_id


# -- enums ---------------------------------------------------------------------------------------------------------------


def make_enum(db: Database) -> None:
    with db.begin() as t:
        mood = t.create_enum("mood", ["sad", "fine"])
        t.create_table(
            "person",
            [
                ColumnDef("name", TEXT),
                ColumnDef("mood", mood, default=["lit", "fine"]),
                ColumnDef("past", array(mood)),
            ],
            primary_key=["name"],
            indexes=[IndexDef("by_mood", "ordered", (["col", "mood"],))],
        )
        t.insert("person", {"name": "a", "past": ["sad", None, "fine"]})
        t.insert_many("person", {"name": ["b", "c"], "mood": ["sad", None]})


def by_mood(t: Any) -> list[Any]:
    return [r["mood"] for r in t.range("person", "by_mood")]


def test_enums_of_one_name_in_two_schemas_are_two_types(db: Database) -> None:
    with db.begin() as t:
        for schema in ("one", "two"):
            mood = t.create_enum(f"{schema}.mood", ["a"])
            t.create_table(f"{schema}.t", [ColumnDef("m", mood)])
        t.add_enum_label("one.mood", "b")
        t.insert("one.t", {"m": "b"})
        with pytest.raises(TypeMismatchError):
            t.insert("two.t", {"m": "b"})


def test_an_enum_sorts_as_its_labels_are_listed_wherever_they_were_added(db: Database) -> None:
    make_enum(db)
    with db.begin() as t:
        t.add_enum_label("mood", "best")
        t.add_enum_label("mood", "worst", before="sad")
        mood = t.add_enum_label("mood", "so-so", after="sad")
        assert [label for _, label in mood.labels] == ["worst", "sad", "so-so", "fine", "best"]
        for label in ("best", "worst", "so-so"):
            t.insert("person", {"name": label, "mood": label, "past": [label]})
        assert t.get("person", "best")["past"] == ["best"]
    for database in (db, Database.restore(db.export())):
        with database.begin() as t:
            assert by_mood(t) == ["worst", "sad", "so-so", "fine", "best", None]
            assert [r["name"] for r in t.lookup("person", "by_mood", "so-so")] == ["so-so"]
            assert [r["mood"] for r in t.range("person", "by_mood", "so-so", "fine")] == ["so-so", "fine"]
            code = mood.check("so-so")
            assert sorted(
                r["name"] for r in t.scan("person", where=[">", ["col", "mood"], ["lit", code]])
            ) == ["a", "best"]
            assert t.get("person", "a") == {"name": "a", "mood": "fine", "past": ["sad", None, "fine"]}
            with pytest.raises(TypeMismatchError, match="worst, sad, so-so"):
                t.insert("person", {"name": "x", "mood": "great"})
            with pytest.raises(CatalogError, match="has this type"):
                t.drop_object("enum", "mood")


@pytest.mark.parametrize(
    ("label", "place", "message"),
    [("sad", {}, "already"), ("x", {"before": "y"}, "no label 'y'"), ("x", {"after": "y"}, "no label 'y'")],
)
def test_a_label_that_does_not_fit_is_refused(
    db: Database, label: str, place: dict[str, str], message: str
) -> None:
    make_enum(db)
    with db.begin() as t, pytest.raises(CatalogError, match=message):
        t.add_enum_label("mood", label, **place)


def test_a_label_is_taken_back_stays_on_its_branch_and_merges(db: Database) -> None:
    make_enum(db)
    db.fork("side")
    t = db.begin()
    t.add_enum_label("mood", "gone")
    t.insert("person", {"name": "g", "mood": "gone"})
    t.rollback()
    with db.begin(branch="side") as t:
        t.add_enum_label("mood", "new", before="fine")
        t.insert("person", {"name": "n", "mood": "new"})
    with db.begin() as t, pytest.raises(TypeMismatchError):
        t.insert("person", {"name": "n", "mood": "new"})
    with db.begin() as t:
        t.insert("person", {"name": "m", "mood": "sad"})
    assert db.merge("side").applied
    assert by_mood(db.begin()) == ["sad", "sad", "new", "fine", None]


def test_labels_that_were_added_are_replayed_on_every_branch(db: Database) -> None:
    records: list[bytes] = []
    start = db.export()
    db.on_commit = records.append
    make_enum(db)
    db.fork("side")
    with db.begin(branch="side") as t:
        t.add_enum_label("mood", "new", before="fine")
        t.insert("person", {"name": "n", "mood": "new", "past": ["new", None]})
    with db.begin() as t:
        t.add_enum_label("mood", "best")
        t.insert("person", {"name": "z", "mood": "best", "past": ["best"]})
    with db.begin(branch="side") as t:
        t.insert("person", {"name": "m", "mood": "new"})
    halfway = Database.restore(db.export())
    with db.begin() as t:
        t.insert("person", {"name": "y", "mood": "best"})
    replayed = Database.restore(start)
    replayed.replay(records)
    halfway.replay(records)
    for other in (replayed, halfway, Database.restore(db.export())):
        for branch in ("main", "side"):
            assert list(other.begin(branch=branch).scan("person")) == list(
                db.begin(branch=branch).scan("person")
            )


@pytest.mark.parametrize("labels", [["a", "a"], ["", ""], ["a", 1]])
def test_labels_that_are_no_list_of_texts_are_refused(db: Database, labels: list[Any]) -> None:
    with db.begin() as t, pytest.raises(CatalogError, match="each once"):
        t.create_enum("e", labels)


# -- anything else -------------------------------------------------------------------------------------------------------


def test_objects_of_any_kind_are_kept_versioned_and_dropped(db: Database) -> None:
    query = {"sql": "select 1", "columns": ["a", None]}
    with db.begin() as t:
        t.create_object("schema", "s")
        t.create_object("view", "v", query)
        with pytest.raises(CatalogError, match="there is a view 'v' already"):
            t.create_table("v", [ColumnDef("x", TEXT)])
        with pytest.raises(CatalogError, match="already"):
            t.create_object("view", "v")
        t.create_object("graph", "v", [1])  # another namespace
    db.fork("side")
    then = db.timestamp
    with db.begin(branch="side") as t:
        t.drop_object("view", "v")
        with pytest.raises(CatalogError, match="no view"):
            t.drop_object("view", "v")
        t.create_object("view", "v", {"sql": "select 2"})

    def view(database: Database, branch: str, **at: Any) -> Any:
        return database.begin(branch=branch, **at).reader.catalog.find("view", "v").definition

    copy = Database.restore(db.export())
    for database in (db, copy):
        assert view(database, "main") == view(database, "side", as_of=then) == query
        assert view(database, "side") == {"sql": "select 2"}
        assert database.merge("side").definitions == 2
        assert view(database, "main") == {"sql": "select 2"}
    db.create_table("t", [ColumnDef("x", TEXT)])
    with db.begin() as t, pytest.raises(CatalogError, match="drop_table"):
        t.drop_object("table", "t")


def test_of_two_transactions_that_make_one_name_the_second_is_refused(db: Database) -> None:
    makers: list[Any] = [
        lambda t: t.create_sequence("x"),
        lambda t: t.create_table("x", [ColumnDef("x", TEXT)]),
        lambda t: t.create_object("view", "x"),
    ]
    for i, maker in enumerate(makers):
        first, second = db.begin(), db.begin()
        maker(first)
        makers[i - 1](second)
        first.commit()
        with pytest.raises(ConflictError, match="'x' first"):
            second.commit()
        with db.begin() as t:
            t.drop_table("x") if i == 1 else t.drop_object("sequence" if i == 0 else "view", "x")
