"""Building an index later, and anew: in steps, while every search finds what it would find when all is done."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zengram_py.clock import ManualClock
from zengram_py.engine import INT64, TEXT, ColumnDef, Database, IndexDef, Transaction, vector
from zengram_py.engine.index import fulltext, hnsw
from zengram_py.engine.index.flat import FlatIndex
from zengram_py.engine.index.fulltext import FullTextIndex
from zengram_py.engine.index.graph_build import STEP
from zengram_py.engine.index.hnsw import HnswIndex
from zengram_py.errors import CatalogError, InvalidArgumentError, ZengramError
from zengram_py.text import LANGUAGES, Analyzer, Lexicon, stemming, tokens

WORDS = IndexDef("words", "fulltext", (["col", "title"], ["col", "body"]), options={"weights": [2.0, 1.0]})
NEAR = IndexDef("near", "hnsw", (["col", "place"],))
VOCABULARY = [
    f"{a}{b}" for a in ("run", "use", "happi", "tea", "w", "x") for b in ("", "s", "ning", "ness", "ly")
]
QUESTIONS = ["running", "uses tea", '"w x"', "happ*", "title:runs -teas", "w* OR xs", "wly xness uses"]


@pytest.fixture(autouse=True)
def _small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fulltext, "STEP_ENTRIES", 40)


def texts(count: int, seed: int = 0) -> dict[str, list[Any]]:
    rng = np.random.default_rng(seed)

    def text(size: int) -> str | None:
        return (
            None
            if size == 9
            else " ".join(VOCABULARY[n] for n in rng.integers(0, len(VOCABULARY), size).tolist())
        )

    return {
        "id": list(range(seed * 10_000, seed * 10_000 + count)),
        "title": [text(int(rng.integers(0, 4))) for _ in range(count)],
        "body": [text(int(rng.integers(0, 12))) for _ in range(count)],
        "place": list(rng.standard_normal((count, 8)).astype(np.float32)),
    }


def filled(count: int = 300, indexes: tuple[IndexDef, ...] = (), **options: Any) -> Database:
    db = Database.open(clock=ManualClock(1000))
    db.create_table(
        "t",
        [
            ColumnDef("id", INT64),
            ColumnDef("title", TEXT),
            ColumnDef("body", TEXT),
            ColumnDef("place", vector(8)),
        ],
        primary_key=["id"],
    )
    with db.begin() as t:
        t.insert_many("t", texts(count))
    for index in indexes:
        with db.begin() as t:
            t.create_index("t", index, **options)
    return db


def structure(db: Database, name: str = "words") -> Any:
    for store in db.stores.values():
        for state in store.indexes.values():
            if state.definition.name == name:
                return state.structure
    raise KeyError(name)


def answers(t: Transaction, name: str = "words") -> list[list[tuple[int, float]]]:
    table = t.reader.catalog.table(("zengram", "public", "t"))
    out = []
    for question in QUESTIONS:
        found = t.text_search("t", name).rank(question)
        ids = [t.reader.values_of(table, row)[0] for row in found.rows.tolist()]
        out.append(list(zip(ids, found.scores.tolist(), strict=True)))
    return out


def steps(db: Database) -> Iterator[int]:
    """Maintain a step at a time; yield how much work each did on the index of words."""
    before, is_more = structure(db).work, True
    while is_more:
        is_more = db.maintain(0)
        yield structure(db).work - before
        before = structure(db).work


# -- words -------------------------------------------------------------------------------------------------------------


def test_an_index_of_words_that_is_built_later_is_built_in_steps_and_finds_the_same() -> None:
    now, later = filled(indexes=(WORDS,)), filled(indexes=(WORDS,), build="deferred")
    index = structure(later)
    assert index.work == 0
    assert later.pending() == ["merge index runs"]
    assert now.tables() == later.tables()  # how it was built is no part of what it is
    work = list(steps(later))
    assert len(work) > 300 / 40
    assert max(work) <= 40 * 100 + 2 * fulltext.JOIN_AT_ONCE
    assert later.pending() == []
    assert answers(later.begin()) == answers(now.begin())
    assert sum(map(bool, answers(now.begin()))) >= 5


@pytest.mark.parametrize("done", [0, 1, 4])
def test_a_search_before_that_has_the_rest_analysed_and_finds_the_same(done: int) -> None:
    now, later = filled(indexes=(WORDS,)), filled(indexes=(WORDS,), build="deferred")
    for _ in range(done):
        assert later.maintain(0)
    assert answers(later.begin()) == answers(now.begin())
    work = structure(later).work
    assert answers(later.begin()) == answers(now.begin())
    assert structure(later).work == work  # once


events = st.lists(
    st.sampled_from(
        ["insert", "bulk", "update", "delete", "abort", "fork", "branch", "vacuum", "step", "restore", "ask"]
    ),
    max_size=12,
)


@given(events)
@settings(max_examples=60, deadline=None)
def test_whatever_happens_during_the_build_readers_get_the_scores_of_a_finished_index(
    schedule: list[str],
) -> None:
    before = fulltext.STEP_ENTRIES
    fulltext.STEP_ENTRIES = 15
    try:
        dbs = [filled(60, (WORDS,), build=build) for build in ("now", "deferred")]
        for number, event in enumerate(schedule, 1):
            for at, db in enumerate(dbs):
                if event == "ask":
                    answers(db.begin())
                elif event == "step":
                    db.maintain(0)
                elif event == "restore":
                    dbs[at] = Database.restore(db.export(), clock=ManualClock(db.timestamp + 1))
                else:
                    happen(db, event, number)
        for name in [info.name for info in dbs[0].branches()]:
            one, other = (answers(db.begin(branch=name)) for db in dbs)
            assert one == other
        while dbs[1].maintain(0):
            pass
        assert answers(dbs[0].begin()) == answers(dbs[1].begin())
    finally:
        fulltext.STEP_ENTRIES = before


def happen(db: Database, event: str, number: int) -> None:
    """Do to a database what depends on nothing but its rows."""
    if event == "vacuum":
        db.vacuum()
        return
    if event == "fork":
        db.fork(f"b{number}")
        return
    branch = db.branches()[-1].name if event == "branch" else "main"
    t = db.begin(branch=branch)
    if event in ("insert", "branch", "abort"):
        t.insert(
            "t", {"id": 5_000 + number, "title": "running w", "body": f"uses x w{number}", "place": [1] * 8}
        )
    elif event == "bulk":
        t.insert_many("t", texts(150, seed=number))
    elif event == "update":
        t.update("t", number % 60, {"body": "happiness runs w x"})
    elif event == "delete":
        t.delete_where("t", ["<", ["col", "id"], ["lit", number * 3]])
    if event == "abort":
        t.rollback()
    else:
        t.commit()


def test_a_build_goes_on_after_a_restore() -> None:
    db = filled(300, (WORDS,), build="deferred")
    for _ in range(3):
        db.maintain(0)
    done = structure(db)._done
    assert 0 < done < 300
    again = Database.restore(db.export())
    assert structure(again)._left == 300 - done
    assert again.export() == db.export()
    assert answers(again.begin()) == answers(db.begin())
    while again.maintain(0):
        pass
    assert answers(again.begin()) == answers(filled(300, (WORDS,)).begin())


def test_a_replayed_index_waits_for_maintenance() -> None:
    records: list[bytes] = []
    db = Database.open(clock=ManualClock(1000))
    start = db.export()
    db.on_commit = records.append
    db.create_table(
        "t", [ColumnDef("id", INT64), ColumnDef("title", TEXT), ColumnDef("body", TEXT)], primary_key=["id"]
    )
    rows = {name: column for name, column in texts(200).items() if name != "place"}
    with db.begin() as t:
        t.insert_many("t", rows)
    with db.begin() as t:
        t.create_index("t", WORDS, build="deferred")
    with db.begin() as t:
        t.delete_where("t", ["<", ["col", "id"], ["lit", 20]])
    other = Database.restore(start)
    other.replay(records)
    assert structure(other).work == 0
    assert other.tables() == db.tables()
    other.maintain(0)
    assert answers(other.begin()) == answers(db.begin())


def test_a_transaction_that_is_rolled_back_takes_its_index_along() -> None:
    db = filled()
    t = db.begin()
    t.create_index("t", WORDS, build="deferred")
    assert answers(t)
    t.rollback()
    assert db.pending() == []
    with pytest.raises(CatalogError):
        db.begin().text_search("t", "words")


def test_purged_words_are_nowhere_though_they_were_never_analysed() -> None:
    db = filled(100)
    with db.begin() as t:
        t.insert("t", {"id": 999, "title": "hushword", "body": None, "place": [1] * 8})
        t.create_index("t", WORDS, build="deferred")
    db.maintain(0)
    db.purge("t", 999)
    db.vacuum()
    assert b"hushword" not in db.export()
    while db.maintain(0):
        pass
    assert b"hushword" not in db.export()


def test_what_cannot_wait_is_refused() -> None:
    db = filled(10)
    with db.begin() as t, pytest.raises(CatalogError, match="'hash'"):
        t.create_index("t", IndexDef("h", "hash", (["col", "title"],)), build="deferred")
    with db.begin() as t, pytest.raises(InvalidArgumentError, match="later"):
        t.create_index("t", WORDS, build="later")
    with db.begin() as t, pytest.raises(ZengramError):  # an expression that refuses a row is known at once
        t.create_index("t", IndexDef("e", "fulltext", (["/", ["col", "id"], ["lit", 0]],)), build="deferred")


def test_who_is_interrupted_loses_no_words(monkeypatch: pytest.MonkeyPatch) -> None:
    for build in ("now", "deferred"):
        db = filled(30, (WORDS,), build=build)
        with db.begin() as t:
            t.insert("t", {"id": 77_777, "title": "hushword", "body": "running", "place": [1] * 8})
        real = Lexicon.analyse

        def interrupted(*_: Any) -> Any:
            raise KeyboardInterrupt

        monkeypatch.setattr(Lexicon, "analyse", interrupted)
        with pytest.raises(KeyboardInterrupt):
            answers(db.begin())
        monkeypatch.setattr(Lexicon, "analyse", real)
        assert db.begin().text_search("t", "words").rank("hushword").rows.tolist() == [30]


# -- another stemmer -----------------------------------------------------------------------------------------------------


def use_other_stemmer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let words keep their ends, as if a release of the stemmer had given all its rules up."""
    monkeypatch.setattr(stemming, "stemmer", lambda language: lambda word: word)
    monkeypatch.setattr(tokens, "stemmer", lambda language: lambda word: word)


