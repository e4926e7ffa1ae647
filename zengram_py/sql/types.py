"""Types of SQL over the engine's column types.

    name        what expressions are typed with and signatures name: ``int4``, ``text``, ``int4[]``, ``vector``
    modifier    what a declaration adds: the 10 and 2 of ``numeric(10, 2)``, the 384 of ``vector(384)``; no part of a type's identity
    category    PostgreSQL's letter, by which overloaded operators are chosen
    column      how the engine keeps it; None for types that only expressions have

A *preferred* type is the one that its category falls back to (float8, text, timestamp, …). ``unknown`` is the type of a quoted
literal before anything says what it is. Pseudo-types (``anyelement`` and its kin) only occur in signatures.

Times are UTC: ``timestamp with time zone`` is ``timestamp``. ``json`` is ``jsonb``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from ..engine import (
    BOOLEAN,
    BYTES,
    DATE,
    DATERANGE,
    FLOAT32,
    FLOAT64,
    INT4RANGE,
    INT8RANGE,
    INT16,
    INT32,
    INT64,
    INTERVAL,
    JSON,
    NUMERIC,
    NUMRANGE,
    TEXT,
    TIME,
    TIMESTAMP,
    TSRANGE,
    TSVECTOR,
    UUID,
    ColumnType,
    EnumDef,
)
from ..engine.definitions import show_name


@dataclass(frozen=True, slots=True)
class SqlType:
    """One type.

    Attributes
    ----------
    name : str
        Its short name, as PostgreSQL's catalogue has it; an enum's is the name of its definition.
    category : str
        A letter: A array, B boolean, D date or time, E enum, N number, P pseudo, R range, S string, T timespan, U other,
        X unknown.
    preferred : bool
        Whether its category falls back to it.
    column : ColumnType or None
        The engine's type without a modifier.
    element : SqlType or None
        Of an array its items, of a range its bounds.
    modifier : tuple of int
        What a declaration adds.
    labels : tuple of str
        An enum's.
    fields : tuple of (str, SqlType)
        A record's, where they are known.
    """

    name: str
    category: str
    preferred: bool = False
    column: ColumnType | None = field(default=None, compare=False, repr=False)
    element: SqlType | None = field(default=None, compare=False, repr=False)
    modifier: tuple[int, ...] = field(default=(), compare=False)
    labels: tuple[str, ...] = field(default=(), compare=False, repr=False)
    fields: tuple[tuple[str, SqlType], ...] = field(default=(), compare=False, repr=False)

    def with_modifier(self, *modifier: int) -> SqlType:
        """Return the type with another modifier."""
        return self if self.modifier == modifier else replace(self, modifier=modifier)

    @property
    def title(self) -> str:
        """The name as PostgreSQL's messages and ``pg_typeof`` show it."""
        if self.category == "A" and self.element is not None:
            return self.element.title + "[]"
        return _TITLES.get(self.name, self.name)

    @property
    def declaration(self) -> str:
        """The title with the modifier, as a table's definition shows it."""
        if self.category == "A" and self.element is not None:
            return self.element.declaration + "[]"
        if not self.modifier:
            return self.title
        if self.name == "interval" and self.modifier[0] < 0:
            return f"interval {INTERVAL_FIELDS[-1 - self.modifier[0]]}"
        first, *rest = self.title.split(" ", 1 if self.category == "D" else 0)
        return " ".join([f"{first}({','.join(map(str, self.modifier))})", *rest])


def _base(name: str, category: str, column: ColumnType | None = None, preferred: bool = False) -> SqlType:
    return SqlType(name, category, preferred, column)


