"""The log of events."""

from __future__ import annotations

import math
from typing import Any

import pytest
from memory_support import refused, rows

from zengram_py import ZengramMemory
from zengram_py.clock import ManualClock
from zengram_py.errors import InvalidArgumentError, NotFoundError
from zengram_py.memory import Event


def test_an_event_with_everything(memory: ZengramMemory, clock: ManualClock) -> None:
    made = memory.create_session("p")
    first = memory.log_event("deploy")
    clock.advance(seconds=2)
    second = memory.log_event(
        "test_failed",
        {"name": "größe \ud800", "runs": (1, 2.5, None)},
        session_id=made.session_id,
        branch_id=made.branch_id,
        parent_lsn=first,
        agent_id="ann",
        severity="error",
    )
    assert second > first
    kept = Event(
        lsn=second,
        event_type="test_failed",
        data={"name": "größe \ufffd", "runs": [1, 2.5, None]},
        session_id=made.session_id,
        branch_id=made.branch_id,
        parent_lsn=first,
        agent_id="ann",
        severity="error",
        time_created=clock.now(),
    )
    assert memory.events() == [
        Event(first, "deploy", None, None, None, None, None, "info", clock.now() - 2_000_000),
        kept,
    ]
    assert memory.events(after_lsn=first) == [kept]
    stored = '{"name":"größe \ufffd","runs":[1,2.5,null]}'.encode()
    assert rows(memory, "SELECT event_data FROM event_log ORDER BY lsn") == [(None,), (stored,)]


def test_the_session_of_a_branch(memory: ZengramMemory) -> None:
    made = memory.create_session("p")
    memory.log_event("seen", branch_id=made.branch_id)
    assert [event.branch_id for event in memory.events(session_id=made.session_id)] == [made.branch_id]


@pytest.mark.parametrize("data", [0, False, "", [], {}, "a\0b", 2**70, [[{"a": [None]}]]])
def test_any_json_comes_back(memory: ZengramMemory, data: Any) -> None:
    memory.log_event("seen", data)
    found = memory.events()[0].data
    assert (found, type(found)) == (data, type(data))


def test_events_are_found_in_order(memory: ZengramMemory, clock: ManualClock) -> None:
    sessions = [memory.create_session("p").session_id for _ in range(2)]
    told = []
    for number in range(150):
        clock.advance(seconds=-1)  # the order is that of the numbers
        options: dict[str, Any] = {"session_id": sessions[number % 2]} if number % 3 else {}
        severity = "warning" if number % 5 == 0 else "info"
        lsn = memory.log_event("ab"[number % 7 == 0], number, severity=severity, **options)
        told.append((lsn, options.get("session_id"), "ab"[number % 7 == 0], severity))

    def expected(after: int | None, session: str | None, kind: str | None, severity: str | None) -> list[int]:
        return [
            lsn
            for lsn, of, type_, level in told
            if (after is None or lsn > after)
            and session in (None, of)
            and kind in (None, type_)
            and severity in (None, level)
        ]

    def check() -> None:
        for after in (None, told[40][0], told[-1][0]):
            for session in (None, *sessions):
                for kind in (None, "a", "b", "c"):
                    for level in (None, "warning", "error"):
                        found = memory.events(
                            session_id=session, event_type=kind, after_lsn=after, severity=level, limit=1000
                        )
                        assert [e.lsn for e in found] == expected(after, session, kind, level)

    check()
    assert [event.data for event in memory.events()] == list(range(100))
    assert [event.data for event in memory.events(limit=2, after_lsn=told[10][0])] == [11, 12]
    assert memory.events(limit=0) == []
    with memory.batch():
        told.append((memory.log_event("a", session_id=sessions[0]), sessions[0], "a", "info"))
        check()
    memory = ZengramMemory.open_from_snapshot(memory.export_snapshot(), 2, clock=clock)
    check()
    assert memory.log_event("a") > told[-1][0]


def test_numbers_of_a_batch_that_failed_are_not_drawn_again(memory: ZengramMemory) -> None:
    first = memory.log_event("a")
    lost = []

    def fail() -> None:
        with memory.batch():
            lost.append(memory.log_event("b"))
            memory.log_event(" ")

    with pytest.raises(InvalidArgumentError):
        fail()
    assert memory.log_event("c") > lost[0] > first
    assert [event.event_type for event in memory.events()] == ["a", "c"]


def test_bytes_that_somebody_else_wrote(memory: ZengramMemory) -> None:
    memory.log_event("a", [1])
    memory.query("UPDATE event_log SET event_data = '\\xff00'::bytea")
    assert memory.events()[0].data is None


@pytest.mark.parametrize(
    ("kind", "data", "options", "error", "match"),
    [
        (None, None, {}, InvalidArgumentError, "event type is missing"),
        (" ", None, {}, InvalidArgumentError, "event type must not be blank"),
        ("a", {"b": {1}}, {}, InvalidArgumentError, r"data\['b'\] is a set"),
        ("a", [math.nan], {}, InvalidArgumentError, r"data\[0\] is nan"),
        ("a", None, {"session_id": "ses_x"}, NotFoundError, "no session 'ses_x'"),
        ("a", None, {"branch_id": "brn_x"}, NotFoundError, "no branch 'brn_x'"),
        ("a", None, {"parent_lsn": 7}, NotFoundError, "no event 7"),
        ("a", None, {"parent_lsn": "7"}, InvalidArgumentError, "parent_lsn must be a whole number"),
        ("a", None, {"agent_id": ""}, InvalidArgumentError, "agent_id must not be blank"),
        (
            "a",
            None,
            {"severity": "bad"},
            InvalidArgumentError,
            "debug, info, warning, error, critical, not 'bad'",
        ),
        ("a", None, {"severity": None}, InvalidArgumentError, "severity is missing"),
    ],
)
def test_events_that_cannot_be(
    memory: ZengramMemory, kind: Any, data: Any, options: dict[str, Any], error: type[Exception], match: str
) -> None:
    refused(memory, error, match, lambda: memory.log_event(kind, data, **options))


def test_a_branch_of_another_session(memory: ZengramMemory) -> None:
    one, other = memory.create_session("p"), memory.create_session("p")
    where = {"session_id": one.session_id, "branch_id": other.branch_id}
    refused(memory, NotFoundError, "no branch .* in session", lambda: memory.log_event("a", **where))


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"session_id": "ses_x"}, NotFoundError),
        ({"event_type": ""}, InvalidArgumentError),
        ({"severity": "bad"}, InvalidArgumentError),
        ({"after_lsn": -1}, InvalidArgumentError),
        ({"limit": 1.5}, InvalidArgumentError),
    ],
)
def test_questions_that_cannot_be(
    memory: ZengramMemory, options: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        memory.events(**options)
