"""Provenance: what each fact came from, and what came of it.

A row says that its *target* was made from, or because of, its *source*; read from the target, its relation is a sentence::

    turn trn_7 ──────────▶ knw_2        knw_2  extracted_from  trn_7
    knw_1 ───────────────▶ knw_2        knw_2  supersedes      knw_1      (and contradicts it, if a model found it)
    knw_2, knw_5 ────────▶ knw_9        knw_9  reflected_from  knw_2, knw_5

Nobody has to keep these rows: whatever stores a fact writes them in the same transaction. :meth:`Provenance.trace_back` walks them
towards the sources, :meth:`Provenance.trace_forward` towards what came of something; in SQL they are edges of ``agent_graph``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..engine import Transaction
from ..engine.expr import Expr
from ..errors import NotFoundError
from ..text.snippets import cut
from .base import MemoryBase
from .quantities import check_count, check_flag, check_time
from .texts import check_text, fact_text, text_of_part
from .trail import CONTRADICTS

MAX_DEPTH = 10
LONGEST_TEXT = 200
"""Characters of a turn that a trace shows."""


@dataclass(frozen=True)
class Origin:
    """One step of a trace.

    Attributes
    ----------
    depth : int
        How many steps away, from 1.
    type, id : str
        What was reached: ``"knowledge"``, ``"turn"``, ``"tool_call"`` or ``"session"``, and its id.
    relation : str
        What the target says of the source, such as ``"extracted_from"``.
    source_type, source_id, target_type, target_id : str
        The row that was walked.
    confidence : float
        0 to 1.
    session_id : str or None
        In which session.
    time_created : int
        When it was noted, microseconds.
    text : str or None
        What it says: a fact's subject and content, a turn's summary or what it began with, a tool call's tool; None if it is not there
        any more.
    """

    depth: int
    type: str
    id: str
    relation: str
    source_type: str
    source_id: str
    target_type: str
    target_id: str
    confidence: float
    session_id: str | None
    time_created: int
    text: str | None


@dataclass(frozen=True)
class Contradiction:
    """A fact that a model took from a conversation, and that says something else than what was known of its subject.

    Attributes
    ----------
    knowledge_id, subject, content : str
        The fact that holds now.
    replaced_id, replaced_content : str
        The one whose place it took.
    scope : str
        Their scope.
    session_id, turn_id : str or None
        Where it was said.
    time_created : int
        When, microseconds.
    """

    knowledge_id: str
    subject: str
    content: str
    replaced_id: str
    replaced_content: str
    scope: str
    session_id: str | None
    turn_id: str | None
    time_created: int


class Provenance(MemoryBase):
    """Walks provenance."""

    def trace_back(self, node_id: str, *, depth: int = MAX_DEPTH) -> list[Origin]:
        """Return what something came from, the nearest first: turns, tool calls, the facts that it was made from or replaced.

        Parameters
        ----------
        node_id : str
            The id of a fact, turn, tool call or session.
        depth : int
            How many steps to go at most. Each row is walked once, so that a cycle ends.

        Raises
        ------
        NotFoundError
            If there is nothing of this id.
        """
        return self._trace(node_id, depth, "provenance_target", "source")

    def trace_forward(self, node_id: str, *, depth: int = MAX_DEPTH) -> list[Origin]:
        """Return what came of something, the nearest first; otherwise as :meth:`trace_back`."""
        return self._trace(node_id, depth, "provenance_source", "target")

    def contradictions(
        self,
        scope: str,
        *,
        session_id: str | None = None,
        since: Any = None,
        limit: int = 100,
        include_private: bool = False,
    ) -> list[Contradiction]:
        """Return where facts that were extracted or reflected contradicted what was known, newest first.

        The newer fact holds, and the older one is kept in its history: whoever knows better confirms one, or remembers it again.

        Parameters
        ----------
        scope : str
            The scope.
        session_id : str, optional
            Only those of this session.
        since : time, optional
            Only those noted then or later.
        limit : int
            How many at most.
        include_private : bool
            Whether those in which one of the two is private are among them.
        """
        scope = check_text(scope, "scope")
        limit = check_count("limit", limit)
        include_private = check_flag("include_private", include_private)
        wanted: list[Expr] = [["=", ["col", "relation"], ["lit", CONTRADICTS]]]
        if session_id is not None:
            wanted.append(["=", ["col", "session_id"], ["lit", check_text(session_id, "session id")]])
        if since is not None:
            wanted.append([">=", ["col", "time_created"], ["lit", check_time("since", since)]])
        found: list[Contradiction] = []
        with self._reading() as transaction:
            rows = list(transaction.scan("provenance", where=["and", *wanted]))
            for row in sorted(rows, key=lambda row: (row["time_created"], row["id"]), reverse=True):
                new = transaction.get("knowledge", row["target_id"])
                old = transaction.get("knowledge", row["source_id"])
                if new is None or old is None or new["scope"] != scope or len(found) == limit:
                    continue
                if "forgotten" in (new["status"], old["status"]):
                    continue
                if (new["private"] or old["private"]) and not include_private:
                    continue
                found.append(
                    Contradiction(
                        new["id"],
                        new["subject"],
                        new["content"],
                        old["id"],
                        old["content"],
                        scope,
                        row["session_id"],
                        new["source_turn"],
                        row["time_created"],
                    )
                )
        return found

    def _trace(self, node_id: Any, depth: Any, index: str, end: str) -> list[Origin]:
        node_id, depth = check_text(node_id, "id"), check_count("depth", depth)
        found: list[Origin] = []
        walked: set[str] = set()
        with self._reading() as transaction:
            if not any(transaction.get(table, node_id) for table in _TEXTS):
                raise NotFoundError(f"there is no fact, turn, tool call or session {node_id!r}")
            waiting = deque([(node_id, 1)])
            if end == "target":  # what came of a session came of its turns
                turns = transaction.range("turn", "turn_session", (node_id,), (node_id,))
                waiting.extend((turn["id"], 1) for turn in turns)
            while waiting:
                one, at = waiting.popleft()
                if at > depth:
                    break
                rows = transaction.lookup("provenance", index, one)
                for row in sorted(rows, key=lambda row: (row["time_created"], row["id"])):
                    if row["id"] in walked:
                        continue
                    walked.add(row["id"])
                    kind, reached = row[f"{end}_type"], row[f"{end}_id"]
                    found.append(_origin(transaction, at, kind, reached, row))
                    waiting.append((reached, at + 1))
        return found


def _origin(transaction: Transaction, depth: int, kind: str, reached: str, row: dict[str, Any]) -> Origin:
    known = transaction.get(kind, reached) if kind in _TEXTS else None
    return Origin(
        depth,
        kind,
        reached,
        row["relation"],
        row["source_type"],
        row["source_id"],
        row["target_type"],
        row["target_id"],
        row["confidence"],
        row["session_id"],
        row["time_created"],
        None if known is None else _TEXTS[kind](transaction, known),
    )


def _turn_text(transaction: Transaction, turn: dict[str, Any]) -> str:
    """Return a turn's summary, or the text that it begins with, behind its role."""
    text = turn["summary"]
    if text is None:
        parts = transaction.range("part", "part_turn", (turn["id"],), (turn["id"],))
        texts = (text_of_part(part["data"]) for part in parts if part["type"] == "text")
        text = next((one for one in texts if one), None)
    return turn["role"] if text is None else f"{turn['role']}: {cut(text, LONGEST_TEXT)}"


_TEXTS: dict[str, Callable[[Transaction, dict[str, Any]], str]] = {
    "knowledge": lambda _, row: fact_text(row["subject"], row["content"]),
    "turn": _turn_text,
    "tool_call": lambda _, row: f"{row['tool_id']} ({row['state']})",
    "session": lambda _, row: row["title"] or row["id"],
}
"""How the rows of each kind of node are described; a kind is called like its table."""
