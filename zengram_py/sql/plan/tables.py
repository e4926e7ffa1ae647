"""Ways to read one table: which index, if any, for the conditions and the order that are wanted.

    a = 1, a in (1, 2)               an index lookup, if all parts of a hash or ordered index have values
    a = 1 and b between 2 and 3      a range of an ordered index
    order by a, b limit 10           an ordered index in its order
    order by v <-> $1 limit 10       a vector index whose metric is the operator's
    j @> $1, tags && $1              a GIN index, for what may contain it

The way that costs least is taken; that of reading all rows is always there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ...engine import IndexDef, TableDef
from ...engine.index.items import OPERATORS
from ..bind.implication import implies
from ..bound import Bound, CastTo, ColumnVar, Invocation, Membership, SortBy, TableSource
from ..execute.expressions import Evaluator
from ..nodes import node
from .conditions import equality, is_volatile, selectivity
from .scan import Bounds, GinScan, IndexLookup, IndexScan, Scan, TableScan, VectorScan

if TYPE_CHECKING:
    from .planner import Planner

ROW, FILTER, FOUND_ROW, KEY, RANGED_ROW = 0.03, 0.03, 4.0, 12.0, 0.6
"""What things cost, about microseconds: a row of a scan, a condition on a row, a row by its key, a key, a row of a range."""
_MIRROR = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_METRICS = {"<->": "l2", "<=>": "cosine", "<#>": "ip"}


@node(frozen=True, slots=True)
class Wanted:
    """An order in which rows are wanted, and how many of them.

    Attributes
    ----------
    order : tuple of SortBy
        Keys.
    limit, offset : Evaluator or None
        Of the query.
    rows : float
        How many rows are expected to be wanted.
    """

    order: tuple[SortBy, ...]
    limit: Evaluator | None
    offset: Evaluator | None
    rows: float


def read_table(
    planner: Planner,
    source: TableSource,
    conditions: Sequence[Bound],
    local: frozenset[int],
    *,
    with_rows: bool = False,
    wanted: Wanted | None = None,
) -> tuple[Scan, bool]:
    """Return the cheapest way to read a table's rows that meet some conditions, and whether they come in the order that is wanted.

    Parameters
    ----------
    conditions : sequence of Bound
        On columns of this table, and of relations around it.
    local : frozenset of int
        Relations whose columns are no values for an index: those of the same query that are not read before.
    wanted : Wanted, optional
        An order.
    """
    statistics = planner.table_statistics(source)
    share = 1.0
    for condition in conditions:
        share *= selectivity(condition, planner.column_statistics)
    rows = max(statistics.rows * share, 1.0 if statistics.rows else 0.0)
    cost = 20 + statistics.rows * (ROW * max(1, len(planner.columns_of(source))) + FILTER * len(conditions))
    finder = _Finder(planner, source, conditions, local, with_rows)
    ways = [finder.way(TableScan, rows, cost)]
    for index in source.table.indexes:
        if not has_all(index, conditions):
            continue
        if index.kind in ("hash", "ordered"):
            ways += _keyed(finder, index, rows, statistics.rows)
        if index.kind == "ordered":
            ways += _ranged(finder, index, rows, statistics.rows, wanted)
        if index.kind == "gin":
            ways += _containing(finder, index, rows)
        if wanted is not None and index.kind in ("hnsw", "flat", "auto"):
            ways += _nearest(finder, index, rows, statistics.rows, wanted)
    sorting = rows * 0.3 if wanted is not None else 0.0
    _, ordered, make = min(ways, key=lambda way: way[0] + (0 if way[1] else sorting))
    return make(), ordered


def has_all(index: IndexDef, conditions: Sequence[Bound]) -> bool:
    """Return whether an index holds all rows that some conditions let through: a partial one, if they imply its own."""
    if index.where is None:
        return True
    return not isinstance(index.where, dict) and implies(conditions, index.where, _cannot_read)


def _cannot_read(text: str) -> Bound:
    raise AssertionError(f"{text!r} is no tree")


Way = tuple[float, bool, Callable[[], Scan]]
"""What it costs, whether it gives the order that is wanted, and what makes it."""


class _Finder:
    """Finds what conditions say of the columns of one table."""

    def __init__(
        self,
        planner: Planner,
        source: TableSource,
        conditions: Sequence[Bound],
        local: frozenset[int],
        with_rows: bool,
    ) -> None:
        self.planner, self.source, self.conditions, self.with_rows = planner, source, conditions, with_rows
        self.table: TableDef = source.table
        self.equal: dict[str, list[Bound]] = {}
        self.lists: dict[str, tuple[Bound, ...]] = {}
        self.low: dict[str, tuple[Bound, bool]] = {}
        self.high: dict[str, tuple[Bound, bool]] = {}
        self._local = local
        for condition in conditions:
            self._note(condition)

    def way(
        self,
        kind: Callable[..., Scan],
        rows: float,
        cost: float,
        *parts: Any,
        gives_order: bool = False,
        **more: Any,
    ) -> Way:
        """Return a way to read the table by a kind of scan, made of these parts."""
        place = self.planner, self.source, self.conditions
        options = {"rows": rows, "cost": cost, "with_rows": self.with_rows, **more}
        return cost, gives_order, partial(kind, *place, *parts, **options)

    def _note(self, condition: Bound) -> None:
        if isinstance(condition, Membership) and not condition.negated:
            name = self.column(condition.operand)
            if name is not None and all(self.is_value(i) for i in condition.items):
                self.lists[name] = condition.items
            return
        pair = equality(condition)
        if pair is not None:
            for one, other in (pair, pair[::-1]):
                name = self.column(one)
                if name is not None and self.is_value(other) and self._alike(one, other):
                    self.equal.setdefault(name, []).append(other)
            return
        if isinstance(condition, Invocation) and condition.signature.name in _MIRROR:
            left, right = condition.arguments
            operator = condition.signature.name
            if self.column(left) is None:
                left, right, operator = right, left, _MIRROR[operator]
            name = self.column(left)
            if name is not None and self.is_value(right) and self._alike(left, right):
                bound = right, operator.endswith("=")
                (self.low if operator[0] == ">" else self.high).setdefault(name, bound)

    def column(self, node: Bound, *, whole: bool = False) -> str | None:
        """Return the name of the table's column that a value is; None if it is none, or not compared as an index compares it.

        With ``whole`` it is not compared, but looked into.
        """
        node = self.planner.resolved(node)
        if isinstance(node, CastTo) and node.type.name == "text" and node.operand.type.name == "varchar":
            node = self.planner.resolved(node.operand)
        if not isinstance(node, ColumnVar) or node.relation != self.source.relation:
            return None
        if node.type.name in ("bpchar", "jsonb") and not whole:
            return None
        return self.table.columns[node.column].name

    def is_value(self, node: Bound) -> bool:
        """Return whether a value is the same for all rows of the table."""
        return not (self.planner.relations_of(node) & self._local) and not is_volatile(node)

    @staticmethod
    def _alike(one: Bound, other: Bound) -> bool:
        first, second = one.type, other.type
        return first.name == second.name or all(t.name.startswith("int") for t in (first, second))


def _names(index: IndexDef) -> list[str] | None:
    """Return the columns of an index; None if it has expressions."""
    found = [key[1] for key in index.keys if isinstance(key, list) and key[0] == "col"]
    return found if len(found) == len(index.keys) else None


def _keyed(finder: _Finder, index: IndexDef, rows: float, total: float) -> list[Way]:
    names = _names(index)
    if names is None:
        return []
    keys: list[tuple[Bound, ...]] = [()]
    for name in names:
        values = finder.equal.get(name)
        if values:
            keys = [(*key, values[0]) for key in keys]
        elif name in finder.lists and len(keys) * len(finder.lists[name]) <= 10_000:
            keys = [(*key, item) for key in keys for item in finder.lists[name]]
        else:
            return []
    found = float(len(keys)) if index.unique else max(rows, float(len(keys)))
    expected = min(rows, found) if index.unique else rows
    return [finder.way(IndexLookup, expected, len(keys) * KEY + found * FOUND_ROW, index, keys)]


def _ranged(
    finder: _Finder,
    index: IndexDef,
    rows: float,
    total: float,
    wanted: Wanted | None,
) -> list[Way]:
    names = _names(index)
    if names is None:
        return []
    equal: list[Bound] = []
    for name in names:
        if name not in finder.equal:
            break
        equal.append(finder.equal[name][0])
    low = high = None
    if len(equal) < len(names):
        low, high = finder.low.get(names[len(equal)]), finder.high.get(names[len(equal)])
    bounds = Bounds(tuple(equal), low, high)
    order = None if wanted is None else _direction(finder, names, len(equal), wanted.order)
    ways = []
    ranged = total * _share(finder, names[: len(equal)], low, high, names)
    if equal or low or high:
        ways.append(finder.way(IndexScan, rows, 40 + ranged * RANGED_ROW, index, bounds))
    if order is not None and wanted is not None and finder.source.as_of is None:
        share = max(rows / ranged, 1e-6) if ranged else 1.0
        visited = ranged if wanted.limit is None else min(ranged, wanted.rows / share + 32)
        cost = 40 + visited * RANGED_ROW * 2
        more = {"descending": order, "in_order": True}
        ways.append(finder.way(IndexScan, rows, cost, index, bounds, gives_order=True, **more))
    return ways


def _share(
    finder: _Finder,
    equal: Sequence[str],
    low: tuple[Bound, bool] | None,
    high: tuple[Bound, bool] | None,
    names: Sequence[str],
) -> float:
    """Return which share of the table lies in a range."""
    wanted = set(equal)
    ranged = names[len(equal)] if low or high else None
    share = 1.0
    for condition in finder.conditions:
        pair = equality(condition)
        if pair is not None:
            if {finder.column(pair[0]), finder.column(pair[1])} & wanted:
                share *= selectivity(condition, finder.planner.column_statistics)
            continue
        if isinstance(condition, Invocation) and condition.signature.name in _MIRROR and ranged:
            sides = [finder.column(a) for a in condition.arguments]
            if ranged in sides:
                share *= selectivity(condition, finder.planner.column_statistics)
    return share


def _direction(finder: _Finder, names: Sequence[str], fixed: int, order: Sequence[SortBy]) -> bool | None:
    """Return whether an index gives an order, and how: False from the start, True from the end, None not at all."""
    rest = list(names[fixed:])
    directions = set()
    for key in order:
        name = finder.column(key.value)
        if name is not None and name in names[:fixed]:
            continue  # it has one value
        if not rest or name != rest.pop(0) or key.nulls_first != key.descending:
            return None
        directions.add(key.descending)
    if len(directions) > 1:
        return None
    return directions.pop() if directions else False


def _containing(finder: _Finder, index: IndexDef, rows: float) -> list[Way]:
    """Return searches of a GIN index: for each condition that compares one of its columns with a value by an operator that it answers."""
    ways = []
    for condition in finder.conditions:
        if not isinstance(condition, Invocation) or len(condition.arguments) != 2:
            continue
        left, right = condition.arguments
        operator = condition.signature.name
        if operator == "<@" and finder.column(left, whole=True) is None:
            left, right, operator = right, left, "@>"
        name = finder.column(left, whole=True)
        if name is None or not finder.is_value(right):
            continue
        for key, (column, operator_class) in enumerate(
            zip(_names(index) or (), index.options["ops"], strict=False)
        ):
            if column == name and operator in OPERATORS[operator_class]:
                ways.append(finder.way(GinScan, rows, 80 + rows * 2, index, (key, operator, right)))
    return ways


def _nearest(
    finder: _Finder,
    index: IndexDef,
    rows: float,
    total: float,
    wanted: Wanted,
) -> list[Way]:
    """Return a search of a vector index, if the first key of the order is a distance to one vector that it measures."""
    names = _names(index)
    key = wanted.order[0]
    value = finder.planner.resolved(key.value)
    limit = wanted.limit
    if names is None or limit is None or key.descending or key.nulls_first or len(wanted.order) > 1:
        return []
    if not isinstance(value, Invocation) or _METRICS.get(value.signature.name) != index.options.get("metric"):
        return []
    left, right = value.arguments
    if finder.column(left) is None:
        left, right = right, left
    if finder.column(left) != names[0] or not finder.is_value(right):
        return []
    cost = 400 + total * 0.005 + (total * FILTER * len(finder.conditions))

    _, _, make = finder.way(VectorScan, min(rows, wanted.rows), cost, index, right, limit, wanted.offset)
    # its rows are sorted again by what the query says: exact distances are at hand there
    return [(cost - rows * 0.3, False, make)]
