"""Calls: which kind of function they are of; plain functions, and those with rules of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .. import tree
from ..bound import (
    Bound,
    ColumnVar,
    Const,
    FirstOf,
    Invocation,
    NullIf,
)
from ..errors import error, unsupported
from ..parse import parse_expression
from ..scope import Scope
from ..signatures import Signature, functions
from ..signatures.names import argument_names
from ..types import STRING, UNKNOWN, record_of
from .aggregates import Aggregates
from .functions import declared, in_order
from .operators import Place

_FIRST_OF = ("coalesce", "greatest", "least")
_AGGREGATES = ("aggregate", "within", "hypothetical")


class Calls(Aggregates):
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
            message = f"set-returning functions are not allowed in {place.within or place.name}"
            raise error("0A000", message, node.at)
        found = self._coerced(signature, arguments)
        result = record_of(signature.columns) if signature.columns else signature.result
        return Invocation(result, signature, found, node.variadic, at=node.at)

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

    # Functions with rules of their own.

    def _first_of(self, name: str, node: tree.Call, scope: Scope, place: Place) -> Bound:
        if not node.arguments:
            raise error("42601", f"{name} needs an argument", node.at)
        if name == "coalesce":
            place = replace(place, rows=False, within="COALESCE")
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
