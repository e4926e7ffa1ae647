"""BM25F: how well documents answer a query.

The formula is that of S. Robertson and H. Zaragoza, *The Probabilistic Relevance Framework: BM25 and Beyond* (2009), section
3.6, with an inverse document frequency that is never negative (as in Lucene). For a document d and each thing t asked for::

    tf(t, d) = sum over fields f of  weight_f * count_f(t, d) / ((1 - b_f) + b_f * length_f(d) / average length_f)
    idf(t)   = ln(1 + (N - n_t + 0.5) / (n_t + 0.5))          N documents, n_t of them with t, all of them seen
    score(d) = (1 + c * (m - 1) / (M - 1)) * sum over t of  idf(t) * tf(t, d) / (k1 + tf(t, d))

The first factor is the coordination bonus: m of the M things asked for are in the document. A phrase and a prefix are things
like a term, counted as if each place where they are were one. A score is below the *bound* ``(1 + c) * sum of idf(t)``, which
a document would reach that has everything very often: their quotient lies between 0 and 1 and can be compared across queries.

Each number is computed for each document by itself, in the order of the query, never summed across documents in an order
that depends on where they lie: equal statistics give equal bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import log

import numpy as np
from numpy.typing import NDArray

from .corpus import Corpus, Mask
from .postings import Postings, repeat
from .query import Leaf, Query


@dataclass(frozen=True)
class Contribution:
    """What one thing asked for adds to the score of a document.

    Attributes
    ----------
    leaf : Leaf
        The thing.
    documents : int
        How many documents have it.
    idf : float
        Its weight.
    counts : tuple of int
        How often it is in each field.
    score : float
        What it adds, before the coordination bonus.
    """

    leaf: Leaf
    documents: int
    idf: float
    counts: tuple[int, ...]
    score: float


@dataclass(frozen=True)
class Explanation:
    """How a score came about: ``score == bonus * sum of the contributions``.

    Attributes
    ----------
    contributions : tuple of Contribution
        In the order of the query.
    matched, asked : int
        How many things the document has, and how many were asked for.
    bonus : float
        The coordination bonus.
    """

    contributions: tuple[Contribution, ...]
    matched: int
    asked: int
    bonus: float


@dataclass(frozen=True)
class Ranking:
    """The best documents for a query.

    Attributes
    ----------
    entries : int32 array of shape (n,)
        The documents, best first, ties by number.
    scores : float64 array of shape (n,)
        Their scores, above 0.
    bound : float
        What no score reaches; 0 when nothing was asked for.
    explanations : list of Explanation
        One for each document, if they were wanted.
    """

    entries: NDArray[np.int32]
    scores: NDArray[np.float64]
    bound: float
    explanations: list[Explanation] = field(default_factory=list)


NOTHING = Ranking(np.empty(0, np.int32), np.empty(0, np.float64), 0.0)


def rank(
    corpus: Corpus, query: Query, k: int | None, candidates: Mask | None = None, *, explain: bool = False
) -> Ranking:
    """Return the documents that answer a query best.

    Parameters
    ----------
    corpus : Corpus
        What the reader sees.
    query : Query
        What is asked for.
    k : int or None
        How many documents at most; None for all that answer.
    candidates : bool array, optional
        Which documents may be answers, by number; those beyond its end may not. Scores do not depend on it.
    explain : bool
        Whether explanations are wanted.
    """
    if not query.leaves or k == 0:
        return NOTHING
    scored = _score(corpus, query, candidates)
    most = 1.0 + scored.coordination
    entries = _promising(scored.score, k, most)
    bonus = scored.bonus(entries)
    scores = scored.score[entries] * bonus
    order = np.argsort(-scores, kind="stable")[:k]  # entries ascend, so ties go by number
    entries, scores, bonus = entries[order], scores[order], bonus[order]
    explanations = _explain(query, scored.leaves, entries, scored.matched[entries], bonus) if explain else []
    return Ranking(entries.astype(np.int32), scores, scored.bound, explanations)


def score_all(corpus: Corpus, query: Query) -> tuple[NDArray[np.float64], float]:
    """Return what each document scores, shape (documents,), 0 where it is no answer, and what no score reaches.

    The scores are those of :func:`rank`. Who has other reasons to order documents by saves the sorting.
    """
    if not query.leaves:
        return np.zeros(len(corpus.seen)), 0.0
    scored = _score(corpus, query, None)
    entries = np.flatnonzero(scored.score)
    scored.score[entries] *= scored.bonus(entries)
    return scored.score, scored.bound


@dataclass(frozen=True)
class _Documents:
    """The score of each document before the coordination bonus, and what the bonus depends on."""

    score: NDArray[np.float64]
    matched: NDArray[np.int64]
    asked: int
    coordination: float
    bound: float
    leaves: _Leaves

    def bonus(self, entries: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return by how much more the scores of some documents count for having much of what was asked for."""
        share = (self.matched[entries] - 1) / max(1, self.asked - 1)
        found: NDArray[np.float64] = 1.0 + self.coordination * share
        return found


