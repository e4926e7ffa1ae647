"""Random lives of facts: the memory against a model of plain dictionaries (memory_model.py), and laws that need no model.

``ZENGRAM_MEMORY_RUNS`` multiplies how much is tried (1 without it).
"""

from __future__ import annotations

import os
import zlib
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from memory_model import CONTENTS, PEERS, SCOPES, SESSIONS, SUBJECTS, FactModel, Key, Known, Said, turn_of
from memory_support import make_origins

from zengram_py import ZengramMemory
from zengram_py.clock import MICROSECONDS_PER_DAY, ManualClock
from zengram_py.errors import (
    EmbedderError,
    InvalidArgumentError,
    NotFoundError,
    StateError,
    TransactionError,
    VectorError,
    ZengramError,
)

RUNS = float(os.environ.get("ZENGRAM_MEMORY_RUNS", "1"))
DAY = MICROSECONDS_PER_DAY
DIMENSIONS = 4


def runs(count: int) -> settings:
    return settings(
        max_examples=max(1, int(count * RUNS)), deadline=None, suppress_health_check=list(HealthCheck)
    )


def vector(*texts: str) -> list[float]:
    return np.random.default_rng(zlib.crc32(": ".join(texts).encode())).standard_normal(DIMENSIONS).tolist()


def rows_of(memory: ZengramMemory, table: str) -> list[dict[str, Any]]:
    with memory._database.begin(read_only=True) as transaction:
        return list(transaction.scan(table))


def ends(fact: Any) -> float:
    return float("inf") if fact.ends is None else fact.ends


# -- decay ---------------------------------------------------------------------------------------------------------------

days = st.floats(0.001, 400)


@given(
    facts=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 10**13), st.booleans()), min_size=1, max_size=8),
    half_life=st.floats(0.01, 2000),
    steps=st.lists(st.integers(0, 10**13), min_size=1, max_size=6),
)
@runs(60)
def test_decay_in_any_steps_is_decay_at_once(
    facts: list[tuple[float, int, bool]], half_life: float, steps: list[int]
) -> None:
    clock = ManualClock()
    memory = ZengramMemory.open(DIMENSIONS, clock=clock)
    model = FactModel()
    for number, (importance, pause, is_kept) in enumerate(facts):
        clock.advance(microseconds=pause)
        fact = memory.remember_with_vector(f"s{number}", "c", "/", vector(str(number)), importance=importance)
        key = ("/", number, 0)
        model.facts[fact] = Known(fact, key, 0, clock.now(), clock.now(), importance=importance)
        if not is_kept:
            memory.forget(fact)
            model.forget(clock.now(), fact)
    at_once = ZengramMemory.open_from_snapshot(memory.export_snapshot(), DIMENSIONS, clock=clock)
    last_of_all = deepcopy(model)
    for step in steps:
        clock.advance(microseconds=step)
        assert memory.decay(half_life) == model.decay(clock.now(), half_life)
        assert memory.decay(half_life) == 0
    assert at_once.decay(half_life) == last_of_all.decay(clock.now(), half_life)
    for fact_id, known in last_of_all.facts.items():
        one, other = memory.fact(fact_id), at_once.fact(fact_id)
        assert one is not None
        assert other is not None
        for value in (one.importance, model.facts[fact_id].importance, known.importance):
            assert value == pytest.approx(other.importance, rel=1e-9, abs=1e-290)
        assert 0 <= other.importance <= 1


# -- confidence and importance -------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 2), st.floats(0, 1)), max_size=40))
@runs(40)
def test_confidence_and_importance_stay_in_range_and_counters_never_fall(
    steps: list[tuple[int, int, float]],
) -> None:
    clock = ManualClock()
    memory = ZengramMemory.open(DIMENSIONS, clock=clock)
    for session in SESSIONS:
        make_origins(memory, session)
    facts = [memory.remember_with_vector(f"s{n}", "c", "/", vector(str(n))) for n in range(3)]
    before: dict[str, tuple[int, ...]] = {}
    for what, which, number in steps:
        clock.advance(days=number * 9)
        subject, place = f"s{which}", vector(str(which))
        if what == 0:
            memory.confirm(facts[which])
        elif what == 1:
            memory.contradict(facts[which])
        elif what == 2:
            session = SESSIONS[int(number * 2.99)]
            facts[which] = memory.remember_with_vector(subject, "c", "/", place, session_id=session)
        elif what == 3:
            facts[which] = memory.remember_with_vector(subject, "c", "/", place, importance=number)
        elif what == 4 and len(set(facts)) == 3:
            memory.merge_facts(facts[which], [one for one in facts if one != facts[which]])
            facts = [facts[which]] * 3
        elif what == 5:
            memory.decay(0.001 + number * 50)
        else:
            memory.recall_with_vector("c", "/", place, min_score=0)
        for row in rows_of(memory, "knowledge"):
            assert 0 <= row["importance"] <= 1
            assert 0 <= row["confidence"] <= 1
            counters = row["times_confirmed"], row["times_contradicted"], row["access_count"]
            assert all(new >= old for new, old in zip(counters, before.get(row["id"], (0,) * 3), strict=True))
            before[row["id"]] = counters


