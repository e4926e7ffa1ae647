r"""The notation of lexemes, that documents and questions share: ``word``, ``'quoted word'``, ``it\'s``, ``word:1A,2``."""

from __future__ import annotations

from ...errors import SqlError
from ..errors import error

OPERATORS = "!&|()<"
_WEIGHTS = {"a": 3, "*": 3, "b": 2, "c": 1, "d": 0}
_LAST_POSITION = 16_383


class Lexer:
    """Reads lexemes one after the other.

    Parameters
    ----------
    text : str
        What is read.
    kind : str
        ``"tsvector"``, ``"tsquery"`` (lexemes end at operators and colons) or ``"websearch"`` (nothing is quoted or escaped
        either).
    at : int, optional
        The place for errors.

    Attributes
    ----------
    place : int
        What comes next.
    """

    def __init__(self, text: str, kind: str, at: int | None = None) -> None:
        self.text = text
        self.kind = kind
        self.at = at
        self.place = 0

    def refuse(self) -> SqlError:
        """Return the error of a text that is not in the notation."""
        kind = "tsvector" if self.kind == "tsvector" else "tsquery"
        return error("42601", f'syntax error in {kind}: "{self.text}"', self.at)

    @property
    def character(self) -> str:
        """The next character, ``""`` at the end."""
        return self.text[self.place : self.place + 1]

    def word(self) -> tuple[str, list[int]] | None:
        """Go past a lexeme and its places, which only a document has; None at the end."""
        while self.character.isspace():
            self.place += 1
        first = self.character
        if not first:
            return None
        quotes = self.kind != "websearch"
        if self._ends_word(first):
            raise self.refuse()
        if quotes and first == "'":
            self.place += 1
            found = self._quoted()
            more = self.character == ":"
        else:
            found = self._bare(quotes)
            more = self.character == ":"
            if not found:
                raise self.refuse()
        if self.kind == "tsvector" and more:
            self.place += 1
            return found, self._places()
        return found, []

    def _ends_word(self, character: str) -> bool:
        if self.kind == "tsvector":
            return False
        return character in OPERATORS or (self.kind == "websearch" and character == '"')

    def _escaped(self) -> str:
        self.place += 1
        if not self.character:
            raise error("42601", f'there is no escaped character: "{self.text}"', self.at)
        self.place += 1
        return self.text[self.place - 1]

    def _bare(self, escapes: bool) -> str:
        out: list[str] = []
        if not escapes or self.character != "\\":
            out.append(self.character)  # the first one may be a colon
            self.place += 1
        while character := self.character:
            if escapes and character == "\\":
                out.append(self._escaped())
                continue
            if character.isspace() or character == ":" or self._ends_word(character):
                break
            out.append(character)
            self.place += 1
        return "".join(out)

    def _quoted(self) -> str:
        out: list[str] = []
        while True:
            character = self.character
            if not character:
                raise self.refuse()
            if character == "\\":
                out.append(self._escaped())
                continue
            self.place += 1
            if character == "'":
                if self.character != "'":
                    break
                self.place += 1
            out.append(character)
        if not out:
            raise self.refuse()
        return "".join(out)

    def _places(self) -> list[int]:
        """Go past ``1A,2,3`` behind a colon."""
        found: list[int] = []
        while True:
            start = self.place
            while self.character.isdigit():
                self.place += 1
            if start == self.place:
                raise self.refuse()
            position = min(int(self.text[start : self.place]), _LAST_POSITION)
            if not position:
                raise error("42601", f'wrong position info in tsvector: "{self.text}"', self.at)
            weight = 0
            while (letter := self.character.lower()) and letter in _WEIGHTS:
                if weight:
                    raise self.refuse()
                weight = _WEIGHTS[letter]
                self.place += 1
                while self.character.isdigit():  # digits behind a weight mean nothing
                    self.place += 1
            found.append(position + (weight << 14))
            if self.character == ",":
                self.place += 1
                continue
            if self.character and not self.character.isspace():
                raise self.refuse()
            return found
