"""Expressions, by climbing PostgreSQL's precedences (its documentation, table 4.2), tightest first.

    .   ::   [ ]   unary + -   collate   at time zone   ^   * / %   + -   all other operators, vector <-> <#> <=> too
    between in like ilike similar   < > = <= >= <>   is isnull notnull   not   and   or

Comparisons do not chain (``1 < 2 < 3`` is an error), everything else leans to the left. Nothing here calls itself but for a
right operand, which binds more tightly than what it is in, and for what is in parentheses: a chain of ten thousand ``+``
or ``and`` is a loop.
"""

from __future__ import annotations

from ..errors import error, unsupported
from ..lexer import Token
from ..tree import (
    Between,
    Call,
    Cast,
    Collate,
    Expression,
    InList,
    InQuery,
    IsDistinct,
    IsTest,
    Literal,
    Logical,
    Not,
    Operator,
    OperatorChain,
    Quantified,
    Query,
    Row,
    ScalarQuery,
)
from ..tree.expressions import LONGEST_SPINE
from .calls import NORMAL_FORMS
from .cursor import MAX_NESTING
from .precedence import AND, COLLATE, COMPARE, IS, LEVELS, NOT, OR, OTHER, RANGE, SIGN, ZONE
from .primaries import Primaries

_NO_OPERATORS = frozenset(("=>",))
_RANGES = ("in", "between", "like", "ilike", "similar")
_LIKE = {("like", False): "~~", ("like", True): "!~~", ("ilike", False): "~~*", ("ilike", True): "!~~*"}


