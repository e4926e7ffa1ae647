"""Time, as an object that tests and replay can replace.

All times in Zengram are whole microseconds since 1970-01-01 00:00 UTC. Nothing else in the package asks the
machine for the time: whatever needs it is handed a :class:`Clock`.
"""

from __future__ import annotations

import time
from typing import Protocol

MICROSECONDS_PER_SECOND = 1_000_000
MICROSECONDS_PER_DAY = 86_400 * MICROSECONDS_PER_SECOND


class Clock(Protocol):
    """Anything that tells the time in UTC microseconds."""

    def now(self) -> int:
        """Return the time in microseconds since the epoch, UTC."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> int:
        """Return the machine's time in microseconds since the epoch, UTC."""
        return (
            time.time_ns() + 500
        ) // 1000  # in a page it counts milliseconds in a float, and is a little less


class ManualClock:
    """A clock that moves only when it is told to.

    Parameters
    ----------
    start : int
        The first time it shows, in microseconds since the epoch, UTC.
    """

    def __init__(self, start: int = 1_700_000_000_000_000) -> None:
        self._now = start

    def now(self) -> int:
        """Return the time that was last set."""
        return self._now

    def advance(self, *, microseconds: int = 0, seconds: float = 0, days: float = 0) -> None:
        """Move the clock (backwards too: real clocks jump)."""
        self._now += (
            microseconds + round(seconds * MICROSECONDS_PER_SECOND) + round(days * MICROSECONDS_PER_DAY)
        )
