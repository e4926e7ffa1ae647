"""What the storage back ends cost in headless Chromium, with a profile on disk, in the page and in a worker.

    python3 bench/storage.py

Appending 2 KB to a file of so many bytes, until it is acknowledged (median of 40); writing and reading 20 MB as a whole (median of 3).
The table is Markdown.
"""

import os
import tempfile
from typing import Any

import in_page
from tables import table


def measure() -> dict[str, dict[str, float]]:
    import chromium
    import static_server
    from playwright.sync_api import sync_playwright

    with (
        static_server.serving(in_page.DIST, headers=in_page.HEADERS, handler=in_page.Handler) as base,
        sync_playwright() as playwright,
        # Not where the system keeps temporary files in memory: files are to be on the disk.
        tempfile.TemporaryDirectory(dir=os.environ.get("ZENGRAM_BENCH_FOLDER", "/var/tmp")) as profile,
    ):
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=chromium.prepare(), args=list(chromium.LAUNCH_ARGS)
        )
        page = context.new_page()
        page.goto(f"{base}bench/storage_page.html")
        found: dict[str, Any] = {}
        for place, kind, where in (
            ("OPFS, page", "opfs", "page"),
            ("OPFS, worker", "opfs", "worker"),
            ("IndexedDB, page", "indexeddb", "page"),
            ("IndexedDB, worker", "indexeddb", "worker"),
        ):
            found[place] = page.evaluate("([where, kind]) => measure(where, kind)", [where, kind])
        context.close()
        return found


if __name__ == "__main__":
    in_page.prepare(page=True)
    result = measure()
    heads = ["ms", *result]
    names = next(iter(result.values()))
    load = f", load average {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(f"{os.cpu_count()} cores{load}.\n")
    print("\n".join(table(heads, [[name, *(f"{f[name]:.1f}" for f in result.values())] for name in names])))