# -- the whole life of facts -----------------------------------------------------------------------------------------------

scopes = st.sampled_from(SCOPES)
places = st.tuples(st.integers(0, len(SUBJECTS) - 1), st.integers(0, 3), st.integers(0, 4), st.integers(0, 3))
contents = st.tuples(st.integers(0, len(CONTENTS) - 1), st.integers(0, 1))
statements = st.tuples(scopes, places, contents)
picks = st.integers(0, 99)
sessions = st.sampled_from([None, *SESSIONS])


class Told:
    """A statement as it is spelled."""

    def __init__(self, drawn: Any) -> None:
        self.scope, (subject, spelling, peer, how), (content, wording) = drawn
        peer = max(0, peer - 2)  # mostly nobody
        self.key: Key = (self.scope, subject, peer)
        self.content = content
        self.subject = _spelled(SUBJECTS[subject], spelling)
        self.peer = _spelled(PEERS[peer], how)
        self.text = _spelled(CONTENTS[content], wording)
        self.vector = vector(str(subject), str(content))
        self.options: dict[str, Any] = {} if self.peer is None else {"peer": self.peer}
        self.given = {"subject": self.subject, "content": self.text, **self.options}


def _spelled(spellings: list[Any], number: int) -> Any:
    return spellings[number % len(spellings)]


