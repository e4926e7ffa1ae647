"""Definitions inside a transaction: what they replace, and how that is undone; types and other objects.

A change replaces a definition in the transaction's own catalogue; at the commit the new definition comes into force on
the branch, like a new version of a row. Sequences and tables have modules of their own: ddl_sequences.py, ddl.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ..errors import CatalogError
from .catalog import CatalogView
from .composite import ArrayType, EnumType, array, enum, extend_enum, relabel_enum
from .constraints import reference_faults
from .definitions import (
    DEFAULT_DATABASE,
    Definition,
    EnumDef,
    Name,
    ObjectDef,
    TableDef,
    full_name,
    show_name,
)
from .reader import Reader
from .types import ColumnType

if TYPE_CHECKING:
    from .database import Database


_Method = TypeVar("_Method", bound=Callable[..., Any])


def whole_change(method: _Method) -> _Method:
    """Make a change of definitions happen as a whole or not at all, with what it wrote to rows."""

    @wraps(method)
    def run(self: ObjectChanges, *args: Any, **kwargs: Any) -> Any:
        schema, rows = self._save_schema(), {t: w.copy() for t, w in self.reader.writes.items()}
        try:
            return method(self, *args, **kwargs)
        except BaseException:
            self.reader.writes.clear()
            self.reader.writes.update(rows)
            self._restore_schema(schema)
            raise

    return cast(_Method, run)


class ObjectChanges:
    """The part of a transaction that changes definitions other than tables."""

    _database: Database
    reader: Reader

    def __init__(self) -> None:
        self.changes: dict[int, Definition | None] = {}
        self.row_dependent: set[int] = set()
        """Tables whose new definition holds only for the rows that the transaction saw."""
        self.base_catalog: CatalogView = self.reader.catalog
        """The definitions when the transaction began."""
        self.fills: dict[tuple[int, int], dict[int, Any]] = {}
        """Values that were computed for new columns: by (table, column), then slot."""
        self._undo: list[Callable[[], None]] = []

    @whole_change
    def create_enum(self, name: str | Name, labels: Sequence[str]) -> EnumType:
        """Create an enum type."""
        self._check_writable()
        where = full_name(name)
        self._check_free("enum", where)
        definition = EnumDef(self._database.catalog.new_id(), where, enum(show_name(where), labels))
        self._put(definition)
        return definition.type

    @whole_change
    def add_enum_label(
        self, name: str | Name, label: str, *, before: str | None = None, after: str | None = None
    ) -> EnumType:
        """Add a label to an enum type, at the end or beside another, and to the columns that have the type."""
        self._check_writable()
        found = self._existing("enum", name)
        assert isinstance(found, EnumDef)
        extended = extend_enum(show_name(found.name), found.type, label, before, after)
        self._replace_enum(found, replace(found, type=extended))
        return extended

    @whole_change
    def rename_enum_label(self, name: str | Name, old: str, new: str) -> EnumType:
        """Give a label of an enum type another text, also in the rows that have it."""
        self._check_writable()
        found = self._existing("enum", name)
        assert isinstance(found, EnumDef)
        changed = relabel_enum(show_name(found.name), found.type, old, new)
        self._replace_enum(found, replace(found, type=changed))
        return changed

    @whole_change
    def create_database(self, name: str) -> None:
        """Create a database: another first part of names."""
        self.create_object("database", (name, "-", name))

    @whole_change
    def drop_database(self, name: str) -> None:
        """Drop a database with everything in it."""
        if name == DEFAULT_DATABASE:
            raise CatalogError(f"database {name!r} cannot be dropped")
        self.drop_object("database", (name, "-", name))
        gone = [d.id for d in self.reader.catalog.by_id.values() if d.name[0] == name]
        for number in gone:
            self.reader.writes.pop(number, None)
            self._drop(number)
        for _, _, fault in reference_faults(self.reader.catalog, gone):
            raise CatalogError(f"database {name!r} cannot be dropped: {fault}")

    @whole_change
    def create_object(self, kind: str, name: str | Name, definition: Any = None) -> ObjectDef:
        """Keep any other named definition (a schema, view, trigger, graph): JSON values that upper layers understand."""
        self._check_writable()
        where = full_name(name)
        self._check_free(kind, where)
        made = ObjectDef(self._database.catalog.new_id(), where, kind, definition)
        self._put(made)
        return made

    @whole_change
    def alter_object(self, kind: str, name: str | Name, definition: Any) -> None:
        """Put another definition in the place of one that :meth:`create_object` made; what refers to it by number goes on."""
        self._check_writable()
        found = self._existing(kind, name)
        if not isinstance(found, ObjectDef):
            raise CatalogError(f"a {kind} is changed by its own calls")
        self._put(replace(found, definition=definition))

    @whole_change
    def drop_object(self, kind: str, name: str | Name) -> None:
        """Drop a sequence, an enum that no column has, or what :meth:`create_object` made."""
        self._check_writable()
        found = self._existing(kind, name)
        if isinstance(found, TableDef):
            raise CatalogError("a table is dropped by drop_table")
        for table in self.reader.catalog.tables():
            for column in table.columns:
                if isinstance(found, EnumDef) and _is_of(column.type, found.type):
                    raise CatalogError(f"column {column.name!r} of table {table.title!r} has this type")
                if column.default == ["nextval", found.id]:
                    raise CatalogError(f"column {column.name!r} of table {table.title!r} draws from it")
        self._drop(found.id)

    # -- parts -------------------------------------------------------------------------------------------------------

    def _replace_enum(self, old: EnumDef, new: EnumDef) -> None:
        """Put an enum type in the place of another, also in columns."""
        for table in list(self.reader.catalog.tables()):
            columns = tuple(
                replace(c, type=new.type if c.type == old.type else array(new.type))
                if _is_of(c.type, old.type)
                else c
                for c in table.columns
            )
            if columns != table.columns:
                changed = replace(table, columns=columns)
                self._database.stores[table.id].retype(changed)
                self._undo.append(partial(self._database.stores[table.id].retype, table))
                self._put(changed)
        self._put(new)

    def _check_writable(self) -> None:
        raise NotImplementedError

    def _put(self, definition: Definition) -> None:
        self._define(definition.id, definition)

    def _drop(self, number: int) -> None:
        self._define(number, None)

    def _define(self, number: int, definition: Definition | None) -> None:
        self.changes[number] = definition
        self._see(self.reader.catalog.with_changes({number: definition}))

    def _refresh(self) -> None:
        self._see(self.base_catalog.with_changes(self.changes))

    def _see(self, catalog: CatalogView) -> None:
        self.reader.catalog = catalog
        for writes in self.reader.writes.values():
            writes.forget_shape()

    def _save_schema(self) -> tuple[dict[int, Definition | None], int, set[int]]:
        return dict(self.changes), len(self._undo), set(self.row_dependent)

    def _restore_schema(self, saved: tuple[dict[int, Definition | None], int, set[int]]) -> None:
        self.changes, count, self.row_dependent = dict(saved[0]), saved[1], set(saved[2])
        while len(self._undo) > count:
            self._undo.pop()()
        self._refresh()

    def _undo_schema(self) -> None:
        while self._undo:
            self._undo.pop()()

    def _existing(self, kind: str, name: str | Name) -> Definition:
        found = self.reader.catalog.find(kind, name)
        if found is None:
            raise CatalogError(f"there is no {kind} {show_name(full_name(name))!r}")
        return found

    def _check_free(self, kind: str, name: Name) -> None:
        catalog = self.reader.catalog
        taken = catalog.taken(kind, name)
        if taken is not None:
            raise CatalogError(f"there is a {taken.kind} {show_name(name)!r} already")
        known = kind == "database" or name[0] == DEFAULT_DATABASE
        if not known and catalog.find("database", (name[0], "-", name[0])) is None:
            raise CatalogError(f"there is no database {name[0]!r}")


def _is_of(column_type: ColumnType, enum_type: EnumType) -> bool:
    """Return whether a column's type is an enum, or an array of it."""
    return enum_type in (column_type, column_type.element if isinstance(column_type, ArrayType) else None)
