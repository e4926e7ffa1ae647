"""What the calls of a memory of 20,000 facts cost.

    python3 bench/memory.py [--runs N]            on CPython
    python3 bench/memory.py --page [--runs N]     in headless Chromium, on dist/

The work is in memory_cases.py and memory_year_cases.py, the same files for both. The tables are Markdown: docs/performance.md holds a copy.
"""

import platform
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import in_page
from in_page import Result
from tables import table

#: What is aimed at in the page, in milliseconds.
GOALS = {"open": 50.0, "decay of 20,000 facts": 100.0, "assembleContext, 4,000 tokens": 25.0}
#: At most so many times the first month's, or the live bytes.
YEAR_GOALS = {"recall p95, ms": 1.5, "assembleContext p50, ms": 1.5}
BYTES_GOAL = 2.0


def measure_here(runs: int) -> Result:
    import memory_cases
    import memory_year_cases

    place = {"place": f"CPython {platform.python_version()}"}
    return dict(memory_cases.measure(runs)) | {"year": memory_year_cases.measure(1)} | place


def measure_page(runs: int) -> Result:
    year = in_page.measure("python_page.html", module="memory_year_cases", runs=1)
    return in_page.measure("python_page.html", module="memory_cases", runs=runs) | {"year": year}


def report(result: Result) -> Iterator[str]:
    yield f"Memory of 20,000 facts of 384 numbers, {result['place']}, medians of {result['runs']} runs or 50 calls\n"
    rows = [
        [name, f"{value:,.3g}", f"{GOALS[name]:,.0f}" if name in GOALS else ""]
        for name, value in result["medians"].items()
    ]
    yield from table(["call", "ms", "goal in the page"], rows)
    yield f"Snapshot: {result['snapshot_bytes'] / 1e6:.1f} MB. Heaps and indexes that {result['decays']} decays changed:\n"
    rows = [[name, f"{before:,}", f"{after:,}"] for name, (before, after) in result["changed"].items()]
    yield from table(["part", "bytes before", "bytes after"], rows)

    yield from report_year(result["year"])


def report_year(year: Result) -> Iterator[str]:
    first, last = year["first"], year["last"]
    yield f"\nA year in {year['seconds']:.0f} s: its first and its last month\n"
    rows = []
    for name, before in first.items():
        times = last[name] / before if before else 0
        goal = f"≤ {YEAR_GOALS[name]}" if name in YEAR_GOALS else ""
        rows.append([name, f"{before:,.4g}", f"{last[name]:,.4g}", f"{times:.2f}", goal])
    for name, month in (("first", first), ("last", last)):
        share = month["bytes"] / month["live bytes"]
        rows.append([f"bytes / live bytes, {name} month", "", f"{share:.2f}", "", f"≤ {BYTES_GOAL}"])
    yield from table(["", "first month", "last month", "times", "goal"], rows)


if __name__ == "__main__":
    raise SystemExit(in_page.main(__doc__ or "", measure_here, measure_page, report))
