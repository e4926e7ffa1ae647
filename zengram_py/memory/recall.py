"""Recall: from a question to the facts that answer it, ranked, with reasons.

Three arms look for answers, and what any of them finds is a candidate::

    question ──┬─ vector ──▶ nearest facts          v = max(0, cosine)
               ├─ text ────▶ facts with its words   t = BM25 score / the most that the question could score
               └─ names ───▶ facts that share them  e = min(0.3, 0.1 x shared names)

    relevance = (w_vector * v + w_text * t) / (w_vector + w_text) + e
    score     = (w_vector + w_text) * relevance + w_recency * 0.5 ** (age / half_life) + w_importance * importance

An arm that has nothing to say to a question (no vector; none of its words in any fact of the scope) has no weight in its
relevance. Only relevance decides whether a fact is an answer (``threshold``; a fact that shares a name always is): age and importance then reorder the
answers, and never erase one. Every candidate has all three numbers, whichever arm found it. A fact whose time lies in the
future has age 0. Ties go to the newer fact, then to the later row. Recall writes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..clock import MICROSECONDS_PER_DAY
from ..engine import Transaction
from ..engine.index.vectors import VectorIndex
from ..engine.seen import SeenTable
from ..engine.table import SlotArray
from ..engine.text_search import TextSearch
from .entities import Extractor
from .graph import EntityGraph
from .joins import FactRows
from .knowledge import active_facts, read_facts
from .schema.knowledge import TEXT_INDEX, VECTOR_INDEX

# Age and importance may lift a fact that is not among the first `limit` of an arm, so more than those are scored.
CANDIDATES_AT_LEAST = 256
CANDIDATES_PER_ANSWER = 8

ENTITY_BONUS = 0.1
ENTITY_BONUS_AT_MOST = 0.3


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
        Least relevance of an answer that shares no name with the question.
    """

    vector: float = 0.4
    text: float = 0.3
    recency: float = 0.15
    importance: float = 0.15
    half_life_days: float = 30.0
    limit: int = 20
    threshold: float = 0.15


