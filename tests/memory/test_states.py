"""States of files and projects, environments and workspaces."""

from __future__ import annotations

import math
from typing import Any

import pytest
from memory_support import refused, rows

from zengram_py import ZengramMemory
from zengram_py.clock import ManualClock
from zengram_py.errors import InvalidArgumentError, NotFoundError
from zengram_py.memory import Environment, Snapshot, StateSnapshot, Workspace


@pytest.fixture
def session(memory: ZengramMemory) -> str:
    return memory.create_session("p").session_id


def test_a_snapshot_with_everything(memory: ZengramMemory, session: str, clock: ManualClock) -> None:
    found = memory.session(session)
    assert found is not None
    assert found.active_branch is not None
    turn = memory.append_turn(session, found.active_branch, "assistant")
    made = memory.record_snapshot(
        session, "9f2c", "before", turn_id=turn, additions=3, deletions=2, files_changed=1
    )
    assert memory.snapshots(session) == [
        Snapshot(made, session, turn, "9f2c", "before", 3, 2, 1, clock.now())
    ]


def test_snapshots_are_found_newest_first(memory: ZengramMemory, session: str, clock: ManualClock) -> None:
    made = []
    for number in range(120):
        clock.advance(microseconds=number % 50 == 0)
        made.append(memory.record_snapshot(session, str(number), ("before", "after")[number % 2]))
    made.reverse()
    memory.record_snapshot(memory.create_session("p").session_id, "0", "before")
    memory = ZengramMemory.open_from_snapshot(memory.export_snapshot(), 2, clock=clock)
    assert [one.id for one in memory.snapshots(session)] == made[:100]
    assert [one.id for one in memory.snapshots(session, type="after", limit=1000)] == made[::2]
    assert memory.snapshots(session, limit=0) == memory.snapshots(session, type="other") == []
    clock.advance(seconds=1)  # ids of another memory are not told apart by the same millisecond
    with memory.batch():
        last = memory.record_snapshot(session, "x", "after")
        assert [one.id for one in memory.snapshots(session, limit=2)] == [last, made[0]]


def test_a_state_with_everything(memory: ZengramMemory, clock: ManualClock) -> None:
    made = memory.add_state_snapshot(
        "memory",
        "s3://x",
        project_id="/project/site",
        version=7,
        includes=["facts"],
        path_mappings={"/a": "/b"},
        size_bytes=123,
        checksum="9f",
        status="kept",
    )
    kept = StateSnapshot(
        made, "site", "memory", 7, ["facts"], {"/a": "/b"}, "s3://x", 123, "9f", "kept", clock.now()
    )
    assert memory.state_snapshots() == [kept]
    assert rows(memory, "SELECT id FROM project") == [("site",)]


def test_versions_are_counted_by_project_and_type(memory: ZengramMemory) -> None:
    for project, type, version in (
        (None, "a", None),
        ("p", "a", None),
        ("p", "a", None),
        ("p", "b", None),
        ("p", "a", 9),
        ("p", "a", None),
        (None, "a", None),
    ):
        memory.add_state_snapshot(type, "here", project_id=project, version=version)
    found = [(one.project_id, one.type, one.version) for one in reversed(memory.state_snapshots())]
    assert found == [
        (None, "a", 1),
        ("p", "a", 1),
        ("p", "a", 2),
        ("p", "b", 1),
        ("p", "a", 9),
        ("p", "a", 10),
        (None, "a", 2),
    ]
    assert [one.version for one in memory.state_snapshots(project_id="p", type="a", limit=2)] == [10, 9]
    assert memory.state_snapshots(status="gone") == []


