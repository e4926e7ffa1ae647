"""The lexer: text to tokens, by PostgreSQL's rules (its documentation, section 4.1).

    select a<->$1, 'it''s' -- note
    word   word op param , string          (comments and white space leave nothing)

- Words fold ASCII letters to lower case; quoted names keep their letters. Which words are keywords is the grammar's affair.
- An operator is the longest run of operator characters, cut before ``--`` and ``/*``. It ends in + or - only if it holds
  one of ``~!@#%^&|`?``: so ``a<-1`` is ``a < -1``, while ``a@-1`` asks for an operator ``@-``.
- Strings: ``'..'``, ``E'..'`` with escapes, ``U&'..'``, ``$tag$..$tag$``, ``B'..'`` and ``X'..'``. Two strings with a line break
  between them are one.
- Nothing may stand directly behind a number but what cannot belong to it: ``123abc`` is an error, not a number with an alias.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ..errors import SqlError
from .errors import error
from .patterns import pattern

MAX_PARAMETER = 65_535
LONGEST_NAME = 63  # bytes


class Token(NamedTuple):
    """One token.

    Attributes
    ----------
    kind : str
        ``"word"``, ``"name"`` (quoted), ``"string"``, ``"bits"``, ``"number"``, ``"parameter"``, ``"operator"``, ``"mark"``
        (punctuation) or ``"end"``.
    text : str
        What it says: a word folded, a string's value, an operator as the grammar knows it.
    start, end : int
        Where it lies in the text.
    """

    kind: str
    text: str
    start: int
    end: int


# Names have letters, _ and all that is not ASCII. Sets of what they have not compile at once, sets with that many characters do not.
_LETTER = r"[^\x00-@\[-^`{-\x7f]"
_LETTER_OR_DIGIT = r"[^\x00-/:-@\[-^`{-\x7f]"
_IN_WORD = r"[^\x00-\#%-/:-@\[-^`{-\x7f]"  # these, and $
_SPACE = " \t\n\r\f\v"
_TOKEN = re.compile(
    rf"""
    (?P<space> [{_SPACE}]+ | --[^\r\n]* )
  | (?P<comment> /\* )
  | (?P<prefixed> [eE]' | [bB]' | [xX]' | [nN]' | [uU]&' )
  | (?P<unicode> [uU]&" )
  | (?P<word> {_LETTER}{_IN_WORD}* )
  | (?P<number> 0[xX](?:_?[0-9a-fA-F])+ | 0[oO](?:_?[0-7])+ | 0[bB](?:_?[01])+
      | (?: \d(?:_?\d)*(?:\.(?!\.)(?:\d(?:_?\d)*)?)? | \.\d(?:_?\d)* ) (?:[eE][+-]?\d(?:_?\d)*)? )
  | (?P<string> ' )
  | (?P<name> " )
  | (?P<dollar> \$(?:{_LETTER}{_LETTER_OR_DIGIT}*)?\$ )
  | (?P<parameter> \$\d+ )
  | (?P<mark> :: | := | \.\. | [()\[\]{{}},;:.] )
  | (?P<operator> [-+*/<>=~!@\#%^&|`?]+ )
    """,
    re.VERBOSE,
)
_JUNK = pattern(rf"{_IN_WORD}+")
_QUOTED = pattern(r"[^']*(?:''[^']*)*'")
_ESCAPED = pattern(r"[^'\\]*(?:(?:''|\\.)[^'\\]*)*'", re.DOTALL)
_NAME = pattern(r'[^"]*(?:""[^"]*)*"')
_CONTINUED = pattern(rf"[{_SPACE}]*(?:--[^\r\n]*)?[\r\n](?:[{_SPACE}]|--[^\r\n]*[\r\n])*'")
_COMMENT_EDGE = pattern(r"/\*|\*/")
_UESCAPE = pattern(rf"[{_SPACE}]+uescape[{_SPACE}]*'(.)'", re.IGNORECASE)
_ESCAPE = pattern(
    r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL
)
_SIMPLE_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_ENDS_IN_SIGN_WITH = frozenset("~!@#%^&|`?")
_LOWER = str.maketrans({chr(c): chr(c + 32) for c in range(ord("A"), ord("Z") + 1)})


def fold(word: str) -> str:
    """Return a word with its ASCII letters in lower case, as PostgreSQL folds names."""
    return word.translate(_LOWER) if not word.islower() else word


def shortened(name: str) -> str:
    """Return a name cut to the 63 bytes that names have in PostgreSQL."""
    if len(name) * 4 <= LONGEST_NAME or len(raw := name.encode()) <= LONGEST_NAME:
        return name
    return raw[:LONGEST_NAME].decode(errors="ignore")


def tokenize(text: str) -> list[Token]:
    """Return the tokens of a text; the last is of kind ``"end"``.

    Raises
    ------
    SqlError
        42601 for what is no token: an open string or comment, a stray character, junk behind a number. 22021 for a NUL
        or a lone surrogate.
    """
    return _Lexer(text).run()


class _Lexer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[Token] = []

    def run(self) -> list[Token]:
        text, tokens, at, size, match = self.text, self.tokens, 0, len(self.text), _TOKEN.match
        self._check_characters()
        while at < size:
            found = match(text, at)
            if found is None:
                raise error("42601", f"syntax error at or near {_show(text[at])}", at)
            kind = found.lastgroup
            start, at = at, found.end()
            if kind == "space":
                continue
            if kind == "word":
                tokens.append(Token("word", shortened(fold(found[0])), start, at))
            elif kind == "mark":
                tokens.append(Token("mark", found[0], start, at))
            else:
                at = getattr(self, f"_{kind}")(start, at, found[0])
        tokens.append(Token("end", "", size, size))
        return tokens

    def _check_characters(self) -> None:
        nul = self.text.find("\0")
        if nul >= 0:
            raise error("22021", "a NUL character is not allowed", nul)
        if not self.text.isascii():
            try:
                self.text.encode()
            except UnicodeEncodeError as failure:
                raise error("22021", "a lone surrogate is not a character", failure.start) from None

    def _add(self, kind: str, text: str, start: int, end: int) -> int:
        self.tokens.append(Token(kind, text, start, end))
        return end

    def _comment(self, start: int, at: int, _: str) -> int:
        depth = 1
        while depth:
            edge = _COMMENT_EDGE.search(self.text, at)
            if edge is None:
                raise error("42601", "unterminated /* comment", start)
            depth += 1 if edge[0] == "/*" else -1
            at = edge.end()
        return at

    def _number(self, start: int, at: int, found: str) -> int:
        self._refuse_junk("numeric literal", start, at)
        digits = found.replace("_", "")
        if digits[:2].lower() in ("0x", "0o", "0b"):
            digits = str(int(digits, 0))
        return self._add("number", digits, start, at)

    def _parameter(self, start: int, at: int, found: str) -> int:
        self._refuse_junk("parameter", start, at)
        if len(found) > 6 or not 1 <= int(found[1:]) <= MAX_PARAMETER:
            raise error("42P02", f"there is no parameter {found}", start)
        return self._add("parameter", str(int(found[1:])), start, at)

    def _refuse_junk(self, what: str, start: int, at: int) -> None:
        junk = _JUNK.match(self.text, at)
        if junk is not None:
            near = self.text[start : junk.end()]
            raise error("42601", f"trailing junk after {what} at or near {_show(near)}", start)

    def _operator(self, start: int, at: int, found: str) -> int:
        for comment in ("--", "/*"):
            cut = found.find(comment, 1)
            if cut > 0:
                found = found[:cut]
        while len(found) > 1 and found[-1] in "+-" and not _ENDS_IN_SIGN_WITH.intersection(found):
            found = found[:-1]
        return self._add("operator", "<>" if found == "!=" else found, start, start + len(found))

    def _string(self, start: int, at: int, _: str) -> int:
        raw, at = self._quoted(_QUOTED, start, at)
        return self._add("string", raw.replace("''", "'"), start, at)

    def _prefixed(self, start: int, at: int, found: str) -> int:
        letter = found[0].lower()
        raw, at = self._quoted(_ESCAPED if letter == "e" else _QUOTED, start, at)
        if letter == "e":
            return self._add("string", self._unescape(raw, start), start, at)
        text = raw.replace("''", "'")
        if letter == "u":
            text, at = self._unicode_escapes(text, start, at)
        if letter in "bx":
            return self._add("bits", letter + text, start, at)
        return self._add("string", text, start, at)

    def _quoted(self, pattern: re.Pattern[str], start: int, at: int) -> tuple[str, int]:
        """Return what is between the quotes, with continuations on later lines, and where it ends."""
        parts = []
        while True:
            found = pattern.match(self.text, at)
            if found is None:
                raise error("42601", "unterminated quoted string", start)
            parts.append(found[0][:-1])
            at = found.end()
            more = _CONTINUED.match(self.text, at)
            if more is None:
                return "".join(parts), at
            at = more.end()

    def _unescape(self, raw: str, start: int) -> str:
        if "\\" not in raw:
            return raw.replace("''", "'")
        units: list[int] = []  # bytes of \\x and octal escapes are UTF-8 together with their neighbours

        def flush() -> str:
            try:
                return bytes(units).decode()
            except UnicodeDecodeError:
                raise error("22021", "invalid byte sequence for encoding UTF-8", start) from None
            finally:
                units.clear()

        out, at = [], 0
        high = 0
        for found in _ESCAPE.finditer(raw):
            if found.start() > at or not (found[1] or found[2]):
                out.append(flush())
            out.append(raw[at : found.start()].replace("''", "'"))
            if high and (found.start() > at or not (found[3] or found[4])):
                raise error("42601", "invalid Unicode surrogate pair", start)
            at = found.end()
            if found[1] or found[2]:
                units.append(int(found[1], 8) & 0xFF if found[1] else int(found[2], 16))
            elif found[3] or found[4]:
                character, high = self._code_point(int(found[3] or found[4], 16), high, start)
                out.append(character)
            elif found[5] in "uU":
                raise error("22025", "invalid Unicode escape", start)
            else:
                out.append(_SIMPLE_ESCAPES.get(found[5], found[5]))
        if high:
            raise error("42601", "invalid Unicode surrogate pair", start)
        out += [flush(), raw[at:].replace("''", "'")]
        text = "".join(out)
        if "\0" in text:
            raise error("22021", "a NUL character is not allowed", start)
        return text

    def _unicode(self, start: int, at: int, _: str) -> int:
        found = _NAME.match(self.text, at)
        if found is None:
            raise error("42601", "unterminated quoted identifier", start)
        text, end = self._unicode_escapes(found[0][:-1].replace('""', '"'), start, found.end())
        return self._quoted_name(text, start, end)

    def _unicode_escapes(self, text: str, start: int, at: int) -> tuple[str, int]:
        escape = "\\"
        given = _UESCAPE.match(self.text, at)
        if given is not None:
            escape, at = given[1], given.end()
            if escape in "+'\" \t\n" or escape in "0123456789abcdefABCDEF":
                raise error("42601", "invalid Unicode escape character", start)
        mark = re.escape(escape)
        out, done, high = [], 0, 0
        for found in re.finditer(rf"{mark}(?:({mark})|([0-9a-fA-F]{{4}})|\+([0-9a-fA-F]{{6}})|)", text):
            if high and (found.start() > done or not (found[2] or found[3])):
                raise error("42601", "invalid Unicode surrogate pair", start)
            out.append(text[done : found.start()])
            done = found.end()
            if found[1]:
                out.append(escape)
            elif found[2] or found[3]:
                character, high = self._code_point(int(found[2] or found[3], 16), high, start)
                out.append(character)
            else:
                raise error("42601", "invalid Unicode escape", start)
        if high:
            raise error("42601", "invalid Unicode surrogate pair", start)
        return "".join([*out, text[done:]]), at

    @staticmethod
    def _code_point(value: int, high: int, start: int) -> tuple[str, int]:
        """Return the character of a code point, and the first half of a surrogate pair that waits for its second."""
        if high:
            if not 0xDC00 <= value <= 0xDFFF:
                raise error("42601", "invalid Unicode surrogate pair", start)
            return chr(0x10000 + ((high - 0xD800) << 10) + (value - 0xDC00)), 0
        if 0xD800 <= value <= 0xDBFF:
            return "", value
        if not 0 < value <= 0x10FFFF or 0xDC00 <= value <= 0xDFFF:
            raise error("42601", "invalid Unicode escape value", start)
        return chr(value), 0

    def _name(self, start: int, at: int, _: str) -> int:
        found = _NAME.match(self.text, at)
        if found is None:
            raise error("42601", "unterminated quoted identifier", start)
        return self._quoted_name(found[0][:-1].replace('""', '"'), start, found.end())

    def _quoted_name(self, text: str, start: int, end: int) -> int:
        if not text:
            raise error("42601", 'zero-length delimited identifier at or near """"', start)
        return self._add("name", shortened(text), start, end)

    def _dollar(self, start: int, at: int, tag: str) -> int:
        end = self.text.find(tag, at)
        if end < 0:
            raise error("42601", "unterminated dollar-quoted string", start)
        return self._add("string", self.text[at:end], start, end + len(tag))


def _show(text: str) -> str:
    return f'"{text}"'


def syntax_error(token: Token, text: str) -> SqlError:
    """Return the error of a token that cannot stand where it does."""
    if token.kind == "end":
        return error("42601", "syntax error at end of input", token.start)
    return error("42601", f"syntax error at or near {_show(text[token.start : token.end])}", token.start)
