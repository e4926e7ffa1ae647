"""A numpy array that grows by doubling, and may begin as a read-only view of a snapshot."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

Scalar = TypeVar("Scalar", bound=np.generic)
_FIRST_CAPACITY = 16


class Growable(Generic[Scalar]):
    """An array with room at its end; adding n items costs O(n) on average.

    Parameters
    ----------
    dtype : numpy dtype
        Type of the items.
    item_shape : tuple of int
        Shape of one item, ``()`` for scalars.
    initial : numpy array, optional
        Items to begin with. It is not copied: it may be read-only memory of a snapshot, and is copied on the
        first write (:meth:`writable`) or when the array grows.
    """

    __slots__ = ("_data", "_size")

    def __init__(
        self, dtype: DTypeLike, item_shape: tuple[int, ...] = (), initial: NDArray[Scalar] | None = None
    ) -> None:
        self._data: NDArray[Any] = _nothing(np.dtype(dtype), item_shape) if initial is None else initial
        self._size = len(self._data)

    def __len__(self) -> int:
        return self._size

    @property
    def view(self) -> NDArray[Scalar]:
        """The items, shape (n, ...). Do not keep it across a write: growing moves the array."""
        return self._data[: self._size]

    def replace(self, items: NDArray[Scalar]) -> None:
        """Hold these items instead; they are not copied (see ``initial``), and the earlier ones are left as they are."""
        self._data, self._size = items, len(items)

    def item(self, position: int) -> Any:
        """Return one item as a Python object; the quickest way to read a single one."""
        return self._data.item(position)

    def copy_item(self, position: int) -> None:
        """Add an item that is there already once more."""
        at = self._size
        self._reserve(at + 1)
        self._data[at] = self._data[position]
        self._size = at + 1

    def copy_items(self, positions: Any) -> None:
        """Add items that are there already once more."""
        self.extend(self._data[positions])

    def writable(self) -> NDArray[Scalar]:
        """Return the items for changing in place; a snapshot's read-only memory is copied first."""
        if not self._data.flags.writeable:
            self._data = self._data.copy()
        return self._data[: self._size]

    def append(self, item: Any) -> int:
        """Add one item and return its position."""
        at = self._size
        data = self._data
        if at >= len(data) or not data.flags.writeable:
            self._reserve(at + 1)
            data = self._data
        data[at] = item
        self._size = at + 1
        return at

    def extend(self, items: ArrayLike) -> None:
        """Add many items (an array or a list)."""
        array = np.asarray(items, self._data.dtype)
        end = self._size + len(array)
        self._reserve(end)
        self._data[self._size : end] = array
        self._size = end

    def extend_filled(self, count: int, value: Any) -> None:
        """Add ``count`` times the same item."""
        end = self._size + count
        self._reserve(end)
        self._data[self._size : end] = value
        self._size = end

    def _reserve(self, needed: int) -> None:
        if needed > len(self._data) or not self._data.flags.writeable:
            capacity = max(needed, 2 * len(self._data), _FIRST_CAPACITY)
            grown = np.empty((capacity, *self._data.shape[1:]), self._data.dtype)
            grown[: self._size] = self._data[: self._size]
            self._data = grown


@lru_cache
def _nothing(dtype: np.dtype[Any], item_shape: tuple[int, ...]) -> NDArray[Any]:
    """Return the array of no items that all empty ones share: a schema makes thousands of them."""
    return np.empty((0, *item_shape), dtype)
