"""Every file of sqllogictest in this folder holds; and the runner does as its notation says."""

from pathlib import Path

import pytest
from runner import Conformance, FormatError, digest, read, run_file, show, sort_values

FOLDER = Path(__file__).parent
FILES = sorted(FOLDER.rglob("*.test"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_file_holds(path: Path) -> None:
    found = run_file(path)
    shown = [failure.show(path.relative_to(FOLDER)) for failure in found.failures]
    assert not shown, "\n".join([f"{len(shown)} of {len(shown) + found.passed} records:", *shown[:10]])
    assert found.passed


def test_there_are_files() -> None:
    assert len(FILES) >= 20


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        (None, "T", "NULL"),
        ("", "T", "(empty)"),
        ("a\tb\x07", "T", "a@b@"),
        ("t", "I", "1"),
        ("2.9", "I", "2"),
        ("3", "R", "3.000"),
        ("1.23456", "R", "1.235"),
        ("t", "T", "t"),
    ],
)
def test_values_are_written(value: str | None, kind: str, expected: str) -> None:
    assert show(value, kind) == expected


def test_results_are_sorted() -> None:
    rows = [["b", "2"], ["a", "9"], ["a", "10"]]
    assert sort_values(rows, "nosort") == ["b", "2", "a", "9", "a", "10"]
    assert sort_values(rows, "rowsort") == ["a", "10", "a", "9", "b", "2"]
    assert sort_values(rows, "valuesort") == ["10", "2", "9", "a", "a", "b"]


def test_hash_is_of_lines() -> None:
    assert digest(["1", "2"]) == "6ddb4095eb719e2a9f0a3f95677d24e0"


def failures(text: str) -> list[str]:
    found = Conformance()
    found.run(text)
    return [failure.message.split("\n")[0] for failure in found.failures]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("statement ok\nselect 1", []),
        ("statement ok\nselect nosuch", ['42703: column "nosuch" does not exist']),
        ("statement error\nselect 1", ["succeeds"]),
        ("statement error 42703\nselect nosuch", []),
        ("statement error 42P01\nselect nosuch", ['error 42703, not 42P01: column "nosuch" does not exist']),
        ("statement error no(such)\nselect nosuch", []),
        ("statement error other\nselect nosuch", ['the error says: column "nosuch" does not exist']),
        ("statement ok\ncreate table t (a int)\n\nstatement count 2\ninsert into t values (1), (2)", []),
        ("query I\nselect 1\n----\n1", []),
        ("query I\nselect 1\n----\n2", ["gives"]),
        ("query II\nselect 1\n----\n1", ["gives 1 columns, not 2"]),
        ("query IT\nselect 1, 'a b'\n----\n1\na b", []),
        ("query IT\nselect 1, 'a b'\n----\n1\ta b", []),
        ("query IT\nselect 1, 'a'\n----\n1 a", []),
        ("query IT rowsort\nvalues (2, 'b'), (1, 'a')\n----\n1 a\n2 b", []),
        ("query I valuesort\nvalues (2), (1)\n----\n1\n2", []),
        ("query I\nvalues (1), (2)\n----\n2 values hashing to 6ddb4095eb719e2a9f0a3f95677d24e0", []),
        ("query I\nvalues (1), (3)\n----\n2 values hashing to 6ddb4095eb719e2a9f0a3f95677d24e0", 1),
        ("query I nosort x\nselect 1\n----\n1\n\nquery I nosort x\nselect 2\n----\n2", 1),
        ("query I nosort x\nselect 1\n----\n1\n\nquery I nosort x\nselect 1\n----\n1", []),
        ("skipif postgresql\nstatement ok\nselect nosuch", []),
        ("onlyif mysql\nstatement ok\nselect nosuch", []),
        ("onlyif zengram\nstatement ok\nselect nosuch", 1),
        ("skipif mysql\nstatement ok\nselect 1", []),
        ("halt\n\nstatement ok\nselect nosuch", []),
        ("hash-threshold 8\n\n# a comment\nstatement ok\nselect 1", []),
        ("let x\nselect 5\n\nquery I\nselect {x} + 1\n----\n6", []),
        ("query I\nselect 1 where false\n----", []),
        ("statement ok\ncreate table t (a int)\n\nfresh\n\nstatement ok\ncreate table t (a int)", []),
    ],
)
def test_notation(text: str, expected: list[str] | int) -> None:
    found = failures(text)
    assert len(found) == expected if isinstance(expected, int) else found == expected


def test_other_lines_are_refused() -> None:
    with pytest.raises(FormatError, match="line 2"):
        list(read("\nnonsense here"))
