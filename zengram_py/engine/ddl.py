"""Schema changes inside a transaction: tables, columns, indexes, constraints, sequences, types and the rest.

A change replaces a definition in the transaction's own catalogue; at the commit the new definition comes into force on
the branch, like a new version of a row. What a new definition needs in memory (a table's store, a column, an index) is
made at once: no other reader has a definition that names it, so none can see it, and rolling back takes it away again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import CatalogError
from .constraints import reference_faults
from .conversion import convert
from .ddl_keys import ForeignKey, KeyChanges
from .ddl_objects import whole_change
from .ddl_sequences import KEEP, Settings
from .definitions import (
    TEMPORARY_SCHEMA,
    CheckDef,
    ColumnDef,
    IndexDef,
    Name,
    TableDef,
    check_table,
    define_table,
    full_name,
    map_expressions,
)
from .expr import Expr, columns_of, compile_expr, names_read, rename_column
from .generated import stored_value
from .table import NO_SLOT, RowWrite, TableStore, Values
from .types import ColumnType, parse_type

if TYPE_CHECKING:
    from .writes import TableWrites


class SchemaChanges(KeyChanges):
    """The part of a transaction that changes tables."""

    # -- tables ------------------------------------------------------------------------------------------------------

    @whole_change
    def create_table(
        self,
        name: str | Name,
        columns: Sequence[ColumnDef],
        *,
        primary_key: Sequence[str] = (),
        indexes: Sequence[IndexDef] = (),
        checks: Sequence[CheckDef] = (),
        foreign_keys: Sequence[ForeignKey] = (),
        temporary: bool = False,
        sequences: Mapping[str, Settings] | None = None,
        key_name: str = "",
    ) -> TableDef:
        """Create a table.

        Parameters
        ----------
        name, columns, primary_key, indexes, checks, foreign_keys
            What it is.
        temporary : bool
            Whether it is left out of log and snapshot.
        sequences : mapping, optional
            Settings of its identity columns, by name.
        key_name : str
            The name of the primary key's index; ``<table>_pkey`` when left out.

        Raises
        ------
        CatalogError
            If the name is taken, or the definition does not hold together.
        """
        self._check_writable()
        where = full_name(name)
        if temporary:
            where = (where[0], TEMPORARY_SCHEMA, where[2])
        self._check_free("table", where)
        number = self._database.catalog.new_id()
        settings = sequences or {}
        given = [
            self._with_identity(where, (number, i), column, settings.get(column.name))
            for i, column in enumerate(columns)
        ]
        table = define_table(
            number, where, given, primary_key, indexes, checks, temporary=temporary, key_name=key_name
        )
        if foreign_keys:
            table = self._with_foreign_keys(table, [self._resolve(table, key) for key in foreign_keys])
        store = TableStore(number, self._database.is_read)
        self._database.stores[number] = store
        self._undo.append(lambda: self._database.forget_store(number))
        for column in table.columns:
            store.add_column(column.id, column.type)
        for index in table.indexes:
            store.add_index(index, table)
        self._put(table)
        return table

    @whole_change
    def drop_table(self, name: str | Name, *, cascade: bool = False) -> None:
        """Drop a table; with ``cascade``, also the foreign keys of other tables that refer to it."""
        self._check_writable()
        table = self.reader.catalog.table(name)
        for other, key in self.reader.catalog.referencing(table.id):
            if other.id == table.id:
                continue
            if not cascade:
                raise CatalogError(
                    f"table {table.title!r} is referred to by foreign key {key.name!r} of table {other.title!r}"
                )
            self.drop_constraint(other.name, key.name)
        self._drop_owned(table, {c.id for c in table.columns})
        self.reader.writes.pop(table.id, None)
        self._drop(table.id)

    # -- columns -----------------------------------------------------------------------------------------------------

    @whole_change
    def add_column(self, name: str | Name, column: ColumnDef, *, sequence: Settings | None = None) -> None:
        """Add a column; rows that are there take its default. ``sequence`` has the settings of an identity column."""
        table = self._alterable(name)
        number = 1 + max(self._database.stores[table.id].columns, default=-1)
        column = self._with_identity(table.name, (table.id, number), column, sequence)
        tree = column.default
        literal = tree is None or (isinstance(tree, list) and tree[0] == "lit")
        literal = literal and column.generated is None
        fill = None
        if literal and isinstance(column.default, list) and column.default[1] is not None:
            fill = column.type.check(column.default[1])
        added = replace(column, id=number)
        check_table(replace(table, columns=(*table.columns, added)))
        source = None
        if column.generated is not None:
            source = self._source(table, None, column.generated)
        elif not literal:
            source = [None, column.default, {}, {}]
        added = replace(added, source=source)
        changed = replace(table, columns=(*table.columns, added))
        store = self._database.stores[table.id]
        store.add_column(number, column.type, fill)
        self._undo.append(lambda: self._forget_column(store, number))
        self._put(changed)
        if source is not None:
            self._fill(changed, added, source_function(added, store, store.columns, self._checked_default))
        if not column.nullable and fill is None:
            self._check_rows(changed)

    @whole_change
    def drop_column(self, name: str | Name, column: str) -> None:
        """Drop a column with the indexes, checks and foreign keys that read it."""
        table = self._alterable(name)
        gone = table.column(column)
        if column in table.primary_key:
            raise CatalogError(f"column {column!r} is part of the primary key of table {table.title!r}")
        for other, key in self.reader.catalog.referencing(table.id):
            if column in key.ref_columns:
                raise CatalogError(
                    f"column {column!r} is referred to by foreign key {key.name!r} of table {other.title!r}"
                )
        _refuse_read_by_generated(table, gone)
        changed = replace(
            table,
            columns=tuple(c for c in table.columns if c is not gone),
            indexes=tuple(i for i in table.indexes if not _reads(i.expressions, column)),
            checks=tuple(c for c in table.checks if not _reads([c.expr], column)),
            foreign_keys=tuple(k for k in table.foreign_keys if column not in k.columns),
        )
        check_table(changed)
        self._put(changed)
        self._drop_owned(table, {gone.id})

    @whole_change
    def rename_column(self, name: str | Name, column: str, new_name: str) -> None:
        """Give a column another name, in all that reads it."""
        table = self._alterable(name)
        table.column(column)

        def renamed(names: Sequence[str]) -> tuple[str, ...]:
            return tuple(new_name if n == column else n for n in names)

        mapped = map_expressions(table, lambda tree: rename_column(tree, column, new_name))
        changed = replace(
            mapped,
            columns=tuple(replace(c, name=new_name) if c.name == column else c for c in mapped.columns),
            primary_key=renamed(table.primary_key),
            foreign_keys=tuple(
                replace(
                    k,
                    columns=renamed(k.columns),
                    ref_columns=renamed(k.ref_columns) if k.table == table.id else k.ref_columns,
                )
                for k in table.foreign_keys
            ),
        )
        check_table(changed)
        self._put(changed)
        for other, key in self.reader.catalog.referencing(table.id):
            if other.id != table.id and column in key.ref_columns:
                keys = tuple(
                    replace(k, ref_columns=renamed(k.ref_columns)) if k.table == table.id else k
                    for k in other.foreign_keys
                )
                self._put(replace(other, foreign_keys=keys))

    @whole_change
    def alter_column(
        self,
        name: str | Name,
        column: str,
        *,
        default: Any = KEEP,
        nullable: bool | None = None,
        merge: Any = KEEP,
    ) -> None:
        """Change a column's default, whether null is a value, or its merge rule; what is left out stays."""
        table = self._alterable(name)
        old = table.column(column)
        new = replace(
            old,
            default=old.default if default is KEEP else default,
            nullable=old.nullable if nullable is None else nullable,
            merge=old.merge if merge is KEEP else merge,
        )
        if new.nullable and column in table.primary_key:
            raise CatalogError(f"column {column!r} is part of the primary key of table {table.title!r}")
        changed = replace(table, columns=tuple(new if c is old else c for c in table.columns))
        check_table(changed)
        self._put(changed)
        if not new.nullable and old.nullable:
            self._check_rows(changed)

    @whole_change
    def alter_type(
        self, name: str | Name, column: str, new_type: ColumnType, using: Expr | None = None
    ) -> None:
        """Give a column another type: a new column takes the values of the old one, converted or computed.

        Parameters
        ----------
        name, column : str
            Table and column.
        new_type : ColumnType
            The new type.
        using : expression, optional
            What computes the new value from the row; the usual conversion of the old value when left out.

        Raises
        ------
        TypeMismatchError
            If a value does not convert.
        CatalogError
            If a foreign key refers to, or by, the column.
        """
        table = self._alterable(name)
        old = table.column(column)
        default = old.default
        if isinstance(default, list) and default[0] == "lit" and default[1] is not None:
            default = ["lit", new_type.present(convert(old.type.check(default[1]), old.type, new_type))]
        _refuse_read_by_generated(table, old)
        source = self._source(table, old, using)
        self._replace_column(table, old, replace(old, type=new_type, default=default, source=source))

    @whole_change
    def alter_generated(self, name: str | Name, column: str, generated: Expr | None) -> None:
        """Let a generated column be computed otherwise, for all rows anew; None makes it a plain one that keeps its values."""
        table = self._alterable(name)
        old = table.column(column)
        if generated is None:
            plain = replace(old, generated=None)
            self._put(replace(table, columns=tuple(plain if c is old else c for c in table.columns)))
            return
        source = self._source(table, None, generated)
        self._replace_column(table, old, replace(old, generated=generated, source=source))

    # -- parts -------------------------------------------------------------------------------------------------------

    def _default(self, column: ColumnDef) -> Any:
        raise NotImplementedError

    def _checked_default(self, column: ColumnDef) -> Any:
        value = self._default(column)
        if value is None or isinstance(column.default, dict):  # SQL gives it in stored form
            return value
        return column.type.check(value)

    def _writes(self, definition: TableDef) -> TableWrites:
        raise NotImplementedError

    def _replace_column(self, table: TableDef, old: ColumnDef, new: ColumnDef) -> None:
        """Put a new column, filled by its source, in the place of another, and build anew the indexes that read it."""
        store = self._database.stores[table.id]
        number = 1 + max(store.columns)
        new = replace(new, id=number)
        changed = replace(table, columns=tuple(new if c is old else c for c in table.columns))
        check_table(changed)
        store.add_column(number, new.type)
        self._undo.append(lambda: self._forget_column(store, number))
        self._fill(changed, new, source_function(new, store, store.columns, self._checked_default))
        stale = [i for i in changed.indexes if _reads(i.expressions, new.name)]
        kept = tuple(i for i in changed.indexes if i not in stale)
        self._put(replace(changed, indexes=kept))
        for index in stale:  # built anew over the new column, in the place it had
            self._add_index(self.reader.catalog.table(table.name), index)
        self._sort_indexes(table)
        self._check_rows(self.reader.catalog.table(table.name))
        for _, _, fault in reference_faults(self.reader.catalog, {table.id}):
            raise CatalogError(fault)

    def _source(self, table: TableDef, old: ColumnDef | None, tree: Expr | None) -> list[Any]:
        """Return the source of a column that takes the place of another, or is computed from others."""
        names = {old.name} if old is not None else set()
        if tree is not None:
            names = names_read(tree, table.by_name)
        read = [c for c in table.columns if c.name in names]
        before = self.base_catalog.by_id.get(table.id)
        lasting = {c.id for c in before.columns} if isinstance(before, TableDef) else set()
        computed = {
            str(c.id): [c.type.name, c.source or [None, c.default, {}, {}]]
            for c in read
            if c.source is not None or c.id not in lasting
        }
        return [None if old is None else old.id, tree, {c.name: c.id for c in read}, computed]

    def _sort_indexes(self, before: TableDef) -> None:
        """Put rebuilt indexes where they were: the primary key's is the first."""
        table = self.reader.catalog.table(before.name)
        order = [i.name for i in before.indexes]
        self._put(replace(table, indexes=tuple(sorted(table.indexes, key=lambda i: order.index(i.name)))))

    def _fill(self, table: TableDef, column: ColumnDef, compute: Callable[[Values], Any]) -> None:
        """Compute a new column for every row that the transaction sees."""
        self.row_dependent.add(table.id)
        store = self._database.stores[table.id]
        for slot in store.slots(self.reader.view).tolist():
            self.fill_slot(store, column.id, slot, compute(store.values(slot)))
        writes = self.reader.writes.get(table.id)
        for row, values in list(writes.living()) if writes is not None else ():
            assert writes is not None
            value = compute(values)
            write = writes.rows.get(row)
            if write is None:
                writes.put(row, RowWrite(NO_SLOT, NO_SLOT, {**values, column.id: value}))
            else:
                writes.put(row, RowWrite(write.base, write.template, {**write.values, column.id: value}))

    def fill_slot(self, store: TableStore, column: int, slot: int, value: Any) -> None:
        """Put a value into a column that no reader sees yet, and remember it for the log."""
        store.put(column, slot, value)
        self.fills.setdefault((store.id, column), {})[slot] = value

    def _forget_column(self, store: TableStore, number: int) -> None:
        store.drop_column(number)
        self.fills.pop((store.id, number), None)


