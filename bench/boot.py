"""How long a page takes to start, and how many bytes it loads.

    python3 bench/boot.py [--runs N] [--brotli]

Serves dist/ under a strict Content-Security-Policy, with the headers that docs/boot.md asks of a host, and drives headless Chromium. Every run
has a browser profile of its own and visits three times, each in a new browser process: cold, with nothing cached, which also makes the image
for later visits; warm, from that image; and warm without it (`snapshot: false`). Then the same with the embedding model, and each peer's page, cold
and warm. Times are milliseconds since navigation, medians over the runs. Sizes are those of the files that the page was seen to ask for. The
tables are Markdown: docs/performance.md holds a copy.
"""

import argparse
import gzip
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "build"))

import bundle
import chromium
import in_page
import static_server
import toolchain
from layout import DIST, VENV

CSP = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'"
TIMEOUT_MS = 180_000
#: A browser keeps compiled WebAssembly for the next visit, but only writes it a moment after the page is ready; a first visit also writes its
#: image then.
SETTLE_SECONDS = 4.0

PAGE = """<!doctype html>
<meta charset="utf-8">
<title>boot</title>
<script type="module" src="./{script}"></script>
"""

# A toy vector, so that no embedding model takes part; `model` loads the model beside, as the quickstart does.
SCRIPT = """
import init, { ZengramMemory } from "./zengram.js";
const asked = new URLSearchParams(location.search);
const model = asked.has("model") ? import("./embedders.js").then((module) => module.createMiniLM()) : null;
const events = [performance.now()];
await init({ snapshot: !asked.has("plain"), onProgress: () => events.push(performance.now()) });
const memory = ZengramMemory.open(64);
const vector = Float32Array.from({ length: 64 }, (_, i) => Math.sin(i + 1));
memory.rememberWithVector("drink", "The user drinks green tea", "/", vector);
memory.recallWithVector("hot beverage", "/", vector);
const recalled = performance.now();
await model;
const at = (name) => performance.getEntriesByName(name)[0]?.startTime;
globalThis.bootTimes = {
  runtime: at("zengram:runtime"), imported: at("zengram:imported") ?? at("zengram:restored"), ready: at("zengram:ready"),
  recall: recalled, model: performance.now(),
  silence: Math.max(...events.slice(1).map((time, i) => time - events[i])),
  image: performance.getEntriesByName("zengram:restored").length,
};
"""

STEPS = {
    "runtime": "Python runs",
    "imported": "everything imported",
    "ready": "`init` resolves",
    "recall": "**first recall done**",
    "model": "embedding model ready as well",
    "silence": "longest time between two progress events",
}
#: A visit's name, its page's query, and whether it starts from an image.
VISITS = (("cold", "", 0), ("warm, from the image", "", 1), ("warm, without one", "plain", 0))
MODEL_VISITS = (("cold, with the model", "model", 0), ("warm, with the model", "model", 1))

# What else a page would pick, as (name, what it is, module that sets globalThis.bootTimes.recall once a first query is answered). Files beside
# dist/ come from in_page.FOLDERS.
PEERS = [
    (
        "pglite",
        f"PGlite {in_page.pglite_version()}, in memory: first query",
        """
        import { PGlite } from "/pglite/index.js";
        const db = await PGlite.create();
        await db.query("select 1 as one");
        globalThis.bootTimes = { recall: performance.now() };
        """,
    ),
]

EXTRA_FILES = {
    "/boot.html": ("text/html", PAGE.format(script="boot-bench.js")),
    "/boot-bench.js": ("text/javascript", SCRIPT),
} | {
    f"/{name}{end}": answer
    for name, _, script in PEERS
    for end, answer in (
        (".html", ("text/html", PAGE.format(script=f"{name}-bench.js"))),
        ("-bench.js", ("text/javascript", script)),
    )
}


class Handler(in_page.Handler):
    """Adds the pages of this benchmark."""

    def do_GET(self) -> None:  # noqa: N802 (the name is http.server's)
        kind, text = EXTRA_FILES.get(urlsplit(self.path).path, ("", ""))
        if not kind:
            super().do_GET()
            return
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


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
    """Times and requested paths of each kind of visit."""

    times: dict[str, list[dict[str, float]]] = field(default_factory=dict)
    paths: dict[str, list[str]] = field(default_factory=dict)

    def add(self, kind: str, times: dict[str, float], paths: list[str]) -> None:
        self.times.setdefault(kind, []).append(times)
        self.paths.setdefault(kind, paths)

    def median(self, kind: str, step: str) -> float:
        return median(times[step] for times in self.times[kind])


def measure(runs: int) -> Measured:
    from playwright.sync_api import sync_playwright

    measured = Measured()
    with (
        static_server.serving(DIST, headers={"Content-Security-Policy": CSP}, handler=Handler) as base,
        sync_playwright() as playwright,
    ):
        for number in range(1, runs + 1):
            for visits in (VISITS, MODEL_VISITS):
                with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
                    for kind, query, image in visits:
                        times, paths = visit(playwright, profile, f"{base}boot.html?{query}")
                        if times["image"] != image:
                            raise SystemExit(f"{kind}: the visit was not of that kind")
                        measured.add(kind, times, paths)
            for name, _, _ in PEERS:
                with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
                    for kind in ("cold", "warm"):
                        measured.add(f"{name} {kind}", *visit(playwright, profile, f"{base}{name}.html"))
            print(f"run {number} of {runs} done", file=sys.stderr)
    return measured


def times_table(measured: Measured) -> Iterator[str]:
    kinds = [kind for kind, _, _ in VISITS + MODEL_VISITS]
    yield f"| ms since navigation | {' | '.join(kinds)} |"
    yield "|---|" + "---:|" * len(kinds)
    for step, about in STEPS.items():
        cells = [
            "" if step == "model" and "model" not in kind else f"{measured.median(kind, step):,.0f}"
            for kind in kinds
        ]
        yield f"| {about} | {' | '.join(cells)} |"


def peers_table(measured: Measured) -> Iterator[str]:
    yield "| ms since navigation | cold | warm |"
    yield "|---|---:|---:|"
    ours = [measured.median(kind, "recall") for kind in ("cold", "warm, from the image")]
    yield f"| Zengram: first recall | {' | '.join(f'{time:,.0f}' for time in ours)} |"
    for name, about, _ in PEERS:
        times = [measured.median(f"{name} {kind}", "recall") for kind in ("cold", "warm")]
        yield f"| {about} | {' | '.join(f'{time:,.0f}' for time in times)} |"


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
        code = [0] * len(heads)
        for path, numbers in sorted(measured.items(), key=lambda item: -item[1][0]):
            name_shown = re.sub("-[0-9a-f]{16}/", "/", path.lstrip("/"))
            if name_shown.startswith("assets/code/"):
                code = [total + number for total, number in zip(code, numbers, strict=True)]
            else:
                yield row(name_shown, numbers)
            totals = [total + number for total, number in zip(totals, numbers, strict=True)]
        if any(code):
            yield row("assets/code/, all modules", code)
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
    print("\n".join(peers_table(measured)), end="\n\n")
    paths = [measured.paths[kind] for kind in ("cold", "cold, with the model")]
    print("\n".join(sizes_table(*paths, options.brotli)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
