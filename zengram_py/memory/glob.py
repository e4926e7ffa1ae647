"""Patterns for permissions: globs, matched with a whole text in time that no pattern makes long.

=========  ==============================================================================
``?``      one character, not ``/``
``*``      any characters but ``/``, or none
``**``     any characters, or none; ``**/`` at the beginning of a name also stands for nothing
``[a-z]``  one of these characters; ``[!a-z]`` one that is none of them; never ``/``
=========  ==============================================================================

Case counts. There is no escape: ``[*]`` is a star. A ``[`` without its ``]`` stands for itself.

A matcher that tries one way after the other takes long for ``*a*a*a*b``. This one goes all ways at once: it keeps how many characters the
pattern so far can have taken, as the bits of a number, and each piece of the pattern moves all of them in a few operations::

    text      s r c / a . p y                       bit n: the first n characters are taken
    src/*     s r c / ─▶ 10000      then  *  ─▶ 111110000         it is all taken if bit 8 is set
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

_PIECE = re.compile(r"(?<![^/])\*\*+/|\*\*+|\*|\?|\[[!^]?+.[^\]]*\]|.", re.DOTALL)


class Target:
    """A text that patterns are matched with."""

    def __init__(self, text: str) -> None:
        self._codes = np.frombuffer(text.encode("utf-32-le"), np.uint32)
        self._characters = sorted(set(text))
        self._known: dict[str, int] = {}
        self._slashes = self._places("/")
        self._plain = ((1 << len(text)) - 1) & ~self._slashes

    def matches(self, pattern: str) -> bool:
        """Return whether a pattern matches the whole text."""
        taken = 1
        for piece in pieces(pattern):
            if not taken:
                return False
            if piece == "?":
                taken = (taken & self._plain) << 1
            elif piece == "*":
                taken |= ((taken & self._plain) + self._plain) ^ self._plain
            elif piece == "**":
                taken = self._from_the_first(taken)
            elif piece == "**/":
                taken |= (self._from_the_first(taken) & self._slashes) << 1
            elif len(piece) > 1:
                taken = (taken & self._of_class(piece)) << 1
            else:
                taken = (taken & self._places(piece)) << 1
        return bool(taken >> len(self._codes) & 1)

    def _places(self, character: str) -> int:
        """Return where a character is, as bits."""
        if character not in self._known:
            there = np.packbits(self._codes == ord(character), bitorder="little")
            self._known[character] = int.from_bytes(there.tobytes(), "little")
        return self._known[character]

    def _from_the_first(self, taken: int) -> int:
        """Return all places from the first taken one on."""
        return (1 << len(self._codes) + 1) - (taken & -taken) if taken else 0

    def _of_class(self, piece: str) -> int:
        """Return where the characters of a class are."""
        test = _class_test(piece)
        found = sum(self._places(one) for one in self._characters if test.fullmatch(one))
        return found & self._plain


@lru_cache(1024)
def pieces(pattern: str) -> tuple[str, ...]:
    """Return a pattern in pieces: characters, wildcards and classes."""
    found = _PIECE.findall(pattern)
    return tuple(("**/" if one[-1] == "/" else "**") if one[:2] == "**" else one for one in found)


@lru_cache(1024)
def literals(pattern: str) -> int:
    """Return how many characters of a pattern stand for themselves: the more, the more particular it is."""
    return sum(len(one) == 1 and one not in "*?" for one in pieces(pattern))


@lru_cache(1024)
def _class_test(piece: str) -> re.Pattern[str]:
    negated = piece[1] in "!^"
    inside = piece[2:-1] if negated else piece[1:-1]
    parts = []
    while inside:
        if inside[1:2] == "-" and len(inside) > 2:
            low, high, inside = inside[0], inside[2], inside[3:]
            parts += [f"{re.escape(low)}-{re.escape(high)}"] if low <= high else []
        else:
            parts.append(re.escape(inside[0]))
            inside = inside[1:]
    if not parts:  # a range that goes backwards holds nothing
        return re.compile("(?s:.)" if negated else "(?!)")
    return re.compile(f"[{'^' if negated else ''}{''.join(parts)}]")