def source_function(
    column: ColumnDef, store: TableStore, known: Collection[int], default_of: Callable[[ColumnDef], Any]
) -> Callable[[Values], Any]:
    """Return what computes a column from a row's values: its default, its source's expression, or a conversion.

    Columns that it was made of and that are not ``known`` are computed first.
    """
    assert column.source is not None
    old_id, tree, names, below = column.source
    parts: dict[int, Callable[[Values], Any]] = {}
    types: dict[int, ColumnType] = {}
    for number, (type_name, source) in below.items():
        if int(number) not in known:
            part = replace(column, type=parse_type(type_name), source=source, id=int(number))
            parts[part.id] = source_function(part, store, known, default_of)
            types[part.id] = part.type
    is_default = old_id is None and not names and column.generated is None
    function = None
    if tree is not None and not is_default:
        read = {name: types.get(number) or store.columns[number].type for name, number in names.items()}
        function = compile_expr(tree, read, column.type)

    def compute(values: Values) -> Any:
        values = {**values, **{number: part(values) for number, part in parts.items()}}
        if is_default:
            return default_of(replace(column, default=tree))
        if function is None:
            return convert(values[old_id], types.get(old_id) or store.columns[old_id].type, column.type)
        return stored_value(
            column.type, tree, function({name: values[number] for name, number in names.items()})
        )

    return compute


def _refuse_read_by_generated(table: TableDef, column: ColumnDef) -> None:
    for other, _ in table.generated:
        if other is not column and other.generated is not None and _reads([other.generated], column.name):
            raise CatalogError(f"generated column {other.name!r} reads column {column.name!r}")


def _reads(trees: Sequence[Expr], column: str) -> bool:
    return any(column in columns_of(tree) for tree in trees)
