"""Routines: functions of the user, as they run.

    language sql        the statements of the body, one after the other; the last one gives the result
    language plpgsql    a program (plpgsql/)

A routine is made for the definitions that it is called under, and kept with them. Its names are looked up by the search path under which it
was defined. Arguments are parameters of its SQL, by number and by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..engine import ObjectDef, Transaction
from ..errors import SqlError
from . import tree
from .bind.changes import Binder
from .bind.coercion import State
from .bind.functions import KIND, Types
from .bound import Bound, BoundQuery, BoundSelect, Param
from .casts import ASSIGNMENT, converts
from .errors import error
from .execute.column import Batch, Column
from .execute.context import Context
from .execute.expressions import Evaluator, Expressions
from .execute.ordering import Record
from .functions.registry import Implementation
from .parse import parse
from .per_view import PerView
from .plan.conditions import has_subquery, is_plain
from .plan.planner import Planner
from .plpgsql.fragments import Surroundings, ready_in
from .plpgsql.program import Kind, Program
from .plpgsql.run import Frame, nested
from .ready import Ready, Result
from .scope import Catalogue, Namespace, Scope, SearchPath, TableName
from .signatures import Signature
from .types import SqlType

if TYPE_CHECKING:
    from .session import Session

NOTHING = ""
"""What a function gives that gives nothing: the only value of type void."""

_routines: PerView[Routine] = PerView()


class Routine:
    """A function, ready to be called.

    Parameters
    ----------
    catalogue : Catalogue
        The definitions under which it runs.
    function : ObjectDef
        Its own.
    """

    def __init__(self, catalogue: Catalogue, function: ObjectDef) -> None:
        given = function.definition
        self.definition = given
        self.path = SearchPath(function.name[0], tuple(given["path"]))
        self.catalogue = Catalogue(catalogue.view, self.path)
        self.strict: bool = given["strict"]
        self.gives_rows: bool = given["set"]
        types = Types(self.catalogue)
        names = [name for name, _, _ in given["arguments"]]
        self.types = [types.of(text) for _, text, _ in given["arguments"]]
        self.columns = tuple((name, types.of(text)) for name, text in given["columns"])
        result = None if given["returns"] in ("void", "trigger") else types.of(given["returns"])
        self.kind = Kind(
            given["name"],
            tuple(zip(names, self.types, strict=True)),
            None if self.columns else result,
            self.columns,
            self.gives_rows,
        )
        self.defaults = [default for _, _, default in given["arguments"]]
        self.body: Body = (SqlBody if given["language"] == "sql" else CodeBody)(self)

    def call(self, context: Context, values: Sequence[Any]) -> Any:
        """Return what it gives for arguments in stored form: a value, or a list of them."""
        if self.strict and any(v is None for v in values):
            return [] if self.gives_rows else None
        session, transaction = context.session, context.transaction
        with nested(session):
            if len(values) < len(self.types):
                values = [*values, *self._missing(session, transaction, len(values))]
            return self.body.run(session, transaction, list(values))

    def column(
        self, context: Context, arguments: Sequence[Column], count: int, result: SqlType, *, steady: bool
    ) -> Column:
        """Return what it gives for columns of arguments; ``steady`` if it gives the same for the same."""
        constant = steady and all(a.is_constant for a in arguments)
        size = 1 if constant else count
        body = self.body
        if isinstance(body, SqlBody) and len(arguments) == len(self.types):
            found = body.at_once(context, arguments, size)
            if found is not None:
                return (
                    found if not constant else Column(result, found.values[:1], found.nulls, is_constant=True)
                )
        lists = [a.tolist() * size if a.is_constant else a.tolist() for a in arguments]
        rows = zip(*lists, strict=True) if lists else [()] * size
        made = Column.of(result, [self.call(context, row) for row in rows])
        made.is_constant = constant
        return made

    def _missing(self, session: Session, transaction: Transaction, given: int) -> list[Any]:
        """Return the defaults of the arguments that were left out."""
        found = []
        for text, sql_type in zip(self.defaults[given:], self.types[given:], strict=True):
            ((value,),) = session.perform(
                transaction, f"select cast(({text}) as {sql_type.declaration})"
            ).rows
            found.append(value)
        return found


class Body:
    """What a function does."""

    def __init__(self, routine: Routine) -> None:
        self.routine = routine

    def run(self, session: Session, transaction: Transaction, values: list[Any]) -> Any:
        """Run it with values for all arguments."""
        raise NotImplementedError


class _Here:
    """A session and its transaction."""

    def __init__(self, session: Session, transaction: Transaction) -> None:
        self.session = session
        self.transaction = transaction


class SqlBody(Body):
    """Statements of SQL."""

    def __init__(self, routine: Routine) -> None:
        super().__init__(routine)
        self.statements = parse(routine.definition["body"])
        self._ready: list[Ready] | None = None
        self._expression: Evaluator | Literal[False] | None = None

    def at_once(self, context: Context, arguments: Sequence[Column], count: int) -> Column | None:
        """Return what it gives for whole columns, if it is but an expression of its arguments."""
        if self._expression is False:
            return None
        if self._expression is None:
            self._expression = self._as_expression(context) or False
            return self.at_once(context, arguments, count)
        batch = Batch([a.expanded(count) for a in arguments], count)
        if not self.routine.strict or all(a.nulls is None for a in arguments):
            return self._expression(context, batch).expanded(count)
        known = np.flatnonzero(~np.logical_or.reduce([c.is_null(count) for c in batch.columns]))
        part = self._expression(context, batch.take(known)).expanded(len(known))
        places = np.full(count, -1)
        places[known] = np.arange(len(known))
        return part.take_or_null(places)

    def _as_expression(self, context: Context) -> Evaluator | None:
        """Return the one target of a body that is a select of an expression, over columns in place of parameters."""
        ready = self._made(_Here(context.session, context.transaction)) if self._is_one_query() else []
        bound = ready[0].prepared.bound if ready else None
        if not isinstance(bound, BoundQuery) or not isinstance(bound.body, BoundSelect):
            return None
        target = bound.body.targets[0]
        alone = BoundSelect((target,))
        if bound.body != alone or bound.ctes or bound.limit is not None or bound.offset is not None:
            return None
        if self.routine.columns or has_subquery(target) or not is_plain(target):
            return None
        layout: dict[Bound, int] = {Param(t, i + 1): i for i, t in enumerate(self.routine.types)}
        return Expressions(layout, Planner(None, target)).compile(target)

    def _is_one_query(self) -> bool:
        return len(self.statements) == 1 and isinstance(self.statements[0], tree.Query)

    def _scope(self) -> Scope:
        """Return the names of the arguments."""
        kind = self.routine.kind
        columns: tuple[tuple[str, Bound], ...] = tuple(
            (name, Param(sql_type, i + 1))
            for i, (name, sql_type) in enumerate(kind.arguments)
            if name is not None
        )
        return Scope(None, Namespace((TableName(kind.name, columns),), columns))

    def state(self, catalogue: Catalogue) -> State:
        """Return a state in which the arguments are parameters."""
        state = State(catalogue)
        state.parameters = {i + 1: t for i, t in enumerate(self.routine.types)}
        return state

    def check(self) -> None:
        """Refuse statements that cannot mean anything, or a last one that does not give what is wanted."""
        for i, statement in enumerate(self.statements):
            if isinstance(statement, (tree.Query, tree.Insert, tree.Update, tree.Delete, tree.Merge)):
                state = self.state(self.routine.catalogue)
                binder, scope = Binder(state), Scope(self._scope())
                bound: Any = (
                    binder.query(statement, scope)
                    if isinstance(statement, tree.Query)
                    else binder.change(statement, scope)
                )
                if len(state.parameters) > len(self.routine.types):
                    raise error("42P02", f"there is no parameter ${max(state.parameters)}")
                if i == len(self.statements) - 1:
                    self._fitted(binder, bound)
        if not self.statements or self._gives_nothing(self.statements[-1]):
            self._refuse_unless_void()

    @staticmethod
    def _gives_nothing(statement: tree.Statement) -> bool:
        return not isinstance(statement, (tree.Query, tree.Insert, tree.Update, tree.Delete, tree.Merge))

    def _refuse_unless_void(self) -> None:
        if self.routine.definition["returns"] != "void":
            detail = "Function's final statement must be SELECT or INSERT/UPDATE/DELETE/MERGE RETURNING."
            raise self._mismatch(detail)

    def _mismatch(self, detail: str) -> SqlError:
        returns = self.routine.definition["returns"]
        return error("42P13", f"return type mismatch in function declared to return {returns}", detail=detail)

    def _fitted(self, binder: Binder, bound: Any) -> Any:
        """Return the last statement with output of the types that are wanted."""
        routine = self.routine
        if routine.definition["returns"] == "void":
            return bound
        if not bound.outputs:
            self._refuse_unless_void()
        wanted: list[SqlType] = [t for _, t in routine.columns]
        if not wanted and routine.kind.result is not None and routine.kind.result.name != "record":
            wanted = [routine.kind.result]
        if not wanted:
            return bound
        if len(bound.outputs) != len(wanted):
            few = "few" if len(bound.outputs) < len(wanted) else "many"
            detail = f"Final statement returns too {few} columns."
            if len(wanted) == 1:
                detail = "Final statement must return exactly one column."
            raise self._mismatch(detail)
        for output, sql_type in zip(bound.outputs, wanted, strict=True):
            if output.type.category != "X" and not converts(output.type, sql_type, ASSIGNMENT):
                raise self._mismatch(f"Actual return type is {output.type.title}.")
        if isinstance(bound, BoundQuery):
            return binder.recast(bound, wanted, ASSIGNMENT)
        if any(o.type.name != t.name for o, t in zip(bound.outputs, wanted, strict=True)):
            raise self._mismatch("The columns after RETURNING have other types.")
        return bound

    def _made(self, here: Surroundings) -> list[Ready]:
        """Return the statements, ready to run; those after a definition see what it defined."""
        found = []
        last = len(self.statements) - 1
        for i, statement in enumerate(self.statements):
            state = self.state(self.routine.catalogue)
            fit = self._fitted if i == last else None
            found.append(ready_in(here, statement, state, self._scope(), fit))
        return found

    def run(self, session: Session, transaction: Transaction, values: list[Any]) -> Any:
        """Run the statements; return what the last one gives."""
        here = _Here(session, transaction)
        given = tuple(values)
        if any(self._gives_nothing(s) for s in self.statements):
            return self._defining(here, given)
        if self._ready is None:
            self._ready = self._made(here)
        result = None
        for ready in self._ready:
            result = ready.runner(session, transaction, given)
        return self._shaped([] if result is None else result.rows)

    def _defining(self, here: _Here, given: tuple[Any, ...]) -> Any:
        """Run statements of which some define: each is bound when those before it have run."""
        rows: list[tuple[Any, ...]] = []
        for statement in self.statements:
            catalogue = Catalogue(here.transaction.reader.catalog, self.routine.path)
            ready = ready_in(here, statement, self.state(catalogue), self._scope())
            rows = ready.runner(here.session, here.transaction, given).rows
        return self._shaped(rows)

    def _shaped(self, rows: Sequence[tuple[Any, ...]]) -> Any:
        routine = self.routine
        if routine.definition["returns"] == "void":
            return [] if routine.gives_rows else NOTHING
        found: list[Any]
        if routine.columns:
            types = tuple(t for _, t in routine.columns)
            names = tuple(n for n, _ in routine.columns)
            found = [Record(tuple(row), types, names) for row in rows]
        else:
            found = [row[0] for row in rows]
        if routine.gives_rows:
            return found
        return found[0] if found else None


class CodeBody(Body):
    """A block of PL/pgSQL."""

    def __init__(self, routine: Routine) -> None:
        super().__init__(routine)
        self.program = Program(routine.definition["body"], routine.kind, routine.catalogue)

    def run(self, session: Session, transaction: Transaction, values: list[Any]) -> Any:
        """Run the block."""
        frame = Frame(self.program, session, transaction, self.routine.path)
        frame.values[: len(values)] = values
        self.program.body(frame)
        if self.routine.gives_rows:
            return frame.rows
        if self.routine.definition["returns"] == "void":
            return NOTHING
        if not frame.returned:
            raise error("2F005", "control reached end of function without RETURN")
        return frame.result


def check_body(catalogue: Catalogue, function: ObjectDef) -> None:
    """Refuse a function whose body cannot be one."""
    if function.definition["returns"] == "trigger":
        from .plpgsql.grammar import parse_block

        parse_block(function.definition["body"])
        return
    body = Routine(catalogue, function).body
    if isinstance(body, SqlBody):
        body.check()


def routine_of(catalogue: Catalogue, number: int) -> Routine:
    """Return a function by its number in the catalogue."""
    known = _routines.of(catalogue.view)
    found = known.get(number)
    if found is None:
        definition = catalogue.view.by_id.get(number)
        if not isinstance(definition, ObjectDef) or definition.kind != KIND:
            raise error("42883", "the function was dropped")
        found = known[number] = Routine(catalogue, definition)
    return found


def implementation_of(signature: Signature) -> Implementation:
    """Return the code behind a signature that bind/functions.py made."""
    number = int(signature.kind.rpartition(" ")[2])
    result, steady = signature.result, signature.kind.startswith("steady")

    def routine(context: Context) -> Routine:
        return routine_of(context.session.catalogue(context.transaction), number)

    def rows(context: Context, *values: Any) -> Any:
        return routine(context).call(context, values)

    def column(context: Context, arguments: Sequence[Column], count: int) -> Column:
        return routine(context).column(context, arguments, count, result, steady=steady)

    if signature.gives_rows:
        return Implementation("rows", rows, volatile=True, contextual=True)
    return Implementation("columns", column)


def do(session: Session, transaction: Transaction, node: tree.Do) -> Result:
    """Run a block of code that is no function."""
    program = Program(node.body, Kind(), session.catalogue(transaction))
    with nested(session):
        program.body(Frame(program, session, transaction, session.path))
    return Result(command="DO")
