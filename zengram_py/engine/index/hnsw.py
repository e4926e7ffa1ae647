"""Graph vector index: nearly always the exact answer, from a few hundred vectors in place of all.

A neighbour graph (graph.py, graph_search.py, graph_build.py) over the first n vectors of the column's heap; those behind
them are its *tail*, scored one and all, so that what was just written is found. What either gives is scored exactly
(vectors.py) and merged::

    heap     0 ................................ n ......... end
             |          graph: beam search      |   tail: scan   |
             '--- the best ef, scored exactly --+-- the best k --'-->  the best k

Work that piles up waits for :meth:`HnswIndex.maintain`, which does it in bounded steps while the present graph and its tail
go on answering: building the first graph, linking the tail's vectors when there are some hundred, building anew when the tail
or what a vacuum took away has become a large part. CREATE INDEX does it at once.

A filter, a branch, a time in the past: to the graph all of these are the entries that count. It walks through others. Where
few count, scanning these few is cheaper than walking, and exact; how few is estimated, and a walk that takes longer than the
scan would is given up for it. So a filter costs no recall, whatever it leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from ...errors import CatalogError
from ..column import HeapColumn
from .base import Entries, Sections
from .graph import MAX_LINKS, Graph, Nodes
from .graph_build import GraphBuild, connect
from .graph_insert import insert
from .graph_search import BEAM, Found, GraphSearch, Measure, beam_for
from .graph_space import Space
from .vectors import SLACK, Candidates, Scores, VectorIndex, top, within_slack

M = 16
EF_CONSTRUCTION = 32
EF_SEARCH = 64
BUILD_FROM = {"hnsw": 256, "auto": 2048}
"""Vectors from which on there is a graph, by kind of index: below, the scan is quicker."""
TAIL_LIMIT = 512
REBUILD_SHARE = 0.2
GROWTH = 0.5
"""By which share a graph grows by linking before it is built anew: linking in an adverse order (cluster after cluster) costs recall."""
OPTIONS = ("metric", "m", "ef_construction", "ef_search", "seed")
_BOUNDS = {
    "m": (2, MAX_LINKS),
    "ef_construction": (4, 1000),
    "ef_search": (1, 10_000),
    "seed": (0, (1 << 63) - 1),
}
_SCAN_COST = 40  # times ef: a walk without a filter takes as long as scanning so many gathered vectors
_UNLIKE = 4  # times ef for inner products of unlike lengths: there the query is no point like the others
_WALK_MOST = 1.0  # a walk is given up when it has measured so many times what a scan would


class HnswIndex(VectorIndex):
    """Nearest neighbours by a graph.

    Parameters
    ----------
    column : HeapColumn
        The vector column.
    metric : str
        ``"cosine"``, ``"ip"`` or ``"l2"``.
    kind : str
        ``"hnsw"``, or ``"auto"``: a graph only where it is quicker than the scan.
    m : int
        How many neighbours a vector chooses; in all it has up to twice as many.
    ef_construction : int
        Among how many of the nearest it chooses.
    ef_search : int
        How many of the nearest a search keeps in view: more find more, and take longer. At least twice k are kept.
    seed : int
        Of all random numbers: equal vectors in equal order give equal graphs.
    """

    def __init__(
        self,
        column: HeapColumn,
        metric: str = "cosine",
        *,
        kind: str = "auto",
        m: int = M,
        ef_construction: int = EF_CONSTRUCTION,
        ef_search: int = EF_SEARCH,
        seed: int = 0,
    ) -> None:
        super().__init__(column, metric)
        check_options({"m": m, "ef_construction": ef_construction, "ef_search": ef_search, "seed": seed})
        self.build_from = BUILD_FROM[kind]
        self._m, self._ef_construction, self._ef_search, self._seed = m, ef_construction, ef_search, seed
        self._search = GraphSearch()
        self._buffer = np.empty((0, 0), np.float32)
        self.last: Found | None = None
        """What the last walk found and took; None after a scan."""
        self.graph: Graph | None = None
        self._removed = 0
        """How many vectors a vacuum took out of the graph since it was built."""
        self._linked = 0
        """How many vectors were linked to the graph since it was built."""
        self._is_connected = True
        self._work: Iterator[int] | None = None
        self._all: tuple[int, Candidates] | None = None
        self._start_rows: tuple[Nodes, NDArray[np.float32]] | None = None  # every search reads them

    # -- searching -----------------------------------------------------------------------------------------------------

    def nearest(
        self, query: NDArray[np.float32], k: int, entries: Entries | Candidates | None = None
    ) -> tuple[Entries, Scores]:
        """Return the k nearest of the given entries, best first, ties by entry (see the base class)."""
        if entries is None:
            entries = self._everything()
        candidates = entries if isinstance(entries, Candidates) else Candidates(self._column, entries)
        k = min(k, len(candidates))
        target = self.target(query)
        self.last = None
        graph = self.graph
        if graph is not None:
            candidates.cover(len(graph))
        if k <= 0 or graph is None:
            return self.best(target, k, candidates.entries, candidates.refs)
        ef = max(self._ef_search, 2 * k)
        self.update_norms()
        if self.metric == "ip" and not self.has_similar_lengths:
            ef *= _UNLIKE
        if _is_scan_cheaper(candidates, ef):
            return self.best(target, k, candidates.entries, candidates.refs)
        near = self._walk(graph, target, k, ef, candidates)
        if near is None:
            return self.best(target, k, candidates.entries, candidates.refs)
        best, scores = self.ranked(target, k, *candidates.entries_of(near))
        in_tail = _tail(graph, candidates)
        if len(in_tail):
            tail = self.best(target, k, *candidates.entries_of(in_tail))
            best, scores = top(k, np.concatenate([best, tail[0]]), np.concatenate([scores, tail[1]]))
        if len(best) < k:  # never fewer than there are, whatever the graph is like
            return self.best(target, k, candidates.entries, candidates.refs)
        return best, scores

    def near(self, query: NDArray[np.float32], k: int, candidates: Candidates) -> tuple[Entries, Scores]:
        """Return about k of the nearest entries with rough scores: the best of all that a walk measures (see the base class)."""
        self.last = None
        graph = self.graph
        if graph is None:
            return super().near(query, k, candidates)
        candidates.cover(len(graph))
        self.update_norms()
        ef = self._ef_search
        if k <= 0 or _is_scan_cheaper(candidates, ef):
            return super().near(query, k, candidates)
        target = self.target(query)
        found = self._walker(graph, target, candidates)(ef=ef, keep_seen=True)
        if found is None or found.seen is None:
            return super().near(query, k, candidates)
        self.last = found
        nodes, distances = _allowed_members(graph, candidates, *found.seen)
        if len(nodes) < min(k, candidates.distinct):
            return super().near(query, k, candidates)
        if k < len(nodes):
            best = np.argpartition(distances, k - 1)[:k]
            nodes, distances = nodes[best], distances[best]
        nodes, first = np.unique(nodes, return_index=True)  # a start may have been measured twice
        scores = -distances[first].astype(np.float64)
        if self.metric == "l2":
            scores = -np.sqrt(np.maximum(0.0, -scores))
        entries, refs = candidates.entries_of(nodes)
        scores = scores[np.searchsorted(nodes, refs)]
        in_tail = _tail(graph, candidates)
        if len(in_tail):
            late, refs = candidates.entries_of(in_tail)
            entries = np.concatenate([entries, late])
            scores = np.concatenate([scores, self._rough_scores(target, refs)])
        return entries, scores

    def _walk(
        self, graph: Graph, target: NDArray[np.float64], k: int, ef: int, candidates: Candidates
    ) -> Nodes | None:
        """Return the nodes among which the best k of the graph are, or None if a scan is the better way to know."""
        walk = self._walker(graph, target, candidates)
        while True:
            found = walk(ef=ef)
            if found is None or not len(found.nodes):
                return None
            self.last = found
            nodes, distances = _allowed_members(graph, candidates, found.nodes, found.distances)
            rough = -distances.astype(np.float64)
            if len(nodes) <= k:
                return nodes
            if self.metric == "l2":
                scale = float(np.abs(rough).max())
            else:
                scale = 1.0 if self.metric == "cosine" else float(np.linalg.norm(target)) * self.longest
            near = within_slack(rough, k, SLACK * scale)
            if len(found.nodes) < ef or len(near) < len(nodes):
                return nodes[near]
            ef *= 4  # as near as rounding up to the end of the list: there may be more of them

    def _walker(
        self, graph: Graph, target: NDArray[np.float64], candidates: Candidates
    ) -> Callable[..., Found | None]:
        """Return the search of the graph for a target among candidates: it still asks for ``ef``."""
        allowed = self._allowed(graph, candidates)
        distances_of = self._distances_from(target)
        return partial(
            self._search,
            graph,
            distances_of,
            distances_of(graph.starts),
            allowed=allowed,
            beam=BEAM if allowed is None else beam_for(_share(candidates)),
            budget=_WALK_MOST * candidates.distinct,
        )

    def _everything(self) -> Candidates:
        """Return the candidates for a search among all entries, made anew when there are more."""
        if (
            self._all is None
            or len(self._all[1].allowed) != len(self.heap)
            or self._all[0] != len(self._column)
        ):
            self._all = len(self._column), Candidates(self._column)
        return self._all[1]

    @staticmethod
    def _allowed(graph: Graph, candidates: Candidates) -> NDArray[np.bool_] | None:
        """Return which leaders count, or None for all."""
        if candidates.is_all:
            return None
        if graph.leaders is None:
            return candidates.allowed
        if candidates.view is None or candidates.view[0] is not graph or candidates.view[1] != len(graph):
            candidates.view = graph, len(graph), graph.allowed_leaders(candidates.allowed)
        found: NDArray[np.bool_] = candidates.view[2]
        return found

    def _distances_from(self, target: NDArray[np.float64]) -> Measure:
        """Return the function that gives distances from a target: minus the score (for ``"l2"``: squared)."""
        self.update_norms()
        if not self.fits_float32:
            return lambda nodes: -self._rough(target, nodes)[0]
        query = target.astype(np.float32)
        if self.metric == "l2":

            def squared(nodes: Nodes) -> NDArray[np.float32]:
                rows = self._rows(nodes) - query
                found: NDArray[np.float32] = np.einsum("ij,ij->i", rows, rows)
                return found

            return squared
        query = -query
        if self.metric == "ip" or self.has_unit_length:
            return lambda nodes: self._rows(nodes).dot(query)
        return lambda nodes: self._rows(nodes).dot(query) / self.norms_of(nodes)

    def _rows(self, nodes: Nodes) -> NDArray[np.float32]:
        """Return vectors, in memory that the next call uses again (what is fresh must be mapped first); do not write to it."""
        if self.graph is not None and nodes is self.graph.starts:
            if self._start_rows is None or self._start_rows[0] is not nodes:
                self._start_rows = nodes, self.heap.matrix[nodes]
            return self._start_rows[1]
        if len(nodes) > len(self._buffer):
            self._buffer = np.empty((max(1024, 2 * len(nodes)), self.heap.dimensions), np.float32)
        return self.heap.matrix.take(nodes, axis=0, out=self._buffer[: len(nodes)], mode="clip")

    # -- what the column tells -----------------------------------------------------------------------------------------

    def clear(self) -> None:
        """Forget norms and graph."""
        super().clear()
        self._forget_graph()

    def attach(self, column: HeapColumn) -> None:
        """Read another column from now on; the graph loses the vectors that went (:meth:`Graph.renumbered`)."""
        super().attach(column)
        graph, removed, linked, kept = self.graph, self._removed, self._linked, column.kept_refs
        self._forget_graph()
        if graph is None or kept is None:
            return
        stays = kept[: int(np.searchsorted(kept, len(graph)))]
        if len(stays) >= self.build_from // 2:
            self.graph = graph.renumbered(stays)
            self._removed, self._linked = removed + len(graph) - len(stays), linked
            self._is_connected = False

    def _forget_graph(self) -> None:
        self.graph = self._work = self._all = self._start_rows = None
        self._removed, self._linked, self._is_connected = 0, 0, True

    # -- maintenance ---------------------------------------------------------------------------------------------------

    @property
    def is_untidy(self) -> bool:
        """Whether something is being built or linked, or should be."""
        return self._work is not None or self._wanted() is not None

    def maintain(self, budget_ms: float) -> bool:
        """Build and link for about so many milliseconds, one step at least; return whether there is more to do."""
        until = perf_counter() + budget_ms / 1000
        while self.is_untidy:
            if self._work is None:
                wanted = self._wanted()
                assert wanted is not None
                self._work = {"build": self._building, "link": self._linking, "connect": self._connecting}[
                    wanted
                ]()
            cost = next(self._work, None)
            if cost is None:
                self._work = None
                continue
            self.step_cost = cost
            self.work += cost
            if perf_counter() >= until:
                break
        return self.is_untidy

    step_cost = 0
    """About how many multiplications the last step of :meth:`maintain` took."""

    def _wanted(self) -> str | None:
        count, graph = len(self.heap), self.graph
        if graph is None:
            return "build" if count >= self.build_from else None
        tail = count - len(graph)
        if tail > max(TAIL_LIMIT, REBUILD_SHARE * len(graph)):
            return "build"
        if self._removed > REBUILD_SHARE * (len(graph) + self._removed):
            return "build"
        if self._linked > GROWTH * max(0, len(graph) + self._removed - self._linked):
            return "build"
        if tail >= TAIL_LIMIT:
            return "link"
        return None if self._is_connected else "connect"

    def _building(self) -> Iterator[int]:
        build = GraphBuild(Space(self), len(self.heap), self._m, self._ef_construction, self._seed)
        yield from build.steps()
        self.graph, self._removed, self._linked, self._is_connected = build.graph, 0, 0, True

    def _linking(self) -> Iterator[int]:
        graph = self.graph
        assert graph is not None
        self._is_connected = False
        space = Space(self)
        until = len(self.heap)
        while len(graph) < until:
            cost = insert(
                graph, space, self._search, partial(self._distances_from_node, space), self._ef_construction
            )
            self._linked += 1
            yield cost

    def _connecting(self) -> Iterator[int]:
        assert self.graph is not None
        yield from connect(self.graph)
        self._is_connected = True

    def _distances_from_node(self, space: Space, node: int) -> Measure:
        """Return the function that gives distances from a vector of the column, in the graph's own space."""
        own = space.points(np.array([node], np.int32))[0]
        if self.metric != "ip":
            return (
                self._distances_from(self.target(self.heap.matrix[node]))
                if own.any()
                else lambda n: np.ones(len(n))
            )
        rest = self._distances_from(self.heap.matrix[node].astype(np.float64))
        last = float(own[-1])
        return lambda nodes: rest(nodes) / space.reach**2 - space.missing(nodes) * last

    # -- snapshots -----------------------------------------------------------------------------------------------------

    def save(self) -> Sections:
        """Return the norms and the graph."""
        out = super().save()
        if self.graph is not None:
            out |= self.graph.save()
            out["state"] = np.array([self._removed, self._is_connected, self._linked], np.int32)
        return out

    def load(self, sections: Sections) -> None:
        """Take norms and graph."""
        super().load(sections)
        self._forget_graph()
        if "links" not in sections:
            return
        state = sections["state"]
        if state.dtype != np.int32 or state.shape not in ((2,), (3,)) or state.min() < 0:
            raise ValueError("the graph's state has another form")
        self.graph = Graph.load(sections, len(self.heap))
        self._removed, self._is_connected = int(state[0]), bool(state[1])
        self._linked = int(state[2]) if len(state) > 2 else 0  # the first snapshots did not count them

    @property
    def nbytes(self) -> int:
        """Bytes of norms and graph."""
        return super().nbytes + (0 if self.graph is None else self.graph.nbytes)


