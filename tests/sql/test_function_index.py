"""The index of functions says what the modules register."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_index_is_current() -> None:
    script = "import function_index; print(function_index.text(), end='')"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT / "build", capture_output=True, text=True, check=True
    )
    written = (ROOT / "zengram_py" / "sql" / "functions" / "index.py").read_text()
    assert written == done.stdout, "run `.venv/bin/python build/function_index.py`"


def test_a_statement_imports_what_it_needs() -> None:
    script = """
import sys
from zengram_py.engine import Database
from zengram_py.sql.session import Session
Session(Database.open()).run("select 1 + 1, 'a' < 'b'")
print(*[m.rpartition(".")[2] for m in sys.modules if m.startswith("zengram_py.sql.functions.")])
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    imported = set(done.stdout.split())
    assert {"arithmetic", "comparison"} <= imported
    assert not imported & {"jsonpath", "fulltext", "regexps", "formatting", "vectors"}
