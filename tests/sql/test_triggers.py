"""Triggers: what PostgreSQL 18 (PGlite) answers, in this order."""

import pytest
from sql_answers import answer, session

from zengram_py.sql.session import Session

STATEMENTS = [
    ("create table t (id int primary key, a int, b text)", ""),
    ("create table log (n serial, msg text)", ""),
    (
        "create function up() returns trigger language plpgsql as $$ begin new.b := upper(new.b); return new; end $$",
        "",
    ),
    ("create trigger t_up before insert or update on t for each row execute function up()", ""),
    ("insert into t values (1, 10, 'one'), (2, 20, 'two')", ""),
    ("select * from t order by id", "1|10|ONE\n2|20|TWO"),
    ("update t set b = 'changed' where id = 1", ""),
    ("select * from t order by id", "1|10|CHANGED\n2|20|TWO"),
    (
        "create function lg() returns trigger language plpgsql as $$ begin insert into log (msg) values (tg_op || ' ' || tg_name || ' ' || tg_table_name || ' ' || tg_when || ' ' || tg_level || ' ' || coalesce(old.a::text, '-') || ' ' || coalesce(new.a::text, '-')); return null; end $$",
        "",
    ),
    ("create trigger z_log after insert or update or delete on t for each row execute function lg()", ""),
    ("insert into t values (3, 30, 'three')", ""),
    ("update t set a = a + 1 where id > 1", ""),
    ("delete from t where id = 1", ""),
    (
        "select msg from log order by n",
        "INSERT z_log t AFTER ROW - 30\nUPDATE z_log t AFTER ROW 20 21\nUPDATE z_log t AFTER ROW 30 31\nDELETE z_log t AFTER ROW 10 -",
    ),
    (
        "create function st() returns trigger language plpgsql as $$ begin insert into log (msg) values (tg_op || ' ' || tg_when || ' ' || tg_level); return null; end $$",
        "",
    ),
    ("create trigger s1 before insert or update or delete on t execute function st()", ""),
    ("create trigger s2 after insert or update or delete on t for each statement execute function st()", ""),
    ("delete from log", ""),
    ("insert into t values (4, 40, 'x'), (5, 50, 'y')", ""),
    ("update t set a = 0 where id = 999", ""),
    ("delete from t where id in (4, 5)", ""),
    (
        "select msg from log order by n",
        "INSERT BEFORE STATEMENT\nINSERT z_log t AFTER ROW - 40\nINSERT z_log t AFTER ROW - 50\nINSERT AFTER STATEMENT\nUPDATE BEFORE STATEMENT\nUPDATE AFTER STATEMENT\nDELETE BEFORE STATEMENT\nDELETE z_log t AFTER ROW 40 -\nDELETE z_log t AFTER ROW 50 -\nDELETE AFTER STATEMENT",
    ),
    ("drop trigger s1 on t", ""),
    ("drop trigger s2 on t", ""),
    ("drop trigger nope on t", "42704"),
    ("drop trigger if exists nope on t", ""),
    ("delete from log", ""),
    (
        "create function skip() returns trigger language plpgsql as $$ begin if new.a < 0 then return null; end if; return new; end $$",
        "",
    ),
    ("create trigger a_skip before insert or update on t for each row execute function skip()", ""),
    ("insert into t values (6, -1, 'neg'), (7, 7, 'pos') returning id", "7"),
    ("update t set a = -5 where id = 7", ""),
    ("select * from t order by id", "2|21|TWO\n3|31|THREE\n7|7|POS"),
    ("select msg from log order by n", "INSERT z_log t AFTER ROW - 7"),
    (
        "create trigger w1 before update of a on t for each row when (old.a is distinct from new.a) execute function up()",
        "",
    ),
    ("drop trigger w1 on t", ""),
    (
        "create function seta() returns trigger language plpgsql as $$ begin new.a := 1000; return new; end $$",
        "",
    ),
    (
        "create trigger w2 before update of b on t for each row when (starts_with(new.b, 'go')) execute function seta()",
        "",
    ),
    ("update t set a = 5 where id = 7", ""),
    ("update t set b = 'stop' where id = 7", ""),
    ("select a from t where id = 7", "5"),
    ("update t set b = 'go now' where id = 7", ""),
    ("select a from t where id = 7", "5"),
    (
        "create function nodel() returns trigger language plpgsql as $$ begin if old.id = 7 then raise exception 'cannot delete %', old.id using errcode = '23514'; end if; return old; end $$",
        "",
    ),
    ("create trigger nd before delete on t for each row execute function nodel()", ""),
    ("delete from t where id = 7", "23514"),
    ("delete from t where id = 3 returning *", "3|31|THREE"),
    ("create function keep() returns trigger language plpgsql as $$ begin return null; end $$", ""),
    ("create trigger kp before delete on t for each row execute function keep()", ""),
    ("delete from t where id = 2 returning id", ""),
    ("select id from t order by id", "2\n7"),
    ("drop trigger kp on t", ""),
    (
        "create function rec() returns trigger language plpgsql as $$ begin insert into t values (new.id + 1, 1, 'r'); return new; end $$",
        "",
    ),
    ("create table r (id int)", ""),
    (
        "create trigger x before insert on t for each row when (new.id between 100 and 102) execute function rec()",
        "",
    ),
    ("insert into t values (100, 1, 'start')", ""),
    ("select id from t where id >= 100 order by id", "100\n101\n102\n103"),
    ("create trigger bad before insert on t for each row execute function nofn()", "42883"),
    ("create trigger bad before insert on nope for each row execute function up()", "42P01"),
    ("create trigger t_up before insert on t for each row execute function up()", "42710"),
    ("create or replace trigger t_up before insert on t for each row execute function up()", ""),
    ("create trigger bad before insert on t for each row when (old.a > 1) execute function up()", "42P17"),
    ("create trigger bad before delete on t for each row when (new.a > 1) execute function up()", "42P17"),
    ("create trigger bad before update of zz on t for each row execute function up()", "42703"),
    (
        "create trigger bad before insert on t for each statement when (new.a > 1) execute function up()",
        "42P17",
    ),
    ("create function notrig() returns int language sql as 'select 1'", ""),
    ("create trigger bad before insert on t for each row execute function notrig()", "42P17"),
    ("drop function up()", "2BP01"),
    ("drop function up() cascade", ""),
    ("insert into t values (50, 1, 'lower')", ""),
    ("select b from t where id = 50", "lower"),
    (
        "create function args() returns trigger language plpgsql as $$ begin new.b := tg_argv[0] || tg_nargs::text; return new; end $$",
        "",
    ),
    ("create trigger ar before insert on t for each row execute function args('hello', 'x')", ""),
    ("insert into t values (51, 1, 'lower')", ""),
    ("select b from t where id = 51", "hello2"),
    (
        "insert into t values (51, 1, 'dup') on conflict (id) do update set a = 77 returning id, a, b",
        "51|77|hello2",
    ),
    ("insert into t values (51, 1, 'dup') on conflict do nothing returning id", ""),
    ("alter table t disable trigger ar", ""),
    ("insert into t values (52, 1, 'plain')", ""),
    ("select b from t where id = 52", "plain"),
    ("alter table t enable trigger ar", ""),
    ("insert into t values (53, 1, 'plain')", ""),
    ("select b from t where id = 53", "hello2"),
    ("alter table t disable trigger all", ""),
    ("insert into t values (54, -1, 'plain')", ""),
    ("select * from t where id = 54", "54|-1|plain"),
    ("create table p (id int primary key)", ""),
    ("create function noret() returns trigger language plpgsql as $$ begin perform 1; end $$", ""),
    ("create trigger n1 before insert on p for each row execute function noret()", ""),
    ("insert into p values (1)", "2F005"),
    ("drop trigger n1 on p", ""),
    (
        "create function chrec() returns trigger language plpgsql as $$ declare r record; begin r := new; r.id := r.id * 2; return r; end $$",
        "",
    ),
    ("create trigger n2 before insert on p for each row execute function chrec()", ""),
    ("insert into p values (4)", ""),
    ("select * from p", "8"),
    ("drop table p", ""),
    ("create table p (id int primary key)", ""),
    ("insert into p values (4)", ""),
    ("select * from p", "4"),
    (
        "merge into p using (values (4), (5)) v(i) on p.id = v.i when matched then delete when not matched then insert values (v.i)",
        "",
    ),
    ("select * from p", "5"),
    ("select up()", "42883"),
    (
        "create function seq_old() returns trigger language plpgsql as $$ begin if tg_op = 'UPDATE' then if new.a < old.a then raise exception 'a goes down'; end if; end if; return new; end $$",
        "",
    ),
    ("alter table t enable trigger all", ""),
    ("create trigger down before update on t for each row execute function seq_old()", ""),
    ("update t set a = 1 where id = 7", "P0001"),
    ("update t set a = 5000 where id = 7", ""),
]


