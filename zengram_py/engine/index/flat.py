"""Flat vector index: the exact answer, by scoring every candidate.

One matrix-vector product over the column's heap (heap.py) scores all vectors, or a gathered part of them when a
filter leaves few; a partition finds the best k. The product's last digits depend on where in the matrix a row lies
(blocked kernels add in another order), so those that can be among the best are scored again, each row by itself in
float64: equal vectors get equal scores, before and after a restore, with and without other rows beside them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import CatalogError
from ..column import HeapColumn
from ..growable import Growable
from ..heap import MatrixHeap
from ..keys import Key
from .base import Entries, EntryMask, Index, Sections

METRICS = ("cosine", "ip", "l2")
_SLACK = 1e-5  # far above the rounding of a float32 product of unit vectors
_GATHER_BELOW = 0.5  # share of the heap under which gathering rows beats scoring all


class FlatIndex(Index):
    """Exact nearest neighbours.

    Parameters
    ----------
    column : HeapColumn
        The vector column.
    metric : str
        ``"cosine"``, ``"ip"`` (inner product) or ``"l2"`` (Euclidean distance, negated: greater is nearer).
    """

    reads_keys = False

    def __init__(self, column: HeapColumn, metric: str = "cosine") -> None:
        if metric not in METRICS:
            raise CatalogError(f"a vector metric is one of {', '.join(METRICS)}, not {metric!r}")
        if not isinstance(column.heap, MatrixHeap):
            raise CatalogError(f"a flat index is on a vector column, not on {column.type.name}")
        self.metric = metric
        self._column = column
        self._norms: Growable[np.float64] = Growable(np.float64)

    @property
    def _heap(self) -> MatrixHeap:
        heap = self._column.heap
        assert isinstance(heap, MatrixHeap)
        return heap

    def attach(self, column: HeapColumn) -> None:
        """Read another column from now on: vectors of the present one, in a heap that a vacuum made."""
        self._column = column
        kept = column.kept_refs
        known = self._norms.view
        self.clear()
        if kept is not None and (not len(kept) or kept[-1] < len(known)):
            self._norms.extend(known[kept])  # else they are computed when they are wanted

    def remap(self, places: NDArray[np.int32]) -> None:
        """Nothing to renumber: entries are the column's."""

    def clear(self) -> None:
        """Forget the norms; the vectors are the column's."""
        self._norms = Growable(np.float64)

    def add(self, entries: Entries, keys: list[Key]) -> None:
        """Nothing to add: the vectors are in the column, their norms are computed when they are wanted."""

    def add_array(self, entries: Entries, values: NDArray[Any]) -> None:
        """Nothing to add."""

    def remove(self, entries: Entries) -> None:
        """Nothing to remove."""

    def search(self, query: Any, mask: EntryMask | None = None) -> Entries:
        """Return the nearest entries to a query, given as (vector, k); without a mask, of all entries."""
        vector, k = query
        mask = np.ones(len(self._column), bool) if mask is None else mask
        entries = np.flatnonzero(mask[: len(self._column)]).astype(np.int32)
        found, _ = self.nearest(vector, k, entries[self._column.refs[entries] >= 0])
        return found

    def nearest(
        self, query: NDArray[np.float32], k: int, entries: Entries
    ) -> tuple[Entries, NDArray[np.float64]]:
        """Return the k nearest of the given entries, best first, ties by entry.

        Parameters
        ----------
        query : float32 array of shape (dimensions,)
            Where to look; for ``"cosine"`` it must not be zero.
        k : int
            How many at most.
        entries : int32 array
            The candidates: entries whose vector is not null.

        Returns
        -------
        entries : int32 array of shape (m,), m <= k
        scores : float64 array of shape (m,)
            The cosine in -1..1, the inner product, or minus the Euclidean distance.
        """
        k = min(k, len(entries))
        if k <= 0:
            return np.empty(0, np.int32), np.empty(0, np.float64)
        refs = self._column.refs[entries]
        target = query.astype(np.float64)
        if self.metric == "cosine":
            target /= np.linalg.norm(target)
        if k < len(entries):
            rough, scale = self._rough(target, refs)
            least = np.partition(rough, len(rough) - k)[len(rough) - k]
            near = np.flatnonzero(rough >= least - _SLACK * scale)
            entries, refs = entries[near], refs[near]
        scores = self._exact(target, refs)
        order = np.lexsort((entries, -scores))[:k]
        return entries[order], scores[order]

    def _rough(
        self, target: NDArray[np.float64], refs: NDArray[np.int32]
    ) -> tuple[NDArray[np.float64], float]:
        """Score by one float32 product (for ``"l2"``: squared); return the scores and the size of their terms."""
        matrix = self._heap.matrix
        query = target.astype(np.float32)
        if len(refs) < _GATHER_BELOW * len(matrix):
            products = (matrix[refs] @ query).astype(np.float64)
        else:
            products = (matrix @ query)[refs].astype(np.float64)
        norms = self._norms_of(refs)
        if self.metric == "cosine":
            return products / norms, 1.0
        length, longest = float(np.linalg.norm(target)), float(norms.max())
        if self.metric == "ip":
            return products, length * longest
        return 2 * products - norms * norms - length * length, (length + longest) ** 2

    def _exact(self, target: NDArray[np.float64], refs: NDArray[np.int32]) -> NDArray[np.float64]:
        """Score each row by itself in float64."""
        rows = self._heap.matrix[refs].astype(np.float64)
        if self.metric == "l2":
            distances: NDArray[np.float64] = np.sqrt(np.square(rows - target).sum(axis=1))
            return -distances
        products: NDArray[np.float64] = (rows * target).sum(axis=1)
        if self.metric == "ip":
            return products
        return np.clip(products / self._norms_of(refs), -1.0, 1.0)

    def _norms_of(self, refs: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return Euclidean norms, computing those of vectors that are new. In float64: 1e-30 squared is not 0."""
        known, matrix = len(self._norms), self._heap.matrix
        for start in range(known, len(matrix), 4096):
            block = matrix[start : start + 4096].astype(np.float64)
            self._norms.extend(np.sqrt(np.square(block).sum(axis=1)))
        norms: NDArray[np.float64] = self._norms.view[refs]
        if self.metric == "cosine" and not norms.all():
            norms[norms == 0] = np.inf  # a copy: indexing with an array made one
        return norms

    def save(self) -> Sections:
        """Return the norms that are known, so that a restored index need not read those vectors again for them."""
        return {"norms": self._norms.view}

    def load(self, sections: Sections) -> None:
        """Take the norms."""
        norms = sections["norms"]
        if norms.dtype != np.float64 or norms.ndim != 1 or len(norms) > len(self._heap):
            raise ValueError("there are more norms than vectors")
        self._norms = Growable(np.float64, (), norms)

    @property
    def nbytes(self) -> int:
        """Bytes of the norms; the vectors are the column's."""
        return self._norms.view.nbytes
