# ruff: noqa: RUF001  (letters of other scripts are what this is about)
"""Names in texts: what is one, what is none, and how a known one is recognised."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zengram_py import ZengramMemory
from zengram_py.errors import InvalidArgumentError
from zengram_py.memory.entities import MAX_ENTITIES, check_entities, extract_entities, known_names
from zengram_py.memory.filters import RecallFilter
from zengram_py.memory.graph import link_entities


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Ada Lovelace met Charles Babbage in London.", ["Ada Lovelace", "Charles Babbage", "London"]),
        ("The user drives a red Toyota", ["Toyota"]),
        ("User has a dog named Rex; Rex is old", ["Rex"]),
        ("we saw The Eiffel Tower", ["Eiffel Tower"]),
        ("Ada's engine", ["Ada"]),
        ("O'Brien and Jean-Luc Picard", ["O'Brien", "Jean-Luc Picard"]),
        ("NASA and the U.S. Navy", ["NASA", "U.S", "Navy"]),
        ("Η Μαρία ζει στην Αθήνα", ["Μαρία", "Αθήνα"]),
        ("Анна живёт в Санкт-Петербурге", ["Анна", "Санкт-Петербурге"]),
        ("用户住在北京", []),
        (
            "ask @ada or mail ada@example.org, see https://example.org/a?b=1.",
            ["@ada", "ada@example.org", "https://example.org/a?b=1"],
        ),
        ("set user_id in fooBar since v1.2.3 or 4.5.6", ["user_id", "fooBar", "v1.2.3", "4.5.6"]),
        ("costs 3.50 and 10.5 percent", []),
        ("Paris, Rome and Berlin", ["Paris", "Rome", "Berlin"]),
        ("New\nYork", ["New", "York"]),
        ("New  York", ["New  York".replace("  ", " ")]),
        ("rex REX Rex", ["REX Rex"]),
        ("", []),
    ],
)
def test_names(text: str, names: list[str]) -> None:
    assert extract_entities(text) == names


def test_a_known_name_is_found_in_whatever_case() -> None:
    known = {"ada lovelace", "ada", "rex", "new york", "café", "the"}
    assert known_names("what did ada lovelace say?", known.__contains__) == ["ada lovelace"]
    assert known_names("ADA's rex in NEW YORK", (known | {"ada's"}).__contains__) == [
        "ada's",
        "rex",
        "new york",
    ]
    assert known_names("the Cafe\u0301", known.__contains__) == ["café"]
    assert known_names("nothing here", known.__contains__) == []


@given(st.text())
def test_any_text_has_names_or_none(text: str) -> None:
    names = extract_entities(text)
    assert len(names) <= MAX_ENTITIES
    assert all(name.strip() for name in names)
    known_names(text, set(names).__contains__)


def test_entities_of_the_callers_own() -> None:
    assert check_entities(["Ada", "ada ", "Rex"]) == ["Ada", "Rex"]
    for bad in ("Ada", 7, [1], [""], None):
        with pytest.raises(InvalidArgumentError):
            check_entities(bad)


@pytest.mark.parametrize("piece", ["x", "aB", "a_", "v1.", "a@", "a@b.", "A-", "日", "1", "+", "_", "ab."])
def test_a_run_without_an_end_is_read_once(piece: str) -> None:
    names = extract_entities(piece * (200_000 // len(piece)))  # took minutes when each character began anew
    assert len(names) <= 2


def test_names_that_another_branch_brings_do_not_meet_those_of_this_one() -> None:
    memory = ZengramMemory.open(2)
    memory.remember_with_vector("a", "Ada met Rex", "/", [1, 0])
    database, graph, filters = memory._database, memory._recaller.graph, memory._recaller.filters
    database.fork("aside")
    asked = ("/", RecallFilter(), memory._clock.now())

    def names(branch: str) -> list[str]:
        with database.begin(branch=branch, read_only=True) as reader:
            return [entity.name for entity in graph.entities(reader, filters.select(reader, *asked), 9)]

    assert names("main") == ["Ada", "Rex"]
    with database.begin(branch="aside") as writer:
        (fact,) = writer.scan("knowledge")
        link_entities(writer, 5, fact["id"], ["Zoe", "Yann"])
    assert names("aside") == ["Ada", "Rex", "Yann", "Zoe"]
    assert names("main") == ["Ada", "Rex"]
    assert [f.subject for f in memory.entity("Ada", "/")] == ["a"]
    assert memory.entity("Zoe", "/") == []
    assert len(memory.recall_with_vector("what of zoe, and ada?", "/", [0, 1])) == 1


def test_a_fact_without_names_is_recalled_beside_one_with_names() -> None:
    memory = ZengramMemory.open(2)
    memory.remember_with_vector("a", "Ada met Rex", "/", [1, 0.5])
    for i in range(4):
        memory.remember_with_vector(f"plain{i}", "nothing of note", "/", [1, i])
        assert len(memory.recall_with_vector("what of ada?", "/", [1, 0], min_score=0)) == 2 + i
