"""The tree of expressions and queries: what a statement says, before any name in it means anything.

Nodes are frozen; ``at`` is where the node's first or telling token begins in the text (an operator's own place, a
function's name). What SQL writes in two ways is one node here: ``x like y`` is the operator ``~~``, ``substring(x from
2)`` a call, ``x at time zone y`` a call of ``timezone``, ``-1`` a literal. Parentheses leave nothing.

    a = 1 or b || 'x' like $1      Logical(or, [Operator(=, a, 1), Operator(~~, Operator(||, b, 'x'), $1)])

Chains of ``and`` and ``or`` are one node with many operands, and chains of set operations are one list. Other chains
of operators lean to the left up to :data:`LONGEST_SPINE` deep; what follows then is one list, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..nodes import field, node

if TYPE_CHECKING:
    from .queries import Query

LONGEST_SPINE = 32


@node(frozen=True, slots=True)
class Node:
    """Anything with a place in the text."""

    at: int = field(kw_only=True, default=0, compare=False)


@node(frozen=True, slots=True)
class Expression(Node):
    """Anything with a value."""


@node(frozen=True, slots=True)
class Literal(Expression):
    """A constant; ``kind`` is ``"string"``, ``"number"`` (its digits), ``"boolean"`` or ``"null"``."""

    kind: str
    value: str = ""


@node(frozen=True, slots=True)
class Parameter(Expression):
    """``$1``."""

    number: int


@node(frozen=True, slots=True)
class ColumnRef(Expression):
    """``a``, ``t.a``, ``s.t.a`` or ``db.s.t.a``."""

    parts: tuple[str, ...]


@node(frozen=True, slots=True)
class Star(Expression):
    """``*`` or ``t.*``."""

    parts: tuple[str, ...] = ()


@node(frozen=True, slots=True)
class Operator(Expression):
    """An operator with one operand (then ``left`` is None) or two."""

    name: str
    left: Expression | None
    right: Expression


@node(frozen=True, slots=True)
class OperatorChain(Expression):
    """More operators one after the other than should be nested: ``first``, then (operator, right operand, its place) each.

    A tree as deep as a chain is long would be taken apart by as many nested calls, which overflows the stack in a tab.
    """

    first: Expression
    steps: tuple[tuple[str, Expression, int], ...]


@node(frozen=True, slots=True)
class Logical(Expression):
    """A chain of ``and`` or of ``or``."""

    name: str
    operands: tuple[Expression, ...]


@node(frozen=True, slots=True)
class Not(Expression):
    """``not x``."""

    operand: Expression


@node(frozen=True, slots=True)
class IsTest(Expression):
    """``x is [not] null | true | false | unknown``."""

    operand: Expression
    test: str
    negated: bool = False


@node(frozen=True, slots=True)
class IsDistinct(Expression):
    """``x is [not] distinct from y``."""

    left: Expression
    right: Expression
    negated: bool = False


@node(frozen=True, slots=True)
class Between(Expression):
    """``x [not] between [symmetric] low and high``."""

    operand: Expression
    low: Expression
    high: Expression
    negated: bool = False
    symmetric: bool = False


@node(frozen=True, slots=True)
class InList(Expression):
    """``x [not] in (1, 2, 3)``."""

    operand: Expression
    items: tuple[Expression, ...]
    negated: bool = False


@node(frozen=True, slots=True)
class InQuery(Expression):
    """``x [not] in (select …)``."""

    operand: Expression
    query: Query
    negated: bool = False


@node(frozen=True, slots=True)
class Quantified(Expression):
    """``x = any (…)``; ``right`` is an array or a query, ``every`` tells ``all`` from ``any``."""

    name: str
    left: Expression
    right: Expression | Query
    every: bool = False


@node(frozen=True, slots=True)
class TypeName(Node):
    """A type as it is written: ``name`` in PostgreSQL's short form, its modifiers, how many ``[]``."""

    parts: tuple[str, ...]
    modifiers: tuple[Expression, ...] = ()
    dimensions: int = 0


@node(frozen=True, slots=True)
class Cast(Expression):
    """``x::t``, ``cast(x as t)``, ``t 'text'``."""

    operand: Expression
    type: TypeName


@node(frozen=True, slots=True)
class Collate(Expression):
    """``x collate "C"``."""

    operand: Expression
    name: tuple[str, ...]


@node(frozen=True, slots=True)
class Subscript(Expression):
    """``x[1]`` or, with ``is_slice``, ``x[1:2]`` with either bound left out; ``continues`` the subscript before: ``x[1][2]``."""

    operand: Expression
    lower: Expression | None
    upper: Expression | None = None
    is_slice: bool = False
    continues: bool = False


@node(frozen=True, slots=True)
class Field(Expression):
    """``(x).f``; a name of None is ``(x).*``."""

    operand: Expression
    name: str | None


@node(frozen=True, slots=True)
class Case(Expression):
    """``case [x] when … then … [else …] end``."""

    operand: Expression | None
    branches: tuple[tuple[Expression, Expression], ...]
    otherwise: Expression | None


@node(frozen=True, slots=True)
class ArrayItems(Expression):
    """``array[…]``, nested for more dimensions."""

    items: tuple[Expression, ...]


@node(frozen=True, slots=True)
class ArrayQuery(Expression):
    """``array(select …)``."""

    query: Query


@node(frozen=True, slots=True)
class Row(Expression):
    """``(a, b)`` or ``row(a, b)``."""

    items: tuple[Expression, ...]


@node(frozen=True, slots=True)
class Exists(Expression):
    """``exists (select …)``."""

    query: Query


@node(frozen=True, slots=True)
class ScalarQuery(Expression):
    """``(select …)`` as a value."""

    query: Query


@node(frozen=True, slots=True)
class Default(Expression):
    """``default`` in place of a value."""


@node(frozen=True, slots=True)
class SortKey(Node):
    """One item of an ``order by``; ``nulls_first`` of None is the default of the direction."""

    value: Expression
    descending: bool = False
    nulls_first: bool | None = None
    using: str | None = None


@node(frozen=True, slots=True)
class FrameBound(Node):
    """``unbounded preceding``, ``2 preceding``, ``current row``, …; ``offset`` only where there is one."""

    kind: str
    offset: Expression | None = None


@node(frozen=True, slots=True)
class Frame(Node):
    """``rows | range | groups between … and … [exclude …]``."""

    unit: str
    start: FrameBound
    end: FrameBound
    exclude: str = "no others"


@node(frozen=True, slots=True)
class Window(Node):
    """``over (…)``, ``over w`` (``base`` alone) or a named window."""

    base: str | None = None
    partition_by: tuple[Expression, ...] = ()
    order_by: tuple[SortKey, ...] = ()
    frame: Frame | None = None
    is_name: bool = False


@node(frozen=True, slots=True)
class Call(Expression):
    """A function call with all that may hang on it; ``star`` is ``count(*)``, ``names`` those of named arguments."""

    parts: tuple[str, ...]
    arguments: tuple[Expression, ...] = ()
    names: tuple[str | None, ...] = ()
    star: bool = False
    distinct: bool = False
    variadic: bool = False
    order_by: tuple[SortKey, ...] = ()
    within_group: tuple[SortKey, ...] | None = None
    filter: Expression | None = None
    over: Window | None = None
