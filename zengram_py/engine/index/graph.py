"""The neighbour graph of vectors: links, entry points, twins.

Nodes are references into a column's heap, 0..n-1: nothing maps one to the other. A row of ``links`` has ``2 m`` places: m for
the neighbours that the node chose, m for nodes that chose it. A place that is not used holds the node's own number: a
search has always seen that one already, so nothing needs to filter it out::

    links    chosen            chosen by
    0        3  1  7  4        3  1  0  0        0 chose 4, but 4 has nearer ones that chose it
    1        0  3  2  5        0  2  3  1
    2        2  2  2  2        2  2  2  2        equal to 0: leaders[2] = 0

Equal vectors would be each other's only neighbours. One of them, the *leader*, is in the graph for all of them, and a
search that comes to it has come to its *twins*.

There are no layers. A search begins at the nearest of some hundred *starts*, the nodes nearest to the centres of as many
partitions, which one small product finds; every node can be reached from them (:meth:`Graph.unreached`).
"""

from __future__ import annotations

from collections.abc import Generator

import numpy as np
from numpy.typing import NDArray

from ...text.postings import repeat
from ..growable import Growable
from .base import Sections

Nodes = NDArray[np.int32]
MAX_LINKS = 128
"""The most neighbours that a node may choose."""


class Graph:
    """Links between the vectors of one column.

    Parameters
    ----------
    links : int32 array of shape (n, 2 m)
        The neighbours of each node.
    starts : int32 array of shape (s,)
        Where searches begin.
    leaders : int32 array of shape (n,), optional
        The leader of each node: itself, or the node with an equal vector that stands for it.
    """

    def __init__(self, links: Nodes, starts: Nodes, leaders: Nodes | None = None) -> None:
        self._links: Growable[np.int32] = Growable(np.int32, (links.shape[1],), links)
        self.starts = starts
        self._leaders: Growable[np.int32] | None = None
        if leaders is not None:
            self._leaders = Growable(np.int32, (), leaders)
        self._members: tuple[Nodes, NDArray[np.int64]] | None = None
        self._is_shared = False

    def __len__(self) -> int:
        return len(self._links)

    @property
    def links(self) -> Nodes:
        """The neighbours of each node, shape (n, 2 m). A view: do not write to it (:meth:`writable_links`)."""
        return self._links.view

    @property
    def chosen(self) -> int:
        """How many neighbours a node chooses: m."""
        return int(self.links.shape[1]) // 2

    @property
    def leaders(self) -> Nodes | None:
        """The leader of each node, or None where every node is its own."""
        return None if self._leaders is None else self._leaders.view

    def writable_links(self) -> Nodes:
        """Return the links for changing in place; what a snapshot was given is copied first."""
        if self._is_shared:
            self._links.replace(self._links.view.copy())
            self._is_shared = False
        return self._links.writable()

    # -- twins ---------------------------------------------------------------------------------------------------------

    def members(self, leaders: Nodes) -> tuple[Nodes, NDArray[np.intp]]:
        """Return the nodes that these leaders stand for, themselves too, and the position of the leader of each."""
        if self._leaders is None:
            return leaders, np.arange(len(leaders))
        if self._members is None:
            order = np.argsort(self._leaders.view, kind="stable").astype(np.int32)
            begins = np.searchsorted(self._leaders.view[order], np.arange(len(self) + 1))
            self._members = order, begins
        order, begins = self._members
        counts = begins[leaders + 1] - begins[leaders]
        owners = repeat(np.arange(len(leaders)), counts)
        ends = np.cumsum(counts)
        places = np.arange(len(owners)) + repeat(begins[leaders] - (ends - counts), counts)
        return order[places], owners

    def allowed_leaders(self, allowed: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which nodes stand for an allowed one, given which of the column's vectors are allowed."""
        if self._leaders is None:
            return allowed
        found = np.zeros(len(self), bool)
        found[self._leaders.view[allowed[: len(self)]]] = True
        return found

    # -- growing -------------------------------------------------------------------------------------------------------

    def append(self, leader: int | None = None) -> int:
        """Add a node without links, for itself or as a twin of a leader; return its number."""
        node = len(self)
        if self._is_shared:
            self.writable_links()
        self._links.append(np.full(self.links.shape[1], node, np.int32))
        if leader is not None and self._leaders is None:
            self._leaders = Growable(np.int32, (), np.arange(node, dtype=np.int32))
        if self._leaders is not None:
            self._leaders.append(node if leader is None else leader)
            self._members = None
        return node

    # -- reachability --------------------------------------------------------------------------------------------------

    def unreached(self) -> Generator[int, None, NDArray[np.bool_]]:
        """Walk from the starts along all links; return which leaders were not reached. Yields between parts."""
        links = self.links
        reached = np.zeros(len(links), bool)
        reached[self.starts] = True
        waiting = [self.starts]
        while waiting:
            front = waiting.pop()
            if len(front) > _WALKED_AT_ONCE:
                waiting.append(front[_WALKED_AT_ONCE:])
                front = front[:_WALKED_AT_ONCE]
            found = links[front].ravel()
            found = found[~reached[found]]
            if len(found):
                reached[found] = True
                waiting.append(np.unique(found))
            yield _WALKED_AT_ONCE * links.shape[1]
        missed = ~reached
        if self._leaders is not None:
            missed &= self._leaders.view == np.arange(len(links), dtype=np.int32)
        return missed

    # -- a vacuum ------------------------------------------------------------------------------------------------------

    def renumbered(self, kept: Nodes) -> Graph:
        """Return the graph of only some nodes, in their new order.

        Where a neighbour went, the nearest neighbour of it that stays takes its place. The starts that went are replaced
        in the same way; new ones may be wanted (:meth:`unreached`).

        Parameters
        ----------
        kept : int32 array of shape (p,), ascending
            The nodes that stay.
        """
        count = len(self)
        place = np.full(count, -1, np.int32)
        place[kept] = np.arange(len(kept), dtype=np.int32)
        old, leaders = self.links, self._heirs(place, kept)
        direct = place if leaders is None else place[leaders]  # a leader that went has an heir
        gone = np.flatnonzero(direct < 0)
        substitute = direct.copy()
        for column in range(old.shape[1] - 1, -1, -1):  # the first place that stays is written last
            there = direct[old[gone, column]]
            substitute[gone] = np.where(there >= 0, there, substitute[gone])
        sources = kept
        new_leaders = None
        if leaders is not None:
            new_leaders = place[leaders[kept]]
            assert self._leaders is not None
            was = self._leaders.view[kept]
            sources = np.where(new_leaders == np.arange(len(kept)), was, kept)
        links = substitute[old[sources]]
        own = np.arange(len(kept), dtype=np.int32)[:, None]
        links = np.where(links < 0, own, links)
        starts = substitute[self.starts]
        starts = np.unique(starts[starts >= 0])
        if not len(starts) and len(kept):
            starts = np.zeros(1, np.int32) if new_leaders is None else new_leaders[:1].copy()
        return Graph(links.astype(np.int32), starts.astype(np.int32), new_leaders)

    def _heirs(self, place: Nodes, kept: Nodes) -> Nodes | None:
        """Return the leader of each node when only some stay: the first kept twin leads where the leader goes."""
        if self._leaders is None:
            return None
        leaders = self._leaders.view
        heir = np.arange(len(leaders), dtype=np.int32)
        heir[leaders[kept[::-1]]] = kept[::-1]
        stays = place[leaders] >= 0
        return np.where(stays, leaders, heir[leaders])

    # -- snapshots -----------------------------------------------------------------------------------------------------

    def save(self) -> Sections:
        """Return the arrays from which :meth:`load` makes the graph; they are not written to any more."""
        self._is_shared = True
        out: Sections = {"links": self.links, "starts": self.starts}
        if self._leaders is not None:
            out["leaders"] = self._leaders.view
        return out

    @classmethod
    def load(cls, sections: Sections, vectors: int) -> Graph:
        """Make the graph that :meth:`save` gave, for a column of so many vectors.

        Raises
        ------
        ValueError
            If the arrays do not hold a graph of these vectors.
        """
        links, starts = sections["links"], sections["starts"]
        if links.dtype != np.int32 or links.ndim != 2 or links.shape[1] % 2:
            raise ValueError("links have another form")
        count, width = links.shape
        if not 2 <= width <= 2 * MAX_LINKS or count > vectors:
            raise ValueError("links do not fit the vectors")
        _check_nodes("links", links, count)
        if starts.dtype != np.int32 or starts.ndim != 1 or (count and not len(starts)) or len(starts) > count:
            raise ValueError("starts have another form")
        _check_nodes("starts", starts, count)
        leaders = sections.get("leaders")
        if leaders is not None:
            if leaders.dtype != np.int32 or leaders.shape != (count,):
                raise ValueError("leaders have another form")
            _check_nodes("leaders", leaders, count)
            if (leaders[leaders] != leaders).any():
                raise ValueError("a leader has a leader")
        return cls(links, starts, leaders)

    @property
    def nbytes(self) -> int:
        """Bytes of links, starts and leaders."""
        return self.links.nbytes + self.starts.nbytes + (0 if self.leaders is None else self.leaders.nbytes)


_WALKED_AT_ONCE = 4096


def _check_nodes(what: str, nodes: Nodes, count: int) -> None:
    if nodes.size and (int(nodes.min()) < 0 or int(nodes.max()) >= count):
        raise ValueError(f"{what} point outside")
