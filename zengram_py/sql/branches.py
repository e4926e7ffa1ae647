"""Branches by statements: ``create``, ``drop``, ``merge``, ``rebase``, ``show branches``.

A branch is a whole database that costs nothing to begin (engine/branching.py). A merge or rebase gives its report as rows: one row
if nothing conflicts, else one for each conflict. A branch that was merged without conflicts is dropped, unless it is ``main`` or
the one that the session is on.
"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine import MergeReport, Transaction
from ..errors import BranchError
from . import tree
from .bind.changes import Binder
from .bind.coercion import State
from .bind.operators import Place
from .bound import BoundQuery, BoundSelect, Output
from .errors import error
from .plan.whole import QueryPlan
from .ready import Result
from .scope import Scope
from .types import BOOL, INT8, JSONB, STRING

if TYPE_CHECKING:
    from .session import Session

REPORT = (
    Output("status", STRING),
    Output("source", STRING),
    Output("target", STRING),
    Output("dropped", BOOL),
    Output("added", INT8),
    Output("changed", INT8),
    Output("removed", INT8),
    Output("definitions", INT8),
    Output("table_name", STRING),
    Output("key", JSONB),
    Output("reason", STRING),
    Output("base", JSONB),
    Output("ours", JSONB),
    Output("theirs", JSONB),
)
"""Columns of the report of a merge or rebase; from ``table_name`` on they are a conflict's."""
LIST = (
    Output("name", STRING),
    Output("parent", STRING),
    Output("forked_at", INT8),
    Output("ahead", INT8),
    Output("behind", INT8),
    Output("current", BOOL),
)
"""Columns of the list of branches."""


def _leave(session: Session, transaction: Transaction, what: str) -> None:
    """End the statement's own transaction, since the database as a whole changes."""
    refuse_in_block(session, what)
    if transaction.read_only:
        raise error("25006", f"cannot execute {what} in a read-only transaction")
    transaction.rollback()


def refuse_in_block(session: Session, what: str) -> None:
    """Refuse a command inside a transaction block, or called by a function (25001)."""
    if session.depth:
        raise error("25001", f"{what} cannot be executed from a function")
    if session.block is not None:
        raise error("25001", f"{what} cannot run inside a transaction block")


def _check_exists(session: Session, name: str) -> None:
    try:
        session.database.tree.find(name)
    except BranchError:
        raise error("42704", f'branch "{name}" does not exist') from None


def create_branch(session: Session, transaction: Transaction, node: tree.CreateBranch) -> Result:
    """Fork a branch from another, the session's if none is named, as it is or was."""
    as_of = None if node.as_of is None else _time(session, transaction, node.as_of)
    _leave(session, transaction, "CREATE BRANCH")
    parent = session.branch if node.parent is None else node.parent
    _check_exists(session, parent)
    if any(branch.name == node.name for branch in session.database.tree.live()):
        if node.if_not_exists:
            return Result(command="CREATE BRANCH")
        raise error("42710", f'branch "{node.name}" already exists', node.at)
    session.database.fork(node.name, parent=parent, as_of=as_of)
    return Result(command="CREATE BRANCH")


def _time(session: Session, transaction: Transaction, node: tree.Expression) -> int:
    """Return the value of a time, which is microseconds since 1970."""
    binder = Binder(State(session.catalogue(transaction)))
    bound = binder.coerce(binder.bind(node, Scope(), Place("AS OF")), INT8, 1, at=node.at)
    query = BoundQuery(BoundSelect((bound,)), (Output("as_of", INT8),))
    ((found,),) = QueryPlan(query, transaction.reader).rows(session.context(transaction))
    if found is None:
        raise error("22004", "AS OF TIMESTAMP cannot be null", node.at)
    return int(found)


def drop_branch(session: Session, transaction: Transaction, node: tree.Drop) -> Result:
    """Give up a branch."""
    _leave(session, transaction, "DROP BRANCH")
    for (name,) in node.names:
        if node.if_exists and all(branch.name != name for branch in session.database.tree.live()):
            continue
        _check_exists(session, name)
        if name == "main":
            raise error("42809", 'branch "main" cannot be dropped', node.at)
        if name == session.branch:
            raise error(
                "55006",
                "cannot drop the currently open branch",
                node.at,
                hint="Go to another one first: set branch = main.",
            )
        session.database.discard(name)
    return Result(command="DROP BRANCH")


def merge_branch(session: Session, transaction: Transaction, node: tree.MergeBranch) -> Result:
    """Bring what a branch changed into another, the session's if none is named; drop it if all went well."""
    _leave(session, transaction, "MERGE BRANCH")
    into = session.branch if node.into is None else node.into
    for name in (node.name, into):
        _check_exists(session, name)
    if node.name == into:
        raise error("22023", f'branch "{into}" cannot be merged into itself', node.at)
    report = session.database.merge(node.name, into, strategy=node.strategy, dry_run=node.dry_run)
    dropped = report.applied and node.name not in ("main", session.branch)
    if dropped:
        session.database.discard(node.name)
    return _reported(report, "MERGE BRANCH", dropped=dropped, dry_run=node.dry_run)


def rebase_branch(session: Session, transaction: Transaction, node: tree.RebaseBranch) -> Result:
    """Bring what the parent of a branch changed into it."""
    _leave(session, transaction, "ALTER BRANCH")
    _check_exists(session, node.name)
    if node.name == "main":
        raise error("42809", 'branch "main" has no parent to rebase on', node.at)
    report = session.database.rebase(node.name, strategy=node.strategy, dry_run=node.dry_run)
    return _reported(report, "ALTER BRANCH", dropped=False, dry_run=node.dry_run)


def _reported(report: MergeReport, command: str, *, dropped: bool, dry_run: bool) -> Result:
    counts = (report.added, report.changed, report.removed, report.definitions)
    nothing = not any(counts)
    status = "conflict" if report.conflicts else "nothing to do" if nothing else "merged"
    if dry_run and status == "merged":
        status = "would merge"
    head = (status, report.source, report.target, dropped, *counts)
    rows: list[tuple[Any, ...]] = [
        (*head, c.table, _json(c.key), c.reason, _json(c.base), _json(c.ours), _json(c.theirs))
        for c in report.conflicts
    ]
    return Result(REPORT, rows or [(*head, *[None] * 6)], max(len(rows), 1), command)


def _json(value: Any) -> str | None:
    """Return a row or a key as stored JSON."""
    if value is None:
        return None
    if isinstance(value, tuple) and len(value) == 1:  # a key of one column
        (value,) = value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, bytes):
        return "\\x" + value.hex()
    return str(value)


def show_branches(session: Session) -> Result:
    """Return the live branches, oldest first."""
    rows: list[tuple[Any, ...]] = [
        (b.name, b.parent, b.forked_at, b.ahead, b.behind, b.name == session.branch)
        for b in session.database.branches()
    ]
    return Result(LIST, rows, len(rows), "SHOW")
