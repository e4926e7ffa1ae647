"""Expressions of one row: Python functions in place of columns.

What changes one row computes a few values. A column for each would cost more than all else, so constants, parameters, columns, sums of
numbers and plain functions are computed as Python values here; anything else still goes by a column of one row.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..bound import Bound, ColumnVar, Const, Invocation, Param, walk
from ..errors import error
from ..execute.column import Batch, Column
from ..execute.context import Context
from ..execute.expressions import Expressions
from ..functions.registry import implementation
from ..plan.planner import Planner

Values = Mapping[int, Any]
RowFunction = Callable[[Context, Values], Any]
"""Gives a value for a run of the statement and the values of the row, by the engine's numbers of columns."""

_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}
_BOUNDS = {"int2": 1 << 15, "int4": 1 << 31, "int8": 1 << 63}


def row_function(node: Bound, numbers: Mapping[Bound, int], planner: Planner) -> RowFunction:
    """Return the function of a value.

    Parameters
    ----------
    node : Bound
        The value.
    numbers : mapping of Bound to int
        The columns of the row: by which number the engine knows them.
    planner : Planner
        Plans subqueries.
    """
    if isinstance(node, Const):
        value = (
            np.array(node.value, np.float32)
            if node.type.name == "vector" and node.value is not None
            else node.value
        )
        return lambda context, row: value
    if isinstance(node, Param):
        return _parameter(node)
    number = numbers.get(node)
    if number is not None:
        return lambda context, row: row[number]
    if isinstance(node, Invocation) and not node.variadic:
        found = _invocation(node, numbers, planner)
        if found is not None:
            return found
    return _by_column(node, numbers, planner)


def _parameter(node: Param) -> RowFunction:
    at = node.number - 1
    if node.type.name != "vector":
        return lambda context, row: context.parameters[at]

    def vector(context: Context, row: Values) -> Any:
        value = context.parameters[at]
        return None if value is None else np.array(value, np.float32)

    return vector


def _invocation(node: Invocation, numbers: Mapping[Bound, int], planner: Planner) -> RowFunction | None:
    signature = node.signature
    names = {a.name for a in signature.arguments}
    compute = _ARITHMETIC.get(signature.name)
    if compute is not None and len(signature.arguments) == 2 and names <= _BOUNDS.keys():
        return _whole(node, compute, numbers, planner)
    if signature.gives_rows:
        return None
    made = implementation(signature)
    if made.kind != "scalar":
        return None
    arguments = [row_function(a, numbers, planner) for a in node.arguments]
    function, contextual = made.function, made.contextual

    def evaluate(context: Context, row: Values) -> Any:
        values = [a(context, row) for a in arguments]
        if any(v is None for v in values):
            return None
        return function(context, *values) if contextual else function(*values)

    return evaluate


def _whole(
    node: Invocation, compute: Callable[[Any, Any], Any], numbers: Mapping[Bound, int], planner: Planner
) -> RowFunction:
    """Return a sum, difference or product of whole numbers."""
    left, right = (row_function(a, numbers, planner) for a in node.arguments)
    limit, title = _BOUNDS[node.type.name], node.type.title

    def evaluate(context: Context, row: Values) -> Any:
        one, other = left(context, row), right(context, row)
        if one is None or other is None:
            return None
        found = compute(one, other)
        if not -limit <= found < limit:
            raise error("22003", f"{title} out of range")
        return found

    return evaluate


def _by_column(node: Bound, numbers: Mapping[Bound, int], planner: Planner) -> RowFunction:
    read = list(dict.fromkeys(v for v in walk(node) if isinstance(v, ColumnVar) and v in numbers))
    layout: dict[Bound, int] = {v: i for i, v in enumerate(read)}
    evaluator = Expressions(layout, planner).compile(node)
    columns = [(v.type, numbers[v]) for v in read]

    def evaluate(context: Context, row: Values) -> Any:
        batch = Batch([Column.of(t, [row[number]]) for t, number in columns], 1)
        return evaluator(context, batch).tolist()[0]

    return evaluate
