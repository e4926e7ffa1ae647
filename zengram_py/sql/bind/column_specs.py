"""Columns as ``create table`` and ``add column`` declare them, with their defaults, identities and what they are generated from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...engine import ColumnDef
from ...engine.definitions import Name
from ...errors import SqlError
from .. import nodes, tree
from ..bound import Bound, ColumnVar, Invocation, RowOf, walk
from ..casts import ASSIGNMENT
from ..errors import error
from ..scope import Scope
from ..types import SERIALS, SqlType
from .collations import check_collation
from .columns import column_of_type
from .constraints import check_alone
from .definitions import Definitions
from .operators import Place
from .sequence_settings import sequence_settings
from .stored import as_default, stored_text
from .volatility import is_immutable

_WHOLE = ("int2", "int4", "int8")
_SAID = {"default": "default", "identity": "identity", "generated": "generation expression"}


@nodes.node(frozen=True, slots=True)
class Declared:
    """A column, and what the engine is told of the sequence that it draws from."""

    column: ColumnDef
    sequence: dict[str, Any] | None = None


class ColumnSpecs(Definitions):
    """The part of the binder of definitions that knows columns."""

    def type_of(self, name: tree.TypeName) -> SqlType:
        """Return the type of a column; serials are what they hold."""
        if _is_serial(name):
            return SERIALS[name.parts[0]]
        return self.binder.type_of(name)

    def declared(self, spec: tree.ColumnSpec, table: Name) -> Declared:
        """Return a column as the engine defines it, without the constraints that are the table's.

        What it is generated from is found by :meth:`with_generated`, when all columns are known.
        """
        sql_type = self.type_of(spec.type)
        if spec.collation is not None:
            check_collation(spec.collation, sql_type, spec.at)
        column = ColumnDef(spec.name, column_of_type(sql_type, spec.type.at))
        said = None
        sequence: dict[str, Any] | None = None
        nulls: bool | None = None
        if _is_serial(spec.type):
            said, column = "default", replace(column, nullable=False, identity="serial")
        for constraint in spec.constraints:
            kind = constraint.kind
            if kind in ("not null", "null"):
                if nulls is not None and nulls != (kind == "null"):
                    what = f'conflicting NULL/NOT NULL declarations for column "{spec.name}" of table "{table[2]}"'
                    raise error("42601", what, constraint.at)
                nulls = kind == "null"
                if not nulls:
                    column = replace(column, nullable=False)
            elif kind in _SAID:
                self._refuse_both(said, kind, spec.name, table, constraint.at)
                said = kind
                if kind == "default":
                    default = self.default(constraint.expression, constraint.text, sql_type, spec.name)
                    column = replace(column, default=default)
                elif kind == "identity":
                    sequence = self.identity_settings(sql_type, constraint.options, table, constraint.at)
                    identity = "always" if constraint.identity == "always" else "default"
                    column = replace(column, nullable=False, identity=identity)
        if nulls and (said == "identity" or column.identity is not None):
            what = f'conflicting NULL/NOT NULL declarations for column "{spec.name}" of table "{table[2]}"'
            raise error("42601", what, spec.at)
        return Declared(column, sequence)

    @staticmethod
    def _refuse_both(one: str | None, other: str, column: str, table: Name, at: int) -> None:
        if one is None:
            return
        where = f'for column "{column}" of table "{table[2]}"'
        if one == other:
            what = {
                "default": "multiple default values specified",
                "identity": "multiple identity specifications",
                "generated": "multiple generation clauses specified",
            }[one]
        else:
            first, second = sorted((one, other), key=("default", "identity", "generated").index)
            what = f"both {_SAID[first]} and {_SAID[second]} specified"
        raise error("42601", f"{what} {where}", at)

    def identity_settings(
        self, sql_type: SqlType, options: tree.SequenceOptions | None, table: Name, at: int
    ) -> dict[str, Any]:
        """Return the settings of an identity column's sequence."""
        if sql_type.name not in _WHOLE:
            raise error("22023", "identity column type must be smallint, integer, or bigint", at)
        options = options or tree.SequenceOptions(at=at)
        if options.type is not None or options.restarts or options.owned_by is not None:
            raise error("42601", "conflicting or redundant options", options.at)
        found = sequence_settings(options, sql_type.name)
        if options.name is not None:
            found["name"] = self.new_name((*table[:2], options.name[-1]), False, at)
        return found

    def default(self, node: tree.Expression | None, text: str, sql_type: SqlType, column: str) -> Any:
        """Return a default as the catalogue keeps it."""
        assert node is not None
        try:
            value = self.binder.bind(node, Scope(), Place("DEFAULT expressions"))
        except SqlError as failure:
            if failure.sqlstate != "42703" and not isinstance(node, tree.ColumnRef):
                raise
            at = None if failure.position is None else failure.position - 1
            raise error("0A000", "cannot use column reference in DEFAULT expression", at) from None
        message = f'column "{column}" is of type {sql_type.title} but default expression is of type {{}}'
        try:
            bound = self.binder.coerce(value, sql_type, ASSIGNMENT, message=message)
        except SqlError as failure:
            if failure.sqlstate not in ("22001", "22003") or not sql_type.modifier:
                raise
            return stored_text(text)  # it is too long for the column: whoever inserts it will hear of that
        check_alone(bound, "DEFAULT expression")
        return as_default(bound, text, self.catalogue)

    # What a column is generated from.

    def with_generated(
        self, table: Name, columns: Sequence[ColumnDef], specs: Sequence[tree.ColumnSpec]
    ) -> list[ColumnDef]:
        """Return columns with what they are generated from."""
        found = list(columns)
        asked = {
            spec.name: constraint
            for spec in specs
            for constraint in spec.constraints
            if constraint.kind == "generated"
        }
        for i, column in enumerate(found):
            constraint = asked.get(column.name)
            if constraint is not None:
                assert constraint.expression is not None
                taken = {*asked, *(c.name for c in columns if c.generated is not None)}
                made = self.generated(table, columns, column, constraint.expression, constraint.text, taken)
                found[i] = replace(column, generated=made)
        return found

    def generated(
        self,
        table: Name,
        columns: Sequence[ColumnDef],
        column: ColumnDef,
        node: tree.Expression,
        text: str,
        generated: set[str],
    ) -> Any:
        """Return what computes a column from others, as the catalogue keeps it; ``generated`` are those that are computed too."""
        scope = self.columns_scope(table, columns)
        value = self.binder.bind(node, scope, Place("column generation expressions"))
        check_alone(value, "column generation expression")
        self._check_generation(value, generated, scope)
        sql_type = self.type_of_column(column)
        message = f'column "{column.name}" is of type {sql_type.title} but default expression is of type {{}}'
        bound = self.binder.coerce(value, sql_type, ASSIGNMENT, message=message)
        if not is_immutable(bound):
            raise error("42P17", "generation expression is not immutable", value.at)
        return stored_text(text)

    def type_of_column(self, column: ColumnDef) -> SqlType:
        """Return the SQL type of a column."""
        return self.binder.column_type(column)

    @staticmethod
    def _check_generation(value: Bound, generated: set[str], scope: Scope) -> None:
        whole = len(scope.names.columns)
        for node in walk(value):
            if isinstance(node, RowOf) and whole > 0 and len(node.items) == whole and node.names:
                detail = "This would cause the generated column to depend on its own value."
                what = "cannot use whole-row variable in column generation expression"
                raise error("42P17", what, node.at, detail=detail)
        for node in walk(value):
            if isinstance(node, ColumnVar) and node.name in generated:
                detail = "A generated column cannot reference another generated column."
                what = f'cannot use generated column "{node.name}" in column generation expression'
                raise error("42P17", what, node.at, detail=detail)
            if isinstance(node, Invocation) and node.signature.gives_rows:
                what = "set-returning functions are not allowed in column generation expressions"
                raise error("0A000", what, node.at)


def _is_serial(name: tree.TypeName) -> bool:
    return len(name.parts) == 1 and name.parts[0] in SERIALS and not name.dimensions
