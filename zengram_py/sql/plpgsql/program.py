"""Programs: a block of code with every name resolved, as steps.

A program is made once for each function (of a trigger once for each table) and runs many times. Its SQL is bound when it first runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .. import tree as sql
from ..bind.coercion import Coercions, State
from ..bind.columns import type_of_column
from ..errors import error
from ..execute.ordering import Record
from ..lexer import tokenize
from ..ready import Result
from ..scope import Catalogue
from ..tree.mapping import mapped
from ..types import BOOL, STRING, SqlType
from . import tree
from .fragments import Sql, Value
from .grammar import parse_block
from .names import Names, Places, Row, Structure, Variable
from .raising import RaiseAgain, Raising, check_condition, state_of
from .run import Frame
from .steps import (
    Assert,
    Assign,
    Block,
    Diagnose,
    Execute,
    If,
    Initial,
    Into,
    Return,
    ReturnNext,
    ReturnQuery,
    RunSql,
    Step,
    Target,
    dynamic,
)


@dataclass(frozen=True)
class Kind:
    """What a program is for.

    Attributes
    ----------
    name : str
        Of the function, by which its arguments can be named too; empty for ``do``.
    arguments : tuple of (str or None, SqlType)
        What it takes.
    result : SqlType or None
        What it gives; None for nothing.
    columns : tuple of (str, SqlType)
        Of the rows that it gives; empty for values.
    gives_rows : bool
        Whether it gives any number.
    trigger : Structure or None
        The columns of the table whose trigger it is.
    """

    name: str = ""
    arguments: tuple[tuple[str | None, SqlType], ...] = ()
    result: SqlType | None = None
    columns: tuple[tuple[str, SqlType], ...] = ()
    gives_rows: bool = False
    trigger: Structure | None = None


TRIGGER_VARIABLES = (
    "tg_op",
    "tg_name",
    "tg_table_name",
    "tg_table_schema",
    "tg_relname",
    "tg_when",
    "tg_level",
)


class Program:
    """A block of code, ready to run.

    Attributes
    ----------
    places : Places
        Where the values are.
    body : Step
        What it does.
    names : dict
        The variables that it begins with.
    """

    def __init__(self, text: str, kind: Kind, catalogue: Catalogue) -> None:
        self.kind = kind
        self.places = Places()
        self.coercions = Coercions(State(catalogue))
        self.catalogue = catalogue
        self._check_parameters(text)
        names: Names = {}
        for i, (name, sql_type) in enumerate(kind.arguments):
            variable = self.places.variable(name or f"${i + 1}", sql_type)
            names[f"${i + 1}"] = variable
            if name is not None:
                names[name] = variable
        if kind.gives_rows and kind.columns and kind.result is None:
            for name, sql_type in kind.columns:  # of returns table (…): what return next gives
                names.setdefault(name, self.places.variable(name, sql_type))
        self.found = names["found"] = self.places.variable("found", BOOL)
        if kind.trigger is not None:
            for name in ("new", "old"):
                names[name] = self.places.row(name, kind.trigger)
            for name in TRIGGER_VARIABLES:
                names[name] = self.places.variable(name, STRING)
            names["tg_nargs"] = self.places.variable(
                "tg_nargs", self.coercions.type_of(sql.TypeName(("int4",)))
            )
            names["tg_argv"] = self.places.variable(
                "tg_argv", self.coercions.type_of(sql.TypeName(("text",), (), 1))
            )
        self.names = names
        block = parse_block(text)
        if kind.trigger is not None and "tg_argv" in text.lower():
            block = mapped(block, _counted_from_one)
        self.body = self._block(block, names)

    def _check_parameters(self, text: str) -> None:
        for token in tokenize(text):
            if token.kind == "parameter" and int(token.text) > len(self.kind.arguments):
                raise error("42P02", f"there is no parameter ${token.text}", token.start)

    # Blocks.

    def _block(self, node: tree.Block, outer: Names) -> Step:
        names = dict(outer)
        initial: list[Step] = []
        declared: set[str] = set()
        for declaration in node.declarations:
            if declaration.name in declared:
                raise error("42601", f'duplicate declaration at or near "{declaration.name}"', declaration.at)
            declared.add(declaration.name)
            if isinstance(declaration, tree.Alias):
                names[declaration.name] = self._meaning(declaration.other, names, declaration.at)
                continue
            target = self._declared(declaration, names)
            value = None
            if declaration.default is not None:
                wanted = target.type if isinstance(target, Variable) else None
                value = Value(declaration.default, dict(names), wanted)
            initial.append(Initial(target, value))
            names[declaration.name] = target
        caught = dict(names)
        state = self.places.variable("sqlstate", STRING), self.places.variable("sqlerrm", STRING)
        caught["sqlstate"], caught["sqlerrm"] = state
        handlers = []
        for handler in node.handlers:
            for condition in handler.conditions:
                check_condition(condition, handler.at)
            handlers.append((handler.conditions, self._steps(handler.body, caught)))
        return Block(initial, self._steps(node.body, names), handlers, state)

    def _declared(self, node: tree.Declaration, names: Names) -> Target:
        if node.copied:
            if node.is_row:
                return self.places.row(node.name, self._structure_of_table(node.copied, node.at))
            sql_type = self._copied_type(node.copied, names, node.at)
        elif node.type is None:
            return self.places.row(node.name, None)
        else:
            table = self._table_of(node.type)
            if table is not None:
                return self.places.row(node.name, table)
            sql_type = self.coercions.type_of(node.type)
        return self.places.variable(node.name, sql_type, is_constant=node.is_constant, not_null=node.not_null)

    def _structure_of_table(self, parts: tree.Path, at: int) -> Structure:
        table = self.catalogue.table(parts, at)
        return Structure(
            tuple(c.name for c in table.columns), tuple(type_of_column(c.type) for c in table.columns)
        )

    def _table_of(self, name: sql.TypeName) -> Structure | None:
        """Return the structure of a table whose name stands where a type does."""
        if name.dimensions or name.modifiers or self.catalogue.find("table", name.parts) is None:
            return None
        return self._structure_of_table(name.parts, name.at)

    def _copied_type(self, parts: tree.Path, names: Names, at: int) -> SqlType:
        if len(parts) == 1:
            meaning = self._meaning(parts, names, at)
            if isinstance(meaning, Variable):
                return meaning.type
            raise error("42804", f'variable "{parts[0]}" is a row', at)
        structure = self._structure_of_table(parts[:-1], at)
        if parts[-1] not in structure.names:
            message = f'column "{parts[-1]}" of relation "{parts[-2]}" does not exist'
            raise error("42703", message, at)
        return structure.types[structure.names.index(parts[-1])].with_modifier()

    def _meaning(self, path: tree.Path, names: Names, at: int) -> Target:
        found = names.get(path[0])
        if found is None or len(path) > 1:
            raise error("42601", f'"{".".join(path)}" is not a known variable', at)
        return found

    # Targets.

    def _target(self, path: tree.Path, names: Names, at: int) -> Callable[[Frame], Target]:
        """Return what gives the variable that a path means: of a record, a field is only known when it runs."""
        if len(path) == 2 and path[0] == self.kind.name and path[1] in names:
            path = path[1:]
        found = names.get(path[0])
        if found is None or (len(path) == 2 and isinstance(found, Variable)) or len(path) > 2:
            raise error("42601", f'"{".".join(path)}" is not a known variable', at)
        if isinstance(found, Variable) and found.is_constant:
            raise error("22005", f'variable "{found.name}" is declared CONSTANT', at)
        if len(path) == 1:
            return lambda frame: found
        assert isinstance(found, Row)
        return self._field(found, path[1], at)

    def _field(self, row: Row, name: str, at: int) -> Callable[[Frame], Target]:
        def field(structure: Structure | None) -> Target:
            if structure is None:
                raise error("55000", f'record "{row.name}" is not assigned yet')
            if name not in structure.names:
                raise error("42703", f'record "{row.name}" has no field "{name}"', at)
            place = structure.names.index(name)
            return Variable(name, structure.types[place], row.places[place])

        if row.number >= 0:
            return lambda frame: field(frame.structures[row.number])
        found = field(row.structure)
        return lambda frame: found

    # Statements.

    def _steps(self, nodes: Sequence[tree.Code], names: Names) -> list[Step]:
        return [_STEPS[type(node)](self, node, names) for node in nodes]

    def _assignment(self, node: tree.Assignment, names: Names) -> Step:
        target = self._target(node.target, names, node.at)
        part = None
        if node.part is not None:
            part = sql.Assignment(node.target, node.value, part=node.part, at=node.at)
        made: dict[str, Value] = {}

        def value(found: Target) -> Value:
            title = found.type.declaration if isinstance(found, Variable) else ""
            known = made.get(title)
            if known is None:
                wanted = found.type if isinstance(found, Variable) else None
                known = made[title] = Value(node.value, names, wanted, part)
            return known

        return Assign(target, value)

    def _if(self, node: tree.If, names: Names) -> Step:
        branches = [([Value(c, names, BOOL)], self._steps(body, names)) for c, body in node.branches]
        return If(branches, self._steps(node.otherwise, names))

    def _case(self, node: tree.Case, names: Names) -> Step:
        branches = []
        for tests, body in node.branches:
            conditions: list[sql.Expression] = list(tests)
            if node.operand is not None:
                conditions = [sql.Operator("=", node.operand, test, at=test.at) for test in tests]
            branches.append(([Value(c, names, BOOL) for c in conditions], self._steps(body, names)))
        otherwise = None if node.otherwise is None else self._steps(node.otherwise, names)
        return If(branches, otherwise)

    def _run(self, node: tree.Run, names: Names) -> Step:
        into = self._into(node.into, names)
        return RunSql(Sql(node.statement, names), into, self.found, discards=node.discards)

    def _into(self, node: tree.Into | None, names: Names) -> Into | None:
        if node is None:
            return None
        return Into([self._target(path, names, node.at) for path in node.targets], node.strict)

    def _execute(self, node: tree.Execute, names: Names) -> Step:
        using = [Value(u, names) for u in node.using]
        return Execute(Value(node.text, names, STRING), self._into(node.into, names), using)

    def _diagnostics(self, node: tree.Diagnostics, names: Names) -> Step:
        return Diagnose([(self._target(path, names, node.at), item) for path, item in node.targets])

    def _raise(self, node: tree.Raise, names: Names) -> Step:
        if node.is_again:
            return RaiseAgain()
        if node.condition:
            state_of(node.condition)
        seen: set[str] = set()
        for name, _ in node.options:
            if name in seen or (name == "message" and (node.format is not None)):
                raise error("42601", f"RAISE option already specified: {name.upper()}", node.at)
            seen.add(name)
        return Raising(
            node.level,
            node.format,
            [Value(a, names) for a in node.arguments],
            [(name, Value(v, names)) for name, v in node.options],
            node.condition,
        )

    def _assert(self, node: tree.Assert, names: Names) -> Step:
        message = None if node.message is None else Value(node.message, names)
        return Assert(Value(node.condition, names, BOOL), message)

    # Results.

    def _return(self, node: tree.Return, names: Names) -> Step:
        kind = self.kind
        if kind.trigger is not None:
            return Return(self._trigger_row(node, names))
        if kind.gives_rows or kind.result is None:
            if node.value is not None:
                if kind.gives_rows:
                    hint = "Use RETURN NEXT or RETURN QUERY."
                    raise error(
                        "42804",
                        "RETURN cannot have a parameter in function returning set",
                        node.at,
                        hint=hint,
                    )
                raise error("42804", "RETURN cannot have a parameter in function returning void", node.at)
            return Return(None)
        if node.value is None:
            raise error("42601", 'missing expression at or near ";"', node.at)
        return Return(self._result(node.value, names))

    def _result(self, node: sql.Expression, names: Names) -> Callable[[Frame], Any]:
        """Return what computes a row or value that the function gives."""
        kind = self.kind
        if not kind.columns:
            return Value(node, names, kind.result).of
        value = Value(node, names)
        types, titles = tuple(t for _, t in kind.columns), tuple(n for n, _ in kind.columns)

        def row(frame: Frame) -> Any:
            found = value.of(frame)
            if found is None:
                return None
            if not isinstance(found, Record) or len(found.values) != len(types):
                message = "cannot return non-composite value from function returning composite type"
                raise error("42804", message, node.at)
            values = [frame.cast(v, s, t) for v, s, t in zip(found.values, found.types, types, strict=True)]
            return Record(tuple(values), types, titles)

        return row

    def _trigger_row(self, node: tree.Return, names: Names) -> Callable[[Frame], Any] | None:
        """Return what gives the row that a trigger returns: its values, or None."""
        value = node.value
        if value is None:
            raise error("42601", 'missing expression at or near ";"', node.at)
        if isinstance(value, sql.Literal) and value.kind == "null":
            return lambda frame: None
        if isinstance(value, sql.ColumnRef) and len(value.parts) == 1:
            found = names.get(value.parts[0])
            if isinstance(found, Row):
                return lambda frame: frame.get_row(found)
        computed = Value(value, names)

        def row(frame: Frame) -> Any:
            made = computed.of(frame)
            if made is not None and not isinstance(made, Record):
                message = "cannot return non-composite value from function returning composite type"
                raise error("42804", message, node.at)
            return None if made is None else list(made.values)

        return row

    def _return_next(self, node: tree.ReturnNext, names: Names) -> Step:
        kind = self.kind
        if not kind.gives_rows:
            raise error("42804", "cannot use RETURN NEXT in a non-SETOF function", node.at)
        if node.value is not None:
            return ReturnNext(self._result(node.value, names))
        if kind.result is not None or not kind.columns:
            raise error("42601", 'missing expression at or near ";"', node.at)
        variables = [self.names[name] for name, _ in kind.columns]
        types, titles = tuple(t for _, t in kind.columns), tuple(n for n, _ in kind.columns)

        def row(frame: Frame) -> Any:
            values = [frame.values[v.place] for v in variables if isinstance(v, Variable)]
            return Record(tuple(values), types, titles)

        return ReturnNext(row)

    def _return_query(self, node: tree.ReturnQuery, names: Names) -> Step:
        kind = self.kind
        if not kind.gives_rows:
            raise error("42804", "cannot use RETURN QUERY in a non-SETOF function", node.at)
        types = [t for _, t in kind.columns]
        titles = [n for n, _ in kind.columns]
        if not types:
            assert kind.result is not None
            types = [kind.result]
        if node.statement is not None:
            statement = Sql(node.statement, names)
            return ReturnQuery(statement.run, types, titles, self.found)
        assert node.text is not None
        text, using = Value(node.text, names, STRING), [Value(u, names) for u in node.using]

        def result(frame: Frame) -> Result:
            return dynamic(frame, text, using)

        return ReturnQuery(result, types, titles, self.found)

    def _inner(self, node: tree.Block, names: Names) -> Step:
        return self._block(node, names)


def _counted_from_one(node: Any) -> Any:
    """Return ``tg_argv[0]``, of the one array that is counted from 0, as it is counted from 1 as all others are."""
    if not isinstance(node, sql.Subscript) or node.lower is None:
        return node
    if not isinstance(node.operand, sql.ColumnRef) or node.operand.parts != ("tg_argv",):
        return node
    one = sql.Literal("number", "1", at=node.at)
    return replace(node, lower=sql.Operator("+", node.lower, one, at=node.at))


_STEPS: dict[type[Any], Callable[[Program, Any, Names], Step]] = {
    tree.Assert: Program._assert,
    tree.Assignment: Program._assignment,
    tree.Block: Program._inner,
    tree.Case: Program._case,
    tree.Diagnostics: Program._diagnostics,
    tree.Execute: Program._execute,
    tree.If: Program._if,
    tree.Raise: Program._raise,
    tree.Return: Program._return,
    tree.ReturnNext: Program._return_next,
    tree.ReturnQuery: Program._return_query,
    tree.Run: Program._run,
}
