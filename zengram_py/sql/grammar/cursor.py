"""The cursor: a place in the tokens, and the few ways to look at them and go on.

``at_word`` and its kin look, ``take_word`` and its kin go on if they find what they ask for, ``expect_word`` and its kin
refuse what they do not find, with PostgreSQL's message and the place of the token.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn, TypeVar

from ...errors import SqlError
from ..errors import error
from ..lexer import Token, syntax_error
from .keywords import NOT_COLUMNS, RESERVED

T = TypeVar("T")

MAX_NESTING = 250
"""How deep parentheses, brackets, cases and chains of prefixes and suffixes may go: 54001 beyond."""


class Cursor:
    """A place in the tokens of one statement."""

    def __init__(self, tokens: list[Token], text: str) -> None:
        self.tokens = tokens
        self.text = text
        self.index = 0
        self.token = tokens[0]

    @property
    def at(self) -> int:
        """Where the present token begins."""
        return self.token.start

    @property
    def next(self) -> Token:
        """The token after the present one."""
        return self.peek(1)

    def peek(self, ahead: int) -> Token:
        """Return the token that is some places ahead; the last one is behind every end."""
        return self.tokens[min(self.index + ahead, len(self.tokens) - 1)]

    def advance(self) -> Token:
        """Go on by one token and return the one that was left."""
        left = self.token
        if left.kind != "end":
            self.index += 1
            self.token = self.tokens[self.index]
        return left

    def back_to(self, index: int) -> None:
        """Return to a place that was met before."""
        self.index = index
        self.token = self.tokens[index]

    # -- looking -----------------------------------------------------------------------------------------------------

    def at_word(self, *words: str) -> bool:
        """Return whether the present token is one of these words, unquoted."""
        return self.token.kind == "word" and self.token.text in words

    def at_words(self, *words: str) -> bool:
        """Return whether these words come, in this order."""
        for ahead, word in enumerate(words):
            token = self.peek(ahead)
            if token.kind != "word" or token.text != word:
                return False
        return True

    def at_mark(self, mark: str) -> bool:
        """Return whether the present token is this punctuation."""
        return self.token.kind == "mark" and self.token.text == mark

    def at_operator(self, *operators: str) -> bool:
        """Return whether the present token is one of these operators."""
        return self.token.kind == "operator" and self.token.text in operators

    # -- going on if -------------------------------------------------------------------------------------------------

    def take_word(self, *words: str) -> str | None:
        """Go past one of these words and return it, or None."""
        token = self.token
        if token.kind == "word" and token.text in words:
            self.advance()
            return token.text
        return None

    def take_words(self, *words: str) -> bool:
        """Go past all of these words, or stay."""
        if not self.at_words(*words):
            return False
        for _ in words:
            self.advance()
        return True

    def take_mark(self, mark: str) -> bool:
        """Go past this punctuation, or stay."""
        if self.token.kind == "mark" and self.token.text == mark:
            self.advance()
            return True
        return False

    def take_operator(self, *operators: str) -> str | None:
        """Go past one of these operators and return it, or None."""
        if self.at_operator(*operators):
            return self.advance().text
        return None

    # -- going on or refusing ----------------------------------------------------------------------------------------

    def refuse(self, token: Token | None = None) -> SqlError:
        """Return the error of a token (the present one) that cannot stand where it does."""
        return syntax_error(token or self.token, self.text)

    def stop(self) -> NoReturn:
        """Refuse the present token."""
        raise self.refuse()

    def expect_word(self, *words: str) -> str:
        """Go past one of these words."""
        found = self.take_word(*words)
        if found is None:
            self.stop()
        return found

    def expect_words(self, *words: str) -> None:
        """Go past all of these words."""
        for word in words:
            self.expect_word(word)

    def expect_mark(self, mark: str) -> None:
        """Go past this punctuation."""
        if not self.take_mark(mark):
            self.stop()

    def expect_operator(self, operator: str) -> None:
        """Go past this operator."""
        if self.take_operator(operator) is None:
            self.stop()

    def expect_string(self) -> str:
        """Go past a string and return it."""
        if self.token.kind != "string":
            self.stop()
        return self.advance().text

    def expect_integer(self) -> int:
        """Go past a whole number, with a sign or without, and return it."""
        sign = -1 if self.take_operator("-") else 1
        self.take_operator("+")
        if self.token.kind != "number" or not self.token.text.isdigit():
            self.stop()
        return sign * int(self.advance().text)

    # -- names -------------------------------------------------------------------------------------------------------

    def at_name(self, forbidden: frozenset[str] = NOT_COLUMNS) -> bool:
        """Return whether the present token may be a name."""
        token = self.token
        return token.kind == "name" or (token.kind == "word" and token.text not in forbidden)

    def name(self, forbidden: frozenset[str] = NOT_COLUMNS) -> str:
        """Go past a name and return it."""
        if not self.at_name(forbidden):
            self.stop()
        return self.advance().text

    def label(self) -> str:
        """Go past a name after ``as`` or a point, where every word will do."""
        if self.token.kind not in ("word", "name"):
            self.stop()
        return self.advance().text

    def qualified_name(self, most: int = 3) -> tuple[str, ...]:
        """Go past ``a``, ``a.b`` or ``a.b.c`` and return its parts."""
        start = self.at
        parts = [self.name()]
        while self.take_mark("."):
            parts.append(self.label())
        if len(parts) > most:
            shown = ".".join(parts)
            raise error("42601", f"improper qualified name (too many dotted names): {shown}", start)
        return tuple(parts)

    def role_name(self) -> str:
        """Go past the name of a function's language, an operator class or the like: any word that is not reserved."""
        if self.token.kind == "string":
            return self.advance().text
        return self.name(RESERVED)

    # -- lists -------------------------------------------------------------------------------------------------------

    def list_of(self, item: Callable[[], T]) -> tuple[T, ...]:
        """Return items with commas between them."""
        found = [item()]
        while self.take_mark(","):
            found.append(item())
        return tuple(found)

    def in_parentheses(self, item: Callable[[], T]) -> T:
        """Return an item in parentheses."""
        self.expect_mark("(")
        found = item()
        self.expect_mark(")")
        return found

    def name_list(self) -> tuple[str, ...]:
        """Return names in parentheses."""
        return self.in_parentheses(lambda: self.list_of(self.name))

    def source(self, start: int) -> str:
        """Return the text from a place to the end of the token before the present one."""
        return self.text[start : self.tokens[self.index - 1].end]

    def too_deep(self, at: int) -> SqlError:
        """Return the error of a statement that is nested too deeply."""
        return error("54001", "stack depth limit exceeded", at, hint=f"nest at most {MAX_NESTING} deep")
