"""Snapshots: everything comes back, nothing damaged does."""

from __future__ import annotations

import json
import random
import struct
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from zengram_py.clock import ManualClock
from zengram_py.engine import INT64, JSON, TEXT, ColumnDef, Database, IndexDef, vector
from zengram_py.engine import container as container_module
from zengram_py.engine.container import Container, read, write
from zengram_py.engine.definitions import definition_to_json
from zengram_py.errors import SnapshotError


def filled(rows: int = 40) -> Database:
    database = Database.open(clock=ManualClock())
    database.create_table(
        "note",
        [
            ColumnDef("id", INT64),
            ColumnDef("text", TEXT),
            ColumnDef("tags", JSON),
            ColumnDef("size", INT64),
            ColumnDef("place", vector(8)),
        ],
        primary_key=["id"],
        indexes=[
            IndexDef("by_text", "hash", (["col", "text"],)),
            IndexDef("near", "flat", (["col", "place"],), options={"metric": "cosine"}),
        ],
    )
    database.create_table("empty", [ColumnDef("id", TEXT)], primary_key=["id"])
    rng = np.random.default_rng(0)
    for i in range(rows):
        with database.begin() as t:
            place = None if i % 7 == 3 else rng.standard_normal(8)
            tags = None if i % 3 else {"n": [i, "é"]}
            t.insert("note", {"id": i, "text": f"tëxt {i % 5}", "tags": tags, "size": None, "place": place})
            if i % 4 == 1:
                t.update("note", i - 1, {"size": i, "text": "changed"})
            if i % 9 == 8:
                t.delete("note", i - 4)
    return database


def plain(row: dict[str, Any]) -> dict[str, Any]:
    return {name: v.tolist() if isinstance(v, np.ndarray) else v for name, v in row.items()}


def content(database: Database) -> list[Any]:
    out: list[Any] = [
        database.id,
        database.timestamp,
        database.lsn,
        [definition_to_json(d) for d in database.tables()],
    ]
    with database.begin(read_only=True) as t:
        for definition in database.tables():
            out += [plain(row) for row in t.scan(definition.name)]
        out.append([[r["id"] for r in t.lookup("note", "by_text", f"tëxt {i}")] for i in range(5)])
    return out


def test_everything_comes_back_and_goes_on() -> None:
    database = filled()
    data = database.export()
    restored = Database.restore(data)
    assert content(restored) == content(database)
    assert restored.export() == data  # the same bytes: nothing depends on how the state came about
    then = restored.timestamp
    for one in (database, restored):
        with one.begin() as t:
            t.update("note", 39, {"text": "later"})
            t.insert("note", {"id": 1000, "text": "new", "tags": ["x"]})
            assert not t.delete("note", 12345)
    assert restored.begin(as_of=then).get("note", 39)["text"] == "tëxt 4"
    again = Database.restore(restored.export())
    with again.begin() as t:
        assert t.get("note", 1000)["tags"] == ["x"]
        assert t.get("note", 39)["text"] == "later"
        assert [r["id"] for r in t.lookup("note", "by_text", "later")] == [39]


def test_restoring_does_not_touch_rows_and_does_not_write_to_the_bytes() -> None:
    data = bytearray(filled().export())
    before = bytes(data)
    restored = Database.restore(data)
    columns = restored.begin().seen("note").store.columns
    heap, restored_memory = columns[2].heap, columns[4].heap.matrix  # type: ignore[union-attr]
    assert not restored_memory.flags.owndata
    assert len(heap) > 0
    with restored.begin() as t:
        for i in range(0, 30, 2):
            if t.get("note", i):
                t.update("note", i, {"size": 1})
    assert bytes(data) == before


def test_an_open_transaction_is_not_in_the_snapshot() -> None:
    database = filled(5)
    t = database.begin()
    t.insert("note", {"id": 77})
    with Database.restore(database.export()).begin() as other:
        assert other.get("note", 77) is None


def damaged_is_refused_or_equal(data: bytes, wanted: list[Any]) -> str:
    try:
        database = Database.restore(data)
    except SnapshotError as error:
        return f"refused: {error.section}"
    assert content(database) == wanted
    return "equal"


DAMAGES = 2000  # of each kind, of a plain and of a compressed snapshot


