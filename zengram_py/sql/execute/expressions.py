"""Expressions: bound values as functions of a batch.

:meth:`Expressions.compile` gives for each bound value a function of (context, batch) that returns a :class:`Column`. Where a value stands
ready in the batch, the *layout* says so: it maps bound values to places, columns of tables at first, keys of groups and results of
aggregates and windows higher up. A column that is not in the layout belongs to a query around this one; then its row is in the
context (``context.outer``), and :attr:`Expressions.free` remembers it.

What may fail or is costly is only computed for rows that need it: the branches of ``case``, the right sides of ``and`` and ``or``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...text.postings import repeat
from ..bound import (
    ArrayOf,
    Bound,
    CastTo,
    Chain,
    Choice,
    ColumnVar,
    Const,
    DistinctTest,
    Element,
    FieldOf,
    FirstOf,
    Invocation,
    Logic,
    Membership,
    Negation,
    NullIf,
    OutputVar,
    Param,
    QuantifiedArray,
    QuantifiedQuery,
    Replaced,
    RowOf,
    Subquery,
    Test,
    walk,
)
from ..errors import error, unsupported
from ..functions.registry import call, implementation
from ..signatures import Signature
from ..types import BOOL, RECORD, SqlType
from .column import Batch, Column, Mask, nulls_of, objects
from .context import Context
from .ordering import Record, key_of, keys_of

if TYPE_CHECKING:
    from ..plan.planner import Planner

Evaluator = Callable[[Context, Batch], Column]
Layout = Mapping[Bound, int]
_COMPARISONS = frozenset(["=", "<>", "<", "<=", ">", ">="])


class Expressions:
    """Compiles the expressions over one layout.

    Parameters
    ----------
    layout : mapping of Bound to int
        Which values stand where in the batches.
    planner : Planner
        Plans subqueries.

    Attributes
    ----------
    free : set of (int, int)
        Columns of the queries around that were named so far: (relation, column).
    """

    def __init__(self, layout: Layout, planner: Planner) -> None:
        self.layout = layout
        self.planner = planner
        self.free: set[tuple[int, int]] = set()

    def compile(self, node: Bound) -> Evaluator:
        """Return the function that computes a value."""
        if isinstance(
            node, Const
        ):  # to look up thousands of them in a layout would take longer than all else
            return self._const(node)
        at = self.layout.get(node)
        if at is not None:
            return lambda context, batch: batch.columns[at]
        return _COMPILERS[type(node)](self, node)

    def compile_all(self, nodes: Sequence[Bound]) -> list[Evaluator]:
        """Return the functions of several values."""
        return [self.compile(node) for node in nodes]

    # Leaves.

    def _const(self, node: Const) -> Evaluator:
        column = Column.constant(node.type, stored_constant(node))
        return lambda context, batch: column

    def _param(self, node: Param) -> Evaluator:
        at, sql_type = node.number - 1, node.type
        if sql_type.name == "vector":
            return lambda context, batch: Column.constant(sql_type, _vector(context.parameters[at]))
        return lambda context, batch: Column.constant(sql_type, context.parameters[at])

    def _column(self, node: ColumnVar) -> Evaluator:
        key = node.relation, node.column
        opened = self.planner.alias(key)
        if opened is not None:
            return self.compile(opened)
        self.free.add(key)
        return lambda context, batch: context.outer[key]

    def _output(self, node: OutputVar) -> Evaluator:
        at = node.column
        return lambda context, batch: batch.columns[at]

    # Calls.

    def _invocation(self, node: Invocation) -> Evaluator:
        if node.signature.gives_rows:
            raise unsupported(f"{node.signature.name} here", node.at)
        arguments = self.compile_all(node.arguments)
        made = implementation(_whole(node))
        result, place = node.type, node.at

        def evaluate(context: Context, batch: Batch) -> Column:
            columns = [a(context, batch) for a in arguments]
            return call(made, context, result, columns, batch.count)

        _ = place
        return evaluate

    def _chain(self, node: Chain) -> Evaluator:
        first = self.compile(node.first)
        steps = [(implementation(s), s.result, self.compile(operand)) for s, operand in node.steps]

        def evaluate(context: Context, batch: Batch) -> Column:
            found = first(context, batch)
            for made, result, operand in steps:
                found = call(made, context, result, [found, operand(context, batch)], batch.count)
            return found

        return evaluate

    def _cast(self, node: CastTo) -> Evaluator:
        from ..functions.casting import cast_column

        operand = self.compile(node.operand)
        source, target, explicit = node.operand.type, node.type, node.explicit

        def evaluate(context: Context, batch: Batch) -> Column:
            return cast_column(context, operand(context, batch), source, target, explicit)

        return evaluate

    # Logic.

    def _logic(self, node: Logic) -> Evaluator:
        parts = [(self.compile(o), _is_safe(o)) for o in node.operands]
        return _conjunction(parts) if node.name == "and" else _disjunction(parts)

    def _negation(self, node: Negation) -> Evaluator:
        operand = self.compile(node.operand)

        def evaluate(context: Context, batch: Batch) -> Column:
            found = operand(context, batch)
            return Column(BOOL, ~found.values, found.nulls, is_constant=found.is_constant)

        return evaluate

    def _test(self, node: Test) -> Evaluator:
        operand, test, negated = self.compile(node.operand), node.test, node.negated
        if test == "null" and node.operand.type == RECORD:
            return _record_null(operand, negated)

        def evaluate(context: Context, batch: Batch) -> Column:
            found = operand(context, batch)
            size = 1 if found.is_constant else batch.count
            nulls = found.is_null(size)
            if test in ("null", "unknown"):
                answer = ~nulls if negated else nulls
            else:
                answer = (found.values if test == "true" else ~found.values) & ~nulls
                answer = ~answer if negated else answer
            return Column(BOOL, answer, is_constant=found.is_constant)

        return evaluate

    def _distinct(self, node: DistinctTest) -> Evaluator:
        left, right = self.compile(node.left), self.compile(node.right)
        made, negated = implementation(node.equality), node.negated

        def evaluate(context: Context, batch: Batch) -> Column:
            one, other = left(context, batch), right(context, batch)
            equal = call(made, context, BOOL, [one, other], batch.count)
            size = 1 if one.is_constant and other.is_constant else batch.count
            one_null, other_null = one.is_null(size), other.is_null(size)
            same = equal.is_true(size) | (one_null & other_null)
            return Column(BOOL, same if negated else ~same, is_constant=size == 1 and equal.is_constant)

        return evaluate

    # Choices.

    def _choice(self, node: Choice) -> Evaluator:
        branches = [(self.compile(c), self.compile(v)) for c, v in node.branches]
        otherwise = None if node.otherwise is None else self.compile(node.otherwise)
        result = node.type

        def evaluate(context: Context, batch: Batch) -> Column:
            rest = np.arange(batch.count)
            pieces: list[tuple[Any, Column]] = []
            for condition, value in branches:
                part = batch if len(rest) == batch.count else batch.take(rest)
                true = condition(context, part).is_true(len(rest))
                if true.any():
                    chosen = rest[true]
                    piece = batch if len(chosen) == batch.count else batch.take(chosen)
                    pieces.append((chosen, value(context, piece)))
                    rest = rest[~true]
                if not len(rest):
                    break
            if len(rest) and otherwise is not None:
                piece = batch if len(rest) == batch.count else batch.take(rest)
                pieces.append((rest, otherwise(context, piece)))
            return _assembled(result, pieces, batch.count)

        return evaluate

    def _first_of(self, node: FirstOf) -> Evaluator:
        arguments, result = self.compile_all(node.arguments), node.type
        if node.name == "coalesce":
            return _coalesce(arguments, result)
        return _extreme(arguments, result, greatest=node.name == "greatest")

    def _null_if(self, node: NullIf) -> Evaluator:
        left, right = self.compile(node.left), self.compile(node.right)
        made, result = implementation(node.equality), node.type

        def evaluate(context: Context, batch: Batch) -> Column:
            one, other = left(context, batch), right(context, batch)
            equal = call(made, context, BOOL, [one, other], batch.count)
            count = 1 if equal.is_constant else batch.count
            hidden = equal.is_true(count) | one.is_null(count)
            values = one.values if one.is_constant and count == 1 else one.expanded(count).values
            if values.dtype == object:
                values = values.copy()
                values[hidden] = None
            return Column(result, values, hidden, is_constant=equal.is_constant)

        return evaluate

    # Parts and rows.

    def _array(self, node: ArrayOf) -> Evaluator:
        items, result = self.compile_all(node.items), node.type
        nested = bool(node.items) and node.items[0].type.category == "A"

        def evaluate(context: Context, batch: Batch) -> Column:
            columns = [item(context, batch) for item in items]
            constant = all(c.is_constant for c in columns)
            size = 1 if constant else batch.count
            lists = [c.expanded(size).tolist() for c in columns]
            out: list[Any] = [tuple(row) for row in zip(*lists, strict=True)] if lists else [()] * size
            if nested:
                out = [_nested(row) for row in out]
            return Column(result, objects(out), is_constant=constant)

        return evaluate

    def _row(self, node: RowOf) -> Evaluator:
        items, names, of_relation = self.compile_all(node.items), node.names, node.of_relation
        types = tuple(i.type for i in node.items)

        def evaluate(context: Context, batch: Batch) -> Column:
            columns = [item(context, batch) for item in items]
            constant = all(c.is_constant for c in columns)
            size = 1 if constant else batch.count
            lists = [c.expanded(size).tolist() for c in columns]
            rows = zip(*lists, strict=True) if lists else [()] * size
            if of_relation:
                out = [None if all(v is None for v in row) else Record(row, types, names) for row in rows]
                found = Column.of(RECORD, out)
                found.is_constant = constant
                return found
            return Column(RECORD, objects([Record(row, types, names) for row in rows]), is_constant=constant)

        return evaluate

    def _element(self, node: Element) -> Evaluator:
        from ..functions.subscripts import subscript

        operand = self.compile(node.operand)
        bounds = self.compile_all([b for pair in node.subscripts for b in pair if b is not None])
        made = subscript(node)

        def evaluate(context: Context, batch: Batch) -> Column:
            columns = [operand(context, batch), *(b(context, batch) for b in bounds)]
            return call(made, context, node.type, columns, batch.count)

        return evaluate

    def _replaced(self, node: Replaced) -> Evaluator:
        from ..functions.assignments import replacement

        bounds = [b for pair in node.subscripts for b in pair if b is not None]
        parts = self.compile_all([node.operand, *bounds, node.value])
        made, result = replacement(node), node.type

        def evaluate(context: Context, batch: Batch) -> Column:
            return call(made, context, result, [p(context, batch) for p in parts], batch.count)

        return evaluate

    def _field(self, node: FieldOf) -> Evaluator:
        operand, place, result = self.compile(node.operand), node.place, node.type

        def evaluate(context: Context, batch: Batch) -> Column:
            return operand(context, batch).map(lambda record: record.values[place], result)

        return evaluate

    # Sets.

    def _membership(self, node: Membership) -> Evaluator:
        operand, items = self.compile(node.operand), self.compile_all(node.items)
        fixed = all(
            not any(isinstance(n, (ColumnVar, Subquery, Invocation)) for n in walk(i)) for i in node.items
        )
        alike = node.equality.arguments[0].name == node.equality.arguments[1].name
        numbers = all(a.name.startswith("int") for a in node.equality.arguments)
        if fixed and (alike or numbers):
            return _in_set(operand, items, node.negated)
        made = implementation(node.equality)
        negated = node.negated

        def evaluate(context: Context, batch: Batch) -> Column:
            left = operand(context, batch)
            true, null = np.zeros(batch.count, bool), np.zeros(batch.count, bool)
            for item in items:
                equal = call(made, context, BOOL, [left, item(context, batch)], batch.count)
                true = true | equal.is_true(batch.count)
                null = null | equal.is_null(batch.count)
            null &= ~true
            return Column(BOOL, ~true if negated else true, null if null.any() else None)

        return evaluate

    def _quantified_array(self, node: QuantifiedArray) -> Evaluator:
        left, right = self.compile(node.left), self.compile(node.right)
        made, every = implementation(node.comparison), node.every
        element = node.comparison.arguments[1]

        def evaluate(context: Context, batch: Batch) -> Column:
            one, arrays = left(context, batch), right(context, batch)
            constant = one.is_constant and arrays.is_constant
            size = 1 if constant else batch.count
            lists = [None if a is None else _flat(a) for a in arrays.expanded(size).tolist()]
            lengths = np.array([0 if a is None else len(a) for a in lists], np.int64)
            rows = repeat(np.arange(size), lengths)
            items = Column.of(element, [v for a in lists if a is not None for v in a])
            answer = call(made, context, BOOL, [one.expanded(size).take(rows), items], len(rows))
            found = reduced(answer, rows, size, every)
            missing = np.array([a is None for a in lists], bool)
            if missing.any():
                found.nulls = missing if found.nulls is None else found.nulls | missing
            found.is_constant = constant
            return found

        return evaluate

    def _subquery(self, node: Subquery) -> Evaluator:
        return self.planner.subquery(self, node)

    def _quantified_query(self, node: QuantifiedQuery) -> Evaluator:
        return self.planner.quantified(self, node)


_COMPILERS: dict[type[Any], Callable[[Expressions, Any], Evaluator]] = {
    Const: Expressions._const,
    Param: Expressions._param,
    ColumnVar: Expressions._column,
    OutputVar: Expressions._output,
    Invocation: Expressions._invocation,
    Chain: Expressions._chain,
    CastTo: Expressions._cast,
    Logic: Expressions._logic,
    Negation: Expressions._negation,
    Test: Expressions._test,
    DistinctTest: Expressions._distinct,
    Choice: Expressions._choice,
    FirstOf: Expressions._first_of,
    NullIf: Expressions._null_if,
    ArrayOf: Expressions._array,
    RowOf: Expressions._row,
    Element: Expressions._element,
    FieldOf: Expressions._field,
    Replaced: Expressions._replaced,
    Membership: Expressions._membership,
    QuantifiedArray: Expressions._quantified_array,
    Subquery: Expressions._subquery,
    QuantifiedQuery: Expressions._quantified_query,
}


def _whole(node: Invocation) -> Signature:
    """Return the signature of a call, with a name of its own if its last argument is an array for all the rest."""
    if not node.variadic:
        return node.signature
    signature = node.signature
    return Signature(
        "variadic " + signature.name,
        tuple(a.type for a in node.arguments),
        signature.result,
        signature.kind,
    )


def stored_constant(node: Const) -> Any:
    """Return a constant's value as columns hold it."""
    return _vector(node.value) if node.type.name == "vector" else node.value


