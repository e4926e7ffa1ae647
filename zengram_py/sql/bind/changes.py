"""Changes of rows: ``insert``, ``update``, ``delete`` and ``merge``, with ``returning``."""

from __future__ import annotations

from dataclasses import replace

from ...engine import ColumnDef, TableDef
from ...errors import SqlError
from .. import tree
from ..bound import (
    Assign,
    Bound,
    BoundDelete,
    BoundInsert,
    BoundMerge,
    BoundQuery,
    BoundStatement,
    BoundUpdate,
    BoundValues,
    ColumnVar,
    MergeBranchOf,
    Output,
    Replaced,
    RowStates,
    Source,
)
from ..casts import ASSIGNMENT, converts
from ..errors import error
from ..scope import Namespace, Scope
from ..types import SqlType
from .conflicts import Conflicts
from .operators import Place
from .queries import place_of

_DEFAULT = tree.Default


class Binder(Conflicts):
    """Binds statements that read or change rows; one for each statement."""

    def statement(
        self, node: tree.Query | tree.Insert | tree.Update | tree.Delete | tree.Merge
    ) -> BoundStatement:
        """Bind a whole statement."""
        self.state.top = node.with_
        if isinstance(node, tree.Query):
            return self.query(node, Scope())
        return self.change(node, Scope())

    def change(
        self, node: tree.Insert | tree.Update | tree.Delete | tree.Merge, scope: Scope
    ) -> BoundStatement:
        """Bind a change of rows."""
        inner = Scope(scope)
        ctes = self.ctes(node.with_, inner)
        if isinstance(node, tree.Insert):
            return replace(self._insert(node, inner), ctes=ctes)
        if isinstance(node, tree.Update):
            return replace(self._update(node, inner), ctes=ctes)
        if isinstance(node, tree.Delete):
            return replace(self._delete(node, inner), ctes=ctes)
        return replace(self._merge(node, inner), ctes=ctes)

    # Parts.

    def _target(self, node: tree.TableRef) -> tuple[TableDef, int, Namespace]:
        table = self.state.catalogue.table(node.parts, node.at)
        relation = self.state.new_relation()
        return table, relation, self.table_names(table, relation, node.alias, node.at)

    @staticmethod
    def _place_of(table: TableDef, column: str, at: int) -> int:
        for i, found in enumerate(table.columns):
            if found.name == column:
                return i
        raise error("42703", f'column "{column}" of relation "{table.name[2]}" does not exist', at)

    def _returning(
        self,
        node: tree.Insert | tree.Update | tree.Delete | tree.Merge,
        scope: Scope,
        table: TableDef,
        relation: int,
    ) -> tuple[tuple[Bound, ...], tuple[Output, ...], RowStates]:
        """Bind ``returning``: its values, its output, and which relations stand for rows before and after the change."""
        if not node.returning:
            return (), (), RowStates()
        is_merge = isinstance(node, tree.Merge)
        old = relation if isinstance(node, tree.Delete) else self.state.new_relation()
        new = relation if not is_merge and old != relation else self.state.new_relation()
        states = RowStates(old, new, self.state.new_relation() if is_merge else -1)
        taken = {name.name for name in scope.names.tables}
        tables = [
            self.table_names(table, number, tree.Alias(name), node.at).tables[0]
            for name, number in zip(node.row_names, (old, new), strict=True)
            if name not in taken
        ]
        names = Namespace((*scope.names.tables, *tables), scope.names.columns)
        before, self.state.merge_action = self.state.merge_action, states.action
        try:
            values, titles = self.targets(
                node.returning, Scope(scope.outer, names, scope.ctes), Place("RETURNING")
            )
        finally:
            self.state.merge_action = before
        settled = tuple(self.settled(v) for v in values)
        outputs = tuple(Output(n, v.type) for n, v in zip(titles, settled, strict=True))
        return settled, outputs, states

    def _assign(self, table: TableDef, column: str, value: Bound, at: int) -> Assign:
        place = self._place_of(table, column, at)
        definition = table.columns[place]
        why = _why_generated(definition)
        if why:
            message = f'column "{column}" can only be updated to DEFAULT'
            raise error("428C9", message, at, detail=why)
        return Assign(place, self.assigned(value, self.column_type(definition), column))

    def _part(
        self, table: TableDef, node: tree.Assignment, scope: Scope, relation: int, earlier: list[Assign]
    ) -> Assign:
        """Return the assignment of a part of a column; it takes the place of one of another part."""
        at = self._place_of(table, node.columns[0], node.at)
        if isinstance(node.value, _DEFAULT):
            raise error("0A000", "cannot set an array element to DEFAULT", node.at)
        column = ColumnVar(self.column_type(table.columns[at]), relation, at, node.columns[0], at=node.at)
        return Assign(at, self.with_part(node, column, _taken_out(earlier, at), scope, Place("UPDATE")))

    def assignments(
        self, table: TableDef, nodes: tuple[tree.Assignment, ...], scope: Scope, relation: int
    ) -> tuple[Assign, ...]:
        """Bind what follows ``set``."""
        found: list[Assign] = []
        place = Place("UPDATE")
        for node in nodes:
            if node.part is not None:
                found.append(self._part(table, node, scope, relation, found))
            elif len(node.columns) == 1 and not node.is_row:
                column = node.columns[0]
                if isinstance(node.value, _DEFAULT):
                    found.append(Assign(self._place_of(table, column, node.at), None))
                else:
                    at = self._place_of(table, column, node.at)
                    value = self.bind(node.value, scope, place)
                    found.append(self._assign(table, table.columns[at].name, value, node.at))
            else:
                found += self._several(table, node, scope, place)
        seen: set[int] = set()
        for assign in found:
            if assign.column in seen:
                name = table.columns[assign.column].name
                raise error("42601", f'multiple assignments to same column "{name}"', nodes[0].at)
            seen.add(assign.column)
        return tuple(found)

    def _several(self, table: TableDef, node: tree.Assignment, scope: Scope, place: Place) -> list[Assign]:
        """Return assignments of a row to several columns."""
        if isinstance(node.value, tree.ScalarQuery):
            return self._of_query(table, node, node.value.query, scope)
        items = node.value.items if isinstance(node.value, tree.Row) else None
        if items is None:
            message = "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression"
            raise error("0A000", message, node.value.at)
        if len(items) != len(node.columns):
            raise error("42601", "number of columns does not match number of values", node.at)
        found = []
        for column, item in zip(node.columns, items, strict=True):
            if isinstance(item, _DEFAULT):
                found.append(Assign(self._place_of(table, column, node.at), None))
            else:
                found.append(self._assign(table, column, self.bind(item, scope, place), node.at))
        return found

    def _of_query(
        self, table: TableDef, node: tree.Assignment, query: tree.Query, scope: Scope
    ) -> list[Assign]:
        """Return assignments of the one row of a query to several columns; without a row they are null."""
        bound = self.query(query, scope)
        if len(bound.outputs) != len(node.columns):
            raise error("42601", "number of columns does not match number of values", node.at)
        values = self.columns_of_query(bound, node.value.at)
        return [
            self._assign(table, column, value, node.at)
            for column, value in zip(node.columns, values, strict=True)
        ]

    # Insert.

    def _insert(self, node: tree.Insert, scope: Scope) -> BoundInsert:
        table, relation, names = self._target(node.table)
        columns = [self._place_of(table, name, node.table.at) for name in node.columns]
        for i, name in enumerate(node.columns):
            if name in node.columns[:i]:
                raise error("42701", f'column "{name}" specified more than once', node.table.at)
        source: BoundQuery | None = None
        defaults: frozenset[tuple[int, int]] = frozenset()
        if node.source is not None:
            columns = columns or list(range(len(table.columns)))
            query, defaults = _without_defaults(node.source)
            plain = not (query.order_by or query.limit or query.offset)
            bound = self.query(query, scope, keep_unknown=True, apart=plain)
            columns, source = self._fitted(node, table, columns, bound, defaults)
        self._check_identity(node, table, columns, source, defaults)
        inside = Scope(scope, names)
        conflict = None
        if node.conflict is not None:
            conflict = self.conflict(node.conflict, table, inside, relation)
        returning, outputs, states = self._returning(node, inside, table, relation)
        return BoundInsert(
            relation,
            table,
            tuple(columns) if source is not None else (),
            source,
            defaults,
            node.overriding,
            conflict,
            returning,
            outputs,
            states=states,
        )

    def _fitted(
        self,
        node: tree.Insert,
        table: TableDef,
        columns: list[int],
        bound: BoundQuery,
        defaults: frozenset[tuple[int, int]],
    ) -> tuple[list[int], BoundQuery]:
        """Return the columns that are given, and the source with values of their types."""
        count = len(bound.outputs)
        if count > len(columns):
            at = place_of(bound, len(columns))
            raise error("42601", "INSERT has more expressions than target columns", at)
        if count < len(columns):
            if node.columns:
                raise error("42601", "INSERT has more target columns than expressions", node.table.at)
            columns = columns[:count]
        definitions = [table.columns[c] for c in columns]
        types = [self.column_type(d) for d in definitions]
        if isinstance(bound.body, BoundValues):
            rows = tuple(
                tuple(
                    value if (r, c) in defaults else self.assigned(value, types[c], definitions[c].name)
                    for c, value in enumerate(row)
                )
                for r, row in enumerate(bound.body.rows)
            )
            outputs = tuple(Output(d.name, t) for d, t in zip(definitions, types, strict=True))
            return columns, replace(bound, body=BoundValues(rows), outputs=outputs)
        for i, output in enumerate(bound.outputs):
            self._check_assignable(output, definitions[i].name, types[i], place_of(bound, i))
        return columns, self.recast(bound, types, ASSIGNMENT)

    @staticmethod
    def _check_assignable(output: Output, column: str, wanted: SqlType, at: int | None) -> None:
        if not converts(output.type, wanted, ASSIGNMENT):
            shown = output.type.title
            message = f'column "{column}" is of type {wanted.title} but expression is of type {shown}'
            raise error("42804", message, at)

    def _check_identity(
        self,
        node: tree.Insert,
        table: TableDef,
        columns: list[int],
        source: BoundQuery | None,
        defaults: frozenset[tuple[int, int]],
    ) -> None:
        if source is None:
            return
        rows = len(source.body.rows) if isinstance(source.body, BoundValues) else 0
        for place, column in enumerate(columns):
            definition = table.columns[column]
            left_out = rows > 0 and all((row, place) in defaults for row in range(rows))
            is_set = definition.generated is not None or (
                definition.identity == "always" and node.overriding is None
            )
            if is_set and not left_out:
                raise _generated_always(definition)

    # Update and delete.

    def _with_sources(
        self, names: Namespace, items: tuple[tree.FromItem, ...], scope: Scope
    ) -> tuple[Scope, tuple[Source, ...]]:
        """Return the scope of a table together with further sources, which do not see the table."""
        beside = Scope(scope)
        sources = self.sources(items, beside)
        at = items[0].at if items else 0
        return Scope(scope, names.beside(beside.names, at)), sources

    def _update(self, node: tree.Update, scope: Scope) -> BoundUpdate:
        table, relation, names = self._target(node.table)
        inside, sources = self._with_sources(names, node.sources, scope)
        assignments = self.assignments(table, node.assignments, inside, relation)
        where = self.condition(node.where, inside, Place("WHERE"))
        returning, outputs, states = self._returning(node, inside, table, relation)
        return BoundUpdate(relation, table, assignments, sources, where, returning, outputs, states=states)

    def _delete(self, node: tree.Delete, scope: Scope) -> BoundDelete:
        table, relation, names = self._target(node.table)
        inside, sources = self._with_sources(names, node.sources, scope)
        where = self.condition(node.where, inside, Place("WHERE"))
        returning, outputs, states = self._returning(node, inside, table, relation)
        return BoundDelete(relation, table, sources, where, returning, outputs, states=states)

    # Merge.

    def _merge(self, node: tree.Merge, scope: Scope) -> BoundMerge:
        table, relation, names = self._target(node.table)
        beside = Scope(scope)
        (source,) = self.sources((node.source,), beside)
        both = Scope(scope, beside.names.beside(names, node.table.at))
        on = self.condition(node.on, both, Place("JOIN/ON"))
        assert on is not None
        seen: dict[str, bool] = {}
        whens = []
        for when in node.whens:
            if seen.get(when.match):
                message = "unreachable WHEN clause specified after unconditional WHEN clause"
                raise error("42601", message, when.at)
            seen[when.match] = when.condition is None
            visible = {"matched": both, "source": Scope(scope, names), "target": beside}[when.match]
            whens.append(self._when(when, table, visible, relation))
        returning, outputs, states = self._returning(node, both, table, relation)
        return BoundMerge(relation, table, source, on, tuple(whens), returning, outputs, states=states)

    def _when(self, when: tree.MergeWhen, table: TableDef, scope: Scope, relation: int) -> MergeBranchOf:
        condition = self.condition(when.condition, scope, Place("MERGE WHEN"))
        if when.action == "update":
            assignments = self.assignments(table, when.assignments, scope, relation)
        elif when.action == "insert" and when.values is not None:
            assignments = self._merge_values(when, table, scope)
        else:
            assignments = ()
        return MergeBranchOf(when.match, condition, when.action, assignments)

    def _merge_values(self, when: tree.MergeWhen, table: TableDef, scope: Scope) -> tuple[Assign, ...]:
        assert when.values is not None
        columns = when.columns or tuple(c.name for c in table.columns[: len(when.values)])
        if len(when.values) > len(columns):
            raise error("42601", "INSERT has more expressions than target columns", when.at)
        if len(when.values) < len(columns):
            raise error("42601", "INSERT has more target columns than expressions", when.at)
        found = []
        for column, value in zip(columns, when.values, strict=True):
            place = self._place_of(table, column, when.at)
            if isinstance(value, _DEFAULT):
                found.append(Assign(place, None))
                continue
            if table.columns[place].identity is not None and when.overriding == "user":
                found.append(Assign(place, None))
                continue
            definition = table.columns[place]
            if definition.generated is not None or (
                definition.identity == "always" and when.overriding is None
            ):
                raise _generated_always(definition)
            bound = self.bind(value, scope, Place("MERGE INSERT"))
            wanted = self.column_type(table.columns[place])
            found.append(Assign(place, self.assigned(bound, wanted, column)))
        return tuple(found)


