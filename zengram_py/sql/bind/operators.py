"""Operators over values that are bound, comparisons of rows, and the place that an expression stands in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from .. import tree
from ..bound import Bound, BoundQuery, Invocation, Logic, RowOf
from ..errors import error, unsupported
from ..nodes import node
from ..resolve import concrete, resolve
from ..scope import Scope
from ..signatures import Signature, operators
from ..types import BOOL, SqlType
from .coercion import Coercions

_ORDERINGS = ("<", "<=", ">", ">=")


@node(frozen=True, slots=True)
class Place:
    """Where an expression stands, and what may be in it there.

    Attributes
    ----------
    name : str
        What messages call it.
    aggregates, windows, rows : bool
        Whether aggregates, window functions, and functions that give rows may be there.
    within : str
        The construct around it that takes no functions that give rows, if there is one.
    named_windows : dict
        The windows that the query names.
    """

    name: str
    aggregates: bool = False
    windows: bool = False
    rows: bool = False
    within: str = ""
    named_windows: dict[str, tree.Window] = field(default_factory=dict)


class Operators(Coercions):
    """The part of the binder that knows operators."""

    # What other parts bind.

    def bind(self, node: tree.Expression, scope: Scope, place: Place) -> Bound:
        """Bind an expression."""
        raise NotImplementedError

    def query(
        self, query: tree.Query, scope: Scope, *, keep_unknown: bool = False, apart: bool = False
    ) -> BoundQuery:
        """Bind a query."""
        raise NotImplementedError

    def condition(self, node: tree.Expression | None, scope: Scope, place: Place) -> Bound | None:
        """Return the bound value of a condition, if there is one."""
        return None if node is None else self.boolean(self.bind(node, scope, place), place.name)

    def operate(self, name: str, operands: Sequence[Bound], at: int) -> Bound:
        """Return an operator of operands; 42883 or 42725 if it is not clear which."""
        signature = self.find_operator(name, [o.type for o in operands], at)
        arguments = tuple(
            self.coerce(value, wanted) for value, wanted in zip(operands, signature.arguments, strict=True)
        )
        return Invocation(signature.result, signature, arguments, at=at)

    def find_operator(self, name: str, types: Sequence[SqlType], at: int) -> Signature:
        """Return the operator for operands of some types."""
        found = resolve(operators().get(name, ()), types, operator=True)
        shown = f"{name} {types[0].title}" if len(types) == 1 else f"{types[0].title} {name} {types[1].title}"
        if not found:
            hint = "No operator matches the given name and argument types. You might need to add explicit type casts."
            raise error("42883", f"operator does not exist: {shown}", at, hint=hint)
        if len(found) > 1:
            hint = "Could not choose a best candidate operator. You might need to add explicit type casts."
            raise error("42725", f"operator is not unique: {shown}", at, hint=hint)
        return concrete(found[0], types, at)

    def compare_rows(self, name: str, left: RowOf, right: RowOf, at: int) -> Bound:
        """Return a comparison of rows, column by column."""
        if len(left.items) != len(right.items):
            raise error("42601", "unequal number of entries in row expressions", at)
        pairs = list(zip(left.items, right.items, strict=True))
        if not pairs:
            raise unsupported("a comparison of rows without columns", at)
        if name in ("=", "<>"):
            parts = tuple(self.operate(name, pair, at) for pair in pairs)
            return Logic(BOOL, "and" if name == "=" else "or", parts, at=at)
        if name not in _ORDERINGS:
            hint = "Row comparison operators must be = <> < <= > >=."
            raise error(
                "0A000",
                f"could not determine interpretation of row comparison operator {name}",
                at,
                hint=hint,
            )
        found = self.operate(name, pairs[-1], at)
        for pair in reversed(pairs[:-1]):  # a < c or (a = c and …)
            rest = Logic(BOOL, "and", (self.operate("=", pair, at), found), at=at)
            found = Logic(BOOL, "or", (self.operate(name[0], pair, at), rest), at=at)
        return found
