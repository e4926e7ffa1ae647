"""Functions in SQL and PL/pgSQL, and blocks of code: what PostgreSQL 18 (PGlite) answers, in this order."""

import pytest
from sql_answers import answer, session

from zengram_py.sql.session import Session

STATEMENTS = [
    ("create table t (id int primary key, a int, b text)", ""),
    ("create function add1(x int) returns int language sql as 'select x + 1'", ""),
    ("select add1(41)", "42"),
    ("create function addp(int, int) returns int language sql as 'select $1 + $2'", ""),
    ("select addp(1, 2), addp(add1(1), 5)", "3|7"),
    (
        "create function fact(n int) returns bigint language plpgsql as $$ begin if n <= 1 then return 1; end if; return n * fact(n - 1); end $$",
        "",
    ),
    ("select fact(10), fact(20)", "3628800|2432902008176640000"),
    (
        "create function greet(name text default 'world', times int default 1) returns text language plpgsql as $$ declare r text := ''; begin r := repeat('hello ' || name || ' ', times); return trim(r); end $$",
        "",
    ),
    ("select greet(), greet('x'), greet('y', 2)", "hello world|hello x|hello y hello y"),
    ("create function nothing() returns void language plpgsql as $$ begin perform 1; end $$", ""),
    ("select nothing() is null", "f"),
    ("create function bad() returns int language plpgsql as $$ begin perform 1; end $$", ""),
    ("select bad()", "2F005"),
    (
        "create function s(n int) returns setof int language sql as 'select g from generate_series(1, n) g'",
        "",
    ),
    ("select * from s(3)", "1\n2\n3"),
    ("select s(2)", "1\n2"),
    (
        "create function tab(n int) returns table (a int, b text) language sql as $$ select n, 'x' || n::text union all select n + 1, 'y' $$",
        "",
    ),
    ("select * from tab(5)", "5|x5\n6|y"),
    ("select a, b from tab(5) where a > 5", "6|y"),
    (
        "create function q(n int) returns table (k int, v text) language plpgsql as $$ begin return query select n, 'v'; k := 7; v := 'next'; return next; end $$",
        "",
    ),
    ("select * from q(1)", "1|v\n7|next"),
    ("create function strictf(a int, b int) returns int strict language sql as 'select 5'", ""),
    ("select strictf(1, null), strictf(1, 2)", "NULL|5"),
    ("create function dup(int) returns int language sql as 'select 1'", ""),
    ("create function dup(int) returns int language sql as 'select 2'", "42723"),
    ("create or replace function dup(int) returns int language sql as 'select 2'", ""),
    ("select dup(1)", "2"),
    ("create or replace function dup(int) returns text language sql as 'select ''x'''", "42P13"),
    ("create function dup(text) returns text language sql as 'select $1'", ""),
    ("select dup('x'), dup(1)", "x|2"),
    ("drop function dup", "42725"),
    ("drop function dup(text)", ""),
    ("drop function dup", ""),
    ("drop function dup", "42883"),
    ("drop function if exists dup(int)", ""),
    (
        "create function m(a int) returns int language sql as 'insert into t values (a, a * 2, ''m'') returning a'",
        "",
    ),
    ("select m(5)", "10"),
    ("select * from t", "5|10|m"),
    ("create function wrong() returns int language sql as 'select ''x''::text'", "42P13"),
    ("create function wrong() returns int language sql as 'select 1, 2'", "42P13"),
    ("create function wrong() returns int language sql as 'select nope from t'", "42703"),
    ("create function wrong() returns int language plpgsql as 'begin foo bar; end'", "42601"),
    ("create function wrong() returns int language plpgsql as 'begin return 1'", "42601"),
    ("create function wrong(a int, a int) returns int language sql as 'select 1'", "42P13"),
    (
        "create function r1() returns text language plpgsql as $$ begin raise exception 'bad % and %', 1, 'x'; end $$",
        "",
    ),
    ("select r1()", "P0001"),
    (
        "create function r2() returns text language plpgsql as $$ begin raise exception using errcode = 'division_by_zero', message = 'custom'; end $$",
        "",
    ),
    ("select r2()", "22012"),
    ("create function r3() returns text language plpgsql as $$ begin raise division_by_zero; end $$", ""),
    ("select r3()", "22012"),
    (
        "create function r4(x int) returns text language plpgsql as $$ begin return (10 / x)::text; exception when division_by_zero then return sqlstate || ' ' || sqlerrm; end $$",
        "",
    ),
    ("select r4(2), r4(0)", "5|22012 division by zero"),
    (
        "create function r5() returns int language plpgsql as $$ declare n int; begin begin insert into t values (77, 1, 'a'); insert into t values (77, 1, 'a'); exception when unique_violation then n := 1; end; select count(*) into n from t where id = 77; return n; end $$",
        "",
    ),
    ("select r5()", "0"),
    (
        "create function rec() returns text language plpgsql as $$ declare r record; begin select id, b into r from t where id = 5; if not found then return 'none'; end if; return r.b || r.id::text; end $$",
        "",
    ),
    ("select rec()", "m5"),
    (
        "create function rowt() returns int language plpgsql as $$ declare r t%rowtype; x t.a%type; begin select * into r from t where id = 5; x := r.a; r.a := 100; return r.a + x; end $$",
        "",
    ),
    ("select rowt()", "110"),
    (
        "create function strict1() returns int language plpgsql as $$ declare n int; begin select id into strict n from t where id = 1234; return n; end $$",
        "",
    ),
    ("select strict1()", "P0002"),
    (
        "create function unassigned() returns int language plpgsql as $$ declare r record; begin return r.x; end $$",
        "",
    ),
    ("select unassigned()", "55000"),
    (
        "create function cs(x int) returns text language plpgsql as $$ begin case x when 1, 2 then return 'low'; when 3 then return 'three'; else return 'other'; end case; end $$",
        "",
    ),
    ("select cs(1), cs(2), cs(3), cs(4)", "low|low|three|other"),
    (
        "create function cs2(x int) returns text language plpgsql as $$ begin case when x > 5 then return 'big'; end case; return 'none'; end $$",
        "",
    ),
    ("select cs2(6)", "big"),
    ("select cs2(1)", "20000"),
    (
        "create function dyn(n text) returns bigint language plpgsql as $$ declare c bigint; begin execute 'select count(*) from ' || quote_ident(n) into c; return c; end $$",
        "",
    ),
    ("select dyn('t')", "1"),
    (
        "create function dyn2(x int) returns int language plpgsql as $$ declare c int; begin execute 'select $1 + $2' into c using x, 10; return c; end $$",
        "",
    ),
    ("select dyn2(5)", "15"),
    (
        "create function cnt() returns int language plpgsql as $$ declare n int; begin update t set a = a + 1; get diagnostics n = row_count; return n; end $$",
        "",
    ),
    ("select cnt()", "1"),
    (
        "create function const1() returns int language plpgsql as $$ declare c constant int := 5; begin c := 6; return c; end $$",
        "22005",
    ),
    ("select const1()", "42883"),
    (
        "create function nn() returns int language plpgsql as $$ declare c int not null := 5; begin c := null; return c; end $$",
        "",
    ),
    ("select nn()", "22004"),
    (
        "create function asrt(x int) returns int language plpgsql as $$ begin assert x > 0, 'must be positive'; return x; end $$",
        "",
    ),
    ("select asrt(1)", "1"),
    ("select asrt(-1)", "P0004"),
    ("do $$ begin insert into t values (99, 1, 'do'); end $$", ""),
    (
        "do $$ declare x int := 5; begin if x > 3 then update t set b = 'done' where id = 99; end if; end $$",
        "",
    ),
    ("select b from t where id = 99", "done"),
    ("do $$ begin raise exception 'stop'; end $$", "P0001"),
    ("create function inf(n int) returns int language plpgsql as $$ begin return inf(n + 1); end $$", ""),
    (
        "create function scope1() returns text language plpgsql as $$ declare x text := 'outer'; y text; begin declare x text := 'inner'; begin y := x; end; return x || y; end $$",
        "",
    ),
    ("select scope1()", "outerinner"),
    (
        "create function nullarg(x int) returns text language plpgsql as $$ begin if x is null then return 'null'; elsif x = 1 then return 'one'; end if; return 'many'; end $$",
        "",
    ),
    ("select nullarg(null), nullarg(1), nullarg(2)", "null|one|many"),
    ("select id, add1(a) from t order by id", "5|12\n99|2"),
    ("select * from t where add1(a) > 3 order by id", "5|11|m"),
    (
        "create function ret(x int) returns numeric(5,2) language plpgsql as $$ begin return x / 3.0; end $$",
        "",
    ),
    ("select ret(10)", "3.3333333333333333"),
    ("create function castret() returns int language plpgsql as $$ begin return '42'; end $$", ""),
    ("select castret()", "42"),
    ("create function castret2() returns int language plpgsql as $$ begin return 4.6; end $$", ""),
    ("select castret2()", "5"),
    ("create function badret() returns int language plpgsql as $$ begin return 'abc'; end $$", ""),
    ("select badret()", "22P02"),
    (
        "create function arr(a int[]) returns int language plpgsql as $$ begin return a[1] + array_length(a, 1); end $$",
        "",
    ),
    ("select arr(array[10,20,30])", "13"),
    (
        "create function raisefew() returns int language plpgsql as $$ begin raise notice 'a % b %', 1; end $$",
        "42601",
    ),
    ("create function novar() returns int language plpgsql as $$ begin zz := 1; return 1; end $$", "42601"),
    ("create function rt() returns t language sql as 'select * from t where id = 5'", ""),
    ("select * from rt()", "5|11|m"),
    ("select (rt()).b", "m"),
    (
        "create function srt() returns setof t language plpgsql as $$ begin return query select * from t order by id; end $$",
        "",
    ),
    ("select id from srt()", "5\n99"),
    ("create function nodest() returns int language plpgsql as $$ begin select 1; return 1; end $$", ""),
    ("select nodest()", "42601"),
    ("create function lateralf(x int) returns setof int language sql as 'values (x), (x * 10)'", ""),
    ("select t.id, l from t, lateral lateralf(t.id) l where t.id < 10 order by 1, 2", "5|5\n5|50"),
    (
        "create function nm(a int, b text default 'd', c int default 7) returns text language sql as $$ select a::text || b || c::text $$",
        "",
    ),
    ("select nm(a => 1), nm(1, c => 2), nm(c => 3, a => 1, b => 'x'), nm(1, b => 'y')", "1d7|1d2|1x3|1y7"),
    ("select nm(b => 'x')", "42883"),
    ("select nm(1, a => 2)", "42883"),
    ("select nm(zz => 2)", "42883"),
    ("select nm(a := 5)", "5d7"),
    (
        "create function el(a int[]) returns int[] language plpgsql as $$ begin a[2] := 20; a[5] := a[1] + 1; return a; end $$",
        "",
    ),
    ("select el(array[1,2,3])", "{1,20,3,NULL,2}"),
    (
        "create function js(j jsonb) returns jsonb language plpgsql as $$ declare r record; begin j['a']['b'] := to_jsonb(5); select 1 as x, array[1,2] as y into r; r.y[2] := 7; j['y'] := to_jsonb(r.y); return j; end $$",
        "",
    ),
    ('select js(\'{"a": {"c": 1}}\')', '{"a": {"b": 5, "c": 1}, "y": [1, 7]}'),
    (
        "create function elbad(a int[]) returns int[] language plpgsql as $$ begin a['x'] := 20; return a; end $$",
        "",
    ),
    ("select elbad(array[1])", "22P02"),
    (
        "create function elbad2(a int) returns int language plpgsql as $$ begin a[1] := 20; return a; end $$",
        "",
    ),
    ("select elbad2(1)", "42804"),
]


