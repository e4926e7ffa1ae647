"""Remembering and recalling through the face of the memory."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from zengram_py import ZengramMemory
from zengram_py.clock import ManualClock
from zengram_py.engine import Database, container
from zengram_py.errors import (
    ClosedError,
    DimensionError,
    EmbedderError,
    InvalidArgumentError,
    SnapshotError,
    VectorLengthError,
    VectorNotFiniteError,
    VectorTypeError,
    VectorZeroError,
    ZengramError,
)


def toy_embedder(text: str) -> list[float]:
    """Return 64 dimensions of hashed words (FNV-1a 32), normalised."""
    out = [0.0] * 64
    word = ""
    for character in text.lower() + " ":
        if character.isascii() and character.isalnum():
            word += character
        elif word:
            value = 0x811C9DC5
            for byte in word.encode():
                value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
            out[value % 64] += 1
            word = ""
    length = math.sqrt(sum(x * x for x in out)) or 1.0
    return [x / length for x in out]


@pytest.fixture
def memory(clock: ManualClock) -> ZengramMemory:
    made = ZengramMemory.open(64, clock=clock)
    made.set_embed_fn(toy_embedder, 64)
    return made


def test_remember_and_recall(memory: ZengramMemory) -> None:
    tea = memory.remember("drinks", "user drinks green tea", "/")
    memory.remember("pets", "user has a dog named Rex", "/")
    hits = memory.recall("which green tea?", "/")
    assert hits[0].knowledge_id == tea
    assert (hits[0].subject, hits[0].content, hits[0].importance) == ("drinks", "user drinks green tea", 0.5)
    expected = np.dot(toy_embedder("drinks: user drinks green tea"), toy_embedder("which green tea?"))
    assert hits[0].similarity == pytest.approx(expected, abs=1e-6)
    assert [h.score for h in hits] == sorted((h.score for h in hits), reverse=True)


def test_the_same_subject_supersedes_in_its_scope_only(memory: ZengramMemory) -> None:
    first = memory.remember("Drinks", "user drinks coffee", "/")
    elsewhere = memory.remember("drinks", "user drinks water", "/a")
    second = memory.remember("  drinks ", "user drinks green tea", "/")
    assert len({first, elsewhere, second}) == 3
    assert [(f.id, f.content) for f in memory.facts("/")] == [(second, "user drinks green tea")]
    assert [f.id for f in memory.facts("/a")] == [elsewhere]
    assert {h.knowledge_id for h in memory.recall("user drinks", "/")} == {second}


def test_the_chain_is_kept(memory: ZengramMemory, clock: ManualClock) -> None:
    first = memory.remember("drinks", "coffee", "/")
    clock.advance(days=1)
    second = memory.remember("drinks", "tea", "/")
    row = memory._database.begin().get("knowledge", first)
    assert (row["status"], row["superseded_by"], row["valid_to"]) == ("superseded", second, clock.now())
    assert row["content"] == "coffee"


def test_saying_the_same_again_stores_nothing(memory: ZengramMemory) -> None:
    first = memory.remember("drinks", "user drinks café crème", "/")
    before = memory.export_snapshot()
    assert memory.remember("DRINKS", "user  drinks cafe\u0301 cre\u0300me\n", "/") == first
    assert memory.export_snapshot() == before


def test_scopes_do_not_leak(memory: ZengramMemory) -> None:
    for scope in ("a", "a/b", "/", "/a", "A"):
        memory.remember("where", f"in {scope}", scope)
    for scope in ("a", "a/b", "/", "/a", "A"):
        assert [h.content for h in memory.recall("where in", scope)] == [f"in {scope}"]
    assert memory.recall("where in", "b") == []


def test_non_latin_subjects_are_kept_apart_and_unicode_forms_together(memory: ZengramMemory) -> None:
    memory.remember_with_vector("你好", "one", "/", np.eye(64)[0])
    memory.remember_with_vector("世界", "two", "/", np.eye(64)[1])
    assert len(memory.facts("/")) == 2
    memory.remember_with_vector("caf\u00e9", "nfc", "/", np.eye(64)[2])
    memory.remember_with_vector("cafe\u0301", "nfd", "/", np.eye(64)[3])
    assert [f.content for f in memory.facts("/") if f.content.startswith("nf")] == ["nfd"]


def test_a_lone_surrogate_becomes_a_replacement_character(memory: ZengramMemory) -> None:
    memory.remember_with_vector("cut", "robot \ud83e", "/\udc00", np.eye(64)[0])
    (fact,) = memory.facts("/\ufffd")
    assert fact.content == "robot \ufffd"
    assert len(memory.recall("robot \ud83e", "/\udc00")) in (0, 1)
    ZengramMemory.open_from_snapshot(memory.export_snapshot(), 64)


def test_a_text_is_its_characters_whatever_its_class_says() -> None:
    class Loud(str):
        def strip(self, *_: Any) -> Any:
            return "anything"

        def isascii(self) -> bool:
            return True

    memory = ZengramMemory.open(2)
    memory.remember_with_vector(Loud("a\ud800"), "b", "/", [1, 0])
    assert [fact.subject for fact in memory.facts("/")] == ["a\ufffd"]
    with pytest.raises(InvalidArgumentError, match="blank"):
        memory.remember_with_vector(Loud(" "), "b", "/", [1, 0])


def test_an_embedder_may_raise_what_cannot_be_shown() -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise ValueError

    def embed(text: str) -> Any:
        raise MuteError

    memory = ZengramMemory.open(2)
    memory.set_embed_fn(embed, 2)
    with pytest.raises(EmbedderError, match="MuteError") as caught:
        memory.remember("s", "c", "/")
    assert isinstance(caught.value.__cause__, MuteError)


def test_a_small_scope_is_found_whole_beside_a_large_one() -> None:
    memory = ZengramMemory.open(8)
    rng = np.random.default_rng(0)
    for i in range(500):
        memory.remember_with_vector(f"a{i}", "in A", "A", np.eye(8)[0] + rng.random(8) * 0.01)
    wanted = {memory.remember_with_vector(f"b{i}", "in B", "B", 1 + rng.random(8)) for i in range(10)}
    assert {h.knowledge_id for h in memory.recall_with_vector("q", "B", np.eye(8)[0])} == wanted


def test_a_limit_of_answers_and_a_threshold_of_relevance() -> None:
    memory = ZengramMemory.open(2)
    for i in range(30):
        memory.remember_with_vector(f"s{i}", "near", "/", [1, 0.01 * i])
    memory.remember_with_vector("off", "across", "/", [0, 1])
    memory.remember_with_vector("away", "away", "/", [-1, 0])
    hits = memory.recall_with_vector("", "/", [1, 0])
    assert len(hits) == 20
    assert all(h.similarity > 0.9 for h in hits)
    assert {h.content for h in memory.recall_with_vector("", "/", [0, 1])} >= {"across"}
    assert "away" not in {h.content for h in memory.recall_with_vector("", "/", [1, 0])}


def test_age_reorders_and_never_erases(clock: ManualClock) -> None:
    memory = ZengramMemory.open(2, clock=clock)
    memory.remember_with_vector("old", "old", "/", [1, 0.05])
    clock.advance(days=242)
    assert [h.content for h in memory.recall_with_vector("", "/", [1, 0])] == ["old"]
    memory.remember_with_vector("new", "new", "/", [1, 0.06])
    assert [h.content for h in memory.recall_with_vector("", "/", [1, 0])] == ["new", "old"]


def test_a_fact_from_the_future_is_as_old_as_now(clock: ManualClock) -> None:
    memory = ZengramMemory.open(2, clock=clock)
    memory.remember_with_vector("s", "c", "/", [1, 0])
    now = memory.recall_with_vector("", "/", [1, 0])[0].score
    clock.advance(days=-1)
    assert memory.recall_with_vector("", "/", [1, 0])[0].score == now
    assert math.isfinite(now)


def test_ties_are_in_a_fixed_order(clock: ManualClock) -> None:
    memory = ZengramMemory.open(2, clock=clock)
    ids = [memory.remember_with_vector(f"s{i}", f"c{i}", "/", [1, 0]) for i in range(5)]
    assert [h.knowledge_id for h in memory.recall_with_vector("", "/", [2, 0])] == ids[::-1]
    assert [f.id for f in memory.facts("/")] == ids[::-1]
    assert [f.id for f in memory.facts("/", limit=2, offset=1)] == [ids[3], ids[2]]


def test_a_snapshot_recalls_the_same(clock: ManualClock) -> None:
    memory = ZengramMemory.open(64, clock=clock)
    memory.set_embed_fn(toy_embedder, 64)
    rng = np.random.default_rng(5)
    for i in range(200):
        memory.remember_with_vector(f"s{i % 150}", f"fact {i}", "/", rng.standard_normal(64))
    restored = ZengramMemory.open_from_snapshot(memory.export_snapshot(), 64, clock=clock)
    for _ in range(50):
        query = rng.standard_normal(64)
        assert restored.recall_with_vector("", "/", query) == memory.recall_with_vector("", "/", query)
    restored.remember_with_vector("s3", "newer", "/", query)
    assert restored.recall_with_vector("", "/", query)[0].content == "newer"


def test_a_snapshot_of_another_dimension_names_both(memory: ZengramMemory) -> None:
    with pytest.raises(SnapshotError, match=r"64.*768") as caught:
        ZengramMemory.open_from_snapshot(memory.export_snapshot(), 768)
    assert caught.value.code == "SNAPSHOT_DIMENSION"


def test_a_database_without_a_memory_is_refused() -> None:

    with pytest.raises(SnapshotError, match="without a memory"):
        ZengramMemory.open_from_snapshot(Database.open().export(), 4)
    with pytest.raises(InvalidArgumentError):
        ZengramMemory.open_from_snapshot("text", 4)  # type: ignore[arg-type]


def _table(manifest: dict[str, Any], name: str) -> Any:
    return next(entry[0] for entry in manifest["catalog"] if entry[0].get("name", [None])[-1] == name)


def _another_default(manifest: dict[str, Any]) -> None:
    _table(manifest, "knowledge")["columns"][20][3] = ["lit", {}]


def _no_indexes(manifest: dict[str, Any]) -> None:
    _table(manifest, "knowledge")["indexes"] = []


def _another_settings_column(manifest: dict[str, Any]) -> None:
    _table(manifest, "_zengram_config")["columns"][1][0] = "worth"


def _no_main_branch(manifest: dict[str, Any]) -> None:
    manifest["branches"][0][3] = True


@pytest.mark.parametrize("change", [_another_default, _no_indexes, _no_main_branch])
def test_a_snapshot_of_other_tables_is_refused(change: Callable[[dict[str, Any]], None]) -> None:
    """The bytes are whole (every checksum is right), and yet they hold no memory."""
    memory = ZengramMemory.open(4)
    memory.remember_with_vector("s", "c", "/", [1, 0, 0, 0])
    saved = container.read(memory.export_snapshot())
    change(saved.manifest)
    with pytest.raises(SnapshotError) as caught:
        ZengramMemory.open_from_snapshot(container.write(saved), 4)
    assert caught.value.code == "SNAPSHOT_DAMAGED"


def test_a_snapshot_without_a_memory_is_not_taken_for_damaged() -> None:
    memory = ZengramMemory.open(4)
    saved = container.read(memory.export_snapshot())
    _another_settings_column(saved.manifest)
    for data in (container.write(saved), Database.open().export()):
        with pytest.raises(SnapshotError, match="without a memory") as caught:
            ZengramMemory.open_from_snapshot(data, 4)
        assert caught.value.code == "SNAPSHOT_NO_MEMORY"


def test_a_snapshot_is_contiguous_bytes(memory: ZengramMemory) -> None:
    data = memory.export_snapshot()
    assert ZengramMemory.open_from_snapshot(memoryview(bytearray(data)), 64).facts("/") == []
    with pytest.raises(InvalidArgumentError, match="one after the other"):
        ZengramMemory.open_from_snapshot(memoryview(data)[::2], 64)


class Unreadable:
    """What looks like an array and fails to become one."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("it is on another device")


