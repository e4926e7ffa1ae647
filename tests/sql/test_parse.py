import subprocess
import sys

import pytest
from showing import show

from zengram_py.errors import SqlError
from zengram_py.sql.grammar.cursor import MAX_NESTING
from zengram_py.sql.parse import parse, parse_expression, parse_one, parse_type
from zengram_py.sql.tree import (
    Call,
    ColumnRef,
    InList,
    Literal,
    Logical,
    Operator,
    OperatorChain,
    Query,
    Select,
)
from zengram_py.sql.tree.expressions import LONGEST_SPINE


def refusal(text: str) -> tuple[str, int | None]:
    with pytest.raises(SqlError) as caught:
        parse(text)
    return caught.value.sqlstate, caught.value.position


def test_statements_are_split() -> None:
    assert len(parse("select 1; ; select ';' ; -- end\n")) == 2
    assert parse("") == parse(" ; -- nothing\n ;") == []


def test_one_statement_is_one() -> None:
    assert isinstance(parse_one("select 1;"), Query)
    for text, position in (("", None), ("select 1; select 2", 11)):
        with pytest.raises(SqlError) as caught:
            parse_one(text)
        assert (caught.value.sqlstate, caught.value.position) == ("42601", position)


def test_places_count_from_the_whole_text() -> None:
    assert refusal("select 1;\nselect from from") == ("42601", 23)


def test_a_type_alone() -> None:
    assert show(parse_type("timestamp (3) with time zone []")) == "timestamptz(3)[]"


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("select 1 from t join u", 23),
        ("from t select a", 1),
        ("select a from t limit 1, 2", 17),
        ("select 1 < 2 < 3", 14),
        ("select a is distinct from b is null", 29),
        ("select array[1,2][1]", 18),
        ("select null[1]", 12),
        ("select row(1,2).f1", 16),
        ("select coalesce(1)[1]", 19),
        ("select a::int.b", 14),
        ("select 1 2", 10),
        ("select (1", 10),
        ("select 1)", 9),
        ("select 'a' 'b'", 12),
        ("select f(a => 1, 2)", 18),
        ("select * from", 14),
        ("select * from t where", 22),
        ("select * from (t)", 17),
        ("select case end", 13),
        ("select a.b.c.d.e", 8),
        ("values (1), (1, 2)", 14),
        ("select 1 limit 1 limit 2", 18),
        ("select 1 fetch first 5 rows with ties", 22),
        ("insert into t values (1) on conflict do update set a = 1", 26),
        ("insert t values (1)", 8),
        ("update t set a", 15),
        ("update t a = 1", 12),
        ("delete t", 8),
        ("merge into t using u on true", 29),
        ("create table t (a)", 18),
        ("create table t (a int,)", 23),
        ("create or replace table t (a int)", 19),
        ("create temp index i on t (a)", 13),
        ("alter table t add column", 25),
        ("create type t as enum (a)", 24),
        ("create sequence s cycle cycle", 25),
        ("select * from graph_table (g match (a)<-[e]->(b) columns (a.x))", 39),
        ("select * from graph_table (g match (a)-[e]->{2,1}(b) columns (a.x))", 45),
        ("frobnicate the thing", 1),
        ("select", None),
    ],
)
def test_syntax_errors_have_places(text: str, position: int | None) -> None:
    if position is None:
        parse(text)  # PostgreSQL takes it too: a row without columns
    else:
        assert refusal(text) == ("42601", position)


@pytest.mark.parametrize(
    "text",
    [
        "copy t from stdin",
        "grant all on t to x",
        "listen x",
        "prepare p as select 1",
        "declare c cursor for select 1",
        "call f()",
        "lock table t",
        "refresh materialized view v",
        "create materialized view v as select 1",
        "create role x",
        "create extension vector",
        "alter role x rename to y",
        "drop role x",
        "alter table t inherit u",
        "create table t (a int) inherits (u)",
        "create table t (a int) partition by range (a)",
        "create type t as (a int)",
        "select * into u from t",
        "select * from t tablesample system (1)",
        "select b'1'",
        "select last_value(a) ignore nulls over (order by a)",
        "select x is json",
        "do language plpython 'x'",
        "commit and chain",
    ],
)
def test_what_is_sql_but_not_here_is_refused_as_such(text: str) -> None:
    assert refusal(text)[0] == "0A000"


@pytest.mark.parametrize("depth", [1, 60, 200, MAX_NESTING])
def test_nesting_works_from_a_deep_stack_and_a_small_limit(depth: int) -> None:
    before = sys.getrecursionlimit()
    for opening, closing in (("(", ")"), ("f(", ")"), ("case when ", " then 1 end"), ("1 + (2 * (", "))")):
        repeats = depth if opening.count("(") < 2 else depth // 2
        parse_expression(opening * repeats + "true" + closing * repeats)
    parse_one("(" * depth + "select 1" + ")" * depth)
    levels = (depth - 1) // 2
    parse_one("select * from (" * levels + "select 1" + ") x" * levels)
    parse_one("select (" * depth + "select 1" + ")" * depth)
    assert sys.getrecursionlimit() == before


