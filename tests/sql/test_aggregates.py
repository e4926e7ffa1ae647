"""Aggregates and groups: what PostgreSQL 18 answers, and the parts they are made of.

The statements run on the table of eight_rows.py; a failure is its SQLSTATE.
"""

import random
from decimal import Decimal

import numpy as np
import pytest
from eight_rows import with_rows
from sql_answers import answer, session

from zengram_py.sql.execute.aggregates.exact import means_of_whole
from zengram_py.sql.execute.aggregates.parts import accumulate
from zengram_py.sql.execute.column import Column
from zengram_py.sql.execute.digits import order_of
from zengram_py.sql.execute.grouping import Groups, distinct_rows, group_rows
from zengram_py.sql.execute.units import quick_units
from zengram_py.sql.functions.numerics import divide
from zengram_py.sql.session import Session
from zengram_py.sql.types import INT4, NUMBER, STRING

CASES = [
    (
        "select count(*), count(i2), count(g), count(distinct g), count(distinct h), count(distinct (g, h)) from t",
        "8|7|7|3|3|7",
    ),
    ("select sum(i2), sum(i4), sum(i8), sum(n) from t", "32777|52|407|12345678901234567989.871"),
    ("select sum(f4), sum(f8), avg(f4), avg(f8) from t", "1e+10|10000000009.6|1428571430|1428571429.9428573"),
    (
        "select avg(i2), avg(i4), avg(i8), avg(n) from t",
        "4682.4285714285714286|7.4285714285714286|58.1428571428571429|1763668414462081141.410",
    ),
    (
        "select g, count(*), sum(i4), avg(i4), min(i4), max(i4) from t group by g order by g",
        "1|3|50|16.6666666666666667|10|20\n2|3|-1|-0.50000000000000000000|-2147483648|2147483647\n3|1|1|1.00000000000000000000|1|1\nNULL|1|2|2.0000000000000000|2|2",
    ),
    (
        "select g, sum(f8), avg(f8), min(f8), max(f8), sum(f4) from t group by g order by g",
        "1|0.6000000000000001|0.20000000000000004|0.1|0.3|-0.25\n2|10000000004.5|3333333334.8333335|-2.5|10000000000|1e+10\n3|NULL|NULL|NULL|NULL|0.25\nNULL|4.5|4.5|4.5|4.5|3",
    ),
    (
        "select g, h, count(*), sum(i8) from t group by g, h order by g, h",
        "1|x|2|400\n1|y|1|9223372036854775807\n2|x|1|-9223372036854775808\n2|y|1|2\n2|NULL|1|1\n3|y|1|NULL\nNULL|z|1|5",
    ),
    (
        "select min(i2), max(i2), min(i8), max(i8), min(f4), max(f8), min(n), max(n) from t",
        "-3|32767|-9223372036854775808|9223372036854775807|-2.25|10000000000|-7|12345678901234567890.12",
    ),
    (
        "select min(s), max(s), min(d), max(d), min(ts), max(ts), min(tm), max(tm), max(iv), min(iv) from t",
        "|é|1999-12-31|2021-06-15|1999-12-31 12:00:00|2021-06-15 01:00:00|00:00:00|23:00:00|1 year 2 mons|-2 days +03:00:00",
    ),
    ("select max(x), min(x) from (values (1.0), (1.00), (1.000)) v(x)", "1.000|1.000"),
    ("select max(x), min(x) from (values (array[1, 2]), (array[1, 3]), ('{}')) v(x)", "{1,3}|{}"),
    ("select max(x), min(x) from (values ('\\x61'::bytea), ('\\x')) v(x)", "\\x61|\\x"),
    ("select max(row(g, h)), min(row(g, h)) from t where g is not null", "(3,y)|(1,x)"),
    (
        "select stddev(i2), stddev_pop(i2), variance(i4), var_pop(i4), var_samp(i8), stddev_samp(n), var_pop(n) from t",
        "12384.13226481|11465.47856901|1537228672093301505|1317624576079972719|28356863910078205285540093273695771746|4666228019846258880.027360|18663157657027146991147374381914150768.446769",
    ),
    (
        "select g, stddev(i4), variance(n), stddev(f8), var_pop(f4) from t group by g order by g",
        "1|5.7735026918962576|26.3958333333333333|0.09999999999999996|2.513888888888889\n2|3037000499|50805262510796122090095975669652444937.874760|5773502690.597219|2.4999999965e+19\n3|NULL|NULL|NULL|0\nNULL|NULL|NULL|NULL|0",
    ),
    (
        "select stddev(f8), var_pop(f8), var_samp(f4), stddev_pop(f4) from t",
        "3779644729.4875293|1.2244897955265309e+19|1.428571428095238e+19|3499271060.5356135",
    ),
    (
        "select stddev(x), variance(x), var_pop(x) from (values (1e-20), (2e-20)) v(x)",
        "0.000000000000000000007071067811865475244008443621048490392848|0.000000000000000000000000000000000000000050000000000000000000|0.000000000000000000000000000000000000000025000000000000000000",
    ),
    (
        "select stddev(x), variance(x), var_pop(x) from (values (100000000.001), (0.0002)) v(x)",
        "70710678.11922044|5000000000080000.00000032|2500000000040000.00000016",
    ),
    ("select stddev(x), variance(x), var_pop(x) from (values (7.00), (7.000)) v(x)", "0|0|0"),
    ("select stddev(x), var_pop(x) from (values (1)) v(x)", "NULL|0"),
    (
        "select avg(x) from (values (123456789012345678901234567890.123), (10000), (10000)) v(x)",
        "41152263004115226300411529296.708",
    ),
    ("select avg(x) from (values (0.00001), (0.00002), (0.00002)) v(x)", "0.000016666666666666666667"),
    (
        "select avg(x) from (values (9223372036854775807), (-9223372036854775808)) v(x)",
        "-0.50000000000000000000",
    ),
    ("select avg(x), sum(x) from (values (0), (0)) v(x)", "0.00000000000000000000|0"),
    ("select avg(x) from (values (10000), (10000), (10000)) v(x)", "10000.0000000000000000"),
    (
        "select sum(x), avg(x), stddev(x), min(x), max(x) from (values ('nan'::numeric), (1), ('inf')) v(x)",
        "NaN|NaN|NaN|1|NaN",
    ),
    (
        "select sum(x), avg(x), stddev(x), max(x) from (values ('inf'::numeric), (1), ('-inf')) v(x)",
        "NaN|NaN|NaN|Infinity",
    ),
    (
        "select sum(x), avg(x), stddev(x), min(x), max(x) from (values ('nan'::float8), ('-inf'), (1)) v(x)",
        "NaN|NaN|NaN|-Infinity|NaN",
    ),
    (
        "select sum(x), avg(x), var_pop(x), max(x) from (values ('inf'::float8), (1)) v(x)",
        "Infinity|Infinity|NaN|Infinity",
    ),
    ("select sum(x), avg(x) from (values ('-0'::float8)) v(x)", "-0|0"),
    ("select sum(x) from (values (1e308::float8), (1.5e308)) v(x)", "22003"),
    ("select avg(x) from (values (1e200::float8), (2e200)) v(x)", "22003"),
    ("select sum(x) from (values ('3e38'::float4), ('3e38')) v(x)", "22003"),
    (
        "select sum(x), avg(x) from (values (0.1::float4), (0.2), (0.3), (1e7)) v(x)",
        "1.0000001e+07|2500000.150000004",
    ),
    ("select sum(x) from (values (9e131071), (9e131071)) v(x)", "22003"),
    ("select sum(x) from (values (0.1::float8), (0.2), (0.3), (0.4), (0.5), (0.6), (0.7)) v(x)", "2.8"),
    ("select bool_and(b), bool_or(b), every(i2 > -9), bool_and(null::bool) from t", "f|t|t|NULL"),
    ("select g, bool_and(b), bool_or(b) from t group by g order by g", "1|f|t\n2|f|t\n3|NULL|NULL\nNULL|t|t"),
    (
        "select bit_and(i2), bit_or(i2), bit_xor(i2), bit_and(i4), bit_or(i8), bit_xor(i8) from t",
        "0|-1|-32767|0|-1|-335",
    ),
    ("select string_agg(s, ','), string_agg(h, '') from t", "b,a,é,B,ab,,a|xyxxyyz"),
    (
        "select g, string_agg(s, '-' order by s desc) from t group by g order by g",
        "1|é-b-a\n2|ab-B\n3|\nNULL|a",
    ),
    (
        "select string_agg(x, y) from (values ('a', '-'), ('b', null), ('c', '+'), (null, '!'), ('d', '*')) v(x, y)",
        "ab+c*d",
    ),
    ("select string_agg(x, null) from (values ('a'), ('b')) v(x)", "ab"),
    ("select string_agg(x, ','::bytea) from (values ('\\x61'::bytea), ('\\x62')) v(x)", "\\x612c62"),
    (
        "select string_agg(distinct s, ','), string_agg(distinct h, ',' order by h desc), array_agg(distinct g), array_agg(distinct g order by g desc) from t",
        ",B,a,ab,b,é|z,y,x|{1,2,3,NULL}|{NULL,3,2,1}",
    ),
    (
        "select array_agg(g order by g nulls first, id), array_agg(id order by id), array_agg(h order by id) filter (where b) from t",
        "{NULL,1,1,1,2,2,2,3}|{1,2,3,4,5,6,7,8}|{x,x,y,z}",
    ),
    ("select array_agg(x) from (values (array[1, 2]), (array[3, 4])) v(x)", "{{1,2},{3,4}}"),
    ("select array_agg(x) from (values (array[1, 2]), (array[3])) v(x)", "2202E"),
    ("select array_agg(x) from (values (array[1, 2]), (null)) v(x)", "22004"),
    ("select array_agg(x) from (values ('{}'::int[]), ('{}')) v(x)", "2202E"),
    (
        "select array_agg(n order by n desc nulls last), array_agg(iv order by iv, id) from t",
        '{12345678901234567890.12,100,3,2.250,1.50,0.001,-7,NULL}|{"-2 days +03:00:00",00:00:01.5,"1 day","5 days","1 mon","30 days","1 year 2 mons",NULL}',
    ),
    (
        "select jsonb_agg(s order by id), jsonb_agg(i4), jsonb_agg(n), jsonb_agg(d) from t",
        '["b", "a", "é", null, "B", "ab", "", "a"]|[10, 20, 20, null, 2147483647, -2147483648, 1, 2]|[1.50, 2.250, -7, 0.001, 100, 12345678901234567890.12, null, 3]|["2020-01-31", "2020-02-29", "2020-03-01", null, "1999-12-31", "2020-01-31", "2021-06-15", "2020-02-01"]',
    ),
    (
        "select jsonb_agg(v) from (values (1, 'a'), (2, null)) v(x, y)",
        '[{"x": 1, "y": "a"}, {"x": 2, "y": null}]',
    ),
    (
        "select jsonb_object_agg(id, s), jsonb_object_agg(coalesce(h, '?'), n order by id) from t",
        '{"1": "b", "2": "a", "3": "é", "4": null, "5": "B", "6": "ab", "7": "", "8": "a"}|{"?": 100, "x": 0.001, "y": null, "z": 3}',
    ),
    (
        "select jsonb_object_agg(x, y) from (values ('bb', 1), ('a', 2), ('a', 3)) v(x, y)",
        '{"a": 3, "bb": 1}',
    ),
    ("select jsonb_object_agg(x, 1) from (values (true), (false)) v(x)", '{"true": 1, "false": 1}'),
    ("select jsonb_object_agg(ts, 1) from t where id = 1", '{"2020-01-31T10:00:00": 1}'),
    ("select jsonb_object_agg(h, 1) from t", "22023"),
    ("select jsonb_object_agg(array[id], 1) from t", "22023"),
    (
        "select jsonb_agg_strict(i4), jsonb_object_agg_strict(id, i4) from t",
        '[10, 20, 20, 2147483647, -2147483648, 1, 2]|{"1": 10, "2": 20, "3": 20, "5": 2147483647, "6": -2147483648, "7": 1, "8": 2}',
    ),
    ("select jsonb_agg_strict(x), jsonb_object_agg_strict(1, x) from (values (null::int)) v(x)", "[]|{}"),
    (
        "select any_value(i4 order by id), any_value(g) filter (where g > 1) from t where id > 3",
        "2147483647|2",
    ),
    (
        "select count(*) filter (where b), sum(i2) filter (where h = 'x'), sum(10 / i2) filter (where i2 <> 0), max(s) filter (where false) from t",
        "4|10|16|NULL",
    ),
    (
        "select corr(f8, i4), covar_pop(f8, i4), covar_samp(f8, i4), regr_count(f8, i4) from t",
        "-0.8652109097911755|-3400182452.5166664|-4080218943.0199995|6",
    ),
    (
        "select regr_slope(f8, i2), regr_intercept(f8, i2), regr_r2(f8, i2), regr_avgx(f8, i2), regr_avgy(f8, i2) from t",
        "-61004.60015972356|1999914464.0225165|0.039953132848620794|5462.666666666667|1666666668.2166665",
    ),
    (
        "select regr_sxx(n, i2), regr_sxy(n, i2), regr_syy(n, i2) from t",
        "894631989.3333331|-6.744032861114403e+22|1.270131562769903e+38",
    ),
    (
        "select corr(x, y), regr_slope(x, y), regr_r2(x, y), covar_samp(x, y), regr_intercept(x, y) from (values (0.1::float8, 2), (0.1, 3), (0.1, 4)) v(x, y)",
        "NULL|0|1|0|0.10000000000000002",
    ),
    (
        "select corr(y, x), regr_slope(y, x), regr_r2(y, x), covar_samp(y, x), regr_intercept(y, x) from (values (0.1::float8, 2), (0.1, 3), (0.1, 4)) v(x, y)",
        "NULL|NULL|NULL|0|NULL",
    ),
    (
        "select corr(x, y), regr_r2(x, y), covar_pop(x, y), regr_count(x, y) from (values (1::float8, 'inf'::float8)) v(x, y)",
        "NULL|1|NaN|1",
    ),
    (
        "select corr(x, y) from (values (1e160::float8, 1e-160), (2e160, 2e-160), (4, 4e-160)) v(x, y)",
        "22003",
    ),
    ("select sum(iv), avg(iv) from t", "1 year 3 mons 34 days 03:00:01.5|2 mons 9 days 03:51:25.903886"),
    (
        "select g, sum(iv), avg(iv) from t group by g order by g",
        "1|1 mon 31 days|20 days 08:00:00\n2|-2 days +03:00:01.5|-1 days +01:30:00.75\n3|1 year 2 mons|1 year 2 mons\nNULL|5 days|5 days",
    ),
    ("select sum(x), avg(x) from (values ('infinity'::interval), ('1 day')) v(x)", "infinity|infinity"),
    ("select sum(x) from (values ('infinity'::interval), ('-infinity')) v(x)", "22008"),
    ("select sum(x) from (values ('178000000 years'::interval), ('178000000 years')) v(x)", "22008"),
    (
        "select percentile_cont(0.5) within group (order by i4), percentile_cont(0.3) within group (order by f8 desc), percentile_cont(0.25) within group (order by n) from t",
        "10|5|0.7505000000000001",
    ),
    (
        "select percentile_disc(0.5) within group (order by s), percentile_disc(0) within group (order by d), percentile_disc(1) within group (order by i4 desc) from t",
        "a|1999-12-31|-2147483648",
    ),
    (
        "select percentile_cont(array[0, 0.5, null, 1]) within group (order by i2), percentile_disc(array[[0, 0.5], [0.75, 1]]) within group (order by s) from t",
        '{-3,2,NULL,32767}|{{"",a},{b,é}}',
    ),
    (
        "select g, percentile_cont(0.5) within group (order by i2), percentile_cont(g / 10.0) within group (order by f8), mode() within group (order by h) from t group by g order by g",
        "1|1|0.12000000000000001|x\n2|5|1.3000000000000003|x\n3|1|NULL|y\nNULL|2|NULL|z",
    ),
    (
        "select percentile_cont(0.3) within group (order by x), percentile_cont(array[0.1, 0.9]) within group (order by x) from (values ('1 day'::interval), ('3 days'), ('1 mon')) v(x)",
        '2 days 04:48:00|{"1 day 09:36:00","25 days -09:36:00"}',
    ),
    ("select percentile_cont(1.5) within group (order by i4) from t", "22003"),
    ("select percentile_disc('nan') within group (order by i4) from t", "22003"),
    (
        "select percentile_cont(null) within group (order by i4), percentile_disc(array[0.5]) within group (order by i4) from t where false",
        "NULL|NULL",
    ),
    (
        "select percentile_cont(0.5) within group (order by x), percentile_cont(0.25) within group (order by x) from (values ('inf'::float8), ('-inf'), (5)) v(x)",
        "5|NaN",
    ),
    (
        "select mode() within group (order by x), mode() within group (order by x desc) from (values (1), (2), (2), (1), (3), (null), (null), (null)) v(x)",
        "1|2",
    ),
    (
        "select rank(2) within group (order by x), dense_rank(2) within group (order by x), percent_rank(2) within group (order by x), cume_dist(2) within group (order by x) from (values (1), (1), (2), (3), (null)) v(x)",
        "3|2|0.4|0.6666666666666666",
    ),
    (
        "select rank(null) within group (order by g), rank(2) within group (order by g desc), rank(2, 'x') within group (order by g, h), dense_rank(3) within group (order by i2) from t",
        "8|3|4|5",
    ),
    (
        "select rank(2) within group (order by g), percent_rank(2) within group (order by g), cume_dist(2) within group (order by g) from t where false",
        "1|0|1",
    ),
    (
        "select count(*), sum(i4), max(s), array_agg(id), string_agg(s, ','), jsonb_agg(id), stddev(f8), corr(f8, f8), bool_and(b) from t where false",
        "0|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL",
    ),
    ("select g, count(*) from t where false group by g", ""),
    ("select 1 from t having count(*) > 5", "1"),
    (
        "select g, h, grouping(g), grouping(h, g), count(*), sum(i4) from t group by rollup (g, h) order by 1, 2, 3, 4",
        "1|x|0|0|2|30\n1|y|0|0|1|20\n1|NULL|0|2|3|50\n2|x|0|0|1|NULL\n2|y|0|0|1|-2147483648\n2|NULL|0|0|1|2147483647\n2|NULL|0|2|3|-1\n3|y|0|0|1|1\n3|NULL|0|2|1|1\nNULL|z|0|0|1|2\nNULL|NULL|0|2|1|2\nNULL|NULL|1|3|8|52",
    ),
    (
        "select g, h, count(*), array_agg(id order by id) from t group by grouping sets ((g), (h), ()) order by g, h, 3, 4",
        "1|NULL|3|{1,2,3}\n2|NULL|3|{4,5,6}\n3|NULL|1|{7}\nNULL|x|3|{1,3,4}\nNULL|y|3|{2,6,7}\nNULL|z|1|{8}\nNULL|NULL|1|{5}\nNULL|NULL|1|{8}\nNULL|NULL|8|{1,2,3,4,5,6,7,8}",
    ),
    (
        "select g, h, b, count(*) from t group by cube (g, h), rollup (b) order by 1, 2, 3, 4",
        "1|x|t|2\n1|x|NULL|2\n1|y|f|1\n1|y|NULL|1\n1|NULL|f|1\n1|NULL|t|2\n1|NULL|NULL|3\n2|x|NULL|1\n2|x|NULL|1\n2|y|t|1\n2|y|NULL|1\n2|NULL|f|1\n2|NULL|f|1\n2|NULL|t|1\n2|NULL|NULL|1\n2|NULL|NULL|1\n2|NULL|NULL|3\n3|y|NULL|1\n3|y|NULL|1\n3|NULL|NULL|1\n3|NULL|NULL|1\nNULL|x|t|2\nNULL|x|NULL|1\nNULL|x|NULL|3\nNULL|y|f|1\nNULL|y|t|1\nNULL|y|NULL|1\nNULL|y|NULL|3\nNULL|z|t|1\nNULL|z|t|1\nNULL|z|NULL|1\nNULL|z|NULL|1\nNULL|NULL|f|1\nNULL|NULL|f|2\nNULL|NULL|t|1\nNULL|NULL|t|4\nNULL|NULL|NULL|1\nNULL|NULL|NULL|1\nNULL|NULL|NULL|2\nNULL|NULL|NULL|8",
    ),
    ("select g, count(*) from t where false group by rollup (g)", "NULL|0"),
    ("select count(*) from t where false group by ()", "0"),
    ("select count(*) from t where false group by grouping sets ((), ())", "0\n0"),
    (
        "select g, h, count(*) from t group by distinct rollup (g, h), rollup (h, g) order by 1, 2, 3",
        "1|x|2\n1|y|1\n1|NULL|3\n2|x|1\n2|y|1\n2|NULL|1\n2|NULL|3\n3|y|1\n3|NULL|1\nNULL|x|3\nNULL|y|3\nNULL|z|1\nNULL|z|1\nNULL|NULL|1\nNULL|NULL|1\nNULL|NULL|8",
    ),
    (
        "select g, sum(n) from t group by g having sum(n) > 0 order by sum(n) desc",
        "2|12345678901234567990.121\nNULL|3",
    ),
    (
        "select g + 1, count(*), g + 1 + count(*) from t group by g + 1 order by 1",
        "2|3|5\n3|3|6\n4|1|5\nNULL|1|NULL",
    ),
    (
        "select x, count(*) from (values ('nan'::float8), ('nan'), (0), ('-0'), (null), (null)) v(x) group by x order by x",
        "0|2\nNaN|2\nNULL|2",
    ),
    ("select x, count(*) from (values (1.0), (1.00), (2)) v(x) group by x order by x", "1.0|2\n2|1"),
    (
        "select sum(x), string_agg(y, z) from (select 1 x, 'a' y, '-' z union all select 2, 'b', '+' union all select 3, 'c', '*') q",
        "6|a+b*c",
    ),
    (
        "select id, (select count(*) from t u where u.g = t.g), (select sum(u.i2 * t.id) from t u where u.id < t.id) from t order by id",
        "1|3|NULL\n2|3|10\n3|3|6\n4|3|8\n5|3|35\n6|3|196644\n7|1|229418\n8|0|262200",
    ),
    (
        "select sum(1), count('z'), min(1), max('a'), string_agg('a', ','), avg(1) from t",
        "8|8|1|a|a,a,a,a,a,a,a,a|1.00000000000000000000",
    ),
    ("select sum(distinct i4), avg(distinct i2), count(distinct f8) from t", "32|5462.0000000000000000|7"),
    ("select sum(s) from t", "42883"),
    ("select stddev(s) from t", "42883"),
    ("select json_agg(id order by id desc) from t", "[8, 7, 6, 5, 4, 3, 2, 1]"),
]


