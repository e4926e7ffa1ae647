"""Our vector index in the vectors case: a table with a graph index, in Pyodide."""

import json
from typing import Any

import numpy as np
from common import DIMENSIONS, K, matrix, timed, timed_inserts, timed_queries

from zengram_py.engine import INT64, ColumnDef, Database, IndexDef, vector
from zengram_py.engine.index.vectors import Candidates

QUICKER = 40
"""Another ef_search: with it our recall is about hnswlib-wasm's at its 64."""


def make_table() -> Database:
    db = Database.open()
    db.create_table("t", [ColumnDef("id", INT64), ColumnDef("v", vector(DIMENSIONS))], primary_key=["id"])
    return db


def fill(db: Database, vectors: Any) -> float:
    """Put all vectors into the table and build the index; return the seconds of the index alone."""
    with db.begin() as t:
        t.insert_many("t", {"id": np.arange(len(vectors)), "v": vectors})
    with db.begin() as t:
        seconds, _ = timed(lambda: t.create_index("t", IndexDef("near", "hnsw", (["col", "v"],))))
    return seconds


class Vectors:
    """One table; row ``i`` has the vector ``i``."""

    def __init__(self, vectors: Any, later: Any, queries: Any) -> None:
        self.vectors, self.later, self.queries = matrix(vectors), matrix(later), matrix(queries)
        self.db = make_table()

    def measure_build(self) -> float:
        seconds, self.index_seconds = timed(lambda: fill(self.db, self.vectors))
        return seconds

    def _ask(self, query: Any) -> list[int]:
        found: list[int] = self.index.nearest(query, K, self.candidates)[0].tolist()
        return found

    def measure_rest(self) -> str:
        db, count = self.db, len(self.vectors)
        seen = db.begin(read_only=True).seen("t")
        self.index, self.candidates = seen.index("near").structure, Candidates(seen.column("v"))
        out: dict[str, Any] = {"index_seconds": self.index_seconds} | timed_queries(self.queries, self._ask)
        self.index._ef_search, usual = QUICKER, self.index._ef_search
        quicker = timed_queries(self.queries, self._ask)
        self.index._ef_search = usual
        out["quicker"] = {"ef": QUICKER, "p50": quicker["query"]["p50"], "found": quicker["found"]}
        index_bytes = sum(array.nbytes for array in self.index.save().values())
        out["share_of_raw"] = index_bytes / self.vectors.nbytes
        out["save"], snapshot = timed(db.export)
        out["bytes"] = len(snapshot)
        out["restore"], again = timed(lambda: Database.restore(snapshot))
        near = again.begin(read_only=True).seen("t").index("near").structure
        out["firstQuery"], _ = timed(lambda: near.nearest(self.queries[0], K))
        again = near = snapshot = None  # memory for what follows

        def insert(number: int) -> None:
            t = db.begin()
            t.insert("t", {"id": count + number, "v": self.later[number]})
            t.commit()

        out["insert"] = timed_inserts(len(self.later), insert)
        return json.dumps(out)
