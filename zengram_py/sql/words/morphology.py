"""Questions out of texts: each word of a question becomes the lexemes of a language.

    to_tsquery          fat & cats:*        operators and words; a word that is several becomes a phrase
    plainto_tsquery     the fat cats        all words
    phraseto_tsquery    the fat cats        the words in this order
    websearch_to_tsquery  "fat cats" -dog   what people type

Stop words leave gaps in phrases, and vanish elsewhere.
"""

from __future__ import annotations

from .dictionaries import lexemes
from .lexing import OPERATORS, Lexer
from .questions import (
    AllOf,
    AnyOf,
    Not,
    Phrase,
    Question,
    Reader,
    Stop,
    Word,
    all_of,
    any_of,
    phrase_of,
)


def to_question(language: str, text: str) -> Question | None:
    """Return the question of a text with operators."""
    return without_stops(
        Reader(text, lambda word, weights, prefix: phrase(language, word, weights, prefix)).whole()
    )


def plain_question(language: str, text: str) -> Question | None:
    """Return the question for all words of a text."""
    found, _ = lexemes(language, text)
    if not found:
        return None
    words = [Word(lexeme) for lexeme, _ in found]
    return words[0] if len(words) == 1 else AllOf(tuple(words))


def phrase_question(language: str, text: str) -> Question | None:
    """Return the question for the words of a text in this order."""
    return without_stops(phrase(language, text))


def phrase(language: str, text: str, weights: int = 0, prefix: bool = False) -> Question:
    """Return the words of a text as a phrase, a place for each stop word in it; one stop if there are no others."""
    found, _ = lexemes(language, text)
    made: Question | None = None
    before = 0
    for lexeme, position in found:
        word = Word(lexeme, weights, prefix)
        made = word if made is None else phrase_of(made, position - before, word)
        before = position
    return Stop() if made is None else made


def without_stops(question: Question | None) -> Question | None:
    """Return a question without its stops, phrases as wide as they were; None if nothing is left."""
    return None if question is None else _cleaned(question)[0]


def _cleaned(question: Question) -> tuple[Question | None, int, int]:
    """Return what is left, and by how much the distances to its left and to its right grow."""
    match question:
        case Stop():
            return None, 0, 0
        case Not(operand):
            inner, left, right = _cleaned(operand)
            return (None if inner is None else Not(inner)), left, right
        case AllOf(operands) | AnyOf(operands):
            join = all_of if isinstance(question, AllOf) else any_of
            return _cleaned_list(operands, join)
        case Phrase(first, steps):
            return _cleaned_phrase(first, steps)
    return question, 0, 0


def _cleaned_list(operands: tuple[Question, ...], join: object) -> tuple[Question | None, int, int]:
    kept: list[Question] = []
    only: tuple[Question | None, int, int] = (None, 0, 0)
    widest = 0
    for operand in operands:
        cleaned = _cleaned(operand)
        if cleaned[0] is None:
            widest = max(widest, cleaned[1])
        else:
            kept.append(cleaned[0])
            only = cleaned
    if not kept:
        return None, widest, widest
    if len(kept) == 1:
        return only
    made = kept[0]
    for operand in kept[1:]:
        made = all_of(made, operand) if join is all_of else any_of(made, operand)
    return made, 0, 0


def _cleaned_phrase(
    first: Question, steps: tuple[tuple[int, Question], ...]
) -> tuple[Question | None, int, int]:
    made, before, behind = _cleaned(first)
    for distance, operand in steps:
        right, right_before, right_behind = _cleaned(operand)
        if made is None and right is None:
            before = behind = before + distance + right_before
        elif made is None:
            made, before, behind = right, before + distance + right_before, right_behind
        elif right is None:
            behind += distance + right_behind
        else:
            made = phrase_of(made, distance + behind + right_before, right)
            behind = right_behind
    return made, before, behind


# What people type.


def web_question(language: str, text: str) -> Question | None:
    """Return the question of a text as people type it: words, ``"phrases"``, ``or`` and ``-``; any text is one."""
    return without_stops(_Web(language, text).whole())


class _Web:
    def __init__(self, language: str, text: str) -> None:
        self.language = language
        self.text = text
        self.lexer = Lexer(text, "websearch")

    def whole(self) -> Question | None:
        """Return the question: alternatives of words that are all wanted."""
        alternatives: list[list[Question]] = [[]]
        while True:
            operand = self._operand()
            if operand is None:
                break
            alternatives[-1].append(operand)
            if self._takes_or():
                alternatives.append([])
        if not alternatives[-1]:  # nothing behind an operator
            alternatives[-1].append(Stop())
        made = [_joined(group) for group in alternatives]
        return made[0] if len(made) == 1 else AnyOf(tuple(made))

    def _operand(self) -> Question | None:
        negations = 0
        while character := self.lexer.character:
            if character == "-":
                negations += 1
                self.lexer.place += 1
            elif character == '"':
                end = self.text.find('"', self.lexer.place + 1)
                end = len(self.text) if end < 0 else end
                found = phrase(self.language, self.text[self.lexer.place + 1 : end])
                self.lexer.place = end + 1
                return _negated(found, negations)
            elif character.isspace() or character in OPERATORS:
                self.lexer.place += 1
            else:
                word = self.lexer.word()
                assert word is not None
                return _negated(phrase(self.language, word[0]), negations)
        return _negated(Stop(), negations) if negations else None

    def _takes_or(self) -> bool:
        """Go past ``or`` if it stands alone and something comes after it."""
        while (character := self.lexer.character) and (character.isspace() or character in OPERATORS):
            self.lexer.place += 1
        place = self.lexer.place
        if self.text[place : place + 2].lower() != "or":
            return False
        after = self.text[place + 2 : place + 3]
        if not after or after in "-_" or after.isalnum():
            return False
        if not self.text[place + 3 :].strip():
            return False
        self.lexer.place += 2
        return True


def _negated(question: Question, times: int) -> Question:
    for _ in range(times if times < 9 else 2 - times % 2):
        question = Not(question)
    return question


def _joined(group: list[Question]) -> Question:
    if len(group) == 1:
        return group[0]
    made: list[Question] = []
    for question in group:
        made += question.operands if isinstance(question, AllOf) else (question,)
    return AllOf(tuple(made))
