"""Who takes part in which case, where its package comes from, and what npm has to install for it."""

from dataclasses import dataclass
from pathlib import Path

import npm_peers

FOLDER = Path(__file__).resolve().parent
OURS = "zengram"


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
    npm_peers.prepare(FOLDER, "about 50 MB")


def versions() -> dict[str, str]:
    """Return the version of each package that is installed."""
    return npm_peers.versions(FOLDER)
