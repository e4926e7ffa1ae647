"""Fields of dates and times that a template reads in a text.

Template and text are gone through side by side. A field takes as many digits as it is wide, or all there are if what follows it is no digit.
Spaces and punctuation of the template match any or none, other characters let one of the text go. What becomes of the fields is in
moment_assembly.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ...errors import SqlError
from ..errors import error
from .moment_templates import DAYS, MONTHS, ROMAN_MONTHS, moment_template
from .templates import Piece, is_separator

_WHOLE = re.compile(r"\s*[+-]?\d+")
_WIDTHS = {
    "CC": 2,
    "DDD": 3,
    "DD": 2,
    "D": 1,
    "HH24": 2,
    "HH12": 2,
    "HH": 2,
    "IDDD": 3,
    "ID": 1,
    "IW": 2,
    "IYYY": 4,
    "IYY": 3,
    "IY": 2,
    "I": 1,
    "J": 1,
    "MI": 2,
    "MM": 2,
    "MS": 3,
    "Q": 1,
    "SSSSS": 5,
    "SSSS": 4,
    "SS": 2,
    "US": 6,
    "WW": 2,
    "W": 1,
    "YYYY": 4,
    "YYY": 3,
    "YY": 2,
    "Y": 1,
    "TZH": 2,
    "TZM": 2,
    **{f"FF{digits}": digits for digits in range(1, 7)},
}
_WORDS = frozenset(
    [
        "A.D.",
        "A.M.",
        "AD",
        "AM",
        "B.C.",
        "BC",
        "DAY",
        "DY",
        "MONTH",
        "MON",
        "P.M.",
        "PM",
        "RM",
        "FX",
        "OF",
        "TZ",
    ]
)
_ISO = frozenset(["IDDD", "ID", "IW", "IYYY", "IYY", "IY", "I"])
_NEUTRAL = frozenset(
    ["A.M.", "AM", "P.M.", "PM", "HH", "HH12", "HH24", "MI", "SS", "MS", "US", "SSSS", "SSSSS", "FX", "TZ", "TZH", "TZM", "OF"]
    + [f"FF{digits}" for digits in range(1, 7)]
    + ["A.D.", "AD", "B.C.", "BC", "CC", "DAY", "DY", "J", "Q"]
)  # fmt: skip
_FIELDS = {  # what is set by a field, if not what it is called
    **dict.fromkeys(("HH", "HH12", "HH24"), "hour"),
    "MI": "minute",
    "SS": "second",
    "SSSS": "seconds",
    "SSSSS": "seconds",
    "MM": "month",
    "DD": "day",
    "DDD": "day of year",
    "IDDD": "day of year",
    "D": "weekday",
    "ID": "weekday",
    "WW": "week",
    "IW": "week",
    "W": "week of month",
    "CC": "century",
    "J": "julian",
}


class Reader:
    """Reads a text."""

    def __init__(self, text: str, template: str) -> None:
        self.text, self.pieces = text, moment_template(template)
        self.at = 0
        self.skipped = 0  # characters that the template has not asked for
        self.is_exact = False
        self.values: dict[str, int] = {}
        self.is_iso: bool | None = None
        self.half_day = False
        self.digits = 6
        self.year_width = 0

    def read(self) -> Reader:
        """Go through the text; return itself."""
        for place, piece in enumerate(self.pieces):
            if self.at >= len(self.text):
                break
            is_field = piece.kind == "field"
            if not self.is_exact and piece.name != "FX" and (is_field or not place):
                self._spaces()
            if not is_field:
                self._between(piece)
                continue
            self._check_calendar(piece)
            self._field(piece, place)
            if not self.is_exact:
                self.skipped = 0
                self._spaces()
        return self

    def _spaces(self) -> None:
        while self.text[self.at : self.at + 1].isspace():
            self.at += 1
            self.skipped += 1

    def _between(self, piece: Piece) -> None:
        """Go past a character that is no field."""
        if self.is_exact:
            self.at += 1
        elif piece.kind == "text":
            if self.skipped > 0:
                self.skipped -= 1
            else:
                self.at += 1
        else:
            self.skipped -= 1
            current = self.text[self.at : self.at + 1]
            if current and (current.isspace() or is_separator(current)):
                self.at += 1
                self.skipped += 1

    def _check_calendar(self, piece: Piece) -> None:
        """Refuse weeks of ISO's calendar beside other dates."""
        if piece.name in _NEUTRAL:
            return
        is_iso = piece.name in _ISO
        if self.is_iso not in (None, is_iso):
            hint = "Do not mix Gregorian and ISO week date conventions in a formatting template."
            raise error("22007", "invalid combination of date conventions", hint=hint)
        self.is_iso = is_iso

    def set(self, field: str, value: int, piece: Piece) -> None:
        """Set a field; 22007 if it is something else already."""
        if self.values.get(field, 0) not in (0, value):
            detail = "This value contradicts a previous setting for the same field type."
            message = f'conflicting values for "{piece.text}" field in formatting string'
            raise error("22007", message, detail=detail)
        self.values[field] = value

    def _field(self, piece: Piece, place: int) -> None:
        name = piece.name
        if name in _SPECIAL:
            _SPECIAL[name](self, piece, place)
            return
        value, length = self.number(piece, place, _WIDTHS[name])
        if name == "MS":
            self.set("millisecond", value * 10 ** max(3 - length, 0), piece)
        elif name in ("US", "FF1", "FF2", "FF3", "FF4", "FF5", "FF6"):
            self.digits = 6 if name == "US" else int(name[2])
            self.set("microsecond", value * 10 ** max(6 - length, 0), piece)
        elif name in ("YYYY", "IYYY", "YYY", "IYY", "YY", "IY", "Y", "I"):
            self.year_width = len(name)
            if self.year_width < 4 and length < 4:
                value = _near_2020(value)
            self.set("year", value, piece)
        elif name == "ID":
            self.set("weekday", value % 7 + 1, piece)
        elif name != "Q":
            self.half_day = self.half_day or name in ("HH", "HH12")
            self.set(_FIELDS[name], value, piece)
        if piece.ordinal:
            self.at = min(self.at + 2, len(self.text))

    def number(self, piece: Piece, place: int, width: int) -> tuple[int, int]:
        """Return a number and how many characters it took."""
        start = self.at
        while self.text[self.at : self.at + 1].isspace():
            self.at += 1
        if piece.prefix == "FM" or piece.ordinal or self._ends(place):
            found = _WHOLE.match(self.text, self.at)
            if found is None:
                raise self._no_number(piece, self.text[start : start + width])
            self.at = found.end()
        else:
            part = self.text[self.at : self.at + width]
            if len(part) < width:
                detail = f"Field requires {width} characters, but only {len(part)} remain."
                hint = 'If your source string is not fixed-width, try using the "FM" modifier.'
                message = f'source string too short for "{piece.text}" formatting field'
                raise error("22007", message, detail=detail, hint=hint)
            found = _WHOLE.match(part)
            if found is None:
                raise self._no_number(piece, part)
            if found.end() < width:
                detail = f"Field requires {width} characters, but only {found.end()} could be parsed."
                hint = 'If your source string is not fixed-width, try using the "FM" modifier.'
                raise error("22007", f'invalid value "{part}" for "{piece.text}"', detail=detail, hint=hint)
            self.at += width
        value = int(found[0])
        if not -(1 << 31) <= value < 1 << 31:
            detail = f"Value must be in the range {-(1 << 31)} to {(1 << 31) - 1}."
            raise error("22008", f'value for "{piece.text}" in source string is out of range', detail=detail)
        return value, self.at - start

    @staticmethod
    def _no_number(piece: Piece, part: str) -> SqlError:
        message = f'invalid value "{part}" for "{piece.text}"'
        return error("22007", message, detail="Value must be an integer.")

    def _ends(self, place: int) -> bool:
        """Return whether what follows a field in the template is no digit."""
        if place + 1 == len(self.pieces):
            return True
        following = self.pieces[place + 1]
        if following.kind == "field":
            return following.name in _WORDS
        return not "0" <= following.text <= "9"

    def word(self, piece: Piece, words: Sequence[str]) -> int:
        """Return which of some words comes next."""
        rest = self.text[self.at :].lower()
        for i, word in enumerate(words):
            if rest.startswith(word.lower()):
                self.at += len(word)
                return i
        part = (self.text[self.at :].split() or [""])[0]
        detail = "The given value did not match any of the allowed values for this field."
        raise error("22007", f'invalid value "{part}" for "{piece.text}"', detail=detail)


