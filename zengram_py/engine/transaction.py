"""Transactions: a snapshot to read and a private set of writes.

A transaction reads the database as it was when it began (snapshot isolation: Berenson et al. 1995) and keeps what it
writes to itself. Nothing of it is in any table before it commits, so rolling back is forgetting::

    begin ── view ──▶ reads ── write sets ──▶ commit: conflicts? constraints? ▶ log ▶ publish
                        ▲          │
                        └──────────┘  its own writes are laid over what it reads

Several transactions may be open at once. The first to commit a change of a row wins; a later one that wrote to the
same row gets a :class:`~zengram_py.errors.ConflictError` when it commits, and leaves nothing behind. A serializable one
also checks that nothing which it read has changed (serializable.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import (
    CatalogError,
    InvalidArgumentError,
    TransactionError,
    TransactionTimeoutError,
    TypeMismatchError,
)
from .catalog import ColumnDef, Definition, Name, SequenceDef, TableDef
from .column import Column
from .constraints import (
    batch_violations,
    check_row,
    children,
    key_of,
    parent_violations,
    still_referred,
    unique_violations,
)
from .ddl import SchemaChanges
from .expr import Expr, compile_expr
from .index.ordered import KeyRange
from .keys import Key, key_form
from .reader import Reader
from .table import IndexState, RowWrite, SlotArray, TableStore, Values
from .types import ColumnType
from .view import View
from .writes import TableWrites

if TYPE_CHECKING:
    from .database import Database

SNAPSHOT = "snapshot"
SERIALIZABLE = "serializable"


class Transaction(SchemaChanges):
    """One unit of reading and writing; made by :meth:`Database.begin`.

    As a context manager it commits at the end of the block, and rolls back when the block raises.

    Attributes
    ----------
    view : View
        The state that it reads.
    state : str
        ``"open"``, ``"committed"`` or ``"rolled back"``.
    """

    def __init__(
        self,
        database: Database,
        view: View,
        *,
        isolation: str = SNAPSHOT,
        read_only: bool = False,
        deadline: int | None = None,
    ) -> None:
        self._database = database
        self.view = view
        self.isolation = isolation
        self.read_only = read_only
        self.deadline = deadline
        self.state = "open"
        self.started = database.clock.now()
        self.reader = Reader(database.stores, view, database.catalog.at(view), {})
        if isolation == SERIALIZABLE and not read_only:
            from .serializable import ReadSet

            self.reader.read_set = ReadSet()
        super().__init__()
        self._savepoints: list[tuple[str, dict[int, TableWrites], Any]] = []

    # -- reading -----------------------------------------------------------------------------------------------------

    def get(self, table: str | Name, key: Any) -> dict[str, Any] | None:
        """Return the row with this primary key, or None.

        Parameters
        ----------
        table : str
            The table's name: ``"t"``, ``"schema.t"``, ``"database.schema.t"`` or a tuple of these.
        key : value or tuple of values
            The primary key; a tuple for a composite one.
        """
        definition = self._table(table)
        for _, values in self._by_primary_key(definition, key):
            return present(definition, values)
        return None

    def lookup(self, table: str | Name, index: str, *key: Any) -> list[dict[str, Any]]:
        """Return the rows whose key in a hash or ordered index is this one, oldest entry first."""
        definition = self._table(table)
        found = definition.index(index)
        if found.kind == "flat":
            raise CatalogError(f"index {index!r} of table {definition.title!r} has no keys to look up")
        return [
            present(definition, values)
            for _, values in self.reader.rows_of_key(definition, found, self._key(definition, index, key))
        ]

    def range(
        self,
        table: str | Name,
        index: str,
        low: Any = None,
        high: Any = None,
        *,
        low_inclusive: bool = True,
        high_inclusive: bool = True,
        prefix: str | None = None,
        descending: bool = False,
    ) -> Iterator[dict[str, Any]]:
        """Yield the rows in a range of an ordered index, in its order (nulls last).

        Parameters
        ----------
        table, index : str
            Names.
        low, high : value or tuple, optional
            Bounds of the key, or of its first parts; unbounded when left out.
        low_inclusive, high_inclusive : bool
            Whether the bounds belong.
        prefix : str, optional
            In place of bounds: the key's first part begins with this.
        descending : bool
            From the end.
        """
        definition = self._table(table)
        found = definition.index(index)
        bounds = [
            None if b is None else self._key(definition, index, b if isinstance(b, tuple) else (b,))
            for b in (low, high)
        ]
        wanted = KeyRange(bounds[0], bounds[1], low_inclusive, high_inclusive, prefix, descending)
        for _, values in self.reader.rows_in_range(definition, found, wanted):
            yield present(definition, values)

    def scan(
        self, table: str | Name, columns: Sequence[str] | None = None, where: Expr | None = None
    ) -> Iterator[dict[str, Any]]:
        """Yield the rows of a table: committed ones in slot order, then those that the transaction wrote.

        Parameters
        ----------
        table : str
            The table's name.
        columns : sequence of str, optional
            Which columns to read; all when left out.
        where : expression, optional
            A condition (expr.py) over stored values.
        """
        definition = self._table(table)
        names = [c.name for c in definition.columns] if columns is None else list(columns)
        data = self.reader.columns(definition, names, where)
        lists = [d.tolist() if isinstance(d, np.ndarray) else d for d in data.values()]
        for row in zip(*lists, strict=True):
            yield dict(zip(names, row, strict=True))

    def read(
        self, table: str | Name, columns: Sequence[str], where: Expr | None = None
    ) -> dict[str, NDArray[Any] | list[Any]]:
        """Return columns of a table by name, in the order of :meth:`scan`.

        A column of fixed width is a numpy array (masked where it holds nulls), read without a Python loop; any other
        column is a list.
        """
        return self.reader.columns(self._table(table), columns, where)

    def count(self, table: str | Name, where: Expr | None = None) -> int:
        """Return the number of rows that satisfy a condition."""
        definition = self._table(table)
        own = sum(1 for _ in self.reader.own_rows(definition, where))
        return len(self.reader.committed_slots(definition, where)) + own

    def seen(self, table: str | Name) -> SeenTable:
        """Return a table's columns and the committed slots that the view sees, without the transaction's own writes."""
        definition = self._table(table)
        return SeenTable(definition, self.reader.stores[definition.id], self.view)

    # -- writing -----------------------------------------------------------------------------------------------------

    def insert(self, table: str | Name, row: Mapping[str, Any]) -> dict[str, Any]:
        """Add a row; columns that are left out take their default. Return it as it was stored.

        Raises
        ------
        CatalogError, TypeMismatchError, NotNullError, CheckError, UniqueError, ForeignKeyError
        """
        definition, writes = self._write_to(table)
        known = definition.by_name
        for name in row:
            if name not in known:
                definition.column(name)
        values: Values = {}
        for column in definition.columns:
            if column.name in row:
                if column.identity == "always":
                    raise InvalidArgumentError(f"column {column.name!r} is generated always; leave it out")
                value = row[column.name]
                values[column.id] = None if value is None else column.type.check(value)
            else:
                values[column.id] = self._checked_default(column)
        check_row(definition, values)
        raise_first(unique_violations(self.reader, definition, None, values))
        number = writes.insert(values)
        try:
            raise_first(parent_violations(self.reader, definition, values, deferred=False))
        except BaseException:
            writes.put(number, RowWrite(dead=True))
            raise
        return present(definition, values)

    def insert_many(self, table: str | Name, columns: Mapping[str, Sequence[Any] | NDArray[Any]]) -> int:
        """Add rows given by columns, all of one length; return how many.

        A column that is a numpy array of its type's kind is taken as it is, without a Python loop.
        """
        definition, writes = self._write_to(table)
        lengths = {len(values) for values in columns.values()}
        if len(lengths) > 1:
            raise InvalidArgumentError(f"the columns differ in length: {sorted(lengths)}")
        count = lengths.pop() if lengths else 0
        if not count:
            return 0
        known = definition.by_name
        for name in columns:
            if name not in known:
                definition.column(name)
        checked: dict[int, Any] = {}
        for column in definition.columns:
            if column.name in columns:
                if column.identity == "always":
                    raise InvalidArgumentError(f"column {column.name!r} is generated always; leave it out")
                checked[column.id] = check_many(column.type, columns[column.name])
            else:
                checked[column.id] = self._defaults(column, count)
            values = checked[column.id]
            if not column.nullable and not isinstance(values, np.ndarray) and any(v is None for v in values):
                check_row(definition, {c.id: None for c in definition.columns})
        batch = writes.insert_batch(count, checked)
        try:
            if definition.checks:
                for offset in range(count):
                    check_row(definition, batch.values(offset))
            raise_first(batch_violations(self.reader, definition, batch))
            if any(not key.deferred for key in definition.foreign_keys):
                for offset in range(count):
                    raise_first(
                        parent_violations(self.reader, definition, batch.values(offset), deferred=False)
                    )
        except BaseException:
            writes.batches.remove(batch)
            writes.forget_shape()
            raise
        return count

    def update(self, table: str | Name, key: Any, changes: Mapping[str, Any]) -> bool:
        """Change columns of the row with this primary key; return whether there was one."""
        definition, _ = self._write_to(table)
        for row, values in self._by_primary_key(definition, key):
            self._change(definition, row, values, self._checked(definition, changes))
            return True
        return False

    def update_where(self, table: str | Name, where: Expr | None, changes: Mapping[str, Any]) -> int:
        """Change columns of all rows that satisfy a condition; return how many.

        A change is a value, or ``{"expr": tree}`` for one that is computed from the row as it was.
        """
        definition, _ = self._write_to(table)
        fixed = {n: v for n, v in changes.items() if not (isinstance(v, dict) and set(v) == {"expr"})}
        computed = {n: compile_expr(changes[n]["expr"]) for n in changes if n not in fixed}
        constant = self._checked(definition, fixed)
        found = list(self.reader.rows(definition, where))
        for row, values in found:
            by_id = dict(constant)
            if computed:
                named = {c.name: values[c.id] for c in definition.columns}
                by_id |= self._checked(definition, {n: function(named) for n, function in computed.items()})
            self._change(definition, row, values, by_id)
        return len(found)

    def delete(self, table: str | Name, key: Any) -> bool:
        """Delete the row with this primary key; return whether there was one."""
        definition, _ = self._write_to(table)
        for row, values in self._by_primary_key(definition, key):
            self._remove(definition, row, values)
            return True
        return False

    def delete_where(self, table: str | Name, where: Expr | None) -> int:
        """Delete all rows that satisfy a condition; return how many."""
        definition, _ = self._write_to(table)
        found = list(self.reader.rows(definition, where))
        for row, values in found:
            writes = self.reader.writes.get(definition.id)
            gone = writes is not None and writes.hides(row) and writes.values(row) is None
            if not gone:  # a cascade may have taken it
                self._remove(definition, row, values)
        return len(found)

    def nextval(self, sequence: str | Name) -> int:
        """Draw the next number of a sequence; it stays drawn when the transaction rolls back."""
        self._check_open()
        return self._database.sequences.next(self._sequence(sequence))

    def currval(self, sequence: str | Name) -> int:
        """Return the number of a sequence that was drawn last, by whomever."""
        self._check_open()
        return self._database.sequences.current(self._sequence(sequence))

    # -- finishing ---------------------------------------------------------------------------------------------------

    def commit(self) -> int:
        """Publish the writes and return the commit timestamp (microseconds); without writes, the view's.

        Raises
        ------
        ConflictError
            If another transaction committed a change of something that this one wrote. Nothing was applied, and the
            transaction is over: begin another and try again.
        SerializationError
            If the transaction is serializable and what it read has changed. Likewise.
        ConstraintError
            If the writes break a constraint together with what others committed. Likewise.
        """
        self._check_open()
        try:
            timestamp = self._database.commit(self)
        except BaseException:
            self._end("rolled back")
            raise
        self._end("committed")
        return timestamp

    def rollback(self) -> None:
        """Forget the writes."""
        self._check_open()
        self._end("rolled back")

    def savepoint(self, name: str) -> None:
        """Mark this point; :meth:`rollback_to_savepoint` returns to it."""
        self._check_open()
        self._savepoints.append(
            (name, {t: w.copy() for t, w in self.reader.writes.items()}, self._save_schema())
        )

    def rollback_to_savepoint(self, name: str) -> None:
        """Forget the writes since a savepoint, which stays."""
        self._check_open()
        position = self._savepoint_position(name)
        _, saved, schema = self._savepoints[position]
        self.reader.writes.clear()
        self.reader.writes.update({table: w.copy() for table, w in saved.items()})
        self._restore_schema(schema)
        del self._savepoints[position + 1 :]

    def release_savepoint(self, name: str) -> None:
        """Forget a savepoint and those after it; the writes stay."""
        self._check_open()
        del self._savepoints[self._savepoint_position(name) :]

    def __enter__(self) -> Transaction:
        return self

    def __del__(self) -> None:
        if getattr(self, "state", "") == "open":
            self._undo_schema()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.state == "open":
            if kind is None:
                self.commit()
            else:
                self.rollback()

    def committed(self) -> None:
        """Note that a merge published this transaction."""
        self._end("committed")

    def expire(self) -> None:
        """Roll back a transaction that was abandoned."""
        self._end("timed out")

    # -- for merges --------------------------------------------------------------------------------------------------

    def adopt(self, changes: Mapping[int, Definition | None]) -> None:
        """Take definitions of another branch as this transaction's changes."""
        self.changes.update(changes)
        self._refresh()

    def writes_to(self, definition: TableDef) -> TableWrites:
        """Return the write set of a table."""
        return self._writes(definition)

    def default_of(self, column: ColumnDef) -> Any:
        """Return a column's default, checked."""
        return self._checked_default(column)

    # -- parts -------------------------------------------------------------------------------------------------------

    def _check_open(self) -> None:
        if self.state == "open" and self.deadline is not None and self._database.clock.now() > self.deadline:
            self.expire()
        if self.state == "timed out":
            raise TransactionTimeoutError("the transaction was open for too long and was rolled back")
        if self.state != "open":
            raise TransactionError(f"the transaction is over: it was {self.state}")

    def _check_writable(self) -> None:
        self._check_open()
        if self.read_only:
            raise TransactionError("the transaction is read-only")

    def _end(self, state: str) -> None:
        if state != "committed":
            self._undo_schema()
        self.state = state
        self.reader.writes.clear()
        self._savepoints.clear()
        self._database.finished(self)

    def _savepoint_position(self, name: str) -> int:
        for position in range(len(self._savepoints) - 1, -1, -1):
            if self._savepoints[position][0] == name:
                return position
        raise TransactionError(f"there is no savepoint {name!r}")

    def _table(self, name: str | Name) -> TableDef:
        self._check_open()
        return self.reader.catalog.table(name)

    def _write_to(self, name: str | Name) -> tuple[TableDef, TableWrites]:
        self._check_writable()
        definition = self.reader.catalog.table(name)
        return definition, self._writes(definition)

    def _writes(self, definition: TableDef) -> TableWrites:
        writes = self.reader.writes.get(definition.id)
        if writes is None:
            writes = TableWrites(self.reader.stores[definition.id])
            self.reader.writes[definition.id] = writes
        return writes

    def _sequence(self, name: str | Name) -> SequenceDef:
        found = self.reader.catalog.find("sequence", name)
        if not isinstance(found, SequenceDef):
            raise CatalogError(f"there is no sequence {name!r}")
        return found

    def _default(self, column: ColumnDef) -> Any:
        tree = column.default
        if tree is None:
            return None
        if isinstance(tree, list) and tree[0] == "nextval":
            return self._database.sequences.next(self._sequence_by_id(tree[1]))
        if tree == ["now"]:
            return self.started
        return compile_expr(tree)({})

    def _defaults(self, column: ColumnDef, count: int) -> Any:
        tree = column.default
        if isinstance(tree, list) and tree[0] == "nextval":
            drawn = self._database.sequences.draw(self._sequence_by_id(tree[1]), count)
            return check_many(column.type, np.array(drawn, np.int64))
        return [self._checked_default(column)] * count

    def _sequence_by_id(self, number: int) -> SequenceDef:
        found = self.reader.catalog.by_id.get(number)
        if not isinstance(found, SequenceDef):
            raise CatalogError("the column's sequence does not exist")
        return found

    @staticmethod
    def _checked(definition: TableDef, changes: Mapping[str, Any]) -> Values:
        out: Values = {}
        for name, value in changes.items():
            column = definition.column(name)
            if column.identity == "always":
                raise InvalidArgumentError(f"column {name!r} is generated always; it cannot be set")
            out[column.id] = None if value is None else column.type.check(value)
        return out

    def _key(self, definition: TableDef, index: str, key: Sequence[Any]) -> Key:
        """Return a caller's key in the form in which an index compares it."""
        trees = definition.index(index).keys
        if len(key) > len(trees):
            raise InvalidArgumentError(f"index {index!r} has {len(trees)} keys, not {len(key)}")
        return tuple(_index_value(definition, tree, part) for tree, part in zip(trees, key, strict=False))

    def _by_primary_key(self, definition: TableDef, key: Any) -> Iterator[tuple[int, Values]]:
        if not definition.primary_key:
            raise CatalogError(f"table {definition.title!r} has no primary key")
        parts = key if isinstance(key, tuple) else (key,)
        if len(parts) != len(definition.primary_key):
            raise InvalidArgumentError(
                f"the primary key of {definition.title!r} has {len(definition.primary_key)} columns, not {len(parts)}"
            )
        index = definition.indexes[0]
        return self.reader.rows_of_key(definition, index, self._key(definition, index.name, parts))

    def _change(self, definition: TableDef, row: int, before: Values, changes: Values) -> None:
        """Keep a changed row: check it, move what refers to it along, and write it down."""
        after = {**before, **changes}
        check_row(definition, after)
        raise_first(unique_violations(self.reader, definition, row, after))
        writes = self._writes(definition)
        earlier = writes.rows.get(row)
        if row < 0:
            write = RowWrite(values=after)
        elif earlier is None:
            slot = self.reader.slot_of(definition, row)
            write = RowWrite(slot, slot, changes)
        else:
            write = RowWrite(earlier.base, earlier.template, {**earlier.values, **changes})
        moved = list(self._follow_update(definition, before, after))
        writes.put(row, write)
        for table, child, child_before, child_changes in moved:
            self._change(table, child, child_before, child_changes)
        raise_first(parent_violations(self.reader, definition, after, deferred=False))

    def _follow_update(
        self, definition: TableDef, before: Values, after: Values
    ) -> Iterator[tuple[TableDef, int, Values, Values]]:
        for table, foreign, found in children(self.reader, definition, before):
            old = key_of(definition, foreign.ref_columns, before)
            new = key_of(definition, foreign.ref_columns, after)
            if old == new:
                continue
            if foreign.on_update == "restrict":
                if not foreign.deferred:
                    raise still_referred(definition, table, foreign, old)
                continue
            by_name = definition.by_name
            for row, values in found:
                changes = {
                    table.column(column).id: after[by_name[ref].id]
                    if foreign.on_update == "cascade"
                    else None
                    for column, ref in zip(foreign.columns, foreign.ref_columns, strict=True)
                }
                yield table, row, values, changes

    def _remove(self, definition: TableDef, row: int, before: Values) -> None:
        """Keep a deleted row, and what its removal does to those that refer to it."""
        dependents = list(children(self.reader, definition, before))
        for table, foreign, found in dependents:
            others = [r for r, _ in found if (table.id, r) != (definition.id, row)]
            if others and foreign.on_delete == "restrict" and not foreign.deferred:
                raise still_referred(
                    definition, table, foreign, key_of(definition, foreign.ref_columns, before)
                )
        writes = self._writes(definition)
        earlier = writes.rows.get(row)
        base = self.reader.slot_of(definition, row) if earlier is None else earlier.base
        writes.put(row, RowWrite(base, dead=True))
        for table, foreign, found in dependents:
            for child, values in found:
                own = self.reader.writes.get(table.id)
                if own is not None and own.hides(child) and own.values(child) is None:
                    continue  # gone already: a row that refers to itself, or by two keys
                if foreign.on_delete == "cascade":
                    self._remove(table, child, values)
                elif foreign.on_delete == "set_null":
                    self._change(table, child, values, {table.column(c).id: None for c in foreign.columns})


