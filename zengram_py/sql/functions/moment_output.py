"""Dates, times and intervals as a template shows them: ``to_char``.

Both are first taken apart into the fields of a clock and a calendar. Of an interval some fields mean nothing, and asking for them is an
error. Times are UTC, and that is what fields of zones say.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from ...engine import Interval
from ..civil import DAY, INFINITY, JULIAN_1970, MINUS_INFINITY, SECOND, civil_of, days_of, iso_week
from ..errors import error
from .moment_templates import DAYS, MONTHS, ROMAN_MONTHS, moment_template
from .number_output import ordinal
from .spans import infinity
from .templates import Piece


class Fields(NamedTuple):
    """A moment or an interval, taken apart.

    Attributes
    ----------
    year, month, day, hour, minute, second, microsecond : int
        Years before 1 are 0 and below.
    day_of_year : int
        Of an interval about its days.
    days : int or None
        Days since 1970; None of an interval.
    """

    year: int
    month: int
    day: int
    hour: int
    minute: int
    second: int
    microsecond: int
    day_of_year: int
    days: int | None

    @property
    def shown_year(self) -> int:
        """The year as people count."""
        return 1 - self.year if self.days is not None and self.year <= 0 else self.year

    @property
    def julian(self) -> int:
        """The Julian day."""
        if self.days is not None:
            return self.days + JULIAN_1970
        # of an interval's fields, which are no date: the formula of dates goes on for months below one
        year, month = (
            (self.year + 4800, self.month + 1) if self.month > 2 else (self.year + 4799, self.month + 13)
        )
        century = year // 100
        return year * 365 - 32_167 + year // 4 - century + century // 4 + 7834 * month // 256 + self.day


def timestamp_to_char(value: int, template: str) -> str | None:
    """Return a timestamp as a template shows it; None if it is infinite or the template empty."""
    if value in (INFINITY, MINUS_INFINITY) or not template:
        return None
    days, time = divmod(value, DAY)
    year, month, day = civil_of(days)
    clock = _clock(time)
    return _written(Fields(year, month, day, *clock, days - days_of(year, 1, 1) + 1, days), template)


def interval_to_char(value: Interval, template: str) -> str | None:
    """Return an interval as a template shows it; None if it is infinite or the template empty."""
    if infinity(value) or not template:
        return None
    sign = -1 if value.months < 0 else 1
    years, months = (sign * part for part in divmod(abs(value.months), 12))
    clock = [(-1 if value.microseconds < 0 else 1) * part for part in _clock(abs(value.microseconds))]
    hour, minute, second, microsecond = clock
    about = (years * 12 + months) * 30 + value.days
    return _written(
        Fields(years, months, value.days, hour, minute, second, microsecond, about, None), template
    )


def _clock(time: int) -> tuple[int, int, int, int]:
    seconds, microsecond = divmod(time, SECOND)
    return seconds // 3600, seconds // 60 % 60, seconds % 60, microsecond


def _written(fields: Fields, template: str) -> str:
    return "".join([write(fields) if write is not None else text for write, text in _writers(template)])


Write = Callable[[Fields], str]


@lru_cache(256)
def _writers(template: str) -> tuple[tuple[Write | None, str], ...]:
    """Return for each piece of a template the function that writes it, or its text."""
    return tuple(
        (_writer(piece), "") if piece.kind == "field" else (None, piece.text)
        for piece in moment_template(template)
    )


def _writer(piece: Piece) -> Write:
    name, is_filled = piece.name, piece.prefix == "FM"
    if name in _NUMBERS:
        number, width = _NUMBERS[name]
        return _number(piece, number, 0 if is_filled else width)
    if name in _FRACTIONS:
        digits = _FRACTIONS[name]
        return _with_ordinal(piece, lambda f: f"{_cut(f.microsecond, 10 ** (6 - digits)):0{digits}}")
    return _WORDS[name](piece)


def _cut(value: int, size: int) -> int:
    """Return a quotient, rounded toward zero."""
    whole = abs(value) // size
    return whole if value >= 0 else -whole


def _rest(value: int, size: int) -> int:
    """Return what a division leaves, with the sign of what was divided."""
    rest = abs(value) % size
    return rest if value >= 0 else -rest


# Numbers.


def _number(piece: Piece, number: Callable[[Fields], int | None], width: int) -> Write:
    """Return what writes a number with zeros up to a width, beside its sign."""
    signed_width = width + 1 if width > 1 and piece.name not in _OF_DAYS else width
    of_year = piece.name in _YEARS

    def write(fields: Fields) -> str:
        value = number(fields)
        if value is None:
            return ""
        is_negative = (fields.shown_year if of_year else value) < 0
        return f"{value:0{signed_width if is_negative else width}}"

    return _with_ordinal(piece, write)


def _with_ordinal(piece: Piece, write: Write) -> Write:
    if not piece.ordinal:
        return write
    is_small = piece.ordinal == "th"

    def with_ordinal(fields: Fields) -> str:
        text = write(fields)
        if not text:
            return text
        return text + (ordinal(text) if is_small else ordinal(text).upper())

    return with_ordinal


def _hour_12(fields: Fields) -> int:
    return _rest(fields.hour, 12) or 12


def _century(fields: Fields) -> int:
    year = fields.year
    if fields.days is None:
        return _cut(year, 100)
    return (year - 1) // 100 + 1 if year > 0 else _cut(year, 100) - 1


def _of_date(number: Callable[[int], int]) -> Callable[[Fields], int]:
    """Return a number of a date's days; an interval has it of the date that its fields would be."""
    return lambda fields: number(fields.julian - JULIAN_1970)


