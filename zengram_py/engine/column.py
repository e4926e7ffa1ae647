"""Columns: the values of one attribute, one place a slot.

Two kinds behind one face. A :class:`FixedColumn` holds the values themselves in a numpy array, with a second
array that marks nulls (made when the first null comes). A :class:`HeapColumn` holds int32 references into a heap
(heap.py). Slots are only ever appended; a version that keeps its predecessor's value copies the stored item
(:meth:`copy_from`), which for a heap column is the reference.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .growable import Growable
from .heap import NULL_REF, MatrixHeap, ValueHeap
from .keys import key_form
from .types import ColumnType, VectorType

Slots = NDArray[np.int32] | NDArray[np.int64] | Sequence[int]


class FixedColumn:
    """Values of a fixed width, in a numpy array."""

    def __init__(
        self,
        column_type: ColumnType,
        values: NDArray[Any] | None = None,
        nulls: NDArray[np.bool_] | None = None,
    ) -> None:
        self.type = column_type
        self._values: Growable[Any] = Growable(column_type.dtype, (), values)
        self._nulls: Growable[np.bool_] | None = None if nulls is None else Growable(np.bool_, (), nulls)

    def __len__(self) -> int:
        return len(self._values)

    def retype(self, column_type: ColumnType) -> None:
        """Take a type of the same stored forms: an enum's that has other labels as well."""
        self.type = column_type

    @property
    def values(self) -> NDArray[Any]:
        """Every slot's value, shape (n,); a null slot holds 0. A view: do not keep it across a write."""
        return self._values.view

    @property
    def nulls(self) -> NDArray[np.bool_] | None:
        """Every slot's null mark, shape (n,), or None when there is no null."""
        return None if self._nulls is None else self._nulls.view

    def append(self, value: Any) -> None:
        """Add one checked value (None is null)."""
        if value is None:
            self._need_nulls()
        if self._nulls is not None:
            self._nulls.append(value is None)
        self._values.append(0 if value is None else value)

    def extend(self, values: Sequence[Any] | NDArray[Any]) -> None:
        """Add many checked values: an array without nulls, or a sequence in which None is null."""
        if not isinstance(values, np.ndarray):
            marks = [value is None for value in values]
            if any(marks):
                self._need_nulls()
                values = [0 if value is None else value for value in values]
                assert self._nulls is not None
                self._nulls.extend(marks)
                self._values.extend(values)
                return
        if self._nulls is not None:
            self._nulls.extend_filled(len(values), False)
        self._values.extend(values)

    def fill(self, count: int, value: Any) -> None:
        """Add ``count`` times the same checked value; no loop over the slots."""
        if value is None:
            self._need_nulls()
        if self._nulls is not None:
            self._nulls.extend_filled(count, value is None)
        self._values.extend_filled(count, 0 if value is None else value)

    def put(self, slot: int, value: Any) -> None:
        """Overwrite a slot. Only for a column that no reader sees yet (a conversion fills it)."""
        if value is None:
            self._need_nulls()
        if self._nulls is not None:
            self._nulls.writable()[slot] = value is None
        self._values.writable()[slot] = 0 if value is None else value

    def copy_one(self, slot: int) -> None:
        """Add the item that a slot holds."""
        if self._nulls is not None:
            self._nulls.copy_item(slot)
        self._values.copy_item(slot)

    def copy_from(self, slots: Slots) -> None:
        """Add, for each of the slots, the item that it holds."""
        if self._nulls is not None:
            self._nulls.extend(self._nulls.view[slots])
        self._values.extend(self._values.view[slots])

    def get(self, slot: int) -> Any:
        """Return one stored value, None for null."""
        if self._nulls is not None and self._nulls.item(slot):
            return None
        return self._values.item(slot)

    def take(self, slots: Slots) -> list[Any]:
        """Return the stored values of many slots, None for null."""
        out: list[Any] = self._values.view[slots].tolist()
        if self._nulls is not None:
            for i in np.flatnonzero(self._nulls.view[slots]):
                out[i] = None
        return out

    def take_array(self, slots: Slots) -> NDArray[Any]:
        """Return the values of many slots as an array, without a Python loop; nulls are 0 there."""
        return self._values.view[slots]

    def equal(self, slots: Slots, value: Any) -> NDArray[np.bool_]:
        """Return which of the slots hold this value (null equals nothing)."""
        found: NDArray[np.bool_] = self._values.view[slots] == value
        if self._nulls is not None:
            found &= ~self._nulls.view[slots]
        return found

    def changed(self, slots: Slots, others: Slots) -> NDArray[np.bool_]:
        """Return where the value of one slot and that of another are different keys (nulls are equal, and so are NaNs)."""
        one, other = self._values.view[slots], self._values.view[others]
        found: NDArray[np.bool_] = one != other
        if one.dtype.kind == "f":
            found &= (one == one) | (other == other)
        if self._nulls is not None:
            null, other_null = self._nulls.view[slots], self._nulls.view[others]
            found = (found & ~(null & other_null)) | (null != other_null)
        return found

    def append_from(self, other: FixedColumn, slots: Slots) -> None:
        """Add the values that slots of another column of this type hold."""
        self.extend(other.take(slots))

    def compact(self, keep: Slots) -> Generator[None, None, FixedColumn]:
        """Make a column with only some of the slots."""
        yield from ()
        nulls = None if self._nulls is None else self._nulls.view[keep]
        return FixedColumn(
            self.type, self._values.view[keep], nulls if nulls is None or nulls.any() else None
        )

    @property
    def nbytes(self) -> int:
        """Bytes of the values and null marks."""
        return self._values.view.nbytes + (0 if self._nulls is None else self._nulls.view.nbytes)

    def _need_nulls(self) -> None:
        if self._nulls is None:
            self._nulls = Growable(np.bool_)
            self._nulls.extend_filled(len(self._values), False)


