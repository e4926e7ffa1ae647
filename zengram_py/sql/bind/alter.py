"""Changes of tables and other objects, as calls of the engine's transaction: which statement is bound by what.

One ``alter table`` may have several actions, each of which sees what those before it did (altered.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...engine import ObjectDef, SequenceDef, TableDef
from ...engine.definitions import Definition, Name
from .. import tree
from ..errors import error
from .altered import Altered
from .definitions import BoundDefinition, Change, elsewhere
from .drops import Drops
from .object_names import is_taken

_KINDS = {"type": "enum"}


class Alterations(Drops):
    """Binds every statement that defines or alters; one for each statement."""

    def bind(self, node: tree.Statement) -> BoundDefinition | None:
        """Return the calls of a statement, or None if it defines nothing that is kept here."""
        handler = _HANDLERS.get(type(node))
        if handler is None or (isinstance(node, tree.Drop) and node.kind == "branch"):
            return None
        return BoundDefinition(tuple(handler(self, node)))

    def alter_table(self, node: tree.AlterTable) -> list[Change]:
        """Bind ``alter table``; of a view its name, of an index too, as PostgreSQL has it."""
        found = self._relation(node)
        if found is None:
            return []
        if isinstance(found, ObjectDef):
            return self._alter_view_as_table(node, found)
        altered = Altered(self, found, node.at)
        for action in node.actions:
            altered.apply(action)
        return altered.changes

    def _relation(self, node: tree.AlterTable) -> TableDef | ObjectDef | None:
        if node.if_exists:
            found = self.catalogue.find("table", node.name) or self.catalogue.find("view", node.name)
            if found is None:
                return None
        return self.catalogue.relation(node.name, node.at)

    def _alter_view_as_table(self, node: tree.AlterTable, view: ObjectDef) -> list[Change]:
        (action,) = node.actions[:1]
        if isinstance(action, tree.Rename):
            return self._rename(view, action.new, action.at)
        if isinstance(action, tree.RenameColumn):
            return self._rename_view_column(view, action.old, action.new, action.at)
        if isinstance(action, tree.MoveTable):
            return self._move(view, action.schema, action.at)
        raise error("42809", f'"{view.name[2]}" is not a table', node.at)

    # Names.

    def rename_object(self, node: tree.RenameObject) -> list[Change]:
        """Bind ``alter index | view | sequence | type … rename to``."""
        if node.kind == "index":
            return self._rename_index(node)
        found = self._existing(node.kind, node.name, node.if_exists, node.at)
        return [] if found is None else self._rename(found, node.new, node.at)

    def _existing(self, kind: str, parts: tuple[str, ...], quiet: bool, at: int) -> Definition | None:
        found = self.catalogue.find(_KINDS.get(kind, kind), parts)
        others = () if kind == "type" or found is not None else ("table", "view", "sequence")
        if any(self.catalogue.find(other, parts) for other in others):
            raise error("42809", f'"{parts[-1]}" is not a {kind}', at)
        if found is None and not quiet:
            code = "42704" if kind == "type" else "42P01"
            noun = "type" if kind == "type" else "relation"
            raise error(code, f'{noun} "{".".join(parts)}" does not exist', at)
        return found

    def _rename(self, found: Definition, new: str, at: int) -> list[Change]:
        self.check_free(found.kind, (*found.name[:2], new), at)
        if isinstance(found, TableDef):
            return [Change("rename_table", {"name": found.name, "new_name": new})]
        return [Change("rename_object", {"kind": found.kind, "name": found.name, "new_name": new})]

    def check_free(self, kind: str, name: Name, at: int) -> None:
        """Refuse a name that something else has."""
        if kind == "enum":
            if self.catalogue.view.find("enum", name) is not None:
                raise error("42710", f'type "{name[2]}" already exists', at)
        elif is_taken(self.catalogue, name):
            raise error("42P07", f'relation "{name[2]}" already exists', at)

    def _rename_index(self, node: tree.RenameObject) -> list[Change]:
        found = self.find_index(node.name)
        if found is None:
            relation = self.catalogue.find("table", node.name) or self.catalogue.find("view", node.name)
            if isinstance(relation, (TableDef, ObjectDef)):  # as PostgreSQL does it
                return self._rename(relation, node.new, node.at)
            if node.if_exists:
                return []
            raise error("42P01", f'relation "{".".join(node.name)}" does not exist', node.at)
        table, index = found
        self.check_free("index", (*table.name[:2], node.new), node.at)
        return [Change("rename_index", {"name": table.name, "index": index.name, "new_name": node.new})]

    def move_object(self, node: tree.MoveObject) -> list[Change]:
        """Bind ``alter view | sequence | type … set schema``."""
        found = self._existing(node.kind, node.name, node.if_exists, node.at)
        if isinstance(found, SequenceDef) and found.owner:
            detail = f'Sequence "{found.name[2]}" is linked to a table.'
            raise error("0A000", "cannot move an owned sequence into another schema", node.at, detail=detail)
        return [] if found is None else self._move(found, node.schema, node.at)

    def _move(self, found: Definition, schema: str, at: int) -> list[Change]:
        self.check_schema((found.name[0], schema, found.name[2]), at)
        if found.name[1] == schema:
            return []
        name = (found.name[0], schema, found.name[2])
        if found.kind == "enum":
            self.check_free("enum", name, at)
        elif is_taken(self.catalogue, name):
            raise error("42P07", f'relation "{name[2]}" already exists in schema "{schema}"', at)
        return [Change("set_schema", {"kind": found.kind, "name": found.name, "schema": schema})]

    # Views.

    def alter_view(self, node: tree.AlterView) -> list[Change]:
        """Bind ``alter view … rename column``."""
        found = self._existing("view", node.name, node.if_exists, node.at)
        if not isinstance(found, ObjectDef):
            return []
        return self._rename_view_column(found, node.old, node.new, node.at)

    @staticmethod
    def _rename_view_column(view: ObjectDef, old: str, new: str, at: int) -> list[Change]:
        columns = list(view.definition["columns"])
        if old not in columns:
            raise error("42703", f'column "{old}" does not exist', at)
        if new in columns:
            raise error("42701", f'column "{new}" of relation "{view.name[2]}" already exists', at)
        columns[columns.index(old)] = new
        definition = {**view.definition, "columns": columns}
        return [Change("alter_object", {"kind": "view", "name": view.name, "definition": definition})]

    # Truncate.

    def truncate(self, node: tree.Truncate) -> list[Change]:
        """Bind ``truncate``."""
        named = [self.catalogue.table(parts, node.at) for parts in node.tables]
        tables = list({table.id: table for table in named}.values())
        emptied = {t.id for t in tables}
        pending = list(tables)
        while pending:
            table = pending.pop()
            for other, _ in self.catalogue.view.referencing(table.id):
                if other.id in emptied:
                    continue
                if not node.cascade:
                    detail = f'Table "{other.name[2]}" references "{table.name[2]}".'
                    hint = f'Truncate table "{other.name[2]}" at the same time, or use TRUNCATE ... CASCADE.'
                    message = "cannot truncate a table referenced in a foreign key constraint"
                    raise error("0A000", message, node.at, detail=detail, hint=hint)
                emptied.add(other.id)
                tables.append(other)
                pending.append(other)
        changes = [Change("delete_where", {"table": t.name, "where": None}) for t in reversed(tables)]
        if node.restart_identity:
            changes += [Change("restart_identities", {"name": t.name}) for t in tables]
        return changes


_HANDLERS: dict[type[Any], Callable[[Alterations, Any], list[Change]]] = {
    tree.AlterEnum: Alterations.alter_enum,
    tree.AlterSequence: Alterations.alter_sequence,
    tree.AlterTable: Alterations.alter_table,
    tree.AlterView: Alterations.alter_view,
    tree.Comment: Alterations.comment,
    tree.CreateEnum: Alterations.create_enum,
    tree.CreateFunction: elsewhere("functions", "create_function"),
    tree.CreateGraph: elsewhere("graphs", "create_graph"),
    tree.CreateIndex: Alterations.create_index,
    tree.CreateNamespace: Alterations.create_namespace,
    tree.CreateSequence: Alterations.create_sequence,
    tree.CreateTable: Alterations.create_table,
    tree.CreateTableAs: Alterations.create_table_as,
    tree.CreateTrigger: elsewhere("triggers", "create_trigger"),
    tree.CreateView: Alterations.create_view,
    tree.Drop: Alterations.drop,
    tree.MoveObject: Alterations.move_object,
    tree.RenameObject: Alterations.rename_object,
    tree.Truncate: Alterations.truncate,
}
