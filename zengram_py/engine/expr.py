"""Expressions as data: small trees that the catalogue can keep and a snapshot can hold.

A tree is a list whose first item names the operator::

    ["col", "subject"]                                          the column's value
    ["lit", "active"]                                           a constant
    ["and", [">=", ["col", "age"], ["lit", 0]], ["not", ["is_null", ["col", "name"]]]]
    ["fold", ["col", "subject"]]                                a function of its arguments

Checks, defaults, index keys and scan filters are trees, so that the catalogue holds no code. :func:`compile_expr` turns
a tree into a Python function of a row. ``{"sql": text}`` stands for an expression in SQL: whoever understands SQL
registers itself for it (:func:`register_sql_compiler`), and until then only its use is an error. What SQL makes of columns depends on
their types, so these are given along.

Logic has three values, as in SQL: a comparison with null is null (None), ``false and null`` is false, ``true or null``
is true, other functions of null are null.
"""

from __future__ import annotations

import math
import operator
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from decimal import Decimal, localcontext
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..errors import CatalogError, TypeMismatchError
from .composite import MAX_NUMERIC_DIGITS
from .keys import key_form

if TYPE_CHECKING:
    from .types import ColumnType

Expr = list[Any] | dict[str, str]
Row = Mapping[str, Any]
Evaluator = Callable[[Row], Any]

Types = Mapping[str, "ColumnType"]
"""The types of the columns that an expression may read."""


class SqlLanguage(Protocol):
    """Who understands expressions in SQL."""

    def compile(self, text: str, types: Types, result: ColumnType | None) -> Evaluator:
        """Return the function that evaluates a text over a row, with a value in the stored form of ``result`` if that is given.

        It may have a method ``many(columns, count)``, which gives the values for rows given by columns.
        """

    def columns(self, text: str) -> Iterable[str]:
        """Return the columns that a text reads."""

    def rename(self, text: str, old: str, new: str) -> str:
        """Return a text in which a column has another name."""


_sql_language: list[SqlLanguage] = []


def fold(text: str) -> str:
    """Return the form in which texts that mean the same name are equal.

    Unicode NFC, case folded, runs of white space made one space, none at the ends. Folding case can undo NFC, so
    the order is NFC, casefold, NFC (Unicode 16, section 3.13, definition D145 with NFC in place of NFD).
    """
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return " ".join(folded.split())