def _vector(value: Any) -> Any:
    return None if value is None else np.array(value, np.float32)


def _is_safe(node: Bound) -> bool:
    """Return whether computing a value can neither fail nor take long."""
    for part in walk(node):
        if isinstance(part, Invocation):
            if part.signature.name not in _COMPARISONS or part.signature.arguments[0].category not in "BDNES":
                return False
        elif isinstance(part, (CastTo, Chain, Subquery, QuantifiedQuery, QuantifiedArray, Element, Choice)):
            return False
    return True


def _conjunction(parts: list[tuple[Evaluator, bool]]) -> Evaluator:
    def evaluate(context: Context, batch: Batch) -> Column:
        count = batch.count
        true, null = np.ones(count, bool), np.zeros(count, bool)  # of the rows that no part has decided
        for part, safe in parts:
            if safe:
                found = part(context, batch)
                is_null = found.is_null(count)
                is_true = found.is_true(count)
                false = ~(is_true | is_null)
                true &= ~false
                null = (null | is_null) & true
                continue
            open_rows = np.flatnonzero(true)
            if not len(open_rows):
                break
            found = part(context, batch if len(open_rows) == count else batch.take(open_rows))
            size = len(open_rows)
            is_null = found.is_null(size)
            true[open_rows[~(found.is_true(size) | is_null)]] = False
            null[open_rows[is_null]] = True
            null &= true
        return Column(BOOL, true & ~null, null if null.any() else None)

    return evaluate


