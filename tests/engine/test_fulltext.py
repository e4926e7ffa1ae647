"""The full-text index in the engine: exact for every reader, whatever happened to the table."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from bm25_reference import Question, scores
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from text_strategies import questions, texts

from zengram_py.clock import ManualClock
from zengram_py.engine import INT64, TEXT, ColumnDef, Database, IndexDef, Transaction
from zengram_py.engine.index import fulltext
from zengram_py.engine.index.fulltext import FullTextIndex
from zengram_py.engine.table import NO_SLOT
from zengram_py.errors import CatalogError, ConflictError, SnapshotError, UniqueError
from zengram_py.text import AllOf, Not, Term

NAMES = ("title", "body")
WEIGHTS, B = [2.0, 1.0], [0.75, 0.5]
OPTIONS: dict[str, Any] = {"weights": WEIGHTS, "language": "simple", "k1": 1.4, "b": B, "coordination": 0.3}


def make_database(options: dict[str, Any] | None = None) -> Database:
    db = Database.open(clock=ManualClock(1000))
    keys = (["col", "title"], ["col", "body"])
    db.create_table(
        "t",
        [ColumnDef("k", INT64), ColumnDef("title", TEXT), ColumnDef("body", TEXT), ColumnDef("n", INT64)],
        primary_key=["k"],
        indexes=[IndexDef("ft", "fulltext", keys, options=OPTIONS if options is None else options)],
    )
    return db


def put(db: Database, *rows: tuple[int, str | None, str | None], branch: str = "main") -> None:
    with db.begin(branch=branch) as t:
        for k, title, body in rows:
            if not t.update("t", k, {"title": title, "body": body}):
                t.insert("t", {"k": k, "title": title, "body": body, "n": 0})


def ask(t: Transaction, question: str, k: int | None = None) -> dict[int, float]:
    """Return key and score of the answers, best first."""
    search = t.text_search("t", "ft")
    found = search.rank(question, k)
    table = t.reader.catalog.table(("zengram", "public", "t"))
    keys = [t.reader.values_of(table, row)[0] for row in found.rows.tolist()]
    for row, slot, key in zip(found.rows.tolist(), found.slots.tolist(), keys, strict=True):
        if slot != NO_SLOT:
            assert t.reader.slot_of(table, row) == slot
            assert t.reader.stores[table.id].values(slot)[0] == key
    return dict(zip(keys, found.scores.tolist(), strict=True))


def check(t: Transaction, question: Question) -> dict[int, float]:
    """Compare an answer with the formula over the rows that the transaction sees."""
    rows = {row["k"]: (row["title"] or "", row["body"] or "") for row in t.scan("t")}
    expected = scores(rows, question, weights=WEIGHTS, k1=1.4, b=B, coordination=0.3)
    got = ask(t, question.text(NAMES))
    assert sorted(got) == sorted(expected)
    for key, score in expected.items():
        assert got[key] == pytest.approx(score, abs=1e-6)
    assert list(got.values()) == sorted(got.values(), reverse=True)
    return got


# -- random schedules ------------------------------------------------------------------------------------------------

keys = st.integers(0, 5)
maybe_texts = st.one_of(texts, texts, texts, st.none())
steps = st.one_of(
    st.tuples(st.just("put"), keys, maybe_texts, maybe_texts),
    st.tuples(st.just("put"), keys, maybe_texts, maybe_texts),
    st.tuples(st.just("retitle"), keys, maybe_texts),
    st.tuples(st.just("count"), keys),
    st.tuples(st.just("delete"), keys),
    st.tuples(st.just("bulk"), st.lists(st.tuples(texts, texts), min_size=1, max_size=12)),
    st.tuples(
        st.sampled_from(
            ["begin", "commit", "abort", "fork", "merge", "vacuum", "maintain", "restore", "drop"]
        )
    ),
)
schedules = st.lists(st.tuples(steps, st.integers(0, 3)), max_size=25)


class Schedule:
    """Plays steps on a database; open transactions and branches are chosen by number."""

    def __init__(self) -> None:
        self.db = make_database()
        self.branches = ["main"]
        self.open: list[Transaction] = []
        self.next_key = 100

    def play(self, step: tuple[Any, ...], who: int) -> None:
        if step[0] in ("put", "retitle", "count", "delete", "bulk"):
            if self.open and who % 2:
                self.write(self.open[who % len(self.open)], step)
                return
            with self.db.begin(branch=self.branches[who % len(self.branches)]) as t:
                self.write(t, step)
            return
        getattr(self, step[0])(who)

    def write(self, t: Transaction, step: tuple[Any, ...]) -> None:
        kind, key = step[0], step[1]
        if kind == "put" and not t.update("t", key, {"title": step[2], "body": step[3]}):
            t.insert("t", {"k": key, "title": step[2], "body": step[3], "n": 0})
        elif kind == "retitle":
            t.update("t", key, {"title": step[2]})
        elif kind == "count":
            t.update("t", key, {"n": 1})
        elif kind == "delete":
            t.delete("t", key)
        elif kind == "bulk":
            first = self.next_key
            self.next_key += len(key)
            columns = {"title": [a for a, _ in key], "body": [b for _, b in key]}
            t.insert_many("t", {"k": list(range(first, self.next_key)), **columns})

    def begin(self, who: int) -> None:
        self.open.append(self.db.begin(branch=self.branches[who % len(self.branches)]))

    def commit(self, who: int) -> None:
        if self.open:
            with suppress(ConflictError, UniqueError):
                self.open.pop(who % len(self.open)).commit()

    def abort(self, who: int) -> None:
        if self.open:
            self.open.pop(who % len(self.open)).rollback()

    def fork(self, who: int) -> None:
        if len(self.branches) < 4:
            name = f"b{len(self.branches)}"
            self.db.fork(name, parent=self.branches[who % len(self.branches)])
            self.branches.append(name)

    def merge(self, who: int) -> None:
        if len(self.branches) > 1:
            self.db.merge(self.branches[1 + who % (len(self.branches) - 1)], strategy="theirs")

    def vacuum(self, who: int) -> None:
        self.db.vacuum()

    def maintain(self, who: int) -> None:
        for _ in range(1 + who):
            self.db.maintain(0)

    def restore(self, who: int) -> None:
        for t in self.open:
            t.rollback()
        self.open = []
        self.db = Database.restore(self.db.export(), clock=self.db.clock)

    def drop(self, who: int) -> None:
        """Build the index anew from the table's versions, unless somebody is in the middle of something."""
        if not self.open and self.branches == ["main"]:
            with self.db.begin() as t:
                t.drop_index("t", "ft")
            with self.db.begin() as t:
                keys = (["col", "title"], ["col", "body"])
                t.create_index("t", IndexDef("ft", "fulltext", keys, options=OPTIONS))

    def readers(self) -> list[Transaction]:
        return [*self.open, *(self.db.begin(branch=name, read_only=True) for name in self.branches)]


