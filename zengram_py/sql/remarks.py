"""Remarks: ``comment on``.

The text is kept as a definition of its own beside what it is about, by name and number, so that it does not show up again with a
later table of that name. ``pg_description`` lists them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..engine import ObjectDef, TableDef, Transaction
from ..engine.definitions import Name
from . import tree
from .errors import error
from .ready import Result
from .scope import Catalogue

if TYPE_CHECKING:
    from .session import Session

KIND = "comment"
"""How the catalogue calls a remark."""


def comment(session: Session, transaction: Transaction, node: tree.Comment) -> Result:
    """Keep what is said about an object, or forget it."""
    catalogue = session.catalogue(transaction)
    where, number, column = _subject(catalogue, node)
    name = (where[0], where[1], f"{node.kind} {where[2]}")
    if transaction.reader.catalog.find(KIND, name) is not None:
        transaction.drop_object(KIND, name)
    if node.text is not None:
        definition = {"text": node.text, "kind": node.kind, "object": number, "column": column}
        transaction.create_object(KIND, name, definition)
    return Result(command="COMMENT")


def _subject(catalogue: Catalogue, node: tree.Comment) -> tuple[Name, int, int]:
    """Return the name, the number and, of a column, the number of the column that a remark is about."""
    parts = node.name
    database = catalogue.path.database
    if node.kind in ("schema", "database"):
        title = parts[-1]
        place = (title if node.kind == "database" else database, "-", title)
        found = catalogue.view.find(node.kind, place)
        known = title == "zengram" if node.kind == "database" else catalogue.has_schema(title)
        if found is None and not known:
            code = "3D000" if node.kind == "database" else "3F000"
            raise error(code, f'{node.kind} "{title}" does not exist', node.at)
        return place, -1 if found is None else found.id, 0
    if node.kind == "index":
        return _index(catalogue, node)
    if node.kind == "column":
        if len(parts) < 2:
            raise error("42601", "column name must be qualified", node.at)
        table = catalogue.table(parts[:-1], node.at)
        if parts[-1] not in table.by_name:
            message = f'column "{parts[-1]}" of relation "{table.name[2]}" does not exist'
            raise error("42703", message, node.at)
        name = (table.name[0], table.name[1], f"{table.name[2]}.{parts[-1]}")
        return name, table.id, table.column(parts[-1]).id + 1
    kind = {"type": "enum"}.get(node.kind, node.kind)
    definition = _function(catalogue, node) if kind == "function" else catalogue.find(kind, parts)
    if definition is None:
        is_relation = node.kind in ("table", "view", "sequence")
        code = "42P01" if is_relation else "42883" if node.kind == "function" else "42704"
        what = "relation" if is_relation else node.kind
        raise error(code, f'{what} "{".".join(parts)}" does not exist', node.at)
    return definition.name, definition.id, 0


def _function(catalogue: Catalogue, node: tree.Comment) -> ObjectDef | None:
    from .bind.functions import functions_named

    found = functions_named(catalogue, node.name)
    if len(found) > 1:
        raise error("42725", f'function name "{node.name[-1]}" is not unique', node.at)
    return found[0] if found else None


def _index(catalogue: Catalogue, node: tree.Comment) -> tuple[Name, int, int]:
    for table in catalogue.view.tables():
        if table.name[0] == catalogue.path.database and isinstance(table, TableDef):
            for index in table.indexes:
                if index.name == node.name[-1]:
                    return (table.name[0], table.name[1], index.name), table.id, 0
    raise error("42P01", f'relation "{".".join(node.name)}" does not exist', node.at)
