"""Sessions: conversations of an agent, each in a project, and the branches that they split into.

::

    project ─▶ session ─▶ branch "main" ─▶ turn ─▶ parts
                   │          │              └───▶ tool calls
                   │          └─ fork at a turn: another branch, which goes on from there
                   └─ parent_id: the session that started this one

A session begins with one branch, its trunk. Turns, tokens and costs are counted in its row as they come, so that showing a session adds up
nothing (totals.py adds up by branch). It ends once; what was said stays, and no more is said in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ..engine import Transaction
from ..engine.expr import Expr
from ..errors import InvalidArgumentError, StateError
from .branches import BRANCH_INDEX, Conversation
from .projects import ensure_project, project_id_of
from .quantities import check_count
from .texts import check_text
from .updates import update_row

TRUNK = "main"
STATUSES = ACTIVE, ENDED = "active", "ended"


@dataclass(frozen=True)
class NewSession:
    """The ids of a session that was created, and of its trunk."""

    session_id: str
    branch_id: str


@dataclass(frozen=True)
class Session:
    """A session.

    Attributes
    ----------
    id, project_id : str
        What it is, and where it belongs.
    parent_id : str or None
        The session that started it.
    title : str
        May be empty.
    agent, model_id, provider_id, channel_type : str or None
        Who answers in it, by which model of which provider, and over what.
    status : str
        ``"active"`` or ``"ended"``.
    active_branch : str or None
        The branch that was made last.
    total_tokens : int
        Input and output of all completed turns.
    total_cost_usd : float
        Their cost in US dollars.
    total_turns : int
        Turns on all branches, completed or not.
    summary : str or None
        What it was about, said at its end.
    time_created, time_updated : int
        Microseconds since the epoch, UTC.
    time_ended : int or None
        When it ended, microseconds.
    """

    id: str
    project_id: str
    parent_id: str | None
    title: str
    agent: str | None
    model_id: str | None
    provider_id: str | None
    channel_type: str | None
    status: str
    active_branch: str | None
    total_tokens: int
    total_cost_usd: float
    total_turns: int
    summary: str | None
    time_created: int
    time_updated: int
    time_ended: int | None


@dataclass(frozen=True)
class SessionBranch:
    """A branch of a session.

    Attributes
    ----------
    id : str
        Its id.
    parent_branch, fork_turn_id : str or None
        The branch and the turn at which it was forked; None for the trunk.
    name : str or None
        Its name; the trunk's is ``"main"``.
    status : str
        ``"active"``.
    time_created : int
        Microseconds since the epoch, UTC.
    """

    id: str
    parent_branch: str | None
    fork_turn_id: str | None
    name: str | None
    status: str
    time_created: int


_SESSION, _BRANCH = ([field.name for field in fields(kind)] for kind in (Session, SessionBranch))


class Sessions(Conversation):
    """Makes, forks, ends and shows sessions."""

    def create_session(
        self,
        project_id: str,
        *,
        title: str = "",
        agent: str | None = None,
        model_id: str | None = None,
        provider_id: str | None = None,
        channel_type: str | None = None,
        parent_id: str | None = None,
    ) -> NewSession:
        """Begin a session with its trunk, and make its project unless it is there.

        Parameters
        ----------
        project_id : str
            The project, or a scope that names one (projects.py).
        title : str
            What to call it.
        agent, model_id, provider_id, channel_type : str, optional
            Who answers in it, by which model of which provider, and over what.
        parent_id : str, optional
            The session that started it.

        Raises
        ------
        NotFoundError
            If there is no session ``parent_id``.
        """
        project_id = project_id_of(check_text(project_id, "project id"))
        given = {
            "title": check_text(title, "title", blank=True),
            "agent": optional_text(agent, "agent"),
            "model_id": optional_text(model_id, "model_id"),
            "provider_id": optional_text(provider_id, "provider_id"),
            "channel_type": optional_text(channel_type, "channel_type"),
        }
        now = self._clock.now()
        session_id, branch_id = self._ids.new("ses_"), self._ids.new("brn_")
        times = {"time_created": now, "time_updated": now}
        with self._writing() as transaction:
            if parent_id is not None:
                given["parent_id"] = self._row(transaction, "session", parent_id, "session")["id"]
            ensure_project(transaction, project_id, now)
            row = {"id": session_id, "project_id": project_id, "active_branch": branch_id, **given, **times}
            transaction.insert("session", row)
            transaction.insert("branch", {"id": branch_id, "session_id": session_id, "name": TRUNK, **times})
        return NewSession(session_id, branch_id)

    def fork_session(self, session_id: str, turn_id: str, *, name: str | None = None) -> str:
        """Fork a session after one of its turns; return the id of the new branch.

        The branch shows all up to that turn and goes on by itself (branches.py); it is the session's active branch now.

        Parameters
        ----------
        session_id, turn_id : str
            The session, and a turn of it on whatever branch.
        name : str, optional
            What to call the branch.

        Raises
        ------
        NotFoundError
            If there is no such session, or it has no such turn.
        StateError
            If the session has ended.
        """
        name = optional_text(name, "name")
        branch_id = self._ids.new("brn_")
        with self._writing() as transaction:
            session = self._session_that_goes_on(transaction, session_id, "forked")
            turn = self._turn(transaction, session["id"], turn_id)
            now = max(self._clock.now(), turn["time_created"])
            row = {
                "id": branch_id,
                "session_id": session["id"],
                "parent_branch": turn["branch_id"],
                "fork_turn_id": turn["id"],
                "name": name,
                "time_created": now,
                "time_updated": now,
            }
            transaction.insert("branch", row)
            update_session(transaction, session, now, {"active_branch": branch_id})
        return branch_id

    def end_session(self, session_id: str, *, summary: str | None = None) -> None:
        """End a session; a turn that is under way can still be completed.

        Parameters
        ----------
        session_id : str
            The session.
        summary : str, optional
            What it was about.

        Raises
        ------
        NotFoundError
            If there is no such session.
        StateError
            If it has ended already.
        """
        summary = None if summary is None else check_text(summary, "summary", blank=True).strip() or None
        with self._writing() as transaction:
            session = self._session_that_goes_on(transaction, session_id, "ended again")
            now = max(self._clock.now(), session["time_updated"])
            update_session(
                transaction, session, now, {"status": ENDED, "time_ended": now, "summary": summary}
            )

    def session(self, session_id: str) -> Session | None:
        """Return a session, None if there is none of this id."""
        with self._reading() as transaction:
            row = transaction.get("session", check_text(session_id, "session id"))
        return None if row is None else _session_of(row)

    def sessions(
        self,
        project_id: str | None = None,
        *,
        status: str | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> list[Session]:
        """Return sessions, the newest first.

        Parameters
        ----------
        project_id : str, optional
            Only those of this project (or of the one that a scope names).
        status : str, optional
            Only those that are ``"active"``, or ``"ended"``.
        limit, offset : int
            How many at most, after leaving out how many.
        """
        limit, offset = check_count("limit", limit), check_count("offset", offset)
        wanted: list[Expr] = []
        if project_id is not None:
            project_id = project_id_of(check_text(project_id, "project id"))
            wanted.append(["=", ["col", "project_id"], ["lit", project_id]])
        if status is not None:
            status = check_text(status, "status")
            if status not in STATUSES:
                raise InvalidArgumentError(f"status must be one of {', '.join(STATUSES)}, not {status!r}")
            wanted.append(["=", ["col", "status"], ["lit", status]])
        with self._reading() as transaction:
            found = transaction.read("session", ["time_created", "id"], ["and", *wanted] if wanted else None)
            times, ids = np.asarray(found["time_created"]).tolist(), list(found["id"])
            newest = sorted(zip(times, ids, strict=True), reverse=True)[offset : offset + limit]
            rows = [transaction.get("session", one) for _, one in newest]
        return [_session_of(row) for row in rows if row is not None]

    def session_branches(self, session_id: str) -> list[SessionBranch]:
        """Return the branches of a session, the oldest first: its trunk.

        Raises
        ------
        NotFoundError
            If there is no such session.
        """
        with self._reading() as transaction:
            session = self._row(transaction, "session", session_id, "session")
            rows = branches_of(transaction, session["id"])
        return [SessionBranch(*(row[name] for name in _BRANCH)) for row in rows]

    def _session_that_goes_on(self, transaction: Transaction, session_id: Any, what: str) -> dict[str, Any]:
        session = self._row(transaction, "session", session_id, "session")
        check_goes_on(session, what)
        return session


def optional_text(value: Any, what: str) -> str | None:
    """Return a text that may be left out, but not be blank."""
    return None if value is None else check_text(value, what)


def check_goes_on(session: Mapping[str, Any], what: str) -> None:
    """Raise :class:`~zengram_py.errors.StateError` for a session that has ended."""
    if session["status"] == ENDED:
        raise StateError(f"session {session['id']!r} is ended: it cannot be {what}")


def update_session(
    transaction: Transaction, session: Mapping[str, Any], now: int, changes: Mapping[str, Any]
) -> None:
    """Change columns of a session's row, and note when."""
    update_row(transaction, "session", session, now, changes)


def branches_of(transaction: Transaction, session_id: str) -> list[dict[str, Any]]:
    """Return the rows of a session's branches, the oldest first."""
    rows = transaction.lookup("branch", BRANCH_INDEX, session_id)
    return sorted(rows, key=lambda row: (row["time_created"], row["id"]))


def _session_of(row: Mapping[str, Any]) -> Session:
    return Session(*(row[name] for name in _SESSION))
