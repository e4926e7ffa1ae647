"""Bringing a database to the memory's schema: numbered migrations, each applied once and recorded with its checksum.

::

    _zengram_migrations   1  layer0_storage  9c1f…  applied_at        a new database takes all of them at once;
                          2  layer1_core     04ab…  applied_at        one from an older version those that it lacks

All of it happens in one transaction, or nothing does. A recorded migration whose data have changed since is refused: what it made then
is not what this version expects. So is a database with a table of its own under a name that the memory needs.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

from ...engine import ColumnDef, Database, IndexDef, TableDef, Transaction
from ...engine.definitions import full_name, number_columns
from ...errors import MigrationError
from . import legacy
from .checksums import CHECKSUMS
from .coding import EXTENSIONS, LAYER3, TURN_FIELDS
from .core import LAYER1
from .cross_cutting import CROSS_CUTTING, PROPERTY_GRAPH
from .knowledge import LAYER2
from .ours import ENTITIES, KNOWLEDGE_VECTOR, PROVENANCE_GRAPH, RANKING, SESSIONS, TOKEN_DIGESTS
from .specs import VECTOR, Graph, Migration, More, Step, Table, integer, text, time
from .storage import LAYER0


def fold(migrations: Sequence[Migration]) -> tuple[dict[str, Table], dict[str, Graph]]:
    """Return the tables and graphs that migrations come to, those of :class:`More` joined to the tables that they make."""
    tables: dict[str, Table] = {}
    graphs: dict[str, Graph] = {}
    for step in (step for migration in migrations for step in migration.steps):
        if isinstance(step, Table):
            tables[step.name] = step
        elif isinstance(step, Graph):
            known = graphs.get(step.name, Graph(step.name, {}, ()))
            graphs[step.name] = Graph(
                step.name, {**known.vertices, **step.vertices}, [*known.edges, *step.edges]
            )
        elif step.table in tables:
            table = tables[step.table]
            tables[step.table] = replace(
                table,
                columns=[*table.columns, *step.columns],
                links={**table.links, **step.links},
                indexes=[*table.indexes, *step.indexes],
            )
    return {name: _numbered(table) for name, table in tables.items()}, graphs


def _numbered(table: Table) -> Table:
    """Return a table whose columns and indexes have the numbers that they get when it is made: then they are taken as they are."""
    indexes = [replace(index, id=1 + i) for i, index in enumerate(table.indexes)]
    return replace(table, columns=number_columns(table.columns, table.key), indexes=indexes)


MIGRATIONS: tuple[Migration, ...] = (
    LAYER0,
    LAYER1,
    LAYER2,
    PROPERTY_GRAPH,
    CROSS_CUTTING,
    LAYER3,
    EXTENSIONS,
    TURN_FIELDS,
    KNOWLEDGE_VECTOR,
    ENTITIES,
    RANKING,
    SESSIONS,
    PROVENANCE_GRAPH,
    TOKEN_DIGESTS,
)
WHOLE = fold(MIGRATIONS)
"""What a new database gets; made once, since opening a memory must be quick."""
RECORD = Table(
    "_zengram_migrations",
    [integer("version"), text("name"), text("checksum"), time("applied_at")],
    key=("version",),
)
GRAPH_KIND = "property graph"
"""How the catalogue calls one: sql/bind/graphs.py reads what is kept under it."""


def migrate(database: Database, dimensions: int, migrations: Sequence[Migration] = MIGRATIONS) -> list[str]:
    """Apply the migrations that a database lacks; return their labels.

    Parameters
    ----------
    database : Database
        The database.
    dimensions : int
        Numbers in each of the memory's vectors.
    migrations : sequence of Migration
        All that there are, by number.

    Raises
    ------
    MigrationError
        If a recorded migration is another than the one of its number here (``MIGRATION_CHECKSUM``), the database was made by a later
        version (``MIGRATION_UNKNOWN``), or has a table or graph of its own under a name that the memory needs (``MIGRATION_CLASH``).
        Nothing was changed.
    """
    recorded = _recorded(database, migrations)
    lacking = [one for one in migrations if one.version not in recorded]
    if not lacking:
        return []
    with database.begin() as transaction:
        present = {table.title for table in database.tables()}
        adopted = set() if recorded else legacy.tables_of(database)
        tables, graphs = WHOLE if tuple(lacking) == MIGRATIONS else fold(lacking)
        for name in [*([] if recorded else [RECORD.name]), *tables]:
            if name in present and name not in adopted:
                raise MigrationError(
                    f"the database has a table {name!r} of its own, which is a name that a memory needs: rename the table",
                    code="MIGRATION_CLASH",
                )
        for name in [RECORD.name, *tables]:
            for kind in ("view", "sequence"):
                if transaction.reader.catalog.find(kind, full_name(name)) is not None:
                    raise MigrationError(
                        f"the database has a {kind} {name!r} of its own, which is a name that a memory needs: rename it",
                        code="MIGRATION_CLASH",
                    )
        if not recorded:
            _create(transaction, [RECORD])
        if adopted:
            legacy.adopt(transaction, [t.of(dimensions) for t in tables.values() if t.name in adopted])
        _create(transaction, [t.of(dimensions) for t in tables.values() if t.name not in adopted])
        if not recorded and not adopted:
            transaction.insert("_zengram_config", {"key": "dimensions", "value": dimensions})
        if adopted:
            legacy.complete(transaction, [t.of(dimensions) for t in tables.values() if t.name in adopted])
        for step in (step for one in lacking for step in one.steps):
            if isinstance(step, More) and step.table not in tables:
                add(transaction, step)
        if graphs:
            whole = graphs if len(lacking) == len(migrations) else fold(migrations)[1]
            _write_graphs(transaction, whole, is_new=not recorded)
        for one in lacking:
            row = {"version": one.version, "name": one.name, "checksum": _checksum(one)}
            transaction.insert(RECORD.name, {**row, "applied_at": database.clock.now()})
    return [one.label for one in lacking]


def checksum(migration: Migration) -> str:
    """Return what tells a migration from any other one: SHA-256, in hexadecimal, of its data as canonical JSON."""
    data = [migration.version, migration.name, [_plain_step(step) for step in migration.steps]]
    return sha256(json.dumps(data, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def faults(database: Database, dimensions: int) -> list[str]:
    """Return what a database's tables lack of the memory's, in words; what an application added to them is no fault."""
    present = {table.title: table for table in database.tables()}
    found = []
    for table in [RECORD, *WHOLE[0].values()]:
        known = present.get(table.name)
        if known is None:
            found.append(f"there is no table {table.name!r}")
        else:
            found += [f"table {table.name!r} {what}" for what in _differences(known, table.of(dimensions))]
    return found


def _checksum(migration: Migration) -> str:
    """Return a migration's checksum, that of a released one as it was written down: computing them all takes longer than a page has."""
    return CHECKSUMS.get(migration.label) or checksum(migration)


