"""Statements that nest deeply, join hundreds of tables, or are wide: they run on Python's own recursion limit, or are refused."""

import sys

import pytest
from sql_answers import answer, session

LEVELS = 200


def nested(before: str, core: str, after: str, levels: int = LEVELS) -> str:
    return before * levels + core + after * levels


DEEP = {
    "parentheses": ("select " + nested("(", "1", ")"), "1"),
    "far too many parentheses": ("select " + nested("(", "1", ")", 100_000), "54001"),
    "calls": ("select " + nested("abs(", "a", ")") + " from t where a = 1", "1"),
    "cases": ("select " + nested("case when a > 0 then ", "1", " end") + " from t where a = 1", "1"),
    "subqueries as values": ("select " + nested("(select ", "a", ")") + " from t where a = 1", "1"),
    "subqueries in from": (nested("select * from (", "select a from t", ") q where a > 1", 60), "2\n3"),
    "groups": (nested("select a from (", "select a from t where a = 2", ") q group by a"), "2"),
    "exists": (
        "select count(*) from t where " + nested("exists (select from t x where ", "t.a = 1", ")"),
        "1",
    ),
    "correlated exists": (
        "select count(*) from t where "
        + "".join(
            f"exists (select from t x{i} where x{i}.a = {f'x{i - 1}' if i else 't'}.a and " for i in range(40)
        )
        + "true"
        + ")" * 40,
        "3",
    ),
    "left joins": (
        "select count(*) from "
        + "(" * LEVELS
        + "t x0"
        + "".join(f" left join t x{i} on x{i}.a = x{i - 1}.a)" for i in range(1, LEVELS + 1)),
        "3",
    ),
    "unions": ("select count(*) from (" + " union all ".join(["select 1"] * 2000) + ") q", "2000"),
    "common tables": (
        "with c0 as (select * from t)"
        + "".join(f", c{i} as (select * from c{i - 1})" for i in range(1, LEVELS))
        + f" select count(*) from c{LEVELS - 1}",
        "3",
    ),
    "two hundred outer joins": (
        "select 1 from t x0"
        + "".join(f" left join t x{i} on x{i}.a = x0.a" for i in range(1, 200))
        + " where x0.a = 1",
        "1",
    ),
}


@pytest.mark.parametrize("name", DEEP)
def test_what_nests_deeply(name):
    made = session()
    made.run("create table t (a int primary key)")
    made.run("insert into t values (1), (2), (3)")
    text, expected = DEEP[name]
    before = sys.getrecursionlimit()
    assert answer(made, text) == expected
    assert sys.getrecursionlimit() == before


@pytest.mark.parametrize("joined", ["x{i}.a = x{j}.a", "x{i}.a = x0.a"])
def test_hundreds_of_tables_are_joined(joined):
    made = session()
    made.run("create table t (a int primary key)")
    made.run("insert into t values (1), (2), (3)")
    conditions = " and ".join(joined.format(i=i, j=i - 1) for i in range(1, 120))
    tables = ", ".join(f"t x{i}" for i in range(120))
    assert answer(made, f"select count(*) from {tables} where {conditions}") == "3"


def test_a_table_has_at_most_1600_columns():
    made = session()
    columns = [f"c{i} int" for i in range(1600)]
    assert answer(made, f"create table w ({', '.join([*columns, 'd int'])})") == "54011"
    assert answer(made, f"create table w ({', '.join(columns)})") == ""
    assert answer(made, "alter table w add column d int") == "54011"
