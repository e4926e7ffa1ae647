"""The query language."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from zengram_py.text import Analyzer, Clause, Phrase, Prefix, Query, Term, matches, parse_query, snippet
from zengram_py.text.query import MAX_SLOP, Leaf

ENGLISH = Analyzer("english")
FIELDS = ("subject", "content")


def parse(text: str) -> Query:
    return parse_query(text, ENGLISH, FIELDS)


def asked(*leaves: Leaf) -> Query:
    return Query(tuple(Clause((leaf,)) for leaf in leaves))


def phrase(text: str, slop: int | None = None, field: int | None = None) -> Phrase:
    return Phrase(tuple((word, i) for i, word in enumerate(text.split())), slop, field)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("green teas", asked(Term("green"), Term("tea"))),
        ("what is the green tea?", asked(Term("green"), Term("tea"))),
        ("to be or not to be", asked(Term("to"), Term("be"), Term("or"), Term("not"))),
        ("don't use agents", asked(Term("use"), Term("agent"))),
        ('"the green tea"', asked(phrase("the green tea"))),
        ("“green tea” «iced»", asked(phrase("green tea"), Term("ice"))),
        ('"tea"', asked(Term("tea"))),
        ('"green tea"~3', asked(phrase("green tea", 3))),
        ('"a b"~999999999', asked(phrase("a b", MAX_SLOP))),
        ("Immuni*", asked(Prefix("immuni"))),
        ("subject:tea content:TE*", asked(Term("tea", 0), Prefix("te", 1))),
        ('Subject:"green tea"', asked(phrase("green tea", None, 0))),
        ("memory:safe", Query(asked(Term("memori"), Term("safe")).clauses, (phrase("memori safe"),))),
        ('memory:"safe words"', asked(Term("memori"), phrase("safe word"))),
        ("pre-edit", Query(asked(Term("pre"), Term("edit")).clauses, (phrase("pre edit"),))),
        ("tea -coffee", Query(asked(Term("tea")).clauses, (), (Term("coffe"),))),
        ('tea -"iced tea"', Query(asked(Term("tea")).clauses, (), (phrase("ice tea"),))),
        ("tea -subject:hot", Query(asked(Term("tea")).clauses, (), (Term("hot", 0),))),
        ("tea -pre-edit", Query(asked(Term("tea")).clauses, (), (phrase("pre edit"),))),
        ("tea --edit -", asked(Term("tea"), Term("edit"))),
        ("tea OR coffee milk", Query((Clause((Term("tea"), Term("coffe"))), Clause((Term("milk"),))))),
        ("x OR y OR z", Query((Clause((Term("x"), Term("y"), Term("z"))),))),
        ("x OR the", asked(Term("x"))),
        ("OR tea OR", asked(Term("tea"))),
        ("tea OR -coffee", Query(asked(Term("tea")).clauses, (), (Term("coffe"),))),
        ("tea or coffee", asked(Term("tea"), Term("coffe"))),
        ("tea tea Teas", asked(Term("tea"))),
        ('say "hi', asked(Term("say"), Term("hi"))),
        ('hello"world', Query(asked(Term("hello"), Term("world")).clauses, (phrase("hello world"),))),
        ("(python [x]", asked(Term("python"), Term("x"))),
        ("foo AND bar", asked(Term("foo"), Term("bar"))),
        ("用户", asked(Term("用户"))),
        ("用", asked(Term("用"))),
        ("用户身", Query(asked(Term("用户"), Term("户身")).clauses, (phrase("用户 户身"),))),
        ("*", Query()),
        ('""', Query()),
        ("   \n\t ", Query()),
        ("- : ~ * \" '", Query()),
        ("-tea", Query((), (), (Term("tea"),))),
        ("\ud83e", Query()),
    ],
)
def test_what_is_asked_for(text: str, expected: Query) -> None:
    assert parse(text) == expected


def test_a_word_of_a_phrase_has_its_place_among_characters() -> None:
    (clause,) = parse('"用户 said 好"').clauses
    assert clause.leaves == (Phrase((("用户", 0), ("said", 2), ("好", 3))),)


any_text = st.text(
    st.one_of(st.characters(exclude_categories=[]), st.sampled_from('"*-:~() ORa用')), max_size=40
)


@given(any_text, any_text)
@settings(max_examples=500)
@example('"' * 1000, "")
@example("a:" * 500, "a")
@example("-" * 1000, "-")
def test_every_string_is_a_query(text: str, other: str) -> None:
    query = parse(text)
    assert parse(text) == query
    matches(other, query, ENGLISH)
    snippet(other, query, ENGLISH, 20)


def test_a_long_question_is_parsed_in_no_time() -> None:
    for text in ('"' * 100_001, "a" * 100_000, "-" * 100_000, "a:" * 50_000, '"a ' * 30_000, "'" * 100_000):
        parse(text)
