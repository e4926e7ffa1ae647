"""The workloads of bench/sql.py: SQL on Zengram and on Python's sqlite3, the same statements on the same data.

Plain Python without anything of CPython or the browser, so that the same file runs in both; sql_page.js runs the same statements on PGlite.
Both answer with all rows as Python tuples. Samples are taken in turn, so that a busy moment of the machine meets both, and the median
is kept. The first answers are compared.
"""

import gc
import json
import sqlite3
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

import numpy as np

ROWS = 100_000
CUSTOMERS = 10_000
KINDS = 20
SINGLE = 100
"""Operations in one sample of a statement that costs microseconds."""
WARM_UP_SECONDS = 0.5

TABLES = [
    "CREATE TABLE customer (id INTEGER PRIMARY KEY, region TEXT, credit INTEGER)",
    "CREATE TABLE sale (id INTEGER PRIMARY KEY, customer INTEGER, number INTEGER, score DOUBLE PRECISION, kind TEXT, note TEXT)",
    "CREATE TABLE changing (id INTEGER PRIMARY KEY, number INTEGER, note TEXT)",
]


@dataclass(frozen=True)
class Workload:
    """One line of the table.

    Attributes
    ----------
    title : str
        What it does.
    sql : str
        The statement, with $1, $2, …
    goal : float or None
        What its time may be, as a multiple of sqlite3's; None where none was set.
    single : bool
        Whether it is run many times in a sample, each time with another key as $1.
    """

    title: str
    sql: str
    goal: float | None = None
    single: bool = False


WORKLOADS = {
    "point": Workload("a row by its key", "SELECT id, number, kind FROM sale WHERE id = $1", 10.0, True),
    "filter": Workload(
        "filter: count and sum where number > x and kind = y",
        "SELECT count(*), sum(score) FROM sale WHERE number > 50000 AND kind = 'kind 3'",
        1.0,
    ),
    "scan": Workload(
        "scan: rows where a float < x (1 %)", "SELECT id, score FROM sale WHERE score < 0.01", 1.0
    ),
    "like": Workload("like '%99%' over texts", "SELECT count(*) FROM sale WHERE note LIKE '%99%'", 1.0),
    "group_text": Workload(
        "group by a text: count, sum, avg, min, max",
        "SELECT kind, count(*), sum(number), avg(score), min(score), max(number) FROM sale GROUP BY kind ORDER BY kind",
        1.0,
    ),
    "group_number": Workload(
        "group by an integer of 10,000 values: count, sum",
        "SELECT customer, count(*), sum(number) FROM sale GROUP BY customer ORDER BY customer LIMIT 10",
        1.0,
    ),
    "distinct": Workload("count(distinct integer)", "SELECT count(DISTINCT customer) FROM sale", 1.0),
    "join": Workload(
        "hash join with 10,000 rows, filtered",
        "SELECT count(*), sum(s.score) FROM sale s JOIN customer c ON c.id = s.customer WHERE c.credit > 500",
        1.0,
    ),
    "join_group": Workload(
        "hash join and group by",
        "SELECT c.region, count(*), sum(s.number) FROM sale s JOIN customer c ON c.id = s.customer GROUP BY c.region ORDER BY 1",
        1.0,
    ),
    "semi": Workload(
        "in (select …)",
        "SELECT count(*) FROM sale WHERE customer IN (SELECT id FROM customer WHERE credit < 100)",
        1.0,
    ),
    "correlated": Workload(
        "a correlated count for 100 rows",
        "SELECT count(*) FROM customer c WHERE c.id < 100 AND (SELECT count(*) FROM sale s WHERE s.customer = c.id AND s.number > 90000) > 2",
    ),
    "topk": Workload("top 10 by a float", "SELECT id, score FROM sale ORDER BY score DESC LIMIT 10", 3.0),
    "topk_two": Workload(
        "top 10 by a text and an integer", "SELECT id FROM sale ORDER BY kind, number DESC LIMIT 10", 3.0
    ),
    "window_rank": Workload(
        "row_number() in partitions",
        "SELECT sum(r) FROM (SELECT row_number() OVER (PARTITION BY kind ORDER BY number) AS r FROM sale) x",
        3.0,
    ),
    "window_sum": Workload(
        "running sum in partitions",
        "SELECT max(r) FROM (SELECT sum(number) OVER (PARTITION BY kind ORDER BY id) AS r FROM sale) x",
        3.0,
    ),
    "sort": Workload(
        "sort 100,000 rows by a float and give them all", "SELECT id, score FROM sale ORDER BY score", None
    ),
    "recursive": Workload(
        "recursive query of 1,000 rounds",
        "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 1000) SELECT max(i) FROM r",
    ),
    "insert": Workload(
        "insert a row, a transaction for each", "INSERT INTO changing VALUES ($1, 7, 'a note')", None, True
    ),
    "update": Workload(
        "update a row by its key, a transaction for each",
        "UPDATE changing SET number = number + 1 WHERE id = $1",
        None,
        True,
    ),
}


