"""Scopes: what a name may mean at a place in a statement.

    select … from a join b using (id), lateral (select … )        the inner scope's outer one sees a and b, since it is lateral
        └ scope: tables a, b; columns id (of both), a's others, b's others

A :class:`Namespace` is what one ``from`` item brings: tables by their name, and columns in the order of ``*``. A column is an
expression: usually a variable, but for the joined column of a full join ``coalesce`` of two. A name without a table is looked
for in the innermost scope first, and one that is there twice is ambiguous (42702) though an outer scope may have it once.

Database and schema come from the :class:`SearchPath`: a name alone is first a temporary table, then one of each schema of the path.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING

from ..engine import EnumDef, ObjectDef, SequenceDef, TableDef
from ..engine.catalog import CatalogView
from ..engine.definitions import (
    DEFAULT_DATABASE,
    DEFAULT_SCHEMA,
    TEMPORARY_SCHEMA,
    Definition,
    Name,
)
from .bound import Aggregate, Bound, ColumnVar, Cte, Output, RowOf
from .errors import error
from .nodes import node
from .types import record_of

if TYPE_CHECKING:
    from .bind.operators import Place
    from .bind.reading import Fixed

Columns = tuple[tuple[str, Bound], ...]


@node(frozen=True, slots=True)
class SearchPath:
    """Where names without a database or schema are looked for."""

    database: str = DEFAULT_DATABASE
    schemas: tuple[str, ...] = (DEFAULT_SCHEMA,)

    def candidates(self, parts: tuple[str, ...]) -> list[Name]:
        """Return the full names that a name may mean, the first that exists counts."""
        if len(parts) == 3:
            return [(parts[0], parts[1], parts[2])]
        if len(parts) == 2:
            found = [(self.database, parts[0], parts[1])]
            return found if parts[0] in self.schemas else [*found, (parts[0], DEFAULT_SCHEMA, parts[1])]
        schemas = dict.fromkeys((TEMPORARY_SCHEMA, *self.schemas))
        return [(self.database, schema, parts[0]) for schema in schemas]

    def new_name(self, parts: tuple[str, ...], *, temporary: bool = False) -> Name:
        """Return the full name of something that is to be made."""
        if temporary:
            return self.database, TEMPORARY_SCHEMA, parts[-1]
        if len(parts) == 3:
            return parts[0], parts[1], parts[2]
        if len(parts) == 2:
            return self.database, parts[0], parts[1]
        return self.database, self.schemas[0] if self.schemas else DEFAULT_SCHEMA, parts[0]


@node(frozen=True, slots=True)
class Catalogue:
    """The definitions that a statement sees, with the path by which it finds them."""

    view: CatalogView
    path: SearchPath = SearchPath()
    fixed: Mapping[tuple[str, ...], Fixed] = field(default_factory=dict, compare=False)
    """What names of tables and views mean in the text of a view, before anything else."""

    def find(self, kind: str, parts: tuple[str, ...]) -> Definition | None:
        """Return a definition of a kind by a name as it was written, or None."""
        for name in self.path.candidates(parts):
            found = self.view.find(kind, name)
            if found is not None:
                return found
        return None

    def relation(self, parts: tuple[str, ...], at: int | None = None) -> TableDef | ObjectDef:
        """Return a table or a view, or refuse (42P01)."""
        known = self.fixed.get(parts)
        if known is not None:
            found = self.view.by_id.get(known.id)
            if isinstance(found, (TableDef, ObjectDef)):
                return found
        for name in self.path.candidates(parts):
            for kind in ("table", "view"):
                found = self.view.find(kind, name)
                if isinstance(found, (TableDef, ObjectDef)):
                    return found
        raise error("42P01", f'relation "{".".join(parts)}" does not exist', at)

    def table(self, parts: tuple[str, ...], at: int | None = None) -> TableDef:
        """Return a table that can be changed, or refuse: 42P01 if there is none, 42809 if it is something else."""
        found = self.relation(parts, at)
        if not isinstance(found, TableDef):
            raise error("42809", f'"{parts[-1]}" is not a table', at)
        return found

    def has_schema(self, name: str) -> bool:
        """Return whether the database has a schema."""
        if name in (DEFAULT_SCHEMA, TEMPORARY_SCHEMA, "pg_catalog"):
            return True
        definitions = (d for d in self.view.by_id.values() if d.name[0] == self.path.database)
        return any(d.name[1] == name or (d.kind == "schema" and d.name[2] == name) for d in definitions)

    def enum(self, parts: tuple[str, ...]) -> EnumDef | None:
        """Return an enum type, or None."""
        found = self.find("enum", parts)
        return found if isinstance(found, EnumDef) else None

    def sequence(self, parts: tuple[str, ...], at: int | None = None) -> SequenceDef:
        """Return a sequence, or refuse (42P01)."""
        found = self.find("sequence", parts)
        if not isinstance(found, SequenceDef):
            raise error("42P01", f'relation "{".".join(parts)}" does not exist', at)
        return found


@node(frozen=True, slots=True)
class TableName:
    """A table as a query names it: its alias, or its name with where it is."""

    name: str
    columns: Columns
    qualified: Name | None = None
    is_value: bool = False
    """Whether its name alone means its one column, as of a function that gives values and no rows."""

    def column(self, name: str, at: int) -> Bound | None:
        """Return a column, or None."""
        found = [value for column, value in self.columns if column == name]
        if len(found) > 1:
            raise error("42702", f'column reference "{name}" is ambiguous', at)
        return replace(found[0], at=at) if found else None


@node(frozen=True, slots=True)
class Namespace:
    """What a ``from`` item brings."""

    tables: tuple[TableName, ...] = ()
    columns: Columns = ()

    def beside(self, other: Namespace, at: int) -> Namespace:
        """Return both together; no table may have the name of another."""
        names = {table.name for table in self.tables if table.name}
        for table in other.tables:
            if table.name in names:
                raise error("42712", f'table name "{table.name}" specified more than once', at)
        return Namespace(self.tables + other.tables, self.columns + other.columns)


@node(slots=True)
class Scope:
    """The names that are known at a place, with those further out.

    Attributes
    ----------
    place : Place or None
        The place of the subquery that is being bound in an expression over these names.
    aggregates : dict of Aggregate to ColumnVar
        Aggregates of these rows in subqueries, and the columns that stand for them there.
    aggregated : int
        The relation of these columns; -1 if there are none.
    """

    outer: Scope | None = None
    names: Namespace = field(default_factory=Namespace)
    ctes: dict[str, Cte | tuple[int, tuple[Output, ...]]] = field(default_factory=dict)
    place: Place | None = None
    aggregates: dict[Aggregate, ColumnVar] = field(default_factory=dict)
    aggregated: int = -1

    def cte(self, name: str) -> Cte | tuple[int, tuple[Output, ...]] | None:
        """Return a common table expression, or the number and columns of a recursive one that is being defined."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.ctes:
                return scope.ctes[name]
            scope = scope.outer
        return None

    def resolve(self, parts: tuple[str, ...], at: int) -> Bound:
        """Return what a column's name means.

        Raises
        ------
        SqlError
            42703, 42702 or 42P01.
        """
        if len(parts) == 1:
            return self._by_column(parts[0], at)
        table = self._table(parts[:-1], at)
        found = table.column(parts[-1], at)
        if found is None:
            raise error("42703", f"column {parts[-2]}.{parts[-1]} does not exist", at)
        return found

    def whole_row(self, parts: tuple[str, ...], at: int) -> Bound:
        """Return what ``t.*`` means where one value is wanted: the row; 42P01 if there is no such table."""
        return _whole_row(self._table(parts, at), at)

    def _by_column(self, name: str, at: int) -> Bound:
        scope: Scope | None = self
        while scope is not None:
            found = [value for column, value in scope.names.columns if column == name]
            if len(found) > 1:
                raise error("42702", f'column reference "{name}" is ambiguous', at)
            if found:
                return replace(found[0], at=at)
            scope = scope.outer
        scope = self
        while scope is not None:
            for table in scope.names.tables:
                if table.name == name:
                    return _whole_row(table, at)
            scope = scope.outer
        raise error("42703", f'column "{name}" does not exist', at)

    def _table(self, parts: tuple[str, ...], at: int) -> TableName:
        scope: Scope | None = self
        while scope is not None:
            for table in scope.names.tables:
                if len(parts) == 1 and table.name == parts[0]:
                    return table
                if len(parts) > 1 and table.qualified is not None and table.qualified[-len(parts) :] == parts:
                    return table
            scope = scope.outer
        raise error("42P01", f'missing FROM-clause entry for table "{parts[-1]}"', at)

    def star(self, parts: tuple[str, ...], at: int) -> Columns:
        """Return the columns that ``*`` or ``t.*`` stands for."""
        if parts:
            columns = self._table(parts, at).columns
        else:
            columns = self.names.columns
            if not self.names.tables and not columns:
                raise error("42601", "SELECT * with no tables specified is not valid", at)
        return tuple((name, replace(value, at=at)) for name, value in columns)


def _whole_row(table: TableName, at: int) -> Bound:
    if table.is_value:
        return replace(table.columns[0][1], at=at)
    return RowOf(
        record_of((name, value.type) for name, value in table.columns),
        tuple(value for _, value in table.columns),
        tuple(name for name, _ in table.columns),
        of_relation=True,
        at=at,
    )
