"""Expressions as data: small trees that the catalogue can keep and a snapshot can hold.

A tree is a list whose first item names the operator::

    ["col", "subject"]                      the column's value
    ["lit", "active"]                       a constant
    ["fold", ["col", "subject"]]            a function of its arguments

Checks, defaults and index keys are kept in this form, so that the catalogue holds no code. :func:`compile_expr`
turns a tree into a Python function of a row once; :func:`columns_of` says which columns it reads.
Null follows SQL: a function of null is null.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..errors import CatalogError

Expr = list[Any]
Row = Mapping[str, Any]


def fold(text: str) -> str:
    """Return the form in which texts that mean the same name are equal.

    Unicode NFC, case folded, runs of white space made one space, none at the ends. Folding case can undo NFC, so
    the order is NFC, casefold, NFC (Unicode 16, section 3.13, definition D145 with NFC in place of NFD).
    """
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return " ".join(folded.split())


FUNCTIONS: dict[str, Callable[..., Any]] = {"fold": fold}
"""Functions that an expression may call, by operator name. Each is pure and is not called with null."""


def compile_expr(tree: Expr) -> Callable[[Row], Any]:
    """Return the function that evaluates a tree over a row (a mapping from column name to value).

    Raises
    ------
    CatalogError
        If the tree is malformed or names an unknown operator.
    """
    operator, arguments = _split(tree)
    if operator == "col":
        name = arguments[0]
        return lambda row: row[name]
    if operator == "lit":
        value = arguments[0]
        return lambda row: value
    function = FUNCTIONS.get(operator)
    if function is None:
        raise CatalogError(f"there is no expression operator {operator!r}")
    parts = [compile_expr(argument) for argument in arguments]

    def evaluate(row: Row) -> Any:
        values = [part(row) for part in parts]
        return None if None in values else function(*values)

    return evaluate


def columns_of(tree: Expr) -> Iterator[str]:
    """Yield the names of the columns that a tree reads."""
    operator, arguments = _split(tree)
    if operator == "col":
        yield arguments[0]
    elif operator != "lit":
        for argument in arguments:
            yield from columns_of(argument)


def _split(tree: Any) -> tuple[str, list[Any]]:
    if not isinstance(tree, list) or not tree or not isinstance(tree[0], str):
        raise CatalogError(f"an expression is a list that begins with an operator, not {tree!r}")
    if tree[0] in ("col", "lit") and len(tree) != 2:
        raise CatalogError(f"{tree[0]!r} takes one argument")
    return tree[0], tree[1:]
