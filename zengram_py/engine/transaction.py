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
    ClosedError,
    TransactionError,
    TransactionTimeoutError,
)
from .definitions import ColumnDef, Definition, Name, SequenceDef, TableDef
from .dml import present
from .expr import Expr
from .index.ordered import KeyRange
from .reader import Reader
from .seen import SeenTable
from .stored_rows import StoredRows
from .text_search import TextSearch
from .vector_search import VectorSearch
from .view import View
from .writes import TableWrites

if TYPE_CHECKING:
    from .database import Database
    from .gin_search import GinSearch

SNAPSHOT = "snapshot"
SERIALIZABLE = "serializable"


class Transaction(StoredRows):
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
        self.started = database.clock.now()
        self.reader = Reader(database.stores, view, database.catalog.at(view), {})
        if isolation == SERIALIZABLE and not read_only:
            from .serializable import ReadSet

            self.reader.read_set = ReadSet()
        super().__init__()
        self._savepoints: list[tuple[str, dict[int, TableWrites], Any]] = []
        self.state = "open"  # the last: one that was not made to its end has nothing to undo

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
        if found.kind not in ("hash", "ordered"):
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
            self._check_open()  # a vacuum leaves alone only what open transactions read

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
        if self.reader.read_set is not None:
            self.reader.read_set.note_scan(definition, None)
        return SeenTable(definition, self.reader.stores[definition.id], self.view)

    # -- sequences ---------------------------------------------------------------------------------------------------

    def text_search(self, table: str | Name, index: str) -> TextSearch:
        """Return a full-text index as the transaction sees it now; ask it with :meth:`TextSearch.rank`."""
        definition = self._table(table)
        return TextSearch(self.reader, definition, definition.index(index))

    def vector_search(self, table: str | Name, index: str) -> VectorSearch:
        """Return a vector index as the transaction sees it now; ask it with :meth:`VectorSearch.nearest`."""
        definition = self._table(table)
        return VectorSearch(self.reader, definition, definition.index(index))

    def gin_search(self, table: str | Name, index: str) -> GinSearch:
        """Return a GIN index as the transaction sees it now; ask it with :meth:`GinSearch.candidates`."""
        from .gin_search import GinSearch

        definition = self._table(table)
        return GinSearch(self.reader, definition, definition.index(index))

    def nextval(self, sequence: str | Name) -> int:
        """Draw the next number of a sequence; it stays drawn when the transaction rolls back."""
        self._check_open()
        return self._database.sequences.next(self._sequence(sequence))

    def currval(self, sequence: str | Name) -> int:
        """Return the number of a sequence that was drawn last, by whomever."""
        self._check_open()
        return self._database.sequences.current(self._sequence(sequence))

    def draw(self, sequence: SequenceDef, count: int) -> Sequence[int]:
        """Draw numbers of a sequence, given by its definition, in order."""
        self._check_open()
        numbers = self._database.sequences
        if sequence.cycle or count == 1:
            return [numbers.next(sequence) for _ in range(count)]
        return numbers.draw(sequence, count)

    def set_next(self, sequence: SequenceDef, value: int) -> None:
        """Make a number the next one that is drawn; like drawing, this is not undone when the transaction rolls back."""
        self._check_open()
        self._database.sequences.set_next(sequence, value)

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
        elif kind is None and self.state in ("timed out", "closed"):
            self._check_open()  # the block must not end as if it had been committed

    def published(self) -> None:
        """Note that what it made is the database's now: whatever interrupts it later, nothing is to be undone."""
        self._undo.clear()

    def committed(self) -> None:
        """Note that a merge published this transaction."""
        self._end("committed")

    def expire(self, state: str = "timed out") -> None:
        """Roll back a transaction that was abandoned, or whose database was closed."""
        self._end(state)

    # -- for vacuums -------------------------------------------------------------------------------------------------

    def works_on(self, table: int) -> bool:
        """Return whether it holds on to slots of a table: in its writes, also saved ones, or in what it reads."""
        reader = self.reader
        return bool(
            reader.read_set is not None
            or reader.streaming.get(table)
            or any(writes.get(table) for writes in self._kept_writes())
        )

    def has_changes(self) -> bool:
        """Return whether it wrote anything, also what it may only come back to."""
        changes = [self.changes, *(schema[0] for _, _, schema in self._savepoints)]
        return any(changes) or any(any(writes.values()) for writes in self._kept_writes())

    def _kept_writes(self) -> list[dict[int, TableWrites]]:
        return [self.reader.writes, *(saved for _, saved, _ in self._savepoints)]

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
        if self.state == "closed":
            raise ClosedError("the database is closed")
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

    def _sequence(self, name: str | Name) -> SequenceDef:
        found = self.reader.catalog.find("sequence", name)
        if not isinstance(found, SequenceDef):
            raise CatalogError(f"there is no sequence {name!r}")
        return found
