"""The bridge: JSON text and buffers in and out, errors as values."""

from __future__ import annotations

import gc
import json
import tracemalloc
import weakref
from typing import Any

import numpy as np
import pytest

from zengram_py import ZengramMemory, bridge
from zengram_py.bridge import FUNCTIONS
from zengram_py.bridge.memory import NAMES
from zengram_py.bridge.plain import camel, stored


def call(method: str, handle: int = 0, *arguments: Any, buffer: Any = None) -> Any:
    answer = json.loads(bridge.call(method, handle, json.dumps(arguments), buffer))
    assert len(answer) == 1
    return answer["ok"] if "ok" in answer else answer["error"]


def vector(*values: float) -> Any:
    return memoryview(np.array(values, np.float32))


def test_a_memory_lives_behind_a_handle() -> None:
    handle = call("open", 0, 2)
    assert isinstance(handle, int)
    fact = call("rememberWithVector", handle, "drinks", "tea", "/", buffer=vector(1, 0))
    (hit,) = call("recallWithVector", handle, "q", "/", buffer=vector(1, 0.1))
    published = {"knowledgeId", "subject", "content", "score", "importance"}
    assert set(hit) == published | {"similarity", "status", "timeCreated", "tokens"}
    assert hit["knowledgeId"] == fact
    (listed,) = call("facts", handle, "/", {"limit": 5, "offset": None})
    assert {"id", "scope", "subject", "content", "importance", "confidence", "timeCreated"} < set(listed)
    assert (listed["sessionId"], listed["tags"], listed["validTo"]) == (None, [], None)
    assert call("facts", handle, "/", None) == [listed]
    data = bridge.export_bytes("exportSnapshot", handle)
    other = call("openFromSnapshot", 0, 2, buffer=np.frombuffer(data, np.uint8))
    assert other != handle
    assert call("facts", other, "/", None) == [listed]
    assert call("free", handle) is None
    assert call("facts", handle, "/", None)["name"] == "ClosedError"
    assert json.loads(bridge.export_bytes("exportSnapshot", handle))["error"]["code"] == "CLOSED"
    assert call("facts", other, "/", None) == [listed]


def test_an_embedder_is_called_with_text_and_gives_a_vector() -> None:
    handle = call("open", 0, 2)
    asked: list[str] = []

    def embed(text: str) -> Any:
        asked.append(text)
        return vector(1, 0)

    assert json.loads(bridge.set_function("setEmbedFn", handle, embed, "[2]")) == {"ok": None}
    call("remember", handle, "drinks", "tea", "/")
    call("recall", handle, "q?", "/")
    assert asked == ["drinks: tea", "q?"]
    assert (
        json.loads(bridge.set_function("setEmbedFn", handle, embed, "[3]"))["error"]["code"]
        == "INVALID_DIMENSION"
    )


def test_an_embedder_that_gives_nothing_has_failed() -> None:
    handle = call("open", 0, 2)
    bridge.set_function("setEmbedFn", handle, lambda text: None, "[2]")
    assert call("remember", handle, "drinks", "tea", "/")["code"] == "EMBEDDER_FAILED"
    assert call("recall", handle, "q?", "/")["code"] == "EMBEDDER_FAILED"
    assert call("facts", handle, "/", None) == []


