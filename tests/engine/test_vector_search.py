"""Nearest rows, for every reader: against brute force over the rows that it sees, whatever happened to the table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zengram_py.clock import ManualClock
from zengram_py.engine import INT64, TEXT, ColumnDef, Database, IndexDef, Transaction, vector
from zengram_py.engine.column import HeapColumn
from zengram_py.engine.index import hnsw
from zengram_py.engine.index.flat import METRICS, FlatIndex
from zengram_py.engine.index.hnsw import HnswIndex
from zengram_py.engine.index.vectors import Candidates
from zengram_py.engine.table import NO_SLOT
from zengram_py.errors import (
    CatalogError,
    ConflictError,
    InvalidArgumentError,
    TypeMismatchError,
    UniqueError,
)

KINDS = ("flat", "hnsw")


@pytest.fixture(autouse=True, scope="module")
def _graphs_of_a_few() -> Iterator[None]:
    """Have graphs where a scan would be quicker, and tails linked one by one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hnsw, "_SCAN_COST", 0)
        patch.setattr(hnsw, "_WALK_MOST", float("inf"))
        patch.setattr(hnsw, "BUILD_FROM", {"hnsw": 2, "auto": 2})
        patch.setattr(hnsw, "TAIL_LIMIT", 4)
        yield


def make_database(metric: str = "cosine", dimensions: int = 3) -> Database:
    db = Database.open(clock=ManualClock(1000))
    db.create_table(
        "t",
        [
            ColumnDef("k", INT64),
            ColumnDef("place", vector(dimensions)),
            ColumnDef("n", INT64),
            ColumnDef("s", TEXT),
        ],
        primary_key=["k"],
        indexes=[IndexDef(kind, kind, (["col", "place"],), options={"metric": metric}) for kind in KINDS],
    )
    return db


def reference(t: Transaction, query: Any, metric: str) -> dict[int, float]:
    """Score each row by the definition of the metric, in plain Python."""
    out = {}
    for row in t.scan("t"):
        if row["place"] is None:
            continue
        a, b = ([float(x) for x in v] for v in (row["place"], np.asarray(query, np.float32)))
        product = sum(x * y for x, y in zip(a, b, strict=True))
        lengths = sum(x * x for x in a) ** 0.5 * sum(y * y for y in b) ** 0.5
        if metric == "cosine":
            out[row["k"]] = product / lengths if lengths else 0.0
        elif metric == "ip":
            out[row["k"]] = product
        else:
            out[row["k"]] = -(sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) ** 0.5)
    return out


def ask(t: Transaction, kind: str, query: Any, k: int, **filters: Any) -> list[tuple[int, float]]:
    found = t.vector_search("t", kind).nearest(query, k, **filters)
    table = t.reader.catalog.table(("zengram", "public", "t"))
    for row, slot in zip(found.rows.tolist(), found.slots.tolist(), strict=True):
        if slot != NO_SLOT:
            assert t.reader.slot_of(table, row) == slot
    keys = [t.reader.values_of(table, row)[0] for row in found.rows.tolist()]
    return list(zip(keys, found.scores.tolist(), strict=True))


def check(t: Transaction, query: Any, metric: str) -> list[tuple[int, float]]:
    """Compare both kinds of index with brute force and with each other, to the bit."""
    expected = reference(t, query, metric)
    every = ask(t, "flat", query, 1000)
    assert ask(t, "hnsw", query, 1000) == every
    assert dict(every) == pytest.approx(expected, abs=1e-9)
    assert len(every) == len(expected)
    scores = [score for _, score in every]
    assert scores == sorted(scores, reverse=True)
    assert ask(t, "flat", query, 2) == every[:2]
    assert [score for _, score in ask(t, "hnsw", query, 2)] == scores[:2]
    return every


places = st.one_of(
    st.lists(st.integers(-2, 2), min_size=3, max_size=3).map(lambda v: [float(x) for x in v]),
    st.lists(st.floats(-10, 10, width=32), min_size=3, max_size=3),
    st.none(),
)
keys = st.integers(0, 6)
steps = st.one_of(
    st.tuples(st.just("put"), keys, places),
    st.tuples(st.just("put"), keys, places),
    st.tuples(st.just("count"), keys),
    st.tuples(st.just("delete"), keys),
    st.tuples(st.just("bulk"), st.lists(places, min_size=1, max_size=12)),
    st.tuples(
        st.sampled_from(["begin", "commit", "abort", "fork", "merge", "vacuum", "maintain", "restore"])
    ),
)


