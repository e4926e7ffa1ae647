"""What vector indexes share: metrics, candidates, and scores that are exact.

Whatever an index does to find its candidates, these are scored in the same way: roughly by one float32 product, and
those that can be among the best again, each row by itself in float64. The product's last digits depend on where in
the matrix a row lies (blocked kernels add in another order); the second score does not. So equal vectors get equal
scores, before and after a restore, with and without other rows beside them, and by whatever index they were found::

    entries --column.refs--> heap rows --float32 product--> the best k and what is as near as rounding
                                       --float64, by row--> scores, ordered by score, then entry
"""

from __future__ import annotations

from abc import abstractmethod
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
SLACK = 1e-5  # far above the rounding of a float32 product of unit vectors
_GATHER_BELOW = 0.5  # share of the heap under which gathering rows beats scoring all
_FLOAT32_SAFE = (1e-15, 1e15)  # norms whose squares float32 holds with all their digits

Refs = NDArray[np.int32]
Scores = NDArray[np.float64]


class Candidates:
    """Entries among which to search, prepared for many searches.

    A caller that searches the same rows again (the mask of a view does not change between commits) keeps one of these
    beside the mask and saves the passes over all entries that a search begins with. It holds for as long as the entries
    do: until the next vacuum, and for the rows that there were when it was made.

    Parameters
    ----------
    column : HeapColumn
        The vector column.
    entries : int32 array, optional
        Entries whose vector is not null; all that there are when left out.
    """

    def __init__(self, column: HeapColumn, entries: Entries | None = None) -> None:
        if entries is None:
            refs = column.refs
            entries = np.flatnonzero(refs >= 0).astype(np.int32)
        self.entries = entries
        self.refs: Refs = column.refs[entries]
        count = len(column.heap)
        self.allowed: NDArray[np.bool_] = np.zeros(count, bool)
        """Which vectors count, shape (vectors,)."""
        self.allowed[self.refs] = True
        self.distinct = int(np.count_nonzero(self.allowed))
        """How many vectors the entries have."""
        self.is_all = self.distinct == count
        """Whether every vector of the column counts."""
        self.view: Any = None
        """What an index derived from it, for its own use."""
        self._entry_of: Entries | None = None
        if self.distinct == len(entries):
            self._entry_of = np.empty(count, np.int32)
            self._entry_of[self.refs] = entries

    def __len__(self) -> int:
        return len(self.entries)

    def cover(self, count: int) -> None:
        """Take note that there are at least so many vectors by now; the new ones do not count."""
        if count > len(self.allowed):
            self.allowed = np.concatenate([self.allowed, np.zeros(count - len(self.allowed), bool)])
            self.is_all = False

    def entries_of(self, refs: Refs) -> tuple[Entries, Refs]:
        """Return those of the entries that have these (allowed, distinct) vectors, and the vector of each."""
        if self._entry_of is not None:
            return self._entry_of[refs], refs
        wanted = np.zeros(len(self.allowed), bool)
        wanted[refs] = True
        at = np.flatnonzero(wanted[self.refs])
        return self.entries[at], self.refs[at]


