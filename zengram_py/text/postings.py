"""Postings: for each term the documents that have it, how often in each field, and where.

A *run* holds them in parallel arrays that never change, sorted by term and document::

    terms       3        7                the numbers of the terms (lexicon.py)
    starts      0        2              5
    entries     10   12  10   11   12     the documents of term 3, then those of term 7
    counts      1    0   2    1    1      in field 0: 12 has term 3 in field 1 only
                0    1   0    0    0      in field 1
    positions   4    ..  0 9  3    5      field << 24 | number of the word in the field

New documents make a small run; runs of similar size are joined, so there are few of them and each posting is moved O(log n)
times (the log-structured merge tree of O'Neil et al. 1996; inverted files: Zobel and Moffat 2006).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

FIELD_SHIFT = 24
LAST_POSITION = (1 << FIELD_SHIFT) - 1
MAX_FIELDS = 64
_JOINED_AT_ONCE = 1 << 14  # postings that one step of a merge moves, about


@dataclass(frozen=True)
class Postings:
    """The documents that have something.

    Attributes
    ----------
    entries : int32 array of shape (n,)
        The documents, ascending, each once.
    counts : array of shape (fields, n)
        How often each has it, by field.
    """

    entries: NDArray[np.int32]
    counts: NDArray[Any]

    def in_field(self, field: int | None) -> Postings:
        """Return those that have it in one field, counted there alone."""
        if field is None:
            return self
        has = np.flatnonzero(self.counts[field])
        counts = np.zeros((len(self.counts), len(has)), self.counts.dtype)
        counts[field] = self.counts[field, has]
        return Postings(self.entries[has], counts)


@dataclass(frozen=True)
class Run:
    """Postings of some documents (see the page above)."""

    terms: NDArray[np.int32]
    starts: NDArray[np.int64]
    entries: NDArray[np.int32]
    counts: NDArray[Any]
    positions: NDArray[np.int32]

    def __len__(self) -> int:
        """Return the number of postings."""
        return len(self.entries)

    @property
    def nbytes(self) -> int:
        """Bytes held, with what was derived for searching."""
        arrays: list[NDArray[Any]] = [self.terms, self.starts, self.entries, self.counts, self.positions]
        arrays += [self.__dict__[name] for name in ("offsets", "owners") if name in self.__dict__]
        return sum(array.nbytes for array in arrays)

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """Where the positions of each posting begin, shape (postings + 1,)."""
        offsets = np.zeros(len(self) + 1, np.int64)
        np.cumsum(self.counts.sum(axis=0, dtype=np.int64), out=offsets[1:])
        return offsets

    def find(self, term: int) -> tuple[int, int]:
        """Return where the postings of a term begin and end."""
        at = int(self.terms.searchsorted(np.int32(term)))
        if at == len(self.terms) or self.terms.item(at) != term:
            return 0, 0
        return self.starts.item(at), self.starts.item(at + 1)

    @cached_property
    def owners(self) -> NDArray[np.int32]:
        """The document of each occurrence, shape (occurrences,)."""
        return repeat(self.entries, np.diff(self.offsets))

    def occurrences_of(self, terms: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return document and position of each occurrence of many terms, term after term."""
        at = np.searchsorted(self.terms, terms)
        at[at == len(self.terms)] = 0
        at = at[self.terms[at] == terms] if len(self.terms) else at[:0]
        first = self.offsets[self.starts[at]]  # what one term has lies side by side
        found = ranges(first, self.offsets[self.starts[at + 1]] - first)
        return self.owners[found], self.positions[found]

    def occurrences(self, postings: slice) -> NDArray[np.int64]:
        """Return ``entry << 32 | position`` of each occurrence in some postings, shape (occurrences,)."""
        first, last = self.offsets[postings.start], self.offsets[postings.stop]
        return self.owners[first:last].astype(np.int64) << 32 | self.positions[first:last]

    def part(self, first: int, last: int) -> Run:
        """Return the postings of the terms numbered ``first`` to ``last - 1``, as a view."""
        low, high = (int(i) for i in np.searchsorted(self.terms, (first, last)))
        start, stop = int(self.starts[low]), int(self.starts[high])
        return Run(
            self.terms[low:high],
            self.starts[low : high + 1] - start,
            self.entries[start:stop],
            self.counts[:, start:stop],
            self.positions[self.offsets[start] : self.offsets[stop]],
        )


