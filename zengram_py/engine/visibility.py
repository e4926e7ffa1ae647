"""Who sees which version: ends, overlays of ended versions, and cached masks.

Three facts decide (view.py): a version's own branch, begin and end, and for versions that a branch inherited, that
branch's *overlay*: the slots that it ended, with the time. Ending an inherited row costs the branch one overlay entry
and the parent nothing.

A *mask* is one boolean for each slot. Computing one is a handful of numpy operations over all slots; so masks are kept,
under a key that names only what they depend on. A branch that never touched a table reads through its parent's mask,
and a fork ten levels deep of an unchanged table through that of the top::

    view (b, 90) (a, 70) (main, 50)     changes of this table:  main at 20, 40    a never    b never
    key  ((main, 40),)                  the same as main's own, as long as main has not changed it since

The mask of a branch's newest state is patched in place at each commit; only when an older state is still being read, by
a branch that forked from it or an open transaction, is it copied first.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .growable import Growable
from .view import View

FOREVER = (1 << 63) - 1
MASK_BYTES = 64 << 20

Mask = NDArray[np.bool_]
StateKey = tuple[tuple[int, int], ...]


class Overlay:
    """The versions that one branch ended though it had inherited them."""

    def __init__(self, slots: NDArray[np.int32] | None = None, ends: NDArray[np.int64] | None = None) -> None:
        self._arrays = (
            np.empty(0, np.int32) if slots is None else slots,
            np.empty(0, np.int64) if ends is None else ends,
        )
        self._ends: dict[int, int] | None = None  # made at the first point look-up; then it leads
        self._is_current = True

    def __len__(self) -> int:
        return len(self._arrays[0]) if self._ends is None else len(self._ends)

    def add(self, slot: int, timestamp: int) -> None:
        """Note that a slot ended."""
        self._by_slot()[slot] = timestamp
        self._is_current = False

    def end_of(self, slot: int) -> int:
        """Return when a slot ended, ``FOREVER`` when it did not."""
        return self._by_slot().get(slot, FOREVER)

    def arrays(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return slots (ascending) and ends, both of shape (n,)."""
        if not self._is_current:
            ended = self._by_slot()
            slots = np.fromiter(ended, np.int32, len(ended))
            ends = np.fromiter(ended.values(), np.int64, len(ended))
            order = np.argsort(slots, kind="stable")
            self._arrays, self._is_current = (slots[order], ends[order]), True
        return self._arrays

    @property
    def nbytes(self) -> int:
        """Bytes of the slots and ends."""
        return 12 * len(self)

    def _by_slot(self) -> dict[int, int]:
        if self._ends is None:
            slots, ends = self._arrays
            self._ends = dict(zip(slots.tolist(), ends.tolist(), strict=True))
        return self._ends


