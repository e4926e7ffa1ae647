"""Preparing: text to a bound statement, remembered as long as the definitions are the same.

    text, definitions ──cache?──▶ Prepared(statement, bound, parameters, outputs)
            └──parse──bind──┘

A statement is prepared for the definitions that it was bound to: an entry of the cache holds their view, and counts only for that
very one. The catalogue gives one view for each version of the schema on a branch, so a change of the schema, or another branch with
another schema, makes new entries, and a rollback finds the old ones again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from . import tree
from .bind.changes import Binder
from .bind.coercion import State
from .bind.definitions import BoundDefinition
from .bound import BoundStatement, Output
from .errors import error
from .lexer import tokenize
from .nodes import node
from .parse import nesting, parse_with_depth, stack_for
from .scope import Catalogue, SearchPath
from .types import UNKNOWN, SqlType

CACHED = 256


@node(frozen=True, slots=True)
class Prepared:
    """A statement that is ready to be planned.

    Attributes
    ----------
    text : str
        What it was made from.
    statement : tree
        What it says.
    bound : BoundStatement, BoundDefinition or None
        What it means; None for a command, whose tree says it all. Of an ``explain``, what is explained.
    parameters : tuple of SqlType
        The types of ``$1``, ``$2``, …
    outputs : tuple of Output
        The columns that it gives; empty if it gives no rows.
    """

    text: str
    statement: tree.Statement
    bound: BoundStatement | BoundDefinition | None
    parameters: tuple[SqlType, ...]
    outputs: tuple[Output, ...]


def prepare(text: str, catalogue: Catalogue) -> Prepared:
    """Return a statement, parsed and bound.

    Raises
    ------
    SqlError
        If it is not exactly one statement, or cannot mean anything with these definitions.
    """
    statement, depth = parse_with_depth(text)
    return bind(text, statement, catalogue, depth)


def bind(text: str, statement: tree.Statement, catalogue: Catalogue, depth: int | None = None) -> Prepared:
    """Return a parsed statement bound to definitions; ``depth`` is how deep its text nests, if that is known."""
    state = State(catalogue)
    with stack_for(nesting(tokenize(text)) if depth is None else depth):
        bound = _bound(statement, state)
    outputs = () if bound is None else bound.outputs
    return Prepared(text, statement, bound, _parameters(state), outputs)


def _bound(statement: tree.Statement, state: State) -> BoundStatement | BoundDefinition | None:
    if isinstance(statement, tree.Explain):
        statement = statement.statement
    if isinstance(statement, (tree.Query, tree.Insert, tree.Update, tree.Delete, tree.Merge)):
        return Binder(state).statement(statement)
    from .bind.alter import Alterations  # loaded by those who define

    return Alterations(state).bind(statement)


def _parameters(state: State) -> tuple[SqlType, ...]:
    """Return the types of all parameters; 42P18 if nothing tells what one is."""
    found = []
    for number in range(1, max(state.parameters, default=0) + 1):
        known = state.parameters.get(number, UNKNOWN)
        if known == UNKNOWN:
            raise error("42P18", f"could not determine data type of parameter ${number}")
        found.append(known)
    return tuple(found)


class StatementCache:
    """Prepared statements by text, search path and view of the definitions; the least recently used goes."""

    def __init__(self, size: int = CACHED) -> None:
        self.size = size
        self._entries: OrderedDict[tuple[str, SearchPath, int], tuple[object, Prepared]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, text: str, catalogue: Catalogue) -> Prepared:
        """Return a statement, prepared now or before."""
        key = (text, catalogue.path, id(catalogue.view))
        found = self._entries.get(key)
        if found is not None and found[0] is catalogue.view:
            self._entries.move_to_end(key)
            return found[1]
        made = prepare(text, catalogue)
        self._entries[key] = catalogue.view, made  # the entry keeps the view, so that no other gets its id
        self._entries.move_to_end(key)
        while len(self._entries) > self.size:
            self._entries.popitem(last=False)
        return made


def check_count(prepared: Prepared, given: Sequence[object]) -> None:
    """Refuse another number of parameters than a statement has (08P01)."""
    wanted = len(prepared.parameters)
    if len(given) != wanted:
        message = f"the statement has {wanted} parameters, but {len(given)} were given"
        raise error("08P01", message)
