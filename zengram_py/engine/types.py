"""Column types: what a value may be, and how a column stores it.

A type takes a Python value and gives its *stored* form (:meth:`ColumnType.check`), turns a stored form into what
callers see (:meth:`ColumnType.present`), and has a name in the catalogue (:func:`parse_type` reads it back).

    storage   types                                        a slot holds
    -------   ------------------------------------------   ---------------------------------------
    fixed     boolean int16 int32 int64 float32 float64    the value, in a numpy array
              timestamp date time  enum
    heap      text bytes json uuid numeric interval        an int32 reference into a heap (heap.py)
              arrays  ranges  tsvector
    matrix    vector(n)                                    an int32 reference to a row of floats

This module has the plain types; composite.py has those made of parts and registers them here. Stored forms are
immutable and compare equal when the values are the same, so versions and transactions may share them.
"""

from __future__ import annotations

import base64
import json
import math
import re
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ..errors import CatalogError, TypeMismatchError

MAX_DIMENSIONS = 16_000
MICROSECONDS_PER_DAY = 86_400_000_000


@dataclass(frozen=True)
class ColumnType:
    """One column type.

    Attributes
    ----------
    name : str
        Its name in the catalogue, such as ``"int64"`` or ``"vector(384)"``.
    storage : str
        ``"fixed"``, ``"heap"`` or ``"matrix"``.
    """

    name: str
    storage: str = "fixed"

    shares_values = False
    """Whether equal stored forms are the same value to the letter, so that a heap may keep one for all."""

    @property
    def dtype(self) -> DTypeLike:
        """The numpy type of a fixed column."""
        raise NotImplementedError

    def check(self, value: Any) -> Any:
        """Return the stored form of a value, or raise :class:`~zengram_py.errors.TypeMismatchError`."""
        raise NotImplementedError

    def present(self, value: Any) -> Any:
        """Return a stored form (or None) as callers see it."""
        return value

    def to_json(self, value: Any) -> Any:
        """Return a stored form (or None) as JSON values, for the log and the catalogue."""
        return value

    def from_json(self, data: Any) -> Any:
        """Return the stored form that :meth:`to_json` gave the JSON values of."""
        return data

    def encode(self, value: Any) -> bytes:
        """Return the bytes of a stored form, for a heap's buffer."""
        raise NotImplementedError

    def decode(self, raw: bytes) -> Any:
        """Return the stored form that :meth:`encode` gave the bytes of."""
        raise NotImplementedError

    def refuse(self, value: Any, why: str = "") -> TypeMismatchError:
        """Return the error for a value that does not fit."""
        shown = repr(value)
        shown = shown if len(shown) <= 80 else shown[:77] + "..."
        return TypeMismatchError(f"{shown} is not a valid {self.name}" + (f": {why}" if why else ""))


class BooleanType(ColumnType):
    """True or false."""

    dtype = np.bool_

    def check(self, value: Any) -> Any:
        """Take a bool (of Python or numpy)."""
        if isinstance(value, (bool, np.bool_)):
            return bool(value)
        raise self.refuse(value)


@dataclass(frozen=True)
class IntegerType(ColumnType):
    """A whole number; also a point in time or a date, which are whole numbers with a unit.

    Attributes
    ----------
    bits : int
        16, 32 or 64.
    least, most : int or None
        A narrower range than the bits give.
    """

    bits: int = 64
    least: int | None = None
    most: int | None = None

    @property
    def dtype(self) -> DTypeLike:
        """The numpy type: int16, int32 or int64."""
        return np.dtype(f"i{self.bits // 8}")

    @property
    def bounds(self) -> tuple[int, int]:
        """The least and the greatest value."""
        limit = 1 << self.bits - 1
        return (
            -limit if self.least is None else self.least,
            limit - 1 if self.most is None else self.most,
        )

    def check(self, value: Any) -> Any:
        """Take a whole number in range; a bool is not a number here."""
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
            raise self.refuse(value)
        least, most = self.bounds
        if not least <= value <= most:
            raise self.refuse(value, "out of range")
        return int(value)


@dataclass(frozen=True)
class FloatType(ColumnType):
    """A floating-point number of 32 or 64 bits."""

    bits: int = 64

    @property
    def dtype(self) -> DTypeLike:
        """The numpy type: float32 or float64."""
        return np.dtype(f"f{self.bits // 8}")

    def check(self, value: Any) -> Any:
        """Take an int or a float (NaN and infinities too); float32 rounds."""
        if isinstance(value, (bool, np.bool_)) or not isinstance(
            value, (int, float, np.integer, np.floating)
        ):
            raise self.refuse(value)
        try:
            number = float(value)
        except OverflowError:
            raise self.refuse(value, "out of range") from None
        if self.bits == 32 and math.isfinite(number):
            with np.errstate(over="ignore"):
                number = float(np.float32(number))
            if math.isinf(number):
                raise self.refuse(value, "out of range")
        return number

    def to_json(self, value: Any) -> Any:
        """Return the number; JSON has none for NaN and the infinities, which are texts."""
        return value if value is None or math.isfinite(value) else repr(value)

    def from_json(self, data: Any) -> Any:
        """Read a number or the text of one."""
        return float(data) if isinstance(data, str) else data


