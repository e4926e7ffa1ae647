"""Rows in stored form: many of them at once, by columns, for callers whose values have been checked already.

What :class:`~zengram_py.engine.dml.RowChanges` offers takes the values that people write (a label, a JSON value, a UUID) and looks at
each. A statement in SQL has computed its values and knows their types, has them in columns, and knows the rows that it means by their
hidden ids. Here it writes them without another look at each value; what a row must satisfy, alone and beside others, is tested as ever.

    insert_stored     columns of new rows
    update_stored     ids of rows, and columns of new values for them
    delete_stored     ids of rows

Values are given by column id: an array of the column's own type without nulls, or a list in which None is null.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .constraints import (
    as_list,
    batch_violations,
    check_columns,
    check_row,
    not_null_error,
    parent_violations,
    parents_of_columns,
    unique_violations,
)
from .definitions import ColumnDef, IndexDef, TableDef
from .dml import RowChanges, raise_first, statement
from .generated import generated_columns, generated_values
from .index.hash import HashIndex
from .keys import Key, hash_key, key_form
from .table import NO_SLOT, RowWrite, SlotArray, Values
from .writes import Batch, TableWrites

Given = Sequence[Any] | NDArray[Any]
Rows = NDArray[np.int64]


class StoredRows(RowChanges):
    """The part of a transaction that changes rows given in stored form."""

    def insert_stored(self, table: TableDef, count: int, columns: Mapping[int, Given]) -> Batch:
        """Add rows; columns that are left out take their default. Return them as they were kept.

        Raises
        ------
        NotNullError, CheckError, UniqueError, ForeignKeyError
        """
        self._check_writable()
        whole = {c.id: columns[c.id] if c.id in columns else self._defaults(c, count) for c in table.columns}
        whole.update(generated_columns(table, whole, count))
        check_columns(table, whole, count)
        writes = self._writes(table)
        batch = writes.insert_batch(count, whole)
        try:
            raise_first(batch_violations(self.reader, table, batch))
            raise_first(parents_of_columns(self.reader, table, whole))
        except BaseException:
            writes.batches.remove(batch)
            writes.forget_shape()
            raise
        return batch

    def insert_stored_row(self, table: TableDef, values: Values) -> int:
        """Add one row with a value for every column; return its id."""
        self._check_writable()
        values = {**values, **generated_values(table, values)}
        check_row(table, values)
        writes = self._writes(table)
        raise_first(unique_violations(self.reader, table, None, values))
        row = writes.insert(values)
        if table.foreign_keys:
            try:
                raise_first(parent_violations(self.reader, table, values, deferred=False))
            except BaseException:
                writes.put(row, RowWrite(dead=True))
                raise
        return row

    @statement
    def update_stored_row(self, table: TableDef, row: int, before: Values, changes: Values) -> None:
        """Give one row new values in some columns; ``before`` are its values as they are."""
        self._check_writable()
        self._change(table, row, before, changes)

    @statement
    def delete_stored_row(self, table: TableDef, row: int, before: Values) -> None:
        """Delete one row, with what foreign keys make of it; ``before`` are its values as they are."""
        self._check_writable()
        self._remove(table, row, before)

    @statement
    def update_stored(self, table: TableDef, rows: Rows, columns: Mapping[int, Given]) -> None:
        """Give rows new values in some columns; each row once."""
        self._check_writable()
        writes = self._writes(table)
        names = {c.name: None for c in table.columns if c.id in columns}
        slots = self.reader.slots_of(table, rows)
        lists = [c.tolist() if isinstance(c, np.ndarray) and c.ndim == 1 else c for c in columns.values()]
        changes = [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]
        if self._concerns_itself_only(table, names):
            self._check_required(table, columns)
            alone = self._keep_changed(table, writes, rows, slots, changes)
        else:
            alone = list(range(len(changes)))
        numbers, places = rows.tolist(), slots.tolist()
        for i in alone:
            row = numbers[i]
            before = writes.values(row) if places[i] == NO_SLOT or writes.hides(row) else None
            if before is None:
                before = writes.store.values(places[i])
            self._change(table, row, before, changes[i])

    def _keep_changed(
        self, table: TableDef, writes: TableWrites, rows: Rows, slots: SlotArray, changes: list[Values]
    ) -> list[int]:
        """Keep changes of committed rows that this transaction has not touched; return the places of the others."""
        others: list[int] = []
        known, journal = writes.rows, self._journal
        for i, (row, slot, values) in enumerate(zip(rows.tolist(), slots.tolist(), changes, strict=True)):
            if row < 0 or row in known:
                others.append(i)
                continue
            journal.append((table, writes, row, None))
            known[row] = RowWrite(slot, slot, values)
        writes.forget_shape()
        return others

    @staticmethod
    def _check_required(table: TableDef, columns: Mapping[int, Given]) -> None:
        for column in table.columns:
            values = columns.get(column.id)
            if not column.nullable and values is not None and has_null(values):
                raise not_null_error(table, column)

    @statement
    def delete_stored(self, table: TableDef, rows: Rows) -> None:
        """Delete rows, with what foreign keys make of it."""
        self._check_writable()
        writes = self._writes(table)
        slots = self.reader.slots_of(table, rows)
        if self.reader.catalog.referencing(table.id):
            for row, slot in zip(rows.tolist(), slots.tolist(), strict=True):
                if self._is_gone(table, row):
                    continue
                own = writes.values(row)
                self._remove(table, row, writes.store.values(slot) if own is None else own)
            return
        for row, slot in zip(rows.tolist(), slots.tolist(), strict=True):
            earlier = writes.rows.get(row)
            if row < 0 or earlier is not None:
                base = NO_SLOT if earlier is None else earlier.base
                self._put_row(table, writes, row, RowWrite(base, dead=True))
            else:
                self._journal.append((table, writes, row, None))
                writes.rows[row] = RowWrite(slot, dead=True)
        writes.forget_shape()

    # -- what callers ask of rows and keys ---------------------------------------------------------------------------

    def check_stored(self, table: TableDef, count: int, columns: Mapping[int, Given]) -> None:
        """Test what new rows must satisfy by themselves: not null and checks."""
        check_columns(table, columns, count)

    def values_of_rows(self, table: TableDef, rows: Rows) -> Iterator[Values]:
        """Yield the values of rows that the transaction sees."""
        for row in rows.tolist():
            yield self.reader.values_of(table, row)

    def keys_of(
        self, table: TableDef, index: IndexDef, columns: Mapping[int, Given], count: int
    ) -> list[Key]:
        """Return the keys that rows, given by columns, have in an index."""
        state = self.reader.stores[table.id].indexes[index.id]
        lists = {number: as_list(columns[number]) for number in state.columns}
        if state.plain_column is not None:
            return [(key_form(value),) for value in lists[state.plain_column]]
        return [state.key(lambda number, at=at: lists[number][at]) for at in range(count)]  # type: ignore[misc]

    def rows_by_key(self, table: TableDef, index: IndexDef, keys: Sequence[Key]) -> dict[Key, int]:
        """Return the rows that the transaction sees with some of these keys, by key; null equals nothing."""
        structure = self.reader.stores[table.id].indexes[index.id].structure
        wanted = [key for key in dict.fromkeys(keys) if None not in key]
        if len(wanted) > 8 and isinstance(structure, HashIndex) and not self.reader.writes.get(table.id):
            known = structure.any_known(np.fromiter(map(hash_key, wanted), np.uint64, len(wanted)))
            wanted = [wanted[i] for i in np.flatnonzero(known).tolist()]
        found = {}
        for key in wanted:
            for row, _ in self.reader.rows_of_key(table, index, key):
                found[key] = row
        return found

    def default_values(self, column: ColumnDef, count: int) -> Any:
        """Return a column's default for new rows, in stored form."""
        return self._defaults(column, count)


def has_null(values: Given) -> bool:
    """Return whether some value is null."""
    return not isinstance(values, np.ndarray) and any(value is None for value in values)
