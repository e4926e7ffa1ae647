"""The graph index against the exact scan: what it finds, what it survives, and in what steps it works."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from zengram_py.clock import ManualClock
from zengram_py.engine import INT64, ColumnDef, Database, IndexDef, vector
from zengram_py.engine.column import HeapColumn
from zengram_py.engine.index import hnsw
from zengram_py.engine.index.flat import METRICS, FlatIndex
from zengram_py.engine.index.graph_build import STEP
from zengram_py.engine.index.hnsw import REBUILD_SHARE, TAIL_LIMIT, HnswIndex
from zengram_py.engine.index.vectors import Candidates, VectorIndex
from zengram_py.errors import CatalogError

Vectors = NDArray[np.float32]
K = 10
COUNT = 10_000


@pytest.fixture
def always_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the graph answer where the scan would be quicker."""
    monkeypatch.setattr(hnsw, "_SCAN_COST", 0)
    monkeypatch.setattr(hnsw, "_WALK_MOST", float("inf"))
    monkeypatch.setattr(hnsw, "BUILD_FROM", {"hnsw": 1, "auto": 1})


# -- data --------------------------------------------------------------------------------------------------------------


def unit(vectors: NDArray[np.float64]) -> Vectors:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def latent(count: int, dimensions: int = 384, inner: int = 24, seed: int = 0) -> tuple[Vectors, Vectors]:
    """Return vectors with few inner dimensions, and queries near some of them."""
    rng = np.random.default_rng(seed)
    spread = rng.standard_normal((inner, dimensions)) / np.sqrt(inner)
    vectors = rng.standard_normal((count, inner)) @ spread + 0.05 * rng.standard_normal((count, dimensions))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    queries = vectors[rng.choice(count, 100)] + 0.02 * rng.standard_normal((100, dimensions))
    return vectors.astype(np.float32), queries.astype(np.float32)


