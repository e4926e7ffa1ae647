"""Branches: the whole database forked for the price of a timestamp.

A branch is a number, a parent and the time at which it left it. No row is copied: the branch reads the parent's versions
up to the fork point, writes its own, and notes in overlays what it ended (visibility.py)::

    main   ──●──●──┬──●──●──          fork point of "idea": (main, t2); it never moves
             t1 t2 └──●──●── idea

What two branches have in common is the *merge base*: where they parted, or the source's head at their last merge or
rebase, whichever is later. Both sides of a merge are compared with that one state (merge.py).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from ..errors import BranchError
from .view import MAIN, View


@dataclass
class Branch:
    """One branch.

    Attributes
    ----------
    id : int
        Its number; main is 0.
    name : str
        Its name.
    parent : int or None
        The branch that it left; None for main.
    fork : int
        Timestamp of the parent's last commit that it sees.
    discarded : bool
        Whether it is gone. Its versions stay readable for branches that were forked from it.
    """

    id: int
    name: str
    parent: int | None
    fork: int
    discarded: bool = False


FORGOTTEN = Branch(-1, "", MAIN, 0, discarded=True)
"""Stands in the list of branches for each that was discarded and that nobody reads: numbers are not given out again."""


@dataclass(frozen=True)
class Meeting:
    """The last merge or rebase from one branch into another.

    Attributes
    ----------
    source, target : int
        From which branch into which.
    timestamp : int
        The source's state that the target took in.
    order : int
        Its place among all meetings.
    """

    source: int
    target: int
    timestamp: int
    order: int


class BranchTree:
    """All branches of a database, and where they last met."""

    def __init__(self) -> None:
        self.branches: list[Branch] = [Branch(MAIN, "main", None, 0)]
        self._live: dict[str, Branch] = {"main": self.branches[0]}
        self.discarded: set[int] = set()
        """Branches that were discarded and are not forgotten."""
        self.meetings: dict[tuple[int, int], Meeting] = {}
        """The last meeting, by (source, target)."""
        self._limits: dict[
            int, list[int]
        ] = {}  # up to when live branches read each branch; made when asked for
        self.joins: dict[tuple[int, int], list[int]] = {}
        """Timestamps of a target's commits that took a source in, by (source, target)."""

    def find(self, name: str) -> Branch:
        """Return a live branch by name, or raise :class:`~zengram_py.errors.BranchError`."""
        found = self._live.get(name)
        if found is None:
            raise BranchError(f"there is no branch {name!r}")
        return found

    def live(self) -> list[Branch]:
        """Return the branches that are not discarded, oldest first."""
        return list(self._live.values())

    def restore(self, branches: list[Branch]) -> None:
        """Take the branches that a snapshot holds; main is the first."""
        self.branches = [FORGOTTEN if b.discarded and not b.name else b for b in branches]
        self._live = {branch.name: branch for branch in branches if not branch.discarded}
        self.discarded = {branch.id for branch in self.branches if branch.discarded} - {FORGOTTEN.id}

    def read(self) -> set[int]:
        """Return the branches that live ones read: themselves and those above them."""
        far = (1 << 63) - 1
        return {number for branch in self.live() for number, _ in self.view(branch.id, far).lineage}

    def add(self, name: str, parent: Branch, fork: int) -> Branch:
        """Add a branch."""
        self.check_name(name)
        branch = Branch(len(self.branches), name, parent.id, fork)
        self.branches.append(branch)
        self._live[name] = branch
        self._limits.clear()
        return branch

    def check_name(self, name: str) -> None:
        """Raise :class:`~zengram_py.errors.BranchError` unless a new branch may have this name."""
        if not isinstance(name, str) or not name.strip():
            raise BranchError("a branch has a name")
        if name in self._live:
            raise BranchError(f"there is a branch {name!r} already")

    def check_discard(self, branch: Branch) -> None:
        """Raise :class:`~zengram_py.errors.BranchError` unless a branch may be discarded."""
        if branch.id == MAIN:
            raise BranchError("main cannot be discarded")

    def discard(self, branch: Branch) -> None:
        """Mark a branch as gone; its name is free again."""
        self.check_discard(branch)
        branch.discarded = True
        del self._live[branch.name]
        self.discarded.add(branch.id)
        self._limits.clear()

    def view(self, branch: int, timestamp: int) -> View:
        """Return what a reader of a branch sees at a time."""
        lineage = [(branch, timestamp)]
        here = self.branches[branch]
        while here.parent is not None:
            timestamp = min(here.fork, timestamp)
            lineage.append((here.parent, timestamp))
            here = self.branches[here.parent]
        return View(tuple(lineage))

    def base(self, one: int, other: int) -> View:
        """Return the merge base of two branches."""
        met = [m for pair in ((one, other), (other, one)) if (m := self.meetings.get(pair)) is not None]
        if met:
            last = max(met, key=lambda m: m.order)
            return self.view(last.source, last.timestamp)
        far = (1 << 63) - 1
        limits = dict(self.view(other, far).lineage)
        for branch, limit in self.view(one, far).lineage:
            if branch in limits:
                return self.view(branch, min(limit, limits[branch]))
        raise BranchError("the two branches have nothing in common")

    def meet(self, source: int, target: int, timestamp: int, committed_at: int | None) -> None:
        """Note that a target has taken in the state of a source at a time, and by which commit, if there was one."""
        order = 1 + max((m.order for m in self.meetings.values()), default=0)
        self.meetings[source, target] = Meeting(source, target, timestamp, order)
        if committed_at is not None:
            self.joins.setdefault((source, target), []).append(committed_at)

    def last_taken(self, source: int, target: int) -> int:
        """Return the state of a branch that its parent, or its child, took in last: that of the fork, or a meeting's."""
        child = max(source, target)
        met = self.meetings.get((source, target))
        return max(self.branches[child].fork, -1 if met is None else met.timestamp)

    def counted_since(self) -> dict[int, int]:
        """Return from when on the commits of each branch are counted, as ahead of another branch or behind it."""
        out: dict[int, int] = {}
        for child in self.live():
            if child.parent is not None:
                for source, target in ((child.id, child.parent), (child.parent, child.id)):
                    out[source] = min(self.last_taken(source, target), out.get(source, 1 << 62))
        return out

    def forget(self, gone: set[int]) -> None:
        """Drop what is known of branches that nobody reads, and of others the joins that are not counted any more."""
        for number in gone:
            self.branches[number] = FORGOTTEN
        self.discarded -= gone
        self.meetings = {pair: m for pair, m in self.meetings.items() if gone.isdisjoint(pair)}
        pairs = {(b.id, b.parent) for b in self.live() if b.parent is not None}
        joins = {}
        for (source, target), times in self.joins.items():
            if (source, target) in pairs or (target, source) in pairs:
                since = self.last_taken(target, source)
                joins[source, target] = times[bisect_right(times, since) :]
        self.joins = {pair: times for pair, times in joins.items() if times}

    def is_read(self, branch: int, since: int, until: int) -> bool:
        """Return whether a live branch below reads a state that a branch had in [since, until)."""
        limits = self._limits.get(branch)
        if limits is None:
            far = (1 << 63) - 1
            self._limits.clear()
            for below in self.live():
                for above, limit in self.view(below.id, far).lineage[1:]:
                    self._limits.setdefault(above, []).append(limit)
            for found in self._limits.values():
                found.sort()
            limits = self._limits.setdefault(branch, [])
        at = bisect_left(limits, since)
        return at < len(limits) and limits[at] < until
