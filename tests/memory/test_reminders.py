"""Reminders: their states, and when they are due."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memory_support import refused

from zengram_py import ZengramMemory
from zengram_py.clock import MICROSECONDS_PER_DAY, ManualClock
from zengram_py.errors import InvalidArgumentError, NotFoundError, StateError
from zengram_py.memory import Reminder
from zengram_py.memory.schedules import next_on_grid

DAY = MICROSECONDS_PER_DAY
STATUSES = ("pending", "done", "cancelled")


def contents(found: list[Reminder]) -> list[str]:
    return [reminder.content for reminder in found]


def become(memory: ZengramMemory, reminder: str, status: str) -> None:
    if status == "done":
        memory.complete_reminder(reminder)
    elif status == "cancelled":
        memory.cancel_reminder(reminder)


def test_a_reminder_as_it_is_kept(memory: ZengramMemory, clock: ManualClock) -> None:
    session = memory.create_session("p").session_id
    fact = memory.remember_with_vector("a", "b", "/", [1, 0])
    task = memory.add_task("a")
    reminder = memory.add_reminder(
        "look", "2030-01-01", session_id=session, knowledge_id=fact, task_id=task, repeat_days=0.5
    )
    expected = Reminder(
        id=reminder,
        project_id="p",
        session_id=session,
        knowledge_id=fact,
        task_id=task,
        content="look",
        status="pending",
        time_due=1_893_456_000_000_000,
        repeat_days=0.5,
        time_created=clock.now(),
        time_done=None,
    )
    assert memory.reminders() == [expected]
    assert memory.reminder(reminder) == expected
    assert memory.reminder("rem_x") is None
    memory.purge(fact)
    assert memory.reminders()[0].knowledge_id is None


def test_a_reminder_is_due_from_its_time_on(memory: ZengramMemory, clock: ManualClock) -> None:
    due = clock.now() + 1
    reminder = memory.add_reminder("a", due)
    assert memory.due_reminders() == []
    assert contents(memory.due_reminders(due)) == ["a"]
    clock.advance(microseconds=1)
    assert contents(memory.due_reminders()) == ["a"]
    memory.complete_reminder(reminder)
    assert memory.due_reminders() == []
    (found,) = memory.reminders(status="done")
    assert (found.time_done, found.time_due) == (clock.now(), due)


def test_one_that_repeats_is_due_at_the_next_of_its_times(memory: ZengramMemory, clock: ManualClock) -> None:
    due = clock.now()
    reminder = memory.add_reminder("a", due, repeat_days=2)
    for passed, following in [(0, 2), (2, 4), (0, 6), (5, 8), (1, 10), (8, 18)]:  # in days since the first
        clock.advance(days=passed)
        memory.complete_reminder(reminder)
        (found,) = memory.reminders(status="pending")
        assert found.time_due == due + following * DAY
        assert found.time_due > clock.now()
        assert found.time_done == clock.now()
    memory.cancel_reminder(reminder)
    assert contents(memory.reminders(status="cancelled")) == ["a"]


@given(st.integers(-50, 50), st.integers(1, 9), st.integers(-50, 50))
def test_the_next_time_is_on_the_grid_and_not_missed(planned: int, every: int, now: int) -> None:
    found = next_on_grid(planned, every, now)
    assert found is not None
    expected = planned + every
    while expected <= now:
        expected += every
    assert found == expected


def test_times_end(memory: ZengramMemory) -> None:
    reminder = memory.add_reminder("a", 2**63 - 5, repeat_days=1)
    memory.complete_reminder(reminder)
    assert contents(memory.reminders(status="done")) == ["a"]


@pytest.mark.parametrize("before", STATUSES)
@pytest.mark.parametrize("after", STATUSES[1:])
@pytest.mark.parametrize("repeat", [None, 1])
def test_every_pair_of_states(memory: ZengramMemory, before: str, after: str, repeat: Any) -> None:
    reminder = memory.add_reminder("a", 0, repeat_days=repeat)
    become(memory, reminder, before)
    if before == "pending" or (before == "done" and repeat):
        become(memory, reminder, after)
        assert memory.reminders()[0].status == ("pending" if repeat and after == "done" else after)
    else:
        message = f"reminder '{reminder}' is {before}; it cannot become {after}"
        refused(memory, StateError, message, lambda: become(memory, reminder, after))


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"content": " "}, InvalidArgumentError, "content must not be blank"),
        ({"due": None}, InvalidArgumentError, "due must be"),
        ({"due": "tomorrow"}, InvalidArgumentError, "due is no ISO 8601"),
        ({"project_id": "q"}, NotFoundError, "no project 'q'"),
        ({"session_id": "ses_x"}, NotFoundError, "no session 'ses_x'"),
        ({"knowledge_id": "knw_x"}, NotFoundError, "no fact 'knw_x'"),
        ({"task_id": "tsk_x"}, NotFoundError, "no task 'tsk_x'"),
        ({"repeat_days": 0}, InvalidArgumentError, "repeat_days"),
        ({"repeat_days": math.inf}, InvalidArgumentError, "repeat_days"),
        ({"repeat_days": 40_000}, InvalidArgumentError, "repeat_days"),
        ({"repeat_days": True}, InvalidArgumentError, "repeat_days"),
    ],
)
def test_reminders_that_cannot_be(
    memory: ZengramMemory, options: dict[str, Any], error: type[Exception], match: str
) -> None:
    given = {"content": "a", "due": 0, **options}
    refused(memory, error, match, lambda: memory.add_reminder(**given))


def test_calls_for_what_is_not_there(memory: ZengramMemory) -> None:
    refused(memory, NotFoundError, "no reminder 'rem_x'", lambda: memory.complete_reminder("rem_x"))
    refused(memory, NotFoundError, "no reminder 'rem_x'", lambda: memory.cancel_reminder("rem_x"))
    for call in (memory.due_reminders, memory.reminders):
        for options in ({"project_id": "q"}, {"session_id": "ses_x"}, {"limit": -1}):
            with pytest.raises(InvalidArgumentError):
                call(**options)
    with pytest.raises(InvalidArgumentError, match="pending, done, cancelled, not 'late'"):
        memory.reminders(status="late")


def test_reminders_are_found_earliest_first(memory: ZengramMemory, clock: ManualClock) -> None:
    sessions = [memory.create_session(project).session_id for project in ("p", "p", "q")]
    kept: list[tuple[int, str, int]] = []
    for number in range(90):
        due = number * 37 % 20
        reminder = memory.add_reminder(str(number), due, session_id=sessions[number % 3])
        kept.append((due, reminder, number))
        if number % 10 == 9:
            become(memory, reminder, STATUSES[1 + number % 20 // 10])
    kept.sort()

    def expect(*, until: int = 99, of: tuple[int, ...] = (0, 1, 2)) -> list[str]:
        return [str(n) for due, _, n in kept if due <= until and n % 3 in of and n % 10 != 9]

    assert contents(memory.due_reminders()) == expect()
    assert contents(memory.due_reminders(7)) == expect(until=7)
    assert contents(memory.due_reminders(7, limit=3)) == expect(until=7)[:3]
    assert contents(memory.due_reminders(session_id=sessions[1], limit=9)) == expect(of=(1,))[:9]
    assert contents(memory.due_reminders(12, project_id="p")) == expect(until=12, of=(0, 1))
    assert memory.due_reminders(limit=0) == []
    assert contents(memory.reminders()) == [str(n) for *_, n in kept]
    assert (
        contents(memory.reminders(project_id="q", limit=5, offset=2))
        == [str(n) for *_, n in kept if n % 3 == 2][2:7]
    )
    assert contents(memory.reminders(status="cancelled")) == [str(n) for *_, n in kept if n % 20 == 19]
    with memory.batch():
        first = memory.add_reminder("first", -5, session_id=sessions[0])
        assert contents(memory.due_reminders(project_id="p", limit=2)) == ["first", expect(of=(0, 1))[0]]
        memory.complete_reminder(first)
        assert contents(memory.due_reminders()) == expect()
        assert contents(memory.reminders(limit=1)) == ["first"]
    copy = ZengramMemory.open_from_snapshot(memory.export_snapshot(), 2, clock=clock)
    assert copy.reminders(limit=1000) == memory.reminders(limit=1000)
    assert copy.due_reminders() == memory.due_reminders()


def test_a_batch_that_fails_moves_nothing(memory: ZengramMemory) -> None:
    reminder = memory.add_reminder("a", 0, repeat_days=1)

    def fails() -> None:
        with memory.batch():
            memory.complete_reminder(reminder)
            memory.add_reminder("b", 0, task_id="tsk_x")

    refused(memory, NotFoundError, "tsk_x", fails)
