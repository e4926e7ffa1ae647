"""Bound queries and changes of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...engine import TableDef
from ..nodes import field, node
from ..types import SqlType
from .expressions import Aggregate, Bound, ColumnVar, Invocation, SortBy, WindowCall

if TYPE_CHECKING:
    from ..catalogs import VirtualTable


@node(frozen=True, slots=True)
class Output:
    """One output column of a query."""

    name: str
    type: SqlType


# -- what a query reads ----------------------------------------------------------------------------------------------


@node(frozen=True, slots=True)
class Source:
    """Anything in ``from``; ``relation`` is its number in the statement (a join has none: -1)."""

    relation: int


@node(frozen=True, slots=True)
class TableSource(Source):
    """A table, at a time in the past if ``as_of`` is given."""

    table: TableDef
    as_of: Bound | None = None


@node(frozen=True, slots=True)
class QuerySource(Source):
    """A subquery or a view; ``lateral`` if it reads what stands before it."""

    query: BoundQuery
    lateral: bool = False


@node(frozen=True, slots=True)
class CteSource(Source):
    """A common table expression, by its number; inside a recursive one, its rows of the last round."""

    cte: int
    outputs: tuple[Output, ...]


@node(frozen=True, slots=True)
class FunctionSource(Source):
    """Functions side by side, each with as many columns as it gives, and a count at the end with ``ordinality``."""

    calls: tuple[Bound, ...]
    outputs: tuple[Output, ...]
    ordinality: bool = False
    lateral: bool = False


@node(frozen=True, slots=True, eq=False)
class VirtualSource(Source):
    """A table of the catalogues."""

    table: VirtualTable


@node(frozen=True, slots=True)
class JoinSource(Source):
    """A join; without a condition every row meets every row."""

    kind: str
    left: Source
    right: Source
    on: Bound | None


# -- queries ---------------------------------------------------------------------------------------------------------


@node(frozen=True, slots=True)
class BoundSelect:
    """One select.

    Attributes
    ----------
    sources : tuple of Source
        What it reads, each with each.
    targets : tuple of Bound
        Its output.
    where, having : Bound or None
        Conditions.
    is_grouped : bool
        Whether it has groups or aggregates: then targets, having and order hold nothing of its own rows but
        ``groups`` and ``aggregates``.
    groups : tuple of Bound
        Keys; those that follow from a primary key are among them.
    grouping_sets : tuple of tuple of int, or None
        Places of the keys in each set; None is one set of all.
    distinct : tuple of Bound, () or None
        The keys of ``distinct on``; () for all output.
    order_by : tuple of SortBy
        Keys over the rows before they are output.
    aggregates : tuple of Aggregate
        What is computed of each group.
    outside : tuple of (ColumnVar, Aggregate)
        The columns by which subqueries know some of the aggregates.
    """

    targets: tuple[Bound, ...]
    sources: tuple[Source, ...] = ()
    where: Bound | None = None
    is_grouped: bool = False
    groups: tuple[Bound, ...] = ()
    grouping_sets: tuple[tuple[int, ...], ...] | None = None
    group_distinct: bool = False
    having: Bound | None = None
    distinct: tuple[Bound, ...] | None = None
    order_by: tuple[SortBy, ...] = ()
    aggregates: tuple[Aggregate, ...] = ()
    windows: tuple[WindowCall, ...] = ()
    row_functions: tuple[Invocation, ...] = ()
    outside: tuple[tuple[ColumnVar, Aggregate], ...] = ()


@node(frozen=True, slots=True)
class BoundValues:
    """Rows of expressions."""

    rows: tuple[tuple[Bound, ...], ...]


@node(frozen=True, slots=True)
class Combination:
    """Set operations in order."""

    first: BoundQuery
    rest: tuple[tuple[str, bool, BoundQuery], ...]


@node(frozen=True, slots=True)
class Cte:
    """A common table expression; a recursive one begins with ``start`` and repeats ``query`` until it gives nothing new."""

    number: int
    name: str
    query: BoundQuery | BoundInsert | BoundUpdate | BoundDelete | BoundMerge
    outputs: tuple[Output, ...]
    start: BoundQuery | None = None
    keeps_duplicates: bool = True
    materialized: bool | None = None


@node(frozen=True, slots=True, eq=False)
class BoundQuery:
    """A query with all that belongs to it; ``order_by`` is over its output, and only of a body that is no select.

    It equals only itself: to compare or hash expressions must not go down into all queries that are nested in them.
    """

    body: BoundSelect | BoundValues | Combination | BoundQuery
    outputs: tuple[Output, ...]
    ctes: tuple[Cte, ...] = ()
    order_by: tuple[SortBy, ...] = ()
    limit: Bound | None = None
    offset: Bound | None = None
    with_ties: bool = False


# -- changes of rows -------------------------------------------------------------------------------------------------


@node(frozen=True, slots=True)
class RowStates:
    """Relations of a change that stand for its rows in ``returning``: as they were before, as they are after it; -1 if none does.

    ``action`` is that of what a merge did with a row.
    """

    old: int = -1
    new: int = -1
    action: int = -1


@node(frozen=True, slots=True)
class Assign:
    """A column by its place in the table, and its new value; a value of None is the default."""

    column: int
    value: Bound | None


@node(frozen=True, slots=True)
class OnConflict:
    """What to do instead of an insert that would break a unique index; ``index`` of None is any.

    Nothing is done without assignments. ``excluded`` is the relation of the row that was to be inserted.
    """

    index: str | None
    excluded: int = -1
    assignments: tuple[Assign, ...] | None = None
    where: Bound | None = None


@node(frozen=True, slots=True)
class BoundInsert:
    """Rows of a query into columns of a table; columns left out take their defaults. A source of None is one row of these.

    ``defaults`` are places (row, column) in a ``values`` source where ``default`` stood.
    """

    relation: int
    table: TableDef
    columns: tuple[int, ...]
    source: BoundQuery | None
    defaults: frozenset[tuple[int, int]] = frozenset()
    overriding: str | None = None
    conflict: OnConflict | None = None
    returning: tuple[Bound, ...] = ()
    outputs: tuple[Output, ...] = ()
    ctes: tuple[Cte, ...] = ()
    states: RowStates = field(default_factory=lambda: RowStates())


@node(frozen=True, slots=True)
class BoundUpdate:
    """New values for rows of a table that meet a condition, together with rows of other sources."""

    relation: int
    table: TableDef
    assignments: tuple[Assign, ...]
    sources: tuple[Source, ...] = ()
    where: Bound | None = None
    returning: tuple[Bound, ...] = ()
    outputs: tuple[Output, ...] = ()
    ctes: tuple[Cte, ...] = ()
    states: RowStates = field(default_factory=lambda: RowStates())


@node(frozen=True, slots=True)
class BoundDelete:
    """Rows of a table to delete."""

    relation: int
    table: TableDef
    sources: tuple[Source, ...] = ()
    where: Bound | None = None
    returning: tuple[Bound, ...] = ()
    outputs: tuple[Output, ...] = ()
    ctes: tuple[Cte, ...] = ()
    states: RowStates = field(default_factory=lambda: RowStates())


@node(frozen=True, slots=True)
class MergeBranchOf:
    """One ``when`` of a merge; ``action`` is ``"insert"``, ``"update"``, ``"delete"`` or ``"nothing"``."""

    match: str
    condition: Bound | None
    action: str
    assignments: tuple[Assign, ...] = ()


@node(frozen=True, slots=True)
class BoundMerge:
    """A merge of a source into a table."""

    relation: int
    table: TableDef
    source: Source
    on: Bound
    whens: tuple[MergeBranchOf, ...]
    returning: tuple[Bound, ...] = ()
    outputs: tuple[Output, ...] = ()
    ctes: tuple[Cte, ...] = ()
    states: RowStates = field(default_factory=lambda: RowStates())


BoundStatement = BoundQuery | BoundInsert | BoundUpdate | BoundDelete | BoundMerge
