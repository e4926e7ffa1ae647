"""Numbers of rows in their partition: ``row_number``, ``rank``, ``ntile`` and their kin."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...errors import error
from ...types import SqlType
from ..column import Array, Column, dtype_of
from .layout import SortedRows

_NUMBERS: dict[str, Callable[[SortedRows], Array]] = {
    "row_number": lambda rows: rows.rows - rows.starts + 1,
    "rank": lambda rows: rows.peer_starts - rows.starts + 1,
    "dense_rank": lambda rows: rows.peers - rows.peers[rows.starts] + 1,
    "percent_rank": lambda rows: (rows.peer_starts - rows.starts) / np.maximum(rows.sizes - 1, 1),
    "cume_dist": lambda rows: (rows.peer_ends - rows.starts) / rows.sizes,
}


def ranked(name: str, result: SqlType, rows: SortedRows, arguments: Sequence[Column]) -> Column | None:
    """Return the numbers that a function gives rows; None if it is none of these."""
    if name == "ntile":
        return _ntile(result, rows, arguments[0])
    found = _NUMBERS.get(name)
    return None if found is None else Column(result, found(rows).astype(dtype_of(result), copy=False))


def _ntile(result: SqlType, rows: SortedRows, argument: Column) -> Column:
    """Return the number of the part in which a row is, when its partition is cut into parts of almost one size."""
    known = np.flatnonzero(~argument.is_null(rows.count))
    if not len(known):
        return Column(result, np.zeros(rows.count, np.int32), np.ones(rows.count, bool))
    # The first row with a number says how many parts there are.
    place = np.append(known, rows.count)[np.searchsorted(known, rows.starts)]
    nulls = rows.rows < np.minimum(place, rows.ends)
    count = argument.expanded(rows.count).values[np.minimum(place, rows.count - 1)].astype(np.int64)
    if (count[~nulls] <= 0).any():
        raise error("22014", "argument of ntile must be greater than zero")
    count = np.where(nulls, 1, count)
    number = rows.rows - place
    small, greater = rows.sizes // count, rows.sizes % count
    within = number < greater * (small + 1)
    found = np.where(
        within,
        number // (small + 1),
        greater + (number - greater * (small + 1)) // np.maximum(small, 1),
    )
    return Column(result, (found + 1).astype(np.int32), nulls if nulls.any() else None)
