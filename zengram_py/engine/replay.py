"""What the records of the log say, how they are made, and how they are applied again.

A commit's record holds what its transaction wrote, in the form in which it is published: row ids and slots are numbers
that a replay gives out again in the same order. So replaying is publishing, without the checks, and costs what the commit
cost; the record is as long as the rows that were written, whatever the size of the table::

    {"tables": [[3, [[7, 12, 12, false, [[2, "green tea"]]]], []]],     row 7: ends slot 12, copies it, column 2 is new
     "definitions": [], "columns": [], "fills": [], "sequences": [[5, 41]], "meeting": null}

Branch operations and vacuum have records of their own. Temporary tables have none.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import EngineError, LogError
from .definitions import TEMPORARY_SCHEMA, Definition, TableDef, definition_from_json, definition_to_json
from .log import BRANCH, COMMIT, PURGE, VACUUM, Record, Tail, iterate
from .purge import purge_rows
from .table import RowWrite, TableStore
from .types import ColumnType
from .vacuum import forget_definitions, vacuum_table

if TYPE_CHECKING:
    from .database import Database
    from .transaction import Transaction

Buffers = list[NDArray[Any]]


@dataclass(frozen=True)
class ReplayReport:
    """What a replay did.

    Attributes
    ----------
    applied : int
        Records that were applied.
    skipped : int
        Records that the database had already.
    tail : Tail or None
        What was cut off at the end, if the last record was incomplete.
    """

    applied: int
    skipped: int
    tail: Tail | None


def commit_payload(
    transaction: Transaction, sequences: dict[int, int], meeting: tuple[int, int, int] | None
) -> tuple[dict[str, Any], Buffers]:
    """Return the payload and buffers of a commit's record.

    Parameters
    ----------
    transaction : Transaction
        What is committed.
    sequences : dict
        Values of the sequences that were drawn from since the last record.
    meeting : (source, target, timestamp), optional
        For a merge: which state of which branch it takes in.
    """
    buffers: Buffers = []
    catalog = transaction.reader.catalog
    tables = []
    for number, writes in transaction.reader.writes.items():
        table = catalog.by_id.get(number)
        if not writes or (isinstance(table, TableDef) and table.temporary):
            continue
        store = writes.store
        rows = [
            [row, w.base, w.template, w.dead, [[c, _put(store, c, v, buffers)] for c, v in w.values.items()]]
            for row, w in writes.rows.items()
        ]
        batches = [
            [count, [[c, _put_many(store, c, column, buffers)] for c, column in columns.items()]]
            for count, columns in writes.publishable()
        ]
        tables.append([number, rows, batches])
    changes = {n: d for n, d in transaction.changes.items() if d is None or d.name[1] != TEMPORARY_SCHEMA}
    payload: dict[str, Any] = {
        "tables": tables,
        "definitions": [[n, None if d is None else definition_to_json(d)] for n, d in changes.items()],
        "columns": _new_columns(transaction, changes),
        "fills": _fills(transaction),
        "sequences": [list(pair) for pair in sequences.items()],
        "meeting": None if meeting is None else list(meeting),
    }
    return payload, buffers


def _new_columns(transaction: Transaction, changes: dict[int, Definition | None]) -> list[list[Any]]:
    out = []
    for table in changes.values():
        if isinstance(table, TableDef):
            before = transaction.base_catalog.by_id.get(table.id)
            known = {c.id for c in before.columns} if isinstance(before, TableDef) else set()
            store = transaction.reader.stores[table.id]
            for column in table.columns:
                if column.id not in known:
                    fill = column.type.to_json(store.fills[column.id])
                    out.append([table.id, column.id, fill])
    return out


def _fills(transaction: Transaction) -> list[list[Any]]:
    out = []
    for (number, column_id), values in transaction.fills.items():
        table = transaction.reader.catalog.by_id.get(
            number
        )  # a merge may fill columns that the target has already
        if not isinstance(table, TableDef) or table.temporary:
            continue
        column = next((c for c in table.columns if c.id == column_id), None)
        if column is not None:
            out.append([number, column_id, list(values), [column.type.to_json(v) for v in values.values()]])
    return out


def _put(store: TableStore, column: int, value: Any, buffers: Buffers) -> Any:
    """Return a value as JSON; a vector goes to the buffers."""
    if isinstance(value, np.ndarray):
        buffers.append(value)
        return {"buffer": len(buffers) - 1}
    return store.columns[column].type.to_json(value)


def _put_many(store: TableStore, column: int, values: Any, buffers: Buffers) -> Any:
    if isinstance(values, np.ndarray):
        buffers.append(values)
        return {"buffer": len(buffers) - 1}
    column_type = store.columns[column].type
    if column_type.storage == "matrix":
        return [_put(store, column, value, buffers) for value in values]
    return [column_type.to_json(value) for value in values]


def _get(column_type: ColumnType, data: Any, buffers: Buffers) -> Any:
    if isinstance(data, dict) and column_type.storage == "matrix":
        return buffers[data["buffer"]]
    return column_type.from_json(data)


def _get_many(column_type: ColumnType, data: Any, buffers: Buffers) -> Any:
    if isinstance(data, dict):
        return buffers[data["buffer"]]
    return [_get(column_type, item, buffers) for item in data]


def replay(database: Database, records: Iterable[bytes] | bytes | bytearray | memoryview) -> ReplayReport:
    """Apply the records that a database does not have yet.

    Raises
    ------
    LogError
        If there is a gap, a record of another database, or damage before the end. Records before the fault have been
        applied: each is a state that the database had.
    """
    found, tail = iterate(records)
    applied = skipped = 0
    for record in found:
        if record.database_id != database.id:
            raise LogError(
                f"log record {record.lsn} is of another database", lsn=record.lsn, code="LOG_FOREIGN"
            )
        if record.lsn <= database.lsn:
            skipped += 1
            continue
        if record.lsn != database.lsn + 1:
            raise LogError(
                f"log record {database.lsn + 1} is missing; the next is {record.lsn}",
                lsn=database.lsn + 1,
                code="LOG_GAP",
            )
        if record.previous != database.last_crc:
            raise LogError(f"log record {record.lsn} does not continue the one before it", lsn=record.lsn)
        try:
            _APPLY[record.kind](database, record)
        except (EngineError, ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
            raise LogError(f"log record {record.lsn} cannot be applied: {error}", lsn=record.lsn) from error
        database.lsn, database.last_crc = record.lsn, record.crc
        applied += 1
    return ReplayReport(applied, skipped, tail)


def _apply_commit(database: Database, record: Record) -> None:
    payload, buffers = record.payload, record.buffers
    head = database.tree.view(record.branch, database.timestamp)
    changes = {
        int(number): None if data is None else definition_from_json(data)
        for number, data in payload["definitions"]
    }
    _make_shapes(database, changes, payload["columns"])
    for number, column, slots, values in payload["fills"]:
        target = database.stores[number].columns[column]
        for slot, value in zip(slots, values, strict=True):
            target.put(slot, target.type.from_json(value))
    for number, rows, batches in payload["tables"]:
        store = database.stores[number]
        # A column that came and went within the transaction is in no definition, and so not made here.
        types = {c: column.type for c, column in store.columns.items()}
        writes = [
            (
                row,
                RowWrite(
                    base, template, {c: _get(types[c], v, buffers) for c, v in values if c in types}, dead
                ),
            )
            for row, base, template, dead, values in rows
        ]
        inserted = [
            (count, {c: _get_many(types[c], d, buffers) for c, d in columns if c in types})
            for count, columns in batches
        ]
        store.publish(head, record.timestamp, writes, inserted)
    if changes:
        database.catalog.apply(head, changes, record.timestamp)
    database.sequences.last.update({int(number): int(value) for number, value in payload["sequences"]})
    database.note_commit(record.branch, record.timestamp)
    if payload["meeting"] is not None:
        source, target, taken = payload["meeting"]
        database.tree.meet(source, target, taken, record.timestamp)


def _make_shapes(database: Database, changes: dict[int, Definition | None], columns: list[list[Any]]) -> None:
    """Make the stores, columns and indexes that new definitions need and that are not there yet."""
    fills = {(table, column): fill for table, column, fill in columns}
    for table in changes.values():
        if table is not None:
            database.catalog.next_id = max(database.catalog.next_id, table.id + 1)
        if not isinstance(table, TableDef):
            continue
        store = database.stores.get(table.id)
        if store is None:
            store = database.stores[table.id] = TableStore(table.id, database.is_read)
        for column in table.columns:
            if column.id not in store.columns:
                fill = column.type.from_json(fills.get((table.id, column.id)))
                store.add_column(column.id, column.type, fill)
        for index in table.indexes:
            if index.id not in store.indexes:
                store.add_index(index, table)


def _apply_branch(database: Database, record: Record) -> None:
    payload, tree = record.payload, database.tree
    operation = payload["operation"]
    if operation == "fork":
        tree.add(payload["name"], tree.branches[payload["parent"]], payload["fork"])
    elif operation == "discard":
        tree.discard(tree.branches[payload["discarded"]])
    elif operation == "meet":
        tree.meet(payload["source"], payload["target"], payload["timestamp"], None)
    else:
        raise ValueError(f"unknown operation {operation!r}")


def _apply_vacuum(database: Database, record: Record) -> None:
    payload = record.payload
    database.horizon = int(payload["horizon"])
    if payload["definitions"]:
        forget_definitions(database, payload["definitions"])
    if payload["table"] is not None:
        vacuum_table(database.stores[payload["table"]], record.buffers[0])


def _apply_purge(database: Database, record: Record) -> None:
    purge_rows(database, record.payload["table"], record.payload["rows"], record.timestamp)


_APPLY = {COMMIT: _apply_commit, BRANCH: _apply_branch, VACUUM: _apply_vacuum, PURGE: _apply_purge}
