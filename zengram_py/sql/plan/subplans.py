"""Subqueries as values.

A subquery that reads nothing of the rows around it runs once. One that does (a correlated one) runs once for each different row in what it
reads, or, if its only ties to them are equalities, once for all::

    (select max(b) from u where u.k = t.k and u.c > 0)        for each t
    select k, max(b) from u where c > 0 group by k            once; then each t looks its k up

which is what *keyed* plans below are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..bound import (
    Bound,
    BoundQuery,
    BoundSelect,
    ColumnVar,
    Const,
    JoinSource,
    Output,
    QuantifiedQuery,
    Subquery,
)
from ..errors import error
from ..execute.column import Batch, Column, nulls_of, objects
from ..execute.context import Context
from ..execute.expressions import Evaluator, Expressions, reduced
from ..execute.ordering import factorise
from ..functions.registry import call, implementation
from ..nodes import node
from ..signatures import Signature
from ..types import BOOL, SqlType
from .conditions import conjuncts, is_volatile
from .joining import hashable, key_pairs
from .matching import KeyMatcher
from .node import Node

if TYPE_CHECKING:
    from .planner import Planner

Supply = list[tuple[tuple[int, int], int]]
FEW = 8
"""Up to so many different rows around, a subquery runs for each of them even if it has a keyed plan."""
DEEPEST_KEYED = 2
"""How deep a subquery may stand in others to get a keyed plan: each of those is planned twice, and all in it."""


def supply_of(expressions: Expressions, node: Node) -> Supply:
    """Return which columns a subplan reads of the rows at hand, with their places; all others become free here, too."""
    places = {
        (value.relation, value.column): place
        for value, place in expressions.layout.items()
        if isinstance(value, ColumnVar)
    }
    expressions.free |= {key for key in node.free if key not in places}
    return [(key, places[key]) for key in sorted(node.free) if key in places]


class Runs:
    """Runs a subplan for the rows of a batch, once for those that are equal in what it reads."""

    def __init__(self, expressions: Expressions, node: Node) -> None:
        self.node = node
        self.supply = supply_of(expressions, node)

    def different(self, batch: Batch) -> tuple[Any, Any]:
        """Return the places of different rows, and for each row which of them it is."""
        if not self.supply:
            return np.zeros(1, np.int64), np.zeros(batch.count, np.int64)
        codes, _ = factorise([batch.columns[p] for _, p in self.supply], batch.count)
        _, first, back = np.unique(codes, return_index=True, return_inverse=True)
        return first, back

    def results(self, context: Context, batch: Batch, rows: Any) -> list[Batch]:
        """Return the subplan's rows for each of some rows of a batch."""
        if not self.node.free:
            found = context.results.get(self.node)
            if found is None:
                found = context.results[self.node] = self.node.whole(context)
            return [found] * len(rows)
        if not self.supply:
            return [self.node.whole(context)] * len(rows)
        out = []
        for row in rows.tolist():
            at = np.array([row])
            with context.inside({key: one_row(batch.columns[p], at) for key, p in self.supply}):
                out.append(self.node.whole(context))
        return out


def one_row(column: Column, at: Any) -> Column:
    """Return one row of a column as a constant."""
    found = column.take(at).as_type(column.type)
    found.is_constant = True
    if found.nulls is not None and not found.nulls[0]:  # of a constant, to have nulls is to be null
        found.nulls = None
    return found


@node(slots=True)
class Keyed:
    """A plan that gives for all rows around at once what a subquery gives for each.

    Attributes
    ----------
    node : Node
        The subquery's output, and behind it the keys.
    outer : list of Evaluator
        The keys of the rows around.
    width : int
        Columns before the keys.
    """

    node: Node
    outer: list[Evaluator]
    width: int

    def matcher(self, context: Context) -> tuple[KeyMatcher, Batch]:
        """Return the keys, ready to be looked up, and the rows."""
        found = context.results.get(self)
        if found is None:
            rows = self.node.whole(context)
            found = KeyMatcher(rows.columns[self.width :], rows.count), rows
            context.results[self] = found
        matcher: tuple[KeyMatcher, Batch] = found
        return matcher

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other


