"""V006 to V008: what agents that write code keep: files, states of a tree, the code graph, object knowledge, workspaces."""

from __future__ import annotations

from .specs import (
    Migration,
    More,
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

_FILES = [
    Table(
        "state_snapshot",
        [
            text("id"),
            text("project_id?"),
            text("type"),
            integer("version"),
            json("includes?"),
            json("path_mappings?"),
            text("location"),
            integer("size_bytes?"),
            text("checksum?"),
            text("status", "active"),
            time("time_created"),
        ],
    ),
    Table(
        "file_operation",
        [
            text("id"),
            text("tool_call_id?"),
            text("session_id"),
            text("file_path"),
            text("operation"),
            text("content_hash?"),
            text("diff?"),
            integer("additions", 0),
            integer("deletions", 0),
            text("depth", "listed"),
            time("time_created"),
        ],
        indexes=[
            ordered("file_operation_session", "session_id", "time_created"),
            hashed("file_operation_path", "file_path"),
        ],
    ),
    Table(
        "workspace_file",
        [
            text("session_id"),
            text("file_path"),
            text("understanding", "unknown"),
            number("relevance", 0.0),
            text("content_hash?"),
            text("last_read_turn?"),
            text("last_write_turn?"),
            text("edit_state", "clean"),
            text("related_test?"),
            text("purpose?"),
            time("time_updated", merge="max"),
        ],
        key=("session_id", "file_path"),
    ),
    Table(
        "snapshot",
        [
            text("id"),
            text("session_id"),
            text("turn_id?"),
            text("tree_hash"),
            text("type"),
            integer("additions", 0),
            integer("deletions", 0),
            integer("files_changed", 0),
            time("time_created"),
        ],
        indexes=[ordered("snapshot_session", "session_id", "time_created")],
    ),
    # Who works on a file, so that two agents do not write to it at once; it lapses by itself.
    Table(
        "file_reservation",
        [
            text("id"),
            text("project_id?"),
            text("session_id?"),
            text("agent_id"),
            text("file_path"),
            text("mode", "exclusive"),
            text("reason?"),
            time("time_created"),
            time("time_expires?"),
        ],
        indexes=[hashed("file_reservation_path", "file_path")],
    ),
]

_CODE_GRAPH = [
    Table(
        "cg_source",
        [
            text("id"),
            text("project_id?"),
            text("root_path"),
            text("language?"),
            text("revision?"),
            json("metadata?"),
            *touched(),
        ],
    ),
    Table(
        "cg_file",
        [
            text("id"),
            text("source_id"),
            text("path"),
            text("language?"),
            text("content_hash?"),
            integer("size_bytes?"),
            time("time_indexed"),
        ],
        links={"source_id": "cg_source"},
        indexes=[hashed("cg_file_path", "path")],
    ),
    Table(
        "cg_node",
        [
            text("id"),
            text("source_id"),
            text("file_id?"),
            text("kind"),
            text("name"),
            text("qualified_name?"),
            text("signature?"),
            text("documentation?"),
            integer("line_start?"),
            integer("line_end?"),
            json("metadata?"),
            time("time_updated", merge="max"),
        ],
        links={"source_id": "cg_source", "file_id": "cg_file"},
        indexes=[hashed("cg_node_name", "name"), hashed("cg_node_qualified", "qualified_name")],
    ),
    Table(
        "cg_edge",
        [
            text("from_node"),
            text("to_node"),
            text("kind", "calls"),
            text("file_id?"),
            integer("line?"),
            number("weight", 1.0),
        ],
        key=("from_node", "to_node", "kind"),
        links={"from_node": "cg_node", "to_node": "cg_node"},
    ),
    # How many edges a node has, counted when the graph is written: reading the hubs of a graph scans no edge.
    Table(
        "cg_degree",
        [text("node_id"), integer("in_degree", 0), integer("out_degree", 0)],
        key=("node_id",),
        links={"node_id": "cg_node"},
    ),
]

_OBJECT_KNOWLEDGE = [
    Table(
        "okf_bundle",
        [
            text("id"),
            text("project_id?"),
            text("name"),
            text("version?"),
            text("source?"),
            json("metadata?"),
            *touched(),
        ],
    ),
    Table(
        "okf_concept",
        [
            text("id"),
            text("bundle_id"),
            text("kind?"),
            text("title"),
            text("content?"),
            json("properties?"),
            *touched(),
        ],
        links={"bundle_id": "okf_bundle"},
        indexes=[hashed("okf_concept_title", "title")],
    ),
    Table(
        "okf_link",
        [
            text("from_concept"),
            text("to_concept"),
            text("relation"),
            number("weight", 1.0),
            time("time_created"),
        ],
        key=("from_concept", "to_concept", "relation"),
        links={"from_concept": "okf_concept", "to_concept": "okf_concept"},
    ),
]

LAYER3 = Migration(6, "layer3_coding", [*_FILES, *_CODE_GRAPH, *_OBJECT_KNOWLEDGE])

EXTENSIONS = Migration(
    7,
    "opencode_extensions",
    [
        Table(
            "workspace",
            [
                text("id"),
                text("project_id"),
                text("type"),
                text("branch?"),
                text("name?"),
                text("directory?"),
                json("extra?"),
                *touched(),
            ],
        ),
        Table(
            "session_share",
            [text("session_id"), text("share_id"), text("secret"), text("url"), *touched()],
            key=("session_id",),
        ),
        Table(
            "account",
            [
                text("id"),
                text("email"),
                text("url"),
                text("access_token"),
                text("refresh_token"),
                time("token_expiry?"),
                *touched(),
            ],
        ),
        Table("account_state", [integer("id"), text("active_account_id?"), text("active_org_id?")]),
        More(
            "project",
            [
                text("worktree?"),
                text("vcs?"),
                text("icon_url?"),
                text("icon_color?"),
                json("sandboxes?"),
                json("commands?"),
                time("time_initialized?"),
            ],
        ),
        More(
            "session",
            [
                text("workspace_id?"),
                text("directory?"),
                text("version?"),
                text("share_url?"),
                integer("summary_additions", 0),
                integer("summary_deletions", 0),
                integer("summary_files", 0),
                json("summary_diffs?"),
                json("revert_state?"),
                json("permission_json?"),
                time("time_compacting?"),
            ],
            links={"workspace_id": "workspace"},
        ),
    ],
)

TURN_FIELDS = Migration(8, "turn_opencode_fields", [More("turn", [text("model_id?"), text("provider_id?")])])