class Visibility:
    """Answers which versions of one table a view sees.

    Parameters
    ----------
    system : dict of str to Growable
        The table's ``begin``, ``end`` and ``branch`` columns.
    is_read : callable
        ``(branch, since, until) -> bool``: whether the state that a branch had from ``since`` up to (not including)
        ``until`` is still read, by a fork or an open transaction.
    """

    def __init__(self, system: dict[str, Growable[Any]], is_read: Callable[[int, int, int], bool]) -> None:
        self.system = system
        self.overlays: dict[int, Overlay] = {}
        self.changes: dict[int, list[int]] = {}
        """Timestamps of the commits that changed this table, ascending, by branch."""
        self.is_read = is_read
        self._masks: OrderedDict[StateKey, Growable[np.bool_]] = OrderedDict()

    def state(self, view: View) -> StateKey:
        """Return the key of what a view sees of this table: equal keys, equal rows."""
        if len(view.lineage) == 1:  # a reader of main: the usual case
            branch, limit = view.lineage[0]
            times = self.changes.get(branch)
            if times and times[-1] <= limit:
                return ((branch, times[-1]),)
        out = []
        for branch, limit in view.lineage:
            times = self.changes.get(branch)
            if times:
                last = times[-1]
                if last > limit:
                    at = bisect_right(times, limit)
                    last = times[at - 1] if at else -1
                if last >= 0:
                    out.append((branch, last))
        return tuple(out)

    def last_change(self, branch: int) -> int:
        """Return the timestamp of the last commit of a branch to this table, -1 for none."""
        times = self.changes.get(branch)
        return times[-1] if times else -1

    def sees(self, view: View, slot: int) -> bool:
        """Return whether a view sees one slot; builds no mask."""
        system = self.system
        own = system["branch"].item(slot)
        for level, (lineage_branch, limit) in enumerate(view.lineage):
            if own == lineage_branch:
                if not system["begin"].item(slot) <= limit < system["end"].item(slot):
                    return False
                return not (self.overlays and self._ended_below(view, level, slot))
        return False

    def mask(self, view: View) -> Mask:
        """Return which slots a view sees, shape (n,), where n may be less than the slots: those beyond are not seen.

        Do not write to it, do not keep it across a commit.
        """
        key = self.state(view)
        found = self._masks.get(key)
        if found is None:
            found = self._masks[key] = Growable(np.bool_, (), self._compute(view))
            self._trim()
        else:
            self._masks.move_to_end(key)
        return found.view

    def commit(self, view: View, timestamp: int, ended: Any, first_new: int, slots: int) -> None:
        """Note a commit on a view's branch (of the state before it): what it ended, and that it added slots.

        Patches the mask of the branch's newest state, if there is one.
        """
        old = self.state(view)
        self.changes.setdefault(view.branch, []).append(timestamp)
        head = self._masks.get(old)
        if head is None:
            return
        branch = view.branch
        own_state = bool(old) and old[0][0] == branch
        if own_state and not self.is_read(branch, old[0][1], timestamp):
            del self._masks[old]
        else:
            head = Growable(np.bool_, (), head.view.copy())
        if first_new > len(head):
            head.extend_filled(first_new - len(head), False)
        if len(ended):
            head.writable()[ended] = False
        if slots == first_new + 1:
            head.append(True)
        elif slots > first_new:
            head.extend_filled(slots - first_new, True)
        above = old[1:] if own_state else old
        self._masks[((branch, timestamp), *above)] = head
        if len(self._masks) > 1:
            self._trim()

    def forget_masks(self) -> None:
        """Drop all cached masks; they are computed again when wanted."""
        self._masks.clear()

    def forget_changes(self) -> None:
        """Drop the times of changes of which no version tells any more."""
        begin, end, own = (self.system[name].view for name in ("begin", "end", "branch"))
        for branch, times in self.changes.items():
            mine = own == branch
            known = np.array(times, np.int64)
            told = np.zeros(len(known), bool)
            told[-1:] = True
            ends = self.overlays[branch].arrays()[1] if branch in self.overlays else known[:0]
            for found in (begin[mine], end[mine], ends):
                places = np.minimum(np.searchsorted(known, found), len(known) - 1)
                told[places[known[places] == found]] = True
            self.changes[branch] = known[told].tolist()

    def forget_branches(self, gone: set[int]) -> None:
        """Drop what is known of branches that nobody reads, but for those of which versions are left: the next time."""
        left = set(np.unique(self.system["branch"].view).tolist()) if gone else set()
        for branch in gone:
            self.overlays.pop(branch, None)
            if branch not in left:
                self.changes.pop(branch, None)

    @property
    def mask_bytes(self) -> int:
        """Bytes of the cached masks."""
        return sum(len(mask) for mask in self._masks.values())

    def _ended_below(self, view: View, level: int, slot: int) -> bool:
        for branch, limit in view.lineage[:level]:
            overlay = self.overlays.get(branch)
            if overlay is not None and overlay.end_of(slot) <= limit:
                return True
        return False

    def _compute(self, view: View) -> Mask:
        begin, end, branch = (self.system[name].view for name in ("begin", "end", "branch"))
        concerned = [(b, limit) for b, limit in view.lineage if self.changes.get(b)]
        if len(concerned) == 1 and len(self.changes) == 1:
            limits: Any = concerned[0][1]
        else:  # each slot's own branch decides up to when its versions are seen; -1: not at all
            by_branch = np.full(1 + max([*self.changes, 0]), -1, np.int64)
            for lineage_branch, limit in concerned:
                by_branch[lineage_branch] = limit
            limits = by_branch[branch]
        mask: Mask = (begin <= limits) & (limits < end)
        for lineage_branch, limit in view.lineage:
            overlay = self.overlays.get(lineage_branch)
            if overlay is not None:
                slots, ends = overlay.arrays()
                mask[slots[ends <= limit]] = False
        return mask

    def _trim(self) -> None:
        while len(self._masks) > 1 and self.mask_bytes > MASK_BYTES:
            self._masks.popitem(last=False)