def test_an_environment_with_everything(memory: ZengramMemory, session: str, clock: ManualClock) -> None:
    made = memory.add_environment(
        "container",
        status="starting",
        session_id=session,
        snapshot_ref="sts_1",
        setup_script="make",
        working_dir="/srv",
        resource_budget={"cpu": 2},
        resource_used={"cpu": 0.5},
    )
    begun = clock.now()
    kept = {
        "id": made,
        "session_id": session,
        "project_id": "p",
        "type": "container",
        "snapshot_ref": "sts_1",
        "setup_script": "make",
        "working_dir": "/srv",
        "resource_budget": {"cpu": 2},
        "time_created": begun,
    }
    assert memory.environments() == [
        Environment(**kept, status="starting", resource_used={"cpu": 0.5}, time_updated=begun)
    ]
    clock.advance(seconds=1)
    memory.update_environment(made, status="ready", resource_used=None)
    assert memory.environments(session_id=session, status="ready") == [
        Environment(**kept, status="ready", resource_used=None, time_updated=clock.now())
    ]
    other = memory.add_environment("container", project_id="other")
    assert [one.id for one in memory.environments()] == [other, made]
    assert [one.id for one in memory.environments(project_id="p")] == [made]
    assert memory.environments(limit=0) == memory.environments(status="starting") == []


def test_a_workspace_with_everything(memory: ZengramMemory, clock: ManualClock) -> None:
    made = memory.add_workspace(
        "/project/site", "worktree", branch="fix", name="Fix", directory="/tmp/fix", extra=[1]
    )
    now = clock.now()
    assert memory.workspaces() == [
        Workspace(made, "site", "worktree", "fix", "Fix", "/tmp/fix", [1], now, now)
    ]
    assert memory.workspaces(project_id="site", limit=1) == memory.workspaces()
    assert memory.workspaces(project_id="other") == []


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda m, s: m.record_snapshot("ses_x", "h", "t"), NotFoundError, "no session 'ses_x'"),
        (lambda m, s: m.record_snapshot(s, "h", "t", turn_id="trn_x"), NotFoundError, "no turn 'trn_x'"),
        (lambda m, s: m.record_snapshot(s, None, "t"), InvalidArgumentError, "tree hash is missing"),
        (lambda m, s: m.record_snapshot(s, "h", ""), InvalidArgumentError, "type must not be blank"),
        (lambda m, s: m.record_snapshot(s, "h", "t", additions=-1), InvalidArgumentError, "additions"),
        (lambda m, s: m.snapshots("ses_x"), NotFoundError, "no session 'ses_x'"),
        (lambda m, s: m.add_state_snapshot("t", None), InvalidArgumentError, "location is missing"),
        (lambda m, s: m.add_state_snapshot("t", "l", version=-1), InvalidArgumentError, "version"),
        (lambda m, s: m.add_state_snapshot("t", "l", size_bytes=0.5), InvalidArgumentError, "size_bytes"),
        (
            lambda m, s: m.add_state_snapshot("t", "l", includes={1}),
            InvalidArgumentError,
            "includes is a set",
        ),
        (lambda m, s: m.state_snapshots(limit=-1), InvalidArgumentError, "limit"),
        (lambda m, s: m.add_environment(""), InvalidArgumentError, "type must not be blank"),
        (lambda m, s: m.add_environment("t", status=None), InvalidArgumentError, "status is missing"),
        (lambda m, s: m.add_environment("t", session_id="ses_x"), NotFoundError, "no session 'ses_x'"),
        (
            lambda m, s: m.add_environment("t", project_id="new", session_id="ses_x"),
            NotFoundError,
            "no session 'ses_x'",
        ),
        (lambda m, s: m.environments(session_id="ses_x"), NotFoundError, "no session 'ses_x'"),
        (lambda m, s: m.update_environment("env_x", status="s"), NotFoundError, "no environment 'env_x'"),
        (lambda m, s: m.update_environment("env_x", type="s"), InvalidArgumentError, "has no 'type'"),
        (lambda m, s: m.add_workspace("", "t"), InvalidArgumentError, "project id must not be blank"),
        (lambda m, s: m.add_workspace("p", "t", extra=math.nan), InvalidArgumentError, "extra is nan"),
    ],
)
def test_calls_that_cannot_be(
    memory: ZengramMemory, session: str, call: Any, error: type[Exception], match: str
) -> None:
    refused(memory, error, match, lambda: call(memory, session))
