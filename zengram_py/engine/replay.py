"""What the records of the log say, how they are made, and how they are applied again.

A commit's record holds what its transaction wrote, in the form in which it is published: row ids and slots are numbers
that a replay gives out again in the same order. So replaying is publishing, without looking at constraints again, and
costs what the commit cost; the record is as long as the rows that were written, whatever the size of the table::

    {"tables": [[3, [[7, 12, 12, false, [[2, "green tea"]]]], []]],     row 7: ends slot 12, copies it, column 2 is new
     "definitions": [], "columns": [], "fills": [], "sequences": [[5, 41]], "meeting": null}

Branch operations and vacuum have records of their own. Temporary tables have none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import EngineError, LogError
from .composite import join_types
from .definitions import TEMPORARY_SCHEMA, Definition, TableDef, definition_from_json, definition_to_json
from .log import BRANCH, COMMIT, PURGE, VACUUM, Record, Tail, scan
from .purge import purge_rows
from .record_check import (
    commit_time,
    live_branch,
    meeting,
    pairs_of_numbers,
    rows_of,
    sweeps_of,
    value_of,
    whole,
)
from .sweeps import Sweep
from .table import TableStore
from .vacuum import forget_branches, forget_definitions, vacuum_table

if TYPE_CHECKING:
    from .database import Database
    from .transaction import Transaction

Buffers = list[NDArray[Any]]
Undo = list[Callable[[], None]]


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
            for row, w in writes.singles.items()
        ]
        batches = [
            [count, [[c, _put_many(store, c, column, buffers)] for c, column in columns.items()]]
            for count, columns in writes.publishable()
        ]
        sweeps = [_put_sweep(store, sweep, buffers) for sweep in writes.sweeps]
        tables.append([number, rows, batches, *([sweeps] if sweeps else [])])
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


def _put_sweep(store: TableStore, sweep: Sweep, buffers: Buffers) -> list[Any]:
    """Return rows that were changed together as JSON: where their ids and slots are in the buffers, and their columns."""
    places = [{"buffer": len(buffers)}, {"buffer": len(buffers) + 1}]
    buffers += [sweep.rows.astype(np.int32), sweep.slots]
    if sweep.columns is None:
        return [*places, None]
    return [*places, [[c, _put_many(store, c, column, buffers)] for c, column in sweep.columns.items()]]


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


def replay(database: Database, records: Iterable[bytes] | bytes | bytearray | memoryview) -> ReplayReport:
    """Apply the records that a database does not have yet.

    Raises
    ------
    LogError
        If there is a gap, a record of another database, or damage before the end. Records before the fault have been
        applied: each is a state that the database had.
    """
    applied = skipped = 0
    crcs: dict[int, int] = {database.lsn: database.last_crc} if database.last_crc else {}
    for record in scan(records):
        if isinstance(record, Tail):
            return ReplayReport(applied, skipped, record)
        if record.database_id != database.id:
            raise LogError(
                f"log record {record.lsn} is of another database", lsn=record.lsn, code="LOG_FOREIGN"
            )
        if record.lsn <= database.lsn:
            if crcs.setdefault(record.lsn, record.crc) != record.crc:
                raise LogError(f"there are two log records {record.lsn}", lsn=record.lsn, code="LOG_FORKED")
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
        _apply(database, record)
        database.lsn, database.last_crc = record.lsn, record.crc
        crcs[record.lsn] = record.crc
        applied += 1
    return ReplayReport(applied, skipped, None)


def _apply(database: Database, record: Record) -> None:
    undo: list[Callable[[], None]] = []
    try:
        publish = _PREPARE[record.kind](database, record, undo)
    except _REFUSALS as error:
        for step in reversed(undo):
            step()
        raise LogError(f"log record {record.lsn} cannot be applied: {error}", lsn=record.lsn) from error
    try:
        publish()
    except BaseException as error:  # what is applied in part cannot be used
        database.close()
        if not isinstance(error, Exception):
            raise
        raise LogError(
            f"log record {record.lsn} was applied in part, and the database closed: {error}", lsn=record.lsn
        ) from error


def _prepare_commit(database: Database, record: Record, undo: Undo) -> Callable[[], None]:
    """Check all that a commit's record says, and make the columns and indexes that it needs; return what publishes it."""
    payload, buffers = record.payload, record.buffers
    head = commit_time(database, record)
    changes = {
        int(number): None if data is None else definition_from_json(data)
        for number, data in payload["definitions"]
    }
    if any(d is not None and d.id != number for number, d in changes.items()):
        raise ValueError("a definition has two numbers")
    sequences, met = pairs_of_numbers(payload["sequences"]), meeting(database, payload["meeting"])
    _make_shapes(database, changes, payload["columns"], undo)
    fills = []
    for number, column, slots, values in payload["fills"]:
        store = database.stores[number]
        target = store.columns[column]
        for slot, value in zip(slots, values, strict=True):
            fills.append(
                (store, column, whole(slot, 0, len(store) - 1, "slot"), value_of(target.type, value, buffers))
            )
    work = []
    for number, rows, batches, *more in payload["tables"]:
        store = database.stores[number]
        written = rows_of(store, head, rows, batches, buffers)
        sweeps = sweeps_of(store, head, more[0], {row for row, _ in written[0]}, buffers) if more else []
        work.append((store, written, sweeps))
    if len({store.id for store, _, _ in work}) < len(work):
        raise ValueError("a table is written twice")

    def publish() -> None:
        for store, column, slot, value in fills:
            store.put(column, slot, value)
        for store, (writes, inserted), sweeps in work:
            store.publish(head, record.timestamp, writes, inserted, sweeps)
        if changes:
            database.catalog.apply(head, changes, record.timestamp)
            database.catalog.next_id = max(database.catalog.next_id, *(number + 1 for number in changes))
        database.sequences.last.update(sequences)
        database.note_commit(record.branch, record.timestamp)
        if met is not None:
            database.tree.meet(*met, record.timestamp)

    return publish


