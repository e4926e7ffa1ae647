"""Point reads: ``select … where key = $1`` as a look into an index, without a transaction of its own.

A statement that reads the row of one key of a unique index, and nothing else, needs of a transaction only the state that it would read: that
of now. A session keeps the reader of now until something is committed or a setting changes, and such a statement asks the index with it. Whatever
is not as it was when the statement was made ready (another schema, a parameter that has to be converted) goes the long way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..engine.catalog import CatalogView
from ..engine.keys import key_form
from ..engine.reader import Reader
from .bound import ColumnVar, Const, Param
from .execute.context import Context
from .plan.basic import Project
from .plan.node import Node
from .plan.scan import IndexLookup
from .scope import SearchPath
from .types import SqlType

if TYPE_CHECKING:
    from .session import Session

Rows = list[tuple[Any, ...]]
_LIMITS = {"int2": 1 << 15, "int4": 1 << 31, "int8": 1 << 63}


class PointRead:
    """The plan of a query that reads columns of the row of one key.

    Attributes
    ----------
    view : CatalogView
        The definitions that it holds for.
    path : SearchPath
        How names were found.
    """

    def __init__(self, scan: IndexLookup, targets: Sequence[ColumnVar]) -> None:
        self.view: CatalogView | None = None
        self.path: SearchPath | None = None
        self._table, self._index = scan.table, scan.index
        self._columns = [scan.table.columns[t.column].id for t in targets]
        values = scan.key_values[0]
        self._fixed = [key_form(v.value) if isinstance(v, Const) else None for v in values]
        self._places = [(i, v.number - 1) for i, v in enumerate(values) if isinstance(v, Param)]
        self._count = max((place + 1 for _, place in self._places), default=0)
        self._takes = [(i, place, _taker(values[i].type)) for i, place in self._places]

    @classmethod
    def of(cls, node: Node) -> PointRead | None:
        """Return the short way of a plan; None if it does anything else."""
        if not isinstance(node, Project) or not isinstance(node.below[0], IndexLookup):
            return None
        scan = node.below[0]
        if scan.as_of is not None or len(scan.key_values) != 1 or not scan.index.unique:
            return None
        values = scan.key_values[0]
        if len(scan.conditions) != len(values) or not all(isinstance(v, (Param, Const)) for v in values):
            return None
        targets = [t for t in node.targets if isinstance(t, ColumnVar) and t in scan.layout]
        return cls(scan, targets) if len(targets) == len(node.targets) else None

    def rows(self, context: Context) -> Rows:
        """Return the rows inside a transaction."""
        key = self._fixed.copy()
        parameters = context.parameters
        for i, place in self._places:
            key[i] = key_form(parameters[place])
        if None in key:
            return []
        found = context.reader.rows_of_key(self._table, self._index, tuple(key))
        return [tuple([row[n] for n in self._columns]) for _, row in found]

    def rows_now(self, session: Session, reader: Reader, parameters: Sequence[Any]) -> Rows | None:
        """Return the rows of a state without anybody's uncommitted writes; None if this has to go the long way."""
        if reader.catalog is not self.view or session.path is not self.path or len(parameters) != self._count:
            return None
        key = self._fixed.copy()
        for i, place, takes in self._takes:
            value = parameters[place]
            if not takes(value):
                return None
            key[i] = value
        store = reader.stores[self._table.id]
        columns = store.columns
        return [
            tuple([columns[n].get(slot) for n in self._columns])
            for slot in store.slots_of_key(reader.view, self._index.id, tuple(key))
        ]


def _taker(sql_type: SqlType) -> Callable[[Any], bool]:
    """Return whether a parameter is a key as it is."""
    limit = _LIMITS.get(sql_type.name)
    if limit is not None:
        return lambda value: type(value) is int and -limit <= value < limit
    if sql_type.name in ("text", "varchar"):
        return lambda value: type(value) is str
    return lambda value: False