def empty_run(fields: int) -> Run:
    """Return a run without postings."""
    none = np.empty(0, np.int32)
    return Run(none, np.zeros(1, np.int64), none, np.empty((fields, 0), np.uint8), none)


def repeat(items: NDArray[Any], counts: NDArray[Any]) -> NDArray[Any]:
    """Return each item so many times; also where addresses have 32 bits, and numpy takes no wider counts."""
    return np.repeat(items, counts.astype(np.intp, copy=False))


def ranges(starts: NDArray[Any], counts: NDArray[Any]) -> NDArray[np.int64]:
    """Return the numbers ``start, start + 1, …`` of each of many ranges, one range after the other."""
    before = np.cumsum(counts, dtype=np.int64) - counts
    out = repeat(starts - before, counts)
    out += np.arange(len(out))
    return out


def build_run(
    terms: NDArray[np.int32], entries: NDArray[np.int32], positions: NDArray[np.int32], fields: int
) -> Run:
    """Return the run of occurrences, given one by one; by entry and position in ascending order.

    Parameters
    ----------
    terms, entries : int32 arrays of shape (n,)
        The term of each, and its document.
    positions : int32 array of shape (n,)
        ``field << 24 | number of the word``.
    fields : int
        How many fields there are.
    """
    if not len(terms):
        return empty_run(fields)
    order = np.argsort(terms, kind="stable")
    terms, entries, positions = terms[order], entries[order], positions[order]
    is_first = np.ones(len(terms), bool)
    is_first[1:] = (terms[1:] != terms[:-1]) | (entries[1:] != entries[:-1])
    firsts = np.flatnonzero(is_first)
    posting = np.cumsum(is_first) - 1
    field_of = positions >> FIELD_SHIFT
    counts = np.stack([np.bincount(posting[field_of == f], minlength=len(firsts)) for f in range(fields)])
    return _packed(terms[firsts], entries[firsts], counts, positions)


def _packed(
    terms: NDArray[np.int32], entries: NDArray[np.int32], counts: NDArray[Any], positions: NDArray[np.int32]
) -> Run:
    """Return the run of sorted postings."""
    first = np.ones(len(terms), bool)
    first[1:] = terms[1:] != terms[:-1]
    starts = np.append(np.flatnonzero(first), len(terms)).astype(np.int64)
    small = counts.astype(np.min_scalar_type(int(counts.max(initial=0))), copy=False)
    return Run(terms[first], starts, entries, small, positions)


def _unpacked(
    runs: Sequence[Run],
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[Any], NDArray[np.int32], NDArray[np.int64]]:
    """Return term, entry and counts of every posting of some runs, their positions, and where those of each begin."""
    terms = np.concatenate([repeat(run.terms, np.diff(run.starts)) for run in runs])
    counts = np.concatenate([run.counts for run in runs], axis=1)
    offsets = np.zeros(len(terms) + 1, np.int64)
    np.cumsum(counts.sum(axis=0, dtype=np.int64), out=offsets[1:])
    entries = np.concatenate([run.entries for run in runs])
    return terms, entries, counts, np.concatenate([run.positions for run in runs]), offsets


def join_runs(runs: Sequence[Run]) -> Run:
    """Return one run of all postings of some, of which each has later documents than the one before."""
    terms, entries, counts, positions, offsets = _unpacked(runs)
    order = np.argsort(terms, kind="stable")
    moved = ranges(offsets[order], offsets[order + 1] - offsets[order])
    return _packed(terms[order], entries[order], counts[:, order], positions[moved])


