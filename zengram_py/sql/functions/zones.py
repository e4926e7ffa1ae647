"""Time zones: moments as clocks in other places show them.

All moments are UTC, so ``at time zone`` gives the local time of a moment. Zones are ``UTC`` and its kin, distances from it (``+02:00`` is
west of it in a zone's name, as POSIX has it, but an interval is east), and names like ``Europe/Berlin`` wherever Python finds a database
of zones (of the system, or the package tzdata).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ..civil import DAY, HOUR, INFINITY, LEAST_TIMESTAMP, MINUS_INFINITY, MINUTE, SECOND, days_of
from ..errors import error
from ..execute.column import Column
from ..execute.context import Context
from ..types import TIMESTAMP_
from .fields import by_word
from .guards import refuse
from .moments import TIMESTAMP_RANGE, infinite_sign, with_infinities
from .registry import columns, vector
from .spans import parts

# Beyond the years that datetime knows, the rules of its last ones go on: 400 years have the same weekdays.
_CYCLE = 146_097 * DAY
_FIRST, _LAST = days_of(2, 1, 1) * DAY, days_of(9998, 1, 1) * DAY

Distance = Callable[[int, bool], int]
"""How many microseconds a zone is ahead of UTC at a moment, which is local if so said."""

_UTC = frozenset(["utc", "gmt", "z", "zulu", "ut", "universal", "greenwich", "uct", "etc/utc", "etc/gmt"])
_ABBREVIATIONS = {
    "est": -5,
    "edt": -4,
    "cst": -6,
    "cdt": -5,
    "mst": -7,
    "mdt": -6,
    "pst": -8,
    "pdt": -7,
    "akst": -9,
    "akdt": -8,
    "hst": -10,
    "ast": -4,
    "adt": -3,
    "wet": 0,
    "west": 1,
    "bst": 1,
    "cet": 1,
    "cest": 2,
    "met": 1,
    "mest": 2,
    "eet": 2,
    "eest": 3,
    "msk": 3,
    "jst": 9,
    "kst": 9,
    "aest": 10,
    "aedt": 11,
    "nzst": 12,
    "nzdt": 13,
    "sast": 2,
    "ist": 2,
}
_POSIX = re.compile(r"(?:<[^>]*>|[A-Za-z]{3,})?([+-]?)(\d{1,2})(?::(\d\d))?(?::(\d\d))?")


def _fixed(microseconds: int) -> Distance:
    return lambda moment, local: microseconds


def abbreviation(name: str) -> int | None:
    """Return how many microseconds a zone is ahead of UTC by its abbreviation; None if it is not known."""
    low = name.lower()
    hours = 0 if low in _UTC else _ABBREVIATIONS.get(low)
    return None if hours is None else hours * HOUR


@lru_cache(64)
def zone(name: str) -> Distance:
    """Return a zone by its name; 22023 if it is not known here."""
    bare = name.strip()
    short = abbreviation(bare)
    if short is not None:
        return _fixed(short)
    found = _POSIX.fullmatch(bare)
    if found is not None:
        size = int(found[2]) * HOUR + int(found[3] or 0) * MINUTE + int(found[4] or 0) * SECOND
        if size <= 167 * HOUR:
            return _fixed(size if found[1] == "-" else -size)
    return _named(bare)


def _named(name: str) -> Distance:
    import zoneinfo
    from datetime import datetime, timedelta

    key = _spelling(name)
    if key is None:
        hint = (
            ""
            if zoneinfo.available_timezones()
            else "There is no database of time zones here (a page has none): write an offset such as interval '2 hours'."
        )
        raise error("22023", f'time zone "{name}" not recognized', hint=hint)
    info = zoneinfo.ZoneInfo(key)
    start = datetime(1970, 1, 1)

    def distance(moment: int, local: bool) -> int:
        if moment >= _LAST:
            moment = moment % _CYCLE + _CYCLE
        when = start + timedelta(microseconds=max(moment, _FIRST))
        if local:
            # an hour that is left out counts as before the change, one that comes twice as after it
            both = info.utcoffset(when), info.utcoffset(when.replace(fold=1))
        else:
            both = (info.fromutc(when.replace(tzinfo=info)).utcoffset(),) * 2
        return min(ahead // timedelta(microseconds=1) for ahead in both if ahead is not None)

    return distance


@lru_cache(1)
def _spellings() -> dict[str, str]:
    import zoneinfo

    return {name.lower(): name for name in zoneinfo.available_timezones()}


def _spelling(name: str) -> str | None:
    """Return a zone's name as its database spells it."""
    return _spellings().get(name.lower())


def shifted(moments: Any, distance: Distance, *, to_utc: bool = False) -> Any:
    """Return timestamps of UTC as local ones, or the other way round; infinite ones stay."""
    out = []
    for moment in moments.tolist():
        if moment in (INFINITY, MINUS_INFINITY):
            out.append(moment)
        else:
            ahead = distance(moment, to_utc)
            out.append(moment - ahead if to_utc else moment + ahead)
    return np.array(out, np.int64)


def checked(moments: Any, live: Any) -> Any:
    """Return timestamps; 22008 if one is beyond the range."""
    bad = (moments < LEAST_TIMESTAMP) & (moments != MINUS_INFINITY)
    refuse(bad, live, *TIMESTAMP_RANGE)
    return moments


@columns("timezone: text timestamp")
def _at_zone(context: Context, arguments: Sequence[Column], count: int) -> Column:
    def compute(word: str, values: Any, nulls: Any) -> Column:
        return Column(
            TIMESTAMP_, checked(shifted(values, zone(word)), None if nulls is None else ~nulls), nulls
        )

    return by_word(arguments, count, compute, TIMESTAMP_)


@vector("timezone: interval timestamp")
def _at_distance(ahead: Any, moments: Any, live: Any) -> Any:
    months, days, time, _ = parts(ahead)
    message = "interval time zone must not include months or days"
    refuse((months != 0) | (days != 0), live, "22023", message)
    sign = infinite_sign(moments)
    found = moments + time
    return checked(found if sign is None else with_infinities(found, sign), live)


@vector("timezone: timestamp")
def _at_utc(moments: Any, live: Any) -> Any:
    return moments
