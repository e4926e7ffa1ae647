"""A database in a folder: what is there after closing, failing and being damaged."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from state import whole as state_of

from zengram_py.engine import INT64, TEXT, ColumnDef, Database, file_lock, file_segment, file_store
from zengram_py.engine.log import read_records
from zengram_py.errors import (
    ClosedError,
    InvalidArgumentError,
    LogError,
    SnapshotError,
    StoreError,
    StoreLockedError,
)

Opener = Callable[..., Database]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "db"


@pytest.fixture
def opened() -> Iterator[Opener]:
    """Opens folders and closes what is still open at the end."""
    databases: list[Database] = []

    def open_path(folder: Path, **options: Any) -> Database:
        databases.append(
            Database.open_path(folder, **{"fsync": "never", "checkpoint_bytes": None, **options})
        )
        return databases[-1]

    yield open_path
    for db in databases:
        db.close()


def fill(db: Database, first: int, count: int) -> None:
    if not db.tables():
        db.create_table("t", [ColumnDef("k", INT64), ColumnDef("v", TEXT)], primary_key=["k"])
    for k in range(first, first + count):
        with db.begin() as t:
            t.insert("t", {"k": k, "v": f"value {k}"})


def keys(db: Database) -> list[int]:
    return sorted(row["k"] for row in db.begin().scan("t"))


def names(folder: Path, kind: str) -> list[str]:
    return sorted(name for name in os.listdir(folder) if name.startswith(kind))


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(bytes(data))


# -- open, write, close -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fsync", ["commit", "interval", "never"])
def test_what_was_committed_is_there_again(folder: Path, opened: Opener, fsync: str) -> None:
    db = opened(folder / "made" / "deep", fsync=fsync)
    assert db.recovery == file_store.Recovery(0, 0, 0, ())
    fill(db, 0, 5)
    db.fork("b")
    with db.begin(branch="b") as t:
        t.update("t", 1, {"v": "b"})
    before, number = state_of(db), db.id
    db.close()
    db.close()
    with pytest.raises(ClosedError):
        db.begin()
    again = opened(folder / "made" / "deep", fsync=fsync)
    assert again.recovery == file_store.Recovery(0, 8, 0, ())
    assert (state_of(again), again.id) == (before, number)
    fill(again, 5, 5)
    again.close()
    assert keys(opened(folder / "made" / "deep")) == list(range(10))


def test_a_checkpoint_leaves_one_snapshot_and_an_empty_log(folder: Path, opened: Opener) -> None:
    db = opened(folder)
    fill(db, 0, 5)
    db.checkpoint()
    assert names(folder, "") == ["lock", f"log-{7:020}", f"snapshot-{6:020}"]
    assert (folder / f"log-{7:020}").stat().st_size == 0
    db.checkpoint()  # nothing new
    assert names(folder, "snapshot") == [f"snapshot-{6:020}"]
    fill(db, 5, 2)
    db.close()
    again = opened(folder)
    assert again.recovery == file_store.Recovery(6, 2, 0, ())
    assert keys(again) == list(range(7))
    again.checkpoint()
    again.close()
    assert opened(folder).recovery == file_store.Recovery(8, 0, 0, ())


def test_the_log_goes_on_in_segments(folder: Path, opened: Opener) -> None:
    db = opened(folder, segment_bytes=1000)
    fill(db, 0, 30)
    segments = names(folder, "log")
    assert len(segments) > 5
    firsts = [int(name[-20:]) for name in segments]
    for name, first in zip(segments, firsts, strict=True):
        records, tail = read_records((folder / name).read_bytes())
        assert (records[0].lsn, tail) == (first, None)
        assert (folder / name).stat().st_size <= 1000
    db.close()
    again = opened(folder, segment_bytes=1000)
    assert keys(again) == list(range(30))
    fill(again, 30, 1)
    again.checkpoint()
    assert len(names(folder, "log")) == 1


def maintain(db: Database) -> int:
    steps = 1
    while db.maintain(0.001):
        steps += 1
    return steps


def test_maintenance_makes_a_checkpoint_of_a_long_log_in_steps(folder: Path, opened: Opener) -> None:
    db = opened(folder, checkpoint_bytes=4000)
    fill(db, 0, 10)
    assert db.pending() == []
    fill(db, 10, 190)
    assert db.pending() == ["checkpoint"]
    assert names(folder, "snapshot") == [f"snapshot-{0:020}"]  # no commit was held up by it
    steps = 1
    while db.maintain(0.001):
        fill(db, 200 + steps, 1)  # commits between the steps are in the log that goes on
        steps += 1
    assert steps >= 4
    assert names(folder, "snapshot") == [f"snapshot-{201:020}"]
    assert db.pending() == []
    db.close()
    again = opened(folder)
    assert keys(again) == [*range(200), *range(201, 200 + steps)]
    assert again.recovery == file_store.Recovery(201, steps - 1, 0, ())


def test_a_checkpoint_on_demand_replaces_one_under_way(folder: Path, opened: Opener) -> None:
    db = opened(folder, checkpoint_bytes=1000)
    fill(db, 0, 50)
    assert db.maintain(0.001)
    fill(db, 50, 1)
    db.checkpoint()
    assert names(folder, "") == ["lock", f"log-{53:020}", f"snapshot-{52:020}"]
    assert db.pending() == []


def test_a_checkpoint_that_cannot_be_made_does_not_stop_work(
    folder: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = opened(folder, checkpoint_bytes=2000)

    def fails(*_: Any) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(file_store, "write_snapshot", fails)
        fill(db, 0, 50)
        maintain(db)
        store = db._store
        assert store is not None
        assert "No space left" in str(store.checkpoint_error)
        assert db.pending() == []  # for a while
        with pytest.raises(StoreError, match="No space left"):
            db.checkpoint()
    assert names(folder, "snapshot") == [f"snapshot-{0:020}"]
    fill(db, 50, 50)
    maintain(db)
    assert store.checkpoint_error is None
    assert names(folder, "snapshot") != [f"snapshot-{0:020}"]
    db.close()
    assert keys(opened(folder)) == list(range(100))


def test_no_folder_no_checkpoint() -> None:
    with pytest.raises(StoreError, match="no folder"):
        Database.open().checkpoint()


def test_vacuumed_and_purged_rows_stay_away_and_leave_the_files(folder: Path, opened: Opener) -> None:
    db = opened(folder)
    fill(db, 0, 5)
    with db.begin() as t:
        t.insert("t", {"k": 99, "v": "a secret to forget"})
    db.purge("t", 99)
    db.vacuum()
    fill(db, 5, 2)
    before = state_of(db)
    db.close()
    again = opened(folder)
    assert state_of(again)["branches"] == before["branches"]
    again.checkpoint()
    again.close()
    for name in names(folder, ""):
        assert b"secret" not in (folder / name).read_bytes()
    assert keys(opened(folder)) == list(range(7))


def test_options_are_checked(folder: Path) -> None:
    for options in (
        {"fsync": "sometimes"},
        {"fsync_interval": 0},
        {"segment_bytes": 0},
        {"checkpoint_bytes": 0},
    ):
        with pytest.raises(InvalidArgumentError):
            Database.open_path(folder, **options)  # type: ignore[arg-type]
    assert not folder.exists()


# -- syncing ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def syncs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Counts syncs of files."""
    calls: list[int] = []
    sync = file_segment.sync_file

    def counted(descriptor: int) -> None:
        calls.append(descriptor)
        sync(descriptor)

    monkeypatch.setattr(file_segment, "sync_file", counted)
    return calls


