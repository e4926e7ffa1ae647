"""Fusion: from what the arms say of each candidate to one score.

The arms speak in numbers of their own; calibrated, each lies in 0..1::

    v = max(0, cosine)        t = BM25 score / the most that the question could score        e = min(0.3, 0.1 x shared names)

    relevance = (w_vector * v + w_text * t) / (w_vector + w_text) + e
    recency   = 0.5 ** (max(0, age) / half-life)

An arm that has nothing to say to a question (no vector; none of its words in any fact that may be an answer) has no weight in the
relevance.
Three presets make a score of it, ``s`` being what spreads to a fact from its neighbours (spread.py):

    hybrid     (w_vector + w_text) * (relevance + s) + w_recency * recency + w_importance * importance
    classical  (v + e + s) * importance * recency                       relevance is v + e: words only find candidates
    rrf        sum over the arms of 1 / (60 + rank) + s * unit          reciprocal ranks [1]

What spreads is relevance; the unit of ``rrf`` is the greatest sum over the greatest relevance.

[1] Cormack, Clarke, Büttcher: Reciprocal Rank Fusion outperforms Condorcet and individual rank learning methods, SIGIR 2009.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..clock import MICROSECONDS_PER_DAY
from .recall_config import RecallConfig

ENTITY_BONUS = 0.1
ENTITY_BONUS_AT_MOST = 0.3
RRF_OFFSET = 60
NO_RANK = 0

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Evidence:
    """What is known of each of n candidates.

    Attributes
    ----------
    cosine : float64 array of shape (n,) or None
        With the question's vector; 0 for a fact without one. None if the question has no vector.
    words, bound : float64 array of shape (n,), float
        BM25 scores, and what none of them exceeds.
    has_words : bool
        Whether any fact that may be an answer has words of the question.
    shared : int64 array of shape (n,)
        Names shared with the question.
    age, importance : float64 array of shape (n,)
        Microseconds since the fact was created (negative in the future), and 0..1.
    """

    cosine: Numbers | None
    words: Numbers
    bound: float
    has_words: bool
    shared: NDArray[np.int64]
    age: Numbers
    importance: Numbers


class Fusion:
    """The parts of the candidates' scores; :meth:`score` puts them together.

    Attributes
    ----------
    v, t, bonus : float64 array of shape (n,)
        What vectors, words and names say, calibrated.
    relevance : float64 array of shape (n,)
        What they say together: decides whether a candidate is an answer.
    recency : float64 array of shape (n,)
        1 for a new fact, halved with each half-life.
    """

    def __init__(
        self, evidence: Evidence, config: RecallConfig, ranks: dict[str, NDArray[np.int64]] | None = None
    ) -> None:
        self.evidence, self.config, self._ranks = evidence, config, ranks
        n = len(evidence.words)
        self.v = np.zeros(n) if evidence.cosine is None else np.maximum(0.0, evidence.cosine)
        self.t = evidence.words / evidence.bound
        self.bonus = np.minimum(ENTITY_BONUS_AT_MOST, ENTITY_BONUS * evidence.shared)
        w_vector = config.vector_weight if evidence.cosine is not None else 0.0
        w_text = config.text_weight if evidence.has_words else 0.0
        if config.preset == "classical":
            w_vector, w_text = 1.0, 0.0
        self.relevance = (w_vector * self.v + w_text * self.t) / ((w_vector + w_text) or 1.0) + self.bonus
        days = np.maximum(0.0, evidence.age) / MICROSECONDS_PER_DAY
        self.age_days = days
        self.recency = np.exp2(-days / config.decay_half_life_days)

    def ranks(self) -> dict[str, NDArray[np.int64]]:
        """Return the place of each candidate in each arm, from 1; equal scores share a place, no score has none (0).

        Where only the best of many candidates are here, the places are those that they have among the many.
        """
        if self._ranks is not None:
            return self._ranks
        return {"vector": ranks_of(self.v), "text": ranks_of(self.t), "entities": ranks_of(self.bonus)}

    def parts(self, spread: Numbers) -> dict[str, Numbers]:
        """Return what adds up to the scores, by name, each of shape (n,)."""
        config = self.config
        importance = self.evidence.importance
        if config.preset == "classical":
            factor = importance * self.recency
            return {"relevance": self.relevance * factor, "spread": spread * factor}
        if config.preset == "rrf":
            arms = {arm: _reciprocal(ranks) for arm, ranks in self.ranks().items()}
            most = sum(arms.values(), np.zeros(len(spread))).max(initial=0.0)
            return arms | {"spread": spread * (most / max(self.relevance.max(initial=0.0), 1e-9))}
        weight = config.vector_weight + config.text_weight
        return {
            "relevance": weight * self.relevance,
            "spread": weight * spread,
            "recency": config.recency_weight * self.recency,
            "importance": config.importance_weight * importance,
        }

    def score(self, spread: Numbers) -> Numbers:
        """Return the scores, shape (n,)."""
        return sum(self.parts(spread).values(), np.zeros(len(spread)))


def ranks_of(scores: Numbers) -> NDArray[np.int64]:
    """Return places from 1 by descending score; equal scores share the first of theirs, 0 stands for no score."""
    found = np.sort(scores[scores > 0])
    places = len(found) - np.searchsorted(found, scores, side="right") + 1
    return np.where(scores > 0, places, NO_RANK)


def _reciprocal(ranks: NDArray[np.int64]) -> Numbers:
    return np.where(ranks == NO_RANK, 0.0, 1.0 / (RRF_OFFSET + ranks))