class TextType(ColumnType):
    """Unicode text."""

    shares_values = True

    def check(self, value: Any) -> Any:
        """Take a str that can be written as UTF-8 (no lone surrogates)."""
        if not isinstance(value, str):
            raise self.refuse(value)
        if not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                raise self.refuse(value, "it holds a lone surrogate") from None
        return str(value)

    def encode(self, value: Any) -> bytes:
        """Write UTF-8."""
        encoded: bytes = value.encode()
        return encoded

    def decode(self, raw: bytes) -> Any:
        """Read UTF-8."""
        return raw.decode()


class UuidType(TextType):
    """A UUID, kept and seen as its lower-case text with hyphens."""

    def check(self, value: Any) -> Any:
        """Take a :class:`uuid.UUID` or any text that one reads."""
        if isinstance(value, uuid.UUID):
            return str(value)
        if not isinstance(value, str):
            raise self.refuse(value)
        try:
            return str(uuid.UUID(value))
        except ValueError:
            raise self.refuse(value) from None


class JsonType(TextType):
    """Any JSON value; it is kept as its text, so that a caller's object is never shared."""

    def check(self, value: Any) -> Any:
        """Take what :func:`json.dumps` takes, without NaN and infinities."""
        try:
            text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
            text.encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise self.refuse(value, str(error)) from None
        return text

    def present(self, value: Any) -> Any:
        """Return the JSON value, fresh each time."""
        return None if value is None else json.loads(value)


class BytesType(ColumnType):
    """Raw bytes."""

    shares_values = True

    def check(self, value: Any) -> Any:
        """Take bytes, bytearray or memoryview."""
        if not isinstance(value, (bytes, bytearray, memoryview)):
            raise self.refuse(value)
        return bytes(value)

    def to_json(self, value: Any) -> Any:
        """Return base 64."""
        return None if value is None else base64.b64encode(value).decode()

    def from_json(self, data: Any) -> Any:
        """Read base 64."""
        return None if data is None else base64.b64decode(data)

    def encode(self, value: Any) -> bytes:
        """Write the bytes themselves."""
        return bytes(value)

    def decode(self, raw: bytes) -> Any:
        """Read the bytes themselves."""
        return raw


@dataclass(frozen=True)
class VectorType(ColumnType):
    """A fixed number of float32 values."""

    dimensions: int = 0

    def check(self, value: Any) -> Any:
        """Take anything that numpy turns into ``dimensions`` finite numbers; gives a read-only float32 array of its own."""
        try:
            with np.errstate(over="ignore"):
                array = np.array(value, dtype=np.float32)
        except (TypeError, ValueError):
            raise self.refuse(value) from None
        if array.shape != (self.dimensions,):
            raise self.refuse(value, f"its shape is {array.shape}")
        if not np.isfinite(array).all():
            raise self.refuse(value, "it holds NaN or infinity")
        array.setflags(write=False)
        return array

    def to_json(self, value: Any) -> Any:
        """Return a list of numbers."""
        return None if value is None else value.tolist()

    def from_json(self, data: Any) -> Any:
        """Read a list of numbers."""
        return None if data is None else self.check(data)


BOOLEAN = BooleanType("boolean")
INT16 = IntegerType("int16", bits=16)
INT32 = IntegerType("int32", bits=32)
INT64 = IntegerType("int64", bits=64)
FLOAT32 = FloatType("float32", bits=32)
FLOAT64 = FloatType("float64", bits=64)
TIMESTAMP = IntegerType("timestamp", bits=64)
DATE = IntegerType("date", bits=32)
TIME = IntegerType("time", bits=64, least=0, most=MICROSECONDS_PER_DAY)
TEXT = TextType("text", "heap")
UUID = UuidType("uuid", "heap")
JSON = JsonType("json", "heap")
BYTES = BytesType("bytes", "heap")

_BY_NAME: dict[str, ColumnType] = {
    t.name: t
    for t in (BOOLEAN, INT16, INT32, INT64, FLOAT32, FLOAT64, TIMESTAMP, DATE, TIME, TEXT, UUID, JSON, BYTES)
}
_PARSERS: list[Callable[[str], ColumnType | None]] = []
_VECTOR = re.compile(r"vector\((\d{1,6})\)")


def vector(dimensions: int) -> VectorType:
    """Return the type of vectors with ``dimensions`` float32 values (1 to 16,000)."""
    if not 1 <= dimensions <= MAX_DIMENSIONS:
        raise CatalogError(f"a vector has 1 to {MAX_DIMENSIONS} dimensions, not {dimensions}")
    return VectorType(f"vector({dimensions})", "matrix", dimensions=dimensions)


def register_type(column_type: ColumnType) -> None:
    """Make a type known by its name."""
    _BY_NAME[column_type.name] = column_type


def register_parser(parser: Callable[[str], ColumnType | None]) -> None:
    """Make a family of types known: a function that reads their names and gives None for others."""
    _PARSERS.append(parser)


def parse_type(name: str) -> ColumnType:
    """Return the type with this catalogue name."""
    if name in _BY_NAME:
        return _BY_NAME[name]
    match = _VECTOR.fullmatch(name)
    if match:
        return vector(int(match[1]))
    for parser in _PARSERS:
        found = parser(name)
        if found is not None:
            return found
    raise CatalogError(f"there is no column type {name!r}")