def test_postgresql_answers_the_same() -> None:
    at = session()
    for statement, expected in STATEMENTS:
        assert answer(at, statement) == expected, statement


@pytest.fixture
def at() -> Session:
    return session()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("begin loop null; end loop; end", "0A000"),
        ("begin while true loop null; end loop; end", "0A000"),
        ("begin for i in 1..3 loop null; end loop; end", "0A000"),
        ("declare c cursor for select 1; begin null; end", "0A000"),
        ("begin fetch c into x; end", "0A000"),
        ("begin commit; end", "2D000"),
        ("begin set x.y = 1; end", "0A000"),
        ("begin", "42601"),
        ("begin end; select 1", "42601"),
        ("begin x := 1; end", "42601"),
        ("begin if true then null; end", "42601"),
        ("declare x int; x text; begin end", "42601"),
        ("declare x int not null; begin end", "22004"),
        ("begin raise 'a %'; end", "42601"),
        ("begin raise no_such_condition; end", "42704"),
        ("begin null; exception when no_such_condition then null; end", "42704"),
        ("begin raise; end", "0Z002"),
        ("begin perform $1; end", "42P02"),
        ("begin return 1; end", "42804"),
        ("begin execute null; end", "22004"),
        ("begin raise sqlstate 'ZZ001'; end", "ZZ001"),
        ("begin raise exception 'x' using errcode = 'unique_violation'; end", "23505"),
        ("begin raise notice 'fine'; end", ""),
        ("begin " * 101 + "null; " + "end; " * 101, "54001"),
    ],
)
def test_what_a_block_may_not_be(at: Session, body: str, expected: str) -> None:
    assert answer(at, f"do $$ {body} $$") == expected


