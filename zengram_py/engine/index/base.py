"""What every index is to its table.

An index does not hold rows or slots but *entries*. An entry is the slot that introduced the indexed values now in
force; a later version of the row that leaves them unchanged carries the same entry (a system column beside each
index) and never touches the index::

    slot              0        1        2        3
    row               r0       r1       r0       r0
    subject           "pets"   "car"    "pets"   "animals"     the index is on subject
    access_count      0        0        1        1
    entry             0        1        0        3             slot 2 changed only a counter

    index             "pets" -> 0    "car" -> 1    "animals" -> 3

So one index serves every snapshot and every branch: it answers with entries, and the reader keeps those whose visible
version carries them. A reader that wants many gives a mask over entries; a reader that wants few tests each.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..keys import Key

Entries = NDArray[np.int32]
EntryMask = NDArray[np.bool_]
Sections = dict[str, NDArray[Any]]


class Index(ABC):
    """One index structure over the entries of one table."""

    reads_keys = True
    """Whether it wants to be given keys; an index that reads its column's heap does not."""
    can_wait = False
    """Whether it answers rightly before it is built: what is not built yet is scanned."""
    work = 0
    """How much has been done to keep it in order: entries or postings moved, characters analysed, multiplications for a graph.

    The difference that a call makes says what it did, whatever machine it ran on.
    """

    def build(self, entries: Entries, keys: list[Key]) -> None:
        """Replace the content by these entries."""
        self.clear()
        self.add(entries, keys)

    @abstractmethod
    def clear(self) -> None:
        """Forget all entries."""

    @abstractmethod
    def add(self, entries: Entries, keys: list[Key]) -> None:
        """Add a batch of entries with their keys (keys.py)."""

    def add_one(self, entry: int, key: Key) -> None:
        """Add one entry."""
        self.add(np.array([entry], np.int32), [key])

    def add_later(self, entries: Entries) -> None:
        """Take note of entries whose keys it will read itself when there is time; only for one that :attr:`can_wait`."""
        raise NotImplementedError

    @abstractmethod
    def add_array(self, entries: Entries, values: NDArray[Any]) -> None:
        """Add a batch whose keys are one number each, as an array without nulls."""

    @abstractmethod
    def remove(self, entries: Entries) -> None:
        """Take entries out."""

    @abstractmethod
    def remap(self, places: NDArray[np.int32]) -> None:
        """Give entries other numbers, after a vacuum.

        Parameters
        ----------
        places : int32 array
            The new number of each entry, -1 for one that goes.
        """

    @abstractmethod
    def search(self, query: Any, mask: EntryMask | None = None) -> Entries:
        """Return the entries that answer a query, best or first ones first.

        Parameters
        ----------
        query : object
            What the kind of index understands; each class says.
        mask : bool array, optional
            Which entries count, by entry; those beyond its end do not.
        """

    @property
    def is_untidy(self) -> bool:
        """Whether :meth:`maintain` has something to do."""
        return False

    def maintain(self, budget_ms: float) -> bool:
        """Tidy up for about so many milliseconds; return whether there is more to do."""
        return False

    def finish(self) -> None:
        """Do all that :meth:`maintain` would do, now."""
        while self.is_untidy:
            self.maintain(float("inf"))

    @abstractmethod
    def save(self) -> Sections:
        """Return the arrays from which :meth:`load` restores the index."""

    @abstractmethod
    def load(self, sections: Sections) -> None:
        """Take the arrays that :meth:`save` gave.

        Raises
        ------
        ValueError
            If they do not fit together.
        """

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Bytes held."""

    @property
    def cache_bytes(self) -> int:
        """Those of the bytes held that could be dropped and made again."""
        return 0


def masked(entries: Entries, mask: EntryMask | None) -> Entries:
    """Return those of the entries that a mask keeps, in order."""
    if mask is None:
        return entries
    inside = entries[entries < len(mask)] if len(entries) and entries.max() >= len(mask) else entries
    return inside[mask[inside]]
