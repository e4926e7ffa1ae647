"""Reflection: insights that a model drew from what is known, stored as facts that say what they rest on.

The model is the caller's; it is shown the most important facts of a scope, and what it concluded comes in as a list. An insight is a fact like
any other one (it supersedes, is confirmed and fades), of source type ``"reflection"``, ``reflected_from`` the facts that it names.
One that names none rests on those that the model was shown; private facts are not among these. One that rests on a private fact is as
private, unless it says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import Transaction
from .extraction import Extraction
from .filters import RecallFilter
from .given_facts import REFLECTED, GivenFact, check_facts, check_vectors
from .knowledge import most_important
from .quantities import check_count
from .texts import check_text, fact_text
from .trail import REFLECTED_FROM
from .vectors import check_vector

SHOWN = 20
"""Facts that a model is shown if nothing else is said: what recall gives at most, too."""
MOST_SOURCES = 100
"""Facts that an insight without sources rests on at most: what came of everything came of nothing."""


class Reflection(Extraction):
    """Stores what a model concluded."""

    def reflect_with_insights(
        self, scope: str, insights: Iterable[Mapping[str, Any]], limit: int = SHOWN
    ) -> list[str]:
        """Store what the caller's model concluded from a scope's facts; return the id of each insight, in their order.

        Parameters
        ----------
        scope : str
            The scope.
        insights : iterable of mappings
            ``{"subject", "content", "source_ids"}`` (also ``sourceIds``) and what else a fact comes with.
        limit : int
            How many facts the model was shown: the most important ones that hold. An insight without sources rests on these, on 100
            of them at most.

        Returns
        -------
        list of str
            Nothing if the scope has no active fact: there is nothing to conclude from.

        Raises
        ------
        EmbedderError
            If there is no embedder, or it fails. Nothing is stored.
        InvalidArgumentError
            If one is no insight; the message says which. Nothing is stored.
        NotFoundError
            If one rests on a fact that is not in the scope. Nothing is stored.
        """
        given, shown = self._check_reflection(scope, insights, limit)
        if not shown:
            return []
        if not given:
            self._check_embedder()
        vectors = [self._embed(fact_text(one.subject, one.content)) for one in given]
        return self._reflect(scope, given, vectors, shown)

    def reflect_with_insights_with_vectors(
        self,
        scope: str,
        insights: Iterable[Mapping[str, Any]],
        vectors: Iterable[Any] | NDArray[Any],
        limit: int = SHOWN,
    ) -> list[str]:
        """Store what the caller's model concluded, with a vector of ``"subject: content"`` for each.

        Otherwise as :meth:`reflect_with_insights`; it is for embedders that are asynchronous.

        Raises
        ------
        VectorError
            If there is not one vector for each insight, or one cannot be stored; the message says which. Nothing is stored.
        """
        given, shown = self._check_reflection(scope, insights, limit)
        found = check_vectors("insight", vectors, len(given), lambda one: check_vector(one, self.dimensions))
        return self._reflect(scope, given, found, shown) if shown else []

    def _check_reflection(self, scope: Any, insights: Any, limit: Any) -> tuple[list[GivenFact], list[str]]:
        self._check_open()
        scope = check_text(scope, "scope")
        limit = min(max(1, check_count("limit", limit)), MOST_SOURCES)
        given = check_facts("insight", insights, REFLECTED)
        with self._begin(read_only=True) as transaction:
            return given, self._most_important(transaction, scope, limit)

    def _most_important(self, transaction: Transaction, scope: str, limit: int) -> list[str]:
        eligible = self._recaller.filters.select(transaction, scope, RecallFilter(), self._clock.now())
        facts, slots = eligible.facts, eligible.slots
        found: list[str] = facts.column("id").take(most_important(facts, slots)[:limit])
        return found

    def _reflect(
        self,
        scope: str,
        given: Sequence[GivenFact],
        vectors: Sequence[NDArray[np.float32]],
        shown: Sequence[str],
    ) -> list[str]:
        scope = check_text(scope, "scope")
        ids = []
        names = [self._names(one.subject, one.content, one.options) for one in given]
        with self._writing() as transaction:
            for one, vector, mentioned in zip(given, vectors, names, strict=True):
                sources = one.columns.get("consolidated_from") or list(shown)
                columns: dict[str, Any] = {"source_type": "reflection", "consolidated_from": sources}
                if "private" not in one.columns:
                    rows = [transaction.get("knowledge", source) for source in sources]
                    columns["private"] = any(row is not None and row["private"] for row in rows)
                stored = self._store_found(
                    transaction, scope, one, vector, mentioned, columns, REFLECTED_FROM
                )
                ids.append(stored.id)
        return ids