def _iso_year(fields: Fields) -> int:
    year: int = iso_week(fields.julian - JULIAN_1970)[0]
    return 1 - year if fields.days is not None and year <= 0 else year


def _iso_day_of_year(days: int) -> int:
    week: int = iso_week(days)[1]
    return (week - 1) * 7 + (days + 3) % 7 + 1


def _weekday(fields: Fields) -> int:
    return (_days(fields) + 4) % 7


def _days(fields: Fields) -> int:
    if fields.days is None:
        raise _of_no_interval()
    return fields.days


def _of_no_interval() -> Exception:
    hint = "Intervals are not tied to specific calendar dates."
    return error("22007", "invalid format specification for an interval value", hint=hint)


_NUMBERS: dict[str, tuple[Callable[[Fields], int | None], int]] = {
    "HH": (_hour_12, 2),
    "HH12": (_hour_12, 2),
    "HH24": (lambda f: f.hour, 2),
    "MI": (lambda f: f.minute, 2),
    "SS": (lambda f: f.second, 2),
    "SSSS": (lambda f: f.hour * 3600 + f.minute * 60 + f.second, 0),
    "SSSSS": (lambda f: f.hour * 3600 + f.minute * 60 + f.second, 0),
    "MM": (lambda f: f.month, 2),
    "DD": (lambda f: f.day, 2),
    "DDD": (lambda f: f.day_of_year, 3),
    "D": (lambda f: _weekday(f) + 1, 0),
    "ID": (lambda f: _weekday(f) or 7, 0),
    "IDDD": (_of_date(_iso_day_of_year), 3),
    "WW": (lambda f: _cut(f.day_of_year - 1, 7) + 1, 2),
    "IW": (_of_date(lambda days: int(iso_week(days)[1])), 2),
    "W": (lambda f: _cut(f.day - 1, 7) + 1, 0),
    "Q": (lambda f: _cut(f.month - 1, 3) + 1 if f.month else None, 0),
    "YYYY": (lambda f: f.shown_year, 4),
    "YYY": (lambda f: _rest(f.shown_year, 1000), 3),
    "YY": (lambda f: _rest(f.shown_year, 100), 2),
    "Y": (lambda f: _rest(f.shown_year, 10), 1),
    "IYYY": (_iso_year, 4),
    "IYY": (lambda f: _rest(_iso_year(f), 1000), 3),
    "IY": (lambda f: _rest(_iso_year(f), 100), 2),
    "I": (lambda f: _rest(_iso_year(f), 10), 1),
    "J": (lambda f: f.julian, 0),
}
_YEARS = frozenset(["YYYY", "YYY", "YY", "Y", "IYYY", "IYY", "IY", "I"])
_OF_DAYS = frozenset(["DD", "DDD", "IDDD", "WW", "IW"])  # a minus takes the place of a zero
_FRACTIONS = {"FF1": 1, "FF2": 2, "FF3": 3, "FF4": 4, "FF5": 5, "FF6": 6, "MS": 3, "US": 6}

