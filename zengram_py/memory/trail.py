"""Writing provenance: what a thing came from, noted in the transaction that stores it (provenance.py walks it)."""

from __future__ import annotations

from ..engine import Transaction
from ..ids import UlidFactory

EXTRACTED_FROM = "extracted_from"
TOLD_IN = "told_in"
REFLECTED_FROM = "reflected_from"
DERIVED_FROM = "derived_from"
MERGED_FROM = "merged_from"
SUPERSEDES = "supersedes"
CONTRADICTS = "contradicts"
CONFIRMED_BY = "confirmed_by"
RELATIONS = (
    EXTRACTED_FROM,
    TOLD_IN,
    REFLECTED_FROM,
    DERIVED_FROM,
    MERGED_FROM,
    SUPERSEDES,
    CONTRADICTS,
    CONFIRMED_BY,
)

Node = tuple[str, str]
"""A kind (``"knowledge"``, ``"turn"``, ``"tool_call"``, ``"session"``) and an id."""


class Trail:
    """Writes provenance in a transaction."""

    def __init__(self, transaction: Transaction, ids: UlidFactory, now: int, session: str | None) -> None:
        self._transaction, self._ids, self._now, self._session = transaction, ids, now, session

    def note(self, source: Node, target: Node, relation: str, confidence: float = 1.0) -> None:
        """Note that the target came of the source."""
        row = {
            "id": self._ids.new("prv_"),
            "session_id": self._session,
            "source_type": source[0],
            "source_id": source[1],
            "target_type": target[0],
            "target_id": target[1],
            "relation": relation,
            "confidence": confidence,
            "time_created": self._now,
        }
        self._transaction.insert("provenance", row)
