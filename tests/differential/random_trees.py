"""Trees of random queries: they render as SQL, and know smaller trees that may show the same.

    Expression    text with expressions and queries in its holes, of a kind
    Query         a select with its clauses; Union of several; both may stand in holes
    Source        what stands in from

A *kind* is a letter: I integer, L bigint, F double precision, N numeric, T text, B boolean, D date, S timestamp.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

TYPES = {
    "I": "integer",
    "L": "bigint",
    "F": "double precision",
    "N": "numeric",
    "T": "text",
    "B": "boolean",
    "D": "date",
    "S": "timestamp",
}


class Node:
    """A part of a query."""

    def render(self) -> str:
        """Return it as SQL."""
        raise NotImplementedError

    def smaller(self) -> Iterator[Node]:
        """Yield nodes that could stand in its place and are less."""
        yield from self.with_smaller_parts()

    def with_smaller_parts(self) -> Iterator[Node]:
        """Yield copies of it in which one part is less."""
        for f in fields(self):  # type: ignore[arg-type]
            value = getattr(self, f.name)
            for less in _smaller_value(value):
                yield replace(self, **{f.name: less})  # type: ignore[type-var]

    def size(self) -> int:
        """Return how large it is, for telling whether a change made it less."""
        return len(self.render())


def _smaller_value(value: Any) -> Iterator[Any]:
    if isinstance(value, Node):
        yield from value.smaller()
    elif isinstance(value, tuple):
        for i, item in enumerate(value):
            for less in _smaller_value(item):
                yield (*value[:i], less, *value[i + 1 :])


@dataclass(frozen=True)
class Expression(Node):
    """An expression: pieces of text, and nodes between them."""

    kind: str
    pieces: tuple[str | Node, ...]
    exact: bool = True

    def render(self) -> str:
        """Return it as SQL."""
        return "".join(piece if isinstance(piece, str) else piece.render() for piece in self.pieces)

    def smaller(self) -> Iterator[Node]:
        """Yield its parts of the same kind, a null, and copies with smaller parts."""
        for piece in self.pieces:
            if isinstance(piece, Expression) and piece.kind == self.kind:
                yield piece
        if len(self.pieces) > 1 and self.kind in TYPES:
            yield expression(self.kind, f"cast(null as {TYPES[self.kind]})")
        yield from self.with_smaller_parts()


def expression(kind: str, *pieces: str | Node, exact: bool = True) -> Expression:
    """Return an expression; it is exact if it and all in it are."""
    inner = all(piece.exact for piece in pieces if isinstance(piece, Expression))
    return Expression(kind, pieces, exact and inner)


@dataclass(frozen=True)
class Table(Node):
    """A table of the round, or a common table expression."""

    name: str
    alias: str

    def render(self) -> str:
        """Return it as SQL."""
        return f"{self.name} {self.alias}"


@dataclass(frozen=True)
class Derived(Node):
    """A query in from; without names of its own its columns are called as its outputs are."""

    query: Node
    alias: str
    columns: tuple[str, ...]
    lateral: bool = False

    def render(self) -> str:
        """Return it as SQL."""
        names = f" ({', '.join(self.columns)})" if self.columns else ""
        return f"{'lateral ' * self.lateral}({self.query.render()}) {self.alias}{names}"


@dataclass(frozen=True)
class Called(Node):
    """A function that gives rows, in from."""

    call: str
    alias: str
    column: str

    def render(self) -> str:
        """Return it as SQL."""
        return f"{self.call} {self.alias} ({self.column})"


@dataclass(frozen=True)
class Join(Node):
    """Two sources joined; without a condition, crossed."""

    kind: str
    left: Node
    right: Node
    on: Node | None

    def render(self) -> str:
        """Return it as SQL."""
        right = self.right.render()
        if isinstance(self.right, Join):
            right = f"({right})"
        if self.on is None:
            return f"{self.left.render()} cross join {right}"
        return f"{self.left.render()} {self.kind} join {right} on {self.on.render()}"

    def smaller(self) -> Iterator[Node]:
        """Yield either side alone, and copies with smaller parts."""
        yield self.left
        yield self.right
        if self.on is not None and self.kind != "full":
            yield replace(self, on=expression("B", "true"))
        yield from self.with_smaller_parts()


@dataclass(frozen=True)
class Query(Node):
    """A select.

    Attributes
    ----------
    targets : tuple of Expression
        At least one.
    order : tuple of str
        For each output its direction; empty for no order.
    group : tuple of Expression
        With ``grouping`` around them: empty, ``rollup`` or ``cube``.
    tables : tuple of (str, Node)
        Common table expressions.
    """

    targets: tuple[Node, ...]
    source: Node | None = None
    where: Node | None = None
    group: tuple[Node, ...] = ()
    grouping: str = ""
    having: Node | None = None
    distinct: str = ""
    order: tuple[str, ...] = ()
    limit: str = ""
    tables: tuple[tuple[str, Node], ...] = ()

    def render(self) -> str:
        """Return it as SQL."""
        parts = []
        if self.tables:
            parts.append("with " + ", ".join(f"{name} as ({query.render()})" for name, query in self.tables))
        parts.append(f"select {self.distinct}" + ", ".join(_named(self.targets)))
        if self.source is not None:
            parts.append("from " + self.source.render())
        if self.where is not None:
            parts.append("where " + self.where.render())
        if self.group:
            keys = ", ".join(key.render() for key in self.group)
            parts.append(f"group by {self.grouping} ({keys})" if self.grouping else f"group by {keys}")
        if self.having is not None:
            parts.append("having " + self.having.render())
        parts += _ends(self.order[: len(self.targets)], self.limit)
        return " ".join(parts)

    def smaller(self) -> Iterator[Node]:
        """Yield copies without a clause or an output, and with smaller parts."""
        for name in ("where", "having"):
            if getattr(self, name) is not None:
                yield replace(self, **{name: None})
        if self.limit:
            yield replace(self, limit="")
        if self.order and not self.limit:
            yield replace(self, order=())
        if self.distinct:
            yield replace(self, distinct="")
        if self.grouping:
            yield replace(self, grouping="")
        if len(self.targets) > 1:
            for i in range(len(self.targets)):
                yield replace(
                    self,
                    targets=self.targets[:i] + self.targets[i + 1 :],
                    order=self.order[:i] + self.order[i + 1 :],
                )
        for i in range(len(self.group)):
            yield replace(self, group=self.group[:i] + self.group[i + 1 :])
        for i in range(len(self.tables)):
            yield replace(self, tables=self.tables[:i] + self.tables[i + 1 :])
        yield from self.with_smaller_parts()


@dataclass(frozen=True)
class Union(Node):
    """Two queries and a set operation between them; ``bare`` without parentheses."""

    kind: str
    left: Query
    right: Query
    order: tuple[str, ...] = ()
    limit: str = ""
    bare: bool = False

    def render(self) -> str:
        """Return it as SQL."""
        sides = f"({self.left.render()}) {self.kind} ({self.right.render()})"
        if self.bare:
            sides = f"{self.left.render()} {self.kind} {self.right.render()}"
        return " ".join([sides, *_ends(self.order[: len(self.left.targets)], self.limit)])

    def smaller(self) -> Iterator[Node]:
        """Yield either side alone, and copies with an output less or with smaller parts."""
        yield self.left
        yield self.right
        if self.limit:
            yield replace(self, limit="")
        if len(self.left.targets) > 1:
            for i in range(len(self.left.targets)):
                left = replace(self.left, targets=self.left.targets[:i] + self.left.targets[i + 1 :])
                right = replace(self.right, targets=self.right.targets[:i] + self.right.targets[i + 1 :])
                yield replace(self, left=left, right=right, order=self.order[:i] + self.order[i + 1 :])
        yield from self.with_smaller_parts()


def _named(targets: tuple[Node, ...]) -> Iterator[str]:
    for number, target in enumerate(targets, 1):
        yield f"{target.render()} as o{number}"


def _ends(order: tuple[str, ...], limit: str) -> list[str]:
    parts = []
    if order:
        parts.append("order by " + ", ".join(f"{n} {how}".strip() for n, how in enumerate(order, 1)))
    if limit:
        parts.append(limit)
    return parts
