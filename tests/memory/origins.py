"""Sessions and turns with ids of a test's own choice, for facts to come from."""

from __future__ import annotations

from collections.abc import Iterable

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
