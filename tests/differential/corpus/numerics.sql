-- Scale is kept
select 1.0, 1.50, 1.500 + 1.5, 1.10 * 1.10, 0.00, -0.0, 100.;
select 1.5 + 2, 3 - 1.25, 2 * 1.50, .5, 5e2, 5e-2, 1e20, 1.5e3;
select 1.0 = 1.00, 1.0::text, 1.00::text, 0.10 = 0.1;
select 12345678901234567890.12345678901234567890 * 98765432109876543210.98765432109876543210;
select 0.000000001 * 0.000000001, 1e-30 + 1e30;
select 99999999999999999999999999999999 + 1, -99999999999999999999 - 1;

-- Division chooses its scale
select 1.0 / 3, 2.0 / 3, 10.0 / 4, 1 / 3.0, 100000.0 / 3, 0.00001 / 3, 1e10 / 7, 7.0 / 1e10;
select 1.0000000000 / 3.00, 12345.6789 / 0.0001, 22.0 / 7, 1.0 / 1024;
select 1 / 0.0;
select 1.0 % 0;
select 5.5 % 2, -5.5 % 2, 5.5 % -2, 10 % 2.5, mod(7.25, 2), div(7.25, 2), div(-7.25, 2);
select div(1.0, 0);
select 1e131071 * 10;
select 1e131072;
select 1e-16383 / 10;

-- Declared precision and scale
select 1.005::numeric(5, 2), 1.015::numeric(5, 2), -1.005::numeric(5, 2), 12.345::numeric(4, 1), 0.5::numeric(1), 1.5::numeric(2);
select 999.995::numeric(5, 2);
select 1000::numeric(5, 2);
select 0.001::numeric(3, 3), 123456::numeric(3, -3), 1234::numeric(2, -2);
select 1::numeric(3, 3);
select 5::numeric(0);
select 5::numeric(1001);
select 'nan'::numeric(5, 2), null::numeric(5, 2);
select 'infinity'::numeric(5, 2);

-- Special values
select 'nan'::numeric, 'infinity'::numeric, '-inf'::numeric;
select 'nan'::numeric = 'nan', 'nan'::numeric > 'inf'::numeric, 'inf'::numeric > 1e100, '-inf'::numeric < -1e100;
select 'inf'::numeric + 1, 'inf'::numeric - 'inf'::numeric, 'inf'::numeric * 0, 'inf'::numeric * -2, 1 / 'inf'::numeric, 'nan'::numeric * 0;
select 'inf'::numeric / 0;
select 'inf'::numeric % 2, 5 % 'inf'::numeric;
select x from (values ('nan'::numeric), (1), ('inf'), ('-inf'), (null), (0)) v(x) order by x;
select count(distinct x) from (values ('nan'::numeric), ('nan'), (1.0), (1.00), (null)) v(x);
select x, count(*) from (values (1.0), (1.00), (2), (2.000)) v(x) group by x order by x;

-- Reading
select '1.5'::numeric, ' 1.5 '::numeric, '-.5'::numeric, '+5.'::numeric, '1e3'::numeric, '1E-3'::numeric, '0x1F'::numeric, '1_000.5'::numeric;
select ''::numeric;
select 'x'::numeric;
select '1.5.5'::numeric;
select '1e'::numeric;
select '.'::numeric;
select '000123.4500'::numeric, '-0.00'::numeric;

-- Rounding: half away from zero
select round(2.5), round(3.5), round(-2.5), round(1.25, 1), round(-1.25, 1), round(1234.567, -2), round(1250, -2), round(0.5), round(0.4999);
select trunc(2.567, 2), trunc(-2.567, 1), trunc(1234.5, -2), trunc(-0.9), ceil(1.01), ceil(-1.99), floor(1.99), floor(-1.01), ceiling(5);
select round(1.5, 3), round(1, 2), trunc(1, 2), round(55.55, 1), round(1e20, -19);
select round('nan'::numeric, 2), ceil('inf'::numeric), sign(-0.5), sign(0.0), sign('nan'::numeric), abs(-1.50);

-- Functions
select sqrt(2.0), sqrt(4.0), sqrt(0.0), sqrt(1e10), sqrt(2);
select sqrt(-1.0);
select exp(1.0), exp(0.0), exp(-1.5), ln(2.0), ln(10), log(100.0), log(2.0, 64.0), log(2, 10), log10(1000.0);
select ln(0.0);
select ln(-1.0);
select log(0.0);
select log(1.0, 5.0);
select power(2.0, 10), power(2.0, 0.5), power(2.0, -2), 2.0 ^ 3, 1.1 ^ 10, power(10.0, 20), power(0.0, 0);
select power(0.0, -1);
select power(-8.0, 0.5);
select power(-2.0, 3), power(-2.0, -3);
select scale(1.50), scale(1), scale(0.001), min_scale(1.500), min_scale(100), trim_scale(1.500), trim_scale(100.00), trim_scale(0.0);
select gcd(12.0, 18.0), gcd(1.5, 2.5), lcm(1.5, 2.5), factorial(30);
select width_bucket(5.35, 0.024, 10.06, 5), width_bucket(1.0, 10.0, 0.0, 4);
select greatest(1.0, 1.00, 0.5), least(2, 1.50, null), 1.5 between 1 and 2, 1.0 in (1, 2);
select -(-1.5), @ -1.5, + 1.5, - (0.0);
select pg_typeof(1.5), pg_typeof(1.5 + 1), pg_typeof(1.5 + 1::int8), pg_typeof(1.5 * 1.5::float8), pg_typeof(round(1.5)), pg_typeof(ceil(1.5));

-- Aggregates
create table q (k int, x numeric, y numeric(8, 3));
insert into q values (1, 1.10, 1.1), (1, 2.200, 2.22222), (1, null, 3), (2, 1e20, -5), (2, 0.00001, 5), (3, null, null);
select * from q order by k, y nulls first;
select k, sum(x), avg(x), min(x), max(x), count(x) from q group by k order by k;
select sum(y), avg(y), min(y), max(y) from q;
select k, stddev(y), variance(y), stddev_pop(y), var_pop(y) from q group by k order by k;
select avg(a) from (values (1), (2), (2)) v(a);
select avg(a), sum(a) from (values (1::int8), (2)) v(a);
select avg(a) from (values (0.1), (0.2), (0.4)) v(a);
select variance(a), stddev(a), var_pop(a) from (values (1), (2), (4)) v(a);
select sum(x), avg(x), variance(x) from q where false;
select sum(x) from (values ('inf'::numeric), (1)) v(x);
select sum(x), avg(x) from (values ('inf'::numeric), ('-inf')) v(x);
select sum(x), max(x), min(x) from (values ('nan'::numeric), (1)) v(x);
insert into q values (4, 1, 99999.9995);
insert into q values (4, 1, 99999.9994);
insert into q values (5, '1e5', '12.3456');
select y from q where k >= 4 order by k;
select x * y from q where k = 1 order by y;
select x / y from q where k = 1 order by y;
update q set y = y / 3 where k = 5;
select y from q where k = 5;
update q set y = y * 1e6 where k = 5;
select x::int as i, x::float8 as f, x::text as t from q where k = 1 and x is not null order by t;
select x::int, x::float8 from q order by x;
select 12345.678::numeric::int8, 1e30::numeric::float4, 1.5::numeric::float8 * 2;
select distinct x from (values (1.0), (1.00), (1)) v(x);
