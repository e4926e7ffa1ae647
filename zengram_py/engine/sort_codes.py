"""Sort codes: numbers that lie in the order of keys, so that numpy sorts the keys of many slots at once.

Each column of a key gives one or two arrays. Numbers are their own codes, with marks before them where there are nulls; any
other value has its rank among the distinct ones of the batch, and of a batch that refers to three texts, three are read::

    scope   "/b"  "/a"  null  "/b"        importance   0.5   null   nan   0.5
    code      1     0     2     1         is null      0     1      0     0
                                          code         0.5   0      nan   0.5

Codes order entries as :func:`~zengram_py.engine.keys.sort_form` does, equal ones too: nulls last, NaN above all numbers, -0.0 equal
to 0.0. They mean nothing beside those of another batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .column import Column, FixedColumn, HeapColumn, Slots
from .heap import ValueHeap
from .keys import key_form


def have_codes(columns: Sequence[Column]) -> bool:
    """Return whether all columns have sort codes: vectors have none."""
    return all(isinstance(column, FixedColumn) or isinstance(column.heap, ValueHeap) for column in columns)


def sort_codes(columns: Sequence[Column], slots: Slots) -> list[NDArray[Any]]:
    """Return arrays by which slots lie in the order of their keys: by the first, then by the second, and so on."""
    codes: list[NDArray[Any]] = []
    for column in columns:
        if isinstance(column, HeapColumn):
            codes.append(_ranks(column, slots))
            continue
        values = column.take_array(slots)
        if column.nulls is not None:
            nulls = column.nulls[slots]
            values[nulls] = 0
            codes.append(nulls)
        codes.append(values)
    return codes


def _ranks(column: HeapColumn, slots: Slots) -> NDArray[Any]:
    """Return the rank of each slot's value among the distinct ones, that of null behind them."""
    refs, places = np.unique(column.refs[slots], return_inverse=True)
    keys = [key_form(value) for value in column.heap.take(refs)]
    known = sorted({key for key in keys if key is not None})
    rank: dict[Any, int] = {key: at for at, key in enumerate(known)}
    rank[None] = len(known)
    # The narrowest type: numpy sorts whole numbers of 16 bits by their digits.
    return np.array([rank[key] for key in keys], np.min_scalar_type(len(known)))[places]