@pytest.fixture(scope="module")
def rows() -> Session:
    return with_rows()


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[c[0] for c in CASES])
def test_answers(rows: Session, text: str, expected: str) -> None:
    assert answer(rows, text) == expected


VECTORS = [
    (
        "select sum(x), avg(x), count(x) from (values ('[1,2]'::vector), ('[3,4]'), (null)) v(x)",
        "[4,6]|[2,3]|2",
    ),
    (
        "select g, sum(x), avg(x) from (values (1, '[1,2]'::vector), (1, '[1,2.5]'), (2, '[3]'), (3, null)) v(g, x) group by g order by g",
        "1|[2,4.5]|[1,2.25]\n2|[3]|[3]\n3|NULL|NULL",
    ),
    ("select sum(x) from (values ('[1,2]'::vector), ('[3]')) v(x)", "22000"),
    ("select avg(x) from (values ('[1,2]'::vector), ('[3]')) v(x)", "22000"),
    ("select sum(x) from (values ('[3e38,2]'::vector), ('[3e38,2]')) v(x)", "22003"),
    (
        "select count(distinct x), mode() within group (order by x) from (values ('[1,2]'::vector), ('[1,2]'), ('[0,4]')) v(x)",
        "2|[1,2]",
    ),
]


@pytest.mark.parametrize(("text", "expected"), VECTORS, ids=[c[0] for c in VECTORS])
def test_vectors(text: str, expected: str) -> None:
    assert answer(session(), text) == expected


