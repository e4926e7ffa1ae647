"""What it costs to keep data in a browser: commits until they are durable, opening again, and the start of a page, beside peers.

    python3 bench/persistence.py [--sizes 1000,10000,100000] [--only commits,boot] [--subjects sqlite,pglite_opfs,…]
                                 [--runs N] [--brotli] [--folder FOLDER] [--json]

One page (persistence/page.html) in headless Chromium, a browser profile for each subject. Rows of a subject, a sentence and 384 floats
are added up to each size; then single commits follow, each awaited until it is durable, and a burst. After each size the
database is opened again, in new pages of the same browser, whose runtime is loaded before the clock starts: ours once with all in
the snapshot, once with all in the log. The peers come from npm by a lock file in the folder persistence/, apart from the project's own.

The pages get the strict Content-Security-Policy of the tests and no COOP or COEP headers: nobody here needs them, and a
page that has them cannot be embedded. Their clock then ticks every 0.1 ms. ``--folder`` is where the profiles go; use one on the
disk that is to be measured. The tables are Markdown: docs/performance.md holds a copy.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlencode, urlsplit

BENCH = Path(__file__).resolve().parent
sys.path[:0] = [str(BENCH), str(BENCH.parent / "build")]

import boot  # noqa: E402
import chromium  # noqa: E402
import engine  # noqa: E402
import in_page  # noqa: E402
import npm_peers  # noqa: E402
import static_server  # noqa: E402
import toolchain  # noqa: E402
from console import Step, run_quietly  # noqa: E402
from layout import DIST  # noqa: E402
from tables import table  # noqa: E402

FOLDER = BENCH / "persistence"
PAGE = "bench/persistence/page.html"
CASES = ("commits", "boot")
COMMITS, BURST = 50, 200
#: Single commits end after so many milliseconds, though not before ten; a burst that would take twice as long is left out.
PATIENCE_MS = 60_000
LIMIT_SECONDS = 900

Result = dict[str, Any]


@dataclass(frozen=True)
class Subject:
    """Ours or a peer: its module in persistence/subjects/, what the tables call it, and whether its log is folded before it is opened again."""

    name: str
    title: str
    folds: bool = False


SUBJECTS = (
    Subject("zengram_opfs", "**Zengram**, OPFS", folds=True),
    Subject("zengram_opfs_log", "**Zengram**, OPFS, all in the log"),
    Subject("zengram_worker", "**Zengram**, OPFS, in a worker", folds=True),
    Subject("zengram_idb", "**Zengram**, IndexedDB", folds=True),
    Subject("zengram_idb_log", "**Zengram**, IndexedDB, all in the log"),
    Subject("sqlite", "sqlite-wasm, opfs-sahpool"),
    Subject("sqlite_wal", "sqlite-wasm, opfs-sahpool, WAL"),
    Subject("pglite_opfs", "PGlite, OPFS"),
    Subject("pglite_opfs_relaxed", "PGlite, OPFS, relaxedDurability"),
    Subject("pglite_idb", "PGlite, IndexedDB"),
    Subject("pglite_idb_relaxed", "PGlite, IndexedDB, relaxedDurability"),
)
BOOTS = {"pglite": "PGlite", "sqlite": "sqlite-wasm", "duckdb": "DuckDB-wasm"}


# -- peers -------------------------------------------------------------------------------------------------------------


def prepare_peers() -> None:
    """Install the peers, and bundle the one that a browser cannot load as it is published."""
    npm_peers.prepare(FOLDER, "about 190 MB")
    modules = FOLDER / "node_modules"
    made = modules / ".bundled" / "duckdb.js"
    if made.is_file():  # npm removes it when it installs anew
        return
    with Step("Bundling DuckDB's module with Arrow") as step:
        entry = modules / "@duckdb" / "duckdb-wasm" / "dist" / "duckdb-browser.mjs"
        argv = [toolchain.node(), modules / "esbuild" / "bin" / "esbuild", entry]
        run_quietly(
            [*argv, "--bundle", "--minify", "--format=esm", f"--outfile={made}"],
            step,
            log="esbuild",
            cwd=FOLDER,
        )


# -- measuring ---------------------------------------------------------------------------------------------------------

ASKED: list[str] = []
"""The paths that the browser asked for, workers' requests among them."""


