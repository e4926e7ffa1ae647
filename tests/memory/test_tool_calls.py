"""Tool calls and their states."""

from __future__ import annotations

import math
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule
from memory_support import refused, rows

from zengram_py import ZengramMemory
from zengram_py.clock import ManualClock
from zengram_py.errors import InvalidArgumentError, NotFoundError, StateError
from zengram_py.memory import ToolCall

STATES = ("pending", "running", "completed", "error")
ALLOWED = {("pending", "running"), ("pending", "completed"), ("pending", "error")} | {
    ("running", "completed"),
    ("running", "error"),
}

FAILED = """
SELECT tool_id, error, duration_ms
  FROM tool_call
 WHERE session_id = $1 AND state = 'error'
 ORDER BY time_created, id
"""


@pytest.fixture
def memory(clock: ManualClock) -> ZengramMemory:
    return ZengramMemory.open(4, clock=clock)


@pytest.fixture
def where(memory: ZengramMemory) -> dict[str, str]:
    made = memory.create_session("p")
    turn = memory.append_turn(made.session_id, made.branch_id, "assistant")
    return {"session_id": made.session_id, "turn_id": turn}


def become(memory: ZengramMemory, call: str, state: str) -> None:
    if state == "running":
        memory.start_tool_call(call)
    elif state != "pending":
        memory.complete_tool_call(call, error="it broke" if state == "error" else None)


def test_a_call_from_the_wish_to_the_result(
    memory: ZengramMemory, where: dict[str, str], clock: ManualClock
) -> None:
    part = memory.add_part(where["turn_id"], where["session_id"], "tool", {}, 0)
    call = memory.record_tool_call(
        **where,
        tool_id="read",
        part_id=part,
        input={"path": "a.py", "lines": (1, 2)},
        category="read",
        target_paths=["a.py", "b.py", "a.py"],
        tool_source="mcp",
    )
    created = clock.now()
    expected = ToolCall(
        id=call,
        part_id=part,
        tool_id="read",
        tool_source="mcp",
        state="pending",
        input={"path": "a.py", "lines": [1, 2]},
        output=None,
        error=None,
        duration_ms=None,
        tokens_consumed=0,
        category="read",
        target_paths=("a.py", "b.py"),
        time_created=created,
        time_completed=None,
        **where,
    )
    assert memory.tool_call(call) == expected
    memory.start_tool_call(call)
    found = memory.tool_call(call)
    assert found is not None
    assert found.state == "running"
    clock.advance(microseconds=12_345)
    memory.complete_tool_call(call, output="text \ud800", tokens_consumed=42)
    found = memory.tool_call(call)
    assert found is not None
    assert (found.state, found.output, found.error) == ("completed", "text \ufffd", None)
    assert (found.duration_ms, found.tokens_consumed, found.time_completed) == (12, 42, clock.now())
    assert rows(memory, "SELECT output_hash FROM tool_call") == [
        (sha256("text \ufffd".encode()).hexdigest(),)
    ]
    assert memory.query_tool_calls(where["session_id"]) == [found]


def test_what_is_left_out(memory: ZengramMemory, where: dict[str, str]) -> None:
    call = memory.record_tool_call(**where, tool_id="ls")
    memory.complete_tool_call(call)
    found = memory.tool_call(call)
    assert found is not None
    assert (found.part_id, found.input, found.category, found.target_paths) == (None, None, None, ())
    assert (found.tool_source, found.state, found.output, found.duration_ms) == (
        "builtin",
        "completed",
        None,
        0,
    )
    assert rows(memory, "SELECT input, target_paths, output_hash FROM tool_call") == [(None, None, None)]
    assert memory.tool_call("tcl_none") is None


@pytest.mark.parametrize(("given", "kept"), [(0, 0), (7, 7), (12.4, 12), (0.6, 1)])
def test_a_duration_is_kept_in_whole_milliseconds(
    memory: ZengramMemory, where: dict[str, str], given: float, kept: int
) -> None:
    call = memory.record_tool_call(**where, tool_id="ls")
    memory.complete_tool_call(call, duration_ms=given)
    found = memory.tool_call(call)
    assert found is not None
    assert found.duration_ms == kept


def test_a_clock_that_steps_back_makes_no_negative_time(
    memory: ZengramMemory, where: dict[str, str], clock: ManualClock
) -> None:
    call = memory.record_tool_call(**where, tool_id="ls")
    clock.advance(seconds=-3)
    memory.complete_tool_call(call)
    found = memory.tool_call(call)
    assert found is not None
    assert (found.duration_ms, found.time_completed) == (0, found.time_created)


