"""Who takes part in which case, where its package comes from, and what npm has to install for it."""

import json
from dataclasses import dataclass
from pathlib import Path

import toolchain
from console import Step, run_quietly

FOLDER = Path(__file__).resolve().parent
OURS = "zengram"
_STAMP = ".zengram-stamp"


@dataclass(frozen=True)
class Subject:
    """Ours or a peer.

    Attributes
    ----------
    name : str
        Its module in peers/, and what ``--peers`` calls it.
    title : str
        What the tables call it.
    cases : tuple of str
        In which it takes part.
    packages : tuple of str
        Of npm.
    """

    name: str
    title: str
    cases: tuple[str, ...]
    packages: tuple[str, ...] = ()


SUBJECTS = (
    Subject(OURS, "**Zengram**", ("vectors", "text", "hybrid", "stack", "maintenance")),
    Subject("scan", "exact scan in JavaScript", ("vectors",)),
    Subject("hnswlib", "hnswlib-wasm", ("vectors",), ("hnswlib-wasm",)),
    Subject("edgevec", "edgevec", ("vectors",), ("edgevec",)),
    Subject("mememo", "mememo", ("vectors",), ("mememo",)),
    Subject("voy", "voy-search", ("vectors",), ("voy-search",)),
    Subject("orama", "Orama", ("vectors", "text", "hybrid"), ("@orama/orama",)),
    Subject("sqlite_vec", "sqlite-vec", ("vectors",), ("sqlite-vec-wasm-demo",)),
    Subject(
        "pglite",
        "PGlite (pgvector, tsvector)",
        ("vectors", "text"),
        ("@electric-sql/pglite", "@electric-sql/pglite-pgvector"),
    ),
    Subject("minisearch", "MiniSearch", ("text",), ("minisearch",)),
    Subject("minisearch_fuzzy", "MiniSearch, prefixes and fuzzy 0.2", ("text",), ("minisearch",)),
    Subject("flexsearch", "FlexSearch", ("text",), ("flexsearch",)),
    Subject("fts5", "SQLite FTS5, porter", ("text",), ("@sqlite.org/sqlite-wasm",)),
    Subject("glued", "hnswlib-wasm + MiniSearch", ("hybrid",), ("hnswlib-wasm", "minisearch")),
)


def prepare() -> None:
    """Install the peers exactly as the lock file here says, in a folder of their own."""
    inputs = [FOLDER / name for name in ("package.json", "package-lock.json", ".npmrc")]
    stamp = toolchain.digest(inputs, toolchain.node())
    mark = FOLDER / "node_modules" / _STAMP
    if mark.is_file() and mark.read_text() == stamp:
        return
    with Step("Setting up the peers in bench/retrieval/node_modules (about 50 MB)") as step:
        argv = [toolchain.npm(), "ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"]
        run_quietly(argv, step, log="npm", cwd=FOLDER)
        mark.write_text(stamp)


def versions() -> dict[str, str]:
    """Return the version of each package that is installed."""
    names = json.loads((FOLDER / "package.json").read_text())["dependencies"]
    folder = FOLDER / "node_modules"
    return {name: json.loads((folder / name / "package.json").read_text())["version"] for name in names}
