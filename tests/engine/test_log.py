"""The log: what it says comes back, and nothing that is damaged, foreign or forged does."""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from state import whole as state_of

from zengram_py.clock import ManualClock
from zengram_py.engine import INT64, JSON, TEXT, ColumnDef, Database, IndexDef, vector
from zengram_py.engine import log as log_module
from zengram_py.engine.log import HEADER_SIZE, Record, Tail, crc_of, encode, read_records
from zengram_py.errors import ConflictError, LogError, UniqueError

OVERHEAD = 400  # bytes of a record of one small row


def make() -> tuple[Database, list[bytes], bytes]:
    """Return an empty database, the log that it will write, and a snapshot of the start."""
    db, log = Database.open(clock=ManualClock()), []
    start = db.export()
    db.on_commit = log.append
    return db, log, start


def lived() -> tuple[Database, list[bytes], bytes]:
    """Return a database with some of everything, its log, and a snapshot of the start."""
    db, log, start = make()
    with db.begin() as t:
        t.create_table(
            "note",
            [
                ColumnDef("id", INT64),
                ColumnDef("text", TEXT),
                ColumnDef("tags", JSON),
                ColumnDef("n", INT64, merge="sum"),
                ColumnDef("place", vector(4)),
            ],
            primary_key=["id"],
            indexes=[
                IndexDef("by_text", "ordered", (["col", "text"],)),
                IndexDef("by_lower", "hash", (["lower", ["col", "text"]],)),
                IndexDef("near", "flat", (["col", "place"],)),
            ],
        )
        t.create_sequence("ids")
    with db.begin() as t:
        t.insert_many(
            "note",
            {
                "id": np.arange(20),
                "text": [f"tëxt {i % 5}" for i in range(20)],
                "n": np.zeros(20, np.int64),
                "place": np.eye(4, dtype=np.float32)[np.arange(20) % 4],
            },
        )
    for i in range(20, 26):
        with db.begin() as t:
            key = 100 + t.nextval("ids")
            t.insert("note", {"id": key, "text": "One", "tags": {"k": [i]}, "n": 1, "place": [1, 2, 3, i]})
            t.update("note", i - 20, {"n": i})
            t.delete("note", i - 10)
    db.fork("idea")
    with db.begin(branch="idea") as t:
        t.update("note", 1, {"n": 30, "text": "idea"})
        t.insert("note", {"id": 900, "text": "new"})
    with db.begin() as t:
        t.add_column("note", ColumnDef("extra", TEXT, default=["lit", "x"]))
        t.update("note", 2, {"extra": "y"})
    assert db.merge("idea").applied
    assert db.merge("idea").applied
    db.fork("gone")
    db.discard("gone")
    with db.begin() as t:
        t.insert("note", {"id": 901, "text": "last", "place": [0, 0, 0, 1]})
    with db.begin() as t:
        t.update("note", 901, {"text": "very last"})
    return db, log, start


def restored(start: bytes) -> Database:
    return Database.restore(start, clock=ManualClock())


def states(log: list[bytes], start: bytes) -> list[Any]:
    """Return the state after each record, the first before any."""
    db = restored(start)
    out = [state_of(db)]
    for record in log:
        db.replay([record])
        out.append(state_of(db))
    return out


@cache
def story() -> tuple[list[bytes], bytes, list[Any]]:
    """Return a log, a snapshot of the start, and the state after each record."""
    _, log, start = lived()
    return log, start, states(log, start)


def test_a_replay_gives_the_same_database() -> None:
    db, log, start = lived()
    copy = restored(start)
    report = copy.replay(log)
    assert (report.applied, report.skipped, report.tail) == (len(log), 0, None)
    assert state_of(copy) == state_of(db)
    assert copy.branches() == db.branches()
    assert (copy.last_crc, copy.sequences.last, copy.catalog.next_id) == (
        db.last_crc,
        db.sequences.last,
        db.catalog.next_id,
    )
    assert copy.timestamp == db.timestamp
    # and both go on alike
    for one in (db, copy):
        with one.begin() as t:
            t.insert("note", {"id": 2000 + t.nextval("ids"), "text": "after"})
    assert state_of(copy) == state_of(db)