def _compare(test: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    return lambda one, other: test(key_form(one), key_form(other))


def _divide(one: Any, other: Any) -> Any:
    if isinstance(one, int) and isinstance(other, int):
        quotient = abs(one) // abs(other)
        return quotient if (one < 0) == (other < 0) else -quotient
    return one / other


def _exact(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return an operation that rounds no decimal (Python's keep 28 digits)."""

    def apply(one: Any, other: Any) -> Any:
        if isinstance(one, Decimal) or isinstance(other, Decimal):
            with localcontext(prec=4 * MAX_NUMERIC_DIGITS):
                return operation(one, other)
        return operation(one, other)

    return apply


add, subtract, multiply = _exact(operator.add), _exact(operator.sub), _exact(operator.mul)

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "fold": fold,
    "=": _compare(operator.eq),
    "!=": _compare(operator.ne),
    "<": _compare(operator.lt),
    "<=": _compare(operator.le),
    ">": _compare(operator.gt),
    ">=": _compare(operator.ge),
    "+": add,
    "-": subtract,
    "*": multiply,
    "/": _divide,
    "not": operator.not_,
    "length": len,
    "lower": str.lower,
    "upper": str.upper,
    "trim": str.strip,
    "abs": abs,
    "floor": math.floor,
    "matches": lambda text, pattern: re.search(pattern, text) is not None,
}
"""Functions that an expression may call, by operator name. Each is pure and is not called with null."""


def register_sql_compiler(language: SqlLanguage) -> None:
    """Set who understands expressions that are kept as SQL text: ``{"sql": "age >= 0"}``."""
    _sql_language[:] = [language]


def compile_expr(tree: Expr, types: Types | None = None, result: ColumnType | None = None) -> Evaluator:
    """Return the function that evaluates a tree over a row (a mapping from column name to stored value).

    Parameters
    ----------
    tree : expression
        The tree.
    types : mapping of str to ColumnType, optional
        Of the columns that the row has; needed for SQL that reads some.
    result : ColumnType, optional
        What SQL is to give.

    Raises
    ------
    CatalogError
        If the tree is malformed or names an unknown operator, or is SQL and no compiler was registered.
    TypeMismatchError
        By the function, if an operator does not take the values of a row.
    """
    if isinstance(tree, dict):
        return _language(tree).compile(tree["sql"], types or {}, result)
    head, arguments = _split(tree)
    if head == "col":
        return operator.itemgetter(arguments[0])
    if head == "lit":
        value = arguments[0]
        return lambda row: value
    parts = [compile_expr(argument, types) for argument in arguments]
    if head in _SPECIAL:
        return _SPECIAL[head](parts)
    function = FUNCTIONS.get(head)
    if function is None:
        raise CatalogError(f"there is no expression operator {head!r}")

    def evaluate(row: Row) -> Any:
        values = [part(row) for part in parts]
        if any(value is None for value in values):
            return None
        try:
            return function(*values)
        except (TypeError, ValueError, ArithmeticError, AttributeError, re.error) as error:
            shown = ", ".join(map(repr, values))
            raise TypeMismatchError(f"{head!r} of {shown[:80]}: {error or type(error).__name__}") from None

    return evaluate


def columns_of(tree: Expr) -> Iterator[str]:
    """Yield the names of the columns that a tree reads (of SQL text, none are known unless somebody understands it)."""
    if isinstance(tree, dict):
        if _sql_language:
            yield from _sql_language[0].columns(tree["sql"])
        return
    head, arguments = _split(tree)
    if head == "col":
        yield arguments[0]
    elif head != "lit":
        for argument in arguments:
            yield from columns_of(argument)


def names_read(tree: Expr, names: Collection[str]) -> set[str]:
    """Return which of a table's columns a tree may read: all, if it is SQL that nobody understands or that names the row."""
    found, known = set(columns_of(tree)), set(names)
    is_clear = isinstance(tree, list) or (bool(_sql_language) and found <= known)
    return found if is_clear else known


def evaluate_many(evaluator: Evaluator, columns: Mapping[str, Any], count: int) -> list[Any]:
    """Return an evaluator's values for many rows, given as lists or arrays without nulls by column name."""
    many = getattr(evaluator, "many", None)
    if many is not None:
        found: list[Any] = many(columns, count)
        return found
    lists = [c.tolist() if isinstance(c, np.ndarray) and c.ndim == 1 else c for c in columns.values()]
    rows = zip(*lists, strict=True) if lists else [()] * count
    return [evaluator(dict(zip(columns, row, strict=True))) for row in rows]


def rename_column(tree: Any, old: str, new: str) -> Any:
    """Return a tree in which a column has another name."""
    if isinstance(tree, dict) and set(tree) == {"sql"} and _sql_language:
        return {"sql": _sql_language[0].rename(tree["sql"], old, new)}
    if not isinstance(tree, list):
        return tree
    if tree[0] == "col":
        return ["col", new] if tree[1] == old else tree
    return tree if tree[0] == "lit" else [tree[0], *(rename_column(part, old, new) for part in tree[1:])]


def check_expr(tree: Expr, columns: Mapping[str, Any], what: str) -> None:
    """Raise :class:`~zengram_py.errors.CatalogError` unless a tree is well formed and its columns exist."""
    if isinstance(tree, dict):
        if set(tree) != {"sql"}:
            raise CatalogError(f'{what}: an expression in SQL is {{"sql": text}}')
        return
    compile_expr(tree)
    for column in columns_of(tree):
        if column not in columns:
            raise CatalogError(f"{what}: there is no column {column!r}")


def _language(tree: dict[str, str]) -> SqlLanguage:
    if not _sql_language:
        raise CatalogError(f"the expression {tree.get('sql')!r} is SQL; import zengram_py.sql to evaluate it")
    return _sql_language[0]


def _split(tree: Any) -> tuple[str, list[Any]]:
    if not isinstance(tree, list) or not tree or not isinstance(tree[0], str):
        raise CatalogError(f"an expression is a list that begins with an operator, not {tree!r}")
    if tree[0] in ("col", "lit") and len(tree) != 2:
        raise CatalogError(f"{tree[0]!r} takes one argument")
    return tree[0], tree[1:]


def _and(parts: list[Evaluator]) -> Evaluator:
    def evaluate(row: Row) -> Any:
        result: bool | None = True
        for part in parts:
            value = part(row)
            if value is False:
                return False
            if value is None:
                result = None
        return result

    return evaluate


def _or(parts: list[Evaluator]) -> Evaluator:
    def evaluate(row: Row) -> Any:
        result: bool | None = False
        for part in parts:
            value = part(row)
            if value is True:
                return True
            if value is None:
                result = None
        return result

    return evaluate


def _in(parts: list[Evaluator]) -> Evaluator:
    def test(part: Evaluator) -> Evaluator:
        return lambda row: _equal(parts[0](row), part(row))

    return _or([test(part) for part in parts[1:]])


def _equal(one: Any, other: Any) -> bool | None:
    return None if one is None or other is None else key_form(one) == key_form(other)


def _is_null(parts: list[Evaluator]) -> Evaluator:
    return lambda row: parts[0](row) is None


def _coalesce(parts: list[Evaluator]) -> Evaluator:
    return lambda row: next((value for part in parts if (value := part(row)) is not None), None)


_SPECIAL: dict[str, Callable[[list[Evaluator]], Evaluator]] = {
    "and": _and,
    "or": _or,
    "in": _in,
    "is_null": _is_null,
    "coalesce": _coalesce,
}
