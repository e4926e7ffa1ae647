r"""Regular expressions as PostgreSQL writes them, cut into tokens: advanced ones (the default), extended, basic, or a text as it is.

    (\d{2,3})?|[^[:alpha:]]     open  set  repeat  close  repeat  or  set

The options stand before an expression (``(?i)abc``, ``***=a.b``) or beside it (``'gi'``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

from ...errors import SqlError
from ..errors import error
from .regular_sets import ANY, ANY_IN_LINE, SHORTHANDS, Bracket

MAX_REPEAT = 255


class Token(NamedTuple):
    """A token.

    Attributes
    ----------
    kind : str
        ``"char"``, ``"set"``, ``"open"``, ``"close"``, ``"or"``, ``"repeat"``, ``"assert"`` or ``"back"``.
    value : object
        Of these: the character; the set in Python's notation; which group; nothing; nothing; least, most (None for any), whether it prefers few,
        and whether it is a fixed number; which assertion; which group.
    """

    kind: str
    value: Any = None


class Repeat(NamedTuple):
    """How often something comes."""

    least: int
    most: int | None
    lazy: bool
    is_fixed: bool = False


@dataclass(frozen=True)
class Options:
    """How an expression is to be read.

    Attributes
    ----------
    flavour : str
        ``"advanced"``, ``"extended"``, ``"basic"`` or ``"literal"``.
    ignores_case : bool
        Whether letters of either size are alike.
    is_expanded : bool
        Whether spaces and comments mean nothing.
    stops : bool
        Whether ``.`` and ``[^a]`` do not take the end of a line.
    anchors : bool
        Whether ``^`` and ``$`` are at every line.
    is_global : bool
        Whether all matches are wanted.
    """

    flavour: str = "advanced"
    ignores_case: bool = False
    is_expanded: bool = False
    stops: bool = False
    anchors: bool = False
    is_global: bool = False


_LETTERS: dict[str, dict[str, Any]] = {
    "b": {"flavour": "basic"},
    "c": {"ignores_case": False},
    "e": {"flavour": "extended"},
    "i": {"ignores_case": True},
    "m": {"stops": True, "anchors": True},
    "n": {"stops": True, "anchors": True},
    "p": {"stops": True, "anchors": False},
    "q": {"flavour": "literal"},
    "s": {"stops": False, "anchors": False},
    "t": {"is_expanded": False},
    "w": {"stops": False, "anchors": True},
    "x": {"is_expanded": True},
}
_BESIDE: dict[str, dict[str, Any]] = {"g": {"is_global": True}, "e": {"flavour": "basic"}}
"""Letters that mean something else beside an expression; of "e" this is an oversight of PostgreSQL's."""


@lru_cache(256)
def read_options(letters: str) -> Options:
    """Return the options that are given beside an expression; 22023 for others."""
    found = Options()
    for letter in letters:
        changes = _BESIDE.get(letter) or _LETTERS.get(letter)
        if changes is None:
            raise error("22023", f'invalid regular expression option: "{letter}"')
        found = replace(found, **changes)
    return found


def invalid(what: str) -> SqlError:
    """Return the error for an expression that is wrong (2201B)."""
    return error("2201B", f"invalid regular expression: {what}")


def without_prefix(pattern: str, options: Options) -> tuple[str, Options]:
    """Return an expression without what it says of itself at its beginning, and the options with that."""
    if options.flavour == "literal":
        return pattern, options
    if pattern.startswith("***"):
        if pattern[3:4] == "=":
            return pattern[4:], replace(options, flavour="literal")
        if pattern[3:4] != ":":
            raise invalid("quantifier operand invalid")
        pattern, options = pattern[4:], replace(options, flavour="advanced")
    if options.flavour == "advanced" and re.match(r"\(\?[a-zA-Z]", pattern):
        letters = re.match(r"[a-zA-Z]*", pattern[2:])
        assert letters is not None
        for letter in letters[0]:
            if letter not in _LETTERS:
                raise invalid("invalid embedded option")
            options = replace(options, **_LETTERS[letter])
        end = 2 + letters.end()
        if pattern[end : end + 1] != ")":
            raise invalid("invalid embedded option")
        pattern = pattern[end + 1 :]
    return pattern, options


