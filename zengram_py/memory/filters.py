"""Which facts may be answers at all: scope, status, time, labels and peers, before anything is ranked.

A filter leaves slots of the table of facts; every arm searches among these and nothing else, so ten facts asked for are ten
facts found, however few the filter leaves. What it leaves depends on what the reader sees and, where validity or expiry
ends, on the time; until either changes it is kept, with what the arms derive from it (:class:`Eligible`).

Validity is an interval ``[valid_from, valid_to)``: a fact that ended at an instant is not valid at that instant any more. Of several
facts on one subject that were valid at a time (one may be told later than another, of the same past), the one that began last
was the truth of that time.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..engine import Transaction
from ..engine.expr import fold
from ..engine.seen import SeenTable
from ..engine.table import SlotArray
from .joins import ValueCodes

T = TypeVar("T")

STATUSES = ("active", "superseded")
KEPT = 8
"""Filters whose results are kept: an application asks with a few."""
NEVER = np.iinfo(np.int64).max
ALWAYS = np.iinfo(np.int64).min


@dataclass(frozen=True)
class RecallFilter:
    """What facts must be to be answers.

    Attributes
    ----------
    statuses : tuple of str
        One of these.
    categories : frozenset of str or None
        In one of these at least, folded.
    tags : frozenset of str or None
        Tagged with all of these, folded.
    peers : frozenset of str or None
        About one of these, folded.
    since, until : int or None
        Created in ``[since, until)``, microseconds.
    as_of : int or None
        Valid then, microseconds; valid now if None.
    include_private : bool
        Whether private facts may be answers.
    """

    statuses: tuple[str, ...] = ("active",)
    categories: frozenset[str] | None = None
    tags: frozenset[str] | None = None
    peers: frozenset[str] | None = None
    since: int | None = None
    until: int | None = None
    as_of: int | None = None
    include_private: bool = False


class Eligible:
    """The facts that a filter leaves.

    Attributes
    ----------
    facts : SeenTable
        The table.
    slots : int32 array
        Where they are, ascending.
    """

    def __init__(self, facts: SeenTable, slots: SlotArray, holds: tuple[int, int]) -> None:
        self.facts, self.slots = facts, slots
        self.state = facts.state
        self.holds = holds
        """From when, and until when, time alone makes no other set of this."""
        self._derived: dict[str, tuple[Any, Any]] = {}

    def keep(self, name: str, state: Any, compute: Callable[[], T]) -> T:
        """Return what was derived from these facts and a state, computing it once."""
        kept = self._derived.get(name)
        if kept is None or kept[0] != state:
            kept = self._derived[name] = (state, compute())
        found: T = kept[1]
        return found


class FactFilters:
    """Finds what filters leave; keeps the last of them."""

    def __init__(self) -> None:
        self._labels = {name: ValueCodes(name, label_set) for name in ("categories", "tags")}
        self._scopes = ValueCodes("scope", lambda text: text)
        self._subjects = ValueCodes("subject", fold)
        self.peers = ValueCodes("subject_peer", fold)
        self._kept: OrderedDict[tuple[str | None, RecallFilter], Eligible] = OrderedDict()

    def select(self, transaction: Transaction, scope: str | None, wanted: RecallFilter, now: int) -> Eligible:
        """Return the facts of a scope that may be answers at a time.

        Parameters
        ----------
        transaction : Transaction
            Who reads.
        scope : str or None
            The scope; None for every one, each with its own truth of a subject.
        wanted : RecallFilter
            What they must be.
        now : int
            Microseconds since the epoch.
        """
        facts = transaction.seen("knowledge")
        key = (scope, wanted)
        kept = self._kept.get(key)
        if kept is not None and kept.state == facts.state and kept.holds[0] <= now < kept.holds[1]:
            self._kept.move_to_end(key)
            return kept
        found = self._find(facts, scope, wanted, now)
        self._kept[key] = found
        self._kept.move_to_end(key)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return found

    def _find(self, facts: SeenTable, scope: str | None, wanted: RecallFilter, now: int) -> Eligible:
        slots = facts.slots
        if scope is not None:
            slots = slots[self._scopes.where(facts, slots, {scope})]
        slots, holds = self._holding(facts, slots, wanted, now)
        slots = slots[_having_status(facts, slots, wanted.statuses)]
        if not wanted.include_private:
            slots = slots[~facts.column("private").equal(slots, True)]
        if wanted.categories is not None:
            labels = self._labels["categories"]
            fitting = {key for key in labels.keys(facts) if key & wanted.categories}
            slots = slots[labels.where(facts, slots, fitting)]
        if wanted.tags is not None:
            labels = self._labels["tags"]
            fitting = {key for key in labels.keys(facts) if key >= wanted.tags}
            slots = slots[labels.where(facts, slots, fitting)]
        if wanted.peers is not None:
            slots = slots[self.peers.where(facts, slots, wanted.peers)]
        created = facts.array("time_created", slots)
        if wanted.since is not None:
            slots, created = slots[created >= wanted.since], created[created >= wanted.since]
        if wanted.until is not None:
            slots = slots[created < wanted.until]
        return Eligible(facts, slots, holds)

    def _holding(
        self, facts: SeenTable, slots: SlotArray, wanted: RecallFilter, now: int
    ) -> tuple[SlotArray, tuple[int, int]]:
        """Return the facts that are the truth of a time, and from when until when they are the same ones."""
        at = now if wanted.as_of is None else wanted.as_of
        if wanted.as_of is None:
            superseded = slots[facts.column("status").equal(slots, "superseded")]
            slots = slots[facts.column("status").equal(slots, "active")]
        begins, ends = facts.array("valid_from", slots, ALWAYS), facts.array("valid_to", slots, NEVER)
        ends = np.minimum(ends, facts.array("time_expires", slots, NEVER))
        holds = (ALWAYS, NEVER)
        if wanted.as_of is None:
            # A fact that was dated ahead by its clock has begun: it was said. One that is to begin later than it was said has not.
            planned = begins > facts.array("time_created", slots)
            turns = np.concatenate([begins[planned], ends])
            holds = int(turns[turns <= at].max(initial=ALWAYS)), int(turns[turns > at].min(initial=NEVER))
            begins = np.where(planned, begins, np.minimum(begins, at))
        lives = (begins <= at) & (at < ends)
        if (
            wanted.as_of is not None or planned.any() or (ends != NEVER).any()
        ):  # else a subject has one active fact
            found = self._last_begun(facts, slots[lives], begins[lives])
        else:
            found = slots[lives]
        if wanted.as_of is None and "superseded" in wanted.statuses:
            # Whoever asks for what was replaced wants it although, or because, its validity has ended.
            found = np.sort(np.concatenate([found, superseded]))
        return found, holds

    def _last_begun(self, facts: SeenTable, slots: SlotArray, begins: NDArray[np.int64]) -> SlotArray:
        """Return, of the facts of each subject and peer in a scope, the one that began last; of equals the later row."""
        same = [codes.of(facts, slots) for codes in (self._scopes, self._subjects, self.peers)]
        scope, subject, peer = same
        order = np.lexsort((facts.rows(slots), begins, scope, subject, peer))
        is_last = np.ones(len(slots), bool)
        is_last[:-1] = np.logical_or.reduce([codes[order][1:] != codes[order][:-1] for codes in same])
        return np.sort(slots[order][is_last])


def _having_status(facts: SeenTable, slots: SlotArray, statuses: tuple[str, ...]) -> NDArray[np.bool_]:
    status = facts.column("status")
    found: NDArray[np.bool_] = np.logical_or.reduce([status.equal(slots, one) for one in statuses])
    return found


def label_set(text: str) -> frozenset[str] | None:
    """Return a list of labels, JSON as it is stored, as a folded set; None for what is no list (SQL writes anything)."""
    labels = json.loads(text)
    if not isinstance(labels, list):
        return None
    return frozenset(fold(label) for label in labels if isinstance(label, str))
