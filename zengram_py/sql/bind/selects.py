"""Select: one query block, clause by clause in the order in which SQL gives them meaning.

    from ▶ where ▶ group by ▶ having ▶ select ▶ distinct ▶ order by

``group by a`` and ``order by a`` may name an output column: the first only if no input column has the name, the second
before it looks at input columns. A whole number there is the place of an output column.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from .. import tree
from ..bound import (
    Aggregate,
    Bound,
    BoundSelect,
    ColumnVar,
    Invocation,
    Output,
    SortBy,
    WindowCall,
    walk,
)
from ..errors import error
from ..scope import Scope
from ..types import RECORD
from .grouping import Grouped, Keys, grouping_sets
from .names import output_name
from .operators import Place
from .sources import Sources

T = TypeVar("T")

MAX_TARGETS = 1664


class Selects(Sources):
    """The part of the binder that binds selects."""

    def targets(
        self, targets: tuple[tree.Target, ...], scope: Scope, place: Place
    ) -> tuple[list[Bound], list[str]]:
        """Return the output of a list of targets, stars written out, with its names."""
        values: list[Bound] = []
        names: list[str] = []
        for target in targets:
            if isinstance(target.value, tree.Star):
                for name, value in scope.star(target.value.parts, target.at):
                    values.append(value)
                    names.append(name)
                continue
            if isinstance(target.value, tree.Field) and target.value.name is None:
                for name, value in self._expanded(target.value, scope, place):
                    values.append(value)
                    names.append(name)
                continue
            values.append(self.bind(target.value, scope, place))
            names.append(target.alias or output_name(target.value))
        if len(values) > MAX_TARGETS:
            raise error("54011", f"target lists can have at most {MAX_TARGETS} entries")
        return values, names

    def _expanded(self, node: tree.Field, scope: Scope, place: Place) -> list[tuple[str, Bound]]:
        """Return the fields of ``(record).*``."""
        record = self.bind(node.operand, scope, place)
        found = self.fields_of(record, node.at)
        if not found and record.type == RECORD:
            raise error("42809", "record type has not been registered", node.at)
        if not found:
            raise error("42809", f"type {record.type.title} is not composite", record.at)
        return found

    def select(
        self,
        node: tree.Select,
        order_by: tuple[tree.SortKey, ...],
        outer: Scope,
        *,
        keep_unknown: bool,
    ) -> tuple[BoundSelect, tuple[Output, ...]]:
        """Bind a select with its order."""
        scope = Scope(outer)
        sources = self.sources(node.sources, scope)
        where = self.condition(node.where, scope, Place("WHERE"))
        windows = self._named_windows(node)
        place = Place("SELECT", aggregates=True, windows=True, rows=True, named_windows=windows)
        values, names = self.targets(node.targets, scope, place)
        if not keep_unknown:
            values = [self.settled(v) for v in values]
        keys = Keys()
        group_place = Place("GROUP BY", rows=True)
        grouping_sets(node.group_by, keys, lambda e: self._group_key(e, values, names, scope, group_place))
        having = self.condition(node.having, scope, Place("HAVING", aggregates=True))
        order_place = replace(place, name="ORDER BY")
        order = tuple(
            self.sort_key(key, self._key("ORDER BY", key.value, values, names, scope, order_place))
            for key in order_by
        )
        distinct = self._distinct(node, values, names, scope, order_by, order, order_place)
        found = BoundSelect(tuple(values), sources, where, distinct=distinct, order_by=order, having=having)
        found = self._grouped(found, node, keys, scope)
        outputs = tuple(Output(name, value.type) for name, value in zip(names, values, strict=True))
        return found, outputs

    def _named_windows(self, node: tree.Select) -> dict[str, tree.Window]:
        found: dict[str, tree.Window] = {}
        for name, window in node.windows:
            if name in found:
                raise error("42P20", f'window "{name}" is already defined', window.at)
            found[name] = window
        return found

    def _key(
        self,
        clause: str,
        node: tree.Expression,
        values: list[Bound],
        names: list[str],
        scope: Scope,
        place: Place,
    ) -> Bound:
        """Return a key of ``group by``, ``order by`` or ``distinct on``."""
        if isinstance(node, tree.Literal):
            if node.kind != "number" or not node.value.lstrip("-").isdigit():
                raise error("42601", f"non-integer constant in {clause}", node.at)
            position = int(node.value) if len(node.value) < 20 else 1 << 31
            if abs(position) >= 1 << 31:
                raise error("42601", f"non-integer constant in {clause}", node.at)
            if not 1 <= position <= len(values):
                raise error("42P10", f"{clause} position {position} is not in select list", node.at)
            return self._whole(values, position - 1)
        if isinstance(node, tree.ColumnRef) and len(node.parts) == 1:
            name = node.parts[0]
            is_input = any(column == name for column, _ in scope.names.columns)
            if clause != "GROUP BY" or not is_input:
                found = [i for i, title in enumerate(names) if title == name]
                if len({values[i] for i in found}) > 1:
                    raise error("42702", f'{clause} "{name}" is ambiguous', node.at)
                if found:
                    return self._whole(values, found[0])
        return self.settled(self.bind(node, scope, place))

    def _group_key(
        self, node: tree.Expression, values: list[Bound], names: list[str], scope: Scope, place: Place
    ) -> Bound:
        bound = self._key("GROUP BY", node, values, names, scope, place)
        for kind, what, sqlstate in ((Aggregate, "aggregate", "42803"), (WindowCall, "window", "42P20")):
            if any(isinstance(n, kind) for n in walk(bound)):
                raise error(sqlstate, f"{what} functions are not allowed in GROUP BY", node.at)
        return bound

    def _whole(self, values: list[Bound], position: int) -> Bound:
        """Return an output as a key: it must have a type then, and as an output the same."""
        values[position] = self.settled(values[position])
        return values[position]

    def _distinct(
        self,
        node: tree.Select,
        values: list[Bound],
        names: list[str],
        scope: Scope,
        order_by: tuple[tree.SortKey, ...],
        order: tuple[SortBy, ...],
        place: Place,
    ) -> tuple[Bound, ...] | None:
        if node.distinct is None:
            return None
        if not node.distinct:
            for key in order:
                if key.value not in values:
                    message = "for SELECT DISTINCT, ORDER BY expressions must appear in select list"
                    raise error("42P10", message, key.value.at)
            return ()
        # what is written alike is one value: a subquery that is bound twice would be two
        written = [(sort_key.value, sort.value) for sort_key, sort in zip(order_by, order, strict=True)]
        if not any(isinstance(target.value, tree.Star) for target in node.targets):
            written += [(target.value, value) for target, value in zip(node.targets, values, strict=True)]
        keys = tuple(
            next((value for known, value in written if known == e), None)
            or self._key("DISTINCT ON", e, values, names, scope, place)
            for e in node.distinct
        )
        wanted = set(keys)
        for sort in order:
            if not wanted:
                break
            if sort.value not in keys:
                message = "SELECT DISTINCT ON expressions must match initial ORDER BY expressions"
                raise error("42P10", message, node.distinct[0].at)
            wanted.discard(sort.value)
        return keys

    # Groups and windows.

    def _grouped(self, found: BoundSelect, node: tree.Select, keys: Keys, scope: Scope) -> BoundSelect:
        """Return a select with what it aggregates, after checking that its output can be had from that."""
        outputs = (*found.targets, *found.order_by, *(found.distinct or ()))
        everywhere = (*outputs, *([found.having] if found.having is not None else []))
        aggregates = list(dict.fromkeys((*_unique(everywhere, Aggregate), *scope.aggregates)))
        windows = _unique(outputs, WindowCall)
        rows = _unique(outputs, Invocation, lambda node: node.signature.gives_rows)
        grouped = bool(node.group_by or aggregates or found.having is not None)
        if grouped:
            check = Grouped(keys, _own(scope), found.sources)
            for value in everywhere:
                check.check(value)
            for aggregate in aggregates:
                if aggregate.grouping and not all(a in keys.values for a in aggregate.arguments):
                    message = (
                        "arguments to GROUPING must be grouping expressions of the associated query level"
                    )
                    raise error("42803", message, aggregate.at)
        return replace(
            found,
            is_grouped=grouped,
            groups=tuple(keys.values),
            grouping_sets=None if keys.sets is None else tuple(keys.sets),
            group_distinct=node.group_distinct,
            aggregates=tuple(aggregates),
            outside=tuple((name, aggregate) for aggregate, name in scope.aggregates.items()),
            windows=tuple(windows),
            row_functions=tuple(rows),
        )


def _unique(values: tuple[object, ...], kind: type[T], fits: Callable[[T], bool] = lambda _: True) -> list[T]:
    """Return the different nodes of a kind in some values, subqueries aside."""
    found: dict[T, None] = {}
    for value in values:
        found.update(dict.fromkeys(n for n in walk(value) if isinstance(n, kind) and fits(n)))
    return list(found)


def _own(scope: Scope) -> dict[int, str]:
    """Return the relations of a scope, each with the name by which a message calls it."""
    found: dict[int, str] = {}
    for table in scope.names.tables:
        for _, value in table.columns:
            for node in walk(value):
                if isinstance(node, ColumnVar):
                    found.setdefault(node.relation, table.name)
    for _, value in scope.names.columns:
        for node in walk(value):
            if isinstance(node, ColumnVar):
                found.setdefault(node.relation, "")
    return found
