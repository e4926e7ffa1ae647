"""Primaries: what an expression is made of when no operator is left. Constants, names, calls, cases, subqueries."""

from __future__ import annotations

from ...errors import SqlError
from ..errors import error, unsupported
from ..tree import (
    ArrayItems,
    ArrayQuery,
    Case,
    Cast,
    ColumnRef,
    Default,
    Exists,
    Expression,
    Field,
    Literal,
    Parameter,
    Query,
    Row,
    ScalarQuery,
    Star,
    Subscript,
)
from .calls import Calls
from .cursor import MAX_NESTING
from .keywords import NOT_FUNCTIONS
from .type_names import STARTERS

_CONSTANTS = {"null": ("null", ""), "true": ("boolean", "true"), "false": ("boolean", "false")}


class Primaries(Calls):
    """The part of the grammar that reads operands."""

    def operand(self) -> Expression:
        """Go past an operand with its casts, subscripts and fields; the latter two want a name or parentheses before them."""
        in_parentheses = self.at_mark("(")
        found = self.primary()
        has_parts = in_parentheses or isinstance(found, (ColumnRef, Parameter))
        count, before = 0, ""
        while self.token.kind == "mark" and self.token.text in ("::", "[", "."):
            if self.token.text != "::" and not has_parts:
                self.stop()
            at, mark = self.at, self.advance().text
            if mark == "::":
                found = Cast(found, self.type_name(), at=at)
                has_parts = False
            elif mark == "[":
                found = self._subscript(found, at, before == "[")
            elif self.take_operator("*"):
                found = Field(found, None, at=at)
            else:
                found = Field(found, self.label(), at=at)
            count, before = count + 1, mark
            if count > MAX_NESTING:
                raise self.too_deep(at)
        return found

    def subscripts(self, operand: Expression) -> Expression:
        """Go past the subscripts of an operand."""
        found, count = operand, 0
        while self.at_mark("["):
            at = self.at
            self.advance()
            found = self._subscript(found, at, count > 0)
            count += 1
            if count > MAX_NESTING:
                raise self.too_deep(at)
        return found

    def _subscript(self, operand: Expression, at: int, continues: bool) -> Expression:
        lower = None if self.at_mark(":") else self.expression()
        if not self.take_mark(":"):
            self.expect_mark("]")
            return Subscript(operand, lower, continues=continues, at=at)
        upper = None if self.at_mark("]") else self.expression()
        self.expect_mark("]")
        return Subscript(operand, lower, upper, True, continues, at=at)

    def primary(self) -> Expression:
        """Go past one operand, without what may hang on it."""
        token = self.token
        kind, at = token.kind, token.start
        if kind == "word":
            return self._word(token.text, at)
        if kind == "number":
            self.advance()
            return Literal("number", token.text, at=at)
        if kind == "string":
            self.advance()
            return Literal("string", token.text, at=at)
        if kind == "parameter":
            self.advance()
            return Parameter(int(token.text), at=at)
        if kind == "name":
            return self._named(at)
        if self.at_mark("("):
            return self._parenthesis(at)
        if kind == "bits":
            raise unsupported("a bit string", at)
        raise self.refuse()

    def _word(self, word: str, at: int) -> Expression:
        if word in _CONSTANTS:
            self.advance()
            kind, value = _CONSTANTS[word]
            return Literal(kind, value, at=at)
        if word == "case":
            return self._case(at)
        if word == "cast":
            self.advance()
            self.expect_mark("(")
            operand = self.expression()
            self.expect_word("as")
            found = Cast(operand, self.type_name(), at=at)
            self.expect_mark(")")
            return found
        if word == "array":
            return self._array(at)
        opens = self.next.kind == "mark" and self.next.text == "("
        if word == "exists" and opens:
            self.advance()
            return Exists(self.query_in_parentheses(), at=at)
        if word == "row" and opens:
            self.advance()
            self.expect_mark("(")
            items = () if self.at_mark(")") else self.list_of(self.expression)
            self.expect_mark(")")
            return Row(items, at=at)
        if word == "default":
            self.advance()
            return Default(at=at)
        if word in STARTERS or self.next.kind == "string":
            typed = self._typed_literal(word, at)
            if typed is not None:
                return typed
        special = self.special_call(word, at)
        return self._named(at) if special is None else special

    def _typed_literal(self, word: str, at: int) -> Expression | None:
        """Go past ``date '2024-01-01'``; return None, without going on, if it is something else."""
        if word in NOT_FUNCTIONS and word not in STARTERS:
            return None
        index = self.index
        if word in STARTERS:
            try:
                name = self.type_name()
            except SqlError:
                self.back_to(index)
                return None
            if self.token.kind != "string":
                self.back_to(index)
                return None
        else:
            name = self.type_name()
        value = Literal("string", self.expect_string(), at=self.tokens[self.index - 1].start)
        if name.parts == ("interval",) and not name.modifiers:
            fields = self._interval_fields()
            if fields:
                name = type(name)(name.parts, fields, 0, at=name.at)
        return Cast(value, name, at=at)

    def _named(self, at: int) -> Expression:
        """Go past a column, a call, or ``t.*``."""
        token = self.token
        if self.next.kind == "mark" and self.next.text in "(.":
            if not (self.at_name() or self.at_name(NOT_FUNCTIONS)):
                self.stop()
            parts = [self.advance().text]
            while self.at_mark(".") and not (self.next.kind == "operator" and self.next.text != "*"):
                self.advance()
                if self.take_operator("*"):
                    return Star(tuple(parts), at=at)
                parts.append(self.label())
            if self.at_mark("("):
                if len(parts) == 1 and token.kind == "word" and not self._may_be_called(token.text):
                    raise self.refuse(token)
                return self.call(tuple(parts), at)
            if len(parts) > 4:
                shown = ".".join(parts)
                raise error("42601", f"improper qualified name (too many dotted names): {shown}", at)
            return ColumnRef(tuple(parts), at=at)
        return ColumnRef((self.name(),), at=at)

    @staticmethod
    def _may_be_called(word: str) -> bool:
        return word not in NOT_FUNCTIONS or word in ("left", "right") or word in CALLED_KEYWORDS

    def _case(self, at: int) -> Expression:
        self.expect_word("case")
        operand = None if self.at_word("when") else self.expression()
        branches = []
        while self.take_word("when"):
            condition = self.expression()
            self.expect_word("then")
            branches.append((condition, self.expression()))
        if not branches:
            self.stop()
        otherwise = self.expression() if self.take_word("else") else None
        self.expect_word("end")
        return Case(operand, tuple(branches), otherwise, at=at)

    def _array(self, at: int) -> Expression:
        self.expect_word("array")
        if self.at_mark("("):
            return ArrayQuery(self.query_in_parentheses(), at=at)
        return self._array_items(at)

    def _array_items(self, at: int) -> Expression:
        self.expect_mark("[")
        items: tuple[Expression, ...] = ()
        if self.at_mark("["):
            items = self.list_of(lambda: self._array_items(self.at))
        elif not self.at_mark("]"):
            items = self.list_of(self.expression)
        self.expect_mark("]")
        return ArrayItems(items, at=at)

    def _parenthesis(self, at: int) -> Expression:
        self.expect_mark("(")
        if self.at_query():
            found: Expression = ScalarQuery(self.query(), at=at)
        else:
            inner = self.expression_or_query()
            if isinstance(inner, Query):
                found = ScalarQuery(inner, at=at)
            elif self.take_mark(","):
                found = Row((inner, *self.list_of(self.expression)), at=at)
            else:
                found = inner
        self.expect_mark(")")
        return found


CALLED_KEYWORDS = frozenset(
    [
        "coalesce",
        "greatest",
        "least",
        "nullif",
        "grouping",
        "merge_action",
        "normalize",
        "json_object",
        "char",
        "character",
        "int",
        "integer",
        "numeric",
        "float",
        "real",
        "boolean",
        "bigint",
        "smallint",
        "decimal",
        "bit",
        "varchar",
        "interval",
        "time",
        "timestamp",
    ]
)
"""Keywords of columns that are called like functions."""
