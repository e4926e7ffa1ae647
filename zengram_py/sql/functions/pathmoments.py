"""Dates and times inside SQL/JSON paths: what ``.datetime()`` and its kin make of a string, and how they compare.

JSON has no dates; inside a path they are of five kinds, and texts again when they come out::

    date   time   timetz   timestamp   timestamptz          "2024-03-10T12:34:56+03:00"

Zones are only a distance from UTC. What has none compares with what has one if the caller said so (functions ending in ``_tz``); it counts
as UTC then.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from ..civil import DAY, SECOND, days_of, month_days
from ..errors import error
from .pathrun import Trouble

HOUR_SECONDS, MINUTE_SECONDS = 3600, 60
TITLES = {
    "date": "date",
    "time": "time without time zone",
    "timetz": "time with time zone",
    "timestamp": "timestamp without time zone",
    "timestamptz": "timestamp with time zone",
}
"""What ``.type()`` says."""


class Moment(NamedTuple):
    """A date or time: days, microseconds of the (local) day, or microseconds since 1970 (UTC); the zone in seconds to the east."""

    kind: str
    value: int
    zone: int = 0

    @property
    def text(self) -> str:
        """The text that stands for it outside of paths."""
        from .output import date_text, time_text, timestamp_text

        if self.kind == "date":
            return date_text(self.value)
        if self.kind.startswith("timestamp"):
            shift = self.zone * SECOND if self.kind == "timestamptz" else 0
            text, zone = timestamp_text(self.value + shift).replace(" ", "T", 1), self.kind == "timestamptz"
        else:
            text, zone = time_text(self.value), self.kind == "timetz"
        if not zone:
            return text
        sign, seconds = "-" if self.zone < 0 else "+", abs(self.zone)
        shown = f"{sign}{seconds // HOUR_SECONDS:02}:{seconds // MINUTE_SECONDS % 60:02}"
        shown += f":{seconds % 60:02}" if seconds % 60 else ""
        day, era, _ = text.partition(" BC")
        return day + shown + era


def zone_needed(source: str, target: str, zoned: bool) -> None:
    """Refuse to turn what has no zone into what has one, or back, if nobody asked for that."""
    if not zoned:
        hint = "Use *_tz() function for time zone support."
        message = f"cannot convert value from {source} to {target} without time zone usage"
        raise error("0A000", message, hint=hint)


def compare(one: Moment, other: Moment, zoned: bool) -> int | None:
    """Return -1, 0 or 1; None if a time of day would have to compare with a date."""
    times = ("time", "timetz")
    if (one.kind in times) is not (other.kind in times):
        return None
    if one.kind != other.kind and (one.kind[-2:] == "tz") is not (other.kind[-2:] == "tz"):
        without, with_zone = sorted((one.kind, other.kind), key=lambda kind: kind[-2:] == "tz")
        zone_needed(without, with_zone, zoned)
    first, second = _key(one), _key(other)
    return (first > second) - (first < second)


def _key(moment: Moment) -> tuple[int, int]:
    if moment.kind == "date":
        return moment.value * DAY, 0
    if moment.kind in ("time", "timetz"):
        return moment.value - moment.zone * SECOND, -moment.zone
    return moment.value, 0


def rounded(moment: Moment, digits: int) -> Moment:
    """Return a moment with so many digits of its seconds' fraction."""
    step = 10 ** (6 - min(digits, 6))
    half = step // 2
    value = (
        (moment.value + half) // step * step if moment.value >= 0 else -((half - moment.value) // step * step)
    )
    return moment._replace(value=value)


# Reading.


