"""Operators: which there are, over which types, with which result.

A block begins with the operators that share it; then come signatures, ``left right > result``, with one operand for prefix
operators. They are those of PostgreSQL 18 and of pgvector, without those between types that are not here.
"""

OPERATORS = """
!~ !~* !~~* ~* ~~*
    bpchar text > bool, text text > bool
!~~ ~~
    bpchar text > bool, bytea bytea > bool, text text > bool
# & |
    int2 int2 > int2, int4 int4 > int4, int8 int8 > int8
#- #>
    jsonb text[] > jsonb
#>>
    jsonb text[] > text
%
    int2 int2 > int2, int4 int4 > int4, int8 int8 > int8, numeric numeric > numeric
&&
    anyarray anyarray > bool, anyrange anyrange > bool, tsquery tsquery > tsquery
&< &> -|-
    anyrange anyrange > bool
*
    anyrange anyrange > anyrange, float4 float4 > float4, float4 float8 > float8,
    float8 float4 > float8, float8 float8 > float8, float8 interval > interval, int2 int2 > int2,
    int2 int4 > int4, int2 int8 > int8, int4 int2 > int4, int4 int4 > int4, int4 int8 > int8,
    int8 int2 > int8, int8 int4 > int8, int8 int8 > int8, interval float8 > interval,
    numeric numeric > numeric, vector vector > vector
+
    anyrange anyrange > anyrange, date int4 > date, date interval > timestamp, date time > timestamp,
    float4 float4 > float4, float4 float8 > float8, float8 float4 > float8, float8 float8 > float8,
    int2 int2 > int2, int2 int4 > int4, int2 int8 > int8, int4 date > date, int4 int2 > int4,
    int4 int4 > int4, int4 int8 > int8, int8 int2 > int8, int8 int4 > int8, int8 int8 > int8,
    interval date > timestamp, interval interval > interval, interval time > time,
    interval timestamp > timestamp, numeric numeric > numeric, time date > timestamp,
    time interval > time, timestamp interval > timestamp, float4 > float4, float8 > float8, int2 > int2,
    int4 > int4, int8 > int8, numeric > numeric, vector vector > vector
-
    anyrange anyrange > anyrange, date date > int4, date int4 > date, date interval > timestamp,
    float4 float4 > float4, float4 float8 > float8, float8 float4 > float8, float8 float8 > float8,
    int2 int2 > int2, int2 int4 > int4, int2 int8 > int8, int4 int2 > int4, int4 int4 > int4,
    int4 int8 > int8, int8 int2 > int8, int8 int4 > int8, int8 int8 > int8,
    interval interval > interval, jsonb text[] > jsonb, jsonb int4 > jsonb, jsonb text > jsonb,
    numeric numeric > numeric, time interval > time, time time > interval,
    timestamp interval > timestamp, timestamp timestamp > interval, float4 > float4, float8 > float8,
    int2 > int2, int4 > int4, int8 > int8, interval > interval, numeric > numeric,
    vector vector > vector
->
    jsonb int4 > jsonb, jsonb text > jsonb
->>
    jsonb int4 > text, jsonb text > text
/
    float4 float4 > float4, float4 float8 > float8, float8 float4 > float8, float8 float8 > float8,
    int2 int2 > int2, int2 int4 > int4, int2 int8 > int8, int4 int2 > int4, int4 int4 > int4,
    int4 int8 > int8, int8 int2 > int8, int8 int4 > int8, int8 int8 > int8, interval float8 > interval,
    numeric numeric > numeric
< <= <> = > >=
    anyarray anyarray > bool, anyenum anyenum > bool, anyrange anyrange > bool, bool bool > bool,
    bpchar bpchar > bool, bytea bytea > bool, date date > bool, date timestamp > bool,
    float4 float4 > bool, float4 float8 > bool, float8 float4 > bool, float8 float8 > bool,
    int2 int2 > bool, int2 int4 > bool, int2 int8 > bool, int4 int2 > bool, int4 int4 > bool,
    int4 int8 > bool, int8 int2 > bool, int8 int4 > bool, int8 int8 > bool, interval interval > bool,
    jsonb jsonb > bool, numeric numeric > bool, record record > bool, text text > bool,
    time time > bool, timestamp date > bool, timestamp timestamp > bool, tsquery tsquery > bool,
    tsvector tsvector > bool, uuid uuid > bool, vector vector > bool
<->
    tsquery tsquery > tsquery, vector vector > float8
<< >>
    anyrange anyrange > bool, int2 int4 > int2, int4 int4 > int4, int8 int4 > int8
<@
    anyarray anyarray > bool, anyelement anyrange > bool, anyrange anyrange > bool, jsonb jsonb > bool,
    tsquery tsquery > bool
?
    jsonb text > bool
?& ?|
    jsonb text[] > bool
@
    float4 > float4, float8 > float8, int2 > int2, int4 > int4, int8 > int8, numeric > numeric
@>
    anyarray anyarray > bool, anyrange anyelement > bool, anyrange anyrange > bool, jsonb jsonb > bool,
    tsquery tsquery > bool
@@
    text text > bool, text tsquery > bool, tsquery tsvector > bool, tsvector tsquery > bool,
    jsonb jsonpath > bool
^
    float8 float8 > float8, numeric numeric > numeric
^@
    text text > bool
|/ ||/
    float8 > float8
||
    anycompatible anycompatiblearray > anycompatiblearray,
    anycompatiblearray anycompatible > anycompatiblearray,
    anycompatiblearray anycompatiblearray > anycompatiblearray, anynonarray text > text,
    bytea bytea > bytea, jsonb jsonb > jsonb, text anynonarray > text, text text > text,
    tsquery tsquery > tsquery, tsvector tsvector > tsvector, vector vector > vector
~
    bpchar text > bool, text text > bool, int2 > int2, int4 > int4, int8 > int8
<#> <=> <+>
    vector vector > float8
@?
    jsonb jsonpath > bool
!!
    tsquery > tsquery
"""
