"""Walks: quantified edges as common table expressions that recurse.

    (a)-[e]->{1,9}(b)     with recursive walk (begin, end, length) as (
                              select a.id, a.id, 0 from … a
                              union all select walk.begin, link.to, length + 1 from walk, … link where link.from = walk.end and length < 9)

The keys of both ends are columns, as many as the vertex's key has.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .. import tree
from ..errors import unsupported
from .graph_trees import all_of, ends_of, joined, source_of, variables_in
from .graphs import Element

if TYPE_CHECKING:
    from .graph_patterns import Edge, Pattern, Vertex

UNROLLED = 3
"""The greatest quantifier whose lengths are joins."""


def walk_over(pattern: Pattern, edge: Edge, vertex: Element) -> tuple[tree.FromItem, list[tree.Expression]]:
    """Return what joins the two ends of a quantified edge, and the conditions by which it does.

    Parameters
    ----------
    pattern : Pattern
        Gets the common table expression.
    edge : Edge
        The quantified edge.
    vertex : Element
        The table of all vertices on the way.
    """
    return _Walk(pattern, edge, vertex).made()


class _Walk:
    def __init__(self, pattern: Pattern, edge: Edge, vertex: Element) -> None:
        self.pattern = pattern
        self.edge = edge
        self.vertex = vertex
        self.keys = range(len(vertex.key))
        self.begin = [f"begin {i}" for i in self.keys]
        self.end = [f"end {i}" for i in self.keys]

    def made(self) -> tuple[tree.FromItem, list[tree.Expression]]:
        """Return what :func:`walk_over` does."""
        edge, vertex = self.edge, self.vertex
        tables = self._tables()
        backward = not self._is_told(edge.left) and self._is_told(edge.right)
        start, stop = (edge.right, edge.left) if backward else (edge.left, edge.right)
        name = self.pattern.new_alias("walk")
        links = self._links(tables, backward=backward)
        if edge.node.most is None:
            statement, columns = self._unbounded(start, links, name), (*self.begin, *self.end)
        else:
            statement, columns = self._bounded(start, links, name), (*self.begin, *self.end, "length")
        self.pattern.ctes.append(tree.CommonTable(name, columns, statement, at=edge.node.at))
        conditions = [
            *joined(name, self.begin, start.alias, vertex.key),
            *joined(name, self.end, stop.alias, vertex.key),
        ]
        if edge.node.most is not None and edge.node.least:
            least = tree.Literal("number", str(edge.node.least))
            conditions.append(tree.Operator(">=", tree.ColumnRef((name, "length")), least))
        return tree.TableRef((name,), at=edge.node.at), conditions

    def _tables(self) -> list[Element]:
        """Return the tables of edges that a walk goes over; both ends of all are in one table of vertices."""
        tables = self.edge.candidates(self.pattern.graph)
        own = {self.vertex.alias}
        for table in tables:
            ends = {end.vertex for end in ends_of(table)}
            if ends != own and (ends & own or len(tables) == 1):
                what = f"a quantifier above {UNROLLED} for edges between different vertices"
                raise unsupported(what, self.edge.node.at)
        return [table for table in tables if ends_of(table)[0].vertex == self.vertex.alias]

    def _is_told(self, vertex: Vertex) -> bool:
        """Return whether something is said about a vertex alone."""
        return bool(vertex.where) or bool(self._own_conditions(vertex))

    def _own_conditions(self, vertex: Vertex) -> list[tree.Expression]:
        """Return the conditions of the pattern that read nothing but a vertex."""
        where = self.pattern.item.where
        if where is None or vertex.variable is None:
            return []
        parts = where.operands if isinstance(where, tree.Logical) and where.name == "and" else (where,)
        return [part for part in parts if variables_in(part) == {vertex.variable}]

    def _seeds(self, vertex: Vertex) -> tree.Expression | None:
        """Return what is known of the vertices where a walk begins."""
        known = [*vertex.where, *self._own_conditions(vertex)]
        conditions = [self.pattern.meant(part, {vertex.alias: self.vertex}) for part in known]
        return all_of(conditions) if conditions else None

    def _links(self, tables: Sequence[Element], *, backward: bool) -> list[tree.Select]:
        """Return selects that give the keys of both ends of all edges, in the direction of the walk."""
        node = self.edge.node
        found = []
        for table in tables:
            source, destination = ends_of(table)
            if source.references != self.vertex.key or destination.references != self.vertex.key:
                raise unsupported("a walk over edges that refer to another key", node.at)
            pairs = [(source, destination)] if node.direction in ("right", "any") else []
            pairs += [(destination, source)] if node.direction in ("left", "any") else []
            for one, other in pairs:
                conditions = []
                if node.where is not None:
                    conditions.append(self.pattern.meant(node.where, {self.edge.alias: table}))
                if node.direction == "any" and one is destination:  # loops were met in the other direction
                    loop = joined(self.edge.alias, source.columns, self.edge.alias, destination.columns)
                    conditions.append(tree.Not(all_of(loop)))
                first, second = (other, one) if backward else (one, other)
                found.append(self._link(table, first.columns, second.columns, conditions))
        return found

    def _link(
        self,
        table: Element,
        first: Sequence[str],
        second: Sequence[str],
        conditions: Sequence[tree.Expression],
    ) -> tree.Select:
        targets = [
            tree.Target(tree.ColumnRef((self.edge.alias, column)), f"{title} {i}")
            for title, columns in (("from", first), ("to", second))
            for i, column in enumerate(columns)
        ]
        where = all_of(conditions) if conditions else None
        return tree.Select(tuple(targets), None, (source_of(table, self.edge.alias),), where)

    def _linked(self, links: Sequence[tree.Select], alias: str) -> tree.FromItem:
        """Return the edges as a table."""
        queries = [tree.Query(s, at=s.at) for s in links]
        if len(queries) == 1:
            return tree.QueryRef(queries[0], tree.Alias(alias))
        body = tree.SetOperation(queries[0], tuple(("union", True, q) for q in queries[1:]))
        return tree.QueryRef(tree.Query(body), tree.Alias(alias))

    def _further(
        self, name: str, links: Sequence[tree.Select]
    ) -> tuple[list[tree.Target], list[tree.FromItem], list[tree.Expression]]:
        """Return one edge more: both ends, what they are read from, and what joins the edge to the walk."""
        targets = [
            *(tree.Target(tree.ColumnRef((name, c))) for c in self.begin),
            *(tree.Target(tree.ColumnRef(("link", f"to {i}"))) for i in self.keys),
        ]
        sources = [tree.TableRef((name,)), self._linked(links, "link")]
        return targets, sources, joined("link", [f"from {i}" for i in self.keys], name, self.end)

    def _bounded(self, start: Vertex, links: Sequence[tree.Select], name: str) -> tree.Query:
        """Return a walk that counts its edges."""
        keys = [tree.ColumnRef((start.alias, c)) for c in self.vertex.key]
        first = tree.Select(
            tuple(tree.Target(k) for k in (*keys, *keys, tree.Literal("number", "0"))),
            None,
            (source_of(self.vertex, start.alias),),
            self._seeds(start),
        )
        targets, sources, conditions = self._further(name, links)
        length = tree.ColumnRef((name, "length"))
        targets.append(tree.Target(tree.Operator("+", length, tree.Literal("number", "1"))))
        most = tree.Literal("number", str(self.edge.node.most))
        conditions.append(tree.Operator("<", length, most))
        further = tree.Select(tuple(targets), None, tuple(sources), all_of(conditions))
        return tree.Query(tree.SetOperation(tree.Query(first), (("union", True, tree.Query(further)),)))

    def _unbounded(self, start: Vertex, links: Sequence[tree.Select], name: str) -> tree.Query:
        """Return a walk of any length: which vertices are reached from which."""
        keys: list[tree.Expression] = [tree.ColumnRef((start.alias, c)) for c in self.vertex.key]
        sources: list[tree.FromItem] = [source_of(self.vertex, start.alias)]
        seeds = self._seeds(start)
        conditions = [] if seeds is None else [seeds]
        last, before, columns = keys, start.alias, list(self.vertex.key)
        for i in range(self.edge.node.least):
            link = f"link {i}"
            sources.append(self._linked(links, link))
            conditions += joined(link, [f"from {k}" for k in self.keys], before, columns)
            before, columns = link, [f"to {k}" for k in self.keys]
            last = [tree.ColumnRef((link, c)) for c in columns]
        where = all_of(conditions) if conditions else None
        first = tree.Select(tuple(tree.Target(k) for k in (*keys, *last)), None, tuple(sources), where)
        targets, more, joins = self._further(name, links)
        further = tree.Select(tuple(targets), None, tuple(more), all_of(joins))
        return tree.Query(tree.SetOperation(tree.Query(first), (("union", False, tree.Query(further)),)))
