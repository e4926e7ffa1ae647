"""Definitions as PostgreSQL's catalogues tell of them: object numbers, names of types, texts of expressions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...engine import IndexDef, SequenceDef, TableDef
from ...engine.catalog import CatalogView
from ...engine.definitions import DEFAULT_SCHEMA, TEMPORARY_SCHEMA, ColumnDef, EnumDef, ObjectDef
from ..bind.columns import type_of_column
from ..signatures import Signature
from ..types import VOID, SqlType

if TYPE_CHECKING:
    from ..session import Session

FIRST_OID = 16_384
"""Numbers of what is not built in begin here, as PostgreSQL's do."""
INDEX_OIDS = 1 << 24
SYSTEM_SCHEMAS = {
    "pg_catalog": 11,
    DEFAULT_SCHEMA: 2200,
    "information_schema": 13_000,
    TEMPORARY_SCHEMA: 13_001,
}
TYPE_OIDS = {
    "bool": 16,
    "bytea": 17,
    "int8": 20,
    "int2": 21,
    "int4": 23,
    "text": 25,
    "jsonb": 3802,
    "float4": 700,
    "float8": 701,
    "bpchar": 1042,
    "varchar": 1043,
    "date": 1082,
    "time": 1083,
    "timestamp": 1114,
    "interval": 1186,
    "numeric": 1700,
    "record": 2249,
    "void": 2278,
    "uuid": 2950,
    "tsvector": 3614,
    "tsquery": 3615,
    "int4range": 3904,
    "numrange": 3906,
    "tsrange": 3908,
    "daterange": 3912,
    "int8range": 3926,
    "jsonpath": 4072,
    "vector": 16_000,
}
_ARRAY_OIDS = {"bool": 1000, "bytea": 1001, "int2": 1005, "int4": 1007, "text": 1009, "int8": 1016, "float4": 1021, "float8": 1022, "timestamp": 1115, "date": 1182, "numeric": 1231, "uuid": 2951, "jsonb": 3807, "varchar": 1015}  # fmt: skip


class Definitions:
    """The definitions of one database that a statement sees."""

    def __init__(self, session: Session, view: CatalogView, rows: Any, versions: Any) -> None:
        self.session = session
        self.view = view
        self.rows_of = rows
        """A function that gives how many rows a table has."""
        self.versions_of = versions
        """A function that gives how many versions of rows a table holds."""
        self.database = session.path.database

    @cached_property
    def all(self) -> list[Any]:
        """Everything that is defined in the database, by name."""
        own = [d for d in self.view.by_id.values() if d.name[0] == self.database and d.kind != "database"]
        return sorted(own, key=lambda d: d.name)

    def of_kind(self, kind: str) -> list[Any]:
        """Return the definitions of a kind."""
        return [d for d in self.all if d.kind == kind]

    @property
    def tables(self) -> list[TableDef]:
        """The tables."""
        return self.of_kind("table")

    @property
    def views(self) -> list[ObjectDef]:
        """The views."""
        return self.of_kind("view")

    @property
    def sequences(self) -> list[SequenceDef]:
        """The sequences."""
        return self.of_kind("sequence")

    @property
    def enums(self) -> list[EnumDef]:
        """The enum types."""
        return self.of_kind("enum")

    @property
    def functions(self) -> list[ObjectDef]:
        """The user's functions, in SQL and PL/pgSQL."""
        return self.of_kind("function")

    @cached_property
    def triggers(self) -> list[tuple[TableDef, ObjectDef]]:
        """The triggers with their tables, by both names."""
        found = [(self.table(t.definition["table"]), t) for t in self.of_kind("trigger")]
        known = [(table, t) for table, t in found if table is not None]
        return sorted(known, key=lambda pair: (pair[0].name, str(pair[1].definition["name"])))

    def signature(self, function: ObjectDef) -> Signature:
        """Return what a function takes and gives; of a trigger's, that it gives nothing."""
        from ..bind.functions import signature_of
        from ..scope import Catalogue

        if function.definition["returns"] == "trigger":
            return Signature(function.definition["name"], (), VOID, "function")
        return signature_of(Catalogue(self.view, self.session.path), function)

    @property
    def schemas(self) -> dict[str, int]:
        """The schemas with their numbers."""
        found = dict(SYSTEM_SCHEMAS)
        for definition in self.all:
            if definition.kind == "schema":
                found[definition.name[2]] = oid(definition)
            else:
                found.setdefault(definition.name[1], FIRST_OID + 1 + (hash_of(definition.name[1]) % 100_000))
        return found

    def table(self, number: int) -> TableDef | None:
        """Return a table by its number."""
        found = self.view.by_id.get(number)
        return found if isinstance(found, TableDef) else None

    def view_columns(self, view: ObjectDef) -> list[tuple[str, SqlType]]:
        """Return the columns of a view with their types."""
        from ..prepare import prepare
        from ..scope import Catalogue, SearchPath

        given = view.definition
        path = SearchPath(view.name[0], tuple(given["path"]))
        outputs = prepare(given["query"], Catalogue(self.view, path)).outputs
        return [(name, o.type) for name, o in zip(given["columns"], outputs, strict=False)]

    def type_oid(self, sql_type: SqlType) -> int:
        """Return the number of a type."""
        if sql_type.category == "A" and sql_type.element is not None:
            known = _ARRAY_OIDS.get(sql_type.element.name)
            return known if known is not None else 100_000 + self.type_oid(sql_type.element)
        if sql_type.category == "E":
            return next((oid(e) for e in self.enums if e.name[2] == sql_type.name.split(".")[-1]), 0)
        return TYPE_OIDS.get(sql_type.name, 0)


