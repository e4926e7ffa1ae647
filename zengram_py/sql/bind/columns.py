"""Types of columns: SQL's as the engine's and back."""

from __future__ import annotations

import json

from ...engine import ColumnType, array, vector
from ...engine.composite import ArrayType, EnumType
from ...engine.limited import (
    TSQUERY,
    LimitedIntervalType,
    LimitedMomentType,
    LimitedTextType,
    ScaledNumericType,
    char,
    moment,
    numeric,
    varchar,
)
from ...engine.types import VectorType
from .. import types
from ..errors import unsupported
from ..types import SqlType, array_of

_PLAIN = {t.column.name: t for t in types.BY_NAME.values() if t.column is not None and t.category != "P"}
_PLAIN["text"] = types.STRING


def type_of_column(column: ColumnType) -> SqlType:
    """Return the SQL type of a column's type."""
    if isinstance(column, EnumType):
        labels = tuple(label for _, label in column.labels)
        return SqlType(_enum_name(column), "E", column=column, labels=labels)
    if isinstance(column, ArrayType):
        return array_of(type_of_column(column.element))
    if isinstance(column, (LimitedMomentType, LimitedIntervalType)):
        return _PLAIN[column.name.partition("(")[0]].with_modifier(column.precision)
    if isinstance(column, VectorType):
        return types.VECTOR.with_modifier(column.dimensions)
    if isinstance(column, ScaledNumericType):
        return types.NUMBER.with_modifier(column.precision, column.scale)
    if column == TSQUERY:
        return types.TSQUERY
    if isinstance(column, LimitedTextType):
        base = types.BPCHAR if column.fills else types.VARCHAR
        return base.with_modifier(column.length) if column.length else base
    return _PLAIN[column.name]


def column_of_type(sql_type: SqlType, at: int | None = None) -> ColumnType:
    """Return the engine's type of a column that is declared with an SQL type."""
    if sql_type.category == "A":
        assert sql_type.element is not None
        return array(column_of_type(sql_type.element, at))
    name, modifier = sql_type.name, sql_type.modifier
    if name == "vector":
        if not modifier:
            raise unsupported("a vector column without dimensions", at)
        return vector(modifier[0])
    if name == "numeric" and modifier:
        return numeric(*modifier)
    if name == "varchar":
        return varchar(*modifier)
    if name == "bpchar" and modifier:
        return char(modifier[0])
    if name == "tsquery":
        return TSQUERY
    if name in ("timestamp", "time", "interval") and modifier:
        return moment(name, modifier[0])
    if modifier:
        raise unsupported(f"a column of type {sql_type.declaration}", at)
    if sql_type.column is None or sql_type.category == "P":
        raise unsupported(f"a column of type {sql_type.title}", at)
    return sql_type.column


def _enum_name(column: EnumType) -> str:
    """Return the name that an enum's type carries: its catalogue name is ``enum ["name", labels]``."""
    return str(json.loads(column.name.removeprefix("enum "))[0])
