"""Sorted rows: where partitions begin and end, and which rows are peers (equal in the order)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from ..aggregates.parts import Places
from ..column import Column, Mask
from ..ordering import factorise


class SortedRows:
    """Rows in the order of a window.

    Parameters
    ----------
    partition, order : sequence of Column
        The keys, sorted. Without an order all rows of a partition are peers.
    count : int
        How many rows.
    """

    def __init__(self, partition: Sequence[Column], order: Sequence[Column], count: int) -> None:
        self.count = count
        self.rows = np.arange(count)
        self._order = order
        self._new_partition = _begins(partition, count)

    @cached_property
    def _bounds(self) -> Places:
        return np.append(np.flatnonzero(self._new_partition), self.count)

    @cached_property
    def _partition(self) -> Places:
        return np.cumsum(self._new_partition) - 1

    @cached_property
    def starts(self) -> Places:
        """For each row where its partition begins."""
        return self._bounds[self._partition]

    @cached_property
    def ends(self) -> Places:
        """For each row where its partition ends, behind its last row."""
        return self._bounds[self._partition + 1]

    @cached_property
    def sizes(self) -> Places:
        """For each row how many its partition has."""
        return self.ends - self.starts

    @cached_property
    def _new_peers(self) -> Mask:
        return self._new_partition | _begins(self._order, self.count)

    @cached_property
    def peers(self) -> Places:
        """For each row the number of its group of peers, counted through all partitions from 0 on."""
        return np.cumsum(self._new_peers) - 1

    @cached_property
    def peer_bounds(self) -> Places:
        """Where each group of peers begins; and, as the last, how many rows there are."""
        return np.append(np.flatnonzero(self._new_peers), self.count)

    @property
    def peer_starts(self) -> Places:
        """For each row where its peers begin."""
        return self.peer_bounds[self.peers]

    @property
    def peer_ends(self) -> Places:
        """For each row where its peers end."""
        return self.peer_bounds[self.peers + 1]


def _begins(columns: Sequence[Column], count: int) -> Mask:
    """Return which rows differ from the one before; the first does."""
    found = np.zeros(count, bool)
    found[:1] = True
    for column in columns:
        if column.is_constant:
            continue
        if column.codes is None and column.values.dtype != object:
            found[1:] |= _differs(column)
        else:
            codes, _ = factorise([column], count)
            found[1:] |= codes[1:] != codes[:-1]
    return found


def _differs(column: Column) -> Mask:
    values, nulls = column.values, column.nulls
    found: Mask = values[1:] != values[:-1]
    if values.dtype.kind == "f":
        is_nan = np.isnan(values)
        found &= ~(is_nan[1:] & is_nan[:-1])
    if nulls is not None:
        found = np.where(nulls[1:] | nulls[:-1], nulls[1:] != nulls[:-1], found)
    return found
