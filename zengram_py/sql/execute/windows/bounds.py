"""Bounds of frames: which rows around a row a window function looks at.

rows      so many rows before and behind
groups    so many groups of peers
range     rows whose key is so much less or greater (offsets.py)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...bound import WindowFrame
from ...errors import error
from ..aggregates.parts import Places
from .frames import Frames
from .layout import SortedRows

RangeBound = Callable[[Any, bool, bool], Places]
"""Finds where keys are that lie an offset away: of the offset, whether it goes back, whether it is for the frame's end."""


def default_frames(rows: SortedRows) -> Frames:
    """Return the frames from the partition's begin to the row's last peer."""
    return Frames([(rows.starts, rows.peer_ends)], rows.count)


def check_offset(unit: str, value: Any, *, is_end: bool) -> None:
    """Refuse an offset that is null, or negative where that says nothing."""
    which = "ending" if is_end else "starting"
    if value is None:
        raise error("22004", f"frame {which} offset must not be null")
    if unit != "range" and value < 0:
        raise error("22013", f"frame {which} offset must not be negative")


def frames_of(
    frame: WindowFrame, rows: SortedRows, start_offset: Any, end_offset: Any, range_bound: RangeBound
) -> Frames:
    """Return the frames of all rows.

    Parameters
    ----------
    frame : WindowFrame
        What it says.
    rows : SortedRows
        The rows.
    start_offset, end_offset : object
        The values of its offsets, None where there is none.
    range_bound : callable
        Finds the bounds of ``range`` with an offset.
    """
    bound = {"rows": _by_rows, "groups": _by_groups, "range": _by_peers}[frame.unit]
    sides = []
    for (kind, _), offset, is_end in ((frame.start, start_offset, False), (frame.end, end_offset, True)):
        if kind == "unbounded preceding":
            sides.append(rows.starts)
        elif kind == "unbounded following":
            sides.append(rows.ends)
        elif frame.unit == "range" and kind != "current row":
            sides.append(range_bound(offset, kind == "preceding", is_end))
        else:
            number = 0 if kind == "current row" else min(offset, rows.count + 1)
            sides.append(bound(rows, -number if kind == "preceding" else number, is_end))
    start, end = sides
    return Frames(_without(frame.exclude, rows, start, np.maximum(start, end)), rows.count)


def _by_rows(rows: SortedRows, step: int, is_end: bool) -> Places:
    return np.clip(rows.rows + (step + is_end), rows.starts, rows.ends)


def _by_groups(rows: SortedRows, step: int, is_end: bool) -> Places:
    wanted = np.clip(rows.peers + (step + is_end), 0, len(rows.peer_bounds) - 1)
    return np.clip(rows.peer_bounds[wanted], rows.starts, rows.ends)


def _by_peers(rows: SortedRows, step: int, is_end: bool) -> Places:
    return rows.peer_ends if is_end else rows.peer_starts


def _without(exclude: str, rows: SortedRows, start: Places, end: Places) -> list[tuple[Places, Places]]:
    """Return the pieces of frames that are left without the row itself or its peers."""
    if exclude == "no others":
        return [(start, end)]
    if exclude == "current row":
        first, last = rows.rows, rows.rows + 1
    else:
        first, last = rows.peer_starts, rows.peer_ends
    pieces = [(start, np.clip(first, start, end)), (np.clip(last, start, end), end)]
    if exclude == "ties":
        row = (np.clip(rows.rows, start, end), np.clip(rows.rows + 1, start, end))
        pieces.insert(1, row)
    return pieces
