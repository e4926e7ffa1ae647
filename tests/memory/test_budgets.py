"""Budgets: old conversations go, facts stay."""

from __future__ import annotations

from typing import Any

import pytest
from memory_support import refused, rows

from zengram_py import ZengramMemory
from zengram_py.clock import ManualClock
from zengram_py.errors import InvalidArgumentError, NotFoundError
from zengram_py.memory import BudgetReport
from zengram_py.memory.budgets import OF_SESSION


def talk(memory: ZengramMemory, clock: ManualClock, size: int = 1000, project: str = "site") -> str:
    """Make a session with a turn, a tool call, a fact and what else belongs to one."""
    clock.advance(days=1)
    made = memory.create_session(project)
    turn = memory.append_turn(made.session_id, made.branch_id, "user")
    memory.add_part(turn, made.session_id, "text", {"text": "x" * size}, 0)
    call = memory.record_tool_call(turn_id=turn, session_id=made.session_id, tool_id="read")
    memory.remember_with_vector(f"of {made.session_id}", "a fact", "/project/site", [1, 0], tool_call_id=call)
    memory.log_event("began", session_id=made.session_id)
    memory.record_file_operation(made.session_id, "a.css", "read", tool_call_id=call)
    memory.add_task("a task", session_id=made.session_id)
    memory.set_system_instructions("Be kind.", session_id=made.session_id)
    return made.session_id


def counts(memory: ZengramMemory, session: str) -> dict[str, int]:
    tables = [*OF_SESSION, ("session", "id")]
    return {
        table: rows(memory, f"select count(*) from {table} where {column} = $1", [session])[0][0]
        for table, column in tables
    }


def test_the_oldest_sessions_go_until_there_is_room(memory: ZengramMemory, clock: ManualClock) -> None:
    sessions = [talk(memory, clock, 10_000) for _ in range(6)]
    other = talk(memory, clock, 10_000, "other")
    memory.configure_budget("/project/site", max_bytes=45_000, high_water_bytes=25_000, retain_min=1)
    report = memory.enforce_budget("/project/site")
    assert report is not None
    assert report.sessions_pruned == 4
    assert 40_000 < report.bytes_freed < 50_000
    assert [memory.session(one) is None for one in sessions] == [True] * 4 + [False] * 2
    assert memory.session(other) is not None
    budget = memory.storage_budget("/project/site")
    assert budget is not None
    assert 20_000 < budget.current_bytes < 25_000
    assert budget.last_pruned == clock.now()
    assert memory.enforce_budget("/project/site") is None, "it is within its budget"
    assert len(memory.facts("/project/site")) == 7
    assert {fact.session_id for fact in memory.facts("/project/site")} == {None, *sessions[4:], other}


def test_some_sessions_stay_in_any_case(memory: ZengramMemory, clock: ManualClock) -> None:
    sessions = [talk(memory, clock) for _ in range(5)]
    memory.configure_budget("/", max_bytes=0, retain_min=3)
    assert memory.enforce_budget("/") == BudgetReport(2, pytest.approx(3500, abs=1500))
    assert [memory.session(one) is None for one in sessions] == [True] * 2 + [False] * 3
    assert memory.enforce_budget("/") == BudgetReport(0, 0), "over it, and nothing may go"


def test_a_session_that_was_used_lately_is_not_the_oldest(memory: ZengramMemory, clock: ManualClock) -> None:
    first, second = talk(memory, clock), talk(memory, clock)
    clock.advance(days=1)
    found = memory.session(first)
    assert found is not None
    memory.append_turn(first, str(found.active_branch), "user")
    memory.configure_budget("/project/site", max_bytes=10, retain_min=1)
    memory.enforce_budget("/project/site")
    assert (memory.session(first) is None, memory.session(second) is None) == (False, True)


def test_without_a_budget_nothing_is_done(memory: ZengramMemory, clock: ManualClock) -> None:
    talk(memory, clock)
    before = memory.export_snapshot()
    assert memory.enforce_budget("/project/site") is None
    assert memory.storage_budget("/project/site") is None
    assert memory.export_snapshot() == before
    assert memory.configure_budget("/x").max_bytes is None
    assert memory.enforce_budget("/x") is None


@pytest.mark.parametrize(
    "bad",
    [{"max_bytes": -1}, {"max_bytes": 1.5}, {"retain_min": -1}, {"max_bytes": 1, "high_water_bytes": 2}],
)
def test_a_budget_is_whole_bytes(memory: ZengramMemory, bad: dict[str, Any]) -> None:
    refused(memory, InvalidArgumentError, "bytes|retain_min", lambda: memory.configure_budget("/", **bad))


def test_a_deleted_session_leaves_its_facts_and_nothing_else(
    memory: ZengramMemory, clock: ManualClock
) -> None:
    kept, gone = talk(memory, clock), talk(memory, clock)
    child = memory.create_session("site", parent_id=gone)
    held = counts(memory, kept)
    assert sum(counts(memory, gone).values()) > 5
    memory.delete_session(gone)
    assert set(counts(memory, gone).values()) == {0}
    assert counts(memory, kept) == held
    fact = memory.history(f"of {gone}")[0]
    assert (fact.status, fact.session_id, fact.turn_id) == ("active", None, None)
    assert memory.trace_back(fact.id) == []
    assert memory.session(child.session_id).parent_id is None  # type: ignore[union-attr]
    assert rows(memory, "select count(*) from task where session_id is null")[0][0] == 1
    assert rows(memory, "select count(*) from _zengram_instructions")[0][0] == 1
    refused(memory, NotFoundError, "no session", lambda: memory.delete_session(gone))
    restored = ZengramMemory.open_from_snapshot(memory.export_snapshot(), 2, clock=clock)
    assert counts(restored, kept) == held


def test_what_stays_names_no_session_that_is_gone(memory: ZengramMemory, clock: ManualClock) -> None:
    session, other = talk(memory, clock), talk(memory, clock)
    (turn,) = rows(memory, "select id from turn where session_id = $1", [session])[0]
    task = memory.add_task("a task", session_id=session, source_turn_id=turn)
    memory.set_task_status(task, "completed", turn_id=turn)
    memory.start_subagent(other, "reader", child_session=session)
    memory.register_agent("one", session_id=session)
    memory.register_agent("other")
    memory.send_message("one", "other", "hello", session_id=session)
    for drink in ("tea", "milk"):  # that the other replaced the one is noted as of the session
        memory.remember_with_vector("drink", drink, "/project/site", [1, 0], turn_id=turn)
    memory.delete_session(session)
    tables = rows(memory, "select table_name from information_schema.tables where table_type = 'BASE TABLE'")
    for (table,) in tables:
        for row in memory.query(f'select * from "{table}"').rows:
            if table != "_zengram_entity":  # a subject was called like it
                values = {name: value for name, value in row.items() if name != "subject"}
                assert not {session, turn} & set(map(str, values.values())), (table, row)
