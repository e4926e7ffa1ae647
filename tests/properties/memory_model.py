"""A memory of facts as plain dictionaries: what docs and docstrings say that becomes of statements, without tables or indexes.

Subjects, contents and peers are numbers here, and a number has several spellings: what folds together is written down by hand, not
computed. Facts that were told with a time of their own are taken over as the memory has them; everything else is predicted.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

SCOPES = ["/", "/project/x", "/project/x/y"]
SUBJECTS = [
    ["caf\u00e9", "cafe\u0301", "CAFE\u0301", " Caf\u00e9\t"],
    ["stra\u00dfe", "STRASSE", "Stra\u00dfe"],
    ["\u4f60\u597d", " \u4f60\u597d "],
    ["home town", "Home  Town"],
]
PEERS: list[list[str | None]] = [[None], ["Zo\u00eb", "zoe\u0308", "ZO\u00cb"], ["\u738b"]]
CONTENTS = [["na\u00efve tea", "nai\u0308ve  tea"], ["coffee", " coffee"], ["Coffee"], ["\u4e16\u754c"]]
SESSIONS = ["s1", "s2", "s3"]

Key = tuple[str, int, int]
"""A scope, and the numbers of a subject and a peer."""
Edge = tuple[str, str, str]
"""A source, a target and what the target says of the source."""


def turn_of(session: str) -> str:
    """Return the turn of the user in a session."""
    return f"{session}u"


def session_of(node: str) -> str:
    """Return the session of a turn, or the session itself."""
    return node.removesuffix("u")


@dataclass
class Known:
    """A fact."""

    id: str
    key: Key
    content: int
    created: int
    begins: int
    ends: int | None = None
    status: str = "active"
    by: str | None = None
    importance: float = 0.5
    confidence: float = 0.5
    confirmed: int = 0
    contradicted: int = 0
    charged: int | None = None
    session: str | None = None
    heard: set[str] = field(default_factory=set)
    """Sessions that confirmed it."""
    sources: list[str] = field(default_factory=list)


@dataclass
class Said:
    """A statement without a time of its own, and where it comes from."""

    key: Key
    content: int
    importance: float | None = None
    session: str | None = None
    turn: str | None = None
    sources: list[str] = field(default_factory=list)
    derived: str = "derived_from"
    is_found: bool = False
    """Whether a model found it."""


class FactModel:
    """All facts, and the rows of provenance."""

    def __init__(self) -> None:
        self.facts: dict[str, Known] = {}
        self.edges: Counter[Edge] = Counter()
        self.timed: set[Key] = set()
        """Where something was told with a time of its own."""

    def of(self, key: Key) -> list[Known]:
        """Return what was told of a subject and a peer, in order."""
        return [fact for fact in self.facts.values() if fact.key == key]

    def head(self, key: Key) -> Known | None:
        """Return the active fact of a subject without times."""
        active = [fact for fact in self.of(key) if fact.status == "active"]
        assert len(active) <= 1
        return active[0] if active else None

    def expected(self, said: Said) -> str | None:
        """Return which fact says a statement already, None if it is new."""
        head = self.head(said.key)
        return head.id if head is not None and head.content == said.content else None

    def say(self, now: int, said: Said, fact_id: str, rows: dict[str, dict[str, Any]]) -> None:
        """Take a statement that became this fact; rows are the memory's, for subjects with times."""
        replaced = self.synchronise(said.key, rows, fact_id) if said.key in self.timed else []
        if fact_id in self.facts:
            self._say_again(now, said, self.facts[fact_id])
            return
        head = None if said.key in self.timed else self.head(said.key)
        if head is not None:
            head.status, head.by, head.ends = "superseded", fact_id, max(now, head.begins)
            replaced = [head.id]
        fact = Known(fact_id, said.key, said.content, now, now, session=said.session)
        fact.importance = 0.5 if said.importance is None else said.importance
        fact.sources = list(said.sources)
        self.facts[fact_id] = fact
        if said.key in self.timed:
            self.synchronise(said.key, rows, fact_id)
        for old in replaced:
            self.edges[old, fact_id, "supersedes"] += 1
            if said.is_found:
                self.edges[old, fact_id, "contradicts"] += 1
        for source in said.sources:
            self.edges[source, fact_id, said.derived] += 1
        where = said.turn or said.session
        if where is not None:
            self.edges[where, fact_id, "extracted_from" if said.is_found else "told_in"] += 1

    def _say_again(self, now: int, said: Said, fact: Known) -> None:
        if said.importance is not None:
            fact.importance, fact.charged = said.importance, now
        for source in said.sources:
            if source not in (fact.id, *fact.sources):
                self.edges[source, fact.id, said.derived] += 1
        fact.sources = [one for one in dict.fromkeys([*fact.sources, *said.sources]) if one != fact.id]
        if said.session is None or said.session == fact.session or said.session in fact.heard:
            return
        fact.heard.add(said.session)
        importance = fact.importance
        self.confirm(fact.id)
        if said.importance is not None:
            fact.importance = importance
        self.edges[said.turn or said.session, fact.id, "confirmed_by"] += 1

    def synchronise(self, key: Key, rows: dict[str, dict[str, Any]], new: str | None = None) -> list[str]:
        """Take over how facts with times lie; return those whose place a new one took."""
        replaced = []
        for fact in self.of(key):
            row = rows[fact.id]
            if new is not None and fact.by is None and row["superseded_by"] == new:
                replaced.append(fact.id)
            fact.status, fact.by = row["status"], row["superseded_by"]
            fact.begins, fact.ends = row["valid_from"], row["valid_to"]
        return replaced

    def confirm(self, fact_id: str) -> None:
        """Confirm a fact."""
        fact = self.facts[fact_id]
        fact.importance, fact.confidence = min(1.0, fact.importance + 0.15), min(1.0, fact.confidence + 0.1)
        fact.confirmed += 1

    def contradict(self, fact_id: str) -> None:
        """Contradict a fact."""
        fact = self.facts[fact_id]
        fact.confidence = max(0.0, fact.confidence - 0.2)
        fact.contradicted += 1

    def decay(self, now: int, half_life_days: float) -> int:
        """Let all active facts fade; return how many."""
        count = 0
        for fact in self.facts.values():
            elapsed = now - (fact.created if fact.charged is None else fact.charged)
            if fact.status == "active" and elapsed > 0:
                fact.importance *= 0.5 ** (elapsed / (half_life_days * 86_400_000_000))
                fact.charged = now
                count += 1
        return count

    def merge(self, now: int, fact_id: str, others: list[str]) -> None:
        """Merge facts into one."""
        kept, rows = self.facts[fact_id], [self.facts[other] for other in others]
        greatest = max([kept, *rows], key=lambda one: one.importance)
        kept.importance, kept.charged = (
            greatest.importance,
            greatest.created if greatest.charged is None else greatest.charged,
        )
        for row in rows:
            self.edges[row.id, fact_id, "merged_from"] += 1
            self._close(row, now)
            row.status, row.by = "superseded", fact_id
            for session in row.heard - kept.heard:
                kept.heard.add(session)
                for (source, target, relation), count in list(self.edges.items()):
                    if (target, relation) == (row.id, "confirmed_by") and session_of(source) == session:
                        self.edges[source, fact_id, "confirmed_by"] += count
            kept.confidence = max(kept.confidence, row.confidence)
            kept.confirmed += row.confirmed
            kept.contradicted += row.contradicted
        kept.sources = list(dict.fromkeys([*kept.sources, *others]))

    def forget(self, now: int, fact_id: str) -> None:
        """Forget a fact."""
        fact = self.facts[fact_id]
        if fact.status != "forgotten":
            self._close(fact, now)
            fact.status = "forgotten"

    def _close(self, fact: Known, now: int) -> None:
        end = max(fact.begins, now)
        fact.ends = end if fact.ends is None else min(fact.ends, end)

    def purge(self, fact_id: str) -> None:
        """Let go of a fact and what tells of it."""
        del self.facts[fact_id]
        for fact in self.facts.values():
            fact.by = None if fact.by == fact_id else fact.by
            fact.sources = [one for one in fact.sources if one != fact_id]
        self.edges = Counter({e: n for e, n in self.edges.items() if fact_id not in e[:2]})

    def truth(self, scope: str, at: int) -> list[str]:
        """Return what of a scope held at a time, of subjects without times, in the order in which it was told."""
        return [
            fact.id
            for fact in self.facts.values()
            if fact.key[0] == scope
            and fact.key not in self.timed
            and fact.status != "forgotten"
            and fact.begins <= at
            and (fact.ends is None or at < fact.ends)
        ]

    def reached(self, node: str, *, back: bool) -> set[str]:
        """Return all that a node came from, or that came of it."""
        found: set[str] = set()
        waiting = [node]
        if not back:
            waiting.append(turn_of(node))  # what came of a session came of its turns
        while waiting:
            one = waiting.pop()
            for source, target, _ in self.edges:
                here, there = (target, source) if back else (source, target)
                if here == one and there not in found:
                    found.add(there)
                    waiting.append(there)
        return found
