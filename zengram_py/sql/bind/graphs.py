"""Property graphs: definitions, and paths as joins.

A graph says which tables are its vertices and edges. ``graph_table`` is written out as a query over these tables before it is bound: every
element of a path is a subquery that gives the properties of its table and, hidden, the columns by which edges find their ends::

    match (a is person)-[k is knows]->(b) columns (a.name, k.since)

    select a.name, k.since
    from (select name, …, id as "#id" from person) a, (select since, …, a as "#0", b as "#1" from knows) k, (…) b
    where k."#0" = a."#id" and k."#1" = b."#id"

Where a label means several tables, where an edge has no direction, and where a quantifier allows several lengths, there is one such query for
each way, and ``union all`` between them: paths are walks, and each counts once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

from ...engine import ObjectDef, TableDef
from .. import tree
from ..errors import error, unsupported
from ..parse import parse_type
from ..scope import Catalogue
from .columns import type_of_column

if TYPE_CHECKING:
    from .definitions import Change, Definitions

MAX_LENGTH = 32
MAX_WAYS = 512
KIND = "property graph"


# -- definitions -----------------------------------------------------------------------------------------------------


def create_graph(definitions: Definitions, node: tree.CreateGraph) -> list[Change]:
    """Return the calls that define a graph."""
    from .definitions import Change

    catalogue = definitions.catalogue
    name = catalogue.path.new_name(node.name)
    if catalogue.view.find(KIND, name) is not None:
        if node.if_not_exists:
            return []
        raise error("42P07", f'property graph "{node.name[-1]}" already exists', node.at)
    vertices = [_element(catalogue, v) for v in node.vertices]
    known = {str(v["alias"]): v for v in vertices}
    edges = []
    for given in node.edges:
        made = _element(catalogue, given)
        for end, what in ((given.source, "source"), (given.destination, "destination")):
            assert end is not None
            made[what] = _end(catalogue, given, end, known)
            joined = known[made[what]["vertex"]].setdefault("joined", [])
            joined += [c for c in made[what]["targets"] if c not in joined]
        edges.append(made)
    aliases = [str(e["alias"]) for e in (*vertices, *edges)]
    for alias in aliases:
        if aliases.count(alias) > 1:
            raise error("42712", f'alias "{alias}" used more than once as element table', node.at)
    definition = {"vertices": vertices, "edges": edges}
    return [Change("create_object", {"kind": KIND, "name": name, "definition": definition})]


def drop_graph(definitions: Definitions, node: tree.Drop) -> list[Change]:
    """Return the calls that drop graphs."""
    from .definitions import Change

    changes = []
    for parts in node.names:
        found = definitions.catalogue.find(KIND, parts)
        if found is not None:
            changes.append(Change("drop_object", {"kind": KIND, "name": found.name}))
        elif not node.if_exists:
            raise error("42704", f'property graph "{".".join(parts)}" does not exist', node.at)
    return changes


def _element(catalogue: Catalogue, node: tree.GraphElement) -> dict[str, Any]:
    table = catalogue.table(node.table, node.at)
    key = list(node.key or table.primary_key)
    if not key and node.source is None:
        message = (
            f'no key specified and no suitable primary key exists for definition of element "{node.alias}"'
        )
        raise error("42P17", message, node.at)
    _check_columns(table, key, node.at)
    pairs = [[c.name, c.name] for c in table.columns]
    if node.properties is not None:
        _check_columns(table, [column for column, _ in node.properties], node.at)
        pairs = [[name, column] for column, name in node.properties]
    return {
        "table": list(table.name),
        "alias": node.alias,
        "key": key,
        "label": node.label or node.alias,
        "properties": pairs,
    }


def _end(
    catalogue: Catalogue,
    node: tree.GraphElement,
    end: tuple[tuple[str, ...], str, tuple[str, ...]],
    vertices: dict[str, dict[str, Any]],
) -> dict[str, Any]:
    columns, alias, targets = end
    vertex = vertices.get(alias)
    if vertex is None:
        raise error("42704", f'vertex table "{alias}" does not exist', node.at)
    targets = tuple(targets or vertex["key"])
    table = catalogue.table(node.table, node.at)
    _check_columns(table, list(columns), node.at)
    database, schema, name = vertex["table"]
    _check_columns(catalogue.table((database, schema, name), node.at), list(targets), node.at)
    if len(columns) != len(targets):
        raise error("42830", "number of referencing and referenced columns of an edge disagree", node.at)
    return {"columns": list(columns), "vertex": alias, "targets": list(targets)}


def _check_columns(table: TableDef, names: Sequence[str], at: int) -> None:
    for name in names:
        if name not in table.by_name:
            raise error("42703", f'column "{name}" of relation "{table.name[2]}" does not exist', at)


# -- paths -----------------------------------------------------------------------------------------------------------


@dataclass
class _Step:
    """An element of a path as one table: its name in the query, the element's definition, and whether an edge is walked backwards."""

    name: str
    element: dict[str, Any]
    is_backward: bool = False