# -- parts ---------------------------------------------------------------------------------------------------------------


def _recorded(database: Database, migrations: Sequence[Migration]) -> set[int]:
    table = next((table for table in database.tables() if table.title == RECORD.name), None)
    if table is None or _differences(table, RECORD):
        return set()
    known = {one.version: one for one in migrations}
    with database.begin(read_only=True) as transaction:
        rows = list(transaction.scan(RECORD.name))
    for row in rows:
        one = known.get(row["version"])
        if one is None:
            raise MigrationError(
                f"the memory was made by a later version of Zengram (migration {row['version']}, {row['name']}): update Zengram",
                code="MIGRATION_UNKNOWN",
            )
        if row["checksum"] != _checksum(one):
            raise MigrationError(
                f"migration {one.label} is recorded with another checksum than it has here: "
                "the memory's tables were made from something else",
                code="MIGRATION_CHECKSUM",
            )
    return {row["version"] for row in rows}


def _create(transaction: Transaction, tables: Sequence[Table]) -> None:
    """Create tables; a link to one that comes later is added when all are there."""
    there: set[str] = set()
    waiting = {table.name for table in tables}
    late = []
    for table in tables:
        there.add(table.name)
        ready = [c for c, target in table.links.items() if target in there or target not in waiting]
        late += [(table.name, table.foreign_key(c)) for c in table.links if c not in ready]
        transaction.create_table(
            table.name,
            table.columns,
            primary_key=table.key,
            indexes=table.indexes,
            foreign_keys=[table.foreign_key(c) for c in ready],
        )
    for name, key in late:
        transaction.add_foreign_key(name, key)


