"""What keeping a database costs: snapshots, the log, replay, and commits to the disk beside sqlite3.

    python3 bench/durability.py [--runs N] [--folder FOLDER]     on CPython
    python3 bench/durability.py --page [--runs N]                in headless Chromium, on dist/

What needs no files is in durability_cases.py, the same file for both. ``--folder`` is where the databases on the disk go;
use one on the disk that is to be measured. The tables are Markdown: docs/performance.md holds a copy.
"""

import argparse
import os
import platform
import shutil
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import in_page
from tables import table

in_page.prepare(page="--page" in sys.argv)  # goes on in the project's environment, where numpy is

import durability_cases as cases  # noqa: E402

from zengram_py.engine import INT64, TEXT, ColumnDef, Database  # noqa: E402

SNAPSHOT_GOAL = 1.5
FLAT_GOAL = 1.5
REPLAY_GOAL = 1.0
REPLAY_GOAL_IN_PAGE = 4.0
STEP_GOAL = 30
DISK_COMMITS = 1000


def zengram(folder: Path, fsync: str) -> Iterator[Callable[[int], None]]:
    db = Database.open_path(folder / f"zengram-{fsync}", fsync=fsync)
    db.create_table("t", [ColumnDef("k", INT64), ColumnDef("v", TEXT)], primary_key=["k"])

    def insert(k: int) -> None:
        with db.begin() as t:
            t.insert("t", {"k": k, "v": f"value {k}"})

    yield insert
    db.close()


def sqlite(folder: Path, synchronous: str) -> Iterator[Callable[[int], None]]:
    connection = sqlite3.connect(folder / f"sqlite-{synchronous}.db", isolation_level=None)
    connection.execute("pragma journal_mode = wal")
    connection.execute(f"pragma synchronous = {synchronous}")
    connection.execute("create table t (k integer primary key, v text)")

    def insert(k: int) -> None:
        connection.execute("begin")
        connection.execute("insert into t values (?, ?)", (k, f"value {k}"))
        connection.execute("commit")

    yield insert
    connection.close()


def bare(folder: Path) -> Iterator[Callable[[int], None]]:
    """Append as many bytes as a record has and sync: what the disk itself takes."""
    descriptor = os.open(folder / "bare", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def insert(_: int) -> None:
        os.write(descriptor, bytes(200))
        getattr(os, "fdatasync", os.fsync)(descriptor)

    yield insert
    os.close(descriptor)


PEERS: dict[str, Callable[[Path], Iterator[Callable[[int], None]]]] = {
    "open_path, fsync commit": lambda folder: zengram(folder, "commit"),
    "sqlite3, WAL, synchronous FULL": lambda folder: sqlite(folder, "full"),
    "200 bytes and fdatasync": bare,
    "open_path, fsync interval": lambda folder: zengram(folder, "interval"),
    "open_path, fsync never": lambda folder: zengram(folder, "never"),
    "sqlite3, WAL, synchronous NORMAL": lambda folder: sqlite(folder, "normal"),
}


def measure_disk(folder: Path, commits: int) -> dict[str, dict[str, float]]:
    """Measure one-row commits, in turns, so that all meet the disk in the same moods."""
    opened = {name: make(folder) for name, make in PEERS.items()}
    insert = {name: next(peer) for name, peer in opened.items()}
    times: dict[str, list[float]] = {name: [] for name in PEERS}
    for k in range(commits):
        for name, one in insert.items():
            begin = time.perf_counter()
            one(k)
            times[name].append(time.perf_counter() - begin)
    for peer in opened.values():
        next(peer, None)
    return {
        name: {"median": statistics.median(found), "late": statistics.quantiles(found, n=100)[98]}
        for name, found in times.items()
    }


# -- tables ------------------------------------------------------------------------------------------------------------


def show(seconds: float) -> str:
    if seconds >= 1e-3:
        return f"{seconds * 1e3:,.3g} ms"
    return f"{seconds * 1e6:,.3g} µs"


def verdict(value: float, goal: float, unit: str = "") -> str:
    return f"≤ {goal:g}{unit}: {'met' if value <= goal else '**missed**'}"


def report(result: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of all tables."""
    yield f"{result['place']}, {platform.machine()}, {os.cpu_count()} cores. Medians."
    yield ""
    found = result["snapshot"]
    base = found["copy_new"] + found["crc"]
    rows = [
        ["one copy into new memory", show(found["copy_new"]), ""],
        ["one copy into memory that is there", show(found["copy"]), ""],
        ["one CRC-32", show(found["crc"]), ""],
    ]
    for name, title in (("first", "first export"), ("export", "export"), ("restore", "restore")):
        ratio = found[name] / base
        rows.append([title, show(found[name]), f"{ratio:.2f} ({verdict(ratio, SNAPSHOT_GOAL)})"])
    head = f"{cases.ROWS:,} rows with {cases.DIMENSIONS} floats: {found['bytes'] / 1e6:.0f} MB"
    yield from table([head, "time", "times copy and CRC"], rows)
    rows = []
    for name in ("insert", "update"):
        first = None
        for size, measured in result["commits"].items():
            first = first or measured[name]
            ratio = measured[name] / first
            rows.append(
                [
                    f"{name} in {int(size):,} rows",
                    show(measured[name]),
                    f"{measured[f'{name}_bytes']:.0f}",
                    f"{ratio:.2f} ({verdict(ratio, FLAT_GOAL)})",
                ]
            )
    yield from table(
        ["a commit of one row, with a log", "time", "bytes of the record", "times the first"], rows
    )
    seconds = result["replay"]
    goal = REPLAY_GOAL_IN_PAGE if result["in_page"] else REPLAY_GOAL
    rows = [[f"{cases.REPLAYED:,} commits of one row", show(seconds), verdict(seconds, goal, " s")]]
    yield from table(["replay", "time", "goal"], rows)
    rows = [
        [
            name,
            f"{t['steps']:.0f}",
            show(t["median"]),
            f"{show(t['longest'])} ({verdict(t['longest'] * 1e3, STEP_GOAL, ' ms')})",
        ]
        for name, t in result["maintenance"].items()
    ]
    yield from table([f"maintain(8) over {cases.ROWS:,} rows", "steps", "median", "longest"], rows)
    c = result["compression"]
    rows = [
        ["as it is", f"{c['plain_bytes'] / 1e6:.2f} MB", show(c["plain"]), show(c["restore_plain"])],
        ["compressed", f"{c['small_bytes'] / 1e6:.2f} MB", show(c["small"]), show(c["restore_small"])],
        ["its vectors alone", f"{c['vector_bytes'] / 1e6:.2f} MB", "", ""],
    ]
    yield from table(["a snapshot of 10,000 rows", "size", "export", "restore"], rows)
    if "disk" in result:
        rows = [[name, show(t["median"]), show(t["late"])] for name, t in result["disk"].items()]
        yield from table(["a commit of one row to the disk", "median", "99 of 100 within"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--page", action="store_true", help="in headless Chromium rather than on CPython")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--folder", type=Path, default=None)
    options = parser.parse_args()
    if options.page:
        result = in_page.measure("python_page.html", module="durability_cases", runs=options.runs)
    else:
        result = cases.measure(options.runs) | {"place": f"CPython {platform.python_version()}"}
        folder = Path(tempfile.mkdtemp(dir=options.folder))
        try:
            result["disk"] = measure_disk(folder, DISK_COMMITS)
        finally:
            shutil.rmtree(folder)
    result["in_page"] = options.page
    print("\n".join(report(result)))


if __name__ == "__main__":
    main()
