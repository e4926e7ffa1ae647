-- Texts: the shortest that reads back
select 0.1::float8, 1.0::float8, 100::float8, 1e15::float8, 1e16::float8, 1e-4::float8, 1e-5::float8, 123456789012345678::float8;
select 0.1::float4, 1.0::float4, 1e6::float4, 1e7::float4, 16777217::float4, 1e-5::float4, 3.4e38::float4;
select 1.0::float8 / 3, 2.0::float8 / 3, 1.0::float4 / 3, 0.1::float8 + 0.2, 0.1::float4 + 0.2::float4;
select 0.1::float4::float8, 0.1::float8::float4, 1e-45::float4, 5e-324::float8;
select -0.0::float8, '-0'::float8, 0::float8 = '-0'::float8, '-0'::float4;
select 'NaN'::float8, 'Infinity'::float8, '-Infinity'::float8, 'inf'::float8, '-INF'::float4, 'nan'::float4;
select 1e308::float8, 1.7976931348623157e308::float8, 2.2250738585072014e-308::float8;
select 1e309::float8;
select '1e309'::float8;
select '1e-400'::float8;
select '1e39'::float4;
select 1e39::float4;
select 1e300::float8::float4;
select 'x'::float8;
select ''::float8;
select ' 1.5 '::float8, '.5'::float8, '5.'::float8, '1e3'::float8, '-1E-3'::float8;
select '1.5x'::float8;
select '0x10'::float8;

-- Arithmetic
select 1.5::float8 + 2, 1.5::float8 - 2.5, 1.5::float8 * 2, 7::float8 / 2, 5.5::float8 * 1.5::float4;
select 1::float8 / 0;
select 1e308::float8 * 10;
select -1e308::float8 * 10;
select 1e-308::float8 * 1e-308;
select 1e308::float8 + 1e308;
select 'inf'::float8 + 1, 'inf'::float8 * -1, 'inf'::float8 - 'inf'::float8, 'nan'::float8 + 1, 0::float8 * 'inf';
select 'inf'::float8 / 'inf', 1 / 'inf'::float8, 'nan'::float8 / 1;
select 0::float8 / 0::float8;
select 5.5::float8 % 2;
select -(1.5::float8), @ (-1.5::float8), abs(-1.5::float4);

-- NaN is equal to itself and above all others
select 'nan'::float8 = 'nan'::float8, 'nan'::float8 > 'inf'::float8, 'nan'::float8 < 1, 'nan'::float8 <> 1;
select x from (values ('nan'::float8), (1), ('inf'), ('-inf'), (null), (0), (-1)) v(x) order by x;
select x from (values ('nan'::float8), (1), ('inf'), ('-inf'), (null), (0), (-1)) v(x) order by x desc;
select x, count(*) from (values ('nan'::float8), ('nan'), (0), ('-0'), (null), (null)) v(x) group by x order by x;
select count(distinct x) from (values ('nan'::float8), ('nan'), (0), (-0.0)) v(x);
select max(x), min(x), sum(x), avg(x) from (values ('nan'::float8), (1), (2)) v(x);
select max(x), min(x) from (values ('inf'::float8), (1), ('-inf')) v(x);
select greatest('nan'::float8, 1), least('nan'::float8, 1), nullif('nan'::float8, 'nan');
select 'nan'::float8 in (1, 'nan'), 'nan'::float8 between 1 and 'nan';
select distinct x from (values ('nan'::float4), ('nan'), (1)) v(x) order by x;

-- Comparison of float4 with float8
select 0.1::float4 = 0.1::float8, 0.5::float4 = 0.5::float8, 0.1::float4 < 0.1::float8, 1::float4 = 1;
select 0.1::float4 = 0.1, 0.1::float8 = 0.1, 0.1::numeric = 0.1::float8;
select pg_typeof(1.5::float4 + 1), pg_typeof(1.5::float4 + 1.5::float8), pg_typeof(1.5::float4 * 1.5::float4), pg_typeof(1.5::float8 + 1.5);

