"""What all changes have: a table, and ``returning``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...engine import TableDef
from ..bind.columns import type_of_column
from ..bound import Bound, ColumnVar
from ..execute.column import Batch, Column
from ..execute.context import Context
from ..execute.expressions import Expressions
from ..plan.planner import Planner


class Change:
    """A change of the rows of a table.

    Attributes
    ----------
    table : TableDef
        The table.
    types : list of SqlType
        Of its columns.
    returning : Returning or None
        What it gives of the rows that it changed.
    """

    def __init__(self, table: TableDef, returning: Returning | None) -> None:
        self.table = table
        self.types = [type_of_column(c.type) for c in table.columns]
        self.returning = returning

    def apply(self, context: Context) -> tuple[int, Batch | None]:
        """Do it; return how many rows it changed, and what ``returning`` gives."""
        raise NotImplementedError


class Returning:
    """``returning``: expressions over the rows that were changed, and what they were joined with.

    Parameters
    ----------
    targets : sequence of Bound
        Its expressions.
    relation, table
        The table and its number in the statement.
    beside : sequence of Bound
        Further values that stand behind the table's columns.
    """

    def __init__(
        self,
        targets: Sequence[Bound],
        relation: int,
        table: TableDef,
        planner: Planner,
        beside: Sequence[Bound] = (),
    ) -> None:
        layout = table_layout(relation, table)
        layout.update({value: len(layout) + i for i, value in enumerate(beside)})
        self._targets = Expressions(layout, planner).compile_all(targets)

    def rows(self, context: Context, columns: Sequence[Column], count: int) -> Batch:
        """Return the output for columns of the table, and those beside."""
        batch = Batch(list(columns), count)
        return Batch([target(context, batch) for target in self._targets], count)


def table_layout(relation: int, table: TableDef) -> dict[Bound, int]:
    """Return a layout in which the columns of a table stand in their order."""
    return {variable(relation, table, i): i for i in range(len(table.columns))}


def variable(relation: int, table: TableDef, column: int) -> ColumnVar:
    """Return a column of a table as expressions name it."""
    definition = table.columns[column]
    return ColumnVar(type_of_column(definition.type), relation, column, definition.name)


def by_id(table: TableDef, columns: Mapping[int, object]) -> dict[int, object]:
    """Return what is given by the place of a column by its number."""
    return {table.columns[place].id: values for place, values in columns.items()}
