"""Turns on branches and on forks of forks, and their parts."""

from __future__ import annotations

import json
import math
from hashlib import sha256
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_support import refused, rows

from zengram_py import ZengramMemory
from zengram_py.clock import ManualClock
from zengram_py.errors import InvalidArgumentError, NotFoundError, StateError
from zengram_py.memory import NewSession, Turn
from zengram_py.memory.json_values import MAX_DEPTH, check_json, json_hash


@pytest.fixture
def memory(clock: ManualClock) -> ZengramMemory:
    return ZengramMemory.open(4, clock=clock)


@pytest.fixture
def made(memory: ZengramMemory) -> NewSession:
    return memory.create_session("p")


def ids(memory: ZengramMemory, session: str, branch: str, *page: int) -> list[str]:
    return [turn.id for turn in memory.get_turns(session, branch, *page)]


def parents(memory: ZengramMemory) -> dict[str, str | None]:
    return dict(rows(memory, "SELECT id, parent_turn_id FROM turn"))


# -- turns ---------------------------------------------------------------------------------------------------------


def test_turns_are_shown_oldest_first_also_of_one_instant(memory: ZengramMemory, made: NewSession) -> None:
    turns = [
        memory.append_turn(made.session_id, made.branch_id, role, agent="coder")
        for role in ("user", "assistant") * 3
    ]
    memory.complete_turn(turns[1], 1, 1, 0)  # a version behind all others
    found = memory.get_turns(made.session_id, made.branch_id)
    assert [turn.id for turn in found] == turns
    assert found[0] == Turn(
        id=turns[0],
        role="user",
        agent="coder",
        status="active",
        tier="hot",
        tokens_input=0,
        tokens_output=0,
        cost_usd=0.0,
        finish_reason=None,
        summary=None,
        time_created=found[0].time_created,
        time_completed=None,
        session_id=made.session_id,
        branch_id=made.branch_id,
        parent_turn_id=None,
        model_id=None,
        provider_id=None,
        tokens_reasoning=0,
        tokens_cache_read=0,
        tokens_cache_write=0,
    )
    assert memory.turn(turns[0]) == found[0]
    assert memory.turn("trn_none") is None
    assert parents(memory) == dict(zip(turns, [None, *turns], strict=False))
    session = memory.session(made.session_id)
    assert session is not None
    assert session.total_turns == 6


def test_pages_of_turns(memory: ZengramMemory, made: NewSession, clock: ManualClock) -> None:
    turns = []
    for number in range(230):
        clock.advance(microseconds=number % 3 == 0)
        turns.append(memory.append_turn(made.session_id, made.branch_id, "user"))
    show = lambda *page: ids(memory, made.session_id, made.branch_id, *page)  # noqa: E731
    assert show() == turns[:100]
    assert show(1000) == turns
    assert show(7, 30) == turns[30:37]
    assert show(50, 200) == turns[200:]
    assert show(1, 229) == turns[229:]
    assert show(5, 230) == [] == show(0)
    assert [t for at in range(0, 230, 33) for t in show(33, at)] == turns


def test_a_turn_is_behind_those_before_it_also_when_the_clock_steps_back(
    memory: ZengramMemory, made: NewSession, clock: ManualClock
) -> None:
    turns = [memory.append_turn(made.session_id, made.branch_id, "user")]
    clock.advance(seconds=-5)
    turns += [memory.append_turn(made.session_id, made.branch_id, "user") for _ in range(2)]
    fork = memory.fork_session(made.session_id, turns[1])
    turns.insert(2, memory.append_turn(made.session_id, fork, "user"))
    assert ids(memory, made.session_id, fork) == turns[:3]
    assert ids(memory, made.session_id, made.branch_id) == [*turns[:2], turns[3]]
    memory.complete_turn(turns[0], 1, 1, 0)
    assert all(t.time_completed in (None, t.time_created) for t in memory.get_turns(made.session_id, fork))


