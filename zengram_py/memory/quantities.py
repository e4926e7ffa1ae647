"""What may come in as a number or a time."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np

from ..clock import MICROSECONDS_PER_SECOND
from ..errors import InvalidArgumentError

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_INT64 = 2**63
MILLISECONDS = (10**11, 10**13)
"""Times from 1973 to 2286 in milliseconds; as microseconds they are days of 1970, which nobody means."""


def check_count(name: str, value: Any) -> int:
    """Return a whole number of at least 0, or raise :class:`~zengram_py.errors.InvalidArgumentError`."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or not 0 <= value < _INT64:
        raise InvalidArgumentError(f"{name} must be a whole number of at least 0, not {shown(value)}")
    return int(value)


def check_integer(name: str, value: Any) -> int:
    """Return a whole number of 64 bits, or raise :class:`~zengram_py.errors.InvalidArgumentError`."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or not -_INT64 <= value < _INT64:
        raise InvalidArgumentError(f"{name} must be a whole number, not {shown(value)}")
    return int(value)


def check_number(
    name: str, value: Any, *, least: float = 0.0, most: float = math.inf, above: bool = False
) -> float:
    """Return a finite number within bounds (``above``: beyond the lower one), or raise InvalidArgumentError."""
    try:
        number = float(value) if _is_number(value) else math.nan
    except OverflowError:  # a whole number beyond all floats
        number = math.nan
    if not math.isfinite(number) or not least <= number <= most or (above and number == least):
        low = f"above {least:g}" if above else f"of at least {least:g}"
        bounds = f"from {least:g} to {most:g}" if most < math.inf else low
        raise InvalidArgumentError(f"{name} must be a number {bounds}, not {shown(value)}")
    return number


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(
        value, (bool, np.complexfloating, complex)
    )


def shown(value: Any) -> str:
    """Return a value for an error message, in short."""
    try:
        text = repr(value)
    except ValueError:  # Python writes no more than 4300 digits
        text = f"a {type(value).__name__} of too many digits"
    except Exception:  # the caller's own code
        text = f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}..."


def check_flag(name: str, value: Any) -> bool:
    """Return a bool, or raise :class:`~zengram_py.errors.InvalidArgumentError`."""
    if not isinstance(value, (bool, np.bool_)):
        raise InvalidArgumentError(f"{name} must be True or False, not {shown(value)}")
    return bool(value)


def check_time(name: str, value: Any) -> int:
    """Return a time as whole microseconds since the epoch, UTC.

    One rule for all forms: what names no zone is UTC, and a date is its first instant, midnight UTC. So
    ``"2026-03-31"``, ``date(2026, 3, 31)``, ``datetime(2026, 3, 31)`` and ``"2026-03-31T02:00+02:00"`` are one instant.

    Parameters
    ----------
    name : str
        What it is, for the error message.
    value : int, str, datetime.datetime or datetime.date
        Microseconds, ISO 8601 text, a point in time, or a day.

    Raises
    ------
    InvalidArgumentError
        If it is none of them, or no such time exists.
    """
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            raise InvalidArgumentError(f"{name} is no ISO 8601 date or time: {shown(value)}") from None
    if isinstance(value, date):
        if not isinstance(value, datetime):
            value = datetime(value.year, value.month, value.day)
        if value.tzinfo is None:
            value = value.replace(tzinfo=UTC)
        since: timedelta = value - _EPOCH  # exact: whole microseconds
        return (since.days * 86_400 + since.seconds) * MICROSECONDS_PER_SECOND + since.microseconds
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        value = int(value)  # JavaScript has no other numbers
    if _is_number(value) and MILLISECONDS[0] <= value < MILLISECONDS[1]:
        raise InvalidArgumentError(
            f"{name}: {value} looks like milliseconds. Pass a datetime, or multiply by 1000."
        )
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and -_INT64 < value < _INT64:
        return int(value)
    raise InvalidArgumentError(
        f"{name} must be whole microseconds since 1970, ISO 8601 text or a datetime, not {shown(value)}"
    )
