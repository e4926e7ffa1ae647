"""Texts of dates and times, as people and PostgreSQL write them.

    2024-02-29   20240229   Feb 29, 2024   29-Feb-2024   2/29/2024 (month first)   today tomorrow yesterday epoch
    0044-03-15 BC   infinity   -infinity
    10:30   10:30:15.5   10:30 PM   T between date and time   Z, +02:00 behind it (moved to UTC)

Words that mean the present (``now``, ``today``) are refused: a literal is read once, and a plan is used again. ``now()`` is meant.
"""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from ..errors import SqlError
from .civil import (
    DATE_INFINITY,
    DATE_MINUS_INFINITY,
    DAY,
    END_DATE,
    HOUR,
    INFINITY,
    LEAST_DATE,
    LEAST_TIMESTAMP,
    MINUS_INFINITY,
    MINUTE,
    SECOND,
    days_of,
    month_days,
)
from .errors import error, unsupported
from .patterns import pattern

_MONTHS = {
    name[:3]: i + 1
    for i, name in enumerate(
        [
            "january",
            "february",
            "march",
            "april",
            "may",
            "june",
            "july",
            "august",
            "september",
            "october",
            "november",
            "december",
        ]
    )
}
_DATE = pattern(
    r"(?P<y>\d{4,7})-(?P<m>\d{1,2})-(?P<d>\d{1,2})|(?P<y2>\d{4})(?P<m2>\d\d)(?P<d2>\d\d)"
    r"|(?P<y5>\d{4})/(?P<m5>\d{1,2})/(?P<d5>\d{1,2})|(?P<m3>\d{1,2})/(?P<d3>\d{1,2})/(?P<y3>\d{4})"
    r"|(?P<d4>\d{1,2})[- ](?P<n4>[a-z]{3,9})[- ](?P<y4>\d{4})|(?P<n6>[a-z]{3,9})\.? (?P<d6>\d{1,2}),? (?P<y6>\d{4})"
    r"|(?P<y7>\d{4})-(?P<n7>[a-z]{3,9})-(?P<d7>\d{1,2})",
    re.IGNORECASE,
)
_CLOCK = pattern(
    r"(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{0,9}))?)?\s*(am|pm)?"
    r"\s*(z|utc|gmt|[+-]\d{1,2}(?::?\d{2})?(?::\d{2})?)?",
    re.IGNORECASE,
)
_ERA = pattern(r"\s*(?<![a-z])(?:(ad|a\.d\.)|bc|b\.c\.)\s*$", re.IGNORECASE)
_INFINITIES = {"infinity": 1, "+infinity": 1, "-infinity": -1}
_PRESENT = ("now", "today", "tomorrow", "yesterday")


class _Clock(NamedTuple):
    microseconds: int
    zone: int


def _invalid(kind: str, text: str, at: int | None) -> SqlError:
    return error("22007", f'invalid input syntax for type {kind}: "{text}"', at)


def _field_overflow(text: str, at: int | None) -> SqlError:
    return error("22008", f'date/time field value out of range: "{text}"', at)


def _split(kind: str, text: str, at: int | None) -> tuple[int | None, str]:
    """Return the days of the date at the beginning of a text, if there is one, and the rest."""
    bare = text.strip()
    word = bare.lower()
    if word == "epoch":
        return 0, ""
    if word in _PRESENT:
        raise unsupported(f"'{word}' as a {kind}", at)
    era = _ERA.search(bare)
    if era is not None:
        bare = bare[: era.start()]
    found = _DATE.match(bare)
    if found is None:
        return None, bare
    parts = {name[0]: value for name, value in found.groupdict().items() if value is not None}
    year, day = int(parts["y"]), int(parts["d"])
    month = int(parts["m"]) if "m" in parts else _MONTHS.get(parts["n"][:3].lower(), 0)
    if not year or not 1 <= month <= 12:
        raise _field_overflow(text, at)
    year = 1 - year if era is not None and not era[1] else year
    if not 1 <= day <= month_days(year, month):
        raise _field_overflow(text, at)
    days: int = days_of(year, month, day)
    if not LEAST_DATE <= days < END_DATE:
        raise error("22008", f'{kind.partition(" ")[0]} out of range: "{text}"', at)
    return days, bare[found.end() :]


def _clock(kind: str, text: str, rest: str, at: int | None) -> _Clock:
    found = _CLOCK.fullmatch(rest.strip())
    if found is None:
        raise _invalid(kind, text, at)
    hour, minute, second = int(found[1]), int(found[2]), int(found[3] or 0)
    if found[5]:
        if not 1 <= hour <= 12:
            raise _field_overflow(text, at)
        hour = hour % 12 + (12 if found[5].lower() == "pm" else 0)
    fraction = round(Decimal("0." + (found[4] or "0")) * SECOND)
    total = hour * HOUR + minute * MINUTE + second * SECOND + fraction
    if minute > 59 or second > 60 or total > DAY:
        raise _field_overflow(text, at)
    zone = 0
    if found[6] and found[6][0] in "+-":
        parts = re.findall(r"\d{2}|\d", found[6][1:]) if ":" not in found[6] else found[6][1:].split(":")
        for size, part in zip((HOUR, MINUTE, SECOND), parts, strict=False):
            zone += int(part) * size
        zone = -zone if found[6][0] == "-" else zone
    return _Clock(total, zone)


def read_date(text: str, at: int | None = None) -> int:
    """Return days since 1970; a time of day behind the date is let go."""
    infinite = _INFINITIES.get(text.strip().lower())
    if infinite is not None:
        return DATE_INFINITY if infinite > 0 else DATE_MINUS_INFINITY
    days, rest = _split("date", text, at)
    if days is None:
        raise _invalid("date", text, at)
    if rest.strip():
        _clock("date", text, rest.lstrip("Tt "), at)
    return days


def read_time(text: str, at: int | None = None) -> int:
    """Return microseconds since midnight; a date before the time is let go."""
    days, rest = _split("time without time zone", text, at)
    if days is not None:
        rest = rest.lstrip("Tt ")
    return _clock("time without time zone", text, rest, at).microseconds


def read_timestamp(text: str, at: int | None = None) -> int:
    """Return microseconds since 1970, UTC; a zone behind the time moves it there."""
    kind = "timestamp without time zone"
    infinite = _INFINITIES.get(text.strip().lower())
    if infinite is not None:
        return INFINITY if infinite > 0 else MINUS_INFINITY
    days, rest = _split(kind, text, at)
    if days is None:
        raise _invalid(kind, text, at)
    moment = days * DAY
    if rest.strip():
        clock = _clock(kind, text, rest.lstrip("Tt "), at)
        moment += clock.microseconds - clock.zone
    if not LEAST_TIMESTAMP <= moment < INFINITY:
        raise error("22008", f'timestamp out of range: "{text}"', at)
    return moment


def timestamp_of(moment: datetime) -> int:
    """Return microseconds since 1970, UTC; a moment without a zone is UTC."""
    zone = moment.utcoffset()
    naive = moment.replace(tzinfo=None) - zone if zone is not None else moment
    span = naive - datetime(1970, 1, 1)
    return (span.days * 86_400 + span.seconds) * SECOND + span.microseconds
