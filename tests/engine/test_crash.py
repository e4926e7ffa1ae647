"""Crashes: a process that is killed while it writes, at any moment, loses nothing that was acknowledged.

``ZENGRAM_KILLS`` sets how often the writing process is killed at random (20 without it).
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import crash_writer
import pytest

from zengram_py.engine import Database, file_segment, file_store
from zengram_py.errors import StoreError

KILLS = int(os.environ.get("ZENGRAM_KILLS", "20"))
ROOT = Path(__file__).parents[2]


def run_until_killed(folder: Path, seed: int, fsync: str, delay: float) -> list[tuple[int, int]]:
    """Start the writer, kill it some time after its first commit, and return what it acknowledged."""
    script = [sys.executable, str(ROOT / "tests/engine/crash_writer.py"), str(folder), str(seed), fsync]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(script, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        first = child.stdout.readline()
        if not first:
            raise AssertionError(child.stderr.read().decode())
        time.sleep(delay)
        child.kill()
        rest = child.stdout.read()
    lines = (first + rest).decode().splitlines(keepends=True)
    whole = [line.split() for line in lines if line.endswith("\n")]
    return [(int(lsn), int(entry)) for lsn, entry in whole]


def test_a_killed_process_loses_no_acknowledged_commit(tmp_path: Path) -> None:
    rng = random.Random(20)
    entries: dict[Path, set[int]] = {}
    cut = replayed = 0
    for number in range(KILLS):
        folder = tmp_path / f"db{number % 4}"  # each is killed several times over
        fsync = ("never", "interval", "commit", "never")[number % 4]
        acknowledged = run_until_killed(folder, number, fsync, rng.uniform(0, 0.25))
        db = Database.open_path(folder)
        assert db.lsn >= acknowledged[-1][0]
        assert db.recovery is not None
        assert db.recovery.set_aside == ()
        known = entries.setdefault(folder, set())
        known.update(entry for _, entry in acknowledged)
        crash_writer.check(db, known)
        cut, replayed = cut + db.recovery.cut, replayed + db.recovery.replayed
        known.add(crash_writer.transfer(db, rng))  # and it goes on
        db.close()
    assert replayed > 0
    print(f"{KILLS} kills, {sum(map(len, entries.values()))} commits, {replayed} replayed, {cut} bytes cut")


# -- dying at each step of a checkpoint ---------------------------------------------------------------------------------

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")


def die_at(step: int) -> None:
    """Kill this process before its ``step``-th call of the system that changes files; a write dies half-way."""
    left = [step]

    def wrap(function: Any, before: Any = None) -> Any:
        def wrapped(*arguments: Any, **options: Any) -> Any:
            left[0] -= 1
            if left[0] == 0:
                if before is not None:
                    before(*arguments)
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*arguments, **options)

        return wrapped

    def half(descriptor: int, data: bytes) -> None:
        os.write(descriptor, data[: len(data) // 2])

    file_segment.write_all = wrap(file_segment.write_all, half)
    file_segment.sync_file = wrap(file_segment.sync_file)
    file_segment.sync_folder = wrap(file_segment.sync_folder)
    os.replace = wrap(os.replace)
    os.remove = wrap(os.remove)
    os.ftruncate = wrap(os.ftruncate)


def in_child(work: Any) -> int:
    """Do work in a forked process and return how it ended: 0, or the signal."""
    child = os.fork()
    if not child:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return -os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@needs_fork
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_dying_at_any_step_of_opening_writing_and_checkpoints(tmp_path: Path) -> None:
    def work(folder: Path, step: int) -> None:
        die_at(step)
        db = Database.open_path(folder, segment_bytes=4000)
        if not db.tables():
            crash_writer.create(db)
        rng = random.Random(step)
        for _ in range(3):
            os.write(out, f"{crash_writer.transfer(db, rng)}\n".encode())
        db.checkpoint()
        for _ in range(2):
            os.write(out, f"{crash_writer.transfer(db, rng)}\n".encode())
        db.checkpoint()
        db.close()

    folder = tmp_path / "db"
    step = ends = 0
    while not ends:
        step += 1
        for where in (folder, tmp_path / f"fresh{step}"):
            into, out = os.pipe()
            ended = in_child(lambda where=where, step=step: work(where, step))
            os.close(out)
            with os.fdopen(into, "rb") as pipe:
                acknowledged = [int(line) for line in pipe.read().split()]
            assert ended in (0, signal.SIGKILL)
            db = Database.open_path(where)
            if db.tables():
                crash_writer.check(db, acknowledged)
            else:
                assert not acknowledged
            assert "snapshot.tmp" not in os.listdir(where)
            db.close()
            ends = ended == 0
    assert step > 25


@needs_fork
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_dying_while_recovering(tmp_path: Path) -> None:
    db = Database.open_path(tmp_path, fsync="never", segment_bytes=4000)
    crash_writer.create(db)
    rng = random.Random(1)
    entries = [crash_writer.transfer(db, rng) for _ in range(30)]
    db.close()
    for step in range(1, 8):
        log = sorted(tmp_path.glob("log-*"))[-1]
        with open(log, "ab") as file:
            file.write(b"ZREC torn")
        in_child(lambda step=step: (die_at(step), Database.open_path(tmp_path).checkpoint()))
        db = Database.open_path(tmp_path)
        assert crash_writer.check(db, entries) == len(entries)
        entries.append(crash_writer.transfer(db, rng))
        db.close()


# -- a disk that is full or read-only -----------------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    try:
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)], check=True, capture_output=True
        )
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"a small file system cannot be mounted here: {error}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True, capture_output=True)


def test_a_disk_that_is_full(small_disk: Path) -> None:
    folder = small_disk / "db"
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(140 << 10))
    db = Database.open_path(folder, segment_bytes=20_000, checkpoint_bytes=None)
    crash_writer.create(db)
    rng = random.Random(5)
    entry = 0

    def until_full() -> None:
        nonlocal entry
        while True:
            entry = crash_writer.transfer(db, rng)

    for _ in range(5):
        with pytest.raises(StoreError, match="No space left"):
            until_full()
    lsn = db.lsn
    crash_writer.check(db)
    with pytest.raises(StoreError, match="No space left"):
        db.checkpoint()
    with contextlib.suppress(StoreError):  # a small record may still fit
        for i in range(100):
            db.fork(f"b{i}")
    branches = len(db.branches())
    assert db.lsn == lsn + branches - 1
    ballast.unlink()
    for _ in range(5):
        last = crash_writer.transfer(db, rng)
        assert last > entry
    count = crash_writer.check(db)
    db.close()
    again = Database.open_path(folder)
    assert again.recovery == file_store.Recovery(0, lsn + branches + 4, 0, ())
    assert crash_writer.check(again) == count
    assert len(again.branches()) == branches
    again.checkpoint()
    again.close()
    assert len(list(folder.glob("log-*"))) == 1


def test_a_disk_that_fills_up_under_checkpoints(small_disk: Path) -> None:
    """Checkpoints that no longer fit do not harm; commits go on until the log has no room either."""
    db = Database.open_path(small_disk / "db", segment_bytes=8000, checkpoint_bytes=20_000)
    crash_writer.create(db)
    rng = random.Random(6)
    with contextlib.suppress(StoreError):
        while db.lsn < 2000:
            crash_writer.transfer(db, rng)
    assert db.lsn > 300
    count = crash_writer.check(db)
    db.close()
    again = Database.open_path(small_disk / "db")
    assert crash_writer.check(again) == count
    again.close()


def test_a_disk_that_is_read_only(small_disk: Path) -> None:
    Database.open_path(small_disk / "db").close()
    remount = ["mount", "-o", "remount,ro", str(small_disk)]
    subprocess.run(remount, check=True, capture_output=True)
    for folder in (small_disk / "db", small_disk / "new"):
        with pytest.raises(StoreError, match="Read-only file system"):
            Database.open_path(folder)
