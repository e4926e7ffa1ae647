"""Assembling a context: the next prompt, within a budget of tokens.

::

    budget 4000
    |— reserve .15 —|  left for the answer
                    |— system, permission rules —|— knowledge ≤ .25 —|— tasks ≤ .10 —|— history ————————————|— branches ≤ .05 —|— pending —|
                    instructions that hold        facts (stable)       open tasks      turns, newest first    other branches     open calls

Blocks come in this order, so that a prompt begins with what seldom changes, and a provider's cache holds it. A share is an upper bound: what a
block leaves goes to the history. No block is counted twice and each is counted as it is, so the total is never more than the budget, whatever
the counter. Assembling reads; it writes nothing (what was counted goes out with the next write: token_counts.py).

Shares: knowledge, tasks and cross-branch as in the drawing, of the budget; rules and pending calls .10 and .05, chosen so that a long list of
either leaves the prompt to what it is about. Reserve and hot share are those of ``demotion_config``, for the project's scope, else for ``/``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..engine import Transaction
from ..errors import InvalidArgumentError
from .cuts import without_end
from .filters import Eligible, RecallFilter
from .history_block import History, HistoryBlocks, Message, Tiers
from .instructions import Instructions
from .knowledge_block import KnowledgeBlock, ToldFact, ToldFacts, knowledge_block
from .options import plan_recall
from .permissions import Permissions
from .projects import scopes_of
from .quantities import check_flag, check_number
from .recall import Asked
from .recall_config import read_config
from .recalling import LONGEST_QUESTION, Recalling
from .sessions import Sessions
from .tasks import Tasks
from .texts import check_text
from .token_counts import TokenCounter, TokenCounts
from .tool_calls import ToolCalls
from .vectors import check_vector
from .window import ContextBlock, ContextItem, ContextWindow

KNOWLEDGE_SHARE, TASK_SHARE, CROSS_BRANCH_SHARE = 0.25, 0.10, 0.05
RULES_SHARE, PENDING_SHARE = 0.10, 0.05
RESERVE, HOT, WARM_DAYS, COLD_DAYS = 0.15, 0.80, 90, 365
TOKENS_PER_LINE = 8
"""A fact's line has its id, so that few are shorter: about how many facts a share can hold at most."""
OPEN_TASKS = ("in_progress", "blocked", "pending")
CONFIG = "demotion_config"
_SHARES = {"reserve_pct": RESERVE, "hot_budget_pct": HOT}


@dataclass(frozen=True)
class _Shares:
    """Of the budget, but for ``hot``, which is of the history's room."""

    knowledge: float
    tasks: float
    cross_branch: float
    reserve: float
    hot: float


