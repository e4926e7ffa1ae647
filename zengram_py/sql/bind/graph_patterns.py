"""Patterns in a graph, as queries.

    match (a is person where a.age > 30)-[k is knows]->(b)       select … from person a, knows k, person b
                                                                 where a.id = k.source and k.destination = b.id and a.age > 30

A pattern may mean several tables (a vertex without a label, two labels, an edge without a direction, ``{1,3}``). Each meaning is one select of
what it joins, and all together are a union. A quantifier up to :data:`UNROLLED` is that many meanings; a greater one is a recursive
common table expression that walks from one end of the edge, the one about which the pattern says more.

A walk that may be of any length (``*``, ``+``, ``{2,}``) gives each vertex that it comes to once for each one that it began at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, product
from typing import Any

from .. import tree
from ..errors import error, unsupported
from ..parse import parse_type
from ..scope import Catalogue
from ..tree.mapping import mapped
from .columns import type_of_column
from .graph_trees import all_of, ends_of, joined, renamed, source_of
from .graph_walks import UNROLLED, walk_over
from .graphs import Element, Graph, graph_of

MAX_MEANINGS = 200
MAX_LOOKED_AT = 5000


@dataclass(eq=False)
class Vertex:
    """A vertex of a pattern; all places with one variable are one."""

    alias: str
    variable: str | None = None
    labels: list[tuple[str, ...]] = field(default_factory=list)
    where: list[tree.Expression] = field(default_factory=list)

    def candidates(self, graph: Graph) -> list[Element]:
        """Return the tables that it may be of."""
        return [e for e in graph.vertices.values() if all(not ls or e.label in ls for ls in self.labels)]


@dataclass(eq=False)
class Edge:
    """An edge of a pattern between two vertices."""

    alias: str
    left: Vertex
    right: Vertex
    node: tree.PathElement

    def candidates(self, graph: Graph) -> list[Element]:
        """Return the tables that it may be of."""
        labels = self.node.labels
        return [e for e in graph.edges.values() if not labels or e.label in labels]

    @property
    def is_single(self) -> bool:
        """Whether it is one edge."""
        return self.node.least == self.node.most == 1


@dataclass(eq=False)
class Step:
    """One edge of a meaning, in one direction: from the left to the right, or back."""

    edge: Edge
    alias: str
    left: Vertex
    right: Vertex
    is_forward: bool
    is_second: bool
    """Whether it is the other direction of an edge without one, in which loops were met already."""


@dataclass(eq=False)
class Meaning:
    """A pattern in which every quantifier and direction is decided."""

    vertices: list[Vertex]
    steps: list[Step]
    walks: list[Edge]
    same: list[tuple[Vertex, Vertex]]
    """Vertices that are one, since there are no edges between them."""


class Pattern:
    """All that a ``match`` says.

    Parameters
    ----------
    catalogue : Catalogue
        Where the graph is.
    item : GraphTable
        The statement's.
    """

    def __init__(self, catalogue: Catalogue, item: tree.GraphTable) -> None:
        self.catalogue = catalogue
        self.graph: Graph = graph_of(catalogue, item.graph, item.at)
        self.item = item
        self.vertices: list[Vertex] = []
        self.edges: list[Edge] = []
        self._by_variable: dict[str, Vertex] = {}
        self.ctes: list[tree.CommonTable] = []
        self._count = 0
        for path in item.paths:
            self._read(path)

    def _read(self, path: Sequence[tree.PathElement]) -> None:
        left = self._vertex(path[0])
        for edge, vertex in zip(path[1::2], path[2::2], strict=True):
            right = self._vertex(vertex)
            alias = self.new_alias("edge") if edge.variable is None else edge.variable
            if edge.variable is not None and (
                edge.variable in self._by_variable or any(e.alias == edge.variable for e in self.edges)
            ):
                raise unsupported("a variable that is there twice", edge.at)
            self.edges.append(Edge(alias, left, right, edge))
            left = right

    def _vertex(self, node: tree.PathElement) -> Vertex:
        found = None if node.variable is None else self._by_variable.get(node.variable)
        if found is None:
            found = Vertex(node.variable or self.new_alias("vertex"), node.variable)
            self.vertices.append(found)
            if node.variable is not None:
                self._by_variable[node.variable] = found
        found.labels.append(node.labels)
        if node.where is not None:
            found.where.append(node.where)
        return found

    def new_alias(self, what: str) -> str:
        """Return a name that no statement gives."""
        self._count += 1
        return f"{what} {self._count}"

    # As a query.

    def query(self) -> tree.Query:
        """Return the query that gives the columns of the pattern."""
        self._check_labels()
        selects = []
        for looked_at, meaning in enumerate(self._meanings()):
            selects += [self._select(meaning, tables) for tables in self._tables(meaning)]
            if len(selects) > MAX_MEANINGS or looked_at > MAX_LOOKED_AT:
                hint = "Give labels and directions, or smaller quantifiers."
                raise error("54001", "the pattern means too many different things", self.item.at, hint=hint)
        if not selects:
            selects = [self._nothing()]
        with_ = tree.With(tuple(self.ctes), True) if self.ctes else None
        if len(selects) == 1:
            return tree.Query(selects[0], with_, at=self.item.at)
        queries = [tree.Query(s, at=self.item.at) for s in selects]
        body = tree.SetOperation(queries[0], tuple(("union", True, q) for q in queries[1:]), at=self.item.at)
        return tree.Query(body, with_, at=self.item.at)

    def _check_labels(self) -> None:
        known = {e.label for e in self.graph.vertices.values()}
        known_of_edges = {e.label for e in self.graph.edges.values()}
        for labels, there, at in (
            *((ls, known, self.item.at) for v in self.vertices for ls in v.labels),
            *((e.node.labels, known_of_edges, e.node.at) for e in self.edges),
        ):
            for label in labels:
                if label not in there:
                    message = f'label "{label}" does not exist in property graph "{self.graph.name[2]}"'
                    raise error("42704", message, at)

    def _meanings(self) -> Iterator[Meaning]:
        """Yield the pattern with every quantifier and direction decided."""
        for chosen in product(*(self._lengths(e) for e in self.edges)):
            vertices, walks, same = list(self.vertices), [], []
            chains: list[tuple[Edge, list[Vertex]]] = []
            for edge, length in zip(self.edges, chosen, strict=True):
                if length is None:
                    walks.append(edge)
                elif not length:
                    same.append((edge.left, edge.right))
                else:
                    between = [Vertex(self.new_alias("vertex")) for _ in range(length - 1)]
                    vertices += between
                    chains.append((edge, [edge.left, *between, edge.right]))
            for steps in self._directed(chains):
                yield Meaning(vertices, steps, walks, same)

    @staticmethod
    def _lengths(edge: Edge) -> list[int | None]:
        """Return the lengths of an edge that are meanings of their own; None is a walk."""
        least, most = edge.node.least, edge.node.most
        if most is None or most > UNROLLED:
            return [None]
        return list(range(least, most + 1))

    def _directed(self, chains: Sequence[tuple[Edge, list[Vertex]]]) -> Iterator[list[Step]]:
        """Yield the single edges of chains with all their directions."""
        links = [(e, a, b) for e, vertices in chains for a, b in pairwise(vertices)]
        options = [
            [(True, False), (False, True)]
            if e.node.direction == "any"
            else [(e.node.direction == "right", False)]
            for e, _, _ in links
        ]
        for directions in product(*options):
            yield [
                Step(e, e.alias if e.is_single else self.new_alias("edge"), a, b, forward, second)
                for (e, a, b), (forward, second) in zip(links, directions, strict=True)
            ]

    def _tables(self, meaning: Meaning) -> Iterator[dict[Any, Element]]:
        """Yield the tables that vertices and steps of a meaning may be of together."""
        found: dict[Any, Element] = {}

        def fits(vertex: Vertex, alias: str) -> bool:
            known = found.get(vertex)
            if known is not None:
                return known.alias == alias
            return any(e.alias == alias for e in vertex.candidates(self.graph))

        def choose(at: int) -> Iterator[dict[Any, Element]]:
            if at < len(meaning.steps):
                step = meaning.steps[at]
                for edge in step.edge.candidates(self.graph):
                    ends = ends_of(edge)
                    first, second = ends if step.is_forward else ends[::-1]
                    if not fits(step.left, first.vertex):
                        continue
                    if step.left is step.right and first.vertex != second.vertex:
                        continue
                    if not fits(step.right, second.vertex):
                        continue
                    before = dict(found)
                    found[step] = edge
                    found[step.left] = self.graph.vertices[first.vertex]
                    found[step.right] = self.graph.vertices[second.vertex]
                    yield from choose(at + 1)
                    found.clear()
                    found.update(before)
                return
            rest = [v for v in meaning.vertices if v not in found]
            for tables in product(*(v.candidates(self.graph) for v in rest)):
                whole = {**found, **dict(zip(rest, tables, strict=True))}
                if all(whole[a].alias == whole[b].alias for a, b in meaning.same) and all(
                    whole[w.left].alias == whole[w.right].alias for w in meaning.walks
                ):
                    yield whole

        yield from choose(0)

    # One meaning.

    def _select(self, meaning: Meaning, tables: dict[Any, Element]) -> tree.Select:
        sources: list[tree.FromItem] = [source_of(tables[v], v.alias) for v in meaning.vertices]
        conditions: list[tree.Expression] = []
        for step in meaning.steps:
            edge = tables[step]
            sources.append(source_of(edge, step.alias))
            ends = ends_of(edge)
            for end, vertex in zip(
                ends if step.is_forward else ends[::-1], (step.left, step.right), strict=True
            ):
                conditions += joined(step.alias, end.columns, vertex.alias, end.references)
            if step.is_second and ends[0].vertex == ends[1].vertex:  # a loop has but one direction
                conditions.append(
                    tree.Not(
                        all_of(
                            joined(step.left.alias, ends[0].references, step.right.alias, ends[0].references)
                        )
                    )
                )
            if step.edge.node.where is not None:
                where = renamed(step.edge.node.where, step.edge.alias, step.alias)
                conditions.append(self.meant(where, {step.alias: edge}))
        for one, other in meaning.same:
            key = tables[one].key
            if one is not other:
                conditions += joined(one.alias, key, other.alias, key)
        for walk in meaning.walks:
            source, between = walk_over(self, walk, tables[walk.left])
            sources.append(source)
            conditions += between
        elements = {v.alias: tables[v] for v in meaning.vertices}
        elements.update({s.alias: tables[s] for s in meaning.steps})
        for vertex in meaning.vertices:
            conditions += [self.meant(w, elements) for w in vertex.where]
        if self.item.where is not None:
            conditions.append(self.meant(self.item.where, elements))
        targets = tuple(t for target in self.item.columns for t in self._targets(target, elements))
        whole = all_of(conditions) if conditions else None
        return tree.Select(targets, None, tuple(sources), whole, at=self.item.at)

    def _targets(self, target: tree.Target, elements: dict[str, Element]) -> list[tree.Target]:
        """Return an output column; of ``a.*`` all properties of ``a``."""
        value = target.value
        if isinstance(value, tree.Star):
            if not value.parts or value.parts[0] not in elements:
                raise error("42601", "* needs the variable of an element here", value.at)
            names = list(self._properties(value.parts[0]))
            return [
                tree.Target(
                    self.meant(tree.ColumnRef((value.parts[0], n), at=value.at), elements), n, at=target.at
                )
                for n in names
            ]
        name = target.alias
        if name is None and isinstance(value, tree.ColumnRef):
            name = value.parts[-1]
        return [replace(target, value=self.meant(value, elements), alias=name)]

    def _properties(self, variable: str) -> dict[str, tree.TypeName]:
        """Return the properties of all tables that a variable may be of, with their types."""
        vertex = self._by_variable.get(variable)
        candidates = (
            vertex.candidates(self.graph)
            if vertex is not None
            else next(e for e in self.edges if e.alias == variable).candidates(self.graph)
        )
        found: dict[str, tree.TypeName] = {}
        for element in candidates:
            table = self.catalogue.table(element.table, self.item.at)
            for name, column in element.properties.items():
                if name not in found:
                    found[name] = parse_type(type_of_column(table.column(column).type).declaration)
        return found

    def meant(self, node: tree.Expression, elements: dict[str, Element]) -> tree.Expression:
        """Return an expression with columns in place of properties; what an element's table has not is null."""

        def change(part: Any) -> Any:
            if not isinstance(part, tree.ColumnRef) or len(part.parts) != 2:
                return part
            variable, name = part.parts
            element = elements.get(variable)
            if element is None:
                if any(e.alias == variable and not e.is_single for e in self.edges):
                    raise unsupported("a property of an edge with a quantifier here", part.at)
                return part
            if name in element.properties:
                return replace(part, parts=(variable, element.properties[name]))
            known = variable in self._by_variable or any(e.alias == variable for e in self.edges)
            others = self._properties(variable) if known else {}
            if name in others:
                return tree.Cast(tree.Literal("null", at=part.at), others[name], at=part.at)
            raise error("42703", f'property "{name}" of element variable "{variable}" not found', part.at)

        found: tree.Expression = mapped(node, change)
        return found

    def _nothing(self) -> tree.Select:
        """Return a select without rows, for a pattern that no tables fit."""
        false = tree.Literal("boolean", "false", at=self.item.at)
        targets = []
        for target in self.item.columns:
            name = target.alias or (
                target.value.parts[-1] if isinstance(target.value, tree.ColumnRef) else "?column?"
            )
            targets.append(tree.Target(tree.Literal("null", at=target.at), name, at=target.at))
        return tree.Select(tuple(targets), where=false, at=self.item.at)
