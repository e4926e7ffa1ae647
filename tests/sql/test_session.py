"""Sessions: transactions, settings, places, limits. Answers of PostgreSQL where it has the statement."""

from __future__ import annotations

import gc

import pytest
from sql_answers import answer, session

from zengram_py.engine import Database
from zengram_py.errors import ClosedError, SqlError
from zengram_py.sql.session import Session

SCRIPTS: dict[str, list[tuple[str, str]]] = {
    "a failed block takes its end alone": [
        ("create table t (id int primary key)", ""),
        ("begin", ""),
        ("insert into t values (1)", ""),
        ("select 1/0", "22012"),
        ("select 1", "25P02"),
        ("savepoint a", "25P02"),
        ("release a", "25P02"),
        ("set max_rows = 1", "25P02"),
        ("show max_rows", "25P02"),
        ("nonsense", "42601"),
        ("commit", ""),  # rolls back
        ("select * from t", ""),
        ("begin", ""),
        ("nonsense", "42601"),
        ("select 1", "25P02"),
        ("rollback", ""),
        ("select 1", "1"),
    ],
    "savepoints": [
        ("create table t (id int primary key)", ""),
        ("savepoint a", "25P01"),
        ("rollback to a", "25P01"),
        ("release a", "25P01"),
        ("begin", ""),
        ("insert into t values (1)", ""),
        ("savepoint a", ""),
        ("insert into t values (2)", ""),
        ("savepoint a", ""),
        ("insert into t values (2)", "23505"),
        ("rollback to savepoint a", ""),
        ("select id from t order by id", "1\n2"),
        ("release savepoint a", ""),
        ("rollback to a", ""),
        ("select id from t order by id", "1"),
        ("rollback to nope", "3B001"),
        ("select 1", "25P02"),
        ("rollback to a", ""),
        ("create table u (a int)", ""),
        ("rollback to a", ""),
        ("select * from u", "42P01"),
        ("rollback to a", ""),
        ("commit", ""),
        ("select id from t", "1"),
    ],
    "levels": [
        ("show transaction_isolation", "read committed"),
        ("begin isolation level serializable, read only", ""),
        ("show transaction_isolation", "serializable"),
        ("show transaction_read_only", "on"),
        ("create table t (a int)", "25006"),
        ("rollback", ""),
        ("start transaction", ""),
        ("set transaction isolation level repeatable read", ""),
        ("show transaction_isolation", "repeatable read"),
        ("select 1", "1"),
        ("set transaction isolation level serializable", "25001"),
        ("rollback", ""),
        ("begin", ""),
        ("select 1", "1"),
        ("set transaction read only", ""),
        ("create table t (a int)", "25006"),
        ("rollback", ""),
        ("set default_transaction_read_only = on", ""),
        ("create table t (a int)", "25006"),
        ("begin read write", ""),
        ("create table t (a int)", ""),
        ("commit", ""),
        ("insert into t values (1)", "25006"),
        ("update t set a = 1", "25006"),
        ("delete from t", "25006"),
        ("truncate t", "25006"),
        ("select nextval('s')", "42P01"),
        ("set default_transaction_isolation = 'serializable'", ""),
        ("begin", ""),
        ("show transaction_isolation", "serializable"),
        ("commit", ""),
        ("set default_transaction_isolation = 'weak'", "22023"),
    ],
    "settings": [
        ("set application_name = 'me'", ""),
        ("show application_name", "me"),
        ("begin", ""),
        ("set application_name = 'you'", ""),
        ("rollback", ""),
        ("show application_name", "me"),
        ("begin", ""),
        ("set local application_name = 'us'", ""),
        ("show application_name", "us"),
        ("commit", ""),
        ("show application_name", "me"),
        ("begin", ""),
        ("savepoint a", ""),
        ("set application_name = 'inner'", ""),
        ("rollback to a", ""),
        ("show application_name", "me"),
        ("commit", ""),
        ("reset application_name", ""),
        ("show application_name", ""),
        ("set nope = 1", "42704"),
        ("show nope", "42704"),
        ("reset nope", "42704"),
        ("show my.own", "42704"),
        ("set my.own = 'x'", ""),
        ("show my.own", "x"),
        ("select current_setting('my.own')", "x"),
        ("reset my.own", ""),
        ("show my.own", ""),
        ("select set_config('my.own', 'y', false), current_setting('my.own')", "y|y"),
        ("select current_setting('no.such')", "42704"),
        ("select current_setting('no.such', true)", "NULL"),
        ("set timezone = 'UTC'", ""),
        ("set time zone 'UTC'", ""),
        ("show timezone", "UTC"),
        ("set client_encoding = 'utf8'", ""),
        ("show client_encoding", "UTF8"),
        ("set datestyle = 'ISO'", ""),
        ("show datestyle", "ISO, MDY"),
        ("set statement_timeout = '1min'", ""),
        ("show statement_timeout", "1min"),
        ("set statement_timeout = 1500", ""),
        ("show statement_timeout", "1500ms"),
        ("set statement_timeout = '1 parsec'", "22023"),
        ("set statement_timeout = 0", ""),
        ("show statement_timeout", "0"),
        ("set server_version = '9'", "55P02"),
        ("set standard_conforming_strings = on", ""),
        ("set enable_seqscan = off", ""),
        ("reset all", ""),
        ("show search_path", "public"),
    ],
    "search path": [
        ("create schema s", ""),
        ("create table t (a int)", ""),
        ("create table s.t (a int, b int)", ""),
        ("insert into t values (1)", ""),
        ("insert into s.t values (2, 3)", ""),
        ("select * from t", "1"),
        ("set search_path = s, public", ""),
        ("select * from t", "2|3"),
        ("create table u (a int)", ""),
        ("select * from s.u", ""),
        ("set search_path = nope, public", ""),
        ("create table v (a int)", ""),
        ("select * from public.v", ""),
        ("select current_schema", "public"),
        ("set search_path to default", ""),
        ("select * from u", "42P01"),
    ],
    "sequences of a session": [
        ("create sequence s increment 5 minvalue 1 maxvalue 12", ""),
        ("select currval('s')", "55000"),
        ("select lastval()", "55000"),
        ("select nextval('s'), nextval('s')", "1|6"),
        ("select currval('s'), lastval()", "6|6"),
        ("select nextval('s')", "11"),
        ("select nextval('s')", "2200H"),
        ("select setval('s', 3), nextval('s')", "3|8"),
        ("select setval('s', 3, false), nextval('s')", "3|3"),
        ("select setval('s', 13)", "22003"),
        ("select nextval('nope')", "42P01"),
        ("select nextval('S')", "8"),
        ("select nextval('\"S\"')", "42P01"),
        ("create sequence c cycle maxvalue 2", ""),
        ("create table t (id int default nextval('c'))", ""),
        ("insert into t values (default), (default), (default) returning id", "1\n2\n1"),
        ("begin", ""),
        ("select nextval('c')", "2"),
        ("rollback", ""),
        ("select nextval('c')", "1"),
    ],
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts(name: str) -> None:
    here = session()
    for statement, expected in SCRIPTS[name]:
        assert answer(here, statement) == expected, statement


def test_a_statement_is_a_transaction_of_its_own() -> None:
    here = session()
    here.run("create table t (id int primary key)")
    with pytest.raises(SqlError):
        here.run("insert into t values (1), (2), (1)")
    assert here.run("select * from t").rows == []
    assert not here.database.open_transactions()


def test_what_a_statement_was() -> None:
    here = session()
    assert here.run("create table t (id int)").command == "CREATE TABLE"
    inserted = here.run("insert into t values (1), (2)")
    assert (inserted.command, inserted.count, inserted.rows) == ("INSERT", 2, [])
    returned = here.run("delete from t where id = 1 returning id")
    assert (returned.command, returned.count, returned.rows) == ("DELETE", 1, [(1,)])
    assert here.run("select 1").command == "SELECT"
    assert here.run("begin").command == "BEGIN"
    with pytest.raises(SqlError):
        here.run("select nope")
    assert here.run("commit").command == "ROLLBACK"


def test_two_sessions_do_not_see_what_is_not_committed() -> None:
    database = Database.open()
    one, other = Session(database), Session(database)
    one.run("create table t (id int primary key, n int)")
    one.run("insert into t values (1, 0), (2, 0)")
    one.run("begin")
    other.run("begin")
    one.run("update t set n = 1 where id = 1")
    assert other.run("select n from t where id = 1").rows == [(0,)]
    one.run("commit")
    assert other.run("select n from t where id = 1").rows == [(0,)], "one state from begin to end"
    other.run("update t set n = 2 where id = 1")
    with pytest.raises(SqlError) as failure:
        other.run("commit")
    assert failure.value.sqlstate == "40001"
    assert other.block is None
    assert other.run("select n from t where id = 1").rows == [(1,)]


def test_a_serializable_transaction_fails_when_what_it_read_has_changed() -> None:
    database = Database.open()
    one, other = Session(database), Session(database)
    one.run("create table t (id int primary key, n int)")
    one.run("insert into t values (1, 0), (2, 0)")
    for here in (one, other):
        here.run("begin isolation level serializable")
        here.run("select sum(n) from t")
    one.run("update t set n = 1 where id = 1")
    other.run("update t set n = 1 where id = 2")
    one.run("commit")
    with pytest.raises(SqlError) as failure:
        other.run("commit")
    assert failure.value.sqlstate == "40001"


def test_unique_keys_are_asked_again_at_the_commit() -> None:
    database = Database.open()
    one, other = Session(database), Session(database)
    one.run("create table t (id int primary key)")
    for here in (one, other):
        here.run("begin")
        here.run("insert into t values (1)")
    one.run("commit")
    with pytest.raises(SqlError) as failure:
        other.run("commit")
    assert failure.value.sqlstate == "23505"
    assert 'unique constraint "t_pkey"' in str(failure.value)
    assert failure.value.detail == "Key (id)=(1) already exists."


def test_the_past_is_read_and_not_written() -> None:
    here = session()
    here.run("create table t (id int)")
    here.run("insert into t values (1)")
    then = here.database.timestamp
    here.run("insert into t values (2)")
    here.run(f"set as_of = {then}")
    assert here.run("select id from t").rows == [(1,)]
    with pytest.raises(SqlError) as failure:
        here.run("insert into t values (3)")
    assert failure.value.sqlstate == "25006"
    here.run("reset as_of")
    assert here.run("select count(*) from t").rows == [(2,)]
    here.run("begin")
    here.run(f"set as_of = {then}")
    assert here.run("select id from t").rows == [(1,)]
    with pytest.raises(SqlError) as failure:
        here.run("set as_of = ''")
    assert failure.value.sqlstate == "25001", "not after the first query"
    here.run("rollback")
    assert here.settings.as_of is None, "as it was before the transaction"


def test_branches() -> None:
    here = session()
    here.run("create table t (id int)")
    here.database.fork("idea")
    here.set_branch("idea")
    here.run("insert into t values (1)")
    assert here.run("select id from t").rows == [(1,)]
    here.run("set branch to default")
    assert here.run("select id from t").rows == []
    with pytest.raises(SqlError) as failure:
        here.set_branch("nowhere")
    assert failure.value.sqlstate == "42704"
    assert here.branch == "main"


def test_a_place_that_is_gone_can_be_left() -> None:
    here = session()
    here.run("create table t (id int)")
    then = here.database.timestamp
    here.database.fork("idea")
    here.run("set branch = idea")
    here.database.discard("idea")
    for text in ("select 1", "insert into t values (1)"):
        with pytest.raises(SqlError) as failure:
            here.run(text)
        assert failure.value.sqlstate == "42704"
    with pytest.raises(SqlError):
        here.begin()
    here.run("reset branch")
    here.run("insert into t values (1)")
    here.run("delete from t")
    here.run(f"set as_of = {then}")
    here.database.vacuum()
    with pytest.raises(SqlError) as failure:
        here.run("select * from t")
    assert failure.value.sqlstate == "55000"
    here.run("reset as_of")
    assert here.run("select * from t").rows == []


def test_databases() -> None:
    here = session()
    here.run("create database other")
    here.run("create table t (id int)")
    here.run("create table other.public.t (name text)")
    here.run("insert into other.public.t values ('x')")
    assert here.databases() == ["zengram", "other"]
    here.set_database("other")
    assert here.run("select * from t").rows == [("x",)]
    assert here.run("select current_database()").rows == [("other",)]
    with pytest.raises(SqlError) as failure:
        here.run("drop database other")
    assert failure.value.sqlstate == "55006"
    here.set_database(None)
    here.run("drop database other")
    assert here.databases() == ["zengram"]
    with pytest.raises(SqlError) as failure:
        here.set_database("other")
    assert failure.value.sqlstate == "3D000"
    here.run("begin")
    with pytest.raises(SqlError) as failure:
        here.set_database(None)
    assert failure.value.sqlstate == "25001"


def test_a_statement_ends_when_its_time_is_over() -> None:
    here = session()
    here.run("create table t (id int)")
    here.run("insert into t values (1), (2)")
    ticks = iter(range(1000))
    here.clock = lambda: float(next(ticks))
    here.run("set statement_timeout = '1s'")
    with pytest.raises(SqlError) as failure:
        here.run("select * from t a, t b, t c where a.id < b.id")
    assert failure.value.sqlstate == "57014"


def test_a_statement_ends_when_it_makes_too_many_rows() -> None:
    here = session()
    here.run("create table t (id int)")
    here.run("insert into t values (1), (2), (3)")
    here.run("set max_rows = 10")
    assert len(here.run("select * from t").rows) == 3
    with pytest.raises(SqlError) as failure:
        here.run("select * from t a, t b, t c")
    assert failure.value.sqlstate == "54000"
    here.run("set max_rows = 0")
    assert len(here.run("select * from t a, t b, t c").rows) == 27


def test_scripts_run_statement_by_statement() -> None:
    here = session()
    found = here.run_script(
        "create table t (id int); insert into t values (1), (2); select id from t order by id"
    )
    assert [result.command for result in found] == ["CREATE TABLE", "INSERT", "SELECT"]
    assert found[-1].rows == [(1,), (2,)]
    with pytest.raises(SqlError) as failure:
        here.run_script("insert into t values (3); select nope; insert into t values (4)")
    assert failure.value.sqlstate == "42703"
    assert here.run("select count(*) from t").rows == [(3,)]
    here.run_script("begin; insert into t values (5); rollback")
    assert here.run("select count(*) from t").rows == [(3,)]
    with pytest.raises(SqlError):
        here.run_script("insert into t values (9); nonsense")
    assert here.run("select count(*) from t").rows == [(3,)], "what cannot be read does not begin to run"


def test_several_statements_are_no_statement() -> None:
    with pytest.raises(SqlError) as failure:
        session().run("select 1; select 2")
    assert failure.value.sqlstate == "42601"
    assert failure.value.position == 11
    assert "script" in failure.value.hint


@pytest.mark.parametrize("text", ["select '\ud800'", "select 1 -- \udfff"])
def test_a_text_that_is_no_unicode_is_refused(text: str) -> None:
    with pytest.raises(SqlError) as failure:
        session().run(text)
    assert failure.value.sqlstate == "22021"


@pytest.mark.parametrize("value", ["a\0b", "\ud800", "x\udfff"])
def test_a_value_that_is_no_text_is_refused(value: str) -> None:
    here = session()
    here.run("create table t (a text)")
    with pytest.raises(SqlError) as failure:
        here.run("insert into t values ($1)", [value])
    assert failure.value.sqlstate == "22021"


def test_plans_are_kept_for_the_definitions_that_they_were_made_for() -> None:
    here = session()
    here.run("create table t (a int)")
    here.run("insert into t values (1)")
    assert here.run("select * from t").rows == [(1,)]
    here.run("alter table t add column b text default 'x'")
    assert here.run("select * from t").rows == [(1, "x")]
    here.run("begin")
    here.run("alter table t drop column b")
    assert here.run("select * from t").rows == [(1,)]
    here.run("rollback")
    assert here.run("select * from t").rows == [(1, "x")]


def test_long_texts_are_not_kept() -> None:
    here = session()
    here.run("create table t (a int)")
    kept = len(here.ready)
    here.run("insert into t values " + ",".join(f"({i})" for i in range(10_000)))
    assert len(here.ready) == kept
    assert here.run("select count(*), sum(a) from t").rows == [(10_000, 49_995_000)]


def test_a_dropped_session_leaves_no_transaction() -> None:
    here = session()
    database = here.database
    here.run("begin")
    assert len(database.open_transactions()) == 1
    del here
    gc.collect()
    assert not database.open_transactions()


def test_a_closed_database_is_said_to_be_closed() -> None:
    here = session()
    here.database.close()
    with pytest.raises(ClosedError):
        here.run("select 1")


def test_an_interrupted_statement_leaves_the_session_usable() -> None:
    here = session()
    here.run("create table t (a int)")

    def interrupt(text: str) -> list[float]:
        raise KeyboardInterrupt

    from zengram_py.sql.embedding import Embedder

    here.embedder = Embedder(interrupt, 3)
    with pytest.raises(KeyboardInterrupt):
        here.run("insert into t select 1 where embed('x') is not null")
    assert not here.database.open_transactions()
    assert here.run("select count(*) from t").rows == [(0,)]
