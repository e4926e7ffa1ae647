"""Triggers: how they are defined and dropped.

A trigger is kept under the name of its table with its own, and knows its table by number, so that it goes on when the table gets another
name, and is no trigger of a later table of that name. Its condition is kept as text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...engine import ObjectDef, TableDef
from .. import tree
from ..bound import ColumnVar
from ..errors import error, unsupported
from ..scope import Catalogue, Namespace, Scope, TableName
from ..tree.mapping import nodes_of
from .columns import type_of_column
from .functions import functions_named
from .operators import Place

if TYPE_CHECKING:
    from .alter import Alterations as Definitions
    from .definitions import Change

KIND = "trigger"
"""How the catalogue calls a trigger."""
NEW, OLD = 0, 1
"""Numbers of the two rows that a condition reads."""


def create_trigger(definitions: Definitions, node: tree.CreateTrigger) -> list[Change]:
    """Return what ``create trigger`` comes to."""
    from .definitions import Change

    catalogue = definitions.catalogue
    if node.timing == "instead of":
        raise unsupported("an INSTEAD OF trigger", node.at)
    table = catalogue.table(node.table, node.at)
    if "truncate" in node.events:
        raise unsupported("a TRUNCATE trigger", node.at)
    for column in node.columns:
        if column not in table.by_name:
            message = f'column "{column}" of relation "{table.name[2]}" does not exist'
            raise error("42703", message, node.at)
    function = _function(catalogue, node)
    if node.when is not None:
        _check_condition(definitions, node, table)
    name = _name_of(table, node.name)
    changes = []
    before = find_trigger(catalogue, table, node.name)
    if before is not None:
        if not node.replace:
            message = f'trigger "{node.name}" for relation "{table.name[2]}" already exists'
            raise error("42710", message, node.at)
        changes.append(Change("drop_object", {"kind": KIND, "name": before.name}))
    definition = {
        "name": node.name,
        "table": table.id,
        "timing": node.timing,
        "events": list(node.events),
        "columns": list(node.columns),
        "row": node.for_each_row,
        "when": node.when_text,
        "function": list(function.name),
        "arguments": list(node.arguments),
        "path": list(catalogue.path.schemas),
        "enabled": True,
    }
    changes.append(Change("create_object", {"kind": KIND, "name": name, "definition": definition}))
    return changes


def _name_of(table: TableDef, name: str) -> tuple[str, str, str]:
    return (table.name[0], table.name[1], f"{name} on {table.id}")


def _function(catalogue: Catalogue, node: tree.CreateTrigger) -> ObjectDef:
    found = [f for f in functions_named(catalogue, node.function) if not f.definition["arguments"]]
    if not found:
        raise error("42883", f"function {'.'.join(node.function)}() does not exist", node.at)
    if found[0].definition["returns"] != "trigger":
        message = f"function {'.'.join(node.function)} must return type trigger"
        raise error("42P17", message, node.at)
    return found[0]


def condition_scope(table: TableDef, *, new: bool = True, old: bool = True) -> Scope:
    """Return the scope of a trigger's condition: the rows ``new`` and ``old``."""
    tables = []
    for name, relation, known in (("new", NEW, new), ("old", OLD, old)):
        if known:
            columns = tuple(
                (c.name, ColumnVar(type_of_column(c.type), relation, i, c.name))
                for i, c in enumerate(table.columns)
            )
            tables.append(TableName(name, columns))
    return Scope(None, Namespace(tuple(tables), ()))


def _check_condition(definitions: Definitions, node: tree.CreateTrigger, table: TableDef) -> None:
    """Refuse a condition that cannot be one, or that reads a row that there is not."""
    assert node.when is not None
    for event, row, missing in (("insert", "OLD", "INSERT"), ("delete", "NEW", "DELETE")):
        if event in node.events and _reads(node.when, row.lower()):
            message = f"{missing} trigger's WHEN condition cannot reference {row} values"
            raise error("42P17", message, node.when.at)
    if not node.for_each_row and (_reads(node.when, "new") or _reads(node.when, "old")):
        message = "statement trigger's WHEN condition cannot reference column values"
        raise error("42P17", message, node.when.at)
    binder = definitions.binder
    binder.boolean(binder.bind(node.when, condition_scope(table), Place("trigger WHEN conditions")), "WHEN")


def _reads(node: tree.Node, row: str) -> bool:
    """Return whether a tree names a row."""
    return any(
        isinstance(found, (tree.ColumnRef, tree.Star)) and found.parts[:1] == (row,)
        for found in nodes_of(node)
    )


# Finding and dropping.


def triggers_of(catalogue: Catalogue, table: TableDef) -> list[ObjectDef]:
    """Return the triggers of a table, by name."""
    found = [
        d
        for d in catalogue.view.by_id.values()
        if isinstance(d, ObjectDef) and d.kind == KIND and d.definition["table"] == table.id
    ]
    return sorted(found, key=lambda d: str(d.definition["name"]))


def find_trigger(catalogue: Catalogue, table: TableDef, name: str) -> ObjectDef | None:
    """Return a trigger of a table, or None."""
    return next((t for t in triggers_of(catalogue, table) if t.definition["name"] == name), None)


def triggers_calling(catalogue: Catalogue, function: ObjectDef) -> list[ObjectDef]:
    """Return the triggers that call a function, of tables that there are."""
    return [
        d
        for d in catalogue.view.by_id.values()
        if isinstance(d, ObjectDef)
        and d.kind == KIND
        and tuple(d.definition["function"]) == function.name
        and d.definition["table"] in catalogue.view.by_id
    ]


def drop_trigger(definitions: Definitions, node: tree.Drop) -> list[Change]:
    """Return what ``drop trigger`` comes to."""
    from .definitions import Change

    assert node.table is not None
    catalogue = definitions.catalogue
    if node.if_exists and catalogue.find("table", node.table) is None:
        return []
    table = catalogue.table(node.table, node.at)
    name = node.names[0][-1]
    found = find_trigger(catalogue, table, name)
    if found is None:
        if node.if_exists:
            return []
        raise error("42704", f'trigger "{name}" for table "{table.name[2]}" does not exist', node.at)
    return [Change("drop_object", {"kind": KIND, "name": found.name})]


def drop_triggers_of(definitions: Definitions, name: Any) -> list[Change]:
    """Return what takes the triggers of a table away."""
    from .definitions import Change

    table = definitions.catalogue.view.table(name)
    return [
        Change("drop_object", {"kind": KIND, "name": trigger.name})
        for trigger in triggers_of(definitions.catalogue, table)
    ]


def set_triggers(definitions: Definitions, table: TableDef, action: tree.SetTrigger) -> list[Change]:
    """Return what ``alter table … enable | disable trigger`` comes to."""
    from .definitions import Change

    found = triggers_of(definitions.catalogue, table)
    if action.name is not None and action.name not in ("all", "user"):
        found = [t for t in found if t.definition["name"] == action.name]
        if not found:
            message = f'trigger "{action.name}" for table "{table.name[2]}" does not exist'
            raise error("42704", message, action.at)
    changes = []
    for trigger in found:
        definition = {**trigger.definition, "enabled": action.enabled}
        changes.append(Change("drop_object", {"kind": KIND, "name": trigger.name}))
        changes.append(
            Change("create_object", {"kind": KIND, "name": trigger.name, "definition": definition})
        )
    return changes
