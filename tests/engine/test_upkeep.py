"""Upkeep at 50,000 rows: commits and searches do none of it, and each call of ``maintain`` does a bounded part.

What is counted is work (``Index.work``: entries and postings moved, characters analysed, multiplications for a graph), not time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from zengram_py.clock import ManualClock
from zengram_py.engine import INT64, TEXT, ColumnDef, Database, IndexDef, vector
from zengram_py.engine.index import fulltext, ordered, partition
from zengram_py.engine.index.graph_build import STEP
from zengram_py.engine.index.hash import HashIndex
from zengram_py.engine.index.runs import MOVED_AT_ONCE
from zengram_py.engine.table import IndexState

COUNT = 50_000
INDEXES = (
    IndexDef("of_n", "ordered", (["col", "n"],)),
    IndexDef("of_name", "ordered", (["col", "name"],)),
    IndexDef("words", "fulltext", (["col", "name"],)),
    IndexDef("near", "hnsw", (["col", "place"],), options={"m": 4, "ef_construction": 8}),
)
# What a commit or a search may do besides: merge what is small, and analyse the texts that are new.
AT_ONCE = {
    "t_pkey": 2 * HashIndex.merge_at_once,
    "of_n": 2 * ordered.OrderedIndex.merge_at_once,
    "of_name": 2 * ordered.OrderedIndex.merge_at_once,
    "words": 2 * fulltext.JOIN_AT_ONCE + fulltext.TAIL_CHARACTERS,
    "near": 0,
}
# What one call of maintain may do.
A_STEP = {
    "t_pkey": 2 * MOVED_AT_ONCE,
    "of_n": 2 * MOVED_AT_ONCE,
    "of_name": 2 * ordered._CODES_A_STEP,
    "words": 4 * (1 << 14) + fulltext.TAIL_CHARACTERS,
    "near": 3 * STEP,
}


def states(db: Database) -> dict[str, IndexState]:
    (store,) = db.stores.values()
    return {state.definition.name: state for state in store.indexes.values()}


def work(db: Database) -> dict[str, int]:
    return {name: state.structure.work for name, state in states(db).items()}


def done_since(db: Database, before: dict[str, int]) -> dict[str, int]:
    return {name: now - before[name] for name, now in work(db).items()}


def rows(first: int, count: int) -> dict[str, Any]:
    rng = np.random.default_rng(first)
    numbers = np.arange(first, first + count)
    return {
        "id": numbers,
        "n": numbers * 7919 % 100_003,
        "name": [f"w{a} w{b}" for a, b in rng.integers(0, 5000, (count, 2)).tolist()],
        "place": rng.standard_normal((count, 8)).astype(np.float32),
    }


def search(db: Database, seed: int) -> None:
    with db.begin(read_only=True) as t:
        seen = t.seen("t")
        near = seen.index("near")
        query = np.random.default_rng(seed).standard_normal(8).astype(np.float32)
        found, _ = near.structure.nearest(query, 10, near.entry.view[seen.slots])  # type: ignore[attr-defined]
        assert len(found) == 10
        t.text_search("t", "words").rank(f"w{seed % 5000} w1*", 10)
        assert t.get("t", 20_000 + seed) is not None
        list(t.range("t", "of_n", seed, seed + 20))
        list(t.range("t", "of_name", prefix=f"w{seed % 5000} "))


def test_only_maintain_rebuilds_and_merges_and_each_call_does_a_bounded_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        partition, "PROBED", 4
    )  # a worse graph, built in a tenth of the time: steps are as large as ever
    db = Database.open(clock=ManualClock())
    columns = [
        ColumnDef("id", INT64),
        ColumnDef("n", INT64),
        ColumnDef("name", TEXT),
        ColumnDef("place", vector(8)),
    ]
    db.create_table("t", columns, primary_key=["id"])
    with db.begin() as t:
        t.insert_many("t", rows(0, COUNT))
    for index in INDEXES:
        with db.begin() as t:
            t.create_index("t", index)
    assert db.pending() == []
    near: Any = states(db)["near"].structure
    graph = near.graph
    assert len(graph) == COUNT

    def at_once(number: int) -> None:
        """Write and search, and look at what that did."""
        before, now = work(db), near.graph
        with db.begin() as t:
            t.insert_many("t", rows(COUNT + 1000 * number, 200 if number % 4 else 1))
        search(db, number)
        assert near.graph is now
        done = done_since(db, before)
        assert all(done[name] <= AT_ONCE[name] for name in done), done

    before = work(db)
    with db.begin() as t:
        assert t.delete_where("t", ["<", ["col", "id"], ["lit", 3 * COUNT // 10]]) == 3 * COUNT // 10
    search(db, 0)
    assert done_since(db, before)["near"] == 0
    for number in range(12):
        at_once(number)
    assert len(near.graph) == len(graph) == COUNT
    assert set(db.pending()) == {"merge index runs", "vacuum"}

    calls = vacuumed = 0
    slots = len(next(iter(db.stores.values())))
    is_more = True
    while is_more:
        before, epoch = work(db), next(iter(db.stores.values())).epoch
        is_more = db.maintain(0)
        done = done_since(db, before)
        if next(iter(db.stores.values())).epoch > epoch:
            # A vacuum ends with a step that renumbers all: each posting once (a row has two), and no graph is built.
            vacuumed += 1
            assert done.pop("words") <= 2 * slots + fulltext.TAIL_CHARACTERS
            assert done["near"] == 0
        else:
            assert sum(amount > 0 for amount in done.values()) <= 1
        assert all(done[name] <= A_STEP[name] for name in done), done
        calls += 1
        if calls % 100 == 0:
            at_once(calls)
        assert calls < 5000
    assert vacuumed == 1
    assert calls > 200
    assert db.pending() == []
    assert near.graph is not graph
    assert len(near.heap) - len(near.graph) < 3000
    assert next(iter(db.stores.values())).ended == 0
