"""Texts of dates, times and intervals, as people and PostgreSQL write them.

    2024-02-29   20240229   Feb 29, 2024   29-Feb-2024   2/29/2024 (month first)   today tomorrow yesterday epoch
    10:30   10:30:15.5   10:30 PM   T between date and time   Z, +02:00 behind it (moved to UTC)
    1 year 2 mons -3 days 04:05:06   1-2   P1Y2M3DT4H5M6S   1.5 hours ago

Words that mean the present (``now``, ``today``) are refused: a literal is read once, and a plan is used again. ``now()`` is meant.
"""

from __future__ import annotations

import re
from datetime import date, datetime
from decimal import Decimal
from typing import NamedTuple

from ..engine import Interval
from ..errors import SqlError
from .errors import error, unsupported

SECOND = 1_000_000
MINUTE, HOUR, DAY = 60 * SECOND, 3600 * SECOND, 86_400 * SECOND
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
_DATE = re.compile(
    r"(?P<y>\d{4,6})-(?P<m>\d{1,2})-(?P<d>\d{1,2})|(?P<y2>\d{4})(?P<m2>\d\d)(?P<d2>\d\d)"
    r"|(?P<y5>\d{4})/(?P<m5>\d{1,2})/(?P<d5>\d{1,2})|(?P<m3>\d{1,2})/(?P<d3>\d{1,2})/(?P<y3>\d{4})"
    r"|(?P<d4>\d{1,2})[- ](?P<n4>[a-z]{3,9})[- ](?P<y4>\d{4})|(?P<n6>[a-z]{3,9})\.? (?P<d6>\d{1,2}),? (?P<y6>\d{4})"
    r"|(?P<y7>\d{4})-(?P<n7>[a-z]{3,9})-(?P<d7>\d{1,2})",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{0,9}))?)?\s*(am|pm)?"
    r"\s*(z|utc|gmt|[+-]\d{1,2}(?::?\d{2})?(?::\d{2})?)?",
    re.IGNORECASE,
)
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
    if word in _PRESENT or word in ("infinity", "-infinity"):
        raise unsupported(f"'{word}' as a {kind}", at)
    found = _DATE.match(bare)
    if found is None:
        return None, bare
    parts = {name[0]: value for name, value in found.groupdict().items() if value is not None}
    month = int(parts["m"]) if "m" in parts else _MONTHS.get(parts["n"][:3].lower(), 0)
    try:
        days = (date(int(parts["y"]), month, int(parts["d"])) - date(1970, 1, 1)).days
    except (ValueError, OverflowError):
        raise _field_overflow(text, at) from None
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
    days, rest = _split(kind, text, at)
    if days is None:
        raise _invalid(kind, text, at)
    if not rest.strip():
        return days * DAY
    clock = _clock(kind, text, rest.lstrip("Tt "), at)
    return days * DAY + clock.microseconds - clock.zone


# Intervals.

_UNITS: dict[str, tuple[int, Decimal]] = {}
for _names, _field, _size in (
    ("microsecond microseconds us usec usecs", 2, Decimal(1)),
    ("millisecond milliseconds ms msec msecs", 2, Decimal(1000)),
    ("second seconds s sec secs", 2, Decimal(SECOND)),
    ("minute minutes m min mins", 2, Decimal(MINUTE)),
    ("hour hours h hr hrs", 2, Decimal(HOUR)),
    ("day days d", 1, Decimal(1)),
    ("week weeks w", 1, Decimal(7)),
    ("month months mon mons", 0, Decimal(1)),
    ("year years y yr yrs", 0, Decimal(12)),
    ("decade decades dec decs", 0, Decimal(120)),
    ("century centuries c cent", 0, Decimal(1200)),
    ("millennium millennia mil mils", 0, Decimal(12_000)),
):
    for _name in _names.split():
        _UNITS[_name] = _field, _size
