"""Definitions: statements that change tables and other objects, as calls of the engine's transaction.

    create table t (id serial primary key, a int check (a > 0))
        Change("create_table", name=…, columns=[ColumnDef(…)], primary_key=["id"], checks=[CheckDef("t_a_check", [">", ["col", "a"], ["lit", 0]])])

A :class:`Change` names a method of :class:`~zengram_py.engine.Transaction` and its arguments, which are plain definitions of the
engine; to carry out a statement is to make its calls in order. ``if [not] exists`` is decided here, where the catalogue is known:
nothing to do is no change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

from ...engine import ColumnDef, TableDef
from ...engine.definitions import Definition, Name
from .. import tree
from ..bound import Bound, Output
from ..errors import error, unsupported
from ..scope import Catalogue, Namespace, Scope, TableName
from ..types import SERIALS, SqlType
from .changes import Binder
from .coercion import State
from .columns import column_of_type, type_of_column
from .constraints import TableParts, check_alone
from .indexes import index_of
from .object_names import is_taken, key_names, object_name
from .operators import Place
from .stored import as_default


@dataclass(frozen=True)
class Change:
    """One call of a transaction's method."""

    method: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class BoundDefinition:
    """The calls that a statement stands for; none if there is nothing to do."""

    changes: tuple[Change, ...] = ()
    outputs: tuple[Output, ...] = field(default=())


