"""Definitions in SQL as the engine's own, carried out on a database."""

from typing import Any

import pytest

from zengram_py.engine import Database, IndexDef, TableDef
from zengram_py.engine.limited import char, numeric, varchar
from zengram_py.errors import CheckError, ForeignKeyError, NotNullError, SqlError, UniqueError
from zengram_py.sql import BoundDefinition, Catalogue, SearchPath, parse, prepare
from zengram_py.sql.prepare import bind


def run(database: Database, text: str, path: SearchPath | None = None) -> None:
    """Carry out definitions, each in a transaction of its own."""
    for statement in parse(text):
        with database.begin() as t:
            catalogue = Catalogue(t.reader.catalog, path or SearchPath())
            bound = bind(text, statement, catalogue).bound
            assert isinstance(bound, BoundDefinition)
            for change in bound.changes:
                getattr(t, change.method)(**change.arguments)


def refusal(database: Database, text: str) -> str:
    with pytest.raises(SqlError) as caught:
        run(database, text)
    return caught.value.sqlstate


def table(database: Database, name: str = "t") -> TableDef:
    return next(t for t in database.tables() if t.title == name)


@pytest.fixture
def database() -> Database:
    return Database.open()


def test_a_table_with_everything(database: Database) -> None:
    run(
        database,
        """
        create table parent (id int primary key, name text unique);
        create type mood as enum ('sad', 'ok');
        create table t (
            id bigserial primary key,
            a int not null default 1 check (a > 0 and a <> 5),
            b varchar(5) default 'x',
            c char(3),
            n numeric(6, 2) default 1.5,
            m mood default 'ok',
            p int references parent on delete cascade on update set null deferrable initially deferred,
            at timestamp default now(),
            j jsonb default '{"k": [1]}',
            arr int[] default '{1,2}',
            v vector(3) default '[1,2,3]',
            g int generated always as identity,
            constraint upper_b check (b = upper(b) or b is null),
            unique (a, b)
        )
        """,
    )
    made = table(database)
    types = {c.name: c.type for c in made.columns}
    assert (types["b"], types["c"], types["n"]) == (varchar(5), char(3), numeric(6, 2))
    defaults = {c.name: c.default for c in made.columns}
    assert defaults["a"] == ["lit", 1]
    assert defaults["at"] == ["now"]
    assert defaults["j"] == ["lit", {"k": [1]}]
    assert defaults["v"] == ["lit", [1.0, 2.0, 3.0]]
    assert made.primary_key == ("id",)
    assert [c.name for c in made.columns if not c.nullable] == ["id", "a", "g"]
    assert [(c.name, c.identity) for c in made.columns if c.identity] == [("g", "always")]
    sequences = {
        d.name[2]: d.id for d in database.begin().reader.catalog.by_id.values() if d.kind == "sequence"
    }
    assert defaults["id"] == ["nextval", sequences["t_id_seq"]]
    assert [(c.name, c.expr) for c in made.checks] == [
        ("t_a_check", ["and", [">", ["col", "a"], ["lit", 0]], ["!=", ["col", "a"], ["lit", 5]]]),
        ("upper_b", {"sql": "b = upper(b) or b is null"}),
    ]
    (key,) = made.foreign_keys
    assert (key.name, key.columns, key.ref_columns) == ("t_p_fkey", ("p",), ("id",))
    assert (key.on_delete, key.on_update, key.deferred) == ("cascade", "set_null", True)
    assert [(i.name, i.kind, i.unique) for i in made.indexes if i.unique] == [
        ("t_pkey", "hash", True),
        ("t_a_b_key", "hash", True),
    ]


def test_the_constraints_hold(database: Database) -> None:
    run(
        database,
        "create table p (id int primary key);"
        "create table t (id int primary key, a int check (a in (1, 2) or a is null), b text not null, "
        "p int references p, n numeric(4, 1), unique (b))",
    )
    good = {"id": 1, "a": 1, "b": "x", "n": "1.25"}
    with database.begin() as t:
        assert t.insert("t", good)["n"].as_tuple().exponent == -1
    for change, kind in (
        ({"id": 2, "a": 3, "b": "y"}, CheckError),
        ({"id": 2, "a": 1}, NotNullError),
        ({"id": 2, "a": 1, "b": "x"}, UniqueError),
        ({"id": 2, "b": "y", "p": 7}, ForeignKeyError),
    ):
        with pytest.raises(kind), database.begin() as t:
            t.insert("t", change)


