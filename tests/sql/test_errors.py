import re
from pathlib import Path

import pytest

from zengram_py import errors as tree
from zengram_py.errors import SqlError, ZengramError
from zengram_py.sql.errors import CONDITIONS, error, sqlstate_of

SOURCES = Path(__file__).resolve().parents[2] / "zengram_py" / "sql"


def test_an_error_tells_code_place_and_reason() -> None:
    found = error("42P01", 'relation "t" does not exist', 14, hint="create it")
    assert isinstance(found, SqlError)
    assert isinstance(found, ZengramError)
    assert (found.sqlstate, found.code, found.position) == ("42P01", "UNDEFINED_TABLE", 15)
    assert str(found) == 'relation "t" does not exist'
    assert (found.detail, found.hint) == ("", "create it")


def test_codes_and_names_are_one_to_one() -> None:
    assert all(re.fullmatch(r"[0-9A-Z]{5}", code) for code in CONDITIONS)
    assert len(set(CONDITIONS.values())) == len(CONDITIONS)


def test_every_code_in_the_sources_has_a_name() -> None:
    used = {
        code
        for path in SOURCES.rglob("*.py")
        for code in re.findall(r'error\(\s*"([0-9A-Z]{5})"', path.read_text(encoding="utf-8"))
    }
    assert used <= set(CONDITIONS)


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (error("22012", "division by zero"), "22012"),
        (tree.PrimaryKeyError("k"), "23505"),
        (tree.UniqueError("k"), "23505"),
        (tree.NotNullError("k"), "23502"),
        (tree.CheckError("k"), "23514"),
        (tree.ForeignKeyError("k"), "23503"),
        (tree.SerializationError("k"), "40001"),
        (tree.ConflictError("k"), "40001"),
        (tree.TransactionError("k"), "25000"),
        (tree.ClosedError("k"), "XX000"),
    ],
)
def test_the_engine_s_errors_have_codes_too(failure: ZengramError, code: str) -> None:
    assert sqlstate_of(failure) == code
