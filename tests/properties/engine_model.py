"""A database as plain dictionaries: what the engine must do, without how.

A state is a schema (columns by number, with name and default) and rows by primary key, each a dict from column number to
value, with the time at which its version was written. A branch is a list of (timestamp, state); reading at a time takes
the last state not after it, or the parent's at the fork point. Everything is copied, nothing is shared.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

RULES = {"n": "sum", "m": "max", "w": "newest"}


class RefusedError(Exception):
    """The model refuses; ``kind`` is the name of the engine's error."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


@dataclass
class State:
    """What one branch holds at one time."""

    schema: dict[int, tuple[str, Any]]
    rows: dict[int, dict[int, Any]] = field(default_factory=dict)
    written: dict[int, int] = field(default_factory=dict)  # key -> when its version was written
    schema_at: int = 0  # when the schema was changed last
    touched: dict[int, int] = field(default_factory=dict)  # key -> when a version of it was last ended

    def named(self) -> dict[int, dict[str, Any]]:
        """Return the rows as a reader sees them."""
        return {
            k: {name: row.get(c, d) for c, (name, d) in self.schema.items()} for k, row in self.rows.items()
        }


@dataclass
class Branch:
    """A branch: where it left its parent, and its states."""

    parent: str | None
    fork: int
    states: list[tuple[int, State]] = field(default_factory=list)
    discarded: bool = False


@dataclass
class Txn:
    """An open transaction."""

    branch: str
    at: int
    state: State
    bases: set[int] = field(default_factory=set)  # keys whose committed row it changed or deleted
    inserted: set[int] = field(default_factory=set)  # keys of rows that it made
    saved: list[tuple[State, set[int], set[int]]] = field(default_factory=list)


