"""Sessions, their branches and ends, and the instructions that apply to them."""

from __future__ import annotations

from typing import Any

import pytest
from memory_support import refused, rows

from zengram_py import ZengramMemory
from zengram_py.clock import ManualClock
from zengram_py.errors import ClosedError, InvalidArgumentError, NotFoundError, StateError
from zengram_py.memory import NewSession, Session, SessionBranch


@pytest.fixture
def memory(clock: ManualClock) -> ZengramMemory:
    return ZengramMemory.open(4, clock=clock)


def test_a_session_begins_with_its_trunk_in_a_project(memory: ZengramMemory, clock: ManualClock) -> None:
    made = memory.create_session(
        "site", title="Fix the login", agent="coder", model_id="m1", provider_id="p1", channel_type="cli"
    )
    assert isinstance(made, NewSession)
    assert made.session_id.startswith("ses_")
    assert made.branch_id.startswith("brn_")
    now = clock.now()
    assert memory.session(made.session_id) == Session(
        id=made.session_id,
        project_id="site",
        parent_id=None,
        title="Fix the login",
        agent="coder",
        model_id="m1",
        provider_id="p1",
        channel_type="cli",
        status="active",
        active_branch=made.branch_id,
        total_tokens=0,
        total_cost_usd=0.0,
        total_turns=0,
        summary=None,
        time_created=now,
        time_updated=now,
        time_ended=None,
    )
    assert memory.session_branches(made.session_id) == [
        SessionBranch(made.branch_id, None, None, "main", "active", now)
    ]
    assert rows(memory, "SELECT id, name FROM project") == [("site", "site")]


def test_a_title_may_be_empty_and_the_project_is_made_once(memory: ZengramMemory) -> None:
    first, second = memory.create_session("site"), memory.create_session("site")
    assert first != second
    assert rows(memory, "SELECT count(*) FROM project") == [(1,)]
    found = memory.session(first.session_id)
    assert found is not None
    assert (found.title, found.agent, found.model_id) == ("", None, None)


def test_a_scope_names_its_project(memory: ZengramMemory) -> None:
    made = memory.create_session("/project/site")
    found = memory.session(made.session_id)
    assert found is not None
    assert found.project_id == "site" == memory.ensure_project("/project/site")
    assert [s.id for s in memory.sessions("/project/site")] == [made.session_id]


def test_a_session_knows_who_started_it(memory: ZengramMemory) -> None:
    parent = memory.create_session("site").session_id
    found = memory.session(memory.create_session("site", parent_id=parent).session_id)
    assert found is not None
    assert found.parent_id == parent


def test_no_session_is_none(memory: ZengramMemory) -> None:
    assert memory.session("ses_none") is None


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"project_id": None}, InvalidArgumentError, "project id is missing"),
        ({"project_id": "  "}, InvalidArgumentError, "project id must not be blank"),
        ({"project_id": 3}, InvalidArgumentError, "project id must be a string, not a int"),
        ({"title": None}, InvalidArgumentError, "title is missing"),
        ({"agent": " "}, InvalidArgumentError, "agent must not be blank"),
        ({"model_id": 1}, InvalidArgumentError, "model_id must be a string"),
        ({"provider_id": ""}, InvalidArgumentError, "provider_id must not be blank"),
        ({"channel_type": b"x"}, InvalidArgumentError, "channel_type must be a string"),
        ({"parent_id": "ses_none"}, NotFoundError, "there is no session 'ses_none'"),
        ({"parent_id": 5}, InvalidArgumentError, "session id must be a string"),
    ],
)
def test_a_session_that_cannot_be_leaves_nothing(
    memory: ZengramMemory, options: dict[str, Any], error: type[Exception], match: str
) -> None:
    refused(memory, error, match, lambda: memory.create_session(**{"project_id": "new", **options}))


def test_half_a_surrogate_pair_is_replaced(memory: ZengramMemory) -> None:
    found = memory.session(memory.create_session("p", title="cut \ud83d").session_id)
    assert found is not None
    assert found.title == "cut \ufffd"


def test_sessions_are_shown_newest_first(memory: ZengramMemory, clock: ManualClock) -> None:
    ids = [memory.create_session("ab"[i % 2]).session_id for i in range(5)]  # all at one instant
    clock.advance(seconds=1)
    ids.append(memory.create_session("a").session_id)
    memory.end_session(ids[0])
    assert [s.id for s in memory.sessions()] == ids[::-1]
    assert [s.id for s in memory.sessions("a")] == [ids[i] for i in (5, 4, 2, 0)]
    assert [s.id for s in memory.sessions("a", status="ended")] == [ids[0]]
    assert [s.id for s in memory.sessions(status="active", limit=2, offset=1)] == [ids[4], ids[3]]
    assert memory.sessions("a", limit=0) == [] == memory.sessions("nobody") == memory.sessions(offset=6)
    for options in ({"limit": -1}, {"offset": 1.5}, {"status": " "}, {"project_id": ""}):
        with pytest.raises(InvalidArgumentError):
            memory.sessions(**options)  # type: ignore[arg-type]


