"""PostgreSQL as the tests see it: a Node process with PGlite that answers one batch of statements after the other."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from answers import Answer, from_postgres

RUNNER = Path(__file__).parent / "postgres.mjs"
PGLITE = Path(__file__).parents[2] / "web" / "node_modules" / "@electric-sql" / "pglite"


def missing() -> str:
    """Return what PostgreSQL lacks to run here, empty if nothing."""
    if shutil.which("node") is None:
        return "there is no node on the path"
    if not PGLITE.is_dir():
        return "PGlite is not installed: run python3 build/test.py --only differential, or npm ci in web/"
    return ""


class Postgres:
    """A running PostgreSQL; used with ``with``."""

    def __enter__(self) -> Postgres:
        self._process = subprocess.Popen(
            ["node", str(RUNNER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()

    def run(self, statements: Sequence[str], *, fresh: bool = True) -> list[Answer]:
        """Return the answers of statements, in a database that is empty at first if ``fresh``."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"statements": list(statements), "fresh": fresh}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"PostgreSQL ended while it ran: {'; '.join(statements)[:500]}")
        return [from_postgres(found) for found in json.loads(line)]