# Words.


def _cased(text: str, like: str) -> str:
    """Return a word in capitals, in small letters or as it is, like a field's name is written."""
    return text.upper() if like.isupper() else text.lower() if like.islower() else text


def _word(piece: Piece, word: Callable[[Fields], str], width: int = 0) -> Write:
    pattern = piece.text
    padding = 0 if piece.prefix else width
    return lambda fields: _cased(word(fields), pattern).ljust(padding)


def _half_day(piece: Piece) -> Write:
    dots = "." in piece.text

    def word(fields: Fields) -> str:
        is_after = _rest(fields.hour, 24) >= 12
        return ("P.M." if is_after else "A.M.") if dots else ("PM" if is_after else "AM")

    return _word(piece, word)


def _era(piece: Piece) -> Write:
    dots = "." in piece.text

    def word(fields: Fields) -> str:
        _days(fields)
        return ("B.C." if fields.year <= 0 else "A.D.") if dots else ("BC" if fields.year <= 0 else "AD")

    return _word(piece, word)


def _month(piece: Piece) -> Write:
    def word(fields: Fields) -> str:
        _days(fields)
        name = MONTHS[fields.month - 1]
        return name[:3] if len(piece.text) == 3 else name

    return _word(piece, word, 9 if len(piece.text) == 5 else 0)


def _day(piece: Piece) -> Write:
    def word(fields: Fields) -> str:
        name = DAYS[_weekday(fields)]
        return name[:3] if len(piece.text) == 2 else name

    return _word(piece, word, 9 if len(piece.text) == 3 else 0)


def _roman_month(piece: Piece) -> Write:
    def word(fields: Fields) -> str:
        month = fields.month
        if not month and not fields.year:
            return ""
        if not month:
            return ROMAN_MONTHS[11 if fields.year > 0 else 0]
        return ROMAN_MONTHS[month - 1 if month > 0 else 12 + month]

    def write(fields: Fields) -> str:
        found = _cased(word(fields), piece.text)
        return found.ljust(0 if piece.prefix == "FM" or not found else 4)

    return write


def _thousands(piece: Piece) -> Write:
    def write(fields: Fields) -> str:
        thousands = _cut(fields.shown_year, 1000)
        return f"{thousands},{fields.shown_year - thousands * 1000:03}"

    return _with_ordinal(piece, write)


def _centuries(piece: Piece) -> Write:
    def write(fields: Fields) -> str:
        value = _century(fields)
        width = 0 if piece.prefix == "FM" or abs(value) > 99 else 2 if value >= 0 else 3
        return f"{value:0{width}}"

    return _with_ordinal(piece, write)


def _zone(text: str) -> Callable[[Piece], Write]:
    def write(fields: Fields, piece: Piece) -> str:
        _days(fields)
        return text.lower() if piece.text.islower() else text

    return lambda piece: lambda fields: write(fields, piece)


def _nothing(piece: Piece) -> Write:
    return lambda fields: ""


_WORDS: dict[str, Callable[[Piece], Write]] = {
    **dict.fromkeys(("A.M.", "P.M.", "AM", "PM"), _half_day),
    **dict.fromkeys(("A.D.", "B.C.", "AD", "BC"), _era),
    **dict.fromkeys(("MONTH", "MON"), _month),
    **dict.fromkeys(("DAY", "DY"), _day),
    "RM": _roman_month,
    "Y,YYY": _thousands,
    "CC": _centuries,
    "TZ": _zone("UTC"),
    "TZH": _zone("+00"),
    "TZM": _zone("00"),
    "OF": _zone("+00"),
    "FX": _nothing,
}