def join_in_steps(one: Run, other: Run, into: list[Run]) -> Iterator[int]:
    """Join two runs, a range of terms at a time; yields how many postings each step moved. The joined one is put into a list.

    Where it goes is made ready at the beginning, so that no step at the end moves all of it once more.
    """
    postings, fields = len(one) + len(other), len(one.counts)
    terms = np.empty(len(one.terms) + len(other.terms), np.int32)
    starts = np.empty(len(terms) + 1, np.int64)
    entries = np.empty(postings, np.int32)
    counts = np.empty((fields, postings), np.result_type(one.counts, other.counts))
    positions = np.empty(len(one.positions) + len(other.positions), np.int32)
    starts[0] = at_term = at = at_position = 0
    top = 1 + max(int(run.terms[-1]) if len(run.terms) else 0 for run in (one, other))
    rounds = max(1, postings // _JOINED_AT_ONCE)
    larger = max(one, other, key=len)
    # Cut where the larger one has about as many postings in each part.
    cuts = np.searchsorted(larger.starts, np.linspace(0, len(larger), rounds + 1)[1:-1])
    bounds = [0, *sorted({int(t) for t in larger.terms[cuts[cuts < len(larger.terms)]]} - {0}), top]
    for first, last in pairwise(bounds):
        part = join_runs([one.part(first, last), other.part(first, last)])
        until_term, until, until_position = (
            at_term + len(part.terms),
            at + len(part),
            at_position + len(part.positions),
        )
        terms[at_term:until_term] = part.terms
        starts[at_term + 1 : until_term + 1] = part.starts[1:] + at
        entries[at:until], counts[:, at:until] = part.entries, part.counts
        positions[at_position:until_position] = part.positions
        at_term, at, at_position = until_term, until, until_position
        yield len(part)
    into.append(Run(terms[:at_term].copy(), starts[: at_term + 1].copy(), entries, counts, positions))


def renumber(runs: Sequence[Run], places: NDArray[np.int32]) -> Run:
    """Return one run in which documents have other numbers; those that get -1 are left out."""
    terms, entries, counts, positions, offsets = _unpacked(runs)
    new = places[entries]
    order = np.flatnonzero(new >= 0)
    # One key for both, and a sort that sees what is in order already: mostly the documents stay in theirs.
    order = order[np.argsort(terms[order].astype(np.int64) << 32 | new[order], kind="stable")]
    moved = ranges(offsets[order], offsets[order + 1] - offsets[order])
    return _packed(terms[order], new[order], counts[:, order], positions[moved])


def check_run(run: Run, fields: int, terms: int, entries: int) -> None:
    """Raise :class:`ValueError` unless the arrays of a run, which come from outside, fit together."""
    t, s, c = run.terms, run.starts, run.counts
    numbers: tuple[NDArray[Any], ...] = (t, run.entries, run.positions)
    if s.dtype != np.int64 or s.ndim != 1 or any(a.dtype != np.int32 or a.ndim != 1 for a in numbers):
        raise ValueError("an array of postings is of the wrong kind")
    if c.dtype.kind != "u" or c.shape != (fields, len(run)) or c.dtype.itemsize > 4:
        raise ValueError("there is not one count for each posting and field")
    if len(s) != len(t) + 1 or s[0] != 0 or s[-1] != len(run) or (np.diff(s) <= 0).any():
        raise ValueError("the postings do not follow one another")
    if len(t) and not (t[0] >= 0 and t[-1] < terms and (np.diff(t) > 0).all()):
        raise ValueError("the terms are not in order")
    if run.offsets[-1] != len(run.positions) or (np.diff(run.offsets) <= 0).any():
        raise ValueError("there is not one position for each occurrence")
    if len(run.entries) and not (run.entries.min() >= 0 and run.entries.max() < entries):
        raise ValueError("a posting is of no document")
    ascends = np.diff(run.entries) > 0
    ascends[run.starts[1:-1] - 1] = True
    if not ascends.all() or (len(run.positions) and run.positions.min() < 0):
        raise ValueError("the documents of a term are not in order")