def test_enums_are_in_the_order_of_their_labels() -> None:
    made = session()
    made.run("create type mood as enum ('sad', 'ok', 'happy')")
    text = (
        "select min(x), max(x), array_agg(x order by x desc), mode() within group (order by x), jsonb_agg(x) "
        "from (values ('happy'::mood), ('sad'), ('ok'), ('ok')) v(x)"
    )
    assert answer(made, text) == 'sad|happy|{happy,ok,ok,sad}|ok|["happy", "sad", "ok", "ok"]'


@pytest.mark.parametrize("kinds", [20, 5000])
def test_texts_of_a_table_group_as_their_values_do(kinds: int) -> None:
    """Few different texts are coded, many are not."""
    made, random_ = session(), random.Random(kinds)
    made.run("create table w (id int primary key, s text, u int)")
    values = [(i, f"s{random_.randrange(kinds)}", random_.randrange(100)) for i in range(3000)]
    made.run("insert into w values " + ",".join(f"({i}, '{s}', {u})" for i, s, u in values))
    groups: dict[str, list[int]] = {}
    for _, s, u in values:
        groups.setdefault(s, []).append(u)
    found = made.run("select s, count(*), sum(u), min(u), max(u), count(distinct u) from w group by s").rows
    assert found == [(s, len(us), sum(us), min(us), max(us), len(set(us))) for s, us in groups.items()]
    assert made.run("select min(s), max(s), count(distinct s) from w").rows == [
        (min(groups), max(groups), len(groups))
    ]
    by_number: dict[int, list[str]] = {}
    for _, s, u in values:
        by_number.setdefault(u, []).append(s)
    found = made.run("select u, min(s), max(s), string_agg(s, '') from w group by u").rows
    assert found == [(u, min(each), max(each), "".join(each)) for u, each in by_number.items()]