class SeenTable:
    """A table as arrays, for code that works on columns.

    Attributes
    ----------
    store : TableStore
        The rows with all their versions.
    slots : int32 array
        Where the versions are that the view sees, ascending.
    """

    def __init__(self, definition: TableDef, store: TableStore, view: View) -> None:
        self._definition = definition
        self.store = store
        self.view = view
        self.slots: SlotArray = store.slots(view)

    def column(self, name: str) -> Column:
        """Return a column by name."""
        return self.store.columns[self._definition.column(name).id]

    def index(self, name: str) -> IndexState:
        """Return an index by name."""
        return self.store.indexes[self._definition.index(name).id]

    def where(self, name: str, value: Any) -> SlotArray:
        """Return the slots whose column holds a stored value."""
        return self.slots[self.column(name).equal(self.slots, value)]

    def rows(self, slots: SlotArray) -> NDArray[np.int32]:
        """Return the hidden row ids of slots."""
        rows: NDArray[np.int32] = self.store.system["row"].view[slots]
        return rows


def present(definition: TableDef, values: Values) -> dict[str, Any]:
    """Return stored values as the row that callers see."""
    return {c.name: c.type.present(values[c.id]) for c in definition.columns}


def check_many(column_type: ColumnType, values: Sequence[Any] | NDArray[Any]) -> Any:
    """Return checked values: an array as it is when it fits, else a list in which None is null."""
    if isinstance(values, np.ndarray) and not isinstance(values, np.ma.MaskedArray):
        if column_type.storage == "matrix":
            shape = (len(values), column_type.dimensions)  # type: ignore[attr-defined]
            if values.shape == shape and values.dtype.kind in "fiu":
                matrix = values.astype(np.float32)
                if np.isfinite(matrix).all():
                    return matrix
        elif column_type.storage == "fixed" and values.ndim == 1 and not hasattr(column_type, "labels"):
            fitted = _fit(column_type, values)
            if fitted is not None:
                return fitted
    items = values.tolist() if isinstance(values, np.ndarray) and column_type.storage != "matrix" else values
    check = column_type.check
    return [None if item is None else check(item) for item in items]


