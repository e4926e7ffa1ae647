"""Room on Python's stack for statements that nest.

Binding, planning and running follow a statement's nesting, with some twenty calls for a level: two hundred levels of subqueries are more calls than
Python allows by default. Its limit is raised while a statement runs. What comes to the end of that, too, is refused (54001).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from .errors import error

P = ParamSpec("P")
T = TypeVar("T")

ROOM = 30_000
"""How many calls may be open in a statement."""
MAX_DEPTH = 2_000
"""How many nodes of a plan may stand below each other: each of them takes the machine's own stack, too."""


def roomy(function: Callable[P, T]) -> Callable[P, T]:
    """Return a function that runs with room on the stack."""

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        before = sys.getrecursionlimit()
        if before >= ROOM:
            return function(*args, **kwargs)
        sys.setrecursionlimit(ROOM)
        try:
            return function(*args, **kwargs)
        except RecursionError:
            raise too_deep() from None
        finally:
            sys.setrecursionlimit(before)

    return run


def too_deep() -> Exception:
    """Return the error of what nests too deeply."""
    return error("54001", "stack depth limit exceeded")
