"""Definitions, carried out; expressions that the catalogue keeps as text. Answers of PostgreSQL 18 where it has the statement."""

from __future__ import annotations

import pytest
from sql_answers import answer, session

from zengram_py.engine import Database, register_sql_compiler
from zengram_py.errors import CatalogError, CheckError, SqlError
from zengram_py.sql import SqlText
from zengram_py.sql.session import Session
from zengram_py.sql.stored import StoredExpression

SCRIPTS: dict[str, list[tuple[str, str]]] = {
    "create table as": [
        ("create table t as select 1 as id, 'a' as v union all select 2, 'b'", ""),
        ("select id, v from t order by id", "1|a\n2|b"),
        ("create table u (x, y) as select id * 10, v from t", ""),
        ("select x, y from u order by x", "10|a\n20|b"),
        ("create table e as select * from t with no data", ""),
        ("select count(*) from e", "0"),
        ("create table t as select 1", "42P07"),
        ("create table if not exists t as select 1", ""),
        ("create table bad as select 1 / 0 as x", "22012"),
        ("select * from bad", "42P01"),
        ("create temp table tt as values (1, 2)", ""),
        ("select column1, column2 from tt", "1|2"),
    ],
    "views": [
        ("create table t (id int, v text)", ""),
        ("insert into t values (1, 'a'), (2, 'b')", ""),
        ("create view w as select id, upper(v) as u from t where id > 1", ""),
        ("select * from w", "2|B"),
        ("insert into t values (3, 'c')", ""),
        ("select u from w order by id", "B\nC"),
        ("create view w as select 1", "42P07"),
        ("create or replace view w as select id, v as u from t", ""),
        ("select u from w order by id", "a\nb\nc"),
        ("insert into w values (1, 'x')", "42809"),
        ("drop table w", "42809"),
        ("drop view w", ""),
        ("select * from w", "42P01"),
        ("drop view w", "42P01"),
        ("drop view if exists w", ""),
    ],
    "expressions as text": [
        (
            "create table t (id int, v text default lower('ABC'), n numeric default 1 + 1.50, r float8 default random())",
            "",
        ),
        ("insert into t (id) values (1), (2) returning id, v, n", "1|abc|2.50\n2|abc|2.50"),
        ("select count(distinct r) from t", "2"),
        ("insert into t (id, v) values (3, default) returning v", "abc"),
        ("update t set v = default, n = default where id = 1 returning v, n", "abc|2.50"),
        (
            "create table c (a int, b text, check (a + 1 > length(b)), constraint low check (lower(b) = b))",
            "",
        ),
        ("insert into c values (3, 'abc')", ""),
        ("insert into c values (1, 'abc')", "23514"),
        ("insert into c values (5, 'ABC')", "23514"),
        ("insert into c values (5, 'abc'), (0, 'abc')", "23514"),
        ("insert into c values (null, 'abc')", ""),
        ("update c set b = 'Q' where a = 3", "23514"),
        ("update c set a = 0 where a = 3", "23514"),
        ("alter table c rename column b to text", ""),
        ("insert into c values (1, 'abc')", "23514"),
        ("insert into c (a, text) values (9, 'abc')", ""),
        ("create unique index i on c (upper(text), a)", ""),
        ("insert into c values (9, 'abc')", "23505"),
        ("alter table c drop column text", ""),
        ("insert into c values (1)", ""),
        ("insert into c values (9)", ""),
        ("create table k (a int)", ""),
        ("insert into k values (1), (-1)", ""),
        ("create unique index ki on k (abs(a))", "23505"),
        ("alter table k add check (abs(a) < 1)", "23514"),
        ("alter table k add column b int default 1 + 2", ""),
        ("select a, b from k order by a", "-1|3\n1|3"),
        ("alter table k alter column a type text using a::text || '!'", ""),
        ("select a from k order by a", "-1!\n1!"),
        ("alter table k alter column a type int", "42804"),
        ("create type mood as enum ('sad', 'ok')", ""),
        ("create table m (a mood default 'ok', check (a <> 'sad'::mood))", ""),
        ("insert into m default values returning a", "ok"),
        ("insert into m values ('sad')", "23514"),
        ("create table d (at date default current_date + 1, who text default current_user)", ""),
        ("insert into d default values returning at - current_date, who", "1|zengram"),
        ("create table never (a int, check (false))", ""),
        ("insert into never values (1)", "23514"),
    ],
    "definitions in transactions": [
        ("begin", ""),
        ("create table t (id serial primary key)", ""),
        ("insert into t default values returning id", "1"),
        ("savepoint a", ""),
        ("alter table t add column v text default 'x'", ""),
        ("select id, v from t", "1|x"),
        ("rollback to a", ""),
        ("select * from t", "1"),
        ("commit", ""),
        ("select * from t", "1"),
        ("begin", ""),
        ("drop table t", ""),
        ("select * from t", "42P01"),
        ("rollback", ""),
        ("select * from t", "1"),
    ],
    "truncate": [
        ("create table p (id int primary key)", ""),
        ("create table c (id int primary key, p int references p)", ""),
        ("insert into p values (1), (2)", ""),
        ("insert into c values (1, 1)", ""),
        ("truncate p", "0A000"),
        ("truncate p, c", ""),
        ("select count(*) from p", "0"),
        ("insert into p values (1)", ""),
        ("insert into c values (1, 1)", ""),
        ("begin", ""),
        ("insert into p values (2)", ""),
        ("update p set id = id where id = 1", ""),
        ("truncate p cascade", ""),
        ("select count(*) from c", "0"),
        ("select count(*) from p", "0"),
        ("insert into p values (1)", ""),
        ("commit", ""),
        ("select * from p", "1"),
        ("truncate nope", "42P01"),
    ],
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts(name: str) -> None:
    here = session()
    for statement, expected in SCRIPTS[name]:
        assert answer(here, statement) == expected, statement


@pytest.mark.parametrize(
    ("text", "old", "new", "expected"),
    [
        ("a + 1 > b", "a", "x", '"x" + 1 > b'),
        ("a + aa > 'a'", "a", "x", "\"x\" + aa > 'a'"),
        ('t.a > s.t.a and "a" is null', "a", 'q"r', 't."q""r" > s.t."q""r" and "q""r" is null'),
        ("lower(a) = lower", "lower", "up", 'lower(a) = "up"'),
        ("case when a then a /* a */ end -- a", "a", "b", 'case when "b" then "b" /* a */ end -- a'),
    ],
)
def test_renaming_a_column_leaves_the_rest_of_a_text(text: str, old: str, new: str, expected: str) -> None:
    assert SqlText().rename(text, old, new) == expected


def test_columns_of_a_text() -> None:
    assert set(SqlText().columns("a + t.b > length(c) and d in (1, e)")) == {"a", "b", "c", "d", "e"}


def test_the_engine_alone_evaluates_texts_once_sql_is_there() -> None:
    database = Database.open()
    Session(database).run("create table t (a text, b int, check (length(a) > b))")
    with database.begin() as transaction:
        transaction.insert("t", {"a": "abc", "b": 2})
    with pytest.raises(CheckError), database.begin() as transaction:
        transaction.insert("t", {"a": "abc", "b": 3})


def test_a_text_nobody_understands_is_an_error_of_its_use() -> None:
    from zengram_py.engine import expr

    known = expr._sql_language[:]
    expr._sql_language.clear()
    try:
        with pytest.raises(CatalogError, match="import zengram_py"):
            expr.compile_expr({"sql": "a > 1"})
    finally:
        register_sql_compiler(known[0])


def test_many_rows_are_evaluated_together() -> None:
    from zengram_py.engine import INT32, TEXT

    found = StoredExpression("length(a) + b", {"a": TEXT, "b": INT32, "unread": TEXT})
    assert found({"a": "abc", "b": 1, "unread": None}) == 4
    assert found({"a": None, "b": 1, "unread": None}) is None
    assert found.many({"a": ["x", None, "xyz"], "b": [1, 2, None], "unread": [None] * 3}, 3) == [
        2,
        None,
        None,
    ]


def test_errors_of_definitions_undo_the_statement() -> None:
    here = session()
    here.run("create table t (id int)")
    here.run("insert into t values (1), (1)")
    with pytest.raises(SqlError) as failure:
        here.run("alter table t add column b int, add unique (id)")
    assert failure.value.sqlstate == "23505"
    assert "could not create unique index" in str(failure.value)
    assert here.run("select * from t").rows == [(1,), (1,)]