def test_a_replay_goes_on_from_a_snapshot_anywhere() -> None:
    log, start, after = story()
    for position in range(0, len(log), 3):
        first = restored(start)
        first.replay(log[:position])
        second = Database.restore(first.export())
        report = second.replay(b"".join(log))
        assert (report.applied, report.skipped) == (len(log) - position, position)
        assert state_of(second)["branches"] == after[-1]["branches"]


def test_a_log_cut_at_any_byte_gives_the_records_before() -> None:
    log, start, after = story()
    data = b"".join(log)
    ends = [0]
    for record in log:
        ends.append(ends[-1] + len(record))
    base = restored(start)
    base.replay(log[:-3])
    before = base.export()
    for length in range(ends[-4], len(data)):
        kept = max(i for i, end in enumerate(ends) if end <= length)
        records, tail = read_records(data[:length])
        assert len(records) == kept
        wanted = None if length == ends[kept] else Tail(ends[kept], length - ends[kept])
        assert tail == wanted
        if length % 16 == 0 or length in ends:
            db = Database.restore(before)
            assert db.replay(data[:length]).tail == wanted
            assert (db.lsn, db.last_crc) == (kept, crc_of(log[kept - 1]))
            assert state_of(db)["branches"] == after[kept]["branches"]


def refused(start: bytes, records: Any, after: list[Any]) -> LogError:
    """Replay what must be refused, and find the database in the state of the last good record."""
    db = restored(start)
    with pytest.raises(LogError) as caught:
        db.replay(records)
    assert state_of(db) == after[db.lsn]
    return caught.value


def test_a_flipped_byte_is_noticed_wherever_it_is() -> None:
    log, start, after = story()
    data = b"".join(log)
    last = len(data) - len(log[-1])
    rng = random.Random(3)
    for _ in range(100):
        broken = bytearray(data)
        at = rng.randrange(len(data))
        broken[at] ^= 1 << rng.randrange(8)
        if at < last:
            refused(start, bytes(broken), after)
        else:  # nothing follows: this is what a torn last record looks like
            db = restored(start)
            report = db.replay(bytes(broken))
            assert report.tail == Tail(last, len(log[-1]))
            assert state_of(db) == after[len(log) - 1]


def test_dropped_bytes_are_noticed() -> None:
    log, start, after = story()
    data = b"".join(log)
    rng = random.Random(4)
    for _ in range(80):
        at = rng.randrange(len(data) - len(log[-1]) - 1)
        count = rng.choice([1, 7, 64, 300])
        if at + count < len(data) - len(log[-1]):
            refused(start, data[:at] + data[at + count :], after)


def test_a_missing_record_is_a_gap() -> None:
    log, start, after = story()
    for position in range(len(log) - 1):
        error = refused(start, log[:position] + log[position + 1 :], after)
        assert (error.code, error.lsn) == ("LOG_GAP", position + 1)


def test_records_out_of_order_are_refused() -> None:
    log, start, after = story()
    for position in range(len(log) - 1):
        swapped = [*log]
        swapped[position : position + 2] = swapped[position + 1], swapped[position]
        assert refused(start, swapped, after).code == "LOG_GAP"


def test_a_record_that_comes_twice_counts_once() -> None:
    db, log, start = lived()
    doubled = [record for record in log for _ in range(2)]
    copy = restored(start)
    report = copy.replay(doubled)
    assert (report.applied, report.skipped) == (len(log), len(log))
    assert state_of(copy) == state_of(db)
    assert copy.replay(log).skipped == len(log)
    assert state_of(copy) == state_of(db)


