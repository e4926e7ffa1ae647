"""Statements run, and what they gave as text, so that a test can write down what it expects."""

from typing import Any

from zengram_py.errors import ZengramError
from zengram_py.sql.errors import sqlstate_of
from zengram_py.sql.functions.output import text_of
from zengram_py.sql.session import Session


def answer(session: Session, statement: str, *parameters: Any) -> list[tuple[str | None, ...]] | str:
    """Return a statement's rows as PostgreSQL writes them, or its SQLSTATE."""
    try:
        found = session.run(statement, parameters)
    except ZengramError as failure:
        return sqlstate_of(failure)
    shows = [text_of(output.type) for output in found.outputs]
    return [
        tuple(None if value is None else show(value) for show, value in zip(shows, row, strict=True))
        for row in found.rows
    ]
