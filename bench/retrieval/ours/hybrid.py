"""Ours in the hybrid case, twice: the engine's two indexes joined by hand, and the memory's own recall.

By hand: the best of each index, each score as a share of the best one, added. The memory: ``recall_with_vector``, which also
looks at names, age and importance, and gives facts instead of numbers.
"""

import json
from typing import Any

from common import DIMENSIONS, K, matrix, timed, timed_queries
from words import COLUMNS, INDEX, columns_of

from zengram_py import ZengramMemory
from zengram_py.engine import ColumnDef, Database, IndexDef, vector
from zengram_py.engine.index.vectors import Candidates

EACH = 50


class Hybrid:
    """A table and a memory; row ``i`` has the document ``i`` and the vector ``i``."""

    def __init__(self, texts: str, questions: str, vectors: Any, queries: Any) -> None:
        self.documents = json.loads(texts)["documents"]
        self.vectors = matrix(vectors)
        self.asked = list(zip(json.loads(questions), matrix(queries), strict=True))
        self.db = Database.open()
        columns = [*COLUMNS, ColumnDef("v", vector(DIMENSIONS))]
        self.db.create_table("doc", columns, primary_key=["id"])

    def measure_build(self) -> float:
        return timed(self._build)[0]

    def _build(self) -> None:
        with self.db.begin() as t:
            t.insert_many("doc", columns_of(self.documents) | {"v": self.vectors})
        with self.db.begin() as t:
            t.create_index("doc", INDEX)
            t.create_index("doc", IndexDef("near", "hnsw", (["col", "v"],)))

    def _joined(self, asked: tuple[str, Any]) -> list[int]:
        question, query = asked
        words = self.db.begin(read_only=True).text_search("doc", "words").rank(question, EACH)
        entries, cosines = self.index.nearest(query, EACH, self.candidates)
        scores = dict(zip(entries.tolist(), (0.5 * cosines / max(cosines[0], 1e-9)).tolist(), strict=True))
        if len(words.scores):
            for row, score in zip(
                words.rows.tolist(), (0.5 * words.scores / words.scores[0]).tolist(), strict=True
            ):
                scores[row] = scores.get(row, 0.0) + score
        return sorted(scores, key=scores.__getitem__, reverse=True)[:K]

    def _recalled(self, asked: tuple[str, Any]) -> list[int]:
        hits = self.memory.recall_with_vector(asked[0], "/", asked[1], limit=K)
        return [self.numbers[hit.knowledge_id] for hit in hits]

    def measure_rest(self) -> str:
        seen = self.db.begin(read_only=True).seen("doc")
        self.index, self.candidates = seen.index("near").structure, Candidates(seen.column("v"))
        ways = {"engine, two indexes joined": timed_queries(self.asked, self._joined)}
        self.db.close()
        self.memory = ZengramMemory.open(DIMENSIONS)
        self.numbers = {}
        remember, _ = timed(self._remember)
        ways["memory, called from Python"] = timed_queries(self.asked, self._recalled)
        return json.dumps({"ways": ways, "remember": remember})

    def _remember(self) -> None:
        for number, (document, vector_) in enumerate(zip(self.documents, self.vectors, strict=True)):
            fact = self.memory.remember_with_vector(document["title"], document["text"], "/", vector_)
            self.numbers[fact] = number
        while self.memory.maintain(50):  # what a page does when it is idle
            pass
