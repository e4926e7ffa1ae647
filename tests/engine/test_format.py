"""docs/format.md says enough: a reader written from it reads what the engine wrote."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import format_reader
import numpy as np
import pytest

from zengram_py.clock import ManualClock
from zengram_py.engine import (
    BOOLEAN,
    BYTES,
    DATE,
    FLOAT32,
    INT8RANGE,
    INT16,
    INT64,
    INTERVAL,
    JSON,
    NUMERIC,
    TEXT,
    TIMESTAMP,
    TSVECTOR,
    UUID,
    ColumnDef,
    Database,
    IndexDef,
    array,
    vector,
)

TYPES: dict[str, Any] = {
    "flag": (BOOLEAN, True),
    "small": (INT16, -5),
    "real": (FLOAT32, 0.5),
    "at": (TIMESTAMP, 1_700_000_000_000_000),
    "day": (DATE, 19_000),
    "text": (TEXT, "grüße"),
    "json": (JSON, {"a": [1, None, "é"]}),
    "uuid": (UUID, "0123abcd-0000-4000-8000-000000000000"),
    "raw": (BYTES, b"\x00\xff"),
    "exact": (NUMERIC, Decimal("12.50")),
    "span": (INTERVAL, (1, 2, 3)),
    "many": (array(TEXT), ["a", None]),
    "range": (INT8RANGE, (1, 5)),
    "words": (TSVECTOR, [("cat", [3])]),
    "place": (vector(3), [1.0, 2.0, 3.0]),
}


def lived() -> Database:
    db = Database.open(clock=ManualClock())
    db.create_table(
        "t",
        [ColumnDef("k", INT64), *(ColumnDef(name, kind) for name, (kind, _) in TYPES.items())],
        primary_key=["k"],
        indexes=[
            IndexDef("by_text", "ordered", (["col", "text"],)),
            IndexDef("near", "flat", (["col", "place"],)),
        ],
    )
    for k in range(30):
        with db.begin() as t:
            t.insert("t", {"k": k} | ({} if k % 3 == 2 else {n: value for n, (_, value) in TYPES.items()}))
            if k > 5:
                t.update("t", k - 5, {"small": k, "text": f"text {k}"})
            if k % 7 == 6:
                t.delete("t", k - 6)
    db.fork("one")
    with db.begin(branch="one") as t:
        t.update("t", 1, {"text": "one"})
        t.delete("t", 2)
        t.insert("t", {"k": 100})
        t.rename_column("t", "small", "little")
        t.add_column("t", ColumnDef("extra", TEXT, default=["lit", "x"]))
    db.fork("two", parent="one")
    with db.begin(branch="two") as t:
        t.update("t", 3, {"extra": "two"})
        t.delete("t", 100)
    with db.begin() as t:
        t.update("t", 4, {"text": "main"})
    db.purge("t", 5)
    return db


def plain(value: Any) -> Any:
    """Return a value in JSON's forms, as the reader gives them."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Decimal):
        return str(value)
    return [plain(item) for item in value] if isinstance(value, (tuple, list)) else value


@pytest.mark.parametrize("compress", [False, True])
def test_another_reader_reads_the_same_rows(compress: bool) -> None:
    db = lived()
    snapshot = format_reader.Snapshot(db.export(compress=compress))
    assert (snapshot.database_id, snapshot.lsn) == (db.id, db.lsn)
    times = [None, *(int(t) for t in db.commits[0].view[5:-2:9])]
    for branch in ("main", "one", "two"):
        for time in times:
            with db.begin(branch=branch, as_of=time) as t:
                wanted = [{n: plain(v) for n, v in row.items()} for row in t.scan("t")]
            found = snapshot.rows("t", branch, time)
            assert sorted(found, key=lambda row: row["k"]) == sorted(wanted, key=lambda row: row["k"])
            assert wanted


def test_another_reader_reads_the_log() -> None:
    db, log = Database.open(clock=ManualClock()), []
    db.on_commit = log.append
    db.create_table("t", [ColumnDef("k", INT64), ColumnDef("place", vector(2))], primary_key=["k"])
    with db.begin() as t:
        t.insert("t", {"k": 7, "place": [3, 4]})
        t.insert_many("t", {"k": np.arange(3), "place": np.ones((3, 2), np.float32)})
    db.fork("b")
    found = format_reader.read_log(b"".join(log))
    assert [(lsn, kind) for lsn, kind, _, _ in found] == [(1, 1), (2, 1), (3, 2)]
    assert [time for _, _, time, _ in found][1:] == [db.timestamp, db.timestamp]
    assert found[0][3]["definitions"][0][1]["name"][2] == "t"
    ((table, rows, batches),) = found[1][3]["tables"]
    assert (table, rows[0][:4]) == (1, [-1, -1, -1, False])
    values = dict(rows[0][4])
    assert (values[0], values[1].tolist()) == (7, [3, 4])
    assert batches[0][0] == 3
    assert dict(batches[0][1])[0].tolist() == [0, 1, 2]
    assert found[2][3] == {"operation": "fork", "name": "b", "parent": 0, "fork": db.timestamp}


def test_the_page_names_every_section_and_field() -> None:
    page = (Path(__file__).parents[2] / "docs/format.md").read_text()
    snapshot = format_reader.Snapshot(lived().export())
    for field in {*snapshot.manifest, *(name for table in snapshot.manifest["tables"] for name in table)}:
        assert f"`{field}`" in page, field
    for name in snapshot.sections:
        part = name.rsplit("/", 1)[1].rstrip("0123456789") or name.split("/")[0]
        assert part in page, name
