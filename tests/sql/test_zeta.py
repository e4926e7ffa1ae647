"""The database as Python sees it."""

from __future__ import annotations

import gc
import json
from decimal import Decimal

import numpy as np
import pytest

from zengram_py.engine import Interval, Range
from zengram_py.errors import (
    ClosedError,
    DimensionError,
    EmbedderError,
    SnapshotError,
    SqlError,
    VectorLengthError,
    VectorTypeError,
)
from zengram_py.sql.values import to_json
from zengram_py.sql.zeta import ZetaDb


def test_statements_of_all_kinds() -> None:
    db = ZetaDb.open()
    assert db.exec_ddl("create table note (id serial primary key, body text)") is None
    assert db.exec_mut("insert into note (body) values ($1), ($2)", ["tea", "rex"]) == 2
    found = db.query("select id, body from note order by id")
    assert found.columns == ["id", "body"]
    assert found.tuples == [(1, "tea"), (2, "rex")]
    assert found.rows == [{"id": 1, "body": "tea"}, {"id": 2, "body": "rex"}]
    assert db.exec_mut("update note set body = 'x' where id > $1", [5]) == 0
    assert db.query("delete from note where id = 1 returning body").rows == [{"body": "tea"}]
    assert db.query("values (1), (2)").tuples == [(1,), (2,)]
    assert db.query("table note").tuples == [(2, "rex")]
    assert db.query("show search_path").rows == [{"search_path": "public"}]
    assert db.query("explain select 1").columns == ["QUERY PLAN"]
    nothing = db.query("insert into note (body) values ('y')")
    assert (nothing.columns, nothing.rows, nothing.count) == ([], [], 1)


def test_of_columns_with_one_name_the_last_counts() -> None:
    found = ZetaDb.open().query("select 1 as a, 2 as b, 3 as a")
    assert found.columns == ["a", "b", "a"]
    assert found.rows == [{"a": 3, "b": 2}]
    assert found.tuples == [(1, 2, 3)]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("select 1", "query"),
        ("values (1)", "query"),
        ("show search_path", "query"),
        ("explain select 1", "query"),
        ("create table x (a int)", "exec_ddl"),
        ("begin", "exec_ddl"),
        ("insert into t values (1) returning a", "query"),
        ("merge branch b", "query"),
    ],
)
def test_exec_mut_takes_changes_that_return_nothing(text: str, hint: str) -> None:
    db = ZetaDb.open()
    db.exec_ddl("create table t (a int)")
    with pytest.raises(SqlError) as failure:
        db.exec_mut(text)
    assert failure.value.sqlstate == "0A000"
    assert hint in failure.value.hint
    assert db.query("select * from t").tuples == []


@pytest.mark.parametrize(
    "text", ["select 1", "show search_path", "delete from t returning a", "explain select 1"]
)
def test_exec_ddl_takes_what_returns_nothing(text: str) -> None:
    db = ZetaDb.open()
    db.exec_ddl("create table t (a int)")
    db.exec_ddl("insert into t values (1)")
    with pytest.raises(SqlError) as failure:
        db.exec_ddl(text)
    assert "query" in failure.value.hint
    assert db.query("select * from t").tuples == [(1,)]


def test_values_in_python() -> None:
    db = ZetaDb.open()
    db.exec_ddl("create type mood as enum ('sad', 'ok')")
    row = db.query(
        """select 1::int2 as i, 1.50 as n, date '1970-01-02' as d, time '00:00:01' as t, timestamp '1970-01-01 00:00:01' as ts,
        interval '1 mon 2 days 3 hours' as iv, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid as u, '\\x01ff'::bytea as by,
        'ok'::mood as m, '{ok,null}'::mood[] as ms, '{"a": [1, null, 2.5]}'::jsonb as j, array[[1, 2], [3, 4]] as arr,
        '[1, 2.5]'::vector as v, '[1,3)'::int4range as r, row(1, 'x') as rec, null as nothing, true as yes"""
    ).rows[0]
    vector = row.pop("v")
    assert vector.dtype == np.float32
    assert vector.tolist() == [1.0, 2.5]
    assert row == {
        "i": 1,
        "n": Decimal("1.50"),
        "d": 1,
        "t": 1_000_000,
        "ts": 1_000_000,
        "iv": Interval(1, 2, 10_800_000_000),
        "u": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
        "by": b"\x01\xff",
        "m": "ok",
        "ms": ["ok", None],
        "j": {"a": [1, None, 2.5]},
        "arr": [[1, 2], [3, 4]],
        "r": Range(1, 3, True, False, False),
        "rec": (1, "x"),
        "nothing": None,
        "yes": True,
    }


