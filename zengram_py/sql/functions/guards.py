"""Guards: errors of whole columns at once, only for rows that count."""

from __future__ import annotations

from typing import Any

from ..errors import error


def refuse(bad: Any, live: Any, sqlstate: str, message: str) -> None:
    """Raise an error if something is wrong in a row that counts.

    Parameters
    ----------
    bad : bool array
        Where something is wrong.
    live : bool array or None
        The rows that count; None for all. What stands in the others is anything.
    sqlstate, message : str
        The error.

    Raises
    ------
    SqlError
        If there is such a row.
    """
    if bad.any() and (live is None or (bad & live).any()):
        raise error(sqlstate, message)
