"""Keys: the form in which values are compared, hashed and sorted by indexes and constraints.

Stored forms are mostly their own keys. The others are brought to one form here: NaN equals itself and is above every
number, -0.0 is 0.0, an interval counts its microseconds (a month is 30 days, a day 24 hours, as in PostgreSQL), a
vector is its bytes. Null (None) has no place in an order of values; who sorts puts it last.
"""

from __future__ import annotations

import struct
import zlib
from decimal import Decimal
from typing import Any

import numpy as np

from .composite import Interval, Range
from .types import MICROSECONDS_PER_DAY

Key = tuple[Any, ...]
_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


class _Above:
    """A part of a key that is above every ordinary value; among themselves these sort by rank."""

    __slots__ = ("_name", "_rank")

    def __init__(self, rank: int, name: str) -> None:
        self._rank, self._name = rank, name

    def __lt__(self, other: object) -> bool:
        return isinstance(other, _Above) and self._rank < other._rank

    def __le__(self, other: object) -> bool:
        return isinstance(other, _Above) and self._rank <= other._rank

    def __gt__(self, other: object) -> bool:
        return not isinstance(other, _Above) or self._rank > other._rank

    def __ge__(self, other: object) -> bool:
        return not isinstance(other, _Above) or self._rank >= other._rank

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Above) and self._rank == other._rank

    def __hash__(self) -> int:
        return 0x6EA7E57 + self._rank  # kept in snapshots: the same in every process

    def __repr__(self) -> str:
        return self._name


GREATEST = _Above(0, "NaN")
NULL = _Above(1, "null")
"""Null inside an array; PostgreSQL puts it above NaN."""
DEEPER = _Above(2, "array")
"""Begins the key of an array of arrays, which is never compared item by item with a flat one."""


def key_form(value: Any) -> Any:
    """Return the form in which a stored value is compared; None stays None."""
    if value is None or isinstance(value, (str, bool, int, bytes)):
        return value
    if isinstance(value, float):
        return GREATEST if value != value else value + 0.0
    if isinstance(value, Decimal):
        return GREATEST if value.is_nan() else value
    if isinstance(value, Interval):
        return (value.months * 30 + value.days) * MICROSECONDS_PER_DAY + value.microseconds
    if isinstance(value, Range):
        lower = (0,) if value.lower is None else (1, key_form(value.lower), not value.lower_inclusive)
        upper = (2,) if value.upper is None else (1, key_form(value.upper), value.upper_inclusive)
        return (0,) if value.empty else (1, lower, upper)
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if isinstance(value, tuple):
        parts = tuple(NULL if item is None else key_form(item) for item in value)
        return (DEEPER, *parts) if any(type(item) is tuple for item in value) else parts
    raise TypeError(f"a {type(value).__name__} cannot be a key")


def sort_form(key: Key) -> tuple[tuple[int, Any], ...]:
    """Return a key as something that sorts, nulls last."""
    return tuple((1, 0) if part is None else (0, part) for part in key)


def hash_value(value: Any) -> int:
    """Return a 64-bit hash of a key's part that is the same in every process; equal numbers hash alike."""
    if isinstance(value, str):
        value = value.encode()
    if isinstance(value, bytes):
        return (zlib.crc32(value) << 32 | zlib.crc32(value, 0x5EED)) ^ len(value)
    if isinstance(value, tuple):
        return hash_key(value)
    if isinstance(value, Decimal):
        if value.is_infinite() or value != value.to_integral_value():
            return hash_value(str(value.normalize()))
        return hash_value(int(value))
    if isinstance(value, _Above):
        return hash(value)
    if isinstance(value, float) and not value.is_integer():
        value = int.from_bytes(struct.pack("<d", value), "little")
    return int(value) * _GOLDEN & _MASK


def hash_key(key: Key) -> int:
    """Return a 64-bit hash of a key of one or more parts."""
    result = 0
    for value in key:
        result = (result ^ hash_value(value)) * _GOLDEN & _MASK
        result ^= result >> 29
    return result


def hash_integers(values: np.ndarray[Any, np.dtype[Any]]) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """Return :func:`hash_key` of many keys of one whole number each, without a Python loop."""
    golden = np.uint64(_GOLDEN)
    hashes = values.astype(np.int64).view(np.uint64) * golden
    hashes = hashes * golden
    hashes ^= hashes >> np.uint64(29)
    return hashes