def test_the_log_of_another_database_is_refused() -> None:
    log, start, after = story()
    _, other, _ = lived()
    for position in range(1, len(log)):
        error = refused(start, log[:position] + other[position:], after)
        assert (error.code, error.lsn) == ("LOG_FOREIGN", position + 1)


def test_another_history_of_the_same_database_is_refused() -> None:
    """Two copies of one database went different ways: their records do not mix."""
    _, log, start = lived()
    here, there = restored(start), restored(start)
    for one in (here, there):
        one.replay(log)
    logs: list[list[bytes]] = [[], []]
    for number, one in enumerate((here, there)):
        one.on_commit = logs[number].append
        for i in range(3):
            with one.begin() as t:
                t.insert("note", {"id": 5000 + i, "text": f"{number}"})
    assert here.lsn == there.lsn
    with pytest.raises(LogError) as caught:
        here.replay(logs[1])
    assert caught.value.code == "LOG_FORKED"
    base = restored(start)
    base.replay(log)
    with pytest.raises(LogError, match="does not continue"):
        base.replay([logs[0][0], logs[1][1]])
    assert base.lsn == len(log) + 1


def test_damage_behind_good_records_leaves_those_applied() -> None:
    log, start, after = story()
    broken = bytearray(log[5])
    broken[HEADER_SIZE + 9] ^= 1
    db = restored(start)
    with pytest.raises(LogError, match="intact records follow") as caught:
        db.replay([*log[:5], bytes(broken), *log[6:]])
    assert (db.lsn, caught.value.lsn) == (5, 6)
    assert state_of(db) == after[5]
    db.replay(log)  # a good copy of the log mends it
    assert state_of(db) == after[-1]


def test_a_value_that_looks_like_a_record_is_not_taken_for_one_behind_a_torn_record() -> None:
    db, log, _ = make()
    db.create_table("t", [ColumnDef("k", INT64)], primary_key=["k"])
    with db.begin() as t:
        t.insert("t", {"k": 1})
    foreign = replace(read_records([log[-1]])[0][0], database_id=b"x" * 16, lsn=99)
    disguise = encode(foreign)
    numbers = np.frombuffer(disguise + bytes(-len(disguise) % 8), np.int64)
    with db.begin() as t:
        t.insert_many("t", {"k": numbers[np.unique(numbers, return_index=True)[1]]})
    with db.begin() as t:  # whole and in order, as a vector of bytes would be
        t.create_table("raw", [ColumnDef("n", INT64)])
        t.insert_many("raw", {"n": numbers})
    assert disguise in log[-1]
    records, tail = read_records(b"".join(log)[:-1])
    assert tail is not None
    assert len(records) == len(log) - 1


def test_another_format_version_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_module, "FORMAT_VERSION", 9)
    _, log, start = lived()
    monkeypatch.undo()
    with pytest.raises(LogError, match="version 9") as caught:
        restored(start).replay(log)
    assert caught.value.code == "LOG_VERSION"


def test_bytes_that_are_no_log_are_a_torn_tail() -> None:
    db = restored(make()[2])
    for data in (b"x", bytes(500), b"ZREC", b"ZREC" * 100):
        report = db.replay(data)
        assert (report.applied, report.tail) == (0, Tail(0, len(data)))
    assert db.replay(b"").tail is None


# -- forged records: the checksums are right, the content is not -------------------------------------------------------


def forge(log: list[bytes], change: Callable[[Record], Record]) -> bytes:
    """Return the last record changed, with checksums that are right."""
    return encode(change(read_records([log[-1]])[0][0]))


def with_payload(**parts: Any) -> Callable[[Record], Record]:
    return lambda record: replace(record, payload={**record.payload, **parts})


def with_rows(*rows: Any, batches: Any = (), buffers: Any = None) -> Callable[[Record], Record]:
    def change(record: Record) -> Record:
        kept = record.buffers if buffers is None else buffers
        return replace(record, payload={**record.payload, "tables": [[1, list(rows), batches]]}, buffers=kept)

    return change