class Context(Recalling, Sessions, ToolCalls, Instructions, Tasks, Permissions):
    """Assembles prompts."""

    _told_last: tuple[list[Eligible], ToldFacts] = ([], ToldFacts(()))

    @cached_property
    def _histories(self) -> HistoryBlocks:
        return HistoryBlocks()

    def set_token_counter(self, fn: TokenCounter | None, *, model_family: str | None = None) -> None:
        """Set the function that counts the tokens of a text; None sets the estimate, one token for four bytes.

        Parameters
        ----------
        fn : callable or None
            ``text -> whole number``.
        model_family : str, optional
            Whose tokens it counts. With a name, what it said of a turn is kept in the table ``token_estimate``, and it is asked again only when
            the turn changed.
        """
        self._check_open()
        if fn is not None and not callable(fn):
            raise InvalidArgumentError(f"a token counter is a function, not a {type(fn).__name__}")
        family = None if model_family is None else check_text(model_family, "model_family")
        if fn is None and family is not None:
            raise InvalidArgumentError("the estimate has no model family: it is the same for all")
        self._tokens = TokenCounts(fn, family)

    def count_tokens(self, text: str) -> int:
        """Return how many tokens a text has, by the counter that is set."""
        self._check_open()
        return self._tokens.count(check_text(text, "text", blank=True))

    def assemble_context(
        self,
        session_id: str,
        branch_id: str,
        budget: float,
        *,
        knowledge_budget_pct: float = KNOWLEDGE_SHARE,
        task_budget_pct: float = TASK_SHARE,
        cross_branch_budget_pct: float = CROSS_BRANCH_SHARE,
        reserve_pct: float | None = None,
        hot_budget_pct: float | None = None,
        include_private: bool = False,
        vec: Any = None,
        explain: bool = False,
    ) -> ContextWindow:
        """Return the next prompt of a branch.

        Parameters
        ----------
        session_id, branch_id : str
            Which.
        budget : float
            Tokens at most; a fraction of one is none.
        knowledge_budget_pct, task_budget_pct, cross_branch_budget_pct : float
            Shares of the budget, 0 to 1, that facts, tasks and other branches take at most.
        reserve_pct : float, optional
            Share of the budget that is left for the answer; that of ``demotion_config`` (0.15) when left out.
        hot_budget_pct : float, optional
            Share of the history's room for turns in full; that of ``demotion_config`` (0.80) when left out.
        include_private : bool
            Whether private facts are told.
        vec : vector, optional
            Of the newest message of the user, for choosing facts where they do not all fit; else the embedder is asked, if there is one.
        explain : bool
            Whether the window says of each thing why it is in or out.

        Raises
        ------
        NotFoundError
            If there is no such branch in the session.
        InvalidArgumentError
            If the budget or a share is no such number, or the token counter fails.
        EmbedderError
            If facts have to be chosen, and the embedder fails.
        """
        total = int(check_number("budget", budget))
        vector = None if vec is None else check_vector(vec, self.dimensions)
        include_private, explain = (
            check_flag("include_private", include_private),
            check_flag("explain", explain),
        )
        given = {
            "knowledge_budget_pct": knowledge_budget_pct,
            "task_budget_pct": task_budget_pct,
            "cross_branch_budget_pct": cross_branch_budget_pct,
        }
        given |= {
            n: v
            for n, v in (("reserve_pct", reserve_pct), ("hot_budget_pct", hot_budget_pct))
            if v is not None
        }
        checked = {name: check_number(name, value, most=1.0) for name, value in given.items()}
        with self._reading() as transaction:
            branch = self._branch(transaction, session_id, branch_id)
            session = self._row(transaction, "session", branch["session_id"], "session")
            config = _config(transaction, scopes_of(session["project_id"]))
            shares = _Shares(
                checked["knowledge_budget_pct"],
                checked["task_budget_pct"],
                checked["cross_branch_budget_pct"],
                checked.get("reserve_pct", config["reserve_pct"]),
                checked.get("hot_budget_pct", config["hot_budget_pct"]),
            )
            tiers = Tiers(shares.hot, config["warm_ttl_days"], config["cold_ttl_days"])
            assembly = _Assembly(self, transaction, session, branch, total, shares, self._clock.now())
            return assembly.window(tiers, vector, include_private=include_private, explain=explain)

    # -- what the phases read ------------------------------------------------------------------------------------------

    def _told_facts(
        self, transaction: Transaction, scopes: Sequence[str], now: int, *, include_private: bool
    ) -> ToldFacts:
        """Return the facts of scopes that hold and may be told; the last ones are kept as long as nothing changes them."""
        wanted = RecallFilter(include_private=include_private)
        select = self._recaller.filters.select
        found = [select(transaction, scope, wanted, now) for scope in scopes]
        kept, told = self._told_last
        if len(kept) != len(found) or any(one is not other for one, other in zip(kept, found, strict=True)):
            told = ToldFacts(fact for eligible in found for fact in _told(eligible))
            self._told_last = found, told
        return told

    def _most_relevant(
        self,
        transaction: Transaction,
        scopes: Sequence[str],
        question: str,
        vector: Any,
        now: int,
        most: int,
        *,
        include_private: bool,
    ) -> list[str]:
        """Return the ids of facts of scopes by what they have to do with a question, best first."""
        question = question[:LONGEST_QUESTION]
        if vector is None and self._embed_fn is not None and question.strip():
            vector = self._embed(question)
        names = self._names_in(question)
        found: list[tuple[float, str]] = []
        for scope in scopes:
            plan = plan_recall(
                {"limit": most, "min_score": 0.0, "include_private": include_private},
                read_config(transaction, scope),
            )
            hits = self._recaller.recall(transaction, now, Asked(scope, question, vector, plan, names))
            found += [(-hit.score, hit.knowledge_id) for hit in hits]
        return [fact_id for _, fact_id in sorted(found)]