def _why_generated(column: ColumnDef) -> str:
    """Return why a statement cannot set a column; nothing if it can."""
    if column.generated is not None:
        return f'Column "{column.name}" is a generated column.'
    if column.identity == "always":
        return f'Column "{column.name}" is an identity column defined as GENERATED ALWAYS.'
    return ""


def _generated_always(column: ColumnDef) -> SqlError:
    message = f'cannot insert a non-DEFAULT value into column "{column.name}"'
    hint = "" if column.generated is not None else "Use OVERRIDING SYSTEM VALUE to override."
    return error("428C9", message, detail=_why_generated(column), hint=hint)


def _without_defaults(query: tree.Query) -> tuple[tree.Query, frozenset[tuple[int, int]]]:
    """Return a source in which nulls stand where ``default`` stood, and these places."""
    body = query.body
    if not isinstance(body, tree.Values):
        return query, frozenset()
    places = frozenset(
        (r, c)
        for r, row in enumerate(body.rows)
        for c, value in enumerate(row)
        if isinstance(value, _DEFAULT)
    )
    if not places:
        return query, places
    rows = tuple(
        tuple(tree.Literal("null", at=value.at) if (r, c) in places else value for c, value in enumerate(row))
        for r, row in enumerate(body.rows)
    )
    return replace(query, body=replace(body, rows=rows)), places


def _taken_out(earlier: list[Assign], column: int) -> Bound | None:
    """Return the value of an assignment of other parts of a column, which leaves the list."""
    for assign in earlier:
        if assign.column == column and isinstance(assign.value, Replaced):
            earlier.remove(assign)
            return assign.value
    return None
