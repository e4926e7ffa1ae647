"""Memory branches: a line of thought on a copy of everything that is known, which costs nothing until it changes something.

::

    main     ──●──────●───────────────●──────▶  merge: both sides' changes since they parted
                └─ idea ──●──●──●────/
                         useMemory("idea"): all calls read and write there, recall too

A memory branch is a branch of the database (engine/branch.py), not one of a session: it has facts, sessions and all other rows. ``diff_memory`` says
what it would bring, ``merge_memory`` brings it into the branch in use, all of it in one commit, or nothing. Rows that both sides changed are joined by
the rules of their columns (counters are added, the newest importance counts), else they are conflicts.

**Subjects.** A fact is one row, and what is known of a subject is several. Where both sides told something else of one subject, no row need be in
conflict, and yet the merged memory would know two truths of it. Such pairs are found and reported as *subject conflicts*; a strategy decides them as it
decides rows, and the loser is superseded by the winner. Where both sides told the same, the one of the branch in use stays, and the other is merged into it.

**Sessions.** A session that one side deleted while the other went on with it is a conflict of rows too; with a strategy it stays deleted, with what was added.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..engine import RowChange, Transaction
from ..engine.expr import fold
from ..errors import StateError, TransactionError
from .base import MAIN, MemoryBase
from .budgets import OF_SESSION, delete_sessions
from .choices import check_choice
from .knowledge import same_content
from .quantities import check_flag
from .texts import check_text
from .trail import MERGED_FROM, SUPERSEDES, Trail

STRATEGIES = ("ours", "theirs", "newest")
GONE_ON_WITH = "one side deleted the session, the other went on with it"
Row = dict[str, Any]
Subject = tuple[str, str, str | None]
"""Scope, folded subject and folded peer."""


@dataclass(frozen=True)
class MemoryBranch:
    """A memory branch.

    Attributes
    ----------
    name : str
        Its name.
    parent : str or None
        The branch that it was forked from; None for main.
    time_forked : int
        Of which moment of its parent, microseconds; 0 for main.
    is_current : bool
        Whether it is in use.
    ahead, behind : int
        Commits on it that its parent has not taken in, and the other way round.
    """

    name: str
    parent: str | None
    time_forked: int
    is_current: bool
    ahead: int
    behind: int


@dataclass(frozen=True)
class FactChange:
    """A fact that differs.

    Attributes
    ----------
    id, scope, subject : str
        The fact.
    change : str
        ``"added"``, ``"changed"`` or ``"removed"``.
    before, after : str or None
        What it said, and says: its content, behind its status unless that is active.
    """

    id: str
    change: str
    scope: str
    subject: str
    before: str | None
    after: str | None


@dataclass(frozen=True)
class TurnChange:
    """A turn that differs: what happened to it (``"added"``, ``"changed"``, ``"removed"``), and where it is."""

    id: str
    change: str
    session_id: str
    branch_id: str
    role: str


@dataclass(frozen=True)
class MemoryDiff:
    """What a memory branch changed.

    Attributes
    ----------
    facts : tuple of FactChange
        By scope and subject.
    turns : tuple of TurnChange
        By id, that is in the order in which they were said.
    other_rows : int
        How many rows of other tables differ.
    """

    facts: tuple[FactChange, ...]
    turns: tuple[TurnChange, ...]
    other_rows: int


@dataclass(frozen=True)
class RowConflict:
    """A row that both sides changed, and that no rule joins.

    Attributes
    ----------
    table : str
        Its table.
    key : tuple or None
        Its key.
    reason : str
        Why.
    base, ours, theirs : dict or None
        The row when the sides parted, on the branch in use, and on the other.
    """

    table: str
    key: Any
    reason: str
    base: Row | None
    ours: Row | None
    theirs: Row | None


@dataclass(frozen=True)
class SubjectConflict:
    """Two facts on one subject, one told on each side."""

    scope: str
    subject: str
    peer: str | None
    ours_id: str
    ours_content: str
    theirs_id: str
    theirs_content: str


@dataclass(frozen=True)
class MemoryMerge:
    """What a merge did, or would do.

    Attributes
    ----------
    applied : bool
        Whether the branch in use has it now.
    facts, turns, rows : int
        Facts and turns that the other side brings, and rows that change in all.
    conflicts : tuple of RowConflict
        Rows that do not join. When there are any, nothing was applied.
    contradictions : tuple of SubjectConflict
        Subjects of which both sides told something else. Without a strategy nothing was applied when there are any.
    """

    applied: bool
    facts: int
    turns: int
    rows: int
    conflicts: tuple[RowConflict, ...]
    contradictions: tuple[SubjectConflict, ...]


class MemoryBranches(MemoryBase):
    """Forks, compares and merges the memory."""

    def memory_branches(self) -> list[MemoryBranch]:
        """Return the memory branches, the oldest first."""
        self._check_open()
        return [
            MemoryBranch(one.name, one.parent, one.forked_at, one.name == self._in_use, one.ahead, one.behind)
            for one in self._database.branches()
        ]

    def fork_memory(self, name: str) -> None:
        """Make a memory branch of what is known now on the branch in use; :meth:`use_memory` goes there.

        Raises
        ------
        BranchError
            If there is one of this name.
        """
        self._check_no_batch()
        self._database.fork(check_text(name, "name"), parent=self._in_use)

    def use_memory(self, name: str | None) -> None:
        """Let all further calls, and statements of ``query``, read and write a memory branch; None is main.

        Raises
        ------
        BranchError
            If there is no such branch.
        """
        self._check_no_batch()
        name = MAIN if name is None else check_text(name, "name")
        with self._database.begin(branch=name, read_only=True):
            self._in_use = name
        if self._sql is not None:
            self._sql.set_branch(name)

    def discard_memory(self, name: str) -> None:
        """Give up a memory branch with all that only it knows; branches that were forked from it go on.

        Raises
        ------
        StateError
            If it is in use.
        BranchError
            If there is no such branch, or it is main.
        """
        self._check_no_batch()
        name = check_text(name, "name")
        if name == self._in_use and name != MAIN:
            raise StateError(f"memory branch {name!r} is in use: go to another one first")
        self._database.discard(name)
        self._accesses_on.pop(name, None)

    def diff_memory(self, name: str, *, against: str | None = None) -> MemoryDiff:
        """Return what a memory branch changed since it and another one parted, or last met.

        Parameters
        ----------
        name : str
            The branch.
        against : str, optional
            The other; the branch in use when left out.

        Raises
        ------
        BranchError
            If there is no such branch.
        """
        self._check_open()
        other = self._in_use if against is None else check_text(against, "against")
        changes = self._changes(check_text(name, "name"), other)
        facts = [_fact_change(change) for change in changes if change.table == "knowledge"]
        turns = [_turn_change(change) for change in changes if change.table == "turn"]
        return MemoryDiff(
            tuple(sorted(facts, key=lambda one: (one.scope, fold(one.subject), one.id))),
            tuple(sorted(turns, key=lambda one: one.id)),
            len(changes) - len(facts) - len(turns),
        )

    def merge_memory(self, name: str, *, strategy: str | None = None, dry_run: bool = False) -> MemoryMerge:
        """Bring what a memory branch changed into the one in use: all of it, or nothing. The other one stays as it is.

        Parameters
        ----------
        name : str
            The branch that is brought in.
        strategy : str, optional
            What decides conflicts of rows and subjects: ``"ours"`` (the branch in use), ``"theirs"`` or ``"newest"``.
        dry_run : bool
            Whether only to report.

        Raises
        ------
        BranchError
            If there is no such branch, or it is the one in use.
        """
        self._check_no_batch()
        name = check_text(name, "name")
        if strategy is not None:
            strategy = check_choice("strategy", strategy, STRATEGIES)
        dry_run = check_flag("dry_run", dry_run)
        now = self._clock.now()
        plan = self._database.merge(name, self._in_use, strategy=strategy, dry_run=True)
        theirs, ours = self._changes(name, self._in_use), self._changes(self._in_use, name)
        pairs = _pairs(_told(ours), _told(theirs))
        disputed = [
            (one, other) for one, other in pairs if not same_content(one["content"], other["content"])
        ]
        conflicts = [
            RowConflict(one.table, one.key, one.reason, one.base, one.ours, one.theirs)
            for one in plan.conflicts
        ]
        if strategy is None:
            known = {one.key for one in conflicts if one.table == "session"}
            conflicts += [one for one in _gone_on_with(ours, theirs) if one.key not in known]
        blocked = bool(conflicts) or (bool(disputed) and strategy is None)
        applied = False
        if not blocked and not dry_run:
            deleted = sorted({*_deleted(ours), *_deleted(theirs)})
            finish = self._settling(pairs, _replaced([*ours, *theirs]), deleted, strategy, now)
            applied = self._database.merge(name, self._in_use, strategy=strategy, finish=finish).applied
        return MemoryMerge(
            applied,
            sum(change.table == "knowledge" for change in theirs),
            sum(change.table == "turn" for change in theirs),
            plan.added + plan.changed + plan.removed,
            tuple(conflicts),
            tuple(_subject_conflict(one, other) for one, other in disputed),
        )

    # -- parts -------------------------------------------------------------------------------------------------------

    def _check_no_batch(self) -> None:
        self._check_open()
        if self._batch is not None:
            raise TransactionError("memory branches are not made, used or merged within a batch")

    def _changes(self, name: str, against: str) -> list[RowChange]:
        return self._database.diff(name, against=against)

    def _settling(
        self,
        pairs: Iterable[tuple[Row, Row]],
        replaced: Iterable[Row],
        deleted: Sequence[str],
        strategy: str | None,
        now: int,
    ) -> Callable[[Transaction], None]:
        """Return what makes one truth of each pair of facts, and leaves nothing of deleted sessions, in the commit that merges."""

        def settle(transaction: Transaction, loser: Row, winner: Row, relation: str) -> None:
            begins = [row["valid_from"] or row["time_created"] for row in (loser, winner)]
            closing = {"status": "superseded", "superseded_by": winner["id"], "valid_to": max(begins)}
            transaction.update("knowledge", loser["id"], {**closing, "time_updated": now})
            if (
                loser["private"] and not winner["private"]
            ):  # what takes the place of a private fact is as private
                transaction.update("knowledge", winner["id"], {"private": True, "time_updated": now})
            trail = Trail(transaction, self._ids, now, None)
            trail.note(("knowledge", loser["id"]), ("knowledge", winner["id"]), relation)

        def finish(transaction: Transaction) -> None:
            delete_sessions(transaction, deleted)
            for one, other in pairs:
                ours, theirs = (transaction.get("knowledge", row["id"]) for row in (one, other))
                if ours is None or theirs is None or {ours["status"], theirs["status"]} != {"active"}:
                    continue  # the rows themselves came out with one truth
                is_same = same_content(ours["content"], theirs["content"])
                newest_is_theirs = (theirs["time_created"], theirs["id"]) > (ours["time_created"], ours["id"])
                theirs_wins = not is_same and (
                    strategy == "theirs" or (strategy == "newest" and newest_is_theirs)
                )
                winner, loser = (theirs, ours) if theirs_wins else (ours, theirs)
                settle(transaction, loser, winner, MERGED_FROM if is_same else SUPERSEDES)
            for row in replaced:
                kept, last = transaction.get("knowledge", row["id"]), _last(transaction, row)
                if kept is None or last is None or {kept["status"], last["status"]} != {"active"}:
                    continue
                if kept["id"] != last["id"] and _subject(kept) == _subject(last):
                    # The strategy chose the side on which it holds.
                    settle(transaction, last, kept, SUPERSEDES)

        return finish


def _told(changes: Iterable[RowChange]) -> dict[Subject, Row]:
    """Return the facts that a side told and holds, by what they are about."""
    found = {}
    for change in changes:
        row = change.after
        if (
            change.table == "knowledge"
            and change.kind == "added"
            and row is not None
            and row["status"] == "active"
        ):
            found[_subject(row)] = row
    return found


def _subject(row: Row) -> Subject:
    peer = None if row["subject_peer"] is None else fold(row["subject_peer"])
    return row["scope"], fold(row["subject"]), peer


def _replaced(changes: Iterable[RowChange]) -> list[Row]:
    """Return the facts of before that a side replaced, as it has them."""
    rows = (one.after for one in changes if one.table == "knowledge" and one.kind == "changed")
    return [row for row in rows if row is not None and row["superseded_by"] is not None]


def _last(transaction: Transaction, row: Row) -> Row | None:
    """Return the fact that stands at the end of those that replaced one."""
    met = {row["id"]}
    found: Row | None = row
    while found is not None and found["superseded_by"] is not None:
        found = transaction.get("knowledge", found["superseded_by"])
        if found is not None and found["id"] in met:
            return found
        met.add("" if found is None else found["id"])
    return found


def _pairs(ours: dict[Subject, Row], theirs: dict[Subject, Row]) -> list[tuple[Row, Row]]:
    pairs = [(ours[subject], theirs[subject]) for subject in sorted(ours.keys() & theirs.keys(), key=repr)]
    # Both sides may have taken in one fact from a third branch.
    return [(one, other) for one, other in pairs if one["id"] != other["id"]]


def _deleted(changes: Iterable[RowChange]) -> dict[str, Row]:
    """Return the sessions that a side deleted."""
    gone = (one.before for one in changes if one.table == "session" and one.kind == "removed")
    return {row["id"]: row for row in gone if row is not None}


def _gone_on_with(ours: Iterable[RowChange], theirs: Iterable[RowChange]) -> list[RowConflict]:
    """Return the sessions that one side deleted and the other went on with."""
    found = []
    columns = {**dict(OF_SESSION), "session": "id"}
    for deleted, changes in ((_deleted(ours), theirs), (_deleted(theirs), ours)):
        rows = [(change.table, change.after) for change in changes if change.table in columns]
        named = {row[columns[table]] for table, row in rows if row is not None}
        now = {row["id"]: row for table, row in rows if table == "session" and row is not None}
        for one in sorted(deleted.keys() & named):
            base = deleted[one]
            sides = (None, now.get(one, base)) if changes is theirs else (now.get(one, base), None)
            found.append(RowConflict("session", (one,), GONE_ON_WITH, base, *sides))
    return found


def _subject_conflict(ours: Row, theirs: Row) -> SubjectConflict:
    return SubjectConflict(
        ours["scope"],
        ours["subject"],
        ours["subject_peer"],
        ours["id"],
        ours["content"],
        theirs["id"],
        theirs["content"],
    )


def _fact_change(change: RowChange) -> FactChange:
    def said(row: Row | None) -> str | None:
        if row is None:
            return None
        content: str = row["content"]
        return content if row["status"] == "active" else f"({row['status']}) {content}"

    row = change.after or change.before or {}
    before, after = said(change.before), said(change.after)
    return FactChange(row["id"], change.kind, row["scope"], row["subject"], before, after)


def _turn_change(change: RowChange) -> TurnChange:
    row = change.after or change.before or {}
    return TurnChange(row["id"], change.kind, row["session_id"], row["branch_id"], row["role"])
