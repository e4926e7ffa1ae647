"""The grammar of SQL/JSON paths: tokens to trees.

    path         [strict | lax] value | condition
    condition    condition || condition, condition && condition, ! (condition), exists (value), (condition) is unknown,
                 value == value …, value starts with "…", value like_regex "…" flag "…"
    value        + - * / % of values, and what begins with $ @ $name last or a literal and goes on with steps
    step         .key ."key" .* .** .**{1 to 3} [*] [0, 2 to last] ?(condition) .method()

A condition is a value only in parentheses with a step behind it: ``($.a > 1).type()``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple, NoReturn

from ...errors import SqlError
from ..errors import error
from .jsonvalues import negative
from .pathtree import EVERY, PREDICATES, Chain, Item, Path
from .pathwords import Token, syntax_error, words
from .regular import compiled

_COMPARISONS = {"==": "==", "!=": "!=", "<>": "!=", "<": "<", ">": ">", "<=": "<=", ">=": ">="}
_PLAIN_METHODS = frozenset(["type", "size", "abs", "floor", "double", "ceiling", "keyvalue", "bigint", "boolean", "integer", "number", "string", "date"])  # fmt: skip
_MOMENT_METHODS = frozenset(["time", "time_tz", "timestamp", "timestamp_tz"])
METHODS = _PLAIN_METHODS | _MOMENT_METHODS | {"decimal", "datetime"}
MAX_NESTING = 50


@lru_cache(512)
def parse_path(text: str) -> Path:
    """Return the tree of a path.

    Raises
    ------
    SqlError
        42601 if it is no path, 22P02 if there is nothing; 2201B for a regular expression that is none; 54001 if it nests too deeply.
    """
    try:
        found = _Parser(words(text)).path()
    except RecursionError:
        raise too_deep() from None
    if found is None:
        raise error("22P02", f'invalid input syntax for type jsonpath: "{text}"')
    return found


def too_deep() -> SqlError:
    """Return the error for a path that nests too deeply."""
    return error("54001", "stack depth limit exceeded")


class _Found(NamedTuple):
    """A part of a path: whether it is a condition, and whether it stands in parentheses."""

    chain: Chain
    enclosed: bool = False

    @property
    def is_condition(self) -> bool:
        return len(self.chain) == 1 and self.chain[0].kind in PREDICATES


class _Parser:
    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.place = 0
        self.nesting = 0
        self.filters = 0
        self.subscripts = 0

    # Tokens.

    @property
    def token(self) -> Token | None:
        return self.tokens[self.place] if self.place < len(self.tokens) else None

    def stop(self) -> NoReturn:
        raise syntax_error(self.token)

    def at(self, *marks: str) -> bool:
        token = self.token
        return token is not None and token.kind == "mark" and token.text in marks

    def take(self, *marks: str) -> str | None:
        if not self.at(*marks):
            return None
        self.place += 1
        return self.tokens[self.place - 1].text

    def expect(self, mark: str) -> None:
        if not self.take(mark):
            self.stop()

    def word(self, ahead: int = 0) -> str:
        """Return the keyword that a name may be, in lower case; an empty text if it is no name."""
        place = self.place + ahead
        if place >= len(self.tokens) or self.tokens[place].kind != "name":
            return ""
        return str(self.tokens[place].value).lower()

    def take_words(self, *expected: str) -> bool:
        if any(self.word(i) != word for i, word in enumerate(expected)):
            return False
        self.place += len(expected)
        return True

    def take_kind(self, *kinds: str) -> Token:
        token = self.token
        if token is None or token.kind not in kinds:
            self.stop()
        self.place += 1
        return token

    # Conditions.

    def path(self) -> Path | None:
        if not self.tokens:
            return None
        lax = self.take_words("lax") or not self.take_words("strict")
        found = self.either()
        if self.token is not None:
            self.stop()
        return Path(found.chain, lax)

    def condition(self) -> Chain:
        found = self.either()
        if not found.is_condition:
            self.stop()
        return found.chain

    def value(self) -> Chain:
        found = self.sum()
        if found.is_condition:
            self.stop()
        return found.chain

    def either(self) -> _Found:
        return self._joined("||")

    def both(self) -> _Found:
        return self._joined("&&")

    def _joined(self, mark: str) -> _Found:
        read = self.both if mark == "||" else self.negation
        left = read()
        while self.at(mark):
            if not left.is_condition:
                self.stop()
            self.place += 1
            right = read()
            if not right.is_condition:
                self.stop()
            left = _Found((Item(mark, None, (left.chain, right.chain)),))
        return left

    def negation(self) -> _Found:
        if not self.take("!"):
            return self.comparison()
        if not (self.at("(") or self.word() == "exists"):
            self.stop()
        inner = self.primary()
        if not inner.is_condition:
            self.stop()
        return _Found((Item("not", None, (inner.chain,)),))

    def comparison(self) -> _Found:
        left = self.sum()
        token = self.token
        if token is None or left.is_condition:
            return left
        if token.kind == "mark" and token.text in _COMPARISONS:
            self.place += 1
            return _Found((Item(_COMPARISONS[token.text], None, (left.chain, self.value())),))
        if self.take_words("starts", "with"):
            initial = self.take_kind("string", "variable")
            kind = "variable" if initial.kind == "variable" else "literal"
            return _Found((Item("starts with", None, (left.chain, (Item(kind, initial.value),))),))
        if self.take_words("like_regex"):
            pattern = self.take_kind("string").value
            flags = self.take_kind("string").value if self.take_words("flag") else ""
            return _Found((Item("like_regex", _checked(pattern, flags), (left.chain,)),))
        return left

    # Values.

    def sum(self) -> _Found:
        left = self.product()
        while self.at("+", "-"):
            left = self._operated(left)
        return left

    def product(self) -> _Found:
        left = self.signed()
        while self.at("*", "/", "%"):
            left = self._operated(left)
        return left

    def _operated(self, left: _Found) -> _Found:
        if left.is_condition:
            self.stop()
        mark = self.tokens[self.place].text
        self.place += 1
        right = self.product() if mark in "+-" else self.signed()
        if right.is_condition:
            self.stop()
        return _Found((Item(mark, None, (left.chain, right.chain)),))

    def signed(self) -> _Found:
        signs = []
        while self.at("+", "-"):
            signs.append(self.tokens[self.place].text)
            self.place += 1
        found = self.accessed()
        if signs and found.is_condition:
            self.stop()
        for sign in reversed(signs):
            first = found.chain[0]
            is_number = len(found.chain) == 1 and first.kind == "literal" and _is_number(first.value)
            if is_number:
                found = found if sign == "+" else _Found((Item("literal", negative(first.value)),))
            else:
                found = _Found((Item("plus" if sign == "+" else "minus", None, (found.chain,)),))
        return found

    def accessed(self) -> _Found:
        found = self.primary()
        if found.is_condition:
            if found.enclosed and self.word() == "is" and self.take_words("is", "unknown"):
                return _Found((Item("unknown", None, (found.chain,)),))
            if not (found.enclosed and self.at(".", "[", "?")):
                return found
        steps = []
        while self.at(".", "[", "?"):
            steps.append(self.step())
        return _Found((*found.chain, *steps)) if steps else found

    def primary(self) -> _Found:
        token = self.token
        if token is None:
            self.stop()
        if token.kind in ("string", "number", "integer"):
            self.place += 1
            return _Found((Item("literal", token.value),))
        if token.kind == "variable":
            self.place += 1
            return _Found((Item("variable", token.value),))
        if token.kind == "name":
            return self._named(token)
        if self.take("$"):
            return _Found((Item("root"),))
        if self.at("@"):
            if not self.filters:
                raise error("42601", "@ is not allowed in root expressions")
            self.place += 1
            return _Found((Item("current"),))
        self.expect("(")
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            raise too_deep()
        inner = self.either()
        self.expect(")")
        self.nesting -= 1
        return _Found(inner.chain, True)

    def _named(self, token: Token) -> _Found:
        constants = {"null": None, "true": True, "false": False}
        if token.value in constants:
            self.place += 1
            return _Found((Item("literal", constants[token.value]),))
        if self.take_words("last"):
            if not self.subscripts:
                raise error("42601", "LAST is allowed only in array subscripts")
            return _Found((Item("last"),))
        self.place += 1
        if str(token.value).lower() != "exists":
            self.stop()
        self.expect("(")
        inner = self.value()
        self.expect(")")
        return _Found((Item("exists", None, (inner,)),))

    # Steps.

    def step(self) -> Item:
        if self.take("."):
            return self._after_dot()
        if self.take("["):
            return self._places()
        self.expect("?")
        self.expect("(")
        self.filters += 1
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            raise too_deep()
        condition = self.condition()
        self.expect(")")
        self.filters -= 1
        self.nesting -= 1
        return Item("filter", None, (condition,))

    def _after_dot(self) -> Item:
        if self.take("*"):
            return Item(".*")
        if self.take("**"):
            return self._levels()
        token = self.take_kind("string", "name")
        name = str(token.value).lower()
        if token.kind == "name" and name in METHODS and self.take("("):
            method = Item("method", name, self._arguments(name))
            self.expect(")")
            return method
        return Item("key", token.value)

    def _arguments(self, name: str) -> tuple[Chain, ...]:
        if name == "decimal":
            found: list[Chain] = []
            while not self.at(")"):
                if found:
                    self.expect(",")
                sign = self.take("+", "-")
                value = self.take_kind("integer").value
                found.append((Item("literal", -value if sign == "-" else value),))
            if len(found) > 2:
                detail = ".decimal() can only have an optional precision[,scale]."
                raise error("42601", "invalid input syntax for type jsonpath", detail=detail)
            return tuple(found)
        kind = "string" if name == "datetime" else "integer" if name in _MOMENT_METHODS else ""
        if not kind or self.at(")"):
            return ()
        return ((Item("literal", self.take_kind(kind).value),),)

    def _levels(self) -> Item:
        if not self.take("{"):
            return Item("levels", (0, EVERY))
        first = last = self._level()
        if self.take_words("to"):
            last = self._level()
        self.expect("}")
        return Item("levels", (first, last))

    def _level(self) -> int:
        if self.take_words("last"):
            return EVERY
        value = self.take_kind("integer").value
        if value >= 1 << 31:
            raise error("22003", f'value "{value}" is out of range for type integer')
        return int(value)

    def _places(self) -> Item:
        if self.take("*"):
            self.expect("]")
            return Item("[*]")
        self.subscripts += 1
        places = []
        while True:
            low = self.value()
            places.append((low, self.value() if self.take_words("to") else None))
            if not self.take(","):
                break
        self.expect("]")
        self.subscripts -= 1
        return Item("places", None, tuple(places))


def _is_number(value: object) -> bool:
    return not isinstance(value, (bool, str)) and value is not None


def _checked(pattern: str, flags: str) -> tuple[str, str]:
    """Return a pattern and its flags, each once and in order; refuse flags that are none and patterns that are none."""
    for flag in flags:
        if flag not in "ismxq":
            detail = f'Unrecognized flag character "{flag}" in LIKE_REGEX predicate.'
            raise error("42601", "invalid input syntax for type jsonpath", detail=detail)
    if "x" in flags and "q" not in flags:
        raise error("0A000", 'XQuery "x" flag (expanded regular expressions) is not implemented')
    ordered = "".join([flag for flag in "ismxq" if flag in flags])
    compiled(pattern, regular_options(ordered))
    return pattern, ordered


def regular_options(flags: str) -> str:
    """Return the options of a regular expression that flags of ``like_regex`` mean: a dot is no line's end, unless ``s`` says so."""
    case = "i" if "i" in flags else ""
    if "q" in flags:
        return case + "q"
    return case + (("w" if "m" in flags else "s") if "s" in flags else "n" if "m" in flags else "p")
