"""Constraints of a table: keys, checks and foreign keys, as the engine defines them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...engine import CheckDef, ColumnDef, ForeignKey, IndexDef
from ...engine.definitions import Name
from .. import tree
from ..bound import Bound, Param, QuantifiedQuery, Subquery, walk
from ..errors import error, unsupported
from ..resolve import resolve
from ..signatures import operators
from .columns import type_of_column
from .operators import Place
from .stored import as_condition

if TYPE_CHECKING:
    from .definitions import Definitions

_ACTIONS = {"no action": "restrict", "restrict": "restrict", "cascade": "cascade", "set null": "set_null"}


class TableParts:
    """The constraints of a table as they gather."""

    def __init__(self, definitions: Definitions, name: Name, columns: Sequence[ColumnDef]) -> None:
        self.definitions = definitions
        self.name = name
        self.columns = {c.name: c for c in columns}
        self.scope = definitions.columns_scope(name, columns)
        self.key: list[str] = []
        self.indexes: list[IndexDef] = []
        self.checks: list[CheckDef] = []
        self.foreign_keys: list[ForeignKey] = []

    def add(self, constraint: tree.Constraint, column: str) -> None:
        """Add a constraint; those that are properties of a column are no parts of the table."""
        kind = constraint.kind
        if kind in ("primary key", "unique", "foreign key"):
            for name in constraint.columns:
                if name not in self.columns:
                    message = f'column "{name}" named in key does not exist'
                    if kind == "foreign key":
                        message = f'column "{name}" referenced in foreign key constraint does not exist'
                    raise error("42703", message, constraint.at)
        if kind == "primary key":
            if self.key:
                message = f'multiple primary keys for table "{self.name[2]}" are not allowed'
                raise error("42P16", message, constraint.at)
            self.key = list(constraint.columns)
        elif kind == "unique":
            self.indexes.append(self.unique(constraint))
        elif kind == "check":
            self.checks.append(self.check(constraint, column))
        elif kind == "foreign key":
            self.foreign_keys.append(self.foreign_key(constraint))

    def unique(self, constraint: tree.Constraint) -> IndexDef:
        """Return the index of a unique constraint."""
        if not constraint.nulls_distinct:
            raise unsupported("NULLS NOT DISTINCT", constraint.at)
        if constraint.deferrable:
            raise unsupported("a deferrable unique constraint", constraint.at)
        name = constraint.name or f"{self.name[2]}_{'_'.join(constraint.columns)}_key"
        keys = tuple(["col", c] for c in constraint.columns)
        return IndexDef(name, "hash", keys, unique=True)

    def check(self, constraint: tree.Constraint, column: str) -> CheckDef:
        """Return a check as the catalogue keeps it."""
        binder = self.definitions.binder
        bound = binder.condition(constraint.expression, self.scope, Place("check constraints"))
        assert bound is not None
        check_alone(bound, "check constraint")
        name = constraint.name or "_".join(filter(None, (self.name[2], column, "check")))
        taken = {c.name for c in self.checks}
        base, number = name, 0
        while name in taken:
            number += 1
            name = f"{base}{number}"
        return CheckDef(name, as_condition(bound, constraint.text))

    def foreign_key(self, constraint: tree.Constraint) -> ForeignKey:
        """Return a foreign key by names."""
        reference = constraint.reference
        assert reference is not None
        for action in (reference.on_delete, reference.on_update):
            if action not in _ACTIONS:
                raise unsupported(f"ON … {action.upper()}", reference.at)
        target = self.definitions.catalogue.path.new_name(reference.table)
        columns, key = self.columns, tuple(self.key)
        unique = {frozenset(key), *(_columns_of(index) for index in self.indexes)}
        if target != self.name:
            table = self.definitions.catalogue.table(reference.table, reference.at)
            target, columns, key = table.name, table.by_name, table.primary_key
            unique = {_columns_of(index) for index in table.indexes if index.unique}
        wanted = reference.columns or key
        if not wanted:
            message = f'there is no primary key for referenced table "{target[2]}"'
            raise error("42704", message, reference.at)
        if len(wanted) != len(constraint.columns):
            message = "number of referencing and referenced columns for foreign key disagree"
            raise error("42830", message, constraint.at)
        for name in wanted:
            if name not in columns:
                message = f'column "{name}" referenced in foreign key constraint does not exist'
                raise error("42703", message, reference.at)
        if frozenset(wanted) not in unique:
            message = f'there is no unique constraint matching given keys for referenced table "{target[2]}"'
            raise error("42830", message, constraint.at)
        for one, other in zip(constraint.columns, wanted, strict=True):
            types = type_of_column(self.columns[one].type), type_of_column(columns[other].type)
            if not resolve(operators()["="], types, operator=True):
                detail = f'Key columns "{one}" and "{other}" are of incompatible types: {types[0].title} and {types[1].title}.'
                name = constraint.name or f"{self.name[2]}_{'_'.join(constraint.columns)}_fkey"
                message = f'foreign key constraint "{name}" cannot be implemented'
                raise error("42804", message, constraint.at, detail=detail)
        return ForeignKey(
            list(constraint.columns),
            target,
            list(wanted),
            constraint.name or f"{self.name[2]}_{'_'.join(constraint.columns)}_fkey",
            _ACTIONS[reference.on_delete],
            _ACTIONS[reference.on_update],
            constraint.deferred,
        )


def _columns_of(index: IndexDef) -> frozenset[str]:
    """Return the columns of an index; of one with expressions there are fewer than keys, so that none matches."""
    columns = [key[1] for key in index.keys if isinstance(key, list) and key[0] == "col"]
    return frozenset(columns if len(columns) == len(index.keys) else ())


def check_alone(value: Bound, what: str) -> None:
    """Refuse an expression that the catalogue cannot keep: one with a query or a parameter in it."""
    for node in walk(value):
        if isinstance(node, (Subquery, QuantifiedQuery)):
            raise error("0A000", f"cannot use subquery in {what}", node.at)
        if isinstance(node, Param):
            raise error("42P02", f"there is no parameter ${node.number}", node.at)