def flipped(data: bytes, count: int, seed: int) -> Iterator[bytes]:
    """Yield copies of some bytes with one bit flipped, each at another random place."""
    for place in random.Random(seed).sample(range(8 * len(data)), count):
        broken = bytearray(data)
        broken[place // 8] ^= 1 << place % 8
        yield bytes(broken)


def cut(data: bytes, count: int, seed: int) -> Iterator[bytes]:
    """Yield the beginnings of some bytes, each of another length: of the ends all, of the rest some."""
    ends = {*range(130), *range(len(data) - 130, len(data))}
    rest = random.Random(seed).sample(range(130, len(data) - 130), count - len(ends))
    return (data[:length] for length in sorted({*ends, *rest}))


@pytest.mark.parametrize("compress", [False, True])
def test_one_flipped_bit_is_refused(compress: bool) -> None:
    database = filled(100)
    data, wanted = database.export(compress=compress), content(database)
    assert (b'"zlib"' in data) == compress
    for broken in flipped(data, DAMAGES, 1):
        assert damaged_is_refused_or_equal(broken, wanted).startswith("refused: ")


@pytest.mark.parametrize("compress", [False, True])
def test_every_cut_is_refused(compress: bool) -> None:
    database = filled(100)
    data, wanted = database.export(compress=compress), content(database)
    assert (b'"zlib"' in data) == compress
    for part in cut(data, DAMAGES, 2):
        assert damaged_is_refused_or_equal(part, wanted).startswith("refused: ")
    assert damaged_is_refused_or_equal(data + b"\0", wanted).startswith("refused: ")


def test_bytes_that_are_no_snapshot_are_refused() -> None:
    for data in (b"", b"x" * 10, b"PK\x03\x04" * 100, bytes(1000)):
        with pytest.raises(SnapshotError):
            Database.restore(data)


def test_another_format_version_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container_module, "FORMAT_VERSION", 9)
    data = filled(1).export()
    monkeypatch.undo()
    with pytest.raises(SnapshotError, match="version 9") as caught:
        Database.restore(data)
    assert caught.value.code == "SNAPSHOT_VERSION"


def hostile() -> Iterator[tuple[str, Container]]:
    """Files whose checksums are right and whose content is not."""
    good = read(filled(20).export())

    def with_section(name: str, array: Any) -> Container:
        sections = {**good.sections, name: array}
        if array is None:
            del sections[name]
        return Container(good.database_id, good.lsn, 0, good.manifest, sections)

    def with_manifest(change: Any) -> Container:
        manifest = json.loads(json.dumps(good.manifest))
        change(manifest)
        return Container(good.database_id, good.lsn, 0, manifest, good.sections)

    slots = len(good.sections["t1/begin"])
    yield "a section is missing", with_section("t1/end", None)
    yield "too short", with_section("t1/end", good.sections["t1/end"][:-1])
    yield "wrong type", with_section("t1/begin", good.sections["t1/begin"].astype(np.int32))
    yield "row points outside", with_section("t1/row", np.full(slots, 10**6, np.int32))
    yield "prev makes a circle", with_section("t1/prev", np.arange(slots, dtype=np.int32))
    yield "reference points outside", with_section("t1/c1/refs", np.full(slots, 10**6, np.int32))
    yield "negative reference", with_section("t1/c1/refs", np.full(slots, -2, np.int32))
    yield "offsets go back", with_section("t1/c1/offsets", good.sections["t1/c1/offsets"][::-1].copy())
    yield "not UTF-8", with_section("t1/c1/bytes", np.full_like(good.sections["t1/c1/bytes"], 255))
    yield "hash order", with_section("t1/i0/structure/hashes0", np.arange(20, dtype=np.uint64)[::-1].copy())
    yield "entries outside", with_section("t1/i0/structure/entries0", np.full(20, 9999, np.int32))
    yield "entry outside", with_section("t1/i0/entry", np.full(slots, slots, np.int32))
    yield "norms do not fit", with_section("t1/i2/structure/norms", np.ones(300))
    yield "no tables", with_manifest(lambda m: m.pop("tables"))
    yield "a table is a number", with_manifest(lambda m: m.update(tables=[7]))
    yield (
        "unknown type",
        with_manifest(lambda m: m["catalog"][0][0]["columns"][0].__setitem__(1, "money")),
    )
    yield (
        "two columns of one number",
        with_manifest(lambda m: m["catalog"][0][0]["columns"][1].__setitem__(7, 0)),
    )
    yield (
        "two indexes of one number",
        with_manifest(lambda m: m["catalog"][0][0]["indexes"][1].__setitem__(5, 0)),
    )
    yield "a fill of the wrong type", with_manifest(lambda m: m["tables"][0]["fills"][1].__setitem__(1, []))
    yield "a change by no branch", with_manifest(lambda m: m["tables"][0].update(changes=[[2**70, [1]]]))
    yield "changes out of order", with_manifest(lambda m: m["tables"][0].update(changes=[[0, [2, 1]]]))
    yield "bad time", with_manifest(lambda m: m.update(timestamp="yesterday"))
    yield (
        "unknown operator",
        with_manifest(lambda m: m["catalog"][0][0]["indexes"][1].__setitem__(2, [["eval", "1"]])),
    )