@pytest.mark.parametrize(
    "text",
    [
        "select " + "(" * 100_000 + "1" + ")" * 100_000,
        "select " + "(" * (MAX_NESTING + 1) + "1" + ")" * (MAX_NESTING + 1),
        "select " + "[" * 100_000,
        "select " + "case when " * 100_000,
        "select " + "not " * 100_000 + "true",
        "select " + "- " * 100_000 + "1",
        "select 1" + "::int" * 100_000,
        "select a" + " is null" * 100_000,
        "select a" + ' collate "C"' * 100_000,
        "(" * 100_000 + "select 1",
        "select 1 from a" + " cross join b" * 100_000,
        "select 1 from a" + " join b" * 100_000 + " on true" * 100_000,
    ],
    ids=lambda text: text[7:30],
)
def test_too_deep_is_an_error_and_no_crash(text: str) -> None:
    assert refusal(text)[0] == "54001"


def test_long_is_not_deep() -> None:
    query = parse_one("select a in (" + ", ".join(map(str, range(5000))) + ")")
    assert isinstance(query, Query)
    assert isinstance(query.body, Select)
    listed = query.body.targets[0].value
    assert isinstance(listed, InList)
    assert len(listed.items) == 5000
    for word in ("and", "or"):
        chain = parse_expression(f" {word} ".join(["a"] * 5000))
        assert isinstance(chain, Logical)
        assert len(chain.operands) == 5000
    for operator in ("||", "+", "^"):
        long = parse_expression(f" {operator} ".join(["a"] * 5000))
        assert isinstance(long, OperatorChain)
        assert len(long.steps) == 4999 - LONGEST_SPINE
        short = parse_expression(f" {operator} ".join(["a"] * (LONGEST_SPINE + 1)))
        assert isinstance(short, Operator)
    assert len(parse("select 1;" * 1000)) == 1000
    parse_one(" union all ".join(["select 1"] * 2000))
    parse_one("select * from a" + " join b using (x)" * MAX_NESTING)
    parse_expression(("a + " * 40 + "a is null = ") * 200 + "a")
    parse_one("values " + ", ".join(["($1, $2)"] * 2000))


@pytest.mark.parametrize(
    "name",
    [
        'a"b',
        "a.b",
        "select",
        "SeLeCt",
        "日本 語",
        "; drop table t --",
        "$1",
        "'",
        "a\nb",
        "\u202e",
        " ",
        "%s",
        "\\",
    ],
)
def test_a_quoted_name_is_a_name_whatever_it_says(name: str) -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    assert parse_expression(quoted) == ColumnRef((name,))
    assert parse_expression(f"{quoted}.{quoted}") == ColumnRef((name, name))
    assert parse_expression(f"{quoted}()") == Call((name,))
    query = parse_one(f"select 1 as {quoted} from {quoted}.{quoted} {quoted}")
    assert isinstance(query, Query)
    assert isinstance(query.body, Select)
    assert query.body.targets[0].alias == name


@pytest.mark.parametrize(
    "text", ["'; drop table t; --", "' or '1'='1", "\\'; --", "$$", "--", "/*", '"', "日本"]
)
def test_a_quoted_string_is_a_string_whatever_it_says(text: str) -> None:
    assert parse_expression("'" + text.replace("'", "''") + "'") == Literal("string", text)


@pytest.mark.parametrize("word", ["select", "user", "left", "between", "values", "name", "year", "timestamp"])
def test_keywords_may_be_labels_and_fields(word: str) -> None:
    assert show(parse_one(f"select t.{word} as {word} from t")) == (
        f"Query(body=Select(targets=[t.{word} as {word}], sources=[t]))"
    )


@pytest.mark.parametrize("word", ["select", "from", "left", "user", "table", "order"])
def test_reserved_words_are_no_names(word: str) -> None:
    assert refusal(f"select * from t where {word} = 1 and")[0] == "42601"
    assert refusal(f"create table {word} (a int)")[0] == "42601"


def test_remembering_does_not_import_sql() -> None:
    program = (
        "import sys\n"
        "from zengram_py import ZengramMemory\n"
        "memory = ZengramMemory.open(2)\n"
        "memory.remember_with_vector('a', 'tea', '/', [1, 0])\n"
        "assert memory.recall_with_vector('tea', '/', [1, 0])\n"
        "sys.exit(any(name.startswith('zengram_py.sql') for name in sys.modules))\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