def _score(corpus: Corpus, query: Query, candidates: Mask | None) -> _Documents:
    found = _Leaves(corpus, [corpus.find(leaf) for leaf in query.leaves])
    asked = len(query.clauses)
    size = len(corpus.seen)
    score = np.bincount(found.entries, found.scores, size).astype(np.float64, copy=False)
    for leaf in query.excluded:
        score[corpus.find(leaf).entries] = 0.0
    if candidates is not None:
        score[len(candidates) :] = 0.0
        score[: len(candidates)][~candidates[:size]] = 0.0
    coordination = corpus.weights.coordination if asked > 1 else 0.0
    bound = sum(found.idf) * (1.0 + coordination)
    return _Documents(score, _matched(query, found, size), asked, coordination, bound, found)


class _Leaves:
    """What each leaf adds to each document that has it, one leaf after the other in the same arrays."""

    def __init__(self, corpus: Corpus, found: Sequence[Postings]) -> None:
        entries = np.concatenate([postings.entries for postings in found])
        counts = np.concatenate([postings.counts for postings in found], axis=1)
        sizes = np.array([len(postings.entries) for postings in found])
        seen = corpus.seen[entries]
        if not seen.all():
            before = np.zeros(len(seen) + 1, np.int64)
            np.cumsum(seen, out=before[1:])
            ends = np.cumsum(sizes)
            sizes = before[ends] - before[ends - sizes]
            entries, counts = entries[seen], counts[:, seen]
        self.entries, self.counts, self.sizes = entries, counts, sizes
        total = corpus.size
        self.idf = [log(1.0 + (total - n + 0.5) / (n + 0.5)) for n in sizes.tolist()]
        frequency = counts[0] * corpus.worth[0][entries]
        for field_counts, worth in zip(counts[1:], corpus.worth[1:], strict=True):
            frequency += field_counts * worth[entries]
        self.scores = frequency / (frequency + corpus.weights.k1)
        self.scores *= repeat(np.array(self.idf), sizes)


def _matched(query: Query, found: _Leaves, size: int) -> NDArray[np.int64]:
    """Return how many of the clauses each document satisfies."""
    names = [len(clause.leaves) for clause in query.clauses]
    if all(n == 1 for n in names) and not query.extras:
        return np.bincount(found.entries, minlength=size)
    of_leaf = repeat(np.arange(len(names)), np.asarray(names))  # the clause of each leaf; extras have none
    sizes = found.sizes[: len(of_leaf)]
    clause_of = repeat(of_leaf, sizes)
    entries = found.entries[: len(clause_of)]
    pairs = np.unique(clause_of.astype(np.int64) << 32 | entries)
    return np.bincount((pairs & 0xFFFFFFFF).astype(np.intp), minlength=size)


def _promising(score: NDArray[np.float64], k: int | None, most: float) -> NDArray[np.intp]:
    """Return the documents, ascending, that can be among the best k when scores may still grow by a factor."""
    if k is not None and k < len(score):
        least = np.partition(score, len(score) - k)[len(score) - k]
        if least > 0:
            return np.flatnonzero(score * most >= least * (1.0 - 1e-9))
    return np.flatnonzero(score)


def _explain(
    query: Query,
    found: _Leaves,
    entries: NDArray[np.intp],
    matched: NDArray[np.int64],
    bonus: NDArray[np.float64],
) -> list[Explanation]:
    parts: dict[int, list[Contribution]] = {entry: [] for entry in entries.tolist()}
    at = 0
    for leaf, size, idf in zip(query.leaves, found.sizes.tolist(), found.idf, strict=True):
        here = found.entries[at : at + size]
        for i in np.flatnonzero(np.isin(here, entries)).tolist():
            counts = tuple(found.counts[:, at + i].tolist())
            parts[int(here[i])].append(Contribution(leaf, size, idf, counts, float(found.scores[at + i])))
        at += size
    return [
        Explanation(tuple(contributions), has, len(query.clauses), raised)
        for contributions, has, raised in zip(parts.values(), matched.tolist(), bonus.tolist(), strict=True)
    ]
