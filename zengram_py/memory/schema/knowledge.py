"""V003: facts, and what each scope sets for finding, extracting, keeping and forgetting them."""

from __future__ import annotations

from ...engine import IndexDef
from .specs import Migration, Table, flag, integer, json, number, ordered, text, time

SUBJECT_INDEX = "knowledge_scope_subject"
VECTOR_INDEX = "embedding_vector"
TEXT_INDEX = "knowledge_text"

_KNOWLEDGE = Table(
    "knowledge",
    [
        text("id"),
        text("project_id?"),
        text("scope", "/"),
        json("categories?"),
        text("subject"),
        text("content"),
        time("valid_from?"),
        time("valid_to?"),
        number("importance", 0.5, merge="newest"),
        number("confidence", 0.5, merge="newest"),
        integer("access_count", 0, merge="sum"),
        time("last_accessed?", merge="max"),
        text("similarity_hash?"),
        json("consolidated_from?"),
        text("superseded_by?"),
        text("source_type", "agent"),
        text("source_session?"),
        text("source_turn?"),
        flag("private", False),
        text("status", "active"),
        integer("times_confirmed", 0, merge="sum"),
        integer("times_contradicted", 0, merge="sum"),
        time("time_created"),
        time("time_updated", merge="max"),
        time("time_expires?"),
        text("subject_peer?"),
        time("time_decayed?", merge="newest"),
    ],
    links={"superseded_by": "knowledge", "source_session": "session", "source_turn": "turn"},
    indexes=[
        # A subject names the same thing in whatever case, spacing and Unicode form it is written.
        IndexDef(SUBJECT_INDEX, "hash", (["col", "scope"], ["fold", ["col", "subject"]])),
        IndexDef("knowledge_subject", "hash", (["fold", ["col", "subject"]],)),
        # A word in the subject says more of what a fact is about than one in its content.
        IndexDef(
            TEXT_INDEX, "fulltext", (["col", "subject"], ["col", "content"]), options={"weights": [2.0, 1.0]}
        ),
        # Read from its end: the most important active facts of a scope.
        ordered("knowledge_importance", "scope", "status", "importance"),
        ordered("knowledge_project", "project_id", "status"),
        ordered("knowledge_validity", "valid_from", "valid_to", "status"),
    ],
)

LAYER2 = Migration(
    3,
    "layer2_intelligence",
    [
        _KNOWLEDGE,
        Table(
            "extraction_config",
            [
                text("scope"),
                flag("enabled", True),
                text("extract_on", "assistant_turn"),
                integer("min_turn_tokens", 100),
                text("reflection_trigger", "session_end"),
                text("reflection_scope", "session"),
                text("categories_prompt?"),
                time("time_updated", merge="max"),
            ],
            key=("scope",),
        ),
        # The defaults are those of RecallConfig (recall_config.py), which says what they are.
        Table(
            "retrieval_config",
            [
                text("scope"),
                number("vector_weight", 0.4),
                number("text_weight", 0.3),
                number("recency_weight", 0.15),
                number("importance_weight", 0.15),
                number("mmr_lambda", 0.7),
                number("decay_half_life_days", 30.0),
                integer("limit_default", 20),
                number("score_threshold", 0.15),
            ],
            key=("scope",),
        ),
        Table(
            "storage_budget",
            [
                text("scope"),
                integer("max_bytes?"),
                integer("high_water_bytes?"),
                integer("current_bytes", 0, merge="newest"),
                time("last_pruned?"),
                text("prune_strategy", "oldest"),
                integer("retain_min", 10),
                time("time_updated", merge="max"),
            ],
            key=("scope",),
        ),
        Table(
            "token_estimate",
            [
                text("entity_type"),
                text("entity_id"),
                text("model_family"),
                integer("token_count", merge="newest"),
                time("time_computed", merge="newest"),
            ],
            key=("entity_type", "entity_id", "model_family"),
        ),
        Table(
            "demotion_config",
            [
                text("scope"),
                number("hot_budget_pct", 0.80),
                number("reserve_pct", 0.15),
                text("strategy", "hybrid"),
                integer("min_tokens_freed", 20_000),
                integer("warm_ttl_days", 90),
                integer("cold_ttl_days", 365),
            ],
            key=("scope",),
        ),
    ],
)
