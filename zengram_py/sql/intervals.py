"""Texts of intervals.

    1 year 2 mons -3 days 04:05:06   1.5 hours ago   1-2   3 4:05   P1Y2M3DT4H5M6S   P0001-02-03T04:05:06   infinity

A fraction goes down: of a year to whole months, of a month to days and their time, of a week or day to time.
"""

from __future__ import annotations

from ..engine import Interval
from ..errors import SqlError
from .civil import DAY, HOUR, MINUTE, SECOND, SPAN_INFINITY, SPAN_MINUS_INFINITY
from .errors import error
from .patterns import pattern

YEAR, MONTH, WEEK, DAYS, TIME = range(5)
_UNITS: dict[str, tuple[int, int, str]] = {}  # the field, its size there, and the name that may come once
for _name, _field, _size, _names in (
    ("microsecond", TIME, 1, "us usec usecs microsecon"),
    ("millisecond", TIME, 1000, "ms msec msecs millisecon mils"),
    ("second", TIME, SECOND, "s sec secs"),
    ("minute", TIME, MINUTE, "m min mins"),
    ("hour", TIME, HOUR, "h hr hrs"),
    ("day", DAYS, 1, "d"),
    ("week", WEEK, 7, "w"),
    ("month", MONTH, 1, "mon mons"),
    ("year", YEAR, 1, "y yr yrs"),
    ("decade", YEAR, 10, "dec decs"),
    ("century", YEAR, 100, "c cent centuries"),
    ("millennium", YEAR, 1000, "mil millennia"),
):
    for _word in (_name, _name + "s", *_names.split()):
        _UNITS[_word] = _field, _size, _name
_SPANS = {"infinity": SPAN_INFINITY, "+infinity": SPAN_INFINITY, "-infinity": SPAN_MINUS_INFINITY}
_PART = pattern(
    r"(?P<sign>[+-]?)\s*(?:(?P<h>\d+):(?P<m>\d{1,2})(?::(?P<s>\d{1,2}(?:\.\d*)?))?(?![\d:])"
    r"|(?P<y>\d+)-(?P<mo>\d{1,2})(?![\d:-])"
    r"|(?P<n>\d+|(?=\.\d))(?P<f>\.\d*)?\s*(?P<unit>[a-z]+(?![\d]))?)[\s,]*"
)
_TIME_FOLLOWS = pattern(r"[+-]?\s*\d+:")
_ISO_PART = pattern(r"([+-]?)(\d+|(?=\.\d))(\.\d*)?([a-z])")
_ISO_DATE = pattern(r"(\d{4})-(\d\d)-(\d\d)|(\d{4})(\d\d)(\d\d)|(\d+)-(\d+)|(\d{1,4})")
_ISO_TIME = pattern(r"(\d\d):(\d\d)(?::(\d\d)(\.\d*)?)?|(\d\d)(\d\d)(\d\d)(\.\d*)?")


class _Fields:
    """What gathers of one text."""

    def __init__(self, text: str, at: int | None) -> None:
        self.text, self.at = text, at
        self.years = self.months = self.days = self.time = 0
        self.seen: set[str] = set()

    def invalid(self) -> SqlError:
        return error("22007", f'invalid input syntax for type interval: "{self.text}"', self.at)

    def overflow(self) -> SqlError:
        return error("22015", f'interval field value out of range: "{self.text}"', self.at)

    def once(self, *names: str) -> None:
        """Refuse a unit that was there."""
        if self.seen & set(names):
            raise self.invalid()
        self.seen.update(names)

    def add(self, whole: int, fraction: float, unit: str) -> None:
        """Add a number of a unit."""
        if unit not in _UNITS:
            raise self.invalid()
        field, size, name = _UNITS[unit]
        self.once(name)
        if field == YEAR:
            self.years += whole * size
            self.months += round(fraction * size * 12)
        elif field == MONTH:
            self.months += whole
            self._add_days(fraction * 30)
        elif field == WEEK:
            self.days += whole * 7
            self._add_days(fraction * 7)
        elif field == DAYS:
            self.days += whole
            self._add_time(fraction * DAY)
        else:
            self.time += whole * size
            self._add_time(fraction * size)

    def _add_days(self, days: float) -> None:
        whole = int(days)
        self.days += whole
        self._add_time((days - whole) * DAY)

    def _add_time(self, time: float) -> None:
        whole = int(time)
        rest = time - whole
        self.time += whole + (rest > 0.5) - (rest < -0.5)

    def add_clock(self, hours: int, minutes: int, seconds: float, sign: int) -> None:
        """Add hours, minutes and seconds."""
        self.once("hour", "minute", "second")
        if minutes > 59 or seconds > 60:
            raise self.overflow()
        self.time += sign * (hours * HOUR + minutes * MINUTE + round(seconds * SECOND))

    def interval(self, sign: int) -> Interval:
        """Return the sum."""
        for number, bits in ((self.years, 32), (self.months, 32), (self.days, 32), (self.time, 64)):
            if not -(1 << bits - 1) <= number < 1 << bits - 1:
                raise self.overflow()
        found = Interval(sign * (self.years * 12 + self.months), sign * self.days, sign * self.time)
        if not -(1 << 31) <= found.months < 1 << 31 or found in (SPAN_INFINITY, SPAN_MINUS_INFINITY):
            raise error("22008", "interval out of range", self.at)
        return found


