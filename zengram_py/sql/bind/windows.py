"""Windows: functions of the rows around each row, and what divides and orders these."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import SqlError
from .. import tree
from ..bound import Bound, SortBy, WindowCall, WindowFrame, WindowSpec
from ..casts import ASSIGNMENT, IMPLICIT, converts
from ..errors import error, unsupported
from ..scope import Scope
from ..signatures import Signature
from ..types import FLOAT8, INT8, SPAN, SqlType
from .choosing import Choosing
from .levels import own_relations, relations_in
from .operators import Place


class Windows(Choosing):
    """The part of the binder that binds windows."""

    def _window_function(
        self, node: tree.Call, candidates: Sequence[Signature], scope: Scope, place: Place
    ) -> Bound:
        name = node.parts[-1]
        if node.over is None:
            raise error("42809", f"window function {name} requires an OVER clause", node.at)
        if not place.windows:
            raise no_windows(place, node.at)
        if node.distinct or node.order_by:
            what = "DISTINCT" if node.distinct else "aggregate ORDER BY"
            raise unsupported(f"{what} for window functions", node.at)
        if node.filter is not None:
            raise unsupported("FILTER for window functions that are no aggregates", node.at)
        inner = Place("window function arguments", aggregates=place.aggregates)
        arguments = [self.bind(a, scope, inner) for a in node.arguments]
        signature = self._choose(node, candidates, arguments)
        if signature is None:
            return self._as_cast(node, arguments, candidates)
        return self._over(node, signature, self._coerced(signature, arguments), None, scope, place)

    def _over(
        self,
        node: tree.Call,
        signature: Signature,
        arguments: tuple[Bound, ...],
        filter_: Bound | None,
        scope: Scope,
        place: Place,
    ) -> Bound:
        if not place.windows:
            raise no_windows(place, node.at)
        if node.distinct:
            raise unsupported("DISTINCT for window functions", node.at)
        if node.order_by:
            raise unsupported("aggregate ORDER BY for window functions", node.at)
        assert node.over is not None
        spec = self.window(node.over, scope, place)
        return WindowCall(signature.result, signature, arguments, spec, filter_, at=node.at)

    def window(self, node: tree.Window, scope: Scope, place: Place) -> WindowSpec:
        """Return how a window divides and orders rows, with what it takes from the window that it names."""
        base = None
        if node.base is not None:
            found = place.named_windows.get(node.base)
            if found is None:
                raise error("42704", f'window "{node.base}" does not exist', node.at)
            if node.is_name:
                return self.window(found, scope, place)
            if node.partition_by:
                message = f'cannot override PARTITION BY clause of window "{node.base}"'
                raise error("42P20", message, node.at)
            if node.order_by and found.order_by:
                message = f'cannot override ORDER BY clause of window "{node.base}"'
                raise error("42P20", message, node.at)
            if found.frame is not None:
                message = f'cannot copy window "{node.base}" because it has a frame clause'
                raise error("42P20", message, node.at)
            base = self.window(found, scope, place)
        inner = Place("window definitions", aggregates=place.aggregates)
        partition = tuple(self.settled(self.bind(p, scope, inner)) for p in node.partition_by)
        order_by = self.sort_keys(node.order_by, scope, inner)
        if base is not None:
            partition, order_by = base.partition_by, base.order_by or order_by
        frame = None if node.frame is None else self._frame(node.frame, order_by, scope)
        return WindowSpec(partition, order_by, frame)

    def _frame(self, node: tree.Frame, order_by: tuple[SortBy, ...], scope: Scope) -> WindowFrame:
        bounds = []
        for bound in (node.start, node.end):
            offset = None
            if bound.offset is not None:
                if node.unit == "range" and len(order_by) != 1:
                    message = "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column"
                    raise error("42P20", message, node.at)
                value = self.bind(bound.offset, scope, Place("window frames"))
                if relations_in(value) & own_relations(scope):
                    message = f"argument of {node.unit.upper()} must not contain variables"
                    raise error("42P10", message, bound.offset.at)
                wanted: SqlType = INT8
                level = ASSIGNMENT
                if node.unit == "range":
                    key = order_by[0].value.type
                    wanted, level = _range_offset(key), IMPLICIT
                    message = (
                        f"RANGE with offset PRECEDING/FOLLOWING is not supported for column type {key.title}"
                    )
                    if key.category not in "NDT":
                        raise error("0A000", message, node.at)
                    if value.type.category != "X" and not converts(value.type, wanted):
                        raise error("0A000", f"{message} and offset type {value.type.title}", node.at)
                message = f"argument of {node.unit.upper()} must be type {wanted.title}, not type {{}}"
                offset = self.coerce(value, wanted, level, message=message)
            bounds.append((bound.kind, offset))
        if node.unit == "groups" and not order_by:
            raise error("42P20", "GROUPS mode requires an ORDER BY clause", node.at)
        return WindowFrame(node.unit, bounds[0], bounds[1], node.exclude)

    # Order.

    def sort_keys(self, keys: Sequence[tree.SortKey], scope: Scope, place: Place) -> tuple[SortBy, ...]:
        """Return keys of an order over expressions alone, where names of output columns mean nothing."""
        return tuple(self.sort_key(key, self.settled(self.bind(key.value, scope, place))) for key in keys)

    def sort_key(self, key: tree.SortKey, value: Bound) -> SortBy:
        """Return a key with its defaults; nulls are greater than everything."""
        if value.type.name == "jsonpath":
            message = f"could not identify an ordering operator for type {value.type.title}"
            raise error("42883", message, key.at)
        nulls_first = key.descending if key.nulls_first is None else key.nulls_first
        return SortBy(value, key.descending, nulls_first)


def _range_offset(key: SqlType) -> SqlType:
    """Return the type of what is added to a key of ``range`` frames: one that can be great next to it."""
    if key.category in "DT":
        return SPAN
    return {"int2": INT8, "int4": INT8, "float4": FLOAT8}.get(key.name, key)


def no_windows(place: Place, at: int) -> SqlError:
    """Return the error of a window function that stands where none may."""
    if place.name == "aggregate arguments":
        return error("42803", "aggregate function calls cannot contain window function calls", at)
    return error("42P20", f"window functions are not allowed in {place.name}", at)
