"""Full-text search as one reader sees a table: its view's committed rows, with its own writes laid over them.

The statistics of a view (how many rows there are, how long their texts are) are kept with the index under the name of what
the view sees, so that many questions to one state compute them once. What a transaction wrote itself is analysed when it asks,
and counts as if it were committed: rows that it changed or deleted are taken out, its own rows are added, and they score as
they will after the commit.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..errors import CatalogError
from ..text import Corpus, Explanation, Query, rank, score_all
from ..text.query import Node
from .definitions import IndexDef, TableDef
from .index.fulltext import FullTextIndex
from .reader import Reader
from .table import NO_SLOT, IndexState, SlotArray, TableStore
from .view import View


@dataclass(frozen=True)
class TextHits:
    """Rows that answer a question, best first; ties by age, own rows last.

    Attributes
    ----------
    rows : int32 array of shape (n,)
        Hidden row ids; negative for rows that the transaction inserted.
    slots : int32 array of shape (n,)
        The committed version of each, ``NO_SLOT`` for what the transaction wrote.
    scores : float64 array of shape (n,)
        Their scores.
    bound : float
        What no score reaches: ``scores / bound`` lies between 0 and 1.
    explanations : list of Explanation
        How each score came about, if that was wanted.
    """

    rows: NDArray[np.int32]
    slots: SlotArray
    scores: NDArray[np.float64]
    bound: float
    explanations: list[Explanation] = field(default_factory=list)


class TextSearch:
    """A full-text index as one reader sees it, for one or more questions. Not to be kept across a write.

    Parameters
    ----------
    reader : Reader
        Who asks.
    table : TableDef
        The table, as the reader's catalogue has it.
    index : IndexDef
        The index.
    """

    def __init__(self, reader: Reader, table: TableDef, index: IndexDef) -> None:
        store = reader.stores[table.id]
        self._state = store.indexes[index.id]
        structure = self._state.structure
        if not isinstance(structure, FullTextIndex):
            raise CatalogError(f"index {index.name!r} of table {table.title!r} is not a full-text index")
        if reader.read_set is not None:
            reader.read_set.note_scan(table, None)
        self._store, self._view, self._index = store, reader.view, index
        self._structure = structure
        self._names = field_names(index)
        self._committed = corpus_of(store, self._state, structure, reader.view)
        self._first_own = len(self._committed.seen)
        self._own: list[int] = []
        self._corpus = self._committed
        writes = reader.writes.get(table.id)
        if writes:
            bases = writes.ended_slots()
            living = list(writes.living())
            self._own = [row for row, _ in living]
            texts = [structure.texts(self._state.key(values.__getitem__) or ()) for _, values in living]
            self._corpus = self._committed.with_documents(texts, self._state.entry.view[bases])

    @property
    def corpus(self) -> Corpus:
        """The documents: entries of the index, and behind them the rows that the transaction wrote."""
        return self._corpus

    def parse(self, text: str) -> Query:
        """Return what a question asks for; never raises."""
        return self._structure.parse(text, self._names)

    def rank(
        self,
        question: str | Query,
        k: int | None = None,
        *,
        slots: SlotArray | None = None,
        own: Collection[int] | None = None,
        explain: bool = False,
    ) -> TextHits:
        """Return the rows that answer a question best.

        Parameters
        ----------
        question : str or Query
            What is asked.
        k : int, optional
            How many rows at most.
        slots : int32 array, optional
            Slots of the committed rows that may be answers; all without it. Scores do not depend on it.
        own : collection of int, optional
            Row ids of the transaction's own rows that may be answers; all without it.
        explain : bool
            Whether explanations are wanted.
        """
        query = self.parse(question) if isinstance(question, str) else question
        candidates = None
        if slots is not None or own is not None:
            candidates = np.ones(len(self._corpus.seen), bool)
            if slots is not None:
                candidates[: self._first_own] = False
                candidates[self._state.entry.view[slots]] = True
            if own is not None:
                candidates[self._first_own :] = [row in own for row in self._own]
        found = rank(self._corpus, query, k, candidates, explain=explain)
        rows, slots_found = self._rows(found.entries)
        return TextHits(rows, slots_found, found.scores, found.bound, found.explanations)

    def scores(self, query: Query, slots: SlotArray) -> tuple[NDArray[np.float64], float]:
        """Return what committed rows score, shape (n,), 0 for no answer, and what no score reaches; they are not sorted."""
        found, bound = score_all(self._corpus, query)
        return found[self._state.entry.view[slots]], bound

    def matching(self, condition: Node) -> tuple[NDArray[np.int32], SlotArray]:
        """Return row ids and slots of the rows that satisfy a condition, a tree of zengram_py/text/query.py."""
        return self._rows(np.flatnonzero(self._corpus.matching(condition)).astype(np.int32))

    def _rows(self, entries: NDArray[np.int32]) -> tuple[NDArray[np.int32], SlotArray]:
        is_own = entries >= self._first_own
        committed = entries[~is_own]
        rows = np.empty(len(entries), np.int32)
        slots = np.full(len(entries), NO_SLOT, np.int32)
        rows[~is_own] = self._store.system["row"].view[committed]
        slots[~is_own] = self._store.slots_of_entries(self._view, self._index.id, committed)
        if is_own.any():
            rows[is_own] = np.array(self._own, np.int32)[entries[is_own] - self._first_own]
        return rows, slots


def field_names(index: IndexDef) -> list[str]:
    """Return the names by which a question calls the keys of an index: those of columns, ``""`` for expressions."""
    return [str(key[1]) if isinstance(key, list) and key[0] == "col" else "" for key in index.keys]


def corpus_of(store: TableStore, state: IndexState, structure: FullTextIndex, view: View) -> Corpus:
    """Return what a view sees of a full-text index, without anybody's uncommitted writes."""
    key = (store.epoch, store.visibility.state(view))
    found = structure.known_corpus(key)
    if found is None:
        seen = np.zeros(len(store), bool)
        seen[state.entry.view[store.slots(view)]] = True
        found = structure.corpus(seen, key)
    return found
