"""A tiny language for schedules of transactions, so that a test of isolation reads like a document.

One step a line; a transaction begins with its first step (or with ``begin``), and each reads the state of then::

    T1: read x -> 10            a point read and what it must give (``none`` for no row)
    T1: scan v > 10 -> y z      the keys of a scan with a condition (``-> nothing`` for none)
    T1: range 10 20 -> x y      the same by the ordered index on v, bounds included
    T1: count v > 10 -> 2
    T2: write x 20              an update, or an insert where there is no row
    T2: insert x 20             ``-> unique`` where it must be refused
    T2: raise v > 10 by 5       an update of all rows that satisfy a condition
    T2: delete x
    T1: commit -> conflict      or ``ok`` (the same as nothing), ``serialization``, ``unique``
    T1: abort
    end: x=20 y=30              all rows, seen by a new transaction

``setup: x=10 y=20`` comes first. Words behind ``--`` are a remark.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from zengram_py.clock import ManualClock
from zengram_py.engine import INT64, TEXT, ColumnDef, Database, IndexDef, Transaction
from zengram_py.errors import ConflictError, SerializationError, UniqueError, ZengramError

COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    ">": operator.gt,
    "=": operator.eq,
    "<=": operator.le,
    ">=": operator.ge,
}


def outcome(error: ZengramError) -> str:
    """Return a refusal as one word."""
    if isinstance(error, SerializationError):
        return "serialization"
    if isinstance(error, ConflictError):
        return "conflict"
    if isinstance(error, UniqueError):
        return "unique"
    raise error


def make_database() -> Database:
    """Return a database with the table that the scripts speak of: k is the key, v a number with an ordered index."""
    db = Database.open(clock=ManualClock())
    db.create_table(
        "t",
        [ColumnDef("k", TEXT), ColumnDef("v", INT64)],
        primary_key=["k"],
        indexes=[IndexDef("by_v", "ordered", (["col", "v"],)), IndexDef("of_v", "hash", (["col", "v"],))],
    )
    return db


class Script:
    """Plays a script."""

    def __init__(self, isolation: str) -> None:
        self.isolation = isolation
        self.db = make_database()
        self.open: dict[str, Transaction] = {}

    def play(self, text: str) -> Database:
        """Play all steps; an AssertionError names the one that does not do what it says."""
        for line in text.strip().splitlines():
            step = line.split("--")[0].strip()
            if step:
                who, _, rest = step.partition(":")
                command, _, expected = rest.partition("->")
                got = self._step(who, command.split())
                want = expected.split() or ["ok"]
                assert got == want, f"{step!r} gave {' '.join(got)}"
        return self.db

    def _step(self, who: str, words: list[str]) -> list[str]:
        if who in ("setup", "end"):
            return self._whole(who, words)
        if who not in self.open:
            self.open[who] = self.db.begin(isolation=self.isolation)
        t = self.open[who]
        if words[0] in ("commit", "abort"):
            del self.open[who]
        try:
            return COMMANDS[words[0]](t, *words[1:])
        except ZengramError as error:
            return [outcome(error)]

    def _whole(self, who: str, words: list[str]) -> list[str]:
        rows = {k: int(v) for k, v in (word.split("=") for word in words)}
        with self.db.begin() as t:
            if who == "setup":
                for k, v in rows.items():
                    t.insert("t", {"k": k, "v": v})
            else:
                found = {row["k"]: row["v"] for row in t.scan("t")}
                assert found == rows, f"at the end there is {found}"
        return ["ok"]


def condition(words: tuple[str, ...]) -> list[Any] | None:
    """Return ``v > 10`` as an expression; no words are no condition."""
    return [words[1], ["col", "v"], ["lit", int(words[2])]] if words else None


def _read(t: Transaction, k: str) -> list[str]:
    row = t.get("t", k)
    return ["none" if row is None else str(row["v"])]


def _write(t: Transaction, k: str, v: str) -> list[str]:
    if not t.update("t", k, {"v": int(v)}):
        t.insert("t", {"k": k, "v": int(v)})
    return ["ok"]


def _insert(t: Transaction, k: str, v: str) -> list[str]:
    t.insert("t", {"k": k, "v": int(v)})
    return ["ok"]


def _raise(t: Transaction, *words: str) -> list[str]:
    t.update_where("t", condition(words[:-2]), {"v": {"expr": ["+", ["col", "v"], ["lit", int(words[-1])]]}})
    return ["ok"]


def _commit(t: Transaction) -> list[str]:
    t.commit()
    return ["ok"]


COMMANDS: dict[str, Callable[..., list[str]]] = {
    "begin": lambda t: ["ok"],
    "read": _read,
    "scan": lambda t, *w: sorted(r["k"] for r in t.scan("t", where=condition(w))) or ["nothing"],
    "range": lambda t, low, high: (
        sorted(r["k"] for r in t.range("t", "by_v", int(low), int(high))) or ["nothing"]
    ),
    "count": lambda t, *w: [str(t.count("t", condition(w)))],
    "write": _write,
    "insert": _insert,
    "raise": _raise,
    "delete": lambda t, k: ["ok" if t.delete("t", k) else "none"],
    "commit": _commit,
    "abort": lambda t: t.rollback() or ["ok"],
}
