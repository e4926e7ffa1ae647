"""Column types that are made of parts: numeric, interval, arrays, ranges, enums, tsvector.

Their stored forms are plain immutable Python values (Decimal, tuples), written to a heap's buffer as JSON text or, for
numeric, as its digits. An enum is different: it is stored as a number that sorts like its labels, in a fixed column.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

import numpy as np

from ..errors import CatalogError
from .types import (
    DATE,
    INT32,
    INT64,
    TIMESTAMP,
    ColumnType,
    IntegerType,
    parse_type,
    register_parser,
    register_type,
)

ENUM_STEP = 1 << 16
_LAST_POSITION = (1 << 14) - 1
_LAST_PLACE = (1 << 16) - 1
MAX_NUMERIC_DIGITS = 131_072  # before the point, as in PostgreSQL


class Interval(NamedTuple):
    """A span of time in the three units that do not convert into each other."""

    months: int = 0
    days: int = 0
    microseconds: int = 0


class Range(NamedTuple):
    """A range of values; a bound of None is infinite, and an empty range has no bounds."""

    lower: Any = None
    upper: Any = None
    lower_inclusive: bool = True
    upper_inclusive: bool = False
    empty: bool = False


class NumericType(ColumnType):
    """An exact decimal number; how many digits it was given with is part of the value."""

    def check(self, value: Any) -> Any:
        """Take a Decimal, an int, a float or text that Decimal reads; NaN too, infinities as well."""
        if isinstance(value, (bool, np.bool_)):
            raise self.refuse(value)
        if isinstance(value, (float, np.floating)):
            value = repr(float(value))
        elif isinstance(value, np.integer):
            value = int(value)
        if not isinstance(value, (Decimal, int, str)):
            raise self.refuse(value)
        try:
            number = Decimal(value)
        except (InvalidOperation, ValueError):
            raise self.refuse(value) from None
        if number.is_snan() or (number.is_finite() and number.adjusted() > MAX_NUMERIC_DIGITS):
            raise self.refuse(value, "out of range")
        return number

    def to_json(self, value: Any) -> Any:
        """Return the digits as text."""
        return None if value is None else str(value)

    def from_json(self, data: Any) -> Any:
        """Read the digits."""
        return None if data is None else Decimal(data)

    def encode(self, value: Any) -> bytes:
        """Write the digits."""
        return str(value).encode()

    def decode(self, raw: bytes) -> Any:
        """Read the digits."""
        return Decimal(raw.decode())


class _JsonCoded(ColumnType):
    """A type whose stored form is written as JSON."""

    def to_data(self, value: Any) -> Any:
        """Return a stored form as JSON values."""
        raise NotImplementedError

    def from_data(self, data: Any) -> Any:
        """Return the stored form of JSON values."""
        raise NotImplementedError

    def to_json(self, value: Any) -> Any:
        """Return JSON values."""
        return None if value is None else self.to_data(value)

    def from_json(self, data: Any) -> Any:
        """Read JSON values."""
        return None if data is None else self.from_data(data)

    def encode(self, value: Any) -> bytes:
        """Write JSON."""
        return json.dumps(self.to_data(value), ensure_ascii=False, separators=(",", ":")).encode()

    def decode(self, raw: bytes) -> Any:
        """Read JSON."""
        return self.from_data(json.loads(raw))


class IntervalType(_JsonCoded):
    """Months, days and microseconds."""

    def check(self, value: Any) -> Any:
        """Take an :class:`Interval` or three whole numbers."""
        if not isinstance(value, (tuple, list)) or len(value) != 3:
            raise self.refuse(value)
        months, days, microseconds = value
        return Interval(INT32.check(months), INT32.check(days), INT64.check(microseconds))

    def to_data(self, value: Any) -> Any:
        """Return three numbers."""
        return list(value)

    def from_data(self, data: Any) -> Any:
        """Read three numbers."""
        return Interval(*data)


class TsVectorType(_JsonCoded):
    """A document as sorted lexemes with their positions: ``(("cat", (3,)), ("fat", (2, 11)))``.

    A position is 1 to 16,383, and 16,384 more for each step of its weight above the lowest: D 0, C 1, B 2, A 3.
    """

    def check(self, value: Any) -> Any:
        """Take a mapping or pairs from lexeme to positions; sorted and without repeats afterwards.

        What is beyond every position with a weight becomes the last position. Of several weights of a position the highest stays.
        """
        pairs = value.items() if isinstance(value, dict) else value
        if isinstance(pairs, str):
            raise self.refuse(value)
        merged: dict[str, dict[int, int]] = {}
        try:
            for lexeme, positions in pairs:
                if not isinstance(lexeme, str):
                    raise self.refuse(value)
                lexeme.encode()
                numbers = merged.setdefault(lexeme, {})
                for given in positions:
                    place = INT32.check(given)
                    place = place if place <= _LAST_PLACE else _LAST_POSITION
                    position = place & _LAST_POSITION
                    if place < 1 or not position:
                        raise self.refuse(value, "positions begin with 1")
                    numbers[position] = max(place, numbers.get(position, 0))
        except (TypeError, ValueError):
            raise self.refuse(value) from None
        return tuple(
            (lexeme, tuple(places[position] for position in sorted(places)))
            for lexeme, places in sorted(merged.items())
        )

    def to_data(self, value: Any) -> Any:
        """Return pairs."""
        return [[lexeme, list(positions)] for lexeme, positions in value]

    def from_data(self, data: Any) -> Any:
        """Read pairs."""
        return tuple((lexeme, tuple(positions)) for lexeme, positions in data)


@dataclass(frozen=True)
class ArrayType(_JsonCoded):
    """An array of one element type, of any number of dimensions; elements may be null."""

    element: ColumnType = INT64

    def check(self, value: Any) -> Any:
        """Take a list or tuple (nested for more dimensions, then of equal lengths) or a numpy array."""
        if isinstance(value, np.ndarray):
            value = value.tolist()
        if not isinstance(value, (list, tuple)):
            raise self.refuse(value)
        stored = tuple(self._element(item) for item in value)
        shapes = {_shape(item) for item in stored if item is not None or len(stored) > 1}
        if len(shapes - {()}) > 1 or (len(shapes) > 1 and shapes != {()}):
            raise self.refuse(value, "its parts differ in length")
        return stored

    def _element(self, item: Any) -> Any:
        if item is None:
            return None
        if isinstance(item, (list, tuple)) and not isinstance(item, (Interval, Range)):
            return self.check(item)
        return self.element.check(item)

    def present(self, value: Any) -> Any:
        """Return lists."""
        return None if value is None else self._map(value, self.element.present)

    def to_data(self, value: Any) -> Any:
        """Return JSON lists."""
        if isinstance(self.element, _JsonCoded):  # in an object, since a list is a dimension
            return self._map(value, lambda item: {"": self.element.to_json(item)})
        return self._map(value, self.element.to_json)

    def from_data(self, data: Any) -> Any:
        """Read JSON lists."""
        return tuple(
            None
            if item is None
            else self.from_data(item)
            if isinstance(item, list)
            else self.element.from_json(item[""] if isinstance(item, dict) else item)
            for item in data
        )

    def _map(self, value: Any, change: Any) -> list[Any]:
        return [
            None
            if item is None
            else self._map(item, change)
            if isinstance(item, tuple) and not isinstance(item, (Interval, Range))
            else change(item)
            for item in value
        ]


@dataclass(frozen=True)
class RangeType(_JsonCoded):
    """A range of whole numbers, numerics, dates or timestamps; ranges of whole steps are kept as ``[lower, upper)``."""

    element: ColumnType = INT64

    @property
    def is_discrete(self) -> bool:
        """Whether the element has a next value (PostgreSQL: timestamps do not)."""
        return isinstance(self.element, IntegerType) and self.element != TIMESTAMP

    def check(self, value: Any) -> Any:
        """Take a :class:`Range` or its fields in order."""
        if not isinstance(value, (tuple, list)) or not 2 <= len(value) <= 5:
            raise self.refuse(value)
        given = Range(*value)
        if given.empty:
            return Range(None, None, False, False, True)
        lower = None if given.lower is None else self.element.check(given.lower)
        upper = None if given.upper is None else self.element.check(given.upper)
        low_in, up_in = bool(given.lower_inclusive), bool(given.upper_inclusive)
        order = 0 if lower is None or upper is None else _compare(lower, upper)
        if order > 0:
            raise self.refuse(value, "its lower bound is above its upper bound")
        if self.is_discrete:
            if lower is not None and not low_in:
                lower, low_in = self.element.check(lower + 1), True
            if upper is not None and up_in:
                upper, up_in = self.element.check(upper + 1), False
        low_in, up_in = low_in and lower is not None, up_in and upper is not None
        if lower is None or upper is None:
            return Range(lower, upper, low_in, up_in, False)
        order = _compare(lower, upper)
        if order > 0 or (order == 0 and not (low_in and up_in)):
            return Range(None, None, False, False, True)
        return Range(lower, upper, low_in, up_in, False)

    def to_data(self, value: Any) -> Any:
        """Return the five fields."""
        return [*(self.element.to_json(bound) for bound in value[:2]), *value[2:]]

    def from_data(self, data: Any) -> Any:
        """Read the five fields."""
        return Range(*(self.element.from_json(bound) for bound in data[:2]), *data[2:])


@dataclass(frozen=True)
class EnumType(ColumnType):
    """One of a fixed list of labels; stored as a number that sorts as the labels are listed.

    Attributes
    ----------
    labels : tuple of (int, str)
        Code and label, in order. Codes leave gaps, so that a label can be put between two others later.
    """

    labels: tuple[tuple[int, str], ...] = ()

    dtype = np.int64

    def check(self, value: Any) -> Any:
        """Take a label."""
        for code, label in self.labels:
            if label == value:
                return code
        raise self.refuse(value, f"its labels are {', '.join(label for _, label in self.labels)}")

    def present(self, value: Any) -> Any:
        """Return the label."""
        return None if value is None else dict(self.labels)[value]


def enum(name: str, labels: Sequence[str]) -> EnumType:
    """Return an enum type with these labels, in this order."""
    if len(set(labels)) != len(labels) or not all(isinstance(label, str) for label in labels):
        raise CatalogError(f"enum {name!r}: its labels are texts, each once")
    codes = tuple((ENUM_STEP * (i + 1), label) for i, label in enumerate(labels))
    return _enum(name, codes)


def _enum(name: str, codes: tuple[tuple[int, str], ...]) -> EnumType:
    return EnumType(f"enum {json.dumps([name, codes], separators=(',', ':'))}", labels=codes)


def extend_enum(
    name: str, existing: EnumType, label: str, before: str | None = None, after: str | None = None
) -> EnumType:
    """Return an enum type with one more label, at the end or beside another; codes of the others stay."""
    labels = list(existing.labels)
    names = [known for _, known in labels]
    if label in names:
        raise CatalogError(f"enum {name!r} has a label {label!r} already")
    beside = before if before is not None else after
    if beside is not None and beside not in names:
        raise CatalogError(f"enum {name!r} has no label {beside!r}")
    at = len(labels) if beside is None else names.index(beside) + (before is None)
    low = labels[at - 1][0] if at else 0
    high = labels[at][0] if at < len(labels) else low + 2 * ENUM_STEP
    if high - low < 2:
        raise CatalogError(f"enum {name!r} has no room for a label there")
    labels.insert(at, ((low + high) // 2, label))
    return _enum(name, tuple(labels))


def renamed_enum(existing: EnumType, name: str) -> EnumType:
    """Return an enum type under another name."""
    return _enum(name, existing.labels)


def relabel_enum(name: str, existing: EnumType, old: str, new: str) -> EnumType:
    """Return an enum type in which a label has another text; its code stays."""
    texts = [label for _, label in existing.labels]
    if old not in texts:
        raise CatalogError(f"enum {name!r} has no label {old!r}")
    if new in texts:
        raise CatalogError(f"enum {name!r} has a label {new!r} already")
    return _enum(name, tuple((code, new if label == old else label) for code, label in existing.labels))


def join_types(one: ColumnType, other: ColumnType) -> ColumnType:
    """Return the type of a column that one definition gives one type and a later one another: they differ in labels of an enum.

    Raises
    ------
    ValueError
        If they differ in anything else.
    """
    if one == other:
        return one
    if isinstance(one, ArrayType) and isinstance(other, ArrayType):
        return array(join_types(one.element, other.element))
    if isinstance(one, EnumType) and isinstance(other, EnumType):
        labels = dict(one.labels) | dict(other.labels)
        title = json.loads(other.name.removeprefix("enum "))[0]
        return _enum(title, tuple(sorted(labels.items())))
    raise ValueError(f"a column is of {one.name} and of {other.name}")


def array(element: ColumnType) -> ArrayType:
    """Return the type of arrays of an element type."""
    if element.storage == "matrix" or isinstance(element, (ArrayType, TsVectorType)):
        raise CatalogError(f"there are no arrays of {element.name}")
    return ArrayType(f"{element.name}[]", "heap", element=element)


NUMERIC = NumericType("numeric", "heap")
INTERVAL = IntervalType("interval", "heap")
TSVECTOR = TsVectorType("tsvector", "heap")
INT4RANGE = RangeType("int4range", "heap", element=INT32)
INT8RANGE = RangeType("int8range", "heap", element=INT64)
NUMRANGE = RangeType("numrange", "heap", element=NUMERIC)
DATERANGE = RangeType("daterange", "heap", element=DATE)
TSRANGE = RangeType("tsrange", "heap", element=TIMESTAMP)

for _type in (NUMERIC, INTERVAL, TSVECTOR, INT4RANGE, INT8RANGE, NUMRANGE, DATERANGE, TSRANGE):
    register_type(_type)


def _parse_composite(name: str) -> ColumnType | None:
    if name.endswith("[]"):
        return array(parse_type(name[:-2]))
    match = re.fullmatch(r"enum (\[.*\])", name, re.DOTALL)
    if match is None:
        return None
    try:
        _, codes = json.loads(match[1])
        labels = tuple((int(code), str(label)) for code, label in codes)
    except (ValueError, TypeError, RecursionError):
        raise CatalogError(f"there is no column type {name!r}") from None
    return EnumType(name, labels=labels)


register_parser(_parse_composite)


def _compare(one: Any, other: Any) -> int:
    """Return -1, 0 or 1; a NaN equals itself and is above every number."""
    if isinstance(one, Decimal) and (one.is_nan() or other.is_nan()):
        return int(one.is_nan()) - int(other.is_nan())
    return int(one > other) - int(one < other)


def _shape(item: Any) -> tuple[int, ...]:
    if not isinstance(item, tuple) or isinstance(item, (Interval, Range)):
        return ()
    return (len(item), *(_shape(item[0]) if item else ()))
