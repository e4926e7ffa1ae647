"""A soak: everything that an application does to a database in a folder, for a long time, and nothing may pile up.

``ZENGRAM_SOAK_SECONDS=3600 pytest -s tests/engine/test_soak.py`` is an hour of it; without the variable it is short. A plain
model says what main and its branches hold. Each branch owns the keys of one residue, so that the model knows how a merge
comes out; schema changes on both sides are decided for the target.
"""

from __future__ import annotations

import gc
import os
import random
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from zengram_py.engine import INT64, JSON, TEXT, ColumnDef, Database, IndexDef, Retention, vector
from zengram_py.errors import CatalogError

SECONDS = float(os.environ.get("ZENGRAM_SOAK_SECONDS", "45"))
SAMPLES = 30
KEYS, CLASSES = 600, 4
Row = tuple[str, int, str]


@dataclass
class Sample:
    """What was held at one moment."""

    operations: int
    bytes: int  # that the engine says it holds
    objects: int  # of Python
    disk: int
    live: int
    slots: int


@dataclass
class Soak:
    """The database, and what it must hold."""

    folder: Path
    rng: random.Random = field(default_factory=lambda: random.Random(1))
    main: dict[int, Row] = field(default_factory=dict)
    branches: dict[int, dict[int, Row]] = field(default_factory=dict)  # by residue
    samples: list[Sample] = field(default_factory=list)
    done: dict[str, int] = field(default_factory=dict)
    made: int = 0

    def __post_init__(self) -> None:
        self.open()
        self.db.create_table(
            "note",
            [
                ColumnDef("id", INT64),
                ColumnDef("text", TEXT),
                ColumnDef("n", INT64),
                ColumnDef("code", TEXT),
                ColumnDef("data", JSON),
                ColumnDef("place", vector(16)),
            ],
            primary_key=["id"],
            indexes=[
                IndexDef("by_text", "hash", (["col", "text"],)),
                IndexDef("by_n", "ordered", (["col", "n"], ["col", "text"])),
                IndexDef("by_code", "hash", (["col", "code"],), unique=True),
                IndexDef("near", "flat", (["col", "place"],)),
                IndexDef("graph", "hnsw", (["col", "place"],)),
                IndexDef("words", "fulltext", (["col", "text"],)),
            ],
        )

    def open(self) -> None:
        self.db = Database.open_path(
            self.folder, fsync="never", segment_bytes=1 << 17, checkpoint_bytes=1 << 19
        )
        self.db.retention = Retention(commits=50)

    # -- what happens ------------------------------------------------------------------------------------------------

    def write(self) -> None:
        """Insert, update and delete some rows, on main or a branch; now and then roll back."""
        residue = self.rng.choice([0, *self.branches])
        rows = self.branches[residue] if residue else self.main
        keys = [k for k in range(KEYS) if self.owner(k) == residue]
        changed: dict[int, Row | None] = {}
        t = self.db.begin(branch=self.name(residue))
        for key in self.rng.sample(keys, self.rng.choice([1, 1, 2, 5, 40])):
            self.made += 1
            row = (
                f"text {self.rng.randrange(2000)} " + "x" * self.rng.randrange(60),
                self.made,
                f"code {self.made}",
            )
            what = self.rng.random()
            if key not in rows:
                place = np.random.default_rng(self.made).standard_normal(16) if what < 0.8 else None
                values = {"text": row[0], "n": row[1], "code": row[2], "data": {"made": self.made}}
                t.insert("note", {"id": key, **values, "place": place})
                changed[key] = row
            elif what < 0.3:
                t.delete("note", key)
                changed[key] = None
            elif what < 0.7:  # only a number: all else is shared with the version before
                t.update("note", key, {"n": self.made})
                changed[key] = (rows[key][0], self.made, rows[key][2])
            else:
                t.update("note", key, {"text": row[0], "n": row[1], "code": row[2]})
                changed[key] = row
        if self.rng.random() < 0.1:
            t.rollback()
            return
        t.commit()
        for key, new in changed.items():
            if new is None:
                del rows[key]
            else:
                rows[key] = new

    def fork(self) -> None:
        free = [r for r in range(1, CLASSES) if r not in self.branches]
        if free:
            residue = self.rng.choice(free)
            self.db.fork(self.name(residue))
            self.branches[residue] = dict(self.main)

    def merge(self, residue: int | None = None) -> None:
        residue = residue or self.some_branch()
        if residue:
            assert self.db.merge(self.name(residue), strategy="ours").applied
            mine = {k: row for k, row in self.branches[residue].items() if k % CLASSES == residue}
            self.main = {k: row for k, row in self.main.items() if k % CLASSES != residue} | mine

    def rebase(self) -> None:
        residue = self.some_branch()
        if residue:
            dry = self.db.rebase(self.name(residue), strategy="ours", dry_run=True)
            report = self.db.rebase(self.name(residue), strategy="ours")
            assert report.applied
            assert (dry.added, dry.changed, dry.removed) == (report.added, report.changed, report.removed)
            mine = {k: row for k, row in self.branches[residue].items() if k % CLASSES == residue}
            self.branches[residue] = {k: row for k, row in self.main.items() if k % CLASSES != residue} | mine

    def discard(self) -> None:
        residue = self.some_branch()
        if residue:
            self.db.discard(self.name(residue))
            del self.branches[residue]

    def purge(self) -> None:
        key = self.rng.randrange(KEYS)
        there = any(key in rows for rows in (self.main, *self.branches.values()))
        assert self.db.purge("note", key) or not there
        for rows in (self.main, *self.branches.values()):
            rows.pop(key, None)

    def change_schema(self) -> None:
        branch = self.name(self.rng.choice([0, 0, *self.branches]))
        extra = self.rng.randrange(3)
        with self.db.begin(branch=branch) as t:
            try:
                t.drop_column("note", f"x{extra}")
            except CatalogError:
                t.add_column("note", ColumnDef(f"x{extra}", self.rng.choice([INT64, TEXT])))

    def change_indexes(self) -> None:
        branch = self.name(self.rng.choice([0, 0, *self.branches]))
        with self.db.begin(branch=branch) as t:
            try:
                t.drop_index("note", "extra")
            except CatalogError:
                kind = self.rng.choice(["hash", "ordered"])
                t.create_index("note", IndexDef("extra", kind, (["col", "code"], ["col", "n"])))

    def vacuum(self) -> None:
        self.db.vacuum()

    def checkpoint(self) -> None:
        self.db.checkpoint()

    def read_past(self) -> None:
        times = self.db.commits[0].view
        past = self.db.begin(as_of=max(self.db.horizon, int(times[-min(20, len(times))])))
        assert past.count("note") <= KEYS

    def reopen(self) -> None:
        before = self.rows()
        self.db.close()
        self.open()
        assert self.rows() == before
        self.check()

    # -- what must be ------------------------------------------------------------------------------------------------

    def name(self, residue: int) -> str:
        return f"b{residue}" if residue else "main"

    def owner(self, key: int) -> int:
        residue = key % CLASSES
        return residue if residue in self.branches else 0

    def some_branch(self) -> int | None:
        return self.rng.choice([*self.branches]) if self.branches else None

    def rows(self, branch: str = "main") -> dict[int, Row]:
        with self.db.begin(branch=branch, read_only=True) as t:
            return {
                r["id"]: (r["text"], r["n"], r["code"]) for r in t.scan("note", ["id", "text", "n", "code"])
            }

    def check(self) -> None:
        assert self.rows() == self.main
        for residue, rows in self.branches.items():
            assert self.rows(self.name(residue)) == rows
        with self.db.begin(read_only=True) as t:
            for key in self.rng.sample(range(KEYS), 20):
                row = self.main.get(key)
                found = t.get("note", key)
                assert (found is None) == (row is None)
                if row is not None:
                    assert [r["id"] for r in t.lookup("note", "by_code", row[2])] == [key]
                    assert key in [r["id"] for r in t.lookup("note", "by_text", row[0])]
            ordered = [r["n"] for r in t.range("note", "by_n")]
            assert ordered == sorted(row[1] for row in self.main.values())

    def sample(self) -> None:
        gc.collect()
        sizes = sum(n for parts in self.db.size().values() for part, n in parts.items() if part != "masks")
        disk = sum(path.stat().st_size for path in self.folder.iterdir())
        slots = len(self.db.begin().seen("note").store)
        operations = sum(self.done.values())
        self.samples.append(Sample(operations, sizes, len(gc.get_objects()), disk, len(self.main), slots))

    def run(self, seconds: float) -> None:
        operations = [
            (self.write, 100),
            (self.fork, 6),
            (self.merge, 5),
            (self.rebase, 5),
            (self.discard, 4),
            (self.purge, 5),
            (self.change_schema, 1),
            (self.change_indexes, 1),
            (self.vacuum, 1),
            (self.checkpoint, 0.5),
            (self.read_past, 3),
        ]
        calls, weights = zip(*operations, strict=True)
        began = time.perf_counter()
        for number in range(1, SAMPLES + 1):
            until = began + seconds * number / SAMPLES
            while time.perf_counter() < until:
                for call in self.rng.choices(calls, weights, k=20):
                    call()
                    self.done[call.__name__] = self.done.get(call.__name__, 0) + 1
                    self.db.maintain(8)
            self.check()
            if number % 5 == 0:
                self.reopen()
            for _ in range(1000):  # what is due is done: only then can two moments be compared
                if not self.db.maintain(8):
                    break
            self.sample()


