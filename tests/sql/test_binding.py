"""What statements give and take, and how they are refused: the cases were compared with PostgreSQL 18.

Where they differ on purpose: times are UTC without a zone, rows have no named type, and some places and words of errors are more exact.
"""

import pytest

from zengram_py.errors import SqlError
from zengram_py.sql.prepare import prepare
from zengram_py.sql.scope import Catalogue

# Statement, its output, its parameters.
TYPED = [
    (
        "select 1, 'a', null, 1.5, true, 3000000000, 1e5",
        "?column? integer, ?column? text, ?column? text, ?column? numeric, ?column? boolean, ?column? bigint, ?column? numeric",
        "",
    ),
    (
        "select a + 1, a + 1.5, a + i8, a / 2.0, f * a, n + f, -n, a % 2, 2 ^ 3, a ^ 2 from t",
        "?column? integer, ?column? numeric, ?column? bigint, ?column? numeric, ?column? double precision, ?column? double precision, ?column? numeric, ?column? integer, ?column? double precision, ?column? double precision",
        "",
    ),
    (
        "select a || 'x', 'x' || a, b || b, arr || 1, 1 || arr, arr || arr, j || '{}' from t",
        "?column? text, ?column? text, ?column? text, ?column? integer[], ?column? integer[], ?column? integer[], ?column? jsonb",
        "",
    ),
    (
        "select '2020-01-01'::date + 1, date '2020-01-01', timestamp '2020-01-01', interval '1 day'",
        "?column? date, date date, timestamp timestamp without time zone, interval interval",
        "",
    ),
    (
        "select j -> 'a', j ->> 'a', j -> 0, j #> '{a}', j #>> '{a,b}', j @> '{}', j ? 'a', j - 'a' from t",
        "?column? jsonb, ?column? text, ?column? jsonb, ?column? jsonb, ?column? text, ?column? boolean, ?column? boolean, ?column? jsonb",
        "",
    ),
    (
        "select coalesce(a, 1.5), coalesce(null, 'x'), greatest(a, i8), least(1, 2.5), nullif(a, 1.5) from t",
        "coalesce numeric, coalesce text, greatest bigint, least numeric, nullif numeric",
        "",
    ),
    (
        "select case when bo then 1 else 2.5 end, case a when 1 then 'x' end, case when bo then null else 1 end from t",
        "case numeric, case text, case integer",
        "",
    ),
    (
        "select count(*), count(a), sum(a), sum(i8), avg(a), min(b), max(d), string_agg(b, ','), array_agg(a), bool_and(bo) from t",
        "count bigint, count bigint, sum bigint, sum numeric, avg numeric, min text, max date, string_agg text, array_agg integer[], bool_and boolean",
        "",
    ),
    (
        "select sum(n), sum(f), avg(f), avg(n), stddev(a), jsonb_agg(a), jsonb_object_agg(b, a), percentile_cont(0.5) within group (order by a), mode() within group (order by b) from t",
        "sum numeric, sum double precision, avg double precision, avg numeric, stddev numeric, jsonb_agg jsonb, jsonb_object_agg jsonb, percentile_cont double precision, mode text",
        "",
    ),
    (
        "select row_number() over (), rank() over (order by a), lag(a) over (), lag(a, 1, 1.5) over (), sum(a) over (partition by b), first_value(b) over w, ntile(2) over w from t window w as (order by a)",
        "row_number bigint, rank bigint, lag integer, lag numeric, sum bigint, first_value text, ntile integer",
        "",
    ),
    (
        "select upper(b), length(b), substring(b from 1 for 2), position('a' in b), trim(b), round(n, 2), round(f), abs(a), extract(year from ts), date_trunc('day', ts), to_char(ts, 'YYYY'), now() from t",
        "upper text, length integer, substring text, position integer, btrim text, round numeric, round double precision, abs integer, extract numeric, date_trunc timestamp without time zone, to_char text, now timestamp without time zone",
        "",
    ),
    (
        "select a = any(arr), a = any('{1,2}'), a in (1, 2.5), a in (select id from u), a between 1 and 2.5, b like 'x', bo is true, a is null from t",
        "?column? boolean, ?column? boolean, ?column? boolean, ?column? boolean, ?column? boolean, ?column? boolean, ?column? boolean, ?column? boolean",
        "",
    ),
    (
        "select arr[1], arr[1:2], array[1, 2.5], array['a', 'b'], array[[1],[2]], (array[1,2])[1] from t",
        "arr integer, arr integer[], array numeric[], array text[], array integer[], array integer",
        "",
    ),
    (
        "select * from t join u using (id)",
        "id integer, a integer, b text, n numeric, f double precision, d date, ts timestamp without time zone, j jsonb, arr integer[], m mood, i8 bigint, bo boolean, iv interval, vc character varying(5), n2 numeric(6,2), x text, t_id integer, a bigint",
        "",
    ),
    (
        "select * from t natural join u",
        "id integer, a bigint, b text, n numeric, f double precision, d date, ts timestamp without time zone, j jsonb, arr integer[], m mood, i8 bigint, bo boolean, iv interval, vc character varying(5), n2 numeric(6,2), x text, t_id integer",
        "",
    ),
    (
        "select t.*, u.x from t left join u on t.id = u.t_id",
        "id integer, a integer, b text, n numeric, f double precision, d date, ts timestamp without time zone, j jsonb, arr integer[], m mood, i8 bigint, bo boolean, iv interval, vc character varying(5), n2 numeric(6,2), x text",
        "",
    ),
    (
        "select * from t cross join u",
        "id integer, a integer, b text, n numeric, f double precision, d date, ts timestamp without time zone, j jsonb, arr integer[], m mood, i8 bigint, bo boolean, iv interval, vc character varying(5), n2 numeric(6,2), id integer, x text, t_id integer, a bigint",
        "",
    ),
    ("select x.p, x.q from (values (1, 'a'), (2.5, null)) as x (p, q)", "p numeric, q text", ""),
    ("select * from (values (1, 'a')) v", "column1 integer, column2 text", ""),
    ("select * from generate_series(1, 3)", "generate_series integer", ""),
    ("select * from generate_series(1, 3) g", "g integer", ""),
    ("select * from generate_series(1, 3) with ordinality", "generate_series integer, ordinality bigint", ""),
    ("select * from unnest(array[1,2]) as x (y)", "y integer", ""),
    ("select * from jsonb_each('{}')", "key text, value jsonb", ""),
    ("select unnest(arr), generate_series(1, a) from t", "unnest integer, generate_series integer", ""),
    (
        "select (select 1), exists (select 1), array(select a from t), (select b from t limit 1)",
        "?column? integer, exists boolean, array integer[], b text",
        "",
    ),
    ("with x as (select 1 as a) select * from x", "a integer", ""),
    (
        "with recursive r (n) as (select 1 union all select n + 1 from r where n < 5) select * from r",
        "n integer",
        "",
    ),
    ("select 1 union select 2.5", "?column? numeric", ""),
    ("select null union select 1", "?column? integer", ""),
    ("select a from t order by b", "a integer", ""),
    ("select a as b from t order by b", "b integer", ""),
    ("select distinct on (a) a, b from t order by a, b", "a integer, b text", ""),
    ("select a, count(*) from t group by a", "a integer, count bigint", ""),
    (
        "select t.*, count(*) from t group by id",
        "id integer, a integer, b text, n numeric, f double precision, d date, ts timestamp without time zone, j jsonb, arr integer[], m mood, i8 bigint, bo boolean, iv interval, vc character varying(5), n2 numeric(6,2), count bigint",
        "",
    ),
    ("select a + 1, count(*) from t group by a + 1", "?column? integer, count bigint", ""),
    ("select a, b from t group by rollup (a, b)", "a integer, b text", ""),
    ("select grouping(a), a from t group by cube (a)", "grouping integer, a integer", ""),
    ("select a as q from t group by q", "q integer", ""),
    ("select a from t group by 1", "a integer", ""),
    ("select count(*) from t having true", "count bigint", ""),
    ("select sum(sum(a)) over () from t group by b", "sum numeric", ""),
    ("select a = '5' from t", "?column? boolean", ""),
    ("select '1' + 1", "?column? integer", ""),
    ("select 'a' || 'b'", "?column? text", ""),
    ("select abs('1')", "abs double precision", ""),
    ("select round('1.5')", "round double precision", ""),
    (
        "select a::text, b::int, bo::int, a::bool, d::text, ts::date, n::int, j::int from t",
        "a text, b integer, bo integer, a boolean, d text, ts date, n integer, j integer",
        "",
    ),
    (
        "select '1'::int, '{1,2}'::int[], 'ok'::mood, '1 day'::interval",
        "int4 integer, int4 integer[], mood mood, interval interval",
        "",
    ),
    (
        "select m = 'ok', m < 'happy', m::text, m || 'x' from t",
        "?column? boolean, ?column? boolean, m text, ?column? text",
        "",
    ),
    ("select $1", "?column? text", "text"),
    ("select $1 + 1", "?column? integer", "integer"),
    ("select $1::int, $2::text", "int4 integer, text text", "integer, text"),
    ("select a from t where a = $1 and b = $2", "a integer", "integer, text"),
    ("select a from t where a in ($1, $2)", "a integer", "integer, integer"),
    ("select a from t where a = any($1)", "a integer", "integer[]"),
    ("select $1 = $2", "?column? boolean", "text, text"),
    ("select $1 || 'x'", "?column? text", "text"),
    ("select a from t limit $1 offset $2", "a integer", "bigint, bigint"),
    (
        "select coalesce($1, a), greatest(f, $2) from t",
        "coalesce integer, greatest double precision",
        "integer, double precision",
    ),
    ("select a from t where $1", "a integer", "boolean"),
    (
        "select a from t where b like $1 or d > $2 or ts between $3 and $4",
        "a integer",
        "text, date, timestamp without time zone, timestamp without time zone",
    ),
    (
        "select upper($1), length($2), abs($3)",
        "upper text, length integer, abs double precision",
        "text, text, double precision",
    ),
    ("select $1::int + $1", "?column? integer", "integer"),
    ("select $1::int, $1::text", "int4 integer, text text", "integer"),
    ("select case when $1 then $2 else 1 end", "case integer", "boolean, integer"),
    ("select array[$1, 1]", "array integer[]", "integer"),
    ("values ($1, 1), ('a', 2)", "column1 text, column2 integer", "text"),
    ("values (1), (2.5)", "column1 numeric", ""),
    ("select * from (select a from t) x, lateral (select x.a + 1 as y) z", "a integer, y integer", ""),
    ("select (select x from u where u.t_id = t.id) from t", "x text", ""),
    ("select (a, b) in (select a, b from t) from t", "?column? boolean", ""),
    ("select (a, b) = (1, 'x'), (a, b) < (1, 'x') from t", "?column? boolean, ?column? boolean", ""),
    ("select row(1, 2)", "row record", ""),
    (
        "select * from t full join u using (id)",
        "id integer, a integer, b text, n numeric, f double precision, d date, ts timestamp without time zone, j jsonb, arr integer[], m mood, i8 bigint, bo boolean, iv interval, vc character varying(5), n2 numeric(6,2), x text, t_id integer, a bigint",
        "",
    ),
    (
        "select * from t join u using (a, id)",
        "a bigint, id integer, b text, n numeric, f double precision, d date, ts timestamp without time zone, j jsonb, arr integer[], m mood, i8 bigint, bo boolean, iv interval, vc character varying(5), n2 numeric(6,2), x text, t_id integer",
        "",
    ),
    (
        "select current_date, current_timestamp, localtime, current_user",
        "current_date date, current_timestamp timestamp without time zone, localtime time without time zone, current_user text",
        "",
    ),
    (
        "select date_part('year', d), age(ts), age(ts, ts), make_date(1, 2, 3), make_interval(days => 3) from t",
        "date_part double precision, age interval, age interval, make_date date, make_interval interval",
        "",
    ),
    (
        "select concat(a, b, null), concat_ws(',', a, b), format('%s', a), num_nulls(a, b) from t",
        "concat text, concat_ws text, format text, num_nulls integer",
        "",
    ),
    (
        "select jsonb_build_object('a', a, 'b', b), to_jsonb(a), to_jsonb('x'::text), jsonb_set(j, '{a}', '1') from t",
        "jsonb_build_object jsonb, to_jsonb jsonb, to_jsonb jsonb, jsonb_set jsonb",
        "",
    ),
    (
        "select array_length(arr, 1), array_append(arr, 1), array_cat(arr, '{1}'), cardinality(arr), array_position(arr, 1), array_to_string(arr, ',') from t",
        "array_length integer, array_append integer[], array_cat integer[], cardinality integer, array_position integer, array_to_string text",
        "",
    ),
    ("select array_append(arr, 1.5) from t", "array_append numeric[]", ""),
    (
        "select lower(int4range(1, 2)), int4range(1, 2) @> 1, int4range(1,2) && int4range(2,3), '[1,2)'::int4range * int4range(1,5)",
        "lower integer, ?column? boolean, ?column? boolean, ?column? int4range",
        "",
    ),
    (
        "select to_tsvector('english', b) @@ to_tsquery('x'), ts_rank(to_tsvector(b), plainto_tsquery('y')), to_tsvector(b) @@ 'x' from t",
        "?column? boolean, ts_rank real, ?column? boolean",
        "",
    ),
    (
        "select jsonb_path_query(j, '$.a'), jsonb_path_exists(j, '$.a'), j @? '$.a', j @@ '$.a > 1' from t",
        "jsonb_path_query jsonb, jsonb_path_exists boolean, ?column? boolean, ?column? boolean",
        "",
    ),
    (
        "select ~a, a & 1, a | 1, a # 1, a << 1, @ a, |/ 4.0 from t",
        "?column? integer, ?column? integer, ?column? integer, ?column? integer, ?column? integer, ?column? integer, ?column? double precision",
        "",
    ),
    (
        "select b ~ 'x', b !~* 'x', b similar to 'x', b ilike 'x', vc || 'x', vc = b, vc from t",
        "?column? boolean, ?column? boolean, ?column? boolean, ?column? boolean, ?column? text, ?column? boolean, vc character varying(5)",
        "",
    ),
    (
        "select n2, n2 + 1, n2::numeric(3,1), b::varchar(3), 'abc'::char(2), 'abc'::varchar from t",
        "n2 numeric(6,2), ?column? numeric, n2 numeric(3,1), b character varying(3), bpchar character(2), varchar character varying",
        "",
    ),
    (
        "select count(distinct a), count(a) filter (where bo), array_agg(a order by b desc), string_agg(distinct b, ',' order by b) from t",
        "count bigint, count bigint, array_agg integer[], string_agg text",
        "",
    ),
    ("select a from t where a = (select max(a) from t)", "a integer", ""),
    (
        "select a is distinct from 1.5, a is not distinct from null from t",
        "?column? boolean, ?column? boolean",
        "",
    ),
    ("select 1 where 'true'", "?column? integer", ""),
    ("select t from t", "t record", ""),
    ("select public.t.a from public.t", "a integer", ""),
    ("select pg_catalog.upper('x')", "upper text", ""),
    (
        "select int4('5'), text(5), float8(1), date('2020-01-01')",
        "int4 integer, text text, float8 double precision, date date",
        "",
    ),
    ("select a in ('1', '2') from t", "?column? boolean", ""),
    (
        "select greatest(d, ts), greatest(1, '5') from t",
        "greatest timestamp without time zone, greatest integer",
        "",
    ),
    ("select a from t union select i8 from t order by a", "a bigint", ""),
    ("select j['a'], j[0], j['a']['b'] from t", "j jsonb, j jsonb, j jsonb", ""),
    ("select array[]::int[]", "array integer[]", ""),
    ("select array[1, '2']", "array integer[]", ""),
    ("select '[1,2]'::jsonb -> 0", "?column? jsonb", ""),
    ("select rank(1) within group (order by a) from t", "rank bigint", ""),
    (
        "select sum(a) over (order by b rows between 1 preceding and current row), sum(a) over (order by a range between 1 preceding and 1 following), max(d) over (order by d range interval '1 day' preceding) from t",
        "sum bigint, sum bigint, max date",
        "",
    ),
    ("select length(b) as l, count(*) from t group by l having length(b) > 1", "l integer, count bigint", ""),
    ("select b from t group by a, b order by a", "b text", ""),
    ("select a, (select max(u.a) from u where u.t_id = t.a) from t group by a", "a integer, max bigint", ""),
    (
        "select 99999999999999999999, 2147483648, -2147483648, -9223372036854775808",
        "?column? numeric, ?column? bigint, ?column? integer, ?column? bigint",
        "",
    ),
    (
        "select 1/2, 1/2.0, 7 % 3, 1::int8 + 1, 1::int2 + 1::int2",
        "?column? integer, ?column? numeric, ?column? integer, ?column? bigint, ?column? smallint",
        "",
    ),
    (
        "select true = 'yes', false or null, not null",
        "?column? boolean, ?column? boolean, ?column? boolean",
        "",
    ),
    (
        "select * from t where (a, b) is null",
        "id integer, a integer, b text, n numeric, f double precision, d date, ts timestamp without time zone, j jsonb, arr integer[], m mood, i8 bigint, bo boolean, iv interval, vc character varying(5), n2 numeric(6,2)",
        "",
    ),
    ("insert into t (id, a, b) values (1, 2, 'x'), ($1, $2, default)", "", "integer, integer"),
    ("insert into t values (1)", "", ""),
    ("insert into t (id, a) select id, a from u", "", ""),
    (
        "insert into t (id, b) select id, 'x' from u returning id, b || 'y' as z, *",
        "id integer, z text, id integer, a integer, b text, n numeric, f double precision, d date, ts timestamp without time zone, j jsonb, arr integer[], m mood, i8 bigint, bo boolean, iv interval, vc character varying(5), n2 numeric(6,2)",
        "",
    ),
    ("insert into t (id, f, n) values (1, 1, 1.5), (2, 2.5, 3)", "", ""),
    ("insert into t default values returning id", "id integer", ""),
    (
        "insert into t (id, d, ts, j, arr, m, iv) values ($1, $2, $3, $4, $5, $6, $7)",
        "",
        "integer, date, timestamp without time zone, jsonb, integer[], mood, interval",
    ),
    (
        "insert into t (id) values (1) on conflict (id) do update set a = excluded.a, b = t.b where t.a < $1",
        "",
        "integer",
    ),
    ("insert into t (id) values (1) on conflict do nothing", "", ""),
    ("insert into t (id) values (1) on conflict on constraint t_pkey do nothing", "", ""),
    ("insert into t as x (id) values (1) on conflict (id) do update set a = x.a + excluded.a", "", ""),
    ("with q as (insert into t (id) values (1) returning id) select * from q", "id integer", ""),
    ("insert into t (id, n2) values (1, 12345.678)", "", ""),
    ("update t set a = 1", "", ""),
    ("update t set a = $1, b = $2 where id = $3", "", "integer, text, integer"),
    (
        "update t set a = default, b = upper(b) where id in (select t_id from u) returning a, b",
        "a integer, b text",
        "",
    ),
    ("update t set a = u.a from u where u.t_id = t.id", "", ""),
    ("update t set (a, b) = (1, 'x')", "", ""),
    ("update t set a = (select max(a) from u) where b = any($1)", "", "text[]"),
    ("update t set f = 1, n = f", "", ""),
    (
        "delete from t using u where u.t_id = t.id and u.x = $1 returning t.*, u.x",
        "id integer, a integer, b text, n numeric, f double precision, d date, ts timestamp without time zone, j jsonb, arr integer[], m mood, i8 bigint, bo boolean, iv interval, vc character varying(5), n2 numeric(6,2), x text",
        "text",
    ),
    (
        "merge into t using u on t.id = u.t_id when matched then update set a = u.a when not matched then insert (id, b) values (u.id, u.x)",
        "",
        "",
    ),
    (
        "merge into t using (select 1 as k) s on t.id = s.k when matched and t.a > $1 then delete when matched then do nothing",
        "",
        "integer",
    ),
    (
        "select * from u where x = 'a' and exists (select from t where t.id = u.t_id and t.b = $1)",
        "id integer, x text, t_id integer, a bigint",
        "text",
    ),
]

