"""The part of the memory's face that finds facts: recall by meaning and words, names, and lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from ..engine import Transaction
from ..engine.expr import fold
from .base import MemoryBase
from .filters import Eligible, RecallFilter
from .graph import Entity
from .hits import Hit
from .knowledge import Fact, newest_first, read_facts
from .options import RecallOptions, given, plan_recall
from .quantities import check_count
from .recall import Asked
from .recall_config import DEFAULTS, RecallConfig, read_config, write_config
from .texts import check_text
from .vectors import check_vector

LONGEST_QUESTION = 8192
"""Characters of a question whose words and names are looked at: a longer one is a document, and its vector says what it is about."""


class Recalling(MemoryBase):
    """Finds facts."""

    def recall(self, query: str, scope: str, **options: Unpack[RecallOptions]) -> list[Hit]:
        """Embed a question and return the facts that answer it, best first; a blank question has no answer.

        Otherwise as :meth:`recall_with_vector`.
        """
        query, scope = self._check_question(query, scope)
        chosen = given("recall", options, RecallOptions)
        plan_recall(chosen, DEFAULTS)  # what is wrong is said before the embedder is troubled
        return self._find(query, scope, self._embed(query), chosen) if query.strip() else []

    def recall_with_vector(
        self, query: str, scope: str, vec: Any, **options: Unpack[RecallOptions]
    ) -> list[Hit]:
        """Return the facts of a scope that answer a question, best first (recall.py tells how).

        Parameters
        ----------
        query : str
            The question; its words and names (those of its first 8,192 characters) count as well as its vector. It may be blank.
        scope : str
            Where to look.
        vec : sequence of numbers
            The question's vector.
        **options
            Which answers are wanted, and how they are ranked (:class:`RecallOptions`).
        """
        query, scope = self._check_question(query, scope)
        chosen = given("recall_with_vector", options, RecallOptions)
        return self._find(query, scope, check_vector(vec, self.dimensions), chosen)

    def recall_config(self, scope: str) -> RecallConfig:
        """Return how a scope ranks its answers."""
        scope = check_text(scope, "scope")
        with self._reading() as transaction:
            return read_config(transaction, scope)

    def configure_recall(self, scope: str, **settings: Any) -> RecallConfig:
        """Change how a scope ranks its answers; what is not named stays. It is kept in the table ``retrieval_config``.

        Parameters
        ----------
        scope : str
            The scope. Every other one keeps its settings, or the defaults.
        **settings
            Attributes of :class:`RecallConfig`.
        """
        self._check_open()
        scope = check_text(scope, "scope")
        with self._writing() as transaction:
            return write_config(transaction, scope, settings)

    def entity(self, name: str, scope: str, *, limit: int = 20) -> list[Fact]:
        """Return the facts of a scope that hold now and mention a name, newest first; private ones too."""
        self._check_open()
        name, scope = check_text(name, "name"), check_text(scope, "scope")
        limit = check_count("limit", limit)
        with self._begin(read_only=True) as transaction:
            eligible = self._holding(transaction, scope)
            slots = self._recaller.graph.facts_of(transaction, eligible, fold(name))
            return read_facts(eligible.facts, newest_first(eligible.facts, slots)[:limit])

    def entities(self, scope: str, *, limit: int = 20) -> list[Entity]:
        """Return the names that the facts of a scope which hold now mention, the most mentioned first."""
        self._check_open()
        scope = check_text(scope, "scope")
        limit = check_count("limit", limit)
        with self._begin(read_only=True) as transaction:
            eligible = self._holding(transaction, scope)
            return self._recaller.graph.entities(transaction, eligible, limit)

    def facts(self, scope: str, limit: int = 100, offset: int = 0) -> list[Fact]:
        """Return the facts of a scope that hold now, newest first; private ones too.

        Parameters
        ----------
        scope : str
            The scope.
        limit, offset : int
            How many at most, after leaving out how many.
        """
        self._check_open()
        scope = check_text(scope, "scope")
        limit, offset = check_count("limit", limit), check_count("offset", offset)
        with self._begin(read_only=True) as transaction:
            eligible = self._holding(transaction, scope)
            slots = newest_first(eligible.facts, eligible.slots)
            return read_facts(eligible.facts, slots[offset : offset + limit])

    def _check_question(self, query: Any, scope: Any) -> tuple[str, str]:
        self._check_open()
        return check_text(query, "query", blank=True), check_text(scope, "scope")

    def _holding(self, transaction: Transaction, scope: str) -> Eligible:
        """Return the facts of a scope that hold now, private ones too."""
        everything = RecallFilter(include_private=True)
        return self._recaller.filters.select(transaction, scope, everything, self._clock.now())

    def _find(
        self, question: str, scope: str, vector: NDArray[np.float32], options: Mapping[str, Any]
    ) -> list[Hit]:
        question = question[:LONGEST_QUESTION]
        names = self._names_in(question)  # the caller's code: before anything is read
        now = self._clock.now()
        with self._begin(read_only=True) as transaction:
            plan = plan_recall(options, read_config(transaction, scope))
            asked = Asked(scope, question, vector, plan, names)
            hits = self._recaller.recall(transaction, now, asked)
        self._accesses.note((hit.knowledge_id for hit in hits), now)
        return hits