def test_a_fork_begins_at_a_turn_and_is_active(memory: ZengramMemory, clock: ManualClock) -> None:
    session, trunk = (made := memory.create_session("p")).session_id, made.branch_id
    turn = memory.append_turn(session, trunk, "user")
    clock.advance(seconds=1)
    fork = memory.fork_session(session, turn, name="try again")
    assert memory.session_branches(session)[1] == SessionBranch(
        fork, trunk, turn, "try again", "active", clock.now()
    )
    answer = memory.append_turn(session, fork, "assistant")
    deeper = memory.fork_session(session, answer)
    assert memory.session_branches(session)[2] == SessionBranch(
        deeper, fork, answer, None, "active", clock.now()
    )
    # A fork at a turn that a branch merely shows is a fork of the branch that holds it.
    beside = memory.fork_session(session, turn)
    assert memory.session_branches(session)[3].parent_branch == trunk
    found = memory.session(session)
    assert found is not None
    assert (found.active_branch, found.time_updated) == (beside, clock.now())


def test_a_fork_that_cannot_be(memory: ZengramMemory) -> None:
    made, other = memory.create_session("p"), memory.create_session("p")
    turn = memory.append_turn(made.session_id, made.branch_id, "user")
    refused(memory, NotFoundError, "no session", lambda: memory.fork_session("ses_none", turn))
    refused(
        memory, NotFoundError, "no turn 'trn_none'", lambda: memory.fork_session(made.session_id, "trn_none")
    )
    refused(memory, NotFoundError, "in session", lambda: memory.fork_session(other.session_id, turn))
    refused(
        memory, InvalidArgumentError, "blank", lambda: memory.fork_session(made.session_id, turn, name="")
    )
    memory.end_session(made.session_id)
    refused(
        memory,
        StateError,
        "is ended: it cannot be forked",
        lambda: memory.fork_session(made.session_id, turn),
    )


def test_a_session_ends_once(memory: ZengramMemory, clock: ManualClock) -> None:
    made = memory.create_session("p")
    clock.advance(seconds=2)
    memory.end_session(made.session_id, summary="all done")
    found = memory.session(made.session_id)
    assert found is not None
    assert (found.status, found.summary) == ("ended", "all done")
    assert found.time_ended == found.time_updated == clock.now()
    refused(
        memory,
        StateError,
        f"session '{made.session_id}' is ended: it cannot be ended again",
        lambda: memory.end_session(made.session_id),
    )
    refused(memory, NotFoundError, "no session 'ses_none'", lambda: memory.end_session("ses_none"))
    other = memory.create_session("p").session_id
    refused(memory, InvalidArgumentError, "summary", lambda: memory.end_session(other, summary=7))  # type: ignore[arg-type]
    memory.end_session(other, summary=" ")
    ended = memory.session(other)
    assert ended is not None
    assert (ended.status, ended.summary) == ("ended", None)


def test_branches_of_no_session(memory: ZengramMemory) -> None:
    with pytest.raises(NotFoundError, match="there is no session 'ses_none'"):
        memory.session_branches("ses_none")


def test_instructions_are_kept_by_owner(memory: ZengramMemory) -> None:
    made = memory.create_session("site")
    owners: list[dict[str, Any]] = [{}, {"project_id": "site"}, {"session_id": made.session_id}]
    assert [memory.system_instructions(**owner) for owner in owners] == [None] * 3
    for number, owner in enumerate(owners):
        memory.set_system_instructions(f"  text {number}\n", **owner)
    assert [memory.system_instructions(**owner) for owner in owners] == [f"  text {n}\n" for n in range(3)]
    memory.set_system_instructions("another", project_id="/project/site")
    memory.set_system_instructions(" \n ", session_id=made.session_id)
    assert [memory.system_instructions(**owner) for owner in owners] == ["  text 0\n", "another", None]
    memory.set_system_instructions("", session_id=made.session_id)  # there are none: nothing to remove
    again = ZengramMemory.open_from_snapshot(memory.export_snapshot(), 4)
    assert again.system_instructions(project_id="site") == "another"


@pytest.mark.parametrize(
    ("text", "owner", "error", "match"),
    [
        ("x", {"project_id": "none"}, NotFoundError, "there is no project 'none'"),
        ("x", {"session_id": "ses_none"}, NotFoundError, "there is no session 'ses_none'"),
        ("x", {"project_id": "site", "session_id": "y"}, InvalidArgumentError, "one of the two"),
        ("x", {"project_id": " "}, InvalidArgumentError, "blank"),
        (None, {}, InvalidArgumentError, "instructions is missing"),
        ("", {"project_id": "none"}, NotFoundError, "no project"),
    ],
)
def test_instructions_that_cannot_be_set(
    memory: ZengramMemory, text: Any, owner: dict[str, Any], error: type[Exception], match: str
) -> None:
    memory.ensure_project("site")
    refused(memory, error, match, lambda: memory.set_system_instructions(text, **owner))
    if text:
        with pytest.raises(error, match=match):
            memory.system_instructions(**owner)


def test_a_batch_holds_a_session_or_nothing(memory: ZengramMemory) -> None:
    with memory.batch():
        made = memory.create_session("p")
        turn = memory.append_turn(made.session_id, made.branch_id, "user")
        fork = memory.fork_session(made.session_id, turn)
        assert [s.id for s in memory.sessions("p")] == [made.session_id]
        assert [b.id for b in memory.session_branches(made.session_id)] == [made.branch_id, fork]
    before = memory.export_snapshot()

    def fail() -> None:
        with memory.batch():
            memory.create_session("q")
            memory.end_session(made.session_id)
            memory.append_turn(made.session_id, fork, "user")

    refused(memory, StateError, "is ended: it cannot be given a turn", fail)
    assert memory.export_snapshot() == before
    assert memory.sessions("q") == []


def test_a_closed_memory(memory: ZengramMemory) -> None:
    memory.close()
    with pytest.raises(ClosedError):
        memory.create_session("p")
    with pytest.raises(ClosedError):
        memory.sessions()