def a_definition(change: Callable[[Any], None]) -> Callable[[Record], Record]:
    """Return a change that defines table 1 anew, after a change of its definition."""

    def of(record: Record) -> Record:
        db, log, _ = lived()
        data = [d for r in read_records(log)[0] for _, d in r.payload.get("definitions", ()) if d][-1]
        change(data)
        del db
        return with_payload(definitions=[[data["id"], data]])(record)

    return of


def hostile() -> Iterator[tuple[str, Callable[[Record], Record]]]:
    yield "unknown kind", lambda r: replace(r, kind=77)
    yield "no time passes", lambda r: replace(r, timestamp=5)
    yield "branch outside", lambda r: replace(r, branch=50)
    yield "branch below zero", lambda r: replace(r, branch=-1)
    yield "discarded branch", lambda r: replace(r, branch=2)
    yield "payload without tables", lambda r: replace(r, payload={"sequences": []})
    yield "tables are a number", with_payload(tables=7)
    yield "unknown table", with_payload(tables=[[99, [], []]])
    yield "a table twice", with_payload(tables=[[1, [], []], [1, [], []]])
    yield "row outside", with_rows([10**6, -1, -1, False, [[0, 5]]])
    yield "row is text", with_rows(["x", -1, -1, False, [[0, 5]]])
    yield "base outside", with_rows([1, 10**6, -1, False, [[0, 5]]])
    yield "base below", with_rows([1, -7, -1, False, [[0, 5]]])
    yield "base of another row", with_rows([1, 2, 2, False, [[3, 5]]])
    yield "base that ended", with_rows([0, 0, 0, False, [[3, 5]]])
    yield "template outside", with_rows([-1, -1, 10**6, False, []])
    yield "a dead row that was not", with_rows([-1, -1, -1, True, []])
    yield "dead is a number", with_rows([-1, -1, -1, 1, [[0, 5]]])
    yield "a row twice", with_rows([-1, -1, -1, False, [[0, 5]]], [-1, -1, -1, False, [[0, 6]]])
    yield "text in a number", with_rows([-1, -1, -1, False, [[0, "five"]]])
    yield "a number too great", with_rows([-1, -1, -1, False, [[0, 1 << 70]]])
    yield "a number in a text", with_rows([-1, -1, -1, False, [[0, 5], [1, 5]]])
    yield "lone surrogate", with_rows([-1, -1, -1, False, [[0, 5], [1, 6]]])
    yield "JSON that is none", with_rows([-1, -1, -1, False, [[0, 5], [2, "{"]]])
    yield "buffer outside", with_rows([-1, -1, -1, False, [[0, 5], [4, {"buffer": 44}]]])
    yield "buffer below", with_rows([-1, -1, -1, False, [[0, 5], [4, {"buffer": -1}]]])
    for name, array in {
        "short vector": np.ones(3, np.float32),
        "vector of doubles": np.ones(4),
        "vector with NaN": np.full(4, np.nan, np.float32),
    }.items():
        yield name, with_rows([-1, -1, -1, False, [[0, 5], [4, {"buffer": 0}]]], buffers=[array])
    yield "count too great", with_rows(batches=[[10**12, [[0, [1, 2]]]]])
    yield "no columns", with_rows(batches=[[10**9, []]])
    yield "only unknown columns", with_rows(batches=[[10**9, [[77, [1]]]]])
    yield "columns of two lengths", with_rows(batches=[[2, [[0, [70, 71]], [3, [1]]]]])
    yield "floats in integers", with_rows(batches=[[2, [[0, {"buffer": 0}]]]], buffers=[np.ones(2)])
    yield (
        "a matrix in integers",
        with_rows(batches=[[2, [[0, {"buffer": 0}]]]], buffers=[np.ones((2, 2), np.int64)]),
    )
    yield (
        "an index expression that fails",
        with_rows([-1, -1, -1, False, [[0, 5], [1, ["not text"]]]]),
    )
    yield (
        "the second table is bad",
        with_payload(tables=[[1, [[-1, -1, -1, False, [[0, 77]]]], []], [55, [], []]]),
    )
    yield (
        "definition of two numbers",
        with_payload(definitions=[[9, {"kind": "view", "id": 8, "name": ["v"]}]]),
    )
    yield (
        "definition without parts",
        with_payload(definitions=[[9, {"kind": "table", "id": 9, "name": ["v"]}]]),
    )
    yield "unknown type", a_definition(lambda d: d["columns"][0].__setitem__(1, "money"))
    yield "another type", a_definition(lambda d: d["columns"][0].__setitem__(1, "text"))
    yield (
        "an index that cannot be built",
        a_definition(
            lambda d: d["indexes"].append(["bad", "hash", [["lower", ["col", "id"]]], False, {}, 99])
        ),
    )

    def grown(record: Record) -> Record:  # a new column and index first, then a bad row: both must go again
        def change(d: Any) -> None:
            d["columns"].append(["late", "text", True, None, None, None, None, 50])
            d["indexes"].append(["late", "hash", [["col", "late"]], False, {}, 51])

        record = a_definition(change)(record)
        return with_payload(columns=[[1, 50, "fill"]], tables=[[1, [[-1, -1, -1, False, [[0, "x"]]]], []]])(
            record
        )

    yield "a bad row after a new column", grown
    yield "fill outside", with_payload(fills=[[1, 1, [10**6], ["x"]]])
    yield "fill of a wrong type", with_payload(fills=[[1, 1, [0], [5]]])
    yield "fills of two lengths", with_payload(fills=[[1, 1, [0, 1], ["x"]]])
    yield "sequence below zero", with_payload(sequences=[[-1, 5]])
    yield "sequence value is text", with_payload(sequences=[[2, "x"]])
    yield "meeting outside", with_payload(meeting=[0, 99, 5])
    yield "meeting in the future", with_payload(meeting=[1, 0, 1 << 62])
    branch = {"kind": log_module.BRANCH}
    for name, payload in {
        "unknown operation": {"operation": "prune"},
        "fork of nothing": {"operation": "fork", "name": "f", "parent": 9, "fork": 5},
        "fork from below": {"operation": "fork", "name": "f", "parent": -1, "fork": 5},
        "fork in the future": {"operation": "fork", "name": "f", "parent": 0, "fork": 1 << 62},
        "fork of a taken name": {"operation": "fork", "name": "idea", "parent": 0, "fork": 5},
        "fork without a name": {"operation": "fork", "name": " ", "parent": 0, "fork": 5},
        "discard of main": {"operation": "discard", "discarded": 0},
        "discard from below": {"operation": "discard", "discarded": -2},
        "discard without number": {"operation": "discard"},
        "meet nobody": {"operation": "meet", "source": 1, "target": 50, "timestamp": 5},
    }.items():
        yield name, lambda r, p=payload: replace(r, **branch, payload=p, buffers=[])  # type: ignore[misc]
    vacuum = {"kind": log_module.VACUUM}
    for name, dropped in {
        "vacuum outside": [0, 10**6],
        "vacuum below": [-1],
        "vacuum twice": [3, 3],
    }.items():
        yield (
            name,
            lambda r, d=dropped: replace(  # type: ignore[misc]
                r,
                **vacuum,
                payload={"horizon": 0, "definitions": [], "table": 1},
                buffers=[np.array(d, np.int32)],
            ),
        )
    yield (
        "vacuum without slots",
        lambda r: replace(r, **vacuum, payload={"horizon": 0, "definitions": [], "table": 1}, buffers=[]),
    )
    yield (
        "vacuum of a definition outside",
        lambda r: replace(r, **vacuum, payload={"horizon": 0, "definitions": [40], "table": None}),
    )
    yield (
        "purge outside",
        lambda r: replace(r, kind=log_module.PURGE, payload={"table": 1, "rows": [10**6]}),
    )


