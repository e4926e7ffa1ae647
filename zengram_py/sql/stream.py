"""Streams: the rows of a query a few at a time, in memory that does not grow with the result.

A stream reads one state from its first row to its last, whatever is written meanwhile: it has a read-only transaction of its own until it is
closed, or it is part of the open block and ends with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..engine import Transaction
from ..errors import ZengramError
from .bound import Output
from .errors import error
from .execute.column import Batch
from .execute.context import STREAM_ROWS, Context
from .failures import translated
from .plan.whole import rows_of
from .stack import roomy

if TYPE_CHECKING:
    from .plan.whole import QueryPlan
    from .session import Session


class Stream:
    """An open result.

    Attributes
    ----------
    outputs : tuple of Output
        Its columns.
    """

    def __init__(
        self,
        session: Session,
        transaction: Transaction,
        plan: QueryPlan,
        outputs: tuple[Output, ...],
        values: tuple[Any, ...],
        *,
        owned: bool,
    ) -> None:
        self.outputs = outputs
        self._session = session
        self._transaction: Transaction | None = transaction
        self._owned = owned
        self._context: Context = session.context(transaction, values)
        self._context.batch_rows = STREAM_ROWS
        self._batches: Iterator[Batch] = plan.batches(self._context)
        self._tables = [table.id for table in transaction.reader.catalog.tables()]
        self._hold(1)

    def _hold(self, step: int) -> None:
        """Keep a vacuum from renumbering what the plan is in the middle of."""
        assert self._transaction is not None
        streaming = self._transaction.reader.streaming
        for table in self._tables:
            streaming[table] = streaming.get(table, 0) + step

    @roomy
    def rows(self) -> list[tuple[Any, ...]]:
        """Return the next rows, in stored form; none at the end, at which it closes."""
        if self._transaction is None:
            return []
        if self._transaction.state != "open":
            self.close()
            raise error("34000", "the transaction of this cursor is over")
        timeout = self._session.settings.timeout
        self._context.deadline = self._session.clock() + timeout if timeout else None
        try:
            for batch in self._batches:
                if batch.count:
                    return rows_of(batch)
        except BaseException as failure:
            catalog = self._transaction.reader.catalog
            self.close()
            if isinstance(failure, ZengramError):
                raise translated(failure, catalog) from failure.__cause__
            raise
        self.close()
        return []

    def close(self) -> None:
        """Let go of what it reads; closing twice is nothing."""
        transaction = self._transaction
        if transaction is None:
            return
        close = getattr(self._batches, "close", None)
        if close is not None:
            close()
        self._hold(-1)
        self._transaction = None
        if self._owned and transaction.state == "open":
            transaction.rollback()

    def __del__(self) -> None:
        self.close()


class Gathered:
    """A result that is there already, as a stream."""

    def __init__(self, outputs: tuple[Output, ...], rows: list[tuple[Any, ...]]) -> None:
        self.outputs = outputs
        self._rows = rows

    def rows(self) -> list[tuple[Any, ...]]:
        """Return all rows, then none."""
        found, self._rows = self._rows, []
        return found

    def close(self) -> None:
        """Let go of the rows."""
        self._rows = []
