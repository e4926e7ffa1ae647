"""Committing: whether a transaction may, and making it so.

A commit is refused before anything has changed, or it happens as a whole::

    1  definitions   what it wrote to, or changed, is still defined as it saw it        ConflictError
    2  rows          each version that it ends is still in force                        ConflictError
    3  reads         (serializable) what it read is still so                            SerializationError
    4  constraints   its writes hold at the head, beside what others committed          ConstraintError
    5  publish       slots, ends and overlays, index entries, definitions, masks
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..errors import ConflictError, SerializationError
from .catalog import Catalog, CatalogView
from .constraints import commit_violations, reference_faults
from .definitions import Definition, TableDef, show_name
from .reader import Reader
from .table import NO_SLOT
from .view import View

if TYPE_CHECKING:
    from .reader import Stores, Writes
    from .transaction import Transaction


def check(
    transaction: Transaction, stores: Stores, head: View, catalog: Catalog, *, others_committed: bool
) -> None:
    """Raise what stands against a commit (steps 1 to 4)."""
    if not others_committed and not transaction.reader.catalog.has_deferred_keys:
        return  # it was all checked when it was written, against this very state
    writes = {number: w for number, w in transaction.reader.writes.items() if w}
    if others_committed:
        _check_definitions(transaction, stores, head, catalog, writes)
        _check_rows(transaction, stores, head, writes)
        if transaction.reader.read_set is not None:
            for number in transaction.reader.read_set.tables():
                if catalog.changed_at(head.branch, number) > transaction.view.timestamp:
                    raise SerializationError(
                        "another transaction changed the definition of a table that this one read; run it again"
                    )
            transaction.reader.read_set.validate(stores, transaction.view, head)
    reader = Reader(stores, head, catalog.at(head).with_changes(transaction.changes), writes)
    for error in commit_violations(reader, others_committed=others_committed):
        raise error


def publish(stores: Stores, head: View, timestamp: int, writes: Writes) -> None:
    """Make the writes part of the branch (step 5, all but the definitions)."""
    for number, written in writes.items():
        if written:
            parts = list(written.singles.items()), written.publishable(), written.sweeps
            stores[number].publish(head, timestamp, *parts)


def _check_definitions(
    transaction: Transaction, stores: Stores, head: View, catalog: Catalog, writes: Writes
) -> None:
    seen = transaction.base_catalog.by_id
    concerned: Mapping[int, object] = {**writes, **transaction.changes}
    for number in concerned:
        before = seen.get(number)
        if (
            before is not None
            and catalog.changed_at(transaction.view.branch, number) > transaction.view.timestamp
        ):
            raise ConflictError(
                f"another transaction changed the definition of {show_name(before.name)!r} first; begin again",
                table=show_name(before.name),
            )
    for definition in transaction.changes.values():
        if definition is not None:
            _check_name(catalog.at(head), transaction.changes, definition)
    merged = catalog.at(head).with_changes(transaction.changes)
    for table, _, fault in reference_faults(merged, transaction.changes):
        raise ConflictError(
            f"another transaction changed a table first; {fault}; begin again", table=table.title
        )
    for number in transaction.row_dependent:
        store, branch = stores.get(number), transaction.view.branch
        if store is not None and store.visibility.last_change(branch) > transaction.view.timestamp:
            found = transaction.reader.catalog.by_id.get(number)
            name = show_name(found.name) if isinstance(found, TableDef) else "?"
            raise ConflictError(
                f"another transaction changed rows of {name!r}, whose definition this one changed; begin again",
                table=name,
            )


def _check_name(head: CatalogView, changes: Mapping[int, Definition | None], definition: Definition) -> None:
    taken = head.taken(definition.kind, definition.name)
    if taken is not None and taken.id != definition.id and taken.id not in changes:
        raise ConflictError(
            f"another transaction made a {taken.kind} {show_name(definition.name)!r} first; begin again",
            table=show_name(definition.name),
        )


def _check_rows(transaction: Transaction, stores: Stores, head: View, writes: Writes) -> None:
    """First committer wins: each version that is to be ended must still be in force."""
    for number, written in writes.items():
        store = stores[number]
        if store.visibility.last_change(head.branch) <= transaction.view.timestamp:
            continue
        for row, write in written.rows.items():
            if write.base != NO_SLOT and not store.visibility.sees(head, write.base):
                table = transaction.base_catalog.by_id[number]
                assert isinstance(table, TableDef)
                key = store.key_at(table.indexes[0].id, write.base) if table.primary_key else row
                raise ConflictError(
                    f"another transaction changed the row {key!r} of table {table.title!r} first; begin again",
                    table=table.title,
                    key=key,
                )
