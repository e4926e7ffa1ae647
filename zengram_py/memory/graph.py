"""The entity graph: facts on one side, the names that they mention on the other.

::

    knw_1 "Ada works with Charles"  ──┬── Ada
    knw_2 "Ada lives in London"     ──┼── Charles
    knw_3 "London is rainy"         ──┴── London

Two facts, or a question and a fact, that share names belong together though their words and vectors may not say so. The
graph is two tables, so it has the transactions, branches and snapshots of the facts: ``_zengram_entity`` has each name once,
under its folded form, and ``_zengram_entity_link`` has the edges.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..engine import Transaction
from ..engine.expr import fold
from ..engine.table import SlotArray
from ..text.postings import ranges, repeat
from .entities import Extractor, check_entities, extract_entities, known_names
from .filters import Eligible
from .joins import FactRows
from .texts import fact_text

ENTITY, LINK = "_zengram_entity", "_zengram_entity_link"


@dataclass(frozen=True)
class Entity:
    """A name and how many active facts of a scope mention it.

    Attributes
    ----------
    name : str
        As it was written first.
    facts : int
        How many.
    """

    name: str
    facts: int


def link_entities(transaction: Transaction, now: int, fact_id: str, names: Iterable[str]) -> None:
    """Note that a fact mentions names; those that are new become entities."""
    for name in names:
        key = fold(name)
        known = transaction.lookup(ENTITY, "entity_key", key)
        row = (
            known[0] if known else transaction.insert(ENTITY, {"name": name, "key": key, "time_created": now})
        )
        if transaction.get(LINK, (row["id"], fact_id)) is None:
            transaction.insert(LINK, {"entity": row["id"], "knowledge_id": fact_id})


def link_all(transaction: Transaction) -> None:
    """Note the names in every fact, by the default extractor: for a memory that was made without a graph."""
    for fact in transaction.scan("knowledge"):
        names = check_entities(extract_entities(fact_text(fact["subject"], fact["content"])))
        link_entities(transaction, fact["time_created"], fact["id"], names)


@dataclass(frozen=True)
class Mentions:
    """Which names some facts mention, sorted both ways.

    Attributes
    ----------
    entities : int64 array of shape (e,)
        Ids of the entities that any of them mentions, ascending.
    starts, slots : int64 array of shape (e + 1,), int32 array
        The facts' slots by entity: those of the i-th are ``slots[starts[i]:starts[i + 1]]``.
    fact_starts, names : int64 array of shape (facts table + 1,), int64 array
        The other way: the positions in ``entities`` of what a slot mentions.
    """

    entities: NDArray[np.int64]
    starts: NDArray[np.int64]
    slots: SlotArray
    fact_starts: NDArray[np.int64]
    names: NDArray[np.int64]

    def facts_of(self, entity: int) -> SlotArray:
        """Return the slots of the facts that mention an entity."""
        at = int(self.entities.searchsorted(entity))
        if at == len(self.entities) or self.entities[at] != entity:
            return self.slots[:0]
        return self.slots[self.starts[at] : self.starts[at + 1]]

    def groups_of(self, facts: SlotArray, most: int) -> tuple[NDArray[np.int64], SlotArray]:
        """Return who else mentions what some facts mention, as pairs of name and slot; names of more than ``most`` facts are left out."""
        first = self.fact_starts[facts]
        shared = np.unique(self.names[ranges(first, self.fact_starts[facts + 1] - first)])
        sizes = self.starts[shared + 1] - self.starts[shared]
        few = (sizes > 1) & (sizes <= most)
        shared, sizes = shared[few], sizes[few]
        return repeat(shared, sizes), self.slots[ranges(self.starts[shared], sizes)]


class EntityGraph:
    """Answers what a question shares with facts; keeps arrays and names between questions."""

    def __init__(self) -> None:
        self._links = FactRows("knowledge_id")
        self._known: dict[str, int] = {}
        self._known_for: object = None

    def shared_with(
        self, transaction: Transaction, eligible: Eligible, question: str, extract: Extractor
    ) -> NDArray[np.int64] | None:
        """Return how many names each slot shares with a question, shape (slots,); None if the question has none.

        Names in a question are those that look like one, and those that the facts at hand mention, in whatever case.
        """
        known = self._entities_by_name(transaction)
        mentions: Mentions | None = None

        def facts_of(name: str) -> SlotArray | None:
            nonlocal mentions
            if name not in known:
                return None
            if mentions is None:
                mentions = self.mentions(transaction, eligible)
            found = mentions.facts_of(known[name])
            return found if len(found) else None

        names = [fold(name) for name in check_entities(extract(question))]
        names += known_names(question, lambda name: facts_of(name) is not None)
        groups = [found for name in dict.fromkeys(names) if (found := facts_of(name)) is not None]
        if not groups:
            return None
        counts = np.zeros(len(eligible.facts.store), np.int64)
        for slots in groups:
            counts[slots] += 1
        return counts

    def mentions(self, transaction: Transaction, eligible: Eligible) -> Mentions:
        """Return which names the facts at hand mention; kept while neither table changes."""
        links, facts = transaction.seen(LINK), eligible.facts

        def compute() -> Mentions:
            rows = self._links.of(links, facts)[links.slots]
            slots = facts.slots_of_rows(eligible.slots, rows)
            entity = links.array("entity", links.slots)[slots >= 0]
            slots = slots[slots >= 0]
            entities, name = np.unique(entity, return_inverse=True)
            by_name, by_fact = np.argsort(name, kind="stable"), np.argsort(slots, kind="stable")
            starts = np.searchsorted(name[by_name], np.arange(len(entities) + 1))
            fact_starts = np.searchsorted(slots[by_fact], np.arange(len(facts.store) + 1))
            return Mentions(entities, starts, slots[by_name], fact_starts, name[by_fact])

        return eligible.keep("mentions", links.state, compute)

    def facts_of(self, transaction: Transaction, eligible: Eligible, name: str) -> SlotArray:
        """Return the slots of the facts at hand that mention a folded name."""
        entity = self._entities_by_name(transaction).get(name)
        return eligible.slots[:0] if entity is None else self.mentions(transaction, eligible).facts_of(entity)

    def entities(self, transaction: Transaction, eligible: Eligible, limit: int) -> list[Entity]:
        """Return the names that the facts at hand mention, the most mentioned first, ties by name."""
        names, mentions = transaction.seen(ENTITY), self.mentions(transaction, eligible)
        counts = dict(zip(mentions.entities.tolist(), np.diff(mentions.starts).tolist(), strict=True))
        shown = zip(names.column("id").take(names.slots), names.column("name").take(names.slots), strict=True)
        found = [Entity(name, counts[number]) for number, name in shown if number in counts]
        return sorted(found, key=lambda entity: (-entity.facts, fold(entity.name)))[:limit]

    def _entities_by_name(self, transaction: Transaction) -> dict[str, int]:
        seen = transaction.seen(ENTITY)
        if (state := seen.state) != self._known_for:
            ids, keys = seen.column("id").take(seen.slots), seen.column("key").take(seen.slots)
            self._known, self._known_for = dict(zip(keys, ids, strict=True)), state
        return self._known
