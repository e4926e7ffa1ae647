"""A table while ``alter table`` changes it, action by action."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...engine import ColumnDef, SequenceDef, TableDef
from ...engine.definitions import Name
from ...engine.expr import names_read
from ...errors import SqlError
from .. import tree
from ..casts import ASSIGNMENT
from ..errors import error, unsupported
from .collations import check_collation
from .columns import column_of_type, type_of_column
from .constraints import TableParts, check_alone
from .definitions import Change, elsewhere
from .new_tables import MAX_COLUMNS
from .operators import Place
from .reading import all_readers
from .sequence_settings import sequence_settings
from .stored import stored_text

if TYPE_CHECKING:
    from .alter import Alterations

_PROPERTIES = ("not null", "null", "default", "identity", "generated")


class Altered:
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
        match action:
            case tree.AddColumn():
                self._add_column(action)
            case tree.DropColumn():
                self._drop_column(action)
            case tree.AlterColumn():
                self._alter_column(action)
            case tree.AddConstraint():
                self._add_constraints([(action.constraint, "")])
            case tree.DropConstraint():
                self._drop_constraint(action)
            case tree.RenameColumn():
                self._rename_column(action)
            case tree.RenameConstraint():
                self._rename_constraint(action)
            case tree.Rename():
                self._rename(action)
            case tree.SetTrigger():
                self.changes += elsewhere("triggers", "set_triggers")(self.definitions, self.table, action)
            case tree.MoveTable():
                self.changes += self.definitions._move(self.table, action.schema, action.at)
            case tree.ValidateConstraint():
                if self._kind_of(action.name) is None:
                    raise self._no_constraint(action.name, action.at)
            case _:
                raise unsupported("this change of a table", action.at)

    # Columns.

    def _add_column(self, action: tree.AddColumn) -> None:
        spec = action.column
        if spec.name in self.columns:
            if action.if_not_exists:
                return
            message = f'column "{spec.name}" of relation "{self.name[2]}" already exists'
            raise error("42701", message, spec.at)
        if len(self.columns) >= MAX_COLUMNS:
            raise error("54011", f"tables can have at most {MAX_COLUMNS} columns", spec.at)
        declared = self.definitions.declared(spec, self.name)
        columns = [*self.columns.values(), declared.column]
        made = self.definitions.with_generated(self.name, columns, [spec])[-1]
        self.columns[spec.name] = made
        arguments: dict[str, Any] = {"column": made}
        if declared.sequence:
            arguments["sequence"] = declared.sequence
        self.note("add_column", **arguments)
        self._add_constraints([(constraint, spec.name) for constraint in spec.constraints])

    def _drop_column(self, action: tree.DropColumn) -> None:
        if action.name not in self.columns and action.if_exists:
            return
        self.column(action.name, action.at)
        if len(self.columns) == 1:
            raise unsupported("a table without columns", action.at)
        if action.name in self.table.by_name:
            self.changes += self.definitions.drop_column(
                self.table, action.name, cascade=action.cascade, at=action.at
            )
            gone = {c.arguments["column"] for c in self.changes if c.method == "drop_column"}
        else:
            self.note("drop_column", column=action.name)
            gone = {action.name}
        self.columns = {name: c for name, c in self.columns.items() if name not in gone}

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
        self.definitions.check_free("table", new, action.at)
        self.note("rename_table", new_name=action.new)
        self.name = new

    def _alter_column(self, action: tree.AlterColumn) -> None:
        column = self.column(action.name, action.at)
        match action.action:
            case "type":
                self._alter_type(action, column)
            case "set default" | "drop default":
                self._set_default(action, column)
            case "set not null" | "drop not null":
                self._set_nullable(action, column, action.action == "drop not null")
            case "add identity" | "set identity" | "drop identity":
                self._alter_identity(action, column)
            case "set expression" | "drop expression":
                self._alter_expression(action, column)
            case _:
                raise unsupported(action.action.upper(), action.at)

    def _of(self, column: ColumnDef, what: str) -> str:
        return f'column "{column.name}" of relation "{self.name[2]}" {what}'

    def _set_default(self, action: tree.AlterColumn, column: ColumnDef) -> None:
        if column.identity is not None:
            hint = (
                "Use ALTER TABLE ... ALTER COLUMN ... DROP IDENTITY instead."
                if action.expression is None
                else ""
            )
            raise error("42601", self._of(column, "is an identity column"), action.at, hint=hint)
        if column.generated is not None:
            hint = "Use ALTER TABLE ... ALTER COLUMN ... SET EXPRESSION instead."
            raise error("42601", self._of(column, "is a generated column"), action.at, hint=hint)
        default = None
        if action.expression is not None:
            sql_type = type_of_column(column.type)
            default = self.definitions.default(action.expression, action.text, sql_type, column.name)
        self.columns[column.name] = replace(column, default=default)
        self.note("alter_column", column=column.name, default=default)

    def _set_nullable(self, action: tree.AlterColumn, column: ColumnDef, nullable: bool) -> None:
        if nullable and column.identity is not None:
            raise error("42601", self._of(column, "is an identity column"), action.at)
        if nullable and column.name in self.table.primary_key:
            raise error("42P16", f'column "{column.name}" is in a primary key', action.at)
        self.columns[column.name] = replace(column, nullable=nullable)
        self.note("alter_column", column=column.name, nullable=nullable)

    def _alter_identity(self, action: tree.AlterColumn, column: ColumnDef) -> None:
        sql_type = type_of_column(column.type)
        if action.action == "drop identity":
            if column.identity is None:
                if not action.if_exists:
                    raise error("55000", self._of(column, "is not an identity column"), action.at)
                return
            self.columns[column.name] = replace(column, identity=None, default=None)
            self.note("alter_identity", column=column.name, identity=None)
            return
        identity = {"always": "always", "by default": "default"}.get(action.identity or "")
        options = action.options or tree.SequenceOptions(at=action.at)
        if action.action == "add identity":
            settings = self.definitions.identity_settings(sql_type, action.options, self.name, action.at)
            if column.nullable:
                what = self._of(column, "must be declared NOT NULL before identity can be added")
                raise error("55000", what, action.at)
            if column.identity is not None:
                raise error("55000", self._of(column, "is already an identity column"), action.at)
            if column.default is not None:
                raise error("55000", self._of(column, "already has a default value"), action.at)
            self.columns[column.name] = replace(column, identity=identity)
        else:
            if column.identity is None:
                raise error("55000", self._of(column, "is not an identity column"), action.at)
            settings = sequence_settings(options, sql_type.name, self._sequence_of(column))
        asked = {} if identity is None else {"identity": identity}
        self.note("alter_identity", column=column.name, **asked, **settings)

    def _sequence_of(self, column: ColumnDef) -> SequenceDef | None:
        number: Any = column.default[1] if isinstance(column.default, list) else None
        found = self.definitions.catalogue.view.by_id.get(number)
        return found if isinstance(found, SequenceDef) else None

    def _alter_expression(self, action: tree.AlterColumn, column: ColumnDef) -> None:
        if column.generated is None:
            if not action.if_exists:
                raise error("55000", self._of(column, "is not a generated column"), action.at)
            return
        made = None
        if action.expression is not None:
            columns = list(self.columns.values())
            taken = {c.name for c in columns if c.generated is not None}
            made = self.definitions.generated(
                self.name, columns, column, action.expression, action.text, taken
            )
        self.columns[column.name] = replace(column, generated=made)
        self.note("alter_generated", column=column.name, generated=made)

    def _alter_type(self, action: tree.AlterColumn, column: ColumnDef) -> None:
        assert action.type is not None
        binder = self.definitions.binder
        wanted = binder.type_of(action.type)
        if action.collation is not None:
            check_collation(action.collation, wanted, action.at)
        self._refuse_used(action, column)
        using = None
        if action.expression is not None:
            if column.generated is not None:
                what = "cannot specify USING when altering type of generated column"
                detail = f'Column "{column.name}" is a generated column.'
                raise error("42611", what, action.at, detail=detail)
            scope = self.definitions.columns_scope(self.name, list(self.columns.values()))
            value = binder.bind(action.expression, scope, Place("transform expressions"))
            check_alone(value, "transform expression")
            message = f'result of USING clause for column "{column.name}" cannot be cast automatically to type {wanted.title}'
            binder.coerce(value, wanted, ASSIGNMENT, at=action.at, message=message)
            using = stored_text(action.text)
        else:
            message = f'column "{column.name}" cannot be cast automatically to type {wanted.title}'
            value = binder.columns_value(type_of_column(column.type))
            binder.coerce(value, wanted, ASSIGNMENT, at=action.at, message=message)
            using = stored_text(_quoted(column.name))
        self._check_default(action, column, wanted.title)
        made = column_of_type(wanted, action.type.at)
        self.columns[column.name] = replace(column, type=made)
        self.note("alter_type", column=column.name, new_type=made, using=using)

    def _refuse_used(self, action: tree.AlterColumn, column: ColumnDef) -> None:
        """Refuse another type for a column that a generated one or a view reads."""
        for other in self.columns.values():
            reads = other.generated is not None and column.name in names_read(other.generated, self.columns)
            if reads and other.name != column.name:
                detail = f'Column "{column.name}" is used by generated column "{other.name}".'
                message = "cannot alter type of a column used by a generated column"
                raise error("0A000", message, action.at, detail=detail)
        views = all_readers(self.definitions.catalogue.view, self.table.id, column.id)
        if views and column.name in self.table.by_name:
            detail = f'rule _RETURN on view {views[0].name[2]} depends on column "{column.name}"'
            message = "cannot alter type of a column used by a view or rule"
            raise error("0A000", message, action.at, detail=detail)

    def _check_default(self, action: tree.AlterColumn, column: ColumnDef, title: str) -> None:
        """Refuse a type to which the default does not convert (42804)."""
        default = column.default
        if not isinstance(default, dict):
            return
        from ..parse import parse_expression

        binder, wanted = self.definitions.binder, self.definitions.binder.type_of(action.type)  # type: ignore[arg-type]
        value = self.definitions.binder.bind(
            parse_expression(default["sql"]), self.definitions.columns_scope(self.name, []), Place("DEFAULT")
        )
        message = f'default for column "{column.name}" cannot be cast automatically to type {title}'
        binder.coerce(value, wanted, ASSIGNMENT, at=action.at, message=message)

    # Constraints.

    def _add_constraints(self, given: list[tuple[tree.Constraint, str]]) -> None:
        added = [(c, column) for c, column in given if c.kind not in _PROPERTIES]
        if not added:
            return
        existing = replace(self.table, name=self.name)
        parts = TableParts(self.definitions, self.name, list(self.columns.values()), existing)
        key = list(parts.key)
        for constraint, column in added:
            parts.add(constraint, column)
        if parts.key != key:
            for name in parts.key:
                self.columns[name] = replace(self.columns[name], nullable=False)
            self.note("add_primary_key", columns=parts.key, constraint=parts.key_name)
        for check in parts.checks:
            self.note("add_check", check=check)
        for index in parts.indexes:
            self.note("create_index", index=index)
        parts.finish()
        for foreign in parts.foreign_keys:
            self.note("add_foreign_key", key=foreign)
        self._remember(parts)

    def _remember(self, parts: TableParts) -> None:
        """Let later actions see the names and keys that were added."""
        self.table = replace(
            self.table,
            primary_key=tuple(parts.key),
            checks=(*self.table.checks, *parts.checks),
            indexes=(*self.table.indexes, *parts.indexes),
        )

    def _kind_of(self, name: str) -> str | None:
        """Return what a constraint is: ``"check"``, ``"key"`` or ``"unique"``; None if there is none of this name."""
        table = self.table
        if name in {c.name for c in table.checks} | {k.name for k in table.foreign_keys}:
            return "check"
        for index in table.indexes:
            if index.name == name:
                if table.primary_key and index is table.indexes[0]:
                    return "key"
                if index.options.get("constraint"):
                    return "unique"
        return None

    def _no_constraint(self, name: str, at: int) -> SqlError:
        return error("42704", f'constraint "{name}" of relation "{self.name[2]}" does not exist', at)

    def _drop_constraint(self, action: tree.DropConstraint) -> None:
        kind = self._kind_of(action.name)
        if kind is None and action.if_exists:
            return
        if kind is None:
            raise self._no_constraint(action.name, action.at)
        if kind == "check":
            self.note("drop_constraint", constraint=action.name)
            return
        index = self.table.index(action.name)
        what = f"constraint {action.name} on table {self.name[2]}"
        self.changes += self.definitions.without_index(self.table, index, what, cascade=action.cascade)
        if kind == "key":
            self.table = replace(self.table, primary_key=(), indexes=self.table.indexes[1:])

    def _rename_constraint(self, action: tree.RenameConstraint) -> None:
        kind = self._kind_of(action.old)
        if kind is None:
            raise error(
                "42704", f'constraint "{action.old}" for table "{self.name[2]}" does not exist', action.at
            )
        if kind == "check":
            taken = {c.name for c in self.table.checks} | {k.name for k in self.table.foreign_keys}
            if action.new in taken:
                message = f'constraint "{action.new}" for relation "{self.name[2]}" already exists'
                raise error("42710", message, action.at)
        else:
            self.definitions.check_free("index", (*self.name[:2], action.new), action.at)
        self.note("rename_constraint", constraint=action.old, new_name=action.new)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
