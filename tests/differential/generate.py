"""Random queries on both sides: what differs is made as small as it goes and shown.

    python tests/differential/generate.py [--count N] [--seed S] [--round R] [--oracle postgresql | sqlite] [--lenient] [--changes]

Queries come in rounds; each has three small random tables and a number of queries over them, all from one seed: ``--seed S --round R`` does
one round again. ``--changes`` is about changes of rows in place of queries (:mod:`random_changes`).
"""

from __future__ import annotations

import argparse
import random
import re
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from answers import Answer, Row, difference, report
from ours import Ours
from postgres import Postgres
from random_changes import ChangeRounds
from random_expressions import KINDS, SQLITE_KINDS
from random_queries import Queries, RandomTable, random_tables
from random_trees import Node

EACH_ROUND = 40
TRIES = 400
REFUSED = ("42", "0A")
"""Classes of errors that say that a query was no good; the oracle's, that is: from ours they are findings."""
_REPRESENTATIVE = re.compile(r"distinct|group by|union|intersect|except|min\(|max\(|greatest|least")
_ZEROS = re.compile(r"^(-?\d+)(?:\.0*|(\.\d*?[1-9])0*)$")


class Oracle(Protocol):
    """What answers are compared with."""

    def run(self, statements: Sequence[str], *, fresh: bool = True) -> list[Answer]:
        """Return the answers of statements."""


class Sqlite:
    """SQLite as an oracle, for the queries that mean the same there."""

    def run(self, statements: Sequence[str], *, fresh: bool = True) -> list[Answer]:
        """Return the answers of statements, without types."""
        if fresh:
            self._connection = sqlite3.connect(":memory:")
            self._connection.execute("pragma case_sensitive_like = on")
        return [self._answer(text) for text in statements]

    def _answer(self, statement: str) -> Answer:
        try:
            found = self._connection.execute(statement)
        except sqlite3.Error as failure:
            return Answer(error="42601", message=str(failure))
        columns = [d[0] for d in found.description or ()]
        rows: list[Row] = [tuple(None if v is None else str(v) for v in row) for row in found]
        return Answer(columns, [], rows)


@dataclass
class Case:
    """A query over tables with both answers."""

    seed: int
    round: int
    tables: list[RandomTable]
    query: Node
    expected: Answer
    given: Answer

    @property
    def what(self) -> str:
        """In what they differ, empty if they do not."""
        return different(self.query, self.expected, self.given)

    def show(self) -> str:
        """Return all that is needed to see it again."""
        setup = ";\n".join(text for table in self.tables for text in table.statements())
        title = f"--seed {self.seed} --round {self.round}\n{setup};\n{self.query.render()};"
        return report(title, self.expected, self.given, self.what)


def different(query: Node, expected: Answer, given: Answer) -> str:
    """Return in which way two answers differ.

    Equal numbers may be written with other scales, and then PostgreSQL does not say which of them stands for a group.
    """
    if not expected.types:
        given = replace(given, types=[])
    ordered = bool(getattr(query, "order", ()))
    found = difference(expected, given, "" if ordered else "unordered")
    if found not in ("rows", "order of rows"):
        return found
    ours, theirs = [[_plain(row) for row in answer.rows] for answer in (given, expected)]
    alike = ours == theirs if ordered else Counter(ours) == Counter(theirs)
    chosen = found == "order of rows" or _REPRESENTATIVE.search(query.render()) is not None
    return "" if alike and chosen else found


def _plain(row: Row) -> Row:
    return tuple(None if v is None else _ZEROS.sub(r"\1\2", "0" if v == "-0" else v) for v in row)


