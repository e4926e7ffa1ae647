"""Writes to a database in a folder until it is killed, and says what was acknowledged; test_crash.py's child process.

    python crash_writer.py FOLDER SEED FSYNC

Money moves between two tables, so that the sum over both never changes, and each transfer is an entry of a journal: what
the tables must hold can be computed from it. Now and then it makes a checkpoint, a branch that is merged, a vacuum. A line
``lsn journal-entry`` goes out after each commit has returned.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterable
from typing import Any

from zengram_py.engine import INT64, TEXT, ColumnDef, Database, IndexDef

ACCOUNTS = 8
START = 1000


def create(db: Database) -> None:
    """Make the tables."""
    with db.begin() as t:
        for name in ("left", "right"):
            t.create_table(
                name, [ColumnDef("k", INT64), ColumnDef("n", INT64, merge="sum")], primary_key=["k"]
            )
            t.insert_many(name, {"k": list(range(ACCOUNTS)), "n": [START] * ACCOUNTS})
        t.create_table(
            "journal",
            [*(ColumnDef(n, INT64) for n in ("id", "source", "target", "amount")), ColumnDef("note", TEXT)],
            primary_key=["id"],
            indexes=[IndexDef("by_source", "ordered", (["col", "source"],))],
        )
        t.create_sequence("entries")


def transfer(db: Database, rng: random.Random, branch: str = "main") -> int:
    """Move money and write it into the journal; return the entry."""
    with db.begin(branch=branch) as t:
        source, target, amount = rng.randrange(ACCOUNTS), rng.randrange(ACCOUNTS), rng.randrange(1, 50)
        for table, key, change in (("left", source, -amount), ("right", target, amount)):
            row = t.get(table, key)
            assert row is not None
            t.update(table, key, {"n": row["n"] + change})
        entry = t.nextval("entries")
        t.insert(
            "journal",
            {
                "id": entry,
                "source": source,
                "target": target,
                "amount": amount,
                "note": "x" * rng.randrange(300),
            },
        )
    return entry


def check(db: Database, acknowledged: Iterable[int] = ()) -> int:
    """Check what must hold after any crash, entries that were acknowledged; return how many entries there are."""
    with db.begin(read_only=True) as t:
        journal = {row["id"]: row for row in t.scan("journal")}
        left = {row["k"]: row["n"] for row in t.scan("left")}
        right = {row["k"]: row["n"] for row in t.scan("right")}
        found = [row["id"] for key in range(ACCOUNTS) for row in t.range("journal", "by_source", key, key)]
        assert sorted(found) == sorted(journal)
    assert sum(left.values()) + sum(right.values()) == 2 * ACCOUNTS * START
    assert set(acknowledged) <= set(journal)
    for key in range(ACCOUNTS):
        assert left[key] == START - sum(r["amount"] for r in journal.values() if r["source"] == key)
        assert right[key] == START + sum(r["amount"] for r in journal.values() if r["target"] == key)
    return len(journal)


def step(db: Database, rng: random.Random) -> int:
    """Do something, at last a transfer; return its entry."""
    kind = rng.randrange(40)
    if kind == 0:
        db.checkpoint()
    elif kind == 1:
        db.vacuum()
    elif kind == 2:
        name = f"b{db.lsn}"
        db.fork(name)
        transfer(db, rng, name)
        assert db.merge(name).applied
        db.discard(name)
    return transfer(db, rng)


def main(folder: str, seed: str, fsync: str) -> None:
    """Write until killed."""
    rng = random.Random(int(seed))
    options: dict[str, Any] = {"fsync": fsync, "segment_bytes": 4000, "checkpoint_bytes": 30_000}
    db = Database.open_path(folder, **options)
    if not db.tables():
        create(db)
    while True:
        entry = step(db, rng)
        os.write(1, f"{db.lsn} {entry}\n".encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
