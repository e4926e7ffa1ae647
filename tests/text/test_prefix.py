"""Prefixes: each of the words that begin so counts once, by whichever of its terms, and scores are those of the formula."""

from __future__ import annotations

from itertools import pairwise
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zengram_py.text import Analyzer, Corpus, Lexicon, Prefix, Weights, parse_query, rank
from zengram_py.text.postings import Run

WEIGHTS = Weights((2.0, 1.0), 1.2, (0.75, 0.4), 0.2)
# Stems that are prefixes of their words, stems that are not, words of one stem, runs without spaces, accents.
WORDS = [
    "happy",
    "happiness",
    "happily",
    "hap",
    "use",
    "uses",
    "used",
    "useful",
    "user",
    "running",
    "runs",
    "ran",
    "run",
    "immunization",
    "immune",
    "naïve",
    "naive",
    "Über",
    "über",
    "uber",
    "用户",
    "用户身份",
    "用",
    "3.14",
    "31",
    "don't",
]

texts = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
documents = st.lists(st.tuples(texts, texts), max_size=15)


def corpus_of(
    shown: list[tuple[str, str]], seen: list[bool], cut: int, analyzer: Analyzer, more: int = 0
) -> Corpus:
    """Index documents in two runs, and the last ones as somebody's own that lie over them."""
    lexicon = Lexicon(analyzer)
    runs: list[Run] = []
    lengths = [np.zeros((0, 2), np.int32)]
    first_own = len(shown) - more
    for first, last in pairwise(sorted({0, min(cut, first_own), first_own})):
        run, own = lexicon.analyse(np.arange(first, last, dtype=np.int32), shown[first:last])
        runs.append(run)
        lengths.append(own)
    corpus = Corpus(lexicon, runs, np.concatenate(lengths), np.array(seen[:first_own], bool), WEIGHTS)
    return corpus.with_documents(shown[first_own:], np.empty(0, np.int32)) if more else corpus


def count(analyzer: Analyzer, text: str, prefix: str) -> int:
    """Count places, from the analysis of the text alone."""
    words = analyzer.words(text)
    return len({w.position for w in words if w.term.startswith(prefix) or w.surface.startswith(prefix)})


@given(documents, st.data(), st.sampled_from(["english", "simple", "german"]))
@settings(max_examples=300, deadline=None)
def test_a_prefix_scores_like_one_term_that_is_wherever_a_word_begins_so(
    shown: list[tuple[str, str]], data: st.DataObject, language: str
) -> None:
    analyzer = Analyzer(language)
    more = data.draw(st.integers(0, min(2, len(shown))))
    seen = data.draw(st.lists(st.booleans(), min_size=len(shown), max_size=len(shown)))
    seen[len(shown) - more :] = [True] * more
    corpus = corpus_of(shown, seen, data.draw(st.integers(0, 15)), analyzer, more)
    prefix = data.draw(
        st.sampled_from(["h", "hap", "happi", "happy", "u", "us", "use", "r", "run", "用", "3", "n", "z"])
    )
    field = data.draw(st.sampled_from([None, 0, 1]))

    visible = [i for i in range(len(shown)) if seen[i]]
    lengths = [[len({w.position for w in analyzer.words(text)}) for text in shown[i]] for i in visible]
    average = [sum(column) / len(visible) for column in zip(*lengths, strict=True)] if visible else []
    counts = {}
    for i, own in zip(visible, lengths, strict=True):
        has = [count(analyzer, text, prefix) if field in (None, f) else 0 for f, text in enumerate(shown[i])]
        if any(has):
            counts[i] = has, own
    idf = log(1 + (len(visible) - len(counts) + 0.5) / (len(counts) + 0.5))
    expected = {}
    for i, (has, own) in counts.items():
        tf = sum(
            w * c / (1 - b + b * length / mean)
            for w, c, b, length, mean in zip(WEIGHTS.fields, has, WEIGHTS.b, own, average, strict=True)
            if c
        )
        expected[i] = idf * tf / (WEIGHTS.k1 + tf)

    name = "" if field is None else f"f{field}:"
    query = parse_query(f"{name}{prefix}*", analyzer, ("f0", "f1"))
    assert query.leaves == (Prefix(prefix, field),)
    found = rank(corpus, query, None, explain=True)
    assert sorted(found.entries.tolist()) == sorted(expected)
    for entry, score, why in zip(
        found.entries.tolist(), found.scores.tolist(), found.explanations, strict=True
    ):
        assert score == pytest.approx(expected[entry], abs=1e-9)
        assert list(why.contributions[0].counts) == counts[entry][0]
        assert why.contributions[0].documents == len(counts)


def test_thousands_of_terms_are_one_thing_asked_for() -> None:
    rng = np.random.default_rng(3)
    words = ["s" + "".join(chr(97 + c) for c in rng.integers(0, 26, 5).tolist()) for _ in range(4000)] + ["x"]
    shown = [
        (words[rng.integers(4001)], " ".join(words[n] for n in rng.integers(0, 4001, 20))) for _ in range(600)
    ]
    analyzer = Analyzer("english")
    corpus = corpus_of(shown, [True] * 600, 400, analyzer)
    assert len(corpus.lexicon.beginning_with("s")) > 4000
    found = corpus.find(Prefix("s"))
    assert found.entries.tolist() == [
        i for i, own in enumerate(shown) if any(count(analyzer, t, "s") for t in own)
    ]
    assert found.counts.T.tolist() == [
        [count(analyzer, t, "s") for t in shown[i]] for i in found.entries.tolist()
    ]
    assert corpus.find(Prefix("zz")).entries.tolist() == []
    assert corpus.nbytes > 0
