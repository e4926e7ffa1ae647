"""Our side of the comparison: a session over a fresh database, and its results as text."""

from __future__ import annotations

import traceback
from collections.abc import Sequence

from answers import Answer

from zengram_py.engine import Database
from zengram_py.errors import ZengramError
from zengram_py.sql.errors import sqlstate_of
from zengram_py.sql.functions.output import text_of
from zengram_py.sql.session import Session

TIMEOUT = 20_000
"""Milliseconds that a statement may take."""


class Ours:
    """A fresh database of ours."""

    def __init__(self) -> None:
        self.session = Session(Database.open())
        self.session.run(f"set statement_timeout = {TIMEOUT}")

    def run(self, statements: Sequence[str]) -> list[Answer]:
        """Return the answers of statements."""
        return [self.answer(text) for text in statements]

    def answer(self, statement: str) -> Answer:
        """Return the answer of one statement."""
        try:
            found = self.session.run(statement)
            shows = [text_of(output.type) for output in found.outputs]
            rows = [
                tuple(None if value is None else show(value) for show, value in zip(shows, row, strict=True))
                for row in found.rows
            ]
        except ZengramError as failure:
            return Answer(error=sqlstate_of(failure), message=str(failure))
        except Exception as failure:  # whatever comes up is what this is here to find
            return Answer(error="crash", message=_where(failure))
        columns = [output.name for output in found.outputs]
        types = [output.type.title for output in found.outputs]
        return Answer(columns, types, rows, found.count)


def _where(failure: Exception) -> str:
    """Return an exception with the place that raised it."""
    frames = traceback.extract_tb(failure.__traceback__)
    place = f" ({frames[-1].filename.rsplit('/', 1)[-1]}:{frames[-1].lineno})" if frames else ""
    return f"{type(failure).__name__}: {failure}{place}"