def make_tables() -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of the tables."""
    random = np.random.default_rng(11)
    customer = zip(
        range(CUSTOMERS),
        [f"region {i}" for i in random.integers(0, 50, CUSTOMERS).tolist()],
        random.integers(0, 1000, CUSTOMERS).tolist(),
        strict=True,
    )
    sale = zip(
        range(ROWS),
        random.integers(0, CUSTOMERS, ROWS).tolist(),
        random.permutation(ROWS).tolist(),
        random.random(ROWS).tolist(),
        [f"kind {i}" for i in random.integers(0, KINDS, ROWS).tolist()],
        [f"note {i} on what was said" for i in random.permutation(ROWS).tolist()],
        strict=True,
    )
    return {"customer": list(customer), "sale": list(sale), "changing": [(i, i, "old") for i in range(1000)]}


class Zengram:
    """Our SQL."""

    def __init__(self, tables: dict[str, list[tuple[Any, ...]]]) -> None:
        from zengram_py.engine import Database
        from zengram_py.sql.session import Session

        database = Database.open()
        self.session = Session(database)
        for statement in TABLES:
            self.session.run(statement)
        for name, rows in tables.items():
            with database.begin() as transaction:
                columns = transaction.reader.catalog.table(name).columns
                parts = zip(*rows, strict=True)
                transaction.insert_many(name, {c.name: list(p) for c, p in zip(columns, parts, strict=True)})

    def run(self, sql: str, parameters: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = self.session.run(sql, parameters).rows
        return rows


class Sqlite:
    """Python's sqlite3, in memory."""

    def __init__(self, tables: dict[str, list[tuple[Any, ...]]]) -> None:
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        for statement in TABLES:
            self.connection.execute(statement)
        for name, rows in tables.items():
            marks = ", ".join("?" * len(rows[0]))
            self.connection.execute("BEGIN")
            self.connection.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
            self.connection.execute("COMMIT")
        self.connection.execute("ANALYZE")

    def run(self, sql: str, parameters: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        return self.connection.execute(sql.replace("$1", "?"), parameters).fetchall()


clock = time.perf_counter if sys.platform == "emscripten" else time.thread_time


def sample(subject: Any, name: str, workload: Workload, keys: list[int]) -> float:
    """Return seconds for one operation."""
    gc.collect()
    if not workload.single:
        start = clock()
        subject.run(workload.sql)
        return clock() - start
    start = clock()
    for key in keys:
        subject.run(workload.sql, (key,))
    return (clock() - start) / len(keys)


def keys_for(name: str, number: int) -> list[int]:
    """Return the keys of one sample."""
    if name == "insert":
        return list(range(10_000 + number * SINGLE, 10_000 + (number + 1) * SINGLE))
    return [(i * 48_271 + number) % (1000 if name == "update" else ROWS) for i in range(SINGLE)]


def alike(one: list[tuple[Any, ...]], other: list[tuple[Any, ...]]) -> bool:
    """Return whether two answers are the same up to the last digits of floats."""
    if len(one) != len(other):
        return False
    for a, b in zip(one, other, strict=True):
        for x, y in zip(a, b, strict=True):
            same = (
                abs(float(x) - float(y)) <= 1e-9 * max(1.0, abs(float(y)))
                if not isinstance(y, str)
                else x == y
            )
            if not same:
                return False
    return True


def measure(runs: int, tell: Callable[[str], Any]) -> dict[str, Any]:
    """Return the medians, in seconds, by workload and subject."""
    started = time.perf_counter()
    tables = make_tables()
    subjects = {"zengram": Zengram(tables), "sqlite": Sqlite(tables)}
    tell(f"tables after {time.perf_counter() - started:.1f} s")
    times: dict[str, dict[str, float]] = {}
    number = 0
    for name, workload in WORKLOADS.items():
        if not workload.single and not alike(*(s.run(workload.sql) for s in subjects.values())):
            raise AssertionError(f"{name}: the answers differ")
        samples: dict[str, list[float]] = {subject: [] for subject in subjects}
        for subject in subjects.values():
            until = time.perf_counter() + WARM_UP_SECONDS
            while time.perf_counter() < until:
                sample(subject, name, workload, keys_for(name, number))
                number += 1
        for _ in range(runs):
            for title, subject in subjects.items():
                samples[title].append(sample(subject, name, workload, keys_for(name, number)))
            number += 1
        times[name] = {title: median(found) for title, found in samples.items()}
        tell(name)
    return {
        "times": times,
        "python": sys.version.split()[0],
        "numpy": np.__version__,
        "sqlite": sqlite3.sqlite_version,
    }


def measure_json(runs: int, tell: Callable[[str], Any]) -> str:
    """Return :func:`measure` as JSON, with what the page needs to ask PGlite the same."""
    found = measure(runs, tell)
    found["workloads"] = {name: asdict(w) for name, w in WORKLOADS.items()}
    return json.dumps(found)


def csv_of(name: str) -> str:
    """Return a table as text for COPY."""
    return "\n".join(",".join(map(str, row)) for row in make_tables()[name])


def first_use() -> str:
    """Return what the first use of SQL takes after the engine is there, in milliseconds, as JSON: importing it, the first statements."""
    from zengram_py.engine import Database

    database = Database.open()
    start = time.perf_counter()
    from zengram_py.sql.session import Session

    session = Session(database)
    imported = time.perf_counter()
    session.run("SELECT 1 + 1")
    selected = time.perf_counter()
    session.run("CREATE TABLE t (id INTEGER PRIMARY KEY, note TEXT)")
    session.run("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    session.run("SELECT count(*) FROM t WHERE id > 1")
    done = time.perf_counter()
    parts = {
        "import": imported - start,
        "first select": selected - imported,
        "table, insert, count": done - selected,
    }
    return json.dumps({name: seconds * 1000 for name, seconds in parts.items()})