class Rounds:
    """What runs random queries.

    Parameters
    ----------
    oracle : Oracle
        What answers are compared with.
    seed : int
        Of all rounds.
    lenient : bool
        Whether what is not supported here counts as no difference.
    """

    def __init__(self, oracle: Oracle, seed: int, lenient: bool = False) -> None:
        self.oracle = oracle
        self.seed = seed
        self.lenient = lenient
        self.sqlite = isinstance(oracle, Sqlite)
        self.outcomes: Counter[str] = Counter()

    def run(self, count: int, first: int = 0) -> Iterator[Case]:
        """Yield the queries that differ, each made smaller, of about so many queries."""
        for number in range(first, first + -(-count // EACH_ROUND)):
            yield from self.round(number)

    def round(self, number: int) -> Iterator[Case]:
        """Yield the queries of one round that differ."""
        chance = random.Random(f"{self.seed}:{number}")
        tables = random_tables(chance, SQLITE_KINDS if self.sqlite else KINDS)
        queries = Queries(chance, tables, self.sqlite)
        nodes = [queries.query() for _ in range(EACH_ROUND)]
        setup = [text for table in tables for text in table.statements()]
        texts = [node.render() for node in nodes]
        expected = self.oracle.run([*setup, *texts])[len(setup) :]
        ours = Ours()
        for text, answer in zip(setup, ours.run(setup), strict=True):
            if answer.error:
                raise RuntimeError(f"{answer.show()} in {text}")
        for node, text, answer in zip(nodes, texts, expected, strict=True):
            if answer.error[:2] in REFUSED:
                self.outcomes[f"refused {answer.error}: {answer.message}"] += 1
                continue
            case = Case(self.seed, number, tables, node, answer, ours.answer(text))
            if self.lenient and case.given.error == "0A000":
                self.outcomes[f"unsupported: {case.given.message}"] += 1
                continue
            self._note(case)
            if case.what:
                yield self._smaller(case, ours)

    def _note(self, case: Case) -> None:
        error = case.expected.error
        self.outcomes[f"error {error}" if error else "rows" if case.expected.rows else "no rows"] += 1
        if case.what:
            self.outcomes[f"DIFFERS: {case.what}"] += 1

    def _smaller(self, case: Case, ours: Ours) -> Case:
        """Return a case that differs in the same way and is as small as simple changes make it."""
        tries = 0
        progress = True
        while progress and tries < TRIES:
            progress = False
            for candidate in case.query.smaller():
                text = candidate.render()
                if len(text) >= case.query.size():
                    continue
                tries += 1
                if tries > TRIES:
                    break
                found = replace(case, query=candidate, expected=self._ask(text), given=ours.answer(text))
                if self._is_like(found, case):
                    case, progress = found, True
                    break
        return self._with_fewer_rows(case)

    def _ask(self, text: str) -> Answer:
        return self.oracle.run([text], fresh=False)[0]

    def _is_like(self, found: Case, case: Case) -> bool:
        if found.expected.error != case.expected.error:
            return False
        return found.what == case.what and found.given.error[:2] == case.given.error[:2]

    def _with_fewer_rows(self, case: Case) -> Case:
        """Return a case whose tables have the rows that it takes; unused tables go."""
        text = case.query.render()
        used = [table for table in case.tables if re.search(rf"\b{table.name}\b", text)]
        best = self._again(replace(case, tables=used))
        if not self._is_like(best, case):
            return case
        for place in range(len(used)):
            for row in range(len(best.tables[place].rows) - 1, -1, -1):
                table = best.tables[place]
                less = replace(table, rows=table.rows[:row] + table.rows[row + 1 :])
                tables = [*best.tables[:place], less, *best.tables[place + 1 :]]
                found = self._again(replace(best, tables=tables))
                if self._is_like(found, best):
                    best = found
        self.oracle.run([text for table in case.tables for text in table.statements()])
        return best

    def _again(self, case: Case) -> Case:
        """Return the case with the answers that its tables give."""
        setup = [text for table in case.tables for text in table.statements()]
        statements = [*setup, case.query.render()]
        expected = self.oracle.run(statements)[-1]
        return replace(case, expected=expected, given=Ours().run(statements)[-1])


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Compare the answers of random queries.")
    parser.add_argument("--count", type=int, default=2000, help="how many queries (2000)")
    parser.add_argument("--seed", type=int, default=1, help="where all choices come from (1)")
    parser.add_argument("--round", type=int, help="one round alone")
    parser.add_argument("--oracle", choices=["postgresql", "sqlite"], default="postgresql")
    parser.add_argument("--shown", type=int, default=20, help="stop after so many differences (20)")
    parser.add_argument("--lenient", action="store_true", help="leave out what is not supported here")
    parser.add_argument("--changes", action="store_true", help="changes of rows")
    options = parser.parse_args(arguments)
    if options.oracle == "sqlite":
        return _report(Rounds(Sqlite(), options.seed, options.lenient), options)
    with Postgres() as postgres:
        if options.changes:
            return _report(ChangeRounds(postgres, options.seed, options.lenient), options)
        return _report(Rounds(postgres, options.seed, options.lenient), options)


def _report(rounds: Rounds | ChangeRounds, options: argparse.Namespace) -> int:
    found = rounds.run(options.count) if options.round is None else rounds.round(options.round)
    seen = 0
    for case in found:
        print(case.show(), "\n", flush=True)
        seen += 1
        if seen == options.shown:
            break
    for outcome, count in sorted(rounds.outcomes.items()):
        print(f"{count:7} {outcome}")
    return 1 if seen else 0


if __name__ == "__main__":
    sys.exit(main())
