"""What callers' code, SQL and applications do to a memory: it answers, or says what is wrong and changes nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from zengram_py import ZengramMemory
from zengram_py.clock import ManualClock
from zengram_py.errors import ForeignKeyError, InvalidArgumentError, MigrationError, NotFoundError
from zengram_py.sql import ZetaDb


def put(memory: ZengramMemory, subject: str, content: str = "said", **options: Any) -> str:
    return memory.remember_with_vector(subject, content, "/", [1, 0], **options)


def find(memory: ZengramMemory) -> list[str]:
    return [hit.knowledge_id for hit in memory.recall_with_vector("said", "/", [1, 0], min_score=0)]


def fact(memory: ZengramMemory, fact_id: str) -> Any:
    found = memory.fact(fact_id)
    assert found is not None
    return found


def everything(memory: ZengramMemory) -> str:
    db = memory.sql()
    names = [table["name"] for table in db.schema()["tables"]]
    return repr({name: db.query(f'select * from "{name}"').tuples for name in names})


# -- access counts -------------------------------------------------------------------------------------------------------


def test_merging_keeps_counts_that_were_not_written_yet(memory: ZengramMemory) -> None:
    kept, other = put(memory, "a"), put(memory, "b")
    for _ in range(3):
        find(memory)
    memory.ensure_project("p")  # writes the counts
    find(memory)
    memory.merge_facts(kept, [other])
    assert fact(memory, kept).access_count == 7  # 3 of each, and the last one of its own
    assert fact(memory, other).access_count == 4


def test_counts_in_a_batch_add_to_those_of_a_merge(memory: ZengramMemory, clock: ManualClock) -> None:
    kept, other = put(memory, "a"), put(memory, "b")
    find(memory)
    memory.ensure_project("p")
    with memory.batch():
        memory.merge_facts(kept, [other])
        clock.advance(seconds=1)
        find(memory)
    assert (fact(memory, kept).access_count, fact(memory, kept).last_accessed) == (3, clock.now())


def test_a_batch_does_not_fail_for_what_it_only_recalled() -> None:
    db = ZetaDb.open()
    memory = ZengramMemory.over_engine(db, 2)
    known = put(memory, "a")
    with memory.batch():
        find(memory)
        memory.ensure_project("p")
        db.exec_mut("update knowledge set importance = 0.8")
    assert memory.query("select id from project").tuples == [("p",)]
    assert fact(memory, known).access_count == 0
    memory.ensure_project("q")  # the next write takes the counts along
    assert fact(memory, known).access_count == 1


# -- what SQL writes -----------------------------------------------------------------------------------------------------


def test_history_knows_the_year_1970(memory: ZengramMemory) -> None:
    put(memory, "a", "first", valid_from=0)
    put(memory, "a", "second", valid_from=5)
    assert [one.content for one in memory.history("a")] == ["first", "second"]


@pytest.mark.parametrize("value", ["5", "true", '"knw"', '{"a": [1]}', '[1, [2], {"b": 1}, null]'])
def test_sources_that_are_no_list_of_texts_are_none(memory: ZengramMemory, value: str) -> None:
    first, second, third = (put(memory, subject) for subject in "abc")
    memory.query("update knowledge set consolidated_from = $1::jsonb", [value])
    put(memory, "a", source_ids=[second])
    memory.merge_facts(second, [third])
    memory.reflect_with_insights_with_vectors(
        "/", [{"subject": "a", "content": "said", "source_ids": [second]}], [[1, 0]]
    )
    assert fact(memory, first).source_ids == (second,)
    assert fact(memory, second).source_ids == (third,)


@pytest.mark.parametrize("value", ["7", "-3", "'infinity'::float8", "'-infinity'::float8", "'NaN'::float8"])
def test_importance_is_within_bounds_after_a_call_that_sets_it(
    memory: ZengramMemory, clock: ManualClock, value: str
) -> None:
    kept, other, third = (put(memory, subject) for subject in "abc")
    memory.query(f"update knowledge set importance = {value}, confidence = {value}")
    memory.merge_facts(kept, [other])
    assert 0 <= fact(memory, kept).importance <= 1
    assert 0 <= fact(memory, kept).confidence <= 1
    clock.advance(seconds=1)
    memory.decay(1)
    assert 0 <= fact(memory, third).importance <= 1


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("half_life", [5e-324, 1e-300, 1e300])
def test_extreme_half_lives_say_nothing_but_a_number(
    memory: ZengramMemory, clock: ManualClock, half_life: float
) -> None:
    known = put(memory, "a")
    clock.advance(days=1)
    memory.decay(half_life)
    assert fact(memory, known).importance == (0.5 if half_life > 1 else 0.0)


def test_a_subject_that_was_replaced_a_thousand_times_is_as_quick_as_another_one(
    memory: ZengramMemory, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[int] = []
    for number in range(300):
        clock.advance(seconds=1)
        put(memory, "a", str(number))
    with memory._database.begin(read_only=True) as transaction:
        store = transaction.seen("knowledge").store
    values = store.values

    def counted(slot: int) -> Any:
        reads.append(slot)
        return values(slot)

    monkeypatch.setattr(store, "values", counted)
    put(memory, "a", "the last")
    assert len(reads) < 20  # read each of the 300 rows
    assert [one.content for one in memory.facts("/")] == ["the last"]


# -- arguments -----------------------------------------------------------------------------------------------------------


def test_arrays_and_unprintable_arguments_are_refused_in_words(memory: ZengramMemory) -> None:
    class Unprintable:
        def __repr__(self) -> str:
            raise RuntimeError

    class Text(str):
        def __repr__(self) -> str:
            raise RuntimeError

        def __ne__(self, other: object) -> bool:
            return False

        __hash__ = str.__hash__

    session = memory.create_session("p")
    turn = memory.append_turn(session.session_id, session.branch_id, "user")
    two: Any = np.array(["a", "b"])
    text, thing = Text("elsewhere"), Unprintable()
    before = everything(memory)
    wrong: list[Any] = [
        lambda: memory.get_turns(two, session.branch_id),
        lambda: memory.add_part(turn, two, "text", {}, 0),
        lambda: memory.record_tool_call(turn_id=turn, session_id=two, tool_id="x"),
        lambda: memory.sessions(status=two),
        lambda: memory.configure_extraction("/", extract_on=two),
        lambda: put(memory, "a", importance=np.complex64(0.5)),
        lambda: put(memory, "a", importance=thing),
        lambda: put(memory, "a", private=thing),
        lambda: memory.confirm(text),
        lambda: memory.add_part(turn, text, "text", {}, 0),  # says that it is the session's id
        lambda: memory.get_turns(text, session.branch_id),
    ]
    for call in wrong:
        with pytest.raises(InvalidArgumentError):
            call()
    assert everything(memory) == before


# -- the caller's extractor ----------------------------------------------------------------------------------------------


def test_an_extractor_that_fails_is_named(memory: ZengramMemory) -> None:
    known = put(memory, "a")

    def fails(text: str) -> Any:
        raise KeyError("model")

    def gives_numbers(text: str) -> Any:
        return [1]

    for extractor in (fails, gives_numbers):
        memory.set_entity_extractor(extractor)
        with pytest.raises(InvalidArgumentError, match="extractor"):
            put(memory, "b")
        with pytest.raises(InvalidArgumentError, match="extractor"):
            find(memory)
    memory.set_entity_extractor(None)
    assert find(memory) == [known]


def test_an_extractor_may_call_the_memory(memory: ZengramMemory) -> None:
    ids = [put(memory, f"subject {number}") for number in range(50)]
    left = ids.copy()

    def extract(text: str) -> list[str]:
        if left:
            memory.purge(left.pop())
            while memory.maintain():
                pass
        return ["Ada"]

    memory.set_entity_extractor(extract)
    for _ in range(3):
        assert set(find(memory)) <= set(left)  # was an IndexError: the vacuum renumbered what was being read


# -- purges and migrations -----------------------------------------------------------------------------------------------


def test_a_fact_that_an_application_refers_to_is_not_half_purged() -> None:
    db = ZetaDb.open()
    memory = ZengramMemory.over_engine(db, 2)
    old = put(memory, "a", "old", entities=["Ada"])
    new = put(memory, "a", "new", entities=["Ada"])
    db.exec_ddl("create table note (id int primary key, fact text references knowledge (id))")
    db.exec_mut("insert into note values (1, $1)", [new])
    before = everything(memory)
    with pytest.raises(ForeignKeyError, match="note"):
        memory.purge(new)
    assert everything(memory) == before
    assert fact(memory, old).superseded_by == new
    db.exec_mut("delete from note")
    memory.purge(new)
    assert memory.fact(new) is None


def test_a_fact_that_is_left_on_a_branch_only_can_be_purged() -> None:
    db = ZetaDb.open()
    memory = ZengramMemory.over_engine(db, 2)
    known = put(memory, "a", "secret")
    db.exec_ddl("create branch other")
    db.exec_mut("delete from knowledge")
    memory.purge(known)
    db.set_branch("other")
    assert db.query("select * from knowledge").tuples == []
    with pytest.raises(NotFoundError):
        memory.purge(known)


@pytest.mark.parametrize("statement", ["create view knowledge as select 1 as a", "create sequence knowledge"])
def test_a_view_or_sequence_under_a_reserved_name_is_a_clash(statement: str) -> None:
    db = ZetaDb.open()
    db.exec_ddl(statement)
    with pytest.raises(MigrationError, match="'knowledge' of its own") as caught:
        ZengramMemory.over_engine(db, 2)
    assert caught.value.code == "MIGRATION_CLASH"
    assert db.schema()["tables"] == []
