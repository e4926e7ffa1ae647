"""Columns of a batch: the values of one expression for many rows at once.

    constant        one value for all rows                       [7]            broadcasts like numpy's
    plain           a numpy array and where it is null           [3 0 5]  [. x .]
    coded           references into a heap of the engine         [0 2 2 1] ──▶ heap     decoded when somebody looks

A value is in the engine's stored form: a number, a date as days, a timestamp as microseconds, JSON as its text, an array as a
tuple. Types of fixed width are numpy arrays of their type (:func:`dtype_of`); all others are arrays of objects, with None for null. What a
fixed array holds where it is null is any value at all. Text of few different values stays coded, so that comparing, grouping
and joining compare int32 references, and a function of it runs once for each different value. Vectors stay rows of the heap's matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.heap import MatrixHeap, ValueHeap
from ..types import SqlType

Array = NDArray[Any]
Mask = NDArray[np.bool_]
Rows = NDArray[Any]
"""Places of rows: integers, or a mask."""

_DTYPES: dict[str, Any] = {
    "bool": np.bool_,
    "int2": np.int16,
    "int4": np.int32,
    "int8": np.int64,
    "float4": np.float32,
    "float8": np.float64,
    "timestamp": np.int64,
    "date": np.int32,
    "time": np.int64,
}
_OBJECT = np.dtype(object)


def dtype_of(sql_type: SqlType) -> Any:
    """Return the numpy type in which values of an SQL type are held: object for those without a fixed width."""
    if sql_type.category == "E":
        return np.int64
    return _DTYPES.get(sql_type.name, _OBJECT)


class Column:
    """One column; make one by :meth:`of`, :meth:`constant`, :meth:`coded` or from an array.

    Parameters
    ----------
    type : SqlType
        What the values are.
    values : array
        Shape (n,), or (1,) of a constant.
    nulls : bool array or None
        Where it is null, of the same shape; None if nowhere.
    is_constant : bool
        Whether the one value stands for any number of rows.
    """

    __slots__ = ("_values", "codes", "heap", "is_constant", "nulls", "type")

    def __init__(
        self, type: SqlType, values: Array | None, nulls: Mask | None = None, *, is_constant: bool = False
    ) -> None:
        self.type = type
        self._values = values
        if is_constant and nulls is not None and not nulls[0]:
            nulls = None  # who sees nulls of a constant takes it for null
        self.nulls = nulls
        self.is_constant = is_constant
        self.codes: NDArray[np.int32] | None = None
        self.heap: ValueHeap | MatrixHeap | None = None

    @classmethod
    def of(cls, type: SqlType, values: Sequence[Any]) -> Column:
        """Return a column of stored values, None for null."""
        dtype = dtype_of(type)
        nulls: Mask | None = None
        by_identity = type.name == "vector" or isinstance(
            values, np.ndarray
        )  # an array equals nothing as a whole
        if any(v is None for v in values) if by_identity else None in values:
            nulls = np.fromiter((v is None for v in values), bool, len(values))
        if dtype is _OBJECT:
            return cls(type, objects(values), nulls)
        if nulls is not None:
            values = [0 if v is None else v for v in values]
        return cls(type, np.array(values, dtype), nulls)

    @classmethod
    def constant(cls, type: SqlType, value: Any) -> Column:
        """Return a column that is one stored value in every row."""
        dtype = dtype_of(type)
        nulls = np.ones(1, bool) if value is None else None
        if dtype is _OBJECT:
            return cls(type, objects([value]), nulls, is_constant=True)
        return cls(type, np.array([0 if value is None else value], dtype), nulls, is_constant=True)

    @classmethod
    def coded(cls, type: SqlType, codes: NDArray[np.int32], heap: ValueHeap | MatrixHeap) -> Column:
        """Return a column of references into a heap, negative for null."""
        found = cls(type, None)
        found.codes, found.heap = codes, heap
        nulls = codes < 0
        found.nulls = nulls if nulls.any() else None
        return found

    def __len__(self) -> int:
        return len(self.codes) if self.codes is not None else len(self._values)  # type: ignore[arg-type]

    @property
    def values(self) -> Array:
        """The values, shape (n,); of types without a fixed width objects, with None for null."""
        if self._values is None:
            assert self.codes is not None
            assert self.heap is not None
            self._values = objects(self.heap.take(self.codes))
        return self._values

    @property
    def is_dictionary(self) -> bool:
        """Whether equal values are sure to have equal codes."""
        return isinstance(self.heap, ValueHeap) and self.heap.is_dictionary

    def matrix(self) -> NDArray[np.float32] | None:
        """Return vectors as rows, shape (n, dimensions), zeros for null; None if they differ in length."""
        if isinstance(self.heap, MatrixHeap) and self.codes is not None:
            if self.nulls is None:
                return self.heap.matrix[self.codes]
            found = np.zeros((len(self.codes), self.heap.dimensions), np.float32)
            found[~self.nulls] = self.heap.matrix[self.codes[~self.nulls]]
            return found
        lengths = {len(v) for v in self.values if v is not None}
        if len(lengths) > 1:
            return None
        found = np.zeros((len(self.values), lengths.pop() if lengths else 0), np.float32)
        for i, value in enumerate(self.values):
            if value is not None:
                found[i] = value
        return found

    def is_null(self, count: int) -> Mask:
        """Return where it is null, shape (count,)."""
        if self.nulls is None:
            return np.zeros(count, bool)
        return np.broadcast_to(self.nulls, (count,)) if self.is_constant else self.nulls

    def is_true(self, count: int) -> Mask:
        """Return where a boolean is true (not null), shape (count,)."""
        found: Mask = self.values if self.nulls is None else self.values & ~self.nulls
        return np.broadcast_to(found, (count,)) if self.is_constant else found

    def take(self, rows: Rows) -> Column:
        """Return some rows; a constant stays one."""
        if self.is_constant:
            return self
        if self.codes is not None:
            assert self.heap is not None
            found = Column(self.type, None if self._values is None else self._values[rows])
            found.codes, found.heap = self.codes[rows], self.heap
            found.nulls = None if self.nulls is None else self.nulls[rows]
            return found
        nulls = None if self.nulls is None else self.nulls[rows]
        return Column(self.type, self.values[rows], nulls)

    def take_or_null(self, rows: Rows) -> Column:
        """Return rows by their places; a place of -1 gives null."""
        missing = rows < 0
        if not missing.any():
            return self.expanded(1).take(rows) if self.is_constant else self.take(rows)
        column = self.expanded(1) if self.is_constant else self
        if not len(column):
            return nulls_of(self.type, len(rows))
        found = column.take(np.where(missing, 0, rows))
        found.nulls = missing if found.nulls is None else found.nulls | missing
        if found.codes is not None:
            found.codes = np.where(missing, np.int32(-1), found.codes)
            found._values = None
        elif found.values.dtype == _OBJECT:
            found.values[missing] = None
        return found

    def expanded(self, count: int) -> Column:
        """Return it with a value for each of so many rows, also if it is a constant."""
        if not self.is_constant:
            return self
        nulls = None if self.nulls is None else np.repeat(self.nulls, count)
        return Column(self.type, np.repeat(self.values, count), nulls)

    def as_type(self, type: SqlType) -> Column:
        """Return the same values under another type that holds them alike."""
        found = Column(type, self._values, self.nulls, is_constant=self.is_constant)
        found.codes, found.heap = self.codes, self.heap
        return found

    def tolist(self) -> list[Any]:
        """Return the stored values as Python's, None for null."""
        if self._values is None and self.codes is not None and self.heap is not None:
            return self.heap.take(self.codes)
        out: list[Any] = self.values.tolist()
        if self.nulls is not None and self.values.dtype != _OBJECT:
            for i in np.flatnonzero(self.nulls).tolist():
                out[i] = None
        return out

    def map(self, function: Callable[[Any], Any], type: SqlType) -> Column:
        """Return a function of each value that is not null; of coded values it is called once for each different one."""
        if self.codes is not None and isinstance(self.heap, ValueHeap):
            used, back = np.unique(self.codes, return_inverse=True)
            if 2 * len(used) < len(self.codes):
                values = self.heap.take(used)
                done = Column.of(type, [None if v is None else function(v) for v in values])
                return done.take(back)
        found = Column.of(type, [None if v is None else function(v) for v in self.tolist()])
        found.is_constant = self.is_constant
        return found


