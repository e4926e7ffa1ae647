"""Column types: what a value may be, and how a column stores it.

A type knows three things: which Python values it takes (:meth:`ColumnType.check`), which storage it has
(:attr:`ColumnType.storage`, see column.py), and its name in the catalogue (:func:`parse_type` reads it back).

    storage     types                                   a slot holds
    ---------   -------------------------------------   --------------------------------
    fixed       boolean int16 int32 int64               the value, in a numpy array
                float32 float64 timestamp
    heap        text bytes json                         an int32 reference into a byte heap
    matrix      vector(n)                               an int32 reference to a row of floats
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ..errors import CatalogError, TypeMismatchError

MAX_DIMENSIONS = 16_000


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

    def check(self, value: Any) -> Any:
        """Return the value as it is stored, or raise :class:`~zengram_py.errors.TypeMismatchError`."""
        raise NotImplementedError

    def present(self, value: Any) -> Any:
        """Return a stored value (or None) as callers see it."""
        return value

    @property
    def dtype(self) -> DTypeLike:
        """The numpy type of a fixed column."""
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
    """A whole number of 16, 32 or 64 bits."""

    bits: int = 64

    @property
    def dtype(self) -> DTypeLike:
        """The numpy type: int16, int32 or int64."""
        return np.dtype(f"i{self.bits // 8}")

    def check(self, value: Any) -> Any:
        """Take a whole number in range; a bool is not a number here."""
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
            raise self.refuse(value)
        limit = 1 << self.bits - 1
        if not -limit <= value < limit:
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
        """Take an int or a float (NaN and infinities too)."""
        if isinstance(value, (bool, np.bool_)) or not isinstance(
            value, (int, float, np.integer, np.floating)
        ):
            raise self.refuse(value)
        try:
            number = float(value)
        except OverflowError:
            raise self.refuse(value, "out of range") from None
        if self.bits == 32 and math.isfinite(number) and abs(number) > float(np.finfo(np.float32).max):
            raise self.refuse(value, "out of range")
        return number


class TextType(ColumnType):
    """Unicode text."""

    def check(self, value: Any) -> Any:
        """Take a str that can be written as UTF-8 (no lone surrogates)."""
        if not isinstance(value, str):
            raise self.refuse(value)
        if not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                raise self.refuse(value, "it holds a lone surrogate") from None
        return value


class BytesType(ColumnType):
    """Raw bytes."""

    def check(self, value: Any) -> Any:
        """Take bytes, bytearray or memoryview."""
        if not isinstance(value, (bytes, bytearray, memoryview)):
            raise self.refuse(value)
        return bytes(value)


class JsonType(ColumnType):
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


@dataclass(frozen=True)
class VectorType(ColumnType):
    """A fixed number of float32 values."""

    dimensions: int = 0

    def check(self, value: Any) -> Any:
        """Take anything that numpy turns into ``dimensions`` finite numbers; gives a float32 array of shape (n,)."""
        try:
            array = np.asarray(value, dtype=np.float32)
        except (TypeError, ValueError):
            raise self.refuse(value) from None
        if array.shape != (self.dimensions,):
            raise self.refuse(value, f"its shape is {array.shape}")
        if not np.isfinite(array).all():
            raise self.refuse(value, "it holds NaN or infinity")
        return array


BOOLEAN = BooleanType("boolean")
INT16 = IntegerType("int16", bits=16)
INT32 = IntegerType("int32", bits=32)
INT64 = IntegerType("int64", bits=64)
FLOAT32 = FloatType("float32", bits=32)
FLOAT64 = FloatType("float64", bits=64)
TIMESTAMP = IntegerType("timestamp", bits=64)
TEXT = TextType("text", "heap")
BYTES = BytesType("bytes", "heap")
JSON = JsonType("json", "heap")

_BY_NAME: dict[str, ColumnType] = {
    t.name: t for t in (BOOLEAN, INT16, INT32, INT64, FLOAT32, FLOAT64, TIMESTAMP, TEXT, BYTES, JSON)
}
_VECTOR = re.compile(r"vector\((\d{1,6})\)")


def vector(dimensions: int) -> VectorType:
    """Return the type of vectors with ``dimensions`` float32 values (1 to 16,000)."""
    if not 1 <= dimensions <= MAX_DIMENSIONS:
        raise CatalogError(f"a vector has 1 to {MAX_DIMENSIONS} dimensions, not {dimensions}")
    return VectorType(f"vector({dimensions})", "matrix", dimensions=dimensions)


def parse_type(name: str) -> ColumnType:
    """Return the type with this catalogue name."""
    if name in _BY_NAME:
        return _BY_NAME[name]
    match = _VECTOR.fullmatch(name)
    if match:
        return vector(int(match[1]))
    raise CatalogError(f"there is no column type {name!r}")