def _near_2020(year: int) -> int:
    """Return the year of at most three digits that is nearest to 2020."""
    if year < 70:
        return year + 2000
    if year < 100:
        return year + 1900
    if year < 520:
        return year + 2000
    return year + 1000 if year < 1000 else year


# Fields that are no plain numbers.

_Special = Callable[[Reader, Piece, int], None]


def _half_day(reader: Reader, piece: Piece, place: int) -> None:
    words = ("a.m.", "p.m.") if "." in piece.text else ("am", "pm")
    reader.set("after noon", reader.word(piece, words), piece)
    reader.half_day = True


def _era(reader: Reader, piece: Piece, place: int) -> None:
    words = ("a.d.", "b.c.") if "." in piece.text else ("ad", "bc")
    reader.set("before 1", reader.word(piece, words), piece)


def _month(reader: Reader, piece: Piece, place: int) -> None:
    names = [name[:3] for name in MONTHS] if piece.name == "MON" else MONTHS
    reader.set("month", reader.word(piece, names) + 1, piece)


def _day(reader: Reader, piece: Piece, place: int) -> None:
    names = [name[:3] for name in DAYS] if piece.name == "DY" else DAYS
    reader.set("weekday", reader.word(piece, names) + 1, piece)


def _roman_month(reader: Reader, piece: Piece, place: int) -> None:
    longest_first = sorted(ROMAN_MONTHS, key=len, reverse=True)
    found = longest_first[reader.word(piece, longest_first)]
    reader.set("month", ROMAN_MONTHS.index(found) + 1, piece)