@pytest.mark.parametrize(
    ("method", "arguments", "buffer", "code"),
    [
        ("rememberWithVector", ["s", "c", "/"], vector(1), "VECTOR_LENGTH"),
        ("rememberWithVector", ["s", "c", "/"], vector(), "VECTOR_LENGTH"),
        ("rememberWithVector", ["s", "c", "/"], None, "VECTOR_TYPE"),
        ("rememberWithVector", ["s", None, "/"], vector(1, 0), "INVALID_ARGUMENT"),
        ("recallWithVector", ["q", 7], vector(1, 0), "INVALID_ARGUMENT"),
        ("remember", ["s", "c", "/"], None, "EMBEDDER_MISSING"),
        ("facts", ["/", {"limits": 3}], None, "INVALID_ARGUMENT"),
        ("openFromSnapshot", [2], None, "INVALID_ARGUMENT"),
        ("openFromSnapshot", [2], memoryview(b""), "SNAPSHOT_DAMAGED"),
        ("openFromSnapshot", [2], memoryview(b"x" * 500), "SNAPSHOT_DAMAGED"),
        ("open", [0.5], None, "INVALID_DIMENSION"),
        ("open", [None], None, "INVALID_DIMENSION"),
    ],
)
def test_errors_are_values(method: str, arguments: list[Any], buffer: Any, code: str) -> None:
    handle = call("open", 0, 2)
    error = call(method, handle, *arguments, buffer=buffer)
    assert error["code"] == code
    assert error["message"]
    assert call("facts", handle, "/", None) == []


def test_a_fault_of_our_own_is_an_error_too(capsys: pytest.CaptureFixture[str]) -> None:
    error = call("noSuchMethod")
    assert (error["name"], error["code"]) == ("InternalError", "INTERNAL")
    assert "KeyError" in capsys.readouterr().err


def test_text_crosses_whatever_it_holds() -> None:
    handle = call("open", 0, 2)
    text = 'a "quote" \\ \n \u2028 𝄞 <script>'
    call("rememberWithVector", handle, text, text, "/", buffer=vector(1, 0))
    (fact,) = call("facts", handle, "/", None)
    assert (fact["subject"], fact["content"]) == (text, text)
    call("rememberWithVector", handle, "half", "\ud83e", "/", buffer=vector(1, 0))
    assert call("facts", handle, "/", None)[0]["content"] == "\ufffd"


def test_versions() -> None:
    assert set(call("version")) == {"zengram", "python", "numpy"}


def test_options_and_entities_cross() -> None:
    handle = call("open", 0, 2)
    call(
        "rememberWithVector", handle, "a", "Ada met Charles", "/", {"entities": ["Ada"]}, buffer=vector(1, 0)
    )
    call("rememberWithVector", handle, "b", "about tea", "/", None, buffer=vector(0, 1))
    assert call("entities", handle, "/", {"limit": 5}) == [{"name": "Ada", "facts": 1}]
    assert [f["subject"] for f in call("entity", handle, "ada", "/", None)] == ["a"]
    options = {"limit": 1, "minScore": 0.1, "explain": True}
    (hit,) = call("recallWithVector", handle, "tea", "/", options, buffer=vector(0.1, 1))
    assert hit["subject"] == "b"
    assert hit["score"] == pytest.approx(sum(hit["explanation"]["parts"].values()))
    assert hit["explanation"]["textRank"] == 1
    assert (
        call("recallWithVector", handle, "tea", "/", {"limits": 1}, buffer=vector(1, 0))["code"]
        == "INVALID_ARGUMENT"
    )
    assert call("recallWithVector", handle, "tea", "/", 5, buffer=vector(1, 0))["code"] == "INVALID_ARGUMENT"
    assert (
        call("rememberWithVector", handle, "c", "c", "/", {"entities": "Ada"}, buffer=vector(1, 0))["code"]
        == "INVALID_ARGUMENT"
    )


