"""A corpus: documents as one reader sees them, and which of them have what a query asks for.

The index holds the documents of all readers. What each sees is a mask over them, and with it go three numbers that scores
depend on: how many documents there are, and how long their fields are on average. How many documents have a term is
counted when it is asked for, by gathering the mask at the term's postings. So what other readers see, and what nobody
sees any more, changes no score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .lexicon import Lexicon
from .postings import FIELD_SHIFT, LAST_POSITION, Postings, Run
from .query import AllOf, AnyOf, Leaf, Node, Not, Phrase, Prefix, Term

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Weights:
    """How occurrences count (bm25.py).

    Attributes
    ----------
    fields : tuple of float
        Weight of an occurrence in each field.
    k1 : float
        How slowly further occurrences of a term stop to matter; 0: only the first counts.
    b : tuple of float
        For each field, how far long texts are made up for: 0 not at all, 1 in full.
    coordination : float
        By which share a document that has everything asked for is raised above one that has a single thing.
    """

    fields: tuple[float, ...]
    k1: float = 1.2
    b: tuple[float, ...] = ()
    coordination: float = 0.0


class Corpus:
    """Documents that one reader sees.

    Parameters
    ----------
    lexicon : Lexicon
        The terms.
    runs : sequence of Run
        The postings; each run has later documents than the one before.
    lengths : int32 array of shape (entries, fields)
        Words in each field of each document.
    seen : bool array of shape (n,)
        Which documents the reader sees; those from n on it does not.
    weights : Weights
        How occurrences count.
    """

    def __init__(
        self,
        lexicon: Lexicon,
        runs: Sequence[Run],
        lengths: NDArray[np.int32],
        seen: Mask,
        weights: Weights,
    ) -> None:
        self.lexicon = lexicon
        self.runs = tuple(runs)
        self.weights = weights
        self._lengths = lengths
        if len(seen) != len(lengths):
            grown = np.zeros(len(lengths), bool)
            grown[: len(seen)] = seen[: len(lengths)]
            seen = grown
        self.seen: Mask = seen

    @cached_property
    def size(self) -> int:
        """How many documents are seen."""
        return int(np.count_nonzero(self.seen))

    @cached_property
    def total_lengths(self) -> tuple[int, ...]:
        """Words in each field of all documents that are seen."""
        return tuple(int(column[self.seen].sum(dtype=np.int64)) for column in self._lengths.T)

    @cached_property
    def worth(self) -> tuple[NDArray[np.float64], ...]:
        """What one occurrence in each field of each document counts: its weight, less in a longer text."""
        out = []
        for field, (weight, b) in enumerate(zip(self.weights.fields, self.weights.b, strict=True)):
            average = self.total_lengths[field] / max(1, self.size)
            relative = self._lengths[:, field] / average if average else np.ones(len(self._lengths))
            out.append(weight / ((1.0 - b) + b * relative) if b < 1 else weight / np.maximum(relative, 1e-9))
        return tuple(out)

    @property
    def nbytes(self) -> int:
        """Bytes of what was computed for this reader."""
        worth: tuple[NDArray[Any], ...] = self.__dict__.get("worth", ())
        places = self.__dict__.get("_places")
        return self.seen.nbytes + sum(a.nbytes for a in worth) + (0 if places is None else places.nbytes)

    def with_documents(self, texts: Sequence[Sequence[str]], hidden: NDArray[np.int32]) -> Corpus:
        """Return this corpus without some documents and with some more, numbered from the end of this one.

        Parameters
        ----------
        texts : sequence of sequences of str
            The fields of each.
        hidden : int32 array
            Documents that the reader does not see.
        """
        seen = self.seen.copy()
        seen[hidden] = False
        if not len(texts):
            return Corpus(self.lexicon, self.runs, self._lengths, seen, self.weights)
        lexicon = Lexicon(self.lexicon.analyzer, base=self.lexicon)
        first = len(self._lengths)
        run, lengths = lexicon.analyse(np.arange(first, first + len(texts), dtype=np.int32), texts)
        return Corpus(
            lexicon,
            [*self.runs, run],
            np.concatenate([self._lengths, lengths]),
            np.concatenate([seen, np.ones(len(texts), bool)]),
            self.weights,
        )

    # -- looking up ------------------------------------------------------------------------------------------------

    def find(self, leaf: Leaf) -> Postings:
        """Return the documents that have what a leaf of a query asks for, also those that are not seen."""
        if isinstance(leaf, Term):
            return self._term(leaf.text).in_field(leaf.field)
        found = self._prefix(leaf.text) if isinstance(leaf, Prefix) else self._counted(self._phrase(leaf))
        return found.in_field(leaf.field)

    def matching(self, node: Node) -> Mask:
        """Return which documents that are seen satisfy a condition."""
        if isinstance(node, AllOf):
            both: Mask = np.logical_and.reduce([self.seen, *map(self.matching, node.items)])
            return both
        if isinstance(node, AnyOf):
            either: Mask = np.logical_or.reduce([np.zeros_like(self.seen), *map(self.matching, node.items)])
            return either
        if isinstance(node, Not):
            return self.seen & ~self.matching(node.item)
        found = np.zeros_like(self.seen)
        found[self.find(node).entries] = True
        return found & self.seen

    def _term(self, text: str) -> Postings:
        parts = [(run, *run.find(number)) for run, number in self._in_runs(text)]
        parts = [part for part in parts if part[1] < part[2]]
        if len(parts) == 1:
            run, start, stop = parts[0]
            return Postings(run.entries[start:stop], run.counts[:, start:stop])
        if not parts:
            return Postings(np.empty(0, np.int32), np.empty((len(self.weights.fields), 0), np.uint8))
        return Postings(
            np.concatenate([run.entries[start:stop] for run, start, stop in parts]),
            np.concatenate([run.counts[:, start:stop] for run, start, stop in parts], axis=1),
        )

    def _in_runs(self, text: str) -> list[tuple[Run, int]]:
        number = self.lexicon.number(text)
        return [(run, number) for run in self.runs] if number >= 0 else []

    def _occurrences(self, text: str) -> NDArray[np.int64]:
        found = [run.occurrences(slice(*run.find(number))) for run, number in self._in_runs(text)]
        return np.concatenate(found) if found else np.empty(0, np.int64)

    def _prefix(self, text: str) -> Postings:
        """Return what has words that begin so: a word counts once, though it may be there as itself and as its stem.

        Thousands of terms may begin so. Their occurrences are gathered at once and never sorted: each place where a word can
        be has a number (:attr:`_places`), the last occurrence to be written there is found again, and others are doubles.
        """
        fields = len(self.weights.fields)
        numbers = self.lexicon.beginning_with(text)
        parts = [run.occurrences_of(numbers) for run in self.runs] if len(numbers) else []
        if not any(len(owners) for owners, _ in parts):
            return Postings(np.empty(0, np.int32), np.empty((fields, 0), np.intp))
        entries, positions = map(np.concatenate, zip(*parts, strict=True))
        text_of = entries * np.intp(fields) + (positions >> FIELD_SHIFT)
        place = self._places[text_of] + (positions & LAST_POSITION)
        marks = np.arange(len(place), dtype=np.int32)
        last = np.empty(int(place.max()) + 1, np.int32)  # read only where it is written
        last[place] = marks
        text_of = text_of[last[place] == marks]
        counts = np.bincount(text_of, minlength=len(self._lengths) * fields).reshape(-1, fields)
        has = np.zeros(len(counts), bool)
        has[entries] = True
        found = np.flatnonzero(has)
        return Postings(found.astype(np.int32), counts[found].T)

    @cached_property
    def _places(self) -> NDArray[np.intp]:
        """The number of the first word of each text, when the words of all texts are numbered one after the other."""
        lengths = self._lengths.ravel()
        ends = np.cumsum(lengths, dtype=np.intp)
        return ends - lengths

    def _phrase(self, phrase: Phrase) -> NDArray[np.int64]:
        """Return where a phrase begins: its first term, or with slop whichever of its terms comes first."""
        if phrase.slop is not None:
            return self._near(phrase)
        found = [(self._occurrences(text), place) for text, place in phrase.terms]
        found.sort(key=lambda item: len(item[0]))  # the rarest first: what is not there is soon seen
        begins = found[0][0] - found[0][1]
        for places, place in found[1:]:
            if not len(begins) or not len(places):
                return begins[:0]
            wanted = begins + place
            at = np.searchsorted(places, wanted)
            at[at == len(places)] = 0
            begins = begins[places[at] == wanted]
        return begins

    def _near(self, phrase: Phrase) -> NDArray[np.int64]:
        assert phrase.slop is not None
        found = [self._occurrences(text) for text in dict(phrase.terms)]
        reach = phrase.terms[-1][1] + phrase.slop
        begins = np.unique(np.concatenate(found))
        for places in found:
            begins = begins[
                np.searchsorted(places, begins) < np.searchsorted(places, begins + reach, "right")
            ]
        return begins

    def _counted(self, occurrences: NDArray[np.int64]) -> Postings:
        """Count occurrences (``entry << 32 | position``, ascending) by document and field."""
        where = (occurrences >> 32).astype(np.int32)
        entries, which = np.unique(where, return_inverse=True)
        field_of = (occurrences & 0xFFFFFFFF) >> FIELD_SHIFT
        fields = len(self.weights.fields)
        counts: Any = [np.bincount(which[field_of == f], minlength=len(entries)) for f in range(fields)]
        return Postings(entries, np.array(counts).reshape(fields, len(entries)))
