"""Spread: a fact gains by the company it keeps.

What answers a question is often not what sounds like it, but what was said next. So the best answers hand part of what they
are worth along links, one step far, before the final cut::

    session    . . . [t7] [t8: 0.6] [t9] . . .        t7, t9  + 0.3 x mean of the turns beside them (0.6 and, there, nothing)
                                                      others  + 0.3 x the session's best (0.6)
    rare name  facts that name Kyoto, too             + 0.1 x the best of them
    made from  insight <-> the facts it came from     + 0.3 x the best of them
    peer       "what did Ann say of ...?"             + 0.2 for facts about, or by, Ann

Only what is an answer by itself spreads, and only the best of those; so where nothing is relevant nothing becomes it. A fact in a
turn beside an answer, of a rare name or of a common origin comes in although no arm found it, and is an answer if its own
relevance and what it was handed reach the floor. A session's best and a named peer reorder candidates; they make no answer of one.
A fact without links keeps its score. Weights are settings (recall_config.py), 0 turns a link off.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import Transaction
from ..engine.seen import SeenTable
from ..engine.table import SlotArray
from ..text.postings import repeat
from .entities import known_names
from .filters import Eligible
from .graph import EntityGraph
from .joins import NO_CODE, ListedRows, ValueCodes
from .recall_config import RecallConfig

SOURCES = 32
"""Answers that spread: the best of them."""
RARE = 16
"""Of the facts that may be answers, how many may share a name for it to be a link; what all mention says nothing."""
KINDS = ("turns", "session", "sources", "entities", "peer")
ADMITTING = ("turns", "sources", "entities")

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Shares:
    """What was handed to facts.

    Attributes
    ----------
    slots : int32 array of shape (n,)
        The candidates and those that came in by a link, ascending.
    by_kind : dict of str to float64 array of shape (n,)
        What each was handed along links of a kind.
    """

    slots: SlotArray
    by_kind: dict[str, Numbers]

    def total(self, kinds: tuple[str, ...] = KINDS) -> Numbers:
        """Return the sum over kinds, shape (n,)."""
        return sum((self.by_kind[kind] for kind in kinds if kind in self.by_kind), np.zeros(len(self.slots)))


class Spread:
    """Knows how facts are linked; keeps what links them between questions."""

    def __init__(self, graph: EntityGraph, peers: ValueCodes) -> None:
        self._graph, self._peers = graph, peers
        self._sessions = ValueCodes("source_session", lambda text: text)
        self._turns = ValueCodes("source_turn", lambda text: text)
        self._origins = ListedRows("consolidated_from")

    def shares(
        self,
        transaction: Transaction,
        eligible: Eligible,
        question: str,
        candidates: SlotArray,
        worth: Numbers,
        config: RecallConfig,
    ) -> Shares:
        """Return what the answers among candidates hand to facts that they are linked to.

        Parameters
        ----------
        transaction : Transaction
            Who reads.
        eligible : Eligible
            The facts that may be answers.
        question : str
            What is asked.
        candidates : int32 array of shape (n,)
            Slots, ascending.
        worth : float64 array of shape (n,)
            What each has to spread: 0 for what is no answer.
        config : RecallConfig
            The weights.
        """
        facts = eligible.facts
        given: dict[str, Numbers] = {}
        sources = np.lexsort((-facts.rows(candidates), -worth))[:SOURCES]
        sources = sources[worth[sources] > 0]
        if len(sources):
            at = np.zeros(len(facts.store))
            at[candidates[sources]] = worth[sources]
            if (config.spread_turns or config.spread_session) and not self._sessions.is_empty(facts):
                given |= self._in_sessions(eligible, candidates[sources], at, config)
            if config.spread_sources:
                given |= _along("sources", config.spread_sources, self._made_from(eligible), at)
            if config.spread_entities:
                groups = self._graph.groups_of(transaction, eligible, candidates[sources], RARE)
                given |= _along("entities", config.spread_entities, groups, at)
            if config.spread_peer and not self._peers.is_empty(facts):
                given |= self._named(facts, candidates, question, config.spread_peer)
        joined = [np.flatnonzero(given[kind]).astype(np.int32) for kind in ADMITTING if kind in given]
        slots = np.unique(np.concatenate([candidates, *joined])) if joined else candidates
        return Shares(slots, {kind: dense[slots] for kind, dense in given.items()})

    def _in_sessions(
        self, eligible: Eligible, sources: SlotArray, at: Numbers, config: RecallConfig
    ) -> dict[str, Numbers]:
        facts = eligible.facts
        codes = self._sessions.of(facts, eligible.slots)
        is_touched = np.zeros(len(self._sessions.keys(facts)) + 1, bool)  # the last is what NO_CODE picks
        is_touched[self._sessions.of(facts, sources)] = True
        is_touched[NO_CODE] = False
        inside = is_touched[codes]
        slots, session = eligible.slots[inside], codes[inside].astype(np.int64)
        if not len(slots):
            return {}
        order = np.lexsort((facts.rows(slots), facts.array("time_created", slots)))
        slots, session = slots[order], session[order]
        # Facts of one turn stand together, where the first of them came; one that names no turn stands alone.
        turn = self._turns.of(facts, slots).astype(np.int64)
        turn = np.where(turn == NO_CODE, -1 - np.arange(len(turn)), turn)
        _, first, group = np.unique(
            session * (2 * len(facts.store) + 1) + turn, return_index=True, return_inverse=True
        )
        rank = np.empty(len(first), np.int64)
        by_time = np.lexsort((first, session[first]))
        rank[by_time] = np.arange(len(first))
        place, owner = rank[group], session[first[by_time]]
        best = np.zeros(len(first))
        np.maximum.at(best, place, at[slots])
        before, after = np.full(len(best), np.nan), np.full(len(best), np.nan)
        is_next = owner[1:] == owner[:-1]
        before[1:][is_next] = best[:-1][is_next]
        after[:-1][is_next] = best[1:][is_next]
        there = (~np.isnan(before)).astype(int) + ~np.isnan(after)
        mean = (np.nan_to_num(before) + np.nan_to_num(after)) / np.maximum(there, 1)
        turns = np.zeros(len(at))
        turns[slots] = config.spread_turns * mean[place]
        return {"turns": turns, **_along("session", config.spread_session, (session, slots), at)}

    def _made_from(self, eligible: Eligible) -> tuple[NDArray[np.int64], SlotArray]:
        """Return each link between a fact and one that it was made from as a group of two."""

        def compute() -> tuple[NDArray[np.int64], SlotArray]:
            facts = eligible.facts
            slots, rows = self._origins.pairs(facts, eligible.slots)
            others = facts.slots_of_rows(eligible.slots, rows)
            is_link = (others >= 0) & (others != slots)
            both = np.stack([slots[is_link], others[is_link]], axis=1).ravel()
            return np.arange(len(both), dtype=np.int64) >> 1, both

        return eligible.keep("made from", None, compute)

    def _named(
        self, facts: SeenTable, candidates: SlotArray, question: str, weight: float
    ) -> dict[str, Numbers]:
        codes = self._peers.of(facts, candidates)
        keys = self._peers.keys(facts)
        peers = {keys[code]: code for code in np.unique(codes[codes != NO_CODE]).tolist()}
        named = {peers[name] for name in known_names(question, peers.__contains__)} if peers else set()
        if not named:
            return {}
        given = np.zeros(len(facts.store))
        given[candidates[np.isin(codes, list(named))]] = weight
        return {"peer": given}


def _along(
    kind: str, weight: float, pairs: tuple[NDArray[Any], SlotArray], at: Numbers
) -> dict[str, Numbers]:
    """Hand each fact a share of the best other fact of its groups: pairs of group and slot."""
    group, slots = pairs
    if not len(slots):
        return {}
    worth = at[slots]
    order = np.lexsort((-worth, group))
    group, slots, worth = group[order], slots[order], worth[order]
    starts = np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
    sizes = np.diff(np.r_[starts, len(group)])
    best = repeat(worth[starts], sizes)
    second = np.where(sizes > 1, worth[np.minimum(starts + 1, len(worth) - 1)], 0.0)
    best[starts] = second  # the best of a group has the second as its neighbour
    given = np.zeros(len(at))
    np.maximum.at(given, slots, weight * best)
    return {kind: given}
