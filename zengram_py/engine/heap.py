"""Heaps: where values live that do not fit a fixed width, shared between versions.

A version of a row holds an int32 *reference* into its column's heap. A new version whose value did not change
copies the reference, never the value::

    slot      0    1    2    3          heap     0         1         2
    content   0    1    0    2   ---->  values   "tea"     "rex"     "oolong"
                   slot 2 is a later version of the row in slot 0: same reference, same text

:class:`ValueHeap` keeps values as bytes (its type says how) in one buffer with int64 offsets. A buffer that came out
of a snapshot is decoded value by value, on first touch; new values stay Python objects in a tail until a snapshot folds
them into the buffer. :class:`MatrixHeap` keeps vectors as the rows of one float32 matrix.

A heap of few distinct values is a *dictionary*: equal values share one reference, so a filter such as
``scope = '/a'`` compares int32 references and decodes nothing. A heap starts as one and stops being one for good
when it has seen more than ``DICTIONARY_LIMIT`` distinct values.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import SnapshotError
from ..text.postings import ranges
from .growable import Growable
from .types import ColumnType, TextType

NULL_REF = -1
_COPIED_AT_ONCE = 4096
_LOOKED_AT_ONCE = 4096
_VECTORS_COPIED_AT_ONCE = 1024
_RUN = 8
_NO_BYTES = np.empty(0, np.uint8)  # shared by the heaps that hold nothing
_NO_OFFSETS = np.zeros(1, np.int64)
_NO_OFFSETS.setflags(write=False)
DICTIONARY_LIMIT = 1024


class ValueHeap:
    """Variable-length values behind int32 references.

    Parameters
    ----------
    column_type : ColumnType
        What the values are; it encodes and decodes them.
    """

    def __init__(self, column_type: ColumnType) -> None:
        self.type = column_type
        self._buffer: NDArray[np.uint8] = _NO_BYTES
        self._offsets: NDArray[np.int64] = _NO_OFFSETS
        self._frozen = 0  # values that are in the buffer
        self._values: list[Any] = []  # by reference; None: in the buffer, not decoded yet
        self._refs: dict[Any, int] | None = {} if column_type.shares_values else None  # of a dictionary
        self.decoded_bytes = 0
        """Bytes of the values that are in the buffer and, decoded, here too."""
        self._measured, self._tail_bytes = (
            0,
            0,
        )  # how many values of the tail were measured, and what they have

    def __len__(self) -> int:
        return len(self._values)

    @property
    def is_dictionary(self) -> bool:
        """Whether equal values are sure to have equal references."""
        return self._refs is not None

    def append(self, value: Any) -> int:
        """Store one value and return its reference (an earlier one, for an equal value of a dictionary)."""
        refs = self._refs
        if refs is not None:
            known = refs.get(value)
            if known is not None:
                return known
            if len(refs) >= DICTIONARY_LIMIT:
                self._refs = None
            else:
                refs[value] = len(self._values)
        self._values.append(value)
        return len(self._values) - 1

    def extend(self, values: Iterable[Any]) -> list[int]:
        """Store many values (None is null) and return their references."""
        given = values if isinstance(values, (list, tuple)) else list(values)
        out: list[int] = []
        at = 0
        while self._refs is not None and at < len(given):
            # A part at a time: where values repeat, the new ones of the part are found at once.
            part = given[at : at + _LOOKED_AT_ONCE]
            refs = self._refs
            new = [value for value in dict.fromkeys(part) if value is not None and value not in refs]
            if len(refs) + len(new) > DICTIONARY_LIMIT:
                self._refs = None  # this part is stored as it is, like the rest
                break
            for value in new:
                refs[value] = len(self._values)
                self._values.append(value)
            out += [NULL_REF if value is None else refs[value] for value in part]
            at += len(part)
        rest = given[at:]
        if None in rest:
            for value in rest:
                out.append(NULL_REF if value is None else len(self._values))
                if value is not None:
                    self._values.append(value)
        else:
            first = len(self._values)
            self._values.extend(rest)
            out += range(first, first + len(rest))
        return out

    def find(self, value: Any) -> int | None:
        """Return the reference of a value in a dictionary heap, or None when it holds no such value."""
        if self._refs is None:
            raise LookupError("only a dictionary heap finds values")
        return self._refs.get(value)

    def get(self, ref: int) -> Any:
        """Return one value as it is stored (JSON as its text)."""
        value = self._values[ref]
        if value is None:
            raw = self._buffer[self._offsets[ref] : self._offsets[ref + 1]].tobytes()
            try:
                value = self._values[ref] = self.type.decode(raw)
            except (ValueError, TypeError, ArithmeticError) as error:
                raise SnapshotError(f"a {self.type.name} of the snapshot cannot be read: {error}") from error
            self.decoded_bytes += len(raw)
        return value

    def take(self, refs: NDArray[np.integer[Any]]) -> list[Any]:
        """Return the values of many references, shape (n,); ``NULL_REF`` gives None.

        References that follow each other, as rows were written, are one slice.
        """
        values = self._values
        if _is_run(refs):
            out = values[int(refs[0]) : int(refs[-1]) + 1]
        else:
            out = [None if r < 0 else values[r] for r in refs.tolist()]
        if self._frozen and None in out:
            for i, ref in enumerate(refs.tolist()):
                if out[i] is None and ref >= 0:
                    out[i] = self.get(ref)
        return out

    def freeze(self) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Fold the tail into the buffer; return offsets of shape (n + 1,) and bytes, as a snapshot keeps them."""
        tail = self._values[self._frozen :]
        if tail:
            joined = "".join(tail) if isinstance(self.type, TextType) else ""
            if joined and joined.isascii():  # a character is a byte: all are encoded at once
                encoded, data = tail, joined.encode()
            else:
                encode = self.type.encode
                encoded = [encode(value) for value in tail]
                data = b"".join(encoded)
            lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
            offsets = np.concatenate([self._offsets, self._offsets[-1] + np.cumsum(lengths)])
            buffer = np.concatenate([self._buffer, np.frombuffer(data, np.uint8)])
            # Assigned at once: an interruption leaves all values in the tail, or all in the buffer.
            self._offsets, self._buffer, self._frozen = offsets, buffer, len(self._values)
            self._measured, self._tail_bytes = 0, 0
            self.decoded_bytes += len(data)
        return self._offsets, self._buffer

    def subset(self, used: NDArray[np.int32]) -> Generator[None, None, tuple[ValueHeap, NDArray[np.int32]]]:
        """Make a heap with only some of the values, and for each of them its reference there; yields between parts.

        Nothing is decoded, unless the values are few enough for a dictionary: then equal ones become one.

        Parameters
        ----------
        used : int32 array
            References, ascending.
        """
        heap = ValueHeap(self.type)
        if self.type.shares_values and len(used) <= DICTIONARY_LIMIT:
            return heap, np.array([heap.append(self.get(ref)) for ref in used.tolist()], np.int32)
        frozen = used[: int(np.searchsorted(used, self._frozen))]
        lengths = self._offsets[frozen + 1] - self._offsets[frozen]
        heap._offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        heap._buffer = np.empty(int(heap._offsets[-1]), np.uint8)
        for start in range(0, len(frozen), _COPIED_AT_ONCE):
            part = slice(start, start + _COPIED_AT_ONCE)
            counts, first = lengths[part], self._offsets[frozen[part]]
            places = ranges(first, counts)
            begin = int(heap._offsets[start])
            heap._buffer[begin : begin + len(places)] = self._buffer[places]
            yield
        heap._frozen = len(frozen)
        heap._values = [self._values[ref] for ref in used.tolist()]
        is_decoded = np.fromiter(
            (value is not None for value in heap._values[: len(frozen)]), bool, len(frozen)
        )
        heap.decoded_bytes = int(lengths[is_decoded].sum())
        heap._refs = None
        return heap, np.arange(len(used), dtype=np.int32)

    @classmethod
    def thaw(
        cls, column_type: ColumnType, offsets: NDArray[np.int64], buffer: NDArray[np.uint8]
    ) -> ValueHeap:
        """Build a heap over arrays that :meth:`freeze` gave; no value is decoded.

        Raises
        ------
        ValueError
            If the offsets do not fit the buffer.
        """
        if len(offsets) < 1 or offsets[0] != 0 or offsets[-1] != len(buffer) or (np.diff(offsets) < 0).any():
            raise ValueError("offsets do not fit the buffer")
        if isinstance(column_type, TextType):
            buffer.tobytes().decode()  # a UnicodeDecodeError is a ValueError
            starts = offsets[:-1][offsets[:-1] < len(buffer)]
            if (buffer[starts] & 0xC0 == 0x80).any():
                raise ValueError("a value begins inside a character")
        heap = cls(column_type)
        heap._offsets, heap._buffer = offsets, buffer
        heap._frozen = len(offsets) - 1
        heap._values = [None] * heap._frozen
        heap._refs = heap._read_dictionary()
        return heap

    def _read_dictionary(self) -> dict[Any, int] | None:
        """Return the dictionary of a thawed heap, or None if it was not one any more."""
        if self._frozen > DICTIONARY_LIMIT or not self.type.shares_values:
            return None
        return {self.get(ref): ref for ref in range(self._frozen)}

    @property
    def nbytes(self) -> int:
        """Bytes held, without Python's own overhead for each object."""
        new = self._values[
            self._frozen + self._measured :
        ]  # only what came since the last time: it is asked often
        self._tail_bytes += sum(len(v) if isinstance(v, (str, bytes)) else 0 for v in new)
        self._measured += len(new)
        return self._buffer.nbytes + self._offsets.nbytes + 8 * len(self._values) + self._tail_bytes


