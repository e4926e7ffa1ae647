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
class FactVectors:
    """The vectors of some facts.

    Attributes
    ----------
    index : VectorIndex
        Their index.
    candidates : Candidates
        Among which it searches: theirs.
    fact_of_entry, ref_of_fact : int32 array
        The slot of the fact of each entry of the index, and the vector of each slot of the facts; -1 for none.
    """

    index: VectorIndex
    candidates: Candidates
    fact_of_entry: SlotArray
    ref_of_fact: NDArray[np.int32]

    def near(self, vector: NDArray[np.float32], k: int) -> tuple[SlotArray, NDArray[np.float64]]:
        """Return the slots and rough cosines of about k of the facts whose vectors are nearest, in no order."""
        entries, cosines = self.index.near(vector, k, self.candidates)
        return self.fact_of_entry[entries], cosines

    def cosines(
        self, slots: SlotArray, vector: NDArray[np.float32], *, exact: bool = True
    ) -> NDArray[np.float64]:
        """Return the cosines of facts with a vector, shape (n,), 0 for a fact without one.

        Exact ones are equal for equal vectors; rough ones are quicker where there are thousands, and end after five digits.
        """
        refs = self.ref_of_fact[slots]
        has_vector = refs != NO_VECTOR
        found = np.zeros(len(slots))
        found[has_vector] = self.index.scores_of(vector, refs[has_vector], exact=exact)
        return found

    def vectors(self, slots: SlotArray) -> NDArray[np.float32]:
        """Return the vectors of facts, shape (n, dimensions), zeros for a fact without one."""
        refs = self.ref_of_fact[slots]
        if not len(self.index.heap):
            return np.zeros((len(slots), self.index.heap.dimensions), np.float32)
        rows: NDArray[np.float32] = self.index.heap.matrix[np.maximum(refs, 0)]
        rows[refs == NO_VECTOR] = 0
        return rows


class VectorArm:
    """Joins vectors with facts, and keeps what joins them."""

    def __init__(self) -> None:
        self._rows = FactRows("source_id", ("source_type", "knowledge"))

    def of(self, transaction: Transaction, eligible: Eligible) -> FactVectors:
        """Return the vectors of the facts that may be answers."""
        embeddings, facts = transaction.seen("embedding"), eligible.facts

        def compute() -> FactVectors:
            rows = self._rows.of(embeddings, facts)[embeddings.slots]
            found = facts.slots_of_rows(eligible.slots, rows)
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
            return FactVectors(
                state.structure, Candidates(column, np.sort(entries)), fact_of_entry, ref_of_fact
            )

        return eligible.keep("vectors", embeddings.state, compute)