def hash_of(text: str) -> int:
    """Return a number that is the same in every process."""
    found = 0
    for character in text:
        found = (found * 31 + ord(character)) % 1_000_003
    return found


def oid(definition: Any) -> int:
    """Return the number of something that is defined."""
    return FIRST_OID + int(definition.id)


def index_oid(table: TableDef, index: IndexDef) -> int:
    """Return the number of an index: indexes are numbered within their table."""
    return INDEX_OIDS + int(table.id) * 256 + int(index.id) % 256


def column_type(column: ColumnDef) -> SqlType:
    """Return the SQL type of a column."""
    return type_of_column(column.type)


def key_columns(index: IndexDef) -> list[str | None]:
    """Return the columns of an index; None for an expression."""
    return [str(k[1]) if isinstance(k, list) and k[0] == "col" else None for k in index.keys]


def key_text(key: Any) -> str:
    """Return a key of an index as SQL has it."""
    return str(key[1]) if isinstance(key, list) and key[0] == "col" else expression_text(key)


def expression_text(tree: Any, definitions: Definitions | None = None) -> str:
    """Return a stored expression as SQL."""
    if isinstance(tree, dict):
        return str(tree["sql"])
    head, *rest = tree
    if head == "col":
        return str(rest[0])
    if head == "lit":
        return _literal(rest[0])
    if head == "now":
        return "now()"
    if head == "nextval":
        found = None if definitions is None else definitions.view.by_id.get(rest[0])
        name = str(rest[0]) if found is None else found.name[2]
        return f"nextval('{name}'::regclass)"
    parts = [expression_text(part, definitions) for part in rest]
    if head in ("and", "or"):
        return "(" + f" {head.upper()} ".join(parts) + ")"
    if head == "not":
        return f"(NOT {parts[0]})"
    if head == "is_null":
        return f"({parts[0]} IS NULL)"
    if head == "in":
        return f"({parts[0]} IN ({', '.join(parts[1:])}))"
    if len(parts) == 2 and not head[0].isalpha():
        return f"({parts[0]} {'<>' if head == '!=' else head} {parts[1]})"
    return f"{head}({', '.join(parts)})"


def _literal(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    text = value if isinstance(value, str) else json.dumps(value)
    return "'" + text.replace("'", "''") + "'"


def index_text(table: TableDef, index: IndexDef) -> str:
    """Return the statement that makes an index."""
    methods = {
        "ordered": "btree",
        "hash": "hash",
        "fulltext": "gin",
        "gin": "gin",
        "hnsw": "hnsw",
        "auto": "hnsw",
    }
    unique = "UNIQUE " if index.unique else ""
    method = "btree" if index.unique else methods.get(index.kind, index.kind)
    where = "" if index.where is None else f" WHERE {expression_text(index.where)}"
    keys = ", ".join(key_text(k) for k in index.keys)
    return (
        f"CREATE {unique}INDEX {index.name} ON {table.name[1]}.{table.name[2]} USING {method} ({keys}){where}"
    )


def constraints(definitions: Definitions) -> Iterator[tuple[TableDef, str, str, list[str], Any]]:
    """Yield (table, name, letter as in pg_constraint, columns, definition) of all constraints."""
    for table in definitions.tables:
        if table.primary_key:
            name = table.indexes[0].name if table.indexes else f"{table.name[2]}_pkey"
            yield table, name, "p", list(table.primary_key), None
        for index in table.indexes[1 if table.primary_key else 0 :]:
            names = key_columns(index)
            if index.unique and index.where is None and None not in names:
                yield table, index.name, "u", [str(n) for n in names], index
        for key in table.foreign_keys:
            yield table, key.name, "f", list(key.columns), key
        for check in table.checks:
            yield table, check.name, "c", [], check
