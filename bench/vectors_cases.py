"""What bench/vectors.py measures, the same on CPython and inside Pyodide.

The vectors have 384 dimensions and 24 inner ones, as a text embedding roughly has: a Gaussian latent through a fixed
random map, a little noise, length 1. The queries are stored vectors with noise.
"""

import json
import sys
from collections.abc import Callable
from statistics import quantiles
from time import perf_counter
from typing import Any

import numpy as np

from zengram_py.engine import INT64, ColumnDef, Database, IndexDef, vector
from zengram_py.engine.column import HeapColumn
from zengram_py.engine.index import hnsw
from zengram_py.engine.index.flat import FlatIndex
from zengram_py.engine.index.hnsw import TAIL_LIMIT, HnswIndex
from zengram_py.engine.index.vectors import Candidates

DIMENSIONS = 384
INNER = 24
QUERIES = 200
K = 10
SHARES = (0.001, 0.01, 0.1, 0.3, 0.5, 0.9)
SWEEP = {"ef_search": (32, 40, 48, 64, 96, 128), "m": (12, 16, 20), "ef_construction": (24, 32, 48)}


def make(count: int, later: int = 0) -> tuple[Any, Any]:
    """Return vectors, shape (count + later, 384), and queries, shape (200, 384), near the first ``count``, both float32."""
    rng = np.random.default_rng(0)
    spread = rng.standard_normal((INNER, DIMENSIONS)) / np.sqrt(INNER)
    vectors = np.empty((count + later, DIMENSIONS), np.float32)
    for start in range(0, len(vectors), 5000):  # the page's memory does not shrink
        part = vectors[start : start + 5000]
        rows = rng.standard_normal((len(part), INNER)) @ spread
        rows += 0.05 * rng.standard_normal(rows.shape)
        part[:] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    queries = vectors[rng.choice(count, QUERIES)] + 0.02 * rng.standard_normal((QUERIES, DIMENSIONS))
    return vectors, queries.astype(np.float32)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = perf_counter()
    found = work()
    return perf_counter() - start, found


def searches(index: Any, queries: Any, candidates: Candidates) -> dict[str, Any]:
    """Return p50 and p95 in seconds, and what was found."""
    index.nearest(queries[0], K, candidates)
    times, found, measured = [], [], []
    for query in queries:
        seconds, (entries, _) = timed(lambda query=query: index.nearest(query, K, candidates))
        times.append(seconds)
        found.append(set(entries.tolist()))
        last = getattr(index, "last", None)
        measured.append(last.measured if last is not None else len(candidates))
    cuts = quantiles(times, n=20)
    return {"p50": cuts[9], "p95": cuts[18], "found": found, "measured": float(np.mean(measured))}


def recall(found: dict[str, Any], truth: dict[str, Any]) -> float:
    return float(
        np.mean([len(a & b) / len(b) for a, b in zip(found.pop("found"), truth["found"], strict=True)])
    )


