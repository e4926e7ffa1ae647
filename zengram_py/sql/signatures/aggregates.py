"""Aggregates and window functions: over which types, with which result; the notation is that of functions.py.

``within`` takes the arguments after the direct ones from ``within group (order by …)``; ``hypothetical`` ranks a row that is
not there.
"""

AGGREGATES = """
any_value: anyelement > anyelement
array_agg: anyarray > anyarray, anynonarray > anyarray
avg:
    float4 > float8, float8 > float8, int2 > numeric, int4 > numeric, int8 > numeric,
    interval > interval, numeric > numeric, vector > vector
bit_and bit_or bit_xor: int2 > int2, int4 > int4, int8 > int8
bool_and bool_or every: bool > bool
corr covar_pop covar_samp regr_avgx regr_avgy regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy: float8 float8 > float8
count: any > int8, > int8
cume_dist percent_rank: hypothetical *any > float8
dense_rank rank: hypothetical *any > int8
json_agg json_agg_strict jsonb_agg jsonb_agg_strict: anyelement > jsonb
json_object_agg json_object_agg_strict jsonb_object_agg jsonb_object_agg_strict: any any > jsonb
max min:
    anyarray > anyarray, anyenum > anyenum, bpchar > bpchar, bytea > bytea, date > date,
    float4 > float4, float8 > float8, int2 > int2, int4 > int4, int8 > int8, interval > interval,
    numeric > numeric, record > record, text > text, time > time, timestamp > timestamp, uuid > uuid
mode: within anyelement > anyelement
percentile_cont:
    within float8[] float8 > float8[], within float8[] interval > interval[],
    within float8 float8 > float8, within float8 interval > interval
percentile_disc: within float8[] anyelement > anyarray, within float8 anyelement > anyelement
regr_count: float8 float8 > int8
stddev stddev_pop stddev_samp var_pop var_samp variance:
    float4 > float8, float8 > float8, int2 > numeric, int4 > numeric, int8 > numeric, numeric > numeric
string_agg: bytea bytea > bytea, text text > text
sum:
    float4 > float4, float8 > float8, int2 > int8, int4 > int8, int8 > numeric, interval > interval,
    numeric > numeric, vector > vector
"""

WINDOWS = """
cume_dist percent_rank: > float8
dense_rank rank row_number: > int8
first_value last_value: anyelement > anyelement
lag lead:
    anycompatible int4 anycompatible > anycompatible, anyelement > anyelement,
    anyelement int4 > anyelement
nth_value: anyelement int4 > anyelement
ntile: int4 > int4
"""
