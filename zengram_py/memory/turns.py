"""Turns: what was said in a session, in order, and the parts that each is made of.

::

    append_turn ──▶ active ──▶ complete_turn ──▶ completed         tokens and cost are known, and added to the session's
                      │
                      └── add_part, record_tool_call, summarize_turn: whenever they come

A turn is one message of the user or of the assistant. Its text, reasoning, files and the like are parts, each any JSON value with a type and
a position. A turn keeps its numbers and, once something summarised it, a short form for when the context gets tight.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

from ..errors import InvalidArgumentError, StateError
from .branches import Conversation, newest_turn, note_newest, turns_shown
from .json_values import check_json, json_hash, json_text
from .quantities import check_count, check_number
from .rows_in_order import page
from .sessions import check_goes_on, optional_text, update_session
from .texts import check_text

ROLES = ("user", "assistant")
ACTIVE, COMPLETED = "active", "completed"


@dataclass(frozen=True)
class Turn:
    """A turn.

    Attributes
    ----------
    id : str
        Its id.
    role : str
        ``"user"`` or ``"assistant"``.
    agent : str or None
        Which agent said it.
    status : str
        ``"active"`` or ``"completed"``.
    tier : str
        How much of it a context takes: ``"hot"``, ``"warm"`` or ``"cold"``.
    tokens_input, tokens_output : int
        What the model read and wrote, once it is completed.
    cost_usd : float
        What that cost, in US dollars.
    finish_reason, summary : str or None
        Why the model stopped, and the turn in short.
    time_created : int
        Microseconds since the epoch, UTC.
    time_completed : int or None
        Likewise.
    session_id, branch_id : str
        Where it was said; a fork shows turns of other branches.
    parent_turn_id : str or None
        The turn that it answers.
    model_id, provider_id : str or None
        By which model of which provider.
    tokens_reasoning, tokens_cache_read, tokens_cache_write : int
        What the model thought, and what it read from and wrote to a cache.
    """

    id: str
    role: str
    agent: str | None
    status: str
    tier: str
    tokens_input: int
    tokens_output: int
    cost_usd: float
    finish_reason: str | None
    summary: str | None
    time_created: int
    time_completed: int | None
    session_id: str
    branch_id: str
    parent_turn_id: str | None
    model_id: str | None
    provider_id: str | None
    tokens_reasoning: int
    tokens_cache_read: int
    tokens_cache_write: int


@dataclass(frozen=True)
class Part:
    """A part of a turn.

    Attributes
    ----------
    id, type : str
        What it is.
    data : JSON value
        What it holds.
    position : int
        Where it stands in the turn.
    time_created : int
        Microseconds since the epoch, UTC.
    """

    id: str
    type: str
    data: Any
    position: int
    time_created: int


TURN_COLUMNS = [field.name for field in fields(Turn)]
_PART = [field.name for field in fields(Part)]


class Turns(Conversation):
    """Stores and shows turns."""

    def append_turn(
        self,
        session_id: str,
        branch_id: str,
        role: str,
        *,
        agent: str | None = None,
        parent_turn_id: str | None = None,
        model_id: str | None = None,
        provider_id: str | None = None,
    ) -> str:
        """Add a turn at the end of a branch; return its id.

        Parameters
        ----------
        session_id, branch_id : str
            Where.
        role : str
            ``"user"`` or ``"assistant"``.
        agent, model_id, provider_id : str, optional
            Which agent says it, by which model of which provider.
        parent_turn_id : str, optional
            The turn of the session that it answers; the last one that the branch shows when left out.

        Raises
        ------
        NotFoundError
            If there is no such session, or the branch or the parent is not of it.
        StateError
            If the session has ended.
        """
        role = check_text(role, "role")
        if role not in ROLES:
            raise InvalidArgumentError(f"role must be one of {', '.join(ROLES)}, not {role!r}")
        row: dict[str, Any] = {
            "role": role,
            "agent": optional_text(agent, "agent"),
            "model_id": optional_text(model_id, "model_id"),
            "provider_id": optional_text(provider_id, "provider_id"),
        }
        turn_id = self._ids.new("trn_")
        with self._writing() as transaction:
            session = self._row(transaction, "session", session_id, "session")
            branch = self._branch(transaction, session["id"], branch_id)
            check_goes_on(session, "given a turn")
            newest = newest_turn(transaction, branch)
            now = max(self._clock.now(), branch["time_created"])
            if newest is not None and (now, turn_id) < newest:  # the clock stepped back
                now = newest[0] + 1
            if parent_turn_id is not None:
                row["parent_turn_id"] = self._turn(transaction, session["id"], parent_turn_id)["id"]
            elif newest is not None:
                row["parent_turn_id"] = newest[1]
            place = {"id": turn_id, "session_id": session["id"], "branch_id": branch["id"]}
            transaction.insert("turn", {**place, **row, "time_created": now})
            update_session(transaction, session, now, {"total_turns": session["total_turns"] + 1})
            note_newest(transaction, branch["id"], (now, turn_id))
        return turn_id

    def add_part(self, turn_id: str, session_id: str, part_type: str, data: Any, position: int) -> str:
        """Add a part to a turn; return its id.

        Parameters
        ----------
        turn_id, session_id : str
            The turn, and the session that it is of.
        part_type : str
            What it is: ``"text"``, ``"reasoning"``, ``"tool"``, ``"file"``, or a type of your own.
        data : JSON value
            What it holds (json_values.py).
        position : int
            Where it stands in the turn, from 0. Parts may share one; the older comes first.

        Raises
        ------
        NotFoundError
            If there is no such turn in the session.
        InvalidArgumentError
            If ``data`` is not JSON; the message says where.
        """
        part_type = check_text(part_type, "part type")
        data = check_json(data, "data")
        position = check_count("position", position)
        part_id = self._ids.new("prt_")
        with self._writing() as transaction:
            turn = self._turn(transaction, session_id, turn_id)
            now = max(self._clock.now(), turn["time_created"])
            row = {
                "id": part_id,
                "turn_id": turn["id"],
                "session_id": turn["session_id"],
                "type": part_type,
                "data": json_text(data),  # as it is stored: null is a JSON value too, and not no value
                "content_hash": json_hash([part_type, data]),
                "position": position,
                "time_created": now,
                "time_updated": now,
            }
            table = transaction.reader.catalog.table("part")
            transaction.insert_stored(table, 1, {table.column(name).id: [row[name]] for name in row})
        return part_id

    def complete_turn(
        self,
        turn_id: str,
        tokens_in: int,
        tokens_out: int,
        cost_usd: float,
        finish_reason: str | None = None,
        *,
        tokens_reasoning: int = 0,
        tokens_cache_read: int = 0,
        tokens_cache_write: int = 0,
    ) -> None:
        """Note that a turn is complete and what it took; the session's totals grow by that.

        Parameters
        ----------
        turn_id : str
            An active turn.
        tokens_in, tokens_out : int
            What the model read and wrote.
        cost_usd : float
            What that cost, in US dollars.
        finish_reason : str, optional
            Why the model stopped, such as ``"stop"``.
        tokens_reasoning, tokens_cache_read, tokens_cache_write : int
            What it thought, and what it read from and wrote to a cache; not part of the session's total.

        Raises
        ------
        NotFoundError
            If there is no such turn.
        StateError
            If it is completed already.
        """
        tokens_in, tokens_out = check_count("tokens_in", tokens_in), check_count("tokens_out", tokens_out)
        cost = check_number("cost_usd", cost_usd)
        changes = {
            "tokens_input": tokens_in,
            "tokens_output": tokens_out,
            "tokens_reasoning": check_count("tokens_reasoning", tokens_reasoning),
            "tokens_cache_read": check_count("tokens_cache_read", tokens_cache_read),
            "tokens_cache_write": check_count("tokens_cache_write", tokens_cache_write),
            "cost_usd": cost,
            "finish_reason": optional_text(finish_reason, "finish_reason"),
            "status": COMPLETED,
        }
        with self._writing() as transaction:
            turn = self._row(transaction, "turn", turn_id, "turn")
            if turn["status"] != ACTIVE:
                raise StateError(
                    f"turn {turn['id']!r} is {turn['status']}: only an active turn can be completed"
                )
            session = self._row(transaction, "session", turn["session_id"], "session")
            tokens = session["total_tokens"] + tokens_in + tokens_out
            costs = session["total_cost_usd"] + cost
            if tokens >= 2**63 or not math.isfinite(costs):
                raise InvalidArgumentError("with this turn the session's totals would be beyond all numbers")
            now = max(self._clock.now(), turn["time_created"])
            transaction.update("turn", turn["id"], {**changes, "time_completed": now})
            update_session(transaction, session, now, {"total_tokens": tokens, "total_cost_usd": costs})

    def summarize_turn(self, turn_id: str, summary: str, *, model: str | None = None) -> None:
        """Give a turn a short form, in place of one that it has.

        Parameters
        ----------
        turn_id : str
            The turn.
        summary : str
            The turn in short.
        model : str, optional
            Which model wrote that.

        Raises
        ------
        NotFoundError
            If there is no such turn.
        """
        changes = {
            "summary": check_text(summary, "summary"),
            "summary_model": optional_text(model, "model"),
        }
        with self._writing() as transaction:
            turn = self._row(transaction, "turn", turn_id, "turn")
            transaction.update("turn", turn["id"], changes)

    def get_turns(self, session_id: str, branch_id: str, limit: int = 100, offset: int = 0) -> list[Turn]:
        """Return the turns that a branch shows, the oldest first: its ancestors' up to where it was forked, then its own.

        Parameters
        ----------
        session_id, branch_id : str
            Which.
        limit, offset : int
            How many at most, after leaving out how many.

        Raises
        ------
        NotFoundError
            If there is no such branch in the session.
        """
        limit, offset = check_count("limit", limit), check_count("offset", offset)
        with self._reading() as transaction:
            branch = self._branch(transaction, session_id, branch_id)
            found = page(turns_shown(transaction, branch), TURN_COLUMNS, limit, offset)
        return [Turn(*values) for values in found]

    def turn(self, turn_id: str) -> Turn | None:
        """Return a turn by its id, None if there is none."""
        with self._reading() as transaction:
            row = transaction.get("turn", check_text(turn_id, "turn id"))
        return None if row is None else Turn(*(row[name] for name in TURN_COLUMNS))

    def get_parts(self, turn_id: str) -> list[Part]:
        """Return the parts of a turn, by position; those that share one in the order in which they were added.

        Raises
        ------
        NotFoundError
            If there is no such turn.
        """
        with self._reading() as transaction:
            turn = self._row(transaction, "turn", turn_id, "turn")
            rows = list(transaction.range("part", "part_turn", (turn["id"],), (turn["id"],)))
        rows.sort(key=lambda row: (row["position"], row["id"]))
        return [Part(*(row[name] for name in _PART)) for row in rows]
