"""Names of output columns that were given none, as PostgreSQL makes them."""

from __future__ import annotations

from .. import tree

UNNAMED = "?column?"


def output_name(node: tree.Expression) -> str:
    """Return the name of an output column."""
    return given_name(node) or UNNAMED


def given_name(node: tree.Expression) -> str | None:
    """Return the name that an expression suggests, or None."""
    return _suggested(node)[0]


def _suggested(node: tree.Expression) -> tuple[str | None, bool]:
    """Return a name, and whether it is more than that of a type, which the type of a cast around it replaces."""
    casts = None
    while True:
        match node:
            case tree.ColumnRef(parts) | tree.Call(parts):
                return parts[-1], True
            case tree.Field(operand, name):
                if name is not None:
                    return name, True
                node = operand
            case tree.Subscript(operand) | tree.Collate(operand):
                node = operand
            case tree.Cast(operand, type_name):
                casts = casts or type_name.parts[-1]
                node = operand
            case tree.Case(_, _, otherwise):
                found, is_strong = (None, False) if otherwise is None else _suggested(otherwise)
                return (found, True) if is_strong else (casts or "case", False)
            case tree.ArrayItems() | tree.ArrayQuery():
                return "array", True
            case tree.Row():
                return "row", True
            case tree.Exists():
                return "exists", True
            case tree.ScalarQuery(query):
                name = _of_query(query)
                return (name, True) if name is not None and name != UNNAMED else (casts or name, False)
            case _:
                return casts, False


def _of_query(query: tree.Query) -> str | None:
    body = query.body
    while isinstance(body, tree.Query):
        body = body.body
    if isinstance(body, tree.SetOperation):
        return _of_query(body.first)
    if isinstance(body, tree.Values):
        return "column1"
    target = body.targets[0] if body.targets else None
    if target is None:
        return None
    return target.alias or given_name(target.value) or UNNAMED
