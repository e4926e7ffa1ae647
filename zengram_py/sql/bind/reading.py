"""What a view reads: tables and views by their numbers, so that they may get other names, and nobody drops them unseen.

A view is kept as its text, with the meaning that the names in it had when it was made::

    create view v as select * from t             {"query": "select * from t", …,
                                                  "reads": [{"as": ["t"], "id": 7, "columns": [["a", 0], ["b", 1]], "used": [0, 1]}]}

When the text is bound again, ``t`` is the table of number 7 with these two columns under these names, whatever it and they are called by
then, and whatever columns came later. ``used`` are the columns that the view cannot do without.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

from ...engine import ObjectDef, TableDef
from ...engine.catalog import CatalogView
from .. import nodes
from ..bound import ColumnVar
from ..bound.walking import everything

ColumnNames = tuple[tuple[str, int], ...]
"""Names of columns with the columns' numbers."""


@nodes.node(frozen=True, slots=True)
class Fixed:
    """What a name in a view's text means."""

    id: int
    columns: ColumnNames


@nodes.node(slots=True)
class Reads:
    """The tables and views that a statement reads, while it is bound."""

    found: dict[tuple[str, ...], TableDef | ObjectDef] = field(default_factory=dict)
    relations: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def note(self, parts: tuple[str, ...], relation: int, definition: TableDef | ObjectDef) -> None:
        """Note that a relation of the statement is a table or view, which it calls so."""
        self.found[parts] = definition
        self.relations[relation] = parts

    def as_data(self, bound: Any) -> list[dict[str, Any]]:
        """Return all as JSON values; ``bound`` is the whole statement."""
        used: dict[tuple[str, ...], set[int]] = {parts: set() for parts in self.found}
        for node in everything(bound):
            if isinstance(node, ColumnVar) and node.relation in self.relations:
                used[self.relations[node.relation]].add(node.column)
        return [_as_data(parts, found, used[parts]) for parts, found in self.found.items()]


def _as_data(parts: tuple[str, ...], found: TableDef | ObjectDef, used: set[int]) -> dict[str, Any]:
    if isinstance(found, ObjectDef):  # columns of a view have no numbers, and keep their places
        columns = [[name, i] for i, name in enumerate(found.definition["columns"])]
        return {"as": list(parts), "id": found.id, "columns": columns, "used": sorted(used)}
    columns = [[c.name, c.id] for c in found.columns]
    return {
        "as": list(parts),
        "id": found.id,
        "columns": columns,
        "used": sorted(found.columns[i].id for i in used),
    }


def fixed_names(definition: Mapping[str, Any]) -> dict[tuple[str, ...], Fixed]:
    """Return what the names in a view's text mean."""
    return {
        tuple(read["as"]): Fixed(read["id"], tuple((name, n) for name, n in read["columns"]))
        for read in definition.get("reads", ())
    }


def readers(catalog: CatalogView, number: int, column: int | None = None) -> Iterator[ObjectDef]:
    """Yield the views that read a table or view, or that use one column of it."""
    for found in catalog.by_id.values():
        if not isinstance(found, ObjectDef) or found.kind != "view":
            continue
        for read in found.definition.get("reads", ()):
            if read["id"] == number and (column is None or column in read["used"]):
                yield found
                break


def all_readers(catalog: CatalogView, number: int, column: int | None = None) -> list[ObjectDef]:
    """Return the views that read something, also by way of other views, the nearest first."""
    found = list(readers(catalog, number, column))
    for view in found:
        found += [other for other in readers(catalog, view.id) if other not in found]
    return found