BAD_VECTORS: list[tuple[Any, type[ZengramError]]] = [
    (Unreadable(), VectorTypeError),
    ([], VectorLengthError),
    ([1.0, 2.0], VectorLengthError),
    (np.ones(5), VectorLengthError),
    ([0, 0, 0, 0], VectorZeroError),
    ([1e-300, 0, 0, 0], VectorZeroError),
    ([1, 2, float("nan"), 4], VectorNotFiniteError),
    ([1, 2, float("-inf"), 4], VectorNotFiniteError),
    ([1e39, 0, 0, 1], VectorNotFiniteError),
    ("abcd", VectorTypeError),
    (None, VectorTypeError),
    (7, VectorTypeError),
    (["1", "2", "3", "4"], VectorTypeError),
    ([[1, 2, 3, 4]], VectorTypeError),
    ([1, [2], 3, 4], VectorTypeError),
    ([True, False, True, True], VectorTypeError),
    ([1, 2, 3, 1j], VectorTypeError),
]


@pytest.mark.parametrize(("vector", "error"), BAD_VECTORS, ids=repr)
def test_a_bad_vector_is_refused_and_nothing_is_stored(vector: Any, error: type[ZengramError]) -> None:
    memory = ZengramMemory.open(4)
    before = memory.export_snapshot()
    with pytest.raises(error):
        memory.remember_with_vector("s", "c", "/", vector)
    with pytest.raises(error):
        memory.recall_with_vector("q", "/", vector)
    memory.set_embed_fn(lambda text: vector, 4)
    with pytest.raises(error):
        memory.remember("s", "c", "/")
    assert memory.export_snapshot() == before


