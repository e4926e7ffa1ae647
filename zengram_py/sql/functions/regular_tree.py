"""Regular expressions as trees, and what can be said of one before any text is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ..nodes import node
from .regular_tokens import Options, Repeat, Token, Tokens, invalid

MAX_DEPTH = 100
_NOT_ASCII = 1 << 128
_ALL = (1 << 129) - 1


class Node:
    """A part of an expression."""

    __slots__ = ()


@node(frozen=True, slots=True)
class OneOf(Node):
    """One character of a set in Python's notation; ``literal`` if there is just one."""

    source: str
    literal: str = ""


@node(frozen=True, slots=True)
class Sequence(Node):
    """Parts one after the other."""

    items: tuple[Node, ...]


@node(frozen=True, slots=True)
class Choice(Node):
    """One of several."""

    branches: tuple[Node, ...]


@node(frozen=True, slots=True)
class Group(Node):
    """What is in parentheses; number 0 if it is not remembered."""

    number: int
    body: Node


@node(frozen=True, slots=True)
class Repeated(Node):
    """A part that comes several times."""

    body: Node
    times: Repeat


@node(frozen=True, slots=True)
class Assertion(Node):
    """A condition on a place: ``^``, ``$`` or a letter behind a backslash."""

    name: str


@node(frozen=True, slots=True)
class Look(Node):
    """A condition on what comes after or before a place."""

    kind: str
    body: Node


@node(frozen=True, slots=True)
class Reference(Node):
    """The text of an earlier group."""

    number: int


class Parser:
    """Reads one expression.

    Attributes
    ----------
    groups : int
        How many groups are remembered.
    """

    def __init__(self, pattern: str, options: Options) -> None:
        self.groups = 0
        self._closed: set[int] = set()
        self._looking = 0
        self._depth = 0
        self._tokens: Iterator[Token] = iter(Tokens(pattern, options, lambda: self.groups))
        self._token: Token | None = None
        self._advance()

    def parse(self) -> Node:
        """Return the tree; 2201B for what is none."""
        found = self._choice()
        if self._token is not None:
            raise invalid("parentheses () not balanced")
        return found

    def _advance(self) -> None:
        self._token = next(self._tokens, None)

    def _at(self, kind: str) -> bool:
        return self._token is not None and self._token.kind == kind

    def _choice(self) -> Node:
        branches = [self._sequence()]
        while self._at("or"):
            self._advance()
            branches.append(self._sequence())
        return branches[0] if len(branches) == 1 else Choice(tuple(branches))

    def _sequence(self) -> Node:
        items: list[Node] = []
        while self._token is not None and self._token.kind not in ("or", "close"):
            atom = self._atom(self._token)
            if self._token is not None and self._token.kind == "repeat":
                if isinstance(atom, (Assertion, Look)):
                    raise invalid("quantifier operand invalid")
                atom = Repeated(atom, self._token.value)
                self._advance()
                if self._at("repeat"):
                    raise invalid("quantifier operand invalid")
            items.append(atom)
        return items[0] if len(items) == 1 else Sequence(tuple(items))

    def _atom(self, token: Token) -> Node:
        if token.kind == "repeat":
            raise invalid("quantifier operand invalid")
        if token.kind == "open":
            return self._group(token.value)
        if token.kind == "back" and (token.value not in self._closed or self._looking):
            raise invalid("invalid backreference number")
        self._advance()
        if token.kind == "char":
            return OneOf(re.escape(token.value), token.value)
        if token.kind == "set":
            return OneOf(token.value)
        return Assertion(token.value) if token.kind == "assert" else Reference(token.value)

    def _group(self, kind: str) -> Node:
        is_look = kind not in ("capture", "group")
        number = 0
        if kind == "capture" and not self._looking:
            self.groups += 1
            number = self.groups
        self._depth += 1
        self._looking += is_look
        if self._depth > MAX_DEPTH:
            raise invalid("regular expression is too complex")
        self._advance()
        body = self._choice()
        if not self._at("close"):
            raise invalid("parentheses () not balanced")
        self._depth -= 1
        self._looking -= is_look
        if number:
            self._closed.add(number)
        self._advance()
        return Look(kind, body) if is_look else Group(number, body)


def nodes_in(node: Node) -> Iterator[Node]:
    """Yield a node and all in it."""
    stack = [node]
    while stack:
        found = stack.pop()
        yield found
        if isinstance(found, Sequence):
            stack.extend(found.items)
        elif isinstance(found, Choice):
            stack.extend(found.branches)
        elif isinstance(found, (Group, Repeated, Look)):
            stack.append(found.body)


# How long what it takes can be.