def test_a_restored_memory_goes_on_at_the_same_instant(
    memory: ZengramMemory, made: NewSession, clock: ManualClock
) -> None:
    turns = [memory.append_turn(made.session_id, made.branch_id, "user")]
    for _ in range(12):  # ids of another memory may be less than those that are there
        memory = ZengramMemory.open_from_snapshot(memory.export_snapshot(), 4, clock=clock)
        turns.append(memory.append_turn(made.session_id, made.branch_id, "user"))
    assert ids(memory, made.session_id, made.branch_id) == turns
    assert parents(memory) == dict(zip(turns, [None, *turns], strict=False))


def test_forks_of_forks(memory: ZengramMemory, made: NewSession) -> None:
    session, main = made.session_id, made.branch_id
    t1, t2, t3 = (memory.append_turn(session, main, "user") for _ in range(3))
    a = memory.fork_session(session, t2, name="a")
    assert ids(memory, session, a) == [t1, t2]
    a1, a2 = (memory.append_turn(session, a, "assistant") for _ in range(2))
    t4 = memory.append_turn(session, main, "assistant")
    b = memory.fork_session(session, a1, name="b")
    b1 = memory.append_turn(session, b, "user")
    c = memory.fork_session(session, t1, name="c")
    c1 = memory.append_turn(session, c, "user")
    assert ids(memory, session, main) == [t1, t2, t3, t4]
    assert ids(memory, session, a) == [t1, t2, a1, a2]
    assert ids(memory, session, b) == [t1, t2, a1, b1]
    assert ids(memory, session, c) == [t1, c1]
    assert ids(memory, session, b, 2, 1) == [t2, a1]
    found = parents(memory)
    assert (found[a1], found[b1], found[c1], found[t4]) == (t2, a1, t1, t3)


def test_a_fork_whose_turn_was_deleted_shows_what_there_was(
    memory: ZengramMemory, made: NewSession, clock: ManualClock
) -> None:
    session, main = made.session_id, made.branch_id
    first, second = (memory.append_turn(session, main, "user") for _ in range(2))
    fork = memory.fork_session(session, second)
    clock.advance(seconds=1)
    memory.append_turn(session, main, "user")
    memory.query("DELETE FROM turn WHERE id = $1", [second])
    assert ids(memory, session, fork) == [first]
    third = memory.append_turn(session, fork, "user")
    assert parents(memory)[third] == first


def test_a_ring_of_branches_ends(memory: ZengramMemory, made: NewSession) -> None:
    session, main = made.session_id, made.branch_id
    turn = memory.append_turn(session, main, "user")
    fork = memory.fork_session(session, turn)
    memory.query("UPDATE branch SET parent_branch = $1, fork_turn_id = $2 WHERE id = $3", [fork, turn, main])
    assert ids(memory, session, fork) == [turn]


def test_a_given_parent(memory: ZengramMemory, made: NewSession) -> None:
    first = memory.append_turn(made.session_id, made.branch_id, "user")
    memory.append_turn(made.session_id, made.branch_id, "assistant")
    third = memory.append_turn(
        made.session_id,
        made.branch_id,
        "assistant",
        parent_turn_id=first,
        model_id="m",
        provider_id="p",
    )
    assert rows(memory, "SELECT parent_turn_id, model_id, provider_id FROM turn WHERE id = $1", [third]) == [
        (first, "m", "p")
    ]


@pytest.mark.parametrize("role", ["system", "User", "", None, 3])
def test_another_role(memory: ZengramMemory, made: NewSession, role: Any) -> None:
    refused(
        memory,
        InvalidArgumentError,
        "role",
        lambda: memory.append_turn(made.session_id, made.branch_id, role),
    )


def test_a_turn_that_cannot_be_appended(memory: ZengramMemory, made: NewSession) -> None:
    other = memory.create_session("p")
    elsewhere = memory.append_turn(other.session_id, other.branch_id, "user")
    session, main = made.session_id, made.branch_id
    append = memory.append_turn
    refused(memory, NotFoundError, "no session 'ses_x'", lambda: append("ses_x", main, "user"))
    refused(memory, NotFoundError, "no branch 'brn_x'", lambda: append(session, "brn_x", "user"))
    refused(memory, NotFoundError, "no branch", lambda: append(session, other.branch_id, "user"))
    refused(memory, NotFoundError, "no turn", lambda: append(session, main, "user", parent_turn_id=elsewhere))
    refused(memory, NotFoundError, "no turn", lambda: append(session, main, "user", parent_turn_id="trn_x"))
    for name in ("agent", "model_id", "provider_id"):
        refused(memory, InvalidArgumentError, name, lambda n=name: append(session, main, "user", **{n: " "}))
    memory.end_session(session)
    refused(
        memory, StateError, f"session '{session}' is ended", lambda: append(session, main, "user", agent="a")
    )