class Schedule:
    """Plays steps on a database; open transactions and branches are chosen by number."""

    def __init__(self, metric: str) -> None:
        self.db = make_database(metric)
        self.branches = ["main"]
        self.open: list[Transaction] = []
        self.next_key = 100

    def play(self, step: tuple[Any, ...], who: int) -> None:
        if step[0] in ("put", "count", "delete", "bulk"):
            if self.open and who % 2:
                self.write(self.open[who % len(self.open)], step)
                return
            with self.db.begin(branch=self.branches[who % len(self.branches)]) as t:
                self.write(t, step)
            return
        getattr(self, step[0])(who)

    def write(self, t: Transaction, step: tuple[Any, ...]) -> None:
        kind, key = step[0], step[1]
        if kind == "put" and not t.update("t", key, {"place": step[2]}):
            t.insert("t", {"k": key, "place": step[2], "n": 0})
        elif kind == "count":
            t.update("t", key, {"n": 1})
        elif kind == "delete":
            t.delete("t", key)
        elif kind == "bulk":
            first, self.next_key = self.next_key, self.next_key + len(key)
            t.insert_many("t", {"k": list(range(first, self.next_key)), "place": key})

    def begin(self, who: int) -> None:
        self.open.append(self.db.begin(branch=self.branches[who % len(self.branches)]))

    def commit(self, who: int) -> None:
        if self.open:
            with suppress(ConflictError, UniqueError):
                self.open.pop(who % len(self.open)).commit()

    def abort(self, who: int) -> None:
        if self.open:
            self.open.pop(who % len(self.open)).rollback()

    def fork(self, who: int) -> None:
        if len(self.branches) < 4:
            name = f"b{len(self.branches)}"
            self.db.fork(name, parent=self.branches[who % len(self.branches)])
            self.branches.append(name)

    def merge(self, who: int) -> None:
        if len(self.branches) > 1:
            self.db.merge(self.branches[1 + who % (len(self.branches) - 1)], strategy="theirs")

    def vacuum(self, who: int) -> None:
        self.db.vacuum()

    def maintain(self, who: int) -> None:
        for _ in range(1 + 5 * who):
            self.db.maintain(0)

    def restore(self, who: int) -> None:
        before = [check(t, [1, 0, 1], self.metric) for t in self.heads()]
        for t in self.open:
            t.rollback()
        self.open = []
        self.db = Database.restore(self.db.export(), clock=self.db.clock)
        assert [check(t, [1, 0, 1], self.metric) for t in self.heads()] == before

    def heads(self) -> list[Transaction]:
        return [self.db.begin(branch=name, read_only=True) for name in self.branches]

    @property
    def metric(self) -> str:
        return str(self.db.tables()[0].indexes[1].options["metric"])


@pytest.mark.parametrize("metric", METRICS)
@given(st.lists(st.tuples(steps, st.integers(0, 3)), max_size=25), st.integers(0, 5))
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_reader_gets_the_nearest_of_the_rows_that_it_sees(
    metric: str, schedule: list[tuple[tuple[Any, ...], int]], probe: int
) -> None:
    query = [1.0, -2.0, 0.5]
    play = Schedule(metric)
    past = []
    for number, (step, who) in enumerate(schedule):
        play.play(step, who)
        if number % 5 == probe:
            for reader in [*play.open, *play.heads()]:
                check(reader, query, metric)
        if number == len(schedule) // 2:
            kept = play.db.begin(read_only=True)
            past.append((kept.view.timestamp, check(kept, query, metric)))
            kept.rollback()
    for reader in [*play.open, *play.heads()]:
        check(reader, query, metric)
    for timestamp, then in past:
        if timestamp >= play.db.horizon and timestamp:
            assert check(play.db.begin(as_of=timestamp, read_only=True), query, metric) == then
    heads = [check(t, query, metric) for t in play.heads()]
    play.db.vacuum()
    assert [dict(check(t, query, metric)) for t in play.heads()] == [dict(head) for head in heads]


@pytest.mark.parametrize("kind", KINDS)
def test_what_others_do_changes_no_bit_of_a_score(kind: str) -> None:
    rng = np.random.default_rng(0)
    db = make_database(dimensions=8)
    with db.begin() as t:
        t.insert_many("t", {"k": list(range(400)), "place": rng.standard_normal((400, 8)).astype(np.float32)})
    while db.maintain(1):
        pass
    with db.begin() as t:
        t.delete_where("t", ["<", ["col", "k"], ["lit", 40]])
    queries = rng.standard_normal((20, 8)).astype(np.float32)

    def answers(t: Transaction) -> list[list[tuple[int, float]]]:
        return [ask(t, kind, query, 400) for query in queries]

    before = answers(db.begin())
    db.fork("other")
    with db.begin(branch="other") as t:
        t.insert_many(
            "t", {"k": list(range(1000, 1300)), "place": rng.standard_normal((300, 8)).astype(np.float32)}
        )
    assert answers(db.begin()) == before
    lost = db.begin()
    lost.insert("t", {"k": 5000, "place": queries[0]})
    lost.delete("t", 77)
    assert ask(lost, kind, queries[0], 1) == [(5000, pytest.approx(1.0))]
    lost.rollback()
    assert answers(db.begin()) == before
    with db.begin() as t:
        t.update_where("t", None, {"n": 3})
    assert answers(db.begin()) == before
    assert db.vacuum().dropped
    assert answers(db.begin()) == before
    while db.maintain(1):
        pass
    assert answers(db.begin()) == before
    assert answers(Database.restore(db.export()).begin()) == before
    db.discard("other")
    db.vacuum()
    assert answers(db.begin()) == before


