"""The tables of a memory, as data. :func:`install` creates them in a database."""

from __future__ import annotations

from ...engine import Database
from .knowledge import knowledge_tables

__all__ = ["install"]


def install(database: Database, dimensions: int) -> None:
    """Create the memory's tables in a new database and note the dimension of its vectors."""
    for name, columns, primary_key, indexes in knowledge_tables(dimensions):
        database.create_table(name, columns, primary_key=primary_key, indexes=indexes)
    with database.begin() as transaction:
        transaction.insert("_zengram_config", {"key": "dimensions", "value": dimensions})