@pytest.mark.parametrize("before", STATES)
@pytest.mark.parametrize("after", STATES[1:])
def test_every_pair_of_states(memory: ZengramMemory, where: dict[str, str], before: str, after: str) -> None:
    call = memory.record_tool_call(**where, tool_id="ls")
    become(memory, call, before)
    if (before, after) in ALLOWED:
        become(memory, call, after)
        found = memory.tool_call(call)
        assert found is not None
        assert found.state == after
        assert (found.error is None) == (after != "error")
    else:
        message = f"tool call '{call}' is {before}; it cannot become {after}"
        refused(memory, StateError, message, lambda: become(memory, call, after))


def test_a_state_that_somebody_made_up(memory: ZengramMemory, where: dict[str, str]) -> None:
    call = memory.record_tool_call(**where, tool_id="ls")
    memory.query("UPDATE tool_call SET state = 'lost', target_paths = '{\"a\": 1}'::jsonb")
    refused(memory, StateError, "is lost; it cannot become running", lambda: memory.start_tool_call(call))
    found = memory.tool_call(call)
    assert found is not None
    assert found.target_paths == ()


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"tool_id": None}, InvalidArgumentError, "tool id is missing"),
        ({"tool_id": " "}, InvalidArgumentError, "tool id must not be blank"),
        ({"turn_id": "trn_x"}, NotFoundError, "no turn 'trn_x'"),
        ({"turn_id": None}, InvalidArgumentError, "turn id is missing"),
        ({"session_id": "ses_x"}, NotFoundError, "no session 'ses_x'"),
        ({"session_id": None}, InvalidArgumentError, "session id is missing"),
        ({"part_id": "prt_x"}, NotFoundError, "no part 'prt_x'"),
        ({"input": {"a": {1, 2}}}, InvalidArgumentError, r"input\['a'\] is a set"),
        ({"input": [math.nan]}, InvalidArgumentError, r"input\[0\] is nan"),
        ({"category": ""}, InvalidArgumentError, "category must not be blank"),
        ({"target_paths": [1]}, InvalidArgumentError, "each of target_paths must be a string"),
        ({"target_paths": {"a": 1}}, InvalidArgumentError, "target_paths must be a list"),
        ({"tool_source": None}, InvalidArgumentError, "tool_source is missing"),
    ],
)
def test_a_call_that_cannot_be_recorded(
    memory: ZengramMemory,
    where: dict[str, str],
    options: dict[str, Any],
    error: type[Exception],
    match: str,
) -> None:
    refused(memory, error, match, lambda: memory.record_tool_call(**{**where, "tool_id": "ls", **options}))


def test_a_call_of_another_session_or_turn(memory: ZengramMemory, where: dict[str, str]) -> None:
    other = memory.create_session("p")
    turn = memory.append_turn(other.session_id, other.branch_id, "assistant")
    part = memory.add_part(turn, other.session_id, "tool", 1, 0)
    record = memory.record_tool_call
    refused(
        memory,
        NotFoundError,
        f"there is no turn '{turn}' in session",
        lambda: record(session_id=where["session_id"], turn_id=turn, tool_id="ls"),
    )
    refused(
        memory,
        NotFoundError,
        f"there is no part '{part}' in turn",
        lambda: record(**where, part_id=part, tool_id="ls"),
    )


@pytest.mark.parametrize(
    "options",
    [
        {"output": {1}},
        {"output": math.nan},
        {"error": 5},
        {"duration_ms": -1},
        {"duration_ms": math.nan},
        {"duration_ms": math.inf},
        {"duration_ms": "1"},
        {"duration_ms": 1e300},
        {"tokens_consumed": -1},
        {"tokens_consumed": 1.5},
        {"tokens_consumed": None},
    ],
)
def test_results_that_cannot_be(
    memory: ZengramMemory, where: dict[str, str], options: dict[str, Any]
) -> None:
    call = memory.record_tool_call(**where, tool_id="ls")
    name = next(iter(options))
    refused(memory, InvalidArgumentError, name, lambda: memory.complete_tool_call(call, **options))


def test_no_such_call(memory: ZengramMemory, where: dict[str, str]) -> None:
    refused(memory, NotFoundError, "no tool call 'tcl_x'", lambda: memory.start_tool_call("tcl_x"))
    refused(memory, NotFoundError, "no tool call 'tcl_x'", lambda: memory.complete_tool_call("tcl_x"))


