"""Knowledge: remembering facts, and what a newer fact does to an older one.

A fact says something (its content) of a subject, in a scope. A scope has at most one active fact for a subject (and peer)::

    remember("drinks", "coffee", "/")        knw_1  active
    remember("drinks", "green tea", "/")     knw_1  superseded, superseded_by = knw_2, valid_to = now
                                             knw_2  active, valid_from = now

Nothing is overwritten: the older fact keeps its content, and its interval of validity is closed. Subjects are compared
folded (Unicode form, case and white space: :func:`zengram_py.engine.expr.fold`). Saying again what is known already,
up to Unicode form and white space, stores nothing and gives the id of the fact that is there.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import Transaction
from ..engine.expr import fold
from ..engine.seen import SeenTable
from ..engine.table import SlotArray
from ..errors import InvalidArgumentError
from ..ids import UlidFactory
from .graph import link_entities
from .schema.knowledge import SUBJECT_INDEX

UNKNOWN_MODEL = "caller"


@dataclass(frozen=True)
class Fact:
    """A fact as it is stored.

    Attributes
    ----------
    id, scope, subject, content : str
        What it is and says.
    importance, confidence : float
        0 to 1.
    time_created : int
        Microseconds since the epoch, UTC.
    status : str
        ``"active"``, ``"superseded"`` or ``"forgotten"``.
    categories, tags : tuple of str
        Its labels.
    peer, session_id, turn_id : str or None
        Whom it is about, and where it was said.
    private : bool
        Whether recall leaves it out unless asked.
    valid_from, valid_to, expires : int or None
        When it holds, ``[valid_from, valid_to)``, and when it is to be forgotten, microseconds.
    source_ids : tuple of str
        The facts that it was made from.
    superseded_by : str or None
        The fact that took its place.
    """

    id: str
    scope: str
    subject: str
    content: str
    importance: float
    confidence: float
    time_created: int
    status: str
    categories: tuple[str, ...]
    tags: tuple[str, ...]
    peer: str | None
    session_id: str | None
    turn_id: str | None
    private: bool
    valid_from: int | None
    valid_to: int | None
    expires: int | None
    source_ids: tuple[str, ...]
    superseded_by: str | None


# In the order of Fact's attributes.
_COLUMNS = (
    "id",
    "scope",
    "subject",
    "content",
    "importance",
    "confidence",
    "time_created",
    "status",
    "categories",
    "tags",
    "subject_peer",
    "source_session",
    "source_turn",
    "private",
    "valid_from",
    "valid_to",
    "time_expires",
    "consolidated_from",
    "superseded_by",
)
_LISTS = ("categories", "tags", "consolidated_from")


def same_content(one: str, other: str) -> bool:
    """Return whether two contents say the same: equal up to Unicode form (NFC) and white space."""

    def normal(text: str) -> list[str]:
        return unicodedata.normalize("NFC", text).split()

    return normal(one) == normal(other)


def store_fact(
    transaction: Transaction,
    ids: UlidFactory,
    now: int,
    *,
    subject: str,
    content: str,
    scope: str,
    vector: NDArray[np.float32],
    names: Iterable[str] = (),
    columns: Mapping[str, Any] = MappingProxyType({}),
) -> str:
    """Store a fact with its vector and the names it mentions, superseding what was known of the subject; return its id.

    Arguments are checked already. The writes are the transaction's: they are there when it commits.
    """
    peer = columns.get("subject_peer")
    known = [
        row
        for row in transaction.lookup("knowledge", SUBJECT_INDEX, scope, fold(subject))
        if row["status"] == "active" and row["subject_peer"] == peer
    ]
    for row in known:
        if same_content(row["content"], content):
            return str(row["id"])
    fact_id = ids.new("knw_")
    begins = columns.get("valid_from", now)
    if columns.get("valid_to", begins + 1) <= begins:
        raise InvalidArgumentError(f"valid_to ({columns['valid_to']}) must come after valid_from ({begins})")
    for row in known:
        # It held until the new one does, or until its own end; one that began later never held.
        end = min(begins, begins if row["valid_to"] is None else row["valid_to"])
        end = max(end, end if row["valid_from"] is None else row["valid_from"])
        closing = {"status": "superseded", "superseded_by": fact_id, "valid_to": end, "time_updated": now}
        transaction.update("knowledge", row["id"], closing)
    transaction.insert(
        "knowledge",
        {
            "id": fact_id,
            "scope": scope,
            "subject": subject,
            "content": content,
            "valid_from": now,
            "time_created": now,
            "time_updated": now,
            **columns,
        },
    )
    transaction.insert(
        "embedding",
        {
            "id": ids.new("emb_"),
            "source_type": "knowledge",
            "source_id": fact_id,
            "vector": vector,
            "model": UNKNOWN_MODEL,
            "dimensions": len(vector),
            "time_created": now,
        },
    )
    link_entities(transaction, now, fact_id, names)
    return fact_id


def active_facts(transaction: Transaction, scope: str) -> tuple[SeenTable, SlotArray]:
    """Return the knowledge table and the slots of a scope's active facts; no value is decoded."""
    facts = transaction.seen("knowledge")
    slots = facts.where("scope", scope)
    return facts, slots[facts.column("status").equal(slots, "active")]


def list_facts(transaction: Transaction, scope: str, limit: int, offset: int) -> list[Fact]:
    """Return a scope's active facts, newest first."""
    facts, slots = active_facts(transaction, scope)
    created = np.array(facts.column("time_created").take(slots), np.int64)
    # Facts of one instant come in the order of their rows, which is that of their ids.
    order = np.lexsort((-facts.rows(slots), -created))
    return read_facts(facts, slots[order][offset : offset + limit])


def read_facts(facts: SeenTable, slots: SlotArray) -> list[Fact]:
    """Return the facts in these slots of the knowledge table."""
    columns: list[list[Any]] = [facts.column(name).take(slots) for name in _COLUMNS]
    for at in map(_COLUMNS.index, _LISTS):
        columns[at] = [() if text is None else _labels(text) for text in columns[at]]
    return [Fact(*values) for values in zip(*columns, strict=True)]


def _labels(text: str) -> tuple[str, ...]:
    found = json.loads(text)
    return tuple(one for one in found if isinstance(one, str)) if isinstance(found, list) else ()