@given(schedules, questions(2), st.integers(0, 5), st.booleans())
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_reader_gets_the_scores_of_the_rows_that_it_sees(
    schedule: list[tuple[tuple[Any, ...], int]], question: Question, probe: int, small: bool
) -> None:
    before = fulltext.TAIL_LIMIT, fulltext.JOIN_AT_ONCE
    if small:  # many runs, joined by maintain
        fulltext.TAIL_LIMIT, fulltext.JOIN_AT_ONCE = 2, 4
    try:
        play = Schedule()
        seen = []
        for number, (step, who) in enumerate(schedule):
            play.play(step, who)
            if number % 5 == probe:
                for reader in play.readers():
                    check(reader, question)
            if number == len(schedule) // 2:
                kept = play.db.begin()
                seen.append((kept.view.timestamp, check(kept, question)))
                kept.rollback()
        for reader in play.readers():
            check(reader, question)
        for timestamp, then in seen:
            if timestamp >= play.db.horizon and timestamp:
                assert check(play.db.begin(as_of=timestamp), question) == then
        play.db.vacuum()
        for reader in play.readers():
            check(reader, question)
    finally:
        fulltext.TAIL_LIMIT, fulltext.JOIN_AT_ONCE = before


# -- to the bit ------------------------------------------------------------------------------------------------------


def corpus(count: int, seed: int = 0) -> list[tuple[int, str, str]]:
    rng = np.random.default_rng(seed)
    words = [f"w{n}" for n in range(300)]

    def text(size: int) -> str:
        return " ".join(words[n % 300] for n in rng.zipf(1.4, size).tolist())

    return [(k, text(3), text(int(rng.integers(5, 30)))) for k in range(count)]


QUESTIONS = ["w1 w2 w3", '"w1 w1"', "w1*", "title:w4 w9 -w20", "w7 OR w8 w9", '"w1 w2"~3 w250']