def test_calls_are_found_newest_first(
    memory: ZengramMemory, where: dict[str, str], clock: ManualClock
) -> None:
    calls = []
    for number in range(120):
        clock.advance(microseconds=number % 50 == 0)
        calls.append(
            memory.record_tool_call(
                **where, tool_id="ab"[number % 2], category="xyz"[number % 3] if number % 4 else None
            )
        )
    for number in range(0, 120, 5):
        memory.complete_tool_call(calls[number], error="no" if number % 2 else None)
    session = where["session_id"]

    def find(**options: Any) -> list[str]:
        return [call.id for call in memory.query_tool_calls(session, **options)]

    assert find() == calls[:-101:-1]
    assert find(limit=1000) == calls[::-1]
    assert find(limit=3) == calls[:-4:-1]
    assert find(limit=0) == []
    assert find(tool_id="a") == calls[-2::-2]
    assert find(state="error") == [calls[n] for n in range(115, -1, -10)]
    assert find(state="completed", tool_id="b") == []
    assert (
        find(category="y", tool_id="b", limit=4)
        == [calls[n] for n in range(119, -1, -1) if n % 3 == 1 and n % 2 and n % 4][:4]
    )
    with memory.batch():
        calls.append(memory.record_tool_call(**where, tool_id="a"))
        memory.complete_tool_call(calls[-2], error="no")
        assert find(limit=3) == calls[:-4:-1]
        assert find(state="error", limit=2) == [calls[-2], calls[115]]
    assert find(state="pending", tool_id="a", limit=1) == [calls[-1]]


@pytest.mark.parametrize(
    ("session", "options", "error", "match"),
    [
        ("ses_x", {}, NotFoundError, "no session 'ses_x'"),
        (None, {"state": "done"}, InvalidArgumentError, "pending, running, completed, error, not 'done'"),
        (None, {"state": ""}, InvalidArgumentError, "state must not be blank"),
        (None, {"tool_id": 1}, InvalidArgumentError, "tool_id must be a string"),
        (None, {"limit": -1}, InvalidArgumentError, "limit"),
    ],
)
def test_questions_that_cannot_be(
    memory: ZengramMemory,
    where: dict[str, str],
    session: str | None,
    options: dict[str, Any],
    error: type[Exception],
    match: str,
) -> None:
    with pytest.raises(error, match=match):
        memory.query_tool_calls(session or where["session_id"], **options)


def test_which_calls_failed_in_sql(memory: ZengramMemory, where: dict[str, str]) -> None:
    for number, error in enumerate([None, "no such file", None, "timeout"]):
        call = memory.record_tool_call(**where, tool_id=f"tool{number}")
        memory.complete_tool_call(call, error=error, duration_ms=number)
    found = rows(memory, FAILED, [where["session_id"]])
    assert found == [("tool1", "no such file", 1), ("tool3", "timeout", 3)]
    failed = memory.query_tool_calls(where["session_id"], state="error")
    assert found == [(c.tool_id, c.error, c.duration_ms) for c in reversed(failed)]


class CallStates(RuleBasedStateMachine):
    calls = Bundle("calls")

    def __init__(self) -> None:
        super().__init__()
        self.memory = ZengramMemory.open(2, clock=ManualClock())
        made = self.memory.create_session("p")
        turn = self.memory.append_turn(made.session_id, made.branch_id, "assistant")
        self.where = {"session_id": made.session_id, "turn_id": turn}
        self.states: dict[str, str] = {}

    @rule(target=calls)
    def record(self) -> str:
        call = self.memory.record_tool_call(**self.where, tool_id="ls")
        self.states[call] = "pending"
        return call

    @rule(call=calls, state=st.sampled_from(STATES[1:]))
    def change(self, call: str, state: str) -> None:
        if (self.states[call], state) in ALLOWED:
            become(self.memory, call, state)
            self.states[call] = state
        else:
            with pytest.raises(StateError, match=f"is {self.states[call]}; it cannot become {state}"):
                become(self.memory, call, state)

    @rule()
    def restore(self) -> None:
        self.memory = ZengramMemory.open_from_snapshot(self.memory.export_snapshot(), 2, clock=ManualClock())

    @invariant()
    def the_states_are_known(self) -> None:
        found = self.memory.query_tool_calls(self.where["session_id"], limit=1000)
        assert {call.id: call.state for call in found} == self.states


TestCallStates = CallStates.TestCase
TestCallStates.settings = settings(max_examples=12, stateful_step_count=15, deadline=None)


def test_an_output_is_any_json_and_an_empty_error_is_one(
    memory: ZengramMemory, where: dict[str, str]
) -> None:
    first = memory.record_tool_call(**where, tool_id="read")
    memory.complete_tool_call(first, output={"lines": [1, None]})
    second = memory.record_tool_call(**where, tool_id="read")
    memory.complete_tool_call(second, error="")
    done, failed = memory.tool_call(first), memory.tool_call(second)
    assert done is not None
    assert failed is not None
    assert (done.state, done.output) == ("completed", '{"lines":[1,null]}')
    assert (failed.state, failed.error) == ("error", "")
