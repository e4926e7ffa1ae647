"""Aggregates, and the query whose rows they are of.

That is the innermost one that an aggregate's arguments name a column of::

    select k, (select max(c) from u where c < sum(t.a)) from t group by k       max is of u's rows, sum of t's

An aggregate of a query further out is computed there, with that query's own; here it is a column of its groups (``Scope.aggregates``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...errors import SqlError
from .. import tree
from ..bound import Aggregate, Bound, ColumnVar, SortBy
from ..errors import error, unsupported
from ..scope import Scope
from ..signatures import Signature
from ..types import INT4
from .levels import owner_of, read_by, relations_between
from .operators import Place
from .windows import Windows, no_windows

_ARGUMENTS = "aggregate arguments"


class Aggregates(Windows):
    """The part of the binder that binds aggregates."""

    def _grouping(self, node: tree.Call, scope: Scope, place: Place) -> Bound:
        bound = tuple(self.bind(a, scope, replace(place, aggregates=False)) for a in node.arguments)
        if not 0 < len(bound) < 32:
            raise error("54023", "GROUPING must have fewer than 32 arguments", node.at)
        signature = Signature("grouping", tuple(b.type for b in bound), INT4, "aggregate")
        return self._placed(Aggregate(INT4, signature, bound, grouping=True, at=node.at), scope, place)

    def _aggregate(
        self, node: tree.Call, candidates: Sequence[Signature], scope: Scope, place: Place
    ) -> Bound:
        name = node.parts[-1]
        over = node.over is not None
        if over and not place.windows:
            raise no_windows(place, node.at)
        inner = Place(_ARGUMENTS, aggregates=over and place.aggregates)
        direct = [self._argument(a, scope, inner) for a in node.arguments]
        order_by = self.sort_keys(node.order_by, scope, inner)
        filter_ = None
        if node.filter is not None:
            filter_ = self.boolean(self.bind(node.filter, scope, Place("FILTER")), "FILTER")
        is_ordered_set = any(s.kind in ("within", "hypothetical") for s in candidates)
        if is_ordered_set or node.within_group is not None:
            found = self._ordered_set(node, candidates, direct, filter_, scope, inner)
            return self._placed(found, scope, place) if isinstance(found, Aggregate) else found
        if node.star:
            if name != "count":
                message = f"{name}(*) must be used to call a parameterless aggregate function"
                raise error("42809" if direct else "42883", message, node.at)
            direct = []
        elif name == "count" and not direct:
            message = "count(*) must be used to call a parameterless aggregate function"
            raise error("42809", message, node.at)
        signature = self._choose(node, candidates, direct)
        if signature is None:
            return self._as_cast(node, direct, candidates)
        arguments = self._coerced(signature, direct)
        if over:
            return self._over(node, signature, arguments, filter_, scope, place)
        if node.distinct:
            self._check_distinct(arguments, order_by, node)
        found = Aggregate(
            signature.result, signature, arguments, node.distinct, order_by, filter_, at=node.at
        )
        return self._placed(found, scope, place)

    def _placed(self, found: Aggregate, scope: Scope, place: Place) -> Bound:
        """Return an aggregate as it is, or the column of the groups further out that it is of."""
        owner = owner_of((found.arguments, found.order_by, found.filter), scope)
        if owner is not scope:
            place = owner.place or Place("FROM clause of their own query level")
        if not place.aggregates:
            raise _not_allowed("grouping" if found.grouping else "aggregate", place, found.at)
        if owner.aggregated in read_by(found):
            raise _not_allowed("aggregate", Place(_ARGUMENTS), found.at)
        if owner is scope:
            return found
        if read_by(found.direct) & relations_between(scope, owner):
            message = "outer-level aggregate cannot contain a lower-level variable in its direct arguments"
            raise error("42803", message, found.at)
        known = owner.aggregates.get(found)
        if known is None:
            if not owner.aggregates:
                owner.aggregated = self.state.new_relation()
            name = found.signature.name
            known = ColumnVar(found.type, owner.aggregated, len(owner.aggregates), name, at=found.at)
            owner.aggregates[found] = known
        return known

    def _check_distinct(
        self, arguments: tuple[Bound, ...], order_by: tuple[SortBy, ...], node: tree.Call
    ) -> None:
        if not arguments:
            raise error("42809", "DISTINCT specified, but there is no argument", node.at)
        if any(key.value not in arguments for key in order_by):
            message = "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list"
            raise error("42P10", message, node.order_by[0].at)

    def _ordered_set(
        self,
        node: tree.Call,
        candidates: Sequence[Signature],
        direct: list[Bound],
        filter_: Bound | None,
        scope: Scope,
        inner: Place,
    ) -> Bound:
        name = node.parts[-1]
        if node.within_group is None:
            raise error("42809", f"WITHIN GROUP is required for ordered-set aggregate {name}", node.at)
        if not any(s.kind in ("within", "hypothetical") for s in candidates):
            if not candidates:
                return self._as_cast(node, direct, candidates)
            message = f"{name} is not an ordered-set aggregate, so it cannot have WITHIN GROUP"
            raise error("42809", message, node.at)
        if node.over is not None:
            raise unsupported(f"OVER for ordered-set aggregate {name}", node.at)
        if node.distinct:
            raise error("42809", "cannot use DISTINCT with WITHIN GROUP", node.at)
        keys = self.sort_keys(node.within_group, scope, inner)
        values = [key.value for key in keys]
        if candidates[0].kind == "hypothetical":
            if len(direct) != len(values):
                return self._as_cast(node, [*direct, *values], candidates)
            pairs = [self.alike([v, d], "WITHIN GROUP")[1] for v, d in zip(values, direct, strict=True)]
            values, direct = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
            signature = replace(candidates[0], arguments=tuple(v.type for v in (*direct, *values)))
            chosen: Signature | None = signature
        else:
            chosen = self._choose(node, candidates, [*direct, *values])
        if chosen is None:
            return self._as_cast(node, [*direct, *values], candidates)
        coerced = self._coerced(chosen, [*direct, *values])
        own = coerced[len(direct) :]
        keys = tuple(replace(key, value=value) for key, value in zip(keys, own, strict=True))
        return Aggregate(chosen.result, chosen, own, False, keys, filter_, coerced[: len(direct)], at=node.at)


def _not_allowed(what: str, place: Place, at: int) -> SqlError:
    if place.name == _ARGUMENTS:
        return error("42803", "aggregate function calls cannot be nested", at)
    noun = "operations" if what == "grouping" else "functions"
    return error("42803", f"{what} {noun} are not allowed in {place.name}", at)
