"""SQL for the engine: what it asks of expressions that the catalogue keeps as text.

The engine keeps ``{"sql": text}`` where its own small trees do not say enough (bind/stored.py). Importing this package tells it who
understands such texts; what it takes to evaluate one (stored.py) is loaded when the first is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from . import tree
from .lexer import tokenize
from .parse import parse_expression
from .tree.mapping import nodes_of

if TYPE_CHECKING:
    from ..engine import ColumnType
    from ..engine.expr import Evaluator, Types


class SqlText:
    """Understands expressions in SQL (:class:`zengram_py.engine.expr.SqlLanguage`)."""

    def compile(self, text: str, types: Types, result: ColumnType | None) -> Evaluator:
        """Return the function that evaluates a text over a row."""
        from .stored import StoredExpression

        return StoredExpression(text, types, result)

    def columns(self, text: str) -> Iterator[str]:
        """Yield the columns that a text reads."""
        for reference in _references(parse_expression(text)):
            yield reference.parts[-1]

    def rename(self, text: str, old: str, new: str) -> str:
        """Return a text in which a column has another name; nothing else of it changes."""
        tokens = [t for t in tokenize(text) if t.kind != "end"]
        places = {token.start: i for i, token in enumerate(tokens)}
        spans = []
        for reference in _references(parse_expression(text)):
            if reference.parts[-1] == old:
                last = tokens[
                    places[reference.at] + 2 * (len(reference.parts) - 1)
                ]  # names have points between them
                spans.append((last.start, last.end))
        for start, end in sorted(set(spans), reverse=True):
            text = text[:start] + quoted_name(new) + text[end:]
        return text


def quoted_name(name: str) -> str:
    """Return a name in the quotes with which it is read as it is."""
    return '"' + name.replace('"', '""') + '"'


def _references(node: tree.Node) -> Iterator[tree.ColumnRef]:
    """Yield the names of columns in a tree."""
    return (found for found in nodes_of(node) if isinstance(found, tree.ColumnRef))
