"""Transactions: a snapshot to read and a private set of writes.

A transaction reads the database as it was when it began (snapshot isolation: Berenson et al. 1995) and keeps what it
writes to itself. Nothing of it is in any table before it commits, so rolling back is forgetting::

    begin ── view ──▶ reads ── write set ──▶ commit: check conflicts and constraints ▶ log ▶ publish
                        ▲          │
                        └──────────┘  its own writes are laid over what it reads

Several transactions may be open at once. The first to commit a change of a row wins; a later one that wrote to the
same row gets a :class:`~zengram_py.errors.ConflictError` when it commits, and leaves nothing behind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import (
    CatalogError,
    InvalidArgumentError,
    NotNullError,
    PrimaryKeyError,
    TransactionError,
    UniqueError,
)
from .catalog import TableDef
from .expr import compile_expr
from .index.base import Key
from .table import SlotArray, TableStore
from .view import View

if TYPE_CHECKING:
    from .database import Database

Values = list[Any]


class TableWrites:
    """What a transaction wrote to one table.

    A row is known by its hidden row id; a row that the transaction inserted has a negative one until it commits.
    """

    def __init__(self, store: TableStore) -> None:
        self.store = store
        self.inserted: dict[int, Values] = {}
        self.changed: dict[
            int, tuple[int, dict[int, Any]]
        ] = {}  # row -> (slot it was in, changes by position)
        self.deleted: dict[int, int] = {}  # row -> slot it was in
        self._last_own = 0

    def insert(self, values: Values) -> int:
        """Keep a new row and return its negative id."""
        self._last_own -= 1
        self.inserted[self._last_own] = values
        return self._last_own

    def hides(self, row: int) -> bool:
        """Return whether the committed version of a row is not what the transaction sees."""
        return row in self.changed or row in self.deleted

    def values_of(self, row: int) -> Values | None:
        """Return the values of a row that the transaction inserted or changed, else None."""
        if row in self.inserted:
            return self.inserted[row]
        if row in self.changed:
            slot, changes = self.changed[row]
            values = self.store.row_values(slot)
            for position, value in changes.items():
                values[position] = value
            return values
        return None

    def copy(self) -> TableWrites:
        """Return a copy that later writes do not change (values themselves are never changed in place)."""
        other = TableWrites(self.store)
        other.inserted = {row: list(values) for row, values in self.inserted.items()}
        other.changed = {row: (slot, dict(changes)) for row, (slot, changes) in self.changed.items()}
        other.deleted = dict(self.deleted)
        other._last_own = self._last_own
        return other

    def __bool__(self) -> bool:
        return bool(self.inserted or self.changed or self.deleted)


class _ValuesRow:
    """A list of values as a mapping from column name to value."""

    __slots__ = ("_positions", "_values")

    def __init__(self, positions: Mapping[str, int], values: Values) -> None:
        self._positions, self._values = positions, values

    def __getitem__(self, name: str) -> Any:
        return self._values[self._positions[name]]


class Transaction:
    """One unit of reading and writing; made by :meth:`Database.begin`.

    As a context manager it commits at the end of the block, and rolls back when the block raises.
    """

    def __init__(self, database: Database, view: View, *, read_only: bool = False) -> None:
        self._database = database
        self.view = view
        self.read_only = read_only
        self.state = "open"
        self.writes: dict[int, TableWrites] = {}
        self._savepoints: list[tuple[str, dict[int, TableWrites]]] = []

    # -- reading -----------------------------------------------------------------------------------------------------

    def get(self, table: str, key: Any) -> dict[str, Any] | None:
        """Return the row with this primary key, or None.

        Parameters
        ----------
        table : str
            The table's name.
        key : value or tuple of values
            The primary key; a tuple for a composite one.
        """
        found = self._find(self._store(table), key)
        return None if found is None else found[1]

    def lookup(self, table: str, index: str, *key: Any) -> list[dict[str, Any]]:
        """Return the rows whose key in a hash index is this one, oldest entry first."""
        store = self._store(table)
        number = self._index_number(store, index)
        return [self._row(store, values) for _, values in self._rows_of_key(store, number, key)]

    def scan(self, table: str, columns: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
        """Yield the rows of a table: committed ones in slot order, then those that the transaction inserted.

        Parameters
        ----------
        table : str
            The table's name.
        columns : sequence of str, optional
            Which columns to read; all when left out.
        """
        store = self._store(table)
        names = list(store.positions) if columns is None else list(columns)
        positions = [self._position(store, name) for name in names]
        slots = np.flatnonzero(store.visible(self.view)).astype(np.int32)
        writes = self.writes.get(store.definition.id)
        rows = store.system["row"].view[slots].tolist()
        present = [store.definition.columns[position].type.present for position in positions]
        values = [store.columns[position].take(slots) for position in positions]

        def shown(stored: Iterable[Any]) -> dict[str, Any]:
            return {n: show(value) for n, show, value in zip(names, present, stored, strict=True)}

        for row, stored in zip(rows, zip(*values, strict=True), strict=True):
            if writes is None or not writes.hides(row):
                yield shown(stored)
            elif (own := writes.values_of(row)) is not None:
                yield shown(own[p] for p in positions)
        for own in [] if writes is None else list(writes.inserted.values()):
            yield shown(own[p] for p in positions)

    # -- writing -----------------------------------------------------------------------------------------------------

    def insert(self, table: str, row: Mapping[str, Any]) -> None:
        """Add a row; columns that are left out take their default.

        Raises
        ------
        CatalogError, TypeMismatchError, NotNullError, PrimaryKeyError, UniqueError
        """
        writes = self._writes(table)
        store = writes.store
        for name in row:
            self._position(store, name)
        values: Values = []
        for column in store.definition.columns:
            if column.name in row:
                value = row[column.name]
            else:
                value = None if column.default is None else compile_expr(column.default)({})
            values.append(self._checked(store.definition, column.name, value))
        self._check_unique(store, values, None)
        writes.insert(values)

    def update(self, table: str, key: Any, changes: Mapping[str, Any]) -> bool:
        """Change columns of the row with this primary key; return whether there was one."""
        writes = self._writes(table)
        store = writes.store
        found = self._find(store, key)
        if found is None:
            return False
        row = found[0]
        by_position = {
            self._position(store, name): self._checked(store.definition, name, value)
            for name, value in changes.items()
        }
        values = self._stored_values(store, row)
        for position, value in by_position.items():
            values[position] = value
        self._check_unique(store, values, row)
        if row < 0:
            writes.inserted[row] = values
        else:
            slot, earlier = writes.changed.get(row) or (store.slot_of_row(self.view, row), {})
            writes.changed[row] = (slot, {**earlier, **by_position})
        return True

    def delete(self, table: str, key: Any) -> bool:
        """Delete the row with this primary key; return whether there was one."""
        writes = self._writes(table)
        found = self._find(writes.store, key)
        if found is None:
            return False
        row = found[0]
        if row < 0:
            del writes.inserted[row]
        else:
            writes.changed.pop(row, None)
            writes.deleted[row] = writes.store.slot_of_row(self.view, row)
        return True

    # -- finishing ---------------------------------------------------------------------------------------------------

    def commit(self) -> int:
        """Publish the writes and return the commit timestamp (microseconds); without writes, the view's.

        Raises
        ------
        ConflictError
            If another transaction committed a change of a row that this one wrote. Nothing was applied, and the
            transaction is over: begin another and try again.
        ConstraintError
            If the writes break a constraint together with what others committed. Likewise.
        """
        self._check_open()
        try:
            timestamp = self._database._commit(self)
        except BaseException:
            self._finish("rolled back")
            raise
        self._finish("committed")
        return timestamp

    def rollback(self) -> None:
        """Forget the writes."""
        self._check_open()
        self._finish("rolled back")

    def savepoint(self, name: str) -> None:
        """Mark this point; :meth:`rollback_to_savepoint` returns to it."""
        self._check_open()
        self._savepoints.append((name, {table: w.copy() for table, w in self.writes.items()}))

    def rollback_to_savepoint(self, name: str) -> None:
        """Forget the writes since a savepoint, which stays."""
        self._check_open()
        position = self._savepoint_position(name)
        saved = self._savepoints[position][1]
        self.writes = {table: w.copy() for table, w in saved.items()}
        del self._savepoints[position + 1 :]

    def release_savepoint(self, name: str) -> None:
        """Forget a savepoint and those after it; the writes stay."""
        self._check_open()
        del self._savepoints[self._savepoint_position(name) :]

    def __enter__(self) -> Transaction:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.state == "open":
            if kind is None:
                self.commit()
            else:
                self.rollback()

    # -- parts -------------------------------------------------------------------------------------------------------

    def _check_open(self) -> None:
        if self.state != "open":
            raise TransactionError(f"the transaction is over: it was {self.state}")

    def _finish(self, state: str) -> None:
        self.state = state
        self.writes = {}
        self._savepoints = []
        self._database._closed(self)

    def _savepoint_position(self, name: str) -> int:
        for position in range(len(self._savepoints) - 1, -1, -1):
            if self._savepoints[position][0] == name:
                return position
        raise TransactionError(f"there is no savepoint {name!r}")

    def _store(self, table: str) -> TableStore:
        self._check_open()
        return self._database._table(table, self.view)

    def _writes(self, table: str) -> TableWrites:
        store = self._store(table)
        if self.read_only:
            raise TransactionError("the transaction is read-only")
        return self.writes.setdefault(store.definition.id, TableWrites(store))

    @staticmethod
    def _position(store: TableStore, column: str) -> int:
        try:
            return store.positions[column]
        except KeyError:
            raise CatalogError(f"table {store.definition.name!r} has no column {column!r}") from None

    @staticmethod
    def _index_number(store: TableStore, name: str) -> int:
        for number, state in enumerate(store.indexes):
            if state.definition.name == name and state.definition.kind == "hash":
                return number
        raise CatalogError(f"table {store.definition.name!r} has no hash index {name!r}")

    @staticmethod
    def _checked(definition: TableDef, name: str, value: Any) -> Any:
        column = definition.columns[definition.positions[name]]
        if value is None:
            if not column.nullable:
                raise NotNullError(
                    f"column {name!r} of table {definition.name!r} must have a value",
                    table=definition.name,
                    constraint=name,
                )
            return None
        return column.type.check(value)

    def _find(self, store: TableStore, key: Any) -> tuple[int, dict[str, Any]] | None:
        """Return (row id, row) by primary key, as the transaction sees it."""
        definition = store.definition
        if not definition.primary_key:
            raise CatalogError(f"table {definition.name!r} has no primary key")
        parts = key if isinstance(key, tuple) else (key,)
        if len(parts) != len(definition.primary_key):
            raise InvalidArgumentError(
                f"the primary key of {definition.name!r} has {len(definition.primary_key)} columns, not {len(parts)}"
            )
        for row, values in self._rows_of_key(store, 0, parts):
            return row, self._row(store, values)
        return None

    def _rows_of_key(self, store: TableStore, index: int, key: Key) -> Iterator[tuple[int, Values]]:
        """Yield (row id, stored values) of the rows with a key in a hash index, as the transaction sees them."""
        writes = self.writes.get(store.definition.id)
        rows = store.system["row"].view
        for slot in store.slots_of_key(self.view, index, key):
            row = int(rows[slot])
            if writes is None or not writes.hides(row):
                yield row, self._stored_values(store, row)
        if writes is not None:
            state = store.indexes[index]
            for row in [*writes.changed, *writes.inserted]:
                values = writes.values_of(row)
                assert values is not None
                if None not in key and state.key(_ValuesRow(store.positions, values)) == key:
                    yield row, values

    def _stored_values(self, store: TableStore, row: int) -> Values:
        """Return the stored values of a row, as the transaction sees it."""
        writes = self.writes.get(store.definition.id)
        own = writes.values_of(row) if writes is not None else None
        return list(own) if own is not None else store.row_values(store.slot_of_row(self.view, row))

    @staticmethod
    def _row(store: TableStore, values: Values) -> dict[str, Any]:
        """Return stored values as the row that callers see."""
        columns = store.definition.columns
        return {c.name: c.type.present(value) for c, value in zip(columns, values, strict=True)}

    def _check_unique(self, store: TableStore, values: Values, own_row: int | None) -> None:
        for number, state in enumerate(store.indexes):
            if not state.definition.unique:
                continue
            key = state.key(_ValuesRow(store.positions, values))
            for row, _ in self._rows_of_key(store, number, key):
                if row != own_row:
                    raise unique_violation(store, number, key)

    def slots_seen(self, table: str) -> tuple[TableStore, SlotArray]:
        """Return a table's store and the committed slots that the view sees, without the transaction's own writes."""
        store = self._store(table)
        return store, np.flatnonzero(store.visible(self.view)).astype(np.int32)


def unique_violation(store: TableStore, index: int, key: Key) -> UniqueError:
    """Return the error for a key that is there already."""
    state = store.indexes[index]
    name, table = state.definition.name, store.definition.name
    shown = ", ".join(repr(part) for part in key)
    is_primary = index == 0 and bool(store.definition.primary_key)
    kind = PrimaryKeyError if is_primary else UniqueError
    what = "primary key" if is_primary else f"unique key of index {name!r}"
    return kind(f"table {table!r} already has a row with {what} ({shown})", table=table, constraint=name)
