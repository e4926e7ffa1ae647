"""What a select reads, joined: which conditions go to which source, in which order sources are joined, and how.

Inner joins and what stands side by side in ``from`` are one list of *units* with one list of conditions. An outer join is a unit of its own, unless a
condition above it is never true for the rows that it adds: then it is an inner one. A subquery that only picks and computes is opened: its
sources join the list, and its columns stand for what they compute.

The two units that give the fewest rows together are joined first, then the next two, until one is left (greedy operator ordering: Fegaras 1998).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

from ..bound import (
    Bound,
    BoundSelect,
    ColumnVar,
    FunctionSource,
    JoinSource,
    QuerySource,
    Source,
    TableSource,
)
from ..execute.column import dtype_of
from ..execute.expressions import Evaluator, Expressions
from ..nodes import node
from ..types import STRING, SqlType
from .basic import SingleRow
from .conditions import (
    columns_in,
    conjuncts,
    equality,
    has_subquery,
    is_volatile,
    rejects_null,
    relations_in,
    selectivity,
)
from .gate import Gate
from .join import HashJoin, LateralJoin, NestedLoop, joined_layout
from .node import Node
from .pushdown import plan_with
from .scan import IndexLookup
from .tables import Wanted, read_table

if TYPE_CHECKING:
    from .planner import Planner


DEEPEST_TRIED = 2
"""How deep a subquery may stand in others so that several plans of a table with subqueries in its conditions are tried: each plans these anew."""


@node(slots=True)
class Unit:
    """Something to be joined.

    Attributes
    ----------
    relations : frozenset of int
        Whose columns it gives.
    node : Node
        Its plan.
    requires : frozenset of int
        Relations of the same query that it reads (lateral).
    source : TableSource or None
        The table, if it is one, with its conditions.
    """

    relations: frozenset[int]
    node: Node
    requires: frozenset[int] = frozenset()
    source: TableSource | None = None
    conditions: list[Bound] = field(default_factory=list)


class Joiner:
    """Joins the sources of one select.

    Parameters
    ----------
    with_rows : int, optional
        The relation whose rows' ids are wanted, too.
    may_be_missing : bool
        Whether an outer join around adds rows in which these sources are null. What a subquery among them computes must be computed below that
        join then: a constant is null in such a row.
    """

    def __init__(
        self, planner: Planner, with_rows: int | None = None, *, may_be_missing: bool = False
    ) -> None:
        self.planner = planner
        self.with_rows = with_rows
        self.may_be_missing = may_be_missing
        self.sources: list[Source] = []
        self.conditions: list[Bound] = []
        self.known: frozenset[int] = frozenset()

    def plan(
        self, sources: Sequence[Source], where: Bound | None, wanted: Wanted | None = None
    ) -> tuple[Node, bool]:
        """Return the plan of all sources, and whether its rows come in the order that is wanted."""
        self.conditions = conjuncts(where)
        for source in sources:
            self._flatten(source)
        return self._joined(wanted)

    # Taking apart.

    def _flatten(self, source: Source) -> None:
        if isinstance(source, JoinSource):
            source = self._simplified(source)
            if source.kind in ("inner", "cross"):
                self._flatten(source.left)
                self._flatten(source.right)
                self.conditions += conjuncts(source.on)
                return
        elif isinstance(source, QuerySource):
            opened = self.planner.opened(source, columns_only=self.may_be_missing)
            if opened is not None:
                for inner in opened.sources:
                    self._flatten(inner)
                self.conditions += conjuncts(opened.where)
                return
        self.sources.append(source)

    def _simplified(self, source: JoinSource) -> JoinSource:
        """Return an outer join without what the conditions above it take away again."""
        kind = source.kind
        left, right = _relations(source.left), _relations(source.right)
        if kind in ("left", "full") and any(rejects_null(c, right) for c in self.conditions):
            kind = "inner" if kind == "left" else "right"
        if kind in ("right", "full") and any(rejects_null(c, left) for c in self.conditions):
            kind = "inner" if kind == "right" else "left"
        return source if kind == source.kind else replace(source, kind=kind)

    # Units.

    def _joined(self, wanted: Wanted | None) -> tuple[Node, bool]:
        planner = self.planner
        known = frozenset(r for s in self.sources for r in _relations(s))
        self.known = known
        gates, late, rest = [], [], []
        for condition in self.conditions:
            if is_volatile(condition):
                late.append(condition)
            elif not planner.relations_of(condition) & known:
                gates.append(condition)
            else:
                rest.append(condition)
        ordered = False
        if not self.sources:
            node: Node = SingleRow()
        else:
            units = []
            reads = {id(c): planner.relations_of(c) & known for c in rest}
            for source in self.sources:
                own = _relations(source)
                mine = []
                if not self._is_lateral(source, known) and not (
                    isinstance(source, JoinSource) and source.kind == "full"
                ):
                    mine = [c for c in rest if reads[id(c)] <= own]
                    rest = [c for c in rest if not reads[id(c)] <= own]
                unit, in_order = self._unit(
                    source, mine, known, wanted if len(self.sources) == 1 and not rest else None
                )
                ordered = in_order
                units.append(unit)
            node = self._ordered(units, rest)
            if len(units) > 1:
                ordered = False
        if gates:
            node = self._gate(node, gates)
        if late:
            node = planner.filtered(node, late)
        return node, ordered

    def _is_lateral(self, source: Source, known: frozenset[int]) -> bool:
        return bool(self._requires(source, known))

    def _requires(self, source: Source, known: frozenset[int]) -> frozenset[int]:
        if isinstance(source, (FunctionSource, QuerySource, JoinSource)):
            return frozenset((self.planner.relations_of(source) & known) - _relations(source))
        return frozenset()

    def _gate(self, node: Node, gates: list[Bound]) -> Node:
        expressions = Expressions({}, self.planner)
        condition = expressions.compile(self.planner.all_of(gates))
        return Gate(node, condition, frozenset(expressions.free), self.planner.shown(gates))

    def _unit(
        self, source: Source, conditions: list[Bound], known: frozenset[int], wanted: Wanted | None
    ) -> tuple[Unit, bool]:
        planner = self.planner
        relations = _relations(source)
        if isinstance(source, TableSource):
            with_rows = self.with_rows == source.relation
            scan, ordered = read_table(
                planner, source, conditions, self.known, with_rows=with_rows, wanted=wanted
            )
            return Unit(relations, scan, source=source, conditions=conditions), ordered
        requires = self._requires(source, known)
        if isinstance(source, JoinSource):
            return Unit(relations, self._outer(source, conditions), requires), False
        if isinstance(source, QuerySource):
            below, conditions = plan_with(planner, source, conditions)
            node = planner.relabelled(source.relation, below, source.query.outputs)
        else:
            node = planner.source(source)
        if conditions:
            node = planner.filtered(node, conditions)
        return Unit(relations, node, requires), False

    def _outer(self, source: JoinSource, conditions: list[Bound]) -> Node:
        """Return the plan of an outer join under conditions on its rows."""
        planner = self.planner
        left_relations, right_relations = _relations(source.left), _relations(source.right)
        on = conjuncts(source.on)
        left_where, right_where, above = [], [], []
        for condition in conditions:
            read = planner.relations_of(condition)
            if source.kind == "left" and not read & right_relations and not is_volatile(condition):
                left_where.append(condition)
            elif source.kind == "right" and not read & left_relations and not is_volatile(condition):
                right_where.append(condition)
            else:
                above.append(condition)
        inside = []
        for condition in on:
            read = planner.relations_of(condition)
            if source.kind == "left" and not read & left_relations and read & right_relations:
                right_where.append(condition)
            elif source.kind == "right" and not read & right_relations and read & left_relations:
                left_where.append(condition)
            else:
                inside.append(condition)
        lateral = bool(planner.relations_of(source.right) & left_relations)
        kind = source.kind
        left_missing = self.may_be_missing or kind in ("right", "full")
        right_missing = self.may_be_missing or kind in ("left", "full")
        left_joiner = Joiner(planner, self.with_rows, may_be_missing=left_missing)
        left, _ = left_joiner.plan((source.left,), planner.all_or_none(left_where))
        right_joiner = Joiner(planner, self.with_rows, may_be_missing=right_missing)
        right, _ = right_joiner.plan((source.right,), planner.all_or_none(right_where))
        if lateral:
            node: Node = self._lateral(kind, left, right, inside)
        else:
            node = self._join(kind, left, right, inside)
            lookup = self._lookup(kind, left, source.right, right, right_where, inside)
            if lookup is not None and lookup.cost < node.cost:
                node = lookup
        return planner.filtered(node, above) if above else node

    # Putting together.

    def _ordered(self, units: list[Unit], conditions: list[Bound]) -> Node:
        """Return the units joined, those first that leave the fewest rows.

        Hundreds of units are joined in a moment: only pairs that a condition links are compared, each once, until there are none.
        """
        left = [(c, self.planner.relations_of(c) & self.known) for c in conditions]
        scores: dict[tuple[int, int], tuple[float, float]] = {}
        while len(units) > 1:
            one, other = self._best(units, left, scores)
            both = one.relations | other.relations
            mine = [c for c, read in left if read <= both]
            left = [(c, read) for c, read in left if not read <= both]
            node = self._pair(one, other, mine)
            units = [u for u in units if u is not one and u is not other] + [Unit(both, node)]
        node = units[0].node
        return self.planner.filtered(node, [c for c, _ in left]) if left else node

    def _best(
        self,
        units: list[Unit],
        conditions: list[tuple[Bound, frozenset[int]]],
        scores: dict[tuple[int, int], tuple[float, float]],
    ) -> tuple[Unit, Unit]:
        """Return the two units to be joined next; ``scores`` keeps what was found of pairs, by their places among all units."""
        places = {relation: i for i, unit in enumerate(units) for relation in unit.relations}
        linked: dict[tuple[int, int], list[Bound]] = {}
        for condition, read in conditions:
            between = sorted({places[relation] for relation in read})
            if len(between) == 2:
                linked.setdefault((between[0], between[1]), []).append(condition)
        for i, unit in enumerate(units):
            needs = {places[relation] for relation in unit.requires}
            if len(needs) == 1:
                need = needs.pop()
                linked.setdefault((min(i, need), max(i, need)), [])
        best: tuple[tuple[float, float], int, int] | None = None
        for (i, j), mine in sorted(linked.items(), key=lambda item: item[0]):
            if units[i].requires:
                i, j = j, i
            one, other = units[i], units[j]
            if one.requires or not other.requires <= one.relations:
                continue
            key = id(one.node), id(other.node)
            score = scores.get(key)
            if score is None:
                rows = self._rows(one.node, other.node, mine)
                score = scores[key] = rows, one.node.rows + other.node.rows
            if best is None or score < best[0]:
                best = score, i, j
        if best is not None:
            return units[best[1]], units[best[2]]
        free = sorted((max(u.node.rows, 1.0), u.node.rows, i) for i, u in enumerate(units) if not u.requires)
        i, j = sorted([free[0][2], free[1][2]])
        return units[i], units[j]

    def _rows(self, left: Node, right: Node, conditions: Sequence[Bound]) -> float:
        rows = max(left.rows, 1) * max(right.rows, 1)
        for condition in conditions:
            pair = equality(condition)
            if pair is not None:
                rows /= max(self._distinct(pair[0], left, right), self._distinct(pair[1], left, right), 1.0)
            else:
                rows *= selectivity(condition, self.planner.column_statistics)
        return max(rows, 1.0)

    def _distinct(self, value: Bound, left: Node, right: Node) -> float:
        """Return how many different values one side of an equality is expected to have."""
        read = columns_in(value)
        has = any(isinstance(v, ColumnVar) and (v.relation, v.column) in read for v in left.layout)
        side = left if has else right
        known = self.planner.distinct(value)
        return min(known if known is not None else side.rows, max(side.rows, 1.0))

    def _pair(self, one: Unit, other: Unit, conditions: list[Bound]) -> Node:
        if other.requires:
            return self._lateral("inner", one.node, other.node, conditions)
        left, right = (one, other) if one.node.rows >= other.node.rows else (other, one)
        ways = [self._join("inner", left.node, right.node, conditions)]
        for few, many in ((one, other), (other, one)):
            if many.source is not None:
                found = self._lookup("inner", few.node, many.source, many.node, many.conditions, conditions)
                if found is not None:
                    ways.append(found)
        return min(ways, key=lambda node: node.cost)

    def _join(self, kind: str, left: Node, right: Node, conditions: list[Bound]) -> Node:
        planner = self.planner
        left_side, right_side = _given(left), _given(right)

        def fits(a: Bound, b: Bound) -> bool:
            reads_a, reads_b = planner.relations_of(a), planner.relations_of(b)
            if not reads_a & left_side or not reads_b & right_side:
                return False
            return not (reads_a & right_side or reads_b & left_side or has_subquery(a) or has_subquery(b))

        keys, rest = key_pairs(conditions, fits)
        residual, free = self._condition(left, right, rest)
        rows = self._rows(left, right, conditions)
        if kind in ("left", "full"):
            rows = max(rows, left.rows)
        if kind in ("right", "full"):
            rows = max(rows, right.rows)
        text = planner.shown(conditions)
        if not keys:
            return NestedLoop(kind, left, right, residual, free, rows, text)
        left_expressions, right_expressions = (
            Expressions(left.layout, planner),
            Expressions(right.layout, planner),
        )
        left_keys = [left_expressions.compile(a) for a, _ in keys]
        right_keys = [right_expressions.compile(b) for _, b in keys]
        free = free | frozenset(left_expressions.free) | frozenset(right_expressions.free)
        is_merge = len(keys) == 1 and dtype_of(keys[0][1].type) is not dtype_of(STRING)
        return HashJoin(
            kind, left, right, left_keys, right_keys, residual, free, rows, text, is_merge=is_merge
        )

    def _condition(
        self, left: Node, right: Node, conditions: list[Bound]
    ) -> tuple[Evaluator | None, frozenset[tuple[int, int]]]:
        if not conditions:
            return None, frozenset()
        expressions = Expressions(joined_layout(left, right), self.planner)
        return expressions.compile(self.planner.all_of(conditions)), frozenset(expressions.free)

    def _lateral(self, kind: str, left: Node, right: Node, conditions: list[Bound]) -> Node:
        condition, free = self._condition(left, right, conditions)
        return LateralJoin(kind, left, right, condition, free, self.planner.shown(conditions))

    def _lookup(
        self,
        kind: str,
        left: Node,
        source: Source,
        right: Node,
        own: Sequence[Bound],
        conditions: list[Bound],
    ) -> Node | None:
        """Return a join that asks an index of the right table for each row of the left side, if there is one that answers."""
        if not isinstance(source, TableSource) or kind not in ("inner", "left"):
            return None
        if self.with_rows == source.relation or not conditions:
            return None
        local = frozenset([source.relation])
        if any(has_subquery(c) for c in conditions):
            return None
        if self.planner.nesting > DEEPEST_TRIED and any(has_subquery(c) for c in own):
            return None
        scan, _ = read_table(self.planner, source, [*own, *conditions], local)
        if not isinstance(scan, IndexLookup):
            return None
        scan.rows = self._rows(left, right, conditions) / max(left.rows, 1)
        return LateralJoin(kind, left, scan, None, frozenset(), self.planner.shown(conditions))


def key_pairs(
    conditions: Iterable[Bound], fits: Callable[[Bound, Bound], bool]
) -> tuple[list[tuple[Bound, Bound]], list[Bound]]:
    """Return the equalities by which rows can be looked up, as pairs of sides that fit, turned if need be; and what is left."""
    keys: list[tuple[Bound, Bound]] = []
    rest: list[Bound] = []
    for condition in conditions:
        pair = equality(condition)
        turned = (pair, pair[::-1]) if pair is not None and hashable(pair[0].type, pair[1].type) else ()
        found = next(((a, b) for a, b in turned if fits(a, b)), None)
        if found is None:
            rest.append(condition)
        else:
            keys.append(found)
    return keys, rest


def hashable(one: SqlType, other: SqlType) -> bool:
    """Return whether values of two types have the same keys if they are equal: of one type, or whole numbers, or floats."""
    if one.name == other.name:
        return one.name != "record"
    names = {one.name, other.name}
    return (
        all(n.startswith("int") and n != "interval" for n in names)
        or names <= {"float4", "float8"}
        or names <= {"text", "varchar"}
    )


def _given(node: Node) -> set[int]:
    """Return the relations whose columns a node gives."""
    return {r for value in node.layout for r in relations_in(value)}


def _relations(source: Source) -> frozenset[int]:
    """Return the relations that a source gives, or would give once the subqueries in it are opened."""
    found = set()
    stack = [source]
    while stack:
        one = stack.pop()
        if isinstance(one, JoinSource):
            stack += [one.left, one.right]
            continue
        found.add(one.relation)
        if isinstance(one, QuerySource) and isinstance(one.query.body, BoundSelect):
            stack += one.query.body.sources
    return frozenset(found)