@dataclass
class _Way:
    """One way to walk all paths: elements by name, and pairs (edge, its end, vertex) that belong together."""

    steps: dict[str, dict[str, Any]]
    links: list[tuple[str, str, str]]


def graph_query(catalogue: Catalogue, node: tree.GraphTable) -> tree.Query:
    """Return the query that a ``graph_table`` stands for."""
    found = catalogue.find(KIND, node.graph)
    if not isinstance(found, ObjectDef):
        raise error("42P01", f'property graph "{".".join(node.graph)}" does not exist', node.at)
    graph = found.definition
    paths = _named(node.paths)
    conditions = [e.where for path in paths for e in path if e.where is not None]
    if node.where is not None:
        conditions.append(node.where)
    for target in node.columns:
        if isinstance(target.value, tree.Star):
            raise error("42601", "* is not allowed in COLUMNS", target.at)
    properties = _properties(catalogue, graph, paths)
    queries = [_query(node, way, conditions, properties) for way in _ways(graph, paths, node.at)]
    if not queries:
        queries = [_nothing(graph, node, paths, properties)]
    first, *rest = queries
    if not rest:
        return first
    return tree.Query(
        tree.SetOperation(first, tuple(("union", True, q) for q in rest), at=node.at), at=node.at
    )


def _named(paths: Sequence[tuple[tree.PathElement, ...]]) -> list[tuple[tree.PathElement, ...]]:
    """Return paths in which every element has a name; those given here cannot be written."""
    found, number = [], 0
    for path in paths:
        named = []
        for element in path:
            if element.variable is None:
                number += 1
                element = replace(element, variable=f"\0{number}")
            named.append(element)
        found.append(tuple(named))
    return found


def _fitting(elements: Sequence[dict[str, Any]], wanted: tree.PathElement) -> list[dict[str, Any]]:
    return [e for e in elements if not wanted.labels or e["label"] in wanted.labels]


def _check_labels(graph: dict[str, Any], elements: Sequence[tree.PathElement]) -> None:
    known = {e["label"] for e in (*graph["vertices"], *graph["edges"])}
    for element in elements:
        for label in element.labels:
            if label not in known:
                raise error("42704", f'label "{label}" does not exist in the property graph', element.at)


Properties = dict[str, dict[str, str]]
"""By name of an element the properties of all tables that it may be, with the names of their types."""


def _properties(
    catalogue: Catalogue, graph: dict[str, Any], paths: Sequence[tuple[tree.PathElement, ...]]
) -> Properties:
    found: Properties = {}
    for path in paths:
        _check_labels(graph, path)
        for i, element in enumerate(path):
            assert element.variable is not None
            own = found.setdefault(element.variable, {})
            for fitting in _fitting(graph["edges"] if i % 2 else graph["vertices"], element):
                database, schema, name = fitting["table"]
                table = catalogue.table((database, schema, name), element.at)
                for title, column in fitting["properties"]:
                    own.setdefault(title, type_of_column(table.column(column).type).declaration)
    return found


def _ways(graph: dict[str, Any], paths: Sequence[tuple[tree.PathElement, ...]], at: int) -> Iterator[_Way]:
    count = 0
    for parts in product(*[list(_ways_of(graph, path)) for path in paths]):
        steps: dict[str, dict[str, Any]] = {}
        links: list[tuple[str, str, str]] = []
        fits = True
        for part in parts:
            for name, element in part.steps.items():
                fits = fits and steps.setdefault(name, element) is element
            links += part.links
        if fits:
            count += 1
            if count > MAX_WAYS:
                raise error("54001", f"the paths can be walked over tables in more than {MAX_WAYS} ways", at)
            yield _Way(steps, links)


def _ways_of(graph: dict[str, Any], path: Sequence[tree.PathElement]) -> Iterator[_Way]:
    """Yield the ways of one path: vertex by vertex, each edge over every table and direction that fits."""
    first, *rest = path
    assert first.variable is not None
    begun = [_Way({first.variable: vertex}, []) for vertex in _fitting(graph["vertices"], first)]
    name = first.variable
    for edge, vertex in zip(rest[::2], rest[1::2], strict=True):
        begun = [w for way in begun for w in _walked(graph, way, name, edge, vertex)]
        assert vertex.variable is not None
        name = vertex.variable
    yield from begun


def _walked(
    graph: dict[str, Any], way: _Way, start: str, edge: tree.PathElement, vertex: tree.PathElement
) -> Iterator[_Way]:
    """Yield a way continued over an edge, or a number of edges, to a vertex."""
    assert edge.variable is not None
    assert vertex.variable is not None
    if edge.most is None:
        raise unsupported("a quantifier without an upper bound", edge.at)
    if edge.most > MAX_LENGTH:
        raise unsupported(f"a quantifier above {MAX_LENGTH}", edge.at)
    if (edge.least, edge.most) == (1, 1):
        yield from _edge(graph, way, start, edge, edge.variable, vertex, vertex.variable)
        return
    if edge.where is not None:
        raise unsupported("WHERE in an edge with a quantifier", edge.at)
    anyone = tree.PathElement(None, at=vertex.at)
    current = [(way, start)]
    for length in range(edge.most + 1):
        if length >= edge.least and length == 0:
            for walked, at in current:
                yield from _same(graph, walked, at, vertex)
        if length == edge.most:
            break
        following = []
        for walked, at in current:
            label = f"{edge.variable}\0{length}"
            if length + 1 >= edge.least:
                yield from _edge(graph, walked, at, edge, label, vertex, vertex.variable)
            middle = f"{edge.variable}\0{length}v"
            following += [(w, middle) for w in _edge(graph, walked, at, edge, label, anyone, middle)]
        current = following