def test_functions_that_call_themselves_for_ever_end(at: Session) -> None:
    at.run("create function inf(n int) returns int language plpgsql as $$ begin return inf(n + 1); end $$")
    assert answer(at, "select inf(1)") == "54001"
    assert answer(at, "select 1") == "1"
    assert at.depth == 0


def test_messages_are_kept(at: Session) -> None:
    at.run("do $$ declare x int; begin raise notice 'x is %, 100%%', x; raise warning 'careful'; end $$")
    assert list(at.notices) == [("notice", "x is <NULL>, 100%"), ("warning", "careful")]


def test_what_a_handler_catches_is_undone(at: Session) -> None:
    at.run("create table t (id int primary key)")
    at.run(
        """do $$ begin
            insert into t values (1);
            begin
                insert into t values (2);
                raise exception 'no';
            exception when raise_exception then
                insert into t values (3);
            end;
        end $$"""
    )
    assert answer(at, "select id from t order by id") == "1\n3"


def test_a_function_is_the_branchs_own(at: Session) -> None:
    at.run("create function f() returns int language sql as 'select 1'")
    at.run("create branch b")
    at.run("set branch = b")
    at.run("create or replace function f() returns int language sql as 'select 2'")
    assert answer(at, "select f()") == "2"
    at.run("set branch = main")
    assert answer(at, "select f()") == "1"
    at.run("merge branch b")
    assert answer(at, "select f()") == "2"


