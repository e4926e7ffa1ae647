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

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..clock import MICROSECONDS_PER_DAY
from ..engine import Transaction
from ..engine.table import SlotArray
from ..engine.text_search import TextSearch
from .diversity import diversify
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

ALL_UP_TO = 2048
"""Facts that are all ranked, whatever the arms say: finding the best of so many costs as much."""
PRODUCTS_UP_TO = 16_384
"""The same for scores that are products: there age and importance decide as much as nearness, and bounds say little."""
# Above, an arm hands over more than are wanted, for age and importance may lift what is not among the first.
BY_WORDS_AT_LEAST, NEAREST_AT_LEAST, PER_ANSWER = 64, 256, 4
NEAREST_IF_EVEN = 64
"""The same where all facts are of one age and importance: then nothing lifts what is farther."""
LIFTED = 128
"""Facts that no arm found and that age, importance and words could still lift among the answers: the likeliest of them."""
EXACT_AT_ONCE = 512
"""Of more candidates than this, those that may be answers by rough cosines are scored exactly."""
ROUGH = 1e-4
"""What a score by a rough cosine is wrong at most, and much more."""
SPREADING = 64
"""The most relevant candidates are scored exactly in any case: others may live on what they hand over."""
BY_TOKENS_AT_MOST = 2048
"""Answers among which those are chosen that fit into a budget of tokens."""
VARIED_AT_MOST = 128
"""Hits that ``mmr`` chooses; those behind them come by score."""
READ_AT_ONCE = 64
SLACK = 1e-9
"""Below a floor by less than this is on it: the cosine of equal vectors may be 1 less a bit."""

