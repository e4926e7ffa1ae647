"""Which facts may be answers: labels, peers, times, validity, privacy, in whatever combination."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_support import make_origins

from zengram_py import ZengramMemory
from zengram_py.clock import MICROSECONDS_PER_DAY, ManualClock
from zengram_py.errors import InvalidArgumentError
from zengram_py.memory.quantities import check_time

START = 1_700_000_000_000_000
DAY = MICROSECONDS_PER_DAY


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(START)


@pytest.fixture
def memory(clock: ManualClock) -> ZengramMemory:
    return ZengramMemory.open(3, clock=clock)


def ask(memory: ZengramMemory, **options: Any) -> set[str]:
    return {hit.subject for hit in memory.recall_with_vector("", "/", [1, 0, 0], **options)}


def put(memory: ZengramMemory, subject: str, **options: Any) -> str:
    return memory.remember_with_vector(subject, f"about {subject}", "/", [1, 0.1, 0], **options)


def test_labels(memory: ZengramMemory) -> None:
    put(memory, "a", categories=["Food", "home"], tags=["red", "Big"])
    put(memory, "b", categories=["food"], tags=["red"])
    put(memory, "c")
    assert ask(memory) == {"a", "b", "c"}
    assert ask(memory, categories="FOOD") == {"a", "b"}
    assert ask(memory, categories=["home", "work"]) == {"a"}, "in one of them"
    assert ask(memory, tags=["RED", "big"]) == {"a"}, "with all of them"
    assert ask(memory, tags="red") == {"a", "b"}
    assert ask(memory, tags="blue") == set()
    assert ask(memory, categories="work") == set()


def test_labels_that_sql_wrote_are_no_reason_to_fail(memory: ZengramMemory) -> None:
    fact = put(memory, "a", tags=["red"])
    for value in ({"red": 1}, "red", 7, [1, None, "red"]):
        with memory._database.begin() as transaction:
            transaction.update("knowledge", fact, {"tags": value})
        assert ask(memory, tags="red") == ({"a"} if isinstance(value, list) else set()), json.dumps(value)
        assert len(memory.facts("/")) == 1


def test_peers_do_not_supersede_each_other(memory: ZengramMemory) -> None:
    ann = put(memory, "drink", peer="ann")
    memory.remember_with_vector("drink", "coffee", "/", [1, 0, 0], peer="bob")
    assert {fact.peer for fact in memory.facts("/")} == {"ann", "bob"}
    memory.remember_with_vector("drink", "water", "/", [1, 0, 0], peer="ann")
    assert {(fact.peer, fact.content) for fact in memory.facts("/")} == {("ann", "water"), ("bob", "coffee")}
    (hit,) = memory.recall_with_vector("", "/", [1, 0, 0], peers=["bob"])
    assert hit.content == "coffee"
    (old,) = memory.recall_with_vector("", "/", [1, 0, 0], peers="ann", status="superseded")
    assert (old.knowledge_id, old.status) == (ann, "superseded")


def test_private_facts_are_left_out_unless_asked_for(memory: ZengramMemory) -> None:
    put(memory, "open")
    put(memory, "secret", private=True)
    assert ask(memory) == {"open"}
    assert ask(memory, include_private=True) == {"open", "secret"}


def test_an_empty_list_of_what_is_allowed_allows_nothing(memory: ZengramMemory) -> None:
    put(memory, "a", tags=["x"], categories=["y"], peer="ann")
    assert ask(memory, peers=[]) == set()
    assert ask(memory, categories=[]) == set()
    assert ask(memory, tags=[]) == {"a"}, "all of none"
    assert ask(memory, peers="ANN") == {"a"}


def test_a_range_of_times(memory: ZengramMemory, clock: ManualClock) -> None:
    for name in "abc":
        put(memory, name)
        clock.advance(days=1)
    assert ask(memory, since=START + DAY) == {"b", "c"}
    assert ask(memory, until=START + DAY) == {"a"}
    assert ask(memory, since=START + 1, until=START + 2 * DAY) == {"b"}
    assert ask(memory, since=datetime.fromtimestamp(START / 1e6 + 86_400, UTC)) == {"b", "c"}


def test_what_has_ended_or_expired_is_no_answer(memory: ZengramMemory, clock: ManualClock) -> None:
    put(memory, "ends", valid_to=START + DAY)
    put(memory, "expires", expires=START + 2 * DAY)
    put(memory, "stays")
    assert ask(memory) == {"ends", "expires", "stays"}
    clock.advance(microseconds=DAY - 1)
    assert ask(memory) == {"ends", "expires", "stays"}
    clock.advance(microseconds=1)
    assert ask(memory) == {"expires", "stays"}, "the end is not part of the interval"
    clock.advance(days=1)
    assert ask(memory) == {"stays"}
    clock.advance(days=-2)  # clocks are set back
    assert ask(memory) == {"ends", "expires", "stays"}


def test_a_fact_from_a_clock_that_is_ahead_is_known(memory: ZengramMemory, clock: ManualClock) -> None:
    clock.advance(days=1)
    put(memory, "a")
    clock.advance(days=-1)
    (hit,) = memory.recall_with_vector("", "/", [1, 0, 0], explain=True)
    assert hit.explanation is not None
    assert hit.explanation.recency == 1.0
    memory.configure_recall("/", decay_half_life_days=1)
    (hit,) = memory.recall_with_vector("", "/", [1, 0, 0], explain=True)
    assert hit.explanation is not None
    assert hit.explanation.recency == 1.0


def test_an_old_fact_is_still_found(memory: ZengramMemory, clock: ManualClock) -> None:
    put(memory, "old")
    clock.advance(days=242)
    for preset in ("hybrid", "classical", "rrf"):
        assert ask(memory, preset=preset) == {"old"}


def test_as_of_goes_through_the_chain(memory: ZengramMemory, clock: ManualClock) -> None:
    for content in ("tea", "coffee", "water"):
        memory.remember_with_vector("drink", content, "/", [1, 0, 0])
        clock.advance(days=1)

    def then(at: int) -> list[str]:
        return [hit.content for hit in memory.recall_with_vector("", "/", [1, 0, 0], as_of=at)]

    assert then(START - 1) == []
    assert then(START) == ["tea"]
    assert then(START + DAY - 1) == ["tea"]
    assert then(START + DAY) == ["coffee"]
    assert then(START + 5 * DAY) == ["water"]
    (hit,) = memory.recall_with_vector("", "/", [1, 0, 0], as_of=START + DAY // 2, explain=True)
    assert hit.explanation is not None
    assert hit.explanation.age_days == 0.5, "ages are counted from then"
    restored = ZengramMemory.open_from_snapshot(memory.export_snapshot(), 3, clock=clock)
    assert [h.content for h in restored.recall_with_vector("", "/", [1, 0, 0], as_of=START)] == ["tea"]


def test_what_is_over_is_not_known_any_more(memory: ZengramMemory, clock: ManualClock) -> None:
    for name, option in (("a", "valid_to"), ("b", "expires")):
        first = put(memory, name, **{option: clock.now() + DAY})
        assert put(memory, name) == first
        clock.advance(days=2)
        assert ask(memory) == set()
        assert put(memory, name) != first
        assert ask(memory) == {name}
        memory.remember_with_vector(name, "gone", "/", [0, 0, 1])
        assert ask(memory) == set()


def test_what_is_said_again_counts_with_what_comes_with_it(memory: ZengramMemory, clock: ManualClock) -> None:
    make_origins(memory, "s1")
    make_origins(memory, "s2")
    fact = put(memory, "a", tags=["x"], session_id="s1")
    clock.advance(days=1)
    again = put(memory, "a", private=True, importance=0.9, session_id="s2", valid_to=START + 9 * DAY)
    assert again == fact
    (stored,) = memory.facts("/")
    assert (stored.tags, stored.private, stored.importance, stored.session_id) == (("x",), True, 0.9, "s1")
    assert (stored.valid_from, stored.valid_to, stored.time_created) == (START, START + 9 * DAY, START)
    assert ask(memory) == set()
    with pytest.raises(InvalidArgumentError, match="valid_to"):
        put(memory, "a", valid_to=START - 1, valid_from=START)
    put(memory, "a", entities=["Rex"])
    assert [entity.name for entity in memory.entities("/")] == ["Rex"]


def say(memory: ZengramMemory, content: str, **options: Any) -> None:
    memory.remember_with_vector("job", content, "/", [1, 0.1, 0], **options)


def holding(memory: ZengramMemory, **options: Any) -> list[str]:
    return sorted(hit.content for hit in memory.recall_with_vector("", "/", [1, 0, 0], **options))


def test_what_is_over_when_it_is_told_changes_nothing_that_holds(memory: ZengramMemory) -> None:
    say(memory, "Rome", valid_from=START - 1000 * DAY)
    say(memory, "Oslo", valid_from=START - 500 * DAY, valid_to=START - 400 * DAY)
    assert holding(memory) == ["Rome"]
    assert holding(memory, as_of=START - 450 * DAY) == ["Oslo"]
    assert holding(memory, as_of=START - 100 * DAY) == ["Rome"]


def test_one_fact_holds_at_a_time_in_whatever_order_they_are_told(
    memory: ZengramMemory, clock: ManualClock
) -> None:
    clock.advance(days=300)
    for name, day in (("B", 50), ("C", 200), ("D", 120)):
        say(memory, name, valid_from=START + day * DAY)
    assert holding(memory) == ["D"], "what was told last"
    for day, name in ((60, "B"), (150, "D"), (250, "D")):
        assert holding(memory, as_of=START + day * DAY) == [name]


def test_what_is_to_begin_later_leaves_what_holds_until_then(
    memory: ZengramMemory, clock: ManualClock
) -> None:
    say(memory, "10 EUR")
    say(memory, "20 EUR", valid_from=START + 30 * DAY)
    assert holding(memory) == ["10 EUR"]
    say(memory, "12 EUR")
    assert holding(memory) == ["12 EUR"]
    say(memory, "20 EUR")  # now already
    assert holding(memory) == ["20 EUR"]
    say(memory, "13 EUR")
    clock.advance(days=30)
    assert holding(memory) == ["20 EUR"]
    assert [fact.content for fact in memory.facts("/")] == ["20 EUR"]
    assert holding(memory, as_of=START + 30 * DAY - 1) == ["13 EUR"]
    say(memory, "25 EUR")
    assert holding(memory) == ["25 EUR"]


def test_what_has_an_end_lies_over_what_holds_and_gives_way_to_it(
    memory: ZengramMemory, clock: ManualClock
) -> None:
    say(memory, "Rome")
    clock.advance(days=1)
    say(memory, "Oslo", valid_to=START + 5 * DAY)
    assert holding(memory) == ["Oslo"]
    say(memory, "Bonn", valid_from=START + 7 * DAY, valid_to=START + 8 * DAY)
    for day, place in ((4, "Oslo"), (5, "Rome"), (7, "Bonn"), (8, "Rome")):
        clock.advance(microseconds=START + day * DAY - clock.now())
        assert holding(memory) == [place]
    assert holding(memory, as_of=START) == ["Rome"]
    say(memory, "Kyiv")
    assert holding(memory) == ["Kyiv"]


@pytest.mark.parametrize(
    ("told", "answers"),
    [
        ([("A", {}), ("A", {"valid_from": 10})], {0: "A", 11: "A"}),
        ([("A", {}), ("A", {"valid_from": -100, "valid_to": -50})], {-60: "A", -10: None, 0: "A"}),
        ([("A", {}), ("B", {"valid_from": 5}), ("A", {"valid_to": 20})], {1: "A", 6: "B"}),
        ([("A", {}), ("B", {"valid_from": 5}), ("A", {"valid_from": 10})], {1: "A", 6: "B", 11: "A"}),
        ([("A", {"valid_to": 5}), ("A", {"valid_from": 8})], {1: "A", 6: None, 9: "A"}),
        (
            [("A", {}), ("B", {"valid_from": 5, "valid_to": 6}), ("B", {"valid_from": 7})],
            {5: "B", 6: "A", 8: "B"},
        ),
        ([("A", {}), ("B", {"valid_from": 5}), ("B", {"valid_from": 7})], {6: "A", 7: "B"}),
        (
            [("A", {}), ("B", {"valid_from": -500, "valid_to": -400}), ("C", {"valid_from": -600})],
            {-450: "B", 0: "C"},
        ),
    ],
)
def test_statements_in_every_order(
    memory: ZengramMemory, told: list[tuple[str, dict[str, int]]], answers: dict[int, str | None]
) -> None:
    for content, days in told:
        say(memory, content, **{name: START + day * DAY for name, day in days.items()})
    for day, content in answers.items():
        assert holding(memory, as_of=START + day * DAY) == ([content] if content else []), day


def test_what_expires_before_it_begins_is_refused(memory: ZengramMemory) -> None:
    say(memory, "A")
    for options in ({"expires": START}, {"valid_from": START + 5, "expires": START + 2}):
        with pytest.raises(InvalidArgumentError, match="expires"):
            say(memory, "B", **options)
    assert holding(memory) == ["A"]


def test_a_filter_does_not_uncover_what_was_not_true(memory: ZengramMemory, clock: ManualClock) -> None:
    say(memory, "A", tags=["x"])
    clock.advance(days=40)
    say(memory, "C", valid_from=START + 15 * DAY, private=True)
    assert holding(memory, as_of=START + 20 * DAY) == []
    assert holding(memory, as_of=START + 20 * DAY, tags="x", include_private=True) == []
    assert holding(memory, as_of=START + 20 * DAY, include_private=True) == ["C"]
    assert holding(memory, as_of=START + 10 * DAY) == ["A"]


@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_whatever_was_told_one_fact_holds_and_nothing_is_lost(data: st.DataObject) -> None:
    clock = ManualClock(START)
    memory = ZengramMemory.open(2, clock=clock)

    def holds(**options: Any) -> list[str]:
        return [hit.content for hit in memory.recall_with_vector("", "/", [1, 0], **options)]

    for number in range(data.draw(st.integers(1, 8))):
        clock.advance(days=data.draw(st.integers(0, 3)))
        now, before = clock.now(), holds()
        begins = data.draw(st.sampled_from([None, -9, -2, 0, 2, 5]))
        ends = data.draw(st.sampled_from([None, -5, -1, 1, 4, 8]))
        options = {n: now + d * DAY for n, d in (("valid_from", begins), ("valid_to", ends)) if d is not None}
        content = data.draw(st.sampled_from(["a", "b", f"c{number}"]))
        if options.get("valid_to", now * 2) <= options.get("valid_from", now):
            with pytest.raises(InvalidArgumentError):
                memory.remember_with_vector("s", content, "/", [1, 0], **options)
            assert holds() == before
            continue
        memory.remember_with_vector("s", content, "/", [1, 0], **options)
        tells_of_now = options.get("valid_from", now) <= now < options.get("valid_to", now * 2)
        assert holds() == ([content] if tells_of_now else before)
        for day in range(-12, 12):
            assert len(holds(as_of=now + day * DAY)) <= 1
    for _ in range(12):
        clock.advance(days=1)
        assert len(holds()) <= 1


def test_a_clock_that_was_ahead_schedules_nothing(memory: ZengramMemory, clock: ManualClock) -> None:
    clock.advance(days=1)
    say(memory, "early")
    clock.advance(days=-1)
    say(memory, "late")
    assert holding(memory) == ["late"]
    clock.advance(days=2)
    assert holding(memory) == ["late"]


def test_midnight_is_one_instant_however_it_is_said(memory: ZengramMemory, clock: ManualClock) -> None:
    put(memory, "a", valid_from="2026-03-01", valid_to="2026-03-31")
    midnight = int(datetime(2026, 3, 31, tzinfo=UTC).timestamp()) * 1_000_000
    clock.advance(microseconds=midnight - START)
    for form in (
        "2026-03-31",
        date(2026, 3, 31),
        datetime(2026, 3, 31),
        datetime(2026, 3, 31, tzinfo=UTC),
        datetime(2026, 3, 31, 2, tzinfo=timezone(timedelta(hours=2))),
        "2026-03-30T19:00:00-05:00",
        "2026-03-31T00:00:00Z",
        midnight,
        float(midnight),
    ):
        at = check_time("as_of", form)
        assert at == midnight
        assert ask(memory, as_of=form) == set()
        assert ask(memory, as_of=at - 1) == {"a"}


@pytest.mark.parametrize(
    "value",
    ["", "soon", "2026-13-01", 1.5, float("nan"), float("inf"), True, 2**63, None, [1], b"2026-01-01"],
)
def test_what_is_no_time(value: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="as_of"):
        check_time("as_of", value)


def test_an_interval_has_a_beginning_before_its_end(memory: ZengramMemory) -> None:
    for options in ({"valid_to": START}, {"valid_from": START + 5, "valid_to": START + 5}):
        with pytest.raises(InvalidArgumentError, match="valid_to"):
            put(memory, "a", **options)
    assert memory.facts("/") == []


@pytest.mark.parametrize(
    "options",
    [
        {"importance": 1.1},
        {"importance": "high"},
        {"private": 1},
        {"tags": b"x y"},
        {"tags": [1]},
        {"peer": ""},
        {"session_id": 4},
        {"expires": "never"},
        {"source_ids": {"a": 1}},
        {"colour": "red"},
    ],
)
def test_bad_options_of_remember_store_nothing(memory: ZengramMemory, options: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError):
        put(memory, "a", **options)
    assert memory.facts("/") == []


def test_what_was_given_is_read_back(memory: ZengramMemory) -> None:
    first = put(memory, "a")
    make_origins(memory, "s1", ["t1"])
    put(
        memory,
        "b",
        categories=["x", "y", "x"],
        tags=("t",),
        peer="ann",
        importance=0.9,
        private=True,
        valid_from=START - 5,
        valid_to=START + 5,
        expires=START + 9,
        session_id="s1",
        turn_id="t1",
        source_ids=[first],
    )
    fact, _ = memory.facts("/")
    assert (fact.categories, fact.tags, fact.peer, fact.importance) == (("x", "y"), ("t",), "ann", 0.9)
    assert (fact.private, fact.valid_from, fact.valid_to, fact.expires) == (
        True,
        START - 5,
        START + 5,
        START + 9,
    )
    assert (fact.session_id, fact.turn_id, fact.source_ids) == ("s1", "t1", (first,))
    (hit,) = memory.recall_with_vector("b", "/", [1, 0.1, 0], include_private=True, limit=1)
    assert (hit.subject, hit.importance) == ("b", 0.9)


def test_ten_facts_of_a_small_scope_are_found_beside_thousands() -> None:
    memory = ZengramMemory.open(8)
    rng = np.random.default_rng(4)
    near, beside = np.zeros(8), np.zeros(8)
    near[0], beside[:2] = 9, 5
    for i in range(5000):
        memory.remember_with_vector(f"s{i}", "x", "/a", near + rng.standard_normal(8))
    for i in range(10):
        memory.remember_with_vector(f"s{i}", "x", "/b", beside + rng.standard_normal(8))
    while memory.maintain(100):
        pass
    vector = [1, 0, 0, 0, 0, 0, 0, 0]
    assert len(memory.recall_with_vector("", "/b", vector, limit=10)) == 10
    assert len(memory.recall_with_vector("", "/a", vector, limit=10)) == 10


LABELS = st.lists(st.sampled_from("pqr"), max_size=3)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_filters_agree_with_a_plain_list(data: st.DataObject) -> None:
    clock = ManualClock(START)
    memory = ZengramMemory.open(2, clock=clock)
    model = []
    for number in range(data.draw(st.integers(0, 12))):
        fact = {
            "categories": data.draw(LABELS),
            "tags": data.draw(LABELS),
            "peer": data.draw(st.sampled_from([None, "ann", "bob"])),
            "private": data.draw(st.booleans()),
            "expires": data.draw(st.sampled_from([None, 3, 6])),
        }
        fact["expires"] = fact["expires"] and clock.now() + fact["expires"]
        memory.remember_with_vector(f"s{number}", "x", "/", [1, 0.1], **fact)
        model.append(fact | {"subject": f"s{number}", "created": clock.now()})
        clock.advance(microseconds=data.draw(st.integers(0, 2)))
    for _ in range(3):
        options: dict[str, Any] = data.draw(
            st.fixed_dictionaries(
                {},
                optional={
                    "categories": LABELS,
                    "tags": LABELS,
                    "peers": st.lists(st.sampled_from(["ann", "bob", "eve"])),
                    "since": st.integers(START, START + 9),
                    "until": st.integers(START, START + 9),
                    "include_private": st.booleans(),
                },
            )
        )
        wanted = {
            fact["subject"]
            for fact in model
            if ("categories" not in options or set(options["categories"]) & set(fact["categories"]))
            and set(options.get("tags", [])) <= set(fact["tags"])
            and ("peers" not in options or fact["peer"] in options["peers"])
            and (fact["created"] >= options.get("since", 0))
            and (fact["created"] < options.get("until", START * 2))
            and (options.get("include_private") or not fact["private"])
            and (fact["expires"] is None or fact["expires"] > clock.now())
        }
        assert {h.subject for h in memory.recall_with_vector("", "/", [1, 0], **options)} == wanted
        clock.advance(microseconds=1)