class Lives(RuleBasedStateMachine):
    """The memory and the model, driven together."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = ManualClock()
        self.start = self.clock.now()
        self.memory = ZengramMemory.open(DIMENSIONS, clock=self.clock)
        self.model = FactModel()
        self.importances = 0
        self.counters: dict[str, tuple[int, ...]] = {}
        for session in SESSIONS:
            make_origins(self.memory, session, [turn_of(session)])

    # -- what is told ----------------------------------------------------------------------------------------------------

    @rule(drawn=statements, session=sessions, in_turn=st.booleans(), weighs=st.booleans())
    def remember(self, drawn: Any, session: str | None, in_turn: bool, weighs: bool) -> None:
        self._remember(self.model, drawn, session, in_turn, weighs)

    def _remember(
        self, model: FactModel, drawn: Any, session: str | None, in_turn: bool, weighs: bool
    ) -> None:
        told = Told(drawn)
        said = Said(told.key, told.content, session=session)
        options = dict(told.options)
        if session is not None and in_turn:
            options["turn_id"] = said.turn = turn_of(session)
        elif session is not None:
            options["session_id"] = session
        if weighs:
            options["importance"] = said.importance = self._some_importance()
        expected = model.expected(said) if told.key not in model.timed else None
        fact = self.memory.remember_with_vector(told.subject, told.text, told.scope, told.vector, **options)
        self._said(model, said, expected, fact)

    def _said(self, model: FactModel, said: Said, expected: str | None, fact: str) -> None:
        if said.key not in model.timed:
            assert fact == expected if expected is not None else fact not in model.facts
        model.say(self.clock.now(), said, fact, self._rows())

    def _some_importance(self) -> float:
        self.importances += 1
        return self.importances * 37 % 101 / 101

    @rule(drawn=statements, chosen=st.lists(picks, max_size=3))
    def derive(self, drawn: Any, chosen: list[int]) -> None:
        told = Told(drawn)
        sources = self._sources(told.scope, chosen)
        said = Said(told.key, told.content, sources=sources)
        expected = self.model.expected(said) if told.key not in self.model.timed else None
        fact = self.memory.remember_with_vector(
            told.subject, told.text, told.scope, told.vector, source_ids=sources, **told.options
        )
        self._said(self.model, said, expected, fact)

    def _sources(self, scope: str, chosen: list[int]) -> list[str]:
        there = [fact.id for fact in self.model.facts.values() if fact.key[0] == scope]
        return list(dict.fromkeys(there[pick % len(there)] for pick in chosen)) if there else []

    @rule(
        scope=scopes,
        drawn=st.lists(st.tuples(places, contents), min_size=1, max_size=3),
        session=st.sampled_from(SESSIONS),
    )
    def extract(self, scope: str, drawn: list[Any], session: str) -> None:
        told = [Told((scope, *one)) for one in drawn]
        model = deepcopy(self.model)
        facts = self.memory.extract_with_facts_with_vectors(
            "text", scope, session, turn_of(session), [t.given for t in told], [t.vector for t in told]
        )
        if any(one.key in model.timed for one in told):
            self._take_over(told, session, facts)
            return
        for one, fact in zip(told, facts, strict=True):
            said = Said(one.key, one.content, None, session, turn_of(session), is_found=True)
            self._said(self.model, said, self.model.expected(said), fact)

    def _take_over(self, told: list[Told], session: str | None, facts: list[str]) -> None:
        """Take over what became of several statements of which one is on a subject with times."""
        rows = self._rows()
        for one, fact in zip(told, facts, strict=True):
            self.model.timed.add(one.key)
            if fact not in self.model.facts:
                known = Known(fact, one.key, one.content, self.clock.now(), self.clock.now(), session=session)
                self.model.facts[fact] = known
        for fact_id in {*facts, *(f.id for one in told for f in self.model.of(one.key))}:
            self._take_over_row(fact_id, rows[fact_id])
        self.model.edges = self._edges()

    def _take_over_row(self, fact_id: str, row: dict[str, Any]) -> None:
        fact = self.model.facts[fact_id]
        fact.status, fact.by = row["status"], row["superseded_by"]
        fact.begins, fact.ends = row["valid_from"], row["valid_to"]
        fact.importance, fact.confidence = row["importance"], row["confidence"]
        fact.confirmed, fact.charged = row["times_confirmed"], row["time_decayed"]
        fact.sources = list(row["consolidated_from"] or ())
        confirmed = [r for r in rows_of(self.memory, "provenance") if r["relation"] == "confirmed_by"]
        fact.heard = {r["session_id"] for r in confirmed if r["target_id"] == fact_id}

    @rule(scope=scopes, drawn=st.tuples(places, contents), chosen=st.lists(picks, max_size=2))
    def reflect(self, scope: str, drawn: Any, chosen: list[int]) -> None:
        told = Told((scope, *drawn))
        holding = self.memory.facts(scope, limit=1000)
        named = self._sources(scope, chosen)
        insight = {**told.given, "sourceIds": named}
        sources = named or [fact.id for fact in holding]
        said = Said(told.key, told.content, None, None, None, sources, "reflected_from", True)
        expected = self.model.expected(said) if told.key not in self.model.timed else None
        facts = self.memory.reflect_with_insights_with_vectors(scope, [insight], [told.vector], 1000)
        assert len(facts) == bool(holding)
        for fact in facts:
            self._said(self.model, said, expected, fact)

    @rule(
        drawn=statements,
        begins=st.sampled_from([None, None, -9, -2, 0, 2, 5]),
        ending=st.sampled_from([None, -5, -1, 1, 4, 8]),
        expires=st.sampled_from([None, None, -1, 3]),
    )
    def remember_a_time(
        self, drawn: Any, begins: int | None, ending: int | None, expires: int | None
    ) -> None:
        scope, (subject, spelling, peer, how), text = drawn
        told = Told((scope, (subject % 2, spelling, peer, how), text))
        now = self.clock.now()
        times = {"valid_from": begins, "valid_to": ending, "expires": expires}
        options = {name: now + day * DAY for name, day in times.items() if day is not None}
        call: Callable[[], str] = lambda: self.memory.remember_with_vector(  # noqa: E731
            told.subject, told.text, told.scope, told.vector, **told.options, **options
        )
        if any(options.get(n, now * 2) <= options.get("valid_from", now) for n in ("valid_to", "expires")):
            with pytest.raises(InvalidArgumentError):
                call()
            return
        held = [fact.id for fact in self.memory.facts(told.scope)]
        fact = call()
        self._take_over([told], None, [fact])
        is_over = any(options.get(name, now * 2) <= now for name in ("valid_to", "expires"))
        if is_over or options.get("valid_from", now) > now:
            assert [fact.id for fact in self.memory.facts(told.scope)] == held
        if is_over:
            assert self.model.facts[fact].status == "superseded"

    # -- what becomes of it ----------------------------------------------------------------------------------------------

    def _picked(self, pick: int) -> Known:
        return list(self.model.facts.values())[pick % len(self.model.facts)]

    @precondition(lambda self: self.model.facts)
    @rule(pick=picks, agrees=st.booleans())
    def judge(self, pick: int, agrees: bool) -> None:
        fact = self._picked(pick)
        call = self.memory.confirm if agrees else self.memory.contradict
        if fact.status != "active":
            with pytest.raises(StateError):
                call(fact.id)
            return
        call(fact.id)
        (self.model.confirm if agrees else self.model.contradict)(fact.id)

    @precondition(lambda self: self.model.facts)
    @rule(pick=picks)
    def forget(self, pick: int) -> None:
        fact = self._picked(pick)
        self.memory.forget(fact.id)
        self.model.forget(self.clock.now(), fact.id)

    @precondition(lambda self: self.model.facts)
    @rule(pick=picks)
    def purge(self, pick: int) -> None:
        fact = self._picked(pick)
        self.memory.purge(fact.id)
        self.model.purge(fact.id)
        assert self.memory.fact(fact.id) is None

    @precondition(lambda self: self.model.facts)
    @rule(pick=picks, others=st.lists(picks, min_size=1, max_size=3))
    def merge(self, pick: int, others: list[int]) -> None:
        kept = self._picked(pick)
        facts = list({fact.id: fact for fact in map(self._picked, others)}.values())
        if kept in facts or any(fact.status != "active" for fact in [kept, *facts]):
            with pytest.raises((StateError, InvalidArgumentError)):
                self.memory.merge_facts(kept.id, [fact.id for fact in facts])
        elif self._is_over(kept.id):
            with pytest.raises((StateError, NotFoundError)):
                self.memory.merge_facts(kept.id, [fact.id for fact in facts])
        elif any(fact.key[0] != kept.key[0] for fact in facts):
            with pytest.raises(NotFoundError):
                self.memory.merge_facts(kept.id, [fact.id for fact in facts])
        else:
            self.memory.merge_facts(kept.id, [fact.id for fact in facts])
            self.model.merge(self.clock.now(), kept.id, [fact.id for fact in facts])

    def _is_over(self, fact_id: str) -> bool:
        fact = self.memory.fact(fact_id)
        assert fact is not None
        return any(end is not None and end <= self.clock.now() for end in (fact.valid_to, fact.expires))

    @rule(half_life=st.sampled_from([0.5, 3.0, 30.0]))
    def decay(self, half_life: float) -> None:
        assert self.memory.decay(half_life) == self.model.decay(self.clock.now(), half_life)

    # -- what goes on beside it ------------------------------------------------------------------------------------------

    @rule(microseconds=st.sampled_from([1, 999, DAY, 3 * DAY, 7 * DAY]))
    def time_passes(self, microseconds: int) -> None:
        self.clock.advance(microseconds=microseconds)

    @rule()
    def maintain(self) -> None:
        self.memory.maintain(5)

    @rule()
    def restart(self) -> None:
        data = self.memory.export_snapshot()
        self.memory = ZengramMemory.open_from_snapshot(data, DIMENSIONS, clock=self.clock)

    @rule(
        drawn=st.lists(st.tuples(statements, sessions, st.booleans(), st.booleans()), max_size=4),
        fails=st.booleans(),
    )
    def batch(self, drawn: list[Any], fails: bool) -> None:
        if any(Told(one[0]).key in self.model.timed for one in drawn):
            return
        model = deepcopy(self.model)
        try:
            with self.memory.batch():
                for one in drawn:
                    self._remember(model, *one)
                if fails:
                    raise KeyError("this batch")
            self.model = model
        except KeyError:
            assert fails

    @rule(scope=scopes, at=st.integers(-20 * DAY, 40 * DAY), nudge=st.integers(-1, 1), edge=picks)
    def look(self, scope: str, at: int, nudge: int, edge: int) -> None:
        edges = [t for f in self.model.facts.values() for t in (f.begins, f.ends) if t is not None]
        instants = [self.start + at, self.clock.now() + nudge]
        instants += [edges[edge % len(edges)] + nudge] if edges else []
        for instant in instants:
            hits = self.memory.recall_with_vector(
                "tea", scope, vector("tea"), as_of=instant, min_score=0, limit=1000
            )
            found = [hit.knowledge_id for hit in hits]
            keys = [self.model.facts[fact].key for fact in found]
            assert len(set(keys)) == len(keys)
            assert {key[0] for key in keys} <= {scope}
            plain = {fact for fact, key in zip(found, keys, strict=True) if key not in self.model.timed}
            assert plain == set(self.model.truth(scope, instant))

    # -- what must hold --------------------------------------------------------------------------------------------------

    def _rows(self) -> dict[str, dict[str, Any]]:
        with self.memory._reading() as transaction:
            return {row["id"]: row for row in transaction.scan("knowledge")}

    def _edges(self) -> Counter[Any]:
        rows = rows_of(self.memory, "provenance")
        return Counter((row["source_id"], row["target_id"], row["relation"]) for row in rows)

    @invariant()
    def facts_are_as_predicted(self) -> None:
        rows = self._rows()
        assert set(rows) == set(self.model.facts)
        for fact in self.model.facts.values():
            row = rows[fact.id]
            assert (row["status"], row["superseded_by"]) == (fact.status, fact.by)
            assert (row["valid_from"], row["valid_to"]) == (fact.begins, fact.ends)
            assert row["importance"] == pytest.approx(fact.importance, abs=1e-6)
            assert row["confidence"] == pytest.approx(fact.confidence, abs=1e-6)
            counters = row["times_confirmed"], row["times_contradicted"], row["access_count"]
            assert counters[:2] == (fact.confirmed, fact.contradicted)
            assert all(a >= b for a, b in zip(counters, self.counters.get(fact.id, (0, 0, 0)), strict=True))
            self.counters[fact.id] = counters
            assert 0 <= row["importance"] <= 1
            assert 0 <= row["confidence"] <= 1
            there = [one for one in row["consolidated_from"] or () if one in rows]
            assert sorted(there) == sorted(one for one in fact.sources if one in rows)

    @invariant()
    def chains_end(self) -> None:
        rows = self._rows()
        for row in rows.values():
            walked = set()
            at = row
            while at["superseded_by"] is not None:
                assert at["id"] not in walked
                walked.add(at["id"])
                at = rows[at["superseded_by"]]
                assert at["scope"] == row["scope"]

    @invariant()
    def one_fact_of_a_subject_holds(self) -> None:
        for scope in SCOPES:
            found = [fact.id for fact in self.memory.facts(scope, limit=1000)]
            keys = [self.model.facts[fact].key for fact in found]
            assert len(set(keys)) == len(keys)
            plain = [fact for fact, key in zip(found, keys, strict=True) if key not in self.model.timed]
            assert plain == self.model.truth(scope, self.clock.now())[::-1]

    @invariant()
    def intervals_do_not_overlap(self) -> None:
        last: dict[Key, float] = {}
        for fact in sorted(self.model.facts.values(), key=lambda fact: fact.begins):
            if fact.key in self.model.timed or ends(fact) <= fact.begins:
                continue
            assert last.get(fact.key, fact.begins) <= fact.begins
            last[fact.key] = ends(fact)

    @invariant()
    def provenance_is_complete(self) -> None:
        assert self._edges() == self.model.edges
        edges = {(source, target) for source, target, _ in self.model.edges}
        for fact in self.model.facts.values():
            for source in fact.sources:
                assert (source, fact.id) in edges or source not in self.model.facts
            assert fact.by is None or (fact.id, fact.by) in edges

    def teardown(self) -> None:
        nodes = [*self.model.facts, *SESSIONS, *map(turn_of, SESSIONS)]
        for node in nodes:
            for back in (True, False):
                trace = self.memory.trace_back if back else self.memory.trace_forward
                assert {origin.id for origin in trace(node, depth=10**6)} == self.model.reached(
                    node, back=back
                )
        for scope in SCOPES:
            found = Counter(
                (c.replaced_id, c.knowledge_id)
                for c in self.memory.contradictions(scope, limit=10**6, include_private=True)
            )
            there = {
                fact
                for fact, known in self.model.facts.items()
                if known.key[0] == scope and known.status != "forgotten"
            }
            wanted = {
                e[:2]: n
                for e, n in self.model.edges.items()
                if e[2] == "contradicts" and there.issuperset(e[:2])
            }
            assert found == wanted
        self.memory.close()


def test_whatever_becomes_of_facts() -> None:
    run_state_machine_as_test(
        Lives,
        settings=settings(runs(50), stateful_step_count=30),
    )


times = st.sampled_from([None, -9, -2, 0, 2, 5])


@given(
    told=st.lists(
        st.tuples(st.sampled_from([0, 1, 1, 1, 2]), st.integers(0, 3), times, times, st.integers(0, 2)),
        min_size=4,
        max_size=10,
    ),
    instants=st.lists(st.integers(-15 * DAY, 15 * DAY), min_size=1, max_size=6),
)
@runs(120)
def test_one_fact_of_a_subject_and_peer_holds_at_any_instant(
    told: list[tuple[int, int, int | None, int | None, int]], instants: list[int]
) -> None:
    clock = ManualClock()
    memory = ZengramMemory.open(DIMENSIONS, clock=clock)
    peer_of: dict[str, int] = {}
    start = clock.now()
    for number, (peer, spelling, begins, ending, pause) in enumerate(told):
        clock.advance(days=pause)
        name = _spelled(PEERS[peer], spelling)
        days = {"valid_from": begins, "valid_to": ending}
        options = {n: clock.now() + day * DAY for n, day in days.items() if day is not None}
        if options.get("valid_to", start * 2) <= options.get("valid_from", clock.now()):
            continue
        place = vector(str(number))
        subject, content = SUBJECTS[0][spelling], f"c{number % 4}"
        peer_of[memory.remember_with_vector(subject, content, "/", place, peer=name, **options)] = peer

    def check(found: list[str]) -> None:
        peers = [peer_of[fact] for fact in found]
        assert len(set(peers)) == len(peers)

    for instant in instants:
        hits = memory.recall_with_vector("", "/", vector("x"), as_of=start + instant, min_score=0)
        check([hit.knowledge_id for hit in hits])
    for _ in range(8):
        check([fact.id for fact in memory.facts("/")])
        hits = memory.recall_with_vector("", "/", vector("x"), min_score=0)
        check([hit.knowledge_id for hit in hits])
        clock.advance(days=1)


# -- calls that fail -------------------------------------------------------------------------------------------------------


def everything(memory: ZengramMemory) -> dict[str, list[dict[str, Any]]]:
    """Return every row of every table."""
    with memory._database.begin(read_only=True) as transaction:
        tables = {table.title: list(transaction.scan(table.title)) for table in memory._database.tables()}
    for row in tables["embedding"]:
        row["vector"] = row["vector"].tolist()
    return tables


class Flaky:
    """An embedder that fails at a call, counted from when it is set."""

    def __init__(self) -> None:
        self.left = -1

    def __call__(self, text: str) -> Any:
        self.left -= 1
        if self.left == -1:
            raise RuntimeError("out of memory")
        return vector(text)


GOOD = {"subject": "Ada", "content": "Ada met Charles"}
BAD_FACTS = [
    {"subject": "x"},
    {"subject": " ", "content": "x"},
    {**GOOD, "importance": 2},
    {**GOOD, "tags": [1]},
    {**GOOD, "entities": 7},
    {**GOOD, "peer": ""},
    {**GOOD, "typo": 1},
    None,
]
BAD_VECTORS = [[0.0] * DIMENSIONS, [1.0] * (DIMENSIONS + 1), [float("nan")] * DIMENSIONS, "x", [], None]


class Failing:
    """Calls that fail, made of a few numbers, on a memory that has some facts."""

    def __init__(self, memory: ZengramMemory, embedder: Flaky) -> None:
        self.memory, self.embedder = memory, embedder

    def ids(self) -> list[str]:
        return sorted(row["id"] for row in rows_of(self.memory, "knowledge"))

    def good(self, what: int, x: int, y: int) -> None:
        """Make a call that succeeds."""
        memory, ids = self.memory, self.ids()
        active = [row["id"] for row in rows_of(memory, "knowledge") if row["status"] == "active"]
        subject, content = f"s{x % 4}", f"Name{y % 3} c"
        if what % 7 == 0:
            memory.extract_with_facts("", "/", "s1", "s1u", [{"subject": subject, "content": content}, GOOD])
        elif what % 7 == 1 and ids:
            memory.forget(ids[x % len(ids)])
        elif what % 7 == 2 and ids:
            memory.purge(ids[x % len(ids)])
        elif what % 7 == 3 and active:
            memory.reflect_with_insights("/", [{"subject": "sum", "content": content}])
        elif what % 7 == 4 and active:
            memory.confirm(active[x % len(active)])
        elif what % 7 == 5:
            memory.recall(content, "/")
        else:
            memory.remember(subject, content, "/")

    def bad(self, what: int, x: int, y: int) -> tuple[Callable[[], Any], type[Exception]]:
        """Return a call that fails, and how."""
        memory = self.memory
        facts: list[Any] = [{"subject": f"n{i}", "content": f"new {i}"} for i in range(x % 3 + 1)]
        vectors: list[Any] = [vector(str(i)) for i in range(len(facts))]
        at = y % len(facts)
        if what == 0:
            self.embedder.left = 0
            return lambda: memory.remember("n", "new", "/"), EmbedderError
        if what == 1:
            self.embedder.left = at
            return lambda: memory.extract_with_facts("", "/", "s1", "s1u", facts), EmbedderError
        if what == 2:
            memory.remember("base", "one fact at least", "/p")
            self.embedder.left = at
            return lambda: memory.reflect_with_insights("/p", facts), EmbedderError
        if what in (3, 4):
            facts.insert(at, BAD_FACTS[y % len(BAD_FACTS)])
            if what == 3:
                return lambda: memory.extract_with_facts("", "/", "s1", "s1u", facts), InvalidArgumentError
            memory.remember("base", "one fact at least", "/")
            return lambda: memory.reflect_with_insights("/", facts), InvalidArgumentError
        if what == 5:
            vectors[at] = BAD_VECTORS[y % len(BAD_VECTORS)]
            return lambda: memory.extract_with_facts_with_vectors(
                "", "/", "s1", "s1u", facts, vectors
            ), VectorError
        if what == 6:
            vectors[at] = BAD_VECTORS[y % len(BAD_VECTORS)]
            return lambda: memory.reflect_with_insights_with_vectors("/", facts, vectors), VectorError
        if what == 7:
            session, turn = [("s9", "s1u"), ("s1", "s9u"), ("s1", "s2u")][x % 3]
            return lambda: memory.extract_with_facts("", "/", session, turn, facts), NotFoundError
        if what == 8:
            options = [{"session_id": "s9"}, {"turn_id": "s9u"}, {"source_ids": ["knw_no"]}][x % 3]
            return lambda: memory.remember("n", "new", "/", **options), NotFoundError  # type: ignore[arg-type]
        if what == 9:
            memory.remember("base", "one fact at least", "/p")
            facts[-1]["sourceIds"] = ["knw_no"]
            return lambda: memory.reflect_with_insights("/p", facts), NotFoundError
        if what == 10:
            call = [memory.confirm, memory.contradict, memory.forget, memory.purge][x % 4]
            return lambda: call("knw_no"), NotFoundError
        if what == 11:
            kept, other = memory.remember("kept", "x", "/"), memory.remember("other", "y", "/")
            elsewhere = memory.remember("other", "y", "/elsewhere")
            return lambda: memory.merge_facts(kept, [other, ["knw_no", elsewhere][x % 2]]), NotFoundError
        if what == 12:
            old = memory.remember("kept", f"x{y}", "/")
            memory.remember("kept", f"z{y}", "/")
            calls = [
                lambda: memory.confirm(old),
                lambda: memory.merge_facts(old, []),
                lambda: memory.contradict(old),
            ]
            return calls[x % 3], StateError
        if what == 13:
            self.embedder.left = 1

            def batch() -> None:
                with memory.batch():
                    memory.remember("n", f"new {x}", "/")
                    memory.remember("m", f"new {y}", "/")

            return batch, EmbedderError

        def swallowing() -> None:
            with memory.batch():
                memory.remember("n", f"new {x}", "/")
                with pytest.raises(NotFoundError):
                    memory.confirm("knw_no")

        return swallowing, TransactionError


steps = st.tuples(st.integers(0, 21), st.integers(0, 11), st.integers(0, 23))


@given(schedule=st.lists(steps, min_size=1, max_size=14), has_names=st.booleans())
@runs(60)
def test_a_call_that_fails_changes_nothing(schedule: list[tuple[int, int, int]], has_names: bool) -> None:
    clock = ManualClock()
    memory = ZengramMemory.open(DIMENSIONS, clock=clock)
    embedder = Flaky()
    memory.set_embed_fn(embedder, DIMENSIONS)
    if not has_names:
        memory.set_entity_extractor(lambda text: [])
    for session in ("s1", "s2"):
        make_origins(memory, session, [turn_of(session)])
    calls = Failing(memory, embedder)
    for what, x, y in schedule:
        clock.advance(seconds=x)
        if what > 14:
            calls.good(what, x, y)
            continue
        call, error = calls.bad(what, x, y)
        before, data = everything(memory), memory.export_snapshot()
        with pytest.raises(error) as caught:
            call()
        embedder.left = -1
        assert isinstance(caught.value, ZengramError)
        assert everything(memory) == before
        if not has_names:  # numbers of names that were drawn are not given back (docs/engine.md, sequences)
            assert memory.export_snapshot() == data


# -- scopes ------------------------------------------------------------------------------------------------------------------

ODD_SCOPES = ["a", "a/b", "/a", "/a/", "A", "/A", "/", "/project/x", "/project/x/y", "/project/x/", "x", " a"]


class Drawer:
    """What is done in one scope, in the memory that holds all of them or in one of its own, and what can be seen of it."""

    def __init__(self, memory: ZengramMemory, scope: str) -> None:
        self.memory, self.scope = memory, scope
        self.ids: list[str] = []

    def do(self, what: int, x: int, y: int) -> None:
        memory, scope = self.memory, self.scope
        subject, content = f"s{x % 3}", f"Ada told of Kyoto{y % 2}"
        given = {"subject": subject, "content": content}
        if what == 0:
            self.ids.append(memory.remember(subject, content, scope))
        elif what == 1:
            session = SESSIONS[y % 3]
            self.ids += memory.extract_with_facts("", scope, session, f"{session}{'ua'[x % 2]}", [given])
        elif what == 2:
            self.ids += memory.reflect_with_insights(scope, [given], 1000)
        elif what == 3:
            memory.recall_with_vector("", scope, vector(content), min_score=0)
        elif what == 4 and self.ids:
            memory.forget(self.ids[x % len(self.ids)])
        elif what == 5:
            memory.configure_recall(scope, importance_weight=0.3)
            memory.configure_extraction(scope, min_turn_tokens=y)
        elif what == 6:
            self.ids.append(memory.remember(subject, content, scope, private=True, peer="Ann"))

    def seen(self) -> Any:
        memory, scope = self.memory, self.scope
        facts = memory.facts(scope)
        assert all(fact.scope == scope for fact in facts)
        histories = [memory.history(f"s{n}", scope) for n in range(3)]
        assert all(fact.scope == scope for history in histories for fact in history)
        numbers = {fact_id: n for n, fact_id in enumerate(dict.fromkeys(self.ids))}
        contradictions = memory.contradictions(scope)
        assert all(found.scope == scope for found in contradictions)
        return {
            "facts": [(numbers[f.id], f.content, f.importance, f.times_confirmed) for f in facts],
            # The order of equals is in tests/memory/test_edges.py.
            "sources": [sorted(numbers[one] for one in f.source_ids) for f in facts],
            "history": [[(numbers[f.id], f.status, f.valid_to) for f in one] for one in histories],
            "entities": memory.entities(scope),
            "entity": [numbers[f.id] for f in memory.entity("kyoto1", scope)],
            "collisions": [
                sorted(
                    (numbers[c.id], round(c.similarity, 5))
                    for c in memory.collisions(f.id, threshold=0, limit=1000)
                )
                for f in facts
            ],
            "contradictions": [(numbers[c.knowledge_id], numbers[c.replaced_id]) for c in contradictions],
            # How rare a word is is counted over all scopes (docs/retrieval.md): scores are compared without words.
            "by words": {
                numbers[hit.knowledge_id]
                for hit in memory.recall("Ada of Kyoto1", scope, min_score=0, include_private=True)
            },
            "by vector": [
                (numbers[hit.knowledge_id], pytest.approx(hit.score, abs=1e-6))
                for hit in memory.recall_with_vector("", scope, vector("Ada"), min_score=0)
            ],
            "settings": (memory.recall_config(scope), memory.extraction_config(scope)),
        }


@given(
    names=st.lists(st.sampled_from(ODD_SCOPES), min_size=2, max_size=4, unique=True),
    schedule=st.lists(
        st.tuples(
            st.integers(0, 3),
            st.sampled_from([0, 1, 1, 1, 2, 3, 3, 4, 5, 6, 7]),
            st.integers(0, 5),
            st.integers(0, 5),
        ),
        min_size=6,
        max_size=25,
    ),
)
@runs(40)
def test_a_scope_is_as_if_it_were_alone(names: list[str], schedule: list[tuple[int, int, int, int]]) -> None:
    clock = ManualClock()

    def opened() -> ZengramMemory:
        memory = ZengramMemory.open(DIMENSIONS, clock=clock)
        memory.set_embed_fn(lambda text: vector(text), DIMENSIONS)
        for session in SESSIONS:
            make_origins(memory, session, [f"{session}u"])
            make_origins(memory, session, [f"{session}a"], "assistant")
        return memory

    shared = opened()
    pairs = [(Drawer(shared, name), Drawer(opened(), name)) for name in names]
    for which, what, x, y in schedule:
        clock.advance(seconds=y)
        if what == 7:
            clock.advance(days=1)
            for memory in (shared, *(alone.memory for _, alone in pairs)):
                memory.decay(5)
            continue
        for drawer in pairs[which % len(pairs)]:
            drawer.do(what, x, y)
    for joint, alone in pairs:
        assert joint.seen() == alone.seen()
    for subject in ("s0", "s1", "s2"):
        everywhere = shared.history(subject)
        assert {f.id for f in everywhere} == {f.id for n in names for f in shared.history(subject, n)}


# -- repeats -----------------------------------------------------------------------------------------------------------------


@given(
    told=st.lists(
        st.tuples(st.sampled_from([None, *SESSIONS]), st.integers(0, 2), st.integers(0, 3)), min_size=1
    ),
    pauses=st.booleans(),
)
@runs(60)
def test_a_statement_is_one_fact_that_each_other_session_confirms_once(
    told: list[tuple[str | None, int, int]], pauses: bool
) -> None:
    clock = ManualClock()
    memory = ZengramMemory.open(DIMENSIONS, clock=clock)
    for session in SESSIONS:
        make_origins(memory, session, [turn_of(session)])
    ids = set()
    for session, how, spelling in told:
        clock.advance(days=1 if pauses else 0)
        subject, content = SUBJECTS[0][spelling], CONTENTS[0][spelling % 2]
        place = vector(subject)
        if session is None or how == 0:
            ids.add(memory.remember_with_vector(subject, content, "/", place, session_id=session))
        elif how == 1:
            ids.add(memory.remember_with_vector(subject, content, "/", place, turn_id=turn_of(session)))
        else:
            fact = {"subject": subject, "content": content}
            ids |= set(
                memory.extract_with_facts_with_vectors("", "/", session, turn_of(session), [fact], [place])
            )
    (fact_id,) = ids
    (row,) = rows_of(memory, "knowledge")
    first = told[0][0]
    others = {session for session, _, _ in told} - {None, first}
    assert row["source_session"] == first
    assert row["times_confirmed"] == len(others)
    assert row["confidence"] == pytest.approx(min(1, 0.5 + 0.1 * len(others)))
    confirmed = [o.session_id for o in memory.trace_back(fact_id) if o.relation == "confirmed_by"]
    assert sorted(confirmed, key=str) == sorted(others, key=str)
    assert len(rows_of(memory, "embedding")) == 1
