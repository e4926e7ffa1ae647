"""What facts hand to facts that they are linked to."""

from __future__ import annotations

import math
from typing import Any

import pytest
from memory_support import make_origins

from zengram_py import ZengramMemory
from zengram_py.clock import ManualClock
from zengram_py.memory import Hit

AWAY = [0.0, 1.0]


def at(cosine: float) -> list[float]:
    return [cosine, math.sqrt(1 - cosine * cosine)]


def ask(memory: ZengramMemory, question: str = "", **options: Any) -> dict[str, Hit]:
    hits = memory.recall_with_vector(question, "/", [1.0, 0.0], explain=True, **options)
    return {hit.subject: hit for hit in hits}


def spread(hit: Hit) -> dict[str, float]:
    assert hit.explanation is not None
    return hit.explanation.spread


def talk(
    memory: ZengramMemory, clock: ManualClock, session: str, cosines: list[float], **options: Any
) -> None:
    make_origins(memory, session, [f"{session}.{number}" for number in range(len(cosines))])
    for number, cosine in enumerate(cosines):
        vector = at(cosine) if cosine else AWAY
        memory.remember_with_vector(
            f"{session}{number}",
            "said",
            "/",
            vector,
            session_id=session,
            turn_id=f"{session}.{number}",
            **options,
        )
        clock.advance(seconds=1)


def test_what_was_said_beside_an_answer_comes_in(memory: ZengramMemory, clock: ManualClock) -> None:
    talk(memory, clock, "a", [0, 0, 0.8, 0, 0])
    talk(memory, clock, "b", [0, 0, 0])
    assert set(ask(memory)) == {"a2"}, "what a neighbour hands over does not reach the floor by itself"
    found = ask(memory, min_score=0.1)
    assert set(found) == {"a1", "a2", "a3"}
    assert spread(found["a2"]) == {}, "the best of its session has nothing to gain from itself"
    assert spread(found["a1"]) == pytest.approx({"turns": 0.3 * 0.4, "session": 0.3 * 0.8})
    for hit in found.values():
        assert hit.explanation is not None
        assert hit.score == pytest.approx(sum(hit.explanation.parts.values()))
        assert hit.explanation.parts["spread"] == pytest.approx(0.7 * sum(spread(hit).values()))


def test_the_first_and_last_turn_have_one_neighbour(memory: ZengramMemory, clock: ManualClock) -> None:
    talk(memory, clock, "a", [0, 0.8])
    assert spread(ask(memory)["a0"])["turns"] == pytest.approx(0.3 * 0.8)


def test_facts_of_one_turn_stand_together(memory: ZengramMemory, clock: ManualClock) -> None:
    make_origins(memory, "x", ["1", "2", "3"])
    for subject, turn, cosine in (
        ("p", "1", 0.0),
        ("q", "2", 0.8),
        ("r", "1", 0.0),
        ("s", "2", 0.5),
        ("t", "3", 0.0),
    ):
        vector = at(cosine) if cosine else AWAY
        memory.remember_with_vector(subject, "said", "/", vector, session_id="x", turn_id=turn)
        clock.advance(seconds=1)
    found = ask(memory, min_score=0.1)
    assert spread(found["p"]) == spread(found["r"])
    assert spread(found["p"])["turns"] == pytest.approx(0.3 * 0.8), "the best of the turn beside it"
    assert spread(found["t"])["turns"] == pytest.approx(0.3 * 0.8)
    assert "turns" not in spread(found["q"]), "no answer beside it"


def test_without_an_answer_nothing_becomes_one(memory: ZengramMemory, clock: ManualClock) -> None:
    talk(memory, clock, "a", [0.1, 0.12, 0.14, 0.1], peer="Ann")
    assert ask(memory, "what did Ann say") == {}
    assert ask(memory, min_score=0.3) == {}


def test_facts_without_links_keep_their_scores(memory: ZengramMemory, clock: ManualClock) -> None:
    memory.remember_with_vector("plain", "said", "/", at(0.6))
    make_origins(memory, "z", ["1"])
    memory.remember_with_vector("alone", "said", "/", at(0.6), session_id="z", turn_id="1")
    before = {subject: hit.score for subject, hit in ask(memory).items()}
    talk(memory, clock, "a", [0.7, 0.7])
    clock.advance(seconds=-2)
    after = ask(memory)
    for subject in ("plain", "alone"):
        assert spread(after[subject]) == {}
        assert after[subject].score == before[subject]


def test_a_named_peer_reorders_and_admits_nobody(memory: ZengramMemory) -> None:
    memory.remember_with_vector("one", "said", "/", at(0.5), peer="Ann Lee")
    memory.remember_with_vector("two", "said", "/", at(0.6), peer="Bob")
    memory.remember_with_vector("far", "said", "/", at(0.1), peer="Ann Lee")
    found = ask(memory, "what does ann lee think")
    assert list(found) == ["one", "two"]
    assert spread(found["one"]) == {"peer": 0.2}
    assert spread(found["two"]) == {}


