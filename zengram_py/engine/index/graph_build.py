"""Building a neighbour graph for all vectors at once, in bounded steps.

HNSW (Malkov and Yashunin, arXiv 1603.09320) inserts vectors one by one, each after a search. Here each stage does all of
them, in blocks of matrix products, and comes to the same kind of graph::

    project      to few dimensions (graph_space.py); equal vectors get one leader
    partition    1.5 sqrt(n) centres; each vector looks for neighbours in its nearest few partitions
    measure      the best candidates by distance in all dimensions
    choose       m of them, diverse: one that is nearer to a chosen one than to the node is passed over (algorithm 4)
    reverse      each node gets links from those that chose it, the nearest m
    connect      what cannot be reached from the starts gets a link from a neighbour, or becomes a start

      . .                  .  .              a candidate c is passed over when a chosen one d is nearer to it
     node ----- d - c      node --- d        than the node is: the way to c is through d
      . .                  .  .
"""

from __future__ import annotations

from collections.abc import Generator, Iterator

import numpy as np
from numpy.typing import NDArray

from .graph import Graph, Nodes
from .graph_space import Matrix, Projection, Space, find_leaders
from .partition import Buckets, Partitions

STEP = 1 << 23
"""About how many multiplications a step takes at most."""
_TARGETS = 1024  # nodes whose reverse links are found in one step
_MOST_BUCKETS = 1 << 16
_RECONNECTED = 4  # rounds
_CLUMPED = 3  # neighbours that make a clump


