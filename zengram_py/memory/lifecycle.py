"""The life of a fact after it was stored: it gains and loses confidence, fades, is merged, forgotten, or made gone.

::

    remember ──▶ active ──── confirm, contradict: confidence (confirmation.py)
                   │  └───── decay: importance halves with every half-life
                   ├──▶ superseded     by a newer fact of its subject, or merged into another one; its validity is closed
                   ├──▶ forgotten      by forget: no answer any more, and still there
                   └──▶ gone           by purge: on every branch, in history, and in the next snapshot after a vacuum

**Decay** charges each fact for the time since it was last charged, so that it does not matter how often it is called:
``importance · 0.5^(elapsed / half-life)``, in one update of two columns. Neither texts nor vectors are written again, and the
only index that is touched is the one on importance.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..clock import MICROSECONDS_PER_DAY
from ..engine import Transaction
from ..engine.constraints import still_referred
from ..engine.expr import fold
from ..errors import InvalidArgumentError, NotFoundError, StateError, TransactionError
from .base import MemoryBase
from .confirmation import confirmed, contradicted, hand_over_confirmations
from .graph import ENTITY, LINK
from .knowledge import end_of, texts_of
from .options import check_labels
from .quantities import check_number
from .texts import check_text
from .trail import MERGED_FROM, Trail


class Lifecycle(MemoryBase):
    """Changes facts that are there."""

    def confirm(self, fact_id: str) -> None:
        """Raise a fact's confidence by 0.1 and its importance by 0.15, both to 1 at most.

        Raises
        ------
        NotFoundError
            If there is no such fact.
        StateError
            If it is superseded or forgotten.
        """
        self._change(fact_id, "confirmed", confirmed)

    def contradict(self, fact_id: str) -> None:
        """Lower a fact's confidence by 0.2, to 0 at least; raises like :meth:`confirm`."""
        self._change(fact_id, "contradicted", contradicted)

    def _change(self, fact_id: str, what: str, change: Any) -> None:
        with self._writing() as transaction:
            row = self._active(transaction, fact_id, what)
            transaction.update("knowledge", row["id"], change(row, self._clock.now()))

    def decay(self, half_life_days: float) -> int:
        """Halve the importance of every active fact for each half-life since it was last charged; return how many it changed.

        Parameters
        ----------
        half_life_days : float
            Days, more than 0.

        Raises
        ------
        TransactionError
            In a batch.
        """
        half_life = check_number("half_life_days", half_life_days, above=True) * MICROSECONDS_PER_DAY
        if self._batch is not None:
            raise TransactionError("decay cannot be part of a batch: it charges the facts that are committed")
        now = self._clock.now()
        with self._writing() as transaction:
            facts = transaction.seen("knowledge")
            slots = facts.where("status", "active")
            charged, created = (facts.array(name, slots) for name in ("time_decayed", "time_created"))
            # 0 stands for null here: what was never charged is charged from when it was made.
            elapsed = now - np.maximum(np.where(charged == 0, created, charged), created)
            due = elapsed > 0
            slots, elapsed = slots[due], elapsed[due]
            if len(slots):
                table = facts.definition
                importance = np.nan_to_num(facts.array("importance", slots)).clip(0.0, 1.0)  # as merges do
                with np.errstate(over="ignore"):  # so many half-lives leave nothing
                    importance = importance * np.exp2(-(elapsed / half_life))
                changes: dict[int, Any] = {
                    table.column("importance").id: importance,
                    table.column("time_decayed").id: np.full(len(slots), now, np.int64),
                }
                transaction.update_stored(table, facts.rows(slots).astype(np.int64), changes)
        return len(slots)

    def merge_facts(self, fact_id: str, duplicates: str | Iterable[str]) -> None:
        """Merge facts that say the same into one of them, as a caller who looked at :meth:`collisions` judged.

        The others are superseded by it; it takes the greatest importance and confidence among them and the sum of their counters, is private
        if one of them is, and its provenance says that it was merged from them.

        Parameters
        ----------
        fact_id : str
            The one that stays.
        duplicates : iterable of str
            Ids of the others: active facts of the same scope.

        Raises
        ------
        NotFoundError, StateError
            If one is not there, is of another scope, or not active. Nothing was changed.
        """
        others = check_labels("duplicates", duplicates)
        now = self._clock.now()
        with self._writing() as transaction:
            kept = self._active(transaction, fact_id, "merged")
            if kept["id"] in others:
                raise InvalidArgumentError(f"fact {fact_id!r} cannot be merged into itself")
            rows = [self._active(transaction, other, "merged") for other in others]
            end = end_of(kept)
            if rows and end is not None and end <= now:
                raise StateError(f"fact {kept['id']!r} is over: what holds cannot be merged into it")
            for row in rows:
                if row["scope"] != kept["scope"]:
                    raise NotFoundError(f"there is no fact {row['id']!r} in scope {kept['scope']!r}")
            trail = Trail(transaction, self._ids, now, None)
            for row in rows:
                trail.note(("knowledge", row["id"]), ("knowledge", kept["id"]), MERGED_FROM)
                hand_over_confirmations(transaction, self._ids, now, row["id"], kept["id"])
                transaction.update("knowledge", row["id"], _closed(row, now, "superseded", kept["id"]))
            if rows:
                merged = {
                    name: min(1.0, max(0.0, *(r[name] for r in [kept, *rows])))  # SQL writes anything
                    for name in ("importance", "confidence")
                }
                for name in ("access_count", "times_confirmed", "times_contradicted"):
                    merged[name] = sum(r[name] for r in [kept, *rows])
                # An importance comes with its age: what was told now is not charged for what was told long ago.
                greatest = max([kept, *rows], key=lambda r: r["importance"])
                merged["time_decayed"] = greatest["time_decayed"] or greatest["time_created"]
                merged["private"] = any(r["private"] for r in [kept, *rows])
                sources = dict.fromkeys([*texts_of(kept["consolidated_from"]), *(r["id"] for r in rows)])
                changes = {**merged, "consolidated_from": list(sources), "time_updated": now}
                transaction.update("knowledge", kept["id"], changes)

    def forget(self, fact_id: str) -> None:
        """Leave a fact out of every answer from now on, also of those about the past; history still shows it.

        Raises
        ------
        NotFoundError
            If there is no such fact. Forgetting one again changes nothing.
        """
        now = self._clock.now()
        with self._writing() as transaction:
            row = self._row(transaction, "knowledge", fact_id, "fact")
            if row["status"] != "forgotten":
                transaction.update(
                    "knowledge", row["id"], _closed(row, now, "forgotten", row["superseded_by"])
                )

    def purge(self, fact_id: str) -> None:
        """Make a fact gone: on every branch and in history, with its vector, names, token counts and provenance.

        Its peer goes too if nothing else is known of that one. What it said is out of reach when this returns; the bytes leave memory with the next vacuum, which :meth:`maintain` makes as
        soon as it is called, and are in no snapshot after that.

        Raises
        ------
        NotFoundError
            If there is no such fact on any branch.
        ForeignKeyError
            If a row of the application's refers to it. Nothing was purged.
        TransactionError
            In a batch: a purge cannot be taken back.
        """
        if self._batch is not None:
            raise TransactionError("a purge cannot be part of a batch: it cannot be taken back")
        fact_id = check_text(fact_id, "fact id")
        with self._writing():
            branches = [branch.name for branch in self._database.branches()]
            found = [self._is_on(branch, fact_id) for branch in branches]  # all are looked at
            if not any(found):
                raise NotFoundError(f"there is no fact {fact_id!r}")
        gone: dict[tuple[str, Any], None] = {}
        peers: set[str] = set()
        for branch in branches:
            with self._database.begin(branch=branch) as transaction:
                row = transaction.get("knowledge", fact_id)
                if row is not None and row["subject_peer"] is not None:
                    peers.add(fold(row["subject_peer"]))
                gone.update(dict.fromkeys(_traces(transaction, fact_id)))
                _let_go(transaction, fact_id)
        for table, key in [*gone, ("knowledge", fact_id)]:
            self._database.purge(table, key)
        for entity in dict.fromkeys(key[0] for table, key in gone if table == LINK):
            if not any(self._mentions(branch, entity) for branch in branches):
                self._database.purge(ENTITY, entity)
        for peer in peers:
            if not any(self._knows(branch, peer) for branch in branches):
                self._database.purge("peer", peer)

    def _is_on(self, branch: str, fact_id: str) -> bool:
        """Return whether a fact is on a branch, and nothing of the application's refers to it there."""
        with self._database.begin(branch=branch, read_only=True) as transaction:
            if transaction.get("knowledge", fact_id) is None:
                return False
            catalog = transaction.reader.catalog
            facts = catalog.table("knowledge")
            for table, foreign in catalog.referencing(facts.id):
                if (table.title, foreign.columns) in _EMPTIED:
                    continue
                key = (fact_id,)
                if foreign.ref_columns == facts.primary_key and any(
                    transaction.reader.rows_with(table, foreign.columns, key)
                ):
                    raise still_referred(facts, table, foreign, key)
        return True

    def _mentions(self, branch: str, entity: int) -> int:
        """Return how many facts mention a name on a branch."""
        with self._database.begin(branch=branch, read_only=True) as transaction:
            return transaction.count(LINK, ["=", ["col", "entity"], ["lit", entity]])

    def _knows(self, branch: str, peer: str) -> bool:
        """Return whether a branch has facts about a peer, or an application noted more about it than its name."""
        with self._database.begin(branch=branch, read_only=True) as transaction:
            row = transaction.get("peer", peer)
            if row is not None and (row["kind"] is not None or row["metadata"] is not None):
                return True
            named = transaction.scan(
                "knowledge", ["subject_peer"], ["not", ["is_null", ["col", "subject_peer"]]]
            )
            return any(fold(fact["subject_peer"]) == peer for fact in named)

    def _active(self, transaction: Transaction, fact_id: Any, what: str) -> dict[str, Any]:
        row = self._row(transaction, "knowledge", fact_id, "fact")
        if row["status"] != "active":
            by = f" by {row['superseded_by']!r}" if row["superseded_by"] is not None else ""
            raise StateError(f"fact {row['id']!r} is {row['status']}{by}: it cannot be {what}")
        return row


