"""The space in which neighbours are found: every metric as Euclidean distance, in fewer dimensions.

A neighbour graph wants a true distance. For the cosine, vectors are divided by their length: nearer then means a larger
cosine. For the inner product each gets one more coordinate that brings all to the same length, the longest one's, and the
query a 0 there, so that again nearer means a larger product (Bachrach et al., RecSys 2014)::

    cosine   x / |x|          ip   (x, sqrt(L² - |x|²)) / L          l2   x / L            L: the greatest length

Building compares each vector with thousands. Most of these comparisons only sort out what is far, so they are made in the
(at most) 64 directions of largest variance, found by subspace iteration on a sample (Halko, Martinsson and Tropp, arXiv
0909.4061); what stays is measured in full.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator

import numpy as np
from numpy.typing import NDArray

from .graph import Nodes
from .vectors import VectorIndex

PROJECTED = 48
_SAMPLE = 512
_ROUNDS = 3
_ROWS_AT_ONCE = 512

Matrix = NDArray[np.float32]


class Space:
    """The vectors of an index as points among which Euclidean distance is what counts.

    Parameters
    ----------
    index : VectorIndex
        Whose vectors.
    """

    def __init__(self, index: VectorIndex) -> None:
        self._index = index
        index.update_norms()
        self.reach = index.longest or 1.0
        """The greatest length."""
        self._is_plain = (index.metric == "cosine" and index.has_unit_length) or (
            index.metric == "l2" and 0.5 < self.reach < 2
        )

    @property
    def is_spherical(self) -> bool:
        """Whether all points have length 1 (those of zero vectors aside)."""
        return self._index.metric != "l2"

    @property
    def dimensions(self) -> int:
        """How many coordinates a point has."""
        return self._index.heap.dimensions + (self._index.metric == "ip")

    def points(self, refs: Nodes | slice) -> Matrix:
        """Return points, shape (n, dimensions), or (..., dimensions) for an array of references of that shape."""
        rows = self._index.heap.matrix[refs]
        if self._is_plain:
            return rows
        if self._index.metric == "cosine":
            scale = self._index.norms_of(refs)
            return (rows / scale[..., None]).astype(np.float32) + np.float32(
                0
            )  # no -0: equal points, equal bytes
        if self._index.metric == "l2":
            return (rows / np.float64(self.reach)).astype(np.float32) + np.float32(0)
        out = np.empty((*rows.shape[:-1], self.dimensions), np.float32)
        out[..., :-1] = rows / np.float64(self.reach)
        out[..., -1] = self.missing(refs)
        return out + np.float32(0)

    def missing(self, refs: Nodes | slice) -> NDArray[np.float64]:
        """Return, for the inner product, the coordinate that brings a vector to the common length."""
        share = self._index.norms_of(refs) / self.reach
        out: NDArray[np.float64] = np.sqrt(np.maximum(0.0, 1.0 - share * share))
        return out


class Projection:
    """Points in the directions of their largest variance.

    Attributes
    ----------
    points : float32 array of shape (n, p)
        All of them, once :meth:`steps` is through.
    hashes : uint64 array of shape (n,)
        Equal for points that are equal in all dimensions.
    is_exact : bool
        Whether no direction was left out.
    """

    def __init__(self, space: Space, count: int, rng: np.random.Generator) -> None:
        self._space, self._count, self._rng = space, count, rng
        kept = min(PROJECTED, space.dimensions)
        self.is_exact = kept == space.dimensions
        self.points: Matrix = np.empty((count, kept), np.float32)
        self.hashes: NDArray[np.uint64] = np.empty(count, np.uint64)

    def steps(self) -> Iterator[int]:
        """Do the work; yields after each part how many multiplications it took."""
        space, count, wide, kept = self._space, self._count, self._space.dimensions, self.points.shape[1]
        sample = np.sort(self._rng.choice(count, min(count, _SAMPLE), replace=False)).astype(np.int32)
        some = space.points(sample)
        mean = some.mean(axis=0)
        basis: Matrix | None = None
        if not self.is_exact:
            some = some - mean
            basis = self._rng.standard_normal((wide, kept)).astype(np.float32)
            for _ in range(_ROUNDS):
                shares = some @ basis
                yield some.size * kept
                basis = some.T @ shares
                size = np.abs(basis).max()
                basis = np.linalg.qr(basis / size if size > 0 else basis)[0].astype(np.float32)
                yield 2 * some.size * kept
        factors = self._rng.integers(1, 1 << 63, wide, np.uint64) * np.uint64(2) + np.uint64(1)
        for start in range(0, count, _ROWS_AT_ONCE):
            part = slice(start, min(start + _ROWS_AT_ONCE, count))
            rows = np.ascontiguousarray(space.points(part))
            self.hashes[part] = (rows.view(np.uint32) * factors).sum(axis=1, dtype=np.uint64)
            rows = rows - mean
            self.points[part] = rows if basis is None else rows @ basis
            yield rows.size * kept


def find_leaders(space: Space, hashes: NDArray[np.uint64]) -> Generator[int, None, Nodes]:
    """Return for each point the first one that equals it; yields between parts."""
    count = len(hashes)
    order = np.argsort(hashes, kind="stable").astype(np.int32)
    yield count
    ordered = hashes[order]
    is_first = np.ones(count, bool)
    is_first[1:] = ordered[1:] != ordered[:-1]
    leaders = np.empty(count, np.int32)
    leaders[order] = order[is_first][np.cumsum(is_first) - 1]
    yield count
    twins = np.flatnonzero(leaders != np.arange(count)).astype(np.int32)
    for start in range(0, len(twins), _ROWS_AT_ONCE):  # equal hashes may lie
        some = twins[start : start + _ROWS_AT_ONCE]
        differ = (space.points(some) != space.points(leaders[some])).any(axis=1)
        leaders[some[differ]] = some[differ]
        yield len(some) * space.dimensions
    return leaders
