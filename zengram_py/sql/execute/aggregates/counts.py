"""Aggregates that count or look at bits: ``count``, ``bool_and``, ``bit_xor``; and ``any_value``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..column import Column
from .parts import Parts
from .reduction import Call, aggregate, finished


@aggregate("count regr_count")
def _count(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    return Column(call.result, parts.sizes)


@aggregate("any_value", ordered=True)
def _any_value(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    return columns[0].take_or_null(parts.first()).as_type(call.result)


@aggregate("bool_and every")
def _every(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    true = parts.total(columns[0].values.astype(np.int64))
    return finished(call.result, true == parts.sizes, parts.empty)


@aggregate("bool_or")
def _some(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    true = parts.total(columns[0].values.astype(np.int64))
    return finished(call.result, true > 0, parts.empty)


@aggregate("bit_and bit_or")
def _bits(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    choose = np.bitwise_and if call.signature.name == "bit_and" else np.bitwise_or
    return finished(call.result, parts.extreme(choose, columns[0].values), parts.empty)


@aggregate("bit_xor")
def _xor(parts: Parts, columns: Sequence[Column], call: Call) -> Column:
    return finished(call.result, parts.total(columns[0].values, np.bitwise_xor), parts.empty)
