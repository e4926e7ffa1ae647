"""Calls: plain functions, those with rules of their own, aggregates and window functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NoReturn

from ...errors import SqlError
from .. import tree
from ..bound import (
    Aggregate,
    Bound,
    ColumnVar,
    Const,
    FirstOf,
    Invocation,
    NullIf,
    SortBy,
    WindowCall,
    WindowFrame,
    WindowSpec,
    walk,
)
from ..casts import ASSIGNMENT, EXPLICIT, IMPLICIT, converts
from ..errors import error, unsupported
from ..parse import parse_expression
from ..resolve import concrete, resolve
from ..scope import Scope
from ..signatures import Signature, functions
from ..signatures.names import argument_names
from ..types import FLOAT8, INT4, INT8, SPAN, STRING, UNKNOWN, SqlType, is_known
from .expressions import Expressions
from .functions import declared, in_order
from .operators import Place

_FIRST_OF = ("coalesce", "greatest", "least")
_AGGREGATES = ("aggregate", "within", "hypothetical")
MAX_ARGUMENTS = 100


class Calls(Expressions):
    """The part of the binder that binds calls."""

    def _merge_action(self, node: tree.Call) -> Bound:
        if self.state.merge_action < 0 or node.arguments or node.star:
            message = "MERGE_ACTION() can only be used in the RETURNING list of a MERGE command"
            raise error("42601", message, node.at)
        return ColumnVar(STRING, self.state.merge_action, 0, "merge_action", at=node.at)

    def call(self, node: tree.Call, scope: Scope, place: Place) -> Bound:
        """Return the bound value of a call."""
        name = node.parts[-1]
        if len(node.parts) == 1:
            if name in _FIRST_OF:
                return self._first_of(name, node, scope, place)
            if name == "nullif":
                return self._null_if(node, scope, place)
            if name == "grouping":
                return self._grouping(node, scope, place)
            if name == "merge_action":
                return self._merge_action(node)
        candidates = functions().get(name, ())
        if len(node.parts) > 1 and node.parts[0] != "pg_catalog":
            if not self.state.catalogue.has_schema(node.parts[-2]):
                raise error("3F000", f'schema "{node.parts[-2]}" does not exist', node.at)
            candidates = ()
        candidates = (*candidates, *declared(self.state.catalogue, node.parts))
        kinds = {s.kind for s in candidates}
        if node.within_group is not None or (
            kinds & set(_AGGREGATES) and not (node.over and "window" in kinds)
        ):
            aggregates = [s for s in candidates if s.kind in _AGGREGATES]
            if node.within_group is not None or not kinds <= {"function", "hypothetical", "window"}:
                return self._aggregate(node, aggregates, scope, place)
        if "window" in kinds:
            return self._window_function(node, [s for s in candidates if s.kind == "window"], scope, place)
        return self._function(node, candidates, scope, place)

    # Plain functions.

    def _function(
        self, node: tree.Call, candidates: Sequence[Signature], scope: Scope, place: Place
    ) -> Bound:
        name = node.parts[-1]
        arguments = [self._argument(a, scope, place) for a in node.arguments]
        for given, what in (
            (node.distinct, "DISTINCT"),
            (node.order_by, "ORDER BY"),
            (node.filter, "FILTER"),
            (node.over, "OVER"),
        ):
            if given and candidates:
                verb = "is not a window function nor" if what == "OVER" else "is not"
                message = f"{what} specified, but {name} {verb} an aggregate function"
                raise error("42809", message, node.at)
        if node.star and candidates:
            raise error("42809", f"{name}(*) specified, but {name} is not an aggregate function", node.at)
        if node.names and any("routine" in s.kind for s in candidates):
            candidates, arguments = self._by_names(node, arguments, candidates)
        elif node.names:
            arguments = self._in_order(node, arguments, candidates)
        signature = self._choose(node, candidates, arguments, expand=not node.variadic)
        if signature is None:
            return self._as_cast(node, arguments, candidates)
        if signature.gives_rows and not place.rows:
            message = f"set-returning functions are not allowed in {place.name}"
            raise error("0A000", message, node.at)
        found = self._coerced(signature, arguments)
        return Invocation(signature.result, signature, found, node.variadic, at=node.at)

    def _argument(self, node: tree.Expression, scope: Scope, place: Place) -> Bound:
        if isinstance(node, tree.Star) and node.parts:
            return scope.whole_row(node.parts, node.at)
        return self.bind(node, scope, place)

    def _by_names(
        self, node: tree.Call, arguments: list[Bound], candidates: Sequence[Signature]
    ) -> tuple[Sequence[Signature], list[Bound]]:
        """Return the user's function that has arguments of these names, and the arguments in its order."""
        for signature in candidates:
            placed = in_order(self.state.catalogue, signature, node.names, arguments)
            if placed is not None:
                whole = [
                    self.bind(parse_expression(a), Scope(), Place("DEFAULT expressions"))
                    if isinstance(a, str)
                    else a
                    for a in placed
                ]
                return [signature], whole
        return (), arguments

    def _in_order(
        self, node: tree.Call, arguments: list[Bound], candidates: Sequence[Signature]
    ) -> list[Bound]:
        """Return arguments, some of them by name, in the order of the function's, with the defaults of those left out."""
        function = node.parts[-1]
        names = argument_names(function) if candidates else ()
        if not names:
            if candidates:
                raise unsupported(f"named arguments of {function}", node.at)
            return arguments
        order = [name for name, _ in names]
        placed: list[Bound | None] = [
            None if default is None else Const(UNKNOWN, default, at=node.at) for _, default in names
        ]
        given: set[int] = set()
        for i, (name, value) in enumerate(zip(node.names, arguments, strict=True)):
            at = i if name is None else order.index(name) if name in order else len(order)
            if at >= len(order):
                return self._unknown_function(node, arguments)
            if at in given and at < node.names.count(None):  # one that stands in its place, and has no name
                return self._unknown_function(node, arguments)
            if at in given:
                raise error("42601", f'argument name "{name}" used more than once', node.at)
            given.add(at)
            placed[at] = value
        found = [value for value in placed if value is not None]
        return found if len(found) == len(placed) else self._unknown_function(node, arguments)

    def _choose(
        self,
        node: tree.Call,
        candidates: Sequence[Signature],
        arguments: Sequence[Bound],
        *,
        expand: bool = True,
    ) -> Signature | None:
        """Return what a call means; None if there is nothing that could be meant."""
        if len(arguments) > MAX_ARGUMENTS:
            message = f"cannot pass more than {MAX_ARGUMENTS} arguments to a function"
            raise error("54023", message, node.at)
        types = [a.type for a in arguments]
        found = resolve(candidates, types, expand=expand)
        if not found:
            return None
        if len(found) > 1:
            hint = "Could not choose a best candidate function. You might need to add explicit type casts."
            raise error("42725", f"function {_shown(node, types)} is not unique", node.at, hint=hint)
        return concrete(found[0], types, node.at)

    def _as_cast(self, node: tree.Call, arguments: list[Bound], candidates: Sequence[Signature]) -> Bound:
        """Return ``int4(x)`` as a cast, or refuse what is no function."""
        name = node.parts[-1]
        if len(arguments) == 1 and not node.star and len(node.parts) == 1:
            target = is_known(name)
            if target is not None:
                return self.coerce(arguments[0], target, EXPLICIT, at=node.at)
        return self._unknown_function(node, arguments)

    def _unknown_function(self, node: tree.Call, arguments: Sequence[Bound]) -> NoReturn:
        shown = f"{node.parts[-1]}(*)" if node.star else _shown(node, [a.type for a in arguments])
        hint = "No function matches the given name and argument types. You might need to add explicit type casts."
        raise error("42883", f"function {shown} does not exist", node.at, hint=hint)

    def _coerced(self, signature: Signature, arguments: Sequence[Bound]) -> tuple[Bound, ...]:
        return tuple(
            self.settled(value) if wanted.category == "P" else self.coerce(value, wanted)
            for value, wanted in zip(arguments, signature.arguments, strict=True)
        )

    # Functions with rules of their own.

    def _first_of(self, name: str, node: tree.Call, scope: Scope, place: Place) -> Bound:
        if not node.arguments:
            raise error("42601", f"{name} needs an argument", node.at)
        bound = [self.bind(a, scope, place) for a in node.arguments]
        wanted, values = self.alike(bound, name.upper())
        return FirstOf(wanted, name, tuple(values), at=node.at)

    def _null_if(self, node: tree.Call, scope: Scope, place: Place) -> Bound:
        if len(node.arguments) != 2:
            raise error("42601", "nullif takes two arguments", node.at)
        left, right = (self.bind(a, scope, place) for a in node.arguments)
        same = self.operate("=", [left, right], node.at)
        assert isinstance(same, Invocation)
        first, second = same.arguments
        return NullIf(first.type, first, second, same.signature, at=node.at)

    def _grouping(self, node: tree.Call, scope: Scope, place: Place) -> Bound:
        if not place.aggregates:
            raise error("42803", f"grouping operations are not allowed in {place.name}", node.at)
        bound = tuple(self.bind(a, scope, place) for a in node.arguments)
        if not 0 < len(bound) < 32:
            raise error("54023", "GROUPING must have fewer than 32 arguments", node.at)
        signature = Signature("grouping", tuple(b.type for b in bound), INT4, "aggregate")
        return Aggregate(INT4, signature, bound, grouping=True, at=node.at)

    # Aggregates.

    def _aggregate(
        self, node: tree.Call, candidates: Sequence[Signature], scope: Scope, place: Place
    ) -> Bound:
        name = node.parts[-1]
        over = node.over is not None
        if not place.aggregates and not (over and place.windows):
            if over:
                raise _no_windows(place, node.at)
            raise error("42803", _not_allowed("aggregate", place), node.at)
        inner = Place("aggregate arguments", aggregates=over and place.aggregates)
        direct = [self._argument(a, scope, inner) for a in node.arguments]
        order_by = self.sort_keys(node.order_by, scope, inner)
        filter_ = None
        if node.filter is not None:
            filter_ = self.boolean(self.bind(node.filter, scope, Place("FILTER")), "FILTER")
        is_ordered_set = any(s.kind in ("within", "hypothetical") for s in candidates)
        if is_ordered_set or node.within_group is not None:
            return self._ordered_set(node, candidates, direct, filter_, scope, inner)
        if node.star:
            if name != "count":
                message = f"{name}(*) must be used to call a parameterless aggregate function"
                raise error("42809" if direct else "42883", message, node.at)
            direct = []
        elif name == "count" and not direct:
            message = "count(*) must be used to call a parameterless aggregate function"
            raise error("42809", message, node.at)
        signature = self._choose(node, candidates, direct)
        if signature is None:
            return self._as_cast(node, direct, candidates)
        arguments = self._coerced(signature, direct)
        self._check_level(arguments, scope, node.at)
        if over:
            return self._over(node, signature, arguments, filter_, scope, place)
        if node.distinct:
            self._check_distinct(arguments, order_by, node)
        return Aggregate(signature.result, signature, arguments, node.distinct, order_by, filter_, at=node.at)

    def _check_distinct(
        self, arguments: tuple[Bound, ...], order_by: tuple[SortBy, ...], node: tree.Call
    ) -> None:
        if not arguments:
            raise error("42809", "DISTINCT specified, but there is no argument", node.at)
        if any(key.value not in arguments for key in order_by):
            message = "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list"
            raise error("42P10", message, node.order_by[0].at)

    def _ordered_set(
        self,
        node: tree.Call,
        candidates: Sequence[Signature],
        direct: list[Bound],
        filter_: Bound | None,
        scope: Scope,
        inner: Place,
    ) -> Bound:
        name = node.parts[-1]
        if node.within_group is None:
            raise error("42809", f"WITHIN GROUP is required for ordered-set aggregate {name}", node.at)
        if not any(s.kind in ("within", "hypothetical") for s in candidates):
            if not candidates:
                return self._as_cast(node, direct, candidates)
            message = f"{name} is not an ordered-set aggregate, so it cannot have WITHIN GROUP"
            raise error("42809", message, node.at)
        if node.over is not None:
            raise unsupported(f"OVER for ordered-set aggregate {name}", node.at)
        if node.distinct:
            raise error("42809", "cannot use DISTINCT with WITHIN GROUP", node.at)
        keys = self.sort_keys(node.within_group, scope, inner)
        values = [key.value for key in keys]
        if candidates[0].kind == "hypothetical":
            if len(direct) != len(values):
                return self._as_cast(node, [*direct, *values], candidates)
            pairs = [self.alike([v, d], "WITHIN GROUP")[1] for v, d in zip(values, direct, strict=True)]
            values, direct = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
            signature = replace(candidates[0], arguments=tuple(v.type for v in (*direct, *values)))
            chosen: Signature | None = signature
        else:
            chosen = self._choose(node, candidates, [*direct, *values])
        if chosen is None:
            return self._as_cast(node, [*direct, *values], candidates)
        coerced = self._coerced(chosen, [*direct, *values])
        own = coerced[len(direct) :]
        self._check_level(own, scope, node.at)
        keys = tuple(replace(key, value=value) for key, value in zip(keys, own, strict=True))
        return Aggregate(chosen.result, chosen, own, False, keys, filter_, coerced[: len(direct)], at=node.at)

    def _check_level(self, arguments: Sequence[Bound], scope: Scope, at: int) -> None:
        """Refuse an aggregate of an outer query's rows alone, which would belong to that query."""
        used = {relation for argument in arguments for relation in _relations(argument)}
        if used and not used & _own_relations(scope):
            raise unsupported("an aggregate of an outer query's rows", at)

    # Windows.

    def _window_function(
        self, node: tree.Call, candidates: Sequence[Signature], scope: Scope, place: Place
    ) -> Bound:
        name = node.parts[-1]
        if node.over is None:
            raise error("42809", f"window function {name} requires an OVER clause", node.at)
        if not place.windows:
            raise _no_windows(place, node.at)
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
            raise _no_windows(place, node.at)
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
                if _relations(value) & _own_relations(scope):
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


def _relations(value: Bound) -> set[int]:
    return {node.relation for node in walk(value) if isinstance(node, ColumnVar)}


def _own_relations(scope: Scope) -> set[int]:
    """Return the relations of a scope itself, not those of the queries around."""
    return {relation for _, value in scope.names.columns for relation in _relations(value)}


def _range_offset(key: SqlType) -> SqlType:
    """Return the type of what is added to a key of ``range`` frames: one that can be great next to it."""
    if key.category in "DT":
        return SPAN
    return {"int2": INT8, "int4": INT8, "float4": FLOAT8}.get(key.name, key)


def _shown(node: tree.Call, types: Sequence[SqlType]) -> str:
    return f"{'.'.join(node.parts)}({', '.join(t.title for t in types)})"


def _no_windows(place: Place, at: int) -> SqlError:
    if place.name == "aggregate arguments":
        return error("42803", "aggregate function calls cannot contain window function calls", at)
    return error("42P20", f"window functions are not allowed in {place.name}", at)


def _not_allowed(what: str, place: Place) -> str:
    if place.name == "aggregate arguments":
        return "aggregate function calls cannot be nested"
    return f"{what} functions are not allowed in {place.name}"
