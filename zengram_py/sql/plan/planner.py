"""The planner: a bound statement as a plan."""

from __future__ import annotations

from ..bound import BoundQuery, BoundSelect, BoundValues, OutputVar, QuantifiedQuery, Subquery
from ..errors import unsupported
from ..execute.expressions import Evaluator, Expressions
from .basic import Project, SingleRow, ValueRows
from .node import Node


class Planner:
    """Plans one statement."""

    def query(self, query: BoundQuery) -> Node:
        """Return the plan of a query; its columns are the query's output."""
        body = query.body
        if isinstance(body, BoundSelect) and not body.sources:
            expressions = Expressions({}, self)
            return Project(SingleRow(), expressions.compile_all(body.targets), [t.type for t in body.targets], expressions.free)
        if isinstance(body, BoundValues):
            return ValueRows(self, body, query.outputs)
        raise unsupported("this query")

    def subquery(self, expressions: Expressions, node: Subquery) -> Evaluator:
        """Return the function that computes a subquery's value."""
        raise unsupported("a subquery")

    def quantified(self, expressions: Expressions, node: QuantifiedQuery) -> Evaluator:
        """Return the function that compares with a subquery's rows."""
        raise unsupported("a subquery")


_ = OutputVar
