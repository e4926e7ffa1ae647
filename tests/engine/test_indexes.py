"""Indexes against exact references."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zengram_py.engine.column import HeapColumn
from zengram_py.engine.index import ordered, runs
from zengram_py.engine.index.flat import METRICS, FlatIndex
from zengram_py.engine.index.hash import TAIL_LIMIT, HashIndex
from zengram_py.engine.index.ordered import KeyRange, OrderedIndex
from zengram_py.engine.keys import hash_key
from zengram_py.engine.types import vector

keys = st.one_of(st.none(), st.integers(-5, 5), st.text("ab", max_size=2), st.sampled_from([0.5, 1.0, -0.0]))


@given(st.lists(st.tuples(keys, keys), max_size=60))
def test_a_hash_index_finds_all_entries_of_a_key(added: list[tuple[object, object]]) -> None:
    index = HashIndex()
    index.add(np.arange(len(added), dtype=np.int32), list(added))
    restored = HashIndex()
    restored.load(index.save())
    for wanted in added:
        expected = [i for i, key in enumerate(added) if key == wanted and None not in key]
        for one in (index, restored):
            assert [e for e in one.candidates(wanted) if added[e] == wanted] == expected


def test_runs_are_merged_and_keep_everything() -> None:
    index = HashIndex()
    total = TAIL_LIMIT * 9 + 17
    for start in range(0, total, 100):
        entries = np.arange(start, min(start + 100, total), dtype=np.int32)
        index.add(entries, [(f"key {e}",) for e in entries])
    assert len(index._runs) <= 4
    assert all(index.candidates((f"key {e}",)) == [e] for e in range(0, total, 97))
    assert index.candidates(("absent",)) == []


class Table:
    """Keys by entry, and an ordered and a hash index of them that know no more."""

    def __init__(self) -> None:
        self.keys: list[Any] = []
        self.ordered = OrderedIndex(lambda entry: (self.keys[entry],))
        self.hash = HashIndex()

    def add(self, *keys: Any) -> None:
        for key in keys:
            entry = len(self.keys)
            self.keys.append(key)
            self.ordered.add_one(entry, (key,))
            self.hash.add_one(entry, (key,))

    def check(self) -> None:
        living = [e for e, key in enumerate(self.keys) if key is not None]
        found = list(self.ordered.scan(KeyRange()))
        assert sorted(found) == living
        assert [self.keys[e] for e in found] == sorted(self.keys[e] for e in living)
        some = sorted({self.keys[e] for e in living[::97]})
        for key in some:
            expected = [e for e in living if self.keys[e] == key]
            assert sorted(self.ordered.candidates((key,))) == expected
            assert sorted(self.hash.candidates((key,))) == expected
        if len(some) > 2:
            found = list(self.ordered.scan(KeyRange((some[0],), (some[-1],), high_inclusive=False)))
            assert sorted(found) == [e for e in living if some[0] <= self.keys[e] < some[-1]]


@pytest.mark.parametrize("kind", ["numbers", "texts", "whole numbers, then others", "few numbers"])
def test_runs_are_merged_in_steps_and_answer_meanwhile(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "MOVED_AT_ONCE", 100)
    monkeypatch.setattr(ordered, "_KEYS_A_STEP", 100)
    monkeypatch.setattr(ordered, "_READ_AT_ONCE", 300)
    monkeypatch.setattr(ordered, "TAIL_LIMIT", 150)
    monkeypatch.setattr("zengram_py.engine.index.hash.TAIL_LIMIT", 150)
    monkeypatch.setattr(HashIndex, "merge_at_once", 300)
    monkeypatch.setattr(OrderedIndex, "merge_at_once", 300)
    rng = np.random.default_rng(0)

    def some(count: int) -> list[Any]:
        if kind == "texts":
            return [f"k{n}" for n in rng.integers(0, 900, count).tolist()]
        if kind == "few numbers":
            return rng.integers(0, 3, count).tolist()
        if kind == "numbers" or len(table.keys) >= 450:
            return [n / 2 + 0.25 for n in rng.integers(0, 900, count).tolist()]
        return rng.integers(0, 450, count).tolist()

    table = Table()
    table.add(*some(450))
    table.add(*some(450))
    steps = {table.ordered: 0, table.hash: 0}
    for index in steps:
        while index.is_untidy:
            before = index.work
            index.maintain(0)
            assert index.work - before <= (900 if kind == "few numbers" else 400)
            steps[index] += 1
            table.check()
            if steps[index] == 2:
                table.add(*some(400))  # in the middle of a merge
    assert min(steps.values()) > (1 if kind == "few numbers" else 4)
    table.add(*some(450))
    for index in steps:
        index.maintain(0)
    # A vacuum gives what is merged up: a third goes, the rest moves together.
    keep = np.arange(len(table.keys)) % 3 > 0
    places = np.where(keep, np.cumsum(keep) - 1, -1).astype(np.int32)
    table.keys = [key for key, kept in zip(table.keys, keep.tolist(), strict=True) if kept]
    for index in steps:
        index.remap(places)
    table.check()
    for index in steps:
        index.finish()
        assert not index.is_untidy
    table.check()


def test_hashes_do_not_depend_on_the_process() -> None:
    # Kept in snapshots: these may never change within a format version.
    assert hash_key(("user", 7, 0.5)) == 2562307855673074223
    assert hash_key((1,)) == hash_key((1.0,))


@pytest.mark.parametrize("metric", METRICS)
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(1, 300), k=st.integers(1, 40))
@settings(max_examples=30)
def test_flat_search_is_brute_force(metric: str, seed: int, count: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((count, 8)).astype(np.float32) * rng.choice([1e-3, 1, 100], (count, 1))
    vectors[rng.integers(0, count, count // 3)] = vectors[0]  # duplicates: ties
    column = HeapColumn(vector(8))
    column.extend(vectors.astype(np.float32))
    entries = np.flatnonzero(rng.random(count) < rng.choice([0.1, 0.9, 1.0])).astype(np.int32)
    query = rng.standard_normal(8).astype(np.float32)
    found, scores = FlatIndex(column, metric).nearest(query, k, entries)
    rows, q = column.heap.matrix[entries].astype(np.float64), query.astype(np.float64)  # type: ignore[union-attr]
    if metric == "cosine":
        expected = rows @ q / np.linalg.norm(rows, axis=1) / np.linalg.norm(q)
    elif metric == "ip":
        expected = rows @ q
    else:
        expected = -np.linalg.norm(rows - q, axis=1)
    best = np.sort(expected)[::-1][:k]
    np.testing.assert_allclose(scores, best, rtol=1e-9, atol=1e-9)
    by_entry = dict(zip(entries.tolist(), expected.tolist(), strict=True))
    np.testing.assert_allclose([by_entry[e] for e in found.tolist()], scores, rtol=1e-9, atol=1e-9)
    pairs = list(zip((-scores).tolist(), found.tolist(), strict=True))
    assert pairs == sorted(pairs)


def test_equal_vectors_score_equal_wherever_they_lie() -> None:
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((501, 384)).astype(np.float32)
    vectors[::7] = vectors[3]
    column = HeapColumn(vector(384))
    column.extend(vectors)
    index = FlatIndex(column)
    everything = np.arange(501, dtype=np.int32)
    found, scores = index.nearest(vectors[3], 500, everything)
    same = np.isin(found, np.r_[np.arange(0, 501, 7), 3])
    assert len(set(scores[same].tolist())) == 1
    few, few_scores = index.nearest(vectors[3], 5, everything[::7])
    assert set(few_scores.tolist()) == set(scores[same].tolist())
    assert len(few) == 5


def test_tiny_and_huge_vectors_have_finite_cosines() -> None:
    column = HeapColumn(vector(4))
    column.extend(np.array([[1e-30] * 4, [3e38] * 4, [1, 1, 1, -1]], np.float32))
    found, scores = FlatIndex(column).nearest(np.full(4, 1e-30, np.float32), 3, np.arange(3, dtype=np.int32))
    np.testing.assert_allclose(scores, [1, 1, 0.5], rtol=1e-6)
    assert set(found.tolist()) == {0, 1, 2}