class Expressions(Primaries):
    """The part of the grammar that reads expressions."""

    def expression(self, least: int = OR) -> Expression:
        """Go past an expression whose operators all have at least a precedence."""
        prefixes: list[tuple[str, int, int]] = []
        while True:
            token = self.token
            if token.kind == "word" and token.text == "not":
                prefixes.append(("not", token.start, NOT))
            elif token.kind == "operator" and token.text not in _NO_OPERATORS:
                level = SIGN if token.text in ("+", "-") else OTHER + 1
                if level != SIGN and token.text in LEVELS:
                    self.stop()
                prefixes.append((token.text, token.start, level))
            elif self.at_words("operator") and self.next.text == "(" and self.next.kind == "mark":
                start = self.at
                prefixes.append((self._operator_name(), start, OTHER + 1))
                continue
            else:
                break
            self.advance()
            if len(prefixes) > MAX_NESTING:
                raise self.too_deep(token.start)
        found = self.operand()
        for name, start, level in reversed(prefixes):
            found = _prefixed(name, self._climb(found, level), start)
        return self._climb(found, least)

    def _climb(self, left: Expression, least: int) -> Expression:
        """Add what follows an operand as long as it binds tightly enough."""
        suffixes = run = 0
        steps: list[tuple[str, Expression, int]] = []
        while True:
            token = self.token
            infix = self._infix(token, least)
            if infix is not None and not self.next_opens_quantifier():
                name, level = infix
                right = self._right_operand(level)
                run += 1
                if run > LONGEST_SPINE:
                    steps.append((name, right, token.start))
                else:
                    left = Operator(name, left, right, at=token.start)
                continue
            if steps:
                left = OperatorChain(left, tuple(steps), at=steps[-1][2])
                steps = []
            if infix is not None:
                every = self.advance().text == "all"
                left = self._quantified(left, infix[0], every, token.start)
                continue
            if token.kind != "word":
                return left
            word = token.text
            if word in ("and", "or"):
                level = AND if word == "and" else OR
                if level < least:
                    return left
                left = self._logical(left, word, level)
                continue
            more = self._suffix(left, word, least)
            if more is None:
                return left
            left = more
            while self.at_mark("::"):  # behind a construct that ended by itself, a cast takes all of it
                at = self.advance().start
                left = Cast(left, self.type_name(), at=at)
                suffixes += 1
            suffixes += 1
            if suffixes > MAX_NESTING:
                raise self.too_deep(token.start)

    def _infix(self, token: Token, least: int) -> tuple[str, int] | None:
        """Go past an operator between operands that binds tightly enough, and return it with its precedence."""
        if token.kind == "operator":
            level = LEVELS.get(token.text, OTHER)
            if level < least or token.text in _NO_OPERATORS:
                return None
            self.advance()
            return token.text, level
        if token.kind == "word" and token.text == "operator" and least <= OTHER:
            after = self.next
            if after.kind == "mark" and after.text == "(":
                return self._operator_name(), OTHER
        return None

    def _right_operand(self, level: int) -> Expression:
        right = self.expression(level + 1)
        chains = self.token.kind == "operator" and LEVELS.get(self.token.text) == COMPARE
        if level == COMPARE and chains:
            self.stop()
        return right

    def next_opens_quantifier(self) -> bool:
        """Return whether ``any (``, ``some (`` or ``all (`` comes."""
        return self.at_word("any", "some", "all") and self.next.text == "(" and self.next.kind == "mark"

    def _quantified(self, left: Expression, name: str, every: bool, at: int) -> Expression:
        self.expect_mark("(")
        inner = self.expression_or_query()
        self.expect_mark(")")
        return Quantified(name, left, inner, every, at=at)

    def expression_or_query(self) -> Expression | Query:
        """Go past what may be in parentheses: an expression, or a query that is no part of one."""
        if self.at_query():
            return self.query()
        found = self.expression()
        if isinstance(found, ScalarQuery) and self.at_query_tail():
            return self.query_after(found.query)
        return found

    def _logical(self, left: Expression, word: str, level: int) -> Expression:
        at = self.at
        operands = list(left.operands) if isinstance(left, Logical) and left.name == word else [left]
        while self.take_word(word):
            operands.append(self.expression(level + 1))
        return Logical(word, tuple(operands), at=at)

    def _suffix(self, left: Expression, word: str, least: int) -> Expression | None:
        """Add a construct that begins with a word, or return None if none of this precedence comes."""
        at = self.at
        if word in ("is", "isnull", "notnull"):
            return None if least > IS else self._is(left, at)
        if self._at_range(word) or (word == "not" and self.next.kind == "word" and self.next.text in _RANGES):
            return None if least > RANGE else self._range(left, at)
        if word == "at" and self.next.kind == "word" and self.next.text in ("time", "local"):
            return None if least > ZONE else self._at_time_zone(left, at)
        if word == "collate":
            if least > COLLATE:
                return None
            self.advance()
            return Collate(left, self.qualified_name(), at=at)
        if word == "overlaps" and isinstance(left, Row):
            if least > COMPARE:
                return None
            self.advance()
            right = self.expression(COMPARE + 1)
            if not isinstance(right, Row) or len(left.items) != 2 or len(right.items) != 2:
                raise error("42601", "wrong number of parameters on a side of OVERLAPS expression", at)
            return Call(("overlaps",), (*left.items, *right.items), at=at)
        return None

    def _is(self, left: Expression, at: int) -> Expression:
        word = self.advance().text
        if word in ("isnull", "notnull"):
            return IsTest(left, "null", word == "notnull", at=at)
        negated = self.take_word("not") is not None
        if self.take_word("distinct"):
            self.expect_word("from")
            right = self.expression(IS + 1)
            if self.at_word("is", "isnull", "notnull"):
                self.stop()
            return IsDistinct(left, right, negated, at=at)
        if self.at_word("normalized", *NORMAL_FORMS):
            form_at = self.at
            form = self.take_word(*NORMAL_FORMS) or "nfc"
            self.expect_word("normalized")
            found = Call(("is_normalized",), (left, Literal("string", form, at=form_at)), at=at)
            return Not(found, at=at) if negated else found
        if self.at_word("json", "document"):
            raise unsupported(f"IS {self.token.text.upper()}", at)
        return IsTest(left, self.expect_word("null", "true", "false", "unknown"), negated, at=at)

    def _at_range(self, word: str) -> bool:
        """Return whether ``in``, ``between`` or ``like`` comes; ``similar`` without ``to`` is a part of ``substring``."""
        return word in _RANGES and (word != "similar" or self.next.text == "to")

    def _range(self, left: Expression, at: int) -> Expression:
        negated = self.take_word("not") is not None
        word = self.advance().text
        if word == "between":
            symmetric = self.take_word("symmetric") is not None
            if not symmetric:
                self.take_word("asymmetric")
            if self.at_word("not"):
                self.stop()
            low = self.expression(RANGE + 1)
            self.expect_word("and")
            found: Expression = Between(left, low, self.expression(RANGE + 1), negated, symmetric, at=at)
            self._refuse_chain(_RANGES)
            return found
        if word == "in":
            self.expect_mark("(")
            if self.at_query():
                found = InQuery(left, self.query(), negated, at=at)
            else:
                first = self.expression_or_query()
                if isinstance(first, Query):
                    found = InQuery(left, first, negated, at=at)
                elif isinstance(first, ScalarQuery) and self.at_mark(")"):
                    found = InQuery(left, first.query, negated, at=at)
                else:
                    rest = self.list_of(self.expression) if self.take_mark(",") else ()
                    found = InList(left, (first, *rest), negated, at=at)
            self.expect_mark(")")
            return found
        return self._like(left, word, negated, at)

    def _refuse_chain(self, words: tuple[str, ...]) -> None:
        if self.at_word(*words) or (self.at_word("not") and self.next.text in words):
            self.stop()

    def _like(self, left: Expression, word: str, negated: bool, at: int) -> Expression:
        if word == "similar":
            self.expect_word("to")
        elif self.next_opens_quantifier():
            every = self.advance().text == "all"
            return self._quantified(left, _LIKE[word, negated], every, at)
        pattern = self.expression(RANGE + 1)
        escape = self.expression(RANGE + 1) if self.take_word("escape") else None
        extra = () if escape is None else (escape,)
        self._refuse_chain(_RANGES)
        if word == "similar":
            translated = Call(("similar_to_escape",), (pattern, *extra), at=at)
            return Operator("!~" if negated else "~", left, translated, at=at)
        if escape is not None:
            pattern = Call(("like_escape",), (pattern, escape), at=at)
        return Operator(_LIKE[word, negated], left, pattern, at=at)

    def _at_time_zone(self, left: Expression, at: int) -> Expression:
        self.advance()
        if self.take_word("local"):
            return Call(("timezone",), (left,), at=at)
        self.expect_words("time", "zone")
        return Call(("timezone",), (self.expression(ZONE + 1), left), at=at)

    def _operator_name(self) -> str:
        """Go past ``operator(schema.+)``: the schema says nothing here."""
        self.expect_word("operator")
        self.expect_mark("(")
        while self.token.kind in ("word", "name"):
            self.advance()
            self.expect_mark(".")
        if self.token.kind != "operator":
            self.stop()
        name = self.advance().text
        self.expect_mark(")")
        return name


def _prefixed(name: str, operand: Expression, at: int) -> Expression:
    if name == "not":
        return Not(operand, at=at)
    if isinstance(operand, Literal) and operand.kind == "number" and name in ("+", "-"):
        digits = operand.value
        if name == "-":
            digits = digits[1:] if digits.startswith("-") else "-" + digits
        return Literal("number", digits, at=at)
    return Operator(name, None, operand, at=at)
