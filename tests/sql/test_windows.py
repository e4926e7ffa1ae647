"""Window functions: what PostgreSQL 18 answers, and frames against loops.

The statements run on the table of eight_rows.py; a failure is its SQLSTATE. Statements without an order give their rows in PostgreSQL's.
"""

import random
from decimal import Decimal

import numpy as np
import pytest
from eight_rows import with_rows
from sql_answers import answer

from zengram_py.sql.execute.aggregates.floats import Spread
from zengram_py.sql.execute.windows import frames as frames_module
from zengram_py.sql.execute.windows.frames import Frames
from zengram_py.sql.session import Session

CASES = [
    (
        "select id, row_number() over (order by i4, id), rank() over (order by i4), dense_rank() over (order by i4), percent_rank() over (order by i4), cume_dist() over (order by i4) from t order by id",
        "1|4|4|4|0.42857142857142855|0.5\n2|5|5|5|0.5714285714285714|0.75\n3|6|5|5|0.5714285714285714|0.75\n4|8|8|7|1|1\n5|7|7|6|0.8571428571428571|0.875\n6|1|1|1|0|0.125\n7|2|2|2|0.14285714285714285|0.25\n8|3|3|3|0.2857142857142857|0.375",
    ),
    (
        "select id, row_number() over (partition by g order by id desc), rank() over (partition by g order by h), count(*) over (partition by g) from t order by id",
        "1|3|1|3\n2|2|3|3\n3|1|1|3\n4|3|1|3\n5|2|3|3\n6|1|2|3\n7|1|1|1\n8|1|1|1",
    ),
    (
        "select id, ntile(3) over (order by id), ntile(100) over (order by id), ntile(g) over (partition by g order by id) from t order by id",
        "1|1|1|1\n2|1|2|1\n3|1|3|1\n4|2|4|1\n5|2|5|1\n6|2|6|2\n7|3|7|1\n8|3|8|NULL",
    ),
    ("select ntile(0) over () from t", "22014"),
    ("select ntile(null) over () from t where id < 3", "NULL\nNULL"),
    (
        "select id, lag(s) over w, lead(s) over w, lag(s, 2) over w, lead(id, 2, -1) over w, lag(id, g, 0) over w, lag(id, -1) over w from t window w as (order by id) order by id",
        "1|NULL|a|NULL|3|0|2\n2|b|é|NULL|4|1|3\n3|a|NULL|b|5|2|4\n4|é|B|a|6|2|5\n5|NULL|ab|é|7|3|6\n6|B||NULL|8|4|7\n7|ab|a|B|-1|4|8\n8||NULL|ab|-1|NULL|NULL",
    ),
    (
        "select id, lag(n, 1, 0) over (partition by g order by id), lead(iv) over (partition by h order by id), lag(id, null) over (order by id) from t order by id",
        "1|0|30 days|NULL\n2|1.50|00:00:01.5|NULL\n3|2.250|NULL|NULL\n4|0|NULL|NULL\n5|0.001|NULL|NULL\n6|100|1 year 2 mons|NULL\n7|0|NULL|NULL\n8|0|NULL|NULL",
    ),
    (
        "select id, first_value(id) over w, last_value(s) over w, nth_value(id, 2) over w from t window w as (partition by g order by id) order by id",
        "1|1|b|NULL\n2|1|a|2\n3|1|é|2\n4|4|NULL|NULL\n5|4|B|5\n6|4|ab|5\n7|7||NULL\n8|8|a|NULL",
    ),
    (
        "select id, first_value(s) over w, last_value(s) over w, nth_value(s, 3) over w, nth_value(s, g) over w from t window w as (order by id rows between unbounded preceding and unbounded following) order by id",
        "1|b|a|é|b\n2|b|a|é|b\n3|b|a|é|b\n4|b|a|é|a\n5|b|a|é|a\n6|b|a|é|a\n7|b|a|é|é\n8|b|a|é|NULL",
    ),
    ("select nth_value(id, 0) over () from t", "22016"),
    ("select nth_value(id, null) over () from t where id < 3", "NULL\nNULL"),
    (
        "select id, sum(i4) over (order by id), avg(i4) over (order by id), count(i4) over (order by id), min(i4) over (order by id), max(i4) over (order by id) from t order by id",
        "1|10|10.0000000000000000|1|10|10\n2|30|15.0000000000000000|2|10|20\n3|50|16.6666666666666667|3|10|20\n4|50|16.6666666666666667|3|10|20\n5|2147483697|536870924.25000000|4|10|2147483647\n6|49|9.8000000000000000|5|-2147483648|2147483647\n7|50|8.3333333333333333|6|-2147483648|2147483647\n8|52|7.4285714285714286|7|-2147483648|2147483647",
    ),
    (
        "select id, sum(i8) over (order by id), avg(i8) over (order by id), sum(n) over (order by id), avg(n) over (order by id) from t order by id",
        "1|100|100.0000000000000000|1.50|1.50000000000000000000\n2|9223372036854775907|4611686018427387954|3.750|1.8750000000000000\n3|9223372036854776207|3074457345618258736|-3.250|-1.08333333333333333333\n4|399|99.7500000000000000|-3.249|-0.81225000000000000000\n5|400|80.0000000000000000|96.751|19.3502000000000000\n6|402|67.0000000000000000|12345678901234567986.871|2057613150205761331.145\n7|402|67.0000000000000000|12345678901234567986.871|2057613150205761331.145\n8|407|58.1428571428571429|12345678901234567989.871|1763668414462081141.410",
    ),
    (
        "select id, sum(f8) over (order by id), avg(f8) over (order by id), stddev(f8) over (order by id), sum(f4) over (order by id) from t order by id",
        "1|0.1|0.1|NULL|0.5\n2|0.30000000000000004|0.15000000000000002|0.07071067811865474|2\n3|0.6000000000000001|0.20000000000000004|0.09999999999999996|-0.25\n4|10000000000.6|2500000000.15|4999999999.900001|-0.25\n5|9999999998.1|1999999999.6200001|4472135955.212007|6.75\n6|10000000005.1|1666666667.5166667|4082482904.222217|1e+10\n7|10000000005.1|1666666667.5166667|4082482904.222217|1e+10\n8|10000000009.6|1428571429.9428573|3779644729.4875293|1e+10",
    ),
    (
        "select id, sum(i2) over (partition by g), avg(n) over (partition by g), max(s) over (partition by g), bool_and(b) over (partition by g) from t order by id",
        "1|2|-1.08333333333333333333|é|f\n2|2|-1.08333333333333333333|é|f\n3|2|-1.08333333333333333333|é|f\n4|32772|4115226300411522663.374|ab|f\n5|32772|4115226300411522663.374|ab|f\n6|32772|4115226300411522663.374|ab|f\n7|1|NULL||NULL\n8|2|3.0000000000000000|a|t",
    ),
    (
        "select id, sum(i4) over (partition by g order by h), string_agg(s, ',') over (partition by g order by id) from t order by id",
        "1|30|b\n2|50|b,a\n3|30|b,a,é\n4|NULL|NULL\n5|-1|B\n6|-2147483648|B,ab\n7|1|\n8|2|a",
    ),
    (
        "select id, sum(i2) over w, array_agg(id) over w, min(n) over w, max(f8) over w from t window w as (order by id rows between 1 preceding and 1 following) order by id",
        "1|2|{1,2}|1.50|0.2\n2|2|{1,2,3}|-7|0.3\n3|2|{2,3,4}|-7|10000000000\n4|32772|{3,4,5}|-7|10000000000\n5|32772|{4,5,6}|0.001|10000000000\n6|32768|{5,6,7}|100|7\n7|3|{6,7,8}|3|7\n8|3|{7,8}|3|4.5",
    ),
    (
        "select id, sum(i2) over w, sum(f8) over w, stddev(i2) over w, variance(n) over w from t window w as (order by id rows between 2 preceding and current row) order by id",
        "1|5|0.1|NULL|NULL\n2|2|0.30000000000000004|5.6568542494923802|0.28125000000000000000\n3|2|0.6000000000000001|5.6568542494923802|26.3958333333333333\n4|2|10000000000.5|5.6568542494923802|23.2724170000000000\n5|32772|9999999997.8|23166.23236523|3582.9690003333333333\n6|32772|10000000004.5|18916.59306006|50805262510796122090095975669652444937.874760\n7|32768|4.5|18917.74760201|76207893766194182517866191282200890184.8072\n8|3|11.5|1.00000000000000000000|76207893766194183715397044701953970530.9472",
    ),
    (
        "select id, sum(f8) over w, avg(f8) over w, var_pop(f8) over w, corr(f8, i2) over w from t window w as (order by id rows between current row and unbounded following) order by id",
        "1|10000000009.6|1428571429.9428573|1.2244897955265309e+19|-0.19988279778065143\n2|10000000009.5|1666666668.25|1.3888888883611107e+19|-0.24984739845032367\n3|10000000009.3|2000000001.86|1.5999999992560003e+19|-0.33322481346206173\n4|10000000009|2500000002.25|1.874999998875e+19|-0.33322481346206173\n5|9|3|16.166666666666668|-0.9672605466633125\n6|11.5|5.75|1.5625|-1\n7|4.5|4.5|0|NULL\n8|4.5|4.5|0|NULL",
    ),
    (
        "select id, array_agg(id) over (order by id rows between 2 following and 3 following), count(*) over (order by id rows between 2 preceding and 1 preceding) from t order by id",
        "1|{3,4}|0\n2|{4,5}|1\n3|{5,6}|2\n4|{6,7}|2\n5|{7,8}|2\n6|{8}|2\n7|NULL|2\n8|NULL|2",
    ),
    (
        "select id, sum(id) over (order by id rows between 2 following and 1 following), count(*) over (order by id rows between 1 preceding and 2 preceding) from t order by id",
        "1|NULL|0\n2|NULL|0\n3|NULL|0\n4|NULL|0\n5|NULL|0\n6|NULL|0\n7|NULL|0\n8|NULL|0",
    ),
    (
        "select id, array_agg(id) over (order by id rows between unbounded preceding and unbounded following exclude current row) from t order by id",
        "1|{2,3,4,5,6,7,8}\n2|{1,3,4,5,6,7,8}\n3|{1,2,4,5,6,7,8}\n4|{1,2,3,5,6,7,8}\n5|{1,2,3,4,6,7,8}\n6|{1,2,3,4,5,7,8}\n7|{1,2,3,4,5,6,8}\n8|{1,2,3,4,5,6,7}",
    ),
    (
        "select id, array_agg(g) over w, count(*) over w, sum(id) over w from t window w as (order by g rows between unbounded preceding and unbounded following exclude group) order by id",
        "1|{2,2,2,3,NULL}|5|30\n2|{2,2,2,3,NULL}|5|30\n3|{2,2,2,3,NULL}|5|30\n4|{1,1,1,3,NULL}|5|21\n5|{1,1,1,3,NULL}|5|21\n6|{1,1,1,3,NULL}|5|21\n7|{1,1,1,2,2,2,NULL}|7|29\n8|{1,1,1,2,2,2,3}|7|28",
    ),
    (
        "select id, count(*) over w, sum(id) over w, bit_or(i2) over w from t window w as (order by g rows between 1 preceding and 1 following exclude ties) order by id",
        "1|1|1|5\n2|1|2|-3\n3|2|7|5\n4|2|7|5\n5|1|5|32767\n6|2|13|1\n7|3|21|3\n8|2|15|3",
    ),
    (
        "select id, first_value(g) over w, last_value(g) over w, nth_value(g, 2) over w from t window w as (order by g nulls first rows between unbounded preceding and unbounded following exclude group) order by id",
        "1|NULL|3|2\n2|NULL|3|2\n3|NULL|3|2\n4|NULL|3|1\n5|NULL|3|1\n6|NULL|3|1\n7|NULL|2|1\n8|1|3|1",
    ),
    (
        "select id, array_agg(g) over (order by g groups between 1 preceding and 1 following), count(*) over (order by g desc groups between current row and 1 following) from t order by id",
        "1|{1,1,1,2,2,2}|3\n2|{1,1,1,2,2,2}|3\n3|{1,1,1,2,2,2}|3\n4|{1,1,1,2,2,2,3}|6\n5|{1,1,1,2,2,2,3}|6\n6|{1,1,1,2,2,2,3}|6\n7|{2,2,2,3,NULL}|4\n8|{3,NULL}|2",
    ),
    (
        "select id, sum(id) over (order by g groups between 1 following and 2 following), sum(id) over (order by g groups between unbounded preceding and 1 preceding) from t order by id",
        "1|22|NULL\n2|22|NULL\n3|22|NULL\n4|15|6\n5|15|6\n6|15|6\n7|8|21\n8|NULL|28",
    ),
    (
        "select id, array_agg(i2) over (order by i2 range between 2 preceding and 3 following), count(*) over (order by i2 desc range between 1 preceding and current row), count(*) over (order by i2 nulls first range between 5 preceding and unbounded following) from t order by id",
        "1|{5,5}|2|6\n2|{-3,0}|1|7\n3|{NULL}|1|8\n4|{5,5}|2|6\n5|{32767}|1|1\n6|{0,1,2}|2|7\n7|{0,1,2}|2|7\n8|{0,1,2,5,5}|1|7",
    ),
    (
        "select id, count(*) over (order by i4 range between 5000000000 preceding and 10 following), count(*) over (order by i8 range between 9223372036854775807 preceding and 9223372036854775807 following) from t order by id",
        "1|6|6\n2|6|6\n3|6|6\n4|1|1\n5|7|6\n6|1|6\n7|4|1\n8|4|6",
    ),
    (
        "select id, count(*) over (order by f8 range between 0.1 preceding and 0.1 following), count(*) over (order by f4 range between 0.25 preceding and current row) from t order by id",
        "1|2|2\n2|3|1\n3|2|1\n4|1|1\n5|1|1\n6|1|1\n7|1|1\n8|1|1",
    ),
    (
        "select id, count(*) over (order by n range between 1.5 preceding and 0.75 following), count(*) over (order by n desc range between 100 preceding and 100 following) from t order by id",
        "1|3|6\n2|3|6\n3|1|5\n4|1|6\n5|1|5\n6|1|1\n7|1|1\n8|3|6",
    ),
    (
        "select id, count(*) over (order by d range between '1 mon' preceding and '1 mon' following), count(*) over (order by d desc range between '31 days' preceding and current row) from t order by id",
        "1|4|5\n2|5|2\n3|3|1\n4|1|1\n5|1|1\n6|4|5\n7|1|1\n8|5|3",
    ),
    (
        "select id, count(*) over (order by ts range between '1 day' preceding and '1 mon 12 hours' following), count(*) over (order by tm range between '02:00' preceding and '1 day 01:00' following), count(*) over (order by iv range between '1 day' preceding and '1 mon' following) from t order by id",
        "1|2|2|5\n2|2|1|2\n3|2|2|2\n4|1|1|1\n5|1|2|4\n6|3|2|5\n7|1|2|1\n8|4|2|3",
    ),
    (
        "select x, count(*) over (order by x range between 1 preceding and 1 following), count(*) over (order by x range between 'inf' preceding and 'inf' following), count(*) over (order by x range between 'inf' following and 'inf' following) from (values ('nan'::float8), ('inf'), ('-inf'), (1), (2), ('nan'), (null)) v(x) order by x",
        "-Infinity|1|4|4\n1|2|4|1\n2|2|4|1\nInfinity|1|4|1\nNaN|2|2|2\nNaN|2|2|2\nNULL|1|1|1",
    ),
    (
        "select x, count(*) over (order by x range between 1 preceding and 1 following), count(*) over (order by x range between 'inf' preceding and 'inf' preceding) from (values ('nan'::numeric), ('inf'), ('-inf'), (1), (2), ('nan'), (null)) v(x) order by x",
        "-Infinity|1|1\n1|2|1\n2|2|1\nInfinity|1|4\nNaN|2|2\nNaN|2|2\nNULL|1|1",
    ),
    (
        "select x, count(*) over (order by x range between '1 day' preceding and 'infinity' following), count(*) over (order by x desc range between '1 mon' preceding and current row) from (values ('-infinity'::date), ('infinity'), ('2020-01-01'), ('2020-01-02'), (null)) v(x) order by x",
        "-infinity|4|1\n2020-01-01|3|2\n2020-01-02|3|1\ninfinity|1|1\nNULL|1|1",
    ),
    ("select sum(id) over (order by id rows null preceding) from t", "22004"),
    ("select sum(id) over (order by id rows -1 preceding) from t", "22013"),
    (
        "select sum(id) over (order by id rows between 1 preceding and -1 following) from t where false",
        "22013",
    ),
    ("select sum(id) over (order by id range -1 preceding) from t", "22013"),
    ("select sum(id) over (order by f8 range 'nan' preceding) from t", "22013"),
    ("select sum(id) over (order by ts range '-1 day' preceding) from t", "22013"),
    ("select count(*) over (order by tm range '-1 day' preceding) from t where id < 3", "1\n1"),
    ("select sum(id) over (order by id groups -1 preceding) from t", "22013"),
    ("select sum(id) over (order by id range 1.5 preceding) from t", "0A000"),
    ("select sum(id) over (order by d range 1 preceding) from t", "0A000"),
    ("select sum(id) over (order by id rows g preceding) from t", "42P10"),
    ("select sum(id) over (order by id rows 1.5 preceding) from t where id < 4", "1\n3\n6"),
    (
        "select id, count(*) filter (where b) over (order by id), sum(i2) filter (where h = 'x') over (partition by g order by id), sum(10 / i2) filter (where i2 <> 0) over () from t order by id",
        "1|1|5|16\n2|1|5|16\n3|2|5|16\n4|2|5|16\n5|2|5|16\n6|3|5|16\n7|3|NULL|16\n8|4|NULL|16",
    ),
    (
        "select id, any_value(g) over (order by id), bit_xor(i2) over (order by id rows 2 preceding), bit_and(i4) over (order by id rows 1 preceding), bool_or(b) over (order by id rows 1 preceding), every(b) over (order by id) from t order by id",
        "1|1|5|10|t|t\n2|1|-8|0|t|f\n3|1|-8|20|t|f\n4|1|-8|20|t|f\n5|1|32762|2147483647|f|f\n6|1|32762|0|t|f\n7|1|32766|0|t|f\n8|1|3|0|t|f",
    ),
    (
        "select id, regr_count(f8, i2) over w, regr_slope(f8, i2) over w, covar_pop(f8, i2) over w from t window w as (order by id rows 3 preceding) order by id",
        "1|1|NULL|0\n2|2|-0.012499999999999997|-0.19999999999999996\n3|2|-0.012499999999999997|-0.19999999999999996\n4|3|624999999.98125|8888888888.622221\n5|3|-152541.31150229447|-36393333352265.07\n6|3|-152569.2559709995|-36396666710358.5\n7|3|-152569.2559709995|-36396666710358.5\n8|3|-0.0002517888794741484|-60071.833333333336",
    ),
    (
        "select id, sum(iv) over (order by id rows 1 preceding), avg(iv) over (order by id), max(iv) over (order by id), jsonb_agg(i2) over (order by id rows 1 preceding) from t order by id",
        "1|1 day|1 day|1 day|[5]\n2|1 mon 1 day|15 days 12:00:00|1 mon|[5, -3]\n3|1 mon 30 days|20 days 08:00:00|30 days|[-3, null]\n4|30 days|20 days 08:00:00|30 days|[null, 5]\n5|-2 days +03:00:00|14 days 18:45:00|30 days|[5, 32767]\n6|-2 days +03:00:01.5|11 days 19:48:00.3|30 days|[32767, 0]\n7|1 year 2 mons 00:00:01.5|2 mons 19 days 20:30:00.25|1 year 2 mons|[0, 1]\n8|1 year 2 mons 5 days|2 mons 9 days 03:51:25.903886|1 year 2 mons|[1, 2]",
    ),
    (
        "select id, max(s) over (order by id rows 2 preceding), min(s) over (order by id rows 2 preceding), max(n) over (order by id rows 1 preceding), min(d) over (order by id desc) from t order by id",
        "1|b|b|1.50|1999-12-31\n2|b|a|2.250|1999-12-31\n3|é|a|2.250|1999-12-31\n4|é|a|0.001|1999-12-31\n5|é|B|100|1999-12-31\n6|ab|B|12345678901234567890.12|2020-01-31\n7|ab||12345678901234567890.12|2020-02-01\n8|ab||3|2020-02-01",
    ),
    (
        "select x, sum(x) over (order by x), sum(x) over (order by x rows 1 preceding), avg(x) over (order by x rows 1 preceding), stddev(x) over (order by x rows 1 preceding) from (values (1.0), (2.50), (null), ('nan'), ('inf'), (-3.125)) v(x)",
        "-3.125|-3.125|-3.125|-3.1250000000000000|NULL\n1.0|-2.125|-2.125|-1.06250000000000000000|2.9168154723945085\n2.50|0.375|3.50|1.7500000000000000|1.06066017177982128660\nInfinity|Infinity|Infinity|Infinity|NaN\nNaN|NaN|NaN|NaN|NaN\nNULL|NaN|NaN|NaN|NULL",
    ),
    (
        "select x, y, row_number() over (order by x desc), row_number() over (order by y) from (values (1, 2), (2, 1), (3, 3)) v(x, y)",
        "3|3|1|3\n2|1|2|1\n1|2|3|2",
    ),
    (
        "select x, y, row_number() over (order by y), row_number() over (order by x desc) from (values (1, 2), (2, 1), (3, 3)) v(x, y)",
        "2|1|1|2\n1|2|2|3\n3|3|3|1",
    ),
    (
        "select x, y, sum(x) over (), row_number() over (partition by y order by x), row_number() over (partition by y) from (values (1, 2), (2, 1), (3, 2)) v(x, y)",
        "2|1|6|1|1\n1|2|6|1|1\n3|2|6|2|2",
    ),
    (
        "select g, sum(count(*)) over (order by g), rank() over (order by sum(i2) desc nulls last) from t group by g order by g",
        "1|3|2\n2|6|1\n3|7|4\nNULL|8|2",
    ),
    (
        "select id, sum(id) over w1, sum(id) over w2 from t window w1 as (partition by g order by id), w2 as (w1 rows 1 preceding) order by id",
        "1|1|1\n2|3|3\n3|6|5\n4|4|4\n5|9|9\n6|15|11\n7|7|7\n8|8|8",
    ),
    (
        "select id from (select id, row_number() over (partition by g order by n desc nulls last) r from t) q where r = 1 order by id",
        "2\n6\n7\n8",
    ),
    (
        "select id, (select max(r) from (select rank() over (order by u.id * t.g desc) r from t u where u.id <= t.id) q) from t order by id",
        "1|1\n2|2\n3|3\n4|4\n5|5\n6|6\n7|7\n8|1",
    ),
    (
        "select id, count(*) over (partition by 1 order by 2), sum(1) over (order by id), string_agg('x', '') over (order by id rows 2 preceding) from t order by id",
        "1|8|1|x\n2|8|2|xx\n3|8|3|xxx\n4|8|4|xxx\n5|8|5|xxx\n6|8|6|xxx\n7|8|7|xxx\n8|8|8|xxx",
    ),
    ("select row_number() over (), sum(id) over () from t where false", ""),
    ("select sum(distinct id) over () from t", "0A000"),
    ("select array_agg(id order by id) over () from t", "0A000"),
    ("select percentile_disc(0.5) within group (order by id) over () from t", "0A000"),
    ("select count(*) over (order by id range between unbounded following and current row) from t", "42P20"),
    ("select row_number() from t", "42809"),
    ("select sum(row_number() over ()) from t", "42803"),
]