def test_postgresql_answers_the_same() -> None:
    at = session()
    for statement, expected in STATEMENTS:
        assert answer(at, statement) == expected, statement


@pytest.fixture
def at() -> Session:
    made = session()
    made.run("create table t (id int primary key, a int)")
    made.run(
        "create function one_more() returns trigger language plpgsql as $$ begin new.a := new.a + 1; return new; end $$"
    )
    made.run("create trigger more before insert or update on t for each row execute function one_more()")
    return made


def test_triggers_that_set_each_other_off_for_ever_end(at: Session) -> None:
    at.run(
        "create function again() returns trigger language plpgsql as $$ begin insert into t values (new.id + 1, 0); return new; end $$"
    )
    at.run("create trigger again before insert on t for each row execute function again()")
    assert answer(at, "insert into t values (1, 1)") == "54001"
    assert answer(at, "select count(*) from t") == "0"
    assert at.depth == 0


def test_the_triggers_of_a_table_go_with_it(at: Session) -> None:
    at.run("drop table t")
    at.run("create table t (id int primary key, a int)")
    at.run("insert into t values (1, 1)")
    assert answer(at, "select a from t") == "1"
    assert answer(at, "drop function one_more()") == ""


def test_a_trigger_stays_with_a_table_of_another_name(at: Session) -> None:
    at.run("alter table t rename to u")
    at.run("insert into u values (1, 1)")
    assert answer(at, "select a from u") == "2"


