"""What assembling a context gives: blocks, and why each thing is in or out."""

from __future__ import annotations

from dataclasses import dataclass

BLOCK_TYPES = ("system", "permissionRules", "knowledge", "tasks", "turn", "branchSummary", "pending")


@dataclass(frozen=True)
class ContextBlock:
    """One piece of a prompt.

    Attributes
    ----------
    type : str
        ``"system"``, ``"permissionRules"``, ``"knowledge"``, ``"tasks"``, ``"turn"``, ``"branchSummary"`` or ``"pending"``.
    content : str
        What it says.
    token_count : int
        How many tokens that has.
    source_ids : tuple of str
        The rows that it was made from.
    """

    type: str
    content: str
    token_count: int
    source_ids: tuple[str, ...]


@dataclass(frozen=True)
class ContextItem:
    """Why one thing is in the window, or not.

    Attributes
    ----------
    type : str
        The type of its block.
    id : str
        The row.
    status : str
        ``"full"``, ``"summary"``, ``"cut"`` or ``"left_out"``.
    tokens : int
        What it costs, or would have cost; 0 where it was not counted: facts and tasks share a block.
    reason : str
        Why.
    """

    type: str
    id: str
    status: str
    tokens: int
    reason: str


@dataclass(frozen=True)
class ContextWindow:
    """The next prompt.

    Attributes
    ----------
    blocks : tuple of ContextBlock
        In the order of the prompt.
    total_tokens, budget : int
        What the blocks have together, and what they might have had.
    turns_included, turns_summarized, turns_skipped : int
        Of the branch's turns, those that are there (whole or cut), those that a summary stands for, and the others.
    knowledge_fingerprint : str
        SHA-256 of the block of facts: equal as long as its bytes are.
    reason : str or None
        Why the window is empty, if it is.
    explanation : tuple of ContextItem
        If it was asked for.
    """

    blocks: tuple[ContextBlock, ...]
    total_tokens: int
    budget: int
    turns_included: int
    turns_summarized: int
    turns_skipped: int
    knowledge_fingerprint: str
    reason: str | None
    explanation: tuple[ContextItem, ...] = ()
