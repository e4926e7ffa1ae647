"""The query language: from what somebody typed to a small tree.

::

    green tea            either word; rows with both come first
    "green tea"          the words in this order, one after the other
    "green tea"~3        the words near each other: in any order, with at most three others in between
    immuni*              words that begin so
    -coffee  -"iced tea" not rows with this
    tea OR coffee        one thing asked for, by two names
    subject:tea          in this field only, if there is a field of that name; subject:"green tea" subject:te* -subject:tea

Every string is a query. What has no meaning here (a lone quotation mark, a bracket, a colon after what is no field, ``OR``
with nothing beside it) separates words, so a question can be pasted from anywhere. A word that falls into several terms
(``pre-edit``, ``GB/s``, a run of Chinese) asks for each of them, and a row that has them side by side gets more. Stop
words count only in a question of nothing else, in phrases, and with a field.

Other languages of queries (PostgreSQL's ``tsquery``) build the same tree from its parts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Union

from .tokens import Analyzer, Word, asked_words

MAX_SLOP = 1000


@dataclass(frozen=True)
class Term:
    """Rows that have a term, in one field or any."""

    text: str
    field: int | None = None


@dataclass(frozen=True)
class Prefix:
    """Rows that have a word that begins so, before or after stemming."""

    text: str
    field: int | None = None


@dataclass(frozen=True)
class Phrase:
    """Rows that have terms at certain distances from each other.

    Attributes
    ----------
    terms : tuple of (str, int)
        Each term with its place, counted from the first; places ascend.
    slop : int or None
        None asks for exactly these places. A number asks for all terms in any order, within as many positions as the
        phrase has and so many more.
    field : int or None
        The field, None for any; a phrase never runs across fields.
    """

    terms: tuple[tuple[str, int], ...]
    slop: int | None = None
    field: int | None = None


Leaf = Term | Prefix | Phrase


@dataclass(frozen=True)
class AllOf:
    """Rows that satisfy all of these."""

    items: tuple[Node, ...]


@dataclass(frozen=True)
class AnyOf:
    """Rows that satisfy one of these."""

    items: tuple[Node, ...]


@dataclass(frozen=True)
class Not:
    """Rows that do not satisfy this."""

    item: Node


Node = Union[Term, Prefix, Phrase, AllOf, AnyOf, Not]  # noqa: UP007 (a forward reference)


@dataclass(frozen=True)
class Clause:
    """One thing asked for.

    Attributes
    ----------
    leaves : tuple of Leaf
        By what names; a row that has one of them has the thing.
    """

    leaves: tuple[Leaf, ...]


@dataclass(frozen=True)
class Query:
    """A question to be ranked.

    Attributes
    ----------
    clauses : tuple of Clause
        What is asked for. A row must have one of them; the more, the better.
    extras : tuple of Leaf
        What adds to the score of rows that have it.
    excluded : tuple of Leaf
        What no answer has.
    """

    clauses: tuple[Clause, ...] = ()
    extras: tuple[Leaf, ...] = ()
    excluded: tuple[Leaf, ...] = ()

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        """Everything that is scored: the names of all clauses, then the extras."""
        return (*(leaf for clause in self.clauses for leaf in clause.leaves), *self.extras)

    @property
    def tree(self) -> Node:
        """The same as a condition: any of the clauses, and none of what is excluded."""
        asked = AnyOf(tuple(leaf for clause in self.clauses for leaf in clause.leaves))
        return AllOf((asked, *(Not(leaf) for leaf in self.excluded)))


_LONGEST_BONUS = 32  # terms of one word that are also looked for as a phrase; a pasted text is none
_PIECE = re.compile(
    r"""(?P<minus>-?)(?:(?P<field>\w+):)?"(?P<phrase>[^"]*)"(?:~(?P<slop>[0-9]{1,9}))?|(?P<word>[^\s"](?:[^\s"]|"(?=\S))*)"""
)
_FIELD = re.compile(r"(\w+):(.+)", re.DOTALL)
_QUOTES = str.maketrans("\u201c\u201d\u201e\u201f\u00ab\u00bb\uff02", '"' * 7)


@dataclass
class _Group:
    """What one piece of the text asks for: its terms and the phrase that they make."""

    leaves: list[Leaf]
    stops: list[bool]
    extra: list[Leaf]


def parse_query(text: str, analyzer: Analyzer, fields: Sequence[str] = ()) -> Query:
    """Return what a text asks for; never raises.

    Parameters
    ----------
    text : str
        Anything.
    analyzer : Analyzer
        That of the index.
    fields : sequence of str
        Names of the fields, in order.
    """
    parser = _Parser(analyzer, fields)
    groups: list[list[_Group]] = []
    excluded: list[Leaf] = []
    joins = False
    for piece in _PIECE.finditer(text.translate(_QUOTES)):
        if piece["word"] == "OR":
            joins = True
            continue
        is_excluded, found = parser.piece(piece)
        if is_excluded:
            excluded += [leaf for group in found for leaf in (group.extra or group.leaves)]
        elif joins and groups and found:
            groups[-1] += found
        else:
            groups += [[group] for group in found]
        joins = False
    return _query(groups, excluded)


def _query(groups: list[list[_Group]], excluded: list[Leaf]) -> Query:
    """Leave out stop words if there are others, and what is asked twice."""
    has_words = any(not stop for parts in groups for group in parts for stop in group.stops)
    clauses: dict[tuple[Leaf, ...], None] = {}
    extras: dict[Leaf, None] = {}
    for parts in groups:
        kept = [
            [leaf for leaf, stop in zip(group.leaves, group.stops, strict=True) if not (stop and has_words)]
            for group in parts
        ]
        if len(parts) > 1:  # joined by OR
            kept = [[leaf for leaves in kept for leaf in leaves]]
            if kept[0]:
                clauses[tuple(dict.fromkeys(kept[0]))] = None
        else:
            clauses.update(((leaf,), None) for leaf in kept[0])
        extras.update((leaf, None) for group in parts for leaf in group.extra)
    return Query(tuple(map(Clause, clauses)), tuple(extras), tuple(dict.fromkeys(excluded)))


class _Parser:
    """Turns pieces of a text into leaves."""

    def __init__(self, analyzer: Analyzer, fields: Sequence[str]) -> None:
        self._analyzer = analyzer
        self._fields = {name.casefold(): number for number, name in enumerate(fields) if name}

    def piece(self, piece: re.Match[str]) -> tuple[bool, list[_Group]]:
        """Return whether a piece excludes, and what it asks for."""
        if piece["phrase"] is not None:
            groups = []
            field = None
            if piece["field"] is not None:
                field = self._fields.get(piece["field"].casefold())
                if field is None:
                    groups += self._words(piece["field"], None)
            slop = None if piece["slop"] is None else min(int(piece["slop"]), MAX_SLOP)
            return piece["minus"] == "-", groups + self._phrase(piece["phrase"], field, slop)
        word = piece["word"]
        is_excluded = len(word) > 1 and word[0] == "-" and word[1] != "-"
        if is_excluded:
            word = word[1:]
        match = _FIELD.match(word)
        if match is not None:
            field = self._fields.get(match[1].casefold())
            if field is not None:
                return is_excluded, self._words(match[2], field)
        return is_excluded, self._words(word, None)

    def _raw(self, text: str) -> Iterator[tuple[int, Word]]:
        """Yield the terms that a text asks for with their positions."""
        position = 0
        for raw in self._analyzer.raw_words(text):
            words = self._analyzer.words_of(raw)
            for word in asked_words(words):
                yield position + word.position, word
            position += words[-1].position + 1 if words else 0

    def _phrase(self, text: str, field: int | None, slop: int | None) -> list[_Group]:
        found = list(self._raw(text))
        if not found:
            return []
        if len(found) == 1:
            return [_Group([Term(found[0][1].term, field)], [False], [])]
        return [_Group([_as_phrase(found, field, slop)], [False], [])]

    def _words(self, text: str, field: int | None) -> list[_Group]:
        found = list(self._raw(text))
        if not found:
            return []
        make: list[Callable[[str, int | None], Leaf]] = [Term] * len(found)
        texts = [word.term for _, word in found]
        stops = [field is None and self._analyzer.is_stop_word(word) for _, word in found]
        is_prefix = text.endswith("*") and text[-2:-1].isalnum() and not found[-1][1].is_pair
        if is_prefix:
            make[-1], texts[-1], stops[-1] = Prefix, found[-1][1].surface, False
        leaves = [leaf(text, field) for leaf, text in zip(make, texts, strict=True)]
        extra: list[Leaf] = (
            [_as_phrase(found, field, None)] if 1 < len(found) <= _LONGEST_BONUS and not is_prefix else []
        )
        return [_Group(leaves, stops, extra)]


def _as_phrase(found: list[tuple[int, Word]], field: int | None, slop: int | None) -> Phrase:
    first = found[0][0]
    return Phrase(tuple((word.term, position - first) for position, word in found), slop, field)
