"""Rows in stored form: many at once do what one by one do, and are tested as those are."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from state import seen

from zengram_py.engine import (
    FLOAT64,
    INT32,
    INT64,
    JSON,
    TEXT,
    CheckDef,
    ColumnDef,
    Database,
    ForeignKey,
    IndexDef,
    Transaction,
    array,
    vector,
)
from zengram_py.engine.stored_rows import FEW
from zengram_py.errors import (
    CheckError,
    ConflictError,
    ForeignKeyError,
    LogError,
    NotNullError,
    TransactionError,
    UniqueError,
)

COUNT = 60


def make(database: Database) -> None:
    with database.begin() as t:
        t.create_table("parent", [ColumnDef("id", INT32)], primary_key=["id"])
        t.create_table(
            "t",
            [
                ColumnDef("id", INT32),
                ColumnDef("n", INT64, nullable=False),
                ColumnDef("s", TEXT),
                ColumnDef("f", FLOAT64),
                ColumnDef("j", JSON),
                ColumnDef("v", vector(2)),
                ColumnDef("p", INT32),
                ColumnDef("d", TEXT, default=["lit", "default"]),
            ],
            primary_key=["id"],
            indexes=[
                IndexDef("by_n", "ordered", (["col", "n"],)),
                IndexDef("by_s", "hash", (["col", "s"],)),
                IndexDef("by_both", "ordered", (["col", "s"], ["col", "f"])),
                IndexDef("by_lower", "hash", (["lower", ["col", "s"]],)),
                IndexDef("near", "flat", (["col", "v"],), options={"metric": "l2"}),
                IndexDef("words", "fulltext", (["col", "s"],)),
            ],
            checks=[CheckDef("small", ["<", ["col", "n"], ["lit", 1000]])],
            foreign_keys=[ForeignKey(["p"], "parent")],
        )
        t.insert_many("parent", {"id": np.arange(5)})


def columns(t: Transaction, first: int, count: int) -> dict[int, Any]:
    by_name = t.reader.catalog.table("t").by_name
    numbers = np.arange(first, first + count)
    given = {
        "id": numbers.astype(np.int32),
        "n": (numbers % 7).astype(np.int64),
        "s": [f"Word {i % 5}" for i in numbers.tolist()],
        "f": [None if i % 3 == 0 else i / 2 for i in numbers.tolist()],
        "j": [f'{{"i":{i}}}' for i in numbers.tolist()],
        "v": np.stack([numbers, numbers % 4], 1).astype(np.float32),
        "p": [None if i % 2 else i % 5 for i in numbers.tolist()],
    }
    return {by_name[name].id: values for name, values in given.items()}


def filled() -> Database:
    database = Database.open()
    make(database)
    with database.begin() as t:
        t.insert_stored(t.reader.catalog.table("t"), COUNT, columns(t, 0, COUNT))
    return database


def rows(database: Database, branch: str = "main", as_of: int | None = None) -> dict[int, dict[str, Any]]:
    with database.begin(branch=branch, as_of=as_of) as t:
        found = {}
        for row in t.scan("t"):
            row["v"] = None if row["v"] is None else row["v"].tolist()
            found[row["id"]] = row
        return found


def check_indexes(database: Database, branch: str = "main") -> None:
    """Every index finds what a scan finds."""
    expected = list(rows(database, branch).values())
    with database.begin(branch=branch) as t:
        seen(t)
        assert [r["n"] for r in t.range("t", "by_n")] == sorted(r["n"] for r in expected)
        for value in {row["s"].lower() for row in expected if row["s"] is not None}:
            wanted = sorted(r["id"] for r in expected if (r["s"] or "").lower() == value)
            assert sorted(r["id"] for r in t.lookup("t", "by_lower", value)) == wanted
        hits = t.vector_search("t", "near").nearest(np.array([3.0, 1.0], np.float32), 1000)
        assert len(hits.rows) == sum(r["v"] is not None for r in expected)
        words = t.text_search("t", "words").rank("word")
        assert len(words.rows) == sum("word" in (r["s"] or "").lower() for r in expected)


def ids(t: Transaction, wanted: Callable[[int], bool]) -> np.ndarray[Any, Any]:
    table = t.reader.catalog.table("t")
    number = table.by_name["id"].id
    found = sorted((values[number], row) for row, values in t.reader.rows(table) if wanted(values[number]))
    return np.array([row for _, row in found], np.int64)


def test_inserted_rows_are_as_they_were_given() -> None:
    database = filled()
    found = rows(database)
    assert len(found) == COUNT
    assert found[4] == {
        "id": 4,
        "n": 4,
        "s": "Word 4",
        "f": 2.0,
        "j": {"i": 4},
        "v": [4.0, 0.0],
        "p": 4,
        "d": "default",
    }
    assert found[3]["f"] is None
    check_indexes(database)


@pytest.mark.parametrize("count", [1, FEW - 1, FEW, COUNT])
def test_inserts_are_tested(count: int) -> None:
    database = filled()
    for name, values, failure in (
        ("id", np.full(count, 3, np.int32), UniqueError),
        ("n", [None] * count, NotNullError),
        ("n", np.full(count, 5000), CheckError),
        ("p", [77] * count, ForeignKeyError),
    ):
        with database.begin() as t:
            table = t.reader.catalog.table("t")
            given = {**columns(t, 1000, count), table.by_name[name].id: values}
            with pytest.raises(failure):
                t.insert_stored(table, count, given)
            assert t.count("t") == COUNT, "nothing of it is left"
            t.insert_stored(table, count, columns(t, 2000, count))
            t.rollback()
    assert len(rows(database)) == COUNT


@pytest.mark.parametrize("count", [2, FEW + 3])
def test_rows_of_one_insert_may_refer_to_each_other(count: int) -> None:
    database = Database.open()
    with database.begin() as t:
        t.create_table(
            "tree",
            [ColumnDef("id", INT32), ColumnDef("up", INT32)],
            primary_key=["id"],
            foreign_keys=[ForeignKey(["up"], "tree", on_delete="no_action", on_update="no_action")],
        )
        table = t.reader.catalog.table("tree")
        numbers = np.arange(count, dtype=np.int32)
        t.insert_stored(
            table, count, {0: numbers, 1: [None if i == count - 1 else i + 1 for i in range(count)]}
        )
    with database.begin() as t:
        found = np.array([row for row, _ in t.reader.rows(table)], np.int64)
        with pytest.raises(ForeignKeyError):
            t.delete_stored(table, found[1:])
        t.delete_stored(table, found)
        assert t.count("tree") == 0


@pytest.mark.parametrize("share", [2, 7, 20])
def test_sweeps_do_what_single_changes_do(share: int) -> None:
    """The same changes, all at once and one by one, on main and on a branch that inherits its rows."""
    random_ = random.Random(share)
    one, other = filled(), filled()
    for database in (one, other):
        database.fork("b")
    for step in range(12):
        branch = "b" if step % 3 == 2 else "main"
        chosen = {i for i in range(COUNT) if random_.randrange(share) == 0} | set(range(step, step + FEW))
        kind = random_.choice(["n", "s", "f", "v", "p", "delete"])
        for database, together in ((one, True), (other, False)):
            with database.begin(branch=branch) as t:
                found = ids(t, chosen.__contains__)
                if len(found):
                    _apply(t, kind, step, found, together)
        assert rows(one, branch) == rows(other, branch), (step, kind)
        check_indexes(one, branch)
    assert rows(one, "main") == rows(other, "main")
    assert rows(one, "b") == rows(other, "b")
    restored = Database.restore(one.export())
    assert rows(restored) == rows(one)
    check_indexes(restored, "b")
    one.vacuum()
    assert rows(one, "b") == rows(other, "b")
    check_indexes(one)


def _apply(t: Transaction, kind: str, step: int, found: np.ndarray[Any, Any], together: bool) -> None:
    table = t.reader.catalog.table("t")
    if kind == "delete":
        for part in [found] if together else [found[i : i + 1] for i in range(len(found))]:
            t.delete_stored(table, part)
        return
    count = len(found)
    values: Any = {
        "n": np.arange(count, dtype=np.int64) + step,
        "s": [None if i % 4 == 0 else f"word {step}" for i in range(count)],
        "f": [float(i % 3) for i in range(count)],
        "v": np.stack([np.arange(count), np.full(count, step)], 1).astype(np.float32),
        "p": [i % 5 for i in range(count)],
    }[kind]
    number = table.by_name[kind].id
    if together:
        t.update_stored(table, found, {number: values})
        return
    for i in range(count):
        t.update_stored(table, found[i : i + 1], {number: values[i : i + 1]})


def test_sweeps_are_tested() -> None:
    database = filled()
    for name, values, failure in (
        ("n", [None] * COUNT, NotNullError),
        ("n", np.full(COUNT, 5000), CheckError),
        ("p", [77] * COUNT, ForeignKeyError),
        ("id", np.full(COUNT, 1, np.int32), UniqueError),
    ):
        with database.begin() as t:
            table = t.reader.catalog.table("t")
            with pytest.raises(failure):
                t.update_stored(table, ids(t, lambda i: True), {table.by_name[name].id: values})
            assert not t.has_changes()
    with database.begin() as t:
        parents = t.reader.catalog.table("parent")
        found = np.array([row for row, _ in t.reader.rows(parents)], np.int64)
        with pytest.raises(ForeignKeyError):
            t.delete_stored(parents, found)


def test_a_transaction_goes_on_after_a_sweep() -> None:
    database = filled()
    with database.begin() as t:
        table = t.reader.catalog.table("t")
        n = table.by_name["n"].id
        t.update_stored(table, ids(t, lambda i: True), {n: np.full(COUNT, 50)})
        assert t.count("t", ["=", ["col", "n"], ["lit", 50]]) == COUNT
        t.savepoint("a")
        t.update_stored(table, ids(t, lambda i: i < 20), {n: np.full(20, 60)})
        t.update("t", 3, {"n": 70})
        t.delete_stored(table, ids(t, lambda i: i >= 40))
        assert t.get("t", 3)["n"] == 70  # type: ignore[index]
        assert t.get("t", 45) is None
        assert t.count("t") == 40
        assert sorted(r["n"] for r in t.lookup("t", "by_s", "Word 3")) == [50, 50, 50, 50, 60, 60, 60, 70]
        t.rollback_to_savepoint("a")
        assert t.count("t", ["=", ["col", "n"], ["lit", 50]]) == COUNT
        t.delete_stored(table, ids(t, lambda i: i % 2 == 0))
        t.insert_stored(table, 2, columns(t, 100, 2))
    found = rows(database)
    assert sorted(found) == [*range(1, COUNT, 2), 100, 101]
    assert found[1]["n"] == 50
    check_indexes(database)


def test_sweeps_meet_other_transactions() -> None:
    database = filled()
    one, other = database.begin(), database.begin()
    for t, value in ((one, 1), (other, 2)):
        table = t.reader.catalog.table("t")
        t.update_stored(table, ids(t, lambda i: i < 30), {table.by_name["n"].id: np.full(30, value)})
    one.commit()
    with pytest.raises(ConflictError):
        other.commit()
    assert rows(database)[0]["n"] == 1


def test_sweeps_are_in_the_log() -> None:
    database = Database.open()
    records: list[bytes] = []
    database.on_commit = records.append
    make(database)
    with database.begin() as t:
        t.insert_stored(t.reader.catalog.table("t"), COUNT, columns(t, 0, COUNT))
    with database.begin() as t:
        table = t.reader.catalog.table("t")
        t.update_stored(table, ids(t, lambda i: i % 2 == 0), {table.by_name["s"].id: ["new"] * (COUNT // 2)})
    with database.begin() as t:
        t.delete_stored(table, ids(t, lambda i: i > 40))
    again = Database(database_id=database.id)
    again.replay(records)
    assert rows(again) == rows(database)
    check_indexes(again)


def test_the_past_of_a_sweep() -> None:
    database = filled()
    before = database.timestamp
    with database.begin() as t:
        table = t.reader.catalog.table("t")
        t.update_stored(table, ids(t, lambda i: True), {table.by_name["s"].id: ["later"] * COUNT})
    assert {r["s"] for r in rows(database).values()} == {"later"}
    assert {r["s"] for r in rows(database, as_of=before).values()} == {f"Word {i}" for i in range(5)}


def test_an_emptied_table() -> None:
    database = filled()
    with database.begin() as t:
        table = t.reader.catalog.table("t")
        t.insert_stored(table, 20, columns(t, 100, 20))
        t.insert_stored(table, 2, columns(t, 200, 2))
        t.update("t", 5, {"n": 1})
        t.empty(table)
        assert t.count("t") == 0
        t.insert_stored(table, 2, columns(t, 5, 2))
    assert sorted(rows(database)) == [5, 6]
    check_indexes(database)


def test_keys_of_rows() -> None:
    database = filled()
    with database.begin() as t:
        table = t.reader.catalog.table("t")
        keys = t.keys_of(table, table.index("t_pkey"), columns(t, 55, 10), 10)
        assert keys == [(i,) for i in range(55, 65)]
        found = t.rows_by_key(table, table.index("t_pkey"), [*keys, (None,)])
        assert sorted(found) == [(i,) for i in range(55, 60)]
        t.insert_stored(table, 2, columns(t, 60, 2))
        assert sorted(t.rows_by_key(table, table.index("t_pkey"), keys)) == [(i,) for i in range(55, 62)]
        lower = table.index("by_lower")
        assert t.keys_of(table, lower, columns(t, 0, 2), 2) == [("word 0",), ("word 1",)]


def test_a_transaction_that_only_reads_refuses() -> None:
    database = filled()
    with database.begin(read_only=True) as t:
        table = t.reader.catalog.table("t")
        for call in (
            lambda: t.insert_stored(table, 1, columns(t, 100, 1)),
            lambda: t.update_stored(table, ids(t, lambda i: True), {table.by_name["s"].id: ["x"] * COUNT}),
            lambda: t.delete_stored(table, ids(t, lambda i: True)),
            lambda: t.empty(table),
        ):
            with pytest.raises(TransactionError):
                call()


def test_arrays_in_stored_form() -> None:
    database = Database.open()
    database.create_table("a", [ColumnDef("x", array(INT32))])
    with database.begin() as t:
        table = t.reader.catalog.table("a")
        t.insert_stored(table, 2, {0: [(1, None), None]})
        assert [row["x"] for row in t.scan("a")] == [[1, None], None]


def test_a_key_may_move_within_a_statement_that_does_not_forbid_it() -> None:
    database = Database.open()
    with database.begin() as t:
        t.create_table("p", [ColumnDef("id", INT32)], primary_key=["id"])
        for name, action in (("later", "no_action"), ("now", "restrict")):
            t.create_table(
                name, [ColumnDef("p", INT32)], foreign_keys=[ForeignKey(["p"], "p", on_delete=action)]
            )
        t.insert_many("p", {"id": np.arange(3)})
        t.insert("later", {"p": 0})
        t.insert("now", {"p": 1})
    with database.begin() as t:
        with pytest.raises(ForeignKeyError) as failure:
            t.delete("p", 0)
        assert failure.value.referenced
        assert not failure.value.restricted
        with pytest.raises(ForeignKeyError) as failure:
            t.delete("p", 1)
        assert failure.value.restricted
        t.delete("p", 2)


@pytest.mark.parametrize("seed", range(6))
def test_sweeps_over_sweeps(seed: int) -> None:
    """Several changes of many rows in one transaction, with reads between them, do what single changes do."""
    random_ = random.Random(seed)
    one, other = filled(), filled()
    transactions = (one.begin(), True), (other.begin(), False)
    for step in range(8):
        chosen = {i for i in range(COUNT) if random_.randrange(3)}
        kind = random_.choice(["n", "s", "f", "v", "p", "delete", "insert", "single"])
        for t, together in transactions:
            table = t.reader.catalog.table("t")
            if kind == "insert":
                for first in [100 * step] if together else range(100 * step, 100 * step + 12):
                    t.insert_stored(table, 12 if together else 1, columns(t, first, 12 if together else 1))
            elif kind == "single":
                t.update("t", min(chosen), {"n": step})
            else:
                found = ids(t, chosen.__contains__)
                if len(found):
                    _apply(t, kind, step, found, together)
        if random_.randrange(2):
            states = [
                sorted((r["id"], r["n"], r["s"], r["f"], r["p"]) for r in t.scan("t"))
                for t, _ in transactions
            ]
            assert states[0] == states[1], (step, kind)
            by_key = [t.get("t", 7) for t, _ in transactions]
            assert [row and row["n"] for row in by_key[:1]] == [row and row["n"] for row in by_key[1:]]
            for value in ("Word 1", f"word {step}"):
                found_by_key = [
                    sorted(r["id"] for r in t.lookup("t", "by_s", value)) for t, _ in transactions
                ]
                assert found_by_key[0] == found_by_key[1]
        if step == 3:
            for t, _ in transactions:
                t.savepoint("a")
        if step == 6 and seed % 2:
            for t, _ in transactions:
                t.rollback_to_savepoint("a")
    for t, _ in transactions:
        t.commit()
    assert rows(one) == rows(other)
    check_indexes(one)


def test_new_keys_are_swept_and_others_come_one_by_one() -> None:
    database = filled()
    with database.begin() as t:
        table = t.reader.catalog.table("t")
        key = table.by_name["id"].id
        found = ids(t, lambda i: True)
        t.update_stored(table, found, {key: np.arange(1000, 1000 + COUNT, dtype=np.int32)})
        assert len(t.reader.writes[table.id].sweeps) == 1
        with pytest.raises(UniqueError):
            t.update_stored(table, found, {key: np.arange(1001, 1001 + COUNT, dtype=np.int32)})
        t.update_stored(table, found[::-1], {key: np.arange(1000 + COUNT, 1000, -1, dtype=np.int32)})
    assert sorted(rows(database)) == list(range(1001, 1001 + COUNT))
    check_indexes(database)


def test_records_of_sweeps_that_do_not_fit() -> None:
    """A record with the checksum of its making, but rows and slots that are not those of the database."""
    from zengram_py.engine.log import COMMIT, Record, encode

    database = filled()
    table = database.tables()[-1]
    assert table.name[2] == "t"
    number = table.by_name["n"].id
    first, second = np.arange(0, 10, dtype=np.int32), np.arange(10, 20, dtype=np.int32)
    good: dict[str, Any] = {
        "tables": [[table.id, [], [], [[{"buffer": 0}, {"buffer": 1}, [[number, [1] * 10]]]]]],
        "definitions": [],
        "columns": [],
        "fills": [],
        "sequences": [],
        "meeting": None,
    }

    def replayed(buffers: list[Any], tables: Any = None) -> Database:
        again = Database.restore(database.export())
        payload = good if tables is None else {**good, "tables": [[table.id, *tables]]}
        record = Record(
            COMMIT, again.id, again.lsn + 1, again.timestamp + 1, 0, again.last_crc, payload, buffers
        )
        again.replay([encode(record)])
        return again

    again = replayed([first, first])
    assert {r["n"] for i, r in rows(again).items() if i < 10} == {1}
    check_indexes(again)
    for buffers in (
        [first, second],
        [first, first[:5]],
        [first[:0], first[:0]],
        [first.astype(np.int64), first],
        [first + 1000, first + 1000],
        [np.repeat(first[:5], 2), np.repeat(first[:5], 2)],
    ):
        with pytest.raises(LogError):
            replayed(buffers)
    row = [[0, 0, 0, False, []]]
    for tables in (
        [[], [], [[{"buffer": 0}, {"buffer": 1}, [[number, [1] * 9]]]]],
        [[], [], [[{"buffer": 0}, {"buffer": 7}, None]]],
        [[], [], [[{"buffer": 0}, {"buffer": 1}, None], [{"buffer": 0}, {"buffer": 1}, None]]],
        [row, [], [[{"buffer": 0}, {"buffer": 1}, None]]],
    ):
        with pytest.raises(LogError):
            replayed([first, first], tables)
