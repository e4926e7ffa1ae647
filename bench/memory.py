"""What the calls of a memory of 20,000 facts cost.

    python3 bench/memory.py [--runs N]            on CPython
    python3 bench/memory.py --page [--runs N]     in headless Chromium, on dist/

The work is in memory_cases.py, the same file for both. The tables are Markdown: docs/performance.md holds a copy.
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
GOALS = {"open": 50.0, "decay of 20,000 facts": 100.0}


def measure_here(runs: int) -> Result:
    import memory_cases

    return dict(memory_cases.measure(runs)) | {"place": f"CPython {platform.python_version()}"}


def measure_page(runs: int) -> Result:
    return in_page.measure("python_page.html", module="memory_cases", runs=runs)


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


if __name__ == "__main__":
    raise SystemExit(in_page.main(__doc__ or "", measure_here, measure_page, report))
