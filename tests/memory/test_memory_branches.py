"""Memory branches: what is tried on one is seen there alone, until it is merged."""

from __future__ import annotations

from typing import Any

import pytest
from memory_support import refused

from zengram_py import ZengramMemory
from zengram_py.clock import ManualClock
from zengram_py.errors import BranchError, InvalidArgumentError, StateError, TransactionError
from zengram_py.memory.budgets import OF_SESSION


def put(memory: ZengramMemory, subject: str, content: str, scope: str = "/", **options: Any) -> str:
    memory._clock.advance(seconds=1)  # type: ignore[attr-defined]
    return memory.remember_with_vector(subject, content, scope, [1, 0], **options)


def known(memory: ZengramMemory, scope: str = "/") -> set[str]:
    found = {fact.content for fact in memory.facts(scope)}
    assert {hit.content for hit in memory.recall_with_vector("", scope, [1, 0], min_score=0)} == found
    return found


def on(memory: ZengramMemory, name: str | None) -> ZengramMemory:
    memory.use_memory(name)
    return memory


def test_a_branch_has_all_calls_to_itself(memory: ZengramMemory) -> None:
    put(memory, "city", "Oslo")
    memory.fork_memory("idea")
    assert [(b.name, b.is_current) for b in memory.memory_branches()] == [("main", True), ("idea", False)]
    on(memory, "idea")
    put(memory, "city", "Bergen")
    put(memory, "food", "fish")
    made = memory.create_session("p")
    memory.append_turn(made.session_id, made.branch_id, "user")
    assert known(memory) == {"Bergen", "fish"}
    assert memory.query("select count(*) as n from knowledge").rows == [{"n": 3}]
    on(memory, None)
    assert known(memory) == {"Oslo"}
    assert memory.session(made.session_id) is None
    assert memory.query("select count(*) as n from knowledge").rows == [{"n": 1}]
    (_, idea) = memory.memory_branches()
    assert (idea.parent, idea.ahead, idea.behind, idea.is_current) == ("main", 4, 0, False)


def test_counts_of_recall_are_kept_by_branch(memory: ZengramMemory) -> None:
    fact = put(memory, "city", "Oslo")
    memory.fork_memory("idea")
    known(on(memory, "idea"))
    known(on(memory, None))
    known(memory)
    put(memory, "x", "y")
    assert memory.fact(fact).access_count == 2  # type: ignore[union-attr]
    on(memory, "idea")
    assert memory.fact(fact).access_count == 0  # type: ignore[union-attr]
    put(memory, "z", "y")
    assert memory.fact(fact).access_count == 1  # type: ignore[union-attr]
    on(memory, None)
    assert memory.merge_memory("idea").applied
    assert memory.fact(fact).access_count == 3  # type: ignore[union-attr]


def test_a_diff_tells_of_facts_and_turns(memory: ZengramMemory) -> None:
    made = memory.create_session("p")
    old = put(memory, "city", "Oslo")
    memory.fork_memory("idea")
    on(memory, "idea")
    new = put(memory, "city", "Bergen")
    turn = memory.append_turn(made.session_id, made.branch_id, "user")
    on(memory, None)
    found = memory.diff_memory("idea")
    assert [(f.id, f.change, f.before, f.after) for f in found.facts] == [
        (old, "changed", "Oslo", "(superseded) Oslo"),
        (new, "added", None, "Bergen"),
    ]
    assert [(t.id, t.change, t.role) for t in found.turns] == [(turn, "added", "user")]
    assert found.other_rows >= 3
    assert memory.diff_memory("main", against="idea").facts == ()


