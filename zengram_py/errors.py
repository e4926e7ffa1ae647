"""Every error that Zengram raises, on one page.

    ZengramError
    ├── InvalidArgumentError          a call was given something of the wrong kind
    │   ├── DimensionError            ``dim`` is not a whole number of at least 1
    │   ├── NotFoundError             an id that names nothing
    │   ├── StateError                what an id names is in a state that does not allow this
    │   └── VectorError               a vector that cannot be stored or searched
    │       ├── VectorTypeError       not a sequence of numbers
    │       ├── VectorLengthError     not ``dim`` numbers (an empty one too)
    │       ├── VectorZeroError       all zeros: it has no direction
    │       └── VectorNotFiniteError  holds NaN or infinity
    ├── EmbedderError                 none was set, it failed, or it is asynchronous
    ├── InternalError                 a fault of Zengram's own, met across the bridge
    ├── MigrationError                a database whose tables cannot become those of a memory
    ├── ClosedError                   the memory, database or transaction is closed
    ├── SnapshotError                 bytes that are not an intact snapshot
    ├── LogError                      a log that has a gap, damage in its middle, or another database's records
    ├── StoreError                    a database folder that cannot be opened, read or written
    │   └── StoreLockedError          another process has it open
    ├── SqlError                      a statement is refused; ``sqlstate`` and ``position`` say why and where
    └── EngineError                   the database refused
        ├── CatalogError              no such table, column or index, or it exists already
        ├── TypeMismatchError         a value does not fit its column's type
        ├── BranchError               no such branch, or one that cannot do this
        ├── SequenceError             a sequence is at its end
        ├── TransactionError          a call that this transaction cannot take (now)
        │   └── TransactionTimeoutError   it was open for too long and was rolled back
        ├── ConflictError             another transaction changed the row first: run yours again
        │   └── SerializationError    what a serializable transaction read has changed: run it again
        └── ConstraintError           the change would break a constraint
            ├── NotNullError
            ├── CheckError
            ├── ForeignKeyError
            └── UniqueError
                └── PrimaryKeyError

In JavaScript the same error arrives as an ``Error`` whose ``name`` is the class name, whose ``code`` is
the class's :attr:`~ZengramError.code` and whose ``message`` is the text.
"""

from __future__ import annotations


class ZengramError(Exception):
    """Base of every error raised by Zengram.

    Attributes
    ----------
    code : str
        A stable identifier of the kind of error, in capitals. Compare this, not the message.
    """

    code: str = "ZENGRAM"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code


class InvalidArgumentError(ZengramError):
    """A call was given an argument of the wrong kind."""

    code = "INVALID_ARGUMENT"


class DimensionError(InvalidArgumentError):
    """The number of dimensions is not a whole number within bounds."""

    code = "INVALID_DIMENSION"


class NotFoundError(InvalidArgumentError):
    """An id that names nothing here: no such fact, session, branch, turn or tool call."""

    code = "NOT_FOUND"


class StateError(InvalidArgumentError):
    """What an id names is in a state that does not allow the call; the message names the state."""

    code = "INVALID_STATE"


class VectorError(InvalidArgumentError):
    """A vector that cannot be stored or searched."""

    code = "VECTOR"


class VectorTypeError(VectorError):
    """A vector that is not a one-dimensional sequence of numbers."""

    code = "VECTOR_TYPE"


class VectorLengthError(VectorError):
    """A vector whose length is not the memory's dimension."""

    code = "VECTOR_LENGTH"


class VectorZeroError(VectorError):
    """A vector of zeros, which has no direction and so no cosine."""

    code = "VECTOR_ZERO"


class VectorNotFiniteError(VectorError):
    """A vector that holds NaN or infinity."""

    code = "VECTOR_NOT_FINITE"


class EmbedderError(ZengramError):
    """No embedder was set (``EMBEDDER_MISSING``), it is asynchronous (``EMBEDDER_ASYNC``) or it failed."""

    code = "EMBEDDER_FAILED"


class InternalError(ZengramError):
    """A fault of Zengram's own, met across the bridge; please report it."""

    code = "INTERNAL"


class MigrationError(ZengramError):
    """A database whose tables cannot become those of a memory; nothing was changed.

    It has a table of its own under a name that a memory needs (``MIGRATION_CLASH``), was made by a later version
    (``MIGRATION_UNKNOWN``), or a migration is recorded with another checksum (``MIGRATION_CHECKSUM``).
    """

    code = "MIGRATION"


class ClosedError(ZengramError):
    """The memory or database was closed."""

    code = "CLOSED"


