"""Walks from a node of a graph, nearest nodes first.

::

    a ──▶ b ──▶ d         from a, depth 1:  b c          each node once, by the shortest way, and never the one
    └──▶ c ──▶ d ──▶ a               2:  b c d          where the walk began; so walks over cycles end
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Step = TypeVar("Step")


def nearest_first(
    start: str, depth: int, steps: Callable[[str], Iterable[tuple[str, Step]]]
) -> Iterator[tuple[int, str, str, Step]]:
    """Yield the nodes that can be reached from a node: how many steps away, from which node, the node, and the step.

    Parameters
    ----------
    start : str
        Where to begin.
    depth : int
        How many steps to go at most.
    steps : callable
        The nodes beside a node, each with what is to be told of the way there, in the order in which they are wanted.
    """
    met = {start}
    front = [start]
    for at in range(1, depth + 1):
        reached = []
        for node in front:
            for other, step in steps(node):
                if other not in met:
                    met.add(other)
                    reached.append(other)
                    yield at, node, other, step
        if not reached:
            return
        front = reached
