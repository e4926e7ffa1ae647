"""What becomes of facts after they were stored."""

from __future__ import annotations

import zlib
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from memory_support import make_origins

from zengram_py import ZengramMemory
from zengram_py.clock import ManualClock
from zengram_py.engine import container
from zengram_py.errors import InvalidArgumentError, NotFoundError, StateError, TransactionError
from zengram_py.memory.knowledge import similarity_hash

FACTS = 5000
"""So many that two runs of an index are not merged at once."""


@pytest.fixture
def memory(clock: ManualClock) -> ZengramMemory:
    return ZengramMemory.open(3, clock=clock)


def put(memory: ZengramMemory, subject: str, content: str = "said", scope: str = "/", **options: Any) -> str:
    seed = np.random.default_rng(zlib.crc32(f"{subject}: {content}".encode()))
    return memory.remember_with_vector(subject, content, scope, seed.standard_normal(3), **options)


def of(memory: ZengramMemory, fact_id: str, *names: str) -> tuple[Any, ...]:
    fact = memory.fact(fact_id)
    assert fact is not None
    return tuple(getattr(fact, name) for name in names)


def ids_of(hits: Any) -> set[str]:
    return {hit.knowledge_id for hit in hits}


def everything(memory: ZengramMemory, **options: Any) -> set[str]:
    return ids_of(memory.recall_with_vector("said", "/", [1, 0, 0], min_score=0, **options))


# -- confidence ----------------------------------------------------------------------------------------------------------


def test_confirming_and_contradicting_move_confidence_and_stay_in_range(memory: ZengramMemory) -> None:
    fact = put(memory, "a")
    memory.confirm(fact)
    names = ("confidence", "importance", "times_confirmed", "times_contradicted")
    assert of(memory, fact, *names) == (0.6, 0.65, 1, 0)
    memory.contradict(fact)
    assert of(memory, fact, *names) == (0.4, 0.65, 1, 1)
    for _ in range(9):
        memory.confirm(fact)
    assert of(memory, fact, *names) == (1.0, 1.0, 10, 1)
    for _ in range(9):
        memory.contradict(fact)
    assert of(memory, fact, *names) == (0.0, 1.0, 10, 10)


@pytest.mark.parametrize("call", ["confirm", "contradict", "forget", "purge", "collisions", "trace_back"])
def test_an_unknown_id_is_refused_and_nothing_changes(memory: ZengramMemory, call: str) -> None:
    put(memory, "a")
    before = memory.export_snapshot()
    with pytest.raises(NotFoundError, match="knw_nowhere") as caught:
        getattr(memory, call)("knw_nowhere")
    assert caught.value.code == "NOT_FOUND"
    with pytest.raises(InvalidArgumentError):
        getattr(memory, call)(7)
    assert memory.export_snapshot() == before


def test_a_fact_that_does_not_hold_is_not_confirmed(memory: ZengramMemory) -> None:
    first = put(memory, "a", "one")
    second = put(memory, "a", "two")
    with pytest.raises(StateError, match=f"superseded by '{second}'.*confirmed") as caught:
        memory.confirm(first)
    assert caught.value.code == "INVALID_STATE"
    memory.forget(second)
    with pytest.raises(StateError, match="forgotten"):
        memory.contradict(second)


def test_another_session_that_says_the_same_confirms_once(memory: ZengramMemory) -> None:
    for session in ("s1", "s2", "s3"):
        make_origins(memory, session, [f"{session}t"])
    fact = put(memory, "tea", "user drinks tea", session_id="s1")
    assert put(memory, "TEA", "user  drinks tea", session_id="s1") == fact
    assert of(memory, fact, "times_confirmed", "confidence", "importance") == (0, 0.5, 0.5)
    assert put(memory, "tea", "user drinks tea", turn_id="s2t") == fact
    assert put(memory, "tea", "user drinks tea", session_id="s2") == fact
    assert of(memory, fact, "times_confirmed", "confidence", "importance", "session_id") == (
        1,
        0.6,
        0.65,
        "s1",
    )
    assert put(memory, "tea", "user drinks tea", session_id="s3", importance=0.2) == fact
    assert of(memory, fact, "times_confirmed", "confidence", "importance") == (2, 0.7, 0.2)
    assert put(memory, "tea", "user drinks tea") == fact, "told outside of any session: nobody else said it"
    assert of(memory, fact, "times_confirmed") == (2,)
    found = [(o.type, o.id, o.relation) for o in memory.trace_back(fact)]
    assert found == [
        ("session", "s1", "told_in"),
        ("turn", "s2t", "confirmed_by"),
        ("session", "s3", "confirmed_by"),
    ]
    assert memory.query("select count(*) as n from knowledge").rows == [{"n": 1}]


