"""UUIDs: made at random or by the time, and what is in them."""

from __future__ import annotations

import os
import time
import uuid

from ...engine import Interval
from .registry import scalar

_DAY = 86_400_000_000
_GREGORIAN = 12_219_292_800_000_000
"""Microseconds from October 15, 1582, where the time in a UUID of version 1 begins, to 1970."""


def _made(version: int, raw: int) -> str:
    """Return 128 bits as a UUID of a version."""
    raw = raw & ~(0xF << 76) | version << 76
    return str(uuid.UUID(int=raw & ~(0x3 << 62) | 0x2 << 62))


@scalar("gen_random_uuid uuidv4:", volatile=True)
def _random() -> str:
    return _made(4, int.from_bytes(os.urandom(16), "big"))


class _Clock:
    """The time of the last UUID, so that the next one is greater: nanoseconds since 1970."""

    last = 0


@scalar("uuidv7:", volatile=True)
def _by_time() -> str:
    now = max(time.time_ns(), _Clock.last + 256)  # a step of the 12 bits below the millisecond
    _Clock.last = now
    return _of_time(now)


def _of_time(nanoseconds: int) -> str:
    milliseconds, rest = divmod(nanoseconds, 1_000_000)
    fraction = (rest << 12) // 1_000_000
    raw = (milliseconds & (1 << 48) - 1) << 80 | fraction << 64 | int.from_bytes(os.urandom(8), "big")
    return _made(7, raw)


@scalar("uuidv7: interval", volatile=True)
def _by_shifted_time(shift: Interval) -> str:
    from .output import civil

    now = time.time_ns()
    days, rest = divmod(now // 1000, _DAY)
    if shift.months:
        year, month, day = civil(days)
        year, month = divmod(year * 12 + month - 1 + shift.months, 12)
        days = _days(year, month + 1, day)
    moment = (days + shift.days) * _DAY + rest + shift.microseconds
    return _of_time(moment * 1000 + now % 1000)


def _days(year: int, month: int, day: int) -> int:
    """Return the days since 1970 of a date; a day that the month has not is its last one."""
    import calendar

    return (
        _days_before(year)
        + sum(calendar.mdays[1:month])
        + (month > 2 and calendar.isleap(year))
        + min(day, calendar.monthrange(2000 + year % 400, month)[1])
        - 1
    )


def _days_before(year: int) -> int:
    """Return the days since 1970 of a year's first day."""
    before = year - 1
    return 365 * before + before // 4 - before // 100 + before // 400 - 719_162


@scalar("uuid_extract_version: uuid")
def _version(value: str) -> int | None:
    found = uuid.UUID(value)
    return found.version if found.variant == uuid.RFC_4122 else None


@scalar("uuid_extract_timestamp: uuid")
def _timestamp(value: str) -> int | None:
    found = uuid.UUID(value)
    if found.variant != uuid.RFC_4122:
        return None
    if found.version == 1:
        return found.time // 10 - _GREGORIAN
    if found.version == 7:
        return (found.int >> 80) * 1000
    return None