def test_settings_and_maintenance_cross() -> None:
    handle = call("open", 0, 2)
    begun = call("createSession", handle, "p", {"title": "T"})
    session, branch = begun["sessionId"], begun["branchId"]
    turn = call("appendTurn", handle, session, branch, "user", None)
    options = {"sessionId": session, "turnId": turn, "validTo": "2030-01-01", "tags": ["x"], "private": True}
    call("rememberWithVector", handle, "a", "tea", "/", options, buffer=vector(1, 0))
    (fact,) = call("facts", handle, "/")
    assert (fact["sessionId"], fact["turnId"], fact["tags"], fact["private"]) == (session, turn, ["x"], True)
    assert fact["validTo"] == 1_893_456_000_000_000
    assert call("recallWithVector", handle, "tea", "/", buffer=vector(1, 0)) == []
    found = call("recallWithVector", handle, "tea", "/", {"includePrivate": True}, buffer=vector(1, 0))
    assert [hit["subject"] for hit in found] == ["a"]
    assert call("recallConfig", handle, "/")["vectorWeight"] == 0.4
    changed = call("configureRecall", handle, "/", {"vectorWeight": 0.6, "preset": "rrf"})
    assert (changed["vectorWeight"], changed["textWeight"], changed["preset"]) == (0.6, 0.3, "rrf")
    assert call("recallConfig", handle, "/") == changed
    assert call("configureRecall", handle, "/", {"weight": 1})["code"] == "INVALID_ARGUMENT"
    assert call("maintain", handle, 5) is False
    assert call("maintain", handle, -1)["code"] == "INVALID_ARGUMENT"


def talk(handle: int) -> tuple[str, str, str]:
    """Give a session, its trunk and a turn."""
    begun = call("createSession", handle, "p", None)
    turn = call("appendTurn", handle, begun["sessionId"], begun["branchId"], "assistant", {"agent": None})
    return begun["sessionId"], begun["branchId"], turn


def test_what_is_null_is_not_given() -> None:
    handle = call("open", 0, 2)
    session, branch, turn = talk(handle)
    call("completeTurn", handle, turn, 1, 2, 0.5, None, {"tokensReasoning": 3, "tokensCacheRead": None})
    (found,) = call("getTurns", handle, session, branch, None, None)
    assert (found["tokensInput"], found["tokensOutput"], found["finishReason"]) == (1, 2, None)
    assert call("getTurns", handle, session, branch, None, 1) == []
    assert call("getTurns", handle, session, branch) == [found]
    assert call("addPart", handle, turn, session, "text", None, 0).startswith("prt_")
    assert call("getParts", handle, turn)[0]["data"] is None
    assert call("history", handle, "nothing", None, None) == []


def test_dataclasses_in_dataclasses_are_plain_objects_and_data_are_the_callers() -> None:
    handle = call("open", 0, 2)
    session, branch, turn = talk(handle)
    totals = call("sessionTotals", handle, session)
    assert totals["branches"][0]["branchId"] == branch
    assert totals["branches"][0]["toolDurationMs"] == 0
    data = {"snake_case": [{"inner_name": 1}], "camelCase": "\ud83e"}
    call("addPart", handle, turn, session, "text", data, 0)
    assert call("getParts", handle, turn)[0]["data"] == {**data, "camelCase": "\ufffd"}
    assert call("fact", handle, "knw_nothing") is None
    assert call("facts", handle, "/") == []


def test_several_vectors_lie_in_one_buffer() -> None:
    handle = call("open", 0, 2)
    session, _, turn = talk(handle)
    facts = [{"subject": "a", "content": "one"}, {"subject": "b", "content": "two", "tags": ["t"]}]
    asked = ("text", "/", session, turn, facts)
    ids = call("extractWithFactsWithVectors", handle, *asked, [2, 2], buffer=vector(1, 0, 0, 1))
    assert [call("fact", handle, one)["subject"] for one in ids] == ["a", "b"]
    (hit, *_) = call("recallWithVector", handle, "?", "/", buffer=vector(0, 1))
    assert hit["knowledgeId"] == ids[1]
    insight = [{"subject": "c", "content": "three", "sourceIds": ids}]
    (made,) = call("reflectWithInsightsWithVectors", handle, "/", insight, [2], None, buffer=vector(1, 1))
    assert call("fact", handle, made)["sourceIds"] == ids
    assert call("extractWithFactsWithVectors", handle, *asked[:4], [], [], buffer=vector()) == []


