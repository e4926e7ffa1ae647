"""Enums: the first and last of their labels, and those between two. Values are codes that sort as the labels are listed."""

from __future__ import annotations

from collections.abc import Sequence

from ..execute.column import Column
from ..execute.context import Context
from ..types import SqlType, array_of
from .registry import columns


def codes_of(sql_type: SqlType) -> list[int]:
    """Return the codes of an enum's labels, in order."""
    assert sql_type.column is not None
    return [code for code, _ in sql_type.column.labels]  # type: ignore[attr-defined]


@columns("enum_first: anyenum")
def _first(context: Context, arguments: Sequence[Column], count: int) -> Column:
    sql_type = arguments[0].type
    return Column.constant(sql_type, min(codes_of(sql_type), default=None))


@columns("enum_last: anyenum")
def _last(context: Context, arguments: Sequence[Column], count: int) -> Column:
    sql_type = arguments[0].type
    return Column.constant(sql_type, max(codes_of(sql_type), default=None))


@columns("enum_range: anyenum|anyenum anyenum")
def _range(context: Context, arguments: Sequence[Column], count: int) -> Column:
    codes = codes_of(arguments[0].type)
    result = array_of(arguments[0].type)
    if len(arguments) == 1:
        return Column.constant(result, tuple(codes))
    constant = all(a.is_constant for a in arguments)
    lists = [a.expanded(1 if constant else count).tolist() for a in arguments]
    found = Column.of(
        result,
        [
            tuple(c for c in codes if (low is None or c >= low) and (high is None or c <= high))
            for low, high in zip(*lists, strict=True)
        ],
    )
    found.is_constant = constant
    return found