@pytest.fixture(scope="module")
def forged_log() -> tuple[list[bytes], bytes, bytes, Any]:
    """A log, its start, a snapshot before the last record, and the state then."""
    _, log, start = lived()
    db = restored(start)
    db.replay(log[:-1])
    return log, start, db.export(), state_of(db)


@pytest.mark.parametrize(("name", "change"), list(hostile()), ids=lambda v: v if isinstance(v, str) else "")
def test_a_forged_record_changes_nothing(
    name: str, change: Callable[[Record], Record], forged_log: tuple[list[bytes], bytes, bytes, Any]
) -> None:
    log, _, before, wanted = forged_log
    db = Database.restore(before, clock=ManualClock())
    exported = db.export()
    sizes = state_of(db)["sizes"]
    with pytest.raises(LogError, match="cannot be applied") as caught:
        db.replay([forge(log, change)])
    assert caught.value.lsn == len(log)
    assert db.export() == exported
    assert state_of(db) == {**wanted, "sizes": sizes}
    assert set(db.stores) == {1}
    db.replay(log)  # the true record still fits
    assert db.lsn == len(log)


def test_a_payload_that_is_no_json_is_refused() -> None:
    log, start, after = story()
    raw = bytearray(log[-1])
    for payload in (b"", b"\xff\xff\xff\xff", struct.pack("<I", 4) + b"nope", struct.pack("<I", 2) + b"[]"):
        header = bytearray(raw[:HEADER_SIZE])
        struct.pack_into("<II", header, 48, len(payload), zlib.crc32(payload))
        struct.pack_into("<I", header, 60, zlib.crc32(header[:60]))
        error = refused(start, [*log[:-1], bytes(header) + payload], after)
        assert error.lsn == len(log)
    huge = [[0, "<f8", [1 << 61]], [0, "<f8", [-1]], [0, "|O8", [1]], [-8, "<f8", [1]]]
    for place in huge:
        forged = forge(log, lambda r: replace(r, buffers=[]))
        text = forged[HEADER_SIZE + 4 :].replace(
            b'"buffers":[]', b'"buffers":[%s]' % str(place).replace("'", '"').encode()
        )
        text = text.rstrip(b"\0")
        payload = struct.pack("<I", len(text)) + text
        header = bytearray(forged[:HEADER_SIZE])
        struct.pack_into("<II", header, 48, len(payload), zlib.crc32(payload))
        struct.pack_into("<I", header, 60, zlib.crc32(header[:60]))
        refused(start, [*log[:-1], bytes(header) + payload], after)


