"""What durability.py measures of snapshots and the log; plain Python that runs in the page too.

Each function gives seconds, the median of some runs. Files, and the sqlite3 beside them, are durability.py's own.
"""

import gc
import statistics
import time
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from zengram_py.engine import INT64, TEXT, ColumnDef, Database, IndexDef, vector

ROWS = 100_000
DIMENSIONS = 384
SIZES = (1_000, 10_000, 100_000)
REPLAYED = 10_000
COMMITS = 500

Seconds = float


def median(run: Callable[[], Any], runs: int) -> Seconds:
    """Return the median time of a call; what it returns is dropped outside of the time."""
    found = []
    for _ in range(runs):
        gc.collect()
        begin = time.perf_counter()
        result = run()
        found.append(time.perf_counter() - begin)
        del result
    return statistics.median(found)


def filled(rows: int, dimensions: int = 0) -> Database:
    """Return a database with a table of facts."""
    db = Database.open()
    columns = [
        ColumnDef("id", INT64),
        ColumnDef("subject", TEXT),
        ColumnDef("content", TEXT),
        ColumnDef("n", INT64),
    ]
    indexes = [IndexDef("by_subject", "hash", (["col", "subject"],))]
    data: dict[str, Any] = {
        "id": np.arange(rows),
        "subject": [f"subject {i % 500}" for i in range(rows)],
        "content": [f"what is known about number {i}" for i in range(rows)],
        "n": np.zeros(rows, np.int64),
    }
    if dimensions:
        columns.append(ColumnDef("place", vector(dimensions)))
        indexes.append(IndexDef("near", "flat", (["col", "place"],)))
        data["place"] = np.random.default_rng(0).standard_normal((rows, dimensions), np.float32)
    db.create_table("fact", columns, primary_key=["id"], indexes=indexes)
    with db.begin() as t:
        t.insert_many("fact", data)
    return db


def measure_snapshot(runs: int, rows: int = ROWS) -> dict[str, Any]:
    """Measure export and restore of rows with vectors beside one copy and one CRC of the same bytes."""
    db = filled(rows, DIMENSIONS)
    first = median(db.export, 1)
    data = db.export()
    copy = bytearray(len(data))
    source, target = np.frombuffer(data, np.uint8), np.frombuffer(copy, np.uint8)
    return {
        "bytes": len(data),
        "copy": median(lambda: np.copyto(target, source), runs),
        "copy_new": median(lambda: bytearray(data), runs),
        "crc": median(lambda: zlib.crc32(data), runs),
        "first": first,
        "export": median(db.export, runs),
        "restore": median(lambda: Database.restore(data), runs),
    }


def measure_commits(commits: int = COMMITS) -> dict[int, dict[str, float]]:
    """Measure one-row commits with a log in tables of several sizes: seconds, and bytes of the record."""
    out = {}
    for rows in SIZES:
        db = filled(rows)
        log: list[bytes] = []
        db.on_commit = log.append
        found = {}
        for name in ("insert", "update"):
            times = []
            for i in range(commits):
                begin = time.perf_counter()
                with db.begin() as t:
                    if name == "insert":
                        t.insert("fact", {"id": 10**6 + i, "subject": "new", "content": "one more", "n": 0})
                    else:
                        t.update("fact", i, {"n": 10**6 + i})
                times.append(time.perf_counter() - begin)
            found[name] = statistics.median(times)
            found[f"{name}_bytes"] = len(log[-1])
        out[rows] = found
    return out


def measure_replay(runs: int, commits: int = REPLAYED) -> Seconds:
    """Measure the replay of one-row commits, two thirds of them new rows, one third updates."""
    db, log = Database.open(), []
    start = db.export()
    db.on_commit = log.append
    db.create_table(
        "fact",
        [
            ColumnDef("id", INT64),
            ColumnDef("subject", TEXT),
            ColumnDef("content", TEXT),
            ColumnDef("n", INT64),
        ],
        primary_key=["id"],
        indexes=[IndexDef("by_subject", "hash", (["col", "subject"],))],
    )
    for i in range(commits):
        with db.begin() as t:
            if i % 3 == 2:
                t.update("fact", i - 1, {"n": i})
            else:
                t.insert("fact", {"id": i, "subject": f"subject {i % 50}", "content": f"about {i}", "n": 0})

    def run() -> Database:
        copy = Database.restore(start)
        assert copy.replay(log).applied == commits + 1
        return copy

    return median(run, runs)


def measure_maintenance(rows: int = ROWS) -> dict[str, dict[str, float]]:
    """Measure the steps of ``maintain(8)`` that tidy indexes after bulk inserts, and that vacuum a third of the rows."""
    db = filled(1000, DIMENSIONS)
    rng = np.random.default_rng(1)
    for first in range(1000, rows, 9000):
        count = min(9000, rows - first)
        with db.begin() as t:
            t.insert_many(
                "fact",
                {
                    "id": np.arange(first, first + count),
                    "subject": [f"subject {i % 500}" for i in range(count)],
                    "content": [f"what is known about number {i}" for i in range(count)],
                    "n": np.arange(count) % 3,
                    "place": rng.standard_normal((count, DIMENSIONS), np.float32),
                },
            )
    out = {"merge index runs": _drive(db)}
    with db.begin() as t:
        t.delete_where("fact", ["=", ["col", "n"], ["lit", 1]])
    out["vacuum"] = _drive(db)
    return out


def _drive(db: Database) -> dict[str, float]:
    steps = []
    more = True
    while more:
        begin = time.perf_counter()
        more = db.maintain(8)
        steps.append(time.perf_counter() - begin)
    return {"steps": len(steps), "median": statistics.median(steps), "longest": max(steps)}


def measure_compression(rows: int = 10_000) -> dict[str, float]:
    """Measure what compressing a snapshot of texts and vectors buys and costs."""
    db = filled(rows, DIMENSIONS)
    plain, small = db.export(), db.export(compress=True)
    return {
        "plain_bytes": len(plain),
        "small_bytes": len(small),
        "vector_bytes": rows * DIMENSIONS * 4,
        "plain": median(db.export, 3),
        "small": median(lambda: db.export(compress=True), 3),
        "restore_plain": median(lambda: Database.restore(plain), 3),
        "restore_small": median(lambda: Database.restore(small), 3),
    }


def measure(runs: int) -> dict[str, Any]:
    """Measure all of it."""
    return {
        "snapshot": measure_snapshot(runs),
        "compression": measure_compression(),
        "commits": measure_commits(),
        "replay": measure_replay(runs),
        "maintenance": measure_maintenance(),
    }