def test_turns_of_what_is_not_there(memory: ZengramMemory, made: NewSession) -> None:
    other = memory.create_session("p")
    with pytest.raises(NotFoundError, match="no branch 'brn_x'"):
        memory.get_turns(made.session_id, "brn_x")
    with pytest.raises(NotFoundError, match=r"no branch .* in session"):
        memory.get_turns(made.session_id, other.branch_id)
    with pytest.raises(NotFoundError, match="no session 'ses_x'"):
        memory.get_turns("ses_x", made.branch_id)
    for page in ((-1,), (1, -1), (1.5,), (True,), ("1",)):
        with pytest.raises(InvalidArgumentError):
            memory.get_turns(made.session_id, made.branch_id, *page)  # type: ignore[arg-type]


def test_turns_in_a_batch(memory: ZengramMemory, made: NewSession, clock: ManualClock) -> None:
    session, main = made.session_id, made.branch_id
    turns = [memory.append_turn(session, main, "user") for _ in range(3)]
    with memory.batch():
        memory.complete_turn(turns[0], 1, 2, 0.5)
        turns += [memory.append_turn(session, main, "user") for _ in range(2)]
        clock.advance(seconds=-1)
        turns.append(memory.append_turn(session, main, "user"))
        assert ids(memory, session, main) == turns
        fork = memory.fork_session(session, turns[3])
        own = [memory.append_turn(session, fork, "user") for _ in range(2)]
        assert ids(memory, session, fork) == [*turns[:4], *own]
        memory.summarize_turn(own[0], "short")
        assert [t.summary for t in memory.get_turns(session, fork, 2, 4)] == ["short", None]
        memory.add_part(own[0], session, "text", "hello", 0)
        assert [p.data for p in memory.get_parts(own[0])] == ["hello"]
    assert ids(memory, session, main) == turns
    assert ids(memory, session, fork) == [*turns[:4], *own]
    found = parents(memory)
    assert [found[t] for t in turns] == [None, *turns[:-1]]
    assert [found[t] for t in own] == [turns[3], own[0]]
    found_session = memory.session(session)
    assert found_session is not None
    assert found_session.total_turns == 8


# -- completing ----------------------------------------------------------------------------------------------------


def test_completing_adds_to_the_session(memory: ZengramMemory, made: NewSession, clock: ManualClock) -> None:
    one, two = (memory.append_turn(made.session_id, made.branch_id, "assistant") for _ in range(2))
    clock.advance(seconds=3)
    memory.complete_turn(
        one, 100, 20, 0.25, "stop", tokens_reasoning=7, tokens_cache_read=5, tokens_cache_write=3
    )
    memory.complete_turn(two, np.int64(1), 2, np.float32(0.5))
    turn = memory.get_turns(made.session_id, made.branch_id)[0]
    assert (turn.status, turn.tokens_input, turn.tokens_output, turn.cost_usd) == ("completed", 100, 20, 0.25)
    assert (turn.finish_reason, turn.time_completed) == ("stop", clock.now())
    assert rows(
        memory,
        "SELECT tokens_reasoning, tokens_cache_read, tokens_cache_write FROM turn WHERE id = $1",
        [one],
    ) == [(7, 5, 3)]
    session = memory.session(made.session_id)
    assert session is not None
    assert (session.total_tokens, session.total_cost_usd, session.total_turns) == (123, 0.75, 2)
    assert session.time_updated == clock.now()