def test_values_as_json() -> None:
    db = ZetaDb.open()
    db.exec_ddl("create type mood as enum ('sad', 'ok')")
    found = db.session.run(
        """select 9007199254740993 as i, 1.50 as n, 'NaN'::numeric as nn, date '1970-01-02' as d, time '00:00:01' as t,
        timestamp '1970-01-01 00:00:01' as ts, interval '1 mon 2 days 3 hours' as iv, interval '-1 day' as back, '\\x01ff'::bytea as by,
        'ok'::mood as m, '{ok,null}'::mood[] as ms, '{"a": [1, null, 2.50]}'::jsonb as j, array[[1, 2], [3, 4]] as arr,
        '[1, 2.5]'::vector as v, '[1,3)'::int4range as r, row(1, 'x') as rec, null as nothing, true as yes, 0.1::float4 as f4,
        1e300::float8 as f8, 'Infinity'::float8 as inf, '-Infinity'::float4 as minf, 'NaN'::float8 as nan, 'é"\\%s' as "t%s",
        array[1.5::float8, 'NaN'] as floats"""
    )
    text = to_json(found.outputs, found.rows)
    assert '"i":"9007199254740993",' in text, "JavaScript has no such number"
    assert '"j":{"a":[1,null,2.50]}' in text
    assert json.loads(text) == [
        {
            "i": "9007199254740993",
            "n": "1.50",
            "nn": "NaN",
            "d": 1,
            "t": 1_000_000,
            "ts": "1000000",
            "iv": "1 months 2 days 10800000000 us",
            "back": "0 months -1 days 0 us",
            "by": [1, 255],
            "m": "ok",
            "ms": ["ok", None],
            "j": {"a": [1, None, 2.5]},
            "arr": [[1, 2], [3, 4]],
            "v": [1.0, 2.5],
            "r": "[1,3)",
            "rec": "(1,x)",
            "nothing": None,
            "yes": True,
            "f4": 0.1,
            "f8": 1e300,
            "inf": "Infinity",
            "minf": "-Infinity",
            "nan": "NaN",
            "t%s": 'é"\\%s',
            "floats": [1.5, "NaN"],
        }
    ]
    assert to_json((), []) == "[]"
    assert to_json((), [(), ()]) == "[{},{}]"
    twice = db.session.run("select 1 as a, 2 as a")
    assert to_json(twice.outputs, twice.rows) == '[{"a":2}]'


def test_transactions_overlap() -> None:
    db = ZetaDb.open()
    db.exec_ddl("create table t (id int primary key)")
    one, other = db.begin(), db.begin()
    one.exec_mut("insert into t values (1)")
    other.exec_mut("insert into t values (2)")
    assert one.query("select id from t").tuples == [(1,)]
    assert db.query("select id from t").tuples == []
    one.commit()
    assert other.query("select id from t").tuples == [(2,)]
    other.commit()
    assert db.query("select id from t order by id").tuples == [(1,), (2,)]


def test_a_transaction_ends_once() -> None:
    db = ZetaDb.open()
    for end in ("commit", "rollback"):
        for again in ("commit", "rollback"):
            transaction = db.begin()
            getattr(transaction, end)()
            assert not transaction.is_open
            with pytest.raises(SqlError) as failure:
                getattr(transaction, again)()
            assert failure.value.sqlstate == "25P01"
            for call in (transaction.query, transaction.exec_mut, transaction.exec_ddl, transaction.stream):
                with pytest.raises(SqlError):
                    call("select 1")
            with pytest.raises(SqlError):
                transaction.savepoint("a")


