"""Objects beside tables: indexes, views, enum types, schemas and databases, and comments."""

from __future__ import annotations

from typing import Any

from ...engine import ObjectDef, TableDef
from ...engine.definitions import DEFAULT_DATABASE, TEMPORARY_SCHEMA
from .. import tree
from ..bound import Bound, BoundQuery
from ..errors import error
from ..lexer import LONGEST_NAME
from ..scope import Scope
from .definitions import Change
from .functions import functions_named
from .indexes import index_of
from .object_names import is_taken, key_names, object_name
from .operators import Place
from .reading import Reads
from .sequences import Sequences

_BUILT_IN = ("public", "pg_temp", "pg_catalog", "information_schema")


class Objects(Sequences):
    """The part of the binder of definitions that makes objects."""

    # Indexes.

    def create_index(self, node: tree.CreateIndex) -> list[Change]:
        """Bind ``create index``."""
        table = self.catalogue.table(node.table, node.at)

        def taken(name: str) -> bool:
            return is_taken(self.catalogue, (*table.name[:2], name))

        if node.name is None:
            name = object_name(table.name[2], key_names(node.keys, node.include), "idx", taken)
        elif not taken(node.name):
            name = node.name
        elif node.if_not_exists:
            return []
        else:
            raise error("42P07", f'relation "{node.name}" already exists', node.at)
        scope = self.columns_scope(table.name, table.columns)

        def key(expression: tree.Expression) -> Bound:
            if isinstance(expression, tree.ColumnRef) and expression.parts[-1] not in table.by_name:
                raise error("42703", f'column "{expression.parts[-1]}" does not exist', expression.at)
            return self.binder.settled(self.binder.bind(expression, scope, Place("index expressions")))

        def condition() -> Bound | None:
            if node.where is None:
                return None
            return self.binder.boolean(
                self.binder.bind(node.where, scope, Place("index predicates")), "WHERE"
            )

        index, build = index_of(node, name, table, key, condition)
        arguments: dict[str, Any] = {"name": table.name, "index": index}
        if build is not None:
            arguments["build"] = build
        return [Change("create_index", arguments)]

    # Views.

    def create_view(self, node: tree.CreateView) -> list[Change]:
        """Bind ``create view``."""
        reads = self.state.reads = Reads()
        query = self.binder.query(node.query, Scope())
        if self.state.parameters:
            raise error("42P02", f"there is no parameter ${min(self.state.parameters)}", node.at)
        if len(node.columns) > len(query.outputs):
            raise error("42601", "CREATE VIEW specifies more column names than columns", node.at)
        columns = [*node.columns, *(o.name for o in query.outputs[len(node.columns) :])]
        self.refuse_repeats(columns, node.at)
        is_temporary = node.temporary or any(d.name[1] == TEMPORARY_SCHEMA for d in reads.found.values())
        if is_temporary and len(node.name) > 1 and node.name[-2] != TEMPORARY_SCHEMA:
            raise error("42P16", "cannot create temporary relation in non-temporary schema", node.at)
        name = self.new_name(node.name, is_temporary, node.at)
        definition = {
            "query": node.text,
            "columns": columns,
            "path": list(self.catalogue.path.schemas),
            "reads": reads.as_data(query),
        }
        if not is_taken(self.catalogue, name):
            return [Change("create_object", {"kind": "view", "name": name, "definition": definition})]
        existing = self.catalogue.view.find("view", name)
        if not node.replace:
            raise error("42P07", f'relation "{name[2]}" already exists', node.at)
        if not isinstance(existing, ObjectDef):
            raise error("42809", f'"{name[2]}" is not a view', node.at)
        self._check_replacement(existing, columns, query, node.at)
        return [Change("alter_object", {"kind": "view", "name": name, "definition": definition})]

    def _check_replacement(self, existing: ObjectDef, columns: list[str], query: BoundQuery, at: int) -> None:
        """Refuse a view that lacks columns of the one that it replaces, or has them otherwise (42P16)."""
        self.state.reads = None
        alias = tree.TableRef(existing.name, at=at)
        star = tree.Target(tree.Star(at=at), at=at)
        before = self.binder.query(tree.Query(tree.Select((star,), sources=(alias,), at=at), at=at), Scope())
        if len(columns) < len(before.outputs):
            raise error("42P16", "cannot drop columns from view", at)
        for old, name, new in zip(before.outputs, columns, query.outputs, strict=False):
            if old.name != name:
                hint = "Use ALTER VIEW ... RENAME COLUMN ... to change name of view column instead."
                what = f'cannot change name of view column "{old.name}" to "{name}"'
                raise error("42P16", what, at, hint=hint)
            if (old.type.name, old.type.modifier) != (new.type.name, new.type.modifier):
                what = (
                    f'cannot change data type of view column "{name}" from {old.type.declaration} '
                    f"to {new.type.declaration}"
                )
                raise error("42P16", what, at)

    # Types.

    def create_enum(self, node: tree.CreateEnum) -> list[Change]:
        """Bind ``create type … as enum``."""
        name = self.new_name(node.name, False, node.at)
        view = self.catalogue.view
        if view.find("enum", name) is not None or view.taken("table", name) is not None:
            raise error("42710", f'type "{name[2]}" already exists', node.at)
        for i, label in enumerate(node.labels):
            if label in node.labels[:i]:
                raise error("23505", f'enum label "{label}" used more than once', node.at)
            self._check_label(label, node.at)
        return [Change("create_enum", {"name": name, "labels": list(node.labels)})]

    @staticmethod
    def _check_label(label: str, at: int) -> None:
        if len(label.encode()) > LONGEST_NAME:
            detail = "Labels must be 63 bytes or less."
            raise error("42602", f'invalid enum label "{label}"', at, detail=detail)

    def alter_enum(self, node: tree.AlterEnum) -> list[Change]:
        """Bind ``alter type … add value`` and ``rename value``."""
        found = self.catalogue.enum(node.name)
        if found is None:
            raise error("42704", f'type "{".".join(node.name)}" does not exist', node.at)
        labels = [label for _, label in found.type.labels]
        if node.renamed is not None:
            if node.label not in labels:
                raise error("22023", f'"{node.label}" is not an existing enum label', node.at)
            if node.renamed in labels:
                raise error("42710", f'enum label "{node.renamed}" already exists', node.at)
            arguments = {"name": found.name, "old": node.label, "new": node.renamed}
            return [Change("rename_enum_label", arguments)]
        self._check_label(node.label, node.at)
        if node.label in labels:
            if node.if_not_exists:
                return []
            raise error("42710", f'enum label "{node.label}" already exists', node.at)
        beside = node.before or node.after
        if beside is not None and beside not in labels:
            raise error("22023", f'"{beside}" is not an existing enum label', node.at)
        where = {"name": found.name, "label": node.label, "before": node.before, "after": node.after}
        return [Change("add_enum_label", where)]

    # Schemas and databases.

    def create_namespace(self, node: tree.CreateNamespace) -> list[Change]:
        """Bind ``create schema`` and ``create database``."""
        title = node.name[-1]
        database = title if node.kind == "database" else self.catalogue.path.database
        name = (database, "-", title)
        known = self.catalogue.view.find(node.kind, name) is not None
        builtin = title == "zengram" if node.kind == "database" else title in _BUILT_IN
        if known or builtin:
            if node.if_not_exists:
                return []
            code = "42P04" if node.kind == "database" else "42P06"
            raise error(code, f'{node.kind} "{title}" already exists', node.at)
        if node.kind == "database":
            return [Change("create_database", {"name": title})]
        if title.startswith("pg_"):
            detail = 'The prefix "pg_" is reserved for system schemas.'
            raise error("42939", f'unacceptable schema name "{title}"', node.at, detail=detail)
        return [Change("create_object", {"kind": "schema", "name": name})]

    # Comments.

    def comment(self, node: tree.Comment) -> list[Change]:
        """Bind ``comment on``, which is not kept: what it is on must be there."""
        if node.kind in ("table", "view", "sequence", "index"):
            self._commented_relation(node)
        elif node.kind in ("column", "constraint"):
            if len(node.name) < 2:
                raise error("42601", "column name must be qualified", node.at)
            found = self.catalogue.relation(node.name[:-1], node.at)
            self._check_part(node, found)
        elif node.kind == "type" and self.catalogue.enum(node.name) is None:
            raise error("42704", f'type "{".".join(node.name)}" does not exist', node.at)
        elif node.kind == "schema" and not self.catalogue.has_schema(node.name[-1]):
            raise error("3F000", f'schema "{node.name[-1]}" does not exist', node.at)
        elif node.kind == "database" and node.name[-1] != DEFAULT_DATABASE:
            if self.catalogue.view.find("database", (node.name[-1], "-", node.name[-1])) is None:
                raise error("3D000", f'database "{node.name[-1]}" does not exist', node.at)
        elif node.kind == "function" and not functions_named(self.catalogue, node.name):
            raise error("42883", f"function {'.'.join(node.name)} does not exist", node.at)
        return []

    def _commented_relation(self, node: tree.Comment) -> None:
        if node.kind == "index":
            places = self.catalogue.path.candidates(node.name)
            tables = [t for t in self.catalogue.view.tables() if any(t.name[:2] == p[:2] for p in places)]
            if not any(i.name == node.name[-1] for t in tables for i in t.indexes):
                raise error("42P01", f'relation "{".".join(node.name)}" does not exist', node.at)
        elif self.catalogue.find(node.kind, node.name) is None:
            if node.kind == "sequence":
                self.catalogue.sequence(node.name, node.at)
            self.catalogue.relation(node.name, node.at)
            article = "an" if node.kind[0] in "aeiou" else "a"
            raise error("42809", f'"{node.name[-1]}" is not {article} {node.kind}', node.at)

    def _check_part(self, node: tree.Comment, found: TableDef | ObjectDef) -> None:
        part, relation = node.name[-1], found.name[2]
        if isinstance(found, ObjectDef):
            known = set(found.definition["columns"]) if node.kind == "column" else set()
        elif node.kind == "column":
            known = set(found.by_name)
        else:
            known = {c.name for c in found.checks} | {k.name for k in found.foreign_keys}
            known |= {i.name for i in found.indexes if i.unique}
        if part not in known:
            if node.kind == "column":
                raise error("42703", f'column "{part}" of relation "{relation}" does not exist', node.at)
            raise error("42704", f'constraint "{part}" for table "{relation}" does not exist', node.at)
