"""What the tests of full-text search draw: texts of few words, so that they meet, and questions about them."""

from __future__ import annotations

from bm25_reference import Question, Thing
from hypothesis import strategies as st

WORDS = ["a", "ab", "abc", "b", "ba", "c", "x1"]
words = st.sampled_from(WORDS)
texts = st.lists(words, max_size=8).map(" ".join)
long_texts = st.lists(words, max_size=60).map(" ".join)


def things(fields: int) -> st.SearchStrategy[Thing]:
    """Draw one thing that can be asked for."""
    field = st.one_of(st.none(), st.integers(0, fields - 1))
    word = st.tuples(st.just("word"), st.tuples(words), field, st.none())
    prefix = st.tuples(st.just("prefix"), st.tuples(words), field, st.none())
    phrase = st.tuples(
        st.just("phrase"), st.lists(words, min_size=2, max_size=3).map(tuple), field, st.none()
    )
    near = st.tuples(
        st.just("phrase"),
        st.lists(words, min_size=2, max_size=3, unique=True).map(tuple),
        field,
        st.integers(0, 4),
    )
    return st.one_of(word, word, prefix, phrase, near)  # type: ignore[return-value]


def questions(fields: int) -> st.SearchStrategy[Question]:
    """Draw a question; no thing is asked for in two of its clauses."""
    clause = st.lists(things(fields), min_size=1, max_size=3, unique=True).map(tuple)

    def make(clauses: list[tuple[Thing, ...]], excluded: list[Thing]) -> Question:
        return Question(tuple(clauses), tuple(excluded))

    return st.builds(
        make,
        st.lists(clause, min_size=1, max_size=4),
        st.one_of(st.just([]), st.lists(things(fields), max_size=2)),
    )
