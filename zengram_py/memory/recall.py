"""Recall: from a question's vector to the facts that answer it, ranked.

::

    facts of the scope ──▶ active ones ──▶ nearest vectors ──▶ relevant enough? ──▶ score ──▶ the best `limit`
                                            (cosine)             rel >= threshold

Relevance is the cosine, with what points away counted as 0: rel = max(0, cosine). Only relevance decides whether a fact
is an answer at all; age and importance then reorder the answers::

    score = (w_vector + w_text) * rel + w_recency * 0.5 ** (age / half_life) + w_importance * importance

A fact whose time lies in the future has age 0. Ties go to the newer fact, then to the greater id. Recall writes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..clock import MICROSECONDS_PER_DAY
from ..engine import Transaction
from ..engine.growable import Growable
from ..engine.index.vectors import VectorIndex
from ..engine.seen import SeenTable
from ..engine.table import SlotArray
from .knowledge import active_facts, read_facts
from .schema.knowledge import VECTOR_INDEX

# Age and importance may lift a fact that is not among the nearest `limit`, so more than those are scored.
CANDIDATES_AT_LEAST = 256
CANDIDATES_PER_ANSWER = 8


@dataclass(frozen=True)
class RecallWeights:
    """The knobs of recall, with the defaults of ``retrieval_config``.

    Attributes
    ----------
    vector, text, recency, importance : float
        Weights of the parts of a score.
    half_life_days : float
        Days in which the recency part halves.
    limit : int
        Facts returned at most.
    threshold : float
        Least relevance (0 to 1) of an answer.
    """

    vector: float = 0.4
    text: float = 0.3
    recency: float = 0.15
    importance: float = 0.15
    half_life_days: float = 30.0
    limit: int = 20
    threshold: float = 0.15


@dataclass(frozen=True)
class Hit:
    """One answer.

    Attributes
    ----------
    knowledge_id, subject, content : str
        The fact.
    score : float
        What the ranking goes by.
    similarity : float
        The cosine of the fact's and the question's vector, -1 to 1.
    importance : float
        The fact's importance, 0 to 1.
    """

    knowledge_id: str
    subject: str
    content: str
    score: float
    similarity: float
    importance: float


class FactVectors:
    """Joins vectors to facts: for each slot of ``embedding``, the row of ``knowledge`` that it belongs to.

    An embedding's source never changes, so what was looked up once is kept; each recall looks up only the slots that
    are new since the one before.
    """

    def __init__(self) -> None:
        self._fact_rows: Growable[np.int32] = Growable(np.int32)
        self._epochs = (0, 0)

    def rows(self, embeddings: SeenTable, facts: SeenTable) -> NDArray[np.int32]:
        """Return the hidden row id of the fact for each slot of the embedding table, -1 for none."""
        epochs = (embeddings.store.epoch, facts.store.epoch)
        if epochs != self._epochs:  # a vacuum renumbered slots or rows
            self._fact_rows, self._epochs = Growable(np.int32), epochs
        known, total = len(self._fact_rows), len(embeddings.store)
        if known < total:
            slots = np.arange(known, total, dtype=np.int32)
            kinds = embeddings.column("source_type").equal(slots, "knowledge").tolist()
            ids = embeddings.column("source_id").take(slots)
            pairs = zip(ids, kinds, strict=True)
            self._fact_rows.extend([self._row_of(facts, i) if is_fact else -1 for i, is_fact in pairs])
        return self._fact_rows.view

    @staticmethod
    def _row_of(facts: SeenTable, fact_id: str) -> int:
        state = facts.index("knowledge_pkey")
        for slot in state.structure.search((fact_id,)).tolist():
            if facts.store.key_at(state.definition.id, slot) == (fact_id,):
                return int(facts.rows(np.array([slot], np.int32))[0])
        return -1


def recall_facts(
    transaction: Transaction,
    joins: FactVectors,
    now: int,
    *,
    scope: str,
    vector: NDArray[np.float32],
    weights: RecallWeights | None = None,
) -> list[Hit]:
    """Return the facts of a scope that are relevant to a vector, best first.

    Arguments are checked already.
    """
    weights = weights or RecallWeights()
    facts, active = active_facts(transaction, scope)
    candidates = max(CANDIDATES_AT_LEAST, CANDIDATES_PER_ANSWER * weights.limit)
    slots, similarity = _nearest(transaction, joins, facts, active, vector, candidates)
    relevance = np.maximum(0.0, similarity)
    keep = relevance >= weights.threshold
    slots, similarity, relevance = slots[keep], similarity[keep], relevance[keep]
    created = np.array(facts.column("time_created").take(slots), np.float64)
    importance = np.array(facts.column("importance").take(slots), np.float64)
    age_days = np.maximum(0.0, now - created) / MICROSECONDS_PER_DAY
    score = (
        (weights.vector + weights.text) * relevance
        + weights.recency * np.exp2(-age_days / weights.half_life_days)
        + weights.importance * importance
    )
    rows = facts.rows(slots)
    best = np.lexsort((-rows, -created, -score))[: weights.limit]
    return [
        Hit(fact.id, fact.subject, fact.content, float(score[i]), float(similarity[i]), fact.importance)
        for i, fact in zip(best, read_facts(facts, slots[best]), strict=True)
    ]


def _nearest(
    transaction: Transaction,
    joins: FactVectors,
    facts: SeenTable,
    active: SlotArray,
    vector: NDArray[np.float32],
    candidates: int,
) -> tuple[SlotArray, NDArray[np.float64]]:
    """Return the slots and cosines of those of the given facts that are nearest to a vector."""
    embeddings = transaction.seen("embedding")
    fact_slot = np.full(len(facts.store.newest), -1, np.int32)
    fact_slot[facts.rows(active)] = active
    fact_rows = joins.rows(embeddings, facts)[embeddings.slots]
    wanted = (fact_rows >= 0) & (fact_slot[fact_rows] >= 0)
    seen = embeddings.slots[wanted]
    index = embeddings.index(VECTOR_INDEX)
    structure = index.structure
    assert isinstance(structure, VectorIndex)
    entries = index.entry.view[seen]
    found, similarity = structure.nearest(vector, candidates, entries)
    slot_of_entry = np.full(len(embeddings.store), -1, np.int32)
    slot_of_entry[entries] = seen
    return fact_slot[joins.rows(embeddings, facts)[slot_of_entry[found]]], similarity