# -- decay ----------------------------------------------------------------------------------------------------------------


def test_decay_charges_the_time_since_the_last_decay(memory: ZengramMemory, clock: ManualClock) -> None:
    fact = put(memory, "a", importance=0.8)
    assert memory.decay(10) == 0, "no time has passed"
    clock.advance(days=10)
    late = put(memory, "b", importance=0.8)
    assert memory.decay(10) == 1
    assert of(memory, fact, "importance") == (pytest.approx(0.4),)
    assert memory.decay(10) == 0
    clock.advance(days=5)
    assert memory.decay(10) == 2
    assert of(memory, fact, "importance") == (pytest.approx(0.4 * 0.5**0.5),)
    assert of(memory, late, "importance", "time_decayed") == (pytest.approx(0.8 * 0.5**0.5), clock.now())


def test_decay_leaves_alone_what_does_not_hold_and_clocks_that_step_back(
    memory: ZengramMemory, clock: ManualClock
) -> None:
    old = put(memory, "a", "one")
    put(memory, "a", "two")
    gone = put(memory, "c")
    memory.forget(gone)
    clock.advance(days=3)
    assert memory.decay(3) == 1
    assert of(memory, old, "importance") == of(memory, gone, "importance") == (0.5,)
    clock.advance(days=-2)
    assert memory.decay(3) == 0


def test_an_importance_that_is_told_again_is_charged_from_then_on(
    memory: ZengramMemory, clock: ManualClock
) -> None:
    fact = put(memory, "a")
    clock.advance(days=10)
    assert put(memory, "a", importance=0.8) == fact
    memory.decay(10)
    assert of(memory, fact, "importance") == (0.8,)


@pytest.mark.parametrize("bad", [0, -1, float("nan"), float("inf"), "3", None, True])
def test_a_bad_half_life_is_refused(memory: ZengramMemory, bad: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="half_life_days"):
        memory.decay(bad)


def test_decay_of_all_scopes_writes_two_columns_and_one_run_of_one_index(
    memory: ZengramMemory, clock: ManualClock
) -> None:
    rng = np.random.default_rng(3)
    with memory.batch():
        for i in range(FACTS):
            put(memory, f"s{i}", f"said {i}", f"/{i % 3}", importance=float(rng.random()))
    while memory.maintain(1000):
        pass
    clock.advance(days=1)
    before = _sizes(memory)
    assert memory.decay(30) == FACTS
    after = _sizes(memory)
    assert before["embedding"] == after["embedding"]
    changed = {name for name, size in after["knowledge"].items() if size != before["knowledge"][name]}
    assert not any(name.startswith("heap") for name in changed), changed
    assert {name for name in changed if name.startswith("index")} == {"index knowledge_importance"}
    store = memory._database.begin().seen("knowledge").store
    states = {state.definition.name: state for state in store.indexes.values()}
    runs = states["knowledge_importance"].structure._runs  # type: ignore[attr-defined]
    assert [len(run.entries) for run in runs] == [FACTS, FACTS]
    found = memory.query(
        "select id from knowledge where scope = '/1' and status = 'active' order by importance desc limit 5"
    )
    plain = sorted(memory.facts("/1", limit=FACTS), key=lambda f: -f.importance)[:5]
    assert [row["id"] for row in found.rows] == [f.id for f in plain]


def _sizes(memory: ZengramMemory) -> dict[str, dict[str, int]]:
    return {name.partition("#")[0]: sizes for name, sizes in memory._database.size().items()}


# -- merging, forgetting, purging -----------------------------------------------------------------------------------------


