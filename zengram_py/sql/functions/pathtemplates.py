"""Templates of ``.datetime("…")``: what PostgreSQL's ``to_timestamp`` knows, taken strictly.

A template is a row of fields (``YYYY``, ``HH24``), separators, and texts in quotes. A text has to have each separator as it is; blanks around
fields do not count; nothing may be left over.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, NamedTuple

from ..civil import days_of, is_leap, month_days
from .pathmoments import HOUR_SECONDS, MINUTE_SECONDS, Moment, moment_of, rounded
from .pathrun import Trouble

_SIZES = {"YYYY": 4, "YYY": 3, "YY": 2, "Y": 1, "IYYY": 4, "IW": 2, "ID": 1, "MM": 2, "DDD": 3, "DD": 2, "HH24": 2, "HH12": 2, "HH": 2, "MI": 2, "SSSSS": 5, "SSSS": 5, "SS": 2, "MS": 3, "US": 6, "TZH": 2, "TZM": 2}  # fmt: skip
_NUMBERS = {**_SIZES, **{f"FF{n}": n for n in range(1, 7)}}
_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")  # fmt: skip
_WORDS: dict[str, tuple[str, ...]] = {
    "MONTH": _MONTHS,
    "MON": tuple(month[:3] for month in _MONTHS),
    **dict.fromkeys(("AM", "PM"), ("am", "pm")),
    **dict.fromkeys(("A.M.", "P.M."), ("a.m.", "p.m.")),
    **dict.fromkeys(("AD", "BC"), ("ad", "bc")),
    **dict.fromkeys(("A.D.", "B.C."), ("a.d.", "b.c.")),
}
_SEPARATORS = "-./,':; "
_UNUSED = ("FM", "FX")
_DATES = frozenset(["YYYY", "YYY", "YY", "Y", "IYYY", "IW", "ID", "MM", "DDD", "DD", "MONTH", "MON", "AD", "BC", "A.D.", "B.C."])  # fmt: skip
_ZONES = frozenset(["TZH", "TZM"])


class Node(NamedTuple):
    """A field, a separator (of one character), or a character that was in quotes."""

    kind: str
    text: str


@cache
def _fields() -> re.Pattern[str]:
    names = sorted([*_NUMBERS, *_WORDS, *_UNUSED], key=len, reverse=True)
    return re.compile("|".join(map(re.escape, names)), re.IGNORECASE)


@lru_cache(64)
def _nodes(template: str) -> tuple[Node, ...]:
    found: list[Node] = []
    place = 0
    while place < len(template):
        character = template[place]
        field = _fields().match(template, place)
        if field is not None:
            if field[0].upper() not in _UNUSED:
                found.append(Node("field", field[0].upper()))
            place = field.end()
        elif character == '"':
            end = template.find('"', place + 1)
            end = len(template) if end < 0 else end
            found += [Node("text", c) for c in template[place + 1 : end]]
            place = end + 1
        elif character in _SEPARATORS:
            found.append(Node("separator", character))
            place += 1
        else:
            raise Trouble("22007", f'invalid datetime format separator: "{character}"')
    return tuple(found)


def read_template(text: str, template: str) -> Moment:
    """Return the moment that a text says in a template's form; 22007 and 22008 if it does not fit."""
    nodes = _nodes(template)
    fields = _Reader(text, nodes).fields()
    names = {node.text for node in nodes if node.kind == "field"}
    dated, zoned = bool(names & _DATES), bool(names & _ZONES)
    timed = bool(names - _DATES - _ZONES)
    if zoned and not timed:
        raise Trouble("22007", "datetime format is zoned but not timed")
    if not dated and not timed:
        raise Trouble("22007", "datetime format is not dated and not timed")
    days = _days(fields, text) if dated else None
    clock = _clock(fields, text) if timed else None
    found = moment_of(days, clock, _zone(fields, text) if zoned else None)
    digits = next((int(name[2]) for name in names if name.startswith("FF")), 6)
    return found if digits == 6 or found.kind == "date" else rounded(found, digits)


