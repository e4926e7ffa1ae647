"""The workloads of bench/engine.py: Zengram's engine and Python's sqlite3, on the same data.

Plain Python without anything of CPython or the browser, so that the same file runs in both. A *subject* (:class:`Engine`,
:class:`Sqlite`) has one method a workload; a call takes one sample and returns seconds for one operation. What a method
prepares is not timed, and garbage is collected before its clock starts. :func:`measure` takes the samples in turn, so
that a busy moment of the machine meets both, and keeps the median.

Both start from what suits them: the engine from arrays and lists by column, sqlite3 from a list of tuples, both ready.
The tables are alike: the same six columns, a primary key, and no other index unless the workload is about one.
"""

import gc
import json
import sqlite3
import sys
import time
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

import numpy as np

from zengram_py.engine import (
    BOOLEAN,
    FLOAT64,
    INT64,
    TEXT,
    ColumnDef,
    Database,
    IndexDef,
    vector,
)

ROWS = 50_000
KINDS = 10
COUNTER_ROWS = 20_000
DIMENSIONS = 384
SINGLE = 200
"""Operations in one sample of a workload that costs microseconds."""
STRETCH = 20
WARM_UP_SECONDS = 0.7
SCANS = 5
RANGE = 100
RANGES = range(0, ROWS, 1_000)
"""Where ranges begin."""
MERGED = 100
DEPTH = 10
FORK_ROWS = (1_000, 10_000, 100_000, 1_000_000)


@dataclass(frozen=True)
class Workload:
    """One line of the table.

    Attributes
    ----------
    title : str
        What it does.
    goal : float or None
        What the engine's time may be, as a multiple of sqlite3's; None where none was set.
    """

    title: str
    goal: float | None = None


WORKLOADS = {
    "insert_many": Workload("insert 50,000 rows of 6 columns, one transaction, numbers as arrays", 1.0),
    "insert_lists": Workload("the same, all columns as lists", 1.0),
    "aggregate": Workload("sum of a float where integer > x and text = y, 50,000 rows", 1 / 3),
    "get_new": Workload("read a row by key, a transaction for each", 10.0),
    "get_one": Workload("read a row by key, inside one transaction", 10.0),
    "insert_one": Workload("insert one row, a transaction for each", 10.0),
    "update_one": Workload("update one row, a transaction for each", 10.0),
    "range_scan": Workload("read 100 rows in order of an index"),
    "counter": Workload("add 1 to a counter of 20,000 rows with a text and 384 floats, one transaction"),
    "export": Workload("export 50,000 rows"),
    "export_again": Workload("export them again after one change"),
    "restore": Workload("restore them"),
    "restore_scan": Workload("restore them and sum as above"),
}

