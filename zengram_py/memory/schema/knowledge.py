"""Tables of the knowledge tier: ``knowledge``, ``embedding``, the entity graph and ``_zengram_config``.

All times are UTC microseconds. A fact's vector is in ``embedding``, so that a change of the fact (a counter, its
importance) is far from the vector, and so that other things than facts can have vectors later.
"""

from __future__ import annotations

from ...engine import BOOLEAN, FLOAT64, INT64, JSON, TEXT, TIMESTAMP, ColumnDef, IndexDef, vector
from ...engine.types import ColumnType

TableSpec = tuple[str, list[ColumnDef], list[str], list[IndexDef]]

SUBJECT_INDEX = "knowledge_scope_subject"
VECTOR_INDEX = "embedding_vector"
TEXT_INDEX = "knowledge_text"


def _required(name: str, kind: ColumnType) -> ColumnDef:
    return ColumnDef(name, kind, nullable=False)


def _default(name: str, kind: ColumnType, value: object) -> ColumnDef:
    return ColumnDef(name, kind, nullable=False, default=["lit", value])


def knowledge_tables(dimensions: int) -> list[TableSpec]:
    """Return the tables for vectors of this many dimensions, in the order in which they are created."""
    config = [_required("key", TEXT), _required("value", JSON)]
    knowledge = [
        _required("id", TEXT),
        ColumnDef("project_id", TEXT),
        _default("scope", TEXT, "/"),
        ColumnDef("categories", JSON),
        _required("subject", TEXT),
        _required("content", TEXT),
        ColumnDef("valid_from", TIMESTAMP),
        ColumnDef("valid_to", TIMESTAMP),
        _default("importance", FLOAT64, 0.5),
        _default("confidence", FLOAT64, 0.5),
        _default("access_count", INT64, 0),
        ColumnDef("last_accessed", TIMESTAMP),
        ColumnDef("similarity_hash", TEXT),
        ColumnDef("consolidated_from", JSON),
        ColumnDef("superseded_by", TEXT),
        _default("source_type", TEXT, "agent"),
        ColumnDef("source_session", TEXT),
        ColumnDef("source_turn", TEXT),
        _default("private", BOOLEAN, False),
        _default("status", TEXT, "active"),
        _default("times_confirmed", INT64, 0),
        _default("times_contradicted", INT64, 0),
        _required("time_created", TIMESTAMP),
        _required("time_updated", TIMESTAMP),
        ColumnDef("time_expires", TIMESTAMP),
        ColumnDef("subject_peer", TEXT),
        ColumnDef("time_decayed", TIMESTAMP),
        ColumnDef("tags", JSON),
    ]
    # A subject names the same thing in whatever case, spacing and Unicode form it is written.
    by_subject = IndexDef(SUBJECT_INDEX, "hash", (["col", "scope"], ["fold", ["col", "subject"]]))
    # A word in the subject says more of what a fact is about than one in its content.
    by_text = IndexDef(
        TEXT_INDEX, "fulltext", (["col", "subject"], ["col", "content"]), options={"weights": [2.0, 1.0]}
    )
    embedding = [
        _required("id", TEXT),
        _required("source_type", TEXT),
        _required("source_id", TEXT),
        ColumnDef("content_text", TEXT),
        ColumnDef("vector", vector(dimensions)),
        _required("model", TEXT),
        _required("dimensions", INT64),
        _required("time_created", TIMESTAMP),
    ]
    by_source = IndexDef("embedding_source", "hash", (["col", "source_type"], ["col", "source_id"]))
    by_vector = IndexDef(VECTOR_INDEX, "auto", (["col", "vector"],), options={"metric": "cosine"})
    entity = [
        ColumnDef("id", INT64, identity="default"),
        _required("name", TEXT),
        _required("key", TEXT),
        _required("time_created", TIMESTAMP),
    ]
    by_key = IndexDef("entity_key", "hash", (["col", "key"],), unique=True)
    link = [_required("entity", INT64), _required("knowledge_id", TEXT)]
    # The defaults are those of RecallConfig (recall_config.py), which says what they are.
    retrieval_config = [
        _required("scope", TEXT),
        _default("vector_weight", FLOAT64, 0.4),
        _default("text_weight", FLOAT64, 0.3),
        _default("recency_weight", FLOAT64, 0.15),
        _default("importance_weight", FLOAT64, 0.15),
        _default("mmr_lambda", FLOAT64, 0.7),
        _default("decay_half_life_days", FLOAT64, 30.0),
        _default("limit_default", INT64, 20),
        _default("score_threshold", FLOAT64, 0.15),
        _default("preset", TEXT, "hybrid"),
        _default("spread_turns", FLOAT64, 0.3),
        _default("spread_session", FLOAT64, 0.3),
        _default("spread_sources", FLOAT64, 0.3),
        _default("spread_entities", FLOAT64, 0.1),
        _default("spread_peer", FLOAT64, 0.2),
    ]
    return [
        ("_zengram_config", config, ["key"], []),
        ("knowledge", knowledge, ["id"], [by_subject, by_text]),
        ("embedding", embedding, ["id"], [by_source, by_vector]),
        ("_zengram_entity", entity, ["id"], [by_key]),
        ("_zengram_entity_link", link, ["entity", "knowledge_id"], []),
        ("retrieval_config", retrieval_config, ["scope"], []),
    ]