def objects(values: Iterable[Any]) -> Array:
    """Return an array of objects; numpy would make a matrix of tuples of one length."""
    given = values if isinstance(values, (list, tuple)) else list(values)
    found = np.empty(len(given), object)
    found[:] = given if not given or not isinstance(given[0], (tuple, list, np.ndarray)) else None
    if given and isinstance(given[0], (tuple, list, np.ndarray)):
        for i, value in enumerate(given):
            found[i] = value
    return found


def nulls_of(type: SqlType, count: int) -> Column:
    """Return a column of nulls."""
    dtype = dtype_of(type)
    values = np.empty(count, object) if dtype is _OBJECT else np.zeros(count, dtype)
    return Column(type, values, np.ones(count, bool))


def joined_nulls(columns: Sequence[Column]) -> Mask | None:
    """Return where any of some columns is null, broadcast together; None if nowhere."""
    found: Mask | None = None
    for column in columns:
        if column.nulls is not None:
            found = column.nulls if found is None else found | column.nulls
    return found


def concatenate(parts: Sequence[Column]) -> Column:
    """Return columns of one type one after the other; none of them a constant."""
    if len(parts) == 1:
        return parts[0]
    first = parts[0]
    if first.codes is not None and all(p.heap is first.heap for p in parts):
        codes = np.concatenate([p.codes for p in parts if p.codes is not None])
        assert first.heap is not None
        return Column.coded(first.type, codes, first.heap)
    nulls = None
    if any(p.nulls is not None for p in parts):
        nulls = np.concatenate([p.is_null(len(p)) for p in parts])
    return Column(first.type, np.concatenate([p.values for p in parts]), nulls)


class Batch:
    """Some rows: columns of one length, which constants have not.

    Attributes
    ----------
    columns : list of Column
        By place.
    count : int
        Rows.
    """

    __slots__ = ("columns", "count")

    def __init__(self, columns: list[Column], count: int) -> None:
        self.columns = columns
        self.count = count

    def take(self, rows: Rows) -> Batch:
        """Return some rows, by places or by a mask."""
        count = int(np.count_nonzero(rows)) if rows.dtype == np.bool_ else len(rows)
        return Batch([c.take(rows) for c in self.columns], count)

    def part(self, start: int, stop: int) -> Batch:
        """Return the rows from one place to another."""
        stop = min(stop, self.count)
        if start == 0 and stop == self.count:
            return self
        return self.take(np.arange(start, max(start, stop)))


def concatenate_batches(parts: Sequence[Batch], types: Sequence[SqlType]) -> Batch:
    """Return batches one after the other as one; ``types`` are those of the columns, for when there is no batch."""
    kept = [p for p in parts if p.count]
    if not kept:
        return Batch([Column.of(t, []) for t in types], 0)
    if len(kept) == 1:
        return kept[0]
    columns = []
    for i in range(len(kept[0].columns)):
        pieces = [p.columns[i].expanded(p.count) for p in kept]
        columns.append(concatenate(pieces))
    return Batch(columns, sum(p.count for p in kept))
