"""The tree of queries and of changes of rows."""

from __future__ import annotations

from ..nodes import node
from .expressions import Call, Expression, Node, SortKey, TypeName, Window


@node(frozen=True, slots=True)
class Target(Node):
    """One output column: its value and the name it was given."""

    value: Expression
    alias: str | None = None


@node(frozen=True, slots=True)
class Alias(Node):
    """``as t (a, b)``; ``types`` only of a function that returns records."""

    name: str
    columns: tuple[str, ...] = ()
    types: tuple[TypeName, ...] = ()


@node(frozen=True, slots=True)
class FromItem(Node):
    """Anything that a query can read from."""


@node(frozen=True, slots=True)
class TableRef(FromItem):
    """A table, view or common table expression by name; ``as_of`` reads it at a time in the past."""

    parts: tuple[str, ...]
    alias: Alias | None = None
    as_of: Expression | None = None


@node(frozen=True, slots=True)
class QueryRef(FromItem):
    """A subquery."""

    query: Query
    alias: Alias | None = None
    lateral: bool = False


@node(frozen=True, slots=True)
class FunctionRef(FromItem):
    """Functions that give rows, side by side (``rows from``) if there are several."""

    calls: tuple[Call, ...]
    alias: Alias | None = None
    lateral: bool = False
    ordinality: bool = False


@node(frozen=True, slots=True)
class Join(FromItem):
    """A join; ``kind`` is ``"cross"``, ``"inner"``, ``"left"``, ``"right"`` or ``"full"``.

    The alias is that of the columns of ``using``, or with ``is_whole`` of all, behind parentheses.
    """

    kind: str
    left: FromItem
    right: FromItem
    on: Expression | None = None
    using: tuple[str, ...] | None = None
    natural: bool = False
    alias: Alias | None = None
    is_whole: bool = False


@node(frozen=True, slots=True)
class PathElement(Node):
    """A vertex ``(a is Person where …)`` or an edge ``-[e]->``; ``direction`` is ``""``, ``"right"``, ``"left"`` or ``"any"``."""

    variable: str | None
    labels: tuple[str, ...] = ()
    where: Expression | None = None
    direction: str = ""
    least: int = 1
    most: int | None = 1


@node(frozen=True, slots=True)
class GraphTable(FromItem):
    """``graph_table (g match (a)-[e]->(b) where … columns (…))``."""

    graph: tuple[str, ...]
    paths: tuple[tuple[PathElement, ...], ...]
    where: Expression | None
    columns: tuple[Target, ...]
    alias: Alias | None = None


@node(frozen=True, slots=True)
class GroupItem(Node):
    """``a``, ``()``, ``rollup (…)``, ``cube (…)`` or ``grouping sets (…)``; ``kind`` is ``"plain"``, ``"rollup"``, ``"cube"``, ``"sets"``.

    Items of a rollup or cube are tuples of expressions, those of sets are further group items.
    """

    kind: str
    columns: tuple[Expression, ...] = ()
    groups: tuple[tuple[Expression, ...], ...] = ()
    sets: tuple[GroupItem, ...] = ()


@node(frozen=True, slots=True)
class Select(Node):
    """One ``select``; ``distinct`` is None, () or the expressions of ``distinct on``."""

    targets: tuple[Target, ...]
    distinct: tuple[Expression, ...] | None = None
    sources: tuple[FromItem, ...] = ()
    where: Expression | None = None
    group_by: tuple[GroupItem, ...] = ()
    group_distinct: bool = False
    having: Expression | None = None
    windows: tuple[tuple[str, Window], ...] = ()


@node(frozen=True, slots=True)
class Values(Node):
    """``values (1, 2), (3, 4)``."""

    rows: tuple[tuple[Expression, ...], ...]


@node(frozen=True, slots=True)
class SetOperation(Node):
    """``first union b except c …``: a list of (``"union"`` | ``"intersect"`` | ``"except"``, keeps duplicates, query), done in order."""

    first: Query
    rest: tuple[tuple[str, bool, Query], ...]


@node(frozen=True, slots=True)
class CommonTable(Node):
    """``name (columns) as [not materialized] (statement)``."""

    name: str
    columns: tuple[str, ...]
    statement: Query | Insert | Update | Delete | Merge
    materialized: bool | None = None


@node(frozen=True, slots=True)
class With(Node):
    """``with [recursive] …``."""

    tables: tuple[CommonTable, ...]
    recursive: bool = False


@node(frozen=True, slots=True)
class Locking(Node):
    """``for update [of t] [skip locked]`` and its kin; without tables it means all."""

    strength: str
    tables: tuple[TableRef, ...] = ()
    skips: bool = False


@node(frozen=True, slots=True)
class Query(Node):
    """A query: a body with what comes before and after it."""

    body: Select | Values | SetOperation
    with_: With | None = None
    order_by: tuple[SortKey, ...] = ()
    limit: Expression | None = None
    offset: Expression | None = None
    with_ties: bool = False
    locking: tuple[Locking, ...] = ()


@node(frozen=True, slots=True)
class Assignment(Node):
    """``a = value`` or, with several columns, ``(a, b) = row``; ``is_row`` if there is but one, in parentheses.

    Of ``a[1] = value`` also the ``part``.
    """

    columns: tuple[str, ...]
    value: Expression
    is_row: bool = False
    part: Expression | None = None


@node(frozen=True, slots=True)
class Conflict(Node):
    """``on conflict …``: which key, by expressions or a constraint's name, and what to do; nothing without assignments."""

    target: tuple[Expression, ...] = ()
    target_where: Expression | None = None
    constraint: str | None = None
    assignments: tuple[Assignment, ...] | None = None
    where: Expression | None = None


OLD_NEW = "old", "new"
"""What ``returning`` calls a row as it was before and as it is after a change, unless it says ``with (old as o, new as n)``."""


@node(frozen=True, slots=True)
class Insert(Node):
    """``insert into``; a source of None is ``default values``."""

    table: TableRef
    columns: tuple[str, ...]
    source: Query | None
    overriding: str | None = None
    conflict: Conflict | None = None
    returning: tuple[Target, ...] = ()
    with_: With | None = None
    row_names: tuple[str, str] = OLD_NEW


@node(frozen=True, slots=True)
class Update(Node):
    """``update``."""

    table: TableRef
    assignments: tuple[Assignment, ...]
    sources: tuple[FromItem, ...] = ()
    where: Expression | None = None
    returning: tuple[Target, ...] = ()
    with_: With | None = None
    row_names: tuple[str, str] = OLD_NEW


@node(frozen=True, slots=True)
class Delete(Node):
    """``delete from``."""

    table: TableRef
    sources: tuple[FromItem, ...] = ()
    where: Expression | None = None
    returning: tuple[Target, ...] = ()
    with_: With | None = None
    row_names: tuple[str, str] = OLD_NEW


@node(frozen=True, slots=True)
class MergeWhen(Node):
    """``when [not] matched [by source | by target] [and …] then …``; ``match`` is ``"matched"``, ``"source"`` or ``"target"``."""

    match: str
    condition: Expression | None
    action: str
    columns: tuple[str, ...] = ()
    values: tuple[Expression, ...] | None = None
    assignments: tuple[Assignment, ...] = ()
    overriding: str | None = None


@node(frozen=True, slots=True)
class Merge(Node):
    """``merge into … using … on …``."""

    table: TableRef
    source: FromItem
    on: Expression
    whens: tuple[MergeWhen, ...]
    returning: tuple[Target, ...] = ()
    with_: With | None = None
    row_names: tuple[str, str] = OLD_NEW
