"""Upkeep: ``vacuum``, ``analyze``, ``reindex``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..engine import TableDef, Transaction
from . import tree
from .branches import refuse_in_block
from .errors import error
from .plan.statistics import analyse
from .ready import ReadyCache, Result

if TYPE_CHECKING:
    from .session import Session


def maintain(session: Session, transaction: Transaction, node: tree.Maintain) -> Result:
    """Run one of the three, for the tables that are named, or all.

    A vacuum is of the whole database: versions of one table are seen by branches as those of any other.
    """
    tables = _tables(session, transaction, node)
    if node.action == "vacuum":
        refuse_in_block(session, "VACUUM")
        transaction.rollback()
        session.database.vacuum()
    elif node.action == "analyze":
        for table in tables:
            analyse(transaction.reader, table)
        session.ready = ReadyCache(session.ready.size)  # plans were made by what was known before
    else:
        _reindex(transaction, node, tables)
    return Result(command=node.action.upper())


def _tables(session: Session, transaction: Transaction, node: tree.Maintain) -> list[TableDef]:
    catalogue = session.catalogue(transaction)
    known = [t for t in transaction.reader.catalog.tables() if t.name[0] == session.path.database]
    if node.kind == "index":
        named = {name[-1] for name in node.names}
        found = [t for t in known if any(i.name in named for i in t.indexes)]
        there = {i.name for t in found for i in t.indexes}
        for name in node.names:
            if name[-1] not in there:
                raise error("42P01", f'relation "{".".join(name)}" does not exist', node.at)
        return found
    if not node.names or node.kind == "database":
        return known
    if node.kind == "schema":
        schemas = {name[-1] for name in node.names}
        for schema in schemas:
            if not catalogue.has_schema(schema):
                raise error("3F000", f'schema "{schema}" does not exist', node.at)
        return [t for t in known if t.name[1] in schemas]
    return [catalogue.table(name, node.at) for name in node.names]


def _reindex(transaction: Transaction, node: tree.Maintain, tables: list[TableDef]) -> None:
    """Build indexes anew: one that grew bit by bit is as good as new after it."""
    named = {name[-1] for name in node.names} if node.kind == "index" else None
    stores = transaction.reader.stores
    for table in tables:
        store = stores[table.id]
        for index in table.indexes:
            if index.id not in store.indexes or (named is not None and index.name not in named):
                continue
            before = store.indexes[index.id]
            try:
                store.add_index(index, table, finish=True)
            except BaseException:
                store.indexes[index.id] = before
                raise
