"""The tables of a memory, as data.

:func:`install` creates them in a new database. A snapshot from an older version has fewer: :func:`complete` adds tables and
indexes, and :func:`check` finds out whether they are all there and as they should be.
"""

from __future__ import annotations

from dataclasses import replace

from ...engine import Database
from ...engine.definitions import TableDef
from ...errors import SnapshotError
from .knowledge import knowledge_tables

__all__ = ["check", "complete", "install"]


def install(database: Database, dimensions: int) -> None:
    """Create the memory's tables in a new database and note the dimension of its vectors."""
    for name, columns, primary_key, indexes in knowledge_tables(dimensions):
        database.create_table(name, columns, primary_key=primary_key, indexes=indexes)
    with database.begin() as transaction:
        transaction.insert("_zengram_config", {"key": "dimensions", "value": dimensions})


def complete(database: Database, dimensions: int) -> set[str]:
    """Bring tables up to this version; return the names of those that were added.

    What came with later versions is added: tables, columns and indexes. An index of another kind is made anew.
    """
    present = {table.title: table for table in database.tables()}
    added = set()
    with database.begin() as transaction:
        for name, columns, primary_key, indexes in knowledge_tables(dimensions):
            if name not in present:
                transaction.create_table(name, columns, primary_key=primary_key, indexes=indexes)
                added.add(name)
                continue
            table = present[name]
            known = {column.name for column in table.columns}
            for column in columns:
                if column.name not in known:
                    transaction.add_column(name, column)
            for index in indexes:
                old = next((i for i in table.indexes if i.name == index.name), None)
                if old is not None and replace(old, id=0) != replace(index, id=0):
                    transaction.drop_index(name, index.name)
                    old = None
                if old is None:
                    # Vectors are scanned until there is a graph of them: opening a snapshot need not wait for it.
                    build = "deferred" if index.kind == "auto" else "now"
                    transaction.create_index(name, index, build=build)
    return added


def check(database: Database, dimensions: int) -> None:
    """Raise :class:`~zengram_py.errors.SnapshotError` unless a database's tables are those that install creates."""
    fresh = Database.open()
    install(fresh, dimensions)
    found = {table.title: _without_numbers(table) for table in database.tables()}
    for table in fresh.tables():
        if found.get(table.title) != _without_numbers(table):
            raise SnapshotError(
                f"the snapshot's table {table.title!r} is not that of a memory", section="manifest"
            )


def _without_numbers(table: TableDef) -> TableDef:
    columns = tuple(
        replace(column, id=0, default=None if column.identity else column.default) for column in table.columns
    )
    indexes = tuple(replace(index, id=0) for index in table.indexes)
    return replace(table, id=0, columns=columns, indexes=indexes)