def test_a_turn_is_completed_once(memory: ZengramMemory, made: NewSession) -> None:
    turn = memory.append_turn(made.session_id, made.branch_id, "assistant")
    memory.complete_turn(turn, 1, 1, 0)
    refused(
        memory,
        StateError,
        f"turn '{turn}' is completed: only an active turn can be completed",
        lambda: memory.complete_turn(turn, 1, 1, 0),
    )


def test_a_turn_under_way_is_completed_after_the_end(memory: ZengramMemory, made: NewSession) -> None:
    turn = memory.append_turn(made.session_id, made.branch_id, "assistant")
    memory.end_session(made.session_id)
    memory.complete_turn(turn, 1, 1, 0)
    assert memory.get_turns(made.session_id, made.branch_id)[0].status == "completed"


@pytest.mark.parametrize(
    "numbers",
    [
        (-1, 0, 0.0),
        (0, 1.5, 0.0),
        (True, 0, 0.0),
        ("1", 0, 0.0),
        (0, None, 0.0),
        (2**63, 0, 0.0),
        (0, 0, -0.1),
        (0, 0, math.nan),
        (0, 0, math.inf),
        (0, 0, "1"),
        (0, 0, None),
        (0, 0, 0.0, " "),
        (0, 0, 0.0, 5),
        pytest.param((10**5000, 0, 0.0), id="digits"),
        pytest.param((0, 0, 10**5000), id="digits of a cost"),
        (2**63 - 1, 0, 0.0),
        (0, 0, 1.7e308),
    ],
)
def test_numbers_that_cannot_be(memory: ZengramMemory, made: NewSession, numbers: tuple[Any, ...]) -> None:
    memory.complete_turn(memory.append_turn(made.session_id, made.branch_id, "user"), 1, 1, 1e308)
    turn = memory.append_turn(made.session_id, made.branch_id, "assistant")
    refused(memory, InvalidArgumentError, "must|totals", lambda: memory.complete_turn(turn, *numbers))


@pytest.mark.parametrize("name", ["tokens_reasoning", "tokens_cache_read", "tokens_cache_write"])
def test_further_numbers_that_cannot_be(memory: ZengramMemory, made: NewSession, name: str) -> None:
    turn = memory.append_turn(made.session_id, made.branch_id, "assistant")
    refused(memory, InvalidArgumentError, name, lambda: memory.complete_turn(turn, 1, 1, 1, **{name: -1}))  # type: ignore[arg-type]


def test_no_turn_to_complete_or_summarise(memory: ZengramMemory, made: NewSession) -> None:
    refused(memory, NotFoundError, "no turn 'trn_x'", lambda: memory.complete_turn("trn_x", 1, 1, 0))
    refused(memory, NotFoundError, "no turn 'trn_x'", lambda: memory.summarize_turn("trn_x", "short"))
    turn = memory.append_turn(made.session_id, made.branch_id, "assistant")
    refused(memory, InvalidArgumentError, "summary", lambda: memory.summarize_turn(turn, " "))
    refused(memory, InvalidArgumentError, "model", lambda: memory.summarize_turn(turn, "short", model=""))


def test_a_summary(memory: ZengramMemory, made: NewSession) -> None:
    turn = memory.append_turn(made.session_id, made.branch_id, "assistant")
    memory.summarize_turn(turn, "short", model="small")
    memory.summarize_turn(turn, "shorter")
    assert memory.get_turns(made.session_id, made.branch_id)[0].summary == "shorter"
    assert rows(memory, "SELECT summary, summary_model FROM turn") == [("shorter", None)]


# -- parts ---------------------------------------------------------------------------------------------------------


def test_parts_are_shown_by_position_then_age(memory: ZengramMemory, made: NewSession) -> None:
    turn = memory.append_turn(made.session_id, made.branch_id, "assistant")
    positions = [2, 0, 1, 1, 0]
    parts = [memory.add_part(turn, made.session_id, "text", {"n": n}, at) for n, at in enumerate(positions)]
    assert [(p.id, p.data["n"]) for p in memory.get_parts(turn)] == [(parts[n], n) for n in (1, 4, 2, 3, 0)]
    assert memory.get_parts(memory.append_turn(made.session_id, made.branch_id, "user")) == []
    with pytest.raises(NotFoundError, match="no turn 'trn_x'"):
        memory.get_parts("trn_x")