def test_a_merge_brings_everything_in_one_commit(memory: ZengramMemory, clock: ManualClock) -> None:
    made = memory.create_session("p")
    kept = put(memory, "city", "Oslo")
    memory.fork_memory("idea")
    on(memory, "idea")
    put(memory, "food", "fish from Bergen")
    memory.confirm(kept)
    turn = memory.append_turn(made.session_id, made.branch_id, "user")
    memory.complete_turn(turn, 10, 5, 0.5)
    on(memory, None)
    put(memory, "drink", "tea from Bergen")
    memory.confirm(kept)
    other = memory.append_turn(made.session_id, made.branch_id, "user")
    memory.complete_turn(other, 1, 1, 0.25)
    plan = memory.merge_memory("idea", dry_run=True)
    assert not plan.applied
    assert known(memory) == {"Oslo", "tea from Bergen"}
    before = memory._database.lsn
    done = memory.merge_memory("idea")
    assert memory._database.lsn == before + 1
    assert (done.applied, done.facts, done.turns, done.conflicts, done.contradictions) == (True, 2, 1, (), ())
    assert (plan.facts, plan.turns, plan.rows) == (done.facts, done.turns, done.rows)
    assert known(memory) == {"Oslo", "tea from Bergen", "fish from Bergen"}
    fact, session = memory.fact(kept), memory.session(made.session_id)
    assert fact is not None
    assert session is not None
    assert fact.times_confirmed == 2
    assert (session.total_tokens, session.total_cost_usd, session.total_turns) == (17, 0.75, 2)
    assert [entity.name for entity in memory.entities("/")] == ["Bergen", "Oslo"]
    assert memory.entities("/")[0].facts == 2
    assert memory.merge_memory("idea").rows == 0, "again brings nothing"


@pytest.mark.parametrize(
    ("strategy", "content"), [("ours", "Rome"), ("theirs", "Bergen"), ("newest", "Rome")]
)
@pytest.mark.parametrize("base", [True, False])
def test_a_subject_that_both_sides_changed_is_one_truth_again(
    memory: ZengramMemory, strategy: str, content: str, base: bool
) -> None:
    if base:
        put(memory, "city", "Oslo")
    memory.fork_memory("idea")
    theirs = put(on(memory, "idea"), "City", "Bergen")
    ours = put(on(memory, None), "CITY", "Rome")
    before = memory.export_snapshot()
    report = memory.merge_memory("idea")
    assert memory.export_snapshot() == before
    assert not report.applied
    assert [(c.subject, c.ours_id, c.theirs_id, c.theirs_content) for c in report.contradictions] == [
        ("CITY", ours, theirs, "Bergen")
    ]
    assert bool(report.conflicts) == base, "the row of the older fact names two others"
    done = memory.merge_memory("idea", strategy=strategy)
    assert done.applied
    assert known(memory) == {content}
    winner, loser = (ours, theirs) if content == "Rome" else (theirs, ours)
    lost = memory.fact(loser)
    assert lost is not None
    assert (lost.status, lost.superseded_by) == ("superseded", winner)
    assert loser in [origin.id for origin in memory.trace_back(winner)]
    put(memory, "city", "Paris")
    assert known(memory) == {"Paris"}


def test_what_both_sides_told_alike_is_one_fact(memory: ZengramMemory) -> None:
    memory.fork_memory("idea")
    theirs = put(on(memory, "idea"), "city", "Oslo in Norway", "/project/x", peer="Ann")
    ours = put(on(memory, None), "City", "Oslo  in Norway", "/project/x", peer="ann")
    done = memory.merge_memory("idea")
    assert (done.applied, done.contradictions) == (True, ())
    assert [fact.id for fact in memory.facts("/project/x")] == [ours]
    assert [(o.id, o.relation) for o in memory.trace_back(ours)] == [(theirs, "merged_from")]
    assert {(e.name, e.facts) for e in memory.entities("/project/x")} >= {("Norway", 1)}


def test_different_peers_and_scopes_do_not_meet(memory: ZengramMemory) -> None:
    memory.fork_memory("idea")
    on(memory, "idea")
    put(memory, "city", "Oslo", peer="Ann")
    put(memory, "city", "Rome", "/x")
    on(memory, None)
    put(memory, "city", "Paris", peer="Bob")
    done = memory.merge_memory("idea")
    assert (done.applied, done.contradictions) == (True, ())
    assert known(memory) == {"Oslo", "Paris"}


