"""What a running statement knows: its transaction, its parameters, the rows around it, and its limits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ...engine.reader import Reader
from ...engine.transaction import Transaction
from ..errors import error
from .column import Column

if TYPE_CHECKING:
    from ..session import Session

BATCH_ROWS = 65_536
STREAM_ROWS = 2_048


class Context:
    """One run of a statement.

    Attributes
    ----------
    session : Session
        Settings, what is drawn from sequences, the embedder.
    transaction : Transaction
        What it reads and writes.
    parameters : tuple
        Values of ``$1``, ``$2``, … in stored form.
    outer : dict
        The row around a correlated subquery: a constant column by (relation, column).
    results : dict
        What is computed once in a run, by the plan's node: common table expressions, subqueries that depend on nothing.
    reader : Reader
        What its scans read: the transaction's own, unless it was frozen.
    batch_rows : int
        How many rows a scan gives at once.
    profile : dict or None
        For ``explain analyze``: by the plan's node, its measurements.
    """

    def __init__(
        self,
        session: Session,
        transaction: Transaction,
        parameters: tuple[Any, ...] = (),
        *,
        batch_rows: int = BATCH_ROWS,
        deadline: float | None = None,
    ) -> None:
        self.session = session
        self.transaction = transaction
        self.parameters = parameters
        self.outer: dict[tuple[int, int], Column] = {}
        self.results: dict[Any, Any] = {}
        self.batch_rows = batch_rows
        self.deadline = deadline
        self.profile: dict[Any, Any] | None = None
        self.rows_made = 0
        self.reader = transaction.reader

    @property
    def now(self) -> int:
        """When the transaction began, microseconds since 1970."""
        return self.transaction.started

    def freeze(self) -> None:
        """Let everything read what is there now, whatever the statement writes from here on."""
        reader = self.transaction.reader
        writes = {table: written.copy() for table, written in reader.writes.items()}
        self.reader = Reader(reader.stores, reader.view, reader.catalog, writes)
        self.reader.read_set = reader.read_set

    def reader_at(self, timestamp: int | None) -> Reader:
        """Return what reads the state of a time (microseconds since 1970) on the transaction's branch; 22004 for null."""
        if timestamp is None:
            raise error("22004", "AS OF TIMESTAMP must not be null")
        found = self.results.get(("as of", timestamp))
        if found is None:
            database = self.session.database
            branch = database.tree.branches[self.transaction.view.branch].name
            # the transaction is kept: while it is open, a vacuum leaves alone what it reads
            found = self.results["as of", timestamp] = database.begin(branch=branch, as_of=timestamp)
        reader: Reader = found.reader
        return reader

    @contextmanager
    def inside(self, row: dict[tuple[int, int], Column]) -> Iterator[None]:
        """Set the columns of a row around what is run in the block, one row each."""
        before = self.outer
        for column in row.values():
            column.is_constant = True
            if column.nulls is not None and not column.nulls[0]:
                column.nulls = None  # a constant that has nulls is null
        self.outer = {**before, **row}
        try:
            yield
        finally:
            self.outer = before

    def check(self, rows: int = 0) -> None:
        """Refuse to go on after the statement's time (57014) or with more rows than the setting ``max_rows`` allows (54000)."""
        if self.deadline is not None and self.session.clock() > self.deadline:
            raise error("57014", "canceling statement due to statement timeout")
        if rows:
            self.rows_made += rows
            limit = self.session.max_rows
            if limit and self.rows_made > limit:
                message = f"the statement made more than {limit} rows on its way"
                raise error("54000", message, hint="SET max_rows to a greater number, or to 0 for no limit.")
