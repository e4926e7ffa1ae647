"""Runs a benchmark's page in headless Chromium, on dist/ with this folder and PGlite beside it."""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "build"))

import bundle
import chromium
import static_server
import toolchain
from layout import DIST, NODE_MODULES, VENV

TIMEOUT_SECONDS = 900
BENCH = Path(__file__).resolve().parent
PGLITE = NODE_MODULES / "@electric-sql" / "pglite"
#: With these a page may read a clock of 5 µs instead of 100 µs.
HEADERS = {"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp"}
#: What else than dist/ the page asks for.
FOLDERS = {"/bench/": BENCH, "/pglite/": PGLITE / "dist"}

Result = dict[str, Any]


def prepare(*, page: bool) -> None:
    """Set up what a benchmark needs; start this program again in the project's environment when it runs in another."""
    python = toolchain.prepare_venv()
    if Path(sys.prefix) != VENV:  # numpy and Playwright are there
        raise SystemExit(subprocess.run([python, *sys.argv], check=False).returncode)
    if page:
        toolchain.prepare_node_modules()
        bundle.prepare_dist()


def main(
    description: str,
    measure_here: Callable[[int], Result],
    measure_page: Callable[[int], Result],
    report: Callable[[Result], Iterable[str]],
) -> int:
    """Run a benchmark of workloads beside peers as its arguments say, on CPython or in the page; print its tables."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--page", action="store_true", help="in headless Chromium rather than on CPython")
    parser.add_argument("--runs", type=int, default=7, help="samples of each workload (default 7)")
    parser.add_argument("--json", action="store_true", help="print the medians as JSON instead")
    options = parser.parse_args()
    runs = max(1, options.runs)
    prepare(page=options.page)
    result = (measure_page if options.page else measure_here)(runs) | {"runs": runs}
    print(json.dumps(result, indent=1) if options.json else "\n".join(report(result)))
    return 0


class Handler(static_server.Handler):
    """Serves dist/, and beside it this folder and PGlite; the runtime's files also beside its lock file, as pages with a Pyodide of their own want them."""

    def translate_path(self, path: str) -> str:
        if path.startswith("/pyodide/") and not path.endswith("pyodide-lock.json"):
            (folder,) = (DIST / "assets").glob("pyodide-*")
            return str(folder / Path(urlsplit(path).path).name)
        for prefix, folder in FOLDERS.items():
            if path.startswith(prefix):
                file = (folder / urlsplit(path).path[len(prefix) :]).resolve()
                return str(file) if file.is_relative_to(folder.resolve()) else str(folder / "\0")
        return super().translate_path(path)


def launch(playwright: Any, *more: str) -> Any:
    """Start the Chromium of the tests, with more arguments if there are any."""
    return playwright.chromium.launch(
        executable_path=chromium.prepare(), args=[*chromium.LAUNCH_ARGS, *more], headless=True
    )


def place(browser: Any) -> str:
    """Say what the figures were measured in."""
    return f"headless Chromium {browser.version.split('.')[0]}, Pyodide {toolchain.pyodide_version()}"


def measure(name: str, **query: object) -> Result:
    """Open a page of this folder and return what it puts into ``globalThis.benchResult``, with where it ran."""
    from playwright.sync_api import sync_playwright

    with (
        static_server.serving(DIST, headers=HEADERS, handler=Handler) as base,
        sync_playwright() as playwright,
    ):
        browser = launch(playwright)
        page = browser.new_page()
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: print(message.text, file=sys.stderr))
        page.goto(f"{base}bench/{name}?{urlencode(query)}")
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while not (result := page.evaluate("globalThis.benchResult ?? null")):
            if problems or time.monotonic() > deadline:
                raise SystemExit(f"the page did not finish: {problems or 'too slow'}")
            page.wait_for_timeout(200)
        where = place(browser)
        browser.close()
    return dict(result) | {"place": where}


def pglite_version() -> str:
    """Return the version of the PGlite that pages load."""
    version: str = json.loads((PGLITE / "package.json").read_text())["version"]
    return version