def test_a_transaction_that_is_dropped_rolls_back() -> None:
    db = ZetaDb.open()
    db.exec_ddl("create table t (id int primary key)")
    transaction = db.begin()
    transaction.exec_mut("insert into t values (1)")
    transaction.exec_ddl("create table u (a int)")
    del transaction
    gc.collect()
    assert db.query("select * from t").tuples == []
    assert [t["name"] for t in db.schema()["tables"]] == ["t"]
    assert not db.engine.open_transactions()


def test_a_transaction_as_a_context() -> None:
    db = ZetaDb.open()
    db.exec_ddl("create table t (id int primary key)")
    with db.begin() as transaction:
        transaction.exec_mut("insert into t values (1)")

    def fail() -> None:
        with db.begin() as transaction:
            transaction.exec_mut("insert into t values (2)")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with db.begin() as transaction:
        transaction.exec_mut("insert into t values (3)")
        transaction.rollback()
    assert db.query("select * from t").tuples == [(1,)]


def test_a_failed_transaction_is_not_taken_for_a_committed_one() -> None:
    db = ZetaDb.open()
    db.exec_ddl("create table t (id int primary key)")
    transaction = db.begin()
    transaction.exec_mut("insert into t values (1)")
    transaction.savepoint("a")
    with pytest.raises(SqlError):
        transaction.exec_mut("insert into t values (1)")
    with pytest.raises(SqlError) as failure:
        transaction.query("select 1")
    assert failure.value.sqlstate == "25P02"
    transaction.rollback_to_savepoint("a")
    transaction.exec_mut("insert into t values (2)")
    transaction.release_savepoint("a")
    with pytest.raises(SqlError):
        transaction.query("select nope")
    with pytest.raises(SqlError) as failure:
        transaction.commit()
    assert failure.value.sqlstate == "25P02"
    assert not transaction.is_open
    assert db.query("select * from t").tuples == []


def test_sql_may_end_a_transaction() -> None:
    db = ZetaDb.open()
    db.exec_ddl("create table t (id int)")
    transaction = db.begin()
    transaction.exec_mut("insert into t values (1)")
    transaction.query("commit")
    assert not transaction.is_open
    assert db.query("select * from t").tuples == [(1,)]
    db.query("begin")
    db.exec_mut("insert into t values (2)")
    db.query("rollback")
    assert db.query("select * from t").tuples == [(1,)]


def test_a_transaction_has_the_place_of_the_database() -> None:
    db = ZetaDb.open()
    db.exec_ddl("create database other")
    db.set_database("other")
    db.query("set application_name = 'me'")
    transaction = db.begin()
    assert transaction.query("select current_database(), current_setting('application_name')").tuples == [
        ("other", "me")
    ]
    transaction.query("set application_name = 'inside'")
    transaction.commit()
    assert db.query("show application_name").tuples == [("me",)]


def test_a_cursor_gives_rows_one_by_one() -> None:
    db = ZetaDb.open()
    db.exec_ddl("create table t (id int primary key, v jsonb)")
    db.exec_mut("insert into t select g, jsonb_build_array(g) from unnest(array[3, 1, 2]) g")
    cursor = db.stream("select id, v from t where id > $1 order by id", [1])
    assert cursor.columns() == ["id", "v"]
    assert cursor.next() == {"id": 2, "v": [2]}
    assert cursor.next() == {"id": 3, "v": [3]}
    assert cursor.next() is None
    assert cursor.next() is None
    cursor.free()
    assert not db.engine.open_transactions()


def test_a_cursor_reads_one_state() -> None:
    db = ZetaDb.open()
    db.exec_ddl("create table t (id int primary key)")
    db.exec_mut("insert into t select * from unnest($1::int[])", [list(range(10_000))])
    cursor = db.stream("select id from t")
    assert cursor.next() == {"id": 0}
    db.exec_mut("delete from t")
    db.exec_ddl("alter table t add column more text default 'x'")
    db.engine.vacuum()
    assert [row["id"] for row in cursor] == list(range(1, 10_000))
    assert not db.engine.open_transactions()
    db.engine.vacuum()
    assert db.query("select count(*) from t").tuples == [(0,)]


