"""Operations on files, what a session knows of them, and who reserved them."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from memory_support import refused, rows

from zengram_py import ZengramMemory
from zengram_py.clock import ManualClock
from zengram_py.errors import InvalidArgumentError, NotFoundError, StateError
from zengram_py.memory import FileOperation, FileReservation, WorkspaceFile


@pytest.fixture
def session(memory: ZengramMemory) -> str:
    return memory.create_session("p").session_id


def add_turn(memory: ZengramMemory, session: str) -> str:
    found = memory.session(session)
    assert found is not None
    assert found.active_branch is not None
    return memory.append_turn(session, found.active_branch, "assistant")


def known(memory: ZengramMemory, session: str, path: str = "a.py") -> WorkspaceFile:
    return next(file for file in memory.workspace_files(session) if file.file_path == path)


def test_an_operation_with_everything(memory: ZengramMemory, session: str, clock: ManualClock) -> None:
    turn = add_turn(memory, session)
    call = memory.record_tool_call(turn_id=turn, session_id=session, tool_id="edit")
    done = memory.record_file_operation(
        session,
        "a.py",
        "edit",
        tool_call_id=call,
        content_hash="h1",
        diff="-a\n+b\n",
        additions=1,
        deletions=2,
        depth="deep",
    )
    assert memory.file_operations(session_id=session) == [
        FileOperation(
            id=done,
            session_id=session,
            tool_call_id=call,
            file_path="a.py",
            operation="edit",
            content_hash="h1",
            diff="-a\n+b\n",
            additions=1,
            deletions=2,
            depth="deep",
            time_created=clock.now(),
        )
    ]
    assert memory.workspace_files(session) == [
        WorkspaceFile(
            session_id=session,
            file_path="a.py",
            understanding="deep",
            relevance=0.0,
            content_hash="h1",
            last_read_turn=None,
            last_write_turn=turn,
            edit_state="modified",
            related_test=None,
            purpose=None,
            time_updated=clock.now(),
        )
    ]


@pytest.mark.parametrize(
    ("operation", "depth", "state"),
    [
        ("read", "read", "clean"),
        ("list", "listed", "clean"),
        ("write", "read", "modified"),
        ("edit", "read", "modified"),
        ("delete", "listed", "deleted"),
        ("move", "listed", "moved"),
    ],
)
def test_what_an_operation_comes_to(
    memory: ZengramMemory, session: str, operation: str, depth: str, state: str
) -> None:
    turn = add_turn(memory, session)
    memory.record_file_operation(session, "a.py", operation, turn_id=turn)
    file = known(memory, session)
    assert (file.understanding, file.edit_state) == (depth, state)
    assert file.last_read_turn == (turn if operation == "read" else None)
    assert file.last_write_turn == (None if operation in ("read", "list") else turn)
    assert [one.depth for one in memory.file_operations()] == [depth]


def test_understanding_rises_and_falls_only_with_another_content(
    memory: ZengramMemory, session: str, clock: ManualClock
) -> None:
    def see(depth: str, content: str | None, operation: str = "read") -> tuple[str, str | None]:
        clock.advance(seconds=1)
        memory.record_file_operation(session, "a.py", operation, depth=depth, content_hash=content)
        file = known(memory, session)
        assert file.time_updated == clock.now()
        return file.understanding, file.content_hash

    assert see("listed", None, "list") == ("listed", None)
    assert see("deep", "h1") == ("deep", "h1")
    assert see("read", "h1") == ("deep", "h1")
    assert see("listed", None, "list") == ("deep", "h1")
    assert see("read", "h2", "write") == ("deep", "h2")  # it knows what it wrote
    assert see("read", "h3") == ("read", "h3")  # somebody else wrote that
    assert see("listed", "h4", "list") == ("listed", "h4")
    assert see("read", None) == ("read", "h4")


def test_edit_states(memory: ZengramMemory, session: str) -> None:
    def after(operation: str) -> str:
        memory.record_file_operation(session, "a.py", operation)
        return known(memory, session).edit_state

    assert [after(one) for one in ("read", "write", "read", "delete", "read", "move", "list", "edit")] == [
        "clean",
        "modified",
        "modified",
        "deleted",
        "clean",
        "moved",
        "clean",
        "modified",
    ]
    memory.set_workspace_file(session, "a.py", edit_state="clean")
    assert known(memory, session).edit_state == "clean"


def test_the_clock_may_step_back(memory: ZengramMemory, session: str, clock: ManualClock) -> None:
    memory.record_file_operation(session, "a.py", "read")
    before = clock.now()
    clock.advance(seconds=-5)
    memory.record_file_operation(session, "a.py", "read")
    assert known(memory, session).time_updated == before


def test_what_is_said_of_a_file(memory: ZengramMemory, session: str) -> None:
    memory.set_workspace_file(session, "a.py", relevance=0.5, purpose="starts", related_test="test_a.py")
    memory.record_file_operation(session, "b.py", "read")
    memory.record_file_operation(session, "a.py", "read", depth="deep")
    memory.set_workspace_file(session, "a.py", purpose=None)
    memory.set_workspace_file(session, "c.py")
    file = known(memory, session)
    assert (file.relevance, file.purpose, file.related_test) == (0.5, None, "test_a.py")
    assert [file.file_path for file in memory.workspace_files(session)] == ["a.py", "b.py", "c.py"]
    assert [file.file_path for file in memory.workspace_files(session, limit=1)] == ["a.py"]
    assert [f.file_path for f in memory.workspace_files(session, understanding="unknown")] == ["c.py"]
    assert memory.workspace_files(session, edit_state="deleted") == []
    assert memory.workspace_files(memory.create_session("p").session_id) == []
    memory.query("UPDATE workspace_file SET understanding = 'of old' WHERE file_path = 'c.py'")
    memory.record_file_operation(session, "c.py", "list")
    assert known(memory, session, "c.py").understanding == "listed"


def test_operations_are_found_newest_first(memory: ZengramMemory, session: str, clock: ManualClock) -> None:
    other = memory.create_session("p").session_id
    done = []
    for number in range(130):
        clock.advance(microseconds=number % 40 == 0)
        of, path, kind = (
            (session, other)[number % 3 == 0],
            "ab"[number % 2],
            ("read", "edit")[number % 5 == 0],
        )
        done.append((memory.record_file_operation(of, path, kind), of, path, kind))
    done.reverse()

    def check() -> None:
        for of in (None, session, other):
            for path in (None, "a", "b", "c"):
                for kind in (None, "read", "edit", "move"):
                    found = memory.file_operations(session_id=of, file_path=path, operation=kind, limit=1000)
                    assert [one.id for one in found] == [
                        one
                        for one, s, p, k in done
                        if of in (None, s) and path in (None, p) and kind in (None, k)
                    ]

    check()
    assert [one.id for one in memory.file_operations()] == [one for one, *_ in done[:100]]
    assert memory.file_operations(limit=0) == []
    with memory.batch():
        done.insert(0, (memory.record_file_operation(session, "a", "read"), session, "a", "read"))
        check()
    memory = ZengramMemory.open_from_snapshot(memory.export_snapshot(), 2, clock=clock)
    check()


@pytest.mark.parametrize(
    ("path", "operation", "options", "error", "match"),
    [
        (None, "read", {}, InvalidArgumentError, "file path is missing"),
        ("a", "open", {}, InvalidArgumentError, "read, write, edit, delete, list, move, not 'open'"),
        ("a", "read", {"depth": "unknown"}, InvalidArgumentError, "depth must be one of listed, read, deep"),
        ("a", "read", {"additions": -1}, InvalidArgumentError, "additions"),
        ("a", "read", {"deletions": True}, InvalidArgumentError, "deletions"),
        ("a", "read", {"content_hash": ""}, InvalidArgumentError, "content_hash"),
        ("a", "read", {"diff": 3}, InvalidArgumentError, "diff"),
        ("a", "read", {"tool_call_id": "tcl_x"}, NotFoundError, "no tool call 'tcl_x'"),
        ("a", "read", {"turn_id": "trn_x"}, NotFoundError, "no turn 'trn_x'"),
    ],
)
def test_operations_that_cannot_be(
    memory: ZengramMemory,
    session: str,
    path: Any,
    operation: str,
    options: dict[str, Any],
    error: type[Exception],
    match: str,
) -> None:
    refused(memory, error, match, lambda: memory.record_file_operation(session, path, operation, **options))


def test_calls_and_turns_of_other_sessions(memory: ZengramMemory, session: str) -> None:
    other = memory.create_session("p").session_id
    turn = add_turn(memory, other)
    call = memory.record_tool_call(turn_id=turn, session_id=other, tool_id="edit")
    for options in ({"tool_call_id": call}, {"turn_id": turn}):
        refused(
            memory,
            NotFoundError,
            f"in session '{session}'",
            lambda options=options: memory.record_file_operation(session, "a", "read", **options),
        )
    refused(memory, NotFoundError, "no session", lambda: memory.record_file_operation("ses_x", "a", "read"))
    refused(memory, NotFoundError, "no session", lambda: memory.set_workspace_file("ses_x", "a"))
    for ask in (
        lambda: memory.workspace_files("ses_x"),
        lambda: memory.file_operations(session_id="ses_x"),
    ):
        with pytest.raises(NotFoundError, match="no session 'ses_x'"):
            ask()


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"relevance": 1.5}, "relevance must be a number from 0 to 1"),
        ({"relevance": None}, "relevance"),
        ({"understanding": "well"}, "unknown, listed, read, deep, not 'well'"),
        ({"edit_state": None}, "edit_state is missing"),
        ({"purpose": " "}, "purpose must not be blank"),
        ({"content": 1}, "has no 'content' to change; there are relevance, understanding"),
    ],
)
def test_changes_that_cannot_be(
    memory: ZengramMemory, session: str, changes: dict[str, Any], match: str
) -> None:
    refused(
        memory, InvalidArgumentError, match, lambda: memory.set_workspace_file(session, "a.py", **changes)
    )


# -- reservations --------------------------------------------------------------------------------------------------------


def test_a_reservation_with_everything(memory: ZengramMemory, session: str, clock: ManualClock) -> None:
    held = memory.reserve_file(
        "a.py", "ann", session_id=session, mode="shared", seconds=1.5, reason="to fix it"
    )
    assert memory.file_reservations() == [
        FileReservation(
            id=held,
            project_id="p",  # that of the session
            session_id=session,
            agent_id="ann",
            file_path="a.py",
            mode="shared",
            reason="to fix it",
            time_created=clock.now(),
            time_expires=clock.now() + 1_500_000,
        )
    ]
    memory.release_file(held)
    assert memory.file_reservations() == []
    refused(memory, NotFoundError, f"no reservation '{held}'", lambda: memory.release_file(held))


@pytest.mark.parametrize("held", ["exclusive", "shared"])
@pytest.mark.parametrize("asked", ["exclusive", "shared"])
def test_modes_of_two_agents(memory: ZengramMemory, held: str, asked: str) -> None:
    first = memory.reserve_file("a.py", "ann", mode=held)
    if held == asked == "shared":
        memory.reserve_file("a.py", "bob", mode=asked)
        assert [one.agent_id for one in memory.file_reservations(file_path="a.py")] == ["ann", "bob"]
    else:
        message = f"file 'a.py' is held by agent 'ann', {held}, until it is released"
        refused(memory, StateError, message, lambda: memory.reserve_file("a.py", "bob", mode=asked))
        memory.release_file(first)
        memory.reserve_file("a.py", "bob", mode=asked)


def test_an_agent_renews_its_own(memory: ZengramMemory, clock: ManualClock) -> None:
    held = memory.reserve_file("a.py", "ann", mode="shared", seconds=10, reason="r")
    clock.advance(seconds=5)
    assert memory.reserve_file("a.py", "ann", seconds=10) == held
    (found,) = memory.file_reservations()
    assert (found.mode, found.reason, found.time_expires) == ("exclusive", None, clock.now() + 10_000_000)
    assert memory.reserve_file("a.py", "ann", mode="shared") == held
    memory.reserve_file("a.py", "bob", mode="shared")
    refused(memory, StateError, "held by agent 'bob', shared", lambda: memory.reserve_file("a.py", "ann"))


def test_a_reservation_lapses(memory: ZengramMemory, clock: ManualClock) -> None:
    held = memory.reserve_file("a.py", "ann", seconds=10)
    clock.advance(seconds=5.5)
    refused(memory, StateError, "exclusive, for another 5 s$", lambda: memory.reserve_file("a.py", "bob"))
    clock.advance(seconds=4.5, microseconds=-1)
    refused(memory, StateError, "for another 1 s", lambda: memory.reserve_file("a.py", "bob"))
    clock.advance(microseconds=1)
    assert memory.file_reservations() == []
    memory.reserve_file("b.py", "bob")
    assert rows(memory, "SELECT agent_id FROM file_reservation") == [("bob",)]
    refused(memory, NotFoundError, "no reservation", lambda: memory.release_file(held))


def test_projects_have_their_own_files(memory: ZengramMemory) -> None:
    memory.reserve_file("a.py", "ann")
    memory.reserve_file("a.py", "bob", project_id="/project/site")
    refused(
        memory,
        StateError,
        "held by agent 'bob'",
        lambda: memory.reserve_file("a.py", "eve", project_id="site"),
    )
    assert [one.agent_id for one in memory.file_reservations(project_id="site")] == ["bob"]
    assert [one.agent_id for one in memory.file_reservations(agent_id="ann")] == ["ann"]
    assert rows(memory, "SELECT id FROM project") == [("site",)]


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"mode": "mine"}, InvalidArgumentError, "mode must be one of exclusive, shared"),
        ({"seconds": 0}, InvalidArgumentError, "seconds"),
        ({"seconds": math.inf}, InvalidArgumentError, "seconds"),
        ({"seconds": 1e300}, InvalidArgumentError, "seconds"),
        ({"reason": ""}, InvalidArgumentError, "reason"),
        ({"project_id": ""}, InvalidArgumentError, "project id"),
        ({"session_id": "ses_x"}, NotFoundError, "no session"),
        ({"session_id": "ses_x", "project_id": "new"}, NotFoundError, "no session"),
    ],
)
def test_reservations_that_cannot_be(
    memory: ZengramMemory, options: dict[str, Any], error: type[Exception], match: str
) -> None:
    refused(memory, error, match, lambda: memory.reserve_file("a.py", "ann", **options))


class Reserving(RuleBasedStateMachine):
    """Agents that reserve, release and wait, beside a list of who may work on what."""

    agents = st.sampled_from(["ann", "bob", "eve"])
    paths = st.sampled_from(["a.py", "b.py"])

    def __init__(self) -> None:
        super().__init__()
        self.clock = ManualClock()
        self.memory = ZengramMemory.open(2, clock=self.clock)
        self.held: dict[tuple[str, str], tuple[str, str, int | None]] = {}

    @rule(
        path=paths,
        agent=agents,
        mode=st.sampled_from(["exclusive", "shared"]),
        seconds=st.sampled_from([None, 1, 3]),
    )
    def reserve(self, path: str, agent: str, mode: str, seconds: int | None) -> None:
        others = [held[1] for (p, a), held in self.held.items() if p == path and a != agent]
        if "exclusive" in others or (others and mode == "exclusive"):
            with pytest.raises(StateError, match="is held by agent"):
                self.memory.reserve_file(path, agent, mode=mode, seconds=seconds)
            return
        got = self.memory.reserve_file(path, agent, mode=mode, seconds=seconds)
        known = self.held.get((path, agent))
        assert known is None or known[0] == got
        expires = None if seconds is None else self.clock.now() + seconds * 1_000_000
        self.held[path, agent] = got, mode, expires

    @rule(path=paths, agent=agents)
    def release(self, path: str, agent: str) -> None:
        known = self.held.pop((path, agent), None)
        if known is not None:
            self.memory.release_file(known[0])

    @rule(seconds=st.integers(1, 2))
    def wait(self, seconds: int) -> None:
        self.clock.advance(seconds=seconds)
        now = self.clock.now()
        self.held = {key: one for key, one in self.held.items() if one[2] is None or one[2] > now}

    @rule()
    def restore(self) -> None:
        self.memory = ZengramMemory.open_from_snapshot(self.memory.export_snapshot(), 2, clock=self.clock)

    @invariant()
    def nothing_overlaps(self) -> None:
        found = self.memory.file_reservations()
        assert {(f.file_path, f.agent_id): (f.id, f.mode, f.time_expires) for f in found} == self.held
        for path in ("a.py", "b.py"):
            modes = [one.mode for one in found if one.file_path == path]
            assert len(modes) <= 1 or "exclusive" not in modes


TestReserving = Reserving.TestCase
TestReserving.settings = settings(max_examples=20, stateful_step_count=20, deadline=None)
