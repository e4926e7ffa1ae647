"""Choosing: which function a call means, and its arguments in the types that this takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from .. import tree
from ..bound import Bound
from ..casts import EXPLICIT
from ..errors import error
from ..resolve import concrete, resolve
from ..scope import Scope
from ..signatures import Signature
from ..types import SqlType, is_known
from .expressions import Expressions
from .operators import Place

MAX_ARGUMENTS = 100


class Choosing(Expressions):
    """The part of the binder that finds functions."""

    def _argument(self, node: tree.Expression, scope: Scope, place: Place) -> Bound:
        if isinstance(node, tree.Star) and node.parts:
            return scope.whole_row(node.parts, node.at)
        return self.bind(node, scope, place)

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


def _shown(node: tree.Call, types: Sequence[SqlType]) -> str:
    return f"{'.'.join(node.parts)}({', '.join(t.title for t in types)})"
