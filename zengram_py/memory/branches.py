"""Branches of a session, and the turns that each shows.

A branch keeps only its own turns. What went before a fork stays where it is, and is found by walking back: from a branch to its parent
up to the turn at which it was forked, from there to the parent's parent, and so on to the trunk::

    main    t1 ── t2 ── t3 ── t4                 main  shows  t1 t2 t3 t4
                   └─ a    a1 ── a2 ── a3        a     shows  t1 t2 a1 a2 a3
                            └─ b    b1           b     shows  t1 t2 a1 b1

    lineage of b:   (b, all)  ◀──  (a, up to a1)  ◀──  (main, up to t2)

So a fork costs one row, however long the conversation is, and a turn is told of once. Within a branch turns are in the order of time and
id (rows_in_order.py); a new turn is given a place behind those that its branch shows, also when the clock stepped back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from ..engine import Transaction
from ..errors import NotFoundError
from .base import MemoryBase
from .projects import optional_project_id
from .rows_in_order import LAST_ID, Place, Rows, walk
from .texts import check_text

TURN_INDEX = "turn_session"
BRANCH_INDEX = "branch_session_id_fkey_idx"


@dataclass(frozen=True)
class Reach:
    """A branch, and the last of its turns that belongs (None: all do)."""

    branch_id: str
    last: Place | None = None


def lineage(transaction: Transaction, branch: dict[str, Any]) -> list[Reach]:
    """Return a branch and those that it was forked from, its own first."""
    found = [Reach(branch["id"])]
    met = {branch["id"]}
    while branch["parent_branch"] is not None and branch["parent_branch"] not in met:
        turn = None if branch["fork_turn_id"] is None else transaction.get("turn", branch["fork_turn_id"])
        # A turn that somebody deleted leaves what there was when the fork was made.
        last = (branch["time_created"], LAST_ID) if turn is None else (turn["time_created"], turn["id"])
        parent = transaction.get("branch", branch["parent_branch"])
        if parent is None:
            break
        found.append(Reach(parent["id"], last))
        met.add(parent["id"])
        branch = parent
    return found


def turns_shown(
    transaction: Transaction,
    branch: dict[str, Any],
    *,
    since: int | None = None,
    descending: bool = False,
) -> Iterator[Rows]:
    """Yield the turns that a branch shows, its ancestors' too, in parts.

    Parameters
    ----------
    transaction : Transaction
        Who reads.
    branch : dict
        The branch's row.
    since : int, optional
        Only those of this time or later, microseconds.
    descending : bool
        The newest first; the oldest first else.
    """
    parts = lineage(transaction, branch)
    after = None if since is None else (since, "")
    for part in parts if descending else parts[::-1]:
        yield from walk(
            transaction,
            "turn",
            TURN_INDEX,
            (branch["session_id"], part.branch_id),
            after=after,
            last=part.last,
            descending=descending,
        )


_ENDS: WeakKeyDictionary[Transaction, dict[str, Place]] = WeakKeyDictionary()
"""The newest turn of each branch to which the calls of a batch appended: its own rows are in no index that gives them in order."""


def newest_turn(transaction: Transaction, branch: dict[str, Any]) -> Place | None:
    """Return the last turn that a branch shows, None if it shows none."""
    known = _ENDS.get(transaction, {}).get(branch["id"])
    if known is not None:
        return known
    for rows in turns_shown(transaction, branch, descending=True):
        newest = rows.at(slice(0, 1))
        return int(newest.array("time_created")[0]), newest.values("id")[0]
    return None


def note_newest(transaction: Transaction, branch_id: str, place: Place) -> None:
    """Remember, for the rest of a transaction, which turn of a branch is the newest."""
    _ENDS.setdefault(transaction, {})[branch_id] = place


class Conversation(MemoryBase):
    """What the calls about sessions share: finding the rows that a caller named."""

    def _branch(self, transaction: Transaction, session_id: Any, branch_id: Any) -> dict[str, Any]:
        """Return a branch of a session that is there."""
        row = self._row(transaction, "branch", branch_id, "branch")
        return self._of_session(transaction, row, session_id, "branch")

    def _turn(self, transaction: Transaction, session_id: Any, turn_id: Any) -> dict[str, Any]:
        """Return a turn of a session that is there."""
        row = self._row(transaction, "turn", turn_id, "turn")
        return self._of_session(transaction, row, session_id, "turn")

    def _place(self, transaction: Transaction, project_id: Any, session_id: Any) -> dict[str, str | None]:
        """Return, as the columns of a row, a project and a session that are there: both, one (a session brings its project) or none.

        Raises
        ------
        NotFoundError
            If there is no such project or session, or the session is of another project.
        """
        project = optional_project_id(project_id)
        if project is not None:
            self._row(transaction, "project", project, "project")
        if session_id is None:
            return {"project_id": project, "session_id": None}
        session = self._row(transaction, "session", session_id, "session")
        if project not in (None, session["project_id"]):
            raise NotFoundError(f"there is no session {session['id']!r} in project {project!r}")
        return {"project_id": session["project_id"], "session_id": session["id"]}

    def _of_session(
        self, transaction: Transaction, row: dict[str, Any], session_id: Any, what: str
    ) -> dict[str, Any]:
        session_id = check_text(session_id, "session id")
        if row["session_id"] != session_id:
            self._row(transaction, "session", session_id, "session")
            raise NotFoundError(f"there is no {what} {row['id']!r} in session {session_id!r}")
        return row