def test_a_row_that_both_sides_changed_otherwise_is_a_conflict(memory: ZengramMemory) -> None:
    made = memory.create_session("p")
    turn = memory.append_turn(made.session_id, made.branch_id, "user")
    memory.fork_memory("idea")
    on(memory, "idea").summarize_turn(turn, "theirs")
    on(memory, None).summarize_turn(turn, "ours")
    report = memory.merge_memory("idea")
    assert not report.applied
    (conflict,) = report.conflicts
    assert (conflict.table, conflict.key) == ("turn", (turn,))
    assert conflict.ours is not None
    assert conflict.theirs is not None
    assert (conflict.ours["summary"], conflict.theirs["summary"]) == ("ours", "theirs")
    assert memory.merge_memory("idea", strategy="theirs").applied
    assert memory.turn(turn).summary == "theirs"  # type: ignore[union-attr]


def test_branches_outlive_a_snapshot_and_their_parents(memory: ZengramMemory, clock: ManualClock) -> None:
    put(memory, "city", "Oslo")
    memory.fork_memory("idea")
    put(on(memory, "idea"), "food", "fish")
    memory.fork_memory("deeper")
    put(on(memory, "deeper"), "drink", "tea")
    on(memory, None).discard_memory("idea")
    again = ZengramMemory.open_from_snapshot(memory.export_snapshot(), 2, clock=clock)
    assert [b.name for b in again.memory_branches()] == ["main", "deeper"]
    assert known(again) == {"Oslo"}
    assert known(on(again, "deeper")) == {"Oslo", "fish", "tea"}
    made = again.create_session("p")
    window = again.assemble_context(made.session_id, made.branch_id, 1000)
    assert [block.type for block in window.blocks] == ["knowledge"]
    on(again, None)
    assert again.merge_memory("deeper").applied
    assert known(again) == {"Oslo", "fish", "tea"}


def test_a_purge_reaches_every_branch(memory: ZengramMemory) -> None:
    memory.fork_memory("idea")
    fact = put(on(memory, "idea"), "pin", "1234")
    memory.purge(fact)
    assert memory.fact(fact) is None


def test_what_cannot_be_is_refused(memory: ZengramMemory) -> None:
    memory.fork_memory("idea")
    refused(memory, BranchError, "idea", lambda: memory.fork_memory("idea"))
    refused(memory, BranchError, "nowhere", lambda: memory.use_memory("nowhere"))
    refused(memory, BranchError, "nowhere", lambda: memory.diff_memory("nowhere"))
    refused(memory, BranchError, "itself", lambda: memory.merge_memory("main"))
    refused(memory, BranchError, "main", lambda: memory.discard_memory("main"))
    refused(memory, InvalidArgumentError, "strategy", lambda: memory.merge_memory("idea", strategy="best"))
    refused(memory, InvalidArgumentError, "name", lambda: memory.fork_memory(" "))
    on(memory, "idea")
    refused(memory, StateError, "in use", lambda: memory.discard_memory("idea"))

    def in_a_batch() -> None:
        with memory.batch():
            memory.use_memory(None)

    refused(memory, TransactionError, "batch", in_a_batch)


def test_a_turn_is_counted_as_it_is_on_its_branch(memory: ZengramMemory, clock: ManualClock) -> None:
    memory.set_token_counter(len, model_family="letters")
    made = memory.create_session("p")
    turn = memory.append_turn(made.session_id, made.branch_id, "user")
    memory.add_part(turn, made.session_id, "text", "short", 0)
    memory.fork_memory("idea")
    clock.advance(seconds=1)
    memory.add_part(turn, made.session_id, "text", "long " * 50, 1)
    clock.advance(seconds=1)

    def tokens() -> int:
        (block,) = memory.assemble_context(made.session_id, made.branch_id, 10_000).blocks
        assert block.token_count == len(block.content)
        return block.token_count

    small = on(memory, "idea") and tokens()
    put(memory, "x", "y", "/elsewhere")
    tokens()
    on(memory, None)
    large = tokens()
    assert large > small + 200
    put(memory, "z", "y", "/elsewhere")
    assert tokens() == large
    clock.advance(seconds=1)
    put(on(memory, "idea"), "w", "y", "/elsewhere")
    tokens()
    on(memory, None)
    assert memory.merge_memory("idea").applied
    assert tokens() == large


