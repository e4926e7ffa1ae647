"""The tree of definitions of tables and indexes.

Names are tuples of parts as they were written, ``("t",)`` to ``("db", "s", "t")``.
"""

from __future__ import annotations

from ..nodes import node
from .expressions import Expression, Node, TypeName
from .queries import Query

Name = tuple[str, ...]
Options = tuple[tuple[str, str], ...]


@node(frozen=True, slots=True)
class SequenceOptions(Node):
    """Settings of a sequence, each only if it was given; ``no`` holds ``"minvalue"``, ``"maxvalue"`` after ``no``.

    ``owned_by`` of () is ``none``; ``name`` is that of an identity column's sequence.
    """

    start: int | None = None
    increment: int | None = None
    least: int | None = None
    most: int | None = None
    cycle: bool | None = None
    restart: int | None = None
    restarts: bool = False
    no: tuple[str, ...] = ()
    owned_by: Name | None = None
    type: TypeName | None = None
    name: Name | None = None


@node(frozen=True, slots=True)
class Reference(Node):
    """``references t (a) on delete …``."""

    table: Name
    columns: tuple[str, ...] = ()
    on_delete: str = "no action"
    on_update: str = "no action"


@node(frozen=True, slots=True)
class Constraint(Node):
    """A constraint of a table or a column.

    ``kind`` is ``"primary key"``, ``"unique"``, ``"check"``, ``"foreign key"``, ``"not null"``, ``"null"``, ``"default"``,
    ``"identity"`` (``identity`` tells always or by default) or ``"generated"`` (``identity`` tells stored or virtual). ``text`` is an
    expression's own text.
    """

    kind: str
    name: str | None = None
    columns: tuple[str, ...] = ()
    expression: Expression | None = None
    text: str = ""
    reference: Reference | None = None
    identity: str | None = None
    options: SequenceOptions | None = None
    deferred: bool = False
    deferrable: bool = False
    nulls_distinct: bool = True


@node(frozen=True, slots=True)
class ColumnSpec(Node):
    """A column of a ``create table`` or ``add column``."""

    name: str
    type: TypeName
    constraints: tuple[Constraint, ...] = ()
    collation: Name | None = None


@node(frozen=True, slots=True)
class Like(Node):
    """``like t including …`` in a definition of a table, behind so many columns of its own."""

    table: Name
    including: tuple[str, ...] = ()
    place: int = 0


@node(frozen=True, slots=True)
class CreateTable(Node):
    """``create [temp] table``; ``like`` names tables whose columns are taken."""

    name: Name
    columns: tuple[ColumnSpec, ...]
    constraints: tuple[Constraint, ...] = ()
    like: tuple[Like, ...] = ()
    temporary: bool = False
    if_not_exists: bool = False
    options: Options = ()


@node(frozen=True, slots=True)
class CreateTableAs(Node):
    """``create table … as`` a query."""

    name: Name
    columns: tuple[str, ...]
    query: Query
    temporary: bool = False
    if_not_exists: bool = False
    with_data: bool = True


@node(frozen=True, slots=True)
class AddColumn(Node):
    """``add column``."""

    column: ColumnSpec
    if_not_exists: bool = False


@node(frozen=True, slots=True)
class DropColumn(Node):
    """``drop column``."""

    name: str
    if_exists: bool = False
    cascade: bool = False


@node(frozen=True, slots=True)
class AlterColumn(Node):
    """One change of a column.

    ``action`` is ``"type"``, ``"set default"``, ``"drop default"``, ``"set not null"``, ``"drop not null"``, ``"add identity"``,
    ``"set identity"``, ``"drop identity"``, ``"set expression"`` or ``"drop expression"``.
    """

    name: str
    action: str
    type: TypeName | None = None
    expression: Expression | None = None
    text: str = ""
    identity: str | None = None
    if_exists: bool = False
    options: SequenceOptions | None = None
    collation: Name | None = None


@node(frozen=True, slots=True)
class AddConstraint(Node):
    """``add constraint``."""

    constraint: Constraint


@node(frozen=True, slots=True)
class DropConstraint(Node):
    """``drop constraint``."""

    name: str
    if_exists: bool = False
    cascade: bool = False


@node(frozen=True, slots=True)
class RenameColumn(Node):
    """``rename column … to …``."""

    old: str
    new: str


@node(frozen=True, slots=True)
class RenameConstraint(Node):
    """``rename constraint … to …``."""

    old: str
    new: str


@node(frozen=True, slots=True)
class Rename(Node):
    """``rename to``."""

    new: str


@node(frozen=True, slots=True)
class MoveTable(Node):
    """``set schema``."""

    schema: str


@node(frozen=True, slots=True)
class ValidateConstraint(Node):
    """``validate constraint``."""

    name: str


@node(frozen=True, slots=True)
class SetTrigger(Node):
    """``enable | disable trigger``; a name of None is all."""

    name: str | None
    enabled: bool


AlterAction = (
    AddColumn
    | DropColumn
    | AlterColumn
    | AddConstraint
    | DropConstraint
    | RenameColumn
    | RenameConstraint
    | Rename
    | MoveTable
    | ValidateConstraint
    | SetTrigger
)


@node(frozen=True, slots=True)
class AlterTable(Node):
    """``alter table``."""

    name: Name
    actions: tuple[AlterAction, ...]
    if_exists: bool = False


@node(frozen=True, slots=True)
class IndexKey(Node):
    """One key of an index with its operator class; ``text`` is an expression's own text."""

    expression: Expression
    text: str
    operator_class: str | None = None
    descending: bool = False
    nulls_first: bool | None = None
    collation: Name | None = None


@node(frozen=True, slots=True)
class CreateIndex(Node):
    """``create [unique] index … on t using method (…) with (…)``."""

    name: str | None
    table: Name
    method: str
    keys: tuple[IndexKey, ...]
    unique: bool = False
    if_not_exists: bool = False
    include: tuple[str, ...] = ()
    options: Options = ()
    where: Expression | None = None
    nulls_distinct: bool = True
    where_text: str = ""


@node(frozen=True, slots=True)
class Drop(Node):
    """``drop kind [if exists] names``; ``table`` is that of a trigger, ``arguments`` the types of a function."""

    kind: str
    names: tuple[Name, ...]
    if_exists: bool = False
    cascade: bool = False
    table: Name | None = None
    arguments: tuple[TypeName, ...] | None = None


@node(frozen=True, slots=True)
class RenameObject(Node):
    """``alter index | view | sequence | type … rename to``."""

    kind: str
    name: Name
    new: str
    if_exists: bool = False


@node(frozen=True, slots=True)
class MoveObject(Node):
    """``alter view | sequence | type … set schema``."""

    kind: str
    name: Name
    schema: str
    if_exists: bool = False


@node(frozen=True, slots=True)
class AlterView(Node):
    """``alter view … rename column … to …``."""

    name: Name
    old: str
    new: str
    if_exists: bool = False


@node(frozen=True, slots=True)
class Truncate(Node):
    """``truncate``."""

    tables: tuple[Name, ...]
    restart_identity: bool = False
    cascade: bool = False
