"""Analysis: from a text to the terms under which it is found.

::

    "Café's GB/s 用户身份"
       │ cut: characters.py             Café's   GB   s   用户身份
       │ fold case                      café's   gb   s
       │ fold accents, stem             cafe     gb   s
       ▼ a run without spaces: characters and pairs of them
    position   0      1    2    3          4          5          6
    term       cafe   gb   s    用 用户    户 户身    身 身份    份
    also       =cafe's

A word is found under its stem. Where word and stem differ, the word itself is also a term, marked by ``=``: a prefix look-up
(``immuni*``) must not depend on what the stemmer made of the word. In scripts that do not mark where words end, each
character is a term and each two neighbours are one (bigrams, as in Lucene's CJKAnalyzer); a question asks for the pairs.

All of it depends on a word alone, never on what stands beside it, so it is done once for each word that is met.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cached_property
from hashlib import sha256
from typing import NamedTuple

from .characters import (
    ASCII_WORD,
    fold_accents,
    fold_case,
    is_unspaced,
    script_of,
    unit_pattern,
    word_pattern,
)
from .stemming import UNACCENTED, sample, stemmer
from .stopwords import is_stop_word

SURFACE_MARK = "="
_LONGEST_TERM = 255  # characters; the rest of a longer word is not looked at
_CACHED_STEMS = 100_000
RULES = 1
"""Which terms a text gives, as far as this folder decides it: to be raised when a change here gives other ones."""


class Word(NamedTuple):
    """One term of a text.

    Attributes
    ----------
    term : str
        Under which it is found.
    surface : str
        The word before stemming.
    position : int
        Its number in the text, from 0; terms of unspaced scripts share positions.
    start, end : int
        Where it stands in the text.
    is_pair : bool
        Whether it is two characters of an unspaced script.
    """

    term: str
    surface: str
    position: int
    start: int
    end: int
    is_pair: bool = False


class Analyzer:
    """Turns texts of one language into terms.

    Parameters
    ----------
    language : str
        One of :data:`~zengram_py.text.stemming.LANGUAGES`; ``"simple"`` does not stem.
    """

    def __init__(self, language: str = "english") -> None:
        self.language = language
        self._folds_first = language in UNACCENTED
        self._stems: dict[str, str] = {}

    def raw_words(self, text: str) -> list[str]:
        """Return the words of a text as they stand there, uncut and unfolded."""
        return (ASCII_WORD if text.isascii() else word_pattern()).findall(text)

    def words(self, text: str) -> Iterator[Word]:
        """Yield all terms of a text in order of their positions, single characters before pairs."""
        position = 0
        for match in (ASCII_WORD if text.isascii() else word_pattern()).finditer(text):
            words = self.words_of(match[0])
            for word in words:
                yield word._replace(
                    position=position + word.position,
                    start=match.start() + word.start,
                    end=match.start() + word.end,
                )
            position += width(words)

    def words_of(self, raw: str) -> list[Word]:
        """Return the terms of one raw word, with positions and offsets in it."""
        if not raw.isascii() and is_unspaced(raw):
            return self._characters_of(raw)
        folded = fold_case(raw)
        if folded.isascii():
            return [self._word(folded, 0, 0, len(raw))]
        return self._parts_of(raw, folded)

    def stem(self, word: str) -> str:
        """Return the term of a word that is folded (:func:`~zengram_py.text.characters.fold_case`)."""
        found = self._stems.get(word)
        if found is None:
            if len(self._stems) >= _CACHED_STEMS:
                self._stems.clear()
            if self._folds_first:
                found = stemmer(self.language)(fold_accents(word))
            else:
                found = fold_accents(stemmer(self.language)(word))
            found = self._stems[word] = found[:_LONGEST_TERM]
        return found

    @cached_property
    def fingerprint(self) -> bytes:
        """Eight bytes that are others where the same texts would give other terms: by another stemmer, or by other rules here."""
        told = json.dumps([RULES, self.language, sample(self.language)])
        return sha256(told.encode()).digest()[:8]

    def is_stop_word(self, word: Word) -> bool:
        """Return whether a word says nothing about what a text is about."""
        return is_stop_word(word.surface, self.language)

    def forget(self) -> None:
        """Empty the cache of stems."""
        self._stems.clear()

    def _word(self, folded: str, position: int, start: int, end: int) -> Word:
        return Word(self.stem(folded), fold_accents(folded)[:_LONGEST_TERM], position, start, end)

    def _parts_of(self, raw: str, folded: str) -> list[Word]:
        """Cut a word where scripts meet; a compatibility character may have become several words."""
        words: list[Word] = []
        is_aligned = len(folded) == len(raw)
        for match in word_pattern().finditer(folded):
            position = width(words)
            if is_unspaced(match[0]):
                found = self._characters_of(match[0])
                offset = match.start() if is_aligned else 0
                for word in found:
                    place = (offset + word.start, offset + word.end) if is_aligned else (0, len(raw))
                    words.append(
                        word._replace(position=position + word.position, start=place[0], end=place[1])
                    )
                continue
            for start, end in _script_runs(match[0]):
                place = (match.start() + start, match.start() + end) if is_aligned else (0, len(raw))
                words.append(self._word(match[0][start:end], position, *place))
                position += 1
        return words

    @staticmethod
    def _characters_of(raw: str) -> list[Word]:
        """Return the characters and pairs of a run of an unspaced script."""
        units = [(fold_case(m[0]), m.start(), m.end()) for m in unit_pattern().finditer(raw)]
        units = [unit for unit in units if unit[0]]
        words = []
        for i, (unit, start, end) in enumerate(units):
            words.append(Word(unit, unit, i, start, end))
            if i + 1 < len(units):
                pair = unit + units[i + 1][0]
                words.append(Word(pair, pair, i, start, units[i + 1][2], True))
        return words


def width(words: list[Word]) -> int:
    """Return how many positions the terms of a raw word take."""
    return words[-1].position + 1 if words else 0


def asked_words(words: list[Word]) -> list[Word]:
    """Return those terms of a raw word that a question asks for: of an unspaced run the pairs, if it has any."""
    pairs = [word for word in words if word.is_pair]
    if not pairs:
        return words
    in_pairs = {p for pair in pairs for p in (pair.position, pair.position + 1)}
    return [word for word in words if word.is_pair or word.position not in in_pairs]


def _script_runs(word: str) -> Iterator[tuple[int, int]]:
    """Yield where the parts of a word lie that are of one script each; digits and marks go with what is before them."""
    start, script = 0, ""
    for i, character in enumerate(word):
        own = script_of(character)
        if own and script and own != script:
            yield start, i
            start = i
        script = own or script
    yield start, len(word)