BOOL = _base("bool", "B", BOOLEAN, True)
INT2 = _base("int2", "N", INT16)
INT4 = _base("int4", "N", INT32)
INT8 = _base("int8", "N", INT64)
FLOAT4 = _base("float4", "N", FLOAT32)
FLOAT8 = _base("float8", "N", FLOAT64, True)
NUMBER = _base("numeric", "N", NUMERIC)
STRING = _base("text", "S", TEXT, True)
VARCHAR = _base("varchar", "S", TEXT)
BPCHAR = _base("bpchar", "S", TEXT)
BYTEA = _base("bytea", "U", BYTES)
UUID_ = _base("uuid", "U", UUID)
TIMESTAMP_ = _base("timestamp", "D", TIMESTAMP, True)
DATE_ = _base("date", "D", DATE)
TIME_ = _base("time", "D", TIME)
SPAN = _base("interval", "T", INTERVAL, True)
JSONB = _base("jsonb", "U", JSON)
JSONPATH = _base("jsonpath", "U")
TSVECTOR_ = _base("tsvector", "U", TSVECTOR)
TSQUERY = _base("tsquery", "U")
VECTOR = _base("vector", "U")
UNKNOWN = _base("unknown", "X")
RECORD = _base("record", "P")
VOID = _base("void", "P")
_RANGES = [
    SqlType("int4range", "R", column=INT4RANGE, element=INT4),
    SqlType("int8range", "R", column=INT8RANGE, element=INT8),
    SqlType("numrange", "R", column=NUMRANGE, element=NUMBER),
    SqlType("daterange", "R", column=DATERANGE, element=DATE_),
    SqlType("tsrange", "R", column=TSRANGE, element=TIMESTAMP_),
]
POLYMORPHIC = frozenset(
    [
        "any",
        "anyelement",
        "anyarray",
        "anynonarray",
        "anyenum",
        "anyrange",
        "anycompatible",
        "anycompatiblearray",
        "anycompatiblenonarray",
    ]
)
"""Names in signatures that stand for types of some kind."""

BY_NAME: dict[str, SqlType] = {
    t.name: t
    for t in (
        *(BOOL, INT2, INT4, INT8, FLOAT4, FLOAT8, NUMBER, STRING, VARCHAR, BPCHAR, BYTEA, UUID_),
        *(TIMESTAMP_, DATE_, TIME_, SPAN, JSONB, JSONPATH, TSVECTOR_, TSQUERY, VECTOR, *_RANGES),
        *(UNKNOWN, RECORD, VOID, *(_base(name, "P") for name in POLYMORPHIC)),
    )
}
"""Every type that is not made of others, by its short name."""

ALIASES = {
    "timestamptz": "timestamp",
    "timetz": "time",
    "json": "jsonb",
    "name": "text",
    "citext": "text",
    "regclass": "text",
    "regtype": "text",
    "regconfig": "text",
    "oid": "int8",
    "decimal": "numeric",
}
"""Other names of types."""

SERIALS = {
    "serial": INT4,
    "serial4": INT4,
    "bigserial": INT8,
    "serial8": INT8,
    "smallserial": INT2,
    "serial2": INT2,
}
"""What a column is that a sequence numbers."""

INTERVAL_FIELDS = ("year", "month", "day", "hour", "minute", "second")
"""What ``interval day`` and the like name; a modifier of -1 is a year."""

_TITLES = {
    "bool": "boolean",
    "int2": "smallint",
    "int4": "integer",
    "int8": "bigint",
    "float4": "real",
    "float8": "double precision",
    "varchar": "character varying",
    "bpchar": "character",
    "timestamp": "timestamp without time zone",
    "time": "time without time zone",
}
_ARRAYS: dict[str, SqlType] = {}


def array_of(element: SqlType) -> SqlType:
    """Return the type of arrays of an element type, with the element's modifier."""
    name = element.name + "[]"
    found = _ARRAYS.get(name)
    if found is None or found.element is not element:
        found = SqlType(name, "A", element=element)
        if not element.modifier and element.category != "E":
            _ARRAYS[name] = found
    return found


def enum_type(definition: EnumDef) -> SqlType:
    """Return the type of a definition of the catalogue."""
    labels = tuple(label for _, label in definition.type.labels)
    return SqlType(show_name(definition.name), "E", column=definition.type, labels=labels)


def named(name: str) -> SqlType:
    """Return a type of a signature by its short name, arrays too."""
    if name.endswith("[]"):
        return array_of(named(name[:-2]))
    return BY_NAME[name]


def is_known(name: str) -> SqlType | None:
    """Return a built-in type by a name that a statement may give it, or None."""
    found = BY_NAME.get(ALIASES.get(name, name))
    return None if found is None or found.category in "PX" else found


def record_of(fields: Iterable[tuple[str, SqlType]]) -> SqlType:
    """Return the type of records with some fields."""
    known = tuple((name, STRING if sql_type.category == "X" else sql_type) for name, sql_type in fields)
    return replace(RECORD, fields=known)
