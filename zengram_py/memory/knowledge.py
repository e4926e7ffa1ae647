"""Knowledge: remembering facts, and what a newer fact does to an older one.

A fact says something (its content) of a subject, in a scope. A scope has at most one active fact for a subject (and peer)::

    remember("drinks", "coffee", "/")        knw_1  active
    remember("drinks", "green tea", "/")     knw_1  superseded, superseded_by = knw_2, valid_to = now
                                             knw_2  active, valid_from = now

Nothing is overwritten: the older fact keeps its content, and its interval of validity is closed. Subjects are compared
folded (Unicode form, case and white space: :func:`zengram_py.engine.expr.fold`). Saying again what is known already,
up to Unicode form and white space, stores no second fact and gives the id of the one that is there; labels and the like that come
with it count from now on.

A fact may tell of another time. One that is over already is history, and changes nothing that holds; one that is to begin later leaves
what holds until then, and what is said meanwhile holds until then, too.
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
    begins, ends = columns.get("valid_from", now), columns.get("valid_to")
    if ends is not None and ends <= begins:
        raise InvalidArgumentError(f"valid_to ({ends}) must come after valid_from ({begins})")
    known = [
        row
        for row in transaction.lookup("knowledge", SUBJECT_INDEX, scope, fold(subject))
        if row["status"] == "active" and _folded(row["subject_peer"]) == _folded(peer)
    ]
    for row in known:
        holds = not _is_over(row, now) and not _is_scheduled(row, max(now, begins))
        if holds and same_content(row["content"], content):
            return _said_again(transaction, row, columns, now)
    fact_id = ids.new("knw_")
    status = "active"
    if ends is not None and ends <= now:
        status = "superseded"  # it tells of the past, and changes nothing that holds
        known = []
    for row in known:
        start = begins if row["valid_from"] is None else row["valid_from"]
        if _is_scheduled(row, max(now, begins)):  # until then
            ends = start if ends is None else min(ends, start)
            continue
        end = begins if row["valid_to"] is None else min(begins, row["valid_to"])
        closing: dict[str, Any] = {"valid_to": max(end, start), "time_updated": now}
        if begins <= now or start >= begins:
            closing |= {"status": "superseded", "superseded_by": fact_id}
        transaction.update("knowledge", row["id"], closing)
    transaction.insert(
        "knowledge",
        {
            "id": fact_id,
            "scope": scope,
            "subject": subject,
            "content": content,
            "time_created": now,
            "time_updated": now,
            **columns,
            "valid_from": begins,
            "valid_to": ends,
            "status": status,
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


def _is_over(row: Mapping[str, Any], now: int) -> bool:
    return any(row[end] is not None and row[end] <= now for end in ("valid_to", "time_expires"))


def _is_scheduled(row: Mapping[str, Any], at: int) -> bool:
    """Return whether a fact is to begin after a time, later than it was said (a clock that was ahead schedules nothing)."""
    begins = row["valid_from"]
    return begins is not None and begins > row["time_created"] and begins > at


def _folded(peer: str | None) -> str | None:
    return None if peer is None else fold(peer)


def _said_again(
    transaction: Transaction, row: Mapping[str, Any], columns: Mapping[str, Any], now: int
) -> str:
    """Let what was said with a fact that is known already count for it; where it was said first stays."""
    changed = {
        name: value
        for name, value in columns.items()
        if name not in ("source_session", "source_turn", "subject_peer") and row[name] != value
    }
    if changed:
        begins, ends = ({**row, **changed}[name] for name in ("valid_from", "valid_to"))
        if begins is not None and ends is not None and ends <= begins:
            raise InvalidArgumentError(f"valid_to ({ends}) must come after valid_from ({begins})")
        transaction.update("knowledge", row["id"], {**changed, "time_updated": now})
    return str(row["id"])


def active_facts(transaction: Transaction, scope: str) -> tuple[SeenTable, SlotArray]:
    """Return the knowledge table and the slots of a scope's active facts; no value is decoded."""
    facts = transaction.seen("knowledge")
    slots = facts.where("scope", scope)
    return facts, slots[facts.column("status").equal(slots, "active")]


def list_facts(transaction: Transaction, scope: str, limit: int, offset: int) -> list[Fact]:
    """Return a scope's active facts, newest first."""
    facts, slots = active_facts(transaction, scope)
    return read_facts(facts, newest_first(facts, slots)[offset : offset + limit])


def newest_first(facts: SeenTable, slots: SlotArray) -> SlotArray:
    """Return slots of the knowledge table by time, the newest first, those of one instant by row."""
    return slots[np.lexsort((-facts.rows(slots), -facts.array("time_created", slots)))]


def read_facts(facts: SeenTable, slots: SlotArray) -> list[Fact]:
    """Return the facts in these slots of the knowledge table."""
    columns: list[list[Any]] = [facts.column(name).take(slots) for name in _COLUMNS]
    for at in map(_COLUMNS.index, _LISTS):
        columns[at] = [() if text is None else _labels(text) for text in columns[at]]
    return [Fact(*values) for values in zip(*columns, strict=True)]


def _labels(text: str) -> tuple[str, ...]:
    found = json.loads(text)
    return tuple(one for one in found if isinstance(one, str)) if isinstance(found, list) else ()