# -- a log that cannot be written ---------------------------------------------------------------------------------------


class FullError(Exception):
    """The log takes nothing more."""


def full(_: bytes) -> None:
    raise FullError


def writing(db: Database) -> Iterator[tuple[str, Callable[[], Any]]]:
    def rows() -> None:
        with db.begin() as t:
            t.insert("note", {"id": 7000, "text": "lost", "place": [1, 1, 1, 1]})
            t.update("note", 3, {"n": 99, "text": "lost"})
            t.delete("note", 4)

    def table() -> None:
        db.create_table("lost", [ColumnDef("k", INT64)], primary_key=["k"])

    def column() -> None:
        with db.begin() as t:
            t.add_column("note", ColumnDef("lost", TEXT, default=["lit", "x"]))
            t.create_index("note", IndexDef("lost", "hash", (["col", "lost"],)))
            t.alter_type("note", "n", TEXT)

    yield "rows", rows
    yield "table", table
    yield "column", column
    yield "rows of a branch", lambda: db.begin(branch="idea").__exit__(None, None, None) or branch_rows(db)
    yield "merge", lambda: db.merge("work")
    yield "merge that brings nothing", lambda: db.merge("idea", "work")
    yield "rebase", lambda: db.rebase("work")
    yield "fork", lambda: db.fork("lost")
    yield "discard", lambda: db.discard("idea")
    yield "purge", lambda: db.purge("note", 5)


