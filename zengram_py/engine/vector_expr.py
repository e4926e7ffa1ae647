"""Expressions over columns: a filter for many slots at once.

:func:`filter_mask` answers which of the slots that a mask keeps satisfy a tree (expr.py). Comparisons of fixed columns
with each other and with constants become numpy operations, equality with text compares dictionary references, and
``and``, ``or`` and ``not`` combine masks. Where most slots are kept, these run over whole columns, which is several
times quicker than picking the kept ones out first; the others are cut off afterwards.

What a tree holds beside these is evaluated row by row, last, and only for rows that the rest of a conjunction leaves:
never for a row that the reader does not see. Both ways give the same answer, which a test checks on random trees.

A condition has three values. As two masks, (true, null), the logic is Kleene's.
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
Span = Any
"""Which slots: an int32 array, or a slice for a whole column."""
_WHOLE_ABOVE = 0.2  # share of kept slots above which whole columns are quicker than gathered parts
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


def filter_mask(tree: Expr, columns: dict[str, Column], mask: Mask) -> Entries:
    """Return the slots that a mask keeps and for which a condition is true, ascending.

    Parameters
    ----------
    tree : expression
        The condition.
    columns : dict of str to Column
        The table's columns by name.
    mask : bool array
        The candidates, by slot.
    """
    quick, slow = _split(tree, columns)
    kept = np.count_nonzero(mask)
    if quick and kept > _WHOLE_ABOVE * len(mask):
        for part in quick:
            mask = mask & _evaluate(part, columns, slice(0, len(mask)))[0]
        quick = []
    slots = np.flatnonzero(mask).astype(np.int32)
    for part in (*quick, *slow):
        slots = filter_slots(part, columns, slots)
    return slots


def filter_slots(tree: Expr, columns: dict[str, Column], slots: Entries) -> Entries:
    """Return those of some slots for which a condition is true, in order."""
    if not len(slots):
        return slots
    quick, slow = _split(tree, columns)
    for part in (*quick, *slow):
        slots = slots[_evaluate(part, columns, slots)[0]]
    return slots


def _split(tree: Expr, columns: dict[str, Column]) -> tuple[list[Any], list[Any]]:
    """Return the parts of a conjunction that numpy evaluates as a whole, and the others."""
    parts = tree[1:] if isinstance(tree, list) and tree and tree[0] == "and" else [tree]
    quick = [part for part in parts if _is_quick(part, columns)]
    return quick, [part for part in parts if part not in quick]


def _is_quick(tree: Any, columns: dict[str, Column]) -> bool:
    head = tree[0] if isinstance(tree, list) and tree else None
    if head in ("and", "or", "not"):
        return all(_is_quick(part, columns) for part in tree[1:])
    if head == "in":
        return all(_is_quick(["=", tree[1], part], columns) for part in tree[2:])
    if head == "is_null":
        return isinstance(tree[1], list) and tree[1][0] == "col"
    nothing = np.empty(0, np.int32)
    return head in _COMPARE and _comparison(head, tree[1], tree[2], columns, nothing) is not None


def _evaluate(tree: Any, columns: dict[str, Column], slots: Span) -> Truth:
    head = tree[0] if isinstance(tree, list) and tree else None
    if head in ("and", "or"):
        return _join(head, tree[1:], columns, slots)
    if head == "not":
        true, null = _evaluate(tree[1], columns, slots)
        return ~(true | null), null
    if head == "is_null" and isinstance(tree[1], list) and tree[1][0] == "col":
        column = columns[tree[1][1]]
        nothing = np.zeros(_length(slots), bool)
        return (_nulls(column, slots), nothing)
    if head == "in" and all(isinstance(part, list) and part[0] == "lit" for part in tree[2:]):
        return _join("or", [["=", tree[1], part] for part in tree[2:]], columns, slots)
    if head in _COMPARE:
        fast = _comparison(head, tree[1], tree[2], columns, slots)
        if fast is not None:
            return fast
    return _row_by_row(tree, columns, slots)


def _join(head: str, parts: list[Any], columns: dict[str, Column], slots: Span) -> Truth:
    """Evaluate ``and`` or ``or``; of some slots, each part only where those before it leave the answer open."""
    if isinstance(slots, slice):
        return _combine(head, [_evaluate(part, columns, slots) for part in parts], _length(slots))
    count = len(slots)
    true, null, undecided = np.full(count, head == "and"), np.zeros(count, bool), np.arange(count)
    for part in parts:
        part_true, part_null = _evaluate(part, columns, slots[undecided])
        null[undecided] |= part_null
        decided = part_true if head == "or" else ~(part_true | part_null)
        at = undecided[decided]
        true[at], null[at] = head == "or", False
        undecided = undecided[~decided]
    return true & ~null, null


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


def _comparison(head: str, left: Any, right: Any, columns: dict[str, Column], slots: Span) -> Truth | None:
    """Compare by numpy where both sides allow it, else give None."""
    if not (isinstance(left, list) and isinstance(right, list)):
        return None  # one is SQL
    if left[0] == "lit" and right[0] == "col":
        return _comparison(_MIRROR[head], right, left, columns, slots)
    if left[0] != "col":
        return None
    column = columns[left[1]]
    if right[0] == "lit":
        value = right[1]
        if value is None:
            return np.zeros(_length(slots), bool), np.ones(_length(slots), bool)
        return _with_constant(head, column, value, slots)
    if right[0] == "col":
        other = columns[right[1]]
        if isinstance(column, FixedColumn) and isinstance(other, FixedColumn) and _plain(column, other):
            null = _nulls(column, slots) | _nulls(other, slots)
            found = _COMPARE[head](column.values[slots], other.values[slots])
            return found & ~null, null
    return None


def _with_constant(head: str, column: Column, value: Any, slots: Span) -> Truth | None:
    if isinstance(column, FixedColumn):
        numeric = isinstance(value, (int, float)) and not isinstance(value, bool) and column.type != BOOLEAN
        if isinstance(column.type, EnumType) or not (numeric or (value is True or value is False)):
            return None
        if isinstance(value, int) and not isinstance(value, bool) and not -(2**63) <= value < 2**63:
            return None
        values = column.values[slots]
        if value != value or (values.dtype.kind == "f" and np.isnan(column.values).any()):
            return None  # NaN has a place in the order of values that numpy does not give it
        if isinstance(value, float) or values.dtype.kind == "f":
            if (values.dtype.kind == "i" or isinstance(value, int)) and abs(value) >= 2**53:
                return None  # numpy would round the whole numbers
            value = np.float64(value)  # not a weak Python float, which would be rounded to a float32 column
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


def _nulls(column: Column, slots: Span) -> Mask:
    if isinstance(column, HeapColumn):
        return column.refs[slots] < 0
    return np.zeros(_length(slots), bool) if column.nulls is None else column.nulls[slots]


def _length(slots: Span) -> int:
    return slots.stop if isinstance(slots, slice) else len(slots)


def _row_by_row(tree: Expr, columns: dict[str, Column], slots: Entries) -> Truth:
    function = compile_expr(tree, {name: column.type for name, column in columns.items()})
    names = list(dict.fromkeys(columns_of(tree))) if isinstance(tree, list) else list(columns)
    values = [columns[name].take(slots) for name in names]
    rows = zip(*values, strict=True) if names else ((),) * _length(slots)
    out = [function(dict(zip(names, row, strict=True))) for row in rows]
    true = np.array([value is True for value in out], bool)
    null = np.array([value is None for value in out], bool)
    return true, null