def test_look_alikes_are_listed_and_merged(memory: ZengramMemory, clock: ManualClock) -> None:
    kept = memory.remember_with_vector("tea", "user drinks tea", "/", [1, 0, 0], importance=0.3)
    twin = memory.remember_with_vector("drinks", "the user likes tea", "/", [1, 0.1, 0], importance=0.9)
    near = memory.remember_with_vector("drink", "tea, please", "/", [1, 0.5, 0])
    memory.remember_with_vector("dog", "a dog", "/", [0, 0, 1])
    memory.remember_with_vector("drinks", "the user likes tea", "/b", [1, 0, 0])
    memory.confirm(twin)
    found = memory.collisions(kept)
    assert [c.id for c in found] == [twin, near]
    assert found[0].similarity == pytest.approx(1 / 1.01**0.5)
    assert [c.id for c in memory.collisions(kept, threshold=0.95)] == [twin]
    assert [c.id for c in memory.collisions(kept, limit=1)] == [twin]
    clock.advance(days=1)
    memory.merge_facts(kept, [twin, near])
    assert of(memory, kept, "importance", "confidence", "times_confirmed", "source_ids") == (
        1.0,
        0.6,
        1,
        (twin, near),
    )
    assert of(memory, twin, "status", "superseded_by", "valid_to") == ("superseded", kept, clock.now())
    assert everything(memory) >= {kept}
    assert everything(memory).isdisjoint({twin, near})
    assert {(o.id, o.relation) for o in memory.trace_back(kept)} == {
        (twin, "merged_from"),
        (near, "merged_from"),
    }
    assert [o.id for o in memory.trace_forward(twin)] == [kept]


def test_what_cannot_be_merged_is_refused_and_nothing_changes(memory: ZengramMemory) -> None:
    kept, other = put(memory, "a"), put(memory, "b")
    elsewhere, old = put(memory, "a", scope="/x"), put(memory, "c", "one")
    put(memory, "c", "two")
    before = memory.export_snapshot()
    for duplicates, error in (
        ([other, elsewhere], NotFoundError),
        ([other, "knw_no"], NotFoundError),
        ([other, old], StateError),
        ([kept], InvalidArgumentError),
        (7, InvalidArgumentError),
    ):
        with pytest.raises(error):
            memory.merge_facts(kept, duplicates)  # type: ignore[arg-type]
    memory.merge_facts(kept, [])
    assert memory.export_snapshot() == before


def test_a_forgotten_fact_is_no_answer_at_any_time_and_stays_in_history(
    memory: ZengramMemory, clock: ManualClock
) -> None:
    fact = put(memory, "a", "said one")
    start = clock.now()
    clock.advance(days=1)
    memory.forget(fact)
    memory.forget(fact)
    assert everything(memory) == set()
    assert everything(memory, as_of=start) == set()
    assert memory.facts("/") == []
    assert of(memory, fact, "status", "valid_to", "content") == ("forgotten", clock.now(), "said one")
    assert [f.id for f in memory.history("A")] == [fact]
    again = put(memory, "a", "said one")
    assert again != fact, "to be told again is to know it again"
    assert everything(memory) == {again}


def test_a_purged_fact_leaves_no_trace(memory: ZengramMemory, clock: ManualClock) -> None:
    make_origins(memory, "s1", ["t1"])
    older = put(memory, "whereabouts", "was in Xanadupolis")
    secret = put(
        memory, "whereabouts", "lives in Zanzibarium", session_id="s1", turn_id="t1", peer="Quetzalina"
    )
    other = put(memory, "friend", "knows Quetzalina of Zanzibarium")
    memory.merge_facts(other, [secret])
    with memory._database.begin() as transaction:
        row = {"entity_type": "knowledge", "entity_id": secret, "model_family": "m", "token_count": 3}
        transaction.insert("token_estimate", {**row, "time_computed": 0})
    memory._database.fork("aside")
    memory.forget(other)
    memory.purge(other)
    memory.purge(secret)
    assert memory.fact(secret) is None
    assert [f.id for f in memory.history("whereabouts")] == [older]
    assert memory._database.pending()
    while memory.maintain(1000):
        pass
    sections = container.read(memory.export_snapshot())
    data = b"".join(bytes(part) for part in sections.sections.values()) + str(sections.manifest).encode()
    for word in (b"Zanzibarium", b"zanzibarium", b"zanzibar", secret.encode()):
        assert word not in data, word
    assert b"Xanadupolis" in data
    with memory._database.begin(branch="aside", read_only=True) as transaction:
        assert transaction.get("knowledge", secret) is None
    for table, column in (
        ("embedding", "source_id"),
        ("provenance", "target_id"),
        ("token_estimate", "entity_id"),
    ):
        assert memory.query(f"select * from {table} where {column} = $1", [secret]).rows == []
    assert "Zanzibarium" not in [entity.name for entity in memory.entities("/")]
    with pytest.raises(NotFoundError):
        memory.purge(secret)