def test_a_peer_of_another_scope_changes_nothing(memory: ZengramMemory) -> None:
    memory.remember_with_vector("one", "said", "/", at(0.5), peer="Ann")
    memory.remember_with_vector("two", "said", "/", at(0.5), peer="ANN")
    before = {subject: hit.score for subject, hit in ask(memory, "what is ann's view").items()}
    assert before["one"] == before["two"]
    for peer in ("ann", "Ann View", "ann's"):
        memory.remember_with_vector(peer, "said", "/elsewhere", at(0.5), peer=peer)
    assert {subject: hit.score for subject, hit in ask(memory, "what is ann's view").items()} == before


@pytest.mark.parametrize("preset", ["hybrid", "classical", "rrf"])
def test_a_named_peer_does_not_outweigh_a_right_answer(memory: ZengramMemory, preset: str) -> None:
    memory.remember_with_vector("right", "tea is the exact answer", "/", at(1.0))
    memory.remember_with_vector("other", "something nearly unrelated", "/", at(0.37), peer="Ann")
    assert next(iter(ask(memory, "tea for ann", preset=preset))) == "right"


def test_a_rare_name_links_and_a_common_one_does_not(memory: ZengramMemory) -> None:
    memory.remember_with_vector("answer", "said", "/", at(0.9), entities=["Kyoto", "User"])
    memory.remember_with_vector("linked", "more", "/", AWAY, entities=["Kyoto"])
    for i in range(20):
        memory.remember_with_vector(f"common{i}", "noise", "/", AWAY, entities=["User"])
    memory.configure_recall("/", spread_entities=0.3)
    found = ask(memory)
    assert set(found) == {"answer", "linked"}
    assert spread(found["linked"]) == pytest.approx({"entities": 0.27})
    assert spread(found["answer"]) == {}
    memory.configure_recall("/", spread_entities=0)
    assert set(ask(memory)) == {"answer"}


def test_two_answers_of_one_name_lift_each_other(memory: ZengramMemory) -> None:
    memory.remember_with_vector("one", "said", "/", at(0.9), entities=["Kyoto"])
    memory.remember_with_vector("two", "said", "/", at(0.5), entities=["Kyoto"])
    found = ask(memory)
    assert spread(found["one"]) == pytest.approx({"entities": 0.05})
    assert spread(found["two"]) == pytest.approx({"entities": 0.09})


def test_an_insight_and_what_it_was_made_from(memory: ZengramMemory) -> None:
    base = memory.remember_with_vector("base", "said", "/", AWAY)
    other = memory.remember_with_vector("other", "said", "/", AWAY)
    memory.remember_with_vector("insight", "concluded", "/", at(0.8), source_ids=[base])
    found = ask(memory)
    assert set(found) == {"insight", "base"}
    assert spread(found["base"]) == pytest.approx({"sources": 0.24})
    memory.remember_with_vector("second", "concluded", "/", AWAY, source_ids=[other, base])
    assert set(ask(memory)) == {"insight", "base"}, "one step, and no further"


def test_facts_that_were_made_from_each_other(memory: ZengramMemory) -> None:
    one = memory.remember_with_vector("one", "said", "/", at(0.8))
    two = memory.remember_with_vector("two", "said", "/", AWAY, source_ids=[one])
    with memory._database.begin() as transaction:
        transaction.update("knowledge", one, {"consolidated_from": [two, one, 7, None]})
    found = ask(memory)
    assert spread(found["two"]) == pytest.approx({"sources": 0.24})
    assert spread(found["one"]) == {}


def test_filters_hold_for_what_comes_in_by_a_link(memory: ZengramMemory, clock: ManualClock) -> None:
    talk(memory, clock, "a", [0.9], tags=["x"])
    talk(memory, clock, "a", [0.9, 0.0], tags=["x"])
    make_origins(memory, "a", ["a.2", "a.3"])
    memory.remember_with_vector("a2", "said", "/", AWAY, session_id="a", turn_id="a.2", private=True)
    memory.remember_with_vector("a9", "said", "/", AWAY, session_id="a", turn_id="a.3")
    assert set(ask(memory, tags="x")) == {"a0", "a1"}
    assert "a2" not in ask(memory)


@pytest.mark.parametrize("preset", ["hybrid", "classical", "rrf"])
def test_links_work_under_every_preset_and_can_be_turned_off(
    memory: ZengramMemory, clock: ManualClock, preset: str
) -> None:
    talk(memory, clock, "a", [0.0, 0.8, 0.3])
    on = ask(memory, preset=preset)
    assert spread(on["a2"])["turns"] > 0
    assert on["a2"].score == pytest.approx(sum(on["a2"].explanation.parts.values()))  # type: ignore[union-attr]
    off = dict.fromkeys(("turns", "session", "sources", "entities", "peer"), 0.0)
    memory.configure_recall("/", **{f"spread_{name}": value for name, value in off.items()})
    without = ask(memory, preset=preset)
    assert all(spread(hit) == {} for hit in without.values())
    assert set(without) == {"a1", "a2"}


def test_a_restored_memory_spreads_the_same(memory: ZengramMemory, clock: ManualClock) -> None:
    for session in "abc":
        talk(memory, clock, session, [0.2, 0.5, 0.7, 0.1, 0.4], peer="Ann", entities=["Rex"])
    wanted = memory.recall_with_vector("did Ann name Rex", "/", [1.0, 0.0], explain=True)
    restored = ZengramMemory.open_from_snapshot(memory.export_snapshot(), 2, clock=clock)
    assert restored.recall_with_vector("did Ann name Rex", "/", [1.0, 0.0], explain=True) == wanted