# Statement, SQLSTATE, place, message.
REFUSED = [
    (
        "select d + 1, d - d, d + iv, ts - ts, ts + iv, ts - '1 day', d - '2020-01-01', iv * 2, iv / 2.5 from t",
        "22007",
        53,
        'invalid input syntax for type timestamp without time zone: "1 day"',
    ),
    (
        "with recursive r as (select 1 as n union all select n + 1.5 from r) select * from r",
        "42804",
        29,
        'recursive query "r" column 1 has type integer in non-recursive term but type numeric overall',
    ),
    ("select 'a' union select 1", "22P02", 8, 'invalid input syntax for type integer: "a"'),
    ("select 1 union select 'a'", "22P02", 23, 'invalid input syntax for type integer: "a"'),
    (
        "select a from t union all select x from u",
        "42804",
        34,
        "UNION types integer and text cannot be matched",
    ),
    (
        "select a, b from t union select a from t",
        "42601",
        33,
        "each UNION query must have the same number of columns",
    ),
    ("select a from t order by 2", "42P10", 26, "ORDER BY position 2 is not in select list"),
    (
        "select distinct a from t order by b",
        "42P10",
        35,
        "for SELECT DISTINCT, ORDER BY expressions must appear in select list",
    ),
    (
        "select distinct on (a) a, b from t order by b",
        "42P10",
        21,
        "SELECT DISTINCT ON expressions must match initial ORDER BY expressions",
    ),
    (
        "select a from t group by b",
        "42803",
        8,
        'column "t.a" must appear in the GROUP BY clause or be used in an aggregate function',
    ),
    ("select a from t group by 5", "42P10", 26, "GROUP BY position 5 is not in select list"),
    (
        "select a from t having count(*) > 1",
        "42803",
        8,
        'column "t.a" must appear in the GROUP BY clause or be used in an aggregate function',
    ),
    ("select sum(count(*)) from t", "42803", 12, "aggregate function calls cannot be nested"),
    ("select a from t where count(*) > 1", "42803", 23, "aggregate functions are not allowed in WHERE"),
    (
        "select a from t where row_number() over () = 1",
        "42P20",
        23,
        "window functions are not allowed in WHERE",
    ),
    ("select a from t group by count(*)", "42803", 26, "aggregate functions are not allowed in GROUP BY"),
    ("select a from nope", "42P01", 15, 'relation "nope" does not exist'),
    ("select nope from t", "42703", 8, 'column "nope" does not exist'),
    ("select t.nope from t", "42703", 8, "column t.nope does not exist"),
    ("select nope.a from t", "42P01", 8, 'missing FROM-clause entry for table "nope"'),
    ("select id from t, u", "42702", 8, 'column reference "id" is ambiguous'),
    ("select t.id from t, t", "42712", 21, 'table name "t" specified more than once'),
    ("select * from t as x, u as x", "42712", 23, 'table name "x" specified more than once'),
    ("select a from t where b", "42804", 23, "argument of WHERE must be type boolean, not type text"),
    ("select a from t where 1", "42804", 23, "argument of WHERE must be type boolean, not type integer"),
    ("select not a from t", "42804", 12, "argument of NOT must be type boolean, not type integer"),
    ("select a and bo from t", "42804", 8, "argument of AND must be type boolean, not type integer"),
    ("select a + b from t", "42883", 10, "operator does not exist: integer + text"),
    ("select b + 1 from t", "42883", 10, "operator does not exist: text + integer"),
    ("select a = b from t", "42883", 10, "operator does not exist: integer = text"),
    ("select a = 'x' from t", "22P02", 12, 'invalid input syntax for type integer: "x"'),
    ("select 'a' + 'b'", "42725", 12, "operator is not unique: unknown + unknown"),
    ("select null + null", "42725", 13, "operator is not unique: unknown + unknown"),
    ("select foo(1)", "42883", 8, "function foo(integer) does not exist"),
    ("select upper(1)", "42883", 8, "function upper(integer) does not exist"),
    ("select upper(a) from t", "42883", 8, "function upper(integer) does not exist"),
    ("select length(5)", "42883", 8, "function length(integer) does not exist"),
    ("select substr(b, 'x') from t", "22P02", 18, 'invalid input syntax for type integer: "x"'),
    ("select abs('x')", "22P02", 12, 'invalid input syntax for type double precision: "x"'),
    ("select sum(b) from t", "42883", 8, "function sum(text) does not exist"),
    ("select sum('1')", "42725", 8, "function sum(unknown) is not unique"),
    ("select max(j) from t", "42883", 8, "function max(jsonb) does not exist"),
    ("select a::date from t", "42846", 9, "cannot cast type integer to date"),
    ("select d::int from t", "42846", 9, "cannot cast type date to integer"),
    ("select 'x'::int", "22P02", 8, 'invalid input syntax for type integer: "x"'),
    ("select 'nope'::mood", "22P02", 8, 'invalid input value for enum mood: "nope"'),
    ("select m = b from t", "42883", 10, "operator does not exist: mood = text"),
    ("select $1 + $2", "42725", 11, "operator is not unique: unknown + unknown"),
    ("select a from t where a = $1 or b = $1", "42883", 35, "operator does not exist: text = integer"),
    ("values (1), ('a')", "22P02", 14, 'invalid input syntax for type integer: "a"'),
    ("values (1, 2), (3)", "42601", 17, "VALUES lists must all be the same length"),
    (
        "select * from (select a from t) x, (select x.a) z",
        "42P01",
        44,
        'missing FROM-clause entry for table "x"',
    ),
    ("select (select a, b from t)", "42601", 8, "subquery must return only one column"),
    ("select a in (select a, b from t) from t", "42601", 10, "subquery has too many columns"),
    ("select (a, b) = (1) from t", "42883", 15, "operator does not exist: record = integer"),
    (
        "select * from t join u using (nope)",
        "42703",
        17,
        'column "nope" specified in USING clause does not exist in left table',
    ),
    (
        "select * from t join u on t.a",
        "42804",
        27,
        "argument of JOIN/ON must be type boolean, not type integer",
    ),
    (
        "select x.id from t x join u y on x.id = y.id where t.a = 1",
        "42P01",
        52,
        'missing FROM-clause entry for table "t"',
    ),
    (
        "select to_jsonb('x')",
        "42804",
        8,
        "could not determine polymorphic type because input has type unknown",
    ),
    ("select array_append(arr, 'x') from t", "22P02", 26, 'invalid input syntax for type integer: "x"'),
    (
        "select string_agg(distinct b, ',' order by a) from t",
        "42P10",
        44,
        "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list",
    ),
    ("select count() from t", "42809", 8, "count(*) must be used to call a parameterless aggregate function"),
    ("select sum(*) from t", "42883", 8, "sum(*) must be used to call a parameterless aggregate function"),
    ("select max(distinct) from t", "42601", 20, 'syntax error at or near ")"'),
    (
        "select lower(distinct b) from t",
        "42809",
        8,
        "DISTINCT specified, but lower is not an aggregate function",
    ),
    ("select a over () from t", "42601", 10, 'syntax error at or near "over"'),
    ("select rank() from t", "42809", 8, "window function rank requires an OVER clause"),
    (
        "select lower(b) over () from t",
        "42809",
        8,
        "OVER specified, but lower is not a window function nor an aggregate function",
    ),
    (
        "select generate_series(1,2) from t where generate_series(1,2) > 0",
        "0A000",
        42,
        "set-returning functions are not allowed in WHERE",
    ),
    ("select 1 limit 'x'", "22P02", 16, 'invalid input syntax for type bigint: "x"'),
    ("select 1 limit 'a'::text", "42804", 16, "argument of LIMIT must be type bigint, not type text"),
    ("select 1 limit a", "42P10", 16, "argument of LIMIT must not contain variables"),
    ("select a from t limit a", "42P10", 23, "argument of LIMIT must not contain variables"),
    ("select * ", "42601", 8, "SELECT * with no tables specified is not valid"),
    ("select t.a.b from t", "42P01", 8, 'missing FROM-clause entry for table "a"'),
    ("select nope.t.a from t", "42P01", 8, 'missing FROM-clause entry for table "t"'),
    ("select pg_catalog.upper(b) from pg_catalog.t", "42P01", 33, 'relation "pg_catalog.t" does not exist'),
    ("select nope.upper('x')", "3F000", 8, 'schema "nope" does not exist'),
    ("select bo + 1 from t", "42883", 11, "operator does not exist: boolean + integer"),
    ("select a between 'x' and 5 from t", "22P02", 18, 'invalid input syntax for type integer: "x"'),
    ("select a in (1, 'x') from t", "22P02", 17, 'invalid input syntax for type integer: "x"'),
    ("select b in (1, 2) from t", "42883", 10, "operator does not exist: text = integer"),
    ("select b in (1, null) from t", "42883", 10, "operator does not exist: text = integer"),
    ("select coalesce(a, b) from t", "42804", 20, "COALESCE types integer and text cannot be matched"),
    ("select coalesce(1, 'x')", "22P02", 20, 'invalid input syntax for type integer: "x"'),
    (
        "select case when bo then a else b end from t",
        "42804",
        26,
        "CASE types text and integer cannot be matched",
    ),
    (
        "select case when a then 1 end from t",
        "42804",
        18,
        "argument of CASE/WHEN must be type boolean, not type integer",
    ),
    (
        "select d = '2020-01-01', d > ts, ts = '2020-01-01', d = 'x' from t",
        "22007",
        57,
        'invalid input syntax for type date: "x"',
    ),
    ("select a from t order by nope", "42703", 26, 'column "nope" does not exist'),
    ("select a x, b x from t order by x", "42702", 33, 'ORDER BY "x" is ambiguous'),
    (
        "select a from t union select a from t order by a + 1",
        "0A000",
        50,
        "an expression over output columns in ORDER BY is not supported",
    ),
    ("select x.* from t", "42P01", 8, 'missing FROM-clause entry for table "x"'),
    (
        "select a[1] from t",
        "42804",
        8,
        "cannot subscript type integer because it does not support subscripting",
    ),
    (
        "select (a).b from t",
        "42809",
        9,
        "column notation .b applied to type integer, which is not a composite type",
    ),
    ("select arr['x'] from t", "22P02", 12, 'invalid input syntax for type integer: "x"'),
    ("select array[]", "42P18", 8, "cannot determine type of empty array"),
    ("select array[1, 'x']", "22P02", 17, 'invalid input syntax for type integer: "x"'),
    (
        "select grouping(a) from t",
        "42803",
        8,
        "arguments to GROUPING must be grouping expressions of the associated query level",
    ),
    (
        "select grouping(b) from t group by a",
        "42803",
        8,
        "arguments to GROUPING must be grouping expressions of the associated query level",
    ),
    (
        "select percentile_cont(0.5) from t",
        "42809",
        8,
        "WITHIN GROUP is required for ordered-set aggregate percentile_cont",
    ),
    (
        "select sum(a) within group (order by a) from t",
        "42809",
        8,
        "sum is not an ordered-set aggregate, so it cannot have WITHIN GROUP",
    ),
    (
        "select sum(a) over (order by b range 1 preceding) from t",
        "0A000",
        32,
        "RANGE with offset PRECEDING/FOLLOWING is not supported for column type text",
    ),
    (
        "select sum(a) over (range 1 preceding) from t",
        "42P20",
        21,
        "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column",
    ),
    ("select sum(a) over w from t", "42704", 20, 'window "w" does not exist'),
    (
        "select sum(a) over (w order by a) from t window w as (order by b)",
        "42P20",
        20,
        'cannot override ORDER BY clause of window "w"',
    ),
    ("select 1 as a, 2 as a order by a", "42702", 32, 'ORDER BY "a" is ambiguous'),
    (
        "select b from t group by b order by a",
        "42803",
        37,
        'column "t.a" must appear in the GROUP BY clause or be used in an aggregate function',
    ),
    (
        "select a, (select max(u.a) from u where u.t_id = t.i8) from t group by a",
        "42803",
        50,
        'column "t.i8" must appear in the GROUP BY clause or be used in an aggregate function',
    ),
    ("insert into t (id) values (1, 2)", "42601", 31, "INSERT has more expressions than target columns"),
    ("insert into t (id, a) values (1)", "42601", 13, "INSERT has more target columns than expressions"),
    ("insert into t (nope) values (1)", "42703", 13, 'column "nope" of relation "t" does not exist'),
    ("insert into t (id, id) values (1, 1)", "42701", 13, 'column "id" specified more than once'),
    (
        "insert into t (id, a) select id, x from u",
        "42804",
        34,
        'column "a" is of type integer but expression is of type text',
    ),
    ("insert into t (id, a) values (1, 'x')", "22P02", 34, 'invalid input syntax for type integer: "x"'),
    (
        "insert into t (id, a) values (1, true)",
        "42804",
        34,
        'column "a" is of type integer but expression is of type boolean',
    ),
    ("insert into nope values (1)", "42P01", 13, 'relation "nope" does not exist'),
    (
        "insert into t (id) values (1) on conflict (a) do nothing",
        "42P10",
        None,
        "there is no unique or exclusion constraint matching the ON CONFLICT specification",
    ),
    (
        "insert into t (id) values (1) on conflict (nope) do nothing",
        "42703",
        44,
        'column "nope" does not exist',
    ),
    (
        "insert into t (id) values (1) on conflict on constraint nope do nothing",
        "42704",
        31,
        'constraint "nope" for table "t" does not exist',
    ),
    ("insert into t (id) values (1) returning nope", "42703", 41, 'column "nope" does not exist'),
    (
        "with q as (delete from t) select * from q",
        "0A000",
        41,
        'WITH query "q" does not have a RETURNING clause',
    ),
    (
        "insert into t (id, vc) values (1, 'toolong')",
        "22001",
        35,
        "value too long for type character varying(5)",
    ),
    ("update t set a = b", "42804", 18, 'column "a" is of type integer but expression is of type text'),
    ("update t set nope = 1", "42703", 14, 'column "nope" of relation "t" does not exist'),
    ("update t set a = 1, a = 2", "42601", 14, 'multiple assignments to same column "a"'),
    (
        "update t set (a, b) = (1)",
        "0A000",
        24,
        "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression",
    ),
    ("update t x set a = x.a + 1 where t.id = 1", "42P01", 34, 'missing FROM-clause entry for table "t"'),
    ("update t set a = count(*)", "42803", 18, "aggregate functions are not allowed in UPDATE"),
    ("delete from t where a", "42804", 21, "argument of WHERE must be type boolean, not type integer"),
    ("delete from t where nope = 1", "42703", 21, 'column "nope" does not exist'),
    ("delete from t returning count(*)", "42803", 25, "aggregate functions are not allowed in RETURNING"),
    (
        "merge into t using u on t.id = u.t_id when not matched then insert values (t.id)",
        "42P01",
        76,
        'missing FROM-clause entry for table "t"',
    ),
    (
        "merge into t using u on u.t_id when matched then delete",
        "42804",
        25,
        "argument of JOIN/ON must be type boolean, not type integer",
    ),
    (
        "merge into t using u on true when matched then delete when matched then do nothing",
        "42601",
        55,
        "unreachable WHEN clause specified after unconditional WHEN clause",
    ),
    ("insert into t (id, m) values (1, 'nope')", "22P02", 34, 'invalid input value for enum mood: "nope"'),
    ("insert into t (id, j) values (1, '{')", "22P02", 34, 'invalid input syntax for type json: "{"'),
]