_PART = re.compile(
    r"\s*(?:(?P<sign>[+-]?)(?P<h>\d+):(?P<mi>\d{1,2})(?::(?P<s>\d{1,2}(?:\.\d*)?))?"
    r"|(?P<ys>[+-]?)(?P<y>\d+)-(?P<mo>\d{1,2})(?![\d:])"
    r"|(?P<n>[+-]?(?:\d+\.?\d*|\.\d+))\s*(?P<unit>[a-z]*))",
    re.IGNORECASE,
)
_ISO_PART = re.compile(r"([+-]?\d+(?:\.\d*)?|[+-]?\.\d+)([a-z])", re.IGNORECASE)


class _Sum:
    """Months, days and microseconds that gather; fractions go down to smaller fields as in PostgreSQL."""

    def __init__(self) -> None:
        self.fields = [0, 0, 0]

    def add(self, count: Decimal, field: int, size: Decimal) -> None:
        amount = count * size
        if field == 2:
            self.fields[2] += round(amount)
            return
        whole = int(amount)
        self.fields[field] += whole
        if amount != whole:
            if field == 0:
                self.add(amount - whole, 1, Decimal(30))
            else:
                self.fields[2] += round((amount - whole) * DAY)


def read_interval(text: str, at: int | None = None, default_unit: str = "second") -> Interval:
    """Return an interval; a number without a unit counts in the default one."""
    total = _Sum()
    bare = text.strip().lower()
    if bare.startswith("p") and len(bare) > 1:
        _read_iso(bare, total, text, at)
    else:
        ago = bare.endswith(" ago")
        bare = bare.removesuffix(" ago").removeprefix("@").strip()
        if not bare:
            raise _invalid("interval", text, at)
        _read_verbose(bare, total, text, at, default_unit)
        if ago:
            total.fields = [-f for f in total.fields]
    months, days, microseconds = total.fields
    if abs(months) >= 1 << 31 or abs(days) >= 1 << 31 or abs(microseconds) >= 1 << 63:
        raise error("22008", f'interval field value out of range: "{text}"', at)
    return Interval(months, days, microseconds)


def _read_iso(bare: str, total: _Sum, text: str, at: int | None) -> None:
    dates, _, clock = bare[1:].partition("t")
    for part, units in ((dates, "ymwd"), (clock, "hms")):
        done = 0
        for found in _ISO_PART.finditer(part):
            if found.start() != done or found[2] not in units:
                raise _invalid("interval", text, at)
            done = found.end()
            unit = {"m": "month" if units == "ymwd" else "minute"}.get(found[2], found[2])
            total.add(Decimal(found[1]), *_UNITS[unit])
        if done != len(part):
            raise _invalid("interval", text, at)


def _read_verbose(bare: str, total: _Sum, text: str, at: int | None, default_unit: str) -> None:
    place = 0
    while place < len(bare):
        found = _PART.match(bare, place)
        if found is None or found.end() == place:
            raise _invalid("interval", text, at)
        place = found.end()
        if found["h"] is not None:
            clock = int(found["h"]) * HOUR + int(found["mi"]) * MINUTE
            clock += round(Decimal(found["s"] or 0) * SECOND)
            total.fields[2] += -clock if found["sign"] == "-" else clock
        elif found["y"] is not None:
            months = int(found["y"]) * 12 + int(found["mo"])
            total.fields[0] += -months if found["ys"] == "-" else months
        else:
            unit = found["unit"]
            if not unit:  # "1 2:03" has days before its clock
                before_clock = re.match(r"\s*[+-]?\d+:", bare[place:]) is not None
                unit = "day" if before_clock else default_unit
            if unit not in _UNITS:
                raise _invalid("interval", text, at)
            total.add(Decimal(found["n"]), *_UNITS[unit])
        while place < len(bare) and bare[place] in ", \t\n":
            place += 1


def timestamp_of(moment: datetime) -> int:
    """Return microseconds since 1970, UTC; a moment without a zone is UTC."""
    zone = moment.utcoffset()
    naive = moment.replace(tzinfo=None) - zone if zone is not None else moment
    span = naive - datetime(1970, 1, 1)
    return (span.days * 86_400 + span.seconds) * SECOND + span.microseconds