_EMPTIED = {("knowledge", ("superseded_by",)), ("reminder", ("knowledge_id",))}
"""Links to facts that a purge empties by itself."""


def _closed(row: dict[str, Any], now: int, status: str, by: str | None) -> dict[str, Any]:
    """Return the columns of a fact that ceases to hold now."""
    begins = now if row["valid_from"] is None else row["valid_from"]
    ends = max(begins, now) if row["valid_to"] is None else min(row["valid_to"], max(begins, now))
    return {"status": status, "superseded_by": by, "valid_to": ends, "time_updated": now}


def _let_go(transaction: Transaction, fact_id: str) -> None:
    """Empty the links of what stays to a fact that goes, and take it out of the sources of what was made from it."""
    for row in transaction.lookup("provenance", "provenance_source", fact_id):
        made = transaction.get("knowledge", row["target_id"])
        if made is not None and fact_id in texts_of(made["consolidated_from"]):
            left = [one for one in texts_of(made["consolidated_from"]) if one != fact_id]
            transaction.update("knowledge", made["id"], {"consolidated_from": left})
    for other in transaction.lookup("knowledge", "knowledge_superseded_by_fkey_idx", fact_id):
        transaction.update("knowledge", other["id"], {"superseded_by": None})
    for other in transaction.lookup("reminder", "reminder_knowledge_id_fkey_idx", fact_id):
        transaction.update("reminder", other["id"], {"knowledge_id": None})


def _traces(transaction: Transaction, fact_id: str) -> list[tuple[str, Any]]:
    """Return the rows, as tables and keys, that tell of a fact, but its own."""
    vectors = transaction.lookup("embedding", "embedding_source", "knowledge", fact_id)
    gone: list[tuple[str, Any]] = [("embedding", row["id"]) for row in vectors]
    links = transaction.lookup(LINK, "entity_link_knowledge", fact_id)
    gone += [(LINK, (link["entity"], fact_id)) for link in links]
    for index in ("provenance_source", "provenance_target"):
        gone += [("provenance", row["id"]) for row in transaction.lookup("provenance", index, fact_id)]
    about = [
        "and",
        ["=", ["col", "entity_type"], ["lit", "knowledge"]],
        ["=", ["col", "entity_id"], ["lit", fact_id]],
    ]
    counted = transaction.scan("token_estimate", ["model_family"], about)
    gone += [("token_estimate", ("knowledge", fact_id, row["model_family"])) for row in counted]
    return gone