def _disjunction(parts: list[tuple[Evaluator, bool]]) -> Evaluator:
    def evaluate(context: Context, batch: Batch) -> Column:
        count = batch.count
        true, null = np.zeros(count, bool), np.zeros(count, bool)
        for part, safe in parts:
            if safe:
                found = part(context, batch)
                true |= found.is_true(count)
                null |= found.is_null(count)
                continue
            open_rows = np.flatnonzero(~true)
            if not len(open_rows):
                break
            found = part(context, batch if len(open_rows) == count else batch.take(open_rows))
            size = len(open_rows)
            true[open_rows[found.is_true(size)]] = True
            null[open_rows[found.is_null(size)]] = True
        null &= ~true
        return Column(BOOL, true, null if null.any() else None)

    return evaluate


def _record_null(operand: Evaluator, negated: bool) -> Evaluator:
    """Return the test of a row: is null if all of its columns are, is not null if none is."""

    def evaluate(context: Context, batch: Batch) -> Column:
        found = operand(context, batch)

        def answer(value: Any) -> bool:
            if value is None:
                return not negated
            return all((v is None) is not negated for v in value.values)

        out = np.array([answer(v) for v in found.tolist()], bool)
        return Column(BOOL, out, is_constant=found.is_constant)

    return evaluate