def measure_size(count: int) -> dict[str, Any]:
    """Measure one table with an index of the default settings, and the scan beside it."""
    vectors, queries = make(count + TAIL_LIMIT)
    db = Database.open()
    db.create_table("t", [ColumnDef("id", INT64), ColumnDef("v", vector(DIMENSIONS))], primary_key=["id"])
    with db.begin() as t:
        t.insert_many("t", {"id": np.arange(count), "v": vectors[:count]})
    with db.begin() as t:
        build, _ = timed(lambda: t.create_index("t", IndexDef("near", "hnsw", (["col", "v"],))))
    seen = db.begin().seen("t")
    index, column = seen.index("near").structure, seen.column("v")
    assert isinstance(index, HnswIndex)
    assert isinstance(column, HeapColumn)
    out: dict[str, Any] = {"build": build}
    candidates, flat = Candidates(column), FlatIndex(column)
    scan = searches(flat, queries[: 50 if count > 10_000 else QUERIES], candidates)
    queries = queries[: len(scan["found"])]
    walk = searches(index, queries, candidates)
    out["recall"] = recall(walk, scan)
    out["walk"] = walk
    out["filters"] = []
    rng = np.random.default_rng(1)
    for share in SHARES if count > 1000 else ():
        entries = np.flatnonzero(rng.random(count) < share).astype(np.int32)
        prepare, some = timed(lambda entries=entries: Candidates(column, entries))
        some_scan, some_walk = searches(flat, queries[:50], some), searches(index, queries[:50], some)
        found = recall(some_walk, some_scan)
        del some_scan["found"]
        out["filters"].append(
            {"share": share, "walk": some_walk, "scan": some_scan, "recall": found, "prepare": prepare}
        )
    del scan["found"]
    out["scan"] = scan
    sections = index.save()
    out["index_bytes"] = sum(array.nbytes for array in sections.values())
    out["share_of_raw"] = out["index_bytes"] / vectors[:count].nbytes
    save, snapshot = timed(db.export)
    out["save"], out["snapshot_bytes"] = save, len(snapshot)
    restore, again = timed(lambda: Database.restore(snapshot))
    other = again.begin().seen("t").index("near").structure
    out["restore"] = restore
    out["load"], _ = timed(lambda: other.load(sections))
    first, _ = timed(lambda: other.nearest(queries[0], K))
    out["first_search"] = first
    again = other = snapshot = sections = None
    inserts = []
    for i in range(100):  # a commit of one row: it goes to the tail
        t = db.begin()
        t.insert("t", {"id": count + i, "v": vectors[count + i]})
        inserts.append(timed(t.commit)[0])
    out["insert"] = float(np.median(inserts))
    with db.begin() as t:
        t.insert_many("t", {"id": np.arange(count + 100, count + TAIL_LIMIT), "v": vectors[count + 100 :]})
    tail = searches(index, queries, Candidates(column))
    out["walk_with_tail"] = {"p50": tail["p50"], "p95": tail["p95"]}
    if index.graph is not None:
        steps = []
        while index.is_untidy:
            steps.append(timed(lambda: index.maintain(0.0))[0])
        out["link"] = float(np.median(steps))
        out["longest_step"] = max(steps)
    return out


def measure_sweep(count: int) -> list[dict[str, Any]]:
    """Vary one setting at a time."""
    vectors, queries = make(count)
    column = HeapColumn(vector(DIMENSIONS))
    column.extend(vectors)
    candidates = Candidates(column)
    truth = searches(FlatIndex(column), queries, candidates)
    rows = []
    built: dict[Any, Any] = {}
    for name, values in SWEEP.items():
        for value in values:
            index = HnswIndex(column, kind="hnsw", **{name: value})
            same = built.get(name) if name == "ef_search" else None
            if same is None:
                seconds, _ = timed(index.finish)
                built[name] = (seconds, index.graph)
            else:
                seconds, index.graph = same
            walk = searches(index, queries, candidates)
            rows.append(
                {"name": name, "value": value, "build": seconds, "recall": recall(walk, truth), "walk": walk}
            )
    return rows


def measure_steps(count: int) -> dict[str, float]:
    """Return how long the steps of a build are."""
    vectors, _ = make(count)
    column = HeapColumn(vector(DIMENSIONS))
    column.extend(vectors)
    index = HnswIndex(column, kind="hnsw")
    steps = []
    while index.is_untidy:
        steps.append(timed(lambda: index.maintain(0.0))[0])
    steps.sort()
    return {
        "count": len(steps),
        "p50": steps[len(steps) // 2],
        "p99": steps[-len(steps) // 100],
        "most": steps[-1],
    }


def measure(sizes: list[int], sweep: int, *, tell: Callable[[str], Any]) -> dict[str, Any]:
    """Return all figures; ``sweep`` is the number of vectors of the sweep, 0 for none."""
    out: dict[str, Any] = {"numpy": np.__version__, "python": sys.version.split()[0], "sizes": {}}
    for count in sizes:
        out["sizes"][str(count)] = measure_size(count)
        tell(f"{count:,} vectors")
    if sweep:
        out["sweep"] = measure_sweep(sweep)
        tell("sweep")
        out["steps"] = measure_steps(sweep)
        tell("steps")
    out["sweep_count"] = sweep
    out["defaults"] = {"m": hnsw.M, "ef_construction": hnsw.EF_CONSTRUCTION, "ef_search": hnsw.EF_SEARCH}
    return out


def measure_json(sizes: Any, sweep: int, tell: Callable[[str], Any]) -> str:
    """Return :func:`measure` as JSON, for the page."""
    return json.dumps(measure([int(size) for size in sizes], sweep, tell=tell))