@pytest.mark.parametrize(
    ("name", "container"), list(hostile()), ids=lambda v: v if isinstance(v, str) else ""
)
def test_a_hostile_file_is_refused(name: str, container: Container) -> None:
    with pytest.raises(SnapshotError):
        Database.restore(write(container))


def test_a_section_that_claims_to_be_huge_allocates_nothing() -> None:
    container = read(filled(2).export())
    data = write(container)
    # The manifest is plain JSON: replace a shape by a huge one of the same length and mend the checksums.
    offset = container_module._FOOTER.unpack(data[-64:])[3]
    manifest = json.loads(data[offset:-64])
    for section in manifest["sections"]:
        section[4] = [2**60]
    with pytest.raises(SnapshotError):
        read(_with_manifest(data, offset, manifest))
    manifest["sections"] = [[["nested"] * 1000]]
    with pytest.raises(SnapshotError):
        read(_with_manifest(data, offset, manifest))


def _with_manifest(data: bytes, offset: int, manifest: Any) -> bytes:
    raw = json.dumps(manifest).encode()
    footer = container_module._FOOTER
    total = offset + len(raw) + footer.size
    packed = footer.pack(b"ZENGEND\x01", 1, 0, offset, len(raw), zlib.crc32(raw), total, 0)
    return data[:offset] + raw + packed[:-4] + struct.pack("<I", zlib.crc32(packed[:-4]))


def test_arrays_of_every_shape_come_back_aligned() -> None:
    sections = {
        "a": np.arange(3, dtype=np.int16),
        "empty": np.empty((0, 384), np.float32),
        "matrix": np.arange(12, dtype=np.float32).reshape(3, 4),
        "bits": np.array([True, False]),
    }
    data = write(Container(b"x" * 16, 5, 6, {"k": 1}, sections))
    found = read(data)
    assert (found.database_id, found.lsn, found.record_crc, found.manifest) == (b"x" * 16, 5, 6, {"k": 1})
    for name, array in sections.items():
        np.testing.assert_array_equal(found.sections[name], array)
        assert found.sections[name].shape == array.shape
        assert not found.sections[name].flags.writeable


def test_a_compressed_snapshot_is_smaller_and_holds_the_same() -> None:
    database = filled(300)
    plain, small = database.export(), database.export(compress=True)
    assert len(small) < 0.8 * len(plain)
    assert content(Database.restore(small)) == content(database)
    assert Database.restore(small).export() == plain
    assert b"".join(database.export_chunks(100, compress=True)) == small


def test_a_lying_compressed_snapshot_is_refused() -> None:
    data = filled(60).export(compress=True)
    offset = container_module._FOOTER.unpack(data[-64:])[3]
    for change in ({4: [2**40]}, {4: [1]}, {6: "brotli"}):
        manifest = json.loads(data[offset:-64])
        section = next(s for s in manifest["sections"] if len(s) == 7)
        for position, value in change.items():
            section[position] = value
        with pytest.raises(SnapshotError):
            read(_with_manifest(data, offset, manifest))


def test_a_snapshot_of_the_first_release_is_refused_in_words() -> None:
    sections = {"t1/begin": np.zeros(0, np.int64)}
    manifest = {"timestamp": 1, "next_table_id": 2, "tables": [{"definition": {"id": 1, "name": "t"}}]}
    with pytest.raises(SnapshotError, match="before this format was settled"):
        Database.restore(write(Container(b"i" * 16, 3, 0, manifest, sections)))
