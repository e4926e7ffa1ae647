"""Scores against the formula in plain Python (tests/properties/bm25_reference.py)."""

from __future__ import annotations

from itertools import accumulate, pairwise

import numpy as np
import pytest
from bm25_reference import Question, scores
from hypothesis import given, settings
from hypothesis import strategies as st
from text_strategies import long_texts, questions, texts

from zengram_py.text import (
    AllOf,
    Analyzer,
    AnyOf,
    Corpus,
    Lexicon,
    Not,
    Query,
    Ranking,
    Term,
    Weights,
    parse_query,
    rank,
    score_all,
)
from zengram_py.text.postings import Run, join_in_steps, join_runs, renumber

NAMES = ("title", "body")
WEIGHTS = Weights((2.0, 1.0), 1.2, (0.75, 0.4), 0.2)

documents = st.lists(st.tuples(texts, long_texts), max_size=25)


def make_corpus(
    texts: list[tuple[str, str]], seen: list[bool] | None = None, cuts: list[int] | None = None
) -> Corpus:
    lexicon = Lexicon(Analyzer("simple"))
    runs: list[Run] = []
    lengths = [np.zeros((0, 2), np.int32)]
    bounds = sorted({0, len(texts), *(cut % (len(texts) + 1) for cut in cuts or [])})
    for first, last in pairwise(bounds):
        run, own = lexicon.analyse(np.arange(first, last, dtype=np.int32), texts[first:last])
        runs.append(run)
        lengths.append(own)
    mask = np.array(seen if seen is not None else [True] * len(texts), bool)
    return Corpus(lexicon, runs, np.concatenate(lengths), mask, WEIGHTS)


def check(found: Ranking, expected: dict[int, float]) -> None:
    assert sorted(found.entries.tolist()) == sorted(expected)
    got = dict(zip(found.entries.tolist(), found.scores.tolist(), strict=True))
    for entry, score in expected.items():
        assert got[entry] == pytest.approx(score, abs=1e-9)
    pairs = list(zip((-found.scores).tolist(), found.entries.tolist(), strict=True))
    assert pairs == sorted(pairs)
    assert not len(found.scores) or found.scores[0] < found.bound


def reference(shown: dict[int, tuple[str, str]], question: Question) -> dict[int, float]:
    return scores(shown, question, weights=WEIGHTS.fields, b=WEIGHTS.b)


@given(documents, questions(2), st.data())
@settings(max_examples=400, deadline=None)
def test_scores_are_those_of_the_formula_over_the_documents_that_are_seen(
    texts: list[tuple[str, str]], question: Question, data: st.DataObject
) -> None:
    seen = data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts)))
    cuts = data.draw(st.lists(st.integers(0, 30), max_size=4))
    corpus = make_corpus(texts, seen, cuts)
    query = parse_query(question.text(NAMES), corpus.lexicon.analyzer, NAMES)
    shown = {i: text for i, text in enumerate(texts) if seen[i]}
    expected = reference(shown, question)
    found = rank(corpus, query, None, explain=True)
    check(found, expected)
    for entry, score, why in zip(
        found.entries.tolist(), found.scores.tolist(), found.explanations, strict=True
    ):
        assert score == pytest.approx(why.bonus * sum(part.score for part in why.contributions), abs=1e-12)
        assert seen[entry]
    unsorted, bound = score_all(corpus, query)
    assert unsorted[found.entries].tolist() == found.scores.tolist()  # to the bit
    assert np.count_nonzero(unsorted) == len(found.entries)
    assert bound == found.bound
    # The best k are the first k of all, and candidates change no score.
    for k in (1, 3):
        assert rank(corpus, query, k).entries.tolist() == found.entries[:k].tolist()
    allowed = np.array([i % 2 == 0 for i in range(len(texts))], bool)
    filtered = rank(corpus, query, None, allowed)
    keep = found.entries % 2 == 0
    assert filtered.entries.tolist() == found.entries[keep].tolist()
    assert filtered.scores.tolist() == found.scores[keep].tolist()
    # The same by the condition that the query stands for.
    assert np.flatnonzero(corpus.matching(query.tree)).tolist() == sorted(expected)


@given(documents, documents, questions(2), st.data())
@settings(max_examples=150, deadline=None)
def test_documents_laid_over_a_corpus_score_as_if_they_were_in_it(
    texts: list[tuple[str, str]], more: list[tuple[str, str]], question: Question, data: st.DataObject
) -> None:
    hidden = data.draw(st.lists(st.integers(0, len(texts) - 1), unique=True) if texts else st.just([]))
    corpus = make_corpus(texts)
    terms = list(corpus.lexicon.terms)
    query = parse_query(question.text(NAMES), corpus.lexicon.analyzer, NAMES)
    over = corpus.with_documents(more, np.array(hidden, np.int32))
    seen = [i not in hidden for i in range(len(texts))] + [True] * len(more)
    whole = make_corpus([*texts, *more], seen)
    one, other = rank(over, query, None), rank(whole, query, None)
    assert one.entries.tolist() == other.entries.tolist()
    assert one.scores.tolist() == other.scores.tolist()  # to the bit
    assert corpus.lexicon.terms == terms


