"""Bound expressions: values with types, over columns of numbered relations.

    a + 1 > $2        Invocation(>, [Invocation(+, [ColumnVar(0, 2), Const(1)]), Param(2)])

Every ``from`` item of a statement, however deep, has a number of its own, so ``ColumnVar(relation, column)`` means the same
everywhere and a subquery that refers outwards simply holds a number that is not its own.

Two expressions are equal if they compute the same from the same: places do not count. What is an ``OperatorChain`` in the tree is one
:class:`Chain`, so that trees stay shallow however long a chain of operators is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from ..nodes import field, node
from ..signatures import Signature
from ..types import SqlType

if TYPE_CHECKING:
    from .queries import BoundQuery


class Structure:
    """What is equal by what it holds; compared in a loop, since nested calls for nested values overflow the stack in a tab."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self is other or (type(self) is type(other) and _form(self) == _form(other))

    def __hash__(self) -> int:
        return hash(_form(self))


def _form(node: Structure) -> tuple[Any, ...]:
    """Return all that a structure holds in one flat tuple."""
    form: list[Any] = []
    stack: list[Any] = [node]
    while stack:
        found = stack.pop()
        if isinstance(found, Structure):
            kind = type(found)
            form.append(kind)
            stack.extend([getattr(found, name) for name in _compared(kind)])
        elif isinstance(found, tuple):
            form.append(len(found))
            stack.extend(found)
        else:
            form.append(found)
    return tuple(form)


def _compared(kind: type[Any]) -> tuple[str, ...]:
    found = _COMPARED.get(kind)
    if found is None:
        found = _COMPARED[kind] = tuple(f.name for f in fields(kind) if f.compare)
    return found


_COMPARED: dict[type[Any], tuple[str, ...]] = {}


@node(frozen=True, slots=True, eq=False)
class Bound(Structure):
    """Any value."""

    type: SqlType
    at: int = field(kw_only=True, default=0, compare=False)


@node(frozen=True, slots=True, eq=False)
class Const(Bound):
    """A constant in the engine's stored form (a vector as a tuple); of type unknown it is a quoted literal's text."""

    value: Any


@node(frozen=True, slots=True, eq=False)
class Param(Bound):
    """``$1``."""

    number: int


@node(frozen=True, slots=True, eq=False)
class ColumnVar(Bound):
    """A column of a relation, by its place there."""

    relation: int
    column: int
    name: str = field(compare=False)


@node(frozen=True, slots=True, eq=False)
class OutputVar(Bound):
    """An output column of the query itself, as sort keys of a union see it."""

    column: int


@node(frozen=True, slots=True, eq=False)
class Invocation(Bound):
    """An operator or function of arguments; ``variadic`` if the last one is an array for all the rest."""

    signature: Signature
    arguments: tuple[Bound, ...]
    variadic: bool = False


@node(frozen=True, slots=True, eq=False)
class Chain(Bound):
    """Operators one after the other: ``first``, then each step's operator with what is so far and the step's operand."""

    first: Bound
    steps: tuple[tuple[Signature, Bound], ...]


@node(frozen=True, slots=True, eq=False)
class CastTo(Bound):
    """A value as another type; ``explicit`` if it was asked for (then texts are cut to length, not refused)."""

    operand: Bound
    explicit: bool = False


@node(frozen=True, slots=True, eq=False)
class Logic(Bound):
    """``and`` or ``or`` of conditions."""

    name: str
    operands: tuple[Bound, ...]


@node(frozen=True, slots=True, eq=False)
class Negation(Bound):
    """``not``."""

    operand: Bound


@node(frozen=True, slots=True, eq=False)
class Test(Bound):
    """``is [not] null | true | false | unknown``."""

    operand: Bound
    test: str
    negated: bool


@node(frozen=True, slots=True, eq=False)
class DistinctTest(Bound):
    """``is [not] distinct from`` by an equality."""

    left: Bound
    right: Bound
    equality: Signature
    negated: bool


@node(frozen=True, slots=True, eq=False)
class Membership(Bound):
    """``[not] in`` a list of one type, by an equality."""

    operand: Bound
    items: tuple[Bound, ...]
    equality: Signature
    negated: bool


