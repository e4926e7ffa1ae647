"""Recall: from a question to the facts that answer it, ranked, with reasons.

Three arms look for answers among the facts that the filter leaves, and what any of them finds is a candidate::

    scope, filter ──▶ facts that may be answers (filters.py)
    question ──┬─ vector ──▶ nearest of them          ┐
               ├─ text ────▶ those with its words     ├─▶ union ─▶ one score each ─▶ + what neighbours hand over ─▶ floor
               └─ names ───▶ those that share them    ┘            (fusion.py)        (spread.py)                    ─▶ order
                                                                                              mmr, limit, tokens ◀──────┘

Every candidate has all three numbers, whichever arm found it. Only relevance decides whether a fact is an answer
(``score_threshold``; a fact that shares a name always is): age and importance then reorder the answers, and never erase one.
Ties go to the newer fact, then to the later row. Recall writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import Transaction
from ..engine.table import SlotArray
from ..engine.text_search import TextSearch
from .diversity import diversify
from .entities import Extractor
from .filters import Eligible, FactFilters
from .fusion import Evidence, Fusion
from .graph import EntityGraph
from .hits import Explanation, Hit
from .options import RecallPlan
from .schema.knowledge import TEXT_INDEX
from .spread import ADMITTING, Shares, Spread
from .texts import fact_text
from .tokens import estimate_tokens
from .vector_arm import VectorArm

# Age and importance may lift a fact that is not among the first `limit` of an arm, so more than those are scored. Of words,
# all are ranked anyway; a search for more vectors takes longer.
CANDIDATES_AT_LEAST = 64
CANDIDATES_PER_ANSWER = 4
NEAREST_AT_LEAST = 32
NEAREST_PER_ANSWER = 2
ALL_UP_TO = 256
"""Facts that are all scored, whatever the arms say."""
# Names may bring in thousands: these are ranked roughly first, and so many of them exactly.
EXACT_AT_MOST = 512

_SHOWN = ("id", "subject", "content", "importance", "status", "time_created")

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Asked:
    """One question, checked.

    Attributes
    ----------
    scope, question : str
        Where to look, and for what.
    vector : float32 array of shape (dimensions,) or None
        The question's vector.
    plan : RecallPlan
        Which facts may be answers, how they are ranked, and how many are wanted.
    """

    scope: str
    question: str
    vector: NDArray[np.float32] | None
    plan: RecallPlan


class Recaller:
    """Finds the facts of one memory; keeps what joins its tables between questions."""

    def __init__(self) -> None:
        self.graph = EntityGraph()
        self.filters = FactFilters()
        self._vectors = VectorArm()
        self._spread = Spread(self.graph)

    def recall(self, transaction: Transaction, now: int, asked: Asked, extract: Extractor) -> list[Hit]:
        """Return the facts that answer a question, best first.

        Parameters
        ----------
        transaction : Transaction
            Who reads.
        now : int
            Microseconds since the epoch, UTC.
        asked : Asked
            The question.
        extract : callable
            Finds names in a text.
        """
        eligible = self.filters.select(transaction, asked.scope, asked.plan.wanted, now)
        search = _Search(self, self._vectors, transaction, now, asked, eligible, extract)
        slots = search.candidates()
        fusion = Fusion(search.evidence(slots), asked.plan.config)
        worth = np.where(_is_answer(fusion, fusion.relevance), fusion.base, 0.0)
        shares = self._spread.shares(transaction, eligible, asked.question, slots, worth, asked.plan.config)
        if len(shares.slots) > len(slots):
            slots = shares.slots
            fusion = Fusion(search.evidence(slots), asked.plan.config)
        spread = shares.total()
        score = fusion.score(spread)
        answers = np.flatnonzero(_is_answer(fusion, fusion.relevance + shares.total(ADMITTING)))
        created = -fusion.evidence.age[answers]
        order = answers[np.lexsort((-eligible.facts.rows(slots)[answers], -created, -score[answers]))]
        redundancy = np.zeros(len(order))
        if asked.plan.mmr_lambda is not None:
            order = order[: max(CANDIDATES_AT_LEAST, CANDIDATES_PER_ANSWER * asked.plan.limit)]
            vectors = self._vectors.of(transaction, eligible).vectors(slots[order])
            chosen, redundancy = diversify(score[order], vectors, asked.plan.mmr_lambda, asked.plan.limit)
            order = order[chosen]
        order = order[: asked.plan.limit]
        why = _explain(fusion, shares, order, redundancy) if asked.plan.explain else [None] * len(order)
        cosine = np.zeros(len(slots)) if fusion.evidence.cosine is None else fusion.evidence.cosine
        shown = [eligible.facts.column(name).take(slots[order]) for name in _SHOWN]
        return _hits(
            zip(score[order].tolist(), cosine[order].tolist(), why, *shown, strict=True),
            asked.plan.max_tokens,
        )


class _Search:
    """The arms, asked one question."""

    def __init__(
        self,
        recaller: Recaller,
        vectors: VectorArm,
        transaction: Transaction,
        now: int,
        asked: Asked,
        eligible: Eligible,
        extract: Extractor,
    ) -> None:
        facts = eligible.facts
        self._asked, self._eligible = asked, eligible
        self._vectors = vectors.of(transaction, eligible)
        self._at = now if asked.plan.wanted.as_of is None else asked.plan.wanted.as_of
        self._most = max(CANDIDATES_AT_LEAST, CANDIDATES_PER_ANSWER * asked.plan.limit)
        names = recaller.graph.names_in(transaction, asked.question, extract)
        self._shared = recaller.graph.shared(transaction, facts, names) if names else None
        self._cosine = np.full(len(facts.store), np.nan)  # of those that were measured
        text = TextSearch(transaction.reader, facts.definition, facts.index(TEXT_INDEX).definition)
        query = text.parse(asked.question)
        self._words, self._bound = np.zeros(len(facts.store)), 1.0
        if query.leaves:
            scores, bound = text.scores(query, eligible.slots)
            self._words[eligible.slots], self._bound = scores, bound or 1.0

    def candidates(self) -> SlotArray:
        """Return the slots of what any arm finds, ascending."""
        asked, eligible = self._asked, self._eligible
        found = [_best(self._words, self._most)]
        if asked.vector is not None:
            k = max(NEAREST_AT_LEAST, NEAREST_PER_ANSWER * asked.plan.limit)
            if len(eligible.slots) <= ALL_UP_TO:
                k = ALL_UP_TO
            near, cosines = self._vectors.nearest(asked.vector, k)
            self._cosine[near] = cosines
            found.append(near)
        if self._shared is not None:
            found.append(eligible.slots[self._shared[eligible.facts.rows(eligible.slots)] > 0])
        slots = np.unique(np.concatenate(found))
        if len(slots) <= EXACT_AT_MOST:
            return slots
        rough = Fusion(self.evidence(slots, exact=False), asked.plan.config)
        score = np.round(rough.score(np.zeros(len(slots))), 5)
        order = np.lexsort((-eligible.facts.rows(slots), rough.evidence.age, -score))
        return np.sort(slots[order[: max(EXACT_AT_MOST, self._most)]])

    def evidence(self, slots: SlotArray, *, exact: bool = True) -> Evidence:
        """Return what all arms say of facts, whichever found them."""
        facts, asked = self._eligible.facts, self._asked
        cosine = None
        if asked.vector is not None:
            cosine = self._cosine[slots]
            unknown = np.flatnonzero(np.isnan(cosine))
            if len(unknown):
                cosine[unknown] = self._vectors.cosines(slots[unknown], asked.vector, exact=exact)
            if exact:
                self._cosine[slots] = cosine
        shared = np.zeros(len(slots), np.int64)
        if self._shared is not None:
            shared = self._shared[facts.rows(slots)]
        age = self._at - facts.array("time_created", slots).astype(np.float64)
        importance = facts.array("importance", slots)
        return Evidence(cosine, self._words[slots], self._bound, shared, age, importance)


def _best(scores: Numbers, k: int) -> SlotArray:
    """Return where the k greatest of some scores are, 0 aside; of equals the later ones."""
    slots = np.flatnonzero(scores)
    if len(slots) > k:
        found = scores[slots]
        slots = slots[found >= np.partition(found, len(found) - k)[len(found) - k]]
        slots = slots[np.lexsort((-slots, -scores[slots]))[:k]]
    return slots.astype(np.int32)


def _is_answer(fusion: Fusion, relevance: Numbers) -> NDArray[np.bool_]:
    return (relevance >= fusion.config.score_threshold) | (fusion.evidence.shared > 0)


def _hits(rows: Iterable[tuple[Any, ...]], max_tokens: int | None) -> list[Hit]:
    """Return hits, best first, of those that fit into a budget."""
    hits = []
    left = max_tokens
    for score, cosine, why, fact_id, subject, content, importance, status, created in rows:
        tokens = estimate_tokens(fact_text(subject, content))
        if left is not None:
            if tokens > left:
                continue  # a shorter one may still fit
            left -= tokens
        hits.append(Hit(fact_id, subject, content, score, cosine, importance, status, created, tokens, why))
    return hits


def _explain(
    fusion: Fusion, shares: Shares, order: NDArray[np.intp], redundancy: Numbers
) -> list[Explanation | None]:
    evidence, ranks, parts = fusion.evidence, fusion.ranks(), fusion.parts(shares.total())
    return [
        Explanation(
            preset=fusion.config.preset,
            vector=fusion.v[at].item(),
            text=fusion.t[at].item(),
            entities=fusion.bonus[at].item(),
            vector_rank=ranks["vector"][at].item(),
            text_rank=ranks["text"][at].item(),
            entity_rank=ranks["entities"][at].item(),
            text_score=evidence.words[at].item(),
            shared=evidence.shared[at].item(),
            relevance=fusion.relevance[at].item(),
            age_days=fusion.age_days[at].item(),
            recency=fusion.recency[at].item(),
            importance=evidence.importance[at].item(),
            spread={kind: given[at].item() for kind, given in shares.by_kind.items() if given[at]},
            redundancy=redundancy[place].item(),
            parts={name: part[at].item() for name, part in parts.items()},
        )
        for place, at in enumerate(order.tolist())
    ]
