r"""Words of SQL/JSON paths: the text of a path as tokens.

name       letters of any kind, digits that do not begin a number, escapes     key, strict, \u0061bc
string     "…" with JSON's escapes, \v, \xHH and \u{…}
variable   $name or $"name"
number     12  1.5  .5  1e3  0x1F  0o17  0b11, with _ between digits
mark       everything else
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, NamedTuple

from ...errors import SqlError
from ..errors import error
from .jsonvalues import read_number

_SPECIAL = r"?%$.\[\]{}()|&!=<>@#,*:\-+/"
_OTHER = rf'[^{_SPECIAL}\\" \t\n\r\f]'
_DIGITS = r"\d(?:_?\d)*"
_WHOLE = r"(?:0|[1-9](?:_?\d)*)"


class Token(NamedTuple):
    """One word: its kind, its value, its text as it stands there."""

    kind: str
    value: Any
    text: str


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    blank = re.compile(r"(?:[ \t\n\r\f]|/\*(?s:.*?)\*/)+")
    numbers = re.compile(
        r"0[xX][\da-fA-F](?:_?[\da-fA-F])*|0[oO][0-7](?:_?[0-7])*|0[bB][01](?:_?[01])*"
        rf"|(?:{_WHOLE}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?"
    )
    marks = re.compile(r"&&|\|\||\*\*|<=|>=|==|<>|!=|.", re.DOTALL)
    others = re.compile(rf"{_OTHER}+")
    return blank, numbers, marks, others


def syntax_error(token: Token | None, message: str = "syntax error") -> SqlError:
    """Return the error that a word is not meant to be where it is."""
    where = "end" if token is None else f'or near "{token.text}"'
    return error("42601", f"{message} at {where} of jsonpath input")


def words(text: str) -> list[Token]:
    """Return the tokens of a path.

    Raises
    ------
    SqlError
        42601 for what is no word, 22P02 and 22P05 for characters that are none, 22003 for numbers that are too long.
    """
    blank, numbers, marks, others = _patterns()
    found: list[Token] = []
    place = 0
    while place < len(text):
        skipped = blank.match(text, place)
        if skipped is not None:
            place = skipped.end()
            continue
        if text.startswith("/*", place):
            raise syntax_error(None, "unexpected end of comment")
        start, character = place, text[place]
        if character == '"':
            value, place = _quoted(text, place + 1)
            found.append(Token("string", value, text[start:place]))
        elif character == "$":
            name, place = _variable(text, place + 1, others)
            found.append(Token("mark" if name is None else "variable", name, text[start:place]))
        elif character.isascii() and (
            character.isdigit() or (character == "." and text[place + 1 : place + 2].isdigit())
        ):
            place = _number(text, place, numbers, others, found)
        elif character == "\\" or others.match(text, place) is not None:
            value, place = _name(text, place, others)
            found.append(Token("name", value, text[start:place]))
        else:
            mark = marks.match(text, place)
            assert mark is not None
            place = mark.end()
            found.append(Token("mark", None, mark[0]))
    return found


def _number(
    text: str, place: int, numbers: re.Pattern[str], others: re.Pattern[str], found: list[Token]
) -> int:
    match = numbers.match(text, place)
    word = others.match(text, place)
    end = place if match is None else match.end()
    if word is not None and word.end() > end + 1:  # "0755" and "1ab" are names, "1a" is neither
        found.append(Token("name", word[0], word[0]))
        return word.end()
    if match is None or others.match(text, end) is not None:
        junk = text[place : end + 1]
        raise syntax_error(Token("number", None, junk), "trailing junk after numeric literal")
    digits = match[0].replace("_", "")
    if digits[:2].lower() in ("0x", "0o", "0b"):
        digits = str(int(digits, 0))
    found.append(Token("integer" if digits.isdigit() else "number", read_number(digits), match[0]))
    return end


def _variable(text: str, place: int, others: re.Pattern[str]) -> tuple[str | None, int]:
    """Return the name of a variable and where it ends; None if it is ``$`` alone."""
    if text.startswith('"', place):
        return _quoted(text, place + 1)
    name = others.match(text, place)
    return (None, place) if name is None else (name[0], name.end())


def _quoted(text: str, place: int) -> tuple[str, int]:
    out: list[str] = []
    while True:
        if place >= len(text):
            raise syntax_error(None, "unterminated quoted string")
        character = text[place]
        if character == '"':
            return _whole("".join(out)), place + 1
        if character == "\\":
            place = _escape(text, place, out)
        else:
            out.append(character)
            place += 1


def _name(text: str, place: int, others: re.Pattern[str]) -> tuple[str, int]:
    out: list[str] = []
    while place < len(text):
        if text[place] == "\\":
            place = _escape(text, place, out)
            continue
        match = others.match(text, place)
        if match is None:
            break
        out.append(match[0])
        place = match.end()
    return _whole("".join(out)), place


_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


@cache
def _codes() -> re.Pattern[str]:
    return re.compile(r"\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|u\{([\da-fA-F]{1,6})\})")


def _escape(text: str, place: int, out: list[str]) -> int:
    """Put the character that an escape stands for; return where it ends."""
    kind = text[place + 1 : place + 2]
    if kind not in ("x", "u"):
        if not kind:
            raise syntax_error(None, "unexpected end after backslash")
        out.append(_ESCAPES.get(kind, kind))
        return place + 2
    match = _codes().match(text, place)
    if match is None:
        what = "Unicode escape" if kind == "u" else "hexadecimal character"
        raise syntax_error(Token("", None, text[place : place + 6]), f"invalid {what} sequence")
    code = int(match[1] or match[2] or match[3], 16)
    if code == 0:
        detail = "\\u0000 cannot be converted to text."
        raise error("22P05", "unsupported Unicode escape sequence", detail=detail)
    if code > 0x10FFFF:
        raise error(
            "22P02",
            "invalid input syntax for type jsonpath",
            detail="Unicode escape value cannot be above 0x10FFFF.",
        )
    out.append(chr(code))
    return match.end()


def _whole(text: str) -> str:
    """Return a text in which pairs of surrogates are characters."""
    if not any("\ud800" <= c <= "\udfff" for c in text):
        return text
    try:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        detail = "Unicode high surrogate must not follow a high surrogate, and a low one must follow it."
        raise error("22P02", "invalid input syntax for type jsonpath", detail=detail) from None
