"""Headlines: the part of a text that shows why it answers a question, with its words marked.

The text is cut into tokens, of which those that the question asks for are *items*. A *cover* is a short stretch of tokens that answers the
question by itself. One headline is the best cover, stretched or cut to the wanted number of words and to good ends; fragments are
several covers, each stretched to both sides.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from .dictionaries import lexeme_of
from .documents import MAX_POSITION
from .headline_options import Options
from .matching import Ends, Find, holds, locations
from .questions import Question, Word, words_of
from .tokens import tokens_of

_SKIPPED = frozenset(["url", "numhword", "asciihword", "hword"])
_NO_WORDS = _SKIPPED | {"blank", "tag"}
_NO_ENDS = _NO_WORDS | {"sfloat", "version", "float", "int", "uint", "protocol", "entity"}


@dataclass
class Piece:
    """A token of the text; a word that several words of the question ask for comes again for each more."""

    kind: str
    text: str
    position: int = 0
    item: Word | None = None
    repeated: bool = False
    shown: bool = False

    @property
    def is_word(self) -> bool:
        """Whether it counts when words are counted."""
        return self.kind not in _NO_WORDS


@dataclass
class _Cover:
    start: int
    end: int
    words: int
    items: int
    is_open: bool = True


def headline(language: str, text: str, question: Question | None, options: Options) -> str:
    """Return the headline of a text for a question."""
    return _Headline(language, text, question, options).text()


@dataclass
class _Headline:
    language: str
    source: str
    question: Question | None
    options: Options
    pieces: list[Piece] = field(default_factory=list)
    where: list[Ends] = field(default_factory=list)
    items: list[int] = field(default_factory=list)
    """The pieces that the question asks for."""
    positions: list[int] = field(default_factory=list)
    """Their positions."""

    def text(self) -> str:
        """Return the headline."""
        self._cut()
        self.items = [i for i, piece in enumerate(self.pieces) if piece.item is not None]
        self.positions = [self.pieces[i].position for i in self.items]
        if self.question is not None:
            self.where = locations(self.question, self._finder(0, len(self.pieces))) or []
        if self.options.fragments == 0:
            self._choose_one()
        else:
            self._choose_fragments()
        return self._written()

    def _cut(self) -> None:
        """Fill the pieces."""
        asked = list(words_of(self.question))
        position = 0
        for kind, text in tokens_of(self.source):
            piece = Piece(kind, text)
            self.pieces.append(piece)
            counts, lexeme = lexeme_of(self.language, kind, text)
            if not counts:
                continue
            position += 1
            if lexeme is None:
                continue
            piece.position = min(position, MAX_POSITION)
            for word in asked:
                if word.lexeme != lexeme and not (word.prefix and lexeme.startswith(word.lexeme)):
                    continue
                if piece.item is None:
                    piece.item = word
                else:
                    self.pieces.append(Piece(kind, text, piece.position, word, repeated=True))

    def _finder(self, start: int, stop: int) -> Find:
        places: dict[int, list[int]] = {}
        for piece in self.pieces[start:stop]:
            if piece.item is not None:
                known = places.setdefault(id(piece.item), [])
                if piece.position not in known[-1:]:
                    known.append(piece.position)

        def find(word: Word, wants_positions: bool) -> tuple[int, ...] | None:
            known = places.get(id(word))
            return tuple(known) if known else None

        return find

    # Covers.

    def _covers(self) -> Iterator[tuple[int, int]]:
        """Yield the first and last piece of each cover."""
        assert self.question is not None or not self.where
        next_position = 0
        while self.where:
            found = self._cover(next_position)
            if found is None:
                return
            next_position = found[2]
            yield found[0], found[1]

    def _cover(self, position: int) -> tuple[int, int, int] | None:
        """Return the next cover, and the position from which to look on."""
        assert self.question is not None
        while True:
            last = -1
            for found in self.where:
                at = bisect_left(found.positions, position)
                if at == len(found.positions):
                    return None
                last = max(last, found.positions[at])
            starts = [self._start_before(found, last) for found in self.where]
            first = max(min(starts), position)
            if first <= last:
                one = bisect_left(self.positions, first)
                other = bisect_right(self.positions, last) - 1
                begin = self.items[one] if one < len(self.items) else -1
                end = self.items[other] if other >= 0 else -1
                if 0 <= begin <= end and holds(self.question, self._finder(begin, end + 1)):
                    return begin, end, first + 1
            position = first + 1

    @staticmethod
    def _start_before(found: Ends, last: int) -> int:
        """Return where the last match begins that begins at a position or before it; -1 if none does."""
        at = bisect_right(found.positions, last + found.width)
        return found.positions[at - 1] - found.width if at else -1

    def _is_item(self, at: int) -> bool:
        return self.pieces[at].item is not None and not self.pieces[at].repeated

    def _is_bad_end(self, at: int) -> bool:
        piece = self.pieces[at]
        is_weak = piece.kind in _NO_ENDS or len(piece.text.encode()) <= self.options.short_word
        return is_weak and not self._is_item(at)

    # One stretch.

    def _choose_one(self) -> None:
        """Show the best cover, or the beginning."""
        if self.options.whole:
            self._show(0, len(self.pieces) - 1)
            return
        best = (-1, -1)
        best_items, best_covers = -1, False
        for begin, end in self._covers():
            start, stop, items = self._stretched(begin, end)
            covers = start <= begin and stop >= end
            is_better = (
                covers > best_covers
                or (covers == best_covers and items > best_items)
                or (
                    covers == best_covers
                    and items == best_items
                    and not self._is_bad_end(stop)
                    and self._is_bad_end(best[1])
                )
            )
            if is_better:
                best, best_items, best_covers = (start, stop), items, covers
        if best_items < 0:
            best = (0, self._beginning(0))
        self._show(*best)

    def _beginning(self, last: int) -> int:
        """Return the last piece of the shortest beginning with enough words."""
        words = 0
        for i, piece in enumerate(self.pieces):
            if words >= self.options.least_words:
                break
            words += piece.is_word
            last = i
        return last

    def _stretched(self, begin: int, end: int) -> tuple[int, int, int]:
        """Return the pieces of a headline around a cover, and how many items it has."""
        most, least = self.options.most_words, self.options.least_words
        words = items = 0
        start = stop = begin
        i = begin
        while i <= end and words < most:
            words += self.pieces[i].is_word
            items += self._is_item(i)
            stop = i
            i += 1
        if words < most:
            i -= 1
            while i < len(self.pieces) and words < most:
                if i > end:
                    words += self.pieces[i].is_word
                    items += self._is_item(i)
                stop = i
                if not self._is_bad_end(i) and words >= least:
                    break
                i += 1
            if words < least:
                i = begin - 1
                while i >= 0:
                    words += self.pieces[i].is_word
                    items += self._is_item(i)
                    if words >= most or (not self._is_bad_end(i) and words >= least):
                        break
                    i -= 1
                start = max(i, 0)
            return start, stop, items
        i = min(i, end)
        while words > least and self._is_bad_end(i):
            words -= self.pieces[i].is_word
            items -= self._is_item(i)
            stop = i - 1
            i -= 1
        return start, stop, items

    # Fragments.

    def _choose_fragments(self) -> None:
        """Show the covers with the most items, as many as are wanted, or the beginning."""
        covers = [part for begin, end in self._covers() for part in self._parts_of(begin, end)]
        shown = False
        for _ in range(self.options.fragments):
            best: _Cover | None = None
            for cover in covers:
                if cover.is_open and (
                    best is None
                    or cover.items > best.items
                    or (cover.items == best.items and cover.words < best.words)
                ):
                    best = cover
            if best is None:
                break
            start, end = self._widened(best)
            self._show(start, end)
            shown = True
            best.is_open = False
            for cover in covers:
                if cover.start <= end and cover.end >= start:
                    cover.is_open = False
        if not shown:
            self._show(0, self._beginning(-1))

    def _parts_of(self, begin: int, end: int) -> Iterator[_Cover]:
        """Yield a cover in parts that are not too long and begin and end with items."""
        most, start = self.options.most_words, begin
        while start <= end:
            start = next((i for i in range(start, end + 1) if self._is_item(i)), end)
            words = items = 0
            i, stop = start, end
            while i <= end and words < most:
                words += self.pieces[i].is_word
                items += self._is_item(i)
                i += 1
            if end > i:
                stop = i
                for j in range(i, start - 1, -1):
                    stop = j
                    if self._is_item(j):
                        break
                    words -= self.pieces[j].is_word
            yield _Cover(start, stop, words, items)
            start = stop + 1

    def _widened(self, cover: _Cover) -> tuple[int, int]:
        """Return a cover stretched to both sides, up to what is shown already, and cut back to good ends."""
        start, end, words = cover.start, cover.end, cover.words
        most = self.options.most_words
        if words >= most:
            return start, end
        room = (most - words) // 2
        i, mark = start - 1, start
        while i >= 0 and room and not self.pieces[i].shown:
            words += self.pieces[i].is_word
            room -= self.pieces[i].is_word
            mark = i
            i -= 1
        while mark < start and self._is_bad_end(mark):
            words -= self.pieces[mark].is_word
            mark += 1
        start = mark
        i, mark = end + 1, end
        while i < len(self.pieces) and words < most and not self.pieces[i].shown:
            words += self.pieces[i].is_word
            mark = i
            i += 1
        while mark > end and self._is_bad_end(mark):
            mark -= 1
        return start, mark

    # Writing.

    def _show(self, start: int, end: int) -> None:
        for piece in self.pieces[start : end + 1]:
            piece.shown = not piece.repeated

    def _written(self) -> str:
        out: list[str] = []
        inside, fragments = False, 0
        for piece in self.pieces:
            if piece.repeated:
                continue
            if not piece.shown:
                inside = False
                continue
            if not inside:
                inside = True
                fragments += 1
                if fragments > 1:
                    out.append(self.options.delimiter)
            if piece.kind == "tag" and not self.options.whole:
                out.append(" ")
            elif piece.kind in _SKIPPED:
                continue
            elif piece.item is not None:
                out.append(self.options.start + piece.text + self.options.stop)
            else:
                out.append(piece.text)
        return "".join(out)
