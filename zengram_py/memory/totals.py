"""What a session took: tokens, costs and tool calls, by branch.

Each turn counts once, on the branch on which it was said: a fork does not pay again for what it shows of its ancestors. So the branches add
up to the session, and a branch says what it alone has cost.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import Any

import numpy as np

from .branches import TURN_INDEX, Conversation
from .rows_in_order import Rows, rows_of
from .sessions import branches_of


@dataclass(frozen=True, kw_only=True)
class Spent:
    """What some turns took.

    Attributes
    ----------
    turns : int
        How many they are.
    tokens_input, tokens_output, tokens_reasoning, tokens_cache_read, tokens_cache_write : int
        Their tokens.
    cost_usd : float
        Their cost, in US dollars.
    tool_calls, tool_tokens, tool_duration_ms : int
        How many tools they called, the tokens that these took themselves, and the milliseconds.
    """

    turns: int
    tokens_input: int
    tokens_output: int
    tokens_reasoning: int
    tokens_cache_read: int
    tokens_cache_write: int
    cost_usd: float
    tool_calls: int
    tool_tokens: int
    tool_duration_ms: int


@dataclass(frozen=True, kw_only=True)
class BranchTotals(Spent):
    """What one branch took: the turns of its own.

    Attributes
    ----------
    branch_id : str
        The branch.
    name : str or None
        Its name.
    """

    branch_id: str
    name: str | None


@dataclass(frozen=True, kw_only=True)
class SessionTotals(Spent):
    """What a session took.

    Attributes
    ----------
    session_id : str
        The session.
    branches : tuple of BranchTotals
        What each of its branches took, the oldest first.
    """

    session_id: str
    branches: tuple[BranchTotals, ...]


_TURN_SUMS = (
    "tokens_input",
    "tokens_output",
    "tokens_reasoning",
    "tokens_cache_read",
    "tokens_cache_write",
    "cost_usd",
)
_CALL_SUMS = {"tool_tokens": "tokens_consumed", "tool_duration_ms": "duration_ms"}


class Totals(Conversation):
    """Adds up what sessions took."""

    def session_totals(self, session_id: str) -> SessionTotals:
        """Return what a session took, in all and by branch.

        Raises
        ------
        NotFoundError
            If there is no such session.
        """
        with self._reading() as transaction:
            session = self._row(transaction, "session", session_id, "session")["id"]
            branches = branches_of(transaction, session)
            turns = rows_of(transaction, "turn", TURN_INDEX, (session,))
            calls = rows_of(transaction, "tool_call", "tool_call_session", (session,))
            at = {branch["id"]: number for number, branch in enumerate(branches)}
            where = [at.get(branch, -1) for branch in turns.values("branch_id")]
            of_turn = dict(zip(turns.values("id"), where, strict=True))
            called = [of_turn.get(turn, -1) for turn in calls.values("turn_id")]
            parts = []
            for number, branch in enumerate(branches):
                own = turns.at(np.array(where, np.int64) == number)
                sums = _sums(own, calls.at(np.array(called, np.int64) == number))
                parts.append(BranchTotals(branch_id=branch["id"], name=branch["name"], **sums))
            total = _sums(turns, calls)
        return SessionTotals(session_id=session, **total, branches=tuple(parts))


def _sums(turns: Rows, calls: Rows) -> dict[str, Any]:
    found: dict[str, Any] = {"turns": len(turns)}
    for name in _TURN_SUMS:
        values = turns.array(name).tolist()
        found[name] = fsum(values) if name == "cost_usd" else sum(values)
    found["tool_calls"] = len(calls)
    for name, column in _CALL_SUMS.items():
        found[name] = sum(calls.array(column).tolist())
    return found