class Handler(in_page.Handler):
    """Serves everything as a web host would, to be kept for a day, and notes what was asked for."""

    def do_GET(self) -> None:  # noqa: N802 (the name is http.server's)
        ASKED.append(urlsplit(self.path).path)
        super().do_GET()

    def send_header(self, keyword: str, value: str) -> None:
        super().send_header(keyword, "public, max-age=86400" if keyword == "Cache-Control" else value)


@contextmanager
def browsing(playwright: Any, profile: str) -> Iterator[Any]:
    context = playwright.chromium.launch_persistent_context(
        profile, executable_path=chromium.prepare(), args=list(chromium.LAUNCH_ARGS), headless=True
    )
    try:
        yield context
    finally:
        context.close()


def visit(context: Any, base: str, case: str, subject: str, **plan: object) -> Result:
    """Open the page for one case; return what it measured.

    Raises
    ------
    RuntimeError
        If it fails or takes too long.
    """
    page = context.new_page()
    try:
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("crash", lambda _: problems.append("the page crashed: out of memory?"))
        page.on("console", lambda message: print("   ", message.text[:500], file=sys.stderr))
        query = urlencode({"case": case, "subject": subject, "plan": json.dumps(plan)})
        page.goto(f"{base}{PAGE}?{query}")
        deadline = time.monotonic() + LIMIT_SECONDS
        while not (result := page.evaluate("globalThis.benchResult ?? null")):
            if problems or time.monotonic() > deadline:
                raise RuntimeError(problems[0] if problems else f"not done within {LIMIT_SECONDS} s")
            page.wait_for_timeout(100)
        if "error" in result:
            raise RuntimeError(result["error"])
        echo = {"echo": result["echo"]} if "echo" in result else {}
        return dict(result["ok"]) | echo
    finally:
        page.close()


def measure_subject(context: Any, base: str, subject: Subject, sizes: list[int], runs: int) -> list[Result]:
    """Let a database grow; return what was measured at each size. What fails ends it and is in the last one."""
    found: list[Result] = []
    before = 0
    for size in sizes:
        one: Result = {"size": size}
        found.append(one)
        start = time.monotonic()
        try:
            plan = {"from": before, "to": size, "commits": COMMITS, "burst": BURST, "patience": PATIENCE_MS}
            one["commits"] = visit(context, base, "commits", subject.name, **plan)
            if subject.folds:
                one["fold"] = visit(context, base, "fold", subject.name)
            seen = [visit(context, base, "restore", subject.name, to=size) for _ in range(runs)]
            one["restore"] = {name: median(each[name] for each in seen) for name in seen[0]}
        except RuntimeError as error:
            one["error"] = str(error)
        seconds = time.monotonic() - start
        print(f"{subject.title}, {size:,}: {one.get('error', 'done')}, {seconds:.0f} s", file=sys.stderr)
        if "error" in one:
            break
        before = size
    return found


def measure_boot(playwright: Any, base: str, folder: Path, runs: int) -> Result:
    """Return cold and warm times of each peer's first row, and the files that a cold visit asked for."""
    out: Result = {}
    for name in BOOTS:
        url = f"{base}bench/persistence/boot_{name}.html"
        times: dict[str, list[float]] = {"cold": [], "warm": []}
        for _ in range(runs):
            with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as profile:
                ASKED.clear()
                for kind, seen in times.items():
                    seen.append(boot.visit(playwright, profile, url)[0]["recall"])
                    if kind == "cold":
                        paths = sorted(set(ASKED))
        out[name] = {kind: median(seen) for kind, seen in times.items()} | {"paths": paths}
        print(f"boot of {BOOTS[name]} done", file=sys.stderr)
    return out


