"""How fast the vector indexes are: the graph beside the exact scan.

    python3 bench/vectors.py [--sizes 1000,10000,50000] [--sweep 10000]           on CPython
    python3 bench/vectors.py --page [--sizes 1000,10000,50000] [--sweep 10000]    in headless Chromium, on dist/

The workloads are in vectors_cases.py, the same file for both. CPython uses one thread for products. Recall is the share of
the true ten nearest that are found. The tables are Markdown: docs/performance.md holds a copy.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported

import argparse
import json
import sys
from collections.abc import Iterator
from typing import Any

import engine  # bench/engine.py: its tables
import in_page
from engine import show, table

Result = dict[str, Any]


def measure_here(sizes: str, sweep: int) -> Result:
    import vectors_cases

    found = vectors_cases.measure(
        [int(size) for size in sizes.split(",")],
        sweep,
        tell=lambda name: print(name, "done", file=sys.stderr),
    )
    return found | {"place": f"CPython {found['python']}"}


def report(result: Result) -> Iterator[str]:
    """Yield the lines of all tables."""
    load = f", load average {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    settings = ", ".join(f"{name} {value}" for name, value in result["defaults"].items())
    yield (
        f"{result['place']}, numpy {result['numpy']}; {engine.processor()}, {os.cpu_count()} cores{load}; {settings}."
    )
    yield ""
    sizes = {int(count): found for count, found in result["sizes"].items()}
    heads = ["384 dimensions", *(f"{count:,}" for count in sizes)]
    rows: list[list[str]] = []

    def row(title: str, of: Any) -> None:
        rows.append([title, *(of(found) for found in sizes.values())])

    row("query by the graph, p50", lambda f: show(f["walk"]["p50"]))
    row("query by the graph, p95", lambda f: show(f["walk"]["p95"]))
    row("recall@10", lambda f: f"{f['recall']:.4f}")
    row("vectors measured", lambda f: f"{f['walk']['measured']:,.0f}")
    row("query by the scan, p50", lambda f: show(f["scan"]["p50"]))
    row("query with a full tail, p50", lambda f: show(f["walk_with_tail"]["p50"]))
    row("build", lambda f: show(f["build"]))
    row("commit one more row", lambda f: show(f["insert"]))
    row("link one more vector (maintenance)", lambda f: show(f.get("link")))
    row("longest step of that", lambda f: show(f.get("longest_step")))
    row("snapshot, MB", lambda f: f"{f['snapshot_bytes'] / 1e6:.1f}")
    row("of it the index, share of the vectors' bytes", lambda f: f"{f['share_of_raw']:.1%}")
    row("save the database", lambda f: show(f["save"]))
    row("restore the database", lambda f: show(f["restore"]))
    row("of it the index", lambda f: show(f["load"]))
    row("first query after that", lambda f: show(f["first_search"]))
    yield from table(heads, rows)
    for count, found in sizes.items():
        if found["filters"]:
            heads = [f"filter on {count:,}", "index, p50", "scan, p50", "recall@10", "candidates made in"]
            rows = [
                [
                    f"{f['share']:.1%}",
                    show(f["walk"]["p50"]),
                    show(f["scan"]["p50"]),
                    f"{f['recall']:.4f}",
                    show(f["prepare"]),
                ]
                for f in found["filters"]
            ]
            yield from table(heads, rows)
    if result.get("sweep"):
        rows = [
            [
                f"{r['name']} {r['value']}",
                show(r["walk"]["p50"]),
                f"{r['recall']:.4f}",
                f"{r['walk']['measured']:,.0f}",
                show(r["build"]),
            ]
            for r in result["sweep"]
        ]
        yield from table(
            [f"{result['sweep_count']:,} vectors", "query, p50", "recall@10", "measured", "build"], rows
        )
        steps = result["steps"]
        yield (
            f"A build of {result['sweep_count']:,} in {steps['count']} steps of maintenance: median {show(steps['p50'])}, "
            f"99 % within {show(steps['p99'])}, the longest {show(steps['most'])}."
        )


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure the vector indexes; prints Markdown tables.")
    parser.add_argument("--page", action="store_true", help="in headless Chromium rather than on CPython")
    parser.add_argument("--sizes", default="1000,10000,50000", help="numbers of vectors")
    parser.add_argument(
        "--sweep", type=int, default=10_000, help="vectors of the sweep of settings, 0 for none"
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON instead")
    options = parser.parse_args()
    in_page.prepare(page=options.page)
    if options.page:
        result = in_page.measure("vectors_page.html", sizes=options.sizes, sweep=options.sweep)
    else:
        result = measure_here(options.sizes, options.sweep)
    print(json.dumps(result, indent=1) if options.json else "\n".join(report(result)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
