"""Parameters, and statements that are remembered."""

import json
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from zengram_py.engine import Database, Interval
from zengram_py.errors import SqlError
from zengram_py.sql import Catalogue, SearchPath, StatementCache, bind_parameters, prepare
from zengram_py.sql.bound import BoundQuery, BoundSelect, Chain, Const, Invocation, Param
from zengram_py.sql.tree.expressions import LONGEST_SPINE

ATTACKS = [
    "'; drop table t; --",
    "' or '1'='1",
    "$1",
    "$$",
    "\\'; --",
    "/*",
    "--",
    '"',
    "日本\u202e",
    "a\nb",
    "%_",
    "",
    "null",
    "default",
    "(select 1)",
]


def values(text: str, given: list[Any], catalogue: Catalogue) -> tuple[Any, ...]:
    return bind_parameters(prepare(text, catalogue), given)


@pytest.mark.parametrize(
    ("wanted", "given", "expected"),
    [
        ("int", 5, 5),
        ("int", 5.0, 5),
        ("int", "5", 5),
        ("int", np.int64(5), 5),
        ("int", None, None),
        ("bigint", 1 << 62, 1 << 62),
        ("double precision", 5, 5.0),
        ("double precision", Decimal("1.5"), 1.5),
        ("numeric", 1.5, Decimal("1.5")),
        ("numeric", "1.50", Decimal("1.50")),
        ("text", "x", "x"),
        ("text", 5, "5"),
        ("text", 1.5, "1.5"),
        ("text", True, "true"),
        ("text", {"a": [1]}, '{"a": [1]}'),
        ("bool", True, True),
        ("bool", "yes", True),
        ("jsonb", {"a": [1, None]}, '{"a":[1,null]}'),
        ("jsonb", [1, 2], "[1,2]"),
        ("jsonb", '"x"', '"x"'),
        ("jsonb", '{"a": 1}', '{"a":1}'),
        ("jsonb", True, "true"),
        ("jsonb", np.array([1.5, 2.0]), "[1.5,2.0]"),
        ("vector", [1, 2.5], (1.0, 2.5)),
        ("vector", np.array([1, 2], np.float32), (1.0, 2.0)),
        ("vector", memoryview(np.array([1, 2], np.float32)), (1.0, 2.0)),
        ("vector", "[1,2]", (1.0, 2.0)),
        ("int[]", [1, None, 3], (1, None, 3)),
        ("int[]", [[1], [2]], ((1,), (2,))),
        ("text[]", ["a", 1], ("a", "1")),
        ("int[]", "{1,2}", (1, 2)),
        ("timestamp", datetime(2024, 2, 29, 10, 30, tzinfo=UTC), 1_709_202_600_000_000),
        (
            "timestamp",
            datetime(2024, 2, 29, 12, 30, tzinfo=timezone(timedelta(hours=2))),
            1_709_202_600_000_000,
        ),
        ("timestamp", datetime(2024, 2, 29, 10, 30, 0, 123456), 1_709_202_600_123_456),
        ("timestamp", date(2024, 2, 29), 1_709_164_800_000_000),
        ("timestamp", 1_709_202_600_000_000, 1_709_202_600_000_000),
        ("date", date(2024, 2, 29), 19_782),
        ("date", datetime(2024, 2, 29, 23, 59), 19_782),
        ("time", time(10, 30, 1, 5), 37_801_000_005),
        ("interval", timedelta(days=2, seconds=3), Interval(0, 2, 3_000_000)),
        ("interval", "1 month", Interval(1, 0, 0)),
        ("bytea", b"\x00\xff", b"\x00\xff"),
        ("uuid", "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
    ],
)
def test_a_value_as_a_parameter(wanted: str, given: Any, expected: Any, catalogue: Catalogue) -> None:
    (found,) = values(f"select $1::{wanted}", [given], catalogue)
    assert repr(found) == repr(expected)


@pytest.mark.parametrize(
    ("wanted", "given", "code"),
    [
        ("int", 1.5, "22P02"),
        ("int", "x", "22P02"),
        ("int", 1 << 31, "22003"),
        ("int", True, "22P02"),
        ("int", [1], "22P02"),
        ("int", {}, "22P02"),
        ("int", float("nan"), "22P02"),
        ("bool", 1, "22P02"),
        ("double precision", 10**400, "22003"),
        ("vector", [1, "x"], "22P02"),
        ("vector", [float("nan")], "22000"),
        ("vector", [], "22000"),
        ("vector", 5, "22P02"),
        ("int[]", 5, "22P02"),
        ("int[]", ["x"], "22P02"),
        ("date", time(1), "22P02"),
        ("interval", date(2024, 1, 1), "22P02"),
        ("jsonb", {"a": float("nan")}, "22P02"),
        ("jsonb", object(), "22P02"),
        ("jsonb", "x", "22P02"),
        ("uuid", 5, "22P02"),
        ("bytea", 5, "22P02"),
    ],
)
def test_a_value_that_does_not_fit(wanted: str, given: Any, code: str, catalogue: Catalogue) -> None:
    with pytest.raises(SqlError) as caught:
        values(f"select $1::{wanted}", [given], catalogue)
    assert caught.value.sqlstate == code
    assert "$1" in str(caught.value)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_as_many_values_as_parameters(count: int, catalogue: Catalogue) -> None:
    with pytest.raises(SqlError) as caught:
        values("select $1::int, $2::int", [1] * count, catalogue)
    assert caught.value.sqlstate == "08P01"


def test_a_parameter_that_nothing_types(catalogue: Catalogue) -> None:
    for text in ("select $2::int", "select $1 is null or $3 = 1"):
        with pytest.raises(SqlError) as caught:
            prepare(text, catalogue)
        assert caught.value.sqlstate == "42P18"


@pytest.mark.parametrize("text", ATTACKS)
def test_text_in_a_parameter_stays_text(text: str, catalogue: Catalogue) -> None:
    prepared = prepare("select id from t where b = $1 or j = $2", catalogue)
    first, second = bind_parameters(prepared, [text, {"k": text}])
    assert first == text
    assert json.loads(second) == {"k": text}
    assert [t.name for t in prepared.parameters] == ["text", "jsonb"]


@pytest.mark.parametrize("text", ATTACKS)
def test_text_in_a_literal_stays_text(text: str, catalogue: Catalogue) -> None:
    quoted = text.replace("'", "''")
    query = prepare(f"select '{quoted}' as x from t", catalogue).bound
    assert isinstance(query, BoundQuery)
    assert isinstance(query.body, BoundSelect)
    (target,) = query.body.targets
    assert isinstance(target, Const)
    assert target.value == text


@pytest.mark.parametrize(
    "name", ['a"b', "a.b", "select", "SeLeCt", "日本 語", "; drop table t --", "$1", "'", "%s"]
)
def test_names_of_all_kinds(name: str) -> None:
    database = Database.open()
    quoted = '"' + name.replace('"', '""') + '"'
    with database.begin() as t:
        for text in (f"create schema {quoted}", f"create table {quoted}.{quoted} ({quoted} int primary key)"):
            for change in prepare(text, Catalogue(t.reader.catalog)).bound.changes:  # type: ignore[union-attr]
                getattr(t, change.method)(**change.arguments)
    catalogue = Catalogue(database.begin().reader.catalog)
    query = prepare(f"select {quoted}.{quoted}, x.* from {quoted}.{quoted}, {quoted}.{quoted} x", catalogue)
    assert [o.name for o in query.outputs] == [name, name]
    assert prepare(f"update {quoted}.{quoted} set {quoted} = $1", catalogue).parameters[0].name == "int4"


def test_long_chains_stay_shallow(catalogue: Catalogue) -> None:
    query = prepare("select " + " + ".join(["a"] * 1000) + " from t", catalogue).bound
    assert isinstance(query, BoundQuery)
    assert isinstance(query.body, BoundSelect)
    (chain,) = query.body.targets
    assert isinstance(chain, Chain)
    assert len(chain.steps) == 999 - LONGEST_SPINE
    depth, node = 0, chain.first
    while isinstance(node, Invocation):
        depth, node = depth + 1, node.arguments[0]
    assert depth == LONGEST_SPINE


def test_equal_expressions_are_equal_wherever_they_stand(catalogue: Catalogue) -> None:
    query = prepare("select a + 1, a  +  1, a + 2 from t where b = $1", catalogue).bound
    assert isinstance(query, BoundQuery)
    assert isinstance(query.body, BoundSelect)
    one, other, third = query.body.targets
    assert one == other != third
    assert hash(one) == hash(other)
    assert isinstance(query.body.where, Invocation)
    assert isinstance(query.body.where.arguments[1], Param)


class TestCache:
    def test_the_same_text_is_prepared_once(self, catalogue: Catalogue) -> None:
        cache = StatementCache()
        first = cache.get("select a from t", catalogue)
        assert cache.get("select a from t", catalogue) is first
        assert cache.get("select a  from t", catalogue) is not first

    def test_a_change_of_the_schema_is_seen(self) -> None:
        database, cache = Database.open(), StatementCache()

        def run(text: str) -> None:
            with database.begin() as t:
                for change in prepare(text, Catalogue(t.reader.catalog)).bound.changes:  # type: ignore[union-attr]
                    getattr(t, change.method)(**change.arguments)

        def outputs(branch: str = "main", **options: Any) -> list[str]:
            view = database.begin(branch=branch, **options).reader.catalog
            return [o.type.title for o in cache.get("select a from t", Catalogue(view)).outputs]

        run("create table t (a int)")
        assert outputs() == ["integer"]
        before = database.timestamp
        database.fork("other")
        run("alter table t alter a type text")
        assert outputs() == ["text"]
        assert outputs("other") == ["integer"]
        assert outputs(as_of=before) == ["integer"]
        run("drop table t")
        with pytest.raises(SqlError) as caught:
            outputs()
        assert caught.value.sqlstate == "42P01"
        assert outputs("other") == ["integer"]

    def test_rows_alone_change_nothing(self) -> None:
        database, cache = Database.open(), StatementCache()
        with database.begin() as t:
            for change in prepare("create table t (a int)", Catalogue(t.reader.catalog)).bound.changes:  # type: ignore[union-attr]
                getattr(t, change.method)(**change.arguments)
        first = cache.get("select a from t", Catalogue(database.begin().reader.catalog))
        with database.begin() as t:
            t.insert("t", {"a": 1})
        assert cache.get("select a from t", Catalogue(database.begin().reader.catalog)) is first

    def test_a_change_within_a_transaction_is_its_own(self) -> None:
        database, cache = Database.open(), StatementCache()
        t = database.begin()
        for change in prepare("create table t (a int)", Catalogue(t.reader.catalog)).bound.changes:  # type: ignore[union-attr]
            getattr(t, change.method)(**change.arguments)
        assert cache.get("select a from t", Catalogue(t.reader.catalog)).outputs
        t.rollback()
        with pytest.raises(SqlError):
            cache.get("select a from t", Catalogue(database.begin().reader.catalog))

    def test_the_search_path_counts(self, catalogue: Catalogue) -> None:
        cache = StatementCache()
        cache.get("select a from t", catalogue)
        with pytest.raises(SqlError):
            cache.get("select a from t", Catalogue(catalogue.view, SearchPath(schemas=("nope",))))

    def test_it_does_not_grow_without_bound(self, catalogue: Catalogue) -> None:
        cache = StatementCache(10)
        kept = cache.get("select 0", catalogue)
        for i in range(50):
            cache.get(f"select {i}", catalogue)
            assert cache.get("select 0", catalogue) is kept
        assert len(cache) == 10

    def test_what_fails_is_not_kept(self, catalogue: Catalogue) -> None:
        cache = StatementCache()
        for _ in range(2):
            with pytest.raises(SqlError):
                cache.get("select nope", catalogue)
        assert len(cache) == 0
