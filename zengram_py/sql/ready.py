"""Statements that are ready to run: prepared, planned, and kept by their text.

What a statement does is one function of (session, transaction, values), made once. It holds for the definitions that it was bound to: the
catalogue gives one view for each version of the schema on a branch, so an entry counts only for that very view, and for the search path.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from ..engine import Transaction
from ..engine.catalog import CatalogView
from ..engine.reader import Reader
from . import tree
from .bind.definitions import BoundDefinition
from .bound import BoundDelete, BoundInsert, BoundMerge, BoundQuery, BoundUpdate, Output
from .errors import error
from .nodes import node
from .parameters import bind_parameters
from .prepare import Prepared, prepare
from .scope import Catalogue, SearchPath

if TYPE_CHECKING:
    from .plan.whole import QueryPlan
    from .point import PointRead
    from .session import Session

KEPT, LONGEST = 512, 20_000
CONTROLS = (tree.TransactionCommand, tree.SetCommand, tree.Show)
"""Statements that a session does itself: they begin or end a transaction, or are about settings."""
_COMMANDS: dict[type[Any], str] = {
    BoundQuery: "SELECT",
    BoundInsert: "INSERT",
    BoundUpdate: "UPDATE",
    BoundDelete: "DELETE",
    BoundMerge: "MERGE",
}


@node(slots=True)
class Result:
    """What a statement gave.

    Attributes
    ----------
    outputs : tuple of Output
        Its columns; empty if it gives no rows.
    rows : list of tuple
        Values in stored form.
    count : int
        How many rows it gave or, if it gives none, changed.
    command : str
        What it was: ``"SELECT"``, ``"INSERT"``, ``"CREATE TABLE"``, …
    """

    outputs: tuple[Output, ...] = ()
    rows: list[tuple[Any, ...]] = field(default_factory=list)
    count: int = 0
    command: str = ""


Runner = Callable[["Session", Transaction, tuple[Any, ...]], Result]


class Ready:
    """A statement that is ready.

    Attributes
    ----------
    prepared : Prepared
        What it says and means.
    view, path
        For which definitions, found how.
    is_control : bool
        Whether it begins or ends a transaction or is about settings: the session does these itself.
    plan : QueryPlan or None
        Of a query.
    """

    __slots__ = ("is_control", "path", "plan", "prepared", "runner", "view")

    def __init__(
        self, prepared: Prepared, view: CatalogView | None, path: SearchPath | None, runner: Runner
    ) -> None:
        self.prepared = prepared
        self.view = view
        self.path = path
        self.runner = runner
        self.is_control = isinstance(prepared.statement, CONTROLS)
        self.plan: QueryPlan | None = None

    @classmethod
    def of(cls, prepared: Prepared, transaction: Transaction, path: SearchPath) -> Ready:
        """Return a prepared statement with what runs it."""
        found = cls(prepared, transaction.reader.catalog, path, _nothing)
        if not found.is_control:
            found.runner = _runner(found, transaction.reader)
        return found

    @classmethod
    def of_control(cls, text: str, statement: tree.Statement) -> Ready:
        """Return a statement about transactions or settings."""
        return cls(Prepared(text, statement, None, (), ()), None, None, _nothing)

    def run(self, session: Session, transaction: Transaction, parameters: Sequence[Any]) -> Result:
        """Run it with values for its parameters."""
        prepared = self.prepared
        values = bind_parameters(prepared, parameters) if parameters or prepared.parameters else ()
        return self.runner(session, transaction, values)


class ReadyCache:
    """Statements by their text; the least recently used goes."""

    def __init__(self, size: int = KEPT) -> None:
        self.size = size
        self._entries: OrderedDict[tuple[str, int], Ready] = OrderedDict()
        self.points: dict[str, tuple[PointRead, tuple[Output, ...]]] = {}
        """The short ways of those that only read the row of one key."""

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, text: str, transaction: Transaction, path: SearchPath) -> Ready:
        """Return a statement for what a transaction sees, made ready now or before."""
        view = transaction.reader.catalog
        key = (text, id(view))
        found = self._entries.get(key)
        if found is not None and found.view is view and found.path == path:
            self._entries.move_to_end(key)
            return found
        _check_text(text)
        made = Ready.of(prepare(text, Catalogue(view, path)), transaction, path)
        if len(text) > LONGEST:
            return made
        self._entries[key] = made  # it keeps the view, so that no other gets its id
        self._entries.move_to_end(key)
        point = None if made.plan is None else made.plan.point
        if point is not None:
            point.view, point.path = view, path
            self.points[text] = point, made.prepared.outputs
        while len(self._entries) > self.size:
            (gone, _), _ = self._entries.popitem(last=False)
            self.points.pop(gone, None)
        return made


def _check_text(text: str) -> None:
    if not isinstance(text, str):
        raise error("08P01", f"a statement is a text, not a {type(text).__name__}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise error("22021", 'invalid byte sequence for encoding "UTF8"') from None


def _nothing(session: Session, transaction: Transaction, values: tuple[Any, ...]) -> Result:
    return Result()


def _runner(ready: Ready, reader: Reader) -> Runner:
    prepared = ready.prepared
    bound = prepared.bound
    if isinstance(prepared.statement, tree.Explain):
        from .explain import explain_runner

        return explain_runner(prepared, prepared.statement, reader)
    if bound is None:
        return _command(prepared)
    if isinstance(bound, BoundDefinition):
        return _definition(prepared, bound)
    if isinstance(bound, BoundQuery):
        return _query(ready, bound, reader)
    from .change import change_runner

    return change_runner(bound, _COMMANDS[type(bound)], reader)


def _command(prepared: Prepared) -> Runner:
    from .commands import run_command

    return lambda session, transaction, values: run_command(session, transaction, prepared)


def _definition(prepared: Prepared, bound: BoundDefinition) -> Runner:
    from .define import define

    return lambda session, transaction, values: define(session, transaction, prepared, bound, values)


def _query(ready: Ready, bound: BoundQuery, reader: Reader) -> Runner:
    from .plan.whole import QueryPlan

    plan = ready.plan = QueryPlan(bound, reader)
    outputs = bound.outputs

    def run(session: Session, transaction: Transaction, values: tuple[Any, ...]) -> Result:
        rows = plan.rows(session.context(transaction, values))
        return Result(outputs, rows, len(rows), "SELECT")

    return run
