"""Names of output columns that were given none, as PostgreSQL makes them."""

from __future__ import annotations

from .. import tree

UNNAMED = "?column?"


def output_name(node: tree.Expression) -> str:
    """Return the name of an output column."""
    return given_name(node) or UNNAMED


def given_name(node: tree.Expression) -> str | None:
    """Return the name that an expression suggests, or None."""
    while True:
        match node:
            case tree.ColumnRef(parts) | tree.Call(parts):
                return parts[-1]
            case tree.Field(operand, name):
                if name is not None:
                    return name
                node = operand
            case tree.Subscript(operand) | tree.Collate(operand):
                node = operand
            case tree.Cast(operand, type_name):
                return given_name(operand) or type_name.parts[-1]
            case tree.Case(_, _, otherwise):
                found = None if otherwise is None else given_name(otherwise)
                return found or "case"
            case tree.ArrayItems() | tree.ArrayQuery():
                return "array"
            case tree.Row():
                return "row"
            case tree.Exists():
                return "exists"
            case tree.ScalarQuery(query):
                return _of_query(query)
            case _:
                return None


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
