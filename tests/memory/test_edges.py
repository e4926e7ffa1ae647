"""What becomes of facts in corners: instants that coincide, things that are said twice, ids that are gone."""

from __future__ import annotations

from typing import Any

import pytest
from memory_support import make_origins

from zengram_py import ZengramMemory
from zengram_py.clock import MICROSECONDS_PER_DAY, ManualClock
from zengram_py.engine import container
from zengram_py.errors import InvalidArgumentError, StateError

DAY = MICROSECONDS_PER_DAY


@pytest.fixture
def memory(clock: ManualClock) -> ZengramMemory:
    made = ZengramMemory.open(2, clock=clock)
    for session in ("s1", "s2", "s3"):
        make_origins(made, session, [f"{session}u"])
        make_origins(made, session, [f"{session}a"], "assistant")
    return made


def say(memory: ZengramMemory, subject: str, content: str, **options: Any) -> str:
    return memory.remember_with_vector(subject, content, "/", [1, 0], **options)


def extract(memory: ZengramMemory, turn: str, *facts: Any) -> list[str]:
    return memory.extract_with_facts_with_vectors("", "/", turn[:2], turn, facts, [[1, 0]] * len(facts))


def holding(memory: ZengramMemory) -> list[str]:
    return [fact.content for fact in memory.facts("/")]


def importance(memory: ZengramMemory, fact_id: str) -> float:
    fact = memory.fact(fact_id)
    assert fact is not None
    return fact.importance


def test_history_begins_in_1970_too(memory: ZengramMemory) -> None:
    say(memory, "s", "first", valid_from=0, valid_to=5)
    say(memory, "s", "second", valid_from=100, valid_to=200)
    assert [fact.content for fact in memory.history("s")] == ["first", "second"]


@pytest.mark.parametrize(
    "told",
    [0.51, 0.5],
)
def test_an_importance_that_is_told_again_has_no_age(
    memory: ZengramMemory, clock: ManualClock, told: float
) -> None:
    fact = say(memory, "a", "b")
    clock.advance(days=10)
    assert say(memory, "a", "b", importance=told) == fact
    memory.decay(10)
    assert importance(memory, fact) == told


def test_what_holds_is_known_when_it_is_told_again(memory: ZengramMemory, clock: ManualClock) -> None:
    begins = clock.now() + DAY
    say(memory, "s", "a", valid_from=begins)
    data = memory.export_snapshot()
    clock.advance(seconds=-1)  # ids of another run that start lower
    memory = ZengramMemory.open_from_snapshot(data, 2, clock=clock)
    fact = say(memory, "s", "b", valid_from=begins)
    clock.advance(days=2)
    assert holding(memory) == ["b"]
    assert say(memory, "s", "b") == fact


@pytest.mark.parametrize("pause", [1, 0])
def test_what_an_interval_lies_over_comes_back(memory: ZengramMemory, clock: ManualClock, pause: int) -> None:
    say(memory, "city", "Rome")
    clock.advance(microseconds=pause)
    say(memory, "city", "Oslo", valid_to=clock.now() + 5 * DAY)
    assert holding(memory) == ["Oslo"]
    clock.advance(days=6)
    assert holding(memory) == ["Rome"]


def test_what_is_told_again_keeps_the_end_that_it_had(memory: ZengramMemory, clock: ManualClock) -> None:
    say(memory, "city", "Oslo", valid_to=clock.now() + 5 * DAY)
    clock.advance(days=1)
    say(memory, "city", "Oslo")
    clock.advance(days=5)
    assert holding(memory) == [], "what is left out stays as it was"


def test_history_that_is_told_again_is_told_once(memory: ZengramMemory, clock: ManualClock) -> None:
    times = {"valid_from": clock.now() - 10 * DAY, "valid_to": clock.now() - 5 * DAY}
    assert say(memory, "s", "x", **times) == say(memory, "s", "x", **times)


def test_bad_entities_among_good_facts_are_named(memory: ZengramMemory) -> None:
    asked: list[str] = []
    memory.set_embed_fn(lambda text: asked.append(text) or [1, 0], 2)
    with pytest.raises(InvalidArgumentError, match=r"fact 1: .*entities"):
        memory.extract_with_facts(
            "",
            "/",
            "s1",
            "s1u",
            [{"subject": "a", "content": "b"}, {"subject": "c", "content": "d", "entities": 7}],
        )
    assert asked == []


def test_bad_entities_of_an_insight_are_refused_where_there_are_no_facts(memory: ZengramMemory) -> None:
    with pytest.raises(InvalidArgumentError, match="entities"):
        memory.reflect_with_insights_with_vectors(
            "/", [{"subject": "c", "content": "d", "entities": 7}], [[1, 0]]
        )


def test_the_same_words_about_another_peer_are_no_echo(memory: ZengramMemory) -> None:
    ann = say(memory, "taste", "likes tea", peer="Ann")
    memory.recall_with_vector("tea", "/", [1, 0])
    (bob,) = extract(memory, "s1a", {"subject": "taste", "content": "likes tea", "peer": "Bob"})
    assert bob != ann
    assert {fact.peer for fact in memory.facts("/")} == {"Ann", "Bob"}


