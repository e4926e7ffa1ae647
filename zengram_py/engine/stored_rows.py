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

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import CheckError, ConstraintError, NotNullError, UniqueError
from .constraints import (
    as_list,
    batch_violations,
    check_columns,
    check_row,
    parent_violations,
    parents_of_columns,
    unique_error,
    unique_violations,
)
from .definitions import ColumnDef, IndexDef, TableDef
from .dml import RowChanges, raise_first, statement
from .generated import generated_columns, generated_values
from .index.hash import HashIndex
from .keys import Key, hash_key, key_form
from .sweeps import Sweep, spread
from .table import NO_SLOT, RowWrite, SlotArray, Values
from .writes import TableWrites

Given = Sequence[Any] | NDArray[Any]
Rows = NDArray[np.int64]
FEW = 8
"""So many rows are written one by one."""


class StoredRows(RowChanges):
    """The part of a transaction that changes rows given in stored form."""

    def insert_stored(self, table: TableDef, count: int, columns: Mapping[int, Given]) -> dict[int, Any]:
        """Add rows; columns that are left out take their default. Return all columns as they were kept.

        Raises
        ------
        NotNullError, CheckError, UniqueError, ForeignKeyError
        """
        self._check_writable()
        whole = {c.id: columns[c.id] if c.id in columns else self._defaults(c, count) for c in table.columns}
        whole.update(generated_columns(table, whole, count))
        writes = self._writes(table)
        if count < FEW:
            self._insert_few(table, writes, whole)
            return whole
        batch = None
        try:
            check_columns(table, whole, count)
            batch = writes.insert_batch(count, whole)
            raise_first(batch_violations(self.reader, table, batch))
            raise_first(parents_of_columns(self.reader, table, whole))
        except BaseException as failure:
            if batch is not None:
                writes.batches.remove(batch)
                writes.forget_shape()
            if isinstance(failure, (NotNullError, CheckError, UniqueError)):
                raise_first(self._row_by_row(table, whole))
            raise
        return whole

    def _row_by_row(self, table: TableDef, columns: Mapping[int, Given]) -> Iterator[ConstraintError]:
        """Yield what the rows break, one row after the other: all at once, it may have been another row's fault that was found first."""
        states = self.reader.stores[table.id].indexes
        unique = [index for index in table.indexes if index.unique]
        seen: list[set[Key]] = [set() for _ in unique]
        for row in zip(*map(as_list, columns.values()), strict=True):
            values = dict(zip(columns, row, strict=True))
            try:
                check_row(table, values)
            except ConstraintError as failure:
                yield failure
            yield from unique_violations(self.reader, table, None, values)
            for index, before in zip(unique, seen, strict=True):
                key = states[index.id].key(values.__getitem__)
                if key is not None and None not in key:
                    if key in before:
                        yield unique_error(table, index, key)
                    before.add(key)

    def _insert_few(self, table: TableDef, writes: TableWrites, columns: Mapping[int, Given]) -> None:
        """Add rows one by one: a few keys are looked up sooner than searched together."""
        added: list[int] = []
        try:
            for row in zip(*map(as_list, columns.values()), strict=True):
                values = dict(zip(columns, row, strict=True))
                check_row(table, values)
                raise_first(unique_violations(self.reader, table, None, values))
                added.append(writes.insert(values))
            raise_first(parents_of_columns(self.reader, table, columns))
        except BaseException:
            for number in added:
                writes.put(number, RowWrite(dead=True))
            raise

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
        slots = self.reader.slots_of(table, rows)
        alone = self._alone(writes, rows)
        together = ~alone
        if together.any() and not self._sweep_update(table, writes, rows, slots, columns, together):
            alone[:] = True
        if not alone.any():
            return
        one_by_one = Sweep(rows, slots, columns).part(alone)
        changes = one_by_one.changes()
        for row, slot, values in zip(
            one_by_one.rows.tolist(), one_by_one.slots.tolist(), changes, strict=True
        ):
            before = writes.values(row) if slot == NO_SLOT or writes.hides(row) else None
            self._change(table, row, writes.store.values(slot) if before is None else before, values)

    @staticmethod
    def _alone(writes: TableWrites, rows: Rows) -> NDArray[np.bool_]:
        """Return which rows have to be written one by one: few, and those that the transaction wrote one by one before."""
        if len(rows) < FEW:
            return np.ones(len(rows), bool)
        alone: NDArray[np.bool_] = rows < 0
        if writes.singles:
            alone |= np.isin(rows, np.fromiter(writes.singles, np.int64, len(writes.singles)))
        return alone

    def _sweep_update(
        self,
        table: TableDef,
        writes: TableWrites,
        rows: Rows,
        slots: SlotArray,
        columns: Mapping[int, Given],
        together: NDArray[np.bool_],
    ) -> bool:
        """Change rows together, if that can break nothing beyond them and what they refer to; return whether it was done."""
        changed = {c.name for c in table.columns if c.id in columns}
        if any(not changed.isdisjoint(k.ref_columns) for _, k in self.reader.catalog.referencing(table.id)):
            return False
        whole = Sweep(rows, slots, columns)
        whole = whole if together.all() else whole.part(together)
        left, made = spread(writes.sweeps, whole.rows, whole.slots, whole.columns)
        made = [self._with_generated(table, sweep, changed) for sweep in made]
        changed |= {c.name for c, _ in table.generated}
        if not self._has_new_keys(table, made, changed):
            return False
        for sweep in made:
            read = self._columns_of(table, sweep)
            check_columns(table, read, len(sweep.rows), changed)
            raise_first(parents_of_columns(self.reader, table, read, changed))
        writes.put_sweeps([*left, *made])
        return True

    def _columns_of(self, table: TableDef, sweep: Sweep) -> LazyColumns:
        """Return all columns of the rows of a sweep."""
        store = self.reader.stores[table.id]
        return LazyColumns(sweep.columns or {}, lambda number: store.columns[number].take(sweep.slots))

    def _with_generated(self, table: TableDef, sweep: Sweep, changed: set[str]) -> Sweep:
        """Return a sweep with the generated columns that read what changed."""
        trees = [c.generated for c, _ in table.generated if c.generated is not None]
        if not any(self._reads_any(table, tree, changed) for tree in trees):
            return sweep
        made = generated_columns(table, self._columns_of(table, sweep), len(sweep.rows))
        return Sweep(sweep.rows, sweep.slots, {**(sweep.columns or {}), **made})

    def _has_new_keys(self, table: TableDef, sweeps: Sequence[Sweep], changed: set[str]) -> bool:
        """Return whether no unique key that changes is there already, or comes twice; if one is, the order of the changes decides."""
        for index in table.indexes:
            if not index.unique or not any(
                self._reads_any(table, tree, changed) for tree in index.expressions
            ):
                continue
            keys: list[Key | None] = []
            for sweep in sweeps:
                keys += self.keys_of(table, index, self._columns_of(table, sweep), len(sweep.rows))
            known = [key for key in keys if key is not None and None not in key]
            if len(set(known)) < len(known) or self.rows_by_key(table, index, known):
                return False
        return True

    @statement
    def delete_stored(self, table: TableDef, rows: Rows) -> None:
        """Delete rows, with what foreign keys make of it."""
        self._check_writable()
        writes = self._writes(table)
        slots = self.reader.slots_of(table, rows)
        alone = self._alone(writes, rows)
        if self.reader.catalog.referencing(table.id):
            alone[:] = True
        if not alone.all():
            part = Sweep(rows, slots).part(~alone)
            left, made = spread(writes.sweeps, part.rows, part.slots, None)
            writes.put_sweeps([*left, *made])
        for row, slot in zip(rows[alone].tolist(), slots[alone].tolist(), strict=True):
            if not self._is_gone(table, row):
                own = writes.values(row)
                self._remove(table, row, writes.store.values(slot) if own is None else own)

    def empty(self, table: TableDef) -> None:
        """Delete all rows of a table without a look at what refers to them: that is the caller's to see to."""
        self._check_writable()
        writes = self._writes(table)
        slots = self.reader.committed_slots(table)
        for row, write in list(writes.singles.items()):
            if not write.dead:
                writes.put(row, RowWrite(write.base, dead=True))
        writes.batches.clear()
        gone = [Sweep(sweep.rows, sweep.slots) for sweep in writes.sweeps]
        if len(slots):
            gone.append(Sweep(writes.store.system["row"].view[slots].astype(np.int64), slots))
        writes.put_sweeps(gone)

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
    ) -> list[Key | None]:
        """Return the keys that rows, given by columns, have in an index; None for those that it does not hold."""
        state = self.reader.stores[table.id].indexes[index.id]
        lists = {number: as_list(columns[number]) for number in state.columns}
        if state.plain_column is not None:
            return [(key_form(value),) for value in lists[state.plain_column]]
        return [state.key(lambda number, at=at: lists[number][at]) for at in range(count)]  # type: ignore[misc]

    def rows_by_key(self, table: TableDef, index: IndexDef, keys: Sequence[Key | None]) -> dict[Key, int]:
        """Return the rows that the transaction sees with some of these keys, by key; null equals nothing."""
        structure = self.reader.stores[table.id].indexes[index.id].structure
        wanted = [key for key in dict.fromkeys(keys) if key is not None and None not in key]
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


class LazyColumns(dict[int, Any]):
    """Columns by id, of which those that were not given are read when somebody asks for them."""

    def __init__(self, given: Mapping[int, Given], read: Callable[[int], Given]) -> None:
        super().__init__(given)
        self._read = read

    def __missing__(self, number: int) -> Given:
        found = self[number] = self._read(number)
        return found
