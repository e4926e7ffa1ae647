"""Sources: what stands in ``from``, and the names that it brings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...engine import ColumnDef, ObjectDef, TableDef
from .. import tree
from ..bound import (
    Bound,
    ColumnVar,
    CteSource,
    FirstOf,
    FunctionSource,
    Invocation,
    JoinSource,
    Logic,
    Output,
    QuerySource,
    Source,
    TableSource,
    VirtualSource,
)
from ..errors import error, unsupported
from ..parse import parse_one
from ..scope import Catalogue, Columns, Namespace, Scope, SearchPath, TableName
from ..types import BOOL, INT8, RECORD, SqlType
from .calls import Calls
from .columns import type_of_column
from .operators import Place
from .reading import ColumnNames, fixed_names

_OUTPUT_NAMES = dict.fromkeys(
    ("json_array_elements", "json_array_elements_text", "jsonb_array_elements", "jsonb_array_elements_text"),
    "value",
)
"""Functions whose column has a name of its own, which an alias of the table does not change."""


class Sources(Calls):
    """The part of the binder that binds what is read."""

    def sources(self, items: tuple[tree.FromItem, ...], scope: Scope) -> tuple[Source, ...]:
        """Bind a ``from`` list into a scope: each item's names are known to the lateral ones after it."""
        found = []
        for item in items:
            source, names = self.source(item, scope)
            scope.names = scope.names.beside(names, item.at)
            found.append(source)
        return tuple(found)

    def source(self, item: tree.FromItem, scope: Scope) -> tuple[Source, Namespace]:
        """Bind one item; ``scope`` has the names of those before it."""
        if isinstance(item, tree.TableRef):
            return self._table(item, scope)
        if isinstance(item, tree.QueryRef):
            return self._subquery(item, scope)
        if isinstance(item, tree.FunctionRef):
            return self._functions(item, scope)
        if isinstance(item, tree.Join):
            return self._join(item, scope)
        assert isinstance(item, tree.GraphTable)
        return self._graph(item, scope)

    # Tables.

    def _table(self, item: tree.TableRef, scope: Scope) -> tuple[Source, Namespace]:
        relation = self.state.new_relation()
        if len(item.parts) == 1:
            cte = scope.cte(item.parts[0])
            if cte is not None:
                number, outputs = cte if isinstance(cte, tuple) else (cte.number, cte.outputs)
                if item.as_of is not None:
                    raise unsupported("AS OF for a common table expression", item.at)
                if not outputs:
                    message = f'WITH query "{item.parts[0]}" does not have a RETURNING clause'
                    raise error("0A000", message, item.at)
                names = self.named(relation, outputs, item.alias, item.parts[0], item.at)
                return CteSource(relation, number, outputs), names
        as_of = None
        if item.as_of is not None:
            value = self.bind(item.as_of, Scope(), Place("AS OF"))
            as_of = self.coerce(value, INT8, message="AS OF TIMESTAMP takes microseconds (bigint), not {}")
        virtual = self._virtual(item, relation)
        if virtual is not None:
            return virtual
        found = self.state.catalogue.relation(item.parts, item.at)
        if self.state.reads is not None:
            self.state.reads.note(item.parts, relation, found)
        if isinstance(found, ObjectDef):
            if as_of is not None:
                raise unsupported("AS OF for a view", item.at)
            return self._view(found, item, relation)
        fixed = self.state.catalogue.fixed.get(item.parts)
        if fixed is None:
            names = self.table_names(found, relation, item.alias, item.at)
        else:
            title = (*found.name[: 3 - len(item.parts)], *item.parts)
            names = self.table_names(found, relation, item.alias, item.at, fixed.columns, title)
        return TableSource(relation, found, as_of), names

    def _virtual(self, item: tree.TableRef, relation: int) -> tuple[Source, Namespace] | None:
        """Return a table of the catalogues, if a name means one."""
        if len(item.parts) == 1 and not item.parts[0].startswith("pg_"):
            return None
        from ..catalogs import find

        found = find(item.parts, self.state.catalogue.path.database)
        if found is None:
            return None
        outputs = tuple(Output(name, sql_type) for name, sql_type in found.columns)
        return VirtualSource(relation, found), self.named(
            relation, outputs, item.alias, item.parts[-1], item.at
        )

    def table_names(
        self,
        table: TableDef,
        relation: int,
        alias: tree.Alias | None,
        at: int,
        known: ColumnNames | None = None,
        title: tuple[str, ...] = (),
    ) -> Namespace:
        """Return the names that a table brings; ``known`` are its columns as a view knows them, ``title`` is what this calls it."""
        outputs = tuple(Output(c.name, self.column_type(c)) for c in table.columns)
        places = None
        if known is not None:
            place_of = {c.id: i for i, c in enumerate(table.columns)}
            held = [(name, place_of[number]) for name, number in known if number in place_of]
            outputs = tuple(Output(name, outputs[place].type) for name, place in held)
            places = [place for _, place in held]
        database, schema, name = title or table.name
        names = self.named(relation, outputs, alias, name, at, places)
        if alias is None:
            qualified = replace(names.tables[0], qualified=(database, schema, name))
            return Namespace((qualified,), names.columns)
        return names

    def column_type(self, column: ColumnDef) -> SqlType:
        """Return the SQL type of a table's column."""
        return type_of_column(column.type)

    def _view(self, view: ObjectDef, item: tree.TableRef, relation: int) -> tuple[Source, Namespace]:
        given = view.definition
        before, reads = self.state.catalogue, self.state.reads
        path = SearchPath(view.name[0], tuple(given["path"]))
        self.state.catalogue, self.state.reads = Catalogue(before.view, path, fixed_names(given)), None
        try:
            statement = parse_one(given["query"])
            assert isinstance(statement, tree.Query)
            query = self.query(statement, Scope())
        finally:
            self.state.catalogue, self.state.reads = before, reads
        outputs = tuple(
            Output(name, output.type) for name, output in zip(given["columns"], query.outputs, strict=True)
        )
        title = view.name
        fixed = before.fixed.get(item.parts)
        if fixed is not None:
            outputs = tuple(Output(name, outputs[place].type) for name, place in fixed.columns)
            database, schema, name = (*view.name[: 3 - len(item.parts)], *item.parts)
            title = database, schema, name
        names = self.named(relation, outputs, item.alias, title[2], item.at)
        if item.alias is None:
            names = Namespace((replace(names.tables[0], qualified=title),), names.columns)
        return QuerySource(relation, query), names

    def named(
        self,
        relation: int,
        outputs: tuple[Output, ...],
        alias: tree.Alias | None,
        name: str,
        at: int,
        places: Sequence[int] | None = None,
    ) -> Namespace:
        """Return the names of a relation's columns under its alias; ``places`` are where they are in it, if they are not all."""
        titles = [output.name for output in outputs]
        if alias is not None:
            name = alias.name
            if len(alias.columns) > len(outputs):
                message = f'table "{name}" has {len(outputs)} columns available but {len(alias.columns)} columns specified'
                raise error("42P10", message, alias.at)
            titles[: len(alias.columns)] = alias.columns
        if places is None:
            places = range(len(outputs))
        columns: Columns = tuple(
            (title, ColumnVar(output.type, relation, place, title, at=at))
            for place, title, output in zip(places, titles, outputs, strict=True)
        )
        return Namespace((TableName(name, columns),), columns)

    def _graph(self, item: tree.GraphTable, scope: Scope) -> tuple[Source, Namespace]:
        """Bind a pattern in a graph as the query that it is; it sees what stands before it."""
        from .graph_patterns import Pattern

        relation = self.state.new_relation()
        query = self.query(Pattern(self.state.catalogue, item).query(), Scope(scope))
        names = self.named(relation, query.outputs, item.alias, "graph_table", item.at)
        return QuerySource(relation, query, bool(scope.names.columns)), names

    # Subqueries and functions.

    def _subquery(self, item: tree.QueryRef, scope: Scope) -> tuple[Source, Namespace]:
        relation = self.state.new_relation()
        outer = scope if item.lateral else _without_names(scope)
        query = self.query(item.query, outer)
        names = self.named(relation, query.outputs, item.alias, "", item.at)
        return QuerySource(relation, query, item.lateral), names

    def _functions(self, item: tree.FunctionRef, scope: Scope) -> tuple[Source, Namespace]:
        relation = self.state.new_relation()
        outputs: list[Output] = []
        calls: list[Bound] = []
        place = Place("functions in FROM", rows=True)
        for call in [part for whole in item.calls for part in _each_array(whole)]:
            found = self.bind(call, scope, place)
            columns = self._function_columns(found, call, item)
            if isinstance(found, Invocation) and found.type == RECORD and not found.signature.columns:
                defined = tuple((column.name, column.type) for column in columns)
                found = replace(found, signature=replace(found.signature, columns=defined))
            calls.append(found)
            outputs += columns
        name = item.calls[0].parts[-1]
        renames = len(calls) == 1 and len(outputs) == 1 and name not in _OUTPUT_NAMES
        if renames and item.alias is not None and not item.alias.columns:
            outputs[0] = Output(item.alias.name, outputs[0].type)  # from f() as x has a column x
        if item.ordinality:
            outputs.append(Output("ordinality", INT8))
        whole = tuple(outputs)
        names = self.named(relation, whole, item.alias, name, item.at)
        if len(outputs) == 1 and not (isinstance(calls[0], Invocation) and calls[0].signature.columns):
            names = Namespace((replace(names.tables[0], is_value=True),), names.columns)
        return FunctionSource(relation, tuple(calls), whole, item.ordinality, True), names

    def _function_columns(self, found: Bound, call: tree.Call, item: tree.FunctionRef) -> list[Output]:
        types = item.alias.types if item.alias is not None else ()
        if isinstance(found, Invocation) and found.signature.columns:
            return [Output(name, type_) for name, type_ in found.signature.columns]
        if found.type == RECORD:
            if not types or item.alias is None:
                message = "a column definition list is required for functions returning record"
                raise error("42601", message, call.at)
            return [Output(name, self.type_of(t)) for name, t in zip(item.alias.columns, types, strict=True)]
        if types:
            message = "a column definition list is only allowed for functions returning record"
            raise error("42601", message, call.at)
        return [Output(_OUTPUT_NAMES.get(call.parts[-1], call.parts[-1]), found.type)]

    # Joins.

    def _join(self, item: tree.Join, scope: Scope) -> tuple[Source, Namespace]:
        left, left_names = self.source(item.left, scope)
        between = Scope(scope.outer, scope.names.beside(left_names, item.at), scope.ctes)
        if item.kind in ("right", "full"):  # what has no partner could not be computed from it
            between = scope
        right, right_names = self.source(item.right, between)
        both = left_names.beside(right_names, item.at)
        condition: Bound | None = None
        columns = both.columns
        if item.natural or item.using is not None:
            shared = item.using if item.using is not None else _shared(left_names, right_names)
            condition, columns = self._using(item, shared, left_names, right_names)
        elif item.on is not None:
            inside = Scope(scope.outer, scope.names.beside(both, item.at), scope.ctes)
            condition = self.condition(item.on, inside, Place("JOIN/ON"))
        names = Namespace(both.tables, columns)
        if item.alias is not None:
            names = self._join_alias(item, names)
        return JoinSource(-1, item.kind, left, right, condition), names

    def _using(
        self,
        item: tree.Join,
        shared: tuple[str, ...],
        left: Namespace,
        right: Namespace,
    ) -> tuple[Bound | None, Columns]:
        conditions: list[Bound] = []
        merged: list[tuple[str, Bound]] = []
        for name in shared:
            if sum(n == name for n, _ in merged):
                raise error("42701", f'column name "{name}" appears more than once in USING clause', item.at)
            one = self._side(left, name, "left", item.at)
            other = self._side(right, name, "right", item.at)
            wanted, (first, second) = self.alike([one, other], "JOIN/USING", item.at)
            conditions.append(self.operate("=", [one, other], item.at))
            value: Bound = {
                "right": second,
                "full": FirstOf(wanted, "coalesce", (first, second), at=item.at),
            }.get(item.kind, first)
            merged.append((name, value))
        rest = [c for c in (*left.columns, *right.columns) if c[0] not in shared]
        if not conditions:
            return None, (*merged, *rest)
        both = conditions[0] if len(conditions) == 1 else Logic(BOOL, "and", tuple(conditions), at=item.at)
        return both, (*merged, *rest)

    @staticmethod
    def _side(names: Namespace, name: str, side: str, at: int) -> Bound:
        found = [value for column, value in names.columns if column == name]
        if not found:
            raise error(
                "42703", f'column "{name}" specified in USING clause does not exist in {side} table', at
            )
        if len(found) > 1:
            message = f'common column name "{name}" appears more than once in {side} table'
            raise error("42702", message, at)
        return found[0]

    @staticmethod
    def _join_alias(item: tree.Join, names: Namespace) -> Namespace:
        assert item.alias is not None
        if item.using is not None and not item.is_whole:  # using (…) as x names the joined columns alone
            merged = tuple(names.columns[: len(item.using)])
            extra = TableName(item.alias.name, merged)
            return Namespace(names.tables, names.columns).beside(Namespace((extra,)), item.at)
        titles = [name for name, _ in names.columns]
        if len(item.alias.columns) > len(titles):
            message = f'table "{item.alias.name}" has {len(titles)} columns available but {len(item.alias.columns)} columns specified'
            raise error("42P10", message, item.alias.at)
        titles[: len(item.alias.columns)] = item.alias.columns
        columns = tuple((t, v) for t, (_, v) in zip(titles, names.columns, strict=True))
        return Namespace((TableName(item.alias.name, columns),), columns)


def _each_array(call: tree.Call) -> list[tree.Call]:
    """Return a call of ``unnest`` with several arrays as one for each, since they go side by side."""
    if call.parts[-1] != "unnest" or len(call.arguments) < 2 or call.names or call.variadic:
        return [call]
    return [replace(call, arguments=(array,)) for array in call.arguments]


def _shared(left: Namespace, right: Namespace) -> tuple[str, ...]:
    there = {name for name, _ in right.columns}
    return tuple(dict.fromkeys(name for name, _ in left.columns if name in there))


def _without_names(scope: Scope) -> Scope:
    """Return a scope for a subquery that sees only what is further out, and the common table expressions."""
    return Scope(scope.outer, Namespace(), scope.ctes)