def test_a_fact_that_came_to_both_sides_from_a_third_stays(memory: ZengramMemory) -> None:
    memory.fork_memory("one")
    fact = put(memory, "city", "Oslo")
    memory.fork_memory("other")
    on(memory, "one")
    assert memory.merge_memory("main").applied
    merged = memory.merge_memory("other")
    assert (merged.applied, merged.contradictions) == (True, ())
    assert known(memory) == {"Oslo"}
    assert memory.fact(fact).superseded_by is None  # type: ignore[union-attr]


@pytest.mark.parametrize("content", ["1234", "4321"])
@pytest.mark.parametrize("strategy", ["ours", "theirs"])
@pytest.mark.parametrize("ours_is_private", [True, False])
def test_what_is_merged_with_a_private_fact_is_private(
    memory: ZengramMemory, content: str, strategy: str, ours_is_private: bool
) -> None:
    memory.fork_memory("idea")
    put(memory, "pin", "1234", private=ours_is_private)
    on(memory, "idea")
    put(memory, "pin", content, private=not ours_is_private)
    on(memory, None)
    assert memory.merge_memory("idea", strategy=strategy).applied
    assert [fact.private for fact in memory.facts("/")] == [True]


@pytest.mark.parametrize("deleted_on", ["main", "idea"])
@pytest.mark.parametrize("what", ["turn", "part", "tool call", "event", "end"])
def test_a_session_that_one_side_deleted_and_the_other_went_on_with(
    memory: ZengramMemory, deleted_on: str, what: str
) -> None:
    made = memory.create_session("p")
    session = made.session_id
    turn = None if what == "turn" else memory.append_turn(session, made.branch_id, "user")
    memory.fork_memory("idea")
    on(memory, deleted_on).delete_session(session)
    on(memory, "idea" if deleted_on == "main" else "main")
    if what == "part":
        memory.add_part(str(turn), session, "text", {"text": "more"}, 0)
    elif what == "tool call":
        memory.record_tool_call(turn_id=str(turn), session_id=session, tool_id="read")
    elif what == "event":
        memory.log_event("something", session_id=session)
    elif what == "end":
        memory.end_session(session)
    else:
        memory.append_turn(session, made.branch_id, "user")
    on(memory, None)
    before = memory.export_snapshot()
    merged = memory.merge_memory("idea")
    assert (merged.applied, [(one.table, one.key) for one in merged.conflicts]) == (
        False,
        [("session", (session,))],
    )
    assert memory.export_snapshot() == before
    assert memory.merge_memory("idea", strategy="newest").applied
    for table, column in (*OF_SESSION, ("session", "id")):
        assert memory.query(f"select * from {table} where {column} = $1", [session]).rows == []


@pytest.mark.parametrize(("strategy", "truth"), [("ours", "Bergen"), ("theirs", "Oslo"), ("newest", "Oslo")])
def test_a_fact_that_one_side_replaced_twice_and_the_other_changed(
    memory: ZengramMemory, strategy: str, truth: str
) -> None:
    old, other = put(memory, "city", "Oslo"), put(memory, "town", "Oslo")
    memory.fork_memory("idea")
    put(memory, "city", "Paris")
    put(memory, "city", "Bergen")
    on(memory, "idea")
    memory._clock.advance(seconds=1)  # type: ignore[attr-defined]
    memory.merge_facts(old, other)
    on(memory, None)
    assert not memory.merge_memory("idea").applied
    assert memory.merge_memory("idea", strategy=strategy).applied
    assert known(memory) == {truth}