def test_a_trigger_sees_columns_that_came_later(at: Session) -> None:
    at.run("alter table t add column b int default 5")
    at.run("insert into t values (1, 1)")
    assert answer(at, "select a, b from t") == "2|5"


def test_a_trigger_is_the_branchs_own(at: Session) -> None:
    at.run("create branch b")
    at.run("set branch = b")
    at.run("drop trigger more on t")
    at.run("insert into t values (1, 1)")
    assert answer(at, "select a from t") == "1"
    at.run("set branch = main")
    at.run("insert into t values (2, 1)")
    assert answer(at, "select a from t") == "2"


def test_triggers_survive_a_snapshot(at: Session) -> None:
    again = Session(type(at.database).restore(at.database.export()))
    again.run("insert into t values (1, 1)")
    assert answer(again, "select a from t") == "2"


def test_many_rows(at: Session) -> None:
    at.run("insert into t values " + ", ".join(f"({i}, {i})" for i in range(500)))
    assert answer(at, "select sum(a) from t") == str(sum(range(500)) + 500)


def test_a_trigger_cannot_be_called(at: Session) -> None:
    assert answer(at, "select one_more()") == "42883"


@pytest.mark.parametrize("timing", ["instead of insert", "before truncate"])
def test_other_triggers_are_not_there(at: Session, timing: str) -> None:
    assert answer(at, f"create trigger x {timing} on t for each row execute function one_more()") == "0A000"
