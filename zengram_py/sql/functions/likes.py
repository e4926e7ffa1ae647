r"""``LIKE``: a pattern as a function that tells whether a text fits.

    abc        the text itself              a\%        ``%`` itself: the backslash takes the meaning from what follows
    a%         begins with                  a_c        any one character
    %a         ends with                    a%b_d%e    the general case
    %a%        has in it

A pattern is cut at its ``%``. Each segment has a fixed length; the first one must be at the beginning, the last one at the end, and those between are
found from left to right, each as early as possible, so a match takes no longer than the text is long. Patterns of bytes are the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from operator import contains
from typing import Any, Generic, TypeVar

import numpy as np

from ..errors import error
from ..execute.column import Mask

Part = TypeVar("Part", str, bytes)
Fits = Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class _Segment(Generic[Part]):
    """A part of a pattern without ``%``: a text, or an expression if there are any-characters in it."""

    literal: Part
    expression: re.Pattern[Part] | None
    size: int

    def find(self, text: Part, start: int) -> int:
        """Return where it is from a place on, -1 if it is not."""
        if self.expression is None:
            return text.find(self.literal, start)
        found = self.expression.search(text, start)
        return -1 if found is None else found.start()

    def is_at(self, text: Part, place: int) -> bool:
        if self.expression is None:
            return text.startswith(self.literal, place)
        return self.expression.match(text, place) is not None


@dataclass(frozen=True, slots=True)
class Like(Generic[Part]):
    """A pattern that was read.

    Attributes
    ----------
    kind : str
        ``"equal"``, ``"prefix"``, ``"suffix"``, ``"part"``, ``"any"``, or ``"general"``.
    literal : str or bytes
        What counts for the first four.
    fits : callable
        Whether a text fits, for all kinds.
    """

    kind: str
    literal: Part
    fits: Fits

    def mask(self, texts: Collection[Any], count: int) -> Mask:
        """Return which of many texts fit, shape (count,); false for None."""
        part = self.literal
        found: Iterable[bool]
        if self.kind == "part":
            try:  # without None the loop is one of C
                return np.frombuffer(bytearray(map(contains, texts, repeat(part))), dtype=bool)
            except TypeError:
                found = [text is not None and part in text for text in texts]
        elif self.kind == "equal":
            found = [text == part for text in texts]
        elif self.kind == "any":
            found = [text is not None for text in texts]
        elif self.kind == "prefix":
            found = [text is not None and text.startswith(part) for text in texts]
        else:
            fits = self.fits
            found = [text is not None and fits(text) for text in texts]
        return np.fromiter(found, bool, count)


@lru_cache(256)
def like(pattern: Part) -> Like[Part]:
    """Return what a pattern means; 22025 comes only when a text gets as far as a backslash at the end."""
    segments, dangling = _segments(pattern)
    empty = pattern[:0]
    if dangling:
        return Like("general", empty, _refusing(segments))
    first, last = segments[0], segments[-1]
    plain = all(s.expression is None for s in segments)
    if len(segments) == 1:
        return Like("equal" if plain else "general", first.literal, _whole(first))
    inner = [s for s in segments[1:-1] if s.size]
    if plain and not inner and not first.size and not last.size:
        return Like("any", empty, lambda text: True)
    if plain and not inner and not last.size:
        return Like("prefix", first.literal, lambda text: text.startswith(first.literal))
    if plain and not inner and not first.size:
        return Like("suffix", last.literal, lambda text: text.endswith(last.literal))
    if plain and len(inner) == 1 and not first.size and not last.size:
        return Like("part", inner[0].literal, lambda text: inner[0].literal in text)
    return Like("general", empty, _general(first, inner, last))


def _segments(pattern: Part) -> tuple[list[_Segment[Part]], bool]:
    """Return the parts of a pattern between its ``%``, and whether it ends with a backslash that means nothing."""
    many: Any
    many, one, escape = ("%", "_", "\\") if isinstance(pattern, str) else (b"%", b"_", b"\\")
    found: list[_Segment[Part]] = []
    items: list[Any] = []  # of the segment: characters, None for any
    given = iter([pattern[i : i + 1] for i in range(len(pattern))])
    dangling = False
    for character in given:
        if character == many:
            found.append(_segment(items, pattern[:0]))
            items = []
        elif character == one:
            items.append(None)
        elif character == escape:
            following = next(given, None)
            if following is None:
                dangling = True
            else:
                items.append(following)
        else:
            items.append(character)
    found.append(_segment(items, pattern[:0]))
    return found, dangling


def _segment(items: list[Any], empty: Part) -> _Segment[Part]:
    if None not in items:
        return _Segment(empty.join(items), None, len(items))
    any_one: Any = "." if isinstance(empty, str) else b"."
    source: Part = empty.join([any_one if item is None else re.escape(item) for item in items])
    return _Segment(empty, re.compile(source, re.DOTALL), len(items))


def _whole(segment: _Segment[Part]) -> Fits:
    if segment.expression is None:
        literal = segment.literal
        return lambda text: bool(text == literal)
    matches = segment.expression.fullmatch
    return lambda text: matches(text) is not None


def _general(first: _Segment[Part], inner: list[_Segment[Part]], last: _Segment[Part]) -> Fits:
    segments: list[Any] = [first, *inner, last]
    if all(segment.expression is None for segment in segments):
        return _literals(first.literal, [(segment.literal, segment.size) for segment in inner], last.literal)
    least = first.size + last.size

    def fits(text: Part) -> bool:
        end = len(text) - last.size
        if len(text) < least or not first.is_at(text, 0) or not last.is_at(text, end):
            return False
        place = first.size
        for segment in inner:
            place = segment.find(text, place)
            if place < 0:
                return False
            place += segment.size
        return place <= end

    return fits


def _literals(first: Part, inner: list[tuple[Part, int]], last: Part) -> Fits:
    """Return the test for segments that are all texts: the same as the general one, and quicker."""
    least = len(first) + len(last)

    def fits(text: Part) -> bool:
        if len(text) < least or not text.startswith(first) or not text.endswith(last):
            return False
        place = len(first)
        for literal, size in inner:
            place = text.find(literal, place)
            if place < 0:
                return False
            place += size
        return place <= len(text) - len(last)

    return fits


def _refusing(segments: list[_Segment[Part]]) -> Fits:
    """Return the test of a pattern that ends with a backslash: an error if a text goes on where it stands, else false."""

    def fits(text: Part) -> bool:
        place = 0
        for i, segment in enumerate(segments):
            place = segment.find(text, place) if i else 0 if segment.is_at(text, 0) else -1
            if place < 0:
                return False
            place += segment.size
        if place < len(text):
            raise error("22025", "LIKE pattern must not end with escape character")
        return False

    return fits


def with_escape(pattern: Part, escape: Part) -> Part:
    """Return a pattern with backslashes for one with another escape character, or with none if that is empty."""
    if len(escape) > 1:
        hint = "Escape string must be empty or one character."
        raise error("22025", "invalid escape string", hint=hint)
    backslash: Any = "\\" if isinstance(pattern, str) else b"\\"
    if escape == backslash:
        return pattern
    out: list[Any] = []
    is_escaped = False
    for i in range(len(pattern)):
        character = pattern[i : i + 1]
        if character == escape and not is_escaped:
            out.append(backslash)
            is_escaped = True
            continue
        if character == backslash and not is_escaped:
            out.append(backslash)
        out.append(character)
        is_escaped = False
    return pattern[:0].join(out)
