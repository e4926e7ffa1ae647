"""Small inputs on which memories fail in public: what is one thing and what is two, broken Unicode, and odd times."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from memory_support import make_origins

from zengram_py import ZengramMemory
from zengram_py.clock import ManualClock
from zengram_py.errors import ZengramError

NFC, NFD = "caf\u00e9", "cafe\u0301"
CUT = "\ud83e"  # half of an emoji, as JavaScript hands over a text that was cut
MIDNIGHT = int(datetime(2026, 3, 31, tzinfo=UTC).timestamp()) * 1_000_000


def embed(text: str) -> list[float]:
    data = text.encode()  # raises for half of a surrogate pair
    return [1.0, len(data) % 7, data[0] % 5]


@pytest.fixture
def memory(clock: ManualClock) -> ZengramMemory:
    made = ZengramMemory.open(3, clock=clock)
    made.set_embed_fn(embed, 3)
    make_origins(made, "s1", ["s1u"])
    make_origins(made, "s\ufffd", ["t\ufffd"])
    return made


def extract(memory: ZengramMemory, *facts: Any) -> list[str]:
    return memory.extract_with_facts("", "/", "s1", "s1u", facts)


def reflect(memory: ZengramMemory, *facts: Any) -> list[str]:
    return memory.reflect_with_insights("/", facts)


def remember(memory: ZengramMemory, *facts: Any) -> list[str]:
    return [memory.remember(fact["subject"], fact["content"], "/") for fact in facts]


Teller = Callable[..., list[str]]
TELLERS = [remember, extract, reflect]


# -- identity --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tell", TELLERS)
def test_text_that_is_not_latin_is_not_normalised_away(memory: ZengramMemory, tell: Teller) -> None:
    memory.remember("base", "to reflect on", "/")
    ids = tell(memory, {"subject": "你好", "content": "世界"}, {"subject": "世界", "content": "世界"})
    ids += tell(memory, {"subject": "🤖", "content": "一"}, {"subject": "🦊", "content": "一"})
    assert len(set(ids)) == 4
    assert {fact.id for fact in memory.facts("/")} >= set(ids)
    again = tell(memory, {"subject": "你好", "content": "世 界"})
    assert again[0] not in ids, "white space inside a text distinguishes contents"


@pytest.mark.parametrize("tell", TELLERS)
def test_a_subject_in_two_unicode_forms_is_one_and_superseded_once(
    memory: ZengramMemory, tell: Teller
) -> None:
    memory.remember("base", "to reflect on", "/")
    (first,) = tell(memory, {"subject": NFC, "content": "one"})
    (second,) = tell(memory, {"subject": NFD, "content": "two"})
    assert [(f.id, f.status, f.superseded_by) for f in memory.history(NFD, "/")] == [
        (first, "superseded", second),
        (second, "active", None),
    ]
    (same,) = tell(memory, {"subject": NFC.upper(), "content": "two"})
    assert same == second


@pytest.mark.parametrize("tell", TELLERS)
def test_fields_are_apart(memory: ZengramMemory, tell: Teller) -> None:
    memory.remember("base", "to reflect on", "/")
    one, other = tell(memory, {"subject": "ab", "content": "c"}, {"subject": "a", "content": "bc"})
    assert one != other
    hashes = memory.query("select similarity_hash from knowledge").rows
    assert len({row["similarity_hash"] for row in hashes}) == 3


# -- broken Unicode ----------------------------------------------------------------------------------------------------------


FACT = {"subject": "s", "content": "c"}


def known(memory: ZengramMemory) -> str:
    return memory.facts("/")[0].id


#: Each call that takes a text, with a broken one in that place.
CALLS: dict[str, Callable[[ZengramMemory], Any]] = {
    "extract turn text": lambda m: m.extract_with_facts(f"x{CUT}", "/", "s1", "s1u", [FACT]),
    "extract scope": lambda m: m.extract_with_facts("", f"/{CUT}", "s1", "s1u", [FACT]),
    "extract unknown session": lambda m: m.extract_with_facts("", "/", f"no{CUT}", "s1u", [FACT]),
    "extract unknown turn": lambda m: m.extract_with_facts("", "/", "s1", f"no{CUT}", [FACT]),
    "extract subject": lambda m: extract(m, {**FACT, "subject": f"x{CUT}"}),
    "extract content": lambda m: extract(m, {**FACT, "content": f"x{CUT}"}),
    "extract categories": lambda m: extract(m, {**FACT, "categories": [f"x{CUT}"]}),
    "extract tags": lambda m: extract(m, {**FACT, "tags": [f"x{CUT}"]}),
    "extract peer": lambda m: extract(m, {**FACT, "peer": f"x{CUT}"}),
    "extract entities": lambda m: extract(m, {**FACT, "entities": [f"x{CUT}"]}),
    "extract unknown field": lambda m: extract(m, {**FACT, f"x{CUT}": 1}),
    "reflect scope": lambda m: m.reflect_with_insights(f"/{CUT}", [FACT]),
    "reflect subject": lambda m: reflect(m, {**FACT, "subject": f"x{CUT}"}),
    "reflect content": lambda m: reflect(m, {**FACT, "content": f"x{CUT}"}),
    "reflect sources": lambda m: reflect(m, {**FACT, "sourceIds": [f"x{CUT}"]}),
    "remember session": lambda m: m.remember("s", "c", "/", session_id=f"s{CUT}"),
    "remember turn": lambda m: m.remember("s", "c", "/", turn_id=f"t{CUT}"),
    "remember sources": lambda m: m.remember("s", "c", "/", source_ids=[f"x{CUT}"]),
    "history subject": lambda m: m.history(f"b{CUT}")[0],
    "history scope": lambda m: m.history("b\ufffd", f"/{CUT}")[0],
    "history peer": lambda m: m.history("b\ufffd", peer=f"P{CUT}")[0],
    "facts about a peer": lambda m: m.facts_about_peer(f"P{CUT}")[0],
    "facts": lambda m: m.facts(f"/{CUT}")[0],
    "entity": lambda m: m.entity(f"x{CUT}", f"/{CUT}"),
    "entities": lambda m: m.entities(f"/{CUT}"),
    "fact": lambda m: m.fact(f"x{CUT}"),
    "confirm": lambda m: m.confirm(f"x{CUT}"),
    "contradict": lambda m: m.contradict(f"x{CUT}"),
    "forget": lambda m: m.forget(f"x{CUT}"),
    "purge": lambda m: m.purge(f"x{CUT}"),
    "merge": lambda m: m.merge_facts(f"x{CUT}", [known(m)]),
    "merge duplicates": lambda m: m.merge_facts(known(m), [f"x{CUT}"]),
    "collisions": lambda m: m.collisions(f"x{CUT}"),
    "trace back": lambda m: m.trace_back(f"x{CUT}"),
    "trace forward": lambda m: m.trace_forward(f"t{CUT}"),
    "contradictions of a scope": lambda m: m.contradictions(f"/{CUT}"),
    "contradictions of a session": lambda m: m.contradictions("/", session_id=f"s{CUT}"),
    "project": lambda m: m.ensure_project(f"/project/{CUT}"),
    "extraction of a scope": lambda m: m.configure_extraction(f"/{CUT}", min_turn_tokens=3),
    "categories prompt": lambda m: m.configure_extraction("/", categories_prompt=f"x{CUT}"),
    "extract on": lambda m: m.configure_extraction("/", extract_on=f"x{CUT}"),
    "recall of a scope": lambda m: m.configure_recall(f"/{CUT}", limit_default=3),
    "recall": lambda m: m.recall(f"x{CUT}", f"/{CUT}", peers=[f"p{CUT}"], min_score=0)[0],
}


@pytest.mark.parametrize("name", CALLS)
def test_half_an_emoji_is_replaced_or_refused_and_never_a_later_crash(
    memory: ZengramMemory, clock: ManualClock, name: str
) -> None:
    memory.remember("known", "a fact", "/")
    memory.remember(f"b{CUT}", "a fact", f"/{CUT}", peer=f"p{CUT}")
    try:
        str(CALLS[name](memory)).encode()
    except ZengramError as error:
        str(error).encode()
    restored = ZengramMemory.open_from_snapshot(memory.export_snapshot(), 3, clock=clock)
    for one in (memory, restored):
        one.set_embed_fn(embed, 3)
        with one._database.begin(read_only=True) as transaction:
            for table in one._database.tables():
                for row in transaction.scan(table.title):
                    str(row).encode()
        for scope in ("/", f"/{CUT}", "/\ufffd"):
            one.recall("x\ufffd", scope)
            one.recall(f"x{CUT}", scope)
        (fact,) = one.facts(f"/{CUT}", offset=len(one.facts("/\ufffd")) - 1)
        assert (fact.scope, fact.subject, fact.peer) == ("/\ufffd", "b\ufffd", "p\ufffd")


def test_names_of_an_extractor_may_be_broken(memory: ZengramMemory) -> None:
    memory.set_entity_extractor(lambda text: [f"Name{CUT}"])
    (fact,) = extract(memory, FACT)
    assert [entity.name for entity in memory.entities("/")] == ["Name\ufffd"]
    assert [one.id for one in memory.entity(f"name{CUT}", "/")] == [fact]
    assert memory.recall("?", "/")[0].knowledge_id == fact


# -- times -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ["hybrid", "classical", "rrf"])
def test_a_clock_stamp_in_the_future_has_a_decay_factor_of_one(
    memory: ZengramMemory, clock: ManualClock, preset: str
) -> None:
    memory.configure_recall("/", decay_half_life_days=1, preset=preset)
    clock.advance(days=1)
    memory.remember_with_vector("a", "said", "/", [1, 0, 0])

    def factor() -> tuple[float, float]:
        (hit,) = memory.recall_with_vector("said", "/", [1, 0, 0], explain=True)
        assert hit.explanation is not None
        assert math.isfinite(hit.score)
        return hit.explanation.recency, hit.score

    now = factor()
    assert now[0] == 1.0
    clock.advance(days=-1)
    assert factor() == now
    assert memory.decay(1) == 0, "nor is its importance raised"
    clock.advance(days=2)
    assert factor()[0] == pytest.approx(0.5)


@pytest.mark.parametrize("preset", ["hybrid", "classical", "rrf"])
@pytest.mark.parametrize("is_decayed", [False, True])
def test_a_fact_242_days_old_is_found_with_a_half_life_of_30(
    memory: ZengramMemory, clock: ManualClock, preset: str, is_decayed: bool
) -> None:
    memory.configure_recall("/", decay_half_life_days=30, preset=preset)
    old = memory.remember_with_vector("cat", "the cat is called Mimi", "/", [0, 0, 1])
    clock.advance(days=242)
    if is_decayed:
        memory.decay(30)
    for number in range(30):
        memory.remember_with_vector(f"s{number}", "something else", "/", [1, 0.01 * number, 0])
    hits = memory.recall_with_vector("mimi", "/", [0, 0.1, 1], limit=5)
    assert hits[0].knowledge_id == old
    assert [hit.knowledge_id for hit in memory.recall_with_vector("", "/", [0, 0.1, 1], limit=1)] == [old]


@pytest.mark.parametrize(
    "end",
    [
        "2026-03-31",
        " 2026-03-31T00:00 ",
        "2026-03-31T00:00:00Z",
        "2026-03-31T02:00:00+02:00",
        "2026-03-30T19:00-05:00",
        date(2026, 3, 31),
        datetime(2026, 3, 31),
        datetime(2026, 3, 31, tzinfo=UTC),
        datetime(2026, 3, 31, 2, tzinfo=timezone(timedelta(hours=2))),
        MIDNIGHT,
        float(MIDNIGHT),
    ],
)
@pytest.mark.parametrize("option", ["valid_to", "expires"])
def test_an_end_of_validity_is_midnight_utc_for_naive_and_aware_inputs(
    memory: ZengramMemory, clock: ManualClock, end: Any, option: str
) -> None:
    fact = memory.remember("a", "said", "/", valid_from="2026-03-01", **{option: end})  # type: ignore[arg-type]

    def at(time: Any) -> list[str]:
        return [hit.knowledge_id for hit in memory.recall("said", "/", as_of=time)]

    for before in (
        MIDNIGHT - 1,
        "2026-03-30T23:59:59.999999",
        "2026-03-31T01:59:59+02:00",
        datetime(2026, 3, 30, 23, 59),
        datetime(2026, 3, 30, 18, 59, tzinfo=timezone(timedelta(hours=-5))),
        date(2026, 3, 30),
    ):
        assert at(before) == [fact]
    for after in (end, MIDNIGHT, "2026-03-31", datetime(2026, 3, 31), "2026-03-30T19:00-05:00", MIDNIGHT + 1):
        assert at(after) == []
    clock.advance(microseconds=MIDNIGHT - 1 - clock.now())
    assert [one.id for one in memory.facts("/")] == [fact]
    clock.advance(microseconds=1)
    assert memory.facts("/") == []
