"""The part of the memory's face that shows facts as they are stored: one, a subject's history, look-alikes, those about a peer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engine import Transaction
from ..engine.expr import fold
from .base import MemoryBase
from .filters import RecallFilter
from .knowledge import Fact, begin, fact_of, most_important, read_facts, similarity_hash
from .quantities import check_count, check_flag, check_number
from .texts import check_text

COLLISION_THRESHOLD = 0.8
COLLISIONS = 5


@dataclass(frozen=True)
class Collision:
    """A fact that says much the same as another one.

    Attributes
    ----------
    id, subject, content : str
        The fact.
    similarity : float
        The cosine of the two vectors.
    same_content : bool
        Whether subject and content are equal but for case, form and spacing: they are about different peers then.
    """

    id: str
    subject: str
    content: str
    similarity: float
    same_content: bool


@dataclass(frozen=True)
class PeerFact:
    """A fact about a peer."""

    id: str
    scope: str
    subject: str
    content: str
    importance: float


class Facts(MemoryBase):
    """Shows facts."""

    def fact(self, fact_id: str) -> Fact | None:
        """Return a fact by its id, whatever became of it; None if there is none."""
        with self._reading() as transaction:
            row = transaction.get("knowledge", check_text(fact_id, "fact id"))
        return None if row is None else fact_of(row)

    def history(self, subject: str, scope: str | None = None, *, peer: str | None = None) -> list[Fact]:
        """Return all that was ever known of a subject, in the order in which it held: superseded and forgotten facts too.

        Parameters
        ----------
        subject : str
            The subject, however it is written.
        scope : str, optional
            Where; everywhere when left out (each fact says its scope).
        peer : str, optional
            Only facts about this peer.
        """
        subject = check_text(subject, "subject")
        scope = None if scope is None else check_text(scope, "scope")
        peer = None if peer is None else fold(check_text(peer, "peer"))
        with self._reading() as transaction:
            rows = transaction.lookup("knowledge", "knowledge_subject", fold(subject))
        chosen = [
            row
            for row in rows
            if scope in (None, row["scope"])
            and (peer is None or (row["subject_peer"] is not None and fold(row["subject_peer"]) == peer))
        ]
        chosen.sort(key=lambda row: (row["scope"], begin(row), row["id"]))
        return [fact_of(row) for row in chosen]

    def collisions(
        self, fact_id: str, *, threshold: float = COLLISION_THRESHOLD, limit: int = COLLISIONS
    ) -> list[Collision]:
        """Return the facts of a fact's scope that hold and say much the same, nearest first: candidates for :meth:`merge_facts`.

        Parameters
        ----------
        fact_id : str
            An active fact.
        threshold : float
            Least cosine of the vectors, 0 to 1.
        limit : int
            How many at most.

        Raises
        ------
        NotFoundError
            If there is no such fact.
        """
        threshold = check_number("threshold", threshold, most=1.0)
        limit = check_count("limit", limit)
        self._check_open()
        with self._begin(read_only=True) as transaction:
            row = self._row(transaction, "knowledge", fact_id, "fact")
            everything = RecallFilter(include_private=True)
            eligible = self._recaller.filters.select(transaction, row["scope"], everything, self._clock.now())
            vector = _vector_of(transaction, row["id"])
            if vector is None:
                return []
            vectors = self._recaller.vectors.of(transaction, eligible)
            slots = eligible.slots
            cosines = vectors.cosines(slots, vector)
            own = np.array(eligible.facts.column("id").equal(slots, row["id"]))
            near = np.flatnonzero((cosines >= threshold) & ~own)
            rows = eligible.facts.rows(slots)
            near = near[np.lexsort((rows[near], -cosines[near]))][:limit]
            found = read_facts(eligible.facts, slots[near])
        same = similarity_hash(row["subject"], row["content"])
        return [
            Collision(
                one.id, one.subject, one.content, cosine, similarity_hash(one.subject, one.content) == same
            )
            for one, cosine in zip(found, cosines[near].tolist(), strict=True)
        ]

    def facts_about_peer(
        self, peer: str, limit: int = 20, *, include_private: bool = False
    ) -> list[PeerFact]:
        """Return the facts about a peer that hold now, of every scope, most important first, of equals the newer.

        Parameters
        ----------
        peer : str
            The peer, in whatever case.
        limit : int
            How many at most.
        include_private : bool
            Whether private ones are among them.
        """
        peer = fold(check_text(peer, "peer"))
        limit = check_count("limit", limit)
        include_private = check_flag("include_private", include_private)
        self._check_open()
        with self._begin(read_only=True) as transaction:
            everywhere = RecallFilter(peers=frozenset([peer]), include_private=include_private)
            eligible = self._recaller.filters.select(transaction, None, everywhere, self._clock.now())
            facts, slots = eligible.facts, eligible.slots
            found = read_facts(facts, most_important(facts, slots)[:limit])
        return [PeerFact(f.id, f.scope, f.subject, f.content, f.importance) for f in found]


def _vector_of(transaction: Transaction, fact_id: str) -> Any:
    rows = transaction.lookup("embedding", "embedding_source", "knowledge", fact_id)
    return rows[0]["vector"] if rows else None