@node(frozen=True, slots=True, eq=False)
class Choice(Bound):
    """``case`` with conditions."""

    branches: tuple[tuple[Bound, Bound], ...]
    otherwise: Bound | None


@node(frozen=True, slots=True, eq=False)
class FirstOf(Bound):
    """``coalesce``, ``greatest`` or ``least`` of values of one type."""

    name: str
    arguments: tuple[Bound, ...]


@node(frozen=True, slots=True, eq=False)
class NullIf(Bound):
    """``nullif`` by an equality."""

    left: Bound
    right: Bound
    equality: Signature


@node(frozen=True, slots=True, eq=False)
class ArrayOf(Bound):
    """``array[…]``; items of a type of arrays make a further dimension."""

    items: tuple[Bound, ...]


@node(frozen=True, slots=True, eq=False)
class RowOf(Bound):
    """``row(…)``, or all columns of a relation by its name, which are null as a whole where an outer join found no row."""

    items: tuple[Bound, ...]
    names: tuple[str, ...] = ()
    of_relation: bool = False


@node(frozen=True, slots=True, eq=False)
class Element(Bound):
    """An element or slice of an array, or what ``jsonb[…]`` finds; a lower and an upper bound for each dimension."""

    operand: Bound
    subscripts: tuple[tuple[Bound | None, Bound | None], ...]
    is_slice: bool


@node(frozen=True, slots=True, eq=False)
class Replaced(Bound):
    """An array or ``jsonb`` in which an element, a slice or what is at the end of a path is another value."""

    operand: Bound
    subscripts: tuple[tuple[Bound | None, Bound | None], ...]
    is_slice: bool
    value: Bound


@node(frozen=True, slots=True, eq=False)
class FieldOf(Bound):
    """A column of a record that a function gives, by its place."""

    operand: Bound
    place: int


@node(frozen=True, slots=True, eq=False)
class Subquery(Bound):
    """A query as a value; ``kind`` is ``"scalar"``, ``"exists"`` or ``"array"``."""

    kind: str
    query: BoundQuery


@node(frozen=True, slots=True, eq=False)
class QuantifiedQuery(Bound):
    """``(a, b) = any | all (query)``: one comparison for each column, joined by and (by or for ``<>``)."""

    left: tuple[Bound, ...]
    comparisons: tuple[Signature, ...]
    query: BoundQuery
    every: bool
    negated: bool = False


@node(frozen=True, slots=True, eq=False)
class QuantifiedArray(Bound):
    """``a = any | all (array)``."""

    left: Bound
    right: Bound
    comparison: Signature
    every: bool


@node(frozen=True, slots=True, eq=False)
class SortBy(Structure):
    """One key of an order."""

    value: Bound
    descending: bool
    nulls_first: bool


@node(frozen=True, slots=True, eq=False)
class Aggregate(Bound):
    """An aggregate; ``direct`` arguments are those before ``within group``."""

    signature: Signature
    arguments: tuple[Bound, ...]
    distinct: bool = False
    order_by: tuple[SortBy, ...] = ()
    filter: Bound | None = None
    direct: tuple[Bound, ...] = ()
    grouping: bool = False


@node(frozen=True, slots=True, eq=False)
class WindowFrame(Structure):
    """A frame; bounds are (kind, offset)."""

    unit: str
    start: tuple[str, Bound | None]
    end: tuple[str, Bound | None]
    exclude: str


@node(frozen=True, slots=True, eq=False)
class WindowSpec(Structure):
    """How a window divides and orders rows."""

    partition_by: tuple[Bound, ...] = ()
    order_by: tuple[SortBy, ...] = ()
    frame: WindowFrame | None = None


@node(frozen=True, slots=True, eq=False)
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
        if isinstance(value, Structure):
            yield value
        elif isinstance(value, tuple):
            yield from _in_tuple(value)


def _in_tuple(value: tuple[Any, ...]) -> Iterator[Any]:
    for item in value:
        if isinstance(item, Structure):
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