-- Rounding
select round(2.5::float8), round(3.5::float8), round(-2.5::float8), round(0.4::float8), trunc(-1.9::float8), ceil(1.1::float8), floor(-1.1::float8);
select round(-0.4::float8), ceil(-0.5::float8), trunc(-0.5::float8), floor(-0.0::float8);
select round(2.567::float8, 2);
select round('nan'::float8), ceil('inf'::float8);
select sign(-2.5::float8), sign(0::float8), sign('nan'::float8);

-- Functions
select sqrt(2::float8), cbrt(27::float8), power(2::float8, 0.5), exp(1::float8), ln(10::float8), log(100::float8);
select sqrt(-1::float8);
select ln(0::float8);
select ln(-1::float8);
select log(0::float8);
select power(0::float8, -1);
select power(-8::float8, 1.0 / 3);
select exp(1000::float8);
select exp(-1000::float8);
select power('nan'::float8, 0), power(1, 'nan'::float8), power('inf'::float8, -1);
select pi(), degrees(pi()), radians(180::float8);
select sin(0::float8), cos(0::float8), tan(0::float8), asin(1::float8), acos(1::float8), atan(1::float8), atan2(1, 1);
select round(sin(1)::numeric, 12), round(cos(1)::numeric, 12), round(tan(1)::numeric, 12);
select asin(2::float8);
select acos(-1.5::float8);
select sinh(0::float8), cosh(0::float8), tanh(0::float8), round(sinh(1)::numeric, 10);
select sin('inf'::float8);
select round(erf(0.5)::numeric, 10), round(erfc(0.5)::numeric, 10), gamma(5), lgamma(1);
select width_bucket(3.5::float8, 0, 10, 4), width_bucket('nan'::float8, 0, 10, 4);
select width_bucket(3.5::float8, 5, 5, 4);

-- Casts
select 1.5::float8::text, 1e100::float8::text, 1.5::float8::numeric, 1e20::float8::numeric, 0.1::float8::numeric, 0.1::float4::numeric;
select 'nan'::float8::numeric, 'inf'::float8::numeric;
select 1.5::float8::int2, 1e5::float8::int4;
select 1e5::float8::int2;
select 12345678901234567890::numeric::float8, 1.23456789012345678::numeric::float8;
select (0.1::float8)::numeric(5, 3), 1e-7::float8::numeric, 123456.789e3::float8::numeric;
select 1.5::float8::bool;
select true::float8;

-- Aggregates
create table m (k text, x float8, y float4);
insert into m values ('a', 1.5, 2.5), ('a', 2.5, null), ('b', null, 1.25), ('b', -4, 0.5), ('c', 'inf', 1), ('d', null, null);
select k, sum(x), avg(x), min(x), max(x), count(x) from m group by k order by k;
select sum(y), avg(y), min(y), max(y), pg_typeof(sum(y)), pg_typeof(avg(y)) from m;
select k, stddev(x), variance(x), stddev_pop(x), var_pop(x) from m group by k order by k;
select var_samp(x), var_pop(x), stddev_samp(x) from (values (2::float8), (4), (4), (4), (5), (5), (7), (9)) v(x);
select corr(a, b), covar_pop(a, b), covar_samp(a, b), regr_slope(a, b), regr_intercept(a, b), regr_r2(a, b), regr_count(a, b) from (values (1::float8, 2::float8), (2, 4), (3, 6), (null, 1)) v(a, b);
select sum(x), avg(x) from m where false;
select x, y from m order by y desc nulls last, x;
select x from m where x > 1 order by x;
select x + y from m order by 1;
update m set x = x * 2 where k = 'a';
select sum(x) from m where k = 'a';
insert into m values ('e', 1e400, 1);
insert into m values ('e', '1e400', 1);
insert into m values ('e', 0.1, 0.1);
select x = y, x::float4 = y from m where k = 'e';
select k from m where x = 'inf';
