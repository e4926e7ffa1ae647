"""The lexicon: numbers of terms, and which terms a word of a text gives.

A text is cut into raw words by one regular expression, and each raw word is looked up in one dictionary: all that the
analysis (tokens.py) has to say about it is kept in arrays. What is done for each word of a text is thus done by ``re``,
``dict`` and numpy; only a word that was never met before costs Python code.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .postings import FIELD_SHIFT, LAST_POSITION, Run, build_run, ranges, repeat
from .tokens import SURFACE_MARK, Analyzer, width

_KNOWN_WORDS = 200_000
_LAST = "\U0010ffff"


class Lexicon:
    """Terms and their numbers.

    Parameters
    ----------
    analyzer : Analyzer
        Makes terms of words.
    terms : list of str
        Terms to begin with.
    base : Lexicon, optional
        One that this one adds to without changing it: its terms keep their numbers.
    """

    def __init__(self, analyzer: Analyzer, terms: Sequence[str] = (), base: Lexicon | None = None) -> None:
        self.analyzer = analyzer
        self._base = base
        self._first = 0 if base is None else len(base)
        self._numbers = {term: self._first + i for i, term in enumerate(terms)}
        if len(self._numbers) != len(terms):
            raise ValueError("a term is there twice")
        self._sorted: list[str] = []
        self._words = _Words(self)

    def __len__(self) -> int:
        """Return the number of terms, those of the base too."""
        return self._first + len(self._numbers)

    @property
    def terms(self) -> list[str]:
        """The terms in order of their numbers, without those of the base."""
        return list(self._numbers)

    @property
    def nbytes(self) -> int:
        """Bytes of the terms and of what is known of words, about."""
        return sum(map(len, self._numbers)) + 8 * len(self._numbers) + self._words.nbytes

    def number(self, term: str) -> int:
        """Return the number of a term, -1 for one that is not there."""
        found = self._numbers.get(term, -1)
        return self._base.number(term) if found < 0 and self._base is not None else found

    def add(self, term: str) -> int:
        """Return the number of a term, giving it one if it is new."""
        found = self.number(term)
        if found < 0:
            found = self._numbers[term] = len(self)
        return found

    def beginning_with(self, prefix: str) -> NDArray[np.int32]:
        """Return the numbers of the terms of words that begin so, before or after stemming, ascending."""
        if len(self._sorted) != len(self._numbers):
            new = self.terms[len(self._sorted) :]
            self._sorted += new
            self._sorted.sort()  # merges the sorted part with the new one
        found = [] if self._base is None else [self._base.beginning_with(prefix)]
        for start in (prefix, SURFACE_MARK + prefix):
            low, high = bisect_left(self._sorted, start), bisect_left(self._sorted, start + _LAST)
            numbers = map(self._numbers.__getitem__, self._sorted[low:high])
            found.append(np.fromiter(numbers, np.int32, high - low))
        return np.sort(np.concatenate(found))

    def analyse(
        self, entries: NDArray[np.int32], texts: Sequence[Sequence[str]]
    ) -> tuple[Run, NDArray[np.int32]]:
        """Return the postings of documents and their lengths.

        Parameters
        ----------
        entries : int32 array of shape (n,)
            Their numbers, ascending.
        texts : sequence of n sequences of str
            The fields of each.

        Returns
        -------
        run : Run
            The postings.
        lengths : int32 array of shape (n, fields)
            Words in each field.
        """
        fields = len(texts[0])
        raw: list[str] = []
        sizes = []
        for document in texts:
            for text in document:
                found = self.analyzer.raw_words(text) if text else []
                raw += found
                sizes.append(len(found))
        words = self._words.look_up(raw)
        text_of = repeat(np.arange(len(sizes)), np.asarray(sizes))
        after = np.zeros(len(raw) + 1, np.int64)
        np.cumsum(words.widths, out=after[1:])
        ends = np.cumsum(sizes)
        firsts = after[ends - sizes]
        lengths = (after[ends] - firsts).astype(np.int32).reshape(len(texts), fields)
        positions = words.positions + repeat(after[:-1] - firsts[text_of], words.counts)
        np.minimum(positions, LAST_POSITION, out=positions)
        positions |= repeat((text_of % fields) << FIELD_SHIFT, words.counts)
        in_entries = repeat(entries[text_of // fields], words.counts)
        run = build_run(words.terms, in_entries, positions.astype(np.int32), fields)
        return run, lengths

    def keep(self, numbers: NDArray[np.int32]) -> NDArray[np.int32]:
        """Forget all terms but some, and all words; return the new number of each old one, -1 for those that went."""
        terms = self.terms
        new = np.full(len(terms), -1, np.int32)
        new[numbers] = np.arange(len(numbers), dtype=np.int32)
        self._numbers = {terms[number]: i for i, number in enumerate(numbers.tolist())}
        self._sorted = []
        self._words = _Words(self)
        self.analyzer.forget()
        return new


class _Found(NamedTuple):
    """What is known of some words: for each its positions and number of terms, and the terms of all with places."""

    widths: NDArray[np.int32]
    counts: NDArray[np.int32]
    terms: NDArray[np.int32]
    positions: NDArray[np.int32]


class _Words(dict[str, int]):
    """Raw words, each with a number under which its terms lie in arrays; a look-up of a new word analyses it."""

    def __init__(self, lexicon: Lexicon) -> None:
        super().__init__()
        self._lexicon = lexicon
        self._reset()

    def _reset(self) -> None:
        self.clear()
        self._widths = array("i", [0])  # word 0 is none: numpy takes no empty buffer
        self._starts = array("i", [0])
        self._counts = array("i", [0])
        self._terms = array("i", [0])
        self._positions = array("i", [0])

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return 12 * len(self._widths) + 8 * len(self._terms)

    def look_up(self, raw: list[str]) -> _Found:
        """Return what is known of some words."""
        if len(self._terms) > _KNOWN_WORDS:
            self._reset()
        found = np.fromiter(map(self.__getitem__, raw), np.int32, len(raw))
        counts = np.frombuffer(self._counts, np.int32)[found]
        taken = ranges(np.frombuffer(self._starts, np.int32)[found], counts)
        return _Found(
            np.frombuffer(self._widths, np.int32)[found],
            counts,
            np.frombuffer(self._terms, np.int32)[taken],
            np.frombuffer(self._positions, np.int32)[taken],
        )

    def __missing__(self, raw: str) -> int:
        try:
            return self._add(raw)
        except BaseException:  # interrupted between two of the arrays
            self._reset()
            raise

    def _add(self, raw: str) -> int:
        lexicon = self._lexicon
        words = lexicon.analyzer.words_of(raw)
        before = len(self._terms)
        for word in words:
            self._terms.append(lexicon.add(word.term))
            self._positions.append(word.position)
            if word.surface != word.term:
                self._terms.append(lexicon.add(SURFACE_MARK + word.surface))
                self._positions.append(word.position)
        number = self[raw] = len(self._widths)
        self._widths.append(width(words))
        self._starts.append(before)
        self._counts.append(len(self._terms) - before)
        return number
