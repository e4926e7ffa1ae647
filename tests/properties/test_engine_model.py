"""Random schedules: the engine against a model of plain dictionaries.

A schedule is a list of small tuples, decoded into transactions that overlap, branches, schema changes, merges and reads
of earlier times; hypothesis makes and shrinks them. After each step the engine and the model must agree: on what was
refused and how, on every open transaction's view, on every branch, and at the end on every earlier state of each.
An export may be under way too. In every other schedule the database is a real one in a folder, which makes checkpoints, is closed and opened again at
random. A vacuum may be under way, a step now and then, while all the rest goes on. Copies of the database follow along: one
begins empty, others with a snapshot taken at random, and all are kept up by replaying the log. They must end as the
original does.

``ZENGRAM_SCHEDULES`` sets how many (2,000 without it).
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from typing import Any
from unittest.mock import patch

import pytest
from engine_model import Model, RefusedError, Txn
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zengram_py.clock import ManualClock
from zengram_py.engine import INT64, TEXT, ColumnDef, Database, IndexDef, Retention, Transaction, file_segment
from zengram_py.engine.vacuum import Vacuum
from zengram_py.errors import BranchError, ConflictError, PrimaryKeyError

SCHEDULES = int(os.environ.get("ZENGRAM_SCHEDULES", "2000"))
KEYS = 5
BRANCHES = 5
TEXTS = ["a", "b", "c", None]

Step = tuple[int, int, int, int]


class Pair:
    """The engine and the model, driven together."""

    def __init__(self, folder: str | None) -> None:
        self.clock = ManualClock(1000)
        self.folder = folder
        self.log: list[bytes] = []
        self.db = self.opened()
        self.work: Vacuum | None = None
        self.parts: Iterator[bytes | memoryview] = iter(())
        self.taken, self.wanted = b"", b""
        self.copies = [Database.restore(self.db.export())]
        self.db.create_table(
            "t",
            [
                ColumnDef("k", INT64),
                ColumnDef("a", TEXT),
                ColumnDef("b", INT64),
                ColumnDef("n", INT64, merge="sum"),
                ColumnDef("m", INT64, merge="max"),
                ColumnDef("w", TEXT, merge="newest"),
            ],
            primary_key=["k"],
            indexes=[
                IndexDef("by_a", "hash", (["col", "a"],)),
                IndexDef("by_b", "ordered", (["col", "b"], ["col", "a"])),
            ],
        )
        schema: dict[int, tuple[str, Any]] = {i: (name, None) for i, name in enumerate("kabnmw")}
        self.model = Model(schema, self.db.timestamp)
        self.open: list[tuple[Transaction, Txn]] = []
        self.columns = 0
        self.forks = 0

    def step(self, step: Step) -> None:
        """Take one step on both sides."""
        action, x, y, z = step
        self.clock.advance(microseconds=z % 3 - 1)
        names = self.model.live()
        branch = names[x % len(names)]
        pair = self.open[x % len(self.open)] if self.open else None
        if action < 2 and len(self.open) < 4:
            self.open.append((self.db.begin(branch=branch), self.model.begin(branch)))
        elif action < 8 and pair is not None:
            self.write(*pair, action, y, z)
        elif action < 11 and pair is not None:
            self.finish(pair, action)
        elif action == 11 and len(names) < BRANCHES:
            self.forks += 1
            self.db.fork(f"f{self.forks}", parent=branch)
            self.model.fork(f"f{self.forks}", branch)
        elif action in (12, 13) and len(names) > 1:
            self.merge(branch, names[y % len(names)], [None, None, "ours", "theirs", "newest"][z % 5])
        elif action == 14:
            self.change_schema(branch, y, z)
        elif action == 15:
            self.read_past(branch, y, z)
        elif action == 16:
            self.copies[1:] = [Database.restore(self.db.export())]
        elif action == 17:
            self.follow()
        elif action == 18:
            self.vacuum(y, z)
        elif action == 19:
            self.purge(y % KEYS)
        elif action == 20 and branch != "main":
            self.rebase(branch, [None, None, "ours", "theirs", "newest"][z % 5])
        elif action == 21 and branch != "main":
            self.db.discard(branch)
            self.model.discard(branch)
        elif action == 22 and self.folder is not None:
            self.reopen(y)
        elif action == 23:
            self.step_vacuum(y, z)
        elif action == 24:
            self.step_export(1 + y % 7)

    def opened(self) -> Database:
        """Return the database, in memory or as it is in its folder, with a log beside the folder's."""
        if self.folder is None:
            db = Database.open(clock=self.clock)
            db.on_commit = self.log.append
            return db
        db = Database.open_path(self.folder, clock=self.clock, fsync="never", segment_bytes=3000)
        append = db.on_commit
        assert append is not None

        def both(record: bytes) -> None:
            append(record)
            self.log.append(record)

        db.on_commit = both
        return db

    def reopen(self, y: int) -> None:
        """Make a checkpoint, or close the folder and open it again; open transactions are lost."""
        if y % 3:
            self.db.checkpoint()
        if y % 3 < 2:
            before = self.db
            known = (before.lsn, before.last_crc, before.timestamp, before.horizon, before.branches())
            before.close()
            self.open, self.work = [], None
            self.db = db = self.opened()
            assert (db.lsn, db.last_crc, db.timestamp, db.horizon, db.branches()) == known
            self.compare()

    def purge(self, key: int) -> None:
        """Purge a row; a purge of one that nobody can see may find nothing."""
        at = self.stamp()
        if self.db.purge("t", key):
            self.model.purge(key, [twin for _, twin in self.open], at)
        else:
            assert not self.model.has_ever(key, self.db.horizon)

    def rebase(self, branch: str, strategy: str | None) -> None:
        """Rebase a branch on its parent, unless that was discarded."""
        parent = self.model.branches[branch].parent
        assert parent is not None
        if self.model.branches[parent].discarded:
            with pytest.raises(BranchError):
                self.db.rebase(branch)
            return
        at = self.stamp()
        report = self.db.rebase(branch, strategy=strategy)
        conflicts, changed = self.model.merge(parent, branch, strategy, at)
        assert {"schema" if c.key is None else c.key[0] for c in report.conflicts} == conflicts
        assert (report.applied, report.timestamp is not None) == (not conflicts, changed)

    def write(self, txn: Transaction, twin: Txn, action: int, y: int, z: int) -> None:
        """Write one row in a transaction."""
        key = y % KEYS
        if action in (2, 3):
            row = {"k": key, "a": TEXTS[z % 4], "b": z % 3, "n": z % 5, "m": z % 7, "w": f"w{z % 4}"}
            known = {name: c for c, (name, _) in twin.state.schema.items()}
            row = {name: value for name, value in row.items() if name in known}
            full = {
                c: row.get(name, default)
                for name, c in known.items()
                for default in [twin.state.schema[c][1]]
            }
            self.both(lambda: txn.insert("t", row), lambda: self.model.insert(twin, key, full))
        elif action in (4, 5):
            names = [(c, name) for c, (name, _) in twin.state.schema.items() if name != "k"]
            number, name = names[z % len(names)]
            value: Any = f"v{z % 3}" if name in "aw" else z % 9
            self.both(
                lambda: txn.update("t", key, {name: value}),
                lambda: self.model.update(twin, key, {number: value}),
            )
        elif action == 6:
            self.both(lambda: txn.delete("t", key), lambda: self.model.delete(twin, key))
        elif z % 2 or not twin.saved:
            txn.savepoint(f"s{len(twin.saved)}")
            self.model.savepoint(twin)
        else:
            txn.rollback_to_savepoint(f"s{len(twin.saved) - 1}")
            self.model.rollback_to(twin)
        self.agree(txn, twin.state)

    def finish(self, pair: tuple[Transaction, Txn], action: int) -> None:
        """End a transaction."""
        txn, twin = pair
        self.open.remove(pair)
        if action == 10:
            txn.rollback()
            return
        lsn, sizes = self.db.lsn, self.db.size()
        if self.both(txn.commit, lambda: self.model.commit(twin, self.stamp())) == "refused":
            assert self.db.lsn == lsn
            assert self.db.size() == sizes

    def merge(self, source: str, target: str, strategy: str | None) -> None:
        """Merge one branch into another; a dry run first says the same and changes nothing."""
        if source == target:
            return
        before = (self.db.lsn, self.db.size())
        dry = self.db.merge(source, target, strategy=strategy, dry_run=True)
        assert self.db.lsn == before[0]
        at = self.stamp()
        report = self.db.merge(source, target, strategy=strategy)
        conflicts, changed = self.model.merge(source, target, strategy, at)
        assert dry.conflicts == report.conflicts
        assert {"schema" if c.key is None else c.key[0] for c in report.conflicts} == conflicts
        assert report.applied == (not conflicts)
        assert (report.timestamp is not None) == changed
        for conflict in report.conflicts:
            assert conflict.reason
        assert not self.db.merge(source, target, strategy=strategy, dry_run=True).timestamp

    def change_schema(self, branch: str, y: int, z: int) -> None:
        """Add or drop a column on a branch, in a transaction of its own."""
        schema = self.model.head(branch).schema
        extra = [c for c, (name, _) in schema.items() if name.startswith("x")]
        at = self.stamp()
        if y % 3 and len(extra) < 3:
            self.columns += 1
            name, default = f"x{self.columns}", z % 4 or None
            with self.db.begin(branch=branch) as txn:
                txn.add_column("t", ColumnDef(name, INT64, default=["lit", default]))
            self.model.add_column(branch, name, default, at)
        elif extra:
            with self.db.begin(branch=branch) as txn:
                txn.drop_column("t", schema[extra[z % len(extra)]][0])
            self.model.drop_column(branch, extra[z % len(extra)], at)

    def read_past(self, branch: str, y: int, z: int) -> None:
        """Read a branch as of an earlier time."""
        times = [stamp for b in self.model.branches.values() for stamp, _ in b.states]
        time = times[y % len(times)] + z % 3 - 1
        if time >= max(min(times), self.db.horizon):
            self.agree(self.db.begin(branch=branch, as_of=time), self.model.at(branch, time))

    def stamp(self) -> int:
        """Return the timestamp that the next commit will have."""
        return max(self.db.timestamp + 1, self.clock.now())

    def both(self, real: Any, model: Any) -> Any:
        """Do the same on both sides; they must return the same or refuse alike."""
        at = self.stamp()
        try:
            expected = model()
        except RefusedError as refused:
            expected = refused.kind
        try:
            got = real()
        except (BranchError, ConflictError, PrimaryKeyError) as error:
            got = type(error).__name__
        if isinstance(got, str):
            assert got == expected
            return "refused"
        if isinstance(expected, bool) and not isinstance(got, bool):
            expected = at if expected else got  # commit returns a timestamp
        if expected is not None:
            assert got == expected
        return got

    def agree(self, txn: Transaction, state: Any) -> None:
        """Compare what a transaction sees with a state, through scans, point reads and both indexes."""
        rows = state.named()
        assert {row["k"]: row for row in txn.scan("t")} == rows
        for key in range(KEYS):
            assert txn.get("t", key) == rows.get(key)
        for text in ("a", "v1"):
            found = sorted(row["k"] for row in txn.lookup("t", "by_a", text))
            assert found == sorted(k for k, row in rows.items() if row["a"] == text)
        ordered = [(row["b"], row["a"], row["k"]) for row in txn.range("t", "by_b", low=1, high=4)]
        wanted = [(r["b"], r["a"], k) for k, r in rows.items() if r["b"] is not None and 1 <= r["b"] <= 4]
        assert sorted(ordered, key=_nulls_last) == sorted(wanted, key=_nulls_last)
        assert [_nulls_last(r)[:2] for r in ordered] == sorted(_nulls_last(r)[:2] for r in ordered)

    def compare(self) -> None:
        """Compare every open transaction and the head of every branch."""
        for txn, twin in self.open:
            self.agree(txn, twin.state)
        for name in self.model.live():
            self.agree(self.db.begin(branch=name), self.model.head(name))

    def vacuum(self, y: int, z: int) -> None:
        """Vacuum, all at once or in small steps between which work goes on; some of the past is kept."""
        retention = Retention(commits=y % 6 if z % 2 else None)
        if z % 3:
            self.db.vacuum(retention=retention)
        else:
            self.db.retention = retention
            work = self.db._new_vacuum()
            for _ in range(y % 5):
                work.step(0.0)
            if not work.is_done:
                with self.db.begin() as txn:
                    assert txn.count("t") == len(self.model.head("main").rows)
                while not work.step(0.0):
                    pass
        assert not any(store.ended for n, store in self.db.stores.items() if not self.db.is_busy(n))

    def step_vacuum(self, y: int, z: int) -> None:
        """Go some steps on with a vacuum that is under way while all else happens."""
        if self.work is None or self.work.is_done:
            self.db.retention = Retention(commits=y % 6 if z % 2 else None)
            self.work = self.db._new_vacuum()
        for _ in range(1 + y % 4):
            if not self.work.is_done:
                self.work.step(0.0)

    def step_export(self, count: int) -> None:
        """Take some parts of an export that is under way while all else happens: it is of the moment when it began."""
        part: bytes | memoryview | None = None
        for part in islice(self.parts, count):
            self.taken += part
        if part is None:
            assert self.taken == self.wanted
            self.wanted, self.taken = self.db.export(), b""
            self.parts = self.db.export_chunks(300)

    def follow(self) -> None:
        """Replay the log into the copies; what they have already is skipped."""
        for copy in self.copies:
            had = copy.lsn
            report = copy.replay(self.log)
            assert (report.applied, report.skipped, report.tail) == (self.db.lsn - had, had, None)

    def compare_history(self) -> None:
        """Compare every branch at every time, in the database and its copies."""
        assert b"".join([self.taken, *self.parts]) == self.wanted
        self.follow()
        times = sorted({stamp for b in self.model.branches.values() for stamp, _ in b.states})
        times = [*(t for t in times if t >= self.db.horizon), self.db.timestamp]
        for name in self.model.live():
            for time in times:
                self.agree(self.db.begin(branch=name, as_of=time), self.model.at(name, time))
            for copy in self.copies:
                self.agree(copy.begin(branch=name), self.model.head(name))
                time = times[len(self.log) % len(times)]
                self.agree(copy.begin(branch=name, as_of=time), self.model.at(name, time))
        assert all(copy.branches() == self.db.branches() for copy in self.copies)


def _nulls_last(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple((part is None, part or 0) if not isinstance(part, str) else (False, part) for part in row)


steps = st.tuples(st.integers(0, 24), st.integers(0, 11), st.integers(0, 29), st.integers(0, 59))


@given(st.lists(steps, min_size=10, max_size=60), st.booleans())
@settings(max_examples=SCHEDULES, deadline=None, suppress_health_check=list(HealthCheck))
def test_random_schedules(schedule: list[Step], in_folder: bool) -> None:
    with ExitStack() as stack:
        folder = None
        if in_folder:  # what a sync is for is tested elsewhere
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            for name in ("sync_file", "sync_folder"):
                stack.enter_context(patch.object(file_segment, name, lambda _: None))
        pair = Pair(folder)
        stack.callback(lambda: pair.db.close())
        for number, step in enumerate(schedule):
            pair.step(step)
            if number % 8 == 7:
                pair.compare()
        pair.compare()
        pair.compare_history()