class SnapshotError(ZengramError):
    """Bytes that are not an intact snapshot, or one that this version cannot read.

    Attributes
    ----------
    section : str
        The part of the file that is at fault: ``"header"``, ``"footer"``, ``"manifest"`` or a section's name.
    """

    code = "SNAPSHOT_DAMAGED"

    def __init__(self, message: str, *, section: str = "file", code: str | None = None) -> None:
        super().__init__(message, code=code)
        self.section = section


class LogError(ZengramError):
    """A log that cannot be replayed: a gap, damage before its end, or records of another database.

    Attributes
    ----------
    lsn : int or None
        The record at which replay stopped; those before it were applied.
    """

    code = "LOG_DAMAGED"

    def __init__(self, message: str, *, lsn: int | None = None, code: str | None = None) -> None:
        super().__init__(message, code=code)
        self.lsn = lsn


class StoreError(ZengramError):
    """A database folder that cannot be opened, read or written; what is on disk is as it was."""

    code = "STORE_FAILED"


class StoreLockedError(StoreError):
    """Another process has the database folder open."""

    code = "STORE_LOCKED"


class SqlError(ZengramError):
    """A statement that is refused before or while it runs, with PostgreSQL's code for the reason.

    Attributes
    ----------
    code : str
        PostgreSQL's name of the condition in capitals, such as ``UNDEFINED_TABLE``.
    sqlstate : str
        PostgreSQL's five characters for the condition, such as ``42P01`` (sql/errors.py lists them).
    position : int or None
        Where in the text, counted in characters from 1; None if the error has no place.
    detail, hint : str
        More about the error, and what may help; empty if there is nothing to say.
    """

    code = "INTERNAL_ERROR"
    sqlstate = "XX000"

    def __init__(
        self,
        message: str,
        *,
        sqlstate: str = "XX000",
        code: str | None = None,
        position: int | None = None,
        detail: str = "",
        hint: str = "",
    ) -> None:
        super().__init__(message, code=code)
        self.sqlstate = sqlstate
        self.position = position
        self.detail = detail
        self.hint = hint


class EngineError(ZengramError):
    """Base of the errors of the database engine."""

    code = "ENGINE"


class CatalogError(EngineError):
    """A table, column or index that does not exist, or exists already."""

    code = "CATALOG"


class TypeMismatchError(EngineError):
    """A value that does not fit the type of its column."""

    code = "TYPE_MISMATCH"


class BranchError(EngineError):
    """A branch that does not exist, or cannot do what was asked."""

    code = "BRANCH"


class SequenceError(EngineError):
    """A sequence that has reached its end, or was not drawn from yet."""

    code = "SEQUENCE"


class TransactionError(EngineError):
    """A call that the transaction cannot take in its present state."""

    code = "TRANSACTION_STATE"


class TransactionTimeoutError(TransactionError):
    """The transaction was open for longer than it may be, and was rolled back."""

    code = "TRANSACTION_TIMEOUT"


class ConflictError(EngineError):
    """Another transaction changed the same row first; nothing of this one was applied.

    Attributes
    ----------
    table : str
        The table in which the transactions met.
    key : object
        The primary key of the row, or its hidden row id where the table has none.
    """

    code = "CONFLICT"

    def __init__(self, message: str, *, table: str = "", key: object = None) -> None:
        super().__init__(message)
        self.table = table
        self.key = key


class SerializationError(ConflictError):
    """What a serializable transaction read was changed by another one; nothing of it was applied."""

    code = "SERIALIZATION"


class ConstraintError(EngineError):
    """A change that would break a constraint; nothing was applied.

    Attributes
    ----------
    table : str
        The table whose constraint it is.
    constraint : str
        The constraint's name.
    value : object
        The value or key that breaks it.
    """

    code = "CONSTRAINT"

    def __init__(self, message: str, *, table: str = "", constraint: str = "", value: object = None) -> None:
        super().__init__(message)
        self.table = table
        self.constraint = constraint
        self.value = value


class NotNullError(ConstraintError):
    """A null in a column that must have a value."""

    code = "NOT_NULL"


class CheckError(ConstraintError):
    """A row that makes a check false."""

    code = "CHECK"


class ForeignKeyError(ConstraintError):
    """A reference to a row that is not there, or the removal of a row that is referred to.

    Attributes
    ----------
    referenced : bool
        Whether it is the row that is referred to which would go.
    restricted : bool
        Whether its removal is forbidden whatever else happens to those that refer to it.
    """

    code = "FOREIGN_KEY"
    referenced = False
    restricted = False


class UniqueError(ConstraintError):
    """A key that is there already."""

    code = "UNIQUE"


class PrimaryKeyError(UniqueError):
    """A primary key that is there already."""

    code = "PRIMARY_KEY"
