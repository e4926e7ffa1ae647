"""Values of other rows: ``lag`` and ``lead`` of the partition, ``first_value``, ``last_value`` and ``nth_value`` of the frame."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...errors import error
from ...types import SqlType
from ..aggregates.parts import Places
from ..column import Column, concatenate
from .frames import Frames
from .layout import SortedRows

OF_FRAME = frozenset(["first_value", "last_value", "nth_value"])


def shifted(name: str, result: SqlType, rows: SortedRows, arguments: Sequence[Column]) -> Column:
    """Return the values of rows so many before (``lag``) or behind (``lead``), or a default where there are none."""
    column = arguments[0].expanded(rows.count).as_type(result)
    step = np.ones(1, np.int64) if len(arguments) < 2 else arguments[1].values.astype(np.int64)
    places = rows.rows - step if name == "lag" else rows.rows + step
    inside = (places >= rows.starts) & (places < rows.ends)
    if len(arguments) > 2:
        column = concatenate([column, arguments[2].expanded(rows.count).as_type(result)])
        places = np.where(inside, places, rows.count + rows.rows)
    else:
        places = np.where(inside, places, -1)
    if len(arguments) > 1 and arguments[1].nulls is not None:
        places = np.where(arguments[1].nulls, -1, places)
    return column.take_or_null(places)


def of_frame(name: str, result: SqlType, frames: Frames, arguments: Sequence[Column]) -> Column:
    """Return the values of the first, last or another row of each frame."""
    column = arguments[0].expanded(frames.rows).as_type(result)
    if name == "first_value":
        return column.take_or_null(frames.first())
    if name == "last_value":
        return column.take_or_null(frames.last())
    return column.take_or_null(_nth(frames, arguments[1].expanded(frames.count)))


def _nth(frames: Frames, argument: Column) -> Places:
    number = argument.values.astype(np.int64)
    if argument.nulls is not None:
        number = np.where(argument.nulls, frames.rows + 1, number)
    if (number <= 0).any():
        raise error("22016", "argument of nth_value must be greater than zero")
    return frames.nth(number - 1)
