"""Run scripts on PostgreSQL and here, and find where the answers differ.

    python tests/differential/compare.py [NAME ...] [--all] [--exact]

Without names the whole corpus. ``--all`` shows every difference in full, ``--exact`` tells also which SQLSTATEs are of one class but not
the same. Known differences (known.toml) are left out.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from answers import Answer, difference, report
from ours import Ours
from postgres import Postgres
from sql_script import CORPUS, Statement, read_script, scripts

KNOWN = Path(__file__).parent / "known.toml"


@dataclass(frozen=True)
class Compared:
    """A statement with both answers."""

    file: str
    statement: Statement
    expected: Answer
    given: Answer

    @property
    def what(self) -> str:
        """In what they differ, empty if they do not."""
        return difference(self.expected, self.given, self.statement.mark)

    @property
    def reason(self) -> str:
        """Why they may differ, empty if they may not."""
        return known().get((self.file, self.statement.squeezed), "")

    @property
    def failure(self) -> str:
        """What is wrong: a difference that nobody knows, or a known one that is none any more."""
        title = f"{self.file}:{self.statement.line}: {self.statement.text[:600]}"
        if self.what and not self.reason:
            return report(title, self.expected, self.given, self.what)
        if self.reason and not self.what:
            return f"{title}\n  no longer differs, so known.toml should not have it: {self.reason}"
        return ""


@cache
def known() -> dict[tuple[str, str], str]:
    """Return the reasons of known differences by file and statement."""
    entries = tomllib.loads(KNOWN.read_text("utf-8")).get("difference", [])
    found = {}
    for entry in entries:
        for text in entry["statements"]:
            found[entry["file"], " ".join(text.split())] = entry["reason"]
    return found


def compare(path: Path, postgres: Postgres) -> list[Compared]:
    """Return all statements of a script with both answers."""
    statements = read_script(path)
    texts = [statement.text for statement in statements]
    pairs = zip(statements, postgres.run(texts), Ours().run(texts), strict=True)
    return [Compared(path.name, statement, expected, given) for statement, expected, given in pairs]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Compare our answers with PostgreSQL's.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="a file of the corpus, with or without .sql")
    parser.add_argument("--all", action="store_true", help="show every difference")
    parser.add_argument("--exact", action="store_true", help="show other SQLSTATEs of the same class too")
    options = parser.parse_args(arguments)
    chosen = [CORPUS / f"{Path(name).stem}.sql" for name in options.names] or scripts()
    bad = total = 0
    with Postgres() as postgres:
        for path in chosen:
            found = compare(path, postgres)
            failures = [one.failure for one in found if one.failure]
            print(f"{path.name:28} {len(found):5} statements {len(failures):5} differ", flush=True)
            if options.all:
                print("\n".join(failures))
            if options.exact:
                print("\n".join(_inexact(found)))
            bad += len(failures)
            total += len(found)
    print(f"{total} statements, {bad} differ")
    return 1 if bad else 0


def _inexact(found: list[Compared]) -> list[str]:
    return [
        f"{one.file}:{one.statement.line}: {one.statement.text[:200]}\n"
        f"  PostgreSQL: {one.expected.show()}\n  ours:       {one.given.show()}"
        for one in found
        if not one.failure and one.expected.error and one.expected.error != one.given.error
    ]


if __name__ == "__main__":
    sys.exit(main())
