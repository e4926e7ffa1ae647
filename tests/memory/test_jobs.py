"""Scheduled jobs: schedules, cron against the calendar minute by minute, and states."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_support import refused

from zengram_py import ZengramMemory
from zengram_py.clock import ManualClock
from zengram_py.errors import InvalidArgumentError, NotFoundError, StateError
from zengram_py.memory import Job
from zengram_py.memory.cron import Cron
from zengram_py.memory.schedules import check_schedule, read_schedule

SECOND = 1_000_000
STATUSES = ("active", "paused", "completed")


def job_of(memory: ZengramMemory, job: str) -> Job:
    found = memory.job(job)
    assert found is not None
    return found


def names(found: list[Job]) -> list[str]:
    return [job.name for job in found]


def microseconds(text: str) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * SECOND


# -- cron --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cron", "after", "expected"),
    [
        ("* * * * *", "2024-01-01T00:00:00", "2024-01-01T00:01:00"),
        ("* * * * *", "2024-12-31T23:59:59", "2025-01-01T00:00:00"),
        ("30 9 * * *", "2024-01-01T09:29:59", "2024-01-01T09:30:00"),
        ("30 9 * * *", "2024-01-01T09:30:00", "2024-01-02T09:30:00"),
        ("*/15 8-10 * * *", "2024-01-01T10:45:00", "2024-01-02T08:00:00"),
        ("1,2-6/2,59 * * * *", "2024-01-01T00:02:00", "2024-01-01T00:04:00"),
        ("1,2-6/2,59 * * * *", "2024-01-01T00:06:00", "2024-01-01T00:59:00"),
        ("0 0 29 2 *", "2024-02-29T00:00:00", "2028-02-29T00:00:00"),
        ("0 0 29 2 *", "2096-02-29T00:00:00", "2104-02-29T00:00:00"),
        ("0 0 31 * *", "2024-01-31T00:00:00", "2024-03-31T00:00:00"),
        ("0 0 * * 0", "2024-01-01T00:00:00", "2024-01-07T00:00:00"),
        ("0 0 * * 7", "2024-01-01T00:00:00", "2024-01-07T00:00:00"),
        ("0 0 * * 5-7", "2024-01-05T00:00:00", "2024-01-06T00:00:00"),
        ("0 0 * JAN-mar,Dec Mon", "2024-03-25T00:00:00", "2024-12-02T00:00:00"),
        ("0 0 13 * fri", "2024-01-01T00:00:00", "2024-01-05T00:00:00"),
        ("0 0 13 * fri", "2024-01-12T00:00:00", "2024-01-13T00:00:00"),
        ("0 0 */2 * fri", "2024-01-05T00:00:00", "2024-01-19T00:00:00"),
        ("0 0 13 * */7", "2024-01-01T00:00:00", "2024-10-13T00:00:00"),
        ("  0\t0 1 1 *  ", "2024-01-01T00:00:00", "2025-01-01T00:00:00"),
        ("0 0 29 2 */7", "2024-01-01T00:00:00", "2032-02-29T00:00:00"),
        ("0 0 1 1 *", "1969-06-01T00:00:00", "1970-01-01T00:00:00"),
        ("59 23 31 12 *", "9999-12-31T23:58:00", "9999-12-31T23:59:00"),
    ],
)
def test_the_next_minute(cron: str, after: str, expected: str) -> None:
    assert Cron.parse(cron).next_after(microseconds(after)) == microseconds(expected)


@pytest.mark.parametrize(
    ("cron", "after"),
    [
        ("0 0 30 2 *", 0),
        ("0 0 31 4,6,9,11 *", 0),
        ("* * * * *", 2**62),
        ("* * * * *", -(2**62)),
        ("0 0 1 1 *", microseconds("9999-06-01T00:00:00")),
        ("0 0 * * *", microseconds("9999-12-31T00:00:00")),
    ],
)
def test_what_never_comes(cron: str, after: int) -> None:
    assert Cron.parse(cron).next_after(after) is None


@pytest.mark.parametrize(
    ("cron", "match"),
    [
        ("* * * *", "5 fields, not 4"),
        ("* * * * * *", "5 fields, not 6"),
        ("@daily", "5 fields, not 1"),
        ("60 * * * *", r"minute cannot be '60' \(it is 0 to 59\)"),
        ("* 24 * * *", "hour cannot be '24'"),
        ("* * 0 * *", "day of month cannot be '0'"),
        ("* * * 13 *", "month cannot be '13'"),
        ("* * * * 8", "day of week cannot be '8'"),
        ("5-1 * * * *", "minute cannot be '5-1'"),
        ("* * * * fri-mon", "day of week cannot be 'fri-mon'"),
        ("5/2 * * * *", "minute cannot be '5/2'"),
        ("*/0 * * * *", r"minute cannot be '\*/0'"),
        ("*/ * * * *", "minute cannot be"),
        ("1, * * * *", "minute cannot be ''"),
        ("1- * * * *", "minute cannot be '1-'"),
        ("-1 * * * *", "minute cannot be '-1'"),
        ("*-5 * * * *", "minute cannot be"),
        ("1-2-3 * * * *", "minute cannot be"),
        ("1/2/3 * * * *", "minute cannot be"),
        ("+1 * * * *", "minute cannot be"),
        ("1.5 * * * *", "minute cannot be"),
        ("² * * * *", "minute cannot be"),
        ("jan * * * *", "minute cannot be 'jan'"),
        ("* * * mon *", "month cannot be 'mon'"),
        ("L * * * *", "minute cannot be 'l'"),
        ("99999999999999999999 * * * *", "minute cannot be"),
    ],
)
def test_fields_that_say_nothing(cron: str, match: str) -> None:
    with pytest.raises(InvalidArgumentError, match=match):
        Cron.parse(cron)


def fields_of(low: int, high: int) -> st.SearchStrategy[str]:
    numbers = st.integers(low, high)
    spans = st.tuples(numbers, numbers).map(lambda pair: f"{min(pair)}-{max(pair)}")
    steps = st.integers(1, 9)
    parts = st.one_of(
        numbers.map(str),
        spans,
        st.tuples(spans, steps).map(lambda pair: f"{pair[0]}/{pair[1]}"),
    )
    stars = st.one_of(st.just("*"), st.just("*"), steps.map(lambda step: f"*/{step}"))
    return st.one_of(stars, st.lists(parts, min_size=1, max_size=3).map(",".join))


CRONS = st.tuples(fields_of(0, 59), fields_of(0, 23), fields_of(1, 31), fields_of(1, 12), fields_of(0, 7))


def numbers_of(field: str, low: int, high: int) -> set[int]:
    """Return what a field says, read in another way: each number is asked."""
    found = set()
    for number in range(low, high + 1):
        for part in field.split(","):
            span, _, step = part.partition("/")
            first, _, last = (f"{low}-{high}" if span == "*" else span).partition("-")
            begin, end = int(first), int(last or first)
            if begin <= number <= end and (number - begin) % int(step or 1) == 0:
                found.add(number)
    return found


def fits(fields: tuple[str, ...], moment: datetime) -> bool:
    minute, hour, day, month, weekday = fields
    days = {number % 7 for number in numbers_of(weekday, 0, 6 if weekday[0] == "*" else 7)}
    by_date, by_week = moment.day in numbers_of(day, 1, 31), moment.isoweekday() % 7 in days
    either = day[0] != "*" and weekday[0] != "*"
    return (
        moment.minute in numbers_of(minute, 0, 59)
        and moment.hour in numbers_of(hour, 0, 23)
        and moment.month in numbers_of(month, 1, 12)
        and ((by_date or by_week) if either else (by_date and by_week))
    )


@given(CRONS, st.integers(0, 365 * 1440 * 60 * 5))
@settings(max_examples=60, deadline=None)
def test_cron_is_that_of_a_calendar_minute_by_minute(fields: tuple[str, ...], second: int) -> None:
    start = datetime(2023, 1, 1, tzinfo=UTC) + timedelta(seconds=second)
    found = Cron.parse(" ".join(fields)).next_after(round(start.timestamp()) * SECOND + 5)
    moment = start.replace(second=0)
    for _ in range(3 * 1440):
        moment += timedelta(minutes=1)
        if fits(fields, moment):
            assert found == round(moment.timestamp()) * SECOND
            return
    # Nothing in three days: from there on by days, and by minutes in the days that may have one.
    end = moment + timedelta(days=200)
    while moment < end:
        moment += timedelta(minutes=1)
        if not fits(("*", "*", *fields[2:]), moment):
            moment = moment.replace(hour=23, minute=59)
        elif fits(fields, moment):
            assert found == round(moment.timestamp()) * SECOND
            return
    assert found is None or found > round(end.timestamp()) * SECOND


# -- schedules ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ((60, None, None), "every 60s"),
        ((0.5, None, None), "every 0.5s"),
        ((1e-6, None, None), "every 0.000001s"),
        ((86_400 * 36_525, None, None), "every 3155760000s"),
        ((123_456_789.123456, None, None), "every 123456789.123456s"),
        ((None, " 0  9 * * MON ", None), "cron 0 9 * * mon"),
        ((None, None, 17), "at 17"),
        ((None, None, "1970-01-01T00:00:01"), "at 1000000"),
        ((None, None, "1970-01-03"), "at 172800000000"),
    ],
)
def test_schedules_are_kept_as_texts(given: tuple[Any, Any, Any], text: str) -> None:
    schedule = check_schedule(*given)
    assert schedule.text == text
    assert read_schedule(text) == schedule


@pytest.mark.parametrize(
    "text",
    [
        "",
        "every",
        "every xs",
        "every 5",
        "cron",
        "cron x",
        "at",
        "at noon",
        "at 9223372036854775808",
        "never 5",
        "every nans",
    ],
)
def test_texts_that_are_no_schedule(text: str) -> None:
    with pytest.raises(InvalidArgumentError):
        read_schedule(text)


# -- jobs --------------------------------------------------------------------------------------------------------------------


def test_a_job_as_it_is_kept(memory: ZengramMemory, clock: ManualClock) -> None:
    memory.ensure_project("p")
    job = memory.add_job("tidy", every_seconds=60, payload={"a": (1, 2)}, project_id="/project/p")
    now = clock.now()
    expected = Job(
        id=job,
        project_id="p",
        name="tidy",
        schedule="every 60s",
        payload={"a": [1, 2]},
        status="active",
        time_next=now + 60 * SECOND,
        time_last=None,
        runs=0,
        failures=0,
        last_error=None,
        time_created=now,
        time_updated=now,
    )
    assert memory.jobs() == [expected]


def test_a_job_that_comes_again_and_again(memory: ZengramMemory, clock: ManualClock) -> None:
    begin = clock.now()
    job = memory.add_job("a", every_seconds=60)
    assert memory.due_jobs() == []
    clock.advance(seconds=60)
    assert names(memory.due_jobs()) == names(memory.due_jobs()) == ["a"]
    clock.advance(seconds=5)
    memory.job_done(job)
    assert job_of(memory, job).time_next == begin + 120 * SECOND
    clock.advance(seconds=200)
    memory.job_done(job, error="it broke")
    found = job_of(memory, job)
    assert (found.runs, found.failures, found.last_error) == (2, 1, "it broke")
    assert (found.time_next, found.time_last) == (begin + 300 * SECOND, clock.now())
    assert found.time_updated == clock.now()
    memory.job_done(job)  # before it is due: that time is left out
    found = job_of(memory, job)
    assert (found.time_next, found.last_error) == (begin + 360 * SECOND, None)


def test_a_job_by_the_calendar(memory: ZengramMemory, clock: ManualClock) -> None:
    job = memory.add_job("a", cron="0 9 * * mon-fri")  # it is Tuesday, 2023-11-14, 22:13:20
    expected = ["2023-11-15T09:00", "2023-11-16T09:00", "2023-11-17T09:00", "2023-11-20T09:00"]
    for day in expected:
        due = job_of(memory, job).time_next
        assert due == microseconds(day)
        assert names(memory.due_jobs(due)) == ["a"]
        assert memory.due_jobs(due - 1) == []
        clock.advance(microseconds=due - clock.now())
        memory.job_done(job)
    memory.job_done(job)
    assert job_of(memory, job).time_next == microseconds("2023-11-22T09:00")


def test_a_job_that_runs_once(memory: ZengramMemory, clock: ManualClock) -> None:
    job = memory.add_job("a", at=clock.now() - 1)
    assert names(memory.due_jobs()) == ["a"]
    memory.job_done(job, error="no")
    found = job_of(memory, job)
    assert (found.status, found.time_next, found.runs, found.failures) == ("completed", None, 1, 1)
    assert memory.due_jobs(2**62) == []


def test_a_paused_job_is_not_due(memory: ZengramMemory, clock: ManualClock) -> None:
    begin = clock.now()
    again, once = memory.add_job("again", every_seconds=60), memory.add_job("once", at=begin + 10)
    late = memory.add_job("late", every_seconds=1000)
    for job in (again, once, late):
        memory.pause_job(job)
    clock.advance(seconds=90)
    assert memory.due_jobs() == []
    memory.job_done(late)  # it was running
    assert job_of(memory, late).status == "paused"
    for job in (again, once, late):
        memory.resume_job(job)
    assert names(memory.due_jobs()) == ["once"]
    assert job_of(memory, again).time_next == begin + 120 * SECOND
    assert job_of(memory, late).time_next == begin + 2000 * SECOND
    memory.pause_job(once)
    memory.job_done(once)
    assert job_of(memory, once).status == "completed"


@pytest.mark.parametrize("before", STATUSES)
@pytest.mark.parametrize("call", ["pause_job", "resume_job", "job_done"])
def test_every_pair_of_states(memory: ZengramMemory, before: str, call: str) -> None:
    job = memory.add_job("a", at=0)
    if before == "paused":
        memory.pause_job(job)
    elif before == "completed":
        memory.job_done(job)
    after = {"pause_job": "paused", "resume_job": "active", "job_done": "completed"}[call]
    if before != "completed" and before != after:
        getattr(memory, call)(job)
        assert job_of(memory, job).status == after
    else:
        message = f"job '{job}' is {before}; it cannot become {after}"
        refused(memory, StateError, message, lambda: getattr(memory, call)(job))


def test_a_clock_that_steps_back(memory: ZengramMemory, clock: ManualClock) -> None:
    job = memory.add_job("a", every_seconds=60)
    clock.advance(seconds=-100)
    memory.job_done(job)
    found = job_of(memory, job)
    assert found.time_last == found.time_updated == found.time_created
    assert found.time_next == found.time_created + 120 * SECOND


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({}, InvalidArgumentError, "one schedule: every_seconds, cron or at"),
        ({"at": 1, "cron": "* * * * *"}, InvalidArgumentError, "one schedule"),
        ({"every_seconds": 0}, InvalidArgumentError, "every_seconds"),
        ({"every_seconds": -1}, InvalidArgumentError, "every_seconds"),
        ({"every_seconds": math.inf}, InvalidArgumentError, "every_seconds"),
        ({"every_seconds": 4e9}, InvalidArgumentError, "every_seconds"),
        ({"every_seconds": "60"}, InvalidArgumentError, "every_seconds"),
        ({"cron": 5}, InvalidArgumentError, "cron must be a string"),
        ({"cron": "* * * *"}, InvalidArgumentError, "5 fields"),
        ({"cron": "0 0 30 2 *"}, InvalidArgumentError, "'cron 0 0 30 2 \\*' never comes"),
        ({"at": "soon"}, InvalidArgumentError, "at is no ISO 8601"),
        ({"at": 1, "name": ""}, InvalidArgumentError, "name must not be blank"),
        ({"at": 1, "payload": {1, 2}}, InvalidArgumentError, "payload is a set"),
        ({"at": 1, "project_id": "q"}, NotFoundError, "no project 'q'"),
    ],
)
def test_jobs_that_cannot_be(
    memory: ZengramMemory, options: dict[str, Any], error: type[Exception], match: str
) -> None:
    refused(memory, error, match, lambda: memory.add_job(**{"name": "a", **options}))


def test_calls_for_what_is_not_there(memory: ZengramMemory) -> None:
    for call in (memory.job_done, memory.pause_job, memory.resume_job, memory.remove_job):
        refused(memory, NotFoundError, "no job 'job_x'", lambda call=call: call("job_x"))
    job = memory.add_job("a", at=0)
    refused(memory, InvalidArgumentError, "error", lambda: memory.job_done(job, error=5))
    for options in ({"status": "late"}, {"project_id": "q"}, {"limit": -1}, {"offset": None}):
        with pytest.raises(InvalidArgumentError):
            memory.jobs(**options)
    with pytest.raises(InvalidArgumentError, match="limit"):
        memory.due_jobs(limit=-1)
    memory.query("UPDATE scheduled_job SET schedule = 'never'")
    refused(memory, InvalidArgumentError, "'never' is no schedule", lambda: memory.job_done(job))
    memory.remove_job(job)
    assert memory.jobs() == []
    assert memory.job(job) is None


def test_jobs_are_found_in_order(memory: ZengramMemory, clock: ManualClock) -> None:
    memory.ensure_project("p")
    kept = []
    for number in range(80):
        clock.advance(microseconds=number % 2)
        due = number * 31 % 17
        job = memory.add_job(str(number), at=due, project_id="p" if number % 3 else None)
        kept.append((due, job, number))
        if number % 5 == 0:
            memory.pause_job(job)
    due_names = [str(number) for _, _, number in sorted(kept) if number % 5]
    assert names(memory.due_jobs()) == due_names
    assert names(memory.due_jobs(limit=7)) == due_names[:7]
    assert names(memory.due_jobs(4)) == [str(n) for due, _, n in sorted(kept) if n % 5 and due <= 4]
    assert names(memory.jobs()) == [str(number) for number in range(80)]
    assert names(memory.jobs(status="paused", project_id="p", limit=3, offset=1)) == ["10", "20", "25"]
    with memory.batch():
        job = memory.add_job("now", at=-1)
        assert names(memory.due_jobs(limit=1)) == ["now"]
        memory.job_done(job)
        assert names(memory.due_jobs()) == due_names
        assert names(memory.jobs(status="completed")) == ["now"]
    copy = ZengramMemory.open_from_snapshot(memory.export_snapshot(), 2, clock=clock)
    assert copy.jobs() == memory.jobs()
    assert copy.due_jobs() == memory.due_jobs()


def test_a_batch_that_fails_counts_nothing(memory: ZengramMemory) -> None:
    job = memory.add_job("a", every_seconds=1)

    def fails() -> None:
        with memory.batch():
            memory.job_done(job)
            memory.pause_job(job)
            memory.pause_job(job)

    refused(memory, StateError, "is paused; it cannot become paused", fails)
