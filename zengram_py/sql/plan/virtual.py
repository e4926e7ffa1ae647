"""Reading the catalogues: rows that are made of definitions when somebody reads them."""

from __future__ import annotations

from collections.abc import Iterator

from ..bound import Bound, ColumnVar, VirtualSource
from ..catalogs.describe import Definitions
from ..execute.column import Batch, Column
from ..execute.context import Context
from .node import Node


class VirtualScan(Node):
    """The rows of a table of the catalogues."""

    def __init__(self, source: VirtualSource) -> None:
        self.table = source.table
        layout: dict[Bound, int] = {
            ColumnVar(sql_type, source.relation, i, name): i
            for i, (name, sql_type) in enumerate(self.table.columns)
        }
        super().__init__(layout, [t for _, t in self.table.columns], (), frozenset(), 100.0, 1000.0)

    def title(self) -> str:
        """Return what ``explain`` calls it."""
        return f"Catalog Scan on {self.table.name}"

    def run(self, context: Context) -> Iterator[Batch]:
        """Yield the rows."""
        reader = context.reader
        definitions = Definitions(
            context.session,
            context.transaction.reader.catalog,
            lambda table: len(reader.committed_slots(table)) + sum(1 for _ in reader.own_rows(table)),
            lambda table: len(reader.stores[table.id]),
        )
        rows = list(self.table.rows(definitions))
        if rows:
            columns = [Column.of(t, [row[i] for row in rows]) for i, t in enumerate(self.types)]
            yield Batch(columns, len(rows))