def measure(options: argparse.Namespace, folder: Path) -> Result:
    from playwright.sync_api import sync_playwright

    sizes = [int(size) for size in options.sizes.split(",")]
    only = options.only.split(",")
    load = [os.getloadavg()[0]] if hasattr(os, "getloadavg") else []
    out: Result = {"subjects": {}, "versions": npm_peers.versions(FOLDER)}
    headers = {"Content-Security-Policy": boot.CSP}
    with (
        static_server.serving(DIST, headers=headers, handler=Handler) as base,
        sync_playwright() as playwright,
    ):
        for subject in SUBJECTS if "commits" in only else ():
            if subject.name not in options.subjects.split(","):
                continue
            with (
                tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as profile,
                browsing(playwright, profile) as context,
            ):
                out["subjects"][subject.name] = measure_subject(context, base, subject, sizes, options.runs)
        if "boot" in only:
            out["boot"] = measure_boot(playwright, base, folder, options.runs)
        browser = in_page.launch(playwright)
        out["place"] = in_page.place(browser)
        browser.close()
    return out | {"load": [*load, os.getloadavg()[0]] if load else []}


# -- tables ------------------------------------------------------------------------------------------------------------


def number(value: float | None, factor: float = 1.0) -> str:
    """Show three digits; a dash for what was not measured."""
    if value is None:
        return "-"
    value *= factor
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def report(result: Result, *, brotli: bool) -> Iterator[str]:
    """Yield the lines of all tables."""
    load = f", load average {result['load'][0]:.1f} to {result['load'][1]:.1f}" if result["load"] else ""
    names = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    yield f"{result['place']}; {engine.processor()}, {os.cpu_count()} cores{load}; {names}."
    yield ""
    titles = {subject.name: subject.title for subject in SUBJECTS}
    found = {titles[name]: measured for name, measured in result["subjects"].items()}
    if found:
        yield from commit_tables(found)
        yield from flat_table(found)
        yield from restore_table(found)
        yield from notes(found)
    if "boot" in result:
        yield from boot_table(result["boot"], brotli=brotli)


def commit_tables(found: dict[str, list[Result]]) -> Iterator[str]:
    for size in dict.fromkeys(one["size"] for measured in found.values() for one in measured):
        rows = []
        payload = 0.0
        for title, measured in found.items():
            for one in measured:
                if one["size"] != size or "commits" not in one:
                    continue
                c = one["commits"]
                payload = c["payload"]
                quantiles = [
                    (c[name] or {}).get(at) for name in ("written", "durable") for at in ("median", "late")
                ]
                burst = [c.get("burstWritten"), c.get("burst")]
                cells = [*map(number, quantiles), *(number(cell, 1 / BURST) for cell in burst)]
                rows.append([title, *cells, number(c["fill"], 1e-3)])
        heads = ["written ms", "95 % within", "durable ms", "95 % within"]
        heads += ["burst, a commit: written ms", "durable ms", "fill s"]
        yield from table([f"one more of {size:,} rows ({payload / 1e6:,.3g} MB)", *heads], rows)


def flat_table(found: dict[str, list[Result]]) -> Iterator[str]:
    sizes = list(dict.fromkeys(one["size"] for measured in found.values() for one in measured))
    rows = []
    for title, measured in found.items():
        medians = {
            one["size"]: one["commits"]["durable"]["median"]
            for one in measured
            if "commits" in one and one["commits"]["durable"]
        }
        if medians:
            growth = medians[sizes[-1]] / medians[sizes[0]] if {sizes[0], sizes[-1]} <= set(medians) else None
            rows.append([title, *(number(medians.get(size)) for size in sizes), number(growth)])
    yield from table(
        ["durable ms, median", *(f"{size:,} rows" for size in sizes), "last times the first"], rows
    )