def test_a_tiny_vector_is_a_vector() -> None:
    memory = ZengramMemory.open(4)
    memory.remember_with_vector("s", "c", "/", [1e-30] * 4)
    (hit,) = memory.recall_with_vector("q", "/", [1, 1, 1, 1])
    assert hit.similarity == pytest.approx(1)


@pytest.mark.parametrize("bad", [None, 7, b"x", ["a"], {}, "", "  \n"])
def test_a_bad_text_is_refused_and_nothing_is_stored(bad: Any) -> None:
    memory = ZengramMemory.open(2)
    before = memory.export_snapshot()
    for position, name in enumerate(("subject", "content", "scope")):
        texts: list[Any] = ["s", "c", "/"]
        texts[position] = bad
        with pytest.raises(InvalidArgumentError, match=name):
            memory.remember_with_vector(*texts, [1, 0])
    with pytest.raises(InvalidArgumentError, match="scope"):
        memory.recall_with_vector("q", bad, [1, 0])
    with pytest.raises(InvalidArgumentError, match="scope"):
        memory.facts(bad)
    assert memory.export_snapshot() == before


@pytest.mark.parametrize("bad", [0, -1, 2.5, "4", None, True, math.nan, math.inf, 16_001, [4]])
def test_a_bad_dimension_is_refused(bad: Any) -> None:
    with pytest.raises(DimensionError, match="dim must be a whole number"):
        ZengramMemory.open(bad)
    with pytest.raises(DimensionError):
        ZengramMemory.open(4).set_embed_fn(toy_embedder, bad)