def middle(samples: list[Sample], name: str) -> float:
    return float(np.median([getattr(sample, name) for sample in samples]))


def test_a_soak_settles(tmp_path: Path) -> None:
    soak = Soak(tmp_path / "db")
    soak.run(SECONDS)
    third = SAMPLES // 3
    thirds = [soak.samples[i * third : (i + 1) * third] for i in range(3)]
    print(f"\n{sum(soak.done.values())} operations: {soak.done}")
    print(f"{'':10}" + "".join(f"{name:>14}" for name in ("first third", "middle", "last", "most")))
    for name in ("bytes", "objects", "disk", "live", "slots"):
        figures = [middle(part, name) for part in thirds] + [max(getattr(s, name) for s in soak.samples)]
        print(f"{name:10}" + "".join(f"{figure:14,.0f}" for figure in figures))
    # Every purge is followed by a vacuum, so the slots that are left are those that the branches of the moment hold on to.
    for name, more in (("bytes", 1.25), ("objects", 1.1), ("disk", 1.4), ("slots", 2)):
        assert middle(thirds[2], name) <= more * middle(thirds[1], name), name
    ratios = [middle(part, "slots") / middle(part, "live") for part in thirds[1:]]
    assert ratios[1] < 2 * ratios[0]
    assert ratios[1] < 6
    soak.db.close()