@pytest.mark.parametrize(
    "data",
    [
        None,
        True,
        0,
        -1.5,
        "",
        "text\x00with a null",
        [],
        {},
        {"text": "héllo 😀", "n": [1, 2.5, None, {"deep": [[]]}]},
        2**70,
    ],
)
def test_any_json_value(memory: ZengramMemory, made: NewSession, data: Any) -> None:
    turn = memory.append_turn(made.session_id, made.branch_id, "assistant")
    part = memory.add_part(turn, made.session_id, "text", data, 0)
    again = ZengramMemory.open_from_snapshot(memory.export_snapshot(), 4)
    for one in (memory, again):
        (found,) = one.get_parts(turn)
        assert (found.id, found.type, found.position) == (part, "text", 0)
        assert found.data == data
        assert type(found.data) is type(data)
    text = json.dumps(["text", data], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert rows(memory, "SELECT content_hash FROM part") == [(sha256(text.encode()).hexdigest(),)]


def test_the_hash_is_of_type_and_data_in_whatever_order() -> None:
    assert json_hash(["t", {"a": 1, "b": 2}]) == json_hash(["t", {"b": 2, "a": 1}])
    assert json_hash(["t", {"a": 1}]) != json_hash(["u", {"a": 1}])


def test_what_becomes_of_other_values() -> None:
    given = {"a": (1, np.float32(0.5), np.int8(3), np.bool_(True)), "cut \ud83d": "\udc00"}
    assert check_json(given, "data") == {"a": [1, 0.5, 3, True], "cut \ufffd": "\ufffd"}
    inner: list[Any] = [1]
    copied = check_json({"x": inner, "y": inner}, "data")  # twice the same is no cycle
    inner.append(2)
    assert copied == {"x": [1], "y": [1]}


def _nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def _cycle() -> Any:
    value: dict[str, Any] = {"a": [0]}
    value["a"].append(value)
    return value


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (math.nan, r"^data is nan; JSON has no such number"),
        ({"a": [1, -math.inf]}, r"^data\['a'\]\[1\] is -inf"),
        ({"a": {1: 2}}, r"^data\['a'\] has a key of type int"),
        ({None: 2}, r"^data has a key of type NoneType"),
        ([b"x"], r"^data\[0\] is a bytes"),
        ({"s": {1}}, r"^data\['s'\] is a set"),
        ([[object()]], r"^data\[0\]\[0\] is a object"),
        (np.zeros(2), r"^data is a ndarray"),
        (1j, r"^data is a complex"),
        (_nested(MAX_DEPTH + 1), r"^data is nested more than 200 deep"),
        (_cycle(), r"^data\['a'\]\[1\] contains itself"),
        pytest.param(10**5000, r"^data is a number of too many digits", id="digits"),
        (dict.fromkeys(["\ud800", "\udc01"], 1), r"^data has keys that are both"),
    ],
)
def test_what_json_cannot_hold(memory: ZengramMemory, made: NewSession, data: Any, match: str) -> None:
    turn = memory.append_turn(made.session_id, made.branch_id, "assistant")
    refused(
        memory, InvalidArgumentError, match, lambda: memory.add_part(turn, made.session_id, "text", data, 0)
    )


def test_the_deepest_value(memory: ZengramMemory, made: NewSession) -> None:
    turn = memory.append_turn(made.session_id, made.branch_id, "assistant")
    memory.add_part(turn, made.session_id, "text", _nested(MAX_DEPTH), 0)
    assert memory.get_parts(turn)[0].data == _nested(MAX_DEPTH)


def test_a_part_that_cannot_be(memory: ZengramMemory, made: NewSession) -> None:
    other = memory.create_session("p").session_id
    turn = memory.append_turn(made.session_id, made.branch_id, "assistant")
    add = memory.add_part
    refused(memory, NotFoundError, "no turn 'trn_x'", lambda: add("trn_x", made.session_id, "text", 1, 0))
    refused(memory, NotFoundError, "in session", lambda: add(turn, other, "text", 1, 0))
    refused(memory, NotFoundError, "no session 'ses_x'", lambda: add(turn, "ses_x", "text", 1, 0))
    refused(memory, InvalidArgumentError, "part type", lambda: add(turn, made.session_id, " ", 1, 0))
    for position in (-1, 1.5, None, True):
        refused(
            memory,
            InvalidArgumentError,
            "position",
            lambda p=position: add(turn, made.session_id, "text", 1, p),
        )


