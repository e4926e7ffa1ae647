"""The tree of definitions of everything but tables. Bodies of functions stay text: who runs them parses them."""

from __future__ import annotations

from ..nodes import node
from .expressions import Expression, Node, TypeName
from .queries import Query
from .tables import Name, SequenceOptions


@node(frozen=True, slots=True)
class CreateView(Node):
    """``create [or replace] view``; ``text`` is the query's own text."""

    name: Name
    columns: tuple[str, ...]
    query: Query
    text: str
    replace: bool = False
    temporary: bool = False


@node(frozen=True, slots=True)
class CreateSequence(Node):
    """``create sequence``."""

    name: Name
    options: SequenceOptions
    if_not_exists: bool = False
    temporary: bool = False


@node(frozen=True, slots=True)
class AlterSequence(Node):
    """``alter sequence``."""

    name: Name
    options: SequenceOptions
    if_exists: bool = False


@node(frozen=True, slots=True)
class CreateEnum(Node):
    """``create type … as enum (…)``."""

    name: Name
    labels: tuple[str, ...]


@node(frozen=True, slots=True)
class AlterEnum(Node):
    """``alter type … add value`` or, with ``renamed``, ``rename value … to …``."""

    name: Name
    label: str
    before: str | None = None
    after: str | None = None
    if_not_exists: bool = False
    renamed: str | None = None


@node(frozen=True, slots=True)
class CreateNamespace(Node):
    """``create database | schema``."""

    kind: str
    name: Name
    if_not_exists: bool = False


@node(frozen=True, slots=True)
class FunctionArgument(Node):
    """One argument of a function; ``text`` is that of its default."""

    name: str | None
    type: TypeName
    default: Expression | None = None
    text: str = ""


@node(frozen=True, slots=True)
class CreateFunction(Node):
    """``create [or replace] function``; the body is text. A return type of None is a trigger's, or stands beside ``columns``."""

    name: Name
    arguments: tuple[FunctionArgument, ...]
    returns: TypeName | None
    language: str
    body: str
    replace: bool = False
    returns_set: bool = False
    volatility: str = "volatile"
    strict: bool = False
    columns: tuple[tuple[str, TypeName], ...] = ()


@node(frozen=True, slots=True)
class CreateTrigger(Node):
    """``create trigger``; ``events`` are ``"insert"``, ``"update"``, ``"delete"``, ``"truncate"``, ``columns`` those of ``update of``."""

    name: str
    table: Name
    timing: str
    events: tuple[str, ...]
    function: Name
    columns: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    for_each_row: bool = False
    when: Expression | None = None
    when_text: str = ""
    replace: bool = False


@node(frozen=True, slots=True)
class GraphElement(Node):
    """A vertex or edge table of a property graph; ``source`` and ``destination`` only of an edge.

    An end is (columns of the edge, name of the vertex, columns of the vertex). ``properties`` of None are all columns.
    """

    table: Name
    alias: str
    key: tuple[str, ...] = ()
    label: str | None = None
    properties: tuple[tuple[str, str], ...] | None = None
    source: tuple[tuple[str, ...], str, tuple[str, ...]] | None = None
    destination: tuple[tuple[str, ...], str, tuple[str, ...]] | None = None


@node(frozen=True, slots=True)
class CreateGraph(Node):
    """``create property graph``."""

    name: Name
    vertices: tuple[GraphElement, ...]
    edges: tuple[GraphElement, ...] = ()
    if_not_exists: bool = False
