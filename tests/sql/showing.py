"""Trees as short text, so that a test can write down what it expects."""

from dataclasses import MISSING, fields
from typing import Any

from zengram_py.sql import tree


def show(node: Any) -> Any:
    """Return an expression in parentheses as it leans; anything else as ``Name(field=value, …)`` without defaults."""
    match node:
        case tree.Literal(kind, value):
            return f"'{value}'" if kind == "string" else value or kind
        case tree.Parameter(number):
            return f"${number}"
        case tree.ColumnRef(parts):
            return ".".join(parts)
        case tree.Star(parts):
            return ".".join((*parts, "*"))
        case tree.Operator(name, None, right):
            return f"({name} {show(right)})"
        case tree.Operator(name, left, right):
            return f"({show(left)} {name} {show(right)})"
        case tree.Logical(name, operands):
            return "(" + f" {name} ".join(map(show, operands)) + ")"
        case tree.Not(operand):
            return f"(not {show(operand)})"
        case tree.IsTest(operand, test, negated):
            return f"({show(operand)} is {'not ' * negated}{test})"
        case tree.Cast(operand, kind):
            return f"{show(operand)}::{show(kind)}"
        case tree.TypeName(parts, modifiers, dimensions):
            given = f"({', '.join(map(show, modifiers))})" if modifiers else ""
            return ".".join(parts) + given + "[]" * dimensions
        case tree.Call() if fields_set(node) <= {"parts", "arguments"}:
            return f"{'.'.join(node.parts)}({', '.join(map(show, node.arguments))})"
        case tree.TableRef(parts, None, None):
            return ".".join(parts)
        case tree.Target(value, alias):
            return show(value) + (f" as {alias}" if alias else "")
        case tuple() | list():
            return "[" + ", ".join(str(show(item)) for item in node) + "]"
        case tree.Node():
            inside = ", ".join(
                f"{f.name}={show(getattr(node, f.name))}" for f in fields(node) if f.name in fields_set(node)
            )
            return f"{type(node).__name__}({inside})"
    return node


def fields_set(node: Any) -> set[str]:
    """Return the fields that differ from their defaults, without the place."""
    return {
        f.name
        for f in fields(node)
        if f.name != "at" and (f.default is MISSING or getattr(node, f.name) != f.default)
    }