def test_groups_come_in_the_order_of_their_first_rows() -> None:
    columns = [Column.of(STRING, ["b", None, "a", "b", None]), Column.of(INT4, [1, 2, 1, 1, 2])]
    groups, first = group_rows(columns, 5)
    assert groups.codes.tolist() == [0, 1, 2, 0, 1]
    assert first.tolist() == [0, 1, 2]
    assert groups.order.tolist() == [0, 3, 1, 4, 2]


@pytest.mark.parametrize("kinds", [3, 10**6])
def test_distinct_rows_are_the_first_of_their_kind_in_their_group(kinds: int) -> None:
    random_ = random.Random(kinds)
    codes = [random_.randrange(40) for _ in range(2000)]
    values = [random_.choice([None, random_.randrange(kinds)]) for _ in codes]
    found = distinct_rows(Groups(np.array(codes), 40), [Column.of(INT4, values)])
    first: dict[tuple[int, int | None], int] = {}
    for place, pair in enumerate(zip(codes, values, strict=True)):
        first.setdefault(pair, place)
    assert found.tolist() == list(first.values())


def test_means_have_the_digits_of_quotients() -> None:
    random_ = random.Random(7)
    totals = [random_.choice([1, -1]) * random_.randint(0, 10 ** random_.randint(0, 18)) for _ in range(3000)]
    totals += [2**63 - 1, 1 - 2**63, 0]
    counts = [random_.randint(1, 10 ** random_.randint(0, 9)) for _ in totals]
    found = means_of_whole(np.array(totals, np.int64), np.array(counts, np.int64))
    assert list(map(str, found)) == [
        str(divide(Decimal(t), Decimal(c))) for t, c in zip(totals, counts, strict=True)
    ]