def _assembled(result: SqlType, pieces: list[tuple[Any, Column]], count: int) -> Column:
    """Return a column whose rows were computed in pieces; rows of none are null."""
    if len(pieces) == 1 and len(pieces[0][0]) == count:
        return pieces[0][1]
    found = nulls_of(result, count)
    assert found.nulls is not None
    for rows, piece in pieces:
        if piece.values.dtype == object and found.values.dtype == object and piece.is_constant:
            for row in rows:
                found.values[row] = piece.values[0]
        else:
            found.values[rows] = piece.values
        found.nulls[rows] = piece.is_null(len(rows))
    if not found.nulls.any():
        found.nulls = None
    return found


def _coalesce(arguments: list[Evaluator], result: SqlType) -> Evaluator:
    def evaluate(context: Context, batch: Batch) -> Column:
        first = arguments[0](context, batch)
        if first.nulls is None:
            return first
        count = batch.count
        nulls = first.is_null(count)
        rest = np.flatnonzero(nulls)
        done = np.flatnonzero(~nulls)
        pieces = [(done, first.take(done))] if len(done) else []
        for argument in arguments[1:]:
            if not len(rest):
                break
            piece = argument(context, batch if len(rest) == count else batch.take(rest))
            known = ~piece.is_null(len(rest))
            if known.any():
                pieces.append((rest[known], piece.take(known)))
                rest = rest[~known]
        return _assembled(result, pieces, count)

    return evaluate