def _share(candidates: Candidates) -> float:
    """Return which share of all vectors counts."""
    return candidates.distinct / max(1, len(candidates.allowed))


def _is_scan_cheaper(candidates: Candidates, ef: int) -> bool:
    """Return whether scanning the candidates takes less than a walk that keeps ``ef`` in view."""
    return candidates.distinct * _share(candidates) < _SCAN_COST * ef


def _allowed_members(
    graph: Graph, candidates: Candidates, leaders: Nodes, distances: NDArray[np.floating]
) -> tuple[Nodes, NDArray[np.floating]]:
    """Return the nodes that leaders stand for and that count, with their distances."""
    nodes = leaders
    if graph.leaders is not None:
        nodes, owners = graph.members(leaders)
        distances = distances[owners]
    if candidates.is_all:
        return nodes, distances
    kept = candidates.allowed[nodes]
    return nodes[kept], distances[kept]


def _tail(graph: Graph, candidates: Candidates) -> Nodes:
    """Return the vectors behind the graph that count."""
    return (np.flatnonzero(candidates.allowed[len(graph) :]) + len(graph)).astype(np.int32)


def check_options(options: dict[str, object]) -> None:
    """Raise :class:`~zengram_py.errors.CatalogError` unless the settings of a graph are whole numbers in their bounds."""
    for name, (low, high) in _BOUNDS.items():
        value = options.get(name, low)
        if type(value) is not int or not low <= value <= high:
            raise CatalogError(f"{name} is a whole number from {low} to {high}, not {value!r}")