def branch_rows(db: Database) -> None:
    with db.begin(branch="idea") as t:
        t.update("note", 5, {"n": 1})
        t.insert("note", {"id": 7001})


@pytest.mark.parametrize("number", range(10))
def test_what_the_log_does_not_take_leaves_no_trace(number: int) -> None:
    db, log, start = lived()
    db.fork("work")
    with db.begin(branch="work") as t:
        t.update("note", 6, {"text": "work"})
        t.insert("note", {"id": 950})
    with db.begin() as t:
        t.update("note", 7, {"text": "main"})
    db.export()  # folds the heaps: sizes count that
    before = state_of(db)
    take = db.on_commit
    assert take is not None
    name, action = list(writing(db))[number]
    for _ in range(2):
        db.on_commit = full
        with pytest.raises(FullError):
            action()
        assert state_of(db) == before, name
        copy = Database.restore(db.export())
        assert copy.branches() == db.branches()
        assert db.begin().state == "open"
    db.on_commit = take
    action()
    assert state_of(db) != before
    copy = restored(start)
    copy.replay(log)
    assert state_of(copy)["branches"] == state_of(db)["branches"]


def test_a_number_drawn_by_a_commit_that_the_log_refused_is_not_drawn_again() -> None:
    db, log, start = lived()
    take = db.on_commit
    db.on_commit = full
    with db.begin() as t:
        drawn = t.nextval("ids")
        t.insert("note", {"id": drawn + 8000})
        with pytest.raises(FullError):
            t.commit()
    db.on_commit = take
    with db.begin() as t:
        assert t.nextval("ids") == drawn + 1
        t.insert("note", {"id": 8000})
    copy = restored(start)
    copy.replay(log)
    with copy.begin() as t:
        assert t.nextval("ids") == drawn + 2


def test_what_is_refused_is_not_in_the_log() -> None:
    db, log, _ = lived()
    count = len(log)
    with db.begin() as t, pytest.raises(UniqueError):
        t.insert("note", {"id": 1})
    one, two = db.begin(), db.begin()
    one.update("note", 3, {"n": 5})
    two.update("note", 3, {"n": 6})
    one.commit()
    with pytest.raises(ConflictError):
        two.commit()
    db.begin().commit()
    db.begin().rollback()
    assert len(log) == count + 1


# -- how long records are -----------------------------------------------------------------------------------------------


def lengths(rows: int) -> dict[str, int]:
    db, log, _ = make()
    db.create_table(
        "t",
        [
            ColumnDef("id", INT64),
            ColumnDef("n", INT64),
            ColumnDef("text", TEXT),
            ColumnDef("place", vector(8)),
        ],
        primary_key=["id"],
        indexes=[IndexDef("by_n", "ordered", (["col", "n"],))],
    )
    ids = np.arange(100_000, 100_000 + rows)
    with db.begin() as t:
        t.insert_many(
            "t", {"id": ids, "n": ids, "text": ["same"] * rows, "place": np.ones((rows, 8), np.float32)}
        )
    out = {}
    for name in ("insert", "update", "delete", "merge"):
        if name == "merge":
            db.fork("b")
            with db.begin(branch="b") as t:
                t.update("t", 100_500, {"n": 7})
            db.merge("b")
        else:
            with db.begin() as t:
                if name == "insert":
                    t.insert("t", {"id": 1, "n": 5, "text": "new", "place": np.zeros(8)})
                elif name == "update":
                    t.update("t", 100_400, {"n": 3})
                else:
                    t.delete("t", 100_300)
        out[name] = len(log[-1])
    return out


def test_a_record_is_as_long_as_what_was_written_whatever_the_table() -> None:
    small, large = lengths(1_000), lengths(50_000)
    assert small["insert"] == large["insert"] < OVERHEAD
    assert small == large
