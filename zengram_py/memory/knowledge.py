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
from dataclasses import dataclass, fields
from hashlib import sha256
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import Transaction
from ..engine.expr import fold
from ..engine.index.hash import HashIndex
from ..engine.seen import SeenTable
from ..engine.table import SlotArray
from ..errors import InvalidArgumentError, NotFoundError
from ..ids import UlidFactory
from .confirmation import confirm_from
from .graph import link_entities
from .peers import note_peer
from .projects import project_of_fact
from .schema.knowledge import SUBJECT_INDEX
from .trail import DERIVED_FROM, SUPERSEDES, TOLD_IN, Trail

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
    time_created, time_updated : int
        When it was stored and changed last, microseconds since the epoch, UTC.
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
    project_id : str or None
        The project of its scope.
    source_type : str
        Who stored it: ``"agent"``, ``"extraction"`` or ``"reflection"``.
    access_count, times_confirmed, times_contradicted : int
        How often it was recalled (up to the last write), confirmed and contradicted.
    last_accessed, time_decayed : int or None
        When it was recalled last, and until when its importance has been charged for age, microseconds.
    """

    id: str
    scope: str
    subject: str
    content: str
    importance: float
    confidence: float
    time_created: int
    time_updated: int
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
    project_id: str | None
    source_type: str
    access_count: int
    times_confirmed: int
    times_contradicted: int
    last_accessed: int | None
    time_decayed: int | None


# Where the table's columns have other names than a fact's attributes.
_RENAMED = {
    "peer": "subject_peer",
    "session_id": "source_session",
    "turn_id": "source_turn",
    "expires": "time_expires",
    "source_ids": "consolidated_from",
}
_COLUMNS = tuple(_RENAMED.get(field.name, field.name) for field in fields(Fact))
_LISTS = ("categories", "tags", "consolidated_from")


@dataclass(frozen=True)
class Stored:
    """What became of a statement.

    Attributes
    ----------
    id : str
        The fact that says it.
    is_new : bool
        Whether it is a new one; else it was known.
    replaced : tuple of str
        The facts whose place it took.
    """

    id: str
    is_new: bool
    replaced: tuple[str, ...] = ()


def same_content(one: str, other: str) -> bool:
    """Return whether two contents say the same: equal up to Unicode form (NFC) and white space."""
    return _normal(one) == _normal(other)


def similarity_hash(subject: str, content: str) -> str:
    """Return what facts that say the same of one subject share: 32 hexadecimal digits of SHA-256.

    The subject is folded, the content brought to NFC and its white space to single spaces. The two stand apart, so that no part of one
    can pass for a part of the other.
    """
    parts = json.dumps([fold(subject), _normal(content)], ensure_ascii=False)
    return sha256(parts.encode()).hexdigest()[:32]


def _normal(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


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
    derived: str = DERIVED_FROM,
    told: str = TOLD_IN,
    tool_call: str | None = None,
) -> Stored:
    """Store a fact with its vector, where it came from and the names it mentions, superseding what was known of the subject.

    Arguments are checked already. The writes are the transaction's: they are there when it commits. A statement that is known and
    comes from another session than the one that it was known from confirms it. ``derived`` is what it says of the facts that it was
    made from, ``told`` what it says of where it was told (trail.py): a tool call, else a turn, else a session.
    """
    columns = _with_origin(transaction, scope, columns, tool_call)
    peer = columns.get("subject_peer")
    statement = _Told(columns, now)
    trail = Trail(transaction, ids, now, columns.get("source_session"))
    sources = [("knowledge", source) for source in columns.get("consolidated_from", ())]
    known = [
        row
        for row in _active_on(transaction, scope, fold(subject))
        if _folded(row["subject_peer"]) == _folded(peer)
    ]
    holder = _holder(known, now)
    for row in known:
        if same_content(row["content"], content) and statement.repeats(row, holder, alone=len(known) == 1):
            statement.say_again(transaction, row)
            confirm_from(transaction, ids, now, row["id"], columns)
            for source in sources:
                if source[1] not in (row["id"], *texts_of(row["consolidated_from"])):
                    trail.note(source, ("knowledge", row["id"]), derived)
            link_entities(transaction, now, row["id"], names if names_given else ())
            return Stored(str(row["id"]), False)
    if statement.is_over:
        for row in transaction.lookup("knowledge", SUBJECT_INDEX, scope, fold(subject)):
            if statement.is_told_by(row) and same_content(row["content"], content):
                return Stored(str(row["id"]), False)
    fact_id = ids.new("knw_")
    ends = [(row, statement.end_of(row)) for row in known]
    # What takes the place of a private fact is as private, unless the caller says otherwise.
    private = columns.get("private", any(row["private"] for row, end in ends if end is not None))
    transaction.insert(
        "knowledge",
        {
            "id": fact_id,
            "project_id": project_of_fact(transaction, scope, now),
            "scope": scope,
            "subject": subject,
            "content": content,
            "similarity_hash": similarity_hash(subject, content),
            "time_created": now,
            "time_updated": now,
            **columns,
            "private": private,
            "valid_from": statement.begins,
            "status": "superseded" if statement.is_over else "active",
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
    replaced = []
    for row, end in ends:
        if end is not None:
            closing = {"status": "superseded", "superseded_by": fact_id, "valid_to": end, "time_updated": now}
            transaction.update("knowledge", row["id"], closing)
            trail.note(("knowledge", row["id"]), ("knowledge", fact_id), SUPERSEDES)
            replaced.append(row["id"])
    for source in sources:
        trail.note(source, ("knowledge", fact_id), derived)
    origins = (
        ("tool_call", tool_call),
        ("turn", columns.get("source_turn")),
        ("session", columns.get("source_session")),
    )
    origin = next(((kind, one) for kind, one in origins if one is not None), None)
    if origin is not None:
        trail.note(origin, ("knowledge", fact_id), told)
    if "subject_peer" in columns:
        note_peer(transaction, now, columns["subject_peer"])
    link_entities(transaction, now, fact_id, names)
    return Stored(fact_id, True, tuple(replaced))


def _active_on(transaction: Transaction, scope: str, subject: str) -> list[dict[str, Any]]:
    """Return the active facts on a folded subject. Thousands may be superseded: they are told by their status, and not read."""
    reader = transaction.reader
    table = reader.catalog.table("knowledge")
    store, index, key = reader.stores[table.id], table.index(SUBJECT_INDEX), (scope, subject)
    state, writes = store.indexes[index.id], reader.writes.get(table.id)
    assert isinstance(state.structure, HashIndex)
    names, status = table.column("id").id, table.column("status").id
    slots = store.slots_of_entries(reader.view, index.id, np.array(state.structure.candidates(key), np.int32))
    slots = slots[store.columns[status].equal(slots, "active")]
    found = [
        store.columns[names].get(slot)
        for slot, row in zip(slots.tolist(), store.system["row"].view[slots].tolist(), strict=True)
        if store.key_of_slot(state, slot) == key and not (writes and writes.hides(row))
    ]
    if writes:
        own = [writes.values(row) for row in writes.rows_of_key(state, key)]
        found += [values[names] for values in own if values is not None and values[status] == "active"]
    rows = (transaction.get("knowledge", one) for one in found)
    return [row for row in rows if row is not None]


def _with_origin(
    transaction: Transaction, scope: str, columns: Mapping[str, Any], tool_call: str | None
) -> Mapping[str, Any]:
    """Return what comes with a fact with the session of its turn, or say which of the things that it names is not there."""
    session, turn = columns.get("source_session"), columns.get("source_turn")
    if tool_call is not None:
        call = transaction.get("tool_call", tool_call)
        if call is None:
            raise NotFoundError(f"there is no tool call {tool_call!r}")
        if turn not in (None, call["turn_id"]):
            raise NotFoundError(f"tool call {tool_call!r} is not of turn {turn!r}")
        turn = call["turn_id"]
        columns = {**columns, "source_turn": turn}
    if session is not None and transaction.get("session", session) is None:
        raise NotFoundError(f"there is no session {session!r}: create_session makes one")
    if turn is not None:
        row = transaction.get("turn", turn)
        if row is None:
            raise NotFoundError(f"there is no turn {turn!r}")
        if session is not None and row["session_id"] != session:
            raise NotFoundError(f"turn {turn!r} is not of session {session!r}")
        columns = {**columns, "source_session": row["session_id"]}
    for source in columns.get("consolidated_from", ()):
        row = transaction.get("knowledge", source)
        if row is None or row["scope"] != scope:
            raise NotFoundError(f"there is no fact {source!r} in scope {scope!r}")
    return columns


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
        self.ends = end_of(columns)
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
        ends = end_of(row)
        return _is_scheduled(row, self.now) and (ends is None or self.begins < ends)

    def is_told_by(self, row: Mapping[str, Any]) -> bool:
        """Return whether a fact tells of the same past: of the same peer, in the same interval."""
        times = (row["valid_from"], row["valid_to"], row["time_expires"])
        return (
            row["status"] == "superseded"
            and times == (self.begins, self.columns.get("valid_to"), self.columns.get("time_expires"))
            and _folded(row["subject_peer"]) == _folded(self.columns.get("subject_peer"))
        )

    def say_again(self, transaction: Transaction, row: Mapping[str, Any]) -> None:
        """Let what comes with it count for the fact that is there; where that was said first stays, and since when it holds."""
        new = {
            name: value
            for name, value in self.columns.items()
            if name not in ("source_session", "source_turn", "source_type", "subject_peer", "valid_from")
        }
        if "consolidated_from" in new:
            sources = [*texts_of(row["consolidated_from"]), *new["consolidated_from"]]
            new["consolidated_from"] = [one for one in dict.fromkeys(sources) if one != row["id"]]
        if self.begins > self.now or row["valid_from"] is None or self.begins < row["valid_from"]:
            new["valid_from"] = self.begins
        new = {name: value for name, value in new.items() if row[name] != value}
        if "importance" in self.columns:
            new["time_decayed"] = self.now  # what it is worth was said now: it has no age yet
        if new:
            transaction.update("knowledge", row["id"], {**new, "time_updated": self.now})

    def end_of(self, row: Mapping[str, Any]) -> int | None:
        """Return when a fact ceases to hold for this one, None if it goes on: under it, before it, or after it."""
        start = self.begins if row["valid_from"] is None else row["valid_from"]
        if self.is_over or self.begins > self.now or _is_scheduled(row, self.now):
            return None
        if self.ends is not None and start == self.begins:
            return None  # it lies over what began at the same instant
        if start >= self.begins:
            return int(start)  # what is told last is the truth of now: the other one never held
        if self.ends is not None:
            return None
        ends = row["valid_to"]
        return self.begins if ends is None else min(self.begins, ends)


def _holder(rows: list[dict[str, Any]], now: int) -> dict[str, Any] | None:
    """Return which of the active facts on a subject is the truth of now: of those that hold, the one that began last."""
    holding = [
        row for row in rows if not _is_scheduled(row, now) and ((end := end_of(row)) is None or end > now)
    ]
    begins = [now if row["valid_from"] is None else min(row["valid_from"], now) for row in holding]
    last = max(range(len(holding)), key=lambda i: (begins[i], i), default=None)  # of equals the later row
    return None if last is None else holding[last]


def begin(row: Mapping[str, Any]) -> int:
    """Return when a fact began to hold: when it was stored, if nothing else was said."""
    return int(row["time_created"] if row["valid_from"] is None else row["valid_from"])


def end_of(row: Mapping[str, Any]) -> int | None:
    """Return when a fact ceases to hold, whichever of its ends comes first; None if it has none."""
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


def most_important(facts: SeenTable, slots: SlotArray) -> SlotArray:
    """Return slots of the knowledge table by importance, the most important first, of equals the newer."""
    slots = newest_first(facts, slots)
    return slots[np.argsort(-facts.array("importance", slots), kind="stable")]


def read_facts(facts: SeenTable, slots: SlotArray) -> list[Fact]:
    """Return the facts in these slots of the knowledge table."""
    columns: list[list[Any]] = [facts.column(name).take(slots) for name in _COLUMNS]
    for at in map(_COLUMNS.index, _LISTS):
        columns[at] = [() if text is None else _labels(text) for text in columns[at]]
    return [Fact(*values) for values in zip(*columns, strict=True)]


def fact_of(row: Mapping[str, Any]) -> Fact:
    """Return a row of the knowledge table as a fact."""
    values = {name: row[name] for name in _COLUMNS}
    for name in _LISTS:
        values[name] = texts_of(values[name])
    return Fact(*values.values())


def _labels(text: str) -> tuple[str, ...]:
    return texts_of(json.loads(text))


def texts_of(value: Any) -> tuple[str, ...]:
    """Return the texts in a list, as a tuple: SQL writes anything into a JSON column."""
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()