def answers(t: Transaction) -> list[list[tuple[int, float]]]:
    return [list(ask(t, question).items()) for question in QUESTIONS]


def test_what_others_do_changes_no_bit_of_a_score() -> None:
    db = make_database()
    put(db, *corpus(400))
    with db.begin() as t:
        t.delete_where("t", ["<", ["col", "k"], ["lit", 40]])
    first = db.begin()
    before = answers(first)
    assert all(before)

    db.fork("other")
    put(db, *[(k + 1000, a, b) for k, a, b in corpus(300, 7)], branch="other")
    assert answers(db.begin()) == before

    lost = db.begin()
    lost.insert("t", {"k": 5000, "title": "w1 w2 w3", "body": "w1"})
    lost.delete("t", 77)
    lost.rollback()
    assert answers(db.begin()) == before

    with db.begin() as t:
        t.update_where("t", None, {"n": 3})
    assert answers(db.begin()) == before
    first.rollback()

    assert db.vacuum().dropped
    assert answers(db.begin()) == before
    while db.maintain(1):
        pass
    assert answers(db.begin()) == before
    assert answers(Database.restore(db.export()).begin()) == before
    assert answers(Database.restore(db.export(compress=True)).begin()) == before

    db.discard("other")
    db.vacuum()
    assert answers(db.begin()) == before


def test_own_writes_score_as_they_will_when_they_are_committed() -> None:
    db = make_database()
    put(db, *corpus(100))
    t = db.begin()
    t.insert("t", {"k": 500, "title": "w1", "body": "w1 w2 newword"})
    t.insert_many("t", {"k": [501, 502], "title": ["w3", "w4"], "body": ["w1 w1", "newword"]})
    t.update("t", 3, {"body": "w1 w2 w3"})
    t.update("t", 4, {"n": 1})
    t.delete("t", 5)
    mine = [dict(ask(t, question)) for question in [*QUESTIONS, "newword", "neww*"]]
    lexicon = structure(db)._lexicon
    assert lexicon.number("newword") < 0
    assert sorted(mine[-1]) == [500, 502]
    t.commit()
    assert [dict(ask(db.begin(), question)) for question in [*QUESTIONS, "newword", "neww*"]] == mine


def structure(db: Database) -> FullTextIndex:
    store = next(iter(db.stores.values()))
    (found,) = [s.structure for s in store.indexes.values() if isinstance(s.structure, FullTextIndex)]
    return found


def test_savepoints_take_own_writes_back() -> None:
    db = make_database()
    put(db, (1, "a", "b"))
    t = db.begin()
    t.savepoint("here")
    t.insert("t", {"k": 2, "title": "a a", "body": ""})
    assert sorted(ask(t, "a")) == [1, 2]
    t.rollback_to_savepoint("here")
    assert sorted(ask(t, "a")) == [1]


def test_rows_can_be_filtered_and_scores_stay() -> None:
    db = make_database()
    put(db, *corpus(50))
    t = db.begin()
    t.insert("t", {"k": 90, "title": "w1", "body": "w1"})
    every = ask(t, "w1 w2")
    search = t.text_search("t", "ft")
    slots = t.seen("t").slots[::2]
    own = next(row for row, _ in t.reader.own_rows(t.reader.catalog.table(("zengram", "public", "t"))))
    some = search.rank("w1 w2", slots=slots, own=[])
    assert set(some.slots.tolist()) <= set(slots.tolist())
    assert own in search.rank("w1 w2", slots=slots[:0], own=[own]).rows.tolist()
    assert set(some.scores.tolist()) <= set(every.values())
    rows, found = search.matching(AllOf((Term("w1"), Not(Term("w2")))))
    assert len(rows) == len(found)
    assert own in rows.tolist()


def test_a_serializable_search_is_a_read_of_the_table() -> None:
    db = make_database()
    put(db, (1, "a", ""))
    t = db.begin(isolation="serializable")
    ask(t, "a")
    t.insert("t", {"k": 9, "title": "b", "body": ""})
    put(db, (2, "a", ""))
    with pytest.raises(ConflictError):
        t.commit()


# -- the index itself ------------------------------------------------------------------------------------------------


