"""How long a page takes to start, and how many bytes it loads.

    python3 bench/boot.py [--runs N] [--brotli]

Serves dist/ with cacheable headers under a strict Content-Security-Policy and drives headless Chromium. Every run has
a browser profile of its own and visits twice: cold, with nothing cached, and warm, in a new browser process with the
first visit's HTTP cache. Times are milliseconds since navigation, medians over the runs. Sizes are those of the files
that the page was seen to ask for. The tables are Markdown: docs/performance.md holds a copy.
"""

import argparse
import gzip
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "build"))

import bundle
import chromium
import static_server
import toolchain
from layout import DIST, VENV

CSP = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'"
TIMEOUT_MS = 180_000
#: A browser keeps compiled WebAssembly for the next visit, but only writes it a moment after the page is ready.
SETTLE_SECONDS = 2.0

PAGE = b"""<!doctype html>
<meta charset="utf-8">
<title>boot</title>
<script type="module" src="./boot-bench.js"></script>
"""

# A toy vector, so that no embedding model takes part; `?model` loads the model beside, as the quickstart does.
SCRIPT = b"""
import init, { ZengramMemory } from "./zengram.js";
const model = location.search === "?model" ? import("./embedders.js").then((module) => module.createMiniLM()) : null;
await init();
const memory = ZengramMemory.open(64);
const vector = Float32Array.from({ length: 64 }, (_, i) => Math.sin(i + 1));
memory.rememberWithVector("drink", "The user drinks green tea", "/", vector);
memory.recallWithVector("hot beverage", "/", vector);
const recalled = performance.now();
await model;
const at = (name) => performance.getEntriesByName(name)[0].startTime;
globalThis.bootTimes = {
  runtime: at("zengram:runtime"), numpy: at("zengram:numpy"), wheel: at("zengram:ready"), recall: recalled,
  model: performance.now(),
};
"""

EXTRA_FILES = {"/boot-bench.html": ("text/html", PAGE), "/boot-bench.js": ("text/javascript", SCRIPT)}

STEPS = {
    "runtime": "Python runs, packages unpacked",
    "numpy": "numpy imported",
    "wheel": "zengram_py imported (`init` resolves)",
    "recall": "first recall done",
    "model": "embedding model ready as well",
}


class CacheableHandler(static_server.Handler):
    """Serves the bundle as a web host would: everything may be kept for a day. Adds the page of this benchmark."""

    def do_GET(self) -> None:  # noqa: N802 (the name is http.server's)
        kind, body = EXTRA_FILES.get(urlsplit(self.path).path, ("", b""))
        if not kind:
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def send_header(self, keyword: str, value: str) -> None:
        super().send_header(keyword, "public, max-age=86400" if keyword == "Cache-Control" else value)


def visit(playwright: Any, profile: str, url: str) -> tuple[dict[str, float], list[str]]:
    """Open the page in a new browser process; return its times and the paths it asked for."""
    context = playwright.chromium.launch_persistent_context(
        profile, executable_path=chromium.prepare(), args=list(chromium.LAUNCH_ARGS), headless=True
    )
    try:
        page = context.new_page()
        problems: list[str] = []
        paths: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("requestfinished", lambda request: paths.append(urlsplit(request.url).path))
        page.goto(url)
        deadline = time.monotonic() + TIMEOUT_MS / 1000
        while not (times := page.evaluate("globalThis.bootTimes ?? null")):
            if problems or time.monotonic() > deadline:
                raise SystemExit(f"the page did not start: {problems or 'too slow'}")
            page.wait_for_timeout(50)
        page.wait_for_timeout(SETTLE_SECONDS * 1000)
        return times, list(dict.fromkeys(paths))
    finally:
        context.close()


@dataclass
class Measured:
    """Medians by kind of visit, and what a start asks for without and with the embedding model."""

    medians: dict[str, dict[str, float]]
    paths: list[str]
    model_paths: list[str]


