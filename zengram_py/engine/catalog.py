"""The catalogue: what tables, columns and indexes there are, as data.

Definitions are frozen and hold no code and no rows, so a snapshot keeps them as JSON and two of them can be
compared. They have versions by the same rule as rows: an entry carries (branch, begin, end) and a reader sees those
that were in force for its branch at its time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import CatalogError
from .expr import Expr, columns_of, compile_expr
from .index.flat import METRICS
from .types import ColumnType, parse_type

FOREVER = (1 << 63) - 1
INDEX_KINDS = ("hash", "flat")


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
        A tree (expr.py) evaluated when an insert leaves the column out; None is null.
    """

    name: str
    type: ColumnType
    nullable: bool = True
    default: Expr | None = None


@dataclass(frozen=True)
class IndexDef:
    """One index of a table.

    Attributes
    ----------
    name : str
        Its name; a primary key's index is called ``<table>_pkey``.
    kind : str
        ``"hash"`` or ``"flat"``.
    keys : tuple of expressions
        What is indexed.
    unique : bool
        Whether two rows may have the same key.
    options : dict
        Further settings of the kind: ``{"metric": "cosine"}``.
    """

    name: str
    kind: str
    keys: tuple[Expr, ...]
    unique: bool = False
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class TableDef:
    """One table.

    Attributes
    ----------
    id : int
        A number that is never used again.
    name : str
        Its name.
    columns : tuple of ColumnDef
        Its columns, in order.
    primary_key : tuple of str
        Names of the key's columns, empty for a table without one.
    indexes : tuple of IndexDef
        Its indexes; with a primary key, the first is the key's.
    """

    id: int
    name: str
    columns: tuple[ColumnDef, ...]
    primary_key: tuple[str, ...] = ()
    indexes: tuple[IndexDef, ...] = ()

    @property
    def positions(self) -> dict[str, int]:
        """Position of each column by name."""
        return {column.name: position for position, column in enumerate(self.columns)}

    def to_json(self) -> dict[str, Any]:
        """Return the definition as JSON values."""
        return {
            "id": self.id,
            "name": self.name,
            "columns": [[c.name, c.type.name, c.nullable, c.default] for c in self.columns],
            "primary_key": list(self.primary_key),
            "indexes": [[i.name, i.kind, list(i.keys), i.unique, i.options] for i in self.indexes],
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> TableDef:
        """Build a definition from what :meth:`to_json` gave; it is checked like any new one."""
        return define_table(
            int(data["id"]),
            data["name"],
            [
                ColumnDef(name, parse_type(kind), nullable, default)
                for name, kind, nullable, default in data["columns"]
            ],
            data["primary_key"],
            [
                IndexDef(name, kind, tuple(keys), unique, options)
                for name, kind, keys, unique, options in data["indexes"]
                if name != f"{data['name']}_pkey"
            ],
        )


@dataclass
class CatalogEntry:
    """A definition and when it was in force."""

    definition: TableDef
    branch: int
    begin: int
    end: int = FOREVER


def define_table(
    table_id: int,
    name: str,
    columns: Sequence[ColumnDef],
    primary_key: Sequence[str] = (),
    indexes: Sequence[IndexDef] = (),
) -> TableDef:
    """Check a definition and complete it (key columns are not null; the key has an index).

    Raises
    ------
    CatalogError
        If names clash or are missing, or an index does not fit its columns.
    """
    names = [column.name for column in columns]
    if not name or not columns:
        raise CatalogError("a table has a name and at least one column")
    if len(set(names)) != len(names):
        raise CatalogError(f"table {name!r} has two columns of one name")
    for key in primary_key:
        if key not in names:
            raise CatalogError(f"table {name!r} has no column {key!r} for its primary key")
    completed = tuple(
        ColumnDef(c.name, c.type, c.nullable and c.name not in primary_key, c.default) for c in columns
    )
    if primary_key:
        key_index = IndexDef(f"{name}_pkey", "hash", tuple(["col", k] for k in primary_key), unique=True)
        indexes = [key_index, *indexes]
    types = {column.name: column.type for column in completed}
    for index in indexes:
        _check_index(name, index, types)
    if len({index.name for index in indexes}) != len(indexes):
        raise CatalogError(f"table {name!r} has two indexes of one name")
    return TableDef(table_id, name, completed, tuple(primary_key), tuple(indexes))


def _check_index(table: str, index: IndexDef, types: dict[str, ColumnType]) -> None:
    if index.kind not in INDEX_KINDS:
        raise CatalogError(f"an index is one of {', '.join(INDEX_KINDS)}, not {index.kind!r}")
    for tree in index.keys:
        compile_expr(tree)
        for column in columns_of(tree):
            if column not in types:
                raise CatalogError(f"table {table!r} has no column {column!r} for index {index.name!r}")
    if index.kind == "flat":
        key = index.keys[0] if len(index.keys) == 1 else None
        if key is None or key[0] != "col" or types[key[1]].storage != "matrix":
            raise CatalogError(f"index {index.name!r} must be on one vector column")
        if index.options.get("metric", "cosine") not in METRICS:
            raise CatalogError(f"index {index.name!r}: a metric is one of {', '.join(METRICS)}")
