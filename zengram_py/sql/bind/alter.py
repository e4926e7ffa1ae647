"""Changes of tables and other objects, as calls of the engine's transaction.

One ``alter table`` may have several actions, each of which sees what those before it did: they are bound one by one against the
columns as they are by then.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...engine import ColumnDef, TableDef
from ...engine.definitions import Name
from .. import tree
from ..casts import EXPLICIT
from ..errors import error, unsupported
from .columns import column_of_type, type_of_column
from .constraints import TableParts
from .definitions import BoundDefinition, Change, Definitions
from .operators import Place
from .stored import stored_text
from .triggers import set_triggers


class Alterations(Definitions):
    """Binds every statement that defines or alters; one for each statement."""

    def bind(self, node: tree.Statement) -> BoundDefinition | None:
        """Return the calls of a statement, or None if it defines nothing that is kept here."""
        if isinstance(node, tree.AlterTable):
            return BoundDefinition(tuple(self._alter_table(node)))
        if isinstance(node, tree.RenameObject):
            return BoundDefinition(tuple(self._rename_object(node)))
        if isinstance(node, tree.Truncate):
            return BoundDefinition(tuple(self._truncate(node)))
        return super().bind(node)

    def _alter_table(self, node: tree.AlterTable) -> list[Change]:
        if node.if_exists and self.catalogue.find("table", node.name) is None:
            return []
        altered = _Altered(self, self.catalogue.table(node.name, node.at), node.at)
        for action in node.actions:
            altered.apply(action)
        return altered.changes

    def _rename_object(self, node: tree.RenameObject) -> list[Change]:
        raise unsupported(f"ALTER {node.kind.upper()} … RENAME", node.at)

    def _truncate(self, node: tree.Truncate) -> list[Change]:
        tables = [self.catalogue.table(parts, node.at) for parts in node.tables]
        emptied = {t.id for t in tables}
        pending = list(tables)
        while pending:
            table = pending.pop()
            for other, key in self.catalogue.view.referencing(table.id):
                if other.id in emptied:
                    continue
                if not node.cascade:
                    detail = f'Table "{other.name[2]}" references "{table.name[2]}" by "{key.name}".'
                    message = "cannot truncate a table referenced in a foreign key constraint"
                    raise error("0A000", message, node.at, detail=detail)
                emptied.add(other.id)
                tables.append(other)
                pending.append(other)
        if node.restart_identity:
            raise unsupported("RESTART IDENTITY", node.at)
        return [Change("delete_where", {"table": t.name, "where": None}) for t in reversed(tables)]


class _Altered:
    """A table while its changes gather."""

    def __init__(self, definitions: Alterations, table: TableDef, at: int) -> None:
        self.definitions = definitions
        self.table = table
        self.name: Name = table.name
        self.columns = {c.name: c for c in table.columns}
        self.at = at
        self.changes: list[Change] = []

    def note(self, method: str, **arguments: Any) -> None:
        """Note a call."""
        self.changes.append(Change(method, {"name": self.name, **arguments}))

    def column(self, name: str, at: int) -> ColumnDef:
        """Return a column, or refuse (42703)."""
        found = self.columns.get(name)
        if found is None:
            raise error("42703", f'column "{name}" of relation "{self.name[2]}" does not exist', at)
        return found

    def apply(self, action: tree.AlterAction) -> None:
        """Note the calls of an action."""
        if isinstance(action, tree.AddColumn):
            self._add_column(action)
        elif isinstance(action, tree.DropColumn):
            self._drop_column(action)
        elif isinstance(action, tree.AlterColumn):
            self._alter_column(action)
        elif isinstance(action, tree.AddConstraint):
            self._add_constraint(action.constraint, "")
        elif isinstance(action, tree.DropConstraint):
            self._drop_constraint(action)
        elif isinstance(action, tree.RenameColumn):
            self._rename_column(action)
        elif isinstance(action, tree.Rename):
            self._rename(action)
        elif isinstance(action, tree.SetTrigger):
            self.changes += set_triggers(self.definitions, self.table, action)
        else:
            raise unsupported("this change of a table", action.at)

    def _add_column(self, action: tree.AddColumn) -> None:
        spec = action.column
        if spec.name in self.columns:
            if action.if_not_exists:
                return
            message = f'column "{spec.name}" of relation "{self.name[2]}" already exists'
            raise error("42701", message, spec.at)
        made = self.definitions.column(spec)
        self.columns[spec.name] = made
        self.note("add_column", column=made)
        for constraint in spec.constraints:
            self._add_constraint(constraint, spec.name)

    def _drop_column(self, action: tree.DropColumn) -> None:
        if action.name not in self.columns and action.if_exists:
            return
        self.column(action.name, action.at)
        if len(self.columns) == 1:
            raise unsupported("a table without columns", action.at)
        del self.columns[action.name]
        self.note("drop_column", column=action.name)

    def _rename_column(self, action: tree.RenameColumn) -> None:
        found = self.column(action.old, action.at)
        if action.new in self.columns:
            message = f'column "{action.new}" of relation "{self.name[2]}" already exists'
            raise error("42701", message, action.at)
        self.columns = {
            action.new if n == action.old else n: replace(found, name=action.new) if n == action.old else c
            for n, c in self.columns.items()
        }
        self.note("rename_column", column=action.old, new_name=action.new)

    def _rename(self, action: tree.Rename) -> None:
        new = (self.name[0], self.name[1], action.new)
        if self.definitions.catalogue.view.taken("table", new) is not None:
            raise error("42P07", f'relation "{action.new}" already exists', action.at)
        self.note("rename_table", new_name=action.new)
        self.name = new

    def _alter_column(self, action: tree.AlterColumn) -> None:
        column = self.column(action.name, action.at)
        if action.action == "type":
            self._alter_type(action, column)
        elif action.action == "set default":
            sql_type = type_of_column(column.type)
            default = self.definitions.default(action.expression, action.text, sql_type, column.name)
            self.note("alter_column", column=column.name, default=default)
        elif action.action == "drop default":
            self.note("alter_column", column=column.name, default=None)
        elif action.action in ("set not null", "drop not null"):
            nullable = action.action == "drop not null"
            if nullable and column.name in self.table.primary_key:
                raise error("42P16", f'column "{column.name}" is in a primary key', action.at)
            self.note("alter_column", column=column.name, nullable=nullable)
        else:
            raise unsupported(action.action.upper(), action.at)

    def _alter_type(self, action: tree.AlterColumn, column: ColumnDef) -> None:
        assert action.type is not None
        binder = self.definitions.binder
        wanted = binder.type_of(action.type)
        using = None
        if action.expression is not None:
            scope = self.definitions.columns_scope(self.name, list(self.columns.values()))
            value = binder.bind(action.expression, scope, Place("transform expressions"))
            binder.coerce(value, wanted, EXPLICIT)
            using = stored_text(f"cast({action.text} as {_written(action.type, self.definitions)})")
        else:
            source = type_of_column(column.type)
            message = f'column "{column.name}" cannot be cast automatically to type {wanted.title}'
            value = binder.columns_value(source)
            binder.coerce(value, wanted, 1, at=action.at, message=message)
        made = column_of_type(wanted, action.type.at)
        self.columns[column.name] = replace(column, type=made)
        self.note("alter_type", column=column.name, new_type=made, using=using)

    def _add_constraint(self, constraint: tree.Constraint, column: str) -> None:
        if constraint.kind in ("not null", "null", "default", "identity"):
            return  # a property of the column, which has it already
        parts = TableParts(self.definitions, self.name, list(self.columns.values()))
        parts.key = list(self.table.primary_key)
        if constraint.kind == "primary key":
            if self.table.primary_key:
                message = f'multiple primary keys for table "{self.name[2]}" are not allowed'
                raise error("42P16", message, constraint.at)
            raise unsupported("a primary key for a table that exists", constraint.at)
        taken = {c.name for c in self.table.checks} | {k.name for k in self.table.foreign_keys}
        if constraint.name in {i.name for i in self.table.indexes}:
            raise error("42P07", f'relation "{constraint.name}" already exists', constraint.at)
        if constraint.name in taken:
            message = f'constraint "{constraint.name}" for relation "{self.name[2]}" already exists'
            raise error("42710", message, constraint.at)
        parts.add(constraint, column)
        for check in parts.checks:
            self.note("add_check", check=check)
        for index in parts.indexes:
            self.note("create_index", index=index)
        for key in parts.foreign_keys:
            self.note("add_foreign_key", key=key)

    def _drop_constraint(self, action: tree.DropConstraint) -> None:
        names = {c.name for c in self.table.checks} | {k.name for k in self.table.foreign_keys}
        if action.name in names:
            self.note("drop_constraint", constraint=action.name)
        elif any(i.name == action.name and i.unique for i in self.table.indexes):
            self.note("drop_index", index=action.name)
        elif not action.if_exists:
            message = f'constraint "{action.name}" of relation "{self.name[2]}" does not exist'
            raise error("42704", message, action.at)


def _written(name: tree.TypeName, definitions: Definitions) -> str:
    """Return a type as SQL writes it, so that a stored expression names it whatever the search path is."""
    return definitions.binder.type_of(name).declaration