def same(one: Run, other: Run) -> bool:
    names = ("terms", "starts", "entries", "counts", "positions")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


@given(documents, st.lists(st.integers(0, 30), max_size=4))
@settings(max_examples=100, deadline=None)
def test_runs_that_are_joined_are_as_if_they_had_been_made_together(
    texts: list[tuple[str, str]], cuts: list[int]
) -> None:
    together = make_corpus(texts).runs
    parts = make_corpus(texts, cuts=cuts).runs
    if len(parts) > 1:
        # Numbers of terms do not depend on the batches: they come in the order of the texts.
        assert same(join_runs(parts), together[0])
        in_steps = list(accumulate(parts, lambda one, other: joined_in_steps(one, other)))[-1]
        assert same(in_steps, together[0])


def joined_in_steps(one: Run, other: Run) -> Run:
    out: list[Run] = []
    for _ in join_in_steps(one, other, out):
        pass
    return out[0]


def test_large_runs_are_joined_in_many_steps() -> None:
    rng = np.random.default_rng(5)
    texts = [("", " ".join(f"w{n}" for n in rng.zipf(1.3, 60) % 5000)) for _ in range(2400)]
    one, other = make_corpus(texts, cuts=[1200]).runs
    out: list[Run] = []
    steps = sum(1 for _ in join_in_steps(one, other, out))
    assert steps > 3
    assert same(out[0], join_runs([one, other]))


@given(documents, st.randoms())
@settings(max_examples=100, deadline=None)
def test_renumbered_documents_keep_their_postings(texts: list[tuple[str, str]], random: object) -> None:
    order = list(range(len(texts)))
    random.shuffle(order)  # type: ignore[attr-defined]
    places = np.array([-1 if p % 3 == 0 else p for p in order], np.int32)
    runs = make_corpus(texts, cuts=[3, 9]).runs
    if runs:
        moved = renumber(runs, places)
        placed = [("", "")] * len(texts)
        for old, new in enumerate(places.tolist()):
            if new >= 0:
                placed[new] = texts[old]
        corpus, expected = make_corpus(texts), make_corpus(placed)
        for text in corpus.lexicon.terms:
            a, b = corpus.lexicon.number(text), expected.lexicon.number(text)
            one = slice(*moved.find(a))
            other = slice(*expected.runs[0].find(b)) if b >= 0 else slice(0, 0)
            assert moved.entries[one].tolist() == expected.runs[0].entries[other].tolist()
            assert moved.occurrences(one).tolist() == expected.runs[0].occurrences(other).tolist()


def test_conditions_are_combined() -> None:
    corpus = make_corpus([("", "a b"), ("", "a"), ("b", ""), ("", "c")], [True, True, True, False])

    def holds(condition: object) -> list[int]:
        return np.flatnonzero(corpus.matching(condition)).tolist()  # type: ignore[arg-type]

    assert holds(AllOf((Term("a"), Term("b")))) == [0]
    assert holds(AnyOf((Term("a"), Term("b")))) == [0, 1, 2]
    assert holds(Not(Term("a"))) == [2]
    assert holds(AllOf((Not(Term("b", 0)), Not(Term("c"))))) == [0, 1]
    assert holds(AnyOf(())) == []
    assert holds(AllOf(())) == [0, 1, 2]


def test_nothing_asked_is_nothing_found() -> None:
    corpus = make_corpus([("a", "b")])
    assert rank(corpus, Query(), 10).entries.tolist() == []
    assert rank(make_corpus([]), parse_query("a", Analyzer("simple")), 10).entries.tolist() == []


def test_a_row_with_everything_asked_for_comes_before_one_with_much_of_a_little() -> None:
    corpus = make_corpus([("", "a a a a a"), ("", "a b c"), ("", "b b b b"), ("", "c x1")])
    query = parse_query("a b c", corpus.lexicon.analyzer)
    found = rank(corpus, query, None, explain=True)
    assert found.entries[0] == 1
    assert [why.matched for why in found.explanations] == [3, 1, 1, 1]
    assert found.explanations[0].bonus == pytest.approx(1.2)
    assert [part.documents for part in found.explanations[0].contributions] == [2, 2, 2]
