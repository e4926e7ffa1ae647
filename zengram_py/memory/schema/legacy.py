"""Memories from before there were migrations: their tables are taken over as they are, and completed.

They had six tables at most, kept times as timestamps, and let facts name sessions that are nowhere; such a session is made, as an
ended one of its own project, so that no fact loses where it came from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...engine import INT64, TIMESTAMP, Database, Transaction
from ..graph import ENTITY, link_all
from .specs import Table

CONFIG = "_zengram_config"
TABLES = (CONFIG, "knowledge", "embedding", "_zengram_entity", "_zengram_entity_link", "retrieval_config")
PROJECT = "imported"


def tables_of(database: Database) -> set[str]:
    """Return the names of the tables of such a memory in a database; none if it holds none."""
    present = {table.title for table in database.tables()}
    if not {CONFIG, "knowledge", "embedding"} <= present:
        return set()
    with database.begin(read_only=True) as transaction:
        if transaction.get(CONFIG, "dimensions") is None:
            return set()
    return present & set(TABLES)


def adopt(transaction: Transaction, tables: Sequence[Table]) -> None:
    """Give the tables of such a memory what they lack, but for links, which may need tables that are not there yet."""
    for table in tables:
        known = transaction.reader.catalog.table(table.name)
        for column in table.columns:
            there = known.by_name.get(column.name)
            if there is None:
                transaction.add_column(table.name, column)
            elif there.type == TIMESTAMP and column.type == INT64:
                transaction.alter_type(
                    table.name, column.name, INT64, ["+", ["col", column.name], ["lit", 0]]
                )
            if there is not None and (there.merge, there.default) != (column.merge, column.default):
                transaction.alter_column(table.name, column.name, merge=column.merge, default=column.default)
        for index in table.indexes:
            known = transaction.reader.catalog.table(table.name)
            old = next((i for i in known.indexes if i.name == index.name), None)
            if old is not None and replace(old, id=0) != replace(index, id=0):
                transaction.drop_index(table.name, index.name)
                old = None
            if old is None:
                build = "deferred" if index.kind in ("fulltext", "auto") else "now"
                transaction.create_index(table.name, index, build=build)


def complete(transaction: Transaction, tables: Sequence[Table]) -> None:
    """Make the sessions and turns that facts name, then the links to them, and note the names that facts mention."""
    _make_sources(transaction)
    if all(table.name != ENTITY for table in tables):
        link_all(transaction)
    for table in tables:
        for column in table.links:
            transaction.add_foreign_key(table.name, table.foreign_key(column))


def _make_sources(transaction: Transaction) -> None:
    columns = ["source_session", "source_turn", "time_created"]
    facts = list(transaction.scan("knowledge", columns))
    sessions: dict[str, int] = {}
    turns: dict[str, tuple[str, int]] = {}
    for fact in facts:
        session, turn, created = (fact[name] for name in columns)
        if session is None and turn is not None:
            session = f"{PROJECT}_{turn}"
        if session is not None:
            sessions[session] = min(created, sessions.get(session, created))
        if turn is not None:
            turns.setdefault(turn, (session, created))
    if not sessions:
        return
    first = min(sessions.values())
    transaction.insert("project", {"id": PROJECT, "time_created": first, "time_updated": first})
    for session, created in sessions.items():
        row: dict[str, Any] = {
            "id": session,
            "project_id": PROJECT,
            "status": "ended",
            "active_branch": session,
        }
        transaction.insert("session", {**row, "time_created": created, "time_updated": created})
        branch = {"id": session, "session_id": session, "time_created": created, "time_updated": created}
        transaction.insert("branch", branch)
    for turn, (session, created) in turns.items():
        row = {"id": turn, "session_id": session, "branch_id": session, "role": "user", "status": "completed"}
        transaction.insert("turn", {**row, "time_created": created, "time_completed": created})