@pytest.fixture(scope="module")
def rows() -> Session:
    return with_rows()


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[c[0] for c in CASES])
def test_answers(rows: Session, text: str, expected: str) -> None:
    assert answer(rows, text) == expected


def some_frames(kind: str, rows: int, random_: random.Random) -> tuple[Frames, list[list[int]]]:
    """Return frames of random bounds, and the places of the rows of each."""
    pieces = []
    if kind == "growing":
        begins = sorted(random_.sample(range(rows), 4))
        starts, ends = [], []
        for begin, stop in zip(begins, [*begins[1:], rows], strict=True):
            for end in range(begin, stop + 1):
                starts.append(begin)
                ends.append(end)
        pieces.append((starts, ends))
    else:
        count = 3 if kind == "pieces" else 1
        bounds = [sorted(random_.randrange(rows + 1) for _ in range(2 * count)) for _ in range(rows)]
        pieces += [([b[2 * i] for b in bounds], [b[2 * i + 1] for b in bounds]) for i in range(count)]
    frames = Frames([(np.array(s, np.int64), np.array(e, np.int64)) for s, e in pieces], rows)
    inside = [[place for s, e in pieces for place in range(s[i], e[i])] for i in range(frames.count)]
    return frames, inside


KINDS = ["growing", "wide", "pieces"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("is_long", [False, True])
def test_frames_reduce_as_loops_do(kind: str, is_long: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if is_long:  # sums of floats are put together from halves then
        monkeypatch.setattr(frames_module, "_MOST", 0)
    random_ = random.Random(kind)
    frames, inside = some_frames(kind, 60, random_)
    whole = np.array([random_.randint(-(2**62), 2**62) for _ in range(60)], np.int64)
    floats = np.array([random_.random() for _ in range(60)])
    assert frames.sizes.tolist() == [len(p) for p in inside]
    assert frames.first().tolist() == [p[0] if p else -1 for p in inside]
    assert frames.last().tolist() == [p[-1] if p else -1 for p in inside]
    assert frames.nth(np.full(frames.count, 2)).tolist() == [p[2] if len(p) > 2 else -1 for p in inside]
    assert list(frames.lists(whole.tolist())) == [[whole[i] for i in p] for p in inside]
    for choose, best in ((np.minimum, min), (np.maximum, max)):
        found = frames.extreme(choose, whole)
        assert [found[i] for i, p in enumerate(inside) if p] == [best(whole[p]) for p in inside if p]
    exact = frames.total(np.array(whole.tolist(), object)).tolist()
    assert exact == [sum(int(whole[i]) for i in p) for p in inside]
    assert frames.total(whole).tolist() == [(t + 2**63) % 2**64 - 2**63 for t in exact]
    sums = [sum((floats[i] for i in p), -0.0) for p in inside]
    if frames.is_long:
        assert np.allclose(frames.total_floats(floats), sums, rtol=1e-14)
    else:
        assert frames.total_floats(floats).tolist() == sums


@pytest.mark.parametrize("kind", KINDS)
def test_spreads_of_long_frames_are_those_of_short_ones(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    random_ = random.Random(kind)
    frames, inside = some_frames(kind, 50, random_)
    x, y = (np.array([random_.gauss(0, 1) for _ in range(50)]) for _ in range(2))
    short = Spread.of(frames, x, y)
    monkeypatch.setattr(frames_module, "_MOST", 0)
    long = Spread.of(Frames(frames.pieces, frames.rows), x, y)
    assert short.product is not None
    assert long.product is not None
    full = np.array([bool(p) for p in inside])
    for one, other in zip(
        [*short.sums, *short.squares, short.product], [*long.sums, *long.squares, long.product], strict=True
    ):
        assert np.allclose(one[full], other[full], atol=1e-12)
    for i, places in enumerate(inside):
        if places:
            assert short.squares[0][i] == pytest.approx(float(np.var(x[places]) * len(places)), abs=1e-12)


def test_exact_sums_of_frames_keep_their_digits() -> None:
    random_ = random.Random(5)
    frames, inside = some_frames("wide", 80, random_)
    values = [Decimal(random_.randint(-999, 999)).scaleb(-random_.randrange(4)) for _ in range(80)]
    for i in (3, 40, 41):
        values[i] = random_.choice([Decimal("NaN"), Decimal("inf"), Decimal("-inf")])

    def total(places: list[int]) -> str:
        given = [values[i] for i in places]
        if any(v.is_nan() for v in given) or {Decimal("inf"), Decimal("-inf")} <= set(given):
            return "NaN"
        return str(sum(given, Decimal(0)))

    assert [str(t) for t in frames.total_numerics(values)] == [total(p) for p in inside]


def test_frames_without_some_rows() -> None:
    random_ = random.Random(6)
    frames, inside = some_frames("pieces", 40, random_)
    kept = np.array([random_.random() < 0.5 for _ in range(40)])
    left = frames.where(kept)
    values = np.flatnonzero(kept).tolist()
    assert left.rows == len(values)
    assert list(left.lists(values)) == [[i for i in p if kept[i]] for p in inside]


def test_repeated_frames_are_reduced_once() -> None:
    frames = Frames([(np.array([0, 0, 1, 1]), np.array([2, 2, 3, 4]))], 4)
    different, back = frames.different()
    assert different.count == 3
    assert back is not None
    assert back.tolist() == [0, 0, 1, 2]
    assert different.different()[1] is None


@pytest.mark.parametrize("order", ["f", "f desc", "n", "n desc nulls last", "s", "s desc"])
def test_many_rows_with_ties(order: str) -> None:
    """Partitions, peers and running values of more rows than are sorted by comparing, against a loop."""
    random_ = random.Random(order)
    made = with_rows()
    made.run("create table w (id int primary key, g int, f float8, n numeric, s text, a int)")
    values = [
        (
            i,
            random_.randrange(7),
            random_.randrange(50) / 4,
            random_.randrange(90),
            f"s{random_.randrange(30)}",
            random_.randrange(99),
        )
        for i in range(1500)
    ]
    rows = ",".join(f"({i}, {g}, {f}, {n / 100}, '{s}', {a})" for i, g, f, n, s, a in values)
    made.run(f"insert into w values {rows}")
    text = "rank() over w, dense_rank() over w, row_number() over w, sum(a) over w, max(a) over w, count(*) over w"
    found = made.run(f"select id, {text} from w window w as (partition by g order by {order})").rows
    key, down = {"f": 2, "n": 3, "s": 4}[order[0]], " desc" in order
    expected = []
    for g in range(7):
        rows_of = sorted((r for r in values if r[1] == g), key=lambda r: r[key], reverse=down)
        for number, row in enumerate(rows_of, 1):
            before = [r for r in rows_of if (r[key] > row[key] if down else r[key] < row[key])]
            upto = [r for r in rows_of if (r[key] >= row[key] if down else r[key] <= row[key])]
            expected.append(
                (
                    row[0],
                    len(before) + 1,
                    len({r[key] for r in before}) + 1,
                    number,
                    sum(r[5] for r in upto),
                    max(r[5] for r in upto),
                    len(upto),
                )
            )
    assert found == expected