@pytest.mark.parametrize(
    ("lengths", "numbers", "name", "words"),
    [
        ([2, 1], [1, 0, 1], "VectorLengthError", "fact 1"),
        ([1, 3], [1, 0, 1, 0], "VectorLengthError", "fact 0"),
        ([2], [1, 0], "VectorLengthError", "one is needed for each"),
        ([], [], "VectorLengthError", "one is needed for each"),
        ([2, 2], [1, 0, 0, 0], "VectorZeroError", "fact 1"),
        ([2, 2], [float("nan"), 0, 0, 1], "VectorNotFiniteError", "fact 0"),
    ],
)
def test_the_vector_that_is_wrong_is_named(
    lengths: list[int], numbers: list[float], name: str, words: str
) -> None:
    handle = call("open", 0, 2)
    session, _, turn = talk(handle)
    facts = [{"subject": "a", "content": "one"}, {"subject": "b", "content": "two"}]
    asked = ("text", "/", session, turn, facts, lengths)
    error = call("extractWithFactsWithVectors", handle, *asked, buffer=vector(*numbers))
    assert error["name"] == name
    assert words in error["message"]
    assert call("facts", handle, "/") == []


@pytest.mark.parametrize(
    ("method", "arguments", "name", "code", "words"),
    [
        ("confirm", ["knw_no"], "NotFoundError", "NOT_FOUND", "knw_no"),
        ("confirm", [], "InvalidArgumentError", "INVALID_ARGUMENT", "missing"),
        ("confirm", [None], "InvalidArgumentError", "INVALID_ARGUMENT", "missing"),
        ("decay", [0], "InvalidArgumentError", "INVALID_ARGUMENT", "halfLifeDays"),
        ("getTurns", ["ses_no", "brn_no"], "NotFoundError", "NOT_FOUND", "brn_no"),
        ("recordToolCall", [{"toolId": "t"}], "InvalidArgumentError", "INVALID_ARGUMENT", "missing"),
        ("recordToolCall", [], "InvalidArgumentError", "INVALID_ARGUMENT", "missing"),
        ("createSession", ["p", {"parent": "x"}], "InvalidArgumentError", "INVALID_ARGUMENT", "parentId"),
        ("createSession", ["p", {"parentId": "x"}], "NotFoundError", "NOT_FOUND", "x"),
        ("configureExtraction", ["/", {"extractOn": "no"}], "InvalidArgumentError", "INVALID_ARGUMENT", "extractOn"),
        ("configureExtraction", ["/", {"extract": 1}], "InvalidArgumentError", "INVALID_ARGUMENT", "minTurnTokens"),
        ("batchCommit", [], "TransactionError", "TRANSACTION_STATE", "no batch"),
        ("addTask", ["t", {"estimatedTurns": -1}], "InvalidArgumentError", "INVALID_ARGUMENT", "estimatedTurns"),
        ("updateTask", ["tsk_no", {"status": "completed"}], "InvalidArgumentError", "INVALID_ARGUMENT", "assignedAgent"),
        ("updateTask", ["tsk_no", {"title": None}], "InvalidArgumentError", "INVALID_ARGUMENT", "title"),
        ("addJob", ["j", {"everySeconds": 0}], "InvalidArgumentError", "INVALID_ARGUMENT", "everySeconds"),
        ("assembleContext", ["s", "b", -1], "InvalidArgumentError", "INVALID_ARGUMENT", "budget"),
        ("assembleContext", ["s", "b", 1, {"vec": [1, 0]}], "InvalidArgumentError", "INVALID_ARGUMENT", "reservePct"),
        ("useMemory", ["none"], "BranchError", "BRANCH", "none"),
    ],
)  # fmt: skip
def test_calls_say_what_is_wrong_with_the_names_of_javascript(
    method: str, arguments: list[Any], name: str, code: str, words: str
) -> None:
    error = call(method, call("open", 0, 2), *arguments)
    assert (error["name"], error["code"]) == (name, code)
    assert words in error["message"]


