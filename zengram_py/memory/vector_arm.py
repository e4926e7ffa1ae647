"""The vector arm: facts whose vectors are near the question's.

Vectors are in a table of their own (schema/knowledge.py). What joins them with the facts that a filter leaves is kept beside
these (:class:`~zengram_py.memory.filters.Eligible`), so a question costs the search and nothing that grows with the memory.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..engine import Transaction
from ..engine.column import HeapColumn
from ..engine.index.vectors import Candidates, VectorIndex
from ..engine.table import SlotArray
from .filters import Eligible
from .joins import FactRows
from .schema.knowledge import VECTOR_INDEX

NO_VECTOR = -1


@dataclass(frozen=True)
class _Joined:
    index: VectorIndex
    candidates: Candidates
    fact_of_entry: SlotArray
    ref_of_fact: NDArray[np.int32]


class VectorArm:
    """Searches the vectors of facts."""

    def __init__(self) -> None:
        self._rows = FactRows("source_id", ("source_type", "knowledge"))

    def nearest(
        self, transaction: Transaction, eligible: Eligible, vector: NDArray[np.float32], k: int
    ) -> tuple[SlotArray, NDArray[np.float64]]:
        """Return the slots and cosines of the k facts whose vectors are nearest, best first."""
        joined = self._join(transaction, eligible)
        entries, cosines = joined.index.nearest(vector, k, joined.candidates)
        return joined.fact_of_entry[entries], cosines

    def cosines(
        self,
        transaction: Transaction,
        eligible: Eligible,
        slots: SlotArray,
        vector: NDArray[np.float32],
        *,
        exact: bool = True,
    ) -> NDArray[np.float64]:
        """Return the cosines of facts with a vector, shape (n,), 0 for a fact without one.

        Exact ones are equal for equal vectors; rough ones are quicker where there are thousands, and end after five digits.
        """
        joined = self._join(transaction, eligible)
        refs = joined.ref_of_fact[slots]
        has_vector = refs != NO_VECTOR
        found = np.zeros(len(slots))
        found[has_vector] = joined.index.scores_of(vector, refs[has_vector], exact=exact)
        return found

    def vectors(self, transaction: Transaction, eligible: Eligible, slots: SlotArray) -> NDArray[np.float32]:
        """Return the vectors of facts, shape (n, dimensions), zeros for a fact without one."""
        joined = self._join(transaction, eligible)
        refs = joined.ref_of_fact[slots]
        rows: NDArray[np.float32] = joined.index.heap.matrix[np.maximum(refs, 0)]
        rows[refs == NO_VECTOR] = 0
        return rows

    def _join(self, transaction: Transaction, eligible: Eligible) -> _Joined:
        embeddings, facts = transaction.seen("embedding"), eligible.facts

        def compute() -> _Joined:
            rows = self._rows.of(embeddings, facts)[embeddings.slots]
            found = np.where(rows >= 0, facts.slot_of_row(eligible.slots)[rows], np.int32(-1))
            state, column = embeddings.index(VECTOR_INDEX), embeddings.column("vector")
            assert isinstance(state.structure, VectorIndex)
            assert isinstance(column, HeapColumn)
            refs = column.refs[embeddings.slots]
            chosen = (found >= 0) & (refs >= 0)
            entries, found, refs = state.entry.view[embeddings.slots[chosen]], found[chosen], refs[chosen]
            fact_of_entry = np.full(len(embeddings.store), -1, np.int32)
            fact_of_entry[entries] = found
            ref_of_fact = np.full(len(facts.store), NO_VECTOR, np.int32)
            ref_of_fact[found] = refs
            candidates = Candidates(column, np.sort(entries))
            return _Joined(state.structure, candidates, fact_of_entry, ref_of_fact)

        # An index that was replaced (a snapshot brought up to date) is another structure.
        state = (embeddings.state, id(embeddings.index(VECTOR_INDEX).structure))
        return eligible.keep("vectors", state, compute)