@pytest.mark.parametrize("how", ["at once", "in steps", "after a vacuum", "while it is written to"])
def test_an_index_of_another_release_of_the_stemmer_is_built_anew(
    how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = filled(200, (WORDS,)).export()
    with monkeypatch.context() as patch:
        use_other_stemmer(patch)
        db = Database.restore(data, clock=ManualClock(10_000))
        expected = filled(200, (WORDS,))
        if how == "in steps":
            assert len(list(steps(db))) >= 200 / 40
        elif how == "after a vacuum":
            for one in (db, expected):
                with one.begin() as t:
                    t.delete_where("t", ["<", ["col", "id"], ["lit", 50]])
                one.vacuum()
        elif how == "while it is written to":
            for one in (db, expected):
                with one.begin() as t:
                    t.insert_many("t", texts(140, 1))
        assert answers(db.begin()) == answers(expected.begin())
        assert [i for i, _ in answers(db.begin())[0]] != [
            i for i, _ in answers(filled(200, (WORDS,)).begin())[1]
        ]
        newer = db.export()
    with monkeypatch.context() as patch:  # what the other release saved is its own, and left alone by it
        use_other_stemmer(patch)
        again = Database.restore(newer)
        while again.maintain(0):
            pass
        assert structure(again).work == 0


def test_an_index_that_does_not_tell_who_made_it_is_built_anew() -> None:
    db = filled(100, (WORDS,))
    index = structure(db)
    real = index.save
    index.save = lambda: {name: array for name, array in real().items() if name != "made_by"}
    again = Database.restore(db.export())
    assert again.pending()
    while again.maintain(0):
        pass
    assert structure(again).work > 0
    assert answers(again.begin()) == answers(db.begin())


def test_an_index_of_the_same_release_is_left_as_it_is() -> None:
    db = filled(200, (WORDS,))
    again = Database.restore(db.export())
    assert list(steps(again)) == [0]
    assert again.pending() == []
    assert answers(again.begin()) == answers(db.begin())
    assert structure(again).work == 0


def test_a_snapshot_that_nobody_searched_keeps_the_name_of_who_made_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = filled(50, (WORDS,)).export()
    use_other_stemmer(monkeypatch)
    assert Database.restore(data).export() == data


def test_each_language_has_a_fingerprint_of_its_own_that_changes_with_its_rules(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = {language: Analyzer(language).fingerprint for language in LANGUAGES}
    assert len(set(before.values())) == len(LANGUAGES)
    assert {language: Analyzer(language).fingerprint for language in LANGUAGES} == before
    for language in set(LANGUAGES) - {"simple"}:
        algorithm = stemming._algorithm(language)
        tables = [
            n for n, v in vars(algorithm).items() if isinstance(v, (list, tuple)) and v and hasattr(v[0], "s")
        ]
        assert tables, language  # what the fingerprint reads is there
        with monkeypatch.context() as patch:
            entry = getattr(algorithm, tables[0])[0]
            patch.setattr(algorithm, "a_more", [type(entry)("zzz", -1, 1)], raising=False)
            assert Analyzer(language).fingerprint != before[language]
    use_other_stemmer(monkeypatch)
    changed = {language for language in LANGUAGES if Analyzer(language).fingerprint != before[language]}
    assert changed == set(LANGUAGES) - {"simple"}
    monkeypatch.setattr(tokens, "RULES", tokens.RULES + 1)
    assert Analyzer("simple").fingerprint != before["simple"]


# -- vectors -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["hnsw", "auto", "flat"])
def test_an_index_of_vectors_that_is_built_later_scans_until_then(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hnsw, "_SCAN_COST", 100)
    index = IndexDef("near", kind, (["col", "place"],))
    db = filled(2500, (index,), build="deferred")
    later = structure(db, "near")
    assert later.work == 0
    query = np.ones(8, np.float32)
    exact, scores = FlatIndex(later._column).nearest(query, 10)
    found = 0
    while True:
        near, near_scores = later.nearest(query, 10)
        if getattr(later, "graph", None) is None:
            assert (near.tolist(), near_scores.tolist()) == (exact.tolist(), scores.tolist())
        found += 1
        before = later.work
        if not db.maintain(0):
            break
        assert later.work - before <= 3 * STEP
    if isinstance(later, HnswIndex):
        assert found > 5
        assert later.graph is not None
        now = structure(filled(2500, (index,)), "near")
        for name, array in now.save().items():
            assert np.array_equal(array, later.save()[name])


def test_graphs_of_both_kinds_of_build_survive_a_restore_in_the_middle() -> None:
    db = filled(2500, (NEAR,), build="deferred")
    for _ in range(5):
        db.maintain(0)
    again = Database.restore(db.export())
    for one in (db, again):
        while one.maintain(0):
            pass
    for name, array in structure(db, "near").save().items():
        assert np.array_equal(array, structure(again, "near").save()[name])


def test_an_index_without_a_source_cannot_wait() -> None:
    index = FullTextIndex()
    assert not index.can_wait
    index.add(np.array([0], np.int32), [("tea",)])
    sections = dict(index.save())
    sections["entries_waiting"] = np.array([3], np.int32)
    with pytest.raises(ValueError, match="wait"):
        FullTextIndex().load(sections)
    sections.pop("entries_waiting")
    other = FullTextIndex()
    other.load(sections | {"made_by": np.zeros(8, np.uint8)})  # nowhere to read from: it stays as it is
    assert other.search("tea").tolist() == [0]
    old = {
        name: array for name, array in sections.items() if name != "made_by"
    }  # from before there were fingerprints
    other.load(old)
    assert other.search("tea").tolist() == [0]
    with pytest.raises(ValueError, match="who"):
        FullTextIndex().load(sections | {"made_by": np.zeros(7, np.uint8)})


# -- after a replay (docs/decisions/0001-graphs-after-a-replay.md) ----------------------------------------------------------


def nearest(db: Database, queries: Any, *, exact: bool = False) -> list[dict[int, float]]:
    """Return keys and scores of the nearest ten, by the graph or by a scan."""
    index = structure(db, "near")
    with db.begin(read_only=True) as t:
        seen = t.seen("t")
        state = seen.index("near")
        entries = state.entry.view[seen.slots]
        by = FlatIndex(seen.column("place"), index.metric) if exact else index  # type: ignore[arg-type]
        out = []
        for query in queries:
            found, scores = by.nearest(query, 10, entries)
            slots = seen.store.slots_of_entries(t.view, state.definition.id, found)
            out.append(dict(zip(seen.column("id").take(slots), scores.tolist(), strict=True)))
    return out


def test_a_replayed_graph_finds_as_much_with_the_same_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hnsw, "_SCAN_COST", 100)
    rng = np.random.default_rng(4)
    vectors = (rng.standard_normal((3000, 6)) @ rng.standard_normal((6, 16))).astype(np.float32)
    queries = vectors[:60] + np.float32(0.2) * rng.standard_normal((60, 16)).astype(np.float32)
    records: list[bytes] = []
    db = Database.open(clock=ManualClock(1000))
    start = db.export()
    db.on_commit = records.append
    db.create_table("t", [ColumnDef("id", INT64), ColumnDef("place", vector(16))], primary_key=["id"])
    with db.begin() as t:
        t.insert_many("t", {"id": list(range(1000)), "place": vectors[:1000]})
    with db.begin() as t:
        t.create_index("t", NEAR)
    for first in range(1000, 3000, 100):  # it grows by links, and is built anew now and then
        with db.begin() as t:
            t.insert_many("t", {"id": list(range(first, first + 100)), "place": vectors[first : first + 100]})
        for _ in range(60):
            db.maintain(0)
    with db.begin() as t:
        t.delete_where("t", ["<", ["col", "id"], ["lit", 300]])
    db.vacuum()
    middle = db.export()
    with db.begin() as t:
        t.delete_where("t", [">", ["col", "id"], ["lit", 2900]])

    other = Database.restore(start)
    other.replay(records)
    assert structure(other, "near").graph is None
    truth = nearest(db, queries, exact=True)
    assert nearest(other, queries) == truth  # there is no graph yet: it scans
    later = Database.restore(middle)
    later.replay(records)
    assert nearest(later, queries) == nearest(db, queries)  # with the snapshot's graph: to the bit

    for one in (db, other):
        while one.maintain(0):
            pass
    assert structure(db, "near").graph is not None
    assert structure(other, "near").graph is not None
    for found in (nearest(db, queries), nearest(other, queries)):
        assert (
            np.mean([len(ours.keys() & best.keys()) / 10 for ours, best in zip(found, truth, strict=True)])
            >= 0.98
        )
    for ours, theirs in zip(nearest(db, queries), nearest(other, queries), strict=True):
        assert all(ours[key] == theirs[key] for key in ours.keys() & theirs.keys())

    for one in (db, other):  # built in one piece, they are equal
        with one.begin() as t:
            t.drop_index("t", "near")
        one.vacuum()
        with one.begin() as t:
            t.create_index("t", NEAR)
    assert nearest(db, queries) == nearest(other, queries)
    for name, array in structure(db, "near").save().items():
        assert np.array_equal(array, structure(other, "near").save()[name])
