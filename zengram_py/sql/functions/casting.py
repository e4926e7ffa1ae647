"""Casts of columns: which code turns one type into another.

    alike       text, varchar; a type and itself       the same column under another type
    to text     everything                             output.py writes it
    from text   everything                             literals.py reads it
    arrays      as their elements                      all elements of a column at once
    others      numbers, times, JSON, bytes            casts.py has one piece of code for each pair

What a declaration adds (the 10 and 2 of ``numeric(10, 2)``) comes last, over values that have the type already.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from ...engine.heap import MatrixHeap
from ..errors import error, unsupported
from ..execute.column import Array, Column, objects
from ..execute.context import Context
from ..fitting import fit_interval, fit_moments, fit_number, fit_text
from ..literals import read, reads
from ..types import SqlType
from .output import cast_text_of
from .registry import call, known_cast

_READERS = {"tsquery": ".fulltext", "tsvector": ".fulltext", "jsonpath": ".jsonpath"}
"""Modules that read a type's texts, each by a function such as ``read_tsquery``."""


def cast_column(context: Context, column: Column, source: SqlType, target: SqlType, explicit: bool) -> Column:
    """Return a column as another type.

    Parameters
    ----------
    context : Context
        The run.
    column : Column
        What is there.
    source, target : SqlType
        Its type, and the one that is wanted, with its modifier.
    explicit : bool
        Whether texts are cut to their length in place of being refused.

    Raises
    ------
    SqlError
        What the type refuses the value with, 22001 for a text that is too long, 0A000 for a cast that is not here.
    """
    if source.category == "A" and target.category == "A":
        return _arrays(context, column, source, target, explicit)
    if source.name == target.name:
        found = column.as_type(target)
    elif target.category == "S":
        found = _as_text(column, source, target)
    elif source.category in "SX":
        found = _from_text(context, column, target, explicit)
    else:
        made = known_cast(source.name, target.name)
        if made is None:
            raise unsupported(f"a cast from {source.title} to {target.title}")
        found = call(made, context, target, [column], len(column))
    return _fitted(found, target, explicit) if target.modifier else found


def _as_text(column: Column, source: SqlType, target: SqlType) -> Column:
    if source.category in "SX" and source.name != "bpchar":
        return column.as_type(target)
    return column.map(cast_text_of(source), target)


def _from_text(context: Context, column: Column, target: SqlType, explicit: bool) -> Column:
    if target.category == "A":
        assert target.element is not None
        bare = column.map(_reader(_bare(target)), target)
        return _arrays(context, bare, target, target, explicit) if target.element.modifier else bare
    return column.map(_reader(_bare(target)), target)


def _bare(target: SqlType) -> SqlType:
    """Return a type without its modifier, also that of its elements."""
    if target.category == "A" and target.element is not None and target.element.modifier:
        return SqlType(target.name, "A", element=target.element.with_modifier())
    return target.with_modifier()


def _reader(target: SqlType) -> Callable[[str], Any]:
    """Return the function that reads a type's texts into stored values."""
    if target.name == "vector":
        return lambda text: np.array(read(text, target), np.float32)
    if reads(target):
        return partial(read, target=target)
    module = _READERS.get(target.name)
    found: Callable[[str], Any] | None = None
    if module is not None:
        found = getattr(import_module(module, __package__), f"read_{target.name}", None)
    if found is None:
        raise unsupported(f"a cast from text to {target.title}")
    return found


# Arrays.


def _arrays(context: Context, column: Column, source: SqlType, target: SqlType, explicit: bool) -> Column:
    """Return arrays with each element cast."""
    one, other = source.element, target.element
    assert one is not None
    assert other is not None
    texts = one.category == other.category == "S" and one.name != "bpchar"
    if (one.name == other.name or texts) and not other.modifier:
        return column.as_type(target)
    values = column.tolist()
    flat: list[Any] = []
    for value in values:
        if value is not None:
            _flatten(value, flat)
    items = iter(cast_column(context, Column.of(one, flat), one, other, explicit).tolist())
    out = [None if value is None else _rebuilt(value, items) for value in values]
    return Column(target, objects(out), column.nulls, is_constant=column.is_constant)


def _flatten(value: tuple[Any, ...], out: list[Any]) -> None:
    for item in value:
        if type(item) is tuple:
            _flatten(item, out)
        else:
            out.append(item)


def _rebuilt(value: tuple[Any, ...], items: Any) -> tuple[Any, ...]:
    """Return an array of the same shape with other items."""
    return tuple([_rebuilt(item, items) if type(item) is tuple else next(items) for item in value])


# Modifiers.


def _fitted(column: Column, target: SqlType, explicit: bool) -> Column:
    """Return a column of a type with the length, precision or dimensions of its declaration."""
    modifier = target.modifier
    if target.category == "S":
        return column.map(partial(_fit_text, target=target, cut=explicit), target)
    if target.name == "numeric":
        return column.map(lambda value: fit_number(value, modifier), target)
    if target.name == "vector":
        return _with_dimensions(column, modifier[0])
    if target.name == "interval":
        return column.map(lambda value: fit_interval(value, modifier), target)
    values: Array = fit_moments(column.values, target)
    return Column(target, values, column.nulls, is_constant=column.is_constant)


def _fit_text(text: str, target: SqlType, cut: bool) -> str:
    return fit_text(text, target, cut=cut)


def _with_dimensions(column: Column, wanted: int) -> Column:
    if isinstance(column.heap, MatrixHeap):  # all of its vectors have the same
        lengths = {column.heap.dimensions} if not column.is_null(len(column)).all() else set()
    else:
        lengths = {len(value) for value in column.values if value is not None}
    for length in lengths:
        if length != wanted:
            raise error("22000", f"expected {wanted} dimensions, not {length}")
    return column