def bind(text: str, catalogue: Catalogue) -> tuple[str, str]:
    prepared = prepare(text, catalogue)
    outputs = ", ".join(f"{o.name} {o.type.declaration}" for o in prepared.outputs)
    return outputs, ", ".join(t.title for t in prepared.parameters)


@pytest.mark.parametrize(("text", "outputs", "parameters"), TYPED, ids=[c[0] for c in TYPED])
def test_types(text: str, outputs: str, parameters: str, catalogue: Catalogue) -> None:
    assert bind(text, catalogue) == (outputs, parameters)


@pytest.mark.parametrize(("text", "code", "position", "message"), REFUSED, ids=[c[0] for c in REFUSED])
def test_refusals(text: str, code: str, position: int | None, message: str, catalogue: Catalogue) -> None:
    with pytest.raises(SqlError) as caught:
        bind(text, catalogue)
    failure = caught.value
    assert (failure.sqlstate, failure.position, str(failure)) == (code, position, message)


@pytest.mark.parametrize(
    ("text", "outputs", "parameters"),
    [
        (
            "select v <-> $1, v <#> $2, v <=> '[1,2,3]' from places",
            "?column? double precision, " * 2 + "?column? double precision",
            "vector, vector",
        ),
        ("select id from places order by v <=> $1 limit 5", "id integer", "vector"),
        ("insert into places values ($1, $2)", "", "integer, vector"),
        ("update places set v = array[1,2,3]", "", ""),
        ("select v, v::real[], array[1,2,3]::vector from places", "v vector(3), v real[], array vector", ""),
        ("select v + v, avg(v) from places group by v", "?column? vector, avg vector", ""),
        ("select * from places as of timestamp 5", "id integer, v vector(3)", ""),
        ("select * from places p as of timestamp $1 where p.v is null", "id integer, v vector(3)", "bigint"),
    ],
)
def test_vectors_and_time_travel(text: str, outputs: str, parameters: str, catalogue: Catalogue) -> None:
    assert bind(text, catalogue) == (outputs, parameters)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("insert into keyed values (1, 'x')", "428C9"),
        ("update keyed set k = 1", "428C9"),
        ("select v < 1 from places", "42883"),
        ("select v <=> b from places, t", "42883"),
        ("select v <=> 'x' from places", "22P02"),
        ("select '[1,2]'::vector(3)", "22000"),
        ("select 1::vector(0)", "22023"),
        ("select 1::nope", "42704"),
        ("select 1::numeric(2000)", "22023"),
        ("select 1::int(3)", "42601"),
        ("select 1::serial", "42704"),
        ("select * from graph_table (g match (a) columns (a.x))", "0A000"),
        ("select * from public.nope", "42P01"),
        ("select * from a.b.c", "42P01"),
    ],
)
def test_more_refusals(text: str, code: str, catalogue: Catalogue) -> None:
    with pytest.raises(SqlError) as caught:
        bind(text, catalogue)
    assert caught.value.sqlstate == code