def _same(graph: dict[str, Any], way: _Way, start: str, vertex: tree.PathElement) -> Iterator[_Way]:
    """Yield a way that ends where it is: the vertex is the one before."""
    element = way.steps[start]
    name = vertex.variable
    assert name is not None
    if element in _fitting(graph["vertices"], vertex) and way.steps.get(name, element) is element:
        yield _Way({**way.steps, name: element}, [*way.links, (name, "same", start)])


def _edge(
    graph: dict[str, Any],
    way: _Way,
    start: str,
    edge: tree.PathElement,
    name: str,
    vertex: tree.PathElement,
    end: str,
) -> Iterator[_Way]:
    vertices = {v["alias"]: v for v in graph["vertices"]}
    fitting = _fitting(graph["vertices"], vertex)
    for made in _fitting(graph["edges"], edge):
        for backward in {"right": (False,), "left": (True,)}.get(edge.direction, (False, True)):
            tail, head = ("destination", "source") if backward else ("source", "destination")
            if vertices[made[tail]["vertex"]] is not way.steps[start]:
                continue
            there = vertices[made[head]["vertex"]]
            if there not in fitting or way.steps.get(end, there) is not there:
                continue
            if way.steps.get(name, made) is not made:
                continue
            links = [*way.links, (name, tail, start), (name, head, end)]
            yield _Way({**way.steps, name: made, end: there}, links)


# -- as a query ------------------------------------------------------------------------------------------------------


def _query(
    node: tree.GraphTable,
    way: _Way,
    conditions: Sequence[tree.Expression],
    properties: Properties,
) -> tree.Query:
    at = node.at
    sources = tuple(
        _source(name, element, properties.get(name, {}), at) for name, element in way.steps.items()
    )
    where = [*conditions]
    for edge, end, vertex in way.links:
        element = way.steps[edge]
        pairs = (
            [(c, c) for c in element["key"]]
            if end == "same"
            else list(zip(element[end]["columns"], element[end]["targets"], strict=True))
        )
        where += [
            tree.Operator(
                "=",
                tree.ColumnRef((edge, _hidden(column)), at=at),
                tree.ColumnRef((vertex, _hidden(target)), at=at),
                at=at,
            )
            for column, target in pairs
        ]
    condition = None
    if where:
        condition = where[0] if len(where) == 1 else tree.Logical("and", tuple(where), at=at)
    return tree.Query(tree.Select(node.columns, None, sources, condition, at=at), at=at)


def _source(name: str, element: dict[str, Any], properties: dict[str, str], at: int) -> tree.QueryRef:
    """Return the subquery of an element: its properties, null for those that only others have, and its hidden columns."""
    own = dict(element["properties"])
    targets = []
    for title, type_name in properties.items():
        if title in own:
            value: tree.Expression = tree.ColumnRef((own[title],), at=at)
        else:
            value = tree.Cast(tree.Literal("null", "null", at=at), parse_type(type_name), at=at)
        targets.append(tree.Target(value, title, at=at))
    columns = list(element["key"])
    for end in ("source", "destination"):
        columns += element.get(end, {}).get("columns", [])
    targets += [
        tree.Target(tree.ColumnRef((column,), at=at), _hidden(column), at=at)
        for column in dict.fromkeys([*columns, *element.get("joined", [])])
    ]
    table = tree.TableRef(tuple(element["table"]), at=at)
    select = tree.Select(tuple(targets), None, (table,), at=at)
    return tree.QueryRef(tree.Query(select, at=at), tree.Alias(name, at=at), at=at)


def _hidden(column: str) -> str:
    return f"\0{column}"


def _nothing(
    graph: dict[str, Any],
    node: tree.GraphTable,
    paths: Sequence[tuple[tree.PathElement, ...]],
    properties: Properties,
) -> tree.Query:
    """Return a query without rows, for paths that no edges connect."""
    steps: dict[str, dict[str, Any]] = {}
    for path in paths:
        for i, element in enumerate(path):
            tables = _fitting(graph["edges"] if i % 2 else graph["vertices"], element)
            if not tables:
                raise error("42704", "no table of the property graph fits the pattern", element.at)
            assert element.variable is not None
            steps.setdefault(element.variable, tables[0])
    false = tree.Literal("boolean", "false", at=node.at)
    return _query(node, _Way(steps, []), [false], properties)
