"""The planner: a bound statement as a plan.

    select:  sources and where ▶ groups ▶ having ▶ windows ▶ functions that give rows ▶ order, limit ▶ targets
             joining.py          group.py           window.py  series.py               sort.py       basic.py
             tables.py  which index reads a table
             subplans.py  subqueries as values

A planner plans one statement: the numbers of relations mean something in it alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from ...engine.reader import Reader
from ..bound import (
    Bound,
    BoundQuery,
    BoundSelect,
    BoundValues,
    ColumnVar,
    Combination,
    Const,
    Cte,
    CteSource,
    FunctionSource,
    Logic,
    Output,
    OutputVar,
    QuantifiedQuery,
    QuerySource,
    SortBy,
    Source,
    Subquery,
    TableSource,
    VirtualSource,
)
from ..bound.walking import everything
from ..errors import unsupported
from ..execute.expressions import Evaluator, Expressions, Layout
from ..types import BOOL, SqlType
from . import subplans
from .basic import Append, Extend, Filter, Limit, Project, Relabel, ValueRows
from .conditions import (
    columns_in,
    gives_rows,
    has_subquery,
    is_volatile,
    selectivity,
)
from .ctes import CteScan, Recursive, WorkTable
from .joining import Joiner
from .node import Node
from .series import FunctionScan, ProjectSet
from .show import show, show_key
from .sort import Distinct, SetOperation, Sort
from .statistics import ColumnStatistics, TableStatistics, table_statistics
from .tables import Wanted


class Planner:
    """Plans one statement.

    Parameters
    ----------
    reader : Reader or None
        What the statement reads: how large tables are. None for what reads no table.
    statement : object
        The whole bound statement: which columns it reads, how often its common table expressions are named.

    Attributes
    ----------
    sizes : dict of int to float
        By table, how many rows it had when the plan was made.
    subplans : list of Node
        Plans of subqueries that are values.
    changes : list of Node
        Plans of changes in ``with``, in their order: all of them have to run.
    """

    def __init__(self, reader: Reader | None, statement: Any) -> None:
        self.reader = reader
        self.sizes: dict[int, float] = {}
        self.column_statistics: dict[tuple[int, int], ColumnStatistics] = {}
        self.subplans: list[Node] = []
        self.changes: list[Node] = []
        self._tables: dict[int, TableSource] = {}
        self._statistics: dict[int, TableStatistics] = {}
        self._aliases: dict[tuple[int, int], Bound] = {}
        self._around: list[frozenset[tuple[int, int]]] = []
        self._used: dict[int, set[int]] = {}
        self._named: dict[int, int] = {}
        self._ctes: dict[int, tuple[Cte, Node | None]] = {}
        for node in everything(statement):
            if isinstance(node, ColumnVar):
                self._used.setdefault(node.relation, set()).add(node.column)
            elif isinstance(node, CteSource):
                self._named[node.cte] = self._named.get(node.cte, 0) + 1

    # Queries.

    def query(self, query: BoundQuery) -> Node:
        """Return the plan of a query; its columns are the query's output."""
        for cte in query.ctes:
            self.define(cte)
        body = query.body
        limit, offset, free, rows = self._limits(query)
        if isinstance(body, BoundSelect):
            node = self._select(body, limit, offset, rows, query.with_ties)
        elif isinstance(body, BoundValues):
            node = ValueRows(self, body, query.outputs)
        elif isinstance(body, Combination):
            node = self._combination(body, query.outputs)
        else:
            node = self.query(body)
        ties: tuple[int, ...] = ()
        if query.order_by and not isinstance(body, BoundSelect):
            node, ties = self._sorted(node, query.order_by, *self._top(limit, offset, query.with_ties), free)
        if limit is not None or offset is not None:
            if query.with_ties and isinstance(body, BoundSelect):
                node, ties = self._ties(node, body)
            node = Limit(node, limit, offset, free, rows, ties if query.with_ties else ())
            if len(node.types) > len(query.outputs):
                node = self._narrow(node, query.outputs)
        return node

    def _limits(
        self, query: BoundQuery
    ) -> tuple[Evaluator | None, Evaluator | None, frozenset[tuple[int, int]], float]:
        expressions = Expressions({}, self)
        limit = None if query.limit is None else expressions.compile(query.limit)
        offset = None if query.offset is None else expressions.compile(query.offset)
        rows = 0.0
        for part, unknown in ((query.limit, 100.0), (query.offset, 0.0)):
            if isinstance(part, Const):
                rows += unknown if part.value is None else float(part.value)
            elif part is not None:
                rows += unknown
        rows = rows if query.limit is not None else float("inf")
        return limit, offset, frozenset(expressions.free), rows

    @staticmethod
    def _top(
        limit: Evaluator | None, offset: Evaluator | None, with_ties: bool
    ) -> tuple[Evaluator | None, Evaluator | None]:
        return (None, None) if with_ties else (limit, offset)

    def _ties(self, node: Node, body: BoundSelect) -> tuple[Node, tuple[int, ...]]:
        """Return the plan of a select whose order is needed once more, to find the rows that are equal to the last."""
        return node, tuple(node.layout[key.value] for key in body.order_by)

    def _narrow(self, node: Node, outputs: Sequence[Output]) -> Node:
        targets = [OutputVar(o.type, i) for i, o in enumerate(outputs)]
        expressions = Expressions(node.layout, self)
        return Project(node, targets, expressions.compile_all(targets), frozenset())

    def _combination(self, body: Combination, outputs: Sequence[Output]) -> Node:
        types = [o.type for o in outputs]
        found = self.query(body.first)
        parts: list[Node] = []  # what is appended to the first so far: thousands are put together at once
        is_distinct = False  # whether what is put together so far has each row once
        for kind, keeps_duplicates, query in body.rest:
            other = self.query(query)
            if kind == "union" and not keeps_duplicates:
                parts.append(other)
                is_distinct = True
                continue
            if is_distinct or kind != "union":
                found = _appended(found, parts, types)
                found, parts, is_distinct = Distinct(found) if is_distinct else found, [], False
            if kind == "union":
                parts.append(other)
            else:
                found = SetOperation(kind, keeps_duplicates, found, other, types)
        found = _appended(found, parts, types)
        return Distinct(found) if is_distinct else found

    # Selects.

    def _select(
        self,
        select: BoundSelect,
        limit: Evaluator | None,
        offset: Evaluator | None,
        rows: float,
        with_ties: bool,
    ) -> Node:
        plain = not (
            select.is_grouped or select.windows or select.row_functions or select.distinct is not None
        )
        wanted = None
        if plain and select.order_by:
            wanted = Wanted(select.order_by, None if with_ties else limit, offset, rows)
        node, ordered = Joiner(self).plan(select.sources, select.where, wanted)
        if select.is_grouped:
            from .group import Group

            node = Group(self, node, select)
            if select.having is not None:
                node = self.filtered(node, [select.having])
        if select.windows:
            from .window import Window

            node = Window(self, node, select.windows)
        if select.row_functions:
            node = ProjectSet(self, node, select.row_functions)
        limits = self._top(limit, offset, with_ties)
        if select.distinct == ():
            node = Distinct(self._project(node, select.targets))
            if select.order_by:
                node, _ = self._sorted(node, select.order_by, *limits, frozenset())
            return node
        if select.distinct is not None:
            node = self._extended(node, select.distinct)
            if select.order_by:
                node, _ = self._sorted(node, select.order_by, None, None, frozenset())
            node = Distinct(node, [node.layout[key] for key in select.distinct])
        elif select.order_by and (not ordered or with_ties or wanted is None or not self._is_in_order(node)):
            node, _ = self._sorted(node, select.order_by, *limits, frozenset())
        more = [key.value for key in select.order_by] if with_ties else []
        return self._project(node, [*select.targets, *more])

    @staticmethod
    def _is_in_order(node: Node) -> bool:
        """Return whether a plan gives its rows in the order that was wanted exactly: a range of an index does, a search does not."""
        from .scan import IndexScan

        while node.below:
            node = node.below[0]
        return isinstance(node, IndexScan)

    def _project(self, node: Node, targets: Sequence[Bound]) -> Node:
        expressions = Expressions(node.layout, self)
        evaluators = expressions.compile_all(targets)
        return Project(node, targets, evaluators, frozenset(expressions.free))

    def _extended(self, node: Node, values: Sequence[Bound]) -> Node:
        """Return a plan whose layout has some values."""
        missing = [v for v in dict.fromkeys(values) if v not in node.layout]
        if not missing:
            return node
        expressions = Expressions(node.layout, self)
        return Extend(node, missing, expressions.compile_all(missing), frozenset(expressions.free))

    def _sorted(
        self,
        node: Node,
        order_by: Sequence[SortBy],
        limit: Evaluator | None,
        offset: Evaluator | None,
        free: frozenset[tuple[int, int]],
    ) -> tuple[Node, tuple[int, ...]]:
        node = self._extended(node, [key.value for key in order_by])
        keys = [(node.layout[key.value], key.descending, key.nulls_first) for key in order_by]
        text = ", ".join(show_key(key) for key in order_by)
        return Sort(node, keys, limit, offset, free, text), tuple(place for place, _, _ in keys)

    # Sources.

    def source(self, source: Source) -> Node:
        """Return the plan of what stands in ``from``, other than a table or a join."""
        if isinstance(source, QuerySource):
            query = self.pruned(source.relation, source.query)
            return self.relabelled(source.relation, self.query(query), source.query.outputs)
        if isinstance(source, FunctionSource):
            return FunctionScan(self, source)
        if isinstance(source, CteSource):
            return self._cte(source)
        if isinstance(source, VirtualSource):
            from .virtual import VirtualScan

            return VirtualScan(source)
        found = getattr(source, "plan", None)  # what other modules bring
        if found is None:
            raise unsupported(f"a {type(source).__name__}")
        made: Node = found(self)
        return made

    def pruned(self, relation: int, query: BoundQuery) -> BoundQuery:
        """Return a subquery that computes only those columns that the statement reads; null stands for the others."""
        body = query.body
        used = self._used.get(relation, set())
        if not isinstance(body, BoundSelect) or body.distinct is not None:
            return query
        targets = tuple(
            target if i in used or is_volatile(target) or gives_rows(target) else Const(target.type, None)
            for i, target in enumerate(body.targets)
        )
        return query if targets == body.targets else replace(query, body=replace(body, targets=targets))

    @staticmethod
    def relabelled(relation: int, node: Node, outputs: Sequence[Output]) -> Node:
        """Return the plan of a query under the names that stand for its columns around it."""
        layout: dict[Bound, int] = {ColumnVar(o.type, relation, i, o.name): i for i, o in enumerate(outputs)}
        return Relabel(node, layout)

    def opened(self, source: QuerySource, *, columns_only: bool = False) -> BoundSelect | None:
        """Return the select of a subquery that only picks and computes, after noting what its columns stand for.

        Parameters
        ----------
        columns_only : bool
            Open it only if all of its columns that are read are columns of its own sources.
        """
        query = source.query
        body = query.body
        if (
            not isinstance(body, BoundSelect)
            or query.ctes
            or query.limit is not None
            or query.offset is not None
            or query.order_by  # array_agg and its like around it take the rows in this order
            or body.order_by
        ):
            return None
        if body.is_grouped or body.windows or body.row_functions or body.distinct is not None:
            return None
        if any(has_subquery(t) or is_volatile(t) for t in body.targets):
            return None
        if columns_only:
            own = self.relations_within(body.sources)
            read = [body.targets[i] for i in self._used.get(source.relation, ())]
            if not all(isinstance(t, ColumnVar) and t.relation in own for t in read):
                return None
        for i, target in enumerate(body.targets):
            self._aliases[source.relation, i] = target
        return body

    # Common table expressions.

    def define(self, cte: Cte) -> None:
        """Make a common table expression known by its number."""
        if not isinstance(cte.query, BoundQuery):
            from ..change import ChangeRows

            node: Node = ChangeRows(cte.query, self)
            self._ctes[cte.number] = cte, node
            self.changes.append(node)
            return
        if cte.start is not None:
            self._ctes[cte.number] = cte, None
            start = self.query(cte.start)
            step = self.query(cte.query)
            self._ctes[cte.number] = cte, Recursive(cte, start, step)
            return
        once = self._named.get(cte.number, 0) <= 1 and not is_volatile(cte.query)
        inline = not cte.materialized if cte.materialized is not None else once
        self._ctes[cte.number] = cte, None if inline else self.query(cte.query)

    def _cte(self, source: CteSource) -> Node:
        cte, node = self._ctes[source.cte]
        if node is None and cte.start is not None:
            return WorkTable(source)
        if node is None:
            assert isinstance(cte.query, BoundQuery)
            return self.relabelled(
                source.relation, self.query(self.pruned(source.relation, cte.query)), source.outputs
            )
        inside = sum(isinstance(n, CteSource) and n.cte == cte.number for n in everything(cte.query))
        return CteScan(source, cte.name, node, once=self._named.get(cte.number, 0) - inside == 1)

    # Subqueries.

    def subquery(self, expressions: Expressions, node: Subquery) -> Evaluator:
        """Return the function that computes a subquery's value."""
        return subplans.subquery(self, expressions, node)

    def quantified(self, expressions: Expressions, node: QuantifiedQuery) -> Evaluator:
        """Return the function that compares with a subquery's rows."""
        return subplans.quantified(self, expressions, node)

    @property
    def nesting(self) -> int:
        """How many subqueries are being planned around what is planned now."""
        return len(self._around)

    @contextmanager
    def around(self, layout: Layout) -> Iterator[None]:
        """In the block, plan what stands inside a query whose rows have this layout."""
        known = frozenset((v.relation, v.column) for v in layout if isinstance(v, ColumnVar))
        self._around.append(known)
        try:
            yield
        finally:
            self._around.pop()

    @contextmanager
    def standing_for(self, values: dict[tuple[int, int], Bound]) -> Iterator[None]:
        """In the block, let columns stand for values."""
        before = self._aliases
        self._aliases = {**before, **values}
        try:
            yield
        finally:
            opened = {key: value for key, value in self._aliases.items() if key not in values}
            self._aliases = {**before, **opened}

    def alias(self, key: tuple[int, int]) -> Bound | None:
        """Return what a column of an opened subquery stands for; None if the rows around have it as it is."""
        found = self._aliases.get(key)
        if found is None or any(key in known for known in self._around):
            return None
        return found

    # What the parts of the planner ask.

    def resolved(self, node: Bound) -> Bound:
        """Return a value, or what it stands for if it is a column of an opened subquery."""
        while isinstance(node, ColumnVar) and (node.relation, node.column) in self._aliases:
            node = self._aliases[node.relation, node.column]
        return node

    def relations_of(self, node: Any) -> frozenset[int]:
        """Return the relations that a node reads, those behind opened subqueries in their place."""
        return frozenset([relation for relation, _ in self.columns_behind(node)])

    def columns_behind(self, node: Any) -> set[tuple[int, int]]:
        """Return the columns that a node reads, those behind opened subqueries in their place."""
        found: set[tuple[int, int]] = set()
        stack = list(columns_in(node))
        while stack:
            key = stack.pop()
            opened = self._aliases.get(key)
            if opened is None:
                found.add(key)
            else:
                stack.extend(columns_in(opened))
        return found

    def relations_within(self, sources: Sequence[Source]) -> frozenset[int]:
        """Return the relations that some sources give or hold."""
        found = set()
        for node in everything(list(sources)):
            if isinstance(node, Source) and node.relation >= 0:
                found.add(node.relation)
        return frozenset(found)

    def also_read(self, relation: int, others: Sequence[int]) -> None:
        """Note that of a table is read, too, what is read of relations that stand for its rows in another state."""
        for other in others:
            self._used.setdefault(relation, set()).update(self._used.get(other, ()))

    def columns_of(self, source: TableSource) -> list[int]:
        """Return the places of the columns of a table that the statement reads."""
        return sorted(self._used.get(source.relation, ()))

    def table_statistics(self, source: TableSource) -> TableStatistics:
        """Return what is known of a table."""
        self._tables[source.relation] = source
        known = self._statistics.get(source.relation)
        if known is None:
            known = table_statistics(self.reader, source.table)
            self._statistics[source.relation] = known
            self.sizes[source.table.id] = known.rows
            self._note_columns(source, known)
        return known

    def _note_columns(self, source: TableSource, known: TableStatistics) -> None:
        for place, column in known.columns.items():
            self.column_statistics[source.relation, place] = column
        unique = {
            str(index.keys[0][1])
            for index in source.table.indexes
            if index.unique
            and len(index.keys) == 1
            and isinstance(index.keys[0], list)
            and index.keys[0][0] == "col"
        }
        for place, column_def in enumerate(source.table.columns):
            if column_def.name in unique:
                key = source.relation, place
                self.column_statistics.setdefault(key, ColumnStatistics(max(known.rows, 1.0)))

    def distinct(self, value: Bound) -> float | None:
        """Return how many different values an expression is expected to have, None if nothing is known."""
        value = self.resolved(value)
        if isinstance(value, ColumnVar):
            known = self.column_statistics.get((value.relation, value.column))
            return None if known is None else known.distinct
        return None

    def all_of(self, conditions: Sequence[Bound]) -> Bound:
        """Return conditions as one."""
        return conditions[0] if len(conditions) == 1 else Logic(BOOL, "and", tuple(conditions))

    def all_or_none(self, conditions: Sequence[Bound]) -> Bound | None:
        """Return conditions as one, None if there are none."""
        return self.all_of(conditions) if conditions else None

    def shown(self, values: Sequence[Bound]) -> str:
        """Return values as text for ``explain``."""
        return " AND ".join(show(v) for v in values)

    def filtered(self, node: Node, conditions: Sequence[Bound]) -> Node:
        """Return the rows of a plan for which conditions are true."""
        expressions = Expressions(node.layout, self)
        condition = expressions.compile(self.all_of(conditions))
        share = 1.0
        for one in conditions:
            share *= selectivity(one, self.column_statistics)
        return Filter(node, condition, frozenset(expressions.free), share, self.shown(conditions))


def _appended(first: Node, rest: Sequence[Node], types: Sequence[SqlType]) -> Node:
    """Return the rows of a plan and those of others behind them."""
    if not rest:
        return first
    before = first.below if isinstance(first, Append) else (first,)
    return Append((*before, *rest), types)
