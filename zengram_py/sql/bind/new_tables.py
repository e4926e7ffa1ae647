"""New tables: ``create table``, also like others, and out of a query."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...engine import ColumnDef, IndexDef, TableDef
from ...engine.definitions import TEMPORARY_SCHEMA, Name
from .. import tree
from ..errors import error, unsupported
from ..scope import Scope
from .column_specs import ColumnSpecs, Declared
from .columns import column_of_type
from .constraints import TableParts
from .definitions import Change
from .object_names import object_name

MAX_COLUMNS = 1600

_OPTIONS = (
    "fillfactor",
    "autovacuum_",
    "toast.",
    "toast_tuple_target",
    "parallel_workers",
    "user_catalog_table",
    "log_autovacuum_",
)
"""Storage parameters that mean nothing here, and change nothing that a statement could see."""


class NewTables(ColumnSpecs):
    """The part of the binder of definitions that makes tables."""

    def create_table(self, node: tree.CreateTable) -> list[Change]:
        """Bind ``create table``."""
        name = self.new_relation(node.name, node.temporary, node.if_not_exists, node.at)
        if name is None:
            return []
        check_storage(node.options, node.at)
        declared = [self.declared(spec, name) for spec in node.columns]
        copied = [self._like(like, name) for like in node.like]
        for like, copy in zip(reversed(node.like), reversed(copied), strict=True):
            declared[like.place : like.place] = copy.columns
        columns = [d.column for d in declared]
        self.refuse_repeats([c.name for c in columns], node.at)
        columns = self.with_generated(name, columns, node.columns)
        parts = TableParts(self, name, columns)
        for copy in copied:
            parts.take(copy.key, copy.indexes, copy.checks)
        for spec in node.columns:
            for constraint in spec.constraints:
                parts.add(constraint, spec.name)
        for constraint in node.constraints:
            parts.add(constraint, "")
        parts.finish()
        if not columns:
            raise unsupported("a table without columns", node.at)
        if len(columns) > MAX_COLUMNS:
            raise error("54011", f"tables can have at most {MAX_COLUMNS} columns", node.at)
        arguments: dict[str, Any] = {
            "name": name,
            "columns": [replace(c, nullable=c.nullable and c.name not in parts.key) for c in columns],
            "primary_key": parts.key,
            "indexes": parts.indexes,
            "checks": parts.checks,
            "foreign_keys": parts.foreign_keys,
            "temporary": name[1] == TEMPORARY_SCHEMA,
        }
        sequences = {d.column.name: d.sequence for d in declared if d.sequence}
        if sequences:
            arguments["sequences"] = sequences
        if parts.key_name:
            arguments["key_name"] = parts.key_name
        return [Change("create_table", arguments)]

    def create_table_as(self, node: tree.CreateTableAs) -> list[Change]:
        """Bind ``create table … as``."""
        self.state.top = node.query.with_
        query = self.binder.query(node.query, Scope())
        name = self.new_relation(node.name, node.temporary, node.if_not_exists, node.at)
        if name is None:
            return []
        if len(node.columns) > len(query.outputs):
            raise error("42601", "too many column names were specified", node.at)
        names = [*node.columns, *(o.name for o in query.outputs[len(node.columns) :])]
        self.refuse_repeats(names, node.at)
        columns = [
            ColumnDef(column, column_of_type(output.type, node.at))
            for column, output in zip(names, query.outputs, strict=True)
        ]
        temporary = name[1] == TEMPORARY_SCHEMA
        created = Change("create_table", {"name": name, "columns": columns, "temporary": temporary})
        filled = Change("fill", {"name": name, "query": query})
        return [created, filled] if node.with_data else [created]

    # Tables like others.

    def _like(self, like: tree.Like, name: Name) -> _Copied:
        table = self.catalogue.relation(like.table, like.at)
        if not isinstance(table, TableDef):
            return _Copied([Declared(column) for column in self._columns_of_view(like)])
        copied = _Copied([Declared(self._copied(column, like)) for column in table.columns])
        if "constraints" in like.including:
            copied.checks = list(table.checks)
        if "indexes" in like.including:
            copied.key = list(table.primary_key)
            taken = {f"{name[2]}_pkey"}
            for index in table.indexes[1:] if table.primary_key else table.indexes:
                copied.indexes.append(_renamed(index, name[2], taken))
        return copied

    def _columns_of_view(self, like: tree.Like) -> list[ColumnDef]:
        query = self.binder.query(
            tree.Query(
                tree.Select(
                    (tree.Target(tree.Star(at=like.at), at=like.at),),
                    sources=(tree.TableRef(like.table, at=like.at),),
                    at=like.at,
                ),
                at=like.at,
            ),
            Scope(),
        )
        return [ColumnDef(o.name, column_of_type(o.type, like.at)) for o in query.outputs]

    @staticmethod
    def _copied(column: ColumnDef, like: tree.Like) -> ColumnDef:
        including = like.including
        found = ColumnDef(column.name, column.type, nullable=column.nullable)
        if column.identity is not None:
            return replace(found, identity=column.identity) if "identity" in including else found
        if column.generated is not None:
            return replace(found, generated=column.generated) if "generated" in including else found
        return replace(found, default=column.default) if "defaults" in including else found


class _Copied:
    """What is taken from another table."""

    def __init__(self, columns: list[Declared]) -> None:
        self.columns = columns
        self.key: list[str] = []
        self.indexes: list[IndexDef] = []
        self.checks: list[Any] = []


def _renamed(index: IndexDef, table: str, taken: set[str]) -> IndexDef:
    columns = [str(key[1]) if isinstance(key, list) and key[0] == "col" else "expr" for key in index.keys]
    label = "key" if index.options.get("constraint") else "idx"
    name = object_name(table, columns, label, lambda n: n in taken)
    taken.add(name)
    return replace(index, name=name, id=0)


def check_storage(options: tree.Options, at: int) -> None:
    """Refuse storage parameters that PostgreSQL does not have either (22023)."""
    for name, _ in options:
        if not name.startswith(_OPTIONS):
            raise error("22023", f'unrecognized parameter "{name}"', at)
