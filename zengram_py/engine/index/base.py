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

So one index serves every snapshot and every branch: it answers with entries, and the reader keeps those whose
visible version carries them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

Entries = NDArray[np.int32]
Key = tuple[Any, ...]
Sections = dict[str, NDArray[Any]]


class Index(ABC):
    """One index structure over the entries of one table."""

    reads_keys = True
    """Whether :meth:`add` wants the keys; an index that reads its column's heap does not."""

    @abstractmethod
    def add(self, entries: Entries, keys: list[Key]) -> None:
        """Add a batch of entries with their keys (one tuple of stored values each)."""

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
