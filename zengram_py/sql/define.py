"""Definitions, carried out: the calls of the engine's transaction that a statement stands for.

A definition is bound to calls (bind/definitions.py); here they are made, in order. What they do happens as a whole with the transaction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..engine import Transaction
from . import tree
from .bind.definitions import BoundDefinition, Change
from .bound import BoundInsert, BoundQuery
from .change import change_of
from .plan.planner import Planner
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
    count = 0
    for change in bound.changes:
        if change.method == "fill":
            count = _fill(session, transaction, change, values)
        else:
            with using(session.context(transaction, values)):
                getattr(transaction, change.method)(**change.arguments)
    return Result((), [], count, command_of(prepared.statement))


def _fill(session: Session, transaction: Transaction, change: Change, values: tuple[Any, ...]) -> int:
    """Insert the rows of ``create table … as``."""
    table = transaction.reader.catalog.table(change.arguments["name"])
    query: BoundQuery = change.arguments["query"]
    insert = BoundInsert(-1, table, tuple(range(len(table.columns))), query)
    count, _ = change_of(insert, Planner(transaction.reader, insert)).apply(
        session.context(transaction, values)
    )
    return count


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
