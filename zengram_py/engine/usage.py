"""What a database uses: figures for whoever watches a page for leaks.

What is data and what is a cache is told by the parts themselves; all of it is counted anew at each call, nothing is noted on the way.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from .allocator import live_bytes
from .growable import Growable

if TYPE_CHECKING:
    from .database import Database

_COUNTED = 1000
"""Of a longer list or dictionary so many items are counted, and the others taken to be like them."""


@dataclass(frozen=True)
class Stats:
    """What the process and one database use.

    Attributes
    ----------
    heap_bytes : int or None
        Bytes of everything that lives in Python, whoever made it (:func:`zengram_py.engine.allocator.live_bytes`).
    database_bytes : int
        Bytes of the database: columns, heaps and indexes of all its tables, with all versions of rows.
    cache_bytes : int
        Bytes of what it could drop and make again: masks, decoded values, statistics of words, joins of recall.
    versions : int
        Versions of rows, those that ended and wait for a vacuum too.
    transactions : int
        Open transactions; a cursor outside of one has its own.
    statements : int
        Prepared statements that are kept.
    """

    heap_bytes: int | None
    database_bytes: int
    cache_bytes: int
    versions: int
    transactions: int
    statements: int


def stats_of(database: Database, *, statements: int = 0, kept: int = 0, collect: bool = False) -> Stats:
    """Return what a database uses.

    Parameters
    ----------
    database : Database
        The database.
    statements : int
        Prepared statements that whoever stands on it keeps.
    kept : int
        Bytes of caches that whoever stands on it keeps.
    collect : bool
        Let Python collect its garbage first, so that ``heap_bytes`` has none in it; that takes some tens of milliseconds.
    """
    data, caches = database.bytes_held()
    if collect:
        gc.collect()
    return Stats(
        heap_bytes=live_bytes(),
        database_bytes=data,
        cache_bytes=caches + kept,
        versions=sum(len(store) for store in database.stores.values()),
        transactions=len(database.open_transactions()),
        statements=statements,
    )


def held_bytes(roots: Iterable[object], package: str) -> int:
    """Return the bytes of arrays, texts, lists and dictionaries that objects of a package hold, through each other.

    Objects of other packages are not theirs to count: a cache of facts refers to the table, which is no part of it. A thing that is held
    twice counts once, and a view of an array not at all.
    """
    return round(_held(tuple(roots), f"{package}.", set()))


def _held(thing: Any, package: str, known: set[int]) -> float:
    if id(thing) in known:
        return 0
    known.add(id(thing))
    if isinstance(thing, np.ndarray):
        return thing.nbytes if thing.flags.owndata else 0
    if isinstance(thing, Growable):
        return thing.view.nbytes
    if isinstance(thing, (str, bytes, int, float)):
        return sys.getsizeof(thing)
    if isinstance(thing, dict):
        return sys.getsizeof(thing) + _items(thing, package, known) + _items(thing.values(), package, known)
    if isinstance(thing, (list, tuple, set, frozenset)):
        return sys.getsizeof(thing) + _items(thing, package, known)
    if not type(thing).__module__.startswith(package):
        return 0
    slots = (getattr(thing, name, None) for name in getattr(type(thing), "__slots__", ()))
    return sum(_held(one, package, known) for one in (*slots, *getattr(thing, "__dict__", {}).values()))


def _items(items: Any, package: str, known: set[int]) -> float:
    counted = sum(_held(item, package, known) for item in islice(items, _COUNTED))
    return counted * max(1.0, len(items) / _COUNTED)