class Model:
    """The whole database."""

    def __init__(self, schema: dict[int, tuple[str, Any]], at: int) -> None:
        self.now = at
        self.branches: dict[str, Branch] = {"main": Branch(None, 0, [(at, State(schema))])}
        self.meetings: dict[frozenset[str], tuple[str, int]] = {}
        self.next_column = max(schema) + 1

    # -- reading -----------------------------------------------------------------------------------------------------

    def at(self, branch: str, time: int) -> State:
        """Return what a branch sees at a time (do not change it)."""
        here = self.branches[branch]
        for stamp, state in reversed(here.states):
            if stamp <= time:
                return state
        if here.parent is None:
            return State({})
        return self.at(here.parent, min(time, here.fork))

    def head(self, branch: str) -> State:
        """Return the newest state of a branch."""
        return self.at(branch, self.now)

    # -- transactions ------------------------------------------------------------------------------------------------

    def begin(self, branch: str) -> Txn:
        """Begin a transaction."""
        return Txn(branch, self.now, deepcopy(self.head(branch)))

    def insert(self, txn: Txn, key: int, row: dict[int, Any]) -> None:
        """Insert a row."""
        if key in txn.state.rows:
            raise RefusedError("PrimaryKeyError")
        txn.state.rows[key] = row
        txn.inserted.add(key)

    def update(self, txn: Txn, key: int, changes: dict[int, Any]) -> bool:
        """Change a row."""
        if key not in txn.state.rows:
            return False
        txn.state.rows[key] = {**txn.state.rows[key], **changes}
        if key not in txn.inserted:
            txn.bases.add(key)
        return True

    def delete(self, txn: Txn, key: int) -> bool:
        """Delete a row."""
        if key not in txn.state.rows:
            return False
        del txn.state.rows[key]
        if key in txn.inserted:
            txn.inserted.discard(key)
        else:
            txn.bases.add(key)
        return True

    def savepoint(self, txn: Txn) -> None:
        """Mark a point."""
        txn.saved.append((deepcopy(txn.state), set(txn.bases), set(txn.inserted)))

    def rollback_to(self, txn: Txn) -> None:
        """Return to the last mark, which stays."""
        state, bases, inserted = txn.saved[-1]
        txn.state, txn.bases, txn.inserted = deepcopy(state), set(bases), set(inserted)

    def commit(self, txn: Txn, at: int) -> bool:
        """Commit; return whether there was anything to."""
        if not txn.bases and not txn.inserted:
            return False
        if self.branches[txn.branch].discarded:
            raise RefusedError("BranchError")
        head = self.head(txn.branch)
        if head.schema_at > txn.at:
            raise RefusedError("ConflictError")
        if any(head.touched.get(key, 0) > txn.at for key in txn.bases):
            raise RefusedError("ConflictError")
        if any(key in head.rows and key not in txn.bases for key in txn.inserted):
            raise RefusedError("PrimaryKeyError")
        new = deepcopy(head)
        for key in txn.bases | txn.inserted:
            if key in txn.state.rows:
                new.rows[key] = txn.state.rows[key]
                new.written[key] = at
            else:
                new.rows.pop(key, None)
            if key in txn.bases:
                new.touched[key] = at
        self._push(txn.branch, at, new)
        return True

    # -- schema ------------------------------------------------------------------------------------------------------

    def add_column(self, branch: str, name: str, default: Any, at: int) -> None:
        """Add a column; rows that are there take the default."""
        new = deepcopy(self.head(branch))
        new.schema[self.next_column] = (name, default)
        new.schema_at = at
        self.next_column += 1
        self._push(branch, at, new)

    def drop_column(self, branch: str, number: int, at: int) -> None:
        """Drop a column."""
        new = deepcopy(self.head(branch))
        del new.schema[number]
        new.schema_at = at
        self._push(branch, at, new)

    # -- branches ----------------------------------------------------------------------------------------------------

    def fork(self, name: str, parent: str) -> None:
        """Fork a branch."""
        self.branches[name] = Branch(parent, self.now)

    def live(self) -> list[str]:
        """Return the names of the branches that are not discarded."""
        return [name for name, branch in self.branches.items() if not branch.discarded]

    def discard(self, name: str) -> None:
        """Give up a branch; forks of it go on reading it."""
        self.branches[name].discarded = True

    def has_ever(self, key: int, since: int) -> bool:
        """Return whether a row with a key can be read on a live branch, now or at a time that is kept."""
        times = [self.now, *(at for b in self.branches.values() for at, _ in b.states if at >= since)]
        return any(key in self.at(name, time).rows for name in self.live() for time in times)

    def purge(self, key: int, open_ones: list[Txn], at: int) -> None:
        """Make a row gone on every branch, at every time and for every reader; what a transaction wrote itself stays."""
        for branch in self.branches.values():
            for _, state in branch.states:
                state.rows.pop(key, None)
        for txn in open_ones:
            for state, bases, inserted in [(txn.state, txn.bases, txn.inserted), *txn.saved]:
                if key not in bases | inserted:
                    state.rows.pop(key, None)
        heads = {name: deepcopy(self.head(name)) for name in self.live()}
        for name, head in heads.items():
            head.touched[key] = at
            self._push(name, at, head)

    def base(self, one: str, other: str) -> State:
        """Return what two branches had in common when they last met, or parted."""
        met = self.meetings.get(frozenset((one, other)))
        if met is not None:
            return self.at(*met)
        line, here, limit = {}, one, 1 << 62
        while True:
            line[here] = limit
            branch = self.branches[here]
            if branch.parent is None:
                break
            here, limit = branch.parent, min(limit, branch.fork)
        here, limit = other, 1 << 62
        while here not in line:
            here, limit = self.branches[here].parent or "", min(limit, self.branches[here].fork)
        return self.at(here, min(limit, line[here]))

    def merge(self, source: str, target: str, strategy: str | None, at: int) -> tuple[set[Any], bool]:
        """Merge; return the keys that conflict (``"schema"`` for the schema) and whether there was anything to bring."""
        base, ours, theirs = self.base(source, target), self.head(target), self.head(source)
        conflicts: set[Any] = set()
        new = deepcopy(ours)
        changed = False
        if theirs.schema not in (base.schema, ours.schema):
            if ours.schema == base.schema or strategy in ("theirs", "newest"):
                new.schema, new.schema_at, changed = deepcopy(theirs.schema), at, True
            elif strategy is None:
                conflicts.add("schema")
        for key in sorted({*base.rows, *ours.rows, *theirs.rows}):
            b, o, t = (self._project(state.rows.get(key), new.schema) for state in (base, ours, theirs))
            if t == b:
                continue
            row = t if o == b else self._join(new.schema, b, o, t, self._newer(key, base, ours, theirs))
            if row == "conflict":
                if strategy is None:
                    conflicts.add(key)
                    continue
                newest = self._time(key, base, theirs) > self._time(key, base, ours)
                row = t if strategy == "theirs" or (strategy == "newest" and newest) else o
            if row == o:
                continue
            changed = True
            if o is not None:
                new.touched[key] = at
            if row is None:
                new.rows.pop(key)
            else:
                # hidden columns of the target's row do not matter: no later definition brings them back
                new.rows[key] = row
                new.written[key] = at
        if conflicts:
            return conflicts, False
        self.meetings[frozenset((source, target))] = (source, self.now)
        if changed:
            self._push(target, at, new)
        return set(), changed

    @staticmethod
    def _newer(key: int, base: State, ours: State, theirs: State) -> bool:
        return theirs.written.get(key, 0) > ours.written.get(key, 0)

    @staticmethod
    def _time(key: int, base: State, side: State) -> int:
        return side.written[key] if key in side.rows else side.touched[key]

    @staticmethod
    def _project(row: dict[int, Any] | None, schema: dict[int, tuple[str, Any]]) -> dict[int, Any] | None:
        return None if row is None else {c: row.get(c, default) for c, (_, default) in schema.items()}

    @staticmethod
    def _join(
        schema: dict[int, tuple[str, Any]],
        base: dict[int, Any] | None,
        ours: dict[int, Any] | None,
        theirs: dict[int, Any] | None,
        newer: bool,
    ) -> Any:
        if ours == theirs and (ours is None or base is None):
            pass
        plain = [c for c, (name, _) in schema.items() if name not in RULES]
        if ours is None and theirs is None:
            return None
        if ours is None or theirs is None:
            kept = ours or theirs
            assert kept is not None
            assert base is not None
            return "conflict" if any(kept[c] != base[c] for c in plain) else None
        mine = {c: ours[c] for c in plain if base is None or ours[c] != base[c]}
        your = {c: theirs[c] for c in plain if base is None or theirs[c] != base[c]}
        if mine and your and mine != your:
            return "conflict"
        out = {c: (theirs if your else ours)[c] for c in plain}
        for c, (name, _) in schema.items():
            rule = RULES.get(name)
            if rule is None:
                continue
            o, t, b = ours[c], theirs[c], None if base is None else base[c]
            if rule == "sum":
                out[c] = None if o is None and t is None else (o or 0) + (t or 0) - (b or 0)
            elif o == t or (b is not None and t == b):
                out[c] = o
            elif b is not None and o == b:
                out[c] = t
            elif o is None or t is None:
                out[c] = t if o is None else o
            else:
                out[c] = max(o, t) if rule == "max" else (t if newer else o)
        return out

    def _push(self, branch: str, at: int, state: State) -> None:
        self.branches[branch].states.append((at, state))
        self.now = at
