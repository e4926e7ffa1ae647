"""Ranks of rows that are not there: ``rank(3) within group (order by x)`` is where a 3 would stand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..column import Column, Mask, concatenate
from ..grouping import Groups, distinct_rows
from ..ordering import rank
from .parts import Parts
from .reduction import Call, aggregate


@aggregate("rank", keeps_nulls=0)
def _rank(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    before, _ = _compared(parts, columns, call)
    return Column(call.result, parts.total(before.astype(np.int64)) + 1)


@aggregate("dense_rank", keeps_nulls=0)
def _dense_rank(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    assert isinstance(parts, Groups)
    before, _ = _compared(parts, columns, call)
    kept = parts.at(before)
    different = distinct_rows(kept, [c.take(before) for c in columns])
    return Column(call.result, kept.at(different).sizes + 1)


@aggregate("percent_rank", keeps_nulls=0)
def _percent_rank(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    before, _ = _compared(parts, columns, call)
    return Column(call.result, parts.total(before.astype(np.int64)) / np.maximum(parts.sizes, 1))


@aggregate("cume_dist", keeps_nulls=0)
def _cume_dist(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    before, equal = _compared(parts, columns, call)
    return Column(call.result, (parts.total((before | equal).astype(np.int64)) + 1) / (parts.sizes + 1))


def _compared(parts: Parts, columns: Sequence[Column], call: Call) -> tuple[Mask, Mask]:
    """Return which rows come before their group's row that is not there, and which are equal to it."""
    assert isinstance(parts, Groups)
    before, equal = np.zeros(parts.rows, bool), np.ones(parts.rows, bool)
    for column, direct, down, first in zip(
        columns, call.direct, call.descending, call.nulls_first, strict=True
    ):
        both = concatenate([column, direct.expanded(parts.count).as_type(column.type)])
        _, numbers = np.unique(rank(both), return_inverse=True)
        numbers = -numbers if down else numbers
        if both.nulls is not None:
            numbers = np.where(both.nulls, -len(both) if first else len(both), numbers)
        row, wanted = numbers[: parts.rows], numbers[parts.rows :][parts.codes]
        before |= equal & (row < wanted)
        equal &= row == wanted
    return before, equal
