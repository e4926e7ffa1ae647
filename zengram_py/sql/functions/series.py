"""``generate_series``: numbers and moments at even distances.

Series of whole numbers, and of moments whose step is no number of months, are ranges: nothing of them is made before it is read.
Numerics are made when they are read, too. Steps of months are taken one after the other, from the day that the last one came to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, overload

from ...engine import Interval
from ..civil import DAY, INFINITY, MINUS_INFINITY
from ..errors import error
from .moments import later_one
from .numerics import EXACT, scale_of
from .registry import rows
from .spans import infinity
from .zones import Distance, zone

_LONGEST = (1 << 31) - 1  # of a sequence where pointers have 32 bits; nobody reads so far


def _no_step() -> Exception:
    return error("22023", "step size cannot equal zero")


@rows("generate_series: int4 int4 | int4 int4 int4 | int8 int8 | int8 int8 int8")
def _whole(start: int | None, stop: int | None, step: int | None = 1) -> Sequence[int]:
    if start is None or stop is None or step is None:
        return ()
    if not step:
        raise _no_step()
    return _range(start, stop, step)


def _range(start: int, stop: int, step: int) -> range:
    """Return whole numbers with the last one."""
    end = stop + (1 if step > 0 else -1)
    most = start + step * _LONGEST
    return range(start, min(end, most) if step > 0 else max(end, most), step)


class _Numbers(Sequence[Decimal]):
    """Numerics at even distances; the first keeps its own scale."""

    def __init__(self, start: Decimal, step: Decimal, count: int) -> None:
        self.start, self.step, self.length = start, step, count

    def __len__(self) -> int:
        return self.length

    @overload
    def __getitem__(self, at: int) -> Decimal: ...

    @overload
    def __getitem__(self, at: slice) -> list[Decimal]: ...

    def __getitem__(self, at: int | slice) -> Any:
        if isinstance(at, slice):
            return [self[i] for i in range(self.length)[at]]
        if not 0 <= at < self.length:
            raise IndexError(at)
        return EXACT.add(self.start, EXACT.multiply(self.step, Decimal(at))) if at else self.start


@rows("generate_series: numeric numeric | numeric numeric numeric")
def _numbers(
    start: Decimal | None, stop: Decimal | None, step: Decimal | None = Decimal(1)
) -> Sequence[Decimal]:
    if start is None or stop is None or step is None:
        return ()
    for value, name in ((start, "start value"), (stop, "stop value"), (step, "step size")):
        if not value.is_finite():
            raise error("22023", f"{name} cannot be {'NaN' if value.is_nan() else 'infinity'}")
    if not step:
        raise _no_step()
    scale = max(scale_of(start), scale_of(stop), scale_of(step))
    first, last, distance = (int(EXACT.scaleb(value, scale)) for value in (start, stop, step))
    count = max((last - first) // distance + 1, 0)
    return _Numbers(start, step, min(count, _LONGEST))


def _direction(step: Interval) -> int:
    """Return whether a step goes forward or back; 22023 for none."""
    if infinity(step):
        raise error("22023", "step size cannot be infinite")
    size = (step.months * 30 + step.days) * DAY + step.microseconds
    if not size:
        raise _no_step()
    return 1 if size > 0 else -1


@rows("generate_series: timestamp timestamp interval | timestamp timestamp interval text")
def _moments(
    start: int | None, stop: int | None, step: Interval | None, place: str | None = "UTC"
) -> Sequence[int]:
    if start is None or stop is None or step is None or place is None:
        return ()
    direction = _direction(step)
    distance = zone(place)
    if start in (INFINITY, MINUS_INFINITY):
        if (start - stop) * direction > 0:
            return ()
        raise error("22023", "start value cannot be infinite")
    if not step.months and (place == "UTC" or not step.days):
        return _range(start, stop, step.days * DAY + step.microseconds)
    return list(_walk(start, stop, step, direction, distance))


def _walk(start: int, stop: int, step: Interval, direction: int, distance: Distance) -> Iterator[int]:
    """Yield moments a step apart, on the clocks of a zone."""
    whole, rest = Interval(step.months, step.days, 0), Interval(0, 0, step.microseconds)
    now = start
    while (stop - now) * direction >= 0:
        yield now
        local = later_one(now + distance(now, False), whole)
        now = later_one(local - distance(local, True), rest)