class _Assembly:
    """One window in the making."""

    def __init__(
        self,
        memory: Context,
        transaction: Transaction,
        session: dict[str, Any],
        branch: dict[str, Any],
        budget: int,
        shares: _Shares,
        now: int,
    ) -> None:
        self._memory, self._transaction, self._session, self._branch = memory, transaction, session, branch
        self._budget, self._shares, self._now = budget, shares, now
        self._counts: TokenCounts = memory._tokens
        self._history: HistoryBlocks = memory._histories
        self._left = int(budget * (1 - shares.reserve))
        self._items: list[ContextItem] = []

    def window(self, tiers: Tiers, vector: Any, *, include_private: bool, explain: bool) -> ContextWindow:
        """Return the window."""
        if not self._left:
            return self._empty("the budget leaves no room" if self._budget else "the budget is 0")
        message = self._history.newest_message(self._transaction, self._branch, self._counts, self._now)
        kept = self._kept_for(message)
        if kept is None:
            return self._empty("the newest message of the user does not fit, not even a part of it")
        self._left -= kept
        blocks = [self._system(), self._rules()]
        knowledge = self._knowledge(message, vector, include_private=include_private)
        blocks.append(self._block("knowledge", knowledge.text, [fact.id for fact in knowledge.facts]))
        blocks.append(self._tasks())
        after = [self._branches(), self._pending()]
        room = self._left + kept
        history = self._history.tell(
            self._transaction, self._branch, room, message, tiers, self._counts, self._now
        )
        whole = (*blocks, *history.blocks, *after)
        return ContextWindow(
            blocks=tuple(block for block in whole if block is not None),
            total_tokens=sum(block.token_count for block in whole if block is not None),
            budget=self._budget,
            turns_included=history.included,
            turns_summarized=history.summarized,
            turns_skipped=history.skipped,
            knowledge_fingerprint=knowledge.fingerprint,
            reason=None,
            explanation=(*self._items, *history.items) if explain else (),
        )

    def _empty(self, reason: str) -> ContextWindow:
        history = self._history.tell(
            self._transaction, self._branch, 0, None, Tiers(0, 0, 0), self._counts, self._now
        )
        nothing = KnowledgeBlock("", (), (), 0)
        return ContextWindow((), 0, self._budget, 0, 0, _all(history), nothing.fingerprint, reason)

    def _kept_for(self, message: Message | None) -> int | None:
        """Return what is kept for the newest message: all of it up to half the room, else more only if less will not do; None if nothing will."""
        if message is None:
            return 0
        half = min(message.tokens, self._left // 2) if message.tokens > self._left // 2 else message.tokens
        for room in (half, self._left):
            if message.tokens <= room or self._history.can_cut(message, room, self._counts):
                return room
        return None

    # -- phases --------------------------------------------------------------------------------------------------------

    def _system(self) -> ContextBlock | None:
        texts, sources = [], []
        for owner in (
            ("all", ""),
            ("project", self._session["project_id"]),
            ("session", self._session["id"]),
        ):
            row = self._transaction.get("_zengram_instructions", owner)
            if row is not None:
                texts.append(row["content"])
                sources.append(":".join(owner).rstrip(":"))
        text = "\n\n".join(texts)
        if not text:
            return None
        status = "full"
        if self._counts.count(text) > self._left:
            shorter = without_end(text, self._left, self._counts.count) if self._left else None
            if shorter is None:
                self._note("system", sources, "left_out", "not even a part of the instructions fits")
                return None
            text, status = shorter, "cut"
        reason = (
            "instructions always come" if status == "full" else "the instructions are larger than their room"
        )
        self._note("system", sources, status, reason)
        return self._block("system", text, sources)

    def _rules(self) -> ContextBlock | None:
        rules = self._memory.permission_rules(session_id=self._session["id"])
        lines = [(rule.id, f"- {rule.action} {rule.permission} {rule.pattern}") for rule in rules]
        return self._lines(
            "permissionRules", "Permission rules, the first that matches counts:", lines, RULES_SHARE
        )

    def _knowledge(self, message: Message | None, vector: Any, *, include_private: bool) -> KnowledgeBlock:
        scopes = scopes_of(self._session["project_id"])
        told = self._memory._told_facts(self._transaction, scopes, self._now, include_private=include_private)
        room = min(self._left, int(self._budget * self._shares.knowledge))

        def rank() -> list[str]:
            question = "" if message is None else message.said.text
            return self._memory._most_relevant(
                self._transaction,
                scopes,
                question,
                vector,
                self._now,
                max(20, room // TOKENS_PER_LINE),
                include_private=include_private,
            )

        block = knowledge_block(told, room, self._counts.count, rank)
        whole = (
            "all facts fit" if not block.left_out else "it is among those that the newest message asks for"
        )
        self._note("knowledge", [fact.id for fact in block.facts], "full", whole)
        self._note(
            "knowledge",
            [fact.id for fact in block.left_out],
            "left_out",
            "others have more to do with the newest message",
        )
        return block

    def _tasks(self) -> ContextBlock | None:
        found = []
        for status in OPEN_TASKS:
            found += self._memory.tasks(project_id=self._session["project_id"], status=status, limit=1000)
        lines = [(task.id, f"- [{task.status}] {task.title} ({task.priority}, {task.id})") for task in found]
        return self._lines("tasks", "Open tasks:", lines, self._shares.tasks)

    def _branches(self) -> ContextBlock | None:
        lines = []
        for branch in self._memory.session_branches(self._session["id"]):
            if branch.id == self._branch["id"]:
                continue
            row = self._memory._row(self._transaction, "branch", branch.id, "branch")
            said = self._history.gist(self._transaction, row)
            if said is not None:
                lines.append((branch.id, f"- {branch.name or branch.id}: {said}"))
        return self._lines(
            "branchSummary", "Other branches of this conversation:", lines, self._shares.cross_branch
        )

    def _pending(self) -> ContextBlock | None:
        calls = []
        for state in ("running", "pending"):
            calls += self._memory.query_tool_calls(self._session["id"], state=state, limit=1000)
        lines = [(call.id, f"- {call.tool_id} is {call.state} ({call.id})") for call in calls]
        return self._lines("pending", "Tool calls without a result:", lines, PENDING_SHARE)

    # -- parts ---------------------------------------------------------------------------------------------------------

    def _lines(
        self, kind: str, heading: str, lines: Sequence[tuple[str, str]], share: float
    ) -> ContextBlock | None:
        """Return a block of as many lines, from the first on, as fit into a share."""
        room = min(self._left, int(self._budget * share))
        fitting = _longest(lines, lambda n: self._counts.count(_listed(heading, lines[:n])), room)
        self._note(kind, [one for one, _ in lines[:fitting]], "full", "it fits into its share")
        self._note(kind, [one for one, _ in lines[fitting:]], "left_out", "its share is spent")
        text = _listed(heading, lines[:fitting]) if fitting else ""
        return self._block(kind, text, [one for one, _ in lines[:fitting]])

    def _block(self, kind: str, text: str, sources: Sequence[str]) -> ContextBlock | None:
        if not text:
            return None
        tokens = self._counts.count(text)
        self._left -= tokens
        return ContextBlock(kind, text, tokens, tuple(sources))

    def _note(self, kind: str, ids: Sequence[str], status: str, reason: str) -> None:
        self._items += [ContextItem(kind, one, status, 0, reason) for one in ids]


def _told(eligible: Eligible) -> Iterator[ToldFact]:
    facts, slots = eligible.facts, eligible.slots
    columns = [facts.column(name).take(slots) for name in ("id", "subject", "content")]
    for row in zip(facts.array("time_created", slots).tolist(), *columns, strict=True):
        yield ToldFact(*row)


def _listed(heading: str, lines: Sequence[tuple[str, str]]) -> str:
    return "\n".join([heading, *(line for _, line in lines)])


def _longest(lines: Sequence[Any], tokens: Any, room: int) -> int:
    """Return how many lines from the first on fit into a room."""
    low, high = 0, len(lines)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if tokens(middle) <= room else (low, middle - 1)
    while low and tokens(low) > room:  # a counter that does not grow with the text
        low -= 1
    return low


def _all(history: History) -> int:
    return history.included + history.summarized + history.skipped


def _config(transaction: Transaction, scopes: Sequence[str]) -> dict[str, Any]:
    """Return what the first of some scopes that has a row in ``demotion_config`` sets."""
    for scope in scopes:
        row = transaction.get(CONFIG, scope)
        if row is not None:
            # SQL writes any number: what is no share counts as the nearest one, and NaN as what is set without a row.
            shares = {name: _share(row[name], other) for name, other in _SHARES.items()}
            return {**row, **shares}
    return {**_SHARES, "warm_ttl_days": WARM_DAYS, "cold_ttl_days": COLD_DAYS}


def _share(value: float, other: float) -> float:
    return other if math.isnan(value) else min(1.0, max(0.0, value))
