"""Functions of bytes: lengths, parts, single bytes and bits. Bytes count from 1 in parts, from 0 where they are got and set."""

from __future__ import annotations

import operator

from ..errors import error
from .registry import scalar
from .strings import slice_of, slices_around

# Lengths.

scalar("length octet_length: bytea")(len)


@scalar("bit_length: bytea")
def _bit_length(value: bytes) -> int:
    return 8 * len(value)


@scalar("bit_count: bytea")
def _bit_count(value: bytes) -> int:
    return int.from_bytes(value, "big").bit_count()


# Parts.

scalar("||: bytea bytea")(operator.add)


@scalar("substring substr: bytea int4 | bytea int4 int4")
def _substring(value: bytes, start: int, length: int | None = None) -> bytes:
    return value[slice_of(start, length)]


@scalar("overlay: bytea bytea int4 | bytea bytea int4 int4")
def _overlay(value: bytes, new: bytes, start: int, length: int | None = None) -> bytes:
    before, behind = slices_around(start, len(new) if length is None else length)
    return value[before] + new + value[behind]


@scalar("position: bytea bytea")
def _position(value: bytes, part: bytes) -> int:
    return value.find(part) + 1


@scalar("reverse: bytea")
def _reverse(value: bytes) -> bytes:
    return value[::-1]


@scalar("btrim: bytea bytea")
def _trim_both(value: bytes, others: bytes) -> bytes:
    return value.strip(others) if others else value


@scalar("ltrim: bytea bytea")
def _trim_left(value: bytes, others: bytes) -> bytes:
    return value.lstrip(others) if others else value


@scalar("rtrim: bytea bytea")
def _trim_right(value: bytes, others: bytes) -> bytes:
    return value.rstrip(others) if others else value


# Single bytes and bits.


def _check(place: int, size: int) -> None:
    if not 0 <= place < size:
        raise error("2202E", f"index {place} out of valid range, 0..{size - 1}")


@scalar("get_byte: bytea int4")
def _get_byte(value: bytes, place: int) -> int:
    _check(place, len(value))
    return value[place]


@scalar("get_bit: bytea int8")
def _get_bit(value: bytes, place: int) -> int:
    _check(place, 8 * len(value))
    return value[place >> 3] >> (place & 7) & 1  # the lowest bit of a byte comes first


@scalar("set_byte: bytea int4 int4")
def _set_byte(value: bytes, place: int, new: int) -> bytes:
    _check(place, len(value))
    return value[:place] + bytes([new & 0xFF]) + value[place + 1 :]


@scalar("set_bit: bytea int8 int4")
def _set_bit(value: bytes, place: int, new: int) -> bytes:
    _check(place, 8 * len(value))
    if new not in (0, 1):
        raise error("22023", "new bit must be 0 or 1")
    at, mask = place >> 3, 1 << (place & 7)
    changed = value[at] | mask if new else value[at] & ~mask
    return value[:at] + bytes([changed]) + value[at + 1 :]
