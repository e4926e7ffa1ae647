"""The branches of a database: fork, list, compare, merge, rebase, discard (branch.py and merge.py do the work)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from ..errors import BranchError
from .branch import BranchTree
from .catalog import Catalog
from .definitions import TableDef
from .diff import RowChange, difference, row_key, show_row
from .growable import Growable
from .log import BRANCH
from .merge import Merge, MergeReport
from .reader import Stores
from .table import NO_SLOT
from .view import View

if TYPE_CHECKING:
    from .database import Database
    from .transaction import Transaction


@dataclass(frozen=True)
class BranchInfo:
    """A branch as :meth:`Database.branches` lists it.

    Attributes
    ----------
    name : str
        Its name.
    parent : str or None
        The branch that it was forked from.
    forked_at : int
        Timestamp of the parent's last commit that it sees.
    ahead : int
        Commits on it that its parent has not taken in.
    behind : int
        Commits on its parent that it has not taken in.
    """

    name: str
    parent: str | None
    forked_at: int
    ahead: int
    behind: int


class Branching:
    """The part of a database that deals with branches."""

    catalog: Catalog
    stores: Stores
    tree: BranchTree
    commits: dict[int, Growable[Any]]
    timestamp: int

    def fork(self, name: str, *, parent: str = "main", as_of: int | None = None) -> BranchInfo:
        """Make a branch of the whole database; costs a timestamp, whatever the size.

        Parameters
        ----------
        name : str
            Its name.
        parent : str
            The branch that it leaves.
        as_of : int, optional
            The parent's state that it begins with; its newest when left out.
        """
        self._check_open()
        timestamp = self.readable_time(as_of)
        origin = self.tree.find(parent)
        self.tree.check_name(name)
        with self._recorded(origin.id, operation="fork", name=name, parent=origin.id, fork=timestamp):
            self.tree.add(name, origin, timestamp)
        return self._info(self.tree.find(name).id)

    def branches(self) -> list[BranchInfo]:
        """Return the live branches, oldest first."""
        self._check_open()
        return [self._info(branch.id) for branch in self.tree.live()]

    def discard(self, name: str) -> None:
        """Give up a branch; branches that were forked from it go on. Open transactions on it cannot commit."""
        self._check_open()
        branch = self.tree.find(name)
        self.tree.check_discard(branch)
        with self._recorded(branch.id, operation="discard", discarded=branch.id):
            self.tree.discard(branch)

    def diff(self, branch: str, *, against: str | None = None) -> list[RowChange]:
        """Return what changed on a branch since its fork point, or since it last met another branch.

        Parameters
        ----------
        branch : str
            The branch.
        against : str, optional
            Another branch: the comparison is with what both had in common when they last merged, or parted.
        """
        self._check_open()
        here = self.tree.find(branch)
        if against is not None:
            before = self.tree.base(here.id, self.tree.find(against).id)
        elif here.parent is None:
            raise BranchError("main was not forked; name a branch to compare it with")
        else:
            before = self.tree.view(here.parent, here.fork)
        after = self._head(branch)
        return list(self._changes(before, after))

    def merge(
        self,
        source: str,
        into: str = "main",
        *,
        strategy: str | None = None,
        choices: Mapping[tuple[str, Any], str] | None = None,
        dry_run: bool = False,
        finish: Callable[[Transaction], None] | None = None,
    ) -> MergeReport:
        """Bring what a branch changed into another (merge.py); all of it, or, when something conflicts, nothing.

        Parameters
        ----------
        source, into : str
            From which branch into which. The source stays as it is.
        strategy : str, optional
            What decides conflicts: ``"ours"`` (the target), ``"theirs"`` (the source) or ``"newest"``. Constraint
            violations of the result are not decided by it.
        choices : mapping, optional
            Decisions for single rows: ``{("table", key): "theirs"}``, keys as the report gives them.
        dry_run : bool
            Report, and change nothing.
        finish : callable, optional
            Called with the transaction on the target when everything joins, to change what has to change with it; it is all one commit.
        """
        self._check_open()
        source_id, target_id = self.tree.find(source).id, self.tree.find(into).id
        if source_id == target_id:
            raise BranchError(f"branch {source!r} cannot merge with itself")
        transaction = self.begin(branch=into)
        try:
            report = Merge(cast("Database", self), transaction, source_id, strategy, choices).plan()
            if report.conflicts or dry_run:
                return report
            if finish is not None:
                finish(transaction)
            taken = self.timestamp
            changed = bool(any(transaction.reader.writes.values()) or transaction.changes)
            if changed:
                report.timestamp = self.apply(transaction, transaction.view, (source_id, target_id, taken))
                transaction.committed()
            else:
                with self._recorded(
                    target_id, operation="meet", source=source_id, target=target_id, timestamp=taken
                ):
                    self.tree.meet(source_id, target_id, taken, None)
            report.applied = True
            return report
        finally:
            if transaction.state == "open":
                transaction.rollback()

    def rebase(
        self, branch: str, *, strategy: str | None = None, choices: Any = None, dry_run: bool = False
    ) -> MergeReport:
        """Bring what the parent of a branch changed since they last met into the branch; its fork point stays.

        Parameters are those of :meth:`merge`; ``"ours"`` is the branch.
        """
        self._check_open()
        here = self.tree.find(branch)
        if here.parent is None:
            raise BranchError("main has no parent to rebase on")
        parent = self.tree.branches[here.parent]
        if parent.discarded:
            raise BranchError(f"the parent of branch {branch!r} was discarded")
        return self.merge(parent.name, branch, strategy=strategy, choices=choices, dry_run=dry_run)

    def _head(self, branch: str) -> View:
        return self.tree.view(self.tree.find(branch).id, self.timestamp)

    def _info(self, number: int) -> BranchInfo:
        branch = self.tree.branches[number]
        if branch.parent is None:
            return BranchInfo(branch.name, None, 0, 0, 0)
        parent = self.tree.branches[branch.parent]
        return BranchInfo(
            branch.name,
            parent.name,
            branch.fork,
            self._unmet(number, parent.id),
            self._unmet(parent.id, number),
        )

    def _unmet(self, source: int, target: int) -> int:
        """Return how many commits of one branch another has not taken in, without those that took the other in."""
        since = self.tree.last_taken(source, target)
        times = self.commits.get(source)
        if times is None:
            return 0
        joins = sum(1 for at in self.tree.joins.get((target, source), ()) if at > since)
        return int((times.view > since).sum()) - joins

    def _changes(self, before: View, after: View) -> Any:
        old, new = self.catalog.at(before), self.catalog.at(after)
        for number, store in self.stores.items():
            table = new.by_id.get(number) or old.by_id.get(number)
            if not isinstance(table, TableDef) or table.temporary:
                continue
            for _, one, other in difference(store, table, before, after):
                kind = "added" if one == NO_SLOT else "removed" if other == NO_SLOT else "changed"
                key = row_key(table, store, one if other == NO_SLOT else other)
                yield RowChange(
                    table.title, key, kind, show_row(table, store, one), show_row(table, store, other)
                )

    def _recorded(self, branch: int, **payload: Any) -> AbstractContextManager[None]:
        return self.recorded(BRANCH, branch, self.timestamp, payload)

    # -- what the database gives -------------------------------------------------------------------------------------

    def _check_open(self) -> None:
        raise NotImplementedError

    def begin(self, *, branch: str) -> Transaction:
        """Begin a transaction on the head of a branch."""
        raise NotImplementedError

    def apply(self, transaction: Transaction, head: View, meeting: tuple[int, int, int] | None = None) -> int:
        """Log and publish what a transaction wrote."""
        raise NotImplementedError

    def readable_time(self, as_of: int | None) -> int:
        """Return the time that a reader asks for, at most now."""
        raise NotImplementedError

    def recorded(
        self, kind: int, branch: int, timestamp: int, payload: dict[str, Any]
    ) -> AbstractContextManager[None]:
        """Hand a record to the log; the block then does what it says."""
        raise NotImplementedError
