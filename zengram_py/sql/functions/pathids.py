"""Numbers of objects, by which ``.keyvalue()`` tells which fields belong together.

PostgreSQL numbers an object by where it lies in the bytes of its jsonb, and so do we, by counting these bytes: a container has a header of
four bytes and as many for each key and value; then come keys and values one after the other, numbers and containers at multiples of four.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from .jsonvalues import parts

_STEP = 10_000_000_000


def object_number(base: Any, base_number: int, value: Any) -> int:
    """Return the number of an object that is in a value, which has a number itself: 0 for the root, others for variables and results."""
    place = 0 if value is base else _Places(value).of(base)
    return base_number * _STEP + place


class _Places:
    """Looks for where a container lies in another."""

    def __init__(self, wanted: Any) -> None:
        self.wanted = wanted
        self.found = 0

    def of(self, base: Any) -> int:
        self._end(base, 0)
        return self.found

    def _end(self, value: Any, start: int) -> int:
        """Return where a value ends that starts at a place."""
        if value.__class__ is str:
            return start + len(value.encode())
        if value is None or value.__class__ is bool:
            return start
        start = (start + 3) & ~3
        if value.__class__ is dict or value.__class__ is list:
            if value is self.wanted:
                self.found = start
            is_object = value.__class__ is dict
            end = start + 4 + 4 * len(value) * (2 if is_object else 1)
            if is_object:
                end += sum([len(key.encode()) for key in value])
            for item in parts(value):
                end = self._end(item, end)
            return end
        return start + _number_size(Decimal(value))


def _number_size(value: Decimal) -> int:
    """Return the bytes of a number: a length, a header, and two for every four digits."""
    _, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    scale = max(-exponent, 0)
    text = "".join(map(str, digits)) + "0" * max(exponent, 0)
    before, after = (text[: len(text) - scale], text[len(text) - scale :]) if scale else (text, "")
    before = before.rjust(-(-len(before) // 4) * 4, "0")
    after = after.rjust(scale, "0")
    after = after.ljust(-(-len(after) // 4) * 4, "0")
    groups = [(before + after)[i : i + 4] for i in range(0, len(before) + len(after), 4)]
    weight = len(before) // 4 - 1
    while groups and groups[0] == "0000":
        groups.pop(0)
        weight -= 1
    while groups and groups[-1] == "0000":
        groups.pop()
    is_short = scale <= 63 and -64 <= (weight if groups else 0) <= 63
    return 4 + (2 if is_short else 4) + 2 * len(groups)