def _fit(column_type: ColumnType, values: NDArray[Any]) -> NDArray[Any] | None:
    """Return an array in a fixed column's type when each value fits, else None."""
    wanted = np.dtype(column_type.dtype)
    if wanted.kind == "i" and values.dtype.kind in "iu":
        least, most = column_type.bounds  # type: ignore[attr-defined]
        if len(values) and (int(values.min()) < least or int(values.max()) > most):
            return None
        return values.astype(wanted)
    if wanted.kind == "b" and values.dtype.kind == "b":
        return values.copy()
    if wanted.kind == "f" and values.dtype.kind in "fiu":
        with np.errstate(over="ignore"):
            out = values.astype(wanted)
        return (
            out
            if np.isinf(out).sum() == (np.isinf(values).sum() if values.dtype.kind == "f" else 0)
            else None
        )
    return None


def raise_first(errors: Iterator[Exception]) -> None:
    """Raise the first of some errors, if there is one."""
    for error in errors:
        raise error


def _index_value(definition: TableDef, tree: Expr, value: Any) -> Any:
    if value is not None and isinstance(tree, list) and tree[0] == "col":
        try:
            value = definition.column(tree[1]).type.check(value)
        except TypeMismatchError:
            if not isinstance(value, (int, float)):
                raise
    return key_form(value)