COLUMNS = ("id", "number", "score", "flag", "kind", "note")
WHERE = ["and", [">", ["col", "number"], ["lit", ROWS // 2]], ["=", ["col", "kind"], ["lit", "kind 3"]]]
SUM = "SELECT sum(score) FROM t WHERE number > ? AND kind = ?"
CREATE = (
    "CREATE TABLE t (id INTEGER PRIMARY KEY, number INTEGER, score REAL, flag INTEGER, kind TEXT, note TEXT)"
)


def make_columns(rows: int = ROWS) -> dict[str, Any]:
    """Return the data by columns: numbers as arrays, texts as lists."""
    random = np.random.default_rng(7)
    return {
        "id": np.arange(rows, dtype=np.int64),
        "number": random.permutation(rows).astype(np.int64),
        "score": random.random(rows),
        "flag": random.random(rows) < 0.5,
        "kind": [f"kind {i}" for i in random.integers(0, KINDS, rows).tolist()],
        "note": [f"note {i} on something that was said" for i in range(rows)],
    }


def make_rows(columns: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Return the same data as tuples, with 0 and 1 for what SQLite has no type for (quicker than adapting a bool)."""
    lists = as_lists(columns)
    lists["flag"] = list(map(int, lists["flag"]))
    return list(zip(*lists.values(), strict=True))


def as_lists(columns: dict[str, Any]) -> dict[str, list[Any]]:
    return {n: c.tolist() if isinstance(c, np.ndarray) else c for n, c in columns.items()}


#: Other programs share the machine: the processor time of this thread leaves them out. A page has only the time of day.
clock = time.perf_counter if sys.platform == "emscripten" else time.thread_time


def timed(work: Callable[[], Any], operations: int = 1) -> float:
    """Return seconds for one of the operations that a function does."""
    gc.collect()
    start = clock()
    work()
    return (clock() - start) / operations


def warm_up(sample: Callable[[], Any]) -> None:
    """Take samples that do not count: a browser compiles WebAssembly that runs often once more, and better."""
    until = time.perf_counter() + WARM_UP_SECONDS
    sample()
    while time.perf_counter() < until:
        sample()


def timed_each(work: Callable[[Any], Any], items: Sequence[Any]) -> float:
    """Return seconds for a call with one of many items: the median of short stretches, which are rarely interrupted."""
    gc.collect()
    seconds = []
    for first in range(0, len(items), STRETCH):
        stretch = items[first : first + STRETCH]
        start = clock()
        for item in stretch:
            work(item)
        seconds.append((clock() - start) / len(stretch))
    return median(seconds)


class Engine:
    """Zengram's engine."""

    def __init__(self, columns: dict[str, Any]) -> None:
        self.columns = columns
        self.lists = as_lists(columns)
        self.keys = np.random.default_rng(11).integers(0, ROWS, SINGLE).tolist()
        self.database = self.loaded()
        self.changing = self.loaded()
        self.indexed = self.loaded([IndexDef("by_number", "ordered", (["col", "number"],))])
        self.counters = self._counters()
        self.snapshot = self.database.export()
        self.next_key = ROWS

    def empty(self, indexes: Any = ()) -> Database:
        database = Database.open()
        types = (INT64, INT64, FLOAT64, BOOLEAN, TEXT, TEXT)
        columns = [ColumnDef(name, kind) for name, kind in zip(COLUMNS, types, strict=True)]
        database.create_table("t", columns, primary_key=["id"], indexes=indexes)
        return database

    def loaded(self, indexes: Any = ()) -> Database:
        database = self.empty(indexes)
        with database.begin() as transaction:
            transaction.insert_many("t", self.columns)
        return database

    def _counters(self) -> Database:
        database = Database.open()
        columns = [ColumnDef("id", INT64), ColumnDef("text", TEXT), ColumnDef("count", INT64)]
        database.create_table("m", [*columns, ColumnDef("v", vector(DIMENSIONS))], primary_key=["id"])
        ids = np.arange(COUNTER_ROWS)
        values: dict[str, Any] = {
            "id": ids,
            "text": [f"text {i}" for i in ids.tolist()],
            "count": np.zeros(len(ids), np.int64),
        }
        values["v"] = np.random.default_rng(5).random((len(ids), DIMENSIONS), np.float32)
        with database.begin() as transaction:
            transaction.insert_many("m", values)
        return database

    def insert_many(self) -> float:
        return self._insert(self.columns)

    def insert_lists(self) -> float:
        return self._insert(self.lists)

    def _insert(self, columns: Any) -> float:
        database = self.empty()

        def work() -> None:
            with database.begin() as transaction:
                transaction.insert_many("t", columns)

        return timed(work)

    @staticmethod
    def total(database: Database, branch: str = "main") -> float:
        with database.begin(branch=branch, read_only=True) as transaction:
            return float(np.sum(transaction.read("t", ["score"], where=WHERE)["score"]))

    def aggregate(self) -> float:
        return timed(lambda: [self.total(self.database) for _ in range(SCANS)], SCANS)

    def get_new(self) -> float:
        def work(key: int) -> None:
            with self.database.begin(read_only=True) as transaction:
                transaction.get("t", key)

        return timed_each(work, self.keys)

    def get_one(self) -> float:
        return self.gets(self.database, "main")

    def gets(self, database: Database, branch: str) -> float:
        with database.begin(branch=branch, read_only=True) as transaction:
            return timed_each(lambda key: transaction.get("t", key), self.keys)

    def insert_one(self) -> float:
        first = self.next_key
        self.next_key += SINGLE

        def work(key: int) -> None:
            with self.changing.begin() as transaction:
                row = {
                    "id": key,
                    "number": key,
                    "score": 0.5,
                    "flag": True,
                    "kind": "kind 1",
                    "note": "a note",
                }
                transaction.insert("t", row)

        return timed_each(work, range(first, first + SINGLE))

    def update_one(self) -> float:
        def work(key: int) -> None:
            with self.changing.begin() as transaction:
                transaction.update("t", key, {"score": key + 0.5})

        return timed_each(work, self.keys)

    def range_scan(self) -> float:
        with self.indexed.begin(read_only=True) as transaction:

            def work(low: int) -> None:
                found = list(transaction.range("t", "by_number", low, low + RANGE, high_inclusive=False))
                assert len(found) == RANGE

            return timed_each(work, RANGES)

    def counter(self) -> float:
        def work() -> None:
            with self.counters.begin() as transaction:
                transaction.update_where("m", None, {"count": {"expr": ["+", ["col", "count"], ["lit", 1]]}})

        return timed(work)

    def export(self) -> float:
        return timed(self.loaded().export)

    def export_again(self) -> float:
        database = self.loaded()
        database.export()
        with database.begin() as transaction:
            transaction.update("t", 7, {"note": "changed"})
        return timed(database.export)

    def restore(self) -> float:
        return timed(lambda: Database.restore(self.snapshot))

    def restore_scan(self) -> float:
        return timed(lambda: self.total(Database.restore(self.snapshot)))


class Sqlite:
    """Python's sqlite3, in memory. Without BEGIN, each statement is a transaction of its own."""

    def __init__(self, columns: dict[str, Any]) -> None:
        self.rows = make_rows(columns)
        self.keys = np.random.default_rng(11).integers(0, ROWS, SINGLE).tolist()
        self.database = self.loaded()
        self.changing = self.loaded()
        self.indexed = self.loaded()
        self.indexed.execute("CREATE INDEX by_number ON t (number)")
        self.counters = self._counters()
        self.snapshot = self.database.serialize()
        self.next_key = ROWS

    @staticmethod
    def empty() -> sqlite3.Connection:
        connection = sqlite3.connect(":memory:", isolation_level=None)
        connection.execute(CREATE)
        return connection

    def loaded(self) -> sqlite3.Connection:
        connection = self.empty()
        self._fill(connection)
        return connection

    def _fill(self, connection: sqlite3.Connection) -> None:
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", self.rows)
        connection.execute("COMMIT")

    def _counters(self) -> sqlite3.Connection:
        connection = sqlite3.connect(":memory:", isolation_level=None)
        connection.execute("CREATE TABLE m (id INTEGER PRIMARY KEY, text TEXT, count INTEGER, v BLOB)")
        vectors = np.random.default_rng(5).random((COUNTER_ROWS, DIMENSIONS), np.float32)
        connection.execute("BEGIN")
        rows = ((i, f"text {i}", 0, v.tobytes()) for i, v in enumerate(vectors))
        connection.executemany("INSERT INTO m VALUES (?, ?, ?, ?)", rows)
        connection.execute("COMMIT")
        return connection

    def insert_many(self) -> float:
        connection = self.empty()
        return timed(lambda: self._fill(connection))

    insert_lists = insert_many

    @staticmethod
    def total(connection: sqlite3.Connection) -> float:
        found: float = connection.execute(SUM, (ROWS // 2, "kind 3")).fetchone()[0]
        return found

    def aggregate(self) -> float:
        return timed(lambda: [self.total(self.database) for _ in range(SCANS)], SCANS)

    def get_new(self) -> float:
        def work(key: int) -> None:
            self.database.execute("SELECT * FROM t WHERE id = ?", (key,)).fetchone()

        return timed_each(work, self.keys)

    def get_one(self) -> float:
        self.database.execute("BEGIN")
        seconds = self.get_new()
        self.database.execute("COMMIT")
        return seconds

    def insert_one(self) -> float:
        first = self.next_key
        self.next_key += SINGLE

        def work(key: int) -> None:
            row = (key, key, 0.5, 1, "kind 1", "a note")
            self.changing.execute("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", row)

        return timed_each(work, range(first, first + SINGLE))

    def update_one(self) -> float:
        def work(key: int) -> None:
            self.changing.execute("UPDATE t SET score = ? WHERE id = ?", (key + 0.5, key))

        return timed_each(work, self.keys)

    def range_scan(self) -> float:
        query = "SELECT * FROM t WHERE number >= ? AND number < ? ORDER BY number"

        def work(low: int) -> None:
            assert len(self.indexed.execute(query, (low, low + RANGE)).fetchall()) == RANGE

        return timed_each(work, RANGES)

    def counter(self) -> float:
        return timed(lambda: self.counters.execute("UPDATE m SET count = count + 1"))

    def export(self) -> float:
        return timed(self.database.serialize)

    export_again = export

    def _restored(self) -> sqlite3.Connection:
        connection = sqlite3.connect(":memory:", isolation_level=None)
        connection.deserialize(self.snapshot)
        return connection

    def restore(self) -> float:
        return timed(self._restored)

    def restore_scan(self) -> float:
        return timed(lambda: self.total(self._restored()))


# -- branches ----------------------------------------------------------------------------------------------------------


def fork_times(rows: int, runs: int) -> dict[str, float]:
    """Return seconds for a fork of a database with a table of so many rows, and for a copy of sqlite3's."""
    database = Database.open()
    database.create_table("t", [ColumnDef("id", INT64), ColumnDef("number", INT64)], primary_key=["id"])
    with database.begin() as transaction:
        transaction.insert_many("t", {"id": np.arange(rows), "number": np.arange(rows)})
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, number INTEGER)")
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO t VALUES (?, ?)", zip(range(rows), range(rows), strict=True))
    connection.execute("COMMIT")
    forks, copies = [], []
    for run in range(2 * runs):
        names = [f"fork {run} {i}" for i in range(20)]
        forks.append(timed_each(database.fork, names))
        for name in names:
            database.discard(name)
        with sqlite3.connect(":memory:") as target:
            copies.append(timed(partial(connection.backup, target)))
        target.close()
    return {"engine": median(forks[runs:]), "sqlite": median(copies[runs:])}


def deep_times(engine: Engine, runs: int, changed: int) -> dict[str, dict[str, float]]:
    """Return seconds on main and on a branch ten forks deep, each level of which changed so many rows."""
    database = engine.loaded()
    for level in range(DEPTH):
        database.fork(f"deep {level}", parent=f"deep {level - 1}" if level else "main")
        with database.begin(branch=f"deep {level}") as transaction:
            for i in range(changed):
                transaction.update("t", level * 1000 + i, {"score": 0.25})
    (store,) = database.stores.values()

    def first_scan(branch: str) -> float:
        store.visibility.forget_masks()
        return timed(lambda: engine.total(database, branch))

    def scan(branch: str) -> float:
        engine.total(database, branch)
        return timed(lambda: [engine.total(database, branch) for _ in range(SCANS)], SCANS)

    def gets(branch: str) -> float:
        return engine.gets(database, branch)

    out: dict[str, dict[str, float]] = {}
    for name, take in (("first_scan", first_scan), ("scan", scan), ("get", gets)):
        samples: dict[str, list[float]] = {"main": [], "deep": []}
        for where in ("main", f"deep {DEPTH - 1}"):
            warm_up(partial(take, where))
        for _ in range(2 * runs):
            samples["main"].append(take("main"))
            samples["deep"].append(take(f"deep {DEPTH - 1}"))
        out[name] = {where: median(found) for where, found in samples.items()}
    return out


def merge_times(engine: Engine, runs: int) -> dict[str, float]:
    """Return seconds for diff and merge of a branch that changed 100 rows of 50,000, as main did."""
    database = engine.loaded()
    diffs, merges = [], []
    for run in range(2 * runs):
        name = f"work {run}"
        database.fork(name)
        for branch, shift in ((name, 0), ("main", ROWS // 2)):
            with database.begin(branch=branch) as transaction:
                for i in range(MERGED):
                    transaction.update("t", shift + run * MERGED + i, {"score": float(run)})
        diffs.append(timed(partial(database.diff, name)))
        merges.append(timed(partial(database.merge, name)))
        database.discard(name)
    return {"diff": median(diffs[runs:]), "merge": median(merges[runs:])}


# -- memory ------------------------------------------------------------------------------------------------------------


def memory(engine: Engine, sqlite: Sqlite) -> dict[str, float]:
    """Return bytes for a row: allocated for it, in the snapshot, in sqlite3's pages, and added by a counter's update."""
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    database = engine.empty()
    with database.begin() as transaction:
        transaction.insert_many("t", make_columns())
    gc.collect()
    allocated = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    pages = sqlite.database.execute("PRAGMA page_count").fetchone()[0]
    page_size = sqlite.database.execute("PRAGMA page_size").fetchone()[0]
    grown = -_held(engine.counters)
    engine.counter()
    grown += _held(engine.counters)
    return {
        "allocated": allocated / ROWS,
        "held": _held(database) / ROWS,
        "snapshot": len(engine.snapshot) / ROWS,
        "sqlite": pages * page_size / ROWS,
        "counter": grown / COUNTER_ROWS,
    }


def _held(database: Database) -> int:
    sizes = database.size()
    return sum(n for parts in sizes.values() for part, n in parts.items() if part != "masks")


# -- everything --------------------------------------------------------------------------------------------------------


def measure(
    runs: int, fork_rows: tuple[int, ...] = FORK_ROWS, tell: Callable[[str], Any] = lambda _: None
) -> dict[str, Any]:
    """Return medians of everything, as plain data."""
    columns = make_columns()
    engine, sqlite = Engine(columns), Sqlite(columns)
    assert abs(engine.total(engine.database) - Sqlite.total(sqlite.database)) < 1e-6
    times: dict[str, dict[str, float]] = {}
    for name in WORKLOADS:
        samples: dict[str, list[float]] = {"engine": [], "sqlite": []}
        for subject in (engine, sqlite):
            warm_up(getattr(subject, name))
        for _ in range(runs):
            samples["engine"].append(getattr(engine, name)())
            samples["sqlite"].append(getattr(sqlite, name)())
        times[name] = {subject: median(found) for subject, found in samples.items()}
        tell(name)
    result: dict[str, Any] = {
        "python": sys.version.split()[0],
        "numpy": np.__version__,
        "sqlite": sqlite3.sqlite_version,
        "times": times,
        "memory": memory(engine, sqlite),
    }
    tell("memory")
    result["deep"] = {str(changed): deep_times(engine, runs, changed) for changed in (0, 10)}
    result["merge"] = merge_times(engine, runs)
    tell("branches")
    del engine, sqlite
    result["forks"] = {}
    for rows in fork_rows:
        result["forks"][str(rows)] = fork_times(rows, runs)
        tell(f"fork of {rows}")
    return result


def measure_json(runs: int, tell: Callable[[str], Any]) -> str:
    """Return :func:`measure` as JSON, for the page."""
    return json.dumps(measure(runs, tell=tell))