@pytest.mark.parametrize(
    "text",
    [
        "insert into keyed values (default, 'x')",
        "insert into keyed (x) values ('x')",
        "insert into keyed overriding system value values (1, 'x')",
    ],
)
def test_identity_columns(text: str, catalogue: Catalogue) -> None:
    bind(text, catalogue)


def test_long_and_deep_statements(catalogue: Catalogue) -> None:
    for text in (
        "select " + " + ".join(["a"] * 5000) + " from t",
        "select " + " || ".join(["b"] * 5000) + " from t",
        "select a from t where " + " and ".join(["bo"] * 5000),
        "select a from t where " + " or ".join(f"a = {i}" for i in range(5000)),
        "select a from t where a in (" + ", ".join(map(str, range(5000))) + ")",
        "select " + "(" * 200 + "a" + ")" * 200 + " from t",
        "select " + "abs(" * 200 + "a" + ")" * 200 + " from t",
        "select " + "case when bo then " * 200 + "a" + " end" * 200 + " from t",
        "select " + "not " * 200 + "bo from t",
        "select a" + "::text::int" * 60 + " from t",
        "select * from (" * 60 + "select a from t" + ") x" * 60,
        "select " + "(select " * 60 + "a" + ")" * 60 + " from t",
        " union all ".join(["select a from t"] * 1000),
    ):
        bind(text, catalogue)
