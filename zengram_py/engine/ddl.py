"""Schema changes inside a transaction: tables, columns, indexes, constraints, sequences, types and the rest.

A change replaces a definition in the transaction's own catalogue; at the commit the new definition comes into force on
the branch, like a new version of a row. What a new definition needs in memory (a table's store, a column, an index) is
made at once: no other reader has a definition that names it, so none can see it, and rolling back takes it away again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..errors import CatalogError, InvalidArgumentError, NotNullError
from .constraints import check_reference, check_row, parent_violations, reference_faults, unique_error
from .conversion import convert
from .ddl_objects import ObjectChanges, whole_change
from .definitions import (
    TEMPORARY_SCHEMA,
    VECTOR_KINDS,
    CheckDef,
    ColumnDef,
    ForeignKeyDef,
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
from .reader import index_on
from .table import NO_SLOT, RowWrite, TableStore, Values
from .types import INT64, ColumnType, parse_type

if TYPE_CHECKING:
    from .writes import TableWrites

KEEP: Any = object()
"""Stands for what a change leaves as it is, where None means something."""


@dataclass(frozen=True)
class ForeignKey:
    """A foreign key as it is asked for, by names.

    Attributes
    ----------
    columns : sequence of str
        The referencing columns.
    table : str
        The referenced table.
    ref_columns : sequence of str
        The referenced columns; its primary key when left out.
    name : str
        The constraint's name; made from the columns when left out.
    on_delete, on_update : str
        ``"restrict"``, ``"cascade"`` or ``"set_null"``.
    deferred : bool
        Check at commit only.
    """

    columns: Sequence[str]
    table: str | Name
    ref_columns: Sequence[str] = ()
    name: str = ""
    on_delete: str = "restrict"
    on_update: str = "restrict"
    deferred: bool = False


class SchemaChanges(ObjectChanges):
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
    ) -> TableDef:
        """Create a table.

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
        given = [self._with_identity(where, column) for column in columns]
        table = define_table(number, where, given, primary_key, indexes, checks, temporary=temporary)
        keys = [self._resolve(table, key) for key in foreign_keys]
        table = self._with_foreign_keys(table, keys)
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
        for column in table.columns:
            self._drop_identity(column)
        self.reader.writes.pop(table.id, None)
        self._drop(table.id)

    @whole_change
    def rename_table(self, name: str | Name, new_name: str) -> None:
        """Give a table another name in its schema."""
        table = self._alterable(name)
        where = (table.name[0], table.name[1], new_name)
        self._check_free("table", where)
        self._put(replace(table, name=where))

    # -- columns -----------------------------------------------------------------------------------------------------

    @whole_change
    def add_column(self, name: str | Name, column: ColumnDef) -> None:
        """Add a column; rows that are there take its default."""
        table = self._alterable(name)
        number = 1 + max(self._database.stores[table.id].columns, default=-1)
        column = self._with_identity(table.name, column)
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
        self._drop_identity(gone)

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
        store = self._database.stores[table.id]
        number = 1 + max(store.columns)
        default = old.default
        if isinstance(default, list) and default[0] == "lit" and default[1] is not None:
            default = ["lit", new_type.present(convert(old.type.check(default[1]), old.type, new_type))]
        _refuse_read_by_generated(table, old)
        new = replace(old, type=new_type, default=default, id=number, source=self._source(table, old, using))
        changed = replace(table, columns=tuple(new if c is old else c for c in table.columns))
        check_table(changed)
        store.add_column(number, new_type)
        self._undo.append(lambda: self._forget_column(store, number))
        self._fill(changed, new, source_function(new, store, store.columns, self._checked_default))
        stale = [i for i in changed.indexes if _reads(i.expressions, column)]
        kept = tuple(i for i in changed.indexes if i not in stale)
        self._put(replace(changed, indexes=kept))
        for index in stale:  # built anew over the new column, in the place it had
            self._add_index(self.reader.catalog.table(table.name), index)
        self._sort_indexes(table)
        self._check_rows(self.reader.catalog.table(table.name))
        for _, _, fault in reference_faults(self.reader.catalog, {table.id}):
            raise CatalogError(fault)

    # -- indexes and constraints -------------------------------------------------------------------------------------

    @whole_change
    def create_index(self, name: str | Name, index: IndexDef, *, build: str = "now") -> None:
        """Create an index and build it; a unique one refuses rows with equal keys.

        Parameters
        ----------
        name : str
            The table.
        index : IndexDef
            The index.
        build : str
            ``"now"``: it is built when this returns. ``"deferred"``, for text and vectors: ``maintain`` builds it bit by bit;
            until then searches read what is not built yet, and find the same. How an index was built is no part of its
            definition.
        """
        if build not in ("now", "deferred"):
            raise InvalidArgumentError(f"an index is built 'now' or 'deferred', not {build!r}")
        if build == "deferred" and index.kind not in ("fulltext", *VECTOR_KINDS):
            raise CatalogError(f"an index of kind {index.kind!r} answers only when it is built: build it now")
        self._add_index(self._alterable(name), index, finish=build == "now")

    @whole_change
    def drop_index(self, name: str | Name, index: str) -> None:
        """Drop an index (not the primary key's)."""
        table = self._alterable(name)
        gone = table.index(index)
        if table.primary_key and gone is table.indexes[0]:
            raise CatalogError(f"index {index!r} is the primary key's")
        for _, key in self.reader.catalog.referencing(table.id):
            rest = replace(table, indexes=tuple(i for i in table.indexes if i is not gone))
            if index_on(rest, key.ref_columns, unique=True) is None:
                raise CatalogError(f"foreign key {key.name!r} needs index {index!r}")
        self._put(replace(table, indexes=tuple(i for i in table.indexes if i is not gone)))

    @whole_change
    def add_check(self, name: str | Name, check: CheckDef) -> None:
        """Add a check; rows that are there must satisfy it."""
        table = self._alterable(name)
        changed = replace(table, checks=(*table.checks, check))
        check_table(changed)
        self._put(changed)
        self._check_rows(changed)

    @whole_change
    def add_foreign_key(self, name: str | Name, key: ForeignKey) -> None:
        """Add a foreign key; rows that are there must satisfy it."""
        table = self._alterable(name)
        changed = self._with_foreign_keys(table, [*table.foreign_keys, self._resolve(table, key)])
        store = self._database.stores[table.id]
        for index in changed.indexes[len(table.indexes) :]:
            store.add_index(index, changed)
            self._undo.append(lambda number=index.id: store.drop_index(number))  # type: ignore[misc]
        self._put(changed)
        self.row_dependent.update({table.id, changed.foreign_keys[-1].table})
        for _, values in self.reader.rows(changed):
            for error in parent_violations(self.reader, changed, values):
                raise error

    @whole_change
    def drop_constraint(self, name: str | Name, constraint: str) -> None:
        """Drop a check or a foreign key."""
        table = self._alterable(name)
        checks = tuple(c for c in table.checks if c.name != constraint)
        keys = tuple(k for k in table.foreign_keys if k.name != constraint)
        if len(checks) + len(keys) == len(table.checks) + len(table.foreign_keys):
            raise CatalogError(f"table {table.title!r} has no constraint {constraint!r}")
        self._put(replace(table, checks=checks, foreign_keys=keys))

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

    def _alterable(self, name: str | Name) -> TableDef:
        self._check_writable()
        return self.reader.catalog.table(name)

    def _with_identity(self, table: Name, column: ColumnDef) -> ColumnDef:
        if column.identity is None or column.default is not None:
            return column
        if column.type.storage != "fixed" or not hasattr(column.type, "bounds"):
            raise CatalogError(f"identity column {column.name!r} must hold whole numbers")
        most = min(column.type.bounds[1], INT64.bounds[1])
        name = (table[0], table[1], f"{table[2]}_{column.name}_seq")
        sequence = self.create_sequence(name, most=most)
        return replace(column, nullable=False, default=["nextval", sequence.id])

    def _drop_identity(self, column: ColumnDef) -> None:
        """Drop the sequence of an identity column that is gone."""
        default = column.default
        if column.identity is not None and isinstance(default, list) and default[0] == "nextval":
            self._drop(default[1])

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

    def _resolve(self, table: TableDef, key: ForeignKey) -> ForeignKeyDef:
        where = full_name(key.table)
        parent = table if where == table.name else self.reader.catalog.table(key.table)
        name = key.name or f"{table.name[2]}_{'_'.join(key.columns)}_fkey"
        ref = tuple(key.ref_columns) or parent.primary_key
        made = ForeignKeyDef(
            name, tuple(key.columns), parent.id, ref, key.on_delete, key.on_update, key.deferred
        )
        fault = check_reference(self.reader.catalog, table, made)
        if fault is not None:
            raise CatalogError(f"foreign key {name!r} of table {table.title!r}: {fault}")
        return made

    def _with_foreign_keys(self, table: TableDef, keys: Sequence[ForeignKeyDef]) -> TableDef:
        """Return a table with foreign keys, and an index for each that lacks one: cascades look rows up by them."""
        for key in keys:
            if index_on(table, key.columns) is None:
                trees = tuple(["col", c] for c in key.columns)
                number = self._next_index(table)
                table = replace(
                    table, indexes=(*table.indexes, IndexDef(f"{key.name}_idx", "hash", trees, id=number))
                )
        table = replace(table, foreign_keys=tuple(keys))
        check_table(table)
        return table

    def _next_index(self, table: TableDef) -> int:
        store = self._database.stores.get(table.id)
        used = [*(i.id for i in table.indexes), *(store.indexes if store is not None else ())]
        return 1 + max(used, default=-1)

    def _add_index(self, table: TableDef, index: IndexDef, *, finish: bool = True) -> None:
        index = replace(index, id=self._next_index(table))
        changed = replace(table, indexes=(*table.indexes, index))
        check_table(changed)
        store = self._database.stores[table.id]
        store.add_index(index, changed, finish=finish)
        self._undo.append(lambda: store.drop_index(index.id))
        self._put(changed)
        if index.unique:
            self.row_dependent.add(table.id)
            seen = set()
            for _, values in self.reader.rows(changed):
                key = store.indexes[index.id].key(values.__getitem__)
                if key is None or None in key:
                    continue
                if key in seen:
                    raise unique_error(changed, index, key)
                seen.add(key)

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

    def _check_rows(self, table: TableDef) -> None:
        """Test every row that the transaction sees against the constraints of one row."""
        self.row_dependent.add(table.id)
        for _, values in self.reader.rows(table):
            try:
                check_row(table, values)
            except NotNullError as error:
                raise NotNullError(
                    f"{error}, and a row has none", table=error.table, constraint=error.constraint
                ) from None


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
