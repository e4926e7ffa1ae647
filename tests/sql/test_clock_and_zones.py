"""The time that statements see, and zones, where times that are UTC differ from PostgreSQL's with and without a zone."""

import pytest
from sql_answers import answer

from zengram_py.clock import ManualClock
from zengram_py.engine import Database
from zengram_py.sql.session import Session

START = 1_709_210_096_789_123  # 2024-02-29 12:34:56.789123


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(START)


@pytest.fixture
def at(clock: ManualClock) -> Session:
    return Session(Database.open(clock=clock))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("now()", "2024-02-29 12:34:56.789123"),
        ("transaction_timestamp() = current_timestamp and current_timestamp = localtimestamp", "t"),
        ("clock_timestamp()", "2024-02-29 12:34:56.789123"),
        ("statement_timestamp()", "2024-02-29 12:34:56.789123"),
        ("current_timestamp(0)", "2024-02-29 12:34:57"),
        ("localtimestamp(2)", "2024-02-29 12:34:56.79"),
        ("current_timestamp(9)", "2024-02-29 12:34:56.789123"),
        ("current_date", "2024-02-29"),
        ("current_time(1)", "12:34:56.8"),
        ("localtime", "12:34:56.789123"),
        ("timeofday()", "Thu Feb 29 12:34:56.789123 2024 UTC"),
        ("age(timestamp '2023-01-31')", "1 year 29 days"),
        ("extract(timezone from now())", "0"),
        ("to_char(now(), 'TZ tz TZH:TZM OF')", "UTC utc +00:00 +00"),
    ],
)
def test_the_time(at: Session, expression: str, expected: str) -> None:
    assert answer(at, f"select {expression}") == expected


def test_a_transaction_has_one_time_and_the_clock_goes_on(at: Session, clock: ManualClock) -> None:
    at.run("begin")
    clock.advance(seconds=5)
    assert answer(at, "select now()") == "2024-02-29 12:34:56.789123"
    assert answer(at, "select clock_timestamp(), statement_timestamp()") == "|".join(
        ["2024-02-29 12:35:01.789123"] * 2
    )
    at.run("rollback")
    assert answer(at, "select now()") == "2024-02-29 12:35:01.789123"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("timestamp '2024-06-01 12:00' at time zone 'UTC'", "2024-06-01 12:00:00"),
        ("timestamp '2024-06-01 12:00' at time zone 'est'", "2024-06-01 07:00:00"),
        ("timestamp '2024-06-01 12:00' at time zone '+02'", "2024-06-01 10:00:00"),
        ("timestamp '2024-06-01 12:00' at time zone 'UTC-05:30'", "2024-06-01 17:30:00"),
        ("timestamp '2024-06-01 12:00' at time zone interval '-05:30'", "2024-06-01 06:30:00"),
        ("timestamp 'infinity' at time zone interval '1 hour'", "infinity"),
        ("timestamp '2024-06-01 12:00' at time zone interval '1 day'", "22023"),
        ("timestamp '2024-06-01 12:00' at time zone 'nowhere'", "22023"),
        ("timestamp '2024-06-01 12:00' at local", "2024-06-01 12:00:00"),
        ("null::timestamp at time zone 'UTC'", "NULL"),
        ("date_trunc('day', timestamp '2024-06-01 23:00', '-05')", "2024-06-01 19:00:00"),
        ("timestamp '4714-11-24 00:00 BC' at time zone 'est'", "22008"),
    ],
)
def test_zones(at: Session, expression: str, expected: str) -> None:
    assert answer(at, f"select {expression}") == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("timestamp '2024-06-01 12:00' at time zone 'Europe/Berlin'", "2024-06-01 14:00:00"),
        ("timestamp '2024-01-01 12:00' at time zone 'europe/berlin'", "2024-01-01 13:00:00"),
        ("timestamp '2024-03-31 00:59:59' at time zone 'Europe/Berlin'", "2024-03-31 01:59:59"),
        ("timestamp '2024-03-31 01:00' at time zone 'Europe/Berlin'", "2024-03-31 03:00:00"),
        ("timestamp '12024-06-01 12:00' at time zone 'Europe/Berlin'", "12024-06-01 14:00:00"),
        ("date_trunc('day', timestamp '2024-10-27 12:00', 'Europe/Berlin')", "2024-10-26 22:00:00"),
        ("date_trunc('hour', timestamp '2024-10-27 01:30', 'Europe/Berlin')", "2024-10-27 01:00:00"),
        (
            "array(select generate_series(timestamp '2024-03-30', '2024-04-01', '1 day', 'Europe/Berlin'))",
            '{"2024-03-30 00:00:00","2024-03-31 00:00:00","2024-03-31 23:00:00"}',
        ),
    ],
)
def test_zones_by_name(at: Session, expression: str, expected: str) -> None:
    import zoneinfo

    if not zoneinfo.available_timezones():
        assert answer(at, f"select {expression}") == "22023"
        return
    assert answer(at, f"select {expression}") == expected
