"""Who was recalled: counts that gather in memory and go out with the next write.

Recall is a read. Were it to note each hit in the table of facts at once, a page that only asks would grow its log, its snapshot and its
list of things to save. So hits are counted here, and the next call that writes something anyway writes the counts too: all of them in
one sweep, ``access_count`` and ``last_accessed`` of each fact. A tab that closes before then loses the counts and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..engine import Transaction
from .joins import NO_FACT, row_of


class Accesses:
    """How often, and when last, facts were found since the last write."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[int, int]] = {}

    def note(self, fact_ids: Iterable[str], now: int) -> None:
        """Count facts that a recall gave.

        Parameters
        ----------
        fact_ids : iterable of str
            Their ids.
        now : int
            When, microseconds.
        """
        for fact_id in fact_ids:
            count, last = self._found.get(fact_id, (0, now))
            self._found[fact_id] = count + 1, max(last, now)

    def found_since(self, time: int) -> set[str]:
        """Return which facts were found at a time (microseconds) or later, of those that are not written yet."""
        return {fact_id for fact_id, (_, last) in self._found.items() if last >= time}

    def write(self, transaction: Transaction) -> None:
        """Add the counts to the table of facts, as part of a transaction; :meth:`clear` forgets them when that is committed."""
        if not self._found:
            return
        facts = transaction.seen("knowledge")
        known = [(row_of(facts, fact_id), *found) for fact_id, found in self._found.items()]
        rows, counts, times = np.array(known, np.int64).T
        slots = facts.slots_of_rows(facts.slots, rows.astype(np.int32))
        there = (rows != NO_FACT) & (slots >= 0)  # others were purged, or are on another branch
        rows, counts, times, slots = rows[there], counts[there], times[there], slots[there]
        if not len(rows):
            return
        table = facts.definition
        count, last = table.column("access_count").id, table.column("last_accessed").id
        before = facts.array("access_count", slots), facts.array("last_accessed", slots)
        writes = transaction.reader.writes.get(table.id)
        changed = writes.singles if writes else {}
        for at, row in enumerate(rows.tolist() if changed else ()):
            if row in changed:  # the transaction itself may have set new counts, as a merge does
                for column, values in zip((count, last), before, strict=True):
                    values[at] = changed[row].values.get(column, values[at]) or 0
        changes = {count: before[0] + counts, last: np.maximum(before[1], times)}
        transaction.update_stored(table, rows, changes)

    def clear(self) -> None:
        """Forget the counts: they are in the table."""
        self._found.clear()
