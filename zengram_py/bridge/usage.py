"""What the page learns of memory: the figures of Python (:class:`zengram_py.engine.usage.Stats`) and those of the bridge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any
from weakref import WeakSet

from ..engine.allocator import memory_bytes, references
from .plain import plain

HANDLES = {
    "ZengramMemory": "memories",
    "ZetaDb": "databases",
    "ZetaTxn": "transactions",
    "ZetaCursor": "cursors",
    "Durable": "stores",
}


class PageFunction:
    """A function of the page, counted for as long as Python holds it."""

    __slots__ = ("__weakref__", "_run")

    def __init__(self, run: Any) -> None:
        self._run = run
        _functions.add(self)

    def __call__(self, text: str) -> Any:
        """Give it a text."""
        return self._run(text)


_functions: WeakSet[PageFunction] = WeakSet()


def usage_of(owner: Any, held: Iterable[Any], collect: bool = False) -> dict[str, Any]:
    """Return what ``stats`` gives to the page, but for what only JavaScript knows.

    Parameters
    ----------
    owner : ZengramMemory, ZetaDb, ZetaTxn or ZetaCursor
        Who is asked.
    held : iterable of such
        All that have a handle.
    collect : bool
        Let Python collect its garbage first.
    """
    kinds = Counter(type(one).__name__ for one in held)
    return {
        **plain(owner.stats(collect=collect)),
        "memoryBytes": memory_bytes(),
        "callbacks": len(_functions),
        "references": references(),
        "handles": {name: kinds[kind] for kind, name in HANDLES.items()},
    }