def test_a_cursor_holds_a_batch() -> None:
    db = ZetaDb.open()
    db.exec_ddl("create table t (id int)")
    db.exec_mut("insert into t select * from unnest($1::int[])", [list(range(20_000))])
    cursor = db.stream("select id, id * 2 as twice from t where id % 2 = 0")
    cursor.next()
    assert len(list(cursor._ready)) < 5000
    cursor.free()
    assert cursor.next() is None
    assert not db.engine.open_transactions()


def test_a_cursor_that_is_dropped_lets_go() -> None:
    db = ZetaDb.open()
    db.exec_ddl("create table t (id int)")
    db.exec_mut("insert into t values (1), (2)")
    with db.stream("select * from t") as cursor:
        cursor.next()
    assert not db.engine.open_transactions()
    cursor = db.stream("select * from t")
    cursor.next()
    del cursor
    gc.collect()
    assert not db.engine.open_transactions()


def test_a_cursor_of_a_transaction_ends_with_it() -> None:
    db = ZetaDb.open()
    db.exec_ddl("create table t (id int)")
    transaction = db.begin()
    transaction.exec_mut("insert into t values (1), (2)")
    cursor = transaction.stream("select id from t order by id")
    assert cursor.next() == {"id": 1}
    transaction.commit()
    assert cursor.next() == {"id": 2}, "it is in the batch that was read"
    cursor = db.begin().stream("select id from t")
    with pytest.raises(SqlError) as failure:
        cursor.next()
    assert failure.value.sqlstate == "34000"


def test_a_cursor_that_fails_lets_go() -> None:
    db = ZetaDb.open()
    db.exec_ddl("create table t (id int)")
    db.exec_mut("insert into t values (0)")
    cursor = db.stream("select 1 / id from t")
    with pytest.raises(SqlError) as failure:
        cursor.next()
    assert failure.value.sqlstate == "22012"
    assert cursor.next() is None
    with pytest.raises(SqlError):
        db.stream("select nope")
    assert not db.engine.open_transactions()


def test_what_is_no_query_runs_at_once() -> None:
    db = ZetaDb.open()
    db.exec_ddl("create table t (id int)")
    cursor = db.stream("insert into t values (1), (2) returning id")
    assert db.query("select count(*) from t").tuples == [(2,)]
    assert [row["id"] for row in cursor] == [1, 2]
    assert list(db.stream("show search_path")) == [{"search_path": "public"}]


def test_databases_branches_and_schema() -> None:
    db = ZetaDb.open()
    db.exec_ddl("create table t (id bigint primary key, name varchar(10) not null, tags text[], v vector(3))")
    db.exec_ddl("create schema s")
    db.exec_ddl("create table s.u (a numeric(6, 2))")
    assert db.schema() == {
        "tables": [
            {
                "name": "t",
                "columns": [
                    {"name": "id", "type": "bigint", "pk": True, "nullable": False},
                    {"name": "name", "type": "character varying(10)", "pk": False, "nullable": False},
                    {"name": "tags", "type": "text[]", "pk": False, "nullable": True},
                    {"name": "v", "type": "vector(3)", "pk": False, "nullable": True},
                ],
            },
            {
                "name": "s.u",
                "columns": [{"name": "a", "type": "numeric(6,2)", "pk": False, "nullable": True}],
            },
        ]
    }
    assert (db.database(), db.databases(), db.branch()) == ("zengram", ["zengram"], "main")
    db.exec_ddl("create database other")
    db.set_database("other")
    assert (db.database(), db.databases()) == ("other", ["zengram", "other"])
    assert db.schema() == {"tables": []}
    db.set_database(None)
    db.engine.fork("b")
    db.set_branch("b")
    db.exec_ddl("drop table t")
    assert (db.branch(), [t["name"] for t in db.schema()["tables"]]) == ("b", ["s.u"])
    db.set_branch(None)
    assert [t["name"] for t in db.schema()["tables"]] == ["t", "s.u"]


def test_a_snapshot_holds_everything() -> None:
    db = ZetaDb.open()
    db.exec_ddl("create table t (id int primary key, check (id + 0 > 0))")
    db.exec_ddl("create view w as select id + 1 as next from t")
    db.exec_mut("insert into t values (1)")
    db.engine.fork("b")
    again = ZetaDb.open_from_snapshot(db.export_snapshot())
    assert again.query("select next from w").tuples == [(2,)]
    with pytest.raises(SqlError) as failure:
        again.exec_mut("insert into t values (-1)")
    assert failure.value.sqlstate == "23514"
    again.set_branch("b")
    assert again.query("select * from t").tuples == [(1,)]
    with pytest.raises(SnapshotError):
        ZetaDb.open_from_snapshot(b"no snapshot")