def test_an_echo_after_what_replaced_it_is_a_fact_that_holds(memory: ZengramMemory) -> None:
    say(memory, "drinks", "tea")
    memory.recall_with_vector("", "/", [1, 0])
    ids = extract(memory, "s1a", *({"subject": "drinks", "content": c} for c in ("coffee", "tea")))
    assert [fact.id for fact in memory.facts("/")] == ids[1:]


def test_merging_loses_nothing_that_holds(memory: ZengramMemory, clock: ManualClock) -> None:
    ended = say(memory, "a", "x", valid_to=clock.now() + DAY)
    clock.advance(days=2)
    say(memory, "b", "x")
    (holds,) = memory.facts("/")
    with pytest.raises(StateError):
        memory.merge_facts(ended, [holds.id])
    assert holding(memory) == ["x"]


def test_of_equally_important_facts_the_newer_comes_first(memory: ZengramMemory, clock: ManualClock) -> None:
    old = say(memory, "a", "x", peer="Ann")
    clock.advance(days=1)
    new = say(memory, "b", "x", peer="Ann")
    assert [fact.id for fact in memory.facts_about_peer("Ann")] == [new, old]
    memory.contradict(old)
    assert [fact.id for fact in memory.facts_about_peer("Ann")] == [new, old]
    (insight,) = memory.reflect_with_insights_with_vectors(
        "/", [{"subject": "c", "content": "y"}], [[1, 0]], 1
    )
    assert [origin.id for origin in memory.trace_back(insight)] == [new]


def test_what_is_written_elsewhere_does_not_change_what_a_model_is_shown(memory: ZengramMemory) -> None:
    first = say(memory, "a", "x")
    memory.recall_with_vector("", "/", [1, 0])
    last = say(memory, "b", "y")
    memory.remember_with_vector("c", "z", "/elsewhere", [1, 0])
    memory.recall_with_vector("", "/", [1, 0])
    memory.remember_with_vector("d", "z", "/elsewhere", [1, 0])
    (insight,) = memory.reflect_with_insights_with_vectors(
        "/", [{"subject": "e", "content": "w"}], [[1, 0]], 1
    )
    assert [origin.id for origin in memory.trace_back(insight)] == [last] != [first]


def test_a_session_is_found_by_an_id_that_was_cut(memory: ZengramMemory) -> None:
    make_origins(memory, "s\ufffd", ["t1"])
    assert say(memory, "a", "b", session_id="s\ud83e", turn_id="t1")
    memory.extract_with_facts_with_vectors(
        "", "/", "s\ud83e", "t1", [{"subject": "c", "content": "d"}], [[1, 0]]
    )


def test_a_purged_source_is_named_nowhere(memory: ZengramMemory) -> None:
    source = say(memory, "a", "secret")
    derived = say(memory, "sum", "of it", source_ids=[source])
    memory.purge(source)
    fact = memory.fact(derived)
    assert fact is not None
    assert fact.source_ids == ()
    while memory.maintain(1000):
        pass
    sections = container.read(memory.export_snapshot()).sections
    assert not any(source.encode() in bytes(part) for part in sections.values())


def test_a_forgotten_fact_contradicts_nothing(memory: ZengramMemory) -> None:
    extract(memory, "s1u", {"subject": "c", "content": "one"})
    (new,) = extract(memory, "s2u", {"subject": "c", "content": "two"})
    assert len(memory.contradictions("/")) == 1
    memory.forget(new)
    assert memory.contradictions("/") == []


def test_merging_ages_no_importance_twice(memory: ZengramMemory, clock: ManualClock) -> None:
    old = say(memory, "old", "x", importance=0.3)
    clock.advance(days=10)
    new = say(memory, "new", "x", importance=0.9)
    memory.merge_facts(old, [new])
    memory.decay(10)
    assert importance(memory, old) == pytest.approx(0.9)


def test_a_session_confirms_merged_facts_once(memory: ZengramMemory) -> None:
    kept, twin = say(memory, "a", "x", session_id="s1"), say(memory, "b", "x", session_id="s2")
    say(memory, "b", "x", session_id="s3")
    memory.merge_facts(kept, [twin])
    say(memory, "a", "x", session_id="s3")
    fact = memory.fact(kept)
    assert fact is not None
    assert fact.times_confirmed == 1


def test_a_half_life_may_be_tiny(memory: ZengramMemory, clock: ManualClock) -> None:
    fact = say(memory, "a", "b")
    clock.advance(days=10)
    assert memory.decay(1e-308) == 1
    assert importance(memory, fact) == 0


def test_a_project_is_named_by_its_scope_or_its_id(memory: ZengramMemory) -> None:
    assert memory.ensure_project("/project/x") == memory.ensure_project("x") == "x"
    assert memory.ensure_project("/project//user") == memory.ensure_project("/user") == "/user"