class Tokens:
    r"""The tokens of an expression, one after the other.

    Parameters
    ----------
    pattern : str
        Without its prefix.
    options : Options
        How to read it.
    opened : callable
        Gives the number of groups that began so far, by which ``\12`` is told to be a group or a character.
    """

    def __init__(self, pattern: str, options: Options, opened: Callable[[], int]) -> None:
        self.pattern = pattern
        self.options = options
        self.opened = opened
        self.place = 0

    def __iter__(self) -> Iterator[Token]:
        if self.options.flavour == "literal":
            yield from (Token("char", character) for character in self.pattern)
            return
        read = self._basic if self.options.flavour == "basic" else self._extended
        last: Token | None = None
        while True:
            if self.options.flavour == "advanced" or self.options.is_expanded:
                self._skip()
            if self.place >= len(self.pattern):
                return
            last = read(last)
            yield last

    # Reading.

    def _next(self) -> str:
        """Go past one character, which may be none at the end."""
        found = self.pattern[self.place : self.place + 1]
        self.place += 1
        return found

    def _comes(self, text: str) -> bool:
        """Go past a text, if it comes."""
        if not self.pattern.startswith(text, self.place):
            return False
        self.place += len(text)
        return True

    def _skip(self) -> None:
        while True:
            if self.options.flavour == "advanced" and self.pattern.startswith("(?#", self.place):
                end = self.pattern.find(")", self.place)
                self.place = len(self.pattern) if end < 0 else end + 1
            elif self.options.is_expanded and (found := _SPACE.match(self.pattern, self.place)):
                self.place = found.end()
            else:
                return

    def _extended(self, last: Token | None) -> Token:
        character = self._next()
        if character == "\\":
            return self._escape()
        if character == "(":
            return self._open()
        if character == "{":
            if self.pattern[self.place : self.place + 1] in _DIGITS:
                return Token("repeat", self._bounds("}"))
            return Token("char", character)
        if character in _REPEATS:
            least, most = _REPEATS[character]
            return Token("repeat", Repeat(least, most, self._is_lazy()))
        return self._plain(character, {")": Token("close"), "|": Token("or")})

    def _plain(self, character: str, marks: dict[str, Token]) -> Token:
        """Return what a character means that stands for the same in all flavours but for some marks."""
        if character in marks:
            return marks[character]
        if character == ".":
            return Token("set", ANY_IN_LINE if self.options.stops else ANY)
        if character == "[":
            return self._bracket()
        if character in "^$" and self.options.flavour != "basic":
            return Token("assert", character)
        return Token("char", character)

    def _is_lazy(self) -> bool:
        return self.options.flavour == "advanced" and self._comes("?")

    def _bounds(self, closing: str) -> Repeat:
        found = _BOUNDS.match(self.pattern, self.place)
        assert found is not None
        self.place = found.end()
        if not self._comes(closing):
            ended = self.place >= len(self.pattern)
            raise invalid("braces {} not balanced" if ended else "invalid repetition count(s)")
        is_fixed = found[2] is None
        least = int(found[1][:6])
        most = least if is_fixed else int(found[2][:6]) if found[2] else None
        if least > MAX_REPEAT or (most is not None and not least <= most <= MAX_REPEAT):
            raise invalid("invalid repetition count(s)")
        return Repeat(least, most, self._is_lazy(), is_fixed)

    def _open(self) -> Token:
        if self.options.flavour == "advanced" and self._comes("?"):
            for mark, kind in _GROUPS.items():
                if self._comes(mark):
                    return Token("open", kind)
            raise invalid("quantifier operand invalid")
        return Token("open", "capture")

    def _bracket(self) -> Token:
        for mark, name in (("[:<:]]", "\\m"), ("[:>:]]", "\\M")):
            if self._comes(mark):
                return Token("assert", name)
        bracket = Bracket(self.options.ignores_case, self.options.stops)
        if self._comes("^"):
            bracket.is_negated = True
        start = self.place
        while self.place == start or not self._comes("]"):
            if self.place >= len(self.pattern):
                raise invalid("brackets [] not balanced")
            if (
                self.pattern[self.place] == "-"
                and self.place > start
                and self.pattern[self.place + 1 :][:1] != "]"
            ):
                raise invalid("invalid character range")
            low = self._member()
            if self._is_range():
                self.place += 1
                high = self._member()
                if low.kind != "char" or high.kind != "char" or low.value > high.value:
                    raise invalid("invalid character range")
                bracket.add_range(low.value, high.value)
            elif low.kind == "char":
                bracket.add_range(low.value, low.value)
            else:
                bracket.add_class(low.value)
        return Token("set", bracket.source())

    def _is_range(self) -> bool:
        return self.pattern[self.place : self.place + 1] == "-" and self.pattern[self.place + 1 :][
            :1
        ] not in ("]", "")

    def _member(self) -> Token:
        """Go past a member of a bracket: a character, or a class by its name."""
        for opening, closing in (("[:", ":]"), ("[.", ".]"), ("[=", "=]")):
            if not self._comes(opening):
                continue
            end = self.pattern.find(closing, self.place)
            if end < 0:
                raise invalid("brackets [] not balanced")
            name = self.pattern[self.place : end]
            self.place = end + 2
            if opening == "[:":
                return Token("class", name)
            if len(name) != 1:
                raise invalid("invalid collating element")
            return Token("char", name)
        character = self._next()
        if not character:
            raise invalid("brackets [] not balanced")
        if character == "\\" and self.options.flavour == "advanced":
            found = self._escape()
            if found.kind == "set":
                return Token("class", self.pattern[self.place - 2 : self.place])
            if found.kind != "char":
                raise invalid("invalid escape \\ sequence")
            return found
        return Token("char", character)

    # Escapes.

    def _escape(self) -> Token:
        character = self._next()
        if not character:
            raise invalid("invalid escape \\ sequence")
        if self.options.flavour != "advanced" or not (character.isascii() and character.isalnum()):
            return Token("char", character)
        if character in _CONTROLS:
            return Token("char", _CONTROLS[character])
        if character in _ASSERTIONS:
            return Token("assert", "\\" + character)
        if character in SHORTHANDS:
            return Token("set", SHORTHANDS[character])
        if character in "uUx":
            return self._by_code(*{"u": (4, 4), "U": (8, 8), "x": (1, 255)}[character])
        if character == "c":
            following = self._next()
            if following:
                return Token("char", chr(ord(following) & 0o37))
        if character in _DIGITS:
            return self._by_digits()
        raise invalid("invalid escape \\ sequence")

    def _by_code(self, least: int, most: int) -> Token:
        found = re.compile(f"[0-9a-fA-F]{{{least},{most}}}").match(self.pattern, self.place)
        if found is None or len(found[0].lstrip("0")) > 6 or int(found[0], 16) > 0x10FFFF:
            raise invalid("invalid escape \\ sequence")
        self.place = found.end()
        return Token("char", chr(int(found[0], 16)))

    def _by_digits(self) -> Token:
        """Return a group, or a character by its octal number."""
        start = self.place - 1
        found = re.compile(r"[0-9]+").match(self.pattern, start)
        assert found is not None
        digits = found[0]
        if digits[0] != "0" and (len(digits) == 1 or int(digits[:6]) <= self.opened()):
            self.place = found.end()
            return Token("back", int(digits[:6]))
        octal = re.compile(r"[0-7]{1,3}").match(self.pattern, start)
        if octal is None:
            raise invalid("invalid escape \\ sequence")
        taken = octal[0] if int(octal[0], 8) <= 0xFF else octal[0][:2]
        self.place = start + len(taken)
        return Token("char", chr(int(taken, 8)))

    # Basic expressions.

    def _basic(self, last: Token | None) -> Token:
        character = self._next()
        at_start = last is None or last == Token("open", "capture")
        if character == "*" and not at_start:
            return Token("repeat", Repeat(0, None, False))
        if character == "^" and at_start:
            return Token("assert", "^")
        if character == "$" and self.pattern[self.place :][:2] in ("", "\\)"):
            return Token("assert", "$")
        if character != "\\":
            return self._plain(character, {})
        character = self._next()
        if character == "{":
            if self.pattern[self.place : self.place + 1] not in _DIGITS:
                raise invalid("invalid repetition count(s)")
            return Token("repeat", self._bounds("\\}"))
        if character in ("1", "2", "3", "4", "5", "6", "7", "8", "9"):
            return Token("back", int(character))
        marks = {"(": Token("open", "capture"), ")": Token("close"), "<": Token("assert", "\\m")}
        if character == "":
            raise invalid("invalid escape \\ sequence")
        return marks.get(character, Token("assert", "\\M") if character == ">" else Token("char", character))


_DIGITS = tuple("0123456789")
_REPEATS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_GROUPS = {":": "group", "=": "ahead", "!": "not ahead", "<=": "behind", "<!": "not behind"}
_CONTROLS = {
    "a": "\a",
    "b": "\b",
    "B": "\\",
    "e": "\x1b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
}
_ASSERTIONS = tuple("AmMyYZ")
_BOUNDS = re.compile(r"([0-9]+)(?:,([0-9]*))?")
_SPACE = re.compile(r"\s+|#[^\n]*")
