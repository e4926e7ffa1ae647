"""Knowledge: remembering facts, and what a newer fact does to an older one.

A fact says something (its content) of a subject, in a scope. A scope has at most one active fact for a subject::

    remember("drinks", "coffee", "/")        knw_1  active
    remember("drinks", "green tea", "/")     knw_1  superseded, superseded_by = knw_2, valid_to = now
                                             knw_2  active, valid_from = now

Nothing is overwritten: the older fact keeps its content, and its interval of validity is closed. Subjects are compared
folded (Unicode form, case and white space: :func:`zengram_py.engine.expr.fold`). Saying again what is known already,
up to Unicode form and white space, stores nothing and gives the id of the fact that is there.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import Transaction
from ..engine.expr import fold
from ..engine.seen import SeenTable
from ..engine.table import SlotArray
from ..ids import UlidFactory
from .graph import link_entities
from .schema.knowledge import SUBJECT_INDEX

UNKNOWN_MODEL = "caller"


@dataclass(frozen=True)
class Fact:
    """An active fact.

    Attributes
    ----------
    id, scope, subject, content : str
        What it is and says.
    importance, confidence : float
        0 to 1.
    time_created : int
        Microseconds since the epoch, UTC.
    """

    id: str
    scope: str
    subject: str
    content: str
    importance: float
    confidence: float
    time_created: int


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
) -> str:
    """Store a fact with its vector and the names it mentions, superseding what was known of the subject; return its id.

    Arguments are checked already. The writes are the transaction's: they are there when it commits.
    """
    known = [
        row
        for row in transaction.lookup("knowledge", SUBJECT_INDEX, scope, fold(subject))
        if row["status"] == "active"
    ]
    for row in known:
        if same_content(row["content"], content):
            return str(row["id"])
    fact_id = ids.new("knw_")
    for row in known:
        closing = {"status": "superseded", "superseded_by": fact_id, "valid_to": now, "time_updated": now}
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
    names = ("id", "scope", "subject", "content", "importance", "confidence", "time_created")
    columns: list[list[Any]] = [facts.column(name).take(slots) for name in names]
    return [Fact(*values) for values in zip(*columns, strict=True)]
