"""Questions: the values of ``tsquery``, as trees and as texts.

    'fat' & ( 'rat':A | !'cat' ) <2> 'dog':*

A value is its text in normal form. :func:`read_question` reads one, :func:`question_text` writes one. Chains of one operator are one
node, so that the question of a long text is no deep tree::

    Word(lexeme, weights, prefix)    weights is a mask: 1 D, 2 C, 4 B, 8 A; 0 is any
    Not(operand)   AllOf(operands)   Any(operands)
    Phrase(first, ((distance, operand), …))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..errors import error
from ..text_cache import text_cache
from .documents import MAX_LEXEME_BYTES
from .lexing import Lexer

MAX_DEPTH = 200
MAX_DISTANCE = 16_384


class Word(NamedTuple):
    """A lexeme."""

    lexeme: str
    weights: int = 0
    prefix: bool = False


class Not(NamedTuple):
    """What must not match."""

    operand: Question


class AllOf(NamedTuple):
    """``&`` of two or more."""

    operands: tuple[Question, ...]


class AnyOf(NamedTuple):
    """``|`` of two or more."""

    operands: tuple[Question, ...]


class Phrase(NamedTuple):
    """Operands at distances from each other."""

    first: Question
    steps: tuple[tuple[int, Question], ...]


class Stop(NamedTuple):
    """A word that gave no lexeme; only while a question is made."""


Question = Word | Not | AllOf | AnyOf | Phrase | Stop
Made = Callable[[str, int, bool], Question]


def all_of(left: Question, right: Question) -> Question:
    """Return ``left & right``."""
    return AllOf((*_parts(left, AllOf), *_parts(right, AllOf)))


def any_of(left: Question, right: Question) -> Question:
    """Return ``left | right``."""
    return AnyOf((*_parts(left, AnyOf), *_parts(right, AnyOf)))


def _parts(question: Question, kind: type[AllOf] | type[AnyOf]) -> tuple[Question, ...]:
    return (
        question.operands if isinstance(question, (AllOf, AnyOf)) and type(question) is kind else (question,)
    )


def phrase_of(left: Question, distance: int, right: Question) -> Question:
    """Return ``left <distance> right``."""
    if isinstance(left, Phrase):
        return Phrase(left.first, (*left.steps, (distance, right)))
    return Phrase(left, ((distance, right),))


# Reading.


@text_cache(1024)
def read_question(text: str, at: int | None = None) -> Question | None:
    """Return the tree of a question's text; None if it is empty.

    Raises
    ------
    SqlError
        42601, 22023, 54000, 54001.
    """
    return Reader(text, at=at).whole()


def normal(text: str, at: int | None = None) -> str:
    """Return a question's text in normal form."""
    found = read_question(text, at)
    return "" if found is None else question_text(found)


class Reader:
    """Reads the operators of a question; what its words become is said by ``make``."""

    def __init__(self, text: str, make: Made | None = None, at: int | None = None) -> None:
        self.lexer = Lexer(text, "tsquery", at)
        self.text = text
        self.at = at
        self.make: Made = make or self._word
        self.depth = 0

    def whole(self) -> Question | None:
        """Return the tree of the whole text."""
        if not self.text.strip():
            return None
        found = self._any()
        if self._next():
            raise self.lexer.refuse()
        return found

    def _word(self, lexeme: str, weights: int, prefix: bool) -> Question:
        return Word(lexeme, weights, prefix)

    def _next(self) -> str:
        """Return the next character that is no space."""
        while self.lexer.character.isspace():
            self.lexer.place += 1
        return self.lexer.character

    def _any(self) -> Question:
        found = [self._all()]
        while self._next() == "|":
            self.lexer.place += 1
            found.append(self._all())
        return _gathered(found, any_of)

    def _all(self) -> Question:
        found = [self._phrase()]
        while self._next() == "&":
            self.lexer.place += 1
            found.append(self._phrase())
        return _gathered(found, all_of)

    def _phrase(self) -> Question:
        found = self._operand()
        while self._next() == "<":
            distance = self._distance()
            found = phrase_of(found, distance, self._operand())
        return found

    def _distance(self) -> int:
        """Go past ``<->`` or ``<2>``."""
        end = self.text.find(">", self.lexer.place)
        inside = self.text[self.lexer.place + 1 : end] if end > 0 else ""
        if inside == "-":
            distance = 1
        elif inside.isascii() and inside.isdigit():
            distance = int(inside[:9])
            if distance > MAX_DISTANCE or len(inside) > 9:
                message = (
                    "distance in phrase operator must be an integer value between zero and 16384 inclusive"
                )
                raise error("22023", message, self.at)
        else:
            raise self.lexer.refuse()
        self.lexer.place = end + 1
        return distance

    def _operand(self) -> Question:
        character = self._next()
        if character in ("!", "("):
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise error("54001", "stack depth limit exceeded", self.at)
            self.lexer.place += 1
            if character == "!":
                found: Question = Not(self._operand())
            else:
                found = self._any()
                if self._next() != ")":
                    raise self.lexer.refuse()
                self.lexer.place += 1
            self.depth -= 1
            return found
        if character == ":":
            raise self.lexer.refuse()
        word = self.lexer.word()
        if word is None:
            raise error("42601", f'no operand in tsquery: "{self.text}"', self.at)
        if len(word[0].encode()) > MAX_LEXEME_BYTES:
            raise error("54000", f'word is too long in tsquery: "{self.text}"', self.at)
        weights, prefix = self._modifiers()
        return self.make(word[0], weights, prefix)

    def _modifiers(self) -> tuple[int, bool]:
        """Go past ``:AB*`` if it comes."""
        weights, prefix = 0, False
        if self.lexer.character != ":":
            return weights, prefix
        self.lexer.place += 1
        while letter := self.lexer.character.lower():
            if letter == "*":
                prefix = True
            elif letter in "abcd":
                weights |= 8 >> "abcd".index(letter)
            else:
                break
            self.lexer.place += 1
        return weights, prefix


