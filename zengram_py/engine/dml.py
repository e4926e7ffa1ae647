"""Changing rows inside a transaction: insert, update and delete, with what foreign keys make of them.

Every write is checked when it is made, against what the transaction sees: types, not null and checks of the row itself,
unique keys and foreign keys beside others. What others commit in the meantime is checked again at the commit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ..errors import CatalogError, InvalidArgumentError, TypeMismatchError
from .bulk import check_many
from .constraints import (
    batch_violations,
    check_row,
    child_violations,
    children,
    key_of,
    not_null_error,
    parent_violations,
    still_referred,
    unique_violations,
)
from .ddl_names import NameChanges
from .definitions import ColumnDef, ForeignKeyDef, Name, SequenceDef, TableDef
from .expr import Expr, compile_expr, names_read
from .generated import generated_columns, generated_values, is_set_by_all
from .keys import Key, key_form
from .table import NO_SLOT, RowWrite, SlotArray, Values
from .writes import TableWrites

_Method = TypeVar("_Method", bound=Callable[..., Any])


def statement(method: _Method) -> _Method:
    """Make a change of rows, with all that foreign keys make of it, happen as a whole or not at all.

    What the changed rows refer to is looked for at the end: a row may refer twice to a key that is moving. So is what still refers to a
    key that is gone, if nothing else is said of it: the statement may remove both.
    """

    @wraps(method)
    def run(self: RowChanges, *args: Any, **kwargs: Any) -> Any:
        journal: list[Any] = []
        self._journal, self._left = journal, []
        try:
            result = method(self, *args, **kwargs)
            for definition, writes, row, _ in journal:
                values = (
                    writes.values(row)
                    if definition.foreign_keys and _refers(definition, writes, row)
                    else None
                )
                if values is not None:
                    raise_first(parent_violations(self.reader, definition, values, deferred=False))
            for definition, before in self._left:
                raise_first(child_violations(self.reader, definition, before, deferred=False))
            return result
        except BaseException:
            for _, writes, row, before in reversed(journal):
                writes.take_back(row, before)
            raise
        finally:
            self._journal, self._left = [], []

    return cast(_Method, run)


class RowChanges(NameChanges):
    """The part of a transaction that changes rows."""

    started: int
    _journal: list[tuple[TableDef, TableWrites, int, RowWrite | None]]
    """What the running statement put: table, write set, row, and how that was written before."""
    _left: list[tuple[TableDef, Values]]
    """Rows that others referred to, with ``no_action``, when the running statement removed or changed them."""

    def insert(self, table: str | Name, row: Mapping[str, Any]) -> dict[str, Any]:
        """Add a row; columns that are left out take their default. Return it as it was stored.

        Raises
        ------
        CatalogError, TypeMismatchError, NotNullError, CheckError, UniqueError, ForeignKeyError
        """
        definition, writes = self._write_to(table)
        for name in row:
            definition.column(name)
        values: Values = {}
        for column in definition.columns:
            if column.name in row:
                if not is_set_by_all(column):
                    raise InvalidArgumentError(f"column {column.name!r} is generated always; leave it out")
                value = row[column.name]
                try:
                    values[column.id] = None if value is None else column.type.check(value)
                except TypeMismatchError as error:
                    raise _of_column(error, definition, column) from None
            else:
                values[column.id] = self._checked_default(column)
        values.update(generated_values(definition, values))
        check_row(definition, values)
        raise_first(unique_violations(self.reader, definition, None, values))
        number = writes.insert(values)
        try:
            raise_first(parent_violations(self.reader, definition, values, deferred=False))
        except BaseException:
            writes.put(number, RowWrite(dead=True))
            raise
        return present(definition, values)

    def insert_many(self, table: str | Name, columns: Mapping[str, Sequence[Any] | NDArray[Any]]) -> int:
        """Add rows given by columns, all of one length; return how many.

        A column that is a numpy array of its type's kind is taken as it is, without a Python loop.
        """
        definition, writes = self._write_to(table)
        lengths = {len(values) for values in columns.values()}
        if len(lengths) > 1:
            raise InvalidArgumentError(f"the columns differ in length: {sorted(lengths)}")
        count = lengths.pop() if lengths else 0
        if not count:
            return 0
        known = definition.by_name
        for name in columns:
            if name not in known:
                definition.column(name)
        checked: dict[int, Any] = {}
        for column in definition.columns:
            if column.name in columns:
                if not is_set_by_all(column):
                    raise InvalidArgumentError(f"column {column.name!r} is generated always; leave it out")
                try:
                    checked[column.id] = check_many(column.type, columns[column.name])
                except TypeMismatchError as error:
                    raise _of_column(error, definition, column) from None
            else:
                checked[column.id] = self._defaults(column, count)
        checked.update(generated_columns(definition, checked, count))
        for column in definition.columns:
            values = checked[column.id]
            if not column.nullable and not isinstance(values, np.ndarray) and any(v is None for v in values):
                raise not_null_error(definition, column)
        batch = writes.insert_batch(count, checked)
        try:
            if definition.checks:
                for offset in range(count):
                    check_row(definition, batch.values(offset))
            raise_first(batch_violations(self.reader, definition, batch))
            if any(not key.deferred for key in definition.foreign_keys):
                for offset in range(count):
                    raise_first(
                        parent_violations(self.reader, definition, batch.values(offset), deferred=False)
                    )
        except BaseException:
            writes.batches.remove(batch)
            writes.forget_shape()
            raise
        return count

    @statement
    def update(self, table: str | Name, key: Any, changes: Mapping[str, Any]) -> bool:
        """Change columns of the row with this primary key; return whether there was one."""
        definition, _ = self._write_to(table)
        for row, values in self._by_primary_key(definition, key):
            self._change(definition, row, values, self._checked(definition, changes))
            return True
        return False

    @statement
    def update_where(self, table: str | Name, where: Expr | None, changes: Mapping[str, Any]) -> int:
        """Change columns of all rows that satisfy a condition; return how many.

        A change is a value, or ``{"expr": tree}`` for one that is computed from the row as it was.
        """
        definition, _ = self._write_to(table)
        fixed = {n: v for n, v in changes.items() if not (isinstance(v, dict) and set(v) == {"expr"})}
        computed = {n: compile_expr(changes[n]["expr"], definition.types) for n in changes if n not in fixed}
        constant = self._checked(definition, fixed)
        own = list(self.reader.own_rows(definition, where))
        slots = self.reader.committed_slots(definition, where)
        if self._concerns_itself_only(definition, changes):
            trees = [changes[n]["expr"] for n in computed]
            reads = {name for tree in trees for name in names_read(tree, definition.by_name)}
            self._change_committed(definition, slots, constant, computed, reads)
            found = own
        else:
            found = [*self.reader.read_slots(self.reader.stores[definition.id], slots), *own]
        for row, values in found:
            by_id = dict(constant)
            if computed:
                named = {c.name: values[c.id] for c in definition.columns}
                by_id |= self._checked(definition, {n: function(named) for n, function in computed.items()})
            self._change(definition, row, values, by_id)
        return len(slots) + len(own)

    @staticmethod
    def _reads_any(definition: TableDef, tree: Expr, names: Any) -> bool:
        return not names_read(tree, definition.by_name).isdisjoint(names)

    def _concerns_itself_only(self, definition: TableDef, changes: Mapping[str, Any]) -> bool:
        """Return whether a change of these columns can break nothing beyond their own types and nulls."""
        trees = [tree for index in definition.indexes if index.unique for tree in index.expressions]
        trees += [check.expr for check in definition.checks]
        trees += [column.generated for column, _ in definition.generated if column.generated is not None]
        named = [name for key in definition.foreign_keys for name in key.columns]
        named += [n for _, key in self.reader.catalog.referencing(definition.id) for n in key.ref_columns]
        return not any(name in changes for name in named) and not any(
            self._reads_any(definition, tree, changes) for tree in trees
        )

    def _change_committed(
        self,
        definition: TableDef,
        slots: SlotArray,
        constant: Values,
        computed: dict[str, Any],
        reads: set[str],
    ) -> None:
        """Keep changes of many rows that need no look at other rows; only the columns that they read are read."""
        store, writes = self.reader.stores[definition.id], self._writes(definition)
        rows = store.system["row"].view[slots].tolist()
        changes: Iterable[Values] = [constant] * len(rows)
        if computed:
            named = {c.name: store.columns[c.id].take(slots) for c in definition.columns if c.name in reads}
            needed = zip(*named.values(), strict=True) if named else [()] * len(rows)
            changes = [
                constant
                | self._checked(
                    definition,
                    {n: function(dict(zip(named, row, strict=True))) for n, function in computed.items()},
                )
                for row in needed
            ]
        required = set(definition.required)
        for row, slot, values in zip(rows, slots.tolist(), changes, strict=True):
            if any(values[n] is None for n in required & values.keys()):
                check_row(definition, {**store.values(slot), **values})
            self._journal.append((definition, writes, row, None))
            writes.rows[row] = RowWrite(slot, slot, values)
        writes.forget_shape()

    @statement
    def delete(self, table: str | Name, key: Any) -> bool:
        """Delete the row with this primary key; return whether there was one."""
        definition, _ = self._write_to(table)
        for row, values in self._by_primary_key(definition, key):
            self._remove(definition, row, values)
            return True
        return False

    @statement
    def delete_where(self, table: str | Name, where: Expr | None) -> int:
        """Delete all rows that satisfy a condition; return how many."""
        definition, _ = self._write_to(table)
        found = list(self.reader.rows(definition, where))
        for row, values in found:
            self._remove(definition, row, values)
        return len(found)

    # -- parts -------------------------------------------------------------------------------------------------------

    def _write_to(self, name: str | Name) -> tuple[TableDef, TableWrites]:
        self._check_writable()
        definition = self.reader.catalog.table(name)
        return definition, self._writes(definition)

    def _writes(self, definition: TableDef) -> TableWrites:
        writes = self.reader.writes.get(definition.id)
        if writes is None:
            writes = TableWrites(self.reader.stores[definition.id])
            self.reader.writes[definition.id] = writes
        return writes

    def _default(self, column: ColumnDef) -> Any:
        tree = column.default
        if tree is None:
            return None
        if isinstance(tree, list) and tree[0] == "nextval":
            return self._database.sequences.next(self._sequence_by_id(tree[1]))
        if tree == ["now"]:
            return self.started
        return compile_expr(tree, result=column.type)({})

    def _defaults(self, column: ColumnDef, count: int) -> Any:
        tree = column.default
        if isinstance(tree, list) and tree[0] == "nextval":
            drawn = self._database.sequences.draw(self._sequence_by_id(tree[1]), count)
            return check_many(column.type, np.array(drawn, np.int64))
        if isinstance(tree, dict):  # SQL text may give another value each time
            return [self._checked_default(column) for _ in range(count)]
        return [self._checked_default(column)] * count

    def _sequence_by_id(self, number: int) -> SequenceDef:
        found = self.reader.catalog.by_id.get(number)
        if not isinstance(found, SequenceDef):
            raise CatalogError("the column's sequence does not exist")
        return found

    @staticmethod
    def _checked(definition: TableDef, changes: Mapping[str, Any]) -> Values:
        out: Values = {}
        for name, value in changes.items():
            column = definition.column(name)
            if not is_set_by_all(column):
                raise InvalidArgumentError(f"column {name!r} is generated always; it cannot be set")
            try:
                out[column.id] = None if value is None else column.type.check(value)
            except TypeMismatchError as error:
                raise _of_column(error, definition, column) from None
        return out

    def _change(self, definition: TableDef, row: int, before: Values, changes: Values) -> None:
        """Keep a changed row: check it, move what refers to it along, and write it down."""
        writes = self._writes(definition)
        earlier = writes.rows.get(row)
        if earlier is not None or row < 0:  # this statement may have changed it since it was read
            before = writes.values(row) or before
        after = {**before, **changes}
        if definition.generated:
            made = generated_values(definition, after, changes)
            after, changes = {**after, **made}, {**changes, **made}
        check_row(definition, after)
        raise_first(unique_violations(self.reader, definition, row, after, changes))
        if row < 0:
            write = RowWrite(values=after)
        elif earlier is None:
            slot = self.reader.slot_of(definition, row)
            write = RowWrite(slot, slot, changes)
        else:
            write = RowWrite(earlier.base, earlier.template, {**earlier.values, **changes})
        moved = list(self._follow_update(definition, before, after))
        self._put_row(definition, writes, row, write)
        for table, child, child_before, child_changes in moved:
            self._change(table, child, child_before, child_changes)

    def _put_row(self, definition: TableDef, writes: TableWrites, row: int, write: RowWrite) -> None:
        self._journal.append((definition, writes, row, writes.rows.get(row)))
        writes.put(row, write)

    def _follow_update(
        self, definition: TableDef, before: Values, after: Values
    ) -> Iterator[tuple[TableDef, int, Values, Values]]:
        for table, foreign in self.reader.catalog.referencing(definition.id):
            old = key_of(definition, foreign.ref_columns, before)
            new = key_of(definition, foreign.ref_columns, after)
            if old == new or None in old:
                continue  # who refers to it is not read: they may be many
            found = list(self.reader.rows_with(table, foreign.columns, old))
            if not found:
                continue
            if foreign.on_update in ("restrict", "no_action"):
                if not foreign.deferred:
                    if foreign.on_update == "restrict":
                        raise still_referred(definition, table, foreign, old, restricted=True)
                    self._left.append((definition, before))
                continue
            by_name = definition.by_name
            for row, values in found:
                changes = self._let_go(table, foreign, foreign.on_update)
                if foreign.on_update == "cascade":
                    pairs = zip(foreign.columns, foreign.ref_columns, strict=True)
                    changes = {
                        table.column(column).id: _moved(
                            after[by_name[ref].id], table.column(column), by_name[ref]
                        )
                        for column, ref in pairs
                    }
                yield table, row, values, changes

    def _let_go(self, table: TableDef, foreign: ForeignKeyDef, action: str) -> Values:
        """Return the values of a foreign key's columns when what they referred to is gone."""
        columns = [table.column(name) for name in foreign.columns]
        return {c.id: self._checked_default(c) if action == "set_default" else None for c in columns}

    def _remove(self, definition: TableDef, row: int, before: Values) -> None:
        """Keep a deleted row, and what its removal does to those that refer to it, however long the chain."""
        waiting = [(definition, row, before)]
        while waiting:
            definition, row, before = waiting.pop()
            if self._is_gone(definition, row):
                continue  # a row that refers to itself, or by two keys
            dependents = list(children(self.reader, definition, before))
            for table, foreign, found in dependents:
                others = [r for r, _ in found if (table.id, r) != (definition.id, row)]
                if not others or foreign.deferred:
                    continue
                if foreign.on_delete == "restrict":
                    key = key_of(definition, foreign.ref_columns, before)
                    raise still_referred(definition, table, foreign, key, restricted=True)
                if foreign.on_delete == "no_action":
                    self._left.append((definition, before))
            writes = self._writes(definition)
            earlier = writes.rows.get(row)
            base = self.reader.slot_of(definition, row) if earlier is None else earlier.base
            self._put_row(definition, writes, row, RowWrite(base, dead=True))
            for table, foreign, found in dependents:
                for child, values in found:
                    if foreign.on_delete == "cascade":
                        waiting.append((table, child, values))
                    elif foreign.on_delete in ("set_null", "set_default") and not self._is_gone(table, child):
                        self._change(table, child, values, self._let_go(table, foreign, foreign.on_delete))

    def _is_gone(self, table: TableDef, row: int) -> bool:
        """Return whether the transaction deleted a row."""
        writes = self.reader.writes.get(table.id)
        return writes is not None and (row < 0 or writes.hides(row)) and writes.values(row) is None

    def _key(self, definition: TableDef, index: str, key: Sequence[Any]) -> Key:
        """Return a caller's key in the form in which an index compares it."""
        trees = definition.index(index).keys
        if len(key) > len(trees):
            raise InvalidArgumentError(f"index {index!r} has {len(trees)} keys, not {len(key)}")
        return tuple(_index_value(definition, tree, part) for tree, part in zip(trees, key, strict=False))

    def _by_primary_key(self, definition: TableDef, key: Any) -> Iterator[tuple[int, Values]]:
        if not definition.primary_key:
            raise CatalogError(f"table {definition.title!r} has no primary key")
        parts = key if isinstance(key, tuple) else (key,)
        if len(parts) != len(definition.primary_key):
            raise InvalidArgumentError(
                f"the primary key of {definition.title!r} has {len(definition.primary_key)} columns, not {len(parts)}"
            )
        index = definition.indexes[0]
        return self.reader.rows_of_key(definition, index, self._key(definition, index.name, parts))


