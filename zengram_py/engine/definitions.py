"""Definitions: tables, columns, indexes, constraints, sequences and types as frozen data.

A definition holds no code and no rows, so a snapshot keeps it as JSON and two of them can be compared. Columns, indexes
and tables have numbers that are never used again; names are only what a definition calls them at the time. Renaming
changes a definition and nothing else; dropping a column hides it; a new type is a new column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ..errors import CatalogError
from .composite import ArrayType, EnumType, TsVectorType
from .expr import Evaluator, Expr, check_expr, columns_of, compile_expr
from .index.fulltext import text_options
from .index.hnsw import check_options
from .index.vectors import METRICS
from .types import ColumnType, JsonType, parse_type

DEFAULT_DATABASE = "zengram"
DEFAULT_SCHEMA = "public"
TEMPORARY_SCHEMA = "pg_temp"
VECTOR_KINDS = ("flat", "hnsw", "auto")
INDEX_KINDS = ("hash", "ordered", "fulltext", "gin", *VECTOR_KINDS)
MERGE_RULES = ("sum", "max", "newest")
ACTIONS = ("no_action", "restrict", "cascade", "set_null", "set_default")

Name = tuple[str, str, str]
"""(database, schema, name)"""


@dataclass(frozen=True)
class ColumnDef:
    """One column of a table.

    Attributes
    ----------
    name : str
        Its name.
    type : ColumnType
        What it holds.
    nullable : bool
        Whether null is a value.
    default : expression or None
        A tree (expr.py) evaluated when an insert leaves the column out; None is null. ``["nextval", id]`` draws from a
        sequence, ``["now"]`` is the transaction's time.
    merge : str or None
        How a merge joins changes of both sides: ``"sum"``, ``"max"``, ``"newest"``; None makes them a conflict.
    identity : str or None
        ``"always"`` or ``"default"`` for an identity column, whose default draws from a sequence of its own. ``"serial"`` asks for
        such a default in a column that is otherwise a plain one.
    source : list or None
        For a column that was added to a table with rows: from what the value of a row was computed, as ``[column id or
        null, expression or null, {name: column id}, {column id: [type, source]}]``. The third part tells which columns the
        expression reads, the fourth from what those of them are that were computed themselves, or are new as well. A merge computes it for
        the rows of the other side.
    id : int
        Its number in the table.
    generated : expression or None
        What computes its value from other columns of the row (generated.py); nobody sets it then.
    """

    name: str
    type: ColumnType
    nullable: bool = True
    default: Expr | None = None
    merge: str | None = None
    identity: str | None = None
    source: list[Any] | None = None
    id: int = 0
    generated: Expr | None = None


@dataclass(frozen=True)
class IndexDef:
    """One index of a table.

    Attributes
    ----------
    name : str
        Its name; a primary key's index is called ``<table>_pkey``.
    kind : str
        ``"hash"``, ``"ordered"``, ``"fulltext"``, ``"gin"`` (what is inside JSON, arrays and documents), or of a vector column
        ``"flat"`` (exact), ``"hnsw"`` (a neighbour graph) or ``"auto"`` (whichever is quicker).
    keys : tuple of expressions
        What is indexed.
    unique : bool
        Whether two rows must not have the same key.
    options : dict
        Further settings of the kind. Of vectors: ``{"metric": "cosine"}``; of a graph also ``m``, ``ef_construction``,
        ``ef_search`` and ``seed`` (index/hnsw.py). Of ``"gin"``: ``ops``, the operator class of each key (index/items.py); those of
        the columns' types when left out.
    id : int
        Its number in the table.
    where : expression or None
        Which rows it holds: those for which it is true; all when None.
    nulls_distinct : bool
        Whether, for a unique index, null is another value each time.
    """

    name: str
    kind: str
    keys: tuple[Expr, ...]
    unique: bool = False
    options: dict[str, Any] = field(default_factory=dict)
    id: int = 0
    where: Expr | None = None
    nulls_distinct: bool = True

    @property
    def expressions(self) -> tuple[Expr, ...]:
        """Its keys and its condition."""
        return self.keys if self.where is None else (*self.keys, self.where)


@dataclass(frozen=True)
class CheckDef:
    """A condition that no row may make false (null passes)."""

    name: str
    expr: Expr


@dataclass(frozen=True)
class ForeignKeyDef:
    """Columns whose values, unless one is null, are a key of another table (or the same).

    Attributes
    ----------
    name : str
        The constraint's name.
    columns : tuple of str
        The referencing columns.
    table : int
        Id of the referenced table.
    ref_columns : tuple of str
        The referenced columns, which a unique index of that table covers.
    on_delete, on_update : str
        ``"restrict"``, ``"no_action"`` (the same, but asked when the whole change is done), ``"cascade"``, ``"set_null"`` or
        ``"set_default"``.
    deferred : bool
        Check at commit only.
    """

    name: str
    columns: tuple[str, ...]
    table: int
    ref_columns: tuple[str, ...]
    on_delete: str = "restrict"
    on_update: str = "restrict"
    deferred: bool = False


@dataclass(frozen=True)
class TableDef:
    """One table.

    Attributes
    ----------
    id : int
        Its number in the database.
    name : Name
        (database, schema, name).
    columns : tuple of ColumnDef
        Its columns, in order.
    primary_key : tuple of str
        Names of the key's columns, empty for a table without one.
    indexes : tuple of IndexDef
        Its indexes; with a primary key, the first is the key's.
    checks, foreign_keys : tuple
        Its constraints.
    temporary : bool
        Whether it is left out of log and snapshot.
    """

    id: int
    name: Name
    columns: tuple[ColumnDef, ...]
    primary_key: tuple[str, ...] = ()
    indexes: tuple[IndexDef, ...] = ()
    checks: tuple[CheckDef, ...] = ()
    foreign_keys: tuple[ForeignKeyDef, ...] = ()
    temporary: bool = False

    kind = "table"

    @cached_property
    def title(self) -> str:
        """The name as messages show it: without the default database and schema."""
        return show_name(self.name)

    @cached_property
    def by_name(self) -> dict[str, ColumnDef]:
        """The columns by name."""
        return {column.name: column for column in self.columns}

    @cached_property
    def generated(self) -> tuple[tuple[ColumnDef, Evaluator], ...]:
        """The columns that are computed from others, each with what computes it of a row (by names of columns)."""
        return tuple(
            (column, compile_expr(column.generated, self.types, column.type))
            for column in self.columns
            if column.generated is not None
        )

    @cached_property
    def types(self) -> dict[str, ColumnType]:
        """The types of the columns by name."""
        return {column.name: column.type for column in self.columns}

    @cached_property
    def tests(self) -> tuple[tuple[CheckDef, Evaluator], ...]:
        """The checks by name, each with what tests a row (by names of columns)."""
        checks = sorted(self.checks, key=lambda check: check.name)
        return tuple((check, compile_expr(check.expr, self.types)) for check in checks)

    @cached_property
    def required(self) -> tuple[int, ...]:
        """Ids of the columns that must have a value."""
        return tuple(column.id for column in self.columns if not column.nullable)

    def column(self, name: str) -> ColumnDef:
        """Return a column by name, or raise :class:`~zengram_py.errors.CatalogError`."""
        column = self.by_name.get(name)
        if column is None:
            raise CatalogError(f"table {self.title!r} has no column {name!r}")
        return column

    def index(self, name: str) -> IndexDef:
        """Return an index by name, or raise :class:`~zengram_py.errors.CatalogError`."""
        for index in self.indexes:
            if index.name == name:
                return index
        raise CatalogError(f"table {self.title!r} has no index {name!r}")


@dataclass(frozen=True)
class SequenceDef:
    """A sequence; its value is no part of the definition (sequence.py).

    Attributes
    ----------
    owner : (int, int) or ()
        Table and column with which it is dropped, by their numbers.
    """

    id: int
    name: Name
    start: int = 1
    increment: int = 1
    least: int = 1
    most: int = (1 << 63) - 1
    cycle: bool = False
    owner: tuple[int, ...] = ()

    kind = "sequence"


@dataclass(frozen=True)
class EnumDef:
    """A named enum type."""

    id: int
    name: Name
    type: EnumType

    kind = "enum"


@dataclass(frozen=True)
class ObjectDef:
    """Anything else with a name: a database, a schema, and what upper layers keep here (views, graphs, triggers).

    Attributes
    ----------
    kind : str
        ``"database"``, ``"schema"``, ``"view"``, …
    definition : JSON value
        What it is.
    """

    id: int
    name: Name
    kind: str
    definition: Any = None


Definition = TableDef | SequenceDef | EnumDef | ObjectDef
_RELATIONS = ("table", "sequence", "view")


def namespace(kind: str) -> str:
    """Return where names of a kind must be unique: tables, sequences and views share one namespace."""
    return "relation" if kind in _RELATIONS else kind


def full_name(name: str | Name) -> Name:
    """Return (database, schema, name) of ``"t"``, ``"schema.t"`` or ``"database.schema.t"`` (or such a tuple)."""
    parts = tuple(name.split(".")) if isinstance(name, str) else tuple(name)
    if not 1 <= len(parts) <= 3 or not all(isinstance(part, str) and part for part in parts):
        raise CatalogError(f"{name!r} is not a name")
    defaults = (DEFAULT_DATABASE, DEFAULT_SCHEMA)
    database, schema, last = (*defaults[: 3 - len(parts)], *parts)
    return database, schema, last


def show_name(name: Name) -> str:
    """Return a name without the default database and schema."""
    if name[0] != DEFAULT_DATABASE:
        return ".".join(name)
    return name[2] if name[1] == DEFAULT_SCHEMA else ".".join(name[1:])


def number_columns(columns: Sequence[ColumnDef], primary_key: Sequence[str]) -> list[ColumnDef]:
    """Return columns with their numbers in a new table, those of its key without nulls; one that is so already is taken as it is."""
    return [
        c
        if c.id == i and not (c.nullable and c.name in primary_key)
        # replace() takes twice as long, and a schema has a thousand columns
        else ColumnDef(**{**vars(c), "id": i, "nullable": c.nullable and c.name not in primary_key})
        for i, c in enumerate(columns)
    ]


def define_table(
    table_id: int,
    name: Name,
    columns: Sequence[ColumnDef],
    primary_key: Sequence[str] = (),
    indexes: Sequence[IndexDef] = (),
    checks: Sequence[CheckDef] = (),
    foreign_keys: Sequence[ForeignKeyDef] = (),
    *,
    temporary: bool = False,
    key_name: str = "",
) -> TableDef:
    """Complete the parts of a new table (numbers, the key's index, not null for key columns) and check them.

    Raises
    ------
    CatalogError
        If names clash or are missing, or a part does not fit its columns.
    """
    if primary_key:
        key = IndexDef(
            key_name or f"{name[2]}_pkey", "hash", tuple(["col", k] for k in primary_key), unique=True
        )
        indexes = [key, *indexes]
    definition = TableDef(
        table_id,
        name,
        tuple(number_columns(columns, primary_key)),
        tuple(primary_key),
        tuple(index if index.id == i else replace(index, id=i) for i, index in enumerate(indexes)),
        tuple(checks),
        tuple(foreign_keys),
        temporary,
    )
    check_table(definition)
    return definition


def check_table(table: TableDef, before: TableDef | None = None) -> None:
    """Raise :class:`~zengram_py.errors.CatalogError` unless a definition holds together by itself.

    Of what it has from a definition ``before`` it, which held together, only what new parts can break is looked at.
    """
    title, columns = table.title, table.by_name
    if before is None or table.columns is not before.columns:
        before = None
        _check_columns(table)
    for what, numbers in (
        ("columns", [c.id for c in table.columns]),
        ("indexes", [i.id for i in table.indexes]),
    ):
        if len(set(numbers)) != len(numbers) or any(type(n) is not int or n < 0 for n in numbers):
            raise CatalogError(f"two {what} of table {title!r} have one number")
    for name in table.primary_key:
        table.column(name)
    if table.primary_key and (not table.indexes or table.indexes[0].where is not None):
        raise CatalogError(f"the primary key of table {title!r} has no index of all rows")
    constraints = [c.name for c in table.checks] + [k.name for k in table.foreign_keys]
    for names in ([i.name for i in table.indexes], constraints):
        if len(set(names)) != len(names):
            raise CatalogError(f"table {title!r} has two indexes or constraints of one name")
    known = set() if before is None else {id(part) for part in (*before.indexes, *before.checks)}
    for index in table.indexes:
        if id(index) not in known:
            _check_index(title, index, columns)
    for check in table.checks:
        if id(check) not in known:
            check_expr(check.expr, columns, f"check {check.name!r} of table {title!r}")
    for key in table.foreign_keys:
        for name in key.columns:
            table.column(name)
        if key.on_delete not in ACTIONS or key.on_update not in ACTIONS:
            raise CatalogError(f"foreign key {key.name!r}: an action is one of {', '.join(ACTIONS)}")


def map_expressions(table: TableDef, change: Callable[[Any], Any]) -> TableDef:
    """Return a table of which every expression (None for none) is what a function makes of it."""
    return replace(
        table,
        columns=tuple(
            replace(c, default=change(c.default), generated=change(c.generated)) for c in table.columns
        ),
        indexes=tuple(
            replace(i, keys=tuple(change(k) for k in i.keys), where=change(i.where)) for i in table.indexes
        ),
        checks=tuple(replace(c, expr=change(c.expr)) for c in table.checks),
    )


def _check_columns(table: TableDef) -> None:
    if not table.columns:
        raise CatalogError(f"table {table.title!r} has no column")
    if len(table.by_name) != len(table.columns):
        raise CatalogError(f"table {table.title!r} has two columns of one name")
    for column in table.columns:
        if column.merge is not None and column.merge not in MERGE_RULES:
            raise CatalogError(f"a merge rule is one of {', '.join(MERGE_RULES)}, not {column.merge!r}")
        if column.generated is not None:
            _check_generated(table, column)


def _check_generated(table: TableDef, column: ColumnDef) -> None:
    assert column.generated is not None
    what = f"generated column {column.name!r} of table {table.title!r}"
    check_expr(column.generated, table.by_name, what)
    if column.default is not None or column.identity is not None or column.merge is not None:
        raise CatalogError(f"{what} has no default, identity or merge rule")
    if any(table.column(name).generated is not None for name in columns_of(column.generated)):
        raise CatalogError(f"{what} cannot read a generated column")


def _check_index(title: str, index: IndexDef, columns: dict[str, ColumnDef]) -> None:
    what = f"index {index.name!r} of table {title!r}"
    if index.kind not in INDEX_KINDS:
        raise CatalogError(f"an index is one of {', '.join(INDEX_KINDS)}, not {index.kind!r}")
    if not index.keys:
        raise CatalogError(f"{what} has no key")
    if index.where is not None:
        check_expr(index.where, columns, what)
    for tree in index.keys:
        check_expr(tree, columns, what)
        if index.kind not in VECTOR_KINDS and isinstance(tree, list) and _is_vector(tree, columns):
            raise CatalogError(f"{what}: a vector column takes a vector index")
    if index.kind in VECTOR_KINDS:
        key = index.keys[0]
        if len(index.keys) != 1 or not isinstance(key, list) or key[0] != "col":
            raise CatalogError(f"{what} must be on one vector column")
        if columns[key[1]].type.storage != "matrix":
            raise CatalogError(f"{what} must be on one vector column")
        if index.options.get("metric", "cosine") not in METRICS:
            raise CatalogError(f"{what}: a metric is one of {', '.join(METRICS)}")
        check_options(index.options)
    if index.unique and index.kind not in ("hash", "ordered"):
        raise CatalogError(f"{what} cannot be unique")
    if index.kind == "gin":
        operator_classes(what, index, columns)
    if index.kind == "fulltext":
        try:
            text_options(len(index.keys), index.options)
        except ValueError as error:
            raise CatalogError(f"{what}: {error}") from None


def operator_classes(what: str, index: IndexDef, columns: dict[str, ColumnDef]) -> tuple[str, ...]:
    """Return the operator class of each key of a GIN index; ``what`` names the index in a refusal."""
    from .index.items import OPERATORS  # only who has such an index needs it

    types = [
        columns[tree[1]].type if isinstance(tree, list) and tree[0] == "col" else None for tree in index.keys
    ]
    given = index.options.get("ops", [_usual_class(column_type) for column_type in types])
    if index.options.keys() - {"ops"}:
        raise CatalogError(f"{what} has no option but ops")
    if not isinstance(given, (list, tuple)) or len(given) != len(index.keys):
        raise CatalogError(f"{what}: ops must be {len(index.keys)} names, one for each key")
    for name, column_type in zip(given, types, strict=True):
        usual = _usual_class(column_type)
        fits = column_type is None or name == usual or (name, usual) == ("jsonb_path_ops", "jsonb_ops")
        if name not in OPERATORS or not fits:
            kind = "an expression" if column_type is None else column_type.name
            raise CatalogError(f"{what}: a key of {kind} has no operator class {name!r}")
    return tuple(given)


def _usual_class(column_type: ColumnType | None) -> str | None:
    if isinstance(column_type, JsonType):
        return "jsonb_ops"
    if isinstance(column_type, ArrayType):
        return "array_ops"
    return "tsvector_ops" if isinstance(column_type, TsVectorType) else None


def _is_vector(tree: list[Any], columns: dict[str, ColumnDef]) -> bool:
    return tree[0] == "col" and columns[tree[1]].type.storage == "matrix"


def definition_to_json(d: Definition) -> dict[str, Any]:
    """Return a definition as JSON values."""
    base: dict[str, Any] = {"kind": d.kind, "id": d.id, "name": list(d.name)}
    if isinstance(d, TableDef):
        base["columns"] = [
            [c.name, c.type.name, c.nullable, c.default, c.merge, c.identity, c.source, c.id, c.generated]
            for c in d.columns
        ]
        base["primary_key"] = list(d.primary_key)
        base["indexes"] = [
            [i.name, i.kind, list(i.keys), i.unique, i.options, i.id, i.where, i.nulls_distinct]
            for i in d.indexes
        ]
        base["checks"] = [[c.name, c.expr] for c in d.checks]
        base["foreign_keys"] = [
            [k.name, list(k.columns), k.table, list(k.ref_columns), k.on_delete, k.on_update, k.deferred]
            for k in d.foreign_keys
        ]
    elif isinstance(d, SequenceDef):
        base["settings"] = [d.start, d.increment, d.least, d.most, d.cycle]
        base["owner"] = list(d.owner)
    elif isinstance(d, EnumDef):
        base["type"] = d.type.name
    else:
        base["definition"] = d.definition
    return base


def definition_from_json(data: dict[str, Any]) -> Definition:
    """Return the definition that :func:`definition_to_json` wrote; it is checked like a new one."""
    kind, number, name = data["kind"], int(data["id"]), full_name(tuple(data["name"]))
    if kind == "table":
        table = TableDef(
            number,
            name,
            tuple(
                ColumnDef(c[0], parse_type(c[1]), bool(c[2]), c[3], c[4], c[5], c[6], int(c[7]), c[8])
                for c in data["columns"]
            ),
            tuple(data["primary_key"]),
            tuple(
                IndexDef(i[0], i[1], tuple(i[2]), bool(i[3]), dict(i[4]), int(i[5]), i[6], bool(i[7]))
                for i in data["indexes"]
            ),
            tuple(CheckDef(*c) for c in data["checks"]),
            tuple(
                ForeignKeyDef(k[0], tuple(k[1]), int(k[2]), tuple(k[3]), k[4], k[5], bool(k[6]))
                for k in data["foreign_keys"]
            ),
        )
        check_table(table)
        return table
    if kind == "sequence":
        start, increment, least, most, cycle = data["settings"]
        owner = tuple(int(part) for part in data["owner"])
        if len(owner) not in (0, 2):
            raise CatalogError(f"sequence {show_name(name)!r} belongs to a column, or to none")
        return SequenceDef(
            number, name, int(start), int(increment), int(least), int(most), bool(cycle), owner
        )
    if kind == "enum":
        found = parse_type(data["type"])
        if not isinstance(found, EnumType):
            raise CatalogError(f"{found.name} is no enum")
        return EnumDef(number, name, found)
    return ObjectDef(number, name, str(kind), data["definition"])
