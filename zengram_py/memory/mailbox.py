"""Mailboxes: messages between agents, each for one of them.

::

    send_message ──▶ pending ──▶ claim_message ──▶ claimed ──▶ complete_message ──▶ completed
                      │   ▲                           │
                      │   └────── release_message ────┘
                      └──▶ expired          when a claim comes to it after its time

An agent may **work** its mail off: it claims the oldest message that waits, and nobody else gets that one until it is released. Or it may
only **read**: a cursor for each agent says up to where it has read, whatever becomes of the messages::

    m1 ── m2 ── m3 ── m4          new_messages: m3 m4          advance_mailbox(m3) ──▶ new_messages: m4
           ▲ cursor

Messages of a mailbox are in the order of time and id; a new one comes last, also when the clock stepped back, so that a cursor passes none
over. Agents are names. They may be registered, so that others find them by what they can do, and need not be.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import islice
from typing import Any
from weakref import WeakKeyDictionary

from ..engine import Transaction
from ..errors import NotFoundError, StateError
from .base import Following
from .branches import Conversation
from .choices import optional_choice
from .json_values import check_json
from .options import check_labels
from .quantities import check_count, check_time
from .rows_in_order import Place, all_rows, walk
from .sessions import optional_text
from .texts import check_text

PENDING, CLAIMED, COMPLETED, EXPIRED = STATUSES = ("pending", "claimed", "completed", "expired")
NEXT: Following = {PENDING: (CLAIMED, EXPIRED), CLAIMED: (PENDING, COMPLETED)}
MAIL, CURSOR, AGENTS = "agent_mailbox", "mailbox_cursor", "agent_registry"
_INDEX = "agent_mailbox_to"


@dataclass(frozen=True)
class Agent:
    """An agent that was registered.

    Attributes
    ----------
    id, name : str
        What it is, and what it is called.
    role : str or None
        What it is for.
    capabilities : tuple of str
        What it can do.
    status : str
        ``"active"``.
    session_id : str or None
        The session in which it talks.
    metadata : JSON value
        Whatever else there is to know; None if nothing.
    time_created, time_updated : int
        Microseconds since the epoch, UTC.
    time_last_seen : int or None
        Likewise: when it was registered, sent or claimed something last.
    """

    id: str
    name: str
    role: str | None
    capabilities: tuple[str, ...]
    status: str
    session_id: str | None
    metadata: Any
    time_created: int
    time_updated: int
    time_last_seen: int | None


@dataclass(frozen=True)
class Message:
    """A message.

    Attributes
    ----------
    id, from_agent, to_agent : str
        What it is, who sent it, and whose it is.
    message_type : str
        What kind it is.
    payload : JSON value
        What it says; None if nothing.
    status : str
        ``"pending"``, ``"claimed"``, ``"completed"`` or ``"expired"``.
    claimed_by : str or None
        Who works on it, or did.
    session_id, reply_to : str or None
        The session that it is about, and the message that it answers.
    time_created : int
        Microseconds since the epoch, UTC.
    time_claimed, time_processed, time_expires : int or None
        Likewise: when it was claimed and completed, and from when on it is not given out.
    """

    id: str
    from_agent: str
    to_agent: str
    message_type: str
    payload: Any
    status: str
    claimed_by: str | None
    session_id: str | None
    reply_to: str | None
    time_created: int
    time_claimed: int | None
    time_processed: int | None
    time_expires: int | None


_MESSAGE = (MAIL, "status", "message")
_COLUMNS, _AGENT = ([field.name for field in fields(kind)] for kind in (Message, Agent))


class Mailbox(Conversation):
    """Registers agents, and keeps their mail."""

    def register_agent(
        self,
        agent_id: str,
        name: str | None = None,
        *,
        role: str | None = None,
        capabilities: Any = None,
        session_id: str | None = None,
        metadata: Any = None,
    ) -> None:
        """Register an agent; of one that is registered, change what is given.

        Parameters
        ----------
        agent_id : str
            The agent, in the caller's words.
        name : str, optional
            What it is called; its id when left out.
        role : str, optional
            What it is for.
        capabilities : str or iterable of str, optional
            What it can do.
        session_id : str, optional
            The session in which it talks.
        metadata : JSON value, optional
            Whatever else there is to know.

        Raises
        ------
        NotFoundError
            If there is no such session.
        """
        agent = check_text(agent_id, "agent id")
        values = {
            "name": optional_text(name, "name"),
            "role": optional_text(role, "role"),
            "capabilities": None if capabilities is None else check_labels("capabilities", capabilities),
            "metadata": check_json(metadata, "metadata"),
        }
        given = {column: value for column, value in values.items() if value is not None}
        with self._writing() as transaction:
            if session_id is not None:
                given["session_id"] = self._row(transaction, "session", session_id, "session")["id"]
            known = transaction.get(AGENTS, agent)
            now = self._clock.now()
            given |= {"time_updated": now, "time_last_seen": now}
            if known is None:
                transaction.insert(AGENTS, {"id": agent, "name": agent, "time_created": now, **given})
            else:
                transaction.update(AGENTS, agent, given)

    def agents(self) -> list[Agent]:
        """Return the agents that are registered, the oldest first."""
        with self._reading() as transaction:
            found = all_rows(transaction, AGENTS).in_order().tuples(_AGENT)
        return [_agent_of(dict(zip(_AGENT, values, strict=True))) for values in found]

    def send_message(
        self,
        from_agent: str,
        to_agent: str,
        message_type: str,
        payload: Any = None,
        *,
        session_id: str | None = None,
        reply_to: str | None = None,
        expires: Any = None,
    ) -> str:
        """Put a message into an agent's mailbox; return its id. It is pending.

        Parameters
        ----------
        from_agent, to_agent : str
            Who sends it, and to whom.
        message_type : str
            What kind it is, such as ``"request"``.
        payload : JSON value, optional
            What it says.
        session_id : str, optional
            The session that it is about.
        reply_to : str, optional
            The message that it answers.
        expires : time, optional
            From when on it is not given out.

        Raises
        ------
        NotFoundError
            If there is no such session, or no such message to answer.
        """
        row: dict[str, Any] = {
            "from_agent": check_text(from_agent, "from_agent"),
            "to_agent": check_text(to_agent, "to_agent"),
            "message_type": check_text(message_type, "message_type"),
            "payload": check_json(payload, "payload"),
            "time_expires": None if expires is None else check_time("expires", expires),
        }
        message_id = self._ids.new("msg_")
        with self._writing() as transaction:
            if session_id is not None:
                row["session_id"] = self._row(transaction, "session", session_id, "session")["id"]
            if reply_to is not None:
                row["reply_to"] = self._row(transaction, MAIL, reply_to, "message")["id"]
            now = self._clock.now()
            _note_seen(transaction, row["from_agent"], now)
            newest = _newest(transaction, row["to_agent"])
            if newest is not None and (now, message_id) < newest:  # the clock stepped back
                now = newest[0] + 1
            transaction.insert(MAIL, {"id": message_id, **row, "time_created": now})
            _ENDS.setdefault(transaction, {})[row["to_agent"]] = (now, message_id)
        return message_id

    def claim_message(self, agent_id: str, *, message_type: str | None = None) -> Message | None:
        """Take the oldest pending message out of an agent's mailbox: nobody gets it again unless it is released.

        Messages whose time is over are not given out; those that stood before it expire.

        Parameters
        ----------
        agent_id : str
            The agent.
        message_type : str, optional
            Only one of this kind.

        Returns
        -------
        Message or None
            None if no message waits.
        """
        agent = check_text(agent_id, "agent id")
        kind = optional_text(message_type, "message_type")
        found: Message | None = None
        expired = []
        with self._writing() as transaction:
            now = self._clock.now()
            for message in _mail(transaction, agent, (PENDING,)):
                if _is_over(message, now):
                    expired.append(message.id)
                elif kind in (None, message.message_type):
                    found = message
                    break
            for message_id in expired:
                transaction.update(MAIL, message_id, {"status": EXPIRED})
            _note_seen(transaction, agent, now)
            if found is None:
                return None
            changes: dict[str, Any] = {
                "status": CLAIMED,
                "claimed_by": agent,
                "time_claimed": max(now, found.time_created),
            }
            transaction.update(MAIL, found.id, changes)
        return replace(found, **changes)

    def complete_message(self, message_id: str, agent_id: str) -> None:
        """Note that an agent is done with a message that it claimed.

        Parameters
        ----------
        message_id, agent_id : str
            The message, and the agent.

        Raises
        ------
        NotFoundError
            If there is no such message.
        StateError
            If it is not claimed, or another agent claimed it.
        """
        with self._writing() as transaction:
            row = self._claimed(transaction, message_id, agent_id, COMPLETED)
            changes: dict[str, Any] = {
                "status": COMPLETED,
                "time_processed": max(self._clock.now(), row["time_claimed"] or 0),
            }
            transaction.update(MAIL, row["id"], changes)

    def release_message(self, message_id: str, agent_id: str) -> None:
        """Put a message that an agent claimed back where it was; raises like :meth:`complete_message`."""
        with self._writing() as transaction:
            row = self._claimed(transaction, message_id, agent_id, PENDING)
            changes = {"status": PENDING, "claimed_by": None, "time_claimed": None}
            transaction.update(MAIL, row["id"], changes)

    def message(self, message_id: str) -> Message | None:
        """Return a message, None if there is none of this id."""
        with self._reading() as transaction:
            row = transaction.get(MAIL, check_text(message_id, "message id"))
        return None if row is None else Message(*(row[name] for name in _COLUMNS))

    def messages(
        self, agent_id: str, *, status: str | None = None, limit: int = 100, offset: int = 0
    ) -> list[Message]:
        """Return the messages in an agent's mailbox, the newest first.

        Parameters
        ----------
        agent_id : str
            The agent.
        status : str, optional
            Only those that are ``"pending"``, ``"claimed"``, ``"completed"`` or ``"expired"``. One whose time is over is pending until a
            claim comes to it.
        limit, offset : int
            How many at most, after leaving out how many.
        """
        agent = check_text(agent_id, "agent id")
        status = optional_choice("status", status, STATUSES)
        limit, offset = check_count("limit", limit), check_count("offset", offset)
        statuses = STATUSES if status is None else (status,)
        with self._reading() as transaction:
            found = _mail(transaction, agent, statuses, descending=True)
            return list(islice(found, offset, offset + limit))

    def new_messages(self, agent_id: str, limit: int = 100) -> list[Message]:
        """Return the messages behind an agent's cursor, the oldest first, but for those whose time is over.

        Parameters
        ----------
        agent_id : str
            The agent.
        limit : int
            How many at most.
        """
        agent = check_text(agent_id, "agent id")
        limit = check_count("limit", limit)
        with self._reading() as transaction:
            return list(islice(self._new(transaction, agent), limit))

    def unread_count(self, agent_id: str) -> int:
        """Return how many messages :meth:`new_messages` has for an agent."""
        agent = check_text(agent_id, "agent id")
        with self._reading() as transaction:
            return sum(1 for _ in self._new(transaction, agent))

    def advance_mailbox(self, agent_id: str, message_id: str) -> None:
        """Move an agent's cursor to a message: it and those before it are read. A cursor never goes back.

        Parameters
        ----------
        agent_id, message_id : str
            The agent, and a message in its mailbox.

        Raises
        ------
        NotFoundError
            If there is no such message in the mailbox.
        """
        agent = check_text(agent_id, "agent id")
        with self._writing() as transaction:
            row = self._row(transaction, MAIL, message_id, "message")
            if row["to_agent"] != agent:
                raise NotFoundError(f"there is no message {row['id']!r} in the mailbox of {agent!r}")
            known = transaction.get(CURSOR, agent)
            read = None if known is None else _place_of(transaction, known["last_message_id"])
            if read is not None and (row["time_created"], row["id"]) <= read:
                return
            changes = {"last_message_id": row["id"], "time_updated": self._clock.now()}
            if known is None:
                transaction.insert(CURSOR, {"agent_id": agent, **changes})
            else:
                transaction.update(CURSOR, agent, changes)

    def _new(self, transaction: Transaction, agent: str) -> Iterator[Message]:
        cursor = transaction.get(CURSOR, agent)
        read = None if cursor is None else _place_of(transaction, cursor["last_message_id"])
        now = self._clock.now()
        found = _mail(transaction, agent, (PENDING, CLAIMED, COMPLETED), after=read)
        return (message for message in found if message.status != PENDING or not _is_over(message, now))

    def _claimed(
        self, transaction: Transaction, message_id: Any, agent_id: Any, status: str
    ) -> dict[str, Any]:
        agent = check_text(agent_id, "agent id")
        row = self._that_can_become(transaction, _MESSAGE, message_id, status, {CLAIMED: NEXT[CLAIMED]})
        if row["claimed_by"] != agent:
            raise StateError(f"message {row['id']!r} is claimed by {row['claimed_by']!r}, not by {agent!r}")
        return row


_ENDS: WeakKeyDictionary[Transaction, dict[str, Place]] = WeakKeyDictionary()
"""The newest message of each mailbox to which the calls of a batch sent: its own rows are in no index that gives them in order."""


def _mail(
    transaction: Transaction,
    agent: str,
    statuses: Sequence[str],
    *,
    after: Place | None = None,
    descending: bool = False,
) -> Iterator[Message]:
    """Yield the messages of a mailbox that have one of some statuses, in order."""

    def with_status(status: str) -> Iterator[Message]:
        for rows in walk(transaction, MAIL, _INDEX, (agent, status), after=after, descending=descending):
            for values in rows.tuples(_COLUMNS):
                yield Message(*values)

    parts = [with_status(status) for status in statuses]
    return heapq.merge(*parts, key=lambda one: (one.time_created, one.id), reverse=descending)


def _newest(transaction: Transaction, agent: str) -> Place | None:
    """Return where the last message of a mailbox stands."""
    known = _ENDS.get(transaction, {}).get(agent)
    if known is not None:
        return known
    newest = next(_mail(transaction, agent, STATUSES, descending=True), None)
    return None if newest is None else (newest.time_created, newest.id)


def _place_of(transaction: Transaction, message_id: str | None) -> Place | None:
    """Return where a message stands; None if somebody deleted it, so that all is new rather than something lost."""
    row = None if message_id is None else transaction.get(MAIL, message_id)
    return None if row is None else (row["time_created"], row["id"])


def _is_over(message: Message, now: int) -> bool:
    return message.time_expires is not None and message.time_expires <= now


def _note_seen(transaction: Transaction, agent: str, now: int) -> None:
    """Note that a registered agent did something."""
    row = transaction.get(AGENTS, agent)
    if row is not None and (row["time_last_seen"] is None or row["time_last_seen"] < now):
        transaction.update(AGENTS, agent, {"time_last_seen": now})


def _agent_of(row: Mapping[str, Any]) -> Agent:
    known = row["capabilities"]  # SQL writes anything into a JSON column
    names = tuple(one for one in known if isinstance(one, str)) if isinstance(known, list) else ()
    return Agent(**{**row, "capabilities": names})
