"""Steps: what the statements of a block do to a frame.

A step returns True when the block, and all around it, are over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...errors import ZengramError
from ..bind.coercion import State
from ..bound import Output
from ..errors import error
from ..execute.ordering import Record
from ..failures import translated
from ..functions.output import text_of
from ..parse import parse_one
from ..ready import Result
from ..scope import Scope
from ..types import SqlType
from .fragments import Sql, Value, ready_in
from .names import Row, Variable, structure_of
from .raising import condition_matches
from .run import Frame

Step = Callable[[Frame], bool]
Target = Variable | Row


def run_all(steps: Sequence[Step], frame: Frame) -> bool:
    """Run steps until one says that all is over."""
    for step in steps:  # noqa: SIM110  (no generator between one call and the next)
        if step(frame):
            return True
    return False


# Blocks.


class Initial:
    """The value that a variable has when its block begins."""

    def __init__(self, target: Target, value: Value | None) -> None:
        self.target = target
        self.value = value

    def __call__(self, frame: Frame) -> bool:
        """Give it."""
        if isinstance(self.target, Variable):
            frame.put(self.target, None if self.value is None else self.value.of(frame))
        elif self.value is not None:
            put(frame, self.target, self.value)
        elif self.target.number >= 0:
            frame.structures[self.target.number] = None
        else:
            for place in self.target.places:
                frame.values[place] = None
        return False


class Block:
    """A block with its handlers."""

    def __init__(
        self,
        initial: Sequence[Step],
        body: Sequence[Step],
        handlers: Sequence[tuple[tuple[str, ...], Sequence[Step]]],
        state: tuple[Variable, Variable],
    ) -> None:
        self.initial = initial
        self.body = body
        self.handlers = handlers
        self.sqlstate, self.sqlerrm = state

    def __call__(self, frame: Frame) -> bool:
        """Run it."""
        run_all(self.initial, frame)
        if not self.handlers:
            return run_all(self.body, frame)
        transaction = frame.transaction
        name = f"plpgsql {id(self)} {len(frame.caught)}"
        transaction.savepoint(name)
        try:
            return run_all(self.body, frame)
        except ZengramError as failure:
            found = translated(failure, transaction.reader.catalog)
            state = getattr(found, "sqlstate", "XX000")
            for conditions, body in self.handlers:
                if any(condition_matches(condition, state) for condition in conditions):
                    transaction.rollback_to_savepoint(name)
                    return self._handle(frame, body, found, state)
            raise
        finally:
            transaction.release_savepoint(name)

    def _handle(self, frame: Frame, body: Sequence[Step], failure: ZengramError, state: str) -> bool:
        places = (self.sqlstate.place, self.sqlerrm.place)
        before = [frame.values[place] for place in places]
        for place, value in zip(places, (state, str(failure)), strict=True):
            frame.values[place] = value
        frame.caught.append(failure)
        try:
            return run_all(body, frame)
        finally:
            frame.caught.pop()
            for place, value in zip(places, before, strict=True):
                frame.values[place] = value


# Variables.


def put(frame: Frame, target: Target, value: Value) -> None:
    """Give a variable or a row the value of an expression."""
    if isinstance(target, Variable):
        frame.put(target, value.of(frame))
        return
    found, sql_type = value.typed(frame)
    if found is None:
        structure = structure_of(target, tuple(frame.structures))
        frame.put_row(target, None, structure.types, structure.names)
        return
    if not isinstance(found, Record):
        message = f"cannot assign non-composite value to a row variable ({sql_type.title})"
        raise error("42804", message)
    names = found.names or tuple(f"f{i + 1}" for i in range(len(found.values)))
    frame.put_row(target, found.values, found.types, names)


class Assign:
    """``target := value``."""

    def __init__(self, target: Callable[[Frame], Target], value: Callable[[Target], Value]) -> None:
        self.target = target
        self.value = value

    def __call__(self, frame: Frame) -> bool:
        """Do it."""
        target = self.target(frame)
        put(frame, target, self.value(target))
        return False


class Into:
    """Where a row goes."""

    def __init__(self, targets: Sequence[Callable[[Frame], Target]], strict: bool) -> None:
        self.targets = targets
        self.strict = strict

    def take(self, frame: Frame, outputs: Sequence[Output], rows: Sequence[tuple[Any, ...]]) -> None:
        """Take the first of some rows."""
        if self.strict and len(rows) != 1:
            if not rows:
                raise error("P0002", "query returned no rows")
            raise error("P0003", "query returned more than one row")
        row = rows[0] if rows else None
        types, names = [o.type for o in outputs], [o.name for o in outputs]
        targets = [target(frame) for target in self.targets]
        if len(targets) == 1 and isinstance(targets[0], Row):
            frame.put_row(targets[0], row, types, names)
            return
        for i, target in enumerate(targets):
            if isinstance(target, Row):
                raise error(
                    "42601", f'record variable "{target.name}" cannot be part of multiple-item INTO list'
                )
            known = row is not None and i < len(types)
            value = frame.cast(row[i], types[i], target.type) if known and row is not None else None
            frame.put(target, value)


# Flow.


class If:
    """``if`` and ``case`` without an operand."""

    def __init__(
        self, branches: Sequence[tuple[Sequence[Value], Sequence[Step]]], otherwise: Sequence[Step] | None
    ) -> None:
        self.branches = branches
        self.otherwise = otherwise

    def __call__(self, frame: Frame) -> bool:
        """Run the first branch that applies."""
        for conditions, body in self.branches:
            if any(condition.of(frame) is True for condition in conditions):
                return run_all(body, frame)
        if self.otherwise is None:
            raise error("20000", "case not found", hint="CASE statement is missing ELSE part.")
        return run_all(self.otherwise, frame)


# SQL.


class RunSql:
    """A statement of SQL."""

    def __init__(self, sql: Sql, into: Into | None, found: Variable, *, discards: bool) -> None:
        self.sql = sql
        self.into = into
        self.discards = discards
        self.found = found

    def __call__(self, frame: Frame) -> bool:
        """Run it."""
        result = self.sql.run(frame)
        frame.row_count = result.count
        frame.values[self.found.place] = result.count > 0
        if self.into is not None:
            if not result.outputs:
                raise error("42601", "INTO used with a command that cannot return data")
            self.into.take(frame, result.outputs, result.rows)
        elif result.command == "SELECT" and not self.discards:
            hint = "If you want to discard the results of a SELECT, use PERFORM instead."
            raise error("42601", "query has no destination for result data", hint=hint)
        return False


class Execute:
    """``execute``."""

    def __init__(self, text: Value, into: Into | None, using: Sequence[Value]) -> None:
        self.text = text
        self.into = into
        self.using = using

    def result(self, frame: Frame) -> Result:
        """Run the text."""
        return dynamic(frame, self.text, self.using)

    def __call__(self, frame: Frame) -> bool:
        """Do it."""
        result = self.result(frame)
        frame.row_count = result.count
        if self.into is not None:
            self.into.take(frame, result.outputs, result.rows)
        return False


def dynamic(frame: Frame, text: Value, using: Sequence[Value]) -> Result:
    """Run a statement that is a text; the values for its parameters are literals of their types."""
    found = text.of(frame)
    if found is None:
        raise error("22004", "query string argument of EXECUTE is null")
    given = [value.typed(frame) for value in using]
    state = State(frame.catalogue())
    state.parameters = {i + 1: sql_type for i, (_, sql_type) in enumerate(given)}
    ready = ready_in(frame, parse_one(found), state, Scope())
    return ready.runner(frame.session, frame.transaction, tuple([value for value, _ in given]))


class Diagnose:
    """``get diagnostics``."""

    def __init__(self, items: Sequence[tuple[Callable[[Frame], Target], str]]) -> None:
        self.items = items

    def __call__(self, frame: Frame) -> bool:
        """Do it."""
        failure = frame.caught[-1] if frame.caught else None
        for target, item in self.items:
            variable = target(frame)
            if not isinstance(variable, Variable):
                raise error("42804", "a diagnostics item does not fit a row")
            value: Any = frame.row_count
            if item == "returned_sqlstate":
                value = getattr(failure, "sqlstate", "")
            elif item == "message_text":
                value = "" if failure is None else str(failure)
            frame.put(variable, value if variable.type.category == "N" else str(value))
        return False


# Results.


class Return:
    """``return``."""

    def __init__(self, value: Callable[[Frame], Any] | None) -> None:
        self.value = value

    def __call__(self, frame: Frame) -> bool:
        """End the run."""
        frame.returned = True
        if self.value is not None:
            frame.result = self.value(frame)
        return True


class ReturnNext:
    """``return next``."""

    def __init__(self, value: Callable[[Frame], Any]) -> None:
        self.value = value

    def __call__(self, frame: Frame) -> bool:
        """Add a row."""
        frame.rows.append(self.value(frame))
        return False


class ReturnQuery:
    """``return query``."""

    def __init__(
        self,
        result: Callable[[Frame], Result],
        types: Sequence[SqlType],
        names: Sequence[str],
        found: Variable,
    ) -> None:
        self.result = result
        self.types = types
        self.names = names
        self.found = found

    def __call__(self, frame: Frame) -> bool:
        """Add rows."""
        result = self.result(frame)
        outputs = result.outputs
        if len(outputs) != len(self.types):
            detail = f"{len(outputs)} columns where {len(self.types)} are wanted."
            raise error("42804", "structure of query does not match function result type", detail=detail)
        for i, (output, wanted) in enumerate(zip(outputs, self.types, strict=True)):
            if output.type.name != wanted.name and output.type.category != "X":
                detail = f"Returned type {output.type.title} does not match expected type {wanted.title} in column {i + 1}."
                raise error("42804", "structure of query does not match function result type", detail=detail)
        types, names = tuple(self.types), tuple(self.names)
        if names:
            frame.rows += [Record(tuple(row), types, names) for row in result.rows]
        else:
            frame.rows += [row[0] for row in result.rows]
        frame.row_count = len(result.rows)
        frame.values[self.found.place] = bool(result.rows)
        return False


class Assert:
    """``assert``."""

    def __init__(self, condition: Value, message: Value | None) -> None:
        self.condition = condition
        self.message = message

    def __call__(self, frame: Frame) -> bool:
        """Refuse to go on if it does not hold."""
        if self.condition.of(frame) is True:
            return False
        text = None
        if self.message is not None:
            value, sql_type = self.message.typed(frame)
            text = None if value is None else text_of(sql_type)(value)
        raise error("P0004", text or "assertion failed")