class GraphBuild:
    """The building of one graph.

    Parameters
    ----------
    space : Space
        The vectors.
    count : int
        How many of them, from the first on.
    m : int
        How many neighbours a node chooses.
    candidates : int
        Among how many of the nearest.
    seed : int
        Of the random numbers.

    Attributes
    ----------
    graph : Graph
        The result, once :meth:`steps` is through.
    """

    graph: Graph

    def __init__(self, space: Space, count: int, m: int, candidates: int, seed: int) -> None:
        self._space, self._count, self._m, self._wanted = space, count, m, max(candidates, m)
        self._rng = np.random.default_rng([seed, count])

    def steps(self) -> Iterator[int]:
        """Do the work; yields after each part about how many multiplications it took."""
        projection = Projection(self._space, self._count, self._rng)
        yield from projection.steps()
        leaders = yield from find_leaders(self._space, projection.hashes)
        self._nodes: Nodes = np.flatnonzero(leaders == np.arange(self._count)).astype(np.int32)
        has_twins = len(self._nodes) < self._count
        self._points: Matrix = projection.points[self._nodes] if has_twins else projection.points
        self._squares: Matrix = np.square(self._points).sum(axis=1)
        self._k = min(self._wanted, len(self._nodes) - 1)
        yield self._points.size
        partitions = Partitions(self._points, self._squares, self._rng)
        yield from partitions.steps()
        yield from self._neighbours(partitions)
        if projection.is_exact:
            self._far += self._squares[:, None]
        else:
            yield from self._measure()
        clumps = yield from self._clumps()
        yield from self._choose()
        yield from self._reverse()
        # What was found by position among the leaders becomes vectors' numbers.
        links = np.repeat(np.arange(self._count, dtype=np.int32)[:, None], 2 * self._m, axis=1)
        links[self._nodes] = self._nodes[self._links]
        self.graph = Graph(
            links, self._nodes[np.union1d(partitions.central, clumps)], leaders if has_twins else None
        )
        yield links.size
        yield from connect(self.graph)

    # -- candidates ----------------------------------------------------------------------------------------------------

    def _neighbours(self, partitions: Partitions) -> Iterator[int]:
        """Find the nearest of each point within its partitions."""
        count, dimensions = self._points.shape
        k = self._k
        self._found = np.full((count, k), -1, np.int32)
        self._far = np.full((count, k), np.inf, np.float32)
        if not k:
            return
        for members, visitors in partitions.visits(STEP // (dimensions + 2 * k)):
            distances = self._points[visitors] @ self._points[members].T
            distances *= -2
            distances += self._squares[members]
            distances[members == visitors[:, None]] = np.inf
            both = np.concatenate([self._far[visitors], distances], axis=1)
            at = np.argpartition(both, k - 1, axis=1)[:, :k]
            known = np.take_along_axis(self._found[visitors], np.minimum(at, k - 1), 1)
            self._found[visitors] = np.where(at < k, known, members[np.maximum(at - k, 0)])
            self._far[visitors] = np.take_along_axis(both, at, 1)
            yield len(members) * len(visitors) * dimensions
        block = max(1, (STEP >> 6) // k)
        for start in range(0, count, block):
            part = slice(start, start + block)
            self._keep(part, self._found[part], self._far[part])
            yield STEP

    def _keep(self, part: slice, found: Nodes, far: Matrix) -> None:
        """Keep the best k, nearest first. A place without a candidate holds -1 and is infinitely far."""
        k = self._k
        if found.shape[1] > k:
            at = np.argpartition(far, k - 1, axis=1)[:, :k]
            far, found = np.take_along_axis(far, at, 1), np.take_along_axis(found, at, 1)
        order = np.argsort(far, axis=1)
        far, found = np.take_along_axis(far, order, 1), np.take_along_axis(found, order, 1)
        self._far[part], self._found[part] = far, np.where(np.isinf(far), -1, found)

    def _measure(self) -> Iterator[int]:
        """Measure the candidates in all dimensions."""
        count, k = self._found.shape
        dimensions = self._space.dimensions
        block = max(1, (STEP >> 4) // (max(1, k) * dimensions))
        for start in range(0, count if k else 0, block):
            part = slice(start, min(start + block, count))
            found = self._found[part]
            own = self._space.points(self._nodes[part])
            points = self._space.points(self._nodes[found])
            far = 2 - 2 * np.matmul(points, own[:, :, None])[:, :, 0]
            if not self._space.is_spherical:
                far += np.square(points).sum(axis=2) + np.square(own).sum(axis=1)[:, None] - 2
            far[found < 0] = np.inf
            order = np.argsort(far, axis=1)
            self._far[part] = np.take_along_axis(far, order, 1)
            self._found[part] = np.take_along_axis(found, order, 1)
            yield far.size * dimensions

    def _clumps(self) -> Generator[int, None, Nodes]:
        """Return one node of each clump: of what hangs together when each is joined with its nearest few.

        Where vectors lie in tight clumps, links hardly lead from one to the other, and the way between them has no
        direction. So a search can begin in each. Vectors without clumps are one.
        """
        count = len(self._found)
        near = self._found[:, :_CLUMPED]
        near = np.where(near < 0, np.arange(count, dtype=np.int32)[:, None], near)
        label = np.arange(count, dtype=np.int32)
        while near.size:
            least = np.minimum(label, label[near].min(axis=1))
            yield near.size
            np.minimum.at(least, near.ravel(), np.repeat(least, near.shape[1]))
            least = least[least]
            yield near.size
            if np.array_equal(least, label):
                break
            label = least
        return np.unique(label)

    # -- links ---------------------------------------------------------------------------------------------------------

    def _choose(self) -> Iterator[int]:
        """Choose m diverse neighbours of each node, then the nearest of the others."""
        count, dimensions = self._points.shape
        m, k = self._m, self._k
        own = np.arange(count, dtype=np.int32)[:, None]
        self._links: Nodes = np.repeat(own, 2 * m, axis=1)
        self._chosen_far = np.full((count, m), np.inf, np.float32)
        block = max(1, STEP // (max(1, k) * max(1, k) * dimensions))
        for start in range(0, count if k else 0, block):
            part = slice(start, min(start + block, count))
            found, far = self._found[part], self._far[part]
            keep = diverse(self._points[found], self._far_between(part), found >= 0, m)
            order = np.argsort(~keep, axis=1, kind="stable")[:, :m]
            links = np.take_along_axis(found, order, 1)
            self._links[part, : order.shape[1]] = np.where(links < 0, own[part], links)
            self._chosen_far[part, : order.shape[1]] = np.take_along_axis(far, order, 1)
            yield found.size * k * dimensions
        del self._found, self._far

    def _far_between(self, part: slice) -> Matrix:
        """Return the distances of candidates from their nodes in the projection, shape (b, k)."""
        points, own = self._points[self._found[part]], self._points[part]
        far: Matrix = np.square(points - own[:, None, :]).sum(axis=2)
        return far

    def _reverse(self) -> Iterator[int]:
        """Link each node to those that chose it: the nearest m that it did not choose itself."""
        count, m = len(self._links), self._m
        width = max(_TARGETS, -(-count // _MOST_BUCKETS))
        buckets = Buckets(-(-count // width))
        for start in range(0, count, _TARGETS):
            targets = self._links[start : start + _TARGETS, :m].ravel()
            edges = np.arange(start * m, start * m + len(targets), dtype=np.int32)
            buckets.add((targets // width).astype(np.uint16), edges)
            yield STEP
        far = self._chosen_far.ravel()
        for bucket in range(-(-count // width)):
            edges = buckets.take(bucket)
            sources = (edges // m).astype(np.int32)
            targets = self._links[sources, edges % m]
            keep = sources != targets
            keep &= (self._links[targets, :m] != sources[:, None]).all(axis=1)
            edges, sources, targets = edges[keep], sources[keep], targets[keep]
            order = np.lexsort((far[edges], targets))
            sources, targets = sources[order], targets[order]
            place = np.arange(len(targets)) - np.searchsorted(targets, targets)
            fits = place < m
            self._links[targets[fits], m + place[fits]] = sources[fits]
            yield STEP


def diverse(points: Matrix, far: Matrix, present: NDArray[np.bool_], m: int) -> NDArray[np.bool_]:
    """Return which candidates to choose, at most m of each node (arXiv 1603.09320, algorithm 4).

    Parameters
    ----------
    points : float32 array of shape (b, k, p)
        The candidates of b nodes, nearest first.
    far : float32 array of shape (b, k)
        Squared distances from their nodes.
    present : bool array of shape (b, k)
        Which of the candidates there are.
    m : int
        How many to choose.
    """
    squares = np.square(points).sum(axis=2)
    between = np.matmul(points, points.transpose(0, 2, 1))
    between *= -2
    between += squares[:, :, None]
    between += squares[:, None, :]
    keep = np.zeros(far.shape, bool)
    blocked = ~present
    count = np.zeros(len(far), np.intp)
    # covers[b, i, j]: candidate j is nearer to candidate i than to the node
    covers = between < far[:, None, :]
    for i in range(far.shape[1]):
        ok = ~blocked[:, i] & (count < m)
        keep[:, i] = ok
        count += ok
        blocked |= covers[:, i, :] & ok[:, None]
    return keep


def connect(graph: Graph) -> Iterator[int]:
    """Make every leader reachable from the starts, in parts."""
    m = graph.chosen
    for round_ in range(_RECONNECTED + 1):
        missed = yield from graph.unreached()
        lost = np.flatnonzero(missed).astype(np.int32)
        if not len(lost):
            return
        if round_ == _RECONNECTED:
            break
        # A lost node has neighbours that are not lost: the nearest of them gets a link to it.
        near = graph.links[lost]
        is_found = ~missed[near] & (near != lost[:, None])
        has = is_found.any(axis=1)
        lost, host = lost[has], near[has, is_found[has].argmax(axis=1)]
        if len(lost):
            order = np.argsort(host, kind="stable")
            lost, host = lost[order], host[order]
            turn = np.arange(len(host)) - np.searchsorted(host, host)
            fits = turn < m
            graph.writable_links()[host[fits], 2 * m - 1 - turn[fits]] = lost[fits]
        else:
            break
        yield STEP
    yield from _start_at(graph, lost)


def _start_at(graph: Graph, lost: Nodes) -> Iterator[int]:
    """Make starts of lost nodes until all can be reached."""
    reached = np.ones(len(graph), bool)
    reached[lost] = False
    starts = []
    for node in lost.tolist():
        if reached[node]:
            continue
        starts.append(node)
        reached[node] = True
        front = np.array([node], np.int32)
        while len(front):
            found = graph.links[front].ravel()
            front = np.unique(found[~reached[found]])
            reached[front] = True
        yield STEP
    graph.starts = np.concatenate([graph.starts, np.array(starts, np.int32)])