class _Reader:
    """Goes along a text by a template."""

    def __init__(self, text: str, nodes: tuple[Node, ...]) -> None:
        self.text = text
        self.nodes = nodes
        self.place = 0
        self.skipped = 0

    def skip(self) -> None:
        start = self.place
        while self.text[self.place : self.place + 1].isspace():
            self.place += 1
        self.skipped += self.place - start

    def fields(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        text, nodes = self.text, self.nodes
        for i, (kind, name) in enumerate(nodes):
            if self.place >= len(text) and not (name == " " and self.skipped):
                raise Trouble("22007", "input string is too short for datetime format")
            if kind == "field":
                self.skip()
                if name in _WORDS:
                    self._word(name, found)
                else:
                    self._number(name, i, found)
                self.skipped = 0
                self.skip()
            elif name == " " and kind == "separator" and self.skipped:
                self.skipped -= 1
            elif text[self.place] == name:
                self.place += 1
            else:
                what = "separator" if kind == "separator" else "character"
                raise Trouble("22007", f'unmatched format {what} "{name}"')
        self.skip()
        if self.place < len(text):
            raise Trouble("22007", "trailing characters remain in input string after datetime format")
        return found

    def _word(self, name: str, found: dict[str, Any]) -> None:
        rest = self.text[self.place :].lower()
        words = _WORDS[name]
        word = next((w for w in words if rest.startswith(w)), None)
        if word is None:
            raise Trouble("22007", f'invalid value "{rest[:9]}" for "{name}"')
        self.place += len(word)
        group = "MM" if name in ("MONTH", "MON") else "half" if name[0] in "AP" and "M" in name else "era"
        found[group] = words.index(word) + (group == "MM")

    def _number(self, name: str, at: int, found: dict[str, Any]) -> None:
        text, start = self.text, self.place
        if name == "TZH":
            found["sign"] = -1 if text.startswith("-", start) else 1
            start += text[start : start + 1] in ("+", "-")
        end = start
        size = _NUMBERS[name]
        following = self.nodes[at + 1] if at + 1 < len(self.nodes) else None
        runs_on = following is not None and (
            following.text in _NUMBERS and following.text not in _ZONES
            if following.kind == "field"
            else following.text.isdigit()
        )
        limit = start + size if runs_on else len(text)
        while end < limit and text[end : end + 1].isascii() and text[end : end + 1].isdigit():
            end += 1
        digits = text[start:end]
        if not digits:
            raise Trouble("22007", f'invalid value "{text[start : start + size]}" for "{name}"')
        self.place = end
        found[name] = int(digits)
        if name[:2] == "FF" or name in ("MS", "US"):
            power = 3 if name == "MS" else 6
            if len(digits) > power:
                raise Trouble("22008", f'date/time field value out of range: "{text}"')
            found["fraction"] = int(digits.ljust(power, "0")) * 10 ** (6 - power)


def _out_of_range(text: str) -> Trouble:
    return Trouble("22008", f'date/time field value out of range: "{text}"')


def _full_year(year: int) -> int:
    """Return the year near 2020 that one with fewer than four digits means."""
    for limit, more in ((70, 2000), (100, 1900), (520, 2000), (1000, 1000)):
        if year < limit:
            return year + more
    return year


def _days(fields: dict[str, Any], text: str) -> int:
    get: Callable[[str, int], int] = fields.get
    if "IYYY" in fields:
        first = int(days_of(fields["IYYY"], 1, 4))
        return first - (first + 3) % 7 + (get("IW", 1) - 1) * 7 + get("ID", 1) - 1
    year = get("YYYY", 0)
    for name in ("YYY", "YY", "Y"):
        if name in fields:
            year = _full_year(fields[name])
    if get("era", 0):
        year = 1 - year
    if "DDD" in fields:
        if not 1 <= fields["DDD"] <= 365 + is_leap(year):
            raise _out_of_range(text)
        return int(days_of(year, 1, 1)) + int(fields["DDD"]) - 1
    month, day = get("MM", 1), get("DD", 1)
    if not (1 <= month <= 12 and 1 <= day <= month_days(year, month)):
        raise _out_of_range(text)
    return int(days_of(year, month, day))


def _clock(fields: dict[str, Any], text: str) -> int:
    get: Callable[[str, int], int] = fields.get
    seconds = fields.get("SSSSS", fields.get("SSSS"))
    if seconds is None:
        hour = fields.get("HH24", fields.get("HH12", fields.get("HH", 0)))
        if "half" in fields or ("HH24" not in fields and ("HH12" in fields or "HH" in fields)):
            if not 1 <= hour <= 12:
                raise Trouble("22007", f'hour "{hour}" is invalid for the 12-hour clock')
            hour = hour % 12 + 12 * get("half", 0)
        minute, second = get("MI", 0), get("SS", 0)
        if hour > 23 or minute > 59 or second > 59:
            raise _out_of_range(text)
        seconds = hour * HOUR_SECONDS + minute * MINUTE_SECONDS + second
    if seconds >= 86_400:
        raise _out_of_range(text)
    return int(seconds) * 1_000_000 + get("fraction", 0)


def _zone(fields: dict[str, Any], text: str) -> int:
    hours, minutes = fields.get("TZH", 0), fields.get("TZM", 0)
    if hours > 15 or minutes > 59:
        raise Trouble("22009", f'time zone displacement out of range: "{text}"')
    return int(fields.get("sign", 1) * (hours * HOUR_SECONDS + minutes * MINUTE_SECONDS))
