"""Grouping: whether a query has groups, and whether what it outputs can be had from them.

An expression over grouped rows may hold keys of the groups, aggregates, and constants; a column of a single row is 42803. It may stand
there if a primary key of its table is among the keys: then the key tells it, and it becomes a key itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from itertools import product
from typing import Any

from .. import nodes, tree
from ..bound import Aggregate, Bound, ColumnVar, Source, TableSource
from ..bound.queries import JoinSource
from ..bound.walking import everything
from ..errors import error

MAX_SETS = 4096


@nodes.node(slots=True)
class Keys:
    """The keys of the groups of a query, and the sets of them that ``rollup`` and its kin make."""

    values: list[Bound] = field(default_factory=list)
    sets: list[tuple[int, ...]] | None = None

    def place(self, value: Bound) -> int:
        """Return the place of a key, which is made if it is new."""
        if value not in self.values:
            self.values.append(value)
        return self.values.index(value)


def grouping_sets(
    items: tuple[tree.GroupItem, ...], keys: Keys, bind: Callable[[tree.Expression], Bound]
) -> None:
    """Note the keys of ``group by``, and its sets if there are any but the one of all keys."""
    choices = [_sets(item, keys, bind) for item in items]
    if all(item.kind == "plain" and (item.columns or len(items) == 1) for item in items):
        keys.sets = None if all(item.columns for item in items) else [()]
        return
    count = 1
    for choice in choices:
        count *= len(choice)
    if count > MAX_SETS:
        raise error("54001", f"too many grouping sets present (maximum {MAX_SETS})", items[0].at)
    found = []
    for picked in product(*choices):
        joined: dict[int, None] = {}
        for part in picked:
            joined.update(dict.fromkeys(part))
        found.append(tuple(joined))
    keys.sets = found


def _sets(
    item: tree.GroupItem, keys: Keys, bind: Callable[[tree.Expression], Bound]
) -> list[tuple[int, ...]]:
    if item.kind == "plain":
        return [tuple(keys.place(bind(c)) for c in item.columns)]
    if item.kind == "sets":
        return [found for inner in item.sets for found in _sets(inner, keys, bind)]
    groups = [tuple(keys.place(bind(c)) for c in group) for group in item.groups]
    if item.kind == "rollup":
        return [sum(groups[:n], ()) for n in range(len(groups), -1, -1)]
    if len(groups) > 12:
        raise error("54011", "CUBE is limited to 12 elements", item.at)
    picks = product((True, False), repeat=len(groups))
    return [sum((g for g, used in zip(groups, pick, strict=True) if used), ()) for pick in picks]


class Grouped:
    """The check of what may be output of grouped rows."""

    def __init__(self, keys: Keys, own: dict[int, str], sources: tuple[Source, ...]) -> None:
        self.keys = keys
        self.own = own
        self.tables = {s.relation: s.table for source in sources for s in _tables(source)}

    def check(self, value: Any) -> None:
        """Refuse a value that needs a single row."""
        known = self.keys.values

        def inside(node: Any) -> bool:
            return not isinstance(node, Aggregate) and not (isinstance(node, Bound) and node in known)

        for node in everything(value, inside):
            if isinstance(node, ColumnVar) and node.relation in self.own and node not in known:
                if not self._follows(node):
                    title = f"{self.own[node.relation]}.{node.name}".lstrip(".")
                    message = f'column "{title}" must appear in the GROUP BY clause or be used in an aggregate function'
                    raise error("42803", message, node.at)
                self.keys.values.append(node)

    def _follows(self, node: ColumnVar) -> bool:
        """Return whether a primary key among the keys tells a column."""
        table = self.tables.get(node.relation)
        if table is None or not table.primary_key or self.keys.sets is not None:
            return False
        names = [c.name for c in table.columns]
        grouped = {
            k.column for k in self.keys.values if isinstance(k, ColumnVar) and k.relation == node.relation
        }
        return all(names.index(column) in grouped for column in table.primary_key)


def _tables(source: Source) -> Iterator[TableSource]:
    if isinstance(source, TableSource):
        yield source
    elif isinstance(source, JoinSource):
        yield from _tables(source.left)
        yield from _tables(source.right)