class VectorIndex(Index):
    """Nearest neighbours by one metric over one vector column.

    Parameters
    ----------
    column : HeapColumn
        The vector column.
    metric : str
        ``"cosine"``, ``"ip"`` (inner product) or ``"l2"`` (Euclidean distance, negated: greater is nearer).
    """

    reads_keys = False
    can_wait = True

    def __init__(self, column: HeapColumn, metric: str = "cosine") -> None:
        if metric not in METRICS:
            raise CatalogError(f"a vector metric is one of {', '.join(METRICS)}, not {metric!r}")
        if not isinstance(column.heap, MatrixHeap):
            raise CatalogError(f"a vector index is on a vector column, not on {column.type.name}")
        self.metric = metric
        self._column = column
        self._forget_norms()

    @property
    def heap(self) -> MatrixHeap:
        """The column's vectors."""
        heap = self._column.heap
        assert isinstance(heap, MatrixHeap)
        return heap

    @abstractmethod
    def nearest(
        self, query: NDArray[np.float32], k: int, entries: Entries | Candidates | None = None
    ) -> tuple[Entries, Scores]:
        """Return the k nearest of the given entries, best first, ties by entry.

        Parameters
        ----------
        query : float32 array of shape (dimensions,)
            Where to look; for ``"cosine"`` it must not be zero.
        k : int
            How many at most.
        entries : int32 array or Candidates, optional
            Among which: entries whose vector is not null; all that there are when left out.

        Returns
        -------
        entries : int32 array of shape (m,), m <= k
        scores : float64 array of shape (m,)
            The cosine in -1..1, the inner product, or minus the Euclidean distance.
        """

    def near(
        self, query: NDArray[np.float32], k: int, candidates: Candidates
    ) -> tuple[Entries, NDArray[np.float64]]:
        """Return about k of the nearest entries, in no order, with scores that end after some seven digits.

        For who ranks by more than nearness and scores the best again (:meth:`scores_of`): what is far down the list may be
        incomplete, and is cheap.
        """
        if k <= 0 or not len(candidates):
            return np.empty(0, np.int32), np.empty(0, np.float64)
        scores = self._rough_scores(self.target(query), candidates.refs)
        best = within_slack(scores, min(k, len(scores)), 0.0)
        return candidates.entries[best], scores[best]

    def search(self, query: Any, mask: EntryMask | None = None) -> Entries:
        """Return the nearest entries to a query, given as (vector, k); without a mask, of all entries."""
        vector, k = query
        if mask is None:
            return self.nearest(vector, k)[0]
        entries = np.flatnonzero(mask[: len(self._column)]).astype(np.int32)
        return self.nearest(vector, k, entries[self._column.refs[entries] >= 0])[0]

    # -- what the table tells: nothing that the column does not tell --------------------------------------------------

    def attach(self, column: HeapColumn) -> None:
        """Read another column from now on: vectors of the present one, in a heap that a vacuum made."""
        self._column = column
        kept = column.kept_refs
        known = self._norms.view
        self._forget_norms()
        if kept is not None and (not len(kept) or kept[-1] < len(known)):
            self._add_norms(known[kept])  # else they are computed when they are wanted

    def remap(self, places: NDArray[np.int32]) -> None:
        """Nothing to renumber: entries are the column's."""

    def clear(self) -> None:
        """Forget the norms; the vectors are the column's."""
        self._forget_norms()

    def add(self, entries: Entries, keys: list[Key]) -> None:
        """Nothing to add: the vectors are in the column, their norms are computed when they are wanted."""

    def add_later(self, entries: Entries) -> None:
        """Nothing to add."""

    def add_array(self, entries: Entries, values: NDArray[Any]) -> None:
        """Nothing to add."""

    def remove(self, entries: Entries) -> None:
        """Nothing to remove."""

    # -- scores --------------------------------------------------------------------------------------------------------

    def target(self, query: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the query in float64, for ``"cosine"`` with length 1."""
        target = query.astype(np.float64)
        if self.metric == "cosine":
            target /= np.linalg.norm(target)
        return target

    def best(
        self, target: NDArray[np.float64], k: int, entries: Entries, refs: Refs
    ) -> tuple[Entries, Scores]:
        """Return the k nearest of the given entries by scoring all of them."""
        if k <= 0 or not len(entries):
            return np.empty(0, np.int32), np.empty(0, np.float64)
        if k < len(entries):
            rough, scale = self._rough(target, refs)
            near = within_slack(rough, k, SLACK * scale)
            entries, refs = entries[near], refs[near]
        return self.ranked(target, k, entries, refs)

    def ranked(
        self, target: NDArray[np.float64], k: int, entries: Entries, refs: Refs
    ) -> tuple[Entries, Scores]:
        """Score a few entries exactly; return the best k, ties by entry."""
        return top(k, entries, self._exact(target, refs))

    def scores_of(self, query: NDArray[np.float32], refs: Refs, *, exact: bool = True) -> Scores:
        """Return the scores of vectors, shape (n,), in their order.

        Parameters
        ----------
        query : float32 array of shape (dimensions,)
            As for :meth:`nearest`.
        refs : int32 array of shape (n,)
            The vectors.
        exact : bool
            Whether each is scored by itself, so that equal vectors have equal scores; else all by one product, rounded to
            five digits.
        """
        target = self.target(query)
        if not len(refs):
            return np.empty(0, np.float64)
        if exact:
            return self._exact(target, refs)
        return np.round(self._rough_scores(target, refs), 5)

    def _rough_scores(self, target: NDArray[np.float64], refs: Refs) -> Scores:
        rough = self._rough(target, refs)[0]
        return -np.sqrt(np.maximum(0.0, -rough)) if self.metric == "l2" else rough

    def _rough(self, target: NDArray[np.float64], refs: Refs) -> tuple[Scores, float]:
        """Score by one float32 product (for ``"l2"``: squared); return the scores and the size of their terms."""
        matrix = self.heap.matrix
        norms = self.norms_of(refs)
        if not self.fits_float32:
            products = matrix[refs].astype(np.float64) @ target
        elif len(refs) < _GATHER_BELOW * len(matrix):
            products = (matrix[refs] @ target.astype(np.float32)).astype(np.float64)
        else:
            products = (matrix @ target.astype(np.float32))[refs].astype(np.float64)
        if self.metric == "cosine":
            return products / norms, 1.0
        length, longest = float(np.linalg.norm(target)), float(norms.max())
        if self.metric == "ip":
            return products, length * longest
        return 2 * products - norms * norms - length * length, (length + longest) ** 2

    def score(self, target: NDArray[np.float64], vectors: NDArray[np.float32]) -> Scores:
        """Return the exact scores of vectors that need not be in the column, shape (n,): those that they would have there.

        Parameters
        ----------
        target : float64 array of shape (dimensions,)
            What :meth:`target` makes of a query.
        vectors : float32 array of shape (n, dimensions)
            The vectors.
        """
        rows = vectors.astype(np.float64)
        norms = np.sqrt(np.square(rows).sum(axis=1))
        return self._score(target, rows, np.where(norms == 0, np.inf, norms))

    def refs_of(self, entries: Entries) -> Refs:
        """Return where the vectors of entries lie in the heap, -1 for those without one."""
        return self._column.refs[entries]

    def _exact(self, target: NDArray[np.float64], refs: Refs) -> Scores:
        """Score each row by itself in float64."""
        rows = self.heap.matrix[refs].astype(np.float64)
        return self._score(target, rows, self.norms_of(refs) if self.metric == "cosine" else None)

    def _score(self, target: NDArray[np.float64], rows: NDArray[np.float64], norms: Scores | None) -> Scores:
        if self.metric == "l2":
            distances: Scores = np.sqrt(np.square(rows - target).sum(axis=1))
            return -distances
        products: Scores = np.einsum(
            "ij,j->i", rows, target
        )  # each row by itself; a product of all would block them
        if self.metric == "ip" or norms is None:
            return products
        return np.clip(products / norms, -1.0, 1.0)

    # -- norms ---------------------------------------------------------------------------------------------------------

    def norms_of(self, refs: Refs | slice) -> Scores:
        """Return Euclidean norms, computing those of vectors that are new; for ``"cosine"`` infinity in place of 0."""
        self.update_norms()
        norms: Scores = self._norms.view[refs]
        if self.metric == "cosine" and self._least == 0.0 and not norms.all():
            norms = np.where(norms == 0, np.inf, norms)
        return norms

    def update_norms(self) -> None:
        """Compute the norms of vectors that are new. In float64: 1e-30 squared is not 0."""
        known, matrix = len(self._norms), self.heap.matrix
        for start in range(known, len(matrix), 4096):
            block = matrix[start : start + 4096].astype(np.float64)
            self._add_norms(np.sqrt(np.square(block).sum(axis=1)))

    @property
    def fits_float32(self) -> bool:
        """Whether sums of squares of the known vectors, 0 aside, neither overflow nor vanish in float32."""
        low, high = _FLOAT32_SAFE
        return self.longest < high and self._least_positive > low

    @property
    def has_unit_length(self) -> bool:
        """Whether all known vectors have length 1, as far as float32 can tell."""
        return abs(self.longest - 1) < 1e-6 and abs(self._least - 1) < 1e-6

    @property
    def has_similar_lengths(self) -> bool:
        """Whether the shortest of the known vectors is nearly as long as the longest."""
        return self._least > 0.9 * self.longest

    def _forget_norms(self) -> None:
        self._norms: Growable[np.float64] = Growable(np.float64)
        self.longest = 0.0
        """The greatest of the known norms."""
        self._least = self._least_positive = float("inf")

    def _add_norms(self, norms: Scores) -> None:
        self._norms.extend(norms)
        self._note(norms)

    def _note(self, norms: Scores) -> None:
        if len(norms):
            self.longest = max(self.longest, float(norms.max()))
            self._least = min(self._least, float(norms.min()))
            self._least_positive = min(
                self._least_positive, float(norms.min(initial=np.inf, where=norms > 0))
            )

    def save(self) -> Sections:
        """Return the norms that are known, so that a restored index need not read those vectors again for them."""
        return {"norms": self._norms.view}

    def load(self, sections: Sections) -> None:
        """Take the norms."""
        norms = sections["norms"]
        if norms.dtype != np.float64 or norms.ndim != 1 or len(norms) > len(self.heap):
            raise ValueError("there are more norms than vectors")
        if not np.isfinite(norms).all() or (norms < 0).any():
            raise ValueError("a norm is no length")
        self._forget_norms()
        self._norms = Growable(np.float64, (), norms)
        self._note(norms)

    @property
    def nbytes(self) -> int:
        """Bytes of the norms; the vectors are the column's."""
        return self._norms.view.nbytes

    @property
    def cache_bytes(self) -> int:
        """Bytes of the norms, which are computed when they are first needed."""
        return self._norms.view.nbytes


def within_slack(rough: Scores, k: int, slack: float) -> NDArray[np.intp]:
    """Return where the best k of rough scores are, and those that rounding may have put behind them."""
    if k >= len(rough):
        return np.arange(len(rough))
    least = np.partition(rough, len(rough) - k)[len(rough) - k]
    return np.flatnonzero(rough >= least - slack)


def top(k: int, entries: Entries, scores: Scores) -> tuple[Entries, Scores]:
    """Return the k entries with the best scores, best first, ties by entry."""
    order = np.lexsort((entries, -scores))[:k]
    return entries[order], scores[order]
