"""Identifiers: ULIDs, which sort by the time they were made.

A ULID is 48 bits of milliseconds and 80 random bits, written as 26 characters of Crockford's base 32
(https://github.com/ulid/spec). Within one millisecond the random part is counted up, so that ids made by one
factory always sort in the order in which they were made, also when the clock steps back.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from .clock import Clock

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_RANDOM_BITS = 80
_TIME_LIMIT = 1 << 48


class UlidFactory:
    """Makes ULIDs that strictly increase.

    Parameters
    ----------
    clock : Clock
        Where the time part comes from.
    random_bytes : callable
        ``n -> n random bytes``; replaced in tests and replay.
    """

    def __init__(self, clock: Clock, random_bytes: Callable[[int], bytes] = os.urandom) -> None:
        self._clock = clock
        self._random_bytes = random_bytes
        self._last = -1

    def new(self, prefix: str = "") -> str:
        """Return ``prefix`` followed by the next ULID."""
        milliseconds = max(0, self._clock.now() // 1000) % _TIME_LIMIT
        value = milliseconds << _RANDOM_BITS | int.from_bytes(self._random_bytes(10), "big")
        if milliseconds <= self._last >> _RANDOM_BITS:
            value = self._last + 1
        self._last = value
        return prefix + encode_ulid(value)


def encode_ulid(value: int) -> str:
    """Write a 128-bit number as the 26 characters of a ULID."""
    return "".join(_ALPHABET[value >> shift & 31] for shift in range(125, -1, -5))
