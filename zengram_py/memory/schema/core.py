"""V002: projects, sessions and their branches, turns, parts and tool calls, and tasks.

::

    project ◀── session ◀── branch        a session begins with one branch, its trunk; a fork adds one
                   ▲           ▲
                   └── turn ───┘ ◀── part ◀── tool_call
"""

from __future__ import annotations

from .specs import Migration, Table, hashed, integer, json, number, ordered, text, time, touched

_SESSION = Table(
    "session",
    [
        text("id"),
        text("project_id"),
        text("parent_id?"),
        text("title", ""),
        text("slug?"),
        text("agent?"),
        text("model_id?"),
        text("provider_id?"),
        text("channel_type?"),
        text("channel_account?"),
        text("channel_peer?"),
        json("channel_meta?"),
        text("status", "active"),
        text("active_branch?", merge="newest"),
        integer("total_tokens", 0, merge="sum"),
        number("total_cost_usd", 0.0, merge="sum"),
        integer("total_turns", 0, merge="sum"),
        *touched(),
        time("time_archived?"),
    ],
    links={"project_id": "project", "parent_id": "session"},
)

_TURN = Table(
    "turn",
    [
        text("id"),
        text("session_id"),
        text("branch_id"),
        text("parent_turn_id?"),
        text("role"),
        text("agent?"),
        integer("tokens_input", 0),
        integer("tokens_output", 0),
        integer("tokens_reasoning", 0),
        integer("tokens_cache_read", 0),
        integer("tokens_cache_write", 0),
        number("cost_usd", 0.0),
        text("status", "active"),
        text("tier", "hot"),
        text("finish_reason?"),
        text("summary?"),
        text("summary_model?"),
        time("time_created"),
        time("time_completed?"),
    ],
    links={"parent_turn_id": "turn"},
    indexes=[
        ordered("turn_session", "session_id", "branch_id", "time_created"),
        ordered("turn_tier", "session_id", "tier"),
    ],
)

_TOOL_CALL = Table(
    "tool_call",
    [
        text("id"),
        text("turn_id"),
        text("part_id?"),
        text("session_id"),
        text("tool_id"),
        text("tool_source", "builtin"),
        text("state", "pending"),
        json("input?"),
        text("output?"),
        text("output_hash?"),
        text("error?"),
        integer("duration_ms?"),
        integer("tokens_consumed", 0),
        text("permission_type?"),
        json("permission_patterns?"),
        text("permission_action?"),
        text("category?"),
        json("target_paths?"),
        time("time_created"),
        time("time_completed?"),
    ],
    indexes=[
        ordered("tool_call_session", "session_id", "time_created"),
        hashed("tool_call_turn", "turn_id"),
    ],
)

_TASK = Table(
    "task",
    [
        text("id"),
        text("session_id?"),
        text("project_id?"),
        text("parent_task_id?"),
        text("title"),
        text("description?"),
        text("priority", "medium"),
        text("status", "pending"),
        text("assigned_agent?"),
        text("assigned_branch?"),
        text("acceptance?"),
        text("verification?"),
        text("source_turn_id?"),
        text("completion_turn?"),
        integer("estimated_turns?"),
        integer("actual_turns?"),
        time("time_created"),
        time("time_started?"),
        time("time_completed?"),
    ],
    links={"assigned_branch": "branch"},
    indexes=[
        ordered("task_session", "session_id", "status"),
        ordered("task_project", "project_id", "status"),
    ],
)

LAYER1 = Migration(
    2,
    "layer1_core",
    [
        Table(
            "project",
            [text("id"), text("name?"), text("root_path?"), json("metadata?"), *touched(shared=True)],
        ),
        _SESSION,
        Table(
            "branch",
            [
                text("id"),
                text("session_id"),
                text("parent_branch?"),
                text("fork_turn_id?"),
                text("name?"),
                text("status", "active"),
                text("merge_target?"),
                *touched(),
            ],
            links={"session_id": "session", "parent_branch": "branch", "merge_target": "branch"},
        ),
        _TURN,
        Table(
            "part",
            [
                text("id"),
                text("turn_id"),
                text("session_id"),
                text("type"),
                json("data"),
                text("content_hash?"),
                integer("position"),
                *touched(),
            ],
            indexes=[ordered("part_turn", "turn_id", "position"), hashed("part_session", "session_id")],
        ),
        _TOOL_CALL,
        _TASK,
        Table(
            "task_dependency",
            [text("task_id"), text("depends_on"), text("type", "blocks")],
            key=("task_id", "depends_on"),
            indexes=[hashed("task_dependency_on", "depends_on")],
        ),
        Table(
            "task_file",
            [text("task_id"), text("file_path"), text("role", "target")],
            key=("task_id", "file_path"),
        ),
    ],
)