def add(transaction: Transaction, more: More) -> None:
    """Add columns, links and indexes to a table that is there."""
    for column in more.columns:
        transaction.add_column(more.table, column)
    for name in more.links:
        transaction.add_foreign_key(
            more.table, Table(more.table, more.columns, links=more.links).foreign_key(name)
        )
    for index in more.indexes:
        # Texts and vectors are scanned until their index is built: opening a memory need not wait for it.
        build = "deferred" if index.kind in ("fulltext", "auto") else "now"
        transaction.create_index(more.table, index, build=build)


def _write_graphs(transaction: Transaction, graphs: dict[str, Graph], *, is_new: bool) -> None:
    for graph in graphs.values():
        name = full_name(graph.name)
        known = transaction.reader.catalog.find(GRAPH_KIND, name)
        if known is not None and is_new:
            raise MigrationError(
                f"the database has a property graph {graph.name!r} of its own, which is a name that a memory needs: drop it",
                code="MIGRATION_CLASH",
            )
        definition = _graph(transaction, graph)
        if known is None:
            transaction.create_object(GRAPH_KIND, name, definition)
        else:
            transaction.alter_object(GRAPH_KIND, name, definition)


def _graph(transaction: Transaction, graph: Graph) -> dict[str, Any]:
    """Return a graph as the catalogue keeps it; a vertex has all columns of its table as properties.

    Labels are in lower case there, as SQL folds them: ``Turn`` and ``turn`` are one label in a pattern.
    """

    def element(label: str, table: str, properties: Sequence[str] | None) -> dict[str, Any]:
        known = transaction.reader.catalog.table(table)
        names = [c.name for c in known.columns] if properties is None else properties
        return {
            "table": list(known.name),
            "label": label.lower(),
            "key": list(known.primary_key),
            "properties": {name: name for name in names},
        }

    def end(given: tuple[str, str]) -> dict[str, Any]:
        column, vertex = given
        return {"columns": [column], "vertex": vertex.lower(), "references": ["id"]}

    return {
        "vertices": {label.lower(): element(label, table, None) for label, table in graph.vertices.items()},
        "edges": {
            edge.label.lower(): {
                **element(edge.label, edge.table, edge.properties),
                "source": end(edge.source),
                "destination": end(edge.destination),
            }
            for edge in graph.edges
        },
    }


def _differences(known: TableDef, table: Table) -> list[str]:
    out = []
    for column in table.columns:
        there = known.by_name.get(column.name)
        if there is None or not _same_column(there, column, column.name in table.key):
            out.append(f"has no column {column.name!r} such as a memory's")
    if known.primary_key != table.key:
        out.append(f"has another key than {', '.join(table.key)}")
    indexes = {index.name: index for index in known.indexes}
    for index in table.indexes:
        mine = indexes.get(index.name)
        if mine is None or replace(mine, id=0) != replace(index, id=0):
            out.append(f"has no index {index.name!r} such as a memory's")
    linked = {key.columns for key in known.foreign_keys}
    out += [f"has no link {column!r}" for column in table.links if (column,) not in linked]
    return out


def _same_column(one: ColumnDef, other: ColumnDef, is_key: bool) -> bool:
    default = (
        one.default if other.identity is None else other.default
    )  # that of an identity names its sequence
    return (one.type, one.nullable, default, one.merge) == (
        other.type,
        other.nullable and not is_key,
        other.default,
        other.merge,
    )


def _plain_step(step: Step) -> list[Any]:
    if isinstance(step, Graph):
        edges = [
            [e.label, e.table, list(e.source), list(e.destination), list(e.properties)] for e in step.edges
        ]
        return ["graph", step.name, dict(step.vertices), edges]
    columns, indexes = [_plain_column(c) for c in step.columns], [_plain_index(i) for i in step.indexes]
    if isinstance(step, Table):
        return ["table", step.name, columns, list(step.key), dict(step.links), indexes]
    return ["more", step.table, columns, dict(step.links), indexes]


def _plain_column(column: ColumnDef) -> list[Any]:
    kind = "vector" if column.type is VECTOR else column.type.name
    return [column.name, kind, column.nullable, column.default, column.merge, column.identity]


def _plain_index(index: IndexDef) -> list[Any]:
    return [index.name, index.kind, list(index.keys), index.unique, index.options]