def test_a_restored_index_is_as_it_was_saved_and_goes_on() -> None:
    db = make_database()
    put(db, *corpus(300))
    put(db, *corpus(50, 3))
    ask(db.begin(), "w1")
    put(db, (1000, "tail", "tail words"))
    other = Database.restore(db.export())
    assert structure(other)._lexicon.terms == structure(db)._lexicon.terms
    assert [len(run) for run in structure(other)._runs] == [len(run) for run in structure(db)._runs]
    assert sorted(ask(other.begin(), "tail")) == [1000]
    put(other, (1001, "more", "tail"))
    assert sorted(ask(other.begin(), "tail")) == [1000, 1001]
    assert sorted(ask(db.begin(), "tail")) == [1000]


@pytest.mark.parametrize("times", [255, 256, 65_536])
def test_a_word_may_occur_very_often(times: int) -> None:
    db = make_database()
    put(db, (1, None, "tea " * times), (2, None, "tea"))
    restored = Database.restore(db.export())
    assert restored.export() == db.export()
    assert ask(restored.begin(), "tea") == ask(db.begin(), "tea")


def test_a_snapshot_under_way_keeps_what_it_saw() -> None:
    db = make_database()
    put(db, *corpus(60))
    pinned = {name: array.copy() for name, array in structure(db).save().items()}
    held = structure(db).save()
    put(db, *corpus(60, 9), *[(k + 100, a, b) for k, a, b in corpus(60, 4)])
    ask(db.begin(), "w1")
    db.vacuum()
    while db.maintain(1):
        pass
    for name, array in held.items():
        assert np.array_equal(array, pinned[name]), name


def test_vacuum_takes_the_words_of_what_is_gone() -> None:
    db = make_database()
    put(db, (1, "secret", "hushword here"), (2, "open", "here"))
    ask(db.begin(), "hushword")
    db.purge("t", 1)
    db.vacuum()
    assert b"hushword" not in db.export()
    assert structure(db)._lexicon.terms == ["here", "open"]
    with db.begin() as t:
        t.delete("t", 2)
    db.vacuum()
    assert structure(db)._lexicon.terms == []
    assert structure(db)._runs == []
    assert ask(db.begin(), "open") == {}
    put(db, (3, "open", "again"))
    assert sorted(ask(db.begin(), "open")) == [3]


def test_maintenance_goes_on_in_steps_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fulltext, "JOIN_AT_ONCE", 500)
    index = FullTextIndex(1, {"language": "simple"})
    rng = np.random.default_rng(1)
    for start in range(0, 3000, 100):
        keys = [(" ".join(f"w{n}" for n in rng.zipf(1.3, 30) % 3000),) for _ in range(100)]
        index.add(np.arange(start, start + 100, dtype=np.int32), keys)
        index.search("w1")
    before = [index.search(q).tolist() for q in ("w1 w2", "w77", "w3 w4 -w1")]
    assert index.is_untidy
    rounds = 0
    while index.maintain(0):
        rounds += 1
        assert [index.search(q).tolist() for q in ("w1 w2", "w77", "w3 w4 -w1")] == before
    assert rounds >= 3
    assert not index.is_untidy
    assert len(index._runs) < 8


def test_joining_goes_on_while_entries_come_and_go() -> None:
    index = FullTextIndex(1, {"language": "simple"})
    rng = np.random.default_rng(1)

    def add(first: int, count: int) -> None:
        keys = [(" ".join(f"w{n}" for n in rng.zipf(1.3, 30) % 3000),) for _ in range(count)]
        index.add(np.arange(first, first + count, dtype=np.int32), keys)

    add(0, 1500)
    add(1500, 1500)
    assert index.maintain(0)
    add(3000, 200)
    before = index.search("w1").tolist()
    while index.maintain(0):
        pass
    assert index.search("w1").tolist() == before
    add(3200, 3000)
    index.maintain(0)
    index.remove(np.arange(0, 3000, dtype=np.int32))
    while index.maintain(0):
        pass
    assert min(index.search("w1").tolist()) >= 3000


def test_entries_may_come_in_any_order() -> None:
    index = FullTextIndex()
    index.add(np.array([7, 3], np.int32), [("tea",), ("tea tea",)])
    assert index.search("tea").tolist() == [3, 7]
    index.add(np.array([5, 1], np.int32), [("tea",), (None,)])
    assert index.search("tea").tolist() == [3, 5, 7]
    assert index.search(("tea", 1)).tolist() == [3]
    assert index.search("tea", np.array([True] * 6)).tolist() == [3, 5]
    assert index.search(Term("tea")).tolist() == [3, 5, 7]
    index.remove(np.array([3, 99], np.int32))
    assert index.search("tea").tolist() == [5, 7]