def measure(runs: int) -> Measured:
    from playwright.sync_api import sync_playwright

    seen: dict[str, list[dict[str, float]]] = {}
    asked: dict[str, list[str]] = {}
    with (
        static_server.serving(
            DIST, headers={"Content-Security-Policy": CSP}, handler=CacheableHandler
        ) as base,
        sync_playwright() as playwright,
    ):
        for number in range(1, runs + 1):
            for query in ("", "?model"):
                with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
                    for kind in ("cold", "warm"):
                        times, paths = visit(playwright, profile, f"{base}boot-bench.html{query}")
                        seen.setdefault(kind + query, []).append(times)
                        asked.setdefault(kind + query, paths)
            print(f"run {number} of {runs} done", file=sys.stderr)
    medians = {
        kind: {step: median(times[step] for times in visits) for step in STEPS}
        for kind, visits in seen.items()
    }
    return Measured(medians, asked["cold"], asked["cold?model"])


def times_table(measured: Measured) -> Iterator[str]:
    yield "| ms since navigation | cold | warm | cold, with the model | warm, with the model |"
    yield "|---|---:|---:|---:|---:|"
    for step, about in STEPS.items():
        cells = [measured.medians[kind][step] for kind in ("cold", "warm", "cold?model", "warm?model")]
        shown = [f"{cell:,.0f}" for cell in cells]
        if step == "model":
            shown[:2] = ["", ""]
        yield f"| {about} | {' | '.join(shown)} |"


def brotli_size(file: Path) -> int:
    # Node has brotli built in, so nothing needs to be installed for it.
    program = (
        "const {readFileSync} = require('fs'), {brotliCompressSync} = require('zlib');"
        "console.log(brotliCompressSync(readFileSync(process.argv[1])).length)"
    )
    answer = subprocess.run(
        [toolchain.node(), "-e", program, file], check=True, capture_output=True, text=True
    )
    return int(answer.stdout)


def sizes_table(paths: list[str], model_paths: list[str], brotli: bool) -> Iterator[str]:
    def sizes(file: Path) -> list[int]:
        raw = file.read_bytes()
        # Level 6 is what servers use on the fly; brotli is at its best, as for files compressed beforehand.
        found = [len(raw), len(gzip.compress(raw, 6))]
        return [*found, brotli_size(file)] if brotli else found

    def row(name: str, numbers: list[int]) -> str:
        return f"| {name} | {' | '.join(f'{number:,}' for number in numbers)} |"

    heads = ["raw", "gzip", "brotli"] if brotli else ["raw", "gzip"]
    yield f"| bytes | {' | '.join(heads)} |"
    yield "|---|" + "---:|" * len(heads)
    totals = [0] * len(heads)
    for name, group in (("start", paths), ("model", [path for path in model_paths if path not in paths])):
        measured = {
            path: sizes(DIST / path.lstrip("/")) for path in group if (DIST / path.lstrip("/")).is_file()
        }
        for path, numbers in sorted(measured.items(), key=lambda item: -item[1][0]):
            yield row(path.lstrip("/"), numbers)
            totals = [total + number for total, number in zip(totals, numbers, strict=True)]
        yield row("**all without the model**" if name == "start" else "**all with the model**", totals)


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure how a page starts; prints Markdown tables.")
    parser.add_argument("--runs", type=int, default=3, help="visits of each kind (default 3)")
    parser.add_argument("--brotli", action="store_true", help="compress with brotli as well: a minute's work")
    options = parser.parse_args()
    python = toolchain.prepare_venv()
    if Path(sys.prefix) != VENV:
        # Playwright is in the project's environment.
        return subprocess.run([python, *sys.argv], check=False).returncode
    bundle.prepare_dist()
    measured = measure(max(1, options.runs))
    print("\n".join(times_table(measured)), end="\n\n")
    print("\n".join(sizes_table(measured.paths, measured.model_paths, options.brotli)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