class HeapColumn:
    """Values in a heap, one int32 reference a slot."""

    def __init__(
        self,
        column_type: ColumnType,
        heap: ValueHeap | MatrixHeap | None = None,
        refs: NDArray[np.int32] | None = None,
    ) -> None:
        self.type = column_type
        self.heap = heap if heap is not None else make_heap(column_type)
        self._refs: Growable[np.int32] = Growable(np.int32, (), refs)
        self.kept_refs: NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return len(self._refs)

    def retype(self, column_type: ColumnType) -> None:
        """Take a type of the same stored forms: an enum's that has other labels as well."""
        self.type = column_type
        if isinstance(self.heap, ValueHeap):
            self.heap.type = column_type

    @property
    def refs(self) -> NDArray[np.int32]:
        """Every slot's reference, shape (n,), ``NULL_REF`` for null. A view: do not keep it across a write."""
        return self._refs.view

    def append(self, value: Any) -> None:
        """Add one checked value (None is null)."""
        self._refs.append(NULL_REF if value is None else self.heap.append(value))

    def extend(self, values: Sequence[Any] | NDArray[Any]) -> None:
        """Add many checked values; None is null."""
        self._refs.extend(self.heap.extend(values))

    def fill(self, count: int, value: Any) -> None:
        """Add ``count`` times the same checked value: one value in the heap."""
        self._refs.extend_filled(count, NULL_REF if value is None else self.heap.append(value))

    def put(self, slot: int, value: Any) -> None:
        """Overwrite a slot. Only for a column that no reader sees yet (a conversion fills it)."""
        self._refs.writable()[slot] = NULL_REF if value is None else self.heap.append(value)

    def copy_one(self, slot: int) -> None:
        """Add the reference that a slot holds."""
        self._refs.copy_item(slot)

    def copy_from(self, slots: Slots) -> None:
        """Add, for each of the slots, the reference that it holds."""
        self._refs.extend(self._refs.view[slots])

    def get(self, slot: int) -> Any:
        """Return one stored value, None for null."""
        ref = self._refs.item(slot)
        return None if ref < 0 else self.heap.get(ref)

    def take(self, slots: Slots) -> list[Any]:
        """Return the stored values of many slots, None for null."""
        return self.heap.take(self._refs.view[slots])

    def equal(self, slots: Slots, value: Any) -> NDArray[np.bool_]:
        """Return which of the slots hold this value (null equals nothing); references where they decide."""
        refs = self._refs.view[slots]
        heap = self.heap
        if isinstance(heap, MatrixHeap):
            return np.array([v is not None and np.array_equal(v, value) for v in self.take(slots)], bool)
        if heap.is_dictionary:
            ref = heap.find(value)
            return np.zeros(len(refs), bool) if ref is None else refs == ref
        return np.array([ref >= 0 and heap.get(ref) == value for ref in refs.tolist()], bool)

    def changed(self, slots: Slots, others: Slots) -> NDArray[np.bool_]:
        """Return where the value of one slot and that of another are different keys; values are read where references differ."""
        one, other = self._refs.view[slots], self._refs.view[others]
        found: NDArray[np.bool_] = one != other
        if isinstance(self.heap, ValueHeap) and self.heap.is_dictionary:
            return found
        places = np.flatnonzero(found)
        pairs = zip(self.heap.take(one[places]), self.heap.take(other[places]), strict=True)
        found[places] = [key_form(before) != key_form(after) for before, after in pairs]
        return found

    def compact(self, keep: Slots) -> Generator[None, None, HeapColumn]:
        """Make a column with only some of the slots, and a heap with only the values that they refer to.

        Yields between parts of the work; ``kept_refs`` of the result are the values' former references.
        """
        refs = self._refs.view[keep]
        present = refs >= 0
        is_used = np.zeros(len(self.heap), bool)
        is_used[refs[present]] = True
        used = np.flatnonzero(is_used).astype(np.int32)
        heap, places = yield from self.heap.subset(used)
        by_ref = np.full(len(is_used), NULL_REF, np.int32)
        by_ref[used] = places
        new = np.full(len(refs), NULL_REF, np.int32)
        new[present] = by_ref[refs[present]]
        column = HeapColumn(self.type, heap, new)
        column.kept_refs = used
        return column

    def append_from(self, other: HeapColumn, slots: Slots) -> None:
        """Add the values that slots of another column of this type hold."""
        self.extend(other.take(slots))

    @property
    def nbytes(self) -> int:
        """Bytes of the references (the heap tells its own)."""
        return self._refs.view.nbytes


Column = FixedColumn | HeapColumn


def make_heap(column_type: ColumnType) -> ValueHeap | MatrixHeap:
    """Return an empty heap for a column type with heap or matrix storage."""
    if isinstance(column_type, VectorType):
        return MatrixHeap(column_type.dimensions)
    return ValueHeap(column_type)


def make_column(column_type: ColumnType, slots: int = 0, fill: Any = None) -> Column:
    """Return a column of this type in which each of ``slots`` slots holds the checked value ``fill``."""
    column: Column = FixedColumn(column_type) if column_type.storage == "fixed" else HeapColumn(column_type)
    if slots:
        column.fill(slots, fill)
    return column