@pytest.mark.parametrize("metric", METRICS)
def test_own_rows_have_the_scores_that_they_will_have(metric: str) -> None:
    rng = np.random.default_rng(1)
    db = make_database(metric, 8)
    vectors = rng.standard_normal((60, 8)).astype(np.float32)
    with db.begin() as t:
        t.insert_many("t", {"k": list(range(40)), "place": vectors[:40]})
    t = db.begin()
    t.insert_many("t", {"k": list(range(40, 55)), "place": vectors[40:55]})
    t.update("t", 3, {"place": vectors[55]})
    t.update("t", 4, {"n": 1})
    t.update("t", 5, {"place": None})
    t.delete("t", 6)
    mine = dict(ask(t, "hnsw", vectors[50], 100))
    assert len(mine) == 53
    other = db.begin()
    assert set(dict(ask(other, "hnsw", vectors[50], 100))) == set(range(40))
    t.commit()
    assert dict(ask(db.begin(), "hnsw", vectors[50], 100)) == mine  # to the bit


def test_filters_and_refusals() -> None:
    db = make_database()
    with db.begin() as t:
        t.insert_many("t", {"k": [0, 1, 2, 3], "place": [[1, 0, 0], [0, 1, 0], [0, 0, 1], None]})
    t = db.begin()
    t.insert("t", {"k": 9, "place": [1, 1, 0]})
    search = t.vector_search("t", "flat")
    slots = t.seen("t").slots
    assert search.nearest([1, 0, 0], 9, slots=slots[1:], own=[]).slots.tolist() == [1, 2]
    assert search.nearest([1, 0, 0], 9, slots=slots[:0]).slots.tolist() == [NO_SLOT]
    assert search.nearest([1, 0, 0], 0).rows.tolist() == []
    t.delete("t", 0)
    assert 0 not in dict(ask(t, "flat", [1, 0, 0], 9, slots=slots))  # what it deleted is none of its rows
    with pytest.raises(InvalidArgumentError, match="zero"):
        search.nearest([0, 0, 0], 1)
    for bad in ([1, 2], [1, 2, float("nan")], "x"):
        with pytest.raises(TypeMismatchError):
            search.nearest(bad, 1)
    with pytest.raises(CatalogError, match="not a vector index"):
        t.vector_search("t", "t_pkey")
    serial = db.begin(isolation="serializable")
    ask(serial, "flat", [1, 0, 0], 9)
    serial.insert("t", {"k": 20, "place": [1, 0, 0]})
    with db.begin() as u:
        u.insert("t", {"k": 21, "place": [1, 0, 0]})
    with pytest.raises(ConflictError):
        serial.commit()


def test_what_a_walk_measured_is_near_and_scored() -> None:
    rng = np.random.default_rng(6)
    centres = rng.standard_normal((30, 16))
    vectors = (centres[rng.integers(0, 30, 4000)] + 0.4 * rng.standard_normal((4000, 16))).astype(np.float32)
    vectors[50:60] = vectors[7]  # equal ones stand for each other in the graph
    for metric in ("cosine", "ip", "l2"):
        column = HeapColumn(vector(16))
        column.extend(vectors[:3900])
        index = HnswIndex(column, metric, kind="hnsw")
        index.finish()
        column.extend(vectors[3900:])  # a tail
        some = np.flatnonzero(rng.random(4000) < 0.7).astype(np.int32)
        for entries in (np.arange(4000, dtype=np.int32), some, some[:40]):
            candidates = Candidates(column, entries)
            query = vectors[7] + 0.1 * rng.standard_normal(16).astype(np.float32)
            found, scores = index.near(query, 200, candidates)
            assert len(np.unique(found)) == len(found) >= min(200, len(entries))
            assert np.isin(found, entries).all()
            exact = index.scores_of(query, column.refs[found])
            assert np.abs(scores - exact).max() < 1e-3 * max(1, np.abs(exact).max())
            best = FlatIndex(column, metric).nearest(query, 30, entries)[0]
            assert np.isin(best, found).mean() > 0.95


def test_few_are_scanned_whoever_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hnsw, "_SCAN_COST", 40)
    column = HeapColumn(vector(16))
    column.extend(np.random.default_rng(9).standard_normal((4000, 16)).astype(np.float32))
    index = HnswIndex(column, kind="hnsw")
    index.finish()
    for count, walks in ((4000, True), (1000, False), (40, False)):
        candidates = Candidates(column, np.arange(count, dtype=np.int32))
        query = np.ones(16, np.float32)
        for ask in (index.nearest, index.near):
            ask(query, 20, candidates)
            assert (index.last is not None) == walks
