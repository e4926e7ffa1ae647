"""Tasks: their states, what they depend on, and which can be done."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_support import refused, rows

from zengram_py import ZengramMemory
from zengram_py.clock import ManualClock
from zengram_py.errors import InvalidArgumentError, NotFoundError, StateError
from zengram_py.memory import Task, TaskDependency, TaskFile

STATUSES = ("pending", "in_progress", "blocked", "completed", "cancelled")
ALLOWED = {
    *(("pending", after) for after in ("in_progress", "completed", "cancelled", "blocked")),
    *(("in_progress", after) for after in ("completed", "cancelled", "blocked", "pending")),
    *(("blocked", after) for after in ("pending", "in_progress", "cancelled")),
    ("completed", "pending"),
    ("cancelled", "pending"),
}


def task_of(memory: ZengramMemory, task: str) -> Task:
    found = memory.task(task)
    assert found is not None
    return found


def titles(found: list[Task]) -> list[str]:
    return [task.title for task in found]


def test_a_task_from_the_wish_to_the_end(memory: ZengramMemory, clock: ManualClock) -> None:
    made = memory.create_session("p")
    turn = memory.append_turn(made.session_id, made.branch_id, "user")
    epic = memory.add_task("epic", project_id="/project/p")
    first = memory.add_task("first")
    task = memory.add_task(
        "dark mode",
        session_id=made.session_id,
        parent_task_id=epic,
        description="for everybody",
        priority="high",
        assigned_agent="coder",
        assigned_branch=made.branch_id,
        acceptance="it is dark",
        verification="look",
        source_turn_id=turn,
        estimated_turns=3,
        depends_on=[first, first],
        files=["b.css", {"path": "a.css", "role": "test"}, {"path": "c.css"}],
    )
    created = clock.now()
    expected = Task(
        id=task,
        session_id=made.session_id,
        project_id="p",
        parent_task_id=epic,
        title="dark mode",
        description="for everybody",
        priority="high",
        status="pending",
        assigned_agent="coder",
        assigned_branch=made.branch_id,
        acceptance="it is dark",
        verification="look",
        source_turn_id=turn,
        completion_turn=None,
        estimated_turns=3,
        actual_turns=None,
        depends_on=(TaskDependency(first, "blocks"),),
        files=(TaskFile("a.css", "test"), TaskFile("b.css", "target"), TaskFile("c.css", "target")),
        time_created=created,
        time_started=None,
        time_completed=None,
    )
    assert task_of(memory, task) == expected
    memory.set_task_status(first, "completed")
    clock.advance(seconds=1)
    memory.set_task_status(task, "in_progress", turn_id=turn)
    started = clock.now()
    for _ in range(3):
        clock.advance(seconds=1)
        last = memory.append_turn(made.session_id, made.branch_id, "assistant")
    memory.set_task_status(task, "completed", turn_id=last)
    found = task_of(memory, task)
    assert (found.status, found.time_started, found.time_completed) == ("completed", started, clock.now())
    assert (found.completion_turn, found.actual_turns) == (last, 3)
    memory.set_task_status(task, "pending")
    found = task_of(memory, task)
    assert (found.time_completed, found.completion_turn, found.actual_turns) == (None, None, None)
    clock.advance(seconds=1)
    memory.set_task_status(task, "in_progress")
    assert task_of(memory, task).time_started == started
    assert memory.task("tsk_none") is None


def test_turns_are_counted_only_where_they_are_known(memory: ZengramMemory) -> None:
    session = memory.create_session("p").session_id
    never_started = memory.add_task("a", session_id=session)
    nowhere = memory.add_task("b")
    memory.set_task_status(nowhere, "in_progress")
    for task in (never_started, nowhere):
        memory.set_task_status(task, "completed")
        assert task_of(memory, task).actual_turns is None


def test_a_clock_that_steps_back(memory: ZengramMemory, clock: ManualClock) -> None:
    task = memory.add_task("a")
    clock.advance(seconds=-5)
    memory.set_task_status(task, "in_progress")
    memory.set_task_status(task, "completed")
    found = task_of(memory, task)
    assert found.time_created == found.time_started == found.time_completed


@pytest.mark.parametrize("before", STATUSES)
@pytest.mark.parametrize("after", STATUSES)
def test_every_pair_of_states(memory: ZengramMemory, before: str, after: str) -> None:
    task = memory.add_task("a")
    if before != "pending":
        memory.set_task_status(task, before)
    if (before, after) in ALLOWED:
        memory.set_task_status(task, after)
        assert task_of(memory, task).status == after
    else:
        message = f"task '{task}' is {before}; it cannot become {after}"
        refused(memory, StateError, message, lambda: memory.set_task_status(task, after))


@pytest.mark.parametrize("status", ["in_progress", "completed"])
def test_a_task_waits_for_what_it_needs(memory: ZengramMemory, status: str) -> None:
    needed, related = memory.add_task("needed"), memory.add_task("related")
    task = memory.add_task("task", depends_on=needed)
    memory.add_task_dependency(task, related, type="relates")
    for other in ("pending", "in_progress", "cancelled"):
        if other != "pending":
            memory.set_task_status(needed, other)
        message = f"task '{task}' cannot become {status}: it needs task '{needed}', which is {other}"
        refused(memory, StateError, message, lambda: memory.set_task_status(task, status))
        assert titles(memory.ready_tasks()) == ["needed"] * (other == "pending") + ["related"]
    memory.set_task_status(task, "blocked")
    memory.set_task_status(task, "pending")
    memory.set_task_status(needed, "pending")
    memory.set_task_status(needed, "completed")
    assert titles(memory.ready_tasks()) == ["related", "task"]
    memory.set_task_status(task, status)


def test_a_dependency_that_is_taken_away_or_changed(memory: ZengramMemory) -> None:
    a, b = memory.add_task("a"), memory.add_task("b")
    memory.add_task_dependency(b, a)
    memory.add_task_dependency(b, a)
    assert task_of(memory, b).depends_on == (TaskDependency(a, "blocks"),)
    memory.add_task_dependency(b, a, type="relates")
    assert task_of(memory, b).depends_on == (TaskDependency(a, "relates"),)
    memory.add_task_dependency(a, b)  # no ring: the other one only relates
    message = f"block each other: {b} -> {a} -> {b}"
    refused(memory, InvalidArgumentError, message, lambda: memory.add_task_dependency(b, a))
    memory.remove_task_dependency(a, b)
    memory.add_task_dependency(b, a)
    message = f"task '{a}' does not depend on '{b}'"
    refused(memory, NotFoundError, message, lambda: memory.remove_task_dependency(a, b))
    memory.query("DELETE FROM task WHERE id = $1", [a])
    memory.set_task_status(b, "in_progress")  # what is not there blocks nothing
    memory.remove_task_dependency(b, a)
    assert task_of(memory, b).depends_on == ()


def test_a_ring_is_named(memory: ZengramMemory) -> None:
    a = memory.add_task("a")
    b = memory.add_task("b", depends_on=a)
    c = memory.add_task("c", depends_on=[b])
    message = f"tasks would block each other: {a} -> {c} -> {b} -> {a}"
    refused(memory, InvalidArgumentError, message, lambda: memory.add_task_dependency(a, c))
    message = f"task '{a}' cannot depend on itself"
    refused(memory, InvalidArgumentError, message, lambda: memory.add_task_dependency(a, a, type="relates"))


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.booleans()), max_size=25))
@settings(max_examples=25, deadline=None)
def test_no_ring_can_be_made(links: list[tuple[int, int, bool]]) -> None:
    memory = ZengramMemory.open(2)
    tasks = [memory.add_task(str(number)) for number in range(6)]
    blocks: set[tuple[int, int]] = set()

    def needs(task: int, other: int) -> bool:
        return task == other or any(needs(third, other) for one, third in blocks if one == task)

    for task, other, blocking in links:
        is_ring = needs(other, task) if blocking else task == other
        try:
            memory.add_task_dependency(tasks[task], tasks[other], type="blocks" if blocking else "relates")
            assert not is_ring
            (blocks.add if blocking else blocks.discard)((task, other))
        except InvalidArgumentError as error:
            assert is_ring
            ring = str(error).rpartition(": ")[2].split(" -> ") if task != other else []
            steps = [(tasks.index(one), tasks.index(two)) for one, two in pairwise(ring)]
            assert not steps or steps[0] == (task, other)
            assert set(steps[1:]) <= blocks
    for _ in range(6):  # so that all can be done, one after the other
        for ready in memory.ready_tasks():
            memory.set_task_status(ready.id, "completed")
    assert memory.tasks(status="completed") == memory.tasks()


def test_what_a_task_says_is_changed(memory: ZengramMemory) -> None:
    session = memory.create_session("p")
    task = memory.add_task("a", description="long", estimated_turns=2)
    memory.update_task(task)
    memory.update_task(
        task, title="b", priority="low", assigned_agent="coder", assigned_branch=session.branch_id
    )
    memory.update_task(task, description=None, estimated_turns=None, acceptance="yes", verification="look")
    found = task_of(memory, task)
    assert (found.title, found.priority, found.description) == ("b", "low", None)
    assert (found.assigned_agent, found.assigned_branch) == ("coder", session.branch_id)
    assert (found.acceptance, found.verification, found.estimated_turns) == ("yes", "look", None)
    memory.update_task(task, assigned_branch=None)
    assert task_of(memory, task).assigned_branch is None


@pytest.mark.parametrize(
    ("changes", "error", "match"),
    [
        ({"title": None}, InvalidArgumentError, "title is missing"),
        ({"title": " "}, InvalidArgumentError, "title must not be blank"),
        ({"priority": None}, InvalidArgumentError, "priority is missing"),
        ({"priority": "urgent"}, InvalidArgumentError, "critical, high, medium, low, not 'urgent'"),
        ({"estimated_turns": -1}, InvalidArgumentError, "estimated_turns"),
        ({"description": 5}, InvalidArgumentError, "description must be a string"),
        ({"assigned_branch": "brn_x"}, NotFoundError, "no branch 'brn_x'"),
        ({"status": "completed"}, InvalidArgumentError, "a task has no 'status' to change"),
    ],
)
def test_changes_that_cannot_be(
    memory: ZengramMemory, changes: dict[str, Any], error: type[Exception], match: str
) -> None:
    task = memory.add_task("a")
    refused(memory, error, match, lambda: memory.update_task(task, acceptance="x", **changes))
    if "status" not in changes:
        refused(memory, error, match, lambda: memory.add_task(**{"title": "b", **changes}))


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"session_id": "ses_x"}, NotFoundError, "no session 'ses_x'"),
        ({"project_id": "q"}, NotFoundError, "no project 'q'"),
        ({"parent_task_id": "tsk_x"}, NotFoundError, "no task 'tsk_x'"),
        ({"source_turn_id": "trn_x"}, NotFoundError, "no turn 'trn_x'"),
        ({"depends_on": ["tsk_x"]}, NotFoundError, "no task 'tsk_x'"),
        ({"depends_on": 5}, InvalidArgumentError, "depends_on must be a list"),
        ({"files": 5}, InvalidArgumentError, "files must be a list"),
        ({"files": [5]}, InvalidArgumentError, "path of each of files must be a string"),
        ({"files": [{"role": "a"}]}, InvalidArgumentError, "path of each of files is missing"),
        ({"files": [{"path": "a", "rolle": "b"}]}, InvalidArgumentError, "no 'rolle'"),
        ({"files": [{"path": "a", "role": ""}]}, InvalidArgumentError, "role of each of files"),
    ],
)
def test_tasks_that_cannot_be(
    memory: ZengramMemory, options: dict[str, Any], error: type[Exception], match: str
) -> None:
    refused(memory, error, match, lambda: memory.add_task("a", **options))


def test_a_task_of_a_session_of_another_project(memory: ZengramMemory) -> None:
    made, other = memory.create_session("p"), memory.create_session("q")
    turn = memory.append_turn(other.session_id, other.branch_id, "user")
    session = made.session_id
    message = f"no session '{session}' in project 'q'"
    refused(memory, NotFoundError, message, lambda: memory.add_task("a", session_id=session, project_id="q"))
    message = f"no turn '{turn}' in session"
    refused(
        memory, NotFoundError, message, lambda: memory.add_task("a", session_id=session, source_turn_id=turn)
    )
    assert task_of(memory, memory.add_task("a", source_turn_id=turn)).source_turn_id == turn


def test_calls_for_what_is_not_there(memory: ZengramMemory) -> None:
    task = memory.add_task("a")
    for call in (
        lambda: memory.update_task("tsk_x", title="b"),
        lambda: memory.set_task_status("tsk_x", "completed"),
        lambda: memory.add_task_dependency(task, "tsk_x"),
        lambda: memory.add_task_dependency("tsk_x", task),
        lambda: memory.remove_task_dependency("tsk_x", task),
        lambda: memory.add_task_file("tsk_x", "a.py"),
        lambda: memory.remove_task_file("tsk_x", "a.py"),
    ):
        refused(memory, NotFoundError, "no task 'tsk_x'", call)
    refused(memory, NotFoundError, "not about file 'a.py'", lambda: memory.remove_task_file(task, "a.py"))
    refused(
        memory,
        NotFoundError,
        "no turn 'trn_x'",
        lambda: memory.set_task_status(task, "completed", turn_id="trn_x"),
    )
    refused(
        memory, InvalidArgumentError, "cancelled, not 'done'", lambda: memory.set_task_status(task, "done")
    )
    refused(
        memory,
        InvalidArgumentError,
        "relates, not 'x'",
        lambda: memory.add_task_dependency(task, task, type="x"),
    )


def test_files_of_a_task(memory: ZengramMemory) -> None:
    task = memory.add_task("a", files="a.py")
    memory.add_task_file(task, "b.py", role="test")
    memory.add_task_file(task, "a.py", role="source")
    assert task_of(memory, task).files == (TaskFile("a.py", "source"), TaskFile("b.py", "test"))
    memory.remove_task_file(task, "a.py")
    assert task_of(memory, task).files == (TaskFile("b.py", "test"),)


def test_tasks_are_found_most_urgent_first(memory: ZengramMemory, clock: ManualClock) -> None:
    sessions = [memory.create_session(project).session_id for project in ("p", "p", "q")]
    ranks = ["critical", "high", "medium", "low"]
    parent = memory.add_task("parent", priority="low")
    kept: list[tuple[int, int, dict[str, Any]]] = []
    choose = random.Random(4)
    for number in range(80):
        clock.advance(microseconds=choose.randrange(2))
        session = choose.choice([*sessions, None])
        task = {
            "session_id": session,
            "priority": choose.choice(ranks),
            "assigned_agent": choose.choice(["a", "b", None]),
        }
        memory.add_task(str(number), parent_task_id=parent if number % 7 == 0 else None, **task)
        status = choose.choice(STATUSES)
        added = next(one for one in memory.tasks(limit=1000) if one.title == str(number))
        if status != "pending":
            memory.set_task_status(added.id, status)
        project = None if session is None else "q" if session == sessions[2] else "p"
        kept.append(
            (
                ranks.index(task["priority"]),
                number,
                {**task, "project_id": project, "status": status, "child": number % 7 == 0},
            )
        )

    def expect(**wanted: Any) -> list[str]:
        return [
            str(number)
            for _, number, one in sorted(kept, key=lambda k: k[:2])
            if wanted.items() <= one.items()
        ]

    def find(**wanted: Any) -> list[str]:
        return [title for title in titles(memory.tasks(limit=1000, **wanted)) if title != "parent"]

    for wanted in (
        {},
        {"session_id": sessions[0]},
        {"project_id": "p"},
        {"status": "blocked"},
        {"project_id": "q", "status": "completed"},
        {"session_id": sessions[1], "status": "pending", "assigned_agent": "a"},
        {"assigned_agent": "b"},
    ):
        assert find(**wanted) == expect(**wanted)
    assert find(parent_task_id=parent) == expect(child=True)
    assert titles(memory.tasks(limit=4, offset=2)) == expect()[2:6]
    assert titles(memory.ready_tasks(project_id="p", limit=3)) == expect(project_id="p", status="pending")[:3]
    assert memory.tasks(limit=0) == memory.ready_tasks(limit=0) == []
    with memory.batch():
        memory.add_task("now", priority="critical", session_id=sessions[0])
        assert "now" in find(session_id=sessions[0], status="pending")
        assert "now" in find()
        assert "now" in titles(memory.ready_tasks(session_id=sessions[0]))


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"session_id": "ses_x"}, NotFoundError, "no session 'ses_x'"),
        ({"project_id": "q"}, NotFoundError, "no project 'q'"),
        ({"parent_task_id": "tsk_x"}, NotFoundError, "no task 'tsk_x'"),
        ({"status": "done"}, InvalidArgumentError, "status must be one of pending"),
        ({"limit": -1}, InvalidArgumentError, "limit"),
        ({"offset": 1.5}, InvalidArgumentError, "offset"),
        ({"assigned_agent": ""}, InvalidArgumentError, "assigned_agent must not be blank"),
    ],
)
def test_questions_that_cannot_be(
    memory: ZengramMemory, options: dict[str, Any], error: type[Exception], match: str
) -> None:
    with pytest.raises(error, match=match):
        memory.tasks(**options)


def test_a_batch_is_stored_whole_or_not(memory: ZengramMemory) -> None:
    with memory.batch():
        a = memory.add_task("a")
        b = memory.add_task("b", depends_on=a)
        memory.set_task_status(a, "completed")
        memory.set_task_status(b, "in_progress")
    assert titles(memory.tasks(status="in_progress")) == ["b"]

    def fails() -> None:
        with memory.batch():
            memory.add_task("c", depends_on=b, files="x")
            memory.add_task_dependency(a, b)

    refused(memory, InvalidArgumentError, "block each other", fails)


def test_tasks_in_a_snapshot_and_in_the_graph(memory: ZengramMemory) -> None:
    a = memory.add_task("a", files="x")
    b = memory.add_task("b", depends_on=a)
    copy = ZengramMemory.open_from_snapshot(memory.export_snapshot(), 2, clock=ManualClock())
    assert copy.tasks() == memory.tasks()
    refused(copy, StateError, "needs task", lambda: copy.set_task_status(b, "completed"))
    graph = """
        SELECT * FROM graph_table (agent_graph
          MATCH (x IS Task)-[d IS DEPENDS_ON]->(y IS Task)
          COLUMNS (x.title AS x, d.type AS d, y.title AS y))"""
    assert rows(copy, graph) == [("b", "blocks", "a")]


def test_what_somebody_made_up(memory: ZengramMemory) -> None:
    task = memory.add_task("a")
    memory.add_task("b", priority="low")
    memory.query("UPDATE task SET priority = 'odd', status = 'lost' WHERE id = $1", [task])
    assert titles(memory.tasks()) == ["b", "a"]
    refused(
        memory,
        StateError,
        "is lost; it cannot become pending",
        lambda: memory.set_task_status(task, "pending"),
    )
