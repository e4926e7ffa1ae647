"""Indexes and constraints of tables inside a transaction.

A constraint that is added must hold for the rows that the transaction sees; an index is built over all versions that there are, since
other readers see other ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..errors import CatalogError, InvalidArgumentError, NotNullError
from .constraints import check_reference, check_row, parent_violations, unique_error
from .ddl_objects import whole_change
from .ddl_sequences import SequenceChanges
from .definitions import (
    VECTOR_KINDS,
    CheckDef,
    ForeignKeyDef,
    IndexDef,
    Name,
    TableDef,
    check_table,
    full_name,
)
from .reader import index_on


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
        ``"restrict"``, ``"no_action"``, ``"cascade"``, ``"set_null"`` or ``"set_default"``.
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


class KeyChanges(SequenceChanges):
    """The part of a transaction that changes indexes and constraints."""

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
        self._drop_index(table, gone)

    def _drop_index(self, table: TableDef, gone: IndexDef) -> None:
        for _, key in self.reader.catalog.referencing(table.id):
            rest = replace(table, indexes=tuple(i for i in table.indexes if i is not gone))
            if index_on(rest, key.ref_columns, unique=True) is None:
                raise CatalogError(f"foreign key {key.name!r} needs index {gone.name!r}")
        self._put(replace(table, indexes=tuple(i for i in table.indexes if i is not gone)))

    @whole_change
    def add_check(self, name: str | Name, check: CheckDef) -> None:
        """Add a check; rows that are there must satisfy it."""
        table = self._alterable(name)
        changed = replace(table, checks=(*table.checks, check))
        check_table(changed, table)
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

    @whole_change
    def add_primary_key(self, name: str | Name, columns: Sequence[str], constraint: str = "") -> None:
        """Give a table that has none a primary key; the rows that are there must have one.

        Parameters
        ----------
        name : str
            The table.
        columns : sequence of str
            The key's columns, in which null is no value from now on.
        constraint : str
            The name of the key's index; ``<table>_pkey`` when left out.
        """
        table = self._alterable(name)
        if table.primary_key:
            raise CatalogError(f"table {table.title!r} has a primary key")
        key = tuple(["col", table.column(column).name] for column in columns)
        index = IndexDef(constraint or f"{table.name[2]}_pkey", "hash", key, unique=True)
        self._add_index(table, index)
        table = self.reader.catalog.table(table.name)
        *others, made = table.indexes
        changed = replace(
            table,
            columns=tuple(replace(c, nullable=c.nullable and c.name not in columns) for c in table.columns),
            primary_key=tuple(columns),
            indexes=(made, *others),
        )
        check_table(changed)
        self._put(changed)
        self._check_rows(changed)

    @whole_change
    def drop_primary_key(self, name: str | Name) -> None:
        """Take a table's primary key away, with its index; null stays no value of its columns."""
        table = self._alterable(name)
        if not table.primary_key:
            raise CatalogError(f"table {table.title!r} has no primary key")
        self._drop_index(replace(table, primary_key=()), table.indexes[0])

    # -- parts -------------------------------------------------------------------------------------------------------

    def _alterable(self, name: str | Name) -> TableDef:
        self._check_writable()
        return self.reader.catalog.table(name)

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
        before = table
        for key in keys:
            if index_on(table, key.columns) is None:
                trees = tuple(["col", c] for c in key.columns)
                number = self._next_index(table)
                table = replace(
                    table, indexes=(*table.indexes, IndexDef(f"{key.name}_idx", "hash", trees, id=number))
                )
        table = replace(table, foreign_keys=tuple(keys))
        check_table(table, before)
        return table

    def _next_index(self, table: TableDef) -> int:
        store = self._database.stores.get(table.id)
        used = [*(i.id for i in table.indexes), *(store.indexes if store is not None else ())]
        return 1 + max(used, default=-1)

    def _add_index(self, table: TableDef, index: IndexDef, *, finish: bool = True) -> None:
        index = replace(index, id=self._next_index(table))
        changed = replace(table, indexes=(*table.indexes, index))
        check_table(changed, table)
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