def test_every_call_of_a_memory_crosses() -> None:
    made_here = {
        "open",
        "open_from_snapshot",
        "over_engine",
        "close",
        "export_snapshot",
        "batch",
        "query",
        "stats",
    }
    functions = {"set_embed_fn", "set_token_counter", "set_entity_extractor"}
    public = {
        name for name in dir(ZengramMemory) if name[0] != "_" and callable(getattr(ZengramMemory, name))
    }
    assert public - set(NAMES) == made_here | functions | {"sql"}
    assert set(FUNCTIONS) == {camel(name) for name in functions}


def test_null_empties_what_a_change_names() -> None:
    handle = call("open", 0, 2)
    task = call(
        "addTask", handle, "t", {"description": "at length", "acceptance": "green", "dependsOn": None}
    )
    assert call("updateTask", handle, task, {"description": None, "estimatedTurns": 2}) is None
    found = call("task", handle, task)
    assert (found["description"], found["acceptance"], found["estimatedTurns"]) == (None, "green", 2)
    assert (found["dependsOn"], found["files"]) == ([], [])


def test_nodes_of_code_have_the_keys_of_javascript() -> None:
    handle = call("open", 0, 2)
    source = call("addCodeSource", handle, "/a", None)
    nodes = [
        {"kind": "x", "name": "f", "qualifiedName": "a.f", "lineStart": 1, "metadata": {"lineStart": 2}},
        {"kind": "x", "name": "g"},
    ]
    edges = [{"from": "a.f", "to": "g", "kind": "makes"}]
    call("putCodeFile", handle, source, "a.js", {"nodes": nodes, "edges": edges})
    (found,) = call("findCode", handle, "a.f")
    assert (found["lineStart"], found["lineEnd"], found["metadata"]) == (1, None, {"lineStart": 2})
    assert call("callees", handle, found["id"], {}) == []
    (step,) = call("callees", handle, found["id"], {"kind": None})
    assert step["node"]["name"] == "g"
    for bad, words in (
        ([{"kind": "x", "name": "f", "at": 1}], "qualifiedName"),
        ([5], "nodes[0]"),
        ("no", "nodes"),
    ):
        error = call("putCodeFile", handle, source, "a.js", {"nodes": bad})
        assert error["code"] == "INVALID_ARGUMENT"
        assert words in error["message"]


def test_a_vector_among_the_options_is_the_buffer() -> None:
    handle = call("open", 0, 2)
    session, branch, turn = talk(handle)
    call("addPart", handle, turn, session, "text", {"text": "hello"}, 0)
    window = call("assembleContext", handle, session, branch, 500, {"explain": True}, buffer=vector(1, 0))
    assert window["blocks"][0]["sourceIds"] == [turn]
    assert window["explanation"][0]["status"] == "full"
    assert call("assembleContext", handle, session, branch, 500)["blocks"] == window["blocks"]
    error = call("assembleContext", handle, session, branch, 500, None, buffer=vector(1))
    assert error["code"] == "VECTOR_LENGTH"


def give(method: str, handle: int, fn: Any, *arguments: Any) -> Any:
    found = json.loads(bridge.set_function(method, handle, fn, json.dumps(arguments)))
    return found.get("ok", found.get("error"))


def test_a_token_counter_gives_a_number() -> None:
    handle = call("open", 0, 2)
    assert give("setTokenCounter", handle, lambda text: float(len(text)), "letters") is None
    assert call("countTokens", handle, "12345678") == 8
    assert give("setTokenCounter", handle, lambda text: None, None) is None
    assert call("countTokens", handle, "x")["code"] == "INVALID_ARGUMENT"
    assert give("setTokenCounter", handle, None, None) is None
    assert call("countTokens", handle, "12345678") == 2
    assert "modelFamily" in give("setTokenCounter", handle, lambda text: 1, " ")["message"]