def test_a_function_survives_a_snapshot(at: Session) -> None:
    at.run("create function f(x int) returns int language plpgsql as $$ begin return x * 2; end $$")
    again = Session(type(at.database).restore(at.database.export()))
    assert answer(again, "select f(21)") == "42"


def test_code_that_defines_and_uses(at: Session) -> None:
    at.run("do $$ begin create table made (a int); insert into made values (5); end $$")
    assert answer(at, "select a from made") == "5"


def test_functions_with_default_arguments_and_rows(at: Session) -> None:
    at.run(
        "create function pair(a int, b int default 7) returns table (x int, y int) language sql as 'select a, b'"
    )
    assert answer(at, "select * from pair(1)") == "1|7"
    assert answer(at, "select x + y from pair(1, 2)") == "3"
    assert answer(at, "select * from pair(1) with ordinality") == "1|7|1"


def test_the_value_of_a_stable_function_is_computed_once(at: Session) -> None:
    at.run("create table calls (n int)")
    at.run("create table t (a int)")
    at.run("insert into t values (1), (2), (3)")
    at.run(
        "create function s() returns int stable language plpgsql as $$ begin raise notice 'called'; return 1; end $$"
    )
    at.run(
        "create function v() returns int language plpgsql as $$ begin raise notice 'called'; return 1; end $$"
    )
    at.run("select s() from t")
    assert len(at.notices) == 1
    at.run("select v() from t")
    assert len(at.notices) == 4


@pytest.mark.parametrize(
    "statement",
    [
        "create index on t (f(a))",
        "alter table t add check (f(a) > 0)",
        "alter table t add column b int generated always as (f(a)) stored",
    ],
)
def test_the_engine_calls_no_functions(at: Session, statement: str) -> None:
    at.run("create table t (a int)")
    at.run("create function f(x int) returns int immutable language sql as 'select x'")
    assert answer(at, statement) == "0A000"
    assert answer(at, "alter table t add column c int default f(5)") == ""
    at.run("insert into t (a) values (1)")
    assert answer(at, "select c from t") == "5"


def test_an_expression_of_columns(at: Session) -> None:
    at.run("create table t (a int, b text)")
    at.run("insert into t values (1, 'x'), (null, 'y'), (3, null), (3, 'x')")
    at.run(
        "create function joined(a int, b text) returns text language sql as 'select coalesce(b, $$-$$) || a::text'"
    )
    at.run("create function strictly(a int, b text) returns text strict language sql as 'select 1 / a || b'")
    assert answer(at, "select joined(a, b) from t") == "x1\nNULL\n-3\nx3"
    assert answer(at, "select strictly(a, b) from t") == "1x\nNULL\nNULL\n0x"
    assert answer(at, "select joined(7, 'z'), strictly(null, 'z')") == "z7|NULL"
    assert answer(at, "select strictly(a - 1, b) from t") == "22012"


def test_comments_on_functions(at: Session) -> None:
    at.run("create function f(x int) returns int language sql as 'select x'")
    assert answer(at, "comment on function f(int) is 'gives it back'") == ""
    assert answer(at, "comment on function g(int) is 'x'") == "42883"
