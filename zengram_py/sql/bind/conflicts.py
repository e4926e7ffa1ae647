"""On conflict: which unique index an insert's target names, and what is to be done.

on conflict (lower(b), a) where active          a unique index on just these, of all rows or of active ones
"""

from __future__ import annotations

from ...engine import IndexDef, TableDef
from .. import tree
from ..bound import Assign, Bound, OnConflict, QuantifiedQuery, Subquery, walk
from ..errors import error
from ..parse import parse_expression
from ..scope import Namespace, Scope, TableName
from .implication import implies
from .operators import Place
from .queries import Queries


class Conflicts(Queries):
    """The part of the binder that binds ``on conflict``."""

    def assignments(
        self, table: TableDef, nodes: tuple[tree.Assignment, ...], scope: Scope, relation: int
    ) -> tuple[Assign, ...]:
        """Bind what follows ``set``."""
        raise NotImplementedError

    def conflict(self, node: tree.Conflict, table: TableDef, scope: Scope, relation: int) -> OnConflict:
        """Bind ``on conflict``; ``scope`` has the names of the table."""
        index = self._conflict_index(node, table, scope)
        if node.assignments is None:
            return OnConflict(index)
        excluded = self.state.new_relation()
        alias = tree.Alias("excluded")
        names = scope.names.beside(self.table_names(table, excluded, alias, node.at), node.at)
        inside = Scope(scope.outer, names, scope.ctes)
        assignments = self.assignments(table, node.assignments, inside, relation)
        where = self.condition(node.where, inside, Place("WHERE"))
        return OnConflict(index, excluded, assignments, where)

    def _conflict_index(self, node: tree.Conflict, table: TableDef, scope: Scope) -> str | None:
        """Return the unique index that a conflict's target names."""
        if node.constraint is not None:
            for i, index in enumerate(table.indexes):
                is_constraint = index.options.get("constraint") or (i == 0 and table.primary_key)
                if index.name == node.constraint and is_constraint:
                    return index.name
            message = f'constraint "{node.constraint}" for table "{table.name[2]}" does not exist'
            raise error("42704", message, node.at)
        if not node.target:
            return None
        place = Place("ON CONFLICT")
        wanted = [self.bind(key, scope, place) for key in node.target]
        where = self.condition(node.target_where, scope, Place("WHERE"))
        for value, what in (*((key, "index expression") for key in wanted), (where, "index predicate")):
            if value is not None and any(isinstance(n, (Subquery, QuantifiedQuery)) for n in walk(value)):
                raise error("0A000", f"cannot use subquery in {what}", value.at)
        fitting = [i for i in table.indexes if i.unique and self._is_meant(i, table, wanted, where, scope)]
        if not fitting:
            message = "there is no unique or exclusion constraint matching the ON CONFLICT specification"
            raise error("42P10", message)
        return min(fitting, key=lambda index: index.where is not None).name

    def _is_meant(
        self, index: IndexDef, table: TableDef, wanted: list[Bound], where: Bound | None, scope: Scope
    ) -> bool:
        """Return whether a unique index has just the keys that a conflict's target names, and all rows that it speaks of."""
        # The text of an expression may name the table, whatever this statement calls it.
        own = TableName(table.name[2], scope.names.columns, table.name)
        columns = Scope(None, Namespace((own,), scope.names.columns))

        def read(text: str) -> Bound:
            return self.bind(parse_expression(text), columns, Place("index expressions"))

        keys = [
            read(key["sql"]) if isinstance(key, dict) else scope.resolve((key[1],), 0) for key in index.keys
        ]
        if not all(key in wanted for key in keys) or not all(key in keys for key in wanted):
            return False
        return index.where is None or (where is not None and implies([where], index.where, read))
