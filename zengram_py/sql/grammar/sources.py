"""What a query reads from: tables, also of the past, subqueries, functions, joins, and paths in a graph."""

from __future__ import annotations

from ..errors import error, unsupported
from ..tree import (
    Alias,
    Call,
    Expression,
    FromItem,
    FunctionRef,
    GraphTable,
    Join,
    Literal,
    PathElement,
    QueryRef,
    TableRef,
    Target,
)
from .calls import WITHOUT_PARENTHESES
from .cursor import MAX_NESTING
from .expressions import Expressions

_JOINS = ("join", "inner", "left", "right", "full", "cross", "natural")


class Sources(Expressions):
    """The part of the grammar that reads what comes after ``from``."""

    def alias(self, *, records: bool = False) -> Alias | None:
        """Go past an alias, if it comes."""
        raise NotImplementedError

    def targets(self) -> tuple[Target, ...]:
        """Go past a list of output columns."""
        raise NotImplementedError

    def from_item(self) -> FromItem:
        """Go past one item with all that is joined to it."""
        return self._joined(self._source())

    def _joined(self, left: FromItem) -> FromItem:
        """Add joins to an item; they nest, so there is a limit."""
        count = 0
        while self.at_word(*_JOINS):
            count += 1
            if count > MAX_NESTING:
                raise self.too_deep(self.at)
            left = self._join(left)
        return left

    def _join(self, left: FromItem) -> Join:
        at = self.at
        natural = self.take_word("natural") is not None
        kind = self.take_word("inner", "left", "right", "full", "cross") or "inner"
        if kind in ("left", "right", "full"):
            self.take_word("outer")
        if natural and kind == "cross":
            self.stop()
        self.expect_word("join")
        right = self._source()
        if natural or kind == "cross":
            return Join(kind, left, right, natural=natural, at=at)
        right = self._joined(right)  # a join b join c on … on …: the inner one comes first
        if self.take_word("using"):
            columns = self.name_list()
            alias = Alias(self.name(), at=self.at) if self.take_word("as") else None
            return Join(kind, left, right, using=columns, alias=alias, at=at)
        self.expect_word("on")
        return Join(kind, left, right, self.expression(), at=at)

    def _source(self) -> FromItem:
        at = self.at
        lateral = self.take_word("lateral") is not None
        if self.at_mark("("):
            return self._in_parentheses(at, lateral)
        if self.at_words("rows", "from") and self.peek(2).text == "(":
            self.expect_words("rows", "from")
            calls = self.in_parentheses(lambda: self.list_of(self._call_among_others))
            return self._function(calls, lateral, at)
        if self.at_word("graph_table") and self.next.text == "(":
            return self._graph_table(at)
        is_value = self.token.kind == "word" and self.token.text in WITHOUT_PARENTHESES
        if is_value or self._opens_call() or lateral:
            return self._function((self._table_call(),), lateral, at)
        return self.table_ref()

    def _opens_call(self) -> bool:
        ahead = 1
        while self.peek(ahead).text == "." and self.peek(ahead).kind == "mark":
            ahead += 2
        token = self.peek(ahead)
        return token.kind == "mark" and token.text == "("

    def table_ref(self) -> TableRef:
        """Go past a table, also at a time in the past, and its alias."""
        at = self.at
        only = self.take_word("only") is not None
        if only and self.at_mark("("):
            parts = self.in_parentheses(self.qualified_name)
        else:
            parts = self.qualified_name()
        self.take_operator("*")
        as_of = self.as_of()
        alias = self.alias()
        as_of = as_of or self.as_of()
        if self.at_word("tablesample"):
            raise unsupported("TABLESAMPLE", self.at)
        return TableRef(parts, alias, as_of, at=at)

    def as_of(self) -> Expression | None:
        """Go past ``as of timestamp n``, if it comes."""
        if not self.at_words("as", "of", "timestamp"):
            return None
        self.expect_words("as", "of", "timestamp")
        return self.operand()

    def _table_call(self) -> Call:
        found = self.operand()
        if not isinstance(found, Call) or found.over is not None or found.filter is not None:
            raise self.refuse()
        return found

    def _call_among_others(self) -> Call:
        found = self._table_call()
        if self.at_word("as"):
            raise unsupported("a column definition list inside ROWS FROM", self.at)
        return found

    def _function(self, calls: tuple[Call, ...], lateral: bool, at: int) -> FunctionRef:
        ordinality = self.take_words("with", "ordinality")
        return FunctionRef(calls, self.alias(records=True), lateral, ordinality, at=at)

    def _in_parentheses(self, at: int, lateral: bool) -> FromItem:
        """Go past a subquery, or joins that are put in parentheses to come first."""
        if self._opens_query():
            query = self.query_in_parentheses()
            return QueryRef(query, self.alias(), lateral, at=at)
        if lateral and not (self.peek(1).kind == "mark" and self.peek(1).text == "("):
            self.stop()
        self.expect_mark("(")
        found = self.from_item()
        if isinstance(found, QueryRef) and found.alias is None and not self.at_mark(")"):
            if not self.at_query_tail():
                self.stop()
            query = self.query_after(found.query)
            self.expect_mark(")")
            return QueryRef(query, self.alias(), lateral, at=at)
        is_query = isinstance(found, QueryRef) and found.alias is None
        if not is_query and (lateral or not isinstance(found, Join)):
            self.stop()
        self.expect_mark(")")
        if isinstance(found, QueryRef):
            return QueryRef(found.query, self.alias(), lateral, at=at)
        assert isinstance(found, Join)
        alias = self.alias()
        if alias is None:
            return found
        return Join(
            found.kind,
            found.left,
            found.right,
            found.on,
            found.using,
            found.natural,
            alias,
            is_whole=True,
            at=found.at,
        )

    def _opens_query(self) -> bool:
        token = self.next
        return token.kind == "word" and token.text in ("select", "values", "with", "table")

    # Graphs.

    def _graph_table(self, at: int) -> GraphTable:
        self.expect_word("graph_table")
        self.expect_mark("(")
        graph = self.qualified_name()
        self.expect_word("match")
        paths = self.list_of(self._path)
        where = self.expression() if self.take_word("where") else None
        self.expect_word("columns")
        columns = self.in_parentheses(self.targets)
        self.expect_mark(")")
        return GraphTable(graph, paths, where, columns, self.alias(), at=at)

    def _path(self) -> tuple[PathElement, ...]:
        elements = [self._vertex()]
        while self.at_operator("-", "<", "->", "<-"):
            elements.append(self._edge())
            elements.append(self._vertex())
        return tuple(elements)

    def _vertex(self) -> PathElement:
        at = self.at
        self.expect_mark("(")
        variable, labels, where = self._filling()
        self.expect_mark(")")
        return PathElement(variable, labels, where, at=at)

    def _filling(self) -> tuple[str | None, tuple[str, ...], Expression | None]:
        variable = None
        if self.at_name() and not self.at_word("is"):
            variable = self.name()
        labels: list[str] = []
        if self.take_mark(":") or self.take_word("is"):
            labels.append(self.name())
            while self.take_operator("|"):
                labels.append(self.name())
        where = self.expression() if self.take_word("where") else None
        return variable, tuple(labels), where

    def _edge(self) -> PathElement:
        """Go past ``-[e]->``, ``<-[e]-``, ``-[e]-`` or one of these without a filling: ``->``, ``<-``, ``-``."""
        at = self.at
        left = self.take_operator("<") is not None
        opening = self.advance().text if self.token.kind == "operator" else self.stop()
        if opening == "<-":
            left, opening = True, "-"
        if opening == "->" and not left:
            return self._quantified_edge(None, (), None, "right", at)
        if opening != "-":
            raise self.refuse(self.tokens[self.index - 1])
        if not self.take_mark("["):
            return self._quantified_edge(None, (), None, "left" if left else "any", at)
        variable, labels, where = self._filling()
        self.expect_mark("]")
        closing = self.token
        if closing.kind != "operator" or closing.text[0] != "-":
            self.stop()
        right = closing.text[:2] == "->"
        if left and right:
            raise error("42601", "an edge points one way, or none", at)
        extra = closing.text[2 if right else 1 :]
        self.advance()
        direction = "left" if left else "right" if right else "any"
        return self._quantified_edge(variable, labels, where, direction, at, extra)

    def _quantified_edge(
        self,
        variable: str | None,
        labels: tuple[str, ...],
        where: Expression | None,
        direction: str,
        at: int,
        extra: str = "",
    ) -> PathElement:
        least, most = self._quantifier(extra)
        return PathElement(variable, labels, where, direction, least, most, at=at)

    def _quantifier(self, extra: str) -> tuple[int, int | None]:
        at = self.at
        sign = extra or self.take_operator("*", "+", "?")
        if sign:
            if sign not in "*+?":
                raise self.refuse(self.tokens[self.index - 1])
            return (1 if sign == "+" else 0), (1 if sign == "?" else None)
        if not self.take_mark("{"):
            return 1, 1
        least = 0 if self.at_mark(",") else self.expect_integer()
        most: int | None = least
        if self.take_mark(","):
            most = None if self.at_mark("}") else self.expect_integer()
        self.expect_mark("}")
        if least < 0 or (most is not None and (most < least or most < 1)):
            raise error("42601", "a quantifier is {least,most} with 0 <= least <= most, most at least 1", at)
        return least, most

    @staticmethod
    def _one(at: int) -> Literal:
        return Literal("number", "1", at=at)
