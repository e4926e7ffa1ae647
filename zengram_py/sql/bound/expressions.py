"""Bound expressions: values with types, over columns of numbered relations.

    a + 1 > $2        Invocation(>, [Invocation(+, [ColumnVar(0, 2), Const(1)]), Param(2)])

Every ``from`` item of a statement, however deep, has a number of its own, so ``ColumnVar(relation, column)`` means the same
everywhere and a subquery that refers outwards simply holds a number that is not its own.

Two expressions are equal if they compute the same from the same: places do not count. What is an ``OperatorChain`` in the tree is one
:class:`Chain`, so that trees stay shallow however long a chain of operators is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..signatures import Signature
from ..types import SqlType

if TYPE_CHECKING:
    from .queries import BoundQuery


@dataclass(frozen=True, slots=True)
class Bound:
    """Any value."""

    type: SqlType
    at: int = field(kw_only=True, default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Const(Bound):
    """A constant in the engine's stored form (a vector as a tuple); of type unknown it is a quoted literal's text."""

    value: Any


@dataclass(frozen=True, slots=True)
class Param(Bound):
    """``$1``."""

    number: int


@dataclass(frozen=True, slots=True)
class ColumnVar(Bound):
    """A column of a relation, by its place there."""

    relation: int
    column: int
    name: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class OutputVar(Bound):
    """An output column of the query itself, as sort keys of a union see it."""

    column: int


@dataclass(frozen=True, slots=True)
class Invocation(Bound):
    """An operator or function of arguments; ``variadic`` if the last one is an array for all the rest."""

    signature: Signature
    arguments: tuple[Bound, ...]
    variadic: bool = False


@dataclass(frozen=True, slots=True)
class Chain(Bound):
    """Operators one after the other: ``first``, then each step's operator with what is so far and the step's operand."""

    first: Bound
    steps: tuple[tuple[Signature, Bound], ...]


@dataclass(frozen=True, slots=True)
class CastTo(Bound):
    """A value as another type; ``explicit`` if it was asked for (then texts are cut to length, not refused)."""

    operand: Bound
    explicit: bool = False


@dataclass(frozen=True, slots=True)
class Logic(Bound):
    """``and`` or ``or`` of conditions."""

    name: str
    operands: tuple[Bound, ...]


@dataclass(frozen=True, slots=True)
class Negation(Bound):
    """``not``."""

    operand: Bound


@dataclass(frozen=True, slots=True)
class Test(Bound):
    """``is [not] null | true | false | unknown``."""

    operand: Bound
    test: str
    negated: bool


@dataclass(frozen=True, slots=True)
class DistinctTest(Bound):
    """``is [not] distinct from`` by an equality."""

    left: Bound
    right: Bound
    equality: Signature
    negated: bool


@dataclass(frozen=True, slots=True)
class Membership(Bound):
    """``[not] in`` a list of one type, by an equality."""

    operand: Bound
    items: tuple[Bound, ...]
    equality: Signature
    negated: bool


@dataclass(frozen=True, slots=True)
class Choice(Bound):
    """``case`` with conditions."""

    branches: tuple[tuple[Bound, Bound], ...]
    otherwise: Bound | None


@dataclass(frozen=True, slots=True)
class FirstOf(Bound):
    """``coalesce``, ``greatest`` or ``least`` of values of one type."""

    name: str
    arguments: tuple[Bound, ...]


@dataclass(frozen=True, slots=True)
class NullIf(Bound):
    """``nullif`` by an equality."""

    left: Bound
    right: Bound
    equality: Signature


@dataclass(frozen=True, slots=True)
class ArrayOf(Bound):
    """``array[…]``; items of a type of arrays make a further dimension."""

    items: tuple[Bound, ...]


@dataclass(frozen=True, slots=True)
class RowOf(Bound):
    """``row(…)``, or all columns of a relation by its name."""

    items: tuple[Bound, ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Element(Bound):
    """An element or slice of an array, or what ``jsonb[…]`` finds."""

    operand: Bound
    lower: Bound | None
    upper: Bound | None
    is_slice: bool


@dataclass(frozen=True, slots=True)
class Subquery(Bound):
    """A query as a value; ``kind`` is ``"scalar"``, ``"exists"`` or ``"array"``."""

    kind: str
    query: BoundQuery


@dataclass(frozen=True, slots=True)
class QuantifiedQuery(Bound):
    """``(a, b) = any | all (query)``: one comparison for each column, joined by and (by or for ``<>``)."""

    left: tuple[Bound, ...]
    comparisons: tuple[Signature, ...]
    query: BoundQuery
    every: bool
    negated: bool = False


@dataclass(frozen=True, slots=True)
class QuantifiedArray(Bound):
    """``a = any | all (array)``."""

    left: Bound
    right: Bound
    comparison: Signature
    every: bool


@dataclass(frozen=True, slots=True)
class SortBy:
    """One key of an order."""

    value: Bound
    descending: bool
    nulls_first: bool


@dataclass(frozen=True, slots=True)
class Aggregate(Bound):
    """An aggregate; ``direct`` arguments are those before ``within group``."""

    signature: Signature
    arguments: tuple[Bound, ...]
    distinct: bool = False
    order_by: tuple[SortBy, ...] = ()
    filter: Bound | None = None
    direct: tuple[Bound, ...] = ()
    grouping: bool = False


@dataclass(frozen=True, slots=True)
class WindowFrame:
    """A frame; bounds are (kind, offset)."""

    unit: str
    start: tuple[str, Bound | None]
    end: tuple[str, Bound | None]
    exclude: str


@dataclass(frozen=True, slots=True)
class WindowSpec:
    """How a window divides and orders rows."""

    partition_by: tuple[Bound, ...] = ()
    order_by: tuple[SortBy, ...] = ()
    frame: WindowFrame | None = None


@dataclass(frozen=True, slots=True)
class WindowCall(Bound):
    """A window function, or an aggregate over a window."""

    signature: Signature
    arguments: tuple[Bound, ...]
    window: WindowSpec
    filter: Bound | None = None


def parts_of(node: Any) -> Iterator[Any]:
    """Yield the bound values directly in a node, in its tuples and in its sort keys and windows."""
    for name in node.__dataclass_fields__:
        value = getattr(node, name)
        if isinstance(value, (Bound, SortBy, WindowSpec, WindowFrame)):
            yield value
        elif isinstance(value, tuple):
            yield from _in_tuple(value)


def _in_tuple(value: tuple[Any, ...]) -> Iterator[Any]:
    for item in value:
        if isinstance(item, (Bound, SortBy, WindowSpec, WindowFrame)):
            yield item
        elif isinstance(item, tuple):
            yield from _in_tuple(item)


def walk(node: Any, inside: Callable[[Any], bool] = lambda _: True) -> Iterator[Any]:
    """Yield a node and all in it, but not what is in nodes for which ``inside`` is false; subqueries stay closed."""
    stack = [node]
    while stack:
        found = stack.pop()
        yield found
        if inside(found):
            stack.extend(parts_of(found))
