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
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import Transaction
from ..engine.expr import fold
from ..engine.growable import Growable
from ..engine.seen import SeenTable
from ..engine.table import SlotArray
from ..text.postings import ranges
from .entities import check_entities, extract_entities, known_names
from .filters import Eligible
from .joins import FactRows
from .texts import fact_text

ENTITY, LINK = "_zengram_entity", "_zengram_entity_link"
UNSORTED = 512
"""Edges that are looked through one and all before they are sorted with the others."""


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
        entity = known[0]["id"] if known else entity_id(key)
        if not known:
            transaction.insert(ENTITY, {"id": entity, "name": name, "key": key, "time_created": now})
        if transaction.get(LINK, (entity, fact_id)) is None:
            transaction.insert(LINK, {"entity": entity, "knowledge_id": fact_id})


def entity_id(key: str) -> int:
    """Return the id of a folded name: the first 63 bits of its SHA-256, so that a name has one id wherever it is met first."""
    return int.from_bytes(sha256(key.encode()).digest()[:8], "big") >> 1


def link_all(transaction: Transaction) -> None:
    """Note the names in every fact, by the default extractor: for a memory that was made without a graph."""
    for fact in transaction.scan("knowledge"):
        names = check_entities(extract_entities(fact_text(fact["subject"], fact["content"])))
        link_entities(transaction, fact["time_created"], fact["id"], names)


