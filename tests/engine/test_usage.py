"""What a database says that it uses, and that dropping things makes it less."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

from zengram_py.engine.growable import Growable
from zengram_py.engine.heap import ValueHeap
from zengram_py.engine.types import TEXT
from zengram_py.engine.usage import Stats, held_bytes, stats_of
from zengram_py.errors import ClosedError
from zengram_py.memory import ZengramMemory
from zengram_py.memory.joins import ValueCodes
from zengram_py.sql.text_cache import text_cache
from zengram_py.sql.zeta import ZetaDb


def filled(count: int = 1000) -> ZetaDb:
    db = ZetaDb.open()
    db.exec_ddl("create table t (a int primary key, b text)")
    db.exec_mut(f"insert into t select g, 'text ' || g from generate_series(1, {count}) g")
    return db


def test_data_and_caches_are_told_apart() -> None:
    db = filled()
    before = db.stats()
    total = sum(sum(parts.values()) for parts in db.engine.size().values())
    assert before.database_bytes + before.cache_bytes == total
    db.query("select count(*) from t where b like '%1'")
    assert db.stats().cache_bytes >= before.cache_bytes + 1000  # a mask
    assert db.stats().database_bytes == before.database_bytes
    assert db.stats().versions == 1000


def test_decoded_values_of_a_snapshot_are_a_cache() -> None:
    db = ZetaDb.open_from_snapshot(filled(3000).export_snapshot())
    before = stats_of(db.engine)
    db.query("select b from t where a <= 10")
    some = stats_of(db.engine).cache_bytes - before.cache_bytes
    db.query("select b from t")
    every = stats_of(db.engine).cache_bytes - before.cache_bytes
    texts = sum(len(f"text {i}") for i in range(1, 3001))
    assert every - some >= texts - sum(len(f"text {i}") for i in range(1, 11)) - 100
    assert stats_of(db.engine).database_bytes == before.database_bytes


def test_a_heap_measures_each_value_once_and_all_of_them() -> None:
    heap = ValueHeap(TEXT)
    for values in (["a" * 10], ["b" * 20, "c" * 30]):
        heap.extend([*values, *(f"{i}" for i in range(2000))])
        tail = sum(map(len, heap.take(np.arange(len(heap)))))
        assert heap.nbytes == heap.nbytes == 8 + 8 * len(heap) + tail
    heap.freeze()
    assert heap.nbytes == 8 * (len(heap) + 1) + 8 * len(heap) + tail
    assert heap.decoded_bytes == tail
    heap.append("new")
    assert heap.nbytes == 8 * len(heap) + 8 * len(heap) + tail + 3


def test_transactions_and_statements_are_counted() -> None:
    db = filled(10)
    known = db.stats().statements
    with db.begin() as transaction, db.stream("select a from t") as cursor:
        stats = transaction.stats()
        assert (stats.transactions, stats.statements) == (2, known + 1)
        assert cursor.stats() == stats
    assert transaction.stats().transactions == 0
    db.close()
    for one in (db, transaction, cursor):
        with pytest.raises(ClosedError):
            one.stats()


def test_a_memory_counts_what_recall_keeps() -> None:
    with ZengramMemory.open(2) as memory:
        for i in range(50):
            memory.remember_with_vector(f"s{i}", f"said by Ada Lovelace {i}", "/", [1, i])
        before = memory.stats()
        memory.recall_with_vector("Ada", "/", [1, 0])
        after = memory.stats()
        assert isinstance(after, Stats)
        assert after.cache_bytes > before.cache_bytes + 50
        assert after.database_bytes >= before.database_bytes
    with pytest.raises(ClosedError):
        memory.stats()


def test_held_bytes_counts_each_thing_once_and_nothing_of_others() -> None:
    codes = ValueCodes("scope", str)
    codes._codes = Growable(np.int32, (), np.zeros(1000, np.int32))
    alone = held_bytes([codes], "zengram_py.memory")
    assert alone >= 4000
    assert held_bytes([codes, [codes, codes]], "zengram_py.memory") < alone + 200
    assert held_bytes([codes], "zengram_py.sql") < 100
    assert held_bytes([np.zeros(1000)[::2]], "zengram_py.memory") < 100
    many = {f"key {i}": [i] for i in range(10_000)}
    exact = held_bytes([{k: many[k] for k in list(many)[:1000]}], "zengram_py.memory")
    assert held_bytes([many], "zengram_py.memory") == pytest.approx(10 * exact, rel=0.2)


def test_a_closed_database_leaves_nothing_to_the_garbage_collection() -> None:
    memory = ZengramMemory.open(2)
    memory.remember_with_vector("s", "said by Ada Lovelace", "/", [1, 0])
    memory.recall_with_vector("Ada", "/", [1, 0])
    memory.query("update knowledge set tags = null")
    columns = [weakref.ref(c) for s in memory.engine.stores.values() for c in s.columns.values()]
    assert len(columns) > 100
    gc.disable()
    try:
        memory.close()
        assert [column() for column in columns if column() is not None] == []
    finally:
        gc.enable()


def test_who_holds_a_table_of_a_closed_database_is_told_so() -> None:
    db = filled(10)
    (store,) = db.engine.stores.values()
    db.close()
    with pytest.raises(ClosedError):
        store.columns[1]
    with pytest.raises(ClosedError):
        store.indexes[1]


def test_maintain_lets_dropped_tables_go() -> None:
    db = ZetaDb.open()
    for i in range(300):
        db.exec_ddl(f"create table t{i} (a int)")
        db.exec_mut(f"insert into t{i} values (1)")
        db.exec_ddl(f"drop table t{i}")
        while db.engine.maintain(50):
            pass
    assert len(db.engine.stores) <= 101
    assert len(db.engine.catalog.entries) <= 102


def test_maintain_ends_where_a_branch_still_sees_what_was_dropped() -> None:
    db = ZetaDb.open()
    for i in range(150):
        db.exec_ddl(f"create table t{i} (a int)")
    db.exec_ddl("create branch b")
    for i in range(150):
        db.exec_ddl(f"drop table t{i}")
    assert db.engine.pending() == ["vacuum"]
    for _ in range(1000):
        if not db.engine.maintain(50):
            break
    assert db.engine.pending() == []
    assert len(db.engine.stores) == 150


def test_texts_are_remembered_up_to_a_length() -> None:
    made: list[tuple[int, str]] = []

    @text_cache(64, at=1)
    def length(extra: int, text: str) -> int:
        made.append((extra, text[:1]))
        return len(text) + extra

    for text in ("s" * 10, "l" * 5000, "x" * 100_000):
        assert [length(1, text), length(1, text), length(2, text)] == [len(text) + 1] * 2 + [len(text) + 2]
    assert made == [(1, "s"), (2, "s"), (1, "l"), (2, "l"), (1, "x"), (1, "x"), (2, "x")]
    made.clear()
    for i in range(100):  # long texts do not push short ones out
        length(1, f"{i}" * 3000)
    length(1, "s" * 10)
    assert (1, "s") not in made
