"""What every part of the memory's face stands on: one database, one clock, and how calls read and write.

A call that writes is one transaction: all that it stores is there when it returns, or nothing is. Several calls become one
transaction in a batch::

    with memory.batch():                          turn, facts and provenance are committed together
        turn = memory.append_turn(…)
        memory.extract_with_facts(…)

Recall writes nothing; what it found is counted here, and the counts go out with the next call that writes (accesses.py).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..clock import Clock
from ..engine import Database, Transaction
from ..errors import (
    ClosedError,
    EmbedderError,
    InvalidArgumentError,
    NotFoundError,
    StateError,
    TransactionError,
    ZengramError,
)
from ..ids import UlidFactory
from .accesses import Accesses
from .entities import Extractor, check_entities, extract_entities
from .recall import Recaller
from .texts import check_text, text_of
from .token_counts import TokenCounts
from .vectors import check_vector

EmbedFunction = Callable[[str], Any]
MAIN = "main"
Following = Mapping[str, Sequence[str]]
"""What a thing can become, by what it is."""


class MemoryBase:
    """The state of an open memory.

    Attributes
    ----------
    dimensions : int
        Numbers in each vector.
    """

    def __init__(self, database: Database, dimensions: int, clock: Clock) -> None:
        self.dimensions = dimensions
        self._database = database
        self._clock = clock
        self._ids = UlidFactory(clock)
        self._recaller = Recaller()
        self._accesses_on: dict[str, Accesses] = {}
        self._tokens = TokenCounts()
        self._extract: Extractor = extract_entities
        self._embed_fn: EmbedFunction | None = None
        self._batch: Transaction | None = None
        self._in_use = MAIN
        """The memory branch that calls read and write."""
        self._owns_database = True
        self._sql: Any = None
        self._is_open = True

    def _begin(self, *, read_only: bool = False) -> Transaction:
        """Begin a transaction on the memory branch in use."""
        return self._database.begin(branch=self._in_use, read_only=read_only)

    @property
    def _accesses(self) -> Accesses:
        """What was recalled on the memory branch in use since the last write there."""
        return self._accesses_on.setdefault(self._in_use, Accesses())

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Make all calls inside the block one transaction: they are committed together at its end, or none is.

        Within it, calls see what those before them wrote, but recall and lists of facts show what was there before the batch. When a
        call in it fails, or the block raises, nothing of the batch is stored.

        Raises
        ------
        TransactionError
            If a batch is open already, or a call in it failed and the block went on.
        """
        self._check_open()
        if self._batch is not None:
            raise TransactionError("a batch is open already; batches do not nest")
        transaction = self._begin()
        self._batch = transaction
        try:
            yield
            self._check_open()
            if transaction.state != "open":
                raise TransactionError("a call in the batch failed, so nothing of the batch was stored")
            # Counts of what was recalled can wait: they are no reason to fail for who changed such a fact meanwhile.
            counted = self._database.timestamp == transaction.view.timestamp
            if counted:
                self._write_counts(transaction)
            transaction.commit()
            if counted:
                self._forget_counts()
        finally:
            self._batch = None
            if transaction.state == "open":
                transaction.rollback()

    @contextmanager
    def _writing(self) -> Iterator[Transaction]:
        """Give the transaction of a call that writes, and commit it at the end of the block (in a batch, at the end of that)."""
        self._check_open()
        batch = self._batch
        if batch is None:
            with self._begin() as transaction:
                yield transaction
                self._write_counts(transaction)
            self._forget_counts()
            return
        if batch.state != "open":
            raise TransactionError("an earlier call in the batch failed; nothing of the batch will be stored")
        try:
            yield batch
        except BaseException:
            if batch.state == "open":
                batch.rollback()
            raise

    def _write_counts(self, transaction: Transaction) -> None:
        """Let what reading has counted go out with what is written."""
        self._accesses.write(transaction)
        self._tokens.write(transaction)

    def _forget_counts(self) -> None:
        self._accesses.clear()
        self._tokens.clear()

    @contextmanager
    def _reading(self) -> Iterator[Transaction]:
        """Give a transaction that reads; in a batch it sees what the batch wrote."""
        self._check_open()
        if self._batch is not None and self._batch.state == "open":
            yield self._batch
            return
        with self._begin(read_only=True) as transaction:
            yield transaction

    def _row(self, transaction: Transaction, table: str, row_id: Any, what: str) -> dict[str, Any]:
        """Return the row that a caller named, or raise :class:`~zengram_py.errors.NotFoundError`."""
        row_id = check_text(row_id, f"{what} id")
        found = transaction.get(table, row_id)
        if found is None:
            raise NotFoundError(f"there is no {what} {row_id!r}")
        return found

    def _that_can_become(
        self,
        transaction: Transaction,
        place: tuple[str, str, str],
        row_id: Any,
        state: str,
        following: Following,
    ) -> dict[str, Any]:
        """Return the row that a caller named, if it can become what it is to become.

        Parameters
        ----------
        transaction : Transaction
            Who reads.
        place : tuple of str
            The table, the column that holds the state, and what a row is, for the error message.
        row_id : str
            The row.
        state : str
            What it is to become.
        following : mapping of str to sequence of str
            What it can become, by what it is.

        Raises
        ------
        NotFoundError
            If there is no such row.
        StateError
            If it is in a state from which there is no way there; the message names both.
        """
        table, column, what = place
        row = self._row(transaction, table, row_id, what)
        if state not in following.get(row[column], ()):
            raise StateError(f"{what} {row['id']!r} is {row[column]}; it cannot become {state}")
        return row

    def _check_open(self) -> None:
        if not self._is_open:
            raise ClosedError("the memory is closed")

    def _names_in(self, text: str) -> list[str]:
        """Return the names that the extractor finds in a text."""
        try:
            names = check_entities(self._extract(text))
        except ZengramError as error:
            raise InvalidArgumentError(f"the entity extractor gave no names: {error}") from error
        except Exception as error:  # the caller's code
            raise InvalidArgumentError(f"the entity extractor failed: {text_of(error)}") from error
        self._check_open()  # it may have closed this very memory
        return names

    def _embed(self, text: str) -> NDArray[np.float32]:
        if self._embed_fn is None:
            raise EmbedderError(
                "there is no embedder: set one with set_embed_fn (setEmbedFn in JavaScript), or pass a vector",
                code="EMBEDDER_MISSING",
            )
        try:
            result = self._embed_fn(text)
        except ZengramError:
            raise
        except Exception as error:
            raise EmbedderError(f"the embedder failed: {text_of(error)}") from error
        if inspect.isawaitable(result):
            if inspect.iscoroutine(result):
                result.close()
            raise EmbedderError(
                "the embedder is asynchronous; await the vector yourself and pass it along",
                code="EMBEDDER_ASYNC",
            )
        self._check_open()  # the embedder is the caller's code: it may have closed this very memory
        return check_vector(result, self.dimensions)