def read_interval(text: str, at: int | None = None, default_unit: str = "second") -> Interval:
    """Return an interval; a number without a unit counts in the default one.

    Raises
    ------
    SqlError
        22007 for what is none, 22015 and 22008 for what is too great.
    """
    fields = _Fields(text, at)
    bare = text.strip().lower()
    if bare in _SPANS:
        return _SPANS[bare]
    if bare.startswith("p") and len(bare) > 1:
        _read_iso(bare, fields)
        return fields.interval(1)
    ago = bare.endswith(" ago")
    bare = bare.removesuffix(" ago").removeprefix("@").strip()
    if not bare:
        raise fields.invalid()
    _read_parts(bare, fields, "" if ago else default_unit)
    return fields.interval(-1 if ago else 1)


def _read_parts(bare: str, fields: _Fields, default_unit: str) -> None:
    place = 0
    while place < len(bare):
        found = _PART.match(bare, place)
        if found is None:
            raise fields.invalid()
        place = found.end()
        sign = -1 if found["sign"] == "-" else 1
        if found["h"] is not None:
            fields.add_clock(int(found["h"]), int(found["m"]), float(found["s"] or 0), sign)
        elif found["y"] is not None:
            fields.once("year", "month")
            if int(found["mo"]) > 11:
                raise fields.overflow()
            fields.years += sign * int(found["y"])
            fields.months += sign * int(found["mo"])
        else:
            unit = found["unit"]
            if unit is None:
                if place < len(bare) and not _TIME_FOLLOWS.match(bare, place):
                    raise fields.invalid()
                unit = "day" if place < len(bare) else default_unit
            fraction = found["f"] if found["f"] not in (None, ".") else "0"
            fields.add(sign * int(found["n"] or 0), sign * float(fraction), unit)


def _read_iso(bare: str, fields: _Fields) -> None:
    dates, _, clock = bare[1:].partition("t")
    other = _ISO_DATE.fullmatch(dates)
    if other is not None:
        # of years, months and days, of years and months, or of years alone
        numbers = [int(part) for part in other.groups() if part is not None]
        fields.years, fields.months, fields.days = (*numbers, 0, 0)[:3]
        dates = ""
    time = _ISO_TIME.fullmatch(clock)
    if time is not None:
        hours, minutes, seconds, fraction = time.groups()[:4] if time[1] else time.groups()[4:]
        fields.add_clock(int(hours), int(minutes), float((seconds or "0") + (fraction or "")), 1)
        clock = ""
    for part, units in ((dates, "ymwd"), (clock, "hms")):
        done = 0
        for found in _ISO_PART.finditer(part):
            if found.start() != done or found[4] not in units:
                raise fields.invalid()
            done = found.end()
            unit = {"m": "month" if units == "ymwd" else "minute"}.get(found[4], found[4])
            sign = -1 if found[1] == "-" else 1
            fraction = found[3] if found[3] not in (None, ".") else "0"
            fields.add(sign * int(found[2] or 0), sign * float(fraction), unit)
        if done != len(part):
            raise fields.invalid()
