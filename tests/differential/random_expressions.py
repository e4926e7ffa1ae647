"""Random expressions of a kind over the columns in reach.

Results must not depend on what PostgreSQL leaves open: what may fail (a division by zero, an overflow) only stands where every row is
computed (:attr:`Grammar.may_fail`), and values that float arithmetic rounds are never summed, for sums depend on the order then.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from random_trees import TYPES, Expression, Node, expression

NUMBERS = "ILFN"
KINDS = "ILFNTBDS"
SQLITE_KINDS = "IT"
LITERALS = {
    "I": ["0", "1", "2", "3", "-1", "5"],
    "L": ["cast(0 as bigint)", "cast(2 as bigint)", "cast(-3 as bigint)", "5000000000"],
    "F": ["cast(0 as double precision)", "cast(0.5 as double precision)", "cast(-1.5 as double precision)"],
    "N": ["0.00", "1.50", "-2.25", "3.00"],
    "T": ["''", "'a'", "'b'", "'ab'", "'B'", "'%'", "'3'"],
    "B": ["true", "false"],
    "D": ["date '2024-01-01'", "date '2024-02-29'", "date '1969-12-31'"],
    "S": ["timestamp '2024-01-01 00:00'", "timestamp '2024-02-29 12:30:00.5'"],
}
PATTERNS = ["'a%'", "'%b'", "'_'", "'%'", "'a_'", "''", "'%a%'", "'B%'"]


@dataclass(frozen=True)
class Column:
    """A column in reach."""

    name: str
    kind: str
    exact: bool = True


@dataclass
class Scope:
    """The columns that an expression may name, those of queries around at the end."""

    columns: list[Column] = field(default_factory=list)
    outer: Scope | None = None

    def of_kind(self, kind: str, exact: bool = False) -> list[Column]:
        """Return the columns of a kind; if ``exact``, without rounded ones."""
        return [c for c in self.columns if c.kind == kind and (c.exact or not exact)]


Maker = Callable[["Grammar", Scope, int], Expression]


class Grammar:
    """What makes expressions.

    Parameters
    ----------
    chance : random.Random
        Where all choices come from.
    sqlite : bool
        Whether only what SQLite gives the same answers for is made.
    """

    def __init__(self, chance: random.Random, sqlite: bool = False) -> None:
        self.chance = chance
        self.sqlite = sqlite
        self.kinds = SQLITE_KINDS if sqlite else KINDS
        self.may_fail = False
        self.subquery: Callable[[Scope, Sequence[str], int, bool], Node] | None = None

    def one(self, choices: Sequence[str]) -> str:
        """Return one of several texts."""
        return self.chance.choice(choices)

    def kind(self) -> str:
        """Return a kind, numbers more often than others."""
        return self.one(self.kinds + "".join(k for k in "III" if k in self.kinds))

    def sometimes(self, share: float) -> bool:
        """Return True in a share of the cases."""
        return self.chance.random() < share

    # Values.

    def leaf(self, kind: str, scope: Scope) -> Expression:
        """Return a column, a literal or a null."""
        reach = scope
        while reach.outer is not None and self.sometimes(0.2):
            reach = reach.outer
        found = reach.of_kind(kind)
        if found and self.sometimes(0.85):
            column = self.chance.choice(found)
            return expression(kind, column.name, exact=column.exact)
        if self.sometimes(0.1):
            return expression(kind, f"cast(null as {TYPES[kind]})")
        return expression(kind, self.one(LITERALS[kind]))

    def value(self, kind: str, scope: Scope, depth: int) -> Expression:
        """Return an expression of a kind."""
        if kind == "B":
            return self.condition(scope, depth)
        if depth <= 0 or self.sometimes(0.35):
            return self.leaf(kind, scope)
        if self.sometimes(0.3):
            return self._conditional(kind, scope, depth - 1)
        if self.subquery is not None and self.sometimes(0.08):
            return expression(kind, "(", self.subquery(scope, [kind], depth - 1, True), ")", exact=False)
        if self.may_fail and kind in _RISKS and scope.of_kind(kind) and self.sometimes(0.3):
            return self._risk(kind, scope, depth - 1)
        makers = _MAKERS_SQLITE if self.sqlite else _MAKERS
        return self.chance.choice(makers[kind])(self, scope, depth - 1)

    def _risk(self, kind: str, scope: Scope, depth: int) -> Expression:
        """Return what may fail; of a column, since PostgreSQL computes constants before there are rows."""
        form, *others = self.chance.choice(_RISKS[kind])
        first, *texts = form.split("{}")
        column = self.chance.choice(scope.of_kind(others.pop(0)) or scope.of_kind(kind))
        pieces: list[str | Node] = [first, expression(column.kind, column.name), texts[0]]
        for other, text in zip(others, texts[1:], strict=True):
            pieces += [self.value(other, scope, depth), text]
        return expression(kind, *pieces, exact=False)

    def _conditional(self, kind: str, scope: Scope, depth: int) -> Expression:
        first, second = self.value(kind, scope, depth), self.value(kind, scope, depth)
        what = self.one(["case", "coalesce", "nullif", "simple"] + ["greatest", "least"] * (not self.sqlite))
        if what == "case":
            test = self.condition(scope, depth)
            tail: tuple[str | Node, ...] = (" else ", second, " end") if self.sometimes(0.7) else (" end",)
            return expression(kind, "case when ", test, " then ", first, *tail)
        if what == "simple":
            over = self.one(self.kinds.replace("B", ""))
            one, other = self.value(over, scope, depth), self.value(over, scope, depth)
            return expression(kind, "case ", one, " when ", other, " then ", first, " else ", second, " end")
        return expression(kind, f"{what}(", first, ", ", second, ")")

    # Conditions.

    def condition(self, scope: Scope, depth: int) -> Expression:
        """Return something that is true, false or null, and never fails: who knows which part comes first."""
        risky, self.may_fail = self.may_fail, False
        found = self._condition(scope, depth)
        self.may_fail = risky
        return found

    def _condition(self, scope: Scope, depth: int) -> Expression:
        if depth <= 0:
            return self._comparison(scope, 0)
        if self.sometimes(0.35):
            word = self.one([" and ", " or "])
            return expression(
                "B", "(", self.condition(scope, depth - 1), word, self.condition(scope, depth - 1), ")"
            )
        if self.sometimes(0.15):
            return expression("B", "not (", self.condition(scope, depth - 1), ")")
        if self.subquery is not None and self.sometimes(0.25):
            return self._over_subquery(scope, depth - 1)
        makers = [self._comparison, self._between, self._listed, self._null_test, self._like, self._truth]
        if not self.sqlite:
            makers += [self._any, self._rows]
            booleans = scope.of_kind("B")
            if booleans and self.sometimes(0.2):
                return expression("B", self.chance.choice(booleans).name)
        return self.chance.choice(makers)(scope, depth - 1)

    def _two(self, scope: Scope, depth: int) -> tuple[Expression, Expression]:
        """Return two values that can be compared."""
        kind = self.one(self.kinds.replace("B", ""))
        other = kind
        if not self.sqlite and kind in NUMBERS and self.sometimes(0.3):
            other = self.one(NUMBERS)
        elif kind in "DS" and self.sometimes(0.2):
            other = self.one("DS")
        return self.value(kind, scope, depth), self.value(other, scope, depth)

    def _comparison(self, scope: Scope, depth: int) -> Expression:
        left, right = self._two(scope, depth)
        symbol = self.one(["=", "=", "<>", "<", "<=", ">", ">=", "is distinct from", "is not distinct from"])
        return expression("B", "(", left, f" {symbol} ", right, ")")

    def _between(self, scope: Scope, depth: int) -> Expression:
        kind = self.one(self.kinds.replace("B", ""))
        value, low, high = (self.value(kind, scope, depth) for _ in range(3))
        word = self.one(["between", "not between"])
        return expression("B", "(", value, f" {word} ", low, " and ", high, ")")

    def _listed(self, scope: Scope, depth: int) -> Expression:
        kind = self.one(self.kinds.replace("B", ""))
        items: list[str | Node] = []
        for _ in range(self.chance.randint(1, 4)):
            items += [", ", self.value(kind, scope, depth - 1)]
        word = self.one(["in", "not in"])
        return expression("B", "(", self.value(kind, scope, depth), f" {word} (", *items[1:], "))")

    def _null_test(self, scope: Scope, depth: int) -> Expression:
        value = self.value(self.kind(), scope, depth)
        return expression("B", "(", value, self.one([" is null", " is not null"]), ")")

    def _truth(self, scope: Scope, depth: int) -> Expression:
        value = self.condition(scope, depth)
        test = self.one(["is true", "is not true", "is false", "is not false", "is null"])
        return expression("B", "((", value, f") {test})")

    def _like(self, scope: Scope, depth: int) -> Expression:
        words = ["like", "not like"] + ["ilike", "~", "!~*"] * (not self.sqlite)
        word = self.one(words)
        pattern = self.one(["'^a'", "'b$'", "'[ab]+'"]) if "~" in word else self.one(PATTERNS)
        return expression("B", "(", self.value("T", scope, depth), f" {word} {pattern})")

    def _any(self, scope: Scope, depth: int) -> Expression:
        kind = self.one("IT")
        items: list[str | Node] = []
        for _ in range(self.chance.randint(1, 3)):
            items += [", ", self.value(kind, scope, depth - 1)]
        how = self.one(["= any", "<> any", "< any", "= all", "<> all", ">= all"])
        return expression("B", "(", self.value(kind, scope, depth), f" {how} (array[", *items[1:], "]))")

    def _rows(self, scope: Scope, depth: int) -> Expression:
        first, second = self._two(scope, depth - 1), self._two(scope, depth - 1)
        symbol = self.one(["=", "<>", "<", ">="])
        return expression(
            "B", "((", first[0], ", ", second[0], f") {symbol} (", first[1], ", ", second[1], "))"
        )

    def _over_subquery(self, scope: Scope, depth: int) -> Expression:
        assert self.subquery is not None
        how = self.one(["exists", "not exists", "in", "not in"] + ["any", "all", "row"] * (not self.sqlite))
        kind = self.one(self.kinds.replace("B", ""))
        if how.endswith("exists"):
            return expression("B", f"{how} (", self.subquery(scope, [self.kind()], depth, False), ")")
        value = self.value(kind, scope, depth)
        if how == "row":
            other = self.value("I", scope, depth)
            query = self.subquery(scope, [kind, "I"], depth, False)
            word = self.one(["in", "not in"])
            return expression("B", "((", value, ", ", other, f") {word} (", query, "))")
        query = self.subquery(scope, [kind], depth, False)
        if how in ("any", "all"):
            how = self.one(["=", "<>", "<", ">="]) + " " + how
        return expression("B", "(", value, f" {how} (", query, "))")


def _infix(kind: str, symbol: str, left: str, right: str, exact: bool = True) -> Maker:
    def make(grammar: Grammar, scope: Scope, depth: int) -> Expression:
        first, second = grammar.value(left, scope, depth), grammar.value(right, scope, depth)
        return expression(kind, "(", first, f" {symbol} ", second, ")", exact=exact)

    return make


def _call(kind: str, form: str, *arguments: str, exact: bool = True) -> Maker:
    """Return what fills the holes ``{}`` of a form with values of kinds."""
    texts = form.split("{}")

    def make(grammar: Grammar, scope: Scope, depth: int) -> Expression:
        pieces: list[str | Node] = [texts[0]]
        for argument, text in zip(arguments, texts[1:], strict=True):
            pieces += [grammar.value(argument, scope, depth), text]
        return expression(kind, *pieces, exact=exact)

    return make


_TO_TEXT = [_call("T", "cast({} as text)", kind) for kind in "ILNBDS"]
_MAKERS: dict[str, list[Maker]] = {
    "I": [
        *(_infix("I", symbol, "I", "I") for symbol in "+-"),
        _call("I", "({} % 7 * 2)", "I"),
        _call("I", "({} / 3)", "I"),
        _call("I", "abs({})", "I"),
        _call("I", "(- {})", "I"),
        _call("I", "length({})", "T"),
        _infix("I", "-", "D", "D"),
        _call("I", "cast({} as integer)", "B"),
        _call("I", "strpos({}, {})", "T", "T"),
        _call("I", "ascii({})", "T"),
        _infix("I", "&", "I", "I"),
    ],
    "L": [
        _infix("L", "+", "L", "I"),
        _infix("L", "-", "L", "L"),
        _call("L", "cast({} as bigint)", "I"),
        _call("L", "({} / 5)", "L"),
        _call("L", "({} % 4)", "L"),
    ],
    "F": [
        *(_infix("F", symbol, "F", "F") for symbol in "+-"),
        _call("F", "({} * 0.5)", "F"),
        _call("F", "cast({} as double precision)", "I"),
        _call("F", "cast({} as double precision)", "N"),
        _call("F", "floor({})", "F"),
        _call("F", "round({})", "F"),
        _call("F", "(- {})", "F"),
        _call("F", "({} / 3)", "F", exact=False),
    ],
    "N": [
        *(_infix("N", symbol, "N", "N") for symbol in "+-*"),
        _infix("N", "+", "N", "I"),
        _call("N", "cast({} as numeric)", "I"),
        _call("N", "round({}, 1)", "N"),
        _call("N", "trunc({})", "N"),
        _call("N", "({} / 3)", "N"),
        _call("N", "abs({})", "N"),
        _call("N", "extract(month from {})", "D"),
        _call("N", "extract(epoch from {})", "S"),
    ],
    "T": [
        _infix("T", "||", "T", "T"),
        _infix("T", "||", "T", "I"),
        _call("T", "upper({})", "T"),
        _call("T", "lower({})", "T"),
        _call("T", "substr({}, 2)", "T"),
        _call("T", "left({}, 1)", "T"),
        _call("T", "replace({}, 'a', 'xy')", "T"),
        _call("T", "reverse({})", "T"),
        _call("T", "concat({}, '-', {})", "T", "I"),
        _call("T", "to_char({}, 'YYYY-MM')", "D"),
        *_TO_TEXT,
    ],
    "D": [
        _infix("D", "+", "D", "I"),
        _call("D", "cast({} as date)", "S"),
        _infix("D", "-", "D", "I"),
    ],
    "S": [
        _call("S", "cast({} as timestamp)", "D"),
        _call("S", "({} + interval '1 day 02:00')", "S"),
        _call("S", "({} - interval '1 month')", "S"),
        _call("S", "date_trunc('month', {})", "S"),
        _call("S", "({} + interval '90 minutes')", "D"),
    ],
}
_MAKERS_SQLITE: dict[str, list[Maker]] = {
    "I": [
        *(_infix("I", symbol, "I", "I") for symbol in "+-"),
        _call("I", "({} % 7 * 2)", "I"),
        _call("I", "({} / 3)", "I"),
        _call("I", "abs({})", "I"),
        _call("I", "(- {})", "I"),
        _call("I", "length({})", "T"),
    ],
    "T": [
        _infix("T", "||", "T", "T"),
        _call("T", "upper({})", "T"),
        _call("T", "lower({})", "T"),
        _call("T", "substr({}, 2)", "T"),
        _call("T", "replace({}, 'a', 'xy')", "T"),
        _call("T", "cast({} as text)", "I"),
    ],
}
_RISKS: dict[str, list[tuple[str, ...]]] = {
    "I": [
        ("({} / {})", "I", "I"),
        ("({} % {})", "I", "I"),
        ("({} * {})", "I", "I"),
        ("({} * 1500000000)", "I"),
        ("cast({} as integer)", "T"),
        ("cast({} as integer)", "L"),
        ("cast({} as integer)", "F"),
        ("cast({} as integer)", "N"),
    ],
    "L": [("({} / {})", "L", "I"), ("({} * {})", "L", "L"), ("({} * 9000000000)", "L")],
    "N": [("({} / {})", "N", "N"), ("({} % {})", "N", "I"), ("sqrt({})", "N")],
    "F": [("({} / {})", "F", "F"), ("sqrt({})", "F")],
    "T": [("chr({})", "I"), ("left({}, 2 / {})", "T", "I")],
}
"""What may fail: a form with holes and the kinds of what fills them; a column fills the first."""