@cache
def _standard() -> re.Pattern[str]:
    return re.compile(
        r"\s*(?:(?P<y>\d+)\s*-\s*(?P<mo>\d+)\s*-\s*(?P<d>\d+)\s*(?:(?P<between>T|(?<=\s))\s*(?=\d)|$))?"
        r"(?:(?P<h>\d+)\s*:\s*(?P<mi>\d+)\s*:\s*(?P<s>\d+)(?:\s*\.\s*(?P<f>\d{1,6}))?\s*"
        r"(?P<zone>[zZ]|[+-]\d{1,2}(?::\d{1,2}(?::\d{1,2})?)?)?\s*)?"
    )


def read_moment(text: str) -> Moment | None:
    """Return what a text in one of the formats of ISO 8601 says; None if it is none."""
    found = _standard().fullmatch(text)
    if (
        found is None
        or (found["y"] is None and found["h"] is None)
        or (found["between"] is not None and found["h"] is None)
    ):
        return None
    days = clock = None
    if found["y"] is not None:
        days = _days(int(found["y"]), int(found["mo"]), int(found["d"]))
        if days is None:
            return None
    if found["h"] is not None:
        fraction = int((found["f"] or "").ljust(6, "0"))
        clock = _clock(int(found["h"]), int(found["mi"]), int(found["s"]), fraction)
        if clock is None:
            return None
    zone = None if found["zone"] is None else _zone(found["zone"])
    if zone is not None and abs(zone) > 15 * HOUR_SECONDS + 59 * MINUTE_SECONDS + 59:
        return None
    return moment_of(days, clock, zone)


def moment_of(days: int | None, clock: int | None, zone: int | None) -> Moment:
    """Return the moment of a day, a time of day and a zone, as far as they are there; one of the first two is."""
    if clock is None:
        assert days is not None
        return Moment("date", days)
    if days is None:
        return Moment("time", clock) if zone is None else Moment("timetz", clock, zone)
    if zone is None:
        return Moment("timestamp", days * DAY + clock)
    return Moment("timestamptz", days * DAY + clock - zone * SECOND, zone)


def _days(year: int, month: int, day: int) -> int | None:
    if not (1 <= month <= 12 and 1 <= day <= month_days(year, month) and -4713 < year <= 294_276):
        return None
    return int(days_of(year, month, day))


def _clock(hour: int, minute: int, second: int, microseconds: int) -> int | None:
    if hour > 23 or minute > 59 or second > 59:
        return None
    return ((hour * 60 + minute) * 60 + second) * SECOND + microseconds


def _zone(text: str) -> int:
    if text in "zZ":
        return 0
    parts = [*map(int, text[1:].split(":")), 0, 0]
    seconds = parts[0] * HOUR_SECONDS + parts[1] * MINUTE_SECONDS + parts[2]
    return -seconds if text[0] == "-" else seconds


# Conversions.


def converted(moment: Moment, target: str, zoned: bool) -> Moment | None:
    """Return a moment as one of another kind; None if that is not possible.

    Raises
    ------
    SqlError
        0A000 if a zone would have to be assumed and may not be.
    """
    kind = moment.kind
    if kind == target:
        return moment
    day, clock = divmod(moment.value, DAY)
    if kind == "date":
        if target == "timestamptz":
            zone_needed(kind, target, zoned)
        return Moment(target, moment.value * DAY) if target.startswith("timestamp") else None
    if kind in ("time", "timetz"):
        if target not in ("time", "timetz"):
            return None
        zone_needed(kind, target, zoned)
        return Moment(target, moment.value)
    if kind == "timestamp" and target == "timetz":
        return None
    if target != "timetz" and (kind == "timestamptz" or target == "timestamptz"):
        zone_needed(kind, target, zoned)
    if target == "date":
        return Moment(target, day)
    return Moment(target, clock if target in ("time", "timetz") else moment.value)


def read_as(text: str, target: str, title: str, zoned: bool) -> Moment:
    """Return a text as a moment of one kind; 22031 if it is none."""
    found = read_moment(text)
    made = None if found is None else converted(found, target, zoned)
    if made is None:
        raise Trouble("22031", f'{title} format is not recognized: "{text}"')
    return made
