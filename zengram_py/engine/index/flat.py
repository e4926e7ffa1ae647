"""Flat vector index: the exact answer, by scoring every candidate.

One matrix-vector product over the column's heap (heap.py) scores all vectors, or a gathered part of them when a filter
leaves few; a partition finds the best k, which are scored again exactly (vectors.py).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .base import Entries
from .vectors import METRICS, Candidates, Scores, VectorIndex

__all__ = ["METRICS", "FlatIndex"]


class FlatIndex(VectorIndex):
    """Exact nearest neighbours."""

    def nearest(
        self, query: NDArray[np.float32], k: int, entries: Entries | Candidates | None = None
    ) -> tuple[Entries, Scores]:
        """Return the k nearest of the given entries, best first, ties by entry (see the base class)."""
        if entries is None:
            entries = Candidates(self._column)
        if isinstance(entries, Candidates):
            return self.best(self.target(query), k, entries.entries, entries.refs)
        return self.best(self.target(query), k, entries, self._column.refs[entries])
