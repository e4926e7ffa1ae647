"""V004 and V005: the property graph, and what concerns all layers: provenance, permissions, peers, agents, and things due."""

from __future__ import annotations

from .specs import (
    Edge,
    Graph,
    Migration,
    Table,
    hashed,
    integer,
    json,
    number,
    ordered,
    text,
    time,
    touched,
)

GRAPH = "agent_graph"

PROPERTY_GRAPH = Migration(
    4,
    "property_graph",
    [
        Table(
            "subagent_run",
            [
                text("id"),
                text("parent_session"),
                text("child_session?"),
                text("agent_type"),
                text("status", "running"),
                integer("spawn_depth", 0),
                text("result?"),
                text("error?"),
                time("time_created"),
                time("time_completed?"),
                integer("runtime_ms", 0),
            ],
            indexes=[hashed("subagent_run_parent", "parent_session")],
        ),
        Graph(
            GRAPH,
            {
                "Session": "session",
                "Turn": "turn",
                "ToolCall": "tool_call",
                "Knowledge": "knowledge",
                "Task": "task",
            },
            [
                Edge("HAS_TURN", "turn", ("session_id", "Session"), ("id", "Turn")),
                Edge("INVOKED", "tool_call", ("turn_id", "Turn"), ("id", "ToolCall")),
                Edge("DEPENDS_ON", "task_dependency", ("task_id", "Task"), ("depends_on", "Task"), ("type",)),
                Edge(
                    "SPAWNED",
                    "subagent_run",
                    ("parent_session", "Session"),
                    ("child_session", "Session"),
                    ("agent_type", "status", "runtime_ms"),
                ),
            ],
        ),
    ],
)

_PERMISSION_RULE = Table(
    "permission_rule",
    [
        text("id"),
        text("project_id?"),
        text("session_id?"),
        text("permission"),
        text("pattern"),
        text("action"),
        text("context_agent?"),
        text("context_branch?"),
        text("context_path_prefix?"),
        number("context_risk_max?"),
        number("trust_level", 0.5),
        integer("times_granted", 0),
        integer("times_denied", 0),
        text("source", "user"),
        integer("priority", 0),
        time("time_created"),
        time("time_expires?"),
    ],
    indexes=[hashed("permission_rule_permission", "permission")],
)

CROSS_CUTTING = Migration(
    5,
    "cross_cutting",
    [
        # The target was made from, or because of, the source (provenance.py).
        Table(
            "provenance",
            [
                text("id"),
                text("session_id?"),
                text("source_type"),
                text("source_id"),
                text("target_type"),
                text("target_id"),
                text("relation"),
                number("confidence", 1.0),
                time("time_created"),
            ],
            indexes=[
                hashed("provenance_source", "source_id"),
                hashed("provenance_target", "target_id"),
            ],
        ),
        _PERMISSION_RULE,
        # Whom facts are about. The id is the name folded, so that it names one peer however it is written.
        Table(
            "peer",
            [
                text("id"),
                text("name", merge="newest"),
                text("kind?"),
                json("metadata?"),
                *touched(shared=True),
            ],
        ),
        Table(
            "agent_registry",
            [
                text("id"),
                text("name"),
                text("role?"),
                json("capabilities?"),
                text("status", "active"),
                text("session_id?"),
                json("metadata?"),
                *touched(),
                time("time_last_seen?"),
            ],
        ),
        Table(
            "agent_mailbox",
            [
                text("id"),
                text("from_agent"),
                text("to_agent"),
                text("message_type"),
                json("payload?"),
                text("status", "pending"),
                text("claimed_by?"),
                text("session_id?"),
                text("reply_to?"),
                time("time_created"),
                time("time_claimed?"),
                time("time_processed?"),
                time("time_expires?"),
            ],
            indexes=[ordered("agent_mailbox_to", "to_agent", "status", "time_created")],
        ),
        Table(
            "mailbox_cursor",
            [text("agent_id"), text("last_message_id?"), time("time_updated", merge="max")],
            key=("agent_id",),
        ),
        Table(
            "environment",
            [
                text("id"),
                text("session_id?"),
                text("project_id?"),
                text("type"),
                text("status"),
                text("snapshot_ref?"),
                text("setup_script?"),
                text("working_dir?"),
                json("resource_budget?"),
                json("resource_used?"),
                *touched(),
            ],
        ),
        Table(
            "reminder",
            [
                text("id"),
                text("project_id?"),
                text("session_id?"),
                text("knowledge_id?"),
                text("task_id?"),
                text("content"),
                text("status", "pending"),
                time("time_due"),
                integer("repeat_us?"),
                time("time_created"),
                time("time_done?"),
            ],
            links={"knowledge_id": "knowledge", "task_id": "task"},
            indexes=[ordered("reminder_due", "status", "time_due")],
        ),
        Table(
            "scheduled_job",
            [
                text("id"),
                text("project_id?"),
                text("name"),
                text("schedule"),
                json("payload?"),
                text("status", "active"),
                time("time_next?"),
                time("time_last?"),
                integer("runs", 0),
                integer("failures", 0),
                text("last_error?"),
                *touched(),
            ],
            indexes=[ordered("scheduled_job_due", "status", "time_next")],
        ),
    ],
)