@pytest.mark.parametrize("add", [np.add, np.minimum])
def test_running_values_begin_anew_in_each_stretch(add: np.ufunc) -> None:
    random_ = np.random.default_rng(1)
    starts = np.unique(np.append(0, np.append(random_.integers(0, 5000, 300), [4000, 4001, 4003])))
    values = random_.standard_normal(5000)
    expected = values.copy()
    for i in range(1, 5000):
        if i not in starts:
            expected[i] = add(expected[i - 1], values[i])
    assert (accumulate(add, values, starts) == expected).all()


def test_sorting_by_digits_is_sorting() -> None:
    random_ = np.random.default_rng(2)
    n, limits = 700, np.iinfo(np.int64)
    edges = [0.0, -0.0, np.inf, -np.inf, 5e-324, -5e-324]
    keys = [
        np.append(random_.integers(limits.min, limits.max, n - 2, np.int64), [limits.min, limits.max]),
        random_.integers(-(2**31), 2**31 - 1, n, np.int64).astype(np.int32),
        random_.integers(-3, 3, n).astype(np.int8),
        np.append(random_.standard_normal(n - 6) * 10.0 ** random_.integers(-300, 300, n - 6), edges),
        random_.standard_normal(n).astype(np.float32),
        random_.random(n) < 0.5,
        np.full(n, 7),
        random_.integers(-5, 5, n).astype(np.float64),
    ]
    for one in keys:
        assert (order_of([one], n) == np.argsort(one, kind="stable")).all()
        for other in keys:
            assert (order_of([one, other], n) == np.lexsort([other, one])).all()


def test_exact_numbers_become_units_if_they_fit() -> None:
    found = quick_units([Decimal("1.50"), None, Decimal(-2), Decimal("0.125")])
    assert found is not None
    assert found.tolist() == [1500, 0, -2000, 125]
    for odd in ("NaN", "Infinity", "1e-30", "12345678901234567890.5"):
        assert quick_units([Decimal(odd), Decimal(1)]) is None


def test_many_groups_of_exact_numbers() -> None:
    random_ = random.Random(3)
    codes = [random_.randrange(50) for _ in range(1000)]
    values = [Decimal(random_.randint(-999, 999)).scaleb(-random_.randrange(4)) for _ in codes]
    sums: dict[int, Decimal] = {}
    for code, value in zip(codes, values, strict=True):
        sums[code] = sums.get(code, Decimal(0)) + value
    groups, first = group_rows([Column.of(INT4, codes)], 1000)
    assert [str(t) for t in groups.total_numerics(values)] == [str(sums[codes[p]]) for p in first.tolist()]
    columns = [Column.of(NUMBER, values)]
    by_value, _ = group_rows(columns, 1000)
    assert by_value.count == len(set(values))