def width(node: Node) -> tuple[int, int | None]:
    """Return the least and the greatest number of characters that a part takes, None for any number."""
    if isinstance(node, OneOf):
        return 1, 1
    if isinstance(node, Sequence):
        widths = [width(item) for item in node.items]
        return sum(low for low, _ in widths), _total([high for _, high in widths])
    if isinstance(node, Choice):
        widths = [width(branch) for branch in node.branches]
        highs = [high for _, high in widths]
        return min(low for low, _ in widths), None if None in highs else max(
            h for h in highs if h is not None
        )
    if isinstance(node, Group):
        return width(node.body)
    if isinstance(node, Repeated):
        low, high = width(node.body)
        most = node.times.most
        return (
            low * node.times.least,
            0 if high == 0 else None if high is None or most is None else high * most,
        )
    return (0, None) if isinstance(node, Reference) else (0, 0)


def _total(highs: list[int | None]) -> int | None:
    return None if None in highs else sum(high for high in highs if high is not None)


def prefers_few(node: Node) -> bool | None:
    """Return whether a part takes as little as it can, or as much; None if it has no choice.

    The rules are those of PostgreSQL's documentation (9.7.3.5): the first quantifier in a branch decides, an expression with
    several branches takes as much as it can.
    """
    if isinstance(node, Sequence):
        return next((found for item in node.items if (found := prefers_few(item)) is not None), None)
    if isinstance(node, Choice):
        return False
    if isinstance(node, Group):
        return prefers_few(node.body)
    if isinstance(node, Repeated):
        return prefers_few(node.body) if node.times.is_fixed else node.times.lazy
    return None


# Whether the first way to match may be another than the longest.


def may_differ(node: Node) -> bool:
    """Return whether Python's first match may have another length than the longest (or shortest) one, to be on the safe side.

    It cannot where each choice is decided by the next character, or by the lengths of the branches. Single characters that repeat are harmless too, one after the
    other: what the first one leaves, the next one takes.
    """
    for part in nodes_in(node):
        if isinstance(part, Choice) and not _is_decided(part):
            return True
        if isinstance(part, Sequence):
            for i, item in enumerate(part.items):
                if _is_flexible(item) and _competes(item, part.items[i + 1 :]):
                    return True
        if isinstance(part, Repeated) and part.times.most != 1 and _competes_with_itself(part.body):
            return True
    return False


def _competes_with_itself(body: Node) -> bool:
    """Return whether a round may leave what the next one takes."""
    return _is_flexible(body) and _competes(body, (body,))


def _is_decided(choice: Choice) -> bool:
    if all(low == high for low, high in map(width, choice.branches)):
        return True  # they are tried in the order of their lengths
    seen = 0
    for branch in choice.branches:
        first = _first(branch)
        if seen & first or width(branch)[0] == 0:
            return False
        seen |= first
    return True


def _is_flexible(node: Node) -> bool:
    low, high = width(node)
    return low != high


def _is_single(node: Node) -> bool:
    """Return whether a part is one set of characters, once or repeated."""
    while isinstance(node, (Group, Repeated)):
        node = node.body
    return isinstance(node, OneOf)


def _competes(item: Node, following: tuple[Node, ...]) -> bool:
    """Return whether a character could go to a part or to one that may come directly after it, and it matters where."""
    taken, single = _characters(item), _is_single(item)
    for other in following:
        if not (single and _is_single(other)) and taken & _first(other):
            return True
        if width(other)[0] > 0:
            return False
    return False


def _characters(node: Node) -> int:
    """Return all characters that a part may take: a bit for each one of ASCII, and one for all others."""
    found = 0
    for part in nodes_in(node):
        if isinstance(part, OneOf):
            found |= _bits(part.source)
        elif isinstance(part, Reference):
            return _ALL
    return found


def _first(node: Node) -> int:
    """Return the characters that a part may begin with."""
    if isinstance(node, OneOf):
        return _bits(node.source)
    if isinstance(node, Sequence):
        found = 0
        for item in node.items:
            found |= _first(item)
            if width(item)[0] > 0:
                break
        return found
    if isinstance(node, Choice):
        found = 0
        for branch in node.branches:
            found |= _first(branch)
        return found
    if isinstance(node, (Group, Repeated)):
        return _first(node.body)
    return _ALL if isinstance(node, Reference) else 0


@lru_cache(512)
def _bits(source: str) -> int:
    matches = re.compile(source, re.IGNORECASE).fullmatch
    found = sum(1 << code for code in range(128) if matches(chr(code)))
    others = "\u00e9\u0663\u2003\u20ac\u4e2d\U0001f600"  # a letter, a digit, a space, a sign, …
    return found | _NOT_ASCII if any(matches(character) for character in others) or not found else found