def test_an_entity_extractor_gives_names_as_json() -> None:
    handle = call("open", 0, 2)
    assert give("setEntityExtractor", handle, lambda text: '["Ada"]') is None
    call("rememberWithVector", handle, "s", "c", "/", None, buffer=vector(1, 0))
    assert [one["name"] for one in call("entities", handle, "/", None)] == ["Ada"]
    assert give("setEntityExtractor", handle, lambda text: None) is None
    bad = call("rememberWithVector", handle, "t", "c", "/", None, buffer=vector(1, 0))
    assert bad["code"] == "INVALID_ARGUMENT"
    assert give("setEntityExtractor", handle, None) is None
    assert call("rememberWithVector", handle, "t", "c", "/", None, buffer=vector(1, 0)).startswith("knw_")


def test_rows_in_conflict_cross_whatever_they_hold() -> None:
    handle = call("open", 0, 2)
    session, _, _ = talk(handle)
    call("logEvent", handle, "begin", None, {"sessionId": session})
    database = bridge.memory_of(handle)._database
    call("forkMemory", handle, "idea")
    for branch, text in ((None, b"{1}"), ("idea", b"{2}")):
        with database.begin(branch=branch or "main") as transaction:
            transaction.update("event_log", 1, {"event_data": text})
    found = call("mergeMemory", handle, "idea", {"dryRun": True})
    (conflict,) = found["conflicts"]
    assert (conflict["table"], conflict["key"], conflict["ours"]["event_data"]) == (
        "event_log",
        [1],
        "\\x7b317d",
    )
    assert found["applied"] is False
    assert stored(np.float32([1, 0.5])) == [1.0, 0.5]
    with pytest.raises(TypeError, match="object"):
        stored(object())


def test_a_batch_is_two_calls() -> None:
    handle = call("open", 0, 2)
    remember = ("rememberWithVector", handle, "a", "one", "/", None)
    call("batchBegin", handle)
    assert call("batchBegin", handle)["name"] == "TransactionError"
    fact = call(*remember, buffer=vector(1, 0))
    assert call("fact", handle, fact)["content"] == "one"
    assert call("facts", handle, "/") == []
    assert call("batchRollback", handle) is None
    assert call("fact", handle, fact) is None
    assert call("batchRollback", handle) is None
    call("batchBegin", handle)
    fact = call(*remember, buffer=vector(1, 0))
    assert call("batchCommit", handle) is None
    assert [one["id"] for one in call("facts", handle, "/")] == [fact]


def test_a_batch_in_which_a_call_failed_stores_nothing() -> None:
    handle = call("open", 0, 2)
    call("batchBegin", handle)
    call("rememberWithVector", handle, "a", "one", "/", None, buffer=vector(1, 0))
    assert call("confirm", handle, "knw_no")["name"] == "NotFoundError"
    assert (
        call("rememberWithVector", handle, "b", "two", "/", buffer=vector(1, 0))["name"] == "TransactionError"
    )
    assert call("batchCommit", handle)["name"] == "TransactionError"
    assert call("facts", handle, "/") == []
    call("batchBegin", handle)
    assert call("batchCommit", handle) is None


def test_freeing_a_memory_gives_its_batch_up() -> None:
    database = call("zetaOpen")
    handle = call("overEngine", database, 2)
    call("batchBegin", handle)
    call("rememberWithVector", handle, "a", "one", "/", None, buffer=vector(1, 0))
    call("free", handle)
    assert call("batchCommit", handle)["name"] == "ClosedError"
    assert call("facts", call("overEngine", database, 2), "/") == []


def test_a_table_of_that_name_is_in_the_way() -> None:
    database = call("zetaOpen")
    call("zetaExecDdl", database, "create table knowledge (id text primary key)", [])
    error = call("overEngine", database, 2)
    assert (error["name"], error["code"]) == ("MigrationError", "MIGRATION_CLASH")
    assert "knowledge" in error["message"]