class Links:
    """The edges, sorted both ways; those that are new since the last sort lie behind, unsorted.

    They are kept for all edges that there are, whoever sees them: a reader sorts out what it does not see. So one more fact
    costs its own edges, not a sort of all.
    """

    def __init__(self) -> None:
        self._rows = FactRows("knowledge_id")
        self._epochs = (-1, -1)
        self._state: object = None
        self._sorted = 0
        self._forget()

    def update(self, links: SeenTable, facts: SeenTable) -> None:
        """Take note of what is new, and of who reads."""
        epochs = (links.store.epoch, facts.store.epoch)
        state = (links.state, epochs)
        if state == self._state:
            return
        if epochs != self._epochs:
            self._epochs = epochs
            self._forget()
        self.rows = self._rows.of(links, facts)
        new = np.arange(len(self._codes), len(links.store), dtype=np.int32)
        numbers = self._numbers
        self._codes.extend([numbers.setdefault(e, len(numbers)) for e in links.array("entity", new).tolist()])
        self.entities = self._codes.view
        if len(self.rows) - self._sorted > UNSORTED:
            self._sorted = len(self.rows)
            self._by_entity, self._by_row = _Sorted(self.entities), _Sorted(self.rows)
        self._seen = np.zeros(len(self.rows), bool)
        self._seen[links.slots] = True
        self._state = state  # the last: who was interrupted before takes note again

    @property
    def count(self) -> int:
        """How many entities have edges."""
        return len(self._numbers)

    def number(self, entity: int) -> int:
        """Return the small number of an entity, -1 if it has no edge."""
        return self._numbers.get(entity, -1)

    def of_entities(self, entities: NDArray[Any]) -> NDArray[np.int64]:
        """Return the edges of some entities, by their small numbers, that the reader sees."""
        return self._edges(self._by_entity, self.entities, entities)

    def of_rows(self, rows: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the edges of some facts' rows that the reader sees."""
        return self._edges(self._by_row, self.rows, rows)

    def _edges(self, known: _Sorted, values: NDArray[Any], wanted: NDArray[Any]) -> NDArray[np.int64]:
        found = known.places(wanted)
        if self._sorted < len(values):
            late = values[self._sorted :]  # few: their greatest is soon found
            is_wanted = np.zeros(int(max(late.max(), wanted.max(initial=0))) + 2, bool)  # -1 picks the last
            is_wanted[wanted] = True
            found = np.concatenate([found, np.flatnonzero(is_wanted[late]) + self._sorted])
        seen: NDArray[np.int64] = found[self._seen[found]]
        return seen

    def _forget(self) -> None:
        self._sorted = 0
        self._codes: Growable[np.int32] = Growable(np.int32)
        self._numbers: dict[int, int] = {}
        self._by_entity = self._by_row = _Sorted(np.zeros(0, np.int64))


class _Sorted:
    """Where each of some numbers stands among many."""

    def __init__(self, values: NDArray[Any]) -> None:
        self._order = np.argsort(values, kind="stable")
        self._values = values[self._order]

    def places(self, wanted: NDArray[Any]) -> NDArray[np.int64]:
        first = np.searchsorted(self._values, wanted)
        return self._order[ranges(first, np.searchsorted(self._values, wanted, side="right") - first)]


class EntityGraph:
    """Answers what a question shares with facts; keeps arrays and names between questions."""

    def __init__(self) -> None:
        self._links = Links()
        self._known: dict[str, list[int]] = {}
        self._named = 0
        self._epoch = -1

    def shared_with(
        self, transaction: Transaction, eligible: Eligible, question: str, written: Iterable[str]
    ) -> NDArray[np.int64] | None:
        """Return how many names each slot shares with a question, shape (slots,); None if the question has none.

        Names in a question are those that are ``written`` like one, and those that the facts at hand mention, in whatever case.
        """
        known = self._entities_by_name(transaction)
        links, counts = self._counted(transaction, eligible)

        def numbers_of(name: str) -> list[int]:
            numbers = [links.number(entity) for entity in known.get(name, ())]
            return [number for number in numbers if number >= 0 and counts[number]]

        names = [fold(name) for name in written]
        names += known_names(question, lambda name: name in known and bool(numbers_of(name)))
        groups = [found for name in dict.fromkeys(names) if (found := numbers_of(name))]
        if not groups:
            return None
        shared = np.zeros(len(eligible.facts.store), np.int64)
        for numbers in groups:
            slots = self._slots_of(eligible, links.of_entities(np.array(numbers, np.int32)))
            shared[np.unique(slots[slots >= 0])] += 1
        return shared

    def facts_of(self, transaction: Transaction, eligible: Eligible, name: str) -> SlotArray:
        """Return the slots of the facts at hand that mention a folded name."""
        links, _ = self._counted(transaction, eligible)
        numbers = [links.number(entity) for entity in self._entities_by_name(transaction).get(name, ())]
        slots = self._slots_of(eligible, links.of_entities(np.array(numbers, np.int32)))
        return np.unique(slots[slots >= 0])

    def groups_of(
        self, transaction: Transaction, eligible: Eligible, facts: SlotArray, most: int
    ) -> tuple[NDArray[np.int64], SlotArray]:
        """Return who else of the facts at hand mentions what some of them mention, as pairs of a number and a slot.

        Names that more than ``most`` of them mention are left out.
        """
        links, counts = self._counted(transaction, eligible)
        shared = links.entities[links.of_rows(eligible.facts.rows(facts))]
        shared = np.unique(shared[(counts[shared] > 1) & (counts[shared] <= most)])
        edges = links.of_entities(shared)
        slots = self._slots_of(eligible, edges)
        return links.entities[edges[slots >= 0]].astype(np.int64), slots[slots >= 0]

    def entities(self, transaction: Transaction, eligible: Eligible, limit: int) -> list[Entity]:
        """Return the names that the facts at hand mention, the most mentioned first, ties by name."""
        names, (links, counts) = transaction.seen(ENTITY), self._counted(transaction, eligible)
        shown = zip(names.column("id").take(names.slots), names.column("name").take(names.slots), strict=True)
        counted = [(name, links.number(entity)) for entity, name in shown]
        found = [Entity(name, int(counts[at])) for name, at in counted if at >= 0 and counts[at]]
        return sorted(found, key=lambda entity: (-entity.facts, fold(entity.name)))[:limit]

    def _counted(self, transaction: Transaction, eligible: Eligible) -> tuple[Links, NDArray[np.int64]]:
        """Return the edges, and how many of the facts at hand mention each entity, by its small number."""
        seen = transaction.seen(LINK)
        self._links.update(seen, eligible.facts)

        def compute() -> NDArray[np.int64]:
            edges = seen.slots[self._slots_of(eligible, seen.slots) >= 0]
            return np.bincount(self._links.entities[edges], minlength=self._links.count)

        state = (seen.state, self._links.count)  # a reader elsewhere may have met new entities
        return self._links, eligible.keep("mentions", state, compute)

    def _slots_of(self, eligible: Eligible, edges: NDArray[Any]) -> SlotArray:
        """Return the slot of the fact of each edge, -1 for one that is not at hand."""
        facts = eligible.facts
        slot_of_row = eligible.keep(
            "slot of row", None, lambda: facts.slots_of_rows(eligible.slots, _all_rows(facts))
        )
        rows = self._links.rows[edges]
        found: SlotArray = np.where(rows >= 0, slot_of_row[rows], np.int32(-1))
        return found

    def _entities_by_name(self, transaction: Transaction) -> dict[str, list[int]]:
        """Return the ids of all entities by folded name, also of those that the reader does not see: their edges tell."""
        seen = transaction.seen(ENTITY)
        if seen.store.epoch != self._epoch:
            self._known, self._named, self._epoch = {}, 0, seen.store.epoch
        new = np.arange(self._named, len(seen.store), dtype=np.int32)
        if len(new):
            for key, number in zip(seen.column("key").take(new), seen.column("id").take(new), strict=True):
                ids = self._known.setdefault(key, [])
                if number not in ids:
                    ids.append(number)
            self._named = len(seen.store)
        return self._known


def _all_rows(facts: SeenTable) -> NDArray[np.int32]:
    return np.arange(len(facts.store.newest), dtype=np.int32)
