"""Definitions: statements that change tables and other objects, as calls of the engine's transaction.

    create table t (id serial primary key, a int check (a > 0))
        Change("create_table", name=…, columns=[ColumnDef(…)], primary_key=["id"], checks=[CheckDef("t_a_check", [">", ["col", "a"], ["lit", 0]])])

A :class:`Change` names a method of :class:`~zengram_py.engine.Transaction` and its arguments, which are plain definitions of the
engine; to carry out a statement is to make its calls in order. ``if [not] exists`` is decided here, where the catalogue is known:
nothing to do is no change.

    definitions ◀ column_specs ◀ new_tables ◀ sequences ◀ objects ◀ drops ◀ alter
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, replace
from importlib import import_module
from typing import Any

from ...engine import ColumnDef
from ...engine.definitions import DEFAULT_DATABASE, TEMPORARY_SCHEMA, Name
from ..bound import Output
from ..errors import error
from ..nodes import node
from ..scope import Catalogue, Namespace, Scope, TableName
from .changes import Binder
from .coercion import State
from .columns import type_of_column
from .object_names import is_taken


@node(frozen=True, slots=True)
class Change:
    """One call of a transaction's method."""

    method: str
    arguments: dict[str, Any]


@node(frozen=True, slots=True)
class BoundDefinition:
    """The calls that a statement stands for; none if there is nothing to do."""

    changes: tuple[Change, ...] = ()
    outputs: tuple[Output, ...] = field(default=())


def elsewhere(module: str, name: str) -> Callable[..., list[Change]]:
    """Return a function of another module of this folder, which is only loaded by who needs it."""

    def run(definitions: Definitions, *given: Any) -> list[Change]:
        found: list[Change] = getattr(import_module(f".{module}", __package__), name)(definitions, *given)
        return found

    return run


class Definitions:
    """What all statements that define have in common; one for each statement."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.binder = Binder(state)

    @property
    def catalogue(self) -> Catalogue:
        """The definitions that the statement sees."""
        return self.state.catalogue

    def columns_scope(self, name: Name, columns: Sequence[ColumnDef]) -> Scope:
        """Return the scope of a table's own expressions: its columns."""
        relation = self.state.new_relation()
        outputs = tuple(Output(c.name, type_of_column(c.type)) for c in columns)
        names = self.binder.named(relation, outputs, None, name[2], 0)
        return Scope(None, Namespace((TableName(name[2], names.columns, name),), names.columns))

    def new_name(self, parts: tuple[str, ...], temporary: bool, at: int) -> Name:
        """Return the full name of something that is to be made; a temporary one has a schema of its own."""
        if temporary and len(parts) > 1 and parts[-2] != TEMPORARY_SCHEMA:
            raise error("42P16", "cannot create temporary relation in non-temporary schema", at)
        name = self.catalogue.path.new_name(parts, temporary=temporary)
        self.check_schema(name, at)
        return name

    def new_relation(self, parts: tuple[str, ...], temporary: bool, quiet: bool, at: int) -> Name | None:
        """Return the full name of a new table or sequence; None if the name is taken and that is no error."""
        name = self.new_name(parts, temporary, at)
        if not is_taken(self.catalogue, name):
            return name
        if quiet:
            return None
        raise error("42P07", f'relation "{name[2]}" already exists', at)

    def check_schema(self, name: Name, at: int | None) -> None:
        """Refuse a name in a database or schema that does not exist."""
        database, schema, _ = name
        known = (self.catalogue.path.database, DEFAULT_DATABASE)
        if database not in known and self.catalogue.view.find("database", (database, "-", database)) is None:
            raise error("3D000", f'database "{database}" does not exist', at)
        here = replace(self.catalogue, path=replace(self.catalogue.path, database=database))
        if not here.has_schema(schema):
            raise error("3F000", f'schema "{schema}" does not exist', at)

    @staticmethod
    def refuse_repeats(names: Sequence[str], at: int) -> None:
        """Refuse two columns of one name (42701)."""
        seen: set[str] = set()
        for name in names:
            if name in seen:
                raise error("42701", f'column "{name}" specified more than once', at)
            seen.add(name)
