"""Presets, diversity, budgets of tokens, and settings per scope."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zengram_py import ZengramMemory
from zengram_py.clock import ManualClock
from zengram_py.engine import Database
from zengram_py.errors import InvalidArgumentError
from zengram_py.memory.diversity import diversify
from zengram_py.memory.fusion import ranks_of
from zengram_py.memory.recall_config import RecallConfig, read_config
from zengram_py.memory.schema import migrate
from zengram_py.memory.tokens import estimate_tokens


def unit(angle: float, lift: float = 0.0) -> list[float]:
    return [math.cos(math.radians(angle)), math.sin(math.radians(angle)), lift]


@pytest.fixture
def memory(clock: ManualClock) -> ZengramMemory:
    return ZengramMemory.open(3, clock=clock)


def subjects(hits: list[Any]) -> list[str]:
    return [hit.subject for hit in hits]


def test_classical_is_a_product(memory: ZengramMemory, clock: ManualClock) -> None:
    memory.remember_with_vector("old", "Rex barks", "/", unit(0), importance=1.0)
    clock.advance(days=60)
    memory.remember_with_vector("new", "a quiet dog", "/", unit(30), importance=0.5)
    hits = memory.recall_with_vector("what of rex", "/", unit(10), preset="classical", explain=True)
    scores = {hit.subject: hit.score for hit in hits}
    assert scores["old"] == pytest.approx((math.cos(math.radians(10)) + 0.1) * 1.0 * 0.25)
    assert scores["new"] == pytest.approx(math.cos(math.radians(20)) * 0.5)
    assert subjects(hits) == ["new", "old"]
    for hit in hits:
        assert hit.explanation is not None
        assert sum(hit.explanation.parts.values()) == pytest.approx(hit.score)


def test_rrf_adds_reciprocal_ranks(memory: ZengramMemory) -> None:
    memory.remember_with_vector("a", "green tea leaves", "/", unit(30))
    memory.remember_with_vector("b", "Kyoto has tea", "/", unit(60))
    memory.remember_with_vector("c", "nothing of it", "/", unit(0))
    hits = memory.recall_with_vector("tea of Kyoto", "/", unit(0), preset="rrf", explain=True)
    by_subject = {hit.subject: hit for hit in hits}
    for hit in hits:
        e = hit.explanation
        assert e is not None
        ranks = (e.vector_rank, e.text_rank, e.entity_rank)
        assert hit.score == pytest.approx(sum(1 / (60 + rank) for rank in ranks if rank))
    assert by_subject["b"].score == pytest.approx(1 / 63 + 1 / 61 + 1 / 61)
    assert by_subject["c"].score == pytest.approx(1 / 61)


def test_places_are_shared_by_equals_and_denied_to_nothing() -> None:
    assert ranks_of(np.array([0.5, 0.9, 0.5, 0.0, 0.1])).tolist() == [2, 1, 2, 0, 4]


def test_mmr_puts_a_second_wording_behind_something_else(memory: ZengramMemory) -> None:
    memory.remember_with_vector("one", "x", "/", unit(0))
    memory.remember_with_vector("again", "y", "/", unit(1))
    memory.remember_with_vector("else", "z", "/", unit(0, lift=0.9))
    asked = ("", "/", unit(0))
    assert set(subjects(memory.recall_with_vector(*asked, limit=2))) == {"one", "again"}
    hits = memory.recall_with_vector(*asked, limit=2, mmr=0.5, explain=True)
    assert subjects(hits)[1] == "else"
    assert next(h.explanation.redundancy for h in hits if h.explanation) == 0
    plain = {h.subject: h.score for h in memory.recall_with_vector(*asked)}
    assert {h.subject: h.score for h in hits}.items() <= plain.items(), "scores are untouched"
    assert subjects(memory.recall_with_vector(*asked, mmr=1.0)) == subjects(memory.recall_with_vector(*asked))
    memory.configure_recall("/", mmr_lambda=0.5)
    assert subjects(memory.recall_with_vector(*asked, limit=2, mmr=True))[1] == "else"
    assert subjects(memory.recall_with_vector(*asked, mmr=False)) == subjects(
        memory.recall_with_vector(*asked)
    )


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 12), st.floats(0, 1), st.integers(0, 14), st.integers(0, 2**32 - 1))
def test_mmr_is_the_textbook_loop(count: int, weight: float, k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    vectors = rng.integers(-2, 3, (count, 3)).astype(np.float32)
    scores = np.sort(rng.random(count))[::-1]
    chosen, redundancy = diversify(scores, vectors, weight, k)
    unit_rows = [v / np.linalg.norm(v) if v.any() else v * 0.0 for v in vectors.astype(float)]
    wanted: list[int] = []
    near: list[float] = []
    while len(wanted) < min(k, count):

        def worth(i: int) -> tuple[float, float]:
            nearest = max([0.0, *(round(float(unit_rows[i] @ unit_rows[j]), 6) for j in wanted)])
            return weight * scores[i] / scores[0] - (1 - weight) * nearest, nearest

        left = [i for i in range(count) if i not in wanted]
        best = max(left, key=lambda i: (round(worth(i)[0], 12), -i))
        near.append(worth(best)[1])
        wanted.append(best)
    assert chosen.tolist() == wanted
    assert redundancy.tolist() == pytest.approx(near)


def test_a_budget_of_tokens(memory: ZengramMemory) -> None:
    for angle, size in ((0, 40), (5, 4000), (10, 40), (15, 40)):
        memory.remember_with_vector(f"s{angle}", "x" * size, "/", unit(angle))
    hits = memory.recall_with_vector("", "/", unit(0), max_tokens=25)
    assert subjects(hits) == ["s0", "s10"], (
        "the best that fit; the long one does not, and shorter ones follow"
    )
    assert [hit.tokens for hit in hits] == [11, 12]
    assert memory.recall_with_vector("", "/", unit(0), max_tokens=0) == []
    for i in range(60):
        memory.remember_with_vector(f"t{i}", "x", "/", unit(i / 10))
    assert len(memory.recall_with_vector("", "/", unit(0), max_tokens=400)) > 20
    assert len(memory.recall_with_vector("", "/", unit(0), max_tokens=400, limit=5)) == 5


def test_the_estimate_of_tokens() -> None:
    assert [estimate_tokens(t) for t in ("", "a", "abcd", "abcde", "用户", "🤖", "\ud83e")] == [
        0,
        1,
        1,
        2,
        2,
        1,
        1,
    ]


def test_settings_belong_to_a_scope_and_to_the_snapshot(memory: ZengramMemory, clock: ManualClock) -> None:
    memory.remember_with_vector("a", "x", "/", unit(0))
    memory.remember_with_vector("a", "x", "/other", unit(0))
    assert memory.recall_config("/") == RecallConfig()
    changed = memory.configure_recall(
        "/", vector_weight=1, text_weight=0, limit_default=0, preset="classical"
    )
    assert changed == RecallConfig(vector_weight=1.0, text_weight=0.0, limit_default=0, preset="classical")
    assert memory.recall_with_vector("", "/", unit(0)) == []
    assert len(memory.recall_with_vector("", "/", unit(0), limit=5)) == 1
    assert len(memory.recall_with_vector("", "/other", unit(0))) == 1
    restored = ZengramMemory.open_from_snapshot(memory.export_snapshot(), 3, clock=clock)
    assert restored.recall_config("/") == changed
    assert restored.configure_recall("/", limit_default=7).preset == "classical"
    assert restored.recall_config("/other") == RecallConfig()


@pytest.mark.parametrize(
    "bad",
    [
        {"vector_weight": -1},
        {"vector_weight": 0, "text_weight": 0},
        {"text_weight": math.nan},
        {"recency_weight": "much"},
        {"mmr_lambda": 1.5},
        {"decay_half_life_days": 0},
        {"limit_default": 2.5},
        {"score_threshold": 2},
        {"preset": "mine"},
        {"spread_turns": math.inf},
        {"spread_turn": 1},
    ],
)
def test_settings_that_are_none_change_nothing(memory: ZengramMemory, bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError):
        memory.configure_recall("/", **bad)
    assert memory.recall_config("/") == RecallConfig()


def test_a_row_that_names_only_its_scope_has_the_defaults() -> None:
    database = Database.open()
    migrate(database, 3)
    with database.begin() as transaction:
        row = transaction.insert("retrieval_config", {"scope": "/"})
        assert {name: value for name, value in row.items() if name != "scope"} == asdict(RecallConfig())
    assert read_config(database.begin(), "/") == RecallConfig()


def test_settings_that_sql_got_wrong_are_named(memory: ZengramMemory) -> None:
    memory.configure_recall("/", limit_default=3)
    with memory._database.begin() as transaction:
        transaction.update("retrieval_config", "/", {"preset": "mine"})
    with pytest.raises(InvalidArgumentError, match="preset"):
        memory.recall_with_vector("", "/", unit(0))
