"""How fast SQL is, beside sqlite3 and, in the page, PGlite.

    python3 bench/sql.py [--runs N]           on CPython
    python3 bench/sql.py --page [--runs N]    in headless Chromium, on dist/

The statements and the data are in sql_cases.py, the same file for both and for PGlite (sql_page.js). Every statement is run with a cached plan,
and all rows are fetched. Times are medians of the runs, as multiples of the peer's: 0.5 is twice as fast. A goal is an upper bound for the multiple
of sqlite3's. The tables are Markdown: docs/performance.md holds a copy.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import in_page
from engine import processor, show, times, verdict
from tables import table

Result = dict[str, Any]
FIRST_GOAL_MS = 400


def measure_page(runs: int) -> Result:
    return in_page.measure("sql_page.html", runs=runs) | {"pglite": in_page.pglite_version()}


def measure_here(runs: int) -> Result:
    import sql_cases

    result = sql_cases.measure(runs, tell=lambda name: print(name, "done", file=sys.stderr))
    return result | {"place": f"CPython {result['python']}"}


def report(result: Result) -> Iterator[str]:
    """Yield the lines of all tables."""
    import sql_cases

    in_page = "pglite" in result
    peers = f"numpy {result['numpy']}, SQLite {result['sqlite']}" + (
        f", PGlite {result['pglite']}" if in_page else ""
    )
    load = f", load average {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    yield f"{result['place']}; {peers}; {processor()}, {os.cpu_count()} cores{load}; medians of {result['runs']} runs."
    yield ""
    rows = []
    for name, workload in sql_cases.WORKLOADS.items():
        found = result["times"][name]
        ours, sqlite, pglite = (found.get(peer) for peer in ("zengram", "sqlite", "pglite"))
        row = [workload.title, show(ours), show(sqlite)]
        row += [show(pglite)] if in_page else []
        row += [times(ours, sqlite)]
        row += [times(ours, pglite)] if in_page else []
        rows.append([*row, verdict(ours / sqlite, workload.goal)])
    heads = [
        "one statement, 100,000 rows",
        "Zengram",
        "sqlite3",
        *(["PGlite"] if in_page else []),
        "times sqlite3",
    ]
    yield from table([*heads, *(["times PGlite"] if in_page else []), "goal, of sqlite3"], rows)
    if "first" in result:
        parts = {name: median(run[name] for run in result["first"]) for name in result["first"][0]}
        together = parts["import"] + parts["first select"]
        rows = [[name, f"{ms:,.0f} ms", ""] for name, ms in parts.items()]
        rows.append(
            ["first use: import and first select", f"{together:,.0f} ms", verdict(together, FIRST_GOAL_MS)]
        )
        yield from table(["a fresh page, the engine loaded", "time", "goal, ms"], rows)


if __name__ == "__main__":
    sys.exit(
        in_page.main(
            "Measure SQL beside its peers; prints Markdown tables.", measure_here, measure_page, report
        )
    )
