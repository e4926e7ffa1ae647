"""Search in a neighbour graph, many nodes at a time.

The search of HNSW's base layer (Malkov and Yashunin, arXiv 1603.09320, algorithm 2) with a beam: a step does not expand
the one nearest open node of the list but the nearest twelve, for numpy costs about the same for either, and in WebAssembly
several microseconds a call::

    list, by distance     a  b  c  d  e  f  ...  (ef nodes)      open: b d e
    step:  gather the links of the nearest open ones             b d e -> 96 numbers
           drop what was seen, and doubles                       61 numbers
           one product for their distances                       61 distances
           merge, sort, cut to ef                                until no node of the list is open

Seen nodes are told by stamps, one int64 a node. Each position of each step has a number of its own, larger than any
before: a stamp from before the search began means "not seen", and of equal numbers in one gather only the last finds its
own stamp again. So one array does for both, and is never cleared.

With a filter, nodes that it rejects are walked through but do not count: the list is cut behind the ef-th allowed node. It
grows by the inverse of the filter's share, and a search that has come to know more nodes than its budget gives up: the exact
scan is cheaper then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .graph import Graph, Nodes

BEAM = 12
_MOST_AT_ONCE = 128

Distances = NDArray[np.float32]
Measure = Callable[[Nodes], NDArray[np.floating]]
"""Gives the distance of each of some nodes from what is looked for: smaller is nearer."""


class Found(NamedTuple):
    """What a search found.

    Attributes
    ----------
    nodes : int32 array of shape (m,), m <= ef
        Allowed leaders, nearest first.
    distances : float array of shape (m,)
        Theirs.
    steps, measured : int
        How many steps it took and how many distances.
    seen : (int32 array, float array)
        All nodes that were measured, allowed or not, with their distances, if they were wanted. A start may be there twice.
    """

    nodes: Nodes
    distances: NDArray[np.floating]
    steps: int
    measured: int
    seen: tuple[Nodes, NDArray[np.floating]] | None = None


class GraphSearch:
    """The state that searches of one graph share: the stamps."""

    def __init__(self) -> None:
        self._stamps: NDArray[np.int64] = np.zeros(0, np.int64)
        self._clock = 1
        self._count = np.arange(0)

    def __call__(
        self,
        graph: Graph,
        measure: Measure,
        start_distances: NDArray[np.floating],
        ef: int,
        allowed: NDArray[np.bool_] | None = None,
        *,
        beam: int = BEAM,
        budget: float = float("inf"),
        keep_seen: bool = False,
    ) -> Found | None:
        """Return the (about) ef nearest allowed nodes, or None if that would measure more nodes than the budget.

        Parameters
        ----------
        graph : Graph
            Where.
        measure : callable
            Gives distances of nodes.
        start_distances : float array of shape (starts,)
            Those of the graph's starts.
        ef : int
            Length of the list.
        allowed : bool array of shape (n,), optional
            Which nodes count.
        beam : int
            How many nodes a step expands.
        budget : float
            How many distances to measure at most.
        keep_seen : bool
            Whether all that was measured is wanted, too.
        """
        links = graph.links
        if len(self._stamps) < len(links):
            self._stamps = np.zeros(len(links) + (len(links) >> 3) + 16, np.int64)
        stamps = self._stamps
        began = clock = self._clock
        first = start_distances.argsort()[: 2 * beam]
        # A node that was expanded is in the list as its complement, ~n: a negative number.
        nodes, distances = graph.starts[first], start_distances[first]
        stamps[nodes] = clock
        clock += 1
        steps, measured = 0, len(start_distances)
        worst = np.inf
        seen = [(graph.starts, start_distances)]
        while True:
            open_at = (nodes >= 0).nonzero()[0][:beam]
            if not len(open_at):
                break
            steps += 1
            expanded = nodes[open_at]
            nodes[open_at] = ~expanded
            found = links[expanded].ravel()
            found = found[stamps[found] < began]
            if not len(found):
                continue
            if len(found) > len(self._count):
                self._count = np.arange(max(4096, 2 * len(found)))
            marks = self._count[: len(found)] + clock
            clock += len(found)
            stamps[found] = marks
            found = found[stamps[found] == marks]
            measured += len(found)
            if measured > budget:
                self._clock = clock
                return None
            new = measure(found)
            if keep_seen:
                seen.append((found, new))
            if worst < np.inf:
                near = new < worst
                found, new = found[near], new[near]
                if not len(found):
                    continue
            nodes = np.concatenate((nodes, found))
            distances = np.concatenate((distances, new))
            order = distances.argsort()
            if allowed is None:
                order = order[:ef]
                is_full = len(order) == ef
            else:
                sorted_nodes = nodes[order]
                counted = allowed[np.maximum(sorted_nodes, ~sorted_nodes)].cumsum()
                is_full = bool(counted[-1] >= ef)
                if is_full:
                    order = order[: int(counted.searchsorted(ef)) + 1]
            nodes, distances = nodes[order], distances[order]
            if is_full:
                worst = distances[-1]
        self._clock = clock
        nodes = np.maximum(nodes, ~nodes)
        order = distances.argsort(kind="stable")
        nodes, distances = nodes[order], distances[order]
        if allowed is not None:
            keep = allowed[nodes]
            nodes, distances = nodes[keep], distances[keep]
        all_seen = None
        if keep_seen:
            all_seen = np.concatenate([n for n, _ in seen]), np.concatenate([d for _, d in seen])
        return Found(nodes[:ef], distances[:ef], steps, measured, all_seen)


def beam_for(share: float) -> int:
    """Return how many nodes to expand at once when a filter leaves this share of the nodes."""
    return int(min(_MOST_AT_ONCE, max(BEAM, round(BEAM / max(share, 1e-9)))))
