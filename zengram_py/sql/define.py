"""Definitions, carried out: the calls of the engine's transaction that a statement stands for.

A definition is bound to calls (bind/definitions.py); here they are made, in order. What they do happens as a whole with the transaction.
Three of them are more than a call: ``fill`` inserts the rows of ``create table … as``, a ``delete_where`` without a condition empties a
table, and a database that somebody is in cannot be dropped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..engine import Transaction
from . import tree
from .bind.definitions import BoundDefinition, Change
from .bound import BoundInsert, BoundQuery
from .change import WholeChange
from .change.firing import firing
from .errors import error
from .execute.context import Context
from .prepare import Prepared
from .ready import Result
from .stored import using

if TYPE_CHECKING:
    from .session import Session


def define(
    session: Session,
    transaction: Transaction,
    prepared: Prepared,
    bound: BoundDefinition,
    values: tuple[Any, ...],
) -> Result:
    """Carry out a statement that defines."""
    command = command_of(prepared.statement)
    if transaction.read_only:
        raise error("25006", f"cannot execute {command} in a read-only transaction")
    context = session.context(transaction, values)
    count = 0
    with using(context):
        for change in bound.changes:
            if change.method == "fill":
                count = _fill(context, change)
            elif change.method == "delete_where" and change.arguments["where"] is None:
                _empty(context, change)
            else:
                if change.method == "drop_database" and change.arguments["name"] == session.path.database:
                    raise error("55006", "cannot drop the currently open database")
                getattr(transaction, change.method)(**change.arguments)
    return Result((), [], count, command)


def _fill(context: Context, change: Change) -> int:
    """Insert the rows of ``create table … as``."""
    reader = context.transaction.reader
    table = reader.catalog.table(change.arguments["name"])
    query: BoundQuery = change.arguments["query"]
    insert = BoundInsert(-1, table, tuple(range(len(table.columns))), query)
    return WholeChange(insert, reader).apply(context)[0]


def _empty(context: Context, change: Change) -> None:
    """Remove all rows of a table; who binds the statement sees to it that none is left that refers to them."""
    transaction = context.transaction
    table = transaction.reader.catalog.table(change.arguments["table"])
    fired = firing(context, table, "truncate")
    if fired is not None:
        fired.statement("before")
    transaction.empty(table)
    if fired is not None:
        fired.statement("after")


def command_of(statement: tree.Statement) -> str:
    """Return what PostgreSQL calls a statement when it is done."""
    match statement:
        case tree.CreateTable():
            return "CREATE TABLE"
        case tree.CreateTableAs():
            return "SELECT"
        case tree.CreateIndex():
            return "CREATE INDEX"
        case tree.CreateView():
            return "CREATE VIEW"
        case tree.CreateSequence():
            return "CREATE SEQUENCE"
        case tree.CreateEnum():
            return "CREATE TYPE"
        case tree.AlterEnum():
            return "ALTER TYPE"
        case tree.CreateNamespace(kind):
            return f"CREATE {kind.upper()}"
        case tree.AlterTable():
            return "ALTER TABLE"
        case tree.Truncate():
            return "TRUNCATE TABLE"
        case tree.Drop(kind) | tree.RenameObject(kind):
            return f"{'DROP' if isinstance(statement, tree.Drop) else 'ALTER'} {kind.upper()}"
    return type(statement).__name__.upper()