class Definitions:
    """Binds statements that define; one for each statement."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.binder = Binder(state)

    @property
    def catalogue(self) -> Catalogue:
        """The definitions that the statement sees."""
        return self.state.catalogue

    def bind(self, node: tree.Statement) -> BoundDefinition | None:
        """Return the calls of a statement, or None if it defines nothing that is kept here."""
        handler = _HANDLERS.get(type(node))
        if handler is None or (isinstance(node, tree.Drop) and node.kind == "branch"):
            return None
        return BoundDefinition(tuple(handler(self, node)))

    # Tables.

    def _create_table(self, node: tree.CreateTable) -> list[Change]:
        name = self._new_relation(node.name, node.temporary, node.if_not_exists, node.at)
        if name is None:
            return []
        if node.options:
            raise unsupported("a storage parameter of a table", node.at)
        columns = [c for like in node.like for c in self._like(like, node.at)]
        specs = [self.column(spec) for spec in node.columns]
        columns += specs
        self._refuse_repeats([c.name for c in columns], node.at)
        constraints = [
            *((spec.name, c) for spec in node.columns for c in spec.constraints),
            *(("", c) for c in node.constraints),
        ]
        parts = TableParts(self, name, columns)
        for column, constraint in constraints:
            parts.add(constraint, column)
        return [
            Change(
                "create_table",
                {
                    "name": name,
                    "columns": [replace(c, nullable=c.nullable and c.name not in parts.key) for c in columns],
                    "primary_key": parts.key,
                    "indexes": parts.indexes,
                    "checks": parts.checks,
                    "foreign_keys": parts.foreign_keys,
                    "temporary": node.temporary,
                },
            )
        ]

    def _create_table_as(self, node: tree.CreateTableAs) -> list[Change]:
        query = self.binder.query(node.query, Scope())
        name = self._new_relation(node.name, node.temporary, node.if_not_exists, node.at)
        if name is None:
            return []
        if len(node.columns) > len(query.outputs):
            raise error("42601", "too many column names were specified", node.at)
        names = [*node.columns, *(o.name for o in query.outputs[len(node.columns) :])]
        self._refuse_repeats(names, node.at)
        columns = [
            ColumnDef(column, column_of_type(output.type, node.at))
            for column, output in zip(names, query.outputs, strict=True)
        ]
        created = Change("create_table", {"name": name, "columns": columns, "temporary": node.temporary})
        filled = Change("fill", {"name": name, "query": query})
        return [created, filled] if node.with_data else [created]

    @staticmethod
    def _refuse_repeats(names: Sequence[str], at: int) -> None:
        seen: set[str] = set()
        for name in names:
            if name in seen:
                raise error("42701", f'column "{name}" specified more than once', at)
            seen.add(name)

    def _new_relation(
        self, parts: Name | tuple[str, ...], temporary: bool, quiet: bool, at: int
    ) -> Name | None:
        name = self.catalogue.path.new_name(tuple(parts), temporary=temporary)
        self.check_place(name, at)
        if not is_taken(self.catalogue, name):
            return name
        if quiet:
            return None
        raise error("42P07", f'relation "{name[2]}" already exists', at)

    def check_place(self, name: Name, at: int) -> None:
        """Refuse a name in a database or schema that is not there (3D000, 3F000)."""
        database, schema, _ = name
        if (
            database != self.catalogue.path.database
            and self.catalogue.view.find("database", (database, "-", database)) is None
            and database != "zengram"
        ):
            raise error("3D000", f'database "{database}" does not exist', at)
        here = replace(self.catalogue, path=replace(self.catalogue.path, database=database))
        if not here.has_schema(schema):
            raise error("3F000", f'schema "{schema}" does not exist', at)

    def _like(self, parts: tuple[str, ...], at: int) -> list[ColumnDef]:
        table = self.catalogue.table(parts, at)
        return [ColumnDef(c.name, c.type, nullable=c.nullable) for c in table.columns]

    def type_of(self, name: tree.TypeName) -> SqlType:
        """Return the type of a column; serials are what they hold."""
        if len(name.parts) == 1 and name.parts[0] in SERIALS and not name.dimensions:
            return SERIALS[name.parts[0]]
        return self.binder.type_of(name)

    def column(self, spec: tree.ColumnSpec) -> ColumnDef:
        """Return a column as the engine defines it, without the constraints that are the table's."""
        sql_type = self.type_of(spec.type)
        column = column_of_type(sql_type, spec.type.at)
        serial = len(spec.type.parts) == 1 and spec.type.parts[0] in SERIALS
        nullable, default, identity = not serial, None, "default" if serial else None
        has_default = serial
        for constraint in spec.constraints:
            if constraint.kind == "not null":
                nullable = False
            elif constraint.kind == "default":
                if has_default:
                    message = f'multiple default values specified for column "{spec.name}" of table'
                    raise error("42601", message, constraint.at)
                has_default = True
                default = self.default(constraint.expression, constraint.text, sql_type, spec.name)
            elif constraint.kind == "identity":
                if has_default:
                    message = f'both default and identity specified for column "{spec.name}" of table'
                    raise error("42601", message, constraint.at)
                if sql_type.name not in ("int2", "int4", "int8"):
                    message = "identity column type must be smallint, integer, or bigint"
                    raise error("22023", message, constraint.at)
                if constraint.options is not None and constraint.options != tree.SequenceOptions():
                    raise unsupported("a setting of an identity column", constraint.at)
                has_default, nullable = True, False
                identity = "always" if constraint.identity == "always" else "default"
        return ColumnDef(spec.name, column, nullable=nullable, default=default, identity=identity)

    def default(self, node: tree.Expression | None, text: str, sql_type: SqlType, column: str) -> Any:
        """Return a default as the catalogue keeps it."""
        assert node is not None
        value = self.binder.bind(node, Scope(), Place("DEFAULT expressions"))
        value = self.binder.settled(value) if sql_type.category == "P" else value
        message = f'column "{column}" is of type {sql_type.title} but default expression is of type {{}}'
        bound = self.binder.coerce(value, sql_type, 1, message=message)
        check_alone(bound, "DEFAULT expression")
        return as_default(bound, text, self.catalogue)

    def columns_scope(self, name: Name, columns: Sequence[ColumnDef]) -> Scope:
        """Return the scope of a table's own expressions: its columns."""
        relation = self.state.new_relation()
        outputs = tuple(Output(c.name, type_of_column(c.type)) for c in columns)
        names = self.binder.named(relation, outputs, None, name[2], 0)
        return Scope(None, Namespace((TableName(name[2], names.columns, name),), names.columns))

    def _drop(self, node: tree.Drop) -> list[Change]:
        if node.kind in _DROPS:
            return _elsewhere(*_DROPS[node.kind])(self, node)
        handler = {
            "table": self._drop_table,
            "index": self._drop_index,
            "view": self._drop_object,
            "sequence": self._drop_object,
            "type": self._drop_object,
            "schema": self._drop_object,
            "property graph": self._drop_object,
            "database": self._drop_database,
        }.get(node.kind)
        if handler is None:
            raise unsupported(f"DROP {node.kind.upper()}", node.at)
        changes = []
        for parts in node.names:
            change = handler(node, parts)
            if change is not None:
                changes += self._dependent(change)
                changes.append(change)
        return changes

    def _dependent(self, change: Change) -> list[Change]:
        """Return what has to go before a table does."""
        if change.method != "drop_table":
            return []
        return _elsewhere("triggers", "drop_triggers_of")(self, change.arguments["name"])

    def _missing(self, node: tree.Drop, code: str, message: str) -> None:
        if not node.if_exists:
            raise error(code, message, None)

    def _drop_table(self, node: tree.Drop, parts: tuple[str, ...]) -> Change | None:
        found = self.catalogue.find("table", parts)
        if not isinstance(found, TableDef):
            if self.catalogue.find("view", parts) is not None:
                raise error(
                    "42809", f'"{parts[-1]}" is not a table', None, hint="Use DROP VIEW to remove a view."
                )
            self._missing(node, "42P01", f'table "{".".join(parts)}" does not exist')
            return None
        return Change("drop_table", {"name": found.name, "cascade": node.cascade})

    def _drop_index(self, node: tree.Drop, parts: tuple[str, ...]) -> Change | None:
        for table in self.catalogue.view.tables():
            for index in table.indexes:
                if index.name == parts[-1] and table.name[0] == self.catalogue.path.database:
                    return Change("drop_index", {"name": table.name, "index": index.name})
        self._missing(node, "42704", f'index "{".".join(parts)}" does not exist')
        return None

    def _drop_object(self, node: tree.Drop, parts: tuple[str, ...]) -> Change | None:
        kind = {"type": "enum"}.get(node.kind, node.kind)
        found: Definition | None
        if kind == "schema":
            found = self.catalogue.view.find("schema", (self.catalogue.path.database, "-", parts[-1]))
        else:
            found = self.catalogue.find(kind, parts)
        if found is None:
            others = ("table", "view", "sequence") if kind in ("view", "sequence") else ()
            if any(self.catalogue.find(other, parts) for other in others):
                raise error("42809", f'"{parts[-1]}" is not a {kind}')
            code = {"view": "42P01", "sequence": "42P01", "schema": "3F000"}.get(node.kind, "42704")
            self._missing(node, code, f'{node.kind} "{".".join(parts)}" does not exist')
            return None
        return Change("drop_object", {"kind": kind, "name": found.name})

    def _drop_database(self, node: tree.Drop, parts: tuple[str, ...]) -> Change | None:
        if self.catalogue.view.find("database", (parts[0], "-", parts[0])) is None:
            self._missing(node, "3D000", f'database "{parts[0]}" does not exist')
            return None
        return Change("drop_database", {"name": parts[0]})

    # Other objects.

    def _create_index(self, node: tree.CreateIndex) -> list[Change]:
        table = self.catalogue.table(node.table, node.at)
        if node.name is not None:
            name = node.name
            if is_taken(self.catalogue, (*table.name[:2], name)):
                if node.if_not_exists:
                    return []
                raise error("42P07", f'relation "{name}" already exists', node.at)
        else:
            names = key_names(node.keys, node.include)
            name = object_name(
                table.name[2], names, "idx", lambda n: is_taken(self.catalogue, (*table.name[:2], n))
            )
        scope = self.columns_scope(table.name, table.columns)

        def condition() -> Bound | None:
            if node.where is None:
                return None
            return self.binder.boolean(
                self.binder.bind(node.where, scope, Place("index predicates")), "WHERE"
            )

        index, build = index_of(
            node,
            name,
            table,
            lambda e: self.binder.settled(self.binder.bind(e, scope, Place("index expressions"))),
            condition,
        )
        arguments: dict[str, Any] = {"name": table.name, "index": index}
        if build is not None:
            arguments["build"] = build
        return [Change("create_index", arguments)]

    def _create_view(self, node: tree.CreateView) -> list[Change]:
        query = self.binder.query(node.query, Scope())
        if self.state.parameters:
            raise error("42P02", "there is no parameter $1 in a view", node.at)
        if len(node.columns) > len(query.outputs):
            raise error("42601", "CREATE VIEW specifies more column names than columns", node.at)
        columns = [*node.columns, *(o.name for o in query.outputs[len(node.columns) :])]
        self._refuse_repeats(columns, node.at)
        name = self.catalogue.path.new_name(node.name, temporary=node.temporary)
        self.check_place(name, node.at)
        taken = self.catalogue.view.taken("view", name)
        changes = []
        if taken is not None:
            if not node.replace or taken.kind != "view":
                raise error("42P07", f'relation "{name[2]}" already exists', node.at)
            changes.append(Change("drop_object", {"kind": "view", "name": name}))
        definition = {"query": node.text, "columns": columns, "path": list(self.catalogue.path.schemas)}
        changes.append(Change("create_object", {"kind": "view", "name": name, "definition": definition}))
        return changes

    def _create_sequence(self, node: tree.CreateSequence) -> list[Change]:
        name = self._new_relation(node.name, node.temporary, node.if_not_exists, node.at)
        if name is None:
            return []
        if node.options.owned_by is not None:
            raise unsupported("OWNED BY", node.at)
        settings: dict[str, Any] = {
            key: value
            for key, value in (
                ("start", node.options.start),
                ("increment", node.options.increment),
                ("least", node.options.least),
                ("most", node.options.most),
                ("cycle", node.options.cycle),
            )
            if value is not None
        }
        if settings.get("increment") == 0:
            raise error("22023", "INCREMENT must not be zero", node.at)
        start, least, most = (settings.get(k) for k in ("start", "least", "most"))
        if start is not None and most is not None and start > most:
            raise error("22023", f"START value ({start}) cannot be greater than MAXVALUE ({most})", node.at)
        if start is not None and least is not None and start < least:
            raise error("22023", f"START value ({start}) cannot be less than MINVALUE ({least})", node.at)
        return [Change("create_sequence", {"name": name, **settings})]

    def _create_enum(self, node: tree.CreateEnum) -> list[Change]:
        name = self.catalogue.path.new_name(node.name)
        self.check_place(name, node.at)
        if self.catalogue.view.find("enum", name) is not None:
            raise error("42710", f'type "{name[2]}" already exists', node.at)
        for i, label in enumerate(node.labels):
            if label in node.labels[:i]:
                raise error("23505", "enum labels must be unique", node.at)
        return [Change("create_enum", {"name": name, "labels": list(node.labels)})]

    def _alter_enum(self, node: tree.AlterEnum) -> list[Change]:
        found = self.catalogue.enum(node.name)
        if found is None:
            raise error("42704", f'type "{".".join(node.name)}" does not exist', node.at)
        if node.renamed is not None:
            raise unsupported("RENAME VALUE", node.at)
        labels = [label for _, label in found.type.labels]
        if node.label in labels:
            if node.if_not_exists:
                return []
            raise error("42710", f'enum label "{node.label}" already exists', node.at)
        beside = node.before or node.after
        if beside is not None and beside not in labels:
            raise error("22023", f'"{beside}" is not an existing enum label', node.at)
        arguments = {"name": found.name, "label": node.label, "before": node.before, "after": node.after}
        return [Change("add_enum_label", arguments)]

    def _create_namespace(self, node: tree.CreateNamespace) -> list[Change]:
        title = node.name[-1]
        database = title if node.kind == "database" else self.catalogue.path.database
        name = (database, "-", title)
        known = self.catalogue.view.find(node.kind, name) is not None
        builtin = (
            title == "zengram" if node.kind == "database" else title in ("public", "pg_temp", "pg_catalog")
        )
        if known or builtin:
            if node.if_not_exists:
                return []
            code = "42P04" if node.kind == "database" else "42P06"
            raise error(code, f'{node.kind} "{title}" already exists', node.at)
        if node.kind == "database":
            return [Change("create_database", {"name": title})]
        return [Change("create_object", {"kind": "schema", "name": name})]


