r"""Tokens: what PostgreSQL's default parser cuts a text into.

    http://example.com/a?b   up-to-date     -12.5  v1.2.3   <b>  a.b@c.org
    protocol, url,           asciihword,    float  word,    tag  email
    host, url_path           its parts             version

At each place one kind after the other is tried, by what the text begins with there; the first that fits is taken, so a word
that could be a host's name is one. An address or a word with hyphens comes as a whole first, and then its parts.

The patterns describe what that parser accepts; tests compare the tokens of many texts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

KINDS = (
    "asciiword",
    "word",
    "numword",
    "email",
    "url",
    "host",
    "sfloat",
    "version",
    "hword_numpart",
    "hword_part",
    "hword_asciipart",
    "blank",
    "tag",
    "protocol",
    "numhword",
    "asciihword",
    "hword",
    "url_path",
    "file",
    "float",
    "int",
    "uint",
    "entity",
)
"""Kinds of tokens in the order of their numbers, which begin with 1."""


class Token(NamedTuple):
    """A piece of a text and what it is."""

    kind: str
    text: str


_LABEL = r"[A-Za-z0-9]+"
_HOST = rf"{_LABEL}(?:[-_.]{_LABEL})*\.[A-Za-z]{{2,}}(?![A-Za-z0-9])"
_PATH_CHARACTER = r"[!#-;=?-\[\]_a-z~]"
_FILE_START = r"(?:[A-Za-z0-9_]|\.[A-Za-z0-9_]|~[A-Za-z0-9_]|\.{1,2}/(?=[A-Za-z0-9_.~])|~/(?=[A-Za-z0-9_.~])|\.\.(?=[/\s]|$))"
_IN_FILE = rf"(?:[A-Za-z0-9_-]|\.(?=[A-Za-z0-9_])|/{_FILE_START})*"
_SIGN = r"[-+](?![0-9]+\.[0-9]+\.[0-9])"
_SIMPLE = re.compile(r"([A-Za-z]+)(?![A-Za-z0-9\-_.@:/]|[^\x00-\x7f])")


PLAIN_WORD = re.compile(
    r"""([A-Za-z]+)
    (?: $ | (?=[<+&])
      | (?: [ \t\n\r\f\v,;!?()"'\[\]{}*=%$\#^|\\`>] | \.(?=[ \t\n\r]|$) | :(?!//) )
        [^A-Za-z0-9<\-+&/\x80-\U0010ffff]*
    )""",
    re.VERBOSE,
)
"""A word of ASCII letters that can be nothing else, with the blank behind it; most of a text is of these."""


@cache
def _compiled(name: str) -> re.Pattern[str]:
    """Return a pattern, compiled when it is first needed."""
    return re.compile(_PATTERNS[name], re.DOTALL)


_PATTERNS = {
    "host": _HOST,
    "port": r":[0-9]+",
    "url_path": rf"/{_PATH_CHARACTER}+",
    "email": rf"{_LABEL}(?:[-_.]{_LABEL})*@(?={_HOST})",
    "protocol": r"[A-Za-z]+://",
    "file_after_word": rf"(?:\.(?=[A-Za-z0-9_])|/{_FILE_START}){_IN_FILE}",
    "file_of_number": rf"[0-9]+/{_FILE_START}{_IN_FILE}",
    "file_of_slash": rf"/{_FILE_START}{_IN_FILE}",
    "file_of_twiddle": rf"~(?:[A-Za-z0-9_]|/{_FILE_START}){_IN_FILE}",
    "file_of_dot": rf"\.{{1,2}}/{_FILE_START}{_IN_FILE}|\.\.(?=/|\s|$)",
    "ignored": r"<(?i:script|style)[\s>]",
    "end_of_ignored": r"</(?i:script|style)\s*>",
    "exponent": r"[0-9]+[eE][-+]?[0-9]",
    "version": r"[0-9]+\.[0-9]+(?:\.[0-9]+)+",
    "sfloat": rf"(?:{_SIGN})?[0-9]+(?:\.[0-9]+)?[eE][-+]?[0-9]+",
    "float": rf"(?:{_SIGN})?[0-9]+\.[0-9]+",
    "integer": rf"(?:{_SIGN})?[0-9]+",
    "entity": r"&(?:[A-Za-z_:][A-Za-z0-9_:.-]*|#[0-9]+|#[xX][0-9A-Fa-f]+);",
    "tag": r"<(?:/[A-Za-z][A-Za-z0-9:_.\-\s]*|!--.*?--|![A-Za-z][^<>]*"
    r"|[?A-Za-z_:][A-Za-z0-9:_.-]*(?:\s(?:[A-Za-z0-9=\-_#/:.&?%~\s]|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")*)?/?)\??>",
}


@cache
def goes_on(character: str) -> bool:
    """Return whether a character beyond ASCII is a part of words: a letter, or a mark that has no width."""
    return character.isalpha() or unicodedata.category(character) in ("Mn", "Me", "Mc", "Cf", "Nl")


def tokens_of(text: str) -> Iterator[Token]:
    """Yield all tokens of a text; those that repeat a part of another come after it."""
    place, size = 0, len(text)
    is_ignored = False  # between <script> or <style> and its end
    while place < size:
        if is_ignored and not _compiled("end_of_ignored").match(text, place):
            end = text.find("<", place + 1)
            yield Token("blank", text[place : end if end > 0 else size])
            place = end if end > 0 else size
            continue
        simple = _SIMPLE.match(text, place)
        if simple is not None:
            yield Token("asciiword", simple[1])
            place = simple.end()
            continue
        found, place = tokens_at(text, place)
        if found[0].kind == "tag":
            is_ignored = _compiled("ignored").match(found[0].text) is not None
        yield from found


def tokens_at(text: str, place: int) -> tuple[list[Token], int]:
    """Return what begins at a place of a text, with its parts, and where the next begins."""
    character = text[place]
    if character.isascii() and not character.isalnum():
        found = _marked(text, place)
    elif character.isascii():
        found = _address(text, place) or _number(text, place) or _word(text, place)
    elif character.isalpha():
        found = _word(text, place)
    else:
        found = [_blank(text, place)]
    return found, place + len(found[0].text) + (len(found) > 1 and found[-1].kind == "blank")


def _one(kind: str, pattern: str, text: str, place: int) -> list[Token]:
    match = _compiled(pattern).match(text, place)
    return [Token(kind, match[0])] if match else []


def _blank(text: str, place: int) -> Token:
    """Return what lies between words; marks that may begin something end it."""
    end = place + 1
    while end < len(text):
        character = text[end]
        if character in "<-+&/" or (character.isalnum() if character.isascii() else character.isalpha()):
            break
        end += 1
    return Token("blank", text[place:end])


def _marked(text: str, place: int) -> list[Token]:
    """Return what begins with a mark: a tag, an entity, a signed number, a path, or a blank."""
    for kind, pattern in _MARKED.get(text[place], ()):
        found = _one(kind, pattern, text, place)
        if found:
            return found
    return [_blank(text, place)]


_SIGNED = (("sfloat", "sfloat"), ("float", "float"), ("int", "integer"))
_MARKED = {
    "<": (("tag", "tag"),),
    "&": (("entity", "entity"),),
    "-": _SIGNED,
    "+": _SIGNED,
    "/": (("file", "file_of_slash"),),
    "~": (("file", "file_of_twiddle"),),
    ".": (("file", "file_of_dot"),),
}


def _address(text: str, place: int) -> list[Token]:
    """Return an email address, a protocol, or a host, with the path on it if there is one."""
    if _compiled("exponent").match(text, place):
        return []
    email = _compiled("email").match(text, place)
    if email is not None:
        host = _compiled("host").match(text, email.end())
        assert host is not None
        return [Token("email", email[0] + host[0])]
    host = _compiled("host").match(text, place)
    if host is None:
        return _one("protocol", "protocol", text, place)
    end = host.end()
    port = _compiled("port").match(text, end)
    if port is not None:
        end = port.end()
    name = text[place:end]
    path = _compiled("url_path").match(text, end)
    if path is None:
        return [Token("host", name)]
    return [Token("url", name + path[0]), Token("host", name), Token("url_path", path[0])]


def _number(text: str, place: int) -> list[Token]:
    """Return a number without a sign, or a path that begins with one."""
    if not text[place].isdigit():
        return []
    for kind, pattern in (("version", "version"), ("sfloat", "sfloat"), ("float", "float")):
        found = _one(kind, pattern, text, place)
        if found:
            return found
    integer = _compiled("integer").match(text, place)
    assert integer is not None
    after = text[integer.end() : integer.end() + 1]
    if after == "/":
        return _one("file", "file_of_number", text, place) or [Token("uint", integer[0])]
    if after and (after.isalpha() if after.isascii() else goes_on(after)):
        return []
    return [Token("uint", integer[0])]


def _word(text: str, place: int) -> list[Token]:
    """Return a word, a word with hyphens and its parts, or a path."""
    end = _end_of_part(text, place)
    parts = [text[place:end]]
    if text[end : end + 1] in ("/", ".") and _class_of(parts[0]) != 1:
        path = _compiled("file_after_word").match(text, end)
        if path is not None:
            return [Token("file", parts[0] + path[0])]
    while text[end : end + 1] == "-":
        more = _end_of_part(text, end + 1)
        part = text[end + 1 : more]
        if not part or part.isdigit():
            break
        parts.append(part)
        end = more
    if len(parts) == 1:
        kind = _class_of(parts[0])
        if kind == 2 and text[end : end + 1] == "@":
            host = _compiled("host").match(text, end + 1)
            if host is not None:
                return [Token("email", f"{parts[0]}@{host[0]}")]
        return [Token(("asciiword", "word", "numword")[kind], parts[0])]
    whole = text[place:end]
    out = [Token(("asciihword", "hword", "numhword")[max(map(_class_of, parts))], whole)]
    for i, part in enumerate(parts):
        if i:
            out.append(Token("blank", "-"))
        out.append(Token(("hword_asciipart", "hword_part", "hword_numpart")[_class_of(part)], part))
    if text[end : end + 1] == "-" and "0" <= text[end + 1 : end + 2] <= "9":  # it is no sign, then
        out.append(Token("blank", "-"))
    return out


def _end_of_part(text: str, place: int) -> int:
    while place < len(text):
        character = text[place]
        if not (character.isalnum() if character.isascii() else goes_on(character)):
            break
        place += 1
    return place


def _class_of(part: str) -> int:
    """Return 0 for ASCII letters, 1 for letters, 2 for letters and digits."""
    if part.isascii() and part.isalpha():
        return 0
    return 2 if any("0" <= c <= "9" for c in part) else 1
