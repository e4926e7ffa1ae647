"""What happened in a session, and what happened since.

The timeline is one list of everything that was stored under a session, whatever table it is in::

    session_created   turn   part   tool_call   turn   part   knowledge   branch_forked   turn   session_ended

It is in the order of time. Events of one instant (a browser's clock stands still for a millisecond) are in the order of their ids, which
grow with every row; what belongs to a turn is never before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import merge
from typing import Any

from ..engine import Transaction
from ..errors import InvalidArgumentError, NotFoundError
from .branches import TURN_INDEX, Conversation, turns_shown
from .options import Time
from .quantities import check_count, check_time
from .rows_in_order import Place, page, rows_of, walk
from .sessions import branches_of
from .texts import check_text, fact_text
from .turns import TURN_COLUMNS, Turn

EVENTS = ("session_created", "branch_forked", "turn", "part", "tool_call", "knowledge", "session_ended")
_FIRST, _BETWEEN, _LAST = range(3)


@dataclass(frozen=True)
class TimelineEvent:
    """Something that happened in a session.

    Attributes
    ----------
    time : int
        When, microseconds since the epoch, UTC.
    type : str
        ``"session_created"``, ``"branch_forked"``, ``"turn"``, ``"part"``, ``"tool_call"``, ``"knowledge"`` or ``"session_ended"``.
    id : str
        Of the session, branch, turn, part, tool call or fact.
    branch_id, turn_id : str or None
        On which branch, and in which turn: for a fork, the new branch, and the turn after which it begins.
    text : str or None
        What it was in short: the session's title or summary, the branch's name, the turn's role and summary, the part's type, the tool and
        its state, the fact.
    """

    time: int
    type: str
    id: str
    branch_id: str | None
    turn_id: str | None
    text: str | None


_Sorted = tuple[int, int, str, int, str]


class Timeline(Conversation):
    """Tells what happened in sessions."""

    def session_timeline(self, session_id: str, *, limit: int = 1000, offset: int = 0) -> list[TimelineEvent]:
        """Return what happened in a session, the oldest first.

        Parameters
        ----------
        session_id : str
            The session.
        limit, offset : int
            How many at most, after leaving out how many.

        Raises
        ------
        NotFoundError
            If there is no such session.
        """
        limit, offset = check_count("limit", limit), check_count("offset", offset)
        with self._reading() as transaction:
            session = self._row(transaction, "session", session_id, "session")
            events = _events(transaction, session)
        events.sort(key=lambda event: event[0])
        return [event for _, event in events[offset : offset + limit]]

    def turns_since(
        self, session_id: str, since: Time, *, branch_id: str | None = None, limit: int = 100
    ) -> list[Turn]:
        """Return the turns since a time, or after a turn, the oldest first.

        Parameters
        ----------
        session_id : str
            The session.
        since : time or str
            A time, with the turns of which the answer begins; or the id of a turn of the session, after which it does.
        branch_id : str, optional
            Only turns that this branch shows, its ancestors' too; those of all branches when left out.
        limit : int
            How many at most.

        Raises
        ------
        NotFoundError
            If there is no such session, branch or turn, or the branch does not show the turn.
        """
        limit = check_count("limit", limit)
        with self._reading() as transaction:
            session = self._row(transaction, "session", session_id, "session")["id"]
            place = self._place_of(transaction, session, since)
            if branch_id is None:
                found = _after(transaction, session, place, limit)
            else:
                branch = self._branch(transaction, session, branch_id)
                found = _shown_after(transaction, branch, place, limit)
        return [Turn(*values) for values in found]

    def _place_of(self, transaction: Transaction, session_id: str, since: Any) -> Place:
        """Return the place after which the turns are wanted; that of a time has no id."""
        if not isinstance(since, str):
            return check_time("since", since), ""
        row = transaction.get("turn", check_text(since, "since"))
        if row is not None:
            row = self._of_session(transaction, row, session_id, "turn")
            return row["time_created"], row["id"]
        try:
            return check_time("since", since), ""
        except InvalidArgumentError:
            raise NotFoundError(
                f"there is no turn {since!r}, and no time that is written so (ISO 8601)"
            ) from None


def _after(transaction: Transaction, session_id: str, place: Place, limit: int) -> list[tuple[Any, ...]]:
    """Return the turns of all branches behind a place."""
    found: list[list[tuple[Any, ...]]] = []
    for branch in branches_of(transaction, session_id):
        parts = walk(transaction, "turn", TURN_INDEX, (session_id, branch["id"]), after=place)
        found.append(page(parts, TURN_COLUMNS, limit))
    time, turn = TURN_COLUMNS.index("time_created"), TURN_COLUMNS.index("id")
    return list(merge(*found, key=lambda values: (values[time], values[turn])))[:limit]


def _shown_after(
    transaction: Transaction, branch: dict[str, Any], place: Place, limit: int
) -> list[tuple[Any, ...]]:
    """Return the turns that a branch shows behind a place, which is a turn that it shows or a time."""
    shown = turns_shown(transaction, branch, since=place[0])
    if not place[1]:
        return page(shown, TURN_COLUMNS, limit)
    met = False
    found: list[tuple[Any, ...]] = []
    for rows in shown:
        ids = [] if met else rows.values("id")
        if place[1] in ids:
            met = True
            rows = rows.at(slice(ids.index(place[1]) + 1, None))
        if met:
            found += rows.at(slice(0, limit - len(found))).tuples(TURN_COLUMNS)
            if len(found) >= limit:
                break
    if not met:
        raise NotFoundError(f"branch {branch['id']!r} does not show turn {place[1]!r}")
    return found


def _events(transaction: Transaction, session: dict[str, Any]) -> list[tuple[_Sorted, TimelineEvent]]:
    """Return all events of a session, each with what it is sorted by."""
    session_id = session["id"]
    found: list[tuple[_Sorted, TimelineEvent]] = []
    branch_of: dict[str, str] = {}

    def add(kind: str, when: int, row_id: str, turn: str | None, text: str | None) -> None:
        own = _serial(row_id)
        after = own if turn is None else max(own, _serial(turn))
        branch = row_id if kind == "branch_forked" else None if turn is None else branch_of.get(turn)
        event = TimelineEvent(when, kind, row_id, branch, turn, text)
        at = _FIRST if kind == "session_created" else _LAST if kind == "session_ended" else _BETWEEN
        found.append(((when, at, after, _RANK[kind], own), event))

    turns = rows_of(transaction, "turn", TURN_INDEX, (session_id,))
    columns = turns.tuples(["id", "branch_id", "time_created", "role", "summary"])
    branch_of.update((turn, branch) for turn, branch, *_ in columns)
    for turn, _, when, role, summary in columns:
        add("turn", when, turn, turn, f"{role}: {summary}" if summary else role)
    add("session_created", session["time_created"], session_id, None, session["title"] or None)
    for branch in branches_of(transaction, session_id):
        if branch["parent_branch"] is not None:
            add("branch_forked", branch["time_created"], branch["id"], branch["fork_turn_id"], branch["name"])
    parts = rows_of(transaction, "part", "part_session", (session_id,))
    for part, turn, when, kind in parts.tuples(["id", "turn_id", "time_created", "type"]):
        add("part", when, part, turn, kind)
    calls = rows_of(transaction, "tool_call", "tool_call_session", (session_id,))
    for call, turn, when, tool, state in calls.tuples(["id", "turn_id", "time_created", "tool_id", "state"]):
        add("tool_call", when, call, turn, f"{tool} ({state})")
    facts = rows_of(transaction, "knowledge", "knowledge_source_session_fkey_idx", (session_id,))
    columns = facts.tuples(["id", "source_turn", "time_created", "subject", "content"])
    for fact, turn, when, subject, content in columns:
        add("knowledge", when, fact, turn, fact_text(subject, content))
    if session["time_ended"] is not None:
        add("session_ended", session["time_ended"], session_id, None, session["summary"])
    return found


_RANK = {kind: rank for rank, kind in enumerate(("turn", "part", "tool_call", "knowledge", "branch_forked"))}
_RANK.update(session_created=0, session_ended=0)


def _serial(row_id: str) -> str:
    """Return what of an id grows: all behind the prefix that says what it is of."""
    return row_id.rpartition("_")[2]
