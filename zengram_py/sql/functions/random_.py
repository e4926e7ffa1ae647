"""Random numbers, of one stream of 64-bit numbers for each session.

As long as nobody asks for a seed, numpy's generator gives the stream. ``setseed`` begins xoroshiro128** (Blackman and Vigna, 2018), whose
state is filled by splitmix64, as in PostgreSQL: the same seed gives the same numbers here and there.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ..errors import error
from ..execute.column import Column
from ..execute.context import Context
from ..signatures import Signature
from ..types import FLOAT8, NUMBER, VOID
from .numerics import EXACT, checked, scale_of
from .registry import Implementation, by_type, columns

_MASK = (1 << 64) - 1
Words = NDArray[np.uint64]


class _Stream:
    """A stream of numbers of 64 bits."""

    def __init__(self) -> None:
        self._generator = np.random.default_rng()
        self._state: tuple[int, int] | None = None

    def seed(self, value: float) -> None:
        """Begin anew, for a number from -1 to 1."""
        mixing = int(((1 << 52) - 1) * value) & _MASK
        state = []
        for _ in range(2):
            mixing = (mixing + 0x9E3779B97F4A7C15) & _MASK
            word = (mixing ^ (mixing >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
            word = (word ^ (word >> 27)) * 0x94D049BB133111EB & _MASK
            state.append(word ^ (word >> 31))
        self._state = state[0], state[1]

    def words(self, count: int) -> Words:
        """Return the next numbers, shape (count,)."""
        if self._state is None:
            return self._generator.integers(0, 1 << 64, count, np.uint64)
        one, other = self._state
        found = []
        for _ in range(count):
            word = one * 5 & _MASK
            word = (word << 7 | word >> 57) & _MASK
            found.append(word * 9 & _MASK)
            other ^= one
            one = ((one << 24 | one >> 40) ^ other ^ other << 16) & _MASK
            other = (other << 37 | other >> 27) & _MASK
        self._state = one, other
        return np.array(found, np.uint64)

    def floats(self, count: int) -> NDArray[np.float64]:
        """Return numbers from 0 to 1, without 1."""
        return (self.words(count) >> np.uint64(12)).astype(np.float64) * 2.0**-52

    def below(self, span: int, count: int) -> Words:
        """Return numbers from 0 to ``span``, which is less than 2**64, with it."""
        found = np.zeros(count, np.uint64)
        shift = np.uint64(64 - max(span.bit_length(), 1))
        missing = count if span else 0
        while missing:  # one number after the other, those that are too great left out
            words = self.words(missing) >> shift
            words = words[words <= np.uint64(span)]
            found[count - missing : count - missing + len(words)] = words
            missing -= len(words)
        return found

    def wide(self, span: int) -> int:
        """Return a whole number from 0 to ``span``, however great."""
        size = -(-span.bit_length() // 64) or 1
        excess = size * 64 - span.bit_length()
        while True:
            word = 0
            for part in self.words(size).tolist():
                word = word << 64 | part
            word >>= excess
            if word <= span:
                return word


_streams: WeakKeyDictionary[Any, _Stream] = WeakKeyDictionary()


def _stream(context: Context) -> _Stream:
    found = _streams.get(context.session)
    if found is None:
        found = _streams[context.session] = _Stream()
    return found


@columns("setseed: float8")
def _set_seed(context: Context, arguments: Sequence[Column], count: int) -> Column:
    for value in arguments[0].tolist():
        if value is not None:
            if not -1 <= value <= 1:
                raise error(
                    "22023",
                    f"setseed parameter {'NaN' if value != value else format(value, 'g')} is out of allowed range [-1,1]",
                )
            _stream(context).seed(value)
    values = ["" if v is not None else None for v in arguments[0].expanded(count).tolist()]
    return Column.of(VOID, values)


@columns("random:")
def _random(context: Context, arguments: Sequence[Column], count: int) -> Column:
    return Column(FLOAT8, _stream(context).floats(count))


@columns("random_normal: | float8 | float8 float8")
def _random_normal(context: Context, arguments: Sequence[Column], count: int) -> Column:
    mean: Any = arguments[0].expanded(count).values if arguments else 0.0
    deviation: Any = arguments[1].expanded(count).values if len(arguments) > 1 else 1.0
    pairs = 1.0 - _stream(context).floats(2 * count).reshape(count, 2)
    found = np.sqrt(-2.0 * np.log(pairs[:, 0])) * np.sin(2.0 * np.pi * pairs[:, 1])  # Box and Muller
    return Column(FLOAT8, found * deviation + mean, _nulls(arguments, count))


def _nulls(arguments: Sequence[Column], count: int) -> Any:
    nulls = np.zeros(count, bool)
    for argument in arguments:
        nulls |= argument.is_null(count)
    return nulls if nulls.any() else None


def _wrong_order() -> Exception:
    return error("22023", "lower bound must be less than or equal to upper bound")


@by_type("random: int4 int4 | int8 int8")
def _random_whole(signature: Signature) -> Implementation:
    result = signature.result

    def run(context: Context, arguments: Sequence[Column], count: int) -> Column:
        nulls = _nulls(arguments, count)
        low, high = (a.expanded(count).values.astype(np.int64) for a in arguments)
        live = slice(None) if nulls is None else ~nulls
        if (low[live] > high[live]).any():
            raise _wrong_order()
        stream = _stream(context)
        spans = high.astype(np.uint64) - low.astype(np.uint64)
        if count and (spans == spans[0]).all():
            offsets = stream.below(int(spans[0]), count)
        else:
            offsets = np.array([int(stream.below(int(s), 1)[0]) for s in spans], np.uint64)
        values = (low.astype(np.uint64) + offsets).astype(np.int64)
        return Column(result, values.astype(np.int32) if result.name == "int4" else values, nulls)

    return Implementation("columns", run, volatile=True)


@columns("random: numeric numeric")
def _random_number(context: Context, arguments: Sequence[Column], count: int) -> Column:
    stream = _stream(context)
    rows = zip(*(a.expanded(count).tolist() for a in arguments), strict=True)
    return Column.of(NUMBER, [None if a is None or b is None else _between(stream, a, b) for a, b in rows])


def _between(stream: _Stream, low: Decimal, high: Decimal) -> Decimal:
    for bound, name in ((low, "lower"), (high, "upper")):
        if not bound.is_finite():
            what = "NaN" if bound.is_nan() else "infinity"
            raise error("22023", f"{name} bound cannot be {what}")
    if low > high:
        raise _wrong_order()
    scale = max(scale_of(low), scale_of(high))
    span = int(EXACT.scaleb(EXACT.subtract(high, low), scale))
    offset = EXACT.scaleb(Decimal(stream.wide(span)), -scale)
    return checked(EXACT.add(low, offset))
