"""The whole loop of an agent through the memory's face: one conversation, then one small check after the other.

The page runs the same loop from JavaScript (web/test/support/agent_loop.mjs). Tests of one module share the memory and only read it; those
that change something make their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from test_memory import toy_embedder

from zengram_py import ZengramMemory
from zengram_py.clock import ManualClock
from zengram_py.errors import EmbedderError, InvalidArgumentError, NotFoundError, StateError
from zengram_py.memory import Fact
from zengram_py.sql.zeta import ZetaDb

SCOPE = "/project/tea"


def open_toy(clock: ManualClock | None = None) -> ZengramMemory:
    made = ZengramMemory.open(64, clock=clock or ManualClock())
    made.set_embed_fn(toy_embedder, 64)
    return made


def fact(memory: ZengramMemory, fact_id: str) -> Fact:
    found = memory.fact(fact_id)
    assert found is not None
    return found


# -- remembering -------------------------------------------------------------------------------------------------------


@dataclass
class Known:
    memory: ZengramMemory
    clock: ManualClock
    tea: str
    white: str
    car: str
    own: str


@pytest.fixture
def known() -> Known:
    clock = ManualClock()
    memory = open_toy(clock)
    tea = memory.remember("drink", "user drinks green tea", "/user")
    car = memory.remember("car", "user drives a red Toyota", "/user")
    memory.remember("drink", "team drinks coffee", "/team")
    clock.advance(seconds=1)
    white = memory.remember("drink", "user drinks white tea", "/user")
    own = memory.remember_with_vector("pet", "user has a dog", "/user", toy_embedder("pet: user has a dog"))
    return Known(memory, clock, tea, white, car, own)


def test_remember_gives_an_id(known: Known) -> None:
    assert known.tea.startswith("knw_")
    assert known.tea != known.car


def test_remember_stores_an_active_fact(known: Known) -> None:
    assert (fact(known.memory, known.car).status, fact(known.memory, known.car).scope) == ("active", "/user")


def test_recall_finds_the_fact_that_shares_words_first(known: Known) -> None:
    assert known.memory.recall("which tea?", "/user")[0].knowledge_id == known.white


def test_recall_sees_only_the_asked_scope(known: Known) -> None:
    assert all("coffee" not in hit.content for hit in known.memory.recall("drinks", "/user"))


def test_a_blank_question_finds_nothing(known: Known) -> None:
    assert known.memory.recall(" ", "/user") == []


def test_recall_with_vector_takes_the_callers_vector(known: Known) -> None:
    assert known.memory.recall_with_vector("dog", "/user", toy_embedder("dog"))[0].knowledge_id == known.own


def test_what_is_known_is_not_stored_twice(known: Known) -> None:
    assert known.memory.remember("car", "user drives a red Toyota", "/user") == known.car


def test_another_content_supersedes(known: Known) -> None:
    old = fact(known.memory, known.tea)
    assert (old.status, old.superseded_by) == ("superseded", known.white)
    assert [one.id for one in known.memory.history("drink", "/user")] == [known.tea, known.white]


def test_confirm_raises_importance_and_confidence(known: Known) -> None:
    before = fact(known.memory, known.car)
    known.memory.confirm(known.car)
    after = fact(known.memory, known.car)
    assert after.importance == pytest.approx(before.importance + 0.15)
    assert after.confidence == pytest.approx(before.confidence + 0.1)
    assert after.times_confirmed == 1


def test_contradict_lowers_confidence(known: Known) -> None:
    before = fact(known.memory, known.car)
    known.memory.contradict(known.car)
    after = fact(known.memory, known.car)
    assert after.confidence < before.confidence
    assert (after.importance, after.times_contradicted) == (before.importance, 1)


def test_confirm_of_an_unknown_id_is_refused(known: Known) -> None:
    with pytest.raises(NotFoundError):
        known.memory.confirm("knw_nothing")


def test_confirm_of_a_superseded_fact_is_refused(known: Known) -> None:
    with pytest.raises(StateError, match="superseded"):
        known.memory.confirm(known.tea)


def test_decay_halves_importance_with_each_half_life(known: Known) -> None:
    before = fact(known.memory, known.car).importance
    known.clock.advance(days=30)
    assert known.memory.decay(30) == 4
    assert fact(known.memory, known.car).importance == pytest.approx(before / 2, rel=1e-6)


def test_decay_charges_only_the_time_since_the_last_one(known: Known) -> None:
    known.clock.advance(days=30)
    known.memory.decay(30)
    once = fact(known.memory, known.car).importance
    assert known.memory.decay(30) == 0
    assert fact(known.memory, known.car).importance == once


def test_a_restored_memory_has_the_same_facts_and_recalls(known: Known) -> None:
    restored = ZengramMemory.open_from_snapshot(known.memory.export_snapshot(), 64, clock=known.clock)
    restored.set_embed_fn(toy_embedder, 64)
    assert restored.facts("/user") == known.memory.facts("/user")
    assert restored.recall("red Toyota", "/user")[0].knowledge_id == known.car


def test_a_restored_memory_is_another_one(known: Known) -> None:
    restored = ZengramMemory.open_from_snapshot(known.memory.export_snapshot(), 64, clock=known.clock)
    restored.forget(known.car)
    assert fact(restored, known.car).status == "forgotten"
    assert fact(known.memory, known.car).status == "active"


def test_facts_about_a_peer_come_from_every_scope_most_important_first(known: Known) -> None:
    low = known.memory.remember("ada", "Ada likes chess", "/one", peer="Ada", importance=0.4)
    top = known.memory.remember("ada", "Ada is allergic to nuts", "/two", peer="ada", importance=0.9)
    known.memory.remember("ada", "Ada is shy", "/three", peer="Ada", private=True)
    assert [one.id for one in known.memory.facts_about_peer("ADA")] == [top, low]
    assert [one.scope for one in known.memory.facts_about_peer("Ada", 1)] == ["/two"]
    assert len(known.memory.facts_about_peer("Ada", include_private=True)) == 3


def test_query_reads_the_tables(known: Known) -> None:
    result = known.memory.query("select subject from knowledge where id = $1", [known.car])
    assert (result.columns, result.rows) == (["subject"], [{"subject": "car"}])


def test_query_writes_and_gives_no_rows(known: Known) -> None:
    sql = "update knowledge set importance = $1 where id = $2"
    assert known.memory.query(sql, [0.75, known.car]).rows == []
    assert fact(known.memory, known.car).importance == 0.75


def test_purge_leaves_nothing(known: Known) -> None:
    known.memory.purge(known.own)
    assert known.memory.fact(known.own) is None
    hits = known.memory.recall_with_vector("dog", "/user", toy_embedder("dog"))
    assert known.own not in [hit.knowledge_id for hit in hits]


def test_ensure_project_gives_the_project_of_a_scope(known: Known) -> None:
    assert known.memory.ensure_project(SCOPE) == "tea"


def test_memories_over_one_database_share_it() -> None:
    db = ZetaDb.open()
    one, two = ZengramMemory.over_engine(db, 64), ZengramMemory.over_engine(db, 64)
    shared = one.remember_with_vector("a", "b", "/", toy_embedder("a b"))
    assert fact(two, shared).content == "b"
    assert db.query("select content from knowledge").rows == [{"content": "b"}]


# -- talking -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def loop() -> SimpleNamespace:
    """Give a conversation with two turns, parts, tool calls, facts, an insight and a fork."""
    clock = ManualClock()
    memory = open_toy(clock)
    begun = memory.create_session("tea", title="Tea", agent="barista", model_id="m", provider_id="p")
    session, trunk = begun.session_id, begun.branch_id
    asked = memory.append_turn(session, trunk, "user")
    second = memory.add_part(asked, session, "file", ["b", {"path": "tea.md"}], 1)
    first = memory.add_part(asked, session, "text", {"text": "Which tea?", "日本": [None, 1.5]}, 0)
    memory.complete_turn(asked, 12, 0, 0)
    clock.advance(seconds=1)
    answered = memory.append_turn(session, trunk, "assistant", agent="barista", parent_turn_id=asked)
    memory.complete_turn(answered, 100, 40, 0.25, "stop")
    kettle = memory.record_tool_call(
        turn_id=answered,
        session_id=session,
        tool_id="kettle",
        input={"degrees": 80},
        category="kitchen",
        target_paths=["/stove"],
    )
    memory.start_tool_call(kettle)
    clock.advance(seconds=0.03)
    memory.complete_tool_call(kettle, output="hot", tokens_consumed=7)
    cup = memory.record_tool_call(turn_id=answered, session_id=session, tool_id="cup")
    memory.complete_tool_call(cup, error="broken")
    given = [
        {"subject": "temperature", "content": "green tea wants 80 degrees", "categories": ["brewing"]},
        {"subject": "owner", "content": "the owner is Ada"},
    ]
    facts = memory.extract_with_facts("Green tea wants 80 degrees.", SCOPE, session, answered, given)
    correction = [{"subject": "temperature", "content": "green tea wants 70 degrees"}]
    (newer,) = memory.extract_with_facts("No, 70.", SCOPE, session, asked, correction)
    insights = [{"subject": "brewing", "content": "Ada brews at 70", "source_ids": [newer, facts[1]]}]
    (insight,) = memory.reflect_with_insights(SCOPE, insights, 10)
    clock.advance(seconds=1)
    fork = memory.fork_session(session, asked, name="another answer")
    again = memory.append_turn(session, fork, "assistant")
    memory.complete_turn(again, 10, 5, 0.5, "stop", tokens_reasoning=3)
    return SimpleNamespace(**locals())


def test_create_session_gives_a_session_and_its_trunk(loop: SimpleNamespace) -> None:
    assert (loop.session[:4], loop.trunk[:4]) == ("ses_", "brn_")
    found = loop.memory.session(loop.session)
    assert (found.title, found.agent, found.project_id) == ("Tea", "barista", "tea")
    assert [one.id for one in loop.memory.sessions("tea")] == [loop.session]


def test_turns_come_oldest_first(loop: SimpleNamespace) -> None:
    turns = loop.memory.get_turns(loop.session, loop.trunk)
    assert [turn.id for turn in turns] == [loop.asked, loop.answered]
    assert [turn.id for turn in loop.memory.get_turns(loop.session, loop.trunk, 1, 1)] == [loop.answered]


def test_complete_turn_keeps_tokens_cost_and_reason(loop: SimpleNamespace) -> None:
    turn = loop.memory.get_turns(loop.session, loop.trunk)[1]
    found = (turn.status, turn.tokens_input, turn.tokens_output, turn.cost_usd, turn.finish_reason)
    assert found == ("completed", 100, 40, 0.25, "stop")


def test_another_role_is_refused(loop: SimpleNamespace) -> None:
    with pytest.raises(InvalidArgumentError, match="system"):
        loop.memory.append_turn(loop.session, loop.trunk, "system")


def test_a_turn_is_completed_once(loop: SimpleNamespace) -> None:
    with pytest.raises(StateError, match="completed"):
        loop.memory.complete_turn(loop.asked, 1, 1, 0)


def test_parts_come_by_position_and_keep_their_json(loop: SimpleNamespace) -> None:
    parts = loop.memory.get_parts(loop.asked)
    assert [part.id for part in parts] == [loop.first, loop.second]
    assert parts[0].data == {"text": "Which tea?", "日本": [None, 1.5]}


def test_the_session_counts(loop: SimpleNamespace) -> None:
    found = loop.memory.session(loop.session)
    assert (found.total_turns, found.total_tokens, found.total_cost_usd) == (3, 167, 0.75)


def test_tool_calls_come_newest_first(loop: SimpleNamespace) -> None:
    assert [one.id for one in loop.memory.query_tool_calls(loop.session)] == [loop.cup, loop.kettle]


def test_a_tool_call_tells_what_came_of_it(loop: SimpleNamespace) -> None:
    call = loop.memory.tool_call(loop.kettle)
    assert (call.state, call.output, call.input, call.duration_ms) == (
        "completed",
        "hot",
        {"degrees": 80},
        30,
    )


def test_a_tool_call_with_an_error_is_in_error(loop: SimpleNamespace) -> None:
    assert (loop.memory.tool_call(loop.cup).state, loop.memory.tool_call(loop.cup).error) == (
        "error",
        "broken",
    )


def test_tool_calls_are_filtered(loop: SimpleNamespace) -> None:
    found = loop.memory.query_tool_calls(
        loop.session, tool_id="kettle", category="kitchen", state="completed"
    )
    assert [one.id for one in found] == [loop.kettle]
    assert loop.memory.query_tool_calls(loop.session, state="pending") == []


def test_a_tool_call_needs_a_tool(loop: SimpleNamespace) -> None:
    with pytest.raises(InvalidArgumentError, match="tool id"):
        loop.memory.record_tool_call(turn_id=loop.answered, session_id=loop.session)


def test_a_completed_tool_call_stays_so(loop: SimpleNamespace) -> None:
    with pytest.raises(StateError, match="completed"):
        loop.memory.start_tool_call(loop.kettle)


def test_an_extracted_fact_knows_session_and_turn(loop: SimpleNamespace) -> None:
    found = fact(loop.memory, loop.facts[0])
    assert (found.session_id, found.turn_id, found.source_type) == (loop.session, loop.answered, "extraction")
    assert found.categories == ("brewing",)


def test_an_extracted_fact_is_traced_to_its_turn(loop: SimpleNamespace) -> None:
    (origin,) = loop.memory.trace_back(loop.facts[1])
    assert (origin.id, origin.relation) == (loop.answered, "extracted_from")


def test_what_is_said_otherwise_contradicts(loop: SimpleNamespace) -> None:
    (found,) = loop.memory.contradictions(SCOPE)
    assert (found.knowledge_id, found.replaced_id) == (loop.newer, loop.facts[0])


def test_extraction_needs_an_embedder() -> None:
    bare = ZengramMemory.open(64)
    begun = bare.create_session("p")
    turn = bare.append_turn(begun.session_id, begun.branch_id, "user")
    given = [{"subject": "s", "content": "c"}]
    with pytest.raises(EmbedderError):
        bare.extract_with_facts("t", "/", begun.session_id, turn, given)
    vectors = [toy_embedder("s: c")]
    (made,) = bare.extract_with_facts_with_vectors("t", "/", begun.session_id, turn, given, vectors)
    assert fact(bare, made).turn_id == turn


def test_an_insight_rests_on_its_sources(loop: SimpleNamespace) -> None:
    found = fact(loop.memory, loop.insight)
    assert (found.source_type, found.source_ids) == ("reflection", (loop.newer, loop.facts[1]))
    steps = loop.memory.trace_back(loop.insight, depth=1)
    assert {step.relation for step in steps} == {"reflected_from"}


def test_an_empty_scope_reflects_nothing(loop: SimpleNamespace) -> None:
    assert loop.memory.reflect_with_insights("/project/empty", loop.insights, 10) == []


def test_a_fork_shows_what_went_before(loop: SimpleNamespace) -> None:
    turns = loop.memory.get_turns(loop.session, loop.fork)
    assert [turn.id for turn in turns] == [loop.asked, loop.again]
    assert loop.memory.session(loop.session).active_branch == loop.fork


def test_branches_add_up_to_the_session(loop: SimpleNamespace) -> None:
    totals = loop.memory.session_totals(loop.session)
    assert (totals.turns, totals.tokens_input, totals.tokens_output, totals.cost_usd) == (3, 122, 45, 0.75)
    assert (totals.tool_calls, totals.tool_tokens, totals.tool_duration_ms) == (2, 7, 30)
    for name in ("turns", "tokens_input", "tokens_reasoning", "cost_usd", "tool_calls"):
        assert sum(getattr(one, name) for one in totals.branches) == getattr(totals, name)


def test_turns_since_gives_what_came_after_a_turn(loop: SimpleNamespace) -> None:
    found = loop.memory.turns_since(loop.session, loop.asked, branch_id=loop.trunk)
    assert [turn.id for turn in found] == [loop.answered]


def test_the_timeline_tells_everything(loop: SimpleNamespace) -> None:
    types = {event.type for event in loop.memory.session_timeline(loop.session)}
    assert types == {"session_created", "turn", "part", "tool_call", "knowledge", "branch_forked"}


def test_a_snapshot_holds_the_sessions(loop: SimpleNamespace) -> None:
    restored = ZengramMemory.open_from_snapshot(loop.memory.export_snapshot(), 64, clock=loop.clock)
    assert restored.session(loop.session) == loop.memory.session(loop.session)
    assert restored.session_timeline(loop.session) == loop.memory.session_timeline(loop.session)
    assert restored.session_totals(loop.session) == loop.memory.session_totals(loop.session)


def test_an_ended_session_takes_no_turn() -> None:
    memory = open_toy()
    begun = memory.create_session("p")
    memory.end_session(begun.session_id, summary="Nothing was said.")
    found = memory.session(begun.session_id)
    assert found is not None
    assert (found.status, found.summary) == ("ended", "Nothing was said.")
    with pytest.raises(StateError, match="ended"):
        memory.append_turn(begun.session_id, begun.branch_id, "user")


def test_instructions_are_kept() -> None:
    memory = open_toy()
    begun = memory.create_session("p")
    memory.set_system_instructions("Answer briefly.", session_id=begun.session_id)
    assert memory.system_instructions(session_id=begun.session_id) == "Answer briefly."
    assert memory.system_instructions() is None


def test_a_batch_is_one_transaction() -> None:
    memory = open_toy()
    with memory.batch():
        kept = memory.remember("batch", "stored together", "/")
    assert fact(memory, kept).content == "stored together"
    lost = ""

    def changes_its_mind() -> None:
        nonlocal lost
        with memory.batch():
            lost = memory.remember("other", "not stored", "/")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        changes_its_mind()
    assert memory.fact(lost) is None


# -- the next prompt -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def long() -> SimpleNamespace:
    """Give five facts, twelve turns of 36 words, and the windows of three budgets."""
    memory = open_toy()
    begun = memory.create_session("site")
    session, trunk = begun.session_id, begun.branch_id
    for i in range(5):
        memory.remember(f"thing {i}", f"thing {i} is known to the user", "/project/site")
    memory.set_system_instructions("You help with the site.")
    words = " ".join(["we", "talk", "about", "the", "plan"] * 7 + ["we"])
    turns = []
    for i in range(12):
        turns.append(memory.append_turn(session, trunk, "assistant" if i % 2 else "user"))
        memory.add_part(turns[-1], session, "text", {"text": words}, 0)
        memory.complete_turn(turns[-1], 40, 40, 0)
    small, middle, large = (memory.assemble_context(session, trunk, budget) for budget in (200, 1000, 4000))
    return SimpleNamespace(**locals())


def test_blocks_come_in_their_order(long: SimpleNamespace) -> None:
    types = dict.fromkeys(block.type for block in long.middle.blocks)
    assert list(types) == ["system", "knowledge", "turn"]
    assert [one.source_ids[0] for one in long.middle.blocks if one.type == "turn"] == long.turns


def test_a_context_costs_what_its_blocks_cost_within_its_budget(long: SimpleNamespace) -> None:
    for window in (long.small, long.middle, long.large):
        assert window.total_tokens == sum(block.token_count for block in window.blocks) <= window.budget


def test_what_fits_is_the_same_in_a_larger_budget(long: SimpleNamespace) -> None:
    assert (long.middle.turns_included, long.large.turns_included) == (12, 12)
    assert long.middle.total_tokens == long.large.total_tokens
    assert (long.middle.turns_skipped, long.middle.reason) == (0, None)


def test_a_small_budget_holds_some_turns(long: SimpleNamespace) -> None:
    assert 1 <= long.small.turns_included <= 5
    assert long.small.turns_included + long.small.turns_skipped == 12


def test_the_same_facts_have_the_same_fingerprint(long: SimpleNamespace) -> None:
    assert long.memory.assemble_context(long.session, long.trunk, 1000) == long.middle
    assert long.large.knowledge_fingerprint == long.middle.knowledge_fingerprint


def test_no_budget_gives_no_blocks_and_says_why(long: SimpleNamespace) -> None:
    empty = long.memory.assemble_context(long.session, long.trunk, 0)
    assert (empty.blocks, empty.total_tokens) == ((), 0)
    assert empty.reason


def test_tokens_are_counted_by_the_callers_function() -> None:
    memory = open_toy()
    assert memory.count_tokens("12345678") == 2
    memory.set_token_counter(lambda text: len(text.split()))
    assert memory.count_tokens("one two three") == 3


def test_a_scope_without_a_budget_is_left_alone(long: SimpleNamespace) -> None:
    assert long.memory.enforce_budget("/project/site") is None
    assert long.memory.storage_budget("/project/site") is None


def test_a_budget_prunes_sessions_and_leaves_facts() -> None:
    memory = open_toy()
    session = memory.create_session("site").session_id
    kept = memory.remember("s", "c", "/project/site", session_id=session)
    memory.configure_budget("/project/site", max_bytes=0, retain_min=0)
    report = memory.enforce_budget("/project/site")
    assert report is not None
    assert report.sessions_pruned == 1
    assert memory.session(session) is None
    assert fact(memory, kept).content == "c"


# -- work ----------------------------------------------------------------------------------------------------------------


def test_a_task_is_ready_when_what_it_needs_is_completed() -> None:
    memory = open_toy()
    first = memory.add_task("Write tests", priority="high")
    second = memory.add_task("Release", priority="critical", depends_on=first)
    assert [task.id for task in memory.ready_tasks()] == [first]
    with pytest.raises(StateError, match=first):
        memory.set_task_status(second, "in_progress")
    memory.set_task_status(first, "completed")
    assert [task.id for task in memory.ready_tasks()] == [second]


def test_what_no_rule_says_is_asked() -> None:
    memory = open_toy()
    rule = memory.add_permission_rule("edit", "src/**", "allow")
    found = memory.check_permission("edit", "src/a/b.js")
    assert (found.action, found.rule_id) == ("allow", rule)
    assert memory.check_permission("edit", "docs/a.md").action == "ask"


def test_a_message_is_claimed_once() -> None:
    memory = open_toy()
    sent = memory.send_message("planner", "coder", "task", {"task": 1})
    claimed = memory.claim_message("coder")
    assert claimed is not None
    assert (claimed.id, claimed.payload) == (sent, {"task": 1})
    assert memory.claim_message("coder") is None


def test_a_memory_branch_is_compared_and_merged() -> None:
    memory = open_toy()
    memory.remember("color", "the page is red", "/")
    memory.fork_memory("idea")
    memory.use_memory("idea")
    memory.remember("color", "the page is blue", "/")
    memory.use_memory(None)
    assert [one.content for one in memory.facts("/")] == ["the page is red"]
    assert len(memory.diff_memory("idea").facts) == 2
    assert not memory.merge_memory("idea", dry_run=True).applied
    assert memory.merge_memory("idea").applied
    assert [one.content for one in memory.facts("/")] == ["the page is blue"]