# -- against a model -----------------------------------------------------------------------------------------------

_STEP = st.one_of(
    st.tuples(st.just("append"), st.integers(0, 99)),
    st.tuples(st.just("fork"), st.integers(0, 99)),
    st.tuples(st.just("complete"), st.integers(0, 99)),
    st.tuples(st.just("clock"), st.integers(-3, 5)),
    st.tuples(st.just("batch"), st.integers(0, 1)),
    st.tuples(st.just("restore"), st.just(0)),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(_STEP, max_size=40), st.integers(0, 6), st.integers(0, 6))
def test_branches_show_what_a_model_shows(steps: list[tuple[str, int]], limit: int, offset: int) -> None:
    clock = ManualClock()
    memory = ZengramMemory.open(2, clock=clock)
    made = memory.create_session("p")
    session = made.session_id
    shown: dict[str, list[str]] = {made.branch_id: []}  # all that each branch shows, copied at a fork
    home: dict[str, str] = {}
    parent: dict[str, str | None] = {}
    completed: set[str] = set()
    batch: Any = None
    for what, number in steps:
        branches, turns = list(shown), list(home)
        if what == "append":
            branch = branches[number % len(branches)]
            turn = memory.append_turn(session, branch, "user")
            parent[turn] = shown[branch][-1] if shown[branch] else None
            shown[branch].append(turn)
            home[turn] = branch
        elif what == "fork" and turns:
            turn = turns[number % len(turns)]
            before = shown[home[turn]]
            shown[memory.fork_session(session, turn)] = before[: before.index(turn) + 1]
        elif what == "complete" and turns:
            turn = turns[number % len(turns)]
            if turn not in completed:  # in a batch, a call that fails is the end of it
                memory.complete_turn(turn, 1, 1, 0)
                completed.add(turn)
        elif what == "clock":
            clock.advance(microseconds=number)
        elif what == "batch":
            if batch is not None:
                batch.__exit__(None, None, None)
                batch = None
            if number:
                batch = memory.batch()
                batch.__enter__()
        elif what == "restore" and batch is None:
            memory = ZengramMemory.open_from_snapshot(memory.export_snapshot(), 2, clock=clock)
        branch = list(shown)[-1]
        assert ids(memory, session, branch) == shown[branch]
    for branch, expected in shown.items():
        assert ids(memory, session, branch) == expected
        assert ids(memory, session, branch, limit, offset) == expected[offset : offset + limit]
    if batch is not None:
        batch.__exit__(None, None, None)
    for branch, expected in shown.items():
        assert ids(memory, session, branch) == expected
        for at, turn in enumerate(expected):
            since = memory.turns_since(session, turn, branch_id=branch)
            assert [t.id for t in since] == expected[at + 1 :]
    assert parents(memory) == parent
    totals = memory.session_totals(session)
    assert totals.turns == len(home)
    assert {b.branch_id: b.turns for b in totals.branches} == {
        branch: sum(1 for one in home.values() if one == branch) for branch in shown
    }
    everything = memory.session_timeline(session)
    assert len(everything) == 1 + len(home) + len(shown) - 1
    assert everything[0].type == "session_created"


@settings(max_examples=150, deadline=None)
@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats()
        | st.text(st.characters(), max_size=4)
        | st.binary(max_size=1),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.text(st.characters(), max_size=3) | st.integers(0, 1), inner, max_size=3)
        ),
        max_leaves=12,
    )
)
def test_json_is_copied_exactly_or_refused(value: Any) -> None:
    try:
        copied = check_json(value, "data")
    except InvalidArgumentError:
        return
    text = json.dumps(copied, allow_nan=False, ensure_ascii=False)
    text.encode()
    assert json.loads(text) == copied
