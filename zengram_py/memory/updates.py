"""Changing a row that knows when it was changed last: a clock that goes back takes that time nowhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..engine import Transaction


def update_row(
    transaction: Transaction,
    table: str,
    row: Mapping[str, Any],
    now: int,
    changes: Mapping[str, Any],
    *,
    key: Any = None,
) -> None:
    """Change columns of a row, and note when.

    Parameters
    ----------
    transaction : Transaction
        Who writes.
    table : str
        Its table, with a column ``time_updated``.
    row : mapping
        What it is now.
    now : int
        Microseconds since 1970, UTC.
    changes : mapping
        Columns and their new values.
    key : value or tuple of values, optional
        The primary key, if that is not the column ``id``.
    """
    later = max(now, row["time_updated"])
    transaction.update(table, row["id"] if key is None else key, {**changes, "time_updated": later})
