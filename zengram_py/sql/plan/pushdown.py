"""Pushing conditions down into a subquery that cannot be opened.

    select … from (select k, sum(v) from t group by k) x where x.k = 3     the condition goes below the grouping
    … from (select … union all select …) x where x.k = 3                   and into each part of a union

A condition goes down if all columns that it reads are, in the subquery, keys of its groups, or output of a ``distinct``. Inside, these columns
stand for what the subquery computes (:meth:`Planner.standing_for`), while the plan of the subquery is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..bound import Bound, BoundQuery, BoundSelect, Combination, QuerySource
from .basic import Append
from .conditions import has_subquery, is_volatile
from .node import Node
from .sort import Distinct

if TYPE_CHECKING:
    from .planner import Planner


def plan_with(planner: Planner, source: QuerySource, conditions: Sequence[Bound]) -> tuple[Node, list[Bound]]:
    """Return the plan of a subquery under conditions on its output, and those conditions that are still to be tested."""
    candidates = [c for c in conditions if not is_volatile(c) and not has_subquery(c)]
    query = planner.pruned(source.relation, source.query)
    node, done = _pushed(planner, query, source.relation, candidates)
    tested = {id(c) for c in done}
    return node, [c for c in conditions if id(c) not in tested]


def _pushed(
    planner: Planner, query: BoundQuery, relation: int, conditions: list[Bound]
) -> tuple[Node, list[Bound]]:
    body = query.body
    fixed = query.ctes or query.limit is not None or query.offset is not None
    if fixed or not conditions:
        return planner.query(query), []
    if isinstance(body, BoundSelect):
        done = [c for c in conditions if _places(planner, c, relation) <= _transparent(planner, body)]
        if not done:
            return planner.query(query), []
        stands = {(relation, i): target for i, target in enumerate(body.targets)}
        where = planner.all_of([*([body.where] if body.where is not None else []), *done])
        with planner.standing_for(stands):
            return planner.query(replace(query, body=replace(body, where=where))), done
    if isinstance(body, Combination) and not query.order_by and all(k == "union" for k, _, _ in body.rest):
        parts = [body.first, *(q for _, _, q in body.rest)]
        if all(_takes(planner, part, relation, conditions) for part in parts):
            nodes = [_pushed(planner, part, relation, conditions)[0] for part in parts]
            types = [o.type for o in query.outputs]
            found = nodes[0]
            for (_, keeps_duplicates, _), other in zip(body.rest, nodes[1:], strict=True):
                found = Append((*found.below, other) if isinstance(found, Append) else (found, other), types)
                if not keeps_duplicates:
                    found = Distinct(found)
            return found, conditions
    return planner.query(query), []


def _takes(planner: Planner, query: BoundQuery, relation: int, conditions: list[Bound]) -> bool:
    """Return whether a part of a union takes all of some conditions."""
    body = query.body
    if not isinstance(body, BoundSelect) or query.ctes or query.limit is not None or query.offset is not None:
        return False
    return all(_places(planner, c, relation) <= _transparent(planner, body) for c in conditions)


def _places(planner: Planner, condition: Bound, relation: int) -> set[int]:
    return {column for r, column in planner.columns_behind(condition) if r == relation}


def _transparent(planner: Planner, body: BoundSelect) -> set[int]:
    """Return the output columns of a select by which its rows may as well be filtered before it does anything else."""
    if (
        body.windows
        or body.row_functions
        or body.grouping_sets is not None
        or body.distinct not in (None, ())
    ):
        return set()
    plain = [i for i, t in enumerate(body.targets) if not is_volatile(t) and not has_subquery(t)]
    if body.is_grouped:
        return {i for i in plain if body.targets[i] in body.groups}
    return set(plain)
