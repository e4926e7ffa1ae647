"""Queries: bodies with what comes before and after them, set operations, ``values``, common table expressions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...errors import SqlError
from .. import tree
from ..bound import (
    Bound,
    BoundQuery,
    BoundSelect,
    BoundStatement,
    BoundValues,
    CastTo,
    ColumnVar,
    Combination,
    Const,
    Cte,
    CteSource,
    JoinSource,
    Output,
    OutputVar,
    QuantifiedQuery,
    QuerySource,
    SortBy,
    Subquery,
)
from ..bound.walking import everything
from ..casts import IMPLICIT
from ..errors import error, unsupported
from ..resolve import common_type
from ..scope import Namespace, Scope
from ..tree.mapping import nodes_of
from ..types import INT8, SqlType
from .operators import Place
from .selects import Selects


class Queries(Selects):
    """The part of the binder that binds queries."""

    def change(
        self, node: tree.Insert | tree.Update | tree.Delete | tree.Merge, scope: Scope
    ) -> BoundStatement:
        """Bind a change of rows."""
        raise NotImplementedError

    def query(
        self, query: tree.Query, scope: Scope, *, keep_unknown: bool = False, apart: bool = False
    ) -> BoundQuery:
        """Bind a query; with ``keep_unknown`` quoted literals of its output wait for a type.

        With ``apart`` the values of ``values`` keep a type each: what they are inserted into says what they become.
        """
        inner = Scope(scope)
        ctes = self.ctes(query.with_, inner)
        body = query.body
        if isinstance(body, tree.Values) and not all(_is_plain(key.value) for key in query.order_by):
            body = _as_select(body)
        if isinstance(body, tree.Select):
            select, outputs = self.select(body, query.order_by, inner, keep_unknown=keep_unknown)
            found = BoundQuery(select, outputs, ctes)
        else:
            if isinstance(body, tree.Values):
                found = self._values(body, inner, keep_unknown=keep_unknown, apart=apart)
            else:
                found = self._combination(body, inner)
            found = replace(found, ctes=ctes, order_by=self._output_order(query.order_by, found))
        limit = self._count(query.limit, "LIMIT")
        offset = self._count(query.offset, "OFFSET")
        if query.with_ties and isinstance(limit, Const) and limit.value is None:
            raise error("2201W", "row count cannot be null in FETCH FIRST ... WITH TIES clause")
        found = replace(found, limit=limit, offset=offset, with_ties=query.with_ties)
        if query.locking:
            from .locking import check_locking

            check_locking(query, found)
        return found

    def _count(self, node: tree.Expression | None, clause: str) -> Bound | None:
        if node is None:
            return None
        try:
            value = self.bind(node, Scope(), Place(clause))
        except SqlError as failure:
            if failure.sqlstate == "42703":
                raise error("42P10", f"argument of {clause} must not contain variables", node.at) from None
            raise
        message = f"argument of {clause} must be type bigint, not type {{}}"
        return self.coerce(value, INT8, 1, message=message)

    def _output_order(self, keys: tuple[tree.SortKey, ...], found: BoundQuery) -> tuple[SortBy, ...]:
        """Return an order over output columns alone, by name or place."""
        if not keys:
            return ()
        values: list[Bound] = [OutputVar(output.type, i) for i, output in enumerate(found.outputs)]
        names = [output.name for output in found.outputs]
        scope = Scope(None, Namespace((), tuple(zip(names, values, strict=True))))
        order = []
        for key in keys:
            value = self._key("ORDER BY", key.value, values, names, scope, Place("ORDER BY"))
            if not isinstance(value, OutputVar):
                raise error(
                    "0A000",
                    "invalid UNION/INTERSECT/EXCEPT ORDER BY clause",
                    key.value.at,
                    detail="Only result column names can be used, not expressions or functions.",
                    hint="Add the expression/function to every SELECT, or move the UNION into a FROM clause.",
                )
            order.append(self.sort_key(key, value))
        return tuple(order)

    # Values and set operations.

    def _values(self, body: tree.Values, scope: Scope, *, keep_unknown: bool, apart: bool) -> BoundQuery:
        place = Place("VALUES")
        rows = [[self.bind(item, scope, place) for item in row] for row in body.rows]
        for column in range(0 if apart else len(rows[0])):
            values = [row[column] for row in rows]
            if keep_unknown and all(v.type.category == "X" for v in values):
                continue
            _, coerced = self.alike(values, "VALUES")
            for row, value in zip(rows, coerced, strict=True):
                row[column] = value
        outputs = tuple(Output(f"column{i + 1}", value.type) for i, value in enumerate(rows[0]))
        return BoundQuery(BoundValues(tuple(map(tuple, rows))), outputs)

    def _combination(self, body: tree.SetOperation, scope: Scope) -> BoundQuery:
        parts = [self.query(body.first, scope, keep_unknown=True)]
        for kind, _, query in body.rest:
            parts.append(self.query(query, scope, keep_unknown=True))
            if len(parts[-1].outputs) != len(parts[0].outputs):
                message = f"each {kind.upper()} query must have the same number of columns"
                raise error("42601", message, place_of(parts[-1], 0))
        types = self._common(parts, body)
        first, *others = (self.recast(part, types) for part in parts)
        rest = tuple((kind, keeps, q) for (kind, keeps, _), q in zip(body.rest, others, strict=True))
        outputs = tuple(
            Output(output.name, wanted) for output, wanted in zip(first.outputs, types, strict=True)
        )
        return BoundQuery(Combination(first, rest), outputs)

    def _common(self, parts: list[BoundQuery], body: tree.SetOperation) -> list[SqlType]:
        types = []
        for column in range(len(parts[0].outputs)):
            given = [part.outputs[column].type for part in parts]
            known = next((t for t in given if t.category != "X"), None)
            odd = next(
                (i for i, t in enumerate(given) if known and t.category not in ("X", known.category)), 0
            )
            kind = body.rest[odd - 1 if odd else 0][0].upper()
            types.append(common_type(given, kind, place_of(parts[odd], column)))
        return types

    def recast(self, query: BoundQuery, types: list[SqlType], level: int = IMPLICIT) -> BoundQuery:
        """Return a query whose output has other types."""
        if all(
            o.type.name == t.name and o.type.modifier == t.modifier
            for o, t in zip(query.outputs, types, strict=True)
        ):
            return query
        outputs = tuple(Output(o.name, t) for o, t in zip(query.outputs, types, strict=True))
        body = query.body
        if isinstance(body, BoundValues):
            rows = tuple(
                tuple(self._as_part(v, t, level) for v, t in zip(row, types, strict=True))
                for row in body.rows
            )
            return replace(query, body=BoundValues(rows), outputs=outputs)
        unknown = any(o.type.category == "X" for o in query.outputs)
        if isinstance(body, BoundSelect) and (unknown or body.distinct is None):
            targets = tuple(self._as_part(v, t, level) for v, t in zip(body.targets, types, strict=True))
            return replace(query, body=replace(body, targets=targets), outputs=outputs)
        relation = self.state.new_relation()
        columns = tuple(
            self._as_part(ColumnVar(o.type, relation, i, o.name), t, level)
            for i, (o, t) in enumerate(zip(query.outputs, types, strict=True))
        )
        return BoundQuery(BoundSelect(columns, (QuerySource(relation, query),)), outputs)

    def _as_part(self, value: Bound, wanted: SqlType, level: int) -> Bound:
        if value.type.name == wanted.name and not wanted.modifier:
            return value if not value.type.modifier else CastTo(wanted, value, at=value.at)
        message = f"UNION could not convert type {{}} to {wanted.title}"
        return self.coerce(value, wanted, level, message=message)

    # Common table expressions.

    def ctes(self, node: tree.With | None, scope: Scope) -> tuple[Cte, ...]:
        """Bind ``with`` into a scope."""
        if node is None:
            return ()
        found = []
        for table in node.tables:
            cte = self._cte(table, scope, recursive=node.recursive, top=node is self.state.top)
            scope.ctes[table.name] = cte
            found.append(cte)
        return tuple(found)

    def _cte(self, node: tree.CommonTable, scope: Scope, *, recursive: bool, top: bool) -> Cte:
        number = self.state.new_cte()
        statement = node.statement
        if not isinstance(statement, tree.Query):
            if not top:
                message = "WITH clause containing a data-modifying statement must be at the top level"
                raise error("0A000", message, node.at)
            bound = self.change(statement, scope)
            return Cte(number, node.name, bound, self._titles(node, bound.outputs), materialized=True)
        if recursive and _mentions(statement, node.name):
            return self._recursive(node, statement, number, scope)
        query = self.query(statement, scope)
        return Cte(
            number, node.name, query, self._titles(node, query.outputs), materialized=node.materialized
        )

    @staticmethod
    def _titles(node: tree.CommonTable, outputs: tuple[Output, ...]) -> tuple[Output, ...]:
        if len(node.columns) > len(outputs):
            message = f'table "{node.name}" has {len(outputs)} columns available but {len(node.columns)} columns specified'
            raise error("42P10", message, node.at)
        names = [*node.columns, *(o.name for o in outputs[len(node.columns) :])]
        return tuple(Output(name, output.type) for name, output in zip(names, outputs, strict=True))

    def _recursive(self, node: tree.CommonTable, statement: tree.Query, number: int, scope: Scope) -> Cte:
        body = statement.body
        if (
            not isinstance(body, tree.SetOperation)
            or body.rest[-1][0] != "union"
            or _mentions(body.first, node.name)
            or any(_mentions(query, node.name) for _, _, query in body.rest[:-1])
        ):
            message = f'recursive query "{node.name}" does not have the form non-recursive-term UNION [ALL] recursive-term'
            raise error("42P19", message, node.at)
        if statement.order_by or statement.limit or statement.offset:
            raise unsupported("ORDER BY or LIMIT in a recursive query", node.at)
        inner = Scope(scope)
        self.ctes(statement.with_, inner)
        if statement.with_ is not None:
            raise unsupported("WITH inside a recursive query", node.at)
        first: tree.Query = body.first
        if len(body.rest) > 1:
            first = tree.Query(tree.SetOperation(body.first, body.rest[:-1], at=body.at), at=body.at)
        start = self.query(first, inner)
        outputs = self._titles(node, start.outputs)
        _, keeps_duplicates, step = body.rest[-1]
        inner.ctes[node.name] = (number, outputs)
        query = self.query(step, inner, keep_unknown=True)
        if len(query.outputs) != len(outputs):
            raise error("42601", "each UNION query must have the same number of columns", place_of(query, 0))
        for i, (one, other) in enumerate(zip(start.outputs, query.outputs, strict=True)):
            overall = common_type([one.type, other.type], "UNION", place_of(query, i))
            if overall.name != one.type.name:
                message = (
                    f'recursive query "{node.name}" column {i + 1} has type {one.type.title} in '
                    f"non-recursive term but type {overall.title} overall"
                )
                raise error("42804", message, place_of(start, i))
        _check_step(query, number, node)
        query = self.recast(query, [o.type for o in start.outputs])
        return Cte(number, node.name, query, outputs, start, keeps_duplicates, True)


def _check_step(query: BoundQuery, number: int, node: tree.CommonTable) -> None:
    """Refuse a recursive term in which the rows of the last round do not stand plainly among its sources (42P19)."""
    body = query.body
    if not isinstance(body, BoundSelect):
        return
    if body.aggregates:
        message = "aggregate functions are not allowed in a recursive query's recursive term"
        raise error("42P19", message, node.at)
    plain = 0
    stack = [(source, True) for source in body.sources]
    while stack:
        source, is_kept = stack.pop()
        if isinstance(source, JoinSource):
            stack.append((source.left, is_kept and source.kind not in ("right", "full")))
            stack.append((source.right, is_kept and source.kind not in ("left", "full")))
        elif isinstance(source, CteSource) and source.cte == number:
            plain += 1
            if not is_kept:
                message = f'recursive reference to query "{node.name}" must not appear within an outer join'
                raise error("42P19", message, node.at)
    for value in everything(query):
        if isinstance(value, (Subquery, QuantifiedQuery)) and any(
            isinstance(n, CteSource) and n.cte == number for n in everything(value.query)
        ):
            message = f'recursive reference to query "{node.name}" must not appear within a subquery'
            raise error("42P19", message, node.at)
    if plain > 1:
        raise error(
            "42P19", f'recursive reference to query "{node.name}" must not appear more than once', node.at
        )


def _is_plain(node: tree.Expression) -> bool:
    """Return whether a key of an order names an output column, or says its place."""
    return isinstance(node, tree.Literal) or (isinstance(node, tree.ColumnRef) and len(node.parts) == 1)


def _as_select(body: tree.Values) -> tree.Select:
    """Return rows of values as a query of them, whose order may be of any expressions."""
    rows = tree.QueryRef(tree.Query(body, at=body.at), tree.Alias("*VALUES*"), at=body.at)
    return tree.Select((tree.Target(tree.Star(at=body.at), at=body.at),), sources=(rows,), at=body.at)


def place_of(query: BoundQuery, column: int) -> int | None:
    """Return where an output column of a query is written, if it is."""
    body = query.body
    written: tuple[Bound, ...] = ()
    if isinstance(body, BoundSelect):
        written = body.targets
    elif isinstance(body, BoundValues):
        written = body.rows[0]
    return written[column].at if column < len(written) else None


def _mentions(node: Any, name: str) -> bool:
    """Return whether a tree reads a table by a name alone."""
    return any(isinstance(found, tree.TableRef) and found.parts == (name,) for found in nodes_of(node))
