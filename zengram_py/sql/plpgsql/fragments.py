"""Fragments: the SQL in a block of code, ready to run with the variables' values.

What a fragment means depends on the definitions of the moment, which the block itself may change, and on the structure that records
have. It is bound and planned when it first runs, and again when one of these is another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from ...engine import Transaction
from ...engine.catalog import CatalogView
from ...errors import SqlError
from .. import tree
from ..bind.alter import Alterations
from ..bind.changes import Binder
from ..bind.coercion import State
from ..bind.operators import Place
from ..bound import Bound, BoundQuery, BoundSelect, Output
from ..casts import ASSIGNMENT, EXPLICIT, converts
from ..change.rowwise import RowFunction, row_function
from ..errors import error
from ..plan.conditions import has_subquery
from ..plan.planner import Planner
from ..plan.whole import QueryPlan
from ..prepare import Prepared
from ..ready import Ready, Result
from ..scope import Scope
from ..types import SqlType
from .names import Names, Row, Structures, parameters_of, scope_of, structure_of

if TYPE_CHECKING:
    from ..session import Session
    from .run import Frame

Made = tuple[CatalogView, Structures, Any]


class Fragment:
    """A piece of SQL."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self._made: Made | None = None

    def _get(self, frame: Frame) -> Any:
        view = frame.transaction.reader.catalog
        made = self._made
        structures = tuple(frame.structures)
        if made is not None and made[0] is view and made[1] == structures:
            return made[2]
        try:
            made = self._made = (view, structures, self._make(frame, structures))
        except SqlError as failure:
            self._explain(failure, structures)
            raise
        return made[2]

    def _explain(self, failure: SqlError, structures: Structures) -> None:
        """Raise another error if what is missing is a record that has no structure yet."""
        for name, meaning in self.names.items():
            if isinstance(meaning, Row) and f'"{name}"' in str(failure):
                structure_of(meaning, structures)

    def _make(self, frame: Frame, structures: Structures) -> Any:
        raise NotImplementedError

    def _state(self, frame: Frame, structures: Structures) -> tuple[State, Scope]:
        state = State(frame.catalogue())
        state.parameters = parameters_of(frame.program.places, self.names, structures)
        return state, scope_of(self.names, structures)


class Value(Fragment):
    """An expression.

    Parameters
    ----------
    node : Expression
        What it says.
    names : dict
        The variables that it sees.
    wanted : SqlType, optional
        What it is to be; whatever it is if left out.
    part : Assignment, optional
        Of which variable it is to be a part; its value is then the whole variable's.
    """

    def __init__(
        self,
        node: tree.Expression,
        names: Names,
        wanted: SqlType | None = None,
        part: tree.Assignment | None = None,
    ) -> None:
        super().__init__(names)
        self.node = node
        self.wanted = wanted
        self.part = part

    def _make(self, frame: Frame, structures: Structures) -> tuple[RowFunction, SqlType, bool]:
        state, scope = self._state(frame, structures)
        binder = Binder(state)
        place = Place("an expression")
        if self.part is None:
            bound = binder.bind(self.node, Scope(scope), place)
        else:
            whole = scope.resolve(self.part.columns, self.part.at)
            bound = binder.with_part(self.part, whole, None, Scope(scope), place)
        bound = binder.settled(bound) if self.wanted is None else _assigned(binder, bound, self.wanted)
        if has_subquery(bound):
            query = BoundQuery(BoundSelect((bound,)), (Output("value", bound.type),))
            return _by_plan(query, frame), bound.type, True
        return row_function(bound, {}, Planner(frame.transaction.reader, bound)), bound.type, False

    def of(self, frame: Frame) -> Any:
        """Return its value."""
        function, _, is_query = self._get(frame)
        if is_query:
            return function(frame.fresh(), None)
        return function(frame.context, None)

    def typed(self, frame: Frame) -> tuple[Any, SqlType]:
        """Return its value and its type."""
        made = self._get(frame)
        return self.of(frame), made[1]


def _by_plan(query: BoundQuery, frame: Frame) -> RowFunction:
    plan = QueryPlan(query, frame.transaction.reader)

    def evaluate(context: Any, row: Any) -> Any:
        ((value,),) = plan.rows(context)
        return value

    return evaluate


def _assigned(binder: Binder, value: Bound, wanted: SqlType) -> Bound:
    """Return a value as what a variable of a type takes: anything that a cast makes of it."""
    if value.type.category == "X" or converts(value.type, wanted, ASSIGNMENT):
        return binder.coerce(value, wanted, ASSIGNMENT)
    return binder.coerce(value, wanted, EXPLICIT)


class Sql(Fragment):
    """A statement."""

    def __init__(self, statement: tree.Statement, names: Names) -> None:
        super().__init__(names)
        self.statement = statement

    def _make(self, frame: Frame, structures: Structures) -> Ready:
        state, scope = self._state(frame, structures)
        return ready_in(frame, self.statement, state, scope)

    def run(self, frame: Frame) -> Result:
        """Run it."""
        ready: Ready = self._get(frame)
        return ready.runner(frame.session, frame.transaction, tuple(frame.values))


_CONTROLS = (tree.TransactionCommand, tree.SetCommand, tree.Show)
_ROWS = (tree.Query, tree.Insert, tree.Update, tree.Delete, tree.Merge)
Prepare = Callable[[Binder, Any], Any]


class Surroundings(Protocol):
    """What a statement is made ready in."""

    session: Session
    transaction: Transaction


def ready_in(
    frame: Surroundings,
    statement: tree.Statement,
    state: State,
    scope: Scope,
    prepare: Prepare | None = None,
) -> Ready:
    """Return a statement, ready for variables.

    Parameters
    ----------
    frame : Frame
        The session and the transaction.
    statement : tree
        What it says.
    state, scope
        The parameters that the variables are, and their names.
    prepare : callable, optional
        Changes the bound statement.
    """
    if isinstance(statement, _CONTROLS):
        raise error("0A000", "transactions and settings cannot be changed here", statement.at)
    binder = Binder(state)
    if isinstance(statement, tree.Query):
        bound: Any = binder.query(statement, Scope(scope))
    elif isinstance(statement, _ROWS):
        bound = binder.change(statement, Scope(scope))
    elif isinstance(statement, tree.Explain):
        raise error("0A000", "EXPLAIN is not supported here", statement.at)
    else:
        bound = Alterations(state).bind(statement)
    if prepare is not None:
        bound = prepare(binder, bound)
    outputs = () if bound is None else bound.outputs
    prepared = Prepared("", statement, bound, tuple(state.parameters.values()), outputs)
    return Ready.of(prepared, frame.transaction, frame.session.path)
