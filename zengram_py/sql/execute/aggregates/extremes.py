"""``min`` and ``max`` of all types that have an order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..column import Array, Column
from ..grouping import Groups
from ..ordering import keys_of, rank
from .parts import Parts, Places
from .reduction import Call, aggregate, finished


@aggregate("min max")
def _extreme(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    column, is_max = columns[0], call.signature.name == "max"
    if column.codes is None and column.values.dtype != object:
        with np.errstate(invalid="ignore"):
            found = _of_numbers(parts, column.values, is_max=is_max)
        return finished(call.result, found, parts.empty)
    if isinstance(parts, Groups) and not column.is_dictionary:
        places = _by_keys(parts, keys_of(column), is_max=is_max)
    else:
        places = _by_ranks(parts, rank(column), is_max=is_max)
    return column.take_or_null(places).as_type(call.result)


def _of_numbers(parts: Parts, values: Array, *, is_max: bool) -> Array:
    choose = np.maximum if is_max else np.minimum
    if values.dtype.kind != "f" or is_max:
        return parts.extreme(choose, values)  # numpy's maximum with NaN is NaN, as it should be
    is_nan = np.isnan(values)
    if not is_nan.any():
        return parts.extreme(choose, values)
    found = parts.extreme(choose, np.where(is_nan, values.dtype.type(np.inf), values))
    return np.where(parts.total(is_nan.astype(np.int64)) == parts.sizes, values.dtype.type(np.nan), found)


def _by_keys(groups: Groups, keys: list[Any], *, is_max: bool) -> Places:
    """Return the place of each group's extreme; of equal ones the last, as in PostgreSQL."""
    found = [-1] * groups.count
    best: list[Any] = [None] * groups.count
    for place, (code, key) in enumerate(zip(groups.codes.tolist(), keys, strict=True)):
        known = best[code]
        if found[code] < 0 or (key >= known if is_max else key <= known):
            best[code] = key
            found[code] = place
    return np.array(found, np.int64)


def _by_ranks(parts: Parts, ranks: Array, *, is_max: bool) -> Places:
    """Return the same by numbers in the order of the values."""
    places = np.arange(parts.rows)
    count = max(parts.rows, 1)
    if is_max:
        found = parts.extreme(np.maximum, ranks.astype(np.int64) * count + places) % count
    else:
        found = (
            count
            - 1
            - parts.extreme(np.minimum, ranks.astype(np.int64) * count + (count - 1 - places)) % count
        )
    empty = parts.empty
    return found if empty is None else np.where(empty, -1, found)