def test_other_values_than_texts_are_searched_by_what_they_look_like() -> None:
    db = Database.open()
    db.create_table("n", [ColumnDef("n", INT64)], indexes=[IndexDef("ft", "fulltext", (["col", "n"],))])
    with db.begin() as t:
        t.insert_many("n", {"n": list(range(100))})
        t.insert("n", {"n": None})
    assert db.begin().text_search("n", "ft").rank("42").rows.tolist() == [43]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": [1.0]}, "weights"),
        ({"weights": [1.0, 0]}, "above 0"),
        ({"weights": 2}, "weights"),
        ({"weights": [1.0, float("nan")]}, "weights"),
        ({"k1": -1}, "k1"),
        ({"k1": True}, "k1"),
        ({"b": 2}, "b "),
        ({"b": [0.5]}, "b "),
        ({"language": "klingon"}, "klingon"),
        ({"stemming": True}, "stemming"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(CatalogError, match=message):
        make_database(options)


def test_what_is_no_key_is_not_looked_up() -> None:
    db = make_database()
    put(db, (1, "a", "b"))
    with pytest.raises(CatalogError):
        db.begin().lookup("t", "ft", "a", "b")
    with pytest.raises(CatalogError):
        db.begin().text_search("t", "t_pkey")
    with pytest.raises(CatalogError, match="unique"):
        db.create_table(
            "u", [ColumnDef("a", TEXT)], indexes=[IndexDef("ft", "fulltext", (["col", "a"],), unique=True)]
        )


def test_a_column_that_was_renamed_is_asked_by_its_new_name() -> None:
    db = make_database()
    put(db, (1, "tea", "coffee"), (2, "coffee", "tea"))
    with db.begin() as t:
        t.rename_column("t", "title", "subject")
    assert sorted(ask(db.begin(), "subject:tea")) == [1]
    assert ask(db.begin(), "title:tea").keys() == {1, 2}  # words now: "title" and "tea"


def damaged() -> list[tuple[str, Any]]:
    def put_at(name: str, at: int, value: Any) -> tuple[str, Any]:
        def change(sections: dict[str, Any]) -> None:
            sections[name] = sections[name].copy()
            sections[name][at] = value

        return f"{name}[{at}]={value}", change

    def drop(name: str) -> tuple[str, Any]:
        return f"no {name}", lambda sections: sections.pop(name)

    def retype(name: str, dtype: Any) -> tuple[str, Any]:
        return f"{name} as {dtype}", lambda s: s.update({name: s[name].astype(dtype)})

    def shorten(name: str) -> tuple[str, Any]:
        return f"short {name}", lambda s: s.update({name: s[name][..., :-1]})

    parts = ("terms0", "starts0", "entries0", "counts0", "positions0", "words", "lengths")
    return [
        *map(drop, parts),
        *map(shorten, parts[:5]),
        *(retype(name, np.int16) for name in parts),
        put_at("terms0", 0, 99),
        put_at("terms0", 1, -5),
        put_at("starts0", 1, 10**9),
        put_at("starts0", 0, 1),
        put_at("entries0", 0, 10**6),
        put_at("entries0", 0, -1),
        put_at("positions0", 0, -1),
        put_at("lengths", 0, -1),
        put_at("words", 0, 255),
        put_at("words", 1, 10),
    ]


@pytest.mark.parametrize(("name", "change"), damaged(), ids=[name for name, _ in damaged()])
def test_arrays_that_do_not_fit_together_are_refused(name: str, change: Any) -> None:
    index = FullTextIndex(2)
    index.add(np.arange(3, dtype=np.int32), [("aa b", "cc"), ("b aa", "aa"), ("dd", "b b")])
    sections = dict(index.save())
    change(sections)
    with pytest.raises((ValueError, KeyError)):
        FullTextIndex(2).load(sections)


def test_a_forged_snapshot_is_an_error_of_its_section() -> None:
    db = make_database()
    put(db, (1, "a b", "c"))
    index = structure(db)
    real = index.save
    index.save = lambda: real() | {"entries0": np.array([10**6] * 3, np.int32)}  # type: ignore[method-assign]
    with pytest.raises(SnapshotError, match="entries0"):
        Database.restore(db.export())


def test_sizes_are_told() -> None:
    db = make_database()
    put(db, *corpus(200))
    (sizes,) = db.size().values()
    assert sizes["index ft"] > 1000