def test_embedding() -> None:
    db = ZetaDb.open()
    db.exec_ddl("create table t (id int, v vector(3))")
    with pytest.raises(EmbedderError) as failure:
        db.query("select embed('x')")
    assert failure.value.code == "EMBEDDER_MISSING"
    db.set_embed_fn(lambda text: [len(text), 0, 1], 3)
    db.exec_mut("insert into t values (1, embed($1))", ["four"])
    assert db.query("select v from t").rows[0]["v"].tolist() == [4.0, 0.0, 1.0]
    assert db.begin().query("select vector_dims(embed('x'))").tuples == [(3,)]
    assert db.query("select embed(null) is null").tuples == [(True,)]
    db.set_embed_fn(lambda text: [1, 2], 3)
    with pytest.raises(VectorLengthError):
        db.query("select embed('x')")
    db.set_embed_fn(lambda text: "no numbers", 3)
    with pytest.raises(VectorTypeError):
        db.query("select embed('x')")
    db.set_embed_fn(lambda text: 1 / 0, 3)
    with pytest.raises(EmbedderError):
        db.query("select embed('x')")

    async def later(text: str) -> list[float]:
        return [1.0, 2.0, 3.0]

    db.set_embed_fn(later, 3)
    with pytest.raises(EmbedderError) as failure:
        db.query("select embed('x')")
    assert failure.value.code == "EMBEDDER_ASYNC"
    db.set_embed_fn(None)
    with pytest.raises(EmbedderError):
        db.query("select embed('x')")
    for dims in (0, 1.5, "3", True):
        with pytest.raises(DimensionError):
            db.set_embed_fn(later, dims)  # type: ignore[arg-type]


def test_scripts_and_closing() -> None:
    db = ZetaDb.open()
    found = db.run_script("create table t (id int); insert into t values (1); select * from t")
    assert [result.command for result in found] == ["CREATE TABLE", "INSERT", "SELECT"]
    assert found[-1].rows == [{"id": 1}]
    db.close()
    with pytest.raises(ClosedError):
        db.query("select 1")


def test_a_text_given_for_jsonb_is_json() -> None:
    db = ZetaDb.open()
    db.exec_ddl("create table t (v jsonb)")
    found = db.query("insert into t values ($1), ($2) returning v", ['{"a": [1, null]}', {"b": "x"}])
    assert found.tuples == [({"a": [1, None]},), ({"b": "x"},)]
    assert db.query("select to_jsonb($1::text)", ["x"]).tuples == [("x",)]
    with pytest.raises(SqlError, match=r"parameter \$1: invalid input syntax for type json") as failure:
        db.query("insert into t values ($1)", ["x"])
    assert failure.value.sqlstate == "22P02"
    assert "to_jsonb" in failure.value.hint


@pytest.mark.parametrize("opening", ["begin", "start transaction"])
def test_beginning_again_sets_what_it_says(opening: str) -> None:
    db = ZetaDb.open()
    db.exec_ddl("create table duty (id int primary key, is_on bool)")
    db.exec_mut("insert into duty values (1, true), (2, true)")
    both = db.begin(), db.begin()
    for number, transaction in enumerate(both, 1):
        transaction.query(f"{opening} isolation level serializable")
        assert transaction.query("show transaction_isolation").tuples == [("serializable",)]
        transaction.query("select count(*) from duty where is_on")
        transaction.exec_mut("update duty set is_on = false where id = $1", [number])
    both[0].commit()
    with pytest.raises(SqlError) as failure:
        both[1].commit()
    assert failure.value.sqlstate == "40001"
    assert db.query("select count(*) from duty where is_on").tuples == [(1,)]
    late = db.begin()
    late.query("select * from duty")
    with pytest.raises(SqlError, match="before any query"):
        late.query(f"{opening} isolation level serializable")
    late.rollback()
