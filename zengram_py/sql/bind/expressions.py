"""Expressions: each kind of node to its bound value.

The left side of operators is walked in a loop, as the parser made it in one; everything else goes as deep as the text is nested, and
that the parser has bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from .. import tree
from ..bound import (
    ArrayOf,
    Bound,
    Chain,
    Choice,
    ColumnVar,
    Const,
    DistinctTest,
    Element,
    FieldOf,
    Invocation,
    Logic,
    Membership,
    Negation,
    Replaced,
    RowOf,
    Test,
)
from ..casts import ASSIGNMENT, EXPLICIT
from ..errors import error
from ..literals import MAX_ARRAY_DIMENSIONS
from ..resolve import common_type
from ..scope import Scope
from ..signatures import Signature
from ..types import BOOL, INT4, RECORD, STRING, SqlType, array_of, record_of
from .collations import check_collation
from .operators import Place
from .subqueries import Subqueries


class Expressions(Subqueries):
    """The part of the binder that binds expressions."""

    def call(self, node: tree.Call, scope: Scope, place: Place) -> Bound:
        """Bind a call."""
        raise NotImplementedError

    def bind(self, node: tree.Expression, scope: Scope, place: Place) -> Bound:
        """Return the bound value of an expression."""
        return _BINDERS[type(node)](self, node, scope, place)

    # Operators.

    def _operator(self, node: tree.Operator, scope: Scope, place: Place) -> Bound:
        if node.left is None:
            return self.operate(node.name, [self.bind(node.right, scope, place)], node.at)
        spine: list[tree.Operator] = []
        lowest: tree.Expression = node
        while isinstance(lowest, tree.Operator) and lowest.left is not None:
            spine.append(lowest)
            lowest = lowest.left
        steps = [(step.name, step.right, step.at) for step in reversed(spine)]
        return self._steps(self.bind(lowest, scope, place), steps, scope, place)

    def _operator_chain(self, node: tree.OperatorChain, scope: Scope, place: Place) -> Bound:
        return self._steps(self.bind(node.first, scope, place), node.steps, scope, place, chain=True)

    def _steps(
        self,
        found: Bound,
        steps: Sequence[tuple[str, tree.Expression, int]],
        scope: Scope,
        place: Place,
        *,
        chain: bool = False,
    ) -> Bound:
        """Return a value after operators one by one; with ``chain`` as one node, if their types let them be one."""
        made: list[tuple[Signature, Bound]] = []
        first = found
        for name, operand, at in steps:
            if isinstance(found, RowOf) and isinstance(operand, tree.ScalarQuery):
                right: Bound = self.row_of_query(operand, len(found.items), scope, place)
            else:
                right = self.bind(operand, scope, place)
            before = found
            found = self._combined(name, found, right, at)
            if not chain:
                continue
            if not isinstance(found, Invocation):  # a comparison of rows, which only the first operand can be
                first = found
                continue
            # what stands for all so far, so that no step holds the one before
            left, second = found.arguments
            if left is not before:
                first, made = _chain(first, made, before.at), []
                first = self.coerce(first, found.signature.arguments[0])
            made.append((found.signature, second))
            found = ColumnVar(found.type, -1, 0, "", at=at)
        return _chain(first, made, found.at) if chain else found

    def _combined(self, name: str, left: Bound, right: Bound, at: int) -> Bound:
        if isinstance(left, RowOf) and isinstance(right, RowOf):
            return self.compare_rows(name, left, right, at)
        return self.operate(name, [left, right], at)

    # Logic and tests.

    def _logical(self, node: tree.Logical, scope: Scope, place: Place) -> Bound:
        what = node.name.upper()
        operands = tuple(self.boolean(self.bind(o, scope, place), what) for o in node.operands)
        return Logic(BOOL, node.name, operands, at=node.at)

    def _not(self, node: tree.Not, scope: Scope, place: Place) -> Bound:
        return Negation(BOOL, self.boolean(self.bind(node.operand, scope, place), "NOT"), at=node.at)

    def _is_test(self, node: tree.IsTest, scope: Scope, place: Place) -> Bound:
        operand = self.bind(node.operand, scope, place)
        if node.test == "null":
            operand = self.settled(operand)
        else:
            operand = self.boolean(operand, f"IS {'NOT ' * node.negated}{node.test.upper()}")
        return Test(BOOL, operand, node.test, node.negated, at=node.at)

    def _is_distinct(self, node: tree.IsDistinct, scope: Scope, place: Place) -> Bound:
        left, right = self.bind(node.left, scope, place), self.bind(node.right, scope, place)
        same = self.operate("=", [left, right], node.at)
        assert isinstance(same, Invocation)
        first, second = same.arguments
        return DistinctTest(BOOL, first, second, same.signature, node.negated, at=node.at)

    def _between(self, node: tree.Between, scope: Scope, place: Place) -> Bound:
        operand = self.bind(node.operand, scope, place)
        low, high = self.bind(node.low, scope, place), self.bind(node.high, scope, place)

        def within(one: Bound, other: Bound) -> Bound:
            parts = (
                self.operate(">=", [operand, one], node.at),
                self.operate("<=", [operand, other], node.at),
            )
            return Logic(BOOL, "and", parts, at=node.at)

        found = within(low, high)
        if node.symmetric:
            found = Logic(BOOL, "or", (found, within(high, low)), at=node.at)
        return Negation(BOOL, found, at=node.at) if node.negated else found

    def _in_list(self, node: tree.InList, scope: Scope, place: Place) -> Bound:
        operand = self.bind(node.operand, scope, place)
        items = [self.bind(item, scope, place) for item in node.items]
        if isinstance(operand, RowOf):
            return self._row_in_list(operand, items, node)
        types = [v.type for v in (operand, *items)]
        if len({t.category for t in types} - {"X"}) <= 1:
            wanted, (operand, *items) = self.alike([operand, *items], "IN", node.at)
            equality = self.find_operator("=", [wanted, wanted], node.at)
            if equality.arguments[0].name != wanted.name:
                operand, *items = (self.coerce(v, equality.arguments[0]) for v in (operand, *items))
            return Membership(BOOL, operand, tuple(items), equality, node.negated, at=node.at)
        found: Bound = Logic(
            BOOL, "or", tuple(self.operate("=", [operand, item], node.at) for item in items), at=node.at
        )
        return Negation(BOOL, found, at=node.at) if node.negated else found

    def _row_in_list(self, operand: RowOf, items: list[Bound], node: tree.InList) -> Bound:
        parts = []
        for item in items:
            if not isinstance(item, RowOf):
                raise error("42601", "a row can only be compared with rows", item.at)
            parts.append(self.compare_rows("=", operand, item, node.at))
        found = Logic(BOOL, "or", tuple(parts), at=node.at)
        return Negation(BOOL, found, at=node.at) if node.negated else found

    # Constructors and the like.

    def _cast(self, node: tree.Cast, scope: Scope, place: Place) -> Bound:
        target = self.type_of(node.type)
        if isinstance(node.operand, tree.ArrayItems) and target.category == "A":
            return self._array_items(node.operand, scope, place, target)
        value = self.bind(node.operand, scope, place)
        found = self.coerce(value, target, EXPLICIT, at=node.at)
        return found if found is not value else replace(found, at=node.at)

    def _collate(self, node: tree.Collate, scope: Scope, place: Place) -> Bound:
        value = self.settled(self.bind(node.operand, scope, place))
        check_collation(node.name, value.type, node.at)
        return value

    def _subscript(self, node: tree.Subscript, scope: Scope, place: Place) -> Bound:
        operand: tree.Expression = node
        while isinstance(operand, tree.Subscript):
            ends, operand = not operand.continues, operand.operand
            if ends:
                break
        return self.part_of(self.bind(operand, scope, place), node, scope, place)

    def part_of(self, operand: Bound, node: tree.Subscript, scope: Scope, place: Place) -> Element:
        """Return what the subscripts at the end of an expression, without the operand that they belong to, find in a value."""
        chain = [node]
        while chain[0].continues and isinstance(chain[0].operand, tree.Subscript):
            chain.insert(0, chain[0].operand)
        is_slice = any(step.is_slice for step in chain)
        found = []
        for step in chain:
            lower, upper = (
                None if b is None else self.bind(b, scope, place) for b in (step.lower, step.upper)
            )
            if is_slice and not step.is_slice:  # [2] among slices is [1:2]
                lower, upper = Const(INT4, 1, at=step.at), lower
            found.append((lower, upper))
        if operand.type.name == "jsonb":
            if is_slice:
                raise error("42804", "jsonb subscript does not support slices", node.at)
            keys = tuple((self._json_key(lower), None) for lower, _ in found if lower is not None)
            return Element(operand.type, operand, keys, False, at=node.at)
        if operand.type.category != "A" or operand.type.element is None:
            message = f"cannot subscript type {operand.type.title} because it does not support subscripting"
            raise error("42804", message, operand.at)
        if len(found) > MAX_ARRAY_DIMENSIONS:
            limit = f"exceeds the maximum allowed ({MAX_ARRAY_DIMENSIONS})"
            raise error("54000", f"number of array dimensions ({len(found)}) {limit}", node.at)
        bounds = tuple((self._array_bound(lower), self._array_bound(upper)) for lower, upper in found)
        result = operand.type if is_slice else operand.type.element
        return Element(result, operand, bounds, is_slice, at=node.at)

    def with_part(
        self, node: tree.Assignment, column: Bound, before: Bound | None, scope: Scope, place: Place
    ) -> Bound:
        """Return a column's value with a part of it changed, after changes of other parts."""
        assert isinstance(node.part, tree.Subscript)
        whole = column if before is None else before
        part = self.part_of(whole, node.part, scope, place)
        requires = f'subscripted assignment to "{node.columns[0]}" requires type {part.type.title}'
        message = requires + " but expression is of type {}"
        value = self.coerce(self.bind(node.value, scope, place), part.type, ASSIGNMENT, message=message)
        return Replaced(column.type, whole, part.subscripts, part.is_slice, value, at=node.at)

    def _json_key(self, value: Bound) -> Bound:
        is_number = value.type.category == "N"
        message = "subscript type {} is not supported"
        return self.coerce(value, INT4 if is_number else STRING, message=message)

    def _array_bound(self, value: Bound | None) -> Bound | None:
        if value is None:
            return None
        return self.coerce(value, INT4, ASSIGNMENT, message="array subscript must have type integer")

    def _field(self, node: tree.Field, scope: Scope, place: Place) -> Bound:
        operand = self.bind(node.operand, scope, place)
        if node.name is None:
            raise error("42601", 'row expansion via "*" is not supported here', node.at)
        for name, value in self.fields_of(operand, node.at):
            if name == node.name:
                return value
        if operand.type == RECORD:
            raise error("42703", f'could not identify column "{node.name}" in record data type', node.at)
        message = f"column notation .{node.name} applied to type {operand.type.title}, which is not a composite type"
        raise error("42809", message, operand.at)

    def fields_of(self, value: Bound, at: int) -> list[tuple[str, Bound]]:
        """Return the fields of a record by their names, as far as they are known."""
        if isinstance(value, RowOf):
            return list(zip(value.names, value.items, strict=True))
        known = value.type.fields
        if isinstance(value, Invocation) and value.signature.columns:
            known = value.signature.columns
        return [(name, FieldOf(sql_type, value, i, at=at)) for i, (name, sql_type) in enumerate(known)]

    def _case(self, node: tree.Case, scope: Scope, place: Place) -> Bound:
        place = replace(place, rows=False, within="CASE")
        conditions = []
        if node.operand is not None:
            operand = self.settled(self.bind(node.operand, scope, place))
            for test, _ in node.branches:
                conditions.append(self.operate("=", [operand, self.bind(test, scope, place)], test.at))
        else:
            for test, _ in node.branches:
                conditions.append(self.boolean(self.bind(test, scope, place), "CASE/WHEN"))
        values = [self.bind(value, scope, place) for _, value in node.branches]
        if node.otherwise is not None:  # it comes first when their type is looked for
            values.insert(0, self.bind(node.otherwise, scope, place))
        wanted, values = self.alike(values, "CASE")
        otherwise = values.pop(0) if node.otherwise is not None else None
        branches = tuple(zip(conditions, values, strict=True))
        return Choice(wanted, branches, otherwise, at=node.at)

    def _array_items(
        self, node: tree.ArrayItems, scope: Scope, place: Place, target: SqlType | None = None
    ) -> Bound:
        if target is not None and target.element is not None:
            items = []
            for item in node.items:
                if isinstance(item, tree.ArrayItems):
                    items.append(self._array_items(item, scope, place, target))
                else:
                    items.append(self.coerce(self.bind(item, scope, place), target.element, EXPLICIT))
            return ArrayOf(target, tuple(items), at=node.at)
        if not node.items:
            hint = "Explicitly cast to the desired type, for example ARRAY[]::integer[]."
            raise error("42P18", "cannot determine type of empty array", node.at, hint=hint)
        if _depth(node) > MAX_ARRAY_DIMENSIONS:
            limit = f"exceeds the maximum allowed ({MAX_ARRAY_DIMENSIONS})"
            raise error("54000", f"number of array dimensions ({_depth(node)}) {limit}", node.at)
        bound = [self.bind(item, scope, place) for item in node.items]
        element = common_type([b.type for b in bound], "ARRAY", self._odd_one(bound))
        coerced = tuple(self.coerce(b, element) for b in bound)
        return ArrayOf(element if element.category == "A" else array_of(element), coerced, at=node.at)

    def _row(self, node: tree.Row, scope: Scope, place: Place) -> Bound:
        found: list[Bound] = []
        for item in node.items:
            if isinstance(item, tree.Star):
                found += [value for _, value in scope.star(item.parts, item.at)]
            else:
                found.append(self.bind(item, scope, place))
        items = tuple(found)
        names = tuple(f"f{i + 1}" for i in range(len(items)))
        sql_type = record_of(zip(names, (item.type for item in items), strict=True))
        return RowOf(sql_type, items, names, at=node.at)

    def _star(self, node: tree.Star, scope: Scope, place: Place) -> Bound:
        raise error("42601", "* is not allowed here", node.at)

    def _default(self, node: tree.Default, scope: Scope, place: Place) -> Bound:
        raise error("42601", "DEFAULT is not allowed in this context", node.at)

    def _literal(self, node: tree.Literal, scope: Scope, place: Place) -> Bound:
        return self.literal(node)

    def _parameter_ref(self, node: tree.Parameter, scope: Scope, place: Place) -> Bound:
        return self.parameter(node)

    def _column(self, node: tree.ColumnRef, scope: Scope, place: Place) -> Bound:
        return scope.resolve(node.parts, node.at)

    def _call(self, node: tree.Call, scope: Scope, place: Place) -> Bound:
        return self.call(node, scope, place)