@pytest.mark.parametrize("bad", [-1, 1.5, "3", True])
def test_a_bad_limit_is_refused(bad: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="limit"):
        ZengramMemory.open(4).facts("/", limit=bad)


def test_an_embedder_is_needed_and_must_answer_at_once() -> None:
    memory = ZengramMemory.open(4)
    with pytest.raises(EmbedderError) as caught:
        memory.remember("s", "c", "/")
    assert caught.value.code == "EMBEDDER_MISSING"

    async def later(text: str) -> list[float]:
        await asyncio.sleep(0)
        return [1, 0, 0, 0]

    memory.set_embed_fn(later, 4)
    with pytest.raises(EmbedderError) as caught:
        memory.recall("q", "/")
    assert caught.value.code == "EMBEDDER_ASYNC"

    def broken(text: str) -> list[float]:
        raise OSError("no model")

    memory.set_embed_fn(broken, 4)
    with pytest.raises(EmbedderError, match="no model") as caught:
        memory.remember("s", "c", "/")
    assert caught.value.code == "EMBEDDER_FAILED"
    assert isinstance(caught.value.__cause__, OSError)
    assert memory.facts("/") == []
    with pytest.raises(DimensionError, match=r"8.*4"):
        memory.set_embed_fn(toy_embedder, 8)
    with pytest.raises(InvalidArgumentError):
        memory.set_embed_fn("no function", 4)  # type: ignore[arg-type]


def test_an_embedder_that_calls_back_into_the_memory_does_no_harm() -> None:
    memory = ZengramMemory.open(2)

    def nosy(text: str) -> list[float]:
        memory.remember_with_vector("nested", text, "/", [0, 1])
        memory.recall_with_vector("x", "/", [1, 1])
        return [1, 0]

    memory.set_embed_fn(nosy, 2)
    memory.remember("outer", "c", "/")
    assert {f.subject for f in memory.facts("/")} == {"nested", "outer"}
    memory.set_embed_fn(lambda text: memory.close(), 2)
    with pytest.raises(ClosedError):
        memory.remember("s", "c", "/")


def test_a_closed_memory_says_so() -> None:
    with ZengramMemory.open(2) as memory:
        memory.remember_with_vector("s", "c", "/", [1, 0])
    calls = [
        lambda: memory.remember("s", "c", "/"),
        lambda: memory.remember_with_vector("s", "c", "/", [1, 0]),
        lambda: memory.recall("q", "/"),
        lambda: memory.recall_with_vector("q", "/", [1, 0]),
        lambda: memory.facts("/"),
        lambda: memory.set_embed_fn(toy_embedder, 2),
        lambda: memory.export_snapshot(),
    ]
    for call in calls:
        with pytest.raises(ClosedError):
            call()
    memory.close()  # again does no harm


def test_a_blank_question_has_no_answer(memory: ZengramMemory) -> None:
    memory.remember("s", "c", "/")
    assert memory.recall("  ", "/") == []


def test_what_a_subject_ends_with_and_a_content_begins_with_are_kept_apart(memory: ZengramMemory) -> None:
    one, other = memory.remember("ab", "c", "/"), memory.remember("a", "bc", "/")
    assert one != other
    assert {(fact.subject, fact.content) for fact in memory.facts("/")} == {("ab", "c"), ("a", "bc")}