def test_a_restored_database_knows_the_types(database: Database) -> None:
    run(database, "create table t (b varchar(5), c char(3), n numeric(6, 2), d varchar, e numeric)")
    restored = Database.restore(database.export())
    assert [c.type for c in table(restored).columns] == [c.type for c in table(database).columns]
    catalogue = Catalogue(restored.begin().reader.catalog)
    outputs = prepare("select * from t", catalogue).outputs
    assert [o.type.declaration for o in outputs] == [
        "character varying(5)",
        "character(3)",
        "numeric(6,2)",
        "character varying",
        "numeric",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("create index on t (a)", IndexDef("t_a_idx", "ordered", (["col", "a"],), id=1)),
        (
            "create unique index i on t (a, b desc)",
            IndexDef("i", "ordered", (["col", "a"], ["col", "b"]), True, id=1),
        ),
        ("create index i on t using hash (b)", IndexDef("i", "hash", (["col", "b"],), id=1)),
        ("create index on t (lower(b))", IndexDef("t_lower_idx", "ordered", ({"sql": "lower(b)"},), id=1)),
        (
            "create index i on t using hnsw (v vector_cosine_ops) with (m = 8, ef_construction = 32)",
            IndexDef(
                "i",
                "hnsw",
                (["col", "v"],),
                options={"metric": "cosine", "m": 8, "ef_construction": 32},
                id=1,
            ),
        ),
        (
            "create index i on t using hnsw (v)",
            IndexDef("i", "hnsw", (["col", "v"],), options={"metric": "l2"}, id=1),
        ),
        (
            "create index i on t using gin (to_tsvector('german', b))",
            IndexDef("i", "fulltext", (["col", "b"],), options={"language": "german"}, id=1),
        ),
    ],
)
def test_indexes(database: Database, text: str, expected: IndexDef) -> None:
    run(database, "create table t (id int primary key, a int, b text, v vector(3))")
    catalogue = Catalogue(database.begin().reader.catalog)
    bound = prepare(text, catalogue).bound
    assert isinstance(bound, BoundDefinition)
    made = bound.changes[0].arguments["index"]
    assert (made.name, made.kind, made.keys, made.unique, made.options) == (
        expected.name,
        expected.kind,
        expected.keys,
        expected.unique,
        expected.options,
    )
    if not any(isinstance(key, dict) for key in made.keys):  # text waits for its compiler
        run(database, text)
        assert made.name in [i.name for i in table(database).indexes]


def test_altering_a_table(database: Database) -> None:
    run(
        database,
        """
        create table t (id int primary key, a int, b text);
        alter table t add column c int default 7 check (c > 0), add d text not null default 'x',
            alter column a set default 5, alter a set not null, alter b type varchar(3),
            rename column b to e;
        alter table t rename column b to bb;
        alter table t rename to s;
        alter table s drop column if exists nope, drop c, add constraint k unique (a);
        alter table s add check (a < 100), drop constraint k;
        alter table if exists nope add column x int;
        """.replace(",\n            rename column b to e", ""),
    )
    made = table(database, "s")
    assert [(c.name, c.type.name, c.nullable) for c in made.columns] == [
        ("id", "int32", False),
        ("a", "int32", False),
        ("bb", "varchar(3)", True),
        ("d", "text", False),
    ]
    assert [(c.name, c.expr) for c in made.checks] == [("s_a_check", ["<", ["col", "a"], ["lit", 100]])]
    assert [i.name for i in made.indexes] == ["t_pkey"]


def test_objects(database: Database) -> None:
    run(
        database,
        """
        create sequence s start 5 increment 2 maxvalue 100 cycle;
        create table t (a int default nextval('s'), b text);
        create view v (x, y) as select a, b from t where a > 1;
        create or replace view v as select a + 1 as x, b as y, 5 as z from t;
        create type mood as enum ('a', 'b');
        alter type mood add value 'c' before 'b';
        create schema w;
        create table w.t (x mood);
        create table copied as select a, b || 'x' as c from t with no data;
        create temp table t2 (like t, extra int);
        create table if not exists t (nothing int);
        drop table if exists nope, copied;
        drop view v;
        """,
    )
    catalogue = Catalogue(database.begin().reader.catalog)
    with database.begin() as t:
        assert t.insert("t", {"b": "x"})["a"] == 5
    outputs = prepare("select * from w.t, t2", catalogue).outputs
    assert [(o.name, o.type.title) for o in outputs] == [
        ("x", "mood"),
        ("a", "integer"),
        ("b", "text"),
        ("extra", "integer"),
    ]
    assert prepare("select x = 'c' from w.t", catalogue).outputs[0].type.title == "boolean"


def test_a_view_is_read_by_its_own_path(database: Database) -> None:
    run(database, "create schema w; create table w.t (a int, b text)")
    run(database, "create view w.v as select a as x, b from t", SearchPath(schemas=("w",)))
    catalogue = Catalogue(database.begin().reader.catalog)
    assert [o.name for o in prepare("select v.x, b from w.v", catalogue).outputs] == ["x", "b"]
    assert [o.name for o in prepare("select q.y from w.v q (y)", catalogue).outputs] == ["y"]
    with pytest.raises(SqlError) as caught:
        prepare("insert into w.v values (1)", catalogue)
    assert caught.value.sqlstate == "42809"


