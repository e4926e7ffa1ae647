"""Changes of rows: ``insert``, ``update``, ``delete`` and ``merge``, carried out.

    change_of(bound)      Insert | Update | Delete | Merge: what a change does, made once
        .apply(context)   does it; gives how many rows it changed, and what ``returning`` gives of them

The rows come from a plan. All of them are taken before the first is written, so that a change never meets its own rows. They are
written by columns (engine/stored_rows.py): values stay in the arrays in which they were computed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...engine.reader import Reader
from ..bound import BoundDelete, BoundInsert, BoundMerge, BoundUpdate, OutputVar
from ..execute.column import Batch
from ..execute.context import Context
from ..plan.node import Node
from ..plan.planner import Planner
from .base import Change

if TYPE_CHECKING:
    from ..ready import Result, Runner
    from ..session import Session

BoundChange = BoundInsert | BoundUpdate | BoundDelete | BoundMerge


def change_of(bound: BoundChange, planner: Planner) -> Change:
    """Return what a bound change does; ``planner`` is that of the statement that it is, or is a part of."""
    if isinstance(bound, BoundInsert):
        from .insert import Insert

        return Insert(bound, planner)
    from ..errors import unsupported

    raise unsupported("this change")


def change_runner(bound: BoundChange, command: str, reader: Reader) -> Runner:
    """Return what runs a change that is a whole statement."""
    from ..plan.whole import rows_of
    from ..ready import Result

    change = change_of(bound, Planner(reader, bound))
    outputs = bound.outputs

    def run(session: Session, transaction: Any, values: tuple[Any, ...]) -> Result:
        count, batch = change.apply(session.context(transaction, values))
        rows = [] if batch is None else rows_of(batch)
        return Result(outputs, rows, count, command)

    return run


class ChangeRows(Node):
    """What a change in ``with`` gives: the rows of its ``returning``; it runs once."""

    def __init__(self, bound: BoundChange, planner: Planner) -> None:
        types = [o.type for o in bound.outputs]
        super().__init__({OutputVar(t, i): i for i, t in enumerate(types)}, types)
        self.change = change_of(bound, planner)

    def run(self, context: Context) -> Iterator[Batch]:
        """Yield the rows."""
        _, batch = self.change.apply(context)
        if batch is not None:
            yield batch
