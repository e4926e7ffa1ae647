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
from ..engine.seen import SeenTable
from ..engine.table import SlotArray
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


class EntityGraph:
    """Answers what a question shares with facts; keeps arrays and names between questions."""

    def __init__(self) -> None:
        self._links = FactRows("knowledge_id")
        self._known: frozenset[str] = frozenset()
        self._known_for: object = None

    def shared_with(
        self, transaction: Transaction, eligible: Eligible, question: str, extract: Extractor
    ) -> NDArray[np.int64] | None:
        """Return for each fact's row how many names it shares with a question, shape (rows,); None if the question has none.

        Names in a question are those that look like one, and those that the facts at hand mention, in whatever case.
        """
        seen, facts = transaction.seen(ENTITY), eligible.facts
        if (state := seen.state) != self._known_for:
            self._known = frozenset(seen.column("key").take(seen.slots))
            self._known_for = state
        rows = facts.rows(eligible.slots)
        counts: dict[str, NDArray[np.int64]] = {}

        def is_mentioned(name: str) -> bool:
            if name not in counts:
                counts[name] = self.shared(transaction, facts, [name])
            return bool(counts[name][rows].any())

        found = [fold(name) for name in check_entities(extract(question))]
        names = dict.fromkeys(name for name in found if name in self._known and is_mentioned(name))
        names |= dict.fromkeys(known_names(question, lambda name: name in self._known and is_mentioned(name)))
        return sum(counts[name] for name in names) if names else None  # type: ignore[return-value]

    def shared(self, transaction: Transaction, facts: SeenTable, names: Iterable[str]) -> NDArray[np.int64]:
        """Return for each fact's row how many of some folded names it mentions, shape (rows,)."""
        links = transaction.seen(LINK)
        counts = np.zeros(len(facts.store.newest), np.int64)
        rows = self._links.of(links, facts)
        for name in names:
            for entity in transaction.lookup(ENTITY, "entity_key", name):
                mentions = rows[links.where("entity", entity["id"])]
                np.add.at(counts, mentions[mentions >= 0], 1)
        return counts

    def mentions(self, transaction: Transaction, eligible: Eligible) -> tuple[NDArray[np.int64], SlotArray]:
        """Return which entity each of some facts mentions, as pairs of a small number for it and the fact's slot."""
        links, facts = transaction.seen(LINK), eligible.facts

        def compute() -> tuple[NDArray[np.int64], SlotArray]:
            rows = self._links.of(links, facts)[links.slots]
            found = facts.slots_of_rows(eligible.slots, rows)
            entity = links.array("entity", links.slots)[found >= 0]
            return np.unique(entity, return_inverse=True)[1], found[found >= 0]

        return eligible.keep("mentions", links.state, compute)

    def entities(
        self, transaction: Transaction, facts: SeenTable, slots: SlotArray, limit: int
    ) -> list[Entity]:
        """Return the names that some facts mention, the most mentioned first, ties by name."""
        links, names = transaction.seen(LINK), transaction.seen(ENTITY)
        wanted = np.zeros(len(facts.store.newest), bool)
        wanted[facts.rows(slots)] = True
        rows = self._links.of(links, facts)[links.slots]
        counted = links.slots[(rows >= 0) & wanted[rows]]
        ids, counts = np.unique(np.array(links.column("entity").take(counted), np.int64), return_counts=True)
        by_id = dict(zip(ids.tolist(), counts.tolist(), strict=True))
        shown = zip(names.column("id").take(names.slots), names.column("name").take(names.slots), strict=True)
        found = [Entity(name, by_id[number]) for number, name in shown if number in by_id]
        return sorted(found, key=lambda entity: (-entity.facts, fold(entity.name)))[:limit]
