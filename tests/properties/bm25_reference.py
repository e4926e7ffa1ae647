"""BM25F in plain Python, from the formula: documents are lists of words, nothing is indexed, everything is counted anew.

Words are what lies between spaces; so it is for texts in which the index sees the same words: lower case, language
``"simple"``. A question is a list of things; each is a tuple ``(kind, words, field, slop)`` with the kinds ``word``,
``prefix``, ``phrase``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

Thing = tuple[str, tuple[str, ...], int | None, int | None]


@dataclass(frozen=True)
class Question:
    """Things asked for, each a list of alternatives; things that no answer has."""

    asked: tuple[tuple[Thing, ...], ...]
    excluded: tuple[Thing, ...] = ()

    def text(self, names: Sequence[str]) -> str:
        """Return it in the query language."""
        pieces = [" OR ".join(_text(thing, names) for thing in clause) for clause in self.asked]
        return "  ".join([*pieces, *("-" + _text(thing, names) for thing in self.excluded)])


def _text(thing: Thing, names: Sequence[str]) -> str:
    kind, words, field, slop = thing
    out = " ".join(words) + ("*" if kind == "prefix" else "")
    if kind == "phrase":
        out = f'"{out}"' + ("" if slop is None else f"~{slop}")
    return out if field is None else f"{names[field]}:{out}"


def count(words: Sequence[str], thing: Thing) -> int:
    """Return how often something is in a text."""
    kind, wanted, _, slop = thing
    if kind == "word":
        return sum(word == wanted[0] for word in words)
    if kind == "prefix":
        return sum(word.startswith(wanted[0]) for word in words)
    if len(wanted) == 1:
        return sum(word == wanted[0] for word in words)
    if slop is None:
        return sum(tuple(words[i : i + len(wanted)]) == wanted for i in range(len(words)))
    reach = len(wanted) + slop
    return sum(
        words[i] in wanted and all(w in words[i : i + reach] for w in wanted) for i in range(len(words))
    )


def scores(
    documents: Mapping[Any, Sequence[str]],
    question: Question,
    *,
    weights: Sequence[float],
    k1: float = 1.2,
    b: Sequence[float],
    coordination: float = 0.2,
) -> dict[Any, float]:
    """Return the score of each document that has something of what is asked and nothing of what is excluded."""
    texts = {key: [text.split() for text in fields] for key, fields in documents.items()}
    n, fields = len(texts), range(len(weights))
    average = [sum(len(t[f]) for t in texts.values()) / n if n else 0.0 for f in fields]

    def found(thing: Thing) -> dict[Any, list[int]]:
        out = {}
        for key, text in texts.items():
            counts = [count(text[f], thing) if thing[2] in (None, f) else 0 for f in fields]
            if any(counts):
                out[key] = counts
        return out

    total: dict[Any, float] = {}
    matched: dict[Any, int] = {}
    clauses = list(dict.fromkeys(tuple(dict.fromkeys(clause)) for clause in question.asked))
    for clause in clauses:
        here = set()
        for thing in clause:
            has = found(thing)
            idf = log(1 + (n - len(has) + 0.5) / (len(has) + 0.5))
            for key, counts in has.items():
                tf = 0.0
                for f in fields:
                    if counts[f]:
                        norm = 1 - b[f] + b[f] * len(texts[key][f]) / average[f]
                        tf += weights[f] * counts[f] / norm
                total[key] = total.get(key, 0.0) + idf * tf / (k1 + tf)
                here.add(key)
        for key in here:
            matched[key] = matched.get(key, 0) + 1
    for thing in question.excluded:
        for key in found(thing):
            total.pop(key, None)
    if len(clauses) > 1:
        for key in total:
            total[key] *= 1 + coordination * (matched[key] - 1) / (len(clauses) - 1)
    return total
