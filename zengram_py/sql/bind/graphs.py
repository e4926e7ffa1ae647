"""Property graphs: how they are defined, and what their elements are.

A graph says which tables hold its vertices and edges; it has no rows of its own. An element has a label (its alias if none is given) and
properties (all columns if none are listed). An edge knows which of its columns are the key of the vertex that it comes from, and of the
one that it goes to; where a statement does not say so, the table's foreign key does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...engine import ObjectDef, TableDef
from ...engine.definitions import Name
from .. import tree
from ..errors import error
from ..scope import Catalogue

if TYPE_CHECKING:
    from .definitions import Change, Definitions

KIND = "property graph"
"""How the catalogue calls a graph."""


@dataclass(frozen=True)
class Element:
    """A table of vertices or edges in a graph.

    Attributes
    ----------
    alias : str
        Its name in the graph.
    table : Name
        The table.
    label : str
        What patterns call it.
    key : tuple of str
        Of a vertex, the columns of its key.
    properties : dict of str to str
        The columns by the names of properties.
    source, destination : End or None
        Of an edge.
    """

    alias: str
    table: Name
    label: str
    key: tuple[str, ...]
    properties: dict[str, str]
    source: End | None = None
    destination: End | None = None


@dataclass(frozen=True)
class End:
    """Where an edge begins or ends: its columns, the vertex by its alias, and that one's columns."""

    columns: tuple[str, ...]
    vertex: str
    references: tuple[str, ...]


@dataclass(frozen=True)
class Graph:
    """A graph's elements by their aliases."""

    name: Name
    vertices: dict[str, Element]
    edges: dict[str, Element]


# Definitions.


def create_graph(definitions: Definitions, node: tree.CreateGraph) -> list[Change]:
    """Return what ``create property graph`` comes to."""
    from .definitions import Change

    catalogue = definitions.catalogue
    name = definitions.new_name(node.name, False, node.at)
    if catalogue.view.find(KIND, name) is not None or catalogue.view.taken("table", name) is not None:
        if node.if_not_exists:
            return []
        raise error("42P07", f'relation "{name[2]}" already exists', node.at)
    vertices: dict[str, dict[str, Any]] = {}
    edges: dict[str, dict[str, Any]] = {}
    for element in node.vertices:
        _check_alias(element, vertices)
        vertices[element.alias] = _element(catalogue, element)
    for element in node.edges:
        _check_alias(element, {**vertices, **edges})
        made = _element(catalogue, element)
        table = catalogue.table(element.table, element.at)
        for end in ("source", "destination"):
            made[end] = _end(catalogue, table, element, end, vertices)
        edges[element.alias] = made
    definition = {"vertices": vertices, "edges": edges}
    return [Change("create_object", {"kind": KIND, "name": name, "definition": definition})]


def _check_alias(element: tree.GraphElement, known: dict[str, Any]) -> None:
    if element.alias in known:
        message = f'alias "{element.alias}" used more than once as element table'
        raise error("42712", message, element.at)


def _element(catalogue: Catalogue, node: tree.GraphElement) -> dict[str, Any]:
    table = catalogue.table(node.table, node.at)
    key = node.key or table.primary_key
    if not key and node.source is None:
        message = (
            f'no key specified and no suitable primary key exists for definition of element "{node.alias}"'
        )
        raise error("42P17", message, node.at)
    pairs = node.properties if node.properties is not None else tuple((c.name, c.name) for c in table.columns)
    for column in (*key, *[column for column, _ in pairs]):
        _check_column(table, column, node.at)
    return {
        "table": list(table.name),
        "label": node.label or node.alias,
        "key": list(key),
        "properties": {title: column for column, title in pairs},
    }


def _check_column(table: TableDef, column: str, at: int) -> None:
    if column not in table.by_name:
        raise error("42703", f'column "{column}" of relation "{table.name[2]}" does not exist', at)


def _end(
    catalogue: Catalogue, table: TableDef, node: tree.GraphElement, end: str, vertices: dict[str, Any]
) -> dict[str, Any]:
    """Return where an edge begins or ends; what is not said is taken from a foreign key."""
    given = node.source if end == "source" else node.destination
    assert given is not None
    columns, vertex, references = given
    if vertex not in vertices:
        message = f'{end} vertex "{vertex}" of edge "{node.alias}" does not exist'
        raise error("42704", message, node.at)
    target = catalogue.view.table(tuple(vertices[vertex]["table"]))
    if not columns:
        keys = [k for k in table.foreign_keys if k.table == target.id]
        if len(keys) != 1:
            which = "more than one suitable foreign key exists" if keys else "no suitable foreign key exists"
            message = f'no {end} key specified and {which} for definition of edge "{node.alias}"'
            raise error("42P17", message, node.at)
        columns, references = keys[0].columns, keys[0].ref_columns
    references = references or tuple(vertices[vertex]["key"])
    for column in columns:
        _check_column(table, column, node.at)
    for column in references:
        _check_column(target, column, node.at)
    if len(columns) != len(references):
        raise error(
            "42830", f'the {end} key of edge "{node.alias}" has another length than its reference', node.at
        )
    return {"columns": list(columns), "vertex": vertex, "references": list(references)}


def drop_graph(definitions: Definitions, node: tree.Drop) -> list[Change]:
    """Return what ``drop property graph`` comes to."""
    from .definitions import Change

    changes = []
    for parts in node.names:
        found = definitions.catalogue.find(KIND, parts)
        if found is None:
            if node.if_exists:
                continue
            raise error("42704", f'property graph "{".".join(parts)}" does not exist', node.at)
        changes.append(Change("drop_object", {"kind": KIND, "name": found.name}))
    return changes


def graph_of(catalogue: Catalogue, parts: tuple[str, ...], at: int) -> Graph:
    """Return a graph by its name, or refuse (42P01)."""
    found = catalogue.find(KIND, parts)
    if not isinstance(found, ObjectDef):
        raise error("42P01", f'property graph "{".".join(parts)}" does not exist', at)
    vertices = {alias: _read(alias, e) for alias, e in found.definition["vertices"].items()}
    edges = {alias: _read(alias, e) for alias, e in found.definition["edges"].items()}
    return Graph(found.name, vertices, edges)


def _read(alias: str, given: dict[str, Any]) -> Element:
    ends = [
        None
        if given.get(end) is None
        else End(tuple(given[end]["columns"]), given[end]["vertex"], tuple(given[end]["references"]))
        for end in ("source", "destination")
    ]
    database, schema, name = given["table"]
    return Element(
        alias,
        (database, schema, name),
        given["label"],
        tuple(given["key"]),
        dict(given["properties"]),
        ends[0],
        ends[1],
    )
