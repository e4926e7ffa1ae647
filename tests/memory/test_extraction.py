"""Facts and insights that a caller's model found: stored whole or not at all, with where they came from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from memory_support import make_origins, refused
from test_memory import toy_embedder

from zengram_py import ZengramMemory
from zengram_py.clock import ManualClock
from zengram_py.errors import (
    EmbedderError,
    InvalidArgumentError,
    NotFoundError,
    VectorLengthError,
    VectorNotFiniteError,
    VectorTypeError,
    VectorZeroError,
)

TEA = {"subject": "drinks", "content": "user drinks green tea"}
DOG = {"subject": "pets", "content": "user has a dog named Rex"}


@pytest.fixture
def memory(clock: ManualClock) -> ZengramMemory:
    made = ZengramMemory.open(64, clock=clock)
    made.set_embed_fn(toy_embedder, 64)
    for session in ("s1", "s2", "s3"):
        make_origins(made, session, [f"{session}u"], "user")
        make_origins(made, session, [f"{session}a"], "assistant")
    return made


def extract(memory: ZengramMemory, session: str, *facts: Any, role: str = "u", scope: str = "/") -> list[str]:
    return memory.extract_with_facts("what was said", scope, session, f"{session}{role}", facts)


def of(memory: ZengramMemory, fact_id: str, *names: str) -> tuple[Any, ...]:
    fact = memory.fact(fact_id)
    assert fact is not None
    return tuple(getattr(fact, name) for name in names)


def trail(memory: ZengramMemory, fact_id: str) -> list[tuple[str, str]]:
    return [(origin.relation, origin.id) for origin in memory.trace_back(fact_id, depth=1)]


def test_facts_know_their_turn_and_come_in_one_commit(memory: ZengramMemory) -> None:
    before = memory._database.lsn
    tea, dog = extract(
        memory, "s1", {**TEA, "categories": ["taste"]}, {**DOG, "importance": 0.9, "tags": ["pet"]}
    )
    assert memory._database.lsn == before + 1
    assert of(memory, tea, "session_id", "turn_id", "source_type", "categories") == (
        "s1",
        "s1u",
        "extraction",
        ("taste",),
    )
    assert of(memory, dog, "importance", "tags") == (0.9, ("pet",))
    assert trail(memory, tea) == [("extracted_from", "s1u")]
    assert memory.recall("which green tea?", "/")[0].knowledge_id == tea
    assert [e.name for e in memory.entities("/")] == ["Rex"]
    assert {o.id for o in memory.trace_forward("s1u")} == {tea, dog}


def test_what_another_session_says_again_confirms(memory: ZengramMemory) -> None:
    (tea,) = extract(memory, "s1", TEA)
    assert extract(memory, "s1", TEA) == [tea]
    assert of(memory, tea, "times_confirmed") == (0,)
    assert extract(memory, "s2", {"subject": "Drinks", "content": "user drinks  green tea"}) == [tea]
    assert of(memory, tea, "times_confirmed", "importance", "confidence", "source_type") == (
        1,
        0.65,
        0.6,
        "extraction",
    )
    assert extract(memory, "s2", TEA) == [tea]
    assert of(memory, tea, "times_confirmed", "session_id") == (1, "s1")
    assert trail(memory, tea) == [("extracted_from", "s1u"), ("confirmed_by", "s2u")]


def test_a_contradiction_is_surfaced(memory: ZengramMemory, clock: ManualClock) -> None:
    (tea,) = extract(memory, "s1", TEA)
    told = memory.remember("city", "user lives in Oslo", "/")
    moved = memory.remember("city", "user lives in Bergen", "/")
    assert memory.contradictions("/") == [], "what is told replaces what was known without ado"
    clock.advance(days=1)
    coffee, rome = extract(
        memory,
        "s2",
        {"subject": "drinks", "content": "user drinks coffee"},
        {"subject": "CITY", "content": "Rome"},
    )
    found = memory.contradictions("/")
    assert [(c.knowledge_id, c.replaced_id, c.replaced_content, c.turn_id) for c in found] == [
        (rome, moved, "user lives in Bergen", "s2u"),
        (coffee, tea, "user drinks green tea", "s2u"),
    ]
    assert [c.knowledge_id for c in memory.contradictions("/", limit=1)] == [rome]
    assert memory.contradictions("/", session_id="s1") == memory.contradictions("/x") == []
    assert len(memory.contradictions("/", session_id="s2", since=clock.now())) == 2
    assert memory.contradictions("/", since=clock.now() + 1) == []
    assert of(memory, tea, "status", "superseded_by") == ("superseded", coffee)
    assert trail(memory, coffee) == [
        ("supersedes", tea),
        ("extracted_from", "s2u"),
        ("contradicts", tea),
    ]
    assert [(o.depth, o.id) for o in memory.trace_back(rome)][-1] == (2, told)


def test_two_facts_of_one_subject_in_one_call_contradict_each_other(memory: ZengramMemory) -> None:
    one, two = extract(memory, "s1", TEA, {"subject": "drinks", "content": "user drinks coffee"})
    assert [(c.knowledge_id, c.replaced_id) for c in memory.contradictions("/")] == [(two, one)]


@pytest.mark.parametrize(
    "echo",
    [
        {"subject": "drinks", "content": "user drinks green tea"},
        {"subject": "favourite drink", "content": "User drinks green tea."},
        {"subject": "recalled", "content": "drinks: user drinks green tea"},
        {"subject": "note", "content": "“user drinks GREEN tea”"},
    ],
)
def test_recalled_text_that_comes_back_is_recognised(
    memory: ZengramMemory, clock: ManualClock, echo: Any
) -> None:
    (tea,) = extract(memory, "s1", TEA)
    clock.advance(days=1)
    make_origins(memory, "later", ["latera"], "assistant")
    make_origins(memory, "later", ["lateru"], "user")
    memory.recall("green tea", "/")
    assert extract(memory, "later", echo, DOG, role="a")[0] == tea
    assert of(memory, tea, "times_confirmed", "confidence", "access_count") == (0, 0.5, 1)
    assert extract(memory, "later", echo, role="a") == [tea], "also when the count is in the table by now"
    assert len(memory.facts("/")) == 2
    restored = ZengramMemory.open_from_snapshot(memory.export_snapshot(), 64, clock=clock)
    restored.set_embed_fn(toy_embedder, 64)
    assert extract(restored, "later", echo, role="a") == [tea]


def test_what_is_no_echo_counts(memory: ZengramMemory, clock: ManualClock) -> None:
    (tea,) = extract(memory, "s1", TEA)
    memory.recall("green tea", "/")
    clock.advance(days=1)
    make_origins(memory, "later", ["latera"], "assistant")
    make_origins(memory, "later", ["lateru"], "user")
    other = {"subject": "favourite drink", "content": "user drinks green tea"}
    assert extract(memory, "later", other, role="a") != [tea], "it was recalled before the session began"
    memory.recall("green tea", "/")
    negated = {"subject": "habits", "content": "user drinks green tea no more"}
    assert extract(memory, "later", negated, role="a") != [tea]
    assert extract(memory, "later", TEA, role="u") == [tea]
    assert of(memory, tea, "times_confirmed") == (1,), "a user who says it says it"
    assert extract(memory, "later", TEA, role="u", scope="/x") != [tea], "another scope"


BAD_FACTS: list[tuple[Any, str]] = [
    ([TEA, {"subject": "x"}], "fact 1: content is missing"),
    ([TEA, {"content": "x"}], "fact 1: subject is missing"),
    ([{"subject": " ", "content": "x"}], "fact 0: subject must not be blank"),
    ([{"subject": "x", "content": 7}], "fact 0: content must be a string"),
    ([TEA, "tea"], "fact 1 must be an object"),
    ([TEA, None], "fact 1 must be an object"),
    ([{**TEA, "importence": 1}], "fact 0 has no field 'importence'"),
    ([{**TEA, "importance": 2}], "fact 0: importance"),
    ([{**TEA, "categories": 7}], "fact 0: categories"),
    ([{**TEA, "source_ids": []}], "no field 'source_ids'"),
    (TEA, "facts must be a list"),
    ("tea", "facts must be a list"),
    (7, "facts must be a list"),
    ([TEA] * 1001, "1000 at most"),
]


@pytest.mark.parametrize(("facts", "match"), BAD_FACTS)
def test_one_bad_fact_and_nothing_is_stored(memory: ZengramMemory, facts: Any, match: str) -> None:
    refused(
        memory, InvalidArgumentError, match, lambda: memory.extract_with_facts("t", "/", "s1", "s1u", facts)
    )
    vectors = np.ones((len(facts) if isinstance(facts, list) else 1, 64))
    refused(
        memory,
        InvalidArgumentError,
        match,
        lambda: memory.extract_with_facts_with_vectors("t", "/", "s1", "s1u", facts, vectors),
    )


@pytest.mark.parametrize(
    ("session", "turn", "match"),
    [("s9", "s1u", "session 's9'"), ("s1", "s9u", "turn 's9u'"), ("s1", "s2u", "not of session 's1'")],
)
def test_unknown_origins_are_refused(memory: ZengramMemory, session: str, turn: str, match: str) -> None:
    refused(memory, NotFoundError, match, lambda: memory.extract_with_facts("t", "/", session, turn, [TEA]))


def test_an_embedder_that_fails_in_the_middle_stores_nothing(memory: ZengramMemory) -> None:
    calls = []

    def flaky(text: str) -> Any:
        calls.append(text)
        if len(calls) == 2:
            raise RuntimeError("out of memory")
        return toy_embedder(text)

    memory.set_embed_fn(flaky, 64)
    refused(memory, EmbedderError, "out of memory", lambda: extract(memory, "s1", TEA, DOG))
    assert calls == ["drinks: user drinks green tea", "pets: user has a dog named Rex"]
    memory.remember("base", "a fact", "/")
    calls.clear()
    refused(memory, EmbedderError, "out of memory", lambda: memory.reflect_with_insights("/", [TEA, DOG]))


def test_without_an_embedder_there_is_an_error_also_for_no_facts() -> None:
    memory = ZengramMemory.open(2)
    make_origins(memory, "s1", ["s1u"])
    memory.remember_with_vector("a", "b", "/", [1, 0])
    for facts in ([TEA], []):
        with pytest.raises(EmbedderError) as caught:
            memory.extract_with_facts("t", "/", "s1", "s1u", facts)
        assert caught.value.code == "EMBEDDER_MISSING"
        with pytest.raises(EmbedderError):
            memory.reflect_with_insights("/", facts)


def test_no_facts_store_nothing(memory: ZengramMemory) -> None:
    before = memory.export_snapshot()
    assert extract(memory, "s1") == []
    assert memory.export_snapshot() == before


def test_the_callers_vectors_are_taken(memory: ZengramMemory) -> None:
    vectors = [toy_embedder("drinks: user drinks green tea"), np.eye(64)[3]]
    tea, dog = memory.extract_with_facts_with_vectors("t", "/", "s1", "s1u", [TEA, DOG], vectors)
    assert memory.recall_with_vector("", "/", np.eye(64)[3])[0].knowledge_id == dog
    assert trail(memory, tea) == [("extracted_from", "s1u")]
    (insight,) = memory.reflect_with_insights_with_vectors(
        "/", [{"subject": "home", "content": "a home with a dog", "sourceIds": [dog]}], np.eye(64)[5:6]
    )
    assert trail(memory, insight) == [("reflected_from", dog)]


BAD_VECTORS: list[tuple[Any, type[Exception], str]] = [
    ([np.ones(64)], VectorLengthError, "2 facts and 1 vectors"),
    ([np.ones(64), np.ones(63)], VectorLengthError, "fact 1"),
    ([np.zeros(64), np.ones(64)], VectorZeroError, "fact 0"),
    ([np.ones(64), np.full(64, np.nan)], VectorNotFiniteError, "fact 1"),
    ([np.ones(64), "x"], VectorTypeError, "fact 1"),
    (None, InvalidArgumentError, "vectors must be a list"),
    ("ab", InvalidArgumentError, "vectors must be a list"),
]


@pytest.mark.parametrize(("vectors", "error", "match"), BAD_VECTORS)
def test_a_bad_vector_among_good_ones_is_named(
    memory: ZengramMemory, vectors: Any, error: type[Exception], match: str
) -> None:
    refused(
        memory,
        error,
        match,
        lambda: memory.extract_with_facts_with_vectors("t", "/", "s1", "s1u", [TEA, DOG], vectors),
    )


# -- reflection ------------------------------------------------------------------------------------------------------------


def test_insights_rest_on_facts(memory: ZengramMemory) -> None:
    tea, dog = (
        memory.remember("drinks", "green tea", "/"),
        memory.remember("pets", "a dog", "/", importance=0.9),
    )
    named, general = memory.reflect_with_insights(
        "/",
        [
            {"subject": "habits", "content": "user starts slowly", "sourceIds": [tea]},
            {"subject": "life", "content": "user likes calm", "categories": ["insight"]},
        ],
    )
    assert of(memory, named, "source_type", "source_ids", "session_id") == ("reflection", (tea,), None)
    assert of(memory, general, "source_ids", "categories") == ((dog, tea), ("insight",))
    assert trail(memory, general) == [("reflected_from", dog), ("reflected_from", tea)]
    (one,) = memory.reflect_with_insights("/", [{"subject": "x", "content": "y"}], 1)
    assert of(memory, one, "source_ids") == ((dog,),)


def test_a_scope_without_facts_gives_no_insight(memory: ZengramMemory) -> None:
    fact = memory.remember("drinks", "green tea", "/x")
    before = memory.export_snapshot()
    assert memory.reflect_with_insights("/", [TEA]) == []
    assert memory.reflect_with_insights_with_vectors("/", [TEA], [np.ones(64)]) == []
    assert memory.export_snapshot() == before
    memory.forget(fact)
    assert memory.reflect_with_insights("/x", [TEA]) == []


def test_an_insight_that_comes_again_is_the_one_that_is_there(memory: ZengramMemory) -> None:
    base = memory.remember("drinks", "green tea", "/")
    (first,) = memory.reflect_with_insights("/", [{"subject": "habits", "content": "calm"}])
    assert memory.reflect_with_insights("/", [{"subject": "habits", "content": "calm"}]) == [first]
    assert of(memory, first, "source_ids") == ((base,),), "it does not rest on itself"
    (other,) = memory.reflect_with_insights(
        "/", [{"subject": "habits", "content": "hasty", "sourceIds": [base]}]
    )
    assert [(c.knowledge_id, c.replaced_id) for c in memory.contradictions("/")] == [(other, first)]


def test_an_insight_from_nowhere_is_refused(memory: ZengramMemory) -> None:
    fact, elsewhere = memory.remember("a", "b", "/"), memory.remember("a", "b", "/x")
    for sources in ([fact, "knw_no"], [elsewhere]):
        insights = [TEA, {**DOG, "sourceIds": sources}]
        refused(memory, NotFoundError, "no fact", lambda i=insights: memory.reflect_with_insights("/", i))  # type: ignore[misc]


# -- provenance --------------------------------------------------------------------------------------------------------------


def test_traces_walk_to_depths_and_end_in_cycles(memory: ZengramMemory) -> None:
    (tea,) = extract(memory, "s1", TEA)
    (calm,) = memory.reflect_with_insights(
        "/", [{"subject": "habits", "content": "calm", "sourceIds": [tea]}]
    )
    (deep,) = memory.reflect_with_insights("/", [{"subject": "life", "content": "slow", "sourceIds": [calm]}])
    back = memory.trace_back(deep)
    assert [(o.depth, o.type, o.id, o.relation) for o in back] == [
        (1, "knowledge", calm, "reflected_from"),
        (2, "knowledge", tea, "reflected_from"),
        (3, "turn", "s1u", "extracted_from"),
    ]
    assert [o.text for o in back] == ["habits: calm", "drinks: user drinks green tea", "user"]
    assert [(o.depth, o.id) for o in memory.trace_forward("s1u")] == [(1, tea), (2, calm), (3, deep)]
    assert [o.id for o in memory.trace_back(deep, depth=1)] == [calm]
    assert memory.trace_back(deep, depth=0) == []
    with memory._database.begin() as transaction:
        row = {"source_type": "knowledge", "source_id": deep, "target_type": "knowledge", "target_id": tea}
        transaction.insert(
            "provenance", {"id": "prv_loop", **row, "relation": "derived_from", "time_created": 0}
        )
    assert [o.id for o in memory.trace_back(deep)] == [calm, tea, deep, "s1u"]
    assert len(memory.trace_forward(tea, depth=1000)) == 3


def test_the_graph_of_provenance_is_there_for_sql(memory: ZengramMemory) -> None:
    (tea,) = extract(memory, "s1", TEA)
    (coffee,) = extract(memory, "s2", {"subject": "drinks", "content": "user drinks coffee"})
    (calm,) = memory.reflect_with_insights(
        "/", [{"subject": "habits", "content": "calm", "sourceIds": [coffee]}]
    )
    yielded = memory.query(
        "select * from graph_table (agent_graph match (t is Turn)-[y is YIELDED]->(k is Knowledge) "
        "columns (t.id as turn, y.relation as relation, k.id as fact)) order by fact"
    )
    assert [tuple(row.values()) for row in yielded.rows] == [
        ("s1u", "extracted_from", tea),
        ("s2u", "extracted_from", coffee),
    ]
    far = memory.query(
        "select * from graph_table (agent_graph match (s is Session)-[is HAS_TURN]->(t is Turn)-[is YIELDED]->(k is Knowledge)"
        "-[is LED_TO]->{0,5}(end_ is Knowledge) where s.id = 's1' columns (end_.id as id)) order by id"
    )
    assert {row["id"] for row in far.rows} == {tea, coffee, calm}
    gone = memory.query(
        "select * from graph_table (agent_graph match (old is Knowledge)-[is SUPERSEDED_BY]->(new is Knowledge) "
        "columns (old.content as was, new.content as now))"
    )
    assert gone.rows == [{"was": "user drinks green tea", "now": "user drinks coffee"}]


# -- settings ----------------------------------------------------------------------------------------------------------------


def test_settings_of_extraction_belong_to_a_scope(memory: ZengramMemory, clock: ManualClock) -> None:
    default = memory.extraction_config("/")
    assert (default.enabled, default.extract_on, default.min_turn_tokens) == (True, "assistant_turn", 100)
    assert (default.reflection_trigger, default.reflection_scope, default.categories_prompt) == (
        "session_end",
        "session",
        None,
    )
    changed = memory.configure_extraction(
        "/", enabled=False, min_turn_tokens=5, categories_prompt="taste, people"
    )
    assert memory.extraction_config("/") == changed
    assert memory.configure_extraction("/", enabled=True).min_turn_tokens == 5
    assert memory.extraction_config("/x") == default
    restored = ZengramMemory.open_from_snapshot(memory.export_snapshot(), 64, clock=clock)
    assert restored.extraction_config("/").categories_prompt == "taste, people"
    for bad in (
        {"enabled": 1},
        {"extract_on": "x"},
        {"min_turn_tokens": -1},
        {"nothing": 1},
        {"reflection_scope": 3},
    ):
        with pytest.raises(InvalidArgumentError, match=next(iter(bad))):
            memory.configure_extraction("/", **bad)


def test_where_a_fact_was_told_is_traced(memory: ZengramMemory) -> None:
    with_turn = memory.remember("a", "told in a turn", "/", turn_id="s1u")
    with_session = memory.remember("b", "told in a session", "/", session_id="s1")
    assert trail(memory, with_turn) == [("told_in", "s1u")]
    assert trail(memory, with_session) == [("told_in", "s1")]
    assert {o.id for o in memory.trace_forward("s1")} == {with_turn, with_session}
    assert memory.trace_back(memory.remember("c", "told nowhere", "/")) == []


def test_a_tool_call_that_revealed_a_fact_is_traced(memory: ZengramMemory) -> None:
    call = memory.record_tool_call(turn_id="s1u", session_id="s1", tool_id="weather")
    fact = memory.remember("weather", "it rains in Bergen", "/", tool_call_id=call)
    assert of(memory, fact, "session_id", "turn_id") == ("s1", "s1u")
    assert trail(memory, fact) == [("told_in", call)]
    (found,) = extract(memory, "s1", {**TEA, "toolCallId": call})
    assert trail(memory, found) == [("extracted_from", call)]
    assert [(o.id, o.text) for o in memory.trace_back(found)] == [(call, "weather (pending)")]
    assert {o.id for o in memory.trace_forward(call)} == {fact, found}
    revealed = memory.query(
        "select * from graph_table (agent_graph match (c is ToolCall)-[is REVEALED]->(k is Knowledge) "
        "columns (c.tool_id as tool, k.id as fact))"
    )
    assert {row["fact"] for row in revealed.rows} == {fact, found}
    refused(
        memory,
        NotFoundError,
        "tcl_no",
        lambda: memory.remember("x", "y", "/", tool_call_id="tcl_no"),
    )
    refused(
        memory,
        NotFoundError,
        "not of turn 's2u'",
        lambda: memory.remember("x", "y", "/", tool_call_id=call, turn_id="s2u"),
    )


def test_a_trace_shows_what_a_turn_said(memory: ZengramMemory) -> None:
    memory.add_part("s1u", "s1", "reasoning", {"text": "hm"}, 0)
    memory.add_part("s1u", "s1", "text", {"text": "I drink green tea. " * 20}, 1)
    (tea,) = extract(memory, "s1", TEA)
    (origin,) = memory.trace_back(tea)
    assert origin.text is not None
    assert origin.text.startswith("user: I drink green tea. I drink")
    assert len(origin.text) <= len("user: ") + 200
    memory.summarize_turn("s1u", "likes tea")
    assert memory.trace_back(tea)[0].text == "user: likes tea"


def test_what_takes_a_private_facts_place_is_as_private(memory: ZengramMemory) -> None:
    memory.remember("pin", "1111", "/", private=True)
    (newer,) = extract(memory, "s1", {"subject": "pin", "content": "2222"})
    assert of(memory, newer, "private") == (True,)
    assert memory.recall("pin 2222", "/") == []
    assert memory.contradictions("/") == []
    assert [c.knowledge_id for c in memory.contradictions("/", include_private=True)] == [newer]
    assert of(memory, memory.remember("pin", "no secret", "/", private=False), "private") == (False,)
    open_one = memory.remember("pets", "a dog", "/")
    secret = memory.remember("health", "an allergy", "/", private=True)
    (from_all,) = memory.reflect_with_insights("/", [{"subject": "life", "content": "calm"}])
    assert secret not in of(memory, from_all, "source_ids")[0]
    (from_secret,) = memory.reflect_with_insights(
        "/", [{"subject": "food", "content": "careful", "sourceIds": [secret]}]
    )
    assert of(memory, from_secret, "private") == (True,)
    memory.merge_facts(open_one, [secret])
    assert of(memory, open_one, "private") == (True,)


def test_a_word_is_an_echo_only_of_its_subject_and_peer(memory: ZengramMemory, clock: ManualClock) -> None:
    blue = memory.remember("car color", "blue", "/", peer="Ann")
    tea = memory.remember("drinks", "Ann drinks green tea", "/", peer="Ann")
    clock.advance(days=1)
    make_origins(memory, "later", ["latera"], "assistant")
    memory.recall("car color blue drinks tea", "/")
    house = {"subject": "house color", "content": "Blue!"}
    same = {"subject": "Car color", "content": "Blue!"}
    of_bob = {"subject": "taste", "content": "Ann drinks green tea", "peer": "Bob"}
    of_ann = {"subject": "taste", "content": "Ann drinks green tea", "peer": "ann"}
    found = extract(memory, "later", house, same, of_bob, of_ann, role="a")
    assert (found[1], found[3]) == (blue, tea)
    assert len(memory.facts("/")) == 4
