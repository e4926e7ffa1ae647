"""Partitions: which points to compare with which.

A few rounds of k-means on a sample give 1.5 sqrt(n) centres (Lloyd 1982). Each point is a member of the partition of its
nearest centre and visits those of its nearest few: neighbours are looked for among the members of the partitions that a
point visits. No partition may be large, for comparing all pairs in it costs the square: one that is gets cut into slices
along the direction in which it is longest, each with a centre of its own::

    members     |.. . .:..|     a partition four times as large as it should be: four slices
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .graph import Nodes
from .graph_space import Matrix

PROBED = 32
_ROUNDS = 4
_DENSITY = 1.5  # times sqrt(n): how many partitions there are
_SAMPLED = 20  # points of the sample for each centre
_LARGE = 2  # times the mean size
_MOST = 20_000
_ROWS_AT_ONCE = 2048
_ALL_PAIRS = 512  # points among which every pair is compared


class Partitions:
    """Points by nearest centre.

    Parameters
    ----------
    points : float32 array of shape (n, p)
        The points.
    squares : float32 array of shape (n,)
        Their squared lengths.
    rng : numpy Generator
        Random numbers.

    Attributes
    ----------
    count : int
        How many partitions there are.
    central : int32 array of shape (count,)
        The point nearest to each centre.
    """

    def __init__(self, points: Matrix, squares: Matrix, rng: np.random.Generator) -> None:
        self._points, self._squares, self._rng = points, squares, rng
        self.count = 1 if len(points) <= _ALL_PAIRS else min(_MOST, int(_DENSITY * np.sqrt(len(points))))
        self.central: Nodes = np.zeros(1, np.int32)

    @property
    def probed(self) -> int:
        """How many partitions a point visits."""
        return min(PROBED, self.count)

    def steps(self) -> Iterator[int]:
        """Do the work; yields after each part how many multiplications it took."""
        count = len(self._points)
        if self.count == 1:
            self._centres = self._points[:1]
            self._members = [np.arange(count, dtype=np.int32)]
            middle = self._points.mean(axis=0)
            self.central = np.array([np.square(self._points - middle).sum(axis=1).argmin()], np.int32)
            self._visitors = Buckets(1)
            self._visitors.add(np.zeros(count, np.uint16), np.arange(count, dtype=np.int32))
            return
        yield from self._find_centres()
        nearest = np.empty(count, np.int32)
        for part in _parts(count):
            nearest[part] = self._to_centres(self._points[part]).argmin(axis=1)
            yield (part.stop - part.start) * self._centres.size
        self._slice(nearest)
        yield self._points.size
        self._visitors = Buckets(self.count)
        central = np.full(self.count, np.inf, np.float32)
        self.central = np.zeros(self.count, np.int32)
        own = np.empty(count, np.int32)
        for number, members in enumerate(self._members):
            own[members] = number
        for part in _parts(count):
            distances = self._to_centres(self._points[part])
            rows = np.arange(len(distances))
            to_own = distances[rows, own[part]]
            distances[rows, own[part]] = -np.inf  # a point visits its own partition in any case
            visited = np.argpartition(distances, self.probed - 1, axis=1)[:, : self.probed]
            who = np.repeat(np.arange(part.start, part.stop, dtype=np.int32), self.probed)
            self._visitors.add(visited.ravel().astype(np.uint16), who)
            to_own = to_own + self._squares[part]
            order = np.argsort(-to_own, kind="stable")  # the nearest is written last
            mine = own[part][order]
            best = np.full(self.count, np.inf, np.float32)
            best[mine] = to_own[order]
            which = np.zeros(self.count, np.int32)
            which[mine] = order + part.start
            better = best < central
            central[better], self.central[better] = best[better], which[better]
            yield (part.stop - part.start) * self._centres.size
        self.central = np.unique(self.central)

    def visits(self, pairs: int) -> Iterator[tuple[Nodes, Nodes]]:
        """Yield (members, visitors), of about so many pairs at most."""
        for number, members in enumerate(self._members):
            visitors = self._visitors.take(number)
            block = max(1, pairs // len(members))
            for start in range(0, len(visitors), block):
                yield members, visitors[start : start + block]

    def _find_centres(self) -> Iterator[int]:
        count = self.count
        sample = self._points[
            np.sort(self._rng.choice(len(self._points), min(len(self._points), count * _SAMPLED), False))
        ]
        self._centres = sample[np.sort(self._rng.choice(len(sample), count, False))].copy()
        for _ in range(_ROUNDS):
            nearest = np.empty(len(sample), np.intp)
            for part in _parts(len(sample)):
                nearest[part] = self._to_centres(sample[part]).argmin(axis=1)
                yield (part.stop - part.start) * self._centres.size
            order = np.argsort(nearest, kind="stable")
            used, begins, sizes = np.unique(nearest[order], return_index=True, return_counts=True)
            sums = np.add.reduceat(sample[order], begins, axis=0)
            self._centres[used] = sums / sizes[:, None].astype(np.float32)
            yield sample.size

    def _slice(self, nearest: Nodes) -> None:
        """Gather members; cut partitions that are too large; leave out empty ones."""
        order = np.argsort(nearest, kind="stable").astype(np.int32)
        begins = np.searchsorted(nearest[order], np.arange(self.count + 1))
        most = max(_ALL_PAIRS // 2, _LARGE * len(nearest) // self.count)
        self._members = []
        centres = []
        for number in range(self.count):
            members = order[begins[number] : begins[number + 1]]
            if not len(members):
                continue
            if len(members) <= most:
                self._members.append(members)
                centres.append(self._centres[number])
                continue
            points = self._points[members]
            spread = points.max(axis=0) - points.min(axis=0)
            members = members[np.argsort(points[:, int(spread.argmax())], kind="stable")]
            for some in np.array_split(members, -(-len(members) // most)):
                self._members.append(some)
                centres.append(self._points[some].mean(axis=0))
        self._centres = np.stack(centres)
        self.count = len(self._members)

    def _to_centres(self, points: Matrix) -> Matrix:
        """Return squared distances from all centres, without the points' own squares, shape (n, count)."""
        distances: Matrix = points @ self._centres.T
        distances *= -2
        distances += np.square(self._centres).sum(axis=1)
        return distances


class Buckets:
    """Items by small number, gathered part by part: no step sorts all of them.

    Parameters
    ----------
    count : int
        How many numbers there are, at most 65,536.
    """

    def __init__(self, count: int) -> None:
        self._parts: list[list[Nodes]] = [[] for _ in range(count)]

    def add(self, numbers: NDArray[np.uint16], items: Nodes) -> None:
        """Put each item where its number says."""
        order = np.argsort(numbers, kind="stable")  # by radix, for 16 bits
        ends = np.cumsum(np.bincount(numbers, minlength=len(self._parts)))
        for number, part in enumerate(np.split(items[order], ends[:-1])):
            if len(part):
                self._parts[number].append(part)

    def take(self, number: int) -> Nodes:
        """Return the items of a number, in the order in which they came, and let go of them."""
        parts, self._parts[number] = self._parts[number], []
        return np.concatenate(parts) if parts else np.empty(0, np.int32)


def _parts(count: int) -> Iterator[slice]:
    for start in range(0, count, _ROWS_AT_ONCE):
        yield slice(start, min(start + _ROWS_AT_ONCE, count))