def restore_table(found: dict[str, list[Result]]) -> Iterator[str]:
    rows = []
    for title, measured in found.items():
        for one in measured:
            if "restore" in one:
                r = one["restore"]
                megabytes = r["stored"] / 1e6
                cells = [megabytes, r["opened"], r["first"], r.get("nearest"), r["first"] / megabytes]
                rows.append([f"{title}: {one['size']:,} rows", *(number(cell) for cell in cells)])
    heads = ["stored MB", "opened ms", "first row ms", "ten nearest ms", "first row, ms a MB"]
    yield from table(["opening, the runtime loaded", *heads], rows)


def notes(found: dict[str, list[Result]]) -> Iterator[str]:
    """Yield what the tables have no columns for: shortened runs, folds, failures, the way to a worker."""
    every = [(title, one) for title, measured in found.items() for one in measured]
    for title, one in every:
        count = one.get("commits", {}).get("written", {}).get("count", COMMITS)
        if count < COMMITS:
            yield f"- {title}, {one['size']:,} rows: {count} single commits instead of {COMMITS}, for they took too long."
        if "fold" in one:
            yield f"- {title}, {one['size']:,} rows: folding took {number(one['fold']['fold'])} ms, in idle time."
        if "error" in one:
            yield f"- {title}, {one['size']:,} rows: {one['error'].splitlines()[0]}"
    echoes = [one["commits"]["echo"] for _, one in every if "echo" in one.get("commits", {})]
    if echoes:
        yield f"- A message to a worker and back took {number(median(echoes))} ms; what runs in one was timed there."
    yield ""


def boot_table(found: Result, *, brotli: bool) -> Iterator[str]:
    rows = []
    for name, measured in found.items():
        files = [in_page.BENCH / path.removeprefix("/bench/") for path in measured["paths"]]
        sizes = [boot_sizes(file, brotli=brotli) for file in files if file.is_file()]
        totals = [sum(column) / 1e6 for column in zip(*sizes, strict=True)]
        cells = [number(measured["cold"]), number(measured["warm"]), *(f"{total:.2f}" for total in totals)]
        rows.append([BOOTS[name], *cells])
    heads = ["cold ms", "warm ms", "raw MB", "gzip MB", *(["brotli MB"] if brotli else [])]
    yield from table(["first row since navigation", *heads], rows)


def boot_sizes(file: Path, *, brotli: bool) -> list[int]:
    import gzip

    raw = file.read_bytes()
    found = [len(raw), len(gzip.compress(raw, 6))]
    return [*found, boot.brotli_size(file)] if brotli else found


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = [subject.name for subject in SUBJECTS]
    parser.add_argument("--sizes", default="1000,10000,100000", help="numbers of rows, ascending")
    parser.add_argument("--only", default=",".join(CASES), help="parts")
    parser.add_argument("--subjects", default=",".join(names), help="whom to measure: " + ", ".join(names))
    parser.add_argument("--runs", type=int, default=5, help="openings and starts (default 5)")
    parser.add_argument("--brotli", action="store_true", help="compress with brotli as well: minutes of work")
    parser.add_argument("--folder", type=Path, help="where the browser's profiles go")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON instead")
    options = parser.parse_args()
    for given, known in ((options.only, CASES), (options.subjects, names)):
        if unknown := set(given.split(",")) - set(known):
            parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    return options


def main() -> int:
    in_page.prepare(page=True)
    options = parse()
    prepare_peers()
    with tempfile.TemporaryDirectory(
        prefix="zengram-bench-", dir=options.folder, ignore_cleanup_errors=True
    ) as folder:
        result = measure(options, Path(folder))
    if options.json:
        print(json.dumps(result, indent=1))
        return 0
    print("\n".join(report(result, brotli=options.brotli)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
