"""Random queries and changes give here what they give in PostgreSQL and in SQLite.

Seeds are fixed, so that a run says something of a change; other seeds are for generate.py by hand.
"""

import itertools
from collections.abc import Iterator

import pytest
from generate import Rounds, Sqlite
from postgres import Postgres, missing
from random_changes import ChangeRounds

SHOWN = 3


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    if problem := missing():
        pytest.fail(problem)
    with Postgres() as running:
        yield running


@pytest.mark.parametrize("seed", [1, 2])
def test_queries_give_what_they_give_in_postgresql(seed: int, postgres: Postgres) -> None:
    check(Rounds(postgres, seed), 800)


def test_changes_do_what_they_do_in_postgresql(postgres: Postgres) -> None:
    rounds = ChangeRounds(postgres, 1)
    found = [case.show() for case in itertools.islice(rounds.run(500), SHOWN)]
    assert not found, "\n\n".join(found)
    assert rounds.outcomes["update"] > 50


def test_queries_give_what_they_give_in_sqlite() -> None:
    check(Rounds(Sqlite(), 1), 800)


def check(rounds: Rounds, count: int) -> None:
    found = [case.show() for case in itertools.islice(rounds.run(count), SHOWN)]
    assert not found, "\n\n".join(found)
    assert rounds.outcomes["rows"] > count / 3
    assert sum(rounds.outcomes.values()) >= count