def clustered(
    count: int, clusters: int = 300, dimensions: int = 64, seed: int = 1
) -> tuple[Vectors, Vectors]:
    """Return tight clusters far from each other, in random order."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((clusters, dimensions))
    vectors = centres[rng.integers(0, clusters, count)] + 0.05 * rng.standard_normal((count, dimensions))
    queries = centres[rng.integers(0, clusters, 100)] + 0.05 * rng.standard_normal((100, dimensions))
    return unit(vectors), unit(queries)


def by_cluster(count: int) -> tuple[Vectors, Vectors]:
    """Return clusters one after the other."""
    vectors, queries = clustered(count)
    return vectors[np.lexsort(np.round(vectors.T, 1))], queries


def duplicated(count: int) -> tuple[Vectors, Vectors]:
    """Return few distinct vectors, some a thousand times."""
    vectors, queries = latent(count // 20, 64)
    rng = np.random.default_rng(2)
    return vectors[np.minimum(rng.geometric(0.004, count), len(vectors)) - 1], queries


def nearly_equal(count: int) -> tuple[Vectors, Vectors]:
    """Return clumps of a hundred vectors that differ in the last digits."""
    vectors, queries = latent(count // 100, 64)
    rng = np.random.default_rng(3)
    return np.repeat(vectors, 100, axis=0) * (1 + 1e-5 * rng.standard_normal((count, 64))).astype(
        np.float32
    ), queries


def of_full_rank(count: int) -> tuple[Vectors, Vectors]:
    """Return vectors in loose clusters whose variance falls slowly over 384 directions: few hold only a part of it."""
    rng = np.random.default_rng(10)
    falling = np.arange(1, 385) ** -0.5
    centres = rng.standard_normal((100, 384)) * falling
    vectors = 0.6 * centres[rng.integers(0, 100, count)] + rng.standard_normal((count, 384)) * falling
    queries = vectors[:100] + 0.3 * rng.standard_normal((100, 384)) * falling
    return unit(vectors), unit(queries)


def on_a_line(count: int) -> tuple[Vectors, Vectors]:
    """Return vectors of one dimension."""
    rng = np.random.default_rng(4)
    return rng.standard_normal((count, 1)).astype(np.float32), rng.standard_normal((100, 1)).astype(
        np.float32
    )


def far_from_zero(count: int) -> tuple[Vectors, Vectors]:
    """Return vectors whose differences are small beside their lengths."""
    vectors, queries = latent(count, 64)
    return vectors + np.float32(100), queries + np.float32(100)


def of_all_lengths(count: int) -> tuple[Vectors, Vectors]:
    vectors, queries = latent(count, 64)
    rng = np.random.default_rng(5)
    return vectors * rng.lognormal(0, 0.5, (count, 1)).astype(np.float32), queries


DATA = {
    f.__name__: f
    for f in (
        clustered,
        by_cluster,
        duplicated,
        nearly_equal,
        of_full_rank,
        on_a_line,
        of_all_lengths,
    )
}


def column_of(vectors: Vectors) -> HeapColumn:
    column = HeapColumn(vector(vectors.shape[1]))
    column.extend(vectors)
    return column


def recall(
    index: VectorIndex, column: HeapColumn, queries: Vectors, entries: Any = None, k: int = K
) -> float:
    """Return which share of the true nearest an index finds, by score: of equal vectors any will do.

    What it finds must have the very score that the scan gives it, and be in order.
    """
    exact = FlatIndex(column, index.metric)
    everything = np.arange(len(column), dtype=np.int32) if entries is None else entries
    hits = []
    for query in queries:
        found, scores = index.nearest(query, k, entries)
        truth, best = exact.nearest(query, k, everything)
        assert len(found) == len(set(found.tolist())) == len(truth)
        again = dict(zip(*(a.tolist() for a in exact.nearest(query, len(found), found)), strict=True))
        assert [again[entry] for entry in found.tolist()] == scores.tolist()
        assert sorted(zip((-scores).tolist(), found.tolist(), strict=True)) == list(
            zip((-scores).tolist(), found.tolist(), strict=True)
        )
        if entries is not None:
            assert np.isin(found, entries).all()
        hits.append(np.count_nonzero(scores >= best[-1]) / max(1, len(best)))
    return float(np.mean(hits))


@pytest.fixture(scope="module")
def built() -> tuple[HeapColumn, HnswIndex, Vectors]:
    vectors, queries = latent(COUNT)
    column = column_of(vectors)
    index = HnswIndex(column)
    index.finish()
    return column, index, queries


# -- what it finds -----------------------------------------------------------------------------------------------------


def test_it_finds_nearly_all_and_looks_at_few(built: tuple[HeapColumn, HnswIndex, Vectors]) -> None:
    column, index, queries = built
    assert recall(index, column, queries) >= 0.99
    assert index.last is not None
    assert index.last.measured < COUNT / 5


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("metric", METRICS)
def test_it_finds_nearly_all_of_difficult_data(name: str, metric: str) -> None:
    vectors, queries = DATA[name](6000)
    column = column_of(vectors)
    index = HnswIndex(column, metric, kind="hnsw")
    index.finish()
    assert recall(index, column, queries) >= 0.99
    assert index.graph is not None


def test_distances_far_from_zero() -> None:
    vectors, queries = far_from_zero(5000)
    column = column_of(vectors)
    index = HnswIndex(column, "l2", kind="hnsw")
    index.finish()
    assert recall(index, column, queries) >= 0.99


@pytest.mark.usefixtures("always_walk")
@given(
    count=st.integers(0, 50),
    dimensions=st.sampled_from([1, 2, 8]),
    metric=st.sampled_from(METRICS),
    seed=st.integers(0, 1000),
    k=st.integers(0, 60),
    few=st.booleans(),
)
@settings(max_examples=100, deadline=None)
def test_a_few_vectors_are_all_found(
    count: int, dimensions: int, metric: str, seed: int, k: int, few: bool
) -> None:
    rng = np.random.default_rng(seed)
    vectors = rng.integers(-2, 3, (count, dimensions)) if few else rng.standard_normal((count, dimensions))
    column = column_of(vectors.astype(np.float32))
    index = HnswIndex(column, metric, kind="hnsw")
    index.finish()
    assert (index.graph is None) == (count == 0)
    query = rng.standard_normal(dimensions).astype(np.float32)
    for entries in (None, np.flatnonzero(rng.random(count) < 0.5).astype(np.int32)):
        exact = FlatIndex(column, metric)
        found, scores = index.nearest(query, k, entries)
        truth, best = exact.nearest(query, k, entries)
        assert found.tolist() == truth.tolist()
        assert scores.tolist() == best.tolist()


@pytest.mark.parametrize("share", [0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 0.99, 1.0])
def test_a_filter_costs_no_recall(built: tuple[HeapColumn, HnswIndex, Vectors], share: float) -> None:
    column, index, queries = built
    entries = np.flatnonzero(np.random.default_rng(6).random(COUNT) < share).astype(np.int32)
    assert recall(index, column, queries[:50], entries) >= 0.99
    assert recall(index, column, queries[:50], np.random.default_rng(7).permutation(entries)) >= 0.99


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_a_filter_that_leaves_only_what_is_far(
    built: tuple[HeapColumn, HnswIndex, Vectors], share: float
) -> None:
    column, index, queries = built
    far = np.argsort(column.heap.matrix @ queries[0])[: int(share * COUNT)]  # type: ignore[union-attr]
    assert recall(index, column, queries[:1], far.astype(np.int32)) >= 0.99


@pytest.mark.usefixtures("always_walk")
@pytest.mark.parametrize("share", [0.01, 0.1, 0.5])
def test_walking_under_a_filter_alone(built: tuple[HeapColumn, HnswIndex, Vectors], share: float) -> None:
    column, index, queries = built
    entries = np.flatnonzero(np.random.default_rng(8).random(COUNT) < share).astype(np.int32)
    assert recall(index, column, queries[:30], entries) >= 0.99
    assert index.last is not None


def test_candidates_are_made_once_for_many_searches(built: tuple[HeapColumn, HnswIndex, Vectors]) -> None:
    column, index, queries = built
    entries = np.flatnonzero(np.arange(COUNT) % 3).astype(np.int32)
    candidates = Candidates(column, entries)
    for query in queries[:20]:
        for one, other in zip(
            index.nearest(query, K, candidates), index.nearest(query, K, entries), strict=True
        ):
            assert one.tolist() == other.tolist()


def test_entries_that_share_a_vector(always_walk: None) -> None:
    vectors, queries = latent(600, 32)
    column = column_of(vectors)
    column.copy_from(np.arange(0, 600, 2))  # later versions with the same references
    index = HnswIndex(column, kind="hnsw")
    index.finish()
    assert recall(index, column, queries, k=25) == 1.0
    found, _ = index.nearest(vectors[4], 2)
    assert found.tolist() == [4, 602]


def test_more_answers_than_usual(built: tuple[HeapColumn, HnswIndex, Vectors]) -> None:
    column, index, queries = built
    assert recall(index, column, queries[:20], k=200) >= 0.99
    assert len(index.nearest(queries[0], 3 * COUNT)[0]) == COUNT


@pytest.mark.usefixtures("always_walk")
@pytest.mark.parametrize("metric", METRICS)
def test_extreme_lengths(metric: str) -> None:
    rng = np.random.default_rng(9)
    vectors = rng.standard_normal((400, 8)) * 10.0 ** rng.choice([-25, 0, 25], (400, 1))
    vectors[:5] = 0
    column = column_of(vectors.astype(np.float32))
    index = HnswIndex(column, metric, kind="hnsw", ef_search=200)
    index.finish()
    assert recall(index, column, rng.standard_normal((20, 8)).astype(np.float32)) >= 0.9


# -- what comes later --------------------------------------------------------------------------------------------------


def test_a_new_vector_is_found_at_once_and_linked_later() -> None:
    vectors, queries = latent(6000 + TAIL_LIMIT, 64)
    column = column_of(vectors[:6000])
    index = HnswIndex(column)
    index.finish()
    for i in range(6000, len(vectors)):
        assert not index.is_untidy
        column.append(vectors[i])
        if i % 50 == 0:
            assert index.nearest(vectors[i], 1)[0].tolist() == [i]
    assert index.is_untidy
    assert index.graph is not None
    assert len(index.graph) == 6000
    calls = 0
    while index.maintain(0.0):
        assert index.step_cost <= 2 * STEP
        calls += 1
        if calls % 100 == 0:
            assert recall(index, column, queries[:5]) >= 0.9
    assert calls >= TAIL_LIMIT
    assert len(index.graph) == len(vectors)
    assert recall(index, column, queries) >= 0.99
    assert recall(index, column, vectors[6000:6100]) >= 0.99
    assert all(index.nearest(vectors[i], 1)[0].tolist() == [i] for i in range(6000, len(vectors), 7))


@pytest.mark.parametrize("metric", METRICS)
def test_a_graph_that_grew_one_by_one(metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hnsw, "REBUILD_SHARE", 100.0)
    monkeypatch.setattr(hnsw, "GROWTH", 100.0)
    monkeypatch.setattr(hnsw, "_SCAN_COST", 0)
    vectors, queries = latent(3000, 32)
    vectors[1::50] = vectors[::50]
    column = column_of(vectors[:300])
    index = HnswIndex(column, metric, kind="hnsw")
    index.finish()
    column.extend(vectors[300:])
    index.finish()
    assert index.graph is not None
    assert len(index.graph) == 3000
    assert recall(index, column, queries) >= 0.99


@pytest.mark.parametrize("name", ["by_cluster", "on_a_line", "nearly_equal", "duplicated"])
def test_a_graph_that_grew_in_an_adverse_order(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hnsw, "_SCAN_COST", 0)
    vectors, queries = DATA[name](6000)
    vectors = vectors[
        np.lexsort(vectors.T[::-1])
    ]  # neighbours come one after the other, and what is far comes last
    column = column_of(vectors[:1500])
    index = HnswIndex(column, "l2", kind="hnsw")
    index.finish()
    for start in range(1500, 6000, TAIL_LIMIT):
        column.extend(vectors[start : start + TAIL_LIMIT])
        index.finish()
        assert index._linked <= 0.5 * len(column)
    assert index.graph is not None
    assert recall(index, column, queries[:50]) >= 0.98


@pytest.mark.parametrize("name", DATA)
def test_half_of_difficult_data_is_deleted(name: str) -> None:
    vectors, queries = DATA[name](2500)
    queries = queries[:50]
    gone = np.random.default_rng(3).random(2500) < 0.5
    if name == "by_cluster":
        gone = np.arange(2500) % 200 < 100  # whole clusters go
    column = column_of(vectors)
    index = HnswIndex(column, kind="hnsw")
    index.finish()
    kept = np.flatnonzero(~gone).astype(np.int32)
    assert recall(index, column, queries, kept) >= 0.99  # before a vacuum they are only hidden
    smaller = column_of(vectors[kept])
    smaller.kept_refs = kept
    index.attach(smaller)
    assert index.graph is not None
    assert recall(index, smaller, queries) >= 0.98  # after it, the graph is mended
    index.finish()
    assert recall(index, smaller, queries) >= 0.99  # and built anew


def test_a_large_tail_builds_anew_while_the_old_graph_answers() -> None:
    vectors, queries = latent(6000, 64)
    column = column_of(vectors[:3000])
    index = HnswIndex(column)
    index.finish()
    old = index.graph
    column.extend(vectors[3000:])
    assert index.maintain(0.0)
    steps = 1
    while index.maintain(0.0):
        steps += 1
        assert index.graph is old
        if steps % 20 == 0:
            assert recall(index, column, queries[:5]) >= 0.98
    assert index.graph is not old
    assert index.graph is not None
    assert len(index.graph) == 6000
    assert recall(index, column, queries) >= 0.99


def test_steps_are_bounded_whatever_the_data() -> None:
    for vectors, _ in (latent(COUNT), duplicated(COUNT), by_cluster(COUNT)):
        index = HnswIndex(column_of(vectors))
        most = calls = 0
        while index.maintain(0.0):
            calls += 1
            most = max(most, index.step_cost)
        assert 0 < most <= 3 * STEP
        assert calls > 20


def test_equal_vectors_in_equal_order_give_equal_graphs() -> None:
    vectors, _ = latent(4000, 64)
    sections = []
    for seed in (0, 0, 1):
        index = HnswIndex(column_of(vectors[:3600]), seed=seed)
        index.finish()
        index._column.extend(vectors[3600:])
        index.maintain(float("inf"))
        sections.append(index.save())
    assert all(np.array_equal(sections[0][name], sections[1][name]) for name in sections[0])
    assert not np.array_equal(sections[0]["links"], sections[2]["links"])


# -- in a database -----------------------------------------------------------------------------------------------------


def table(vectors: Vectors, kind: str = "hnsw", **options: Any) -> Database:
    db = Database.open(clock=ManualClock())
    db.create_table(
        "item",
        [
            ColumnDef("id", INT64),
            ColumnDef("n", INT64, default=["lit", 0]),
            ColumnDef("place", vector(vectors.shape[1])),
        ],
        primary_key=["id"],
    )
    with db.begin() as t:
        t.insert_many("item", {"id": np.arange(len(vectors)), "place": vectors})
    with db.begin() as t:
        t.create_index("item", IndexDef("near", kind, (["col", "place"],), options=options))
    return db


def structure(db: Database) -> HnswIndex:
    found = db.begin().seen("item").index("near").structure
    assert isinstance(found, HnswIndex)
    return found


def both(t: Any, query: Vectors, k: int = K) -> tuple[list[int], list[float], list[int], list[float]]:
    """Return ids and scores of the nearest rows that a transaction sees, by the index and by a scan."""
    seen = t.seen("item")
    state = seen.index("near")
    entries = state.entry.view[seen.slots]
    column = seen.column("place")
    entries = entries[column.refs[entries] >= 0]
    exact = FlatIndex(column, state.structure.metric)
    out: list[Any] = []
    for index in (state.structure, exact):
        found, scores = index.nearest(query, k, entries)
        slots = seen.store.slots_of_entries(t.view, state.definition.id, found)
        out += [seen.column("id").take(slots), scores.tolist()]
    return tuple(out)  # type: ignore[return-value]


def db_recall(db: Database, queries: Vectors, **view: Any) -> float:
    hits = []
    with db.begin(read_only=True, **view) as t:
        for query in queries:
            ids, _, true_ids, _ = both(t, query)
            hits.append(len(set(ids) & set(true_ids)) / max(1, len(true_ids)))
    return float(np.mean(hits))


@pytest.fixture
def small_scans(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hnsw, "_SCAN_COST", 100)


@pytest.mark.usefixtures("small_scans")
def test_updates_aborts_branches_and_the_past() -> None:
    vectors, queries = latent(3000, 48)
    db = table(vectors[:2000])
    assert structure(db).graph is not None
    before = db.timestamp
    was = [both(db.begin(), query) for query in queries[:10]]
    db.fork("idea")
    with db.begin() as t:
        for i in range(200):
            t.update("item", i, {"place": vectors[2000 + i]})
        t.update_where("item", ["<", ["col", "id"], ["lit", 1500]], {"n": 7})  # no vector changes
        t.delete_where("item", [">=", ["col", "id"], ["lit", 1800]])
    with db.begin(branch="idea") as t:
        t.insert_many("item", {"id": np.arange(5000, 5300), "place": vectors[2500:2800]})
    t = db.begin()
    t.insert("item", {"id": 9000, "place": queries[0]})
    t.rollback()
    for finished in (False, True):
        assert db_recall(db, queries) >= 0.99
        assert db_recall(db, queries, branch="idea") >= 0.99
        assert db_recall(db, queries, as_of=before) >= 0.99
        with db.begin(read_only=True, as_of=before) as t:
            assert [both(t, query)[2:] for query in queries[:10]] == [one[2:] for one in was]
        with db.begin(read_only=True) as t:
            assert both(t, vectors[2007], 1)[0] == [7]
            assert 9000 not in both(t, queries[0], 1)[0]
        with db.begin(read_only=True, branch="idea") as t:
            assert both(t, vectors[2510], 1)[0] == [5010]
            assert both(t, vectors[1900], 1)[0] == [1900]
        if not finished:
            structure(db).finish()
    assert db.merge("idea").applied
    assert db_recall(db, queries) >= 0.99


@pytest.mark.usefixtures("small_scans")
@pytest.mark.parametrize("share", [0.1, 0.5])
@pytest.mark.parametrize("order", ["scattered", "first"])
def test_a_vacuum_takes_vectors_out_of_the_graph(share: float, order: str) -> None:
    vectors, queries = latent(4000, 48)
    vectors[1::40] = vectors[::40]  # twins, of which one may go
    db = table(vectors)
    gone = int(4000 * share)
    with db.begin() as t:
        if order == "first":
            t.delete_where("item", ["<", ["col", "id"], ["lit", gone]])
        else:
            for i in np.random.default_rng(1).permutation(4000)[:gone].tolist():
                t.delete("item", i)
    assert db_recall(db, queries) >= 0.99
    with db.begin() as t:
        t.insert_many("item", {"id": np.arange(5000, 5100), "place": vectors[:100][::-1]})
    db.vacuum()
    index = structure(db)
    assert index.graph is not None
    assert len(index.graph) == 4000 - gone
    assert db_recall(db, queries) >= 0.985
    assert index.is_untidy
    while db.maintain(0.0):
        pass
    assert (len(index.graph) == 4100 - gone) == (share > REBUILD_SHARE)
    assert db_recall(db, queries) >= 0.99
    assert db.pending() == []


def test_a_vacuum_in_the_middle_of_a_build_begins_it_again() -> None:
    vectors, queries = latent(5000, 48)
    db = table(vectors[:3000])
    with db.begin() as t:
        t.insert_many("item", {"id": np.arange(3000, 5000), "place": vectors[3000:]})
        t.delete_where("item", ["<", ["col", "id"], ["lit", 200]])
    index = structure(db)
    for _ in range(30):
        index.maintain(0.0)
    db.vacuum()
    assert db_recall(db, queries) >= 0.98
    while db.maintain(0.0):
        pass
    assert index.graph is not None
    assert len(index.graph) == 4800
    assert db_recall(db, queries) >= 0.99


def test_everything_goes() -> None:
    vectors, queries = latent(3000, 16)
    db = table(vectors)
    with db.begin() as t:
        t.delete_where("item", [">=", ["col", "id"], ["lit", 0]])
    db.vacuum()
    while db.maintain(0.0):
        pass
    assert both(db.begin(), queries[0])[0] == []
    with db.begin() as t:
        t.insert("item", {"id": 1, "place": vectors[0]})
    assert both(db.begin(), queries[0])[0] == [1]


@pytest.mark.usefixtures("small_scans")
def test_a_restored_graph_answers_the_same() -> None:
    vectors, queries = latent(4000, 48)
    vectors[1::40] = vectors[::40]
    db = table(vectors[:3700], metric="l2", ef_search=40, m=12)
    with db.begin() as t:
        t.insert_many("item", {"id": np.arange(3700, 4000), "place": vectors[3700:]})
    snapshot = db.export()
    again = Database.restore(snapshot)
    assert again.export() == snapshot
    assert structure(again).graph is not None
    assert len(structure(again).graph) == 3700  # type: ignore[arg-type]
    for query in queries:
        assert both(db.begin(), query) == both(again.begin(), query)
    for one in (db, again):  # and it goes on
        with one.begin() as t:
            t.insert_many("item", {"id": np.arange(4000, 4300), "place": vectors[:300] * np.float32(1.5)})
        while one.maintain(0.0):
            pass
    assert len(structure(again).graph) == 4300  # type: ignore[arg-type]
    for query in queries:
        assert both(db.begin(), query) == both(again.begin(), query)


def test_linking_does_not_change_a_snapshot_that_is_being_written() -> None:
    vectors, _ = latent(4200, 16)
    db = table(vectors[:3600])
    whole = db.export()
    chunks = db.export_chunks(4096)
    begun = [next(chunks)]
    with db.begin() as t:
        t.insert_many("item", {"id": np.arange(3600, 4200), "place": vectors[3600:]})
    while db.maintain(0.0):
        pass
    assert len(structure(db).graph) == 4200  # type: ignore[arg-type]
    assert b"".join(begun + list(chunks)) == whole


def test_a_replayed_index_is_left_to_maintenance() -> None:
    records: list[bytes] = []
    db = Database.open(clock=ManualClock())
    start = db.export()
    db.on_commit = records.append
    vectors, queries = latent(3000, 16)
    db.create_table("item", [ColumnDef("id", INT64), ColumnDef("place", vector(16))], primary_key=["id"])
    with db.begin() as t:
        t.insert_many("item", {"id": np.arange(3000), "place": vectors})
    with db.begin() as t:
        t.create_index("item", IndexDef("near", "auto", (["col", "place"],)))
    assert structure(db).graph is not None
    other = Database.restore(start, clock=ManualClock())
    other.replay(records)
    assert structure(other).graph is None
    assert db_recall(other, queries[:5]) == 1.0
    while other.maintain(0.0):
        pass
    for name, array in structure(db).save().items():
        assert np.array_equal(array, structure(other).save()[name])


# -- settings and damage -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"metric": "manhattan"},
        {"m": 1},
        {"m": True},
        {"ef_search": 0},
        {"ef_construction": "8"},
        {"seed": -1},
    ],
)
def test_settings_out_of_bounds_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(CatalogError):
        table(latent(10, 4)[0], **options)


def test_a_graph_index_is_on_a_vector_column() -> None:
    db = table(latent(10, 4)[0])
    with db.begin() as t, pytest.raises(CatalogError, match="one vector column"):
        t.create_index("item", IndexDef("u", "auto", (["col", "n"],)))
    with db.begin() as t, pytest.raises(CatalogError, match="no keys"):
        t.lookup("item", "near", 1)


def damaged() -> Iterator[tuple[str, dict[str, Any]]]:
    count = 3000
    links = np.tile(np.arange(count, dtype=np.int32)[:, None], 32)
    outside = links.copy()
    outside[5, 5] = count
    negative = links.copy()
    negative[5, 5] = -1
    yield "a link outside", {"links": outside}
    yield "a negative link", {"links": negative}
    yield "links of another type", {"links": links.astype(np.int64)}
    yield "an odd number of links", {"links": links[:, :31].copy()}
    yield "no links", {"links": links[:, :0].copy()}
    yield "more nodes than vectors", {"links": np.tile(links, (2, 1))}
    yield "no starts", {"starts": np.empty(0, np.int32)}
    yield "a start outside", {"starts": np.array([count], np.int32)}
    yield "starts of another form", {"starts": np.zeros((2, 2), np.int32)}
    yield "a leader with a leader", {"leaders": np.roll(np.arange(count, dtype=np.int32), 1)}
    yield "too few leaders", {"leaders": np.zeros(7, np.int32)}
    yield "a state of another form", {"state": np.zeros(4, np.int32)}
    yield "no state", {"state": None}
    yield "no number is a norm", {"norms": np.full(count, np.nan)}


@pytest.mark.parametrize(("what", "sections"), list(damaged()), ids=lambda p: p if isinstance(p, str) else "")
def test_a_damaged_graph_is_refused(what: str, sections: dict[str, Any]) -> None:
    vectors, _ = latent(3000, 8)
    column = column_of(vectors)
    index = HnswIndex(column)
    index.finish()
    forged = index.save() | sections
    forged = {name: array for name, array in forged.items() if array is not None}
    with pytest.raises((ValueError, KeyError)):
        HnswIndex(column).load(forged)


def test_a_graph_of_self_links_is_only_a_bad_graph() -> None:
    vectors, queries = latent(3000, 8)
    column = column_of(vectors)
    index = HnswIndex(column)
    index.finish()
    forged = index.save() | {"links": np.tile(np.arange(3000, dtype=np.int32)[:, None], 32)}
    other = HnswIndex(column)
    other.load(forged)
    assert all(len(other.nearest(query, K)[0]) == K for query in queries)
