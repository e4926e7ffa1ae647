"""The tree of a block of code; the SQL in it are the trees of SQL."""

from __future__ import annotations

from ..nodes import node
from ..tree import Expression, Node, Statement, TypeName

Path = tuple[str, ...]
"""A variable, ``("a",)``, or a field of one, ``("new", "a")``."""


@node(frozen=True, slots=True)
class Code(Node):
    """Any statement of a block."""


@node(frozen=True, slots=True)
class Declaration(Node):
    """``name type := value``.

    Attributes
    ----------
    name : str
        The variable.
    type : TypeName or None
        Its type; None for a record of any structure.
    copied : tuple of str
        In place of a type, what it has the type of: a table (``t%rowtype``) or a column or variable (``t.a%type``).
    is_row : bool
        Whether ``copied`` is a table.
    """

    name: str
    type: TypeName | None = None
    copied: Path = ()
    is_row: bool = False
    default: Expression | None = None
    is_constant: bool = False
    not_null: bool = False


@node(frozen=True, slots=True)
class Alias(Node):
    """``name alias for other``."""

    name: str
    other: Path


@node(frozen=True, slots=True)
class Handler(Node):
    """``when condition or condition then …``; conditions are SQLSTATEs, or names in small letters."""

    conditions: tuple[str, ...]
    body: tuple[Code, ...]


@node(frozen=True, slots=True)
class Block(Code):
    """``declare … begin … exception … end``."""

    declarations: tuple[Declaration | Alias, ...]
    body: tuple[Code, ...]
    handlers: tuple[Handler, ...] = ()


@node(frozen=True, slots=True)
class Assignment(Code):
    """``target := value``; of ``target[1] := value`` also the ``part``."""

    target: Path
    value: Expression
    part: Expression | None = None


@node(frozen=True, slots=True)
class If(Code):
    """``if … then … elsif … then … else … end if``."""

    branches: tuple[tuple[Expression, tuple[Code, ...]], ...]
    otherwise: tuple[Code, ...] = ()


@node(frozen=True, slots=True)
class Case(Code):
    """``case … when … then … else … end case``; without an ``else`` something must apply."""

    operand: Expression | None
    branches: tuple[tuple[tuple[Expression, ...], tuple[Code, ...]], ...]
    otherwise: tuple[Code, ...] | None = None


@node(frozen=True, slots=True)
class Into(Node):
    """Where the row of a statement goes; with ``strict`` it must be one row."""

    targets: tuple[Path, ...]
    strict: bool = False


@node(frozen=True, slots=True)
class Run(Code):
    """A statement of SQL; ``discards`` if it is a query whose rows nobody wants (``perform``)."""

    statement: Statement
    into: Into | None = None
    discards: bool = False


@node(frozen=True, slots=True)
class Execute(Code):
    """``execute text into … using …``."""

    text: Expression
    into: Into | None = None
    using: tuple[Expression, ...] = ()


@node(frozen=True, slots=True)
class Diagnostics(Code):
    """``get diagnostics target = row_count``."""

    targets: tuple[tuple[Path, str], ...]


@node(frozen=True, slots=True)
class Raise(Code):
    """``raise level 'format', arguments using option = value``.

    Attributes
    ----------
    level : str
        ``"exception"``, ``"warning"``, ``"notice"``, ``"info"``, ``"log"`` or ``"debug"``.
    format : str or None
        The message, with ``%`` for each argument.
    condition : str
        A SQLSTATE or a name in place of a message.
    is_again : bool
        Whether it is ``raise`` alone, which raises again what a handler caught.
    """

    level: str
    format: str | None
    arguments: tuple[Expression, ...] = ()
    options: tuple[tuple[str, Expression], ...] = ()
    condition: str = ""
    is_again: bool = False


@node(frozen=True, slots=True)
class Assert(Code):
    """``assert condition, message``."""

    condition: Expression
    message: Expression | None = None


@node(frozen=True, slots=True)
class Return(Code):
    """``return value``; of nothing without one."""

    value: Expression | None = None


@node(frozen=True, slots=True)
class ReturnNext(Code):
    """``return next value``: a row more."""

    value: Expression | None = None


@node(frozen=True, slots=True)
class ReturnQuery(Code):
    """``return query …`` or ``return query execute text using …``: rows more."""

    statement: Statement | None
    text: Expression | None = None
    using: tuple[Expression, ...] = ()
