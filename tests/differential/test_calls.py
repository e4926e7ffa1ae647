"""Every operator and function of the tables of signatures gives here what it gives in PostgreSQL, for odd values too."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from calls import calls, different
from postgres import Postgres, missing

KNOWN = Path(__file__).parent / "known.toml"
EACH, SEED, SHOWN = 6, 1, 8


@cache
def patterns() -> list[str]:
    return [entry["pattern"] for entry in tomllib.loads(KNOWN.read_text("utf-8")).get("call", [])]


@pytest.fixture(scope="module")
def found() -> Iterator[list[str]]:
    if problem := missing():
        pytest.fail(problem)
    with Postgres() as postgres:
        yield list(different(EACH, SEED, postgres))


def test_calls_give_what_they_give_in_postgresql(found: list[str]) -> None:
    unknown = [text for text in found if not any(re.search(pattern, text) for pattern in patterns())]
    assert not unknown, "\n\n".join([f"{len(unknown)} calls differ; the first:", *unknown[:SHOWN]])


def test_every_known_difference_is_one(found: list[str]) -> None:
    assert not [pattern for pattern in patterns() if not any(re.search(pattern, text) for text in found)]


def test_there_are_thousands() -> None:
    assert len(list(calls(EACH, SEED))) > 3500
