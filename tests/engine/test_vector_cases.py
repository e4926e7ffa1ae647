"""What somebody who stores vectors expects, each as rows, what is done to them, and what is found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from zengram_py.engine import INT64, TEXT, ColumnDef, Database, IndexDef, vector
from zengram_py.errors import TypeMismatchError

KINDS = ("flat", "hnsw", "auto")


def make_database(kind: str, vectors: Any, scope: str = "a") -> Database:
    db = Database.open()
    db.create_table(
        "t",
        [ColumnDef("id", INT64), ColumnDef("scope", TEXT), ColumnDef("place", vector(len(vectors[0])))],
        primary_key=["id"],
    )
    count = len(vectors)
    with db.begin() as t:
        t.insert_many("t", {"id": list(range(count)), "scope": [scope] * count, "place": vectors})
    with db.begin() as t:
        t.create_index("t", IndexDef("near", kind, (["col", "place"],)))
    return db


def find(db: Database, query: Any, k: int, where: Any = None) -> list[int]:
    with db.begin(read_only=True) as t:
        seen = t.seen("t")
        slots = None if where is None else seen.where(*where)
        found = t.vector_search("t", "near").nearest(query, k, slots=slots)
        return list(seen.column("id").take(found.slots))


def some(count: int, dimensions: int = 16, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal((count, dimensions)).astype(np.float32)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ([1, float("nan"), 0], "NaN"),
        ([1, float("inf"), 0], "infinity"),
        ([1, 0], "shape"),
        ([1, 0, 0, 0], "shape"),
        ("abc", "vector"),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_a_vector_that_is_none_is_refused_with_a_reason_and_nothing_is_stored(
    kind: str, bad: Any, reason: str
) -> None:
    db = make_database(kind, [[1, 0, 0], [0, 1, 0]])
    before = db.export()
    with pytest.raises(TypeMismatchError, match=reason), db.begin() as t:
        t.insert("t", {"id": 5, "scope": "a", "place": bad})
    with pytest.raises(TypeMismatchError, match=reason), db.begin() as t:
        t.insert_many("t", {"id": [5, 6], "place": [[1, 1, 1], bad]})
    assert db.export() == before


@pytest.mark.parametrize("kind", KINDS)
def test_a_tiny_vector_has_a_direction(kind: str) -> None:
    db = make_database(kind, [[1e-30] * 4, [1, 1, 1, -1]])
    with db.begin() as t:
        found = t.vector_search("t", "near").nearest([1e-30] * 4, 2)
    assert found.scores.tolist() == pytest.approx([1.0, 0.5])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("vacuum", [False, True])
def test_of_a_thousand_vectors_half_are_deleted_and_a_hundred_living_ones_are_found(
    kind: str, vacuum: bool
) -> None:
    vectors = some(1000)
    db = make_database(kind, vectors)
    with db.begin() as t:
        for key in np.random.default_rng(1).permutation(1000)[:500].tolist():
            t.delete("t", key)
    if vacuum:
        db.vacuum()
    with db.begin() as t:
        living = {row["id"] for row in t.scan("t")}
    for query in vectors[:20]:
        found = find(db, query, 100)
        assert len(found) == len(set(found)) == 100
        assert set(found) <= living
    assert set(find(db, vectors[0], 1000)) == living


@pytest.mark.parametrize("kind", KINDS)
def test_after_three_vectors_are_stored_anew_and_a_vacuum_each_row_has_its_own(kind: str) -> None:
    vectors, new = some(1000), some(3, seed=9)
    db = make_database(kind, vectors)
    with db.begin() as t:
        for key, place in zip((0, 500, 999), new, strict=True):
            t.update("t", key, {"place": place})
    vectors = vectors.copy()
    vectors[[0, 500, 999]] = new
    for _ in range(2):
        with db.begin() as t:
            assert all(np.array_equal(t.get("t", key)["place"], vectors[key]) for key in range(1000))  # type: ignore[index]
        assert [find(db, vectors[key], 1) for key in (0, 1, 500, 998, 999)] == [[0], [1], [500], [998], [999]]
        db.vacuum()
        while db.maintain(100):
            pass
        db = Database.restore(db.export())


@pytest.mark.parametrize("kind", KINDS)
def test_a_small_scope_is_found_whole_beside_a_large_one_that_is_nearer(kind: str) -> None:
    near = some(5000, 8) * np.float32(0.1) + np.float32(1)
    db = make_database(kind, near)
    with db.begin() as t:
        t.insert_many("t", {"id": list(range(9000, 9010)), "scope": ["b"] * 10, "place": -near[:10]})
    assert sorted(find(db, near[0], 10, ("scope", "b"))) == list(range(9000, 9010))
    assert sorted(find(db, near[0], 100, ("scope", "b"))) == list(range(9000, 9010))
    assert max(find(db, near[0], 10)) < 5000


def test_the_parts_of_a_key_do_not_run_together() -> None:
    db = Database.open()
    db.create_table(
        "t",
        [ColumnDef("title", TEXT), ColumnDef("text", TEXT)],
        indexes=[IndexDef("both", "hash", (["col", "title"], ["col", "text"]), unique=True)],
    )
    with db.begin() as t:
        t.insert("t", {"title": "ab", "text": "c"})
        t.insert("t", {"title": "a", "text": "bc"})
        t.insert("t", {"title": "abc", "text": ""})
    with db.begin() as t:
        assert [row["title"] for row in t.lookup("t", "both", "a", "bc")] == ["a"]
