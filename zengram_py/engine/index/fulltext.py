"""Full-text index: from the words of a question to the entries that answer it, ranked.

What the postings are and how they are scored is the business of ``zengram_py.text``; here it becomes an index of a table.
New entries wait in a tail as they came. They are analysed, a batch at a time, when there are enough of them, when
somebody searches, or when there is time (:meth:`FullTextIndex.maintain`); a batch makes a small run of postings, and runs of
similar size are joined::

    commit ──▶ tail (texts) ──▶ small run ──▶ … ──▶ run         maintain joins large runs, a range of terms at a step

What is to be indexed later (an index that was created with ``build="deferred"``, or was made by another release of the stemmer)
waits as numbers alone, without texts; ``maintain`` reads and analyses a part at a step. Whoever searches before all are done
has the rest analysed at once: that is what scanning them would be, and its result is kept.

An index serves all readers. Each searches a *corpus*: the index under a mask of the entries that it sees, with the statistics
that go with the mask. Entries that nobody sees stay until a vacuum renumbers the rest; that is also when terms which no
document has any more leave the lexicon.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import pairwise
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...text import LANGUAGES, Analyzer, Corpus, Lexicon, Query, Weights, parse_query, rank
from ...text.postings import MAX_FIELDS, Run, check_run, join_in_steps, join_runs, renumber
from ...text.query import Node
from ..growable import Growable
from ..keys import Key
from .base import Entries, EntryMask, Index, Sections

TAIL_LIMIT = 128  # documents
TAIL_CHARACTERS = 1 << 16
BATCH_CHARACTERS = 1 << 21  # that are analysed together
STEP_CHARACTERS = 1 << 14  # that one step of maintain analyses of what waits, and one document at least
STEP_ENTRIES = 256  # of them, at most
RUN_RATIO = 4  # each run is at least so many times as long as the next: a term is looked up in few
SMALL_RUN = 1 << 11  # postings; shorter runs are not worth a look-up of their own
JOIN_AT_ONCE = 1 << 14  # postings; a larger join waits for maintain
CORPORA = 4  # readers' states whose statistics are kept
COORDINATION = 0.2
_NOBODY = bytes(8)
OPTIONS = ("weights", "language", "k1", "b", "coordination")

Waiting = tuple[int, tuple[str, ...]]
"""An entry and its texts."""


def text_options(fields: int, options: dict[str, Any]) -> tuple[str, Weights]:
    """Return the language and the weights that an index's options name.

    Parameters
    ----------
    fields : int
        How many keys the index has.
    options : dict
        ``weights``: a number for each field (1); ``language`` (``"english"``); ``k1`` (1.2); ``b``: a number, or one for each field
        (0.75); ``coordination`` (0.2).

    Raises
    ------
    ValueError
        If one of them makes no sense.
    """
    unknown = [name for name in options if name not in OPTIONS]
    if unknown:
        raise ValueError(f"a full-text index has no option {unknown[0]!r}; it has {', '.join(OPTIONS)}")
    if not 1 <= fields <= MAX_FIELDS:
        raise ValueError(f"a full-text index has 1 to {MAX_FIELDS} fields")
    language = options.get("language", "english")
    if language not in LANGUAGES:
        raise ValueError(f"a language is one of {', '.join(LANGUAGES)}, not {language!r}")
    b = options.get("b", 0.75)
    weights = _numbers("weights", options.get("weights", [1.0] * fields), fields)
    if min(weights) <= 0:
        raise ValueError("weights are above 0")
    per_field = _numbers("b", b if isinstance(b, (list, tuple)) else [b] * fields, fields)
    if max(per_field) > 1:
        raise ValueError("b lies between 0 and 1")
    (k1,) = _numbers("k1", [options.get("k1", 1.2)], 1)
    (coordination,) = _numbers("coordination", [options.get("coordination", COORDINATION)], 1)
    return language, Weights(weights, k1, per_field, coordination)


def _numbers(name: str, values: Any, count: int) -> tuple[float, ...]:
    if not isinstance(values, (list, tuple)) or len(values) != count:
        raise ValueError(f"{name} must be {count} numbers, one for each field")
    if any(isinstance(v, bool) or not isinstance(v, (int, float)) or not 0 <= v < 1e9 for v in values):
        raise ValueError(f"{name} must be numbers from 0 on, not {values!r}")
    return tuple(float(v) for v in values)


class Source(NamedTuple):
    """Where an index reads what it was not given.

    Attributes
    ----------
    entries : callable
        Gives all entries of the index, ascending.
    key : callable
        Gives the key of an entry.
    """

    entries: Callable[[], Entries]
    key: Callable[[int], Key]


class FullTextIndex(Index):
    """Ranked search in the text of one or more columns.

    Parameters
    ----------
    fields : int
        How many keys it has.
    options : dict
        See :func:`text_options`.
    source : Source, optional
        Where it reads entries that were added to be indexed later.
    """

    def __init__(
        self, fields: int = 1, options: dict[str, Any] | None = None, source: Source | None = None
    ) -> None:
        self.fields = fields
        self.can_wait = source is not None
        self._source = source
        language, self.weights = text_options(fields, options or {})
        self.analyzer = Analyzer(language)
        self.clear()

    def clear(self) -> None:
        """Forget all entries."""
        self._reset()
        self._made_by: bytes | None = None
        """The fingerprint of the analyzer that made what was loaded, as long as nobody compared it with this one's."""

    def _reset(self) -> None:
        self._lexicon = Lexicon(self.analyzer)
        self._runs: list[Run] = []
        self._lengths: Growable[np.int32] = Growable(np.int32, (self.fields,))
        self._tail: list[Waiting] = []
        self._tail_characters = 0
        self._waiting: Growable[np.int32] = Growable(np.int32)
        """Entries to be read from the source, ascending, all behind those of the runs; while there are any, the tail is empty."""
        self._done = 0
        """How many of them are done."""
        self._join: Iterator[int] | None = None
        self._corpora: OrderedDict[Hashable, Corpus] = OrderedDict()

    # -- changing ------------------------------------------------------------------------------------------------------

    def add(self, entries: Entries, keys: list[Key]) -> None:
        """Add a batch of entries with their texts; what is no text counts as what ``str`` makes of it, null as none."""
        if self._left:
            self._waiting.extend(entries)
            return
        for entry, key in zip(entries.tolist(), keys, strict=True):
            texts = self.texts(key)
            self._tail.append((entry, texts))
            self._tail_characters += sum(map(len, texts))
        is_full = len(self._tail) >= TAIL_LIMIT or self._tail_characters >= TAIL_CHARACTERS
        if is_full and not self._begins_anew():
            self._fold_tail()

    def add_later(self, entries: Entries) -> None:
        """Take note of entries, behind all that there are; their keys are read when they are analysed."""
        self._fold_tail()
        self._waiting.extend(entries)

    @staticmethod
    def texts(key: Key) -> tuple[str, ...]:
        """Return the texts of a key, one for each field."""
        return tuple(_text(part) for part in key)

    def add_one(self, entry: int, key: Key) -> None:
        """Add one entry."""
        self.add(np.array([entry], np.int32), [key])

    def add_array(self, entries: Entries, values: NDArray[Any]) -> None:
        """Add a batch whose only key is a number each."""
        self.add(entries, [(value,) for value in values.tolist()])

    def remove(self, entries: Entries) -> None:
        """Take entries out."""
        places = np.arange(self._end, dtype=np.int32)
        places[entries[entries < len(places)]] = -1
        self.remap(places)

    def remap(self, places: NDArray[np.int32]) -> None:
        """Give entries other numbers; those that get -1 go, and with them the terms that only they have."""
        if self._left:  # what waits may come to lie among what is done
            self._begin_anew()
            return
        self._fold_tail()
        self._join = None
        self._corpora.clear()
        old = np.arange(min(len(places), len(self._lengths)))
        new = places[old]
        old, new = old[new >= 0], new[new >= 0]
        lengths = np.zeros((int(new.max(initial=-1)) + 1, self.fields), np.int32)
        lengths[new] = self._lengths.view[old]
        self._lengths.replace(lengths)
        if self._runs:
            self.work += sum(map(len, self._runs))
            run = renumber(self._runs, places)
            numbers = self._lexicon.keep(run.terms)
            self._runs = [Run(numbers[run.terms], run.starts, run.entries, run.counts, run.positions)]
            if not len(run):
                self._runs = []

    # -- searching -----------------------------------------------------------------------------------------------------

    def parse(self, text: str, fields: Sequence[str] = ()) -> Query:
        """Return what a question asks for; any string asks for something, or nothing.

        Parameters
        ----------
        text : str
            The question (zengram_py/text/query.py).
        fields : sequence of str
            Names of the keys, for ``field:word``.
        """
        return parse_query(text, self.analyzer, fields)

    def corpus(self, seen: EntryMask, state: Hashable = None) -> Corpus:
        """Return what somebody searches who sees some of the entries.

        Parameters
        ----------
        seen : bool array
            Which entries, by entry; those beyond its end are not seen. It is kept: do not write to it.
        state : hashable, optional
            What names this state of what is seen. Statistics are kept under it (:meth:`known_corpus`).
        """
        self._begins_anew()
        while self._left:
            self._read(BATCH_CHARACTERS, self._left)
        self._fold_tail()
        made = Corpus(self._lexicon, self._runs, self._lengths.view, seen, self.weights)
        if state is not None:
            self._corpora[state] = made
            while len(self._corpora) > CORPORA:
                self._corpora.popitem(last=False)
        return made

    def known_corpus(self, state: Hashable) -> Corpus | None:
        """Return the corpus that was made for a state, unless it was dropped since."""
        found = self._corpora.get(state)
        if found is not None:
            self._corpora.move_to_end(state)
        return found

    def search(self, query: Any, mask: EntryMask | None = None) -> Entries:
        """Return the entries that answer a query, best first; of a condition (a tree that is no ``Query``), in order.

        Parameters
        ----------
        query : str, Query, tree or (str or Query, k)
            What is asked for, and how many entries at most.
        mask : bool array, optional
            Which entries are seen; all without it.
        """
        k = None
        if isinstance(query, tuple):
            query, k = query
        if mask is None:
            mask = np.ones(self._end, bool)
        corpus = self.corpus(mask)
        if isinstance(query, str):
            query = self.parse(query)
        if isinstance(query, Query):
            return rank(corpus, query, k).entries
        condition: Node = query
        found: Entries = np.flatnonzero(corpus.matching(condition)).astype(np.int32)
        return found[:k]

    # -- tidying -------------------------------------------------------------------------------------------------------

    @property
    def is_untidy(self) -> bool:
        """Whether entries wait to be analysed or runs to be joined, or nobody knows yet whether all are to be analysed anew."""
        return bool(self._tail or self._left) or self._made_by is not None or self._is_unbalanced

    @property
    def _is_unbalanced(self) -> bool:
        return self._next_pair() is not None

    def _next_pair(self) -> int | None:
        """Return where the two neighbouring runs are that should be joined next: the shortest ones; None for none."""
        sizes = [len(run) for run in self._runs]
        pairs = [
            (one + other, at)
            for at, (one, other) in enumerate(pairwise(sizes))
            if one < RUN_RATIO * other or one + other <= SMALL_RUN
        ]
        return min(pairs)[1] if pairs else None

    @property
    def _left(self) -> int:
        """How many entries wait to be read."""
        return len(self._waiting) - self._done

    def maintain(self, budget_ms: float) -> bool:
        """Analyse what waits and join runs for about so many milliseconds; return whether there is more to do."""
        until = perf_counter() + budget_ms / 1000
        self._begins_anew()
        while self._left:
            self._read(STEP_CHARACTERS, STEP_ENTRIES)
            if perf_counter() >= until:
                return self.is_untidy
        self._fold_tail()
        while True:
            if self._join is None:
                at = self._next_pair()
                if at is None:
                    break
                self._join = self._join_two(at)
            moved = next(self._join, None)
            if moved is None:  # it came to its end
                self._join = None
            else:
                self.work += moved
            if perf_counter() >= until:
                break
        return self.is_untidy

    def _begins_anew(self) -> bool:
        """Let all entries wait if what was loaded was made by another release; return whether it was."""
        if self._made_by is None:
            return False
        is_other = self._made_by != self.analyzer.fingerprint and self._source is not None
        if is_other:
            self._begin_anew()
        self._made_by = None
        return is_other

    def _begin_anew(self) -> None:
        assert self._source is not None
        entries = self._source.entries()
        self._made_by = _NOBODY  # who is interrupted here begins again
        self._reset()
        self._waiting.extend(entries)
        self._made_by = None

    def _read(self, characters: int, most: int) -> None:
        """Analyse some of the entries that wait, one at least, and about so many characters or so many entries at most."""
        assert self._source is not None
        part: list[Waiting] = []
        size = 0
        for entry in self._waiting.view[self._done : self._done + most].tolist():
            part.append((entry, self.texts(self._source.key(entry))))
            size += sum(map(len, part[-1][1]))
            if size >= characters:
                break
        runs = self._analyse(part)
        self._runs, self._done = runs, self._done + len(part)
        if not self._left:
            self._waiting, self._done = Growable(np.int32), 0
        self._join_small()

    def _fold_tail(self) -> None:
        """Make runs of the entries in the tail."""
        if not self._tail:
            return
        if any(one[0] >= other[0] for one, other in pairwise(self._tail)):
            self._tail = sorted(dict(self._tail).items())
        for part in list(_batches(self._tail)):
            runs = self._analyse(part)
            # Assigned at once: an interruption leaves entries in the tail, or in a run.
            self._runs, self._tail = runs, self._tail[len(part) :]
            self._join_small()
        self._tail_characters = 0

    def _analyse(self, part: list[Waiting]) -> list[Run]:
        """Return the runs, and in them some more documents."""
        entries = np.array([entry for entry, _ in part], np.int32)
        run, lengths = self._lexicon.analyse(entries, [texts for _, texts in part])
        self.work += sum(sum(map(len, texts)) for _, texts in part)
        is_later = not len(self._lengths) or entries[0] >= len(self._lengths)
        self._note_lengths(entries, lengths)
        if not len(run):
            return self._runs
        if is_later or not self._runs:
            return [*self._runs, run]
        # Entries come out of order: only who builds by hand does this.
        self._join = None
        self._corpora.clear()
        return [renumber([*self._runs, run], np.arange(self._end, dtype=np.int32))]

    def _join_small(self) -> None:
        """Join runs while they are small, unless some are being joined in steps."""
        while self._join is None and (at := self._next_pair()) is not None:
            pair = self._runs[at : at + 2]
            size = sum(map(len, pair))
            if size > JOIN_AT_ONCE:
                break
            self.work += size
            self._runs[at : at + 2] = [join_runs(pair)]

    def _note_lengths(self, entries: Entries, lengths: NDArray[np.int32]) -> None:
        end = int(entries[-1]) + 1
        if entries[0] < len(self._lengths):
            self._lengths.replace(self._lengths.view.copy())  # a snapshot may hold the old one
        if end > len(self._lengths):
            self._lengths.extend_filled(end - len(self._lengths), 0)
        self._lengths.writable()[entries] = lengths

    def _join_two(self, at: int) -> Iterator[int]:
        """Join two neighbouring runs in steps. Runs that come meanwhile stay behind them."""
        one, other = self._runs[at : at + 2]
        joined: list[Run] = []
        yield from join_in_steps(one, other, joined)
        self._runs[at : at + 2] = joined
        self._corpora.clear()

    # -- keeping -------------------------------------------------------------------------------------------------------

    def save(self) -> Sections:
        """Return the terms, the lengths and the runs, the tail made into one, who made them, and the entries that wait."""
        if self._tail and not self._begins_anew():
            self._fold_tail()
        terms = "\n".join(self._lexicon.terms).encode()
        out: Sections = {"words": np.frombuffer(terms, np.uint8), "lengths": self._lengths.view}
        made_by = self.analyzer.fingerprint if self._made_by is None else self._made_by
        out["made_by"] = np.frombuffer(made_by, np.uint8)
        if self._left:
            out["entries_waiting"] = self._waiting.view[self._done :].copy()
        for number, run in enumerate(self._runs):
            out[f"terms{number}"], out[f"starts{number}"] = run.terms, run.starts
            out[f"entries{number}"], out[f"counts{number}"] = run.entries, run.counts
            out[f"positions{number}"] = run.positions
        return out

    def load(self, sections: Sections) -> None:
        """Take what :meth:`save` gave."""
        self.clear()
        words, lengths = sections["words"], sections["lengths"]
        if words.dtype != np.uint8 or words.ndim != 1:
            raise ValueError("the terms are no text")
        if lengths.dtype != np.int32 or lengths.shape[1:] != (self.fields,) or lengths.min(initial=0) < 0:
            raise ValueError("there is not one length for each field")
        text = words.tobytes().decode()
        terms = text.split("\n") if text else []
        if "" in terms:
            raise ValueError("a term is empty")
        self._lexicon = Lexicon(self.analyzer, terms)
        self._lengths = Growable(np.int32, (self.fields,), lengths)
        # Snapshots from before there were fingerprints have none: they are made anew, as those of a stranger.
        made_by = sections.get("made_by", np.frombuffer(_NOBODY, np.uint8))
        if made_by.dtype != np.uint8 or made_by.shape != (len(_NOBODY),):
            raise ValueError("it is not told who made the terms")
        self._made_by = made_by.tobytes()
        waiting = sections.get("entries_waiting")
        if waiting is not None:
            if waiting.dtype != np.int32 or waiting.ndim != 1 or not len(waiting) or self._source is None:
                raise ValueError("the entries that wait are of the wrong kind")
            if waiting[0] < len(lengths) or (np.diff(waiting) <= 0).any():
                raise ValueError("the entries that wait are not in order")
            self._waiting = Growable(np.int32, (), waiting)
        first = 0
        others = ("words", "lengths", "made_by", "entries_waiting")
        runs, rest = divmod(len(sections) - sum(name in sections for name in others), 5)
        if rest:
            raise ValueError("a run is not complete")
        for number in range(runs):
            parts = ("terms", "starts", "entries", "counts", "positions")
            run = Run(*(sections[f"{part}{number}"] for part in parts))
            check_run(run, self.fields, len(self._lexicon), len(lengths))
            if not len(run) or run.entries.min() < first:
                raise ValueError("the runs do not follow one another")
            first = int(run.entries.max()) + 1
            self._runs.append(run)

    @property
    def nbytes(self) -> int:
        """Bytes of postings, lengths, terms, waiting texts and kept statistics."""
        runs = sum(run.nbytes for run in self._runs)
        waiting = self._tail_characters + self._waiting.view.nbytes
        return runs + self._lengths.view.nbytes + self._lexicon.nbytes + waiting + self.cache_bytes

    @property
    def cache_bytes(self) -> int:
        """Bytes of what is known of the words of the last states that were searched."""
        return sum(corpus.nbytes for corpus in self._corpora.values())

    @property
    def _end(self) -> int:
        """One more than the greatest entry."""
        waiting = self._waiting.item(len(self._waiting) - 1) if self._left else -1
        return max(len(self._lengths), 1 + max((entry for entry, _ in self._tail), default=waiting))


def _text(part: Any) -> str:
    return part if type(part) is str else "" if part is None else str(part)


def _batches(tail: list[Waiting]) -> Iterator[list[Waiting]]:
    """Yield parts that are small enough to be analysed together."""
    part: list[Waiting] = []
    size = 0
    for item in tail:
        part.append(item)
        size += sum(map(len, item[1]))
        if size >= BATCH_CHARACTERS:
            yield part
            part, size = [], 0
    if part:
        yield part
