"""Names of types: ``double precision``, ``timestamp(3) without time zone``, ``int[]``, ``vector(384)``, ``s.my_enum``.

PostgreSQL's grammar writes some types in several words; each comes out under the short name that its catalogue uses
(``float8``, ``timestamp``, ``varchar``), so that what follows knows one name for one type.
"""

from __future__ import annotations

from ..errors import error, unsupported
from ..tree import Expression, Literal, TypeName
from .cursor import Cursor
from .keywords import NOT_FUNCTIONS

_SHORT = {
    "int": "int4",
    "integer": "int4",
    "smallint": "int2",
    "bigint": "int8",
    "real": "float4",
    "decimal": "numeric",
    "dec": "numeric",
    "numeric": "numeric",
    "boolean": "bool",
    "json": "json",
}
STARTERS = frozenset(_SHORT) | {
    "float",
    "double",
    "character",
    "char",
    "varchar",
    "national",
    "nchar",
    "bit",
    "timestamp",
    "time",
    "interval",
}
"""Words that begin a type in more ways than a name and modifiers."""

INTERVAL_FIELDS = ("year", "month", "day", "hour", "minute", "second")


class TypeNames(Cursor):
    """The part of the grammar that reads types."""

    def type_name(self) -> TypeName:
        """Go past a type with its modifiers and array bounds."""
        start = self.at
        if self.take_word("setof"):
            raise unsupported("SETOF here", start)
        parts, modifiers = self._simple_type()
        dimensions = 0
        if self.take_word("array"):
            dimensions = 1
            if self.take_mark("["):
                self.expect_integer()
                self.expect_mark("]")
        while self.take_mark("["):
            if not self.at_mark("]"):
                self.expect_integer()
            self.expect_mark("]")
            dimensions += 1
        if self.at_operator("%") and self.next.kind == "word" and self.next.text == "type":
            raise unsupported("%TYPE", start)
        return TypeName(parts, modifiers, dimensions, at=start)

    def _simple_type(self) -> tuple[tuple[str, ...], tuple[Expression, ...]]:
        start, token = self.at, self.token
        if token.kind != "word" or token.text not in STARTERS:
            parts = [self.name(NOT_FUNCTIONS)]
            while self.take_mark("."):
                parts.append(self.label())
            return tuple(parts), self._modifiers()
        self.advance()
        word = token.text
        if word in _SHORT:
            return (_SHORT[word],), self._modifiers()
        if word == "float":
            return self._float(start), ()
        if word == "double":
            self.expect_word("precision")
            return ("float8",), ()
        if word in ("timestamp", "time"):
            modifiers = self._modifiers()
            zone = self.take_words("with", "time", "zone")
            if not zone:
                self.take_words("without", "time", "zone")
            return (word + "tz" if zone else word,), modifiers
        if word == "interval":
            return ("interval",), self._modifiers() or self._interval_fields()
        if word == "bit":
            return ("varbit" if self.take_word("varying") else "bit",), self._modifiers()
        if word == "national":
            self.expect_word("character", "char")
        varying = word == "varchar" or self.take_word("varying") is not None
        modifiers = self._modifiers()
        if not varying and not modifiers:
            modifiers = (Literal("number", "1", at=start),)
        return ("varchar" if varying else "bpchar",), modifiers

    def _float(self, start: int) -> tuple[str, ...]:
        if not self.at_mark("("):
            return ("float8",)
        bits = self.in_parentheses(self.expect_integer)
        if not 1 <= bits <= 53:
            limit = "at least 1 bit" if bits < 1 else "less than 54 bits"
            raise error("22023", f"precision for type float must be {limit}", start)
        return ("float4",) if bits <= 24 else ("float8",)

    def _modifiers(self) -> tuple[Expression, ...]:
        if not self.at_mark("("):
            return ()
        return self.in_parentheses(lambda: self.list_of(self._modifier))

    def _modifier(self) -> Expression:
        start, token = self.at, self.token
        if token.kind == "number" or self.at_operator("-", "+"):
            return Literal("number", str(self.expect_integer()), at=start)
        if token.kind in ("string", "word", "name"):
            self.advance()
            return Literal("string", token.text, at=start)
        raise self.refuse()

    def _interval_fields(self) -> tuple[Expression, ...]:
        start = self.at
        first = self.take_word(*INTERVAL_FIELDS)
        if first is None:
            return ()
        last = self.expect_word(*INTERVAL_FIELDS) if self.take_word("to") else first
        if last == "second" and self.at_mark("("):  # all fields are kept, as with interval(2)
            return (Literal("number", str(self.in_parentheses(self.expect_integer)), at=start),)
        return Literal("string", first, at=start), Literal("string", last, at=start)