def keyed(
    planner: Planner, expressions: Expressions, query: BoundQuery, more: Sequence[tuple[Bound, Bound]] = ()
) -> Keyed | None:
    """Return the keyed plan of a correlated subquery, if it has one.

    Parameters
    ----------
    more : sequence of (Bound, Bound)
        Further keys: an expression around and the output that has to equal it.
    """
    body = query.body
    if not isinstance(body, BoundSelect) or query.ctes or query.offset is not None or query.with_ties:
        return None
    if body.windows or body.row_functions or body.distinct or body.grouping_sets is not None:
        return None
    if body.is_grouped and (body.groups or body.having is not None):
        return None
    if query.limit is not None and (not _is_one(query.limit) or body.is_grouped):
        return None
    if is_volatile(query) or (body.distinct is not None and query.limit is not None):
        return None
    inner = planner.relations_within(body.sources)

    def fits(a: Bound, b: Bound) -> bool:
        around, inside = planner.relations_of(a), planner.relations_of(b)
        return bool(around and not around & inner and inside and inside <= inner)

    keys, rest = key_pairs(conjuncts(body.where), fits)
    if not keys:
        return None
    if any(isinstance(s, JoinSource) and s.kind not in ("inner", "cross") for s in body.sources):
        return None
    inner_keys = tuple(b for _, b in keys) + tuple(b for _, b in more)
    changed = replace(
        body,
        targets=(*body.targets, *inner_keys),
        where=planner.all_or_none(rest),
        groups=inner_keys if body.is_grouped else (),
    )
    outputs = (*query.outputs, *(Output("", b.type) for b in inner_keys))
    node = planner.query(replace(query, body=changed, outputs=outputs, limit=None))
    if node.free:
        return None
    outer = [expressions.compile(a) for a, _ in (*keys, *more)]
    return Keyed(node, outer, len(body.targets))


def _is_one(limit: Bound) -> bool:
    return isinstance(limit, Const) and limit.value == 1


# -- values ----------------------------------------------------------------------------------------------------------


def subquery(planner: Planner, expressions: Expressions, node: Subquery) -> Evaluator:
    """Return the function that computes a scalar subquery, an ``exists`` or an ``array(…)``."""
    query = _without_targets(node.query) if node.kind == "exists" else node.query
    with planner.around(expressions.layout):
        runs = Runs(expressions, planner.query(query))
        by_key = None
        if runs.supply and node.kind != "array" and planner.nesting <= DEEPEST_KEYED:
            by_key = keyed(planner, expressions, query)
    planner.subplans.append(runs.node)
    value = {"scalar": _scalar, "exists": _exists, "array": _array}[node.kind]
    result = node.type

    def evaluate(context: Context, batch: Batch) -> Column:
        rows, back = runs.different(batch)
        if by_key is not None and len(rows) > FEW:
            return _looked_up(context, batch, by_key, node.kind, result, runs)
        values = [value(found) for found in runs.results(context, batch, rows)]
        if not runs.supply:
            return Column.constant(result, values[0])
        return Column.of(result, values).take(back)

    return evaluate


def _without_targets(query: BoundQuery) -> BoundQuery:
    """Return a query that has rows when another one has, and computes nothing of them."""
    body = query.body
    if not isinstance(body, BoundSelect) or body.distinct is not None or body.row_functions:
        return query
    order = body.order_by if query.with_ties else ()
    return replace(query, body=replace(body, targets=(), order_by=order), outputs=())


def _scalar(rows: Batch) -> Any:
    if rows.count > 1:
        raise _too_many()
    return rows.columns[0].tolist()[0] if rows.count else None


def _too_many() -> Exception:
    return error("21000", "more than one row returned by a subquery used as an expression")


def _exists(rows: Batch) -> Any:
    return rows.count > 0


def _array(rows: Batch) -> Any:
    return tuple(rows.columns[0].expanded(rows.count).tolist()) if rows.count else ()


