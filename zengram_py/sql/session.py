"""A session: what statements share: a branch, a database, settings, an open transaction, plans that are ready."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..engine import Database
from .bind.definitions import BoundDefinition
from .bound import BoundQuery, Output
from .errors import unsupported
from .execute.column import Batch
from .execute.context import Context
from .parameters import bind_parameters
from .plan.planner import Planner
from .prepare import StatementCache
from .scope import Catalogue, SearchPath


@dataclass
class Result:
    """What a statement gave: columns and rows in stored form."""

    outputs: tuple[Output, ...] = ()
    rows: list[tuple[Any, ...]] = field(default_factory=list)
    count: int = 0


class Session:
    """One user's way into a database."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.branch = "main"
        self.path = SearchPath()
        self.statements = StatementCache()
        self.clock: Callable[[], float] = time.monotonic
        self.max_rows = 0
        self.statement_timeout = 0.0

    def run(self, text: str, parameters: Sequence[Any] = ()) -> Result:
        """Run one statement."""
        with self.database.begin(branch=self.branch) as transaction:
            prepared = self.statements.get(text, Catalogue(transaction.reader.catalog, self.path))
            values = bind_parameters(prepared, parameters)
            if isinstance(prepared.bound, BoundDefinition):
                for change in prepared.bound.changes:
                    getattr(transaction, change.method)(**change.arguments)
                return Result()
            if not isinstance(prepared.bound, BoundQuery):
                raise unsupported("this statement")
            plan = Planner(self, transaction.reader, prepared.bound).query(prepared.bound)
            context = Context(self, transaction, values)
            rows: list[tuple[Any, ...]] = []
            for batch in plan.batches(context):
                rows += rows_of(batch)
            return Result(prepared.outputs, rows, len(rows))


def rows_of(batch: Batch) -> list[tuple[Any, ...]]:
    """Return a batch's rows in stored form."""
    lists = [c.expanded(batch.count).tolist() for c in batch.columns]
    return list(zip(*lists, strict=True)) if lists else [()] * batch.count
