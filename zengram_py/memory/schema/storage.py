"""V001: what everything else stands on: the memory's settings, the log of events, and vectors with what they stand for."""

from __future__ import annotations

from ...engine import INT64, ColumnDef
from .specs import VECTOR, Migration, Table, blob, hashed, integer, json, ordered, text, time

LAYER0 = Migration(
    1,
    "layer0_storage",
    [
        Table("_zengram_config", [text("key"), json("value")], key=("key",)),
        Table(
            "event_log",
            [
                ColumnDef("lsn", INT64, identity="default"),
                text("session_id?"),
                text("event_type"),
                blob("event_data?"),
                text("branch_id?"),
                integer("parent_lsn?"),
                text("agent_id?"),
                text("severity", "info"),
                time("time_created"),
            ],
            key=("lsn",),
            indexes=[
                ordered("event_log_session", "session_id", "lsn"),
                ordered("event_log_type", "event_type", "lsn"),
            ],
        ),
        # A vector lies apart from what it stands for, so that a change of that (a counter, an importance) is far from it.
        Table(
            "embedding",
            [
                text("id"),
                text("source_type"),
                text("source_id"),
                text("content_text?"),
                ColumnDef("vector", VECTOR),
                text("model"),
                integer("dimensions"),
                time("time_created"),
            ],
            indexes=[hashed("embedding_source", "source_type", "source_id")],
        ),
    ],
)
