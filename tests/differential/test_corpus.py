"""The corpus: every statement gives here what it gives in PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from compare import compare, known
from postgres import Postgres, missing
from sql_script import read_script, scripts

SHOWN = 5


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    if problem := missing():
        pytest.fail(problem)
    with Postgres() as running:
        yield running


@pytest.mark.parametrize("path", scripts(), ids=lambda path: path.stem)
def test_answers_are_those_of_postgresql(path: Path, postgres: Postgres) -> None:
    found = compare(path, postgres)
    failures = [one.failure for one in found if one.failure]
    heading = f"{len(failures)} of {len(found)} statements differ; the first:"
    assert not failures, "\n\n".join([heading, *failures[:SHOWN]])


def test_every_known_difference_is_a_statement_of_the_corpus() -> None:
    there = {(path.name, statement.squeezed) for path in scripts() for statement in read_script(path)}
    assert not known().keys() - there


def test_the_corpus_is_large() -> None:
    assert sum(len(read_script(path)) for path in scripts()) >= 2500
