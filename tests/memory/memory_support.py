"""What tests of a memory share: origins for facts, rows of SQL, and calls that must change nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from zengram_py import ZengramMemory


def make_origins(memory: ZengramMemory, session: str, turns: Iterable[str] = (), role: str = "user") -> None:
    """Make a session, and turns in it, unless they are there."""
    now = memory._clock.now()
    times = {"time_created": now, "time_updated": now}
    with memory._database.begin() as transaction:
        if transaction.get("project", "p") is None:
            transaction.insert("project", {"id": "p", **times})
        if transaction.get("session", session) is None:
            transaction.insert("session", {"id": session, "project_id": "p", **times})
            transaction.insert("branch", {"id": session, "session_id": session, **times})
        for turn in turns:
            if transaction.get("turn", turn) is None:
                row = {"id": turn, "session_id": session, "branch_id": session, "role": role}
                transaction.insert("turn", {**row, "time_created": now})


def rows(memory: ZengramMemory, sql: str, params: Any = None) -> list[tuple[Any, ...]]:
    """Return the rows of a query as tuples."""
    return [tuple(row.values()) for row in memory.query(sql, params).rows]


def refused(memory: ZengramMemory, error: type[Exception], match: str, call: Callable[[], Any]) -> None:
    """Check that a call raises, and that every byte of the memory is as it was."""
    before = memory.export_snapshot()
    with pytest.raises(error, match=match):
        call()
    assert memory.export_snapshot() == before