def test_purging_a_head_keeps_what_it_replaced(memory: ZengramMemory) -> None:
    first, second = put(memory, "a", "one"), put(memory, "a", "two")
    memory.purge(second)
    assert of(memory, first, "status", "superseded_by") == ("superseded", None)
    third = put(memory, "a", "three")
    assert everything(memory) == {third}


# -- private facts, peers, access counts ----------------------------------------------------------------------------------


def test_private_facts_are_left_out_unless_asked(memory: ZengramMemory) -> None:
    open_one, secret = put(memory, "a", peer="Ann"), put(memory, "b", private=True, peer="Ann")
    assert everything(memory) == {open_one}
    assert everything(memory, include_private=True) == {open_one, secret}
    assert [f.id for f in memory.facts_about_peer("ann")] == [open_one]
    assert [f.id for f in memory.facts_about_peer("ANN", include_private=True)] == [secret, open_one]


def test_facts_about_a_peer_are_of_every_scope_and_the_most_important_first(
    memory: ZengramMemory, clock: ManualClock
) -> None:
    low = put(memory, "a", scope="/x", peer="Zoë", importance=0.1)
    old = put(memory, "b", "one", peer="zoe\u0308")
    put(memory, "b", "two", peer="Zoë", importance=0.9)
    put(memory, "a", peer="Zoe")
    put(memory, "late", peer="Zoë", expires=clock.now() + 5)
    clock.advance(seconds=1)
    found = memory.facts_about_peer("ZOË", 10)
    assert [(f.scope, f.subject, f.content, f.importance) for f in found] == [
        ("/", "b", "two", 0.9),
        ("/x", "a", "said", 0.1),
    ]
    assert [f.id for f in memory.facts_about_peer("Zoë", 1)] == [found[0].id]
    assert found[1].id == low
    assert old not in [f.id for f in found]
    assert memory.facts_about_peer("nobody") == []
    assert memory.query("select id, name from peer order by id").rows == [
        {"id": "zoe", "name": "Zoe"},
        {"id": "zoë", "name": "Zoë"},
    ]


def test_recall_writes_nothing_and_its_counts_go_out_with_the_next_write(
    memory: ZengramMemory, clock: ManualClock
) -> None:
    fact, other = put(memory, "a"), put(memory, "b")
    before = memory._database.lsn
    memory.recall_with_vector("said", "/", [1, 0, 0], min_score=0)
    clock.advance(seconds=5)
    asked = clock.now()
    memory.recall_with_vector("said", "/", [1, 0, 0], min_score=0, limit=2)
    assert memory._database.lsn == before
    assert of(memory, fact, "access_count", "last_accessed") == (0, None)
    clock.advance(seconds=5)
    memory.confirm(other)
    assert memory._database.lsn == before + 1
    assert of(memory, fact, "access_count", "last_accessed") == (2, asked)
    assert of(memory, other, "access_count", "times_confirmed") == (2, 1)
    memory.confirm(other)
    assert of(memory, fact, "access_count") == (2,)


def test_counts_of_facts_that_are_gone_are_dropped(memory: ZengramMemory) -> None:
    fact, other = put(memory, "a"), put(memory, "b")
    everything(memory)
    memory.purge(fact)
    everything(memory)
    memory.forget(other)
    assert of(memory, other, "access_count") == (2,)


def test_a_failed_write_keeps_the_counts(memory: ZengramMemory) -> None:
    fact = put(memory, "a")
    everything(memory)
    with pytest.raises(NotFoundError):
        memory.confirm("knw_no")
    memory.confirm(fact)
    assert of(memory, fact, "access_count") == (1,)


# -- history and identity --------------------------------------------------------------------------------------------------


def test_history_is_in_the_order_in_which_facts_held(memory: ZengramMemory, clock: ManualClock) -> None:
    now = clock.now()
    contents = ["one", "two", "three"]
    for content in contents:
        put(memory, "caf\u00e9", content)
        clock.advance(days=1)
    put(memory, "cafe\u0301", "before all", valid_from=now - 10, valid_to=now - 5)
    put(memory, "CAFE\u0301", "elsewhere", "/x")
    put(memory, "café", "of Ann", peer="Ann")
    assert [f.content for f in memory.history("café", "/")][:4] == ["before all", *contents]
    assert [f.content for f in memory.history("café", "/", peer="ANN")] == ["of Ann"]
    assert [f.scope for f in memory.history("café")] == ["/"] * 5 + ["/x"]
    chain = [f for f in memory.history("café", "/") if f.peer is None][1:]
    for older, newer in pairwise(chain):
        assert (older.superseded_by, older.valid_to) == (newer.id, newer.valid_from)
    assert memory.history("nothing") == []


