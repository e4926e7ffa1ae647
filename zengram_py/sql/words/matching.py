"""Matching: whether a document answers a question.

Outside of phrases a word is there or not. Inside a phrase every part gives the positions at which it *ends* and how wide it is, possibly
turned around (everywhere but there); a document without positions gives a maybe, which no phrase is content with.

What the words of a question find is asked of a function, so that documents, parts of documents and headlines match alike::

    find(word, wants_positions) -> positions in order, () for "there, but nobody knows where", None for not there
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import NamedTuple

from .documents import MAX_POSITION, Document
from .questions import AllOf, AnyOf, Not, Phrase, Question, Word

Find = Callable[[Word, bool], tuple[int, ...] | None]
NO, YES, MAYBE = range(3)


class Ends(NamedTuple):
    """Where a part of a phrase ends; ``width`` is from the first to the last word."""

    positions: tuple[int, ...] = ()
    negated: bool = False
    width: int = 0


def finder(document: Document) -> Find:
    """Return the function that finds words in a document."""
    lexemes = [lexeme for lexeme, _ in document]

    def find(word: Word, wants_positions: bool) -> tuple[int, ...] | None:
        at = bisect_left(lexemes, word.lexeme)
        if not word.prefix:
            if at == len(lexemes) or lexemes[at] != word.lexeme:
                return None
            return _places_of(document[at][1], word.weights)
        found: set[int] = set()
        there = False
        while at < len(lexemes) and lexemes[at].startswith(word.lexeme):
            places = _places_of(document[at][1], word.weights)
            if places is not None:
                there = True
                if not places:
                    return ()
                if not wants_positions:
                    return places
                found.update(places)
            at += 1
        return tuple(sorted(found)) if there else None

    return find


def _places_of(places: tuple[int, ...], weights: int) -> tuple[int, ...] | None:
    if not places:
        return ()
    if weights:
        places = tuple(p for p in places if weights >> (p >> 14) & 1)
        if not places:
            return None
    return places if places[-1] <= MAX_POSITION and not weights else tuple(p & MAX_POSITION for p in places)


def matches(question: Question | None, document: Document) -> bool:
    """Return whether a document answers a question; the empty question is answered by none."""
    return question is not None and holds(question, finder(document))


def holds(question: Question, find: Find) -> bool:
    """Return whether a question is true of what ``find`` finds."""
    match question:
        case Word():
            return find(question, False) is not None
        case Not(operand):
            return not holds(operand, find)
        case AllOf(operands):
            return all(holds(o, find) for o in operands)
        case AnyOf(operands):
            return any(holds(o, find) for o in operands)
    return ends(question, find)[0] == YES


def ends(question: Question, find: Find) -> tuple[int, Ends]:
    """Return whether a part of a phrase matches, and where it ends."""
    match question:
        case Word():
            positions = find(question, True)
            if positions is None:
                return NO, Ends()
            return (YES, Ends(positions)) if positions else (MAYBE, Ends())
        case Not(operand):
            return _inverted(*ends(operand, find))
        case AllOf(operands):
            return _folded(operands, find, _both)
        case AnyOf(operands):
            return _folded(operands, find, _either)
        case Phrase(first, steps):
            found = ends(first, find)
            for distance, operand in steps:
                if found[0] == NO:
                    break
                found = _behind(found, ends(operand, find), distance)
            return found
    return NO, Ends()


Found = tuple[int, Ends]


def _folded(operands: tuple[Question, ...], find: Find, join: Callable[[Found, Found], Found]) -> Found:
    found = ends(operands[0], find)
    for operand in operands[1:]:
        found = join(found, ends(operand, find))
    return found


def _inverted(state: int, found: Ends) -> Found:
    if state == NO:
        return YES, Ends((), True, found.width)
    if state == MAYBE:
        return MAYBE, found
    if found.positions:
        return YES, found._replace(negated=not found.negated)
    return NO, Ends()


def _both(left: Found, right: Found) -> Found:
    if NO in (left[0], right[0]):
        return NO, Ends()
    if MAYBE in (left[0], right[0]):
        return MAYBE, Ends()
    width = max(left[1].width, right[1].width)
    return _intersection(left[1], right[1], width - left[1].width, width - right[1].width, width)


def _behind(left: Found, right: Found, distance: int) -> Found:
    if NO in (left[0], right[0]):
        return NO, Ends()
    if MAYBE in (left[0], right[0]):
        return MAYBE, Ends()
    width = distance + left[1].width + right[1].width
    return _intersection(left[1], right[1], distance + right[1].width, 0, width)


def _either(left: Found, right: Found) -> Found:
    if left[0] == NO and right[0] == NO:
        return NO, Ends()
    if MAYBE in (left[0], right[0]):
        return MAYBE, Ends()
    one = left[1] if left[0] == YES else left[1]._replace(width=0)
    other = right[1] if right[0] == YES else right[1]._replace(width=0)
    width = max(one.width, other.width)
    ours, theirs = _moved(one, width - one.width), _moved(other, width - other.width)
    if one.negated and other.negated:
        return YES, Ends(_sorted(ours & theirs), True, width)
    if one.negated:
        return YES, Ends(_sorted(ours - theirs), True, width)
    if other.negated:
        return YES, Ends(_sorted(theirs - ours), True, width)
    return _known(_sorted(ours | theirs), width)


def _intersection(left: Ends, right: Ends, left_by: int, right_by: int, width: int) -> Found:
    ours, theirs = _moved(left, left_by), _moved(right, right_by)
    if left.negated and right.negated:
        return YES, Ends(_sorted(ours | theirs), True, width)
    if left.negated:
        return _known(_sorted(theirs - ours), width)
    if right.negated:
        return _known(_sorted(ours - theirs), width)
    return _known(_sorted(ours & theirs), width)


def _moved(found: Ends, by: int) -> set[int]:
    return {p + by for p in found.positions}


def _sorted(positions: set[int]) -> tuple[int, ...]:
    return tuple(sorted(p for p in positions if p > 0))


def _known(positions: tuple[int, ...], width: int) -> Found:
    return (YES, Ends(positions, False, width)) if positions else (NO, Ends())


def locations(question: Question, find: Find) -> list[Ends] | None:
    """Return where the parts of a question that must all match do: one :class:`Ends` for each; None if it does not match."""
    match question:
        case Word():
            state, found = ends(question, find)
            return [found] if state == YES else None
        case Not(operand):
            return [] if locations(operand, find) is None else None
        case AllOf(operands):
            out: list[Ends] = []
            for operand in operands:
                part = locations(operand, find)
                if part is None:
                    return None
                out += part
            return out
        case AnyOf(operands):
            return _alternatives([locations(o, find) for o in operands])
    state, found = ends(question, find)
    if state != YES:
        return None
    return [] if found.negated else [found]


def _alternatives(parts: list[list[Ends] | None]) -> list[Ends] | None:
    known = [part for part in parts if part is not None]
    if not known:
        return None
    found: list[Ends] = []
    for part in known:
        if not found or not part:
            found = found or part
            continue
        found = [
            Ends(_sorted({*a.positions, *b.positions}), False, max(a.width, b.width))
            for a in found
            for b in part
        ]
    return found