def _elsewhere(module: str, name: str) -> Callable[[Definitions, Any], list[Change]]:
    """Return a function of another module of this folder, which is only loaded by who needs it."""

    def run(definitions: Definitions, node: Any) -> list[Change]:
        found: list[Change] = getattr(import_module(f".{module}", __package__), name)(definitions, node)
        return found

    return run


_DROPS = {
    "function": ("functions", "drop_function"),
    "trigger": ("triggers", "drop_trigger"),
    "property graph": ("graphs", "drop_graph"),
}
_HANDLERS: dict[type[Any], Callable[[Definitions, Any], list[Change]]] = {
    tree.CreateTable: Definitions._create_table,
    tree.CreateTableAs: Definitions._create_table_as,
    tree.Drop: Definitions._drop,
    tree.CreateIndex: Definitions._create_index,
    tree.CreateView: Definitions._create_view,
    tree.CreateSequence: Definitions._create_sequence,
    tree.CreateEnum: Definitions._create_enum,
    tree.AlterEnum: Definitions._alter_enum,
    tree.CreateNamespace: Definitions._create_namespace,
    tree.CreateFunction: _elsewhere("functions", "create_function"),
    tree.CreateTrigger: _elsewhere("triggers", "create_trigger"),
    tree.CreateGraph: _elsewhere("graphs", "create_graph"),
}
