"""Ranks: how well a document answers a question, by PostgreSQL's two measures.

    ts_rank       how often the words are there, and for ``&`` how near to each other
    ts_rank_cd    cover density (Clarke, Cormack, Tudhope, 1999): how many short stretches hold all that is asked for

Numbers are rounded to float32 where PostgreSQL's are, so that equal documents have equal ranks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from .documents import MAX_POSITION, Document, length_of
from .matching import holds
from .questions import AllOf, Phrase, Question, Word, words_of

DEFAULT_WEIGHTS = (0.1, 0.2, 0.4, 1.0)
"""Of D, C, B and A."""
_NEAR = 100
BY_LOG_LENGTH, BY_LENGTH, BY_DISTANCE, BY_UNIQUE, BY_LOG_UNIQUE, BELOW_ONE = (1 << i for i in range(6))


def _single(value: float) -> float:
    return float(np.float32(value))


def _entries(document: Document, word: Word) -> Iterator[tuple[str, tuple[int, ...]]]:
    for entry in document:
        if entry[0] == word.lexeme or (word.prefix and entry[0].startswith(word.lexeme)):
            yield entry


def _unique(question: Question) -> list[Word]:
    """Return the words of a question, sorted, of those with one lexeme the last."""
    return sorted({word.lexeme: word for word in words_of(question)}.values())


# By words.


def rank(weights: Sequence[float], document: Document, question: Question | None, method: int) -> float:
    """Return ``ts_rank``.

    Parameters
    ----------
    weights : sequence of float
        Of D, C, B and A.
    document, question
        What is ranked, and for what.
    method : int
        How the length of the document counts: a sum of the ``BY_…`` bits.
    """
    if question is None or not document:
        return 0.0
    weights = [_single(w) for w in weights]
    words = _unique(question)
    if isinstance(question, (AllOf, Phrase)) and len(words) > 1:
        found = _rank_together(weights, document, words)
    else:
        found = _rank_alone(weights, document, words)
    if found < 0:
        found = _single(1e-20)
    if method & BY_LOG_LENGTH:
        found = _single(found / (math.log(length_of(document) + 1) / math.log(2)))
    if method & BY_LENGTH:
        found = _single(found / length_of(document))
    return _normalised(found, document, method, single=True)


def _normalised(found: float, document: Document, method: int, *, single: bool) -> float:
    fit = _single if single else float
    if method & BY_UNIQUE:
        found = fit(found / len(document))
    if method & BY_LOG_UNIQUE:
        found = fit(found / (math.log(len(document) + 1) / math.log(2)))
    if method & BELOW_ONE:
        found = fit(found / fit(found + 1))
    return _single(found)


def _rank_alone(weights: Sequence[float], document: Document, words: list[Word]) -> float:
    found = 0.0
    for word in words:
        for _, places in _entries(document, word):
            total, best, at = 0.0, -1.0, 0
            for j, place in enumerate(places or (0,)):
                weight = weights[place >> 14]
                total = _single(total + _single(weight / ((j + 1) * (j + 1))))
                if weight > best:
                    best, at = weight, j
            others = _single(_single(best + total) - _single(best / ((at + 1) * (at + 1))))
            found = _single(found + others / 1.64493406685)
    return _single(found / len(words))


def _nearness(distance: int) -> float:
    return 1e-30 if distance > _NEAR else _single(1.0 / (1.005 + 0.05 * math.exp(distance / 1.5 - 2)))


def _rank_together(weights: Sequence[float], document: Document, words: list[Word]) -> float:
    found = -1.0
    placed: list[tuple[tuple[int, ...], bool] | None] = []
    for word in words:
        placed.append(None)
        for _, places in _entries(document, word):
            nowhere = not places
            here = (MAX_POSITION,) if nowhere else places
            placed[-1] = here, nowhere
            for earlier in placed[:-1]:
                if earlier is None:
                    continue
                for one in here:
                    for other in earlier[0]:
                        distance = abs((one & MAX_POSITION) - (other & MAX_POSITION))
                        if not distance and not nowhere and not earlier[1]:
                            continue
                        both = _single(weights[one >> 14] * weights[other >> 14])
                        weight = _single(math.sqrt(_single(both * _nearness(distance or MAX_POSITION + 1))))
                        found = weight if found < 0 else _single(1.0 - (1.0 - found) * (1.0 - weight))
    return found


# By covers.


def rank_by_covers(
    weights: Sequence[float], document: Document, question: Question | None, method: int
) -> float:
    """Return ``ts_rank_cd``; the parameters are those of :func:`rank`."""
    if question is None or not document:
        return 0.0
    costs = [1.0 / _single(w) if w else math.inf for w in weights]
    found = distances = previous = 0.0
    covers = 0
    words = list(words_of(question))
    for begin, end in _covers(question, words, *(placed := _placed(document, words))):
        places = placed[0][begin : end + 1]
        span = (places[-1] & MAX_POSITION) - (places[0] & MAX_POSITION)
        noise = span - (end - begin)
        if noise < 0:
            noise = (end - begin) // 2
        total = sum(costs[place >> 14] for place in places)
        found += len(places) / total / (1 + noise)
        middle = ((places[-1] & MAX_POSITION) + (places[0] & MAX_POSITION)) / 2
        if covers and middle > previous:
            distances += 1 / (middle - previous)
        previous = middle
        covers += 1
    if method & BY_LOG_LENGTH:
        found /= math.log(length_of(document) + 1)
    if method & BY_LENGTH:
        found /= length_of(document)
    if method & BY_DISTANCE and covers and distances > 0:
        found /= covers / distances
    return _normalised(found, document, method, single=False)


def _placed(document: Document, words: list[Word]) -> tuple[list[int], list[list[int]]]:
    """Return the places where any of the words stands, in order, and which of the words stand there."""
    standing: dict[tuple[int, int, str], list[int]] = {}
    for number, word in enumerate(words):
        for lexeme, places in _entries(document, word):
            for place in places:
                if not word.weights or word.weights >> (place >> 14) & 1:
                    standing.setdefault((place & MAX_POSITION, place >> 14, lexeme), []).append(number)
    keys = sorted(standing)
    return [position + (weight << 14) for position, weight, _ in keys], [standing[key] for key in keys]


def _covers(
    question: Question, words: list[Word], places: list[int], standing: list[list[int]]
) -> Iterator[tuple[int, int]]:
    """Yield the shortest stretches that answer a question, from where the one before began: first and last place."""
    numbers = {id(word): i for i, word in enumerate(words)}
    start = 0
    while start < len(places):
        found: list[list[int]] = [[] for _ in words]

        def find(word: Word, wants_positions: bool) -> tuple[int, ...] | None:
            known = found[numbers[id(word)]]  # noqa: B023  (called before it changes)
            return tuple(sorted(known)) if known else None

        def add(at: int) -> bool:
            position = places[at] & MAX_POSITION
            for number in standing[at]:
                if position not in found[number][-1:]:  # noqa: B023
                    found[number].append(position)  # noqa: B023
            return holds(question, find)

        end = next((at for at in range(start, len(places)) if add(at)), None)
        if end is None:
            return
        for known in found:
            known.clear()
        begin = next((at for at in range(end, start - 1, -1) if add(at)), None)
        if begin is None:
            start += 1
            continue
        yield begin, end
        start = begin + 1