def _looked_up(context: Context, batch: Batch, plan: Keyed, kind: str, result: SqlType, runs: Runs) -> Column:
    keys, rows = plan.matcher(context)
    numbers = keys.numbers([key(context, batch) for key in plan.outer], batch.count)
    if kind == "exists":
        return Column(BOOL, numbers >= 0)
    if rows.count == 0:
        found = nulls_of(result, batch.count)
    else:
        if not _limits(runs) and (keys.counts(numbers) > 1).any():
            raise _too_many()
        found = rows.columns[0].expanded(rows.count).take_or_null(keys.first(numbers))
    missing = np.flatnonzero(numbers < 0)
    if len(missing) and _counts(runs):
        # an aggregate over no rows need not be null: the subquery tells what it is then
        value = _scalar(runs.results(context, batch, missing[:1])[0])
        if value is not None:
            found = found.take(np.arange(batch.count))
            found = _with(found, missing, value)
    return found


def _limits(runs: Runs) -> bool:
    from .basic import Limit

    return isinstance(runs.node, Limit)


def _counts(runs: Runs) -> bool:
    from .group import Group

    stack = [runs.node]
    while stack:
        node = stack.pop()
        if isinstance(node, Group):
            return True
        stack.extend(node.below[:1])
    return False


def _with(column: Column, rows: Any, value: Any) -> Column:
    """Return a column with another value in some rows."""
    values = column.values.copy()
    values[rows] = objects([value])[0] if values.dtype == object else value
    nulls = None if column.nulls is None else column.nulls.copy()
    if nulls is not None:
        nulls[rows] = False
    return Column(column.type, values, nulls)


# -- comparisons with all rows ---------------------------------------------------------------------------------------


def quantified(planner: Planner, expressions: Expressions, node: QuantifiedQuery) -> Evaluator:
    """Return the function that computes ``a = any (query)``, ``a in (query)`` and the like."""
    with planner.around(expressions.layout):
        runs = Runs(expressions, planner.query(node.query))
    planner.subplans.append(runs.node)
    left = expressions.compile_all(node.left)
    casts = [
        _as(planner, o.type, s.arguments[1])
        for o, s in zip(node.query.outputs, node.comparisons, strict=True)
    ]
    is_equality = all(s.name == "=" and hashable(*s.arguments) for s in node.comparisons)
    hashed = is_equality and not node.every
    made = [implementation(s) for s in node.comparisons]
    by_column = _lexicographic(node.comparisons)
    is_unequal = all(s.name == "<>" for s in node.comparisons)
    negated = node.negated
    if is_unequal and node.every and all(hashable(*s.arguments) for s in node.comparisons):
        hashed, negated = True, not negated  # <> all is not in

    def compared(context: Context, columns: list[Column], count: int, rows: Batch) -> Column:
        """Return the answers for some rows that face the same rows of the subquery."""
        right = [
            cast(context, c.expanded(rows.count), rows.count)
            for cast, c in zip(casts, rows.columns, strict=True)
        ]
        if hashed:
            return _in_rows(columns, count, KeyMatcher(right, rows.count), right, rows.count)
        mine = np.repeat(np.arange(count), rows.count)
        theirs = np.tile(np.arange(rows.count), count)
        sides = [[c.expanded(count).take(mine), r.take(theirs)] for c, r in zip(columns, right, strict=True)]
        if by_column is not None:
            return reduced(by_column(context, sides, len(mine)), mine, count, node.every)
        answers = [call(m, context, BOOL, side, len(mine)) for m, side in zip(made, sides, strict=True)]
        return reduced(_all_of(answers, len(mine), is_or=is_unequal), mine, count, node.every)

    def evaluate(context: Context, batch: Batch) -> Column:
        columns = [part(context, batch) for part in left]
        rows, back = runs.different(batch)
        results = runs.results(context, batch, rows)
        if len(results) == 1:
            found = compared(context, columns, batch.count, results[0])
        else:
            true, null = np.zeros(batch.count, bool), np.zeros(batch.count, bool)
            order = np.argsort(back, kind="stable")
            ends = np.searchsorted(back[order], np.arange(len(rows)), side="right")
            start = 0
            for end, result in zip(ends.tolist(), results, strict=True):
                mine = order[start:end]
                part = compared(context, [c.take(mine) for c in columns], len(mine), result)
                true[mine], null[mine] = part.is_true(len(mine)), part.is_null(len(mine))
                start = end
            found = Column(BOOL, true, null if null.any() else None)
        return Column(BOOL, ~found.values, found.nulls) if negated else found

    return evaluate