@dataclass(frozen=True)
class Explanation:
    """How a hit's score came about: ``score = relevance part + recency part + importance part``.

    Attributes
    ----------
    vector, text : float
        What the arms say of the fact, each 0 to 1.
    text_score : float
        The BM25 score before it was brought to 0 to 1.
    shared : int
        Names that the fact and the question share.
    relevance : float
        What the arms say together, with the bonus for shared names.
    age_days : float
        The fact's age.
    relevance_part, recency_part, importance_part : float
        What each adds to the score.
    """

    vector: float
    text: float
    text_score: float
    shared: int
    relevance: float
    age_days: float
    relevance_part: float
    recency_part: float
    importance_part: float


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
        The cosine of the fact's and the question's vector, -1 to 1; 0 for a question without a vector.
    importance : float
        The fact's importance, 0 to 1.
    explanation : Explanation or None
        Why it is here, if that was asked for.
    """

    knowledge_id: str
    subject: str
    content: str
    score: float
    similarity: float
    importance: float
    explanation: Explanation | None = None


class Recaller:
    """Finds the facts of one memory; keeps what joins its tables between questions."""

    def __init__(self) -> None:
        self._vectors = FactRows("source_id", ("source_type", "knowledge"))
        self.graph = EntityGraph()

    def recall(
        self,
        transaction: Transaction,
        now: int,
        *,
        scope: str,
        question: str,
        vector: NDArray[np.float32] | None,
        extract: Extractor,
        weights: RecallWeights,
        explain: bool = False,
    ) -> list[Hit]:
        """Return the facts of a scope that answer a question, best first. Arguments are checked already.

        Parameters
        ----------
        transaction : Transaction
            Who reads.
        now : int
            Microseconds since the epoch, UTC.
        scope, question : str
            Where to look, and for what.
        vector : float32 array of shape (dimensions,) or None
            The question's vector.
        extract : callable
            Finds names in a text.
        weights : RecallWeights
            The knobs.
        explain : bool
            Whether hits are to say how their scores came about.
        """
        facts, active = active_facts(transaction, scope)
        names = self.graph.names_in(transaction, question, extract)
        shared = self.graph.shared(transaction, facts, names)[facts.rows(active)] if names else None
        text = TextSearch(transaction.reader, facts.definition, facts.index(TEXT_INDEX).definition)
        query = text.parse(question)
        most = max(CANDIDATES_AT_LEAST, CANDIDATES_PER_ANSWER * weights.limit)

        found = [active[shared > 0]] if shared is not None else []
        word_score, bound = np.zeros(len(facts.store)), 1.0
        if vector is not None:
            found.append(self._nearest(transaction, facts, active, vector, most)[0])
        if query.leaves:
            ranked = text.rank(query, slots=active)
            found.append(ranked.slots[:most])
            word_score[ranked.slots], bound = ranked.scores, ranked.bound or 1.0
        slots = np.unique(np.concatenate(found)) if found else active[:0]

        # Whichever arm found a fact, all of them are asked about it.
        cosine = np.zeros(len(slots))
        if vector is not None:
            there, values = self._nearest(transaction, facts, slots, vector, len(slots))
            cosine[np.searchsorted(slots, there)] = values
        words = word_score[slots]
        counts = np.zeros(len(slots), np.int64)
        if shared is not None:
            counts = shared[np.searchsorted(active, slots)]

        w_vector = weights.vector if vector is not None else 0.0
        w_text = weights.text if words.any() else 0.0
        v, t = np.maximum(0.0, cosine), words / bound
        relevance = (w_vector * v + w_text * t) / ((w_vector + w_text) or 1.0)
        relevance = relevance + np.minimum(ENTITY_BONUS_AT_MOST, ENTITY_BONUS * counts)
        created = np.array(facts.column("time_created").take(slots), np.float64)
        importance = np.array(facts.column("importance").take(slots), np.float64)
        age_days = np.maximum(0.0, now - created) / MICROSECONDS_PER_DAY
        parts = (
            (weights.vector + weights.text) * relevance,
            weights.recency * np.exp2(-age_days / weights.half_life_days),
            weights.importance * importance,
        )
        score = parts[0] + parts[1] + parts[2]
        answers = np.flatnonzero((relevance >= weights.threshold) | (counts > 0))
        order = np.lexsort((-facts.rows(slots)[answers], -created[answers], -score[answers]))
        best = answers[order][: weights.limit]

        def explanation(i: int) -> Explanation:
            numbers = (
                v[i],
                t[i],
                words[i],
                counts[i],
                relevance[i],
                age_days[i],
                *(part[i] for part in parts),
            )
            vector_, text_, words_, shared_, *rest = (number.item() for number in numbers)
            return Explanation(vector_, text_, words_, int(shared_), *rest)

        return [
            Hit(
                fact.id,
                fact.subject,
                fact.content,
                float(score[i]),
                float(cosine[i]),
                fact.importance,
                explanation(i) if explain else None,
            )
            for i, fact in zip(best.tolist(), read_facts(facts, slots[best]), strict=True)
        ]

    def _nearest(
        self,
        transaction: Transaction,
        facts: SeenTable,
        among: SlotArray,
        vector: NDArray[np.float32],
        most: int,
    ) -> tuple[SlotArray, NDArray[np.float64]]:
        """Return the slots and cosines of those of some facts that are nearest to a vector."""
        embeddings = transaction.seen("embedding")
        fact_slot = np.full(len(facts.store.newest), -1, np.int32)
        fact_slot[facts.rows(among)] = among
        rows = self._vectors.of(embeddings, facts)
        fact_rows = rows[embeddings.slots]
        wanted = (fact_rows >= 0) & (fact_slot[fact_rows] >= 0)
        seen = embeddings.slots[wanted]
        index = embeddings.index(VECTOR_INDEX)
        structure = index.structure
        assert isinstance(structure, VectorIndex)
        entries = index.entry.view[seen]
        found, cosine = structure.nearest(vector, most, entries)
        slot_of_entry = np.full(len(embeddings.store), -1, np.int32)
        slot_of_entry[entries] = seen
        return fact_slot[rows[slot_of_entry[found]]], cosine
