"""The tree of commands: branches, transactions, settings, maintenance."""

from __future__ import annotations

from ..nodes import node
from .expressions import Expression, Node
from .queries import Delete, Insert, Merge, Query, Update
from .tables import Name, Options


@node(frozen=True, slots=True)
class CreateBranch(Node):
    """``create branch b [from parent] [as of timestamp n]``."""

    name: str
    parent: str | None = None
    as_of: Expression | None = None
    if_not_exists: bool = False


@node(frozen=True, slots=True)
class MergeBranch(Node):
    """``merge branch b [into target] [using strategy] [dry run]``."""

    name: str
    into: str | None = None
    strategy: str | None = None
    dry_run: bool = False


@node(frozen=True, slots=True)
class RebaseBranch(Node):
    """``alter branch b rebase [using strategy] [dry run]``."""

    name: str
    strategy: str | None = None
    dry_run: bool = False


@node(frozen=True, slots=True)
class TransactionCommand(Node):
    """``begin``, ``commit``, ``rollback``, ``savepoint``, ``release`` or ``rollback to``."""

    action: str
    name: str | None = None
    isolation: str | None = None
    read_only: bool | None = None


@node(frozen=True, slots=True)
class SetCommand(Node):
    """``set [local] name = values``; values of None are the default. ``reset`` is a set to the default, of all if without a name."""

    name: str | None
    values: tuple[str, ...] | None
    local: bool = False


@node(frozen=True, slots=True)
class Show(Node):
    """``show name``."""

    name: str


@node(frozen=True, slots=True)
class Explain(Node):
    """``explain [analyze] statement``."""

    statement: Query | Insert | Update | Delete | Merge
    analyze: bool = False
    options: Options = ()


@node(frozen=True, slots=True)
class Maintain(Node):
    """``vacuum``, ``analyze`` or ``reindex``, of all tables if none is named."""

    action: str
    names: tuple[Name, ...] = ()
    kind: str = "table"


@node(frozen=True, slots=True)
class Do(Node):
    """``do`` a block of text."""

    body: str
    language: str = "plpgsql"


@node(frozen=True, slots=True)
class Comment(Node):
    """``comment on kind name is text``; a text of None takes the comment away. A constraint's name comes behind its table's."""

    kind: str
    name: Name
    text: str | None