MICROSECONDS_PER_HOUR = MICROSECONDS_PER_DAY // 24
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
    names : list of str
        Names that the question mentions.
    """

    scope: str
    question: str
    vector: NDArray[np.float32] | None
    plan: RecallPlan
    names: list[str]


class Recaller:
    """Finds the facts of one memory; keeps what joins its tables between questions."""

    def __init__(self) -> None:
        self.graph = EntityGraph()
        self.filters = FactFilters()
        self.vectors = VectorArm()
        self._spread = Spread(self.graph, self.filters.peers)

    def recall(self, transaction: Transaction, now: int, asked: Asked) -> list[Hit]:
        """Return the facts that answer a question, best first.

        Parameters
        ----------
        transaction : Transaction
            Who reads.
        now : int
            Microseconds since the epoch, UTC.
        asked : Asked
            The question.
        """
        eligible = self.filters.select(transaction, asked.scope, asked.plan.wanted, now)
        search = _Search(self, self.vectors, transaction, now, asked, eligible)
        slots = search.candidates()
        if len(slots) > EXACT_AT_ONCE:
            rough = self._rank(transaction, search, slots, exact=False)
            slots = rough.best(_wanted(asked.plan))
            search.note_ranks(rough)
        ranked = self._rank(transaction, search, slots, exact=True)
        slots, fusion, shares, score, order = (
            ranked.slots,
            ranked.fusion,
            ranked.shares,
            ranked.score,
            ranked.order,
        )
        redundancy = np.zeros(len(order))
        plan = asked.plan
        if plan.mmr_lambda is not None:
            some = min(plan.limit, VARIED_AT_MOST)
            pool = order[: _wanted(plan)]
            vectors = self.vectors.of(transaction, eligible).vectors(slots[pool])
            chosen, redundancy[: min(some, len(pool))] = diversify(
                score[pool], vectors, plan.mmr_lambda, some
            )
            order = np.concatenate([pool[chosen], np.delete(order, chosen)])
        order, tokens, shown = _fitting(eligible, slots, order, plan)
        why = _explain(fusion, shares, order, redundancy) if plan.explain else [None] * len(order)
        cosine = np.zeros(len(slots)) if fusion.evidence.cosine is None else fusion.evidence.cosine
        return [
            Hit(fact_id, subject, content, value, similar, importance, status, created, size, reason)
            for value, similar, size, reason, (fact_id, subject, content, importance, status, created) in zip(
                score[order].tolist(), cosine[order].tolist(), tokens, why, shown, strict=True
            )
        ]

    def _rank(self, transaction: Transaction, search: _Search, slots: SlotArray, *, exact: bool) -> _Ranked:
        asked, eligible = search.asked, search.eligible
        fusion = search.fusion(slots, exact=exact)
        worth = np.where(_is_answer(fusion, fusion.relevance), fusion.relevance, 0.0)
        shares = self._spread.shares(transaction, eligible, asked.question, slots, worth, asked.plan.config)
        if len(shares.slots) > len(slots):
            slots = shares.slots
            fusion = search.fusion(slots, exact=exact)
        score = fusion.score(shares.total())
        answers = np.flatnonzero(_is_answer(fusion, fusion.relevance + shares.total(ADMITTING)))
        newest = (-eligible.facts.rows(slots)[answers], fusion.evidence.age[answers])
        order = answers[np.lexsort((*newest, -score[answers]))]
        return _Ranked(slots, fusion, shares, score, order)


@dataclass(frozen=True)
class _Ranked:
    """Candidates, and which of them are answers: positions, best first."""

    slots: SlotArray
    fusion: Fusion
    shares: Shares
    score: Numbers
    order: NDArray[np.intp]

    def best(self, count: int) -> SlotArray:
        """Return the slots of what may be among the first answers, when these scores are rough, and of what spreads to them."""
        found = self.order
        if 0 < count < len(found):
            found = found[self.score[found] >= self.score[found[count - 1]] - ROUGH]
        relevant = np.argsort(-self.fusion.relevance, kind="stable")[:SPREADING]
        return self.slots[np.union1d(found, relevant)]


def _wanted(plan: RecallPlan) -> int:
    """Return among how many of the first answers the hits are."""
    count = plan.limit
    if plan.mmr_lambda is not None:
        count = max(count, BY_WORDS_AT_LEAST, PER_ANSWER * min(count, VARIED_AT_MOST))
    return count if plan.max_tokens is None else max(count, BY_TOKENS_AT_MOST)


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
    ) -> None:
        facts = eligible.facts
        self.asked, self.eligible = asked, eligible
        self._ranks: dict[str, NDArray[np.int64]] | None = None
        self.vectors = vectors.of(transaction, eligible)
        self._at = now if asked.plan.wanted.as_of is None else asked.plan.wanted.as_of
        self._shared = recaller.graph.shared_with(transaction, eligible, asked.question, asked.names)
        self._exact, self._rough = np.full((2, len(facts.store)), np.nan)  # cosines that were measured
        text = TextSearch(transaction.reader, facts.definition, facts.index(TEXT_INDEX).definition)
        query = text.parse(asked.question)
        self._words, self._bound = np.zeros(len(facts.store)), 1.0
        if query.leaves:
            scores, bound = text.scores(query, eligible.slots)
            self._words[eligible.slots], self._bound = scores, bound or 1.0
        self._has_words = bool(self._words.any())

    def candidates(self) -> SlotArray:
        """Return the slots of what may be among the answers, ascending."""
        eligible, asked = self.eligible, self.asked
        if len(eligible.slots) <= (PRODUCTS_UP_TO if asked.plan.config.preset == "classical" else ALL_UP_TO):
            return eligible.slots
        breadth = PER_ANSWER * asked.plan.breadth
        found = [_best(self._words, max(BY_WORDS_AT_LEAST, breadth))]
        farthest = 0.0
        if asked.vector is not None:
            least = NEAREST_IF_EVEN if self._extremes()[0] else NEAREST_AT_LEAST
            near, cosines = self.vectors.near(asked.vector, max(least, breadth))
            self._rough[near] = cosines
            farthest = cosines.min(initial=1.0)
            found.append(near)
        if self._shared is not None:
            found.append(np.flatnonzero(self._shared).astype(np.int32))
        slots = np.unique(np.concatenate(found))
        if asked.plan.config.preset == "rrf":
            return slots  # age and importance lift nothing
        return np.union1d(slots, self._lifted(slots, farthest)).astype(np.int32)

    def _lifted(self, slots: SlotArray, farthest: float) -> SlotArray:
        """Return facts that are no candidates and may rank among the answers if their vectors are as near as the farthest found.

        The threshold algorithm's bound (Fagin, Lotem, Naor: Optimal aggregation algorithms for middleware, PODS 2001).
        """
        config, limit = self.asked.plan.config, self.asked.plan.limit
        facts, others = self.eligible.facts, self.eligible.slots
        is_even, newest, most_important = self._extremes()
        if is_even:
            return slots[:0]
        fusion = self.fusion(slots, exact=len(slots) <= EXACT_AT_ONCE)
        scores = np.sort(fusion.score(np.zeros(len(slots)))[_is_answer(fusion, fusion.relevance)])
        least = scores[-limit] if 0 < limit <= len(scores) else -np.inf
        # The score of a fact as new and important as any, without words of the question and with all of them: linear between.
        two, none = np.zeros(2), np.zeros(2, np.int64)
        extreme = Evidence(
            two + farthest,
            np.array([0.0, self._bound]),
            self._bound,
            self._has_words,
            none,
            two + (self._at - newest),
            two + most_important,
        )
        without, with_all = Fusion(extreme, config).score(two).tolist()
        if without < least:
            if with_all <= without:
                return slots[:0]
            needed = (least - without) / (with_all - without) * self._bound
            others = np.flatnonzero(self._words >= needed * (1 - SLACK)).astype(np.int32)
        bound = Fusion(self._of(others, np.fmin(self._rough[others], farthest)), config)
        could = bound.score(np.zeros(len(others)))
        may = (could >= least) & _is_answer(bound, bound.relevance)
        at = np.flatnonzero(may)
        at = at[~np.isin(others[at], slots)]
        order = np.lexsort((-facts.rows(others[at]), bound.evidence.age[at], -could[at]))
        return others[at[order[: max(LIFTED, PER_ANSWER * self.asked.plan.breadth)]]]

    def _extremes(self) -> tuple[bool, int, float]:
        """Return whether the facts that may be answers are of one age (to the hour) and importance, and the newest and greatest."""
        facts, slots = self.eligible.facts, self.eligible.slots

        def compute() -> tuple[bool, int, float]:
            created, importance = facts.array("time_created", slots), facts.array("importance", slots)
            newest, greatest = int(created.max()), float(importance.max())
            is_even = newest - int(created.min()) < MICROSECONDS_PER_HOUR
            return is_even and greatest == float(importance.min()), newest, greatest

        return self.eligible.keep("extremes", None, compute)

    def fusion(self, slots: SlotArray, *, exact: bool) -> Fusion:
        """Return what all arms say of facts, whichever found them, put together."""
        cosine = None
        if self.asked.vector is not None:
            known = self._exact if exact else self._rough
            cosine = known[slots]
            unknown = np.flatnonzero(np.isnan(cosine))
            if len(unknown):
                cosine[unknown] = self.vectors.cosines(slots[unknown], self.asked.vector, exact=exact)
                known[slots] = cosine
        ranks = None if self._ranks is None else {arm: ranks[slots] for arm, ranks in self._ranks.items()}
        return Fusion(self._of(slots, cosine), self.asked.plan.config, ranks)

    def note_ranks(self, ranked: _Ranked) -> None:
        """Keep the places of all candidates for when only the best of them are ranked again."""
        self._ranks = {}
        for arm, ranks in ranked.fusion.ranks().items():
            self._ranks[arm] = np.zeros(len(self._words), np.int64)
            self._ranks[arm][ranked.slots] = ranks

    def _of(self, slots: SlotArray, cosine: Numbers | None) -> Evidence:
        facts = self.eligible.facts
        shared = np.zeros(len(slots), np.int64)
        if self._shared is not None:
            shared = self._shared[slots]
        age = self._at - facts.array("time_created", slots).astype(np.float64)
        importance = facts.array("importance", slots)
        return Evidence(cosine, self._words[slots], self._bound, self._has_words, shared, age, importance)


def _best(scores: Numbers, k: int) -> SlotArray:
    """Return where the k greatest of some scores are, 0 aside; of equals the later ones."""
    slots = np.flatnonzero(scores)
    if len(slots) > k:
        found = scores[slots]
        slots = slots[found >= np.partition(found, len(found) - k)[len(found) - k]]
        slots = slots[np.lexsort((-slots, -scores[slots]))[:k]]
    return slots.astype(np.int32)


def _is_answer(fusion: Fusion, relevance: Numbers) -> NDArray[np.bool_]:
    return (relevance >= fusion.config.score_threshold - SLACK) | (fusion.evidence.shared > 0)


def _fitting(
    eligible: Eligible, slots: SlotArray, order: NDArray[np.intp], plan: RecallPlan
) -> tuple[NDArray[np.intp], list[int], list[tuple[Any, ...]]]:
    """Return which answers fit into the limits, how many tokens each has, and what is shown of it."""
    chosen: list[int] = []
    sizes: list[int] = []
    shown: list[tuple[Any, ...]] = []
    left = plan.max_tokens
    for start in range(0, len(order), READ_AT_ONCE):
        if len(chosen) >= plan.limit or left == 0:
            break
        some = order[start : start + READ_AT_ONCE]
        if left is None:
            some = some[: plan.limit - len(chosen)]
        columns = [eligible.facts.column(name).take(slots[some]) for name in _SHOWN]
        for at, row in zip(some.tolist(), zip(*columns, strict=True), strict=True):
            size = estimate_tokens(fact_text(row[1], row[2]))
            if left is not None:
                if size > left or len(chosen) == plan.limit:
                    continue  # a shorter one may still fit
                left -= size
            chosen.append(at)
            sizes.append(size)
            shown.append(row)
    return np.array(chosen, np.intp), sizes, shown


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
