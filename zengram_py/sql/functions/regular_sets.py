r"""Sets of characters in Python's notation: ``[a-z_]``, ``[^[:alpha:]]``, ``\d``.

Classes that Python has no name for are written by what they leave out (``[^\W\d_]`` are letters) or as ranges, which are found when they are
first asked for.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache

from ..errors import error

ANY = r"[\s\S]"
ANY_IN_LINE = r"[^\n]"
_SPACES = r" \t-\r\x85\u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000"
_CONTROLS = r"\x00-\x1f\x7f-\x9f"
_LETTERS = r"[^\W\d_]"

SHORTHANDS = {
    "d": "[0-9]",
    "D": "[^0-9]",
    "s": f"[{_SPACES}]",
    "S": f"[^{_SPACES}]",
    "w": r"\w",
    "W": r"\W",
}
"""What a letter behind a backslash stands for."""

_MEMBERS = {
    "ascii": r"\x00-\x7f",
    "blank": r" \t",
    "cntrl": _CONTROLS,
    "digit": "0-9",
    "space": _SPACES,
    "word": r"\w",
    "xdigit": "0-9A-Fa-f",
    r"\d": "0-9",
    r"\s": _SPACES,
    r"\w": r"\w",
    r"\W": r"\W",
}
"""Classes that can stand among others in brackets."""

_WHOLE = {
    "alnum": r"[^\W_]",
    "alpha": _LETTERS,
    "graph": f"[^{_SPACES}{_CONTROLS}]",
    "print": f"[^{_CONTROLS}]",
    r"\D": "[^0-9]",
    r"\S": f"[^{_SPACES}]",
}
"""Classes that need brackets of their own."""


class Bracket:
    """A set in brackets that is being read.

    Parameters
    ----------
    ignores_case : bool
        Whether letters of either size are alike: then ``[:upper:]`` and ``[:lower:]`` are all letters.
    stops : bool
        Whether a negated set does not take the end of a line.
    """

    def __init__(self, ignores_case: bool, stops: bool) -> None:
        self.ignores_case = ignores_case
        self.stops = stops
        self.is_negated = False
        self._members: list[str] = []
        self._whole: list[str] = []

    def add_range(self, low: str, high: str) -> None:
        """Add the characters from one to another."""
        self._members.append(re.escape(low) if low == high else f"{re.escape(low)}-{re.escape(high)}")

    def add_class(self, name: str) -> None:
        """Add a class by its name; 2201B if there is none of it."""
        if self.ignores_case and name in ("upper", "lower"):
            name = "alpha"
        if name in _MEMBERS:
            self._members.append(_MEMBERS[name])
        elif name in _WHOLE:
            self._whole.append(_WHOLE[name])
        elif name in _TESTS:
            self._members.append(_ranges(name))
        else:
            raise error("2201B", "invalid regular expression: invalid character class")

    def source(self) -> str:
        """Return the set in Python's notation; it takes exactly one character."""
        members = "".join(self._members)
        if not self._whole:
            if self.is_negated:
                return f"[^{members}\\n]" if self.stops else f"[^{members}]"
            return f"[{members}]"
        parts = [f"[{members}]", *self._whole] if members else self._whole
        either = parts[0] if len(parts) == 1 else f"(?:{'|'.join(parts)})"
        if self.is_negated:
            return f"(?:(?!{either}){ANY_IN_LINE if self.stops else ANY})"
        return either


_TESTS: dict[str, Callable[[str], bool]] = {
    "lower": str.islower,
    "upper": str.isupper,
    "punct": lambda character: unicodedata.category(character)[0] in "PS",
}


@cache
def _ranges(name: str) -> str:
    """Return the characters of a class as ranges."""
    test = _TESTS[name]
    out: list[str] = []
    first = last = -2
    for code in [*range(0x20000), -1]:
        if code >= 0 and not test(chr(code)):
            continue
        if code != last + 1:
            if last >= 0:
                out.append(f"\\U{first:08x}-\\U{last:08x}" if last > first else f"\\U{first:08x}")
            first = code
        last = code
    return "".join(out)