_THOUSANDS = re.compile(r"\s*([+-]?\d+),(\d{1,3})")


def _year_with_comma(reader: Reader, piece: Piece, place: int) -> None:
    found = _THOUSANDS.match(reader.text, reader.at)
    if found is None:
        raise error("22007", f'invalid value "{reader.text[reader.at :]}" for "{piece.text}"')
    reader.at = found.end()
    reader.year_width = 4
    reader.set("year", int(found[1]) * 1000 + int(found[2]), piece)
    if piece.ordinal:
        reader.at = min(reader.at + 2, len(reader.text))


def _exact(reader: Reader, piece: Piece, place: int) -> None:
    reader.is_exact = True


def _zone_hour(reader: Reader, piece: Piece, place: int) -> None:
    current = reader.text[reader.at : reader.at + 1]
    if current and current in "+- ":
        sign = -1 if current == "-" else 1
        reader.at += 1
    else:  # a minus may have gone as a separator
        sign = -1 if reader.skipped > 0 and reader.text[reader.at - 1 : reader.at] == "-" else 1
    reader.values["zone sign"] = sign
    reader.set("zone hour", reader.number(piece, place, 2)[0], piece)


def _zone_minute(reader: Reader, piece: Piece, place: int) -> None:
    reader.values.setdefault("zone sign", 1)
    reader.set("zone minute", reader.number(piece, place, 2)[0], piece)


def _zone_distance(reader: Reader, piece: Piece, place: int) -> None:
    _zone_hour(reader, piece, place)
    if reader.text[reader.at : reader.at + 1] == ":":
        reader.at += 1
        reader.set("zone minute", reader.number(piece, place, 2)[0], piece)


_ABBREVIATION = re.compile(r"[A-Za-z]+")


def _zone_name(reader: Reader, piece: Piece, place: int) -> None:
    from .zones import abbreviation

    found = _ABBREVIATION.match(reader.text, reader.at)
    if found is None:
        if reader.text[reader.at : reader.at + 1] in tuple("+-0123456789"):
            _zone_distance(reader, piece, place)
            return
        ahead = None
    else:
        ahead = abbreviation(found[0])
    if found is None or ahead is None:
        part = reader.text[reader.at :]
        detail = "Time zone abbreviation is not recognized."
        raise error("22007", f'invalid value "{part}" for "{piece.text}"', detail=detail)
    reader.at = found.end()
    reader.values["zone"] = ahead


_SPECIAL: dict[str, _Special] = {
    **dict.fromkeys(("A.M.", "P.M.", "AM", "PM"), _half_day),
    **dict.fromkeys(("A.D.", "B.C.", "AD", "BC"), _era),
    **dict.fromkeys(("MONTH", "MON"), _month),
    **dict.fromkeys(("DAY", "DY"), _day),
    "RM": _roman_month,
    "Y,YYY": _year_with_comma,
    "FX": _exact,
    "TZ": _zone_name,
    "TZH": _zone_hour,
    "TZM": _zone_minute,
    "OF": _zone_distance,
}
