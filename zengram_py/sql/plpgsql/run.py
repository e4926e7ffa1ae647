"""A run of a block of code: the values of its variables, and the steps one after the other.

A step does something to the frame and says whether the block is over. A block with handlers marks a savepoint: what it wrote is undone when
a handler catches what went wrong.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ...engine import Transaction
from ..errors import error
from ..execute.column import Column
from ..execute.context import Context
from ..functions.casting import cast_column
from ..scope import Catalogue, SearchPath
from ..types import SqlType
from .names import Row, Structure, Variable

if TYPE_CHECKING:
    from ..session import Session
    from .program import Program

MAX_DEPTH = 64
_FRAMES_PER_LEVEL = 80


class Frame:
    """What a run knows.

    Attributes
    ----------
    values : list
        Of the variables, by place; in stored form.
    structures : list of Structure or None
        Of the records whose structure changes.
    rows : list
        What ``return next`` and ``return query`` gave.
    result : object
        What ``return`` gave.
    caught : list of SqlError
        What the handlers around are about.
    row_count : int
        Rows of the last statement.
    """

    def __init__(
        self, program: Program, session: Session, transaction: Transaction, path: SearchPath
    ) -> None:
        self.program = program
        self.session = session
        self.transaction = transaction
        self.path = path
        self.values: list[Any] = [None] * program.places.count
        self.structures: list[Structure | None] = [None] * len(program.places.rows)
        self.context = self.fresh()
        self.rows: list[Any] = []
        self.result: Any = None
        self.returned = False
        self.caught: list[Any] = []
        self.row_count = 0

    def fresh(self) -> Context:
        """Return a context of its own, for what is computed once in a run."""
        context = self.session.context(self.transaction)
        context.parameters = self.values  # type: ignore[assignment]  # they change while it is used
        return context

    def catalogue(self) -> Catalogue:
        """Return the definitions of now."""
        return Catalogue(self.transaction.reader.catalog, self.path)

    # -- variables -------------------------------------------------------------------------------------------------------

    def put(self, variable: Variable, value: Any) -> None:
        """Give a variable a value of its type."""
        if value is None and variable.not_null:
            message = f'null value cannot be assigned to variable "{variable.name}" declared NOT NULL'
            raise error("22004", message)
        self.values[variable.place] = value

    def put_row(
        self, row: Row, values: Sequence[Any] | None, types: Sequence[SqlType], names: Sequence[str]
    ) -> None:
        """Give a row values by place; None for a row of nulls. A record takes their structure."""
        if row.number >= 0:
            structure = Structure(tuple(names), tuple(types))
            self.structures[row.number] = structure
            self.program.places.extend(row, len(structure.names))
            self.values += [None] * (self.program.places.count - len(self.values))
        else:
            assert row.structure is not None
            structure = row.structure
        for i, (wanted, place) in enumerate(zip(structure.types, row.places, strict=False)):
            given = values[i] if values is not None and i < len(values) else None
            source = types[i] if i < len(types) else wanted
            self.values[place] = self.cast(given, source, wanted)

    def get_row(self, row: Row) -> list[Any]:
        """Return the values of a row."""
        structure = row.structure if row.number < 0 else self.structures[row.number]
        size = 0 if structure is None else len(structure.names)
        return [self.values[place] for place in row.places[:size]]

    def cast(self, value: Any, source: SqlType, wanted: SqlType) -> Any:
        """Return a value of one type as one of another."""
        same = source.name == wanted.name and (not wanted.modifier or wanted.modifier == source.modifier)
        if value is None or same:
            return value
        return cast_column(self.context, Column.constant(source, value), source, wanted, False).tolist()[0]


@contextmanager
def nested(session: Session) -> Iterator[None]:
    """Count how deep functions and triggers call each other, and refuse what goes too deep (54001)."""
    depth = session.depth
    if depth >= MAX_DEPTH:
        hint = f"functions and triggers may call each other {MAX_DEPTH} deep"
        raise error("54001", "stack depth limit exceeded", hint=hint)
    before = sys.getrecursionlimit()
    if not depth:
        sys.setrecursionlimit(max(before, MAX_DEPTH * _FRAMES_PER_LEVEL))
    session.depth = depth + 1
    try:
        yield
    except RecursionError:
        raise error("54001", "stack depth limit exceeded") from None
    finally:
        session.depth = depth
        if not depth:
            sys.setrecursionlimit(before)
