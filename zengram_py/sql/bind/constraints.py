"""Constraints of a table: keys, checks and foreign keys, as the engine defines them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...engine import CheckDef, ColumnDef, ForeignKey, IndexDef, TableDef
from ...engine.constraints import are_alike
from ...engine.definitions import TEMPORARY_SCHEMA, Name
from .. import tree
from ..bound import Bound, ColumnVar, Invocation, Param, QuantifiedQuery, Subquery, walk
from ..errors import error, unsupported
from ..resolve import resolve
from ..signatures import operators
from .columns import type_of_column
from .object_names import is_taken, object_name
from .operators import Place
from .stored import as_condition

if TYPE_CHECKING:
    from .definitions import Definitions

_ACTIONS = {
    "no action": "no_action",
    "restrict": "restrict",
    "cascade": "cascade",
    "set null": "set_null",
    "set default": "set_default",
}


class TableParts:
    """The constraints of a table as they gather.

    Parameters
    ----------
    definitions : Definitions
        Binds the statement.
    name, columns : Name, sequence of ColumnDef
        The table.
    existing : TableDef, optional
        The table, if it is there already.
    """

    def __init__(
        self,
        definitions: Definitions,
        name: Name,
        columns: Sequence[ColumnDef],
        existing: TableDef | None = None,
    ) -> None:
        self.definitions = definitions
        self.name = name
        self.columns = {c.name: c for c in columns}
        self.scope = definitions.columns_scope(name, columns)
        self.key: list[str] = []
        self.key_name = ""
        self.indexes: list[IndexDef] = []
        self.checks: list[CheckDef] = []
        self.foreign_keys: list[ForeignKey] = []
        self.existing = existing
        self._pending: list[tree.Constraint] = []
        self._names: set[str] = set()
        self._index_names: set[str] = set()
        if existing is not None:
            self.key = list(existing.primary_key)
            self._names = {c.name for c in existing.checks} | {k.name for k in existing.foreign_keys}
            self._index_names = {i.name for i in existing.indexes}

    def take(self, key: Sequence[str], indexes: Sequence[IndexDef], checks: Sequence[CheckDef]) -> None:
        """Take constraints and indexes of another table."""
        if key:
            self.key = list(key)
        self.indexes += indexes
        self._index_names |= {index.name for index in indexes}
        self.checks += checks
        self._names |= {check.name for check in checks}

    def add(self, constraint: tree.Constraint, column: str) -> None:
        """Add a constraint; those that are properties of a column are no parts of the table."""
        kind = constraint.kind
        if kind in ("primary key", "unique", "foreign key"):
            self._check_columns(constraint)
        if kind == "primary key":
            self._primary_key(constraint)
        elif kind == "unique":
            self.indexes.append(self._unique(constraint))
        elif kind == "check":
            self.checks.append(self._check(constraint))
        elif kind == "foreign key":
            self._pending.append(constraint)

    def finish(self) -> None:
        """Add the foreign keys, which may refer to keys of the table itself, and name what has no name yet."""
        self.foreign_keys += [self._foreign_key(constraint) for constraint in self._pending]
        self._pending.clear()
        if self.existing is None and self.key and not self.key_name:
            name = object_name(self.name[2], [], "pkey", self._is_taken)
            self.key_name = "" if name == f"{self.name[2]}_pkey" else name

    def _check_columns(self, constraint: tree.Constraint) -> None:
        seen: set[str] = set()
        for name in constraint.columns:
            if name not in self.columns:
                message = f'column "{name}" named in key does not exist'
                if constraint.kind == "foreign key":
                    message = f'column "{name}" referenced in foreign key constraint does not exist'
                raise error("42703", message, constraint.at)
            if name in seen and constraint.kind != "foreign key":
                message = f'column "{name}" appears twice in {constraint.kind} constraint'
                raise error("42701", message, constraint.at)
            seen.add(name)

    def _is_taken(self, name: str) -> bool:
        """Return whether an index cannot have a name."""
        if name in self._index_names or name == self.name[2]:
            return True
        return is_taken(self.definitions.catalogue, (*self.name[:2], name))

    def _index_name(self, constraint: tree.Constraint, label: str) -> str:
        if constraint.name is None:
            columns = [] if label == "pkey" else constraint.columns
            name = object_name(self.name[2], columns, label, self._is_taken)
        elif constraint.name in self._names:
            raise self._taken_constraint(constraint)
        elif self._is_taken(constraint.name):
            raise error("42P07", f'relation "{constraint.name}" already exists', constraint.at)
        else:
            name = constraint.name
        self._index_names.add(name)
        return name

    def _constraint_name(self, constraint: tree.Constraint, columns: Sequence[str], label: str) -> str:
        known = self._names | self._index_names
        if constraint.name is None:
            name = object_name(self.name[2], columns, label, lambda n: n in known)
        elif constraint.name in known:
            raise self._taken_constraint(constraint)
        else:
            name = constraint.name
        self._names.add(name)
        return name

    def _taken_constraint(self, constraint: tree.Constraint) -> Exception:
        message = f'constraint "{constraint.name}" for relation "{self.name[2]}" already exists'
        return error("42710", message, constraint.at)

    # Keys.

    def _primary_key(self, constraint: tree.Constraint) -> None:
        if self.key:
            message = f'multiple primary keys for table "{self.name[2]}" are not allowed'
            raise error("42P16", message, constraint.at)
        if constraint.deferrable:
            raise unsupported("a deferrable primary key", constraint.at)
        self.key = list(constraint.columns)
        self._refuse_keys_that_are_none(constraint)
        if constraint.name is not None or self.existing is not None:
            self.key_name = self._index_name(constraint, "pkey")

    def _unique(self, constraint: tree.Constraint) -> IndexDef:
        if constraint.deferrable:
            raise unsupported("a deferrable unique constraint", constraint.at)
        self._refuse_keys_that_are_none(constraint)
        keys = tuple(["col", c] for c in constraint.columns)
        return IndexDef(
            self._index_name(constraint, "key"),
            "hash",
            keys,
            unique=True,
            options={"constraint": True},
            nulls_distinct=constraint.nulls_distinct,
        )

    def _refuse_keys_that_are_none(self, constraint: tree.Constraint) -> None:
        for name in constraint.columns:
            found = type_of_column(self.columns[name].type)
            if found.name == "vector":
                hint = "You must specify an operator class for the index or define a default operator class for the data type."
                message = f'data type {found.title} has no default operator class for access method "btree"'
                raise error("42704", message, constraint.at, hint=hint)

    # Checks.

    def _check(self, constraint: tree.Constraint) -> CheckDef:
        """Return a check as the catalogue keeps it; one of a single column has its name."""
        binder = self.definitions.binder
        assert constraint.expression is not None
        value = binder.bind(constraint.expression, self.scope, Place("check constraints"))
        bound = binder.boolean(value, "CHECK")
        check_alone(bound, "check constraint")
        read = {node.name for node in walk(bound) if isinstance(node, ColumnVar)}
        name = self._constraint_name(constraint, sorted(read) if len(read) == 1 else (), "check")
        return CheckDef(name, as_condition(bound, constraint.text))

    # Foreign keys.

    def _foreign_key(self, constraint: tree.Constraint) -> ForeignKey:
        """Return a foreign key by names."""
        reference = constraint.reference
        assert reference is not None
        name = self._constraint_name(constraint, constraint.columns, "fkey")
        target, columns, key, unique = self._referenced(reference)
        wanted = reference.columns or key
        if not wanted:
            message = f'there is no primary key for referenced table "{target[2]}"'
            raise error("42704", message, reference.at)
        if len(wanted) != len(constraint.columns):
            message = "number of referencing and referenced columns for foreign key disagree"
            raise error("42830", message, constraint.at)
        for column in wanted:
            if column not in columns:
                message = f'column "{column}" referenced in foreign key constraint does not exist'
                raise error("42703", message, reference.at)
        order = next((found for found in unique if frozenset(found) == frozenset(wanted)), None)
        if order is None:
            message = f'there is no unique constraint matching given keys for referenced table "{target[2]}"'
            raise error("42830", message, constraint.at)
        pairs = dict(zip(wanted, constraint.columns, strict=True))
        for other, one in pairs.items():
            self._check_pair(constraint, name, self.columns[one], columns[other])
        self._check_actions(constraint, reference)
        # The engine looks keys up by an index, which has the columns in its own order.
        return ForeignKey(
            [pairs[column] for column in order],
            target,
            list(order),
            name,
            _ACTIONS[reference.on_delete],
            _ACTIONS[reference.on_update],
            constraint.deferred,
        )

    def _referenced(
        self, reference: tree.Reference
    ) -> tuple[Name, dict[str, ColumnDef], tuple[str, ...], list[tuple[str, ...]]]:
        """Return name, columns, primary key and unique keys of a referenced table, which may be the table itself."""
        catalogue = self.definitions.catalogue
        own = catalogue.path.new_name(reference.table, temporary=self.name[1] == TEMPORARY_SCHEMA)
        if own == self.name and self.existing is None:
            unique = [tuple(self.key), *(_columns_of(index) for index in self.indexes)]
            return self.name, self.columns, tuple(self.key), unique
        table = catalogue.table(reference.table, reference.at)
        if (table.name[1] == TEMPORARY_SCHEMA) != (self.name[1] == TEMPORARY_SCHEMA):
            kind = "temporary" if self.name[1] == TEMPORARY_SCHEMA else "permanent"
            message = f"constraints on {kind} tables may reference only {kind} tables"
            raise error("42P16", message, reference.at)
        unique = [_columns_of(index) for index in table.indexes]
        columns = table.by_name
        if table.name == self.name:
            unique += [tuple(self.key), *(_columns_of(index) for index in self.indexes)]
            return table.name, self.columns, tuple(self.key), unique
        return table.name, columns, table.primary_key, unique

    def _check_pair(self, constraint: tree.Constraint, name: str, one: ColumnDef, other: ColumnDef) -> None:
        types = type_of_column(one.type), type_of_column(other.type)
        if not resolve(operators()["="], types, operator=True):
            detail = f'Key columns "{one.name}" and "{other.name}" are of incompatible types: {types[0].title} and {types[1].title}.'
            message = f'foreign key constraint "{name}" cannot be implemented'
            raise error("42804", message, constraint.at, detail=detail)
        if not are_alike(one.type, other.type):
            what = f"a foreign key from {types[0].declaration} to {types[1].declaration}"
            raise unsupported(what, constraint.at)

    def _check_actions(self, constraint: tree.Constraint, reference: tree.Reference) -> None:
        if not any(self.columns[name].generated is not None for name in constraint.columns):
            return
        for event, action in (("UPDATE", reference.on_update), ("DELETE", reference.on_delete)):
            changes = (
                ("cascade", "set null", "set default") if event == "UPDATE" else ("set null", "set default")
            )
            if action in changes:
                message = f"invalid ON {event} action for foreign key constraint containing generated column"
                raise error("42601", message, constraint.at)


def _columns_of(index: IndexDef) -> tuple[str, ...]:
    """Return the columns of a unique index of all rows; of any other none, so that nothing matches."""
    columns = [key[1] for key in index.keys if isinstance(key, list) and key[0] == "col"]
    fits = index.unique and index.where is None and len(columns) == len(index.keys)
    return tuple(columns) if fits else ()


def check_alone(value: Bound, what: str) -> None:
    """Refuse an expression that the catalogue cannot keep: one with a query or a parameter in it."""
    for node in walk(value):
        if isinstance(node, (Subquery, QuantifiedQuery)):
            raise error("0A000", f"cannot use subquery in {what}", node.at)
        if isinstance(node, Param):
            raise error("42P02", f"there is no parameter ${node.number}", node.at)
        if isinstance(node, Invocation) and "routine" in node.signature.kind and what != "DEFAULT expression":
            # the engine computes these also where no statement runs, as when a log is replayed
            raise unsupported(f"a function of the user in a {what}", node.at)
