"""A database whose records the page stores: what was taken, replayed, gives the same memory; what is not stored can be refused."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from zengram_py import bridge
from zengram_py.engine import Database


def call(method: str, handle: int = 0, *arguments: Any, buffer: Any = None) -> Any:
    answer = json.loads(bridge.call(method, handle, json.dumps(arguments), buffer))
    return answer["ok"] if "ok" in answer else answer["error"]


def vector(*values: float) -> Any:
    return memoryview(np.array(values, np.float32))


class Page:
    """What the page does: takes the records when it is told of some, and keeps them."""

    def __init__(self, snapshot: bytes | None = None, log: bytes = b"") -> None:
        self.handle = call("durableRestore", buffer=snapshot)["handle"]
        self.replayed = call("durableReplay", self.handle, buffer=log) if log else None
        self.told = 0
        self.log = b""
        bridge.set_function("setJournal", self.handle, self.tell, "[]")
        self.memory = call("durableMemory", self.handle, 2)

    def tell(self, what: str) -> None:
        self.told += 1

    def take(self) -> bytes:
        taken: bytes = bridge.export_bytes("takeRecords", self.handle)
        self.log += taken
        return taken

    def remember(self, subject: str) -> Any:
        return call("rememberWithVector", self.memory, subject, "tea", "/", buffer=vector(1, 0))

    def subjects(self) -> list[str]:
        return sorted(fact["subject"] for fact in call("facts", self.memory, "/", None))

    def export(self) -> bytes:
        call("durableExport", self.handle)
        parts = []
        while part := bridge.export_bytes("exportNext", self.handle):
            parts.append(part)
        return b"".join(parts)


def test_records_alone_give_the_memory_again() -> None:
    page = Page()
    page.remember("a")
    assert page.told == 1, "told once, until the records are taken"
    assert page.take()
    page.remember("b")
    assert page.told == 2
    page.take()
    assert page.take() == b""
    again = Page(log=page.log)
    assert again.subjects() == page.subjects() == ["a", "b"]
    assert again.take() == b"", "opening what is there writes nothing"
    again.remember("c")
    third = Page(log=page.log + again.take())
    assert third.subjects() == ["a", "b", "c"]


def test_a_snapshot_and_the_records_since_give_the_memory_again() -> None:
    page = Page()
    page.remember("a")
    page.take()
    lsn = call("durableExport", page.handle)
    page.remember("b")
    parts = []
    while part := bridge.export_bytes("exportNext", page.handle):
        parts.append(part)
        page.remember(f"during {len(parts)}")
    snapshot = b"".join(parts)
    assert call("durableLsn", page.handle) > lsn
    page.take()
    again = Page(snapshot, page.log)
    assert again.subjects() == page.subjects()
    assert again.replayed["skipped"] == lsn
    assert bridge.export_bytes("exportNext", page.handle) == b"", "the export has ended"


def test_a_log_cut_within_its_last_record_is_told_to_the_byte() -> None:
    page = Page()
    page.remember("a")
    whole = len(page.take())
    page.remember("b")
    page.take()
    for cut in range(whole, len(page.log), 7):
        again = Page(log=page.log[:cut])
        assert again.replayed["end"] == whole
        assert again.subjects() == ["a"]


def test_a_database_with_several_records_in_one_batch_is_told_once() -> None:
    page = Page()
    page.take()
    before = page.told
    call("batchBegin", page.memory)
    page.remember("a")
    page.remember("b")
    assert page.told == before, "nothing is committed yet"
    call("batchCommit", page.memory)
    assert page.told == before + 1
    assert Page(log=page.log + page.take()).subjects() == ["a", "b"]


def test_a_refused_commit_changes_nothing_and_says_why() -> None:
    page = Page()
    page.remember("a")
    call("durableRefuse", page.handle, "STORAGE_LOCKED", "another tab has it")
    error = page.remember("b")
    assert (error["name"], error["code"], error["message"]) == (
        "StoreError",
        "STORAGE_LOCKED",
        "another tab has it",
    )
    assert page.subjects() == ["a"]
    assert len(call("recallWithVector", page.memory, "tea", "/", buffer=vector(1, 0))) == 1


def test_a_freed_store_takes_no_more_writes() -> None:
    page = Page()
    page.remember("a")
    call("durableFree", page.handle)
    assert page.remember("b")["code"] == "STORE_CLOSED"
    assert page.subjects() == ["a"]
    assert json.loads(bridge.export_bytes("takeRecords", page.handle))["error"]["code"] == "CLOSED"
    call("durableFree", page.handle)


def test_sql_and_a_memory_over_one_stored_database() -> None:
    page = Page()
    db = call("durableZeta", page.handle)
    call("zetaExecDdl", db, "create table t (id int primary key)", [])
    call("zetaExecMut", db, "insert into t values (1), (2)", [])
    page.remember("a")
    again = Page(log=page.log + page.take())
    other = call("durableZeta", again.handle)
    assert call("zetaQuery", other, "select count(*) as n from t", [])["rows"] == [{"n": 2}]
    assert again.subjects() == ["a"]


@pytest.mark.parametrize("where", [0.2, 0.5])
def test_damage_before_the_end_is_an_error_and_what_is_before_it_is_there(where: float) -> None:
    page = Page()
    schema = len(page.take())
    for i in range(20):
        page.remember(f"s{i:02}")
    page.take()
    damaged = bytearray(page.log)
    damaged[schema + int((len(damaged) - schema) * where)] ^= 0x55
    handle = call("durableRestore")["handle"]
    error = call("durableReplay", handle, buffer=bytes(damaged))
    assert (error["name"], error["code"]) == ("LogError", "LOG_DAMAGED")
    assert 0 < call("durableLsn", handle) < 21


def test_a_log_of_another_database_is_refused() -> None:
    page, other = Page(), Page()
    page.remember("a")
    other.remember("b")
    snapshot = page.export()
    handle = call("durableRestore", buffer=snapshot)["handle"]
    other.take()
    assert call("durableReplay", handle, buffer=other.log)["code"] == "LOG_FOREIGN"


def test_an_export_of_parts_is_the_snapshot() -> None:
    page = Page()
    page.remember("a")
    restored = Database.restore(page.export())
    assert restored.lsn == call("durableLsn", page.handle)
