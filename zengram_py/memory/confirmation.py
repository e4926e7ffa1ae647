"""How a fact gains and loses confidence.

===============================  ============  ==========  =====================
what happens                     importance    confidence  counter
===============================  ============  ==========  =====================
``confirm``, or a repeat from    + 0.15        + 0.10      ``times_confirmed``
another session
``contradict``                   as it was     - 0.20      ``times_contradicted``
===============================  ============  ==========  =====================

Both stay within 0..1. What a repeat adds is published, and ``confirm`` is the same thing said outright. The second line is a choice: a doubt takes two confirmations to make up for, since a
memory that repeats what is wrong does more harm than one that hedges; and it leaves importance alone, for a doubtful fact matters as
much as it did (what is no longer wanted is forgotten, or superseded by what is right).

A session confirms a fact once, however often it says it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..engine import Transaction
from ..ids import UlidFactory
from .trail import CONFIRMED_BY, Trail

CONFIRM_IMPORTANCE = 0.15
CONFIRM_CONFIDENCE = 0.10
CONTRADICT_CONFIDENCE = 0.20


def confirmed(row: Mapping[str, Any], now: int) -> dict[str, Any]:
    """Return the columns of a fact that a confirmation changes."""
    return {
        "importance": _within(row["importance"] + CONFIRM_IMPORTANCE),
        "confidence": _within(row["confidence"] + CONFIRM_CONFIDENCE),
        "times_confirmed": row["times_confirmed"] + 1,
        "time_updated": now,
    }


def contradicted(row: Mapping[str, Any], now: int) -> dict[str, Any]:
    """Return the columns of a fact that a contradiction changes."""
    return {
        "confidence": _within(row["confidence"] - CONTRADICT_CONFIDENCE),
        "times_contradicted": row["times_contradicted"] + 1,
        "time_updated": now,
    }


def confirm_from(
    transaction: Transaction, ids: UlidFactory, now: int, fact_id: str, columns: Mapping[str, Any]
) -> None:
    """Let a session that says what a fact says confirm it: not the one that it came from, and once each.

    What comes with the statement, as columns, is in the fact already: an importance that was given stays as it was given.
    """
    session, turn = columns.get("source_session"), columns.get("source_turn")
    row = transaction.get("knowledge", fact_id)
    if row is None or session is None or session == row["source_session"]:
        return
    known = transaction.lookup("provenance", "provenance_target", fact_id)
    if any(one["relation"] == CONFIRMED_BY and one["session_id"] == session for one in known):
        return
    changes = {name: value for name, value in confirmed(row, now).items() if name not in columns}
    transaction.update("knowledge", fact_id, changes)
    source = ("session", session) if turn is None else ("turn", turn)
    Trail(transaction, ids, now, session).note(source, ("knowledge", fact_id), CONFIRMED_BY)


def hand_over_confirmations(
    transaction: Transaction, ids: UlidFactory, now: int, merged_id: str, fact_id: str
) -> None:
    """Let the sessions that confirmed a fact that is merged into another one be known of that one: they confirm it no more."""
    known = transaction.lookup("provenance", "provenance_target", fact_id)
    sessions = {one["session_id"] for one in known if one["relation"] == CONFIRMED_BY}
    for row in transaction.lookup("provenance", "provenance_target", merged_id):
        if row["relation"] == CONFIRMED_BY and row["session_id"] not in sessions:
            sessions.add(row["session_id"])
            trail = Trail(transaction, ids, now, row["session_id"])
            trail.note((row["source_type"], row["source_id"]), ("knowledge", fact_id), CONFIRMED_BY)


def _within(value: float) -> float:
    return min(1.0, max(0.0, round(value, 9)))  # what tenths leave behind in floats is no part of a fact
