"""UUIDs: made at random or by the time, and what is in them."""

from __future__ import annotations

import os
import time
import uuid
from calendar import monthrange
from datetime import date, timedelta

from ...engine import Interval
from ..errors import error
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
    now = time.time_ns()
    days, rest = divmod(now // 1000, _DAY)
    try:
        day = _months_later(date(1970, 1, 1) + timedelta(days), shift.months) + timedelta(shift.days)
    except (OverflowError, ValueError):
        raise error("22008", "timestamp out of range") from None
    moment = (day - date(1970, 1, 1)).days * _DAY + rest + shift.microseconds
    return _of_time(moment * 1000 + now % 1000)


def _months_later(day: date, months: int) -> date:
    """Return a day of another month; the last one if it has no such day."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


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
