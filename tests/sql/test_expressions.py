"""The tree of every kind of expression; how operators lean was checked against PostgreSQL 18."""

import pytest
from showing import show

from zengram_py.sql.parse import parse_expression

CASES = [
    (
        "a + b * c ^ d - e",
        "((a + (b * (c ^ d))) - e)",
    ),
    (
        "a <-> $1 < 0.5",
        "((a <-> $1) < 0.5)",
    ),
    (
        "a <=> b <#> c",
        "((a <=> b) <#> c)",
    ),
    (
        "- 2 ^ 2",
        "(-2 ^ 2)",
    ),
    (
        "not a = b and c or d",
        "(((not (a = b)) and c) or d)",
    ),
    (
        "a || b -> 'c' = d",
        "(((a || b) -> 'c') = d)",
    ),
    (
        "x between 1 and 2 and y",
        "(Between(operand=x, low=1, high=2) and y)",
    ),
    (
        "x not in (1,2,3) or y in (select 1)",
        "(InList(operand=x, items=[1, 2, 3], negated=True) or InQuery(operand=y, query=Query(body=Select(targets=[1]))))",
    ),
    (
        "a like 'x%' escape '!' is null",
        "((a ~~ like_escape('x%', '!')) is null)",
    ),
    (
        "a = any ($1) and b <> all (select 1)",
        "(Quantified(name==, left=a, right=$1) and Quantified(name=<>, left=b, right=Query(body=Select(targets=[1])), every=True))",
    ),
    (
        "x::int[]::text || 'a'",
        "(x::int4[]::text || 'a')",
    ),
    (
        "case when a then b else c end + 1",
        "(Case(operand=None, branches=[[a, b]], otherwise=c) + 1)",
    ),
    (
        "count(distinct a order by b) filter (where c) over (partition by d order by e rows between 1 preceding and current row)",
        "Call(parts=[count], arguments=[a], distinct=True, order_by=[SortKey(value=b)], filter=c, over=Window(partition_by=[d], order_by=[SortKey(value=e)], frame=Frame(unit=rows, start=FrameBound(kind=preceding, offset=1), end=FrameBound(kind=current row))))",
    ),
    (
        "substring(a from 2 for 3) || trim(both 'x' from y)",
        "(substring(a, 2, 3) || btrim(y, 'x'))",
    ),
    (
        "extract(year from d)",
        "extract('year', d)",
    ),
    (
        "date '2020-01-01' + interval '1' day",
        "('2020-01-01'::date + '1'::interval('day', 'day'))",
    ),
    (
        "((select 1) union (select 2)) is null",
        "(ScalarQuery(query=Query(body=SetOperation(first=Query(body=Select(targets=[1])), rest=[[union, False, Query(body=Select(targets=[2]))]]))) is null)",
    ),
    (
        "(a, b) = (1, 2)",
        "(Row(items=[a, b]) = Row(items=[1, 2]))",
    ),
    (
        "a[1][2:3].c",
        "Field(operand=Subscript(operand=Subscript(operand=a, lower=1), lower=2, upper=3, is_slice=True, continues=True), name=c)",
    ),
    (
        "array[[1,2],[3,4]]",
        "ArrayItems(items=[ArrayItems(items=[1, 2]), ArrayItems(items=[3, 4])])",
    ),
    (
        "a at time zone 'utc' + b",
        "(timezone('utc', a) + b)",
    ),
    (
        "-a::int",
        "(- a::int4)",
    ),
    (
        "operator(pg_catalog.+) 1",
        "1",
    ),
    (
        "a operator(pg_catalog.*) b + 1",
        "(a * (b + 1))",
    ),
    (
        "timestamp(3) with time zone 'x'",
        "'x'::timestamptz(3)",
    ),
    (
        "interval '1 day'",
        "'1 day'::interval",
    ),
    (
        "f(a => 1, b := 2)",
        "Call(parts=[f], arguments=[1, 2], names=[a, b])",
    ),
    (
        "position('a' in 'b')",
        "position('b', 'a')",
    ),
    (
        "~ 1 & 2",
        "((~ 1) & 2)",
    ),
    (
        "@ -5",
        "(@ -5)",
    ),
    (
        "x is not true",
        "(x is not true)",
    ),
    (
        "(x).y",
        "Field(operand=x, name=y)",
    ),
    (
        '"A.b"."c""d"',
        'A.b.c"d',
    ),
    (
        'a collate "C" < b',
        "(Collate(operand=a, name=[C]) < b)",
    ),
    (
        "not not not a",
        "(not (not (not a)))",
    ),
    (
        "current_timestamp",
        "current_timestamp()",
    ),
    (
        "left('abc', 2)",
        "left('abc', 2)",
    ),
    (
        "int4 '5'",
        "'5'::int4",
    ),
    (
        "a -> 'b' ->> 'c'",
        "((a -> 'b') ->> 'c')",
    ),
    (
        "grouping(a, b)",
        "grouping(a, b)",
    ),
    (
        "a + b - c * d / e % f",
        "((a + b) - (((c * d) / e) % f))",
    ),
    (
        "a ^ b ^ c",
        "((a ^ b) ^ c)",
    ),
    (
        "not a is null",
        "(not (a is null))",
    ),
    (
        "a is null = b",
        "((a is null) = b)",
    ),
    (
        "a = b is null",
        "((a = b) is null)",
    ),
    (
        "- a ^ b",
        "((- a) ^ b)",
    ),
    (
        "a * - b + c",
        "((a * (- b)) + c)",
    ),
    (
        "a <-> b + c",
        "(a <-> (b + c))",
    ),
    (
        "a <-> b = c",
        "((a <-> b) = c)",
    ),
    (
        "a || b || c",
        "((a || b) || c)",
    ),
    (
        "a @> b and c <@ d or e && f",
        "(((a @> b) and (c <@ d)) or (e && f))",
    ),
    (
        "a ? 'b' and c ?| d and e ?& f",
        "((a ? 'b') and (c ?| d) and (e ?& f))",
    ),
    (
        "a #> b #>> c",
        "((a #> b) #>> c)",
    ),
    (
        "a ~ b !~ c ~* d !~* e",
        "((((a ~ b) !~ c) ~* d) !~* e)",
    ),
    (
        "a @@ b",
        "(a @@ b)",
    ),
    (
        "a similar to 'x' or b not similar to 'y' escape 'z'",
        "((a ~ similar_to_escape('x')) or (b !~ similar_to_escape('y', 'z')))",
    ),
    (
        "a in (1) is true",
        "(InList(operand=a, items=[1]) is true)",
    ),
    (
        "x not between symmetric 1 and 2",
        "Between(operand=x, low=1, high=2, negated=True, symmetric=True)",
    ),
    (
        "a = some (array[1])",
        "Quantified(name==, left=a, right=ArrayItems(items=[1]))",
    ),
    (
        "a not like all (b)",
        "Quantified(name=!~~, left=a, right=b, every=True)",
    ),
    (
        "x::numeric(10, 2)::double precision",
        "x::numeric(10, 2)::float8",
    ),
    (
        "cast(x as character varying(5))",
        "x::varchar(5)",
    ),
    (
        "char 'x'",
        "'x'::bpchar(1)",
    ),
    (
        "row(1)",
        "Row(items=[1])",
    ),
    (
        "row()",
        "Row(items=[])",
    ),
    (
        "exists (select 1)",
        "Exists(query=Query(body=Select(targets=[1])))",
    ),
    (
        "array(select 1)",
        "ArrayQuery(query=Query(body=Select(targets=[1])))",
    ),
    (
        "case a when 1 then 'x' end",
        "Case(operand=a, branches=[[1, 'x']], otherwise=None)",
    ),
    (
        "nullif(a, b)",
        "nullif(a, b)",
    ),
    (
        "trim(leading from a)",
        "ltrim(a)",
    ),
    (
        "trim(a)",
        "btrim(a)",
    ),
    (
        "substring(a, 2)",
        "substring(a, 2)",
    ),
    (
        "substring(a for 2)",
        "substring(a, 1, 2)",
    ),
    (
        "overlay(a placing b from 2 for 3)",
        "overlay(a, b, 2, 3)",
    ),
    (
        "count(*)",
        "Call(parts=[count], star=True)",
    ),
    (
        "sum(a) over w",
        "Call(parts=[sum], arguments=[a], over=Window(base=w, is_name=True))",
    ),
    (
        "rank() over (w order by a range unbounded preceding exclude ties)",
        "Call(parts=[rank], over=Window(base=w, order_by=[SortKey(value=a)], frame=Frame(unit=range, start=FrameBound(kind=unbounded preceding), end=FrameBound(kind=current row), exclude=ties)))",
    ),
    (
        "percentile_cont(0.5) within group (order by a desc)",
        "Call(parts=[percentile_cont], arguments=[0.5], within_group=[SortKey(value=a, descending=True)])",
    ),
    (
        "f(variadic a)",
        "Call(parts=[f], arguments=[a], variadic=True)",
    ),
    (
        "schema.f(1)",
        "schema.f(1)",
    ),
    (
        "db.s.t.c",
        "db.s.t.c",
    ),
    (
        "t.*",
        "t.*",
    ),
    (
        "$12",
        "$12",
    ),
    (
        "1e3 + .5",
        "(1e3 + .5)",
    ),
    (
        "a is unknown::int",
        "(a is unknown)::int4",
    ),
    (
        'a collate "C"::text',
        "Collate(operand=a, name=[C])::text",
    ),
    (
        "(a, b) overlaps (c, d)",
        "overlaps(a, b, c, d)",
    ),
    (
        "a at local",
        "timezone(a)",
    ),
    (
        "current_date - 1",
        "(current_date() - 1)",
    ),
    (
        "'a'",
        "'a'",
    ),
    (
        "'b'",
        "'b'",
    ),
    (
        "x[:2]",
        "Subscript(operand=x, lower=None, upper=2, is_slice=True)",
    ),
    (
        "x[1:]",
        "Subscript(operand=x, lower=1, is_slice=True)",
    ),
    (
        "x[1][2]",
        "Subscript(operand=Subscript(operand=x, lower=1), lower=2, continues=True)",
    ),
    (
        "a -> -1",
        "(a -> -1)",
    ),
    (
        '"select"',
        "select",
    ),
    (
        '"a b"."c""d"',
        'a b.c"d',
    ),
    (
        "$$it's$$",
        "'it's'",
    ),
    (
        "E'a\\tb\\x41\\u00e9'",
        "'a\tbAé'",
    ),
    (
        "U&'d\\0061t'",
        "'dat'",
    ),
    (
        "0x1F + 1_000",
        "(31 + 1000)",
    ),
    (
        "grouping(a)",
        "grouping(a)",
    ),
    (
        "extract('epoch' from a)",
        "extract('epoch', a)",
    ),
    (
        "double precision '1.5'",
        "'1.5'::float8",
    ),
    (
        "time without time zone '10:00'",
        "'10:00'::time",
    ),
    (
        "interval '1' year to month",
        "'1'::interval('year', 'month')",
    ),
    (
        "json '{}'",
        "'{}'::json",
    ),
]


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[text for text, _ in CASES])
def test_the_tree_of_an_expression(text: str, expected: str) -> None:
    assert show(parse_expression(text)) == expected