def test_subject_and_content_are_apart_in_the_hash() -> None:
    assert similarity_hash("ab", "c") != similarity_hash("a", "bc")
    assert similarity_hash('a","b', "c") != similarity_hash("a", 'b","c')
    assert similarity_hash("Caf\u00e9 ", "x  y") == similarity_hash("cafe\u0301", " x y\n")
    assert similarity_hash("a", "X") != similarity_hash("a", "x")
    assert similarity_hash("你好", "c") != similarity_hash("世界", "c")


def test_a_scopes_project_is_made_where_the_scope_says_so(memory: ZengramMemory) -> None:
    fact, plain = put(memory, "a", scope="/project/site"), put(memory, "a", scope="/user")
    assert of(memory, fact, "project_id") == ("site",)
    assert of(memory, plain, "project_id") == (None,)
    assert memory.ensure_project("/project/site") == "site"
    assert memory.ensure_project("/user") == "/user"
    assert memory.ensure_project("/user") == "/user"
    assert of(memory, put(memory, "b", scope="/user"), "project_id") == ("/user",)
    assert memory.query("select id from project order by id").rows == [{"id": "/user"}, {"id": "site"}]


def test_where_a_fact_came_from_must_be_there(memory: ZengramMemory) -> None:
    make_origins(memory, "s1", ["t1"])
    make_origins(memory, "s2", ["t2"])
    fact, elsewhere = put(memory, "a"), put(memory, "a", scope="/x")
    before = memory.export_snapshot()
    for options in (
        {"session_id": "s9"},
        {"turn_id": "t9"},
        {"session_id": "s1", "turn_id": "t2"},
        {"source_ids": [fact, "knw_no"]},
        {"source_ids": [elsewhere]},
    ):
        with pytest.raises(NotFoundError):
            put(memory, "new", **options)
    assert memory.export_snapshot() == before
    assert of(memory, put(memory, "new", turn_id="t2"), "session_id", "turn_id") == ("s2", "t2")
    derived = put(memory, "sum", source_ids=[fact])
    assert [(o.id, o.relation) for o in memory.trace_back(derived)] == [(fact, "derived_from")]


# -- batches ---------------------------------------------------------------------------------------------------------------


def test_a_batch_is_one_commit(memory: ZengramMemory) -> None:
    before = memory._database.lsn
    with memory.batch():
        first = put(memory, "a", "one")
        second = put(memory, "a", "two")
        memory.confirm(second)
        assert of(memory, first, "superseded_by") == (second,)
        assert everything(memory) == set(), "recall shows what was there before"
    assert memory._database.lsn == before + 1
    assert everything(memory) == {second}


def test_a_batch_in_which_something_fails_stores_nothing(memory: ZengramMemory) -> None:
    before = memory.export_snapshot()

    def careless() -> None:
        with memory.batch():
            put(memory, "a")
            with pytest.raises(NotFoundError):
                memory.confirm("knw_no")
            with pytest.raises(TransactionError, match="earlier call"):
                put(memory, "b")

    with pytest.raises(TransactionError, match="nothing of the batch"):
        careless()
    assert memory.export_snapshot() == before

    def failing() -> None:
        with memory.batch():
            put(memory, "a")
            raise KeyError("x")

    with pytest.raises(KeyError):
        failing()
    assert memory.export_snapshot() == before
    put(memory, "a")


def test_what_cannot_be_in_a_batch_says_so(memory: ZengramMemory) -> None:
    fact = put(memory, "a")

    def nested() -> None:
        with memory.batch(), memory.batch():
            pass

    with pytest.raises(TransactionError, match="do not nest"):
        nested()
    for call in (lambda: memory.decay(3), lambda: memory.purge(fact)):

        def tried(call: Any = call) -> None:
            with memory.batch():
                call()

        with pytest.raises(TransactionError, match="cannot be part of a batch"):
            tried()
    assert of(memory, fact, "status") == ("active",)
