"""Expressions over columns: a filter for many slots at once.

:func:`filter_slots` answers which of some slots satisfy a tree (expr.py). Comparisons of fixed columns with each other
and with constants become numpy operations, equality with text compares dictionary references, and ``and``, ``or`` and
``not`` combine masks; whatever else a tree holds is evaluated row by row, for that part alone. Both ways give the same
answer, which a test checks on random trees.

A condition has three values. As two masks, (true, null), the logic is Kleene's: and = (t1 & t2, ...).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .column import Column, FixedColumn, HeapColumn
from .composite import EnumType
from .expr import Expr, columns_of, compile_expr
from .heap import MatrixHeap
from .types import BOOLEAN

if TYPE_CHECKING:
    from .index.base import Entries

Mask = NDArray[np.bool_]
Truth = tuple[Mask, Mask]  # where it is true, where it is null
_MIRROR = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "=": np.equal,
    "!=": np.not_equal,
}


def filter_slots(tree: Expr, columns: dict[str, Column], slots: Entries) -> Entries:
    """Return those of the slots for which a condition is true.

    Parameters
    ----------
    tree : expression
        The condition.
    columns : dict of str to Column
        The table's columns by name.
    slots : int32 array
        The candidates.
    """
    true, _ = _evaluate(tree, columns, slots)
    return slots[true]


def _evaluate(tree: Any, columns: dict[str, Column], slots: Entries) -> Truth:
    head = tree[0] if isinstance(tree, list) and tree else None
    if head in ("and", "or"):
        parts = [_evaluate(part, columns, slots) for part in tree[1:]]
        return _combine(head, parts, len(slots))
    if head == "not":
        true, null = _evaluate(tree[1], columns, slots)
        return ~(true | null), null
    if head == "is_null" and tree[1][0] == "col":
        column = columns[tree[1][1]]
        nothing = np.zeros(len(slots), bool)
        return (_nulls(column, slots), nothing)
    if head == "in" and all(isinstance(part, list) and part[0] == "lit" for part in tree[2:]):
        parts = [_evaluate(["=", tree[1], part], columns, slots) for part in tree[2:]]
        return _combine("or", parts, len(slots))
    if head in _COMPARE:
        fast = _comparison(head, tree[1], tree[2], columns, slots)
        if fast is not None:
            return fast
    return _row_by_row(tree, columns, slots)


def _combine(head: str, parts: list[Truth], count: int) -> Truth:
    true = np.full(count, head == "and")
    false = ~true
    for part_true, part_null in parts:
        part_false = ~(part_true | part_null)
        if head == "and":
            true, false = true & part_true, false | part_false
        else:
            true, false = true | part_true, false & part_false
    return true, ~(true | false)


def _comparison(head: str, left: Any, right: Any, columns: dict[str, Column], slots: Entries) -> Truth | None:
    """Compare by numpy where both sides allow it, else give None."""
    if left[0] == "lit" and right[0] == "col":
        return _comparison(_MIRROR[head], right, left, columns, slots)
    if left[0] != "col":
        return None
    column = columns[left[1]]
    if right[0] == "lit":
        value = right[1]
        if value is None:
            return np.zeros(len(slots), bool), np.ones(len(slots), bool)
        return _with_constant(head, column, value, slots)
    if right[0] == "col":
        other = columns[right[1]]
        if isinstance(column, FixedColumn) and isinstance(other, FixedColumn) and _plain(column, other):
            null = _nulls(column, slots) | _nulls(other, slots)
            found = _COMPARE[head](column.take_array(slots), other.take_array(slots))
            return found & ~null, null
    return None


def _with_constant(head: str, column: Column, value: Any, slots: Entries) -> Truth | None:
    if isinstance(column, FixedColumn):
        numeric = isinstance(value, (int, float)) and not isinstance(value, bool) and column.type != BOOLEAN
        if isinstance(column.type, EnumType) or not (numeric or (value is True or value is False)):
            return None
        if isinstance(value, int) and not isinstance(value, bool) and not -(2**63) <= value < 2**63:
            return None
        values = column.take_array(slots)
        if values.dtype.kind == "f" and (value != value or np.isnan(values).any()):
            return None  # NaN has a place in the order of values that numpy does not give it
        null = _nulls(column, slots)
        return _COMPARE[head](values, value) & ~null, null
    assert isinstance(column, HeapColumn)
    if head not in ("=", "!=") or isinstance(column.heap, MatrixHeap) or not column.heap.is_dictionary:
        return None
    null = _nulls(column, slots)
    equal = column.equal(slots, value)
    return (equal, null) if head == "=" else (~(equal | null), null)


def _plain(*columns: FixedColumn) -> bool:
    return all(c.type != BOOLEAN and np.dtype(c.type.dtype).kind in "iu" for c in columns)


def _nulls(column: Column, slots: Entries) -> Mask:
    if isinstance(column, HeapColumn):
        return column.refs[slots] < 0
    return np.zeros(len(slots), bool) if column.nulls is None else column.nulls[slots]


def _row_by_row(tree: Expr, columns: dict[str, Column], slots: Entries) -> Truth:
    function = compile_expr(tree)
    names = list(dict.fromkeys(columns_of(tree))) if isinstance(tree, list) else list(columns)
    values = [columns[name].take(slots) for name in names]
    rows = zip(*values, strict=True) if names else ((),) * len(slots)
    out = [function(dict(zip(names, row, strict=True))) for row in rows]
    true = np.array([value is True for value in out], bool)
    null = np.array([value is None for value in out], bool)
    return true, null
