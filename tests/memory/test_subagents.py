"""Subagents: their runs, how deep they are, and what came of them."""

from __future__ import annotations

from typing import Any

import pytest
from memory_support import refused, rows

from zengram_py import ZengramMemory
from zengram_py.clock import ManualClock
from zengram_py.errors import InvalidArgumentError, NotFoundError, StateError
from zengram_py.memory import SubagentRun

STATUSES = ("running", "completed", "error")


@pytest.fixture
def session(memory: ZengramMemory) -> str:
    return memory.create_session("p").session_id


def become(memory: ZengramMemory, run: str, status: str) -> None:
    if status != "running":
        memory.finish_subagent(run, error="it broke" if status == "error" else None)


def test_a_run_from_the_start_to_the_end(memory: ZengramMemory, session: str, clock: ManualClock) -> None:
    child = memory.create_session("p", parent_id=session).session_id
    run = memory.start_subagent(session, "explore", child_session=child)
    created = clock.now()
    expected = SubagentRun(
        id=run,
        parent_session=session,
        child_session=child,
        agent_type="explore",
        status="running",
        spawn_depth=1,
        result=None,
        error=None,
        runtime_ms=0,
        time_created=created,
        time_completed=None,
    )
    assert memory.subagents(session) == [expected]
    clock.advance(microseconds=1_234_567)
    memory.finish_subagent(run, result="found it \ud800")
    (found,) = memory.subagents(session)
    assert (found.status, found.result, found.error) == ("completed", "found it \ufffd", None)
    assert (found.runtime_ms, found.time_completed) == (1234, clock.now())
    graph = """
        SELECT * FROM graph_table (agent_graph
          MATCH (a IS Session)-[r IS SPAWNED]->(b IS Session)
          COLUMNS (a.id AS a, r.agent_type AS kind, r.runtime_ms AS ms, b.id AS b))"""
    assert rows(memory, graph) == [(session, "explore", 1234, child)]


def test_a_subagent_of_a_subagent_is_deeper(memory: ZengramMemory, session: str, clock: ManualClock) -> None:
    parent = session
    for depth in range(1, 5):
        child = memory.create_session("p", parent_id=parent).session_id
        memory.start_subagent(parent, "a", child_session=child)
        assert memory.subagents(parent)[0].spawn_depth == depth
        parent = child
    memory.start_subagent(session, "a", child_session=parent, spawn_depth=9)
    memory.start_subagent(parent, "a")
    assert memory.subagents(parent)[-1].spawn_depth == 10
    memory.start_subagent(parent, "a", spawn_depth=0)
    assert memory.subagents(parent)[-1].spawn_depth == 0


@pytest.mark.parametrize("before", STATUSES)
@pytest.mark.parametrize("after", STATUSES[1:])
def test_every_pair_of_states(memory: ZengramMemory, session: str, before: str, after: str) -> None:
    run = memory.start_subagent(session, "a")
    become(memory, run, before)
    if before == "running":
        become(memory, run, after)
        assert [one.status for one in memory.subagents(session)] == [after]
    else:
        message = f"subagent run '{run}' is {before}; it cannot become {after}"
        refused(memory, StateError, message, lambda: become(memory, run, after))


def test_a_clock_that_steps_back(memory: ZengramMemory, session: str, clock: ManualClock) -> None:
    clock.advance(seconds=-5)
    run = memory.start_subagent(session, "a")
    clock.advance(seconds=-5)
    memory.finish_subagent(run)
    (found,) = memory.subagents(session)
    assert (found.runtime_ms, found.time_completed) == (0, found.time_created)
    assert found.time_created == clock.now() + 10_000_000


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"parent_session": "ses_x"}, NotFoundError, "no session 'ses_x'"),
        ({"child_session": "ses_x"}, NotFoundError, "no session 'ses_x'"),
        ({"agent_type": ""}, InvalidArgumentError, "agent_type must not be blank"),
        ({"spawn_depth": -1}, InvalidArgumentError, "spawn_depth"),
        ({"spawn_depth": 1.5}, InvalidArgumentError, "spawn_depth"),
    ],
)
def test_runs_that_cannot_be(
    memory: ZengramMemory, session: str, options: dict[str, Any], error: type[Exception], match: str
) -> None:
    given = {"parent_session": session, "agent_type": "a", **options}
    refused(memory, error, match, lambda: memory.start_subagent(**given))


def test_other_calls_that_cannot_be(memory: ZengramMemory, session: str) -> None:
    message = f"session '{session}' cannot be its own subagent's"
    refused(
        memory,
        InvalidArgumentError,
        message,
        lambda: memory.start_subagent(session, "a", child_session=session),
    )
    refused(memory, NotFoundError, "no subagent run 'sub_x'", lambda: memory.finish_subagent("sub_x"))
    run = memory.start_subagent(session, "a")
    refused(memory, InvalidArgumentError, "error must be", lambda: memory.finish_subagent(run, error=5))
    refused(memory, InvalidArgumentError, "result must be", lambda: memory.finish_subagent(run, result={}))
    assert memory.subagent("sub_x") is None
    with pytest.raises(NotFoundError, match="ses_x"):
        memory.subagents("ses_x")
    with pytest.raises(InvalidArgumentError, match="running, completed, error, not 'lost'"):
        memory.subagents(session, status="lost")
    memory.end_session(session)
    message = f"session '{session}' is ended: it cannot be given a subagent"
    refused(memory, StateError, message, lambda: memory.start_subagent(session, "a"))
    memory.finish_subagent(
        run, error=""
    )  # what is under way may still end, and an error need not say a thing
    found = memory.subagent(run)
    assert found is not None
    assert (found.status, found.error) == ("error", "")


def test_runs_are_found_oldest_first(memory: ZengramMemory, session: str, clock: ManualClock) -> None:
    other = memory.create_session("p").session_id
    with memory.batch():
        runs = []
        for number in range(20):
            clock.advance(microseconds=number % 3 == 0)
            runs.append(memory.start_subagent(session, str(number)))
            memory.start_subagent(other, "other")
            become(memory, runs[-1], STATUSES[number % 3])
        assert [run.id for run in memory.subagents(session)] == runs
    assert [run.id for run in memory.subagents(session)] == runs
    for number, status in enumerate(STATUSES):
        assert [run.id for run in memory.subagents(session, status=status)] == runs[number::3]
    copy = ZengramMemory.open_from_snapshot(memory.export_snapshot(), 2, clock=clock)
    assert copy.subagents(session) == memory.subagents(session)

    def fails() -> None:
        with memory.batch():
            memory.finish_subagent(runs[0])
            memory.finish_subagent(runs[0])

    refused(memory, StateError, "is completed; it cannot become completed", fails)
