"""Run files of sqllogictest: statements and queries with what they must give.

    python tests/conformance/runner.py FILE_OR_FOLDER ...

The notation is that of SQLite's sqllogictest, as its public files have it. Records have blank lines between them; ``#`` begins a comment::

    statement ok                     must succeed
    statement error [WHAT]           must fail; WHAT is a SQLSTATE, or a regular expression that its message holds
    statement count N                must succeed and change N rows
    query TYPES [SORT] [LABEL]       TYPES has a letter for each column: I integer, R real, T text
    ----                             what comes after it is the result: a value a line, or a row a line with tabs or spaces
                                     between the values, or "N values hashing to MD5"; a query with a label may do without
    skipif NAME, onlyif NAME         whether the next record counts; NAME is a database, and ours answers to NAMES
    hash-threshold N                 results with more values than this are written as a hash (expected ones say so themselves)
    halt                             leaves the rest of the file out

``SORT`` is nosort (in order), rowsort or valuesort; queries with one label must give the same. Values are written as ``NULL``, ``(empty)``,
reals with three digits, and ``@`` for what cannot be printed.

Beyond it, for what has no place in a public file::

    let NAME                         the statement gives one value, and {NAME} stands for it from there on
    fresh                            an empty database
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from zengram_py.engine import Database
from zengram_py.errors import ZengramError
from zengram_py.sql.embedding import Embedder
from zengram_py.sql.errors import sqlstate_of
from zengram_py.sql.functions.output import text_of
from zengram_py.sql.session import Session

NAMES = ("zengram", "postgresql", "postgres")
DIMENSIONS = 16
_SQLSTATE = re.compile(r"[0-9A-Z]{5}")
_HASHED = re.compile(r"(\d+) values hashing to ([0-9a-f]{32})")
_SORTS = ("nosort", "rowsort", "valuesort")


class FormatError(Exception):
    """A file that is no sqllogictest."""


@dataclass
class Record:
    """One record of a file.

    Attributes
    ----------
    line : int
        Where it begins.
    words : list of str
        Its first line.
    sql : str
        The statement.
    expected : list of str or None
        The lines after ``----``; None without it.
    conditions : list of (str, str)
        ``skipif`` and ``onlyif`` before it.
    """

    line: int
    words: list[str]
    sql: str = ""
    expected: list[str] | None = None
    conditions: list[tuple[str, str]] = field(default_factory=list)

    def counts(self) -> bool:
        """Return whether it is meant for this database."""
        return all((name in NAMES) == (word == "onlyif") for word, name in self.conditions)


@dataclass
class Failure:
    """A record that did not hold."""

    line: int
    sql: str
    message: str

    def show(self, path: Path) -> str:
        """Return it for people."""
        return f"{path}:{self.line}: {self.message}\n    {self.sql[:600]}".replace("\n", "\n    ")


def read(text: str) -> Iterator[Record]:
    """Yield the records of a file.

    Raises
    ------
    FormatError
        If a line means nothing.
    """
    conditions: list[tuple[str, str]] = []
    lines = text.split("\n")
    number = 0
    while number < len(lines):
        words = lines[number].split()
        number += 1
        if not words or words[0].startswith("#"):
            continue
        if words[0] in ("skipif", "onlyif"):
            conditions.append((words[0], words[1].lower()))
            continue
        record = Record(number, words, conditions=conditions)
        conditions = []
        if words[0] in ("statement", "query", "let"):
            number = _body(record, lines, number)
        elif words[0] not in ("halt", "hash-threshold", "fresh"):
            raise FormatError(f"line {number}: no record begins with {words[0]!r}")
        yield record


def _body(record: Record, lines: list[str], number: int) -> int:
    """Read the statement and the result of a record; return the number of the line after it."""
    sql = []
    while number < len(lines) and lines[number].strip() and lines[number].rstrip() != "----":
        sql.append(lines[number].rstrip("\r"))
        number += 1
    record.sql = "\n".join(sql).strip().removesuffix(";")
    if number < len(lines) and lines[number].rstrip() == "----":
        number += 1
        record.expected = []
        while number < len(lines) and lines[number].rstrip("\r"):
            record.expected.append(lines[number].rstrip("\r"))
            number += 1
    return number


def toy_embedder(text: str) -> list[float]:
    """Return a vector in which a word counts where its letters add up to: enough to tell texts apart."""
    counts = [0.0] * DIMENSIONS
    for word in re.findall(r"[a-z0-9]+", text.lower()):
        counts[sum(map(ord, word)) % DIMENSIONS] += 1.0
    size = sum(c * c for c in counts) ** 0.5
    return [c / size for c in counts] if size else [1.0] + [0.0] * (DIMENSIONS - 1)


class Conformance:
    """Runs the records of one file in a database of its own."""

    def __init__(self) -> None:
        self.failures: list[Failure] = []
        self.passed = self.skipped = 0
        self._labels: dict[str, tuple[int, list[str]]] = {}
        self._values: dict[str, str] = {}
        self._fresh()

    def _fresh(self) -> None:
        self._session = Session(Database.open())
        self._session.embedder = Embedder(toy_embedder, DIMENSIONS)

    def run(self, text: str) -> None:
        """Run a file."""
        for record in read(text):
            if not record.counts():
                self.skipped += 1
                continue
            if record.words[0] == "halt":
                return
            self._record(record)

    def _record(self, record: Record) -> None:
        for name, value in self._values.items():
            record.sql = record.sql.replace("{" + name + "}", value)
        kind = record.words[0]
        if kind == "fresh":
            self._fresh()
            return
        if kind == "hash-threshold":
            return
        try:
            problem = {"statement": self._statement, "query": self._query, "let": self._let}[kind](record)
        except FormatError:
            raise
        except ZengramError as failure:
            problem = f"{sqlstate_of(failure)}: {failure}"
        except Exception as failure:
            problem = f"crash: {type(failure).__name__}: {failure}"
        if problem:
            self.failures.append(Failure(record.line, record.sql, problem))
        else:
            self.passed += 1

    def _let(self, record: Record) -> str:
        rows = self._rows(record.sql)[1]
        if len(rows) != 1 or len(rows[0]) != 1:
            return "gives more than one value"
        self._values[record.words[1]] = str(rows[0][0])
        return ""

    # Statements.

    def _statement(self, record: Record) -> str:
        wanted = record.words[1]
        if wanted == "error":
            return self._error(record)
        if wanted not in ("ok", "count"):
            raise FormatError(f"line {record.line}: statement {wanted}")
        found = self._session.run(record.sql)
        if wanted == "count" and found.count != int(record.words[2]):
            return f"changed {found.count} rows, not {record.words[2]}"
        return ""

    def _error(self, record: Record) -> str:
        what = " ".join(record.words[2:])
        try:
            self._session.run(record.sql)
        except ZengramError as failure:
            state = sqlstate_of(failure)
            if _SQLSTATE.fullmatch(what):
                return "" if state == what else f"error {state}, not {what}: {failure}"
            return "" if re.search(what, str(failure)) else f"the error says: {failure}"
        return "succeeds"

    # Queries.

    def _rows(self, sql: str) -> tuple[int, list[list[str | None]]]:
        """Return the number of columns, and the rows as text."""
        found = self._session.run(sql)
        shows = [text_of(output.type) for output in found.outputs]
        rows = [
            [None if value is None else show(value) for show, value in zip(shows, row, strict=True)]
            for row in found.rows
        ]
        return len(shows), rows

    def _query(self, record: Record) -> str:
        kinds = record.words[1]
        if kinds == "error":
            return self._error(record)
        sort = next((word for word in record.words[2:3] if word in _SORTS), "nosort")
        labels = [word for word in record.words[2:] if word not in _SORTS]
        columns, rows = self._rows(record.sql)
        if columns != len(kinds):
            return f"gives {columns} columns, not {len(kinds)}"
        shown = [[show(value, kind) for value, kind in zip(row, kinds, strict=True)] for row in rows]
        values = sort_values(shown, sort)
        if record.expected is None and not labels:
            raise FormatError(f"line {record.line}: a query without a result")
        if record.expected is not None and (
            problem := self._compare(record.expected, values, len(kinds), sort)
        ):
            return problem
        return self._same_label(labels[0], record.line, values) if labels else ""

    def _compare(self, expected: list[str], values: list[str], columns: int, sort: str) -> str:
        hashed = _HASHED.fullmatch(expected[0]) if len(expected) == 1 else None
        if hashed is not None:
            given = (str(len(values)), digest(values))
            return "" if given == hashed.groups() else f"{given[0]} values hashing to {given[1]}"
        if expected == values:
            return ""
        if columns > 1 and len(expected) * columns == len(values):
            rows = [values[i : i + columns] for i in range(0, len(values), columns)]
            lines = sorted(expected) if sort == "rowsort" else expected
            if sort == "rowsort":
                rows = sorted(rows, key=_line)
            if all(line in ("\t".join(row), " ".join(row)) for line, row in zip(lines, rows, strict=True)):
                return ""
        return "gives\n" + "\n".join(values[:40])

    def _same_label(self, label: str, line: int, values: list[str]) -> str:
        first, before = self._labels.setdefault(label, (line, values))
        return (
            "" if before == values else f"gives something else than the query of line {first} with its label"
        )


def _line(row: list[str]) -> str:
    return " ".join(row)


def show(value: str | None, kind: str) -> str:
    """Return a value, given as text, as a result of a type has it."""
    if value is None:
        return "NULL"
    if kind == "I":
        if value in ("t", "f"):
            return str(int(value == "t"))
        return value if re.fullmatch(r"-?\d+", value) else str(int(float(value)))
    if kind == "R":
        return f"{float(value):.3f}"
    if not value:
        return "(empty)"
    return re.sub(r"[\x00-\x1f\x7f]", "@", value)


def sort_values(rows: Sequence[Sequence[str]], sort: str) -> list[str]:
    """Return the values of rows in the order that a query asks for."""
    if sort == "rowsort":
        rows = sorted(rows)
    values = [value for row in rows for value in row]
    return sorted(values) if sort == "valuesort" else values


def digest(values: Sequence[str]) -> str:
    """Return the hash of a result."""
    return hashlib.md5("".join(f"{value}\n" for value in values).encode()).hexdigest()


def run_file(path: Path) -> Conformance:
    """Run a file; return what came of it."""
    found = Conformance()
    found.run(path.read_text("utf-8"))
    return found


def main(arguments: Sequence[str]) -> int:
    """Run files and folders of files; return whether anything failed."""
    if not arguments:
        print(__doc__)
        return 2
    paths: list[Path] = []
    for argument in map(Path, arguments):
        paths += sorted(argument.rglob("*.test")) if argument.is_dir() else [argument]
    failed = 0
    for path in paths:
        found = run_file(path)
        for failure in found.failures:
            print(failure.show(path))
        print(
            f"{path}: {found.passed} passed, {len(found.failures)} failed, {found.skipped} skipped",
            flush=True,
        )
        failed += len(found.failures)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
