"""Knowledge: remembering facts, and what a newer fact does to an older one.

A fact says something (its content) of a subject, in a scope. A scope has at most one active fact for a subject (and peer)::

    remember("drinks", "coffee", "/")        knw_1  active
    remember("drinks", "green tea", "/")     knw_1  superseded, superseded_by = knw_2, valid_to = now
                                             knw_2  active, valid_from = now

Nothing is overwritten: the older fact keeps its content, and its interval of validity is closed. Subjects are compared
folded (Unicode form, case and white space: :func:`zengram_py.engine.expr.fold`). Saying again what is known already,
up to Unicode form and white space, stores no second fact and gives the id of the one that is there; labels and the like that come
with it count from now on.

A fact may tell of another time: it holds in ``[valid_from, valid_to)``, now and from now on if nothing else is said. **Of the facts on
one subject that hold at an instant, the one that began last is the truth of it**::

    told first     10 EUR  |---------------------------------->
    told second                     20 EUR |------------------>        begins later: 10 EUR until then
    told third          12 EUR  |----------------------------->        now: closes 10 EUR, and leaves what begins later
    with an end             in Oslo |------|                           lies over what holds; that comes back

A fact that is over when it is told is history, and changes nothing that holds (:func:`zengram_py.memory.filters.FactFilters` reads by
this rule).
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
    names_given: bool = False,
    columns: Mapping[str, Any] = MappingProxyType({}),
) -> str:
    """Store a fact with its vector and the names it mentions, superseding what was known of the subject; return its id.

    Arguments are checked already. The writes are the transaction's: they are there when it commits.
    """
    peer = columns.get("subject_peer")
    told = _Told(columns, now)
    known = [
        row
        for row in transaction.lookup("knowledge", SUBJECT_INDEX, scope, fold(subject))
        if row["status"] == "active" and _folded(row["subject_peer"]) == _folded(peer)
    ]
    holder = _holder(known, now)
    for row in known:
        if same_content(row["content"], content) and told.repeats(row, holder, alone=len(known) == 1):
            told.say_again(transaction, row)
            link_entities(transaction, now, row["id"], names if names_given else ())
            return str(row["id"])
    fact_id = ids.new("knw_")
    for row in known:
        end = told.end_of(row)
        if end is not None:
            closing = {"status": "superseded", "superseded_by": fact_id, "valid_to": end, "time_updated": now}
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
            "valid_from": told.begins,
            "status": "superseded" if told.is_over else "active",
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


class _Told:
    """When a statement that is told now says that it holds, and what that means for others on its subject.

    Parameters
    ----------
    columns : mapping
        What comes with it.
    now : int
        When it is told.
    """

    def __init__(self, columns: Mapping[str, Any], now: int) -> None:
        self.columns, self.now = columns, now
        self.begins: int = columns.get("valid_from", now)
        self.ends = _end(columns)
        for name in ("valid_to", "time_expires"):
            if columns.get(name) is not None and columns[name] <= self.begins:
                option = "expires" if name == "time_expires" else name
                raise InvalidArgumentError(
                    f"{option} ({columns[name]}) must come after valid_from ({self.begins})"
                )

    @property
    def is_over(self) -> bool:
        """Whether it tells of the past only."""
        return self.ends is not None and self.ends <= self.now

    def repeats(self, row: Mapping[str, Any], holder: Mapping[str, Any] | None, *, alone: bool) -> bool:
        """Return whether it says no more than a fact of the same content: both are of now, or one plan takes another's place.

        To have begun earlier than was known says more where another fact on the subject began in between.
        """
        if self.is_over:
            return False
        if self.begins <= self.now:
            return row is holder and (alone or row["valid_from"] is None or self.begins >= row["valid_from"])
        ends = _end(row)
        return _is_scheduled(row, self.now) and (ends is None or self.begins < ends)

    def say_again(self, transaction: Transaction, row: Mapping[str, Any]) -> None:
        """Let what comes with it count for the fact that is there; where that was said first stays, and since when it holds."""
        new = {
            name: value
            for name, value in self.columns.items()
            if name not in ("source_session", "source_turn", "subject_peer", "valid_from")
        }
        if self.begins > self.now or row["valid_from"] is None or self.begins < row["valid_from"]:
            new["valid_from"] = self.begins
        new = {name: value for name, value in new.items() if row[name] != value}
        if new:
            transaction.update("knowledge", row["id"], {**new, "time_updated": self.now})

    def end_of(self, row: Mapping[str, Any]) -> int | None:
        """Return when a fact ceases to hold for this one, None if it goes on: under it, before it, or after it."""
        start = self.begins if row["valid_from"] is None else row["valid_from"]
        if self.is_over or self.begins > self.now or _is_scheduled(row, self.now):
            return None
        if start >= self.begins:
            return int(start)  # what is told last is the truth of now: the other one never held
        if self.ends is not None:
            return None
        ends = row["valid_to"]
        return self.begins if ends is None else min(self.begins, ends)


def _holder(rows: list[dict[str, Any]], now: int) -> dict[str, Any] | None:
    """Return which of the active facts on a subject is the truth of now: of those that hold, the one that began last."""
    holding = [
        row for row in rows if not _is_scheduled(row, now) and ((end := _end(row)) is None or end > now)
    ]
    begins = [now if row["valid_from"] is None else min(row["valid_from"], now) for row in holding]
    last = max(range(len(holding)), key=lambda i: (begins[i], holding[i]["id"]), default=None)
    return None if last is None else holding[last]


def _end(row: Mapping[str, Any]) -> int | None:
    return min((row[n] for n in ("valid_to", "time_expires") if row.get(n) is not None), default=None)


def _is_scheduled(row: Mapping[str, Any], now: int) -> bool:
    """Return whether a fact is to begin, later than it was said (a clock that was ahead schedules nothing)."""
    begins = row["valid_from"]
    return begins is not None and begins > row["time_created"] and begins > now


def _folded(peer: str | None) -> str | None:
    return None if peer is None else fold(peer)


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
