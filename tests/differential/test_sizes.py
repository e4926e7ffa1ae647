"""Statements that are long or deep, made rather than written: they give here what they give in PostgreSQL."""

import pytest
from answers import Answer, difference, report
from ours import Ours
from postgres import Postgres, missing

SETUP = [
    "create table t (id int primary key, v int)",
    "insert into t values " + ", ".join(f"({n}, {n % 10})" for n in range(1, 201)),
]


QUOTED = "'{}'"


def numbers(count: int, form: str = "{}", between: str = ", ") -> str:
    return between.join(form.format(n) for n in range(1, count + 1))


CASES = {
    "200 parentheses": f"select {'(' * 200}1{')' * 200}",
    "5,000 items in a list": f"select count(*) from t where id in ({numbers(5000)})",
    "5,000 items not in a list": f"select count(*) from t where id not in ({numbers(5000, '{}0')})",
    "5,000 texts in a list": "select 'x77' in (" + numbers(5000, "'x{}'") + ")",
    "an array of 5,000": f"select cardinality(array[{numbers(5000)}]), 4999 = any (array[{numbers(5000)}])",
    "5,000 rows of values": f"select count(*), sum(x) from (values {numbers(5000, '({})')}) v(x)",
    "200 terms of a sum": f"select {numbers(200, '{}', ' + ')}",
    "1,000 conditions with or": f"select count(*) from t where {numbers(1000, 'id = {}', ' or ')}",
    "1,000 conditions with and": f"select count(*) from t where {numbers(1000, 'id <> {}', ' and ')}",
    "200 texts joined": f"select length({numbers(200, QUOTED, ' || ')})",
    "500 queries in a union": "select count(*) from ("
    + numbers(500, "select {} % 7 as x", " union all ")
    + ") q",
    "500 different in a union": "select count(*) from ("
    + numbers(500, "select {} % 7 as x", " union ")
    + ") q",
    "500 outputs": f"select {numbers(500, 'v + {0} as c{0}')} from t where id = 1",
    "100 common table expressions": "with c0 as (select 1 as x), "
    + ", ".join(f"c{n} as (select x + 1 as x from c{n - 1})" for n in range(1, 101))
    + " select x from c100",
    "100 cases": f"select case v {numbers(100, 'when {0} then {0}', ' ')} end from t where id = 5",
    "60 nested cases": f"select {'case when true then ' * 60}1{' end' * 60}",
    "60 nested functions": f"select {'upper(lower(' * 60}'x'{'))' * 60}",
    "40 nested subqueries": f"select {'(select ' * 40}1{')' * 40}",
    "40 nested tables": f"select * from {'(select * from ' * 40}t{') s' * 40} where id = 3",
    "12 joins": "select count(*) from t t0 " + numbers(12, "join t t{0} on t{0}.id = t0.id", " "),
    "100 nots": f"select {'not ' * 100}true",
    "100 minus signs": f"select {'- ' * 100}1",
    "a text of 100,000": f"select length('{'x' * 100_000}'), md5('{'x' * 100_000}')",
    "a name of 63": f"select 1 as {'n' * 63}",
    "a number of 500 digits": f"select {'9' * 500} + 1",
    "jsonb that nests 100 deep": f"select '{'[' * 100}1{']' * 100}'::jsonb #>> '{{}}'",
    "200 keys of jsonb": "select count(*) from (select jsonb_object_keys(jsonb_object_agg('k' || id, v)) from t) q",
    "a comment of 10,000": f"select 1 /* {'comment ' * 1250}*/",
}

LARGER = {
    "2,000 terms of a sum": (f"select {numbers(2000, '{}', ' + ')}", "2001000"),
    "2,000 texts joined": (f"select length({numbers(2000, QUOTED, ' || ')})", "6893"),
    "5,000 conditions with or": (f"select count(*) from t where {numbers(5000, 'id = {}', ' or ')}", "200"),
    "5,000 conditions with and": (
        f"select count(*) from t where {numbers(5000, 'id <> {}0', ' and ')}",
        "180",
    ),
    "2,000 queries in a union": (
        "select count(*) from (" + numbers(2000, "select {} % 7 as x", " union ") + ") q",
        "7",
    ),
    "20,000 items in a list": (f"select count(*) from t where id in ({numbers(20_000)})", "200"),
}
"""Statements that are too large for PGlite's stack, and what they must give."""


@pytest.fixture(scope="module")
def expected() -> dict[str, Answer]:
    if problem := missing():
        pytest.fail(problem)
    with Postgres() as postgres:
        found = postgres.run([*SETUP, *CASES.values()])[len(SETUP) :]
    return dict(zip(CASES, found, strict=True))


@pytest.fixture(scope="module")
def ours() -> Ours:
    ours = Ours()
    assert not any(answer.error for answer in ours.run(SETUP))
    return ours


@pytest.mark.parametrize("name", CASES)
def test_size(name: str, expected: dict[str, Answer], ours: Ours) -> None:
    given = ours.answer(CASES[name])
    what = difference(expected[name], given)
    assert not what, report(CASES[name][:300], expected[name], given, what)
    assert not expected[name].error, expected[name].show()


@pytest.mark.parametrize("name", LARGER)
def test_larger_size(name: str, ours: Ours) -> None:
    text, value = LARGER[name]
    assert ours.answer(text).show().endswith(f"'{value}'")


@pytest.mark.parametrize(
    "form", ["({})", "abs({})", "(select {})", "case when true then {} end", "not ({} = 1)"]
)
def test_what_nests_too_deeply_is_refused(form: str, ours: Ours) -> None:
    text = "1"
    for _ in range(1000):
        text = form.replace("{}", text)
    assert ours.answer(f"select {text}").error == "54001"