def _chain(first: Bound, steps: list[tuple[Signature, Bound]], at: int) -> Bound:
    return Chain(steps[-1][0].result, first, tuple(steps), at=at) if steps else first


def _depth(node: tree.Expression) -> int:
    """Return how many dimensions an array has as it is written."""
    if not isinstance(node, tree.ArrayItems):
        return 0
    return 1 + max((_depth(item) for item in node.items), default=0)


_BINDERS: dict[type[tree.Expression], Callable[[Any, Any, Scope, Place], Bound]] = {
    tree.Literal: Expressions._literal,
    tree.Parameter: Expressions._parameter_ref,
    tree.ColumnRef: Expressions._column,
    tree.Star: Expressions._star,
    tree.Operator: Expressions._operator,
    tree.OperatorChain: Expressions._operator_chain,
    tree.Logical: Expressions._logical,
    tree.Not: Expressions._not,
    tree.IsTest: Expressions._is_test,
    tree.IsDistinct: Expressions._is_distinct,
    tree.Between: Expressions._between,
    tree.InList: Expressions._in_list,
    tree.InQuery: Expressions.in_query,
    tree.Quantified: Expressions.quantified,
    tree.Cast: Expressions._cast,
    tree.Collate: Expressions._collate,
    tree.Subscript: Expressions._subscript,
    tree.Field: Expressions._field,
    tree.Case: Expressions._case,
    tree.ArrayItems: Expressions._array_items,
    tree.ArrayQuery: Expressions.array_query,
    tree.Row: Expressions._row,
    tree.Exists: Expressions.exists,
    tree.ScalarQuery: Expressions.scalar_query,
    tree.Default: Expressions._default,
    tree.Call: Expressions._call,
}
