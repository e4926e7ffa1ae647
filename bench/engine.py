"""How fast the engine is, beside sqlite3 and, in the page, PGlite.

    python3 bench/engine.py [--runs N]           on CPython
    python3 bench/engine.py --page [--runs N]    in headless Chromium, on dist/

The workloads are in engine_cases.py, the same file for both; engine_page.js has them in SQL for PGlite, which is used as
its documentation says: prepared queries, COPY for bulk, transactions by callback. sqlite3 is Python's module, in memory,
in the page the one inside Pyodide. Times are medians of the runs, as multiples of the peer's: 0.5 is twice as fast. A goal
is an upper bound for that multiple. The tables are Markdown: docs/performance.md holds a copy.
"""

import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import in_page
from tables import table

DEEP_GOAL = 1.5
FLAT_GOAL = 2.0
DEEP = {
    "first_scan": "first scan (no mask of the rows yet)",
    "scan": "further scans",
    "get": "read a row by key",
}

Result = dict[str, Any]


def measure_page(runs: int) -> Result:
    return in_page.measure("engine_page.html", runs=runs) | {"pglite": in_page.pglite_version()}


def measure_here(runs: int) -> Result:
    import engine_cases

    result = engine_cases.measure(runs, tell=lambda name: print(name, "done", file=sys.stderr))
    return result | {"place": f"CPython {result['python']}"}


# -- tables ------------------------------------------------------------------------------------------------------------


def show(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    for factor, unit in ((1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 1 or unit == "µs":
            value = seconds * factor
            return f"{value:,.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"
    return ""


def times(one: float, other: float | None) -> str:
    return "-" if other is None else f"{one / other:.2f}" if one / other < 10 else f"{one / other:.0f}"


def verdict(ratio: float, goal: float | None) -> str:
    if goal is None:
        return ""
    return f"≤ {goal:.3g}: met" if ratio <= goal else f"≤ {goal:.3g}: **missed**"


def report(result: Result) -> Iterator[str]:
    """Yield the lines of all tables."""
    import engine_cases

    yield describe(result)
    yield ""
    in_page = "pglite" in result
    rows = []
    for name, workload in engine_cases.WORKLOADS.items():
        found = result["times"][name]
        ours, sqlite, pglite = (found.get(peer) for peer in ("engine", "sqlite", "pglite"))
        row = [workload.title, show(ours), show(sqlite)]
        row += [show(pglite)] if in_page else []
        row += [times(ours, sqlite)]
        row += [times(ours, pglite)] if in_page else []
        rows.append([*row, verdict(ours / sqlite, workload.goal)])
    heads = ["one operation", "Zengram", "sqlite3", *(["PGlite"] if in_page else []), "times sqlite3"]
    yield from table([*heads, *(["times PGlite"] if in_page else []), "goal, of sqlite3"], rows)
    yield from branches(result)
    memory = result["memory"]
    rows = [
        ["allocated for it in all, with Python's objects (tracemalloc)", memory["allocated"]],
        ["held in arrays and heaps, as `Database.size` counts", memory["held"]],
        ["in the snapshot", memory["snapshot"]],
        ["in sqlite3's pages", memory["sqlite"]],
        *([["in PGlite's table and index", memory["pglite"]]] if in_page else []),
        ["added when a counter beside a text and 384 floats (1,536 bytes) changes", memory["counter"]],
    ]
    yield from table(["a row, 50,000 of 6 columns", "bytes"], [[name, f"{n:,.0f}"] for name, n in rows])


def branches(result: Result) -> Iterator[str]:
    forks = result["forks"]
    first = next(iter(forks.values()))["engine"]
    rows = []
    for count, found in forks.items():
        ratio = found["engine"] / first
        goal = "" if found["engine"] == first else verdict(ratio, FLAT_GOAL)
        rows.append([f"{int(count):,}", show(found["engine"]), f"{ratio:.2f}", goal, show(found["sqlite"])])
    heads = ["rows", "fork", "times the first", "goal: flat", "sqlite3: copy by `backup`"]
    yield from table(heads, rows)
    rows = []
    for changed, found in result["deep"].items():
        for name, title in DEEP.items():
            main, deep = found[name]["main"], found[name]["deep"]
            limit = None if name == "scan" else DEEP_GOAL
            where = (
                f"{title}; each fork changed {changed} rows" if int(changed) else f"{title}; nothing changed"
            )
            rows.append([where, show(main), show(deep), times(deep, main), verdict(deep / main, limit)])
    yield from table(["50,000 rows", "main", "10 forks deep", "times main", "goal"], rows)
    merge = result["merge"]
    rows = [
        ["diff of a branch with its fork point", show(merge["diff"])],
        ["merge of it into main", show(merge["merge"])],
    ]
    yield from table(["100 rows of 50,000 changed on the branch, 100 others on main", "time"], rows)


def describe(result: Result) -> str:
    peers = f"numpy {result['numpy']}, SQLite {result['sqlite']}"
    if "pglite" in result:
        peers += f", PGlite {result['pglite']}"
    load = f", load average {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"{result['place']}; {peers}; {processor()}, {os.cpu_count()} cores{load}; medians of {result['runs']} runs."


def processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.is_file():
        names = [
            line.partition(":")[2].strip() for line in info.read_text().splitlines() if "model name" in line
        ]
        if names:
            return names[0]
    return platform.processor() or platform.machine()


if __name__ == "__main__":
    sys.exit(
        in_page.main(
            "Measure the engine beside its peers; prints Markdown tables.", measure_here, measure_page, report
        )
    )
