"""Subqueries as values: ``(select …)``, ``exists``, ``in``, ``= any``, ``array(select …)``."""

from __future__ import annotations

from .. import tree
from ..bound import (
    Bound,
    BoundQuery,
    BoundSelect,
    ColumnVar,
    QuantifiedArray,
    QuantifiedQuery,
    QuerySource,
    RowOf,
    Subquery,
)
from ..errors import error
from ..scope import Scope
from ..types import BOOL, RECORD, STRING, array_of
from .operators import Operators, Place


class Subqueries(Operators):
    """The part of the binder that binds subqueries."""

    def in_query(self, node: tree.InQuery, scope: Scope, place: Place) -> Bound:
        """Bind ``x [not] in (select …)``."""
        return self._with_query(node.operand, "=", node.query, False, node.negated, node.at, scope, place)

    def _with_query(
        self,
        operand: tree.Expression,
        name: str,
        query: tree.Query,
        every: bool,
        negated: bool,
        at: int,
        scope: Scope,
        place: Place,
    ) -> Bound:
        left = self.bind(operand, scope, place)
        items = left.items if isinstance(left, RowOf) else (left,)
        bound = self._within(query, scope, place)
        if len(bound.outputs) != len(items):
            many = "too many" if len(bound.outputs) > len(items) else "too few"
            raise error("42601", f"subquery has {many} columns", at)
        pairs = list(zip(items, bound.outputs, strict=True))
        signatures = [self.find_operator(name, [item.type, output.type], at) for item, output in pairs]
        if any(s.result.name != "bool" for s in signatures):
            raise error("42804", "op ANY/ALL (subquery) requires operator to yield boolean", at)
        coerced = tuple(self.coerce(item, s.arguments[0]) for item, s in zip(items, signatures, strict=True))
        return QuantifiedQuery(BOOL, coerced, tuple(signatures), bound, every, negated, at=at)

    def quantified(self, node: tree.Quantified, scope: Scope, place: Place) -> Bound:
        """Bind a comparison with any or all of a query or an array."""
        right = node.right
        if isinstance(right, tree.ScalarQuery):
            right = right.query
        if isinstance(right, tree.Query):
            return self._with_query(node.left, node.name, right, node.every, False, node.at, scope, place)
        left, array = self.bind(node.left, scope, place), self.bind(right, scope, place)
        if array.type.category == "X":
            element = STRING if left.type.category == "X" else left.type.with_modifier()
            array = self.coerce(array, array_of(element))
        if array.type.category != "A" or array.type.element is None:
            raise error("42809", "op ANY/ALL (array) requires array on right side", node.at)
        signature = self.find_operator(node.name, [left.type, array.type.element], node.at)
        if signature.result.name != "bool":
            raise error("42804", "op ANY/ALL (array) requires operator to yield boolean", node.at)
        left = self.coerce(left, signature.arguments[0])
        array = self.coerce(array, array_of(signature.arguments[1]))
        return QuantifiedArray(BOOL, left, array, signature, node.every, at=node.at)

    def exists(self, node: tree.Exists, scope: Scope, place: Place) -> Bound:
        """Bind ``exists (select …)``."""
        return Subquery(BOOL, "exists", self._within(node.query, scope, place), at=node.at)

    def scalar_query(self, node: tree.ScalarQuery, scope: Scope, place: Place) -> Bound:
        """Bind a query as a value."""
        query = self._one_column(node.query, scope, place, node.at)
        return Subquery(query.outputs[0].type, "scalar", query, at=node.at)

    def row_of_query(self, node: tree.ScalarQuery, width: int, scope: Scope, place: Place) -> RowOf:
        """Bind a query as a row of so many columns; without a row of its own these are null."""
        bound = self._within(node.query, scope, place)
        if len(bound.outputs) != width:
            many = "too many" if len(bound.outputs) > width else "too few"
            raise error("42601", f"subquery has {many} columns", node.at)
        items = self.columns_of_query(bound, node.at)
        return RowOf(RECORD, items, tuple(f"f{i + 1}" for i in range(width)), at=node.at)

    def columns_of_query(self, query: BoundQuery, at: int) -> tuple[Bound, ...]:
        """Return the columns of a query that gives one row, each as a value."""
        found = []
        for i, output in enumerate(query.outputs):
            relation = self.state.new_relation()
            column = ColumnVar(output.type, relation, i, output.name)
            one = BoundQuery(BoundSelect((column,), (QuerySource(relation, query),)), (output,))
            found.append(Subquery(output.type, "scalar", one, at=at))
        return tuple(found)

    def array_query(self, node: tree.ArrayQuery, scope: Scope, place: Place) -> Bound:
        """Bind ``array(select …)``."""
        query = self._one_column(node.query, scope, place, node.at)
        found = query.outputs[0].type
        return Subquery(found if found.category == "A" else array_of(found), "array", query, at=node.at)

    def _within(self, query: tree.Query, scope: Scope, place: Place) -> BoundQuery:
        """Bind a query in an expression; aggregates of the rows around it are allowed if they are at its place."""
        before, scope.place = scope.place, place
        try:
            return self.query(query, scope)
        finally:
            scope.place = before

    def _one_column(self, query: tree.Query, scope: Scope, place: Place, at: int) -> BoundQuery:
        bound = self._within(query, scope, place)
        if len(bound.outputs) != 1:
            raise error("42601", "subquery must return only one column", at)
        return bound