Pairs = list[list[Column]]


def _lexicographic(comparisons: Sequence[Signature]) -> Callable[[Context, Pairs, int], Column] | None:
    """Return how rows of several columns compare by ``<`` and its kin: by the first column in which they differ."""
    if len(comparisons) < 2 or comparisons[0].name not in ("<", "<=", ">", ">="):
        return None
    strict = [implementation(replace(s, name=s.name[0])) for s in comparisons]
    equal = [implementation(replace(s, name="=")) for s in comparisons]
    last = implementation(comparisons[-1])

    def compare(context: Context, sides: Pairs, count: int) -> Column:
        found = call(last, context, BOOL, sides[-1], count)
        for i in range(len(sides) - 2, -1, -1):
            same = call(equal[i], context, BOOL, sides[i], count)
            beyond = call(strict[i], context, BOOL, sides[i], count)
            found = _all_of([beyond, _all_of([same, found], count, is_or=False)], count, is_or=True)
        return found

    return compare


def _as(planner: Planner, given: SqlType, wanted: SqlType) -> Any:
    """Return the cast of an output to what a comparison takes."""
    from ..functions.casting import cast_column

    def same(context: Context, column: Column, count: int) -> Column:
        return column

    def changed(context: Context, column: Column, count: int) -> Column:
        return cast_column(context, column, given, wanted, False).expanded(count)

    return same if given.name == wanted.name else changed


def _in_rows(columns: list[Column], count: int, keys: KeyMatcher, right: list[Column], size: int) -> Column:
    """Return which rows are among others; null where only a null stands between them and an answer."""
    true = keys.numbers(columns, count) >= 0
    if size == 0:
        return Column(BOOL, np.zeros(count, bool))
    if len(columns) == 1:
        null = np.full(count, keys.has_null) | columns[0].is_null(count)
    else:
        null = _may_be_in(columns, count, right, size)
    null = null & ~true
    return Column(BOOL, true & ~null, null if null.any() else None)


def _may_be_in(columns: list[Column], count: int, right: list[Column], size: int) -> Any:
    """Return which rows equal one of some rows in all columns in which neither is null, with a null somewhere."""
    found = np.zeros(count, bool)
    right_null = [c.is_null(size) for c in right]
    left_null = [c.is_null(count) for c in columns]
    everything = [tuple(bool(n[i]) for n in right_null) for i in range(size)]
    mine = [tuple(bool(n[i]) for n in left_null) for i in range(count)]
    for one in set(mine):
        for other in set(everything):
            if not any(one) and not any(other):
                continue
            known = [k for k in range(len(columns)) if not one[k] and not other[k]]
            rows = np.array([m == one for m in mine], bool)
            others = np.flatnonzero(np.array([e == other for e in everything], bool))
            if not known:
                found |= rows
                continue
            keys = KeyMatcher([right[k].take(others) for k in known], len(others))
            found |= rows & (keys.numbers([columns[k] for k in known], count) >= 0)
    return found


def _all_of(answers: list[Column], count: int, *, is_or: bool) -> Column:
    """Return several answers joined by ``and``, or by ``or``."""
    if len(answers) == 1:
        return answers[0]
    true = np.full(count, not is_or)
    false = np.full(count, is_or)
    for answer in answers:
        is_true, is_null = answer.is_true(count), answer.is_null(count)
        is_false = ~(is_true | is_null)
        if is_or:
            true, false = true | is_true, false & is_false
        else:
            true, false = true & is_true, false | is_false
    return Column(BOOL, true, ~(true | false))