def _gathered(found: list[Question], join: Callable[[Question, Question], Question]) -> Question:
    if len(found) == 1:
        return found[0]
    kind = AllOf if join is all_of else AnyOf
    parts: list[Question] = []
    for question in found:
        parts += _parts(question, kind)
    return kind(tuple(parts))


# Writing.

_PRIORITY = {AnyOf: 1, AllOf: 2, Phrase: 3, Not: 4}


def question_text(question: Question) -> str:
    """Return the text of a tree."""
    return _text(question, 0)


def _text(question: Question, outer: int, *, right_of_phrase: bool = False) -> str:
    if isinstance(question, Word):
        return _word_text(question)
    assert not isinstance(question, Stop)
    own = _PRIORITY[type(question)]
    if isinstance(question, Not):
        text = "!" + _text(question.operand, own)
    elif isinstance(question, Phrase):
        parts = [_text(question.first, own)]
        for distance, operand in question.steps:
            parts.append("<->" if distance == 1 else f"<{distance}>")
            parts.append(_text(operand, own, right_of_phrase=True))
        text = " ".join(parts)
    else:
        text = (" & " if isinstance(question, AllOf) else " | ").join(
            _text(o, own) for o in question.operands
        )
    if own < outer or (right_of_phrase and isinstance(question, Phrase)):
        return f"( {text} )"
    return text


def _word_text(word: Word) -> str:
    text = "'" + word.lexeme.replace("\\", "\\\\").replace("'", "''") + "'"
    if word.weights or word.prefix:
        text += ":" + "*" * word.prefix
        text += "".join(letter for i, letter in enumerate("ABCD") if word.weights & (8 >> i))
    return text


# Parts.


def words_of(question: Question | None) -> Iterator[Word]:
    """Yield the words of a question from left to right."""
    if isinstance(question, Word):
        yield question
    elif question is not None:
        for part in parts_of(question):
            yield from words_of(part)


def parts_of(question: Question) -> tuple[Question, ...]:
    """Return the operands of a node."""
    match question:
        case Not(operand):
            return (operand,)
        case AllOf(operands) | AnyOf(operands):
            return operands
        case Phrase(first, steps):
            return (first, *[operand for _, operand in steps])
    return ()


def count_nodes(question: Question | None) -> int:
    """Return how many words and operators a question has, operators between two."""
    if question is None or isinstance(question, Stop):
        return 0
    parts = parts_of(question)
    own = 1 if len(parts) < 2 else len(parts) - 1
    return own + sum(map(count_nodes, parts))


def indexable(question: Question) -> Question | None:
    """Return the part of a question that an index can answer: without what is negated; None for nothing."""
    match question:
        case Word():
            return question
        case AllOf(operands):
            found = [f for o in operands if (f := indexable(o)) is not None]
            return None if not found else found[0] if len(found) == 1 else AllOf(tuple(found))
        case AnyOf(operands):
            kept = [indexable(o) for o in operands]
            return None if None in kept else AnyOf(tuple(k for k in kept if k is not None))
        case Phrase(first, steps):
            made = indexable(first)
            for distance, operand in steps:
                right = indexable(operand)
                both = made is not None and right is not None
                made = phrase_of(made, distance, right) if both else made or right  # type: ignore[arg-type]
            return made
    return None
