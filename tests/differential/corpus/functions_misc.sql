-- Conditionals
select case 1 when 1 then 'a' when 2 then 'b' else 'c' end, case when 1 > 2 then 'x' end, case null when null then 'eq' else 'no' end, case when null then 1 when true then 2 end, case 'x' when 'y' then 1 end;
select case when false then 1 else null end, case 3 when 1 then 'a' when 1 + 2 then 'sum' end, case when x > 2 then 'big' when x > 1 then 'mid' else 'small' end from generate_series(1, 3) x;
select case x when 1 then 'one' when null then 'never' else 'rest' end from (values (1), (null), (2)) v(x);
select case when x <> 0 then 10 / x else 0 end from (values (0), (5)) v(x);
select case when true then 1;
select case end;
select coalesce(null, null, 3), coalesce(1, 1 / 0), coalesce(null), coalesce('a', 'b');
select coalesce();
select nullif(1, 1), nullif(1, 2), nullif('a', 'b'), nullif(null, null);
select nullif(1);
select greatest(1, 3, 2), least(3, 1, 2), greatest(null, 1), least(null, null, 5), greatest('a', 'b'), greatest(1.5, 2), greatest(date '2024-01-01', '2024-06-01');
select greatest();
select num_nulls(1, null, 2), num_nonnulls(1, null, 2), num_nulls(variadic array[1, null]);
select if(true, 1, 2);
select iif(true, 1, 2);
select ifnull(null, 1);
select nvl(null, 1);

-- System
select current_database() is not null, current_schema, current_schema(), current_user is not null, session_user is not null, version() like '%PostgreSQL%' or true;
select pg_typeof(current_date), pg_typeof(now()::timestamp), pg_typeof(current_user), pg_typeof(localtime), pg_typeof(array[now()::date]);
select pg_typeof(1 = 1), pg_typeof(row(1, 2)), pg_typeof('{}'::jsonb), pg_typeof(interval '1 day'), pg_typeof(int4range(1, 2)), pg_typeof('\x'::bytea), pg_typeof(1::float4), pg_typeof('a'::varchar(3)), pg_typeof('a'::char(3)), pg_typeof(null::int[]);
select pg_sleep(0);
select current_setting('timezone'), current_setting('search_path');
select current_setting('nosuch');
select to_regclass('nosuch') is null;
select txid_current() > 0;
-- shape
select random(), random() < 1, random(1, 10), random_normal();
select random() >= 0 and random() < 1, random(5, 5), random(1, 3) between 1 and 3;
select random(5, 1);
select setseed(0.5);
select gen_random_uuid() is not null, length(md5(random()::text));
select clock_timestamp() >= now(), statement_timestamp() >= now(), timeofday() is not null;
select 1 as one, now() is not null, pg_backend_pid() is not null;
select count(*) >= 0 from pg_tables;
select table_name from information_schema.tables where table_schema = 'public' order by 1;
create table meta (id int primary key, name varchar(10) not null, n numeric(5, 2) default 1);
select column_name, data_type::text, is_nullable::text from information_schema.columns where table_name = 'meta' order by ordinal_position;
select table_name, table_type::text from information_schema.tables where table_schema = 'public' order by 1;
select relname from pg_class where relname = 'meta';
select tablename from pg_tables where schemaname = 'public' order by 1;
select pg_size_pretty(1024::bigint), pg_size_pretty(10::bigint);
select format_type(23, null);

-- to_char of numbers, to_number
select to_char(125, '999'), to_char(125.8, '999D9'), to_char(-125.8, '999D99S'), to_char(485, '9 9 9'), to_char(1485, '9,999'), to_char(148.5, 'FM999.990'), to_char(0.5, '0.99'), to_char(0.1, 'FM9.99'), to_char(12, '00999'), to_char(-5, '999'), to_char(-5, 'FM999');
select to_char(485, 'L999'), to_char(485, '999PR'), to_char(-485, '999PR'), to_char(485, 'SG999'), to_char(-485, '999MI'), to_char(485, 'RN'), to_char(5, 'FMRN'), to_char(482, '999th'), to_char(12345.678, '99,999.99'), to_char(1e10, '9.99EEEE'), to_char(123456, '999'), to_char(0, '999'), to_char(0, '9.99');
select to_char(1234.5::float8, '9999.99'), to_char(0.0005::float8, '9.999EEEE'), to_char('nan'::float8, '999'), to_char(123::int8, '0000000'), to_char(12.345::numeric, '99V99'), to_char(null::int, '9'), to_char(5, ''), to_char(123, '"text"999');
select to_number('12,454.8-', '99G999D9S'), to_number('123', '999'), to_number('-5.5', 'S9.9'), to_number('$1,234', 'L9,999'), to_number('12', '9'), to_number(' 12 ', '99999');
select to_number('abc', '999');
select to_number('', '9');

-- Width, hash, misc
select mod(10, 3), div(10, 3), sign(-2), abs(-2), ceil(1.2), floor(1.8), trunc(1.8), round(1.5), power(2, 3), sqrt(9), cbrt(8), exp(0), ln(1), log(10), pi() > 3;
select min_scale(1.10), trim_scale(1.10), scale(1.10), width_bucket(5, 0, 10, 2), factorial(4), gcd(4, 6), lcm(4, 6);
select string_to_array('a b', ' '), array_to_string(array[1, 2], ','), unnest(array[1]), chr(65), ascii('A'), initcap('ab cd'), md5('a'), left('abc', 1), concat_ws('-', 1, 2);
select upper(null), length(null), abs(null), round(null), substr(null, 1), coalesce(upper(null), 'none'), null || 'x', concat(null, 'x');
select upper();
select length('a', 'b', 'c');
select substr('a');
select round(1.234, 2), round(1.234::float8, 2);
select trunc(1.9, 'x');
select log(2, 8), log(2.0, 8.0), log(8), log10(100);
select xmin is not null from meta;
select ctid is not null from meta;
select oid from meta;
select bool 'true' and true, date '2024-01-01' < current_date, interval '1 day' > interval '1 hour';
select abs(-1) as abs, length('x') as length, 1 as "length";
select 1 as value, 2 as key, 3 as type, 4 as name, 5 as text, 6 as date;
select 1 as select;
select 1 select;
select 1 "select";
select 1 year, 2 day;
select 1 as "", 2;
select max(1) max, count(*), count(*) count, count(1) as c;
select 1, 1, 1 as x, 1 as x;
select null, 'a', 1.5, true, array[1], row(1), current_date is null, (select 1), (select 1 as q), case when true then 1 end, coalesce(1), cast(1 as text), 1::int8, -1, not true, 1 + 1, 'a' || 'b', 1 in (1), exists (select 1), nullif(1, 2), greatest(1, 2), extract(year from date '2024-01-01'), interval '1 day', (array[1])[1], (row(1, 2)), a.x, a.x::text, upper(a.s), a.x is null from (values (1, 'q')) a(x, s);