def _make_shapes(
    database: Database, changes: dict[int, Definition | None], columns: list[list[Any]], undo: Undo
) -> None:
    """Make the stores, columns and indexes that new definitions need and that are not there yet."""
    fills = {(table, column): fill for table, column, fill in columns}
    for table in changes.values():
        if not isinstance(table, TableDef):
            continue
        store = database.stores.get(table.id)
        if store is None:
            store = database.stores[table.id] = TableStore(table.id, database.is_read)
            undo.append(partial(database.stores.__delitem__, table.id))
        for column in table.columns:
            if column.id not in store.columns:
                fill = value_of(column.type, fills.get((table.id, column.id)), [])
                store.add_column(column.id, column.type, fill)
                undo.append(partial(store.drop_column, column.id))
            else:  # its enum may have got a label
                known = store.columns[column.id].type
                store.columns[column.id].retype(join_types(known, column.type))
                undo.append(partial(store.columns[column.id].retype, known))
        for index in table.indexes:
            if index.id not in store.indexes:
                store.add_index(index, table)
                undo.append(partial(store.drop_index, index.id))


def _prepare_branch(database: Database, record: Record, undo: Undo) -> Callable[[], None]:
    payload, tree = record.payload, database.tree
    operation = payload["operation"]
    if operation == "fork":
        parent, name = live_branch(database, payload["parent"]), payload["name"]
        at = whole(payload["fork"], 0, database.timestamp, "time")
        tree.check_name(name)
        return lambda: _drop(tree.add(name, parent, at))
    if operation == "discard":
        branch = live_branch(database, payload["discarded"])
        tree.check_discard(branch)
        return lambda: tree.discard(branch)
    if operation == "meet":
        met = meeting(database, [payload["source"], payload["target"], payload["timestamp"]])
        assert met is not None
        return lambda: tree.meet(*met, None)
    raise ValueError(f"unknown operation {operation!r}")


def _prepare_vacuum(database: Database, record: Record, undo: Undo) -> Callable[[], None]:
    payload = record.payload
    horizon = whole(payload["horizon"], database.horizon, database.timestamp, "time")
    lasting = database.catalog.lasting()
    definitions = [lasting[whole(n, 0, len(lasting) - 1, "definition")] for n in payload["definitions"] or ()]
    branches = [whole(n, 0, len(database.tree.branches) - 1, "branch") for n in payload.get("branches") or ()]
    if not database.tree.read().isdisjoint(branches):
        raise ValueError("a branch that is read is to be forgotten")
    store = None if payload["table"] is None else database.stores[payload["table"]]
    if store is not None:
        dropped = record.buffers[0]
        if dropped.dtype != np.int32 or dropped.ndim != 1 or (np.diff(dropped) <= 0).any():
            raise ValueError("the slots that go are not in order")
        if len(dropped):
            whole(int(dropped[0]), 0, len(store) - 1, "slot")
            whole(int(dropped[-1]), 0, len(store) - 1, "slot")

    def publish() -> None:
        database.horizon = horizon
        if definitions:
            forget_definitions(database, definitions)
        if store is None:
            forget_branches(database, branches)
        else:
            vacuum_table(store, record.buffers[0])

    return publish


def _prepare_purge(database: Database, record: Record, undo: Undo) -> Callable[[], None]:
    commit_time(database, record)
    number = record.payload["table"]
    last = len(database.stores[number].newest) - 1
    rows = [whole(row, 0, last, "row") for row in record.payload["rows"]]
    return lambda: purge_rows(database, number, rows, record.timestamp)


def _drop(_: object) -> None:
    """Take a value that nobody wants."""


_PREPARE = {COMMIT: _prepare_commit, BRANCH: _prepare_branch, VACUUM: _prepare_vacuum, PURGE: _prepare_purge}
_REFUSALS = (
    EngineError,
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)
