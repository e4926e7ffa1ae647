"""A transaction block: what stands between ``begin`` and ``commit``.

    begin ──▶ open ──a statement fails──▶ failed ──rollback to savepoint──▶ open
                │                            │
                └──commit, rollback──▶ over ◀─┘ rollback, or a commit that is one

A block that failed takes nothing but its end, or a return to a savepoint (25P02), as in PostgreSQL: what the failed statement left half
done is never seen, so that no statement needs a savepoint of its own.
"""

from __future__ import annotations

from ..engine import Database, Transaction
from ..errors import BranchError, TransactionError
from .errors import error
from .settings import Settings


def begin(database: Database, settings: Settings, isolation: str, read_only: bool) -> Transaction:
    """Begin a transaction where the settings say.

    Raises
    ------
    SqlError
        42704 if the branch is gone, 55000 if the past that is to be read was vacuumed.
    """
    try:
        return database.begin(
            branch=settings.branch,
            isolation="serializable" if isolation == "serializable" else "snapshot",
            as_of=settings.as_of,
            read_only=read_only,
        )
    except BranchError:
        hint = "RESET branch goes back to main."
        raise error("42704", f'branch "{settings.branch}" does not exist', hint=hint) from None
    except TransactionError as failure:
        raise error("55000", str(failure), hint="RESET as_of goes back to now.") from None


class Block:
    """An open transaction of a session.

    Attributes
    ----------
    transaction : Transaction
        The engine's.
    failed : bool
        Whether a statement failed in it.
    before : dict
        The settings when it began.
    local : dict
        Settings that were changed for this transaction alone, and what they were.
    fresh : bool
        Whether no statement has read or written yet.
    """

    def __init__(
        self, database: Database, settings: Settings, isolation: str | None, read_only: bool | None
    ) -> None:
        self.database = database
        self.isolation = isolation or settings.isolation
        self.read_only = settings.read_only if read_only is None else read_only
        self.before = settings.saved()
        self.local: dict[str, str | None] = {}
        self.failed = False
        self.fresh = True
        self.savepoints: list[tuple[str, dict[str, str]]] = []
        self.transaction = self._begin(settings)

    def _begin(self, settings: Settings) -> Transaction:
        return begin(self.database, settings, self.isolation, self.read_only)

    def again(self, settings: Settings) -> None:
        """Begin anew, since something that a transaction begins with was changed; only before its first statement."""
        if not self.fresh or self.savepoints:
            raise error("25001", "this must be set before any query of the transaction")
        self.transaction.rollback()
        self.transaction = self._begin(settings)

    def check(self) -> None:
        """Refuse a statement if one failed before (25P02)."""
        if self.failed:
            raise error(
                "25P02", "current transaction is aborted, commands ignored until end of transaction block"
            )

    def savepoint(self, name: str, settings: Settings) -> None:
        """Mark this point."""
        self.check()
        self.transaction.savepoint(name)
        self.savepoints.append((name, settings.saved()))

    def release(self, name: str) -> None:
        """Forget a savepoint and those after it."""
        self.check()
        at = self._find(name)
        self.transaction.release_savepoint(name)
        del self.savepoints[at:]

    def rollback_to(self, name: str, settings: Settings) -> None:
        """Go back to a savepoint, which stays; a failed block is open again."""
        at = self._find(name)
        self.transaction.rollback_to_savepoint(name)
        settings.restore(self.savepoints[at][1])
        del self.savepoints[at + 1 :]
        self.failed = False

    def _find(self, name: str) -> int:
        for at in range(len(self.savepoints) - 1, -1, -1):
            if self.savepoints[at][0] == name:
                return at
        self.failed = True
        raise error("3B001", f'savepoint "{name}" does not exist')

    def commit(self, settings: Settings) -> bool:
        """End it; return whether it took effect, which a failed one does not."""
        if self.failed:
            self.rollback(settings)
            return False
        try:
            self.transaction.commit()
        except BaseException:
            settings.restore(self.before)
            raise
        self._end_local(settings)
        return True

    def rollback(self, settings: Settings) -> None:
        """Undo it, its settings too."""
        settings.restore(self.before)
        try:
            self.transaction.rollback()
        except TransactionError:
            if self.transaction.state == "open":
                raise

    def _end_local(self, settings: Settings) -> None:
        for name, value in self.local.items():
            settings.put(name, value)