def test_stats_count_handles_functions_and_what_a_database_holds() -> None:
    handle = call("open", 0, 2)
    before = call("stats", handle)
    json.loads(bridge.set_function("setEmbedFn", handle, lambda text: vector(1, 0), "[2]"))
    json.loads(bridge.set_function("setTokenCounter", handle, len, "[null]"))
    db = call("zetaOpen")
    call("zetaExecDdl", db, "create table t (a int primary key, b text)", [])
    call("zetaExecMut", db, "insert into t select g, 'text ' || g from generate_series(1, 1000) g", [])
    transaction, cursor = call("zetaBegin", db), call("zetaStream", db, "select a from t", [])
    after = call("stats", handle)
    assert after["callbacks"] == before["callbacks"] + 2
    opened = {kind: after["handles"][kind] - before["handles"][kind] for kind in after["handles"]}
    assert opened == {"memories": 0, "databases": 1, "transactions": 1, "cursors": 1, "stores": 0}
    held = call("stats", db)
    assert (held["versions"], held["transactions"]) == (1000, 2)
    assert held["statements"] >= 2
    assert held["databaseBytes"] > 1000 * len("text 1000")
    call("zetaFetch", cursor)
    assert call("stats", cursor)["cacheBytes"] >= held["cacheBytes"] + 1000  # a mask of the table
    assert call("stats", transaction)["databaseBytes"] == held["databaseBytes"]
    for one in (cursor, transaction, db):
        call("zetaFree", one)
        assert call("stats", one)["name"] == "ClosedError"
    call("free", handle)
    assert call("stats", handle)["name"] == "ClosedError"


def test_functions_are_counted_until_they_are_let_go() -> None:
    handle = call("open", 0, 2)
    before = call("stats", handle)["callbacks"]
    for _ in range(3):
        bridge.set_function("setEntityExtractor", handle, lambda text: "[]", "[]")
        assert call("stats", handle)["callbacks"] == before + 1
    bridge.set_function("setEntityExtractor", handle, None, "[]")
    assert call("stats", handle)["callbacks"] == before
    bridge.set_function("setTokenCounter", handle, len, "[null]")
    other = call("open", 0, 2)
    assert call("stats", other)["callbacks"] == before + 1
    call("free", handle)
    assert call("stats", other)["callbacks"] == before
    call("free", other)


def test_a_database_goes_with_its_last_handle_and_not_before() -> None:
    db = call("zetaOpen")
    call("zetaExecDdl", db, "create table t (a int primary key)", [])
    call("zetaExecMut", db, "insert into t select g from generate_series(1, 5000) g", [])
    (table,) = bridge.sql._objects[db].engine.stores.values()
    column = weakref.ref(next(iter(table.columns.values())))
    del table
    memory = call("overEngine", db, 2)
    transaction, cursor = call("zetaBegin", db), call("zetaStream", db, "select a from t", [])
    gc.disable()
    try:
        call("zetaFree", db)
        assert call("query", memory, "select count(*) as n from t", [])["rows"] == [{"n": 5000}]
        assert call("zetaExecMut", transaction, "update t set a = 0 where a = 1", []) == 1
        call("zetaCommit", transaction)
        assert call("zetaFetch", cursor)[0] == {"a": 1}
        call("zetaFree", cursor)
        call("free", memory)
        assert call("zetaQuery", transaction, "select 1", [])["sqlstate"] == "25P01"
        assert column() is not None
        call("zetaFree", transaction)
        assert column() is None
    finally:
        gc.enable()


def test_heap_bytes_are_those_that_tracemalloc_traces() -> None:
    with ZengramMemory.open(2) as memory:
        assert memory.stats().heap_bytes is None
        tracemalloc.start()
        try:
            before = memory.stats(collect=True).heap_bytes
            kept = bytes(10_000_000)
            array = np.ones(1_000_000)
            grown = memory.stats().heap_bytes
            assert before is not None
            assert grown is not None
            assert abs(grown - before - len(kept) - array.nbytes) < 100_000
        finally:
            tracemalloc.stop()