def _moved(value: Any, column: ColumnDef, source: ColumnDef) -> Any:
    """Return a key's value as the column that refers to it holds it; their types may differ in width."""
    return value if value is None or column.type == source.type else column.type.check(value)


def present(definition: TableDef, values: Values) -> dict[str, Any]:
    """Return stored values as the row that callers see."""
    return {c.name: c.type.present(values[c.id]) for c in definition.columns}


def _of_column(error: TypeMismatchError, table: TableDef, column: ColumnDef) -> TypeMismatchError:
    return TypeMismatchError(f"column {column.name!r} of table {table.title!r}: {error}")


def _refers(definition: TableDef, writes: TableWrites, row: int) -> bool:
    """Return whether a row may refer to something that it did not refer to before."""
    write = writes.rows.get(row)
    if write is None or write.template == NO_SLOT:
        return True
    by_name = definition.by_name
    return any(by_name[name].id in write.values for key in definition.foreign_keys for name in key.columns)


def raise_first(errors: Iterator[Exception]) -> None:
    """Raise the first of some errors, if there is one."""
    for error in errors:
        raise error


def _index_value(definition: TableDef, tree: Expr, value: Any) -> Any:
    if value is not None and isinstance(tree, list) and tree[0] == "col":
        try:
            value = definition.column(tree[1]).type.check(value)
        except TypeMismatchError:
            if not isinstance(value, (int, float)):
                raise
    return key_form(value)