def test_commit_syncs_each_commit_and_never_none(folder: Path, opened: Opener, syncs: list[int]) -> None:
    db = opened(folder, fsync="commit")
    syncs.clear()
    fill(db, 0, 10)
    assert len(syncs) == 11
    db.close()
    db = opened(folder, fsync="never")
    syncs.clear()
    fill(db, 10, 10)
    assert not syncs
    db.close()
    assert len(syncs) == 1


def test_interval_syncs_soon_after_the_last_commit(folder: Path, opened: Opener, syncs: list[int]) -> None:
    db = opened(folder, fsync="interval", fsync_interval=0.05)
    syncs.clear()
    fill(db, 0, 20)
    until = time.monotonic() + 5
    while not syncs and time.monotonic() < until:
        time.sleep(0.01)
    assert 1 <= len(syncs) < 10
    time.sleep(0.2)
    count = len(syncs)
    time.sleep(0.2)
    assert len(syncs) == count  # nothing written, nothing synced


def test_a_failed_sync_fails_the_commit_and_ends_writing(
    folder: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = opened(folder, fsync="commit")
    fill(db, 0, 3)
    before = state_of(db)

    def broken(_: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(file_segment, "sync_file", broken)
        with pytest.raises(StoreError, match="cannot be synced: Input/output error"):
            fill(db, 3, 1)
    assert state_of(db) == before
    with pytest.raises(StoreError, match="takes no more writes") as caught:  # though a sync would succeed now
        fill(db, 3, 1)
    assert caught.value.code == "STORE_READ_ONLY"
    with pytest.raises(StoreError, match="takes no more writes"):
        db.checkpoint()
    assert keys(db) == [0, 1, 2]
    db.close()
    again = opened(folder)
    assert keys(again) == [0, 1, 2]
    fill(again, 3, 1)


def test_a_failed_sync_in_the_background_fails_the_next_commit(
    folder: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = opened(folder, fsync="interval", fsync_interval=0.01)
    tried: list[int] = []

    def broken(descriptor: int) -> None:
        tried.append(descriptor)
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(file_segment, "sync_file", broken)
    fill(db, 0, 1)
    until = time.monotonic() + 5
    while not tried and time.monotonic() < until:
        time.sleep(0.01)
    time.sleep(0.05)
    with pytest.raises(StoreError, match="Input/output error"):
        fill(db, 1, 1)
    assert keys(db) == [0]


# -- writing that fails -------------------------------------------------------------------------------------------------


class FullDisk:
    """A disk with so many bytes left; a write beyond them writes in part and fails."""

    def __init__(self, left: int) -> None:
        self.left = left

    def write_all(self, descriptor: int, data: bytes) -> None:
        part = data[: self.left]
        self.left -= len(part)
        os.write(descriptor, part)
        if len(part) < len(data):
            raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_refuses_the_commit_and_takes_the_next_when_there_is_space(
    folder: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = opened(folder)
    fill(db, 0, 3)
    log = folder / names(folder, "log")[-1]
    for left in (0, 1, 63, 64, 100):
        before, length = state_of(db), log.stat().st_size
        with monkeypatch.context() as patch:
            patch.setattr(file_segment, "write_all", FullDisk(left).write_all)
            for _ in range(2):
                with pytest.raises(StoreError, match="No space left on device"):
                    fill(db, 100, 1)
                with pytest.raises(StoreError, match="No space left on device"):
                    db.fork("b")
        assert state_of(db) == before
        assert log.stat().st_size == length
        fill(db, left + 1000, 1)
    db.close()
    assert keys(opened(folder)) == [0, 1, 2, 1000, 1001, 1063, 1064, 1100]


def test_a_record_that_cannot_be_taken_back_ends_writing_and_is_cut_at_the_next_opening(
    folder: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = opened(folder)
    fill(db, 0, 3)

    def broken(*_: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(file_segment, "write_all", FullDisk(50).write_all)
        patch.setattr(file_segment, "truncate", broken)
        with pytest.raises(StoreError, match="No space left"):
            fill(db, 3, 1)
    with pytest.raises(StoreError, match="takes no more writes") as caught:
        fill(db, 3, 1)
    assert caught.value.code == "STORE_READ_ONLY"
    db.close()
    again = opened(folder)
    assert again.recovery == file_store.Recovery(0, 4, 0, ())  # closing tried once more


def test_an_interrupted_append_is_taken_back(
    folder: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C after the bytes are written and before they count: no commit, and the next goes in their place."""
    db = opened(folder, fsync="commit")
    fill(db, 0, 2)
    for name in ("sync_file", "write_all"):

        def interrupted(descriptor: int, data: bytes = b"", write: Any = os.write) -> None:
            write(descriptor, data)
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(file_segment, name, interrupted)
            with pytest.raises(KeyboardInterrupt):
                fill(db, 50, 1)
        assert keys(db) == [0, 1]
        if name == "sync_file":  # whether it is on the disk nobody knows
            with pytest.raises(StoreError, match="open it anew"):
                fill(db, 2, 1)
            db.close()
            db = opened(folder, fsync="commit")
    fill(db, 2, 1)
    db.close()
    assert keys(opened(folder)) == [0, 1, 2]


def test_an_interrupted_publication_closes_the_database(
    folder: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = opened(folder)
    fill(db, 0, 2)

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("zengram_py.engine.commit.publish", interrupted)
        with pytest.raises(KeyboardInterrupt):
            fill(db, 2, 1)
    with pytest.raises(ClosedError):
        db.begin()
    assert keys(opened(folder)) == [0, 1, 2]  # its record was in the log


def test_a_record_that_does_not_continue_the_log_is_refused(folder: Path, opened: Opener) -> None:
    db = opened(folder)
    fill(db, 0, 2)
    db.lsn += 1  # a bug, or a commit that was lost between log and memory
    with pytest.raises(StoreError, match="does not continue"):
        fill(db, 2, 1)
    db.close()
    assert keys(opened(folder)) == [0, 1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_cannot_write(folder: Path, opened: Opener) -> None:
    db = opened(folder)
    fill(db, 0, 2)
    child = os.fork()
    if not child:
        code = 1
        try:
            fill(db, 2, 1)
        except StoreError as error:
            code = 7 if "fork" in str(error) else 2
        os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    fill(db, 2, 1)
    db.close()
    assert keys(opened(folder)) == [0, 1, 2]


# -- recovery -----------------------------------------------------------------------------------------------------------


def test_a_torn_last_record_is_cut_off_and_reported(folder: Path, opened: Opener) -> None:
    db = opened(folder)
    fill(db, 0, 5)
    db.close()
    log = folder / names(folder, "log")[0]
    whole = log.read_bytes()
    for length in (len(whole) - 1, len(whole) - 30, len(whole) - 150):
        log.write_bytes(whole[:length])
        again = opened(folder)
        assert again.recovery is not None
        kept, tail = read_records(whole[:length])
        assert tail is not None
        assert again.recovery == file_store.Recovery(0, len(kept), tail.length, ())
        assert log.stat().st_size == tail.offset
        fill(again, 100, 1)
        again.close()
        final = opened(folder)
        assert final.recovery == file_store.Recovery(0, len(kept) + 1, 0, ())
        assert keys(final) == [*range(len(kept) - 1), 100]
        final.close()


def test_zeros_at_the_end_are_a_torn_tail(folder: Path, opened: Opener) -> None:
    db = opened(folder)
    fill(db, 0, 3)
    db.close()
    with open(folder / names(folder, "log")[0], "ab") as file:
        file.write(bytes(5000))
    again = opened(folder)
    assert again.recovery == file_store.Recovery(0, 4, 5000, ())


def test_damage_within_the_log_is_refused_and_changes_nothing(folder: Path, opened: Opener) -> None:
    db = opened(folder, segment_bytes=1000)
    fill(db, 0, 20)
    db.close()
    segments = names(folder, "log")
    for name in segments[:-1]:
        path = folder / name
        whole = path.read_bytes()
        for at in (0, 70, len(whole) - 1):
            flip(path, at)
            files = {n: (folder / n).read_bytes() for n in names(folder, "log") + names(folder, "snapshot")}
            with pytest.raises(LogError, match=name):
                opened(folder)
            assert files == {n: (folder / n).read_bytes() for n in files}
            path.write_bytes(whole)
        path.write_bytes(whole[:-1])
        with pytest.raises(LogError):
            opened(folder)
        path.unlink()
        with pytest.raises(LogError) as caught:
            opened(folder)
        assert caught.value.code == "LOG_GAP"
        path.write_bytes(whole)
    assert keys(opened(folder)) == list(range(20))


def test_segments_of_another_database_are_refused(folder: Path, tmp_path: Path, opened: Opener) -> None:
    for name in ("one", "two"):
        db = opened(tmp_path / name)
        fill(db, 0, 3)
        db.close()
    log = names(tmp_path / "one", "log")[0]
    (tmp_path / "one" / log).write_bytes((tmp_path / "two" / log).read_bytes())
    with pytest.raises(LogError) as caught:
        opened(tmp_path / "one")
    assert caught.value.code == "LOG_FOREIGN"


def interrupted_checkpoint(folder: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave a folder as a checkpoint leaves it that dies before it removes what it covers."""
    db = opened(folder, segment_bytes=1000)
    fill(db, 0, 10)
    with monkeypatch.context() as patch:
        patch.setattr(file_store.FileStore, "_remove_covered", lambda *_: None)
        db.checkpoint()
    fill(db, 10, 3)
    db.close()
    assert len(names(folder, "snapshot")) == 2


def test_what_an_interrupted_checkpoint_left_is_removed(
    folder: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted_checkpoint(folder, opened, monkeypatch)
    (folder / "snapshot.tmp").write_bytes(b"half")
    again = opened(folder)
    assert again.recovery == file_store.Recovery(11, 3, 0, ())
    assert names(folder, "snapshot") == [f"snapshot-{11:020}"]
    assert names(folder, "log") == [f"log-{12:020}"]
    assert keys(again) == list(range(13))


def test_a_damaged_snapshot_is_set_aside_for_the_one_before_and_its_log(
    folder: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted_checkpoint(folder, opened, monkeypatch)
    name = f"snapshot-{11:020}"
    flip(folder / name, 200)
    again = opened(folder)
    assert again.recovery == file_store.Recovery(0, 14, 0, (name + ".damaged",))
    assert keys(again) == list(range(13))
    assert (folder / (name + ".damaged")).exists()
    fill(again, 13, 1)
    again.checkpoint()
    again.close()
    assert names(folder, "snapshot") == [name + ".damaged", f"snapshot-{15:020}"]
    assert keys(opened(folder)) == list(range(14))


def test_a_damaged_first_snapshot_is_made_up_for_by_the_whole_log(folder: Path, opened: Opener) -> None:
    db = opened(folder)
    fill(db, 0, 4)
    number = db.id
    db.close()
    flip(folder / f"snapshot-{0:020}", 20)
    again = opened(folder)
    assert again.recovery == file_store.Recovery(0, 5, 0, (f"snapshot-{0:020}.damaged",))
    assert (keys(again), again.id) == ([0, 1, 2, 3], number)
    again.close()
    third = opened(folder)  # there is no snapshot now
    assert keys(third) == [0, 1, 2, 3]
    third.checkpoint()
    third.close()
    assert keys(opened(folder)) == [0, 1, 2, 3]


def test_without_a_snapshot_to_begin_with_nothing_is_touched(
    folder: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = opened(folder)
    fill(db, 0, 4)
    db.checkpoint()
    fill(db, 4, 4)
    db.close()
    name = f"snapshot-{5:020}"
    whole = (folder / name).read_bytes()
    flip(folder / name, 100)
    before = names(folder, "")
    with pytest.raises(StoreError, match=name):
        opened(folder)
    assert names(folder, "") == before
    (folder / name).write_bytes(whole)
    assert keys(opened(folder)) == list(range(8))


def test_a_damaged_snapshot_whose_log_is_gone_is_an_error(
    folder: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted_checkpoint(folder, opened, monkeypatch)
    flip(folder / f"snapshot-{11:020}", 200)
    (folder / names(folder, "log")[1]).unlink()
    before = names(folder, "")
    with pytest.raises(StoreError, match="is damaged, and the log since"):
        opened(folder)
    assert names(folder, "") == before


def test_a_snapshot_of_a_later_format_is_not_set_aside(
    folder: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted_checkpoint(folder, opened, monkeypatch)
    before = names(folder, "")
    with monkeypatch.context() as patch:
        patch.setattr("zengram_py.engine.container.FORMAT_VERSION", 0)
        with pytest.raises(SnapshotError) as caught:
            opened(folder)
    assert caught.value.code == "SNAPSHOT_VERSION"
    assert names(folder, "") == before


def test_a_snapshot_that_cannot_be_read_back_replaces_nothing(
    folder: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = opened(folder)
    fill(db, 0, 4)
    write = file_segment.write_all

    def flipped(descriptor: int, data: bytes) -> None:
        write(descriptor, data[:100] + bytes([data[100] ^ 1]) + data[101:])

    with monkeypatch.context() as patch:
        patch.setattr(file_segment, "write_all", flipped)
        with pytest.raises(StoreError, match="cannot be read"):
            db.checkpoint()
    assert names(folder, "snapshot") == [f"snapshot-{0:020}", f"snapshot-{5:020}.damaged"]
    fill(db, 4, 1)
    db.checkpoint()
    db.close()
    assert keys(opened(folder)) == list(range(5))


@pytest.mark.parametrize("step", ["write_all", "sync_file", "replace", "sync_folder"])
def test_a_checkpoint_that_fails_at_any_step_loses_nothing(
    folder: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    db = opened(folder, fsync="never", segment_bytes=500)
    fill(db, 0, 10)

    def fails(*_: Any) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        if step == "replace":
            patch.setattr(os, "replace", fails)
        else:
            patch.setattr(file_segment, step, fails)
        with pytest.raises(StoreError):
            db.checkpoint()
    assert "snapshot.tmp" not in names(folder, "")
    db.close()
    again = opened(folder)
    assert keys(again) == list(range(10))
    fill(again, 10, 1)
    again.checkpoint()
    assert len(names(folder, "snapshot")) == 1


# -- locks and folders --------------------------------------------------------------------------------------------------


def test_a_folder_is_open_once(folder: Path, opened: Opener) -> None:
    db = opened(folder)
    with pytest.raises(StoreLockedError, match="this process") as caught:
        opened(folder)
    assert str(folder) in str(caught.value)
    script = (
        "import sys\nfrom zengram_py.engine import Database\nfrom zengram_py.errors import StoreLockedError\n"
        "try:\n    Database.open_path(sys.argv[1])\nexcept StoreLockedError as error:\n    print(error)\n"
    )
    run = [sys.executable, "-c", script, str(folder)]
    root = Path(__file__).parents[2]
    found = subprocess.run(run, capture_output=True, text=True, timeout=60, cwd=root, check=True)
    assert f"process {os.getpid()}" in found.stdout
    db.close()
    opened(folder).close()


def test_a_database_that_is_dropped_gives_its_folder_back(folder: Path) -> None:
    import gc

    for fsync in ("commit", "interval"):
        db = Database.open_path(folder, fsync=fsync)
        fill(db, 0 if fsync == "commit" else 3, 3)
        del db
        gc.collect()
    db = Database.open_path(folder)
    assert keys(db) == list(range(6))
    db.close()


def test_a_system_without_locks_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(file_lock.sys, "platform", "emscripten")
        with pytest.raises(StoreError, match="cannot lock"):
            Database.open_path(folder)
    with monkeypatch.context() as patch:

        def missing(name: str) -> None:
            raise ImportError(name)

        patch.setattr(file_lock.importlib, "import_module", missing)
        with pytest.raises(StoreError, match="no file locks"):
            Database.open_path(folder)
    Database.open_path(folder).close()


def test_windows_locks_one_byte_far_behind_the_process_id(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[int, int, int]] = []

    class Msvcrt:
        LK_NBLCK = 2

        @staticmethod
        def locking(descriptor: int, mode: int, count: int) -> None:
            calls.append((os.lseek(descriptor, 0, os.SEEK_CUR), mode, count))
            if len(calls) > 1:
                raise OSError(errno.EACCES, "Permission denied")

    folder.mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(file_lock.sys, "platform", "win32")
        patch.setattr(file_lock.importlib, "import_module", lambda name: Msvcrt)
        descriptor = file_lock.lock(str(folder))
        assert calls == [(1 << 30, 2, 1)]
        with pytest.raises(StoreLockedError, match="this process"):
            file_lock.lock(str(folder))
    os.close(descriptor)
    assert (folder / "lock").read_text() == f"{os.getpid()}\n"


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="is a file"):
        Database.open_path(tmp_path / "file")
    with pytest.raises(StoreError, match="cannot be made"):
        Database.open_path(tmp_path / "file" / "below")


def test_a_folder_that_may_not_be_written_to(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir()
    if os.getuid() == 0 if hasattr(os, "getuid") else True:  # root may write everywhere

        def denied(*_: Any, **__: Any) -> int:
            raise PermissionError(errno.EACCES, "Permission denied")

        monkeypatch.setattr(os, "open", denied)
    else:
        folder.chmod(0o500)
    with pytest.raises(StoreError, match=r"cannot be written to: Permission denied"):
        Database.open_path(folder)


def test_a_file_that_may_not_be_read(folder: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    db = opened(folder)
    fill(db, 0, 2)
    db.close()

    def denied(*_: Any) -> bytes:
        raise PermissionError(errno.EACCES, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(file_store.FileStore, "_read", denied)
        with pytest.raises(StoreError, match=r"cannot be opened.*Permission denied"):
            opened(folder)
    assert keys(opened(folder)) == [0, 1]