def _extreme(arguments: list[Evaluator], result: SqlType, *, greatest: bool) -> Evaluator:
    """Return ``greatest`` or ``least``: nulls do not count."""
    key = key_of(result)
    choose = max if greatest else min

    def best(row: tuple[Any, ...]) -> Any:
        known = [v for v in row if v is not None]
        if not known:
            return None
        return choose(known) if key is None else choose(known, key=key)

    def evaluate(context: Context, batch: Batch) -> Column:
        columns = [a(context, batch) for a in arguments]
        constant = all(c.is_constant for c in columns)
        size = 1 if constant else batch.count
        if all(c.nulls is None for c in columns) and columns[0].values.dtype.kind in "bi":
            function = np.maximum if greatest else np.minimum
            values = columns[0].values
            for column in columns[1:]:
                values = function(values, column.values)
            return Column(result, values, is_constant=constant)
        lists = [c.expanded(size).tolist() for c in columns]
        found = Column.of(result, [best(row) for row in zip(*lists, strict=True)])
        found.is_constant = constant
        return found

    return evaluate


def _nested(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return an array of arrays as one with a dimension more."""
    lengths = {_shape(v) for v in row}
    if len(lengths) > 1:
        raise error("2202E", "multidimensional arrays must have array expressions with matching dimensions")
    return () if lengths == {()} else row


def _shape(value: Any) -> tuple[int, ...]:
    if type(value) is not tuple or not value:
        return ()
    return (len(value), *_shape(value[0]))


def _flat(value: tuple[Any, ...]) -> list[Any]:
    """Return the items of an array of any dimensions."""
    if value and type(value[0]) is tuple:
        return [item for part in value for item in _flat(part)]
    return list(value)


def reduced(answer: Column, rows: Any, size: int, every: bool) -> Column:
    """Return for each row whether any, or every, of its answers is true, in three-valued logic."""
    count = len(rows)
    true, null = answer.is_true(count), answer.is_null(count)
    is_true, is_null = np.zeros(size, bool), np.zeros(size, bool)
    is_null[rows[null]] = True
    if every:
        is_true[:] = True
        is_true[rows[~(true | null)]] = False
        is_null &= is_true
    else:
        is_true[rows[true]] = True
        is_null &= ~is_true
    return Column(BOOL, is_true & ~is_null, is_null if is_null.any() else None)


def _in_set(operand: Evaluator, items: list[Evaluator], negated: bool) -> Evaluator:
    """Return membership in a list that is the same for all rows."""
    one = Batch([], 1)

    def evaluate(context: Context, batch: Batch) -> Column:
        left = operand(context, batch)
        columns = [item(context, one) for item in items]
        has_null = any(c.nulls is not None for c in columns)
        known = [c for c in columns if c.nulls is None]
        found = _is_in(left, known)
        nulls: Mask | None = left.nulls
        if has_null:
            nulls = ~found if nulls is None else nulls | ~found
        return Column(BOOL, ~found if negated else found, nulls, is_constant=left.is_constant)

    return evaluate


def _is_in(left: Column, known: list[Column]) -> Mask:
    if left.is_dictionary and key_of(left.type) is None:
        wanted = [left.heap.find(c.values[0]) for c in known]  # type: ignore[union-attr]
        return np.isin(left.codes, [w for w in wanted if w is not None])  # type: ignore[arg-type]
    values = left.values
    if values.dtype.kind in "bi" and all(c.values.dtype.kind in "bi" for c in known):
        return np.isin(values, [c.values[0] for c in known])
    keys = {k for c in known for k in keys_of(c)}
    return np.fromiter((k in keys for k in keys_of(left)), bool, len(values))
