"""Changes of rows: ``insert``, ``update``, ``delete`` and ``merge``, carried out.

    change_of(bound)      Insert | Update | Delete | Merge: what a change does, made once
        .apply(context)   does it; gives how many rows it changed, and what ``returning`` gives of them

The rows come from a plan. All of them are taken before the first is written, so that a change never meets its own rows. They are
written by columns (engine/stored_rows.py): values stay in the arrays in which they were computed. What is said for one row by constants and
parameters takes a short way (single.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...engine import Transaction
from ...engine.reader import Reader
from ..bound import BoundDelete, BoundInsert, BoundMerge, BoundUpdate, OutputVar
from ..errors import error
from ..execute.column import Batch
from ..execute.context import Context
from ..plan.node import Node
from ..plan.planner import Planner
from ..plan.whole import grown, rows_of, run_changes
from .base import Change
from .single import Single, single

if TYPE_CHECKING:
    from ..ready import Runner
    from ..session import Session

BoundChange = BoundInsert | BoundUpdate | BoundDelete | BoundMerge


def change_of(bound: BoundChange, planner: Planner) -> Change:
    """Return what a bound change does; ``planner`` is that of the statement that it is, or is a part of."""
    if isinstance(bound, BoundInsert):
        from .insert import Insert

        return Insert(bound, planner)
    if isinstance(bound, BoundMerge):
        from .merge import Merge

        return Merge(bound, planner)
    from .update import Delete, Update

    return Update(bound, planner) if isinstance(bound, BoundUpdate) else Delete(bound, planner)


def change_runner(bound: BoundChange, command: str, reader: Reader) -> Runner:
    """Return what runs a change that is a whole statement."""
    from ..ready import Result

    whole = WholeChange(bound, reader)
    outputs = bound.outputs

    def run(session: Session, transaction: Transaction, values: tuple[Any, ...]) -> Result:
        if transaction.read_only:
            raise error("25006", f"cannot execute {command} in a read-only transaction")
        context = session.context(transaction, values)
        if whole.single is not None:
            done = whole.single(context)
            if done is not None:
                return Result(outputs, done[1], done[0], command)
        count, batch = whole.apply(context)
        rows = [] if batch is None else rows_of(batch)
        return Result(outputs, rows, count, command)

    return run


class WholeChange:
    """A change that is a statement; planned again when its tables have grown out of the plan."""

    def __init__(self, bound: BoundChange, reader: Reader) -> None:
        self.bound = bound
        self._plan(reader)

    def _plan(self, reader: Reader) -> None:
        self.change = change_of(self.bound, Planner(reader, self.bound))
        self.single: Single | None = single(self.change)

    def apply(self, context: Context) -> tuple[int, Batch | None]:
        """Do it, with the changes in its ``with``."""
        if grown(self.change.planner.sizes, context.transaction.reader):
            self._plan(context.transaction.reader)
        change = self.change
        if change.freezes:
            context.freeze()
        done = change.apply(context)
        run_changes(change.planner.changes, context)
        return done


class ChangeRows(Node):
    """What a change in ``with`` gives: the rows of its ``returning``; it runs once."""

    def __init__(self, bound: BoundChange, planner: Planner) -> None:
        types = [o.type for o in bound.outputs]
        self.change = change_of(bound, planner)
        below = () if self.change.node is None else (self.change.node,)
        rows = below[0].rows if below else 1.0
        super().__init__(
            {OutputVar(t, i): i for i, t in enumerate(types)}, types, below, rows=rows, cost=rows * 5
        )

    def title(self) -> str:
        """Return what ``explain`` calls it."""
        return self.change.title

    def run(self, context: Context) -> Iterator[Batch]:
        """Yield the rows."""
        _, batch = self.change.apply(context)
        if batch is not None:
            yield batch


def change_node(bound: BoundChange, planner: Planner) -> Node:
    """Return a change as a node of a plan."""
    return ChangeRows(bound, planner)
