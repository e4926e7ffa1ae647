"""Calls of functions, the plain ones and those that SQL spells with words: ``extract(year from d)``, ``trim(both from s)``.

Each special spelling comes out as the call that PostgreSQL makes of it, so that nobody else needs to know it.
"""

from __future__ import annotations

from ..errors import error, unsupported
from ..tree import (
    Call,
    Expression,
    Frame,
    FrameBound,
    Literal,
    Query,
    SortKey,
    Window,
)
from .precedence import OR, OTHER
from .type_names import TypeNames

WITHOUT_PARENTHESES = frozenset(
    [
        "current_date",
        "current_time",
        "current_timestamp",
        "localtime",
        "localtimestamp",
        "current_user",
        "session_user",
        "user",
        "current_role",
        "current_catalog",
        "current_schema",
        "system_user",
    ]
)
NORMAL_FORMS = ("nfc", "nfd", "nfkc", "nfkd")
_RANGE_ORDER = ("unbounded preceding", "preceding", "current row", "following", "unbounded following")


class Calls(TypeNames):
    """The part of the grammar that reads calls."""

    # What other parts read.

    def expression(self, least: int = OR) -> Expression:
        """Go past an expression."""
        raise NotImplementedError

    def expression_or_query(self) -> Expression | Query:
        """Go past an expression or a query."""
        raise NotImplementedError

    def query(self) -> Query:
        """Go past a query."""
        raise NotImplementedError

    def query_after(self, first: Query) -> Query:
        """Go past what follows a query in parentheses and makes it a part of a greater one."""
        raise NotImplementedError

    def at_query(self) -> bool:
        """Return whether a query begins here."""
        return self.at_word("select", "values", "with", "table")

    def at_query_tail(self) -> bool:
        """Return whether something comes that can only follow a query."""
        return self.at_word("union", "intersect", "except", "order", "limit", "offset", "fetch", "for")

    def query_in_parentheses(self) -> Query:
        """Go past a query in parentheses, in as many as there are."""
        self.expect_mark("(")
        if self.at_mark("("):
            found = self.query_in_parentheses()
            if self.at_query_tail():
                found = self.query_after(found)
        else:
            found = self.query()
        self.expect_mark(")")
        return found

    # Plain calls.

    def call(self, parts: tuple[str, ...], at: int) -> Call:
        """Go past the arguments of a call and what may follow them."""
        self.expect_mark("(")
        star = distinct = variadic = False
        arguments: list[Expression] = []
        names: list[str | None] = []
        order_by: tuple[SortKey, ...] = ()
        if self.take_operator("*"):
            star = True
        elif not self.at_mark(")"):
            distinct = self.take_word("distinct") is not None
            if not distinct:
                self.take_word("all")
            while True:
                variadic = self.take_word("variadic") is not None
                name, value = self._argument()
                if name is None and any(names):
                    raise error("42601", "positional argument cannot follow named argument", value.at)
                names.append(name)
                arguments.append(value)
                if variadic or not self.take_mark(","):
                    break
            order_by = self.order_by()
        self.expect_mark(")")
        return self._after_call(
            Call(
                parts,
                tuple(arguments),
                tuple(names) if any(names) else (),
                star,
                distinct,
                variadic,
                order_by,
                at=at,
            )
        )

    def _argument(self) -> tuple[str | None, Expression]:
        named = self.next.text in ("=>", ":=") and self.next.kind in ("operator", "mark")
        if named and self.token.kind in ("word", "name"):
            name = self.advance().text
            self.advance()
            return name, self.expression()
        return None, self.expression()

    def _after_call(self, found: Call) -> Call:
        within = filter_ = over = None
        if self.take_words("within", "group"):
            self.expect_mark("(")
            within = self.order_by()
            if not within:
                self.stop()
            self.expect_mark(")")
        if self.at_words("filter") and self.next.text == "(":
            self.advance()
            self.expect_mark("(")
            self.expect_word("where")
            filter_ = self.expression()
            self.expect_mark(")")
        if self.at_word("ignore", "respect") and self.next.text == "nulls":
            raise unsupported(f"{self.token.text.upper()} NULLS", self.at)
        if self.take_word("over"):
            at = self.at
            over = self.window() if self.at_mark("(") else Window(self.name(), is_name=True, at=at)
        if within is None and filter_ is None and over is None:
            return found
        return Call(
            found.parts,
            found.arguments,
            found.names,
            found.star,
            found.distinct,
            found.variadic,
            found.order_by,
            within,
            filter_,
            over,
            at=found.at,
        )

    def order_by(self) -> tuple[SortKey, ...]:
        """Go past an ``order by``, if there is one."""
        if not self.at_words("order", "by"):
            return ()
        self.expect_words("order", "by")
        return self.list_of(self._sort_key)

    def _sort_key(self) -> SortKey:
        at, value = self.at, self.expression()
        using = None
        descending = False
        if self.take_word("using"):
            if self.token.kind != "operator" or self.token.text not in ("<", ">"):
                self.stop()
            using = self.advance().text
            descending = using == ">"
        elif self.take_word("desc"):
            descending = True
        else:
            self.take_word("asc")
        nulls_first = None
        if self.take_word("nulls"):
            nulls_first = self.expect_word("first", "last") == "first"
        return SortKey(value, descending, nulls_first, using, at=at)

    # Windows.

    def window(self) -> Window:
        """Go past a window in parentheses."""
        at = self.at
        self.expect_mark("(")
        base = None
        if self.at_name() and not self.at_word("partition", "rows", "range", "groups"):
            base = self.name()
        partition: tuple[Expression, ...] = ()
        if self.take_words("partition", "by"):
            partition = self.list_of(self.expression)
        order_by = self.order_by()
        frame = self._frame() if self.at_word("rows", "range", "groups") else None
        self.expect_mark(")")
        return Window(base, partition, order_by, frame, at=at)

    def _frame(self) -> Frame:
        at, unit = self.at, self.advance().text
        if self.take_word("between"):
            start = self._frame_bound()
            self.expect_word("and")
            end = self._frame_bound()
        else:
            start = self._frame_bound()
            end = FrameBound("current row", at=at)
        if start.kind == "unbounded following":
            raise error("42P20", "frame start cannot be UNBOUNDED FOLLOWING", start.at)
        if end.kind == "unbounded preceding":
            raise error("42P20", "frame end cannot be UNBOUNDED PRECEDING", end.at)
        if _RANGE_ORDER.index(start.kind) > _RANGE_ORDER.index(end.kind):
            first = "current row" if start.kind == "current row" else "following row"
            message = f"frame starting from {first} cannot have preceding rows"
            if start.kind == "following" and end.kind == "current row":
                message = "frame starting from following row cannot end with current row"
            raise error("42P20", message, start.at)
        return Frame(unit, start, end, self._exclusion(), at=at)

    def _frame_bound(self) -> FrameBound:
        at = self.at
        if self.take_word("unbounded"):
            return FrameBound("unbounded " + self.expect_word("preceding", "following"), at=at)
        if self.take_words("current", "row"):
            return FrameBound("current row", at=at)
        offset = self.expression()
        return FrameBound(self.expect_word("preceding", "following"), offset, at=at)

    def _exclusion(self) -> str:
        if not self.take_word("exclude"):
            return "no others"
        if self.take_words("current", "row"):
            return "current row"
        if self.take_words("no", "others"):
            return "no others"
        return self.expect_word("group", "ties")

    # Special spellings.

    def special_call(self, word: str, at: int) -> Expression | None:
        """Go past a call that SQL spells with words, or return None if this is none."""
        opens = self.next.kind == "mark" and self.next.text == "("
        if word in WITHOUT_PARENTHESES and not (opens and word == "current_schema"):
            self.advance()
            precision: tuple[Expression, ...] = ()
            if self.at_mark("(") and word in (
                "current_time",
                "current_timestamp",
                "localtime",
                "localtimestamp",
            ):
                digits_at = self.at + 1
                digits = self.in_parentheses(self.expect_integer)
                precision = (Literal("number", str(digits), at=digits_at),)
            return Call((word,), precision, at=at)
        reader = {
            "extract": self._extract,
            "position": self._position,
            "substring": self._substring,
            "overlay": self._overlay,
            "trim": self._trim,
            "normalize": self._normalize,
        }.get(word)
        if reader is None or not opens:
            return None
        self.advance()
        self.expect_mark("(")
        found = reader(at)
        self.expect_mark(")")
        return self._after_call(found)

    def _extract(self, at: int) -> Call:
        token = self.token
        if token.kind not in ("word", "name", "string"):
            self.stop()
        self.advance()
        self.expect_word("from")
        field = Literal("string", token.text, at=token.start)
        return Call(("extract",), (field, self.expression()), at=at)

    def _position(self, at: int) -> Call:
        part = self.expression(OTHER)  # not as far as IN, which separates here
        self.expect_word("in")
        return Call(("position",), (self.expression(OTHER), part), at=at)

    def _substring(self, at: int) -> Call:
        arguments = [self.expression()]
        if self.take_word("similar"):
            arguments.append(self.expression())
            self.expect_word("escape")
            arguments.append(self.expression())
            return Call(("substring",), tuple(arguments), at=at)
        if self.take_mark(","):
            return Call(("substring",), (*arguments, *self.list_of(self.expression)), at=at)
        start = length = None
        while self.at_word("from", "for"):
            word = self.advance().text
            if word == "from" and start is None:
                start = self.expression()
            elif word == "for" and length is None:
                length = self.expression()
            else:
                self.stop()
        if length is not None:
            arguments.append(start or Literal("number", "1", at=at))
            arguments.append(length)
        elif start is not None:
            arguments.append(start)
        return Call(("substring",), tuple(arguments), at=at)

    def _overlay(self, at: int) -> Call:
        arguments = [self.expression()]
        if self.take_word("placing"):
            arguments.append(self.expression())
            self.expect_word("from")
            arguments.append(self.expression())
            if self.take_word("for"):
                arguments.append(self.expression())
        else:
            self.expect_mark(",")
            arguments += self.list_of(self.expression)
        return Call(("overlay",), tuple(arguments), at=at)

    def _normalize(self, at: int) -> Call:
        arguments = [self.expression()]
        if self.take_mark(","):
            form_at = self.at
            arguments.append(Literal("string", self.expect_word(*NORMAL_FORMS), at=form_at))
        return Call(("normalize",), tuple(arguments), at=at)

    def _trim(self, at: int) -> Call:
        side = self.take_word("leading", "trailing", "both") or "both"
        name = {"leading": "ltrim", "trailing": "rtrim", "both": "btrim"}[side]
        if self.take_word("from"):
            return Call((name,), self.list_of(self.expression), at=at)
        first = self.expression()
        if self.take_word("from"):
            return Call((name,), (*self.list_of(self.expression), first), at=at)
        rest = self.list_of(self.expression) if self.take_mark(",") else ()
        return Call((name,), (first, *rest), at=at)
