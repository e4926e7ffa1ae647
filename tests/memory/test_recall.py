"""Hybrid recall: three arms, one formula, and every number explained."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from memory_support import make_origins

from zengram_py import ZengramMemory
from zengram_py.clock import ManualClock
from zengram_py.engine import IndexDef
from zengram_py.errors import InvalidArgumentError


def unit(angle: float) -> list[float]:
    """Return a vector whose cosine to ``unit(0)`` is that of the angle, in degrees."""
    return [math.cos(math.radians(angle)), math.sin(math.radians(angle)), 0, 0]


@pytest.fixture
def memory(clock: ManualClock) -> ZengramMemory:
    return ZengramMemory.open(4, clock=clock)


def contents(hits: list[Any]) -> list[str]:
    return [hit.content for hit in hits]


def test_what_only_the_words_find_is_found(memory: ZengramMemory) -> None:
    memory.remember_with_vector("near", "something close by", "/", unit(20))
    memory.remember_with_vector("hook", "run the pre-edit hook", "/", [0, 0, 1, 0])
    hits = memory.recall_with_vector("pre-edit", "/", unit(0), explain=True)
    assert set(contents(hits)) == {"something close by", "run the pre-edit hook"}
    by_content = {hit.content: hit for hit in hits}
    assert by_content["run the pre-edit hook"].similarity == 0
    assert by_content["run the pre-edit hook"].explanation.text > 0  # type: ignore[union-attr]


def test_what_only_the_vector_finds_is_found(memory: ZengramMemory) -> None:
    memory.remember_with_vector("drinks", "user drinks green tea", "/", unit(30))
    memory.remember_with_vector("likes", "user likes the word hot", "/", unit(80))
    assert contents(memory.recall_with_vector("hot beverage", "/", unit(0)))[0] == "user drinks green tea"


def test_a_shared_name_makes_a_fact_an_answer(memory: ZengramMemory) -> None:
    memory.remember_with_vector("job", "Ada Lovelace writes programs", "/", [0, 0, 1, 0])
    memory.remember_with_vector("town", "rain again", "/", [0, 0, 0, 1])
    for question in ("Ada Lovelace?", "what about ada lovelace"):
        (hit,) = memory.recall_with_vector(question, "/", unit(0), min_score=1.0, explain=True)
        assert hit.content == "Ada Lovelace writes programs"
        assert hit.explanation.shared == 1  # type: ignore[union-attr]


def test_the_bonus_grows_with_shared_names_up_to_a_bound(memory: ZengramMemory) -> None:
    names = ["Ada", "Babbage", "Curie", "Darwin", "Euler"]
    for count in range(1, 6):
        memory.remember_with_vector(f"s{count}", f"number {count}", "/", unit(90), entities=names[:count])
    hits = memory.recall_with_vector(" and ".join(names), "/", unit(0), explain=True)
    bonus = {h.subject: h.explanation.relevance for h in hits}  # type: ignore[union-attr]
    assert [round(bonus[f"s{n}"], 6) for n in range(1, 6)] == [0.1, 0.2, 0.3, 0.3, 0.3]


def test_every_number_is_explained(memory: ZengramMemory, clock: ManualClock) -> None:
    memory.remember_with_vector("pets", "Rex is a brown dog", "/", unit(40))
    clock.advance(days=30)
    memory.remember_with_vector("more pets", "a cat and a dog", "/", unit(60), importance=0.8)
    hits = memory.recall_with_vector("is Rex a dog", "/", unit(0), explain=True)
    assert len(hits) == 2
    for hit in hits:
        e = hit.explanation
        assert e is not None
        assert e.vector == pytest.approx(max(0.0, hit.similarity))
        assert 0 < e.text < 1
        assert e.entities == pytest.approx(min(0.3, 0.1 * e.shared))
        assert e.relevance == pytest.approx((0.4 * e.vector + 0.3 * e.text) / 0.7 + e.entities)
        assert e.recency == pytest.approx(0.5 ** (e.age_days / 30))
        assert e.importance == hit.importance
        assert e.parts == pytest.approx(
            {
                "relevance": 0.7 * e.relevance,
                "spread": 0,
                "recency": 0.15 * e.recency,
                "importance": 0.15 * e.importance,
            }
        )
        assert hit.score == pytest.approx(sum(e.parts.values()))
    ranks = [(e.vector_rank, e.text_rank, e.entity_rank) for h in hits if (e := h.explanation)]
    assert ranks == [(1, 1, 1), (2, 2, 0)]
    assert memory.recall_with_vector("dog", "/", unit(0))[0].explanation is None


def test_every_candidate_has_all_numbers_whichever_arm_found_it() -> None:
    memory = ZengramMemory.open(4)
    rng = np.random.default_rng(3)
    for i in range(600):  # more than an arm hands over
        memory.remember_with_vector(f"s{i}", f"word{i % 7} word{i % 11} common", "/", rng.standard_normal(4))
    vector = rng.standard_normal(4)
    for hit in memory.recall_with_vector("word3 common", "/", vector, explain=True):
        e = hit.explanation
        assert e is not None
        assert e.text > 0
        row = memory._database.begin().lookup("embedding", "embedding_source", "knowledge", hit.knowledge_id)[
            0
        ]
        stored = row["vector"].astype(float)
        assert hit.similarity == pytest.approx(
            stored @ vector / np.linalg.norm(stored) / np.linalg.norm(vector)
        )


def test_the_limit_and_the_floor(memory: ZengramMemory) -> None:
    for i in range(30):
        memory.remember_with_vector(f"s{i}", "x", "/", unit(i * 3))
    assert len(memory.recall_with_vector("", "/", unit(0))) == 20
    assert len(memory.recall_with_vector("", "/", unit(0), limit=3)) == 3
    assert memory.recall_with_vector("", "/", unit(0), limit=0) == []
    assert len(memory.recall_with_vector("", "/", unit(0), min_score=0.99, limit=99)) == 3
    for bad in (
        {"limit": -1},
        {"limit": 1.5},
        {"min_score": 2},
        {"min_score": "high"},
        {"min_score": math.nan},
        {"max_tokens": -1},
        {"mmr": 2},
        {"mmr": "yes"},
        {"explain": 1},
        {"preset": "best"},
        {"status": "gone"},
        {"status": []},
        {"tags": 3},
        {"tags": [""]},
        {"since": "yesterday"},
        {"as_of": True},
        {"include_private": "no"},
        {"floor": 1},
    ):
        with pytest.raises(InvalidArgumentError):
            memory.recall_with_vector("", "/", unit(0), **bad)  # type: ignore[arg-type]


def test_superseded_facts_and_other_scopes_answer_in_no_arm(memory: ZengramMemory) -> None:
    memory.remember_with_vector("pet", "Rex the dog", "/", unit(0))
    memory.remember_with_vector("pet", "Tom the cat", "/", unit(5))
    memory.remember_with_vector("pet", "Rex elsewhere", "/a", unit(0))
    assert contents(memory.recall_with_vector("Rex the dog", "/", unit(0))) == ["Tom the cat"]


def test_entities_of_a_scope(memory: ZengramMemory) -> None:
    memory.remember_with_vector("a", "Ada met Charles", "/", unit(0))
    memory.remember_with_vector("b", "ADA wrote to him", "/", unit(1), entities=["ADA"])
    memory.remember_with_vector("c", "Ada is here too", "/other", unit(2))
    memory.remember_with_vector("d", "Zoe left", "/", unit(3))
    memory.remember_with_vector("d", "nobody left", "/", unit(3))
    assert [(e.name, e.facts) for e in memory.entities("/")] == [("Ada", 2), ("Charles", 1)]
    assert [f.content for f in memory.entity("aDa", "/")] == ["ADA wrote to him", "Ada met Charles"]
    assert memory.entity("Zoe", "/") == []
    assert memory.entities("/", limit=1)[0].name == "Ada"
    with pytest.raises(InvalidArgumentError):
        memory.entity("", "/")


def test_an_extractor_of_the_applications_own(memory: ZengramMemory) -> None:
    memory.set_entity_extractor(lambda text: [w for w in text.split() if w.startswith("#")])
    memory.remember_with_vector("a", "about #tea and Ada", "/", [0, 0, 1, 0])
    assert [e.name for e in memory.entities("/")] == ["#tea"]
    assert len(memory.recall_with_vector("any #tea?", "/", unit(0), min_score=1)) == 0
    assert len(memory.recall_with_vector("any #tea ?", "/", unit(0), min_score=1)) == 1
    memory.set_entity_extractor(None)
    memory.remember_with_vector("b", "Ada", "/", unit(1))
    assert {e.name for e in memory.entities("/")} == {"#tea", "Ada"}
    with pytest.raises(InvalidArgumentError):
        memory.set_entity_extractor("no")  # type: ignore[arg-type]


def test_a_snapshot_recalls_the_same_with_words_and_names(memory: ZengramMemory, clock: ManualClock) -> None:
    rng = np.random.default_rng(5)
    words = "tea coffee dog cat Berlin Ada Rex green brown red".split()  # noqa: SIM905
    for i in range(150):
        memory.remember_with_vector(
            f"s{i % 100}", " ".join(rng.choice(words, 5)), "/", rng.standard_normal(4)
        )
    restored = ZengramMemory.open_from_snapshot(memory.export_snapshot(), 4, clock=clock)
    for _ in range(30):
        question, vector = " ".join(rng.choice(words, 2)), rng.standard_normal(4)
        wanted = memory.recall_with_vector(question, "/", vector, explain=True)
        assert restored.recall_with_vector(question, "/", vector, explain=True) == wanted


@pytest.mark.parametrize(
    ("question", "content"),
    [
        ("don't use agents", "we don't use agents here"),
        ("Downloads/transcripts", "saved to Downloads/transcripts at 3 GB/s"),
        ("GB/s", "saved to Downloads/transcripts at 3 GB/s"),
        ("memory:safe", "memory:safe languages"),
        ("用户", "用户身份验证失败"),
        ("验证失败", "用户身份验证失败"),
        ("itgc", "重跑gen-itgc后再试"),
        ("cafe zurich", "Café Zürich naïve"),
        ("company's", "the company's name"),
    ],
)
def test_words_that_others_trip_over_are_found(memory: ZengramMemory, question: str, content: str) -> None:
    memory.remember_with_vector("subject", content, "/", [0, 0, 1, 0])
    assert contents(memory.recall_with_vector(question, "/", unit(0), min_score=0.01)) == [content]


@pytest.mark.parametrize(
    "question",
    [
        'say "hi',
        "foo AND bar",
        "(python",
        'hello"world',
        "--error-on-warnings",
        "NOT",
        "*",
        '""',
        "\ud83e",
        "a" * 5000,
    ],
)
def test_any_question_is_one(memory: ZengramMemory, question: str) -> None:
    memory.remember_with_vector("s", "c", "/", unit(0))
    assert contents(memory.recall_with_vector(question, "/", unit(0))) == ["c"]


def test_with_a_graph_and_a_tail_a_snapshot_recalls_the_same(clock: ManualClock) -> None:
    memory = ZengramMemory.open(8, clock=clock)
    rng = np.random.default_rng(7)
    for i in range(2600):
        memory.remember_with_vector(f"s{i}", f"word{i % 97} word{i % 13}", "/", rng.standard_normal(8))
    while memory.maintain(50):
        pass
    index = memory._database.begin().seen("embedding").index("embedding_vector").structure
    assert index.graph is not None  # type: ignore[attr-defined]
    for i in range(2600, 2700):
        memory.remember_with_vector(f"s{i - 100}", f"word{i % 97}", "/", rng.standard_normal(8))
    restored = ZengramMemory.open_from_snapshot(memory.export_snapshot(), 8, clock=clock)
    for i in range(25):
        asked = (f"word{i} word{i + 1}", "/", rng.standard_normal(8))
        assert restored.recall_with_vector(*asked, explain=True) == memory.recall_with_vector(
            *asked, explain=True
        )


def test_what_others_do_leaves_every_score_as_it_is(memory: ZengramMemory) -> None:
    rng = np.random.default_rng(8)
    for i in range(9):
        make_origins(memory, f"x{i}")
    for i in range(300):
        memory.remember_with_vector(
            f"s{i % 200}",
            f"word{i % 7} word{i % 11} Ada",
            "/",
            rng.standard_normal(4),
            session_id=f"x{i % 9}",
        )
    questions = [(f"word{i} of Ada", "/", rng.standard_normal(4)) for i in range(8)]

    def answers() -> list[Any]:
        return [memory.recall_with_vector(*asked, explain=True) for asked in questions]

    before = answers()
    database = memory._database
    database.fork("aside")
    with database.begin(branch="aside") as transaction:
        for row in list(transaction.scan("knowledge"))[:50]:
            transaction.update(
                "knowledge", row["id"], {"content": "word1 word1 elsewhere", "importance": 1.0}
            )
    assert answers() == before, "a write on another branch"
    aborted = database.begin()
    row = next(iter(aborted.scan("knowledge")))
    aborted.update("knowledge", row["id"], {"content": "word1 word1", "importance": 1.0})
    aborted.rollback()
    assert answers() == before, "an aborted transaction"
    database.discard("aside")
    database.vacuum()
    assert answers() == before, "vacuum"
    while memory.maintain(50):
        pass
    assert answers() == before, "maintenance"


def test_the_worked_example_of_the_docs(clock: ManualClock) -> None:
    memory = ZengramMemory.open(2, clock=clock)

    def put(subject: str, content: str, cosine: float) -> None:
        memory.remember_with_vector(subject, content, "/", [cosine, math.sqrt(1 - cosine * cosine)])

    put("pet", "user has a dog named Rex", 0.5)
    clock.advance(days=30)
    put("walk", "the dog is walked at seven", 0.643)
    put("allergy", "user is allergic to peanuts", 0.087)
    found = memory.recall_with_vector("when is rex walked?", "/", [1, 0], explain=True)
    table = [
        (h.subject, *(round(n, 3) for n in (e.vector, e.text, e.entities, e.relevance, e.recency, h.score)))
        for h in found
        if (e := h.explanation)
    ]
    assert table == [
        ("walk", 0.643, 0.296, 0.0, 0.494, 1.0, 0.571),
        ("pet", 0.5, 0.185, 0.1, 0.465, 0.5, 0.475),
    ]


def test_an_index_that_took_anothers_place_is_the_one_that_is_asked(memory: ZengramMemory) -> None:
    memory.remember_with_vector("a", "he was running", "/", unit(90))
    assert contents(memory.recall_with_vector("run", "/", unit(0))) == ["he was running"]
    with memory._database.begin() as transaction:
        keys = transaction.seen("knowledge").definition.index("knowledge_text").keys
        transaction.drop_index("knowledge", "knowledge_text")
        index = IndexDef("knowledge_text", "fulltext", keys, options={"language": "simple"})
        transaction.create_index("knowledge", index)
        transaction.drop_index("embedding", "embedding_vector")
        transaction.create_index("embedding", IndexDef("embedding_vector", "flat", (["col", "vector"],)))
    assert memory.recall_with_vector("run", "/", unit(0)) == []
    assert contents(memory.recall_with_vector("running", "/", unit(0))) == ["he was running"]


def clustered(count: int, clusters: int, dimensions: int, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((clusters, dimensions))
    vectors = centres[rng.integers(0, clusters, count)] + 0.3 * rng.standard_normal((count, dimensions))
    vectors[count // 2 :: 7] = vectors[0]  # equal ones: the newer comes first
    questions = [vectors[0], *(centres[:12] + 0.2 * rng.standard_normal((12, dimensions)))]
    return vectors.astype(np.float32), questions, rng.integers(0, 4, count) / 4


@pytest.mark.parametrize("count", [40, 1500, 3000])
def test_the_ranking_is_that_of_the_formula(count: int) -> None:
    clock = ManualClock()
    memory = ZengramMemory.open(16, clock=clock)
    vectors, questions, importance = clustered(count, 20, 16, count)
    for i in range(count):
        clock.advance(days=90 / count)
        memory.remember_with_vector(
            f"s{i}", f"c{i}", "/", vectors[i], importance=float(importance[i]), entities=[]
        )
    while memory.maintain(100):
        pass
    created = np.array([fact.time_created for fact in memory.facts("/", limit=count)][::-1], float)
    units = vectors.astype(float) / np.linalg.norm(vectors.astype(float), axis=1, keepdims=True)
    for vector in questions:
        relevance = np.maximum(0, units @ vector / np.linalg.norm(vector))
        recency = 0.5 ** ((clock.now() - created) / 86_400e6 / 30)
        score = {
            "hybrid": 0.7 * relevance + 0.15 * recency + 0.15 * importance,
            "classical": relevance * importance * recency,
        }
        for preset, floor in (("hybrid", 0.15), ("classical", 0.15), ("hybrid", 0.6)):
            order = np.lexsort((-created, -np.round(score[preset], 9)))
            order = [i for i in order.tolist() if relevance[i] >= floor][:100]
            for limit in (1, 7, 20, 100):
                hits = memory.recall_with_vector("", "/", vector, limit=limit, preset=preset, min_score=floor)
                found = [int(hit.subject[1:]) for hit in hits]
                assert found == order[:limit]


def test_names_floors_and_budgets_hold_among_many(memory: ZengramMemory) -> None:
    for i in range(3):
        memory.remember_with_vector(f"n{i}", "old town", "/", [0, 0, 1, 0], entities=["Kyoto"])
        memory.remember_with_vector(f"m{i}", "x", "/", unit(45))
    for i in range(700):
        memory.remember_with_vector(f"s{i}", "long " * 30, "/", unit(30), importance=1.0)
    assert len(memory.recall_with_vector("Kyoto?", "/", unit(0), min_score=0.95)) == 3
    assert {h.subject for h in memory.recall_with_vector("", "/", unit(0), max_tokens=20)} == {
        "m0",
        "m1",
        "m2",
    }
    for limit in (5, 20, 300):
        some = memory.recall_with_vector("Kyoto?", "/", unit(0), preset="rrf", limit=limit, explain=True)
        more = memory.recall_with_vector("Kyoto?", "/", unit(0), preset="rrf", limit=600, explain=True)
        assert some == more[:limit]
