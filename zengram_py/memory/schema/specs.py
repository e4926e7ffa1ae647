"""What a schema is written in: tables, columns and changes as data, a line each.

A column's name with a ``?`` at its end takes null, as in the lists of docs/memory.md; one with a value has it as its default. A link
is a foreign key: when the row that it names goes, a link that takes null is emptied, and any other goes along.

    Table("turn", [text("id"), text("session_id"), text("parent_turn_id?"), integer("tokens_input", 0)],
          links={"parent_turn_id": "turn"}, indexes=[ordered("session_id", "time_created")])

The vectors' length is not known before a memory is opened: :data:`VECTOR` stands for it, and for their type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...engine import BOOLEAN, BYTES, FLOAT64, INT64, JSON, TEXT, ColumnDef, ForeignKey, IndexDef, vector
from ...engine.types import ColumnType

VECTOR = vector(1)
"""In place of the type of the memory's vectors."""
_UNSET: Any = object()


@dataclass(frozen=True)
class Table:
    """One table.

    Attributes
    ----------
    name : str
        Its name.
    columns : sequence of ColumnDef
        Its columns.
    key : tuple of str
        Its primary key.
    links : mapping of str to str
        Tables by the columns that name one of their rows by its key.
    indexes : sequence of IndexDef
        Its indexes, but for those of the key and of links.
    """

    name: str
    columns: Sequence[ColumnDef]
    key: tuple[str, ...] = ("id",)
    links: Mapping[str, str] = field(default_factory=dict)
    indexes: Sequence[IndexDef] = ()

    def foreign_key(self, column: str) -> ForeignKey:
        """Return the link of a column."""
        nullable = next(c.nullable for c in self.columns if c.name == column)
        return ForeignKey([column], self.links[column], on_delete="set_null" if nullable else "cascade")

    def of(self, dimensions: int) -> Table:
        """Return the table for vectors of this many numbers."""
        if all(c.type is not VECTOR for c in self.columns):
            return self
        columns = [replace(c, type=vector(dimensions)) if c.type is VECTOR else c for c in self.columns]
        return replace(self, columns=columns)


@dataclass(frozen=True)
class More:
    """Columns, links and indexes that a table gets later."""

    table: str
    columns: Sequence[ColumnDef] = ()
    links: Mapping[str, str] = field(default_factory=dict)
    indexes: Sequence[IndexDef] = ()


@dataclass(frozen=True)
class Graph:
    """A property graph over tables; its edges name the vertices that they join.

    Attributes
    ----------
    name : str
        Its name.
    vertices : mapping of str to str
        Tables by label.
    edges : sequence of Edge
        What joins them.
    """

    name: str
    vertices: Mapping[str, str]
    edges: Sequence[Edge]


@dataclass(frozen=True)
class Edge:
    """Rows of a table that join a vertex to another one: each end is a column and the label of the vertex whose id is there."""

    label: str
    table: str
    source: tuple[str, str]
    destination: tuple[str, str]
    properties: tuple[str, ...] = ()


Step = Table | More | Graph


@dataclass(frozen=True)
class Migration:
    """One numbered change of the schema; what is in it never changes again once it was released."""

    version: int
    name: str
    steps: Sequence[Step]

    @property
    def label(self) -> str:
        """``V001__name``."""
        return f"V{self.version:03}__{self.name}"


def _column(kind: ColumnType, name: str, default: Any, merge: str | None) -> ColumnDef:
    nullable, name = name.endswith("?"), name.removesuffix("?")
    tree = None if default is _UNSET else ["lit", default]
    return ColumnDef(name, kind, nullable=nullable, default=tree, merge=merge)


def text(name: str, default: Any = _UNSET, *, merge: str | None = None) -> ColumnDef:
    """Return a column of text."""
    return _column(TEXT, name, default, merge)


def integer(name: str, default: Any = _UNSET, *, merge: str | None = None) -> ColumnDef:
    """Return a column of whole numbers of 64 bits."""
    return _column(INT64, name, default, merge)


def time(name: str, *, merge: str | None = None) -> ColumnDef:
    """Return a column of times: microseconds since the epoch, UTC, as a whole number."""
    return _column(INT64, name, _UNSET, merge)


def number(name: str, default: Any = _UNSET, *, merge: str | None = None) -> ColumnDef:
    """Return a column of floats of 64 bits."""
    return _column(FLOAT64, name, default, merge)


def flag(name: str, default: Any = _UNSET) -> ColumnDef:
    """Return a column of booleans."""
    return _column(BOOLEAN, name, default, None)


def json(name: str) -> ColumnDef:
    """Return a column of JSON values."""
    return _column(JSON, name, _UNSET, None)


def blob(name: str) -> ColumnDef:
    """Return a column of bytes."""
    return _column(BYTES, name, _UNSET, None)


def touched(*, shared: bool = False) -> list[ColumnDef]:
    """Return the columns for when a row was made and when it was changed last.

    A row that is ``shared`` has a key that says what it is (a name, a scope): two memory branches may both make it, and a merge joins the two.
    """
    return [time("time_created", merge="max" if shared else None), time("time_updated", merge="max")]


def hashed(name: str, *columns: str) -> IndexDef:
    """Return an index for looking up values."""
    return IndexDef(name, "hash", tuple(["col", c] for c in columns))


def ordered(name: str, *columns: str) -> IndexDef:
    """Return an index in the order of its columns."""
    return IndexDef(name, "ordered", tuple(["col", c] for c in columns))
