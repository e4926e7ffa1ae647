"""What a statement answers, as text, so that a test can write down what it expects."""

from zengram_py.engine import Database
from zengram_py.errors import ZengramError
from zengram_py.sql.errors import sqlstate_of
from zengram_py.sql.functions.output import text_of
from zengram_py.sql.session import Session


def session() -> Session:
    """Return a session on a new database."""
    return Session(Database.open())


def answer(session: Session, text: str) -> str:
    """Return the rows of a statement, values with ``|`` between them and rows with new lines, or its SQLSTATE."""
    try:
        result = session.run(text)
    except ZengramError as failure:
        return sqlstate_of(failure)
    writers = [text_of(output.type) for output in result.outputs]
    rows = [
        "|".join("NULL" if v is None else write(v) for v, write in zip(row, writers, strict=True))
        for row in result.rows
    ]
    return "\n".join(rows)
