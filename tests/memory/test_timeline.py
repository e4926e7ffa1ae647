"""What happened in a session, what happened since, and what it took."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest
from memory_support import rows

from zengram_py import ZengramMemory
from zengram_py.clock import ManualClock
from zengram_py.errors import InvalidArgumentError, NotFoundError
from zengram_py.memory import BranchTotals, TimelineEvent
from zengram_py.memory.totals import Spent

COST = """
SELECT b.name, count(t.id) AS turns, sum(t.tokens_input + t.tokens_output) AS tokens, sum(t.cost_usd) AS cost_usd
  FROM branch b JOIN turn t ON t.branch_id = b.id
 WHERE b.id = $1
 GROUP BY b.id, b.name
"""
CALLS = """
SELECT t.branch_id, count(*) AS calls, sum(c.tokens_consumed) AS tokens, sum(c.duration_ms) AS ms
  FROM tool_call c JOIN turn t ON t.id = c.turn_id
 WHERE c.session_id = $1
 GROUP BY t.branch_id
"""


class Story:
    """A session with a fork, a part, a tool call, a fact and an end."""

    def __init__(self, memory: ZengramMemory, clock: ManualClock, step: int) -> None:
        made = memory.create_session("p", title="Login")
        self.session, self.main = session, main = made.session_id, made.branch_id
        clock.advance(microseconds=step)
        self.ask = memory.append_turn(session, main, "user")
        clock.advance(microseconds=step)
        self.text = memory.add_part(self.ask, session, "text", "the login fails", 0)
        clock.advance(microseconds=step)
        self.answer = memory.append_turn(session, main, "assistant")
        clock.advance(microseconds=step)
        self.call = memory.record_tool_call(turn_id=self.answer, session_id=session, tool_id="read")
        memory.complete_tool_call(self.call, error="no such file", duration_ms=5, tokens_consumed=3)
        clock.advance(microseconds=step)
        self.fact = memory.remember_with_vector(
            "login", "the login fails", f"/{session}", [1, 0], session_id=session, turn_id=self.answer
        )
        clock.advance(microseconds=step)
        self.fork = memory.fork_session(session, self.ask, name="again")
        clock.advance(microseconds=step)
        self.other = memory.append_turn(session, self.fork, "assistant")
        memory.summarize_turn(self.other, "looked elsewhere")
        clock.advance(microseconds=step)
        memory.end_session(session, summary="fixed")


@pytest.mark.parametrize("step", [0, 1])
def test_the_timeline(memory: ZengramMemory, clock: ManualClock, step: int) -> None:
    story = Story(memory, clock, step)
    end = clock.now()

    def event(ago: int, *what: Any) -> TimelineEvent:
        return TimelineEvent(end - ago * step, *what)

    expected = [
        event(8, "session_created", story.session, None, None, "Login"),
        event(7, "turn", story.ask, story.main, story.ask, "user"),
        event(6, "part", story.text, story.main, story.ask, "text"),
        event(5, "turn", story.answer, story.main, story.answer, "assistant"),
        event(4, "tool_call", story.call, story.main, story.answer, "read (error)"),
        event(3, "knowledge", story.fact, story.main, story.answer, "login: the login fails"),
        event(2, "branch_forked", story.fork, story.fork, story.ask, "again"),
        event(1, "turn", story.other, story.fork, story.other, "assistant: looked elsewhere"),
        event(0, "session_ended", story.session, None, None, "fixed"),
    ]
    assert memory.session_timeline(story.session) == expected
    assert memory.session_timeline(story.session, limit=3, offset=2) == expected[2:5]
    assert memory.session_timeline(story.session, limit=0) == []
    assert memory.session_timeline(story.session, offset=9) == []
    again = ZengramMemory.open_from_snapshot(memory.export_snapshot(), 2)
    assert again.session_timeline(story.session) == expected


def test_the_timeline_in_a_batch_and_of_others(memory: ZengramMemory, clock: ManualClock) -> None:
    Story(memory, clock, 0)
    with memory.batch():
        story = Story(memory, clock, 0)
        found = memory.session_timeline(story.session)
        assert [one.id for one in found][1:-1] == [
            story.ask,
            story.text,
            story.answer,
            story.call,
            story.fact,
            story.fork,
            story.other,
        ]
        assert memory.session_totals(story.session).tool_tokens == 3
    assert memory.session_timeline(story.session) == found


def test_what_belongs_to_a_turn_is_not_before_it(memory: ZengramMemory, clock: ManualClock) -> None:
    made = memory.create_session("p")
    expected = [made.session_id]
    for _ in range(6):  # ids of another memory may be less than those that are there, at the same instant
        memory = ZengramMemory.open_from_snapshot(memory.export_snapshot(), 2, clock=clock)
        turn = memory.append_turn(made.session_id, made.branch_id, "user")
        memory = ZengramMemory.open_from_snapshot(memory.export_snapshot(), 2, clock=clock)
        expected += [turn, memory.add_part(turn, made.session_id, "text", "x", 0)]
    clock.advance(seconds=-1)
    expected.append(memory.add_part(turn, made.session_id, "text", "y", 0))
    found = [one.id for one in memory.session_timeline(made.session_id)]
    assert sorted(found) == sorted(expected)
    places = {one: at for at, one in enumerate(found)}
    for turn, part in zip(expected[1::2], expected[2::2], strict=False):
        assert places[turn] < places[part]


def test_turns_since(memory: ZengramMemory, clock: ManualClock) -> None:
    made = memory.create_session("p")
    session, main = made.session_id, made.branch_id
    turns = []
    for number in range(6):
        clock.advance(microseconds=number % 2)
        turns.append(memory.append_turn(session, main, "user"))
    fork = memory.fork_session(session, turns[3])
    turns.append(memory.append_turn(session, fork, "user"))
    turns.append(memory.append_turn(session, main, "user"))
    t0, t1, t2, t3, t4, t5, f1, t6 = turns

    def since(what: Any, **options: Any) -> list[str]:
        return [turn.id for turn in memory.turns_since(session, what, **options)]

    times = {turn.id: turn.time_created for turn in memory.get_turns(session, main)}
    assert since(0) == turns
    assert since("2001-01-01") == turns
    assert since(times[t3]) == [t3, t4, t5, f1, t6]
    assert since(times[t5] + 1) == []
    assert since(t0) == turns[1:]
    assert since(t2) == turns[3:]
    assert since(f1) == [t6]
    assert since(t0, limit=2) == [t1, t2]
    assert since(t0, limit=0) == []
    assert since(0, branch_id=fork) == [t0, t1, t2, t3, f1]
    assert since(times[t3], branch_id=fork) == [t3, f1]
    assert since(t2, branch_id=fork) == [t3, f1]
    assert since(t2, branch_id=fork, limit=1) == [t3]
    assert since(t3, branch_id=main) == [t4, t5, t6]
    assert since(f1, branch_id=fork) == []
    with memory.batch():
        late = memory.append_turn(session, fork, "user")
        assert since(t2, branch_id=fork) == [t3, f1, late]
        assert since(f1) == [t6, late]


def test_turns_since_what_is_not_there(memory: ZengramMemory) -> None:
    made, other = memory.create_session("p"), memory.create_session("p")
    turn = memory.append_turn(made.session_id, made.branch_id, "user")
    fork = memory.fork_session(made.session_id, turn)
    late = memory.append_turn(made.session_id, made.branch_id, "user")
    elsewhere = memory.append_turn(other.session_id, other.branch_id, "user")
    since = memory.turns_since
    with pytest.raises(NotFoundError, match="no session 'ses_x'"):
        since("ses_x", 0)
    with pytest.raises(NotFoundError, match="no turn 'trn_x'"):
        since(made.session_id, "trn_x")
    with pytest.raises(NotFoundError, match=r"no turn .* in session"):
        since(made.session_id, elsewhere)
    with pytest.raises(NotFoundError, match="does not show turn"):
        since(made.session_id, late, branch_id=fork)
    with pytest.raises(NotFoundError, match="no branch"):
        since(made.session_id, 0, branch_id=other.branch_id)
    for bad in (None, 1.5, True, [], " "):
        with pytest.raises(InvalidArgumentError):
            since(made.session_id, bad)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="limit"):
        since(made.session_id, 0, limit=-1)


def of_branch(branch: str, name: str | None, *sums: float) -> BranchTotals:
    names = [field.name for field in fields(Spent)]
    return BranchTotals(branch_id=branch, name=name, **dict(zip(names, sums, strict=True)))  # type: ignore[arg-type]


def test_totals_add_up_by_branch_and_sql_says_the_same(memory: ZengramMemory) -> None:
    made = memory.create_session("p")
    session, main = made.session_id, made.branch_id

    def turn(branch: str, number: int) -> str:
        one = memory.append_turn(session, branch, "assistant")
        memory.complete_turn(
            one,
            10 * number,
            number,
            number / 4,
            tokens_reasoning=number,
            tokens_cache_read=2 * number,
            tokens_cache_write=3 * number,
        )
        return one

    first = turn(main, 1)
    fork = memory.fork_session(session, first, name="again")
    second = turn(fork, 2)
    memory.append_turn(session, fork, "user")
    turn(main, 4)
    empty = memory.fork_session(session, second)
    for where, duration in ((first, 5), (second, 7), (second, None)):
        call = memory.record_tool_call(turn_id=where, session_id=session, tool_id="ls")
        if duration is not None:
            memory.complete_tool_call(call, duration_ms=duration, tokens_consumed=100)
    memory.append_turn(*memory.create_session("p").__dict__.values(), "user")

    totals = memory.session_totals(session)
    assert totals.branches == (
        of_branch(main, "main", 2, 50, 5, 5, 10, 15, 1.25, 1, 100, 5),
        of_branch(fork, "again", 2, 20, 2, 2, 4, 6, 0.5, 2, 100, 7),
        of_branch(empty, None, 0, 0, 0, 0, 0, 0, 0.0, 0, 0, 0),
    )
    assert (totals.turns, totals.tokens_input, totals.tokens_output, totals.cost_usd) == (4, 70, 7, 1.75)
    assert (totals.tokens_reasoning, totals.tokens_cache_read, totals.tokens_cache_write) == (7, 14, 21)
    assert (totals.tool_calls, totals.tool_tokens, totals.tool_duration_ms) == (3, 200, 12)
    found = memory.session(session)
    assert found is not None
    assert (found.total_turns, found.total_tokens, found.total_cost_usd) == (4, 77, 1.75)

    for branch in totals.branches[:2]:
        tokens = branch.tokens_input + branch.tokens_output
        assert rows(memory, COST, [branch.branch_id]) == [
            (branch.name, branch.turns, tokens, branch.cost_usd)
        ]
    found = rows(memory, CALLS, [session])
    assert {row[0]: tuple(row[1:]) for row in found} == {
        b.branch_id: (b.tool_calls, b.tool_tokens, b.tool_duration_ms) for b in totals.branches[:2]
    }


def test_totals_of_no_session(memory: ZengramMemory) -> None:
    with pytest.raises(NotFoundError, match="no session 'ses_x'"):
        memory.session_totals("ses_x")
    with pytest.raises(NotFoundError, match="no session 'ses_x'"):
        memory.session_timeline("ses_x")
    for page in ({"limit": -1}, {"offset": 1.5}):
        with pytest.raises(InvalidArgumentError):
            memory.session_timeline(memory.create_session("p").session_id, **page)  # type: ignore[arg-type]
