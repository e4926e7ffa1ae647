r"""Regular expressions: PostgreSQL's, run by Python's.

A match begins as early as it can; the two agree on that. How far it goes they see differently: PostgreSQL takes the longest match, or the
shortest if the first quantifier is ``*?`` or the like, Python the first one that it comes across. ::

    'foobar' ~ 'foo|foobar'              foobar, not foo
    'abc01' ~ '(.*?)([0-9]+)'            abc0, not abc01: all of it takes as little as it can

So an expression is compiled with all of its quantifiers one way, to find the whole match, whose end is then corrected where trees say that
it might not be the one (:func:`may_differ`). What the groups took is found by the expression as it was written, between these ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ..errors import unsupported
from .regular_tokens import Options, Repeat, read_options, without_prefix
from .regular_tree import (
    Assertion,
    Choice,
    Group,
    Look,
    Node,
    OneOf,
    Parser,
    Reference,
    Repeated,
    Sequence,
    may_differ,
    nodes_in,
    prefers_few,
    width,
)

Span = tuple[int, int]
NOWHERE = (-1, -1)
_MOST_ENDS = 10_000
"""How many ends are tried before the one that Python gave is taken."""


class _Writer:
    """Writes a tree in Python's notation.

    Parameters
    ----------
    options : Options
        How it was read.
    before_end : bool
        Whether it is for a part of a text that is not its end: there ``$`` is never true.

    Attributes
    ----------
    places : dict of int to int
        By number of a group its number in Python's.
    loops : dict of int to tuple of int
        By number of a group Python's numbers of the groups around it that repeat.
    """

    def __init__(self, options: Options, *, before_end: bool = False) -> None:
        self.options = options
        self.before_end = before_end
        self.places: dict[int, int] = {}
        self.loops: dict[int, tuple[int, ...]] = {}
        self._count = 0
        self._around: tuple[int, ...] = ()

    def write(self, node: Node, few: bool | None) -> str:
        """Return the notation of a tree; ``few`` makes all quantifiers lazy, or greedy, None leaves them as they are."""
        if isinstance(node, OneOf):
            return node.source
        if isinstance(node, Sequence):
            return "".join(
                [
                    f"(?:{self.write(item, few)})" if isinstance(item, Choice) else self.write(item, few)
                    for item in node.items
                ]
            )
        if isinstance(node, Choice):
            return "|".join([self.write(branch, few) for branch in _by_width(node, bool(few))])
        if isinstance(node, Group):
            if not node.number:
                return f"(?:{self.write(node.body, few)})"
            self._count += 1
            self.places[node.number] = self._count
            self.loops[node.number] = tuple([loop for loop in self._around if loop != self._count])
            return f"({self.write(node.body, few)})"
        if isinstance(node, Repeated):
            return self._repeated(node, few)
        if isinstance(node, Assertion):
            return self._assertion(node.name)
        if isinstance(node, Look):
            return self._look(node, few)
        assert isinstance(node, Reference)
        return f"(?:\\{self.places[node.number]})"

    def _repeated(self, node: Repeated, few: bool | None) -> str:
        body, times = node.body, node.times
        if times.lazy and not times.is_fixed and times.least == times.most and few is None:
            few = True  # {1,1}? is there to make a part take as little as it can
        loops = times.most != 1 and any(isinstance(part, Group) and part.number for part in nodes_in(body))
        around = self._around
        if loops:
            self._around = (*around, self._count + 1)
        if isinstance(body, OneOf) or (isinstance(body, Group) and body.number):
            written = self.write(body, few)
        elif loops:
            self._count += 1  # remembers the last round
            written = f"({self.write(body, few)})"
        else:
            written = f"(?:{self.write(body, few)})"
        self._around = around
        return written + _quantifier(times, few)

    def _assertion(self, name: str) -> str:
        if name == "^":
            return "^" if self.options.anchors else r"\A"
        if name == "$":
            return "$" if self.options.anchors else "(?!)" if self.before_end else r"\Z"
        return "(?!)" if name == r"\Z" and self.before_end else _ASSERTIONS[name]

    def _look(self, node: Look, few: bool | None) -> str:
        mark = {"ahead": "?=", "not ahead": "?!", "behind": "?<=", "not behind": "?<!"}[node.kind]
        if "behind" not in node.kind:
            return f"({mark}{self.write(node.body, few)})"
        branches = node.body.branches if isinstance(node.body, Choice) else (node.body,)
        if any(low != high for low, high in map(width, branches)):
            raise unsupported("a lookbehind of any length in a regular expression")
        written = [f"({mark}{self.write(branch, few)})" for branch in branches]
        return "".join(written) if node.kind == "not behind" else f"(?:{'|'.join(written)})"


def _by_width(choice: Choice, few: bool) -> list[Node]:
    """Return branches as they are to be tried: the longest first, if it is clear how long each is, or the shortest."""
    widths = [width(branch) for branch in choice.branches]
    if any(low != high for low, high in widths):
        return list(choice.branches)
    order = sorted(range(len(widths)), key=lambda i: widths[i][0] if few else -widths[i][0])
    return [choice.branches[i] for i in order]


_ASSERTIONS = {
    r"\A": r"\A",
    r"\Z": r"\Z",
    r"\m": r"\b(?=\w)",
    r"\M": r"\b(?<=\w)",
    r"\y": r"\b",
    r"\Y": r"\B",
}


def _quantifier(times: Repeat, few: bool | None) -> str:
    least, most = times.least, times.most
    if times.is_fixed or least == most:
        return f"{{{least}}}"
    lazy = "?" if (times.lazy if few is None else few) else ""
    if (least, most) in _SHORT:
        return _SHORT[least, most] + lazy
    return f"{{{least},{'' if most is None else most}}}{lazy}"


_SHORT = {(0, None): "*", (1, None): "+", (0, 1): "?"}


class Regular:
    """An expression that is ready.

    Attributes
    ----------
    search : callable
        Whether, and from where on, a text matches: Python's ``search``; of the match only the beginning counts.
    groups : int
        How many groups it has.
    """

    def __init__(self, pattern: str, options: Options) -> None:
        pattern, options = without_prefix(pattern, options)
        parser = Parser(pattern, options)
        tree = parser.parse()
        self.groups = parser.groups
        self._few = prefers_few(tree) or False
        self._least, self._most = width(tree)
        parts = list(nodes_in(tree))
        lazies = {part.times.lazy for part in parts if isinstance(part, Repeated) and not part.times.is_fixed}
        looks = {part.name for part in parts if isinstance(part, Assertion)} - {"^", r"\A"}
        looks |= {part.kind for part in parts if isinstance(part, Look) and "ahead" in part.kind}
        self._looks_on = bool(looks - {r"\Z"} if options.anchors else looks - {"$", r"\Z"})
        written = _Writer(options)
        self._whole = _python(written.write(tree, self._few), options)
        self._places, self._loops = written.places, written.loops
        self._natural = self._whole
        if lazies - {self._few}:
            self._natural = _python(_Writer(options).write(tree, None), options)
        self._may_differ = may_differ(tree) and not self._looks_on
        self._reach = _python(_any_of(parts), options) if self._may_differ else self._whole
        self._inner = self._whole, self._natural
        if looks and not self._looks_on and (self._may_differ or self._natural is not self._whole):
            self._inner = (
                _python(_Writer(options, before_end=True).write(tree, self._few), options),
                _python(_Writer(options, before_end=True).write(tree, None), options),
            )
        self._is_direct = (
            self._natural is self._whole
            and not self._may_differ
            and not any(self._loops.values())
            and all(number == place for number, place in self._places.items())
        )
        self.search = self._whole.search

    @property
    def is_plain(self) -> bool:
        """Whether Python's matches are the right ones, one after the other, and never empty."""
        return self._is_direct and self._least > 0

    def plain(self) -> tuple[re.Pattern[str], dict[int, int]]:
        """Return Python's expression, and its numbers of the groups."""
        return self._whole, self._places

    def find(self, text: str, start: int = 0) -> list[Span] | None:
        """Return where the first match from a place on is, and then its groups; None if there is none."""
        found = self._whole.search(text, start)
        if found is None:
            return None
        begin, end = found.span()
        if self._may_differ:
            end = self._end(text, begin, end)
        if self.groups and (self._natural is not self._whole or end != found.end()):
            found = self._between(text, begin, end) or found
        return [(begin, end), *[self._span(found, number) for number in range(1, self.groups + 1)]]

    def parts(self, text: str) -> tuple[str | None, ...] | None:
        """Return what the groups of the first match took, or all of it if there are none."""
        if self._is_direct:
            match = self._whole.search(text)
            if match is None:
                return None
            return match.groups() if self.groups else (match[0],)
        found = self.find(text)
        if found is None:
            return None
        return tuple([None if span == NOWHERE else text[span[0] : span[1]] for span in found[1:] or found])

    def find_all(self, text: str, start: int = 0) -> Iterator[list[Span]]:
        """Yield all matches, none of which overlap; after an empty one the search goes on a character later."""
        while start <= len(text):
            found = self.find(text, start)
            if found is None:
                return
            yield found
            begin, end = found[0]
            start = end + 1 if begin == end else end

    def _end(self, text: str, begin: int, end: int) -> int:
        """Return the end of the longest match from a place on, or of the shortest; that of Python's match is known."""
        fits = self._inner[0].fullmatch
        if self._few:
            ends = range(begin + self._least, min(end, begin + _MOST_ENDS))
            return next((other for other in ends if fits(text, begin, other)), end)
        most = len(text) if self._most is None else min(len(text), begin + self._most)
        reach = self._reach.match(
            text, begin, most
        )  # no match goes beyond characters that are in none of the sets
        most = most if reach is None else reach.end()
        if end < most == len(text):
            if self._whole.fullmatch(text, begin):
                return most
            most -= 1
        ends = range(min(most, end + _MOST_ENDS), end, -1)
        return next((other for other in ends if fits(text, begin, other)), end)

    def _between(self, text: str, begin: int, end: int) -> re.Match[str] | None:
        """Return the groups between two places."""
        if end == len(text):
            return self._natural.fullmatch(text, begin)
        if not self._looks_on:
            return self._inner[1].fullmatch(text, begin, end)
        found = self._natural.match(text, begin)
        return found if found is not None and found.end() == end else None

    def _span(self, found: re.Match[str], number: int) -> Span:
        """Return where a group was in the last round of all that repeats around it."""
        span = found.span(self._places[number])
        for loop in self._loops[number]:
            first, last = found.span(loop)
            if not first <= span[0] <= span[1] <= last:
                return NOWHERE
        return span


def _any_of(parts: list[Node]) -> str:
    """Return the notation of any number of the characters that parts may take."""
    if any(isinstance(part, Reference) for part in parts):
        return r"[\s\S]*"
    sets = dict.fromkeys(part.source for part in parts if isinstance(part, OneOf))
    return f"(?:{'|'.join(sets)})*"


def _python(source: str, options: Options) -> re.Pattern[str]:
    flags = re.MULTILINE if options.anchors else re.NOFLAG
    try:
        return re.compile(source, flags | re.IGNORECASE if options.ignores_case else flags)
    except (re.error, OverflowError, RecursionError) as failure:
        raise unsupported(f"this regular expression ({failure})") from None


@lru_cache(256)
def compiled(pattern: str, flags: str = "") -> Regular:
    """Return an expression by its text and the letters of its options.

    Raises
    ------
    SqlError
        2201B for what is no expression, 22023 for an option that is none, 0A000 for what cannot be run here.
    """
    return Regular(pattern, read_options(flags))