def test_databases(database: Database) -> None:
    run(database, "create database d; create table d.public.t (a int); create table t (b int)")
    catalogue = Catalogue(database.begin().reader.catalog)
    assert prepare("select * from d.public.t", catalogue).outputs[0].name == "a"
    assert prepare("select * from t", catalogue).outputs[0].name == "b"
    inside = Catalogue(catalogue.view, SearchPath("d"))
    assert prepare("select * from t", inside).outputs[0].name == "a"
    assert refusal(database, "create table e.public.t (a int)") == "3D000"
    assert refusal(database, "create database d") == "42P04"
    run(database, "create database if not exists d; drop database d; drop database if exists d")
    assert refusal(database, "drop database d") == "3D000"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("create table t (a int)", "42P07"),
        ("create table nope.x (a int)", "3F000"),
        ("create table x (a int, a text)", "42701"),
        ("create table x (a nope)", "42704"),
        ("create table x (a int primary key, b int primary key)", "42P16"),
        ("create table x (primary key (b))", "42703"),
        ("create table x (a int default 'x')", "22P02"),
        ("create table x (a int default b)", "0A000"),
        ("create table x (a int default (select 1))", "0A000"),
        ("create table x (a int default count(*))", "42803"),
        ("create table x (a int check (a > (select 1)))", "0A000"),
        ("create table x (a int check (a > $1))", "42P02"),
        ("create table x (a int default 1 default 2)", "42601"),
        ("create table x (a bool default 1)", "42804"),
        ("create table x (a int check (a + 1))", "42804"),
        ("create table x (a int check (nope > 1))", "42703"),
        ("create table x (a int check (sum(a) > 1))", "42803"),
        ("create table x (a int references nope)", "42P01"),
        ("create table x (a int references t (nope))", "42703"),
        ("create table x (a int, foreign key (a) references t (a, b))", "42830"),
        ("create table x (a text generated always as identity)", "22023"),
        ("create table x (v vector)", "0A000"),
        ("create table x (a varchar(0))", "22023"),
        ("create index i on nope (a)", "42P01"),
        ("create index i on t (nope)", "42703"),
        ("create index taken on t (a)", "42P07"),
        ("create index i on t using nope (a)", "42704"),
        ("create index i on t using hnsw (a)", "42704"),
        ("create index i on t using gin (b)", "42704"),
        ("create view t as select 1", "42P07"),
        ("create view x as select a, a from t", "42701"),
        ("create view x as select $1 + 1", "42P02"),
        ("create type mood as enum ('a')", "42710"),
        ("create type x as enum ('a', 'a')", "23505"),
        ("alter type mood add value 'sad'", "42710"),
        ("alter type nope add value 'sad'", "42704"),
        ("create schema public", "42P06"),
        ("create sequence s increment 0", "22023"),
        ("drop table nope", "42P01"),
        ("drop view t", "42809"),
        ("drop view nope", "42P01"),
        ("drop sequence t", "42809"),
        ("create table x as select a, a from t", "42701"),
        ("create sequence s start 5 maxvalue 3", "22023"),
        ("create table x (a int references t (a))", "42830"),
        ("create table x (k text references keyed)", "42804"),
        ("create table x (k int references keyed (v))", "42830"),
        ("drop index nope", "42704"),
        ("drop type nope", "42704"),
        ("alter table nope add column a int", "42P01"),
        ("alter table t add column a int", "42701"),
        ("alter table t drop column nope", "42703"),
        ("alter table t rename column a to b", "42701"),
        ("alter table t alter a type date", "42804"),
        ("alter table t drop constraint nope", "42704"),
        ("alter table t add constraint one check (a > 1), add constraint one check (a > 2)", "42710"),
        ("truncate nope", "42P01"),
        ("insert into v values (1)", "42809"),
    ],
)
def test_refused_definitions(database: Database, text: str, code: str) -> None:
    run(
        database,
        "create table t (a int, b text); create view v as select 1 as one; create type mood as enum ('sad');"
        "create index taken on t (a); create table keyed (k int primary key, v int)",
    )
    catalogue = Catalogue(database.begin().reader.catalog)
    with pytest.raises(SqlError) as caught:
        prepare(text, catalogue)
    assert caught.value.sqlstate == code


def test_truncating(database: Database) -> None:
    run(database, "create table p (id int primary key); create table c (p int references p)")
    assert refusal(database, "truncate p") == "0A000"
    bound: Any = prepare("truncate p cascade", Catalogue(database.begin().reader.catalog)).bound
    assert [c.arguments["table"][2] for c in bound.changes] == ["c", "p"]
    run(database, "truncate p, c")


def test_commands_have_no_definition(database: Database) -> None:
    catalogue = Catalogue(database.begin().reader.catalog)
    for text in ("begin", "show all", "vacuum", "create branch b", "do 'begin end'"):
        assert prepare(text, catalogue).bound is None