def _is_run(refs: NDArray[np.integer[Any]]) -> bool:
    """Return whether references follow each other; of a few it is not worth asking."""
    count = len(refs)
    if count < _RUN or refs[0] < 0 or refs[-1] - refs[0] != count - 1:
        return False
    return bool((refs[1:] - refs[:-1] == 1).all())


class MatrixHeap:
    """Float32 vectors of one length behind int32 references.

    Parameters
    ----------
    dimensions : int
        Values in each vector.
    """

    def __init__(self, dimensions: int, rows: NDArray[np.float32] | None = None) -> None:
        self.dimensions = dimensions
        self._rows: Growable[np.float32] = Growable(np.float32, (dimensions,), rows)

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def matrix(self) -> NDArray[np.float32]:
        """All vectors, shape (n, dimensions). A view: do not write to it, do not keep it across a write."""
        return self._rows.view

    def append(self, value: NDArray[np.float32]) -> int:
        """Store one vector and return its reference."""
        return self._rows.append(value)

    def extend(self, values: Sequence[Any] | NDArray[Any]) -> list[int]:
        """Store many vectors (None is null) and return their references."""
        start = len(self._rows)
        if isinstance(values, np.ndarray):
            self._rows.extend(values)
            return list(range(start, start + len(values)))
        present = [value for value in values if value is not None]
        if present:
            self._rows.extend(np.stack(present))
        refs = iter(range(start, start + len(present)))
        return [NULL_REF if value is None else next(refs) for value in values]

    def get(self, ref: int) -> NDArray[np.float32]:
        """Return a copy of one vector, shape (dimensions,)."""
        vector: NDArray[np.float32] = self._rows.view[ref].copy()
        return vector

    def take(self, refs: NDArray[np.integer[Any]]) -> list[NDArray[np.float32] | None]:
        """Return copies of many vectors; ``NULL_REF`` gives None."""
        return [None if ref < 0 else self.get(ref) for ref in refs.tolist()]

    def subset(self, used: NDArray[np.int32]) -> Generator[None, None, tuple[MatrixHeap, NDArray[np.int32]]]:
        """Make a heap with only some of the vectors, and for each of them its reference there; yields between parts."""
        rows = np.empty((len(used), self.dimensions), np.float32)
        source = self._rows.view  # rows are never changed
        for start in range(0, len(used), _VECTORS_COPIED_AT_ONCE):
            part = slice(start, start + _VECTORS_COPIED_AT_ONCE)
            np.take(source, used[part], axis=0, out=rows[part])
            yield
        return MatrixHeap(self.dimensions, rows), np.arange(len(used), dtype=np.int32)

    @property
    def nbytes(self) -> int:
        """Bytes of the vectors that are held."""
        return self._rows.view.nbytes
