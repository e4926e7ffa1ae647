"""Inserting one vector into a neighbour graph.

As in HNSW (Malkov and Yashunin, arXiv 1603.09320, algorithm 1): search the nearest, choose diverse ones of them, link both
ways. Where a neighbour's places are all taken, the farthest of those that chose it makes room; the nodes that a node chose
itself stay, so that the diversity that they were chosen for stays too::

    neighbour    chosen          chosen by
                 a  b  c  d      e  f  g  h      h is farther than the new one: the new one takes its place
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .graph import Graph, Nodes
from .graph_build import diverse
from .graph_search import GraphSearch, Measure
from .graph_space import Matrix, Space

_CHOSEN_AMONG = 32


def insert(
    graph: Graph, space: Space, search: GraphSearch, measure_from: Callable[[int], Measure], ef: int
) -> int:
    """Add the vector behind the graph's last one; return about how many multiplications it took.

    Parameters
    ----------
    graph : Graph
        Where.
    space : Space
        Its vectors.
    search : GraphSearch
        The graph's.
    measure_from : callable
        Gives the function that measures distances from a vector.
    ef : int
        How many near ones to find.
    """
    new = len(graph)
    measure = measure_from(new)
    found = search(graph, measure, measure(graph.starts), ef)
    assert found is not None
    nodes = found.nodes[:_CHOSEN_AMONG]
    own = space.points(np.array([new], np.int32))[0]
    points = space.points(nodes)
    equal = np.flatnonzero((points == own).all(axis=1))
    if len(equal):
        graph.append(int(nodes[equal[0]]))
        return (found.measured + len(nodes)) * space.dimensions
    graph.append()
    links, m = graph.writable_links(), graph.chosen
    far = np.square(points - own).sum(axis=1)
    order = far.argsort(kind="stable")
    nodes, points, far = nodes[order], points[order], far[order]
    keep = diverse(points[None], far[None], np.ones((1, len(nodes)), bool), m)[0]
    order = np.argsort(~keep, kind="stable")[:m]
    nodes, points, far = nodes[order], points[order], far[order]
    links[new, : len(nodes)] = nodes
    _link_back(links, space, new, nodes, points, far)
    return (found.measured + _CHOSEN_AMONG * len(points) + len(nodes) * m) * space.dimensions


def _link_back(links: Nodes, space: Space, new: int, nodes: Nodes, points: Matrix, far: Matrix) -> None:
    """Link neighbours to the new node where there is room, or one that is farther."""
    m = links.shape[1] // 2
    others = links[nodes, m:]
    away = np.square(space.points(others) - points[:, None, :]).sum(axis=2)
    away[others == nodes[:, None]] = np.inf  # a free place
    place = away.argmax(axis=1)
    takes = far < away[np.arange(len(nodes)), place]
    takes[far.argmin()] = True  # at least one link leads to it
    links[nodes[takes], m + place[takes]] = new
